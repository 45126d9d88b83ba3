#!/usr/bin/env python3
"""What somebody gets who has only created the extension: see README.md, run by `run.sh newcomer`.

For each suite: PostgreSQL's own times; then rounds, each on a fresh connection with every setting of gpudb at its
default, which run each query once, in order; then such a round after gpudb.prewarm() of the suite's tables, and second
runs of the queries.  PostgreSQL has such rounds, too: the first run in a session takes it longer, as it does gpudb.
Answers are compared with PostgreSQL's at the end of the last of the numbered rounds.  Progress goes to stderr.
"""

import argparse
import json
import sys
import time

sys.dont_write_bytecode = True
import bench
import check
import report
from libpq import Connection, ServerError

PREWARMED = "prewarmed"
AGAIN = "prewarmed, again"


def progress(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def limit(arguments):
    return [("statement_timeout", f"{arguments.timeout}s")]


def postgresql(arguments):
    """PostgreSQL's two configurations, which the reference answers come from, too."""
    return [
        bench.Configuration(name, "pg", arguments.dsn, limit(arguments) + [("gpudb.enabled", "off"), ("jit", jit)])
        for name, jit in (("pg_jit", "on"), ("pg_nojit", "off"))
    ]


def time_postgresql(configs, queries, arguments):
    """Two of {query: seconds}: the better median of both configurations, and that of PostgreSQL's default; None is the time limit."""
    found, default = {}, {}
    for query in queries:
        timings, _ = bench.time_configurations(configs, query, arguments)
        best = report.best({"timings": timings}, "pg")
        found[query.name] = best[1] if best else None
        default[query.name] = timings[configs[0].name]["median"]
    return found, default


def time_once(config, query, runs=1):
    """Seconds of the last of so many runs, None if one of them had an error or reached the time limit."""
    for _ in range(runs):
        measured = bench.run_once(config, query)
        if measured is None:
            return None
    return measured[0]


def time_round(name, queries, arguments, settings=()):
    """{query: seconds} of one run of each, in order, on a fresh connection."""
    config = bench.Configuration(name, "gpudb", arguments.dsn, limit(arguments) + list(settings))
    times = {query.name: time_once(config, query) for query in queries}
    config.conn.close()
    return times


def time_postgresql_rounds(queries, arguments):
    """Two rounds of PostgreSQL's, with JIT and without, each of them {query: seconds}; None is the time limit."""
    both = []
    for jit in ("on", "off"):
        time.sleep(arguments.pause)
        both.append(time_round(f"pg_jit_{jit}", queries, arguments, [("gpudb.enabled", "off"), ("jit", jit)]))
    return both


def better(rounds):
    """{query: seconds}: the best time of each query in several rounds; None where all reached the time limit."""
    return {query: min((times[query] for times in rounds if times[query] is not None), default=None) for query in rounds[0]}


def difference(conn, pg, query):
    """'' if gpudb's answer is PostgreSQL's, or if either cannot be had within the time limit."""
    theirs, exact = bench.reference(pg, query)
    if theirs is None:
        return ""
    try:
        return check.compare(check.answer(conn, query), theirs, exact)
    except ServerError as error:
        return "" if error.sqlstate == bench.QUERY_TIMEOUT else str(error).split("\n")[0]


def run_rounds(pg, queries, arguments, result):
    """The numbered rounds; the last one also asks for plans, each behind its query, and compares the answers."""
    for number in range(1, arguments.rounds + 1):
        name, last = f"round {number}", number == arguments.rounds
        progress(f"  {name}")
        config = bench.Configuration(name, "gpudb", arguments.dsn, limit(arguments))
        times = result["rounds"][name] = {}
        for query in queries:
            times[query.name] = time_once(config, query)
            if last:
                result["nodes"][query.name] = bench.gpu_plan(config.conn, query.sql)[0]
        if last:
            progress("  answers")
            answered = [query for query in queries if result["postgresql"][query.name] is not None]
            differences = {query.name: difference(config.conn, pg, query) for query in answered}
            result["differences"] = {query: text for query, text in differences.items() if text}
        config.conn.close()
        time.sleep(arguments.pause)


def run_prewarmed(plain, suite, queries, arguments, result):
    progress(f"  {PREWARMED}")
    bench.leave_behind(plain, [suite])
    time.sleep(arguments.pause)
    result["rounds"][PREWARMED] = time_round(PREWARMED, queries, arguments)
    config = bench.Configuration(AGAIN, "gpudb", arguments.dsn, limit(arguments))
    result["rounds"][AGAIN] = {query.name: time_once(config, query, runs=2) for query in queries}
    config.conn.close()


def measure(plain, suite, queries, arguments):
    """{"postgresql", "default", "once": {query: seconds}, "own": [of its rounds], "rounds": {round: {query: seconds}}, "nodes": …, "differences": …}."""
    progress(f"{suite}: PostgreSQL")
    bench.prewarm(plain, [suite])
    pg = postgresql(arguments)
    best, default = time_postgresql(pg, queries, arguments)
    own = time_postgresql_rounds(queries, arguments)
    result = {"postgresql": best, "default": default, "once": better(own), "own": own, "rounds": {}, "nodes": {}, "differences": {}}
    bench.evict(plain, bench.SUITES[suite][2])
    run_rounds(pg, queries, arguments, result)
    if arguments.prewarm:
        run_prewarmed(plain, suite, queries, arguments, result)
    for config in pg:
        config.conn.close()
    return result


def figure(seconds, timeout):
    return f"{report.ms(timeout)} \\*" if seconds is None else report.ms(seconds)


def ratios(theirs, times, timeout):
    """PostgreSQL's time over ours, for every query; what has no time counts with the time limit."""
    return [(theirs[query] or timeout) / (seconds or timeout) for query, seconds in times.items()]


def summary(result, timeout):
    lines = [
        "times faster than PostgreSQL's best, with JIT or without; than with it; than its best in such a round, with JIT or without;",
        "geometric mean (least):",
    ]
    for name, times in result["rounds"].items():
        all_three = [ratios(result[theirs], times, timeout) for theirs in ("postgresql", "default", "once")]
        told = "; ".join(f"{report.geometric_mean(faster):.2f} ({min(faster):.2f})" for faster in all_three)
        lines.append(f"  {name}: {told}")
    for jit, times in zip(("with JIT", "without"), result["own"]):
        faster = ratios(result["postgresql"], times, timeout)
        lines.append(f"  PostgreSQL in such a round, {jit}: {report.geometric_mean(faster):.2f} ({min(faster):.2f})")
    return lines


def table(result, timeout):
    columns = [result["postgresql"], result["once"]] + list(result["rounds"].values())
    head = ["query", "PostgreSQL, ms", "in a round"] + list(result["rounds"]) + ["nodes of the last round"]
    body = [
        [query] + [figure(times[query], timeout) for times in columns] + [result["nodes"][query] or "–"]
        for query in result["postgresql"]
    ]
    lines = report.grid(head, body)
    if any(seconds is None for times in columns for seconds in times.values()):
        lines += ["", f"\\* an error or the time limit: counts with {timeout} s"]
    return lines


def show(suite, result, arguments):
    without = [query for query, nodes in result["nodes"].items() if not nodes]
    lines = [f"no gpudb node in round {arguments.rounds}: {' '.join(without) or 'none'}", "", f"### {suite}", ""]
    lines += table(result, arguments.timeout) + [""] + summary(result, arguments.timeout)
    lines += [f"{query} differs from PostgreSQL: {text}" for query, text in result["differences"].items()]
    print("\n".join(lines) + "\n", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suites", nargs="*", default=["tpch", "ssb", "visits"], help="suites (tpch ssb visits)")
    parser.add_argument("--dsn", default="", help="libpq connection string")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each on a connection of its own (5)")
    parser.add_argument("--pause", type=float, default=20, help="seconds behind each round (20)")
    parser.add_argument("--no-prewarm", dest="prewarm", action="store_false", help="no round behind gpudb.prewarm()")
    parser.add_argument("--only", help="names of queries, with commas")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one query (300)")
    parser.add_argument("--json", help="file for every measurement, written after each suite")
    parser.add_argument("--runs", type=int, default=3, help="runs of PostgreSQL's, with JIT and without, of which the median counts (3)")
    # The functions of bench.py read these.
    parser.set_defaults(all=False, warm=0, prune=0, budget=0)
    arguments = parser.parse_args()
    unknown = [suite for suite in arguments.suites if suite not in bench.SUITES]
    if unknown or arguments.rounds < 1:
        parser.error(f"unknown suite {unknown[0]}" if unknown else "at least one round")
    return arguments


def main():
    arguments = parse_arguments()
    plain = Connection(arguments.dsn)
    bench.require_gpudb(plain)
    facts = report.machine_facts(plain, bench.device_facts(plain))
    plain.set("gpudb.enabled", "off")
    results = {}
    for suite in arguments.suites:
        queries = bench.load_queries(plain, suite, arguments)
        if not queries:
            progress(f"{suite}: no such query")
            continue
        results[suite] = measure(plain, suite, queries, arguments)
        show(suite, results[suite], arguments)
        if arguments.json:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump({"facts": facts, "arguments": vars(arguments), "results": results}, file, indent=1)
    return any(result["differences"] for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
