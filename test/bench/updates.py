#!/usr/bin/env python3
"""The first query after an update of many rows, with gpudb and by PostgreSQL alone.

  test/bench/updates.py [--shares 0.1,1,10] [--queries q06,q12] [--jobs N]

TPC-H is there in the database that PGHOST and its like name.  For each share, in per cent of lineitem's rows: the query runs
until its columns are cached, the rows are updated, and the query runs with gpudb; beside it PostgreSQL runs the query
after another update of as many rows, since whoever reads changed pages first leaves them in order for who comes next.
--jobs sessions update at a time.  lineitem keeps its values, but not its size: VACUUM FULL or load it again afterwards.
"""

import argparse
import threading
import time

import bench
from libpq import Connection

WARM_UPS = 3


def update_part(low, high, modulus, rest):
    connection = Connection("", [("gpudb.enabled", "off")])
    connection.table(
        f"UPDATE lineitem SET l_tax = l_tax WHERE l_orderkey > {low} AND l_orderkey <= {high} AND l_orderkey % {modulus} = {rest}"
    )
    connection.close()


class Updates:
    """Each update takes the rows of other orders than the one before."""

    def __init__(self, jobs):
        self.jobs, self.rest = jobs, 0
        connection = Connection("", [("gpudb.enabled", "off")])
        self.most = int(connection.value("SELECT max(l_orderkey) FROM lineitem"))
        connection.close()

    def run(self, share):
        modulus = round(100 / share)
        self.rest += 1
        bounds = [self.most * job // self.jobs for job in range(self.jobs + 1)]
        parts = [(low, high, modulus, self.rest % modulus) for low, high in zip(bounds, bounds[1:])]
        threads = [threading.Thread(target=update_part, args=part) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def first_run(query, enabled):
    """Milliseconds of the query in a session of its own."""
    connection = Connection("", [("gpudb.enabled", enabled)])
    connection.value("SELECT 1")
    seconds, _ = connection.time(query)
    connection.close()
    return seconds * 1000


def warm_up(query):
    for _ in range(WARM_UPS):
        first_run(query, "on")
    time.sleep(1)


def measure(query, share, updates):
    warm_up(query.sql)
    updates.run(share)
    theirs = first_run(query.sql, "off")
    warm_up(query.sql)
    updates.run(share)
    ours = first_run(query.sql, "on")
    again = first_run(query.sql, "on")
    print(f"{query.name} after {share:g} %: gpudb {ours:.1f} ms (again {again:.1f}), PostgreSQL {theirs:.1f}: {ours / theirs:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shares", default="0.1,1,10", help="per cent of the rows, with commas (0.1,1,10)")
    parser.add_argument("--queries", dest="only", default="q06,q12", help="queries of TPC-H, with commas (q06,q12)")
    parser.add_argument("--jobs", type=int, default=1, help="sessions that update at a time (1)")
    arguments = parser.parse_args()
    queries = bench.load_queries(None, "tpch", arguments)
    if len(queries) != len(arguments.only.split(",")):
        parser.error(f"not all of {arguments.only} are queries of TPC-H")
    updates = Updates(arguments.jobs)
    for query in queries:
        for share in arguments.shares.split(","):
            measure(query, float(share), updates)


if __name__ == "__main__":
    main()
