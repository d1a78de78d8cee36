-- Pairs of facts that can't both be true, as a model said of them.

-- :name add_contradiction
INSERT OR REPLACE INTO contradictions (loser, winner, org, reason, made_at)
VALUES (:loser, :winner, :org, :reason, :now)

-- :name has_contradictions
SELECT 1 FROM contradictions WHERE org = :org LIMIT 1

-- :name contradicted
SELECT c.loser, c.winner, w.seen_by, c.reason
  FROM json_each(:losers) j CROSS JOIN contradictions c ON c.loser = j.value
 CROSS JOIN edges w ON w.id = c.winner
 WHERE w.retired_at IS NULL
 ORDER BY w.as_of DESC, w.written DESC, w.id DESC

-- :name losers_of
SELECT DISTINCT e.id, e.source, e.relation, e.target, e.as_of, e.written, e.line, e.seen_by,
       e.current_for
  FROM json_each(:winners) j CROSS JOIN contradictions c ON c.winner = j.value
 CROSS JOIN edges e ON e.id = c.loser
 WHERE e.retired_at IS NULL

-- :name stated_edges
SELECT e.id, e.source, e.relation, e.target, e.as_of, e.written, e.line, e.seen_by,
       e.current_for
  FROM json_each(:edges) j CROSS JOIN edges e ON e.id = j.value
 WHERE e.retired_at IS NULL

-- :name drop_contradictions_of
DELETE FROM contradictions WHERE loser = :loser

-- :name drop_lost_contradictions
DELETE FROM contradictions
 WHERE org = :org
   AND (NOT EXISTS (SELECT 1 FROM edges e WHERE e.id = contradictions.loser)
        OR NOT EXISTS (SELECT 1 FROM edges e WHERE e.id = contradictions.winner))

-- :name check_contradictions
SELECT 'edges ' || c.loser || ' and ' || c.winner FROM contradictions c
 WHERE c.org = :org
   AND (NOT EXISTS (SELECT 1 FROM edges e WHERE e.id = c.loser)
        OR NOT EXISTS (SELECT 1 FROM edges e WHERE e.id = c.winner))

-- :name export_contradictions
SELECT l.eid AS loser, w.eid AS winner, c.reason, c.made_at
  FROM contradictions c JOIN edges l ON l.id = c.loser JOIN edges w ON w.id = c.winner
 WHERE c.org = :org ORDER BY c.loser, c.winner

-- :name edge_row
SELECT id FROM edges WHERE org = :org AND eid = :eid
