-- Rule 17: gpudb.debug_require.
CREATE TABLE trap_17 (id int NOT NULL, k int, n numeric, t text);
INSERT INTO trap_17 SELECT i, i % 10, CASE WHEN i = 3000 THEN 'NaN'::numeric ELSE i END, 't' FROM generate_series(1, 5000) i;
CREATE TABLE trap_17_parts (id int, k int) PARTITION BY LIST (k);
CREATE TABLE trap_17_part0 PARTITION OF trap_17_parts DEFAULT;
INSERT INTO trap_17_parts SELECT i, i % 10 FROM generate_series(1, 1000) i;
ANALYZE trap_17, trap_17_parts;
SET gpudb.force = on;
SET gpudb.debug_require = require;
-- runs on gpudb nodes
SELECT count(*) FROM trap_17 WHERE k = 3;
SELECT count(*) FROM trap_17_parts WHERE k = 3;
CREATE TABLE trap_17_copy AS SELECT id FROM trap_17 WHERE k = 3;
INSERT INTO trap_17_copy SELECT id FROM trap_17 WHERE k = 4;
SELECT count(*) FROM trap_17_copy;
-- does not, for a reason that the message tells
SELECT count(*) FROM trap_17 WHERE md5(t || k::text) = 'x';
\echo :SQLSTATE
SELECT count(*) FROM trap_17 a JOIN trap_17 b USING (id) WHERE a.k = 3 AND md5(b.t || b.k::text) = 'x';
SELECT id FROM trap_17 WHERE id = 3 FOR UPDATE;
SELECT count(*) FROM trap_17 TABLESAMPLE SYSTEM (100);
SELECT xmin = '1' FROM trap_17 WHERE id = 3;
CREATE TABLE trap_17_no AS SELECT id FROM trap_17 WHERE md5(t || k::text) = 'x';
INSERT INTO trap_17_copy SELECT id FROM trap_17 WHERE md5(t || k::text) = 'x';
SELECT 1 WHERE EXISTS (SELECT FROM trap_17 WHERE md5(t || k::text) = 'x');
SELECT sum(n) FROM trap_17;
\echo :SQLSTATE
SELECT id FROM trap_17 WHERE n > 2990 LIMIT 20;
SELECT count(*) FROM trap_17 WHERE 1 / (k - 5) > 0;
SET gpudb.enabled = off;
SELECT count(*) FROM trap_17 WHERE k = 3;
RESET gpudb.enabled;
SET gpudb.force = off;
SELECT count(*) FROM trap_17 WHERE k = 3;
SET gpudb.force = on;
-- is not asked: catalogs, no table at all, queries inside functions, utility statements, UPDATE and DELETE, plain EXPLAIN
SELECT count(*) > 0 FROM pg_class;
SELECT count(*) FROM generate_series(1, 3);
SELECT 1;
VALUES (1), (2);
CREATE FUNCTION trap_17_inside() RETURNS int8 LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM trap_17 WHERE md5(t || k::text) <> 'x'); END $$;
SELECT trap_17_inside();
UPDATE trap_17 SET k = 11 WHERE md5(t || k::text) <> 'x' AND id = 1;
DELETE FROM trap_17 WHERE md5(t || k::text) <> 'x' AND id = 1;
EXPLAIN (COSTS OFF) SELECT count(*) FROM trap_17 WHERE md5(t || k::text) = 'x';
ANALYZE trap_17;
CREATE INDEX trap_17_t ON trap_17 (md5(t || k::text));
-- forbid: no gpudb node at all
SET gpudb.debug_require = forbid;
SELECT count(*) FROM trap_17 WHERE k = 3;
\echo :SQLSTATE
SELECT count(*) FROM trap_17 WHERE md5(t || k::text) <> 'x';
SELECT 1;
SET gpudb.enabled = off;
SELECT count(*) FROM trap_17 WHERE k = 3;
SET gpudb.enabled = on;
SET gpudb.force = off;
SELECT count(*) FROM trap_17 WHERE id = 3;
-- allow
SET gpudb.debug_require = allow;
SET gpudb.force = on;
SELECT count(*) FROM trap_17 WHERE k = 3;
SELECT sum(n) FROM trap_17;
DROP FUNCTION trap_17_inside;
DROP TABLE trap_17, trap_17_parts, trap_17_copy;
