#!/usr/bin/env python3
"""Writers beside readers: what gpudb, all its settings at default, takes from the throughput of those who update a cached table.

    test/long/writers.py --seconds 600

pgbench updates rows of a table, as fast as it can, that two sessions query once a second each; by turns these have gpudb switched
on and off.  Tells of the writers' throughput, of what queries took, and of how many tablets were built, and built in vain.
Exit status 1: throughput with gpudb is less than --least of that without.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from session import Session

MAKE = """
DROP TABLE IF EXISTS writers_rows;
CREATE TABLE writers_rows (id int PRIMARY KEY, k int NOT NULL, n numeric(12,2) NOT NULL, d date NOT NULL, w text NOT NULL, filler text);
INSERT INTO writers_rows SELECT i, i % 100, i % 10000 / 4.0, date '2020-01-01' + i % 2000, 'word ' || i % 30, repeat('-', 80) FROM generate_series(1, {rows}) i;
VACUUM ANALYZE writers_rows;
"""
WRITE = r"""
\set id random(1, {rows})
UPDATE writers_rows SET n = n + 1 WHERE id = :id;
"""
QUERIES = [
    "SELECT sum(n), count(*) FROM writers_rows WHERE d < date '2022-01-01' AND k < 50",
    "SELECT w, count(*), sum(n), avg(n) FROM writers_rows GROUP BY w ORDER BY w",
    "SELECT k, max(n), min(d) FROM writers_rows WHERE w LIKE '%7' GROUP BY k ORDER BY k",
]
TABLETS = """SELECT coalesce(sum(rebuilds), 0), coalesce(sum(unused), 0), coalesce(sum(hits), 0) FROM gpudb.cache WHERE relation = 'writers_rows'::regclass"""


class Reader(threading.Thread):
    """Runs a query each second, as long as it is wanted."""

    def __init__(self, enabled, first, stop):
        super().__init__()
        self.session, self.first, self.stop, self.times = Session([("gpudb.enabled", enabled)]), first, stop, []

    def run(self):
        start = time.monotonic()
        turn = self.first
        while not self.stop.is_set():
            began = time.monotonic()
            self.session.value(QUERIES[turn % len(QUERIES)])
            self.times.append(time.monotonic() - began)
            turn += 1
            self.stop.wait(max(0, start + len(self.times) - time.monotonic()))


def write(script, seconds, clients):
    """Transactions a second of pgbench."""
    command = [os.path.join(os.environ.get("PGBIN", ""), "pgbench"), "-n", "-f", script, "-c", str(clients), "-j", "1", "-T", str(seconds), "-M", "prepared"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"tps = ([0-9.]+) \(without", out).group(1))


def run_turn(enabled, script, seconds, clients):
    """Throughput, and what the queries took, in one turn."""
    stop = threading.Event()
    readers = [Reader(enabled, first, stop) for first in range(2)]
    for reader in readers:
        reader.start()
    try:
        tps = write(script, seconds, clients)
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    return tps, [t for reader in readers for t in reader.times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--turn", type=int, default=30, help="seconds with gpudb, or without")
    parser.add_argument("--rows", type=int, default=2000000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.95)
    arguments = parser.parse_args()
    session = Session()
    session.each(MAKE.format(rows=arguments.rows))
    found = {"on": ([], []), "off": ([], [])}
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(WRITE.format(rows=arguments.rows))
        script.flush()
        for turn in range(max(2, arguments.seconds // arguments.turn)):
            # on, off, off, on, ...: what grows or ages meets both alike
            enabled = "on" if turn % 4 in (0, 3) else "off"
            tps, times = run_turn(enabled, script.name, arguments.turn, arguments.clients)
            found[enabled][0].append(tps)
            found[enabled][1].extend(times)
            print(f"gpudb {enabled:3}  {tps:8.0f} transactions/s, {len(times)} queries, median {statistics.median(times) * 1000:.0f} ms", flush=True)
    means = {enabled: statistics.mean(tps) for enabled, (tps, _) in found.items()}
    for enabled, (tps, times) in found.items():
        print(f"gpudb {enabled:3}  mean {means[enabled]:.0f} transactions/s ({min(tps):.0f} to {max(tps):.0f}); {len(times)} queries, "
              f"median {statistics.median(times) * 1000:.0f} ms, mean {statistics.mean(times) * 1000:.0f} ms")
    rebuilds, unused, hits = session.table(TABLETS).rows[0]
    print(f"tablets replaced {rebuilds} times, of these {unused} in vain; used {hits} times")
    print(f"throughput with gpudb: {means['on'] / means['off']:.3f} of that without")
    session.value("DROP TABLE writers_rows")
    return means["on"] < arguments.least * means["off"]


sys.exit(main())
