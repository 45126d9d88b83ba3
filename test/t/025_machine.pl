# What the server may use of the machine: processors that it is bound to, and memory that the pool may be larger than.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('machine');
$node->init;
$node->append_conf('postgresql.conf', "gpudb.force = on\ngpudb.device = cpu\ngpudb.cpu_threads = 0\nmax_parallel_workers_per_gather = 0\ngpudb.pool_size = '1024GB'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb; CREATE TABLE rows AS SELECT i AS id FROM generate_series(1, 200000) i; VACUUM ANALYZE rows');

# The threads of a session that has run a query.
sub threads
{
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe('SELECT sum(id % 7) FROM rows WHERE id % 3 = 1');
	my $n = () = glob "/proc/$pid/task/*";
	$session->quit;
	return $n;
}

my ($kilobytes) = slurp_file('/proc/meminfo') =~ /MemTotal:\s+(\d+) kB/;
SKIP:
{
	skip 'the machine has as much memory', 2 if $kilobytes >= 1 << 30;
	like(slurp_file($node->logfile), qr/WARNING:  gpudb\.pool_size and shared_buffers are \d+ MB together, and the server has \d+ MB of memory/,
		'a pool larger than memory: the server starts, and says so');
	like(slurp_file($node->logfile), qr/HINT:  Reduce gpudb\.pool_size/, 'and what to do');
}
$node->append_conf('postgresql.conf', "gpudb.pool_size = '64MB'");
my $before = -s $node->logfile;
$node->restart;
unlike(substr(slurp_file($node->logfile), $before), qr/gpudb\.pool_size/, 'a small one: nothing is said');

my ($allowed) = slurp_file("/proc/$$/status") =~ /Cpus_allowed_list:\s+(\d+)/;
SKIP:
{
	skip 'no taskset', 1 if !which_taskset();
	# sessions inherit what the postmaster is bound to
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	system_or_bail('taskset', '-p', '-c', $allowed, $postmaster);
	is(threads(), 1, 'bound to one processor: a query has no threads besides its own');
}

sub which_taskset
{
	return scalar grep { -x "$_/taskset" } split /:/, $ENV{PATH};
}
$node->stop;
done_testing();
