-- Remainders, absolute values, rounding, roots, powers and logarithms; their errors; | and #.
CREATE TABLE expr_math (id int NOT NULL, k int, a2 int2, b2 int2, a4 int4, b4 int4, a8 int8, b8 int8, n numeric, m numeric(12,4), q numeric, f float8, p float8, g float4);
INSERT INTO expr_math
SELECT i, i % 5, nullif(i * 31 % 301 - 150, 7), nullif(i * 37 % 21 - 10, 0), nullif(i * 41 % 90001 - 45000, 11), nullif(i * 43 % 23 - 11, 0), nullif(i::int8 * 47000000000 % 900000000001 - 450000000000, 13), nullif(i * 53 % 25 - 12, 0),
	round((nullif(i * 7919 % 20011, 9) - 10000) / 64.0, i % 7), nullif(i * 17 % 4001 - 2000, 8) / 16.0, nullif(round((i % 37 - 18) / 4.0, i % 3), 0), nullif(i * 29 % 2001 - 1000, 4) / 4.0, nullif(i * 29 % 2001, 4) / 8.0 + 0.125, nullif(i * 3 % 401 - 200, 6) / 4.0
FROM generate_series(1, 10000) i;
CREATE TABLE expr_math_ends (id int NOT NULL, a2 int2, b2 int2, a4 int4, b4 int4, a8 int8, b8 int8, n numeric, f float8, g float4);
INSERT INTO expr_math_ends VALUES
	(1, 32767, -1, 2147483647, -1, 9223372036854775807, -1, 0.5, 0.5, 0.5), (2, -32768, -1, -2147483648, -1, -9223372036854775808, -1, -0.5, -0.5, -0.5), (3, -32767, 7, -2147483647, 7, -9223372036854775807, 7, 1.5, 1.5, 1.5),
	(4, -32768, 32767, -2147483648, 2147483647, -9223372036854775808, 9223372036854775807, -1.5, -1.5, -1.5), (5, 0, 5, 0, 5, 0, 5, 0, 2.5, 2.5), (6, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL),
	(7, 5, NULL, 5, NULL, 5, NULL, 0.000, 3.5, 3.5), (8, 1, 1, 1, 1, 1, 1, 99.995, 'Infinity', 'Infinity'), (9, 1, 1, 1, 1, 1, 1, -99.995, '-Infinity', '-Infinity'), (10, 1, 1, 1, 1, 1, 1, 999999999999999999.5, 'NaN', 'NaN'),
	(11, 1, 1, 1, 1, 1, 1, -999999999999999999.5, 4503599627370496.5, 16777217), (12, 1, 1, 1, 1, 1, 1, 1e20, 1e300, 1e30), (13, 1, 1, 1, 1, 1, 1, 0.001, 5e-324, 1e-45),
	(14, 1, 1, 1, 1, 1, 1, 12345678901234567.123456, 0.49999999999999994, 0.49999997), (15, 1, 1, 1, 1, 1, 1, 1.00, 1e-300, 8388609);
