# A pool that has no room for all that is read: what queries want most, for the bytes that it takes, stays.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('eviction');
$node->init;
$node->append_conf('postgresql.conf', "gpudb.device = cpu\ngpudb.force = on\ngpudb.auto_prewarm = off\ngpudb.pool_size = 16MB\nfsync = off\nautovacuum = off\nmax_parallel_workers_per_gather = 0\nshared_buffers = 256MB\n");
$node->start;

sub run_sql { return $node->safe_psql('postgres', $_[0]); }
sub tablets { return run_sql("SELECT (pg_relation_size('$_[0]') / 8192 + 1019) / 1020"); }

# How many tablets a query finds; its answer is PostgreSQL's.
sub found
{
	my ($query) = @_;
	my ($n) = run_sql("SET gpudb.debug_require = require; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query") =~ /Tablets Cached: (\d+)/;
	is(run_sql("SET gpudb.debug_require = require; $query"), run_sql("SET gpudb.enabled = off; $query"), "the answer of $query");
	return $n // 0;
}
sub run_times { my ($n, $query) = @_; run_sql($query) for 1 .. $n; return; }

# Numbers that no frame makes narrow: 8 bytes each, so that a column of `large` takes 6 MB, and all of them three times the pool
my $number = sub { "hashint8(i::bigint * 8 + $_[0])::bigint * 2147483647 + hashint4(i)" };
run_sql("CREATE EXTENSION gpudb;
	CREATE TABLE hot AS SELECT i AS id, @{[$number->(0)]} AS n, repeat('-', 60) AS filler FROM generate_series(1, 300000) i;
	CREATE TABLE large AS SELECT " . join(', ', map { $number->($_) . " AS n$_" } 1 .. 8) . ", repeat('-', 60) AS filler FROM generate_series(1, 800000) i;
	CREATE TABLE small AS SELECT i AS id, i % 7 AS k, repeat('-', 100) AS filler FROM generate_series(1, 20000) i");
run_sql('VACUUM ANALYZE hot, large, small');
my $hot = 'SELECT count(*), sum(n % 1000) FROM hot WHERE id > 5';
my $all = 'SELECT ' . join(', ', map { "sum(n$_ % 1000)" } 1 .. 8) . ' FROM large';

# What is used again and again stays, whatever is read once
run_times(8, $hot);
is(found($hot), tablets('hot'), 'a table that is used is cached');
run_sql($all);
cmp_ok(found($all), '<', tablets('large'), 'a table larger than the pool is so in part at most');
is(found($hot), tablets('hot'), 'what is used has stayed');

# A table larger than the pool: a part stays, and each query finds it again
run_sql("SELECT gpudb.evict('hot'), gpudb.evict('large')");
run_times(3, $all);
my $part = found($all);
cmp_ok($part, '>', 0, 'of a table larger than the pool a part is found');
cmp_ok(found($all), '>=', $part, 'and again');

# Columns of that table that queries want more often take the room of others, though each query has pinned all of it
my $two = 'SELECT sum(n1 % 1000), sum(n2 % 1000) FROM large';
run_sql("SELECT gpudb.evict('large')");
run_times(2, 'SELECT ' . join(', ', map { "sum(n$_ % 1000)" } 3 .. 8) . ' FROM large');
run_times(12, $two);
cmp_ok(found($two), '>', tablets('large') * 3 / 4, 'columns that are wanted more often take the room of others of their table');

# Something small has room beside it
my $small = 'SELECT k, count(*), sum(id) FROM small WHERE id > 5 GROUP BY k ORDER BY k';
run_times(2, $small);
is(found($small), tablets('small'), 'a small table has room where a large one is used');
is(run_sql("SELECT sum(differences) FROM gpudb.check('large')"), '0', 'what is cached is what the heap has');
is(run_sql("SELECT sum(differences) FROM gpudb.check('hot')") || '0', '0', 'of each table');

# Sessions that remember shelves see what is gone from them
my $session = $node->background_psql('postgres');
my $answer = run_sql("SET gpudb.enabled = off; $hot");
run_sql("SELECT gpudb.evict('large')");
is($session->query_safe($hot), $answer, 'a session remembers a table');
is($session->query_safe($hot), $answer, 'and uses it');
for my $round (1 .. 3)
{
	run_times(15, 'SELECT sum(n3 % 1000), sum(n4 % 1000), sum(n5 % 1000) FROM large');
	is($session->query_safe($hot), $answer, 'when others have taken its room the answer is still right');
}
$session->quit;

# Many at once
$node->pgbench('--no-vacuum --client=4 --jobs=2 --transactions=12', 0, [qr{actually processed: 48/48}], [qr{^$}], 'sessions that take each other\'s room',
	{'030_many' => qq{
\\set n random(1, 8)
SELECT 1 / (count(*) = 299995)::int FROM hot WHERE id > 5 AND n IS NOT NULL;
SELECT 1 / (count(n:n) = 800000)::int FROM large WHERE n:n <> 0 OR n:n = 0;
SELECT 1 / (count(*) = 7)::int FROM (SELECT k FROM small GROUP BY k) s;
}});
is(run_sql("SELECT sum(differences) FROM gpudb.check('large')") || '0', '0', 'what is cached then is what the heap has');
cmp_ok(run_sql('SELECT sum(bytes) FROM gpudb.cache'), '<=', 16 * 1024 * 1024, 'within the pool');
$node->stop;
done_testing();
