# The GPU process may die, hang or be cut off at any moment: answers stay right, no session is lost, another one serves
# soon, and nothing is left of it when the server ends.  The CPU stands in the GPU's place, so no GPU is needed.
#
# GPUDB_HELPER_KILLS   how often the process is killed under load (default 30)
use strict;
use warnings;
use GpuProcess;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $kills = $ENV{GPUDB_HELPER_KILLS} || 30;
my $limit = 180;    # for what must end; what is timed has limits of its own

sub is_gone
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return 1;
	return (<$file> // ') Z') =~ /\) Z/;
}

# Queries

my %good = (
	'SELECT count(*), sum(id) FROM rows WHERE k = 3' => '6000|179988000',
	'SELECT sum(n), max(n) FROM rows' => '29970000.00|999.00',
	'SELECT count(*), sum(c) FROM (SELECT k, count(*) AS c FROM rows WHERE id > 10 GROUP BY k) s' => '10|59990',
	'SELECT count(t) FROM (SELECT t FROM rows WHERE k = 7 AND n < 500 OFFSET 0) s' => '3000');
my ($probe) = grep { /k = 3/ } keys %good;

# A second or more over all windows of one table, with one slot all along.
my $long = 'SELECT ' . join(', ', map { "sum(CASE WHEN t LIKE '%e%x%t%t%e%${_}%x%' THEN 1 ELSE 0 END)" } 1 .. 24) . ' FROM many';

sub runs_on_gpu
{
	my ($node, $query) = @_;
	my $plan = $node->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
	return $plan =~ /Device: gpu$/m && $plan !~ /Tablets on CPU|Left to CPU/;
}

# Wait for another GPU process than this one; how long it took until a query ran there, or undef.
sub wait_for_other
{
	my ($node, $old) = @_;
	return wait_for(30, sub { my $pid = helper($node); $pid && $pid != $old && runs_on_gpu($node, $probe) });
}

# Four sessions for some seconds, each asking all the queries; a wrong answer is a division by zero.
my $checks = join '', map {
	my @want = split /\|/, $good{$_};
	my $row = join ', ', map { "c$_" } 1 .. @want;
	my $same = join ' AND ', map { "c$_ = $want[$_ - 1]" } 1 .. @want;
	"SELECT 1 / (CASE WHEN $same THEN 1 ELSE 0 END) FROM ($_ ) q ($row);\n";
} sort keys %good;

sub start_load
{
	my ($node, @options) = @_;
	my $load = { out => '', err => '', in => '' };
	append_to_file($node->basedir . '/load.sql', $checks) unless -e $node->basedir . '/load.sql';
	$load->{run} = IPC::Run::start(
		[ 'pgbench', '-n', '-f', $node->basedir . '/load.sql', @options, $node->connstr('postgres') ],
		\$load->{in}, \$load->{out}, \$load->{err}, IPC::Run::timeout($limit));
	return $load;
}

sub end_load
{
	my ($load, $name) = @_;
	$load->{run}->finish;
	my ($done) = $load->{out} =~ /actually processed: (\d+)/;
	return $load->{run}->result(0) == 0 && $load->{err} !~ /ERROR|FATAL|lost|aborted/ && $done
	  || do { diag("$name: $load->{err}"); 0 };
}

# A query in a session of its own, which goes on while the test does something else.
sub start_query
{
	my ($node, $sql, $name) = @_;
	my $query = { out => '', err => '', start => time() };
	$query->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres') . ($name ? " application_name=$name" : ''), '-c', $sql ],
		'<', \undef, '>', \$query->{out}, '2>', \$query->{err}, IPC::Run::timeout($limit));
	return $query;
}

# The same, returning when the query runs.
sub start_running
{
	my ($node, $sql, $name) = @_;
	my $query = start_query($node, $sql, $name);
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '$name' AND state = 'active'")
	  or die 'the query does not start';
	usleep(150_000);
	$query->{start} = time();
	return $query;
}

sub end_query
{
	my ($query) = @_;
	$query->{run}->finish;
	$query->{took} = time() - $query->{start};
	chomp $query->{out};
	return $query->{out};
}

