-- Rows that are found in cached columns and fetched from their pages: whatever they hold, in the order of the table, whatever has changed since
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
CREATE TABLE scan_fetch (id int NOT NULL, price numeric(12,2), t text, doc jsonb, list int[], bytes bytea, p point, filler text) WITH (fillfactor = 90);
ALTER TABLE scan_fetch ALTER t SET STORAGE EXTERNAL;
INSERT INTO scan_fetch
	SELECT i, i * 0.25, CASE WHEN i % 4000 = 17 THEN repeat('long ' || i, 1000) WHEN i % 7 > 0 THEN 'row ' || i END,
		jsonb_build_object('i', i % 10), CASE WHEN i % 3 > 0 THEN ARRAY[i, NULL, -i] END, decode(md5(i::text), 'hex'), point(i, -i), repeat('-', 450)
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE scan_fetch;

-- nothing is cached: pages are read, as ever
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7');
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7');
SELECT * FROM cached_rows('SELECT scan_fetch FROM scan_fetch WHERE t LIKE ''%ow 1%7'' AND price < 4000') AS whole_rows;
SELECT * FROM cached_rows('SELECT ctid, tableoid::regclass, list[1], length(t) FROM scan_fetch WHERE t LIKE ''long%'' OR id % 999 = 5') AS places;
SELECT * FROM cached_rows('SELECT id, doc FROM scan_fetch WHERE id % 50 = 7 AND list[1] > 70 AND price < 4000') AS filters_of_postgresql;
SELECT * FROM cached_rows('SELECT doc, p FROM scan_fetch WHERE id BETWEEN 10000 AND 10003') AS one_page;
SELECT * FROM cached_rows('SELECT doc FROM scan_fetch WHERE id IN (1, 20000)') AS first_and_last;
SELECT * FROM cached_rows('SELECT doc FROM scan_fetch WHERE id > 1000000') AS none;
SELECT same FROM cached_rows('SELECT doc FROM scan_fetch WHERE id > 0') AS every_row;
SELECT * FROM cached_rows('SELECT doc, list FROM scan_fetch WHERE id % 50 = 7 ORDER BY price DESC LIMIT 5') AS sorted;
SELECT * FROM cached_rows('SELECT v, (SELECT count(doc) FROM (SELECT doc FROM scan_fetch WHERE id % v = 1 OFFSET 0) s) FROM generate_series(1000, 1010) v') AS run_again;

-- blocks that have changed are read, and rows are fetched from between tuples that are no more
UPDATE scan_fetch SET price = -price, doc = '[]' WHERE id % 1700 = 7;
DELETE FROM scan_fetch WHERE id BETWEEN 9000 AND 9020;
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7');
VACUUM scan_fetch;
SELECT t.* FROM generate_series(1, 2) i, LATERAL cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7' || left(i::text, 0)) t;
-- pages without a tuple, and with some that are dead
DELETE FROM scan_fetch WHERE id BETWEEN 3000 AND 3100 OR id % 9 = 4;
VACUUM scan_fetch;
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM cached_rows('SELECT ctid, * FROM scan_fetch WHERE id % 50 = 7');
BEGIN;
UPDATE scan_fetch SET list = '{}' WHERE id % 9000 = 7;
DELETE FROM scan_fetch WHERE id = 12357;
INSERT INTO scan_fetch (id, doc) VALUES (50007, '{}');
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7') AS own_changes;
SAVEPOINT s;
DELETE FROM scan_fetch WHERE id % 2 = 0;
SELECT same FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 < 7');
ROLLBACK TO s;
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7') AS own_changes;
ROLLBACK;
VACUUM scan_fetch;
SELECT gpudb.prewarm('scan_fetch', '{id,price,t}') > 0 AS cached;
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7');

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
	LATERAL cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7' || left(s, 0)) t;
RESET gpudb.debug_fail;
-- errors are PostgreSQL's, and so are the rows before them
SELECT doc FROM scan_fetch WHERE 1 / (id - 15000) > 5;
SET gpudb.debug_require = require;
SET gpudb.debug_yield = 3;
SELECT * FROM cached_rows('SELECT * FROM scan_fetch WHERE id % 50 = 7');
RESET gpudb.debug_yield;
RESET gpudb.debug_require;

-- where policies hide rows all pages are read: which ones would tell of those rows
CREATE ROLE scan_fetch_user;
GRANT SELECT ON scan_fetch TO scan_fetch_user;
ALTER TABLE scan_fetch ENABLE ROW LEVEL SECURITY;
CREATE POLICY small ON scan_fetch USING (id < 10000);
SET ROLE scan_fetch_user;
SELECT count(*), max(doc::text) FROM (SELECT id, doc FROM scan_fetch WHERE id % 50 = 7 OFFSET 0) s;
SELECT bool_or(explain ~ 'GpuScan') AS node, bool_or(explain ~ 'GPU Filter') AS on_device, bool_or(explain ~ 'Rows Fetched') AS fetched
	FROM explain('SELECT id, doc FROM scan_fetch WHERE id % 50 = 7', 'ANALYZE, COSTS OFF');
RESET ROLE;
DROP TABLE scan_fetch;
DROP ROLE scan_fetch_user;

-- reading all pages, by several threads, costs no more than fetching half of the rows from nearly all pages
CREATE TABLE scan_fetch (id int NOT NULL, doc jsonb NOT NULL);
INSERT INTO scan_fetch SELECT i, jsonb_build_object('filler', repeat(md5(i::text), 28)) FROM generate_series(1, 16000) i;
VACUUM (FREEZE, ANALYZE) scan_fetch;
SELECT gpudb.prewarm('scan_fetch', '{id}') > 0 AS cached;
SELECT fetched, same FROM cached_rows('SELECT * FROM scan_fetch WHERE id > 8000') AS half;
SELECT fetched, same FROM cached_rows('SELECT * FROM scan_fetch WHERE id > 15950') AS few;
DROP TABLE scan_fetch;
