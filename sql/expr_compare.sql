-- Comparisons: every pair of types, NULLs and the ends of each range.
CREATE TABLE expr_compare (
	id int NOT NULL,
	i2 int2, i4 int4, i8 int8,
	f4 float4, f8 float8,
	n numeric(10,2), u numeric,
	d date, ts timestamp, tz timestamptz,
	b bool
);
INSERT INTO expr_compare
SELECT i,
	CASE WHEN i % 11 <> 0 THEN i * 31 % 401 - 200 END,
	CASE WHEN i % 13 <> 0 THEN i * 37 % 401 - 200 END,
	CASE WHEN i % 17 <> 0 THEN i * 41 % 401 - 200 END,
	CASE WHEN i % 19 <> 0 THEN (i * 43 % 801 - 400) / 2.0 END,
	CASE WHEN i % 23 <> 0 THEN (i * 47 % 801 - 400) / 2.0 END,
	CASE WHEN i % 29 <> 0 THEN (i * 53 % 801 - 400) / 2.0 END,
	CASE WHEN i % 31 <> 0 THEN round((i * 59 % 1601 - 800) / 4.0, i % 3 + 2) END,
	CASE WHEN i % 37 <> 0 THEN date '2020-01-01' + i * 61 % 401 END,
	CASE WHEN i % 41 <> 0 THEN timestamp '2020-01-01' + interval '12 hours' * (i * 67 % 801) END,
	CASE WHEN i % 43 <> 0 THEN timestamptz '2020-01-01 UTC' + interval '12 hours' * (i * 71 % 801) END,
	CASE WHEN i % 3 <> 0 THEN i % 2 = 0 END
