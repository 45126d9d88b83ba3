-- PostgreSQL's JIT where gpudb evaluates what is constant during a query: the JIT context is the query's, and not of the
-- subtransaction that errors are caught in.
CREATE TABLE trap_23 (id int NOT NULL, k int, d date, x text, n numeric(10,2));
INSERT INTO trap_23 SELECT i, i % 100, date '2000-01-01' + i % 9000, 'name ' || i % 50, i / 4.0 FROM generate_series(1, 4000) i;
CREATE TABLE trap_23_few (c0 int, d date);
INSERT INTO trap_23_few SELECT i, date '2001-01-01' + i FROM generate_series(1, 200) i;
ANALYZE trap_23, trap_23_few;
CREATE FUNCTION trap_23_sql(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT max(c0) - $1 FROM trap_23_few';
CREATE FUNCTION trap_23_loop(int) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
	n int := 0;
	row record;
BEGIN
	FOR row IN SELECT c0 FROM trap_23_few WHERE c0 <= $1 LOOP
		n := n + row.c0;
	END LOOP;
	RETURN n;
END $$;
CREATE FUNCTION trap_23_fails(int) RETURNS int LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF $1 > 5 THEN
		RAISE EXCEPTION 'trap_23 %', $1;
	END IF;
	RETURN $1;
END $$;
CREATE FUNCTION trap_23_caught(int) RETURNS int LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN trap_23_fails($1);
EXCEPTION WHEN raise_exception THEN
	RETURN -1;
END $$;
CREATE DOMAIN trap_23_small AS int CHECK (VALUE < 10 + trap_23_caught(1));
SET jit = on;
SET jit_above_cost = 0;
SET gpudb.force = on;
-- parameters of filters, of joins, and of both at once
SELECT count(*), sum(y.c0) FROM trap_23 x JOIN trap_23_few y ON y.c0 = x.id + extract(year FROM now())::int * 0;
SELECT count(*) FROM (SELECT x.id, y.c0 FROM trap_23 x JOIN trap_23_few y ON x.k = y.c0 + extract(year FROM now())::int * 0 OFFSET 0) q;
SELECT x.id, y.c0 FROM trap_23 x JOIN trap_23_few y ON x.id = y.c0 + extract(year FROM now())::int * 0 ORDER BY x.id LIMIT 3;
SELECT count(y.c0), count(*) FROM trap_23 x LEFT JOIN trap_23_few y ON current_date < '2001-01-01';
SELECT count(*) FROM trap_23 WHERE k < trap_23_sql(190);
SELECT count(*) FROM trap_23 WHERE k < trap_23_loop(5) AND d < current_date + 1;
SELECT k, count(*) FROM trap_23 WHERE k < trap_23_sql(198) + trap_23_caught(7) GROUP BY k ORDER BY k;
SELECT id FROM trap_23 WHERE n < trap_23_loop(3) AND id % 3 = trap_23_caught(1) ORDER BY n DESC LIMIT 2;
SELECT count(*) FROM trap_23 WHERE k < (trap_23_sql(195) + length(current_database()) * 0)::trap_23_small;
-- errors that are nobody's until a row asks
SELECT count(*) FROM trap_23 WHERE k < 0 AND coalesce(k < trap_23_fails(length(current_database()) * 0 + 6), false);
SELECT count(*) FROM trap_23 WHERE coalesce(k < trap_23_fails(length(current_database()) * 0 + 6), false);
SELECT count(*) FROM trap_23 WHERE k < 0 AND coalesce(k < 1 / (length(current_database()) * 0), false);
SELECT count(*) FROM trap_23 WHERE coalesce(k < 1 / (length(current_database()) * 0), false);
SELECT count(*) FROM trap_23 WHERE k < 0 AND coalesce(k < (trap_23_sql(195) + 90 + length(current_database()) * 0)::trap_23_small, false);
SELECT count(*) FROM trap_23 WHERE coalesce(k < (trap_23_sql(195) + 90 + length(current_database()) * 0)::trap_23_small, false);
-- conditions that PostgreSQL is asked for each text of a dictionary, and what it computes itself in between
SELECT gpudb.prewarm('trap_23') > 0 AS prewarmed;
SELECT count(*) FROM trap_23 WHERE x ~ '^name 1';
SELECT count(*) FROM trap_23 WHERE trap_23_fails(length(x) - 5) = 1;
SELECT count(*) FROM trap_23 WHERE length(x) < 6 AND trap_23_caught(length(x)) < 0;
SELECT count(*) FROM trap_23 WHERE k < (SELECT trap_23_sql(190)) AND reverse(x) > 'a';
SELECT k, max(n) FROM trap_23 x WHERE id < (SELECT avg(id) FROM trap_23 y WHERE y.k > trap_23_loop(2)) GROUP BY k HAVING max(n) > 490 ORDER BY k;
-- parameters of PL/pgSQL, subtransactions around, and cursors inside them
PREPARE trap_23_prepared (int) AS SELECT count(*) FROM trap_23 WHERE k < $1 + trap_23_caught(1);
EXECUTE trap_23_prepared (3);
SET plan_cache_mode = force_generic_plan;
EXECUTE trap_23_prepared (4);
RESET plan_cache_mode;
DO $$
DECLARE
	least int := 5;
	c CURSOR FOR SELECT id FROM trap_23 WHERE k < least + trap_23_caught(0) AND id > 3000;
	found_id int;
	n int;
BEGIN
	FOR i IN 1 .. 3 LOOP
		BEGIN
			OPEN c;
			FETCH c INTO found_id;
			SELECT count(*) INTO n FROM trap_23 WHERE k < least + trap_23_sql(200) AND id > found_id;
			RAISE NOTICE '% %', found_id, n;
			CLOSE c;
			PERFORM count(*) FROM trap_23 WHERE coalesce(k < trap_23_fails(least + i), false);
		EXCEPTION WHEN raise_exception THEN
			RAISE NOTICE '%', SQLERRM;
		END;
	END LOOP;
END $$;
BEGIN;
DECLARE trap_23_cursor CURSOR FOR SELECT id FROM trap_23 WHERE k < 2 + trap_23_caught(0) + 0 * length(current_database());
SAVEPOINT s;
FETCH 2 FROM trap_23_cursor;
ROLLBACK TO s;
FETCH 2 FROM trap_23_cursor;
FETCH BACKWARD 1 FROM trap_23_cursor;
COMMIT;
DROP TABLE trap_23, trap_23_few;
DROP FUNCTION trap_23_sql, trap_23_loop, trap_23_fails;
DROP DOMAIN trap_23_small;
DROP FUNCTION trap_23_caught;
