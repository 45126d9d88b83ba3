-- Partitioned tables and inheritance: GpuAgg and GpuJoin read child relations one after the other.
SET max_parallel_workers_per_gather = 0;
CREATE TABLE join_members (id int NOT NULL, d int, n numeric(10,2), t text COLLATE "C", b text COLLATE "C") PARTITION BY RANGE (id);
CREATE TABLE join_members_1 PARTITION OF join_members FOR VALUES FROM (MINVALUE) TO (1000);
-- another order of columns, and dropped ones
CREATE TABLE join_members_2 (gone text, b text COLLATE "C", t text COLLATE "C", n numeric(10,2), gone2 int8, d int, id int NOT NULL);
ALTER TABLE join_members_2 DROP COLUMN gone, DROP COLUMN gone2;
ALTER TABLE join_members ATTACH PARTITION join_members_2 FOR VALUES FROM (1000) TO (2000);
CREATE TABLE join_members_3 PARTITION OF join_members FOR VALUES FROM (2000) TO (3000) PARTITION BY LIST (d);
CREATE TABLE join_members_3a PARTITION OF join_members_3 FOR VALUES IN (0, 1, 2);
CREATE TABLE join_members_3b PARTITION OF join_members_3 DEFAULT;
CREATE TABLE join_members_4 PARTITION OF join_members DEFAULT;
INSERT INTO join_members SELECT i, nullif(i % 7, 6), nullif(i % 500, 4) / 4.0, nullif('t' || i % 11, 't3'), 'b' || i FROM generate_series(1, 4000) i;
INSERT INTO join_members VALUES (100000, NULL, NULL, NULL, NULL);
-- a value of its own for rows that have none
ALTER TABLE join_members ADD COLUMN late int DEFAULT 5;
CREATE TABLE join_members_dim (d int, name text COLLATE "C", w int);
INSERT INTO join_members_dim SELECT i, nullif('n' || i % 3, 'n2'), i * 10 FROM generate_series(0, 4) i;
CREATE TABLE join_members_many (d int, lo int, hi int, x numeric);
INSERT INTO join_members_many SELECT i % 9, i * 50, i * 50 + 70, i % 5 / 2.0 FROM generate_series(1, 60) i;
INSERT INTO join_members_many VALUES (NULL, NULL, NULL, NULL);
ANALYZE join_members, join_members_dim, join_members_many;

-- The nodes of a query, how many members each reads, and whether its answer is PostgreSQL's.
CREATE FUNCTION join_members_check(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	rows text := 'SELECT array_agg(q::text ORDER BY q::text) FROM (' || query || ') q';
	line text;
	nodes text := '';
	found text[];
	wanted text[];
BEGIN
	PERFORM set_config('gpudb.debug_require', 'require', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		nodes := nodes || coalesce(' ' || substring(line FROM '\((Gpu\w+)\)'), '') || coalesce(' of' || substring(line FROM 'Child Relations:( \d+)'), '');
	END LOOP;
	EXECUTE rows INTO found;
	PERFORM set_config('gpudb.debug_require', 'allow', true), set_config('gpudb.enabled', 'off', true);
	EXECUTE rows INTO wanted;
	PERFORM set_config('gpudb.enabled', 'on', true);
	RETURN format('%s rows, %s,%s', cardinality(wanted), CASE WHEN found IS NOT DISTINCT FROM wanted THEN 'equal' ELSE 'different' END, nodes);
END $$;

SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT explain($$SELECT t, count(*), sum(n) FROM join_members WHERE n > 5 GROUP BY t$$);
SELECT explain($$SELECT m.id, m.n, x.name FROM join_members m JOIN join_members_dim x USING (d) WHERE m.n > 120$$);
SELECT explain($$SELECT count(*), sum(n) FROM join_members$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT count(*), count(d), sum(n), min(t), max(b), sum(late) FROM join_members;
SELECT x.name, count(*), sum(m.n), sum(x.w), max(m.t) FROM join_members m LEFT JOIN join_members_dim x USING (d) GROUP BY x.name ORDER BY 1;
-- groups
SELECT join_members_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(n), avg(n), min(b), max(late), stddev(n) FROM join_members WHERE n > 5 OR n IS NULL',
	'SELECT d, t, count(*), sum(n), min(b) FROM join_members GROUP BY d, t',
	'SELECT id, count(*), sum(n) FROM join_members GROUP BY id',
	'SELECT id % 3 AS r, count(*) FILTER (WHERE d > 2), sum(late) FROM join_members WHERE t LIKE ''t1%'' GROUP BY 1',
	'SELECT t, sum(n) AS s FROM join_members GROUP BY t ORDER BY s DESC, t LIMIT 3',
	'SELECT d, count(*) FROM join_members GROUP BY d HAVING count(*) > 570',
	'SELECT DISTINCT d, late FROM join_members']) q;
-- members that are pruned, or all of them
SELECT join_members_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(n) FROM join_members WHERE id < 1500 AND n > 3',
	'SELECT count(*), sum(n) FROM join_members WHERE id BETWEEN 2000 AND 2999 AND d = 5',
	'SELECT count(*), sum(n) FROM join_members WHERE id >= 3000',
	'SELECT count(*), sum(n) FROM join_members WHERE id = 5 AND id = 5000']) q;
