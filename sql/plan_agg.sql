-- Which shapes of aggregation become a GpuAgg, and which stay with PostgreSQL; both answer right.
CREATE TABLE plan_agg (id int PRIMARY KEY, a int, b numeric(10,2), c text, f float8);
INSERT INTO plan_agg SELECT i, nullif(i % 10, 9), i % 777 / 100.0, 'c' || i % 4, i / 8.0 FROM generate_series(1, 8000) i;
CREATE TABLE plan_agg_small AS SELECT i AS k FROM generate_series(1, 3) i;
CREATE VIEW plan_agg_view AS SELECT c, sum(b) AS s, count(*) AS n FROM plan_agg WHERE a < 5 GROUP BY c;
CREATE VIEW plan_agg_rows AS SELECT id, a + 1 AS a1, b FROM plan_agg WHERE a IS NOT NULL;
CREATE FUNCTION plan_agg_sql(int) RETURNS TABLE (c text, n int8) LANGUAGE sql STABLE AS 'SELECT c, count(*) FROM plan_agg WHERE a = $1 GROUP BY c';
ANALYZE plan_agg, plan_agg_small;
CREATE TABLE plan_agg_queries (number int GENERATED ALWAYS AS IDENTITY, nodes text, query text);
SET gpudb.force = on;
-- GpuAgg
INSERT INTO plan_agg_queries (nodes, query) VALUES
	('GpuAgg', 'SELECT count(*) FROM plan_agg'),
	('GpuAgg', 'SELECT count(a), sum(a), avg(a), min(a), max(a), sum(b), avg(b), min(b), max(b), sum(f), avg(f), min(f), max(f) FROM plan_agg WHERE id > 5'),
	('GpuAgg', 'SELECT FROM plan_agg HAVING count(*) > 3'),
	('GpuAgg', 'SELECT a FROM plan_agg GROUP BY a'),
	('GpuAgg', 'SELECT a, c, count(*) FROM plan_agg GROUP BY c, a'),
	('GpuAgg', 'SELECT a % 3, upper(c), sum(b) FROM plan_agg GROUP BY c, a % 3'),
	('GpuAgg', 'SELECT CASE WHEN a > 4 THEN 1 ELSE 0 END AS half, count(*) FROM plan_agg GROUP BY 1'),
	('GpuAgg', 'SELECT c FROM plan_agg GROUP BY c HAVING sum(b) > 3870 AND min(a) = 0'),
	('GpuAgg', 'SELECT c FROM plan_agg GROUP BY c HAVING c <> ''c1'''),
	('GpuAgg', 'SELECT round(sum(b) / count(*), 1) || c, md5(c), -count(*) FROM plan_agg GROUP BY c'),
	('GpuAgg', 'SELECT count(*) FILTER (WHERE a = 3), sum(b) FILTER (WHERE a = 3 OR b > 5), min(id) FILTER (WHERE c = ''c2'') FROM plan_agg'),
	('GpuAgg', 'SELECT sum(CASE WHEN c = ''c1'' THEN b * (1 - a) ELSE 0 END) FROM plan_agg'),
	('GpuAgg', 'SELECT count(*) FROM (SELECT * FROM plan_agg WHERE a = 3) s WHERE b > 4'),
	('GpuAgg', 'SELECT max(s), count(*) FROM (SELECT a, sum(b) AS s FROM plan_agg GROUP BY a) g'),
	('GpuScan GpuAgg', 'SELECT s.* FROM plan_agg_small JOIN (SELECT a, sum(b) AS s FROM plan_agg GROUP BY a) s ON s.a = k'),
	('GpuAgg', 'WITH w AS (SELECT a, sum(b) AS s FROM plan_agg GROUP BY a) SELECT * FROM w WHERE a = 3'),
	('GpuAgg', 'WITH w AS MATERIALIZED (SELECT a, sum(b) AS s FROM plan_agg GROUP BY a) SELECT x.a, y.s FROM w x JOIN w y USING (a)'),
	('GpuAgg', 'SELECT * FROM plan_agg_view'),
	('GpuAgg', 'SELECT c, n FROM plan_agg_view WHERE s > 1000 AND c <> ''c2'''),
	('GpuAgg', 'SELECT a1, sum(b) FROM plan_agg_rows WHERE id < 500 GROUP BY a1'),
	('GpuAgg', 'SELECT * FROM plan_agg_sql(3)'),
	('GpuAgg GpuAgg', 'SELECT c, count(*) FROM plan_agg GROUP BY c UNION ALL SELECT ''all'', count(*) FROM plan_agg WHERE a = 1'),
	('GpuAgg GpuAgg GpuAgg', 'SELECT count(*) FROM plan_agg WHERE a = 1 UNION SELECT count(*) FROM plan_agg WHERE a = 2 EXCEPT SELECT count(id) FROM plan_agg WHERE c = ''c1'''),
	('GpuScan GpuAgg', 'SELECT k FROM plan_agg_small WHERE k < (SELECT avg(a) FROM plan_agg)'),
	('GpuScan GpuAgg', 'SELECT k, (SELECT sum(b) FROM plan_agg WHERE a = k) FROM plan_agg_small'),
	('GpuScan GpuAgg', 'SELECT k, s FROM plan_agg_small, LATERAL (SELECT sum(b) AS s FROM plan_agg WHERE a = k) l'),
	('GpuScan GpuAgg', 'SELECT k FROM plan_agg_small WHERE k IN (SELECT count(*) - 1997 FROM plan_agg GROUP BY c)'),
	('GpuSort GpuAgg', 'SELECT a, rank() OVER (ORDER BY sum(b) DESC, a), sum(count(*)) OVER () FROM plan_agg GROUP BY a'),
	('GpuAgg', 'SELECT DISTINCT count(*) FROM plan_agg GROUP BY c'),
	('GpuAgg', 'SELECT generate_series(1, 2), count(*) FROM plan_agg'),
	('GpuSort GpuAgg', 'SELECT a, sum(b) FROM plan_agg GROUP BY a ORDER BY sum(b) DESC, a LIMIT 2'),
	('GpuAgg', 'SELECT bool_or(n > 1) FROM (SELECT count(*) AS n FROM plan_agg GROUP BY c) g');
