-- Orgs, audiences and scopes; what the whole file agrees on.

-- :name meta
SELECT value FROM meta WHERE key = :key

-- :name set_meta
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- :name org
SELECT id, secret FROM orgs WHERE name = :name

-- :name add_org
INSERT INTO orgs (name, secret) VALUES (:name, :secret)

-- :name org_extractor
SELECT extractor FROM orgs WHERE id = :org

-- :name set_org_extractor
UPDATE orgs SET extractor = :extractor WHERE id = :org

-- :name revision
SELECT revision, generation FROM orgs WHERE id = :org

-- :name next_revision
UPDATE orgs SET revision = revision + 1 WHERE id = :org RETURNING revision

-- :name next_generation
UPDATE orgs SET generation = generation + 1 WHERE id = :org

-- :name audience_bit
SELECT bit FROM audiences WHERE org = :org AND name = :name

-- :name audiences
SELECT name, bit, sees, hides, writes FROM audiences WHERE org = :org ORDER BY bit

-- :name set_audience
INSERT INTO audiences (org, name, bit, sees, hides, writes)
VALUES (:org, :name, :bit, :sees, :hides, :writes)
ON CONFLICT (org, name) DO UPDATE
SET bit = excluded.bit, sees = excluded.sees, hides = excluded.hides, writes = excluded.writes

-- :name drop_audiences
DELETE FROM audiences WHERE org = :org

-- :name scope
SELECT id FROM scopes WHERE org = :org AND mask = :mask

-- :name add_scope
INSERT INTO scopes (org, mask) VALUES (:org, :mask)

-- :name visible_scopes
SELECT id, passages, terms FROM scopes WHERE org = :org AND mask & :bit ORDER BY id

-- :name size_scope
UPDATE scopes SET passages = passages + :passages, terms = terms + :terms WHERE id = :scope

-- :name words
SELECT word, canonical FROM words WHERE org = :org ORDER BY key

-- :name set_word
INSERT INTO words (org, key, word, canonical) VALUES (:org, :key, :word, :canonical)
ON CONFLICT (org, key) DO UPDATE SET word = excluded.word, canonical = excluded.canonical
