-- Numeric: scales, the digits that are displayed, 64 and 128 bits, what is wider, NaN and infinity.
CREATE TABLE expr_numeric (
	id int NOT NULL, k int,
	p numeric(12,2), r numeric(6,4), w numeric(30,6), h numeric(10,-2), z numeric(38,0),
	u numeric, v numeric
);
INSERT INTO expr_numeric
SELECT i, i % 7,
	nullif((i * 7919 % 2001 - 1000) / 100.0, 5),
	(i * 31 % 10007) / 10000.0,
	(i * 104729 % 1000003)::numeric * 1000000007 / 1000,
	i * 37,
	(i * 7 % 1009)::numeric * 1e30,
	CASE WHEN i % 11 <> 0 THEN round((i * 13 % 199 - 99) / 8.0, i % 4) END,
	round((i * 17 % 499) / 4.0, 2)
FROM generate_series(1, 20000) i;
ANALYZE expr_numeric;

SET gpudb.force = on;
SET gpudb.debug_require = require;

-- the digits after the point follow PostgreSQL's rules
SELECT sum(p), sum(r), sum(w), sum(h), sum(z), sum(u), sum(v) FROM expr_numeric;
SELECT sum(p + r), sum(p - r), sum(p * r), sum(p * 2), sum(p * 1.10), sum(p + 1), sum(-p), sum(+p) FROM expr_numeric;
SELECT sum(p * (1 - r) * (1 + r)), sum(p * r * p), sum(w * p), sum(w + u), sum(u * v), sum(u - v), sum(-u) FROM expr_numeric;
SELECT sum(u + 1.5), sum(u + 1.50), sum(u * 2.00), sum(u - 0.000), sum(v + u + p) FROM expr_numeric;
SELECT min(p), max(p), min(r), max(r), min(w), max(w), min(h), max(h), min(z), max(z) FROM expr_numeric;
SELECT min(p * r), max(p * r), min(p - 0.5), max(w * 2 - p) FROM expr_numeric;
SELECT avg(p), avg(r), avg(w), avg(h), avg(z), avg(u), avg(v) FROM expr_numeric;
SELECT k, sum(p), sum(p * r), avg(p), sum(u), avg(u * v), count(u) FROM expr_numeric GROUP BY k ORDER BY k;

-- as keys
SELECT p, count(*) FROM expr_numeric WHERE p BETWEEN 0 AND 0.1 GROUP BY p ORDER BY p;
SELECT p * 1.000 AS q, count(*) FROM expr_numeric WHERE p BETWEEN 0 AND 0.1 GROUP BY 1 ORDER BY 1;
SELECT h, count(*) FROM expr_numeric WHERE h < 1000 GROUP BY h ORDER BY h;
SELECT z, count(*) FROM expr_numeric WHERE z < 9e30 GROUP BY z ORDER BY z;
SELECT v, count(*) FROM expr_numeric WHERE v < 2 GROUP BY v ORDER BY v;
SELECT round(p, 0)::int4 AS whole, count(*) FROM expr_numeric WHERE p BETWEEN -2 AND 2 GROUP BY 1 ORDER BY 1;

-- comparisons over scales
SELECT count(*), sum(id) FROM expr_numeric WHERE p > r;
SELECT count(*), sum(id) FROM expr_numeric WHERE u = v;
SELECT count(*), sum(id) FROM expr_numeric WHERE u <> v AND p < 0;
SELECT count(*), sum(id) FROM expr_numeric WHERE w > 9e11 AND w < 9.5e11;
SELECT count(*), sum(id) FROM expr_numeric WHERE z >= 1e33;
SELECT count(*), sum(id) FROM expr_numeric WHERE z = 7000000000000000000000000000000;
SELECT count(*), sum(id) FROM expr_numeric WHERE h = 3700;
SELECT count(*), sum(id) FROM expr_numeric WHERE p * r > 5.000001;
SELECT count(*), sum(id) FROM expr_numeric WHERE p IN (1.5, 2.50, 3.000, -7.25);
SELECT count(*), sum(id) FROM expr_numeric WHERE u IN (1.5, 2.50, 3.000, -7.25);
SELECT count(*), sum(id) FROM expr_numeric WHERE u IS NULL OR u = 0.0;
SELECT id, p, r, u FROM expr_numeric WHERE p = 9.34 OR r = 0.5 ORDER BY id LIMIT 10;

-- equal values that print differently: either spelling may be returned, so only PostgreSQL can say
SET gpudb.debug_require = allow;
SELECT u, count(*) FROM expr_numeric WHERE u BETWEEN 0.9 AND 1.1 GROUP BY u ORDER BY u;
SELECT u::numeric(10,3), count(*) FROM expr_numeric WHERE u BETWEEN 0.9 AND 1.1 GROUP BY u ORDER BY u;
SELECT min(u) = max(u) FROM expr_numeric WHERE u = 1;
SET gpudb.debug_require = require;
SELECT min(u), max(u) FROM expr_numeric WHERE u IN (0.88, -12.375);
SELECT u, count(*) FROM expr_numeric WHERE u IN (0.88, 0.875, 0.125) GROUP BY u ORDER BY u;

