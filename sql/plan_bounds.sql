-- The planner, free, with what PostgreSQL does dear: plans for a device are found wherever they may be, though it looks for them only where PostgreSQL's cost enough.
CREATE TABLE plan_bounds_f (id int PRIMARY KEY, d int NOT NULL, e int NOT NULL, v int8 NOT NULL, t text NOT NULL);
CREATE TABLE plan_bounds_d (id int PRIMARY KEY, k int NOT NULL, t text NOT NULL);
CREATE TABLE plan_bounds_e (id int PRIMARY KEY, k int NOT NULL, p point NOT NULL);
INSERT INTO plan_bounds_f SELECT i, i % 500 + 1, i % 300 + 1, i * 7 % 1000, 't' || i % 40 FROM generate_series(1, 30000) i;
INSERT INTO plan_bounds_d SELECT i, i % 7, 'd' || i % 5 FROM generate_series(1, 500) i;
INSERT INTO plan_bounds_e SELECT i, i % 11, point(i, 1) FROM generate_series(1, 300) i;
VACUUM ANALYZE plan_bounds_f, plan_bounds_d, plan_bounds_e;
SET max_parallel_workers_per_gather = 0;
\pset format unaligned
\pset tuples_only on
-- The nodes of a query, the nodes of PostgreSQL's that group, and whether its rows are PostgreSQL's.
CREATE FUNCTION bounds_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	nodes text := '';
	ours text;
	theirs text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		nodes := concat_ws(' ', nullif(nodes, ''), coalesce(substring(line FROM '\((Gpu\w+)\)'), substring(line FROM '(\w*Aggregate|Hash Join|Nested Loop)')));
	END LOOP;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO ours;
	PERFORM set_config('gpudb.enabled', 'off', false);
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', false);
	RETURN format('%s: %s', nodes, CASE WHEN ours IS NOT DISTINCT FROM theirs THEN 'the same' ELSE concat_ws(' not ', ours, theirs) END);
END $$;
CREATE TABLE plan_bounds_queries (q text);
INSERT INTO plan_bounds_queries VALUES
	-- groups of a join: in one pass, or PostgreSQL's of rows that are joined
	('SELECT d.k, sum(f.v) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id GROUP BY d.k'),
	('SELECT d.k, string_agg(f.t, '','' ORDER BY f.id) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id GROUP BY d.k'),
	('SELECT string_agg(f.t, '','' ORDER BY f.id) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id'),
	('SELECT d.k + e.k, array_agg(f.v ORDER BY f.id) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id JOIN plan_bounds_e e ON f.e = e.id GROUP BY 1 HAVING count(*) > 5'),
	('SELECT coalesce(time ''11:00'', time ''12:00''), string_agg(f.t, '','' ORDER BY f.id) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id GROUP BY coalesce(time ''11:00'', time ''12:00'')'),
	-- a join that no device makes above one that it does
	('SELECT d.k, sum(f.v) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id JOIN plan_bounds_e e ON f.e = e.id AND e.p <-> point(d.k, 1) > 20 GROUP BY d.k'),
	('SELECT f.id, d.k FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id JOIN plan_bounds_e e ON f.e = e.id AND e.p <-> point(d.k, 1) > 298'),
	('SELECT f.id, d.k, e.k FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id LEFT JOIN plan_bounds_e e ON f.e = e.id AND e.k > 5 WHERE f.v < 10'),
	('SELECT DISTINCT d.k, f.e FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id WHERE f.v < 100'),
	('SELECT d.k, f.v FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id WHERE f.v < 10 ORDER BY f.v, f.id LIMIT 20'),
	('SELECT sum(f.v) FROM plan_bounds_f f WHERE EXISTS (SELECT FROM plan_bounds_d d WHERE d.id = f.d AND d.k = 3)'),
	('SELECT f.d, sum(f.v) FROM plan_bounds_f f WHERE f.e NOT IN (SELECT e.id FROM plan_bounds_e e WHERE e.k > 3) GROUP BY f.d'),
	('SELECT d.k, count(*) FROM plan_bounds_d d JOIN plan_bounds_e e ON d.id = e.id WHERE d.k = (SELECT min(f.v % 7) FROM plan_bounds_f f WHERE f.d = d.id) GROUP BY d.k'),
	('SELECT GROUPING(d.k), d.k, sum(f.v) FROM plan_bounds_f f JOIN plan_bounds_d d ON f.d = d.id GROUP BY ROLLUP (d.k)');
-- PostgreSQL's tuples and operators dear
SET cpu_tuple_cost = 2;
SET cpu_operator_cost = 1;
SELECT bounds_of(q) FROM plan_bounds_queries;
-- dear joins, too: orders of joins in which few relations are joined at a time
SET join_collapse_limit = 2;
SELECT bounds_of(q) FROM plan_bounds_queries;
RESET join_collapse_limit;
SET geqo_threshold = 2;
SELECT substring(bounds_of(q) FROM ': .*') FROM plan_bounds_queries WHERE q !~ ' e ON ';
RESET geqo_threshold;
-- as PostgreSQL's are by default, over tables so small
RESET cpu_tuple_cost;
RESET cpu_operator_cost;
SELECT substring(bounds_of(q) FROM ': .*') FROM plan_bounds_queries;
DROP FUNCTION bounds_of(text);
DROP TABLE plan_bounds_f, plan_bounds_d, plan_bounds_e, plan_bounds_queries;
