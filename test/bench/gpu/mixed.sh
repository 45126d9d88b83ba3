# shellcheck shell=bash disable=SC2154  # what it uses is suite.sh's and lib.sh's
# A small query, with and without large scans beside it: how long does it wait?  Source it; suite.sh calls mixed().
#
# The small one is latency.sh's.  The load is Q6 of TPC-H over lineitem, nothing cached by gpudb, again and again in two
# sessions with 8 feeders each.

load_label=$(printf '%-28s %8d' "    the load" 2)
on_gpu="-c gpudb.device=gpu -c gpudb.force=on"

# percentiles NAME: of pgbench's latencies, in the files NAME.*
percentiles() {
	cat "$work/$1".[0-9]* | awk '{ print $3 }' | sort -n | awk '
		{ v[NR] = $1 / 1000 }
		function at(share) { return v[int(NR * share) + (int(NR * share) < NR)] }
		END { if (NR) printf "%8d %9.3f %9.3f %9.3f %9.3f", NR, at(0.5), at(0.9), at(0.99), v[NR] }'
}

# What gpudb nodes did not do on the GPU since the last call, if anything.
left() {
	psql_as -c "SELECT '    ' || string_agg(concat_ws(' ', event, reason, count), ', ') FROM gpudb.stat
		WHERE count > 0 AND event NOT IN ('refused', 'executed') HAVING count(*) > 0" -c "SELECT gpudb.stat_reset()" | sed '/^$/d'
}

# small NAME LABEL CLIENTS OPTIONS: one line
small() {
	local aborted failed
	(cd "$work" && PGOPTIONS="$4" as_user pgbench -n -M prepared -f small.sql -c "$3" -j "$3" -T "$seconds" -l \
		--log-prefix="$1" >"$1.out" 2>&1) || cat "$work/$1.out"
	failed=$(sed -n 's/^number of failed transactions: \([0-9]*\).*/\1/p' "$work/$1.out")
	aborted=$(grep -c aborted "$work/$1.out" || true)
	printf '%-28s %8d %s%s\n' "$2" "$3" "$(percentiles "$1")" "$([ "${failed:-0}$aborted" = 00 ] || echo "  $failed failed, $aborted aborted")"
}

# beside LABEL CLIENTS OPTIONS: the same while the load runs, and how the load does
beside() {
	local load
	rm -f "$work"/load.[0-9]*
	(cd "$work" && PGOPTIONS="$on_gpu -c max_parallel_workers_per_gather=8" exec_load $((seconds + 2))) &
	load=$!
	sleep 1
	small beside "$1" "$2" "$3"
	rm -f "$work"/beside.[0-9]*
	wait $load || cat "$work/load.out"
	echo "$load_label $(percentiles load)"
	left
}

exec_load() {
	as_user pgbench -n -f load.sql -c 2 -j 2 -T "$1" -l --log-prefix=load >load.out 2>&1
}

mixed() {
	local clients who options
	psql_as -c "SELECT gpudb.stat_reset()" >/dev/null
	psql_as -c 'CREATE TABLE small AS SELECT g AS id, g % 10 AS k, (g * 0.01)::numeric(12,2) AS n FROM generate_series(1, 10000) g' \
		-c 'VACUUM (ANALYZE, FREEZE) small'
	echo 'SELECT count(*), sum(n) FROM small WHERE k < 5;' >"$work/small.sql"
	cp "$here/../tpch_queries/q06.sql" "$work/load.sql"
	chmod 644 "$work/small.sql" "$work/load.sql"
	printf '%-28s %8s %8s %9s %9s %9s %9s  (ms)\n' "" sessions n p50 p90 p99 worst
	(cd "$work" && PGOPTIONS="$on_gpu -c max_parallel_workers_per_gather=8" exec_load "$seconds")
	echo "$load_label $(percentiles load)"
	left
	for who in gpu PostgreSQL; do
		options=$on_gpu
		[ $who = gpu ] || options=$plain
		for clients in 1 8; do
			small "alone" "$who, alone" $clients "$options"
			rm -f "$work"/alone.[0-9]*
			beside "$who, beside the load" $clients "$options"
		done
	done
}
