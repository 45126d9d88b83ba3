-- Columns that queries leave behind: found by others as long as they are the rows that a snapshot sees, and never later
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
-- of a query: tablets used and left behind, blocks of the former that were read, and whether the next run of it gives PostgreSQL's answer
CREATE FUNCTION tablet_cache(query text, OUT used int, OUT added int, OUT reread int, OUT right_answer bool) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	ours text;
	theirs text;
BEGIN
	-- PostgreSQL prunes the pages that it reads, and so changes them
	PERFORM set_config('gpudb.enabled', 'off', true), set_config('gpudb.debug_require', 'allow', true);
	EXECUTE query INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', true), set_config('gpudb.debug_require', 'require', true);
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	used := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	added := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Added"')::int, 0);
	reread := coalesce(jsonb_path_query_first(plan, '$.**."Cached Blocks Reread"')::int, 0);
	EXECUTE query INTO ours;
	right_answer := ours IS NOT DISTINCT FROM theirs;
END $$;
CREATE TABLE tablet_cache (id int NOT NULL, k int, n numeric(12,2), f float8, m bigint, t text, filler text);
INSERT INTO tablet_cache SELECT i, i % 7, i * 0.01, i / 4.0, CASE WHEN i % 3 = 0 THEN i END, 'row ' || i, repeat('-', 300) FROM generate_series(1, 40000) i;
SELECT tablet_cache('SELECT ROW(count(*), sum(id)) FROM tablet_cache') AS not_vacuumed;
VACUUM ANALYZE tablet_cache;
SELECT relpages BETWEEN 1022 AND 2042 AS two_tablets FROM pg_class WHERE relname = 'tablet_cache';

-- the first query leaves columns behind, the second one finds them; others add theirs
SELECT tablet_cache('SELECT ROW(count(*), sum(id)) FROM tablet_cache');
SELECT tablet_cache('SELECT ROW(count(*), sum(id)) FROM tablet_cache');
SELECT tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f)) FROM tablet_cache WHERE id > 5');
SELECT tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f)) FROM tablet_cache WHERE id > 5');
SELECT tablet_cache('SELECT ROW(min(m), avg(n)) FROM tablet_cache WHERE m IS NULL OR id < 100');
SELECT tablet_cache('SELECT array_agg(s ORDER BY s) FROM (SELECT ROW(k, count(*), sum(n), count(m))::text AS s FROM tablet_cache GROUP BY k OFFSET 0) g') AS groups;
SELECT tablet_cache('SELECT count(*) FROM tablet_cache');
SELECT tablet_cache('SELECT count(*) FROM tablet_cache WHERE t LIKE ''%77%''') AS texts_are_cached;
SET gpudb.cache = off;
SELECT tablet_cache('SELECT ROW(count(*), sum(id)) FROM tablet_cache') AS switched_off;
RESET gpudb.cache;
SET gpudb.debug_yield = 7;
SELECT tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f)) FROM tablet_cache WHERE id > 5') AS with_yields;
RESET gpudb.debug_yield;

-- tablets whose least and greatest values let no row pass are skipped; what may fail first is not
CREATE FUNCTION tablets_skipped(query text, OUT skipped int, OUT rows_in int, OUT right_answer bool) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	skipped := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Skipped"')::int, 0);
	rows_in := jsonb_path_query_first(plan, '$.**."Rows In"')::int;
	SELECT t.right_answer INTO right_answer FROM tablet_cache(query) t;
END $$;
SELECT c AS condition, (tablets_skipped('SELECT ROW(count(*), sum(n), min(id)) FROM tablet_cache WHERE ' || c)).*
	FROM unnest(ARRAY['id < 100', 'id BETWEEN 30000 AND 30100', 'id > 40000', '3 * id < 90 AND id < 100', 'NOT (id >= 200)', 'id IN (7, 9, 11)',
		'id < 10 OR id > 39990', 'id < 10 OR n < 1', 'n > 399.99', 'n = 17.5', 'm < 1000', 'm IS NULL AND id < 50', 
		'1 / (id - 40001) < 5 AND (id > 40000 OR id > 40002 OR id > 40003)']) c;
