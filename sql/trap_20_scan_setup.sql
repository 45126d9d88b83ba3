-- Rule 20: scans begin at the first block whatever synchronize_seqscans says, and take the relation's predicate lock.
CREATE TABLE trap_20 (id int NOT NULL, k int, t text);
INSERT INTO trap_20 SELECT i, i % 10, repeat('t', 1000) FROM generate_series(1, 40000) i;
CREATE TABLE trap_20_other (id int);
ANALYZE trap_20, trap_20_other;
SET gpudb.force = on;
SET synchronize_seqscans = on;
-- a table above a quarter of shared_buffers: PostgreSQL's own second scan joins the first in the middle
BEGIN;
SET LOCAL gpudb.enabled = off;
DECLARE own CURSOR FOR SELECT id FROM trap_20;
MOVE 20000 FROM own;
SELECT id > 1 AS in_the_middle FROM trap_20 LIMIT 1;
SET LOCAL gpudb.enabled = on;
SET LOCAL gpudb.debug_require = require;
SELECT id FROM trap_20 WHERE k = 3 LIMIT 2;
DECLARE c CURSOR FOR SELECT id FROM trap_20 WHERE k = 3;
MOVE 1000 FROM c;
SELECT id FROM trap_20 WHERE k = 3 LIMIT 2;
FETCH 1 FROM c;
SELECT count(*), sum(id) FROM trap_20 WHERE k = 3;
COMMIT;
RESET synchronize_seqscans;
-- predicate locks: only at SERIALIZABLE, on the relation as a sequential scan takes it
CREATE VIEW trap_20_locks AS SELECT relation::regclass, mode, locktype FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'SIReadLock' AND relation::regclass::text LIKE 'trap_20%' ORDER BY 1, 2, 3;
SET gpudb.debug_require = require;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM trap_20 WHERE k = 3;
SELECT * FROM trap_20_locks;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM trap_20 WHERE k = 3;
SELECT * FROM trap_20_locks;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT id FROM trap_20 WHERE k = 3 LIMIT 1;
SELECT * FROM trap_20_locks;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM trap_20_other;
SELECT * FROM trap_20_locks;
COMMIT;
-- a cursor takes it with its first row
BEGIN ISOLATION LEVEL SERIALIZABLE;
DECLARE c CURSOR FOR SELECT id FROM trap_20 WHERE k = 3;
SELECT * FROM trap_20_locks;
FETCH 1 FROM c;
SELECT * FROM trap_20_locks;
COMMIT;
-- a read-only deferrable transaction needs none
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*) FROM trap_20 WHERE k = 3;
SELECT * FROM trap_20_locks;
COMMIT;
DROP VIEW trap_20_locks;
DROP TABLE trap_20, trap_20_other;
