# Cached columns on a standby: right whatever is replayed, of use, built in the background, and right when it is promoted.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sum = 'SELECT count(*), sum(id), sum(n), max(w) FROM t';
my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "gpudb.device = cpu\ngpudb.cpu_threads = 1\ngpudb.auto_prewarm = on\nmax_parallel_workers_per_gather = 0\nautovacuum = off\nshared_buffers = 64MB\n" .
	"jit = off\nmax_prepared_transactions = 2\nmax_standby_streaming_delay = -1\nhot_standby_feedback = off\nfsync = off");
$primary->start;

sub run_sql { return $primary->safe_psql('postgres', $_[0]); }

run_sql('CREATE EXTENSION gpudb; CREATE EXTENSION pg_surgery');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

sub replay { $primary->wait_for_catchup($standby); return; }

# Ours and PostgreSQL's answer, in one snapshot of the standby's.
my $both = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL gpudb.force = on; SET LOCAL gpudb.debug_require = require; $sum; " .
	"SET LOCAL gpudb.debug_require = allow; SET LOCAL gpudb.enabled = off; $sum; COMMIT";
sub agrees
{
	my ($what, $read) = @_;
	my ($ours, $theirs) = split /\n/, $read ? $read->($both) : $standby->safe_psql('postgres', $both);
	is($ours, $theirs, $what);
	return $ours;
}
sub finds_tablets
{
	my ($what) = @_;
	like($standby->safe_psql('postgres', "SET gpudb.force = on; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sum"), qr/Tablets Cached/, $what);
	return;
}

