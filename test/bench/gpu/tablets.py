#!/usr/bin/env python3
"""The tablet paper's queries over one table of 8 M rows: gpudb on the GPU, on the CPU, and PostgreSQL.

Each query that returns rows is measured in four ways, because most of the time goes to handing on tuples, whoever found them:

    copy      COPY (query) TO '/dev/null': the server alone, a row of text for each
    client    the rows go to a client, until libpq holds them all
    offset    count(*) and sum() of the columns over (query OFFSET 0): the scan hands its rows to PostgreSQL's aggregate
    reduced   count(*) and sum() in the same statement: no row leaves the node

GB/s is heap read, M rows/s what came out.  With --cached the columns have been left behind, in host memory for the CPU device and
on the GPU for the GPU, and PostgreSQL is told serial and parallel.
"""

import os
import re

from measure import CPU, GPU, HERE, Postgres, Query, Table, arguments, check, facts, gpudb, ms, rate, ratio, size, tried

BENCH = os.path.dirname(HERE)


def load(name):
    path = os.path.join(BENCH, "queries", f"tablet_{name}.sql")
    query = Query(path, "tablet", {})
    query.sql = query.sql.rstrip(";")
    return query


def columns(sql):
    return re.search(r"SELECT\s+(.*?)\s+FROM", sql, re.S)[1].split(", ")


def over_rows(sql, *expressions):
    return f"SELECT {', '.join(expressions)} FROM ({sql} OFFSET 0) q"


def checksum(sql):
    """Every column of every row together with the row's id, in whole numbers: the same in any order."""
    function = lambda name: "hashfloat4" if re.match("(uniform|normal)f", name) else "hashint4"
    return over_rows(sql, "count(*)", *(f"sum(id::int8 * {function(name)}({name}))" for name in columns(sql)))


def forms(number):
    """{form: statement}, and what checks the rows"""
    written = load(number)
    if "id," not in written.sql:
        return {"reduced": written}, None
    sums = ["count(*)"] + [f"sum({name})" for name in columns(written.sql)]
    return {
        "copy": f"COPY ({written.sql}) TO '/dev/null'",
        "client": written.sql,
        "offset": over_rows(written.sql, *sums),
        "reduced": load(number + "r"),
    }, checksum(written.sql)


def check_rows(sql, pg, ours):
    """(rows out, {session: what is wrong})"""
    right = pg.rows(sql)
    wrong = {}
    for session in ours:
        rows, error = tried(session.rows, sql)
        wrong[session.name] = error or ("too slow" if rows is None else f"WRONG: {rows[0]} instead of {right[0]}" if rows != right else "")
    return int(right[0][0]), wrong


def check_reduced(query, pg, ours):
    """Float sums are compared with the exact ones, since PostgreSQL's own are not exact."""
    plain = pg.sessions[0]
    theirs, exact = check.answer(plain, query), check.exact_sums(plain, query)
    wrong = {}
    for session in ours:
        answer, error = tried(check.answer, session, query)
        wrong[session.name] = error or check.compare(answer, theirs, exact)
    return wrong


def noted(ours, sql, wrong):
    """What is wrong, and what did not run where it should."""
    notes = []
    for session in ours:
        found = wrong[session.name] or facts(session, sql, "ANALYZE, TIMING OFF")["note"]
        notes += [f"{session.name}: {found}"] if found else []
    return "; ".join(notes)


def theirs_of(pgs, sql):
    """PostgreSQL's cells, and its times."""
    best = [pg.best(sql) for pg in pgs]
    cells = [ms(best[0][0]), best[0][1]] if len(pgs) == 1 else [ms(time) for time, _ in best]
    return cells, [time for time, _ in best]


def measure(number, args, pgs, ours, table, size_in):
    rows_in, heap = size_in
    written, checked = forms(number)
    rows_out, wrong = check_rows(checked, pgs[0], ours) if checked else (1, {})
    for form, sql in written.items():
        notes = ""
        if form == "offset":
            notes = noted(ours, sql, wrong)
        elif form == "reduced":
            notes, sql = noted(ours, sql.sql, check_reduced(sql, pgs[0], ours)), sql.sql
        times = {}
        # the CPU device first: it leaves columns behind
        for session in reversed(ours):
            for _ in range(3 if args.cached else 1):
                session.run(sql)
            times[session.name] = session.median(sql, args)
        gpu, cpu = times["gpu"], times["cpu"]
        cells, theirs = theirs_of(pgs, sql)
        out = rows_out if form in ("copy", "client", "offset") else 1
        table.row(number, form, f"{100 * rows_out / rows_in:.0f}%" if checked else "-", ms(gpu), rate(heap, gpu),
                  rate(out, gpu, 1e6) if out > 1 else "-", ms(cpu), *cells, rate(out, theirs[-1], 1e6) if out > 1 else "-",
                  *(ratio(time, gpu) for time in theirs), *(ratio(time, cpu) for time in theirs), notes)


def main():
    args = arguments(__doc__, cached=(0, "1: over cached columns"))
    ours = [gpudb("gpu", GPU, args), gpudb("cpu", CPU, args)]
    size_in = size(ours[0], "test")
    print(f"{size_in[0]:,} rows, {size_in[1] / 1e9:.2f} GB; ms")
    columns = ["query:5", "form:7", "rows:4", "gpu:8", "GB/s:6", "M rows/s:8", "cpu:8"]
    if args.cached:
        pgs = [Postgres(args, parallel=False), Postgres(args, serial=False)]
        columns += ["serial:8", "parallel:8", "M rows/s:8", "serial/gpu:10", "par/gpu:8", "serial/cpu:10", "par/cpu:8"]
    else:
        pgs = [Postgres(args)]
        columns += ["PG:8", "by:12", "M rows/s:8", "PG/gpu:7", "PG/cpu:7"]
    table = Table(*columns, "notes:1")
    for number in range(1, 14):
        measure(f"{number:02}", args, pgs, ours, table, size_in)


if __name__ == "__main__":
    main()
