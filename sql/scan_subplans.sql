-- A subplan runs only when a row asks for its value, so one that fails fails only then.
CREATE TABLE scan_subplans (id int NOT NULL, k int, a int, filler text);
INSERT INTO scan_subplans SELECT i, i % 3, i % 10, repeat('x', 200) FROM generate_series(1, 5000) i;
CREATE TABLE scan_subplans_empty (LIKE scan_subplans);
CREATE TABLE scan_subplans_zero AS SELECT 0 AS zero, 7 AS seven;
ANALYZE scan_subplans, scan_subplans_empty, scan_subplans_zero;
SET gpudb.force = on;
SET gpudb.debug_require = require;
-- over no rows at all
SELECT count(*), sum(a) FROM scan_subplans_empty WHERE a = (SELECT 1 / zero FROM scan_subplans_zero);
SELECT k, sum(a + (SELECT 1 / zero FROM scan_subplans_zero)) FROM scan_subplans_empty GROUP BY k;
SELECT id FROM scan_subplans_empty WHERE a = (SELECT 1 / zero FROM scan_subplans_zero);
-- over rows that other filters have removed; the whole table is among the first rows
SELECT count(*), sum(zero) FROM scan_subplans_zero WHERE seven = 8 AND zero = (SELECT 1 / zero FROM scan_subplans_zero);
SELECT id FROM scan_subplans WHERE a > 10 AND a = (SELECT 1 / zero FROM scan_subplans_zero);
SELECT sum(seven + (SELECT 1 / zero FROM scan_subplans_zero)) FROM scan_subplans_zero WHERE seven = 8;
-- in a branch that no row takes
SELECT sum(CASE WHEN seven = 8 THEN (SELECT 1 / zero FROM scan_subplans_zero) ELSE seven END), count(COALESCE(zero, (SELECT 1 / zero FROM scan_subplans_zero))) FROM scan_subplans_zero;
SELECT sum(seven + (SELECT 1 / zero FROM scan_subplans_zero)) FILTER (WHERE zero = 1), count(*) FROM scan_subplans_zero;
SELECT id FROM scan_subplans WHERE (id < 4 OR a > (SELECT 1 / zero FROM scan_subplans_zero)) AND id < 4;
-- in a row that is not looked at
SELECT id FROM scan_subplans WHERE id < 4 OR a > (SELECT 1 / zero FROM scan_subplans_zero) LIMIT 3;
-- asked for at last
SELECT id FROM scan_subplans WHERE id < 4 OR a > (SELECT 1 / zero FROM scan_subplans_zero) LIMIT 4;
SELECT count(*) FROM scan_subplans WHERE a = (SELECT 1 / zero FROM scan_subplans_zero);
SELECT count(*) FROM scan_subplans WHERE a = (SELECT k FROM scan_subplans WHERE id < 3);
SELECT k, sum(a / (SELECT zero FROM scan_subplans_zero)) FROM scan_subplans GROUP BY k;
-- with a value: before and after it is known, each row once and in order
SELECT id FROM scan_subplans WHERE id % 500 = 7 AND a = (SELECT seven FROM scan_subplans_zero) ORDER BY id;
SELECT count(*), min(id), max(id) FROM (SELECT id FROM scan_subplans WHERE id < 50 OR a = (SELECT seven FROM scan_subplans_zero) OFFSET 0) s;
SELECT id, a FROM scan_subplans WHERE id > 4990 AND a >= (SELECT seven FROM scan_subplans_zero);
SELECT k, count(*), sum(a * (SELECT seven FROM scan_subplans_zero)) FROM scan_subplans WHERE id > (SELECT min(id) + 100 FROM scan_subplans) GROUP BY k ORDER BY k;
SELECT count(*) FROM scan_subplans WHERE a = (SELECT a FROM scan_subplans_empty);
SELECT explain($$SELECT id FROM scan_subplans WHERE id % 500 = 7 AND a = (SELECT seven FROM scan_subplans_zero)$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT count(*) FROM scan_subplans_empty WHERE a = (SELECT 1 / zero FROM scan_subplans_zero)$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- once for every outer row
SELECT k, (SELECT count(*) FROM scan_subplans s WHERE s.a = o.k AND s.id > (SELECT max(id) - 100 FROM scan_subplans WHERE k = o.k)) FROM (VALUES (0), (1), (2), (3)) o(k);
-- too many rows before one asks: PostgreSQL answers
SELECT count(*) FROM scan_subplans WHERE id > 4999 AND a <> (SELECT seven FROM scan_subplans_zero);
SET gpudb.debug_require = allow;
SELECT count(*) FROM scan_subplans WHERE id > 4999 AND a <> (SELECT seven FROM scan_subplans_zero);
SELECT count(*) FROM scan_subplans WHERE id > 5000 AND a <> (SELECT 1 / zero FROM scan_subplans_zero);
SELECT explain($$SELECT count(*) FROM scan_subplans WHERE id > 5000 AND a <> (SELECT 1 / zero FROM scan_subplans_zero)$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SET gpudb.debug_require = require;
-- the same of a scan: it goes on with PostgreSQL's filters until the subplan has run
SELECT id, k FROM scan_subplans WHERE id > 4995 AND k <> (SELECT seven FROM scan_subplans_zero);
SELECT id FROM scan_subplans WHERE id > 5000 AND k <> (SELECT 1 / zero FROM scan_subplans_zero);
SELECT explain($$SELECT id, k FROM scan_subplans WHERE id > 4995 AND k <> (SELECT seven FROM scan_subplans_zero)$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- a branch that is not taken does not ask for its subplan, and the others have a value
SET gpudb.debug_require = allow;
SELECT count(*) = 0 AS none FROM scan_subplans WHERE CASE WHEN (SELECT seven FROM scan_subplans_zero) >= 2 THEN 3 ELSE (SELECT seven FROM scan_subplans_zero) END = 3;
SELECT count(*) = 0 AS none FROM scan_subplans WHERE COALESCE((SELECT seven FROM scan_subplans_zero), (SELECT zero FROM scan_subplans_zero)) = 7;
DROP TABLE scan_subplans, scan_subplans_empty, scan_subplans_zero;
