-- GROUPING SETS, ROLLUP and CUBE: a GpuAgg for each set.
CREATE TABLE agg_grouping_sets (id int NOT NULL PRIMARY KEY, a int, b int, c text, d date, n numeric(8,2), f float8, v varchar(5));
INSERT INTO agg_grouping_sets
SELECT i, nullif(i % 7, 3), i % 5, CASE WHEN i % 4 > 0 THEN 'text' || i % 3 END, date '2000-01-01' + i % 3, i % 100 / 4.0, i % 64 / 8.0, 'v' || i % 2 FROM generate_series(1, 5000) i;
CREATE TABLE agg_grouping_sets_other (a int, kind int);
INSERT INTO agg_grouping_sets_other SELECT i, i % 2 FROM generate_series(0, 5) i;
CREATE TABLE agg_grouping_sets_parts (a int, b int, n int) PARTITION BY LIST (b);
CREATE TABLE agg_grouping_sets_part_0 PARTITION OF agg_grouping_sets_parts FOR VALUES IN (0, 1);
CREATE TABLE agg_grouping_sets_part_1 PARTITION OF agg_grouping_sets_parts FOR VALUES IN (2, 3, 4);
INSERT INTO agg_grouping_sets_parts SELECT a, b, id FROM agg_grouping_sets;
ANALYZE agg_grouping_sets, agg_grouping_sets_other, agg_grouping_sets_parts;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT a, c, GROUPING(a, c), count(*), sum(n) FROM agg_grouping_sets GROUP BY ROLLUP (a, c) HAVING count(*) > 10');
SELECT a, b, GROUPING(a, b), count(*), sum(n), a + 1, coalesce(b, -1) FROM agg_grouping_sets GROUP BY CUBE (a, b) HAVING count(*) > 900 OR GROUPING(b) = 1 ORDER BY 1, 2, 3;
SELECT c, GROUPING(c), max(v), min(c || 'x') FROM agg_grouping_sets GROUP BY GROUPING SETS ((c), (), (c)) ORDER BY 1, 2;
CREATE TABLE agg_grouping_sets_queries AS
SELECT row_number() OVER () AS number, format('SELECT %s, %s FROM agg_grouping_sets %s GROUP BY %s', replace(keys, '()', '1'), aggregates, filter, sets) AS sql
FROM unnest('{"count(*), sum(n), avg(n)","min(c), max(d), count(a), sum(a)","sum(f), avg(f) + 1, bool_and(b > 0)","GROUPING(a), GROUPING(b, a) * 2, count(b) FILTER (WHERE a > 2), stddev(b)"}'::text[]) aggregates, unnest('{"","WHERE id % 3 > 0","WHERE id < 0"}'::text[]) filter,
	(VALUES ('a, b', 'ROLLUP (a, b)'), ('a, b, a * 10 + b', 'CUBE (a, b)'), ('a, b', 'GROUPING SETS ((a), (b), ())'), ('b, a, c', 'b, ROLLUP (a, c)'), ('a, b, c, d', 'GROUPING SETS ((a, b), (c, d), (a, d))'), ('a % 2, b, b % 3 = 0', 'ROLLUP (a % 2, (b, b % 3 = 0)), c'), ('a, b', 'a, b, GROUPING SETS (())')) AS s (keys, sets)
WHERE aggregates !~ 'GROUPING' OR sets ~ 'ROLLUP \(a, b|CUBE|\(a\), \(b\)';
INSERT INTO agg_grouping_sets_queries VALUES
	(200, 'SELECT o.kind, g.b, count(*), sum(g.n), GROUPING(o.kind, g.b) FROM agg_grouping_sets g JOIN agg_grouping_sets_other o USING (a) GROUP BY CUBE (o.kind, g.b)'), (201, 'SELECT a, b, count(*), sum(n) FROM agg_grouping_sets_parts GROUP BY ROLLUP (a, b)'),
	(202, 'SELECT a, sum(c) FROM (SELECT a, b, count(*) AS c FROM agg_grouping_sets GROUP BY ROLLUP (a, b)) q GROUP BY a'), (203, 'SELECT a, b, rank() OVER (ORDER BY count(*) DESC, a, b, GROUPING(a, b)) FROM agg_grouping_sets GROUP BY ROLLUP (a, b)'),
	(204, 'SELECT DISTINCT a, count(*) FROM agg_grouping_sets GROUP BY CUBE (a, b)'), (205, 'SELECT CASE WHEN GROUPING(a) = 1 THEN ''all'' ELSE a::text END, count(*) FROM agg_grouping_sets GROUP BY ROLLUP (a) ORDER BY GROUPING(a), a LIMIT 3'),
	(206, 'SELECT h, (SELECT string_agg(concat(q.a, '':'', q.c), '','' ORDER BY q.a, q.c) FROM (SELECT a, count(*) c FROM agg_grouping_sets WHERE b < h GROUP BY ROLLUP (a)) q) FROM generate_series(1, 3) h'),
	(207, 'SELECT a, b, count(*) FROM agg_grouping_sets GROUP BY DISTINCT ROLLUP (a, b), ROLLUP (a)'),
	(209, 'SELECT a, a + 1, (a + 1) * 2, count(*) FROM agg_grouping_sets GROUP BY CUBE (a, a + 1)'), (210, 'SELECT count(*), sum(n) FROM agg_grouping_sets GROUP BY ROLLUP (a) HAVING sum(n) > 8000'), (211, 'SELECT v, count(*) FROM agg_grouping_sets GROUP BY GROUPING SETS (v, ())');
