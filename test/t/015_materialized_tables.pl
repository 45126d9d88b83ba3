# Tables of joins that a GPU makes of rows that it keeps: answers stay PostgreSQL's, whatever the rows and the estimates, and
# nothing is left behind by queries that are cancelled, by sessions that are terminated or when the GPU process dies while
# it has tables.  The CPU stands in the GPU's place, so no GPU is needed.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('materialized_tables');

# How many tables of a query's are on the GPU alone, or -1 if it ran elsewhere.
sub tables_away
{
	my ($query) = @_;
	my $plan = plan_of($node, $query);
	return -1 if $plan !~ /Device: gpu$/m || $plan =~ /Left to CPU|Tablets on CPU/;
	return scalar(() = $plan =~ /GPU Join \d+ Table: .*, on the GPU alone/g);
}

# The answer is PostgreSQL's, and so many tables are on the GPU alone.
sub agrees
{
	my ($query, $tables, $name) = @_;
	my $rows = "SELECT array_agg(r ORDER BY r) FROM ($query OFFSET 0) r";
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', "$rows; SET gpudb.enabled = off; $rows");
	is($ours, $theirs, "$name: the answer");
	is(tables_away($query), $tables, "$name: tables on the GPU alone") or diag(plan_of($node, $query));
}

# Wait until so many sessions sleep in the middle of their query, with their tables made.
sub wait_for_sleepers
{
	my ($name, $n) = @_;
	$node->poll_query_until('postgres',
		"SELECT count(*) = $n FROM pg_stat_activity WHERE application_name = '$name' AND wait_event = 'PgSleep'")
	  or die 'the queries do not come to sleep';
}

# PostgreSQL compares texts otherwise than we do, whatever this test's own locale is
$node->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
shared_buffers = 64MB
max_connections = 130
max_parallel_workers_per_gather = 0
gpudb.provider = cpu
gpudb.device = gpu
gpudb.force = on
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE fact (id int NOT NULL, d1 int, d2 smallint, d3 bigint, k int, v numeric(10,2));
	INSERT INTO fact SELECT i, CASE WHEN i % 50 > 0 THEN i % 3100 END, i % 420, i % 90 - 7, i % 10, i % 1000 FROM generate_series(1, 60000) i;
	CREATE TABLE dim1 (id int, a int, flag bool, f float8, n numeric(8,2));
	INSERT INTO dim1 SELECT CASE WHEN i % 31 > 0 THEN i END, CASE WHEN i % 7 > 0 THEN i % 20 END, CASE WHEN i % 5 > 0 THEN i % 3 = 0 END, i / 8.0, i - 0.25
		FROM generate_series(0, 2999) i;
	CREATE TABLE dim2 (id int, b bigint);
	INSERT INTO dim2 SELECT i, i * 100000 FROM generate_series(0, 399) i;
	CREATE TABLE dim3 (id bigint, c int);
	INSERT INTO dim3 SELECT i % 40, i FROM generate_series(-10, 109) i;
	CREATE TABLE many (id int, k int, a bigint, b bigint);
	INSERT INTO many SELECT i, i % 7, i % 100000, i * 3 FROM generate_series(1, 150000) i;
	CREATE TABLE without (id int, b int);
	VACUUM ANALYZE fact, dim1, dim2, dim3, many, without;
});
ok(defined wait_for(30, sub { plan_of($node, 'SELECT count(*) FROM fact WHERE k = 3') =~ /Device: gpu$/m }), 'a GPU process serves');

# Stars

my $star = 'SELECT d1.a, count(*), sum(f.v), sum(d2.b), count(d1.flag), min(d1.n) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id
	JOIN dim2 d2 ON f.d2 = d2.id WHERE d2.b < 30000000 AND d1.a IS DISTINCT FROM 3 GROUP BY d1.a';
