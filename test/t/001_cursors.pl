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

# a cursor that rests between two rows pins one page at most, of columns that the device makes and of such as come from tuples
$node->safe_psql('postgres', q{
	CREATE EXTENSION pg_buffercache;
	CREATE TABLE resting WITH (autovacuum_enabled = off, fillfactor = 50) AS SELECT i AS id, i % 10 AS k, ARRAY[i] AS a FROM generate_series(1, 30000) i;
	VACUUM ANALYZE resting;
	SELECT count(*) FROM resting;
});
my $pins = q{SELECT count(*) <= 1 FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode = pg_relation_filenode('resting')};
for my $column ('id', 'a')
{
	is(forced(qq{SET gpudb.cache = off; BEGIN; DECLARE c CURSOR FOR SELECT $column FROM resting WHERE k < 9; MOVE 10 FROM c; $pins; MOVE 20000 FROM c; $pins;
		MOVE ALL FROM c; $pins; ROLLBACK}), "t\nt\nt", "a cursor that rests: $column");
}

# meanwhile others change its rows, and prune what they leave
my $resting = $node->background_psql('postgres');
$resting->query_safe('SET gpudb.force = on; SET gpudb.cache = off');
$resting->query_safe('BEGIN; DECLARE c CURSOR FOR SELECT a FROM resting WHERE k < 9; MOVE 10 FROM c');
$node->safe_psql('postgres', 'UPDATE resting SET a = a || k') for 1 .. 3;
$node->safe_psql('postgres', 'DELETE FROM resting WHERE k = 5; VACUUM resting; SELECT count(*) FROM resting');
is($resting->query_safe('FETCH 2 FROM c'), "{12}\n{13}", 'the cursor sees its rows as they were');
is($resting->query_safe('MOVE 20000 FROM c; FETCH 1 FROM c'), '{22236}', 'and those that come later');
$resting->query_safe('COMMIT');
$resting->quit;

# an error with cursors open, and a session that ends with cursors open
($rc, $out, $err) = $node->psql('postgres', q{SET gpudb.force = on; BEGIN; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c; SELECT 1 / 0;});
like($err, qr/division by zero/, 'error with a cursor open');
$node->psql('postgres', q{SET gpudb.force = on; BEGIN; DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 1; FETCH 1 FROM c;});

# what a cursor can do with PostgreSQL's own plan it can with ours: WHERE CURRENT OF, and going backward
$node->safe_psql('postgres', q{
	CREATE TABLE places (id int NOT NULL, k int, n numeric(10,2), p text);
	INSERT INTO places SELECT i, i % 7, i % 100, 'p' || i % 30 FROM generate_series(1, 6000) i;
	CREATE TABLE parts (id int NOT NULL, k int, p text) PARTITION BY RANGE (id);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (2000);
	CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (2000) TO (10000);
	INSERT INTO parts SELECT i, i % 7, 'p' FROM generate_series(1, 4000) i;
	CREATE TABLE few (k int);
	INSERT INTO few VALUES (1), (2);
	DELETE FROM places WHERE id % 11 = 0;
	UPDATE places SET n = n + 1 WHERE id % 13 = 0;
	VACUUM ANALYZE places, parts, few;
});

# A script's output, errors among it, as PostgreSQL's own and as ours, which has such nodes.
sub both
{
	my ($query, $nodes, $script, $name) = @_;
	my @said;

	for my $settings ('gpudb.enabled = off', 'gpudb.force = on')
	{
		my ($rc, $out, $err) = $node->psql('postgres', "SET $settings; $script", on_error_stop => 0);
		$err =~ s/^psql:<stdin>:\d+: //mg;
		push @said, "$out\n$err";
	}
	is($said[1], $said[0], $name);
	like($node->safe_psql('postgres', "SET gpudb.force = on; EXPLAIN (COSTS OFF) $query"), qr/$nodes/, "$name: $nodes");
}

