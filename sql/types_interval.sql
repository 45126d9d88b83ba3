-- interval: equal ones that print differently ('1 day' and '24 hours').
SET intervalstyle = postgres;
CREATE TABLE types_interval (id int NOT NULL, k int, v interval, w interval, p interval, same interval);
INSERT INTO types_interval
SELECT i, i % 6, interval '1 minute' * nullif(i * 17 % 5000 - 2500, 40),
	(ARRAY['1 day', '24 hours', '1 mon', '30 days', '720:00', '29 days 24:00', '-1 day', '-24:00', '0', '1 mon -30 days', '1 year', '12 mons', '360 days', NULL]::interval[])[i % 14 + 1],
	make_interval(days => i % 400), '1 day'
FROM generate_series(1, 8400) i;
INSERT INTO types_interval VALUES
	(8401, 7, '178000000 years', '-178000000 years', '2147483647 days', '2147483647 mons'), (8402, 7, '-178000000 years', '178000000 years', '-2147483648 days', '-2147483648 mons'),
	(8403, 7, interval '0.000001 seconds', '-0.000001 seconds', '2147483647 mons 2147483647 days 2562047788:00:54.775807', '-2147483648 mons -2147483648 days -2562047788:00:54.775807'),
	(8404, 8, NULL, NULL, NULL, NULL), (8405, 8, NULL, NULL, NULL, NULL);
CREATE TABLE types_interval_empty (LIKE types_interval);
ANALYZE types_interval, types_interval_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_interval WHERE %s', condition)
FROM unnest(ARRAY[
	$$w = '1 day'$$, $$w = '24:00'$$, $$w <> '24:00'$$, $$w = '30 days'$$, $$w = '1 mon'$$, $$w = '0'$$, $$w = '1 mon -720:00'$$, $$w = '-1 day'$$, $$w < '1 day'$$, $$w <= '1 day'$$, $$w > '24:00'$$, $$w >= '24:00'$$, $$w > '29 days 23:59:59.999999'$$,
	$$w BETWEEN '1 day' AND '1 mon'$$, $$w IN ('1 day', '1 mon')$$, $$w NOT IN ('24:00', '720:00')$$, $$w IN ('24:00', '720:00', '-24:00', '12 mons')$$, $$w IS NULL$$, $$w = NULL$$, $$w IS DISTINCT FROM '1 day'$$, $$w IS NOT DISTINCT FROM '24:00'$$, $$w IS NOT DISTINCT FROM NULL$$,
	$$v < w$$, $$v >= w$$, $$v = w$$, $$v <> w$$, $$v < '-1 day'$$, $$v > '100000000 years'$$, $$v < '-100000000 years'$$, $$p > '5000000 years'$$, $$p < '-5000000 years'$$, $$p = '2147483647 mons 2147483647 days 2562047788:00:54.775807'$$,
	$$same < '-2147483648 mons'$$, $$same <= '-2147483648 mons -2147483648 days -2562047788:00:54.775807'$$, $$v > '0' AND v < '0.000002 seconds'$$, $$w < '0' AND w > '-0.000002 seconds'$$, $$w < ALL (ARRAY[interval '1 hour', '2 days'])$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off
-- least and greatest where no two equal ones differ
SELECT min(v), max(v), min(p), max(p), min(same), max(same), count(v), count(w) FROM types_interval;
SELECT min(v), max(v), min(p), max(p), min(same), max(same) FROM types_interval WHERE k < 6;
SELECT k, min(v), max(v), min(p), max(p), min(same), max(same) FROM types_interval GROUP BY k ORDER BY k;
SELECT min(v) FILTER (WHERE k = 2), max(p) FILTER (WHERE k = 8), max(v) FILTER (WHERE v < '0') FROM types_interval;
SELECT min(v), max(w), count(*) FROM types_interval_empty;
SELECT k, min(v), max(w) FROM types_interval_empty GROUP BY k;
SELECT id, v, w FROM types_interval WHERE w = '1 year' AND v > '1 day 06:00' ORDER BY id LIMIT 6;
-- equal ones that print differently: PostgreSQL's answer, whoever gives it
SET gpudb.debug_require = allow;
SELECT min(w), max(w) FROM types_interval WHERE k < 6;
SELECT max(w) FROM types_interval WHERE w <= '1 day';
SELECT min(w) FROM types_interval WHERE w >= '1 day';
SELECT k, min(w), max(w) FROM types_interval WHERE w > '0' AND w < '1 year' GROUP BY k ORDER BY k;
SELECT min(w) FROM types_interval WHERE w = '1 day' AND id > 14;
SELECT max(w) FROM types_interval WHERE w = '1 day' AND id > 14;
SELECT min(w), max(w) FROM types_interval WHERE w = '1 day' AND id > 15;
SELECT min(w), max(w) FROM types_interval WHERE w = '1 day' AND id % 14 = 1;
SELECT min(w), max(w) FROM types_interval WHERE w = '1 day' AND id % 14 = 0;
SELECT max(w) FILTER (WHERE id % 14 = 1), max(w) FILTER (WHERE id % 14 = 0), min(COALESCE(w, '24:00')) FILTER (WHERE w >= '24:00'), max(CASE WHEN id > 100 THEN w END) FILTER (WHERE w <= '30 days') FROM types_interval;
SELECT max(GREATEST(w, '24:00')) FROM types_interval WHERE w <= '1 day' AND id > 20;
SELECT k, min(LEAST(w, '1 day')), max(NULLIF(w, '1 year')) FROM types_interval WHERE w >= '1 day' GROUP BY k ORDER BY k;
-- as a key it is not taken
SELECT gpu_nodes('SELECT w, count(*) FROM types_interval GROUP BY w') LIKE '%GpuAgg%' AS agg;
SELECT gpu_nodes('SELECT DISTINCT w FROM types_interval') LIKE '%GpuAgg%' AS agg;
-- which of equal ones a group shows is the plan's choice
SET enable_hashagg = off;
SELECT w, count(*) FROM types_interval WHERE id > 14 AND id % 3 = 0 GROUP BY w ORDER BY w;
SELECT w, k, count(*) FROM types_interval WHERE k > 5 GROUP BY w, k ORDER BY w, k;
RESET enable_hashagg;
SELECT sum(v), avg(p), max(v * 2) FROM types_interval WHERE k < 6;
DROP TABLE types_interval, types_interval_empty;
