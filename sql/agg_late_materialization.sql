-- Columns of groups that keys determine: read from the table's row when a group goes out, or keys like all others.
CREATE TABLE agg_late_c (id int PRIMARY KEY, name text, bal numeric, made date, far text, tag bpchar(30), n int);
INSERT INTO agg_late_c SELECT i, 'name of customer ' || i, CASE WHEN i % 5 > 0 THEN i * 1.25 END, '2024-01-01'::date + i % 300,
	CASE i % 50 WHEN 0 THEN repeat(md5(i::text), 200) WHEN 1 THEN NULL ELSE 'near ' || i END, 'tag ' || i % 7, i % 10
FROM generate_series(1, 1000) i;
CREATE TABLE agg_late_p (a int, b text COLLATE "C", v float8, w text, PRIMARY KEY (b, a));
INSERT INTO agg_late_p SELECT i, 'part ' || i % 10, i / 8.0, 'w' || i FROM generate_series(1, 200) i;
CREATE TABLE agg_late_f (c int, a int, b text COLLATE "C", x numeric(10, 2), bad numeric);
INSERT INTO agg_late_f SELECT CASE WHEN i % 13 > 0 THEN i * 7 % 1100 END, i % 210, 'part ' || i % 10, i % 1000 * 0.25, i FROM generate_series(1, 20000) i;
ANALYZE agg_late_c, agg_late_p, agg_late_f;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
-- keys are longer where reading rows costs much
SET random_page_cost = 1000;
SELECT explain FROM explain($$SELECT c.id, c.name, c.far, sum(x) s FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id ORDER BY s DESC LIMIT 5$$) WHERE explain ~ 'Group Key|Read by Key';
SET random_page_cost = 0;
SET gpudb.device = cpu;
-- of groups of one row each, sums differ and numbers of rows tie: few rows are read by key, or all would be
SELECT explain FROM explain($$SELECT id, name, far, sum(n) s FROM agg_late_c GROUP BY id ORDER BY s DESC LIMIT 5$$) WHERE explain ~ 'Group Key|Read by Key|Top';
SELECT explain FROM explain($$SELECT id, name, far, count(*) s FROM agg_late_c GROUP BY id ORDER BY s DESC LIMIT 5$$) WHERE explain ~ 'Group Key|Read by Key|Top';
RESET gpudb.device;
-- from here on it costs nothing
SET cpu_operator_cost = 0;
SET cpu_index_tuple_cost = 0;
SET cpu_tuple_cost = 0;
SELECT explain($$SELECT c.id, c.name, c.far, sum(x) s FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id ORDER BY s DESC LIMIT 5$$);
SELECT c.id, c.name, c.bal, c.made, left(c.far, 20), length(c.far), c.tag, sum(x) s FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id ORDER BY s DESC, c.id LIMIT 5;
CREATE TABLE agg_late_queries (n int, sql text);
INSERT INTO agg_late_queries VALUES
	(1, $$SELECT c.id, c.name, c.bal, c.made, c.far, c.tag, sum(x) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id$$),
	-- the columns within expressions, and those of the table that is read
	(2, $$SELECT c.id + n, upper(c.name) || c.tag, count(*) FROM agg_late_c c GROUP BY c.id$$),
	-- no row, no columns
	(3, $$SELECT c.id, c.name, c.bal, count(*), max(x) FROM agg_late_f f LEFT JOIN agg_late_c c ON f.c = c.id GROUP BY c.id$$),
	-- two tables, one with a key of two columns in another order
	(4, $$SELECT p.a, c.id, p.b, c.name, p.v, p.w, c.far, sum(x) FROM agg_late_f f JOIN agg_late_p p ON f.a = p.a AND f.b = p.b JOIN agg_late_c c ON f.c = c.id WHERE c.id < 300 GROUP BY c.id, p.a, p.b$$),
	-- a table with itself
	(5, $$SELECT c.id, d.id, c.name, d.name, d.bal, count(*) FROM agg_late_c c JOIN agg_late_c d ON c.id = d.id + 1 GROUP BY c.id, d.id$$),
	-- other keys beside
	(6, $$SELECT c.id, f.b, c.name, c.far, sum(x) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY f.b, c.id$$),
	-- HAVING by them, and by what is there before
	(7, $$SELECT c.id, c.name, sum(x) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id HAVING c.far LIKE 'near 1%' AND sum(x) > 100$$),
	(8, $$SELECT c.id, c.name, sum(x) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id HAVING sum(x) > 2000$$),
	-- sorted by them
	(9, $$SELECT c.id, c.name, sum(x) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id ORDER BY c.name LIMIT 7$$),
	-- below other things
	(10, $$SELECT q.name, r.name FROM (SELECT c.id, c.name, sum(x) s FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id GROUP BY c.id) q JOIN (SELECT c.id, c.name, max(x) s FROM agg_late_f f JOIN agg_late_c c ON f.a = c.id GROUP BY c.id) r USING (id)$$),
	(11, $$SELECT c.id, c.name, count(*) FROM agg_late_c c GROUP BY c.id UNION ALL SELECT p.a, p.w, count(*) FROM agg_late_p p GROUP BY p.b, p.a$$),
	(12, $$SELECT a.n, (SELECT max(s.name || s.k) FROM (SELECT c.name, c.id, count(*) k FROM agg_late_c c WHERE c.n = a.n GROUP BY c.id) s) FROM generate_series(1, 9) a (n)$$);
