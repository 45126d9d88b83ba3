-- time and timetz: filters, keys, order, least and greatest.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TABLE types_time (id int NOT NULL, k int, t time, z timetz, u time, y timetz);
INSERT INTO types_time
SELECT i, i % 5, time '00:00' + interval '37.000001 seconds' * nullif(i * 13 % 2300, 500),
	timetz '00:00+00' + interval '1 minute' * nullif(i * 7 % 1440, 77), time '12:00' + interval '1 hour' * (i % 30),
	((ARRAY['12:00+00', '13:00+01', '07:00-05', '12:00:00.000001+00', '11:59:59+00', '17:30+05:30', '00:00+14', '23:59:59.999999-15:59:59', NULL])[i % 9 + 1])::timetz
FROM generate_series(1, 9000) i;
INSERT INTO types_time VALUES (9001, 9, '00:00', '00:00+15:59:59', '24:00', '24:00-15:59:59'), (9002, 9, '24:00', '24:00-15:59:59', '00:00', '00:00+15:59:59'),
	(9003, 9, '23:59:59.999999', '23:59:59.999999+00', '00:00:00.000001', '00:00:00.000001-00'), (9004, 10, NULL, NULL, NULL, NULL), (9005, 10, NULL, NULL, NULL, NULL);
CREATE TABLE types_time_empty (LIKE types_time);
ANALYZE types_time, types_time_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_time WHERE %s', condition)
FROM unnest(ARRAY[
	$$t = '00:00'$$, $$t = '24:00'$$, $$t <> '00:00'$$, $$t < '00:10'$$, $$t <= '00:00:37.000001'$$, $$t > '23:30'$$, $$t >= '23:30:00.5'$$, $$t BETWEEN '10:00' AND '11:00'$$, $$'12:00' < t$$,
	$$t < u$$, $$t >= u$$, $$t = u$$, $$t <> u$$, $$t IS NULL$$, $$t IN ('00:00', '24:00', '00:00:37.000001')$$, $$t NOT IN ('00:00', '24:00')$$, $$t = NULL$$, $$t < ALL (ARRAY[time '10:00', '11:00'])$$, $$t IS DISTINCT FROM u$$,
	$$y = '12:00+00'$$, $$y = '13:00+01'$$, $$y = '07:00-05'$$, $$y <> '12:00+00'$$, $$y < '12:00+00'$$, $$y <= '12:00+00'$$, $$y > '12:00+00'$$, $$y >= '12:00+00'$$, $$y < '13:00+01'$$, $$y > '07:00-05'$$, $$y > '17:30+05:30'$$,
	$$y BETWEEN '17:30+05:30' AND '07:00-05'$$, $$y IN ('12:00+00', '00:00+14')$$, $$y NOT IN ('12:00+00', '00:00+14', '17:30+05:30')$$, $$y IN ('12:00+00', '13:00+01', '07:00-05', '11:59:59+00')$$,
	$$z < y$$, $$z >= y$$, $$z = y$$, $$z <> y$$, $$y IS NOT NULL AND z IS NULL$$, $$y IS NOT DISTINCT FROM '13:00+01'$$, $$z = '24:00-15:59:59'$$, $$z = '00:00+15:59:59'$$, $$z < '00:00+15:59'$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off
-- keys
SELECT u, count(*), min(id) FROM types_time GROUP BY u ORDER BY u;
SELECT y, count(*), min(id) FROM types_time GROUP BY y ORDER BY y;
SELECT t, z, count(*) FROM types_time WHERE id > 9000 OR id < 4 GROUP BY t, z ORDER BY t, z;
SELECT count(*) FROM (SELECT t FROM types_time GROUP BY t) s;
SELECT count(*) FROM (SELECT z, y FROM types_time GROUP BY z, y) s;
-- least and greatest
SELECT min(t), max(t), min(z), max(z), min(u), max(u), min(y), max(y) FROM types_time;
SELECT k, min(t), max(t), min(z), max(z), min(u), max(u), min(y), max(y) FROM types_time GROUP BY k ORDER BY k;
SELECT min(y), max(y) FROM types_time WHERE y IN ('12:00+00', '13:00+01', '07:00-05', '17:30+05:30');
SELECT min(t) FILTER (WHERE k = 3), max(z) FILTER (WHERE k = 10), max(y) FILTER (WHERE y < '12:00+00'), count(t), count(z) FROM types_time;
SELECT min(t), max(z), count(*) FROM types_time_empty;
SELECT t, z, max(y) FROM types_time_empty GROUP BY t, z;
SELECT * FROM types_time_empty WHERE t < '10:00' OR z > '10:00+00';
SELECT min(GREATEST(t, u)), max(LEAST(z, y)), max(CASE WHEN k = 1 THEN y END), min(COALESCE(t, '06:00')), count(NULLIF(y, '12:00+00')) FROM types_time;
-- rows
SELECT id, t, z, u, y FROM types_time WHERE t = '24:00' OR y > '20:00-10' OR z IS NULL AND k = 10 ORDER BY id;
SELECT id, t, y FROM types_time WHERE t < '00:02' AND id < 2000 ORDER BY t, id;
-- arithmetic of times stays with PostgreSQL
SET gpudb.debug_require = allow;
SELECT count(*), max(t + interval '1 hour') FROM types_time WHERE t - u > interval '1 hour';
SELECT y AT TIME ZONE 'UTC' AS utc, count(*) FROM types_time GROUP BY 1 ORDER BY 1;
DROP TABLE types_time, types_time_empty;
