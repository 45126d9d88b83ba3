#!/bin/bash
#
# Benchmark gpudb against PostgreSQL on a private server.
#
#   test/bench/run.sh [suite …] [option …]            suites: tpch ssb tablet govindaraju wisconsin joins (these), visits
#   test/bench/run.sh newcomer [suite …] [option …]   default settings, nothing but CREATE EXTENSION (tpch ssb visits)
#
#   --quick           small tables, 1 warm-up, 3 runs: does everything work?
#   --rows N          rows of the papers' tables and of visits (tablet 8 M, visits 2 M, the others 1 M)
#   --sf N            scale factor of TPC-H and SSB (1)
#   --keep DIR        data directory to keep, and to use again next time
#   --peers-only      without gpudb, which then need not be installed
#   --docs FILE       where the tables go (docs/benchmarks.md; nowhere with --quick or --peers-only)
#   --set NAME=VALUE  another server setting, e.g. gpudb.device=cpu
#   --user NAME       who runs the server when root starts this (gpudb-test, made if missing)
#   PG_CONFIG, PYTHON in the environment: which PostgreSQL, which python3
#
# --warm, --runs, --only, --all, --force, --cold, --cached, --wide, --duckdb, --files, --no-serial,
# --timeout, --prune, --budget, --label and --json go to bench.py.  gpudb must be installed; nothing is built here.
#
# newcomer leaves the server's settings at their defaults, but for shared_buffers and max_wal_size, adds the foreign-key
# indexes of TPC-H, and runs newcomer.py.  Its options are --rounds N (5), --pause SECONDS (20, with --quick 1),
# --no-prewarm, --only, --timeout, --runs (3, of PostgreSQL's) and --json, and of those above --quick, --rows, --sf, --keep, --set and --user.
#
# PostgreSQL refuses to run as root, so only its server (and initdb) run as
# another user; everything else, psql and bench.py, runs as whoever called.
# The socket lies in a temporary folder, which is removed at the end.
#
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=$("${PG_CONFIG:-pg_config}" --bindir)
cores=$(nproc)

suites=() pass=() settings=()
quick='' rows='' sf=1 keep='' peers_only='' docs='' docs_given='' server_user=gpudb-test
newcomer='' newcomer_only='' plain_only=''

if [ "${1:-}" = newcomer ]; then
	newcomer=1
	shift
fi
while [ $# -gt 0 ]; do
	case $1 in
		tpch | ssb | tablet | govindaraju | wisconsin | joins | visits) suites+=("$1") ;;
		--quick) quick=1 ;;
		--rows) rows=$2; shift ;;
		--sf) sf=$2; shift ;;
		--keep) keep=$2; shift ;;
		--peers-only) peers_only=1; pass+=("$1"); plain_only=$1 ;;
		--docs) docs=$2; docs_given=1; plain_only=$1; shift ;;
		--set) settings+=("$2"); shift ;;
		--user) server_user=$2; shift ;;
		--all | --force | --cold | --cached | --wide | --duckdb | --no-serial) pass+=("$1"); plain_only=$1 ;;
		--warm | --prune | --budget | --files | --label) pass+=("$1" "$2"); plain_only=$1; shift ;;
		--only | --timeout | --runs | --json) pass+=("$1" "$2"); shift ;;
		--rounds | --pause) pass+=("$1" "$2"); newcomer_only=$1; shift ;;
		--no-prewarm) pass+=("$1"); newcomer_only=$1 ;;
		-h | --help) sed -n '3,/^set -e/{/^set/d;s/^# \{0,1\}//p}' "$0"; exit 0 ;;
		*) echo "$0: unknown argument $1 (see --help)" >&2; exit 2 ;;
	esac
	shift
done
if [ -n "$newcomer" ]; then
	[ -z "$plain_only" ] || { echo "$0: $plain_only is not for newcomer (see --help)" >&2; exit 2; }
	export TPCH_INDEXES=1
	defaults=(tpch ssb visits) quick_rows=100000 quick_pass=(--pause 1)
else
	[ -z "$newcomer_only" ] || { echo "$0: $newcomer_only is for newcomer (see --help)" >&2; exit 2; }
	defaults=(tpch ssb tablet govindaraju wisconsin joins) quick_rows=200000 quick_pass=(--warm 1 --runs 3)
fi
[ ${#suites[@]} -gt 0 ] || suites=("${defaults[@]}")
if [ -n "$quick" ]; then
	rows=${rows:-$quick_rows}
	[ "$sf" != 1 ] || sf=0.05
	pass=("${quick_pass[@]}" "${pass[@]}")
fi
[ -n "$docs_given$quick$peers_only$newcomer" ] || docs=$root/docs/benchmarks.md
[ -z "$docs" ] || pass+=(--docs "$docs")

# ---- the server

as_server() {
	if [ "$(id -u)" = 0 ]; then
		(cd / && runuser -u "$server_user" -- "$@")
	else
		"$@"
	fi
}

temp=$(mktemp -d "${TMPDIR:-/tmp}/gpudb-bench.XXXXXX")
data=${keep:-$temp/data}
started=''
finish() {
	[ -z "$started" ] || as_server "$bin/pg_ctl" -D "$data" -m fast -w stop >/dev/null || true
	rm -rf "$temp"
}
trap finish EXIT
trap 'exit 130' INT TERM

# rows_of SUITE: how many rows its largest table has, for the suites whose size --rows sets
rows_of() {
	case $1 in
		tablet) echo "${rows:-8000000}" ;;
		visits) echo "${rows:-2000000}" ;;
		*) echo "${rows:-1000000}" ;;
	esac
}

