# Cached tablets and the GPU process: it finds columns in the memory that all share, keeps copies of them, and answers as
# PostgreSQL does, whatever has changed since.  Without a GPU the CPU stands in its place, as far as it can.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $with_gpu = with_gpu();

my $node = PostgreSQL::Test::Cluster->new('tablet_gpu');
$node->init;
$node->append_conf('postgresql.conf', q{
max_parallel_workers_per_gather = 0
fsync = off
gpudb.pool_size = 96MB
gpudb.device = gpu
gpudb.force = on
work_mem = 64MB
} . 'gpudb.provider = ' . ($with_gpu ? 'auto' : 'cpu'));
$node->start;

sub run_sql { return $node->safe_psql('postgres', $_[0]); }
sub serves { return $node->poll_query_until('postgres', "SELECT gpudb.doctor() LIKE 'All is well%'"); }

run_sql(q{
	CREATE EXTENSION gpudb;
	CREATE TABLE t (id int NOT NULL, k int NOT NULL, n numeric(12,2), f float8, m bigint, c "char", b bool, d date, w text, h char(9) NOT NULL, s int NOT NULL, z bigint NOT NULL,
		u text NOT NULL, v varchar(160), filler text)
		WITH (autovacuum_enabled = off);
	INSERT INTO t SELECT i, i % 7, (i % 5000) * 0.25, i / 8.0, CASE WHEN i % 3 = 0 THEN i * 100000::bigint END, 'A', i % 2 = 0,
		date '2020-01-01' + i / 100, CASE WHEN i % 11 > 0 THEN 'word ' || i % 8 END, 'h' || i % 3,
		CASE WHEN i < 55000 THEN i % 1000 ELSE -(i % 1000) END, CASE WHEN i % 9000 = 8000 THEN 1::bigint << 40 ELSE i % 200 END,
		repeat(md5(i::text), 3) || repeat('u', i % 9), CASE WHEN i % 5 > 0 THEN substr(repeat(md5((-i)::text), 4), i % 15) END, '-' FROM generate_series(1, 100000) i;
	VACUUM ANALYZE t;
});
ok(serves(), 'a GPU process serves');
sub tablets { return run_sql("SELECT (pg_relation_size('t') / 8192 + 1020) / 1021"); }
cmp_ok(tablets(), '>', 2, 'there are several tablets');

my %query = (
	totals => 'SELECT count(*), sum(id), min(n), max(m), sum(f) FROM t',
	filter => q{SELECT count(*), sum(n * 2), avg(m) FROM t WHERE k IN (1, 4) AND d < '2021-06-01' AND n > 17.5},
	nulls => 'SELECT count(m), count(*), sum(m) FROM t WHERE m IS NULL OR m > 500000',
	same => q{SELECT c, b, count(*) FROM t GROUP BY c, b},
	groups => 'SELECT k, count(*), sum(n), avg(f), max(d) FROM t GROUP BY k',
	many_groups => 'SELECT id % 60000, count(*), sum(n), count(m) FROM t GROUP BY 1',
	wide => 'SELECT sum(n * n * n * n), sum(m * n) FROM t',
	count => 'SELECT count(*) FROM t',
	none => 'SELECT count(*), sum(id) FROM t WHERE id < 0',
	texts => q{SELECT h, w, count(*), sum(n) FROM t WHERE h <> 'h1' AND (w LIKE '%d 3' OR w IS NULL OR k < 3) GROUP BY h, w},
	counted => 'SELECT h, count(*), sum(s), avg(id) FROM t GROUP BY h',
	counted_large => 'SELECT h, k, count(*), sum(z), sum(s), avg(z) FROM t WHERE id % 10 <> 3 GROUP BY h, k',
	many_texts => q{SELECT k, count(*), sum(id), max(length(u)) FROM t WHERE u LIKE '%77%' AND v <> $$a$$ GROUP BY k},
	one_of_them => q{SELECT count(*), sum(id) FROM t WHERE substring(v FROM 2 FOR 1) = 'a' OR v IS NULL},
	two_texts => q{SELECT h, count(*), sum(id), count(v) FROM t WHERE u < v COLLATE "C" OR v LIKE '%b1%' GROUP BY h},
	conditions => q{SELECT count(*), sum(id), count(w) FROM t WHERE w ~ '[2-5]$' AND upper(h) IN ('H1', 'H2')},
);

