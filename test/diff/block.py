"""One block of queries: its tables, its snapshot, and the queries one by one.

A first connection makes the tables and holds one REPEATABLE READ snapshot for
all queries of the block.  A second one changes the tables meanwhile.  A third one
has cursors in transactions of their own, with that snapshot.  Each query
runs without gpudb, then forced on gpudb with gpudb.debug_require = require; when
that says that it did not run there, it runs once more with what PostgreSQL does
in such a case, and this answer counts.
"""

import contextlib
import fcntl
import os
import random
import threading
import time

import collations
import narrow
from answers import CANCELLED, LOST, Connection, ServerError, ask
from columns import TYPE_STATEMENTS, Taste
from compare import Outcome, compare, settings_of
from queries import Queries
from tables import SIZES, SMALL, WEIGHTS, random_table
from topics import query_about, topic_of

BLOCK = 100  # queries to one set of tables
SHAPES = ("plain", "unlogged", "temporary", "ranges", "hashed", "inherited", "materialised")
SHAPE_WEIGHTS = (10, 2, 2, 3, 1, 3, 1)
SECONDS_HANGING = 300
PARALLEL = ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size")
JIT = ("SET jit = on", "SET jit_above_cost = 0")
ATTEMPTS = 9  # at a query whose connection ends
UNREACHABLE = "08001"
CRASHED = "crash of another server process"  # says the server then


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
        self.narrow = narrow.tables(random.Random(f"{seed} narrow {block}"))
        self.words = collations.tables(random.Random(f"{seed} words {block}"))
        self.events = sorted(
            ((rng.choice((0, rng.randrange(BLOCK))), statements, rng.choice(("COMMIT", "COMMIT", "ROLLBACK", "")))
             for table in self.tables for statements in table.churn), key=lambda event: event[0]
        )  # fmt: skip


class Session:
    def __init__(self, dsn, world, schema, jit):
        self.dsn, self.schema = dsn, schema
        self.first, self.second, self.third = Connection(dsn), Connection(dsn), None
        # a server that crashes says so in a warning
        self.common = [
            f"SET search_path = {schema}", "SET client_min_messages = warning", "SET work_mem = '32MB'", "SET gpudb.force = on",
        ]  # fmt: skip
        self.common += [*(JIT if jit else ("SET jit = off",)), *world.settings]
        self.events = list(world.events)
        self.open = False
        self.setup(world)
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class; SELECT pg_export_snapshot()"
        self.snapshot = self.first.value(begin)
        self.first.table("SAVEPOINT q")

    def setup(self, world):
        self.first.table("SET client_min_messages = warning")
        self.first.table(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")
        self.first.table(f"CREATE SCHEMA {self.schema}")
        for statement in self.common:
            self.first.table(statement)
            self.second.table(statement)
        statements = TYPE_STATEMENTS + tuple(s for table in world.tables for s in table.setup)
        statements += (collations.STATEMENT, *(s for table in world.words + world.narrow for s in table.setup()))
        for statement in statements:
            try:
                self.first.table(statement)
            except ServerError as error:
                if error.sqlstate in LOST:
                    raise
                raise RuntimeError(f"{error}\nin {statement[:2000]}") from error

    def close(self, drop=True):
        """Drop everything; after a lost connection there may be nothing left to talk to."""
        try:
            self.finish_change()
            self.first.table("ROLLBACK")
            if drop:
                self.first.table(f"DROP SCHEMA {self.schema} CASCADE")
        except ServerError:
            pass
        for connection in (self.first, self.second, self.third):
            connection.close() if connection else None

    def notices(self):
        return " ".join(connection.notice for connection in (self.first, self.second, self.third) if connection)

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

    def play(self, settings, steps):
        """The answers to statements of a transaction of their own, up to the first error."""
        third = self.third = self.third or self.connected()
        begin = f"BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '{self.snapshot}'; {settings}"
        answers = [ask(third, begin)]
        for step in steps:
            if answers[-1].sqlstate:
                break
            answers.append(ask(third, step))
        ask(third, "ROLLBACK")
        ask(third, "CLOSE ALL")
        return answers[1:] or answers

    def connected(self):
        """The third connection, which does not wait for what the second one has locked."""
        made = Connection(self.dsn)
        for statement in [*self.common, "SET lock_timeout = '50ms'"]:
            made.table(statement)
        return made

    def forget_settings(self):
        """Undo what the query before did; a timeout that went off after its answer cancels this instead."""
        forget = "ROLLBACK TO q"
        if ask(self.first, forget).sqlstate == CANCELLED:
            self.first.table(forget)


@contextlib.contextmanager
def watch(seed, number, sql):
    timer = threading.Timer(SECONDS_HANGING, hanging, (seed, number, sql))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def hanging(seed, number, sql):
    """No cancel got through: the process ends, and so does the run."""
    print(f"\nseed {seed}, query {number} hangs: {sql}", flush=True)
    os._exit(3)


def query_of(options, number, world):
    """A query; so many per cent of them are joins, and so many about something."""
    join = random.Random(f"{options.seed} joins {number}").random() * 100 < options.joins
    topic = topic_of(options.seed, number, options.topics, options.topic)
    queries = Queries(random.Random(f"{options.seed} query {number}"), world.tables)
    return query_about(topic, queries, join, world) if topic else queries.query(join)


def run_block(options, block, numbers):
    """The outcomes of the queries of a block."""
    runner = Runner(options, block)
    outcomes = [runner.outcome(number) for number in numbers]
    runner.close()
    return outcomes


class Runner:
    """Asks the queries of a block, one by one, on a session that is made anew when the server has ended it."""

    def __init__(self, options, block):
        self.options, self.block = options, block
        self.world, self.session = World(options.seed, block), None

    def outcome(self, number):
        """What becomes of a query.  Whose query crashed a server is certain when it crashes once more with no other one beside it."""
        query, alone = query_of(self.options, number, self.world), False
        for _ in range(ATTEMPTS):
            try:
                with self.turn(alone), watch(self.options.seed, number, query.sql):
                    return self.asked(number, query)
            except ServerError as error:
                report = f"  the server ended the connection: {error}"
                notices = self.session.notices() if self.session else ""
                others = CRASHED in f"{error} {notices}" or error.sqlstate == UNREACHABLE
                self.abandon()
                if alone and not others:
                    break
                alone = not others
        sql = f"{query.prelude}; {query.sql}" if query.prelude else query.sql
        return Outcome(number, "crash", sql, report=report, topic=query.topic)

    @contextlib.contextmanager
    def turn(self, alone):
        """The time in which a query is asked: beside those of other jobs, or alone."""
        with open(self.options.turns, "rb") as turns:
            fcntl.flock(turns, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield

    def asked(self, number, query):
        options = self.options
        if self.session is None:
            self.session = Session(options.dsn, self.world, f"diff_{os.getpid()}_{self.block}", options.jit)
        self.session.changes_until(number % BLOCK)
        return compare(self.session, number, query, settings_of(options.seed, number))

    def abandon(self):
        if self.session:
            self.session.close()
        self.session = None
        wait_for_server(self.options.dsn)

    def close(self):
        if self.session:
            self.session.close(drop=not self.options.keep)


def wait_for_server(dsn, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            Connection(dsn).close()
            return
        except ServerError:
            time.sleep(0.5)
