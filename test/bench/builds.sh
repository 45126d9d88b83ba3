#!/bin/bash
# Build sides of joins, from what stays in a cache to more than a GPU may have:
#
#	test/bench/builds.sh [DEVICE [ROWS]]	gpu or cpu (cpu); rows that look for theirs (20000000)
#
# gpudb must be installed.  A private server is given 1 GB of the GPU's memory, or as much as BUILDS_GPU_MEMORY says.  For build sides of 1 MB, 100 MB
# and 1.5 GB of table, with a column fetched and without, dense keys and sparse ones: the answer beside PostgreSQL's, which device
# it was, what the table is like, how long it took to build, and the time of the passes for a row that looks for its own (medians of
# 5 runs behind one warm-up).  What a GPU has no room for it does in several passes, but not a left join.  Everything is removed at the end.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

device=${1:-cpu}
rows=${2:-20000000}
jobs=$(nproc)
[ "$jobs" -le 16 ] || jobs=16
find_postgres
work_open

server_start builds "shared_buffers = 8GB" "max_wal_size = 100GB" "wal_level = minimal" "max_wal_senders = 0" "full_page_writes = off" \
	"autovacuum = off" "work_mem = 4GB" "max_worker_processes = 32" "max_parallel_workers = 32" "max_parallel_workers_per_gather = $((jobs - 1))" \
	"jit = off" "gpudb.device = $device" "gpudb.gpu_memory = '${BUILDS_GPU_MEMORY:-1GB}'" "gpudb.pool_size = 6GB" "gpudb.join_memory = 4GB"
psql_as -c 'CREATE EXTENSION gpudb'

# sides NAME KEYS: a table with so many keys, another whose keys are far apart, and rows that look for all of them
sides() {
	local made
	psql_as -c "CREATE TABLE dense_$1 AS SELECT i AS k, i % 1000 AS w FROM generate_series(0, $2 - 1) i" &
	made=$!
	psql_as -c "CREATE TABLE sparse_$1 AS SELECT i * 1000003 AS k, (i % 1000)::int AS w FROM generate_series(0::int8, $2 - 1) i" &
	made+=" $!"
	psql_as <<-SQL
		CREATE TABLE probe_$1 AS SELECT (hashint8(i) & 2147483647) % $2 AS d, ((hashint8(i) & 2147483647) % $2)::int8 * 1000003 AS s, (i % 100)::int AS v
			FROM generate_series(1::int8, $rows) i;
	SQL
	for made in $made; do wait "$made"; done
	psql_as <<-SQL
		VACUUM (ANALYZE, FREEZE) dense_$1, sparse_$1, probe_$1;
		SELECT FROM unnest('{dense_$1, sparse_$1, probe_$1}'::regclass[]) t, gpudb.prewarm(t);
	SQL
}

# median: of the numbers of stdin
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# measure LABEL QUERY
measure() {
	local ours theirs plan run
	ours=$(psql_as -c "SET gpudb.force = on" -c "$2")
	theirs=$(psql_as -c "SET gpudb.enabled = off" -c "$2")
	plan=$(psql_as -c "SET gpudb.force = on" -c "$2" -c "EXPLAIN (ANALYZE, BUFFERS OFF) $2")
	for run in 1 2 3 4 5; do
		psql_as -c "SET gpudb.force = on" -c "EXPLAIN (ANALYZE, BUFFERS OFF) $2" |
			awk '/Join 1 Table/ { build = $(NF - 1) } /Execution Time/ { print $3 - build }'
	done | median >"$work/pass"
	printf '%-24s %s, %s\n' "$1" "$([ "$ours" = "$theirs" ] && echo equal || echo "WRONG: $ours, not $theirs")" \
		"$(awk '/Device:/ && !device { sub(/.*Device: /, ""); device = $0 } /Left to CPU|GPU Fallback|Fallback/ { left = left "; " $0 } /Join 1 Table/ { sub(/.*Table: /, ""); table = $0 }
			END { gsub(/  +/, "", left); print "device " device ", " table left }' <<<"$plan")"
	awk -v rows="$rows" '{ printf "%26s the rest %.1f ms, %.2f ns a row\n", "", $1, $1 * 1e6 / rows }' "$work/pass"
}

while read -r name keys; do
	sides "$name" "$keys"
	echo "$keys rows in the build side"
	measure "dense, fetched" "SELECT count(*), sum(v + w) FROM probe_$name LEFT JOIN dense_$name ON d = k"
	measure "dense, half of them" "SELECT count(*), sum(v), count(w) FROM probe_$name LEFT JOIN dense_$name ON d = k AND w < 500"
	measure "dense, semi" "SELECT count(*), sum(v) FROM probe_$name WHERE EXISTS (SELECT FROM dense_$name WHERE d = k AND w <> v)"
	measure "dense, inner" "SELECT count(*), sum(v + w) FROM probe_$name JOIN dense_$name ON d = k"
	measure "sparse, fetched" "SELECT count(*), sum(v + w) FROM probe_$name LEFT JOIN sparse_$name ON s = k"
	measure "sparse, semi" "SELECT count(*), sum(v) FROM probe_$name WHERE EXISTS (SELECT FROM sparse_$name WHERE s = k AND w <> v)"
	psql_as -c "DROP TABLE dense_$name, sparse_$name, probe_$name"
done <<END
small 50000
large 5000000
huge ${BUILDS_HUGE:-60000000}
END
