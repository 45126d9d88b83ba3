# A backend that is terminated while its threads work ends soon and leaves nothing behind, with and without threads.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('terminate');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpudb'\nautovacuum = off\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE t AS SELECT i AS id, i % 1000 AS k, (i % 97)::numeric(10,2) AS n FROM generate_series(1, 400000) i;
	VACUUM (ANALYZE) t;
});

# pages and threads alone, and with columns that the queries before have left behind
foreach my $threads (1, 2, 8)
{
	my $cache = $threads == 2 ? 'on' : 'off';
	foreach my $delay (0.05, 0.2, 0.4)
	{
		my ($in, $out, $err) = ('', '', '');
		my $timer = IPC::Run::timeout(60);
		my $victim = IPC::Run::start(
			[ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', '-' ],
			\$in, \$out, \$err, $timer);
		$in .= "SET gpudb.force = on; SET gpudb.cpu_threads = $threads; SET gpudb.cache = $cache; SELECT pg_backend_pid();\n";
		$victim->pump until $out =~ /^(\d+)\n/;
		my $pid = $1;
		$in .= "DO \$\$ BEGIN LOOP PERFORM k, sum(n * n) FROM t GROUP BY k; END LOOP; END \$\$;\n";
		$victim->pump_nb;
		select(undef, undef, undef, $delay);
		$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
		ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"),
			"$threads threads, after $delay s: the backend ends");
		$victim->kill_kill;
	}
}
is($node->safe_psql('postgres', 'SET gpudb.force = on; SET gpudb.debug_require = require; SELECT count(*), sum(k) FROM t'),
	'400000|199800000', 'others go on');
my $after = $node->safe_psql('postgres', 'SET gpudb.force = on; SET gpudb.cache = off; EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM t WHERE k = 1');
like($after, qr/Pages Pinned: [1-9]/, 'pins can be leased as before');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE relation = 't'::regclass"), '0', 'no lock is left');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'the server never crashed');
$node->stop;
done_testing();
