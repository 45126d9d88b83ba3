-- Floats: rounding of float4, NaN, infinities, both zeros, and errors.
CREATE TABLE expr_float (id int NOT NULL, a4 float4, b4 float4, a8 float8, b8 float8, k int);
INSERT INTO expr_float
SELECT i, nullif(i % 97, 5) * 0.1::float4, (i % 89) * 0.7::float4, nullif(i % 101, 7) * 0.1::float8, (i % 103) * 0.7::float8, i % 5
FROM generate_series(1, 20000) i;
CREATE TABLE expr_float_special AS
SELECT row_number() OVER ()::int AS id, a::float4 AS a4, b::float4 AS b4, a::float8 AS a8, b::float8 AS b8
FROM unnest('{NaN,inf,-inf,0,-0,1,-1.5,1e-30,1e30,NULL}'::float8[]) a,
	unnest('{NaN,inf,-inf,0,-0,1,-1.5,1e-30,1e30,NULL}'::float8[]) b;
ANALYZE expr_float, expr_float_special;

SET gpudb.force = on;
SET gpudb.debug_require = require;

-- each operation rounds to its own width: exact values as keys
SELECT a4 + b4 AS s4, count(*) FROM expr_float WHERE k = 1 AND a4 BETWEEN 0.3 AND 0.5 GROUP BY 1 ORDER BY 1 LIMIT 20;
SELECT a4 * b4 AS p4, a4 - b4 AS d4, count(*) FROM expr_float WHERE b4 > 60 AND a4 BETWEEN 0.25 AND 0.45 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 20;
SELECT a4 / b4 AS q4, count(*) FROM expr_float WHERE b4 > 60.5 AND a4 BETWEEN 0.25 AND 0.45 GROUP BY 1 ORDER BY 1 LIMIT 20;
SELECT a8 + b8 AS s8, a8 * b8 AS p8, count(*) FROM expr_float WHERE b8 > 70 AND a8 BETWEEN 0.25 AND 0.45 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 20;
SELECT a8 / b8 AS q8, a8 - b8 AS d8, count(*) FROM expr_float WHERE b8 > 71 AND a8 BETWEEN 0.25 AND 0.55 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 20;
SELECT a4 + b8 AS s48, a8 * b4 AS p84, count(*) FROM expr_float WHERE b8 > 71 AND a8 BETWEEN 0.25 AND 0.55 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 20;
SELECT min(a4 * b4), max(a4 * b4 + a4), min(a8 * b8), max(a8 * b8 + a8), min(-a4), max(-a8) FROM expr_float WHERE a4 > 0 AND b4 > 0 AND a8 > 0 AND b8 > 0;
SELECT min(a4 * 2 + b4 * 3 - k), max(a8 * 2 + b8 * 3 - k) FROM expr_float WHERE a4 <> 0 AND b4 <> 0;
-- fused multiply-add would give other digits
SELECT count(*) FROM expr_float WHERE a8 * b8 + a8 = 0.1 * 7 + 0.1;
SELECT count(*), sum(id) FROM expr_float WHERE a8 * b8 - 2.1 * b8 = 0;
SELECT count(*), sum(id) FROM expr_float WHERE a4 = 0.3;
SELECT count(*), sum(id) FROM expr_float WHERE a4 = 0.3::float4;
SELECT count(*), sum(id) FROM expr_float WHERE a8 = 0.3;
SELECT count(*), sum(id) FROM expr_float WHERE a8 = 3 * 0.1::float8;

-- special values
SELECT id, a8 FROM expr_float_special WHERE a8 = b8 ORDER BY id;
SELECT id FROM expr_float_special WHERE a4 > b4 ORDER BY id;
SELECT count(*) FILTER (WHERE a8 + b8 = 'NaN') AS add, count(*) FILTER (WHERE a8 - b8 = 'NaN') AS sub, count(*) FILTER (WHERE a8 * b8 = 'NaN') AS mul FROM expr_float_special;
SELECT count(*) FILTER (WHERE a4 + b4 = 'NaN') AS add, count(*) FILTER (WHERE a4 - b4 = 'NaN') AS sub FROM expr_float_special;
SELECT count(*), sum(id) FROM expr_float_special WHERE b8 <> 0 AND b8 = 'inf' AND a8 / b8 = 0;
SELECT count(*), sum(id) FROM expr_float_special WHERE NOT b8 = 0 AND a8 / b8 = 'NaN';
SELECT count(*), sum(id) FROM expr_float_special WHERE -a8 = 'inf';
SELECT count(*), sum(id) FROM expr_float_special WHERE -a8 = 'NaN';
SELECT a8, count(*) FROM expr_float_special WHERE a8 <> 0 GROUP BY a8 ORDER BY a8;
SELECT a4, b8, count(*) FROM expr_float_special WHERE a4 >= 1e30 AND b8 > 1 GROUP BY a4, b8 ORDER BY a4, b8;
SELECT min(a8), max(a8), min(b4), max(b4) FROM expr_float_special WHERE a8 <> 0 AND b4 <> 0;
SELECT min(a8), max(a8) FROM expr_float_special WHERE a8 < 'inf' AND a8 > '-inf' AND a8 <> 0;

-- both zeros are one group, and either may be its name
SET gpudb.debug_require = allow;
SELECT a8 = 0 AS zero, count(*) FROM (SELECT a8 FROM expr_float_special GROUP BY a8) s GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM expr_float_special WHERE a8 = 0;
SELECT min(a8), max(b8) FROM expr_float_special WHERE a8 = '-1.5' AND b8 <> 0;

-- errors
SELECT sum(a4 * b4) FROM expr_float_special;
\echo :SQLSTATE
SELECT sum(a4 / b4) FROM expr_float_special;
\echo :SQLSTATE
SELECT sum(a8 / b8) FROM expr_float_special WHERE b8 = 0 AND a8 = 1;
SELECT sum(a8 / b8) FROM expr_float_special WHERE b8 = 0 AND a8 = 'NaN';
SELECT max(a4 * a4) FROM expr_float_special WHERE a4 = 1e30::float4;
SELECT max(b4 * b4) FROM expr_float_special WHERE b4 = 1e-30::float4;
SELECT max(a8 * 1e300 * a8) FROM expr_float_special WHERE a8 = 1e30;
SELECT max(a8 * 1e-300) FROM expr_float_special WHERE a8 = 1e-30;
SELECT max((a8 * 1e300)::float4) FROM expr_float_special WHERE a8 = 1;
SELECT max(3e38::float4 + a4 * 1e8) FROM expr_float_special WHERE a4 = 1e30::float4;
SELECT id FROM expr_float_special WHERE 1 / a8 > 0;
SELECT count(*) FROM expr_float_special WHERE a8 <> 0 AND 1 / a8 > 0;
-- functions that stay with PostgreSQL
SELECT round(sum(sqrt(b8))::numeric, 6), round(sum(exp(b4 / 100))::numeric, 3), sum(floor(b8)), sum(trunc(b8)) FROM expr_float;
DROP TABLE expr_float, expr_float_special;
