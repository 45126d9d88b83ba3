"""The time of the k-th largest value for k from 1 to the number of rows, as a chart.

    test/bench/kth_chart.py --dsn DSN --table tcpip --column data_count --png docs/kth-largest.png

Needs a table on a server with gpudb (bench/data_govindaraju.sql makes tcpip), and
matplotlib.  Prints what it draws: medians of --runs runs after one that is not counted.
What was printed elsewhere --read draws.
"""

import argparse
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from libpq import Connection  # noqa: E402


def places(rows, points):
    """About so many values of k from 1 to the number of rows, equally far apart in their logarithms, and three quarters of them."""
    chosen = {round(rows ** (i / (points - 1))) for i in range(points)}
    return sorted(chosen | {rows // 4, rows // 2, rows * 3 // 4})


def median_ms(connection, sql, runs):
    connection.time(sql)
    return statistics.median(connection.time(sql)[0] * 1000 for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", default="")
    parser.add_argument("--table", default="tcpip")
    parser.add_argument("--column", default="data_count")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--points", type=int, default=15)
    parser.add_argument("--without-postgres", action="store_true", help="do not ask PostgreSQL, which takes its time for many rows")
    parser.add_argument("--read", metavar="FILE", help="what an earlier run has printed")
    parser.add_argument("--png")
    options = parser.parse_args()
    ks, times, rows = read(options.read) if options.read else measure(options)
    if options.png:
        draw(ks, times, rows, options.png)


def read(path):
    ks, times = [], {}
    with open(path) as lines:
        for line in lines:
            k, *series = line.rstrip("\n").split("\t")
            if not k.isdigit():
                continue
            ks.append(int(k))
            for one in series:
                name, ms = one.rsplit(": ", 1)
                times.setdefault(name, []).append(float(ms.removesuffix(" ms")))
    return ks, times, ks[-1]


def measure(options):
    ours = Connection(options.dsn)
    theirs = Connection(options.dsn, [("gpudb.enabled", "off")])
    rows = int(ours.value(f"SELECT count({options.column}) FROM {options.table}"))
    ks = places(rows, options.points)
    times = {"gpudb": [], "gpudb, percentile_disc": []}
    if not options.without_postgres:
        times["PostgreSQL"] = []
    for k in ks:
        kth = f"SELECT {options.column} FROM {options.table} ORDER BY {options.column} DESC OFFSET {k - 1} LIMIT 1"
        fraction = f"SELECT percentile_disc({k / rows!r}) WITHIN GROUP (ORDER BY {options.column} DESC) FROM {options.table}"
        if not options.without_postgres and ours.value(kth) != theirs.value(kth):
            sys.exit(f"k = {k}: the answers differ")
        times["gpudb"].append(median_ms(ours, kth, options.runs))
        times["gpudb, percentile_disc"].append(median_ms(ours, fraction, options.runs))
        if not options.without_postgres:
            times["PostgreSQL"].append(median_ms(theirs, kth, 1))
        print(k, *(f"{name}: {series[-1]:.2f} ms" for name, series in times.items()), sep="\t", flush=True)
    return ks, times, rows


def draw(ks, times, rows, png):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for (name, series), marker in zip(times.items(), "os^"):
        axes.plot(ks, series, marker=marker, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"k, of {rows:,} rows")
    axes.set_ylabel("milliseconds")
    axes.set_title("The k-th largest value")
    axes.grid(True, which="major", alpha=0.4)
    axes.legend()
    figure.tight_layout()
    figure.savefig(png, dpi=110)


if __name__ == "__main__":
    main()
