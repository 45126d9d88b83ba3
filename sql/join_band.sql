-- Joins without equalities: a table that is sorted by a column, and the rows within its bounds.
CREATE TABLE band_o (id int, a int, b int, i2 int2, i8 int8, n numeric(10,2), n4 numeric(14,4), x numeric, f4 float4, f8 float8, d date, e date, ts timestamp, tz timestamptz, o oid, t text);
INSERT INTO band_o SELECT i, CASE WHEN i % 17 <> 0 THEN i * 37 % 400 END, i * 37 % 400 + i % 9 - 3, i % 100 - 50, i * 37 % 400 - i % 3, i * 7 % 300 / 4.0, i * 11 % 900 / 16.0, (i % 50) / 8.0, i % 40 / 4.0, i % 60 / 8.0,
	'2024-01-01'::date + i % 60, '2024-01-01'::date + i % 60 + i % 5, '2024-01-05'::timestamp + i % 90 * interval '7 hours', '2024-01-05 00:00+00'::timestamptz + i % 90 * interval '7 hours', i % 50, 't' || i % 7
FROM generate_series(1, 2000) i;
CREATE TABLE band_i (k int, k8 int8, k2 int2, n numeric(10,3), m numeric, f4 float4, f8 float8, d date, ts timestamp, tz timestamptz, o oid, lo int, hi int, w int, t text);
INSERT INTO band_i SELECT CASE WHEN i % 13 <> 0 THEN i * 31 % 350 END, i * 31 % 350, i % 90 - 45, CASE WHEN i % 19 <> 0 THEN i * 13 % 700 / 8.0 END, i * 13 % 700 / 16.0, i % 40 / 4.0, i % 50 / 8.0,
	'2024-01-01'::date + i % 55, '2024-01-02'::timestamp + i % 40 * interval '13 hours', '2024-01-02 00:00+00'::timestamptz + i % 40 * interval '13 hours', i % 45, i * 31 % 350, i * 31 % 350 + i % 20, i, 't' || i % 9
