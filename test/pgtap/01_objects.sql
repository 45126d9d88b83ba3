-- Objects of the extension: schema, functions, aggregates and views, with their signatures, properties, owners and comments.
-- Views have the columns of docs/reference.md, in its order; a change of a name or a type breaks queries of users.
\set ON_ERROR_STOP on
BEGIN;
SELECT plan(105);

SELECT has_schema('gpudb', 'the schema gpudb exists');
SELECT has_extension('gpudb', 'gpudb', 'the extension stands in the schema gpudb');
SELECT functions_are('gpudb', ARRAY[
	'admission', 'calibrate', 'calibration', 'check', 'devices', 'dictionaries', 'doctor', 'evict', 'exact_avg', 'exact_sum', 'median',
	'prewarm', 'progress', 'stat', 'stat_reset', 'tablets', 'version', 'why_not',
	'exact_accum', 'exact_avg_final', 'exact_combine', 'exact_deserialize', 'exact_serialize', 'exact_sum_final', 'exact_sum_single_final',
	'known_objects', 'median_final'], 'the schema has the functions of docs/reference.md, and no others');
SELECT views_are('gpudb', ARRAY['admission', 'cache', 'calibration', 'devices', 'dictionaries', 'progress', 'sql_support', 'stat', 'tablets'],
	'the schema has the views of docs/reference.md, and no others');
SELECT tables_are('gpudb', ARRAY[]::name[], 'the schema has no tables');
SELECT sequences_are('gpudb', ARRAY[]::name[], 'the schema has no sequences');
SELECT operators_are('gpudb', ARRAY[]::text[], 'the schema has no operators');
SELECT is_empty($$SELECT typname FROM pg_type WHERE typnamespace = 'gpudb'::regnamespace AND typrelid = 0 AND typelem = 0$$,
	'the schema has no types but those of the views'' rows');

-- Signatures
CREATE TEMP TABLE signature (name text, arguments text, result text, volatility text, strict bool, parallel text, kind text);
INSERT INTO signature VALUES
	('calibrate', 'anew boolean DEFAULT false', 'void', 'volatile', true, 'unsafe', 'function'),
	('check', 'relation regclass, OUT column_name text, OUT tablets bigint, OUT blocks bigint, OUT rows bigint, OUT differences bigint',
		'SETOF record', 'volatile', true, 'unsafe', 'function'),
	('doctor', '', 'text', 'volatile', true, 'restricted', 'function'),
	('evict', 'relation regclass', 'bigint', 'volatile', true, 'unsafe', 'function'),
	('exact_avg', 'double precision', 'double precision', 'immutable', false, 'safe', 'aggregate'),
	('exact_avg', 'real', 'double precision', 'immutable', false, 'safe', 'aggregate'),
	('exact_sum', 'double precision', 'double precision', 'immutable', false, 'safe', 'aggregate'),
	('exact_sum', 'real', 'real', 'immutable', false, 'safe', 'aggregate'),
	('median', 'double precision', 'double precision', 'immutable', false, 'safe', 'aggregate'),
	('median', 'anynonarray', 'anynonarray', 'immutable', false, 'safe', 'aggregate'),
	('prewarm', 'relation regclass, columns text[] DEFAULT NULL::text[]', 'bigint', 'volatile', false, 'unsafe', 'function'),
	('stat_reset', '', 'void', 'volatile', true, 'unsafe', 'function'),
	('version', 'sql_version text DEFAULT ''1.0''::text', 'text', 'stable', true, 'safe', 'function'),
	('why_not', 'query text, OUT relation text, OUT part text, OUT node text, OUT reason text, OUT meaning text',
		'SETOF record', 'volatile', true, 'unsafe', 'function'),
	-- functions behind views
	('admission', 'OUT relation regclass, OUT columns text[], OUT state text, OUT lost_ms double precision, OUT price_ms double precision, '
		'OUT builds integer, OUT since timestamp with time zone', 'SETOF record', 'volatile', true, 'restricted', 'function'),
	('calibration', 'OUT figure text, OUT device text, OUT nanoseconds double precision, OUT measured timestamp with time zone, '
		'OUT calibrations integer, OUT meaning text', 'SETOF record', 'volatile', true, 'restricted', 'function'),
	('devices', 'OUT kind text, OUT name text, OUT uuid text, OUT memory bigint, OUT memory_used bigint, OUT cached bigint, OUT capability text, '
		'OUT driver text, OUT state text', 'SETOF record', 'volatile', true, 'restricted', 'function'),
	('dictionaries', 'OUT relation regclass, OUT column_name text, OUT entries integer, OUT bytes bigint, OUT refused boolean',
		'SETOF record', 'volatile', true, 'restricted', 'function'),
	('progress', 'OUT pid integer, OUT relation regclass, OUT tablets_done bigint, OUT tablets bigint, OUT began timestamp with time zone',
		'SETOF record', 'volatile', true, 'restricted', 'function'),
	('stat', 'OUT event text, OUT reason text, OUT count bigint, OUT meaning text', 'SETOF record', 'volatile', true, 'restricted', 'function'),
	('tablets', 'OUT relation regclass, OUT column_name text, OUT first_block bigint, OUT blocks integer, OUT blocks_lost integer, OUT rows integer, '
		'OUT form text, OUT bytes bigint, OUT bytes_raw bigint, OUT hits bigint, OUT rebuilds bigint, OUT unused bigint, '
		'OUT last_use timestamp with time zone', 'SETOF record', 'volatile', true, 'restricted', 'function');