-- joins: their groups, and their rows
SELECT join_members_check(q) FROM unnest(ARRAY[
	'SELECT x.name, m.t, count(*), sum(m.n), max(m.b) FROM join_members m JOIN join_members_dim x USING (d) GROUP BY x.name, m.t',
	'SELECT y.x, count(*), sum(m.n * y.x) FROM join_members m JOIN join_members_many y ON y.d = m.d AND y.lo < m.id GROUP BY y.x',
	'SELECT y.d, count(*), sum(m.n) FROM join_members m JOIN join_members_many y ON m.id BETWEEN y.lo AND y.hi GROUP BY y.d',
	'SELECT count(*), sum(m.n) FROM join_members m WHERE EXISTS (SELECT FROM join_members_many y WHERE y.d = m.d AND y.x > 1)',
	'SELECT count(*), sum(m.n) FROM join_members m WHERE NOT EXISTS (SELECT FROM join_members_dim y WHERE y.d = m.d)',
	'SELECT count(*), sum(m.n), count(x.w) FROM join_members m LEFT JOIN join_members_dim x ON x.d = m.d AND x.w < m.id LEFT JOIN join_members_many y ON y.lo = m.id',
	'SELECT m.id, m.n, m.late, x.name, x.w FROM join_members m JOIN join_members_dim x USING (d)',
	'SELECT m.id, x.w, y.x FROM join_members m LEFT JOIN join_members_dim x USING (d) LEFT JOIN join_members_many y ON y.lo = m.id',
	'SELECT m.id, m.n FROM join_members m WHERE NOT EXISTS (SELECT FROM join_members_many y WHERE y.d = m.d AND y.lo > m.id)',
	'SELECT m.id, x.name FROM join_members m JOIN join_members_dim x USING (d) WHERE m.id BETWEEN 900 AND 1100']) q;
-- a tree on either side, and one as the inner side
SELECT join_members_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(a.n), sum(b.n) FROM join_members a JOIN join_members b ON b.id = a.id + 1000 WHERE b.d < 4',
	'SELECT count(*), sum(m.n) FROM join_members_dim x JOIN join_members m ON m.id = x.w']) q;
-- those that remain apart: PostgreSQL joins what scans of the members return
SET gpudb.debug_require = allow;
SELECT gpu_nodes('SELECT m.id, x.w FROM join_members m FULL JOIN join_members_dim x USING (d)'),
	gpu_nodes('SELECT m.b, x.w FROM join_members m JOIN join_members_dim x USING (d) WHERE m.n > 3'),
	gpu_nodes('SELECT tableoid, count(*) FROM join_members GROUP BY 1'),
	gpu_nodes('SELECT count(*) FROM join_members TABLESAMPLE system (100)'),
	gpu_nodes('SELECT id FROM join_members WHERE n > 3 FOR UPDATE');