# On both devices, and in both orders of who comes first, the answer is PostgreSQL's; what the plan said of the GPU's run.
sub agrees
{
	my ($name, $when) = @_;
	my $rows = "SELECT array_agg(r ORDER BY r) FROM ($query{$name} OFFSET 0) r";
	my $all = run_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; $rows; SET LOCAL gpudb.enabled = off; $rows; COMMIT");
	my ($ours, $theirs) = split /\n/, $all;
	is($ours, $theirs, "$when: $name");
	return run_sql("SET gpudb.debug_require = require; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query{$name}");
}

# All queries, each of which uses all tablets on the GPU (or skips them), and reads blocks besides or does not.
sub all_agree
{
	my ($when, $reread) = @_;
	my $tablets = tablets();
	my @odd;
	for my $name (sort keys %query)
	{
		my $plan = agrees($name, $when);
		my ($found) = $plan =~ /Tablets Cached: (\d+)/;
		my ($read) = $plan =~ /Cached Blocks Reread: (\d+)/;
		my $on_gpu = $plan =~ /Device: gpu\n/ && $plan !~ /Tablets on CPU/;
		push @odd, "$name:\n$plan" if !$on_gpu || ($found // 0) != $tablets || ($reread ? !defined $read : defined $read);
	}
	is("@odd", '', "$when: from cached tablets, on the GPU");
	return;
}

# The CPU device leaves all columns behind.
sub build
{
	run_sql("SELECT gpudb.evict('t')");
	run_sql("SET gpudb.device = cpu; $query{$_}") for sort keys %query;
	return;
}

# Nothing is cached: pages are read, and the GPU leaves their columns behind, but for texts
my %texts = map { $_ => 1 } qw(texts counted counted_large many_texts one_of_them two_texts conditions);
for my $name (sort keys %query)
{
	next if $name eq 'conditions';
	run_sql("SELECT gpudb.evict('t')");
	my $plan = run_sql("SET gpudb.debug_require = require; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query{$name}");
	my $expected = $texts{$name} ? qr/Device: gpu\n(?!.*Tablets (Added|Cached|on CPU))/s : qr/Device: gpu\n(?!.*Tablets on CPU).*Tablets Added: @{[tablets()]}\n/s;
	like($plan, $expected, "not cached: $name reads pages, on the GPU");
	is(run_sql("SELECT sum(differences) FROM gpudb.check('t')"), $texts{$name} || $name eq 'count' ? '' : '0', "$name: what it has left behind is what the heap has");
	$plan = agrees($name, 'as the GPU has left it');
	like($plan, qr/Tablets Cached: @{[tablets()]}\n/, "$name: the next one finds it") if !$texts{$name};
}

like(run_sql("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query{conditions}"), qr/Device: cpu.*Tablets Added/s,
	'conditions that only PostgreSQL can judge wait for columns with codes, which the CPU device makes');
like(agrees('conditions', 'from codes'), qr/Device: gpu\n.*Tablets Cached/s, 'and are the GPU\'s then');

build();
all_agree('cached', 0);
# A scan of few rows that stay on the GPU until all are found
for my $scan (q{SELECT id, k, d FROM t WHERE u LIKE '%9999%'}, q{SELECT s, w, m, f, id FROM t WHERE k = 3 AND w ~ '[2-5]$' AND s < 100},
	q{SELECT id FROM t WHERE u LIKE 'nothing'}, q{SELECT d, id + 1 FROM t WHERE (u < v COLLATE "C" OR v IS NULL) AND id % 100 = 7})
{
	my $sorted = "SELECT array_agg(r ORDER BY r) FROM ($scan OFFSET 0) r";
	my $free = 'SET gpudb.force = off; SET max_parallel_workers_per_gather = 0';
	like(run_sql("$free; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $scan"), qr/\(GpuScan\)(?! on).*\n.*Device: gpu\n.*Tablets Cached: @{[tablets()]}\n/s, "materialized there: $scan");
	is(run_sql("$free; $sorted"), run_sql("SET gpudb.enabled = off; $sorted"), 'the rows');
}
# A plan for rows that stay on the GPU outlives the columns, without which the GPU has no codes to return for texts
{
	my $scan = q{SELECT w, id FROM t WHERE u LIKE '%999%' AND k = 3};
	my $counted = "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY id)) FROM ($scan OFFSET 0) r";
	my $prepared = "SET gpudb.force = off; SET max_parallel_workers_per_gather = 0; SET plan_cache_mode = force_generic_plan; PREPARE q AS $counted; EXECUTE q;"
		. "SELECT gpudb.evict('t') > 0";
	my @rows = split /\n/, run_sql("$prepared; EXECUTE q");
	is($rows[1], 't', 'columns are evicted between two runs of a plan');
	is($rows[2], $rows[0], 'the rows are as before');
	build();
	like(run_sql("$prepared; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE q"), qr/\(GpuScan\)(?! on)[^)]*\)\n\s*Device: cpu/, 'and the CPU device has found them');
	build();
}
# Such rows where PostgreSQL's scan would cost less than one by pages, but more than one of cached columns, and of a partition
run_sql('CREATE TABLE parts (id int, u text) PARTITION BY RANGE (id); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (30000); CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (30000) TO (200000);'
	. 'INSERT INTO parts SELECT id, u FROM t');
