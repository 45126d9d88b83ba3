# Cached tablets and recovery: what a hot standby caches is right, also while rows are removed under its queries, and after its
# promotion (more of that: t/027_standby); and so is what a server caches that has crashed, whose LSNs are given out again.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $settings = "gpudb.force = on\ngpudb.device = cpu\nmax_parallel_workers_per_gather = 0\nautovacuum = off\n";
my $sum = 'SELECT count(*), sum(id), sum(n) FROM t';
my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', $settings . "shared_buffers = 32MB\nmax_standby_streaming_delay = 500ms\nhot_standby_feedback = off");
$primary->start;
$primary->safe_psql('postgres', "CREATE EXTENSION gpudb; CREATE TABLE t (id int, n int) WITH (fillfactor = 70);
	INSERT INTO t SELECT i, i % 100 FROM generate_series(1, 50000) i");
$primary->safe_psql('postgres', 'VACUUM ANALYZE t');

# ours and PostgreSQL's answer, in one snapshot
sub agrees
{
	my ($node, $what) = @_;
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres',
		"BEGIN ISOLATION LEVEL REPEATABLE READ; $sum; SET gpudb.enabled = off; $sum; COMMIT");
	is($ours, $theirs, $what);
	return $ours;
}

sub plan_of { my ($node) = @_; return $node->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sum"); }

# that a node ran, and what it did with tablets
sub finds_tablets { my ($node, $what) = @_; like(plan_of($node), qr/Tablets Cached/, $what); return; }

agrees($primary, 'the primary');
finds_tablets($primary, 'the primary finds what it has cached');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);
agrees($standby, 'the standby');
finds_tablets($standby, 'the standby finds what it has cached');

# replay of writes and of VACUUM, which sets the bits of the standby's map
for my $change ('UPDATE t SET n = n + 1 WHERE id % 7 = 0', 'DELETE FROM t WHERE id % 1000 = 3', 'VACUUM t', 'VACUUM (FREEZE) t',
	'INSERT INTO t SELECT i, 1 FROM generate_series(50001, 50500) i')
{
	$primary->safe_psql('postgres', $change);
	$primary->wait_for_catchup($standby);
	is(agrees($standby, "the standby after: $change"), agrees($primary, "the primary after: $change"), 'both agree');
}
finds_tablets($standby, 'and still does');

# a query on the standby that VACUUM on the primary runs into
my $session = $standby->background_psql('postgres', on_error_stop => 0);
$session->query("BEGIN ISOLATION LEVEL REPEATABLE READ; $sum");
$primary->safe_psql('postgres', 'UPDATE t SET n = n + 1 WHERE id < 20000');
$primary->safe_psql('postgres', 'VACUUM t');
$primary->wait_for_catchup($standby);
ok(!eval { $session->query($sum); 1 }, 'a session whose snapshot needs rows that are no more is ended');
like(slurp_file($standby->logfile), qr/conflict with recovery/, 'for the conflict');
agrees($standby, 'the standby after a conflict');

# promotion: what is all-visible now was so by the primary's WAL
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
agrees($standby, 'promoted: the first query');
agrees($standby, 'promoted: the second one');
finds_tablets($standby, 'promoted: tablets are found');
$standby->safe_psql('postgres', 'UPDATE t SET n = n + 1 WHERE id % 3000 = 1');
agrees($standby, 'promoted: an update');
$standby->safe_psql('postgres', 'VACUUM t');
agrees($standby, 'promoted: VACUUM');
finds_tablets($standby, 'promoted: the unchanged blocks are still used');
$standby->stop;

# crashes at moments when what was cached may be lost, and LSNs come again
for my $round (1 .. 5)
{
	$primary->safe_psql('postgres', "SET synchronous_commit = off; UPDATE t SET n = n + $round WHERE id % 100 = $round; $sum");
	$primary->safe_psql('postgres', 'VACUUM t') if $round % 2;
	$primary->safe_psql('postgres', $sum);
	$primary->stop('immediate');
	$primary->start;
	finds_nothing($round);
	agrees($primary, "crash $round: the first query");
	$primary->safe_psql('postgres', "UPDATE t SET n = n + 1 WHERE id % 100 = 50 + $round");
	agrees($primary, "crash $round: an update");
}

# nothing of before the crash is found
sub finds_nothing { my ($round) = @_; unlike(plan_of($primary), qr/Tablets Cached/, "crash $round: nothing is left"); return; }

# one backend dies, and all others with it: the postmaster makes shared memory anew
my $dying = $primary->background_psql('postgres', on_error_stop => 0);
my $pid = $dying->query('SELECT pg_backend_pid()');
$primary->safe_psql('postgres', $sum);
$primary->append_conf('postgresql.conf', 'restart_after_crash = on');
$primary->reload;
kill 'KILL', $pid;
eval { $dying->quit };
$primary->poll_query_until('postgres', 'SELECT true');
finds_nothing('of a backend');
agrees($primary, 'after the crash of a backend');
$primary->stop;

# pages that were filled without WAL have no LSN until they are changed; nor have those that a file grows by
my $minimal = PostgreSQL::Test::Cluster->new('minimal');
$minimal->init;
$minimal->append_conf('postgresql.conf', $settings . "wal_level = minimal\nmax_wal_senders = 0\nwal_skip_threshold = 0");
$minimal->start;
$minimal->safe_psql('postgres', 'CREATE EXTENSION gpudb');
$minimal->safe_psql('postgres', "BEGIN; CREATE TABLE t (id int, n int); INSERT INTO t SELECT i, i % 100 FROM generate_series(1, 50000) i; COMMIT");
agrees($minimal, 'filled without WAL');
finds_tablets($minimal, 'filled without WAL: tablets are found');
for my $change ('UPDATE t SET n = n + 1 WHERE id = 77', 'DELETE FROM t WHERE id > 20000', 'VACUUM t',
	'BEGIN; INSERT INTO t SELECT i, 1 FROM generate_series(50001, 60000) i; ROLLBACK', 'INSERT INTO t SELECT i, 1 FROM generate_series(1, 30000) i')
{
	$minimal->safe_psql('postgres', $change);
	agrees($minimal, "filled without WAL, then: $change");
}
$minimal->stop;
done_testing();
