#!/bin/bash
# Run every lint, or those named:  test/lint/run.sh [layers] [style] ...
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- layers headers meanings exports size style sql orphans opcodes_doc vectorised words
status=0
for lint in "$@"; do
	"./$lint.sh" || status=1
done
exit $status
