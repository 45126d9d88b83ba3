-- at the relation's hook there is no Gather path yet; the fallback child of an aggregate may well be a parallel plan
CREATE TABLE trap_03 (id int NOT NULL, k int, n numeric);
INSERT INTO trap_03 SELECT i, i % 4, i % 100 FROM generate_series(1, 60000) i;
INSERT INTO trap_03 VALUES (60001, 9, 'NaN');
ANALYZE trap_03;
SET gpudb.force = on;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*), sum(n), avg(n), max(n) FROM trap_03;
SELECT k, count(*), sum(n), min(n) FROM trap_03 GROUP BY k HAVING count(*) > 0 ORDER BY k;
SELECT k + 1 AS next, sum(n) / 2 AS half FROM trap_03 WHERE id > 100 GROUP BY k ORDER BY 1;
SET gpudb.debug_require = require;
SELECT k, count(*), sum(id) FROM trap_03 GROUP BY k ORDER BY k;
DROP TABLE trap_03;
