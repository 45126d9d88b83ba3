#!/bin/bash
# docs/reference.md names all that users meet, and nothing else: settings, functions, views and their columns, properties of EXPLAIN,
# reason codes, statuses and plan nodes.  Names of the document are those in backticks in the first column of its tables, by section.
. "$(dirname "$0")/lib.sh"

document=docs/reference.md
script=sql/gpudb--1.0.sql
mapfile -t code < <(sources src -- .c)

# Each of these prints "FILE:LINE NAME" of all names of one kind in the source.

settings() {
	perl -ne 'print "$ARGV:$. $1\n" if /DefineCustom\w+Variable\("(gpudb\.\w+)"/' src/guc.c
}

# KIND: function, view or column (VIEW.COLUMN).  What the script drops again is left out.
objects() {
	kind=$1 perl -0777 -ne '
		s{/\*.*?\*/}{ my $comment = $&; $comment =~ tr/\n//cd; $comment }gse;
		s/^--.*$//gm;
		our $text = $_;
		sub place { "$ARGV:" . (1 + (substr($text, 0, $_[0]) =~ tr/\n//)) }
		my (@found, %dropped, %columns);
		$dropped{$1} = 1 while /\bDROP FUNCTION gpudb\.(\w+)/g;
		while (/\bCREATE (?:FUNCTION|AGGREGATE) gpudb\.(\w+)\s*(\((?:[^()]|(?2))*\))/g) {
			my ($name, $arguments, $at) = ($1, $2, $-[0]);
			push @found, ["function", $at, "gpudb.$name()"] unless $dropped{$name};
			$columns{$name} = [$arguments =~ /\bOUT (\w+)/g];
		}
		while (/\bCREATE VIEW gpudb\.(\w+) AS\s+([^;]*);/g) {
			my ($name, $query, $at) = ($1, $2, $-[0]);
			my @names;
			push @found, ["view", $at, "gpudb.$name"];
			if ($query =~ /^SELECT \* FROM gpudb\.(\w+)\(\)\s*$/) { @names = @{$columns{$1}} }
			else {
				$query =~ s/\x27[^\x27]*\x27//g;
				1 while $query =~ s/\([^()]*\)//g;
				@names = map { /(\w+)\s*$/ } split /,/, $query =~ /\bSELECT\s(.*?)\sFROM\b/s ? $1 : "";
			}
			push @found, ["column", $at, "gpudb.$name.$_"] for @names;
		}
		print place($_->[1]) . " $_->[2]\n" for grep { $_->[0] eq $ENV{kind} } @found' "$script"
}

# The first argument of each call that shows a property; a number in a name is n.  A name that is no literal is a complaint.
properties() {
	perl -0777 -ne '
		while (/\b(?:ExplainProperty\w+|node_explain_(?:expr|list))\s*\(((?:"(?:[^"\\]|\\.)*"|(\((?:[^()"]|"[^"]*"|(?2))*\))|[^,()"])*),/g) {
			my ($name, $place) = ($1, "$ARGV:" . (1 + (substr($_, 0, $-[0]) =~ tr/\n//)));
			next if $name =~ /^(?:const char \*)?label$/;
			$name = $1 if $name =~ /^(\w+)\[/ && /\b$1\[\] = \{([^}]*)\}/;
			my @names = $name =~ /"([^"]*)"/g or print "$place: the name of this property is no literal\n";
			s/%d/n/, print "$place $_\n" for @names;
		}' "${code[@]}"
}

codes() {
	perl -ne 'print "$ARGV:$. $1\n" if /^(?:REASON|STATUS)\((\w+),/; close ARGV if eof' src/core/reason.def src/core/status.def
}

nodes() {
	perl -ne 'print "$ARGV:$. $1\n" if /\.CustomName = "(\w+)"/; close ARGV if eof' "${code[@]}"
}

# "LINE KIND NAME" of the document's names.  Its functions are also those that are named elsewhere.
documented=$(perl -ne '
	BEGIN { %kind = ("Settings" => "setting", "Functions" => "function", "EXPLAIN properties" => "property", "Reason codes" => "code", "Plan nodes" => "node") }
	if (/^## (.*)$/) { $section = $1; $view = "" }
	if ($section eq "Views" && /^### `(gpudb\.\w+)`$/) { $view = $1; print "$. view $view\n" }
	if (/^\| *(`.*?) \|/) {
		for ($1 =~ /`([^`]*)`/g) {
			s/\(.*/()/ if $section eq "Functions";
			if ($view ne "") { print "$. column $view.$_\n" }
			elsif ($kind{$section}) { print "$. $kind{$section} $_\n" }
			else { print "$. unknown $_\n" }
		}
	}
	print "$. function $1()\n" while /`(gpudb\.\w+)\(/g' "$document" | sort -u)

# compare KIND < "PLACE NAME": complaints about names that only one of source and document has.
compare() {
	local place line kind name named
	declare -A source=()
	named=$(sed -n "s/^[0-9]* $1 //p" <<<"$documented")
	while read -r place name; do
		case $place in
			*:) echo "$place $name" ;;
			*) source[$name]=1
				grep -qxF -- "$name" <<<"$named" || echo "$place: $document does not name \`$name\`" ;;
		esac
	done
	while read -r line kind name; do
		[ "$kind" != "$1" ] || [ -n "${source[$name]}" ] || echo "$document:$line: there is no $1 \`$name\`"
	done <<<"$documented"
}

check "reference: settings" < <(settings | compare setting)
check "reference: functions" < <(objects function | compare function)
check "reference: views" < <(objects view | compare view)
check "reference: columns of views" < <(objects column | compare column)
check "reference: properties of EXPLAIN" < <(properties | compare property)
check "reference: reason codes and statuses" < <(codes | compare code)
check "reference: plan nodes" < <(nodes | compare node)
check "reference: gpudb.… is a setting, a view or a function wherever it is named" < <(
	known=$({ settings; objects view; objects function; } | sed -E 's/^[^ ]* //; s/\(\)$//')
	grep -noE '`gpudb\.[a-z_0-9]+' "$document" | tr -d '\`' | while IFS=: read -r line name; do
		grep -qxF -- "$name" <<<"$known" || echo "$document:$line: there is no $name"
	done)
check "reference: who sets a setting" < <(perl -0777 -e '
	my %by = (POSTMASTER => "restart", SIGHUP => "reload", SUSET => "superuser", USERSET => "user");
	local @ARGV = ("src/guc.c", $ARGV[0]);
	my ($guc, $text) = (scalar <>, scalar <>);
	while ($guc =~ /DefineCustom\w+Variable\("(gpudb\.\w+)".*?PGC_(\w+)/gs) {
		my ($name, $by) = ($1, $by{$2});
		print "src/guc.c:" . (1 + (substr($guc, 0, $-[0]) =~ tr/\n//)) . ": $ARGV says otherwise than that $name is set by $by\n"
			unless $text =~ /^\| `\Q$name\E` \|[^|]*\|[^|]*\|[^|]*\| $by \|/m;
	}' "$document")
check "reference: reasons and texts of statuses" < <(perl -0777 -e '
	local @ARGV = ("src/core/status.def", $ARGV[0]);
	my ($statuses, $text) = (scalar <>, scalar <>);
	while ($statuses =~ /^STATUS\((\w+),\s*"\w*",\s*"(\w*)",\s*"(.*)"\)/gm) {
		my ($name, $reason, $words) = ($1, $2 eq "" ? "" : "`$2` ", $3);
		print "src/core/status.def:" . (1 + (substr($statuses, 0, $-[0]) =~ tr/\n//)) . ": $ARGV has not \"| `$name` | $reason| $words |\"\n"
			unless $text =~ /^\| `$name` \| \Q$reason| $words |\E/m;
	}' "$document")
finish
