-- bool_and, bool_or, every, bit_and, bit_or, bit_xor.
CREATE TABLE agg_bits (id int NOT NULL, k int, b bool, t bool NOT NULL, i2 int2, i4 int4, i8 int8, n numeric);
INSERT INTO agg_bits
SELECT i, i % 6, CASE i % 6 WHEN 0 THEN true WHEN 1 THEN false WHEN 2 THEN i % 4 = 0 WHEN 3 THEN nullif(i % 4 < 2, false) WHEN 4 THEN NULL ELSE nullif(i % 4 < 2, true) END, i % 7 > 0,
	nullif(i * 31 % 601 - 300, 7) | (i % 6), nullif(i * 41 % 90001, 11) * 16 + i % 6, nullif(i::int8 * 47000003 % 900000000001, 13) * CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END, i
FROM generate_series(1, 12000) i;
INSERT INTO agg_bits VALUES (12001, 10, true, true, 32767, 2147483647, 9223372036854775807, 1), (12002, 11, false, false, -32768, -2147483648, -9223372036854775808, 1), (12003, 12, NULL, true, NULL, NULL, NULL, NULL), (12004, 12, NULL, false, NULL, NULL, NULL, NULL),
	(12005, 13, true, true, -1, -1, -1, 1), (12006, 13, NULL, true, NULL, NULL, NULL, 1), (12007, 14, true, true, 0, 0, 0, 1), (12008, 15, false, true, 5, 5, 5, 5), (12009, 15, true, true, 5, 5, 5, 5);
CREATE TABLE agg_bits_empty (LIKE agg_bits);
ANALYZE agg_bits, agg_bits_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
SELECT bool_and(b), bool_or(b), every(b), bool_and(t), bool_or(t), bool_and(id > 0), bool_or(id < 0), every(k < 20), bool_and(b IS NULL OR b OR NOT b), bool_or(n IS NULL) FROM agg_bits;
SELECT k, bool_and(b), bool_or(b), every(b), bool_and(t), bool_or(NOT t), every(i2 > 0), bool_or(i4 > 89000), count(b) FROM agg_bits GROUP BY k ORDER BY k;
SELECT bool_and(b) FILTER (WHERE k = 0), bool_or(b) FILTER (WHERE k = 1), every(b) FILTER (WHERE k = 4), bool_or(b) FILTER (WHERE false), bool_and(t) FILTER (WHERE t), bool_and(NULL::bool) FROM agg_bits;
SELECT bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8) FROM agg_bits;
SELECT bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8) FROM agg_bits WHERE id <= 12000;
SELECT k, bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4) FROM agg_bits GROUP BY k ORDER BY k;
SELECT k, bit_and(i8), bit_or(i8), bit_xor(i8), bit_and(i4 | 8), bit_or(i4 & 7), bit_xor(i4 # i2), bit_or(abs(i2)), bit_and(i2 + k) FROM agg_bits WHERE k NOT IN (10, 11) GROUP BY k ORDER BY k;
SELECT bit_and(i4) FILTER (WHERE k = 3), bit_or(i4) FILTER (WHERE k = 3), bit_xor(i8) FILTER (WHERE i8 > 0), bit_or(i2) FILTER (WHERE k = 12), bit_xor(i2) FILTER (WHERE false), bit_and(i8) FILTER (WHERE k = 10), bit_xor(i8) FILTER (WHERE k = 11), bit_or(CASE WHEN k = 1 THEN i4 END), bit_and(COALESCE(i2, 1)) FROM agg_bits;
SELECT i2 & 3 AS r, b, bool_or(t), bit_xor(id) FROM agg_bits GROUP BY 1, 2 ORDER BY 1, 2;
SELECT k, bool_and(b) FROM agg_bits GROUP BY k HAVING bool_or(b) OR bit_and(i4) = 5 ORDER BY k;
SELECT bool_and(b), bool_or(b), every(t), bit_and(i2), bit_or(i4), bit_xor(i8) FROM agg_bits_empty;
SELECT k, bool_and(b), bit_xor(i8) FROM agg_bits_empty GROUP BY k;
SELECT bool_and(b), bit_or(i4), count(*) FROM agg_bits WHERE id < 0;
-- errors in the argument, ORDER BY and other types are PostgreSQL's, and DISTINCT over a GpuAgg
SET gpudb.debug_require = allow;
SELECT bit_or(i4 + 1) FROM agg_bits;
SELECT bool_or(10 / (k - 3) > 5) FROM agg_bits;
SELECT bool_or(k = 3 OR 10 / (k - 3) > 5), bit_or(CASE WHEN k <> 3 THEN 10 / (k - 3) END) FROM agg_bits;
SELECT bit_xor(DISTINCT i2), bool_and(DISTINCT b), bit_or(i4 ORDER BY id), bit_xor(i4 & 255) FROM agg_bits;
SELECT bit_or(i4::bit(32)), bit_xor(k::bit(4)) FROM agg_bits;
SELECT gpu_nodes('SELECT bit_xor(DISTINCT i2) FROM agg_bits') LIKE '%GpuAgg%' AS d, gpu_nodes('SELECT bit_or(i4 ORDER BY id) FROM agg_bits') LIKE '%GpuAgg%' AS o, gpu_nodes('SELECT bool_and(DISTINCT b) FROM agg_bits') LIKE '%GpuAgg%' AS b;
DROP TABLE agg_bits, agg_bits_empty;
