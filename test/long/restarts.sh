#!/bin/bash
# Stop and start a server again and again, by every way to stop, and through crash recovery: what is left behind?
#
#	test/long/restarts.sh [COUNT]		20 by default
#
# gpudb must be installed; GPUDB_PROVIDER=cpu tries it without a GPU.  Each time a query runs on the device first.  Exit
# status 1: a wrong answer, a process, a segment of shared memory or GPU memory that stayed.
set -uo pipefail
. "$(dirname "$0")/../lib.sh"

count=${1:-20}
find_postgres
work_open
query="SET gpudb.device = gpu; SET gpudb.force = on; EXPLAIN (ANALYZE, COSTS OFF) SELECT sum(id) FROM small;
	SELECT sum(id) FROM small"
failed=0

complain() {
	echo "FAILED, round $round ($way): $*"
	failed=1
}

segment() { awk 'NR == 7 { print $2 }' "$work/restarts/postmaster.pid"; }
has_gpu_memory() { nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -qx "$1"; }

# wait_for SECONDS COMMAND...
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}
serves() { psql_as -c 'SELECT gpudb.doctor()' 2>/dev/null | grep -q 'All is well'; }
helper() { pgrep -P "$(pgrep -P "$(head -n 1 "$work/restarts/postmaster.pid")" -f 'gpudb supervisor')"; }
gone() { ! kill -0 "$1" 2>/dev/null; }

server_start restarts "gpudb.provider = ${GPUDB_PROVIDER:-auto}" "restart_after_crash = on" || exit 1
psql_as -c 'CREATE EXTENSION gpudb' -c 'CREATE TABLE small AS SELECT generate_series(1, 10000) AS id' -c 'VACUUM ANALYZE small'
for ((round = 1; round <= count; round++)); do
	ways=(fast immediate smart crash)
	way=${ways[$((round % 4))]}
	wait_for 20 serves || complain "no GPU process: $(psql_as -c 'SELECT gpudb.doctor()' 2>&1)"
	answer=$(psql_as -c "$query" 2>&1)
	[[ $answer == *"Device: gpu"*50005000* ]] || complain "another answer: $answer"
	pid=$(helper) memory=$(segment)
	if [ $way = crash ]; then
		# a backend dies, and PostgreSQL starts all others anew
		psql_as -c 'SELECT pg_sleep(30)' >/dev/null 2>&1 &
		victim() { psql_as -c "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)'"; }
		sleep 0.5
		kill -9 "$(victim)"
		wait $!
		wait_for 20 psql_as -c 'SELECT' >/dev/null 2>&1 || complain "no server after the crash"
		wait_for 5 gone "$pid" || complain "the old GPU process lives"
		continue
	fi
	as_user pg_ctl -D "$work/restarts" -m $way -w stop >/dev/null || complain "did not stop"
	wait_for 5 gone "$pid" || complain "the GPU process lives"
	! has_gpu_memory "$pid" || complain "the GPU process $pid has memory of the GPU"
	! ipcs -m -i "$memory" 2>/dev/null | grep -q "shmid=$memory" || complain "the segment $memory is there"
	as_user pg_ctl -D "$work/restarts" -l "$work/restarts.log" -w start >/dev/null || { complain "did not start"; break; }
done
server_stop restarts
echo "$((round - 1)) times, $([ $failed = 0 ] && echo 'nothing left behind' || echo 'see above')"
exit $failed
