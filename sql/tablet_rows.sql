-- Rows out of cached columns: those of the table in the order of the table, whatever has changed since
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
-- of a query that gives rows: tablets used and left behind, blocks of the former that were read, whether its next run gives PostgreSQL's rows in their order
CREATE FUNCTION tablet_rows(query text, OUT used int, OUT added int, OUT reread int, OUT n int, OUT same bool) LANGUAGE sql AS $$
	SELECT used, added, reread, n, same FROM cached_rows(query)
$$;
CREATE TABLE tablet_rows (
	id int NOT NULL, same int, same_null int, no_value bigint, flag "char", yes bool, code char(1), small smallint, up bigint, jump bigint, edge bigint,
	minute timestamp, day date, price numeric(12,2), wide numeric, free numeric, who oid, f float8, f4 float4, u uuid, i interval, t text, filler text)
	WITH (fillfactor = 90);
INSERT INTO tablet_rows
	SELECT i, 7, CASE WHEN i % 3 > 0 THEN -7 END, NULL, (i % 100)::"char", i % 5 < 2, chr(65 + i % 26), i % 1000 - 500, 1000000007::bigint * i,
		CASE WHEN i % 5000 = 4999 THEN 1000000000000 ELSE i % 3 END, CASE i WHEN 6000 THEN 9223372036854775807 WHEN 12000 THEN -9223372036854775808 ELSE i END,
		timestamp '2024-01-01' + i * interval '1 minute', date '1992-01-01' + i % 2526, i * 0.25,
		CASE WHEN i % 9000 = 8999 THEN 123456789012345678901234567890.5 ELSE i % 100 END, (i % 50)::numeric / 4, i, i / 8.0, i / 16.0,
		lpad(to_hex(i % 7777), 32, '0')::uuid, i % 99 * interval '1 hour 1 day', 'row ' || i, repeat('-', 500)
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE tablet_rows;