agrees($star, 2, 'a star');
agrees('SELECT count(*), sum(d1.f), sum(d1.n) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id WHERE d1.flag', 1, 'floats and decimals');
agrees('SELECT count(*), sum(f.v), count(d1.a) FROM fact f LEFT JOIN dim1 d1 ON f.d1 = d1.id AND d1.flag', 1, 'a left join');
agrees('SELECT count(*), sum(f.v) FROM fact f WHERE EXISTS (SELECT 1 FROM dim3 d WHERE d.id = f.d3)', 1, 'a semi join');
agrees('SELECT count(*), sum(f.v) FROM fact f WHERE NOT EXISTS (SELECT 1 FROM dim3 d WHERE d.id = f.d3)', 1, 'an anti join');
agrees('SELECT count(*), sum(f.v), sum(d.c) FROM fact f JOIN dim3 d ON f.d3 = d.id', 1, 'several rows a key');
agrees('SELECT count(*), sum(d.c) FROM fact f JOIN dim3 d ON f.d3 = d.id AND f.d2 = d.c', 1, 'two columns');
agrees('SELECT count(*), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id AND (f.k = 3) = d1.flag', 1, 'a bool in the key');
agrees('SELECT count(*), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.a', 1, 'NULL keys and others that are many');
agrees('SELECT count(*), sum(f.v) FROM fact f JOIN (SELECT id FROM dim1 WHERE id IS NULL) d ON f.d1 = d.id', 1, 'NULL keys alone');
agrees('SELECT count(*) FROM fact f JOIN dim1 d ON f.id = d.f', 0, 'keys that are floats');

# Texts, by their codes: those of a cached dimension, of a dimension of a dimension, and ones that conditions are asked about

$node->safe_psql('postgres', q{
	CREATE TABLE dim4 (id int, t text, c char(20), dim2 int);
	INSERT INTO dim4 SELECT i, CASE WHEN i % 9 > 0 THEN 'a text of some length ' || i % 12 END, 'padded ' || i % 5, i % 400 FROM generate_series(0, 1999) i;
	CREATE TABLE dim5 (id int, name varchar(40));
	INSERT INTO dim5 SELECT i, 'the name of number ' || i % 17 FROM generate_series(0, 399) i;
	CREATE TABLE dim6 (id int, name text);
	INSERT INTO dim6 SELECT i, 'as many names as numbers: ' || i FROM generate_series(0, 69999) i;
	VACUUM ANALYZE dim4, dim5, dim6;
	SELECT gpudb.prewarm('dim4'); SELECT gpudb.prewarm('dim5'); SELECT gpudb.prewarm('dim6', '{id}');});
agrees('SELECT d.t, d.c, count(*), sum(f.v) FROM fact f JOIN dim4 d ON f.d1 = d.id GROUP BY 1, 2', 1, 'texts that are keys of groups');
agrees(q{SELECT count(*), count(d.t), sum(CASE WHEN d.t LIKE '%1' OR upper(d.c) = 'PADDED 3' THEN f.v END) FROM fact f JOIN dim4 d ON f.d1 = d.id}, 1,
	'texts that conditions are on');
agrees('SELECT e.name, d.c, count(*), sum(f.v) FROM fact f JOIN (dim4 d JOIN dim5 e ON d.dim2 = e.id) ON f.d1 = d.id GROUP BY 1, 2', 2,
	'texts of a dimension of a dimension');
agrees('SELECT d.t, count(*) FROM fact f LEFT JOIN dim4 d ON f.d1 = d.id AND d.c <> \'padded 2\' GROUP BY 1', 1, 'texts of a left join');
agrees('SELECT max(d.t), count(*) FROM fact f JOIN dim4 d ON f.d1 = d.id', 1, 'texts that PostgreSQL compares');
agrees('SELECT d.name, count(*) FROM fact f LEFT JOIN dim6 d ON f.d1 = d.id GROUP BY 1', 0, 'more texts than codes');
$node->safe_psql('postgres', q{
	INSERT INTO dim4 SELECT i, 'a new text ' || i % 3, 'padded 9', 5 FROM generate_series(2000, 2099) i; UPDATE dim4 SET t = 'changed' WHERE id < 7;});
agrees('SELECT d.t, d.c, count(*), sum(f.v) FROM fact f JOIN dim4 d ON f.d1 = d.id GROUP BY 1, 2', 0, 'texts that have come since, on pages that are not cached');
$node->safe_psql('postgres', q{VACUUM FULL ANALYZE dim4});
$node->safe_psql('postgres', q{SELECT gpudb.prewarm('dim4')});
agrees('SELECT d.t, d.c, count(*), sum(f.v) FROM fact f JOIN dim4 d ON f.d1 = d.id GROUP BY 1, 2', 1, 'and are cached');

# Without rows, and soon

for my $none ('without', '(SELECT * FROM dim2 WHERE b < 0)', '(SELECT * FROM dim2 WHERE b % 2 = 1)')
{
	my $query = "SELECT count(*), sum(f.v) FROM fact f JOIN $none d ON f.d1 = d.id";
	my $start = time();
	is($node->safe_psql('postgres', $query), '0|', "no rows of $none");
	cmp_ok(time() - $start, '<', 2, "no rows of $none: nobody waits for the table");
}

