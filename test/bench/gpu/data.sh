# shellcheck shell=bash disable=SC2154  # what it uses is suite.sh's and lib.sh's
# The tables that suite.sh measures with, loaded by $jobs sessions at a time.  Source it after test/lib.sh.
#
#	data_lineitem SF	TPC-H's lineitem and nothing else; $logged: as a table whose columns can be cached
#	data_groups N		groups_uniform, groups_zipf, groups_one99 (data_groups.sql)
#	data_tablet N		test (../data_tablet.sql); $logged: likewise
#	data_tpch SF	all of TPC-H, and into $work/files the same as parquet
#	data_ssb SF	the Star Schema Benchmark (../data_ssb.sql), and into $work/files the same as CSV, in parts
#	data_choice N		tcpip (../data_govindaraju.sql), and choice_1000 to choice_10000000 with at most N rows
#	data_csv TABLE		the table's rows as CSV, in parts, into $work/csv
#
# All others are unlogged, since WAL would take more time and disk than the tables; vacuumed, frozen and in shared_buffers.

plain="-c gpudb.enabled=off"		# PGOPTIONS: PostgreSQL makes the data

# statement FILE START: the statement of the file that begins with these words, its rows counted from :lo to :hi
statement() {
	awk -v start="$2" 'index($0, start) == 1 { on = 1 } on { print } on && /;/ { exit }' "$1" |
		sed -e 's/^CREATE TABLE/CREATE UNLOGGED TABLE/' -e 's/generate_series(1, :\(n\|orders\))/generate_series(:lo, :hi)/'
}

# in_parts STATEMENT N [OPTION...]: run it for the rows 1 to N, a part of them in each session
in_parts() {
	local part pids=() options=("${@:3}")
	for ((part = 0; part < jobs; part++)); do
		PGOPTIONS=$plain psql_as -v lo=$(($2 * part / jobs + 1)) -v hi=$(($2 * (part + 1) / jobs)) "${options[@]}" <<<"$1" >/dev/null &
		pids+=($!)
	done
	for part in "${pids[@]}"; do wait "$part"; done
}

# settle TABLE...: side by side
settle() {
	local table pids=()
	for table in "$@"; do
		psql_as -c "VACUUM (ANALYZE, FREEZE) $table" -c "SELECT FROM pg_prewarm('$table')" >/dev/null &
		pids+=($!)
	done
	for table in "${pids[@]}"; do wait "$table"; done
}

# told NAME COMMAND...: run it and say how long it took
told() {
	local start=$SECONDS
	"${@:2}"
	echo "$1: made in $((SECONDS - start)) s"
}

find_generator() {
	generator=$(tpchgen_cli) || die "no tpchgen-cli: run test/install-deps.sh demo"
}

data_lineitem() {
	local part pids=()
	find_generator
	statement "$here/../tpch_schema.sql" "CREATE TABLE lineitem" | sed "${logged:+s/UNLOGGED//}" | psql_as
	for ((part = 1; part <= jobs; part++)); do
		"$generator" csv -s "$1" -T lineitem --parts "$jobs" --part "$part" --num-threads 1 --stdout |
			psql_as -c "COPY lineitem FROM STDIN WITH (FORMAT csv, HEADER)" &
		pids+=($!)
	done
	for part in "${pids[@]}"; do wait "$part"; done
	settle lineitem
}

data_tpch() {
	mkdir -p "$work/files"
	TPCH_JOBS=$jobs PGOPTIONS=$plain "$here/../tpch_load.sh" "$1"
	"$generator" parquet -s "$1" --num-threads "$jobs" -o "$work/files" >/dev/null
}

data_ssb() {
	local table lines customers suppliers parts orders
	read -r lines customers suppliers parts orders < <(PGOPTIONS=$plain psql_as -v sf="$1" -v apart=1 -f "$here/../data_ssb.sql" | tail -n 1)
	in_parts "$(statement "$here/../data_ssb.sql" "INSERT INTO lineorder")" "$orders" -v lines="$lines" -v customers="$customers" \
		-v suppliers="$suppliers" -v parts="$parts"
	psql_as -c 'ALTER TABLE lineorder ADD PRIMARY KEY (lo_orderkey, lo_linenumber)'
	settle lineorder ddate ssb_customer ssb_supplier ssb_part
	for table in lineorder ddate ssb_customer ssb_supplier ssb_part; do data_csv "$table" "$work/files"; done
}

data_groups() {
	local kind
	for kind in $kinds; do
		statement "$here/data_groups.sql" "CREATE TABLE groups_$kind" | psql_as
		in_parts "$(statement "$here/data_groups.sql" "INSERT INTO groups_$kind")" "$1"
	done
	# shellcheck disable=SC2046,SC2086  # words
	settle $(printf 'groups_%s ' $kinds)
}

data_tablet() {
	statement "$here/../data_tablet.sql" "CREATE TABLE test" | sed "${logged:+s/UNLOGGED//}" | psql_as
	in_parts "$(statement "$here/../data_tablet.sql" "INSERT INTO test")" "$1"
	settle test
}

data_choice() {
	local n tables=(tcpip)
	statement "$here/../data_govindaraju.sql" "CREATE TABLE tcpip" | psql_as
	in_parts "$(statement "$here/../data_govindaraju.sql" "INSERT INTO tcpip")" "$(($1 < 1000000 ? $1 : 1000000))"
	for n in 1000 10000 100000 1000000 10000000; do
		[ "$n" -le "$1" ] || break
		psql_as -c "CREATE UNLOGGED TABLE choice_$n(k int, v int)"
		in_parts "INSERT INTO choice_$n SELECT floor(100 * bench_u(r, 601))::int, floor(1000 * bench_u(r, 602))::int
			FROM generate_series(:lo, :hi) r" "$n"
		tables+=("choice_$n")
	done
	settle "${tables[@]}"
}

# the rows of a table, into a folder ($work/csv)
data_csv() {
	local pages part pids=() folder=${2:-$work/csv}
	mkdir -p "$folder"
	give_user "$folder"
	pages=$(psql_as -c "SELECT pg_relation_size('$1') / current_setting('block_size')::int")
	for ((part = 0; part < jobs; part++)); do
		PGOPTIONS=$plain psql_as -c "COPY (SELECT * FROM $1 WHERE ctid >= '($((pages * part / jobs)),0)' AND
			ctid < '($((pages * (part + 1) / jobs)),0)') TO '$folder/$1.$part.csv' (FORMAT csv)" &
		pids+=($!)
	done
	for part in "${pids[@]}"; do wait "$part"; done
}