sub log_lines
{
	my ($node, $pattern, $from) = @_;
	my @lines = grep { /$pattern/ } split /\n/, substr(slurp_file($node->logfile), $from);
	return scalar @lines;
}

my $node = PostgreSQL::Test::Cluster->new('gpu_process');
$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
restart_after_crash = on
log_statement = none
shared_buffers = 256MB
max_connections = 130
max_parallel_workers_per_gather = 0
gpudb.provider = cpu
gpudb.device = gpu
gpudb.force = on
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE rows (id int NOT NULL, k int, n numeric(10,2), t text);
	INSERT INTO rows SELECT i, i % 10, i % 1000, repeat('text', 5) || i FROM generate_series(1, 60000) i;
	CREATE TABLE many AS SELECT i AS id, repeat('text', 30) || i AS t FROM generate_series(1, 250000) i;
	VACUUM ANALYZE rows, many;
	CHECKPOINT;
});

# It serves, and answers are PostgreSQL's

ok(wait_for_other($node, 0), 'a GPU process serves');
for my $query (sort keys %good)
{
	is($node->safe_psql('postgres', "SET gpudb.debug_require = require; $query"), $good{$query}, "on the device: $query");
	is($node->safe_psql('postgres', "SET gpudb.enabled = off; $query"), $good{$query}, "PostgreSQL: $query");
	ok(runs_on_gpu($node, $query), "Device: gpu, nothing left to the CPU: $query");
}
# without a GPU a busy machine may take too long over one batch of it
ok(defined wait_for(30, sub { runs_on_gpu($node, $long) }), 'the long query runs there');
my $long_answer = $node->safe_psql('postgres', "SET gpudb.enabled = off; $long");
my $alone = start_query($node, $long);
is(end_query($alone), $long_answer, 'its answer is right');
cmp_ok($alone->{took}, '>', 0.5, 'and it is long enough to be interrupted') or diag("$alone->{took} s");

# Killed under load

{
	my $from = -s $node->logfile;
	my ($slowest, $late, $wrong) = (0, 0, 0);
	my $load = start_load($node, '-c', 4, '-j', 2, '-T', 5);
	srand(20261120);
	for my $round (1 .. $kills)
	{
		my $pid;
		if (!$load->{run}->pumpable)
		{
			$wrong++ if !end_load($load, "load before round $round");
			$load = start_load($node, '-c', 4, '-j', 2, '-T', 5);
		}
		usleep(int rand 300_000);
		wait_for(10, sub { $pid = helper($node) }) // last;
		kill 'KILL', $pid;
		my $took = wait_for_other($node, $pid) // 99;
		$slowest = $took if $took > $slowest;
		$late++ if $took > 5;
	}
	$wrong++ if !end_load($load, 'last load');
	is($wrong, 0, "killed $kills times under load: every answer right, no session lost");
	is($late, 0, 'another one served within 5 s each time');
	note(sprintf 'the slowest restart took %.2f s', $slowest);
	is(log_lines($node, 'GPU process was terminated by signal 9', $from), $kills, 'each death is told');
	is(log_lines($node, 'LOG:\s+gpudb', $from), $kills, 'in one line, and nothing else is');
}

# Stopped in the middle of a query, and before one begins

