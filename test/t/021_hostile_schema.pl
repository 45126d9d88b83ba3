# What others have put into schemas is never taken for PostgreSQL's: neither when the extension is created, nor by its views,
# nor in the queries of gpudb.calibrate().  CREATE EXTENSION refuses a schema that is not its own; dumps can be restored.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('hostile');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpudb'\nautovacuum = off");
$node->start;
my ($rc, $out, $err);

sub database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name; GRANT CREATE ON DATABASE $name TO eve");
	$node->safe_psql($name, 'GRANT CREATE ON SCHEMA public TO eve');
	return $name;
}

$node->safe_psql('postgres', 'CREATE ROLE eve; CREATE ROLE adam SUPERUSER; CREATE ROLE plain');

# A schema that was there before

# each with what the error is to say of it, or nothing if the extension can be created
for my $case (
	['of somebody else', 'CREATE SCHEMA gpudb AUTHORIZATION eve', qr/It belongs to role "eve", who is no superuser\./],
	['open to somebody', 'CREATE SCHEMA gpudb; GRANT ALL ON SCHEMA gpudb TO eve', qr/Role "eve" may create objects in it\./],
	['open to everybody', 'CREATE SCHEMA gpudb; GRANT CREATE ON SCHEMA gpudb TO PUBLIC', qr/Everybody may create objects in it\./],
	['with a table', 'CREATE SCHEMA gpudb; CREATE TABLE gpudb.t (i int)', qr/It contains (table|type) gpudb\.t\./],
	['with a function', 'CREATE SCHEMA gpudb; CREATE FUNCTION gpudb.f() RETURNS int LANGUAGE sql AS $$SELECT 1$$', qr/It contains function gpudb\.f\(\)\./],
	['with a type', 'CREATE SCHEMA gpudb; CREATE DOMAIN gpudb.text AS int', qr/It contains type gpudb\.text\./],
	['with a collation', 'CREATE SCHEMA gpudb; CREATE COLLATION gpudb.c FROM "C"', qr/It contains collation gpudb\.c\./],
	['with a text search configuration', 'CREATE SCHEMA gpudb; CREATE TEXT SEARCH CONFIGURATION gpudb.c (COPY = simple)', qr/It contains text search configuration gpudb\.c\./],
	['open to reading', 'CREATE SCHEMA gpudb; GRANT USAGE ON SCHEMA gpudb TO eve', ''],
	['of another superuser', 'CREATE SCHEMA gpudb AUTHORIZATION adam', ''],
	['open to another superuser', 'CREATE SCHEMA gpudb; GRANT CREATE ON SCHEMA gpudb TO adam', ''],
	['of an extension that was dropped', 'CREATE EXTENSION gpudb; DROP EXTENSION gpudb', ''],
	['not there', 'SELECT 1', ''])
{
	my ($name, $before, $refused) = @$case;
	my $db = database('before');
	$node->safe_psql($db, $before);
	($rc, $out, $err) = $node->psql($db, 'CREATE EXTENSION gpudb');
	if ($refused)
	{
		isnt($rc, 0, "schema $name: refused");
		like($err, qr/ERROR:  schema "gpudb" was there before, and gpudb cannot be created in it\nDETAIL:  $refused\nHINT:  Drop the schema/, "schema $name: it is said why");
		is($node->safe_psql($db, "SELECT count(*) FROM pg_extension WHERE extname = 'gpudb'"), '0', "schema $name: nothing is created");
	}
	else
	{
		is("$rc$err", '0', "schema $name: accepted, without a word");
		is($node->safe_psql($db, "SELECT count(*) > 0 FROM gpudb.stat; SHOW search_path"), "t\n\"\$user\", public", "schema $name: a view; search_path is as before");
	}
	$node->safe_psql('postgres', "DROP DATABASE $db");
}

# Traps: whoever calls one gets an error

