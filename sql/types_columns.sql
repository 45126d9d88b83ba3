-- Tables of 0 and 1,600 columns; columns of other types that pass through GpuScan.
CREATE TABLE types_columns_none ();
CREATE TABLE types_columns_dropped (a int, b text);
INSERT INTO types_columns_dropped SELECT i, 'b' FROM generate_series(1, 2500) i;
ALTER TABLE types_columns_dropped DROP COLUMN a, DROP COLUMN b;
SELECT format('CREATE TABLE types_columns_most (%s)', string_agg(format('c%s %s', i, (ARRAY['int4', 'int2', '"char"', 'bool', 'date'])[i % 5 + 1]), ', ')) FROM generate_series(1, 1600) i \gset
:format;
SELECT format('INSERT INTO types_columns_most SELECT %s FROM generate_series(1, 300) i',
	string_agg(format(CASE i % 5 WHEN 2 THEN 'CASE WHEN (i + %s) %% 3 = 0 THEN chr(65 + i %% 26)::"char" END' WHEN 3 THEN 'CASE WHEN (i + %s) %% 4 = 0 THEN i %% 2 = 0 END'
		WHEN 4 THEN 'CASE WHEN (i + %s) %% 5 = 0 THEN date ''2000-01-01'' + i END' ELSE 'CASE WHEN (i + %s) %% 3 = 0 THEN i END' END, i), ', ' ORDER BY i))
FROM generate_series(1, 1600) i \gset
:format;
INSERT INTO types_columns_most (c1) SELECT i FROM generate_series(1, 5) i;
INSERT INTO types_columns_most (c1600) SELECT i FROM generate_series(1, 5) i;
INSERT INTO types_columns_most DEFAULT VALUES;
ANALYZE types_columns_none, types_columns_dropped, types_columns_most;
SET datestyle = ISO;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*) FROM types_columns_none;
SELECT * FROM types_columns_none;
INSERT INTO types_columns_none SELECT FROM generate_series(1, 5);
SELECT count(*), count(*) FILTER (WHERE true), bool_and(true), max(1) FROM types_columns_none;
SELECT 'x' AS x, count(*) FROM types_columns_none GROUP BY 1;
SELECT FROM types_columns_none LIMIT 2;
SELECT count(*) FROM types_columns_none WHERE false;
SELECT count(*) FROM types_columns_dropped;
SELECT * FROM types_columns_dropped LIMIT 3;
SELECT count(*), count(c1), sum(c1), count(c1600), sum(c1600), sum(c1596), max(c1599), min(c799), count(c1598), count(c802), bool_or(c1598) FROM types_columns_most;
SELECT c1597, c1598, count(*), sum(c1600), min(c4) FROM types_columns_most WHERE c1595 > 290 OR c1 < 10 GROUP BY c1597, c1598 ORDER BY c1597, c1598;
SELECT c1, c2, c3, c4, c5, c1595, c1596, c1597, c1598, c1599, c1600 FROM types_columns_most WHERE c1597 = 'A' AND c800 > 20 OR c1600 = 4 ORDER BY c1, c1600;
SELECT count(*) FROM types_columns_most WHERE c1 IS NULL AND c1600 IS NULL AND c800 IS NULL AND c801 IS NULL AND c802 IS NULL AND c804 IS NULL;
SELECT count(*) FROM types_columns_most m WHERE c1 IS NOT NULL OR c1599 IS NOT NULL;
SELECT md5(string_agg(m::text, '|' ORDER BY c1, c5, c1600)) FROM types_columns_most m WHERE c5 % 2 = 0 AND c4 IS NOT NULL;
-- other types as output; the filter is on columns that the device knows
SET gpudb.debug_require = allow;
CREATE TYPE types_columns_pair AS (a int, b text);
CREATE TABLE types_columns_other (j jsonb, id int NOT NULL, a int[], p point, n inet, t text, b bytea, m money, r int4range, bi varbit, x xml, c types_columns_pair, e float8, v tsvector, js json, box box, l pg_lsn, mac macaddr, late int8);
INSERT INTO types_columns_other
SELECT CASE WHEN i % 7 > 0 THEN jsonb_build_object('k', i, 'pad', repeat('j', CASE WHEN i % 500 = 0 THEN 9000 ELSE i % 50 END)) END, i, CASE WHEN i % 5 > 0 THEN ARRAY[i, NULL, i * 2] END, CASE WHEN i % 3 > 0 THEN point(i, -i) END,
	CASE WHEN i % 4 > 0 THEN ('10.0.' || i % 256 || '.1/24')::inet END, nullif('t' || i % 30, 't7'), CASE WHEN i % 6 > 0 THEN decode(repeat(md5(i::text), 1 + i % 3), 'hex') END, CASE WHEN i % 8 > 0 THEN (i / 4.0)::numeric::money END,
	CASE WHEN i % 9 > 0 THEN int4range(i, i + i % 3) END, nullif(B'1011', B'1011'), CASE WHEN i % 10 > 0 THEN '<a/>'::xml END, CASE WHEN i % 11 > 0 THEN row(i, 'b' || i)::types_columns_pair END, nullif(i % 20, 3) / 4.0,
	to_tsvector('simple', 'word' || i), json_build_array(i), box(point(0, 0), point(i, i)), '0/0'::pg_lsn + i, '08:00:2b:01:02:03', nullif(i * 3::int8, 9)
