-- Ordered-set aggregates of groups, and of types that are not counted in bins: a GpuSort that groups.
CREATE TABLE sort_groups (id int NOT NULL, g int, k int, f float8, r real, x text, c char(4), n numeric(8,3), u uuid, d date, ts timestamptz, b boolean, h numeric, z float8, iv interval);
INSERT INTO sort_groups
SELECT i, nullif(i % 12, 5), CASE WHEN i % 9 > 0 THEN i * 7919 % 83 END, CASE i % 5 WHEN 0 THEN 'Infinity' WHEN 2 THEN 'NaN' WHEN 3 THEN NULL ELSE i % 7 / 3.0 END, i % 13 / 4.0, CASE WHEN i % 6 > 0 THEN 'text' || i % 9 END, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b' END,
	(i * 31 % 977) / 8.0 - 50, md5((i % 40)::text)::uuid, date '2000-01-01' + i % 100, timestamptz '2001-02-03 04:05+00' + i % 71 * interval '1 hour', i % 3 = 0, i / 7.0, CASE WHEN i % 2 = 0 THEN float8 '-0' ELSE 0 END, i % 30 * interval '1 day'
FROM generate_series(1, 3000) i;
INSERT INTO sort_groups (id, g) VALUES (3001, 77), (3002, 77), (3003, 78);
INSERT INTO sort_groups (id, g, k, n, x) VALUES (3004, 79, 5, 1.5, 'one');
ANALYZE sort_groups;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY k), mode() WITHIN GROUP (ORDER BY x DESC) FILTER (WHERE k % 3 > 0) AS most, count(*) FROM sort_groups GROUP BY g HAVING count(k) > 10 ORDER BY g DESC');
SELECT explain FROM explain('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM sort_groups', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY k), mode() WITHIN GROUP (ORDER BY x DESC) FILTER (WHERE k % 3 > 0) AS most, count(*) FROM sort_groups GROUP BY g HAVING count(k) > 210 ORDER BY g DESC LIMIT 3;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x), percentile_disc('{{0,1},{NULL,0.25}}'::float8[]) WITHIN GROUP (ORDER BY n DESC), mode() WITHIN GROUP (ORDER BY k), count(k), count(*) FROM sort_groups;
CREATE TABLE sort_groups_queries AS
SELECT row_number() OVER () AS number, format('SELECT %s %s FROM sort_groups %s %s', coalesce(keys || ',', ''), aggregates, filter, 'GROUP BY ' || keys) AS sql
FROM unnest('{percentile_disc(0.5) WITHIN GROUP (ORDER BY x),"percentile_disc(0.25) WITHIN GROUP (ORDER BY n), percentile_disc(0.75) WITHIN GROUP (ORDER BY n DESC)","mode() WITHIN GROUP (ORDER BY u), mode() WITHIN GROUP (ORDER BY d DESC), mode() WITHIN GROUP (ORDER BY b), mode() WITHIN GROUP (ORDER BY x)","mode() WITHIN GROUP (ORDER BY f), percentile_disc(0.9) WITHIN GROUP (ORDER BY f), percentile_cont(0.9) WITHIN GROUP (ORDER BY f), count(f)","percentile_cont(0.1) WITHIN GROUP (ORDER BY k), percentile_cont(0.5) WITHIN GROUP (ORDER BY k), percentile_cont(1) WITHIN GROUP (ORDER BY k DESC), mode() WITHIN GROUP (ORDER BY n)","percentile_disc(''{0,0.5,NULL,1}''::float8[]) WITHIN GROUP (ORDER BY x DESC), mode() WITHIN GROUP (ORDER BY x), percentile_cont(''{{0.2},{0.8}}''::float8[]) WITHIN GROUP (ORDER BY r)","mode() WITHIN GROUP (ORDER BY k) FILTER (WHERE b), percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FILTER (WHERE k > 40), count(*) FILTER (WHERE NOT b), count(1), count(k) FILTER (WHERE n > 0)","percentile_cont(0.5) WITHIN GROUP (ORDER BY k * 2 + 1) * 10, mode() WITHIN GROUP (ORDER BY upper(x)) || ''!'', percentile_disc(0.5) WITHIN GROUP (ORDER BY c)","percentile_disc(0) WITHIN GROUP (ORDER BY ts), percentile_disc(1) WITHIN GROUP (ORDER BY u), mode() WITHIN GROUP (ORDER BY k DESC), mode() WITHIN GROUP (ORDER BY b DESC)"}'::text[]) aggregates,
	unnest('{g,"x, b","k % 7, c, d","n","id",NULL}'::text[]) keys, unnest('{"","WHERE id % 3 > 0"}'::text[]) filter
