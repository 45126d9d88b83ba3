# Groups of cached columns that a GPU keeps: what the first launch leaves tells whether blocks have room for all groups, and
# later ones are divided by that.  Few groups, more, and so many more behind the first launch that what was begun begins
# anew: answers stay PostgreSQL's.  Sums of floats are of values that no rounding changes, and of NaN, infinities and -0.
# Without a GPU the CPU stands in its place.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('block_groups');

$node->init;
# little memory, so that a batch has several launches
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
shared_buffers = 256MB
work_mem = 256MB
max_parallel_workers_per_gather = 0
gpudb.device = gpu
gpudb.gpu_memory = 256MB
gpudb.pool_size = 512MB
gpudb.force = on
} . 'gpudb.provider = ' . ($with_gpu ? 'auto' : 'cpu'));
$node->start;
# late: many groups, but few of them among the first rows; f: quarters, so that sums are exact
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE t (id int NOT NULL, few int, fair int, many int, most int, late int, skewed int, n numeric(12,2), u numeric, f float8, s float8);
	INSERT INTO t SELECT i, i % 40, nullif(i % 1000, 999), i * 7919::int8 % 6007, i * 7919::int8 % 60013, CASE WHEN i <= 200000 THEN i % 500 ELSE i % 99991 END,
			CASE WHEN i % 100 > 0 THEN 7 ELSE i % 3001 END, i % 1000 / 4.0, i % 777 * 1e20, CASE WHEN i % 11 > 0 THEN i % 10007 / 4.0 END,
			CASE i % 1000 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN (CASE WHEN i % 2000 < 1000 THEN '-Infinity' ELSE 'Infinity' END)::float8 WHEN 4 THEN '-0' ELSE (i % 13)::float8 END
		FROM generate_series(1, 600000) i;
	VACUUM (ANALYZE, FREEZE) t;
	SELECT sum(id + few + fair + many + most + late + skewed + n + u + f + s) FROM t;
});
ok(defined wait_for(30, sub { plan_of($node, 'SELECT count(*) FROM t WHERE few = 3') =~ /Device: gpu$/m }), 'a GPU process serves');

sub agrees
{
	my ($query, $name) = @_;
	my $rows = "SELECT count(*), md5(string_agg(q::text, ',' ORDER BY q::text)) FROM ($query OFFSET 0) q";
	# what the first run caches the others go over; the last one knows nothing of them but that
	my ($first, $second, $theirs) = split /\n/, $node->safe_psql('postgres', "$rows; $rows; SET gpudb.enabled = off; $rows");
	is($first, $theirs, "$name: the answer");
	is($second, $theirs, "$name: and again");
	my $plan = plan_of($node, $query);
	ok($plan =~ /Device: gpu$/m && $plan !~ /Fallback|Left to CPU/, "$name: on the GPU") or diag($plan);
}

for my $key (qw(few fair many most late skewed))
{
	agrees("SELECT $key, count(*), sum(f), avg(f), max(f), min(f) FROM t GROUP BY $key", "sums of floats by $key");
	agrees("SELECT $key, count(*), sum(n), min(n), max(id), sum(id) FROM t GROUP BY $key", "sums of integers and decimals by $key");
}
agrees('SELECT fair, sum(s), avg(s), count(s) FROM t GROUP BY fair', 'NaN, infinities and -0');
agrees('SELECT fair, min(u), max(u), sum(f) FROM t GROUP BY fair', 'extremes of 128 bits');
agrees('SELECT fair, few, sum(f) FROM t GROUP BY fair, few', 'two keys');
agrees('SELECT fair, sum(f), max(f) FROM t WHERE id % 100 = 3 GROUP BY fair', 'of few rows');
agrees('SELECT late, sum(f), count(*) FROM t WHERE id % 3 > 0 GROUP BY late', 'of a part of the rows');
agrees('SELECT most, sum(f), count(*) FROM t WHERE id % 1000 = 1 OR id > 500000 GROUP BY most', 'few rows that are many in the end');

$node->stop;
done_testing();
