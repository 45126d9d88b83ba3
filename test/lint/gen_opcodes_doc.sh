#!/bin/bash
# Print docs/opcodes.md from src/core/vm/opcodes.def:  test/lint/gen_opcodes_doc.sh >docs/opcodes.md
# One table for each comment on a line of its own.
cd "$(dirname "$0")/../.." || exit 1

cat <<'EOT'
<!-- made by test/lint/gen_opcodes_doc.sh from src/core/vm/opcodes.def; do not edit -->
# The instructions of the tile VM

A program runs over tiles of rows; an instruction loops over the lanes of a tile. In the effects d is the result register,
a and b are operands, m is the mask register and imm the number that the instruction carries. A register's kind is its first letter:

| letter | kind | | letter | kind |
|---|---|---|---|---|
| B | boolean | | T | text reference |
| I | 64-bit integer: integers, dates, narrow decimals | | M | mask, never NULL |
| F | double | | G | group number |
| W | 128-bit integer: wide decimals | | | |

The *shape* says how NULLs and inactive lanes are treated; see [vm.md](vm.md). *May report* is the status with which a run ends
when an active lane fails. *Cost* is the time of one lane on a CPU core in tenths of a nanosecond.
EOT

awk '
	function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
	function cell(s) { gsub(/\|/, "\\|", s); return s }

	# the comment at the head of the file ends before the first section
	!body { if (/\*\//) body = 1; next }

	/^\/\*.*\*\/$/ {
		text = trim(substr($0, 3, length($0) - 4))
		print "\n## " toupper(substr(text, 1, 1)) substr(text, 2) "\n"
		print "| name | shape | d | a | b | effect | may report | cost |\n|---|---|---|---|---|---|---|---|"
		next
	}

	/^OPCODE\(/ {
		quote = index($0, "\"")
		effect = substr($0, quote + 1)
		sub(/"\)[ \t]*$/, "", effect)
		n = split(substr($0, 8, quote - 8), part, ",")
		if (n != 8) {
			print FILENAME ":" FNR ": not an OPCODE of eight parts" >"/dev/stderr"
			exit 1
		}
		for (i = 1; i <= n; i++) {
			part[i] = trim(part[i])
			if (part[i] == "_")
				part[i] = ""
		}
		printf "| %s | %s | %s | %s | %s | `%s` | %s | %s |\n", part[1], part[2], part[3], part[4], part[5], cell(effect),
			part[7] == "DONE" ? "" : part[7], part[6]
	}' src/core/vm/opcodes.def
