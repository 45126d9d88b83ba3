#!/bin/bash
# What takes too long for `make test`:
# test/long/run.sh [queries] [buffers] [crowd] [sanitize] [cassert] [cancel] [repeat] [groups] [helper] [kills] [tablets] [standby] [writers] [states] [standin] [faults]
#
#   queries    50,000 random queries; at least 95 % of those that count must run on gpudb
#   buffers    every suite that runs queries, at shared_buffers of 1 MB and of 128 MB
#   crowd      64 sessions at once, at both sizes
#   sanitize   suites with a library built by gcc's sanitizers
#   cassert    regress, isolation and 3,000 random queries on a PostgreSQL built with assertions: none may fail
#   cancel     1,000 queries cancelled at random moments: p99 at most 200 ms, and columns are built behind it as before
#   repeat     10,000 queries in one session: nothing may grow
#   groups     5 million groups; 200 million rows (9 GB on disk): memory and time
#   helper     slots that change hands while the GPU process is stopped; 20 restarts
#   kills      the GPU process killed 200 times under load (GPUDB_HELPER_KILLS), by a GPU where there is one
#   tablets    cached columns beside 8 writers, autovacuum and DDL: 20,000 pairs of answers, with and without gpudb, on the CPU device
#              and on the GPU, for which the CPU stands in unless GPUDB_PROVIDER=auto
#   standby    the same readers on a standby
#   writers    what gpudb takes from the throughput of those who update a cached table
#   states     the Star Schema Benchmark, planner free, while columns are evicted and built and the cost model changes; the CPU
#              stands in for the GPU unless GPUDB_PROVIDER=auto
#   faults     every call of CUDA fails, with each of six codes; wants a GPU and `make FAULTS=1 install`
#   standin    the same with a stand-in for CUDA and the kernels; wants CUDA's headers, and no GPU
#
# All but `faults` when none is named.
#
# gpudb must be installed already.  GPUDB_LONG_ROWS: rows for `groups`; GPUDB_DIFF_SEED: seed for `queries` and others;
# GPUDB_LONG_SECONDS: how long `tablets`, `standby`, `writers` and `states` take (default 600 each).
# Exit status 1: something failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
status=0

step() {
	local start=$SECONDS
	echo "== $*"
	"$@" || { echo "FAILED: $*"; status=1; }
	echo "($((SECONDS - start)) s)"
}

# Run a command against a server of its own, with these settings besides.
settings=()
with_server() {
	local name=$1
	shift
	server_start "$name" "gpudb.provider = ${GPUDB_PROVIDER:-auto}" 'gpudb.pool_size = 0' 'shared_buffers = 2GB' 'autovacuum = off' 'max_wal_size = 8GB' \
		"${settings[@]}" && psql_as -c 'CREATE EXTENSION gpudb' &&
		"$@"
	local result=$?
	server_stop "$name"
	return $result
}

with_buffers() {
	local buffers
	for buffers in 1MB 128MB; do
		step env GPUDB_SHARED_BUFFERS=$buffers "$here/../run.sh" "$@"
	done
}

long_queries() {
	step with_server queries "$here/../diff/diff.py" --count 50000 --min-share 93 --min-topic-share 50 --seed "${GPUDB_DIFF_SEED:-$(date +%s)}"
}
long_buffers() { with_buffers regress isolation tap pgtap diff; }
long_crowd() { with_buffers crowd; }
long_sanitize() { step "$here/../sanitize.sh"; }
long_cassert() { step "$here/cassert.sh"; }
long_cancel() {
	step with_server cancel "$here/cancel.py"
	local settings=('gpudb.pool_size = 256MB')
	step with_server cancel_cached "$here/cancel.py" --cached
}
long_repeat() { step with_server repeat "$here/repeat.py"; }
long_groups() { step with_server groups "$here/groups.py" --rows "${GPUDB_LONG_ROWS:-200000000}"; }
long_helper() {
	step with_server slots "$here/slots.py"
	step "$here/restarts.sh"
}
long_kills() {
	local settings=('gpudb.gpu_memory = 8GB')
	step with_server kills "$here/kills.py" --count "${GPUDB_HELPER_KILLS:-200}" --seed "${GPUDB_DIFF_SEED:-1}"
}
tablets_settings=('gpudb.pool_size = 8MB' 'max_prepared_transactions = 10' 'autovacuum_naptime = 1s' 'autovacuum_vacuum_threshold = 20'
	'autovacuum_vacuum_scale_factor = 0.01' 'autovacuum_vacuum_cost_delay = 0' 'max_wal_size = 8GB' 'max_worker_processes = 24')
