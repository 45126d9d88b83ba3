-- gpudb.exact_float_sums: the same bits whatever the order of rows, the plan and the number of threads.
CREATE TABLE agg_exact AS
SELECT i AS id, i % 7 AS k, (i * 7919 % 100003) / 7.0::float8 * CASE i % 4 WHEN 0 THEN 1e150 WHEN 1 THEN -1e-150 WHEN 2 THEN 1 ELSE -3e7 END AS f, (i % 1001 / 7.0)::real * CASE WHEN i % 3 = 0 THEN -1e10 ELSE 1 END::real AS r
FROM generate_series(1, 30000) i;
INSERT INTO agg_exact VALUES (30001, 1, 1e308, 3e38), (30002, 2, -1e308, 3e38), (30003, 3, 1e308, -3e38), (30004, 4, NULL, NULL), (30005, NULL, -1e308, 7);
CREATE TABLE agg_exact_other AS SELECT * FROM agg_exact ORDER BY md5(id::text);
ANALYZE agg_exact, agg_exact_other;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SET gpudb.exact_float_sums = on;
SELECT explain FROM explain('SELECT k, sum(f), avg(r) FILTER (WHERE id > 5) FROM agg_exact GROUP BY k');
CREATE FUNCTION agg_exact_bits(rows_of regclass, threads int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	grouped text;
	filtered text;
BEGIN
	PERFORM set_config('gpudb.cpu_threads', threads::text, true);
	EXECUTE format('SELECT concat(float8send(sum(f)), float8send(avg(f)), float4send(sum(r)), float8send(avg(r))) FROM %s', rows_of) INTO plain;
	EXECUTE format('SELECT md5(string_agg(b, '','' ORDER BY k)) FROM (SELECT k, concat(float8send(sum(f)), float8send(avg(f)), float4send(sum(r)), float8send(avg(r))) AS b FROM %s GROUP BY k) q', rows_of) INTO grouped;
	EXECUTE format('SELECT concat(float8send(sum(-f) FILTER (WHERE k > 3)), float8send(avg(r * f))) FROM %s WHERE id %% 3 > 0 AND abs(f) < 1e200', rows_of) INTO filtered;
	RETURN concat_ws(' ', plain, grouped, filtered);
END $$;
CREATE TABLE agg_exact_bits AS SELECT 'gpudb' AS by, agg_exact_bits('agg_exact', 1) AS bits;
INSERT INTO agg_exact_bits SELECT 'gpudb, 8 threads', agg_exact_bits('agg_exact', 8);
INSERT INTO agg_exact_bits SELECT 'gpudb, another order', agg_exact_bits('agg_exact_other', 1);
INSERT INTO agg_exact_bits SELECT 'gpudb, another order, 8 threads', agg_exact_bits('agg_exact_other', 8);
SET gpudb.debug_yield = 20;
INSERT INTO agg_exact_bits SELECT 'gpudb, resumed', agg_exact_bits('agg_exact', 2);
RESET gpudb.debug_yield;
SET gpudb.debug_require = allow;
SET gpudb.enabled = off;
INSERT INTO agg_exact_bits SELECT 'PostgreSQL', agg_exact_bits('agg_exact', 1);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT explain FROM explain('SELECT sum(f) FROM agg_exact') WHERE explain ~ 'Aggregate|Gather';
INSERT INTO agg_exact_bits SELECT 'PostgreSQL, parallel', agg_exact_bits('agg_exact_other', 1);
SET enable_hashagg = off;
INSERT INTO agg_exact_bits SELECT 'PostgreSQL, parallel, sorted', agg_exact_bits('agg_exact', 1);
RESET enable_hashagg;
RESET gpudb.enabled;
SELECT count(*), count(DISTINCT bits) FROM agg_exact_bits;
SELECT by FROM agg_exact_bits WHERE bits <> (SELECT bits FROM agg_exact_bits WHERE by = 'gpudb');
-- what is not so without
SET gpudb.exact_float_sums = off;
SELECT sum(f), avg(f) FROM agg_exact;
SET gpudb.exact_float_sums = on;
SELECT sum(f), avg(f), sum(r), avg(r) FROM agg_exact;
-- other places for sums, and cached plans
SELECT sum(s) FROM (SELECT sum(f) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM agg_exact WHERE id < 5) q;
SELECT k, sum(f) FROM agg_exact WHERE id > 30000 GROUP BY ROLLUP (k) ORDER BY k;
SELECT sum(DISTINCT r), sum(f ORDER BY id DESC) FROM agg_exact WHERE id < 100;
SELECT k, (SELECT sum(b.f) FROM agg_exact b WHERE b.k = a.k AND b.id > 29990) FROM agg_exact a GROUP BY k ORDER BY k LIMIT 2;
PREPARE agg_exact_prepared AS SELECT sum(f) FROM (VALUES (1e16::float8), (1), (-1e16)) v (f);
EXECUTE agg_exact_prepared;
SET gpudb.exact_float_sums = off;
EXECUTE agg_exact_prepared;
SELECT gpudb.exact_sum(f), gpudb.exact_avg(f), gpudb.exact_sum(f::real) FROM (VALUES (1e16::float8), (1), (-1e16)) v (f);
-- results that are no finite numbers, errors, and nothing
SET gpudb.exact_float_sums = on;
SELECT name, sum(f), avg(f), sum(f::real), count(f) FROM (VALUES ('infinity', 'Infinity'::float8), ('infinity', 1), ('both', 'Infinity'), ('both', '-Infinity'), ('nan', 'NaN'), ('nan', '-Infinity'), ('zeros', '-0'), ('zeros', '-0'), ('one of them', '-0'), ('one of them', 0), ('none', NULL)) v (name, f) GROUP BY name ORDER BY name;
SELECT sum(f), avg(r) FROM agg_exact WHERE id < 0;
SELECT avg(f) FROM agg_exact WHERE f >= 1e308;
SELECT sum(f) FROM agg_exact WHERE f >= 1e308;
SELECT sum(r) FROM agg_exact WHERE r > 1e38;
DROP FUNCTION agg_exact_bits;
DROP TABLE agg_exact, agg_exact_other, agg_exact_bits;
