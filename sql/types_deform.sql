-- From heap tuples to columns: NULLs, dropped and added columns, every form of varlena, wide rows.

-- NULLs at every position, alignment after each kind of value
CREATE TABLE types_deform (
	id int NOT NULL, b bool, i2 int2, c1 char(1), i8 int8, t text, i4 int4, n numeric, f4 float4, v varchar(30), f8 float8, d date, p numeric(9,3), ts timestamp, c char(9), tz timestamptz, last int2
);
INSERT INTO types_deform
SELECT i,
	CASE WHEN i & 1 = 0 THEN i % 3 = 0 END, CASE WHEN i & 2 = 0 THEN i % 1000 END, CASE WHEN i & 4 = 0 THEN chr(65 + i % 26) END,
	CASE WHEN i & 8 = 0 THEN i * 10000000000 END, CASE WHEN i & 16 = 0 THEN repeat('t', i % 12) END, CASE WHEN i & 32 = 0 THEN -i END,
	CASE WHEN i & 64 = 0 THEN i * 1.5 END, CASE WHEN i & 128 = 0 THEN i / 4.0 END, CASE WHEN i & 256 = 0 THEN repeat('v', i % 29) END,
	CASE WHEN i & 512 = 0 THEN i / 8.0 END, CASE WHEN i & 1024 = 0 THEN date '2000-01-01' + i END, CASE WHEN i & 2048 = 0 THEN i / 8.0 END,
	CASE WHEN i & 4096 = 0 THEN timestamp '2000-01-01' + interval '1 minute' * i END, CASE WHEN i & 8192 = 0 THEN repeat('c', i % 9) END,
	CASE WHEN i & 1 = 1 THEN timestamptz '2000-01-01 UTC' + interval '1 minute' * i END, CASE WHEN i & 6 = 6 THEN i % 77 END
FROM generate_series(1, 33000) i;
INSERT INTO types_deform (id) SELECT i FROM generate_series(33001, 34000) i;
ANALYZE types_deform;
SET datestyle = ISO;
SET timezone = 'UTC';
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*), count(b), count(i2), count(c1), count(i8), count(t), count(i4), count(n), count(f4), count(v), count(f8), count(d), count(p), count(ts), count(c), count(tz), count(last) FROM types_deform;
SELECT sum(i2), sum(i8), sum(i4), sum(n), sum(f4::float8), sum(f8), sum(p), sum(last) FROM types_deform;
SELECT min(d), max(d), min(ts), max(ts), min(tz), max(tz) FROM types_deform;
SELECT b, c1, count(*), sum(last) FROM types_deform WHERE c1 IN ('A', 'B') OR c1 IS NULL AND i4 > -500 GROUP BY b, c1 ORDER BY b, c1;
SELECT t, count(*), sum(id) FROM types_deform GROUP BY t ORDER BY length(t);
SELECT v, c, count(*) FROM types_deform WHERE v = 'vvvvv' OR c = 'cc' GROUP BY v, c ORDER BY count(*) DESC, length(v), length(c) LIMIT 5;
SELECT * FROM types_deform WHERE last = 6 AND id > 32000 ORDER BY id;
SELECT count(*) FROM types_deform WHERE b IS NULL AND i2 IS NULL AND c1 IS NULL AND i8 IS NULL AND t IS NULL AND i4 IS NULL AND n IS NULL AND f4 IS NULL AND v IS NULL AND f8 IS NULL AND d IS NULL AND p IS NULL AND ts IS NULL AND c IS NULL AND tz IS NULL AND last IS NULL;

-- dropped columns, and columns added later without a rewrite
SET gpudb.debug_require = allow;
CREATE TABLE types_deform_alter (a int, gone text, b int8, gone2 numeric, c text);
INSERT INTO types_deform_alter SELECT i, repeat('x', i % 200), i * 2, i / 3.0, 'c' || i % 5 FROM generate_series(1, 20000) i;
ALTER TABLE types_deform_alter DROP COLUMN gone, DROP COLUMN gone2;
ALTER TABLE types_deform_alter ADD COLUMN i int4 DEFAULT 42, ADD COLUMN s int2 DEFAULT -7, ADD COLUMN t text DEFAULT 'a default', ADD COLUMN n numeric DEFAULT 12.50, ADD COLUMN p numeric(10,3) DEFAULT 1.25,
	ADD COLUMN f float8 DEFAULT 0.5, ADD COLUMN d date DEFAULT '2024-02-29', ADD COLUMN bo bool DEFAULT true, ADD COLUMN ch char(4) DEFAULT 'ch', ADD COLUMN c1 char(1) DEFAULT 'N', ADD COLUMN x int, ADD COLUMN long text DEFAULT repeat('long ', 100);
