#!/bin/bash
# Install what is missing on a bare Debian 12, as root:  test/install-deps.sh build|test|demo
#
#   build   compiler, make, PostgreSQL's headers and PGXS
#   test    also a server, pgTAP, the Perl modules of the TAP tests, and Python for the random queries
#   demo    build, a server, and tpchgen-cli (from PyPI, in a virtual environment of its own) for TPC-H data
#
# It says nothing when all is there.  A PostgreSQL named by PG_CONFIG is taken as it is.  No database cluster is
# made, started or changed: Debian's packages would make one, which a file that lives only during the installation prevents.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

TPCHGEN_VERSION=4.0.0
need=${1:-build}
case $need in build | test | demo) ;; *) die "usage: install-deps.sh build|test|demo" ;; esac

missing=()

# want PACKAGE COMMAND...: the package is missing when the command fails.
want() {
	local package=$1
	shift
	"$@" >/dev/null 2>&1 || missing+=("$package")
}

# Debian's client package has pgxs.mk without the headers.
has_pgxs() { [ -f "$("$PG_CONFIG" --pgxs)" ] && [ -f "$("$PG_CONFIG" --includedir-server)/postgres.h" ]; }
has_server() { [ -x "$("$PG_CONFIG" --bindir)/initdb" ]; }
# Debian has pgTAP for Debian's PostgreSQL only; with another one that suite is skipped.
has_pgtap() {
	[ -f "$("$PG_CONFIG" --sharedir)/extension/pgtap.control" ] ||
		{ has_server && [[ $("$PG_CONFIG" --bindir) != /usr/lib/postgresql/* ]]; }
}
# Debian's server has PostgreSQL's JIT compiler; another one may do without, and tests with it are skipped.
has_jit() {
	[ -e "$("$PG_CONFIG" --pkglibdir)/llvmjit.so" ] ||
		{ has_server && [[ $("$PG_CONFIG" --bindir) != /usr/lib/postgresql/* ]]; }
}
# A compiler alone is not enough: the C library's headers are a package of their own.
has_compiler() { echo '#include <stdlib.h>' | "$1" -x "$2" -fsyntax-only -; }
version() { "$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/'; }

pg=15
if has_pgxs 2>/dev/null; then
	pg=$(version)
fi
want build-essential has_compiler gcc c
want build-essential has_compiler g++ c++
want build-essential command -v make
want "postgresql-server-dev-$pg" has_pgxs
if [ "$need" != build ]; then
	want "postgresql-$pg" has_server
fi
if [ "$need" = test ]; then
	want "postgresql-$pg-pgtap" has_pgtap
	want "postgresql-$pg" has_jit
	want python3 command -v python3
	want libipc-run-perl perl -MIPC::Run -MTest::More -e 1
fi
if [ "$need" = demo ]; then
	want python3-venv python3 -c 'import venv, ensurepip'
fi

if [ ${#missing[@]} -gt 0 ]; then
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
	[ "$(id -u)" = 0 ] || die "missing: ${missing[*]}.  Install them, or run this as root."
	command -v apt-get >/dev/null || die "missing: ${missing[*]} (Debian's names).  There is no apt-get here: install them by hand."
	echo "installing ${missing[*]} ..."
	log=$(mktemp)
	no_cluster=/etc/postgresql-common/createcluster.d/gpudb-install.conf
	mkdir -p "$(dirname $no_cluster)"
	echo "create_main_cluster = false" >$no_cluster
	trap 'rm -f "$no_cluster" "$log"' EXIT
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -q && apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
		{ tail -n 20 "$log" >&2; die "apt-get could not install ${missing[*]}"; }
fi

if [ "$need" = demo ]; then
	venv=$(cache_dir)/venv
	if [ "$("$venv/bin/tpchgen-cli" --version 2>/dev/null)" != "tpchgen-cli $TPCHGEN_VERSION" ]; then
		echo "installing tpchgen-cli $TPCHGEN_VERSION in $venv ..."
		mkdir -p "$venv"
		python3 -m venv --clear "$venv"
		"$venv/bin/pip" install --quiet --disable-pip-version-check "tpchgen-cli==$TPCHGEN_VERSION" ||
			die "pip could not install tpchgen-cli $TPCHGEN_VERSION"
	fi
fi
