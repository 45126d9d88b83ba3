#!/bin/bash
# Run the test suites and add up:
# test/run.sh [lint] [unit] [cuda] [regress] [isolation] [tap] [pgtap] [diff] [channel] [standin] [demo] [crowd]
# All but `crowd` run when none is named.
#
# gpudb and its CPU provider must be installed already (`make install install-test-provider`; `make test` does that).
# Every suite comes down to programs that print TAP; what pg_regress prints is translated.  Tests run as an unprivileged
# user on copies in a scratch folder, so the repository may belong to root.  The last line is always `N passed, N failed`.
#
#   GPUDB_CHANNEL_QUERIES  random queries of the suite `channel` for each of two seeds (default 1500)
#   GPUDB_CUDA_ARCH        compute capability to compile for, such as 90 (default that of the GPU, or 75)
#   GPUDB_DEVICE=cpu|gpu   the value of gpudb.device in every server (default cpu)
#   GPUDB_DIFF_QUERIES     random queries for each of two seeds (default 3000), and a tenth of them with PostgreSQL's JIT
#   GPUDB_PROVIDER=auto|cpu|none   gpudb.provider in every server (default auto); cpu puts the CPU in a GPU's place
#   GPUDB_SHARED_BUFFERS   shared_buffers of every server but those whose test sets it (default PostgreSQL's)
#   GPUDB_TAP              the one TAP test to run, such as 006_damaged_pages (default all)
#   GPUDB_TEST_TIMEOUT     seconds that one program may take (default 1200)
#   PG_CONFIG              the PostgreSQL to test with
#   KEEP=1                 leave the scratch folder behind
set -uo pipefail
. "$(dirname "$0")/lib.sh"

device=${GPUDB_DEVICE:-cpu}
limit=${GPUDB_TEST_TIMEOUT:-1200}
bounded=(timeout --foreground -k 10 "$limit")
passed=0
failed=0
skipped=0
failures=()

# tap NAME COMMAND...: run one program that prints TAP, count its tests, show everything it said if one failed.
tap() {
	local name=$1 line plan='' status=0 ok=0 bad=0 skip=0 start=$SECONDS said=()
	shift
	while IFS= read -r line; do
		case $line in
			"not ok"*) bad=$((bad + 1)) said+=("$line") failures+=("$name: ${line#*- }") ;;
			"ok "*"# "[Ss][Kk][Ii][Pp]*) skip=$((skip + 1)) said+=("$line") ;;
			"ok"*) ok=$((ok + 1)) ;;
			1..[0-9]*) plan=${line#1..} plan=${plan%% *} said+=("$line") ;;
			"exit status "*) status=${line#exit status } ;;
			*) said+=("$line") ;;
		esac
	done < <("$@" 2>&1 </dev/null; echo "exit status $?")

	# A program that died, or ran another number of tests than it meant to, has failed, whatever it printed before.
	local why=''
	if [ "$status" = 124 ]; then
		why="took more than $limit seconds"
	elif [ -n "$plan" ] && [ "$plan" != $((ok + bad + skip)) ]; then
		why="planned $plan tests and ran $((ok + bad + skip)) (exit status $status)"
	elif [ "$status" != 0 ] && [ $bad = 0 ]; then
		why="exit status $status"
	elif [ "$plan" = "" ] && [ $((ok + bad + skip)) = 0 ]; then
		why="ran no test"
	fi
	if [ -n "$why" ]; then
		bad=$((bad + 1))
		said+=("not ok - $why")
		failures+=("$name: $why")
	fi

	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	printf '  %-40s %4d passed' "$name" $ok
	[ $skip = 0 ] || printf ', %d skipped' $skip
	[ $bad = 0 ] || printf ', %d FAILED' $bad
	printf '  (%d s)\n' $((SECONDS - start))
	[ $bad = 0 ] || printf '    %s\n' "${said[@]}"
}

# server_conf DEVICE PROVIDER: the settings of every server.
server_conf() {
	cat "$repo/test/regress.conf"
	echo "gpudb.device = $1"
	echo "gpudb.provider = $2"
	[ -z "${GPUDB_SHARED_BUFFERS:-}" ] || echo "shared_buffers = $GPUDB_SHARED_BUFFERS"
}