INSERT INTO types_deform_alter (a, b, c, i, t, n, p, d, bo, ch, x) SELECT i, i, 'new', NULL, NULL, 0.125, NULL, NULL, false, 'nw', i FROM generate_series(20001, 21000) i;
ALTER TABLE types_deform_alter ADD COLUMN late int8 DEFAULT 1000000000000, ADD COLUMN latet varchar(10) DEFAULT 'late';
ANALYZE types_deform_alter;
SET gpudb.debug_require = require;
SELECT count(*), sum(a), sum(b), sum(i), sum(s), sum(n), sum(p), sum(f), min(d), max(d), sum(x), sum(late) FROM types_deform_alter;
SELECT c, t, bo, ch, c1, latet, count(*) FROM types_deform_alter GROUP BY c, t, bo, ch, c1, latet ORDER BY c;
SELECT n, p, d, count(*) FROM types_deform_alter GROUP BY n, p, d ORDER BY n;
SELECT count(*), sum(a) FROM types_deform_alter WHERE i = 42 AND t = 'a default' AND n = 12.5 AND d = '2024-02-29' AND ch = 'ch' AND c1 = 'N' AND latet LIKE 'l%e';
SELECT count(*), sum(a) FROM types_deform_alter WHERE x IS NOT NULL OR t IS NULL;
SELECT count(*) FROM types_deform_alter WHERE long = repeat('long ', 100);
SELECT a, b, c, i, s, t, n, p, f, d, bo, ch, c1, x, late, latet FROM types_deform_alter WHERE a IN (1, 19999, 20001) ORDER BY a;
SELECT DISTINCT types_deform_alter.* IS NULL FROM types_deform_alter WHERE a = 5;

-- a default that no column of 128 bits can hold: PostgreSQL answers
SET gpudb.debug_require = allow;
ALTER TABLE types_deform_alter ADD COLUMN huge numeric DEFAULT 1e40;
SELECT sum(huge), max(huge), count(*) FROM types_deform_alter WHERE a <= 3;
SELECT count(*) FROM types_deform_alter WHERE huge > 1;

-- short, long, compressed and out-of-line texts
SET gpudb.debug_require = allow;
CREATE TABLE types_deform_toast (id int NOT NULL, e text, x text, m text, p text, n numeric);
ALTER TABLE types_deform_toast ALTER COLUMN e SET STORAGE EXTERNAL, ALTER COLUMN x SET STORAGE EXTENDED, ALTER COLUMN m SET STORAGE MAIN, ALTER COLUMN p SET STORAGE PLAIN;
INSERT INTO types_deform_toast
SELECT i,
	CASE i % 5 WHEN 0 THEN repeat('e', 5000) || i % 4 WHEN 1 THEN 'short' WHEN 2 THEN repeat('e', 126) WHEN 3 THEN repeat('e', 127) END,
	CASE i % 7 WHEN 0 THEN repeat('x', 20000) || i % 3 WHEN 1 THEN '' WHEN 2 THEN repeat('x', 200) WHEN 3 THEN (SELECT string_agg(md5((i % 14 + j)::text), '') FROM generate_series(1, 200) j) END,
	CASE i % 3 WHEN 0 THEN repeat('m', 3000) WHEN 1 THEN 'main' END,
	CASE i % 4 WHEN 0 THEN repeat('p', 300) WHEN 1 THEN 'p' END,
	CASE i % 10 WHEN 0 THEN repeat('9', 30)::numeric ELSE i END
FROM generate_series(1, 3000) i;
ANALYZE types_deform_toast;
SET gpudb.debug_require = require;
SELECT count(*), count(e), count(x), count(m), count(p), sum(n) FROM types_deform_toast;
SELECT length(e) AS l, left(e, 5) AS s, right(e, 2) AS r, c FROM (SELECT e, count(*) AS c FROM types_deform_toast GROUP BY e) g ORDER BY 1, 3;
SELECT length(x) AS l, md5(x), c FROM (SELECT x, count(*) AS c FROM types_deform_toast GROUP BY x) g ORDER BY 1, 2;
SELECT length(m) AS l, c FROM (SELECT m, count(*) AS c FROM types_deform_toast GROUP BY m) g ORDER BY 1;
SELECT count(*) FROM types_deform_toast WHERE e = repeat('e', 5000) || '0';
SELECT count(*) FROM types_deform_toast WHERE e LIKE '%e2' OR e LIKE 'sh%';
SELECT count(*) FROM types_deform_toast WHERE x = repeat('x', 200) OR x LIKE 'xxxx%x1';
SELECT count(*) FROM types_deform_toast WHERE m <> repeat('m', 3000) AND p = 'p';
SELECT count(*) FROM types_deform_toast WHERE e IN ('short', repeat('e', 126), repeat('e', 127), '');
SELECT id, length(e), length(x), length(m), length(p) FROM types_deform_toast WHERE e = repeat('e', 5000) || '1' AND x IS NOT NULL AND id < 500 ORDER BY id;
SELECT id, length(e || x) FROM types_deform_toast WHERE id % 350 = 0 ORDER BY id;
SET gpudb.debug_require = allow;
UPDATE types_deform_toast SET e = repeat('y', 6000) WHERE id % 100 = 0;
DELETE FROM types_deform_toast WHERE id % 100 = 5;
SET gpudb.debug_require = require;
SELECT count(*), count(*) FILTER (WHERE e = repeat('y', 6000)), count(*) FILTER (WHERE e LIKE 'e%0') FROM types_deform_toast;

