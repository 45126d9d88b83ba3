-- PostgreSQL's JIT is decided by the cost of what PostgreSQL itself executes of a plan.
CREATE TABLE plan_jit (g int, a int, b int);
INSERT INTO plan_jit SELECT i % 10, i, i * 2 FROM generate_series(1, 20000) i;
VACUUM ANALYZE plan_jit;
SET gpudb.force = on;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION plan_jit_lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Custom Scan|JIT' THEN
			RETURN NEXT regexp_replace(line, '  \(cost.*', '');
		END IF;
	END LOOP;
END
$$;
-- the whole plan costs more than this, and none of it is PostgreSQL's
SET jit_above_cost = 20;
SET jit_inline_above_cost = 20;
SET jit_optimize_above_cost = 20;
SELECT * FROM plan_jit_lines('SELECT g, sum(a), sum(b) FROM plan_jit GROUP BY g HAVING sum(a) > 0');
SELECT * FROM plan_jit_lines('SELECT sum(x.a + y.b) FROM plan_jit x JOIN plan_jit y ON x.a = y.b');
SELECT * FROM plan_jit_lines('SELECT a, b FROM plan_jit ORDER BY b DESC LIMIT 3');
-- nor of one whose aggregates are too many for one program
SELECT * FROM plan_jit_lines('SELECT ' || (SELECT string_agg(format('sum(a + %s)', i), ', ') FROM generate_series(1, 500) i) || ' FROM plan_jit');
-- rows that are looked up in an index one by one cost pages, and few of PostgreSQL's own expressions
CREATE TABLE plan_jit_keyed (a int PRIMARY KEY, b int);
INSERT INTO plan_jit_keyed SELECT i, i * 2 FROM generate_series(1, 20000) i;
VACUUM ANALYZE plan_jit_keyed;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET jit_above_cost = 1000;
SELECT * FROM plan_jit_lines('SELECT count(*) FROM plan_jit x JOIN plan_jit_keyed y USING (a) WHERE x.g = 3 AND y.b > (SELECT sum(z.b) - 1 FROM plan_jit_keyed z WHERE z.a = y.a)');
SET jit_above_cost = 20;
RESET enable_mergejoin;
RESET enable_hashjoin;
DROP TABLE plan_jit_keyed;
-- a short plan of PostgreSQL's alone is not compiled either, whatever it costs, and a long one is
RESET gpudb.force;
SELECT * FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3');
SET cpu_tuple_cost = 10000;
SELECT (count(*) = 1) = pg_jit_available() AS compiled FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3') line WHERE line ~ 'JIT';
-- a session that has compiled starts parallel workers more slowly from then on: 0.9 s are too short if there can be any
SELECT set_config('cpu_tuple_cost', (0.9e9 / 10000 / nanoseconds)::text, false) IS NOT NULL AS set FROM gpudb.calibration WHERE figure = 'pg_unit';
SELECT (count(*) = 1) = pg_jit_available() AS compiled FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3') line WHERE line ~ 'JIT';
SET max_parallel_workers_per_gather = 2;
SELECT * FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3');
SET max_parallel_workers_per_gather = 0;
RESET cpu_tuple_cost;
-- jit_above_cost = 0 compiles all plans
SET jit_above_cost = 0;
SELECT (count(*) = 1) = pg_jit_available() AS compiled FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3') line WHERE line ~ 'JIT';
-- gpudb.enabled = off leaves the decision to PostgreSQL
SET jit_above_cost = 20;
SET gpudb.enabled = off;
SELECT (count(*) = 1) = pg_jit_available() AS compiled FROM plan_jit_lines('SELECT count(*) FROM generate_series(1, 10000) i WHERE i % 7 = 3') line WHERE line ~ 'JIT';
RESET gpudb.enabled;
SET gpudb.force = on;
-- the answer of a fallback does not depend on it
SELECT sum(n) FROM (SELECT avg(a::numeric / 7) * 0 + 'NaN' AS n FROM plan_jit GROUP BY g) q;
CREATE TABLE plan_jit_nan AS SELECT i % 3 AS g, numeric 'NaN' AS n FROM generate_series(1, 9000) i;
SELECT g, sum(n + g) FROM plan_jit_nan GROUP BY g ORDER BY g;
DROP FUNCTION plan_jit_lines(text);
DROP TABLE plan_jit, plan_jit_nan;
