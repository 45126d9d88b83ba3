#!/usr/bin/env python3
"""Kill the GPU process while queries run: every answer must be right, no session may be lost, another one must serve soon.

    test/long/kills.py --count 200 --seed 1

Two sessions run queries all the time.  At random moments of them the process is killed, and now and then stopped instead,
which nobody notices but by its silence.
Exit status 1: a wrong answer, an error, no other process within 5 s, or an answer that took longer than the time-out allows.
"""

import argparse
import os
import random
import signal
import sys
import threading
import time

from session import Session, child_of

TABLES = """
DROP TABLE IF EXISTS kill_rows;
CREATE TABLE kill_rows (id int NOT NULL, k int, n numeric(12,2), f float8, t text COLLATE "C");
INSERT INTO kill_rows SELECT i, i % 10, i % 1000 / 4.0, i / 8.0, 'text ' || i % 5000 FROM generate_series(1, 3000000) i;
VACUUM ANALYZE kill_rows;
"""

QUERIES = [
    "SELECT count(*), sum(id), min(n), max(f) FROM kill_rows WHERE k < 7",
    "SELECT string_agg(r, ' ') FROM (SELECT (k, count(*), sum(n * 1.05))::text AS r FROM kill_rows GROUP BY k ORDER BY k) s",
    "SELECT count(*), sum(c), sum(s) FROM (SELECT id % 300000, count(*) AS c, sum(n) AS s FROM kill_rows GROUP BY 1 OFFSET 0) s",
    "SELECT count(*), sum(c) FROM (SELECT t, count(*) AS c FROM kill_rows GROUP BY t OFFSET 0) s",
    "SELECT count(*), sum(id) FROM (SELECT id FROM kill_rows WHERE t LIKE '%77%' OFFSET 0) s",
]
SETTINGS = [("gpudb.force", "on"), ("gpudb.device", "gpu"), ("work_mem", "256MB"), ("max_parallel_workers_per_gather", "0")]
SESSIONS = 2
LATEST = 5.0        # seconds until another process serves
SILENCE = 2.5       # after which a process that was stopped is given up; see docs/worker.md
STOPS_EVERY = 20    # kills


class Load:
    """Sessions that run queries, one after the other, until they are told to end."""

    def __init__(self, expected, seed):
        self.expected, self.ending, self.done, self.wrong, self.slowest = expected, False, 0, [], 0.0
        self.running = [None] * SESSIONS  # since when
        self.threads = [threading.Thread(target=self._run, args=(i, random.Random(seed + i))) for i in range(SESSIONS)]
        for thread in self.threads:
            thread.start()

    def _run(self, number, rng):
        try:
            session = Session(SETTINGS)
            while not self.ending:
                query = rng.choice(QUERIES)
                start = self.running[number] = time.monotonic()
                answer = session.table(query).rows
                self.running[number] = None
                self.slowest = max(self.slowest, time.monotonic() - start)
                self.done += 1
                if answer != self.expected[query]:
                    self.wrong.append(f"{query}: {answer}")
        except Exception as error:  # whatever it is, the session is lost  # pylint: disable=broad-except
            self.wrong.append(f"session {number}: {error!r}")

    def count_running(self):
        return sum(since is not None for since in self.running)

    def end(self):
        self.ending = True
        for thread in self.threads:
            thread.join()


class Server:
    def __init__(self):
        self.session = Session()
        self.supervisor = self.session.supervisor()

    def helper(self):
        return child_of(self.supervisor, "gpudb GPU process")

    def batches(self):
        """How many the process has run; None if none serves."""
        said = self.session.value("SELECT gpudb.doctor()")
        return int(said.split(" has run ")[1].split()[0]) if said.startswith("All is well") else None

    def wait_for_other(self, pid, limit):
        """Seconds until another process serves; None if there is none in time."""
        start = time.monotonic()
        while time.monotonic() - start < limit:
            if self.helper() not in (None, pid) and self.batches() is not None:
                return time.monotonic() - start
            time.sleep(0.02)
        return None

    def wait_for_work(self):
        """Until a process has work: one that dies again and again without having had any is started with pauses."""
        while not self.batches():
            time.sleep(0.005)
        return self.helper()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="kills (200)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    server = Server()
    server.session.each(TABLES)
    expected = {}
    plain = Session([("gpudb.enabled", "off"), ("work_mem", "256MB")])
    for query in QUERIES:
        expected[query] = plain.table(query).rows
    if server.wait_for_other(None, 30) is None:
        print("no GPU process serves:", server.session.value("SELECT gpudb.doctor()"))
        return 1
    print(server.session.value("SELECT gpudb.doctor()"))
    load = Load(expected, options.seed)
    late, hit, stops, restarts = 0, 0, 0, []
    for number in range(1, options.count + 1):
        if load.wrong:
            break
        pid = server.wait_for_work()
        time.sleep(rng.random() * 0.5)
        stop = number % STOPS_EVERY == 0
        hit += load.count_running()
        stops += stop
        os.kill(pid, signal.SIGSTOP if stop else signal.SIGKILL)
        took = server.wait_for_other(pid, LATEST + (SILENCE if stop else 0))
        late += took is None
        if took is None:
            print(f"no other process in time after number {number}")
            server.wait_for_other(pid, 60)
        elif not stop:
            restarts.append(took)
    load.end()
    restarts.sort()
    print(f"{number - stops} kills and {stops} stops at random moments, {hit} queries under way then; {load.done} queries, "
          f"{len(load.wrong)} wrong; slowest {load.slowest:.1f} s; another process after "
          f"{restarts[len(restarts) // 2]:.2f} s (median), {restarts[-1]:.2f} s at most, {late} times too late")
    for wrong in load.wrong[:10]:
        print("wrong:", wrong)
    return 1 if load.wrong or late else 0


if __name__ == "__main__":
    sys.exit(main())
