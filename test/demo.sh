#!/bin/bash
# See gpudb at work on a bare Debian 12:  make demo       (SF=10 make demo: another scale factor of TPC-H, default 1)
#
# Installs what is missing, builds gpudb, starts a private server with PostgreSQL's and gpudb's default settings, loads three
# tables of TPC-H, runs five queries with gpudb switched off and on, compares the answers, and prints a table of times: with
# nothing cached, and with the columns that these queries themselves have left behind.  The planner is free to choose
# PostgreSQL's own plan, and the table says where it did.  Only different answers and errors make the exit status non-zero.
# Nothing is left behind but the installed packages and gpudb.
#
#   SF                 scale factor of TPC-H, such as 0.05 or 10 (default 1: 6 million rows)
#   RUNS               timed runs, of which the median counts (default 3)
#   GPUDB_INSTALLED=1  gpudb and what it needs are installed: neither packages nor gpudb are touched
set -euo pipefail
. "$(dirname "$0")/lib.sh"
export LC_ALL=C		# psql's "Time:", and decimal points

sf=${SF:-1}
runs=${RUNS:-3}
width=100
steps=5
[[ $sf =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)$ && $sf =~ [1-9] ]] || die "SF must be a number above 0, such as 0.05 or 10, not '$sf'"
[[ $runs =~ ^[1-9][0-9]*$ ]] || die "RUNS must be a number above 0, not '$runs'"

# ---- progress: one line that changes on a terminal, else a line at a step's start and every 20 seconds

step=0
shown=''

# show TEXT: in the place of what was shown before.  A terminal may not know its size, so lines are short instead of cut to it.
show() {
	printf '\r%-*s' ${#shown} ''
	printf '\r%s' "${1:0:78}"
	shown=${1:0:78}
}

# step TEXT PROGRESS COMMAND...: run a command that may take long.  What it prints appears if it fails.  The command PROGRESS
# prints what is being done just now, such as "loading lineitem, 40 %", or nothing.
step() {
	local text=$1 progress=$2 log=$work/step.log last=$SECONDS pid now head
	shift 2
	step=$((step + 1))
	head="step $step of $steps:"
	if [ -t 1 ]; then show "$head $text"; else echo "$head $text"; fi
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		sleep 0.3
		[ -t 1 ] || [ $((SECONDS - last)) -ge 20 ] || continue
		last=$SECONDS
		now=$("$progress" 2>/dev/null) && [ -n "$now" ] || continue
		[ -t 1 ] || echo "$head $now"
		[ ! -t 1 ] || [ "$head $now" = "$shown" ] || show "$head $now"
	done
	if ! wait $pid; then
		printf '\n'
		tail -n 20 "$log" >&2
		die "failed: $text"
	fi
	[ ! -t 1 ] || { show "$head $text: done"; printf '\n'; shown=''; }
}

# percent TEXT READY TOTAL
percent() {
	local ready=$(($3 > 0 ? $2 * 100 / $3 : 0))
	echo "$1, $((ready > 99 ? 99 : ready)) %"
}

# ---- packages and gpudb

install_packages() {
	if [ -n "${GPUDB_INSTALLED:-}" ]; then
		"$repo/test/install-deps.sh" tpchgen
	else
		GPUDB_APT_STATUS=$work/apt.status "$repo/test/install-deps.sh" demo
	fi
}

# A line of APT::Status-Fd is like "pmstatus:gcc-12:41.6667:Unpacking gcc-12 (amd64)".
packages_progress() {
	local kind rest ready
	IFS=: read -r kind rest ready rest < <(tail -n 1 "$work/apt.status" 2>/dev/null)
	case $kind in
		dlstatus) percent "downloading packages" "${ready%.*}" 100 ;;
		pmstatus) percent "installing packages" "${ready%.*}" 100 ;;
		*) tail -n 1 "$work/step.log" | grep -o '^installing tpchgen-cli' ;;
	esac
}

build() {
	[ -z "${GPUDB_INSTALLED:-}" ] || return 0
	make -C "$repo" --no-print-directory -s -j"$(nproc)" all
	make -C "$repo" --no-print-directory -s install
}

