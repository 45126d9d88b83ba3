# What tests of the GPU process share: finding it, and waiting for things to happen.
package GpuProcess;
use strict;
use warnings;
use Exporter 'import';
use Time::HiRes qw(time usleep);

our @EXPORT = qw(children supervisor helper wait_for);

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

1;
