-- Rule 21: rows of pages that a cursor has pinned stand still while they are updated, updated in place of the page (HOT), or deleted.
CREATE TABLE trap_21 (id int PRIMARY KEY, k int, n numeric(10,2), t text) WITH (fillfactor = 60);
INSERT INTO trap_21 SELECT i, i % 10, i / 4.0, 'text ' || i FROM generate_series(1, 6000) i;
CREATE TABLE trap_21_wide (id int, a int, b text, c numeric, d text);
INSERT INTO trap_21_wide SELECT i, nullif(i % 3, 0), CASE WHEN i % 5 > 0 THEN 'b' || i END, i / 3.0, CASE WHEN i % 7 > 0 THEN repeat('d', i % 40) END FROM generate_series(1, 3000) i;
VACUUM ANALYZE trap_21, trap_21_wide;
CREATE FUNCTION fetched(cursor_name text) RETURNS TABLE (n int8, ids int8, sums numeric, texts text) LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := cursor_name; r record;
BEGIN
	n := 0; ids := 0; sums := 0; texts := '';
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		n := n + 1; ids := ids + r.id; sums := sums + r.n; texts := md5(texts || coalesce(r.t, '-'));
	END LOOP;
	RETURN NEXT;
END $$;
SET gpudb.force = on;
SELECT gpu_nodes('SELECT id, n, t FROM trap_21 WHERE k = 3');
-- what each cursor must return
SELECT count(*), sum(id), sum(n) FROM trap_21 WHERE k = 3;
BEGIN;
DECLARE c CURSOR FOR SELECT id, n, t FROM trap_21 WHERE k = 3;
SELECT * FROM fetched('c');
COMMIT;
-- HOT updates of rows in hand, to longer and to shorter text, NULL, other filters; twice the same row
BEGIN;
DECLARE c CURSOR FOR SELECT id, n, t FROM trap_21 WHERE k = 3;
FETCH 1 FROM c;
UPDATE trap_21 SET t = 'hot ' || t, n = 0 WHERE k = 3 AND id < 3000;
UPDATE trap_21 SET t = NULL, k = 11 WHERE k = 3 AND id < 2000;
UPDATE trap_21 SET t = repeat(t, 3) WHERE id % 2 = 0;
SELECT * FROM fetched('c');
SELECT count(*), sum(id), sum(n), count(t) FROM trap_21 WHERE k = 3;
SELECT count(*), sum(id), sum(n), count(t) FROM trap_21 WHERE k = 11;
ROLLBACK;
-- updates that move rows to other pages, deletes, inserts into the same pages
BEGIN;
DECLARE c CURSOR FOR SELECT id, n, t FROM trap_21 WHERE k = 3;
FETCH 1 FROM c;
UPDATE trap_21 SET id = id + 100000, t = repeat('long', 100) WHERE k = 3;
DELETE FROM trap_21 WHERE id % 3 = 0;
INSERT INTO trap_21 SELECT i, 3, 1, 'new' FROM generate_series(200001, 203000) i;
SELECT * FROM fetched('c');
ROLLBACK;
-- in subtransactions that are rolled back between the fetches
BEGIN;
DECLARE c CURSOR FOR SELECT id, n, t FROM trap_21 WHERE k = 3;
FETCH 1 FROM c;
SAVEPOINT s;
DELETE FROM trap_21;
INSERT INTO trap_21 SELECT i, 3, 1, 'new' FROM generate_series(200001, 206000) i;
ROLLBACK TO s;
INSERT INTO trap_21 SELECT i, 3, 1, 'newer' FROM generate_series(200001, 206000) i;
FETCH 1 FROM c;
ROLLBACK TO s;
SELECT * FROM fetched('c');
COMMIT;
-- the header changes too: locks, and the hint bits of many readers
BEGIN;
DECLARE c CURSOR FOR SELECT id, n, t FROM trap_21 WHERE k = 3;
FETCH 1 FROM c;
SELECT count(*) FROM (SELECT 1 FROM trap_21 FOR UPDATE) s;
SELECT count(*) FROM (SELECT 1 FROM trap_21 WHERE k = 3 FOR KEY SHARE) s;
SELECT * FROM fetched('c');
COMMIT;
-- WHERE CURRENT OF finds the row by its place on the page
BEGIN;
DECLARE c CURSOR FOR SELECT id + 0 AS id FROM trap_21 WHERE k = 3;
DELETE FROM trap_21 WHERE CURRENT OF c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT id + 0 AS id FROM trap_21 WHERE k = 3;
FETCH 3 FROM c;
DELETE FROM trap_21 WHERE CURRENT OF c RETURNING id, t;
UPDATE trap_21 SET t = 'again' WHERE CURRENT OF c RETURNING id, t;
FETCH 1 FROM c;
UPDATE trap_21 SET t = 'current' WHERE CURRENT OF c RETURNING id, t;
FETCH 1 FROM c;
SELECT id, t FROM trap_21 WHERE k = 3 AND id < 60 ORDER BY id;
MOVE ALL FROM c;
SAVEPOINT s;
DELETE FROM trap_21 WHERE CURRENT OF c;
ROLLBACK TO s;
DECLARE g CURSOR FOR SELECT k, count(*) FROM trap_21 WHERE k = 3 GROUP BY k;
FETCH 1 FROM g;
DELETE FROM trap_21 WHERE CURRENT OF g;
ROLLBACK;
-- all columns, with NULLs, of rows that are gone by the time they are fetched
BEGIN;
DECLARE w CURSOR FOR SELECT id, a, b, round(c, 2) AS c, d FROM trap_21_wide WHERE a = 1 AND id < 20;
FETCH 2 FROM w;
DELETE FROM trap_21_wide;
FETCH ALL FROM w;
ROLLBACK;
DROP FUNCTION fetched;
DROP TABLE trap_21, trap_21_wide;
