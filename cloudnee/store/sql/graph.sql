-- Entities, their names and aliases, and edges.

-- :name entities_of_keys
SELECT k.value, e.id, e.word, e.eid FROM json_each(:keys) k
  CROSS JOIN entities e ON e.org = :org AND e.key = k.value
UNION
SELECT k.value, e.id, e.word, e.eid FROM json_each(:keys) k
  CROSS JOIN other_keys o ON o.org = :org AND o.key = k.value JOIN entities e ON e.id = o.entity
ORDER BY 2

-- :name eid
SELECT eid FROM entities WHERE id = :entity

-- :name entity_seen_elsewhere
SELECT EXISTS (
    SELECT 1 FROM scopes s CROSS JOIN names n
     WHERE s.org = :org AND s.mask & :seen_by = :seen_by
       AND n.entity = :entity AND n.scope = s.id AND n.page <> :page)

-- :name entity_handles
SELECT DISTINCT a.kind, a.key, s.mask & :seen_by = :seen_by
  FROM aliases a JOIN scopes s ON s.id = a.scope
 WHERE a.entity = :entity AND a.page <> :page AND a.kind IN ('phone', 'email')

-- :name hidden_pages
SELECT DISTINCT p.id, p.path FROM aliases a JOIN pages p ON p.id = a.page
 WHERE a.entity = :entity AND a.page <> :page AND a.kind IN ('phone', 'email')
   AND p.seen_by & :seen_by <> :seen_by

-- :name part_names
UPDATE names SET entity = :other WHERE page = :page AND entity = :entity

-- :name part_aliases
UPDATE aliases SET entity = :other WHERE page = :page AND entity = :entity

-- :name part_page
UPDATE pages SET entity = :other WHERE id = :page AND entity = :entity

-- :name part_sources
UPDATE edges SET source = :other, revision = :revision WHERE page = :page AND source = :entity

-- :name part_targets
UPDATE edges SET target = :other, revision = :revision WHERE page = :page AND target = :entity

-- :name first_named
SELECT (SELECT min((SELECT min(n.id) FROM names n WHERE n.entity = :entity AND n.scope = s.id))
          FROM scopes s WHERE s.org = :org AND s.mask & :bit),
       (SELECT min(a.id) FROM aliases a JOIN scopes s ON s.id = a.scope
         WHERE a.entity = :entity AND s.mask & :bit)

-- :name entity_by_eid
SELECT id FROM entities WHERE org = :org AND eid = :eid

-- :name add_entity
INSERT INTO entities (org, eid, key, folded, word) VALUES (:org, :eid, :key, :folded, :word)

-- :name add_other_key
INSERT OR IGNORE INTO other_keys (org, key, entity) VALUES (:org, :key, :entity)

-- :name drop_unused_entity
DELETE FROM entities WHERE id = :entity AND uses <= 0

-- :name drop_unused_other_keys
DELETE FROM other_keys WHERE org = :org AND entity NOT IN (SELECT id FROM entities)

-- :name shown_entity
SELECT e.eid,
       (SELECT n.name FROM names n WHERE n.id = (
           SELECT min((SELECT min(f.id) FROM names f WHERE f.entity = e.id AND f.scope = s.id))
             FROM scopes s WHERE s.org = e.org AND s.mask & :bit)),
       (SELECT n.type FROM names n WHERE n.id = (
           SELECT min((SELECT min(f.id) FROM names f
                        WHERE f.entity = e.id AND f.scope = s.id AND f.type <> ''))
             FROM scopes s WHERE s.org = e.org AND s.mask & :bit)),
       (SELECT a.name FROM aliases a JOIN scopes s ON s.id = a.scope
         WHERE a.entity = e.id AND s.mask & :bit ORDER BY a.id LIMIT 1)
  FROM entities e WHERE e.id = :entity

-- :name entity_paths
SELECT p.path FROM names n JOIN pages p ON p.id = n.page
 WHERE n.entity = :entity AND n.declared AND p.status <> 'gone' AND p.seen_by & :bit LIMIT 20

-- :name entity_aliases
SELECT a.handle, a.name, a.kind FROM aliases a JOIN pages p ON p.id = a.page
 WHERE a.entity = :entity AND p.seen_by & :bit ORDER BY a.id

