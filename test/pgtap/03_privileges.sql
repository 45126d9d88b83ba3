-- Privileges: who may execute which function, and of which relations the views, gpudb.doctor() and gpudb.why_not() tell whom.
-- Tables are made and cached before the transaction that tests, since columns of a file that a transaction has made are not cached.
\set ON_ERROR_STOP on
CREATE ROLE gpudb_tap_plain;
CREATE ROLE gpudb_tap_reader;
CREATE ROLE gpudb_tap_column;
CREATE ROLE gpudb_tap_columns;
CREATE ROLE gpudb_tap_writer;
CREATE ROLE gpudb_tap_owner;
CREATE ROLE gpudb_tap_heir IN ROLE gpudb_tap_owner;
CREATE ROLE gpudb_tap_stats IN ROLE pg_read_all_stats;
CREATE ROLE gpudb_tap_data IN ROLE pg_read_all_data;
CREATE ROLE gpudb_tap_bypass BYPASSRLS;
CREATE TABLE gpudb_tap_pay (id int NOT NULL, word text, salary numeric(12,2));
INSERT INTO gpudb_tap_pay SELECT i, 'word ' || i % 7, i * 10 FROM generate_series(1, 2000) i;
ALTER TABLE gpudb_tap_pay OWNER TO gpudb_tap_owner;
GRANT SELECT ON gpudb_tap_pay TO gpudb_tap_reader, gpudb_tap_bypass;
GRANT SELECT (id) ON gpudb_tap_pay TO gpudb_tap_column;
GRANT SELECT (id, word, salary) ON gpudb_tap_pay TO gpudb_tap_columns;
GRANT INSERT, UPDATE, DELETE ON gpudb_tap_pay TO gpudb_tap_writer;
CREATE VIEW gpudb_tap_pay_view AS SELECT id FROM gpudb_tap_pay;
GRANT SELECT ON gpudb_tap_pay_view TO gpudb_tap_plain;
-- VACUUM does not visit this table, so gpudb.doctor() tells of it.
CREATE TABLE gpudb_tap_large (id int NOT NULL, filler text);
ALTER TABLE gpudb_tap_large ALTER filler SET STORAGE PLAIN;
INSERT INTO gpudb_tap_large SELECT i, repeat('-', 7000) FROM generate_series(1, 1500) i;
GRANT SELECT ON gpudb_tap_large TO gpudb_tap_reader;
GRANT SELECT (id) ON gpudb_tap_large TO gpudb_tap_column;
VACUUM ANALYZE gpudb_tap_pay;
ANALYZE gpudb_tap_large;
SELECT gpudb.prewarm('gpudb_tap_pay'), gpudb.prewarm('gpudb_tap_large', '{id}') \g /dev/null

BEGIN;
SELECT plan(168);

