-- Aggregates without keys.
CREATE TABLE agg_plain (id int NOT NULL, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(12,2), u numeric, d date, ts timestamp, b bool, t text, allnull int, alln numeric);
INSERT INTO agg_plain
SELECT i, nullif(i % 2001 - 1000, 9), nullif(i * 37 % 20011 - 10000, 9), i::int8 * 1000003 * nullif(i % 3, 2), nullif(i % 64, 5) / 8.0, nullif(i % 128, 5) / 8.0,
	nullif(i % 5000, 5) / 100.0, nullif(round(i % 333 / 8.0, i % 4), 1), date '2000-01-01' + nullif(i % 3000, 10), timestamp '2000-01-01' + interval '1 second' * nullif(i, 11), nullif(i % 3, 0) = 1, nullif('t' || i % 9, 't3'), NULL, NULL
FROM generate_series(1, 50000) i;
ANALYZE agg_plain;

SET datestyle = ISO;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*) FROM agg_plain;
SELECT count(*), count(id), count(i2), count(i4), count(i8), count(f4), count(f8), count(n), count(u), count(d), count(ts), count(b), count(t), count(allnull), count(1), count(NULL) FROM agg_plain;
SELECT sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), sum(n), sum(u), sum(allnull), sum(alln) FROM agg_plain;
SELECT avg(i2), avg(i4), avg(i8), avg(f4), avg(f8), avg(n), avg(u), avg(allnull), avg(alln) FROM agg_plain;
SELECT min(i2), min(i4), min(i8), min(n), min(d), min(ts), min(allnull), min(alln) FROM agg_plain;
SELECT max(i2), max(i4), max(i8), max(n), max(d), max(ts), max(allnull), max(alln) FROM agg_plain;
SELECT min(f4), max(f4), min(f8), max(f8) FROM agg_plain WHERE f4 > 0 AND f8 > 0;
-- types of the results
SELECT pg_typeof(sum(i2)), pg_typeof(sum(i4)), pg_typeof(sum(i8)), pg_typeof(sum(f4)), pg_typeof(avg(i4)), pg_typeof(avg(f4)), pg_typeof(min(i2)), pg_typeof(max(d)) FROM agg_plain;
-- of expressions, with filters, and several times over
SELECT sum(i4 + 1), sum(i4) + 1, sum(i4 + 1) * 2, avg(i4), sum(i4), count(i4), avg(i4) - sum(i4) / count(i4) FROM agg_plain WHERE i2 BETWEEN -10 AND 10;
SELECT sum(n * (1 - u / 1)) FROM (SELECT n, 0.05 AS u FROM agg_plain) s;
SELECT sum(n * 0.95), sum(n * n), avg(n * 1.5), min(n * -1), max(n + u) FROM agg_plain WHERE u > 5;
SELECT count(*), sum(i4) FROM agg_plain WHERE t = 't5' AND b;
-- no row
SELECT count(*), count(i4), sum(i4), avg(n), min(d), max(f8), sum(f4) FROM agg_plain WHERE id < 0;
SELECT count(*), sum(i4) FROM agg_plain WHERE i4 IS NULL AND i4 = 3;
SELECT 1 AS one FROM agg_plain HAVING count(*) > 49999;
SELECT 1 AS one FROM agg_plain HAVING count(*) > 50000;
SELECT sum(i4) FROM agg_plain HAVING sum(i4) IS NULL;
-- at the sizes of a tile and a window of pages, more or less one
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id), min(id), max(id), sum(n), sum(f8) FROM agg_plain WHERE id <= %s', n) FROM unnest('{0,1,2,31,32,33,1023,1024,1025,2047,2048,2049,8191,8192,8193,49999}'::int[]) n \gexec
\pset format aligned
\pset tuples_only off
-- others stay with PostgreSQL
SET gpudb.debug_require = allow;
SELECT count(DISTINCT i2), sum(DISTINCT i2), string_agg(t, ',' ORDER BY id) FILTER (WHERE id < 10), min(t), max(t), bool_and(b), bool_or(b), round(stddev(i4), 4), round(variance(n), 4) FROM agg_plain;
SELECT array_agg(id ORDER BY id DESC) FROM agg_plain WHERE id < 6;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY i2) FROM agg_plain;
SELECT count(*) OVER (), sum(i4) OVER (ORDER BY id) FROM agg_plain WHERE id < 4;
SELECT sum(sum(i4)) OVER () FROM agg_plain;
DROP TABLE agg_plain;