run_sql('VACUUM ANALYZE parts');
run_sql("SELECT gpudb.prewarm('parts_1'), gpudb.prewarm('parts_2')");
for my $scan (q{SELECT id, k FROM t WHERE u LIKE '%99999%'}, q{SELECT id FROM parts WHERE u LIKE '%99999%'})
{
	my $cheap = 'SET gpudb.force = off; SET max_parallel_workers_per_gather = 0; SET seq_page_cost = 0.01; SET cpu_tuple_cost = 0.001';
	my $sorted = "SELECT array_agg(r ORDER BY r) FROM ($scan OFFSET 0) r";
	is(run_sql("$cheap; $sorted"), run_sql("SET gpudb.enabled = off; $sorted"), "where pages cost little: $scan");
	is(run_sql("SET gpudb.force = off; $sorted"), run_sql("SET gpudb.enabled = off; $sorted"), 'and where they do not');
}
run_sql("SELECT gpudb.evict('parts_1'), gpudb.evict('parts_2'); DROP TABLE parts");

# Texts of the relation that is read, where joins make several rows of one
run_sql('CREATE TABLE twice AS SELECT i % 7 AS k, i AS x FROM generate_series(1, 21) i');
run_sql('VACUUM ANALYZE twice');
my $joined = q{SELECT count(*), sum(length(u)), count(CASE WHEN u < v COLLATE "C" THEN x END), count(CASE WHEN v LIKE $$%a7%$$ AND x > 3 THEN 1 END)
	FROM t JOIN twice USING (k) WHERE v LIKE '%b1%' AND (x > 10 OR u > $$c$$ COLLATE "C")};
like(run_sql("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $joined"), qr/Device: gpu\n.*Tablets Cached: @{[tablets()]}\n/s, 'joined: on the GPU');
is(run_sql("SET gpudb.debug_require = require; $joined"), run_sql("SET gpudb.enabled = off; $joined"), 'the answer');
my $joined_keys = q{SELECT u, count(*), sum(x) FROM t JOIN twice USING (k) WHERE id % 500 = 77 GROUP BY u};
like(run_sql("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $joined_keys"), qr{Device: gpu\n(?! *Tablets Cached)(?:(?!->|Tablets Cached).)*\n *->}s, 'groups of such texts it makes of pages');
is(run_sql("SELECT array_agg(r ORDER BY r) FROM ($joined_keys OFFSET 0) r"), run_sql("SET gpudb.enabled = off; SELECT array_agg(r ORDER BY r) FROM ($joined_keys OFFSET 0) r"), 'and they are right');
run_sql("SELECT gpudb.evict('twice'); DROP TABLE twice");
my $text_keys = q{SELECT u, count(*), sum(id) FROM t WHERE u LIKE '%777%' GROUP BY u};
like(run_sql("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $text_keys"), qr/Device: gpu\n(?!.*Tablets (Cached|Added))/s, 'groups of texts without codes it makes of pages');
is(run_sql("SELECT array_agg(r ORDER BY r) FROM ($text_keys OFFSET 0) r"),
	run_sql("SET gpudb.enabled = off; SELECT array_agg(r ORDER BY r) FROM ($text_keys OFFSET 0) r"), 'and they are right');
all_agree('again', 0);

# Pages, with a table of groups, where cached tablets have been
run_sql('CREATE UNLOGGED TABLE u AS SELECT id, n FROM t');
for my $round (1 .. 3)
{
	my $groups = 'SELECT count(*), sum(c), sum(s) FROM (SELECT id % 60000 AS k, count(*) AS c, sum(n) AS s FROM u GROUP BY 1 OFFSET 0) g';
	like(run_sql("EXPLAIN (ANALYZE, COSTS OFF) $groups"), qr/Device: gpu\n(?!.*Tablets on CPU)/s, 'many groups of pages run there, too');
	is(run_sql($groups), run_sql("SET gpudb.enabled = off; $groups"), 'and are right');
	agrees('many_groups', 'beside pages');
}

