-- Scans and aggregates inside other queries.
CREATE TABLE scan_sub (id int NOT NULL, k int, n numeric(10,2), t text);
INSERT INTO scan_sub SELECT i, nullif(i % 50, 49), i % 777 / 100.0, 't' || i % 9 FROM generate_series(1, 20000) i;
CREATE TABLE scan_sub_small AS SELECT i AS k, 'name ' || i AS name FROM generate_series(0, 19) i;
ANALYZE scan_sub, scan_sub_small;
CREATE VIEW scan_sub_view AS SELECT k, count(*) AS c, sum(n) AS s FROM scan_sub GROUP BY k;
CREATE VIEW scan_sub_barrier WITH (security_barrier) AS SELECT id, k, n FROM scan_sub WHERE k < 10;
SET gpudb.force = on;
SET gpudb.debug_require = require;

-- subqueries in FROM, CTEs, views
SELECT count(*), sum(c) FROM (SELECT k, count(*) AS c FROM scan_sub WHERE t = 't3' GROUP BY k) s;
SELECT * FROM (SELECT k, sum(n) AS s FROM scan_sub GROUP BY k ORDER BY s DESC LIMIT 3) s ORDER BY k;
SELECT count(*) FROM (SELECT * FROM scan_sub WHERE k = 5 OFFSET 0) s WHERE n > 3;
WITH w AS (SELECT k, count(*) AS c FROM scan_sub GROUP BY k) SELECT count(*), sum(c) FROM w;
WITH w AS MATERIALIZED (SELECT id, k FROM scan_sub WHERE t = 't1') SELECT count(*), sum(a.id) FROM w a WHERE a.k < (SELECT avg(k) FROM w);
WITH RECURSIVE r (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM r WHERE k < 3) SELECT r.k, (SELECT count(*) FROM scan_sub s WHERE s.k = r.k) FROM r ORDER BY 1;
SELECT * FROM scan_sub_view WHERE k < 3 ORDER BY k;
SELECT sum(c), sum(s) FROM scan_sub_view;
SELECT count(*), sum(id) FROM scan_sub_barrier WHERE n > 5;

-- set operations
SELECT 'a' AS part, count(*) FROM scan_sub WHERE k = 1 UNION ALL SELECT 'b', count(*) FROM scan_sub WHERE k = 2 UNION ALL SELECT 'c', sum(id) FROM scan_sub ORDER BY 1;
SELECT count(*), sum(id) FROM (SELECT id FROM scan_sub WHERE k = 1 UNION ALL SELECT id FROM scan_sub WHERE t = 't2') u;
SELECT k FROM scan_sub WHERE t = 't1' AND k < 4 UNION SELECT k FROM scan_sub WHERE t = 't2' AND k < 5 ORDER BY 1;
SELECT k FROM scan_sub WHERE k < 5 EXCEPT SELECT k FROM scan_sub WHERE k > 2 ORDER BY 1;
SELECT u.k, count(*) FROM (SELECT k FROM scan_sub WHERE id < 1000 UNION ALL SELECT k FROM scan_sub_small) u WHERE u.k < 3 GROUP BY u.k ORDER BY u.k;

-- InitPlans
SELECT count(*) FROM scan_sub WHERE n > (SELECT avg(n) FROM scan_sub);
SELECT count(*), sum(id) FROM scan_sub WHERE k = (SELECT max(k) FROM scan_sub WHERE t = 't5');
SELECT count(*) FROM scan_sub WHERE k = (SELECT k FROM scan_sub_small WHERE name = 'name 7') AND t = (SELECT min('t4') FROM scan_sub_small);
SELECT (SELECT count(*) FROM scan_sub WHERE k = 3) AS a, (SELECT sum(n) FROM scan_sub WHERE k = 4) AS b;
SELECT k, count(*) FROM scan_sub WHERE k < (SELECT 3) GROUP BY k HAVING count(*) > (SELECT 100) ORDER BY k;
SELECT sum(n + (SELECT max(n) FROM scan_sub)) FROM scan_sub WHERE k = 1;
SELECT count(*) FROM scan_sub WHERE EXISTS (SELECT FROM scan_sub WHERE k = 1000);
SELECT count(*) FROM scan_sub WHERE EXISTS (SELECT FROM scan_sub WHERE k = 10);

