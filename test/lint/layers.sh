#!/bin/bash
# The include rule.  A file includes its own folder or folders of lower rank:
#
#   gpudb.c 8 > admin 7 > plan 6 > exec 5 > compile 4 > worker 3 > tablet 2 > device 1 > core 0
#
# Within exec/ the same holds for its subfolders, sort > agg > rows > node > join > build > run, and within tablet/:
# scan > read > cache.
#
# compile/ sees only core/.  core/ sees only four standard headers (target.h also <math.h>).  cuda/ sees core/, itself,
# CUDA, CUB and the C library.  guc.h and pg_compat.h are open to every layer that knows PostgreSQL; their own files see core/.
# Includes of our own headers are written from src/: #include "core/vm/program.h".
. "$(dirname "$0")/lib.sh"

# lines of "FILE LINE QUOTED-OR-ANGLED-NAME" for every #include
includes() {
	sources src cuda -- .c .h .def .cu .cuh | while IFS= read -r file; do
		sed -n -E "s@^[[:space:]]*#[[:space:]]*include[[:space:]]*([<\"][^>\"]*[>\"]).*@\1@;T;=;p" "$file" |
			paste - - | awk -v file="$file" '{ print file, $1, $2 }'
	done
}

check "layers: includes point down" < <(includes | awk '
	BEGIN {
		split("core device tablet worker compile exec plan admin gpudb.c", folders)
		for (i = 1; i <= 9; i++)
			rank[folders[i]] = i - 1
		n = split("exec/run exec/build exec/join exec/node exec/rows exec/agg exec/sort tablet/cache tablet/read tablet/scan", folders)
		for (i = 1; i <= n; i++)
			sub_rank[folders[i]] = i
		rank["guc.c"] = rank["guc.h"] = rank["pg_compat.c"] = rank["pg_compat.h"] = 0
		split("<stdint.h> <stdbool.h> <stddef.h> <string.h>", list, " ")
		for (i in list)
			core_may[list[i]] = 1
		split("stdint.h stdbool.h stddef.h string.h stdio.h stdlib.h limits.h float.h math.h errno.h time.h", list, " ")
		for (i in list)
			cuda_may["<" list[i] ">"] = 1
	}

	function complain(reason) { print file ":" line ": " reason }

	# The layer that a path under src/ belongs to: its folder, or its own name at the top.
	function layer(path) { return index(path, "/") ? substr(path, 1, index(path, "/") - 1) : path }

	# The path without the file.
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }

	{
		file = $1; line = $2; quoted = substr($3, 1, 1) == "\""; name = substr($3, 2, length($3) - 2)
		top = layer(file); own = layer(substr(file, length(top) + 2)); target = layer(name); own_sub = folder(substr(file, length("src/") + 1))
	}

	top == "cuda" {
		if (quoted && (name ~ /^core\// || (getline junk < ("cuda/" name)) >= 0))
			next
		if (!quoted && (name ~ /^(cuda|cub\/|cooperative_groups|nvml)/ || ("<" name ">") in cuda_may))
			next
		complain("cuda/ sees only core/, its own folder, CUDA, CUB and the C library, not " $3)
		next
	}

	own == "core" {
		if (quoted ? target != "core" : !($3 in core_may) && !($3 == "<math.h>" && file == "src/core/target.h"))
			complain("core/ sees only core/, <stdint.h>, <stdbool.h>, <stddef.h> and <string.h>, not " $3)
		next
	}

	# From here on the file knows PostgreSQL, whose own headers are no concern of ours.
	!quoted { next }
	target in rank && (target == "guc.h" || target == "pg_compat.h") { next }
	target in rank {
		if (!(own in rank))
			complain("no layer is known for src/" own)
		else if (own == "compile" && target != "core" && target != "compile")
			complain("compile/ sees only core/, not " $3)
		else if (rank[target] > rank[own])
			complain(own " (rank " rank[own] ") may not include " $3 " (rank " rank[target] ")")
		else if ((own == "exec" || own == "tablet") && !(own_sub in sub_rank))
			complain("no rank is known for " own_sub "/")
		else if (own == target && own_sub in sub_rank && sub_rank[folder(name)] > sub_rank[own_sub])
			complain(own_sub "/ may not include " $3)
		next
	}
	(getline junk < ("src/" own "/" name)) >= 0 {
		complain("write the path from src/: \"" own "/" name "\"")
	}')

# A file is known by its path without the suffix and without _private: a .c file and its headers are one.  tsort names what
# it finds in a circle.
check "layers: no circle of files in exec/, tablet/ and device/" < <(includes |
	sed -n -E 's@^src/((exec|tablet|device)/[^ ]+)\.[ch] [0-9]+ "((exec|tablet|device)/[^"]+)\.h"$@\1 \3@p' |
	sed 's/_private\b//g' | tsort 2>&1 >/dev/null | sed -n -E 's@^tsort: ([a-z].*/.*)$@src/\1.c:1: in a circle of includes@p')
finish