# Estimates: of conditions on columns that go with one another, of which PostgreSQL thinks that hardly any row meets them all

{
	my $wrong = 'SELECT count(*), sum(f.v), sum(m.b) FROM fact f JOIN many m ON f.id = m.id
		WHERE m.a % 7 + 0 >= 0 AND m.b % 11 + 0 >= 0 AND m.a * 3 % 13 = m.b % 13 % 13 AND m.id % 100000 = m.a AND m.b = m.id * 3';
	my $plan = $node->safe_psql('postgres', "EXPLAIN $wrong");
	my ($rows) = $plan =~ /on many m .*rows=(\d+)/;
	my $real = $node->safe_psql('postgres',
		'SELECT count(*) FROM many m WHERE m.a % 7 + 0 >= 0 AND m.b % 11 + 0 >= 0 AND m.a * 3 % 13 = m.b % 13 % 13 AND m.id % 100000 = m.a AND m.b = m.id * 3');
	cmp_ok($real, '>', 1000 * $rows, 'an estimate that is a thousand times too small');
	cmp_ok($real, '>', 65536, 'and rows for which there is no room at first');
	agrees($wrong, 1, 'an estimate that is far too small');
}

# Parameters

{
	my $prepared = $node->safe_psql('postgres', q{
		SET plan_cache_mode = force_generic_plan;
		PREPARE p (int, bigint) AS SELECT count(*), sum(f.v), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id JOIN dim2 d2 ON f.d2 = d2.id
			WHERE d1.a < $1 AND d2.b > $2;
		EXECUTE p (5, 0); EXECUTE p (19, 20000000); EXECUTE p (-1, 0); EXECUTE p (5, 0); EXECUTE p (NULL, 0);
		EXPLAIN (ANALYZE, COSTS OFF) EXECUTE p (7, 5);});
	my $theirs = $node->safe_psql('postgres', q{SET gpudb.enabled = off;} . join ';', map {
		my ($a, $b) = @$_;
		"SELECT count(*), sum(f.v), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id JOIN dim2 d2 ON f.d2 = d2.id WHERE d1.a < $a AND d2.b > $b"
	} ([ 5, 0 ], [ 19, 20000000 ], [ -1, 0 ], [ 5, 0 ], [ 'NULL', 0 ]));
	is(join("\n", (split /\n/, $prepared)[0 .. 4]), $theirs, 'a prepared statement whose parameters change its tables');
	is(scalar(() = $prepared =~ /on the GPU alone/g), 2, 'its tables are on the GPU alone');
	agrees('SELECT o, (SELECT sum(d.a) + count(*) FROM fact f JOIN dim1 d ON f.d1 = d.id WHERE d.a < o) FROM generate_series(0, 8) o', 1,
		'a table that changes with the row outside');
	agrees('SELECT o, (SELECT sum(d.a) + count(*) FROM fact f JOIN dim1 d ON f.d1 = d.id WHERE f.k = o) FROM generate_series(0, 8) o', 1,
		'a program that changes with the row outside');
}

# Sessions that have tables and sleep, and what may happen to them meanwhile: tables are made for the first row outside

my $sleeping = 'SELECT sum((SELECT sum(d1.a) + sum(d2.b) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id JOIN dim2 d2 ON f.d2 = d2.id WHERE d1.id < 2900 AND f.k < o))
	FROM (SELECT o, CASE WHEN o > 1 THEN pg_sleep(%s) END AS s FROM generate_series(1, 2) o OFFSET 0) q WHERE s IS NULL OR s::text = %s';
sub sleeping { return sprintf($sleeping, $_[0], q{''}); }
my $answer = $node->safe_psql('postgres', 'SET gpudb.enabled = off;' . sleeping(0));
is($node->safe_psql('postgres', sleeping(0)), $answer, 'a query that sleeps: the answer');
is(tables_away(sleeping(0)), 2, 'a query that sleeps: its tables are on the GPU alone');

