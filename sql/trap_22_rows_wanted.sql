-- How many rows a Limit wants bounds what is sorted only where nothing above the sort can want more: not with ties, and not where
-- functions make no rows of some.
CREATE TABLE trap_22 (id int NOT NULL, v int, g int, f float8, x text);
INSERT INTO trap_22 SELECT i, i / 10, i % 700, i % 50, 'x' || i % 400 FROM generate_series(1, 20000) i;
VACUUM ANALYZE trap_22;
CREATE TABLE trap_22_few (k int, w int);
INSERT INTO trap_22_few SELECT i, i * 7 % 5 FROM generate_series(1, 30) i;
ANALYZE trap_22_few;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT v FROM trap_22 ORDER BY v LIMIT 3');
SELECT explain FROM explain('SELECT v FROM trap_22 ORDER BY v FETCH FIRST 3 ROWS WITH TIES');
SELECT explain FROM explain('SELECT v, generate_series(1, v % 3) FROM trap_22 ORDER BY v LIMIT 3');
SELECT explain FROM explain('SELECT g, max(id) FROM trap_22 GROUP BY g ORDER BY max(id) DESC FETCH FIRST 3 ROWS WITH TIES');
CREATE TABLE trap_22_queries (number serial, sql text);
-- ties
INSERT INTO trap_22_queries (sql) VALUES
	('SELECT v FROM trap_22 ORDER BY v FETCH FIRST 3 ROWS WITH TIES'),
	('SELECT v FROM trap_22 ORDER BY v DESC OFFSET 11 FETCH FIRST 3 ROWS WITH TIES'),
	('SELECT x, v FROM trap_22 ORDER BY x, v / 100 FETCH FIRST 1 ROW WITH TIES'),
	('SELECT f FROM trap_22 WHERE f < 2 ORDER BY f FETCH FIRST 1 ROW WITH TIES'),
	('SELECT f, g FROM trap_22 ORDER BY f OFFSET 20000 FETCH FIRST 3 ROWS WITH TIES'),
	('SELECT v FROM trap_22 ORDER BY v FETCH FIRST 0 ROWS WITH TIES'),
	('SELECT g % 7, count(*) FROM trap_22 GROUP BY g % 7 ORDER BY count(*) FETCH FIRST 1 ROW WITH TIES'),
	('SELECT g, count(*) FROM trap_22 GROUP BY g ORDER BY 2 DESC FETCH FIRST 1 ROW WITH TIES'),
	('SELECT DISTINCT v / 20 AS q, v % 2 AS r FROM trap_22 ORDER BY q FETCH FIRST 3 ROWS WITH TIES'),
	('SELECT t.v, s.w FROM trap_22 t JOIN trap_22_few s ON s.k = t.v ORDER BY s.w FETCH FIRST 2 ROWS WITH TIES'),
	('SELECT v, r FROM (SELECT v, rank() OVER (ORDER BY v) r FROM trap_22) q ORDER BY r FETCH FIRST 2 ROWS WITH TIES'),
	('SELECT v, r FROM (SELECT v, rank() OVER (ORDER BY v) r FROM trap_22 ORDER BY r FETCH FIRST 2 ROWS WITH TIES) q WHERE r < 20'),
	('SELECT DISTINCT ON (v) v, id FROM trap_22 ORDER BY v, id FETCH FIRST 2 ROWS WITH TIES');
-- functions that make no row of some, or several
INSERT INTO trap_22_queries (sql) VALUES
	('SELECT g, generate_series(1, (max(id) % 3)::int) FROM trap_22 GROUP BY g ORDER BY max(id) DESC LIMIT 2'),
	('SELECT g, unnest(array_remove(ARRAY[nullif(max(id) % 3, 1)], NULL)) FROM trap_22 GROUP BY g ORDER BY max(id) DESC LIMIT 2'),
	('SELECT id, generate_series(1, v % 3) FROM trap_22 ORDER BY v, id LIMIT 12'),
	('SELECT id, generate_series(1, v % 3) FROM trap_22 ORDER BY v, id OFFSET 5 LIMIT 12'),
	('SELECT id, generate_series(1, v % 3) AS n FROM trap_22 ORDER BY v, id, n LIMIT 12'),
	('SELECT id, unnest(CASE WHEN v > 30 THEN ARRAY[v, id] END) FROM trap_22 ORDER BY id LIMIT 3'),
	('SELECT DISTINCT ON (v) v, id, generate_series(1, v % 2) FROM trap_22 ORDER BY v, id LIMIT 7');
