-- TAP: queries that a GPU takes as a whole run there, and no window of theirs on the CPU.
\set VERBOSITY terse
SET client_min_messages = warning;
DROP TABLE IF EXISTS channel_rows;
CREATE TABLE channel_rows AS SELECT i AS id, i % 7 AS k, (i % 1000)::numeric(10, 2) AS n, i / 8.0::float8 AS f, 't' || i % 5 AS t, 'more than sixteen bytes ' || i % 3000 AS long, date '2024-01-01' + i % 100 AS d FROM generate_series(1, 60000) i;
VACUUM ANALYZE channel_rows;
SET gpudb.force = on;
SET work_mem = '64MB';
SET gpudb.debug_require = require;
-- pages, and all of them each time
SET gpudb.cache = off;

-- The node's own words: the device, windows, and windows that another device had to run.
CREATE FUNCTION pg_temp.device(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	node json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	node := plan #> '{0,Plan}';
	WHILE node ->> 'Device' IS NULL AND node -> 'Plans' IS NOT NULL LOOP
		node := node #> '{Plans,0}';
	END LOOP;
	RETURN format('Device: %s, %s on CPU%s', node ->> 'Device', COALESCE(node ->> 'Tablets on CPU', '0'),
				  CASE WHEN (node ->> 'Tablets')::int < 5 THEN ', few tablets' END);
END $$;

-- A GPU process may still be starting.
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		EXIT WHEN pg_temp.device('SELECT count(*) FROM channel_rows') LIKE 'Device: gpu, 0 %';
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SELECT format('%s - %s%s', CASE WHEN device = 'Device: gpu, 0 on CPU' THEN 'ok' ELSE 'not ok' END, query, E'\n# ' || nullif(device, 'Device: gpu, 0 on CPU'))
FROM (SELECT query, pg_temp.device(query) FROM (VALUES
	('SELECT id FROM channel_rows WHERE k = 3'),
	('SELECT id, t FROM channel_rows WHERE n > 500.5 AND f < 1000'),
	('SELECT id FROM channel_rows WHERE t = ''t3'' OR d = ''2024-02-02'''),
	('SELECT id FROM channel_rows WHERE t LIKE ''%4'' AND id BETWEEN 100 AND 50000'),
	('SELECT id FROM channel_rows WHERE k IN (1, 3, 5) AND n * 2 > 300'),
	('SELECT count(*) FROM channel_rows'),
	('SELECT count(*), sum(id), min(n), max(d), avg(f) FROM channel_rows WHERE k < 5'),
	('SELECT sum(n * (1 - n)), count(*) FILTER (WHERE t = ''t1'') FROM channel_rows'),
	('SELECT k, count(*), sum(n), max(f) FROM channel_rows GROUP BY k'),
	('SELECT k, d, avg(n) FROM channel_rows WHERE id > 1000 GROUP BY k, d'),
	('SELECT t, count(*), sum(n) FROM channel_rows GROUP BY t'),
	('SELECT substring(t, 1, 1), d, count(*) FROM channel_rows GROUP BY 1, 2'),
	('SELECT k, min(t COLLATE "C"), max(t COLLATE "C") FROM channel_rows GROUP BY k'),
	('SELECT min(t COLLATE "C") FILTER (WHERE k > 3), max(substring(t, 2) COLLATE "C") FROM channel_rows'),
	('SELECT long, count(*), sum(n) FROM channel_rows GROUP BY long'),
	('SELECT k, substring(long, 3), t, max(d) FROM channel_rows WHERE n > 500 GROUP BY 1, 2, 3'),
	('SELECT CASE WHEN k < 3 THEN long WHEN k < 5 THEN ''one of the texts that were not'' END, count(*) FROM channel_rows GROUP BY 1'),
	('SELECT n > 500, min(id) FROM channel_rows GROUP BY 1'),
	('SELECT id, count(*), sum(n) FROM channel_rows GROUP BY id'),
	('SELECT id % 10000, k, min(f), stddev(f), sum(n) FROM channel_rows WHERE id > 100 GROUP BY 1, 2')) q (query)) d;
DROP TABLE channel_rows;
