-- gpudb.median(), gpudb.exact_sum() and gpudb.exact_avg(): types, NULLs, empty input, infinities and NaN, windows, DISTINCT, FILTER and
-- errors, by PostgreSQL's executor and by nodes.
\set ON_ERROR_STOP on
CREATE SCHEMA gpudb_tap_aggregates;
SET search_path = gpudb_tap_aggregates, public;
CREATE TABLE samples (id int NOT NULL, g int NOT NULL, i2 int2, i4 int4, i8 int8, n numeric(10,2), f4 float4, f8 float8, d date, ts timestamp, iv interval, t text, c char(3), u uuid, b bool);
INSERT INTO samples SELECT i, i % 7, nullif(i * 31 % 601, 5) - 300, i * 41 % 9001 - 4500, i * 47000003::int8 % 900000000001, nullif(i, 8) / 8.0, (i * 17 % 4001 - 2000) / 8.0,
	((i * 104729::int8 % 1000003) - 500000) / 1000.0, date '2000-01-01' + i % 400, timestamp '1999-12-31' + i * interval '1 hour', i * interval '1 minute', 'text ' || i % 50, 'c' || i % 30,
	md5(i::text)::uuid, i % 3 = 0 FROM generate_series(1, 2000) i;
VACUUM ANALYZE samples;

BEGIN;
SELECT plan(149);

-- The error that a query raises, or its answer.
CREATE FUNCTION pg_temp.answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE query INTO answer;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

-- gpudb.median(): types
SELECT is(pg_typeof(gpudb.median(i2))::text, 'double precision', 'median(smallint) is a double precision') FROM samples;
SELECT is(pg_typeof(gpudb.median(i4))::text, 'double precision', 'median(integer)') FROM samples;
SELECT is(pg_typeof(gpudb.median(i8))::text, 'double precision', 'median(bigint)') FROM samples;
SELECT is(pg_typeof(gpudb.median(n))::text, 'double precision', 'median(numeric)') FROM samples;
SELECT is(pg_typeof(gpudb.median(f4))::text, 'double precision', 'median(real)') FROM samples;
SELECT is(pg_typeof(gpudb.median(f8))::text, 'double precision', 'median(double precision)') FROM samples;
SELECT is(pg_typeof(gpudb.median(d))::text, 'date', 'median(date) is a date') FROM samples;
SELECT is(pg_typeof(gpudb.median(ts))::text, 'timestamp without time zone', 'median(timestamp) is a timestamp') FROM samples;
SELECT is(pg_typeof(gpudb.median(iv))::text, 'interval', 'median(interval) is an interval') FROM samples;
SELECT is(pg_typeof(gpudb.median(t))::text, 'text', 'median(text) is a text') FROM samples;
SELECT is(pg_typeof(gpudb.median(c))::text, 'character', 'median(char) is a char') FROM samples;
SELECT is(pg_typeof(gpudb.median(u))::text, 'uuid', 'median(uuid) is a uuid') FROM samples;
SELECT is(pg_typeof(gpudb.median(b))::text, 'boolean', 'median(boolean) is a boolean') FROM samples;

-- gpudb.median(): values, as percentile_cont(0.5) or percentile_disc(0.5) has them, with nodes and without
CREATE TEMP TABLE switch (state text, enabled text, force text);
INSERT INTO switch VALUES ('with nodes', 'on', 'on'), ('without nodes', 'off', 'off');
SELECT is(pg_temp.answer(format('SELECT gpudb.median(%s) FROM samples', argument)),
	pg_temp.answer(format('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (%s)::float8) FROM samples', argument)), format('median(%s), %s', argument, state))
FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f, unnest('{i2,i4,i8,n,f4,f8,"i4 + i2"}'::text[]) argument;
SELECT is(pg_temp.answer(format('SELECT gpudb.median(%s) FROM samples', argument)),
	pg_temp.answer(format('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY %s) FROM samples', argument)), format('median(%s), %s', argument, state))
FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f, unnest('{d,ts,iv,t,c,u,b}'::text[]) argument;
SELECT is(pg_temp.answer('SELECT array_agg(m ORDER BY g) FROM (SELECT g, gpudb.median(f8) AS m FROM samples GROUP BY g) q'),
	pg_temp.answer('SELECT array_agg(m ORDER BY g) FROM (SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) AS m FROM samples GROUP BY g) q'), 'median in groups, ' || state)
FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f;
SELECT is(pg_temp.answer('SELECT gpudb.median(f8) FILTER (WHERE b) FROM samples'), pg_temp.answer('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) FROM samples WHERE b'),
	'median with FILTER, ' || state) FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f;
