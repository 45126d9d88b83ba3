"""Random expressions over the columns of a table.

`Expressions.make(kind, depth)` gives an SQL expression of a kind, made of
fields, constants and operators.  Rules are methods that return an Expr, or None
where they do not apply; bounds of the results are carried along, and a result
that would probably be out of range is thrown away most of the time.
"""

import decimal
import math
from typing import NamedTuple

from columns import FLOATS, INTS, LABELS, LIMITS, NUMBERS, TYPES, clock, day, quote, word

RISK = 0.3  # of letting an expression pass that may well raise an error
DIGITS = 26  # of numerics, so that a product or total of two stays within 38
COMPARISONS = ("=", "=", "<>", "<", "<=", ">", ">=")
# constant while a query runs
STABLE = {
    "date": ("current_date", "current_date - 400"),
    "timestamp": ("localtimestamp",),
    "timestamptz": ("now() - interval '1 day'", "current_timestamp", "now() - interval '2 years'"),
}


class Expr(NamedTuple):
    sql: str
    kind: str
    type: str  # for constants beside it
    bound: float = math.inf
    scale: int = 0
    pool: tuple = ()
    wild: bool = False

    def over(self, sql, **changes):
        """An expression of the same kind and reach made from this one."""
        return self._replace(sql=sql, pool=(), **changes)


def field(name, column):
    """The Expr of a table's column."""
    values = column.values
    type_ = values.type if column.kind == "bpchar" else TYPES.get(column.kind, column.kind)
    return Expr(name, column.kind, type_, 1e6 if values.wild else values.bound, values.scale, values.pool, values.wild)


def digits(bound):
    return math.log10(max(bound, 1)) if bound < math.inf else 400


def fits(e):
    if e.kind == "numeric":
        return digits(e.bound) + e.scale <= DIGITS
    if e.kind == "date":
        return e.bound < 10**6
    return e.kind not in LIMITS or e.bound < LIMITS[e.kind]


def add_scales(*scales):
    return None if None in scales else sum(scales)


def max_scale(*scales):
    return None if None in scales else max(scales)


def measure(kind, text):
    """Bound and scale of a literal."""
    if kind in FLOATS:
        value = abs(float(text))
        return (value if value == value else math.inf), (3 if (value * 8).is_integer() and value < 1e6 else None)
    if kind == "numeric":
        value = decimal.Decimal(text)
        return (float(abs(value)), max(0, -value.as_tuple().exponent)) if value.is_finite() else (math.inf, 0)
    if kind in INTS:
        return abs(int(text)), 0
    return (2500 if text[:2] == "20" and "-" in text else math.inf), 0


