-- Rows in order: every type that can be a key, up and down, NULLs at either end, several keys, the first rows alone.
CREATE TABLE sort_rows (id int NOT NULL, b bool, ch "char", i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(8,2), wide numeric(30,4), d date, t time, tz timetz, ts timestamp, u uuid, span interval, o oid,
	x text, v varchar(20), c char(6), nm name, un numeric);
INSERT INTO sort_rows
SELECT i, nullif(i % 3, 0) = 1, nullif(chr(32 + i % 90), 'A')::"char", nullif(i * 31 % 601 - 300, 7), i * 41 % 90001 - 45000, nullif(i * 47000003::int8 % 900000000001 - 450000000000, 13),
	CASE i % 7 WHEN 0 THEN float4 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN '-0' WHEN 3 THEN 0 WHEN 4 THEN NULL ELSE i * 17 % 41 - 20 END, CASE i % 9 WHEN 0 THEN float8 'Infinity' WHEN 1 THEN NULL WHEN 2 THEN '-0' WHEN 3 THEN 0 ELSE (i * 104729::int8 % 1000003 - 500000) / 7.0 END,
	nullif(i % 401 - 200, 9) / 3.0, (i % 11 - 5) * 12345678901234567890.0123, date '2000-01-01' + i % 40 * (i % 3 - 1), time '00:00' + i % 500 * interval '77 seconds', (time '10:00' + i % 13 * interval '1 hour')::timetz, timestamp '1999-12-31' + i % 600 * interval '1 hour 3 microseconds',
	CASE WHEN i % 5 > 0 THEN md5((i % 700)::text)::uuid END, CASE i % 4 WHEN 0 THEN make_interval(days => i % 30) WHEN 1 THEN make_interval(months => i % 3) WHEN 2 THEN make_interval(hours => i % 900) END, i * 1000003::int8 % 4294967296,
	CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE repeat('prefix ', i % 3) || chr(65 + i % 50) || i % 20 END, 'v' || i % 300, CASE i % 5 WHEN 0 THEN 'ab' WHEN 1 THEN 'ab ' WHEN 2 THEN E'ab\t' WHEN 3 THEN 'é' ELSE 'z' || i % 9 END, 'name' || i % 25, i / 7.0