SELECT is(pg_temp.answer('SELECT gpudb.median(i4) FROM samples WHERE id < 0'), NULL, 'median of no rows is NULL, ' || state)
FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f;
SELECT is(pg_temp.answer('SELECT gpudb.median(d) FROM samples WHERE id < 0'), NULL, 'median of no dates is NULL, ' || state)
FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f;
SELECT set_config('gpudb.enabled', 'on', true), set_config('gpudb.force', 'off', true) \g /dev/null
SELECT is(gpudb.median(x), answer, format('median of %s', x_all))
FROM (VALUES (1, '{1}'::float8[], 1::float8), (2, '{1,2}', 1.5), (3, '{3,1,2}', 2), (4, '{4,1,3,2}', 2.5), (5, '{NULL,7,NULL}', 7), (6, '{NULL,NULL}', NULL), (7, '{1,NULL,2}', 1.5),
	(8, '{1,NaN}', 'NaN'), (9, '{1,2,NaN}', 2), (10, '{-Infinity,5,Infinity}', 5), (11, '{1,Infinity}', 'Infinity'), (12, '{-Infinity,-Infinity,1}', '-Infinity'),
	(13, '{-Infinity,Infinity}', 'NaN'), (14, '{1e308,1.5e308}', 1.25e308), (15, '{5,5,5,5}', 5), (16, '{4.9e-324,4.9e-324}', 4.9e-324)) v (n, x_all, answer), LATERAL unnest(x_all) x
GROUP BY n, x_all, answer ORDER BY n;
SELECT is(gpudb.median(x), 'b', 'the median of an even number of texts is the first of the middle ones') FROM unnest('{d,b,a,c}'::text[]) x;
SELECT is(gpudb.median(x), NULL, 'the median of NULLs alone is NULL') FROM unnest('{NULL,NULL}'::date[]) x;
SELECT is(gpudb.median(x), '2020-01-02', 'NULLs do not count for the median') FROM unnest('{2020-01-03,NULL,2020-01-02,2020-01-01}'::date[]) x;
SELECT is(gpudb.median(DISTINCT x), 3::float8, 'the median of distinct values') FROM unnest('{1,1,1,3,5}'::int[]) x;
SELECT is(gpudb.median(x ORDER BY x DESC), 2::float8, 'an order does not change the median') FROM unnest('{1,2,3}'::int[]) x;
SELECT is(gpudb.median(x), 2::float8, 'the median of a subquery''s rows') FROM (SELECT generate_series(1, 3) AS x) q;
SELECT is(gpudb.median(x COLLATE "C"), 'a', 'the median of texts in the order of their collation') FROM unnest('{B,a,b}'::text[]) x;

-- gpudb.median() over a window
SELECT results_eq($$SELECT gpudb.median(x) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM unnest('{1,2,4,8,NULL}'::int[]) WITH ORDINALITY v (x, n)$$,
	ARRAY[1.5, 2, 4, 6, 8]::float8[], 'median() over a frame by rows');
SELECT results_eq($$SELECT gpudb.median(x) OVER (ORDER BY n) FROM unnest('{c,a,b}'::text[]) WITH ORDINALITY v (x, n)$$, ARRAY['c', 'a', 'b'], 'median() of texts over a frame that grows');
SELECT is_empty($$SELECT FROM (SELECT g, f8, gpudb.median(f8) OVER (PARTITION BY g) AS m FROM samples) w
	JOIN (SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) AS m FROM samples GROUP BY g) p USING (g) WHERE w.m IS DISTINCT FROM p.m$$, 'median() over partitions');
SELECT results_eq($$SELECT gpudb.median(x) FILTER (WHERE x > 1) OVER () FROM unnest('{1,2,3}'::int[]) x$$, ARRAY[2.5, 2.5, 2.5]::float8[], 'median() with FILTER, over a window');
SELECT results_eq($$SELECT gpudb.median(x) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND 2 PRECEDING) FROM unnest('{1,2,3}'::int[]) WITH ORDINALITY v (x, n)$$,
	ARRAY[NULL, NULL, 1]::float8[], 'median() of an empty frame is NULL');

-- gpudb.median(): errors
SELECT throws_ok(format('SELECT gpudb.median(x) FROM (VALUES (%s)) v (x)', literal), '42883', NULL, format('median(): %s has no order', literal))
FROM unnest(ARRAY['point ''(1,2)''', 'json ''{}''', 'xid ''1''']) literal;
SELECT throws_ok($$SELECT gpudb.median(x) OVER () FROM (VALUES (point '(1,2)')) v (x)$$, '42883', NULL, 'median(): nor over a window');
SELECT throws_ok($$SELECT gpudb.median(ARRAY[1, 2])$$, '42883', NULL, 'median(): arrays are none of its types');
SELECT throws_ok($$SELECT gpudb.median('7')$$, '42725', NULL, 'median(): a literal without a type may be a number or a text');
SELECT throws_ok($$SELECT gpudb.median(1, 2)$$, '42883', NULL, 'median(): one argument');
SELECT throws_ok($$SELECT gpudb.median(*)$$, '42883', NULL, 'median(): not of all columns');
SELECT throws_ok($$SELECT gpudb.median('x'::text::float8)$$, '22P02', NULL, 'median(): errors of its argument');
SELECT throws_ok($$SELECT gpudb.median(gpudb.median(1))$$, '42803', NULL, 'median(): not of itself');
SELECT throws_ok($$SELECT gpudb.median(1e400::numeric)$$, '22003', NULL, 'median(): a numeric beyond double precision');