FROM generate_series(1, 6000) i;
ANALYZE types_columns_other;
SET gpudb.debug_require = require;
SELECT j, a, p, n, t, b, m, r, bi, x, c, v, js, box, l, mac FROM types_columns_other WHERE id IN (6, 35, 360, 1980) ORDER BY id;
SELECT * FROM types_columns_other WHERE late = 777 OR t = 't5' AND e > 4.5 AND id < 200 ORDER BY id;
SELECT id, j ->> 'k' AS k, a[3] AS a3, p[0] AS x, host(n) AS h, m * 2 AS m2, (c).b AS cb, length(j ->> 'pad') AS pad FROM types_columns_other WHERE late % 1500 = 0 ORDER BY id;
SELECT count(*), sum(late), count(DISTINCT 1) FILTER (WHERE false) FROM (SELECT late, j, a FROM types_columns_other WHERE id > 3000 OFFSET 0) s;
SELECT count(j), count(a), count(p), count(n), count(b), sum(m), max(m), max(n) FROM (SELECT * FROM types_columns_other WHERE late > 300 OFFSET 0) s;
SELECT o.id, o.c, o FROM types_columns_other o WHERE id = 11 OR id = 12 ORDER BY id;
CREATE TABLE types_columns_copy AS SELECT * FROM types_columns_other WHERE late > 9000 AND t IS NOT NULL;
SELECT count(*), sum(id) FROM types_columns_copy;
SET gpudb.debug_require = allow;
SELECT count(*), count(DISTINCT j), count(DISTINCT a), count(DISTINCT b) FROM types_columns_copy;
(SELECT j, a, b, m, id FROM types_columns_copy) EXCEPT (SELECT j, a, b, m, id FROM types_columns_other);
-- filters on such columns are PostgreSQL's; gpudb takes the rest of the query or nothing
SELECT id, late FROM types_columns_other WHERE j @> '{"k": 5}' OR a @> ARRAY[14] OR n <<= '10.0.3.0/24' AND id < 300 OR b = '\x00' OR m = '$3.25' ORDER BY id;
SELECT id FROM types_columns_other WHERE late < 300 AND m > '$20' ORDER BY id;
SELECT m, count(*), max(id) FROM types_columns_other WHERE id < 20 GROUP BY m ORDER BY m;
SELECT n, a, count(*), sum(late) FROM types_columns_other WHERE id < 6 GROUP BY n, a ORDER BY a;
SELECT count(*) FROM types_columns_other WHERE j IS NULL AND a IS NOT NULL;
DROP TABLE types_columns_none, types_columns_dropped, types_columns_most, types_columns_other, types_columns_copy;
DROP TYPE types_columns_pair;
