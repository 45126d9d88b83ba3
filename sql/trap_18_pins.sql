-- Rule 18: buffer pins are a scarce good: many cursors, each with a batch of pages in hand, and everything else still works.
CREATE TABLE trap_18 (id int NOT NULL, k int, t text);
INSERT INTO trap_18 SELECT i, i % 10, repeat('t', 200) FROM generate_series(1, 60000) i;
CREATE TABLE trap_18_other (id int PRIMARY KEY, t text);
INSERT INTO trap_18_other SELECT i, repeat('o', 300) FROM generate_series(1, 20000) i;
VACUUM ANALYZE trap_18, trap_18_other;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*), sum(id) FROM trap_18 WHERE k = 3;
BEGIN;
SET LOCAL gpudb.debug_require = allow;
-- each cursor is in its fifth batch, of 16 windows
DO $$
DECLARE
	c refcursor; found int;
BEGIN
	FOR i IN 1 .. 60 LOOP
		c := 'cursor_' || i;
		OPEN c SCROLL FOR EXECUTE format('SELECT id FROM trap_18 WHERE k = %s', i % 10);
		MOVE FORWARD 5000 FROM c;
		FETCH c INTO found;
		IF found IS DISTINCT FROM (50001 + (i + 9) % 10) THEN
			RAISE 'cursor % found %', i, found;
		END IF;
	END LOOP;
END $$;
SELECT count(*) FROM pg_cursors WHERE name LIKE 'cursor%';
-- other statements need buffers too
SELECT count(*), sum(length(t)) FROM trap_18_other WHERE id > 10;
SET LOCAL gpudb.enabled = off;
SELECT count(*), sum(length(t)) FROM trap_18_other WHERE id > 10;
UPDATE trap_18_other SET t = t || 'x' WHERE id % 3 = 0;
CREATE TABLE trap_18_copy AS SELECT * FROM trap_18_other;
CREATE INDEX ON trap_18_copy (t, id);
SELECT count(*) FROM trap_18_copy WHERE length(t) = 301;
SET LOCAL gpudb.enabled = on;
SELECT count(*), sum(id) FROM trap_18 WHERE k = 3;
DELETE FROM trap_18 WHERE k = 4;
FETCH 1 FROM cursor_7;
FETCH 1 FROM cursor_14;
FETCH PRIOR FROM cursor_14;
SAVEPOINT s;
FETCH 1 FROM cursor_21;
SELECT 1 / 0;
ROLLBACK TO s;
FETCH 1 FROM cursor_21;
FETCH LAST FROM cursor_60;
CLOSE cursor_1;
CLOSE ALL;
SELECT count(*), sum(id) FROM trap_18 WHERE k = 3;
COMMIT;
SELECT count(*), sum(id) FROM trap_18 WHERE k = 3;
-- an error with everything open leaves nothing pinned: VACUUM may have every page for itself
BEGIN;
DO $$ DECLARE c refcursor; BEGIN FOR i IN 1 .. 30 LOOP c := 'cursor_' || i; OPEN c FOR EXECUTE 'SELECT id FROM trap_18 WHERE k = ' || i % 10; MOVE FORWARD 100 FROM c; END LOOP; END $$;
SELECT 1 / 0;
ROLLBACK;
VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) trap_18;
SELECT count(*), sum(id) FROM trap_18 WHERE k = 4;
-- all of the budget is back
SELECT count(*), sum(id) FROM trap_18 WHERE k = 3;
DROP TABLE trap_18, trap_18_other, trap_18_copy;
