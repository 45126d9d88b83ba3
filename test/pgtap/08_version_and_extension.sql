-- gpudb.version(), and the extension: created, dropped, depended on, altered, refused, and looked up in spite of a hostile search_path.
-- All that drops or creates the extension is rolled back.
\set ON_ERROR_STOP on
CREATE ROLE gpudb_tap_nobody;
CREATE ROLE gpudb_tap_super SUPERUSER;
CREATE TABLE gpudb_tap_extension AS SELECT i AS id, i % 5 AS k, i / 4.0::float8 AS f, 'w' || i % 3 AS w FROM generate_series(1, 2000) i;
VACUUM ANALYZE gpudb_tap_extension;
SELECT gpudb.prewarm('gpudb_tap_extension') \g /dev/null

BEGIN;
SELECT plan(75);
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
-- The answers to statements that are run one after the other and then undone, or the SQLSTATE and the message of the first error.
CREATE FUNCTION pg_temp.undone(VARIADIC statements text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	answer text;
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		IF statement LIKE 'SELECT %' OR statement LIKE 'SHOW %' THEN
			EXECUTE statement INTO answer;
		ELSE
			EXECUTE statement;
		END IF;
	END LOOP;
	RAISE SQLSTATE 'UNDO1' USING MESSAGE = coalesce(answer, 'nothing');
EXCEPTION
	WHEN SQLSTATE 'UNDO1' THEN
		RETURN SQLERRM;
	WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- gpudb.version()
SELECT is(gpudb.version(), '1.0', 'gpudb.version() is the version of the library');
SELECT is(gpudb.version(), extversion, 'the versions of library and extension are the same') FROM pg_extension WHERE extname = 'gpudb';
SELECT is(gpudb.version('1.0'), '1.0', 'gpudb.version() may be asked about a version');
SELECT is(gpudb.version(sql_version => '1.0'), '1.0', 'gpudb.version() may be asked about a version by the name of its argument');
SELECT is(gpudb.version(NULL), NULL, 'gpudb.version() of NULL is NULL');
SELECT throws_ok(format('SELECT gpudb.version(%L)', version), '55000', format('gpudb library version 1.0 does not match version %s of its SQL objects', version),
	format('another version is an error: "%s"', version)) FROM unnest('{0.9,1.1,"",1.0.0," 1.0"}'::text[]) version;
SELECT throws_ok('SELECT gpudb.version(1)', '42883', NULL, 'a number is no version');

-- The extension in catalogs
SELECT is(extrelocatable, false, 'the extension cannot be moved') FROM pg_extension WHERE extname = 'gpudb';
SELECT is(extnamespace::regnamespace::text, 'gpudb', 'the extension stands in the schema gpudb') FROM pg_extension WHERE extname = 'gpudb';
SELECT is(array_agg(name::text || ' ' || version || ' ' || superuser || ' ' || trusted || ' ' || relocatable || ' ' || coalesce(schema::text, '')), ARRAY['gpudb 1.0 true false false gpudb'],
	'there is one version, which superusers create in the schema gpudb') FROM pg_available_extension_versions WHERE name = 'gpudb';
SELECT is(default_version, '1.0', 'the version that is created by default is 1.0') FROM pg_available_extensions WHERE name = 'gpudb';
SELECT is(requires, NULL, 'the extension needs no other one') FROM pg_available_extension_versions WHERE name = 'gpudb';

-- Statements about the extension that are errors
SELECT throws_ok(statement, code, NULL, format('%s: %s', code, statement))
FROM (VALUES
	('CREATE EXTENSION gpudb', '42710'),
	('ALTER EXTENSION gpudb SET SCHEMA public', '0A000'),
	('ALTER EXTENSION gpudb UPDATE TO ''1.1''', '22023'),
	('ALTER EXTENSION gpudb UPDATE TO ''0.9''', '22023'),
	('DROP FUNCTION gpudb.version(text)', '2BP01'),
	('DROP AGGREGATE gpudb.median(double precision)', '2BP01'),
	('DROP VIEW gpudb.stat', '2BP01'),
	('DROP SCHEMA gpudb', '2BP01'),
	('DROP EXTENSION gpudb; CREATE EXTENSION gpudb SCHEMA public', '0A000'),
	('DROP EXTENSION gpudb; CREATE EXTENSION gpudb VERSION ''2.0''', '22023'),
	('SET ROLE gpudb_tap_nobody; CREATE EXTENSION IF NOT EXISTS gpudb; DROP EXTENSION gpudb', '42501'),
	('SET ROLE gpudb_tap_nobody; ALTER EXTENSION gpudb UPDATE', '42501')) v (statement, code);
SELECT throws_ok('DROP EXTENSION gpudb; SET ROLE gpudb_tap_nobody; CREATE EXTENSION gpudb', '42501', NULL, 'nobody but superusers creates the extension');
SELECT lives_ok('ALTER EXTENSION gpudb UPDATE', 'an update to the version that is there does nothing');
SELECT lives_ok('CREATE EXTENSION IF NOT EXISTS gpudb', 'CREATE EXTENSION IF NOT EXISTS does nothing where the extension is');

-- Dropped, and created again
SELECT is(pg_temp.undone('CREATE VIEW gpudb_tap_view AS SELECT gpudb.median(id) FROM gpudb_tap_extension', 'DROP EXTENSION gpudb'),
	'2BP01 cannot drop extension gpudb because other objects depend on it', 'what depends on the extension is in the way of dropping it');
SELECT is(pg_temp.undone('CREATE VIEW gpudb_tap_view AS SELECT gpudb.median(id) FROM gpudb_tap_extension', 'DROP EXTENSION gpudb CASCADE', 'SELECT to_regclass(''gpudb_tap_view'')'),
	'nothing', 'CASCADE drops what depends on the extension');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'SELECT count(*) FROM pg_proc WHERE pronamespace = ''gpudb''::regnamespace'), '0', 'no function is left');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'SELECT count(*) FROM pg_class WHERE relnamespace = ''gpudb''::regnamespace'), '0', 'no view is left');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'SELECT gpudb.version()'), '42883 function gpudb.version() does not exist', 'functions that were dropped are not called');
