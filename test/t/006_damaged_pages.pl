# Damaged heap pages: whatever the bytes of line pointers, tuple headers and varlenas say, the server lives, and where
# PostgreSQL itself makes the same of a damaged tuple in every plan, gpudb answers or fails as it does.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { PAGE => 8192, LINP => 24, INFOMASK2 => 18, INFOMASK => 20, HOFF => 22, BITS => 23 };

# A line pointer is lp_off in 15 bits, lp_flags in 2, lp_len in 15.
sub line_pointer
{
	my ($page, $item) = @_;
	my $word = unpack('V', substr($$page, LINP + 4 * ($item - 1), 4));
	return ($word & 0x7FFF, ($word >> 15) & 3, $word >> 17);
}

sub set_line_pointer
{
	my ($page, $item, $off, $flags, $len) = @_;
	substr($$page, LINP + 4 * ($item - 1), 4) = pack('V', $off | $flags << 15 | $len << 17);
}

sub set_byte { my ($page, $at, $byte) = @_; substr($$page, $at, 1) = chr($byte); }

# What to do to a tuple: subs of (page, item, lp_off, lp_flags, lp_len).  In every table the varlena is the first
# attribute after two integers, 8 bytes behind the header.
sub varlena { my ($page, $off) = @_; return $off + ord(substr($$page, $off + HOFF, 1)) + 8; }
sub lp { my ($change) = @_; return sub { my ($page, $item, @lp) = @_; set_line_pointer($page, $item, $change->(@lp)); }; }
sub header { my ($at, $byte) = @_; return sub { set_byte($_[0], $_[2] + $at, $byte); }; }
sub value { my (@bytes) = @_; return sub { my $at = varlena($_[0], $_[2]); set_byte($_[0], $at++, $_) for @bytes; }; }

my %damage = (
	short => {
		'lp_off inside another tuple' => lp(sub { ($_[0] + 4, $_[1], $_[2]) }),
		'lp_off in the page header' => lp(sub { (4, $_[1], $_[2]) }),
		'lp_off among the line pointers' => lp(sub { (LINP, $_[1], $_[2]) }),
		'lp_off 0' => lp(sub { (0, $_[1], $_[2]) }),
		'lp_len 0' => lp(sub { ($_[0], $_[1], 0) }),
		'lp_len of half a header' => lp(sub { ($_[0], $_[1], 12) }),
		'lp_len without the last bytes' => lp(sub { ($_[0], $_[1], $_[2] - 3) }),
		'lp_len beyond the page' => lp(sub { ($_[0], $_[1], 0x7FFF) }),
		't_hoff 0' => header(HOFF, 0),
		't_hoff in the middle of the header' => header(HOFF, 20),
		't_hoff odd' => header(HOFF, 25),
		't_hoff behind the tuple' => header(HOFF, 96),
		'natts 0' => header(INFOMASK2, 0),
		'natts 1' => header(INFOMASK2, 1),
		'natts 255' => header(INFOMASK2, 255),
		'a null bitmap that is not there' => sub { set_byte($_[0], $_[2] + INFOMASK, ord(substr(${ $_[0] }, $_[2] + INFOMASK, 1)) | 1); },
		'a null bitmap that is not there and natts 255' => sub { set_byte($_[0], $_[2] + INFOMASK, ord(substr(${ $_[0] }, $_[2] + INFOMASK, 1)) | 1); set_byte($_[0], $_[2] + INFOMASK2, 255); },
		'short varlena of 126 bytes' => value(0xFF),
		'short varlena of 1 byte' => value(0x03),
		'padding in front of a short varlena' => value(0x00),
		'padding to the end' => value((0) x 8),
		'TOAST pointer that was cut off' => value(0x01),
	},
	long => {
		'varlena of 1 GB' => value(0xFC, 0xFF, 0xFF, 0xFF),
		'varlena of the rest of the page and more' => value(0x00, 0x80, 0x01, 0x00),
		'varlena of 0 bytes' => value(0x00, 0x00, 0x00, 0x00),
		'varlena shorter than its header' => value(0x08, 0x00, 0x00, 0x00),
		'compressed varlena that is none' => value(0x22, 0x00, 0x00, 0x00),
		'compressed varlena of 1 GB' => value(0xFE, 0xFF, 0xFF, 0xFF),
		'compressed varlena by an unknown method' => value(0x22, 0x00, 0x00, 0x00, 0xFF, 0x00, 0x00, 0xC0),
	},
	number => {
		'numeric of 126 bytes' => value(0xFF),
		'numeric of 0 bytes' => value(0x03),
		'numeric of an odd length' => value(0x0D),
		'numeric with digits above 9999' => sub { my $at = varlena($_[0], $_[2]); set_byte($_[0], $at + $_, 0xFF) for (3 .. 4); },
		'numeric of another weight' => sub { set_byte($_[0], varlena($_[0], $_[2]) + 1, 0x3F); },
	},
);
# Here PostgreSQL's answer depends on whether a plan copies tuples or values, or on bytes that no tuple owns, or there is
# no number that a value could stand for.
my %only_lives = map { $_ => 1 } (
	'lp_len 0', 'lp_len of half a header', 'lp_off 0', 'lp_off among the line pointers', 't_hoff behind the tuple',
	'short varlena of 126 bytes', 'compressed varlena that is none', 'compressed varlena by an unknown method',
	'numeric of an odd length', 'numeric with digits above 9999');
