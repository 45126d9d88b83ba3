-- Semi joins ahead of others, which may ask for the columns that they have looked for.
CREATE TABLE join_semi_l (k int, s int, late bool);
INSERT INTO join_semi_l SELECT i / 4, i * 7 % 40, i % 3 = 0 FROM generate_series(0, 19999) i;
CREATE TABLE join_semi_o (k int PRIMARY KEY, status char(1));
INSERT INTO join_semi_o SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'O' END FROM generate_series(0, 4999) i;
CREATE TABLE join_semi_s (s int PRIMARY KEY, name text);
INSERT INTO join_semi_s SELECT i, 'name' || i FROM generate_series(0, 39) i;
ANALYZE join_semi_l, join_semi_o, join_semi_s;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
SELECT name, count(*) FROM join_semi_s s, join_semi_l l1, join_semi_o o
WHERE s.s = l1.s AND o.k = l1.k AND status = 'F' AND l1.late AND name < 'name2'
	AND EXISTS (SELECT FROM join_semi_l l2 WHERE l2.k = l1.k AND l2.s <> l1.s)
	AND NOT EXISTS (SELECT FROM join_semi_l l3 WHERE l3.k = l1.k AND l3.s <> l1.s AND l3.late)
GROUP BY name ORDER BY 1;
-- first the semi join, whose inner column is as good as the outer one
SET join_collapse_limit = 1;
SET from_collapse_limit = 1;
CREATE VIEW join_semi_v AS SELECT l1.k, l1.s FROM join_semi_l l1 WHERE EXISTS (SELECT FROM join_semi_l l2 WHERE l2.k = l1.k AND l2.s <> l1.s);
SELECT explain('SELECT sum(v.s), max(o.status) FROM join_semi_v v JOIN join_semi_o o USING (k)');
SELECT sum(v.s), max(o.status) FROM join_semi_v v JOIN join_semi_o o USING (k);
-- and rows of it for a join that is PostgreSQL's
SET gpudb.debug_require = allow;
SELECT explain('SELECT v.s, o FROM join_semi_v v JOIN join_semi_o o USING (k)');
SELECT sum(q.s), max(q.o::text) FROM (SELECT v.s, o FROM join_semi_v v JOIN join_semi_o o USING (k) OFFSET 0) q;
DROP VIEW join_semi_v;
DROP TABLE join_semi_l, join_semi_o, join_semi_s;
