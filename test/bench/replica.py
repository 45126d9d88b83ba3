#!/usr/bin/env python3
"""A suite on a streaming replica beside its primary, in rounds of fresh sessions.

  test/bench/replica.py --primary DSN --replica DSN [--suite ssb] [--rounds 4] [--pause 10]

Both servers run, the suite's tables are there, and neither has cached columns: `pg_basebackup -R` makes a replica.  One server
answers at a time.  A round tells how much longer the replica took, as a geometric mean over the queries.
Exit status 1: an answer differs.
"""

import argparse
import sys
import time

import bench
import report
from libpq import Connection


def run_round(dsn, queries, timeout):
    """{query: seconds} of one run of each, in order, in a session of its own."""
    connection = Connection(dsn, [("statement_timeout", f"{timeout}s")])
    times = {query.name: connection.time(query.sql)[0] for query in queries}
    connection.close()
    return times


def answers(dsn, queries):
    connection = Connection(dsn)
    rows = {query.name: sorted(map(str, connection.table(query.sql).rows)) for query in queries}
    hits = connection.value("SELECT coalesce(sum(hits), 0) FROM gpudb.cache")
    connection.close()
    return rows, hits


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--primary", required=True, help="libpq connection string")
    parser.add_argument("--replica", required=True, help="the replica's")
    parser.add_argument("--suite", default="ssb", help="a suite of run.sh (ssb)")
    parser.add_argument("--rounds", type=int, default=4, help="rounds (4)")
    parser.add_argument("--pause", type=float, default=10, help="seconds behind each server's part of a round (10)")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one query (60)")
    parser.set_defaults(only=None, all=False)
    arguments = parser.parse_args()

    servers = {"primary": arguments.primary, "replica": arguments.replica}
    plain = {name: Connection(dsn, [("gpudb.enabled", "off")]) for name, dsn in servers.items()}
    if plain["replica"].value("SELECT pg_is_in_recovery()") != "t":
        parser.error("the replica is none")
    queries = bench.load_queries(plain["primary"], arguments.suite, arguments)
    bench.prewarm(plain["primary"], [arguments.suite])
    # the extension that this may have created is to be there, too
    time.sleep(1)
    bench.prewarm(plain["replica"], [arguments.suite])
    for number in range(1, arguments.rounds + 1):
        times = {}
        for name, dsn in servers.items():
            times[name] = run_round(dsn, queries, arguments.timeout)
            time.sleep(arguments.pause)
        ratio = report.geometric_mean([times["replica"][query.name] / times["primary"][query.name] for query in queries])
        means = ", ".join(f"{name} {1000 * report.geometric_mean(list(of.values())):.1f} ms" for name, of in times.items())
        print(f"round {number}: {ratio:.2f} ({means})", flush=True)
    theirs, _ = answers(arguments.primary, queries)
    ours, hits = answers(arguments.replica, queries)
    different = [name for name in theirs if theirs[name] != ours[name]]
    print(f"answers that differ: {' '.join(different) or 'none'}; the replica found cached tablets {hits} times")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
