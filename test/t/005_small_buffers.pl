# Little shared_buffers and many sessions: no query fails for want of buffers, gpudb's or another's, and answers are right.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

for my $buffers ('1MB', '128MB')
{
	my $name = "buffers_$buffers";
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "shared_buffers = $buffers\nmax_connections = 80\ngpudb.force = on");
	$node->start;
	$node->safe_psql('postgres', q{
		CREATE EXTENSION gpudb;
		CREATE TABLE rows (id int NOT NULL, k int, n numeric(10,2), t text);
		INSERT INTO rows SELECT i, i % 10, i % 100, repeat('t', 100) FROM generate_series(1, 30000) i;
		CREATE INDEX rows_id ON rows (id);
		VACUUM ANALYZE rows;
	});
	is($node->safe_psql('postgres', 'SET gpudb.debug_require = require; SELECT count(*), sum(id) FROM rows WHERE k = 3'), '3000|44994000', "$buffers: alone");
	my $gpudb = q{
SELECT 1 / (CASE WHEN count(*) = 3000 AND sum(n) = 138000 + 3000 * 2 THEN 1 ELSE 0 END) FROM rows WHERE k = 3 + 0 * :client_id AND id > 0 AND n <> -1 AND 1 = 1;
SELECT 1 / (CASE WHEN count(*) = 10 AND sum(c) = 30000 THEN 1 ELSE 0 END) FROM (SELECT k, count(*) AS c FROM rows GROUP BY k) s;
SELECT 1 / (CASE WHEN count(*) = 3000 THEN 1 ELSE 0 END) FROM (SELECT id FROM rows WHERE k = 7 OFFSET 0) s;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM rows WHERE k = 5;
FETCH 3 FROM c;
SELECT count(*) FROM rows WHERE k = 6;
FETCH 3 FROM c;
COMMIT;
};
	$gpudb =~ s/138000 \+ 3000 \* 2/144000/;
	my $others = q{
\set id random(1, 30000)
SET gpudb.enabled = off;
SELECT t FROM rows WHERE id = :id;
UPDATE rows SET t = repeat('u', 100) WHERE id = :id;
SELECT count(*) FROM rows WHERE id BETWEEN :id AND :id + 100;
RESET gpudb.enabled;
};
	$node->pgbench('-n -c 8 -j 2 -t 12', 0, [qr{processed: 96/96}], [qr{^$}], "$buffers: 8 sessions", { "gpudb_8_$buffers\@3" => $gpudb, "others_8_$buffers\@1" => $others });
	$node->pgbench('-n -c 64 -j 2 -t 3', 0, [qr{processed: 192/192}], [qr{^$}], "$buffers: 64 sessions", { "gpudb_64_$buffers\@3" => $gpudb, "others_64_$buffers\@1" => $others })
		if $buffers ne '1MB';
	my $log = slurp_file($node->logfile);
	unlike($log, qr/no unpinned buffers/, "$buffers: buffers sufficed");
	unlike($log, qr/leak|terminated by signal|PANIC/, "$buffers: no leaked pins, no crash");
	is($node->safe_psql('postgres', 'VACUUM (DISABLE_PAGE_SKIPPING) rows; SELECT count(*) FROM rows'), '30000', "$buffers: no page stays pinned");
	$node->stop;
}
done_testing();