-- limits that are wanted, and by whom
INSERT INTO trap_22_queries (sql) VALUES
	('SELECT id FROM trap_22 ORDER BY v, id LIMIT NULL'),
	('SELECT id FROM trap_22 ORDER BY v, id LIMIT 5 OFFSET NULL'),
	('SELECT id FROM trap_22 ORDER BY v, id OFFSET 19998 LIMIT 5'),
	('SELECT id FROM trap_22 ORDER BY v, id OFFSET 30000 LIMIT 5'),
	('SELECT id FROM trap_22 ORDER BY v DESC, id LIMIT 9223372036854775807 OFFSET 19995'),
	('SELECT id FROM trap_22 ORDER BY v, id LIMIT (SELECT 2 + count(*) FROM trap_22_few WHERE w = 1)'),
	('SELECT id FROM trap_22 ORDER BY v, id LIMIT 0'),
	('SELECT q.id FROM (SELECT id, v FROM trap_22 ORDER BY v, id LIMIT 50) q WHERE q.id % 7 = 0 ORDER BY q.v DESC, q.id LIMIT 3'),
	('(SELECT id FROM trap_22 ORDER BY v, id LIMIT 2) UNION ALL (SELECT id FROM trap_22 ORDER BY v DESC, id OFFSET 2 LIMIT 2)'),
	('(SELECT id FROM trap_22 ORDER BY v, id LIMIT 20) UNION ALL (SELECT id FROM trap_22 ORDER BY v DESC, id LIMIT 20) ORDER BY id DESC LIMIT 22'),
	('SELECT k FROM trap_22_few s WHERE EXISTS (SELECT FROM trap_22 t WHERE t.id = s.k ORDER BY t.v LIMIT 1) ORDER BY w, k LIMIT 4'),
	('SELECT k FROM trap_22_few s WHERE k IN (SELECT v FROM trap_22 ORDER BY v, id OFFSET 60 LIMIT 30) ORDER BY w DESC, k LIMIT 2'),
	('SELECT DISTINCT ON (g) g, id FROM trap_22 ORDER BY g, id DESC LIMIT 3'),
	('SELECT DISTINCT g % 5 FROM trap_22 ORDER BY 1 LIMIT 3'),
	('SELECT DISTINCT max(id) % 5 AS m FROM trap_22 GROUP BY g ORDER BY m LIMIT 3'),
	('SELECT g, max(id) FROM trap_22 GROUP BY g HAVING max(id) % 3 = 0 ORDER BY max(id) DESC LIMIT 3'),
	('SELECT id, r FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY v DESC, id) r FROM trap_22) q WHERE r <= 2 ORDER BY id LIMIT 5'),
	('SELECT id, row_number() OVER (ORDER BY v, id) FROM trap_22 ORDER BY v DESC, id LIMIT 3'),
	('SELECT k, (SELECT string_agg(q.id::text, '','') FROM (SELECT id FROM trap_22 WHERE v = k ORDER BY f, id LIMIT 3) q) FROM trap_22_few ORDER BY k LIMIT 4');
SELECT compare_answers('trap_22_queries', 'Gpu');
-- the same where rows are merged of runs
SET gpudb.join_memory = '1MB';
SELECT compare_answers('trap_22_queries', 'Gpu');
CREATE TABLE trap_22_runs AS SELECT v, id, repeat(md5(id::text), 4) AS x FROM trap_22;
TRUNCATE trap_22_queries;
INSERT INTO trap_22_queries (sql) VALUES
	('SELECT v, x FROM trap_22_runs ORDER BY v / 100 FETCH FIRST 2 ROWS WITH TIES'),
	('SELECT v, generate_series(1, v % 3) FROM trap_22_runs ORDER BY v / 100, id LIMIT 3'),
	('SELECT v, x FROM trap_22_runs ORDER BY v DESC, id OFFSET 7 LIMIT 8');
SELECT compare_answers('trap_22_queries', 'GpuSort');
RESET gpudb.join_memory;
-- numbers of rows that are parameters
PREPARE trap_22_ties (bigint) AS SELECT v FROM trap_22 ORDER BY v FETCH FIRST $1 ROWS WITH TIES;
EXECUTE trap_22_ties (1);
PREPARE trap_22_made (bigint) AS SELECT id, generate_series(1, v % 3) FROM trap_22 ORDER BY v, id LIMIT $1;
EXECUTE trap_22_made (2);
PREPARE trap_22_first (bigint, bigint) AS SELECT id FROM trap_22 ORDER BY v DESC, id LIMIT $1 OFFSET $2;
EXECUTE trap_22_first (2, 1);
EXECUTE trap_22_first (NULL, 19999);
SET plan_cache_mode = force_generic_plan;
EXECUTE trap_22_first (3, 0);
EXECUTE trap_22_ties (1);
RESET plan_cache_mode;
-- a cursor's planner expects some of the rows to be wanted
BEGIN;
DECLARE trap_22_cursor CURSOR FOR SELECT v FROM trap_22 ORDER BY v FETCH FIRST 3 ROWS WITH TIES;
MOVE ALL FROM trap_22_cursor;
COMMIT;
DROP TABLE trap_22, trap_22_few, trap_22_queries, trap_22_runs;