sub make_table
{
	my ($vacuum) = @_;
	run_sql("DROP TABLE IF EXISTS t; CREATE TABLE t (id int, n int, w text) WITH (fillfactor = 80);
		INSERT INTO t SELECT i, i % 100, 'w' || i % 40 FROM generate_series(1, 60000) i");
	run_sql('VACUUM t') if $vacuum;
	run_sql('ANALYZE t');
	replay();
	agrees('the first query of a new table');
	finds_tablets('the next one finds what that has cached');
	return;
}

# Whatever is replayed
my @changes = ('UPDATE t SET n = n + 1 WHERE id % 7000 = 1', 'DELETE FROM t WHERE id % 9000 = 2', 'VACUUM t', "UPDATE t SET w = 'new ' || id WHERE id % 5000 = 3",
	'VACUUM (FREEZE) t', 'SELECT FROM t WHERE id % 10000 = 4 FOR UPDATE', "BEGIN; UPDATE t SET n = -n WHERE id % 6000 = 5; ROLLBACK", 'VACUUM t',
	'BEGIN; UPDATE t SET n = 0 WHERE id % 8000 = 6; SAVEPOINT s; DELETE FROM t WHERE id % 8000 = 7; ROLLBACK TO s; UPDATE t SET n = 9 WHERE id % 8000 = 8; COMMIT',
	"DO \$\$ BEGIN FOR i IN 1 .. 100 LOOP BEGIN UPDATE t SET n = n + 1 WHERE id = i * 300; EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END \$\$",
	"INSERT INTO t SELECT i, 1, 'late' FROM generate_series(60001, 60500) i", 'UPDATE t SET n = n + 2', 'VACUUM t', 'DELETE FROM t WHERE id > 50000', 'VACUUM t',
	"INSERT INTO t SELECT i, 3, 'again' FROM generate_series(1, 9000) i", 'ALTER TABLE t ALTER n TYPE bigint', 'CREATE INDEX ON t (id)', 'VACUUM FULL t', 'TRUNCATE t',
	"BEGIN; TRUNCATE t; COPY t FROM PROGRAM 'seq -f \"%.0f,1,frozen\" 1 5000' WITH (FORMAT csv, FREEZE); COMMIT", 'UPDATE t SET n = 7 WHERE id = 3');
for my $vacuum (1, 0)
{
	make_table($vacuum);
	for my $change (@changes)
	{
		run_sql($change);
		replay();
		my $here = agrees("replayed: $change");
		is($here, run_sql("SET gpudb.enabled = off; $sum"), 'and it is the primary\'s answer');
		agrees('once more');
	}
	finds_tablets('at the end tablets are found');
}

# Transactions under way
make_table(0);
my $writer = $primary->background_psql('postgres');
$writer->query_safe('BEGIN; UPDATE t SET n = n + 1 WHERE id % 10 = 0');
run_sql('UPDATE t SET n = n - 1 WHERE id % 9001 = 1');
replay();
my $before = agrees('a transaction under way');
agrees('a transaction under way, again');
$writer->query_safe('COMMIT');
replay();
isnt(agrees('it has ended'), $before, 'and is seen');
$writer->query_safe('BEGIN; DELETE FROM t WHERE id % 10 = 1');
replay();
$before = agrees('another one');
$writer->query_safe('ROLLBACK');
replay();
is(agrees('it was rolled back'), $before, 'and is not seen');
run_sql("BEGIN; DELETE FROM t WHERE id % 10 = 2; PREPARE TRANSACTION 'p'");
replay();
is(agrees('a prepared one'), $before, 'is not seen');
run_sql("COMMIT PREPARED 'p'");
replay();
isnt(agrees('until it is committed'), $before, 'then it is');
$writer->quit;

# A snapshot for which replay waits
make_table(1);
my $old = $standby->background_psql('postgres');
my $read = sub { return $old->query_safe($_[0]); };
$read->('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $in_old = "SET LOCAL gpudb.enabled = on; SET LOCAL gpudb.force = on; $sum; SET LOCAL gpudb.enabled = off; $sum";
my ($ours, $theirs) = split /\n/, $read->($in_old);
is($ours, $theirs, 'a snapshot');
my $then = $ours;
run_sql("INSERT INTO t SELECT i, 1, 'late' FROM generate_series(60001, 61000) i; DELETE FROM t WHERE id % 3000 = 1");
my $target = run_sql('SELECT pg_current_wal_lsn()');
ok($standby->poll_query_until('postgres', "SELECT pg_last_wal_replay_lsn() >= '$target'"), 'writes are replayed');
isnt(agrees('a newer snapshot'), $then, 'which sees them');
# the commit of a transaction with an ID writes out what VACUUM has logged
run_sql('VACUUM t');
run_sql('SELECT txid_current()');
$target = run_sql('SELECT pg_current_wal_lsn()');
ok($standby->poll_query_until('postgres', "SELECT pg_last_wal_receive_lsn() >= '$target'"), 'VACUUM is received');
($ours, $theirs) = split /\n/, $read->($in_old);
is($ours, $then, 'the old one does not');
is($theirs, $then, 'nor does PostgreSQL');
is($standby->safe_psql('postgres', "SELECT pg_last_wal_replay_lsn() < '$target'"), 't', 'replay waits for it with what VACUUM does');
$read->('COMMIT');
replay();
agrees('all is replayed');
agrees('and once more', $read);
$old->quit;

# Pages that are rewritten without a transaction: known to be good several times at one moment
for my $vacuum (1, 0)
{
	make_table($vacuum);
	agrees('') for 1 .. 3;
	run_sql("SELECT heap_force_kill('t', ARRAY['(1,16)']::tid[])");
	# no transaction has ended that would have had this written
	run_sql('SELECT pg_switch_wal()');
	replay();
	agrees('RULE_REPLAYED_WAL: a row was killed');
	is($standby->safe_psql('postgres', "SET gpudb.force = on; SELECT count(*) FROM t"), 59999, 'RULE_REPLAYED_WAL: it is gone');
}

# A worker builds what queries of the standby lack, and cached plans see it
my $others = join(', ', map { "o$_ int" } 1 .. 40);
my $numbers = join(', ', map { "i + $_" } 1 .. 40);
run_sql("CREATE TABLE facts (id int, filler text, $others, k int, v int) WITH (parallel_workers = 8);
	INSERT INTO facts SELECT i, repeat('-', 140), $numbers, i % 1000, i % 77 FROM generate_series(1, 200000) i");
run_sql('VACUUM ANALYZE facts');
replay();
my $workers = "SET max_parallel_workers_per_gather = 8; SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET seq_page_cost = 0.15";
my $query = 'SELECT count(*), sum(v) FROM facts WHERE k < 900';
my $prepared = $standby->background_psql('postgres');
$prepared->query_safe("$workers; PREPARE p AS $query");
unlike($prepared->query_safe('EXPLAIN (COSTS OFF) EXECUTE p'), qr/Gpu/, 'nothing is cached: PostgreSQL answers');
for (1 .. 100)
{
	$prepared->query_safe('EXECUTE p');
	last if $standby->safe_psql('postgres', "SELECT count(*) FROM gpudb.admission WHERE relation = 'facts'::regclass AND state IN ('built', 'being built', 'waits')");
}
ok($standby->poll_query_until('postgres', "SELECT state = 'built' FROM gpudb.admission WHERE relation = 'facts'::regclass"), 'a worker builds what it has lacked');
like($prepared->query_safe('EXPLAIN (COSTS OFF) EXECUTE p'), qr/GpuAgg/, 'a cached plan is made anew');
is($prepared->query_safe("SET gpudb.debug_require = require; EXECUTE p"), run_sql("SET gpudb.enabled = off; $query"), 'and gives the primary\'s answer');
is(run_sql("SELECT count(*) FROM gpudb.cache WHERE relation = 'facts'::regclass"), 0, 'the primary has columns of its own');
$prepared->quit;
unlike($standby->safe_psql('postgres', 'SELECT gpudb.doctor()'), qr/no columns are cached/, 'doctor() does not deny it');

# Promotion, in the middle of a session, and of a transaction of the primary's
make_table(1);
$writer = $primary->background_psql('postgres');
$writer->query_safe('BEGIN; UPDATE t SET n = 1000 WHERE id % 2 = 0');
run_sql('UPDATE t SET n = n + 1 WHERE id % 20000 = 1');
replay();
my $session = $standby->background_psql('postgres');
my $in_session = sub { return $session->query_safe($_[0]); };
$before = agrees('before the promotion', $in_session);
agrees('again', $in_session);
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
is(agrees('promoted', $in_session), $before, 'what was under way has not happened');
is(agrees('promoted: another session'), $before, 'nor there');
for my $change ('UPDATE t SET n = n + 5 WHERE id % 4000 = 2', 'VACUUM t', 'DELETE FROM t WHERE id % 4000 = 3', "INSERT INTO t SELECT i, 1, 'new' FROM generate_series(1, 100) i")
{
	$standby->safe_psql('postgres', $change);
	isnt(agrees("promoted: $change", $in_session), $before, 'is seen') if $change ne 'VACUUM t';
	$before = agrees("promoted: $change, in another session");
}
finds_tablets('promoted: tablets are found');
$session->quit;
$_->stop('immediate') for $standby, $primary;
done_testing();