-- correlated SubPlans: the inner scan runs again with other parameters
SELECT s.k, (SELECT count(*) FROM scan_sub b WHERE b.k = s.k) AS c, (SELECT sum(b.n) FROM scan_sub b WHERE b.k > s.k AND b.t = 't1') AS n FROM scan_sub_small s WHERE s.k < 6 ORDER BY s.k;
SELECT s.k, (SELECT max(b.id) FROM scan_sub b WHERE b.n = s.k + 0.25) AS m FROM scan_sub_small s ORDER BY s.k;
SELECT s.k, (SELECT b.id FROM scan_sub b WHERE b.k = s.k AND b.id > 100 ORDER BY b.id LIMIT 1) AS first FROM scan_sub_small s WHERE s.k > 15 ORDER BY s.k;
SELECT s.k, (SELECT count(*) FROM (SELECT b.t FROM scan_sub b WHERE b.k <= s.k GROUP BY b.t HAVING count(*) > 20 * s.k) g) FROM scan_sub_small s WHERE s.k < 4 ORDER BY s.k;
SELECT count(*) FROM scan_sub WHERE k IN (SELECT k FROM scan_sub_small WHERE name LIKE '%1');

-- LATERAL
SELECT s.k, l.c, l.m FROM scan_sub_small s, LATERAL (SELECT count(*) AS c, max(b.n) AS m FROM scan_sub b WHERE b.k = s.k) l WHERE s.k < 5 ORDER BY s.k;
SELECT s.k, l.id FROM scan_sub_small s CROSS JOIN LATERAL (SELECT b.id FROM scan_sub b WHERE b.k = s.k LIMIT 2) l WHERE s.k < 3 ORDER BY 1, 2;
SELECT s.k, l.t, l.c FROM scan_sub_small s LEFT JOIN LATERAL (SELECT b.t, count(*) AS c FROM scan_sub b WHERE b.k = s.k AND b.id < 200 GROUP BY b.t) l ON true WHERE s.k IN (0, 19) ORDER BY 1, 2;
SELECT v, (SELECT sum(n) FROM scan_sub WHERE k < v) FROM unnest('{1,2,NULL,4}'::int[]) v ORDER BY v;

-- joins above
SELECT s.name, count(*), sum(b.n) FROM scan_sub b JOIN scan_sub_small s USING (k) WHERE b.t = 't4' AND s.k < 3 GROUP BY s.name ORDER BY 1;
SELECT count(*), sum(a.id) FROM scan_sub a JOIN scan_sub b ON a.id = b.id + 1 WHERE a.k = 3 AND b.k = 2;
SELECT s.k, v.c FROM scan_sub_small s LEFT JOIN scan_sub_view v USING (k) WHERE s.k > 16 ORDER BY s.k;
SELECT count(*) FROM scan_sub a LEFT JOIN scan_sub_small s ON s.k = a.k AND a.n > 3 WHERE s.k IS NULL;
SELECT count(*) FROM scan_sub a WHERE NOT EXISTS (SELECT FROM scan_sub_small s WHERE s.k = a.k);
SELECT count(*), sum(a.id) FROM scan_sub a FULL JOIN scan_sub_small s ON s.k = a.k AND a.id < 100 WHERE a.id < 100 OR a.id IS NULL;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT s.k, count(*), sum(b.id) FROM scan_sub_small s JOIN scan_sub b ON b.k = s.k AND b.n < 0.5 WHERE s.k < 4 GROUP BY s.k ORDER BY s.k;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_memoize;

-- a SubPlan as the only filter leaves the outer scan with PostgreSQL
SET gpudb.debug_require = allow;
SELECT s.name FROM scan_sub_small s WHERE (SELECT count(*) FROM scan_sub b WHERE b.k = s.k AND b.t = 't8') = 45 ORDER BY s.k;
SELECT s.k FROM scan_sub_small s WHERE EXISTS (SELECT FROM scan_sub b WHERE b.k = s.k AND b.n = 7.76 OFFSET 0) ORDER BY s.k;
SELECT s.k FROM scan_sub_small s WHERE s.k NOT IN (SELECT b.k FROM scan_sub b WHERE b.k > 3 AND b.k IS NOT NULL) ORDER BY s.k;
SELECT s.k FROM scan_sub_small s WHERE s.k > ALL (SELECT b.k FROM scan_sub b WHERE b.k < 17) ORDER BY s.k;
-- row level security: conditions of the policy come first
CREATE ROLE scan_sub_role;
GRANT SELECT ON scan_sub, scan_sub_barrier, scan_sub_view TO scan_sub_role;
CREATE POLICY few ON scan_sub USING (k < 5 AND id <> 777);
ALTER TABLE scan_sub ENABLE ROW LEVEL SECURITY;
SET ROLE scan_sub_role;
SELECT count(*), sum(id) FROM scan_sub WHERE t = 't2';
SELECT count(*) FROM scan_sub WHERE 1 / (id - 777) >= 0 AND k < 100;
SELECT k, count(*) FROM scan_sub GROUP BY k ORDER BY k;
SELECT count(*) FROM scan_sub_view;
SELECT count(*) FROM scan_sub_barrier WHERE 10 / (k - 49) < 1;
SELECT count(*) FROM scan_sub_small;
RESET ROLE;
DROP VIEW scan_sub_view, scan_sub_barrier;
DROP TABLE scan_sub, scan_sub_small;
DROP ROLE scan_sub_role;