CREATE TEMP TABLE actual AS
	SELECT oid, proname::text AS name, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result,
		CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility, proisstrict AS strict,
		CASE proparallel WHEN 's' THEN 'safe' WHEN 'r' THEN 'restricted' ELSE 'unsafe' END AS parallel,
		CASE prokind WHEN 'f' THEN 'function' WHEN 'a' THEN 'aggregate' ELSE prokind::text END AS kind
	FROM pg_proc WHERE pronamespace = 'gpudb'::regnamespace;
SELECT is((SELECT count(*)::int FROM actual JOIN signature USING (name, arguments)), (SELECT count(*)::int FROM signature),
	'each documented signature exists');
SELECT is((SELECT string_agg(name || '(' || arguments || ')', ', ') FROM actual WHERE name IN (SELECT name FROM signature)
	AND (name, arguments) NOT IN (SELECT name, arguments FROM signature)), NULL, 'no documented function has a signature more');
-- PostgreSQL writes anyelement for the result of an aggregate that returns its argument's type.
SELECT is(regexp_replace(a.result, '^anyelement$', 'anynonarray'), s.result, format('%s(%s): type of the result', s.name, s.arguments))
FROM signature s LEFT JOIN actual a USING (name, arguments) ORDER BY s.kind, s.name, s.arguments;
SELECT is(format('%s %s, %s, parallel %s', a.volatility, a.kind, CASE WHEN a.strict THEN 'strict' ELSE 'not strict' END, a.parallel),
	format('%s %s, %s, parallel %s', s.volatility, s.kind, CASE WHEN s.strict THEN 'strict' ELSE 'not strict' END, s.parallel),
	format('%s(%s): properties', s.name, s.arguments))
FROM signature s LEFT JOIN actual a USING (name, arguments) ORDER BY s.kind, s.name, s.arguments;
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'gpudb'::regnamespace AND prosecdef$$, 'no function runs as its owner');
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_language l ON l.oid = prolang
	WHERE pronamespace = 'gpudb'::regnamespace AND prokind <> 'a' AND (lanname <> 'c' OR probin <> '$libdir/gpudb')$$, 'all functions are in the library gpudb');
SELECT is_empty($$SELECT aggfnoid FROM pg_aggregate JOIN pg_proc p ON p.oid = aggfnoid WHERE pronamespace = 'gpudb'::regnamespace
	AND (aggkind <> 'n' OR aggfinalmodify <> 'r')$$, 'all aggregates are plain ones that may be used over a window');
SELECT is_empty($$SELECT aggfnoid FROM pg_aggregate JOIN pg_proc p ON p.oid = aggfnoid WHERE pronamespace = 'gpudb'::regnamespace
	AND proname LIKE 'exact%' AND (aggcombinefn = 0 OR aggserialfn = 0 OR aggdeserialfn = 0)$$, 'exact sums and averages can be computed in parallel');

