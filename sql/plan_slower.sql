-- Without force: where a node would be slower than PostgreSQL, or would have PostgreSQL choose a slower plan.
SET max_parallel_workers_per_gather = 0;
-- a subquery that costs little once is not run for each row instead of being hashed
CREATE TABLE plan_cust (id int PRIMARY KEY, a int);
INSERT INTO plan_cust SELECT g, g % 100 FROM generate_series(1, 100000) g;
CREATE TABLE plan_store AS SELECT (g * 7) % 5801 + 1 AS cust, g % 400 AS d FROM generate_series(1, 20000) g;
CREATE TABLE plan_web AS SELECT (g * 7919) % 30000 AS cust, g % 400 AS d FROM generate_series(1, 200000) g;
CREATE TABLE plan_dates (d int PRIMARY KEY, q int, y int);
INSERT INTO plan_dates SELECT g, g % 4, 2000 + g / 40 FROM generate_series(0, 399) g;
VACUUM ANALYZE plan_cust, plan_store, plan_web, plan_dates;
SELECT gpudb.prewarm('plan_web') > 0 AS prewarmed;
CREATE FUNCTION plan_subplans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN QUERY SELECT m[1] FROM regexp_matches(line, '((hashed )?SubPlan)[ 0-9]+\)', 'g') m;
	END LOOP;
END
$$;
SELECT * FROM plan_subplans('SELECT c.a, count(*) FROM plan_cust c WHERE EXISTS (SELECT FROM plan_store s WHERE s.cust = c.id AND d BETWEEN 1 AND 300)
	AND (EXISTS (SELECT FROM plan_web w, plan_dates d WHERE w.cust = c.id AND w.d = d.d AND y = 2002 AND q < 3)
		OR EXISTS (SELECT FROM plan_web w, plan_dates d WHERE w.cust = c.id + 1 AND w.d = d.d AND y = 2003)) GROUP BY 1');
-- one that is run for each row stays on a device if that is much faster
SELECT gpu_nodes('SELECT id, (SELECT sum(w.d) FROM plan_web w WHERE w.cust < c.id) FROM plan_cust c WHERE id < 10') AS correlated;
-- but not if an index leads to a few rows, whose pages PostgreSQL counts as if they were read from disk each time
CREATE TABLE plan_keyed AS SELECT (g * 7919) % 5000 AS k, g AS v, repeat('-', 100) AS filler FROM generate_series(1, 100000) g;
CREATE INDEX ON plan_keyed (k);
VACUUM ANALYZE plan_keyed;
SELECT gpudb.prewarm('plan_keyed', '{k,v}') > 0 AS prewarmed;
SELECT gpu_nodes('SELECT id, (SELECT sum(k.v) FROM plan_keyed k WHERE k.k = c.id) FROM plan_cust c WHERE id < 500') AS by_index;
-- a table that was never analysed, in a subquery run for each row
CREATE TABLE plan_few (dev int, y int);
INSERT INTO plan_few SELECT g % 7, g FROM generate_series(1, 21) g;
SELECT gpu_nodes('SELECT count(*) FROM plan_store WHERE d > (SELECT avg(y) FROM plan_few WHERE plan_few.dev = plan_store.cust)') AS never_analysed;
-- all rows of a join go out, and are stored until the last one is there
CREATE TABLE plan_full AS SELECT g AS id, g % 10 AS k FROM generate_series(1, 200000) g;
CREATE TABLE plan_twelve AS SELECT g AS id, g AS k FROM generate_series(1, 12) g;
VACUUM ANALYZE plan_full, plan_twelve;
SELECT gpudb.prewarm('plan_full') > 0 AS prewarmed;
SELECT gpu_nodes('SELECT count(*), count(a.id), count(b.id) FROM plan_full a FULL JOIN plan_twelve b ON a.k = b.k') AS full_join;
DROP FUNCTION plan_subplans(text);
DROP TABLE plan_cust, plan_store, plan_web, plan_dates, plan_few, plan_keyed, plan_full, plan_twelve;