{
	my $from = -s $node->logfile;
	my $pid = helper($node);
	my $query = start_running($node, $long, 'stopped_in');
	kill 'STOP', $pid;
	is(end_query($query), $long_answer, 'stopped in mid-query: the answer is right');
	cmp_ok($query->{took}, '>', 1, 'it was there') or diag("$query->{took} s");
	cmp_ok($query->{took}, '<', 2.5 + 3 * $alone->{took} + 2, 'it took the time-out and the work') or diag("$query->{took} s");
	ok(defined wait_for(5, sub { is_gone($pid) }), 'the supervisor has ended it');
	my $took = wait_for_other($node, $pid);
	ok(defined $took && $took < 5, 'another one serves within 5 s');

	$pid = helper($node);
	kill 'STOP', $pid;
	$query = start_query($node, $probe);
	is(end_query($query), $good{$probe}, 'stopped before a query: the answer is right');
	cmp_ok($query->{took}, '<', 2.5 + 2, 'it took the time-out');
	ok(defined wait_for(5, sub { is_gone($pid) }), 'that one is ended, too');
	ok(wait_for_other($node, $pid), 'and replaced');

	# who does not want to wait need not
	$pid = helper($node);
	kill 'STOP', $pid;
	$query = start_query($node, "SET gpudb.queue_timeout = '200ms'; $probe");
	is(end_query($query), $good{$probe}, 'stopped, short gpudb.queue_timeout: the answer is right');
	cmp_ok($query->{took}, '<', 1.5, 'and comes sooner') or diag("$query->{took} s");
	ok(wait_for_other($node, $pid), 'replaced again');

	$pid = helper($node);
	$query = start_running($node, $long, 'cancelled');
	kill 'STOP', $pid;
	usleep(100_000);
	$query->{start} = time();
	$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'cancelled'");
	end_query($query);
	like($query->{err}, qr/canceling statement due to user request/, 'stopped and cancelled: the query is cancelled');
	cmp_ok($query->{took}, '<', 1, 'soon') or diag("$query->{took} s");
	ok(wait_for_other($node, $pid), 'replaced once more');
	is(log_lines($node, 'gpudb: the GPU process was terminated', $from), 4, 'four deaths, four lines');
}

# Sessions that are terminated in mid-query, more of them than there are slots

{
	my $terminated = 0;
	for my $round (1 .. 7)
	{
		my @query = map { start_query($node, $long, 'victim') } 1 .. 10;
		$node->poll_query_until('postgres', "SELECT count(*) = 10 FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'active'")
		  or last;
		usleep(200_000);
		$terminated += $node->safe_psql('postgres', "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE application_name = 'victim') s WHERE ended");
		end_query($_) for @query;
		$terminated -= 100 * grep { $_->{err} !~ /terminating connection due to administrator command/ } @query;
	}
	is($terminated, 70, '70 sessions were terminated in mid-query');
	ok(defined wait_for(5, sub { runs_on_gpu($node, $probe) }), 'their slots came back');
	is(log_lines($node, 'terminated by signal 11|PANIC', 0), 0, 'no session crashed');
}

# More sessions than slots, and sessions that do not wait for one

ok(end_load(start_load($node, '-c', 100, '-j', 2, '-t', 2), '100 sessions'), '100 sessions at once: all right, none failed');
{
	local $ENV{PGOPTIONS} = '-c gpudb.queue_timeout=1';
	ok(end_load(start_load($node, '-c', 80, '-j', 2, '-t', 2), 'queue_timeout'), 'gpudb.queue_timeout = 1 ms: all right');
}
ok(defined wait_for(5, sub { runs_on_gpu($node, $probe) }), 'afterwards queries run on the device as before');

# The supervisor dies: PostgreSQL restarts, as after any worker's death

{
	my ($parent, $pid) = (supervisor($node), helper($node));
	my $from = -s $node->logfile;
	kill 'KILL', $parent;
	ok(defined wait_for(2, sub { is_gone($pid) }), 'supervisor killed: the GPU process goes with it');
	ok(defined wait_for(30, sub { log_lines($node, 'database system is ready to accept connections', $from) }), 'the server recovers');
	ok(wait_for_other($node, $pid), 'another GPU process serves');
	isnt(supervisor($node), $parent, 'of another supervisor');
	is($node->safe_psql('postgres', $probe), $good{$probe}, 'the answer is right');
}

# Nothing is left of a server that was stopped

sub segment_of
{
	my ($key) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^ *\d+ +(\d+)$/m;
	return $key;
}

# How many processes have it, or undef when it is gone.
sub segment_users
{
	my ($id) = @_;
	my ($users) = slurp_file('/proc/sysvipc/shm') =~ /^ *-?\d+ +$id +(?:\d+ +){4}(\d+)/m;
	return $users;
}

