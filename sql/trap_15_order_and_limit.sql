-- Rule 15: a scan returns rows in heap order, and LIMIT looks little ahead, for work and for errors.
CREATE TABLE trap_15 (id int NOT NULL, k int, zero int, n numeric, t text);
INSERT INTO trap_15 SELECT i, i % 100, CASE WHEN i = 30000 THEN 0 ELSE 1 END, i, repeat('x', 100) FROM generate_series(1, 60000) i;
ANALYZE trap_15;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET gpudb.cpu_threads = 4;
SELECT count(*) AS rows, count(*) FILTER (WHERE before >= id) AS out_of_order FROM (SELECT id, lag(id) OVER () AS before FROM (SELECT id FROM trap_15 WHERE k <> 5 OFFSET 0) r) s;
SELECT count(*) AS rows, count(*) FILTER (WHERE before >= c) AS out_of_order FROM (SELECT c, lag(c) OVER () AS before FROM (SELECT ctid AS c FROM trap_15 WHERE k > 90 OFFSET 0) r) s;
SET gpudb.cpu_threads = 1;
SELECT count(*) AS rows, count(*) FILTER (WHERE before >= id) AS out_of_order FROM (SELECT id, lag(id) OVER () AS before FROM (SELECT id FROM trap_15 WHERE k <> 5 OFFSET 0) r) s;
RESET gpudb.cpu_threads;
-- an error far ahead of the rows that are wanted stays unseen
SELECT id FROM trap_15 WHERE 1 / zero = 1 LIMIT 1;
SELECT id FROM trap_15 WHERE 1 / zero = 1 AND k = 7 LIMIT 3;
SELECT EXISTS (SELECT FROM trap_15 WHERE 1 / zero = 1);
SET gpudb.debug_require = allow;
SELECT id FROM trap_15 WHERE 1 / zero = 1 OFFSET 20000 LIMIT 2;
SELECT id FROM trap_15 WHERE 1 / zero = 1 OFFSET 29997 LIMIT 2;
SELECT id FROM trap_15 WHERE 1 / zero = 1 OFFSET 29998 LIMIT 2;
SELECT id, 1 / zero FROM trap_15 WHERE k = 0 OFFSET 298 LIMIT 1;
SELECT id, 1 / zero FROM trap_15 WHERE k = 0 OFFSET 298 LIMIT 2;
SELECT count(*) FROM (SELECT id FROM trap_15 WHERE 1 / zero = 1) s;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM trap_15 WHERE 1 / zero = 1;
FETCH 1 FROM c;
MOVE 29997 FROM c;
FETCH 1 FROM c;
FETCH 1 FROM c;
ROLLBACK;
-- synchronised scans do not move the start
SET synchronize_seqscans = on;
SET gpudb.debug_require = require;
SELECT id FROM trap_15 WHERE k = 3 LIMIT 2;
SELECT id FROM trap_15 WHERE k = 3 LIMIT 2;
DROP TABLE trap_15;
