-- Settings: type, unit, range, default, who may set each one and when, bad values, and what some of them do.  Statements for which
-- a session of its own is needed are given to psql; a session of the server tells of a change of the configuration once it is there.
\set ON_ERROR_STOP on
CREATE ROLE gpudb_tap_user LOGIN;
CREATE TABLE gpudb_tap_rows (id int NOT NULL, k int, f float8, g int);
INSERT INTO gpudb_tap_rows SELECT i, i % 10, i / 4.0, i FROM generate_series(1, 3000) i;
VACUUM ANALYZE gpudb_tap_rows;

SELECT plan(283);

-- Description of all settings of docs/reference.md.  Range: least and greatest value, or the values of an enum.
CREATE TEMP TABLE setting (name text, type text, unit text, boot text, least text, most text, values text[], set_by text, hidden bool);
INSERT INTO setting VALUES
	('gpudb.auto_calibrate', 'bool', NULL, 'on', NULL, NULL, NULL, 'postmaster', false),
	('gpudb.auto_prewarm', 'bool', NULL, 'on', NULL, NULL, NULL, 'sighup', false),
	('gpudb.cache', 'bool', NULL, 'on', NULL, NULL, NULL, 'user', false),
	('gpudb.cpu_threads', 'integer', NULL, '0', '0', '64', NULL, 'user', false),
	('gpudb.debug_fail', 'integer', NULL, '-1', '-1', '2147483647', NULL, 'superuser', true),
	('gpudb.debug_memory', 'integer', NULL, '-1', '-1', '2147483647', NULL, 'user', true),
	('gpudb.debug_program', 'string', NULL, '', NULL, NULL, NULL, 'superuser', true),
	('gpudb.debug_require', 'enum', NULL, 'allow', NULL, NULL, '{allow,require,forbid}', 'superuser', false),
	('gpudb.debug_sample', 'integer', NULL, '16', '1', '2147483647', NULL, 'user', true),
	('gpudb.debug_seek', 'integer', NULL, '2097152', '1', '4194304', NULL, 'user', true),
	('gpudb.debug_silence', 'integer', 'ms', '2000', '100', '3600000', NULL, 'postmaster', true),
	('gpudb.debug_yield', 'integer', NULL, '-1', '-1', '1073741823', NULL, 'user', true),
	('gpudb.device', 'enum', NULL, 'auto', NULL, NULL, '{auto,gpu,cpu}', 'user', false),
	('gpudb.enabled', 'bool', NULL, 'on', NULL, NULL, NULL, 'user', false),
	('gpudb.exact_float_sums', 'bool', NULL, 'off', NULL, NULL, NULL, 'user', false),
	('gpudb.force', 'bool', NULL, 'off', NULL, NULL, NULL, 'user', false),
	('gpudb.gpu', 'string', NULL, '', NULL, NULL, NULL, 'postmaster', false),
	('gpudb.gpu_memory', 'integer', 'MB', '-1', '-1', '1073741823', NULL, 'postmaster', false),
	('gpudb.join_memory', 'integer', 'MB', '1024', '1', '1073741823', NULL, 'user', false),
	('gpudb.pool_size', 'integer', 'MB', '-1', '-1', '1048576', NULL, 'postmaster', false),
	('gpudb.provider', 'enum', NULL, 'auto', NULL, NULL, '{auto,cpu,none}', 'postmaster', false),
	('gpudb.queue_timeout', 'integer', 'ms', '5000', '1', '1073741823', NULL, 'user', false);
GRANT SELECT ON setting TO PUBLIC;

SELECT bag_eq($$SELECT name FROM pg_settings WHERE name LIKE 'gpudb.%'$$, $$SELECT name FROM setting WHERE NOT hidden$$,
	'pg_settings shows all settings but those for debugging');
