"""One block of queries: its tables, its snapshot, and the queries one by one.

A first connection makes the tables and holds one REPEATABLE READ snapshot for
all queries of the block.  A second one changes the tables meanwhile.  Each query
runs without gpudb, then forced on gpudb with gpudb.debug_require = require; when
that says that it did not run there, it runs once more with what PostgreSQL does
in such a case, and this answer counts.
"""

import os
import random
import re
import threading
import time
from typing import NamedTuple

from answers import CANCELLED, NOT_ON_GPUDB, Answer, Connection, ServerError, ask, difference, same
from columns import TYPE_STATEMENTS, Taste
from queries import Queries
from tables import SIZES, SMALL, WEIGHTS, random_table

BLOCK = 100  # queries to one set of tables
SHAPES = ("plain", "unlogged", "temporary", "ranges", "hashed", "inherited", "materialised")
SHAPE_WEIGHTS = (10, 2, 2, 3, 1, 3, 1)
SECONDS, SECONDS_GPUDB, SECONDS_HANGING = 4, 30, 300
SECONDS_YIELDING = 120  # with forced yields, which make a nested loop 30 times as long
NO_GPUDB = "SET LOCAL gpudb.enabled = off"
# with GPUDB_DIFF_JIT in the environment PostgreSQL compiles all expressions
JIT = "SET jit_above_cost = 0" if "GPUDB_DIFF_JIT" in os.environ else "SET jit = off"
NO_YIELD = "SET LOCAL gpudb.debug_yield = -1"
PARALLEL = ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size")
DATA = ("22", "0A")  # classes of errors that values raise
SERIAL = "SET LOCAL max_parallel_workers_per_gather = 0"
# So columns of groups are read late; loops over all pairs of rows still cost a tuple each.
FREE = "; ".join(f"SET LOCAL {name} = 0" for name in ("random_page_cost", "cpu_operator_cost", "cpu_index_tuple_cost"))
# Which error comes first, and which of equal values that print differently is seen, may be up to PostgreSQL's plan.
OTHER_PLANS = (
    "SET LOCAL enable_hashagg = off",
    "SET LOCAL enable_sort = off",
    # a LIMIT above an index's order looks at few groups
    "SET LOCAL enable_incremental_sort = off",
    # min() and max() by an index look at few rows
    "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off",
    "SET LOCAL max_parallel_workers_per_gather = 2",
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_nestloop = off",
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off",
    "SET LOCAL join_collapse_limit = 1; SET LOCAL from_collapse_limit = 1",
    FREE,
)
# What looks at few of many groups or rows may do without those that raise an error.
LIMIT = re.compile(r"( OFFSET \d+)? LIMIT \d+( OFFSET \d+)?$")
# What puts groups in order: alone, they may be hashed in the order of their rows, where PostgreSQL would rather sort these.
TOP = re.compile(r" ORDER BY \d+( DESC)?( NULLS (FIRST|LAST))?(, \d+)* LIMIT \d+( OFFSET \d+)?$")


class Outcome(NamedTuple):
    number: int
    verdict: str  # same, different, timeout; other plan: PostgreSQL, too, gives this answer with another plan
    sql: str
    error: str = ""  # PostgreSQL's SQLSTATE
    wild: bool = False
    reason: str = ""  # why it did not run on gpudb, or fell back
    node: str = ""  # what ran it
    device: str = ""  # and where: gpu, or why not
    report: str = ""  # what differs


class World:
    """The tables of a block, and what happens to them."""

    def __init__(self, seed, block):
        rng = random.Random(f"{seed} tables {block}")
        self.settings = [f"SET timezone = '{rng.choice(('UTC', 'America/New_York', 'Asia/Kolkata'))}'"]
        parallel, partitionwise = rng.random() < 0.1, rng.random() < 0.2
        # such plans meet rows in other orders, so there are no equal values that print differently
        mixed = not (parallel or partitionwise)
        if parallel:
            self.settings += [f"SET {name} = 0" for name in PARALLEL]
        else:
            self.settings.append("SET max_parallel_workers_per_gather = 0")
        if partitionwise:
            self.settings.append("SET enable_partitionwise_aggregate = on")
        self.tables = []
        for name in "abcde":
            taste = Taste(wild=name == "e", mixed=mixed)
            rows = rng.choice((1, 33, SMALL)) if name == "a" else rng.choices(SIZES, WEIGHTS)[0]
            self.tables.append(random_table(rng, name, taste, rows, rng.choices(SHAPES, SHAPE_WEIGHTS)[0]))
        self.events = sorted(
            ((rng.choice((0, rng.randrange(BLOCK))), statements, rng.choice(("COMMIT", "COMMIT", "ROLLBACK", "")))
             for table in self.tables for statements in table.churn), key=lambda event: event[0]
        )  # fmt: skip


