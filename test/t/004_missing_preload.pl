# Without shared_preload_libraries: CREATE EXTENSION works, and what needs the preload says so; other versions are told apart.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('missing');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->start;
my ($rc, $out, $err);

# placeholders of settings are no obstacle, nor is the extension
($rc, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION gpudb');
is($rc, 0, 'CREATE EXTENSION without preloading');
like($err, qr/WARNING:  gpudb is not preloaded.*\nHINT:  Add gpudb to shared_preload_libraries/, 'warns');
like($node->safe_psql('postgres', 'SELECT gpudb.doctor()'), qr/^gpudb is not preloaded, .* Add gpudb to shared_preload_libraries .*\.$/, 'gpudb.doctor() says so');
($rc, $out, $err) = $node->psql('postgres', 'SELECT gpudb.version()');
isnt($rc, 0, 'functions refuse');
like($err, qr/ERROR:.*HINT:.*shared_preload_libraries/s, 'with a hint');
$node->safe_psql('postgres', 'CREATE TABLE rows AS SELECT i AS id, i % 10 AS k FROM generate_series(1, 10000) i');
is($node->safe_psql('postgres', 'SELECT count(*) FROM rows WHERE k = 3'), '1000', 'queries run');
is($node->safe_psql('postgres', 'SET gpudb.force = on; SELECT count(*) FROM rows WHERE k = 3'), '1000', 'and with settings of gpudb');

# each view and each function of the extension, in a session of its own, gives a row or the hint
my $own = "FROM pg_depend d WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpudb') AND d.objid =";
my @objects = split /\n/, $node->safe_psql('postgres', <<"SQL");
SELECT 'count(*) FROM ' || c.oid::regclass FROM pg_class c WHERE c.relkind = 'v' AND EXISTS (SELECT $own c.oid)
UNION ALL
SELECT format('%s(%s) FROM rows', p.oid::regproc, (SELECT string_agg(CASE t WHEN 'regclass'::regtype THEN '''rows''' WHEN 'text'::regtype THEN '''SELECT count(*) FROM rows'''
	WHEN 'text[]'::regtype THEN 'NULL' WHEN 'boolean'::regtype THEN 'true' WHEN 'anynonarray'::regtype THEN 'k' ELSE 'k::' || t::regtype END, ', ')
	FROM unnest(p.proargtypes) t)) || CASE p.prokind WHEN 'f' THEN ' LIMIT 1' ELSE '' END
FROM pg_proc p WHERE NOT 'internal'::regtype = ANY (p.proargtypes) AND EXISTS (SELECT $own p.oid)
SQL
cmp_ok(scalar(@objects), '>=', 25, 'views and functions of the extension');
my @failed;
foreach my $object (@objects)
{
	($rc, $out, $err) = $node->psql('postgres', "SELECT $object");
	push @failed, "$object: $err" unless $rc == 0 || $err =~ /HINT:  Add gpudb to shared_preload_libraries/;
}
is("@failed", '', 'each answers, or says what it needs');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'and none crashes the server');

($rc, $out, $err) = $node->psql('postgres', "LOAD 'gpudb'; SELECT count(*) FROM rows WHERE k = 3");
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'LOAD does not crash');
is($node->psql('postgres', 'DROP EXTENSION gpudb'), 0, 'DROP EXTENSION');

# with preloading
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpudb'");
$node->restart;
is($node->safe_psql('postgres', 'SET gpudb.force = on; SELECT count(*) FROM rows WHERE k = 3'), '1000', 'preloaded, extension not created: queries run');
($rc, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION gpudb');
is("$rc$err", '0', 'CREATE EXTENSION, without a warning');
like($node->safe_psql('postgres', 'SELECT gpudb.version()'), qr/^\d+\.\d+/, 'gpudb.version()');
($rc, $out, $err) = $node->psql('postgres', "SELECT gpudb.version('0.1')");
like($err, qr/ERROR:  gpudb library version/, 'SQL objects of another version are an error');
my ($hint) = $err =~ /HINT:  (.*)/;
like($hint, qr/Restart the server.*DROP EXTENSION gpudb and CREATE EXTENSION gpudb/, 'with a hint');
# the hint is to say so once there is a way
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_extension_update_paths('gpudb') WHERE path IS NOT NULL"), '0', 'that names no update path, since there is none');
($rc, $out, $err) = $node->psql('postgres', 'CREATE SCHEMA other; CREATE EXTENSION gpudb SCHEMA other');
isnt($rc, 0, 'the schema is fixed');
is($node->safe_psql('postgres', "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'gpudb'"), 'gpudb', 'schema gpudb');
$node->safe_psql('postgres', 'CREATE ROLE plain');
($rc, $out, $err) = $node->psql('postgres', 'DROP EXTENSION gpudb; SET ROLE plain; CREATE EXTENSION gpudb');
like($err, qr/permission denied to create extension/, 'superusers only');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
