#!/usr/bin/env python3
"""Cached tablets under writes: the same query with and without gpudb in one snapshot, beside writers, VACUUM and DDL.

    test/long/tablets.py --seconds 600 --writers 8 --readers 4
    test/long/tablets.py --standby "host=/tmp/standby"     readers ask a standby, on the CPU device

Wants a server with a pool, small enough to evict, and a busy autovacuum.  Exit status 1: a pair of answers that differ, too
few pairs, too few that used the cache, or memory that grows.
"""

import argparse
import random
import threading
import time

from session import MB, ServerError, Session

TABLES = 4
# about 100, 300, 1,000 and 3,500 pages: a part of a tablet, and more than one; the texts of u are too many bytes for a dictionary in the last table
ROWS = [2000, 6000, 20000, 70000]
MAKE = """
DROP TABLE IF EXISTS tablets_{t};
CREATE TABLE tablets_{t} (id int NOT NULL, k int, n numeric(12,2), f float8, m bigint, filler text, w text DEFAULT 'word', u text DEFAULT 'u') WITH (fillfactor = 90, parallel_workers = 2);
INSERT INTO tablets_{t} SELECT i, i % 9, i % 700 / 4.0, i % 1000, nullif(i % 5, 0) * i, repeat('-', 200), CASE WHEN i % 13 > 0 THEN 'w' || i % 30 END, repeat(md5(i::text), 4)
    FROM generate_series(1, {rows}) i;
VACUUM ANALYZE tablets_{t};
"""
QUERIES = [
    "SELECT count(*), sum(id), sum(n) FROM tablets_{t}",
    "SELECT count(*), sum(m), min(m), max(m), count(m) FROM tablets_{t}",
    "SELECT sum(n), max(f), count(*) FROM tablets_{t} WHERE k < 4",
    "SELECT k, count(*), sum(n), min(id) FROM tablets_{t} GROUP BY k",
    "SELECT count(*), sum(id) FROM tablets_{t} WHERE m IS NULL OR f > 500",
    "SELECT count(*), sum(n) FROM tablets_{t} WHERE id < {id}",
    "SELECT count(*), sum(m) FROM tablets_{t} WHERE id > {id} AND k <> 3",
    "SELECT id, n, m, f FROM tablets_{t} WHERE k = 5 AND id % 7 < 2",
    "SELECT m FROM tablets_{t} WHERE id > {id} AND f < 300",
    "SELECT w, count(*), sum(id) FROM tablets_{t} GROUP BY w",
    "SELECT count(*), sum(n), count(w) FROM tablets_{t} WHERE w ~ '[2-5]$' AND k < 7",
    "SELECT id, w FROM tablets_{t} WHERE w LIKE 'w1%' AND k < 3 OR w IS NULL AND k = 2 OR upper(w) > 'W{id}'",
    "SELECT id, u FROM tablets_{t} WHERE k = 4 AND id % 11 < 2",
    "SELECT u, w FROM tablets_{t} WHERE u LIKE '%7f%' AND id > {id}",
    "SELECT ctid, t FROM tablets_{t} t WHERE k = 6 AND id % 17 < 2",
    "SELECT ctid, tableoid, id, u FROM tablets_{t} WHERE f < 30 AND id > {id}",
]
# most of them change few rows; {id} is one of the table's
WRITES = [
    "UPDATE tablets_{t} SET n = n + 1 WHERE id = {id}",
    "UPDATE tablets_{t} SET k = (k + 1) % 9, m = {id} WHERE id BETWEEN {id} AND {id} + 3",
    "DELETE FROM tablets_{t} WHERE id = {id}",
    "INSERT INTO tablets_{t} VALUES ({id}, 1, 2.5, 3, NULL, repeat('-', 200))",
    "INSERT INTO tablets_{t} SELECT {id} + i, i % 9, i, i, i, 'few' FROM generate_series(1, 5) i",
    "SELECT FROM tablets_{t} WHERE id = {id} FOR UPDATE",
    "SELECT FROM tablets_{t} WHERE id = {id} FOR KEY SHARE",
    "UPDATE tablets_{t} SET w = 'w' || id % 40 WHERE id BETWEEN {id} AND {id} + 3",
    "UPDATE tablets_{t} SET w = 'new ' || {id} WHERE id % 900 = {id} % 900",
    "UPDATE tablets_{t} SET f = -f WHERE id % 500 = {id} % 500",
    "UPDATE tablets_{t} SET u = repeat(md5('{id}'), 5) WHERE id BETWEEN {id} AND {id} + 3",
]
# each its own transaction; {id} makes names differ
CHANGES = [
    "VACUUM tablets_{t}", "VACUUM (FREEZE) tablets_{t}", "VACUUM tablets_{t}", "VACUUM (INDEX_CLEANUP off) tablets_{t}",
    "ALTER TABLE tablets_{t} ADD COLUMN added int DEFAULT {id}; ALTER TABLE tablets_{t} DROP COLUMN added",
    "BEGIN; ALTER TABLE tablets_{t} ADD COLUMN added int DEFAULT {id}; UPDATE tablets_{t} SET n = 0 WHERE id < 100; ROLLBACK",
    "ALTER TABLE tablets_{t} ALTER k TYPE bigint; ALTER TABLE tablets_{t} ALTER k TYPE int",
    "ALTER TABLE tablets_{t} ALTER w TYPE varchar(60) COLLATE \"C\"; ALTER TABLE tablets_{t} ALTER w TYPE text",
    "BEGIN; ALTER TABLE tablets_{t} ADD COLUMN added text DEFAULT 'w{id}'; UPDATE tablets_{t} SET added = 'w1' WHERE id < 100; ROLLBACK",
    "BEGIN; TRUNCATE tablets_{t}; ROLLBACK", "BEGIN; TRUNCATE tablets_{t}; INSERT INTO tablets_{t} SELECT i FROM generate_series(1, 100) i; ROLLBACK",
    "VACUUM FULL tablets_{t}",
    "CREATE INDEX tablets_{t}_n ON tablets_{t} (n); CLUSTER tablets_{t} USING tablets_{t}_n; DROP INDEX tablets_{t}_n",
    "BEGIN; UPDATE tablets_{t} SET n = n + 1 WHERE id % 50 = 0; PREPARE TRANSACTION 'tablets_{t}'; COMMIT PREPARED 'tablets_{t}'",
    MAKE,
]
BUSY = {"55P03", "40P01", "40001", "42P01", "57014", "42704", "XX000", "42710", "42P07"}  # locks, and what DDL leaves to others