FROM generate_series(1, 500) i;
CREATE TABLE band_none (k int, w int);
CREATE TABLE band_nulls (k int, w int);
INSERT INTO band_nulls SELECT NULL, i FROM generate_series(1, 20) i;
ANALYZE band_o, band_i, band_none, band_nulls;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT explain('SELECT count(*), sum(w) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b');
CREATE FUNCTION band_tables(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line LIKE '%GPU Join%' THEN
			RETURN NEXT replace(btrim(line), ', on the GPU alone', '');
		END IF;
	END LOOP;
END
$$;
SELECT band_tables('SELECT count(*), sum(w) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b');
SELECT band_tables('SELECT count(*) FROM band_o o LEFT JOIN band_i i ON i.t < o.t AND i.k8 <= o.a');
SELECT band_tables('SELECT count(*) FROM band_o o JOIN band_i i ON i.k <> o.a AND i.t <= o.t');
SELECT band_tables('SELECT count(*) FROM band_o o JOIN band_i i ON i.k = o.a AND i.k8 <= o.i8');
-- bounds at both ends, at one, strict or not, whichever side the column is on
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k > o.a AND i.k < o.b;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k >= o.a AND o.b > i.k;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON o.a < i.k AND i.k <= o.b;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k < o.a;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k <= o.a;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON o.a < i.k;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON o.a <= i.k;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k >= o.b - 5 AND i.k < o.b + 5;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k NOT BETWEEN o.a AND o.b;
-- ranges that are empty, and bounds that are NULL
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.b AND o.a;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k > o.i8 AND i.k < o.i8;
SELECT count(*), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.a + 1;
-- an outer value between two columns; several columns; further conditions
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON o.a BETWEEN i.lo AND i.hi;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON o.a >= i.lo AND i.k BETWEEN o.a AND o.b AND i.hi > o.i2;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.k > o.i2 AND i.k <= o.i8 AND (i.w + o.id) % 2 = 0;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.t = o.t;
-- kinds of joins
SELECT count(*), sum(i.w), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.b;
SELECT count(*), sum(i.w), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.w > o.id;
SELECT count(*), sum(i.w), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.w > 250 WHERE i.w IS NULL OR o.id > 5;
SELECT count(*), sum(o.id) FROM band_o o WHERE EXISTS (SELECT FROM band_i i WHERE i.k BETWEEN o.a AND o.b);
SELECT count(*), sum(o.id) FROM band_o o WHERE EXISTS (SELECT FROM band_i i WHERE i.k BETWEEN o.a AND o.b AND i.w > o.id);
SELECT count(*), sum(o.id) FROM band_o o WHERE NOT EXISTS (SELECT FROM band_i i WHERE i.k BETWEEN o.a AND o.b);
SELECT count(*), sum(o.id) FROM band_o o WHERE NOT EXISTS (SELECT FROM band_i i WHERE i.k BETWEEN o.a AND o.b AND i.w > o.id);
SELECT count(*), sum(o.id) FROM band_o o WHERE NOT EXISTS (SELECT FROM band_i i WHERE i.k > o.a + 300);
SELECT count(*), sum(i.w), sum(j.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b LEFT JOIN band_i j ON j.k8 > i.k - 2 AND j.k8 < i.k + 2 AND j.w <> i.w;
SELECT count(*), sum(i.w), sum(j.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k = o.a JOIN band_i j ON j.k8 BETWEEN i.lo AND i.lo + 3;
SELECT o.id, i.w, i.t FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.w < 100 WHERE o.id <= 12 ORDER BY 1, 2;
SELECT o.t, count(*), sum(i.n) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b GROUP BY 1 ORDER BY 1;
-- types, and numerics of different scales
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k8 BETWEEN o.a AND o.b;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k2 BETWEEN o.i2 AND o.i8 - 100;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k < o.i8 AND i.k8 > o.i2;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.n BETWEEN o.n AND o.n + 1;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.n BETWEEN o.n AND o.n4;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.n BETWEEN o.n4 AND o.n;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.n > o.x AND i.n <= o.x + o.n4 / 16;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.m < o.n AND i.m > o.n4 AND i.m <> i.n;
SELECT count(*), sum(i.w), sum(i.m) FROM band_o o JOIN band_i i ON i.m >= o.x AND i.m < o.x * 1.0001;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.f4 BETWEEN o.f4 AND o.f8;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.f8 >= o.f4 AND i.f8 < o.f4 + 0.5;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.d BETWEEN o.d AND o.e;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.d > o.d - 3 AND i.d < o.d;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.ts > o.ts AND i.ts < o.e;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.ts BETWEEN o.d AND o.ts;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.tz <= o.tz;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.d <= o.ts;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.o > o.o;
-- nothing to be found
SELECT count(*), count(i.w), sum(o.id) FROM band_o o JOIN band_none i ON i.k < o.a;
SELECT count(*), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_none i ON i.k BETWEEN o.a AND o.b;
SELECT count(*), sum(o.id) FROM band_o o WHERE NOT EXISTS (SELECT FROM band_none i WHERE i.k < o.a);
SELECT count(*), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_nulls i ON i.k >= o.a;
SELECT count(*), sum(o.id) FROM band_o o WHERE EXISTS (SELECT FROM band_nulls i WHERE i.k < o.a);
SELECT count(*), sum(i.w) FROM band_none o JOIN band_i i ON i.k < o.k;
-- the same, interrupted after so many instructions
SET gpudb.debug_yield = 5;
SELECT count(*), sum(i.w), sum(o.id) FROM band_o o JOIN band_i i ON i.k BETWEEN o.a AND o.b;
SELECT count(*), sum(i.w), count(i.w), sum(o.id) FROM band_o o LEFT JOIN band_i i ON i.k BETWEEN o.a AND o.b AND i.w > o.id;
SELECT count(*), sum(o.id) FROM band_o o WHERE NOT EXISTS (SELECT FROM band_i i WHERE i.k BETWEEN o.a AND o.b AND i.w > o.id);
RESET gpudb.debug_yield;
-- extremes
CREATE TABLE band_e (k int8, n numeric, f float8, d date, ts timestamp);
INSERT INTO band_e VALUES (-9223372036854775808, -9223372036854775808, '-Infinity', '-infinity', '-infinity'), (-9223372036854775807, -1.5, '-0', '4714-11-24 BC', '4714-11-24 00:00:00 BC'),
	(-1, 0, '0', '2000-01-01', '2000-01-01'), (0, 0.001, '1e-300', '2024-02-29', '2024-02-29 12:00'), (1, 1.5, '1e300', '5874897-12-31', '294276-12-31 23:59:59'),
	(9223372036854775806, 9223372036854775807, 'Infinity', 'infinity', 'infinity'), (9223372036854775807, 922337203685477580.7, 'NaN', NULL, NULL), (NULL, NULL, NULL, '2024-03-01', '2024-03-01');
ANALYZE band_e;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k < a.k GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k <= a.k GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k > a.k GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k >= a.k GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k > a.k AND b.k < a.k GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.k) FROM band_e a LEFT JOIN band_e b ON b.k >= a.k AND b.k <= a.k GROUP BY 1 ORDER BY 1;
SELECT a.n, count(*), count(b.n) FROM band_e a LEFT JOIN band_e b ON b.n < a.n GROUP BY 1 ORDER BY 1;
SELECT a.n, count(*), count(b.n) FROM band_e a LEFT JOIN band_e b ON b.n >= a.n AND b.n < a.n + 1000 GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.f) FROM band_e a LEFT JOIN band_e b ON b.f < a.f GROUP BY 1 ORDER BY 1;
SELECT a.k, count(*), count(b.f) FROM band_e a LEFT JOIN band_e b ON b.f >= a.f GROUP BY 1 ORDER BY 1;
SELECT a.d, count(*), count(b.d) FROM band_e a LEFT JOIN band_e b ON b.d <= a.d GROUP BY 1 ORDER BY 1;
SELECT a.ts, count(*), count(b.ts) FROM band_e a LEFT JOIN band_e b ON b.ts > a.ts GROUP BY 1 ORDER BY 1;
SELECT a.d, count(*), count(b.ts) FROM band_e a LEFT JOIN band_e b ON b.ts >= a.d GROUP BY 1 ORDER BY 1;
-- values beyond 64 bits: as bounds they let all rows through or none, in the table they leave it as a list
CREATE TABLE band_w (n numeric(30,2), s numeric(10,2));
INSERT INTO band_w VALUES (1e25, 1), (-1e25, 2), (3.25, 3), (NULL, 4), (92233720368547758.07, 5), (-92233720368547758.08, 6), (92233720368547758.08, 7), (-92233720368547758.09, 8);
ANALYZE band_w;
SELECT a.n, count(*), count(b.s) FROM band_w a LEFT JOIN band_w b ON b.s < a.n GROUP BY 1 ORDER BY 1;
SELECT a.n, count(*), count(b.s) FROM band_w a LEFT JOIN band_w b ON b.s >= a.n GROUP BY 1 ORDER BY 1;
SELECT a.n, count(*), count(b.n) FROM band_w a LEFT JOIN band_w b ON b.n > a.n AND b.n < a.n * 2 GROUP BY 1 ORDER BY 1;
SELECT band_tables('SELECT count(b.n) FROM band_w a LEFT JOIN band_w b ON b.n > a.n');
SELECT band_tables('SELECT count(b.s) FROM band_w a LEFT JOIN band_w b ON b.s > a.n');
RESET gpudb.force;
DROP FUNCTION band_tables;
DROP TABLE band_o, band_i, band_none, band_nulls, band_e, band_w;
