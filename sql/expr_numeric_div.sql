-- division of numerics: digits, rounding and errors are PostgreSQL's
CREATE TABLE expr_numeric_div (id int NOT NULL, a numeric(15,2), b numeric(8,3), u numeric, v numeric(12,3));
INSERT INTO expr_numeric_div SELECT i, (i * 7919 % 2000003 - 1000001) / 100.0, (i * 104729 % 99991 + 1) / 1000.0 * (CASE WHEN i % 3 = 0 THEN -1 ELSE 1 END),
	(i * 31 % 1009) / (10.0 ^ (i % 4))::numeric(6,0), ((i * 17 % 997) + 1)::numeric / 8 FROM generate_series(1, 20000) i;
INSERT INTO expr_numeric_div VALUES (20001, NULL, 1, 1, NULL), (20002, 0, 5, 0.00, 3), (20003, 9999999999999.99, 0.001, 1e15, 0.001), (20004, 0.01, 99999.999, 1, 3), (20005, -0.01, 3, -2, 3);
ANALYZE expr_numeric_div;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(a / 3), sum(b / 7), avg(a / b), min(a / b), max(a / b), count(a / b) FROM expr_numeric_div WHERE id <> 20003;
SELECT sum(u / v), min(u / v), sum(u / 3), sum(v / 11) FROM expr_numeric_div WHERE id <= 20000 AND id % 7 = 1;
SELECT a / 1000 AS q, count(*) FROM expr_numeric_div WHERE a / 1000 BETWEEN 1 AND 1.01 GROUP BY 1 ORDER BY 1 LIMIT 5;
SELECT id, a / b, u / 7, 1 / b FROM expr_numeric_div WHERE a / b > 100000 AND id < 20003 ORDER BY id LIMIT 8;
SELECT count(*) FROM expr_numeric_div WHERE (a / 3) * 3 = a;
SELECT id % 5 AS k, sum(100.00 * a / 7), avg(a * (1 - b / 100)) FROM expr_numeric_div WHERE id < 20001 GROUP BY 1 ORDER BY 1;
SELECT sum(CASE WHEN v <> 5 THEN 1 / (v - 5) END) FROM expr_numeric_div WHERE id < 20001 AND v - 5 >= 1;
-- what does not fit 128 bits, and what divides by zero, PostgreSQL answers
SET gpudb.debug_require = allow;
SELECT a / b, u / v, 1 / a FROM expr_numeric_div WHERE id = 20003;
SELECT sum(a / b), sum(u / v) FROM expr_numeric_div WHERE id > 20000;
SELECT sum(1 / (v - 5)) FROM expr_numeric_div;
SELECT count(*) FROM expr_numeric_div WHERE 1 / u > 0;
DROP TABLE expr_numeric_div;
