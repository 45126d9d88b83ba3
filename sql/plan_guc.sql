-- The settings: their values, defaults, and errors.
SHOW gpudb.enabled;
SHOW gpudb.force;
SHOW gpudb.debug_require;
SELECT name, boot_val, vartype, context, min_val, max_val, enumvals FROM pg_settings WHERE name LIKE 'gpudb.%' AND name NOT IN ('gpudb.device', 'gpudb.provider') ORDER BY name COLLATE "C";
-- the server of these tests sets the others
SELECT name, vartype, context, enumvals FROM pg_settings WHERE name IN ('gpudb.device', 'gpudb.provider') ORDER BY name COLLATE "C";
SET gpudb.enabled = maybe;
SET gpudb.force = 3;
SET gpudb.device = tpu;
SET gpudb.debug_require = always;
SET gpudb.queue_timeout = 0;
SET gpudb.queue_timeout = '1 min';
SHOW gpudb.queue_timeout;
RESET gpudb.queue_timeout;
SET gpudb.gpu = '';
SET gpudb.gpu_memory = '2 GB';
SET gpudb.provider = cpu;
SET gpudb.cpu_threads = -1;
SET gpudb.cpu_threads = 100000;
SET gpudb.cpu_threads = 'many';
SET gpudb.nothing_of_the_kind = 1;
SET gpudb.device = cpu;
SET gpudb.device = AUTO;
RESET gpudb.device;
SET gpudb.debug_require = 'require';
RESET gpudb.debug_require;
BEGIN;
SET LOCAL gpudb.force = on;
SHOW gpudb.force;
ROLLBACK;
SHOW gpudb.force;
-- they act at once, also on cached plans
CREATE TABLE plan_guc (id int, k int);
INSERT INTO plan_guc SELECT i, i % 10 FROM generate_series(1, 10000) i;
ANALYZE plan_guc;
SELECT gpu_nodes('SELECT count(*) FROM plan_guc WHERE k = 3');
SET gpudb.force = on;
SELECT gpu_nodes('SELECT count(*) FROM plan_guc WHERE k = 3');
SET gpudb.enabled = off;
SELECT gpu_nodes('SELECT count(*) FROM plan_guc WHERE k = 3');
SELECT count(*) FROM plan_guc WHERE k = 3;
RESET gpudb.enabled;
\pset format unaligned
\pset tuples_only on
SELECT format('SET gpudb.cpu_threads = %s; SELECT count(*), sum(id) FROM plan_guc WHERE k = 3', n) FROM unnest('{0,1,2,3,8,64}'::int[]) n \gexec
DROP TABLE plan_guc;

-- what users see of the GPU: whatever there is, the same functions tell
SELECT gpudb.doctor() ~ '^[A-Z].*[.)]$' AS a_sentence;
SELECT count(*) FILTER (WHERE in_use) <= 1 AND count(*) = count(state) AS devices FROM (SELECT state, state = 'in use' AS in_use FROM gpudb.devices) d;
SET ROLE pg_read_all_data;
SELECT gpudb.doctor() IS NOT NULL AS anybody_may_ask;
SELECT count(*) >= 0 AS anybody_may_look FROM gpudb.devices;
RESET ROLE;
