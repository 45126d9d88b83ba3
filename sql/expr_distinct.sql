-- IS [NOT] DISTINCT FROM, boolean tests, NULLIF, GREATEST and LEAST.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TABLE expr_distinct (id int NOT NULL, k int, a int, b int, a2 int2, b8 int8, n numeric, m numeric(8,2), f float8, g float4, t text COLLATE "C", v varchar(3) COLLATE "C", c char(3), c1 char(1), x bool, y bool, d date, ts timestamp, tz timestamptz, u uuid);
INSERT INTO expr_distinct
SELECT i, i % 4, nullif(i % 7, 3), nullif(i % 5, 2), nullif(i % 6, 5), nullif(i % 8, 0), nullif((ARRAY['1.0', '1.00', '2', '2.5', '1', '0.000', '-0.0'])[i % 7 + 1]::numeric, 2.5), nullif(i % 6, 4) / 2.0,
	(ARRAY['NaN', 'Infinity', '-Infinity', '0', '-0', '1.5', NULL])[i % 7 + 1]::float8, (ARRAY['NaN', '1.5', '0', NULL, '-1'])[i % 5 + 1]::float4,
	nullif((ARRAY['', 'a', 'ab', 'b', 'n'])[i % 5 + 1], 'n'), nullif((ARRAY['', 'a', 'ab', 'b', 'n'])[i % 4 + 1], 'b'), nullif((ARRAY['', 'a', 'a ', 'b'])[i % 4 + 1], 'b'), nullif(chr(97 + i % 3), 'c'),
	nullif(i % 3, 2) = 0, nullif(i % 4, 3) > 0, date '2024-01-01' + nullif(i % 4, 1), timestamp '2024-01-01' + nullif(i % 5, 1) * interval '1 day', timestamptz '2024-01-02' + nullif(i % 3, 1) * interval '12 hours', ('00000000-0000-0000-0000-00000000000' || nullif(i % 4, 1))::uuid
