-- Texts and their vectors; feedback; tombstones.

-- :name text_ids
SELECT t.kind, t.text, t.id
  FROM json_each(:texts) w
 CROSS JOIN texts t ON t.org = :org AND t.kind = w.value ->> 0 AND t.text = w.value ->> 1

-- :name add_text
INSERT INTO texts (org, kind, text, revision) VALUES (:org, :kind, :text, :revision)

-- :name unsettled_texts
SELECT t.id, t.kind, t.text, t.uses, t.stated, t.live, t.vector
  FROM json_each(:ids) i CROSS JOIN texts t ON t.id = i.value
 WHERE t.uses <= 0
    OR (t.live > 0 AND t.vector NOT IN (1, 3))
    OR (t.live <= 0 AND t.vector = 1)
    OR (t.live <= 0 AND t.stated <= 0 AND t.vector = 2)
    OR (t.live <= 0 AND t.stated > 0 AND t.vector = 0)

-- :name known_texts
SELECT t.kind, t.text, t.vector
  FROM json_each(:texts) w
  CROSS JOIN texts t ON t.org = :org AND t.kind = w.value ->> 0 AND t.text = w.value ->> 1

-- :name set_text_vector
UPDATE texts SET vector = ?1, revision = ?2 WHERE id = ?3

-- :name drop_text
DELETE FROM texts WHERE id = :id

-- :name park
INSERT OR REPLACE INTO parked (text, vector) VALUES (:id, :vector)

-- :name parked
SELECT vector FROM parked WHERE text = :id

-- :name unpark
DELETE FROM parked WHERE text = :id

-- :name make_name_vectors
CREATE VIRTUAL TABLE IF NOT EXISTS name_vectors USING vec0 (
    org INTEGER PARTITION KEY, vector FLOAT[{dimensions}] DISTANCE_METRIC=cosine, chunk_size=256
)

-- :name make_fact_vectors
CREATE VIRTUAL TABLE IF NOT EXISTS fact_vectors USING vec0 (
    org INTEGER PARTITION KEY, vector FLOAT[{dimensions}] DISTANCE_METRIC=cosine, chunk_size=256
)

-- :name add_vector_0
INSERT INTO name_vectors (rowid, org, vector) VALUES (?1, ?2, ?3)

-- :name add_vector_1
INSERT INTO fact_vectors (rowid, org, vector) VALUES (?1, ?2, ?3)

-- :name drop_vector_0
DELETE FROM name_vectors WHERE rowid = :id

-- :name drop_vector_1
DELETE FROM fact_vectors WHERE rowid = :id

-- :name vector_0
SELECT vector FROM name_vectors WHERE rowid = :id

-- :name vector_1
SELECT vector FROM fact_vectors WHERE rowid = :id

-- :name vector_ids_0
SELECT rowid FROM name_vectors WHERE org = :org

-- :name vector_ids_1
SELECT rowid FROM fact_vectors WHERE org = :org

-- :name nearest_0
SELECT rowid, distance FROM name_vectors
 WHERE vector MATCH :vector AND k = :k AND org = :org
   AND rowid IN (SELECT source_text FROM edges WHERE org = :org AND current_for & :bit
                 UNION
                 SELECT target_text FROM edges WHERE org = :org AND current_for & :bit)

-- :name nearest_1
SELECT rowid, distance FROM fact_vectors
 WHERE vector MATCH :vector AND k = :k AND org = :org
   AND rowid IN (SELECT text FROM edges WHERE org = :org AND current_for & :bit)

-- :name vector_blocks_0
SELECT c.rowids, c.validity, v.vectors
  FROM name_vectors_chunks c JOIN name_vectors_vector_chunks00 v ON v.rowid = c.chunk_id
 WHERE c.partition00 = :org

-- :name vector_blocks_1
SELECT c.rowids, c.validity, v.vectors
  FROM fact_vectors_chunks c JOIN fact_vectors_vector_chunks00 v ON v.rowid = c.chunk_id
 WHERE c.partition00 = :org

-- :name texts_since
SELECT id, kind FROM texts WHERE org = :org AND revision > :revision AND vector = 1

-- :name edges_since
SELECT id, source, target, source_text, target_text, text, importance, weight, eid,
       page, as_of, current_for
  FROM edges WHERE org = :org AND revision > :revision

-- :name edges_live
SELECT id, source, target, source_text, target_text, text, importance, weight, eid,
       page, as_of, current_for
  FROM edges WHERE org = :org AND current_for <> 0

-- :name add_rating
INSERT INTO ratings (org, fact, key, rating, implicit, given_at)
VALUES (:org, :fact, :key, :rating, :implicit, :now)
ON CONFLICT (org, fact, key) DO UPDATE
SET rating = excluded.rating, implicit = excluded.implicit, given_at = excluded.given_at,
    applied = 0
WHERE rating <> excluded.rating OR implicit <> excluded.implicit

-- :name waiting_facts
SELECT fact, count(*) FROM ratings WHERE org = :org AND applied = 0 GROUP BY fact

-- :name oldest_waiting
SELECT min(given_at) FROM ratings WHERE org = :org AND applied = 0

-- :name ratings_of
SELECT rating, implicit FROM ratings WHERE org = :org AND fact = :fact ORDER BY id

-- :name set_weight
UPDATE edges SET weight = :weight, revision = :revision
 WHERE org = :org AND eid >= :fact AND eid < :fact || '/'

-- :name mark_applied
UPDATE ratings SET applied = 1 WHERE org = :org AND fact = :fact

-- :name drop_ratings
DELETE FROM ratings WHERE org = :org AND fact = :fact

-- :name add_tombstone
INSERT OR IGNORE INTO tombstones (org, kind, hash) VALUES (:org, :kind, :hash)

-- :name drop_tombstone
DELETE FROM tombstones WHERE org = :org AND kind = :kind AND hash = :hash

-- :name tombstone
SELECT 1 FROM tombstones WHERE org = :org AND kind = :kind AND hash = :hash

-- :name has_tombstones
SELECT 1 FROM tombstones WHERE org = :org LIMIT 1
