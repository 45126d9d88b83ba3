#!/bin/bash
# SQL texts of ours run with a superuser's rights, so in none of them may a name mean what somebody else has put into a schema:
# every function, operator, relation, collation and type is qualified, and search_path is set besides.  Types that are keywords
# (int, numeric(12,2), double precision) are PostgreSQL's own.  Looked at are the extension's scripts, and all C strings in files
# that run queries, of which there is one that calls SPI.
. "$(dirname "$0")/lib.sh"

mapfile -t scripts < <(sources sql -- .sql | grep '^sql/gpudb--')
mapfile -t code < <(sources src -- .c .h)
mapfile -t queries < <(grep -lE '\bquery_(execute|run|typical)\b' "${code[@]}" | grep '\.c$')

# "FILE LINE TEXT" of each statement of a script.  Literals are empty in the text.
script_statements() {
	perl -0777 -ne '
		s{/\*.*?\*/}{ my $comment = $&; $comment =~ tr/\n//cd; $comment }gse;
		s/^(--|\\echo).*$//gm;
		my ($line, $start, $text) = (1, 0, "");
		while (/\G(\x27(?:[^\x27]|\x27\x27)*\x27|;|\n|[^\x27;\n]+)/g) {
			my $token = $1;
			$start ||= $line if $token =~ /\S/;
			$line += $token =~ tr/\n//;
			if ($token eq ";") { print "$ARGV $start $text\n"; ($start, $text) = (0, "") }
			else { $token = "\x27\x27" if $token =~ /^\x27/; $token =~ s/\n/ /g; $text .= $token }
		}
		print "$ARGV $start $text\n" if $start' "${scripts[@]}"
}

# The same of each string of a C file that looks like SQL, adjacent ones as one, also around a macro.
code_statements() {
	perl -0777 -ne '
		s{/\*.*?\*/}{ my $comment = $&; $comment =~ tr/\n//cd; $comment }gse;
		s/^[ \t]*#[ \t]*include.*$//gm;
		my $string = qr/"(?:[^"\\\n]|\\.)*"/;
		while (/$string(?:\s*(?:CppAsString2\(\w+\)|[A-Z_]{3,})?\s*$string)*/g) {
			my ($found, $line) = ($&, 1 + (substr($_, 0, $-[0]) =~ tr/\n//));
			my $text = join " ", map { s/^"|"$//g; s/\\"/"/g; $_ } $found =~ /$string/g;
			$text =~ s/\x27[^\x27]*\x27/\x27\x27/g;
			print "$ARGV $line $text\n" if $text =~ /^,|\b(SELECT|FROM|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|ANALYZE|EXPLAIN|GROUP BY|WHERE|OPERATOR)\b/;
		}' "${queries[@]}"
}

# What is not qualified in each of them.  In formats, %s and %d stand for names and numbers that come from other texts.
unqualified() {
	perl -ne '
		BEGIN {
			$type = qr/text|name|float[48]|int[248]|bool|char|varchar|bpchar|oid|internal|void|record|bytea|any\w+|reg\w+|timestamptz|jsonb?|uuid/;
			$keyword = qr/AS|IN|BY|FROM|SELECT|JOIN|WHERE|FILTER|OVER|VALUES|EXISTS|EXPLAIN|WITH|AND|OR|NOT|ON|CASE|MATERIALIZED|COALESCE|numeric/;
			$keyword_type = qr/bigint|int|numeric|boolean|smallint|real/;
		}
		our ($file, $line, $text) = /^(\S+) (\d+) (.*)$/ or next;
		sub complain { print "$file:$line: $_[0]: write $_[1]\n" }
		next if $text =~ /^\s*SET LOCAL search_path = pg_catalog, pg_temp\s*$/;
		my %local = map { $_ => 1 } $text =~ /\b(\w+) AS (?:MATERIALIZED )?\(/g;
		$text =~ s/OPERATOR\(pg_catalog\.(?:%s|[^)\s]+)\)/ ,/g;

		complain($1, "pg_catalog.$1")
			while $text =~ /(?<![\w.%])(?<!AS )($type)\b(?=\s*(?:,|\)|$|\[|COLLATE|DEFAULT|RETURNS|IS|LANGUAGE))/g;
		complain("::$1", "pg_catalog.$1") while $text =~ /::\s*(?!pg_catalog\.|(?:$keyword_type)\b)(\w+)/g;
		complain("$1()", "its schema") while $text =~ /(?<![\w.%])(?!(?:$keyword)\b)([a-z_]\w*)\s*\(/gi;
		while ($text =~ /\b(FROM|JOIN|ANALYZE|FUNCTION|AGGREGATE|VIEW|TABLE)\s+(?!(?:\@schema\@|gpudb|pg_catalog)\.)([a-z]\w*)/g) {
			complain($2, "its schema") unless $local{$2};
		}
		complain("$1 = $2", "its schema") while $text =~ /\b(\w*FUNC|STYPE)\s*=\s*(?!pg_catalog\.|gpudb\.)(\w+)/g;
		complain("COLLATE $1", "pg_catalog.$1") while $text =~ /\bCOLLATE\s+(?!pg_catalog\.)(\S+)/g;

		# operators: what is left beside options, casts, signs of numbers and stars
		$text =~ s/::|\b\w+ = (?:[\w.]+|%\w| ?\))|\(\*\)|SELECT \*|(?<=[,(] )-(?=\d)|\@schema\@|%[sd]//g;
		complain($1, "OPERATOR(pg_catalog.$1)") while $text =~ m{([-+*/<>=~!\@#%^&|`?]+)}g;'
}

check "sql: nothing in our SQL texts is unqualified" < <({ script_statements; code_statements; } | unqualified)
check "sql: scripts set search_path before anything else" < <(for script in "${scripts[@]}"; do
	first=$(grep -vE '^(/\*|--|\\echo|$)' "$script" | head -n 1)
	[ "$first" = "SET LOCAL search_path = pg_catalog, pg_temp;" ] || echo "$script:1: SET LOCAL search_path = pg_catalog, pg_temp; first"
done)
check "sql: calibrate_query.c alone runs queries, and calibrate.c has set search_path" < <(
	grep -nE '\bSPI_(exec|prepare|cursor)|\bpg_(parse_query|analyze_and_rewrite)|\braw_parser\b|\bstringToQualifiedNameList\b' "${code[@]}" |
		grep -vE '^src/admin/(calibrate_query|why_not)\.c:' | sed -E 's/^([^:]*:[0-9]+):.*/\1: queries run in src\/admin\/calibrate_query.c/'
	grep -q 'query_set("search_path", "pg_catalog, pg_temp")' src/admin/calibrate.c || echo "src/admin/calibrate.c:1: search_path is not set")
finish
