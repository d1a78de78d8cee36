-- Notes.

-- :name pages_under
SELECT id, path, text FROM pages
 WHERE org = :org AND path > :folder AND path < :folder || char(1114111) AND seen_by & :bit
 ORDER BY path

-- :name delivered
SELECT words FROM deliveries WHERE org = :org AND key = :key AND number = :number

-- :name drop_deliveries
DELETE FROM deliveries WHERE org = :org AND key = :key AND number >= :number

-- :name add_delivery
INSERT INTO deliveries (org, key, number, words) VALUES (:org, :key, :number, :words)
