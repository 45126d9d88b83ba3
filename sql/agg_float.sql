-- Sums and averages of floats: exact where every order of additions is, else equal in 10 digits.
CREATE TABLE agg_float (id int NOT NULL, k int, e4 float4, e8 float8, r4 float4, r8 float8, mixed float8, huge float8);
INSERT INTO agg_float
SELECT i, i % 5, nullif(i % 1024, 3) / 8.0, nullif(i % 4096, 3) / 16.0, (i * 7919 % 100003) * 0.001::float4, (i::int8 * 104729 % 1000003) * 0.001,
	CASE WHEN i % 2 = 0 THEN 1e9 ELSE -1e9 END + (i * 31 % 1009) * 0.001, 1e300
FROM generate_series(1, 40000) i;
ANALYZE agg_float;
SET gpudb.force = on;
SET gpudb.debug_require = require;
-- PostgreSQL adds float4 in float4: exact only while every sum has 24 bits
SELECT sum(e4), avg(e4), count(e4) FROM agg_float WHERE id <= 3000;
SELECT sum(e4::float8), sum(e8), avg(e8), min(e8), max(e8) FROM agg_float WHERE e4 > 0 AND e8 > 0;
SELECT k, sum(e4::float8), sum(e8), avg(e8), sum(e8 * 2 - 1) FROM agg_float GROUP BY k ORDER BY k;
SELECT to_char(sum(r8), '9.99999999EEEE') AS s8, to_char(avg(r8), '9.99999999EEEE') AS a8, to_char(sum(r8 * r8), '9.99999999EEEE') AS q8 FROM agg_float;
SELECT to_char(avg(r4), '9.99999EEEE') AS a4, to_char(sum(r4::float8), '9.99999999EEEE') AS s48 FROM agg_float;
SELECT round(sum(mixed)::numeric, 1) AS m FROM agg_float;
SELECT k, to_char(sum(r8), '9.99999999EEEE') AS s8, to_char(avg(r8), '9.99999999EEEE') AS a8, min(r8), max(r8) FROM agg_float WHERE r8 > 0 GROUP BY k ORDER BY k;
SELECT sum(e8) FILTER (WHERE k = 1), avg(e8) FILTER (WHERE k < 0), sum(e4) FILTER (WHERE k = 2 AND id < 9000) FROM agg_float;
-- against the exact sum
SELECT abs(sum(r8)::numeric - sum((r8 * 1000)::int8)::numeric / 1000) < 1e-6 * count(*) AS close FROM agg_float;
-- NaN and infinity among the inputs
CREATE TABLE agg_float_special (k int, f float8, g float4);
INSERT INTO agg_float_special SELECT i % 5, CASE WHEN i < 20000 THEN 1.0::float8 WHEN i % 5 = 0 THEN 'NaN' WHEN i % 5 = 1 THEN 'inf' WHEN i % 5 = 2 THEN '-inf' WHEN i % 5 = 3 AND i % 2 = 0 THEN 'inf' WHEN i % 5 = 3 THEN '-inf' ELSE 2 END, i % 3 FROM generate_series(1, 20100) i;
ANALYZE agg_float_special;
SELECT k, sum(f), avg(f), max(f), min(f), count(f) FROM agg_float_special GROUP BY k ORDER BY k;
SELECT sum(f), avg(f) FROM agg_float_special;
SELECT sum(f), avg(f) FROM agg_float_special WHERE f <> 'NaN' AND f > 0;
-- a total beyond the range is PostgreSQL's error
SET gpudb.debug_require = allow;
SELECT sum(huge * 1e5) FROM agg_float;
\echo :SQLSTATE
SELECT to_char(sum(huge * 1e3), '9.99999999EEEE') FROM agg_float WHERE id < 10;
SELECT k, avg(huge * 1e5) FROM agg_float GROUP BY k ORDER BY k;
SELECT sum(e4 * 3e36::float4) FROM agg_float WHERE id < 2000;
DROP TABLE agg_float, agg_float_special;
