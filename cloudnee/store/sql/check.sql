-- What `check` asks. Each query gives one row, (what is wrong), for each fault.

-- :name check_dangling_edges
SELECT e.eid FROM edges e
 WHERE e.org = :org
   AND (NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = e.page)
        OR NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.source)
        OR NOT EXISTS (SELECT 1 FROM entities n WHERE n.id = e.target)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.text)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.source_text)
        OR NOT EXISTS (SELECT 1 FROM texts t WHERE t.id = e.target_text))

-- :name check_dangling_names
SELECT 'name ' || n.name FROM names n JOIN pages p ON p.id = n.page
 WHERE p.org = :org AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = n.entity)
UNION ALL
SELECT 'alias ' || a.handle FROM aliases a
 WHERE a.org = :org AND (NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = a.entity)
                         OR NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = a.page))

-- :name check_orphan_entities
WITH used (id) AS (
    SELECT entity FROM names
    UNION ALL SELECT entity FROM aliases WHERE org = :org
    UNION ALL SELECT source FROM edges WHERE org = :org
    UNION ALL SELECT target FROM edges WHERE org = :org AND target <> source
), counted AS (SELECT id, count(*) AS uses FROM used GROUP BY id)
SELECT e.eid FROM entities e LEFT JOIN counted c ON c.id = e.id
 WHERE e.org = :org AND c.id IS NULL

-- :name check_entity_uses
WITH used (id) AS (
    SELECT entity FROM names
    UNION ALL SELECT entity FROM aliases WHERE org = :org
    UNION ALL SELECT source FROM edges WHERE org = :org
    UNION ALL SELECT target FROM edges WHERE org = :org AND target <> source
), counted AS (SELECT id, count(*) AS uses FROM used GROUP BY id)
SELECT e.eid FROM entities e LEFT JOIN counted c ON c.id = e.id
 WHERE e.org = :org AND e.uses <> coalesce(c.uses, 0)

-- :name check_text_counts
WITH shown (id, stated, live) AS (
    SELECT source_text, retired_at IS NULL, current_for <> 0 FROM edges WHERE org = :org
    UNION ALL
    SELECT target_text, retired_at IS NULL, current_for <> 0 FROM edges
     WHERE org = :org AND target_text <> source_text
    UNION ALL
    SELECT text, retired_at IS NULL, current_for <> 0 FROM edges WHERE org = :org
), counted AS (
    SELECT id, count(*) AS uses, sum(stated) AS stated, sum(live) AS live FROM shown GROUP BY id
)
SELECT t.text FROM texts t LEFT JOIN counted c ON c.id = t.id
 WHERE t.org = :org
   AND (t.uses <> coalesce(c.uses, 0) OR t.stated <> coalesce(c.stated, 0)
        OR t.live <> coalesce(c.live, 0))

-- :name check_text_states
SELECT t.id, t.kind, t.text, t.stated, t.live, t.vector,
       EXISTS (SELECT 1 FROM parked p WHERE p.text = t.id)
  FROM texts t WHERE t.org = :org

-- :name check_edge_terms
SELECT e.eid FROM edges e
 WHERE e.org = :org AND NOT EXISTS (SELECT 1 FROM edge_terms_docsize d WHERE d.id = e.id)
UNION ALL
SELECT 'row ' || d.id FROM edge_terms_docsize d
 WHERE NOT EXISTS (SELECT 1 FROM edges e WHERE e.id = d.id)

-- :name check_passage_terms
SELECT p.path FROM passages s JOIN pages p ON p.id = s.page
 WHERE p.org = :org
   AND s.many <> (SELECT count(*) FROM passage_terms_docsize d
                   WHERE d.id BETWEEN s.page << 20 AND (s.page << 20) + 1048575)
UNION ALL
SELECT 'row ' || d.id FROM passage_terms_docsize d
 WHERE NOT EXISTS (SELECT 1 FROM passages s WHERE s.page = d.id >> 20)
UNION ALL
SELECT 'passages of page ' || s.page FROM passages s
 WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = s.page)

-- :name check_passage_vectors
SELECT p.path FROM passages s JOIN pages p ON p.id = s.page
 WHERE s.org = :org AND s.many > 0 AND p.status = 'written'
   AND (s.vectors = x'' OR length(s.scales) <> 4 * s.many)

-- :name check_edge_index
INSERT INTO edge_terms (edge_terms) VALUES ('integrity-check')

-- :name check_passage_index
INSERT INTO passage_terms (passage_terms) VALUES ('integrity-check')

-- :name check_pages
SELECT path, text, content_hash, seen_by FROM pages WHERE org = :org

-- :name check_masks
SELECT e.eid FROM edges e JOIN pages p ON p.id = e.page
 WHERE e.org = :org AND (e.seen_by <> p.seen_by OR e.scope <> p.scope
                         OR (e.current_for & ~e.seen_by) <> 0
                         OR (e.retired_at IS NOT NULL AND e.current_for <> 0))

-- :name check_stated
SELECT id, source, relation, target, as_of, written, line, seen_by, current_for
  FROM edges WHERE org = :org AND retired_at IS NULL

-- :name check_eid
SELECT eid FROM edges WHERE id = :id

-- :name optimize_edge_terms
INSERT INTO edge_terms (edge_terms) VALUES ('optimize')

-- :name optimize_passage_terms
INSERT INTO passage_terms (passage_terms) VALUES ('optimize')
