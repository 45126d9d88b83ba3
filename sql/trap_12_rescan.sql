-- Rule 12: a rescan reaches the fallback child, and frees everything that the run has materialized.
CREATE TABLE trap_12 (id int NOT NULL, k int, n numeric, u numeric, t text);
INSERT INTO trap_12 SELECT i, i % 100, CASE WHEN i = 20000 THEN 'NaN'::numeric ELSE i END, round(i / 8.0, i % 4), 't' || i % 7 FROM generate_series(1, 20000) i;
CREATE TABLE trap_12_outer AS SELECT i AS id, i * 13 AS b, CASE WHEN i <> 3 THEN i::numeric ELSE 'NaN'::numeric END AS p FROM generate_series(1, 6) i;
ANALYZE trap_12, trap_12_outer;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT o.b, (SELECT count(*) FROM trap_12 WHERE id <= o.b) FROM trap_12_outer o ORDER BY o.b;
SELECT o.id, (SELECT sum(u) FROM trap_12 WHERE k = o.id) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, l.t, l.c FROM trap_12_outer o, LATERAL (SELECT t, count(*) AS c FROM trap_12 WHERE k = o.id AND id < 1000 GROUP BY t HAVING count(*) > 1) l ORDER BY 1, 2;
SELECT o.id, ARRAY(SELECT id FROM trap_12 WHERE k = o.b LIMIT 3) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, l.id FROM trap_12_outer o CROSS JOIN LATERAL (SELECT i.id FROM trap_12 i WHERE i.k = o.id OFFSET 198) l ORDER BY 1, 2;
SELECT o.id, EXISTS (SELECT FROM trap_12 WHERE id = o.b * 100 AND k = 0 OFFSET 0) FROM trap_12_outer o ORDER BY o.id;
-- the child is asked again, with other parameters
SET gpudb.debug_require = allow;
SELECT o.b, (SELECT count(*) FROM trap_12 WHERE n <= o.b AND n <> 'NaN') FROM trap_12_outer o ORDER BY o.b;
SELECT o.b, (SELECT sum(n) FROM trap_12 WHERE id <= o.b OR id = 20000 AND o.id > 4) FROM trap_12_outer o ORDER BY o.b;
SELECT o.id, (SELECT count(*) FROM trap_12 WHERE n <= o.p) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, (SELECT max(u) FROM trap_12 WHERE u <= o.p) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, (SELECT t FROM trap_12 WHERE u <= o.p AND k = 8 ORDER BY id LIMIT 1) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, ARRAY(SELECT length(t) + id FROM trap_12 WHERE u < o.p LIMIT 3) FROM trap_12_outer o ORDER BY o.id;
SELECT o.id, l.m FROM trap_12_outer o CROSS JOIN LATERAL (SELECT max(n) AS m, count(*) AS c FROM trap_12 WHERE k = o.id - 1 GROUP BY t ORDER BY 1 DESC LIMIT 1) l ORDER BY o.id;
-- the inner side of a nested loop, without parameters: the same rows again
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT o.id, count(*), sum(i.id) FROM trap_12_outer o JOIN trap_12 i ON i.k = o.id AND i.id < 5000 GROUP BY o.id ORDER BY o.id;
SELECT o.id, count(*), sum(i.id) FROM trap_12_outer o JOIN trap_12 i ON i.k = o.id AND i.n > 15000 GROUP BY o.id ORDER BY o.id;
SELECT o.id, count(*) FROM trap_12_outer o LEFT JOIN (SELECT k, sum(u) AS s FROM trap_12 GROUP BY k) g ON g.k = o.b AND g.s > o.id GROUP BY o.id ORDER BY o.id;
SELECT o.id, g.s FROM trap_12_outer o JOIN (SELECT k, sum(n) AS s FROM trap_12 GROUP BY k) g ON g.k = o.id - 1 ORDER BY o.id;
SET gpudb.debug_require = require;
SELECT o.id, g.s FROM trap_12_outer o JOIN (SELECT k, sum(u) AS s FROM trap_12 GROUP BY k) g ON g.k = o.id - 1 ORDER BY o.id;
-- a cursor that is rewound
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM trap_12 WHERE k = 3;
FETCH 2 FROM c;
MOVE ABSOLUTE 0 FROM c;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH RELATIVE -5 FROM c;
FETCH FIRST FROM c;
DECLARE g SCROLL CURSOR FOR SELECT k, count(*) FROM trap_12 GROUP BY k ORDER BY k;
FETCH LAST FROM g;
FETCH FIRST FROM g;
COMMIT;
-- a recursive query runs its part many times
WITH RECURSIVE r (level, total) AS (SELECT 1, 0::numeric UNION ALL SELECT level + 1, total + (SELECT sum(u) FROM trap_12 WHERE k = level) FROM r WHERE level < 5) SELECT * FROM r ORDER BY level;
DROP TABLE trap_12, trap_12_outer;
