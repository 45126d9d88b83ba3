-- DISTINCT ON by a GpuSort that passes over rows which do not differ.
CREATE TABLE sort_distinct (id int NOT NULL, g int, k int, f float8, x text, c char(4), n numeric(6,2), u uuid, iv interval);
INSERT INTO sort_distinct
SELECT i, nullif(i % 12, 5), nullif(i * 7919 % 83, 11), i % 7 / 4.0, CASE WHEN i % 6 > 0 THEN 'text' || i % 9 END, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b' END, i % 50 / 4.0, md5((i % 40)::text)::uuid, i % 3 * interval '24 hours'
FROM generate_series(1, 3000) i;
ANALYZE sort_distinct;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT DISTINCT ON (g) g, id, x FROM sort_distinct ORDER BY g DESC, k, id');
SELECT explain FROM explain('SELECT DISTINCT ON (g, k) g, n FROM sort_distinct WHERE id < 100 ORDER BY g, k, id LIMIT 3', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain !~ 'Tablets';
SELECT DISTINCT ON (g) g, id, k, x FROM sort_distinct WHERE k > 40 ORDER BY g DESC, k, id DESC LIMIT 4;
CREATE TABLE sort_distinct_queries AS
SELECT row_number() OVER () AS number, format('SELECT DISTINCT ON (%1$s) %2$s FROM sort_distinct %3$s ORDER BY %1$s, id %4$s', keys, shown, filter, direction) AS sql
FROM unnest('{g,"x, c","k % 7, n",u,"id","g, g + 1","c, x, g"}'::text[]) keys, unnest('{*,"id, k","k * 2, upper(x), f"}'::text[]) shown, unnest('{"","WHERE k > 20"}'::text[]) filter, unnest('{"",DESC}'::text[]) direction;
INSERT INTO sort_distinct_queries VALUES
	(100, 'SELECT DISTINCT ON (g) id, g FROM sort_distinct WHERE id < 0 ORDER BY g, id'),
	(102, 'SELECT DISTINCT ON (g) g, c, count(*) FROM sort_distinct GROUP BY g, c ORDER BY g, 3 DESC, c'), (103, 'SELECT count(*), sum(id) FROM (SELECT DISTINCT ON (k) id FROM sort_distinct ORDER BY k, id) q'),
	(104, 'SELECT DISTINCT ON (a.g) a.g, b.id FROM sort_distinct a JOIN sort_distinct b ON b.id = a.k ORDER BY a.g, b.x, b.id'), (105, 'SELECT DISTINCT ON (g) g, rank() OVER (PARTITION BY g ORDER BY id) FROM sort_distinct ORDER BY g DESC, 2'),
	(106, 'SELECT h, (SELECT sum(q.id) FROM (SELECT DISTINCT ON (g) id FROM sort_distinct WHERE k < h ORDER BY g, id) q) FROM generate_series(10, 40, 10) h ORDER BY h'), (107, 'SELECT DISTINCT ON (g) g FROM sort_distinct ORDER BY g NULLS FIRST'),
	(108, 'SELECT DISTINCT ON (g) g, id FROM sort_distinct ORDER BY g, id OFFSET 3 LIMIT 4'),
	(110, 'SELECT DISTINCT ON (g, k) k, g FROM sort_distinct WHERE g = 3 ORDER BY g, k, id');
SELECT compare_answers('sort_distinct_queries', 'GpuSort', true);
-- PostgreSQL's Unique where the rows are too many, or may print differently
SET gpudb.debug_require = allow;
SET gpudb.join_memory = 1;
SELECT explain FROM explain('SELECT DISTINCT ON (g) repeat(x, 500), id FROM sort_distinct ORDER BY g, id', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Unique|Fallback';
SELECT sum(id), sum(length(r)) FROM (SELECT DISTINCT ON (g) repeat(x, 500) AS r, id FROM sort_distinct ORDER BY g, id) q;
RESET gpudb.join_memory;
SELECT query, gpu_nodes(query) LIKE '%GpuSort%' AS by_gpu_sort FROM unnest(ARRAY['SELECT DISTINCT ON (f) f, id FROM sort_distinct ORDER BY f, id', 'SELECT DISTINCT ON (iv) iv, id FROM sort_distinct ORDER BY iv, id', 'SELECT DISTINCT g FROM sort_distinct', 'SELECT DISTINCT ON (g) g, random() FROM sort_distinct ORDER BY g, id']) query;
SELECT DISTINCT ON (y) id FROM (SELECT id, 'one' AS y FROM sort_distinct) q ORDER BY y, id DESC;
SELECT DISTINCT ON (g) id FROM sort_distinct ORDER BY k;
SELECT DISTINCT ON (g) 7 / (id - 5) FROM sort_distinct ORDER BY g, id;
SET gpudb.enabled = off;
SELECT sum(id), sum(length(r)) FROM (SELECT DISTINCT ON (g) repeat(x, 500) AS r, id FROM sort_distinct ORDER BY g, id) q;
DROP TABLE sort_distinct, sort_distinct_queries;
