#!/bin/bash
# Nothing lies about unused: every test is scheduled and has its expected output, and the reverse; the top level is a fixed list.
. "$(dirname "$0")/lib.sh"

# scheduled FILE: the names in a pg_regress schedule
scheduled() {
	[ ! -f "$1" ] || sed -n 's/^test://p' "$1" | tr -s '[:blank:]' '\n' | grep . | sort
}

# names FOLDER SUFFIX: the files' names without the suffix
names() {
	[ ! -d "$1" ] || find "$1" -maxdepth 1 -name "*$2" -not -name 'gpudb--*' -exec basename {} "$2" \; | sort
}

# compare INPUTS SUFFIX EXPECTED SCHEDULE: complaints about anything that one of the three lacks.
compare() {
	local name
	while IFS= read -r name; do
		echo "$1/$name$2:1: not in $4"
	done < <(comm -23 <(names "$1" "$2") <(scheduled "$4" | uniq))
	while IFS= read -r name; do
		echo "$1/$name$2:1: has no expected output $3/$name.out"
	done < <(comm -23 <(names "$1" "$2") <(names "$3" .out))
	while IFS= read -r name; do
		echo "$4:$(grep -nw -m 1 -e "$name" "$4" | cut -d: -f1): $name: there is no $1/$name$2"
	done < <(comm -13 <(names "$1" "$2") <(scheduled "$4" | uniq))
	while IFS= read -r name; do
		echo "$3/$name.out:1: there is no $1/$name$2"
	done < <(comm -13 <(names "$1" "$2") <(names "$3" .out))
	while IFS= read -r name; do
		echo "$4:$(grep -nw -m 1 -e "$name" "$4" | cut -d: -f1): $name is scheduled twice"
	done < <(scheduled "$4" | uniq -d)
}

check "orphans: sql/, expected/ and the schedule agree" < <(compare sql .sql expected test/regress_schedule)
check "orphans: isolation specs, expected and the schedule agree" < <(
	compare test/isolation/specs .spec test/isolation/expected test/isolation/schedule)
check "orphans: nothing else at the top level" < <(
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard | cut -d/ -f1 | sort -u
	else
		ls -A
	fi | grep -vxE 'Makefile|README\.md|LICENSE|META\.json|gpudb\.control|\.gitignore|\.ci|sql|expected|src|cuda|test|docs' |
		grep -vxE '\.git|tmp_check|results|.*\.(so|o|bc)' |
		sed 's/$/:1: does not belong at the top level/')
finish