build_progress() {
	[ "$(cat "$work/build.objects")" != 0 ] || return 0
	percent "building gpudb" "$(find "$repo/src" "$repo/cuda" -name '*.o' -newer "$work/build.start" | wc -l)" \
		"$(cat "$work/build.objects")"
}

build_count() {
	touch "$work/build.start"
	make -C "$repo" -n all 2>/dev/null | grep -c -- ' -c ' >"$work/build.objects" || true
}

# ---- the server and its data

# None of these settings makes a query faster or slower.  server_start has gpudb.auto_calibrate off: the planner would have the
# machine measured in the middle of this demo, which disturbs both, and what is measured on a busy machine misleads it.
start_server() {
	server_start demo "max_wal_size = 4GB" "autovacuum = off" || exit 1
	psql_as -c "CREATE EXTENSION gpudb"
}

# gpudb.doctor() says so while the GPU process is starting.
await_device() {
	local i
	for ((i = 0; i < 20; i++)); do
		[[ $(psql_as -c "SELECT gpudb.doctor()") =~ "look again"|starting ]] || return 0
		sleep 1
	done
}

describe_server() {
	psql_as -c "
		SELECT format('PostgreSQL %s, gpudb %s; default settings, but fsync, autovacuum and gpudb.auto_calibrate are off.',
			current_setting('server_version'), gpudb.version())
		UNION ALL
		SELECT coalesce('GPU: ' || (SELECT name FROM gpudb.devices WHERE state = 'in use' LIMIT 1) || '.',
			'gpudb''s nodes run on the CPU. Why not on a GPU: ' || gpudb.doctor())" | wrap 2
}

# Keys and vacuuming, too, take a while, and pg_stat_progress_* has how far they are.
load_progress() {
	psql_as -c "
		SELECT format('%s %s, %s %%', doing, relid::regclass, least(99, 100 * done / greatest(total, 1)))
		FROM (
			SELECT 'loading' AS doing, relid, tuples_processed AS done,
				$sf * CASE relid::regclass::text WHEN 'lineitem' THEN 6000000 WHEN 'orders' THEN 1500000 ELSE 150000 END AS total
			FROM pg_stat_progress_copy WHERE command = 'COPY FROM'
			UNION ALL
			SELECT 'indexing', relid, blocks_done + tuples_done, blocks_total + tuples_total FROM pg_stat_progress_create_index
			UNION ALL
			SELECT 'vacuuming', relid, heap_blks_scanned, heap_blks_total FROM pg_stat_progress_vacuum
			UNION ALL
			SELECT 'analyzing', relid, sample_blks_scanned, sample_blks_total FROM pg_stat_progress_analyze
		) AS p(doing, relid, done, total)
		ORDER BY relid::regclass::text = 'lineitem' DESC, doing LIMIT 1" | sed 's/\.[0-9]* %/ %/'
}

load_data() {
	PGOPTIONS="-c maintenance_work_mem=512MB -c gpudb.enabled=off" TPCH_TABLES="${tables[*]}" TPCH_SOURCE=$source \
		"$repo/test/bench/tpch_load.sh" "$sf"
	psql_as -c CHECKPOINT
}

# ---- the queries

tables=(customer orders lineitem)
titles=("Q1" "Q6" "Q3" "median" "filter")
meanings=("eight sums, averages and counts of four groups" "one sum over a year, behind three filters"
	"the ten best orders of a join of three tables" "the median of all prices" "a few rows of lineitem, behind three filters")
queries=(
	"$(cat "$repo/test/bench/tpch_queries/q01.sql")"
	"$(cat "$repo/test/bench/tpch_queries/q06.sql")"
	"$(cat "$repo/test/bench/tpch_queries/q03.sql")"
	"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY l_extendedprice) FROM lineitem;"
	"SELECT l_shipdate, l_quantity, l_extendedprice, l_discount
FROM lineitem
WHERE l_shipdate BETWEEN date '1995-06-01' AND date '1995-06-07' AND l_discount >= 0.09 AND l_quantity < 5;"
)

