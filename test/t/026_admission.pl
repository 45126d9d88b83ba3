# Columns are built for queries that PostgreSQL answers only because they are not cached: once these have lost as much as building takes.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('admission');
$node->init;
# PostgreSQL's plan reads a table by so many workers, at so little cost, that it costs less than reading it through gpudb, and than building columns
my $settings = "gpudb.auto_prewarm = on\ngpudb.device = cpu\ngpudb.cpu_threads = 1\nshared_buffers = 256MB\nfsync = off\njit = off\nmax_parallel_workers_per_gather = 8\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nseq_page_cost = 0.15\n";
$node->append_conf('postgresql.conf', $settings);
$node->start;

sub run_sql { return $node->safe_psql('postgres', $_[0]); }
sub plan_of { return run_sql("EXPLAIN (COSTS OFF) $_[0]"); }
sub states { return run_sql("SELECT string_agg(relation || ' ' || state, ', ' ORDER BY relation::text) FROM gpudb.admission"); }

# Run a query until what it reads is cached, or so often.
sub run_until_built
{
	my ($relation, $query, $times) = @_;
	for (1 .. $times)
	{
		run_sql($query);
		return 1 if run_sql("SELECT count(*) FROM gpudb.admission WHERE relation = '$relation'::regclass AND state IN ('built', 'being built', 'waits')");
	}
	return 0;
}
sub is_built { return $node->poll_query_until('postgres', "SELECT state = 'built' FROM gpudb.admission WHERE relation = '$_[0]'::regclass"); }

# Columns behind many others take long to build, which PostgreSQL's costs do not count
my $others = join(', ', map { "o$_ int" } 1 .. 40);
my $numbers = join(', ', map { "i + $_" } 1 .. 40);
sub make_facts
{
	my ($on) = @_;
	$on->safe_psql('postgres', qq{
		CREATE EXTENSION gpudb;
		CREATE TABLE facts (id int PRIMARY KEY, filler text, $others, k int, v int, w text) WITH (autovacuum_enabled = off, parallel_workers = 8);
		INSERT INTO facts SELECT i, repeat('-', 140), $numbers, i % 1000, i % 77, 'w' || i % 5 FROM generate_series(1, 200000) i;
	});
	$on->safe_psql('postgres', 'VACUUM ANALYZE facts');
	return;
}
make_facts($node);
run_sql(qq{
	CREATE TABLE small (id int, v int) WITH (autovacuum_enabled = off, parallel_workers = 8);
	INSERT INTO small SELECT i, i FROM generate_series(1, 1000) i;
	VACUUM ANALYZE small;
});
my $query = 'SELECT count(*), sum(v) FROM facts WHERE k < 900';
unlike(plan_of($query), qr/Gpu/, 'nothing is cached: PostgreSQL answers');
sub why_not { return run_sql("SELECT string_agg(DISTINCT reason, ' ') FROM gpudb.why_not('$_[0]')"); }
is(why_not($query), 'not_cached', 'why_not() tells');
is(run_sql("SET gpudb.cache = off; SELECT DISTINCT reason FROM gpudb.why_not('$query')"), 'cost', 'unless this session uses no cache');
is(states(), '', 'an EXPLAIN charges nothing');
run_sql('SELECT sum(v) FROM small WHERE id < 900');
is(states(), '', 'a small table has no account');
run_sql($query);
is(states(), 'facts wanted', 'a run is charged');
is(run_sql('SELECT columns::text FROM gpudb.admission'), '{k,v}', 'for the columns that the query reads');
is(run_sql('SELECT lost_ms > 0 AND lost_ms < price_ms AND builds = 0 FROM gpudb.admission'), 't', 'less than building costs');
my $once = run_sql('SELECT lost_ms FROM gpudb.admission');
run_sql("PREPARE p AS $query; SET plan_cache_mode = force_generic_plan; EXECUTE p; EXECUTE p; EXECUTE p");
cmp_ok(run_sql('SELECT lost_ms FROM gpudb.admission'), '>', 3.5 * $once, 'a cached plan is charged for each run');
run_sql('SET gpudb.enabled = off; ' . $query . ' ; SET gpudb.enabled = on; SET gpudb.cache = off; ' . $query);
cmp_ok(run_sql('SELECT lost_ms FROM gpudb.admission'), '<', 4.5 * $once, 'but not one without gpudb or its cache');

