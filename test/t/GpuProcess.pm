# What tests of the GPU process share: finding it, waiting for things to happen, and queries that go on while it is killed.
package GpuProcess;
use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time usleep);

our @EXPORT = qw(with_gpu plan_of children supervisor helper wait_for start_query end_query memory_of_helper wrong_when_killed);

# Whether the test is to run with a GPU; else the CPU stands in its place.
sub with_gpu
{
	my $config = slurp_file($ENV{TEMP_CONFIG});
	return $config =~ /^gpudb\.device = gpu$/m && $config !~ /^gpudb\.provider = cpu$/m;
}

# A query's plan after it ran, with these settings.
sub plan_of
{
	my ($node, $query, $settings) = @_;
	return $node->safe_psql('postgres', ($settings // '') . "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
}

# Processes, told by their parents: other servers on this machine have the same names.
sub children
{
	my ($parent, $name) = @_;
	my @found;
	for my $stat (glob '/proc/[0-9]*/stat')
	{
		my ($pid) = $stat =~ m{(\d+)/};
		open my $file, '<', $stat or next;
		my $line = <$file> // '';
		my ($state, $of) = $line =~ /\) (\S) (\d+)/ or next;
		next if $of != $parent || $state eq 'Z';
		open $file, '<', "/proc/$pid/cmdline" or next;
		push @found, $pid if (<$file> // '') =~ /$name/;
	}
	return @found;
}

sub supervisor
{
	my ($node) = @_;
	my ($pid) = children($node->{_pid}, 'gpudb supervisor');
	return $pid;
}

sub helper
{
	my ($node) = @_;
	my $parent = supervisor($node) or return;
	my ($pid) = children($parent, 'gpudb GPU process');
	return $pid;
}

# Wait until a condition holds, so many seconds at most; how long that took, or undef.
sub wait_for
{
	my ($seconds, $condition) = @_;
	my $start = time();
	while (!$condition->())
	{
		return if time() - $start > $seconds;
		usleep(10_000);
	}
	return time() - $start;
}

# A query in a session of its own, which goes on while the test does something else, so many seconds at most.
sub start_query
{
	my ($node, $sql, $name, $limit) = @_;
	my $query = { out => '', err => '' };
	$query->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres') . " application_name=$name", '-c', $sql ],
		'<', \undef, '>', \$query->{out}, '2>', \$query->{err}, IPC::Run::timeout($limit // 120));
	return $query;
}

sub end_query
{
	my ($query) = @_;
	$query->{run}->finish;
	chomp $query->{out};
	return $query->{out};
}

# Kilobytes of memory that the GPU process has.
sub memory_of_helper
{
	my ($node) = @_;
	my ($kilobytes) = slurp_file('/proc/' . helper($node) . '/status') =~ /VmRSS:\s+(\d+)/;
	return $kilobytes;
}

# Kill the GPU process, or stop it every so many rounds, while sessions ask the same query so many times.  How often an answer
# was wrong or missing, or no other process came that serves.
sub wrong_when_killed
{
	my ($node, $sql, %with) = @_;
	my $want = $node->safe_psql('postgres', "SET gpudb.enabled = off; $sql");
	my $wrong = 0;
	for my $round (1 .. $with{rounds})
	{
		my @query = map { start_query($node, "$sql;" x $with{times}, 'random', $with{limit}) } 1 .. $with{sessions};
		usleep($with{pause} + int rand $with{more});
		my $pid = helper($node);
		kill $with{stop_every} && $round % $with{stop_every} == 0 ? 'STOP' : 'KILL', $pid if $pid;
		for my $query (@query)
		{
			$wrong += grep { $_ ne $want } split /\n/, end_query($query);
			$wrong++ if $with{times} != split /\n/, $query->{out};
		}
		wait_for(30, sub { my $new = helper($node); $new && (!$pid || $new != $pid) && $with{serves}->() }) // $wrong++;
	}
	return $wrong;
}

1;
