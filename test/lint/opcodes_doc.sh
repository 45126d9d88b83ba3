#!/bin/bash
# docs/opcodes.md is what its generator makes of src/core/vm/opcodes.def.
. "$(dirname "$0")/lib.sh"

if [ ! -x test/lint/gen_opcodes_doc.sh ]; then
	skip "opcodes_doc: docs/opcodes.md" "no generator"
	finish
fi
check "opcodes_doc: docs/opcodes.md is up to date" < <(
	test/lint/gen_opcodes_doc.sh | diff docs/opcodes.md - 2>&1 |
		sed -n '1s/^/docs\/opcodes.md:1: run test\/lint\/gen_opcodes_doc.sh >docs\/opcodes.md; first difference: /p')
finish
