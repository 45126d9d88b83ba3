#!/usr/bin/env python3
"""Random queries over random tables, answered with gpudb (forced) and without.

    test/diff/diff.py --count 10000                    a seed from the clock
    test/diff/diff.py --seed 7 --only 1234             one query again
    test/diff/diff.py --show 'not planned'             print the queries whose reason contains this

Needs only libpq; PGHOST and its like name a server with gpudb preloaded and
created.  Exit status 1: an answer differed, or too few queries ran on gpudb.
"""

import argparse
import concurrent.futures
import ctypes
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter

sys.dont_write_bytecode = True  # nothing but sources in the repository

from answers import Connection  # noqa: E402
from block import BLOCK, run_block  # noqa: E402
from topics import NAMES  # noqa: E402

MOST_REPORTS = 200
FEW = 50  # queries about a topic, of which no share is told
PR_SET_PDEATHSIG = 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="queries (2000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="else from the clock")
    parser.add_argument("--only", type=int, help="the number of one query")
    parser.add_argument("--joins", type=float, default=25, help="per cent of the queries that are joins (25)")
    parser.add_argument("--topics", type=float, default=25, help="per cent of the queries that are about a topic (25)")
    parser.add_argument("--topic", action="append", choices=NAMES, help="the only topic, or one of the only ones")
    parser.add_argument("--jit", action="store_true", help="compile every query's expressions: jit_above_cost = 0")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes, one connection pair each")
    parser.add_argument("--min-share", type=float, default=0, help="per cent of those without a topic that must run on gpudb")
    parser.add_argument("--min-gpu-share", type=float, default=0, help="per cent of those without a topic that must run on the GPU")
    parser.add_argument("--min-topic-share", type=float, default=0, help="per cent of each topic's that must run on gpudb")
    parser.add_argument("--show", help="print queries whose error, reason for not being on gpudb, or node and device contain this")
    parser.add_argument("--dsn", default="", help="libpq connection string")
    parser.add_argument("--keep", action="store_true", help="leave the tables in their schemas")
    parser.add_argument("--tap", action="store_true", help="report as TAP")
    return parser.parse_args()


