# Joins with a table that a GPU has no room for: several passes, each with a part of it.  Answers are PostgreSQL's, and all
# is done on the GPU; where that cannot be, the CPU device says why.  Without a GPU the CPU stands in its place.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('passes');

sub same_answer
{
	my ($query, $name) = @_;
	my $rows = "SELECT array_agg(r ORDER BY r) FROM ($query OFFSET 0) r";
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', "$rows; SET gpudb.enabled = off; $rows");
	is($ours, $theirs, "$name: the answer");
}

# The answer is PostgreSQL's, all of it from the GPU, in so many passes at least.
sub in_passes
{
	my ($query, $least, $name) = @_;
	my $whole = plan_of($node, $query);
	# what comes of build plans is not the question
	my ($plan) = $whole =~ /^(.*?GPU Join.*?)(?=\n *->|\z)/s;
	$plan //= $whole;
	my ($passes) = $plan =~ /GPU Join \d+ Table: .*, (\d+) passes$/m;
	same_answer($query, $name);
	ok($plan =~ /Device: gpu$/m && $plan !~ /Left to CPU|Tablets on CPU|Fallback/ && ($passes // 1) >= $least, "$name: $least passes on the GPU")
	  or diag($whole);
}

# The answer is PostgreSQL's, from the CPU device, for a reason.
sub on_cpu
{
	my ($query, $why, $name) = @_;
	same_answer($query, $name);
	like(plan_of($node, $query), qr/Device: cpu \($why\)$/m, "$name: on the CPU device");
}

$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
shared_buffers = 256MB
work_mem = 256MB
max_parallel_workers_per_gather = 0
gpudb.device = gpu
gpudb.gpu_memory = 128MB
gpudb.pool_size = 512MB
gpudb.force = on
} . 'gpudb.provider = ' . ($with_gpu ? 'auto' : 'cpu'));
$node->start;
# The planner takes the first one for the largest, so it is the one that is read.  Keys of the others: far apart; one for three rows each; side by side; texts; one that half of the rows have; none that is not NULL, but for a few
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE fact (id int NOT NULL, k bigint, d int, t text, s int, g smallint, v numeric(10,2));
	INSERT INTO fact SELECT i, CASE WHEN i % 50 > 0 THEN (i * 7919::int8 % 1500000) * 1000003 END, i * 6997::int8 % 2500000, 'key ' || i * 31 % 700000, i % 1000, i % 7, i % 1000 / 4.0
		FROM generate_series(1, 100000) i;
	CREATE TABLE sparse AS SELECT CASE WHEN i % 31 > 0 THEN i * 1000003 END AS k, (i % 1000)::int AS w, (i % 10)::int AS h FROM generate_series(0::int8, 1200000) i;
	CREATE TABLE thrice AS SELECT i / 3 * 1000003 AS k, i::int AS w FROM generate_series(0::int8, 1200000) i;
	CREATE TABLE dense AS SELECT i AS d, i % 1000 AS w FROM generate_series(0, 2999999) i;
	CREATE TABLE texts AS SELECT 'key ' || i AS t, 'value ' || i % 100000 AS w FROM generate_series(0, 599999) i;
	CREATE TABLE skewed AS SELECT CASE WHEN i % 2 = 0 THEN 500 ELSE i * 1000003 END AS s, (i % 1000)::int AS w FROM generate_series(0::int8, 1400000) i;
	CREATE TABLE small AS SELECT i AS g, i % 3 AS m FROM generate_series(0, 5) i;
	VACUUM ANALYZE fact, sparse, thrice, dense, texts, skewed, small;
	ALTER TABLE fact SET (autovacuum_enabled = off);
	UPDATE pg_class SET reltuples = 100 * reltuples WHERE relname = 'fact';
});
ok(defined wait_for(30, sub { plan_of($node, 'SELECT count(*) FROM fact WHERE g = 3') =~ /Device: gpu$/m }), 'a GPU process serves');

my $sums = 'count(*), sum(f.v), sum(b.w)';
in_passes("SELECT $sums FROM fact f JOIN sparse b ON f.k = b.k", 3, 'keys far apart');
in_passes("SELECT f.g, $sums FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1", 3, 'with groups of the side that is read');
in_passes("SELECT b.w, b.h, f.g, $sums, min(f.id), avg(f.v) FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1, 2, 3", 3, 'with groups of the table');
in_passes("SELECT $sums FROM fact f JOIN thrice b ON f.k = b.k", 3, 'several rows a key');
in_passes("SELECT b.w % 100, f.g, $sums FROM fact f JOIN thrice b ON f.k = b.k AND b.w % 7 <> f.g GROUP BY 1, 2", 3, 'with a condition and groups');
in_passes("SELECT $sums FROM fact f JOIN dense b ON f.d = b.d", 2, 'keys side by side');
in_passes("SELECT f.g, $sums FROM fact f JOIN dense b ON f.d = b.d WHERE f.s > 10 GROUP BY 1", 2, 'and a filter');
in_passes('SELECT count(*), sum(f.v), count(b.w) FROM fact f JOIN texts b ON f.t = b.t', 2, 'texts');
in_passes('SELECT b.w, count(*), sum(f.v) FROM fact f JOIN texts b ON f.t = b.t WHERE f.id % 100 < 2 GROUP BY 1', 2, 'groups by texts of the table');
in_passes('SELECT f.g, count(*), sum(f.v) FROM fact f WHERE EXISTS (SELECT 1 FROM sparse b WHERE b.k = f.k) GROUP BY 1', 3, 'a semi join');
in_passes('SELECT f.g, count(*), sum(f.v) FROM fact f WHERE EXISTS (SELECT 1 FROM thrice b WHERE b.k = f.k AND b.w % 7 <> f.g) GROUP BY 1', 3,
	'a semi join with a condition');
