#!/bin/bash
# Small rules that a machine can see.
. "$(dirname "$0")/lib.sh"

# search PATTERN REASON FILE...: an extended regular expression, every hit a complaint.
search() {
	local pattern=$1 reason=$2
	shift 2
	[ $# = 0 ] || grep -nHE -e "$pattern" "$@" | sed -E "s@^([^:]*:[0-9]+):.*@\1: $reason@"
}

mapfile -t code < <(sources src cuda -- .c .h .def .cu .cuh)
mapfile -t source < <(sources src -- .c .h)
mapfile -t headers < <(sources src -- .h)
mapfile -t all < <(sources src cuda sql test -- .c .h .def .cu .cuh .sql .sh .pl .pm .py .spec)

check "style: no dead code" < <(search '^[[:space:]]*#[[:space:]]*if[[:space:]]+0([^-9a-zA-Z.]|$)' "#if 0: delete it, git remembers" "${code[@]}")
check "style: nothing left to do" < <(search '\b(TO[D]O|FIX[M]E|X[X]X)\b' "say what is, or open an issue" "${all[@]}")
check "style: only pg_compat.h asks for PostgreSQL's version" < <(
	search '\bPG_VERSION_NUM\b' "PG_VERSION_NUM belongs in src/pg_compat.h" "${code[@]}" | grep -v '^src/pg_compat\.h:')
check "style: only core/target.h asks who compiles" < <(
	search '\b__CUDACC__\b' "__CUDACC__ belongs in src/core/target.h" "${code[@]}" | grep -v '^src/core/target\.h:')
# A macro that only shapes the lines of a .def file, included right after it, stands where its reader looks.
check "style: no macro returns or jumps" < <([ ${#headers[@]} = 0 ] || awk '
	/^[ \t]*#[ \t]*include.*\.def"/ || FNR == 1 { found = "" }
	!macro && found != "" && !/^[ \t]*#[ \t]*define/ { printf "%s", found; found = "" }
	!macro && /^[ \t]*#[ \t]*define/ { macro = FNR; text = "" }
	macro {
		line = $0
		gsub(/"[^"]*"|\/\*([^*]|\*[^\/])*\*\//, "", line)
		text = text " " line
		if (line !~ /\\$/) {
			if ((text " ") ~ /[^A-Za-z0-9_](return|goto)[^A-Za-z0-9_]/)
				found = found FILENAME ":" macro ": a macro may not return or jump\n"
			macro = 0
		}
	}' "${headers[@]}")
check "style: C is indented with tabs" < <(search '^(    | +	)' "indent with tabs" "${source[@]}")
check "style: no blanks at the end of a line" < <(search '[[:blank:]]+$' "blanks at the end" "${code[@]}")
finish
