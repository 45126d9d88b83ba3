#!/usr/bin/env python3
"""Planning times and memory, with gpudb and without: a table for docs/benchmarks.md.

  test/bench/planning.py [--rows N] [--runs N] [--suite FOLDER] [--cursors]

It makes its tables in a schema of its own, which it drops again, in the database that PGHOST and its like name: chains of
joined tables, 1,000 partitions, and one table for a point query.  --suite plans the queries of a folder, such as
tpch_queries, over tables that are there; --cursors plans a cursor for each query.  A time is the least of several runs, as
EXPLAIN tells it; memory is by how much planning once raises the peak of a new backend's resident memory, from /proc.
"""

import argparse
import pathlib
import re
import sys

from libpq import Connection, ServerError

CHAINS = (2, 8, 14, 20, 30, 45)
PARTITIONS = 1000
SCHEMA = "gpudb_planning"


def chain(n):
    joins = " ".join(f"JOIN chain_{i} t{i} ON t{i}.id = t{i - 1}.v" for i in range(2, n + 1))
    return f"SELECT count(*), sum(t{n}.v) FROM chain_1 t1 {joins}"


def make_tables(connection, rows):
    connection.table(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    connection.table(f"CREATE SCHEMA {SCHEMA}")
    connection.table(f"SET search_path = {SCHEMA}")
    for i in range(1, max(CHAINS) + 1):
        connection.table(f"CREATE TABLE chain_{i} AS SELECT g AS id, (g * 7) % {rows} + 1 AS v FROM generate_series(1, {rows}) g")
        connection.table(f"ANALYZE chain_{i}")
    connection.table("CREATE TABLE parts (id int, v int) PARTITION BY RANGE (id)")
    connection.table(f"""DO $$ BEGIN FOR i IN 0..{PARTITIONS - 1} LOOP
        EXECUTE format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES FROM (%s) TO (%s)', i, i * 100, i * 100 + 100);
        END LOOP; END $$""")
    connection.table(f"INSERT INTO parts SELECT g, g % 7 FROM generate_series(0, {PARTITIONS * 100 - 1}) g")
    connection.table("ANALYZE parts")
    connection.table("CREATE TABLE points AS SELECT g AS id, g % 1000 AS v FROM generate_series(1, 200000) g")
    connection.table("ALTER TABLE points ADD PRIMARY KEY (id)")
    connection.table("ANALYZE points")


def own_queries():
    for n in CHAINS:
        yield f"{n} tables", chain(n)
    yield f"{PARTITIONS} partitions, sum", "SELECT v, sum(id) FROM parts GROUP BY v"
    yield f"{PARTITIONS} partitions, rows", "SELECT * FROM parts WHERE v = 9"
    yield "point query", "SELECT * FROM points WHERE id = 4711"
    yield "small range", "SELECT sum(v) FROM points WHERE id BETWEEN 10 AND 20"


def suite_queries(folder):
    for path in sorted(pathlib.Path(folder).glob("*.sql")):
        yield path.stem, path.read_text().strip().rstrip(";")


def explain(connection, sql):
    rows = connection.table("EXPLAIN (SUMMARY ON, COSTS OFF) " + sql).rows
    lines = [row[0] for row in rows]
    time = next(float(line.split()[2]) for line in lines if line.strip().startswith("Planning Time"))
    return time, any(re.search(r"\(Gpu\w+\)", line) for line in lines)


def resident_peak(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024


def memory_of(settings, sql):
    """Megabytes by which planning a query for the first time raises a backend's peak."""
    connection = Connection("", settings)
    try:
        pid = int(connection.table("SELECT pg_backend_pid()").rows[0][0])
        before = resident_peak(pid)
        explain(connection, sql)
        return resident_peak(pid) - before
    finally:
        connection.close()


def measure(all_settings, sql, runs):
    """For each list of settings the least planning time of so many runs, in turns, and whether the plan has gpudb nodes."""
    connections = [Connection("", settings) for settings in all_settings]
    try:
        results = [[explain(connection, sql) for connection in connections] for _ in range(runs)]
    finally:
        for connection in connections:
            connection.close()
    return [(min(time for time, _ in column), column[-1][1]) for column in zip(*results)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20000, help="rows of each table of a chain (default 20000)")
    parser.add_argument("--runs", type=int, default=20, help="times that each query is planned (default 20)")
    parser.add_argument("--suite", help="plan the queries of this folder instead")
    parser.add_argument("--cursors", action="store_true", help="plan each query as DECLARE CURSOR does")
    args = parser.parse_args()
    path = [] if args.suite else [("search_path", SCHEMA)]
    setup = Connection("")
    if not args.suite:
        make_tables(setup, args.rows)
    print("| query | PostgreSQL ms | gpudb ms | times | node | PostgreSQL MB | gpudb MB | within |")
    print("|---|---|---|---|---|---|---|---|")
    bad = 0
    for name, sql in suite_queries(args.suite) if args.suite else own_queries():
        if args.cursors:
            sql = f"DECLARE c CURSOR FOR {sql}"
        try:
            (plain, _), (ours, has_node) = measure([[("gpudb.enabled", "off")] + path, path], sql, args.runs)
            within = ours <= (2 * plain + 0.1 if has_node else 1.25 * plain)
            bad += not within
            print(f"| {name} | {plain:.3f} | {ours:.3f} | {ours / plain:.2f} | {'yes' if has_node else 'no'} | "
                  f"{memory_of([('gpudb.enabled', 'off')] + path, sql):.1f} | {memory_of(path, sql):.1f} | {'yes' if within else 'NO'} |", flush=True)
        except ServerError as error:
            print(f"| {name} | {error} |")
    if not args.suite:
        setup.table(f"DROP SCHEMA {SCHEMA} CASCADE")
    setup.close()
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
