# What is too much, and what breaks in the middle: a pool that holds a part of what is asked of, or more than the machine has,
# thousands of tables, crashes while columns are built, no shared memory for workers, and writers that do not stop.  Answers stay
# PostgreSQL's, others go on, and nothing is left.
use strict;
use warnings;
use GpuProcess;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $limit = 120;    # seconds for what must end

my $common = "gpudb.device = cpu\ngpudb.force = on\ngpudb.cpu_threads = 3\nshared_buffers = 64MB\nmax_wal_size = 4GB\nfsync = off\nautovacuum = off\njit = off\n";
my $node;

# A server with these settings, which $node is from now on.
sub start_server
{
	my ($name, $settings) = @_;
	$node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', $common . $settings);
	$node->start;
	run_sql('CREATE EXTENSION gpudb');
	return;
}

sub run_sql { return $node->safe_psql('postgres', $_[0]); }
sub without_gpudb { return run_sql("SET gpudb.enabled = off; $_[0]"); }
sub complaints { return join("\n", grep { /\b(ERROR|WARNING|FATAL|PANIC):|terminated by signal/ } split /\n/, slurp_file($node->logfile)); }
sub differences { return run_sql("SELECT sum(differences) FROM gpudb.check('$_[0]')"); }
sub tablets_of { return run_sql("SELECT (pg_relation_size('$_[0]') / current_setting('block_size')::int + 1020) / 1021"); }
sub answer_of { return "SELECT string_agg(q::text, ' ' ORDER BY q::text) FROM ($_[0] OFFSET 0) q"; }

# A query is the same with gpudb, run by a node of its, as without.
sub agrees
{
	my ($query, $what) = @_;
	is(run_sql('SET gpudb.debug_require = require; ' . answer_of($query)), without_gpudb(answer_of($query)), $what);
	return;
}

# A script for pgbench that fails where a query's answer is not the one that PostgreSQL has given.
sub checking
{
	my ($query) = @_;
	my $right = without_gpudb(answer_of($query));
	return "SELECT 1 / ((" . answer_of($query) . ") = '$right')::int;\n";
}

# What gpudb.prewarm() may say where others take the room at that moment.
my $no_room = qr/[^\n]*WARNING:  nothing of relation "\w+" can be cached now\n?/;

# Several sessions run scripts for so many seconds.
sub bench
{
	my ($clients, $seconds, $what, %script) = @_;
	# a value that others have added to a dictionary meanwhile may leave a query to PostgreSQL
	$node->pgbench("--no-vacuum --client=$clients --jobs=2 --time=$seconds", 0, [qr{number of transactions actually processed: [1-9]}], [qr{^(?:$no_room)*$}],
		$what, {map { ("029_$_" => $script{$_}) } sort keys %script});
	return;
}

# A pool that has room for a part of the tables, and not for all of one of them
start_server('small', "gpudb.pool_size = 16MB\nmax_connections = 50\n");
my $hashes = join(', ', map { "hashint8extended(i, $_) AS h$_" } 1 .. 3);
run_sql("CREATE TABLE large AS SELECT i AS id, i % 13 AS k, 'word ' || i % 700 AS w, $hashes FROM generate_series(1, 700000) i");
run_sql("CREATE TABLE part_$_ AS SELECT i AS id, i % 7 AS k, 'word ' || (i * $_) % 3000 AS w, md5((i * $_)::text) AS m, hashint8extended(i, $_) AS h FROM generate_series(1, 90000) i") for 1 .. 5;
run_sql('VACUUM ANALYZE');
my %on_small = (
	large_groups => 'SELECT k, count(*), sum(id), sum(h1), max(h2), min(h3) FROM large GROUP BY k',
	large_words => "SELECT w, count(*), sum(h1) FROM large WHERE w LIKE '%77' GROUP BY w",
	map {
		("groups_$_" => "SELECT k, count(*), sum(h), min(id) FROM part_$_ WHERE w <> 'word 3' GROUP BY k",
			"texts_$_" => "SELECT count(*), max(m), sum(id) FROM part_$_ WHERE m LIKE '%ab%'",
			"rows_$_" => "SELECT id, w, h FROM part_$_ WHERE h % 1000 = 77")
	} 1 .. 5);