SELECT tableoid::regclass, count(*) FROM join_members GROUP BY 1 ORDER BY 1;
SET gpudb.debug_require = require;
-- again and again, in parts, and interrupted
SELECT g, (SELECT count(*) || ' ' || sum(m.n) FROM join_members m JOIN join_members_dim x USING (d) WHERE m.n > g AND x.w < g * 2) FROM generate_series(5, 50, 15) g;
BEGIN;
DECLARE join_members_cursor CURSOR FOR SELECT m.id, x.w FROM join_members m JOIN join_members_dim x USING (d) WHERE m.n = 5.25;
FETCH 2 FROM join_members_cursor;
FETCH ALL FROM join_members_cursor;
COMMIT;
SELECT count(*) FROM (SELECT m.id, x.w FROM join_members m JOIN join_members_dim x USING (d) LIMIT 7) q;
SET gpudb.debug_yield = 9;
SELECT join_members_check('SELECT m.t, count(*), sum(m.n), sum(y.x) FROM join_members m JOIN join_members_many y USING (d) GROUP BY m.t');
SELECT join_members_check('SELECT m.id, y.x FROM join_members m JOIN join_members_many y USING (d)');
RESET gpudb.debug_yield;
-- errors are PostgreSQL's, whichever member has the row
SET gpudb.debug_require = allow;
SELECT sum(1 / (id - 2500)) FROM join_members;
SELECT sum(1 / (m.id - 2500)), sum(x.w) FROM join_members m JOIN join_members_dim x USING (d);
SET gpudb.debug_require = require;
-- a value that the columns of the others did not let expect
SET gpudb.debug_require = allow;
INSERT INTO join_members (id, d, n) VALUES (200000, 3, 'NaN');
SELECT join_members_check('SELECT d, sum(n), max(n) FROM join_members GROUP BY d');
DELETE FROM join_members WHERE id = 200000;
-- what others see: rows of this transaction, and members that come and go under a prepared plan
SET plan_cache_mode = force_generic_plan;
PREPARE join_members_sum AS SELECT count(*), sum(m.n), sum(x.w) FROM join_members m JOIN join_members_dim x USING (d) WHERE m.n > 1;
EXECUTE join_members_sum;
ALTER TABLE join_members DETACH PARTITION join_members_2;
EXECUTE join_members_sum;
ALTER TABLE join_members ATTACH PARTITION join_members_2 FOR VALUES FROM (1000) TO (2000);
EXECUTE join_members_sum;
BEGIN;
INSERT INTO join_members SELECT 5000 + i, 3, 7 FROM generate_series(1, 10) i;
TRUNCATE join_members_3a;
EXECUTE join_members_sum;
ROLLBACK;
EXECUTE join_members_sum;
-- row-level security is the parent's
CREATE ROLE join_members_user;
GRANT SELECT ON join_members, join_members_dim TO join_members_user;
CREATE POLICY join_members_some ON join_members USING (id % 2 = 0);
ALTER TABLE join_members ENABLE ROW LEVEL SECURITY;
SET ROLE join_members_user;
SELECT count(*), sum(n) FROM join_members;
SELECT count(*), sum(n), sum(w) FROM join_members JOIN join_members_dim USING (d);
SELECT count(*) FROM join_members_1;
RESET ROLE;
-- inheritance: the parent has rows, too, and a child may have NULLs where the parent has none
CREATE TABLE join_members_parent (a int NOT NULL, b text COLLATE "C", c numeric);
CREATE TABLE join_members_child (more int8) INHERITS (join_members_parent);
CREATE TABLE join_members_other (x int, c numeric, gone int, a int NOT NULL, b text COLLATE "C");
ALTER TABLE join_members_other DROP COLUMN gone;
ALTER TABLE join_members_other INHERIT join_members_parent;
ALTER TABLE join_members_other ALTER COLUMN a DROP NOT NULL;
INSERT INTO join_members_parent SELECT i, 'p' || i % 5, i % 10 FROM generate_series(1, 1000) i;
INSERT INTO join_members_child SELECT i, 'c' || i % 5, i % 20 / 2.0, i FROM generate_series(1001, 2000) i;
INSERT INTO join_members_other (x, c, a, b) SELECT i, i % 20 / 4.0, nullif(i % 4, 0), 'o' || i % 5 FROM generate_series(2001, 3000) i;
ANALYZE join_members_parent, join_members_child, join_members_other;
SELECT join_members_check(q) FROM unnest(ARRAY[
	'SELECT count(*), count(a), sum(a), sum(c), min(b) FROM join_members_parent',
	'SELECT count(*), count(a), sum(a), sum(c), min(b) FROM ONLY join_members_parent',
	'SELECT a, count(*) FROM join_members_parent WHERE a < 10 OR a IS NULL GROUP BY a',
	'SELECT p.a, p.c, x.name FROM join_members_parent p JOIN join_members_dim x ON x.d = p.a',
	'SELECT p.a, p.c, x.name FROM join_members_parent p LEFT JOIN join_members_dim x ON x.w = p.a']) q;
DEALLOCATE ALL;
DROP TABLE join_members_child, join_members_other, join_members_parent, join_members, join_members_dim, join_members_many;
DROP FUNCTION join_members_check;
DROP ROLE join_members_user;