class Report:
    """Counts outcomes and prints those that matter."""

    def __init__(self, options):
        self.options = options
        self.mark = "# " if options.tap else ""
        self.verdicts, self.reasons, self.nodes, self.errors = Counter(), Counter(), Counter(), Counter()
        self.devices = Counter()
        self.again = f"--seed {options.seed} --joins {options.joins:g} --topics {options.topics:g}"
        self.again += "".join(f" --topic {name}" for name in options.topic or ()) + (" --jit" if options.jit else "") + " --only"
        self.wild = self.tame = self.executed = self.different = self.crashes = 0
        self.asked, self.ran = Counter(), Counter()  # by topic: tame ones, and those on gpudb

    def line(self, text=""):
        for line in text.split("\n"):
            print((self.mark + line).rstrip())

    def add(self, outcome):
        self.verdicts[outcome.verdict] += 1
        if outcome.verdict in ("different", "crash"):
            self.different += 1
            self.crashes += outcome.verdict == "crash"
            if self.different <= MOST_REPORTS:
                self.line(f"\n{self.again} {outcome.number}\n  {outcome.sql}\n{outcome.report}")
        if outcome.verdict == "other plan":
            self.line(f"{self.again} {outcome.number}: as PostgreSQL with another plan")
        shown = outcome.error or outcome.reason or f"{outcome.node} on {outcome.device}"
        if self.options.show and self.options.show in shown:
            self.line(f"{outcome.number} [{shown}] {outcome.sql}")
        if outcome.verdict == "crash":
            return
        if outcome.error:
            self.errors[outcome.error] += 1
        elif outcome.verdict == "timeout" or outcome.node == "no table read":
            self.nodes[outcome.verdict if outcome.verdict == "timeout" else outcome.node] += 1
        elif outcome.wild:
            self.wild += 1
        elif outcome.topic:
            self.asked[outcome.topic] += 1
            self.ran[outcome.topic] += not outcome.reason
            if outcome.reason:
                self.reasons[f"{outcome.topic}: {outcome.reason}"] += 1
        else:
            self.tame += 1
            self.executed += not outcome.reason
            if outcome.reason:
                self.reasons[outcome.reason] += 1
            else:
                self.nodes[outcome.node or "gpudb, with an error"] += 1
                self.devices[outcome.device or "unknown"] += 1

    def share(self):
        return 100 * self.executed / max(self.tame, 1)

    def topic_share(self):
        """The share of the topic with the lowest one; of a few queries there is none."""
        shares = [100 * self.ran[topic] / count for topic, count in self.asked.items() if count >= FEW]
        return min(shares, default=100)

    def gpu_share(self):
        return 100 * self.devices["gpu"] / max(self.tame, 1)

    def summary(self):
        self.line(f"\n{sum(self.verdicts.values())} queries, {self.different} differ, of which {self.crashes} crashed the server")
        errors = ", ".join(f"{sqlstate} {count}" for sqlstate, count in self.errors.most_common(8))
        self.line(f"{self.errors.total():6} ended in PostgreSQL's error: {errors}")
        self.line(f"{self.verdicts['other plan']:6} gave an answer that PostgreSQL gives with another plan only")
        self.line(f"{self.verdicts['timeout']:6} took PostgreSQL too long")
        self.line(f"{self.nodes['no table read']:6} read no table")
        self.line(f"{self.wild:6} read numerics that are NaN, infinite or beyond 38 digits")
        self.line(f"{self.tame:6} others, of which on gpudb without fallback: {self.executed} ({self.share():.2f} %)")
        for topic, count in sorted(self.asked.items()):
            ran = self.ran[topic]
            self.line(f"{count:6} about {topic}, of which on gpudb without fallback: {ran} ({100 * ran / count:.2f} %)")
        for node, count in self.nodes.most_common():
            if node not in ("timeout", "no table read"):
                self.line(f"    {count:6} {node}")
        for device, count in self.devices.most_common():
            self.line(f"    {count:6} on device {device}")
        for reason, count in self.reasons.most_common():
            self.line(f"    {count:6} not: {reason}")


def blocks(options):
    """(block, numbers of its queries)"""
    if options.only is not None:
        return [(options.only // BLOCK, [options.only])]
    return [(first // BLOCK, range(first, min(first + BLOCK, options.count))) for first in range(0, options.count, BLOCK)]


def die_with_parent():
    """A worker must not outlive a run that is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(options, report):
    """Feed the report with every outcome, in order; a block that cannot be made is the tester's own error."""
    Connection(options.dsn).table("CREATE EXTENSION IF NOT EXISTS gpudb")
    with tempfile.NamedTemporaryFile() as turns, concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=die_with_parent) as pool:
        options.turns = turns.name
        tasks = [pool.submit(run_block, options, *block) for block in blocks(options)]
        for task in tasks:
            for outcome in task.result():
                report.add(outcome)
            sys.stdout.flush()


def main():
    options = arguments()
    report = Report(options)
    report.line(f"seed {options.seed}, {1 if options.only is not None else options.count} queries")
    failure = ""
    try:
        run(options, report)
    except Exception:
        failure = traceback.format_exc()
        report.line(failure)
    report.summary()
    enough = report.share() >= options.min_share
    enough_topics = report.topic_share() >= options.min_topic_share
    enough_gpu = report.gpu_share() >= options.min_gpu_share
    if options.tap:
        print(f"{'not ' if failure else ''}ok - seed {options.seed}: every query was asked")
        print(f"{'not ' if report.different else ''}ok - seed {options.seed}: gpudb's answers are PostgreSQL's")
        print(f"{'' if enough else 'not '}ok - seed {options.seed}: {options.min_share:g} % ran on gpudb without fallback")
        print(f"{'' if enough_gpu else 'not '}ok - seed {options.seed}: {options.min_gpu_share:g} % are the GPU's")
        print(f"{'' if enough_topics else 'not '}ok - seed {options.seed}: {options.min_topic_share:g} % of each topic's, too")
        print("1..5")
    return 1 if failure or report.different or not (enough and enough_gpu and enough_topics) else 0


if __name__ == "__main__":
    sys.exit(main())