-- gpudb.exact_sum() and gpudb.exact_avg(): types
SELECT is(format('%s %s %s %s', pg_typeof(gpudb.exact_sum(f8)), pg_typeof(gpudb.exact_sum(f4)), pg_typeof(gpudb.exact_avg(f8)), pg_typeof(gpudb.exact_avg(f4))),
	'double precision real double precision double precision', 'types of exact sums and averages') FROM samples;
SELECT is(format('%s %s', pg_typeof(gpudb.exact_sum(i4)), gpudb.exact_sum(i4)), format('double precision %s', sum(i4)), 'exact_sum() converts integers') FROM samples;
SELECT is(format('%s %s', pg_typeof(gpudb.exact_avg(n)), gpudb.exact_avg(n)), format('double precision %s', avg(n)::float8), 'exact_avg() converts numerics') FROM samples;

-- Values: computed exactly, and rounded once
SELECT is(gpudb.exact_sum(x), answer, format('exact_sum of %s', x_all))
FROM (VALUES (1, '{1e16,1,-1e16}'::float8[], 1::float8), (2, '{0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1}', 1), (3, '{NULL,2.5,NULL}', 2.5), (4, '{NULL}', NULL), (5, '{Infinity,1}', 'Infinity'),
	(6, '{-Infinity,-Infinity,1e308}', '-Infinity'), (7, '{Infinity,-Infinity}', 'NaN'), (8, '{NaN,1}', 'NaN'), (9, '{NaN,Infinity}', 'NaN'), (10, '{1e308,1e308,-1e308}', 1e308),
	(11, '{4.9e-324,4.9e-324}', 1e-323), (12, '{1.7976931348623157e308,-1.7976931348623157e308}', 0), (13, '{9007199254740992,1,1}', 9007199254740994), (14, '{0,0}', 0)) v (n, x_all, answer),
	LATERAL unnest(x_all) x GROUP BY n, x_all, answer ORDER BY n;
SELECT is(gpudb.exact_avg(x), answer, format('exact_avg of %s', x_all))
FROM (VALUES (1, '{1e16,2,-1e16,0}'::float8[], 0.5::float8), (2, '{1,2}', 1.5), (3, '{NULL,2.5,NULL,3.5}', 3), (4, '{NULL}', NULL), (5, '{Infinity,1}', 'Infinity'), (6, '{Infinity,-Infinity}', 'NaN'),
	(7, '{NaN,1}', 'NaN'), (8, '{1.7976931348623157e308,1.7976931348623157e308}', 1.7976931348623157e308), (9, '{4.9e-324,4.9e-324}', 4.9e-324), (10, '{0.1,0.1,0.1}', 0.1)) v (n, x_all, answer),
	LATERAL unnest(x_all) x GROUP BY n, x_all, answer ORDER BY n;
SELECT is(gpudb.exact_sum(x), answer, format('exact_sum of real %s', x_all))
FROM (VALUES (1, '{16777216,1,1}'::float4[], 16777218::float4), (2, '{3e38,3e38,-3e38}', 3e38), (3, '{Infinity,1}', 'Infinity'), (4, '{NaN}', 'NaN'), (5, '{NULL}', NULL)) v (n, x_all, answer),
	LATERAL unnest(x_all) x GROUP BY n, x_all, answer ORDER BY n;
SELECT is(gpudb.exact_avg(x), (3e38::float4)::float8, 'exact_avg of real does not overflow') FROM unnest('{3e38,3e38}'::float4[]) x;
SELECT is(gpudb.exact_sum(x), NULL, 'exact_sum of no rows: NULL') FROM unnest('{}'::float8[]) x;
SELECT is(gpudb.exact_avg(x), NULL, 'exact_avg of no rows: NULL') FROM unnest('{}'::float4[]) x;
SELECT is(gpudb.exact_sum(DISTINCT x), 3::float8, 'the exact sum of distinct values') FROM unnest('{1,2,2,1}'::float8[]) x;
SELECT is(gpudb.exact_sum(x) FILTER (WHERE x > 1), 5::float8, 'the exact sum with FILTER') FROM unnest('{1,2,3}'::float8[]) x;
SELECT results_eq($$SELECT gpudb.exact_sum(x) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM unnest('{1e16,1,-1e16,2}'::float8[]) WITH ORDINALITY v (x, n)$$,
	ARRAY[1e16, 1e16 + 1, -1e16 + 1, -1e16 + 2]::float8[], 'exact_sum over a window');
