-- Arithmetic of dates; EXTRACT and date_part from dates, times and timestamps.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TABLE expr_date_fields (id int NOT NULL, k int, d date, e date, n int, t time, ts timestamp, tz timestamptz, f text);
INSERT INTO expr_date_fields
SELECT i, i % 5, date '1890-01-01' + nullif(i * 37 % 90000, 500), date '2000-02-27' + nullif(i % 800, 5), nullif(i % 1000 - 500, 6), time '00:00' + interval '37.123457 seconds' * nullif(i * 7 % 2300, 8),
	timestamp '1890-01-01' + interval '13 hours 7 minutes 3.000007 seconds' * nullif(i * 11 % 150000, 9), timestamptz '1999-12-30 00:00+00' + interval '1 hour 1.999999 seconds' * nullif(i * 3 % 9000, 10), 'year'
FROM generate_series(1, 10000) i;
CREATE TABLE expr_date_fields_ends (id int NOT NULL, d date, e date, n int, t time, ts timestamp, tz timestamptz);
INSERT INTO expr_date_fields_ends VALUES
	(1, '4713-01-01 BC', '4714-11-24 BC', 0, '00:00', '4714-11-24 BC', '4714-11-24 BC'), (2, '5874897-12-31', '5874897-12-30', 0, '24:00', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999'),
	(3, '0001-12-31 BC', '0001-01-01', 1, '23:59:59.999999', '0001-12-31 23:59:59.5 BC', '0001-01-01'), (4, '0005-02-29 BC', '0004-02-28 BC', 366, '00:00:00.000001', '0005-02-29 12:00 BC', '0101-03-01 BC'),
	(5, '1999-12-31', '2000-01-01', -1, '12:34:56.789', '1999-12-31 23:59:59.999999', '2000-01-01'), (6, '1970-01-01', '1969-12-31', NULL, NULL, '1969-12-31 23:59:59.999999', '1970-01-01'), (7, NULL, NULL, NULL, NULL, NULL, NULL),
	(8, '1900-02-28', '1900-03-01', 1, '01:02:03', '1900-03-01', '1900-02-28 23:00'), (9, '2000-02-29', '2100-02-28', 1461, '10:00', '2004-02-29', '2024-02-29'), (10, '2024-12-29', '2024-12-30', 7, '00:59:59', '2024-12-29', '2024-12-30'),
	(11, '200000-07-04', '4000-02-29', -2000000, '00:00', '200000-07-04', '4000-02-29');
CREATE TABLE expr_date_fields_inf (id int NOT NULL, d date, ts timestamp, tz timestamptz, n int);
INSERT INTO expr_date_fields_inf VALUES (1, 'infinity', 'infinity', 'infinity', 1), (2, '-infinity', '-infinity', '-infinity', 2147483647), (3, '2024-01-01', '2024-01-01', '2024-01-01', 0), (4, NULL, NULL, NULL, NULL), (5, '5874897-12-31', '294276-12-31', '294276-12-31', 1), (6, '4714-11-24 BC', '4714-11-24 BC', '4714-11-24 BC', -1);
ANALYZE expr_date_fields, expr_date_fields_ends, expr_date_fields_inf;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset null '(null)'
\pset tuples_only on
-- fields of every type, as keys
SELECT format('SELECT %s, count(*), sum(id) FROM expr_date_fields WHERE id <= 9000 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 9', columns)
FROM unnest(ARRAY[
	'extract(year FROM d), extract(year FROM ts), extract(year FROM tz)', 'extract(month FROM d), extract(month FROM ts), extract(month FROM tz)', 'extract(day FROM d), extract(day FROM ts), extract(day FROM tz)', 'extract(quarter FROM d), extract(quarter FROM ts), extract(quarter FROM tz)',
	'extract(dow FROM d), extract(dow FROM ts), extract(dow FROM tz)', 'extract(isodow FROM d), extract(isodow FROM ts), extract(isodow FROM tz)', 'extract(doy FROM d), extract(doy FROM ts), extract(doy FROM tz)',
	'extract(hour FROM t), extract(hour FROM ts), extract(hour FROM tz)', 'extract(minute FROM t), extract(minute FROM ts), extract(minute FROM tz)', 'extract(second FROM t), extract(second FROM ts), extract(second FROM tz)',
	'date_part(''year'', ts), date_part(''month'', tz), date_part(''day'', ts)', 'date_part(''quarter'', tz), date_part(''dow'', ts), date_part(''isodow'', tz)', 'date_part(''doy'', ts), date_part(''hour'', t), date_part(''minute'', tz)'
]) columns
\gexec
SELECT sum(extract(year FROM d)), sum(extract(month FROM d)), sum(extract(day FROM d)), sum(extract(dow FROM d)), sum(extract(isodow FROM d)), sum(extract(doy FROM d)), sum(extract(quarter FROM d)) FROM expr_date_fields;
SELECT sum(extract(year FROM ts)), sum(extract(doy FROM ts)), sum(extract(hour FROM ts)), sum(extract(minute FROM ts)), sum(extract(second FROM ts)), sum(extract(second FROM t)), sum(extract(second FROM tz)), sum(extract(hour FROM t)) FROM expr_date_fields;
SELECT sum(date_part('year', ts)), sum(date_part('doy', tz)), sum(date_part('hour', t)), max(date_part('minute', ts)), min(date_part('isodow', tz)) FROM expr_date_fields;
-- the ends, one row each
SELECT id, max(extract(year FROM d)), max(extract(quarter FROM d)), max(extract(month FROM d)), max(extract(day FROM d)), max(extract(dow FROM d)), max(extract(isodow FROM d)), max(extract(doy FROM d)) FROM expr_date_fields_ends GROUP BY id ORDER BY id;
SELECT id, max(extract(year FROM e)), max(extract(quarter FROM e)), max(extract(month FROM e)), max(extract(day FROM e)), max(extract(dow FROM e)), max(extract(isodow FROM e)), max(extract(doy FROM e)) FROM expr_date_fields_ends GROUP BY id ORDER BY id;
SELECT id, max(extract(year FROM ts)), max(extract(quarter FROM ts)), max(extract(month FROM ts)), max(extract(day FROM ts)), max(extract(dow FROM ts)), max(extract(isodow FROM ts)), max(extract(doy FROM ts)), max(extract(hour FROM ts)), max(extract(minute FROM ts)), max(extract(second FROM ts)) FROM expr_date_fields_ends GROUP BY id ORDER BY id;
SELECT id, max(extract(year FROM tz)), max(extract(quarter FROM tz)), max(extract(month FROM tz)), max(extract(day FROM tz)), max(extract(dow FROM tz)), max(extract(isodow FROM tz)), max(extract(doy FROM tz)), max(extract(hour FROM tz)), max(extract(minute FROM tz)), max(extract(second FROM tz)) FROM expr_date_fields_ends GROUP BY id ORDER BY id;
SELECT id, max(extract(hour FROM t)), max(extract(minute FROM t)), max(extract(second FROM t)), max(date_part('hour', t)), max(date_part('minute', t)), max(date_part('year', ts)), max(date_part('doy', tz)) FROM expr_date_fields_ends GROUP BY id ORDER BY id;
-- dates and days
SELECT sum(d - e), min(d - e), max(e - d), min(d + n), max(d + n), min(d - n), max(d - n), max(n + d), min(d + 1), max(d - 1), count(d + n), sum((d + 7) - d) FROM expr_date_fields;
SELECT id, max(d + n), max(d - n), max(d - e), max(e - d), max(n + e) FROM expr_date_fields_ends WHERE id <> 11 GROUP BY id ORDER BY id;
SELECT max(d + n), max(d - e), max(d + 1000000) FROM expr_date_fields_ends WHERE id = 11;
SELECT min(d::timestamp), max(d::timestamp), min(ts::date), max(ts::date), min(e::timestamp), max((ts::date)::timestamp), min(d::timestamp::date) FROM expr_date_fields;
SELECT id, max(ts::date), max(e::timestamp) FROM expr_date_fields_ends WHERE id <> 2 GROUP BY id ORDER BY id;
SELECT d + 1 AS r, e::timestamp AS s, ts::date AS u, count(*) FROM expr_date_fields WHERE id < 6 GROUP BY 1, 2, 3 ORDER BY 1;
SELECT format('SELECT count(*), sum(id) FROM expr_date_fields WHERE %s', condition)
FROM unnest(ARRAY[
	$$extract(year FROM d) = 1999$$, $$extract(year FROM d) < 1900$$, $$extract(month FROM d) IN (2, 3)$$, $$extract(dow FROM d) = 0$$, $$extract(isodow FROM d) = 7$$, $$extract(doy FROM d) = 366$$, $$extract(quarter FROM ts) = 4$$, $$extract(second FROM t) > 59.5$$, $$extract(second FROM ts) = 3.000007$$, $$extract(hour FROM tz) BETWEEN 3 AND 4$$,
	$$date_part('year', ts) = 1950$$, $$date_part('month', tz) = 2$$, $$date_part('hour', t) < 2$$, $$extract(year FROM d) = extract(year FROM e)$$, $$extract(day FROM d + 1) = 1$$, $$extract(month FROM d) <> extract(month FROM d + 1)$$, $$d + 30 < e$$, $$d - e > 30000$$, $$d + n > e$$, $$d - n = e - n$$, $$ts::date = d + k$$, $$d::timestamp < ts$$, $$ts::date = '1950-03-01'$$, $$extract(year FROM d) * 100 + extract(month FROM d) = 199912$$,
	$$CASE WHEN extract(dow FROM d) IN (0, 6) THEN k = 1 ELSE k = 2 END$$, $$extract(year FROM NULLIF(d, e)) > 2100$$, $$extract(year FROM d) IS NULL$$
]) condition
\gexec
SELECT sum(d - e), max(extract(year FROM ts)), min(ts::date) FROM expr_date_fields WHERE id > 20000;
-- infinite dates, and what lies beyond the range: PostgreSQL's values and errors
SET gpudb.debug_require = allow;
SELECT id, max(extract(year FROM d)), max(extract(month FROM d)), max(extract(year FROM ts)), max(extract(hour FROM ts)), max(extract(dow FROM tz)), max(date_part('year', tz)), max(date_part('second', ts)) FROM expr_date_fields_inf GROUP BY id ORDER BY id;
SELECT id, max(d::timestamp), max(ts::date), max(d + 0) FROM expr_date_fields_inf WHERE id <> 5 GROUP BY id ORDER BY id;
SELECT min(d + n), max(d + n) FROM expr_date_fields_inf WHERE id <= 4;
SELECT min(ts::date), max(ts::date), count(*) FROM expr_date_fields_inf;
SELECT count(*) FROM expr_date_fields_inf WHERE extract(month FROM d) IS NULL;
SELECT count(*) FROM expr_date_fields_inf WHERE extract(year FROM ts) = 'Infinity';
SELECT format('SELECT count(*), max(%s) FROM expr_date_fields_inf', argument)
FROM unnest(ARRAY['d - date ''2000-01-01''', 'date ''2000-01-01'' - d', 'd + 1', 'd - 1', 'd + 2147483647', 'd - 2147483647', 'd - (-2147483647 - 1)', 'd + n', 'd - n', 'd::timestamp', 'ts::date', 'extract(hour FROM d)', 'extract(second FROM d)', 'extract(year FROM n * time ''1:00'')', 'date_part(''hour'', d)']) argument
\gexec
SELECT max(d - date '2000-01-01') FROM expr_date_fields_inf WHERE id IN (1, 3);
\echo :SQLSTATE
SELECT max(d + 1) FROM expr_date_fields_inf WHERE id = 5;
\echo :SQLSTATE
SELECT max(d::timestamp) FROM expr_date_fields_inf WHERE id = 5;
\echo :SQLSTATE
SELECT max(extract(hour FROM d)) FROM expr_date_fields_inf WHERE id = 3;
\echo :SQLSTATE
SELECT max(extract(fortnight FROM d)) FROM expr_date_fields_inf WHERE id = 3;
SELECT max(extract(year FROM t)), max(date_part('day', t)) FROM expr_date_fields;
-- not where the operation is not reached
SET gpudb.debug_require = require;
SELECT max(CASE WHEN id = 3 THEN d - date '2000-01-01' END), max(CASE WHEN id BETWEEN 2 AND 4 THEN d::timestamp END), max(CASE WHEN id > 5 THEN d + 1 END), max(CASE WHEN id = 3 THEN extract(year FROM d) END) FROM expr_date_fields_inf;
SELECT count(*) FROM expr_date_fields_inf WHERE id = 3 AND d - date '2000-01-01' > 5;
SELECT max(d + 1) FILTER (WHERE id = 3), count(*) FILTER (WHERE id = 3 AND extract(year FROM ts) = 2024) FROM expr_date_fields_inf;
-- other fields, zones and types are PostgreSQL's
SET gpudb.debug_require = allow;
SELECT sum(extract(epoch FROM d)), sum(extract(week FROM d)), max(extract(century FROM ts)), sum(extract(microseconds FROM t)), max(extract(isoyear FROM tz)), sum(date_part('year', d)), round(sum(date_part('second', t))::numeric, 4) FROM expr_date_fields;
SELECT max(extract(hour FROM timetz '10:00+02')), count(*) FROM expr_date_fields WHERE extract(day FROM tz - ts) > 9000;
SELECT sum(date_part(f, ts)) FROM expr_date_fields;
SELECT sum(extract('YEAR' FROM d)), sum(date_part('Month', ts)), sum(date_part('years', ts)), sum(date_part('mons', tz)) FROM expr_date_fields;
SET timezone = 'America/New_York';
SELECT extract(hour FROM tz) AS h, extract(day FROM tz) AS d, count(*) FROM expr_date_fields WHERE tz < '2000-01-02 00:00+00' GROUP BY 1, 2 ORDER BY 2, 1 LIMIT 4;
SELECT sum(extract(year FROM tz)), sum(extract(hour FROM tz)), sum(extract(doy FROM tz)) FROM expr_date_fields;
SELECT sum(extract(hour FROM ts)), count(*) FROM expr_date_fields WHERE tz::date = '2000-01-01';
SET timezone = 'Europe/London';
SELECT sum(extract(hour FROM tz)), sum(date_part('hour', tz)) FROM expr_date_fields;
SET timezone = '+05:30';
SELECT sum(extract(hour FROM tz)), sum(extract(minute FROM tz)) FROM expr_date_fields;
-- a plan made in one zone and run in another
SET plan_cache_mode = force_generic_plan;
SET timezone = 'UTC';
PREPARE expr_date_fields_hours AS SELECT sum(extract(hour FROM tz)), sum(extract(day FROM tz)), sum(extract(hour FROM ts)) FROM expr_date_fields WHERE k < $1;
EXECUTE expr_date_fields_hours(3);
SET timezone = 'Asia/Tokyo';
EXECUTE expr_date_fields_hours(3);
SET timezone = 'GMT';
EXECUTE expr_date_fields_hours(3);
SET timezone = 'Etc/UTC';
EXECUTE expr_date_fields_hours(5);
DROP TABLE expr_date_fields, expr_date_fields_ends, expr_date_fields_inf;
