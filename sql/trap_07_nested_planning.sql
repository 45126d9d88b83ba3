-- Rule 7: planning nests, ends by errors, and throws its memory contexts away.
CREATE TABLE trap_07 (id int NOT NULL, k int, n numeric(10,2));
INSERT INTO trap_07 SELECT i, i % 10, i % 777 / 100.0 FROM generate_series(1, 20000) i;
CREATE TABLE trap_07_b AS SELECT * FROM trap_07 WHERE id <= 3000;
ANALYZE trap_07, trap_07_b;
-- a function that the planner calls while it plans, and that plans queries itself, or fails
CREATE FUNCTION while_planning(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF $1 < 0 THEN RAISE EXCEPTION 'negative'; END IF; RETURN (SELECT count(*) FROM trap_07 WHERE k = $1) / 400; END $$;
CREATE FUNCTION twice_nested(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (SELECT count(*) FROM trap_07_b WHERE k = while_planning(3) AND n > $1 GROUP BY k); END $$;
CREATE FUNCTION inlined(int) RETURNS int8 LANGUAGE sql STABLE AS 'SELECT count(*) FROM trap_07 WHERE k = $1';
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*), sum(n) FROM trap_07 WHERE k = while_planning(4);
SELECT k, count(*) FROM trap_07 WHERE k < while_planning(5) - 3 AND n > 0 GROUP BY k ORDER BY k;
SELECT count(*) FROM trap_07 WHERE id < twice_nested(2) AND k = 1;
SELECT sum(n) FROM trap_07 WHERE k = while_planning(-1);
SELECT sum(n) FROM trap_07 WHERE k = while_planning(1);
SELECT sum(n) FROM trap_07 a WHERE k = 1 / (SELECT 0 WHERE false);
SELECT count(*) FROM trap_07 WHERE k = 1 / 0;
SELECT count(*) FROM trap_07 WHERE k = 5;
SELECT inlined(2), inlined(3);
-- GEQO plans in contexts that it deletes
SET geqo_threshold = 2;
SET gpudb.debug_require = allow;
SELECT count(*), sum(a.n) FROM trap_07_b a JOIN trap_07_b b USING (id) JOIN trap_07_b c USING (id) JOIN trap_07 d USING (id) WHERE a.k = 1 AND d.n > 3;
SELECT a.k, count(*) FROM trap_07_b a JOIN trap_07_b b USING (id) JOIN (SELECT k, sum(n) AS s FROM trap_07 GROUP BY k) g ON g.k = a.k WHERE a.k < 3 GROUP BY a.k ORDER BY a.k;
RESET geqo_threshold;
-- semijoins through a unique-ified relation
SELECT count(*) FROM trap_07 WHERE id IN (SELECT id * 2 FROM trap_07_b WHERE k < 5);
SELECT count(*) FROM trap_07_b WHERE k IN (SELECT k FROM trap_07 WHERE n > 7 GROUP BY k);
SELECT count(*) FROM trap_07 a WHERE EXISTS (SELECT FROM trap_07_b b WHERE b.k = a.k AND b.n > a.n);
-- errors in planning inside a subtransaction, and plans afterwards
DO $$ BEGIN
	FOR i IN 1 .. 20 LOOP
		BEGIN PERFORM count(*) FROM trap_07 WHERE k = while_planning(-i); EXCEPTION WHEN raise_exception THEN NULL; END;
		PERFORM count(*) FROM trap_07 WHERE k = i;
	END LOOP;
END $$;
SELECT count(*) FROM trap_07 WHERE k = 5;
DROP FUNCTION while_planning, twice_nested, inlined;
DROP TABLE trap_07, trap_07_b;
