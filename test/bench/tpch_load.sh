#!/bin/bash
# Make the TPC-H tables in the database that PGHOST and its like name, at a scale factor:  test/bench/tpch_load.sh [SF]
#
# tpchgen-cli's rows go straight from its output into COPY; then come primary keys and VACUUM ANALYZE.  lineitem, two
# thirds of the data, is loaded beside the other tables.  The same scale factor always makes the same heap files.
# TPCH_INDEXES=1 adds the two foreign-key indexes without which PostgreSQL takes hours for Q17 and Q20.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

sf=${1:-1}
generator=$(cache_dir)/venv/bin/tpchgen-cli
[ -x "$generator" ] || generator=$(command -v tpchgen-cli) || die "no tpchgen-cli: run test/install-deps.sh demo"

# load TABLE KEY
load() {
	"$generator" csv -s "$sf" -T "$1" --stdout |
		psql_as -c "COPY $1 FROM STDIN WITH (FORMAT csv, HEADER)"
	psql_as -c "ALTER TABLE $1 ADD PRIMARY KEY ($2)" -c "VACUUM (ANALYZE, FREEZE) $1"
}

psql_as -f "$repo/test/bench/tpch_schema.sql"
load lineitem "l_orderkey, l_linenumber" &
beside=$!
load region r_regionkey
load nation n_nationkey
load supplier s_suppkey
load customer c_custkey
load part p_partkey
load partsupp "ps_partkey, ps_suppkey"
load orders o_orderkey
wait $beside
if [ -n "${TPCH_INDEXES:-}" ]; then
	psql_as -c "CREATE INDEX ON lineitem (l_partkey, l_suppkey)" -c "CREATE INDEX ON orders (o_custkey)"
fi