FROM generate_series(1, 5000) i;
ANALYZE sort_rows;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT id, x FROM sort_rows WHERE id > 5 ORDER BY i4 DESC, x NULLS FIRST');
SELECT explain FROM explain('SELECT * FROM (SELECT id, i4 FROM sort_rows ORDER BY i4 DESC, id OFFSET 10 LIMIT 5) q', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Key|First|Limit|Fallback';
CREATE TABLE sort_rows_queries AS
SELECT row_number() OVER () AS number, format('SELECT id, %s FROM sort_rows ORDER BY %1$s %s %s, id', key, direction, nulls) AS sql
FROM unnest('{b,ch,i2,i4,i8,f4,f8,n,wide,d,t,tz,ts,u,span,o,x,v,c,nm}'::text[]) key, unnest('{ASC,DESC}'::text[]) direction, unnest('{NULLS FIRST,NULLS LAST}'::text[]) nulls;
INSERT INTO sort_rows_queries VALUES
	(200, 'SELECT id, b, x, i2, f4 FROM sort_rows ORDER BY b DESC, x, i2 NULLS FIRST, f4 DESC, id'),
	(201, 'SELECT id FROM sort_rows ORDER BY wide, u DESC NULLS LAST, n, d DESC, c, span, f8 DESC, id DESC'),
	(202, 'SELECT id, i2 + 1, x || ''!'' FROM sort_rows WHERE i2 > 0 ORDER BY i2 % 7, x || ''!'' DESC, id'),
	(203, 'SELECT id, f4 FROM sort_rows ORDER BY f4, id DESC'),
	(204, 'SELECT id FROM sort_rows ORDER BY i2, id LIMIT 10'),
	(205, 'SELECT id FROM sort_rows ORDER BY i2 DESC NULLS LAST, id OFFSET 2500 LIMIT 10'),
	(206, 'SELECT id FROM sort_rows ORDER BY x DESC, id OFFSET 4990 LIMIT 100'),
	(207, 'SELECT i2 % 5 FROM sort_rows ORDER BY i2 % 5 FETCH FIRST 3 ROWS WITH TIES'),
	(208, 'SELECT id FROM sort_rows ORDER BY id OFFSET 6000'),
	(209, 'SELECT id FROM sort_rows WHERE id < 0 ORDER BY i4'),
	(210, 'SELECT id FROM sort_rows ORDER BY i4, id LIMIT NULL'),
	(211, 'SELECT a.id, b.i4 FROM sort_rows a JOIN sort_rows b ON b.id = a.i2 WHERE a.b ORDER BY b.i4 DESC, a.id LIMIT 500'),
	(212, 'SELECT a.id, b.x FROM sort_rows a LEFT JOIN sort_rows b ON b.id = a.i2 ORDER BY b.x NULLS FIRST, a.id'),
	(213, 'SELECT i2 % 100 AS k, count(*), sum(i4) FROM sort_rows GROUP BY i2 % 100 ORDER BY count(*) DESC, k NULLS FIRST'),
	(214, 'SELECT DISTINCT c, b FROM sort_rows ORDER BY c, b'),
	(215, 'SELECT g, (SELECT string_agg(q.id::text, '','') FROM (SELECT id FROM sort_rows WHERE i2 = g ORDER BY i4 DESC, id) q) FROM generate_series(1, 8) g ORDER BY g'),
	(216, 'SELECT 1 FROM sort_rows ORDER BY id LIMIT 3'),
	(217, 'SELECT s.* FROM (SELECT id, i4, n FROM sort_rows ORDER BY n DESC NULLS LAST, id LIMIT 50) s ORDER BY s.i4, s.id'),
	(218, 'SELECT id FROM sort_rows ORDER BY 1000000007::int8 * id % 1000003'),
	(219, 'SELECT id, i8 FROM (SELECT * FROM sort_rows UNION ALL SELECT * FROM sort_rows WHERE b) q ORDER BY i8 NULLS FIRST, id, b');
INSERT INTO sort_rows_queries
SELECT 300 + row_number() OVER (), format('SELECT %s FROM sort_rows ORDER BY %1$s %s OFFSET %s LIMIT 3', key, direction, place) FROM unnest('{i2,x,u,b}'::text[]) key, unnest('{ASC,DESC NULLS LAST}'::text[]) direction, unnest('{0,1,100,2500,4996,4999,5000}'::int[]) place;
SELECT compare_answers('sort_rows_queries', 'GpuSort', true);
-- parameters, cursors, and rows that are read again
PREPARE sort_prepared (int, int) AS SELECT id FROM sort_rows WHERE i2 > $1 ORDER BY i4 DESC, id LIMIT $2;
EXECUTE sort_prepared (0, 3);
EXECUTE sort_prepared (290, 2);
BEGIN;
DECLARE sort_cursor SCROLL CURSOR FOR SELECT id FROM sort_rows WHERE id <= 40 ORDER BY i4, id;
FETCH 2 FROM sort_cursor;
FETCH LAST FROM sort_cursor;
FETCH BACKWARD 2 FROM sort_cursor;
FETCH ABSOLUTE 1 FROM sort_cursor;
CLOSE sort_cursor;
COMMIT;
-- what is left to PostgreSQL: other operators, types that are not stored as columns, locks, what is volatile
SET gpudb.debug_require = allow;
SELECT gpu_nodes('SELECT id FROM sort_rows ORDER BY x USING ~<~') AS operator,
	gpu_nodes('SELECT id, ARRAY[id] FROM sort_rows ORDER BY i4') AS array_of, gpu_nodes('SELECT id FROM sort_rows ORDER BY id FOR UPDATE') AS locked, gpu_nodes('SELECT id, random() FROM sort_rows ORDER BY i4') AS volatile,
	gpu_nodes('UPDATE sort_rows SET i4 = q.i4 FROM (SELECT id, i4 FROM sort_rows ORDER BY i2, id LIMIT 3) q WHERE q.id = sort_rows.id') AS changed;
-- and what turns out to be more than memory holds
SET gpudb.join_memory = 1;
SELECT explain FROM explain('SELECT x || v || c || repeat(''long'', 100) FROM sort_rows ORDER BY i4, id', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Fallback';
SELECT count(*), sum(length(q)), string_agg(left(q, 2), '') = string_agg(left(q, 2), '' ORDER BY i4, id) AS in_order FROM (SELECT x || v || c || repeat('long', 100) AS q, i4, id FROM sort_rows ORDER BY i4, id OFFSET 0) s;
RESET gpudb.join_memory;
INSERT INTO sort_rows (id, n) VALUES (0, 'NaN');
SELECT explain FROM explain('SELECT n FROM sort_rows ORDER BY n', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'GpuSort|Fallback';
SELECT id, n FROM sort_rows ORDER BY n DESC NULLS LAST, id LIMIT 2;
SELECT id FROM sort_rows ORDER BY id OFFSET -1;
SELECT id FROM sort_rows ORDER BY id LIMIT -1;
SELECT id FROM sort_rows ORDER BY 10 / (id - 3), id LIMIT 1;
DROP TABLE sort_rows, sort_rows_queries;