-- no column at all, no row at all, one row
SELECT count(*) FROM types_deform;
SELECT count(*) FROM types_deform WHERE true;
SELECT 1 FROM types_deform_toast LIMIT 2;
CREATE TABLE types_deform_empty (a int, n numeric, t text);
SELECT count(*), count(a), sum(a), avg(n), min(a), max(n) FROM types_deform_empty;
SELECT a, count(*) FROM types_deform_empty GROUP BY a;
SELECT * FROM types_deform_empty;
SELECT t, sum(n) FROM types_deform_empty WHERE a > 5 GROUP BY t HAVING count(*) >= 0;
INSERT INTO types_deform_empty VALUES (1, 2.50, 'three');
SELECT * FROM types_deform_empty;
SELECT count(*), sum(a), avg(n), min(a), max(n) FROM types_deform_empty;
DELETE FROM types_deform_empty;
SELECT count(*), sum(n) FROM types_deform_empty;
CREATE TABLE types_deform_none ();
INSERT INTO types_deform_none SELECT FROM generate_series(1, 3000);
SELECT count(*) FROM types_deform_none;
SELECT FROM types_deform_none LIMIT 3;

-- many columns: the null bitmap spans many bytes
SET gpudb.debug_require = allow;
SELECT format('CREATE TABLE types_deform_wide (%s)', string_agg(format('c%s %s', i, (ARRAY['int4', 'int2', 'text', 'int8', 'numeric', 'bool', 'date'])[i % 7 + 1]), ', ')) FROM generate_series(1, 250) i \gset
:format;
SELECT format('INSERT INTO types_deform_wide SELECT %s FROM generate_series(1, 2500) i',
	string_agg(format(CASE k WHEN 3 THEN 'CASE WHEN (i + %s) %% 3 > 0 THEN ''t'' || i END' WHEN 6 THEN 'CASE WHEN (i + %s) %% 4 > 0 THEN i %% 2 = 0 END'
		WHEN 7 THEN 'CASE WHEN (i + %s) %% 5 > 0 THEN date ''2000-01-01'' + i END' ELSE 'CASE WHEN (i + %s) %% 3 > 0 THEN i END' END, i), ', ' ORDER BY i))
FROM (SELECT i, i % 7 + 1 AS k FROM generate_series(1, 250) i) s \gset
:format;
ANALYZE types_deform_wide;
SET gpudb.debug_require = require;
SELECT count(c1), sum(c1), sum(c7), count(c2), max(c6), sum(c245), sum(c246), sum(c248), max(c244), count(c250), count(c247) FROM types_deform_wide;
SELECT c249, c250, c244 FROM types_deform_wide WHERE c2 = 't77' OR c250 AND c244 = date '2000-01-01' + 8 ORDER BY c249;
SELECT count(*) FROM types_deform_wide WHERE c9 = 't10' OR c16 = 't11' OR c240 = 't12' OR c149 = 't10';

-- types that the device does not know, in rows it reads around
SET gpudb.debug_require = allow;
CREATE DOMAIN types_deform_domain AS int CHECK (VALUE > 0);
CREATE TYPE types_deform_enum AS ENUM ('red', 'green');
CREATE TABLE types_deform_other (id int, n name, c "char", p point, a int[], u uuid, j jsonb, i interval, m money, by bytea, ip inet, e types_deform_enum, dom types_deform_domain, ti time, bi bit(5), after int8, o oid);
INSERT INTO types_deform_other
SELECT i, 'name' || i, 'c', point(i, i), ARRAY[i, i], md5(i::text)::uuid, jsonb_build_object('k', i), interval '1 day' * i, i::money, decode(md5(i::text), 'hex'), '10.0.0.1',
	CASE WHEN i % 2 = 0 THEN 'red' ELSE 'green' END::types_deform_enum, i, '12:00', B'10101', i * 3, i FROM generate_series(1, 5000) i;
ANALYZE types_deform_other;
SET gpudb.debug_require = require;
SELECT count(*), sum(after) FROM types_deform_other WHERE id > 100 AND after < 14000;
SELECT * FROM types_deform_other WHERE after = 777;
SET gpudb.debug_require = allow;
SELECT count(*) FROM types_deform_other WHERE n = 'name7' OR dom = 9 OR e = 'red' AND o = 12;
SELECT e, count(*), max(dom), sum(i) FROM types_deform_other GROUP BY e ORDER BY e;
DROP TABLE types_deform, types_deform_alter, types_deform_toast, types_deform_empty, types_deform_none, types_deform_wide, types_deform_other;
DROP DOMAIN types_deform_domain;
DROP TYPE types_deform_enum;
