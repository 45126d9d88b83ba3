# shellcheck shell=bash
# What every lint shares: source it from bash.  It goes to the top of the repository.
#
#   check NAME < COMPLAINTS   one TAP line: "ok" when there is no complaint, else "not ok" and the complaints, each "file:line: reason"
#   skip NAME REASON          one TAP line that says why there was nothing to check
#   finish                    exit status of the lint
#   sources FOLDER... -- SUFFIX...   files with one of the suffixes, sorted; folders that do not exist hold none

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
lint_failed=0

check() {
	local complaints
	complaints=$(cat)
	if [ -z "$complaints" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf '%s\n' "$complaints" | sed 's/^/#   /'
		lint_failed=1
	fi
}

skip() {
	echo "ok - $1 # SKIP $2"
}

finish() {
	exit $lint_failed
}

sources() {
	local folders=() names=() suffix
	while [ "$1" != -- ]; do
		[ ! -d "$1" ] || folders+=("$1")
		shift
	done
	shift
	for suffix in "$@"; do
		names+=(-o -name "*$suffix")
	done
	[ ${#folders[@]} = 0 ] || find "${folders[@]}" -type f \( "${names[@]:1}" \) -not -path '*/build/*' | sort
}

# The CUDA compiler, where there is one.
find_nvcc() {
	command -v nvcc || { [ ! -x /usr/local/cuda/bin/nvcc ] || echo /usr/local/cuda/bin/nvcc; }
}
