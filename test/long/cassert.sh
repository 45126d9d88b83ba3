#!/bin/bash
# shellcheck disable=SC1091,SC2154
# Suites on a PostgreSQL whose assertions are on, as Debian's are not:  test/long/cassert.sh [SUITE...]
#
# Builds PostgreSQL from the sources of Debian's package, without Debian's patches, in a scratch folder, and gpudb for it, and
# runs regress, isolation and diff there.  A failed assertion ends a server, so that a test fails.  Nothing is installed
# elsewhere: it is the unprivileged user who installs.  With 8 cores some ten minutes.
#
#   GPUDB_CASSERT_SOURCE   a folder with PostgreSQL's sources, or a tarball of them, in the place of Debian's
#   GPUDB_CASSERT_TREE     where PostgreSQL is built and installed, to be left there and used again (default the scratch folder)
#   GPUDB_DIFF_QUERIES     random queries for each of two seeds (default 1500)
#   LLVM_CONFIG, CLANG     what PostgreSQL's JIT is built with (default: the newest there is; without any there is no JIT)
#
# It wants what building PostgreSQL takes: a compiler, make, perl, pkg-config, headers of ICU, libxml2 and zlib; and dpkg-dev for Debian's sources.
# Exit status 1: something failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

# As apt would, with a list of sources, and of what it has found there, of its own.
own_apt() {
	local command=$1
	shift
	"$command" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/apt/sources" -o Dir::State::Lists="$work/apt/lists" \
		-o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User=root "$@"
}

# fetch_source FOLDER: the newest of Debian's sources that can be had.
fetch_source() {
	local major package version dsc
	major=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
	package=postgresql-$major
	mkdir -p "$work/apt/sources" "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/source"
	sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/apt/sources/source.sources"
	own_apt apt-get update -q >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; die "apt-get found no sources"; }
	for version in $(own_apt apt-cache showsrc "$package" 2>/dev/null | sed -n 's/^Version: //p' | sort -rV -u); do
		(cd "$work/apt/source" && own_apt apt-get source --download-only "$package=$version" >>"$work/apt.log" 2>&1) || continue
		dsc=$(find "$work/apt/source" -name "${package}_${version#*:}.dsc")
		dpkg-source --no-check --skip-patches -x "$dsc" "$1" >>"$work/apt.log" 2>&1 || continue
		echo "$package $version"
		return
	done
	tail -n 20 "$work/apt.log" >&2
	die "no sources of $package could be had"
}

unpack_source() {
	if [ -z "${GPUDB_CASSERT_SOURCE:-}" ]; then
		fetch_source "$1"
	elif [ -d "$GPUDB_CASSERT_SOURCE" ]; then
		cp -R "$GPUDB_CASSERT_SOURCE" "$1"
	else
		mkdir -p "$1"
		tar -xf "$GPUDB_CASSERT_SOURCE" -C "$1" --strip-components=1
	fi
}

# quiet COMMAND...: its output only if it fails.
quiet() {
	"$@" >"$work/quiet.log" 2>&1 || { tail -n 40 "$work/quiet.log" >&2; die "failed: $*"; }
}

# build_postgres TREE: sources in $TREE/source, what is installed in $TREE/pg.
build_postgres() {
	local tree=$1 llvm=() cc=gcc config=${LLVM_CONFIG:-} clang=${CLANG:-}
	[ -n "$config" ] || config=$(compgen -c llvm-config- | sort -rV | head -n 1) || true
	[ -n "$clang" ] || clang=$(command -v "clang-${config##*-}" clang | head -n 1) || true
	[ -z "$config" ] || [ -z "$clang" ] || llvm=(--with-llvm "LLVM_CONFIG=$config" "CLANG=$clang")
	! command -v ccache >/dev/null || cc='ccache gcc'
	mkdir -p "$tree"
	unpack_source "$tree/source"
	give_user "$tree"
	cd "$tree/source"
	quiet as_in "$tree/source" ./configure -q --prefix="$tree/pg" --enable-cassert --enable-tap-tests --with-icu --with-libxml --without-readline "${llvm[@]}" \
		CC="$cc" CFLAGS='-O1 -g'
	# PostgreSQL's own bitcode serves inlining alone
	quiet as_in "$tree/source" make -s -j"$(nproc)" with_llvm=no install
	quiet as_in "$tree/source" make -s -j"$(nproc)" with_llvm=no -C src/test/isolation install
	[ ${#llvm[@]} = 0 ] || quiet as_in "$tree/source" make -s -j"$(nproc)" -C src/backend/jit/llvm install
	cd "$repo"
}

# as_in FOLDER COMMAND...: as the unprivileged user.
as_in() {
	local folder=$1
	shift
	# shellcheck disable=SC2016  # for the shell below
	as_user env CCACHE_DIR="$work/ccache" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
}

[ -x "$(command -v "$PG_CONFIG")" ] || die "no pg_config: run 'make deps', or set PG_CONFIG"
work_open
tree=${GPUDB_CASSERT_TREE:-$work/cassert}
[ -x "$tree/pg/bin/postgres" ] || build_postgres "$tree"
PG_CONFIG=$tree/pg/bin/pg_config
[ "$("$PG_CONFIG" --configure | grep -c -- --enable-cassert)" = 1 ] || die "the PostgreSQL in $tree has no assertions"
cp -R "$repo" "$work/source"
give_user "$work/source" "$tree"
make -s -C "$work/source" clean PG_CONFIG="$PG_CONFIG" >/dev/null
quiet as_in "$work/source" make -s -j"$(nproc)" install install-test-provider NVCC= PG_CONFIG="$PG_CONFIG"
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(regress isolation diff)
GPUDB_DIFF_QUERIES=${GPUDB_DIFF_QUERIES:-1500} PG_CONFIG=$PG_CONFIG "$here/../run.sh" "${suites[@]}"
