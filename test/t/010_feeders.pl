# Feeders: PostgreSQL's parallel workers help an aggregate to feed the GPU.  Answers stay PostgreSQL's, whatever the rows,
# the snapshot and the statement around the aggregate, and whatever happens to a worker, the backend or the GPU process.
# The CPU stands in the GPU's place, so no GPU is needed.
use strict;
use warnings;
use GpuProcess;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $limit = 120;    # for what must end; what is timed has limits of its own

sub workers
{
	my ($node) = @_;
	return children($node->{_pid}, 'parallel worker for PID');
}

# The backend that a worker is for.
sub worker_of
{
	my ($pid) = @_;
	my ($backend) = (slurp_file("/proc/$pid/cmdline") =~ /parallel worker for PID (\d+)/);
	return $backend;
}

sub no_worker_left
{
	my ($node) = @_;
	return defined wait_for(2, sub { !workers($node) })
	  && $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'}) eq '0';
}

# Sessions.  auto_explain tells of the very run that gave the answer how many feeders helped: of statements inside
# functions, too.

sub open_session
{
	my ($node) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_safe(q{LOAD 'auto_explain'; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
		SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice; SET auto_explain.log_min_duration = 0});
	return $session;
}

# What a session says: rows in scalar context, rows and messages in list context.
sub ask
{
	my ($session, $sql) = @_;
	$session->{stderr} = '';
	my $rows = $session->query($sql);
	my $said = $session->{stderr};
	diag("$sql: $1") if !wantarray && $said =~ /((?:ERROR|FATAL): .*)/;
	return wantarray ? ($rows, $said) : $rows;
}

# What sessions demand of their queries; where fallbacks are wanted, nothing.
my $demands = 'require';

sub demand
{
	my ($session, $what) = @_;
	$demands = $what;
	return ask($session, "SET gpudb.debug_require = $what");
}

sub ask_postgres
{
	my ($session, $query) = @_;
	my ($rows, $said) = ask($session, "SET gpudb.enabled = off; SET gpudb.debug_require = allow; SET auto_explain.log_min_duration = -1;
		$query; RESET gpudb.enabled; SET gpudb.debug_require = $demands; SET auto_explain.log_min_duration = 0");
	diag("PostgreSQL: $query: $1") if $said =~ /(ERROR: .*)/;
	return $rows;
}

# Feeders of all aggregates that were run.
sub feeders_told
{
	my ($said) = @_;
	my $n = 0;
	$n += $1 while $said =~ /Feeders: (\d+)/g;
	return $n;
}

# Equal, or equal but for the last digits of numbers with a point.
sub alike
{
	my ($got, $want) = @_;
	my @got = split /[|\n]/, $got, -1;
	my @want = split /[|\n]/, $want, -1;
	return if @got != @want;
	for my $i (0 .. $#got)
	{
		next if $got[$i] eq $want[$i];
		return if $got[$i] !~ /^-?\d+\.\d+(e[-+]?\d+)?$/ || abs($got[$i] - $want[$i]) > 1e-11 * abs($want[$i]);
	}
	return 1;
}

# A query's answer is PostgreSQL's.  Options: feeders => 0 for none, else some must have helped; want => PostgreSQL's
# answer, if it is known; floats => 1; warning => the one that is to come.
sub same_answer
{
	my ($session, $query, $name, %option) = @_;
	my $want = $option{want} // ask_postgres($session, $query);
	my ($got, $said) = ask($session, $query);
	my $n = feeders_told($said);
	my $same = $option{floats} ? alike($got, $want) : $got eq $want;
	my $helped = ($option{feeders} // 1) ? $n > 0 : $n == 0;
	my $calm = $said !~ /(ERROR|FATAL): / && ($option{warning} // '') eq ($said =~ /WARNING:  (.*)/ ? $1 : '');

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($same && $helped && $calm, $name)
	  or diag("$query\ngot:  $got\nwant: $want\n$said");
	return $want;
}

# A query in a session of its own, which goes on while the test does something else.
sub start_query
{
	my ($node, $sql, $name) = @_;
	my $query = { out => '', err => '', start => time() };
	$query->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres') . " application_name=$name", '-c', $sql ],
		'<', \undef, '>', \$query->{out}, '2>', \$query->{err}, IPC::Run::timeout($limit));
	return $query;
}

# The same, returning when its feeders are there.
sub start_fed
{
	my ($node, $sql, $feeders) = @_;
	my $query = start_query($node, $sql, 'fed');
	my @workers;
	defined wait_for(10, sub { (@workers = workers($node)) >= $feeders }) or die 'no feeders start';
	($query->{pid}) = map { worker_of($_) } @workers;
	$query->{feeders} = \@workers;
	$query->{start} = time();
	return $query;
}

sub end_query
{
	my ($query) = @_;
	$query->{run}->finish;
	$query->{took} = time() - $query->{start};
	chomp $query->{out};
	return $query->{out};
}

my $node = PostgreSQL::Test::Cluster->new('feeders');
$node->init;
# Without restarts a crash of any process is the end of the test.  An eighth of the buffers, what all scans may pin, is
# what two processes have in flight.
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpudb'
restart_after_crash = off
log_statement = none
autovacuum = off
shared_buffers = 256MB
max_worker_processes = 8
max_parallel_workers = 8
max_parallel_workers_per_gather = 4
work_mem = 64MB
# columns that are cached nobody has to feed
gpudb.cache = off
gpudb.provider = cpu
gpudb.device = gpu
gpudb.force = on
gpudb.debug_require = require
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	SELECT setseed(0.5);
	-- more pages than three processes can have in flight; s: every sixth of the rows needs more digits after the point
	CREATE TABLE t (id int NOT NULL, k int, g int, z int, c char(1) COLLATE "C", v varchar(1) COLLATE "C", n numeric(12,2), s numeric,
		f float8, r real, w text COLLATE "C", filler text);
	INSERT INTO t SELECT i, i % 10, i % 12007, nullif(i % 5, 3), chr(97 + i % 26), chr(65 + i % 17), i % 1000 + 0.25,
			round(i / 7.0, i / 20000), random() * 1000 - 300, random(), repeat('text', 20) || i, repeat('f', 380)
		FROM generate_series(1, 120000) i;
	ALTER TABLE t ADD COLUMN later int DEFAULT 7;
	ALTER TABLE t ADD COLUMN words text DEFAULT 'older rows have none of this';
	CREATE TABLE big (id int NOT NULL, filler text, b text);
	ALTER TABLE big ALTER filler SET STORAGE PLAIN;
	-- compressed; out of line; both; short
	INSERT INTO big SELECT i, repeat('f', 2500), CASE i % 4 WHEN 0 THEN repeat('needle ' || i, 1000) ELSE 'short' || i END
		FROM generate_series(1, 1800) i;
	ALTER TABLE big ALTER b SET STORAGE EXTERNAL;
	UPDATE big SET b = repeat('outside', 1300) || id WHERE id % 40 = 1;
	ALTER TABLE big ALTER b SET STORAGE EXTENDED;
	UPDATE big SET b = (SELECT string_agg(md5((id * i)::text), '') FROM generate_series(1, 500) i) WHERE id % 40 = 2;
	CREATE TABLE m (id int NOT NULL, k int, n numeric(12,2), w text);
	INSERT INTO m SELECT i, i % 10, i % 1000, repeat('m', 150) FROM generate_series(1, 60000) i;
	CREATE TABLE nothing (id int, k int, n numeric) WITH (parallel_workers = 4);
	CREATE TABLE tiny (id int, k int, n numeric) WITH (parallel_workers = 4);
	INSERT INTO tiny VALUES (1, 1, 1.5), (2, 1, 2.25), (3, 2, NULL);
	CREATE TABLE o AS SELECT i AS k FROM generate_series(0, 4) i;
	VACUUM ANALYZE t, big, o, tiny, nothing;
	ANALYZE m;
	CHECKPOINT;
});
my $session = open_session($node);
my $all = 'SELECT count(*), sum(id), sum(n), max(id) FROM';

# Long enough to be interrupted, and one row for an answer.
my $long = 'SELECT ' . join(', ', map { "sum(CASE WHEN w LIKE '%e%x%t%t%e%${_}%x%' THEN 1 ELSE 0 END)" } 1 .. 16) . ', count(*) FROM t';
my $long_answer = ask_postgres($session, $long);
# The same with many groups: the GPU process keeps them, and they fit no queue.
my $groups = "SELECT count(*), sum(s), sum(c) FROM (SELECT id, sum(n) AS s, count(*) AS c, sum(length(w)) FROM t
	WHERE w NOT LIKE '%e%x%t%t%e%1%x%' AND w NOT LIKE '%e%x%t%t%e%2%x%' AND w NOT LIKE '%e%x%t%t%e%3%x%' GROUP BY id) q";
