#!/usr/bin/env python3
"""GROUP BY with 1 to 10 million groups, evenly spread and skewed: gpudb, PostgreSQL, DuckDB.

The table of groups is counted and summed up in the same statement, so that no client has to take 10 million rows.
At many groups that costs everybody but DuckDB a while in PostgreSQL's own aggregate.  Skewed keys make fewer groups of
as many rows: see how many there were before comparing with evenly spread ones.
"""

import glob
import os

from measure import CPU, GPU, Postgres, Table, arguments, facts, gpudb, ms, rate, ratio, size, tried

try:
    import duckdb
except ImportError:
    duckdb = None

import time

KEYS = {"k1": "1", "k100": "100", "k1k": "1 K", "k10k": "10 K", "k1m": "1 M", "k10m": "10 M"}
KINDS = ("uniform", "zipf", "one99")
INNER = "SELECT {k} AS k, count(*) AS c, sum(v) AS s, min(v) AS mi, max(v) AS ma FROM groups_{kind} GROUP BY {k}"
# Sums of floats have no state that an addition of integers updates; of whole numbers they are exact in any order.
FLOATS = "SELECT {k} AS k, count(*) AS c, sum(v::float8)::int8 AS s, floor(avg(v::float8))::int8 AS mi, max(v::float8)::int8 AS ma FROM groups_{kind} GROUP BY {k}"
FLOAT_KEYS = ("k100", "k1k", "k10k")
TIMED = "SELECT count(*), sum(c), sum(s), sum(ma - mi) FROM ({inner}) q"
# A group under another's key, or one told twice, changes these.
CHECKED = "SELECT count(*), sum(k::int8 * c), sum(k::int8 * s), sum(k::int8 * mi), sum(k::int8 * ma), sum(c), sum(s) FROM ({inner}) q"


class Duck:
    """DuckDB in memory with all threads, on the rows that suite.sh wrote as CSV."""

    name = "duckdb"

    def __init__(self, folder, kind, columns):
        self.duck = duckdb.connect(":memory:")
        types = ", ".join(f"'{column}': 'INTEGER'" for column in columns)
        files = sorted(glob.glob(os.path.join(folder, f"groups_{kind}.*.csv")))
        self.duck.execute(
            f"CREATE TABLE groups_{kind} AS SELECT * FROM read_csv({files}, header = false, auto_detect = false, columns = {{{types}}})"
        )

    def rows(self, sql):
        return [tuple(str(value) for value in row) for row in self.duck.execute(sql).fetchall()]

    def median(self, sql, args):
        times = []
        while len(times) < args.runs and sum(times) < args.budget:
            start = time.perf_counter()
            self.duck.execute(sql).fetchall()
            times.append((time.perf_counter() - start) * 1000)
        return sorted(times)[(len(times) - 1) // 2]


def compare(answers):
    """What is not as PostgreSQL's answer, or, if that took too long, the first one's that came."""
    known = {name: rows for name, rows in answers.items() if rows is not None}
    if len(known) < 2:
        return "unchecked"
    name, right = next(iter(known.items()))
    wrong = [f"{other} WRONG: {rows[0]} instead of {name}'s {right[0]}" for other, rows in known.items() if rows != right]
    return "; ".join(wrong)


def measure(kind, key, select, args, pg, ours, duck):
    inner = select.format(k=key, kind=kind)
    timed, checked = TIMED.format(inner=inner), CHECKED.format(inner=inner)
    answers, times, notes, seen = {}, {}, [], {}
    answers["pg"], _ = tried(pg.rows, checked)  # these are the warm-ups too
    for other in ours + ([duck] if duck else []):
        answers[other.name], error = tried(other.rows, checked)
        times[other.name] = other.median(timed, args) if answers[other.name] else None
        notes += [f"{other.name}: {error}"] if error else []
    for session in ours:
        if times[session.name] is not None:
            seen[session.name] = facts(session, timed)
            notes += [f"{session.name}: {seen[session.name]['note']}"] if seen[session.name]["note"] else []
    times["pg"], by = pg.best(timed)
    groups = next((rows[0][0] for rows in answers.values() if rows), "-")
    notes += [compare(answers)] if compare(answers) else []
    return groups, times, by, seen.get("gpu", {}), "; ".join(notes)


def main():
    args = arguments(__doc__, csv=("", "folder with the tables as CSV, for DuckDB"), kinds=(" ".join(KINDS), "distributions"))
    more = [("work_mem", "4GB")]
    pg = Postgres(args, more)
    ours = [gpudb("gpu", GPU, args, more), gpudb("cpu", CPU, args, more)]
    if duckdb is None or not args.csv:
        print("no DuckDB: python3 has no module duckdb")
    every = {}
    for kind in args.kinds.split():
        rows, heap = size(ours[0], f"groups_{kind}")
        duck = Duck(args.csv, kind, [*KEYS, "v"]) if duckdb and args.csv else None
        print(f"\n{kind}: {rows:,} rows, {heap / 1e9:.2f} GB; ms")
        table = Table("keys:6", "groups:8", "gpu:8", "GB/s:6", "feeders:7", "build:8", "kernel:8", "cpu:8", "duckdb:8", "PG:8",
                      "by:12", "PG/gpu:7", "PG/cpu:7", "duck/gpu:8", "notes:1")
        for key, select in [(key, INNER) for key in KEYS] + [(key, FLOATS) for key in FLOAT_KEYS]:
            if key == "k1" and kind != "uniform":
                continue  # one group has one distribution
            groups, times, by, seen, notes = measure(kind, key, select, args, pg, ours, duck)
            if select == FLOATS:
                notes = "; ".join(["sums of floats"] + ([notes] if notes else []))
            else:
                every[kind, key] = times
            gpu, theirs = times["gpu"], times["pg"]
            table.row(KEYS[key], groups, ms(gpu), rate(heap, gpu), seen.get("feeders", "-"), ms(seen.get("build")),
                      ms(seen.get("kernel")), ms(times["cpu"]), ms(times.get("duckdb")), ms(theirs), by, ratio(theirs, gpu),
                      ratio(theirs, times["cpu"]), ratio(times.get("duckdb"), gpu), notes)
    print("\nskewed/uniform")
    table = Table("kind:8", "keys:6", "gpu:6", "cpu:6", "duckdb:6", "PG:6")
    for (kind, key), times in every.items():
        even = every.get(("uniform", key))
        if kind != "uniform" and even:
            table.row(kind, KEYS[key], *(ratio(times.get(name), even.get(name)) for name in ("gpu", "cpu", "duckdb", "pg")))


if __name__ == "__main__":
    main()
