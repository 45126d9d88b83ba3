#!/bin/bash
# Budgets: a file has at most 700 lines (about 400 is better), a function at most 120 and at most 6 parameters.
# A function's body starts with { and ends with } in column 0.  The interpreter's switch, core/vm/interp.h, may be longer.
. "$(dirname "$0")/lib.sh"

lines() {
	sources src cuda -- .c .h .def .cu .cuh | while IFS= read -r file; do
		echo "$(wc -l <"$file") $file"
	done
}
check "size: files have at most 700 lines" < <(lines | awk '$1 > 700 { print $2 ":" $1 ": " $1 " lines, 700 at most" }')
lines | awk '$1 > 400 && $1 <= 700 { print "#   " $2 ": " $1 " lines; about 400 is better" }'

# One line per function: FILE START-LINE LINES PARAMETERS NAME.  The text between the previous end of a declaration and the
# brace is the head; a head without a parameter list is a struct, an enum or a table.
functions() {
	sources src cuda -- .c .h .cu .cuh | xargs -r awk '
		FNR == 1 { head = ""; inside = 0; comment = 0 }
		{
			text = $0
			if (inside) {
				if (text ~ /^}/) { print FILENAME, start, FNR - start + 1, count, name; inside = 0; head = "" }
				next
			}
			gsub(/"[^"]*"|\/\*([^*]|\*[^\/])*\*\/|\/\/.*$/, "", text)
			if (comment) { if (!sub(/^.*\*\//, "", text)) next; comment = 0 }
			if (sub(/\/\*.*$/, "", text)) comment = 1
			if (text ~ /^#/ || $0 ~ /\\$/) { head = ""; next }
			if (text ~ /^{/) {
				if (head ~ /\)[ \t]*$/ && head !~ /=/) { inside = 1; start = FNR; parse(head) }
				head = ""
				next
			}
			head = head text " "
			if (text ~ /[;}][ \t]*$/) head = ""
		}
		# name( a, b(c, d), e ): the last parameter list at depth 0 is the function'"'"'s own.
		function parse(head,    i, c, depth, open) {
			depth = 0
			for (i = length(head); i > 0; i--) {
				c = substr(head, i, 1)
				if (c == ")") depth++
				if (c == "(" && --depth == 0) { open = i; break }
			}
			name = substr(head, 1, open - 1)
			sub(/[ \t]*$/, "", name)
			sub(/^.*[ \t*]/, "", name)
			count = 1
			for (i = open + 1; i <= length(head); i++) {
				c = substr(head, i, 1)
				if (c == "(") depth++
				if (c == ")") depth--
				if (c == "," && depth == 0) count++
			}
		}'
}
check "size: functions have at most 120 lines" < <(functions |
	awk '$3 > 120 && $1 != "src/core/vm/interp.h" { print $1 ":" $2 ": " $5 "() has " $3 " lines, 120 at most" }')
check "size: functions have at most 6 parameters" < <(functions |
	awk '$4 > 6 { print $1 ":" $2 ": " $5 "() has " $4 " parameters, 6 at most; use a struct" }')
finish
