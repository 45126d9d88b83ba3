#!/usr/bin/env python3
"""Cancel queries at random moments: how long until the session answers again, and whether it answers rightly.

    test/long/cancel.py --count 1000 --seed 1
    test/long/cancel.py --cached        of a server with a pool: whether columns are cached as before, too

Half by pg_cancel_backend() from another session, half by statement_timeout.
Exit status 1: p99 above --limit, or a session that was not as good as before.
"""

import argparse
import random
import threading
import time
from collections import defaultdict

from session import ServerError, Session

TABLES = """
DROP TABLE IF EXISTS cancel_rows, cancel_long;
CREATE TABLE cancel_rows (id int NOT NULL, k int, n numeric(12,2), f float8, t text COLLATE "C", d date);
INSERT INTO cancel_rows
SELECT i, i % 10, i % 1000 / 4.0, i / 8.0, repeat('text ', 6) || i, date '2000-01-01' + i % 5000 FROM generate_series(1, 1500000) i;
CREATE TABLE cancel_long (id int NOT NULL, t text COLLATE "C");
ALTER TABLE cancel_long ALTER t SET STORAGE EXTERNAL;
INSERT INTO cancel_long SELECT i, repeat(md5(i::text), 200) FROM generate_series(1, 20000) i;
VACUUM ANALYZE cancel_rows, cancel_long;
"""

# each spends its time elsewhere: filters, wide arithmetic, groups and their merging, text heaps, TOAST, rows out, loops, building columns
QUERIES = [
    "SELECT count(*) FROM cancel_rows WHERE t LIKE '%e%x%t%9%9%_7%' OR t LIKE '%5%4%3%2%1%'",
    "SELECT sum(n * n), avg(n * 1.05), stddev(n), max(f), count(*) FILTER (WHERE f > 7) FROM cancel_rows",
    "SELECT count(*) FROM (SELECT id, count(*), sum(n) FROM cancel_rows GROUP BY id OFFSET 0) s",
    "SELECT count(*) FROM (SELECT t, count(*) FROM cancel_rows GROUP BY t OFFSET 0) s",
    "SELECT k, d, max(t), min(t) FROM cancel_rows GROUP BY k, d ORDER BY 3 LIMIT 1",
    "SELECT count(*), max(t) FROM cancel_long WHERE t LIKE '%abcde%'",
    "SELECT count(*) FROM (SELECT t FROM cancel_rows WHERE k < 9 OFFSET 0) s",
    "SELECT t FROM cancel_rows WHERE n > 100 ORDER BY f DESC LIMIT 5",
    "SELECT (SELECT sum(n) FROM cancel_rows r WHERE r.k = o.k AND r.id > o.k) FROM generate_series(1, 8) o(k)",
    "SELECT count(*) FROM cancel_rows WHERE n > (SELECT avg(n) FROM cancel_rows) AND f > (SELECT min(f) FROM cancel_rows)",
]
# columns are built, evicted, and rows fetched that were found in them
CACHED = [
    "SELECT gpudb.evict('cancel_rows'), gpudb.prewarm('cancel_rows', '{id,k,n,f,d}')",
    "SELECT count(r) FROM (SELECT r FROM cancel_rows r WHERE id % 50 = 7 OFFSET 0) s",
    "SELECT gpudb.evict('cancel_rows'), (SELECT sum(n) FROM cancel_rows WHERE k < 5)",
]
CHECK = "SELECT count(*), sum(id) FROM cancel_rows WHERE k = 3"
SETTINGS = [("gpudb.force", "on"), ("work_mem", "512MB"), ("max_parallel_workers_per_gather", "0")]


def cancelled(error):
    return error.sqlstate == "57014"


class Try:
    """One query and one moment at which it is to end."""

    def __init__(self, session, other, query, moment):
        self.session, self.other, self.query, self.moment = session, other, query, moment

    def by_timeout(self):
        """Seconds from the moment to the error; None when the query was quicker."""
        self.session.value(f"SET statement_timeout = {max(1, round(self.moment * 1000))}")
        start = time.monotonic()
        try:
            self.session.time(self.query)
            return None
        except ServerError as error:
            if not cancelled(error):
                raise
            return time.monotonic() - start - self.moment
        finally:
            self.no_timeout()

    def no_timeout(self):
        """The statement that ends a timeout may meet it, too."""
        while True:
            try:
                self.session.value("SET statement_timeout = 0")
                return
            except ServerError as error:
                if not cancelled(error):
                    raise

    def by_request(self):
        outcome = {}

        def run():
            try:
                self.session.time(self.query)
            except ServerError as error:
                outcome["error"] = error
            outcome["end"] = time.monotonic()

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(self.moment)
        asked = time.monotonic()
        if thread.is_alive():
            self.other.value(f"SELECT pg_cancel_backend({self.session.pid})")
        thread.join()
        if "error" not in outcome:
            # a request that came too late must not hit the next query
            try:
                self.session.value("SELECT pg_sleep(0.05)")
            except ServerError as error:
                if not cancelled(error):
                    raise
            return None
        if not cancelled(outcome["error"]):
            raise outcome["error"]
        return outcome["end"] - asked


def build_anew(session):
    """Tablets that are built where there are none; fewer than before if somebody who is gone still has a shelf pinned."""
    session.value("SELECT gpudb.evict('cancel_rows')")
    return session.value("SELECT gpudb.prewarm('cancel_rows', '{id,k,n,f,d}')")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="cancelled queries (1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=("cpu", "gpu"), help="gpudb.device (cpu)")
    parser.add_argument("--cached", action="store_true", help="build and evict columns, too")
    parser.add_argument("--limit", type=float, default=200, help="milliseconds that p99 may take (200)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    session, other = Session(SETTINGS + [("gpudb.device", options.device)]), Session()
    session.each(TABLES)
    right = session.table(CHECK).rows
    tablets = build_anew(session) if options.cached else 0
    queries = QUERIES + (CACHED if options.cached else [])
    whole = {}
    for query in queries:
        whole[query] = min(session.time(query)[0] for _ in range(2))
    print(f"seed {options.seed}; the queries take {min(whole.values()):.2f} to {max(whole.values()):.2f} s")

    taken, late = defaultdict(list), 0
    while sum(map(len, taken.values())) < options.count:
        query = rng.choice(queries)
        attempt = Try(session, other, query, rng.random() * 0.95 * whole[query])
        latency = rng.choice((attempt.by_timeout, attempt.by_request))()
        if latency is None:
            late += 1
        else:
            taken[query].append(latency * 1000)
        if session.table(CHECK).rows != right:
            print("another answer after a cancel of:", query)
            return 1
    # what is evicted while it is pinned makes room for no more than a shelf's tablets
    built = [build_anew(session) for _ in range(4)] if options.cached else []
    if any(n != tablets for n in built):
        print(f"of {tablets} tablets only so many were built behind it, one time after the other: {built}")
        return 1
    for query, latencies in taken.items():
        latencies.sort()
        print(f"{len(latencies):5} times, median {latencies[len(latencies) // 2]:4.0f} ms, worst {latencies[-1]:4.0f} ms: {query}")
    every = sorted(latency for latencies in taken.values() for latency in latencies)
    p99 = every[int(len(every) * 0.99)]
    print(f"{len(every)} cancelled ({late} ended before), median {every[len(every) // 2]:.0f} ms, p99 {p99:.0f} ms, worst {every[-1]:.0f} ms")
    session.each("DROP TABLE cancel_rows, cancel_long")
    return int(p99 > options.limit)


if __name__ == "__main__":
    raise SystemExit(main())
