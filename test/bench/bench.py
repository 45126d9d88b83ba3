#!/usr/bin/env python3
"""Time gpudb beside PostgreSQL on a running server: see README.md, run by run.sh.

For every query: ask gpudb and PostgreSQL for the answer and compare (check.py);
then run all configurations in turn, warm-ups first, and keep each wall clock;
then ask EXPLAIN ANALYZE for the server's own time.  One connection for each
configuration lives for the whole run.  report.py turns it into Markdown.
"""

import argparse
import glob
import json
import os
import re
import statistics
import sys

sys.dont_write_bytecode = True
import check
import report
from libpq import Connection, ServerError

HERE = os.path.dirname(os.path.abspath(__file__))
QUERY_TIMEOUT = "57014"

# suite: (files of the queries, table of constants, tables it needs)
SUITES = {
    "tablet": ("queries/tablet_*.sql", None, ["test"]),
    "govindaraju": ("queries/g[0-9]*.sql", "tcpip_constants", ["tcpip", "o", "i"]),
    "wisconsin": ("queries/wis_*.sql", None, ["w"]),
    "joins": ("queries/join_*.sql", "joins_constants", "r s r32 s32 t1 t2 w1 w2".split()),
    "ssb": ("queries/ssb_*.sql", None, "lineorder ddate ssb_customer ssb_supplier ssb_part".split()),
    "tpch": (
        "tpch_queries/q*.sql",
        None,
        "region nation supplier customer part partsupp orders lineitem".split(),
    ),
    "visits": ("queries/visits_*.sql", None, ["visits"]),
}

TPCH_TITLES = (
    "pricing summary|minimum cost supplier|shipping priority|order priority checking|local supplier volume"
    "|forecasting revenue change|volume shipping|national market share|product type profit|returned items"
    "|important stock|shipping modes and order priority|customer distribution|promotion effect|top supplier"
    "|parts/supplier relationship|small-quantity-order revenue|large volume customer|discounted revenue"
    "|potential part promotion|suppliers who kept orders waiting|global sales opportunity"
).split("|")


class Query:
    """One file: `-- title`, perhaps `-- extra`, then the statement."""

    def __init__(self, path, suite, constants):
        self.name = os.path.basename(path)[: -len(".sql")]
        self.suite = suite
        text = open(path, encoding="utf-8").read()
        comments = re.findall(r"^--\s*(.*)$", text, re.M)
        if suite == "tpch":
            self.title = TPCH_TITLES[int(self.name[1:]) - 1]
        else:
            self.title = comments[0] if comments else ""
        self.extra = "extra" in comments
        self.sql = _statement(text, constants)
        companion = path[: -len(".sql")] + ".exact.sql"
        self.exact = None
        if os.path.exists(companion):
            self.exact = _statement(open(companion, encoding="utf-8").read(), constants)


def _statement(text, constants):
    text = re.sub(r"^--.*$", "", text, flags=re.M).strip()
    return re.sub(r"(?<!:):([a-z_]\w*)", lambda match: constants[match[1]], text)


def load_queries(conn, suite, arguments):
    pattern, constants_table, _ = SUITES[suite]
    constants = {}
    if constants_table:
        table = conn.table(f"SELECT * FROM {constants_table}")
        constants = dict(zip(table.names, table.rows[0]))
    paths = sorted(glob.glob(os.path.join(HERE, pattern)))
    queries = [Query(path, suite, constants) for path in paths if not path.endswith(".exact.sql")]
    if arguments.only:
        wanted = arguments.only.split(",")
        return [query for query in queries if query.name in wanted]
    return [query for query in queries if arguments.all or not query.extra]


class Configuration:
    def __init__(self, name, kind, dsn, settings):
        self.name, self.kind = name, kind
        self.conn = Connection(dsn, settings)


def configurations(arguments):
    """Each kind once with JIT and once without; the first of a kind also checks."""
    common = [("statement_timeout", f"{arguments.timeout}s")]
    kinds = [("pg_parallel", "pg", [])]
    if not arguments.no_serial:
        kinds.append(("pg_serial", "pg", [("max_parallel_workers_per_gather", 0)]))
    if arguments.wide:
        # the planner gives one worker for each tripling of the table; here it may use them all
        kinds.insert(0, ("pg_wide", "pg", [("min_parallel_table_scan_size", 0), ("parallel_setup_cost", 0)]))
    if not arguments.peers_only:
        kinds = [(name, kind, more + [("gpudb.enabled", "off")]) for name, kind, more in kinds]
        kinds.insert(0, ("gpudb", "gpudb", [("gpudb.enabled", "on")]))
        if arguments.force:
            kinds.append(("forced", "forced", [("gpudb.enabled", "on"), ("gpudb.force", "on")]))
    return [
        Configuration(name if jit == "on" else name + "_nojit", kind, arguments.dsn, common + more + [("jit", jit)])
        for name, kind, more in kinds
        for jit in ("on", "off")
    ]