# What was made before sees what was built since
my $prepared = $node->background_psql('postgres');
$prepared->query_safe("PREPARE p AS $query");
unlike($prepared->query_safe('EXPLAIN (COSTS OFF) EXECUTE p'), qr/Gpu/, 'a prepared statement is PostgreSQL\'s, too');
ok(run_until_built('facts', $query, 100), 'its losses pay for building');
ok(is_built('facts'), 'a worker builds');
is(run_sql("SELECT columns::text FROM gpudb.cache WHERE relation = 'facts'::regclass"), '{k,v}', 'the columns');
like(plan_of($query), qr/GpuAgg/, 'then the planner takes them');
is(run_sql("SELECT node FROM gpudb.why_not('$query') WHERE part = 'aggregate'"), 'GpuAgg', 'as why_not() tells');
like($prepared->query_safe('EXPLAIN (COSTS OFF) EXECUTE p'), qr/GpuAgg/, 'for the prepared statement, too');
$prepared->quit;
is(run_sql("SET gpudb.debug_require = require; $query"), run_sql("SET gpudb.enabled = off; $query"), 'the answer is PostgreSQL\'s');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm'"), 'the worker ends');
my $lines = () = slurp_file($node->logfile) =~ /LOG:  gpudb cached columns of table "public\.facts"/g;
is($lines, 1, 'the log tells of it once');

# Not again within a minute; other columns are
run_sql("SELECT gpudb.evict('facts')");
run_sql($query) for 1 .. 3;
is(states(), 'facts built', 'what was built is not built again at once');
my $texts = "SELECT count(*) FROM facts WHERE w = 'w3'";
ok(run_until_built('facts', $texts, 100), 'a condition on a text pays for its column');
ok(is_built('facts'), 'which is built');
is(run_sql("SELECT columns::text FROM gpudb.cache WHERE relation = 'facts'::regclass"), '{w}', 'by itself');
is(run_sql("SET gpudb.debug_require = require; $texts"), run_sql("SET gpudb.enabled = off; $texts"), 'its answer is PostgreSQL\'s');

# Building the one column of several that is missing costs less than building all of them
my $sums = join(', ', map { "sum(n$_)" } 1 .. 12);
for my $table ('bare', 'nearly')
{
	run_sql("CREATE TABLE $table WITH (autovacuum_enabled = off, parallel_workers = 8) AS SELECT i AS k, repeat('-', 300) AS filler, " .
		join(', ', map { "(i % $_ * 0.25)::numeric(10,2) AS n$_" } 1 .. 12) . ' FROM generate_series(1, 200000) i');
	run_sql("VACUUM ANALYZE $table");
	run_sql("SELECT gpudb.prewarm('nearly', ARRAY['k', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11'])") if $table eq 'nearly';
	run_sql("SELECT $sums FROM $table WHERE k < 150000");
}
is(run_sql("SELECT string_agg(columns::text, ' ' ORDER BY relation::text) FROM gpudb.admission WHERE relation IN ('bare'::regclass, 'nearly'::regclass)"),
	'{k,n1,n2,n3,n4,n5,n6,n7,n8,n9,n10,n11,n12} {n12}', 'of a table that lacks one column of those that a query reads, that one is to be built');
cmp_ok(run_sql("SELECT a.price_ms / b.price_ms FROM gpudb.admission a, gpudb.admission b WHERE a.relation = 'nearly'::regclass AND b.relation = 'bare'::regclass"),
	'<', 0.8, 'at a lower price');
run_sql('DROP TABLE bare, nearly');