SELECT is(p.vartype, s.type, s.name || ': type') FROM setting s JOIN pg_settings p USING (name) ORDER BY s.name;
SELECT is(p.unit, s.unit, s.name || ': unit') FROM setting s JOIN pg_settings p USING (name) ORDER BY s.name;
SELECT is(p.boot_val, s.boot, s.name || ': default') FROM setting s JOIN pg_settings p USING (name) ORDER BY s.name;
SELECT is(format('%s to %s', p.min_val, p.max_val), format('%s to %s', s.least, s.most), s.name || ': range')
FROM setting s JOIN pg_settings p USING (name) WHERE s.type = 'integer' ORDER BY s.name;
SELECT is(p.enumvals, s.values, s.name || ': values') FROM setting s JOIN pg_settings p USING (name) WHERE s.type = 'enum' ORDER BY s.name;
SELECT is(p.context, s.set_by, s.name || ': who sets it') FROM setting s JOIN pg_settings p USING (name) ORDER BY s.name;
SELECT ok(p.short_desc <> '', s.name || ': description') FROM setting s JOIN pg_settings p USING (name) ORDER BY s.name;
SELECT ok('NO_SHOW_ALL' = ANY (pg_settings_get_flags(name)) AND 'NOT_IN_SAMPLE' = ANY (pg_settings_get_flags(name)), name || ': hidden from SHOW ALL')
FROM setting WHERE hidden ORDER BY name;
SELECT bag_eq($$SELECT name FROM setting WHERE 'EXPLAIN' = ANY (pg_settings_get_flags(name))$$,
	ARRAY['gpudb.enabled', 'gpudb.exact_float_sums', 'gpudb.force'], 'EXPLAIN (SETTINGS) shows three settings');
SELECT isnt(current_setting(name, true), NULL, name || ': SHOW tells it, hidden or not') FROM setting WHERE hidden ORDER BY name;

-- Values that a machine decides
SELECT ok(pg_size_bytes(current_setting('gpudb.join_memory')) BETWEEN 64 * 1024 * 1024 AND 16 * 1024 * 1024 * 1024::int8,
	'gpudb.join_memory is by default between 64 MB and 16 GB, and is shown');
SELECT is(current_setting('gpudb.pool_size'), '64MB', 'gpudb.pool_size as the configuration file has it, with its unit');
SELECT is(current_setting(name), boot, name || ': default') FROM setting WHERE hidden AND name NOT IN ('gpudb.debug_memory', 'gpudb.debug_silence') ORDER BY name;
SELECT is(current_setting('gpudb.queue_timeout'), '5s', 'gpudb.queue_timeout has its default');

-- Users who are no superusers set what a user may set, in the whole range, and nothing outside of it
SET ROLE gpudb_tap_user;
SELECT lives_ok(format('SET %s = %L', name, v), format('a user sets %s to %s', name, v))
FROM setting, unnest(CASE type WHEN 'bool' THEN '{off,on}' WHEN 'enum' THEN values ELSE ARRAY[least, most] END) v
WHERE set_by = 'user' ORDER BY name, v;
RESET ALL;
SELECT throws_ok(format('SET %s = %L', name, v), '22023', NULL, format('%s is not set to %s', name, v))
FROM setting, unnest(CASE type WHEN 'bool' THEN '{maybe,"",2}' WHEN 'enum' THEN '{"",no_such_value,1}'
	ELSE ARRAY[(least::int8 - 1)::text, (most::int8 + 1)::text, 'many', '', '1e30'] END) v
WHERE set_by = 'user' ORDER BY name, v;
SELECT throws_ok(format('SET %s = %L', name, '5 parsecs'), '22023', NULL, name || ': an unknown unit is refused') FROM setting WHERE set_by = 'user' AND type = 'integer' ORDER BY name;
SELECT throws_ok($$SET gpudb.cpu_threads = '2MB'$$, '22023', NULL, 'gpudb.cpu_threads has no unit');
SELECT throws_ok($$SET gpudb.join_memory = '5s'$$, '22023', NULL, 'gpudb.join_memory is no time');
SELECT throws_ok($$SET gpudb.queue_timeout = '5MB'$$, '22023', NULL, 'gpudb.queue_timeout is no size');
SELECT throws_ok(format('SET %s = DEFAULT', name), '42501', NULL, name || ': no user resets it') FROM setting WHERE set_by = 'superuser' ORDER BY name;
SELECT throws_ok(format('SET %s = %L', name, CASE type WHEN 'enum' THEN 'forbid' WHEN 'integer' THEN '1' ELSE '/nowhere' END), '42501',
	format('permission denied to set parameter "%s"', name), name || ': no user sets it') FROM setting WHERE set_by = 'superuser' ORDER BY name;