FROM generate_series(1, 8400) i;
INSERT INTO expr_distinct (id, k) VALUES (8401, 9), (8402, 9);
INSERT INTO expr_distinct (id, k, a, b, a2, b8, d, ts) VALUES (8403, 10, 2147483647, -2147483648, -32768, -9223372036854775808, 'infinity', '-infinity'), (8404, 10, -2147483648, 2147483647, 32767, 9223372036854775807, '-infinity', 'infinity');
CREATE TABLE expr_distinct_empty (LIKE expr_distinct);
ANALYZE expr_distinct, expr_distinct_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM expr_distinct WHERE %s', condition)
FROM unnest(ARRAY[
	$$a IS DISTINCT FROM b$$, $$a IS NOT DISTINCT FROM b$$, $$a IS DISTINCT FROM 4$$, $$a IS NOT DISTINCT FROM 4$$, $$a IS DISTINCT FROM NULL$$, $$a IS NOT DISTINCT FROM NULL$$, $$a2 IS DISTINCT FROM b8$$, $$a2 IS NOT DISTINCT FROM b$$, $$NOT a IS DISTINCT FROM b8$$, $$NULL IS DISTINCT FROM b$$,
	$$n IS DISTINCT FROM m$$, $$n IS NOT DISTINCT FROM m$$, $$n IS DISTINCT FROM 1.000$$, $$n IS NOT DISTINCT FROM 0$$, $$f IS DISTINCT FROM g$$, $$f IS NOT DISTINCT FROM g$$, $$f IS NOT DISTINCT FROM 'NaN'$$, $$f IS NOT DISTINCT FROM 0$$, $$g IS DISTINCT FROM 1.5$$, $$f IS DISTINCT FROM '-0'$$,
	$$t IS DISTINCT FROM 'a'$$, $$t IS NOT DISTINCT FROM ''$$, $$t IS NOT DISTINCT FROM NULL$$, $$v IS DISTINCT FROM 'ab'$$, $$t IS NOT DISTINCT FROM 'n'$$, $$c IS DISTINCT FROM 'a'$$, $$c IS NOT DISTINCT FROM 'a  '$$, $$c1 IS DISTINCT FROM 'b'$$, $$t IS DISTINCT FROM v$$,
	$$x IS DISTINCT FROM y$$, $$x IS NOT DISTINCT FROM y$$, $$x IS DISTINCT FROM true$$, $$x IS NOT DISTINCT FROM (a > b)$$, $$d IS DISTINCT FROM '2024-01-03'$$, $$d IS NOT DISTINCT FROM 'infinity'$$, $$d IS NOT DISTINCT FROM ts$$, $$ts IS DISTINCT FROM d$$, $$tz IS NOT DISTINCT FROM '2024-01-02'$$, $$u IS DISTINCT FROM '00000000-0000-0000-0000-000000000002'$$,
	$$(a + b8) IS DISTINCT FROM (a * b8) AND k < 9$$, $$(a IS DISTINCT FROM b) = x$$, $$a IS DISTINCT FROM b AND n IS NOT DISTINCT FROM m OR x IS NOT DISTINCT FROM NULL$$,
	$$x IS TRUE$$, $$x IS NOT TRUE$$, $$x IS FALSE$$, $$x IS NOT FALSE$$, $$x IS UNKNOWN$$, $$x IS NOT UNKNOWN$$, $$(a > b) IS TRUE$$, $$(a > b) IS NOT TRUE$$, $$(a > b) IS FALSE$$, $$(a > b) IS NOT FALSE$$, $$(a > b) IS UNKNOWN$$, $$(a > b) IS NOT UNKNOWN$$, $$NOT (x IS TRUE)$$, $$(x AND y) IS UNKNOWN$$, $$(x OR y) IS NOT TRUE$$, $$((x IS TRUE) = y) IS FALSE$$, $$(t LIKE 'a%') IS NOT FALSE$$, $$(a IN (1, NULL)) IS UNKNOWN$$, $$(n > m) IS UNKNOWN$$, $$(x IS NULL) IS TRUE$$,
	$$NULLIF(a, b) = 1$$, $$NULLIF(a, 4) IS NULL$$, $$NULLIF(a, b) IS NULL$$, $$NULLIF(n, m) IS NULL$$, $$NULLIF(t, 'a') = 'ab'$$, $$NULLIF(t, 'a') IS NULL$$, $$NULLIF(f, 'NaN') > 1$$, $$NULLIF(f, 0) IS NULL$$, $$NULLIF(x, y)$$, $$NULLIF(x, true) IS NULL$$, $$NULLIF(d, '2024-01-01') > '2024-01-01'$$, $$NULLIF(ts, d) IS NULL$$, $$NULLIF(c, 'a') IS NULL$$, $$NULLIF(a2, b8) = 1$$, $$10 / NULLIF(a, 0) > 3$$, $$NULLIF(1, a) IS NULL$$, $$NULLIF(a, NULL) = 1$$,
	$$GREATEST(a, b) = 4$$, $$LEAST(a, b) = 0$$, $$GREATEST(a, b, 5) > 5$$, $$GREATEST(a, NULL, b) IS NULL$$, $$GREATEST(a, b8) = 6$$, $$LEAST(a2, b8) = 0$$, $$LEAST(n, m) = 1$$, $$GREATEST(n, m) > 2$$, $$GREATEST(f, g::float8) = 'NaN'$$, $$LEAST(f, g::float8) = '-Infinity'$$, $$LEAST(f, 3) = 3$$, $$GREATEST(t, 'aa') = 'aa'$$, $$LEAST(t, 'aa') = ''$$, $$GREATEST(c, 'a') = 'a'$$, $$GREATEST(x, y)$$, $$LEAST(x, y)$$, $$GREATEST(d, '2024-01-03') = '2024-01-03'$$, $$LEAST(ts, '2024-01-03') < '2024-01-02'$$, $$GREATEST(u, '00000000-0000-0000-0000-000000000001') = '00000000-0000-0000-0000-000000000001'$$, $$LEAST(LEAST(a, b), GREATEST(a2, k)) = 0$$, $$GREATEST(a, k, a2, b) = LEAST(6, b8, 9)$$
]) condition
\gexec
\pset null '(null)'
-- the values themselves: one row a group
SELECT format('SELECT id, %s FROM expr_distinct WHERE (id BETWEEN 700 AND 740 OR id >= 8401) AND (f <> 0) IS NOT FALSE GROUP BY id ORDER BY id', columns)
FROM unnest(ARRAY[
	'min(NULLIF(n, m)), min(NULLIF(m, n)), max(NULLIF(a, b)), min(NULLIF(f, g)), max(NULLIF(d, ts::date)), max(NULLIF(t, v::text))',
	'min(GREATEST(n, m)), min(GREATEST(m, n)), min(LEAST(n, m)), min(LEAST(m, n)), min(GREATEST(n, 1.000, m)), min(LEAST(1.000, m, n))',
	'max(GREATEST(a, b)), max(LEAST(a, b)), max(GREATEST(a2, b8)), max(LEAST(b8, a2)), max(GREATEST(b, NULL, a)), max(LEAST(a, b, a2, b8, k))',
	'max(GREATEST(f, g)), max(LEAST(f, g)), max(GREATEST(t, ''aa'')), max(LEAST(''aa'', t)), bool_and(GREATEST(x, y)), bool_or(LEAST(x, y))',
	'max(GREATEST(d, ''2024-01-03'')), max(LEAST(ts, ''2024-01-02'')), max(GREATEST(tz, ''2024-01-02 06:00'')), max(LEAST(ts, d))'
]) columns
\gexec
\pset format aligned
\pset tuples_only off
-- as keys and in sums
SELECT GREATEST(a, b) AS r, count(*) FROM expr_distinct GROUP BY 1 ORDER BY 1;
SELECT LEAST(t, 'aa') AS r, NULLIF(x, y) AS s, count(*) FROM expr_distinct GROUP BY 1, 2 ORDER BY 1, 2;
SELECT a IS DISTINCT FROM b AS r, x IS NOT TRUE AS s, (a > b) IS UNKNOWN AS u, count(*) FROM expr_distinct GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT NULLIF(c1, 'a') AS r, NULLIF(v, 'ab') AS s, count(*) FROM expr_distinct GROUP BY 1, 2 ORDER BY 1, 2;
SELECT sum(GREATEST(a, b)), sum(LEAST(n, m)), avg(NULLIF(m, 0)), sum(CASE WHEN a IS DISTINCT FROM b THEN 1 END), count(*) FILTER (WHERE x IS NOT FALSE), count(NULLIF(a, 1)) FROM expr_distinct WHERE k < 9;
SELECT sum(GREATEST(a, b)), count(*) FILTER (WHERE x IS UNKNOWN) FROM expr_distinct_empty WHERE a IS DISTINCT FROM b;
SELECT NULLIF(a, b), count(*) FROM expr_distinct_empty GROUP BY 1;
-- every argument of GREATEST and LEAST is evaluated, the second of NULLIF too; errors are PostgreSQL's
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_distinct WHERE GREATEST(a, 10 / (b - 1)) > 0;
SELECT count(*) FROM expr_distinct WHERE NULLIF(a, 10 / (b - 1)) > 0;
SELECT count(*) FROM expr_distinct WHERE a IS DISTINCT FROM b + 1;
SELECT count(*) FROM expr_distinct WHERE CASE WHEN b <> 1 THEN GREATEST(a, 10 / (b - 1)) > 0 END AND k < 9;
-- rows and other types are PostgreSQL's
SELECT count(*) FROM expr_distinct WHERE (a, b) IS DISTINCT FROM (b, a);
SELECT LEAST(n, m) AS r, count(*) FROM expr_distinct WHERE n < 2 GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM expr_distinct WHERE GREATEST(c, c1) = 'a';
SELECT count(*) FROM expr_distinct WHERE GREATEST(v, c1::varchar) = 'a' OR LEAST(v, t) = 'ab';
DROP TABLE expr_distinct, expr_distinct_empty;
