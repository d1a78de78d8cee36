-- Who is who, as somebody said; and what proposals are made from. `bit` cuts to an audience.

-- :name said_of_page
SELECT key, entity FROM said WHERE org = :org AND path = :path ORDER BY merge

-- :name add_merge
INSERT INTO merges (org, kind, kept, gone, word, made_at)
VALUES (:org, :kind, :kept, :gone, :word, :now)

-- :name add_said
INSERT OR REPLACE INTO said (org, path, key, merge, entity, was)
VALUES (:org, :path, :key, :merge, :entity, :was)

-- :name merges
SELECT m.id, m.kind, m.kept, m.gone, m.word, m.made_at FROM merges m WHERE m.org = :org ORDER BY m.id

-- :name merge
SELECT id, kind, kept, gone, word, made_at FROM merges WHERE org = :org AND id = :id

-- :name said_in_merge
SELECT path, key, entity, was FROM said WHERE merge = :merge ORDER BY path, key

-- :name later_merge
SELECT min(l.merge) FROM said s JOIN said l ON l.org = s.org AND l.path = s.path AND l.key = s.key
 WHERE s.merge = :merge AND l.merge > :merge

-- :name drop_merge
DELETE FROM merges WHERE id = :merge

-- :name drop_said_of_merge
DELETE FROM said WHERE merge = :merge

-- :name drop_said_of_page
DELETE FROM said WHERE org = :org AND path = :path

-- :name drop_said_of_entity
DELETE FROM said WHERE org = :org AND (entity = :eid OR was = :eid)

-- :name move_said
UPDATE said SET path = :now WHERE org = :org AND path = :was

-- :name drop_empty_merges
DELETE FROM merges WHERE org = :org AND id NOT IN (SELECT merge FROM said)

-- :name drop_other_key
DELETE FROM other_keys
 WHERE org = :org AND key = :key AND entity = :entity
   AND NOT EXISTS (SELECT 1 FROM names n WHERE n.entity = :entity AND n.key = :key)

-- :name names_of_entity
SELECT n.id, n.page, p.path, n.key, n.name FROM names n JOIN pages p ON p.id = n.page
 WHERE n.entity = :entity ORDER BY n.id

-- :name move_name
UPDATE names SET entity = :entity WHERE id = :id

-- :name move_alias
UPDATE aliases SET entity = :entity WHERE id = :id

-- :name move_page_entity
UPDATE pages SET entity = :now WHERE id = :page AND entity = :was

-- :name edges_at
SELECT e.id, e.page, p.path, e.source, e.relation, e.target, s.text, t.text, e.retired_at IS NULL
  FROM edges e JOIN pages p ON p.id = e.page
  JOIN texts s ON s.id = e.source_text JOIN texts t ON t.id = e.target_text
 WHERE e.id IN (SELECT id FROM edges WHERE source = :entity AND retired_at IS NULL
                UNION SELECT id FROM edges WHERE source = :entity AND retired_at IS NOT NULL
                UNION SELECT id FROM edges WHERE target = :entity AND retired_at IS NULL
                UNION SELECT id FROM edges WHERE target = :entity AND retired_at IS NOT NULL)
 ORDER BY e.id

-- :name word_of_entity
SELECT word FROM entities WHERE id = :entity

-- :name people
SELECT e.id, e.eid, e.key, e.word, max(n.declared), max(n.type), min(n.name)
  FROM names n JOIN entities e ON e.id = n.entity JOIN pages p ON p.id = n.page
 WHERE e.org = :org AND p.seen_by & :bit
 GROUP BY e.id ORDER BY e.id

-- :name people_handles
SELECT a.entity, a.kind, a.key, min(a.handle) FROM aliases a JOIN pages p ON p.id = a.page
 WHERE a.org = :org AND p.seen_by & :bit AND a.kind IN ('phone', 'email')
 GROUP BY a.entity, a.kind, a.key

-- :name neighbours
SELECT DISTINCT source, target FROM edges
 WHERE org = :org AND retired_at IS NULL AND current_for & :bit

-- :name name_texts
SELECT text, id FROM texts WHERE org = :org AND kind = 0 AND vector = 1

-- :name export_merges
SELECT m.id AS n, m.kind, m.kept, m.gone, m.word, m.made_at,
       (SELECT json_group_array(json_object('path', s.path, 'key', s.key, 'entity', s.entity,
                                            'was', s.was))
          FROM said s WHERE s.merge = m.id) AS said
  FROM merges m WHERE m.org = :org ORDER BY m.id

-- :name import_merge
INSERT INTO merges (id, org, kind, kept, gone, word, made_at)
VALUES (:n, :org, :kind, :kept, :gone, :word, :made_at)