SELECT throws_ok(format('SELECT set_config(%L, %L, true)', name, '1'), '42501', NULL, name || ': nor by set_config()')
FROM setting WHERE set_by = 'superuser' ORDER BY name;
SELECT throws_ok($$SET gpudb.nothing_of_the_kind = 1$$, '42602', 'invalid configuration parameter name "gpudb.nothing_of_the_kind"', 'the prefix gpudb is reserved');
SELECT throws_ok($$SELECT current_setting('gpudb.nothing_of_the_kind')$$, '42704', NULL, 'what does not exist is not shown');
RESET ROLE;

-- Superusers set more, and whoever was granted a parameter; nobody sets in a session what needs a reload or a restart
SELECT lives_ok(format('SET %s = %L', name, v), format('a superuser sets %s to %s', name, v))
FROM setting, unnest(CASE type WHEN 'enum' THEN values WHEN 'integer' THEN ARRAY[least, most, boot] ELSE '{/nowhere/at/all,""}' END) v
WHERE set_by = 'superuser' ORDER BY name, v;
RESET ALL;
SELECT throws_ok(format('SET %s = %L', name, v), '22023', NULL, format('no superuser sets %s to %s', name, v))
FROM (VALUES ('gpudb.debug_fail', '-2'), ('gpudb.debug_fail', '2147483648'), ('gpudb.debug_require', 'always'), ('gpudb.debug_require', '')) bad (name, v);
SELECT throws_ok(format('SET %s = %s', name, boot), '55P02', NULL, format('%s cannot be set in a session', name))
FROM (SELECT name, set_by, CASE WHEN boot = '' THEN '''''' ELSE boot END AS boot FROM setting) s WHERE set_by IN ('postmaster', 'sighup') ORDER BY name;
GRANT SET ON PARAMETER gpudb.debug_fail TO gpudb_tap_user;
SET ROLE gpudb_tap_user;
SELECT lives_ok('SET gpudb.debug_fail = 5', 'SET on a parameter may be granted');
SELECT throws_ok('SET gpudb.debug_require = forbid', '42501', NULL, 'a grant on one parameter is none on another');
RESET ROLE;
REVOKE SET ON PARAMETER gpudb.debug_fail FROM gpudb_tap_user;
RESET ALL;