agrees($on_small{$_}, "a small pool: $_") for sort keys %on_small;
my $cached = run_sql('SELECT sum(bytes) FROM gpudb.cache');
cmp_ok($cached, '>', 1024 * 1024, 'it is used');
cmp_ok($cached, '<=', 16 * 1024 * 1024, 'and no larger than it is');
# what the worker has claimed it builds itself, and while it holds a tablet there may be no room for another
$cached = 0;
for (my $tries = 0; $cached == 0 && $tries < 50; $tries++)
{
	usleep(100_000) if $tries > 0;
	$cached = run_sql("SELECT gpudb.prewarm('large')");
}
cmp_ok($cached, '>', 0, 'a table that is larger than the pool is prewarmed as far as there is room');
cmp_ok(run_sql("SELECT count(DISTINCT first_block) FROM gpudb.tablets WHERE relation = 'large'::regclass"), '<', tablets_of('large') * 5,
	'which is not all of it');
bench(5, 6, 'a small pool: answers are right while columns come and go',
	(map { ("small_$_" => checking($on_small{$_})) } keys %on_small),
	(map { ("prewarm_$_\@2" => "SELECT gpudb.prewarm('part_$_');\nSELECT gpudb.evict('part_$_');\n") } 1 .. 5),
	'prewarm_large@2' => "SELECT gpudb.prewarm('large');\nSELECT gpudb.evict('large');\n");
