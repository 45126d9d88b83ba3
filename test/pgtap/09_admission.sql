-- gpudb.admission, and the reason not_cached: what queries lose for want of columns, and whom it is told.  Accounts are opened only with
-- gpudb.auto_prewarm, which this file switches on by a reload, and off again at its end.  PostgreSQL's plan reads the table by so many
-- workers, at so little cost, that it costs less than reading the pages through gpudb: these settings decide that on each machine.
\set ON_ERROR_STOP on
\set said `psql -XqAt -c 'ALTER SYSTEM SET gpudb.auto_prewarm = on' -c 'SELECT pg_reload_conf()' 2>&1`
\set said `for i in $(seq 600); do said=$(psql -XqAt -c 'SHOW gpudb.auto_prewarm' 2>&1); [ "$said" = on ] && break; sleep 0.1; done; echo "$said"`
CREATE ROLE gpudb_tap_admission_reader;
CREATE ROLE gpudb_tap_admission_column;
CREATE ROLE gpudb_tap_admission_plain;
CREATE ROLE gpudb_tap_admission_stats IN ROLE pg_read_all_stats;
SET gpudb.device = cpu;
SET gpudb.cpu_threads = 1;
SET jit = off;
SET max_parallel_workers_per_gather = 8;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET seq_page_cost = 0.15;
-- Columns behind many others take long to build, which PostgreSQL's costs do not count.
SELECT string_agg(format('o%s int', o), ', ') AS others, string_agg(format('i + %s', o), ', ') AS numbers FROM generate_series(1, 40) o \gset
CREATE TABLE gpudb_tap_facts (id int PRIMARY KEY, filler text, :others, k int, v int, w text) WITH (autovacuum_enabled = off, parallel_workers = 8);
INSERT INTO gpudb_tap_facts SELECT i, repeat('-', 140), :numbers, i % 1000, i % 77, 'w' || i % 5 FROM generate_series(1, 200000) i;
CREATE TABLE gpudb_tap_small (id int, v int) WITH (autovacuum_enabled = off, parallel_workers = 8);
INSERT INTO gpudb_tap_small SELECT i, i FROM generate_series(1, 1000) i;
VACUUM ANALYZE gpudb_tap_facts, gpudb_tap_small;
GRANT SELECT ON gpudb_tap_facts TO gpudb_tap_admission_reader;
GRANT SELECT (k, v) ON gpudb_tap_facts TO gpudb_tap_admission_column;