# operators between any two of these types, functions of the names and arguments of PostgreSQL's, types, and relations
my $traps = q{
	CREATE FUNCTION public.trap() RETURNS int4 LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trap'; END$$;
	DO $do$
	DECLARE
		a text; b text; o text; f record;
		types text[] := '{int2,int4,int8,float8,numeric,text,name,oid,regclass,regproc,regtype,bool,timestamptz}';
		body text := 'LANGUAGE plpgsql AS $$BEGIN PERFORM public.trap(); RETURN NULL; END$$';
	BEGIN
		FOR f IN SELECT proname, pg_get_function_identity_arguments(oid) AS args FROM pg_proc p
			WHERE pronamespace = 'pg_catalog'::regnamespace AND pronargs > 0 AND provariadic = 0
				AND proname IN ('sum', 'min', 'max', 'count', 'avg', 'round', 'array_agg', 'format_type', 'set_config', 'format')
				AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (p.proargtypes) AND typtype = 'p')
		LOOP
			EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS bool %s', f.proname, f.args, body);
		END LOOP;
		FOREACH a IN ARRAY types LOOP
			FOREACH b IN ARRAY types LOOP
				EXECUTE format('CREATE FUNCTION public.trap(pg_catalog.%I, pg_catalog.%I) RETURNS bool %s', a, b, body);
				FOREACH o IN ARRAY '{=,<>,<,<=,>,>=,+,-,*,/,%,||,~,~~}'::text[] LOOP
					EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = pg_catalog.%I, RIGHTARG = pg_catalog.%I, FUNCTION = public.trap)', o, a, b);
				END LOOP;
			END LOOP;
		END LOOP;
	END $do$;
	CREATE FUNCTION public.trap(int8) RETURNS int8 LANGUAGE plpgsql AS $$BEGIN PERFORM public.trap(); RETURN NULL; END$$;
	CREATE AGGREGATE public.count(*) (SFUNC = public.trap, STYPE = int8);
	CREATE FUNCTION public.row_number() RETURNS int8 LANGUAGE plpgsql AS $$BEGIN PERFORM public.trap(); RETURN NULL; END$$;
	CREATE DOMAIN public.float8 AS int4;
	CREATE DOMAIN public.regclass AS int4;
	CREATE DOMAIN public.timestamptz AS int4;
	CREATE DOMAIN public.bytea AS int4;
	CREATE VIEW public.pg_class AS SELECT public.trap() AS oid, 1 AS relpages;
	CREATE VIEW public.pg_operator AS SELECT public.trap() AS oid, 1 AS oprcode;
	CREATE VIEW public.pg_cast AS SELECT public.trap() AS oid, 1 AS castfunc, 1 AS castsource, 1 AS casttarget;
	CREATE VIEW public.pg_proc AS SELECT public.trap() AS oid, 1 AS prorettype;
	CREATE DOMAIN public.text AS int4;
};
# the caller's own temporary schema comes first
my $first = 'SET client_min_messages = error; CREATE TEMP VIEW pg_class AS SELECT public.trap() AS oid; CREATE TEMP VIEW pg_operator AS SELECT public.trap() AS oid;'
  . ' CREATE TEMP VIEW known AS SELECT public.trap() AS oid; CREATE DOMAIN pg_temp.regclass AS int4;'
  . ' SET search_path = pg_temp, public, pg_catalog; RESET client_min_messages;';

