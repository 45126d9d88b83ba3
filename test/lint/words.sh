#!/bin/bash
# Language that a machine can see: how comments begin, words that have given way to the field's terms (docs/glossary.md),
# and the subjects of commits since docs/contributing.md has a rule for them.
. "$(dirname "$0")/lib.sh"

mapfile -t code < <(sources src cuda test/unit test/standin -- .c .h .def .cu .cuh)
mapfile -t documents < <(sources docs src cuda -- .md)
mapfile -t scripts < <(sources sql test -- .sql .sh .pl .pm .py .spec)

# A comment that begins with one of these words leans on what stands above it.
leaning='The same|Or|And|So|But|It|They|This|That|These|Those|Which|What|Whose|Whether|How|Where|One|Its|Their|Such|As|Of|Both|Here|There'
check "words: comments begin with a subject or a verb of their own" < <(awk -v leaning="^($leaning)([^A-Za-z_]|\$)" '
	{ text = "" }
	begun { text = $0; sub(/^[ \t]*\*?[ \t]*/, "", text); begun = text == "" }
	match($0, /\/\*+[ \t]*/) { text = substr($0, RSTART + RLENGTH); begun = text == "" }
	text ~ leaning { print FILENAME ":" FNR ": begins with \"" substr(text, 1, 40) "\": name the subject" }' "${code[@]}")

# The pattern of words that are gone, and of names that held them.
gone='\b([A-Za-z_]*(kept|Kept|KEPT|cautious|settled|SETTLED)[A-Za-z_]*|heads|heads_[a-z_]+|[a-z_]+_heads|rooms|nrooms|[a-z_]+_rooms|wishes'
gone+='|rather_gpu|sample_does|results_are_sure|why_not_built|joins?_(is|are)_away|vm_run_rest|op_rest|recall_[a-z]+|nmembers|nselects'
gone+='|run_codes[a-z_]*|own_codes[a-z_]*|code_book[a-z_]*|CodeBook|RunCodes|OwnCodes|framed|[a-z_]+_framed'
gone+='|[A-Za-z_]*(PageWindow|ChannelWindow|page_window)[A-Za-z_]*|nwindows|[A-Z]*_?CODED|GROUP_CODES|[a-z_]*coded_groups)\b'
check "words: those that are gone do not come back" < <(
	grep -nHE -e "$gone" "${code[@]}" "${documents[@]}" "${scripts[@]}" README.md |
		grep -vE "^(test/lint/words\.sh|docs/glossary\.md):|suppliers who kept orders waiting" |
		sed -E "s/^([^:]*:[0-9]+):.*/\1: a word that docs\/glossary.md replaces/")
check "words: nor in names of files" < <(
	printf '%s\n' "${code[@]}" "${documents[@]}" "${scripts[@]}" | sed -E 's/^(.*\/)?([^/]*)\.[a-z]+$/\2 &/' |
		awk -v gone='(^|_)(kept|heads|settled|cautious|rooms|recall|members|passes|selects|late)(_|$)' '{ sub(/late_materialization/, "", $1) } $1 ~ gone && $1 !~ /^trap_/ { print $2 ":1: a word that docs/glossary.md replaces" }')

rule=$(git log --diff-filter=A --format=%H -- docs/contributing.md 2>/dev/null | tail -n 1)
if [ -z "$rule" ]; then
	skip "words: commit subjects" "no history at hand"
else
	check "words: commit subjects are \"area: imperative\", of 72 characters at most" < <(
		git log --no-merges --format='%h %s' "$rule"..HEAD | awk '{
			subject = substr($0, length($1) + 2)
			if (length(subject) > 72 || subject !~ /^[a-z][a-z0-9_\/, -]*: [^ ].*[^.]$/)
				print $1 ":1: " subject
		}')
fi
finish
