-- Rule 9: row marks (FOR UPDATE, UPDATE ... FROM, DELETE ... USING, MERGE) keep their query level with PostgreSQL.
CREATE TABLE trap_09 (id int NOT NULL, k int, n numeric(10,2));
INSERT INTO trap_09 SELECT i, i % 10, i % 777 / 100.0 FROM generate_series(1, 20000) i;
CREATE TABLE trap_09_b AS SELECT * FROM trap_09 WHERE id <= 3000;
ANALYZE trap_09, trap_09_b;
SET gpudb.force = on;
SELECT id FROM trap_09 WHERE k = 3 AND id < 60 FOR UPDATE;
SELECT id FROM trap_09 WHERE k = 3 AND id < 30 FOR KEY SHARE;
SELECT id FROM trap_09 WHERE k = 3 LIMIT 2 FOR UPDATE SKIP LOCKED;
SELECT a.id, b.n FROM trap_09 a JOIN trap_09_b b USING (id) WHERE a.k = 3 AND a.id < 30 FOR SHARE OF a;
SELECT a.id, s.c FROM trap_09_b a JOIN (SELECT k, count(*) AS c FROM trap_09 GROUP BY k) s USING (k) WHERE a.id < 4 ORDER BY a.id FOR UPDATE OF a;
UPDATE trap_09_b SET n = trap_09.n + 1 FROM trap_09 WHERE trap_09.id = trap_09_b.id AND trap_09.k = 4;
SELECT count(*), sum(n) FROM trap_09_b;
UPDATE trap_09_b SET n = 0 WHERE k = 5 AND n > (SELECT avg(n) FROM trap_09);
UPDATE trap_09 SET n = n + 1 WHERE k = 6 AND id IN (SELECT id FROM trap_09_b WHERE k = 6);
DELETE FROM trap_09_b USING trap_09 WHERE trap_09.id = trap_09_b.id AND trap_09.k = 7;
DELETE FROM trap_09_b WHERE k = 8;
SELECT count(*), sum(n) FROM trap_09_b;
MERGE INTO trap_09_b b USING (SELECT id, k, n FROM trap_09 WHERE k = 9 AND id < 4000) s ON s.id = b.id WHEN MATCHED AND s.n > 5 THEN DELETE WHEN MATCHED THEN UPDATE SET n = -1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.k, s.n);
SELECT count(*), sum(n) FROM trap_09_b;
WITH moved AS (DELETE FROM trap_09_b WHERE k = 1 RETURNING *) SELECT count(*), sum(n) FROM moved;
UPDATE trap_09 SET k = 100 WHERE ctid IN (SELECT ctid FROM trap_09 WHERE k = 2 LIMIT 5);
SELECT count(*) FROM trap_09 WHERE k = 100;
-- the bound of a LIMIT does not reach a CustomScan: no row is lost or computed twice
SELECT id FROM trap_09 WHERE k = 3 ORDER BY n, id LIMIT 3;
SELECT id FROM (SELECT id, n FROM trap_09 WHERE k = 3 LIMIT 5) s ORDER BY id LIMIT 3;
SELECT k, c FROM (SELECT k, count(*) AS c FROM trap_09 GROUP BY k) s ORDER BY c DESC, k LIMIT 2;
SELECT s.id FROM (SELECT id FROM trap_09 WHERE k = 3) s, generate_series(1, 2) g ORDER BY 1 LIMIT 3;
DROP TABLE trap_09, trap_09_b;
