-- Rule 8: partitions and inheritance: a GpuAgg reads the members itself, else there is a GpuScan for each below an Append; pruning keeps working.
CREATE TABLE trap_08 (id int NOT NULL, k int, n numeric(10,2), t text COLLATE "C") PARTITION BY RANGE (id);
CREATE TABLE trap_08_p1 PARTITION OF trap_08 FOR VALUES FROM (MINVALUE) TO (1000);
-- another order of columns, dropped columns, a column type's other typmod is not allowed
CREATE TABLE trap_08_p2 (gone text, t text COLLATE "C", n numeric(10,2), gone2 int8, k int, id int NOT NULL);
ALTER TABLE trap_08_p2 DROP COLUMN gone, DROP COLUMN gone2;
ALTER TABLE trap_08 ATTACH PARTITION trap_08_p2 FOR VALUES FROM (1000) TO (2000);
CREATE TABLE trap_08_p3 PARTITION OF trap_08 FOR VALUES FROM (2000) TO (3000) PARTITION BY LIST (k);
CREATE TABLE trap_08_p3a PARTITION OF trap_08_p3 FOR VALUES IN (0, 1, 2);
CREATE TABLE trap_08_p3b PARTITION OF trap_08_p3 DEFAULT;
CREATE TABLE trap_08_p4 PARTITION OF trap_08 DEFAULT;
INSERT INTO trap_08 SELECT i, nullif(i % 7, 6), nullif(i % 500, 4) / 4.0, nullif('t' || i % 11, 't3') FROM generate_series(1, 4000) i;
INSERT INTO trap_08 VALUES (100000, NULL, NULL, NULL);
CREATE TABLE trap_08_none (id int, k int) PARTITION BY LIST (k);
ANALYZE trap_08;
SET max_parallel_workers_per_gather = 0;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT explain($$SELECT id, t FROM trap_08 WHERE n > 124 AND k = 1$$);
SELECT explain($$SELECT id FROM trap_08 WHERE id < 1500 AND n > 124$$);
SELECT explain($$SELECT id FROM trap_08 WHERE id BETWEEN 2000 AND 2999 AND k = 5 AND n > 10$$);
SELECT explain($$SELECT count(*), sum(n) FROM trap_08 WHERE k = 1$$);
SELECT explain($$SELECT count(*) FROM trap_08 WHERE id = 5 AND id = 5000$$);
SELECT id, k, n, t FROM trap_08 WHERE n > 124 AND k = 1 ORDER BY id;
SELECT tableoid::regclass AS part, count(*) FROM trap_08_p1 GROUP BY 1;
SELECT count(*), sum(id), sum(n), min(t), max(t), count(k) FROM trap_08;
SELECT count(*), sum(id), sum(n), min(t), max(t) FROM trap_08 WHERE id < 1500 AND n > 100;
SELECT k, count(*), sum(n), max(t) FROM trap_08 WHERE id >= 900 GROUP BY k ORDER BY k;
SELECT t, count(*), sum(id) FROM trap_08 WHERE n < 50 OR n IS NULL GROUP BY t ORDER BY t;
SELECT count(*), sum(n), max(k) FROM trap_08_p2 WHERE t LIKE 't1%';
SELECT k, count(*), sum(n) FROM trap_08_p3 GROUP BY k ORDER BY k;
SELECT id FROM trap_08 WHERE n = 5.25 ORDER BY id DESC LIMIT 5;
SELECT a.id, b.n FROM trap_08 a JOIN trap_08 b ON b.id = a.id + 1000 WHERE a.n = 5.25 AND b.k = 2 ORDER BY a.id;
SELECT * FROM trap_08 WHERE id > 50000 OR id IN (1, 999, 1000, 1999, 2000, 2001, 2999, 3000) ORDER BY id;
SELECT count(*) FROM trap_08_none;
SELECT * FROM trap_08_none WHERE k = 1;
-- one aggregate for each partition
SET enable_partitionwise_aggregate = on;
SET enable_partitionwise_join = on;
SELECT k, count(*), sum(n), min(t), max(t) FROM trap_08 GROUP BY k ORDER BY k;
SELECT id, count(*), sum(n) FROM trap_08 WHERE n = 5.25 GROUP BY id ORDER BY id LIMIT 4;
SELECT count(*), sum(a.n) FROM trap_08 a JOIN trap_08 b USING (id) WHERE a.k = 1 AND b.n > 3;
SET gpudb.debug_require = allow;
SELECT stddev(n), var_pop(k), bool_and(k < 7), bit_or(k), avg(n) FROM trap_08;
SET gpudb.debug_require = require;
RESET enable_partitionwise_aggregate;
RESET enable_partitionwise_join;
-- pruning when the executor starts
SET plan_cache_mode = force_generic_plan;
PREPARE trap_08_start(int, int) AS SELECT count(*), sum(n) FROM trap_08 WHERE id >= $1 AND id < $2 AND n > 1;
SELECT explain($$EXECUTE trap_08_start(500, 900)$$);
SELECT explain($$EXECUTE trap_08_start(500, 2500)$$);
SELECT explain($$EXECUTE trap_08_start(7, 7)$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
EXECUTE trap_08_start(500, 900);
EXECUTE trap_08_start(500, 2500);
EXECUTE trap_08_start(0, 1000000);
EXECUTE trap_08_start(NULL, 5);
EXECUTE trap_08_start(7, 7);
PREPARE trap_08_list(int, int) AS SELECT id, n FROM trap_08 WHERE id BETWEEN 2000 AND 2999 AND k = $1 AND n > $2 ORDER BY id LIMIT 3;
SELECT explain($$EXECUTE trap_08_list(1, 100)$$);
EXECUTE trap_08_list(1, 100);
EXECUTE trap_08_list(5, 100);
EXECUTE trap_08_list(NULL, 100);
-- and while it runs
CREATE TABLE trap_08_key (id int, lo int, hi int);
INSERT INTO trap_08_key VALUES (1, 10, 20), (2, 1010, 1020), (3, 2010, 2020), (4, NULL, NULL);
ANALYZE trap_08_key;
SET gpudb.debug_require = allow;
CREATE FUNCTION trap_08_executed(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	-- the lines of scans, and whether they ran; without what differs between devices
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ '(GpuScan|GpuAgg|Append|Subplans|Scan on)' THEN
			RETURN NEXT regexp_replace(line, 'actual rows=\d+ loops=\d+', 'actual');
		END IF;
	END LOOP;
END $$;
SELECT trap_08_executed('SELECT count(*), sum(n) FROM trap_08 WHERE id < (SELECT max(lo) FROM trap_08_key WHERE id = 2) AND n > 1');
SELECT trap_08_executed('SELECT id FROM trap_08 WHERE id = (SELECT lo FROM trap_08_key WHERE id = 1) AND n >= 0');
SELECT trap_08_executed('SELECT id FROM trap_08 WHERE id = (SELECT lo FROM trap_08_key WHERE id = 4) AND n >= 0');
SELECT trap_08_executed('SELECT (SELECT count(*) FROM trap_08 t WHERE t.id = k.lo AND t.n > 1) FROM trap_08_key k WHERE k.id < 3');
SET gpudb.debug_require = require;
SELECT count(*), sum(n) FROM trap_08 WHERE id < (SELECT max(lo) FROM trap_08_key WHERE id = 2) AND n > 1;
SELECT id, n FROM trap_08 WHERE id = (SELECT lo FROM trap_08_key WHERE id = 1) AND n >= 0;
SELECT k.id, (SELECT count(*) FROM trap_08 t WHERE t.id >= k.lo AND t.id < k.hi AND t.n > 1) AS c, (SELECT sum(n) FROM trap_08 t WHERE t.id = k.lo) AS s FROM trap_08_key k ORDER BY k.id;
-- partitions come and go under a prepared plan
EXECUTE trap_08_start(500, 900);
ALTER TABLE trap_08 DETACH PARTITION trap_08_p1;
EXECUTE trap_08_start(500, 1200);
ALTER TABLE trap_08 ATTACH PARTITION trap_08_p1 FOR VALUES FROM (MINVALUE) TO (1000);
EXECUTE trap_08_start(500, 1200);
TRUNCATE trap_08_p2;
EXECUTE trap_08_start(500, 1200);
ALTER TABLE trap_08 ADD COLUMN late int DEFAULT 5;
SELECT count(*), sum(late), sum(n) FROM trap_08 WHERE late = 5 AND n > 1;
EXECUTE trap_08_start(0, 1000000);
-- UPDATE and DELETE are not touched
SET gpudb.debug_require = allow;
SELECT gpu_nodes('UPDATE trap_08 SET n = n + 1 WHERE n > 100') AS u, gpu_nodes('DELETE FROM trap_08 WHERE n > 100') AS d, gpu_nodes('SELECT id FROM trap_08 WHERE n > 100 FOR UPDATE') AS s;
SELECT explain($$UPDATE trap_08 SET n = 1000 WHERE n > 124 AND id < 3000$$);
SELECT explain($$DELETE FROM trap_08 WHERE n > 124 AND id < 1000$$);
UPDATE trap_08 SET n = 1000 WHERE n > 124 AND id < 3000;
UPDATE trap_08 SET id = id + 1000 WHERE id < 100;
DELETE FROM trap_08 WHERE n < 2;
SELECT count(*), sum(id), sum(n) FROM trap_08;
SELECT tableoid::regclass AS part, count(*), sum(n) FROM trap_08 GROUP BY 1 ORDER BY 1;
INSERT INTO trap_08 SELECT id - 1000, k, n, t FROM trap_08 WHERE id BETWEEN 1000 AND 1100;
SELECT count(*), sum(id), sum(n) FROM trap_08;
-- inheritance: children with more columns, in another order, with dropped ones; the parent has rows too
CREATE TABLE trap_08_parent (a int, b text COLLATE "C", c numeric);
CREATE TABLE trap_08_child (more int8, d date) INHERITS (trap_08_parent);
CREATE TABLE trap_08_other (x int, c numeric, gone int, a int, b text COLLATE "C");
ALTER TABLE trap_08_other DROP COLUMN gone;
ALTER TABLE trap_08_other INHERIT trap_08_parent;
CREATE TABLE trap_08_grandchild (y int) INHERITS (trap_08_child, trap_08_other);
INSERT INTO trap_08_parent SELECT i, 'p' || i % 5, i % 10 FROM generate_series(1, 1000) i;
INSERT INTO trap_08_child SELECT i, 'c' || i % 5, i % 20 / 2.0, i, '2024-01-01' FROM generate_series(1001, 2000) i;
INSERT INTO trap_08_other (x, c, a, b) SELECT i, i % 20 / 4.0, i, 'o' || i % 5 FROM generate_series(2001, 3000) i;
INSERT INTO trap_08_grandchild (a, b, c, more, d, x, y) SELECT i, 'g' || i % 5, i % 5, i, '2024-02-02', i, i FROM generate_series(3001, 4000) i;
ANALYZE trap_08_parent, trap_08_child, trap_08_other, trap_08_grandchild;
SET gpudb.debug_require = require;
SELECT explain($$SELECT a FROM trap_08_parent WHERE c = 2$$);
SELECT explain($$SELECT a FROM ONLY trap_08_parent WHERE c = 2$$);
SELECT count(*), sum(a), sum(c), min(b), max(b) FROM trap_08_parent;
SELECT count(*), sum(a), sum(c), min(b), max(b) FROM ONLY trap_08_parent;
SELECT count(*), sum(a), sum(c), sum(more), min(d), max(d) FROM trap_08_child;
SELECT left(b, 1) AS b, count(*), sum(c) FROM trap_08_parent WHERE c < 3 GROUP BY 1 ORDER BY 1;
SELECT a, b, c FROM trap_08_parent WHERE c = 2.5 AND a % 200 = 5 ORDER BY a;
SELECT a, b, c FROM trap_08_parent WHERE a IN (1, 1001, 2001, 3001) ORDER BY a;
-- UNION ALL is an Append as well
SELECT count(*), sum(v) FROM (SELECT a AS v FROM ONLY trap_08_parent WHERE c = 2 UNION ALL SELECT x FROM trap_08_other WHERE c = 2) s;
SELECT v, count(*) FROM (SELECT c AS v FROM ONLY trap_08_parent WHERE a < 20 UNION ALL SELECT c FROM ONLY trap_08_child WHERE a < 1020) s GROUP BY v ORDER BY v LIMIT 3;
SET gpudb.debug_require = allow;
SELECT gpu_nodes('UPDATE trap_08_parent SET c = 1 WHERE c = 2') AS u, gpu_nodes('DELETE FROM trap_08_parent WHERE c = 2') AS d;
UPDATE trap_08_parent SET c = 100 WHERE c = 2;
DELETE FROM trap_08_parent WHERE c = 3;
SELECT tableoid::regclass AS part, count(*), sum(c) FROM trap_08_parent GROUP BY 1 ORDER BY 1;
DEALLOCATE ALL;
DROP FUNCTION trap_08_executed;
DROP TABLE trap_08_grandchild, trap_08_child, trap_08_other, trap_08_parent;
DROP TABLE trap_08, trap_08_none, trap_08_key;
