#!/bin/bash
# Install what is missing on a bare Debian 12, as root:  test/install-deps.sh build|test|demo|bench|tpchgen
#
#   build     compiler, make, PostgreSQL's headers and PGXS
#   test      also a server with JIT, pgTAP, the Perl modules of the TAP tests, and Python for the random queries
#   demo      build, a server with JIT, and tpchgen
#   bench     demo, and DuckDB and matplotlib from PyPI in a virtual environment of their own, if that can be had
#   tpchgen   tpchgen-cli for TPC-H data, from PyPI, in a virtual environment of its own; where that cannot be had, this
#             says why, and is no failure
#
# It says nothing when all is there.  A PostgreSQL named by PG_CONFIG is taken as it is.  No database cluster is
# made, started or changed: Debian's packages would make one, which a file that lives only during the installation prevents.
# apt-get writes how far it is to the file that GPUDB_APT_STATUS names, as its option APT::Status-Fd has it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

TPCHGEN_VERSION=4.0.0
DUCKDB_VERSION=2.0.1
need=${1:-build}
case $need in build | test | demo | bench | tpchgen) ;; *) die "usage: install-deps.sh build|test|demo|bench|tpchgen" ;; esac

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

# Sets `missing`.
find_missing() {
	local pg=15
	if has_pgxs 2>/dev/null; then
		pg=$(version)
	fi
	want build-essential has_compiler gcc c
	want build-essential has_compiler g++ c++
	want build-essential command -v make
	want "postgresql-server-dev-$pg" has_pgxs
	if [ "$need" != build ]; then
		want "postgresql-$pg" has_server
		want "postgresql-$pg" has_jit
	fi
	if [ "$need" = test ]; then
		want "postgresql-$pg-pgtap" has_pgtap
		want python3 command -v python3
		want libipc-run-perl perl -MIPC::Run -MTest::More -e 1
	fi
	if [ "$need" = demo ] || [ "$need" = bench ]; then
		want python3-venv python3 -c 'import venv, ensurepip'
		want ca-certificates test -e /etc/ssl/certs/ca-certificates.crt		# Debian's pip has none of its own
	fi
}

install_missing() {
	local log no_cluster=/etc/postgresql-common/createcluster.d/gpudb-install.conf
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
	[ "$(id -u)" = 0 ] || die "missing: ${missing[*]}.  Install them, or run this as root."
	command -v apt-get >/dev/null || die "missing: ${missing[*]} (Debian's names).  There is no apt-get here: install them by hand."
	echo "installing ${missing[*]} ..."
	log=$(mktemp)
	mkdir -p "$(dirname $no_cluster)"
	echo "create_main_cluster = false" >$no_cluster
	# shellcheck disable=SC2064  # these files
	trap "rm -f '$no_cluster' '$log'" EXIT
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -q && apt-get install -q -y --no-install-recommends -o APT::Status-Fd=9 "${missing[@]}"; } \
		>"$log" 2>&1 9>"${GPUDB_APT_STATUS:-/dev/null}" ||
		{ tail -n 20 "$log" >&2; die "apt-get could not install ${missing[*]}"; }
}

# why_not_installed LOG: what pip printed, in a few words.
why_not_installed() {
	if grep -q 'Retrying' "$1"; then
		echo "PyPI cannot be reached"
	elif grep -q -i 'error\|not found' "$1"; then
		grep -i 'error\|not found' "$1" | tail -n 1 | cut -c 1-60
	else
		echo "PyPI did not answer within a minute"
	fi
}

# make_venv FOLDER PACKAGE...: pip tries every address of PyPI's in turn, each as long as its time limit says: so there is a limit
# for all of it, too.
make_venv() {
	local venv=$1
	shift
	mkdir -p "$venv" && python3 -m venv --clear "$venv" &&
		timeout 60 "$venv/bin/pip" install --quiet --disable-pip-version-check --no-input --timeout 10 --retries 1 "$@"
}

# install_venv NAME VERSION COMMAND PACKAGE...: a virtual environment with packages, unless a command in it, a shell's, prints the version.
install_venv() {
	local venv version=$2 log
	venv=$(cache_dir)/$1
	local command="cd '$venv/bin' && $3"
	shift 3
	! sh -c "$command" 2>/dev/null | grep -qwF "$version" || return 0
	echo "installing ${1%==*} $version in $venv ..."
	log=$(mktemp)
	if ! make_venv "$venv" "$@" >"$log" 2>&1 || ! sh -c "$command" >>"$log" 2>&1; then
		rm -rf "$venv"
		echo "no ${1%==*} $version: $(why_not_installed "$log")"
	fi
	rm -f "$log"
}

if [ "$need" != tpchgen ]; then
	find_missing
	[ ${#missing[@]} = 0 ] || install_missing
fi
case $need in demo | bench | tpchgen)
	install_venv venv "$TPCHGEN_VERSION" "./tpchgen-cli --version" "tpchgen-cli==$TPCHGEN_VERSION" ;;
esac
if [ "$need" = bench ]; then
	install_venv bench "$DUCKDB_VERSION" "./python3 -c 'import duckdb, matplotlib; print(duckdb.__version__)'" \
		"duckdb==$DUCKDB_VERSION" matplotlib
fi