# 4 GB, more for TPC-H or SSB above SF 2 (2 GB for each) and for visits above 4 million rows (1 GB for each million),
# never more than half of the memory; a machine with less than 12 GB gives a quarter
shared_buffers_mb() {
	local memory
	memory=$(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
	awk -v memory="$memory" -v sf="$sf" -v visits="$(rows_of visits)" -v suites=" ${suites[*]} " 'BEGIN {
		want = 4096
		if (suites ~ / (tpch|ssb) / && sf > 2) want = sf * 2048
		if (suites ~ / visits / && visits / 1000 > want) want = visits / 1000
		if (memory < 12288) want = memory / 4
		if (want > memory / 2) want = memory / 2
		print int(want)
	}'
}

start_server() {
	mkdir -p "$data"
	if [ "$(id -u)" = 0 ]; then
		id "$server_user" >/dev/null 2>&1 || useradd --system --shell /bin/sh "$server_user"
		chown -R "$server_user" "$temp" "$data"
		as_server test -x "$data" || { echo "$0: $server_user cannot reach $data" >&2; exit 1; }
	fi
	[ -f "$data/PG_VERSION" ] ||
		as_server "$bin/initdb" -D "$data" -U bench -A trust -E UTF8 --locale=C >"$temp/initdb.log"
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$temp'"
		echo "shared_buffers = $(shared_buffers_mb)MB"
		echo "max_wal_size = 8GB"
		if [ -z "$newcomer" ]; then
			echo "work_mem = 64MB"
			echo "max_worker_processes = $((cores + 8))"
			echo "max_parallel_workers = $cores"
			echo "max_parallel_workers_per_gather = $cores"
		fi
		[ -n "$peers_only" ] || echo "shared_preload_libraries = 'gpudb'"
		for setting in "${settings[@]}"; do echo "${setting%%=*} = '${setting#*=}'"; done
	} >"$temp/bench.conf"
	chmod 644 "$temp/bench.conf"
	as_server cp "$temp/bench.conf" "$data/bench.conf"
	grep -q bench.conf "$data/postgresql.conf" ||
		as_server sh -c "echo \"include 'bench.conf'\" >>'$data/postgresql.conf'"
	as_server "$bin/pg_ctl" -D "$data" -l "$temp/server.log" -w -t 120 start >/dev/null ||
		{ cat "$temp/server.log" >&2; exit 1; }
	started=1
	export PGHOST=$temp PGPORT=5432 PGUSER=bench PGDATABASE=bench PGOPTIONS=
	PATH=$bin:$PATH
	psql -qAtX -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'bench'" | grep -q 1 ||
		createdb bench
	[ -n "$peers_only" ] || sql -c "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gpudb"
}

# ---- the data

sql() { psql -qAtX -P pager=off -v ON_ERROR_STOP=1 "$@"; }

# load SUITE SIZE COMMAND…: unless the data directory of an earlier run has that suite at that size
load() {
	local suite=$1 size=$2
	shift 2
	[ "$(sql -c "SELECT size FROM bench_loaded WHERE suite = '$suite'")" != "$size" ] || return 0
	echo "loading $suite ($size) …" >&2
	sql -c "DELETE FROM bench_loaded WHERE suite = '$suite'"
	"$@"
	sql -c "INSERT INTO bench_loaded VALUES ('$suite', '$size')"
}

load_tpch() {
	sql -c "SET client_min_messages = warning;
		DROP TABLE IF EXISTS region, nation, supplier, customer, part, partsupp, orders, lineitem"
	"$here/tpch_load.sh" "$sf"
}

load_suites() {
	sql -c "SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS bench_loaded(suite text, size text)"
	# data is made by plain PostgreSQL
	[ -n "$peers_only" ] || export PGOPTIONS="-c gpudb.enabled=off"
	for suite in "${suites[@]}"; do
		local n
		n=$(rows_of "$suite")
		case $suite in
			tpch) load tpch "sf$sf${TPCH_INDEXES:+ with indexes}" load_tpch ;;
			ssb) load ssb "sf$sf" sql -v sf="$sf" -f "$here/data_ssb.sql" ;;
			*) load "$suite" "$n" sql -v n="$n" -f "$here/data_$suite.sql" ;;
		esac
	done
	export PGOPTIONS=
	sql -c CHECKPOINT
}

start_server
load_suites
program=bench.py
[ -z "$newcomer" ] || program=newcomer.py
"${PYTHON:-python3}" "$here/$program" "${suites[@]}" "${pass[@]}"
