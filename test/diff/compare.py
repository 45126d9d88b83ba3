"""What becomes of one query: it is asked with gpudb and without, and the answers are compared."""

import random
import re
from typing import NamedTuple

from answers import CANCELLED, NOT_ON_GPUDB, difference, same

SECONDS, SECONDS_GPUDB = 4, 30
SECONDS_YIELDING = 120  # with forced yields, which make a nested loop 30 times as long
NO_GPUDB = "SET LOCAL gpudb.enabled = off; SET LOCAL jit = off"
NO_YIELD = "SET LOCAL gpudb.debug_yield = -1"
REQUIRED = "SET LOCAL gpudb.debug_require = require"
FORWARD_ONLY = "cursor can only scan forward"
NOT_AT_ROW = "24000"  # WHERE CURRENT OF
NO_INDEX = "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off"
DATA = ("22", "0A")  # classes of errors that values raise
NO_COLLATION = "42P22"  # the message says what for, which is up to the plan
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
    # a cursor of which no order is asked reads rows as they lie, where an index has them in another order
    NO_INDEX,
    "SET LOCAL max_parallel_workers_per_gather = 2",
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_nestloop = off",
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off",
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = off",
    # a semi join may make the rows of its inner side distinct
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_hashagg = off",
    # or read it only where its outer side has rows
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_hashagg = off; SET LOCAL enable_sort = off",
    "SET LOCAL join_collapse_limit = 1; SET LOCAL from_collapse_limit = 1",
    FREE,
    # one process reads rows in the order of the pages, several in any order
    f"{FREE}; {SERIAL}",
    # conditions that cost nothing are tested as they are written
    f"{FREE}; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off",
    # and an index would have been asked for some of them first
    f"{FREE}; {NO_INDEX}",
    # what gpudb's plan is not asked to do without
    "SET LOCAL enable_hashagg = on",
)
# What looks at few of many groups or rows may do without those that raise an error.
BOUND = r"(?:\((?:[^()]|\([^()]*\))*\)|[\w$ ])+"
LIMIT = re.compile(rf"(?: (?:OFFSET|LIMIT|FETCH) {BOUND})+$")
# What puts groups in order: alone, they may be hashed in the order of their rows, where PostgreSQL would rather sort these.
TOP = re.compile(r" ORDER BY \d+( DESC)?( NULLS (FIRST|LAST))?(, \d+)* LIMIT \d+( OFFSET \d+)?$")


# Of so many queries one is also run by a plan that was made when its columns were cached, after they have been evicted.
OLD_PLANS = 10


class Outcome(NamedTuple):
    number: int
    verdict: str  # same, different, timeout, crash; other plan: PostgreSQL, too, gives this answer with another plan
    sql: str
    error: str = ""  # PostgreSQL's SQLSTATE
    wild: bool = False
    reason: str = ""  # why it did not run on gpudb, or fell back
    node: str = ""  # what ran it
    device: str = ""  # and where: gpu, or why not
    report: str = ""  # what differs
    topic: str = ""


class Asked:
    """A query as a session is asked it: one statement, or those of a cursor, each of which has an answer."""

    def __init__(self, session, query, inexact):
        self.session, self.query, self.inexact = session, query, inexact

    def answers(self, settings, sql="", scroll=False):
        query = self.query
        if query.steps:
            first = query.steps[0].replace("CURSOR", "SCROLL CURSOR", 1) if scroll else query.steps[0]
            return self.session.play(settings, (first, *query.steps[1:]))
        return [self.session.ask(f"{settings}{prelude_of(query)}", sql or query.sql)]

    def answers_of_old_plan(self, settings):
        """What a plan gives whose columns are evicted between two runs."""
        names = ", ".join(f"'{name}'" for name in sorted(set(re.findall(r"[a-z_]\w*", self.query.sql))))
        evict = (
            "SELECT count(gpudb.evict(oid)) FROM pg_class WHERE relkind IN ('r', 'm') AND relpersistence <> 't' "
            f"AND relnamespace = current_schema::regnamespace AND relname IN ({names})"
        )
        prepare = f"SET LOCAL plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE old_plan AS {self.query.sql}"
        return [self.session.ask(f"{settings}; {prepare}; EXECUTE old_plan; {evict}", "EXECUTE old_plan")]

    def plan(self, settings):
        query = self.query
        if query.steps:
            return self.session.play(settings, (f"EXPLAIN (COSTS OFF) {query.steps[0]}",))[0]
        return self.session.ask(f"{settings}{prelude_of(query)}", f"EXPLAIN (COSTS OFF) {query.sql}")

    def same(self, ours, theirs):
        in_order = self.query.ordered
        if self.query.steps and [a.status for a in ours] != [a.status for a in theirs]:
            return False
        return len(ours) == len(theirs) and all(same(a, b, self.inexact, in_order) for a, b in zip(ours, theirs))

    def difference(self, ours, theirs):
        if not self.query.steps:
            return difference(ours[0], theirs[0])
        n = next(n for n in range(len(ours)) if not self.same(ours[: n + 1], theirs[: n + 1]))
        return f"  {self.query.steps[n]}: {ours[n].status} with gpudb, {theirs[n].status} without\n{difference(ours[n], theirs[n])}"