# What gpudb reads itself, it leaves behind, and nobody else builds it
run_sql(q{
	CREATE TABLE fresh (a int, b int, filler text) WITH (autovacuum_enabled = off, parallel_workers = 0);
	INSERT INTO fresh SELECT i, i % 50, repeat('-', 300) FROM generate_series(1, 200000) i;
	ANALYZE fresh;
});
my $read_here = 'SELECT count(*), sum(b) FROM fresh WHERE a < 50000';
like(plan_of($read_here), qr/GpuAgg/, 'where PostgreSQL has no workers gpudb reads the pages');
# the memory that waits for columns is filled first
run_sql('CREATE TABLE filling AS SELECT (random() * 1e18)::bigint AS v FROM generate_series(1, 2500000)');
run_sql('VACUUM filling');
run_sql("SELECT gpudb.prewarm('filling')");
run_sql('DROP TABLE filling');
my $dear = 'SET gpudb.debug_memory = 1000000; EXPLAIN';
unlike(run_sql("$dear $read_here"), qr/GpuAgg/, 'but where memory for the columns takes long they are left to the worker');
like(run_sql("$dear SELECT count(*) FROM fresh"), qr/GpuAgg/, 'which rows that have none do not wait for');
run_sql($read_here);
is(run_sql("SELECT columns::text FROM gpudb.cache WHERE relation = 'fresh'::regclass"), '{a,b}', 'and leaves the columns behind');
unlike(states(), qr/fresh/, 'so nothing is charged');

# After writes: the planner sees what cannot be used any more
my $pruned = "SELECT count(*) FROM generate_series(0, 99) b, LATERAL heap_page_items(get_raw_page('fresh', b)) WHERE lp_flags = 1";
sub cost_of { return run_sql("SET max_parallel_workers_per_gather = 0; EXPLAIN $_[0]") =~ /cost=[0-9.]+\.\.([0-9.]+)/ ? $1 : undef; }
my $cached = cost_of($read_here);
run_sql('UPDATE fresh SET b = b + 1 WHERE a % 20000 = 7');
cmp_ok(cost_of($read_here), '<', 3 * $cached, 'when few blocks have changed it costs little more');
run_sql('UPDATE fresh SET b = b + 1 WHERE a % 5 = 0');
my $stale = cost_of($read_here);
cmp_ok($stale, '>', 3 * $cached, 'when most have, it costs what reading the pages does');
run_sql('CREATE EXTENSION pageinspect');
is(run_sql("SET gpudb.debug_require = require; $read_here"), run_sql("SET gpudb.enabled = off; $read_here"), 'its answer is PostgreSQL\'s');
run_sql("SELECT gpudb.evict('fresh')");
run_sql('UPDATE fresh SET b = b + 1 WHERE a % 5 = 1');
my $tuples = run_sql($pruned);
run_sql("SET gpudb.debug_require = require; $read_here");
is(run_sql($pruned), $tuples, 'reading pages prunes none');
cmp_ok(cost_of($read_here), '<', $stale / 3, 'then the columns are there again');
run_sql('DROP TABLE fresh');

# Whom it concerns
run_sql('CREATE ROLE visitor; GRANT SELECT (id) ON facts TO visitor');
is(run_sql('SET ROLE visitor; SELECT count(*) FROM gpudb.admission'), '0', 'who may not read a relation is told nothing');
run_sql('GRANT SELECT ON facts TO visitor');
is(run_sql('SET ROLE visitor; SELECT count(*) FROM gpudb.admission'), '1', 'who may, is');
run_sql('ALTER TABLE facts ENABLE ROW LEVEL SECURITY');
is(run_sql('SET ROLE visitor; SELECT count(*) FROM gpudb.admission'), '0', 'but not of rows that are hidden');
run_sql('ALTER TABLE facts DISABLE ROW LEVEL SECURITY');

# Queries want an attribute in several forms: as a key, by its codes, as such
run_sql(qq{
	CREATE TABLE forms (id int, filler text, $others, p char(2), q varchar(6), n numeric) WITH (autovacuum_enabled = off, parallel_workers = 8);
	INSERT INTO forms SELECT i, repeat('-', 140), $numbers, chr(97 + i % 20) || i % 9, 'q' || i % 700, i % 90 * 0.25 FROM generate_series(1, 200000) i;
});
run_sql('VACUUM ANALYZE forms');
my @forms = ('SELECT p, count(*) FROM forms GROUP BY p', "SELECT count(*) FROM forms WHERE p LIKE 'a%'", "SELECT count(*) FROM forms WHERE p ~ '^[ab]'", "SELECT q, sum(n) FROM forms WHERE q LIKE '%7%' GROUP BY q",
	"SELECT count(*) FROM forms WHERE q ~ '1\$'", 'SELECT sum(n), sum(length(q)) FROM forms', 'SELECT sum(n * n * n) FROM forms WHERE n < 17.125', 'SELECT n, count(*) FROM forms GROUP BY n');