in_passes("SELECT $sums FROM fact f JOIN skewed b ON f.s = b.s WHERE f.id % 50000 < 1000", 2, 'a key that half of the rows have');
in_passes("SELECT s.m, $sums FROM fact f JOIN small s ON f.g = s.g JOIN sparse b ON f.k = b.k GROUP BY 1", 3, 'beside a small table');
in_passes("SELECT s.m, $sums FROM fact f JOIN sparse b ON f.k = b.k LEFT JOIN small s ON f.g = s.g GROUP BY 1", 3, 'ahead of a left join');
in_passes("SELECT $sums FROM fact f JOIN sparse b ON f.k = b.k WHERE f.id < 0", 1, 'no rows');
in_passes("SELECT f.id, $sums FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1", 3, 'a group for each row');
in_passes("SELECT f.id % 70000, $sums FROM fact f JOIN thrice b ON f.k = b.k GROUP BY 1", 3, 'groups that several passes have');
in_passes("SELECT f.id, sum(b.w) AS x FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1 ORDER BY x DESC, f.id LIMIT 10", 3, 'the first of the groups');
in_passes("SELECT $sums FROM fact f JOIN (SELECT * FROM sparse WHERE w < 990) b ON f.k = b.k", 3, 'of a filtered table');

my $large = 'tables of joins are larger than the GPU has room for';
on_cpu("SELECT $sums FROM fact f LEFT JOIN sparse b ON f.k = b.k", $large, 'a left join');
on_cpu('SELECT count(*), sum(f.v) FROM fact f WHERE NOT EXISTS (SELECT 1 FROM sparse b WHERE b.k = f.k)', $large, 'an anti join');
on_cpu('SELECT count(*), sum(f.v) FROM fact f WHERE EXISTS (SELECT 1 FROM skewed b WHERE b.s = f.s AND b.w <> f.s)',
	'a key of a semi join\'s table has more rows than the GPU has room for', 'a semi join with a key that half of the rows have');

# Beyond gpudb.join_memory it is PostgreSQL's
{
	my $query = "SELECT $sums FROM fact f JOIN sparse b ON f.k = b.k";
	my $plan = $node->safe_psql('postgres', "SET gpudb.join_memory = '16MB'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
	like($plan, qr/Fallback: memory_limit/, 'more than join_memory: PostgreSQL answers');
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', "SET gpudb.join_memory = '16MB'; $query; SET gpudb.enabled = off; $query");
	is($ours, $theirs, 'which is right');
}

# The same again: parameters, a rescan of which changes the table
in_passes('SELECT x, (SELECT sum(b.w) FROM fact f JOIN sparse b ON f.k = b.k WHERE f.g <> x AND b.h <> x) FROM generate_series(1, 3) x', 2, 'rescans');

# Cancelled at any moment, and the GPU process killed

my $each = "SELECT f.g, $sums FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1";
my $groups = 'SELECT count(*), sum(c), sum(w), sum(v) FROM (SELECT f.id, count(*) AS c, sum(b.w) AS w, sum(f.v) AS v FROM fact f JOIN sparse b ON f.k = b.k GROUP BY 1 OFFSET 0) q';
srand(20261124);
my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; $groups");
my @cancelled;
for my $round (1 .. 10)
{
	push @cancelled, my $query = start_query($node, 'SET statement_timeout = ' . (50 + int rand 1500) . "; $groups", 'passes');
	end_query($query);
}
is(scalar(grep { $_->{out} ne $want && $_->{err} !~ /canceling statement due to statement timeout/ } @cancelled), 0, '10 queries were cancelled, or answered');
in_passes($each, 3, 'afterwards');

my $wrong = 0;
for my $round (1 .. 6)
{
	my $pid = helper($node);
	my $query = start_query($node, "$groups; $groups", 'passes');
	usleep(int rand 2_500_000);
	kill 'KILL', $pid if $pid;
	my @rows = split /\n/, end_query($query);
	if (@rows != 2 || grep { $_ ne $want } @rows)
	{
		$wrong++;
		diag("$query->{out}, not $want: $query->{err}");
	}
	wait_for(30, sub { my $new = helper($node); $new && (!$pid || $new != $pid) && plan_of($node, 'SELECT count(*) FROM fact WHERE g = 3') =~ /Device: gpu$/m })
	  // diag('no other GPU process serves') && $wrong++;
}
is($wrong, 0, 'killed at 6 moments: every answer is right');
in_passes($each, 3, 'with another GPU process');

# Nothing of all these tables is left in the pool: what the cache may use is as much as before
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal (?!9\b)|leak|damaged/, 'no crash, no leaks, no damaged answers');
$node->stop;
done_testing();
