#!/bin/bash
# See gpudb at work on a bare Debian 12:  make demo       (SF=10 make demo: another scale factor of TPC-H, default 1)
#
# Installs what is missing, builds gpudb, starts a private server, loads TPC-H into ordinary heap tables, shows plans,
# compares every answer with PostgreSQL's own and times both.  Nothing is left behind but the installed packages and gpudb.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

sf=${SF:-1}
runs=5
case $sf in '' | *[!0-9.]*) die "SF must be a number, not '$sf'" ;; esac

# step TEXT COMMAND...: run a command that may take long, with the seconds running; its output appears if it fails.
step() {
	local text=$1 start=$SECONDS log=$work/step.log pid
	shift
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		[ ! -t 1 ] || printf '\r%s ... %d s ' "$text" $((SECONDS - start))
		sleep 0.2
	done
	if ! wait $pid; then
		printf '\n'
		tail -n 20 "$log" >&2
		die "failed: $text"
	fi
	[ ! -t 1 ] || printf '\r'
	printf '%s ... %d s \n' "$text" $((SECONDS - start))
}

build() {
	make -C "$repo" --no-print-directory -s -j"$(nproc)" all
	make -C "$repo" --no-print-directory -s install
}

# What each column of the final table sets.  Everything else stays as PostgreSQL has it.
gpudb="SET gpudb.enabled = on; SET gpudb.debug_require = require;"
parallel="SET gpudb.enabled = off; SET max_parallel_workers_per_gather = $(nproc);"
serial="SET gpudb.enabled = off; SET max_parallel_workers_per_gather = 0;"

titles=("Q1" "Q6" "filter")
queries=(
	"$(cat "$repo/test/bench/tpch_queries/q01.sql")"
	"$(cat "$repo/test/bench/tpch_queries/q06.sql")"
	"SELECT l_orderkey, l_linenumber, l_extendedprice, l_shipdate
FROM lineitem
WHERE l_shipdate BETWEEN date '1995-06-01' AND date '1995-06-07' AND l_discount >= 0.09 AND l_quantity < 5;"
)

# answer FILE SETTINGS QUERY: the rows, sorted, since the filter query asks for no order.
answer() {
	psql_as -c "$2" -c "$3" | LC_ALL=C sort >"$1"
}

# measure FILE SETTINGS QUERY: milliseconds of a first run and then $runs more, on one connection, a line each.
measure() {
	local i
	{
		echo "$2"
		echo '\timing on'
		for ((i = 0; i <= runs; i++)); do
			echo "$3"
		done
	} | psql_as -o /dev/null | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' >"$1"
}

first() { head -n 1 "$1"; }
median() { tail -n +2 "$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }

work_open
step "installing what is missing" "$repo/test/install-deps.sh" demo
step "building gpudb" build
find_postgres

# A quarter of the memory is usual, and holds the data where the scale factor suits the machine.
buffers=$(awk '/^MemTotal/ { mb = int($2 / 4 / 1024); print (mb > 32768 ? 32768 : mb) }' /proc/meminfo)
server_start demo "shared_buffers = ${buffers}MB" "maintenance_work_mem = 512MB" "max_wal_size = 8GB" "wal_level = minimal" \
	"max_wal_senders = 0" "max_worker_processes = $(($(nproc) + 8))" "max_parallel_workers = $(nproc)" "autovacuum = off" ||
	exit 1
psql_as -c "CREATE EXTENSION gpudb"
step "loading TPC-H at scale factor $sf" "$repo/test/bench/tpch_load.sh" "$sf"
psql_as -c "SELECT 'lineitem: ' || to_char(count(*), 'FM999,999,999,999') || ' rows, ' ||
	pg_size_pretty(pg_table_size('lineitem')) FROM lineitem"

for i in "${!queries[@]}"; do
	printf '\n%s\n%s\n\n' "--- ${titles[i]}" "${queries[i]}"
	psql_as -c "$gpudb" -c "EXPLAIN (COSTS OFF) ${queries[i]}"
done

# gpudb's first run starts with nothing cached, as far as this version can forget.
evict=$(psql_as -c "SELECT 'SELECT gpudb.evict(''lineitem'');' WHERE to_regprocedure('gpudb.evict(regclass)') IS NOT NULL")
echo
for i in "${!queries[@]}"; do
	measured=$work/measured.$i
	step "${titles[i]}: gpudb" measure "$measured.gpudb" "$gpudb $evict" "${queries[i]}"
	step "${titles[i]}: PostgreSQL, parallel" measure "$measured.parallel" "$parallel" "${queries[i]}"
	step "${titles[i]}: PostgreSQL, serial" measure "$measured.serial" "$serial" "${queries[i]}"
done

echo
differ=0
for i in "${!queries[@]}"; do
	measured=$work/measured.$i
	answer "$measured.on" "$gpudb" "${queries[i]}"
	answer "$measured.off" "$parallel" "${queries[i]}"
	if cmp -s "$measured.on" "$measured.off"; then
		echo "${titles[i]}: both answers are equal, rows: $(wc -l <"$measured.on")"
	else
		echo "${titles[i]}: THE ANSWERS DIFFER (PostgreSQL <, gpudb >)"
		diff "$measured.off" "$measured.on" | head -n 10 || true
		differ=1
	fi
done

printf '\nmilliseconds: gpudb on its first run, then each the median of %d further runs\n\n' $runs
printf '%-8s %12s %12s %12s %12s %13s %13s\n' query 'gpudb first' gpudb parallel serial 'vs parallel' 'vs serial'
for i in "${!queries[@]}"; do
	measured=$work/measured.$i
	echo "${titles[i]} $(first "$measured.gpudb") $(median "$measured.gpudb")" \
		"$(median "$measured.parallel") $(median "$measured.serial")"
done | awk '{ printf "%-8s %12.1f %12.1f %12.1f %12.1f %12.1fx %12.1fx\n", $1, $2, $3, $4, $5, $4 / $3, $5 / $3 }'
exit $differ
