# gpudb.calibrate() keeps its figures in a file, which is believed only if it is whole and of this machine.
use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('calibration');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb');

my $file = $node->data_dir . '/gpudb.calibration';
my $figures = "SELECT string_agg(figure || '=' || round(nanoseconds::numeric, 3), ',' ORDER BY figure) FROM gpudb.calibration";
# those that the layout of memory can change threefold aside
my $calibrations = "SELECT string_agg(DISTINCT calibrations::text, ' ') FROM gpudb.calibration WHERE figure = 'cpu_read_page'";
my $measured = "SELECT count(*) FROM gpudb.calibration WHERE measured IS NOT NULL AND device <> 'gpu' AND figure <> 'cpu_thread'";

sub answer
{
	my ($query) = @_;
	return $node->safe_psql('postgres', $query);
}

sub rewrite_file
{
	my ($text) = @_;
	open my $out, '>', $file or die "$file: $!";
	print $out $text;
	close $out;
	return;
}

# The log since the last restart.
sub restart
{
	my $offset = -s $node->logfile;
	$node->restart;
	return slurp_file($node->logfile, $offset);
}

# The checksum of a file: hash_bytes() of src/core/hash.h.
sub mixed
{
	use integer;
	no warnings 'portable';
	my ($x) = @_;
	$x = ($x ^ ($x >> 30 & 0x3ffffffff)) * 0xbf58476d1ce4e5b9;
	$x = ($x ^ ($x >> 27 & 0x1fffffffff)) * 0x94d049bb133111eb;
	return $x ^ ($x >> 31 & 0x1ffffffff);
}

sub checksum
{
	use integer;
	no warnings 'portable';
	my ($text) = @_;
	my $hash = length($text);
	foreach my $word (unpack('q<*', $text . "\0" x (-length($text) & 7)))
	{
		$hash = mixed($hash ^ ($word + 0x9e3779b97f4a7c15 + ($hash << 6) + ($hash >> 2 & 0x3fffffffffffffff)));
	}
	return sprintf('%u', $hash);
}

# The good file with other values of some figures, whether or not it has these.
sub file_with
{
	my ($good, %value) = @_;
	my $text = $good =~ s/checksum .*//sr;
	foreach my $figure (sort keys %value)
	{
		$text =~ s/^$figure .*\n//m;
		$text .= "$figure $value{$figure} 1\n";
	}
	return $text . 'checksum ' . checksum($text) . "\n";
}

# The value of a figure, and whether it was measured.
sub figure
{
	my ($name) = @_;
	return answer("SELECT nanoseconds::numeric, measured IS NOT NULL FROM gpudb.calibration WHERE figure = '$name'");
}

my $guesses = answer($figures);
my $guessed_thread = figure('cpu_thread');
is(answer($measured), '0', 'nothing is measured at first');
ok(!-e $file, 'there is no file');

answer('SELECT gpudb.calibrate()');
my $known = answer($figures);
isnt($known, $guesses, 'figures differ from the guesses');
# on a machine that is busy some are not plausible, and stay guesses
cmp_ok(answer($measured), '>=', 12, 'most that can be are measured');
ok(-s $file, 'there is a file');
unlike(restart(), qr/calibration/, 'nothing is said of a good file');
is(answer($figures), $known, 'figures outlive a restart');
$node->stop('immediate');
$node->start;
is(answer($figures), $known, 'and a crash');

# what it finds once more counts, too
is(answer($calibrations), '1', 'each is from one calibration');
answer('SELECT gpudb.calibrate()');
is(answer($calibrations), '2', 'and then from two');
isnt(answer($figures), $known, 'which differ');
answer('SELECT gpudb.calibrate(anew => true)');
is(answer($calibrations), '1', 'what was before is forgotten if that is asked for');

my $good = slurp_file($file);
for my $case (
	['a digit that changed', $good =~ s/(pin_page \d)/${1}7/r],
	['half of it', substr($good, 0, length($good) / 2)],
	['nothing', ''],
	['something else', "what is this?\n" x 1000],
	['a zero byte', "\0" . $good])
{
	my ($what, $text) = @$case;
	rewrite_file($text);
	like(restart(), qr/WARNING:  gpudb does not use the calibration in file "gpudb.calibration": it is damaged/, "$what: a warning");
	is(answer($figures), $guesses, "$what: the guesses");
	is(answer('SELECT count(*) FROM pg_class WHERE relname = \'pg_class\''), '1', "$what: queries run");
}
answer('SELECT gpudb.calibrate()');
unlike(restart(), qr/does not use/, 'a new calibration takes its place');
cmp_ok(answer($measured), '>=', 12, 'and is used');