-- The value that a query has for a role.
CREATE FUNCTION pg_temp.as_role(role name, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE query INTO answer;
	RESET ROLE;
	RETURN answer;
END $$;
-- The error that a statement raises for a role: its SQLSTATE and its message, or 'no error'.
CREATE FUNCTION pg_temp.error_of(role name, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE statement;
	RESET ROLE;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Objects
SELECT schema_privs_are('gpudb', 'gpudb_tap_plain', ARRAY['USAGE'], 'everybody has USAGE on the schema, and nothing more');
SELECT table_privs_are('gpudb', name, 'gpudb_tap_plain', ARRAY['SELECT'], format('everybody has SELECT on gpudb.%s, and nothing more', name))
FROM unnest(ARRAY['admission', 'cache', 'calibration', 'devices', 'dictionaries', 'progress', 'sql_support', 'stat', 'tablets']::name[]) name;
SELECT is(pg_temp.error_of('gpudb_tap_plain', format('SELECT * FROM gpudb.%I', name)), 'no error', format('everybody can read gpudb.%s', name))
FROM unnest(ARRAY['admission', 'cache', 'calibration', 'devices', 'dictionaries', 'progress', 'sql_support', 'stat', 'tablets']) name;
SELECT is(has_function_privilege('gpudb_tap_plain', oid, 'EXECUTE'), proname NOT IN ('calibrate', 'stat_reset'), format('who may execute %s', oid::regprocedure))
FROM pg_proc WHERE pronamespace = 'gpudb'::regnamespace ORDER BY oid::regprocedure::text;
SELECT throws_ok('SET ROLE gpudb_tap_plain; CREATE FUNCTION gpudb.mine() RETURNS int LANGUAGE sql AS ''SELECT 1''', '42501', NULL, 'nobody else creates anything in the schema');
SELECT throws_ok('SET ROLE gpudb_tap_plain; CREATE OR REPLACE VIEW gpudb.stat AS SELECT 1', '42501', NULL, 'nobody else replaces anything in the schema');

-- gpudb.calibrate() and gpudb.stat_reset()
SELECT is(pg_temp.error_of('gpudb_tap_plain', 'SELECT gpudb.stat_reset()'), '42501 permission denied for function stat_reset', 'gpudb.stat_reset() is for superusers');
SELECT is(pg_temp.error_of('gpudb_tap_stats', 'SELECT gpudb.stat_reset()'), '42501 permission denied for function stat_reset', 'reading statistics is no right to reset them');
SELECT is(pg_temp.error_of('gpudb_tap_plain', 'SELECT gpudb.calibrate()'), '42501 permission denied for function calibrate', 'gpudb.calibrate() is for superusers');
SELECT is(pg_temp.error_of('gpudb_tap_plain', 'SELECT gpudb.calibrate(anew => true)'), '42501 permission denied for function calibrate', 'gpudb.calibrate(anew => true) is for superusers, too');
SELECT throws_ok('SET LOCAL transaction_read_only = on; SELECT gpudb.calibrate()', '25006', NULL, 'a read-only transaction does not calibrate');
GRANT EXECUTE ON FUNCTION gpudb.stat_reset(), gpudb.calibrate(boolean) TO gpudb_tap_plain;
SELECT is(pg_temp.error_of('gpudb_tap_plain', 'SELECT gpudb.stat_reset()'), 'no error', 'EXECUTE on gpudb.stat_reset() may be granted');
SELECT matches(pg_temp.error_of('gpudb_tap_plain', 'SET LOCAL transaction_read_only = on; SELECT gpudb.calibrate()'), '^25006',
	'EXECUTE on gpudb.calibrate() may be granted');

-- Views, and a table of which some roles may read something
CREATE TEMP TABLE told (role name, columns text, why text);
INSERT INTO told VALUES
	('gpudb_tap_plain', NULL, 'without privileges'),
	('gpudb_tap_reader', 'id salary word', 'with SELECT on the table'),
	('gpudb_tap_column', 'id', 'with SELECT on a column'),
	('gpudb_tap_columns', 'id salary word', 'with SELECT on each column'),
	('gpudb_tap_writer', NULL, 'that writes and may not read'),
	('gpudb_tap_owner', 'id salary word', 'that owns the table'),
	('gpudb_tap_heir', 'id salary word', 'that is a member of the owner'),
	('gpudb_tap_stats', NULL, 'in pg_read_all_stats'),
	('gpudb_tap_data', 'id salary word', 'in pg_read_all_data'),
	('gpudb_tap_bypass', 'id salary word', 'with SELECT and BYPASSRLS');
SELECT is(pg_temp.as_role(role, $$SELECT string_agg(DISTINCT column_name, ' ' ORDER BY column_name) FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass$$),
	columns, format('gpudb.tablets: a role %s', why)) FROM told;
SELECT is(pg_temp.as_role(role, $$SELECT array_to_string(columns, ' ') FROM gpudb.cache WHERE relation = 'gpudb_tap_pay'::regclass$$),
	columns, format('gpudb.cache: a role %s', why)) FROM told;
SELECT is(pg_temp.as_role(role, $$SELECT column_name FROM gpudb.dictionaries WHERE relation = 'gpudb_tap_pay'::regclass$$),
	substring(columns FROM 'word'), format('gpudb.dictionaries: a role %s', why)) FROM told;
SELECT is(pg_temp.as_role('gpudb_tap_column', $$SELECT bytes FROM gpudb.cache WHERE relation = 'gpudb_tap_pay'::regclass$$)::bigint,
	(SELECT sum(bytes)::bigint FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass AND column_name = 'id'),
	'gpudb.cache adds up columns that the user may see, and no others');

-- Views, and a table with policies
ALTER TABLE gpudb_tap_pay ENABLE ROW LEVEL SECURITY;
CREATE POLICY gpudb_tap_few ON gpudb_tap_pay USING (id < 10);
UPDATE told SET columns = NULL WHERE role IN ('gpudb_tap_reader', 'gpudb_tap_column', 'gpudb_tap_columns', 'gpudb_tap_data');
SELECT is(pg_temp.as_role(role, $$SELECT string_agg(DISTINCT column_name, ' ' ORDER BY column_name) FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass$$),
	columns, format('gpudb.tablets with policies: a role %s', why)) FROM told;
SELECT is(pg_temp.as_role(role, $$SELECT column_name FROM gpudb.dictionaries WHERE relation = 'gpudb_tap_pay'::regclass$$),
	substring(columns FROM 'word'), format('gpudb.dictionaries with policies: a role %s', why)) FROM told;
SELECT isnt_empty($$SELECT FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass$$, 'gpudb.tablets: no policy applies to superusers');
SELECT is(pg_temp.error_of('gpudb_tap_reader', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$), '42501 permission denied for table gpudb_tap_pay',
	'gpudb.prewarm(): not if policies hide rows');
SELECT is(pg_temp.error_of('gpudb_tap_column', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{id}')$$), '42501 permission denied for table gpudb_tap_pay',
	'gpudb.prewarm(): not a column of these either');
SELECT is(pg_temp.error_of(role, $$SELECT gpudb.prewarm('gpudb_tap_pay')$$), 'no error', format('gpudb.prewarm() with policies: %s', role))
FROM unnest('{gpudb_tap_owner,gpudb_tap_heir,gpudb_tap_bypass}'::name[]) role;
ALTER TABLE gpudb_tap_pay FORCE ROW LEVEL SECURITY;
SELECT is(pg_temp.as_role('gpudb_tap_owner', $$SELECT count(*) FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass$$), '0',
	'gpudb.tablets: policies that are forced apply to the owner, too');
SELECT is(pg_temp.error_of('gpudb_tap_owner', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$), 'no error', 'gpudb.prewarm(): the owner may, also if policies are forced');
DROP POLICY gpudb_tap_few ON gpudb_tap_pay;
ALTER TABLE gpudb_tap_pay NO FORCE ROW LEVEL SECURITY;
ALTER TABLE gpudb_tap_pay DISABLE ROW LEVEL SECURITY;

-- gpudb.prewarm(): SELECT on the columns or on the table; gpudb.evict() and gpudb.check(): the owner
SELECT is(pg_temp.error_of(role, statement), error, format('%s: %s', role, statement))
FROM (VALUES
	('gpudb_tap_plain', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_plain', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{id}')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_writer', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{id}')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_stats', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_column', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{id}')$$, 'no error'),
	('gpudb_tap_column', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{id,salary}')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_column', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_columns', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, 'no error'),
	('gpudb_tap_reader', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, 'no error'),
	('gpudb_tap_data', $$SELECT gpudb.prewarm('gpudb_tap_pay', '{salary}')$$, 'no error'),
	('gpudb_tap_owner', $$SELECT gpudb.prewarm('gpudb_tap_pay')$$, 'no error'),
	('gpudb_tap_plain', $$SELECT * FROM gpudb.check('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_reader', $$SELECT * FROM gpudb.check('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_data', $$SELECT * FROM gpudb.check('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_owner', $$SELECT * FROM gpudb.check('gpudb_tap_pay')$$, 'no error'),
	('gpudb_tap_heir', $$SELECT * FROM gpudb.check('gpudb_tap_pay')$$, 'no error'),
	('gpudb_tap_owner', $$SELECT * FROM gpudb.check('gpudb_tap_large')$$, '42501 must be owner of table gpudb_tap_large'),
	('gpudb_tap_plain', $$SELECT gpudb.evict('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_reader', $$SELECT gpudb.evict('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_stats', $$SELECT gpudb.evict('gpudb_tap_pay')$$, '42501 must be owner of table gpudb_tap_pay'),
	('gpudb_tap_plain', $$SELECT gpudb.evict('gpudb_tap_pay_view')$$, '42501 must be owner of view gpudb_tap_pay_view'),
	('gpudb_tap_plain', $$SELECT gpudb.evict('pg_class')$$, '42501 must be owner of table pg_class')) v (role, statement, error);
SELECT cmp_ok(pg_temp.as_role('gpudb_tap_heir', $$SELECT gpudb.evict('gpudb_tap_pay')$$)::bigint, '>', 0::bigint, 'gpudb.evict(): a member of the owner may');
SELECT is_empty($$SELECT FROM gpudb.tablets WHERE relation = 'gpudb_tap_pay'::regclass$$, 'gpudb.evict() has removed all columns of the table');
SELECT isnt_empty($$SELECT FROM gpudb.tablets WHERE relation = 'gpudb_tap_large'::regclass$$, 'gpudb.evict() has left the other table alone');

-- gpudb.devices and gpudb.doctor()
SELECT is(pg_temp.as_role('gpudb_tap_plain', 'SELECT count(memory_used) + count(cached) FROM gpudb.devices'), '0', 'gpudb.devices: memory is not told to everybody');
SELECT is(pg_temp.as_role('gpudb_tap_stats', 'SELECT count(memory_used) + count(cached) - 2 * count(*) FROM gpudb.devices'), '0', 'gpudb.devices: memory is told to members of pg_read_all_stats');
SELECT matches(pg_temp.as_role('gpudb_tap_plain', 'SELECT gpudb.doctor()'), 'Cached columns may take 64\.0 MB', 'gpudb.doctor() tells everybody how much may be cached');
SELECT doesnt_match(pg_temp.as_role('gpudb_tap_plain', 'SELECT gpudb.doctor()'), 'Cached columns take', 'gpudb.doctor() does not tell everybody how much is cached');
SELECT doesnt_match(pg_temp.as_role('gpudb_tap_data', 'SELECT gpudb.doctor()'), 'Cached columns take', 'gpudb.doctor() does not tell those who may read all data how much is cached');
SELECT matches(pg_temp.as_role('gpudb_tap_stats', 'SELECT gpudb.doctor()'), 'Cached columns take [0-9.]+ of 64\.0 MB', 'gpudb.doctor() tells members of pg_read_all_stats how much is cached');
SELECT matches(gpudb.doctor(), 'Cached columns take [0-9.]+ of 64\.0 MB', 'gpudb.doctor() tells superusers how much is cached');
SELECT is(pg_temp.as_role(role::name, 'SELECT gpudb.doctor()') ~ '1500 of 1500 pages of table public\.gpudb_tap_large .*VACUUM it', named, format('gpudb.doctor() names a table that VACUUM should visit: %s', role))
FROM (VALUES ('gpudb_tap_reader', true), ('gpudb_tap_data', true), (current_user::text, true), ('gpudb_tap_plain', false), ('gpudb_tap_column', false), ('gpudb_tap_stats', false)) v (role, named);
ALTER TABLE gpudb_tap_large ENABLE ROW LEVEL SECURITY;
SELECT doesnt_match(pg_temp.as_role('gpudb_tap_reader', 'SELECT gpudb.doctor()'), 'gpudb_tap_large', 'gpudb.doctor() does not name a table to those to whom its policies apply');
ALTER TABLE gpudb_tap_large DISABLE ROW LEVEL SECURITY;

-- gpudb.why_not(): whoever may run the query
SELECT is(pg_temp.error_of(role, format('SELECT * FROM gpudb.why_not(%L)', query)), error, format('gpudb.why_not(): %s, %s', role, query))
FROM (VALUES
	('gpudb_tap_plain', 'SELECT count(*) FROM gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_writer', 'SELECT id FROM gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_reader', 'SELECT count(*) FROM gpudb_tap_pay', 'no error'),
	('gpudb_tap_reader', 'DELETE FROM gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_reader', 'INSERT INTO gpudb_tap_pay SELECT * FROM gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_writer', 'INSERT INTO gpudb_tap_pay VALUES (1)', 'no error'),
	('gpudb_tap_column', 'SELECT sum(id) FROM gpudb_tap_pay', 'no error'),
	('gpudb_tap_column', 'SELECT sum(salary) FROM gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_column', 'SELECT id FROM gpudb_tap_pay WHERE salary > 5', '42501 permission denied for table gpudb_tap_pay'),
	('gpudb_tap_plain', 'SELECT count(*) FROM gpudb_tap_pay_view', 'no error'),
	('gpudb_tap_plain', 'SELECT count(*) FROM gpudb_tap_pay_view, gpudb_tap_pay', '42501 permission denied for table gpudb_tap_pay')) v (role, query, error);

SELECT * FROM finish();
ROLLBACK;
DROP VIEW gpudb_tap_pay_view;
DROP TABLE gpudb_tap_pay, gpudb_tap_large;
DROP ROLE gpudb_tap_plain, gpudb_tap_reader, gpudb_tap_column, gpudb_tap_columns, gpudb_tap_writer, gpudb_tap_owner, gpudb_tap_heir,
	gpudb_tap_stats, gpudb_tap_data, gpudb_tap_bypass;