def prewarm(conn, suites):
    """Everything into shared_buffers: by pg_prewarm, else by scans until nothing is read."""
    names = [name for suite in suites for name in SUITES[suite][2]]
    listed = ", ".join(f"'{name}'" for name in names)
    if conn.value("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_prewarm'"):
        if not conn.value("SELECT 1 FROM pg_extension WHERE extname = 'pg_prewarm'"):
            conn.table("CREATE EXTENSION pg_prewarm")
        conn.table(
            "SELECT pg_prewarm(c.oid) FROM pg_class c LEFT JOIN pg_index x ON x.indexrelid = c.oid"
            f" WHERE c.relkind IN ('r', 'i') AND (c.relname IN ({listed})"
            f" OR x.indrelid IN (SELECT oid FROM pg_class WHERE relname IN ({listed})))"
        )
        return
    for name in names:
        for _ in range(20):
            plan = explain_json(conn, f"SELECT count(*) FROM {name}", "ANALYZE, BUFFERS, TIMING OFF")
            if plan["Plan"]["Shared Read Blocks"] == 0:
                break


def explain_json(conn, sql, options):
    return json.loads(conn.value(f"EXPLAIN ({options}, FORMAT JSON) {sql}"))[0]


def plan_nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from plan_nodes(child)


def rows_and_bytes_in(conn, sql):
    """Rows and bytes of the tables that PostgreSQL's plan reads."""
    try:
        nodes = plan_nodes(explain_json(conn, sql, "COSTS OFF")["Plan"])
    except ServerError:
        return 0, 0
    names = {node["Relation Name"] for node in nodes if "Relation Name" in node}
    sizes = [
        conn.table(f"SELECT reltuples::int8, pg_relation_size(oid) FROM pg_class WHERE oid = '{name}'::regclass").rows[0]
        for name in names
    ]
    return sum(int(rows) for rows, _ in sizes), sum(int(size) for _, size in sizes)


def gpu_plan(conn, sql):
    """The gpudb nodes of the plan that a configuration gets, and their devices, as one short text."""
    try:
        text = "\n".join(row[0] for row in conn.table(f"EXPLAIN (COSTS OFF) {sql}").rows)
    except ServerError:
        return "", ""
    nodes = re.findall(r"Custom Scan \((Gpu\w+)\)", text)
    devices = sorted(set(re.findall(r"Device: (\w+)", text)))
    counted = ", ".join(
        name if nodes.count(name) == 1 else f"{nodes.count(name)} {name}" for name in dict.fromkeys(nodes)
    )
    return counted + (f" on {'+'.join(devices)}" if devices else ""), text


def server_time(config, sql):
    """Milliseconds by EXPLAIN ANALYZE, blocks read from outside shared_buffers, and what gpudb's nodes tell, added up."""
    timing = "OFF" if config.kind == "pg" else "ON"
    try:
        plan = explain_json(config.conn, sql, f"ANALYZE, BUFFERS, TIMING {timing}")
    except ServerError:
        return None
    device = {}
    for node in plan_nodes(plan["Plan"]):
        for key in ("Kernel Time", "Build Time", "Feed Time", "Column Bytes", "Rows In"):
            if key in node:
                device[key] = device.get(key, 0) + node[key]
    return {
        "planning": plan["Planning Time"],
        "execution": plan["Execution Time"],
        "blocks_read": plan["Plan"]["Shared Read Blocks"],
        "device": device,
    }


