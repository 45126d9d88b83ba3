-- Integer arithmetic: results, and overflow with PostgreSQL's own errors.
CREATE TABLE expr_arith (id int NOT NULL, a2 int2, b2 int2, a4 int4, b4 int4, a8 int8, b8 int8);
INSERT INTO expr_arith
SELECT i,
	nullif(i * 31 % 301 - 150, 7), nullif(i * 37 % 21 - 10, 3),
	nullif(i * 41 % 90001 - 45000, 11), nullif(i * 43 % 23 - 11, 5),
	nullif(i::int8 * 47000000000 % 900000000001 - 450000000000, 13), nullif(i * 53 % 25 - 12, 6)
FROM generate_series(1, 20000) i;
ANALYZE expr_arith;

SET gpudb.force = on;
SET gpudb.debug_require = require;

SELECT count(a2 + b2), sum(a2 + b2), sum(a2 - b2), sum(a2 * b2), min(a2 * b2), max(a2 * b2) FROM expr_arith;
SELECT count(a4 + b4), sum(a4 + b4), sum(a4 - b4), sum(a4 * b4), min(a4 * b4), max(a4 * b4) FROM expr_arith;
SELECT count(a8 + b8), sum(a8 + b8), sum(a8 - b8), sum(a8 * b8), min(a8 * b8), max(a8 * b8) FROM expr_arith;
SELECT sum(a2 + b4), sum(a4 - b2), sum(a2 * b8), sum(a8 + b2), sum(a4 * b8), sum(a8 - b4) FROM expr_arith;
SELECT sum(-a2), sum(-a4), sum(-a8), sum(+a2), sum(+a4), sum(+a8), min(- - a4) FROM expr_arith;
SELECT sum(a4 * 2 + b4 * 3 - 7), sum((a4 + b4) * (a4 - b4)), sum(a2 * a2 + b2 * b2) FROM expr_arith WHERE a4 BETWEEN -10000 AND 10000;

-- division cuts toward zero; the remainder has the dividend's sign
SELECT a2 / 4::int2 AS q, a2 % 4::int2 AS r, count(*) FROM expr_arith WHERE a2 BETWEEN -9 AND 9 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT sum(a2 / b2), sum(a2 % b2), min(a2 / b2), max(a2 % b2) FROM expr_arith WHERE b2 <> 0;
SELECT sum(a4 / b4), sum(a4 % b4), min(a4 / b4), max(a4 % b4) FROM expr_arith WHERE b4 <> 0;
SELECT sum(a8 / b8), sum(a8 % b8), min(a8 / b8), max(a8 % b8) FROM expr_arith WHERE b8 <> 0;
SELECT sum(a4 / b2), sum(a8 / b4), sum(a2 / b8) FROM expr_arith WHERE b2 <> 0 AND b4 <> 0 AND b8 <> 0;
SELECT count(*), sum(id) FROM expr_arith WHERE a4 + b4 > 44990;
SELECT count(*), sum(id) FROM expr_arith WHERE a2 * b2 = 1490 OR a4 % 1000 = 999;
SELECT id, a2, b2 FROM expr_arith WHERE a2 + b2 * 2 = 150 AND id < 6000 ORDER BY id;
SELECT id FROM expr_arith WHERE a8 / 1000000000 = 449 AND id < 10000 ORDER BY id;

-- the ends of the ranges
INSERT INTO expr_arith VALUES
	(30001, 32767, 1, 2147483647, 1, 9223372036854775807, 1),
	(30002, -32768, -1, -2147483648, -1, -9223372036854775808, -1),
	(30003, 0, 0, 0, 0, 0, 0);
SELECT id, count(*), sum(a2 - b2), sum(a4 - b4), sum(a8 - b8) FROM expr_arith WHERE id > 30000 AND id <> 30002 GROUP BY id ORDER BY id;
SELECT min(a2), max(a2), min(a4), max(a4), min(a8), max(a8), sum(a8) FROM expr_arith;
SELECT sum(a2 % b2), sum(a4 % b4), sum(a8 % b8) FROM expr_arith WHERE id = 30002;
SELECT sum(a2 * b4), sum(a4 * b8) FROM expr_arith WHERE id > 30000;
SELECT sum(a2::int4 + b2), sum(a4::int8 + b4) FROM expr_arith WHERE id > 30000;

-- overflow that is not evaluated is none
SELECT sum(a4 + b4) FROM expr_arith WHERE id < 30000;
SELECT sum(a4 + 1) FILTER (WHERE a4 < 2147483647) FROM expr_arith;
SELECT sum(CASE WHEN a8 < 9223372036854775807 THEN a8 + 1 ELSE a8 END) FROM expr_arith;

SET gpudb.debug_require = allow;
SELECT sum(a2 + b2) FROM expr_arith;
\echo :SQLSTATE
SELECT sum(a2 - 1::int2) FROM expr_arith;
SELECT sum(a2 * 2::int2) FROM expr_arith;
SELECT sum(-a2) FROM expr_arith;
SELECT sum(a2 / b2) FROM expr_arith WHERE id = 30002;
SELECT sum(a4 + b4) FROM expr_arith;
\echo :SQLSTATE
SELECT sum(a4 - 1) FROM expr_arith;
SELECT sum(a4 * 2) FROM expr_arith;
SELECT sum(-a4) FROM expr_arith;
SELECT sum(a4 / b4) FROM expr_arith WHERE id = 30002;
SELECT sum(a2 + b4 * 2147483647) FROM expr_arith;
SELECT sum(a8 + b8) FROM expr_arith;
\echo :SQLSTATE
SELECT sum(a8 - 1) FROM expr_arith;
SELECT sum(a8 * 2) FROM expr_arith;
SELECT sum(-a8) FROM expr_arith;
SELECT sum(a8 / b8) FROM expr_arith WHERE id = 30002;
SELECT sum(a4 + a8) FROM expr_arith WHERE id > 30000;
SELECT sum(a2 / b2) FROM expr_arith;
\echo :SQLSTATE
SELECT sum(a4 % b4) FROM expr_arith;
SELECT sum(a8 / b8) FROM expr_arith;
SELECT id FROM expr_arith WHERE a4 + 1 < 0;
SELECT count(*) FROM expr_arith WHERE a4 * a4 > 0;
SELECT a2 + 1::int2, count(*) FROM expr_arith GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1;
-- operations, some of which stay with PostgreSQL
SELECT sum(abs(a4)), sum(a4 & 7), sum(a4 # b4), sum(a4 << 2), sum(mod(a4, 7)) FROM expr_arith WHERE id < 30000;
DROP TABLE expr_arith;