-- Settings of roles, databases and functions
SET ROLE gpudb_tap_user;
SELECT lives_ok('ALTER ROLE gpudb_tap_user SET gpudb.device = cpu', 'a role has a setting of its own');
SELECT lives_ok('ALTER ROLE gpudb_tap_user SET gpudb.cpu_threads = 3', 'a role has a second setting of its own');
SELECT throws_ok('ALTER ROLE gpudb_tap_user SET gpudb.debug_require = forbid', '42501', NULL, 'a role cannot give itself a setting of superusers');
SELECT throws_ok('ALTER ROLE gpudb_tap_user SET gpudb.device = tpu', '22023', NULL, 'a role cannot give itself a bad value');
SELECT throws_ok('ALTER ROLE gpudb_tap_user SET gpudb.pool_size = 1', '55P02', NULL, 'a role cannot give itself a setting of the servers start');
RESET ROLE;
\set said `psql -XqAt -U gpudb_tap_user -c 'SHOW gpudb.device' -c 'SHOW gpudb.cpu_threads' 2>&1`
SELECT is(:'said'::text, E'cpu\n3', 'sessions of the role begin with its settings');
\set said `PGOPTIONS='-c gpudb.device=auto -c gpudb.force=on' psql -XqAt -U gpudb_tap_user -c 'SHOW gpudb.device' -c 'SHOW gpudb.force' 2>&1`
SELECT is(:'said'::text, E'auto\non', 'options of a connection come first');
\set said `PGOPTIONS='-c gpudb.device=tpu' psql -XqAt -U gpudb_tap_user -c 'SHOW gpudb.device' 2>&1`
SELECT matches(:'said'::text, 'invalid value for parameter "gpudb.device": "tpu"', 'a bad option of a connection is refused');
\set said `PGOPTIONS='-c gpudb.debug_require=forbid' psql -XqAt -U gpudb_tap_user -c 'SHOW gpudb.debug_require' 2>&1`
SELECT matches(:'said'::text, 'permission denied to set parameter "gpudb.debug_require"', 'an option of a connection that superusers set is refused to others');
SELECT format('ALTER DATABASE %I SET gpudb.enabled = off', current_database()) AS off, format('ALTER DATABASE %I RESET gpudb.enabled', current_database()) AS on \gset
:off;
\set said `psql -XqAt -c 'SHOW gpudb.enabled' -c 'SET gpudb.force = on' -c 'EXPLAIN (COSTS OFF) SELECT id FROM gpudb_tap_rows WHERE k = 3' 2>&1`
:on;
SELECT matches(:'said'::text, '^off\nSeq Scan on gpudb_tap_rows', 'ALTER DATABASE switches gpudb off for the sessions of a database');
\set said `psql -XqAt -c 'SHOW gpudb.enabled' 2>&1`
SELECT is(:'said'::text, 'on', 'ALTER DATABASE … RESET switches gpudb on again');
CREATE FUNCTION gpudb_tap_of_function() RETURNS text LANGUAGE sql SET gpudb.cpu_threads = 7 AS $$SELECT current_setting('gpudb.cpu_threads')$$;
SELECT is(gpudb_tap_of_function() || ' ' || current_setting('gpudb.cpu_threads'), '7 2', 'a function has a setting of its own, which ends with it');
DROP FUNCTION gpudb_tap_of_function();
BEGIN;
SET LOCAL gpudb.force = on;
SET gpudb.queue_timeout = '1 min';
SELECT is(current_setting('gpudb.force') || ' ' || current_setting('gpudb.queue_timeout'), 'on 1min', 'SET acts inside of a transaction');
ROLLBACK;
SELECT is(current_setting('gpudb.force') || ' ' || current_setting('gpudb.queue_timeout'), 'off 5s', 'ROLLBACK undoes SET and SET LOCAL');
SET gpudb.device = 'CPU';
SELECT is(current_setting('gpudb.device'), 'cpu', 'the case of a value does not matter');
SET gpudb.join_memory = '1 GB';
SELECT is(current_setting('gpudb.join_memory'), '1GB', 'sizes have units');
SET gpudb.join_memory = 2048;
SELECT is(current_setting('gpudb.join_memory'), '2GB', 'a size without a unit is a number of megabytes');
SET gpudb.queue_timeout = 250;
SELECT is(current_setting('gpudb.queue_timeout'), '250ms', 'a time without a unit is a number of milliseconds');
RESET ALL;