WHERE keys IS NOT NULL OR aggregates ~ 'mode|\yx\y|\yn\y';
INSERT INTO sort_groups_queries VALUES
	(200, 'SELECT g, mode() WITHIN GROUP (ORDER BY k) FROM sort_groups WHERE id < 0 GROUP BY g'), (201, 'SELECT mode() WITHIN GROUP (ORDER BY k), count(*), count(k) FROM sort_groups WHERE id < 0'),
	(202, 'SELECT mode() WITHIN GROUP (ORDER BY x) FROM sort_groups WHERE id > 3000 AND id < 3004'), (203, 'SELECT g, mode() WITHIN GROUP (ORDER BY k) m FROM sort_groups GROUP BY g HAVING mode() WITHIN GROUP (ORDER BY k) > 3 AND g IS NOT NULL ORDER BY m, g'),
	(204, 'SELECT g, g + 1, percentile_disc(0.5) WITHIN GROUP (ORDER BY n) FROM sort_groups GROUP BY g, g + 1'), (205, 'SELECT sum(m) FROM (SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY id) m FROM sort_groups GROUP BY k) q'),
	(206, 'SELECT a.g, mode() WITHIN GROUP (ORDER BY b.x), percentile_disc(0.4) WITHIN GROUP (ORDER BY a.n) FROM sort_groups a JOIN sort_groups b ON b.id = a.k GROUP BY a.g'),
	(207, 'SELECT h, (SELECT mode() WITHIN GROUP (ORDER BY x) FROM sort_groups WHERE k < h) FROM generate_series(1, 80, 20) h'), (208, 'SELECT s, percentile_disc(0.5) WITHIN GROUP (ORDER BY c) FROM (SELECT g, count(*) c, g % 3 s FROM sort_groups GROUP BY g) q GROUP BY s'),
	(209, 'SELECT k, rank() OVER (ORDER BY percentile_disc(0.5) WITHIN GROUP (ORDER BY id), k) FROM sort_groups GROUP BY k'), (210, 'SELECT DISTINCT mode() WITHIN GROUP (ORDER BY x) FROM sort_groups GROUP BY k'),
	(211, 'SELECT k, CASE NULL::int WHEN 3 THEN 7 ELSE k END, mode() WITHIN GROUP (ORDER BY n) FROM sort_groups GROUP BY 1, 2'),
	(212, 'SELECT NULLIF(k, 3), CASE WHEN (k + NULLIF(k, 3)) % 7 > mode() WITHIN GROUP (ORDER BY n) AND repeat(mode() WITHIN GROUP (ORDER BY x), 3) LIKE ''%t%t%t%'' THEN NULLIF(k, 3) END FROM sort_groups GROUP BY k, NULLIF(k, 3) ORDER BY 1 DESC NULLS LAST LIMIT 9'),
	(214, 'SELECT g, (g + 1) * 2, avg(g + 1), mode() WITHIN GROUP (ORDER BY n) FROM sort_groups GROUP BY g HAVING g + 1 > 3 OR sum(g + 1) IS NULL'), (215, 'SELECT x, upper(x) || x, percentile_disc(0.3) WITHIN GROUP (ORDER BY upper(x)), mode() WITHIN GROUP (ORDER BY k + 1) FILTER (WHERE b), count(upper(x)) FROM sort_groups GROUP BY x'),
	(213, 'SELECT NULLIF(k, 3), CASE WHEN NULLIF(k, 3) % 7 > mode() WITHIN GROUP (ORDER BY n) AND repeat(mode() WITHIN GROUP (ORDER BY x), 3) LIKE ''%t%t%t%'' THEN NULLIF(NULLIF(k, 3), 5) * 2 + NULLIF(k, 3) * 7 % 13 - NULLIF(k, 3) END FROM sort_groups GROUP BY NULLIF(k, 3) ORDER BY 1 DESC NULLS LAST LIMIT 9');
-- beside these all rows of a group are summed, and distinct values counted
INSERT INTO sort_groups_queries
SELECT 300 + row_number() OVER (), format('SELECT %s %s FROM sort_groups %s %s', coalesce(keys || ',', ''), aggregates, filter, 'GROUP BY ' || keys)
FROM unnest('{"gpudb.median(k), mode() WITHIN GROUP (ORDER BY k), sum(k), avg(k), min(k), max(k), count(*)","mode() WITHIN GROUP (ORDER BY d), sum(n), avg(n) FILTER (WHERE b), min(d), max(ts), min(n), max(u::text COLLATE \"C\")","count(*), count(DISTINCT k), sum(k), sum(DISTINCT k), avg(DISTINCT n), count(k)","count(DISTINCT x), count(DISTINCT k) FILTER (WHERE b), max(DISTINCT x COLLATE \"C\"), min(x COLLATE \"C\"), count(DISTINCT iv), count(DISTINCT c), max(c COLLATE \"C\")","percentile_disc(0.5) WITHIN GROUP (ORDER BY x DESC), count(DISTINCT f), max(f), min(f)","sum(DISTINCT r), sum(r::float8), avg(r), count(r), min(r)","count(DISTINCT b), sum(id::int8), sum((k % 7)::int2), count(DISTINCT k + 1), max(b::int), bool_and(k > 2), every(b), bool_or(DISTINCT NOT b)","count(DISTINCT z), count(z)","mode() WITHIN GROUP (ORDER BY k), sum(DISTINCT k) + count(*) * 2, count(DISTINCT u), count(7)"}'::text[]) aggregates,
	unnest('{g,"x, b","k % 7, c, d","id",NULL}'::text[]) keys, unnest('{"","WHERE id % 3 > 0"}'::text[]) filter;