-- 128 bits
CREATE TABLE expr_numeric_wide (id int NOT NULL, a numeric, b numeric(38,10), c numeric(19,0));
INSERT INTO expr_numeric_wide
SELECT i, i * 1e17 + 0.25, i * 1e18 + 0.0000000001 * i, 9000000000000000000 + i FROM generate_series(1, 20000) i;
ANALYZE expr_numeric_wide;
SELECT sum(a), sum(b), sum(c), min(a), max(a), min(b), max(b), max(c), avg(c) FROM expr_numeric_wide;
SELECT sum(a + b), sum(c - a), sum(c * 1000), sum(a * 16) FROM expr_numeric_wide;
SELECT count(*), sum(id) FROM expr_numeric_wide WHERE a > 1e20 AND b < 1e22 AND c + 1 > 9000000000000005000;
SELECT a, count(*) FROM expr_numeric_wide WHERE id <= 3 GROUP BY a ORDER BY a;
SELECT b * 1, count(*) FROM expr_numeric_wide WHERE id > 19998 GROUP BY 1 ORDER BY 1;
SELECT sum(c * c) FROM expr_numeric_wide WHERE id = 10;

-- beyond 38 digits
SET gpudb.debug_require = allow;
SELECT sum(c * c * c), sum(a * b) FROM expr_numeric_wide;
SELECT max(b * b) FROM expr_numeric_wide;
SELECT count(*) FROM expr_numeric_wide WHERE a * a * a > 1e60;
INSERT INTO expr_numeric_wide VALUES (20001, 1e50, 0, 0), (20002, 1e-50, 0, 0), (20003, 12345678901234567890.123456789012345678901234567890, 0, 0);
SELECT sum(a), min(a), max(a) FROM expr_numeric_wide;
SELECT count(*), sum(id) FROM expr_numeric_wide WHERE a > 1e20;
SELECT id, a FROM expr_numeric_wide WHERE a < 1e17 OR a > 1e22 ORDER BY id;
SELECT a, count(*) FROM expr_numeric_wide WHERE id > 20000 GROUP BY a ORDER BY a;
SET gpudb.debug_require = require;
SELECT count(*), sum(b), sum(c) FROM expr_numeric_wide;

-- NaN and infinity
SET gpudb.debug_require = allow;
CREATE TABLE expr_numeric_special (id int NOT NULL, p numeric(12,2), u numeric);
INSERT INTO expr_numeric_special SELECT i, i, i FROM generate_series(1, 20000) i;
INSERT INTO expr_numeric_special VALUES (20001, 'NaN', 'NaN'), (20002, NULL, 'infinity'), (20003, NULL, '-infinity');
ANALYZE expr_numeric_special;
SELECT sum(p), max(p), min(p) FROM expr_numeric_special;
SELECT sum(u), max(u), min(u) FROM expr_numeric_special;
SELECT sum(u), max(u), min(u) FROM expr_numeric_special WHERE id <> 20001;
SELECT sum(u), avg(u) FROM expr_numeric_special WHERE id < 20003 AND id <> 20001;
SELECT id, p FROM expr_numeric_special WHERE p > 19999 ORDER BY id;
SELECT id, u FROM expr_numeric_special WHERE u > 19999 OR u < 1 ORDER BY id;
SELECT u, count(*) FROM expr_numeric_special WHERE id > 19999 GROUP BY u ORDER BY u;
SELECT count(*) FROM expr_numeric_special WHERE u = 'NaN';
SELECT count(*) FROM expr_numeric_special WHERE p * 2 > 10;
-- division and functions stay with PostgreSQL
SELECT sum(p / 3), sum(round(u / 7, 5)), sum(p % 7), sum(trunc(p / 10)), sum(abs(u)) FROM expr_numeric_special WHERE id <= 20000;
SELECT count(*) FROM expr_numeric_special WHERE p / 0 > 1;
\echo :SQLSTATE

-- rounding to a declared scale: half away from zero; too large is an error
SET gpudb.debug_require = require;
SELECT sum(u::numeric(10,1)), sum(r::numeric(6,2)), sum(p::numeric(14,4)), sum((p * r)::numeric(14,2)), sum(w::numeric(38,0)) FROM expr_numeric;
SELECT (r - 0.5)::numeric(4,1) AS q, count(*) FROM expr_numeric WHERE r BETWEEN 0.4 AND 0.6 GROUP BY 1 ORDER BY 1;
SELECT r, r::numeric(4,3) AS q, count(*) FROM expr_numeric WHERE r IN (0.0005, 0.0015, 0.0025, 0.9995) GROUP BY r, 2 ORDER BY r;
SET gpudb.debug_require = allow;
SELECT sum(p::numeric(4,2)) FROM expr_numeric;
\echo :SQLSTATE
SELECT sum(r::numeric(2,2)) FROM expr_numeric;
DROP TABLE expr_numeric, expr_numeric_wide, expr_numeric_special;
