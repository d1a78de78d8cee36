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

-- :name put_passages
INSERT INTO passages (page, org, scope, title, short, many, terms, packed, headings, speakers,
                      vectors, scales, revision)
SELECT :page, p.org, :scope, :title, :short, :many, :terms, :packed, :headings, :speakers,
       :vectors, :scales, o.revision
  FROM pages p JOIN orgs o ON o.id = p.org WHERE p.id = :page

-- :name set_passage_vectors
UPDATE passages
   SET vectors = :vectors, scales = :scales,
       revision = (SELECT revision FROM orgs o WHERE o.id = passages.org)
 WHERE page = :page

-- :name touch_passages
UPDATE passages SET revision = (SELECT revision FROM orgs o WHERE o.id = passages.org)
 WHERE page = :page

-- :name passages_lacking
SELECT s.page, p.path FROM passages s JOIN pages p ON p.id = s.page
 WHERE s.org = :org AND s.many > 0 AND s.vectors = x'' ORDER BY s.page

-- :name add_passage_terms
INSERT INTO passage_terms (rowid, terms) VALUES (?1, ?2)

-- :name passages_of
SELECT scope, many, terms, packed, vectors, scales FROM passages WHERE page = :page

-- :name drop_passage_terms
DELETE FROM passage_terms WHERE rowid BETWEEN :first AND :last

-- :name drop_passages
DELETE FROM passages WHERE page = :page

-- :name passages_since
SELECT s.page, p.seen_by, p.own_date, p.as_of, p.tags, p.subject, s.many, s.packed, s.headings, s.speakers,
       s.vectors, s.scales
  FROM passages s JOIN pages p ON p.id = s.page
 WHERE s.org = :org AND s.revision > :revision
 ORDER BY s.page

-- :name passages_holding
SELECT doc FROM passage_words WHERE term = :term

-- :name passage_postings
SELECT group_concat(doc), group_concat(offset) FROM passage_postings WHERE term = :term

-- :name passages_with_words
SELECT rowid FROM passage_terms WHERE terms MATCH :words LIMIT :most

-- :name passage_texts
SELECT w.key, p.path, substr(p.text, (w.value ->> 1) + 1, (w.value ->> 2) - (w.value ->> 1))
  FROM json_each(:spans) w CROSS JOIN pages p ON p.id = w.value ->> 0
 WHERE p.seen_by & :bit

-- :name stale_lines
SELECT e.page, e.line
  FROM json_each(:pages) w CROSS JOIN edges e ON e.page = w.value
 WHERE e.retired_at IS NULL AND e.seen_by & :bit
 GROUP BY e.page, e.line HAVING max(e.current_for & :bit) = 0

-- :name pages_titled
SELECT s.title, s.page, 1 FROM json_each(:keys) w
 CROSS JOIN passages s ON s.org = :org AND s.title = w.value
 CROSS JOIN pages p ON p.id = s.page WHERE p.seen_by & :bit
UNION ALL
SELECT s.short, s.page, 0 FROM json_each(:keys) w
 CROSS JOIN passages s ON s.org = :org AND s.short = w.value AND s.short <> s.title
 CROSS JOIN pages p ON p.id = s.page WHERE p.seen_by & :bit

-- :name pages_about
SELECT DISTINCT n.entity, p.id FROM json_each(:entities) w
 CROSS JOIN names n ON n.entity = w.value
 CROSS JOIN pages p ON p.id = n.page AND p.entity = n.entity
 WHERE p.seen_by & :bit

-- :name pages_embedded
SELECT page FROM passages WHERE org = :org AND vectors <> x'' ORDER BY page

-- :name add_mentions
INSERT OR IGNORE INTO mentions (org, page, place, key, line)
SELECT :org, :page, w.value ->> 0, w.value ->> 1, w.value ->> 2
  FROM json_each(:found) w
 WHERE EXISTS (SELECT 1 FROM entities e CROSS JOIN names n
                WHERE e.org = :org AND e.key = w.value ->> 1
                  AND n.entity = e.id AND n.declared AND n.page <> :page)
    OR EXISTS (SELECT 1 FROM alias_keys h CROSS JOIN aliases a
                WHERE h.org = :org AND h.key = w.value ->> 1 AND a.id = h.alias
                  AND a.kind = 'name' AND a.page <> :page)

-- :name drop_mentions
DELETE FROM mentions WHERE page = :page

-- :name mentions_in
SELECT DISTINCT m.key
  FROM json_each(:passages) w
 CROSS JOIN mentions m ON m.page = w.value ->> 0 AND m.place = w.value ->> 1
 CROSS JOIN pages p ON p.id = m.page
 WHERE p.seen_by & :bit

-- :name mentioning
SELECT m.page, m.place FROM mentions m CROSS JOIN pages p ON p.id = m.page
 WHERE m.org = :org AND m.key = :key AND p.seen_by & :bit LIMIT :most

-- :name every_mention
SELECT p.entity, m.key, p.path, m.line
  FROM mentions m CROSS JOIN pages p ON p.id = m.page
 WHERE m.org = :org AND p.seen_by & :bit AND p.entity IS NOT NULL
 ORDER BY p.path, m.line, m.key

-- :name pages_tagged
SELECT p.id, p.tags FROM pages p
 WHERE p.org = :org AND p.seen_by & :bit AND p.tags <> ''