class Worker(threading.Thread):
    def __init__(self, seed, end, settings=(), server=""):
        super().__init__()
        self.random, self.end, self.failure = random.Random(seed), end, None
        self.session = Session([("lock_timeout", "2s"), *settings], server=server)

    def text(self, choices):
        t = self.random.randrange(TABLES)
        return self.random.choice(choices).format(t=t, id=self.random.randint(1, ROWS[t]), rows=ROWS[t])

    def attempt(self, work):
        """False if it failed for a reason that others give."""
        try:
            work()
            return True
        except ServerError as error:
            if error.sqlstate not in BUSY or (error.sqlstate == "XX000" and "concurrently updated" not in str(error)):
                raise
            self.session.table("ROLLBACK")
            return False

    def run(self):
        try:
            while time.monotonic() < self.end and self.failure is None:
                self.turn()
        except Exception as error:  # noqa: BLE001: whatever it was, the main thread tells
            self.failure = error


class Writer(Worker):
    def turn(self):
        def work():
            self.session.table("BEGIN")
            for _ in range(self.random.randint(1, 3)):
                self.session.table(self.text(WRITES))
                if self.random.random() < 0.1:
                    self.session.each("SAVEPOINT s; " + self.text(WRITES) + "; ROLLBACK TO s")
            self.session.table("ROLLBACK" if self.random.random() < 0.2 else "COMMIT")

        self.attempt(work)
        time.sleep(self.random.random() * 0.2)