-- Settings that need a reload act then, and those that need a restart wait for it
CREATE FUNCTION gpudb_tap_pending() RETURNS text LANGUAGE sql AS $$SELECT string_agg(name, ' ' ORDER BY name) FROM pg_settings WHERE pending_restart AND name LIKE 'gpudb.%'$$;
\set said `psql -XqAt -c 'ALTER SYSTEM SET gpudb.auto_prewarm = on' -c 'ALTER SYSTEM SET gpudb.pool_size = 65' -c 'ALTER SYSTEM SET gpudb.gpu_memory = 5' -c 'SELECT pg_reload_conf()' 2>&1`
SELECT is(:'said'::text, 't', 'ALTER SYSTEM accepts settings of both kinds');
\set said `for i in $(seq 600); do said=$(psql -XqAt -c 'SHOW gpudb.auto_prewarm' 2>&1); [ "$said" != off ] && break; sleep 0.1; done; echo "$said"`
SELECT is(:'said'::text, 'on', 'a reload sets gpudb.auto_prewarm');
\set said `psql -XqAt -c 'SELECT gpudb_tap_pending()' -c 'SHOW gpudb.pool_size' 2>&1`
SELECT is(:'said'::text, E'gpudb.gpu_memory gpudb.pool_size\n64MB', 'a reload leaves gpudb.pool_size and gpudb.gpu_memory to a restart');
\set said `psql -XqAt -c 'ALTER SYSTEM SET gpudb.pool_size = 1048577' 2>&1`
SELECT matches(:'said'::text, 'outside the valid range for parameter "gpudb.pool_size" \(-1 .*1048576', 'ALTER SYSTEM refuses a pool of more than 1 TB');
\set said `psql -XqAt -c 'ALTER SYSTEM SET gpudb.provider = rocm' 2>&1`
SELECT matches(:'said'::text, 'invalid value for parameter "gpudb.provider": "rocm"', 'ALTER SYSTEM refuses a provider that does not exist');
\set said `psql -XqAt -U gpudb_tap_user -c 'ALTER SYSTEM SET gpudb.device = cpu' 2>&1`
SELECT matches(:'said'::text, 'permission denied', 'ALTER SYSTEM is refused to those who are no superusers');
\set said `psql -XqAt -c 'ALTER SYSTEM RESET gpudb.auto_prewarm' -c 'ALTER SYSTEM RESET gpudb.pool_size' -c 'ALTER SYSTEM RESET gpudb.gpu_memory' -c 'SELECT pg_reload_conf()' 2>&1`
SELECT is(:'said'::text, 't', 'ALTER SYSTEM resets all of these settings');
\set said `for i in $(seq 600); do said=$(psql -XqAt -c "SELECT concat_ws(' ', current_setting('gpudb.auto_prewarm'), gpudb_tap_pending())" 2>&1); [ "$said" = off ] && break; sleep 0.1; done; echo "$said"`
SELECT is(:'said'::text, 'off', 'after a reload nothing waits for a restart');
DROP FUNCTION gpudb_tap_pending();

-- Effects of settings.  Names of gpudb nodes in a plan, in the order of EXPLAIN.
CREATE FUNCTION pg_temp.nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		found := found || substring(line FROM 'Custom Scan \((Gpu\w+)\)');
	END LOOP;
	RETURN nullif(array_to_string(found, ' '), '');
