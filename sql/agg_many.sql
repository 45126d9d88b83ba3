-- Aggregates without keys that are too many for one program: several compute them, one after the other.
CREATE TABLE agg_many (id int NOT NULL, a int, b int8, n numeric(12,2), f float8, t text COLLATE "C", d date, v bool);
INSERT INTO agg_many
SELECT i, nullif(i % 1000, 7), nullif(i * 31::int8, 62), nullif(i * 19 % 9973, 77) / 100.0 - 40, i / 8.0, 't' || i % 50, date '2001-01-01' + i % 300, i % 3 = 0
FROM generate_series(1, 20000) i;
CREATE TABLE agg_many_parts (id int NOT NULL, a int) PARTITION BY RANGE (id);
CREATE TABLE agg_many_low PARTITION OF agg_many_parts FOR VALUES FROM (0) TO (3000);
CREATE TABLE agg_many_high PARTITION OF agg_many_parts FOR VALUES FROM (3000) TO (9000);
INSERT INTO agg_many_parts SELECT i, i % 77 FROM generate_series(1, 8000) i;
VACUUM ANALYZE agg_many, agg_many_parts;
SET gpudb.force = on;
SET gpudb.debug_require = 'require';
\pset format unaligned
\pset tuples_only on
-- A list of expressions, of each of so many numbers.
CREATE FUNCTION many(expression text, n int) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format(expression, i), ', ') FROM generate_series(1, n) i
$$;
-- How many programs a query takes, whether it falls back, and whether its rows are PostgreSQL's.
CREATE FUNCTION many_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	programs text;
	ours text;
	theirs text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		programs := coalesce(programs, substring(line FROM 'Programs: (.*)'));
		IF line ~ 'Fallback' THEN
			programs := concat_ws(', ', programs, substring(line FROM 'Fallback: (\w+)'));
		END IF;
	END LOOP;
	EXECUTE format('SELECT string_agg(q::text, E''\n'') FROM (%s) q', query) INTO ours;
	PERFORM set_config('gpudb.debug_require', 'allow', false), set_config('gpudb.enabled', 'off', false);
	EXECUTE format('SELECT string_agg(q::text, E''\n'') FROM (%s) q', query) INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', false), set_config('gpudb.debug_require', 'require', false);
	RETURN format('%s: %s', coalesce(programs, 'one'), CASE WHEN ours IS NOT DISTINCT FROM theirs THEN 'the same' ELSE concat_ws(' not ', ours, theirs) END);
END $$;
SELECT many_of('SELECT ' || many('sum(a + %s)', n) || ' FROM agg_many') FROM unnest('{10,100,500}'::int[]) n;
SELECT many_of('SELECT ' || many('avg(n + %s)', 60) || ', ' || many('min(b - %s)', 60) || ', ' || many('max(d + %s)', 60) || ' FROM agg_many WHERE id > 500');
SELECT many_of('SELECT ' || many('count(*) FILTER (WHERE a = %s)', 150) || ', count(*), min(t), max(t) FROM agg_many WHERE t <> ''t3''');
SELECT many_of('SELECT ' || many('sum(CASE WHEN a = %s THEN n ELSE 0 END)', 70) || ' FROM agg_many');
SELECT many_of('SELECT ' || many('sum(f * %s)', 80) || ', ' || many('percentile_disc(0.%s) WITHIN GROUP (ORDER BY a)', 9) || ', bool_and(v) FROM agg_many');
SELECT many_of('SELECT ' || many('avg(x.a + y.b + %s)', 70) || ' FROM agg_many x JOIN agg_many y ON x.id = y.id WHERE y.v');
SELECT many_of('SELECT ' || many('sum(a * %s)', 120) || ' FROM agg_many_parts');
-- no rows, HAVING, expressions above, subqueries that run again
SELECT many_of('SELECT ' || many('sum(a + %s)', 100) || ', count(*) FROM agg_many WHERE id < 0');
SELECT many_of('SELECT ' || many('sum(a + %s)', 100) || ' FROM agg_many HAVING sum(a + 3) > 5');
SELECT many_of('SELECT ' || many('sum(a + %s)', 100) || ' FROM agg_many HAVING sum(a + 99) < 5');
SELECT many_of('SELECT ' || many('sum(a + %1$s) - sum(a - %1$s)', 100) || ' FROM agg_many');
SELECT many_of('SELECT g.i, s.* FROM generate_series(1, 3) g (i), LATERAL (SELECT ' || many('sum(a + g.i + %s)', 90) || ' FROM agg_many WHERE id % 3 = g.i - 1) s ORDER BY 1');
-- with keys, one program must do
SELECT gpu_nodes('SELECT v, ' || many('sum(a + %s)', 10) || ' FROM agg_many GROUP BY v');
SET gpudb.debug_require = 'allow';
-- what only PostgreSQL may tell: an overflow that the last program finds, and one that nobody reaches
SELECT format('SELECT %s, sum(b * 9000000000000000) FROM agg_many', many('sum(a + %s)', 100)) AS query \gset
:query;
SELECT format('SELECT %s, sum(b * 9000000000000000) FROM agg_many WHERE id < 0', many('sum(a + %s)', 100)) AS query \gset
SELECT count(*) FROM (:query) q (c);
SET gpudb.debug_require = 'require';
-- EXPLAIN, cursors, prepared statements, parameters
SELECT line FROM explain('SELECT ' || many('sum(a + %s)', 60) || ' FROM agg_many') line WHERE line !~ 'Aggregates';
SELECT format('DECLARE many_rows SCROLL CURSOR FOR SELECT %s FROM agg_many', many('max(a + %s)', 100)) AS query \gset
BEGIN;
:query;
FETCH FROM many_rows \g /dev/null
FETCH FROM many_rows;
FETCH PRIOR FROM many_rows \g /dev/null
ROLLBACK;
SELECT format('PREPARE many_sums (int) AS SELECT %s FROM agg_many WHERE id > $1', many('sum(a + $1 + %s)', 50)) AS query \gset
:query;
SET plan_cache_mode = force_generic_plan;
EXECUTE many_sums (100);
EXECUTE many_sums (19990);
DROP FUNCTION many(text, int), many_of(text);
DROP TABLE agg_many, agg_many_parts;
