# Rows that a GPU keeps and puts in order, to be fetched or to be aggregated there: answers stay PostgreSQL's, whatever the keys, the
# number of rows and the estimates, and nothing is left behind by queries that are cancelled or when the GPU process dies.
# Without a GPU the CPU stands in its place.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('sorted_rows');

# Where a query's rows were sorted, and aggregated if they were.
sub devices_of
{
	my ($plan) = plan_of($node, @_);
	my ($sorted) = $plan =~ /Sorted On: (.*)/;
	my ($aggregated) = $plan =~ /\(GpuSortAgg\).*\n\s*Device: (.*)/;
	return $plan =~ /Fallback/ ? "other: $plan" : join(', ', grep { defined } $sorted, $aggregated);
}

# The answer is PostgreSQL's, in its order, and the rows are from these devices.
sub agrees
{
	my ($query, $name, $devices, $settings) = @_;
	my $rows = "SELECT count(*), md5(string_agg(r::text, '|')) FROM ($query) r";
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', ($settings // '') . "$rows; SET gpudb.enabled = off; $rows");
	is($ours, $theirs, "$name: the answer");
	is(devices_of($query, $settings), $devices, "$name: the devices") or diag(plan_of($node, $query, $settings));
}

$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', q{
shared_buffers = 64MB
max_connections = 130
max_parallel_workers_per_gather = 0
gpudb.device = gpu
gpudb.force = on
} . ($with_gpu ? '' : "gpudb.provider = cpu\n") . "shared_preload_libraries = 'gpudb'\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE many (id int NOT NULL, k int, v smallint, w bigint, n numeric(12,2), f float8, r float4, b bool, d date, t text);
	INSERT INTO many SELECT i, CASE WHEN i % 50 > 0 THEN i::bigint * 7919 % 1000 END, i % 300 - 150, CASE i % 100 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808 ELSE i * 12345678901 % 1000007 END,
		CASE WHEN i % 7 > 0 THEN (i * 31 % 100000) / 100.0 END, CASE i % 20 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 0 WHEN 3 THEN '-Infinity' WHEN 4 THEN NULL ELSE (i::bigint * 104729 % 99991) / 7.0 END,
		i % 1000 / 3.0, CASE WHEN i % 3 > 0 THEN i % 2 = 0 END, date '2020-01-01' + i % 1000, 'text ' || i % 100 FROM generate_series(1, 100000) i;
	CREATE TABLE without (k int, id int);
	CREATE TABLE dim AS SELECT i AS id, i % 17 AS x, i / 3.0::float8 AS y, 'name ' || i AS name FROM generate_series(0, 999) i;
	VACUUM ANALYZE many, without, dim;
	SELECT count(*) FROM many;
});
ok(defined wait_for(30, sub { plan_of($node, 'SELECT count(*) FROM many WHERE k = 3') =~ /Device: gpu$/m }), 'a GPU process serves');

# Keys of all kinds; a word, or several

for my $keys ('k, id', 'k DESC NULLS LAST, id DESC', 'v, k NULLS FIRST, id', 'b, id', 'b DESC, d, id', 'w, id', 'w DESC NULLS LAST, n, k, id', 'n NULLS FIRST, id', 'f, id', 'f DESC, id DESC', 'r, f, id', 'd, n DESC, id')
{
	my $page = "SELECT id, k, v, w, n, f, r, b, d FROM many ORDER BY $keys";
	agrees($page, "by $keys", 'gpu');
	agrees("$page OFFSET 61003 LIMIT 77", "a page by $keys", 'gpu');
}
agrees('SELECT k FROM many ORDER BY k DESC OFFSET 50000 LIMIT 1', 'the k-th largest', 'gpu');
agrees('SELECT DISTINCT ON (k) k, id, v FROM many ORDER BY k, v, id', 'one of each', 'gpu');
agrees('SELECT id, rank() OVER (PARTITION BY v ORDER BY n, id), lag(f) OVER (PARTITION BY v ORDER BY n, id) FROM many', 'windows over them', 'gpu');

