#!/bin/bash
# gcc vectorises every loop whose line carries the mark  /* vectorised */ , in the kernels of the CPU device built for AVX2.
# The compiler's command is the Makefile's own; -fopt-info-vec names file and line of what was vectorised.
. "$(dirname "$0")/lib.sh"

kernel=src/device/cpu_kernel
if [ ! -f $kernel.c ] || [ "$(uname -m)" != x86_64 ]; then
	skip "vectorised: marked loops" "no $kernel.c, or no x86_64"
	finish
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
command=$(make --no-print-directory -n -W $kernel.c ${kernel}_v3.o 2>/dev/null | grep -- "-c -o ${kernel}_v3.o")
if ! eval "${command/-o ${kernel}_v3.o/-o /dev/null} -fopt-info-vec-optimized" >"$report" 2>&1; then
	check "vectorised: $kernel.c compiles" <"$report"
	finish
fi
check "vectorised: marked loops" < <(
	sources src/core src/device -- .h .c .def | xargs -r grep -nHF '/* vectorised */' | cut -d: -f1,2 |
		while IFS= read -r place; do
			grep -qE "(^|/)$place:[0-9]+: optimized: +loop vectorized" "$report" || echo "$place: this loop is not vectorised any more"
		done)
finish