SELECT plan(27);
\set query 'SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900'
-- The value that a query has for a role.
CREATE FUNCTION pg_temp.as_role(role name, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SET ROLE %I', role);
	EXECUTE query INTO answer;
	RESET ROLE;
	RETURN answer;
END $$;

SELECT is(:'said'::text, 'on', 'gpudb.auto_prewarm is on after a reload');
SELECT is(current_setting('gpudb.auto_prewarm'), 'on', 'gpudb.auto_prewarm is on in this session, too');
SELECT results_eq(format('SELECT DISTINCT reason FROM gpudb.why_not(%L)', :'query'), ARRAY['not_cached'], 'gpudb.why_not(): a node would take the query if columns were cached');
SELECT isnt_empty(format($$SELECT FROM gpudb.why_not(%L) WHERE meaning ~ 'gpudb\.admission'$$, :'query'), 'gpudb.why_not(): the meaning of not_cached names gpudb.admission');
SET gpudb.cache = off;
SELECT results_eq(format('SELECT DISTINCT reason FROM gpudb.why_not(%L)', :'query'), ARRAY['cost'], 'gpudb.why_not(): the reason is cost if the session uses no cached columns');
SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
RESET gpudb.cache;
SET gpudb.enabled = off;
SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
RESET gpudb.enabled;
EXPLAIN SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
SELECT sum(v) FROM gpudb_tap_small WHERE id < 900 \g /dev/null
SELECT is_empty($$SELECT * FROM gpudb.admission WHERE relation IN ('gpudb_tap_facts'::regclass, 'gpudb_tap_small'::regclass)$$,
	'gpudb.admission: nothing is charged by EXPLAIN, without gpudb or its cache, or for a small table');
SELECT clock_timestamp() AS before \gset
SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
SELECT is(array_agg(relation::text), '{gpudb_tap_facts}', 'gpudb.admission: a query opens an account of its relation') FROM gpudb.admission WHERE since >= :'before';
SELECT is(columns, '{k,v}', 'gpudb.admission: the account has the columns that the query lacks') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT is(state, 'wanted', 'gpudb.admission: columns are wanted as long as losses are less than the price') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT ok(lost_ms > 0 AND lost_ms < price_ms, 'gpudb.admission: the losses are less than the price') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT is(builds, 0, 'gpudb.admission: no columns were built again') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT ok(since BETWEEN :'before' AND clock_timestamp(), 'gpudb.admission: since is the time of the charge') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT lost_ms AS once FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass \gset
SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
SELECT cmp_ok(lost_ms, '>', 1.5::float8 * :once, 'gpudb.admission: the next run is charged as much') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;

-- Roles that may see accounts, and others
SELECT is(pg_temp.as_role(role, $$SELECT count(*) FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass$$), rows, format('gpudb.admission: a role %s', why))
FROM (VALUES ('gpudb_tap_admission_reader', '1', 'with SELECT on the table'), ('gpudb_tap_admission_column', '0', 'with SELECT on the columns alone'), ('gpudb_tap_admission_plain', '0', 'without privileges'),
	('gpudb_tap_admission_stats', '0', 'in pg_read_all_stats')) v (role, rows, why);
ALTER TABLE gpudb_tap_facts ENABLE ROW LEVEL SECURITY;
SELECT is(pg_temp.as_role('gpudb_tap_admission_reader', $$SELECT count(*) FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass$$), '0', 'gpudb.admission: with policies a role does not see it');
ALTER TABLE gpudb_tap_facts DISABLE ROW LEVEL SECURITY;
ALTER TABLE gpudb_tap_facts RENAME TO gpudb_tap_renamed;
SELECT isnt_empty($$SELECT * FROM gpudb.admission WHERE relation::text = 'gpudb_tap_renamed'$$, 'gpudb.admission: a relation has the name of today');
ALTER TABLE gpudb_tap_renamed RENAME TO gpudb_tap_facts;

-- Queries after the columns were cached
SELECT is(gpudb.prewarm('gpudb_tap_facts', '{k,v}') > 0, true, 'gpudb.prewarm() builds the columns');
SELECT results_eq(format('SELECT DISTINCT node FROM gpudb.why_not(%L)', :'query'), ARRAY['GpuAgg'], 'a node takes the query once columns are cached');
SELECT lost_ms AS cached FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass \gset
SELECT count(*), sum(v) FROM gpudb_tap_facts WHERE k < 900 \g /dev/null
SELECT cmp_ok(lost_ms, '<=', :cached::float8, 'gpudb.admission: a query that lacks nothing is not charged') FROM gpudb.admission WHERE relation = 'gpudb_tap_facts'::regclass;
SELECT is_empty($$SELECT * FROM gpudb.admission WHERE state <> ALL ('{wanted,waits,being built,built}')$$, 'gpudb.admission: all states are documented ones');
SELECT is_empty($$SELECT relation FROM gpudb.admission GROUP BY 1 HAVING count(*) > 1$$, 'gpudb.admission: a relation has one account');
SELECT is_empty('SELECT * FROM gpudb.progress', 'gpudb.progress: nothing is being built');
SELECT 'gpudb_tap_facts'::regclass::oid AS facts \gset
DROP TABLE gpudb_tap_facts;
SELECT is_empty(format('SELECT * FROM gpudb.admission WHERE relation = %s::oid', :facts), 'gpudb.admission: a relation that was dropped has no account');

\set said `psql -XqAt -c 'ALTER SYSTEM RESET gpudb.auto_prewarm' -c 'SELECT pg_reload_conf()' 2>&1`
\set said `for i in $(seq 600); do said=$(psql -XqAt -c 'SHOW gpudb.auto_prewarm' 2>&1); [ "$said" = off ] && break; sleep 0.1; done; echo "$said"`
SELECT is(:'said'::text, 'off', 'gpudb.auto_prewarm is off after another reload');
SELECT * FROM finish();
DROP TABLE gpudb_tap_small;
DROP ROLE gpudb_tap_admission_reader, gpudb_tap_admission_column, gpudb_tap_admission_plain, gpudb_tap_admission_stats;
