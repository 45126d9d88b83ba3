#!/bin/bash
# Run every lint, or those named:  test/lint/run.sh [layers] [style] ...     (--list: only their names)
cd "$(dirname "$0")" || exit 1
mapfile -t all < <(printf '%s\n' *.sh | grep -vE '^(run|lib|gen_.*)\.sh$' | sed 's/\.sh$//')
case ${1:-} in
	--list) printf '%s\n' "${all[@]}"; exit ;;
	'') set -- "${all[@]}" ;;
esac
status=0
for lint in "$@"; do
	"./$lint.sh" || status=1
done
exit $status
