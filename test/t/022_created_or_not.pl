# gpudb acts in databases in which its extension is, and in no others: at once when it is created or dropped, by this session or
# another one, and again when that is rolled back; whatever schemas there are.  gpudb.doctor() tells what is switched off.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('created');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpudb'\ngpudb.force = on\ngpudb.device = auto\nautovacuum = off\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', 'CREATE TABLE rows AS SELECT i, i % 5 AS g, i::float8 AS f FROM generate_series(1, 20000) i; VACUUM ANALYZE rows');

my $query = 'SELECT g, sum(f) FROM rows GROUP BY g';
my $explain = "EXPLAIN (COSTS OFF) $query;";
my $execute = 'EXPLAIN (COSTS OFF) EXECUTE p;';
my $prepare = "SET plan_cache_mode = force_generic_plan; PREPARE p AS $query; EXECUTE p \\g /dev/null\n";

# For each plan that a session shows, whether it has a gpudb node: a letter each.
sub plans
{
	my ($session) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', "\\pset tuples_only on\n\\pset format unaligned\n$session", on_error_stop => 1);
	is("$rc$err", '0', 'no error') or diag($session);
	return join '', map { /Gpu/ ? 'G' : 'P' } grep { /Custom Scan|Aggregate$/ } split /\n/, $out;
}

# In another session, while this one stands still.
sub elsewhere { return "\\! psql -XAtq -d postgres -c '$_[0]'\n"; }

for my $here ('CREATE EXTENSION gpudb', 'DROP EXTENSION gpudb')
{
	my $back = $here =~ /^CREATE/ ? 'DROP EXTENSION gpudb' : 'CREATE EXTENSION gpudb';
	my ($before, $after) = $here =~ /^CREATE/ ? ('P', 'G') : ('G', 'P');
	is(plans("$explain $here; $explain $back; $explain"), "$before$after$before", "$here, by this session");
	is(plans("BEGIN; $explain $here; $explain ROLLBACK; $explain"), "$before$after$before", "$here, rolled back");
	is(plans("BEGIN; SAVEPOINT s; $here; $explain ROLLBACK TO s; $explain $here; $explain RELEASE s; $explain COMMIT; $explain $back; $explain"),
		"$after$before$after$after$after$before", "$here, in subtransactions");
	is(plans("$explain BEGIN; $explain " . elsewhere($here) . "$explain COMMIT; $explain" . elsewhere($back) . $explain), "$before$before$after$after$before",
		"$here, by another session");
	$node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS gpudb');
}
is(plans("$prepare $execute DROP EXTENSION gpudb; $execute CREATE EXTENSION gpudb; $explain $execute"), 'GPGG', 'a cached plan');
is(plans("$prepare BEGIN; DROP EXTENSION gpudb; $execute EXECUTE p \\g /dev/null\nROLLBACK; $execute"), 'PG', 'a cached plan, rolled back');
is(plans("$prepare $execute" . elsewhere('DROP EXTENSION gpudb') . "$execute EXECUTE p \\g /dev/null\n" . elsewhere('CREATE EXTENSION gpudb') . "$explain $execute"),
	'GPGG', 'a cached plan, by another session');

# Plans that run when it goes

is($node->safe_psql('postgres', "BEGIN; DECLARE c CURSOR FOR SELECT g, count(*) FROM rows WHERE i <= 10 GROUP BY g ORDER BY g; DECLARE s CURSOR FOR SELECT i FROM rows WHERE g = 0;"
	. ' FETCH c; FETCH s; DROP EXTENSION gpudb; FETCH c; FETCH s; FETCH 3 c; FETCH s; COMMIT; CREATE EXTENSION gpudb'), "0|2\n5\n1|2\n10\n2|2\n3|2\n4|2\n15", 'cursors go on');
is($node->safe_psql('postgres', 'SET gpudb.exact_float_sums = on; SET plan_cache_mode = force_generic_plan; PREPARE p AS SELECT sum(f), avg(f) FROM rows;'
	. ' EXECUTE p; DROP EXTENSION gpudb; EXECUTE p; SELECT sum(f) OVER () FROM rows LIMIT 1; CREATE EXTENSION gpudb; EXECUTE p'),
	"200010000|10000.5\n200010000|10000.5\n200010000\n200010000|10000.5", 'exact sums are PostgreSQL\'s own without it');

# sessions that plan and run what is prepared, while it comes and goes
$node->pgbench('-n -c 3 -j 2 -T 5 -M prepared', 0, [qr{number of failed transactions: 0}], [qr{^$}], 'it comes and goes under load', {
	'queries@9' => 'SELECT 1 / (CASE WHEN count(*) = 5 AND sum(s) = 200010000 THEN 1 ELSE 0 END) FROM (SELECT g, sum(f) AS s FROM rows GROUP BY g) s;',
	'changes@1' => "SELECT pg_advisory_lock(1);\nDROP EXTENSION IF EXISTS gpudb;\nCREATE EXTENSION gpudb;\nSELECT pg_advisory_unlock(1);\n" });

# What only looks like it

