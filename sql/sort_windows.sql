-- Window functions over rows that a GpuSort has put in order.
CREATE TABLE sort_windows (id int NOT NULL, g int, k int, f float8, x text, c char(4), n numeric(6,2), i8 bigint, i2 smallint, real float4, iv interval);
INSERT INTO sort_windows
SELECT i, nullif(i % 12, 5), nullif(i * 7919 % 83, 11), CASE i % 5 WHEN 0 THEN float8 '-0' WHEN 1 THEN 0 WHEN 2 THEN 'NaN' WHEN 3 THEN NULL ELSE i % 7 END, CASE WHEN i % 6 > 0 THEN 'text' || i % 9 END, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b' END, i % 50 / 4.0, CASE WHEN i % 5 > 0 THEN (i - 1500) * 3000000000000000 END, i % 300 - 150, CASE WHEN i % 11 > 0 THEN hashint4(i) / 3e8 END, make_interval(days => i % 4, hours => i % 3 * 24)
FROM generate_series(1, 3000) i;
ANALYZE sort_windows;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT id, rank() OVER w, lag(n, 2) OVER w + 1 FROM sort_windows WINDOW w AS (PARTITION BY g ORDER BY k DESC, id)');
SELECT explain FROM explain('SELECT sum(v * rn) FROM (SELECT k v, row_number() OVER (ORDER BY k, id) rn FROM sort_windows) q');
SELECT explain FROM explain('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY g ORDER BY k) r FROM sort_windows) q WHERE r <= 2');
SELECT explain FROM explain('SELECT id, sum(n) OVER (PARTITION BY g ORDER BY k), ntile(3) OVER (PARTITION BY g ORDER BY k) FROM sort_windows');
SELECT explain FROM explain('SELECT id, stddev(f) OVER (PARTITION BY g ORDER BY k) FROM sort_windows');
CREATE TABLE sort_windows_queries AS
SELECT row_number() OVER () AS number, format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition) AS sql
FROM unnest('{"row_number() OVER w","rank() OVER w, dense_rank() OVER w","lag(n) OVER w, lead(x) OVER w, first_value(f) OVER w","lag(id, 3) OVER w, lead(c, 100) OVER w, lag(x, -1) OVER w, lead(f, 0) OVER w","rank() OVER w * 10 + row_number() OVER w, first_value(n) OVER w IS NULL"}'::text[]) functions,
	unnest('{"ORDER BY id","PARTITION BY g ORDER BY k, id","PARTITION BY x, c ORDER BY f DESC NULLS LAST, id","PARTITION BY f ORDER BY id DESC","PARTITION BY g, k ORDER BY x NULLS FIRST, n, id","PARTITION BY n ORDER BY c, k, id"}'::text[]) definition;
INSERT INTO sort_windows_queries
SELECT 200 + row_number() OVER (), format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition)
FROM unnest('{"ntile(4) OVER w, ntile(1000) OVER w, last_value(x) OVER w","count(*) OVER w, count(k) OVER w, sum(k) OVER w, avg(k) OVER w","sum(n) OVER w, avg(n) OVER w, min(x) OVER w, max(c) OVER w, max(n) OVER w","sum(i8) OVER w, avg(i8) OVER w, sum(i2) OVER w, avg(i2) OVER w, min(i8) OVER w - max(k) OVER w, rank() OVER w"}'::text[]) functions,
	unnest('{"PARTITION BY g ORDER BY k, id","ORDER BY id ROWS UNBOUNDED PRECEDING","PARTITION BY x ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING","PARTITION BY c, g ORDER BY n, id GROUPS UNBOUNDED PRECEDING"}'::text[]) definition;
