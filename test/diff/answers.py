"""Asking a server, and comparing what it says."""

import math
import os
import re
import sys
from collections import Counter
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from libpq import FLOAT4, FLOAT8, Connection, ServerError  # noqa: E402, F401

CANCELLED, NOT_ON_GPUDB = "57014", "55000"
LOST = ("08006", "57P01", "57P02", "57P03")
TOLERANCE = 1e-9


class Answer(NamedTuple):
    types: tuple = ()
    rows: list = None
    sqlstate: str = ""
    message: str = ""
    detail: str = ""
    status: str = ""  # what a statement says of itself


def ask(connection, sql):
    try:
        table = connection.table(sql)
        return Answer(tuple(table.types), table.rows, status=connection.status)
    except ServerError as error:
        if error.sqlstate in LOST:
            raise
        text = re.sub(r"^[A-Z]+: +", "", str(error))
        message = re.split(r"\n(?:DETAIL|HINT|LINE \d+|QUERY|CONTEXT):", text)[0]
        detail = re.search(r"^DETAIL: +(.*)", text, re.MULTILINE)
        return Answer(sqlstate=error.sqlstate, message=message, detail=detail[1] if detail else "")


def same(ours, theirs, inexact, in_order=False):
    """Whether two answers agree: rows as multisets, or in their order, errors in SQLSTATE and message."""
    if ours.rows is None or theirs.rows is None:
        return ours.rows is theirs.rows and (ours.sqlstate, ours.message) == (theirs.sqlstate, theirs.message)
    if ours.types != theirs.types or len(ours.rows) != len(theirs.rows):
        return False
    if ours.rows == theirs.rows or (not in_order and Counter(ours.rows) == Counter(theirs.rows)):
        return True
    floats = [c for c, type_ in enumerate(ours.types) if type_ in (FLOAT4, FLOAT8)]
    return inexact and all(map(close, *(ordered(answer.rows, floats) for answer in (ours, theirs))))


def ordered(rows, floats):
    """Rows as (other columns, floats), sorted."""

    def split(row):
        others = tuple((v is not None, v or "") for c, v in enumerate(row) if c not in floats)
        numbers = tuple(math.nan if row[c] is None else float(row[c]) for c in floats)
        return others, numbers, tuple(row[c] is None for c in floats)

    # NULLs apart from NaN, which compares with nothing: what follows it in a key would not count
    return sorted(map(split, rows), key=lambda row: (row[0], row[2], [(x != x, 0 if x != x else x) for x in row[1]]))


def close(a, b):
    return a[0] == b[0] and a[2] == b[2] and all(map(near, a[1], b[1]))


def near(x, y):
    if x == y or (x != x and y != y):
        return True
    return abs(x - y) <= TOLERANCE * max(1, abs(x), abs(y))


def difference(ours, theirs, most=4):
    """A few lines about two answers that do not agree."""
    if ours.rows is None or theirs.rows is None or ours.types != theirs.types:
        return f"  gpudb:      {brief(ours)}\n  PostgreSQL: {brief(theirs)}"
    a, b = Counter(ours.rows), Counter(theirs.rows)
    return (
        f"  only gpudb ({(a - b).total()} of {len(ours.rows)} rows):      {shorten(list((a - b).elements())[:most])}\n"
        f"  only PostgreSQL ({(b - a).total()} of {len(theirs.rows)} rows): {shorten(list((b - a).elements())[:most])}"
    )


def brief(answer):
    if answer.rows is None:
        return f"{answer.sqlstate} {answer.message}"
    return f"{len(answer.rows)} rows of types {answer.types}: {shorten(answer.rows[:3])}"


def shorten(value):
    text = str(value)
    return text if len(text) < 600 else text[:600] + " …"
