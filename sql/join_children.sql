-- Partitioned tables and inheritance: GpuAgg and GpuJoin read child relations one after the other.
SET max_parallel_workers_per_gather = 0;
CREATE TABLE join_children (id int NOT NULL, d int, n numeric(10,2), t text COLLATE "C", b text COLLATE "C") PARTITION BY RANGE (id);
CREATE TABLE join_children_1 PARTITION OF join_children FOR VALUES FROM (MINVALUE) TO (1000);
-- another order of columns, and dropped ones
CREATE TABLE join_children_2 (gone text, b text COLLATE "C", t text COLLATE "C", n numeric(10,2), gone2 int8, d int, id int NOT NULL);
ALTER TABLE join_children_2 DROP COLUMN gone, DROP COLUMN gone2;
ALTER TABLE join_children ATTACH PARTITION join_children_2 FOR VALUES FROM (1000) TO (2000);
CREATE TABLE join_children_3 PARTITION OF join_children FOR VALUES FROM (2000) TO (3000) PARTITION BY LIST (d);
CREATE TABLE join_children_3a PARTITION OF join_children_3 FOR VALUES IN (0, 1, 2);
CREATE TABLE join_children_3b PARTITION OF join_children_3 DEFAULT;
CREATE TABLE join_children_4 PARTITION OF join_children DEFAULT;
INSERT INTO join_children SELECT i, nullif(i % 7, 6), nullif(i % 500, 4) / 4.0, nullif('t' || i % 11, 't3'), 'b' || i FROM generate_series(1, 4000) i;
INSERT INTO join_children VALUES (100000, NULL, NULL, NULL, NULL);
-- a value of its own for rows that have none
ALTER TABLE join_children ADD COLUMN late int DEFAULT 5;
CREATE TABLE join_children_dim (d int, name text COLLATE "C", w int);
INSERT INTO join_children_dim SELECT i, nullif('n' || i % 3, 'n2'), i * 10 FROM generate_series(0, 4) i;
CREATE TABLE join_children_many (d int, lo int, hi int, x numeric);
INSERT INTO join_children_many SELECT i % 9, i * 50, i * 50 + 70, i % 5 / 2.0 FROM generate_series(1, 60) i;
INSERT INTO join_children_many VALUES (NULL, NULL, NULL, NULL);
ANALYZE join_children, join_children_dim, join_children_many;

-- The nodes of a query, how many members each reads, and whether its answer is PostgreSQL's.
CREATE FUNCTION join_children_check(query text) RETURNS text
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
SELECT explain($$SELECT t, count(*), sum(n) FROM join_children WHERE n > 5 GROUP BY t$$);
SELECT explain($$SELECT m.id, m.n, x.name FROM join_children m JOIN join_children_dim x USING (d) WHERE m.n > 120$$);
SELECT explain($$SELECT count(*), sum(n) FROM join_children$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT count(*), count(d), sum(n), min(t), max(b), sum(late) FROM join_children;
SELECT x.name, count(*), sum(m.n), sum(x.w), max(m.t) FROM join_children m LEFT JOIN join_children_dim x USING (d) GROUP BY x.name ORDER BY 1;
-- groups
SELECT join_children_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(n), avg(n), min(b), max(late), stddev(n) FROM join_children WHERE n > 5 OR n IS NULL',
	'SELECT d, t, count(*), sum(n), min(b) FROM join_children GROUP BY d, t',
	'SELECT id, count(*), sum(n) FROM join_children GROUP BY id',
	'SELECT id % 3 AS r, count(*) FILTER (WHERE d > 2), sum(late) FROM join_children WHERE t LIKE ''t1%'' GROUP BY 1',
	'SELECT t, sum(n) AS s FROM join_children GROUP BY t ORDER BY s DESC, t LIMIT 3',
	'SELECT d, count(*) FROM join_children GROUP BY d HAVING count(*) > 570',
	'SELECT DISTINCT d, late FROM join_children']) q;
-- members that are pruned, or all of them
SELECT join_children_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(n) FROM join_children WHERE id < 1500 AND n > 3',
	'SELECT count(*), sum(n) FROM join_children WHERE id BETWEEN 2000 AND 2999 AND d = 5',
	'SELECT count(*), sum(n) FROM join_children WHERE id >= 3000',
	'SELECT count(*), sum(n) FROM join_children WHERE id = 5 AND id = 5000']) q;
