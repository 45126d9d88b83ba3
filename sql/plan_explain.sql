-- EXPLAIN of gpudb nodes: every property, every format, before and after a run.
CREATE TABLE plan_explain (id int NOT NULL, k int, n numeric(10,2), u numeric, t text);
INSERT INTO plan_explain SELECT i, i % 10, i % 777 / 100.0, i, 't' || i % 5 FROM generate_series(1, 5000) i;
CREATE TABLE plan_explain_other (id int NOT NULL, k int);
INSERT INTO plan_explain_other SELECT i, i % 3 FROM generate_series(1, 100) i;
ANALYZE plan_explain, plan_explain_other;
SET gpudb.force = on;
SET gpudb.cache = off;
-- GpuScan
SELECT explain($$SELECT id FROM plan_explain WHERE k = 3 AND n > 1.5 AND md5(t) <> 'x'$$);
SELECT explain($$SELECT id FROM plan_explain$$);
SELECT explain($$SELECT id FROM plan_explain WHERE k = 3 AND n > 1.5 AND id % 2 = 1 AND t LIKE '%1%'$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT id FROM plan_explain WHERE k = 3 AND md5(t) < '5'$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT id + 1 AS next FROM plan_explain p WHERE k = 3$$, 'VERBOSE, COSTS OFF');
-- GpuAgg
SELECT explain($$SELECT count(*) FROM plan_explain$$);
SELECT explain($$SELECT t, k % 2 AS odd, sum(n * 2) + 1 AS s, count(*) FILTER (WHERE id > 7) FROM plan_explain WHERE k = 3 AND u IS NOT NULL GROUP BY t, k % 2 HAVING count(*) > 100 AND max(id) < 10000$$);
SELECT explain($$SELECT t, sum(n) FROM plan_explain WHERE k < 5 GROUP BY t HAVING max(id) < 5000$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT count(*) + 1 AS more FROM plan_explain p WHERE k = 3$$, 'VERBOSE, COSTS OFF');
-- other formats
SELECT explain($$SELECT t, count(*), sum(n * 2) FROM plan_explain WHERE k = 3 GROUP BY t$$, 'COSTS OFF, FORMAT JSON');
SELECT explain($$SELECT t, count(*) FROM plan_explain WHERE t <> 't3' GROUP BY t$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT YAML');
SELECT explain($$SELECT id FROM plan_explain WHERE k < 3 AND md5(t) < '5'$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT XML');
-- every figure is there, whatever its value
CREATE FUNCTION figures(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY SELECT key || ' is a ' || jsonb_typeof(value) FROM jsonb_each((plan -> 0 -> 'Plan')::jsonb) WHERE key IN ('Tablets', 'Rows In', 'Pages Pinned', 'Pages Copied', 'Feed Time', 'Build Time', 'Kernel Time') ORDER BY key COLLATE "C";
	RETURN NEXT 'pages ' || ((plan #>> '{0,Plan,Pages Pinned}')::int + (plan #>> '{0,Plan,Pages Copied}')::int);
END $$;
SELECT figures('SELECT t, count(*) FROM plan_explain WHERE k = 3 GROUP BY t');
SELECT figures('SELECT id FROM plan_explain WHERE k = 3');
DROP FUNCTION figures;
-- names: one relation without prefix, several with, aliases, parameters
SELECT explain($$SELECT a.id, b.id FROM plan_explain a LEFT JOIN plan_explain_other b ON a.id = b.id AND b.k = 1 WHERE a.k = 3$$);
PREPARE with_params (int, text) AS SELECT t, count(*) FROM plan_explain WHERE k = $1 AND t <> $2 GROUP BY t HAVING count(*) > $1;
SET plan_cache_mode = force_generic_plan;
SELECT explain($$EXECUTE with_params (3, 'a')$$);
SELECT explain($$EXECUTE with_params (3, 'a')$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
DEALLOCATE with_params;
SELECT explain($$SELECT o.id, (SELECT count(*) FROM plan_explain i WHERE i.k = o.k) FROM plan_explain_other o WHERE o.id < (SELECT max(id) FROM plan_explain WHERE k = 1) - 4950$$);
-- what PostgreSQL had to do instead
UPDATE plan_explain SET u = 'NaN' WHERE id = 3000;
SELECT explain($$SELECT t, sum(u) FROM plan_explain GROUP BY t$$);
SELECT explain($$SELECT t, sum(u) FROM plan_explain GROUP BY t$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT t FROM plan_explain WHERE u < 5$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain($$SELECT t FROM plan_explain WHERE u < 5$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON');
-- the device, which the functions above leave out: cpu where that is asked for, and a GPU need not be there
SET gpudb.device = cpu;
CREATE FUNCTION device(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Device}';
END $$;
SELECT device('SELECT count(*) FROM plan_explain WHERE k = 3') = 'cpu' AS cpu;
SET gpudb.device = gpu;
SELECT device('SELECT count(*) FROM plan_explain WHERE k = 3') ~ '^(gpu|cpu \(.*\))$' AS gpu_or_why_not;
SELECT count(*) FROM plan_explain WHERE k = 3;
RESET gpudb.device;
DROP FUNCTION device;
-- never executed
SELECT explain($$SELECT * FROM plan_explain_other o LEFT JOIN LATERAL (SELECT count(*) FROM plan_explain i WHERE i.k = o.k) s ON true WHERE o.k = 77$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- a scan that its parent leaves early
SELECT explain($$SELECT id FROM plan_explain WHERE k = 3 LIMIT 2$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- nothing is executed without ANALYZE: no error
SELECT explain($$SELECT count(*) FROM plan_explain WHERE 1 / (k - 3) > 0$$);
SELECT explain($$SELECT count(*) FROM plan_explain WHERE 1 / (k - 3) > 0$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
DROP TABLE plan_explain, plan_explain_other;
