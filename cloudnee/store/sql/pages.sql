-- Pages and their passages.

-- :name page
SELECT id, path, text, content_hash, read_hash, reading, status, reason, subject, entity, own_date,
       as_of, scope, seen_by, waiting
  FROM pages WHERE org = :org AND path = :path

-- :name add_page
INSERT INTO pages (org, path, text, content_hash, status, reason, subject, subject_key, tags,
                   own_date, as_of, scope, seen_by, created_at, updated_at)
VALUES (:org, :path, :text, :content_hash, :status, :reason, :subject, :subject_key, :tags,
        :own_date, :as_of, :scope, :seen_by, :now, :now)

-- :name set_page
UPDATE pages
   SET text = :text, content_hash = :content_hash, status = :status, reason = :reason,
       subject = :subject, subject_key = :subject_key, tags = :tags, updated_at = :now
 WHERE id = :page

-- :name set_page_read
UPDATE pages SET read_hash = content_hash, reading = :reading, entity = :entity, waiting = '',
                 own_date = :own_date, as_of = :as_of
 WHERE id = :page

-- :name drop_page
DELETE FROM pages WHERE id = :page

-- :name pages
SELECT p.path, p.subject, p.status, p.content_hash, p.as_of, p.updated_at, p.tags,
       (SELECT count(*) FROM edges e WHERE e.page = p.id AND e.retired_at IS NULL), p.reason
  FROM pages p
 WHERE p.org = :org AND p.seen_by & :bit
 ORDER BY p.path

-- :name one_page
SELECT p.path, p.subject, p.status, p.content_hash, p.as_of, p.updated_at, p.tags,
       (SELECT count(*) FROM edges e WHERE e.page = p.id AND e.retired_at IS NULL), p.reason
  FROM pages p
 WHERE p.org = :org AND p.path = :path AND p.seen_by & :bit

-- :name page_text
SELECT text FROM pages WHERE org = :org AND path = :path AND seen_by & :bit

-- :name page_texts
SELECT path, text FROM pages WHERE org = :org AND seen_by & :bit ORDER BY path

-- :name all_paths
SELECT path FROM pages WHERE org = :org ORDER BY id

-- :name rescope_page
UPDATE pages SET scope = :scope, seen_by = :seen_by WHERE id = :page

-- :name rescope_names
UPDATE names SET scope = :scope WHERE page = :page

-- :name rescope_aliases
UPDATE aliases SET scope = :scope WHERE page = :page

-- :name rescope_edges
UPDATE edges SET scope = :scope, seen_by = :seen_by, revision = :revision WHERE page = :page

-- :name pages_naming
SELECT p.id, p.path FROM names n JOIN pages p ON p.id = n.page
 WHERE n.entity = :entity AND p.seen_by & :bit
UNION
SELECT p.id, p.path FROM aliases a JOIN pages p ON p.id = a.page
 WHERE a.entity = :entity AND p.seen_by & :bit
ORDER BY 2

-- :name unread
SELECT path, status, reason FROM pages
 WHERE org = :org AND status NOT IN ('written', 'gone') AND seen_by & :bit
 ORDER BY path LIMIT :most

-- :name unread_about
SELECT path, status, reason FROM pages
 WHERE org = :org AND status NOT IN ('written', 'gone') AND seen_by & :bit
   AND (subject_key IN (SELECT value FROM json_each(:keys))
        OR id IN (SELECT page FROM names
                   WHERE entity IN (SELECT value FROM json_each(:entities))))
 ORDER BY path LIMIT :most

-- :name add_passage
INSERT INTO passages (id, page, start, stop, start_line, end_line, heading, speaker, terms, scope)
VALUES (:id, :page, :start, :stop, :start_line, :end_line, :heading, :speaker, :terms, :scope)

-- :name add_passage_terms
INSERT INTO passage_terms (rowid, terms) VALUES (:id, :terms)

-- :name passages_of
SELECT id, terms, scope FROM passages WHERE page = :page

-- :name drop_passage_terms
DELETE FROM passage_terms WHERE rowid IN (SELECT id FROM passages WHERE page = :page)

-- :name drop_passages
DELETE FROM passages WHERE page = :page

-- :name count_postings
SELECT count(*) FROM (SELECT 1 FROM passage_postings WHERE term = :term LIMIT :most)

-- :name passage_postings
SELECT t.doc, t.offset, s.terms
  FROM passage_postings t CROSS JOIN passages s ON s.id = t.doc
 WHERE t.term = :term LIMIT :most

-- :name passage
SELECT p.path, s.start_line, s.end_line, substr(p.text, s.start + 1, s.stop - s.start), s.heading
  FROM passages s JOIN pages p ON p.id = s.page
 WHERE s.id = :id AND p.seen_by & :bit

