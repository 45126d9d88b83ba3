-- once rows went out nothing may start again: a scan fails window by window, not as a whole
CREATE TABLE trap_14 (id int NOT NULL, n numeric);
INSERT INTO trap_14 SELECT i, CASE WHEN i IN (31000, 50000) THEN 'NaN'::numeric ELSE i % 100 END FROM generate_series(1, 60000) i;
ANALYZE trap_14;
SET gpudb.force = on;
SET synchronize_seqscans = on;
SELECT count(*), count(DISTINCT id), sum(id) FROM (SELECT id FROM trap_14 WHERE n >= 50 OFFSET 0) s;
SELECT id FROM trap_14 WHERE n > 98 AND id BETWEEN 30900 AND 31100;
BEGIN;
DECLARE c CURSOR FOR SELECT id, n FROM trap_14 WHERE n > 98;
FETCH 2 FROM c;
MOVE 306 FROM c;
FETCH 4 FROM c;
MOVE FORWARD ALL FROM c;
FETCH 1 FROM c;
COMMIT;
DROP TABLE trap_14;
