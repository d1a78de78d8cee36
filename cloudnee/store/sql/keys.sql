-- Keys of the network doors.

-- :name add_key
INSERT INTO keys (hash, org, audience, label, read_only, created_at)
VALUES (:hash, :org, :audience, :label, :read_only, :now)

-- :name key_by_hash
SELECT id, org, audience, label, read_only, created_at, revoked_at FROM keys
 WHERE hash = :hash AND revoked_at IS NULL

-- :name all_keys
SELECT id, org, audience, label, read_only, created_at, revoked_at FROM keys ORDER BY id

-- :name any_key
SELECT 1 FROM keys LIMIT 1

-- :name revoke_key
UPDATE keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL RETURNING id
