#!/bin/bash
# shellcheck disable=SC1091,SC2034,SC2154
# What gpudb gains and loses on a GPU host, in one private server, as tables of text:
#
#	test/bench/gpu/suite.sh [OPTION...] COMMAND...
#
#	groups		GROUP BY, 1 to 10 million groups, evenly spread and skewed, sums of integers and of floats, beside PostgreSQL and
#			DuckDB (groups.py)
#	feed		Q1 and Q6 of TPC-H by the number of processes that pin pages, from shared_buffers and from the kernel's
#			cache (feed.py); this one restarts the server
#	tablets		the queries of the tablet paper, rows returned and reduced (tablets.py); with a pool, over
#			cached columns
#	cached		Q6 and Q1 of TPC-H over cached columns, beside DuckDB, and after updates (cached.py); wants a pool,
#			such as --set gpudb.pool_size=4GB (without it nothing is cached), and a lineitem of its own
#	tpch, ssb	the queries of TPC-H that join, and the Star Schema Benchmark, over cached columns, beside PostgreSQL's parallel
#			plans and DuckDB, calibrated, as ../bench.py prints them; want a pool
#	mixed		a small query while large scans run (mixed.sh)
#	choice		does the planner choose the best device? (choice.py)
#
#	--rows N	rows of each table of groups (50000000)
#	--kinds LIST	distributions of groups ("uniform zipf one99")
#	--sf N		scale factor of lineitem (10)
#	--tablet-rows N	rows of the tablet paper's table (8000000)
#	--choice-rows N	rows of the largest table of choice (10000000)
#	--runs N	timed runs at most (5)
#	--budget MS	no further run once the timed ones of a query took so long (3000)
#	--slow MS	PostgreSQL and DuckDB are stopped after so long (30000)
#	--seconds N	of each run of mixed (4)
#	--updates	cached: change the table afterwards
#	--first	cached: only what the first queries pay
#	--jobs N	sessions that load, and processes of a parallel plan (the number of cores, at most 16)
#	--set NAME=VALUE	another server setting
#	--tiny		small tables and few runs, to see whether all works
#
# gpudb must be installed.  Each command's data are made when its turn comes, by as many sessions as there are cores, at
# most 16, and stay for the next.  GPUDB_PROVIDER=cpu tries it without a GPU.  Everything is removed at the end.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../lib.sh"
. "$here/data.sh"
. "$here/mixed.sh"

rows=50000000 kinds="uniform zipf one99" sf=10 tablet_rows=8000000 choice_rows=10000000
updates=0 first=0 logged=
runs=5 budget=3000 slow=30000 seconds=4 settings=() commands=()
jobs=$(nproc)
[ "$jobs" -le 16 ] || jobs=16
while [ $# -gt 0 ]; do
	case $1 in
		groups | feed | tablets | mixed | choice | cached | tpch | ssb) commands+=("$1") ;;
		--rows | --kinds | --sf | --tablet-rows | --choice-rows | --runs | --budget | --slow | --seconds | --jobs)
			name=${1#--}
			printf -v "${name//-/_}" %s "${2:?$1 needs a value}"
			shift ;;
		--updates) updates=1 ;;
		--first) first=1 ;;
		--set) settings+=("${2%%=*} = '${2#*=}'"); shift ;;
		--tiny) rows=100000 sf=0.02 tablet_rows=50000 choice_rows=100000 runs=2 budget=500 slow=10000 seconds=1 ;;
		-h | --help) sed -n '3,/^set -e/{/^set/d;s/^#[ ]\{0,1\}//p}' "$0"; exit 0 ;;
		*) die "unknown argument $1 (see --help)" ;;
	esac
	shift
