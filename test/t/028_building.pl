# gpudb.prewarm() builds a large table's columns by several processes.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('building');
$node->init;
$node->append_conf('postgresql.conf', "gpudb.device = cpu\ngpudb.cpu_threads = 3\nshared_buffers = 320MB\nfsync = off\nautovacuum = off\nlog_min_messages = debug1\nmax_wal_size = 4GB\n");
$node->start;

sub run_sql { return $node->safe_psql('postgres', $_[0]); }
# Say how many processors others want, if they want more than there are
sub processors_wanted
{
	my ($wanted) = slurp_file('/proc/loadavg') =~ /^(\S+)/;
	my $processors = () = slurp_file('/proc/cpuinfo') =~ /^processor/mg;
	return $wanted > $processors ? "others want the processors: $wanted of $processors" : '';
}

sub workers { my $n = () = slurp_file($node->logfile) =~ /starting background worker process "parallel worker/g; return $n; }
sub is_right { return run_sql("SELECT sum(differences), count(*) FROM gpudb.check('$_[0]')"); }

# Three shelves, a page for each row
run_sql(q{
	CREATE EXTENSION gpudb;
	CREATE TABLE large (id int, n numeric, word text, filler text);
	ALTER TABLE large ALTER filler SET STORAGE PLAIN;
	INSERT INTO large SELECT i, i, 'word ' || i % 7, repeat('-', 7000) FROM generate_series(1, 66000) i;
});
run_sql('VACUUM large');
my $prewarm = "SELECT gpudb.prewarm('large', '{id,n,word}')";
my $tablets = run_sql("SELECT (pg_relation_size('large') / 8192 + 1019) / 1020");
my $before = workers();
is(run_sql($prewarm), $tablets, 'every tablet is built');
is(workers() - $before, 2, 'by two workers besides the session');
is(is_right('large'), '0|4', 'the columns are right');
is(run_sql($prewarm), '0', 'nothing is missing then');
is(run_sql('SELECT count(*) FROM gpudb.progress'), '0', 'nothing is told to be under way');
is(run_sql("SELECT sum(hits) FROM gpudb.cache WHERE relation = 'large'::regclass"), '0', 'building uses nothing');

# No workers, or one processor: the session builds alone
for my $setting ('max_parallel_workers = 0', 'gpudb.cpu_threads = 1')
{
	run_sql("SELECT gpudb.evict('large')");
	$before = workers();
	is(run_sql("SET $setting; $prewarm"), $tablets, "$setting: every tablet is built");
	is(workers(), $before, 'by the session alone');
	is(is_right('large'), '0|4', 'the columns are right');
}

# In a transaction that has changed rows, which see their own changes
run_sql("SELECT gpudb.evict('large')");
is(run_sql("BEGIN; UPDATE large SET n = -1 WHERE id % 1000 = 0; $prewarm; SET LOCAL gpudb.debug_require = require; SELECT count(*), sum(n) FROM large WHERE n < 0; ROLLBACK") =~ s/^\d+\n//r,
	'66|-66', 'in a transaction: the answer has its own changes');
is(run_sql('SET gpudb.debug_require = require; SELECT count(*), sum(n) FROM large WHERE n > 0'), '66000|2178033000', 'and no other has them');
run_sql('VACUUM large');

# One process meets what cannot be a column: the others stop, and the rest is built
run_sql("UPDATE large SET n = 'NaN' WHERE id = 60000");
run_sql("SELECT gpudb.evict('large')");
my ($result, $out, $err) = $node->psql('postgres', $prewarm);
is($result, 0, 'a value that no column can hold is no error');
like($err, qr/column "n" of relation "large" cannot be cached/, 'but a warning');
is(run_sql("SELECT columns FROM gpudb.cache WHERE relation = 'large'::regclass") =~ /id.*word/ ? 1 : 0, 1, 'the other columns are there');
like(is_right('large'), qr/^0\|/, 'and right');

# The pool takes huge pages where the machine gives some, and sessions map them as such
run_sql('CREATE TABLE dense AS SELECT (random() * 1e18)::bigint AS v FROM generate_series(1, 2000000)');
run_sql('VACUUM dense');
run_sql("SELECT gpudb.prewarm('dense')");
my ($huge) = run_sql('SELECT gpudb.doctor()') =~ /of which (\d+) MB stand in huge pages/;
ok(defined $huge, 'doctor() tells of huge pages');
SKIP:
{
	skip 'this machine gives no huge pages', 1 if !$huge;
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe('SET gpudb.debug_require = require; SELECT sum(v) FROM dense');
	my ($mapped) = slurp_file("/proc/$pid/smaps_rollup") =~ /^ShmemPmdMapped:\s+(\d+)/m;
	cmp_ok($mapped, '>', 0, "$huge MB: a session that reads the columns has huge pages mapped");
	$session->quit;
}

my $ahead = q{SELECT substring(gpudb.doctor() FROM '(\d+) MB of these wait for more columns')};

# Where having memory takes long the worker has some ready for columns to come, and a query that fills it does not wait
SKIP:
{
	skip 'this machine gives no huge pages', 4 if !$huge;
	my $dear = 'SET gpudb.debug_memory = 1000000; EXPLAIN SELECT sum(v) FROM fits';
	is(run_sql($ahead), '0', 'no memory is taken ahead where it costs little');
	run_sql("CREATE TABLE $_ WITH (parallel_workers = 0) AS SELECT i AS v FROM generate_series(1, 500000) i") for 'fits', 'wanted';
	run_sql("VACUUM ANALYZE $_") for 'fits', 'wanted';
	unlike(run_sql($dear), qr/GpuAgg/, 'where it costs much, columns that need some are left to the worker');
	run_sql("ALTER SYSTEM SET $_") for 'gpudb.debug_memory = 1000000', 'gpudb.auto_prewarm = on';
	run_sql('SELECT pg_reload_conf()');
	for (1 .. 300)
	{
		run_sql('SELECT sum(v) FROM wanted');
		last if run_sql($ahead) > 0;
		select(undef, undef, undef, 0.1);
	}
	SKIP:
	{
		# for others' sake the worker takes none while they want all processors
		my $busy = processors_wanted();
		skip $busy, 2 if $busy && run_sql($ahead) == 0;
		cmp_ok(run_sql($ahead), '>', 0, 'which has some ready then');
		$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm'});
		like(run_sql($dear), qr/GpuAgg/, 'so that the query builds them');
	}
	run_sql("ALTER SYSTEM RESET $_") for 'gpudb.debug_memory', 'gpudb.auto_prewarm';
	run_sql('SELECT pg_reload_conf()');
}

# Pages that no VACUUM has been to are looked at where they stand in shared_buffers, once after each transaction that writes,
# by several threads, and none of them is read through PostgreSQL
run_sql('CREATE TABLE raw AS SELECT i AS id, i % 100 AS n FROM generate_series(1, 2000000) i; CREATE TABLE other (i int)');
run_sql("SELECT gpudb.prewarm('raw')");
my $look = 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) SELECT sum(n) FROM raw';
for my $time ('first', 'second', 'third')
{
	my $plan = run_sql("SET gpudb.debug_require = require; INSERT INTO other VALUES (1); $look; $look");
	my $hits = 0;
	$hits += $_ for $plan =~ /^ +Buffers: shared hit=(\d+)/mg;
	my @cached = $plan =~ /Tablets Cached: (\d+)/g;
	is("@cached", '9 9', "the $time time: all tablets are used");
	cmp_ok($hits, '<', 1000, "and $hits of twice 8,850 buffers are read");
}
for my $id (1, 1234567, 2000000)
{
	run_sql("UPDATE raw SET n = n + 1000 WHERE id = $id");
	is(run_sql('SET gpudb.debug_require = require; SELECT sum(n) FROM raw; RESET gpudb.debug_require; SET gpudb.enabled = off; SELECT sum(n) FROM raw') =~ /^(\d+)\n\1$/ ? 1 : 0,
		1, "row $id, updated, is seen");
}

