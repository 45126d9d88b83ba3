#!/usr/bin/env python3
"""TPC-H's queries on gpudb, PostgreSQL and DuckDB, as a chart of what bench.py has measured.

    test/bench/tpch_chart.py FILE.json --png docs/tpch-cpu.png

FILE.json is what `run.sh tpch --duckdb --json FILE.json` wrote.  Needs matplotlib.  Refuses to draw wrong answers.
"""

import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report  # noqa: E402

# (kind of configuration in bench.py, name in the legend, colour)
SERIES = (("pg", "PostgreSQL, best plan", "#8fa3b8"), ("duckdb", "DuckDB", "#e0a100"), ("gpudb", "gpudb", "#1b7f5c"))


def milliseconds(rows, kind):
    """For each query the best median of a kind of configuration, or None if all of these reached the time limit."""
    found = [report.best(row, kind) for row in rows]
    return [one and one[1] * 1000 for one in found]


def wrong(rows):
    return [row["name"] for row in rows for state in row["checks"].values() if state["wrong"]]


def times_ours(theirs, ours):
    """The geometric mean of times divided by gpudb's."""
    return report.geometric_mean([a / b for a, b in zip(theirs, ours)])


def title(measured):
    facts = dict(measured["facts"])
    rows = next(row["rows_in"] for row in measured["results"]["tpch"] if row["name"] == "q01")
    gpu = re.search(r"NVIDIA [^,]*?(?= GPU-| [0-9a-f]{8}-|$)", facts.get("device", ""))
    return f"TPC-H, {rows / 1e6:.1f} million rows in lineitem; {facts['CPU']}{', ' + gpu.group() if gpu else ''}; {facts['date']}"


def draw(measured, png):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows, limit = measured["results"]["tpch"], measured["arguments"]["timeout"]
    present = [entry for entry in SERIES if any(timing["kind"] == entry[0] for timing in rows[0]["timings"].values())]
    measured_ms = {kind: milliseconds(rows, kind) for kind, *_ in present}
    # the time limit stands for a query that reached it
    drawn_ms = {kind: [limit * 1000 if ms is None else ms for ms in times] for kind, times in measured_ms.items()}
    figure, axes = pyplot.subplots(figsize=(10, 4.2))
    width = 0.8 / len(present)
    for place, (kind, name, colour) in enumerate(present):
        if kind != "gpudb":
            name += f": {times_ours(drawn_ms[kind], drawn_ms['gpudb']):.1f} × gpudb's time"
        bars = axes.bar([number + (place - (len(present) - 1) / 2) * width for number in range(len(rows))], drawn_ms[kind], width,
                        color=colour, edgecolor="white", linewidth=0.3, label=name)
        for bar, ms in zip(bars, measured_ms[kind]):
            bar.set_hatch("////" if ms is None else None)
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds, warm")
    axes.set_xticks(range(len(rows)), [row["name"].upper().replace("Q0", "Q") for row in rows], fontsize=8)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.set_title(title(measured), fontsize=9)
    axes.grid(True, axis="y", which="major", alpha=0.4)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8, ncols=len(present), loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False)
    if any(None in times for times in measured_ms.values()):
        axes.annotate(f"hatched: more than {limit} s", (0.995, 0.97), xycoords="axes fraction", ha="right", va="top", fontsize=8)
    figure.tight_layout()
    figure.savefig(png, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", help="what bench.py --json wrote")
    parser.add_argument("--png", required=True)
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        measured = json.load(file)
    if wrong(measured["results"]["tpch"]):
        sys.exit("wrong answers: " + " ".join(wrong(measured["results"]["tpch"])))
    draw(measured, options.png)


if __name__ == "__main__":
    main()