done
[ ${#commands[@]} -gt 0 ] || die "name a command (see --help)"
limits=(--runs "$runs" --budget "$budget" --slow "$slow")

wants() { [[ " ${commands[*]} " == *" $1 "* ]]; }

# All tables of the named commands, and a tenth more.
shared_buffers() {
	local mb=256
	if wants groups; then mb=$((mb + rows * 60 * $(wc -w <<<"$kinds") / 1000000)); fi
	if wants feed || wants mixed || wants choice || wants cached; then mb=$((mb + $(awk -v sf="$sf" 'BEGIN { print int(sf * 1000) }'))); fi
	if wants tpch; then mb=$((mb + $(awk -v sf="$sf" 'BEGIN { print int(sf * 1800) }'))); fi
	if wants ssb; then mb=$((mb + $(awk -v sf="$sf" 'BEGIN { print int(sf * 1100) }'))); fi
	if wants tablets; then mb=$((mb + tablet_rows * 60 / 1000000)); fi
	if wants choice; then mb=$((mb + choice_rows * 45 / 1000000 + 60)); fi
	echo "$((mb * 11 / 10))MB"
}

# The supervisor starts the GPU process some time after the server.
await_gpu() {
	local i
	for ((i = 0; i < 100; i++)); do
		[[ $(psql_as -c "SELECT gpudb.doctor()") != "All is well"* ]] || return 0
		sleep 0.2
	done
	psql_as -c "SELECT gpudb.doctor()"
}

# feed.py restarts the server, which is how PostgreSQL 15 lets go of what lies in shared_buffers.
write_restart() {
	cat >"$work/restart.sh" <<-EOF
		. '$repo/test/lib.sh'
		work='$work' test_user='$test_user' PG_CONFIG='$PG_CONFIG'
		find_postgres
		as_user pg_ctl -D '$work/suite' -l '$work/suite.log' -m fast -w -t 120 restart >/dev/null 2>&1
		$(declare -f await_gpu)
		await_gpu
	EOF
}

measure() { python3 "$here/$1.py" "${limits[@]}" "${@:2}"; }

run_groups() {
	local csv=() kind
	told "groups, $rows rows each" data_groups "$rows"
	if python3 -c 'import duckdb' 2>/dev/null; then
		for kind in $kinds; do data_csv "groups_$kind"; done
		csv=(--csv "$work/csv")
	fi
	measure groups --kinds "$kinds" "${csv[@]}"
	rm -rf "$work/csv"
}

need_lineitem() {
	[ -n "$(psql_as -c "SELECT to_regclass('lineitem')")" ] || told "lineitem, scale factor $sf" data_lineitem "$sf"
}

run_feed() {
	need_lineitem
	# PostgreSQL's Q1 with few workers would take most of the time
	measure feed --slow $((slow / 2)) --restart "$work/restart.sh" --jobs "$jobs"
}

run_cached() {
	local parquet=()
	logged=1
	psql_as -c 'DROP TABLE IF EXISTS lineitem'
	told "lineitem, scale factor $sf" data_lineitem "$sf"
	if [ "$first" = 0 ] && python3 -c 'import duckdb' 2>/dev/null; then
		mkdir -p "$work/parquet"
		"$generator" parquet -s "$sf" -T lineitem --num-threads "$jobs" -o "$work/parquet" >/dev/null
		chmod -R a+rX "$work/parquet"
		parquet=(--parquet "$work/parquet/lineitem.parquet")
	fi
	measure cached --jobs "$jobs" --updates "$updates" --first "$first" "${parquet[@]}"
	rm -rf "$work/parquet"
}

# stars SUITE [OPTION...]: with bench.py
stars() {
	local duckdb=()
	if python3 -c 'import duckdb' 2>/dev/null; then duckdb=(--duckdb --files "$work/files"); fi
	told calibration psql_as -c 'SELECT gpudb.calibrate()' >/dev/null
	python3 "$here/../bench.py" "$1" --cached --no-serial --warm 2 --runs "$runs" --prune 1.5 --budget "$(awk -v ms="$budget" 'BEGIN { print ms / 1000 }')" \
		--timeout $((slow / 1000)) "${duckdb[@]}" "${@:2}"
	rm -rf "$work/files"
}

run_tpch() {
	find_generator
	psql_as -c 'SET client_min_messages = warning; DROP TABLE IF EXISTS lineitem'
	told "TPC-H, scale factor $sf" data_tpch "$sf"
	stars tpch --only q03,q04,q05,q07,q08,q09,q10,q12,q14,q19,q21,q22
	psql_as -c 'DROP TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem'
}

run_ssb() {
	told "SSB, scale factor $sf" data_ssb "$sf"
	stars ssb
}

run_tablets() {
	local cached=0
	[ "$(psql_as -c 'SHOW gpudb.pool_size')" = 0 ] || cached=1
	[ $cached = 0 ] || logged=1
	told "tablet, $tablet_rows rows" data_tablet "$tablet_rows"
	measure tablets --cached $cached --budget $((budget / 3))		# it has three times as many queries as the others
}

run_mixed() {
	need_lineitem
	mixed
}

run_choice() {
	need_lineitem
	told "choice, up to $choice_rows rows" data_choice "$choice_rows"
	measure choice
}

find_postgres
work_open
server_start suite "shared_buffers = $(shared_buffers)" "max_wal_size = 20GB" "wal_level = minimal" "max_wal_senders = 0" \
	"autovacuum = off" "maintenance_work_mem = 1GB" "work_mem = 1GB" "max_connections = 100" \
	"max_worker_processes = $((jobs * 2 + 8))" "max_parallel_workers = $((jobs * 2))" \
	"max_parallel_workers_per_gather = $((jobs - 1))" "synchronize_seqscans = off" \
	"gpudb.provider = ${GPUDB_PROVIDER:-auto}" "gpudb.pool_size = 0" "${settings[@]}"
psql_as -c 'CREATE EXTENSION gpudb' -c 'CREATE EXTENSION pg_prewarm' -f "$here/../data_hash.sql"
write_restart
await_gpu
psql_as -c 'SELECT gpudb.doctor()'
echo "$jobs cores, shared_buffers $(psql_as -c 'SHOW shared_buffers'), $(date -u +%FT%TZ)"
for command in "${commands[@]}"; do
	SECONDS=0
	echo
	echo "=== $command"
	set +e			# one that fails does not keep the others from running
	(set -e && "run_$command")
	status=$?
	set -e
	[ $status = 0 ] || echo "$command FAILED"
	echo "--- $command took $SECONDS s; gpudb.stat: $(psql_as -F ' ' -c "
		SELECT string_agg(concat_ws(' ', event, reason, count), ', ') FROM gpudb.stat WHERE count > 0 AND event <> 'refused'")"
done
