# Cursors over gpudb nodes: many at once, across other statements, held over commit, left open at errors and at the end.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('cursors');
$node->init;
$node->append_conf('postgresql.conf', "shared_buffers = 16MB");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE rows (id int NOT NULL, k int, n numeric(10,2), t text);
	INSERT INTO rows SELECT i, i % 10, i % 100, repeat('t', i % 50) FROM generate_series(1, 100000) i;
	VACUUM ANALYZE rows;
});

sub forced { return $node->safe_psql('postgres', "SET gpudb.force = on; SET gpudb.debug_require = require; $_[0]"); }

# forty cursors, fetched in turn; each holds only the pages of its own small batch
my $script = 'BEGIN;';
$script .= "DECLARE c$_ CURSOR FOR SELECT id FROM rows WHERE k = @{[$_ % 10]};" for (1 .. 40);
for my $round (1 .. 3) { $script .= "FETCH 1 FROM c$_;" for (1 .. 40); }
$script .= 'SELECT count(*) FROM rows WHERE k = 4; COMMIT;';
my @got = split(/\n/, forced($script));
my @want;
for my $round (0 .. 2) { push @want, ($_ % 10 ? $_ % 10 : 10) + 10 * $round for (1 .. 40); }
is_deeply(\@got, [@want, 10000], 'forty cursors fetched in turn');

# a cursor survives a subtransaction's abort and commands that write to its table
is(forced(q{BEGIN; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c; SAVEPOINT s;
	DELETE FROM rows WHERE k = 1; FETCH 1 FROM c; ROLLBACK TO s; FETCH 1 FROM c;
	UPDATE rows SET k = 2 WHERE k = 1; FETCH 1 FROM c; MOVE 5000 FROM c; FETCH 1 FROM c; ROLLBACK;}),
	"1\n11\n21\n31\n50041", 'cursor over subtransactions and writes');

# a cursor opened inside a subtransaction goes with it
my ($rc, $out, $err) = $node->psql('postgres', q{SET gpudb.force = on; BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c;
	ROLLBACK TO s; SELECT count(*) FROM rows WHERE k = 3; FETCH 1 FROM c;}, on_error_stop => 0);
like($err, qr/cursor "c" does not exist/, 'cursor ends with its subtransaction');
like($out, qr/^1\n10000$/m, 'and the session goes on');

# WITH HOLD is materialised at commit
is(forced(q{BEGIN; DECLARE h SCROLL CURSOR WITH HOLD FOR SELECT id FROM rows WHERE k = 5; DECLARE a CURSOR WITH HOLD FOR SELECT k, sum(n) FROM rows GROUP BY k ORDER BY k;
	FETCH 1 FROM h; COMMIT; FETCH 1 FROM h; FETCH LAST FROM h; FETCH 2 FROM a; CLOSE ALL;}),
	"5\n15\n99995\n0|450000.00\n1|460000.00", 'held cursors');

# an error with cursors open, and a session that ends with cursors open
($rc, $out, $err) = $node->psql('postgres', q{SET gpudb.force = on; BEGIN; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c; SELECT 1 / 0;});
like($err, qr/division by zero/, 'error with a cursor open');
$node->psql('postgres', q{SET gpudb.force = on; BEGIN; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c;});

# nothing stays pinned: VACUUM gets every page, DROP works
is($node->safe_psql('postgres', 'DELETE FROM rows WHERE k = 9; VACUUM (DISABLE_PAGE_SKIPPING) rows; SELECT count(*) FROM rows'), '90000', 'VACUUM after all that');
unlike($node->safe_psql('postgres', 'DROP TABLE rows; SELECT 1'), qr/pinned/, 'DROP after all that');
my $log = slurp_file($node->logfile);
unlike($log, qr/leak|terminated by signal|PANIC/, 'no leaked pins, no crash');
$node->stop;
done_testing();
