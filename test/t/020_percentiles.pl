# Percentiles that a GPU seeks among values that it gathers: answers stay PostgreSQL's, however rows are stored and whoever changes
# them, and nothing is left behind by queries that are cancelled or when the GPU process dies.  Without a GPU the CPU stands in its
# place, which cannot seek, and leaves it to rounds.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('percentiles');

# How often the program ran, and where.
sub runs_of
{
	my $plan = plan_of($node, @_);
	return join ' ', ($plan =~ /Device: (\S+)/)[0] // 'none', ($plan =~ /Rounds: (\d+)/)[0] // 0;
}

sub agrees
{
	my ($query, $name, $settings) = @_;
	my $ours = $node->safe_psql('postgres', ($settings // '') . $query);
	my $theirs = $node->safe_psql('postgres', ($settings // '') . "SET gpudb.enabled = off; $query");
	is($ours, $theirs, $name);
}

$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', q{
shared_buffers = 64MB
max_connections = 130
max_parallel_workers_per_gather = 0
gpudb.device = gpu
gpudb.force = on
gpudb.debug_seek = 20000
gpudb.debug_sample = 2
} . ($with_gpu ? '' : "gpudb.provider = cpu\n") . "shared_preload_libraries = 'gpudb'\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE many (id int NOT NULL, k int, s smallint, w bigint, f float8, r float4, same int, late int, filler text);
	INSERT INTO many SELECT i, CASE WHEN i % 50 > 0 THEN i::bigint * 7919 % 100003 END, i % 300 - 150, CASE i % 100 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808 ELSE i * 12345678901 % 1000007 END,
		CASE i % 20 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 4 THEN NULL ELSE (i::bigint * 104729 % 99991 - 50000) / 7.0 END,
		(i % 1000 - 400) / 3.0, 5, CASE WHEN i > 199000 THEN i END, repeat('f', 40) FROM generate_series(1, 200000) i;
	VACUUM ANALYZE many;
	SELECT sum(k + s + w / 2 + f + r + same + late) FROM many;
});
ok(defined wait_for(30, sub { plan_of($node, 'SELECT count(*) FROM many WHERE k = 3') =~ /Device: gpu$/m }), 'a GPU process serves');

my @columns = qw(id k s w f r same late);
sub all_agree
{
	my ($name, $settings) = @_;
	for my $column (@columns)
	{
		agrees("SELECT count($column), percentile_disc($_) WITHIN GROUP (ORDER BY $column) FROM many", "$name: $_ of $column", $settings) for (0, 0.5, 0.93);
		agrees("SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY $column DESC) FROM many", "$name: of $column, downward", $settings);
		agrees("SELECT percentile_cont(0.37) WITHIN GROUP (ORDER BY $column) FROM many", "$name: between two of $column", $settings);
	}
}

# Cached, with and without a sample; read from pages; some rows gone, some new

all_agree('cached');
all_agree('all gathered', 'SET gpudb.debug_seek = 2000000;');
all_agree('from pages', 'SET gpudb.cache = off;');
is(runs_of("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY $_) FROM many"), 'gpu 1', "$_ is sought in one run") for $with_gpu ? qw(id k w f r) : ();
$node->safe_psql('postgres', 'DELETE FROM many WHERE id % 3 = 0; UPDATE many SET k = k + 1, f = f / 2 WHERE id % 7 = 1; INSERT INTO many SELECT * FROM many WHERE id % 11 = 0');
all_agree('changed');
$node->safe_psql('postgres', 'VACUUM many; SELECT sum(k + s + w / 2 + f + r + same + late) FROM many');
all_agree('vacuumed');
agrees('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k), percentile_disc(0.9) WITHIN GROUP (ORDER BY k) FROM many', 'two at once');
agrees('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k) FROM many WHERE s > 10', 'of some rows');
agrees('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k) FILTER (WHERE s > 10) FROM many', 'with a filter');
agrees('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k + s) FROM many', 'of an expression');
agrees('SELECT gpudb.median(k), count(*) FROM many', 'a median');

my $median = 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k), count(*) FROM many';
my $serves = sub { plan_of($node, $median) =~ /Device: gpu$/m };

# Cancelled at any moment, and at the same time as others

{
	my @said;
	for my $round (1 .. 3)
	{
		my @query = map { start_query($node, "SET statement_timeout = " . (5 + 15 * $_) . "; " . ("$median; SELECT pg_sleep(0.002); " x 30), 'cancelled') } 1 .. 10;
		end_query($_) for @query;
		push @said, grep { $_ ne '' && !/canceling statement due to (statement timeout|user request)/ } map { $_->{err} } @query;
	}
	is(join('', @said), '', '30 queries were cancelled, if they had not ended');
	my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; $median");
	my @query = map { start_query($node, "$median;" x 4, 'crowd') } 1 .. 24;
	is(scalar(grep { end_query($_) ne join("\n", ($want) x 4) } @query), 0, '24 sessions at the same time');
}

# What values are gathered in is given back; the GPU process dies at any moment

{
	$node->safe_psql('postgres', "$median;" x 20);
	my $before = memory_of_helper($node);
	$node->safe_psql('postgres', "$median;" x 200);
	cmp_ok(memory_of_helper($node) - $before, '<', 20000, 'after 200 more queries the GPU process has no more memory than before');
	srand(20261127);
	my $wrong = wrong_when_killed($node, $median,
		rounds => 6, sessions => 2, times => 40, pause => 50_000, more => 300_000, stop_every => 3, serves => $serves);
	is($wrong, 0, 'killed or stopped at 6 moments: every answer is right');
}
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak/, 'no crash, no leaked pins');
$node->stop;
done_testing();