# what a machine that is busy has shown is not believed
$good = slurp_file($file);
rewrite_file(file_with($good, pg_unit => 4321));
unlike(restart(), qr/does not use/, 'a file whose checksum is right');
is(figure('pg_unit'), '4321|t', 'its figures are used');
rewrite_file(file_with($good, cpu_thread => 0.01, pg_unit => 4321, cpu_op => 1e6));
restart();
is(figure('pg_unit'), '4321|t', 'figures that are plausible are used');
is(figure('cpu_thread'), $guessed_thread, 'a thread that gains nothing is not believed');
is(figure('cpu_op'), '1|f', 'nor is an instruction that takes a millisecond');

# what is expected and what came of it
my $plan = answer("SET gpudb.force = on; CREATE TABLE seen AS SELECT generate_series(1, 10000) AS k; EXPLAIN (ANALYZE) SELECT sum(k) FROM seen WHERE k > 5");
like($plan, qr/Predicted Time: [\d.]+ ms/, 'EXPLAIN shows the predicted time');
like($plan, qr/Device Time: [\d.]+ ms/, 'and with ANALYZE the actual one');
unlike(answer("SET gpudb.force = on; EXPLAIN (COSTS OFF) SELECT sum(k) FROM seen WHERE k > 5"), qr/Predicted Time/, 'not without costs');

# whatever stops it leaves nothing behind
my ($code, $out, $err) = $node->psql('postgres', "SET statement_timeout = '300ms'; SELECT gpudb.calibrate()");
like($err, qr/canceling statement due to statement timeout/, 'it can be cancelled');
is(answer("SELECT count(*) FROM pg_class WHERE relname LIKE 'calibration%' AND relkind = 'r'"), '0', 'no table is left');

# the GPU process measures its device itself; the CPU in its place copies nothing, launches nothing, and has no kernel that adds
$node->append_conf('postgresql.conf', "gpudb.provider = 'cpu'");
$node->stop;
unlink $file;
$node->start;
ok($node->poll_query_until('postgres', "SELECT gpudb.doctor() LIKE '%provider is cpu%' AND gpudb.doctor() LIKE 'All is well%'"), 'a GPU process serves');
answer('SELECT gpudb.calibrate()');
is(answer("SELECT string_agg(figure, ' ' ORDER BY figure) FROM gpudb.calibration WHERE device = 'gpu' AND measured IS NULL"),
	'gpu_add gpu_copy_page gpu_copy_start gpu_fetch_page gpu_launch', 'its figures are measured, but for those that it has not');
is(answer("SELECT count(*) FROM gpudb.calibration WHERE figure IN ('gpu_hop', 'gpu_read_page', 'gpu_read_word') AND nanoseconds BETWEEN 0.01 AND 1e7"),
	'3', 'those of the process and its memory are plausible');

# by itself it waits for an idle machine, and keeps nobody from stopping the server
$node->append_conf('postgresql.conf', "gpudb.provider = 'auto'\ngpudb.auto_calibrate = on");
$node->stop;
unlink $file;
my $offset = -s $node->logfile;
my @busy = map { IPC::Run::start([ $^X, '-e', 'alarm 120; 1 while 1' ]) } (1 .. 3 * `nproc`);
$node->start;
my $waits = 0;
for (my $i = 0; $i < 300 && !$waits; $i++)
{
	$waits = slurp_file($node->logfile, $offset) =~ /gpudb waits for an idle machine/;
	select undef, undef, undef, 0.1;
}
ok($waits, 'it waits as long as others use the cores');
is(answer($measured), '0', 'and has measured nothing');

# beside a query of this server it does not even test whether cores are free, which would take them from the query
my ($worker) = slurp_file($node->logfile, $offset) =~ /\[(\d+)\] LOG:  gpudb waits/;
my $query = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c',
	"DO \$\$ BEGIN WHILE clock_timestamp() < now() + interval '13 s' LOOP END LOOP; END \$\$" ]);
my $active = "SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'";
ok($node->poll_query_until('postgres', $active), 'a query runs');
$_->kill_kill for @busy;
sub cpu_ticks
{
	my @stat = split / /, slurp_file("/proc/$worker/stat") =~ s/.*\) //sr;
	return $stat[11] + $stat[12];
}
# a test that has begun before ends within a second
sleep 1;
my $ticks = cpu_ticks();
sleep 8;
$ticks = cpu_ticks() - $ticks;
SKIP:
{
	skip 'the machine is too slow', 1 if answer($active) ne 't';
	cmp_ok($ticks, '<', 5, 'the worker leaves the cores alone meanwhile');
}
$query->finish;
$node->stop;
unlike(slurp_file($node->logfile, $offset), qr/PANIC|terminated by signal/, 'a worker that waits ends with the server');
done_testing();