SELECT (tablets_skipped('SELECT array_agg(s ORDER BY s) FROM (SELECT ROW(k, count(*))::text AS s FROM tablet_cache WHERE id < 5000 GROUP BY k OFFSET 0) g')).*;
DROP FUNCTION tablets_skipped;

-- a block that has changed is read, also after VACUUM; the others are known not to have changed by the map, then by their own LSNs
DELETE FROM tablet_cache WHERE id = 40000;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS deleted;
UPDATE tablet_cache SET n = n + 1 WHERE id = 3;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS updated;
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS vacuumed;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS vacuumed;
INSERT INTO tablet_cache SELECT i, 1, 1, 1, 1, 'new', repeat('-', 300) FROM generate_series(40001, 40100) i;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS grown;
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS vacuumed;

-- one row of any block, at the ends of bytes, words and tablets, has its own block read and no other one
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS all_there;
SELECT statement FROM unnest('{0,2,3,4,5,30,31,32,33,36,1018,1019,1020,1021,1022,1025,1300}'::int[]) WITH ORDINALITY b(block, i),
	LATERAL (VALUES (1, format('DELETE FROM tablet_cache WHERE ctid = ''(%s,1)''', block)),
		(2, format($$SELECT %s AS block, used, added, reread, right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache')$$, block)),
		(3, 'VACUUM tablet_cache'),
		(4, $$SELECT used, added, reread, right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache')$$)) v(n, statement)
	ORDER BY i, n \gexec

-- so many blocks have changed that the tablets are built anew, also before VACUUM: whoever has changed them has ended
UPDATE tablet_cache SET n = n + 1 WHERE id % 100 = 1;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS built_anew;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS found;
-- VACUUM changes pages without a transaction, and logs that; what is found is found at the next moment, too
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS built_anew;
SELECT pg_current_xact_id() IS NOT NULL AS another_moment;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS found;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS found;
-- some blocks have changed: the query that reads them makes the tablets whole again
SELECT added, right_answer FROM tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f), sum(id)) FROM tablet_cache');
UPDATE tablet_cache SET n = -n, m = CASE WHEN id % 2 = 0 THEN id END, f = NULL WHERE id % 900 = 2;
DELETE FROM tablet_cache WHERE id BETWEEN 5000 AND 5100;
SELECT used, added, reread BETWEEN 40 AND 100 AS some_reread, right_answer FROM tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f), sum(id)) FROM tablet_cache') AS made_whole;
SELECT tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f), sum(id)) FROM tablet_cache') AS found;
SELECT tablet_cache('SELECT ROW(count(f), count(*), min(n), sum(m)) FROM tablet_cache WHERE f IS NULL OR id > 7') AS found;
VACUUM tablet_cache;
SELECT used, right_answer FROM tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f), sum(id)) FROM tablet_cache') AS vacuumed;
SELECT used, right_answer FROM tablet_cache('SELECT ROW(sum(n), sum(m), count(m), max(f), sum(id)) FROM tablet_cache') AS found;
-- columns that are built later join those of the same rows, whatever was lost before
DELETE FROM tablet_cache WHERE ctid IN ('(7,1)', '(1030,2)');
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS lost;
SELECT tablet_cache('SELECT ROW(sum(k), sum(n), count(f)) FROM tablet_cache') AS others_built;
SELECT tablet_cache('SELECT ROW(sum(k), sum(n), count(f)) FROM tablet_cache') AS found;
-- own changes have not ended: nearly all blocks are enough, and too few are not
BEGIN;
UPDATE tablet_cache SET n = n + 1 WHERE ctid = '(9,1)';
SELECT tablet_cache('SELECT ROW(sum(m), min(id)) FROM tablet_cache') AS built_with_holes;
SELECT tablet_cache('SELECT ROW(sum(m), min(id)) FROM tablet_cache') AS found;
UPDATE tablet_cache SET n = n + 1 WHERE id % 50 = 1;
SELECT used, added, reread > 500 AS many_reread, right_answer FROM tablet_cache('SELECT ROW(sum(m), min(id)) FROM tablet_cache') AS not_built;
SELECT used, added, reread > 500 AS many_reread, right_answer FROM tablet_cache('SELECT ROW(sum(m), min(id)) FROM tablet_cache') AS not_tried_again;
ROLLBACK;
SELECT used, added, reread > 500 AS many_reread, right_answer FROM tablet_cache('SELECT ROW(sum(m), min(id)) FROM tablet_cache') AS after_rollback;
VACUUM tablet_cache;

