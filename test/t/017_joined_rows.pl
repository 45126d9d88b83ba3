# Rows of joins that a GPU keeps and the host fetches: answers and errors stay PostgreSQL's, whatever the types, the number of
# rows and the estimates, and nothing is left behind by queries that are cancelled or when the GPU process dies.  Without a
# GPU the CPU stands in its place.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('joined_rows');

# Where the rows of a query's GpuJoin were joined: gpu, or cpu with the reason; empty if there is none.
sub device_of
{
	my ($plan) = plan_of($node, @_);
	my ($device) = $plan =~ /\(GpuJoin\).*\n\s*Device: (.*)/;
	return $plan =~ /Left to CPU|Tablets on CPU|Fallback/ ? "other: $plan" : $device // '';
}

# The answer is PostgreSQL's, to the last digit, and the rows are from this device.
sub agrees
{
	my ($query, $name, $device, $settings) = @_;
	my $rows = "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r::text)) FROM ($query OFFSET 0) r";
	my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', ($settings // '') . "$rows; SET gpudb.enabled = off; $rows");
	is($ours, $theirs, "$name: the answer");
	is(device_of($query, $settings), $device // 'gpu', "$name: the device") or diag(plan_of($node, $query, $settings));
}

# The error is PostgreSQL's.
sub fails_alike
{
	my ($query, $name) = @_;
	my ($ours, $theirs);
	$node->psql('postgres', $query, stderr => \$ours);
	$node->psql('postgres', "SET gpudb.enabled = off; $query", stderr => \$theirs);
	like($ours, qr/ERROR/, "$name: an error");
	is($ours, $theirs, "$name: PostgreSQL's");
}

$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
shared_buffers = 64MB
max_connections = 100
max_parallel_workers_per_gather = 0
gpudb.device = gpu
gpudb.force = on
} . 'gpudb.provider = ' . ($with_gpu ? 'auto' : 'cpu'));
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE DOMAIN small AS int CHECK (value < 1000);
	CREATE TABLE fact (id int NOT NULL, d1 int, d3 bigint, k smallint, v numeric(10,2), u numeric, f4 float4, f8 float8, b bool, dt date, ti time, ts timestamp,
		tz timestamptz, o oid, ch "char", c1 char(1), vc varchar(1), m mood, sm small, t text, bp char(12), x uuid);
	INSERT INTO fact SELECT i, CASE WHEN i % 50 > 0 THEN i % 3100 END, i % 90 - 7, i % 10, i % 1000 / 4.0,
		CASE i % 5 WHEN 0 THEN i WHEN 1 THEN i / 8.0::numeric(8,3) WHEN 2 THEN round(-i / 16.0, 3) WHEN 3 THEN i::numeric(12,2) END,
		CASE WHEN i % 11 > 0 THEN i / 3.0 END, CASE i % 13 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 'Infinity' ELSE i / 7.0 END, CASE WHEN i % 5 > 0 THEN i % 3 = 0 END,
		date '1990-01-01' + i % 20000, time '00:00' + i * interval '1.000007 s', timestamp '1970-01-01' + i * interval '1 h', timestamptz '2200-01-01' - i * interval '61 s',
		(4294967295 - i)::oid, chr(1 + i % 127)::"char", CASE WHEN i % 9 > 0 THEN chr(65 + i % 26) END, chr(97 + i % 26), (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood, i % 900,
		CASE WHEN i % 7 > 0 THEN 'text number ' || i % 40 END, 'padded ' || i % 5, md5(i::text)::uuid FROM generate_series(1, 60000) i;
	CREATE TABLE dim1 (id int, a int, flag bool, f float8, n numeric(8,2), w numeric, t text, c char(20), far text, id2 uuid, iv interval, na name);
	INSERT INTO dim1 SELECT CASE WHEN i % 31 > 0 THEN i END, CASE WHEN i % 7 > 0 THEN i % 20 END, CASE WHEN i % 5 > 0 THEN i % 3 = 0 END, i / 8.0, i - 0.25, i / 2.0::numeric(6,1),
		CASE WHEN i % 9 > 0 THEN 'a text of some length ' || i % 12 END, 'padded ' || i % 5, CASE WHEN i % 17 > 0 THEN 'only one has this: ' || i END,
		md5(i::text)::uuid, i * interval '1 month 30 days', 'name ' || i FROM generate_series(0, 2999) i;
	CREATE TABLE dim3 (id bigint, c int);
	INSERT INTO dim3 SELECT i % 40, CASE WHEN i % 6 > 0 THEN i END FROM generate_series(-10, 109) i;
	CREATE TABLE many (id int, k int, a bigint, b bigint);
	INSERT INTO many SELECT i, i % 7, i % 100000, i * 3 FROM generate_series(1, 150000) i;
	CREATE TABLE wide (id int, n numeric);
	INSERT INTO wide SELECT i, 12345678901234567890.5 * i FROM generate_series(1, 3000) i;
	CREATE TABLE without (id int, b int);
	VACUUM ANALYZE fact, dim1, dim3, many, wide, without;
	SELECT gpudb.prewarm('fact'); SELECT gpudb.prewarm('dim1');
});
my $ints = 'SELECT f.id, f.k, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id';
ok(defined wait_for(30, sub { device_of($ints) eq 'gpu' }), 'a GPU process serves');

