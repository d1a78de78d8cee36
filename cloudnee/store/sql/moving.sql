-- Everything of one org, for an export, and the rows of an import. `n` is a row id: it orders rows.

-- :name export_org
SELECT secret, revision FROM orgs WHERE id = :org

-- :name export_tombstones
SELECT kind, lower(hex(hash)) FROM tombstones WHERE org = :org ORDER BY kind, hash

-- :name export_entities
SELECT e.id AS n, e.eid AS id, e.key AS key, e.word AS word,
       (SELECT json_group_array(o.key) FROM other_keys o
         WHERE o.org = e.org AND o.entity = e.id) AS also
  FROM entities e WHERE e.org = :org ORDER BY e.id

-- :name export_pages
SELECT p.id AS n, p.path, p.text, p.content_hash AS hash, p.read_hash AS read, p.reading,
       p.status, p.reason, p.subject, p.subject_key, e.eid AS entity, p.own_date, p.as_of,
       p.waiting, p.origin, p.synced, p.conflict, p.created_at, p.updated_at
  FROM pages p LEFT JOIN entities e ON e.id = p.entity
 WHERE p.org = :org ORDER BY p.id

-- :name export_names
SELECT n.id AS n, e.eid AS entity, n.key, n.name, n.type, n.declared
  FROM names n JOIN entities e ON e.id = n.entity WHERE n.page = :page ORDER BY n.id

-- :name export_aliases
SELECT a.id AS n, e.eid AS entity, a.kind, a.handle, a.key, a.name, a.given,
       (SELECT json_group_array(k.key) FROM alias_keys k WHERE k.alias = a.id) AS keys
  FROM aliases a JOIN entities e ON e.id = a.entity WHERE a.page = :page ORDER BY a.id

-- :name export_facts
SELECT x.id AS n, x.eid AS id, x.ordinal, s.eid AS source, x.relation, t.eid AS target,
       st.text AS source_name, tt.text AS target_name, x.chunk, x.line, x.quote, x.importance,
       x.weight, x.since, x.as_of, x.created_at, x.written, x.retired_at, x.ended
  FROM edges x
  JOIN entities s ON s.id = x.source JOIN entities t ON t.id = x.target
  JOIN texts st ON st.id = x.source_text JOIN texts tt ON tt.id = x.target_text
 WHERE x.page = :page ORDER BY x.id

-- :name export_ratings
SELECT id AS n, fact, key, rating, implicit, given_at, applied
  FROM ratings WHERE org = :org ORDER BY id

-- :name export_texts
SELECT id, kind, text, vector FROM texts WHERE org = :org AND vector <> 0 ORDER BY id

-- :name parked_vector
SELECT vector FROM parked WHERE text = :id

-- :name count_pages
SELECT count(*) FROM pages WHERE org = :org

-- :name last_rows
SELECT name, seq FROM sqlite_sequence
 WHERE name IN ('pages', 'entities', 'names', 'aliases', 'edges', 'ratings', 'merges')

-- :name reserve_rows
UPDATE sqlite_sequence SET seq = max(seq, :seq) WHERE name = :name

-- :name begin_rows
INSERT INTO sqlite_sequence (name, seq)
SELECT :name, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :name)

-- :name import_org
UPDATE orgs SET secret = :secret, revision = max(revision, :revision) WHERE id = :org

-- :name import_tombstone
INSERT OR IGNORE INTO tombstones (org, kind, hash) VALUES (:org, :kind, unhex(:hash))

-- :name import_entity
INSERT OR IGNORE INTO entities (id, org, eid, key, folded, word)
VALUES (:n, :org, :id, :key, :folded, :word)

-- :name import_page
INSERT INTO pages (id, org, path, text, content_hash, read_hash, reading, status, reason, subject,
                   subject_key, entity, tags, own_date, as_of, scope, seen_by, waiting, origin,
                   synced, conflict, created_at, updated_at)
VALUES (:n, :org, :path, :text, :hash, :read, :reading, :status, :reason, :subject,
        :subject_key, :entity, :tags, :own_date, :as_of, :scope, :seen_by, :waiting, :origin,
        :synced, :conflict, :created_at, :updated_at)

-- :name import_name
INSERT INTO names (id, page, entity, key, name, type, declared, scope)
VALUES (:n, :page, :entity, :key, :name, :type, :declared, :scope)

-- :name import_alias
INSERT INTO aliases (id, org, page, entity, kind, handle, key, name, given, scope)
VALUES (:n, :org, :page, :entity, :kind, :handle, :key, :name, :given, :scope)

-- :name import_fact
INSERT INTO edges (id, org, eid, ordinal, page, source, relation, target, source_text, target_text,
                   text, chunk, line, quote, importance, weight, since, as_of, created_at, written,
                   retired_at, ended, scope, seen_by, current_for, revision)
VALUES (:n, :org, :id, :ordinal, :page, :source, :relation, :target, :source_text, :target_text,
        :text, :chunk, :line, :quote, :importance, :weight, :since, :as_of, :created_at, :written,
        :retired_at, :ended, :scope, :seen_by, :current_for, :revision)

-- :name import_rating
INSERT OR IGNORE INTO ratings (id, org, fact, key, rating, implicit, given_at, applied)
VALUES (:n, :org, :fact, :key, :rating, :implicit, :given_at, :applied)

-- :name import_word
INSERT OR IGNORE INTO words (org, key, word, canonical) VALUES (:org, :key, :word, :canonical)

-- :name export_words
SELECT key, word, canonical FROM words WHERE org = :org ORDER BY key

-- :name drop_meta
DELETE FROM meta WHERE key = :key
