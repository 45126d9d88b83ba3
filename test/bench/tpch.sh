#!/bin/bash
# TPC-H's 22 queries on gpudb, PostgreSQL and DuckDB, with everything cached:  make bench       (SF=10 make bench: another scale factor)
#
# Runs the queries on a private server, with keys and foreign-key indexes, puts a table of times into docs/benchmarks.md and draws
# docs/tpch-cpu.png, or docs/tpch-gpu.png where a GPU ran queries.  Where DuckDB or matplotlib cannot be had, there are no times of
# DuckDB's, or no chart.  gpudb must be installed; the Makefile sees to that, and install-deps.sh to the rest.
#
#   SF                 scale factor of TPC-H (default 1)
#   OUT                folder for benchmarks.md, the chart, and tpch.json with the measurements (default docs/, without the latter)
#   BENCH_OPTIONS      further options of test/bench/run.sh, such as --timeout 5
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

sf=${SF:-1}
out=${OUT:-$repo/docs}
venv=$(cache_dir)/bench
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
if [ -z "${OUT:-}" ]; then
	json=$(mktemp --suffix=.json)
	trap 'rm -f "$json"' EXIT
fi
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