$node->safe_psql('postgres', 'DROP EXTENSION gpudb');
my $schema = $node->safe_psql('postgres', "SELECT count(*) FROM pg_namespace WHERE nspname = 'gpudb'");
is($schema, '1', 'its schema is left');
is(plans($explain), 'P', 'and means nothing');
$node->safe_psql('postgres', q{
	CREATE FUNCTION gpudb.version(sql_version text DEFAULT '1.0') RETURNS text LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'gpudb', 'gpudb_version';
	CREATE AGGREGATE gpudb.exact_sum(float8) (SFUNC = float8_accum, STYPE = float8[], INITCOND = '{0,0,0}');
	CREATE AGGREGATE gpudb.median(int4) (SFUNC = int4larger, STYPE = int4)});
is(plans($explain), 'P', 'nor do functions of the names');
is($node->safe_psql('postgres', 'SET gpudb.exact_float_sums = on; SELECT sum(f), gpudb.median(i) FROM rows'), '200010000|20000', 'which are what they are');
$node->safe_psql('postgres', 'DROP SCHEMA gpudb CASCADE; CREATE EXTENSION gpudb; ALTER SCHEMA gpudb RENAME TO theirs; CREATE SCHEMA gpudb');
is(plans($explain), 'G', 'nor does the name of its schema');
is($node->safe_psql('postgres', 'SET gpudb.exact_float_sums = on; SELECT sum(f), theirs.median(i) FROM rows'), '200010000|10000.5', 'its functions are found');
$node->safe_psql('postgres', q{
	CREATE AGGREGATE theirs.median(int4) (SFUNC = int4larger, STYPE = int4);
	CREATE AGGREGATE theirs.exact_sum(int4) (SFUNC = int4larger, STYPE = int4)});
is($node->safe_psql('postgres', 'SELECT theirs.median(i), theirs.exact_sum(i) FROM rows'), '20000|20000', 'and others beside them are not');
$node->safe_psql('postgres', 'DROP EXTENSION gpudb; DROP SCHEMA gpudb; DROP SCHEMA theirs CASCADE; CREATE EXTENSION gpudb');

# What gpudb.doctor() tells

sub doctor { return $node->safe_psql('postgres', "$_[0] SELECT gpudb.doctor()"); }

my $said = doctor('');
like($said, qr/^Queries run on (the CPU device: no GPU serves|the GPU where that is faster)/m, 'what queries run on');
like($said, qr/^The cost model is not calibrated: .*gpudb\.calibrate\(\)/m, 'not calibrated');
like($said, qr/^Cached columns take [\d.]+ of [\d.]+ MB/m, 'what is cached');
like($said, qr/gpudb\.why_not\(.*\.$/, 'what to do next');
unlike($said, qr/max_worker_processes|standby|gpudb\.cache|gpudb\.enabled/, 'nothing is switched off');
like(doctor('SET gpudb.enabled = off;'), qr/^Queries run on PostgreSQL's own nodes alone: gpudb\.enabled is off/m, 'gpudb.enabled');
like(doctor('SET gpudb.cache = off;'), qr/^Queries of this session neither use nor cache columns: gpudb\.cache is off\.$/m, 'gpudb.cache');

$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
like($standby->safe_psql('postgres', 'SELECT gpudb.doctor()'), qr/^This server is a standby: .* cannot be calibrated/m, 'a standby');
$node->safe_psql('postgres', 'DROP EXTENSION gpudb');
$node->wait_for_catchup($standby);
unlike($standby->safe_psql('postgres', $explain), qr/Gpu/, 'what is dropped there is dropped on a standby');
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb');
$node->wait_for_catchup($standby);
like($standby->safe_psql('postgres', $explain), qr/Gpu/, 'what is created, too');
$standby->stop;

$node->append_conf('postgresql.conf', "max_worker_processes = 0\ngpudb.pool_size = 0\ngpudb.auto_calibrate = on");
$node->restart;
$said = doctor('');
like($said, qr/^max_worker_processes is 0, which leaves no room for gpudb supervisor and gpudb calibration\. Raise it/m, 'workers without room');
like($said, qr/^No columns are cached: gpudb\.pool_size is 0\./m, 'no pool');
like($node->safe_psql('postgres', "SET gpudb.device = gpu; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query"), qr/Device: cpu \(there is no GPU process; see gpudb\.doctor\(\)\)/, 'EXPLAIN says so');
$node->append_conf('postgresql.conf', "max_worker_processes = 8\ngpudb.provider = none\ngpudb.auto_calibrate = off");
$node->restart;
like(doctor(''), qr/^gpudb\.provider is none: /m, 'no GPU process');
$node->append_conf('postgresql.conf', "gpudb.provider = cpu");
$node->restart;
ok($node->poll_query_until('postgres', q{SELECT gpudb.doctor() ~ '^All is well, but gpudb.provider is cpu, for tests: the GPU process \d+ has run \d+ batches\.\nQueries run on the GPU'}),
	'a GPU process that serves');
like(doctor('SET gpudb.device = cpu;'), qr/^Queries run on the CPU device: gpudb\.device is cpu/m, 'and is not used');

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
