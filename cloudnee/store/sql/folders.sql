-- Pages and the folders that brought them.

-- :name folder_pages
SELECT id, path, content_hash, status, reading, origin, synced, conflict
  FROM pages WHERE org = :org AND seen_by & :bit ORDER BY path

-- :name set_synced
UPDATE pages SET origin = :origin, synced = :hash, conflict = ''
 WHERE org = :org AND path = :path AND content_hash = :hash

-- :name set_conflict
UPDATE pages SET conflict = :hash WHERE org = :org AND path = :path

-- :name set_waiting
UPDATE pages SET waiting = :waiting WHERE id = :page

-- :name empty_page
UPDATE pages
   SET text = '', content_hash = :hash, read_hash = :hash, reading = '', status = 'gone',
       reason = '', waiting = '', tags = '', synced = :hash, conflict = '', updated_at = :now
 WHERE id = :page

-- :name move_page
UPDATE pages SET path = :path, subject_key = :subject_key, updated_at = :now,
                 reading = iif(:again, '', reading)
 WHERE id = :page

-- :name rename_edge
UPDATE edges SET eid = :eid, revision = :revision WHERE id = :id

-- :name rename_ratings
UPDATE ratings SET fact = :now WHERE org = :org AND fact = :was
