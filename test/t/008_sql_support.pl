# docs/sql-support.md is what the compiler's own lists say.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $repo = $ENV{GPUDB_REPO};
my $node = PostgreSQL::Test::Cluster->new('support');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpudb');
my ($status, $written) = $node->psql('postgres', slurp_file("$repo/sql_support.sql"));
is($status, 0, 'the lists can be read');
is("$written\n", slurp_file("$repo/sql-support.md"), 'docs/sql-support.md is up to date: psql -XqAt -f test/sql_support.sql >docs/sql-support.md');
done_testing();
