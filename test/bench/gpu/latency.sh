#!/bin/bash
# How long a small query takes on the GPU: an aggregate over 10,000 rows, over a Unix socket, by one session and by 64.
#
#	test/bench/gpu/latency.sh [SECONDS]		of each run (5)
#
# gpudb must be installed.  Prints percentiles of pgbench's latencies, whether anything failed or was left to the CPU,
# and where the time of one query goes.  GPUDB_PROVIDER=cpu tries it without a GPU.
set -euo pipefail
. "$(dirname "$0")/../../lib.sh"

seconds=${1:-5}
find_postgres
work_open
server_start latency "max_connections = 200" "autovacuum = off" "gpudb.pool_size = 0" "gpudb.provider = ${GPUDB_PROVIDER:-auto}"
psql_as -c 'CREATE EXTENSION gpudb' \
	-c 'CREATE TABLE small AS SELECT g AS id, g % 10 AS k, (g * 0.01)::numeric(12,2) AS n FROM generate_series(1, 10000) g' \
	-c 'VACUUM ANALYZE small' -c "ALTER SYSTEM SET gpudb.device = gpu" -c "ALTER SYSTEM SET gpudb.force = on" -c 'SELECT pg_reload_conf()' >/dev/null
sleep 2
psql_as -c 'SELECT gpudb.doctor()'
echo 'SELECT count(*), sum(n) FROM small WHERE k < 5;' >"$work/query.sql"
chmod 644 "$work/query.sql"

# measure NAME CLIENTS MODE
measure() {
	(cd "$work" && as_user pgbench -n -M "$3" -f query.sql -c "$2" -j "$2" -T "$seconds" -l --log-prefix="$1" >"$1.out" 2>&1) ||
		cat "$work/$1.out"
	cat "$work/$1".[0-9]* | awk '{ print $3 }' | sort -n | awk -v name="$1" '
		{ v[NR] = $1 }
		END { printf "%-22s n %7d  p50 %.3f ms  p90 %.3f  p99 %.3f  worst %.3f\n", name, NR, v[int(NR * 0.5) + 1] / 1000,
			v[int(NR * 0.9) + 1] / 1000, v[int(NR * 0.99) + 1] / 1000, v[NR] / 1000 }'
	grep -E "number of failed|aborted" "$work/$1.out" || true
}

measure one_simple 1 simple
measure one_prepared 1 prepared
measure sixty_four_simple 64 simple
measure sixty_four_prepared 64 prepared
psql_as -c "SELECT event, reason, count FROM gpudb.stat WHERE count > 0 AND event <> 'refused'"
echo "one query:"
psql_as -c 'EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*), sum(n) FROM small WHERE k < 5' \
	-c 'EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*), sum(n) FROM small WHERE k < 5'
echo "the same with PostgreSQL alone:"
psql_as -c 'SET gpudb.enabled = off' -c 'EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*), sum(n) FROM small WHERE k < 5'