sub uncaught
{
	my ($db, $sql, $name, $like) = @_;
	($rc, $out, $err) = $node->psql($db, "$first $sql");
	is($rc, 0, $name) or diag(substr($err, 0, 2000));
	like($out, $like // qr//, "$name: what it tells");
	return;
}

# The same without a way into the traps, for what the test itself asks.
sub ask
{
	my ($db, $sql) = @_;
	return $node->safe_psql($db, "SET search_path = pg_catalog, pg_temp; $sql");
}

my $db = database('traps');
$node->safe_psql($db, "SET ROLE eve; $traps");
($rc, $out, $err) = $node->psql($db, "$first SELECT 1 OPERATOR(public.+) 1");
like($err, qr/ERROR:  trap/, 'there are traps');
uncaught($db, 'CREATE EXTENSION gpudb', 'CREATE EXTENSION');
is(ask($db, q{
	WITH members AS MATERIALIZED (
		SELECT classid, objid FROM pg_depend
		WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpudb') AND deptype = 'e'),
	theirs AS (
		SELECT classid, objid FROM members
		UNION ALL SELECT 'pg_rewrite'::regclass, oid FROM pg_rewrite WHERE ev_class IN (SELECT objid FROM members WHERE classid = 'pg_class'::regclass))
	SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
	FROM theirs t JOIN pg_depend d USING (classid, objid)
	WHERE (d.refclassid, d.refobjid) NOT IN (SELECT classid, objid FROM members)
		AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_extension'::regclass)}),
	'', 'no object of the extension uses one that is neither its own nor of pg_catalog');

# columns of all kinds in the cache, so that the views have rows
ask($db, q{
	CREATE TABLE public.data AS SELECT i, 't' || i % 10 AS t, i::pg_catalog.float8 AS f FROM generate_series(1, 100000) i;
	VACUUM ANALYZE public.data;
	SET gpudb.force = on;
	SELECT sum(i), max(t) FROM public.data; SELECT sum(i), max(t) FROM public.data WHERE t = 't1'; SELECT gpudb.prewarm('public.data')});
for my $view ('stat', 'devices', 'calibration', 'tablets', 'cache', 'dictionaries', 'progress', 'sql_support')
{
	uncaught($db, "SELECT * FROM gpudb.$view", "gpudb.$view", $view =~ /^(cache|tablets)$/ ? qr/data/ : $view eq 'sql_support' ? qr/operator\|/ : undef);
}
uncaught($db, q{SELECT gpudb.version()}, 'gpudb.version()', qr/^\d/);
uncaught($db, q{SELECT gpudb.doctor()}, 'gpudb.doctor()', qr/^[A-Z]/);
uncaught($db, q{SELECT gpudb.check('public.data')}, 'gpudb.check()', qr/data|t,/);
uncaught($db, q{SELECT gpudb.why_not('SELECT pg_catalog.max(i) FROM public.data')}, 'gpudb.why_not()', qr/data/);
uncaught($db, q{SELECT gpudb.median(i), gpudb.exact_sum(f) FROM public.data}, 'gpudb.median(), gpudb.exact_sum()', qr/^50000.5\|5000050000$/);
uncaught($db, q{SET gpudb.force = on; SET gpudb.exact_float_sums = on; SELECT pg_catalog.sum(f) FROM public.data}, 'gpudb.exact_float_sums', qr/^5000050000$/);
uncaught($db, q{SELECT gpudb.evict('public.data')}, 'gpudb.evict()', qr/^[1-9]/);
uncaught($db, q{SELECT gpudb.stat_reset()}, 'gpudb.stat_reset()');

# what gpudb.why_not() plans is its caller's, found where the caller would find it
($rc, $out, $err) = $node->psql($db, q{SET search_path = nowhere; SELECT * FROM gpudb.why_not('SELECT i FROM data')});
like($err, qr/relation "data" does not exist/, 'gpudb.why_not() looks where its caller does');

# Calibrating

my $measured = "SELECT count(*) FROM gpudb.calibration WHERE measured IS NOT NULL AND device <> 'gpu' AND figure <> 'cpu_thread'";
uncaught($db, 'SELECT gpudb.calibrate(); SHOW search_path', 'gpudb.calibrate()', qr/^\n?pg_temp, public, pg_catalog$/);
# on a machine that is busy some figures are not plausible
cmp_ok(ask($db, $measured), '>=', 12, 'gpudb.calibrate(): most is measured');
like(ask($db, 'SELECT gpudb.doctor()'), qr/^The cost model is calibrated, last on \d{4}-/m, 'gpudb.doctor() tells when');

# whom it was granted to need not be allowed what it does, nor is allowed more afterwards; settings of the session do not matter
ask($db, 'GRANT EXECUTE ON FUNCTION gpudb.calibrate(bool) TO plain; CREATE ACCESS METHOD other_heap TYPE TABLE HANDLER heap_tableam_handler');
($rc, $out, $err) = $node->psql($db, q{
	SET ROLE plain; SET client_min_messages = error;
	SET default_table_access_method = other_heap; SET gpudb.exact_float_sums = on;
	SELECT gpudb.calibrate();
	SELECT current_user; SHOW gpudb.exact_float_sums; SELECT pg_read_file('PG_VERSION')});
like($out, qr/^\n?plain\non$/, 'calibrated by a role that it was granted to') or diag($err);
like($err, qr/^[^\n]*ERROR:  permission denied for function pg_read_file/, 'which is that role again');

# as in the worker that does it when the server starts, in a database without the extension, whatever is there under the name
my $without = database('without');
$node->safe_psql($without, "SET ROLE eve; $traps; CREATE SCHEMA gpudb; CREATE SCHEMA gpudb_calibration_0; CREATE SCHEMA gpudb_calibration_1");
ask($without, q{CREATE FUNCTION gpudb.calibrate(pg_catalog.bool) RETURNS void LANGUAGE c AS 'gpudb', 'gpudb_calibrate'});
uncaught($without, 'SELECT gpudb.calibrate(true)', 'gpudb.calibrate() without the extension');
cmp_ok(ask($db, "$measured AND calibrations = 1"), '>=', 12, 'most is measured there');
is(ask($without, q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gpudb%' ORDER BY 1}), "gpudb\ngpudb_calibration_0\ngpudb_calibration_1", 'nothing is left');
is(ask($db, q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'gpudb\_%'}), '0', 'nor where the extension is');

# Dumps

my $dump = $node->basedir . '/dump';
$node->safe_psql('postgres', 'CREATE DATABASE source; CREATE DATABASE target; CREATE DATABASE target_custom');
$node->safe_psql('source', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE data AS SELECT i FROM generate_series(1, 1000) i;
	CREATE VIEW middle AS SELECT gpudb.median(i) FROM data;
	CREATE TABLE gpudb.mine AS SELECT 1 AS i;
	GRANT SELECT ON gpudb.stat TO plain; GRANT EXECUTE ON FUNCTION gpudb.stat_reset() TO plain; GRANT CREATE ON SCHEMA gpudb TO plain});
$node->command_ok([ 'pg_dump', '-f', "$dump.sql", $node->connstr('source') ], 'pg_dump');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dump.custom", $node->connstr('source') ], 'pg_dump -Fc');
$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.sql", $node->connstr('target') ], 'restored by psql');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('target_custom'), "$dump.custom" ], 'restored by pg_restore');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--clean', '-d', $node->connstr('target_custom'), "$dump.custom" ], 'and once more, in its place');
for my $target ('source', 'target', 'target_custom')
{
	is($node->safe_psql($target, q{
		SELECT * FROM middle, gpudb.mine;
		SELECT has_table_privilege('plain', 'gpudb.stat', 'SELECT'), has_function_privilege('plain', 'gpudb.stat_reset()', 'EXECUTE'),
			has_schema_privilege('plain', 'gpudb', 'CREATE'), has_function_privilege('public', 'gpudb.stat_reset()', 'EXECUTE')}),
		"500.5|1\nt|t|t|f", "$target: as it was");
}

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
