-- Variances and standard deviations.
CREATE TABLE agg_spread (id int NOT NULL, k int, i2 int2, i4 int4, i8 int8, n numeric, p numeric(10,3), f4 float4, f8 float8, c2 int2, c4 int4, c8 int8, cn numeric, cf float8, cg float4, ch float8, cq float4);
INSERT INTO agg_spread
SELECT i, i % 6, nullif(i * 31 % 601 - 300, 7), nullif(i * 41 % 90001 - 45000, 11), nullif(i::int8 * 47000003 % 900000000001 - 450000000, 13), round(nullif(i * 7919 % 20011, 9) / 64.0, i % 5), nullif(i * 17 % 4001 - 2000, 8) / 8.0,
	nullif(i * 29 % 401, 4) / 4.0, (nullif(i * 104729::int8 % 1000003, 5) - 500000) / 1000.0, 7, 123456, 98765432101234, 12345.678, 0.1, 0.3, 12345.625, -0.75
FROM generate_series(1, 12000) i;
-- groups of one row, of NULLs only, of two rows
INSERT INTO agg_spread (id, k, i2, i4, i8, n, p, f4, f8) VALUES (12001, 10, 5, 5, 5, 5.50, 5.5, 5.5, 5.5), (12002, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (12003, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(12004, 12, 1, 1, 1, 1.0, 1, 1, 1), (12005, 12, 2, 2, 2, 2.00, 2, 2, 2), (12006, 13, 3, 3, 3, 3, 3, 3, 3), (12007, 13, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (12008, 14, 0, 0, 0, 0, 0, 0, 0), (12009, 14, 0, 0, 0, 0.000, 0, 0, 0);
CREATE TABLE agg_spread_empty (LIKE agg_spread);
ANALYZE agg_spread, agg_spread_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
-- every digit is PostgreSQL's
SELECT format('SELECT stddev(%1$s), stddev_pop(%1$s), stddev_samp(%1$s), variance(%1$s), var_pop(%1$s), var_samp(%1$s) FROM agg_spread', argument)
FROM unnest('{i2,i4,i8,n,p,i4 + i2,-i8,p * 2,n - p,i4 / 7,i2::numeric,abs(i4),round(n\, 1),c2,c4,c8,cn,"CASE WHEN k = 1 THEN i4 END","CASE WHEN k = 1 THEN p ELSE n END","COALESCE(i2, 0)",0,NULL::int,1.50}'::text[]) argument
\gexec
SELECT format('SELECT k, stddev(%1$s), stddev_pop(%1$s), variance(%1$s), var_pop(%1$s) FROM agg_spread GROUP BY k ORDER BY k', argument)
FROM unnest('{i2,i4,i8,n,p,cn}'::text[]) argument
\gexec
-- floats in ten digits
SELECT format('SELECT k, to_char(stddev(%1$s), ''9.999999999EEEE''), to_char(stddev_pop(%1$s), ''9.999999999EEEE''), to_char(stddev_samp(%1$s), ''9.999999999EEEE''), to_char(variance(%1$s), ''9.999999999EEEE''), to_char(var_pop(%1$s), ''9.999999999EEEE''), to_char(var_samp(%1$s), ''9.999999999EEEE'') FROM agg_spread GROUP BY k ORDER BY k', argument)
FROM unnest('{f4,f8,f8 * 2 - 1,i4::float8}'::text[]) argument
\gexec
SELECT to_char(stddev(f4), '9.999999999EEEE'), to_char(var_pop(f4), '9.999999999EEEE'), to_char(stddev_samp(f8), '9.999999999EEEE'), to_char(variance(f8), '9.999999999EEEE'), to_char(stddev_pop(sqrt(abs(f8))), '9.999999999EEEE') FROM agg_spread;
-- constant columns
SELECT stddev(cf) FILTER (WHERE id <= 1), stddev_pop(cf) FILTER (WHERE id <= 1), var_pop(f8) FILTER (WHERE k = 14), stddev(f8) FILTER (WHERE k = 14), variance(f4) FILTER (WHERE k = 14), var_pop(c4::float8), var_samp(c2::float4), stddev(c4::float8) FROM agg_spread;
SELECT stddev(ch) AS s, var_pop(ch) AS p, stddev_samp(cq) AS g, variance(cq) AS v, var_pop(ch * 3 + 1e6) AS m, stddev(cf) < 1e-10 AS f, var_samp(cg) < 1e-10 AS h FROM agg_spread;
SELECT k, stddev(ch) AS s, var_pop(ch) AS p, stddev_pop(cq) AS g, var_samp(cq) AS v, stddev(cf) < 1e-10 AS f, var_pop(cg) < 1e-10 AS h FROM agg_spread GROUP BY k ORDER BY k;
-- a small spread around a large value
SELECT to_char(var_pop(1e9 + id % 2), '9.999999EEEE'), to_char(stddev(1e8 + id % 10), '9.999999EEEE'), to_char(var_samp(-1e7 + (id % 4) / 4.0::float8), '9.999999EEEE') FROM agg_spread WHERE id <= 12000;
-- filters
SELECT stddev(i4) FILTER (WHERE k = 2), variance(n) FILTER (WHERE k = 10), var_pop(n) FILTER (WHERE k = 10), stddev_pop(p) FILTER (WHERE k = 11), var_samp(i8) FILTER (WHERE false), to_char(stddev(f8) FILTER (WHERE k = 3), '9.999999999EEEE'), stddev(i2) FILTER (WHERE i2 > 0), var_pop(i2) FILTER (WHERE i2 IS NULL) FROM agg_spread;
SELECT k, stddev(i4) FILTER (WHERE i2 > 0), var_pop(p) FILTER (WHERE i2 <= 0), count(i4), sum(i4), avg(p) FROM agg_spread GROUP BY k HAVING variance(i4) IS NULL OR stddev(i4) > 25900 ORDER BY k;
SELECT round(stddev(n) / avg(n), 8), variance(i4) - stddev(i4) ^ 2 < 1 FROM agg_spread;
-- no rows
SELECT stddev(i2), stddev_pop(i4), variance(i8), var_pop(n), var_samp(p), stddev(f4), var_pop(f8) FROM agg_spread_empty;
SELECT k, stddev(i2), var_pop(f8) FROM agg_spread_empty GROUP BY k;
-- the ends of the ranges; totals beyond 128 bits are PostgreSQL's
CREATE TABLE agg_spread_ends AS SELECT i % 3 AS k, CASE WHEN i % 2 = 0 THEN 32767 ELSE -32768 END::int2 AS i2, CASE WHEN i % 2 = 0 THEN 2147483647 ELSE -2147483648 END::int4 AS i4, CASE WHEN i % 2 = 0 THEN 9223372036854775807 ELSE -9223372036854775808 END::int8 AS i8,
	CASE WHEN i % 2 = 0 THEN 999999999.999 ELSE -999999999.999 END::numeric(12,3) AS p, CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END * 99999999999999999999.5 AS n, CASE WHEN i % 2 = 0 THEN 1e200 ELSE -1e200 END::float8 AS f8, CASE WHEN i % 2 = 0 THEN 1e30 ELSE -1e30 END::float4 AS f4 FROM generate_series(1, 3000) i;
ANALYZE agg_spread_ends;
SELECT stddev(i2), var_pop(i2), variance(i4), stddev_pop(i4) FROM agg_spread_ends;
SET gpudb.debug_require = allow;
SELECT stddev(i8), var_pop(i8), variance(p), stddev_pop(p), stddev(n), var_pop(n) FROM agg_spread_ends;
SELECT k, variance(i4), stddev(i8), var_pop(p), stddev_samp(n) FROM agg_spread_ends GROUP BY k ORDER BY k;
SELECT to_char(stddev(f4), '9.999999EEEE'), to_char(var_pop(f4), '9.999999EEEE') FROM agg_spread_ends;
SELECT stddev(f8) FROM agg_spread_ends;
SELECT k, var_pop(f8 * 1e100) FROM agg_spread_ends GROUP BY k;
\echo :SQLSTATE
SELECT to_char(stddev(f8 / 1e60), '9.999999EEEE') FROM agg_spread_ends;
-- NaN and infinity
CREATE TABLE agg_spread_special AS SELECT i % 6 AS k, (ARRAY['NaN', 'Infinity', '-Infinity', '1', '2', CASE WHEN i % 12 = 5 THEN 'Infinity' ELSE '3' END])[i % 6 + 1]::float8 AS f, (ARRAY['NaN', 'Infinity', '-Infinity', '1', '2', CASE WHEN i % 12 = 5 THEN 'NaN' ELSE '3' END])[i % 6 + 1]::numeric AS n FROM generate_series(1, 600) i;
ANALYZE agg_spread_special;
SELECT stddev(f), var_pop(f), variance(f::float4), stddev_pop(n), var_samp(n) FROM agg_spread_special;
SELECT k, stddev(f), var_pop(f), stddev(f::float4), variance(n), stddev_pop(n) FROM agg_spread_special GROUP BY k ORDER BY k;
SELECT var_pop(f), var_samp(f), var_pop(n), stddev(n) FROM agg_spread_special WHERE k = 1 OR k = 2;
SELECT stddev(f), stddev_pop(f), variance(f), var_pop(f), var_samp(n), var_pop(n) FROM (SELECT * FROM agg_spread_special WHERE k = 1 LIMIT 1) s;
CREATE TABLE agg_spread_one AS SELECT 'Infinity'::float8 AS f, 'NaN'::float4 AS g, '-Infinity'::numeric AS n;
ANALYZE agg_spread_one;
SELECT stddev(f), stddev_pop(f), variance(g), var_pop(g), var_samp(n), var_pop(n) FROM agg_spread_one;
-- of distinct values they are PostgreSQL's, over a GpuAgg; others are so at all
SELECT stddev(DISTINCT i2), var_pop(DISTINCT n) FROM agg_spread;
SELECT corr(i2, i4) IS NOT NULL, to_char(regr_slope(i4, i2), '9.99999EEEE') FROM agg_spread;
SELECT gpu_nodes('SELECT stddev(DISTINCT i2) FROM agg_spread') LIKE '%GpuAgg%' AS d, gpu_nodes('SELECT corr(i2, i4) FROM agg_spread') LIKE '%GpuAgg%' AS c;
DROP TABLE agg_spread, agg_spread_empty, agg_spread_ends, agg_spread_special, agg_spread_one;