SELECT results_eq($$SELECT gpudb.exact_avg(x) OVER (ORDER BY n) FROM unnest('{1,2,6}'::float8[]) WITH ORDINALITY v (x, n)$$, ARRAY[1, 1.5, 3]::float8[], 'exact_avg over a window');

-- The answer is the same whatever the order, the plan, and the device
CREATE TEMP TABLE answers AS
	SELECT pg_temp.answer(format('SELECT concat_ws('' '', float8send(gpudb.exact_sum(f8)), float4send(gpudb.exact_sum(f4)), float8send(gpudb.exact_avg(f8)), float8send(gpudb.exact_avg(f4))) FROM (SELECT * FROM samples ORDER BY %s LIMIT ALL OFFSET 0) s', rows)) AS answer
	FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f, unnest('{id,id DESC,f8,f4 DESC,u}'::text[]) rows
	UNION ALL
	SELECT pg_temp.answer('SELECT concat_ws('' '', float8send(gpudb.exact_sum(f8)), float4send(gpudb.exact_sum(f4)), float8send(gpudb.exact_avg(f8)), float8send(gpudb.exact_avg(f4))) FROM samples')
	FROM switch, set_config('gpudb.enabled', enabled, true) e, set_config('gpudb.force', force, true) f;
SELECT set_config('gpudb.enabled', 'on', true), set_config('gpudb.force', 'off', true) \g /dev/null
SELECT is(count(*) || ' ' || count(DISTINCT answer), '12 1', 'twelve ways to compute exact sums have one answer') FROM answers;
SET LOCAL gpudb.exact_float_sums = on;
SELECT is((SELECT concat_ws(' ', float8send(sum(f8)), float4send(sum(f4)), float8send(avg(f8)), float8send(avg(f4))) FROM samples), min(answer),
	'sum() and avg() have the same answer with gpudb.exact_float_sums') FROM answers;
SELECT is(sum(x), 1::float8, 'gpudb.exact_float_sums makes sum() exact') FROM unnest('{1e16,1,-1e16}'::float8[]) x;
SELECT is(pg_typeof(sum(x))::text || ' ' || pg_typeof(avg(x))::text, 'real double precision', 'gpudb.exact_float_sums does not change the types of sum() and avg()') FROM unnest('{1}'::float4[]) x;
SELECT is(sum(x), 3::numeric, 'gpudb.exact_float_sums leaves sum() of numerics alone') FROM unnest('{1,2}'::numeric[]) x;
SET LOCAL gpudb.exact_float_sums = off;
SELECT is(sum(x), 0::float8, 'without gpudb.exact_float_sums PostgreSQL rounds after each value') FROM unnest('{1e16,1,-1e16}'::float8[]) x;

-- Errors
SELECT throws_ok($$SELECT gpudb.exact_sum(x) FROM unnest('{1.7e308,1.7e308}'::float8[]) x$$, '22003', NULL, 'exact_sum(): out of range');
SELECT throws_ok($$SELECT gpudb.exact_sum(x) FROM unnest('{-1.7e308,-1.7e308}'::float8[]) x$$, '22003', NULL, 'exact_sum(): also below');
SELECT throws_ok($$SELECT gpudb.exact_sum(x) FROM unnest('{3e38,3e38}'::float4[]) x$$, '22003', NULL, 'exact_sum(real): out of range');
SELECT throws_ok($$SELECT gpudb.exact_sum('x'::text)$$, '42883', NULL, 'exact_sum(): not of texts');
SELECT throws_ok($$SELECT gpudb.exact_sum(date '2020-01-01')$$, '42883', NULL, 'exact_sum(): nor of dates');
SELECT throws_ok($$SELECT gpudb.exact_avg(interval '1 s')$$, '42883', NULL, 'exact_avg(): nor of intervals');
SELECT throws_ok($$SELECT gpudb.exact_avg()$$, '42883', NULL, 'exact_avg(): not of nothing');

-- Functions that support aggregates are called by nobody: their states are no values of SQL
SELECT throws_ok(format('SELECT gpudb.%s', call), '42883', NULL, format('gpudb.%s is no call', call))
FROM unnest(ARRAY['exact_accum(NULL, 1::float8)', 'exact_accum(NULL, 1::float4)', 'exact_combine(NULL, NULL)', 'exact_serialize(NULL)', 'exact_deserialize(''\x00'', NULL)',
	'exact_sum_final(NULL)', 'exact_sum_single_final(NULL)', 'exact_avg_final(NULL)', 'median_final(NULL, 1)']) call;

SELECT * FROM finish();
ROLLBACK;
DROP SCHEMA gpudb_tap_aggregates CASCADE;
