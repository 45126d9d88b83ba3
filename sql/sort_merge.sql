-- Merge joins of what GpuSorts have put in order.
CREATE TABLE sort_merge (id int NOT NULL, h numeric, k int, t text, f float8);
INSERT INTO sort_merge SELECT i, CASE WHEN i % 50 > 0 THEN i % 4000 / 4.0 END, nullif(i * 7919 % 5000, 7), 'text' || i % 3000, i % 700 / 7.0 FROM generate_series(1, 20000) i;
CREATE TABLE sort_merge_other AS SELECT id AS no, h / 1.0 AS h, k, t, f FROM sort_merge WHERE id % 3 = 0;
ANALYZE sort_merge, sort_merge_other;
-- what no device joins
CREATE VIEW sort_merge_a AS SELECT * FROM sort_merge OFFSET 0;
CREATE VIEW sort_merge_b AS SELECT * FROM sort_merge_other OFFSET 0;
SET enable_hashjoin = off;
SET enable_nestloop = off;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT a.id, b.no, b.h FROM sort_merge_a a JOIN sort_merge_b b ON a.h = b.h');
SELECT explain FROM explain('SELECT a.h, count(*) FROM sort_merge_a a FULL JOIN sort_merge_b b ON a.h = b.h GROUP BY a.h');
CREATE TABLE sort_merge_queries (number int, sql text);
INSERT INTO sort_merge_queries VALUES
	(1, 'SELECT a.id, b.no, b.h FROM sort_merge_a a JOIN sort_merge_b b ON a.h = b.h'), (2, 'SELECT a.id, b.no FROM sort_merge_a a LEFT JOIN sort_merge_b b ON a.h = b.h AND a.k = b.k'),
	(3, 'SELECT a.id, b.no, a.f FROM sort_merge_a a FULL JOIN sort_merge_b b ON a.h = b.h AND a.t = b.t'), (4, 'SELECT id FROM sort_merge_a a WHERE EXISTS (SELECT 1 FROM sort_merge_b b WHERE a.h = b.h AND b.no % 2 = 0)'),
	(5, 'SELECT id FROM sort_merge_a a WHERE NOT EXISTS (SELECT 1 FROM sort_merge_b b WHERE a.h = b.h)'), (6, 'SELECT a.h, count(*), min(b.no) FROM sort_merge_a a JOIN sort_merge_b b ON a.h = b.h GROUP BY a.h'),
	(7, 'SELECT a.id, c.id FROM sort_merge_a a JOIN sort_merge_b b ON a.h = b.h AND a.k = b.k JOIN sort_merge_a c ON c.h = b.h AND c.k = b.k'), (8, 'SELECT a.id, b.no FROM sort_merge_a a JOIN sort_merge_b b ON a.h = b.h WHERE b.k < 100 ORDER BY a.h, a.id, b.no'),
	(9, 'SELECT a.id, (SELECT count(*) FROM sort_merge_b b JOIN sort_merge_a c ON b.h = c.h WHERE b.k = a.k) FROM sort_merge_a a WHERE a.id < 6');
SELECT compare_answers('sort_merge_queries', 'GpuSort');
-- a row of one side that comes again and again
SELECT count(*), sum(a.id), sum(b.no) FROM sort_merge_a a JOIN sort_merge_b b ON a.h % 3 = b.h % 3 AND a.k % 50 = b.k % 50;
-- an error
SELECT count(*), sum(q.x) FROM (SELECT 7 / (id - 5) AS x, h FROM sort_merge OFFSET 0) q JOIN sort_merge_b b ON q.h = b.h;
DROP TABLE sort_merge, sort_merge_other, sort_merge_queries CASCADE;