# timed FILE COUNT SETTING QUERY: run it so often on one connection; FILE.ms gets a line of milliseconds for each, FILE.rows the
# rows of the last.
timed() {
	local i
	{
		echo "$3"
		echo '\timing on'
		for ((i = 0; i < $2; i++)); do
			printf '\\o %s\n%s\n' "'$1.rows'" "$4"
		done
	} | psql_as | sed -u -n 's/^Time: \([0-9.]*\) ms.*/\1/p' >>"$1.ms"
}

forget=''
for table in "${tables[@]}"; do
	forget+="SELECT FROM gpudb.evict('$table'); "
done

run_postgres() {
	local i
	for i in "${!queries[@]}"; do
		timed "$work/q$i.postgres" $((runs + 1)) "SET gpudb.enabled = off;" "${queries[i]}"
	done
}

# Each with nothing cached.  Then all once more, which leaves their columns behind, and then with these.
run_gpudb() {
	local i
	for i in "${!queries[@]}"; do
		psql_as -o "$work/q$i.first.plan" -c "$forget" -c "EXPLAIN ${queries[i]}"
		timed "$work/q$i.first" 1 "" "${queries[i]}"
	done
	for i in "${!queries[@]}"; do
		psql_as -o /dev/null -c "${queries[i]}"
	done
	for i in "${!queries[@]}"; do
		timed "$work/q$i.cached" "$runs" "" "${queries[i]}"
		psql_as -o "$work/q$i.cached.plan" -c "EXPLAIN (ANALYZE, COSTS OFF) ${queries[i]}"
	done
}

