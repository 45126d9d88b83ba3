-- gpudb.prewarm(): columns in the cache before a query has wanted them
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
CREATE FUNCTION tablets_found(query text, OUT cached int, OUT added int) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	cached := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	added := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Added"')::int, 0);
END $$;
CREATE TABLE tablet_prewarm (id int NOT NULL, k int, n numeric(12,2), any_scale numeric, nan numeric(8,2), code char(1), day date, wait interval, gone int,
	long_text text, filler text, raw bytea);
INSERT INTO tablet_prewarm SELECT i, nullif(i % 10, 0), i * 0.5, i * 0.0625, CASE WHEN i = 17000 THEN 'NaN' ELSE i / 3.0 END, chr(65 + i % 26), date '2000-01-01' + i,
	i * interval '1 hour', i, repeat('x', 30), repeat('-', 400) FROM generate_series(1, 20000) i;
ALTER TABLE tablet_prewarm DROP COLUMN gone;
VACUUM ANALYZE tablet_prewarm;

SELECT gpudb.prewarm('tablet_prewarm', '{id,n}');
SELECT gpudb.prewarm('tablet_prewarm', '{id,n}') AS once_more;
SELECT q.*, f.* FROM unnest('{count(id),sum(n),sum(k)}'::text[]) q, tablets_found(format('SELECT %s FROM tablet_prewarm WHERE id > 3', q)) f;
SELECT gpudb.prewarm('tablet_prewarm') > 0 AS the_others;
SELECT q.*, f.* FROM unnest('{sum(any_scale),min(day),max(wait),count(nan)}'::text[]) q, tablets_found(format('SELECT %s FROM tablet_prewarm WHERE id > 3', q)) f;
SELECT * FROM tablets_found('SELECT code, count(*) FROM tablet_prewarm GROUP BY code') AS short_texts;
SELECT columns, percent_valid FROM gpudb.cache WHERE relation = 'tablet_prewarm'::regclass;
SELECT bool_and(differences = 0) AS right_values FROM gpudb.check('tablet_prewarm');
SELECT gpudb.evict('tablet_prewarm') AS tablets;

-- what cannot be cached is told, if it is named
SELECT gpudb.prewarm('tablet_prewarm', '{long_text,raw,k,nan}');
SELECT columns FROM gpudb.cache WHERE relation = 'tablet_prewarm'::regclass;
SELECT gpudb.prewarm('tablet_prewarm', '{}') AS nothing;
SELECT gpudb.prewarm('tablet_prewarm', '{id,absent}');
SELECT gpudb.prewarm('tablet_prewarm', '{id,gone}');
SELECT gpudb.prewarm('tablet_prewarm', '{id,NULL}');
SELECT gpudb.prewarm('tablet_prewarm', '{ctid}');
SELECT gpudb.prewarm(NULL) IS NULL AS of_nothing;
CREATE VIEW tablet_prewarm_view AS SELECT id FROM tablet_prewarm;
SELECT gpudb.prewarm('tablet_prewarm_view');
CREATE TEMP TABLE tablet_prewarm_temp AS SELECT i AS id FROM generate_series(1, 1000) i;
SELECT gpudb.prewarm('tablet_prewarm_temp');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT gpudb.prewarm('tablet_prewarm', '{id}') AS serializable;
COMMIT;

-- for those who may read the columns
CREATE ROLE tablet_prewarm_user;
GRANT SELECT (id, k) ON tablet_prewarm TO tablet_prewarm_user;
SET ROLE tablet_prewarm_user;
SELECT gpudb.prewarm('tablet_prewarm', '{id,k}');
SELECT gpudb.prewarm('tablet_prewarm', '{id,n}');
SELECT gpudb.prewarm('tablet_prewarm');
RESET ROLE;
SELECT gpudb.evict('tablet_prewarm') > 0 AS evicted;
DROP TABLE tablet_prewarm CASCADE;
DROP ROLE tablet_prewarm_user;
DROP FUNCTION tablets_found;