# Values that PostgreSQL itself reads far beyond their ends may bring it down: only the length, never the bytes, is looked at.
my %columns = (short => 'v text', long => 'v text', number => 'v numeric(10,2)');
my %values = (short => "'v' || i", long => "repeat(md5(i::text), 7)", number => 'i / 4.0');
my %queries = (
	short => [ "SELECT count(v) FROM %s", "SELECT count(*) FROM %s WHERE v = 'v77'", "SELECT id FROM %s WHERE v = 'v77' OR k = 3" ],
	long => [ "SELECT count(*) FROM %s WHERE v IS NULL", "SELECT count(*) FROM %s WHERE v = 'v77'" ],
	number => [ "SELECT count(v) FROM %s", "SELECT count(*) FROM %s WHERE v > 5", "SELECT id FROM %s WHERE v < 3 OR k = 4", "SELECT sum(v) FROM %s" ],
);
my @always = ("SELECT count(*) FROM %s", "SELECT sum(id), sum(k) FROM %s", "SELECT id FROM %s WHERE k = 3", "SELECT k, count(*) FROM %s GROUP BY k ORDER BY k");

my $node = PostgreSQL::Test::Cluster->new('damage');
$node->init;
$node->append_conf('postgresql.conf', "restart_after_crash = on\nmax_parallel_workers_per_gather = 0\nshared_buffers = 32MB\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb');
my (@tables, %file, $number);
my $crashes = 0;
for my $kind (sort keys %damage)
{
	for my $name (sort keys %{ $damage{$kind} })
	{
		my $table = 'damaged_' . ++$number;
		push @tables, [ $kind, $name, $table ];
		$node->safe_psql('postgres', "CREATE TABLE $table (id int NOT NULL, k int, $columns{$kind}, last int8);
			ALTER TABLE $table ALTER v SET STORAGE MAIN;
			INSERT INTO $table SELECT i, i % 10, $values{$kind}, i FROM generate_series(1, 1500) i;
			VACUUM ANALYZE $table;");
		$file{$table} = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$table')");
	}
}
$node->stop;

# three tuples of each table: first of the first page, in the middle of the second, last of the last
for my $entry (@tables)
{
	my ($kind, $name, $table) = @$entry;
	my $size = -s $file{$table};
	open my $handle, '+<:raw', $file{$table} or die "$file{$table}: $!";
	for my $block (0, 1, $size / PAGE - 1)
	{
		my $page;
		sysseek($handle, $block * PAGE, 0);
		sysread($handle, $page, PAGE) == PAGE or die "short read";
		my $items = (unpack('v', substr($page, 12, 2)) - LINP) / 4;
		my $item = $block == 0 ? 1 : $block == 1 ? int($items / 2) : $items;
		my @before = line_pointer(\$page, $item);
		$damage{$kind}{$name}->(\$page, $item, @before);
		sysseek($handle, $block * PAGE, 0);
		syswrite($handle, $page, PAGE) == PAGE or die "short write";
	}
	close $handle;
}
$node->start;

sub ask
{
	my ($gpudb, $query) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', "SET gpudb.enabled = $gpudb; SET gpudb.force = on; SET enable_indexscan = off; $query;", on_error_stop => 0, timeout => 60);
	$err =~ s/^psql:<stdin>:\d+: //mg;
	return "$out\n$err";
}

my $lost = qr/server closed the connection|connection to server was lost|terminating connection/;
for my $entry (@tables)
{
	my ($kind, $name, $table) = @$entry;
	my @wrong;
	for my $template (@always, @{ $queries{$kind} })
	{
		my $query = sprintf($template, $table);
		my $want = ask('off', $query);
		if ($want =~ $lost)
		{
			note("PostgreSQL itself does not survive: $name: $query");
			$crashes++;
			$node->poll_query_until('postgres', 'SELECT true');
			next;
		}
		my $got = ask('on', $query);
		push @wrong, "$query\ngpudb: $got\nPostgreSQL: $want" if $got =~ $lost || $got ne $want && !$only_lives{$name};
	}
	ok(!@wrong, "$kind: $name") or diag(join("\n", @wrong));
}
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server lives');
my @signals = slurp_file($node->logfile) =~ /(terminated by signal|PANIC)/g;
is(scalar(@signals), $crashes, 'no crash but those of PostgreSQL alone');
$node->stop;
done_testing();