SELECT is(pg_temp.undone('SET LOCAL gpudb.force = on', 'SELECT pg_temp.nodes(''SELECT sum(id) FROM gpudb_tap_extension WHERE k = 3'')'), 'GpuAgg', 'with the extension there are nodes');
SELECT is(pg_temp.undone('SET LOCAL gpudb.force = on', 'DROP EXTENSION gpudb', 'SELECT pg_temp.nodes(''SELECT sum(id) FROM gpudb_tap_extension WHERE k = 3'')'), 'nothing',
	'without it PostgreSQL plans alone');
SELECT is(pg_temp.undone('SET LOCAL gpudb.force = on', 'DROP EXTENSION gpudb', 'CREATE EXTENSION gpudb', 'SELECT pg_temp.nodes(''SELECT sum(id) FROM gpudb_tap_extension WHERE k = 3'')'), 'GpuAgg',
	'created again, there are nodes again');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'SHOW gpudb.queue_timeout'), '5s', 'settings are the library''s, and stay');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'CREATE EXTENSION gpudb', 'SELECT gpudb.version()'), '1.0', 'the extension is created in the schema that it left');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'DROP SCHEMA gpudb', 'CREATE EXTENSION gpudb', 'SELECT gpudb.version()'), '1.0', 'the extension is created in a schema that it makes');
SELECT is(pg_temp.undone('DROP EXTENSION gpudb', 'CREATE EXTENSION gpudb', 'SELECT columns FROM gpudb.cache WHERE relation = ''gpudb_tap_extension''::regclass'), '{f,id,k,w}',
	'columns stay cached while the extension is dropped');