INSERT INTO sort_windows_queries
SELECT 300 + row_number() OVER (), format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition)
FROM unnest('{"count(*) OVER w, count(k) OVER w, sum(k) OVER w, avg(n) OVER w","min(x) OVER w, max(c) OVER w, dense_rank() OVER w, sum(i8) OVER w"}'::text[]) functions, unnest('{"PARTITION BY g","ORDER BY k","PARTITION BY x ORDER BY n DESC RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING","PARTITION BY id"}'::text[]) definition;
-- frames whose start moves, or whose ends do not have to be in the partition
INSERT INTO sort_windows_queries
SELECT 400 + row_number() OVER (), format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition || frame)
FROM unnest('{"count(*) OVER w, count(k) OVER w, sum(k) OVER w, avg(n) OVER w, sum(i8) OVER w, avg(i2) OVER w","min(k) OVER w, max(k) OVER w, min(n) OVER w, max(x) OVER w, max(c) OVER w, min(i8) OVER w, rank() OVER w","first_value(x) OVER w, last_value(n) OVER w, first_value(f) OVER w, lag(id) OVER w","sum(f) OVER w, avg(f) OVER w, sum(real) OVER w, avg(real) OVER w, count(f) OVER w","min(f) OVER w, max(f) OVER w, max(real) OVER w, min(iv) OVER w, max(iv) OVER w, first_value(iv) OVER w"}'::text[]) functions,
	unnest('{"PARTITION BY g ORDER BY k, id","ORDER BY n, id","PARTITION BY k, x ORDER BY id DESC"}'::text[]) definition,
	unnest('{" ROWS 2 PRECEDING"," ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING"," ROWS BETWEEN 40 PRECEDING AND 9 PRECEDING"," ROWS BETWEEN 1 FOLLOWING AND 500 FOLLOWING"," ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"," ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING"," ROWS BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING"," ROWS BETWEEN 5 FOLLOWING AND 2 FOLLOWING"," ROWS BETWEEN 2 PRECEDING AND 5 PRECEDING"," RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"," GROUPS BETWEEN CURRENT ROW AND CURRENT ROW"," ROWS BETWEEN 2147483646 PRECEDING AND 2147483646 FOLLOWING"}'::text[]) frame;
INSERT INTO sort_windows_queries
SELECT 600 + row_number() OVER (), format('SELECT id, count(k) OVER w, sum(k) OVER w, min(n) OVER w, max(k) OVER w, dense_rank() OVER w FROM sort_windows WINDOW w AS (%s %s) ORDER BY id', definition, frame)
FROM unnest('{"PARTITION BY g ORDER BY k","ORDER BY k DESC"}'::text[]) definition, unnest('{"RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING","RANGE CURRENT ROW","GROUPS BETWEEN CURRENT ROW AND CURRENT ROW"}'::text[]) frame;
INSERT INTO sort_windows_queries VALUES
	(117, 'SELECT * FROM (SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) left_over FROM sort_windows) q WHERE left_over > 2990 ORDER BY id'),
	(118, 'SELECT * FROM (SELECT id, count(*) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING) left_over FROM sort_windows) q WHERE left_over >= 240 ORDER BY id'),
	(119, 'SELECT count(*), sum(s), max(m) FROM (SELECT sum(k) OVER w s, max(k) OVER w m FROM sort_windows WINDOW w AS (PARTITION BY g ORDER BY id ROWS BETWEEN 7 PRECEDING AND 7 FOLLOWING)) q'),
	(129, 'SELECT id, bool_and(b) OVER w, every(b) OVER (PARTITION BY k), bool_or(b) OVER w FROM (SELECT id, k, i2 > 3 AS b FROM sort_windows) q WINDOW w AS (ORDER BY k, id ROWS 3 PRECEDING) ORDER BY id'),
	(120, 'SELECT h, (SELECT sum(q.m) FROM (SELECT min(k) OVER (ORDER BY id ROWS 20 PRECEDING) m FROM sort_windows WHERE k < h) q) FROM generate_series(10, 40, 10) h ORDER BY h'),
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
	(112, 'SELECT * FROM (SELECT id, k, rank() OVER (PARTITION BY g ORDER BY k) r, count(*) OVER (PARTITION BY g ORDER BY k) c FROM sort_windows) q WHERE r <= 5 AND c < 9 ORDER BY id'),
	(113, 'SELECT * FROM (SELECT id, row_number() OVER (ORDER BY n DESC, id) rn FROM sort_windows) q WHERE rn < 7 ORDER BY rn DESC'),
	(114, 'SELECT h, (SELECT sum(id) FROM (SELECT id, dense_rank() OVER (ORDER BY k, id) r FROM sort_windows) q WHERE r <= h) FROM generate_series(1, 5, 2) h'),
	(115, 'SELECT * FROM (SELECT id, 5 - row_number() OVER (PARTITION BY g ORDER BY id) left_over FROM sort_windows) q WHERE left_over > 2 ORDER BY id'),
	(116, 'SELECT id, lag(n) OVER (PARTITION BY g ORDER BY id), first_value(n) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) FROM sort_windows ORDER BY id'),
	(111, 'SELECT h, (SELECT sum(q.r) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY n DESC, id) r FROM sort_windows WHERE k < h) q) FROM generate_series(10, 40, 10) h ORDER BY h');
