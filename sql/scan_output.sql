-- GpuScan: rows from the device's outputs, every type that has a form of fixed width, in PostgreSQL's own bytes
CREATE TYPE scan_output_mood AS ENUM ('low', 'high');
CREATE DOMAIN scan_output_price AS numeric(8,3);
CREATE TABLE scan_output (id int NOT NULL, a int2, b int8, c float4, d float8, n numeric(12,2), u numeric, p scan_output_price, dt date, ti time,
	tz timetz, ts timestamptz, bo bool, ch char(1), vc varchar(1), e scan_output_mood, o oid, q "char", iv interval, uu uuid, t text);
INSERT INTO scan_output
SELECT i, nullif(i % 100, 5), nullif(i * 3000000000, 6000000000), nullif((i / 7.0)::float4, 1), CASE i % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN 'Infinity' ELSE i / 3.0::float8 END,
	CASE WHEN i % 9 > 0 THEN (i - 2000) * 1234.56 END, (CASE WHEN i % 4 > 0 THEN round(i / 16.0, i % 5) ELSE i END), i / 8.0, date '2000-02-28' + i, time '00:00' + i * interval '17 s',
	(time '00:00' + i * interval '19 s')::timetz, timestamptz '2020-01-01 00:00+00' + i * interval '1 hour', nullif(i % 3, 2) = 0, chr(64 + i % 26), nullif(chr(96 + i % 27), '`'),
	(enum_range(NULL::scan_output_mood))[1 + i % 2], i, chr(65 + i % 26)::"char", (i % 40) * interval '1 day' + (i % 24) * interval '1 hour' - (i % 13) * interval '1 month',
	md5(i::text)::uuid, repeat('t', i % 30)
FROM generate_series(0, 4999) i;
ALTER TABLE scan_output ADD COLUMN later int DEFAULT 77, ADD COLUMN late numeric(6,2) DEFAULT 12.30;
VACUUM ANALYZE scan_output;
-- whether the rows of a query are the same, and in the same order, as PostgreSQL's, and what the node says that it gives out
CREATE FUNCTION scan_output(query text, OUT same bool, OUT n bigint, OUT outputs text) LANGUAGE plpgsql AS $$
DECLARE
	ours text; theirs text; line text;
BEGIN
	SET LOCAL gpudb.enabled = off;
	EXECUTE format('SELECT md5(string_agg(q::text, E''\n'')), count(*) FROM (%s) q', query) INTO theirs, n;
	SET LOCAL gpudb.enabled = on;
	SET LOCAL gpudb.debug_require = require;
	EXECUTE format('SELECT md5(string_agg(q::text, E''\n'')) FROM (%s) q', query) INTO ours;
	same := ours IS NOT DISTINCT FROM theirs;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line LIKE '%GPU Output%' THEN outputs := concat_ws('; ', outputs, trim(line)); END IF;
	END LOOP;
	SET LOCAL gpudb.debug_require = allow;
END $$;
SET gpudb.force = on;
SET max_parallel_workers_per_gather = 0;
SELECT * FROM scan_output('SELECT id, a, b, c, d, n, p FROM scan_output WHERE a < 50 OFFSET 0');
SELECT * FROM scan_output('SELECT dt, ti, tz, ts, bo, ch, vc, e, o, q FROM scan_output WHERE id % 3 <> 1 OFFSET 0');
SELECT * FROM scan_output('SELECT iv, uu, id, later, late FROM scan_output WHERE id > 10 OFFSET 0');
-- numerics of many scales: the display scale goes out beside the value
SELECT * FROM scan_output('SELECT u, id FROM scan_output WHERE a > 3 OFFSET 0');
-- expressions are PostgreSQL's, over outputs; so are filters that stay
SELECT * FROM scan_output('SELECT id + 1 AS x, n * 2 AS y, upper(vc) AS z FROM scan_output WHERE a = 7 AND hashint4(id) > 0 OFFSET 0');
SELECT * FROM scan_output('SELECT id FROM scan_output WHERE a = 7 AND hashint8(b) > 0 AND id < 700 OFFSET 0');
-- no column at all
SELECT * FROM scan_output('SELECT 1 AS one FROM scan_output WHERE a BETWEEN 20 AND 40 OFFSET 0');
-- a text by its code; the whole row: heap tuples
SELECT * FROM scan_output('SELECT id, t FROM scan_output WHERE a < 50 OFFSET 0');
SELECT * FROM scan_output('SELECT s FROM scan_output s WHERE a < 50 OFFSET 0');
-- none and all
SELECT * FROM scan_output('SELECT id, n FROM scan_output WHERE a > 1000 OFFSET 0');
SELECT * FROM scan_output('SELECT id, n FROM scan_output WHERE id >= 0 OFFSET 0');
-- an error is that row's, after the rows before it; the filter comes first
SELECT 10 / (id - 60) FROM scan_output WHERE id > 57 LIMIT 2;
SELECT 10 / (id - 60) FROM scan_output WHERE id > 57 LIMIT 3;
SELECT * FROM scan_output('SELECT 10 / (id - 60) AS x FROM scan_output WHERE id <> 60 OFFSET 0');
-- into joins, sorts, spools and cursors
SELECT * FROM scan_output('SELECT x.id, x.n, y.uu FROM scan_output x LEFT JOIN scan_output y ON x.id = y.a AND y.id < 900 WHERE x.a < 30 ORDER BY x.id, y.uu');
SELECT * FROM scan_output('SELECT id, lag(n) OVER (ORDER BY d, id) AS before FROM scan_output WHERE a < 9 ORDER BY 1');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, n, iv FROM scan_output WHERE a = 50;
FETCH 3 FROM c;
MOVE FORWARD 20 FROM c;
FETCH BACKWARD 2 FROM c;
COMMIT;
-- a value that the device cannot read, in what goes out alone: it goes on with row numbers
UPDATE scan_output SET n = 'NaN' WHERE id = 4321;
SELECT * FROM scan_output('SELECT id, n FROM scan_output WHERE a = 21 OFFSET 0');
UPDATE scan_output SET u = 12345678901234567890123456789012345678901234567890.5 WHERE id = 17;
SELECT * FROM scan_output('SELECT id, u FROM scan_output WHERE a = 17 OFFSET 0');
-- decimals of 128 bits
UPDATE scan_output SET n = 1, u = CASE WHEN id % 3 = 0 THEN 123456789012345678901234567890.25 * (id - 700) ELSE u END WHERE u IS NOT NULL AND id < 2000;
SELECT * FROM scan_output('SELECT id, u, n FROM scan_output WHERE a < 30 OFFSET 0');
-- every row of a page twice, once dead
UPDATE scan_output SET a = a + 1 WHERE id % 2 = 0;
DELETE FROM scan_output WHERE id % 5 = 0;
SELECT * FROM scan_output('SELECT id, a, ts FROM scan_output WHERE a < 60 OFFSET 0');
DROP FUNCTION scan_output;
DROP TABLE scan_output;
DROP TYPE scan_output_mood;
DROP DOMAIN scan_output_price;