for (1 .. 60)
{
	run_sql($_) for @forms;
	last if run_sql("SELECT count(*) FROM gpudb.admission WHERE relation = 'forms'::regclass AND state <> 'wanted'");
}
ok(is_built('forms'), 'an attribute in several forms is built');
cmp_ok(run_sql(q{SELECT count(*) - count(DISTINCT column_name) FROM (SELECT column_name, form FROM gpudb.tablets WHERE relation = $$forms$$::regclass GROUP BY 1, 2) f}), ">", 0, "in each of them");
is(run_sql("SELECT sum(differences) FROM gpudb.check('forms')"), '0', 'each is what the heap has');
is(run_sql("SET gpudb.force = on; SELECT array_agg(r ORDER BY r) FROM ($_ OFFSET 0) r"), run_sql("SET gpudb.enabled = off; SELECT array_agg(r ORDER BY r) FROM ($_ OFFSET 0) r"), "the answer of $_") for @forms;
run_sql('DROP TABLE forms');

# The table changes while its columns are paid for, or built
for my $change ('ALTER TABLE other ALTER a TYPE text USING a::text', 'ALTER TABLE other DROP b', 'TRUNCATE other', 'DROP TABLE other')
{
	run_sql(q{
		DROP TABLE IF EXISTS other;
		CREATE TABLE other (a int, b int, filler text) WITH (autovacuum_enabled = off, parallel_workers = 8);
		INSERT INTO other SELECT i, i % 50, repeat('-', 300) FROM generate_series(1, 200000) i;
		VACUUM ANALYZE other;
	});
	ok(run_until_built('other', 'SELECT count(*), sum(b) FROM other WHERE a < 50000', 100), "columns are paid for: then $change");
	run_sql($change);
	ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm'"), 'the worker ends');
	is(run_sql('SELECT count(*) FROM facts'), '200000', 'the server goes on');
}
run_sql('DROP TABLE IF EXISTS other');

# A function of a user's is not run twice
run_sql(q{
	CREATE FUNCTION limit_of() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'limit_of runs'; RETURN 900; END $$;
});
my ($result, $out, $err) = $node->psql('postgres', 'SELECT count(*) FROM facts WHERE id < limit_of() + 50000');
is(() = $err =~ /limit_of runs/g, 1, 'a function that the planner runs is run as often as by PostgreSQL alone') or diag($err);
($result, $out, $err) = $node->psql('postgres', 'SET gpudb.enabled = off; SELECT count(*) FROM facts WHERE id < limit_of() + 50000');
is(() = $err =~ /limit_of runs/g, 1, 'that is so often');

# The worker waits while queries take all processors, one of them by its threads
my $awaited = 'SELECT count(*), sum(v) FROM awaited WHERE k < 900';
run_sql("CREATE TABLE awaited WITH (autovacuum_enabled = off, parallel_workers = 8) AS SELECT * FROM facts");
run_sql('VACUUM ANALYZE awaited');
my $busy = $node->background_psql('postgres');
$busy->query_safe('SET gpudb.force = on; SET gpudb.cpu_threads = 64; BEGIN; DECLARE c CURSOR FOR SELECT id FROM facts WHERE v < 70');
like($busy->query_safe('EXPLAIN (COSTS OFF) SELECT id FROM facts WHERE v < 70'), qr/GpuScan/, 'a cursor whose query has threads');
$busy->query_safe('FETCH 1 FROM c');
$busy->{stdin} .= "DO 'BEGIN WHILE clock_timestamp() < statement_timestamp() + interval ''6 s'' LOOP END LOOP; END'; COMMIT;\n";
$busy->{run}->pump_nb();
my $until = time + 3;
ok(run_until_built('awaited', $awaited, 100), 'losses pay for building');
sleep 1 while time < $until;
is(run_sql("SELECT state FROM gpudb.admission WHERE relation = 'awaited'::regclass"), 'waits', 'which waits for processors');
ok(is_built('awaited'), 'and begins when they are free');
$busy->quit;
run_sql('DROP TABLE awaited');

