-- Aggregates over the rows of a GpuSort, which do not become tuples.
CREATE TABLE sort_agg (id int, g int, v int, w bigint, n numeric(10, 2), f float8, t text COLLATE "C", d date);
INSERT INTO sort_agg
SELECT i, nullif(i % 7, 3), (i * 7919) % 1000, (i * 104729::bigint) % 100000 - 50000, nullif(i % 9973, 5) / 100.0, nullif((i * 31) % 1000, 17) / 8.0, CASE WHEN i % 50 > 0 THEN 'text ' || i % 100 END, date '2020-01-01' + i % 400
FROM generate_series(1, 20000) i;
VACUUM ANALYZE sort_agg;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q');
SELECT explain FROM explain('SELECT g, sum(w) FROM (SELECT g, w, rank() OVER (PARTITION BY g ORDER BY v, id) r FROM sort_agg) q WHERE r % 3 = 1 GROUP BY g HAVING count(*) > 10');
SELECT explain FROM explain('SELECT g, sum(w) FROM (SELECT g, w, row_number() OVER (PARTITION BY g ORDER BY v, id) rn FROM sort_agg) q WHERE rn <= 3 GROUP BY g');
CREATE TABLE sort_agg_queries (number int, sql text);
INSERT INTO sort_agg_queries VALUES
	(1, 'SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q'),
	-- groups, filters of rows and of groups, expressions over both
	(2, 'SELECT g, sum(w), count(*), max(r) FROM (SELECT g, w, rank() OVER (PARTITION BY g ORDER BY v, id) r FROM sort_agg) q WHERE r % 3 = 1 GROUP BY g HAVING count(*) > 10'),
	(3, 'SELECT v / 100, count(*) * 2, avg(lag - v) FROM (SELECT v, lag(v) OVER (ORDER BY id) FROM sort_agg) q GROUP BY 1'),
	(4, 'SELECT count(*), count(f), min(f), max(t), sum(n), avg(n), min(d) FROM (SELECT f, t, n, d, row_number() OVER (PARTITION BY g ORDER BY t, f DESC, id) rn FROM sort_agg) q WHERE rn <= 100 + 7 OR d > ''2020-06-01'''),
	(5, 'SELECT t, sum(n) FROM (SELECT t, n, first_value(f) OVER (PARTITION BY t ORDER BY id) ff FROM sort_agg) q WHERE ff > 3 GROUP BY t'),
	(6, 'SELECT sum(total) FROM (SELECT sum(w) OVER (PARTITION BY g ORDER BY id) total FROM sort_agg) q'),
	(7, 'SELECT max(rn) FROM (SELECT row_number() OVER (PARTITION BY g, v ORDER BY w DESC, id) rn, d FROM sort_agg) q WHERE d - 1 < ''2020-05-05'''),
	-- conditions that PostgreSQL's WindowAgg would end partitions by
	(8, 'SELECT g, sum(w), count(*) FROM (SELECT g, w, row_number() OVER (PARTITION BY g ORDER BY v, id) rn FROM sort_agg) q WHERE rn <= 3 GROUP BY g'),
	(9, 'SELECT count(*), max(r), min(f) FROM (SELECT f, rank() OVER (ORDER BY v DESC) r, dense_rank() OVER (ORDER BY v DESC) d FROM sort_agg) q WHERE r < 200 AND d <= 9 AND f > 0'),
	-- the first rows, and one for each
	(10, 'SELECT sum(w), min(v) FROM (SELECT v, w FROM sort_agg ORDER BY v, id LIMIT 500) q'),
	(11, 'SELECT g, sum(w) FROM (SELECT g, w FROM sort_agg ORDER BY v DESC, id OFFSET 700 LIMIT 500) q GROUP BY g'),
	(12, 'SELECT sum(w), count(g) FROM (SELECT DISTINCT ON (v) v, w, g FROM sort_agg ORDER BY v, id DESC) q'),
	-- of no rows, and of no columns
	(20, 'SELECT sum(v * rn), count(*) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg WHERE id < 0) q'),
	(21, 'SELECT count(*) FROM (SELECT v FROM sort_agg ORDER BY v, id OFFSET 10 LIMIT 100) q'),
	(22, 'SELECT g, sum(rn) FROM (SELECT g, row_number() OVER (ORDER BY v, id) rn FROM sort_agg WHERE id < 0) q GROUP BY g'),
	-- below others, and more than once
	(30, 'SELECT x, (SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg WHERE g = x) q) FROM generate_series(1, 3) x'),
	(31, 'SELECT sum(s) FROM (SELECT g, sum(v * rn) AS s FROM (SELECT g, v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q GROUP BY g) p'),
	(32, 'SELECT a.s + b.s FROM (SELECT sum(v * rn) AS s FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q) a, (SELECT max(rn) AS s FROM (SELECT row_number() OVER (ORDER BY w, id) rn FROM sort_agg WHERE v < 10) q) b');
SELECT compare_answers('sort_agg_queries', 'GpuSortAgg');
-- what stays PostgreSQL's: parameters above the sort, percentiles, other functions, what the subquery computes of sorted rows, numerics of unknown scale
SELECT query, gpu_nodes(query) FROM unnest('{"SELECT x, (SELECT sum(v * rn + x) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q) FROM generate_series(1, 3) x","SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY rn) FROM (SELECT row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q","SELECT string_agg(v::text, '','') FROM (SELECT v FROM sort_agg ORDER BY v, id LIMIT 5) q","SELECT sum(y * rn) FROM (SELECT v + 1 AS y, row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q","SELECT max(r) FROM (SELECT 10 * rank() OVER (ORDER BY v, id) AS r FROM sort_agg) q","SELECT y, max(r) FROM (SELECT 1 AS y, rank() OVER (ORDER BY v, id) AS r FROM sort_agg) q GROUP BY y","SELECT max(y) FROM (SELECT max(n) OVER (ORDER BY v, id) AS y FROM sort_agg) q"}'::text[]) query;
PREPARE checksum(int) AS SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY v, id) rn FROM sort_agg WHERE g < $1) q;
EXECUTE checksum(2);
EXECUTE checksum(5);
DEALLOCATE checksum;
SET gpudb.debug_require = allow;
-- errors are PostgreSQL's
SELECT sum(1 / (rn - 5)) FROM (SELECT row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q;
SELECT sum(9223372036854775807 * rn) FROM (SELECT row_number() OVER (ORDER BY v, id) rn FROM sort_agg) q;
-- and where there is no room the answer is
SET gpudb.join_memory = 1;
SELECT explain FROM explain('SELECT sum(v * rn) FROM (SELECT v, repeat(t, 500), row_number() OVER (ORDER BY repeat(t, 500), id) rn FROM sort_agg) q', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Aggregate|Fallback';
SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY repeat(t, 500), id) rn FROM sort_agg) q;
SET gpudb.enabled = off;
SELECT sum(v * rn) FROM (SELECT v, row_number() OVER (ORDER BY repeat(t, 500), id) rn FROM sort_agg) q;
DROP TABLE sort_agg, sort_agg_queries;