my $all = 'SELECT id, k, n, p FROM places ORDER BY id; SELECT id, k, p FROM parts ORDER BY id;';
for my $kind ('SCROLL CURSOR', 'CURSOR', 'NO SCROLL CURSOR', 'SCROLL CURSOR WITH HOLD')
{
	my $query = 'SELECT id, p FROM places WHERE k = 3';
	both($query, 'GpuScan', "BEGIN; DECLARE c $kind FOR $query; FETCH 3 FROM c; UPDATE places SET p = 'x' WHERE CURRENT OF c; FETCH 2 FROM c;
		DELETE FROM places WHERE CURRENT OF c; FETCH 1 FROM c; MOVE BACKWARD 2 FROM c; UPDATE places SET p = 'y' WHERE CURRENT OF c; $all ROLLBACK;",
		"$kind: the current row");
	$query = 'SELECT id, p FROM parts WHERE k = 3';
	both($query, 'GpuScan', "BEGIN; DECLARE c $kind FOR $query; MOVE 400 FROM c; FETCH 1 FROM c; UPDATE parts SET p = 'x' WHERE CURRENT OF c;
		MOVE ALL FROM c; UPDATE parts SET p = 'y' WHERE CURRENT OF c; $all ROLLBACK;", "$kind: the current row of a partition");
}

# rows are updated through the scan of an index, too, if that is what PostgreSQL takes for their order
$node->safe_psql('postgres', q{
	CREATE TABLE indexed (id int PRIMARY KEY, b bool, p text);
	INSERT INTO indexed SELECT i, i % 3 > 0, 'p' FROM generate_series(1, 5000) i;
	VACUUM ANALYZE indexed;
});
both('SELECT id, p FROM indexed WHERE b ORDER BY id', 'Gpu', 'SET random_page_cost = 0; SET cpu_operator_cost = 0; SET cpu_index_tuple_cost = 0;
	BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id, p FROM indexed WHERE b ORDER BY id; FETCH 3 FROM c;
	UPDATE indexed SET p = \'x\' WHERE CURRENT OF c RETURNING *; FETCH 1 FROM c; DELETE FROM indexed WHERE CURRENT OF c RETURNING *; FETCH 1 FROM c;
	SELECT count(*), sum(id), max(p) FROM indexed; ROLLBACK;', 'the current row of an index scan');

# walks in all directions
my @walks = (
	['SELECT id, n FROM places WHERE k = 3', 'GpuScan'],
	['SELECT id, ctid FROM places WHERE k = 3 AND p || id::text > \'p1\' LIMIT 90', 'GpuScan'],
	['SELECT id FROM places WHERE k = (SELECT min(k) FROM few) AND n > 40', 'GpuScan'],
	['SELECT id FROM parts WHERE k = 2', 'GpuScan'],
	['SELECT id FROM places WHERE k = 8', 'GpuScan'],
	['SELECT id, n FROM places WHERE k = 3 ORDER BY n DESC, id', 'GpuSort'],
	['SELECT id, n FROM places ORDER BY n DESC, id OFFSET 3 LIMIT 50', 'GpuSort'],
	['SELECT p, id + 1 FROM places ORDER BY p, id', 'GpuSort'],
	['SELECT DISTINCT ON (p) p, id FROM places ORDER BY p, id', 'GpuSort'],
	['SELECT id, row_number() OVER (ORDER BY n, id) FROM places', 'GpuSort'],
	['SELECT k, count(*) FROM places GROUP BY k ORDER BY k', 'GpuAgg'],
	['SELECT a.id, b.k FROM places a JOIN few b USING (k) ORDER BY a.id', 'GpuJoin'],
	['SELECT id FROM places WHERE k NOT IN (SELECT k FROM few)', 'Gpu'],
);
srand(7);
for my $walk (@walks)
{
	my ($query, $nodes) = @$walk;

	for my $kind ('SCROLL CURSOR', 'CURSOR', 'SCROLL CURSOR WITH HOLD')
	{
		my $steps = join(' ', map {
			my $n = int(rand(60));
			my $step = ('NEXT', 'PRIOR', 'FIRST', 'LAST', "FORWARD $n", "BACKWARD $n", "ABSOLUTE $n", "ABSOLUTE -$n", "RELATIVE -$n", 'BACKWARD ALL', 'FORWARD ALL', 'RELATIVE 0')[int(rand(12))];
			rand() < 0.3 ? "MOVE $step FROM c;" : "FETCH $step FROM c;"
		} 1 .. 40);
		# an error does not end the transaction
		both($query, $nodes, "\\set ON_ERROR_ROLLBACK on\nBEGIN; DECLARE c $kind FOR $query;\n$steps\nCOMMIT;" . ($kind =~ /HOLD/ ? ' FETCH 2 FROM c; FETCH PRIOR FROM c; FETCH LAST FROM c;' : ''), "$kind for $query");
	}
}

# more rows than memory holds are merged of runs, backward, too
both('SELECT id, repeat(p, 100) FROM places ORDER BY n, id', 'GpuSort', "SET gpudb.join_memory = '1MB'; BEGIN; DECLARE c CURSOR FOR SELECT id, repeat(p, 100) FROM places ORDER BY n, id;
	MOVE 4000 FROM c; FETCH BACKWARD 3 FROM c; FETCH FORWARD 5 FROM c; MOVE ALL FROM c; FETCH PRIOR FROM c; MOVE BACKWARD ALL FROM c; FETCH 2 FROM c; COMMIT;", 'backward over runs');

# PL/pgSQL's cursors, of which loops go forward alone
both('SELECT id FROM places WHERE k = 3', 'GpuScan', q{DO $$
	DECLARE b CURSOR FOR SELECT id FROM places WHERE k = 3; s SCROLL CURSOR FOR SELECT id FROM places WHERE k = 3 ORDER BY n, id; r refcursor; x int; n int := 0;
	BEGIN
		OPEN b; FETCH b INTO x; FETCH b INTO x; MOVE FORWARD 3 FROM b; FETCH PRIOR FROM b INTO x; RAISE NOTICE '%', x;
		UPDATE places SET p = 'z' WHERE CURRENT OF b; CLOSE b;
		OPEN s; FETCH LAST FROM s INTO x; FETCH PRIOR FROM s INTO x; RAISE NOTICE '%', x;
		OPEN r FOR SELECT id FROM places WHERE k = 4; MOVE 4 FROM r; FETCH BACKWARD FROM r INTO x; RAISE NOTICE '%', x;
		FOR x IN SELECT id FROM places WHERE k = 3 ORDER BY n LOOP n := n + 1; END LOOP; RAISE NOTICE '%', n;
		FOR row IN b LOOP n := n + 1; END LOOP; RAISE NOTICE '%', n;
	END $$; SELECT id FROM places WHERE p = 'z';}, 'cursors of PL/pgSQL');
$node->safe_psql('postgres', "UPDATE places SET p = 'p' WHERE p = 'z'");

# nothing stays pinned: VACUUM gets every page, DROP works
is($node->safe_psql('postgres', 'DELETE FROM rows WHERE k = 9; VACUUM (DISABLE_PAGE_SKIPPING) rows; SELECT count(*) FROM rows'), '90000', 'VACUUM after all that');
unlike($node->safe_psql('postgres', 'DROP TABLE rows; SELECT 1'), qr/pinned/, 'DROP after all that');
my $log = slurp_file($node->logfile);
unlike($log, qr/leak|terminated by signal|PANIC/, 'no leaked pins, no crash');
$node->stop;
done_testing();
