-- Rule 4: target list, scan target list, expressions and child of a GpuAgg.
CREATE TABLE trap_04 (id int PRIMARY KEY, a int, b numeric(10,2), c text, u numeric);
INSERT INTO trap_04 SELECT i, i % 10, i % 777 / 100.0, 'c' || i % 5, i FROM generate_series(1, 20000) i;
ANALYZE trap_04;
SET gpudb.force = on;
SET gpudb.debug_require = require;
-- aggregates only in HAVING or ORDER BY, twice, inside one another's expressions; keys not in the target list
SELECT a FROM trap_04 GROUP BY a HAVING sum(b) > 7735 AND count(*) = 2000 ORDER BY max(id) DESC;
SELECT sum(b) FROM trap_04 GROUP BY a ORDER BY min(id), a LIMIT 2;
SELECT count(*), count(*), sum(b), sum(b) + count(*), -sum(b) FROM trap_04;
SELECT a, c, a + 1 AS a1, c || a AS ca, sum(b) FROM trap_04 GROUP BY a, c, a + 1 ORDER BY a, c LIMIT 3;
SELECT a + 1 AS k, sum(b * (a + 1)) FROM trap_04 GROUP BY a + 1 ORDER BY 1 LIMIT 2;
SELECT a % 2 = 0 AS even, count(*) FILTER (WHERE a % 2 = 0) FROM trap_04 GROUP BY 1 ORDER BY 1;
SELECT 'constant' AS x, 42 AS y, sum(a) FROM trap_04;
SELECT c AS "a", a AS "c", sum(b) AS "sum" FROM trap_04 GROUP BY c, a ORDER BY 1, 2 LIMIT 2;
SELECT id, b, c, sum(a) FROM trap_04 WHERE id < 3 GROUP BY id ORDER BY id;
SELECT count(*) FROM trap_04 WHERE b > 5 AND c = 'c1';
-- other range table indexes: the relation is not the first of the query, nor of the level
SELECT s.a, s.x, t.x FROM (SELECT a, sum(b) AS x FROM trap_04 p WHERE p.c = 'c1' GROUP BY a) s JOIN (SELECT a, sum(b) AS x FROM trap_04 q WHERE q.c = 'c1' AND q.id > 100 GROUP BY a) t USING (a) ORDER BY a;
WITH w AS MATERIALIZED (SELECT 1 AS one) SELECT one, x FROM w, (SELECT sum(b) AS x FROM trap_04 r WHERE r.a = 3) s;
SELECT v, x FROM (VALUES (1), (2)) v (v) LEFT JOIN (SELECT a, max(c) AS m, sum(b) AS x FROM trap_04 GROUP BY a) s ON s.a = v ORDER BY v;
SELECT * FROM (SELECT a AS k, sum(b) AS x FROM trap_04 GROUP BY a UNION ALL SELECT a + 100, sum(u) FROM trap_04 WHERE a = 1 GROUP BY a) s WHERE k > 8 ORDER BY k;
-- parameters in filters, keys, arguments and HAVING
PREPARE params (int, numeric, text) AS SELECT a + $1 AS k, sum(b + $2), count(*) FILTER (WHERE c = $3) FROM trap_04 WHERE id > $1 GROUP BY 1 HAVING sum(b) > $2 ORDER BY 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE params (1, 0.5, 'c1');
EXECUTE params (2, 1.25, 'c2');
-- dependencies: the plan goes when something in an expression does
PREPARE depends AS SELECT c, sum(b) FROM trap_04 WHERE a < 5 GROUP BY c ORDER BY c;
EXECUTE depends;
ALTER TABLE trap_04 ALTER COLUMN b TYPE numeric(12,4);
EXECUTE depends;
ALTER TABLE trap_04 DROP COLUMN a;
EXECUTE depends;
ALTER TABLE trap_04 ADD COLUMN a int DEFAULT 1;
EXECUTE depends;
-- the child computes the same columns: NaN in u sends these there
SET gpudb.debug_require = allow;
UPDATE trap_04 SET u = 'NaN' WHERE id = 11111;
SELECT c, sum(u) AS s, count(*) * 2 AS twice, upper(c) || max(u) AS x FROM trap_04 GROUP BY c HAVING count(*) > 1000 ORDER BY c;
SELECT sum(u), count(*) + 1 FROM trap_04 HAVING max(u) > 5;
SELECT count(*) FROM trap_04 GROUP BY id % 3, u > 5 ORDER BY max(u), 1;
SELECT id % 3 AS k, sum(u) FROM trap_04 GROUP BY 1 HAVING sum(u) <> 'NaN' ORDER BY 1;
SELECT id, c, b, sum(u) FROM trap_04 WHERE id IN (5, 11111) GROUP BY id ORDER BY id;
SET enable_hashagg = off;
SELECT c, sum(u) AS s, count(*) * 2 AS twice FROM trap_04 GROUP BY c ORDER BY c;
SELECT c FROM trap_04 WHERE u > 5 GROUP BY c ORDER BY c;
DEALLOCATE ALL;
DROP TABLE trap_04;