SELECT compare_answers('sort_groups_queries', 'GpuSort');
-- gpudb.median() is planned as a percentile
SELECT explain FROM explain('SELECT g, gpudb.median(k), gpudb.median(x) FILTER (WHERE id > 9) FROM sort_groups GROUP BY g');
SELECT explain FROM explain('SELECT gpudb.median(id), gpudb.median(d) FROM sort_groups WHERE id > (SELECT gpudb.median(k) FROM sort_groups)') WHERE explain ~ 'Gpu|Custom';
SELECT gpudb.median(k), gpudb.median(n), gpudb.median(x), gpudb.median(d), gpudb.median(ts AT TIME ZONE 'UTC'), gpudb.median(u) = percentile_disc(0.5) WITHIN GROUP (ORDER BY u) AS u FROM sort_groups;
SET gpudb.debug_require = allow;
-- where that cannot be, over a window or of distinct values, by itself
SELECT bool_and(a.k IS NOT DISTINCT FROM b.k AND a.x IS NOT DISTINCT FROM b.x), count(*)
FROM (SELECT g, gpudb.median(k) OVER w AS k, gpudb.median(x) OVER w AS x FROM sort_groups WINDOW w AS (PARTITION BY g)) a
	JOIN (SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY k) AS k, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) AS x FROM sort_groups GROUP BY g) b ON a.g = b.g;
