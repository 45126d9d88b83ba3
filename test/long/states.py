#!/usr/bin/env python3
"""The Star Schema Benchmark while the cache and the cost model change: right answers, whatever a plan was made for.

    test/long/states.py --seconds 300 --seed 1

Sessions run its queries in turns, planner free and with short and long time limits.  Meanwhile another one evicts tables, builds single
columns and calibrates the cost model; a worker builds what the queries want.  So plans run that were made when other columns
were cached.  Each answer is compared with PostgreSQL's; the data do not change.
Exit status 1: an answer differed, an error came other than the time limit's, or the server crashed.
"""

import argparse
import os
import random
import subprocess
import threading
import time

from session import ServerError, Session

import bench  # of ../bench, which `session` puts on the path

TABLES = ("lineorder", "ddate", "ssb_customer", "ssb_supplier", "ssb_part")
CANCELLED = "57014"
LIMITS_MS = (20, 60, 150, 300, 1500, 60000)
DEVICES = ("auto", "gpu", "gpu", "cpu")
PREPARED = 0.3  # part of the queries that are run three times by a generic plan
CALIBRATIONS = 0.05  # part of the changes
FAILURES_SHOWN = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", default="1", help="the benchmark's scale factor (1)")
    parser.add_argument("--readers", type=int, default=3)
    return parser.parse_args()


def load(scale):
    path = os.path.join(os.path.dirname(os.path.abspath(bench.__file__)), "data_ssb.sql")
    subprocess.run(["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-v", f"sf={scale}", "-f", path], check=True, stdout=subprocess.DEVNULL)
    session = Session()
    session.table(f"VACUUM (ANALYZE) {', '.join(TABLES)}")
    queries = {q.name: q.sql.rstrip().rstrip(";") for q in bench.load_queries(session, "ssb", argparse.Namespace(all=False, only=None))}
    session.table("SET gpudb.enabled = off")
    answers = {name: session.table(sql).rows for name, sql in queries.items()}
    session.close()
    return queries, answers


class States:
    def __init__(self, options):
        self.options = options
        self.queries, self.answers = load(options.scale)
        self.end = time.monotonic() + options.seconds
        self.lock = threading.Lock()
        self.failures = []
        self.counts = {"answers": 0, "time limits": 0, "changes": 0}

    def over(self):
        return time.monotonic() > self.end or len(self.failures) >= FAILURES_SHOWN

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def fail(self, text):
        with self.lock:
            self.failures.append(text)

    def guarded(self, work, *arguments):
        """Do the work of a thread; an exception that ends the thread is a failure."""
        try:
            work(*arguments)
        except Exception as error:
            self.fail(f"{work.__name__}: {type(error).__name__}: {error}")

    def ask(self, session, name, sql, limit):
        try:
            rows = session.table(f"SET LOCAL statement_timeout = {limit}; {sql}").rows
        except ServerError as error:
            if error.sqlstate != CANCELLED:
                raise
            self.count("time limits")
            return
        self.count("answers")
        if sorted(rows) != sorted(self.answers[name]):
            self.fail(f"{name}: {len(rows)} rows differ from PostgreSQL's {len(self.answers[name])}")

    def read(self, seed):
        """Sessions of a few queries each."""
        rng = random.Random(seed)
        while not self.over():
            limit = rng.choice(LIMITS_MS)
            session = Session([("plan_cache_mode", "force_generic_plan"), ("gpudb.device", rng.choice(DEVICES))])
            for name in rng.sample(sorted(self.queries), 5):
                if rng.random() >= PREPARED:
                    self.ask(session, name, self.queries[name], limit)
                    continue
                session.table(f"PREPARE {name} AS {self.queries[name]}")
                for _ in range(3):
                    self.ask(session, name, f"EXECUTE {name}", limit)
                    time.sleep(rng.uniform(0, 0.3))
            session.close()

    def change(self, seed):
        """What changes plans, at random."""
        rng = random.Random(seed)
        session = Session()
        while not self.over():
            table = rng.choice(TABLES)
            columns = [row[0] for row in session.table(f"SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0").rows]
            some = ", ".join(rng.sample(columns, rng.randint(1, 3)))
            evict, build = f"SELECT gpudb.evict('{table}')", f"SELECT gpudb.prewarm('{table}', '{{{some}}}')"
            session.table("SELECT gpudb.calibrate()" if rng.random() < CALIBRATIONS else rng.choice((evict, build)))
            self.count("changes")
            time.sleep(rng.uniform(0, 1))
        session.close()

    def run(self):
        seed = self.options.seed
        threads = [threading.Thread(target=self.guarded, args=(self.read, f"{seed} reader {n}")) for n in range(self.options.readers)]
        threads.append(threading.Thread(target=self.guarded, args=(self.change, f"{seed} changes")))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    options = arguments()
    states = States(options)
    states.run()
    nodes = Session().value("SELECT sum(count) FROM gpudb.stat WHERE event = 'executed'") if not states.failures else "?"
    print(", ".join(f"{count} {what}" for what, count in states.counts.items()) + f", {nodes} nodes of gpudb; {len(states.failures)} failures")
    for failure in states.failures[:FAILURES_SHOWN]:
        print(f"  {failure}")
    return 1 if states.failures or not states.counts["answers"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
