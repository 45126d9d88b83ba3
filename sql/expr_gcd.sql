-- greatest common divisors
CREATE TABLE expr_gcd (id int NOT NULL, a4 int4, b4 int4, a8 int8, b8 int8);
INSERT INTO expr_gcd SELECT i, (i * 7919 % 30030 - 15015) * 12, i % 97 * 60 - 2880, i::int8 * 9699690, (i::int8 * i - 20000) * 30030
	FROM generate_series(1, 20000) i;
INSERT INTO expr_gcd VALUES (20001, NULL, 5, NULL, 5), (20002, 6, NULL, 6, NULL), (20003, 0, 0, 0, 0), (20004, -5, 0, 0, -5),
	(20005, -2147483648, 12, '-9223372036854775808', 12), (20006, -2147483648, -1, '-9223372036854775808', -1),
	(20007, 2147483647, -2147483648, 9223372036854775807, '-9223372036854775808'),
	(20008, 1836311903, 1134903170, 7540113804746346429, 4660046610375530309);
ANALYZE expr_gcd;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(gcd(a4, b4)), max(gcd(a4, b4)), sum(gcd(a8, b8)), max(gcd(a8, b8)), sum(gcd(a4, b8)), count(gcd(a4, b4)), count(gcd(a8, b8)) FROM expr_gcd;
SELECT gcd(a4, 60) AS k, count(*), sum(gcd(b8, id)) FROM expr_gcd WHERE gcd(id, 30) = 5 GROUP BY 1 ORDER BY 1;
SELECT id, gcd(a4, b4), gcd(a8, b8) FROM expr_gcd WHERE id > 20000 OR gcd(a8, b8) > 2000000000 ORDER BY id;
-- 2^31 and 2^63 do not fit, which is PostgreSQL's error to raise
SET gpudb.debug_require = allow;
SELECT sum(gcd(a4, 0)) FROM expr_gcd;
SELECT sum(gcd(a4, -2147483648)) FROM expr_gcd WHERE id = 20005;
SELECT max(gcd(a8, 0)) FROM expr_gcd;
SELECT id FROM expr_gcd WHERE gcd(a8, '-9223372036854775808') = 0;
-- lanes that no filter passes, and NULLs, raise nothing
SET gpudb.debug_require = require;
SELECT sum(gcd(a4, 0)), sum(gcd(a8, 0)) FROM expr_gcd WHERE id < 20005;
SELECT sum(CASE WHEN a4 > -2147483648 THEN gcd(a4, 0) END), count(gcd(NULL, a4)) FROM expr_gcd;
DROP TABLE expr_gcd;
