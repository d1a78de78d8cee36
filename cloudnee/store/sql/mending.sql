-- What `check --repair` mends and `reembed` makes anew.

-- :name hash_page
UPDATE pages SET content_hash = :hash, reading = '' WHERE org = :org AND path = :path

-- :name lost_entities
SELECT e.source AS entity, t.text AS name FROM edges e JOIN texts t ON t.id = e.source_text
 WHERE e.org = :org AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.source)
UNION
SELECT e.target, t.text FROM edges e JOIN texts t ON t.id = e.target_text
 WHERE e.org = :org AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.target)
UNION
SELECT n.entity, n.name FROM names n JOIN pages p ON p.id = n.page
 WHERE p.org = :org AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = n.entity)
UNION
SELECT a.entity, a.name FROM aliases a
 WHERE a.org = :org AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = a.entity)
ORDER BY 1, 2

-- :name lost_edges
SELECT e.id, coalesce((SELECT p.path FROM pages p WHERE p.id = e.page), '') FROM edges e
 WHERE e.org = :org
   AND (NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = e.page)
        OR NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.source)
        OR NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.target)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.text)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.source_text)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.target_text))

-- :name drop_lost_names
DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = names.page)

-- :name drop_lost_aliases
DELETE FROM aliases WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = aliases.page)

-- :name drop_lost_alias_keys
DELETE FROM alias_keys WHERE NOT EXISTS (SELECT 1 FROM aliases a WHERE a.id = alias_keys.alias)

-- :name drop_lost_passages
DELETE FROM passages WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = passages.page)

-- :name count_entities
WITH used (id) AS (
    SELECT entity FROM names
    UNION ALL SELECT entity FROM aliases WHERE org = :org
    UNION ALL SELECT source FROM edges WHERE org = :org
    UNION ALL SELECT target FROM edges WHERE org = :org AND target <> source
), counted AS (SELECT id, count(*) AS uses FROM used GROUP BY id)
UPDATE entities AS e SET uses = coalesce((SELECT c.uses FROM counted c WHERE c.id = e.id), 0)
 WHERE e.org = :org AND e.uses <> coalesce((SELECT c.uses FROM counted c WHERE c.id = e.id), 0)

-- :name unused_entities
SELECT id FROM entities WHERE org = :org AND uses <= 0

-- :name count_texts
WITH shown (id, stated, live) AS (
    SELECT source_text, retired_at IS NULL, current_for <> 0 FROM edges WHERE org = :org
    UNION ALL
    SELECT target_text, retired_at IS NULL, current_for <> 0 FROM edges
     WHERE org = :org AND target_text <> source_text
    UNION ALL
    SELECT text, retired_at IS NULL, current_for <> 0 FROM edges WHERE org = :org
), counted AS (
    SELECT id, count(*) AS uses, sum(stated) AS stated, sum(live) AS live FROM shown GROUP BY id
)
UPDATE texts AS t
   SET uses = coalesce((SELECT c.uses FROM counted c WHERE c.id = t.id), 0),
       stated = coalesce((SELECT c.stated FROM counted c WHERE c.id = t.id), 0),
       live = coalesce((SELECT c.live FROM counted c WHERE c.id = t.id), 0)
 WHERE t.org = :org

-- :name end_retired
UPDATE edges SET current_for = 0, revision = :revision
 WHERE org = :org AND retired_at IS NOT NULL AND current_for <> 0

-- :name missed_pages
SELECT DISTINCT p.path FROM pages p JOIN edges e ON e.page = p.id
 WHERE p.org = :org AND (e.seen_by <> p.seen_by OR e.scope <> p.scope)

-- :name empty_edge_terms
INSERT INTO edge_terms (edge_terms) VALUES ('delete-all')

-- :name empty_passage_terms
INSERT INTO passage_terms (passage_terms) VALUES ('delete-all')

-- :name every_edge
SELECT e.id, e.scope, t.text FROM edges e JOIN texts t ON t.id = e.text ORDER BY e.id

-- :name every_page
SELECT id, path, text, subject, scope FROM pages ORDER BY id

-- :name size_all_scopes
UPDATE scopes AS s
   SET passages = coalesce((SELECT sum(p.many) FROM passages p WHERE p.scope = s.id), 0),
       terms = coalesce((SELECT sum(p.terms) FROM passages p WHERE p.scope = s.id), 0)

-- :name blank_text
UPDATE texts SET vector = 0 WHERE id = :id

-- :name every_text
SELECT id, org, kind, text, live FROM texts WHERE stated > 0 ORDER BY id

-- :name drop_name_vectors
DROP TABLE IF EXISTS name_vectors

-- :name drop_fact_vectors
DROP TABLE IF EXISTS fact_vectors

-- :name drop_parked
DELETE FROM parked

-- :name blank_texts
UPDATE texts SET vector = 0

-- :name every_generation
UPDATE orgs SET generation = generation + 1, revision = revision + 1