SELECT gpudb.median(DISTINCT k), gpudb.median(DISTINCT x), gpudb.median(k ORDER BY id) FROM sort_groups;
SELECT gpudb.median(DISTINCT k), gpudb.median(x) OVER () FROM sort_groups WHERE id < 0 GROUP BY x;
SELECT gpudb.median(point(1, 2)) FROM sort_groups;
SELECT gpudb.median(p) OVER () FROM (SELECT point(1, 2) AS p FROM sort_groups) q;
SET gpudb.debug_require = require;
PREPARE sort_groups_prepared (int) AS SELECT g, mode() WITHIN GROUP (ORDER BY k + $1) FROM sort_groups WHERE id > $1 GROUP BY g ORDER BY g LIMIT 2;
EXECUTE sort_groups_prepared (1);
EXECUTE sort_groups_prepared (2000);
-- partitions that are grouped each by itself
CREATE TABLE sort_groups_parts (b int, n int) PARTITION BY LIST (b);
CREATE TABLE sort_groups_part_0 PARTITION OF sort_groups_parts FOR VALUES IN (0, 1);
CREATE TABLE sort_groups_part_1 PARTITION OF sort_groups_parts FOR VALUES IN (2, 3);
INSERT INTO sort_groups_parts SELECT i % 4, i * i % 19 FROM generate_series(1, 1000) i;
ANALYZE sort_groups_parts;
SET enable_partitionwise_aggregate = on;
SELECT b, mode() WITHIN GROUP (ORDER BY n), gpudb.median(n), count(*) FROM sort_groups_parts GROUP BY b ORDER BY b;
RESET enable_partitionwise_aggregate;
SELECT b, mode() WITHIN GROUP (ORDER BY n), gpudb.median(n), count(*) FROM sort_groups_parts GROUP BY b ORDER BY b;
DROP TABLE sort_groups_parts;
-- what only PostgreSQL can answer, in the end or from the start
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT g, mode() WITHIN GROUP (ORDER BY z) FROM sort_groups GROUP BY g', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Group';
SELECT g, mode() WITHIN GROUP (ORDER BY z) = 0, percentile_cont(0.5) WITHIN GROUP (ORDER BY z) + 0 FROM sort_groups GROUP BY g HAVING g > 9 ORDER BY g;
-- keys as many as can be sorted by, beside an aggregate's order, and one more
SELECT gpu_nodes(format('SELECT count(DISTINCT x COLLATE "C"), sum(k) FROM sort_groups GROUP BY %s', string_agg(format('id + %s', i), ','))) LIKE '%GpuSort%' AS by_gpu_sort FROM generate_series(1, 15) i;
SELECT gpu_nodes(format('SELECT count(DISTINCT x COLLATE "C"), sum(k) FROM sort_groups GROUP BY %s', string_agg(format('id + %s', i), ','))) LIKE '%GpuSort%' AS by_gpu_sort FROM generate_series(1, 16) i;
CREATE TABLE sort_groups_wide AS SELECT i % 2 AS a, 'the same first ' || i % 30 AS x, i FROM generate_series(1, 4000) i;
ANALYZE sort_groups_wide;
SELECT a, count(DISTINCT x COLLATE "C"), sum(i) FROM sort_groups_wide GROUP BY a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13, a + 14, a + 15 ORDER BY a;
SELECT a, count(DISTINCT x COLLATE "C"), sum(i) FROM sort_groups_wide GROUP BY a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13, a + 14 ORDER BY a;
-- an expression that is computed below a join
SELECT s.y * 2, s.y * 2 + count(DISTINCT w.x), sum(w.i), row_number() OVER (ORDER BY s.y * 2) FROM sort_groups_wide w LEFT JOIN (SELECT id, coalesce(k, 0) AS y FROM sort_groups WHERE id < 4) s ON s.id = w.i GROUP BY s.y * 2 ORDER BY 1;
DROP TABLE sort_groups_wide;
-- floats whose least value may be one of two, and whose sum may be too large on its way
SELECT explain FROM explain('SELECT g, mode() WITHIN GROUP (ORDER BY k), max(z) FROM sort_groups GROUP BY g', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Group';
SELECT explain FROM explain('SELECT mode() WITHIN GROUP (ORDER BY k), sum((id % 3 - 1) * float8 ''1e308'') FROM sort_groups', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback|Group';
SELECT mode() WITHIN GROUP (ORDER BY k), sum((id % 3 - 1) * float8 '1e308') FROM sort_groups;
SELECT count(DISTINCT k), sum(1e307::float8 * id), count(*) FROM sort_groups;
SELECT count(DISTINCT k), avg(1e160::float8 * id), count(*) FROM sort_groups;
SET gpudb.join_memory = 1;
SELECT g, mode() WITHIN GROUP (ORDER BY repeat(x, 500)) = repeat(min(x), 500) AS same FROM sort_groups GROUP BY g ORDER BY g LIMIT 2;
SELECT g, length(mode() WITHIN GROUP (ORDER BY repeat(x, 500))) FROM sort_groups GROUP BY g HAVING count(x) > 0 ORDER BY g LIMIT 2;
RESET gpudb.join_memory;
SELECT query, gpu_nodes(query) LIKE '%GpuSort%' AS by_gpu_sort FROM unnest(ARRAY['SELECT g, mode() WITHIN GROUP (ORDER BY iv) FROM sort_groups GROUP BY g', 'SELECT g, mode() WITHIN GROUP (ORDER BY h) FROM sort_groups GROUP BY g', 'SELECT z, mode() WITHIN GROUP (ORDER BY k) FROM sort_groups GROUP BY z',
	'SELECT g, mode() WITHIN GROUP (ORDER BY k), sum(k) FROM sort_groups GROUP BY g', 'SELECT g, count(DISTINCT k), stddev(k) FROM sort_groups GROUP BY g', 'SELECT g, mode() WITHIN GROUP (ORDER BY k), min(iv) FROM sort_groups GROUP BY g', 'SELECT g, mode() WITHIN GROUP (ORDER BY k), sum(h) FROM sort_groups GROUP BY g', 'SELECT g, mode() WITHIN GROUP (ORDER BY k), sum(k ORDER BY k) FROM sort_groups GROUP BY g', 'SELECT g, rank(3) WITHIN GROUP (ORDER BY k) FROM sort_groups GROUP BY g', 'SELECT g, mode() WITHIN GROUP (ORDER BY k) FROM sort_groups GROUP BY ROLLUP (g)', 'SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY iv) FROM sort_groups GROUP BY g',
	'SELECT percentile_disc(g / 80.0) WITHIN GROUP (ORDER BY k) FROM sort_groups GROUP BY g', 'SELECT mode() WITHIN GROUP (ORDER BY k + random()) FROM sort_groups', 'SELECT mode() WITHIN GROUP (ORDER BY 7) FROM sort_groups']) query;
SELECT g, percentile_disc(1.5) WITHIN GROUP (ORDER BY x) FROM sort_groups GROUP BY g;
SELECT g, percentile_cont('{0.5,-0.1}'::float8[]) WITHIN GROUP (ORDER BY k) FROM sort_groups GROUP BY g;
SELECT g, mode() WITHIN GROUP (ORDER BY 7 / (id - 5)) FROM sort_groups GROUP BY g;
SELECT g, percentile_disc(NULL::float8) WITHIN GROUP (ORDER BY x) FROM sort_groups GROUP BY g ORDER BY g LIMIT 1;
DROP TABLE sort_groups, sort_groups_queries;