SELECT compare_answers('agg_grouping_sets_queries', 'GpuAgg');
-- of values in order, and of those that differ: a GpuSort for each set
CREATE TABLE agg_grouping_sets_ordered AS
SELECT row_number() OVER () AS number, format('SELECT %s, %s FROM agg_grouping_sets %s GROUP BY %s', keys, aggregates, filter, sets) AS sql
FROM unnest('{"count(*), count(DISTINCT c), sum(n)","mode() WITHIN GROUP (ORDER BY v), gpudb.median(n), avg(n)","GROUPING(a), percentile_disc(0.5) WITHIN GROUP (ORDER BY c DESC), max(d)","sum(DISTINCT a), count(DISTINCT b) FILTER (WHERE a > 2), count(*)"}'::text[]) aggregates, unnest('{"","WHERE id % 3 > 0","WHERE id < 0"}'::text[]) filter,
	(VALUES ('a, b', 'ROLLUP (a, b)'), ('a, b, c, d', 'GROUPING SETS ((a, b), (c, d), (a, d))'), ('a, b % 2', 'CUBE (a, b % 2)')) AS s (keys, sets);
SELECT explain FROM explain('SELECT a, count(*), count(DISTINCT c) FROM agg_grouping_sets GROUP BY ROLLUP (a) HAVING count(DISTINCT c) > 1');
SELECT a, count(*), count(DISTINCT c), mode() WITHIN GROUP (ORDER BY v DESC) FROM agg_grouping_sets GROUP BY ROLLUP (a) HAVING count(DISTINCT c) > 1 ORDER BY 1, 2;
SELECT compare_answers('agg_grouping_sets_ordered', 'GpuSort');
-- a key that has no order
SET gpudb.debug_require = allow;
CREATE TABLE agg_grouping_sets_xid AS SELECT a, b, (b % 2)::text::xid AS x FROM agg_grouping_sets;
SELECT x::text, a, count(*), grouping(x) FROM agg_grouping_sets_xid GROUP BY GROUPING SETS ((a), (x)) ORDER BY 4, 1, 2;
SELECT x::text, a, count(*) FROM agg_grouping_sets_xid WHERE a < 1 GROUP BY GROUPING SETS ((a), (a, x)) HAVING count(DISTINCT b) > 0 ORDER BY 1, 2;
DROP TABLE agg_grouping_sets_xid;
SET gpudb.debug_require = require;
SET gpudb.debug_yield = 7;
SELECT a, count(*), sum(n) FROM agg_grouping_sets GROUP BY ROLLUP (a) ORDER BY a, count(*);
RESET gpudb.debug_yield;
PREPARE agg_grouping_sets_prepared (int) AS SELECT b, sum(a + $1) FROM agg_grouping_sets WHERE id > $1 GROUP BY ROLLUP (b) ORDER BY b, 2;
EXECUTE agg_grouping_sets_prepared (1);
EXECUTE agg_grouping_sets_prepared (4990);
-- what a device finds out that it cannot do, and what it knows
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT a, sum(7 / (id - 5)) FROM agg_grouping_sets WHERE id <> 5 OR a IS NULL GROUP BY ROLLUP (a)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Agg|Append';
SELECT a, sum(7 / (id - 5)) FROM agg_grouping_sets GROUP BY ROLLUP (a);
SELECT query, gpu_nodes(query) LIKE '%GpuAgg%' AS by_gpu_agg FROM unnest(ARRAY['SELECT a, count(DISTINCT b) FROM agg_grouping_sets GROUP BY ROLLUP (a)', 'SELECT count(*) FROM agg_grouping_sets GROUP BY ROLLUP (1::int, a)', 'SELECT a, (SELECT max(kind) FROM agg_grouping_sets_other o WHERE o.a = g.a), count(*) FROM agg_grouping_sets g GROUP BY ROLLUP (a)',
	'SELECT a, count(*) FROM agg_grouping_sets GROUP BY CUBE (a, b, c, d, v, n)', 'SELECT a, random(), count(*) FROM agg_grouping_sets GROUP BY ROLLUP (a)', 'SELECT a, string_agg(c, c) FROM agg_grouping_sets GROUP BY ROLLUP (a)']) query;
SELECT a, CASE NULL::int WHEN 3 THEN 7 ELSE a END, count(*) FROM agg_grouping_sets WHERE a < 2 GROUP BY ROLLUP (1, 2) ORDER BY 1, 2, 3;
SELECT a, count(*) FROM agg_grouping_sets GROUP BY ROLLUP (b);
DROP TABLE agg_grouping_sets, agg_grouping_sets_other, agg_grouping_sets_parts, agg_grouping_sets_queries, agg_grouping_sets_ordered;
