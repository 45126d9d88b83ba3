#!/bin/bash
# shellcheck disable=SC1091,SC2154
# Would a test notice if a rule under which cached tablets are sound were not followed?
# test/long/rules.sh [RULE...]
#
# Builds gpudb without one rule of src/tablet/cache/without_rule.h after the other, in a PostgreSQL tree of its own, and runs
# t/012_tablet_rules and t/027_standby against each: the test of the rule's name must fail, and with all rules none.  Some ten minutes.
# Exit status 1: one did not.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

# What these say of a build; "" is one with all rules.
try_without() {
	local rule=$1 source=$work/source
	grep -l without_rule.h "$source"/src/*/*.c | xargs touch
	make -s -C "$source" gpudb.so PG_CONFIG="$tree$pg_bin/pg_config" WITHOUT_RULE="$rule" >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log"; die "the build failed"; }
	install -m 755 "$source/gpudb.so" "$tree$("$PG_CONFIG" --pkglibdir)/"
	for tap in 012_tablet_rules 027_standby; do GPUDB_TAP=$tap PG_CONFIG=$tree$pg_bin/pg_config "$here/../run.sh" tap 2>&1; done | grep -E '^ *not ok|passed, ' >"$work/said"
}

find_postgres
work_open
tree=$work/tree
rules=("$@")
[ ${#rules[@]} -gt 0 ] || mapfile -t rules < <(sed -n -E 's/^\t(RULE_[A-Z_]+),?$/\1/p' "$repo/src/tablet/without_rule.h" | grep -v RULE_NONE)
copy_postgres "$tree"
build_in "$tree" NVCC=

status=0
try_without ''
[ "$(grep -c ', 0 failed' "$work/said")" -eq 2 ] || { echo "with all rules: $(cat "$work/said")"; status=1; }
for rule in "${rules[@]}"; do
	try_without "$rule"
	if grep -q "not ok.*$rule" "$work/said"; then
		echo "$rule: its test fails; $(grep -c 'not ok' "$work/said") in all"
	else
		echo "$rule: NOT NOTICED"
		status=1
	fi
done
exit $status
