-- x NOT IN (SELECT ...): an anti join, with SQL's rule about NULLs.
CREATE TABLE join_not_in_f (id int NOT NULL, k int, b int8 NOT NULL, t text, v varchar(10), n numeric, d date);
INSERT INTO join_not_in_f SELECT i, CASE WHEN i % 11 > 0 THEN i % 70 END, i % 90, CASE WHEN i % 13 > 0 THEN 'text number ' || i % 40 END, 'name ' || i % 9, i % 40 * 0.5, '2024-01-01'::date + i % 50
FROM generate_series(1, 6000) i;
CREATE TABLE join_not_in_s (id int NOT NULL, k int, b int8 NOT NULL, t text, n numeric(8,2), name text NOT NULL);
INSERT INTO join_not_in_s SELECT i, i % 40 + 20, i % 30, 'text number ' || i % 35 + 10, i % 15, 'name ' || i % 6 FROM generate_series(1, 100) i;
CREATE TABLE join_not_in_null (k int, t text, n numeric, b int8);
INSERT INTO join_not_in_null VALUES (3, 'text number 3', 1.5, 4), (NULL, NULL, NULL, NULL), (8, 'x', 2, 5);
CREATE TABLE join_not_in_empty (k int, t text, b int8);
CREATE TABLE join_not_in_u (k int PRIMARY KEY, name text);
INSERT INTO join_not_in_u SELECT i, 'u' || i % 9 FROM generate_series(0, 79) i;
ANALYZE join_not_in_f, join_not_in_s, join_not_in_null, join_not_in_empty, join_not_in_u;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT explain('SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.b > 10) AND f.id > 100');
SELECT explain('SELECT f.id FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s)');
SELECT replace(line, ', on the GPU alone', '') AS line FROM explain('SELECT f.id FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF') line WHERE line ~ 'GpuJoin|Table:';
-- a NULL on the left, one in the table, and no row at all
SELECT count(*), sum(f.id), count(f.k) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.b > 10) AND f.id > 100;
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT x.k FROM join_not_in_null x);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT x.k FROM join_not_in_null x WHERE x.k IS NOT NULL);
SELECT count(*), sum(f.id), count(f.k) FROM join_not_in_f f WHERE f.k NOT IN (SELECT e.k FROM join_not_in_empty e);
SELECT count(*), count(f.k) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.b > 1000);
SELECT f.id, f.k, f.t FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s) AND f.id < 30 ORDER BY 1;
-- keys of other types, of texts, of expressions, and of several columns
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.b FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.b NOT IN (SELECT s.k FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.t NOT IN (SELECT s.t FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.v NOT IN (SELECT s.name FROM join_not_in_s s WHERE s.name > 'name 3');
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.t NOT IN (SELECT x.t FROM join_not_in_null x);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.n NOT IN (SELECT s.n FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.n NOT IN (SELECT s.b FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k + f.id % 3 NOT IN (SELECT s.k FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE (f.b, f.id) NOT IN (SELECT s.b, s.id FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE (f.b, f.id) NOT IN (SELECT e.b, e.k FROM join_not_in_empty e);
-- more than one, beside joins on either side, below aggregates, and the table of what is joined
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s) AND f.b NOT IN (SELECT s.b FROM join_not_in_s s) AND f.id % 2 = 0;
SELECT substring(line FROM '(Anti.*|Inner.*)') FROM explain('SELECT u.name, count(*), sum(f.id) FROM join_not_in_f f JOIN join_not_in_u u USING (k) WHERE f.b NOT IN (SELECT s.b FROM join_not_in_s s) GROUP BY 1') line WHERE line ~ 'GPU Join.*(Anti|Inner)' ORDER BY line ~ 'Inner';
SELECT u.name, count(*), sum(f.id) FROM join_not_in_f f JOIN join_not_in_u u USING (k) WHERE f.b NOT IN (SELECT s.b FROM join_not_in_s s) GROUP BY 1 ORDER BY 1;
SELECT u.name, count(*), sum(f.id) FROM join_not_in_f f JOIN join_not_in_u u USING (k) WHERE u.k NOT IN (SELECT s.k FROM join_not_in_s s) GROUP BY 1 ORDER BY 1;
SELECT f.id, u.name FROM join_not_in_f f LEFT JOIN join_not_in_u u ON u.k = f.k AND u.k NOT IN (SELECT s.b FROM join_not_in_s s) WHERE f.id < 40 AND f.b NOT IN (SELECT s.k FROM join_not_in_s s) ORDER BY 1;
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s JOIN join_not_in_u u ON u.k = s.b WHERE u.name > 'u4');
-- the same of other comparisons
SELECT explain('SELECT count(*) FROM join_not_in_f f WHERE NOT f.k < ANY (SELECT s.k FROM join_not_in_s s WHERE s.b > 10)');
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE NOT f.k < ANY (SELECT s.k FROM join_not_in_s s WHERE s.b > 10);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE NOT f.k >= ANY (SELECT x.k FROM join_not_in_null x WHERE x.k > 3);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE NOT f.k >= ANY (SELECT x.k FROM join_not_in_null x);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE NOT f.b <> ANY (SELECT s.b FROM join_not_in_s s WHERE s.b = 7);
-- parameters of the query, and of a query around it
PREPARE join_not_in_p (int) AS SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.id < $1) AND f.id > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE join_not_in_p (10);
EXECUTE join_not_in_p (0);
RESET plan_cache_mode;
SELECT g, (SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.id < g)) FROM generate_series(0, 60, 20) g;
-- a cursor, which may be asked for the row that it is at
SET gpudb.debug_require = allow;
BEGIN;
DECLARE join_not_in_cursor CURSOR FOR SELECT f.id, f.v FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s) AND f.id < 6;
FETCH 2 FROM join_not_in_cursor;
UPDATE join_not_in_f SET v = 'here' WHERE CURRENT OF join_not_in_cursor RETURNING id, v;
DECLARE join_not_in_agg CURSOR FOR SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s) AND f.id < 60;
FETCH 2 FROM join_not_in_agg;
ROLLBACK;
SET gpudb.debug_require = require;
-- partitions, and rows that are seen
BEGIN;
DELETE FROM join_not_in_s WHERE k > 30;
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s);
ROLLBACK;
CREATE TABLE join_not_in_parts (id int, k int) PARTITION BY RANGE (id);
CREATE TABLE join_not_in_part1 PARTITION OF join_not_in_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE join_not_in_part2 PARTITION OF join_not_in_parts FOR VALUES FROM (1000) TO (9000);
INSERT INTO join_not_in_parts SELECT id, k FROM join_not_in_f;
ANALYZE join_not_in_parts;
SELECT explain('SELECT p.id FROM join_not_in_parts p WHERE p.k NOT IN (SELECT s.k FROM join_not_in_s s)');
SELECT count(*), sum(p.id) FROM join_not_in_parts p WHERE p.k NOT IN (SELECT s.k FROM join_not_in_s s);
-- several nodes share the subplan's scan, each of which learns for itself how many digits its values have
CREATE TABLE join_not_in_digits (n numeric);
INSERT INTO join_not_in_digits VALUES (185), (3.54), (7.5), (1200);
ANALYZE join_not_in_digits;
SELECT explain('SELECT p.id FROM join_not_in_parts p WHERE p.id NOT IN (SELECT d.n FROM join_not_in_digits d)');
SELECT count(*), sum(p.id), count(*) FILTER (WHERE p.id IN (185, 354, 1200)) FROM join_not_in_parts p WHERE p.id NOT IN (SELECT d.n FROM join_not_in_digits d);
SELECT p.id FROM join_not_in_parts p WHERE p.id NOT IN (SELECT d.n FROM join_not_in_digits d) AND p.id IN (185, 354, 750, 1200, 1201) ORDER BY 1;
SELECT p.id FROM join_not_in_parts p WHERE p.id + 1000 NOT IN (SELECT d.n * 100 + 1000 FROM join_not_in_digits d) AND p.id IN (185, 354, 750, 1200, 1201) ORDER BY 1;
DROP TABLE join_not_in_digits;
-- what is not taken: below OR, correlated, what may raise an error, volatile, several columns with NULLs
SET gpudb.debug_require = allow;
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s) OR f.id < 10');
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.b < f.b)');
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT 100 / s.k FROM join_not_in_s s)');
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE random() < 2)');
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.id < (SELECT max(b) FROM join_not_in_s))');
SELECT gpu_nodes('SELECT count(*) FROM join_not_in_f f WHERE (f.b, f.k) NOT IN (SELECT s.b, s.k FROM join_not_in_s s)');
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE (f.b, f.k) NOT IN (SELECT s.b, s.k FROM join_not_in_s s);
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE (f.id, f.b) NOT IN (SELECT x.k, x.b FROM join_not_in_null x);
SELECT line FROM explain('SELECT count(*) FROM join_not_in_f f WHERE (f.id, f.b) NOT IN (SELECT x.k, x.b FROM join_not_in_null x)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF') line WHERE line ~ 'Fallback|SubPlan';
-- what the device cannot know is PostgreSQL's
INSERT INTO join_not_in_s VALUES (200, 1, 1, 'x', 'NaN', 'x');
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.n NOT IN (SELECT s.n FROM join_not_in_s s);
SELECT f.id FROM join_not_in_f f WHERE f.n NOT IN (SELECT s.n FROM join_not_in_s s) AND f.id < 20 ORDER BY 1;
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s)');
-- a filter that PostgreSQL tests of rows that are left would raise an error of others, also where a first row is to ask for a subplan's value
SELECT count(*), sum(f.id) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.id < 200) AND (100 / (f.k - 30) + f.id) * 2 IS DISTINCT FROM 7;
SELECT count(*), sum(f.id), variance((SELECT max(s.b) FROM join_not_in_s s)) FROM join_not_in_f f WHERE f.k NOT IN (SELECT s.k FROM join_not_in_s s WHERE s.id < 200) AND (100 / (f.k - 30) + f.id) * 2 IS DISTINCT FROM 7;
DROP TABLE join_not_in_f, join_not_in_s, join_not_in_null, join_not_in_empty, join_not_in_u, join_not_in_parts;