SELECT compare_answers('sort_windows_queries', 'GpuSort', true);
SELECT count(*) FROM sort_windows_queries WHERE number BETWEEN 401 AND 699 AND EXISTS (SELECT FROM explain(sql) WHERE explain ~ 'WindowAgg');
-- what PostgreSQL would have workers sort; the planner's choice
SET gpudb.force = off;
SET gpudb.device = cpu;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE sort_windows_workers AS
SELECT row_number() OVER () AS number, format('SELECT id, %s FROM sort_windows WINDOW w AS (%s) ORDER BY id', functions, definition) AS sql
FROM unnest('{"row_number() OVER w","rank() OVER w, lag(n) OVER w, sum(k) OVER w","ntile(4) OVER w, stddev(k) OVER w"}'::text[]) functions, unnest('{"ORDER BY id","PARTITION BY g ORDER BY k, id","PARTITION BY x, c ORDER BY f DESC NULLS LAST, id"}'::text[]) definition;
SELECT compare_answers('sort_windows_workers', 'GpuSort', true);
SELECT explain FROM explain('SELECT id, row_number() OVER (ORDER BY k, id), stddev(f) OVER (PARTITION BY g ORDER BY id) FROM sort_windows');
SET gpudb.enabled = off;
SELECT explain FROM explain('SELECT id, row_number() OVER (ORDER BY k, id), stddev(f) OVER (PARTITION BY g ORDER BY id) FROM sort_windows');
RESET gpudb.enabled;
DROP TABLE sort_windows_workers;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET gpudb.device;
SET gpudb.force = on;
-- where sorting costs nothing, rows that workers have sorted may be PostgreSQL's cheapest
CREATE TABLE sort_windows_none (id int, x text);
VACUUM ANALYZE sort_windows_none;
SET gpudb.debug_require = allow;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET cpu_operator_cost = 0;
SELECT id, rank() OVER (ORDER BY id) FROM sort_windows_none WHERE (x COLLATE "C", 1) < ('b', 2);
SELECT id, rank() OVER (ORDER BY id), sum(id) OVER (PARTITION BY x ORDER BY id DESC) FROM sort_windows_none WHERE (x COLLATE "C", 1) < ('b', 2);
RESET cpu_operator_cost;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
SET gpudb.debug_require = require;
DROP TABLE sort_windows_none;
-- PostgreSQL's own functions above sorted rows
SELECT query, (SELECT count(*) FROM explain(query) WHERE explain ~ 'WindowAgg') AS window_aggs FROM (SELECT format('SELECT id, %s FROM sort_windows', call) AS query FROM unnest('{"sum(n) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)","sum(n) OVER (ORDER BY id ROWS (SELECT 1) PRECEDING)","first_value(n) OVER (ORDER BY k ROWS 3000000000 PRECEDING)","sum(n) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)","last_value(n) OVER (ORDER BY k GROUPS 2 PRECEDING)","sum(f) OVER (ORDER BY id)","sum(k) FILTER (WHERE k > 3) OVER (PARTITION BY g)","min(f) OVER (ORDER BY id)","sum(n) OVER (ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES)","ntile(g) OVER (ORDER BY k)","sum(n * 2) OVER (ORDER BY k)","count(*) OVER (ORDER BY k)"}'::text[]) call) q;
SET gpudb.debug_require = allow;
SELECT ntile(0) OVER (ORDER BY id) FROM sort_windows;
SELECT sum(k) OVER (ORDER BY id ROWS -1 PRECEDING) FROM sort_windows;
SELECT sum(k) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND NULL FOLLOWING) FROM sort_windows;
-- floats that overflow, but not of the rows that are wanted
CREATE TABLE sort_windows_huge AS SELECT i AS id, CASE WHEN i < 1500 THEN 1 ELSE 1.2e308 END::float8 AS f FROM generate_series(1, 3000) i;
SELECT count(s) FROM (SELECT sum(f) OVER (ORDER BY id) s FROM sort_windows_huge LIMIT 1500) q;
SELECT count(s) FROM (SELECT sum(f) OVER (ORDER BY id) s FROM sort_windows_huge LIMIT 1501) q;
SELECT count(s) FROM (SELECT avg(f) OVER (ORDER BY id) s FROM sort_windows_huge LIMIT 1499) q;
SELECT count(s) FROM (SELECT avg(f) OVER (ORDER BY id) s FROM sort_windows_huge LIMIT 1500) q;
SELECT count(s) FROM (SELECT sum(f) OVER (ORDER BY id) s FROM sort_windows_huge) q;
SELECT count(s) FROM (SELECT sum(f) OVER (ORDER BY id ROWS CURRENT ROW) s FROM sort_windows_huge) q;
DROP TABLE sort_windows_huge;
-- and where the rows are too many
SET gpudb.join_memory = 1;
SELECT explain FROM explain('SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) FROM sort_windows', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|WindowAgg|Fallback';
SELECT sum(id * r), count(*) FROM (SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) r FROM sort_windows) q;
SET gpudb.enabled = off;
SELECT sum(id * r), count(*) FROM (SELECT id, rank() OVER (PARTITION BY g ORDER BY repeat(x, 500), id) r FROM sort_windows) q;
DROP TABLE sort_windows, sort_windows_queries;
