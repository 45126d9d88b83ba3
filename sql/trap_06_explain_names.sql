-- Rule 6: aliases in EXPLAIN and range table indexes are right wherever a GpuAgg stands: upper relations have no relids.
CREATE TABLE trap_06 (id int NOT NULL, k int, v numeric(10,2));
INSERT INTO trap_06 SELECT i, i % 10, i % 77 / 10.0 FROM generate_series(1, 3000) i;
CREATE TABLE trap_06_other (k int, name text);
INSERT INTO trap_06_other SELECT i, 'n' || i FROM generate_series(0, 9) i;
ANALYZE trap_06, trap_06_other;
SET gpudb.force = on;
-- names with a prefix where there are several relations, quoted where they must be
SELECT explain($$SELECT o.name, s.total FROM trap_06_other o JOIN (SELECT p.k, sum(p.v) AS total FROM trap_06 p WHERE p.id > 5 GROUP BY p.k) s ON s.k = o.k WHERE o.k = 3$$);
SELECT explain($$SELECT "My Alias".k, count(*) FROM trap_06 AS "My Alias" (id, k, "V 1") WHERE "V 1" > 1 GROUP BY "My Alias".k HAVING max("V 1") > 2$$);
SELECT explain($$SELECT (SELECT sum(v) FROM trap_06 i WHERE i.k = o.k AND i.id <> o.id) FROM trap_06 o WHERE o.id < 3$$);
SELECT explain($$SELECT count(*) FROM trap_06 a WHERE a.k = 1 UNION ALL SELECT count(*) FROM trap_06 b WHERE b.k = 2 UNION ALL SELECT sum(c.k) FROM trap_06 c$$);
SELECT explain($$WITH w AS MATERIALIZED (SELECT x.k, max(x.v) AS m FROM trap_06 x GROUP BY x.k) SELECT w1.m, w2.m FROM w w1 JOIN w w2 ON w2.k = w1.k + 1, trap_06_other y WHERE y.k = w1.k$$);
SELECT explain($$SELECT z.name FROM trap_06_other z WHERE EXISTS (SELECT count(*) FROM trap_06 q WHERE q.k = z.k HAVING sum(q.v) > 1000)$$, 'VERBOSE, COSTS OFF');
-- the indexes: the relation is the first, middle and last of its query, in arms of a union and at several depths
SELECT o.name, s.total FROM trap_06_other o JOIN (SELECT p.k, sum(p.v) AS total FROM trap_06 p WHERE p.id > 5 GROUP BY p.k) s ON s.k = o.k WHERE o.k < 3 ORDER BY 1;
SELECT s.total, o.name FROM (SELECT p.k, sum(p.v) AS total FROM trap_06 p WHERE p.id > 5 GROUP BY p.k) s JOIN trap_06_other o ON s.k = o.k WHERE o.k < 3 ORDER BY 2;
SELECT a.name, s.n, t.n FROM trap_06_other a JOIN (SELECT k, count(*) AS n FROM trap_06 WHERE v > 1 GROUP BY k) s USING (k) JOIN trap_06_other b USING (k) JOIN (SELECT k, count(*) AS n FROM trap_06 WHERE v > 2 GROUP BY k) t USING (k) WHERE k > 7 ORDER BY 1;
SELECT 'a' AS arm, count(*) AS n, sum(v) FROM trap_06 WHERE k = 1 UNION ALL SELECT 'b', sum(k), max(v) FROM trap_06 WHERE k = 2 UNION ALL (SELECT o.name, s.n, s.m FROM trap_06_other o, (SELECT k, min(id) AS n, min(v) AS m FROM trap_06 GROUP BY k) s WHERE s.k = o.k AND o.k = 5) ORDER BY 1;
SELECT k, n FROM (SELECT k, n FROM (SELECT k, count(*) AS n FROM (SELECT * FROM (SELECT id, k, v FROM trap_06 WHERE id > 10) d WHERE v > 1) c GROUP BY k) b WHERE n > 100) a WHERE k IN (SELECT o.k FROM trap_06_other o WHERE o.name > 'n6') ORDER BY k;
WITH w AS MATERIALIZED (SELECT x.k, max(x.v) AS m FROM trap_06 x GROUP BY x.k) SELECT y.name, w1.m, w2.m FROM w w1 JOIN w w2 ON w2.k = w1.k + 1, trap_06_other y WHERE y.k = w1.k AND y.k > 6 ORDER BY 1;
SELECT z.name FROM trap_06_other z WHERE EXISTS (SELECT count(*) FROM trap_06 q WHERE q.k = z.k AND q.id < 1000 HAVING sum(q.v) > 380) ORDER BY 1;
-- both children of a set operation over the same relation, columns in other orders and of other types
SELECT k, sum(v) FROM trap_06 WHERE id < 1000 GROUP BY k INTERSECT SELECT k, sum(v) FROM trap_06 WHERE id < 1000 OR k > 4 GROUP BY k ORDER BY 1;
SELECT count(*) AS x, k AS y FROM trap_06 GROUP BY k UNION SELECT k, count(*) FROM trap_06 WHERE k < 2 GROUP BY k ORDER BY 1, 2;
-- dropped columns before, after and among those used
ALTER TABLE trap_06 ADD COLUMN late int DEFAULT 7;
ALTER TABLE trap_06 DROP COLUMN k;
SELECT explain($$SELECT s.late, o.name FROM trap_06_other o, (SELECT late, sum(v) FROM trap_06 GROUP BY late) s WHERE o.k = s.late$$);
SELECT s.*, o.name FROM trap_06_other o, (SELECT late, sum(v) FROM trap_06 GROUP BY late) s WHERE o.k = s.late;
DROP TABLE trap_06, trap_06_other;