-- Views
CREATE FUNCTION pg_temp.columns_of(of_view text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
	WHERE attrelid = ('gpudb.' || of_view)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
$$;
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('admission')$$, ARRAY['relation regclass', 'columns text[]', 'state text', 'lost_ms double precision',
	'price_ms double precision', 'builds integer', 'since timestamp with time zone'], 'columns of gpudb.admission');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('cache')$$, ARRAY['relation regclass', 'tablets bigint', 'columns text[]', 'bytes bigint', 'bytes_raw bigint',
	'percent_valid numeric', 'hits bigint', 'bytes_saved bigint', 'rebuilds bigint', 'unused bigint', 'last_use timestamp with time zone'],
	'columns of gpudb.cache');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('calibration')$$, ARRAY['figure text', 'device text', 'nanoseconds double precision',
	'measured timestamp with time zone', 'calibrations integer', 'meaning text'], 'columns of gpudb.calibration');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('devices')$$, ARRAY['kind text', 'name text', 'uuid text', 'memory bigint', 'memory_used bigint',
	'cached bigint', 'capability text', 'driver text', 'state text'], 'columns of gpudb.devices');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('dictionaries')$$, ARRAY['relation regclass', 'column_name text', 'entries integer', 'bytes bigint',
	'refused boolean'], 'columns of gpudb.dictionaries');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('progress')$$, ARRAY['pid integer', 'relation regclass', 'tablets_done bigint', 'tablets bigint',
	'began timestamp with time zone'], 'columns of gpudb.progress');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('sql_support')$$, ARRAY['kind text', 'name text'], 'columns of gpudb.sql_support');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('stat')$$, ARRAY['event text', 'reason text', 'count bigint', 'meaning text'], 'columns of gpudb.stat');
SELECT results_eq($$SELECT * FROM pg_temp.columns_of('tablets')$$, ARRAY['relation regclass', 'column_name text', 'first_block bigint', 'blocks integer',
	'blocks_lost integer', 'rows integer', 'form text', 'bytes bigint', 'bytes_raw bigint', 'hits bigint', 'rebuilds bigint', 'unused bigint',
	'last_use timestamp with time zone'], 'columns of gpudb.tablets');
SELECT isnt_empty(format($$SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	WHERE r.ev_class = 'gpudb.%1$I'::regclass AND d.refclassid = 'pg_proc'::regclass AND d.refobjid = 'gpudb.%1$I()'::regprocedure$$, name),
	format('the view gpudb.%1$s shows the function gpudb.%1$s()', name))
FROM unnest(ARRAY['admission', 'calibration', 'devices', 'dictionaries', 'progress', 'stat', 'tablets']) name;
SELECT throws_ok(format('%s gpudb.%I %s', verb, relname, rest), '55000', NULL, format('%s gpudb.%s: views cannot be written', verb, relname))
FROM pg_class, (VALUES ('INSERT INTO', 'DEFAULT VALUES'), ('DELETE FROM', '')) statement (verb, rest)
WHERE relnamespace = 'gpudb'::regnamespace AND relkind = 'v' ORDER BY relname, verb;

-- Ownership
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'gpudb'::regnamespace AND NOT EXISTS (
		SELECT FROM pg_depend JOIN pg_extension e ON e.oid = refobjid WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid
			AND refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'gpudb')$$, 'all functions belong to the extension');
SELECT is_empty($$SELECT oid::regclass FROM pg_class WHERE relnamespace = 'gpudb'::regnamespace AND NOT EXISTS (
		SELECT FROM pg_depend JOIN pg_extension e ON e.oid = refobjid WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
			AND refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'gpudb')$$, 'all views belong to the extension');
SELECT is_empty($$SELECT pg_describe_object(classid, objid, 0) FROM pg_depend JOIN pg_extension e ON e.oid = refobjid
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'gpudb' AND classid NOT IN ('pg_proc'::regclass, 'pg_class'::regclass, 'pg_type'::regclass)$$,
	'nothing but functions and views belongs to the extension');
SELECT is_empty($$SELECT proname FROM pg_proc WHERE pronamespace = 'gpudb'::regnamespace AND proowner <> (SELECT extowner FROM pg_extension WHERE extname = 'gpudb')
	UNION ALL SELECT relname FROM pg_class WHERE relnamespace = 'gpudb'::regnamespace AND relowner <> (SELECT extowner FROM pg_extension WHERE extname = 'gpudb')$$,
	'whoever owns the extension owns its functions and views');

-- Comments
SELECT isnt(obj_description(('gpudb.' || relname)::regclass, 'pg_class'), NULL, format('the view gpudb.%s has a comment', relname))
FROM pg_class WHERE relnamespace = 'gpudb'::regnamespace AND relkind = 'v' ORDER BY relname;
SELECT is_empty($$SELECT a.name FROM pg_temp.actual a JOIN pg_temp.signature USING (name, arguments) WHERE obj_description(oid, 'pg_proc') IS NULL
	AND name NOT IN (SELECT relname FROM pg_class WHERE relnamespace = 'gpudb'::regnamespace)$$, 'each function that users call has a comment');
SELECT isnt(obj_description((SELECT oid FROM pg_extension WHERE extname = 'gpudb'), 'pg_extension'), NULL, 'the extension has a comment');

SELECT * FROM finish();
ROLLBACK;
