#!/usr/bin/env python3
"""How fast heap pages reach the GPU: Q1 and Q6 of TPC-H over lineitem, by the number of parallel workers.

First from shared_buffers.  Then from the kernel's cache: before each run whose table PostgreSQL has taken in, the server
is restarted, which leaves the kernel's cache alone; "first" is the first run after that, "second" the next one.  "read %"
tells how many of the table's blocks such a run read from outside shared_buffers: large scans pass through a small ring
of buffers, so that the second run may read all of them again.
"""

import os
import subprocess

from measure import GPU, PG, Connection, Postgres, Session, Table, arguments, facts, gpudb, ms, rate, ratio, size, tried

QUERIES = {"q6": "q06.sql", "q1": "q01.sql"}
GATHER = "max_parallel_workers_per_gather"
TAKEN_IN = 2  # per cent of the table: with more in shared_buffers the next first run would not be one


def statement(name):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tpch_queries")
    with open(os.path.join(folder, QUERIES[name]), encoding="utf-8") as file:
        return file.read().strip().rstrip(";")


def percent(share):
    return "-" if share is None else f"{share:.0f}"


class Guess:
    """PostgreSQL's time at fewer workers from that at more, so that runs which would be too slow are not begun."""

    def __init__(self, slow):
        self.slow, self.work = slow, {}

    def too_slow(self, query, workers):
        return query in self.work and self.work[query] / (workers + 1) > self.slow

    def learn(self, query, workers, time):
        self.work[query] = (time or self.slow) * (workers + 1)


def from_shared_buffers(args, workers):
    ours, pg = gpudb("gpu", GPU, args), Postgres(args, serial=False)
    heap = size(ours, "lineitem")[1]
    print(f"\nfrom shared_buffers: {heap / 1e9:.2f} GB of heap; ms")
    table = Table("query:5", "workers:7", "feeders:7", "gpu:8", "GB/s:6", "feed:8", "build:8", "kernel:8", "PG:8", "GB/s:6",
                  "by:3", "PG/gpu:7", "notes:1")
    guess = Guess(args.slow)
    for name in QUERIES:
        sql = statement(name)
        right = None
        for count in workers:
            ours.set(GATHER, count)
            pg.set(GATHER, count)
            answer, error = tried(ours.rows, sql)
            time = ours.median(sql, args) if answer else None
            seen = facts(ours, sql) if answer else {"note": error or "too slow"}
            theirs, by = None, ""
            if not guess.too_slow(name, count):
                right = right or pg.rows(sql)
                theirs, by = pg.best(sql)
                guess.learn(name, count, theirs)
            notes = [seen["note"]] if seen["note"] else []
            if answer and right and answer != right:
                notes.append(f"WRONG: {answer[0]} instead of {right[0]}")
            table.row(name, count, seen.get("feeders", "-"), ms(time), rate(heap, time), ms(seen.get("feed")), ms(seen.get("build")),
                      ms(seen.get("kernel")), ms(theirs), rate(heap, theirs), by.split(" ")[-1] if " " in by else "", ratio(theirs, time), "; ".join(notes))


class Outside:
    """Runs over lineitem while it is not in shared_buffers."""

    def __init__(self, script, blocks, limit):
        self.script, self.blocks, self.limit = script, blocks, limit
        self.restarts, self.fresh = 0, False

    def begin(self, settings, count):
        """A session, after a restart if runs before it have left the table in shared_buffers."""
        if not self.fresh:
            subprocess.run(["bash", self.script], check=True)
            self.restarts, self.fresh = self.restarts + 1, True
        session = Session("outside", [*settings, (GATHER, count)], self.limit)
        session.rows("SELECT 1 FROM lineitem LIMIT 0")  # the catalogs
        return session

    def run(self, session, sql):
        """(ms, per cent of the table's blocks that were read)"""
        before = self._read(session)
        time = session.run(sql)
        read = 100 * (self._read(session) - before) / self.blocks
        return time, read

    def end(self, session, reads):
        """Whoever reads all of it again the second time has not taken it in."""
        session.close()
        self.fresh = len(reads) == 2 and min(reads) >= 100 - TAKEN_IN

    @staticmethod
    def _read(session):
        session.table("SELECT pg_stat_force_next_flush()")
        return int(session.value("SELECT heap_blks_read FROM pg_statio_user_tables WHERE relname = 'lineitem'"))


def twice(outside, settings, count, sql, args):
    """[(ms, read %) of the first run, of the second]; a slow first run is not repeated."""
    session = outside.begin(settings, count)
    runs = [outside.run(session, sql)]
    again = runs[0][0] is not None and runs[0][0] < args.budget
    runs.append(outside.run(session, sql) if again else (None, None))
    outside.end(session, [read for time, read in runs if time is not None])
    return runs


def from_kernel_cache(args, workers):
    plain = Connection("")
    has_jit = plain.value("SELECT pg_jit_available()") == "t"
    heap = size(plain, "lineitem")[1]
    outside = Outside(args.restart, heap // int(plain.value("SHOW block_size")), args.slow)
    plain.close()
    print("\nfrom the kernel's cache; ms")
    table = Table("query:5", "workers:7", "gpu first:9", "GB/s:6", "read %:6", "second:8", "GB/s:6", "read %:6", "PG first:8", "GB/s:6",
                  "read %:6", "second:8", "read %:6", "PG/gpu first:12", "second:6")
    guess = Guess(args.slow)
    for name in QUERIES:
        sql = statement(name)
        for count in workers:
            theirs = [(None, None), (None, None)]
            if not guess.too_slow(name, count):
                # scans of PostgreSQL go through a ring, so JIT on and off rarely need a restart between them
                tries = [twice(outside, [*PG, ("jit", jit)], count, sql, args) for jit in (["off", "on"] if has_jit else ["off"])]
                theirs = min(tries, key=lambda runs: runs[0][0] or args.slow)
                guess.learn(name, count, theirs[0][0])
            ours = twice(outside, GPU, count, sql, args)
            (first, read), (second, reread) = ours
            (pg_first, pg_read), (pg_second, pg_reread) = theirs
            table.row(name, count, ms(first), rate(heap, first), percent(read), ms(second), rate(heap, second), percent(reread),
                      ms(pg_first), rate(heap, pg_first), percent(pg_read), ms(pg_second), percent(pg_reread),
                      ratio(pg_first, first), ratio(pg_second, second))
    print(f"{outside.restarts} restarts")


def main():
    args = arguments(__doc__, restart=("", "script that restarts the server"), jobs=(16, "processes at most, the backend included"))
    workers = sorted({count for count in (0, 1, 2, 4, 8, 15) if count < args.jobs} | {min(args.jobs, 16) - 1}, reverse=True)
    admin = Connection("")
    # without this PostgreSQL would take some 13 for lineitem, and gpudb as many as it likes
    admin.table(f"ALTER TABLE lineitem SET (parallel_workers = {workers[0]})")
    admin.close()
    from_shared_buffers(args, workers)
    if args.restart:
        from_kernel_cache(args, workers)
    admin = Connection("")
    admin.table("ALTER TABLE lineitem RESET (parallel_workers)")
    admin.table("SELECT FROM pg_prewarm('lineitem')")


if __name__ == "__main__":
    main()