# It can be switched off
run_sql('ALTER SYSTEM SET gpudb.auto_prewarm = off; SELECT pg_reload_conf()');
$node->poll_query_until('postgres', "SELECT current_setting('gpudb.auto_prewarm') = 'off'");
run_sql('SELECT max(id) FROM facts WHERE v < 70');
is(states(), 'facts built', 'switched off: nothing is charged');

# The pool's size by default: SHOW tells it
my $size = run_sql("SELECT setting FROM pg_settings WHERE name = 'gpudb.pool_size'");
cmp_ok($size, '>=', 64, 'the pool has a size by itself');
cmp_ok($size, '<=', 65536, 'within bounds');
my $join = run_sql("SELECT setting FROM pg_settings WHERE name = 'gpudb.join_memory'");
ok($join >= 64 && $join <= 16384, 'so does gpudb.join_memory, within its own');
is(run_sql("SET gpudb.join_memory = '3MB'; RESET gpudb.join_memory; SELECT setting FROM pg_settings WHERE name = 'gpudb.join_memory'"), $join, 'which RESET knows');
$node->stop;

# No worker is to be had: columns wait, and queries go on
my $full = PostgreSQL::Test::Cluster->new('full');
$full->init;
$full->append_conf('postgresql.conf', "${settings}max_worker_processes = 1\nmax_logical_replication_workers = 0\n");
$full->start;
make_facts($full);
my $answer = $full->safe_psql('postgres', "SET gpudb.enabled = off; $query");
for (1 .. 100)
{
	last if $full->safe_psql('postgres', $query) ne $answer || $full->safe_psql('postgres', "SELECT count(*) FROM gpudb.admission WHERE state = 'waits'");
}
is($full->safe_psql('postgres', 'SELECT state FROM gpudb.admission'), 'waits', 'without a worker columns wait');
is($full->safe_psql('postgres', $query), $answer, 'and queries are answered');
unlike(slurp_file($full->logfile), qr/ERROR|WARNING:  out of background/, 'without an error');
$full->stop;

# On a GPU, for which the CPU stands in: conditions on codes that are there are the GPU's, also where a worker may build them
my $gpu = PostgreSQL::Test::Cluster->new('gpu');
$gpu->init;
$gpu->append_conf('postgresql.conf', "gpudb.auto_prewarm = on\ngpudb.provider = cpu\ngpudb.device = gpu\ngpudb.force = on\nautovacuum = off\nfsync = off");
$gpu->start;
$gpu->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE coded AS SELECT i AS id, i % 7 AS k, 'word ' || i % 5000 AS w FROM generate_series(1, 100000) i;
	CREATE TABLE names AS SELECT i AS k, 'name ' || i % 3 AS name FROM generate_series(0, 6) i;
});
$gpu->safe_psql('postgres', 'VACUUM ANALYZE coded, names');
$gpu->safe_psql('postgres', "SELECT gpudb.prewarm('coded'), gpudb.prewarm('names')");
for my $on_codes ("SELECT count(*) FROM coded WHERE w LIKE '%99' OR w LIKE '%7'",
	"SELECT name, count(*) FROM coded JOIN names USING (k) WHERE w LIKE '%99' AND name <> 'name 1' GROUP BY name ORDER BY name")
{
	like($gpu->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $on_codes"), qr/GpuAgg[^\n]*\n *Device: gpu/, "on the GPU: $on_codes");
	is($gpu->safe_psql('postgres', "SET gpudb.debug_require = require; $on_codes"), $gpu->safe_psql('postgres', "SET gpudb.enabled = off; $on_codes"), 'the answer');
}
$gpu->stop;
done_testing();
