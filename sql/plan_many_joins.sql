-- Planning a chain of 40 tables takes hardly longer than without gpudb, and its plan does not grow with each fallback.
DO $$
BEGIN
	FOR i IN 1..40 LOOP
		EXECUTE format('CREATE TABLE plan_chain_%s AS SELECT g AS id, (g * 7) %% 20000 + 1 AS v FROM generate_series(1, 20000) g', i);
		EXECUTE format('ANALYZE plan_chain_%s', i);
	END LOOP;
END
$$;
CREATE FUNCTION plan_chain(n int) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT count(*), sum(t%1$s.v) FROM plan_chain_1 t1 ', n) ||
		string_agg(format('JOIN plan_chain_%1$s t%1$s ON t%1$s.id = t%2$s.v', i, i - 1), ' ' ORDER BY i) FROM generate_series(2, n) i
$$;
-- the least time of planning it several times, in milliseconds
CREATE FUNCTION plan_ms(query text, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	least float8;
	since timestamptz;
	line text;
BEGIN
	FOR i IN 1..times LOOP
		since := clock_timestamp();
		FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
			NULL;
		END LOOP;
		least := least(least, 1000 * extract(epoch FROM clock_timestamp() - since));
	END LOOP;
	RETURN least;
END
$$;
CREATE TABLE plan_times (n int, postgres float8, gpudb float8);
SET gpudb.enabled = off;
INSERT INTO plan_times SELECT n, plan_ms(plan_chain(n), 5) FROM unnest(ARRAY[8, 20, 40]) n;
RESET gpudb.enabled;
UPDATE plan_times SET gpudb = plan_ms(plan_chain(n), 5);
-- far more than it is to be, for machines that are busy; without care it takes a thousand times as long
SELECT n, gpudb < 20 * postgres + 20 AS fast FROM plan_times ORDER BY n;
-- each of them has nodes, and the answer is the same
SELECT n, gpu_nodes(plan_chain(n)) <> '' AS has_nodes FROM unnest(ARRAY[2, 8, 20, 40]) n;
SELECT count(*), sum(t12.v) FROM plan_chain_1 t1 JOIN plan_chain_2 t2 ON t2.id = t1.v JOIN plan_chain_3 t3 ON t3.id = t2.v
	JOIN plan_chain_4 t4 ON t4.id = t3.v JOIN plan_chain_5 t5 ON t5.id = t4.v JOIN plan_chain_6 t6 ON t6.id = t5.v
	JOIN plan_chain_7 t7 ON t7.id = t6.v JOIN plan_chain_8 t8 ON t8.id = t7.v JOIN plan_chain_9 t9 ON t9.id = t8.v
	JOIN plan_chain_10 t10 ON t10.id = t9.v JOIN plan_chain_11 t11 ON t11.id = t10.v JOIN plan_chain_12 t12 ON t12.id = t11.v;
SET gpudb.enabled = off;
SELECT count(*), sum(t12.v) FROM plan_chain_1 t1 JOIN plan_chain_2 t2 ON t2.id = t1.v JOIN plan_chain_3 t3 ON t3.id = t2.v
	JOIN plan_chain_4 t4 ON t4.id = t3.v JOIN plan_chain_5 t5 ON t5.id = t4.v JOIN plan_chain_6 t6 ON t6.id = t5.v
	JOIN plan_chain_7 t7 ON t7.id = t6.v JOIN plan_chain_8 t8 ON t8.id = t7.v JOIN plan_chain_9 t9 ON t9.id = t8.v
	JOIN plan_chain_10 t10 ON t10.id = t9.v JOIN plan_chain_11 t11 ON t11.id = t10.v JOIN plan_chain_12 t12 ON t12.id = t11.v;
RESET gpudb.enabled;
-- a join that no device has, of many that one has
SELECT gpu_nodes('SELECT count(*) FROM plan_chain_1 t1 JOIN plan_chain_2 t2 ON t2.id = t1.v JOIN plan_chain_3 t3 ON t3.id = t2.v
	JOIN plan_chain_4 t4 ON int4range(t4.id, t4.id + 1) = int4range(t3.v, t3.v + 1) WHERE t1.id > 5');
DROP FUNCTION plan_chain(int), plan_ms(text, int);
DROP TABLE plan_times;
DO $$
BEGIN
	FOR i IN 1..40 LOOP
		EXECUTE format('DROP TABLE plan_chain_%s', i);
	END LOOP;
END
$$;