-- :name entities_by_handle
SELECT a.entity FROM alias_keys k JOIN aliases a ON a.id = k.alias
  JOIN scopes s ON s.id = a.scope
 WHERE k.org = :org AND k.key = :key AND (:kind = '' OR a.kind = :kind) AND s.mask & :bit

-- :name entities_by_name
SELECT e.id FROM entities e
 WHERE e.org = :org AND e.key = :key
   AND EXISTS (SELECT 1 FROM scopes s CROSS JOIN names n
                WHERE s.org = :org AND s.mask & :bit
                  AND n.entity = e.id AND n.scope = s.id AND n.key = :key)
UNION
SELECT o.entity FROM other_keys o
 WHERE o.org = :org AND o.key = :key
   AND EXISTS (SELECT 1 FROM scopes s CROSS JOIN names n
                WHERE s.org = :org AND s.mask & :bit
                  AND n.entity = o.entity AND n.scope = s.id AND n.key = :key)
ORDER BY 1

-- :name entities_by_folded
SELECT e.id FROM entities e
 WHERE e.org = :org AND e.folded >= :folded AND e.folded < :folded || char(0x10ffff)
   AND EXISTS (SELECT 1 FROM scopes s CROSS JOIN names n
                WHERE s.org = :org AND s.mask & :bit AND n.entity = e.id AND n.scope = s.id)
 ORDER BY e.id LIMIT 10

-- :name named_entities
SELECT k.value, e.id FROM json_each(:keys) k CROSS JOIN entities e
 WHERE e.org = :org AND e.key = k.value
   AND EXISTS (SELECT 1 FROM scopes s CROSS JOIN names n
                WHERE s.org = :org AND s.mask & :bit
                  AND n.entity = e.id AND n.scope = s.id AND n.declared)
UNION
SELECT k.value, a.entity
  FROM json_each(:keys) k CROSS JOIN alias_keys h CROSS JOIN aliases a CROSS JOIN scopes s
 WHERE h.org = :org AND h.key = k.value AND a.id = h.alias AND s.id = a.scope AND s.mask & :bit
ORDER BY 2

-- :name names_of_page
SELECT id, entity, key, name, type, declared FROM names WHERE page = :page ORDER BY id

-- :name add_name
INSERT INTO names (page, entity, key, name, type, declared, scope)
VALUES (?1, ?3, ?2, ?4, ?5, ?6, ?7)

-- :name set_name
UPDATE names SET entity = :entity, name = :name, type = :type, declared = :declared
 WHERE id = :id

-- :name drop_name
DELETE FROM names WHERE id = :id

-- :name other_type
SELECT n.type FROM scopes s CROSS JOIN names n
 WHERE s.org = :org AND s.mask & :seen_by = :seen_by
   AND n.entity = :entity AND n.scope = s.id AND n.type <> '' AND n.page <> :page
 LIMIT 1

-- :name aliases_of_page
SELECT id, entity, kind, handle, key, name, given FROM aliases WHERE page = :page ORDER BY id

-- :name add_alias
INSERT INTO aliases (org, page, entity, kind, handle, key, name, given, scope)
VALUES (:org, :page, :entity, :kind, :handle, :key, :name, :given, :scope)

-- :name add_alias_key
INSERT OR IGNORE INTO alias_keys (org, key, alias) VALUES (:org, :key, :alias)

-- :name drop_alias_keys
DELETE FROM alias_keys WHERE alias = :id

-- :name drop_alias
DELETE FROM aliases WHERE id = :id

-- :name edges_of_page
SELECT e.id, e.eid, e.ordinal, e.source, e.relation, e.target, e.quote, e.source_text,
       e.target_text, e.text, e.weight, e.retired_at, e.line, e.chunk, s.text, t.text
  FROM edges e JOIN texts s ON s.id = e.source_text JOIN texts t ON t.id = e.target_text
 WHERE e.page = :page ORDER BY e.id

-- :name add_edge
INSERT INTO edges (org, eid, ordinal, page, source, relation, target, source_text, target_text,
                   text, chunk, line, quote, importance, weight, since, as_of, created_at, written,
                   scope, seen_by, current_for, revision)
VALUES (:org, :eid, :ordinal, :page, :source, :relation, :target, :source_text, :target_text,
        :text, :chunk, :line, :quote, :importance, :weight, :now, :as_of, :now, :revision,
        :scope, :seen_by, :current_for, :revision)

