-- Aggregates over distinct values: PostgreSQL's, over rows that a GpuAgg has made distinct.
CREATE TABLE agg_over_distinct (id int PRIMARY KEY, k int, b bool, i2 int2, i8 int8, f8 float8, n numeric(8,2), x numeric, d date, t text, v varchar(3) COLLATE "C", w interval);
INSERT INTO agg_over_distinct
SELECT i, nullif(i % 6, 5), i % 3 = 0, nullif(i % 7, 6), i % 90 * 3000000000, (i % 11) / 4.0, nullif(i % 13, 5) / 4.0, (i % 5)::numeric(4,1) + 0.25, date '2020-01-01' + i % 17, 'text ' || i % 50, nullif(chr(97 + i % 5), 'c'), i % 4 * interval '1 hour'
FROM generate_series(1, 8000) i;
CREATE TABLE agg_over_distinct_other AS SELECT i AS k, i % 4 AS kind FROM generate_series(0, 4) i;
CREATE TABLE agg_over_distinct_parts (k int, v int) PARTITION BY HASH (k);
CREATE TABLE agg_over_distinct_even PARTITION OF agg_over_distinct_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE agg_over_distinct_odd PARTITION OF agg_over_distinct_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO agg_over_distinct_parts SELECT i % 100, i % 6 FROM generate_series(1, 3000) i;
ANALYZE agg_over_distinct, agg_over_distinct_other, agg_over_distinct_parts;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT count(DISTINCT i2) FROM agg_over_distinct WHERE id > 5');
SELECT explain FROM explain('SELECT k, count(DISTINCT i2 + 1), max(i2 + 1) FROM agg_over_distinct GROUP BY k HAVING sum(DISTINCT i2 + 1) > 3 ORDER BY k');
-- beside PostgreSQL's answer
CREATE TABLE agg_over_distinct_queries AS
SELECT row_number() OVER () AS number, format('SELECT %s FROM agg_over_distinct', aggregates) AS sql
FROM unnest('{count(DISTINCT b),count(DISTINCT i2),sum(DISTINCT i8),count(DISTINCT f8),sum(DISTINCT n),count(DISTINCT x),min(DISTINCT d),count(DISTINCT t),max(DISTINCT v),"array_agg(DISTINCT i2)","string_agg(DISTINCT v, '','')","string_agg(DISTINCT t, '','' ORDER BY t DESC)","count(DISTINCT i2), sum(DISTINCT i2), avg(DISTINCT i2), min(i2), max(i2)","count(DISTINCT b), count(DISTINCT v)","stddev(DISTINCT i2)","count(DISTINCT i2 + k)","count(DISTINCT CASE WHEN b THEN k END), bool_and(DISTINCT b)","sum(DISTINCT i2) + count(DISTINCT k) * 2","count(DISTINCT NULL::int), count(DISTINCT b), max(7)"}'::text[]) aggregates;
INSERT INTO agg_over_distinct_queries SELECT 100 + number, regexp_replace(sql, '^SELECT (.*) FROM (.*)$', 'SELECT k, \1 FROM \2 GROUP BY k') FROM agg_over_distinct_queries;
INSERT INTO agg_over_distinct_queries SELECT 200 + number, regexp_replace(sql, '^SELECT (.*) FROM (.*)$', 'SELECT v, b, \1 FROM \2 WHERE id % 3 < 2 GROUP BY b, v') FROM agg_over_distinct_queries WHERE number < 100;
INSERT INTO agg_over_distinct_queries VALUES
	(300, 'SELECT count(DISTINCT i2), sum(DISTINCT i2) FROM agg_over_distinct WHERE id < 0'), (301, 'SELECT k, count(DISTINCT i2) FROM agg_over_distinct WHERE id < 0 GROUP BY k'),
	(302, 'SELECT o.kind, count(DISTINCT a.i2), max(a.i2) FROM agg_over_distinct a LEFT JOIN agg_over_distinct_other o USING (k) GROUP BY o.kind'), (303, 'SELECT count(DISTINCT (a.i2 + o.kind)) FROM agg_over_distinct a JOIN agg_over_distinct_other o USING (k)'),
	(304, 'SELECT count(DISTINCT v), sum(DISTINCT k) FROM agg_over_distinct_parts'), (305, 'SELECT v, count(DISTINCT k) FROM agg_over_distinct_parts WHERE k > 10 GROUP BY v'),
	(306, 'SELECT k FROM agg_over_distinct GROUP BY k HAVING count(DISTINCT i2) > 1 ORDER BY k LIMIT 3'), (307, 'SELECT k, count(DISTINCT t) FROM agg_over_distinct GROUP BY k ORDER BY 2 DESC, 1 LIMIT 2'),
	(308, 'SELECT k % 2, count(DISTINCT k % 2), 7 FROM agg_over_distinct GROUP BY k % 2'), (309, 'SELECT max(c) FROM (SELECT k, count(DISTINCT d) AS c FROM agg_over_distinct GROUP BY k) q'),
	(310, 'SELECT (SELECT count(DISTINCT i2) FROM agg_over_distinct WHERE id > g) FROM generate_series(1, 8000, 1500) g'), (311, 'SELECT k, count(DISTINCT i2), rank() OVER (ORDER BY count(DISTINCT i2), k) FROM agg_over_distinct GROUP BY k'),
	(312, 'SELECT DISTINCT count(DISTINCT i2) FROM agg_over_distinct GROUP BY k'), (313, 'SELECT k, k + 1, count(DISTINCT b) FROM agg_over_distinct WHERE k = 3 GROUP BY k'), (314, 'SELECT k, CASE NULL::int WHEN 3 THEN 7 ELSE k END, count(DISTINCT i2) FROM agg_over_distinct GROUP BY 1, 2');