# Kinds of joins

agrees($ints, 'an inner join');
agrees('SELECT f.id, d.* FROM fact f LEFT JOIN (SELECT id, a, flag, f AS x, n, w, t FROM dim1) d ON f.d1 = d.id AND d.flag', 'a left join');
agrees('SELECT f.id, f.v FROM fact f WHERE EXISTS (SELECT 1 FROM dim3 d WHERE d.id = f.d3)', 'a semi join');
agrees('SELECT f.id, f.v FROM fact f WHERE EXISTS (SELECT 1 FROM dim3 d WHERE d.id = f.d3 AND d.c > f.k * 10)', 'a semi join with a condition');
agrees('SELECT f.id, f.v FROM fact f WHERE NOT EXISTS (SELECT 1 FROM dim3 d WHERE d.id = f.d3)', 'an anti join');
agrees('SELECT f.id, d.c, f.k FROM fact f JOIN dim3 d ON f.d3 = d.id', 'several rows a key');
agrees('SELECT f.id, d.c, f.k FROM fact f LEFT JOIN dim3 d ON f.d3 = d.id AND d.c > f.k * 8', 'several rows a key, or none');
agrees('SELECT f.id, d.c FROM fact f JOIN dim3 d ON f.k BETWEEN d.id AND d.c', 'bounds');
agrees('SELECT f.id, d.a, e.c, e.id AS e FROM fact f JOIN dim1 d ON f.d1 = d.id LEFT JOIN dim3 e ON e.id = d.a WHERE f.k < 4', 'two joins');
agrees('SELECT f.id, q.c FROM fact f JOIN (SELECT d.id, e.c FROM dim1 d JOIN dim3 e ON e.id = d.a) q ON f.d1 = q.id WHERE f.k < 4', 'a join of what a join gives');

# What rows have

agrees('SELECT f.id, f.d1, f.d3, f.k, f.v, f.u, f.f4, f.f8, f.b, f.dt, f.ti, f.ts, f.tz, f.o, f.ch, f.c1, f.vc, f.m, f.sm, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id', 'types');
agrees('SELECT d.id, d.a, d.flag, d.f, d.n, d.w, f.k FROM fact f JOIN dim1 d ON f.d1 = d.id', "types of a table's columns");
agrees('SELECT f.id, f.t, f.bp, d.t AS dt, d.c FROM fact f LEFT JOIN dim1 d ON f.d1 = d.id', 'texts by their codes');
agrees('SELECT w.id, w.n, d.a FROM wide w JOIN dim1 d ON w.id = d.id', 'numerics beyond 64 bits', 'cpu (value out of range)');
agrees('SELECT f.id, d.far, d.id2, d.iv, d.na, d.n FROM fact f JOIN dim1 d ON f.d1 = d.id', "a table's values of other forms");
agrees('SELECT f.id, d.far, e.c, q.id2 FROM fact f LEFT JOIN dim1 d ON f.d1 = d.id AND d.flag LEFT JOIN dim3 e ON e.id = f.d3 AND e.c > 20 LEFT JOIN dim1 q ON q.id = e.c WHERE f.k < 3',
	'those of several tables, or of none');
agrees('SELECT f.x, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id', 'a uuid of what is read', 'cpu (a GPU does not return values of type uuid from joins)');
agrees('SELECT f.k, d.c FROM without w JOIN fact f ON f.id = w.id JOIN dim3 d ON d.id = f.d3', 'of no rows');
agrees("SELECT f.id, d.c FROM fact f JOIN dim3 d ON f.d3 = d.id WHERE $_", "no rows where $_") for 'f.k > 77', 'f.k % 4 = 9', 'd.c % 2 = 7';

# How many there are

my $one = 'SELECT m.id, m.k, m.a, m.b, d.c FROM many m JOIN dim3 d ON m.k = d.id';
my $narrow = 'm.a % 7 + 0 >= 0 AND m.b % 11 + 0 >= 0 AND m.id % 100000 = m.a AND m.b = m.id * 3';
{
	my ($rows) = $node->safe_psql('postgres', "EXPLAIN $one WHERE $narrow") =~ /rows=(\d+)/;
	my $real = $node->safe_psql('postgres', "SELECT count(*) FROM ($one WHERE $narrow OFFSET 0) q");
	cmp_ok($real, '>', 1000 * $rows, 'an estimate that is a thousand times too small');
	cmp_ok($real, '>', 300000, 'and rows for which there is no room at first');
}
agrees("$one WHERE $narrow", 'an estimate that is far too small');
agrees($one, 'many rows');
agrees($one, 'too many rows', 'cpu (memory limit reached)', 'SET gpudb.join_memory = 3;');
agrees("$one WHERE m.id <= $_", "$_ rows") for 1, 9, 10, 11, 21, 64, 700, 1050, 33333;

# Pairs that one lane after the other is tested on, more than a GPU is given for a block's lanes (at least 256): the CPU device goes on,
# or begins again where rows are materialized

