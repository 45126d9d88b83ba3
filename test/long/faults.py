#!/usr/bin/env python3
"""Make every call of CUDA fail, one at a time, with each of several codes: answers must stay right.

    test/long/faults.py --codes 2,100,700,702,719,999

Wants a server whose gpudb and gpudb_cuda were built with FAULTS=1, gpudb.gpu_memory = 0, gpudb.pool_size, and a GPU.  Each place is passed
by a helper at its start or while the queries run, some but once; all that the sources have must be passed.  When a place has
failed that queries pass, another one fails at the next helper's start, so that there are not more starts than need be.  At last the helper
itself dies, hangs, and damages an answer; that works with gpudb.provider = cpu, too.  Exit status 1: a wrong answer, a
place or a fault that never came, no new helper, or GPU memory that grew.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from session import Session

TABLES = """
DROP TABLE IF EXISTS faults;
CREATE TABLE faults AS SELECT g AS id, g % 5 AS k, (g * 0.01)::numeric(12,2) AS n, 'row ' || g AS t,
    'more than sixteen bytes of ' || g AS long FROM generate_series(1, 30000) g;
DROP TABLE IF EXISTS cached;
CREATE TABLE cached AS SELECT g AS id, CASE WHEN g < 30000 THEN g END AS m, repeat('-', 300) AS filler FROM generate_series(1, 40000) g;
VACUUM ANALYZE faults, cached;
CREATE OR REPLACE FUNCTION debug_fault(text, int, int, int) RETURNS void LANGUAGE c AS '$libdir/gpudb', 'gpudb_debug_fault';
CREATE OR REPLACE FUNCTION debug_sites() RETURNS int LANGUAGE c AS '$libdir/gpudb', 'gpudb_debug_sites';
CREATE OR REPLACE FUNCTION debug_pending(text) RETURNS int LANGUAGE c AS '$libdir/gpudb', 'gpudb_debug_pending';
CREATE OR REPLACE FUNCTION debug_measure() RETURNS bool LANGUAGE c AS '$libdir/gpudb', 'gpudb_debug_measure'
"""
# without groups, with few groups, with a table of groups that grows, the same by texts, rows out, cached columns without
# and with a table of groups, and those in two ways, with NULLs and without
QUERIES = [
    "SELECT count(*), sum(n), min(id) FROM faults WHERE k < 3",
    "SELECT k, count(*), sum(n) FROM faults GROUP BY k ORDER BY k",
    "SELECT id / 2, count(*), sum(n) FROM faults GROUP BY 1 ORDER BY 1",
    "SELECT long, count(*) FROM faults GROUP BY 1 ORDER BY 1",
    "SELECT id FROM faults WHERE t LIKE 'row 12_4'",
    "SELECT count(*), sum(id) FROM cached",
    "SELECT id / 2, count(m) FROM cached GROUP BY 1 ORDER BY 1",
]
# a query in another database, since memory that passes from one to another is cleared; together they pass every place
OTHER_DATABASE = "faults_other"
SERVES = re.compile(r"All is well.*: the GPU process (\d+) ")
NO_DEVICE = ("no device that can be used", "driver is missing")
ANSWER_FAULTS = {1: "dies", 2: "hangs", 3: "damages the answer"}


class Trouble(Exception):
    pass


class Campaign:
    def __init__(self):
        settings = [("gpudb.device", "gpu"), ("gpudb.force", "on")]
        self.session = Session(settings)
        self.session.each(TABLES)
        self.session.each(f"DROP DATABASE IF EXISTS {OTHER_DATABASE}; CREATE DATABASE {OTHER_DATABASE}")
        self.other = Session(settings, OTHER_DATABASE)
        self.other.each("CREATE EXTENSION gpudb; CREATE TABLE faults AS SELECT generate_series(1, 10000) AS id; VACUUM ANALYZE faults")
        self.session.value("SELECT gpudb.prewarm('cached', '{id,m}')")
        self.session.value("SET gpudb.enabled = off")
        self.right = [self.session.table(query).rows for query in QUERIES]
        self.session.value("SET gpudb.enabled = on")

    def helper(self):
        """The process of a helper that serves, None if there is none."""
        serves = SERVES.match(self.doctor())
        return int(serves.group(1)) if serves else None

    def doctor(self):
        return self.session.value("SELECT gpudb.doctor()")

    def wait_for_helper(self, other_than=None):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            helper = self.helper()
            if helper is not None and helper != other_than:
                return helper
            # one that found no device is not tried again without being asked
            if any(words in self.doctor() for words in NO_DEVICE):
                self.session.value("SELECT pg_reload_conf()")
            time.sleep(0.05)
        raise Trouble("no new helper: " + self.doctor())

    def check(self, what):
        for query, right in zip(QUERIES, self.right):
            if self.session.table(query).rows != right:
                raise Trouble(f"{what}: another answer to {query}")
        if self.other.value("SELECT sum(id) FROM faults") != "50005000":
            raise Trouble(f"{what}: another answer in another database")
        self.session.value("SELECT debug_measure()")

    def pending(self, kind):
        """The place or the answer where a fault is still to come, or 0."""
        return int(self.session.value(f"SELECT debug_pending('{kind}')"))

    def recover(self, what):
        """A helper serves again, is asked, and lives on; the first one may be that which was ending."""
        for _ in range(2):
            helper = self.wait_for_helper()
            self.check(what + ", afterwards")
            if self.helper() == helper:
                return
        raise Trouble(f"{what}: helpers end without a fault")

    def renew(self, old):
        """Have another helper in a helper's place."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(old, signal.SIGKILL)
        return self.wait_for_helper(old)

    def try_sites(self, site, at_start, code):
        """A helper passes a place while it runs the queries, and the next one another place at its start; 0: it does not.
        The process that was there before."""
        what = f"sites {site} and {at_start}, code {code}"
        old = self.wait_for_helper()
        if site:
            self.session.value(f"SELECT debug_fault('cuda', {site}, {code}, {at_start})")
        else:
            self.session.value(f"SELECT debug_fault('cuda', {at_start}, {code}, 0)")
            self.renew(old)
        self.check(what)
        left = self.pending("cuda")
        if left and self.helper() == old:
            # it was passed before, and by each helper but once; or what failed is no reason to end
            self.renew(old)
            if left == site:
                self.check(what)
        self.wait_for_helper()
        if self.pending("cuda"):
            raise Trouble(what + ": was never passed")
        self.recover(what)
        return old

    def try_answer(self, n, code):
        self.wait_for_helper()
        self.session.value(f"SELECT debug_fault('answer', {n}, {code}, 0)")
        self.check(f"the helper {ANSWER_FAULTS[code]} at answer {n}")
        if self.pending("answer"):
            raise Trouble(f"answer {n} never came")
        self.recover(f"answer {n}")