SELECT compare_answers('agg_over_distinct_queries', 'GpuAgg');
-- in resumed runs, and prepared
SET gpudb.debug_yield = 5;
SELECT b, count(DISTINCT i2), sum(DISTINCT n) FROM agg_over_distinct GROUP BY b ORDER BY b;
RESET gpudb.debug_yield;
PREPARE agg_over_distinct_prepared (int) AS SELECT count(DISTINCT i2 + $1), sum(DISTINCT i2 + $1) FROM agg_over_distinct WHERE id > $1;
EXECUTE agg_over_distinct_prepared (1);
EXECUTE agg_over_distinct_prepared (7998);
-- what a device cannot tell apart, and an error
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT b, count(DISTINCT CASE WHEN id % 2 = 0 THEN 1.0 ELSE 1.00 END) FROM agg_over_distinct GROUP BY b', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Agg|Group';
SELECT count(DISTINCT 7 / (id - 5)) FROM agg_over_distinct;
-- aggregates of all rows beside, filters, types that a device does not group by, and equal values that may print differently, unless they are counted
SELECT query, gpu_nodes(query) LIKE '%GpuAgg%' AS by_gpu_agg FROM unnest(ARRAY['SELECT count(DISTINCT i2), count(*) FROM agg_over_distinct', 'SELECT count(DISTINCT i2) FILTER (WHERE b) FROM agg_over_distinct', 'SELECT count(DISTINCT w) FROM agg_over_distinct', 'SELECT avg(DISTINCT x) FROM agg_over_distinct', 'SELECT count(DISTINCT i2), max(x) FROM agg_over_distinct', 'SELECT sum(DISTINCT f8) FROM agg_over_distinct',
	'SELECT count(DISTINCT i2), sum(i2) FROM agg_over_distinct', 'SELECT count(DISTINCT random() < 2) FROM agg_over_distinct', 'SELECT count(DISTINCT 7) FROM agg_over_distinct', 'SELECT id, k, count(DISTINCT i2) FROM agg_over_distinct GROUP BY id', 'SELECT k, count(DISTINCT i2) FROM agg_over_distinct GROUP BY ROLLUP (k)']) query;
SELECT count(DISTINCT i2), count(*), sum(DISTINCT i2) FILTER (WHERE b), count(DISTINCT w) FROM agg_over_distinct;
SELECT count(DISTINCT 7), max(8) FROM agg_over_distinct WHERE id < 0;
SELECT count(DISTINCT 7), max(8) FROM agg_over_distinct;
-- a set-returning function of a key's expression, below which PostgreSQL's target has the bare column
SELECT k / 2 AS half, generate_series(1, k / 2 % 3) AS n, max(id), string_agg(DISTINCT 'a', ',') FROM agg_over_distinct GROUP BY 1 ORDER BY 3, 2 LIMIT 4;
DROP TABLE agg_over_distinct, agg_over_distinct_other, agg_over_distinct_parts, agg_over_distinct_queries;