CREATE TABLE expr_math_empty (LIKE expr_math);
ANALYZE expr_math, expr_math_ends, expr_math_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset null '(null)'
\pset tuples_only on
-- integers
SELECT sum(a2 % b2), min(a4 % b4), max(a8 % b8), sum(mod(a2, b2)), sum(mod(a4, b4)), sum(mod(a8, b8)), sum(mod(a4, b8)), sum(mod(a2, b4)), sum(a4 % 1000), sum(mod(a8, 7)) FROM expr_math;
SELECT id, max(a2 % b2), max(mod(a2, b2)), max(a4 % b4), max(mod(a4, b4)), max(a8 % b8), max(mod(a8, b8)) FROM expr_math_ends WHERE id <> 6 GROUP BY id ORDER BY id;
SELECT count(a2 % b2), count(mod(a4, b4)), count(a8 % b8) FROM expr_math_ends WHERE id = 6;
SELECT sum(abs(a2)), sum(abs(a4)), sum(abs(a8)), sum(@ a2), sum(@ a4), sum(@ a8), max(abs(a4)), min(abs(a8)) FROM expr_math;
SELECT id, max(abs(a2)), max(abs(a4)), max(abs(a8)), max(@ a8) FROM expr_math_ends WHERE id NOT IN (2, 4) GROUP BY id ORDER BY id;
SELECT sum(a2 | b2), sum(a2 # b2), sum(a4 | b4), sum(a4 # b4), sum(a8 | b8), sum(a8 # b8), sum(a4 & b4), sum(a4 | 1), sum(a8 # -1) FROM expr_math;
SELECT id, max(a2 | b2), max(a2 # b2), max(a2 & b2), max(a4 | b4), max(a4 # b4), max(a8 | b8), max(a8 # b8) FROM expr_math_ends GROUP BY id ORDER BY id;
SELECT a4 % 3 AS r, abs(a2 % 3::int2) AS s, b2 | 7::int2 AS o, count(*) FROM expr_math GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 12;
-- numerics: remainder, absolute value, rounding
SELECT sum(n % q), min(n % q), max(m % q), sum(mod(m, 3)), sum(mod(n, 0.7)), sum(mod(m, a4::numeric)) FROM expr_math WHERE a4 <> 0 OR a4 IS NULL;
SELECT sum(abs(n)), min(abs(m)), max(abs(n)), sum(@ m), sum(round(n)), sum(round(m)), sum(round(n, 1)), sum(round(m, 2)), sum(round(n, -1)), sum(round(m, -2)), sum(round(m, 0)), sum(round(n, 9)), sum(round(m, 4)), sum(round(m, 7)) FROM expr_math;
SELECT sum(trunc(n)), sum(trunc(m)), sum(trunc(n, 1)), sum(trunc(m, 2)), sum(trunc(n, -1)), sum(trunc(m, -2)), sum(floor(n)), sum(floor(m)), sum(ceil(n)), sum(ceiling(m)), sum(trunc(m, 9)) FROM expr_math;
SELECT format('SELECT id, %s FROM expr_math WHERE id <= 25 GROUP BY id ORDER BY id', columns)
FROM unnest(ARRAY['max(n), max(q), max(n % q), max(mod(m, q)), max(abs(n)), max(abs(q))', 'max(round(n)), max(round(n, 1)), max(round(n, 3)), max(round(n, 8)), max(round(n, -1)), max(round(n, -3)), max(round(m, 1)), max(round(m, -1)), max(round(m, 6))',
	'max(trunc(n)), max(trunc(n, 1)), max(trunc(n, 8)), max(trunc(n, -1)), max(trunc(m, 1)), max(trunc(m, -1)), max(floor(n)), max(ceil(n)), max(floor(m)), max(ceil(m))']) columns
\gexec
SELECT id, max(abs(n)), max(round(n)), max(round(n, 2)), max(round(n, -1)), max(trunc(n)), max(trunc(n, 2)), max(trunc(n, -1)), max(floor(n)), max(ceil(n)), max(n % 0.3) FROM expr_math_ends WHERE id < 10 GROUP BY id ORDER BY id;
SELECT id, max(abs(n)), max(round(n)), max(trunc(n)), max(floor(n)), max(ceil(n)), max(n % 7), max(round(n, -18)), max(trunc(n, -30)), max(round(n, -40)) FROM expr_math_ends WHERE id IN (10, 11, 12) GROUP BY id ORDER BY id;
SELECT round(m, -1) AS r, trunc(m, -2) AS t, count(*) FROM expr_math WHERE m > 100 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT floor(m) AS f, ceil(m) AS c, count(*) FROM expr_math WHERE abs(m) < 2 GROUP BY 1, 2 ORDER BY 1, 2;
-- floats
SELECT sum(abs(f)), sum(@ f), sum(abs(g)::float8), sum(round(f)), sum(floor(f)), sum(ceil(f)), sum(ceiling(f)), sum(trunc(f)), max(round(f)), min(floor(g)) FROM expr_math;
SELECT f, max(round(f)) AS r, max(floor(f)) AS fl, max(ceil(f)) AS c, max(trunc(f)) AS t, max(abs(f)) AS a FROM expr_math WHERE f > 0.5 AND f < 3 GROUP BY f ORDER BY f;
SELECT f, max(round(f)) AS r, max(floor(f)) AS fl, max(ceil(f)) AS c, max(trunc(f)) AS t, max(abs(f)) AS a FROM expr_math WHERE f < -0.5 AND f > -3 AND f <> -0.5 AND f <> -0.75 AND f NOT IN (-0.25) AND f <= -1 GROUP BY f ORDER BY f;
SELECT id, max(abs(f)) AS a, max(abs(g)) AS ag, max(floor(f) + 1) AS fl, max(round(f) + 1) AS r, max(trunc(f) + 1) AS t, max(ceil(f) + 1) AS c FROM expr_math_ends GROUP BY id ORDER BY id;
SELECT round(sum(sqrt(p))::numeric, 6), round(sum(exp(f / 100))::numeric, 6), round(sum(ln(p))::numeric, 6), round(sum(log(p))::numeric, 6), round(sum(log10(p))::numeric, 6), round(sum(power(p, 1.5))::numeric, 3), round(sum(pow(p, 0.5))::numeric, 6), round(sum(p ^ 2)::numeric, 6), round(sum(|/ p)::numeric, 6), round(sum(power(f / 1000, 3))::numeric, 6) FROM expr_math;
SELECT id, max(sqrt(p)) = |/ max(p), to_char(max(exp(f / 50)), '9.9999999999EEEE'), to_char(max(ln(p)), '990.9999999999'), to_char(max(log(p)), '990.9999999999'), to_char(max(power(p, 2.5)), '9.9999999999EEEE'), to_char(max(power(f, -3)), '9.9999999999EEEE') FROM expr_math WHERE id <= 20 GROUP BY id ORDER BY id;
SELECT id, max(sqrt(f)), max(power(f, 2)) FROM expr_math_ends WHERE id IN (5, 11) GROUP BY id ORDER BY id;
SELECT id, max(sqrt(f)) FROM expr_math_ends WHERE f > 0 AND id IN (1, 3, 5, 11, 12, 13, 14, 15) GROUP BY id ORDER BY id;
SELECT format('SELECT count(*), sum(id) FROM expr_math WHERE %s', condition)
FROM unnest(ARRAY[$$a4 % 10 = -3$$, $$mod(a8, 1000) > 990$$, $$abs(a2) < 5$$, $$abs(n) < 1$$, $$n % 1 = 0$$, $$round(n) = 3$$, $$round(n, 1) = 3.1$$, $$round(m, -2) = 100$$, $$round(f) = 2$$, $$floor(f) = ceil(f)$$, $$trunc(f) = 0$$, $$sqrt(p) < 2$$, $$p ^ 2 > 60000$$, $$ln(p) < 0$$, $$log(p) > 2$$, $$exp(f / 1000) > 1.25$$, $$floor(m) <> trunc(m)$$,
	$$a4 | 1 = 5$$, $$(a4 # b4) < 0$$, $$(a8 | b8) = b8$$, $$ceil(n) - floor(n) = 1$$, $$abs(f) = abs(g)$$, $$sqrt(abs(f)) > 15$$, $$mod(n, 2) = 1$$, $$power(abs(f), 0.5) > 15$$]) condition
\gexec
SELECT sum(abs(a4)), sum(round(n, 2)), max(sqrt(f)), sum(a4 % b4), count(ln(p)) FROM expr_math_empty;
SELECT round(n, 1), count(*) FROM expr_math_empty GROUP BY 1;
-- errors are PostgreSQL's
SET gpudb.debug_require = allow;
\pset tuples_only off
\set SHOW_CONTEXT never
SELECT format('SELECT count(*), max(%s) FROM expr_math_ends', argument)
FROM unnest(ARRAY['abs(a2)', 'abs(a4)', 'abs(a8)', '@ a4', 'a2 % b2', 'a4 % b4', 'mod(a8, b8)', 'a2 % 0::int2', 'mod(a4, 0)', 'mod(a8, id - 3)', 'n % 0', 'n % (id - 3)', 'mod(n, 0.00)', 'mod(1.5, n)', 'sqrt(f)', 'sqrt(-1 - id::float8)', 'ln(f)', 'ln(id - 3::float8)', 'ln(-id::float8)', 'log(f)', 'log(id - 3::float8)', 'log10(-id::float8)',
	'exp(f)', 'exp(id * 1000::float8)', 'exp(id * -1000::float8)', 'power(f, 0.5)', 'power(0::float8, -id::float8)', 'power(-id::float8, 0.5)', 'power(id * 1e100, 10)', 'power(id * 1e-100, 10)', 'f ^ 2', 'f * 1e10 ^ 300', 'sqrt(n)', 'ln(n)', 'power(n, 2)', 'round(n, id)', 'round(n, 2001)', 'round(n, -2001)', 'trunc(n, id - 5)', 'n % 0.0000000001']) argument
\gexec
SELECT id FROM expr_math_ends WHERE abs(a4) > 5;
\echo :SQLSTATE
SELECT id FROM expr_math_ends WHERE sqrt(f) > 5;
\echo :SQLSTATE
SELECT id FROM expr_math_ends WHERE ln(f + 0.5) > 5;
\echo :SQLSTATE
SELECT mod(a4, b4), count(*) FROM expr_math_ends GROUP BY 1 ORDER BY 1;
-- not where the operation is not reached
SET gpudb.debug_require = require;
SELECT sum(CASE WHEN a4 > -2147483648 THEN abs(a4) ELSE 0 END), sum(CASE WHEN a2 > -32768 THEN @ a2::int4 END), max(CASE WHEN a8 >= -9223372036854775807 THEN abs(a8) END) FROM expr_math_ends;
SELECT sum(CASE WHEN b4 <> 0 THEN a4 % b4 END), sum(CASE WHEN b8 = 0 THEN 7 ELSE mod(a8, b8) END), max(CASE WHEN n > 0 THEN 5 % n END) FROM expr_math_ends WHERE id < 10;
SELECT max(CASE WHEN f > 0 AND f < 1e10 THEN sqrt(f) ELSE -1 END), round(max(CASE WHEN f > 0 AND f < 1e10 THEN ln(f) END)::numeric, 10), round(min(CASE WHEN f <= 0 THEN 0 WHEN f < 1e10 THEN log(f) END)::numeric, 10), max(CASE WHEN abs(f) < 100 THEN exp(f * 0) END) FROM expr_math_ends;
SELECT max(CASE WHEN id > 100 THEN sqrt(-1 - id::float8) ELSE 5 END), max(CASE WHEN id > 100 THEN id % (id - id) ELSE 6 END), max(CASE WHEN id > 100 THEN ln(id - id::float8) ELSE 7 END), max(CASE WHEN id > 100 THEN n % (id - id) ELSE 8 END) FROM expr_math_ends;
SELECT count(*) FROM expr_math_ends WHERE a4 > -2147483648 AND abs(a4) > 5;
SELECT count(*) FROM expr_math_ends WHERE b4 = 0 OR a4 % b4 = 0;
SELECT count(*) FROM expr_math_ends WHERE f > 0 AND f < 1e10 AND sqrt(f) > 0.8;
SELECT count(*) FILTER (WHERE sqrt(f) > 1), sum(abs(a4)) FILTER (WHERE a4 > 0) FROM expr_math_ends WHERE f >= 0 AND f < 1e10;
SELECT COALESCE(a4, a4 % b4, 1 % b4) AS r, count(*) FROM expr_math_ends WHERE id <> 6 GROUP BY 1 ORDER BY 1;
-- infinity and NaN, digits beyond 128 bits; shifts and others
SET gpudb.debug_require = allow;
SELECT id, max(exp(f)), max(sqrt(f)), max(power(f, 2)), max(power(2, f)), max(ln(f)), max(log(f)) FROM expr_math_ends WHERE id IN (8, 10) GROUP BY id ORDER BY id;
SELECT max(exp(f)), max(power(2, f)), max(power(f, 3)), max(power(f, 0)), max(f ^ 0), max(abs(f)) FROM expr_math_ends WHERE id = 9;
SELECT max(power(1, f)), max(power(f, 0)), max(f ^ 1) FROM expr_math_ends WHERE id = 10;
INSERT INTO expr_math_ends (id, n) VALUES (20, 0.00000000000000000001), (21, 12345678901234567890123456789.123456789), (22, -1e37), (23, 0.5e-38), (24, 123456789.5);
SELECT id, max(abs(n)), max(round(n)), max(round(n, 19)), max(round(n, -9)), max(trunc(n)), max(trunc(n, 5)), max(floor(n)), max(ceil(n)), max(n % 0.7), max(7 % n) FROM expr_math_ends WHERE id >= 20 GROUP BY id ORDER BY id;
SELECT sum(abs(CASE WHEN id = 1 THEN 'NaN' ELSE n END)), max(round(CASE WHEN id = 1 THEN 'Infinity' ELSE n END, 1)) FROM expr_math_ends;
SELECT sum(a4 << 2), sum(a4 >> 1), sum(~ a4), sum(sign(n)), round(sum(cbrt(p))::numeric, 6), sum(gcd(a4, b4)), round(sum(sin(f))::numeric, 6) FROM expr_math;
DROP TABLE expr_math, expr_math_ends, expr_math_empty;