END $$;
-- A property of the first gpudb node of a plan that was run; 0 if the node does not show it.
CREATE FUNCTION pg_temp.property(query text, name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN coalesce(jsonb_path_query_first(plan, '$.** ? (@.type() == "object").keyvalue() ? (@.key == $name).value', jsonb_build_object('name', name)) #>> '{}', '0');
END $$;
-- The answer of a query with so many threads.
CREATE FUNCTION pg_temp.answer(threads text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	PERFORM set_config('gpudb.cpu_threads', threads, false);
	EXECUTE query INTO answer;
	RETURN answer;
END $$;
-- The settings of gpudb that EXPLAIN (SETTINGS) shows.
CREATE FUNCTION pg_temp.shown_settings(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (SETTINGS, FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT string_agg(key || '=' || value, ' ' ORDER BY key) FROM json_each_text(plan -> 0 -> 'Settings') WHERE key LIKE 'gpudb.%');
END $$;
\set few 'SELECT sum(g) FROM gpudb_tap_rows WHERE k < 5'
SELECT is(pg_temp.nodes('SELECT id FROM gpudb_tap_rows WHERE id = 7 LIMIT 1'), NULL, 'without gpudb.force a few rows stay with PostgreSQL');
SET gpudb.force = on;
SELECT is(pg_temp.nodes('SELECT id FROM gpudb_tap_rows WHERE id = 7 LIMIT 1'), 'GpuScan', 'gpudb.force takes a node whatever it costs');
SELECT is(pg_temp.nodes(:'few'), 'GpuAgg', 'gpudb.force takes a node for an aggregate');
SELECT is(pg_temp.nodes('SELECT count(*) FROM pg_class WHERE relpages > 10'), NULL, 'gpudb.force takes no node for catalogs');
SET gpudb.enabled = off;
SELECT is(pg_temp.nodes(:'few'), NULL, 'gpudb.enabled = off leaves all to PostgreSQL, also with gpudb.force');
SELECT is(pg_temp.shown_settings(:'few'), 'gpudb.enabled=off gpudb.force=on', 'EXPLAIN (SETTINGS) shows both');
RESET gpudb.enabled;
SET gpudb.exact_float_sums = on;
SET gpudb.cpu_threads = 3;
SELECT is(pg_temp.shown_settings(:'few'), 'gpudb.exact_float_sums=on gpudb.force=on', 'EXPLAIN (SETTINGS) leaves out defaults, and settings that change no plan');
RESET gpudb.exact_float_sums;
RESET gpudb.cpu_threads;
SET plan_cache_mode = force_generic_plan;
PREPARE gpudb_tap_prepared AS SELECT sum(g) FROM gpudb_tap_rows WHERE k < 5;
EXECUTE gpudb_tap_prepared \gset gpudb_tap_
SET gpudb.enabled = off;
SELECT is(pg_temp.nodes('EXECUTE gpudb_tap_prepared'), 'GpuAgg', 'a cached plan was made under the settings of its time');
DEALLOCATE gpudb_tap_prepared;
PREPARE gpudb_tap_prepared AS SELECT sum(g) FROM gpudb_tap_rows WHERE k < 5;
EXECUTE gpudb_tap_prepared \gset gpudb_tap_
RESET gpudb.enabled;
SELECT is(pg_temp.nodes('EXECUTE gpudb_tap_prepared'), NULL, 'a plan that was cached without nodes stays without nodes');
DEALLOCATE gpudb_tap_prepared;
PREPARE gpudb_tap_prepared AS SELECT sum(f)::text AS sum FROM (VALUES (1e16::float8), (1), (-1e16)) v (f);
EXECUTE gpudb_tap_prepared \gset gpudb_tap_
SELECT is(:'gpudb_tap_sum'::text, '0', 'a sum of floats is rounded after each value');
SET gpudb.exact_float_sums = on;
EXECUTE gpudb_tap_prepared \gset gpudb_tap_
SELECT is(:'gpudb_tap_sum'::text, '1', 'gpudb.exact_float_sums discards cached plans');
RESET gpudb.exact_float_sums;
EXECUTE gpudb_tap_prepared \gset gpudb_tap_
SELECT is(:'gpudb_tap_sum'::text, '0', 'gpudb.exact_float_sums discards cached plans when it is switched off, too');
DEALLOCATE gpudb_tap_prepared;
RESET plan_cache_mode;
SELECT gpudb.evict('gpudb_tap_rows') \g /dev/null
SET gpudb.cache = off;
SELECT is(pg_temp.property(:'few', 'Tablets Added'), '0', 'gpudb.cache = off adds no columns');
SELECT is_empty($$SELECT * FROM gpudb.cache WHERE relation = 'gpudb_tap_rows'::regclass$$, 'gpudb.cache = off leaves the cache empty');
SELECT cmp_ok(gpudb.prewarm('gpudb_tap_rows'), '>', 0::bigint, 'gpudb.prewarm() caches columns all the same');
SELECT is(pg_temp.property(:'few', 'Tablets Cached'), '0', 'gpudb.cache = off does not use columns that are there');
RESET gpudb.cache;
SELECT is(pg_temp.property(:'few', 'Tablets Cached'), '1', 'gpudb.cache = on uses columns that are there');
SET gpudb.device = cpu;
SELECT is(pg_temp.property(:'few', 'Device'), 'cpu', 'gpudb.device = cpu runs nodes on the CPU device');
SELECT is(pg_temp.answer(threads, :'few'), '2248500', format('the answer of %s threads', threads)) FROM unnest('{0,1,2,3,64}'::text[]) threads;
RESET gpudb.cpu_threads;
SET gpudb.debug_fail = 0;
SELECT matches(pg_temp.property(:'few', 'Fallback'), '^runtime_error \(.*gpudb\.debug_fail\)$', 'gpudb.debug_fail has a node fall back');
SET gpudb.debug_fail = -1;
SELECT is(pg_temp.property(:'few', 'Fallback'), '0', 'gpudb.debug_fail = -1 has no node fall back');
RESET gpudb.device;
RESET gpudb.force;

-- gpudb.debug_require looks at statements of users, at the top level alone
CREATE VIEW gpudb_tap_upper AS SELECT count(*) AS n FROM gpudb_tap_rows WHERE upper(k::text) = 'A';
CREATE FUNCTION gpudb_tap_inner() RETURNS int8 LANGUAGE sql AS 'SELECT n FROM gpudb_tap_upper';
\set required `PGOPTIONS='-c gpudb.force=on -c gpudb.debug_require=require -c gpudb.device=cpu' psql -XqAt -c 'SELECT count(*) FROM gpudb_tap_rows WHERE k < 5' 2>&1`
SELECT is(:'required'::text, '1500', 'require: a query that runs on nodes is answered');
\set required `PGOPTIONS='-c gpudb.force=on -c gpudb.debug_require=require -c gpudb.device=cpu' psql -XqAt -c 'SELECT n FROM gpudb_tap_upper' 2>&1`
SELECT matches(:'required'::text, '^ERROR: .*DETAIL: .*expression', 'require: one that does not is an error, whose detail has the reason code');
\set required `PGOPTIONS='-c gpudb.force=on -c gpudb.debug_require=require -c gpudb.device=cpu' psql -XqAt -c 'SELECT gpudb_tap_inner()' -c 'EXPLAIN (COSTS OFF) SELECT n FROM gpudb_tap_upper' 2>&1`
SELECT matches(:'required'::text, '^0\n.*Aggregate', 'require: neither queries in functions nor plain EXPLAIN are checked');
\set required `PGOPTIONS='-c gpudb.force=on -c gpudb.debug_require=require -c gpudb.device=cpu -c gpudb.debug_fail=0' psql -XqAt -c 'SELECT count(*) FROM gpudb_tap_rows WHERE k < 5' 2>&1`
SELECT matches(:'required'::text, '^ERROR: ', 'require: a node that falls back is an error');
\set required `PGOPTIONS='-c gpudb.force=on -c gpudb.debug_require=forbid' psql -XqAt -c 'SELECT count(*) FROM gpudb_tap_rows WHERE k < 5' 2>&1`
SELECT matches(:'required'::text, '^ERROR: ', 'forbid: a plan with a node is an error');
\set required `PGOPTIONS='-c gpudb.enabled=off -c gpudb.debug_require=forbid' psql -XqAt -c 'SELECT count(*) FROM gpudb_tap_rows WHERE k < 5' 2>&1`
SELECT is(:'required'::text, '1500', 'forbid: one without is answered');

-- The program of a node, in a file of the server
SELECT current_setting('data_directory') || '/gpudb_tap_program' AS program \gset
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_program = :'program';
SELECT is(pg_temp.property(:'few', 'Fallback'), '0', 'a node runs with gpudb.debug_program');
SET gpudb.debug_program = '';
SELECT cmp_ok((pg_stat_file(:'program', true)).size, '>', 0::bigint, 'gpudb.debug_program has the program of a node written to its file');

SELECT * FROM finish();
RESET ALL;
DROP FUNCTION gpudb_tap_inner();
DROP VIEW gpudb_tap_upper;
DROP TABLE gpudb_tap_rows;
DROP ROLE gpudb_tap_user;