def check_answer(config, query, theirs, exact):
    """Run on gpudb or fail; then, if it failed, as the planner likes, since that answer counts too."""
    conn = config.conn
    plan, text = gpu_plan(conn, query.sql)
    state = {"on_gpudb": True, "reason": "", "wrong": "", "note": "", "plan": plan, "explain": text}
    try:
        conn.set("gpudb.debug_require", "require")
        try:
            ours = check.answer(conn, query)
        except ServerError as error:
            state["on_gpudb"] = False
            # the setting's own complaint says nothing new, an error of the query does
            state["reason"] = "" if "debug_require" in str(error) else str(error).split("\n")[0]
            conn.set("gpudb.debug_require", "allow")
            ours = check.answer(conn, query)
        if theirs is None:
            state["note"] = "PostgreSQL gave no answer to compare with"
        else:
            state["wrong"] = check.compare(ours, theirs, exact)
            if not check.same_order(ours, theirs) and not exact and "ORDER BY" in query.sql.upper():
                state["note"] = "rows in another order (equal sort keys?)"
    except ServerError as error:
        state["note" if error.sqlstate == QUERY_TIMEOUT else "wrong"] = str(error).split("\n")[0]
    finally:
        conn.set("gpudb.debug_require", "allow")
    if state["on_gpudb"] and text and not plan:
        state["on_gpudb"], state["reason"] = False, "EXPLAIN shows no gpudb node"
    return state


def reference(configs, query):
    """PostgreSQL's own answer and the exact sums, by the last configuration that can."""
    for config in reversed([config for config in configs if config.kind == "pg"]):  # serial: rows in heap order
        try:
            return check.answer(config.conn, query), check.exact_sums(config.conn, query)
        except ServerError as error:
            if error.sqlstate != QUERY_TIMEOUT:
                raise
    return None, {}


def run_once(config, query):
    """(seconds, rows), or None after an error or the time limit."""
    try:
        return config.conn.time(query.sql)
    except ServerError as error:
        print(f"    {config.name}: {str(error).splitlines()[0]}", file=sys.stderr)
        return None


def time_configurations(configs, query, arguments):
    """All configurations in turn, beginning with another one each round."""
    seconds = {config.name: [] for config in configs}
    alive, done, rows_out = list(configs), [], 0
    for turn in range(arguments.warm + arguments.runs):
        first = turn % len(alive) if alive else 0
        for config in alive[first:] + alive[:first]:
            measured = run_once(config, query)
            if measured is None:
                alive.remove(config)
                seconds[config.name] = []
                continue
            rows_out = measured[1] if config.kind != "duckdb" else rows_out
            seconds[config.name].append(measured[0])
            if arguments.budget and _has_had_enough(seconds[config.name][arguments.warm :], arguments.budget):
                alive.remove(config)
                done.append(config)
        if arguments.prune and turn + 1 == arguments.warm:
            alive = _prune(alive, seconds, arguments.prune)
    timings = {}
    for config in configs:
        runs = seconds[config.name][arguments.warm :] if config in alive + done else []
        timings[config.name] = {
            "kind": config.kind,
            "median": statistics.median(runs) if runs else None,
            "min": min(runs) if runs else None,
            "runs": runs,
        }
    return timings, rows_out


def _has_had_enough(runs, budget):
    """Whether the timed runs took so many seconds, three at least."""
    return len(runs) >= 3 and sum(runs) >= budget


def _prune(configs, seconds, factor):
    """Without the PostgreSQL configurations that the warm-ups showed to be far from the best."""
    theirs = [min(seconds[config.name]) for config in configs if config.kind == "pg"]
    return [c for c in configs if c.kind != "pg" or min(seconds[c.name]) <= factor * min(theirs)]


def leave_behind(conn, suites):
    """All columns where gpudb caches them, for queries that PostgreSQL runs while they are not."""
    for suite in suites:
        for name in SUITES[suite][2]:
            conn.value(f"SELECT gpudb.prewarm('{name}'::regclass)")


def evict(conn, tables):
    """Nothing of the tables where gpudb caches columns."""
    for name in tables:
        conn.value(f"SELECT gpudb.evict('{name}'::regclass)")


def time_cold(config, query, tables):
    """Median of three runs, each after gpudb has dropped what it cached of the tables."""
    runs = []
    for _ in range(3):
        evict(config.conn, tables)
        measured = run_once(config, query)
        if measured is None:
            return None
        runs.append(measured[0])
    return statistics.median(runs)


def measure(configs, query, arguments):
    plain = next(config for config in configs if config.kind == "pg")
    row = {"name": query.name, "title": query.title, "checks": {}}
    row["rows_in"], row["bytes_in"] = rows_and_bytes_in(plain.conn, query.sql)
    ours = {config.kind: config for config in reversed(configs) if config.kind in ("gpudb", "forced")}
    if ours:
        theirs, exact = reference(configs, query)
        for kind, config in ours.items():
            row["checks"][kind] = check_answer(config, query, theirs, exact)
    row["timings"], row["rows_out"] = time_configurations(configs, query, arguments)
    if arguments.cold and "gpudb" in ours:
        row["cold"] = time_cold(ours["gpudb"], query, SUITES[query.suite][2])
    fastest = {found[0] for found in (report.best(row, kind) for kind in ("pg", "gpudb", "forced")) if found}
    row["server"] = {c.name: server_time(c, query.sql) for c in configs if c.name in fastest}
    return row