-- joins: their groups, and their rows
SELECT join_children_check(q) FROM unnest(ARRAY[
	'SELECT x.name, m.t, count(*), sum(m.n), max(m.b) FROM join_children m JOIN join_children_dim x USING (d) GROUP BY x.name, m.t',
	'SELECT y.x, count(*), sum(m.n * y.x) FROM join_children m JOIN join_children_many y ON y.d = m.d AND y.lo < m.id GROUP BY y.x',
	'SELECT y.d, count(*), sum(m.n) FROM join_children m JOIN join_children_many y ON m.id BETWEEN y.lo AND y.hi GROUP BY y.d',
	'SELECT count(*), sum(m.n) FROM join_children m WHERE EXISTS (SELECT FROM join_children_many y WHERE y.d = m.d AND y.x > 1)',
	'SELECT count(*), sum(m.n) FROM join_children m WHERE NOT EXISTS (SELECT FROM join_children_dim y WHERE y.d = m.d)',
	'SELECT count(*), sum(m.n), count(x.w) FROM join_children m LEFT JOIN join_children_dim x ON x.d = m.d AND x.w < m.id LEFT JOIN join_children_many y ON y.lo = m.id',
	'SELECT m.id, m.n, m.late, x.name, x.w FROM join_children m JOIN join_children_dim x USING (d)',
	'SELECT m.id, x.w, y.x FROM join_children m LEFT JOIN join_children_dim x USING (d) LEFT JOIN join_children_many y ON y.lo = m.id',
	'SELECT m.id, m.n FROM join_children m WHERE NOT EXISTS (SELECT FROM join_children_many y WHERE y.d = m.d AND y.lo > m.id)',
	'SELECT m.id, x.name FROM join_children m JOIN join_children_dim x USING (d) WHERE m.id BETWEEN 900 AND 1100']) q;
-- a tree on either side, and one as the inner side
SELECT join_children_check(q) FROM unnest(ARRAY[
	'SELECT count(*), sum(a.n), sum(b.n) FROM join_children a JOIN join_children b ON b.id = a.id + 1000 WHERE b.d < 4',
	'SELECT count(*), sum(m.n) FROM join_children_dim x JOIN join_children m ON m.id = x.w']) q;
-- those that remain apart: PostgreSQL joins what scans of the members return
SET gpudb.debug_require = allow;
SELECT gpu_nodes('SELECT m.id, x.w FROM join_children m FULL JOIN join_children_dim x USING (d)'),
	gpu_nodes('SELECT m.b, x.w FROM join_children m JOIN join_children_dim x USING (d) WHERE m.n > 3'),
	gpu_nodes('SELECT tableoid, count(*) FROM join_children GROUP BY 1'),
	gpu_nodes('SELECT count(*) FROM join_children TABLESAMPLE system (100)'),
	gpu_nodes('SELECT id FROM join_children WHERE n > 3 FOR UPDATE');
