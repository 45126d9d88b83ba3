-- Texts in the order of collations that are not that of their bytes: what PostgreSQL's comparison says of those that differ.
CREATE COLLATION sort_collated_numbers (provider = icu, locale = 'en-u-kn-true');
CREATE COLLATION sort_collated_capitals (provider = icu, locale = 'en-u-kf-upper');
CREATE COLLATION sort_collated_alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE sort_collated (id int NOT NULL, k int, x text COLLATE "en-x-icu", v varchar(20) COLLATE sort_collated_numbers, c char(6) COLLATE sort_collated_capitals, b text COLLATE "C", a text COLLATE sort_collated_alike);
INSERT INTO sort_collated
SELECT i, i % 7, CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'tab\t' || i % 5 ELSE (ARRAY['a', 'A', 'ä', 'b', 'B', 'é', 'e', 'E', 'z', 'Z', 'ß', 'ss', '-', '_', ' ', '1', '中', 'co-op', 'coop', 'Co-op'])[1 + i % 20] || repeat('x', i % 3) || i % 37 END,
	'v' || i % 300, CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN 'ab' WHEN 2 THEN 'AB ' WHEN 3 THEN 'é' WHEN 4 THEN 'Éa' ELSE 'q' || i % 9 END, repeat('long enough ', i % 3) || i % 101, chr(65 + i % 4 * 8 + i % 2 * 32)
FROM generate_series(1, 5000) i;
ANALYZE sort_collated;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT id, x FROM sort_collated WHERE id > 5 ORDER BY x DESC, id');
SELECT DISTINCT left(x, 1) AS l FROM sort_collated WHERE x > 'A' ORDER BY l;
CREATE TABLE sort_collated_queries AS
SELECT row_number() OVER () AS number, format('SELECT id, %s FROM sort_collated ORDER BY %1$s %s %s, id', key, direction, nulls) AS sql
FROM unnest('{x,v,c,"x COLLATE sort_collated_numbers","b COLLATE \"de-x-icu\"","lower(x)"}'::text[]) key, unnest('{ASC,DESC}'::text[]) direction, unnest('{NULLS FIRST,NULLS LAST}'::text[]) nulls;
INSERT INTO sort_collated_queries VALUES
	(100, 'SELECT id, x, v, c, b FROM sort_collated ORDER BY c DESC, x, v NULLS FIRST, b, id'),
	(101, 'SELECT id FROM sort_collated ORDER BY b DESC, x, id'),
	(102, 'SELECT id FROM sort_collated ORDER BY k, b, c DESC NULLS LAST, v DESC, id'),
	(103, 'SELECT x FROM sort_collated ORDER BY x COLLATE "C", id'),
	(104, 'SELECT x, b FROM sort_collated ORDER BY x COLLATE sort_collated_capitals DESC, x COLLATE "C", x, id'),
	(105, 'SELECT id, x FROM sort_collated ORDER BY x, id OFFSET 1200 LIMIT 30'),
	(106, 'SELECT id, x FROM sort_collated ORDER BY x DESC NULLS LAST, id LIMIT 7'),
	(107, 'SELECT id FROM sort_collated WHERE id < 0 ORDER BY x'),
	(108, 'SELECT id FROM sort_collated WHERE x IS NULL ORDER BY x, id'),
	(109, 'SELECT x FROM sort_collated WHERE x = ''A1'' ORDER BY x, id'),
	(110, 'SELECT DISTINCT ON (x) x, id FROM sort_collated ORDER BY x, id DESC'),
	(111, 'SELECT a.id, b.x FROM sort_collated a LEFT JOIN sort_collated b ON b.id = a.k ORDER BY b.x NULLS FIRST, a.id'),
	(112, 'SELECT x, count(*) FROM sort_collated GROUP BY x ORDER BY x'),
	(113, 'SELECT id, row_number() OVER (PARTITION BY c ORDER BY x DESC, id), rank() OVER (PARTITION BY c ORDER BY x DESC) FROM sort_collated ORDER BY id'),
	(114, 'SELECT id, dense_rank() OVER (ORDER BY v), lag(x) OVER (ORDER BY v, id), first_value(c) OVER (ORDER BY v, id) FROM sort_collated ORDER BY id'),
	(115, 'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(''{0,0.3,1}''::float8[]) WITHIN GROUP (ORDER BY v DESC), mode() WITHIN GROUP (ORDER BY c) FROM sort_collated GROUP BY k ORDER BY k'),
	(116, 'SELECT c, percentile_disc(0.9) WITHIN GROUP (ORDER BY x COLLATE sort_collated_numbers), percentile_disc(0.9) WITHIN GROUP (ORDER BY x COLLATE "C") FROM sort_collated GROUP BY c ORDER BY c'),
	(117, 'SELECT sum(id * n), min(n), max(n) FROM (SELECT id, row_number() OVER (ORDER BY x, id) AS n FROM sort_collated) q'),
	(118, 'SELECT k, sum(id * n) FROM (SELECT id, k, rank() OVER (PARTITION BY v ORDER BY x) AS n FROM sort_collated) q GROUP BY k ORDER BY k'),
	(119, 'SELECT g, (SELECT string_agg(q.id::text, '','') FROM (SELECT id FROM sort_collated WHERE k = g ORDER BY x DESC, id LIMIT 20) q) FROM generate_series(0, 6) g ORDER BY g');
SELECT compare_answers('sort_collated_queries', 'GpuSort', true);
PREPARE sort_collated_prepared (int) AS SELECT count(*), sum(id * n) FROM (SELECT id, row_number() OVER (ORDER BY c, x, id) AS n FROM sort_collated WHERE id > $1) q;
EXECUTE sort_collated_prepared (0);
EXECUTE sort_collated_prepared (4000);
-- whoever sorts many texts that differ compares as often as PostgreSQL does
RESET gpudb.force;
SET gpudb.debug_require = allow;
CREATE TABLE sort_collated_costs AS SELECT i, i % 1000 || 'few' COLLATE "en-x-icu" AS few, md5(i::text) COLLATE "en-x-icu" AS many FROM generate_series(1, 100000) i;
VACUUM ANALYZE sort_collated_costs;
SET max_parallel_workers_per_gather = 0;
SELECT gpu_nodes('SELECT * FROM sort_collated_costs ORDER BY few') LIKE '%GpuSort%' AS few, gpu_nodes('SELECT * FROM sort_collated_costs ORDER BY many') LIKE '%GpuSort%' AS many;
-- what is left to PostgreSQL: collations under which other bytes are equal, and the least and largest texts of frames
SET gpudb.force = on;
SELECT gpu_nodes('SELECT id FROM sort_collated ORDER BY a') LIKE '%GpuSort%' AS alike, gpu_nodes('SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY a) FROM sort_collated GROUP BY k') LIKE '%GpuSort%' AS alike_groups;
SELECT id, max(x) OVER (ORDER BY id ROWS 3 PRECEDING) FROM sort_collated WHERE id BETWEEN 3 AND 9 ORDER BY id;
DROP TABLE sort_collated, sort_collated_queries, sort_collated_costs;
DROP COLLATION sort_collated_numbers;
DROP COLLATION sort_collated_capitals;
DROP COLLATION sort_collated_alike;