FROM generate_series(1, 20000) i;
INSERT INTO expr_compare (id, i2, i4, i8, f4, f8, n, u, d, ts, tz) VALUES
	(20001, -32768, -2147483648, -9223372036854775808, '-inf', '-inf', -99999999.99, -1e20, '-infinity', '-infinity', '-infinity'),
	(20002, 32767, 2147483647, 9223372036854775807, 'inf', 'inf', 99999999.99, 1e20, 'infinity', 'infinity', 'infinity'),
	(20003, 0, 0, 0, '-0', '-0', 0, 0.000, '4713-01-01 BC', '4713-01-01 BC', '4713-01-02 BC UTC'),
	(20004, 0, 0, 0, 'NaN', 'NaN', -0.01, 0.0000000001, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999 UTC');
ANALYZE expr_compare;

SET timezone = 'UTC';
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on

-- column against column
SELECT format('SELECT count(*) FILTER (WHERE %1$s = %2$s), count(*) FILTER (WHERE %1$s <> %2$s), '
	'count(*) FILTER (WHERE %1$s < %2$s), count(*) FILTER (WHERE %1$s <= %2$s), '
	'count(*) FILTER (WHERE %1$s > %2$s), count(*) FILTER (WHERE %1$s >= %2$s) FROM expr_compare', l, r)
FROM unnest('{i2,i4,i8}'::text[]) l, unnest('{i2,i4,i8}'::text[]) r
\gexec
SELECT format('SELECT count(*) FILTER (WHERE %1$s = %2$s), count(*) FILTER (WHERE %1$s <> %2$s), '
	'count(*) FILTER (WHERE %1$s < %2$s), count(*) FILTER (WHERE %1$s <= %2$s), '
	'count(*) FILTER (WHERE %1$s > %2$s), count(*) FILTER (WHERE %1$s >= %2$s) FROM expr_compare', l, r)
FROM (VALUES ('f4', 'f4'), ('f4', 'f8'), ('f8', 'f4'), ('f8', 'f8'), ('i4', 'f4'), ('f8', 'i8'), ('i2', 'f8'),
	('n', 'n'), ('n', 'u'), ('u', 'n'), ('u', 'u'), ('i2', 'n'), ('n', 'i4'), ('u', 'i8'),
	('d', 'd'), ('d', 'ts'), ('ts', 'd'), ('ts', 'ts'), ('tz', 'tz'), ('b', 'b')) v (l, r)
\gexec
SELECT count(*), sum(id) FROM expr_compare WHERE n > f8 AND id <= 20000;
SELECT count(*), sum(id) FROM expr_compare WHERE f4 <= u AND id <= 20000;

-- column against constant, among them constants beyond the column's range
SELECT format('SELECT count(*), sum(id) FROM expr_compare WHERE %s', condition)
FROM unnest(ARRAY[
	'i2 = 7', 'i2 <> 7', 'i2 < -190', 'i2 >= 32767', 'i2 = 100000', 'i2 < 100000', 'i2 > -3000000000', '7 < i2',
	'i4 = 7', 'i4 <> -7', 'i4 <= -2147483648', 'i4 > 3000000000', 'i4 < 3000000000', 'i4 = 7::int2', 'i4 = 1.5', 'i4 > 1.5',
	'i4 < 1e10::float8', 'i4 >= ''-inf''::float8', 'i4 < ''NaN''::float8',
	'i8 = 7', 'i8 >= 9223372036854775807', 'i8 < 9223372036854775808', 'i8 = 7::int2', 'i8 > 1e30::numeric',
	'f4 = 0', 'f4 = 0.5', 'f4 = 0.5::float4', 'f4 > 1e300::float8', 'f4 = ''NaN''', 'f4 < ''NaN''', 'f4 = ''-inf''',
	'f8 = 0', 'f8 <> 0', 'f8 = ''-0''', 'f8 > ''inf''', 'f8 >= ''inf''', 'f8 = ''NaN''', 'f8 <= ''-inf''',
	'n = 0', 'n = 0.00', 'n = 0.000000', 'n < -99999999', 'n <= -99999999.990', 'n > 1e20', 'n = 7', 'n = 7.5', 'n <> 7.005', 'n > 7.005',
	'u = 0', 'u < 0.00000000005', 'u = 0.0000000001', 'u > 1e19', 'u = 1e20', 'u = 7.250', 'u <> 7.25', 'u > -1e25',
	'd = ''2020-02-29''', 'd > ''2021-01-30''', 'd = ''infinity''', 'd > ''-infinity'' AND d < ''4000-01-01 BC''', 'd < timestamp ''2020-01-02''',
	'd <= timestamp ''2020-01-02 12:00''', 'd > timestamp ''infinity''', 'd = timestamp ''infinity''', 'd > timestamp ''294276-12-31 12:00''',
	'ts = ''2020-02-29 12:00''', 'ts > date ''2021-01-30''', 'ts = date ''2020-02-29''', 'ts <= ''4713-01-01 BC''', 'ts >= date ''infinity''', 'ts < date ''5874897-12-31''',
	'tz < ''2020-01-03 00:00+02''', 'tz = ''infinity''',
	'b', 'NOT b', 'b = true', 'b = false', 'b <> true', 'b < true', 'b >= false',
	'i4 = NULL', 'n < NULL', 'd > NULL::date'
]) condition
\gexec

-- ranges
SELECT format('SELECT count(*), sum(id) FROM expr_compare WHERE %s', condition)
FROM unnest(ARRAY[
	'i2 BETWEEN -5 AND 5', 'i4 BETWEEN 5 AND -5', 'i4 BETWEEN SYMMETRIC 5 AND -5', 'i8 NOT BETWEEN -195 AND 195',
	'i4 BETWEEN i2 AND i8', 'f8 BETWEEN 0 AND ''NaN''', 'n BETWEEN 0.45 AND 0.500', 'u BETWEEN -0.5 AND 0.5',
	'd BETWEEN ''2020-02-01'' AND ''2020-02-29''', 'ts NOT BETWEEN ''2020-02-01'' AND ''2021-02-01''',
	'tz BETWEEN ''2020-02-01'' AND ''2020-02-01 13:00''', 'i4 BETWEEN NULL AND 5', 'i4 NOT BETWEEN NULL AND 5'
]) condition
\gexec

-- the rows themselves
\pset format aligned
\pset tuples_only off
SELECT id, i2, i4, i8 FROM expr_compare WHERE i2 = i4 AND i4 <= i8 AND id < 3000 ORDER BY id;
SELECT id, f4, f8 FROM expr_compare WHERE f4 >= 'inf' ORDER BY id;
SELECT id, f4, f8 FROM expr_compare WHERE f8 = 0 AND f4 < 100 AND id > 15000 ORDER BY id;
SELECT id, n, u FROM expr_compare WHERE n = u AND id < 4000 ORDER BY id;
SELECT id, d, ts FROM expr_compare WHERE d = ts AND id < 8000 ORDER BY id;
SELECT id, d, ts, tz FROM expr_compare WHERE ts NOT BETWEEN '2000-01-01' AND '2100-01-01' ORDER BY id;

-- comparisons that stay with PostgreSQL
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_compare WHERE i2 IS DISTINCT FROM i4;
SELECT count(*) FROM expr_compare WHERE (i2, i4) < (i4, i8);
SELECT count(*) FROM expr_compare WHERE tz > ts AND id <= 20000;
SELECT count(*) FROM expr_compare WHERE tz >= d AND id <= 20000;
SELECT count(*) FROM expr_compare WHERE u < 1e40;
SELECT count(*) FROM expr_compare WHERE u > 'NaN';
SELECT count(*) FROM expr_compare WHERE u < 'infinity';
DROP TABLE expr_compare;
