-- Notes.

-- :name pages_under
SELECT id, path, text FROM pages
 WHERE org = :org AND path > :folder AND path < :folder || char(1114111) AND seen_by & :bit
 ORDER BY path