-- :name add_edge_terms
INSERT INTO edge_terms (rowid, terms) VALUES (:id, :terms)

-- :name drop_edge_terms
DELETE FROM edge_terms WHERE rowid = :id

-- :name end_edge
UPDATE edges SET retired_at = :now, ended = :ended, current_for = 0, revision = :revision
 WHERE id = :id

-- :name place_edge
UPDATE edges SET line = :line, chunk = :chunk, importance = :importance, revision = :revision
 WHERE id = :id AND (line <> :line OR chunk <> :chunk OR importance <> :importance)

-- :name restate_edge
UPDATE edges SET as_of = :as_of, quote = :quote, written = :revision, revision = :revision
 WHERE id = :id

-- :name move_edge
UPDATE edges SET source = :source, target = :target, revision = :revision WHERE id = :id

-- :name judge_edge
UPDATE edges SET current_for = :current_for, revision = :revision WHERE id = :id

-- :name drop_edge
DELETE FROM edges WHERE id = :id

-- :name stated_by_source
SELECT id, source, relation, target, as_of, written, line, seen_by, current_for
  FROM edges WHERE source = :source AND relation = :relation AND retired_at IS NULL

-- :name stated_by_target
SELECT id, source, relation, target, as_of, written, line, seen_by, current_for
  FROM edges WHERE target = :target AND relation = :relation AND retired_at IS NULL

-- :name stated_between
SELECT id, source, relation, target, as_of, written, line, seen_by, current_for
  FROM edges
 WHERE source = :source AND relation = :relation AND +target = :target AND retired_at IS NULL

-- :name stated_of_page
SELECT id, source, relation, target, as_of, written, line, seen_by, current_for
  FROM edges WHERE page = :page AND retired_at IS NULL

-- :name edge_texts
SELECT source_text, target_text, text FROM edges WHERE id = :id

-- :name edges_current_from
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE source = :entity AND retired_at IS NULL AND current_for & :bit
 ORDER BY relation, id LIMIT :most

-- :name edges_current_to
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE target = :entity AND retired_at IS NULL AND current_for & :bit
   AND source <> :entity
 ORDER BY relation, id LIMIT :most

-- :name count_current
SELECT (SELECT count(*) FROM edges
         WHERE source = :entity AND retired_at IS NULL AND current_for & :bit)
     + (SELECT count(*) FROM edges
         WHERE target = :entity AND retired_at IS NULL AND current_for & :bit
           AND source <> :entity)

-- :name edges_ever
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE source = :entity AND retired_at IS NULL AND seen_by & :bit
UNION
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE source = :entity AND retired_at IS NOT NULL AND seen_by & :bit
UNION
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE target = :entity AND retired_at IS NULL AND seen_by & :bit
UNION
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE target = :entity AND retired_at IS NOT NULL AND seen_by & :bit
ORDER BY created_at DESC, id DESC LIMIT :most

-- :name edges_recent
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE org = :org AND seen_by & :bit
 ORDER BY id DESC LIMIT :most

-- :name edges_all
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE org = :org AND seen_by & :bit AND (:past OR current_for & :bit)
 ORDER BY id

-- :name edge
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE org = :org AND id = :id AND seen_by & :bit AND current_for & :bit

-- :name edge_by_eid
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges WHERE org = :org AND eid = :eid AND seen_by & :bit

-- :name edges_of_triplet
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges
 WHERE source = :source AND relation = :relation AND +target = :target
   AND retired_at IS NULL AND current_for & :bit
 ORDER BY id LIMIT 50

-- :name current_with_texts
SELECT id, eid, page, source, relation, target, source_text, target_text, chunk, line, quote, importance, weight,
       since, as_of, created_at, retired_at, ended, seen_by, current_for
  FROM edges
 WHERE org = :org AND current_for & :bit AND text IN (SELECT value FROM json_each(:texts))
 ORDER BY id LIMIT 200

-- :name ends_of
SELECT source, target FROM edges WHERE id = :id

-- :name page_path
SELECT path FROM pages WHERE id = :page

-- :name text
SELECT text FROM texts WHERE id = :text

-- :name edge_postings
SELECT doc FROM edge_postings WHERE term = :term LIMIT :most
