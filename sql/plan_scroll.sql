-- A cursor declared with neither SCROLL nor NO SCROLL goes backward if its plan can.  PostgreSQL's plan of ordered rows
-- often can, by a Sort at its top: where gpudb brings the order about below something that cannot, rows are materialized.
CREATE TABLE scrolled (k int NOT NULL, x int NOT NULL);
INSERT INTO scrolled SELECT i % 5, i % 3 FROM generate_series(1, 3000) i;
VACUUM ANALYZE scrolled;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;

-- distinct rows that a GpuSort puts in order, where PostgreSQL might sort what it has hashed
SET enable_hashagg = off;
BEGIN;
SELECT * FROM explain($$DECLARE c CURSOR FOR SELECT DISTINCT k, x FROM scrolled ORDER BY k, x$$);
DECLARE c CURSOR FOR SELECT DISTINCT k, x FROM scrolled ORDER BY k, x;
FETCH 4 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH ABSOLUTE 2 FROM c;
FETCH RELATIVE 0 FROM c;
MOVE BACKWARD ALL IN c;
FETCH 1 FROM c;
COMMIT;

-- held ones, groups, and ordered rows of a subquery
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT k, count(DISTINCT x) FROM scrolled GROUP BY k ORDER BY k;
FETCH 2 FROM h;
FETCH PRIOR FROM h;
COMMIT;
FETCH PRIOR FROM h;
FETCH FIRST FROM h;
CLOSE h;
BEGIN;
DECLARE s CURSOR FOR SELECT k + x FROM (SELECT DISTINCT k, x FROM scrolled ORDER BY k, x OFFSET 1) q;
FETCH LAST FROM s;
FETCH FIRST FROM s;
COMMIT;

-- a constant, an expression, a subplan that runs once, and an order that is not shown
BEGIN;
DECLARE t CURSOR FOR SELECT 'x' AS a, sum(k) + (SELECT max(x) FROM scrolled) AS b FROM scrolled GROUP BY k, x HAVING k < 2 ORDER BY k, x;
FETCH LAST FROM t;
FETCH BACKWARD ALL FROM t;
FETCH ABSOLUTE 2 FROM t;
COMMIT;

-- by a function's cursor, of whichever plan
CREATE FUNCTION last_and_first() RETURNS text LANGUAGE plpgsql AS $$
DECLARE c CURSOR FOR SELECT DISTINCT k, x FROM scrolled ORDER BY k, x; a record; b record;
BEGIN
	OPEN c;
	FETCH LAST FROM c INTO a;
	FETCH FIRST FROM c INTO b;
	CLOSE c;
	RETURN format('%s %s', a, b);
END $$;
SELECT last_and_first() FROM generate_series(1, 7);

-- who says NO SCROLL, or asks for no order, has no materialized rows
BEGIN;
SELECT * FROM explain($$DECLARE n NO SCROLL CURSOR FOR SELECT DISTINCT k, x FROM scrolled ORDER BY k, x$$);
SELECT * FROM explain($$DECLARE n CURSOR FOR SELECT k, sum(x) FROM scrolled GROUP BY k$$);
DECLARE n NO SCROLL CURSOR FOR SELECT DISTINCT k, x FROM scrolled ORDER BY k, x;
FETCH 2 FROM n;
FETCH PRIOR FROM n;
ROLLBACK;

-- nor does a plan of PostgreSQL's change
SET gpudb.debug_require = forbid;
SET gpudb.force = off;
CREATE TABLE few AS SELECT i AS k, i AS x FROM generate_series(1, 9) i;
ANALYZE few;
BEGIN;
SELECT * FROM explain($$DECLARE p CURSOR FOR SELECT DISTINCT k, x FROM few ORDER BY k, x$$);
DECLARE p CURSOR FOR SELECT DISTINCT k, x FROM few ORDER BY k, x;
FETCH 2 FROM p;
FETCH PRIOR FROM p;
ROLLBACK;
DROP FUNCTION last_and_first;
DROP TABLE scrolled, few;
