-- bitwise operators of integers
CREATE TABLE expr_bits (id int NOT NULL, i2 int2, i4 int4, i8 int8);
INSERT INTO expr_bits SELECT i, (i * 7919 % 65536 - 32768)::int2, (i::int8 * 2654435761 % 4294967296 - 2147483648)::int4,
	i::int8 * 461168601842738 FROM generate_series(1, 20000) i;
INSERT INTO expr_bits VALUES (20001, NULL, 5, NULL), (20002, -32768, -2147483648, '-9223372036854775808'), (20003, -1, -1, -1);
ANALYZE expr_bits;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(i2 & 255::int2), sum(i4 & 65535), sum(i8 & 4294967295), count(i2 & i2), min(i4 & -16), max(i8 & i4) FROM expr_bits;
SELECT i4 & 7 AS k, count(*) FROM expr_bits WHERE (i2 & 1::int2) = 1 GROUP BY 1 ORDER BY 1;
SELECT id, i2 & i4, i8 & -2 FROM expr_bits WHERE (i4 & 4095) = 17 OR i8 & i8 = -1 ORDER BY id;
DROP TABLE expr_bits;