if ($with_gpu)
{
	cmp_ok(run_sql('SELECT sum(cached) FROM gpudb.devices'), '>', 100_000, 'gpudb.devices tells of columns that the GPU keeps');
}

# Changed blocks are left out of tablets and read as pages
run_sql('UPDATE t SET n = n + 1, m = -m WHERE id % 20000 = 7; DELETE FROM t WHERE id BETWEEN 50000 AND 50200');
all_agree('after changes', 1);
run_sql('VACUUM t');
all_agree('after VACUUM', 1);
build();
all_agree('rebuilt', 0);
run_sql('UPDATE t SET k = (k + 1) % 7 WHERE id < 30000');
$node->safe_psql('postgres', 'BEGIN; DELETE FROM t WHERE id > 90000; ROLLBACK');
for my $name (sort keys %query)
{
	agrees($name, 'after many changes');
}

# The process and its copies go, the columns stay
run_sql('VACUUM t');
build();
for my $round (1 .. 3)
{
	my $pid = run_sql("SELECT substring(gpudb.doctor() from 'GPU process (\\d+)')");
	kill 'KILL', $pid;
	is(run_sql($query{totals}), run_sql("SET gpudb.enabled = off; $query{totals}"), 'killed: the answer is right');
	$node->poll_query_until('postgres', "SELECT gpudb.doctor() LIKE 'All is well%' AND gpudb.doctor() NOT LIKE '%process $pid %'");
}
all_agree('another process', 0);

# Forgotten and made again
run_sql("SELECT gpudb.evict('t'); SELECT gpudb.prewarm('t')");
all_agree('prewarmed', 0);
is(run_sql("SELECT sum(differences) FROM gpudb.check('t')"), 0, 'what is cached is what the heap has');

# A dictionary that the run itself makes larger, again and again: a table of truths has room for what there is and a quarter more,
# and in the third run for all
run_sql(q{
	CREATE TABLE growing (id int, w text, filler text) WITH (autovacuum_enabled = off);
	ALTER TABLE growing ALTER filler SET STORAGE PLAIN;
	INSERT INTO growing SELECT i, 'few ' || i % 5, repeat('-', 5000) FROM generate_series(1, 4000) i;
	VACUUM ANALYZE growing;
});
my $grown = q{SELECT count(*), sum(id) FROM growing WHERE w ~ '[24]$'};
run_sql("SET gpudb.device = cpu; $grown");
run_sql(q{INSERT INTO growing SELECT i, 'many ' || i, repeat('-', 5000) FROM generate_series(4001, 7500) i});
my $growth = run_sql("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $grown");
cmp_ok($growth =~ /Rows In: (\d+)/ ? $1 : 1e9, '<=', 3 * 7500, 'a dictionary that grows is outgrown twice at most');
unlike($growth, qr/Fallback/, 'and nothing is left to PostgreSQL');
is(run_sql($grown), run_sql("SET gpudb.enabled = off; $grown"), 'its answer');
run_sql("SELECT gpudb.evict('growing'); DROP TABLE growing");

# What a query wanted a background worker leaves behind
run_sql("ALTER SYSTEM SET gpudb.auto_prewarm = on; SELECT pg_reload_conf()");
$node->poll_query_until('postgres', "SELECT current_setting('gpudb.auto_prewarm') = 'on'");
run_sql("SELECT gpudb.evict('t')");
unlike(run_sql("EXPLAIN (ANALYZE, COSTS OFF) $query{counted}"), qr/Tablets (Cached|Added)/, 'evicted: a query that has texts reads pages');
ok($node->poll_query_until('postgres', 'SELECT count(*) = 3 * ' . tablets() . ' FROM gpudb.tablets'), 'a worker leaves its columns behind');
like(run_sql("EXPLAIN (ANALYZE, COSTS OFF) $query{counted}"), qr/Device: gpu.*Tablets Cached: @{[tablets()]}\n/s, 'the next one finds them');
agrees('counted', 'left behind by a worker');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm'"), 'the worker ends');
is(run_sql('SELECT count(*) FROM gpudb.progress'), '0', 'gpudb.progress shows nothing then');
run_sql('CREATE TABLE altered (id int, filler text) WITH (autovacuum_enabled = off); '
	. "INSERT INTO altered SELECT i, repeat('-', 300) FROM generate_series(1, 60000) i; VACUUM altered");
