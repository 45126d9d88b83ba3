-- Rule 2: no gpudb node in or under a Gather; one inside a fallback child is welcome.
CREATE TABLE trap_02 (id int NOT NULL, k int, n numeric, t text);
INSERT INTO trap_02 SELECT i, i % 100, i % 1000, 't' || i % 10 FROM generate_series(1, 60000) i;
CREATE TABLE trap_02_small AS SELECT i AS k FROM generate_series(1, 20) i;
ANALYZE trap_02, trap_02_small;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
-- SubPlans of the Gather itself run in the leader, above it
CREATE FUNCTION nodes_below_gather(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	line text; depth int; gather int := NULL; found int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		depth := length(line) - length(ltrim(line, ' ->'));
		IF depth <= gather OR depth = gather + 2 AND line ~ '(Sub|Init)Plan' THEN gather := NULL; END IF;
		IF line ~ 'Gather' THEN gather := depth; END IF;
		IF gather IS NOT NULL AND line ~ 'Custom Scan' THEN found := found + 1; END IF;
	END LOOP;
	RETURN found;
END $$;
CREATE TABLE trap_02_queries (number serial, query text);
INSERT INTO trap_02_queries (query) VALUES
	('SELECT count(*), sum(n) FROM trap_02 WHERE k < 50'),
	('SELECT k, count(*) FROM trap_02 WHERE n > 5 GROUP BY k'),
	('SELECT count(*) FROM trap_02 a JOIN trap_02 b USING (id) WHERE a.k = 3 AND b.n > 7'),
	('SELECT count(*) FROM trap_02 WHERE md5(t) < ''5'' AND k < 50'),
	('SELECT s.k, count(*), sum(b.n) FROM trap_02_small s JOIN trap_02 b USING (k) WHERE b.n > 5 GROUP BY s.k'),
	('SELECT count(DISTINCT t), max(t) FROM trap_02 WHERE k < 50'),
	('SELECT id FROM trap_02 WHERE k = 3 AND n > 5 ORDER BY n, id LIMIT 5'),
	('SELECT k, (SELECT count(*) FROM trap_02 b WHERE b.k = s.k) FROM trap_02_small s'),
	('SELECT count(*) FROM trap_02_small s WHERE (SELECT count(*) FROM trap_02 b WHERE b.k = s.k AND b.n > 100) > 500');
-- with and without force, and with the smallest reason to be parallel
SELECT number, nodes_below_gather(query) FROM trap_02_queries ORDER BY number;
SET gpudb.force = on;
SELECT number, nodes_below_gather(query) FROM trap_02_queries ORDER BY number;
SET force_parallel_mode = on;
SELECT number, nodes_below_gather(query) FROM trap_02_queries ORDER BY number;
SELECT count(*), sum(n) FROM trap_02 WHERE k < 50;
SELECT k, count(*) FROM trap_02 WHERE n > 5 GROUP BY k ORDER BY k LIMIT 3;
SELECT count(*) FROM trap_02 a JOIN trap_02 b USING (id) WHERE a.k = 3 AND b.n > 7;
SELECT s.k, (SELECT count(*) FROM trap_02 b WHERE b.k = s.k AND b.n > 100) FROM trap_02_small s ORDER BY s.k LIMIT 3;
SELECT analyzed_rows('SELECT k, count(*) FROM trap_02 WHERE n > 5 GROUP BY k');
RESET force_parallel_mode;
-- children with a Gather inside: a NaN sends the query there
INSERT INTO trap_02 VALUES (70000, 1, 'NaN', 'nan');
SELECT count(*), sum(n) FROM trap_02 WHERE k < 50;
SELECT k, count(*), max(n) FROM trap_02 WHERE n > 5 GROUP BY k ORDER BY k LIMIT 3;
SELECT count(*) FROM (SELECT id FROM trap_02 WHERE n > 5) s;
SELECT s.k, (SELECT sum(b.n) FROM trap_02 b WHERE b.k = s.k) FROM trap_02_small s ORDER BY s.k LIMIT 3;
SELECT analyzed_rows('SELECT k, sum(n) FROM trap_02 GROUP BY k');
SELECT analyzed_rows('SELECT id FROM trap_02 WHERE n > 500');
SELECT analyzed_rows('SELECT s.k, (SELECT sum(b.n) FROM trap_02 b WHERE b.k = s.k) FROM trap_02_small s');
SET gpudb.force = off;
SELECT count(*), sum(n) FROM trap_02 WHERE k < 50;
SELECT count(*) FROM trap_02 WHERE (SELECT count(*) FROM trap_02 b WHERE b.k = 3) > 5 AND k = 4;
DROP FUNCTION nodes_below_gather;
DROP TABLE trap_02, trap_02_small, trap_02_queries;