-- a table that shrinks, and grows again
UPDATE tablet_cache SET n = n + 1 WHERE id > 35000;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS built;
DELETE FROM tablet_cache WHERE ctid >= '(1200,0)';
VACUUM tablet_cache;
SELECT pg_relation_size('tablet_cache') / 8192 <= 1200 AS shrunk;
SELECT right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache');
INSERT INTO tablet_cache SELECT i, i % 7, i * 0.01, i / 4.0, i, 'row ' || i, repeat('-', 300) FROM generate_series(30001, 40000) i;
SELECT right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache');
SELECT right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache');
VACUUM tablet_cache;
SELECT right_answer FROM tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache');
-- a snapshot that is older than a change finds nothing that is newer
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS found;
UPDATE tablet_cache SET n = 0 WHERE id < 100;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS own_changes;
ROLLBACK;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS after_rollback;
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS vacuumed;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS serializable_reads_pages;
COMMIT;

-- the file stays, the attribute does not
BEGIN;
ALTER TABLE tablet_cache ADD COLUMN added int DEFAULT 5;
SELECT tablet_cache('SELECT sum(added) FROM tablet_cache') AS added;
ROLLBACK;
ALTER TABLE tablet_cache ADD COLUMN added int DEFAULT 7;
SELECT tablet_cache('SELECT sum(added) FROM tablet_cache') AS added_anew;
SELECT sum(added) FROM tablet_cache;
ALTER TABLE tablet_cache DROP COLUMN added, ADD COLUMN added int;
SELECT tablet_cache('SELECT ROW(sum(added), count(*), count(added)) FROM tablet_cache') AS another_one;
-- numerics of a larger scale than the one that was guessed
CREATE TABLE tablet_cache_scales AS SELECT i AS id, (i * 0.0001)::numeric AS n FROM generate_series(1, 5000) i;
VACUUM ANALYZE tablet_cache_scales;
SELECT tablet_cache('SELECT ROW(sum(n), max(n)) FROM tablet_cache_scales');
SELECT tablet_cache('SELECT ROW(sum(n), max(n)) FROM tablet_cache_scales');
UPDATE tablet_cache_scales SET n = 1e25 WHERE id = 2500;
VACUUM tablet_cache_scales;
SELECT tablet_cache('SELECT ROW(sum(n), max(n)) FROM tablet_cache_scales') AS wide;
SELECT tablet_cache('SELECT ROW(sum(n), max(n)) FROM tablet_cache_scales') AS wide;

-- NULLs where rows are few, then many rows without any
CREATE TABLE tablet_cache_nulls (id int, m int, filler text);
INSERT INTO tablet_cache_nulls SELECT i, CASE WHEN i % 2 = 0 THEN i END, repeat('-', 1100) FROM generate_series(1, 1200) i;
INSERT INTO tablet_cache_nulls SELECT i, i FROM generate_series(1201, 60000) i;
VACUUM ANALYZE tablet_cache_nulls;
SELECT tablet_cache('SELECT ROW(count(m), sum(m), min(m), max(id)) FROM tablet_cache_nulls');
SELECT tablet_cache('SELECT ROW(count(m), sum(m), min(m), max(id)) FROM tablet_cache_nulls');