class Session:
    def __init__(self, dsn, world, schema):
        self.schema = schema
        self.first, self.second = Connection(dsn), Connection(dsn)
        common = [
            f"SET search_path = {schema}", "SET client_min_messages = error", JIT, "SET work_mem = '32MB'",
            "SET gpudb.force = on",
        ]  # fmt: skip
        self.first.table("SET client_min_messages = error")
        self.first.table(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        self.first.table(f"CREATE SCHEMA {schema}")
        for statement in common + world.settings:
            self.first.table(statement)
            self.second.table(statement)
        for statement in TYPE_STATEMENTS + tuple(s for table in world.tables for s in table.setup):
            try:
                self.first.table(statement)
            except ServerError as error:
                raise RuntimeError(f"{error}\nin {statement[:2000]}") from error
        self.events = list(world.events)
        self.open = False
        self.first.table("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class; SAVEPOINT q")

    def close(self, drop=True):
        """Drop everything; after a lost connection there may be nothing left to talk to."""
        try:
            self.finish_change()
            self.first.table("ROLLBACK")
            if drop:
                self.first.table(f"DROP SCHEMA {self.schema} CASCADE")
        except ServerError:
            pass
        self.first.close()
        self.second.close()

    def finish_change(self, how="COMMIT"):
        if self.open:
            self.second.table(how)
        self.open = False

    def changes_until(self, position):
        """What the second connection does before the query at this position of the block."""
        while self.events and self.events[0][0] <= position:
            _, statements, end = self.events.pop(0)
            self.finish_change()
            if statements[0].startswith("VACUUM"):
                self.second.table(statements[0])
                continue
            self.second.table("BEGIN")
            self.open = True
            for statement in statements:
                self.second.table(statement)
            if end:
                self.finish_change(end)

    def ask(self, settings, sql):
        self.forget_settings()
        return ask(self.first, f"{settings}; {sql}")

    def forget_settings(self):
        """Undo what the query before did; a timeout that went off after its answer cancels this instead."""
        forget = "ROLLBACK TO q"
        if ask(self.first, forget).sqlstate == CANCELLED:
            self.first.table(forget)


def compare(session, number, query, settings):
    """The outcome of one query."""
    exact = query.sums and number % 2 == 0
    inexact = query.inexact or (query.sums and not exact)
    sums = f"SET LOCAL gpudb.exact_float_sums = {'on' if exact else 'off'}"
    without = f"SET LOCAL statement_timeout = '{SECONDS}s'; {sums}; {NO_GPUDB}"
    theirs = session.ask(f"{without}; {SERIAL}", query.sql)
    if theirs.sqlstate == CANCELLED:
        return Outcome(number, "timeout", query.sql)
    settings = f"SET LOCAL statement_timeout = '{SECONDS_GPUDB if NO_YIELD in settings else SECONDS_YIELDING}s'; {sums}; {settings}"
    ours = session.ask(f"{settings}; SET LOCAL gpudb.debug_require = require", query.sql)
    reason = node = device = ""
    if ours.sqlstate == NOT_ON_GPUDB and "gpudb.debug_require" in ours.message:
        reason = re.sub(r"Relation .* is scanned by PostgreSQL", "not planned", ours.detail).rstrip(".")
        ours = session.ask(settings, query.sql)
    elif ours.rows is not None:
        plan = session.ask(settings, f"EXPLAIN (COSTS OFF) {query.sql}")
        node, device = node_of(plan, query), device_of(plan)
    outcome = Outcome(number, "same", query.sql, theirs.sqlstate, query.wild, reason, node, device)
    if same(ours, theirs, inexact, query.ordered):
        return outcome
    # whichever error comes first
    if ours.sqlstate and theirs.sqlstate and ours.sqlstate[:2] in DATA and theirs.sqlstate[:2] in DATA:
        return outcome._replace(verdict="other plan")
    others = [(plan, query.sql) for plan in OTHER_PLANS] + ([(SERIAL, query.late)] if query.late else [])
    if top := TOP.search(query.sql):
        others.append((f"{SERIAL}; SET LOCAL enable_sort = off", f"SELECT * FROM ({query.sql[: top.start()]} OFFSET 0) q{top[0]}"))
    if ours.sqlstate[:2] in DATA:
        others.append((SERIAL, LIMIT.sub("", query.sql)))
    if any(same(ours, session.ask(f"{without}; {plan}", sql), inexact, query.ordered) for plan, sql in others):
        return outcome._replace(verdict="other plan")
    return outcome._replace(verdict="different", report=f"  with {settings}\n" + difference(ours, theirs))


def node_of(plan, query):
    """What ran a query that read tables only by gpudb nodes."""
    text = "\n".join(row[0] for row in plan.rows or ())
    others = re.search(r"(Hash|Merge)( \w+)* Join|Nested Loop", text) is not None
    if "GPU Join" in text:
        name = "GpuAgg over joins" if "(GpuAgg)" in text else "GpuJoin"
        return f"{name}, others with PostgreSQL" if others else name
    if others:
        return "PostgreSQL's join of what GpuScan returns"
    if "(GpuAgg)" in text and "(GpuScan)" not in text:
        return "GpuAgg"
    if "(GpuSort)" in text:
        return "GpuSort"
    if "(Gpu" not in text:
        return "no table read"
    if query.aggregates:
        return "GpuScan below PostgreSQL's aggregate"
    return "GpuScan, some filters with PostgreSQL" if re.search(r"^ *Filter:", text, re.MULTILINE) else "GpuScan"


def device_of(plan):
    """The device of a plan's nodes, the first that is not the GPU if they differ."""
    devices = re.findall(r"^ *Device: (.*)", "\n".join(row[0] for row in plan.rows or ()), re.MULTILINE)
    return next((device for device in devices if device != "gpu"), devices[0] if devices else "")


def settings_of(seed, number):
    rng = random.Random(f"{seed} settings {number}")
    yield_ = rng.choice((-1, -1, -1, 1, 3, 7, 20, 100))
    made = f"SET LOCAL gpudb.cpu_threads = {rng.randint(0, 2)}; SET LOCAL gpudb.debug_yield = {yield_}"
    if rng.random() < 0.3:
        made += f"; {FREE}"
    # so groups are sorted, as those are that are too many for hash memory
    return f"{made}; SET LOCAL enable_hashagg = off" if rng.random() < 0.2 else made


def hanging(seed, number, sql):
    """No cancel got through: the process ends, and so does the run."""
    print(f"\nseed {seed}, query {number} hangs: {sql}", flush=True)
    os._exit(3)


def query_of(seed, number, tables, joins):
    """A query; so many per cent of them are joins."""
    join = random.Random(f"{seed} joins {number}").random() * 100 < joins
    return Queries(random.Random(f"{seed} query {number}"), tables).query(join)


def run_block(dsn, seed, block, numbers, joins, keep=False):
    """The outcomes of the queries of a block."""
    outcomes, session = [], None
    for number in numbers:
        world = World(seed, block) if session is None else world
        query = query_of(seed, number, world.tables, joins)
        timer = threading.Timer(SECONDS_HANGING, hanging, (seed, number, query.sql))
        timer.daemon = True
        timer.start()
        try:
            session = session or Session(dsn, world, f"diff_{os.getpid()}_{block}")
            session.changes_until(number % BLOCK)
            outcomes.append(compare(session, number, query, settings_of(seed, number)))
        except ServerError as error:
            report = f"  the server ended the connection (with several jobs another one's query may be why): {error}"
            outcomes.append(Outcome(number, "different", query.sql, report=report))
            session.close() if session else None
            session = None
            wait_for_server(dsn)
        finally:
            timer.cancel()
    if session:
        session.close(drop=not keep)
    return outcomes


def wait_for_server(dsn, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            Connection(dsn).close()
            return
        except ServerError:
            time.sleep(0.5)
