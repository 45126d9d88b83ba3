#!/usr/bin/env python3
"""Q6 and Q1 of TPC-H over cached columns: gpudb on the GPU and on the CPU, PostgreSQL, DuckDB.

First the queries that find nothing cached: over pages alone, and leaving columns behind, which the next one finds.  Then
the CPU device has left them behind.  The GPU's first run copies them into its memory; what counts are the following ones,
from when a session sends the query until it has the answer.  With --updates the table is changed at random afterwards, and
what a query takes then is told relative to that: the first one, and later ones.
"""

import os
import statistics
import time

from measure import CPU, GPU, HERE, Connection, Postgres, Table, arguments, facts, gpudb, ms, ratio, size

try:
    import duckdb
except ImportError:
    duckdb = None

BENCH = os.path.dirname(HERE)
RUNS = 40
FIRST_RUNS = 5
COLUMNS = {"q06": ["l_shipdate", "l_quantity", "l_discount", "l_extendedprice"],
           "q01": ["l_shipdate", "l_quantity", "l_discount", "l_extendedprice", "l_tax", "l_returnflag", "l_linestatus"]}
# no parallel plan is wanted around what the GPU does alone
ALONE = [("max_parallel_workers_per_gather", 0)]


def load(name):
    with open(os.path.join(BENCH, "tpch_queries", name + ".sql")) as file:
        return file.read().strip().rstrip(";")


def warm(session, sql):
    """Medians and the slowest tenth of many short runs."""
    times = sorted(session.run(sql) for _ in range(RUNS))
    return statistics.median(times), times[RUNS * 9 // 10]


def duck_median(duck, sql):
    times = []
    for _ in range(RUNS // 4 + 1):
        start = time.perf_counter()
        duck.execute(sql).fetchall()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[1:])


def bytes_per_row(session, names):
    wanted = ", ".join(f"'{name}'" for name in names)
    return float(session.value(f"SELECT sum(bytes)::float8 / max(n) FROM gpudb.tablets, (SELECT sum(rows) AS n FROM gpudb.tablets "
                               f"WHERE column_name = '{names[0]}') s WHERE column_name IN ({wanted})"))


def leave_behind(cpu, sql):
    """Until nothing is read from pages any more."""
    for _ in range(5):
        cpu.run(sql)


def first_ones(session, sql):
    """Medians of queries over pages alone, of those that leave columns behind, and of the next ones."""
    session.run(sql)  # pages are where they will be
    times = ([], [], [])
    for _ in range(FIRST_RUNS):
        session.value("SET gpudb.cache = off")
        times[0].append(session.run(sql))
        session.value("RESET gpudb.cache")
        session.value("SELECT gpudb.evict('lineitem')")
        times[1].append(session.run(sql))
        times[2].append(session.run(sql))
    return [statistics.median(each) for each in times]


def measure_first(sessions):
    table = Table("query:6", "device:14", "pages:9", "leaving:9", "x:6", "next:9")
    for name in COLUMNS:
        for session in sessions:
            pages, leaving, following = first_ones(session, load(name))
            table.row(name, session.name, ms(pages), ms(leaving), ratio(leaving, pages), ms(following))


def measure_query(name, sql, gpu, cpu, pg, duck, table):
    right = pg.rows(sql)
    leave_behind(cpu, sql)
    first = gpu.run(sql)
    median, slow = warm(gpu, sql)
    found = facts(gpu, sql)
    right = cpu.rows(sql) if right is None else right  # PostgreSQL took too long
    notes = [] if gpu.rows(sql) == right else ["WRONG"]
    notes += [found["note"]] if found["note"] else []
    cpu_median, _ = warm(cpu, sql)
    theirs, by = pg.best(sql)
    ducks = duck_median(duck, sql) if duck else None
    table.row(name, ms(first), ms(median), ms(slow), ms(found.get("pass")), ms(found.get("kernel")), ms(cpu_median), ms(theirs), by, ms(ducks),
              ratio(theirs, median), ratio(ducks, median), f"{bytes_per_row(gpu, COLUMNS[name]):.1f}", "; ".join(notes))
    return {"gpu": median, "cpu": cpu_median}


def update(part, jobs):
    """Update so large a part of the rows, wherever they are, by several sessions."""
    sessions = [Connection("", [("synchronous_commit", "off"), ("gpudb.enabled", "off")]) for _ in range(jobs)]
    pages = int(sessions[0].value("SELECT pg_relation_size('lineitem') / 8192"))
    start = time.monotonic()
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # only here

    def run(number):
        low, high = pages * number // jobs, pages * (number + 1) // jobs
        sessions[number].value(f"WITH u AS (UPDATE lineitem SET l_quantity = l_quantity WHERE ctid >= '({low},0)' AND "
                               f"ctid < '({high},0)' AND random() < {part} RETURNING 1) SELECT count(*) FROM u")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, range(jobs)))
    return time.monotonic() - start


def measure_updates(sql, sessions, base, pg, jobs):
    table = Table("updated:8", "device:6", "first:9", "later:9", "x:6", "vacuumed:9", "later:9", "x:6", "notes:1")
    for part in (0.001, 0.01, 0.1):
        update(part, jobs)
        after = {session.name: (session.run(sql), warm(session, sql)[0]) for session in sessions}
        notes = [] if all(session.rows(sql) == pg.rows(sql) for session in sessions) else ["WRONG"]
        Connection("").value("VACUUM lineitem")
        for session in sessions:
            first, later = after[session.name]
            vacuumed, quiescent = session.run(sql), warm(session, sql)[0]
            table.row(f"{part:.1%}", session.name, ms(first), ms(later), ratio(later, base[session.name]), ms(vacuumed), ms(quiescent),
                      ratio(quiescent, base[session.name]), "; ".join(notes))


def main():
    args = arguments(__doc__, parquet=("", "lineitem as a Parquet file, for DuckDB"), first=(0, "1: only what the first queries pay"),
                     updates=(0, "1: change the table afterwards"), jobs=(8, "sessions that change it"))
    gpu, cpu, pg = gpudb("gpu", GPU, args, ALONE), gpudb("cpu", CPU, args, ALONE), Postgres(args, serial=False)
    rows, heap = size(gpu, "lineitem")
    duck = None
    if duckdb and args.parquet:
        duck = duckdb.connect(":memory:")
        duck.execute(f"CREATE TABLE lineitem AS SELECT {', '.join(COLUMNS['q01'])} FROM read_parquet('{args.parquet}')")
    print(f"\n{rows:,} rows, {heap / 1e9:.2f} GB of heap, {heap / max(rows, 1):.0f} bytes a row; ms")
    measure_first([gpudb("gpu", GPU, args), gpudb("gpu, alone", GPU, args, ALONE), cpu])
    if args.first:
        return
    table = Table("query:6", "gpu first:9", "gpu:8", "p90:8", "pass:8", "kernel:8", "cpu:8", "PG:8", "by:10", "duckdb:8", "PG/gpu:7",
                  "duck/gpu:8", "B/row:6", "notes:1")
    base = {}
    for name in COLUMNS:
        base[name] = measure_query(name, load(name), gpu, cpu, pg, duck, table)
    print("columns on the GPU:", gpu.value("SELECT pg_size_pretty(sum(cached)) FROM gpudb.devices"))
    if args.updates:
        print("\nq06 after updates; x: relative to before")
        measure_updates(load("q06"), [gpu, cpu], base["q06"], pg, args.jobs)


if __name__ == "__main__":
    main()
