-- SELECT DISTINCT as a grouping by all columns.
CREATE TABLE agg_distinct (id int PRIMARY KEY, b bool, i2 int2, i4 int4, f8 float8, n numeric(8,2), x numeric, d date, t text, v varchar(3) COLLATE "C", c char(3), w interval);
INSERT INTO agg_distinct
SELECT i, nullif(i % 3, 2) = 0, nullif(i % 7, 6), i % 1000, (i % 11) / 4.0, nullif(i % 13, 5) / 4.0, (i % 5)::numeric(4,1) + 0.25, date '2020-01-01' + i % 17, 'text ' || i % 50, nullif(chr(97 + i % 5), 'c'), chr(65 + i % 4), i % 3 * interval '1 day'
FROM generate_series(1, 8000) i;
CREATE TABLE agg_distinct_other AS SELECT i AS k, i % 4 AS kind FROM generate_series(0, 600) i;
CREATE TABLE agg_distinct_parts (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE agg_distinct_low PARTITION OF agg_distinct_parts FOR VALUES FROM (0) TO (500);
CREATE TABLE agg_distinct_high PARTITION OF agg_distinct_parts FOR VALUES FROM (500) TO (1000);
INSERT INTO agg_distinct_parts SELECT i % 1000, i % 6 FROM generate_series(1, 4000) i;
ANALYZE agg_distinct, agg_distinct_other, agg_distinct_parts;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT DISTINCT b, i2 + 1 FROM agg_distinct WHERE id > 5 ORDER BY 1, 2');
SELECT explain FROM explain('SELECT DISTINCT a.i2, o.kind FROM agg_distinct a JOIN agg_distinct_other o ON a.i4 = o.k');
SELECT DISTINCT b, i2 FROM agg_distinct ORDER BY b, i2 DESC;
SELECT DISTINCT v, c FROM agg_distinct ORDER BY v NULLS FIRST, c LIMIT 6;
-- all that can be distinct, beside PostgreSQL's answer
CREATE TABLE agg_distinct_queries AS
SELECT row_number() OVER () AS number, format('SELECT DISTINCT %s FROM agg_distinct', columns) AS sql
FROM unnest('{b,i2,i4,f8,n,x,d,t,v,c,id,"b, i2, v","i4 % 10, i4 / 100","i2, i2","i2, 7, b","t, d","n + x, f8","substring(v, 1, 1), c","f8 * 2 - 1","CASE WHEN b THEN i4 END","NULL::int, b","id, b, t"}'::text[]) columns;
INSERT INTO agg_distinct_queries VALUES
	(100, 'SELECT DISTINCT i2 FROM agg_distinct WHERE id < 0'), (101, 'SELECT DISTINCT b, t FROM agg_distinct WHERE i4 BETWEEN 10 AND 20 AND f8 > 1'),
	(102, 'SELECT DISTINCT o.kind, a.b FROM agg_distinct a LEFT JOIN agg_distinct_other o ON a.i4 = o.k'), (103, 'SELECT DISTINCT a.v FROM agg_distinct a WHERE NOT EXISTS (SELECT FROM agg_distinct_other o WHERE a.i4 = o.k)'),
	(104, 'SELECT DISTINCT v FROM agg_distinct_parts'), (105, 'SELECT DISTINCT v, k / 300 FROM agg_distinct_parts WHERE k > 100'),
	(106, 'SELECT count(*) FROM (SELECT DISTINCT i2, b FROM agg_distinct) q'), (107, 'SELECT sum(kind) FROM (SELECT DISTINCT i4 FROM agg_distinct WHERE b) q JOIN agg_distinct_other ON k = i4'),
	(108, 'SELECT DISTINCT i4 FROM agg_distinct ORDER BY i4 DESC LIMIT 5 OFFSET 2'), (109, 'SELECT DISTINCT n, b FROM agg_distinct ORDER BY n NULLS FIRST, b LIMIT 3'),
	(110, 'SELECT DISTINCT d, i2 FROM agg_distinct ORDER BY d, i2 LIMIT 7'), (111, 'SELECT DISTINCT -i2 FROM agg_distinct ORDER BY -i2 LIMIT 3'),
	(112, 'SELECT (SELECT count(*) FROM (SELECT DISTINCT i2 FROM agg_distinct WHERE id > g) q) FROM generate_series(1, 8000, 1500) g');
SELECT compare_answers('agg_distinct_queries', 'GpuAgg');
-- only the first groups of an order are handed on
SELECT explain FROM explain('SELECT DISTINCT i4, b FROM agg_distinct ORDER BY i4 DESC LIMIT 5', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Limit|Sort Key|Top|Groups';
-- in resumed runs, and prepared
SET gpudb.debug_yield = 5;
SELECT DISTINCT c, i2 % 2 FROM agg_distinct ORDER BY 1, 2;
RESET gpudb.debug_yield;
PREPARE agg_distinct_prepared (int) AS SELECT DISTINCT i2 + $1 FROM agg_distinct WHERE id > $1 ORDER BY 1;
EXECUTE agg_distinct_prepared (1);
EXECUTE agg_distinct_prepared (7998);
-- what a device cannot tell apart, an error, and what is not a grouping of a relation's rows
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT DISTINCT CASE WHEN id % 2 = 0 THEN 1.0 ELSE 1.00 END FROM agg_distinct', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback';
SET enable_hashagg = off;
SELECT explain FROM explain('SELECT DISTINCT i2, CASE WHEN id % 2 = 0 THEN 1.0 ELSE 1.00 END FROM agg_distinct', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Aggregate|Group|Unique|Sort Key';
SELECT count(*) FROM (SELECT DISTINCT i2, CASE WHEN id % 2 = 0 THEN 1.0 ELSE 1.00 END FROM agg_distinct OFFSET 0) q;
RESET enable_hashagg;
SELECT DISTINCT i4 / (id - 5) FROM agg_distinct;
SELECT DISTINCT w FROM agg_distinct ORDER BY w;
SELECT query, gpu_nodes(query) LIKE '%GpuAgg%' AS by_gpu_agg FROM unnest(ARRAY['SELECT DISTINCT w FROM agg_distinct', 'SELECT DISTINCT ON (i2) i2, id FROM agg_distinct', 'SELECT DISTINCT generate_series(1, i2) FROM agg_distinct',
	'SELECT DISTINCT row_number() OVER (ORDER BY id) FROM agg_distinct', 'SELECT DISTINCT random() < 2 FROM agg_distinct', 'SELECT i2 FROM agg_distinct UNION SELECT i4 FROM agg_distinct']) query;
SELECT DISTINCT count(*) OVER (PARTITION BY b) FROM agg_distinct ORDER BY 1;
SELECT DISTINCT ON (b) b, id FROM agg_distinct ORDER BY b, id DESC;
DROP TABLE agg_distinct, agg_distinct_other, agg_distinct_parts, agg_distinct_queries;