# Once a large block has been freed glibc keeps up to 64 MB of what is freed later: fixed thresholds have it give all of that
# back, so that a session's memory is what it uses.
returned=131072
long_tablets() {
	local -x MALLOC_MMAP_THRESHOLD_=$returned MALLOC_TRIM_THRESHOLD_=$returned
	server_start tablets "${tablets_settings[@]}" "gpudb.provider = ${GPUDB_PROVIDER:-cpu}" && psql_as -c 'CREATE EXTENSION gpudb' &&
		step "$here/tablets.py" --seconds "${GPUDB_LONG_SECONDS:-600}" --seed "${GPUDB_DIFF_SEED:-1}"
	server_stop tablets
}
long_standby() {
	local standby=$work/replica
	local -x MALLOC_MMAP_THRESHOLD_=$returned MALLOC_TRIM_THRESHOLD_=$returned
	server_start tablets "${tablets_settings[@]}" 'gpudb.device = cpu' 'max_standby_streaming_delay = -1' && psql_as -c 'CREATE EXTENSION gpudb' &&
		as_user pg_basebackup -D "$standby" -R -X stream -h "$work" -U postgres &&
		echo "port = 5433" | as_user tee -a "$standby/postgresql.conf" >/dev/null &&
		as_user pg_ctl -D "$standby" -l "$work/replica.log" -w -t 120 start >/dev/null &&
		step "$here/tablets.py" --standby 'port=5433' --seconds "${GPUDB_LONG_SECONDS:-600}" --seed "${GPUDB_DIFF_SEED:-1}"
	local result=$?
	stop_data "$standby"
	server_stop tablets
	return $result
}
long_writers() {
	server_start writers 'fsync = on' 'shared_buffers = 2GB' 'max_wal_size = 8GB' && psql_as -c 'CREATE EXTENSION gpudb' &&
		step "$here/writers.py" --seconds "${GPUDB_LONG_SECONDS:-600}"
	server_stop writers
}
long_states() {
	server_start states 'shared_buffers = 2GB' 'max_wal_size = 8GB' "gpudb.provider = ${GPUDB_PROVIDER:-cpu}" && psql_as -c 'CREATE EXTENSION gpudb' &&
		step "$here/states.py" --seconds "${GPUDB_LONG_SECONDS:-600}" --seed "${GPUDB_DIFF_SEED:-1}"
	local result=$?
	server_stop states
	return $result
}
long_standin() {
	local settings=('gpudb.pool_size = 64MB') tree=$work/standin-tree sources
	sources=$("$here/../standin/sources.sh")
	copy_postgres "$tree"
	build_in "$tree" FAULTS=1 NVCC=
	FAULTS=1 "$here/../standin/build.sh" "$(cuda_include)" "$tree$("$PG_CONFIG" --pkglibdir)" || return 1
	give_user "$tree"
	local pg_bin=$tree$pg_bin
	local PATH=$pg_bin:$PATH
	step with_server standin "$here/faults.py" --sources "${sources// /,}"
}
# wants a GPU, and gpudb built and installed with FAULTS=1
long_faults() {
	local settings=('gpudb.pool_size = 64MB')
	step with_server faults "$here/faults.py"
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(queries buffers crowd sanitize cassert cancel repeat groups helper kills tablets standby writers states standin)
for name in "${steps[@]}"; do
	declare -F "long_$name" >/dev/null || die "no step '$name': there are queries buffers crowd sanitize cassert cancel repeat groups helper kills tablets standby writers states standin faults"
done
find_postgres
work_open
for name in "${steps[@]}"; do
	"long_$name"
done
exit $status
