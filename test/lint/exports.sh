#!/bin/bash
# gpudb.so exports what PostgreSQL looks up by name, and nothing else.
. "$(dirname "$0")/lib.sh"

if [ ! -f gpudb.so ]; then
	skip "exports: gpudb.so" "it is not built"
	finish
fi
check "exports: gpudb.so exports only _PG_init, Pg_magic_func, gpudb_* and pg_finfo_gpudb_*" < <(
	nm -D --defined-only gpudb.so | awk '
		$3 !~ /^(_PG_init|_PG_fini|Pg_magic_func|gpudb_.*|pg_finfo_gpudb_.*|_init|_fini)$/ { print "gpudb.so:1: exports " $3 }')
finish
