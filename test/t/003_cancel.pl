# Cancel and statement_timeout in the middle of a long query: it ends soon, and the session is as good as before.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = PostgreSQL::Test::Cluster->new('cancel');
$node->init;
$node->append_conf('postgresql.conf', "shared_buffers = 256MB\nmax_parallel_workers_per_gather = 0");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE rows (id int NOT NULL, k int, n numeric(12,2), t text);
	INSERT INTO rows SELECT i, i % 10, i % 1000, repeat('text', 5) || i FROM generate_series(1, 600000) i;
	CREATE TABLE outer_rows AS SELECT i AS k FROM generate_series(1, 1000000) i;
	CREATE TABLE few AS SELECT i AS id FROM generate_series(1, 500) i;
	VACUUM ANALYZE rows, outer_rows, few;
});

# each runs for many seconds: one node over a large table, a scan, and a node that is run again and again
my $expensive = join ' + ', map { "CASE WHEN t LIKE '%e%x%t%t%e%$_%x%' THEN 1 ELSE 0 END" } (1 .. 90);
my %slow = (
	'one aggregate' => "SELECT sum($expensive) FROM rows",
	'an aggregate in a loop' => 'SELECT (SELECT sum(n) FROM rows WHERE rows.k = o.k % 10 AND rows.id > o.k) FROM outer_rows o',
	'a scan in a loop' => "SELECT (SELECT count(t) FROM (SELECT t FROM rows WHERE rows.k = o.k % 10 OFFSET 0) s) FROM outer_rows o",
	'groups in a loop' => 'SELECT (SELECT count(*) FROM (SELECT id, count(*) FROM rows WHERE id > o.k GROUP BY id) g) FROM outer_rows o',
	'pairs of one tile' => 'SELECT ' . join(', ', map { "sum(f.id * o.k % $_)" } 11 .. 20) . ' FROM few f JOIN outer_rows o ON o.k BETWEEN f.id - 1000000 AND f.id + 1000000',
	'a cursor' => 'DO $$ DECLARE r record; BEGIN FOR i IN 1 .. 1000 LOOP FOR r IN SELECT id FROM rows WHERE k < 9 LOOP NULL; END LOOP; END LOOP; END $$',
);
my $good = 'SELECT count(*), sum(id) FROM rows WHERE k = 3';
for my $name (sort keys %slow)
{
	for my $delay (50, 400)
	{
		my ($out, $err);
		my $start = time();
		$node->psql('postgres', "SET gpudb.force = on; SET statement_timeout = $delay; $slow{$name}; SET statement_timeout = 0; $good;",
			stdout => \$out, stderr => \$err, on_error_stop => 0, timeout => 60);
		my $took = time() - $start;
		like($err, qr/canceling statement due to statement timeout/, "$name: timeout after $delay ms");
		ok($took < 5, "$name: within bounds") or diag("took $took s");
		is($out, '60000|17999880000', "$name: the session answers afterwards");
	}
}

# pg_cancel_backend at random moments, one session all along
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('SET gpudb.force = on');
my $pid = $session->query_safe('SELECT pg_backend_pid()');
for my $round (1 .. 10)
{
	$session->query_until(qr/started/, "\\echo started\n$slow{'an aggregate in a loop'};\n");
	usleep(20_000 * $round);
	my $start = time();
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	my $answer = $session->query($good);
	ok(time() - $start < 5, "round $round: cancelled soon");
	is($answer, '60000|17999880000', "round $round: next answer is right");
}
like($session->{stderr}, qr/canceling statement due to user request/, 'the statements were cancelled');

# a session that is terminated, or whose client goes away, in mid-query
$session->query_until(qr/started/, "\\echo started\n$slow{'an aggregate in a loop'};\n");
usleep(200_000);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"), 'a terminated session goes');
eval { $session->quit };
is($node->safe_psql('postgres', "SET gpudb.force = on; $good"), '60000|17999880000', 'others are not disturbed');
is($node->safe_psql('postgres', 'DELETE FROM rows WHERE k = 9; VACUUM (DISABLE_PAGE_SKIPPING) rows; SELECT count(*) FROM rows'), '540000', 'no page stays pinned');
unlike(slurp_file($node->logfile), qr/leak|terminated by signal|PANIC/, 'no leaked pins, no crash');
$node->stop;
done_testing();
