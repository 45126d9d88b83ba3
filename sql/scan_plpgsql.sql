-- Queries inside functions: loops, exceptions, cursors, recursion.
CREATE TABLE scan_plpgsql (id int NOT NULL, k int, n numeric(10,2));
INSERT INTO scan_plpgsql SELECT i, i % 40, i % 777 / 100.0 FROM generate_series(1, 20000) i;
ANALYZE scan_plpgsql;
SET gpudb.force = on;

CREATE FUNCTION loop_rows(wanted int) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE r record; total int8 := 0;
BEGIN
	FOR r IN SELECT id, n FROM scan_plpgsql WHERE k = wanted LOOP total := total + r.id; END LOOP;
	RETURN total;
END $$;
SELECT loop_rows(3), loop_rows(39), loop_rows(40), loop_rows(NULL);
CREATE FUNCTION loop_exit(wanted int, rows int) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE r record; ids int[] := '{}';
BEGIN
	FOR r IN SELECT id FROM scan_plpgsql WHERE k = wanted LOOP
		ids := ids || r.id;
		EXIT WHEN cardinality(ids) = rows;
	END LOOP;
	RETURN ids;
END $$;
SELECT loop_exit(3, 1), loop_exit(3, 4);
-- a query within the loop over another, over the same table, with writes between
CREATE FUNCTION loop_nested() RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; c int8; seen int8 := 0;
BEGIN
	FOR r IN SELECT k, count(*) AS c FROM scan_plpgsql WHERE k < 5 GROUP BY k ORDER BY k LOOP
		SELECT count(*) INTO c FROM scan_plpgsql WHERE k = r.k;
		UPDATE scan_plpgsql SET n = n + 1 WHERE k = r.k AND id < 100;
		seen := seen + c - r.c;
	END LOOP;
	FOR r IN SELECT id FROM scan_plpgsql WHERE k = 7 AND id < 1000 LOOP
		INSERT INTO scan_plpgsql VALUES (r.id + 1000000, 7, 0);
		seen := seen + 1;
	END LOOP;
	RETURN seen || ' ' || (SELECT count(*) FROM scan_plpgsql WHERE k = 7);
END $$;
SELECT loop_nested();
SELECT count(*), sum(n) FROM scan_plpgsql;
-- errors caught in subtransactions, also in the middle of a loop, also from the device's side
CREATE FUNCTION caught() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE r record; log text[] := '{}'; c int8;
BEGIN
	FOR i IN 0 .. 2 LOOP
		BEGIN
			SELECT count(*) INTO c FROM scan_plpgsql WHERE 10 / (k - i * 20) > 3;
			log := log || ('count ' || c);
		EXCEPTION WHEN division_by_zero THEN
			log := log || SQLSTATE || SQLERRM;
		END;
	END LOOP;
	BEGIN
		FOR r IN SELECT id, k FROM scan_plpgsql WHERE k < 3 LOOP
			IF r.id = 81 THEN RAISE EXCEPTION 'enough at %', r.id; END IF;
		END LOOP;
	EXCEPTION WHEN raise_exception THEN
		log := log || SQLERRM;
	END;
	FOR r IN SELECT id FROM scan_plpgsql WHERE k = 11 ORDER BY id LIMIT 4 LOOP
		BEGIN
			INSERT INTO scan_plpgsql VALUES (-r.id, 999, 1);
			SELECT count(*) INTO c FROM scan_plpgsql WHERE k = 999;
			log := log || c::text;
			IF r.id > 60 THEN PERFORM 1 / 0; END IF;
		EXCEPTION WHEN division_by_zero THEN
			SELECT count(*) INTO c FROM scan_plpgsql WHERE k = 999;
			log := log || ('back to ' || c);
		END;
	END LOOP;
	RETURN log;
END $$;
SELECT unnest(caught());
-- RETURN QUERY, cursors, recursion, a set-returning SQL function, dynamic SQL
CREATE FUNCTION returned(wanted int) RETURNS TABLE (a int, b numeric) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT id, n FROM scan_plpgsql WHERE k = wanted AND id BETWEEN 0 AND 200; RETURN QUERY EXECUTE 'SELECT -1, sum(n) FROM scan_plpgsql WHERE k = $1' USING wanted; END $$;
SELECT * FROM returned(9);
CREATE FUNCTION cursors() RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE c CURSOR (wanted int) FOR SELECT id FROM scan_plpgsql WHERE k = wanted; x int; got int[] := '{}';
BEGIN
	OPEN c (5); FETCH c INTO x; got := got || x; FETCH c INTO x; got := got || x; CLOSE c;
	OPEN c (6); FETCH c INTO x; got := got || x; MOVE FORWARD 2 FROM c; FETCH c INTO x; got := got || x; CLOSE c;
	RETURN got;
END $$;
SELECT cursors();
CREATE FUNCTION recursive_count(level int) RETURNS int8 LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN level = 0 THEN 0 ELSE (SELECT count(*) FROM scan_plpgsql WHERE k = level) + recursive_count(level - 1) END; END $$;
SELECT recursive_count(8);
CREATE FUNCTION sql_rows(int) RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT id FROM scan_plpgsql WHERE k = $1 AND id < 150 ORDER BY id';
SELECT * FROM sql_rows(4);
SELECT v, sql_rows(v) FROM generate_series(1, 2) v ORDER BY 1, 2;
CREATE FUNCTION sql_count(int) RETURNS int8 LANGUAGE sql AS 'SELECT count(*) FROM scan_plpgsql WHERE k = $1';
SELECT v, sql_count(v) FROM generate_series(1, 4) v ORDER BY v;
-- a function called for each row that a gpudb scan returns reads the same table
SELECT id, sql_count(k) FROM scan_plpgsql WHERE k = 38 AND id < 200 ORDER BY id;
DO $$
DECLARE c int8;
BEGIN
	FOR i IN 1 .. 50 LOOP SELECT count(*) INTO c FROM scan_plpgsql WHERE k = i % 40 AND n > 1; END LOOP;
	RAISE NOTICE 'last count %', c;
END $$;
DROP FUNCTION loop_rows, loop_exit, loop_nested, caught, returned, cursors, recursive_count, sql_rows, sql_count;
DROP TABLE scan_plpgsql;
