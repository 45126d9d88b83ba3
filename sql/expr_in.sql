-- IN, = ANY, <> ALL and their kin over constant arrays.
CREATE TABLE expr_in (id int NOT NULL, i2 int2, i4 int4, i8 int8, f8 float8, n numeric(8,2), u numeric, d date, b bool, t text);
INSERT INTO expr_in
SELECT i, nullif(i % 100, 50), nullif(i % 1000, 500), nullif(i % 77, 33), nullif(i % 40, 20) / 4.0, nullif(i % 60, 30) / 4.0, round(i % 80 / 8.0, i % 4),
	date '2024-01-01' + nullif(i % 30, 9), nullif(i % 3, 2) = 0, 'name ' || i % 50
FROM generate_series(1, 20000) i;
ANALYZE expr_in;

SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM expr_in WHERE %s', condition)
FROM unnest(ARRAY[
	'i2 IN (7)', 'i2 IN (7, 9)', 'i2 IN (1, 2, 3, 98, 99, 100)', 'i2 IN (1, 70000, 3000000000)', 'i2 NOT IN (1, 2, 3)',
	'i4 IN (1, 2, 3, 4, 5, 999, 1000, -1)', 'i4 IN (5, 5, 5, 5)', 'i4 IN (1, 2, NULL)', 'i4 NOT IN (1, 2, NULL)', 'i4 NOT IN (1, 2, 3, 4)', 'i4 IN (1, i8)', 'i4 IN (i2, i8)',
	'i4 = ANY (''{1,2,3}'')', 'i4 = ANY (''{1,2,3,NULL}'')', 'i4 = ANY (''{}''::int[])', 'i4 = ANY (NULL::int[])', 'i4 = ANY (''{NULL}''::int[])', 'i4 <> ALL (''{1,2,3}'')', 'i4 <> ALL (''{1,NULL}'')', 'i4 <> ALL (''{}''::int[])',
	'i4 <> ANY (''{1,2}'')', 'i4 <> ANY (''{1}'')', 'i4 = ALL (''{1,1}'')', 'i4 = ALL (''{}''::int[])', 'i4 < ANY (''{1,5}'')', 'i4 > ALL (''{990,995}'')', 'i4 >= ALL (''{990,NULL}'')', 'i4 = ANY (''{{1,2},{3,4}}''::int[])',
	'i4 = ANY (''{1,2,3000000000}''::int8[])', 'i8 = ANY (''{1,2,3}''::int4[])', 'i8 IN (1, 2, 9223372036854775807)', 'i8 IN (-9223372036854775808, 0, 76)',
	'f8 IN (0.25, 0.5, 7.75)', 'f8 IN (0, ''NaN'', 1)', 'f8 NOT IN (0.25, 0.5, 0.75)',
	'n IN (0.25, 0.5, 7.75)', 'n IN (1, 2.000, 3.0)', 'n NOT IN (0.25, 0.50, 0.750)', 'n IN (1, NULL, 2)', 'u IN (0.25, 0.5, 7.75)', 'u = ANY (''{1,1.0,1.00,2.5}'')',
	'd IN (''2024-01-01'', ''2024-01-03'')', 'd IN (''2024-01-01'', ''2024-01-03'', ''2024-01-30'', ''infinity'')', 'd NOT IN (''2024-01-01'', ''2024-01-03'', ''2024-01-30'')', 'd = ANY (''{2024-01-05,2024-01-06,2024-01-07}'')',
	'b IN (true, false)', 'b IN (true)', 'b NOT IN (true, true)',
	't IN (''name 1'', ''name 2'')', 't IN (''name 1'', ''name 2'', ''name 3'', ''nobody'')', 't NOT IN (''name 1'', ''name 2'', ''name 3'')',
	'NOT (i4 IN (1, 2, 3) OR t IN (''name 7'', ''name 8'', ''name 9''))', '(i4 IN (1, 2, NULL)) IS NULL', '(i4 NOT IN (1, 2, NULL)) IS NOT TRUE'
]) condition
\gexec
-- long lists
SELECT format('SELECT count(*), sum(id) FROM expr_in WHERE i4 IN (%s)', string_agg((i * 3)::text, ', ')) FROM generate_series(1, 200) i \gset
:format;
SELECT count(*), sum(id) FROM expr_in WHERE i4 = ANY ((SELECT array_agg(i) FROM generate_series(1, 900, 2) i)::int[]);
SELECT format('SELECT count(*), sum(id) FROM expr_in WHERE t NOT IN (%s)', string_agg(quote_literal('name ' || i), ', ')) FROM generate_series(1, 40) i \gset
:format;
\pset format aligned
\pset tuples_only off
SELECT i4 IN (1, 2, 3) AS r, count(*) FROM expr_in GROUP BY 1 ORDER BY 1;
SELECT i4 NOT IN (1, 2, 3, NULL) AS r, count(*) FROM expr_in GROUP BY 1 ORDER BY 1;
SELECT sum(CASE WHEN i4 IN (1, 2, 3) THEN 1 ELSE 0 END), count(*) FILTER (WHERE t IN ('name 1', 'name 2', 'name 3')) FROM expr_in;
-- the constant after a list is none of its elements
SELECT count(*), sum(i4 * 9), sum(i8 + 500) FROM expr_in WHERE i4 IN (1, 2, 4);
SELECT count(*) FROM expr_in WHERE i4 IN (1, 2, 4) OR i4 = 17;
SELECT count(*), sum(n * 77.0) FROM expr_in WHERE i8 IN (1, 2, 4);
SELECT id, i4, i8 FROM expr_in WHERE i4 IN (3, 5, 7) AND i8 IN (1, 2, 3, 4) ORDER BY id;
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_in WHERE i4 = ANY (ARRAY[i2::int, i8::int]);
SELECT count(*) FROM expr_in WHERE (i4, i8) IN ((1, 1), (2, 2));
DROP TABLE expr_in;
