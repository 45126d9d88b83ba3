#!/bin/bash
# TPC-H's 22 queries on gpudb, PostgreSQL and DuckDB, with everything cached:  make bench       (SF=10 make bench: another scale factor)
#
# Installs what is missing, builds gpudb, runs the queries on a private server, with keys and foreign-key indexes, puts a table of
# times into docs/benchmarks.md and draws docs/tpch-cpu.png, or docs/tpch-gpu.png where a GPU ran queries.  Where DuckDB or
# matplotlib cannot be had, there are no times of DuckDB's, or no chart.
#
#   SF                 scale factor of TPC-H (default 1)
#   OUT                folder for benchmarks.md, the chart, and tpch.json with the measurements (default docs/, without the latter)
#   BENCH_OPTIONS      further options of test/bench/run.sh, such as --timeout 5
#   GPUDB_INSTALLED=1  gpudb and what it needs are installed: neither packages nor gpudb are touched
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

sf=${SF:-1}
out=${OUT:-$repo/docs}
venv=$(cache_dir)/bench
if [ -z "${GPUDB_INSTALLED:-}" ]; then
	"$repo/test/install-deps.sh" bench
	echo "building gpudb"
	make -C "$repo" --no-print-directory -s -j"$(nproc)" all
	make -C "$repo" --no-print-directory -s install
fi
python=python3
[ ! -x "$venv/bin/python3" ] || python=$venv/bin/python3
has() { "$python" -c "import $1" 2>/dev/null; }

options=(--sf "$sf" --cached --no-serial --warm 1 --runs 3 --timeout 60)
if has duckdb; then
	options+=(--duckdb)
else
	echo "without DuckDB: its Python module is missing"
fi
json=$out/tpch.json
[ -n "${OUT:-}" ] || json=$(mktemp --suffix=.json)
mkdir -p "$out"
export TPCH_INDEXES=1 TPCH_JOBS=${TPCH_JOBS:-$(nproc)}
# shellcheck disable=SC2086  # words
PYTHON=$python "$repo/test/bench/run.sh" tpch "${options[@]}" ${BENCH_OPTIONS:-} --docs "$out/benchmarks.md" --json "$json"
if has matplotlib; then
	device=cpu
	! grep -q ' on gpu"' "$json" || device=gpu
	"$python" "$repo/test/bench/tpch_chart.py" "$json" --png "$out/tpch-$device.png"
	echo "drew $out/tpch-$device.png"
else
	echo "no chart: the Python module matplotlib is missing"
fi
[ -n "${OUT:-}" ] || rm -f "$json"