class Expressions:
    """`fields` are Exprs that may be named; `scalar(kind)` gives a scalar subquery or None."""

    def __init__(self, rng, fields, scalar=None):
        self.rng, self.fields, self.scalar = rng, fields, scalar
        self.kinds = [f.kind for f in fields if f.kind != "other"]

    # leaves

    def of_kind(self, *kinds):
        return [f for f in self.fields if f.kind in kinds]

    def random_kind(self):
        return self.rng.choice(self.kinds) if self.kinds else "int4"

    def leaf(self, kind, like=None):
        found = self.of_kind(kind)
        if kind == "bpchar" and like:
            found = [f for f in found if f.type == like.type]
        if found and self.rng.random() < 0.93:
            return self.rng.choice(found)
        others = [k for k in self.kinds if k != "bool"]
        if kind == "bool" and others and self.rng.random() < 0.8:
            left = self.rng.choice(self.of_kind(self.rng.choice(others)))
            return self.truth(f"({left.sql} {self.rng.choice(COMPARISONS)} {self.constant(left.kind, left).sql})")
        tame = [f for f in found if not f.wild]
        return self.constant(kind, like or (self.rng.choice(tame) if tame else None))

    def constant(self, kind, like=None):
        rng = self.rng
        type_ = like.type if like and like.kind == kind else TYPES.get(kind, kind)
        if rng.random() < 0.03:
            return Expr(f"NULL::{type_}", kind, type_, 0)
        if kind in STABLE and rng.random() < 0.15:
            return Expr(f"({rng.choice(STABLE[kind])})", kind, type_, 4000)
        if like and like.kind == kind and like.pool and rng.random() < 0.8:
            text = rng.choice(like.pool)
            text = text if len(text) < 500 else text[:500]
        else:
            text = self.plain(kind, like.bound if like else 100)
        bound, scale = measure(kind, text)
        bare = kind in ("int4", "numeric") and text[0].isdigit()
        return Expr(text if bare else f"{quote(text)}::{type_}", kind, type_, bound, scale)

    def plain(self, kind, bound):
        """The text of a constant that has nothing to do with the values in a table, but for their size."""
        rng = self.rng
        reach = int(min(bound, rng.choice((3, 20, 1000)), 10**6)) + 1
        if kind in INTS:
            return str(rng.randint(-reach, reach))
        if kind in FLOATS:
            return f"{rng.randint(-8 * reach, 8 * reach) / 8:g}"
        if kind == "numeric":
            return f"{rng.randint(-reach, reach)}{rng.choice(('', '.0', '.5', '.25', '.125'))}"
        return {
            "bool": lambda: rng.choice(("true", "false")),
            "date": lambda: day(rng),
            "time": lambda: clock(rng),
            "timetz": lambda: clock(rng) + rng.choice(("+00", "-08")),
            "timestamp": lambda: f"{day(rng)} {clock(rng)}",
            "timestamptz": lambda: f"{day(rng)} {clock(rng)}",
            "interval": lambda: f"{rng.randint(-30, 30)} days",
            "uuid": lambda: f"{rng.getrandbits(128):032x}",
            "char1": lambda: rng.choice("azAZ"),
            "oid": lambda: str(rng.randint(0, 5000)),
            "enum": lambda: rng.choice(LABELS),
        }.get(kind, lambda: word(rng, 5))()

    # the entry

    def make(self, kind, depth):
        rng = self.rng
        methods, weights = RULES.get("number" if kind in NUMBERS else kind, RULES["any"])
        if depth <= 0 or rng.random() < 0.2:
            return self.leaf(kind)
        if self.scalar and rng.random() < 0.02:
            found = self.scalar(kind)
            if found:
                return found
        for _ in range(6):
            method = rng.choices(methods, weights)[0]
            made = method(self, kind, depth - 1)
            if made and (method is Expressions.conditional or fits(made) or rng.random() < RISK):
                return made
        return self.leaf(kind)

    # conditionals, of any kind

    def several(self, kind, depth, count):
        """Expressions of a kind that can stand for each other; char(n) only of one length, for the sake of its blanks."""
        parts = [self.leaf(kind) if kind == "bpchar" else self.make(kind, depth)]
        while len(parts) < count:
            part = self.leaf(kind, parts[0]) if kind == "bpchar" else self.make(kind, depth)
            parts.append(part if part not in parts else self.constant(kind, parts[0]))
        return parts

    def conditional(self, kind, depth):
        rng = self.rng
        form = rng.choice(("case", "simple", "COALESCE", "COALESCE", "NULLIF", "GREATEST", "LEAST"))
        parts = self.several(kind, depth, 2 if form == "NULLIF" else rng.randint(2, 3))
        bound, scale = max(p.bound for p in parts), max_scale(*(p.scale for p in parts))
        if form == "NULLIF":
            other = self.partner(parts[0], depth)
            # a numeric there would make an integer one, too
            other = self.constant(kind, parts[0]) if other.kind == "numeric" else other
            return parts[0].over(f"NULLIF({parts[0].sql}, {other.sql})")
        if form in ("case", "simple"):
            subject = self.make(self.random_kind(), depth)
            tests = [self.boolean(depth) if form == "case" else self.partner(subject, 0) for _ in parts[1:]]
            arms = "".join(f" WHEN {test.sql} THEN {part.sql}" for test, part in zip(tests, parts[1:]))
            otherwise = f" ELSE {parts[0].sql}" if rng.random() < 0.85 else ""
            sql = f"CASE{' ' + subject.sql if form == 'simple' else ''}{arms}{otherwise} END"
        else:
            sql = f"{form}({', '.join(p.sql for p in parts)})"
        return parts[0].over(sql, bound=bound, scale=scale)

    # truth

    def boolean(self, depth):
        return self.make("bool", depth)

    def truth(self, sql):
        return Expr(sql, "bool", "bool")

    def partner(self, left, depth):
        """Something that an expression may be compared with: mostly a constant out of the same pool."""
        rng, kind = self.rng, left.kind
        if kind in NUMBERS and rng.random() < 0.25:
            others = FLOATS + INTS if kind in FLOATS else INTS + ("numeric",)
            return self.make(rng.choice(others), depth)
        if kind in ("date", "timestamp") and rng.random() < 0.15:
            return self.make("timestamp" if kind == "date" else "date", 0)
        if rng.random() < 0.65 or kind == "bpchar":
            return self.constant(kind, left)
        return self.make(kind, depth)

    def comparison(self, kind, depth):
        left = self.make(self.random_kind(), depth)
        right = self.partner(left, depth)
        a, b = (left.sql, right.sql) if self.rng.random() < 0.85 else (right.sql, left.sql)
        operator = self.rng.choice(COMPARISONS)
        collate = ' COLLATE "C"' if left.kind == "text" and self.rng.random() < 0.3 else ""
        return self.truth(f"({a} {operator} {b}{collate})")

    def between(self, kind, depth):
        left = self.make(self.random_kind(), depth)
        no = self.rng.choice(("", "", "NOT "))
        symmetric = self.rng.choice(("", "", "", "SYMMETRIC "))
        return self.truth(f"({left.sql} {no}BETWEEN {symmetric}{self.partner(left, 0).sql} AND {self.partner(left, 0).sql})")

    def membership(self, kind, depth):
        rng = self.rng
        left = self.make(self.random_kind(), depth)
        parts = [self.constant(left.kind, left).sql for _ in range(rng.choice((1, 2, 3, 3, 8, 12)))]
        listed = ", ".join(parts)
        return self.truth(rng.choice((
            f"({left.sql} IN ({listed}))",
            f"({left.sql} IN ({listed}))",
            f"({left.sql} NOT IN ({listed}))",
            f"({left.sql} = ANY (ARRAY[{listed}]::{left.type}[]))",
            f"({left.sql} <> ALL (ARRAY[{listed}]::{left.type}[]))",
            f"({left.sql} {rng.choice(('<', '>='))} {rng.choice(('ANY', 'ALL'))} (ARRAY[{listed}]::{left.type}[]))"
            if rng.random() < 0.1 else f"({left.sql} = ANY (ARRAY[{listed}]::{left.type}[]))",
        )))  # fmt: skip

    def null_test(self, kind, depth):
        return self.truth(f"({self.make(self.random_kind(), depth).sql} IS {self.rng.choice(('', 'NOT '))}NULL)")

    def distinct(self, kind, depth):
        left = self.make(self.random_kind(), depth)
        return self.truth(f"({left.sql} IS {self.rng.choice(('', 'NOT '))}DISTINCT FROM {self.partner(left, depth).sql})")

    def connective(self, kind, depth):
        operator = self.rng.choice((" AND ", " OR "))
        return self.truth(f"({operator.join(self.boolean(depth).sql for _ in range(self.rng.choice((2, 2, 3))))})")

    def negation(self, kind, depth):
        return self.truth(f"(NOT {self.boolean(depth).sql})")

    def truth_test(self, kind, depth):
        tested, no = self.boolean(depth), self.rng.choice(("", "NOT "))
        return self.truth(f"({tested.sql} IS {no}{self.rng.choice(('TRUE', 'FALSE', 'UNKNOWN'))})")

    def like(self, kind, depth):
        rng = self.rng
        left = self.make("text", depth) if rng.random() < 0.96 else self.leaf("bpchar")
        text = rng.choice(left.pool)[:40] if left.pool else word(rng, 4)
        start = rng.randint(0, len(text))
        part = text[start : start + rng.randint(1, 5)]
        pattern = rng.choice((
            f"{text[:3]}%", f"%{part}%", f"%{part}", f"_{text[1:3]}%", f"{text[:1]}%{text[-1:]}", f"%{part}_%{part}%",
            "%", "_%", "", text,
        ))  # fmt: skip
        if rng.random() < 0.97 and (len(pattern) - len(pattern.rstrip("\\"))) % 2:
            pattern += "%"  # a lone escape at the end is an error
        no, operator = rng.choice(("", "", "NOT ")), rng.choice(("LIKE", "LIKE", "ILIKE"))
        return self.truth(f"({left.sql} {no}{operator} {quote(pattern)})")


# what the modules of rules add: kind -> (methods, weights)
RULES = {
    "bool": (
        [Expressions.comparison, Expressions.connective, Expressions.membership, Expressions.between, Expressions.null_test,
         Expressions.distinct, Expressions.negation, Expressions.truth_test, Expressions.like, Expressions.conditional],
        [8, 5, 3, 3, 2, 2, 2, 2, 3, 1],
    ),
    "any": ([Expressions.conditional], [1]),
}  # fmt: skip