{
	# more of them in turn than there are slots
	my ($bad, $far) = (0, 0);
	for my $round (1 .. 6)
	{
		my @query = map { start_query($node, 'SET statement_timeout = 1000; ' . sleeping(30), 'cancelled') } 1 .. 12;
		end_query($_) for @query;
		$bad += grep { $_->{err} !~ /canceling statement due to statement timeout/ } @query;
		$far++ if !defined wait_for(5, sub { tables_away($star) == 2 });
	}
	is($bad, 0, '72 queries that had tables were cancelled');
	is($far, 0, 'their slots came back');

	my $terminated = 0;
	for my $round (1 .. 6)
	{
		my @query = map { start_query($node, sleeping(60), 'terminated') } 1 .. 12;
		wait_for_sleepers('terminated', 12);
		$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'terminated'");
		end_query($_) for @query;
		$terminated += grep { $_->{err} =~ /terminating connection due to administrator command/ } @query;
		$far++ if !defined wait_for(5, sub { tables_away($star) == 2 });
	}
	is($terminated, 72, '72 sessions that had tables were terminated');
	is($far, 0, 'their slots came back');
	ok(defined wait_for(5, sub { tables_away($star) == 2 }), 'the GPU process serves as before');
}

# In one session: errors, cursors that are left open, subtransactions
{
	my ($out, $err);
	my $fails = 'SELECT 1 / (0 * coalesce((' . sleeping(0) . ')::int8, 1))';
	my $cursor = 'DECLARE c%d CURSOR FOR SELECT d1.a, count(*) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id GROUP BY d1.a; FETCH 1 FROM c%d;';
	$node->psql('postgres', join('', map { "$fails;\n" } 1 .. 70), stdout => \$out, stderr => \$err, on_error_stop => 0);
	is(scalar(() = $err =~ /division by zero/g), 70, '70 queries that had tables failed');
	is(tables_away($star), 2, 'their slots came back');

	my $script = "BEGIN;\n";
	$script .= "SAVEPOINT s; " . sprintf($cursor, $_, $_) . " ROLLBACK TO s;\n" for 1 .. 70;
	$script .= "COMMIT;\nEXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $star;";
	like($node->safe_psql('postgres', $script), qr/on the GPU alone/, '70 subtransactions with cursors: their slots came back');

	# a session whose cursors have all slots leaves others the CPU device
	$script = "BEGIN;\n" . join('', map { sprintf($cursor, $_, $_) . "\n" } 1 .. 70) . "SELECT count(*), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id; COMMIT;";
	my @ours = split /\n/, $node->safe_psql('postgres', $script);
	my @theirs = split /\n/, $node->safe_psql('postgres', 'SET gpudb.enabled = off; SELECT count(*), sum(d1.a) FROM fact f JOIN dim1 d1 ON f.d1 = d1.id');
	is(scalar(@ours), 71, '70 cursors at once, each with a table');
	is($ours[-1], $theirs[0], 'and a query besides');
	is(tables_away($star), 2, 'their slots came back');
}

# The GPU process dies while it has the tables of a query

{
	my $from = -s $node->logfile;
	my $pid = helper($node);
	my @query = map { start_query($node, sleeping(2), 'bereft') } 1 .. 3;
	wait_for_sleepers('bereft', 3);
	kill 'KILL', $pid;
	is(end_query($_), $answer, 'killed between table and probe: the answer') for @query;
	ok(defined wait_for(30, sub { my $new = helper($node); $new && $new != $pid && tables_away($star) == 2 }), 'another one serves');

	# another one may be there before the query goes on, with other tables
	$pid = helper($node);
	@query = map { start_query($node, sleeping(6), 'bereft') } 1 .. 3;
	wait_for_sleepers('bereft', 3);
	kill 'KILL', $pid;
	ok(defined wait_for(5, sub { my $new = helper($node); $new && $new != $pid && tables_away($star) == 2 }), 'another one serves at once');
	is(end_query($_), $answer, 'killed, and another one there: the answer') for @query;

	# stopped, so that it has tables and does not answer
	$pid = helper($node);
	@query = map { start_query($node, sleeping(2), 'bereft') } 1 .. 3;
	wait_for_sleepers('bereft', 3);
	kill 'STOP', $pid;
	is(end_query($_), $answer, 'stopped between table and probe: the answer') for @query;
	ok(defined wait_for(30, sub { my $new = helper($node); $new && $new != $pid && tables_away($star) == 2 }), 'another one serves');
}

# Killed at any moment, that of the tables being made, too
{
	srand(20261123);
	my $wrong = wrong_when_killed($node, "SELECT array_agg(r ORDER BY r) FROM ($star OFFSET 0) r",
		rounds => 10, sessions => 2, times => 20, pause => 0, more => 250_000, serves => sub { tables_away($star) == 2 });
	is($wrong, 0, 'killed at 10 moments: every answer is right');
}
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak/, 'no crash, no leaked pins');
$node->stop;
done_testing();
