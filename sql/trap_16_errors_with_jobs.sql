-- an error above or inside a node gives back its pins and leaves no thread at work, also in a subtransaction
CREATE TABLE trap_16 (id int NOT NULL, k int, n int);
INSERT INTO trap_16 SELECT i, i % 10, i % 7 FROM generate_series(1, 60000) i;
ANALYZE trap_16;
SET gpudb.force = on;
DO $$
DECLARE
	r record;
	seen int;
	total bigint := 0;
BEGIN
	FOR i IN 1 .. 40 LOOP
		seen := 0;
		BEGIN
			FOR r IN SELECT 1000 / (id - 30003) AS q FROM trap_16 WHERE k < 5 LOOP
				seen := seen + 1;
			END LOOP;
		EXCEPTION WHEN division_by_zero THEN
			total := total + seen;
		END;
		BEGIN
			PERFORM k, sum(100 / n) FROM trap_16 GROUP BY k;
		EXCEPTION WHEN division_by_zero THEN
			total := total + 1;
		END;
	END LOOP;
	RAISE NOTICE 'rows before the errors: %', total > 0;
END;
$$;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM trap_16 WHERE k = 3;
FETCH 1 FROM c;
SAVEPOINT s;
SELECT sum(100 / n) FROM trap_16;
ROLLBACK TO s;
FETCH 1 FROM c;
SELECT sum(100 / (n + 1)) FROM trap_16;
FETCH 1 FROM c;
COMMIT;
SET gpudb.debug_require = require;
SELECT count(*), sum(id) FROM trap_16 WHERE k < 5;
DROP TABLE trap_16;