my $groups_answer = ask_postgres($session, $groups);

# Of columns that can be cached.
my $long_cached = 'SELECT count(*), ' . join(', ', map { "sum(n * $_)" } 2 .. 9) . ' FROM t';

# Enough to be shared, and not long.
my $lines = "$all t WHERE w NOT LIKE '%e%x%t%t%e%1%x%'";

# All pins that there may be are there: two processes with as much in flight as they can have every page pinned.
sub all_pins_free
{
	my $plan = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 1; EXPLAIN (ANALYZE, BUFFERS) $long");
	return $plan =~ /Feeders: 1/ && $plan =~ /Pages Pinned: [1-9]\d{3}/ && $plan =~ /Pages Copied: 0/ || do { diag($plan); 0 };
}

ok(defined wait_for(20, sub { $node->safe_psql('postgres', 'SET gpudb.debug_require = allow; EXPLAIN SELECT count(*) FROM tiny') =~ /Device: gpu$/m }),
	'a GPU process serves');

# Shapes of queries

my %shape = (
	'no groups' => 'SELECT count(*), sum(id), min(id), max(id), avg(k) FROM t',
	'nothing but a count' => 'SELECT count(*) FROM t',
	'few groups' => 'SELECT k, count(*), sum(id), sum(n) FROM t GROUP BY k ORDER BY k',
	'12,007 groups' => "SELECT count(*), md5(string_agg(q::text, ',' ORDER BY g)) FROM (SELECT g, count(*), sum(id), sum(n), min(z) FROM t GROUP BY g) q",
	'a group for each row' => 'SELECT count(*), sum(id), sum(s) FROM (SELECT id, sum(n) AS s FROM t GROUP BY id) q',
	'short texts as keys' => 'SELECT c, v, count(*), min(v), max(c), sum(id) FROM t GROUP BY c, v ORDER BY c, v',
	'texts as keys' => "SELECT count(*), md5(string_agg(q::text, ',' ORDER BY w)) FROM (SELECT w, words, k, count(*), sum(id) FROM t WHERE id % 3 > 0 GROUP BY w, words, k) q",
	'NULLs' => 'SELECT z, count(*), count(z), sum(z), min(z) FROM t GROUP BY z ORDER BY z',
	'numerics' => 'SELECT sum(n), avg(n), min(n), max(n), stddev(n), var_pop(n) FROM t',
	'numerics of 128 bits' => 'SELECT k, sum(n * n * n * 12345678901.25), avg(n * n) FROM t GROUP BY k ORDER BY k',
	'growing scales' => 'SELECT sum(s), count(s), avg(s) FROM t',
	'growing scales in groups' => 'SELECT k, sum(s), max(s) FROM t GROUP BY k ORDER BY k',
	'floats' => 'SELECT k, sum(f), avg(f), stddev(f), min(f), max(f), sum(f * r), avg(r) FROM t GROUP BY k ORDER BY k',
	'bits' => 'SELECT bool_and(id > 0), bool_or(id = 119999), bit_or(k), bit_xor(id) FROM t',
	'HAVING' => 'SELECT g, sum(id) FROM t GROUP BY g HAVING count(*) > 9 AND max(n) > 997 ORDER BY g',
	'FILTER' => "SELECT k, count(*) FILTER (WHERE id % 3 = 0), sum(n) FILTER (WHERE c = 'c') FROM t GROUP BY k ORDER BY k",
	'a filter on text' => "SELECT v, count(*), sum(length(w)) FROM t WHERE w LIKE '%text1%7' GROUP BY v ORDER BY v",
	'a filter that lets nothing pass' => 'SELECT count(*), sum(id), min(n) FROM t WHERE id < 0',
	'a filter that lets nothing into groups' => 'SELECT k, sum(id) FROM t WHERE id < 0 GROUP BY k',
	'one row that passes' => 'SELECT k, sum(id) FROM t WHERE id = 119999 GROUP BY k',
	'columns that older rows lack' => "SELECT count(*) FILTER (WHERE words LIKE '%none%'), sum(later) FROM t",
	'values out of line' => "SELECT count(*) FILTER (WHERE b LIKE '%needle%'), count(*) FILTER (WHERE b LIKE '%outside%41'), sum(length(b)) FROM big",
	'values out of line in groups' => 'SELECT id % 4 AS k, sum(length(b)), max(length(b)), count(*) FROM big GROUP BY 1 ORDER BY 1',
	'an empty table' => 'SELECT count(*), sum(id), max(n) FROM nothing',
	'no groups of an empty table' => 'SELECT k, sum(n) FROM nothing GROUP BY k',
	'fewer pages than feeders' => 'SELECT k, count(*), sum(n), max(id) FROM tiny GROUP BY k ORDER BY k');
