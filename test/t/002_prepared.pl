# Prepared statements through the extended protocol (pgbench), many times, from several sessions, while plans are invalidated.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('prepared');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpudb;
	CREATE TABLE rows (id int NOT NULL, k int, n numeric(10,2), t text);
	INSERT INTO rows SELECT i, i % 10, i % 100, 't' || i % 7 FROM generate_series(1, 20000) i;
	VACUUM ANALYZE rows;
	ALTER SYSTEM SET gpudb.force = on;
	SELECT pg_reload_conf();
});

# every answer is checked in the script: a wrong one divides by zero
my $check = q{
\set k random(0, 9)
SELECT 1 / (CASE WHEN count(*) = 2000 AND sum(id) = 19990000 + 2000 * CASE WHEN :k = 0 THEN 10 ELSE :k END THEN 1 ELSE 0 END) FROM rows WHERE k = :k AND id <= 20000;
SELECT 1 / (CASE WHEN count(*) = 7 AND sum(c) = 2000 THEN 1 ELSE 0 END) FROM (SELECT t, count(*) AS c FROM rows WHERE k = :k AND id <= 20000 GROUP BY t) s;
SELECT 1 / (CASE WHEN count(*) = 5 THEN 1 ELSE 0 END) FROM (SELECT id FROM rows WHERE k = :k LIMIT 5) s;
};
for my $mode ('simple', 'extended', 'prepared')
{
	$node->pgbench("-n -c 4 -j 2 -t 50 -M $mode", 0, [qr{processed: 200/200}], [qr{^$}], "right answers, protocol $mode", { "check_$mode" => $check });
}

# the same while the table changes under the cached plans
my $changes = q{
SELECT pg_sleep(0.01);
ALTER TABLE rows ALTER COLUMN n SET STATISTICS 100;
INSERT INTO rows SELECT i, i % 10, 1, 'new' FROM generate_series(20001, 20100) i;
ANALYZE rows;
DELETE FROM rows WHERE id > 20000;
VACUUM rows;
};
$node->pgbench('-n -c 5 -j 2 -t 40 -M prepared', 0, [qr{processed: 200/200}], [qr{^$}], 'right answers under changes',
	{ 'check_changes@9' => $check, 'changes@1' => $changes =~ s/VACUUM rows;//r });

# plans for one value and for any
for my $mode ('force_generic_plan', 'force_custom_plan', 'auto')
{
	my $calls = join '', map { "EXECUTE p($_, 't1');" } (0 .. 9, 'NULL', 3);
	is($node->safe_psql('postgres', "SET plan_cache_mode = $mode; SET gpudb.debug_require = require; PREPARE p (int, text) AS SELECT count(*) FROM rows WHERE k = \$1 AND t <> \$2; $calls"),
		join("\n", (map { $node->safe_psql('postgres', "SET gpudb.enabled = off; SELECT count(*) FROM rows WHERE k = $_ AND t <> 't1'") } (0 .. 9, 'NULL', 3))), "$mode");
}
unlike(slurp_file($node->logfile), qr/leak|terminated by signal|PANIC/, 'no leaked pins, no crash');
$node->stop;
done_testing();
