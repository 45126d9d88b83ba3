-- Rows that are found in cached columns and fetched from their pages: whatever they hold, in the order of the table, whatever has changed since
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
-- of a query that gives rows: tablets used and left behind, blocks of the former that were read, rows fetched, whether its next run gives PostgreSQL's rows in their order
CREATE FUNCTION scan_fetch(query text, OUT used int, OUT kept int, OUT reread int, OUT fetched int, OUT n int, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	ours text[];
	theirs text[];
BEGIN
	-- PostgreSQL prunes the pages that it reads, and so changes them
	PERFORM set_config('gpudb.enabled', 'off', true), set_config('gpudb.debug_require', 'allow', true);
	EXECUTE format('SELECT array_agg(s::text) FROM (%s OFFSET 0) s', query) INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', true), set_config('gpudb.debug_require', 'require', true);
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	used := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	kept := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Kept"')::int, 0);
	reread := coalesce(jsonb_path_query_first(plan, '$.**."Cached Blocks Reread"')::int, 0);
	fetched := jsonb_path_query_first(plan, '$.**."Rows Fetched"')::int;
	EXECUTE format('SELECT array_agg(s::text) FROM (%s OFFSET 0) s', query) INTO ours;
	n := coalesce(cardinality(ours), 0);
	same := ours IS NOT DISTINCT FROM theirs;
END $$;
CREATE FUNCTION scan_fetch_plan(query text, OUT plan jsonb) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := plan -> 0 -> 'Plan';
END $$;
CREATE TABLE scan_fetch (id int NOT NULL, price numeric(12,2), t text, doc jsonb, list int[], bytes bytea, p point, filler text) WITH (fillfactor = 90);
ALTER TABLE scan_fetch ALTER t SET STORAGE EXTERNAL;
INSERT INTO scan_fetch
	SELECT i, i * 0.25, CASE WHEN i % 4000 = 17 THEN repeat('long ' || i, 1000) WHEN i % 7 > 0 THEN 'row ' || i END,
		jsonb_build_object('i', i % 10), CASE WHEN i % 3 > 0 THEN ARRAY[i, NULL, -i] END, decode(md5(i::text), 'hex'), point(i, -i), repeat('-', 450)
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE scan_fetch;

-- nothing is cached: pages are read, as ever
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7');
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7');
SELECT * FROM scan_fetch('SELECT scan_fetch FROM scan_fetch WHERE t LIKE ''%ow 1%7'' AND price < 4000') AS whole_rows;
SELECT * FROM scan_fetch('SELECT ctid, tableoid::regclass, list[1], length(t) FROM scan_fetch WHERE t LIKE ''long%'' OR id % 999 = 5') AS places;
SELECT * FROM scan_fetch('SELECT id, doc FROM scan_fetch WHERE id % 50 = 7 AND list[1] > 70 AND price < 4000') AS filters_of_postgresql;
SELECT * FROM scan_fetch('SELECT doc, p FROM scan_fetch WHERE id BETWEEN 10000 AND 10003') AS one_page;
SELECT * FROM scan_fetch('SELECT doc FROM scan_fetch WHERE id IN (1, 20000)') AS first_and_last;
SELECT * FROM scan_fetch('SELECT doc FROM scan_fetch WHERE id > 1000000') AS none;
SELECT same FROM scan_fetch('SELECT doc FROM scan_fetch WHERE id > 0') AS every_row;
SELECT * FROM scan_fetch('SELECT doc, list FROM scan_fetch WHERE id % 50 = 7 ORDER BY price DESC LIMIT 5') AS sorted;
SELECT * FROM scan_fetch('SELECT v, (SELECT count(doc) FROM (SELECT doc FROM scan_fetch WHERE id % v = 1 OFFSET 0) s) FROM generate_series(1000, 1010) v') AS run_again;

-- blocks that have changed are read, and rows are fetched from between tuples that are no more
UPDATE scan_fetch SET price = -price, doc = '[]' WHERE id % 1700 = 7;
DELETE FROM scan_fetch WHERE id BETWEEN 9000 AND 9020;
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7');
VACUUM scan_fetch;
SELECT t.* FROM generate_series(1, 2) i, LATERAL scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7' || left(i::text, 0)) t;
-- pages without a tuple, and with some that are dead
DELETE FROM scan_fetch WHERE id BETWEEN 3000 AND 3100 OR id % 9 = 4;
VACUUM scan_fetch;
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM scan_fetch('SELECT ctid, * FROM scan_fetch WHERE id % 50 = 7');
BEGIN;
UPDATE scan_fetch SET list = '{}' WHERE id % 9000 = 7;
DELETE FROM scan_fetch WHERE id = 12357;
INSERT INTO scan_fetch (id, doc) VALUES (50007, '{}');
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7') AS own_changes;
SAVEPOINT s;
DELETE FROM scan_fetch WHERE id % 2 = 0;
SELECT same FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 < 7');
ROLLBACK TO s;
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7') AS own_changes;
ROLLBACK;
VACUUM scan_fetch;
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7');

-- cursors, locks and changes go by the places of rows
SET gpudb.debug_require = allow;
BEGIN;
DECLARE c CURSOR FOR SELECT doc FROM scan_fetch WHERE id % 5000 = 7;
FETCH 2 FROM c;
UPDATE scan_fetch SET doc = '"seen"' WHERE CURRENT OF c;
SELECT id, doc FROM scan_fetch WHERE doc = '"seen"';
DECLARE s SCROLL CURSOR FOR SELECT doc, id FROM scan_fetch WHERE id % 5000 = 8;
FETCH 2 FROM s;
FETCH BACKWARD 1 FROM s;
FETCH ABSOLUTE 4 FROM s;
SELECT id, doc FROM scan_fetch WHERE id % 9999 = 8 ORDER BY id FOR UPDATE;
UPDATE scan_fetch SET doc = NULL WHERE id % 9999 = 8 RETURNING id, doc;
DELETE FROM scan_fetch WHERE id % 9999 = 9 RETURNING list;
ROLLBACK;

-- a device that fails in the middle: rows of a slice are PostgreSQL's to judge, out of pages
SELECT failing, t.used, t.n, t.same FROM unnest('{0,1,2,7,20}'::int[]) failing, set_config('gpudb.debug_fail', failing::text, false) s,
	LATERAL scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7' || left(s, 0)) t;
RESET gpudb.debug_fail;
-- errors are PostgreSQL's, and so are the rows before them
SELECT doc FROM scan_fetch WHERE 1 / (id - 15000) > 5;
SET gpudb.debug_require = require;
SET gpudb.debug_yield = 3;
SELECT * FROM scan_fetch('SELECT * FROM scan_fetch WHERE id % 50 = 7');
RESET gpudb.debug_yield;
RESET gpudb.debug_require;

-- where policies hide rows all pages are read: which ones would tell of those rows
CREATE ROLE scan_fetch_user;
GRANT SELECT ON scan_fetch TO scan_fetch_user;
ALTER TABLE scan_fetch ENABLE ROW LEVEL SECURITY;
CREATE POLICY small ON scan_fetch USING (id < 10000);
SET ROLE scan_fetch_user;
SELECT count(*), max(doc::text) FROM (SELECT id, doc FROM scan_fetch WHERE id % 50 = 7 OFFSET 0) s;
SELECT plan ->> 'Node Type' AS node, plan ? 'GPU Filter' AS on_device, plan ? 'Rows Fetched' AS fetched FROM scan_fetch_plan('SELECT id, doc FROM scan_fetch WHERE id % 50 = 7');
RESET ROLE;
DROP TABLE scan_fetch;
DROP FUNCTION scan_fetch, scan_fetch_plan;
DROP ROLE scan_fetch_user;
