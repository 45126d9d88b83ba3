#!/usr/bin/env python3
"""Does the planner choose the best of PostgreSQL, the CPU device and the GPU?

The server is calibrated as at its first start, and twice in a row, to see how much the figures differ, and the times that the
planner predicts by them; and how much what the last two have found, each alone, before it was joined with what was known.
Each query runs as the planner likes it and with each of the three forced; choice/best is the first time over the best of
the other three, 1 when the planner was right.  What EXPLAIN predicts for a device stands beside what EXPLAIN ANALYZE says
of it.
"""

import os
import time

from measure import CPU, GPU, PG, Connection, Session, Table, arguments, facts, gpudb, ms, plan_nodes, explain_json, ratio, tried

FORCED = {"gpu": GPU, "cpu": CPU, "PG": [*PG, ("jit", "off")]}
GROUPED = "SELECT k, count(*), sum(v), min(v), max(v) FROM choice_{n} GROUP BY k"
PREDICTED = "Predicted Time"


def queries(admin):
    """(name, statement)"""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    texts = {}
    for name, path in (("Q1", "tpch_queries/q01.sql"), ("Q6", "tpch_queries/q06.sql"), ("G1", "queries/g1.sql")):
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            texts[name] = file.read().strip().rstrip(";")
    p40 = admin.value("SELECT percentile_disc(0.4) WITHIN GROUP (ORDER BY data_count) FROM tcpip")
    texts["G1"] = texts["G1"].replace(":p40", p40)
    sizes = admin.table("SELECT substr(relname, 8) FROM pg_class WHERE relname LIKE 'choice\\_%' ORDER BY length(relname)").rows
    for (n,) in sizes:
        texts[f"group {int(n):,}"] = GROUPED.format(n=n)
    return texts


def chosen(session, sql):
    """(PG, cpu or gpu, the predicted ms or None) of the plan that the session gets"""
    nodes = list(plan_nodes(explain_json(session, sql, "COSTS ON")["Plan"]))
    ours = [node for node in nodes if str(node.get("Custom Plan Provider", "")).startswith("Gpu")]
    predicted = [float(node[PREDICTED]) for node in nodes if PREDICTED in node]
    device = "+".join(sorted({str(node.get("Device", "?")).split(" ")[0] for node in ours})) or "PG"
    return device, max(predicted, default=None)


def measure(name, sql, free, forced, args, table):
    free.rows(sql)  # gpudb sees what a first run teaches it
    device, _ = chosen(free, sql)
    took = free.median(sql, args)
    times, predictions, notes, answers = {}, {}, [], {}
    for other, session in forced.items():
        answers[other], error = tried(session.rows, sql)
        times[other] = session.median(sql, args) if answers[other] is not None else None
        notes += [f"{other}: {error}"] if error else []
        if other != "PG" and times[other] is not None:
            predicted, seen = chosen(session, sql)[1], facts(session, sql)
            predictions[other] = f"{ms(predicted)}/{ms(seen.get('pass'))}"
            notes += [f"{other}: {seen['note']}"] if seen["note"] else []
    known = {other: sorted(rows) for other, rows in answers.items() if rows is not None}
    right = known.get("PG", next(iter(known.values()), None))
    notes += [f"{other} WRONG" for other, rows in known.items() if rows != right]
    best = min((time for time in times.values() if time), default=None)
    table.row(name, device, ms(took), *(ms(times[other]) for other in FORCED), predictions.get("gpu", "-"), predictions.get("cpu", "-"),
              next((other for other in times if times[other] == best), "-"), ratio(took, best), "; ".join(notes))


def predictions(forced, texts):
    """{(query, device): ms} before anything runs"""
    return {(name, device): chosen(session, sql)[1] for name, sql in texts.items() for device, session in forced.items() if device != "PG"}


def calibrate(admin, forced, texts):
    """As at the first start, and twice in a row; what is known after each."""
    times, figures, predicted = [], [], []
    for anew in ("true", "false", "false"):
        start = time.perf_counter()
        admin.table(f"SELECT gpudb.calibrate(anew => {anew})")
        times.append(time.perf_counter() - start)
        figures.append(admin.table("SELECT figure, device, nanoseconds, calibrations FROM gpudb.calibration WHERE measured IS NOT NULL").rows)
        predicted.append(predictions(forced, texts))
    print("calibrated in", ", ".join(f"{took:.1f}" for took in times), "s")
    table = Table("figure:14", "device:8", "first ns:12", "second ns:12", "third ns:12", "ratio:6", "alone:6")
    for i, (name, device, *_) in enumerate(figures[0]):
        known = [float(rows[i][2]) for rows in figures]
        # what a mean became by one more
        alone = [known[n] * (known[n] / known[n - 1]) ** (int(figures[n][i][3]) - 1) for n in (1, 2)]
        table.row(name, device, *(f"{ns:.4g}" for ns in known), apart(known[1:]), apart(alone))
    for name, device in predicted[0]:
        known = [says[name, device] for says in predicted]
        if all(known):
            table.row(name, device, *(f"{ms * 1e6:.4g}" for ms in known), apart(known[1:]), "")


def apart(pair):
    return f"{max(pair) / min(pair):.2f}"


def main():
    args = arguments(__doc__)
    admin = Connection("")
    free = Session("free", [("gpudb.device", "auto"), ("gpudb.force", "off"), ("jit", "off")], 4 * args.slow)
    forced = {name: gpudb(name, settings, args) for name, settings in FORCED.items()}
    texts = queries(admin)
    calibrate(admin, forced, texts)
    print("\nms; predicted time of the device over the actual one, when it is forced")
    table = Table("query:18", "chosen:6", "time:8", "gpu:8", "cpu:8", "PG:8", "gpu pred/act:15", "cpu pred/act:15", "best:4",
                  "choice/best:11", "notes:1")
    for name, sql in texts.items():
        measure(name, sql, free, forced, args, table)


if __name__ == "__main__":
    main()
