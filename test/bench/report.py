"""Measurements to Markdown, and the Markdown into docs/benchmarks.md."""

import math
import os
import platform
import re
import time

SETTINGS = (
    "shared_buffers work_mem max_worker_processes max_parallel_workers"
    " max_parallel_workers_per_gather jit_above_cost gpudb.device gpudb.cpu_threads gpudb.pool_size"
)
LEFT = ("query", "what", "by", "plan", "result", "nodes of the last round")
HEAD = """# Benchmarks

Written by `test/bench/run.sh`; the text between two markers is replaced by the
next run of the same name. How it is measured: `test/bench/README.md`.
"""


def machine_facts(conn, extra=()):
    facts = [
        ("date", time.strftime("%Y-%m-%d")),
        ("CPU", f"{_cpu_model()}, {len(os.sched_getaffinity(0))} cores"),
        ("RAM", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"),
        ("PostgreSQL", conn.value("SHOW server_version")),
        ("load at start", "%.1f" % os.getloadavg()[0]),
    ]
    for name in SETTINGS.split():
        value = conn.value(f"SELECT current_setting('{name}', true)")
        if value:
            facts.append((name, value))
    return facts + list(extra)


def _cpu_model():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def ms(seconds):
    if seconds is None:
        return "–"
    value = seconds * 1000
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def best(row, kind):
    """(configuration, median, minimum) of the fastest configuration of a kind, or None."""
    runs = [
        (timing["median"], timing["min"], name)
        for name, timing in row["timings"].items()
        if timing["kind"] == kind and timing["median"] is not None
    ]
    if not runs:
        return None
    median, minimum, name = min(runs)
    return name, median, minimum


def speedup(row, kind):
    """PostgreSQL's best median over ours; None if either is missing, if ours was wrong, or if a forced plan did not run on gpudb alone."""
    ours, theirs, state = best(row, kind), best(row, "pg"), row["checks"].get(kind)
    if not (ours and theirs and state) or state["wrong"] or (kind == "forced" and not state["on_gpudb"]):
        return None
    return theirs[1] / ours[1]


def _notes(state):
    """What is to be told of a plan that the planner chose freely, beside its time."""
    part = "" if state["on_gpudb"] else "gpudb runs a part of it" if state["plan"] else "no gpudb node"
    return [text for text in (part, state["reason"], state["note"]) if text]


def verdict(row, kind):
    state = row["checks"].get(kind)
    if state is None:
        return ""
    if state["wrong"]:
        return f"**wrong**: {state['wrong']}"
    if kind == "forced" and not state["on_gpudb"]:
        return "loss: not on gpudb" + (f" ({state['reason']})" if state["reason"] else "")
    ratio = speedup(row, kind)
    if ratio is not None:
        result = "win" if ratio >= 1 else "loss"
    else:
        result = "win; PostgreSQL reached the time limit" if best(row, kind) else "loss: no figure"
    return "; ".join([result] + _notes(state))


def markdown(suite, rows, facts, arguments):
    lines = [f"### {suite}", "", "; ".join(f"{name} {value}" for name, value in facts) + ".", ""]
    lines += [_how(arguments), ""]
    kinds = [("gpudb", "gpudb, the planner choosing freely"), ("forced", "gpudb.force = on")]
    kinds = [pair for pair in kinds if any(pair[0] in row["checks"] for row in rows)]
    for kind, heading in kinds:
        lines += _table(rows, kind, heading) + [""] + _summary(rows, kind) + [""]
    if not kinds:
        lines += _peer_table(rows) + [""]
    lines += _outside_buffers(rows)
    return "\n".join(lines).rstrip() + "\n"


def _how(arguments):
    return (
        "Client wall clock over a Unix socket until the whole result is with the client, ms: median (minimum) of "
        f"{arguments.runs} runs after warming up {arguments.warm} times, configurations interleaved. PostgreSQL is the best "
        "median of parallel and serial, each with JIT on and off; gpudb the better of JIT on and off. Everything is "
        "meant to be in shared_buffers; gpudb's figures are warm. Speed-up is PostgreSQL's median over gpudb's."
    )


def _outside_buffers(rows):
    """Queries that read blocks from outside shared_buffers, which the rules forbid."""
    names = [
        row["name"] for row in rows if any(times and times["blocks_read"] for times in row.get("server", {}).values())
    ]
    return ["Not all in shared_buffers: " + ", ".join(names) + ".", ""] if names else []


def _cells(row):
    title = row["title"].replace("|", "\\|")
    return [row["name"], title, f"{row['rows_in']:,}", f"{row['bytes_in'] / 1e6:.0f}", f"{row['rows_out']:,}"]


def _figure(found):
    return f"{ms(found[1])} ({ms(found[2])})" if found else "–"


def grid(head, body):
    """A table's lines."""
    align = ["---" if name in LEFT else "---:" for name in head]
    rows = [head, align] + body
    return ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def _inside(row, kind):
    """Kernels' time of all nodes, all threads together, and megabytes of columns that they ran over; None where nothing is known."""
    found = best(row, kind)
    times = row.get("server", {}).get(found[0]) if found else None
    if not times or "Kernel Time" not in times["device"]:
        return None
    return [ms(times["device"]["Kernel Time"] / 1000), f"{times['device'].get('Column Bytes', 0) / 1e6:.0f}"]


def _table(rows, kind, heading):
    head = ["query", "what", "rows in", "MB in", "rows out", "PostgreSQL", "by", "gpudb", "speed-up", "plan", "result"]
    cold = any(row.get("cold") for row in rows) and kind == "gpudb"
    inside = any(_inside(row, kind) for row in rows)
    duck = any(best(row, "duckdb") for row in rows)
    body = []
    for row in rows:
        theirs, ours, ratio = best(row, "pg"), best(row, kind), speedup(row, kind)
        cells = _cells(row) + [_figure(theirs), theirs[0] if theirs else "–", _figure(ours)]
        cells.append(f"{ratio:.2f}×" if ratio else "–")
        state = row["checks"].get(kind)
        cells += [state["plan"] if state else "", verdict(row, kind).replace("|", "\\|").replace("\n", " ")]
        if inside:
            cells += _inside(row, kind) or ["–", "–"]
        if cold:
            cells.append(ms(row.get("cold")))
        if duck:
            cells.append(_figure(best(row, "duckdb")))
        body.append(cells)
    head += (["kernels", "column MB"] if inside else []) + (["cold"] if cold else []) + (["DuckDB"] if duck else [])
    return [f"**{heading}**", ""] + grid(head, body)


def _peer_table(rows):
    names = list(dict.fromkeys(name for row in rows for name in row["timings"]))
    head = ["query", "what", "rows in", "MB in", "rows out"] + names
    body = []
    for row in rows:
        timings = [row["timings"].get(name) for name in names]
        body.append(_cells(row) + [_figure((0, t["median"], t["min"]) if t else None) for t in timings])
    return grid(head, body)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _summary(rows, kind):
    ratios = [ratio for ratio in (speedup(row, kind) for row in rows) if ratio]
    verdicts = [verdict(row, kind) for row in rows]
    count = lambda start: sum(text.startswith(start) for text in verdicts)
    line = f"{len(rows)} queries: {count('win')} won, {count('loss')} lost, {count('**wrong')} wrong"
    without = [row["name"] for row in rows if row["checks"].get(kind) and not row["checks"][kind]["plan"]]
    line += f"; without a gpudb node: {' '.join(without) or 'none'}"
    if ratios:
        line += f"; geometric mean of {len(ratios)} with a figure {geometric_mean(ratios):.2f}×"
    return [line + "."]


def update_docs(path, name, text):
    """Put text between the markers of `name` in the file at path."""
    begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    old = open(path, encoding="utf-8").read() if os.path.exists(path) else HEAD
    block = f"{begin}\n{text}{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if pattern.search(old):
        new = pattern.sub(lambda match: block, old, count=1)
    else:
        new = old.rstrip() + "\n\n" + block + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)