def prelude_of(query):
    return f"; DEALLOCATE ALL; {query.prelude}" if query.prelude else ""


def compare(session, number, query, settings):
    """The outcome of one query."""
    exact = query.sums and number % 2 == 0
    inexact = query.inexact or (query.sums and not exact)
    sums = f"SET LOCAL gpudb.exact_float_sums = {'on' if exact else 'off'}"
    asked = Asked(session, query, inexact)
    without = f"SET LOCAL statement_timeout = '{SECONDS}s'; {sums}; {NO_GPUDB}"
    if query.steps:
        # which way a cursor can go is up to the plan, which is up to the settings
        without = f"{without}; {settings}"
    theirs = asked.answers(f"{without}; {SERIAL}")
    sql = f"{query.prelude}; {query.sql}" if query.prelude else query.sql
    if theirs[-1].sqlstate == CANCELLED:
        return Outcome(number, "timeout", sql, topic=query.topic)
    settings = f"SET LOCAL statement_timeout = '{SECONDS_GPUDB if NO_YIELD in settings else SECONDS_YIELDING}s'; {sums}; {settings}"
    ours = asked.answers(f"{settings}; {REQUIRED}")
    last, reason, node, device = ours[-1], "", "", ""
    if last.sqlstate == NOT_ON_GPUDB and "gpudb.debug_require" in last.message:
        reason = re.sub(r"Relation .* is scanned by PostgreSQL", "not planned", last.detail).rstrip(".")
        ours = asked.answers(settings)
    elif last.rows is not None:
        plan = asked.plan(settings)
        node, device = node_of(plan, query), device_of(plan)
    # forced, a nested loop that was expected to be short may take any time; left free, the answer must be there
    if last.sqlstate == CANCELLED and asked.same(asked.answers(f"{settings}; SET LOCAL gpudb.force = off"), theirs):
        return Outcome(number, "timeout", sql, topic=query.topic)
    outcome = Outcome(number, "same", sql, theirs[-1].sqlstate, query.wild, reason, node, device, topic=query.topic)
    if number % OLD_PLANS == 0 and last.rows is not None and not query.steps and not query.prelude and asked.same(ours, theirs):
        ours = asked.answers_of_old_plan(settings)
    if asked.same(ours, theirs):
        return outcome
    # whichever error comes first
    if all(about_values(answers[-1]) for answers in (ours, theirs)):
        return outcome._replace(verdict="other plan")
    if excused(asked, ours, theirs, without):
        return outcome._replace(verdict="other plan")
    return outcome._replace(verdict="different", report=f"  with {settings}\n" + asked.difference(ours, theirs))


def about_values(answer):
    return answer.sqlstate == NO_COLLATION or answer.sqlstate[:2] in DATA


def excused(asked, ours, theirs, without):
    """Whether PostgreSQL gives this answer with another plan.

    A cursor of which nothing is told goes backward if its plan can: it may where PostgreSQL's own cannot, but not the reverse.
    """
    query, error = asked.query, ours[-1].sqlstate
    scroll = bool(query.steps) and theirs[-1].message == FORWARD_ONLY
    if scroll and asked.same(ours, asked.answers(without, scroll=True)):
        return True
    if query.steps and error == NOT_AT_ROW:
        # forced, gpudb sorts what PostgreSQL has an index for, and WHERE CURRENT OF finds no row through a sort
        return asked.same(ours, asked.answers(f"{without}; {NO_INDEX}"))
    if query.steps and error and not about_values(ours[-1]):
        return False
    if query.steps and error[:2] in DATA:
        # a cursor whose groups come one by one may never reach the one that raises it
        every = asked.session.play(without, (query.steps[0], "FETCH ALL FROM c"))[-1]
        if (every.sqlstate, every.message) == (error, ours[-1].message):
            return True
    others = [(plan, "") for plan in OTHER_PLANS] + ([(SERIAL, query.late)] if query.late else [])
    if top := TOP.search(query.sql):
        others.append((f"{SERIAL}; SET LOCAL enable_sort = off", f"SELECT * FROM ({query.sql[: top.start()]} OFFSET 0) q{top[0]}"))
    if error[:2] in DATA:
        others.append((SERIAL, LIMIT.sub("", query.sql)))
    for plan, sql in others:
        answers = asked.answers(f"{without}; {plan}", sql, scroll)
        if asked.same(ours, answers) or error == answers[-1].sqlstate == NO_COLLATION:
            return True
    return False


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
