-- Notes.

-- :name pages_under
SELECT id, path, text FROM pages
 WHERE org = :org AND path > :folder AND path < :folder || char(1114111) AND seen_by & :bit
 ORDER BY path

-- :name delivered
SELECT 1 FROM deliveries WHERE org = :org AND hash = :hash

-- :name add_delivery
INSERT OR IGNORE INTO deliveries (org, hash) VALUES (:org, :hash)