# Cancelled, and ended, in the middle: whoever comes next builds all of it
for my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	run_sql("SELECT gpudb.evict('large')");
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_until(qr/^begun/m, "\\echo begun\nSELECT gpudb.prewarm('large', '{id,word}') FROM generate_series(1, 100000), LATERAL (SELECT gpudb.evict('large')) e;\n");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE leader_pid = $pid");
	run_sql("SELECT $end($pid)");
	ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE (pid = $pid AND state = 'active') OR leader_pid = $pid"), "$end(): it ends with its workers");
	eval { $session->quit };
	is(run_sql('SELECT count(*) FROM gpudb.progress'), '0', 'nothing is told to be under way');
	run_sql("SELECT gpudb.evict('large')");
	is(run_sql("SELECT gpudb.prewarm('large', '{id,word}')"), run_sql("SELECT (pg_relation_size('large') / 8192 + 1019) / 1020"), 'the next one builds every tablet');
}
# An error while a shelf is looked at, where its map cannot be read: nobody has the shelf pinned then, and its tablets are built and evicted as ever
my $map = $node->data_dir . '/' . run_sql("SELECT pg_relation_filepath('large')") . '_vm';
run_sql('VACUUM large');
run_sql('CHECKPOINT');
chmod 0000, $map or die "$map: $!";
($result, $out, $err) = $node->psql('postgres', "SELECT gpudb.prewarm('large', '{id,word}')");
chmod 0600, $map or die "$map: $!";
like($err, qr/_vm.*Permission denied/, 'a map that cannot be read is an error');
for my $time ('first', 'second')
{
	run_sql("SELECT gpudb.evict('large')");
	is(run_sql("SELECT gpudb.prewarm('large', '{id,word}')"), run_sql("SELECT (pg_relation_size('large') / 8192 + 1019) / 1020"), "every tablet is built the $time time behind it");
}

