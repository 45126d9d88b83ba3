-- The device fails on the first, a middle and the last window: no row lost, repeated or wrong
CREATE TABLE exec_failures (id int NOT NULL, k int, t text);
INSERT INTO exec_failures SELECT i, i % 10, repeat('t', 60) FROM generate_series(1, 40000) i;
VACUUM ANALYZE exec_failures;
SELECT (relpages + 63) / 64 - 1 AS last FROM pg_class WHERE relname = 'exec_failures' \gset
SET gpudb.force = on;
-- every window is to come from pages
SET gpudb.cache = off;
CREATE FUNCTION exec_failures_try(window_number int, OUT scan text, OUT agg text, OUT fell_back bool) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('gpudb.debug_fail', window_number::text, true);
	scan := (SELECT count(*) || ' ' || sum(id) || ' ' || count(DISTINCT id) FROM (SELECT id FROM exec_failures WHERE k = 3 OFFSET 0) s);
	agg := (SELECT string_agg(k || ':' || n || ':' || s, ' ') FROM (SELECT k, count(*) n, sum(id) s FROM exec_failures WHERE k < 2 GROUP BY k ORDER BY k) s);
	fell_back := false;
	FOR line IN EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(id) FROM exec_failures LOOP
		fell_back := fell_back OR line ~ 'Fallback: runtime_error \(a failure injected';
	END LOOP;
END $$;
SELECT n AS window, t.* FROM unnest(ARRAY[-1, 0, :last / 2, :last]) n, exec_failures_try(n) t;
-- every window, one after the other
SELECT count(DISTINCT (t.scan, t.agg)) AS answers, bool_and(t.fell_back) AS all_fell_back FROM generate_series(0, :last) n, exec_failures_try(n) t;
-- heap order stays
SET gpudb.debug_fail = 2;
SELECT bool_and(id > before) AS in_order, count(*) FROM (SELECT id, lag(id, 1, 0) OVER () AS before FROM (SELECT id FROM exec_failures WHERE k = 7 OFFSET 0) s) o;
-- cursors, between two FETCHes
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM exec_failures WHERE k = 5;
FETCH 2 FROM c;
MOVE 1500 FROM c;
FETCH 2 FROM c;
SAVEPOINT s;
MOVE 1000 FROM c;
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
MOVE ALL FROM c;
FETCH 1 FROM c;
COMMIT;
-- an error in the middle, inside an exception block and a savepoint, and all goes on
CREATE FUNCTION exec_failures_block(divisor int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int8;
BEGIN
	SELECT sum(1 / (id - divisor)) INTO n FROM exec_failures;
	RETURN n;
EXCEPTION WHEN division_by_zero THEN
	RETURN 'caught ' || SQLERRM || ', ' || (SELECT count(*) FROM exec_failures WHERE k = 1);
END $$;
RESET gpudb.debug_fail;
SELECT exec_failures_block(1), exec_failures_block(20000), exec_failures_block(40000), exec_failures_block(40001);
SET gpudb.debug_fail = 1;
SELECT exec_failures_block(1), exec_failures_block(20000), exec_failures_block(40000), exec_failures_block(40001);
CREATE FUNCTION exec_failures_scan(divisor int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	n int8 := 0;
BEGIN
	FOR r IN SELECT id FROM exec_failures WHERE k = 1 AND 1 / (id - divisor) < 2 LOOP
		n := n + 1;
	END LOOP;
	RETURN n;
EXCEPTION WHEN division_by_zero THEN
	RETURN 'caught ' || SQLERRM || ' after ' || n || ', ' || (SELECT count(*) FROM exec_failures WHERE k = 1);
END $$;
SELECT exec_failures_scan(1), exec_failures_scan(20001), exec_failures_scan(39991), exec_failures_scan(40001);
RESET gpudb.debug_fail;
SELECT exec_failures_scan(1), exec_failures_scan(20001), exec_failures_scan(39991), exec_failures_scan(40001);
SET gpudb.enabled = off;
SELECT exec_failures_scan(1), exec_failures_scan(20001), exec_failures_scan(39991), exec_failures_scan(40001);
SELECT exec_failures_block(1), exec_failures_block(20000), exec_failures_block(40000), exec_failures_block(40001);
RESET gpudb.enabled;
-- under require it is an error at that moment, and the session goes on
SET gpudb.debug_fail = 3;
SET gpudb.debug_require = require;
SELECT count(*) FROM exec_failures WHERE k = 3;
SELECT id FROM exec_failures WHERE id IN (7, 39999);
RESET gpudb.debug_fail;
SELECT count(*) FROM exec_failures WHERE k = 3;
DROP FUNCTION exec_failures_try, exec_failures_block, exec_failures_scan;
DROP TABLE exec_failures;