agrees($on_small{$_}, "and then: $_") for sort keys %on_small;
for my $table ('part_1', 'part_5')
{
	run_sql("SELECT gpudb.prewarm('$table', '{id,w,h}')");
	is(differences($table), '0', "what is cached of $table is what the heap has");
}
is(run_sql('SELECT count(*) FROM gpudb.progress'), '0', 'nothing is told to be under way');
is(complaints() =~ s/$no_room//gr, '', 'and nothing is in the log');
run_sql("SELECT gpudb.evict(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace");
my @room = map { run_sql("SELECT gpudb.prewarm('part_$_', '{id,k,w,h}')") } 1 .. 3;
is("@room", join(' ', map { tablets_of("part_$_") } 1 .. 3), 'what was evicted has left its room');
$node->stop;

# The least that a pool may have
start_server('least', "gpudb.pool_size = 1MB\n");
run_sql("CREATE TABLE t AS SELECT i AS id, i % 7 AS k, 'word ' || i % 1000 AS w, md5(i::text) AS m FROM generate_series(1, 60000) i");
run_sql('VACUUM ANALYZE t');
for my $round (1 .. 2)
{
	agrees("SELECT k, count(*), sum(id), max(m) FROM t WHERE w LIKE '%7' GROUP BY k", 'a pool of 1 MB');
	agrees('SELECT k, count(*) FROM t GROUP BY k', 'and what fits');
}
$node->stop;

# Texts that are too large for the pool are left out, and the other columns are there
start_server('texts', "gpudb.pool_size = 16MB\n");
run_sql(q{CREATE TABLE texts AS SELECT i, 'word ' || i % 100 AS w, md5(i::text) AS m FROM generate_series(1, 300000) i; VACUUM ANALYZE texts});
is(run_sql("SELECT gpudb.prewarm('texts')"), tablets_of('texts'), 'texts that are too large are left out');
is(run_sql("SELECT columns FROM gpudb.cache WHERE relation = 'texts'::regclass"), '{i,w}', 'and the other columns are there');
like(($node->psql('postgres', "SELECT gpudb.prewarm('texts', '{m}')"))[2], qr/WARNING:  column "m" of relation "texts" cannot be cached\nDETAIL:  Its texts are too large a part of the pool/,
	'who names them is told');
$node->stop;

# A pool that is larger than the memory: it is said, and nothing is taken before it is filled
my ($memory) = slurp_file('/proc/meminfo') =~ /MemTotal:\s+(\d+) kB/;
my $most = 1024 * 1024;
my $megabytes = int($memory / 512) < $most ? int($memory / 512) : $most;
# a kernel that counts what may be taken maps no more than it has
$megabytes = 64 if slurp_file('/proc/sys/vm/overcommit_memory') == 2;
sub shared_by { return slurp_file("/proc/$_[0]/status") =~ /RssShmem:\s+(\d+) kB/ ? $1 : undef; }
start_server('huge', "gpudb.pool_size = ${megabytes}MB\n");
is(run_sql("SELECT setting FROM pg_settings WHERE name = 'gpudb.pool_size'"), $megabytes, 'a pool that is larger than the memory');
my $taken = shared_by($node->{_pid});
# the shelf directory is there from the start
cmp_ok($taken, '<', 256 * 1024 + $megabytes * 1024 / 100, "takes little of it at the start ($taken kB)");
if ($megabytes > $memory / 1024)
{
	like(slurp_file($node->logfile), qr/WARNING:  gpudb\.pool_size and shared_buffers are \d+ MB together, and the server has \d+ MB of memory/, 'which is said');
}
run_sql("CREATE TABLE t AS SELECT i AS id, i % 7 AS k, 'word ' || i % 1000 AS w, md5(i::text) AS m FROM generate_series(1, 100000) i");
run_sql('VACUUM ANALYZE t');
agrees("SELECT k, count(*), sum(id) FROM t WHERE w LIKE '%7' GROUP BY k", 'its answers') for 1 .. 2;
is(run_sql("SELECT gpudb.prewarm('t')"), tablets_of('t'), 'and columns that were lacking');
is(differences('t'), '0', 'are right');
my $session = $node->background_psql('postgres');
my $pid = $session->query_safe('SELECT pg_backend_pid()');
$session->query_safe('SELECT k, count(*), sum(id), max(m) FROM t GROUP BY k');
cmp_ok(shared_by($pid), '<', (64 + 64) * 1024, 'who reads them has shared_buffers and little more');
$session->quit;
$node->stop;

# No room in the address space: it does not start, and says why
my $log = $node->logfile;
$node->append_conf('postgresql.conf', 'gpudb.pool_size = 64GB');
my $pg_ctl = $node->config_data('--bindir') . '/pg_ctl';
isnt(system('sh', '-c', 'ulimit -v 2000000 && exec "$0" "$@" >/dev/null 2>&1', $pg_ctl, '-D', $node->data_dir, '-l', $log, '-w', 'start'), 0,
	'a pool for which there is no address space: the server does not start');
like(slurp_file($log), qr/FATAL:  gpudb could not map \d+ bytes of shared memory: /, 'and says why');
$node->append_conf('postgresql.conf', 'gpudb.pool_size = ' . ($most + 1) . 'MB');
$node->start;
like(slurp_file($log), qr/WARNING:  .* is outside the valid range for parameter "gpudb\.pool_size"/, 'more than offsets reach is refused');
agrees('SELECT count(*), sum(id) FROM t', 'and the server starts');
$node->stop;

# More tables than there is room for in any directory.  On what stands in a GPU's place a query of texts has its columns admitted at once.
start_server('many', "gpudb.pool_size = 16MB\ngpudb.provider = cpu\ngpudb.auto_prewarm = on\nmax_locks_per_transaction = 128\nlog_min_messages = warning\n");
my $tables = 10_000;
run_sql("DO \$\$ BEGIN FOR t IN 1 .. $tables LOOP
	EXECUTE format('CREATE TABLE many_%s AS SELECT i + %1\$s AS id, (''word '' || i %% 3 || '' of %1\$s'')::varchar(40) AS w FROM generate_series(1, 20) i', t);
	IF t % 500 = 0 THEN COMMIT; END IF;
END LOOP; END \$\$");
is(run_sql("SELECT count(*) FROM pg_class WHERE relname ~ '^many_'"), $tables, "$tables tables");
# every so many of them, from one on
sub ask_tables
{
	my ($device, $step, $from) = @_;
	return $node->psql('postgres', "SET gpudb.device = $device; SET gpudb.debug_require = require;
		DO \$\$ DECLARE n int; s int; BEGIN FOR t IN $from .. $tables BY $step LOOP
			EXECUTE format('SELECT count(*), sum(id) FROM many_%s WHERE w = ''word 1 of %1\$s''', t) INTO n, s;
			IF n <> 7 OR s <> 70 + 7 * t THEN RAISE EXCEPTION 'many_%: % %', t, n, s; END IF;
			IF t % 100 = 0 THEN COMMIT; END IF;
		END LOOP; END \$\$");
}
is_deeply([ ask_tables('cpu', 4, 1) ], [ 0, '', '' ], 'right answers, on the CPU');
is_deeply([ ask_tables('gpu', 9, 2) ], [ 0, '', '' ], 'right answers, on what stands in a GPU\'s place');
is_deeply([ ask_tables('gpu', 9, 2) ], [ 0, '', '' ], 'and again');
my $prewarmed = run_sql("SELECT sum(gpudb.prewarm(('many_' || t)::regclass)) FROM generate_series(1, $tables, 7) t");
cmp_ok($prewarmed, '>', 0, 'they are prewarmed');
is_deeply([ ask_tables('cpu', 7, 1) ], [ 0, '', '' ], 'right answers of those');
my $shelves = run_sql('SELECT count(*) FROM gpudb.cache');
ok($shelves > 0 && $shelves <= 64, "gpudb.cache shows those that have a place ($shelves)");
cmp_ok(run_sql('SELECT count(*) FROM gpudb.tablets'), '>=', $shelves, 'gpudb.tablets shows their columns');
my $dictionaries = run_sql('SELECT count(*) FROM gpudb.dictionaries');
ok($dictionaries > 0 && $dictionaries <= 64, "gpudb.dictionaries shows those that have one ($dictionaries)");
cmp_ok(run_sql('SELECT count(*) FROM gpudb.admission'), '>', 10, 'gpudb.admission shows accounts');
run_sql("DO \$\$ BEGIN FOR t IN 1 .. $tables LOOP
	EXECUTE 'DROP TABLE many_' || t;
	IF t % 500 = 0 THEN COMMIT; END IF;
END LOOP; END \$\$");
is(run_sql('SELECT (SELECT count(*) FROM gpudb.cache) + (SELECT count(*) FROM gpudb.tablets) + (SELECT count(*) FROM gpudb.admission)'), '0', 'dropped: no view shows them');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gpudb prewarm'"), 'the worker ends');
run_sql("CREATE TABLE one AS SELECT i AS id, 'word ' || i % 5 AS w FROM generate_series(1, 1000) i");
agrees('SELECT w, count(*), sum(id) FROM one GROUP BY w', 'another table');
is(run_sql("SELECT tablets FROM gpudb.cache WHERE relation = 'one'::regclass"), '1', 'which has a place');
is(complaints(), '', 'and nothing is in the log');
$node->stop;

# Crashes while columns are built
start_server('crashes', "gpudb.pool_size = 64MB\nrestart_after_crash = on\ngpudb.provider = cpu\ngpudb.auto_prewarm = off\n");
run_sql(q{
	CREATE TABLE built (id int, n numeric, word text, filler text);
	ALTER TABLE built ALTER filler SET STORAGE PLAIN;
	INSERT INTO built SELECT i, i, 'word ' || i % 7, repeat('-', 7000) FROM generate_series(1, 40000) i;
	ALTER TABLE built ALTER word SET STORAGE EXTERNAL;
	INSERT INTO built VALUES (0, 0, repeat('long ', 300), repeat('-', 7000));
	CREATE TABLE wide AS SELECT i AS id, 'word ' || i % 1000 AS a, 'term ' || i % 900 AS b, 'name ' || i % 800 AS c FROM generate_series(1, 400000) i;
});
run_sql('VACUUM ANALYZE');
run_sql('CHECKPOINT');
sub times_restarted { my $n = () = slurp_file($node->logfile) =~ /all server processes terminated; reinitializing/g; return $n; }
my $before = 0;

# After a process was killed: the server has restarted, forgotten everything, and builds it again.
sub comes_back
{
	my ($what) = @_;
	ok(defined wait_for($limit, sub { times_restarted() > $before }), "$what: the server restarts");
	$before = times_restarted();
	$node->poll_query_until('postgres', 'SELECT true');
	is(run_sql('SET gpudb.enabled = off; SELECT (SELECT count(*) FROM gpudb.tablets) + (SELECT count(*) FROM gpudb.dictionaries) + (SELECT count(*) FROM gpudb.progress)
		+ (SELECT count(*) FROM gpudb.admission)'), '0', 'nothing is cached, nor told to be under way');
	agrees('SELECT word, count(*), sum(id), sum(n) FROM built GROUP BY word', 'answers are right');
	agrees('SELECT a, count(*), max(b), min(c) FROM wide WHERE a <> b GROUP BY a', 'of the other table, too');
	run_sql("SELECT gpudb.evict('built'), gpudb.evict('wide')");
	is(run_sql("SELECT gpudb.prewarm('built', '{id,n,word}') || ' ' || gpudb.prewarm('wide')"), tablets_of('built') . ' ' . tablets_of('wide'), 'everything is built again');
	is(differences('built') . differences('wide'), '00', 'and right');
	run_sql("SELECT gpudb.evict('built'), gpudb.evict('wide')");
	return;
}

# A session builds, again and again; it, or a worker of its, is killed in the middle
for my $whom ('session', 'worker')
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_until(qr/^begun/m, "\\echo begun\nSELECT gpudb.prewarm('built', '{id,n,word}') FROM generate_series(1, 100000), LATERAL (SELECT gpudb.evict('built')) e;\n");
	ok(defined wait_for($limit, sub {
		my ($worker) = children($node->{_pid}, "parallel worker for PID $pid");
		return defined $worker && kill 'KILL', $whom eq 'session' ? $pid : $worker;
	}), "killed: the $whom that builds");
	comes_back($whom);
	like(slurp_file($node->logfile), qr/was terminated by signal 9/, 'it was killed');
	eval { $session->quit };
}

# The worker of queries that wanted columns: it waits in the middle for a value that is stored elsewhere
$node->append_conf('postgresql.conf', 'gpudb.auto_prewarm = on');
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('gpudb.auto_prewarm') = 'on'");
my $elsewhere = run_sql("SELECT indexrelid::regclass FROM pg_index JOIN pg_class c ON indrelid = reltoastrelid WHERE c.oid = 'built'::regclass");
my $locker = $node->background_psql('postgres');
$locker->query_safe("BEGIN; REINDEX INDEX $elsewhere");
# the query waits, too, and has its columns admitted before
my $waits = start_query($node, 'SET gpudb.device = gpu; SELECT word, count(*) FROM built GROUP BY word', 'waits', $limit);
my $worker;
ok(defined wait_for($limit, sub {
	$worker = run_sql("SELECT a.pid FROM pg_stat_activity a JOIN gpudb.progress USING (pid) WHERE backend_type = 'gpudb prewarm' AND wait_event_type = 'Lock'");
	return $worker ne '';
}), 'a worker builds');
agrees('SELECT count(*), sum(id) FROM built', 'it keeps nobody from the columns that are there');
agrees('SELECT a, count(*), max(b), min(c) FROM wide WHERE a <> b GROUP BY a', 'nor from others');
is(run_sql("SELECT gpudb.prewarm('wide') + gpudb.evict('wide') > 0"), 't', 'nor from building them');
run_sql('INSERT INTO built SELECT i FROM generate_series(1, 10) i; DELETE FROM built WHERE n IS NULL');
$node->append_conf('postgresql.conf', 'gpudb.auto_prewarm = off');
$node->reload;
is(kill('KILL', $worker), 1, 'killed: the worker');
comes_back('the worker');
eval { $locker->quit };
end_query($waits);
is(() = complaints() =~ /PANIC|terminated by signal (?!9)/g, 0, 'nothing else has crashed');
$node->stop;

# Dynamic shared memory for workers, in a file system of the server's own that is full.  The pool's memory is none of a file system's.
start_server('full', "gpudb.pool_size = 64MB\ngpudb.provider = cpu\nmax_parallel_workers_per_gather = 2\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nmin_parallel_table_scan_size = 0\ngpudb.queue_timeout = 1min\n");
run_sql(q{
	CREATE TABLE large (id int, n int, word text, filler text);
	ALTER TABLE large ALTER filler SET STORAGE PLAIN;
	INSERT INTO large SELECT i, i % 100, 'word ' || i % 7, repeat('-', 7000) FROM generate_series(1, 34000) i;
});
run_sql('VACUUM ANALYZE large');
my $right = without_gpudb('SET max_parallel_workers_per_gather = 0; SELECT count(*), sum(n) FROM large WHERE id % 3 = 0');
$node->stop;
# a user may mount what only this user's processes see, where the kernel lets one
sub apart
{
	my @user = ('--map-user=' . $<, '--map-group=' . (split / /, $()[0]);
	return system('unshare', '--user', '--map-root-user', '--mount', 'sh', '-c',
		'mount -t tmpfs -o size=2m tmpfs /dev/shm && exec unshare --user "$@" >/dev/null 2>&1', 'sh', @user, @_) == 0;
}
SKIP:
{
	skip 'no file system of one\'s own here', 1 if !apart('true');
	ok(apart($pg_ctl, '-D', $node->data_dir, '-l', $node->logfile, '-w', 'start'), 'a server with a small file system for shared memory');
	$node->_update_pid(1);
	my $file = "/proc/$node->{_pid}/root/dev/shm/filling";
	my $gpu = 'SET gpudb.device = gpu; SET gpudb.cache = off';
	my $sum = 'SELECT count(*), sum(n) FROM large WHERE id % 3 = 0';
	like(run_sql("$gpu; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sum"), qr/Feeders: [12]/, 'as long as there is room, others help');
	system('dd', 'if=/dev/zero', "of=$file", 'bs=4k', 'count=1000', 'status=none');
	cmp_ok(-s $file, '<', 2 * 1024 * 1024, 'which is full');
	is(run_sql("SET gpudb.debug_require = require; $sum"), $right, 'a query is answered');
	is(run_sql("SET gpudb.debug_require = require; $sum"), $right, 'and again, from what it has left behind');
	cmp_ok(run_sql("SELECT tablets FROM gpudb.cache WHERE relation = 'large'::regclass"), '>', 0, 'the pool has room');
	run_sql("SELECT gpudb.evict('large')");
	is(run_sql("SET gpudb.cpu_threads = 1; SELECT gpudb.prewarm('large', '{id,n,word}')"), tablets_of('large'), 'a session builds alone');
	is(differences('large'), '0', 'the columns are right');
	is(run_sql("$gpu; SET max_parallel_workers_per_gather = 0; SET gpudb.debug_require = require; $sum"), $right, 'and feeds alone');

	# who wants workers does without
	for my $wants ("$gpu; $sum", "SELECT gpudb.evict('large') > 0; SELECT gpudb.prewarm('large', '{id,n,word}')")
	{
		my ($result, $out, $err) = $node->psql('postgres', $wants);
		is("$result $err", '0 ', "there is no room for workers: $wants");
		is(run_sql('SELECT count(*) FROM gpudb.progress'), '0', 'nothing is told to be under way');
		is(run_sql("$gpu; SET max_parallel_workers_per_gather = 0; $sum"), $right, 'the next one is answered');
	}
	unlink $file;
	run_sql("SELECT gpudb.evict('large')");
	is(run_sql("SELECT gpudb.prewarm('large', '{id,n,word}')"), tablets_of('large'), 'with room again: prewarmed by workers');
	is(differences('large'), '0', 'and right');
	is(run_sql("$gpu; $sum"), $right, 'and others help');
	unlike(complaints(), qr/PANIC|FATAL(?!:  terminating connection due to administrator command)|terminated by signal/, 'nothing has crashed');
	$node->stop;
}

# Writers at full speed, who move what they find from one row to another: in every snapshot the sum is the same
start_server('writers', "gpudb.pool_size = 64MB\nmax_connections = 50\n");
run_sql(q{
	CREATE TABLE accounts (id int PRIMARY KEY, region text, balance numeric(12,2), moved int) WITH (fillfactor = 70);
	INSERT INTO accounts SELECT i, 'region ' || i % 20, 100, 0 FROM generate_series(1, 60000) i;
	CREATE TABLE regions AS SELECT 'region ' || i AS region, i FROM generate_series(0, 19) i;
	CREATE TABLE moves (a int, b int, amount int, at timestamptz DEFAULT now());
});
run_sql('VACUUM ANALYZE');
my $all = "count(*) = 60000 AND sum(balance) = 6000000 AND sum(moved) = 0";
my %reading = (
	total => "SELECT 1 / ($all)::int FROM accounts;\n",
	region => "SELECT 1 / (sum(c) = 60000 AND sum(s) = 6000000 AND count(*) = 20 AND min(c) = 3000)::int FROM
		(SELECT region, count(*) AS c, sum(balance) AS s FROM accounts GROUP BY region OFFSET 0) r;\n" =~ s/\n\s+/ /r,
	joined => "SELECT 1 / ($all AND sum(i) = 570000)::int FROM accounts JOIN regions USING (region);\n",
	rows => "SELECT 1 / (count(*) = 3000 AND min(id) = 7)::int FROM (SELECT id, balance FROM accounts WHERE region = 'region 7' OFFSET 0) r;\n");
bench(6, 6, 'writers at full speed: sums hold in every snapshot',
	map({ ("reading_$_" => $reading{$_}) } keys %reading),
	'move@20' => q{\set a random(1, 59999)
\set b random(:a + 1, 60000)
\set amount random(1, 50)
BEGIN;
UPDATE accounts SET balance = balance - :amount, moved = moved - 1 WHERE id = :a;
UPDATE accounts SET balance = balance + :amount, moved = moved + 1 WHERE id = :b;
INSERT INTO moves (a, b, amount) VALUES (:a, :b, :amount);
COMMIT;
},
	'undone@2' => "\\set a random(1, 60000)\nBEGIN;\nUPDATE accounts SET balance = balance + 1 WHERE id = :a;\nROLLBACK;\n",
	'build@2' => "SELECT gpudb.prewarm('accounts');\n",
	'evict' => "SELECT gpudb.evict('accounts');\n",
	'vacuum' => "VACUUM accounts;\n");
cmp_ok(run_sql('SELECT count(*) FROM moves'), '>', 0, 'rows have been written');
is(run_sql("SET gpudb.debug_require = require; SELECT $all FROM accounts"), 't', 'and then');
agrees('SELECT region, count(*), sum(balance), sum(moved) FROM accounts GROUP BY region', 'and of each region');
run_sql('VACUUM accounts');
run_sql("SELECT gpudb.prewarm('accounts')");
is(differences('accounts'), '0', 'what is cached is what the heap has');
is(complaints(), '', 'and nothing is in the log');
$node->stop;
done_testing();