# timed_progress PATTERN COUNT: how many runs there were, of COUNT for each query.
timed_progress() {
	local ready
	ready=$(cat "$work"/q*."$1".ms 2>/dev/null | wc -l)
	percent "running ${titles[ready / $2]:-the last query}" "$ready" $(($2 * ${#queries[@]}))
}

postgres_progress() { timed_progress postgres $((runs + 1)); }

gpudb_progress() {
	if [ -e "$work/q0.cached.ms" ]; then
		timed_progress cached "$runs"
	else
		timed_progress first 1
	fi
}

# ---- what came of it

# wrap [MORE]: lines of at most $width columns, broken between words; what goes on is indented by so many columns more (4).
wrap() {
	expand -t 4 | awk -v width=$width -v more="${1:-4}" '{
		match($0, /^ *(-> +)?/)
		indent = sprintf("%*s", RLENGTH + more, "")
		while (length($0) > width) {
			at = width + 1
			while (at > length(indent) + 1 && substr($0, at, 1) != " ")
				at--
			if (at <= length(indent) + 1)
				break
			print substr($0, 1, at - 1)
			$0 = indent substr($0, at + 1)
		}
		print
	}'
}

# runs_on PLAN: the gpudb nodes of a plan, such as GpuAgg+Join, and PostgreSQL where it reads tables itself.
runs_on() {
	{
		grep -o 'Custom Scan (Gpu[A-Za-z]*)' "$1" | sed 's/.*(Gpu\(.*\))/\1/'
		! grep -q -E '^ *(-> +)?(Parallel )?(Seq|Index|Index Only|Bitmap Heap) Scan' "$1" || echo PostgreSQL
		! grep -q '^ *Fallback:' "$1" || echo fallback
	} | awk '!seen[$0]++' | paste -s -d + | sed '/^PostgreSQL/!s/^/Gpu/'
}

# compare: says for each query whether gpudb's answers, in any order of rows, are PostgreSQL's; fails if one is not.
compare() {
	local i kind differ=0 rows
	for i in "${!queries[@]}"; do
		rows=$(wc -l <"$work/q$i.postgres.rows")
		LC_ALL=C sort -o "$work/q$i.postgres.rows" "$work/q$i.postgres.rows"
		for kind in first cached; do
			LC_ALL=C sort -o "$work/q$i.$kind.rows" "$work/q$i.$kind.rows"
			if ! cmp -s "$work/q$i.postgres.rows" "$work/q$i.$kind.rows"; then
				echo "${titles[i]}: THE ANSWERS DIFFER (PostgreSQL's <, gpudb's $kind run >)"
				diff "$work/q$i.postgres.rows" "$work/q$i.$kind.rows" | head -n 10 | cut -c 1-$width || true
				differ=1
				continue 2
			fi
		done
		printf '  %-8s equal, %-10s %s\n' "${titles[i]}" "$rows row$([ "$rows" = 1 ] || echo s)" "${meanings[i]}"
	done
	return $differ
}

median() { sort -n | sed -n "$(((runs + 1) / 2))p"; }

# The first of PostgreSQL's runs only warms up.
table() {
	local i
	printf '%-8s %10s %10s %9s %7s  %-24s %s\n' '' '' gpudb gpudb times 'first run' 'cached run' \
		query PostgreSQL 'first run' cached faster 'ran on' 'ran on'
	for i in "${!queries[@]}"; do
		printf '%s %s %s %s %s %s\n' "${titles[i]}" "$(tail -n +2 "$work/q$i.postgres.ms" | median)" "$(cat "$work/q$i.first.ms")" \
			"$(median <"$work/q$i.cached.ms")" "$(runs_on "$work/q$i.first.plan")" "$(runs_on "$work/q$i.cached.plan")"
	done | awk '{
		ratio = $2 / $4
		printf "%-8s %10.1f %10.1f %9.1f %7s  %-24.24s %.24s\n", $1, $2, $3, $4, sprintf(ratio < 10 ? "%.1f" : "%.0f", ratio), $5, $6
	}'
}

explain_table() {
	local i why
	{
		echo "PostgreSQL: gpudb.enabled = off; workers and JIT as PostgreSQL has them; median of $runs runs."
		echo "first run: nothing cached. cached: with columns that these queries left behind; median of $runs runs."
		echo "ran on: what the planner chose, PostgreSQL where it found PostgreSQL's own plan cheaper."
		for i in "${!queries[@]}"; do
			[ "$(runs_on "$work/q$i.cached.plan")" = PostgreSQL ] || continue
			why=$(psql_as -c "SELECT string_agg(DISTINCT meaning, '; ')
				FROM gpudb.why_not(\$why\$${queries[i]%;}\$why\$) WHERE node IS NULL")
			echo "${titles[i]} stayed with PostgreSQL (gpudb.why_not: $why)."
		done
	} | wrap 0
}

describe_machine() {
	local model
	model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	echo "$(nproc) cores (${model:-$(uname -m)}), $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GB of memory"
}

# ---- from here on it happens

work_open
echo "gpudb's demo: TPC-H at scale factor $sf on $(describe_machine)" | wrap
step "installing what is missing" packages_progress install_packages
note=$(grep '^no tpchgen-cli' "$work/step.log" || true)
source=$(tpchgen_cli >/dev/null && echo tpchgen || echo sql)
[ "$source" = tpchgen ] || echo "${note:-no tpchgen-cli}; SQL makes the rows instead (test/bench/tpch_generate.sql)" | wrap
build_count
step "building gpudb" build_progress build
find_postgres
start_server
await_device
describe_server
step "loading TPC-H at scale factor $sf" load_progress load_data
step "running the queries with gpudb switched off" postgres_progress run_postgres
step "running the queries with gpudb" gpudb_progress run_gpudb

for i in 0 1; do
	printf '\n%s\n\n' "--- ${titles[i]} with columns cached" "${queries[i]}" "$(cat "$work/q$i.cached.plan")"
done | cat -s | wrap
printf '%s\n\n' "--- answers of gpudb's first run and its last cached one, against PostgreSQL's"
differ=0
compare || differ=1
printf '\n%s\n\n' "--- times in milliseconds; lineitem: $(psql_as -c "SELECT to_char(count(*), 'FM999,999,999,999') || ' rows, ' ||
	pg_size_pretty(pg_table_size('lineitem')) FROM lineitem")"
table
echo
explain_table
exit $differ