suite_lint() {
	local lint
	for lint in $("$repo/test/lint/run.sh" --list); do
		tap "lint/$lint" "$repo/test/lint/$lint.sh"
	done
}

# unit_gcc NAME ARG...: compile for the unit tests, with $flags besides; what gcc says is in $work/unit/NAME.log.
unit_gcc() {
	local name=$1
	shift
	# shellcheck disable=SC2086  # flags are words
	gcc -std=gnu99 -g -Wall -ffp-contract=off -fno-strict-aliasing $flags -I"$repo/src" -I"$repo/test/unit" "$@" 2>"$work/unit/$name.log"
}

# unit_object SUFFIX SOURCE: src/core, the interpreter and the tests, each once with these flags, into $work/unit/SUFFIX.
unit_object() {
	local name
	name=$(basename "$2" .c)
	case $name in
		interpreter)
			unit_gcc "$1.small" -DTILE=SMALL_TILE -DRUN=vm_run_small -c -o "$work/unit/$1/small.o" "$2"
			unit_gcc "$1.large" -DTILE=LARGE_TILE -DRUN=vm_run_large -c -o "$work/unit/$1/large.o" "$2" ;;
		*) unit_gcc "$1.$name" -c -o "$work/unit/$1/$name.o" "$2" ;;
	esac
}

# unit_tests SUFFIX FLAGS TEST...: src/core is plain C, and its tests are programs of their own.
unit_tests() {
	local suffix=$1 flags=$2 core name
	shift 2
	mkdir -p "$work/unit/$suffix"
	core=("$repo"/src/core/*.c "$repo"/src/core/*/*.c)
	export -f unit_gcc unit_object
	printf '%s\n' "$repo/test/unit/interpreter.c" "$@" "${core[@]}" | repo=$repo work=$work flags=$flags suffix=$suffix \
		xargs -P "$(nproc)" -I SOURCE bash -c 'unit_object "$suffix" "$1"' bash SOURCE
	(cd "$work/unit/$suffix" && ar rcs core.a small.o large.o $(basename -a -s .c "${core[@]}" | sed 's/$/.o/')) 2>"$work/unit/$suffix.ar.log"
	for name in $(basename -a -s .c "$@"); do
		if unit_gcc "$suffix.$name.link" -o "$work/unit/$suffix/$name" "$work/unit/$suffix"/{"$name.o",core.a} -lpthread -lm; then
			tap "unit/$name${suffix#sanitized}" "${bounded[@]}" "$work/unit/$suffix/$name"
		else
			tap "unit/$name${suffix#sanitized}" sh -c 'echo "not ok - does not compile"; cat "$@"' sh "$work/unit/$suffix".*.log
		fi
	done
}