-- PostgreSQL's aggregation, over a GpuScan where there is one
INSERT INTO plan_agg_queries (nodes, query) VALUES
	('GpuAgg', 'SELECT count(DISTINCT a) FROM plan_agg'),
	('GpuSort GpuScan', 'SELECT c, sum(DISTINCT b), count(*) FROM plan_agg WHERE a = 3 GROUP BY c'),
	('GpuScan', 'SELECT string_agg(c, '','' ORDER BY id) FROM plan_agg WHERE id < 9'),
	('GpuScan', 'SELECT sum(f ORDER BY id) FROM plan_agg WHERE a = 3'),
	('GpuScan', 'SELECT array_agg(id) FROM plan_agg WHERE id < 9'),
	('GpuSort GpuScan', 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY b) FROM plan_agg'),
	('GpuScan', 'SELECT string_agg(c, NULL), count(*) FROM plan_agg'),
	('GpuScan', 'SELECT sum(length(md5(c))) FROM plan_agg WHERE a = 3'),
	('GpuAgg', 'SELECT count(*) FROM plan_agg WHERE md5(c) < ''9'' AND a = 3'),
	('GpuScan', 'SELECT count(*) FROM plan_agg WHERE md5(c || a::text) < ''9'' AND a = 3'),
	('GpuScan', 'SELECT md5(c), count(*) FROM plan_agg WHERE a = 3 GROUP BY md5(c)'),
	('GpuAgg GpuAgg GpuAgg', 'SELECT a, c, count(*) FROM plan_agg WHERE id < 100 GROUP BY ROLLUP (a, c)'),
	('GpuAgg GpuAgg', 'SELECT c, count(*), grouping(c) FROM plan_agg GROUP BY GROUPING SETS ((c), ())'),
	('GpuSort GpuScan', 'SELECT id, sum(b) OVER (ORDER BY id) FROM plan_agg WHERE id < 5'),
	('GpuAgg', 'SELECT DISTINCT a FROM plan_agg'),
	('GpuSort GpuScan', 'SELECT DISTINCT ON (c) c, id FROM plan_agg ORDER BY c, id DESC'),
	('GpuAgg', 'SELECT id, a, c, sum(b) FROM plan_agg WHERE id < 4 GROUP BY id'),
	('GpuAgg GpuScan', 'SELECT x.a, count(*) FROM plan_agg x JOIN plan_agg y USING (id) WHERE x.a = 3 AND y.c = ''c1'' GROUP BY x.a'),
	('GpuScan', 'SELECT count(*) FROM (SELECT id FROM plan_agg WHERE a = 3 LIMIT 10) s'),
	('GpuAgg', 'SELECT a, count(*) FROM (SELECT DISTINCT a, c FROM plan_agg) s GROUP BY a'),
	('GpuScan', 'SELECT max(row_to_json(p)::text) FROM plan_agg p WHERE id < 12'),
	('', 'SELECT count(*) FROM plan_agg WHERE random() < 2 AND md5(c || a::text) < ''9'''),
	('', 'SELECT count(*) FROM plan_agg TABLESAMPLE SYSTEM (100)'),
	('', 'SELECT count(*) FROM plan_agg WHERE false');