-- another file: nothing is found
VACUUM FULL tablet_cache;
VACUUM tablet_cache;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS vacuum_full;
BEGIN;
TRUNCATE tablet_cache;
INSERT INTO tablet_cache SELECT i, 1, 1, 1, 1 FROM generate_series(1, 1000) i;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS own_file;
ROLLBACK;
SELECT tablet_cache('SELECT ROW(sum(n), count(*)) FROM tablet_cache') AS after_rollback;
-- rows that COPY FREEZE adds to a page that is all-visible already
BEGIN;
CREATE TABLE tablet_cache_frozen (id int);
COPY tablet_cache_frozen FROM STDIN WITH (FREEZE);
1
2
\.
SELECT tablet_cache('SELECT ROW(sum(id), count(*)) FROM tablet_cache_frozen') AS frozen;
COPY tablet_cache_frozen FROM STDIN WITH (FREEZE);
3
\.
SELECT tablet_cache('SELECT ROW(sum(id), count(*)) FROM tablet_cache_frozen') AS frozen;
COMMIT;
SELECT tablet_cache('SELECT ROW(sum(id), count(*)) FROM tablet_cache_frozen') AS frozen;

-- the planner's look at the map serves the run: where others write between queries, but not between planning and running one, it is read once
CREATE FUNCTION tablet_cache_looks(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	explained json;
BEGIN
	-- whatever is logged beside the test asks for another try
	FOR i IN 1 .. 2000 LOOP
		PERFORM pg_logical_emit_message(false, 'gpudb', 'others have written');
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO explained;
		IF (explained #>> '{0,Planning,Shared Hit Blocks}')::int > 0 AND (explained #>> '{0,Plan,Shared Hit Blocks}')::int = 0 THEN
			RETURN true;
		END IF;
	END LOOP;
	RAISE 'the map is read again: %', explained;
END $$;
CREATE TABLE tablet_cache_map AS SELECT generate_series(1, 5000) AS id;
VACUUM ANALYZE tablet_cache_map;
SELECT used, right_answer FROM tablet_cache('SELECT sum(id) FROM tablet_cache_map');
SELECT used, right_answer FROM tablet_cache('SELECT sum(id) FROM tablet_cache_map');
SELECT tablet_cache_looks('SELECT sum(id) FROM tablet_cache_map');
-- and a bit that was cleared meanwhile is seen
DELETE FROM tablet_cache_map WHERE id = 1;
SELECT right_answer FROM tablet_cache('SELECT sum(id) FROM tablet_cache_map');

-- what no map proves
CREATE UNLOGGED TABLE tablet_cache_unlogged AS SELECT generate_series(1, 5000) AS id;
CREATE TEMP TABLE tablet_cache_temporary AS SELECT generate_series(1, 5000) AS id;
VACUUM ANALYZE tablet_cache_unlogged;
VACUUM ANALYZE tablet_cache_temporary;
SELECT name, c.* FROM unnest('{unlogged,temporary}'::text[]) name, tablet_cache('SELECT sum(id) FROM tablet_cache_' || name) c,
	LATERAL tablet_cache('SELECT sum(id) FROM tablet_cache_' || name) again;
CREATE MATERIALIZED VIEW tablet_cache_view AS SELECT generate_series(1, 5000) AS id;
VACUUM ANALYZE tablet_cache_view;
SELECT tablet_cache('SELECT sum(id) FROM tablet_cache_view');
SELECT tablet_cache('SELECT sum(id) FROM tablet_cache_view');

-- an error in the middle of it holds nothing
SET gpudb.debug_require = allow;
SELECT sum(1 / (id - 2500)) FROM tablet_cache_view;
SELECT tablet_cache('SELECT sum(id) FROM tablet_cache_view');
DROP MATERIALIZED VIEW tablet_cache_view;
DROP TABLE tablet_cache, tablet_cache_scales, tablet_cache_nulls, tablet_cache_frozen, tablet_cache_map, tablet_cache_unlogged;
DROP FUNCTION tablet_cache, tablet_cache_looks;
