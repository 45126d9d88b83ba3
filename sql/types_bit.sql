-- bit(n) of up to 63 bits: in aggregates, as a group key, and out of GpuScan, GpuJoin and cached columns
CREATE DOMAIN types_bit_flags AS bit(12);
CREATE TABLE types_bit (id int NOT NULL, b1 bit, b5 bit(5), b8 bit(8) NOT NULL, b63 bit(63), f types_bit_flags, b64 bit(64), v varbit(9), g int);
INSERT INTO types_bit SELECT i, (i % 2)::bit, CASE WHEN i % 7 <> 0 THEN (i * 11)::bit(5) END, (i * 37)::bit(8), (i::int8 * 461168601842738)::bit(63),
	CASE WHEN i % 5 <> 0 THEN (i * 101)::bit(12) END, (i::int8 * -982451653)::bit(64), (i % 500)::bit(9), i % 3
	FROM generate_series(1, 20000) i;
INSERT INTO types_bit VALUES (20001, NULL, NULL, B'11111111', NULL, NULL, NULL, NULL, NULL),
	(20002, B'1', B'11111', B'00000000', ~(0::bit(63)), ~(0::bit(12)), ~(0::bit(64)), B'1', NULL);
ALTER TABLE types_bit ADD COLUMN late bit(10) DEFAULT B'1010000011', ADD COLUMN absent bit(3);
INSERT INTO types_bit VALUES (20003, B'0', B'00001', B'00000001', B'0'::bit(63), B'1'::bit(12), NULL, NULL, 0, B'0000000001', B'101');
VACUUM ANALYZE types_bit;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT bit_xor(b1), bit_xor(b5), bit_xor(b8), bit_xor(b63), bit_xor(late), bit_xor(absent) FROM types_bit;
SELECT bit_and(b1), bit_and(b5), bit_or(b5), bit_and(b8), bit_or(b63), bit_or(late) FROM types_bit;
SELECT g, bit_xor(b5), bit_xor(b8) FILTER (WHERE id % 10 < 3), bit_or(b63), count(b5), count(f) FROM types_bit GROUP BY g ORDER BY g;
SELECT bit_xor(b5), bit_and(b8) FROM types_bit WHERE id < 0;
SELECT b5, count(*), bit_xor(b63), sum(id) FROM types_bit GROUP BY b5 ORDER BY b5;
SELECT f, b1, count(*) FROM types_bit WHERE id % 1000 = 1 OR f IS NULL AND id > 20000 GROUP BY f, b1 ORDER BY f, b1;
SELECT bit_xor(CASE WHEN id % 3 = 0 THEN b8 END), bit_xor(coalesce(b5, b5)) FROM types_bit;
SELECT percentile_disc(0.25) WITHIN GROUP (ORDER BY b63), percentile_disc(0.9) WITHIN GROUP (ORDER BY b8 DESC) FROM types_bit;
SELECT id, b1, b5, b8, b63, f, late, absent FROM types_bit WHERE id % 4000 = 2 OR id > 20000 ORDER BY id;
-- joins return bits, too
CREATE TABLE types_bit_dim (k int, name bit(7));
INSERT INTO types_bit_dim SELECT i, (i * 5)::bit(7) FROM generate_series(0, 20) i;
ANALYZE types_bit_dim;
SELECT name, bit_xor(b8), count(*) FROM types_bit JOIN types_bit_dim ON k = id % 21 GROUP BY name ORDER BY name;
SELECT id, b63, name FROM types_bit JOIN types_bit_dim ON k = id WHERE b1 IS NOT NULL ORDER BY id;
-- cached columns, and values that were written since
SELECT gpudb.evict('types_bit') >= 0 AS evicted;
SELECT gpudb.prewarm('types_bit') > 0 AS cached;
UPDATE types_bit SET b5 = ~b5 WHERE id % 1000 = 0;
SELECT bit_xor(b5), bit_xor(b8), bit_xor(b63), count(DISTINCT g) FROM types_bit;
SELECT sum(differences) FROM gpudb.check('types_bit');
-- PostgreSQL's: longer ones, domains in aggregates, varbit, lengths that are not declared or differ, comparisons, and the order of the rows
SET gpudb.debug_require = allow;
SELECT query, gpu_nodes(query) FROM unnest(ARRAY['SELECT bit_xor(b64) FROM types_bit', 'SELECT count(*) FROM types_bit WHERE b8 = B''00000001''',
	'SELECT count(*) FROM types_bit GROUP BY v']) query;
SELECT bit_xor(b64), count(b64), bit_xor(f), bit_or(f) FROM types_bit;
SELECT bit_xor(CASE WHEN id % 2 = 0 THEN b8 ELSE b5 END) FROM types_bit;
CREATE TABLE types_bit_any AS SELECT bit_xor(b8) AS b FROM types_bit GROUP BY g;
SELECT bit_or(b) FROM types_bit_any;
SELECT count(*) FROM types_bit WHERE b8 > B'10000000';
SELECT id, b63 FROM types_bit WHERE id < 5 ORDER BY b63, id;
DROP TABLE types_bit, types_bit_dim, types_bit_any;
DROP DOMAIN types_bit_flags;