my %want;
for my $workers (1, 2, 4)
{
	ask($session, join '', map { "ALTER TABLE $_ SET (parallel_workers = $workers);" } 't', 'big', 'tiny', 'nothing');
	for my $name (sort keys %shape)
	{
		$want{$name} = same_answer($session, $shape{$name}, "$name, parallel_workers = $workers",
			want => $want{$name}, floats => $name eq 'floats');
	}
	# a process that fed all windows would fail with the last one
	my ($windows) = (ask($session, $shape{'a filter on text'}))[1] =~ /Tablets: (\d+)/;
	ask($session, 'SET gpudb.debug_fail = ' . ($windows - 1));
	same_answer($session, $shape{'a filter on text'}, "no process feeds all $windows windows, parallel_workers = $workers", want => $want{'a filter on text'});
	ask($session, 'RESET gpudb.debug_fail');
}
my ($rows, $said) = ask($session, "$all t");
is(feeders_told($said), 4, 'as many feeders as parallel_workers says');
ask($session, 'SET max_parallel_workers_per_gather = 2');
($rows, $said) = ask($session, "$all t");
is(feeders_told($said), 2, 'and max_parallel_workers_per_gather allows');
ask($session, 'RESET max_parallel_workers_per_gather; ALTER TABLE t RESET (parallel_workers)');
($rows, $said) = ask($session, "$all t");
is(feeders_told($said), 1, 'by themselves, one for each 8,192 pages');
same_answer($session, "$all m", 'and none for fewer', feeders => 0);

# what a GPU cannot run, feeders do not run either
same_answer($session, 'SELECT min(w), max(w) FROM t', 'the least and the greatest of texts of any length', feeders => 0);

# Rows: none twice, none lost

ask($session, 'ALTER TABLE t SET (parallel_workers = 2); ALTER TABLE m SET (parallel_workers = 2)');
ask($session, 'UPDATE m SET n = n + 1 WHERE id % 3 = 0; DELETE FROM m WHERE id % 7 = 0; UPDATE m SET w = w || id WHERE id BETWEEN 20000 AND 24000');
my $before = same_answer($session, "$all m", 'dead rows');
$node->safe_psql('postgres', 'VACUUM m; UPDATE m SET n = n - 1 WHERE id % 5000 = 1');
$before = same_answer($session, "$all m", 'pages all of whose rows are visible, and others');