SELECT is(pg_temp.undone('GRANT EXECUTE ON FUNCTION gpudb.stat_reset() TO gpudb_tap_nobody', 'DROP EXTENSION gpudb', 'CREATE EXTENSION gpudb',
	'SELECT has_function_privilege(''gpudb_tap_nobody'', ''gpudb.stat_reset()'', ''EXECUTE'')'), 'false', 'grants are lost with the extension');
SELECT is(gpudb.version(), '1.0', 'the extension is there after all that was undone');

-- Schemas in which the extension is not created
CREATE FUNCTION pg_temp.created_in(VARIADIC schema_before text[]) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.undone(VARIADIC ARRAY['DROP EXTENSION gpudb', 'DROP SCHEMA gpudb'] || schema_before || ARRAY['CREATE EXTENSION gpudb', 'SELECT gpudb.version()'])
$$;
\set refused '55000 schema "gpudb" was there before, and gpudb cannot be created in it'
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb'), '1.0', 'an empty schema of a superuser is accepted');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb AUTHORIZATION gpudb_tap_super'), '1.0', 'an empty schema of another superuser is accepted');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'GRANT USAGE ON SCHEMA gpudb TO gpudb_tap_nobody'), '1.0', 'an empty schema that others may use is accepted');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb AUTHORIZATION gpudb_tap_nobody'), :'refused', 'a schema of somebody who is none is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'GRANT CREATE ON SCHEMA gpudb TO gpudb_tap_nobody'), :'refused', 'a schema in which somebody may create objects is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'GRANT CREATE ON SCHEMA gpudb TO PUBLIC'), :'refused', 'a schema in which everybody may create objects is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'CREATE TABLE gpudb.mine ()'), :'refused', 'a schema with a table is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'CREATE FUNCTION gpudb.version() RETURNS int LANGUAGE sql AS ''SELECT 1'''), :'refused', 'a schema with a function is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'CREATE OPERATOR gpudb.+ (LEFTARG = int4, RIGHTARG = int4, FUNCTION = int4mi)'), :'refused', 'a schema with an operator is refused');
SELECT is(pg_temp.created_in('CREATE SCHEMA gpudb', 'CREATE COLLATION gpudb.c FROM "C"'), :'refused', 'a schema with a collation is refused');

-- A hostile search_path: operators and functions of everyday names that raise errors come before PostgreSQL's
CREATE SCHEMA gpudb_tap_trap;
CREATE FUNCTION gpudb_tap_trap.sprung() RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trap' USING ERRCODE = 'TRAP1'; END$$;
DO $do$
DECLARE
	types text[] := '{int4,int8,numeric,text,name,oid,bool,float8}';
	a text;
	b text;
	o text;
	body text := 'LANGUAGE plpgsql AS $$BEGIN PERFORM gpudb_tap_trap.sprung(); RETURN NULL; END$$';
BEGIN
	FOREACH a IN ARRAY types LOOP
		EXECUTE format('CREATE FUNCTION gpudb_tap_trap.format_type(pg_catalog.%I, int4) RETURNS text %s', a, body);
		EXECUTE format('CREATE FUNCTION gpudb_tap_trap.round(pg_catalog.%I, int4) RETURNS numeric %s', a, body);
		FOREACH b IN ARRAY types LOOP
			EXECUTE format('CREATE FUNCTION gpudb_tap_trap.trap(pg_catalog.%I, pg_catalog.%I) RETURNS bool %s', a, b, body);
			FOREACH o IN ARRAY '{=,-,*,/,||}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR gpudb_tap_trap.%s (LEFTARG = pg_catalog.%I, RIGHTARG = pg_catalog.%I, FUNCTION = gpudb_tap_trap.trap)', o, a, b);
			END LOOP;
		END LOOP;
	END LOOP;
END $do$;
CREATE VIEW gpudb_tap_trap.pg_operator AS SELECT gpudb_tap_trap.sprung() AS oid, 1 AS oprcode;
CREATE VIEW gpudb_tap_trap.pg_cast AS SELECT gpudb_tap_trap.sprung() AS oid, 1 AS castfunc, 1 AS castsource, 1 AS casttarget;
CREATE VIEW gpudb_tap_trap.pg_proc AS SELECT gpudb_tap_trap.sprung() AS oid, 1 AS prorettype;
CREATE VIEW gpudb_tap_trap.pg_class AS SELECT gpudb_tap_trap.sprung() AS oid;
-- Run a query with the traps in front; its SQLSTATE, or whether there was a row.
CREATE FUNCTION pg_temp.among_traps(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found bigint;
	result text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'gpudb_tap_trap, public, pg_catalog', true);
	BEGIN
		EXECUTE query;
		GET DIAGNOSTICS found = ROW_COUNT;
		result := pg_catalog.concat('no error, rows: ', found OPERATOR(pg_catalog.>) 0);
	EXCEPTION WHEN OTHERS THEN
		result := SQLSTATE;
	END;
	PERFORM pg_catalog.set_config('search_path', '"$user", public', true);
	RETURN result;
END $$;
SELECT is(pg_temp.among_traps('SELECT 1 = 1'), 'TRAP1', 'an operator springs a trap');
SELECT is(pg_temp.among_traps(format('SELECT * FROM gpudb.%I', name)), 'no error, rows: t', format('gpudb.%s is not caught', name))
FROM unnest('{stat,calibration,tablets,cache,dictionaries,sql_support}'::text[]) name;
SELECT is(pg_temp.among_traps(format('SELECT * FROM gpudb.%I', name)), answer, format('gpudb.%s is not caught', name))
FROM (VALUES ('progress', 'no error, rows: f'), ('admission', 'no error, rows: f')) v (name, answer);
SELECT is(pg_temp.among_traps(query), 'no error, rows: t', format('not caught: %s', query))
FROM unnest(ARRAY['SELECT gpudb.version()', 'SELECT gpudb.doctor()', 'SELECT * FROM gpudb.check(''gpudb_tap_extension'')', 'SELECT gpudb.prewarm(''gpudb_tap_extension'')',
	'SELECT * FROM gpudb.why_not(''SELECT id FROM gpudb_tap_extension'')', 'SELECT gpudb.median(id), gpudb.exact_sum(f), gpudb.exact_avg(f) FROM gpudb_tap_extension',
	'SELECT gpudb.evict(''gpudb_tap_extension'')']) query;
SELECT is(pg_temp.among_traps('DROP EXTENSION gpudb'), 'no error, rows: f', 'DROP EXTENSION is not caught');
SELECT is(pg_temp.among_traps('CREATE EXTENSION gpudb'), 'no error, rows: f', 'CREATE EXTENSION is not caught');
SELECT is(pg_temp.among_traps('SELECT * FROM gpudb.sql_support'), 'no error, rows: t', 'gpudb.sql_support is not caught after that');
SELECT is_empty($$
	WITH members AS MATERIALIZED (
		SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpudb')),
	theirs AS (
		SELECT classid, objid FROM members
		UNION ALL SELECT 'pg_rewrite'::regclass, oid FROM pg_rewrite WHERE ev_class IN (SELECT objid FROM members WHERE classid = 'pg_class'::regclass))
	SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) FROM theirs t JOIN pg_depend d USING (classid, objid)
	WHERE (d.refclassid, d.refobjid) NOT IN (SELECT classid, objid FROM members) AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_extension'::regclass)$$,
	'nothing of the extension uses an object of the traps'' schema');

SELECT * FROM finish();
ROLLBACK;
DROP TABLE gpudb_tap_extension;
DROP ROLE gpudb_tap_nobody, gpudb_tap_super;
