#!/bin/bash
# The demo on little data, where PyPI cannot be reached, on a terminal that does not know its size:  test/demo_test.sh
# Prints TAP.  Demands that gpudb and what it needs are installed.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printed=$work/printed
tests=0

# check NAME COMMAND...
check() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@" >"$work/said" 2>&1; then
		echo "ok $tests - $name"
	else
		echo "not ok $tests - $name"
		sed 's/^/# /' "$work/said"
	fi
}

has() { grep -c -E "$1" "$printed" | grep -qx "$2" || { grep -n -E "$1" "$printed"; return 1; }; }
has_not() { ! grep -n -E "$1" "$printed"; }
makes_rows_in_sql() { command -v tpchgen-cli || has '; SQL makes the rows instead' 1; }

# A port of this machine's that nobody listens at stands for PyPI, and an empty folder for what earlier runs have left there.
export SF=0.01 RUNS=1 GPUDB_INSTALLED=1 XDG_CACHE_HOME=$work/cache
export PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9/simple/ PIP_FIND_LINKS=''
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "stty rows 0 cols 0; '$repo/test/demo.sh'" /dev/null </dev/null >"$work/raw" 2>&1
else
	"$repo/test/demo.sh" </dev/null >"$work/raw" 2>&1
fi
status=$?
# what a terminal shows in the end: of a line that was written again and again, the last writing
sed 's/\r$//; s/.*\r//' "$work/raw" >"$printed"
[ $status = 0 ] || sed 's/^/# /' "$printed"

check "the demo ends well" test $status = 0
check "it does without PyPI" makes_rows_in_sql
check "it says why queries do not run on a GPU, or on which" has "^(GPU: |gpudb's nodes run on the CPU. Why not on a GPU: )" 1
check "all answers are equal" has '^  (Q1|Q6|Q3|median|filter) +equal, ' 5
check "one table has all times" has '^(Q1|Q6|Q3|median|filter)( +[0-9]+\.[0-9]){3} +[0-9.]+  [A-Za-z+]+ +[A-Za-z+]+$' 5
check "no line is longer than 100 columns" has_not '.{101}'
check "nothing waits at a pager" has_not '\(END\)|--More--'
echo "1..$tests"
