#!/bin/bash
# shellcheck disable=SC1091,SC2154
# What a GPU host shows before a release, beside `make test-gpu` and test/bench/gpu/suite.sh:
# test/long/gpu.sh [STEP...]
#
#   latency    small queries, by one session and by 64
#   kernels    queries 1 and 6 of TPC-H over 240 million rows in device memory, with programs compiled here
#   sanitize   NVIDIA's compute-sanitizer, its four tools over the six unit tests of kernels
#   faults     every call of CUDA fails, with each of six codes, in a PostgreSQL tree of its own; some ten minutes
#   cancel     120 queries on the GPU cancelled at random moments: p99 at most 500 ms
#   restarts   20 stops and starts of the server
#
# All of them, one after the other, when none is named.  The last three do not mind a busy machine; the first two
# want a quiet one.  gpudb must be installed, and a CUDA toolkit be there.  GPUDB_FAULT_CODES: codes for `faults`.
# Exit status 1: something failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

tools=(memcheck racecheck initcheck synccheck)
tests=(combine_test deform_test groups_test output_test vm_lanes_test vm_test)
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# The compute capability to build for, such as 90.
chip() { nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .; }

# Unit tests and the kernels' benchmark, built once.
need_programs() {
	[ ! -d "$work/gpu" ] || return 0
	mkdir "$work/gpu"
	"$repo/test/unit/gpu/build.sh" "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" "$(chip)" "$work/gpu" >"$work/gpu/build.log" || { cat "$work/gpu/build.log"; die "the build failed"; }
}

gpu_latency() { "$repo/test/bench/gpu/latency.sh" 4 || fail latency; }

# A program depends on types, not on rows: some rows will do.
gpu_kernels() {
	local query
	need_programs
	server_start kernels && psql_as -c 'CREATE EXTENSION gpudb' -f "$repo/test/bench/tpch_schema.sql" -c "
		INSERT INTO lineitem SELECT g, g, g, 1, g % 50, g % 1000 * 100.01, g % 11 * 0.01, g % 9 * 0.01, chr(65 + g % 3), chr(70 + g % 2),
			date '1994-01-01' + g % 300, date '1994-01-01', date '1994-01-01', 'NONE', 'MAIL', 'none' FROM generate_series(1, 10000) g" \
		-c 'VACUUM ANALYZE lineitem' >/dev/null || { fail "kernels: no server"; return; }
	for query in 6 1; do
		psql_as -c 'SET gpudb.force = on' -c "SET gpudb.debug_program = '$work/q$query.prog'" -f "$repo/test/bench/tpch_queries/q0$query.sql" >/dev/null
	done
	server_stop kernels
	"$work/gpu/kernel_vm_bench" 240000000 "$work/q6.prog" "$work/q1.prog" || fail kernels
}

gpu_sanitize() {
	local tool program sanitizer said status
	need_programs
	sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
	for tool in "${tools[@]}"; do
		for program in "${tests[@]}"; do
			said=$work/gpu/$tool.$program.txt
			GPUDB_TEST_SHORT=1 timeout 400 "$sanitizer" --tool "$tool" --error-exitcode 9 "$work/gpu/$program" >"$said" 2>&1
			status=$?
			echo "$tool $program: exit status $status, $(grep -c '^ok' "$said") passed, $(grep -E 'SUMMARY' "$said" | tail -n 1 | tr -d =)"
			[ $status = 0 ] || { grep -vE '^ok' "$said" | head -n 40; fail "$tool $program"; }
		done
	done
}

gpu_faults() {
	local tree=$work/tree
	copy_postgres "$tree"
	build_in "$tree" FAULTS=1 GPUDB_CUDA_ARCH="$(chip)"
	PG_CONFIG=$tree$pg_bin/pg_config "$here/run.sh" faults || fail faults
}

gpu_cancel() {
	server_start cancel 'gpudb.pool_size = 0' 'shared_buffers = 2GB' 'autovacuum = off' 'max_wal_size = 8GB' && psql_as -c 'CREATE EXTENSION gpudb' &&
		"$here/cancel.py" --device gpu --limit 500 --count 120 || fail cancel
	server_stop cancel
}

gpu_restarts() { "$here/restarts.sh" 20 || fail restarts; }

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(latency kernels sanitize faults cancel restarts)
for name in "${steps[@]}"; do
	declare -F "gpu_$name" >/dev/null || die "no step '$name': there are latency kernels sanitize faults cancel restarts"
done
find_postgres
work_open
for name in "${steps[@]}"; do
	echo "== $name"
	SECONDS=0
	"gpu_$name"
	echo "($name took $SECONDS s)"
done
exit $failed
