#!/bin/bash
#
# Benchmark gpudb against PostgreSQL on a private server.
#
#   test/bench/run.sh [suite …] [option …]        suites: tpch ssb tablet govindaraju wisconsin joins (all)
#
#   --quick           small tables, 1 warm-up, 3 runs: does everything work?
#   --rows N          rows of the papers' tables (tablet 8 M, the others 1 M)
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

while [ $# -gt 0 ]; do
	case $1 in
		tpch | ssb | tablet | govindaraju | wisconsin | joins) suites+=("$1") ;;
		--quick) quick=1 ;;
		--rows) rows=$2; shift ;;
		--sf) sf=$2; shift ;;
		--keep) keep=$2; shift ;;
		--peers-only) peers_only=1; pass+=("$1") ;;
		--docs) docs=$2; docs_given=1; shift ;;
		--set) settings+=("$2"); shift ;;
		--user) server_user=$2; shift ;;
		--all | --force | --cold | --cached | --wide | --duckdb | --no-serial) pass+=("$1") ;;
		--warm | --runs | --only | --timeout | --prune | --budget | --files | --label | --json) pass+=("$1" "$2"); shift ;;
		-h | --help) sed -n '3,/^set -e/{/^set/d;s/^# \{0,1\}//p}' "$0"; exit 0 ;;
		*) echo "$0: unknown argument $1 (see --help)" >&2; exit 2 ;;
	esac
	shift
done
[ ${#suites[@]} -gt 0 ] || suites=(tpch ssb tablet govindaraju wisconsin joins)
if [ -n "$quick" ]; then
	rows=${rows:-200000}
	[ "$sf" != 1 ] || sf=0.05
	pass=(--warm 1 --runs 3 "${pass[@]}")
fi
[ -n "$docs_given$quick$peers_only" ] || docs=$root/docs/benchmarks.md
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

# 4 GB, more for TPC-H or SSB above SF 2 (2 GB for each), never more than half of the memory;
# a machine with less than 12 GB gives a quarter
shared_buffers_mb() {
	local memory
	memory=$(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
	awk -v memory="$memory" -v sf="$sf" -v suites=" ${suites[*]} " 'BEGIN {
		want = 4096
		if (suites ~ / (tpch|ssb) / && sf > 2) want = sf * 2048
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
		echo "work_mem = 64MB"
		echo "max_wal_size = 8GB"
		echo "max_worker_processes = $((cores + 8))"
		echo "max_parallel_workers = $cores"
		echo "max_parallel_workers_per_gather = $cores"
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

# load SUITE SIZE COMMAND…: unless a kept data directory has that suite at that size
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
		local n=$rows
		[ -n "$n" ] || { [ "$suite" = tablet ] && n=8000000 || n=1000000; }
		case $suite in
			tpch) load tpch "sf$sf" load_tpch ;;
			ssb) load ssb "sf$sf" sql -v sf="$sf" -f "$here/data_ssb.sql" ;;
			*) load "$suite" "$n" sql -v n="$n" -f "$here/data_$suite.sql" ;;
		esac
	done
	export PGOPTIONS=
	sql -c CHECKPOINT
}

start_server
load_suites
"${PYTHON:-python3}" "$here/bench.py" "${suites[@]}" "${pass[@]}"
