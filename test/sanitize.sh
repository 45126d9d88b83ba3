#!/bin/bash
# Run test suites with gpudb built by gcc's address and undefined-behaviour sanitizers:
# test/sanitize.sh [SUITE...]     (regress, isolation and diff when none is named)
#
# PostgreSQL itself is the installed one.  Its folders are copied, so that a library that no ordinary server could load
# is installed nowhere else, and every program of it runs with the sanitizer's runtime preloaded.  The first error of a
# sanitizer ends the server, so a test fails; what was found follows.  Settings: see test/run.sh.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

find_postgres
work_open
tree=$work/tree
flags='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g'

# The runtime must start before any library that takes a lock of the C library's in its constructor and allocates under
# it, as libgpg-error does below PostgreSQL: a library that is initialised first of all allocates at once.
build_starter() {
	echo '#include <stdlib.h>
__attribute__((constructor)) static void start(void) { free(malloc(1)); }' >"$work/starter.c"
	gcc -shared -fPIC -O0 -Wl,-z,initfirst -o "$work/starter.so" "$work/starter.c" || die "no starter"
}

copy_postgres "$tree"
build_in "$tree" COPT="$flags" SHLIB_LINK="$flags -lpthread -lm"
export PG_CONFIG=$tree$pg_bin/pg_config
build_starter
mkdir "$work/reports"
give_user "$work"
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(regress isolation diff)
# PostgreSQL keeps its memory until the process ends, and its own stack-depth check knows no stacks on the heap.
export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0:log_path=$work/reports/asan"
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$work/reports/ubsan"
GPUDB_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so):$work/starter.so" \
	"$work/source/test/run.sh" "${suites[@]}"
status=$?
if compgen -G "$work/reports/*" >/dev/null; then
	head -n 60 "$work"/reports/*
	exit 1
fi
exit $status