SELECT tableoid::regclass, count(*) FROM join_children GROUP BY 1 ORDER BY 1;
SET gpudb.debug_require = require;
-- again and again, in parts, and interrupted
SELECT g, (SELECT count(*) || ' ' || sum(m.n) FROM join_children m JOIN join_children_dim x USING (d) WHERE m.n > g AND x.w < g * 2) FROM generate_series(5, 50, 15) g;
BEGIN;
DECLARE join_children_cursor CURSOR FOR SELECT m.id, x.w FROM join_children m JOIN join_children_dim x USING (d) WHERE m.n = 5.25;
FETCH 2 FROM join_children_cursor;
FETCH ALL FROM join_children_cursor;
COMMIT;
SELECT count(*) FROM (SELECT m.id, x.w FROM join_children m JOIN join_children_dim x USING (d) LIMIT 7) q;
SET gpudb.debug_yield = 9;
SELECT join_children_check('SELECT m.t, count(*), sum(m.n), sum(y.x) FROM join_children m JOIN join_children_many y USING (d) GROUP BY m.t');
SELECT join_children_check('SELECT m.id, y.x FROM join_children m JOIN join_children_many y USING (d)');
RESET gpudb.debug_yield;
-- errors are PostgreSQL's, whichever member has the row
SET gpudb.debug_require = allow;
SELECT sum(1 / (id - 2500)) FROM join_children;
SELECT sum(1 / (m.id - 2500)), sum(x.w) FROM join_children m JOIN join_children_dim x USING (d);
SET gpudb.debug_require = require;
-- a value that the columns of the others did not let expect
SET gpudb.debug_require = allow;
INSERT INTO join_children (id, d, n) VALUES (200000, 3, 'NaN');
SELECT join_children_check('SELECT d, sum(n), max(n) FROM join_children GROUP BY d');
DELETE FROM join_children WHERE id = 200000;
-- what others see: rows of this transaction, and members that come and go under a prepared plan
SET plan_cache_mode = force_generic_plan;
PREPARE join_children_sum AS SELECT count(*), sum(m.n), sum(x.w) FROM join_children m JOIN join_children_dim x USING (d) WHERE m.n > 1;
EXECUTE join_children_sum;
ALTER TABLE join_children DETACH PARTITION join_children_2;
EXECUTE join_children_sum;
ALTER TABLE join_children ATTACH PARTITION join_children_2 FOR VALUES FROM (1000) TO (2000);
EXECUTE join_children_sum;
BEGIN;
INSERT INTO join_children SELECT 5000 + i, 3, 7 FROM generate_series(1, 10) i;
TRUNCATE join_children_3a;
EXECUTE join_children_sum;
ROLLBACK;
EXECUTE join_children_sum;
-- row-level security is the parent's
CREATE ROLE join_children_user;
GRANT SELECT ON join_children, join_children_dim TO join_children_user;
CREATE POLICY join_children_some ON join_children USING (id % 2 = 0);
ALTER TABLE join_children ENABLE ROW LEVEL SECURITY;
SET ROLE join_children_user;
SELECT count(*), sum(n) FROM join_children;
SELECT count(*), sum(n), sum(w) FROM join_children JOIN join_children_dim USING (d);
SELECT count(*) FROM join_children_1;
RESET ROLE;
-- inheritance: the parent has rows, too, and a child may have NULLs where the parent has none
CREATE TABLE join_children_parent (a int NOT NULL, b text COLLATE "C", c numeric);
CREATE TABLE join_children_child (more int8) INHERITS (join_children_parent);
CREATE TABLE join_children_other (x int, c numeric, gone int, a int NOT NULL, b text COLLATE "C");
ALTER TABLE join_children_other DROP COLUMN gone;
ALTER TABLE join_children_other INHERIT join_children_parent;
ALTER TABLE join_children_other ALTER COLUMN a DROP NOT NULL;
INSERT INTO join_children_parent SELECT i, 'p' || i % 5, i % 10 FROM generate_series(1, 1000) i;
INSERT INTO join_children_child SELECT i, 'c' || i % 5, i % 20 / 2.0, i FROM generate_series(1001, 2000) i;
INSERT INTO join_children_other (x, c, a, b) SELECT i, i % 20 / 4.0, nullif(i % 4, 0), 'o' || i % 5 FROM generate_series(2001, 3000) i;
ANALYZE join_children_parent, join_children_child, join_children_other;
SELECT join_children_check(q) FROM unnest(ARRAY[
	'SELECT count(*), count(a), sum(a), sum(c), min(b) FROM join_children_parent',
	'SELECT count(*), count(a), sum(a), sum(c), min(b) FROM ONLY join_children_parent',
	'SELECT a, count(*) FROM join_children_parent WHERE a < 10 OR a IS NULL GROUP BY a',
	'SELECT p.a, p.c, x.name FROM join_children_parent p JOIN join_children_dim x ON x.d = p.a',
	'SELECT p.a, p.c, x.name FROM join_children_parent p LEFT JOIN join_children_dim x ON x.w = p.a']) q;
DEALLOCATE ALL;
DROP TABLE join_children_child, join_children_other, join_children_parent, join_children, join_children_dim, join_children_many;
DROP FUNCTION join_children_check;
DROP ROLE join_children_user;