CREATE FUNCTION late_answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SELECT count(*) || %L || md5(string_agg(q::text, %L ORDER BY q::text)) FROM (%s) q', ' rows ', ',', query) INTO answer;
	RETURN answer;
END $$;
CREATE FUNCTION reads_late(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(trim(e), '; ') FROM explain(query) e WHERE e ~ 'Read by Key' $$;
CREATE TABLE agg_late_answers AS SELECT n, late_answer(sql) AS answer, reads_late(sql) AS late FROM agg_late_queries;
SET gpudb.debug_require = allow;
SET gpudb.enabled = off;
SELECT n, answer = late_answer(sql) AS same, late FROM agg_late_queries JOIN agg_late_answers USING (n) ORDER BY n;
RESET gpudb.enabled;
-- the row that the query's snapshot sees
SET gpudb.debug_require = require;
BEGIN;
DECLARE agg_late_before CURSOR FOR SELECT c.id, c.name, count(*) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id WHERE c.id < 4 GROUP BY c.id ORDER BY c.id;
UPDATE agg_late_c SET name = 'new ' || id WHERE id < 4;
DELETE FROM agg_late_c WHERE id = 2;
FETCH ALL agg_late_before;
SELECT c.id, c.name, count(*) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id WHERE c.id < 4 GROUP BY c.id ORDER BY c.id;
ROLLBACK;
-- a plan that lasts, until the key goes
SET plan_cache_mode = force_generic_plan;
PREPARE agg_late_plan (int) AS SELECT c.id, c.name, count(*) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id WHERE c.id < $1 GROUP BY c.id, c.name ORDER BY c.id;
EXECUTE agg_late_plan (4);
UPDATE agg_late_c SET name = 'other ' || id WHERE id = 3;
EXECUTE agg_late_plan (5);
SELECT explain FROM explain('EXECUTE agg_late_plan (5)') WHERE explain ~ 'Group Key|Read by Key';
ALTER TABLE agg_late_c DROP CONSTRAINT agg_late_c_pkey;
EXECUTE agg_late_plan (5);
SELECT explain FROM explain('EXECUTE agg_late_plan (5)') WHERE explain ~ 'Group Key|Read by Key';
DEALLOCATE agg_late_plan;
RESET plan_cache_mode;
-- a key that may be broken for a while determines nothing
ALTER TABLE agg_late_c ADD PRIMARY KEY (id) DEFERRABLE INITIALLY DEFERRED;
SELECT reads_late('SELECT c.id, c.name, count(*) FROM agg_late_c c GROUP BY c.id, c.name');
ALTER TABLE agg_late_c DROP CONSTRAINT agg_late_c_pkey, ADD PRIMARY KEY (id);
-- PostgreSQL answers with all columns, too
SET gpudb.debug_require = allow;
UPDATE agg_late_f SET bad = 'NaN' WHERE c = 2;
SELECT explain FROM explain('SELECT c.id, c.name, c.made, sum(bad) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id WHERE c.id < 4 GROUP BY c.id', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Read by Key|Fallback';
SELECT c.id, c.name, c.made, sum(bad) FROM agg_late_f f JOIN agg_late_c c ON f.c = c.id WHERE c.id < 4 GROUP BY c.id ORDER BY c.id;
-- partitions: the key is their parent's, whose index has no rows
CREATE TABLE agg_late_h (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE agg_late_h1 PARTITION OF agg_late_h FOR VALUES FROM (0) TO (50);
CREATE TABLE agg_late_h2 PARTITION OF agg_late_h FOR VALUES FROM (50) TO (1000);
INSERT INTO agg_late_h SELECT i, 'h' || i FROM generate_series(1, 100) i;
SELECT reads_late('SELECT h.id, h.name, sum(x) FROM agg_late_f f JOIN agg_late_h h ON f.c = h.id GROUP BY h.id');
SELECT h.id, h.name, sum(x) FROM agg_late_f f JOIN agg_late_h h ON f.c = h.id WHERE h.id IN (49, 50, 51) GROUP BY h.id ORDER BY h.id;
-- hidden rows stay hidden
CREATE ROLE agg_late_user;
GRANT SELECT ON agg_late_c, agg_late_f TO agg_late_user;
ALTER TABLE agg_late_c ENABLE ROW LEVEL SECURITY;
CREATE POLICY agg_late_odd ON agg_late_c USING (id % 2 = 1);
SET ROLE agg_late_user;
SELECT c.id, c.name, count(*) FROM agg_late_f f LEFT JOIN agg_late_c c ON f.c = c.id WHERE f.c < 6 GROUP BY c.id ORDER BY c.id;
RESET ROLE;
DROP FUNCTION late_answer, reads_late;
DROP TABLE agg_late_c, agg_late_p, agg_late_f, agg_late_h, agg_late_queries, agg_late_answers;
DROP ROLE agg_late_user;