# Over cached columns a sort costs no pages

sub cost_of
{
	my ($query, $settings) = @_;
	my ($cost) = $node->safe_psql('postgres', ($settings // '') . "EXPLAIN $query") =~ /\(GpuSort\).*\.\.([\d.]+) rows/;
	return $cost;
}

$node->safe_psql('postgres', "SELECT gpudb.prewarm('many')");
my @queries = ('SELECT k, id FROM many ORDER BY k, id LIMIT 1', 'SELECT DISTINCT ON (k) k, id FROM many ORDER BY k, id', 'SELECT k, mode() WITHIN GROUP (ORDER BY v) FROM many GROUP BY k');
my @cached = map { cost_of($_) } @queries;
$node->safe_psql('postgres', "SELECT gpudb.evict('many')");
my $pages = $node->safe_psql('postgres', "SELECT relpages FROM pg_class WHERE relname = 'many'");
for my $i (0 .. $#queries)
{
	cmp_ok($cached[$i], '<', cost_of($queries[$i]) - $pages, "$queries[$i]: cached");
}

# Nor does it cost runs, as long as the GPU has room for the rows

my $little = 'SET gpudb.join_memory = 1; ';
agrees('SELECT k FROM many ORDER BY k OFFSET 500 LIMIT 1', 'in little memory', 'gpu', $little);
is(cost_of('SELECT k FROM many ORDER BY k OFFSET 500 LIMIT 1', $little), cost_of('SELECT k FROM many ORDER BY k OFFSET 500 LIMIT 1'), 'its cost');
cmp_ok(cost_of('SELECT k FROM many ORDER BY k', $little), '>', cost_of('SELECT k FROM many ORDER BY k'), 'all rows come back');
$node->safe_psql('postgres', "SELECT gpudb.prewarm('many')");

# Groups of them

agrees('SELECT v, percentile_disc(0.3) WITHIN GROUP (ORDER BY k), sum(w), avg(n), min(d), bool_or(b), count(*), count(DISTINCT k) FROM many GROUP BY v ORDER BY v', 'percentiles of groups and sums', 'gpu');
agrees('SELECT b, d, mode() WITHIN GROUP (ORDER BY n DESC), percentile_disc(0.9) WITHIN GROUP (ORDER BY n DESC), max(k) FROM many GROUP BY b, d ORDER BY b, d', 'downward', 'gpu');
agrees('SELECT mode() WITHIN GROUP (ORDER BY r), count(DISTINCT r), sum(id) FROM many', 'of all rows', 'gpu');
agrees('SELECT mode() WITHIN GROUP (ORDER BY r), count(DISTINCT r), sum(id) FROM many WHERE id < 0', 'of none', 'gpu');
agrees('SELECT k, mode() WITHIN GROUP (ORDER BY r), mode() WITHIN GROUP (ORDER BY d) FROM many GROUP BY k ORDER BY k', 'in two orders', 'cpu (a GPU cannot run this program)');
agrees('SELECT v, mode() WITHIN GROUP (ORDER BY t) FROM many GROUP BY v ORDER BY v', 'of texts', 'cpu (a GPU cannot run this program)');
like(plan_of($node, 'SELECT v, mode() WITHIN GROUP (ORDER BY -(r * 0)) FROM many GROUP BY v'), qr/Fallback: runtime_error \(equal values that print differently\)/, 'zeros that print differently');

# Rows of joins

agrees('SELECT m.id, m.f, d.y FROM many m JOIN dim d ON d.id = m.k ORDER BY d.x DESC, m.id', 'rows of a join', 'gpu');
agrees('SELECT d.y, m.id FROM many m LEFT JOIN dim d ON d.id = m.k AND d.x > 5 ORDER BY d.y NULLS FIRST, m.id OFFSET 5000 LIMIT 100', 'a page of an outer join', 'gpu');
agrees('SELECT m.id, d.x, e.y FROM many m JOIN dim d ON d.id = m.k JOIN dim e ON e.id = m.v + 150 ORDER BY e.y, d.x DESC, m.id', 'rows of two', 'gpu');
agrees('SELECT m.id FROM many m WHERE EXISTS (SELECT 1 FROM dim d WHERE d.id = m.k AND d.x < 4) ORDER BY m.w DESC, m.id', 'rows of a semi-join', 'gpu');
agrees('SELECT m.id, rank() OVER (PARTITION BY d.x ORDER BY m.n, m.id) FROM many m JOIN dim d ON d.id = m.k', 'windows over a join', 'gpu');
agrees('SELECT sum(x * rn), count(*) FROM (SELECT d.x, row_number() OVER (ORDER BY d.y, m.id) rn FROM many m JOIN dim d ON d.id = m.k) q', 'a sum over places in a join', 'gpu, gpu');
agrees('SELECT m.id, d.name FROM many m JOIN dim d ON d.id = m.k ORDER BY d.x, m.id', 'a join with texts', 'cpu (a GPU cannot run this program)');

agrees('SELECT id, t FROM many ORDER BY k, id', 'with texts', 'cpu (a GPU cannot run this program)');
agrees('SELECT id, k FROM many WHERE id % 1000 = 7 ORDER BY k, id', 'few', 'gpu');
agrees('SELECT id, k FROM many WHERE id < 0 ORDER BY k, id', 'none', 'gpu');
agrees('SELECT k, id FROM without ORDER BY k, id', 'of an empty table', 'gpu');

# Aggregates of them

my $checksum = 'SELECT sum(k * rn), count(*) FROM (SELECT k, row_number() OVER (ORDER BY k, id) rn FROM many) q';
agrees($checksum, 'a sum over ranks', 'gpu, gpu');
agrees(q{SELECT md5(string_agg(g::text, ',' ORDER BY v)) FROM (SELECT v, sum(w % 1000 * rn), min(f), count(b) FROM (SELECT v, w, f, b, row_number() OVER (ORDER BY f DESC, id) rn FROM many) q WHERE rn % 3 = 0 GROUP BY v OFFSET 0) g}, 'groups', 'gpu, gpu');
agrees('SELECT max(rn), sum(n) FROM (SELECT n, row_number() OVER (ORDER BY n, w, id) rn FROM many) q', 'several words', 'gpu, gpu');
agrees('SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY k, id) rn FROM many WHERE id < 0) q WHERE rn > 5', 'of no rows', 'gpu, cpu (a GPU cannot run this program)');
agrees('SELECT sum(r * r), max(r) FROM (SELECT rank() OVER (ORDER BY k) r FROM many) q', 'ranks', 'gpu, gpu');
agrees('SELECT sum(r), sum(d), sum(n) FROM (SELECT rank() OVER o r, dense_rank() OVER o d, row_number() OVER o n FROM many WINDOW o AS (PARTITION BY v, b ORDER BY f DESC, r)) q', 'ranks by partitions', 'gpu, gpu');
agrees('SELECT sum(v * c), sum(m), sum(s) FROM (SELECT v, count(*) c, max(d) m, sum(id) s FROM (SELECT v, id, dense_rank() OVER (PARTITION BY v ORDER BY d, n) d FROM many) q WHERE d <= 5 GROUP BY v) p', 'some of each partition', 'gpu, gpu');
agrees('SELECT max(n) FROM (SELECT row_number() OVER (PARTITION BY f) n FROM many) q', 'partitions that are not ordered', 'gpu, gpu');
agrees('SELECT max(r), sum(r) FROM (SELECT rank() OVER (PARTITION BY k ORDER BY k, id) r FROM many) q', 'a column that is both', 'gpu, gpu');
agrees('SELECT sum(t) FROM (SELECT ntile(7) OVER (ORDER BY k, id) t FROM many) q', 'other functions', 'gpu, cpu (a GPU cannot run this program)');
agrees('SELECT g, (SELECT sum(k * rn) FROM (SELECT k, row_number() OVER (ORDER BY k, id) rn FROM many WHERE v = g) q) FROM generate_series(-2, 2) g', 'rows that change with the row outside', 'gpu, gpu');
{
	my ($estimated) = $node->safe_psql('postgres', 'EXPLAIN SELECT k, id FROM many WHERE v % 11 + 0 >= -11 AND n % 7 + 0 >= 0 AND id % 100000 = id ORDER BY k, id') =~ /GpuScan.*rows=(\d+)/;
	cmp_ok($estimated, '<', 1000, 'an estimate that is far too small');
	agrees('SELECT k, id FROM many WHERE v % 11 + 0 >= -11 AND n % 7 + 0 >= 0 AND id % 100000 = id ORDER BY k, id', 'more rows than there was room for', 'gpu');
}
$node->safe_psql('postgres', 'UPDATE many SET k = 5 WHERE id % 1000 = 7; DELETE FROM many WHERE id % 100 = 3; INSERT INTO many (id, k) VALUES (-1, NULL), (-2, 2000000)');
agrees($checksum, 'rows that have changed', 'gpu, gpu');
{
	my ($ours) = $node->safe_psql('postgres', "BEGIN; UPDATE many SET k = 1; $checksum; ROLLBACK; SET gpudb.enabled = off; BEGIN; UPDATE many SET k = 1; $checksum");
	my ($first, $second) = split /\n/, $ours;
	is($first, $second, 'what the same transaction has changed');
}

# Errors are PostgreSQL's

for my $query ('SELECT id FROM many WHERE 10 / (id - 30000) > -20 ORDER BY k, id', 'SELECT sum(1 / (rn - 7)) FROM (SELECT row_number() OVER (ORDER BY k, id) rn FROM many) q')
{
	my ($ours, $theirs);
	$node->psql('postgres', $query, stderr => \$ours);
	$node->psql('postgres', "SET gpudb.enabled = off; $query", stderr => \$theirs);
	like($ours, qr/ERROR: +division by zero/, 'an error');
	is($ours, $theirs, 'which is PostgreSQL\'s');
}

# Cancelled at any moment, and at the same time as others

{
	my ($far, @said) = (0);
	my $rows = 'SELECT count(*) FROM (SELECT id, k, w FROM many ORDER BY w, k, id OFFSET 0) q, pg_sleep(0.01)';
	for my $round (1 .. 4)
	{
		my @query = map { start_query($node, "SET statement_timeout = " . (15 + 25 * $_) . "; " . ("$rows; $checksum; " x 20), 'cancelled') } 1 .. 10;
		end_query($_) for @query;
		push @said, grep { $_ ne '' && !/canceling statement due to (statement timeout|user request)/ } map { $_->{err} } @query;
		$far++ if !defined wait_for(5, sub { devices_of($checksum) eq 'gpu, gpu' });
	}
	is(join('', @said), '', '40 queries were cancelled, if they had not ended');
	is($far, 0, 'their slots came back');

	my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; $checksum");
	my @query = map { start_query($node, "$checksum;" x 4, 'crowd') } 1 .. 24;
	is(scalar(grep { end_query($_) ne join("\n", ($want) x 4) } @query), 0, '24 sessions at the same time');
}

# Materialized rows are freed

{
	$node->safe_psql('postgres', "$checksum;" x 10);
	my $before = memory_of_helper($node);
	$node->safe_psql('postgres', "$checksum;" x 60);
	cmp_ok(memory_of_helper($node) - $before, '<', 20000, 'after 60 more queries the GPU process has no more memory than before');
}

# The GPU process dies at any moment

{
	srand(20261126);
	my $wrong = wrong_when_killed($node, $checksum,
		rounds => 8, sessions => 2, times => 30, pause => 100_000, more => 400_000, stop_every => 3, serves => sub { devices_of($checksum) eq 'gpu, gpu' });
	is($wrong, 0, 'killed or stopped at 8 moments: every answer is right');
}
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak/, 'no crash, no leaked pins');
$node->stop;
done_testing();
