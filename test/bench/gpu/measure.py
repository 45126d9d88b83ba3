"""What the measuring programs of this folder share: sessions, times, what EXPLAIN ANALYZE tells, tables.

suite.sh has made the data and started the server that PGHOST and its like name.  Times are the client's wall clock over
a Unix socket, in milliseconds.  A row is printed as soon as it is measured, since a lease of a GPU may end at any time.
"""

import argparse
import os
import statistics
import sys

sys.dont_write_bytecode = True  # nothing but sources in the repository
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import check  # noqa: E402, F401
from bench import QUERY_TIMEOUT, Query, explain_json, plan_nodes  # noqa: E402, F401
from libpq import Connection, ServerError  # noqa: E402, F401

# What is forced onto gpudb could still be JIT-compiled around it: compiling is not what these figures are about.
GPU = (("gpudb.device", "gpu"), ("gpudb.force", "on"), ("jit", "off"))
CPU = (("gpudb.device", "cpu"), ("gpudb.force", "on"), ("jit", "off"))
PG = (("gpudb.enabled", "off"),)


def arguments(description, **more):
    """--runs, --budget and --slow, and what else a program takes: name=(default, help)."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    options = {
        "runs": (5, "timed runs at most, after one to warm up"),
        "budget": (3000, "no further run once the timed ones have taken so many ms"),
        "slow": (30000, "ms after which PostgreSQL and DuckDB are stopped, and gpudb after four times as many"),
        **more,
    }
    for name, (default, text) in options.items():
        parser.add_argument("--" + name, type=type(default), default=default, help=f"{text} ({default})")
    return parser.parse_args()


class Session(Connection):
    """A connection with a name and settings; a statement over its limit counts as not run."""

    def __init__(self, name, settings, limit):
        super().__init__("", settings)
        self.name, self.limit, self.timeout = name, limit, None

    def set(self, name, value):
        """A timeout that meets the end of its own statement ends the next one, which may be this."""
        try:
            super().set(name, value)
        except ServerError as error:
            if error.sqlstate != QUERY_TIMEOUT:
                raise
            super().set(name, value)

    def run(self, sql, limit=None):
        """Milliseconds of one run, None if it took longer than the limit."""
        self._limit(limit or self.limit)
        try:
            return self.time(sql)[0] * 1000
        except ServerError as error:
            if error.sqlstate != QUERY_TIMEOUT:
                raise
            return None

    def rows(self, sql):
        """The rows as text, None if it took longer than the limit."""
        self._limit(self.limit)
        try:
            return self.table(sql).rows
        except ServerError as error:
            if error.sqlstate != QUERY_TIMEOUT:
                raise
            return None

    def median(self, sql, args, first=None):
        """Of some more runs; `first` is a run that was measured already and counts."""
        times = [] if first is None else [first]
        while len(times) < args.runs and sum(times) < args.budget:
            time = self.run(sql)
            if time is None:
                return None
            times.append(time)
        return statistics.median(times)

    def _limit(self, limit):
        if limit != self.timeout:
            self.set("statement_timeout", max(1, int(limit)))
            self.timeout = limit


def gpudb(name, settings, args, more=()):
    return Session(name, list(settings) + list(more), 4 * args.slow)


class Postgres:
    """PostgreSQL alone, at its best: parallel and serial, each with JIT and without where it has that."""

    def __init__(self, args, more=(), serial=True, parallel=True):
        self.args = args
        kinds = [("parallel", [])] * parallel + [("serial", [("max_parallel_workers_per_gather", 0)])] * serial
        has_jit = Connection("").value("SELECT pg_jit_available()") == "t"
        self.sessions = [
            Session(name + " jit" * (jit == "on"), [*PG, *more, *kind, ("jit", jit)], args.slow)
            for name, kind in kinds
            for jit in (["off", "on"] if has_jit else ["off"])
        ]

    def set(self, name, value):
        for session in self.sessions:
            session.set(name, value)

    def rows(self, sql):
        return self.sessions[0].rows(sql)

    def best(self, sql):
        """(ms, configuration) or (None, ''): none may take much longer than the best so far, so that losing costs little."""
        first = {}
        for session in self.sessions:
            limit = min(first.values()) * 1.2 + 5 if first else self.args.slow
            time = session.run(sql, limit)
            if time is not None:
                first[session] = time
        if not first:
            return None, ""
        near = [session for session in first if first[session] <= 1.3 * min(first.values()) + 1]
        # a short query's first run is no better than a warm-up
        short = min(first.values()) < self.args.budget / self.args.runs
        medians = {session: session.median(sql, self.args, None if short else first[session]) for session in near}
        done = {session: time for session, time in medians.items() if time is not None}
        if not done:
            return None, ""
        winner = min(done, key=done.get)
        return done[winner], winner.name


def facts(session, sql, options="ANALYZE, BUFFERS"):
    """What EXPLAIN ANALYZE says of the gpudb nodes; `note` is empty when all ran where it should."""
    plan = explain_json(session, sql, options)["Plan"]
    nodes = [node for node in plan_nodes(plan) if str(node.get("Custom Plan Provider", "")).startswith("Gpu")]
    found = {"device": "", "feeders": 0, "note": ""}
    if not nodes:
        found["note"] = "no gpudb node"
        return found
    found["device"] = "+".join(sorted({str(node.get("Device", "?")).split(" ")[0] for node in nodes}))
    found["feeders"] = max(node.get("Feeders", 0) for node in nodes)
    for key, name in (("pass", "Device Time"), ("feed", "Feed Time"), ("build", "Build Time"), ("kernel", "Kernel Time")):
        found[key] = sum(node.get(name, 0) for node in nodes)
    notes = []
    for node in nodes:
        notes += [f"{name}: {node[name]}" for name in ("Fallback", "Left to CPU") if name in node]
        notes += [f"{node[name]} of {node['Tablets']} {name}" for name in ("Tablets on CPU", "Tablets by PostgreSQL") if name in node]
        notes += [f"Device: {node['Device']}"] if " " in str(node.get("Device", "")) else []
    found["note"] = "; ".join(notes)
    return found


def tried(function, *arguments):
    """(result, '') or (None, the error): a query that fails is a line of the table, not the end of it."""
    try:
        return function(*arguments), ""
    except ServerError as error:
        return None, str(error).splitlines()[0]


def size(session, table):
    """Rows and bytes of a table."""
    rows = session.table(f"SELECT reltuples::int8, pg_relation_size(oid) FROM pg_class WHERE oid = '{table}'::regclass").rows[0]
    return int(rows[0]), int(rows[1])


def ms(value):
    return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio(theirs, ours):
    return "-" if not theirs or not ours else f"{theirs / ours:.2f}"


def rate(amount, milliseconds, unit=1e9):
    """Amount a second, in billions or another unit."""
    return "-" if not milliseconds else f"{amount / milliseconds * 1000 / unit:.2f}"


class Table:
    """Columns of fixed width, 'name:width'; a last one of width 1 is as wide as it needs."""

    def __init__(self, *columns):
        self.widths = [int(column.split(":")[1]) for column in columns]
        self.row(*(column.split(":")[0] for column in columns))

    def row(self, *cells):
        line = [f"{str(cell):<{width}}" if at == 0 else f"{str(cell):>{width}}"
                for at, (cell, width) in enumerate(zip(cells, self.widths))]
        line[-1] = str(cells[-1]) if self.widths[-1] == 1 else line[-1]
        print("  ".join(line).rstrip(), flush=True)