-- every form: the first query leaves columns behind, the second one finds them
SELECT c AS col, a.added, b.used, b.n, a.same AND b.same AS same
	FROM unnest('{id,same,same_null,no_value,flag,yes,code,small,up,jump,edge,minute,day,price,wide,free,who,f,f4,u,i}'::text[]) c,
	tablet_rows(format('SELECT %I FROM tablet_rows WHERE id %% 7 < 3', c)) a, LATERAL tablet_rows(format('SELECT %I FROM tablet_rows WHERE id %% 7 < 3 AND %s', c, (a.n > 0)::text)) b;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, same_null, wide, free, u, i, f4 FROM tablet_rows WHERE small > 0 AND (same_null IS NULL OR wide > 50)' || left(i::text, 0)) t;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT 1 FROM tablet_rows WHERE jump > 5' || left(i::text, 0)) t;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT up + small, price * 2 FROM tablet_rows WHERE code = ''C''' || left(i::text, 0)) t;
-- other_tablets_are_skipped
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id FROM tablet_rows WHERE up < 1000000007::bigint * 40' || left(i::text, 0)) t;
SELECT * FROM tablet_rows('SELECT id FROM tablet_rows WHERE id > 30000') AS none;
SELECT * FROM tablet_rows('SELECT id, t FROM tablet_rows WHERE id % 50 = 0') AS texts_are_cached;
SELECT * FROM tablet_rows('SELECT ctid, id FROM tablet_rows WHERE id % 50 = 0') AS places_are_fetched;

-- blocks that have changed are read, and their rows stand where they stood
UPDATE tablet_rows SET price = -price, same = 300 WHERE id % 1700 = 0;
DELETE FROM tablet_rows WHERE id BETWEEN 9000 AND 9020;
SELECT * FROM tablet_rows('SELECT id, same, price FROM tablet_rows WHERE id % 7 < 3');
VACUUM tablet_rows;
SELECT * FROM tablet_rows('SELECT id, same, price FROM tablet_rows WHERE id % 7 < 3');
INSERT INTO tablet_rows (id, price) SELECT i, 1 FROM generate_series(20001, 20100) i;
SELECT * FROM tablet_rows('SELECT id, same, price FROM tablet_rows WHERE id % 7 < 3 OR same IS NULL');
-- what has changed much is read whole, and left behind
UPDATE tablet_rows SET price = price + 1 WHERE id % 300 = 0;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, price FROM tablet_rows WHERE id % 7 < 3' || left(i::text, 0)) t;
-- one is read whole, and the next one comes in pieces
UPDATE tablet_rows SET price = price + 1 WHERE ctid IN (SELECT ('(' || b || ',2)')::tid FROM generate_series(0, 480, 20) b) OR ctid IN ('(1100,2)', '(1200,2)', '(1300,2)');
SELECT t.* FROM generate_series(1, 3) i, LATERAL tablet_rows('SELECT id, price FROM tablet_rows WHERE id % 7 < 3' || left(i::text, 0)) t;
BEGIN;
UPDATE tablet_rows SET price = 0 WHERE id % 9000 = 1;
DELETE FROM tablet_rows WHERE id = 12345;
SELECT * FROM tablet_rows('SELECT id, price FROM tablet_rows WHERE id % 7 < 3') AS own_changes;
ROLLBACK;
SELECT * FROM tablet_rows('SELECT id, price FROM tablet_rows WHERE id % 7 < 3');

-- a device that fails in the middle, and interruptions: rows of a slice are PostgreSQL's to judge, out of pages
SET gpudb.debug_require = allow;
SELECT failing, t.used, t.n, t.same FROM unnest('{0,1,2,7,20}'::int[]) failing, set_config('gpudb.debug_fail', failing::text, false) s,
	LATERAL tablet_rows('SELECT id, price FROM tablet_rows WHERE id % 7 < 3' || left(s, 0)) t;
RESET gpudb.debug_fail;
-- errors are PostgreSQL's, and so are the rows before them
SELECT id FROM tablet_rows WHERE 1 / (id - 15000) > 5;
SET gpudb.debug_require = require;
SET gpudb.debug_yield = 3;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, price, same_null FROM tablet_rows WHERE id % 7 < 3' || left(i::text, 0)) t;
RESET gpudb.debug_yield;
SELECT id FROM tablet_rows WHERE id > 14990 AND 1 / (id - 15000) < 5 LIMIT 5;
SELECT * FROM tablet_rows('SELECT id FROM tablet_rows WHERE 1 / (id - 15000) < 5 AND id > 2 LIMIT 100');
-- the program changes after rows have gone out: other scales, or a value that no column can hold
UPDATE tablet_rows SET free = free + 0.123456789 WHERE id = 19000;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, free FROM tablet_rows WHERE id % 7 < 3' || left(i::text, 0)) t;
-- or there is none
UPDATE tablet_rows SET free = 1.00000000000000000001 WHERE id = 10000;
SET gpudb.debug_require = allow;
SELECT * FROM tablet_rows('SELECT id FROM tablet_rows WHERE free * free < 100');
UPDATE tablet_rows SET free = 'NaN' WHERE id = 10000;
SELECT * FROM tablet_rows('SELECT id, free FROM tablet_rows WHERE id % 7 < 3');
SELECT * FROM tablet_rows('SELECT id FROM tablet_rows WHERE free <> 7');
-- the same before any row has
CREATE TABLE tablet_rows_first WITH (autovacuum_enabled = off) AS
	SELECT i AS id, CASE WHEN i = 5 THEN 'NaN' ELSE i / 4.0 END::numeric AS free, repeat('-', 500) AS filler FROM generate_series(1, 20000) i;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, free FROM tablet_rows_first WHERE id % 2 = 0' || left(i::text, 0)) t;
UPDATE tablet_rows_first SET free = 1.00000000000000000001 WHERE id = 5;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id FROM tablet_rows_first WHERE free * free < 100' || left(i::text, 0)) t;
SELECT t.* FROM generate_series(1, 2) i, LATERAL tablet_rows('SELECT id, free FROM tablet_rows_first WHERE id % 2 = 0' || left(i::text, 0)) t;
DROP TABLE tablet_rows_first;
SET gpudb.debug_require = require;

-- in which form values are stored is PostgreSQL's to tell
SET gpudb.debug_require = allow;
SELECT sum(pg_column_size(t)) AS texts, sum(pg_column_size(wide)) AS numerics, count(pg_column_compression(filler)) AS compressed
	FROM (SELECT t, wide, filler FROM tablet_rows WHERE id % 7 < 3 ORDER BY id OFFSET 0) s;
SELECT reason FROM gpudb.why_not('SELECT pg_column_size(t) FROM tablet_rows WHERE id % 7 < 3');
SET gpudb.debug_require = require;

-- LIMIT, rescans, joins; cursors have places
SELECT id, price FROM tablet_rows WHERE id % 7 < 3 LIMIT 3;
SELECT id FROM tablet_rows WHERE id % 7 < 3 OFFSET 8500 LIMIT 3;
SELECT * FROM tablet_rows('SELECT v, (SELECT count(*) FROM (SELECT id FROM tablet_rows WHERE id % v = 1 OFFSET 0) s) FROM generate_series(1000, 1010) v');
BEGIN;
DECLARE place CURSOR FOR SELECT id, price FROM tablet_rows WHERE id % 7 < 3;
FETCH 3 FROM place;
UPDATE tablet_rows SET price = 4711 WHERE CURRENT OF place;
SELECT id, price FROM tablet_rows WHERE price = 4711;
ROLLBACK;
SELECT column_name, tablets, differences FROM gpudb.check('tablet_rows') ORDER BY 1;
DROP TABLE tablet_rows;
DROP FUNCTION tablet_rows;
