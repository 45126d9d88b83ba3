#!/bin/bash
# Make the TPC-H tables in the database that PGHOST and its like name, at a scale factor:  test/bench/tpch_load.sh [SF]
#
# tpchgen-cli's rows go straight from its output into COPY; then come primary keys, and VACUUM ANALYZE.  lineitem, two
# thirds of the data, is loaded beside the other tables.  The same scale factor always makes the same heap files,
# unless TPCH_JOBS=N has N sessions load lineitem and orders in parts, which is faster and in no fixed order.
# TPCH_INDEXES=1 adds the two foreign-key indexes without which PostgreSQL takes hours for Q17 and Q20.
# TPCH_TABLES="customer orders lineitem" leaves the other tables empty, and TPCH_SOURCE=sql takes the rows of these three
# from tpch_generate.sql, which needs no tpchgen-cli.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

sf=${1:-1}
tables=${TPCH_TABLES:-region nation supplier customer part partsupp orders lineitem}
generator=$(tpchgen_cli) || [ "${TPCH_SOURCE:-}" = sql ] || die "no tpchgen-cli: run test/install-deps.sh demo"

[ "${TPCH_SOURCE:-}" != sql ] || TPCH_JOBS=1		# that generator makes a table in one piece

# generate TABLE [OPTION...]: its rows, as CSV
generate() {
	if [ "${TPCH_SOURCE:-}" = sql ]; then
		psql_as -v sf="$sf" -v table="$1" -f "$repo/test/bench/tpch_generate.sql"
	else
		"$generator" csv -s "$sf" -T "$1" "${@:2}" --stdout
	fi
}

copy() {
	generate "$@" | psql_as -c "COPY $1 FROM STDIN WITH (FORMAT csv, HEADER)"
}

# load TABLE KEY [JOBS]
load() {
	local jobs=${3:-1} part pids=()
	[[ " $tables " = *" $1 "* ]] || return 0
	if [ "$jobs" -gt 1 ]; then
		for ((part = 1; part <= jobs; part++)); do
			copy "$1" --parts "$jobs" --part "$part" --num-threads 1 &
			pids+=($!)
		done
		for part in "${pids[@]}"; do wait "$part"; done
	else
		copy "$1"
	fi
	psql_as -c "ALTER TABLE $1 ADD PRIMARY KEY ($2)"
}

psql_as -f "$repo/test/bench/tpch_schema.sql"
load lineitem "l_orderkey, l_linenumber" "${TPCH_JOBS:-1}" &
beside=$!
load region r_regionkey
load nation n_nationkey
load supplier s_suppkey
load customer c_custkey
load part p_partkey
load partsupp "ps_partkey, ps_suppkey"
load orders o_orderkey "${TPCH_JOBS:-1}"
wait $beside
# behind all loads, since rows are frozen only if no older transaction goes on
vacuums=()
for table in $tables; do
	psql_as -c "VACUUM (ANALYZE, FREEZE) $table" &
	vacuums+=($!)
done
for vacuum in "${vacuums[@]}"; do wait "$vacuum"; done
if [ -n "${TPCH_INDEXES:-}" ]; then
	psql_as -c "CREATE INDEX ON lineitem (l_partkey, l_suppkey)" -c "CREATE INDEX ON orders (o_custkey)"
fi