def show(row):
    parts = []
    for kind in ("pg", "gpudb", "forced", "duckdb"):
        found = report.best(row, kind)
        if found:
            parts.append(f"{kind} {report.ms(found[1])} ms")
        if kind in row["checks"]:
            parts.append(f"[{report.verdict(row, kind)}]")
    print(f"  {row['name']:24} " + "  ".join(parts), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suites", nargs="+", choices=sorted(SUITES))
    parser.add_argument("--dsn", default="", help="libpq connection string")
    parser.add_argument("--warm", type=int, default=2, help="warm-up runs (2)")
    parser.add_argument("--runs", type=int, default=7, help="timed runs (7)")
    parser.add_argument("--only", help="names of queries, with commas; extra ones too")
    parser.add_argument("--all", action="store_true", help="the queries marked extra too")
    parser.add_argument("--peers-only", action="store_true", help="leave gpudb out")
    parser.add_argument("--force", action="store_true", help="also gpudb.force = on, reported apart")
    parser.add_argument("--cold", action="store_true", help="also after gpudb.evict() of the tables")
    parser.add_argument("--cached", action="store_true", help="gpudb.prewarm() of the tables first")
    parser.add_argument("--wide", action="store_true", help="also PostgreSQL with every worker on every table")
    parser.add_argument("--duckdb", action="store_true", help="also DuckDB in memory (python module duckdb)")
    parser.add_argument("--files", help="for DuckDB: a folder that may have TABLE.parquet, or TABLE.*.csv")
    parser.add_argument("--no-serial", action="store_true", help="leave PostgreSQL's serial plans out, where they are never its best")
    parser.add_argument("--budget", type=float, default=0, metavar="S",
                        help="no further run of what took S seconds in its timed runs, after three")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one query (300)")
    parser.add_argument("--prune", type=float, default=0, metavar="R",
                        help="after the warm-ups drop PostgreSQL configurations R times slower than its best")
    parser.add_argument("--docs", help="Markdown file to update between markers")
    parser.add_argument("--label", default="", help="added to the suite's name in the marker")
    parser.add_argument("--json", help="file for every measurement, written after each query")
    return parser.parse_args()


def require_gpudb(conn):
    if not conn.value("SELECT 1 FROM pg_settings WHERE name = 'gpudb.enabled'"):
        sys.exit("gpudb is not loaded: add it to shared_preload_libraries, or use --peers-only")


def main():
    arguments = parse_arguments()
    plain = Connection(arguments.dsn)
    facts = report.machine_facts(plain, device_facts(plain))
    if not arguments.peers_only:
        require_gpudb(plain)
        plain.set("gpudb.enabled", "off")
    prewarm(plain, arguments.suites)
    if arguments.cached:
        leave_behind(plain, arguments.suites)
    configs = configurations(arguments)
    if arguments.duckdb:
        import duckdb_peer

        tables = [name for suite in arguments.suites for name in SUITES[suite][2]]
        configs.append(duckdb_peer.Configuration(plain, tables, arguments.files))
    results = {}
    for suite in arguments.suites:
        print(suite, flush=True)
        results[suite] = []
        for query in load_queries(plain, suite, arguments):
            row = measure(configs, query, arguments)
            results[suite].append(row)
            show(row)
            if arguments.json:
                with open(arguments.json, "w", encoding="utf-8") as file:
                    json.dump({"facts": facts, "arguments": vars(arguments), "results": results}, file, indent=1)
        text = report.markdown(suite, results[suite], facts, arguments)
        print("\n" + text, flush=True)
        if arguments.docs:
            name = suite + (f"-{arguments.label}" if arguments.label else "")
            report.update_docs(arguments.docs, name, text)


def device_facts(conn):
    """What gpudb.devices says, if there is such a view."""
    try:
        table = conn.table("SELECT * FROM gpudb.devices")
    except ServerError:
        return []
    return [("device", " ".join(value for value in row if value)) for row in table.rows]


if __name__ == "__main__":
    main()
