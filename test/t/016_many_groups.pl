# Device-resident groups come back whole, in result slots that are shared by all sessions or, where there are none, in
# slices: answers stay PostgreSQL's, and no result slot is left behind by queries that are cancelled, by sessions that are terminated
# or when the GPU process dies meanwhile.  The CPU stands in the GPU's place, so no GPU is needed.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $limit = 180;    # for what must end

my $node = PostgreSQL::Test::Cluster->new('many_groups');

sub runs_on_gpu { my $plan = plan_of($node, $_[0]); return $plan =~ /Device: gpu$/m && $plan !~ /Tablets on CPU|Left to CPU/; }

$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
shared_buffers = 128MB
work_mem = 256MB
max_connections = 100
max_parallel_workers_per_gather = 0
gpudb.provider = cpu
gpudb.device = gpu
gpudb.gpu_memory = 4GB
gpudb.force = on
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE t (id int NOT NULL, k int, s smallint, n numeric(10,2), u numeric, f float8, d date, w text);
	INSERT INTO t SELECT i, nullif(i % 40000, 17), i % 300, i % 1000 / 4.0, i % 777, i / 8.0, date '2020-01-01' + i % 3000, 'a text of more than sixteen bytes ' || i % 30000
		FROM generate_series(1, 120000) i;
	CREATE TABLE fresh AS SELECT * FROM t WHERE id <= 40000;
	VACUUM ANALYZE t, fresh;
});
ok(defined wait_for(30, sub { runs_on_gpu('SELECT count(*) FROM t WHERE k = 3') }), 'a GPU process serves');

# From what one result holds to what fills all result slots of a query several times

my $sum = q{SELECT count(*), md5(string_agg(q::text, ',' ORDER BY q::text)) FROM (%s OFFSET 0) q};
my %query = (
	'few groups' => 'SELECT s, count(*), sum(n) FROM t GROUP BY s',
	'a little more than a result holds' => 'SELECT d, count(*), sum(n), min(u), max(id) FROM t GROUP BY d',
	'a room' => 'SELECT k, count(*) FROM t WHERE k < 12000 GROUP BY k',
	'NULL keys, some result slots' => 'SELECT k, count(*), sum(n), max(u) FROM t GROUP BY k',
	'a group for each row' => 'SELECT id, sum(n) FROM t GROUP BY id',
	'more than all result slots of a query' => 'SELECT id, k, count(*), sum(n), sum(u), min(n), max(n), min(u), max(u), avg(n), sum(id), min(d), max(d), sum(s), max(f) FROM t GROUP BY id, k',
	'texts' => 'SELECT w, count(*), sum(n) FROM t GROUP BY w',
	'a text for each row' => 'SELECT w, id, count(*), sum(n) FROM t GROUP BY w, id',
	'no groups' => 'SELECT id, sum(n) FROM t WHERE id < 0 GROUP BY id');
my %right;
for my $name (sort keys %query)
{
	my $asked = sprintf $sum, $query{$name};
	$right{$name} = $node->safe_psql('postgres', "SET gpudb.enabled = off; $asked");
	is($node->safe_psql('postgres', $asked), $right{$name}, "$name: the answer");
	ok(runs_on_gpu($query{$name}), "$name: on the GPU");
}

# Of which the first ones are wanted alone: the others stay where they are, unless too many tie

my %first = (
	'the largest totals' => [ 'SELECT id, sum(n) AS x FROM t GROUP BY id ORDER BY x DESC, id LIMIT 10', 0 ],
	'the smallest totals, NULLs first' => [ 'SELECT id, sum(CASE WHEN id % 50000 > 0 THEN n * id END) AS x FROM t GROUP BY id ORDER BY x NULLS FIRST, id LIMIT 7', 119_000 ],
	'NULLs last, of which there are some' => [ 'SELECT id, max(CASE WHEN id % 3 > 0 THEN id END) AS x FROM t GROUP BY id ORDER BY x DESC NULLS LAST, id OFFSET 5 LIMIT 9', 119_000 ],
	'a key' => [ 'SELECT id, sum(n) FROM t GROUP BY id ORDER BY id DESC LIMIT 20', 119_000 ],
	'ties' => [ 'SELECT id, count(*) AS x FROM t GROUP BY id ORDER BY x DESC, id LIMIT 3', 0 ],
	'of a filter' => [ 'SELECT id, sum(u) AS x, min(d) FROM t WHERE s < 290 GROUP BY id ORDER BY x DESC, id LIMIT 100', 110_000 ],
	'more than there are' => [ 'SELECT id, sum(n) AS x FROM t WHERE id < 20 GROUP BY id ORDER BY x, id LIMIT 50', 0 ]);
for my $name (sort keys %first)
{
	my ($asked, $least) = @{ $first{$name} };
	my ($left) = plan_of($node, $asked) =~ /Groups Left Out: (\d+)/;
	is($node->safe_psql('postgres', $asked), $node->safe_psql('postgres', "SET gpudb.enabled = off; $asked"), "$name: the answer");
	cmp_ok($left, '>=', $least, "$name: groups that are left out");
}

# More sessions at a time than there are result slots for

my $each = 'SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT id, k, count(*) AS c, sum(n) AS s, min(u), max(u), min(d), max(d), sum(u) FROM t GROUP BY id, k OFFSET 0) q';
my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; $each");
{
	my @query = map { start_query($node, join(';', ($each) x 3), 'load', $limit) } 1 .. 30;
	my @rows = map { split /\n/, end_query($_) } @query;
	is(scalar(@rows), 90, '30 sessions at once: every query has an answer');
	is(scalar(grep { $_ ne $want } @rows), 0, 'which is right');
}

# Queries that end in the middle, and the GPU process: all result slots come back, without which no columns would be left behind

srand(20261124);
sub rooms_are_back
{
	my ($name) = @_;
	ok(defined wait_for(30, sub { runs_on_gpu($each) }), "$name: a GPU process serves");
	$node->safe_psql('postgres', "SELECT gpudb.evict('fresh')");
	like(plan_of($node, 'SELECT sum(n), sum(id), sum(f) FROM fresh'), qr/Tablets Added: [1-9]/, "$name: result slots have come back");
}
rooms_are_back('at first');

my @cancelled;
for my $round (1 .. 12)
{
	push @cancelled, map { start_query($node, 'SET statement_timeout = ' . (20 + int rand 400) . "; $each", 'load', $limit) } 1 .. 4;
	end_query($_) for @cancelled;
}
is(scalar(grep { $_->{out} ne $want && $_->{err} !~ /canceling statement due to statement timeout/ } @cancelled), 0, '48 queries were cancelled, or answered');
rooms_are_back('cancelled');

for my $round (1 .. 12)
{
	my @query = map { start_query($node, join(';', ($each) x 20), 'load', $limit) } 1 .. 4;
	usleep(100_000 + int rand 400_000);
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'load'");
	end_query($_) for @query;
}
rooms_are_back('terminated');

my $wrong = wrong_when_killed($node, $each,
	rounds => 12, sessions => 3, times => 3, pause => 0, more => 600_000, stop_every => 4, limit => $limit, serves => sub { runs_on_gpu($each) });
is($wrong, 0, 'killed or stopped at 12 moments: every answer is right');
rooms_are_back('killed');

unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak|damaged/, 'no crash, no leaks, no damaged answers');
$node->stop;
done_testing();
