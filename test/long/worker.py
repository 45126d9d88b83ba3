#!/usr/bin/env python3
"""What the background worker that builds columns takes, while one session reads and another one updates.

    test/long/worker.py --minutes 60

TPC-H is there in the database that PGHOST and its like name; the server is on this machine, and belongs to us, or we are root.
Each minute tells what the workers so far have taken of the processors, and the most memory that one had of its own.
"""

import argparse
import os
import pathlib
import random
import threading
import time

from session import MB, Connection, ServerError, children_of, private_bytes

import bench  # session.py has told where that is

TICKS = os.sysconf("SC_CLK_TCK")
WORKER = "gpudb prewarm"


class Load:
    """The two sessions, and what they have done."""

    def __init__(self, end):
        self.end = end
        self.queries = self.cancelled = self.updates = 0
        for session in (self.read, self.update):
            threading.Thread(target=session, daemon=True).start()

    def read(self):
        connection = Connection("", [("statement_timeout", "20s")])
        known, choice = bench.load_queries(None, "tpch", argparse.Namespace(only=None, all=False)), random.Random(1)
        while time.time() < self.end:
            try:
                connection.time(choice.choice(known).sql)
                self.queries += 1
            except ServerError:
                self.cancelled += 1
            time.sleep(1)

    def update(self):
        connection = Connection("", [])
        most = int(connection.value("SELECT max(o_orderkey) FROM orders"))
        choice = random.Random(2)
        while time.time() < self.end:
            low = choice.randrange(1, most)
            connection.table(f"UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey BETWEEN {low} AND {low + 400}")
            connection.table(f"UPDATE lineitem SET l_tax = l_tax WHERE l_orderkey BETWEEN {low} AND {low + 40}")
            self.updates += 1
            time.sleep(2)


class Workers:
    """CPU seconds and most private memory of each worker of a server, by process id."""

    def __init__(self, postmaster):
        self.postmaster, self.cpu, self.memory = postmaster, {}, {}

    def look(self):
        for pid in children_of(self.postmaster, WORKER):
            try:
                self.look_at(pid)
            except (OSError, IndexError, RuntimeError):
                pass  # it has ended

    def look_at(self, pid):
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        self.cpu[pid] = (int(stat[11]) + int(stat[12])) / TICKS
        self.memory[pid] = max(self.memory.get(pid, 0), private_bytes(pid))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="how long (60)")
    arguments = parser.parse_args()
    start = time.time()
    end = start + 60 * arguments.minutes
    plain = Connection("", [("gpudb.enabled", "off")])
    data = pathlib.Path(plain.value("SHOW data_directory"))
    workers = Workers((data / "postmaster.pid").read_text().split()[0])
    load, minute = Load(end), 1
    while time.time() < end:
        workers.look()
        if time.time() - start >= 60 * minute:
            cached = int(plain.value("SELECT coalesce(sum(bytes), 0) FROM gpudb.cache")) // MB
            print(
                f"minute {minute}: {load.queries} queries, {load.cancelled} cancelled, {load.updates} updates; {len(workers.cpu)} workers, "
                f"{sum(workers.cpu.values()):.1f} s of a processor, at most {max(workers.memory.values(), default=0) / MB:.1f} MB; "
                f"columns {cached} MB",
                flush=True,
            )
            minute += 1
        time.sleep(0.2)


if __name__ == "__main__":
    main()
