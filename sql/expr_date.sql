-- Dates and timestamps against constants, folded intervals and each other.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TABLE expr_date (id int NOT NULL, d date, ts timestamp, tz timestamptz, shipped date, received date);
INSERT INTO expr_date
SELECT i, date '1992-01-01' + nullif(i * 7 % 2557, 100), timestamp '1992-01-01' + interval '1 hour 1.000001 second' * nullif(i * 11 % 60000, 200),
	timestamptz '1992-01-01' + interval '37 minutes' * (i * 13 % 80000), date '1995-01-01' + i % 100, date '1995-01-01' + i * 3 % 100
FROM generate_series(1, 20000) i;
INSERT INTO expr_date VALUES (20001, 'infinity', 'infinity', 'infinity', '-infinity', 'infinity'), (20002, '-infinity', '-infinity', '-infinity', NULL, NULL),
	(20003, '4713-01-01 BC', '4713-01-01 BC', '4713-01-02 BC', '0001-01-01 BC', '5874897-12-31'), (20004, '2000-01-01', '1999-12-31 23:59:59.999999', '2000-01-01', '1970-01-01', '1999-12-31');
ANALYZE expr_date;

SET gpudb.force = on;
SET gpudb.debug_require = require;

SELECT count(*), sum(id) FROM expr_date WHERE d <= date '1998-12-01' - interval '90 days';
SELECT count(*), sum(id) FROM expr_date WHERE d >= date '1994-01-01' AND d < date '1994-01-01' + interval '1 year';
SELECT count(*), sum(id) FROM expr_date WHERE d = date '1996-02-29' + 1;
SELECT count(*), sum(id) FROM expr_date WHERE d BETWEEN '1995-01-01' AND '1996-12-31';
SELECT count(*), sum(id) FROM expr_date WHERE ts >= '1995-03-05 10:00' AND ts < timestamp '1995-03-05 10:00' + interval '1 month';
SELECT count(*), sum(id) FROM expr_date WHERE ts < d;
SELECT count(*), sum(id) FROM expr_date WHERE d >= ts;
SELECT count(*), sum(id) FROM expr_date WHERE tz > '1996-01-01 12:00+05:30';
SELECT count(*), sum(id) FROM expr_date WHERE shipped < received AND received > '1995-03-01';
SELECT count(*), sum(id) FROM expr_date WHERE received <> shipped;
SELECT count(*), sum(id) FROM expr_date WHERE d = 'infinity' OR ts = '-infinity' OR tz = 'infinity';
SELECT count(*), sum(id) FROM expr_date WHERE d < ALL (ARRAY[date '1992-06-01', '1993-01-01']);
SELECT count(*), sum(id) FROM expr_date WHERE d IN ('1992-06-01', '1993-01-01', '1994-02-03', 'infinity');
SELECT count(*), sum(id) FROM expr_date WHERE ts IN ('1992-01-01', 'infinity', '4713-01-01 BC');
SELECT count(*), sum(id) FROM expr_date WHERE d IS NULL OR ts IS NULL;
SELECT min(d), max(d), min(ts), max(ts), min(tz), max(tz), min(shipped), max(received) FROM expr_date;
SELECT min(d), max(d), min(ts), max(ts), min(tz), max(tz) FROM expr_date WHERE id <= 20000;
SELECT shipped, count(*), min(received), max(d) FROM expr_date WHERE shipped < '1995-01-06' GROUP BY shipped ORDER BY shipped;
SELECT ts, tz, count(*) FROM expr_date WHERE id > 20000 OR ts < '1992-01-01 04:00' GROUP BY ts, tz ORDER BY ts, tz;
SELECT id, d, ts, tz FROM expr_date WHERE ts < '1992-01-01 02:00' ORDER BY id;
-- a timestamp that is a constant is compared as a date: every operator, from both sides, around and beyond its day
CREATE TABLE expr_date_edges AS SELECT unnest(ARRAY['-infinity', '4713-01-01 BC', '1994-12-31', '1995-01-01', '1995-01-02', '294276-12-31', '294277-01-01', '5874897-12-31', 'infinity', NULL]::date[]) AS d;
ANALYZE expr_date_edges;
CREATE FUNCTION pg_temp.days(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	days text;
BEGIN
	EXECUTE 'SELECT string_agg(d::text, '', '' ORDER BY d) FROM (' || query || ' OFFSET 0) AS s' INTO days;
	RETURN days;
END $$;
CREATE TABLE expr_date_answers AS SELECT query, pg_temp.days(query) AS days
FROM (SELECT format(form, op, ts) AS query
	FROM unnest(ARRAY['<', '<=', '=', '<>', '>=', '>']) AS op, unnest(ARRAY['SELECT d FROM expr_date_edges WHERE d %s timestamp %L', 'SELECT d FROM expr_date_edges WHERE timestamp %2$L %1$s d']) AS form,
		unnest(ARRAY['-infinity', '4713-01-01 BC', '1995-01-01', '1994-12-31 23:59:59.999999', '1995-01-01 00:00:00.000001', '294276-12-31', '294276-12-31 23:59:59.999999', 'infinity']) AS ts) AS q;
SET gpudb.debug_require = allow;
SET gpudb.enabled = off;
SELECT count(*), count(*) FILTER (WHERE days IS DISTINCT FROM pg_temp.days(query)) AS differ, sum(length(days)) FROM expr_date_answers;
RESET gpudb.enabled;
SET gpudb.debug_require = require;
SELECT d FROM expr_date_edges WHERE d >= timestamp '1994-12-31 12:00' AND timestamp '1995-01-01 12:00' > d ORDER BY d;
DROP TABLE expr_date_edges, expr_date_answers;
-- another time zone changes what is printed and how constants are read
SET timezone = 'America/New_York';
SELECT count(*), sum(id) FROM expr_date WHERE tz >= '1996-07-01';
SELECT count(*), sum(id) FROM expr_date WHERE tz >= '1996-07-01 00:00+00';
SELECT tz, count(*) FROM expr_date WHERE tz < '1992-01-01 03:00' GROUP BY tz ORDER BY tz LIMIT 5;
SELECT min(tz), max(tz) FROM expr_date WHERE id <= 20000;
SET timezone = 'UTC';
-- now() is a constant of the transaction
SELECT count(*) FROM expr_date WHERE tz < now() AND id <= 20000;
SELECT count(*) FROM expr_date WHERE d <= current_date AND id <= 20000;
-- operations on columns, some of which stay with PostgreSQL
SET gpudb.debug_require = allow;
SELECT extract(year FROM d) AS y, count(*) FROM expr_date WHERE id <= 20000 GROUP BY 1 ORDER BY 1;
SELECT date_trunc('year', ts) AS y, count(*) FROM expr_date WHERE id <= 20000 GROUP BY 1 ORDER BY 1;
SELECT sum(received - shipped), max(d + 30), min(ts - interval '1 day') FROM expr_date WHERE id <= 20000;
SELECT count(*) FROM expr_date WHERE d + interval '1 month' > ts;
SELECT count(*) FROM expr_date WHERE ts::date = d;
SELECT count(*) FROM expr_date WHERE tz::date = d AND id <= 20000;
SELECT avg(ts - d) FROM expr_date WHERE id <= 20000;
DROP TABLE expr_date;
