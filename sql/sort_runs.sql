-- Rows that are sorted and more than memory holds: runs in temporary files, merged.
CREATE TABLE sort_runs (id int NOT NULL, k int, i8 int8, f8 float8, n numeric(12,2), d date, x text, c char(8), v varchar(30) COLLATE "en-x-icu", filler text);
INSERT INTO sort_runs
SELECT i, i * 7919 % 1009, nullif(i * 104729::int8 % 1000003, 5), CASE i % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN NULL WHEN 3 THEN '-0' WHEN 4 THEN 0 ELSE i * 31 % 20011 / 8.0 END, i % 3001 / 4.0, date '2000-01-01' + i % 700,
	CASE WHEN i % 13 > 0 THEN md5((i % 5000)::text) END, chr(97 + i % 26) || i % 9, (ARRAY['a', 'A', 'ä', 'b', 'B', 'é'])[1 + i % 6] || i % 100, repeat('filler ', i % 9)
FROM generate_series(1, 60000) i;
ANALYZE sort_runs;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET gpudb.join_memory = 2;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT regexp_replace(explain, 'Runs: \d+$', 'Runs: N') FROM explain('SELECT id, x FROM sort_runs ORDER BY x DESC, id', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Sort|Rows In|Fallback';
CREATE TABLE sort_runs_queries AS
SELECT row_number() OVER () AS number, format('SELECT * FROM sort_runs ORDER BY %1$s %s %s, id', key, direction, nulls) AS sql
FROM unnest('{k,i8,f8,n,d,x,c,v}'::text[]) key, unnest('{ASC,DESC}'::text[]) direction, unnest('{NULLS FIRST,NULLS LAST}'::text[]) nulls;
INSERT INTO sort_runs_queries VALUES
	(100, 'SELECT id, f8, d, n FROM sort_runs ORDER BY c, v DESC, f8 DESC, n, id'),
	(101, 'SELECT id, filler FROM sort_runs WHERE k > 100 ORDER BY filler || x, id DESC'),
	(102, 'SELECT * FROM sort_runs ORDER BY i8, id LIMIT 20000'),
	(103, 'SELECT * FROM sort_runs ORDER BY i8 DESC, id OFFSET 59000 LIMIT 100'),
	(104, 'SELECT * FROM sort_runs ORDER BY x, id OFFSET 59995'),
	(105, 'SELECT * FROM sort_runs ORDER BY x, id OFFSET 70000 LIMIT 3'),
	(106, 'SELECT a.id, a.i8, b.d, a.n FROM sort_runs a JOIN sort_runs b ON b.id = a.k WHERE b.id < 500 ORDER BY b.d DESC, a.id'),
	(107, 'SELECT id, filler FROM sort_runs WHERE id < 0 ORDER BY f8'),
	(108, 'SELECT count(*), sum(id) FROM (SELECT id, filler FROM sort_runs ORDER BY x, id OFFSET 7) q'),
	(109, 'SELECT g, (SELECT string_agg(q.id::text, '','') FROM (SELECT * FROM sort_runs WHERE k > g ORDER BY x DESC, id OFFSET 20000) q) FROM generate_series(0, 200, 100) g ORDER BY g');
SELECT compare_answers('sort_runs_queries', 'GpuSort', true);
-- a scan that ends early, begins again, or goes on later
PREPARE sort_runs_prepared (int) AS SELECT id FROM sort_runs WHERE id > $1 ORDER BY x, filler, id OFFSET 2 LIMIT 3;
EXECUTE sort_runs_prepared (0);
EXECUTE sort_runs_prepared (10);
BEGIN;
DECLARE sort_runs_cursor SCROLL CURSOR WITH HOLD FOR SELECT id, x, filler FROM sort_runs ORDER BY x NULLS FIRST, id;
FETCH 2 FROM sort_runs_cursor;
SAVEPOINT a;
SELECT 1 / 0;
ROLLBACK TO a;
MOVE 59000 IN sort_runs_cursor;
FETCH 2 FROM sort_runs_cursor;
FETCH ABSOLUTE 3 FROM sort_runs_cursor;
COMMIT;
FETCH LAST FROM sort_runs_cursor;
CLOSE sort_runs_cursor;
SELECT count(*), sum(q.id) FROM generate_series(1, 3) g, LATERAL (SELECT id FROM sort_runs WHERE k % g = 0 ORDER BY filler, x, id LIMIT 30000) q;
-- temporary files that are too large
SET temp_file_limit = '1MB';
SELECT count(*) FROM (SELECT * FROM sort_runs ORDER BY x, id OFFSET 0) q;
RESET temp_file_limit;
SELECT count(*) FROM (SELECT * FROM sort_runs ORDER BY x, id OFFSET 0) q;
-- what must have all rows at hand is PostgreSQL's
SET gpudb.debug_require = allow;
SELECT regexp_replace(explain, '\d+$', 'N') FROM explain('SELECT id, x, filler, row_number() OVER (ORDER BY x, id) FROM sort_runs', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|WindowAgg|Runs|Fallback';
SELECT explain FROM explain('SELECT DISTINCT ON (x) x, id, filler FROM sort_runs ORDER BY x, id', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Unique|Runs|Fallback';
SELECT regexp_replace(explain, '\d+$', 'N') FROM explain('SELECT sum(id * n) FROM (SELECT id, filler, x, row_number() OVER (ORDER BY x, id) AS n FROM sort_runs) q', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|GpuAgg|WindowAgg|Runs|Fallback';
-- and what turns out to be so is, too
SET gpudb.join_memory = 64;
PREPARE sort_runs_windows AS SELECT md5(string_agg(q::text, ',' ORDER BY q.id)) FROM (SELECT id, filler, row_number() OVER (ORDER BY x, id) AS n, lag(x) OVER (ORDER BY x, id) FROM sort_runs) q;
EXECUTE sort_runs_windows;
SET gpudb.join_memory = 2;
EXECUTE sort_runs_windows;
SET gpudb.enabled = off;
EXECUTE sort_runs_windows;
DROP TABLE sort_runs, sort_runs_queries;
