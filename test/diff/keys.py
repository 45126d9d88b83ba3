"""What joins may be on, and how many rows such a join has.

The values of most columns are known: those of a pool or of a formula with few
results.  So of two keys it can be said which share of all pairs of rows is
equal in them, and joins chosen that are neither empty nor endless.
"""

import datetime
import decimal
import math
from functools import lru_cache
from typing import NamedTuple

from columns import FLOATS, INTS, NUMBERS, Column
from expressions import Expr, fits

LATE = 0.5  # of the rows of a table, about, are older than a column that was added
FAMILIES = {
    "exact": INTS + ("numeric",), "float": FLOATS, "mixed": INTS + FLOATS, "date": ("date", "timestamp", "timestamptz"),
    "text": ("text", "name"),
}  # fmt: skip
ALONE = ("bool", "bpchar", "time", "timetz", "interval", "uuid", "char1", "oid", "enum")
LIKELY = {"exact": 8, "float": 2, "mixed": 1, "date": 3, "text": 3, "bpchar": 2, "uuid": 2, "oid": 2, "bool": 0.5}


class Key(NamedTuple):
    """A column of a table in a join, or an expression over one."""

    expr: Expr
    column: Column
    rows: int  # of the table
    shares: dict  # a value -> its share of the rows; empty if the values are not known
    plain: bool = True  # no expression
    unique: bool = False

    def known(self):
        """The share of rows that are not NULL."""
        return known(self.column)

    def variety(self):
        """The share of rows that are not NULL and have another value than the most frequent one."""
        return self.known() - max(self.shares.values(), default=0)


def key(expr, column, rows):
    unique = column.name.endswith("_id")
    return Key(expr, column, rows, shares(column, rows), unique=unique)


def known(column):
    return (1 - column.nulls / 1024) * (LATE if column.default == "NULL" else 1)


@lru_cache(maxsize=1000)
def shares(column, rows):
    """A column's values, and the share that each has of the rows."""
    values, found = listed(column, rows), {}
    part = known(column)
    if column.default not in ("", "NULL"):
        part *= LATE
        found[canonical(column.kind, column.default[1:-1].replace("''", "'"))] = LATE
    for value in values:
        found[value] = found.get(value, 0) + part / len(values)
    return found


def listed(column, rows):
    """The values in a column, as often as they come; nothing if they are too many or not known."""
    values, reach = column.values, column.values.bound
    if column.name.endswith("_id"):
        return range(1, rows + 1)
    if values.pool:
        return [canonical(column.kind, text) for text in values.pool]
    if column.kind in INTS and values.formula:
        return range(-reach, reach)
    if column.kind in FLOATS and values.formula:
        return [n / 8 for n in range(-8 * reach, 8 * reach)]
    if column.kind == "date" and values.formula:
        first = datetime.date(2020, 1, 1).toordinal()
        return range(first, first + 2500)
    return range(1000) if column.kind == "uuid" and values.formula else ()


def canonical(kind, text):
    """A literal as something that is equal to what PostgreSQL says is equal, mostly."""
    if kind in NUMBERS:
        value = decimal.Decimal(text)
        return value if value.is_finite() else text
    if kind == "date":
        parts = text.split("-")
        plain = len(parts) == 3 and len(parts[0]) == 4 and parts[2].isdigit()
        return datetime.date(*map(int, parts)).toordinal() if plain else text
    return text.rstrip(" ") if kind == "bpchar" else text


def equal(a, b):
    """The share of pairs of rows that are equal in two keys."""
    few, many = sorted((a.shares, b.shares), key=len)
    share = sum(part * many[value] for value, part in few.items() if value in many)
    if a.column is b.column and a.plain and b.plain:
        share = max(share, a.known() * b.known() / max(a.rows, 1))
    return share


def present(a, b, rows):
    """The share of a's rows that are equal to one of so many rows of b."""
    found = [(part, min(b.shares[value], 1)) for value, part in a.shares.items() if value in b.shares]
    share = sum(part if b.unique else part * (1 - (1 - other) ** rows) for part, other in found)
    if a.column is b.column and a.plain and b.plain and not share:
        share = a.known() * min(1, rows / max(a.rows, 1))
    return share


def comparable(a, b):
    """Families whose kinds PostgreSQL compares, with the keys of both sides that are of one of them."""
    families = dict(FAMILIES, **{kind: (kind,) for kind in ALONE})
    for name, kinds in families.items():
        ours, theirs = ([k for k in keys if k.expr.kind in kinds] for keys in (a, b))
        if ours and theirs:
            yield name, ours, theirs


def fullest(rng, keys):
    """One of the keys, less often one that is NULL in most rows."""
    return max(rng.choice(keys), rng.choice(keys), key=Key.known)


def random_pair(rng, left, right):
    """Two keys that can be compared; there always are, as every table has a number."""
    found = list(comparable(left, right))
    _, ours, theirs = rng.choices(found, [LIKELY.get(name, 1) for name, _, _ in found])[0]
    a, b = fullest(rng, ours), fullest(rng, theirs)
    same = [k for k in theirs if k.column is a.column]
    if same and rng.random() < (0.3 if a.shares else 0.9):
        b = same[0]
    if rng.random() < 0.15:
        a = changed(rng, a)
    elif rng.random() < 0.1:
        b = changed(rng, b)
    return a, b


def changed(rng, old):
    """An expression over a key, or the key where there is none that is safe."""
    kind, reach = old.expr.kind, rng.randint(1, 5)
    family = "number" if kind in NUMBERS else kind
    forms = {
        "number": (
            (f"({{}} + {reach})", lambda v: v + reach), ("({} * 2)", lambda v: v * 2), ("abs({})", abs), ("(- {})", lambda v: -v),
        ),
        "date": ((f"({{}} + {30 * reach})", lambda v: v + 30 * reach),),
        "text": (("left({}, 2)", lambda v: v[:2]), (f"substr({{}}, {reach}, 3)", lambda v: v[reach - 1 : reach + 2])),
        "bpchar": (("({})::text", str),),
    }.get(family)  # fmt: skip
    if not forms:
        return old
    if kind in INTS:
        forms += ((f"({{}} % {reach + 2})", lambda v: int(math.fmod(v, reach + 2))), ("({})::int8", int))
    form, change = rng.choice(forms)
    made = old.expr.over(form.format(old.expr.sql), bound=old.expr.bound * 2 + 30 * reach)
    if not fits(made):
        return old
    found = {}
    for value, part in old.shares.items():
        value = value if isinstance(value, str) and family in ("number", "date") else change(value)
        found[value] = found.get(value, 0) + part
    made = made._replace(kind={"bpchar": "text"}.get(kind, kind))
    return old._replace(expr=made, shares=found, plain=False, unique=False)