for my $mode ('fast', 'immediate')
{
	my ($left, $segments, $unserved) = (0, 0, 0);
	for my $round (1 .. 5)
	{
		my @pid = (supervisor($node), helper($node));
		my $segment = segment_of();
		my $query = start_query($node, $long);

		segment_users($segment) or die 'no such segment';
		usleep(50_000 * $round);
		$node->stop($mode);
		$segments++ if defined segment_users($segment);
		$left++ if @pid != 2 || !defined wait_for(0.5, sub { !grep { !is_gone($_) } @pid });
		end_query($query);
		$node->start;
		$unserved++ if !defined wait_for_other($node, 0);
	}
	is($left, 0, "stopped 5 times, mode $mode: no process is left");
	is($segments, 0, "no shared memory segment is left");
	is($unserved, 0, 'the server starts at once, and a GPU process serves');
}

{
	my @pid = (supervisor($node), helper($node));
	my $segment = segment_of();
	my $query = start_query($node, $long);
	my $postmaster = $node->{_pid};

	usleep(200_000);
	$node->kill9;
	ok(defined wait_for(2, sub { !grep { !is_gone($_) } @pid }), 'postmaster killed: supervisor and GPU process are gone within 2 s');
	end_query($query);
	ok(defined wait_for(10, sub { !segment_users($segment) }), 'nobody holds the shared memory');
	# until somebody reaps it, PostgreSQL takes it for alive
	wait_for(30, sub { !-e "/proc/$postmaster" });
	$node->start;
	is(segment_users($segment), undef, 'the server starts again, and the old segment is gone');
	ok(wait_for_other($node, 0), 'a GPU process serves');
}
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak/, 'no crash, no leaked pins');
$node->stop;

# One that is busy for longer than it may be silent is not ended; one that is stopped is

$node->append_conf('postgresql.conf', "gpudb.debug_silence = 300ms\ngpudb.queue_timeout = 1min");
$node->start;
{
	$node->safe_psql('postgres', 'CREATE TABLE ranges AS SELECT i AS id, i % 1000 AS k FROM generate_series(1, 20000) i; VACUUM ANALYZE ranges');
	ok(wait_for_other($node, 0), 'a GPU process serves');
	my $from = -s $node->logfile;
	my $pid = helper($node);
	my $pairs = 'SELECT count(*), sum(a.k * b.k) FROM ranges a JOIN ranges b ON b.id BETWEEN a.id - 2500 AND a.id + 2500';
	my $busy = start_query($node, "SET gpudb.debug_require = require; $pairs");
	is(end_query($busy), $node->safe_psql('postgres', "SET gpudb.device = cpu; $pairs"), 'a batch that takes long: its answer');
	note(sprintf 'it took %.2f s', $busy->{took});
	is(helper($node), $pid, 'the process that ran it serves on');
	is(log_lines($node, 'does not answer', $from), 0, 'nobody took it for dead');
	kill 'STOP', $pid;
	ok(defined wait_for(10, sub { is_gone($pid) }), 'one that is stopped is ended');
}
$node->append_conf('postgresql.conf', 'gpudb.debug_silence = 2s');
$node->stop;

# No GPU process at all

$node->append_conf('postgresql.conf', 'gpudb.provider = none');
$node->start;
is(supervisor($node), undef, 'gpudb.provider = none: there is no supervisor');
is($node->safe_psql('postgres', $probe), $good{$probe}, 'gpudb.device = gpu without one: the CPU device answers');
like($node->safe_psql('postgres', "EXPLAIN $probe"), qr/Device: cpu \(gpudb\.provider is none\)/, 'EXPLAIN says why');
like($node->safe_psql('postgres', "EXPLAIN ANALYZE $probe"), qr/Device: cpu \(gpudb\.provider is none\)/, 'so does EXPLAIN ANALYZE');
my ($out, $err);
$node->psql('postgres', "SET gpudb.debug_require = require; $probe", stdout => \$out, stderr => \$err);
like($err, qr/ERROR:  query does not run on a GPU although gpudb\.debug_require demands it/, 'gpudb.debug_require: an error');
like($err, qr/DETAIL:  device_down: gpudb\.provider is none\.\nHINT:  .*gpudb\.device = auto or cpu/, 'its reason, and what to do');
is($node->safe_psql('postgres', "SET gpudb.device = auto; SET gpudb.debug_require = require; $probe"), $good{$probe}, 'gpudb.device = auto takes the CPU device');
$node->stop;
done_testing();
