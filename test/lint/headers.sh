#!/bin/bash
# Every header under src/ compiles alone: with gcc, those of core/ also with g++ and, where it is found, nvcc.  Headers that
# know PostgreSQL come after postgres.h, as in every file of PostgreSQL.  A header whose first comment says "template header"
# needs definitions from its includer and is exempt.  nvcc compiles the unit tests of core/, too: one source, two devices.
. "$(dirname "$0")/lib.sh"

nvcc=$(find_nvcc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

is_template() {
	awk '{ print } /\*\//{ exit }' "$1" | grep -q 'template header'
}

core=()
aware=()
while IFS= read -r header; do
	is_template "$header" && continue
	case $header in
		src/core/*) core+=("${header#src/}") ;;
		*) aware+=("${header#src/}") ;;
	esac
done < <(sources src -- .h)

# compile_each PREFIX COMMAND -- HEADER...: complain about each header that does not compile behind the prefix line.
compile_each() {
	local prefix=$1 command=$2
	shift 3
	export prefix command scratch
	# shellcheck disable=SC2016  # expanded by the inner shell, where command is a list of words
	printf '%s\n' "$@" | xargs -r -P "$(nproc)" -I{} bash -c '
		unit=$scratch/$(echo "$1" | tr / _).unit
		printf "%s\n#include \"%s\"\nextern int one_declaration;\n" "$prefix" "$1" >"$unit"
		if ! $command "$unit" >"$unit.log" 2>&1; then
			echo "src/$1:1: does not compile alone: $(grep -m 1 error "$unit.log" || head -n 1 "$unit.log")"
		fi' bash {}
}

check "headers: core compiles alone with gcc" < <(
	compile_each "" "gcc -std=gnu99 -Wall -Isrc -fsyntax-only -x c" -- "${core[@]}")
check "headers: core compiles alone with g++" < <(
	compile_each "" "g++ -std=c++17 -Wall -Isrc -fsyntax-only -x c++" -- "${core[@]}")

server=$("${PG_CONFIG:-pg_config}" --includedir-server 2>/dev/null)
if [ -f "$server/postgres.h" ]; then
	check "headers: the rest compiles after postgres.h" < <(
		compile_each '#include "postgres.h"' "gcc -std=gnu99 -Wall -Isrc -I$server -fsyntax-only -x c" -- "${aware[@]}")
else
	skip "headers: the rest compiles after postgres.h" "no PostgreSQL server headers"
fi

if [ -n "$nvcc" ]; then
	check "headers: core compiles alone with nvcc" < <(
		compile_each "" "$nvcc -std=c++17 -fmad=false -Isrc -c -o /dev/null -x cu" -- "${core[@]}")
	check "headers: unit tests compile with nvcc" < <(
		sources test/unit -- _test.c | NVCC=$nvcc scratch=$scratch xargs -r -P "$(nproc)" -I{} bash -c '
			log=$scratch/$(basename "$1").log
			"$NVCC" -std=c++17 -fmad=false -Isrc -Itest/unit -c -o /dev/null -x cu "$1" >"$log" 2>&1 ||
				echo "$1:1: does not compile: $(grep -m 1 error "$log")"' bash {})
else
	skip "headers: core compiles alone with nvcc" "no nvcc"
fi
finish
