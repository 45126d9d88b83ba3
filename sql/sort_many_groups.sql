-- Groups that are too many for hash memory, and distinct rows: a GpuSort finds them.
CREATE TABLE sort_many_groups (id int NOT NULL, g int, h int8, k int, f float8, r real, x text, c char(4), n numeric(8,3), d date, b boolean, z float8);
INSERT INTO sort_many_groups
SELECT i, CASE WHEN i % 11 > 0 THEN i * 7919 % 4001 END, i::int8 * 1000003 % 9973, i * 31 % 97, i % 7 / 4.0 - 1, i % 13 / 4.0, CASE WHEN i % 6 > 0 THEN 'text' || i % 2000 END, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b' END, (i * 31 % 977) / 8.0 - 50,
	date '2000-01-01' + i % 100, i % 3 = 0, CASE WHEN i % 2 = 0 THEN float8 '-0' ELSE 0 END
FROM generate_series(1, 20000) i;
VACUUM ANALYZE sort_many_groups;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
-- the planner's choice, whatever work_mem is: many groups are sorted where their table would be larger than the processor's caches, few are hashed
SET gpudb.debug_require = require;
SET gpudb.device = cpu;
SET gpudb.cpu_threads = 2;
SELECT work_mem, replace(gpu_nodes(query), E'\n', ' ') AS nodes, query
FROM unnest('{64kB,64kB,64kB,64MB,64MB,64MB,64MB}'::text[], '{"SELECT h, count(*), max(k) FROM sort_many_groups GROUP BY h","SELECT DISTINCT h, k FROM sort_many_groups","SELECT k, count(*) FROM sort_many_groups GROUP BY k","SELECT g, count(*), max(k) FROM sort_many_groups GROUP BY g","SELECT k, count(*) FROM sort_many_groups GROUP BY k","SELECT k, count(*) FROM sort_many_groups WHERE id < 2000 GROUP BY k","SELECT DISTINCT k FROM sort_many_groups WHERE id < 2000"}'::text[]) q (work_mem, query) CROSS JOIN set_config('work_mem', work_mem, false);
RESET gpudb.device;
RESET gpudb.cpu_threads;
RESET work_mem;
-- forced, with enable_hashagg off
SET gpudb.force = on;
SET enable_hashagg = off;
SELECT explain FROM explain('SELECT g, count(*) AS many, max(k), sum(n) / 2 FROM sort_many_groups GROUP BY g HAVING count(*) > 5 ORDER BY g DESC LIMIT 3');
SELECT g, count(*) AS many, max(k), sum(n) / 2 FROM sort_many_groups GROUP BY g HAVING count(*) > 5 ORDER BY g DESC LIMIT 3;
SELECT explain FROM explain('SELECT DISTINCT x, g FROM sort_many_groups ORDER BY g DESC, x');
SELECT explain FROM explain('SELECT k FROM sort_many_groups GROUP BY k', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain !~ 'Tablets';
CREATE TABLE sort_many_groups_queries AS
SELECT row_number() OVER () AS number, format('SELECT %s, %s FROM sort_many_groups %s GROUP BY %s', keys, aggregates, filter, keys) AS sql
FROM unnest('{"count(*), max(k), min(n), sum(k), avg(h)","count(x), min(d), bool_and(b), sum(n), avg(n), max(x)","sum(f), avg(r), min(f)","1"}'::text[]) aggregates,
	unnest('{g,"g, h","x, b","c, d","n","id"}'::text[]) keys, unnest('{"","WHERE id % 3 > 0","WHERE id < 0","WHERE k = 5"}'::text[]) filter;
INSERT INTO sort_many_groups_queries VALUES
	(300, 'SELECT DISTINCT g FROM sort_many_groups'), (301, 'SELECT DISTINCT x, c FROM sort_many_groups WHERE k > 40 ORDER BY c DESC, x NULLS FIRST'), (302, 'SELECT count(*) FROM (SELECT DISTINCT g, k FROM sort_many_groups) q'),
	(303, 'SELECT DISTINCT d, g FROM sort_many_groups WHERE g = 77'), (304, 'SELECT g, count(*) FROM sort_many_groups GROUP BY g HAVING max(k) > 95 AND min(k) < 2'), (305, 'SELECT sum(m) FROM (SELECT max(id) m FROM sort_many_groups GROUP BY h) q'),
	(306, 'SELECT a.h, count(*), max(b.k) FROM sort_many_groups a JOIN sort_many_groups b ON b.id = a.g GROUP BY a.h'), (307, 'SELECT DISTINCT a.h, b.k FROM sort_many_groups a JOIN sort_many_groups b ON b.id = a.g'),
	(308, 'SELECT g, rank() OVER (ORDER BY count(*), g) FROM sort_many_groups GROUP BY g'), (309, 'SELECT DISTINCT count(*) FROM sort_many_groups GROUP BY h'),
	(311, 'SELECT h, (SELECT count(*) FROM (SELECT g FROM sort_many_groups WHERE k < h GROUP BY g) q) FROM generate_series(1, 80, 20) h');
SELECT compare_answers('sort_many_groups_queries', 'GpuSort');
-- in the order of the groups
SELECT array_agg(g) = array_agg(g ORDER BY g) AS in_order, count(*) FROM (SELECT g, count(*) FROM sort_many_groups GROUP BY g ORDER BY g) q;
-- after a change, prepared, and in a cursor
PREPARE sort_many_groups_prepared (int) AS SELECT g, sum(k) FROM sort_many_groups WHERE id > $1 GROUP BY g ORDER BY g LIMIT 2;
EXECUTE sort_many_groups_prepared (10000);
UPDATE sort_many_groups SET k = k + 1 WHERE id % 5 = 0;
EXECUTE sort_many_groups_prepared (10000);
EXECUTE sort_many_groups_prepared (20000);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT h, count(*) FROM sort_many_groups GROUP BY h ORDER BY h;
MOVE 5000 IN c;
FETCH 1 FROM c;
FETCH -1 FROM c;
COMMIT;
-- a least value that may be one of two, numbers too large; and more rows than memory for them
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT g, max(z) FROM sort_many_groups GROUP BY g', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Group';
SELECT g, max(z) = 0 FROM sort_many_groups GROUP BY g ORDER BY g LIMIT 1;
SELECT k, sum(1.5e308::float8) FROM sort_many_groups GROUP BY k;
SET gpudb.join_memory = 1;
SELECT gpu_nodes('SELECT g, max(k) FROM sort_many_groups GROUP BY g') LIKE '%GpuSort%' AS by_gpu_sort;
RESET gpudb.join_memory;
-- a GpuAgg computes what a scan's columns are not
SELECT query, replace(gpu_nodes(query), E'\n', ' ') AS nodes FROM unnest(ARRAY['SELECT h % 1000, max(k) FROM sort_many_groups GROUP BY 1', 'SELECT h, max(k + 1) FROM sort_many_groups GROUP BY h', 'SELECT h, stddev(k) FROM sort_many_groups GROUP BY h', 'SELECT h, max(k) FILTER (WHERE b) FROM sort_many_groups GROUP BY h', 'SELECT g, k, count(*) FROM sort_many_groups GROUP BY ROLLUP (g, k)']) query;
DROP TABLE sort_many_groups, sort_many_groups_queries;