# Every test with every check that gcc has for undefined behaviour; those of the VM and of deforming also as the CPU
# device's kernel is built for each instruction set that this processor has, since a compiler may be wrong in one of them.
suite_unit() {
	local isa flags built=''
	unit_tests sanitized "-O2 -fsanitize=undefined -fno-sanitize-recover=all" "$repo"/test/unit/*_test.c
	while read -r isa flags; do
		built=1
		[ "$isa" = base ] || /lib64/ld-linux-x86-64.so.2 --help | grep -q "x86-64-$isa (supported" || continue
		unit_tests "_$isa" "$flags" "$repo"/test/unit/{vm,vm_filters,vm_lanes,vm_states,deform}_test.c
	done < <(make -s -C "$repo" kernel-flags)
	[ -n "$built" ] || tap unit/kernel-flags echo "not ok - the Makefile names no instruction set"
}

# pg_regress_tap DRIVER FOLDER [OPTION...]: run pg_regress or its isolation twin in FOLDER, and turn
# "test name ... ok  12 ms" (before PostgreSQL 16) into TAP; the diffs of failed tests follow.
pg_regress_tap() {
	local driver=$1 folder=$2 status
	shift 2
	as_user "${bounded[@]}" "$driver" --bindir="$pg_bin" --inputdir="$folder" --outputdir="$folder" --schedule="$folder/schedule" \
		--temp-instance="$folder/instance" --temp-config="$conf" --no-locale --encoding=UTF8 \
		--load-extension=gpudb "$@" 2>&1 |
		awk '/^(not )?ok / { print; fflush(); next }
			/ \.\.\. / {
				name = $1 == "test" ? $2 : $1
				print (/ \.\.\. ok/ ? "ok - " : "not ok - ") name; fflush(); next
			}
			!/^(1\.\.|=|CREATE |ALTER |running on )/'
	status=${PIPESTATUS[0]}
	[ ! -s "$folder/regression.diffs" ] || cat "$folder/regression.diffs"
	if [ "$status" -gt 1 ]; then
		tail -n 20 "$folder/log/postmaster.log" 2>/dev/null
	fi
	return "$status"
}

# regress NAME [TEST...]: the pg_regress tests in a folder of that name, or some of them, one after the other.
regress() {
	local name=$1 folder=$work/${1//\//_}
	shift
	mkdir -p "$folder"
	cp -R "$repo/sql" "$repo/expected" "$folder/"
	cp "$repo/test/regress_schedule" "$folder/schedule"
	[ $# = 0 ] || printf 'test: %s\n' "$@" >"$folder/schedule"
	give_user "$folder"
	tap "$name" pg_regress_tap "$pg_src/test/regress/pg_regress" "$folder"
}

# Whether PostgreSQL has its JIT compiler, which compiles nothing of what small tables cost unless it is told to.
has_jit() {
	[ -e "$("$PG_CONFIG" --pkglibdir)/llvmjit.so" ] && return
	echo "  $1: skipped, PostgreSQL has no JIT compiler (llvmjit)"
	return 1
}

# Tests of all kinds of nodes, and of what these have PostgreSQL evaluate: parameters, subplans, texts of dictionaries, fallbacks.
jit_tests=(setup expr_stable expr_case agg_having agg_exprs_above join_rows join_children sort_rows sort_windows scan_rows scan_params scan_subplans
	scan_plpgsql exec_failures tablet_codes trap_05_own_qual_and_projection trap_11_late_child trap_12_rescan trap_16_errors_with_jobs trap_22_rows_wanted
	trap_23_jit)

suite_regress() {
	regress regress
	has_jit regress/jit || return 0
	local conf=$work/jit.conf
	{ server_conf "$device" "${GPUDB_PROVIDER:-auto}"; echo 'jit = on'; echo 'jit_above_cost = 0'; } >"$conf"
	give_user "$conf"
	regress regress/jit "${jit_tests[@]}"
}

suite_isolation() {
	compgen -G "$repo/test/isolation/specs/*.spec" >/dev/null || return 0
	cp -R "$repo/test/isolation" "$work/isolation"
	give_user "$work/isolation"
	tap isolation pg_regress_tap "$pg_src/test/isolation/pg_isolation_regress" "$work/isolation"
}

# perl_tap NAME: run a TAP test of PostgreSQL's kind in a folder of its own; the servers' last words follow a failure.
perl_tap() {
	local folder=$work/t/$1
	mkdir -p "$folder/tmp_check"
	give_user "$work/t"
	as_user env PERL5LIB="$pg_src/test/perl:$work/t" TESTDIR="$folder" TEMP_CONFIG="$conf" \
		PG_REGRESS="$pg_src/test/regress/pg_regress" "${bounded[@]}" perl "$work/t/$1.pl"
	local status=$?
	[ $status = 0 ] || tail -n 20 "$folder"/tmp_check/log/*.log
	return $status
}

suite_tap() {
	local script
	compgen -G "$repo/test/t/*.pl" >/dev/null || return 0
	cp -R "$repo/test/t" "$repo/test/sql_support.sql" "$repo/docs/sql-support.md" "$work/"
	export GPUDB_REPO=$work
	for script in "$repo"/test/t/${GPUDB_TAP:-*}.pl; do
		tap "t/$(basename "$script" .pl)" perl_tap "$(basename "$script" .pl)"
	done
}

suite_pgtap() {
	local file
	compgen -G "$repo/test/pgtap/*.sql" >/dev/null || return 0
	if [ ! -e "$("$PG_CONFIG" --sharedir)/extension/pgtap.control" ]; then
		echo "  pgtap: skipped, the pgtap extension is not installed"
		return 0
	fi
	if ! server_start pgtap "include '$conf'" ||
		! psql_as -c 'CREATE EXTENSION gpudb' -c 'CREATE EXTENSION pgtap'; then
		tap pgtap false
		return 0
	fi
	for file in "$repo"/test/pgtap/*.sql; do
		tap "pgtap/$(basename "$file" .sql)" "${bounded[@]}" psql -XqAt -f "$file"
	done
	server_stop pgtap
}

# random_queries NAME COUNT: with a fixed seed, so that what failed once fails again, and with a fresh one.  The topics, about which
# PostgreSQL's own answer depends on its plan more often, are asked about with the fixed seed alone.
random_queries() {
	local seed gpu_share=0 joins=25 topics
	[ "$1$device" = diffcpu ] || gpu_share=80
	for seed in 1 "$(date +%s)"; do
		topics=25
		[ "$seed" = 1 ] || topics=0
		tap "$1/seed $seed" "${bounded[@]}" python3 "$repo/test/diff/diff.py" --tap --seed "$seed" --count "$2" --min-share 90 \
			--topics "$topics" --min-topic-share 50 --min-gpu-share "$gpu_share" --joins "$joins"
	done
}

suite_diff() {
	if ! server_start diff "include '$conf'" || ! psql_as -c 'CREATE EXTENSION gpudb'; then
		tap diff false
		return 0
	fi
	random_queries diff "${GPUDB_DIFF_QUERIES:-3000}"
	! has_jit diff/jit || tap diff/jit "${bounded[@]}" python3 "$repo/test/diff/diff.py" --tap --jit --seed 3 \
		--count "$((${GPUDB_DIFF_QUERIES:-3000} / 10))"
	server_stop diff
}

# With the CPU in a GPU's place a batch is a loop during which nothing is heard, and some random joins' take seconds.
patient=("gpudb.debug_silence = 1min" "gpudb.queue_timeout = 1min")

# What a server's log says of its GPU process.
helper_never_ended() {
	awk '/gpudb:|terminated by signal/ { bad = 1; print } END { print (bad ? "not ok" : "ok") " - the GPU process never ended" }' "$1"
}

# What a server with a GPU does, with the CPU in the GPU's place: the same tests once more through the GPU process.
# That queries did run there is tested before and after, and that it was one process all along.
suite_channel() {
	local conf=$work/channel.conf moment
	server_conf gpu cpu >"$conf"
	give_user "$conf"
	regress channel/regress
	if ! server_start channel "include '$conf'" "${patient[@]}" || ! psql_as -c 'CREATE EXTENSION gpudb'; then
		tap channel false
		return 0
	fi
	for moment in before after; do
		tap "channel/device $moment" "${bounded[@]}" psql -XqAt -f "$repo/test/channel.sql"
		[ $moment = after ] || random_queries channel "${GPUDB_CHANNEL_QUERIES:-1500}"
	done
	tap channel/log helper_never_ended "$work/channel.log"
	server_stop channel
}

# What the GPU process does on the host, with a stand-in for CUDA and for the kernels: where there are CUDA's headers, in a
# copy of PostgreSQL whose gpudb_cuda.so is that.
suite_standin() {
	local conf=$work/standin.conf tree=$work/standin-tree include
	include=$(cuda_include)
	if [ -z "$include" ]; then
		echo "  standin: skipped, no CUDA toolkit"
		return 0
	fi
	copy_postgres "$tree"
	tap standin/build "$repo/test/standin/build.sh" "$include" "$tree$("$PG_CONFIG" --pkglibdir)"
	server_conf gpu auto >"$conf"
	give_user "$conf" "$tree"
	local pg_bin=$tree$pg_bin
	local PATH=$pg_bin:$PATH
	regress standin/regress
	cp -R "$repo/test/t" "$work/"
	tap standin/014_tablet_gpu perl_tap 014_tablet_gpu
	tap standin/017_joined_rows perl_tap 017_joined_rows
	tap standin/018_multipass_joins perl_tap 018_multipass_joins
	tap standin/019_sorted_rows perl_tap 019_sorted_rows
	tap standin/020_percentiles perl_tap 020_percentiles
	tap standin/024_block_groups perl_tap 024_block_groups
	if ! server_start standin "include '$conf'" "${patient[@]}" || ! psql_as -c 'CREATE EXTENSION gpudb'; then
		tap standin false
		return 0
	fi
	random_queries standin "${GPUDB_CHANNEL_QUERIES:-1500}"
	tap standin/device "${bounded[@]}" psql -XqAt -f "$repo/test/channel.sql"
	tap standin/log helper_never_ended "$work/standin.log"
	server_stop standin
}

# The kernels, built with nvcc where there is one; on a machine with a GPU the interpreter's unit tests run on it, too.
suite_cuda() {
	local nvcc name arch=${GPUDB_CUDA_ARCH:-}
	nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
	if [ ! -x "$nvcc" ]; then
		echo "  cuda: skipped, no nvcc"
		return 0
	fi
	mkdir -p "$work/cuda"
	[ -n "$arch" ] || arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
	tap cuda/build "${bounded[@]}" "$repo/test/unit/gpu/build.sh" "$nvcc" "${arch:-75}" "$work/cuda"
	if nvidia-smi -L >/dev/null 2>&1; then
		for name in combine_test deform_test groups_test join_vm_test output_test seek_test sort_test vm_filters_test vm_groups_test vm_lanes_test vm_tallies_test vm_test; do
			tap "cuda/$name" "${bounded[@]}" "$work/cuda/$name"
		done
	fi
}

suite_demo() {
	tap demo "${bounded[@]}" "$repo/test/demo_test.sh"
}

# 64 sessions at once: first those regress tests that look at nothing but their own session, then random queries.
suite_crowd() {
	local folder=$work/crowd tests
	mkdir -p "$folder"
	cp -R "$repo/sql" "$repo/expected" "$folder/"
	mapfile -t tests < <(sed -n 's/^test: //p' "$repo/test/regress_schedule" | tr ' ' '\n' |
		grep -vxE 'setup|plan_(cost|why_not|memory)|exec_failures|trap_(06|08|18|19|20)_.*' | head -n 64)
	[ ${#tests[@]} = 64 ] || tap "crowd/64 tests" echo "not ok - there are ${#tests[@]}"
	printf 'test: setup\ntest: %s\n' "${tests[*]}" >"$folder/schedule"
	give_user "$folder"
	tap crowd/regress pg_regress_tap "$pg_src/test/regress/pg_regress" "$folder"

	if ! server_start crowd_diff "include '$conf'" 'max_connections = 300' || ! psql_as -c 'CREATE EXTENSION gpudb'; then
		tap crowd/diff false
		return 0
	fi
	tap crowd/diff "${bounded[@]}" python3 "$repo/test/diff/diff.py" --tap --seed 64 --jobs 64 \
		--count "${GPUDB_DIFF_QUERIES:-3000}" --min-share 90 --min-topic-share 50
	server_stop crowd_diff
}

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(lint unit cuda regress isolation tap pgtap diff channel standin demo)
for suite in "${suites[@]}"; do
	declare -F "suite_$suite" >/dev/null || die "no suite '$suite': there are lint unit cuda regress isolation tap pgtap diff channel standin demo crowd"
done
if [ "$device" = gpu ] && [ "${GPUDB_PROVIDER:-auto}" = auto ]; then
	nvidia-smi -L 2>/dev/null | grep -q GPU || [ -e /dev/nvidia0 ] ||
		die "these tests need an NVIDIA GPU, and this machine has none (no answer from nvidia-smi, no /dev/nvidia0)"
fi

find_postgres
[[ " lint unit cuda " == *" ${suites[*]} "* ]] || [ -f "$("$PG_CONFIG" --pkglibdir)/gpudb_provider_cpu.so" ] ||
	die "the tests' CPU provider is not installed: run 'make install-test-provider'"
work_open
conf=$work/server.conf
server_conf "$device" "${GPUDB_PROVIDER:-auto}" >"$conf"
give_user "$conf"
for suite in "${suites[@]}"; do
	echo "$suite"
	"suite_$suite"
done

[ ${#failures[@]} = 0 ] || { echo; echo "failed:"; printf '  %s\n' "${failures[@]}"; }
[ $skipped = 0 ] || echo "($skipped skipped)"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