class Changer(Worker):
    def turn(self):
        self.attempt(lambda: self.session.each(self.text(CHANGES)))
        time.sleep(self.random.random() * 0.6)


class Reader(Worker):
    """On the CPU device, on the GPU, and there with feeders, in turns."""

    def __init__(self, number, seed, end, standby):
        device, feeders = ("cpu", 0) if number % 2 == 0 or standby else ("gpu", number // 2 % 2 * 2)
        super().__init__(seed, end, [("gpudb.force", "on"), ("gpudb.device", device), ("max_parallel_workers_per_gather", feeders), ("jit", "off")], standby)
        self.pairs = self.different = self.looked = self.found = self.masked = self.on_gpu = self.fed = 0

    def answer(self, query, enabled):
        self.session.table(f"SET LOCAL gpudb.enabled = {enabled}")
        return sorted(self.session.table(query).rows, key=str)

    def turn(self):
        query = self.text(QUERIES)
        order = self.random.choice((("on", "off"), ("off", "on")))

        def work():
            self.session.table("BEGIN ISOLATION LEVEL REPEATABLE READ")
            if self.random.random() < 0.3:
                self.session.value("SELECT 1")
                time.sleep(self.random.random() * 0.05)
            first, second = (self.answer(query, enabled) for enabled in order)
            self.session.table("COMMIT")
            self.pairs += 1
            if first != second:
                self.different += 1
                print(f"{query}: {dict(zip(order, (first, second)))}")

        if self.attempt(work) and self.pairs % 20 == 0:
            self.attempt(lambda: self.look(query))

    def look(self, query):
        plan = "\n".join(row[0] for row in self.session.table(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {query}").rows)
        self.looked += 1
        self.found += "Tablets Cached" in plan
        self.masked += "Cached Blocks Reread" in plan
        self.on_gpu += "Device: gpu" in plan
        self.fed += "Feeders" in plan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--standby", default="", help="how to connect to it")
    options = parser.parse_args()
    session = Session()
    for t in range(TABLES):
        session.each(MAKE.format(t=t, rows=ROWS[t]))
    begin = time.monotonic()
    end = begin + options.seconds
    readers = [Reader(i, options.seed * 1000 + i, end, options.standby) for i in range(options.readers)]
    others = [(Changer if i == 0 else Writer)(options.seed * 1000 + 100 + i, end) for i in range(options.writers + 1)]
    for worker in readers + others:
        worker.start()
    time.sleep(options.seconds / 4)
    early = [reader.session.private_bytes() for reader in readers]
    for worker in readers + others:
        worker.join()
    late = [reader.session.private_bytes() for reader in readers]
    told = ("pairs", "different", "looked", "found", "masked", "on_gpu", "fed")
    pairs, different, looked, found, masked, on_gpu, fed = (sum(getattr(r, what) for r in readers) for what in told)
    growth = max(b - a for a, b in zip(early, late)) / MB
    print(f"{pairs} pairs, {different} differ; of {looked} plans {found} found tablets and {masked} parts of them, {on_gpu} ran on the GPU, {fed} with feeders; "
          f"memory of a reader grew by {growth:.1f} MB at most after a quarter of {options.seconds:.0f} s")
    failures = [worker.failure for worker in readers + others if worker.failure is not None]
    for failure in failures:
        print(f"failed: {failure}")
    for t in range(TABLES):
        session.each(f"DROP TABLE tablets_{t}")
    return int(bool(failures) or different > 0 or pairs < 30 * options.seconds or found < looked / 10 or (not options.standby and on_gpu < looked / 10) or growth > 8)


if __name__ == "__main__":
    raise SystemExit(main())
