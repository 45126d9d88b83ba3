# shellcheck shell=bash disable=SC2034
# Shell functions shared by run.sh, demo.sh and the benchmarks.  Source it from bash; it does nothing by itself.
#
#   work_open            a scratch folder, $work, that belongs to an unprivileged user; removed when the script ends,
#                        after every server that has its data in there was stopped (KEEP=1 leaves the files)
#   as_user COMMAND...   run a command as that user: PostgreSQL refuses to run as root
#   give_user PATH...    hand files in $work to that user
#   server_start NAME [SETTING...]   initdb and start a server with gpudb preloaded, reachable by socket only;
#                        exports PGHOST PGPORT PGUSER PGDATABASE, so that a bare psql reaches it
#   server_stop NAME
#   copy_postgres TREE   PostgreSQL as installed, below a folder of its own, so that what is built with its pg_config,
#                        $TREE$pg_bin/pg_config, is installed nowhere else; needs find_postgres
#   build_in TREE [VAR=VALUE...]   gpudb built anew from a copy of the sources, $work/source, and installed in such a tree
#   cuda_include         the folder of CUDA's headers, if there is one
#   psql_as [ARG...]     psql for scripts: bare rows, no pager, stops at the first error
#
# GPUDB_PRELOAD names libraries that those commands are to preload: test/sanitize.sh needs that.
# Run as root they make and use the user gpudb-test; otherwise they run as whoever calls.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PG_CONFIG=${PG_CONFIG:-pg_config}
test_user=gpudb-test

die() {
	echo "gpudb: $*" >&2
	exit 1
}

# What is worth keeping between runs: the virtual environment with the data generator.
cache_dir() {
	if [ "$(id -u)" = 0 ]; then
		echo "${XDG_CACHE_HOME:-/var/cache}/gpudb"
	else
		echo "${XDG_CACHE_HOME:-$HOME/.cache}/gpudb"
	fi
}

# Where tpchgen-cli, the generator of TPC-H's data, is; install-deps.sh demo puts it there.
tpchgen_cli() {
	local generator
	generator=$(cache_dir)/venv/bin/tpchgen-cli
	if [ -x "$generator" ]; then
		echo "$generator"
	else
		command -v tpchgen-cli
	fi
}

# Sets pg_bin (initdb, pg_ctl, postgres) and pg_src (pg_regress, the isolation tester, PostgreSQL::Test).
find_postgres() {
	local pgxs
	pgxs=$("$PG_CONFIG" --pgxs 2>/dev/null) || die "no pg_config: run 'make deps', or set PG_CONFIG"
	pg_bin=$("$PG_CONFIG" --bindir)
	pg_src=${pgxs%/makefiles/pgxs.mk}
	[ -x "$pg_bin/initdb" ] || die "no PostgreSQL server in $pg_bin: run 'make deps', or set PG_CONFIG"
	export PATH="$pg_bin:$PATH"
}

# Where CUDA's headers are, if there is a toolkit.
cuda_include() {
	local nvcc include
	nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
	include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
	[ ! -e "$include/cuda_runtime.h" ] || echo "$include"
}

# PostgreSQL finds its folders relative to its programs, wherever the tree is.
copy_postgres() {
	local folder
	for folder in "$pg_bin" "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --sharedir)" "$("$PG_CONFIG" --includedir-server)" \
		"$("$PG_CONFIG" --includedir)" "${pg_src}"; do
		[ -d "$folder" ] || die "no folder $folder"
		mkdir -p "$1$folder"
		cp -RL "$folder/." "$1$folder/"
	done
}

build_in() {
	local tree=$1
	shift
	cp -R "$repo" "$work/source"
	make -s -C "$work/source" clean >/dev/null
	make -s -C "$work/source" -j"$(nproc)" install install-test-provider PG_CONFIG="$tree$pg_bin/pg_config" "$@" >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log"; die "the build failed"; }
}

work_open() {
	local base=${TMPDIR:-/tmp}
	[ ${#base} -le 60 ] || base=/tmp		# a socket's path has at most 107 bytes
	if [ "$(id -u)" = 0 ]; then
		# another run of the tests may be adding it at the same moment
		id "$test_user" >/dev/null 2>&1 || useradd --system --shell /bin/sh "$test_user" 2>/dev/null || id "$test_user" >/dev/null 2>&1 ||
			die "cannot add user $test_user"
	else
		test_user=$(id -un)
	fi
	work=$(mktemp -d "$base/gpudb.XXXXXX") || die "cannot make a folder in $base"
	give_user "$work"
	trap work_close EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

work_close() {
	local file
	trap - EXIT
	# shellcheck disable=SC2046  # our own background jobs, one number each
	[ -z "$(jobs -p)" ] || kill $(jobs -p) 2>/dev/null || true
	find "$work" -name postmaster.pid 2>/dev/null | while IFS= read -r file; do
		stop_data "$(dirname "$file")"
	done
	if [ -n "${KEEP:-}" ]; then
		echo "gpudb: left behind $work" >&2
	else
		rm -rf "$work"
	fi
}

stop_data() {
	as_user pg_ctl -D "$1" -m fast -w -t 30 stop >/dev/null 2>&1 ||
		as_user pg_ctl -D "$1" -m immediate -w -t 30 stop >/dev/null 2>&1
}

as_user() {
	if [ "$(id -u)" = 0 ]; then
		(cd "$work" && exec setpriv --reuid="$test_user" --regid="$test_user" --init-groups \
			env HOME="$work" TMPDIR="$work" USER="$test_user" LOGNAME="$test_user" \
			${GPUDB_PRELOAD:+LD_PRELOAD="$GPUDB_PRELOAD"} "$@")
	else
		(cd "$work" && exec env TMPDIR="$work" ${GPUDB_PRELOAD:+LD_PRELOAD="$GPUDB_PRELOAD"} "$@")
	fi
}

give_user() {
	[ "$(id -u)" != 0 ] || chown -R "$test_user": "$@"
}

server_start() {
	local name=$1 data=$work/$1 setting
	shift
	as_user initdb -D "$data" -U postgres --no-locale -E UTF8 -A trust --no-sync >"$work/$name.initdb" 2>&1 ||
		{ echo "gpudb: initdb failed: $(tail -n 5 "$work/$name.initdb")" >&2; return 1; }
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$work'"
		echo "shared_preload_libraries = 'gpudb'"
		echo "fsync = off"
		echo "gpudb.auto_calibrate = off"	# whoever wants it calls gpudb.calibrate()
		for setting in "$@"; do
			echo "$setting"
		done
	} >>"$data/postgresql.conf"
	as_user pg_ctl -D "$data" -l "$work/$name.log" -w -t 120 start >/dev/null 2>&1 ||
		{ echo "gpudb: the server did not start: $(tail -n 10 "$work/$name.log")" >&2; return 1; }
	export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

server_stop() {
	stop_data "$work/$1"
}

psql_as() {
	psql -XqAt -P pager=off -v ON_ERROR_STOP=1 "$@"
}