SELECT number, gpu_nodes(query) AS found, nodes AS expected, query FROM plan_agg_queries WHERE gpu_nodes(query) <> nodes ORDER BY number;
SELECT nodes, count(*) FROM plan_agg_queries GROUP BY nodes ORDER BY nodes COLLATE "C";
-- each answers the same as PostgreSQL alone, as a set of rows
CREATE FUNCTION rows_of(query text, gpudb bool) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	found text[];
BEGIN
	PERFORM set_config('gpudb.enabled', gpudb::text, true);
	EXECUTE format('SELECT array_agg(r ORDER BY r COLLATE "C") FROM (SELECT row_to_json(q)::text AS r FROM (%s) q OFFSET 0) s', query) INTO found;
	RETURN found;
END $$;
SELECT number, query FROM plan_agg_queries WHERE rows_of(query, true) IS DISTINCT FROM rows_of(query, false) ORDER BY number;
SELECT number, query FROM plan_agg_queries WHERE rows_of(query, true) IS NULL;
RESET gpudb.enabled;
-- prepared, with a cached plan
PREPARE cached (int, text) AS SELECT c, count(*) + $1 AS n, sum(b) FILTER (WHERE c <> $2) FROM plan_agg WHERE a = $1 GROUP BY c ORDER BY c;
SET plan_cache_mode = force_generic_plan;
SELECT gpu_nodes('EXECUTE cached (1, ''c1'')');
SET gpudb.debug_require = require;
EXECUTE cached (1, 'c1');
EXECUTE cached (2, NULL);
EXECUTE cached (NULL, 'c1');
DEALLOCATE cached;
RESET plan_cache_mode;
-- cursors
BEGIN;
DECLARE ahead CURSOR FOR SELECT a, count(*), sum(b) FROM plan_agg GROUP BY a ORDER BY a;
DECLARE held CURSOR WITH HOLD FOR SELECT c, count(*) FROM plan_agg WHERE a = 3 GROUP BY c ORDER BY c;
FETCH 2 FROM ahead;
FETCH 1 FROM held;
FETCH 1 FROM ahead;
COMMIT;
FETCH ALL FROM held;
CLOSE held;
-- PL/pgSQL: its queries are exempt from debug_require, so look at the plan
CREATE FUNCTION plan_agg_loop() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r record; total numeric; line text; wanted int;
BEGIN
	SELECT sum(b) INTO total FROM plan_agg WHERE a = 3;
	RETURN NEXT total;
	FOR wanted IN 1 .. 3 LOOP
		FOR r IN SELECT c, count(*) AS n FROM plan_agg WHERE a = wanted GROUP BY c ORDER BY c LOOP
			RETURN NEXT wanted || ' ' || r.c || ' ' || r.n;
		END LOOP;
	END LOOP;
	wanted := 2;
	FOR line IN EXPLAIN (COSTS OFF) SELECT c, count(*) AS n FROM plan_agg WHERE a = wanted GROUP BY c LOOP
		IF line !~ 'Device' THEN RETURN NEXT line; END IF;
	END LOOP;
END $$;
SELECT plan_agg_loop();
DROP FUNCTION plan_agg_loop, rows_of, plan_agg_sql;
DROP VIEW plan_agg_view, plan_agg_rows;
DROP TABLE plan_agg, plan_agg_small, plan_agg_queries;
