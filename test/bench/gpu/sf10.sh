#!/bin/bash
# TPC-H on a GPU host: generate and load it into a private server, then time how the GPU is fed from cold pages:
#
#	test/bench/gpu/sf10.sh [SF]		scale factor (10)
#
# gpudb must be installed.  Data are generated and loaded by as many sessions as there are cores, at most 16; the server
# keeps all of it in shared_buffers.  Q6 and Q1 then run with one pinning process, nothing cached by gpudb: medians of 5
# runs, and PostgreSQL's parallel plan beside them.  Everything is removed at the end.
set -euo pipefail
. "$(dirname "$0")/../../lib.sh"

sf=${1:-10}
jobs=$(nproc)
[ "$jobs" -le 16 ] || jobs=16
find_postgres
work_open

server_start tpch "shared_buffers = $((sf * 2 + 2))GB" "max_wal_size = 100GB" "wal_level = minimal" "max_wal_senders = 0" \
	"full_page_writes = off" "autovacuum = off" "maintenance_work_mem = 2GB" "max_parallel_maintenance_workers = 4" \
	"max_worker_processes = 32" "max_parallel_workers = 32" "max_parallel_workers_per_gather = $((jobs - 1))" \
	"min_parallel_table_scan_size = 0" "work_mem = 1GB" "max_connections = 100"
psql_as -c 'CREATE EXTENSION gpudb'
SECONDS=0
TPCH_JOBS=$jobs "$repo/test/bench/tpch_load.sh" "$sf"
psql_as -c 'CREATE EXTENSION pg_prewarm' -c "SELECT FROM pg_prewarm('lineitem')" >/dev/null
echo "loaded scale factor $sf in $SECONDS s with $jobs sessions"
psql_as -c "SELECT 'lineitem: ' || count(*) || ' rows, ' || pg_size_pretty(pg_relation_size('lineitem')) FROM lineitem"
psql_as -c 'SELECT gpudb.doctor()'

# plan SETTINGS QUERY: EXPLAIN ANALYZE as JSON, five times after one warm-up; the medians of what the awk program picks
run() {
	local i query=$2
	for i in 0 1 2 3 4 5; do
		psql_as -c "SET gpudb.device = gpu" -c "$1" -c "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) $query" |
			awk -v i="$i" 'i > 0 && /"(Execution Time|Feed Time|Build Time|Kernel Time|Tablets on CPU|Pages Pinned)"/ {
				gsub(/[",:]/, ""); print $1 "_" $2, $NF }'
	done | sort -k1,1 -k2,2n | awk '{ v[$1] = v[$1] " " $2; n[$1]++ } END { for (k in v) {
		split(v[k], a, " "); printf "  %-16s %s\n", k, a[int((n[k] + 1) / 2)] } }' | sort
}

for q in q06 q01; do
	query=$(cat "$repo/test/bench/tpch_queries/$q.sql")
	echo "$q, GPU (ms)"
	run "SET gpudb.force = on" "${query%;*}"
	echo "$q, PostgreSQL with $jobs processes (ms)"
	run "SET gpudb.enabled = off" "${query%;*}" | grep Execution
done
psql_as -c "SELECT 'heap of lineitem: ' || round(pg_relation_size('lineitem') / 1e9, 3) || ' GB'"