# What the driver tells is in MiB, and it hands out memory in pieces of 2 MiB.
ROUNDED_MIB = 4


def gpu_memory(helper):
    """MiB that a process has, as the driver tells; 0 if it has none, or there is no driver."""
    if shutil.which("nvidia-smi") is None:
        return 0
    told = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True, check=True).stdout
    return sum(int(line.split(", ")[1]) for line in told.splitlines() if line.split(", ")[0] == str(helper))


def memory_beside(campaign, helper):
    """The same without what a helper takes for tables and batches, which is half of what is free when it starts."""
    taken = int(campaign.session.value("SELECT memory_used FROM gpudb.devices WHERE memory_used > 0"))
    return gpu_memory(helper) - taken // 2**20


def calls_of_cuda(sources):
    """Places in these sources."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "cuda"
    return sum(source.read_text(encoding="utf-8").count("CUDA_CALL(") for name in sources for source in folder.glob(name + ".cu"))


def every_site(campaign, codes, sources):
    """Each place where CUDA is called fails with each code."""
    starting = int(campaign.session.value("SELECT debug_sites()"))
    campaign.check("before")
    sites = int(campaign.session.value("SELECT debug_sites()"))
    calls = calls_of_cuda(sources)
    if sites != calls:
        raise Trouble(f"{sites} places were passed, and there are {calls}: is gpudb.gpu_memory 0?")
    base = memory_beside(campaign, campaign.helper())
    ended = set()
    start = time.monotonic()
    for code in codes:
        for number in range(max(sites - starting, starting)):
            later, first = starting + number + 1, number + 1
            ended.add(campaign.try_sites(later if later <= sites else 0, first if first <= starting else 0, code))
        print(f"code {code} at {sites} places, {starting} of them at the start: all answers right "
              f"({time.monotonic() - start:.0f} s so far)", flush=True)
    # a failure may have come after the last answer: the helper that answers twice is here to stay
    for _ in range(2):
        campaign.wait_for_helper()
        campaign.check("after")
        time.sleep(0.5)
    helper = campaign.helper()
    after = memory_beside(campaign, helper)
    left = sum(map(gpu_memory, ended - {helper}))
    print(f"GPU memory beside what is taken for queries: {base} MiB before, {after} MiB after; of helpers that ended: {left}")
    if abs(after - base) > ROUNDED_MIB or left > 0:
        raise Trouble("GPU memory is not what it was")


def every_answer(campaign):
    """The helper itself fails, at one of the first answers."""
    for code in ANSWER_FAULTS:
        for n in (1, 2, 3):
            campaign.try_answer(n, code)
    print("the helper dies, hangs, damages an answer: all answers right")
    campaign.wait_for_helper()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--codes", default=os.environ.get("GPUDB_FAULT_CODES", "2,100,700,702,719,999"),
                        help="CUDA's error codes (GPUDB_FAULT_CODES, or six)")
    parser.add_argument("--sources", default="*", help="what of cuda/ is in the library: names, with commas (all)")
    options = parser.parse_args()
    campaign = Campaign()
    campaign.wait_for_helper()
    if "provider is cpu" not in campaign.doctor():
        every_site(campaign, [int(code) for code in options.codes.split(",")], options.sources.split(","))
    every_answer(campaign)
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except Trouble as trouble:
        print(f"FAILED: {trouble}")
        raise SystemExit(1)