{
	my $loop = 'FROM (SELECT id FROM dim1 WHERE id < 256) d LEFT JOIN many m ON (d.id + m.id) % 1000 = 7';
	for my $query ("SELECT count(*), sum(m.id), count(m.id) $loop", "SELECT d.id, m.id AS m $loop")
	{
		my $rows = "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r::text)) FROM ($query OFFSET 0) r";
		my ($ours, $theirs) = split /\n/, $node->safe_psql('postgres', "$rows; SET gpudb.enabled = off; $rows");
		my $plan = plan_of($node, $query);
		is($ours, $theirs, "a long loop: the answer");
		ok($plan !~ /Fallback/ && ($with_gpu xor $plan !~ /Left to CPU: gpu_limit \(a loop over pairs of rows is too long for the GPU\)/), 'which is the CPU device\'s')
		  or diag($plan);
	}
}

# Parts of results: cursors, limits, rows outside that change the program or the table

{
	my $cursor = "BEGIN; DECLARE c SCROLL CURSOR FOR $one; SELECT 1; FETCH 3 FROM c; MOVE FORWARD 1000 IN c; FETCH BACKWARD 2 FROM c; FETCH FIRST FROM c; FETCH LAST FROM c; COMMIT;";
	my @rows = split /\n/, $node->safe_psql('postgres', $cursor);
	is(scalar(@rows), 8, 'a cursor');
	is($rows[6], $rows[1], 'it goes back to the first row');
	is($node->safe_psql('postgres', "SELECT count(*) FROM ($one LIMIT 10) q"), 10, 'a limit');
}
agrees('SELECT g, q.* FROM generate_series(0, 5) g, LATERAL (SELECT f.id, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id WHERE f.k = g AND f.id < 3000 OFFSET 0) q', 'a program that changes with the row outside');
agrees('SELECT g, q.* FROM generate_series(0, 5) g, LATERAL (SELECT f.id, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id WHERE d.a < g AND f.id < 3000 OFFSET 0) q', 'a table that changes with the row outside');
$node->safe_psql('postgres', 'INSERT INTO fact (id, d1, t) SELECT i, i % 3000, $$a new text $$ || i % 3 FROM generate_series(60001, 61000) i; UPDATE fact SET k = 5 WHERE id % 1000 = 7; DELETE FROM fact WHERE id % 100 = 3');
agrees($ints, 'rows that have changed');

# Errors

fails_alike('SELECT f.id, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id WHERE 10 / (f.id - 30000) > -20', 'a filter');
fails_alike('SELECT f.id, d.a FROM fact f JOIN dim1 d ON f.d1 = d.id AND f.id / (d.a - 7) > -20', 'a condition of a join');
fails_alike('SELECT f.id, 1 / (d.a - 7) FROM fact f JOIN dim1 d ON f.d1 = d.id', 'what is made of rows');

# Cancelled at any moment, in as many sessions as there are slots and more

{
	my ($far, @said) = (0);
	my $long = "SELECT count(*) FROM ($one OFFSET 0) q, pg_sleep(0.01)";
	for my $round (1 .. 6)
	{
		my @query = map { start_query($node, "SET statement_timeout = " . (20 + 30 * $_) . "; " . ("$long; " x 20), 'cancelled') } 1 .. 12;
		end_query($_) for @query;
		# the next statement of the message says that it was a user if time is over when nothing but the end is left of the one before
		push @said, grep { $_ ne '' && !/canceling statement due to (statement timeout|user request)/ } map { $_->{err} } @query;
		$far++ if !defined wait_for(5, sub { device_of($ints) eq 'gpu' });
	}
	is(join('', @said), '', '72 queries were cancelled, if they had not ended');
	is($far, 0, 'their slots came back');

	my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; SELECT count(*), sum(id), sum(c) FROM ($one OFFSET 0) q");
	my @query = map { start_query($node, "SELECT count(*), sum(id), sum(c) FROM ($one OFFSET 0) q;" x 3, 'crowd') } 1 .. 24;
	is(scalar(grep { end_query($_) ne join("\n", ($want) x 3) } @query), 0, '24 sessions whose rows come at the same time');
}

# Materialized rows are freed

{
	$node->safe_psql('postgres', "SELECT count(*) FROM ($one OFFSET 0) q;" x 5);
	my $before = memory_of_helper($node);
	$node->safe_psql('postgres', "SELECT count(*) FROM ($one OFFSET 0) q;" x 40);
	# each has materialized 15 MB
	cmp_ok(memory_of_helper($node) - $before, '<', 60000, 'after 40 more queries the GPU process has no more memory than before');
}

# The GPU process dies at any moment

{
	srand(20261124);
	my $wrong = wrong_when_killed($node, "SELECT count(*), sum(id), sum(c) FROM ($one OFFSET 0) q",
		rounds => 10, sessions => 2, times => 8, pause => 200_000, more => 600_000, stop_every => 3, serves => sub { device_of($ints) eq 'gpu' });
	is($wrong, 0, 'killed or stopped at 10 moments: every answer is right');
}
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal (?!9\b)|leak/, 'no crash, no leaked pins');
$node->stop;
done_testing();
