#!/bin/bash
# The maps in src/README.md and cuda/README.md have every file of src/ and cuda/, each in its folder's table, and no other.
. "$(dirname "$0")/lib.sh"

# mapped TOP: one line for each file of the map in TOP/README.md: its path, and the line of the map.  "`a.c` `.h`" is two files.
mapped() {
	awk -v top="$1" '
		/^\*\*[a-z\/]+\/\*\*/ { folder = $1; gsub(/[*:]/, "", folder) }
		/^\*\*At the top\*\*/ { folder = "" }
		/^## / && FNR > 1 && seen { exit }
		/^\| `/ {
			cell = $0
			sub(/ \| .*/, "", cell)
			n = split(cell, names, "`")
			for (i = 2; i <= n; i += 2) {
				if (names[i] ~ /^\./)
					names[i] = stem names[i]
				stem = names[i]
				sub(/\.[a-z]+$/, "", stem)
				print top "/" folder names[i], FNR
				seen = 1
			}
		}' "$1/README.md" | LC_ALL=C sort
}

for top in src cuda; do
	check "map: $top/README.md has every file" < <(comm -13 <(mapped $top | cut -d' ' -f1) <(sources $top -- .c .h .def .cu .cuh | LC_ALL=C sort) |
		sed "s@\$@:1: not in the map of $top/README.md@")
	check "map: $top/README.md has no other file" < <(mapped $top | while read -r file line; do
		[ -f "$file" ] || echo "$top/README.md:$line: there is no $file"
	done)
	check "map: $top/README.md has no file twice" < <(mapped $top | cut -d' ' -f1 | uniq -d | sed "s@\$@:1: twice in the map of $top/README.md@")
done
finish
