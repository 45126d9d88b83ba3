-- What is cached, as the views tell, whom they tell it, and how it is forgotten
SET gpudb.force = on;
SET gpudb.device = cpu;
CREATE TABLE tablet_views (id int NOT NULL, k int, n numeric(12,2), filler text);
INSERT INTO tablet_views SELECT i, nullif(i % 10, 0), i * 0.5, repeat('-', 500) FROM generate_series(1, 20000) i;
VACUUM ANALYZE tablet_views;
SELECT * FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass;
SELECT sum(id), count(k) FROM tablet_views;
SELECT relation, column_name, first_block, blocks, blocks_lost, rows, form, bytes, bytes_raw, hits, rebuilds FROM gpudb.tablets
	WHERE relation = 'tablet_views'::regclass ORDER BY column_name, first_block;
SELECT sum(n) FROM tablet_views;
SELECT relation, tablets, columns, bytes, bytes_raw, percent_valid, hits, bytes_saved, rebuilds, unused, last_use BETWEEN now() - interval '1 hour' AND clock_timestamp() AS used_of_late
	FROM gpudb.cache WHERE relation = 'tablet_views'::regclass;
-- blocks that have changed are known when a query has looked
UPDATE tablet_views SET k = 3 WHERE ctid IN ('(5,1)', '(1100,2)', '(1101,2)');
SELECT DISTINCT first_block, blocks_lost FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass ORDER BY 1;
VACUUM tablet_views;
SELECT sum(id), count(k) FROM tablet_views;
SELECT DISTINCT first_block, blocks_lost > 0 AS some_lost FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass ORDER BY 1;
SELECT percent_valid BETWEEN 99 AND 99.9 AS nearly_valid, hits, rebuilds FROM gpudb.cache WHERE relation = 'tablet_views'::regclass;
-- what is cached and can be used is what stands in the pages
SELECT column_name, tablets, blocks BETWEEN 1370 AND 1431 AS blocks, rows BETWEEN 19000 AND 20000 AS rows, differences
	FROM gpudb.check('tablet_views') ORDER BY 1;
DELETE FROM tablet_views WHERE ctid IN ('(7,1)', '(7,2)');
BEGIN;
DELETE FROM tablet_views WHERE ctid BETWEEN '(20,1)' AND '(30,99)';
SELECT sum(differences) FROM gpudb.check('tablet_views');
ROLLBACK;
SELECT * FROM gpudb.check('pg_class');

-- others see what they may read, and forget what is theirs
CREATE ROLE tablet_views_user;
GRANT SELECT (k) ON tablet_views TO tablet_views_user;
SET ROLE tablet_views_user;
SELECT relation, columns FROM gpudb.cache;
SELECT gpudb.evict('tablet_views');
SELECT * FROM gpudb.check('tablet_views');
RESET ROLE;
ALTER TABLE tablet_views ENABLE ROW LEVEL SECURITY;
SET ROLE tablet_views_user;
SELECT count(*) AS seen_of_rows_that_are_hidden FROM gpudb.tablets;
RESET ROLE;
ALTER TABLE tablet_views DISABLE ROW LEVEL SECURITY;
REVOKE SELECT (k) ON tablet_views FROM tablet_views_user;
SET ROLE tablet_views_user;
SELECT count(*) FROM gpudb.tablets;
RESET ROLE;
DROP ROLE tablet_views_user;
SELECT gpudb.evict('tablet_views') AS tablets;
SELECT gpudb.evict('tablet_views') AS tablets;
SELECT count(*) FROM gpudb.cache WHERE relation = 'tablet_views'::regclass;
SELECT gpudb.evict('tablet_views_that_is_not');
SELECT gpudb.evict(NULL) IS NULL AS null_for_null;

-- while a query uses them
SELECT sum(id) FROM tablet_views;
BEGIN;
DECLARE c CURSOR FOR SELECT id / 5000 AS g, count(*) FROM tablet_views GROUP BY 1 ORDER BY 1;
FETCH 1 FROM c;
SELECT gpudb.evict('tablet_views') AS tablets;
FETCH ALL FROM c;
COMMIT;

-- files that are no more
SELECT sum(id) FROM tablet_views;
SELECT count(*) FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass;
TRUNCATE tablet_views;
SELECT count(*) FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass;
INSERT INTO tablet_views VALUES (1, 2, 3);
SELECT sum(id) FROM tablet_views;
SELECT column_name, blocks, rows FROM gpudb.tablets WHERE relation = 'tablet_views'::regclass;
DROP TABLE tablet_views;