# own changes that nobody else sees; rows changed twice by one transaction have combo command ids
ask($session, 'BEGIN; INSERT INTO m SELECT i, i % 10, 0.5, NULL FROM generate_series(70000, 79999) i; UPDATE m SET n = n + 1 WHERE k = 1;
	UPDATE m SET n = n + 1 WHERE k IN (1, 2); DELETE FROM m WHERE k = 3 OR id BETWEEN 72000 AND 72500');
my $own = same_answer($session, "$all m", 'own rows inserted, updated and deleted');
isnt($own, $before, 'they were seen');
same_answer($session, 'SELECT k, count(*), sum(n) FROM m GROUP BY k ORDER BY k', 'the same in groups');
ask($session, 'SAVEPOINT a; UPDATE m SET n = n * 2 WHERE k = 2; INSERT INTO m SELECT i, 2, 1, NULL FROM generate_series(80000, 82000) i');
my $in_a = same_answer($session, "$all m", 'rows of a subtransaction');
ask($session, 'SAVEPOINT b; DELETE FROM m WHERE id > 30000; UPDATE m SET n = 0 WHERE id < 2000');
isnt(same_answer($session, "$all m", 'rows of another below it'), $in_a, 'they were seen');
ask($session, 'ROLLBACK TO b');
is(same_answer($session, "$all m", 'rows of a subtransaction that was undone'), $in_a, 'they are as before');
ask($session, 'RELEASE a');
is(same_answer($session, "$all m", 'rows of one that was released'), $in_a, 'they are as before');
ask($session, 'ROLLBACK');
is(same_answer($session, "$all m", 'after the end of the transaction'), $before, 'the rows are as before');

# tables that nobody else sees
ask($session, 'BEGIN; CREATE TABLE own WITH (parallel_workers = 2) AS
	SELECT i AS id, i % 10 AS k, i::numeric(12,2) AS n, repeat(chr(65 + i % 20), 200) AS w FROM generate_series(1, 40000) i');
same_answer($session, "$all own", 'a table made in the same transaction');
ask($session, 'TRUNCATE own; INSERT INTO own SELECT i, i % 10, i, repeat(chr(65 + i % 20), 200) FROM generate_series(1, 30000) i;
	SAVEPOINT a; ALTER TABLE own ALTER n TYPE numeric(14,4)');
same_answer($session, "$all own", 'emptied, filled and rewritten');
ask($session, 'ROLLBACK TO a');
same_answer($session, "$all own", 'and rewritten in vain');
ask($session, 'ROLLBACK');

# other sessions' changes
my $other = open_session($node);
for my $level ('REPEATABLE READ', 'SERIALIZABLE', 'SERIALIZABLE READ ONLY DEFERRABLE')
{
	ask($session, "BEGIN ISOLATION LEVEL $level");
	my $first = same_answer($session, "$all m", "$level: at first");
	ask($other, 'UPDATE m SET n = n + 0.25 WHERE id % 4 = 1; INSERT INTO m VALUES (80000, 1, 1, NULL); DELETE FROM m WHERE id = (SELECT min(id) FROM m)');
	is(same_answer($session, "$all m", "$level: after another session's changes"), $first, 'nothing has changed');
	ask($session, 'COMMIT');
	isnt(same_answer($session, "$all m", "$level: when it is over"), $first, 'now it has');
}

# write skew, with reads by feeders alone
{
	my $sum = 'SELECT sum(n) FROM m WHERE id > 0';
	my $want = ask_postgres($session, $sum);
	for my $s ($session, $other) { ask($s, 'BEGIN ISOLATION LEVEL SERIALIZABLE'); }
	same_answer($session, $sum, 'SERIALIZABLE: one session reads', want => $want);
	same_answer($other, $sum, 'and another one', want => $want);
	is(ask($session, "SELECT count(*) > 0 FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 'm'::regclass"), 't', 'predicate locks are held');
	ask($session, 'UPDATE m SET n = n + 1 WHERE id = 1000');
	ask($other, 'UPDATE m SET n = n + 1 WHERE id = 1002');
	my $said = join '', map { (ask($_, 'COMMIT'))[1] } $session, $other;
	like($said, qr/ERROR:  could not serialize access/, 'both write what the other one has read: one fails');
}

# one snapshot for all feeders: what moves between rows is counted once
{
	$node->safe_psql('postgres', 'CREATE TABLE account (id int PRIMARY KEY, v int, w text) WITH (parallel_workers = 2, fillfactor = 70);
		INSERT INTO account SELECT i, 100, repeat(\'a\', 200) FROM generate_series(1, 24000) i');
	$node->pgbench('-n -c 4 -j 2 -T 1', 0, [ qr{actually processed: \d\d} ], [qr{^$}], 'money is neither made nor lost', {
		'feeders_audit@1' => 'SELECT 1 / (CASE WHEN count(*) = 24000 AND sum(v) = 2400000 THEN 1 ELSE 0 END) FROM account;',
		'feeders_pay@2' => q{
			\set a random(1, 24000)
			\set b random(1, 24000)
			BEGIN;
			UPDATE account SET v = v - 10 WHERE id = least(:a, :b);
			UPDATE account SET v = v + 10 WHERE id = greatest(:a, :b);
			END;} });
	same_answer($session, 'SELECT count(*), sum(v) FROM account', 'afterwards', want => '24000|2400000');
}

# groups that the GPU process keeps for several sessions at once
$node->pgbench('-n -c 4 -j 2 -t 3', 0, [qr{actually processed: 12/12}], [qr{^$}], 'many groups in several sessions', {
	'feeders_groups' => 'SELECT 1 / (CASE WHEN count(*) = 12007 AND sum(c) = 120000 AND sum(s) = 7200060000 THEN 1 ELSE 0 END)
		FROM (SELECT g, count(*) AS c, sum(id) AS s FROM t GROUP BY g) q' =~ tr/\n\t/ /r });

# plans that run again and again
my @prepared = map { ask_postgres($session, "SELECT count(*), sum(n) FROM m WHERE k = $_ AND id > 100") } 0 .. 7;
for my $mode ('force_custom_plan', 'force_generic_plan')
{
	ask($session, "SET plan_cache_mode = $mode; PREPARE p (int, int) AS SELECT count(*), sum(n) FROM m WHERE k = \$1 AND id > \$2");
	my ($rows, $said) = ask($session, join '', map { "EXECUTE p ($_, 100);" } 0 .. 7);
	is($rows, join("\n", @prepared), "EXECUTE: $mode");
	is(feeders_told($said), 16, 'each time with feeders');
	ask($session, 'DEALLOCATE p; RESET plan_cache_mode');
}
same_answer($session, 'SELECT k, (SELECT sum(n) FROM m WHERE m.k = o.k) FROM o ORDER BY k', 'a subquery for each row');
same_answer($session, 'SELECT k, (SELECT sum(n) FROM m WHERE m.k = 5) FROM o ORDER BY k', 'a subquery once');
same_answer($session, 'SELECT o.k, q.k, c FROM o, LATERAL (SELECT m.k, count(*) AS c FROM m WHERE m.id % 5 = o.k GROUP BY m.k OFFSET 0) q ORDER BY 1, 2', 'groups for each row');
same_answer($session, 'SELECT k, (SELECT count(*) FROM (SELECT id FROM m WHERE id % 5 <> o.k GROUP BY id) q) FROM o ORDER BY k', 'many groups for each row');
demand($session, 'allow');
same_answer($session, 'SELECT k FROM o WHERE k * 5000 < (SELECT count(*) FROM m WHERE id > 1 + o.k)
	AND EXISTS (SELECT k FROM m GROUP BY k HAVING count(*) > o.k) ORDER BY k', 'subqueries in conditions');
demand($session, 'require');
same_answer($session, 'SELECT a.k, a.c, b.s FROM (SELECT k, count(*) AS c FROM m GROUP BY k) a JOIN (SELECT k, sum(n) AS s FROM t GROUP BY k) b USING (k) ORDER BY 1', 'two aggregates in one query');
same_answer($session, 'SELECT count(*), sum(n) FROM m WHERE n > (SELECT avg(n) FROM t)', 'an aggregate under an aggregate');

# Kinds of tables

demand($session, 'allow');
ask($session, q{
	CREATE UNLOGGED TABLE unlogged WITH (parallel_workers = 2) AS TABLE m;
	CREATE MATERIALIZED VIEW view WITH (parallel_workers = 2) AS TABLE m;
	CREATE TABLE parts (LIKE m) PARTITION BY LIST (k);
	CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1) WITH (parallel_workers = 1);
	CREATE TABLE part_2 PARTITION OF parts DEFAULT WITH (parallel_workers = 2);
	INSERT INTO parts TABLE m;
	CREATE TEMP TABLE own (id int, k int, n numeric(12,2));
	ALTER TABLE own SET (parallel_workers = 2);
	INSERT INTO own SELECT id, k, n FROM m});
demand($session, 'require');
same_answer($session, "$all unlogged", 'an unlogged table');
same_answer($session, "$all view", 'a materialised view');
same_answer($session, "$all part_2", 'a partition');

# Where there are none

same_answer($session, "$all own", 'a temporary table', feeders => 0);
for my $setting ('max_parallel_workers_per_gather = 0', 'max_parallel_workers = 0', 'gpudb.device = cpu')
{
	ask($session, "SET $setting");
	same_answer($session, 'SELECT k, count(*), sum(n) FROM m GROUP BY k ORDER BY k', $setting, feeders => 0);
	ask($session, 'RESET ' . $setting =~ s/ = .*//r);
}
{
	# PostgreSQL's own parallel query takes all workers that there are
	my $sleeper = start_query($node, 'SET gpudb.enabled = off; SET gpudb.debug_require = allow; SET max_parallel_workers_per_gather = 8;
		SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET parallel_leader_participation = off;
		ALTER TABLE unlogged SET (parallel_workers = 8); SELECT count(*) FROM unlogged WHERE pg_sleep(30) IS NOT NULL', 'sleeper');
	ok(defined wait_for(5, sub { workers($node) == 6 }), 'other workers take all processes that there may be');
	same_answer($session, 'SELECT k, count(*), sum(n) FROM m GROUP BY k ORDER BY k', 'max_worker_processes are there already', feeders => 0);
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'sleeper' AND backend_type = 'client backend'});
	end_query($sleeper);
	like($sleeper->{err}, qr/canceling statement due to user request/, 'they were, all along');
	ok(no_worker_left($node), 'now they are free');
}

# Statements around the aggregate

ask($session, 'CREATE TABLE x (k int, s numeric)');
($rows, $said) = ask($session, 'INSERT INTO x SELECT k, sum(n) FROM m GROUP BY k RETURNING k');
cmp_ok(feeders_told($said), '>', 0, 'INSERT ... SELECT: with feeders');
same_answer($session, 'SELECT count(*) FROM x FULL JOIN (SELECT k, sum(n) AS s FROM m GROUP BY k) y USING (k, s) WHERE x IS NULL OR y IS NULL', 'every row of it is right', want => 0);
($rows, $said) = ask($session, 'INSERT INTO x SELECT o.k, (SELECT sum(n) FROM m WHERE m.k = o.k) FROM o RETURNING s');
is($rows, ask_postgres($session, 'SELECT (SELECT sum(n) FROM m WHERE m.k = o.k) FROM o'), 'feeders between one inserted row and the next');
cmp_ok(feeders_told($said), '>', 0, 'they were there');
($rows, $said) = ask($session, 'BEGIN; UPDATE m SET n = (SELECT avg(n) FROM m) WHERE id % 1000 = 1; DELETE FROM m WHERE id = (SELECT max(id) FROM m)');
cmp_ok(feeders_told($said), '>', 3, 'UPDATE and DELETE of the table that is read');
same_answer($session, "$all m", 'they did what they should');
ask($session, 'ROLLBACK');
($rows, $said) = ask($session, 'CREATE TABLE y AS SELECT k, sum(n) AS s FROM m GROUP BY k;
	CREATE MATERIALIZED VIEW z AS SELECT k, sum(n) AS s FROM m GROUP BY k; COPY (SELECT sum(n) FROM m) TO STDOUT');
is($rows, ask_postgres($session, 'SELECT sum(n) FROM m'), 'COPY');
cmp_ok(feeders_told($said), '>', 5, 'CREATE TABLE AS, CREATE MATERIALIZED VIEW and COPY, with feeders');
is(ask($session, 'SELECT count(*) FROM y JOIN z USING (k, s) JOIN (SELECT k, sum(n) AS s FROM m GROUP BY k) m USING (k, s)'), 10, 'they hold what they should');

ask($session, q{
	CREATE FUNCTION between_writes(OUT a numeric, OUT b numeric, OUT c numeric) LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO m VALUES (100001, 1, 1000);
		SELECT sum(n) INTO a FROM m;
		BEGIN
			UPDATE m SET n = n + 1 WHERE id = 100001;
			SELECT sum(n) INTO b FROM m;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			SELECT sum(n) INTO c FROM m;
		END;
		DELETE FROM m WHERE id = 100001;
	END $$;
	CREATE FUNCTION total(wanted int) RETURNS numeric STABLE PARALLEL SAFE LANGUAGE sql AS 'SELECT sum(n) FROM m WHERE k = wanted';
	CREATE FUNCTION total_of_leader(wanted int) RETURNS numeric STABLE PARALLEL RESTRICTED LANGUAGE plpgsql AS
		'BEGIN RETURN (SELECT sum(n) FROM m WHERE k = wanted); END'});
$before = ask_postgres($session, 'SELECT sum(n) FROM m');
($rows, $said) = ask($session, "SELECT a - $before, b - a, c - a FROM between_writes()");
is($rows, '1000.00|1.00|0.00', 'a function that writes before, in between and after');
cmp_ok(feeders_told($said), '>=', 6, 'with feeders each time');
same_answer($session, 'SELECT sum(n) FROM m', 'what it wrote is gone', want => $before);
same_answer($session, 'SELECT total(3), total(4)', 'a parallel safe function');
demand($session, 'allow');
my $everywhere = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
ask($session, "SET $everywhere = on");
($rows, $said) = ask($session, 'SELECT total(3), total(4)');
is($rows, ask_postgres($session, 'SELECT total(3), total(4)'), 'the same in a parallel worker');
like($said, qr/Workers Launched: 1/, 'it was in one');
same_answer($session, 'SELECT k, sum(n) FROM m GROUP BY k ORDER BY k', "$everywhere = on");
ask($session, "RESET $everywhere; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0");
($rows, $said) = ask($session, q{SELECT k, count(*), total_of_leader(k) FROM m WHERE md5(w) > '8' OR id < 1000 GROUP BY k ORDER BY k});
is($rows, ask_postgres($session, q{SELECT k, count(*), total_of_leader(k) FROM m WHERE md5(w) > '8' OR id < 1000 GROUP BY k ORDER BY k}), 'a function above a Gather');
like($said, qr/Workers Launched: [1-9]/, 'which has workers');
cmp_ok(feeders_told($said), '>', 0, 'beside the feeders');
ask($session, 'RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size');
demand($session, 'require');

# a stable function is a constant, which is computed before; it may need feeders itself
ask($session, 'CREATE FUNCTION average() RETURNS numeric STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT avg(n) FROM m); END $$');
same_answer($session, 'SELECT count(*), sum(n) FROM m WHERE n > average()', 'a function that needs feeders in a filter',
	want => ask_postgres($other, 'SELECT count(*), sum(n) FROM m WHERE n > (SELECT average())'));

# another user, who may see the table only through a view
ask($session, 'CREATE VIEW through AS SELECT * FROM m WHERE k < 5; CREATE ROLE reader; GRANT SELECT ON through TO reader');
my $through = ask_postgres($session, "$all through");
ask($session, 'SET ROLE reader');
same_answer($session, "$all through", 'a user with no right to the table itself', want => $through);
ask($session, 'RESET ROLE');

# resumed programs
ask($session, 'SET gpudb.debug_yield = 20');
same_answer($session, $shape{'12,007 groups'}, 'gpudb.debug_yield', want => $want{'12,007 groups'});
ask($session, 'RESET gpudb.debug_yield');

# cursors: the answer is that of the moment when they were opened
{
	my $query = 'SELECT k, count(*), sum(n) FROM m GROUP BY k ORDER BY k';
	my @want = split /\n/, ask_postgres($session, $query);
	my @d = split /\n/, ask_postgres($session, 'SELECT id FROM m WHERE k = 9 LIMIT 2');
	($rows, $said) = ask($session, "BEGIN; DECLARE d CURSOR FOR SELECT id FROM m WHERE k = 9; FETCH 1 FROM d;
		DECLARE a SCROLL CURSOR FOR $query; DECLARE b CURSOR WITH HOLD FOR $query;
		DECLARE c CURSOR FOR SELECT o.k, (SELECT sum(n) FROM m WHERE m.k = o.k) FROM o;
		UPDATE m SET n = n + 7; FETCH 2 FROM a;
		SAVEPOINT s; DELETE FROM m WHERE k = 4; FETCH 2 FROM c; FETCH 1 FROM d; ROLLBACK TO s; SELECT sum(n) > 0 FROM m; FETCH 2 FROM a;
		INSERT INTO m VALUES (100002, 5, 5); FETCH FROM c; FETCH FIRST FROM a; FETCH LAST FROM a; CLOSE a;
		UPDATE m SET n = n - 7 WHERE id <> 100002; DELETE FROM m WHERE id = 100002; COMMIT;
		UPDATE m SET n = n + 1 WHERE id = 1000; FETCH 3 FROM b; FETCH 1 FROM b; CLOSE b");
	my @c = split /\n/, ask_postgres($session, 'UPDATE m SET n = n - 1 WHERE id = 1000; SELECT k, (SELECT sum(n) FROM m WHERE m.k = o.k) FROM o');
	is_deeply([ split /\n/, $rows ], [ $d[0], @want[ 0, 1 ], @c[ 0, 1 ], $d[1], 't', @want[ 2, 3 ], $c[2], @want[ 0, 9 ], @want[ 0 .. 3 ] ], 'cursors');
	cmp_ok(feeders_told($said), '>=', 8, 'with feeders, two in each of four aggregates');
}

# Failures

demand($session, 'allow');
for my $n (0, 1, 7)
{
	ask($session, "SET gpudb.debug_fail = $n");
	my $query = 'SELECT k, count(*), sum(n), min(c) FROM t GROUP BY k ORDER BY k';
	($rows, $said) = ask($session, $query);
	is($rows, ask_postgres($session, $query), "the device fails on window $n: the fallback's answer");
	like($said, qr/Fallback: runtime_error .*injected/, 'it was the fallback');
}
ask($session, 'RESET gpudb.debug_fail');
for my $expr ('id * 2000000000', 'id / (id - 99999)', 'CASE WHEN id = 119999 THEN id * 100000 END')
{
	my ($text) = (ask($session, "SET gpudb.enabled = off; SELECT sum($expr) FROM t"))[1] =~ /(ERROR: .*)/;
	ask($session, 'RESET gpudb.enabled');
	my ($got) = (ask($session, "SELECT sum($expr) FROM t"))[1] =~ /(ERROR: .*)/;
	is($got, $text, "sum($expr): " . ($text // 'no error'));
	($rows, $said) = ask($session, "DO \$\$ DECLARE v bigint; BEGIN
		BEGIN SELECT sum($expr) INTO v FROM t; EXCEPTION WHEN data_exception THEN RAISE NOTICE 'caught: %', sqlerrm; END;
		SELECT count(*) INTO v FROM t; RAISE NOTICE 'then %', v; END \$\$");
	like($said, qr/caught: @{[ $text =~ s,ERROR:  ,,r ]}.*Feeders: 2.*then 120000/s, 'caught, and then feeders again');
}
demand($session, 'require');

# an error while feeders run, in a subtransaction
($rows, $said) = ask($session, "SET statement_timeout = 60; DO \$\$ BEGIN
	BEGIN PERFORM q.* FROM ($long) q; EXCEPTION WHEN query_canceled THEN RAISE NOTICE 'caught'; END;
	PERFORM sum(n) FROM m; INSERT INTO x SELECT k, sum(n) FROM m GROUP BY k; END \$\$; RESET statement_timeout");
like($said, qr/caught.*Feeders: 2.*Feeders: 2/s, 'a timeout in the middle, caught; then feeders and a write in the same transaction');
unlike($said, qr/ERROR|WARNING/, 'without any complaint');
ok(no_worker_left($node), 'no worker is left');
ask($session, 'BEGIN; SAVEPOINT a; SET LOCAL statement_timeout = 60');
like((ask($session, $long))[1], qr/ERROR:  canceling statement due to statement timeout/, 'a timeout in a subtransaction');
ask($session, 'ROLLBACK TO a');
same_answer($session, $lines, 'a query after it');
ask($session, 'ROLLBACK');

# Ended from outside: the query ends soon, with PostgreSQL's message, and so do its feeders

sub cancel
{
	my ($query) = @_;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($query->{pid})");
}

sub terminate
{
	my ($query) = @_;
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($query->{pid})");
}

my @ending = (
	[ 'cancelled', [ 0, 120 ], \&cancel, qr/^ERROR:  canceling statement due to user request/ ],
	[ 'terminated', [60], \&terminate, qr/^FATAL:  terminating connection due to administrator command/ ],
	[ 'a feeder terminated', [ 0, 120 ], sub { kill 'TERM', $_[0]{feeders}[0] }, qr/^ERROR:  terminating background worker "parallel worker" due to administrator command/ ],
	[ 'a feeder cancelled', [60], sub { kill 'INT', $_[0]{feeders}[1] }, qr/^ERROR:  canceling statement due to user request/ ]);
for (@ending)
{
	my ($name, $delays, $act, $message) = @$_;
	for my $delay (@$delays)
	{
		my $query = start_fed($node, $long, 2);
		usleep(1000 * $delay);
		$act->($query);
		end_query($query);
		like($query->{err}, $message, "$name after $delay ms");
		cmp_ok($query->{took}, '<', 2, 'soon') or diag("$query->{took} s");
		ok(no_worker_left($node), 'no worker is left');
	}
}
same_answer($session, "$all t", 'the next query has feeders again');

# more of them than there are slots
{
	my $n = 0;
	my $numerics = $shape{numerics};
	for my $ms (1 .. 24)
	{
		$n++ if (ask($session, "SET statement_timeout = $ms; $numerics"))[1] =~ /canceling statement/;
	}
	ask($session, 'RESET statement_timeout');
	cmp_ok($n, '>', 4, "$n of 24 queries with two feeders timed out");
	($rows, $said) = ask($session, $numerics);
	is($rows, $want{numerics}, 'the next answer');
	unlike($said, qr/Tablets on CPU/, 'by the GPU alone');
	is(feeders_told($said), 2, 'with feeders');
}

# Stopped for a while: the backend, so that feeders read nearly all and then wait for it; a feeder, so that it waits
{
	for my $who ('the backend', 'a feeder')
	{
		my $query = start_fed($node, $long, 2);
		my $pid = $who eq 'a feeder' ? $query->{feeders}[0] : $query->{pid};
		kill 'STOP', $pid;
		usleep(250_000);
		kill 'CONT', $pid;
		is(end_query($query), $long_answer, "$who is stopped for a while");
	}
	# with more groups than fit a queue
	my $query = start_fed($node, $groups, 2);
	kill 'STOP', $query->{pid};
	usleep(400_000);
	kill 'CONT', $query->{pid};
	is(end_query($query), $groups_answer, 'feeders wait with many groups for the backend');
	$query = start_fed($node, $groups, 2);
	kill 'STOP', $query->{pid};
	usleep(400_000);
	cancel($query);
	kill 'CONT', $query->{pid};
	end_query($query);
	like($query->{err}, qr/canceling statement due to user request/, 'and it is cancelled then');
	ok(no_worker_left($node), 'no worker is left');
}

# The GPU process

sub wait_for_other
{
	my ($old) = @_;
	return defined wait_for(10, sub { my $pid = helper($node); $pid && $pid != $old
		  && $node->safe_psql('postgres', 'SET gpudb.debug_require = allow; EXPLAIN SELECT count(*) FROM tiny') =~ /Device: gpu$/m });
}

for ([ 'KILL', 0, $long, $long_answer ], [ 'KILL', 120, $groups, $groups_answer ], [ 'STOP', 120, $groups, $groups_answer ])
{
	my ($signal, $delay, $sql, $want) = @$_;
	my $pid = helper($node);
	my $query = start_fed($node, $sql, 2);
	usleep(1000 * $delay);
	kill $signal, $pid;
	is(end_query($query), $want, "the GPU process gets SIG$signal after $delay ms: the answer is right");
	cmp_ok($query->{took}, '<', 10, 'and comes in time') or diag("$query->{took} s");
	unlike($query->{err}, qr/ERROR|FATAL/, 'without an error');
	# a device may be done before the signal comes: another query finds out
	is((ask($session, $groups))[0], $groups_answer, 'nor does another query suffer');
	kill 'CONT', $pid;
	ok(wait_for_other($pid), 'another GPU process serves');
	same_answer($session, "$all t", 'with feeders');
}
ask($session, "SET gpudb.queue_timeout = '1ms'");
same_answer($session, $lines, 'who does not want to wait for it need not', warning => 'gpudb: the GPU was busy with other queries for too long');
is((ask($session, $groups))[0], $groups_answer, 'nor does it lose device-resident groups');
ask($session, 'RESET gpudb.queue_timeout');

# Tablets: each process leaves those behind that it has drawn, and so the next query needs no help
my $cached = 'SELECT k, z, count(*), sum(id), sum(n), max(f), min(r), max(later), min(c) FROM t GROUP BY k, z ORDER BY k, z';
my $tablets = ask($session, "SELECT (pg_relation_size('t') / 8192 + 1020) / 1021");
ask($session, 'SET gpudb.cache = on');
for my $when ('nothing is cached', 'some tablets are worn', 'many are')
{
	my $want = ask_postgres($session, $cached);
	my ($got, $told) = ask($session, $cached);
	is($got, $want, "$when: the answer is right");
	cmp_ok(feeders_told($told), '>', 0, "$when: with feeders") if $when ne 'some tablets are worn';
	my ($n) = $told =~ /Tablets Added: (\d+)/;
	cmp_ok($n // 0, '>=', $when eq 'some tablets are worn' ? 1 : $tablets, "$when: tablets are left behind") or diag($told);
	unlike($told, qr/Left to CPU/, "$when: by the GPU");
	is(ask($session, q{SELECT sum(differences) FROM gpudb.check('t')}), 0, "$when: they have what the heap has");
	($got, $told) = ask($session, $cached);
	is($got, $want, "$when: the next query's answer is right");
	like($told, qr/Tablets: (\d+)\n\s*Tablets Cached: \1\n/, "$when: the next query finds them") or diag($told);
	is(feeders_told($told), 0, "$when: and needs no feeders");
	ask($session, $when eq 'nothing is cached' ? 'UPDATE t SET n = n + 1 WHERE id % 200 = 7' : 'UPDATE t SET n = n + 1 WHERE id % 16 = 3');
}
ask($session, q{SELECT gpudb.evict('t')});
# a GPU process that is stopped has them wait for it
my $stopped = helper($node);
kill 'STOP', $stopped;
my $query = start_fed($node, "SET gpudb.cache = on; $long_cached", 2);
kill 'TERM', $query->{feeders}[0];
kill 'CONT', $stopped;
end_query($query);
like($query->{err}, qr/ERROR: .*terminat|ERROR: .*lost/, 'a worker is terminated that leaves tablets behind');
ok(no_worker_left($node), 'no worker is left');
# PostgreSQL first: it prunes pages, and so changes them
my $long_answer = ask_postgres($session, $long_cached);
is((ask($session, $long_cached))[0], $long_answer, 'the next query is right');
like((ask($session, $long_cached))[1], qr/Tablets: (\d+)\n\s*Tablets Cached: \1\n/, 'nobody holds on to a tablet');
is(ask($session, q{SELECT gpudb.evict('t') > 0}), 't', 'tablets can be forgotten');
ask($session, 'RESET gpudb.cache');

# Slots.  A cursor that is open has one.
ask($other, 'BEGIN; ' . join '', map { "DECLARE c$_ CURSOR FOR SELECT id FROM m WHERE k = 1; FETCH 1 FROM c$_;" } 1 .. 63);
same_answer($session, $lines, 'a slot for the backend, none for feeders', feeders => 0);
ask($other, 'CLOSE c7');
same_answer($session, $lines, 'a slot for one of two feeders');
ask($other, 'COMMIT');

# A cursor that has read far has given back what it needs no more.
ask($other, 'BEGIN; ' . join '', map { "DECLARE c$_ CURSOR FOR SELECT id FROM m WHERE k < 8; MOVE 20000 FROM c$_;" } 1 .. 40);
same_answer($session, $lines, 'beside cursors that have read far');
unlike((ask($session, $lines))[1], qr/Left to CPU/, 'there is room for all windows');
ask($other, 'COMMIT');

# The end

ok(no_worker_left($node), 'no worker is left');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE relation IN ('t'::regclass, 'm'::regclass)}), '0', 'no lock is left');
ok(all_pins_free(), 'no pin is lost');
is($node->safe_psql('postgres', 'SET gpudb.debug_require = allow; DELETE FROM t WHERE k = 9; VACUUM (DISABLE_PAGE_SKIPPING) t; SELECT count(*) FROM t'), '108000', 'no page stays pinned');
$_->quit for $session, $other;

# Pages from outside of shared_buffers, and one that is damaged: whoever reads it, the error is PostgreSQL's

my $file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('m')});
$node->stop;
open my $m, '+<', $file or die $!;
seek $m, 8192 * 1300 + 12, 0;
print $m "\xff" x 8;
close $m;
$node->start;
ok(wait_for_other(0), 'a GPU process serves');
$session = open_session($node);
($rows, $said) = ask($session, "$all t");
is(feeders_told($said), 2, 'pages from outside of shared_buffers: with feeders');
is($rows, ask_postgres($session, "$all t"), 'the answer is right');
my ($want) = (ask($session, "SET gpudb.enabled = off; SET gpudb.debug_require = allow; SELECT sum(n) FROM m"))[1] =~ /(ERROR: .*)/;
ask($session, 'RESET gpudb.enabled; RESET gpudb.debug_require');
like($want, qr/invalid page in block 1300/, 'there is a damaged page');
is(((ask($session, 'SELECT sum(n) FROM m'))[1] =~ /(ERROR: .*)/)[0], $want, 'the error is the same') for 1 .. 3;
same_answer($session, 'SELECT sum(n) FROM t', 'and then another query');
$session->quit;
ok(no_worker_left($node), 'no worker is left');
$node->stop;
my $log = slurp_file($node->logfile);
unlike($log, qr/leak|PANIC|still referenced|terminated by signal (?!9\b)|TRAP|snapshot .* still active/, 'no crash, and nothing is left behind');
is(scalar(() = $log =~ /terminated by signal 9/g), 3, 'nobody was killed but the GPU process, three times');
done_testing();
