-- Replies of a language model, kept by chunk.

-- :name reply
SELECT reply FROM replies WHERE org = :org AND key = :key LIMIT 1

-- :name keep_reply
INSERT OR REPLACE INTO replies (org, path, key, reply) VALUES (:org, :path, :key, :reply)

-- :name drop_other_replies
DELETE FROM replies
 WHERE org = :org AND path = (SELECT path FROM pages WHERE id = :page)
   AND key NOT IN (SELECT value FROM json_each(:keys))
