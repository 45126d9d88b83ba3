-- Rule 1: the fallback child is a copy of a path that add_path() may free.  Plans of every shape are made and run.
CREATE TABLE trap_01 (id int NOT NULL, k int, n numeric, t text);
INSERT INTO trap_01 SELECT i, i % 100, i % 1000, 't' || i % 10 FROM generate_series(1, 20000) i;
INSERT INTO trap_01 VALUES (20001, 1000, 'NaN', 'nan');
CREATE INDEX trap_01_id ON trap_01 (id);
CREATE INDEX trap_01_k ON trap_01 (k);
CREATE INDEX trap_01_k_id ON trap_01 (k, id) INCLUDE (n);
CREATE INDEX trap_01_t ON trap_01 USING hash (t);
VACUUM ANALYZE trap_01;
SET gpudb.force = on;
\pset format unaligned
\pset tuples_only on
-- queries with an answer from the device, and the same ones where the NaN sends them to the child
SELECT format('SET enable_%s = off; SELECT count(*), sum(n) FROM trap_01 WHERE k BETWEEN 3 AND 5; SELECT count(*), sum(n) FROM trap_01 WHERE k >= 99; SELECT id FROM trap_01 WHERE k = 7 AND id < 300; '
	'SELECT id, n FROM trap_01 WHERE n > 998 AND id > 19000; SELECT k, count(*), max(n) FROM trap_01 WHERE k > 97 GROUP BY k ORDER BY k; SELECT k, count(*) FROM trap_01 WHERE k < 2 GROUP BY k ORDER BY k; '
	'SELECT t, sum(n) FROM trap_01 WHERE t IN (''t3'', ''nan'') GROUP BY t ORDER BY t; SELECT max(id), min(id) FROM trap_01 WHERE n >= 999; SELECT a.id FROM trap_01 a JOIN trap_01 b USING (id) WHERE a.k = 9 AND b.n = 9 ORDER BY a.id LIMIT 2; RESET enable_%1$s', setting)
FROM unnest('{seqscan,indexscan,bitmapscan,indexonlyscan,hashagg,sort,hashjoin,mergejoin,nestloop,material,tidscan}'::text[]) setting
\gexec
-- everything off but one way
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashagg = off;
SELECT k, count(*), sum(n) FROM trap_01 WHERE k > 98 GROUP BY k ORDER BY k;
SELECT id, n FROM trap_01 WHERE k >= 99 AND n > 998 ORDER BY id LIMIT 3;
SELECT id, n FROM trap_01 WHERE n > 998 ORDER BY id DESC LIMIT 3;
-- the settings that let PostgreSQL's paths win against ours
SET gpudb.force = off;
SELECT id FROM trap_01 WHERE id = 77;
SELECT k, count(*) FROM trap_01 WHERE k > 98 GROUP BY k ORDER BY k;
RESET enable_seqscan;
SELECT count(*), sum(n) FROM trap_01 WHERE k BETWEEN 3 AND 5;
SELECT id FROM trap_01 WHERE k = 7 AND id < 300;
SET gpudb.enabled = off;
SELECT count(*), sum(n) FROM trap_01 WHERE k BETWEEN 3 AND 5;
DROP TABLE trap_01;