run_sql('SELECT filler, count(*) FROM altered GROUP BY filler; DROP TABLE altered');
run_sql("SELECT gpudb.evict('t')");
run_sql($query{counted});
is(run_sql('SELECT count(*) FROM gpudb.tablets'), '0', 'the same is not wished for again at once');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE backend_type = $$gpudb prewarm$$'), '0',
	'no worker holds on to anything');

# DROP DATABASE ends a worker that leaves columns behind in that database: one that waits for a lock, and is stopped until it was told
run_sql('CREATE DATABASE dropped');
$node->safe_psql('dropped', 'CREATE EXTENSION gpudb; CREATE TABLE large WITH (autovacuum_enabled = off) AS SELECT $$one of a few values $$ || i % 5 AS w FROM generate_series(1, 100000) i');
$node->safe_psql('dropped', 'VACUUM large');
my $locker = $node->background_psql('dropped');
$locker->query_safe('BEGIN; LOCK TABLE large IN ACCESS EXCLUSIVE MODE; SELECT w, count(*) FROM large GROUP BY w');
ok($node->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm' AND datname = 'dropped' AND wait_event_type = 'Lock'"),
	'a worker in another database');
my $worker = run_sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm' AND datname = 'dropped'");
kill 'STOP', $worker;
$locker->query_safe('COMMIT');
$locker->quit;
my $dropper = $node->background_psql('postgres');
$dropper->query_until(qr/started/, "\\echo started\nDROP DATABASE dropped;\n");
usleep(500_000);
kill 'CONT', $worker;
is($dropper->query_safe("SELECT count(*) FROM pg_database WHERE datname = 'dropped'"), '0', 'it is dropped');
$dropper->quit;
like(slurp_file($node->logfile), qr/terminating background worker "gpudb prewarm"/, 'DROP DATABASE has ended the worker');

# A session that has read all columns knows of fewer of them, as long as they are what they were
run_sql('VACUUM t');
my $session = $node->background_psql('postgres');
$session->query_safe('SET gpudb.debug_require = require');
for my $when ('before', 'after others have changed some rows')
{
	run_sql('UPDATE t SET n = n + 1, m = NULL, w = w || $$ $$ WHERE id % 3000 = 5') if $when ne 'before';
	$session->query_safe('SELECT count(*), sum(id + k + s), sum(n), sum(f), max(m), count(b), max(d), max(z), count(h), max(length(u)), count(v) FROM t');
	for my $name (sort keys %query)
	{
		my $rows = "SELECT array_agg(r ORDER BY r) FROM ($query{$name} OFFSET 0) r";
		is($session->query_safe($rows), run_sql("SET gpudb.enabled = off; $rows"), "a session that knows all columns, $when: $name");
	}
}
$session->quit;

# A transaction's own changes
my $own = run_sql("BEGIN; UPDATE t SET n = n * 2 WHERE id % 1000 = 1; $query{totals}; SET LOCAL gpudb.enabled = off; $query{totals}; ROLLBACK");
my ($ours, $theirs) = split /\n/, $own;
is($ours, $theirs, 'a transaction sees its own changes');

# Pages that are rewritten without a transaction
run_sql('CREATE EXTENSION pg_surgery; CREATE TABLE killed WITH (autovacuum_enabled = off) AS SELECT id, k FROM t; VACUUM killed');
my $killed = 'SELECT count(*), sum(id) FROM killed';
run_sql($killed) for 1 .. 3;
run_sql(q{SELECT heap_force_kill('killed', ARRAY['(0,7)']::tid[])});
is(run_sql($killed), run_sql("SET gpudb.enabled = off; $killed"), 'a row that was killed is gone');

# Sessions that leave in the middle of fetching groups, and whose slots others take at once
run_sql('CREATE TABLE many WITH (autovacuum_enabled = off) AS SELECT i AS id FROM generate_series(1, 60000) i');
run_sql('VACUUM ANALYZE many');
$node->pgbench('--no-vacuum --client=6 --jobs=2 --transactions=25', 0, [qr{actually processed: 150/150}], [qr{^$}],
	'groups beyond the memory limit are PostgreSQL\'s',
	{'014_memory_limit' => q{SET work_mem = '64kB'; SET gpudb.join_memory = 1; SELECT count(*) FROM (SELECT id % 60000, count(*) FROM many GROUP BY 1) g;}});
unlike(slurp_file($node->logfile), qr/damaged answer/, 'no answer is taken for another job\'s');

$node->stop;
done_testing();