# Pages that are not marked all-visible
run_sql(q{
	CREATE SCHEMA "a b";
	CREATE TABLE "a b".unmarked AS SELECT i, repeat('-', 1900) FROM generate_series(1, 5600) i;
	ANALYZE "a b".unmarked;
	SELECT gpudb.prewarm('"a b".unmarked', '{i}');
});
my $told = q{SELECT substring(gpudb.doctor() FROM '[^\n]* pages of table [^\n]*')};
like(run_sql($told), qr/^1400 of 1400 pages of table "a b"\.unmarked are not marked all-visible.*VACUUM it\.$/, 'doctor() tells of pages that VACUUM has not marked');
is(run_sql("CREATE ROLE stranger; SET ROLE stranger; $told"), '', 'but not those who may not read the table');
run_sql('GRANT SELECT ON "a b".unmarked TO stranger');
is(run_sql("SET ROLE stranger; $told") ne '', 1, 'those who may are told');
run_sql('ALTER TABLE "a b".unmarked ENABLE ROW LEVEL SECURITY');
is(run_sql("SET ROLE stranger; $told"), '', 'and nobody from whom policies may hide rows');
run_sql('VACUUM "a b".unmarked');
is(run_sql($told), '', 'VACUUM mends that');

# Memory for the first columns, a quarter of the pool if that is smaller than shared_buffers, is taken when the server has started
SKIP:
{
	skip 'this machine gives no huge pages', 2 if !$huge;
	run_sql('ALTER SYSTEM SET gpudb.auto_prewarm = on');
	$node->restart;
	for (1 .. 100)
	{
		last if run_sql($ahead) >= 16;
		select(undef, undef, undef, 0.2);
	}
	my $taken = run_sql($ahead);
	my $busy = processors_wanted();
	skip $busy, 2 if $busy && $taken < 16;
	is($taken, 16, 'memory waits for columns before any are wanted');
	run_sql("SELECT gpudb.prewarm('dense')");
	cmp_ok(run_sql($ahead), '<', 16, 'and the first ones take it');
}

$node->stop;
done_testing();
