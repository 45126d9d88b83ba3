# One test for each rule under which cached tablets are never stale (docs/tablets.md).  test/long/rules.sh builds gpudb without
# one rule after the other, and wants the test of that name to fail.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('tablet_rules');
$node->init;
$node->append_conf('postgresql.conf', "wal_level = replica\ngpudb.force = on\ngpudb.device = cpu\nmax_parallel_workers_per_gather = 0\nfsync = off");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb');

my $sum = 'SELECT count(*), sum(id), sum(n) FROM t';
my $rows = 'SELECT i AS id, i % 100 AS n FROM generate_series(1, 2000) i';

sub run_sql { my ($sql) = @_; return $node->safe_psql('postgres', $sql); }

# A table t of a few blocks, vacuumed unless `raw`, and one query that leaves a tablet behind unless `unread`.
sub make_table
{
	my (%how) = @_;
	run_sql('DROP TABLE IF EXISTS t');
	run_sql("CREATE " . ($how{kind} // '') . " TABLE t WITH (fillfactor = " . ($how{fillfactor} // 60) . ", autovacuum_enabled = off) AS $rows");
	run_sql('VACUUM ANALYZE t') unless $how{raw};
	run_sql($sum) unless $how{unread};
	return;
}

sub with_gpudb_off { return "SET gpudb.enabled = off; $_[0]; SET gpudb.enabled = on"; }

# What a session answers with gpudb is what PostgreSQL answers in the same snapshot.
sub agrees
{
	my ($rule, $what, $ask) = @_;
	$ask //= \&run_sql;
	my $both = $ask->("BEGIN ISOLATION LEVEL REPEATABLE READ; $sum; " . with_gpudb_off($sum) . '; COMMIT');
	my ($ours, $theirs) = split /\n/, $both;
	is($ours, $theirs, "$rule: $what");
	return;
}

sub session
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	return ($session, sub { return $session->query($_[0]); });
}

sub uses_tablets { return run_sql("$_[0]; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sum") =~ /Tablets Cached/; }

make_table();
ok(uses_tablets('SELECT 1'), 'a query finds what another one has left behind');

make_table(kind => 'UNLOGGED', raw => 1);
run_sql('UPDATE t SET n = n + 1 WHERE id = 7');
agrees('RULE_LOGGED', 'an unlogged table');

my $freeze = "BEGIN; DROP TABLE t; CREATE TABLE t (id int, n int);
COPY t FROM STDIN WITH (FREEZE);\n" . join('', map { "$_\t1\n" } 1 .. 50) . "\\.\n$sum;
COPY t FROM STDIN WITH (FREEZE);\n" . join('', map { "$_\t1\n" } 51 .. 90) . "\\.\n$sum; COMMIT;";
is((split /\n/, run_sql($freeze))[-1], '90|4095|90', 'RULE_OWN_FILE: COPY FREEZE adds rows to a page that was read');

make_table();
run_sql('BEGIN; ALTER TABLE t ADD COLUMN m int DEFAULT 5; SELECT sum(m) FROM t; ROLLBACK');
is(run_sql('ALTER TABLE t ADD COLUMN m int DEFAULT 7; SELECT sum(m) FROM t'), '14000', 'RULE_FINGERPRINT: a column that was rolled back, and another one');

# a page that does not say that all of it is visible, while the map does
make_table(raw => 1);
run_sql('VACUUM ANALYZE t');
my $path = $node->data_dir . '/' . run_sql("SELECT pg_relation_filepath('t')");
$node->stop;
open my $file, '+<:raw', $path or die "$path: $!";
seek $file, 10, 0;
read $file, my $flags, 2;
seek $file, 10, 0;
print $file pack('v', unpack('v', $flags) & ~4);
close $file;
$node->start;
my ($looking, $look) = session();
$look->($sum) for 1 .. 3;
run_sql($sum);
run_sql('UPDATE t SET n = n + 1 WHERE id = 1');
agrees('RULE_PAGE_FLAG', 'a page that differs from the map');
agrees('RULE_PAGE_FLAG', 'the same, for a session that has looked several times', $look);
$looking->quit;

# a tuple that one transaction locks while another one, in progress, updates it; what it becomes stands on another page
make_table(raw => 1, unread => 1, fillfactor => 100);
my ($locker, $lock) = session();
my ($writer, $write) = session();
$lock->('BEGIN; SELECT id FROM t WHERE id = 3 FOR KEY SHARE');
$write->('BEGIN; UPDATE t SET n = n + 1 WHERE id = 3');
# others assign numbers, so that the multixact's looks old
run_sql('CREATE TABLE u (i int); INSERT INTO u VALUES (1); DROP TABLE u');
run_sql("$sum; $sum");
$write->('COMMIT');
$lock->('COMMIT');
agrees('RULE_MULTIXACT', 'a tuple that is locked and updated');

make_table();
my ($reader, $read) = session();
$read->($sum);
run_sql('DELETE FROM t WHERE id = 10');
agrees('RULE_MAP_AFTER_SNAPSHOT', 'a row that was deleted since a session saw the map', $read);

# others change rows and build anew, between this session's look at the map and its look at tablets
make_table();
$read->("BEGIN ISOLATION LEVEL REPEATABLE READ; $sum");
run_sql('UPDATE t SET n = n + 1 WHERE id % 3 = 0');
run_sql("$sum; $sum");
is($read->($sum), $read->(with_gpudb_off($sum)), 'RULE_MAP_IS_OLDER: a tablet that was built after the map was copied');
$read->('COMMIT');

make_table();
run_sql('DELETE FROM t WHERE id = 11');
run_sql('VACUUM t');
agrees('RULE_MAP_LSN', 'a bit of the map that was cleared and set again');

make_table(raw => 1);
run_sql('UPDATE t SET n = n + 1 WHERE id = 12');
agrees('RULE_PAGE_LSN', 'a page that has changed, without the map');

make_table(raw => 1, unread => 1);
$write->('BEGIN; UPDATE t SET n = n + 1 WHERE id = 13');
run_sql("$sum; $sum");
$write->('COMMIT');
agrees('RULE_QUIESCENT', 'a transaction that was in progress when its page was read');

make_table(raw => 1);
$read->('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
run_sql('UPDATE t SET n = n + 1 WHERE id % 3 = 0');
run_sql("$sum; $sum");
my $old = $read->($sum);
is($old, $read->(with_gpudb_off($sum)), 'RULE_QUIESCENT_BEFORE: a snapshot from before the change');
$read->('COMMIT');
$_->quit for $locker, $writer, $reader;

# blocks that no map proves: what was good at one moment is asked of their pages again at the next one
make_table(raw => 1);
run_sql($sum);
run_sql('UPDATE t SET n = n + 1 WHERE id = 14');
agrees('RULE_SAME_HORIZON', 'a page that has changed since a moment when it was good');
make_table(raw => 1);
run_sql($sum);
my ($own, $others) = split /\n/, run_sql("BEGIN; UPDATE t SET n = n + 1 WHERE id = 15; $sum; " . with_gpudb_off($sum) . '; ROLLBACK');
is($own, $others, 'what this transaction has changed');

# pages that are rewritten without a transaction: in blocks that the map proves, and in others, known to be good several times
run_sql('CREATE EXTENSION pg_surgery');
make_table();
run_sql($sum) for 1 .. 2;
run_sql("SELECT heap_force_kill('t', ARRAY['(0,1)']::tid[])");
agrees('RULE_SAME_WAL', 'a row killed where all blocks were visible');
for my $raw (0, 1)
{
	my $blocks = $raw ? 'blocks that the map does not prove' : 'blocks that the map proves';
	make_table(raw => $raw);
	run_sql('DELETE FROM t WHERE id = 3');
	($reader, $read) = session();
	for my $change ("heap_force_kill('t', ARRAY['(1,16)']::tid[])", "heap_force_freeze('t', ARRAY['(0,3)']::tid[])")
	{
		run_sql($sum) for 1 .. 3;
		$read->($sum) for 1 .. 3;
		$read->("SELECT $change");
		agrees('RULE_SAME_WAL', "$change in $blocks, in this session", $read);
		agrees('RULE_SAME_WAL', "$change in $blocks, in another one");
	}
	is(run_sql('SELECT count(*) FROM t'), 1999, "RULE_SAME_WAL: a row came back, and one is gone, in $blocks");
	$reader->quit;
}

$node->append_conf('postgresql.conf', "old_snapshot_threshold = '1min'");
$node->restart;
make_table();
ok(!uses_tablets('SELECT 1'), 'RULE_OLD_SNAPSHOT: nothing is used while old_snapshot_threshold is active');
$node->append_conf('postgresql.conf', 'old_snapshot_threshold = -1');
$node->restart;

make_table();
ok(uses_tablets('SELECT 1'), 'and used again without');
ok(!uses_tablets('BEGIN ISOLATION LEVEL SERIALIZABLE'), 'RULE_SERIALIZABLE: not by serializable transactions');

# a pool that outlived a crash would have LSNs that are given out again
$node->stop('immediate');
$node->start;
ok(!uses_tablets('SELECT 1'), 'nothing is left after a crash');
agrees('crash', 'the first query after it');

# pgbench with a script that fails where an answer is wrong; false if it failed, or hung
sub bench
{
	my ($seconds, @scripts) = @_;
	my $n = 0;
	my @files = map { my $name = $node->basedir . '/script' . $n++; PostgreSQL::Test::Utils::append_to_file($name, $_); ('-f', $name); } @scripts;
	my $done = run_log([ 'timeout', $seconds + 20, 'pgbench', '-n', '-c', 4, '-j', 2, '-T', $seconds, '-h', $node->host, '-p', $node->port, @files, 'postgres' ]);
	unlink grep { $_ ne '-f' } @files;
	return $done;
}

# several sessions build the tablets of a table at once: mostly readers, since nothing is cached while somebody writes
run_sql("DROP TABLE t; CREATE TABLE t (id int, n int, filler text) WITH (autovacuum_enabled = off)");
run_sql("INSERT INTO t SELECT i, i % 100, repeat('-', 900) FROM generate_series(1, 30000) i");
my @readers = ("SELECT 1 / (count(*) = 30000 AND sum(id) = 450015000)::int FROM t;\n") x 12;
ok(bench(6, @readers, "UPDATE t SET n = n + 1 WHERE id % 8 = 0;\n"),
	'RULE_DECIDED_ONCE: no row is lost or repeated while others build');

# pages and the map locked in either order: whoever waits for such a lock cannot be interrupted
make_table();
my $hangs = !bench(6, "\\set id random(1, 2000)\nUPDATE t SET n = n + 1 WHERE id = :id;\n", "$sum;\n", "$sum;\n", "VACUUM t;\n");
ok(!$hangs, 'RULE_NO_LOCK_HELD: readers and writers do not wait for each other');
$hangs ? $node->stop('immediate') : $node->stop;
done_testing();
