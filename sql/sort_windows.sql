-- Window functions over rows that a GpuSort has put in order.
CREATE TABLE sort_windows (id int NOT NULL, g int, k int, f float8, x text, c char(4), n numeric(6,2));
INSERT INTO sort_windows
SELECT i, nullif(i % 12, 5), nullif(i * 7919 % 83, 11), CASE i % 5 WHEN 0 THEN float8 '-0' WHEN 1 THEN 0 WHEN 2 THEN 'NaN' WHEN 3 THEN NULL ELSE i % 7 END, CASE WHEN i % 6 > 0 THEN 'text' || i % 9 END, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b' END, i % 50 / 4.0
FROM generate_series(1, 3000) i;
ANALYZE sort_windows;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT id, rank() OVER w, lag(n, 2) OVER w + 1 FROM sort_windows WINDOW w AS (PARTITION BY g ORDER BY k DESC, id)');
SELECT explain FROM explain('SELECT sum(v * rn) FROM (SELECT k v, row_number() OVER (ORDER BY k, id) rn FROM sort_windows) q');
SELECT explain FROM explain('SELECT id, sum(n) OVER (PARTITION BY g ORDER BY k) FROM sort_windows');
CREATE TABLE sort_windows_queries AS
SELECT row_number() OVER () AS number, format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition) AS sql
FROM unnest('{"row_number() OVER w","rank() OVER w, dense_rank() OVER w","lag(n) OVER w, lead(x) OVER w, first_value(f) OVER w","lag(id, 3) OVER w, lead(c, 100) OVER w, lag(x, -1) OVER w, lead(f, 0) OVER w","rank() OVER w * 10 + row_number() OVER w, first_value(n) OVER w IS NULL"}'::text[]) functions,
	unnest('{"ORDER BY id","PARTITION BY g ORDER BY k, id","PARTITION BY x, c ORDER BY f DESC NULLS LAST, id","PARTITION BY f ORDER BY id DESC","PARTITION BY g, k ORDER BY x NULLS FIRST, n, id","PARTITION BY n ORDER BY c, k, id"}'::text[]) definition;
INSERT INTO sort_windows_queries VALUES
	(100, 'SELECT id, rank() OVER (PARTITION BY g ORDER BY k), dense_rank() OVER (PARTITION BY g ORDER BY k) FROM sort_windows ORDER BY id'),
	(101, 'SELECT id, rank() OVER (PARTITION BY c ORDER BY f), dense_rank() OVER (PARTITION BY c ORDER BY f) FROM sort_windows ORDER BY id'),
	(102, 'SELECT rank() OVER (PARTITION BY g), g FROM sort_windows WHERE id < 300 ORDER BY g NULLS FIRST, id'),
	(103, 'SELECT sum(k * rn), max(rn) FROM (SELECT k, row_number() OVER (ORDER BY n, id) rn FROM sort_windows) q'),
	(104, 'SELECT id, row_number() OVER (ORDER BY n, id), row_number() OVER (PARTITION BY g ORDER BY id DESC) FROM sort_windows ORDER BY id'),
	(105, 'SELECT id, sum(n) OVER (PARTITION BY g ORDER BY k, id), count(*) OVER (PARTITION BY g), ntile(4) OVER (PARTITION BY g ORDER BY k, id) FROM sort_windows ORDER BY id'),
	(106, 'SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY k, id) rn FROM sort_windows) q WHERE rn <= 2 ORDER BY id'),
	(107, 'SELECT g, count(*), rank() OVER (ORDER BY count(*) DESC, g NULLS FIRST), lag(g) OVER (ORDER BY count(*) DESC, g NULLS FIRST) FROM sort_windows GROUP BY g ORDER BY 3'),
	(108, 'SELECT a.id, rank() OVER (PARTITION BY b.g ORDER BY a.n, a.id) FROM sort_windows a JOIN sort_windows b ON b.id = a.k ORDER BY a.id, 2'),
	(109, 'SELECT id, lag(n, 1, 0.00) OVER w, first_value(n) OVER (PARTITION BY g ORDER BY id ROWS 2 PRECEDING), lag(n, k) OVER w FROM sort_windows WINDOW w AS (PARTITION BY g ORDER BY id) ORDER BY id'),
	(110, 'SELECT id, row_number() OVER (ORDER BY id) FROM sort_windows WHERE id < 0 ORDER BY id'),
	(111, 'SELECT h, (SELECT sum(q.r) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY n DESC, id) r FROM sort_windows WHERE k < h) q) FROM generate_series(10, 40, 10) h ORDER BY h');
SELECT compare_answers('sort_windows_queries', 'GpuSort', true);
-- PostgreSQL's own functions where the rows are too many
SET gpudb.debug_require = allow;
SET gpudb.join_memory = 1;
SELECT explain FROM explain('SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) FROM sort_windows', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|WindowAgg|Fallback';
SELECT sum(id * r), count(*) FROM (SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) r FROM sort_windows) q;
SET gpudb.enabled = off;
SELECT sum(id * r), count(*) FROM (SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) r FROM sort_windows) q;
DROP TABLE sort_windows, sort_windows_queries;
