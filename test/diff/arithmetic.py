"""Rules for numbers, dates and text: see expressions.py."""

import math

from columns import FLOATS, INTS, NUMBERS
from expressions import RISK, RULES, Expr, Expressions, add_scales, digits, max_scale

PLACES = 20  # digits after the point of a numeric quotient, more or less
# what may be added to a kind without making it another one
LESSER = {
    "int4": INTS[:2],
    "int8": INTS,
    "numeric": INTS + ("numeric",) * 5,
    "float8": FLOATS + ("float8",) * 3 + INTS + ("numeric",),
}


def number(sql, kind, bound, scale=0):
    return Expr(sql, kind, kind, bound, scale)


def operands(self, kind, depth):
    """Two operands whose sum is of the kind: one of it, the other perhaps of a smaller one."""
    rng = self.rng
    a, b = self.make(kind, depth), self.make(rng.choice(LESSER.get(kind, (kind,))), depth - 1)
    if b.kind == "numeric" and kind == "float8":
        b = b._replace(scale=None)
    return (a, b) if rng.random() < 0.7 else (b, a)


def add(self, kind, depth):
    a, b = operands(self, kind, depth)
    return number(f"({a.sql} {self.rng.choice('+-')} {b.sql})", kind, a.bound + b.bound, max_scale(a.scale, b.scale))


def multiply(self, kind, depth):
    a, b = operands(self, kind, depth)
    bound = a.bound * b.bound if a.bound and b.bound else 0
    return number(f"({a.sql} * {b.sql})", kind, bound, add_scales(a.scale, b.scale))


def divisor(self, e):
    """The expression, mostly guarded against zero."""
    return e.sql if self.rng.random() < RISK else f"NULLIF({e.sql}, 0)"


def divide(self, kind, depth):
    if self.rng.random() < 0.5:
        a, b = self.make(kind, depth), self.constant(kind)
        below = b.sql if b.bound and "NULL" not in b.sql else divisor(self, b)
    else:
        a, b = operands(self, kind, depth)
        below = divisor(self, b)
    if kind in INTS:
        return number(f"({a.sql} / {below})", kind, a.bound)
    bound = a.bound * 10 ** min(8, b.scale if b.scale is not None else 8)
    return number(f"({a.sql} / {below})", kind, bound, None if kind in FLOATS else PLACES)


def guarded(self, kind, depth):
    """An operation that may fail, in a branch that is not taken where it would."""
    a, b = operands(self, kind, depth)
    whole, zero = number(f"{a.sql} / {b.sql}", kind, a.bound, 0), self.constant(kind)
    if kind not in INTS:
        whole = whole._replace(bound=a.bound * 10 ** min(8, b.scale or 8), scale=None if kind in FLOATS else PLACES)
    sql = self.rng.choice((
        f"CASE WHEN {b.sql} <> 0 THEN {whole.sql} ELSE {zero.sql} END",
        f"CASE {b.sql} WHEN 0 THEN {zero.sql} ELSE {whole.sql} END",
        f"CASE WHEN {b.sql} = 0 THEN {zero.sql} WHEN {whole.sql} > 0 THEN {a.sql} END",
    ))  # fmt: skip
    return whole._replace(sql=sql)


def guarded_truth(self, kind, depth):
    a, b = operands(self, self.rng.choice(NUMBERS), depth)
    limit = self.constant(a.kind).sql
    quotient = f"{a.sql} / {b.sql}"
    forms = (f"({b.sql} <> 0 AND {quotient} > {limit})", f"({b.sql} = 0 OR {quotient} <= {limit})")
    return self.truth(self.rng.choice(forms))


def remainder(self, kind, depth):
    if kind in FLOATS:
        return None
    a, b = operands(self, kind, depth)
    below = b.sql if b.bound and b.pool == () and b.sql.isdigit() else divisor(self, b)
    return number(f"({a.sql} % {below})", kind, max(a.bound, b.bound), max_scale(a.scale, b.scale))


def bit_and(self, kind, depth):
    a, b = operands(self, kind, depth)
    return number(f"({a.sql} & {b.sql})", kind, max(a.bound, b.bound)) if kind in INTS and a.kind == b.kind else None


def common_divisor(self, kind, depth):
    """Of int2 there is none: PostgreSQL takes that of int4.  An error, for the least integer, is rare."""
    a, b = operands(self, kind, depth)
    return number(f"gcd({a.sql}, {b.sql})", kind, max(a.bound, b.bound)) if kind in ("int4", "int8") and a.kind == b.kind else None


def negate(self, kind, depth):
    a = self.make(kind, depth)
    return a.over(f"(- {a.sql})")


def absolute(self, kind, depth):
    a = self.make(kind, depth)
    return a.over(f"abs({a.sql})")


def rounding(self, kind, depth):
    if kind in INTS:
        return None
    a = self.make(kind, depth)
    function = self.rng.choice(("round", "floor", "ceil", "trunc"))
    if kind == "numeric" and self.rng.random() < 0.4:
        places = self.rng.choice((0, 1, 2, 2, 4, -1))
        return a.over(f"round({a.sql}, {places})", bound=a.bound + 10, scale=max(places, 0))
    sql = f"{function}({a.sql}){'::float4' if kind == 'float4' else ''}"
    return number(sql, kind, a.bound + 1)


def cast(self, kind, depth):
    source = self.rng.choice([k for k in NUMBERS if k != kind])
    a = self.make(source, depth)
    scale = a.scale
    if kind == "numeric" and self.rng.random() < 0.4 and digits(a.bound) < 20:
        a, scale = self.make("numeric", depth), self.rng.choice((0, 1, 2, 4))
        precision = int(digits(a.bound)) + 2 + scale
        return number(f"({a.sql})::numeric({min(precision, 38)},{scale})", kind, a.bound + 1, scale)
    if kind in INTS:
        scale = 0
    elif source == "numeric":
        scale = None if scale else 0  # a tenth is no sum of powers of two
    elif kind == "numeric" and scale is None:
        scale = 10
    return number(f"({a.sql})::{kind}", kind, a.bound + 1, scale)


def length(self, kind, depth):
    a = self.make("text", depth)
    function, most = self.rng.choice((("length", 20000), ("length", 20000), ("octet_length", 80000), ("bit_length", 640000)))
    return number(f"{function}({a.sql})", "int4", most) if kind == "int4" else None


def day_difference(self, kind, depth):
    if kind != "int4":
        return None
    a, b = self.make("date", depth), self.make("date", 0)
    return number(f"({a.sql} - {b.sql})", kind, a.bound + b.bound)


def extract(self, kind, depth):
    if kind != "numeric":
        return None
    source = self.rng.choice(("date", "timestamp"))
    parts = ("year", "month", "day") + (("hour", "minute", "second") if source == "timestamp" else ())
    part = self.rng.choice(parts)
    return number(f"extract({part} FROM {self.make(source, depth).sql})", kind, 300000, 6 if part == "second" else 0)


def float_function(self, kind, depth):
    if kind != "float8":
        return None
    rng, a = self.rng, self.make("float8", depth)
    safe = rng.random() >= RISK
    function = rng.choice(("sqrt", "sqrt", "power", "exp", "ln"))
    if function == "sqrt":
        return number(f"sqrt({f'abs({a.sql})' if safe else a.sql})", kind, math.sqrt(a.bound) + 1, None)
    if function == "exp":
        return number(f"exp({a.sql})", kind, math.exp(a.bound), None) if a.bound < 300 else None
    if function == "ln":
        return number(f"ln({f'abs({a.sql}) + 1' if safe else a.sql})", kind, 800, None)
    bound = (a.bound + 1) ** 3 if a.bound < 1e90 else math.inf
    if rng.random() < 0.5:
        return number(f"power(abs({a.sql}), '{rng.choice(('0.5', '1.5', '-0', '0.25'))}'::float8)", kind, bound, None)
    return number(f"power({a.sql}, {rng.choice((0, 1, 2, 3))})", kind, bound, None)


def date_plus(self, kind, depth):
    a, b = self.make("date", depth), self.make("int4", depth)
    return Expr(f"({a.sql} {self.rng.choice('+-')} {b.sql})", kind, kind, a.bound + b.bound)


def substring(self, kind, depth):
    a, rng = self.make("text", depth), self.rng
    if rng.random() < 0.3:
        return a.over(f"left({a.sql}, {rng.choice((0, 1, 2, 3, 10, -1, -3))})")
    form = rng.choice(("substring({}, {}, {})", "substring({} FROM {} FOR {})", "substr({}, {}, {})"))
    return a.over(form.format(a.sql, rng.choice((1, 1, 2, 3, 0, -1)), rng.choice((0, 1, 2, 3, 20))))


def blanks_gone(self, kind, depth):
    return Expr(f"({self.leaf('bpchar').sql})::text", kind, kind) if self.of_kind("bpchar") else None


RULES["number"] = (
    [add, multiply, divide, guarded, remainder, bit_and, common_divisor, negate, absolute, rounding, cast, length, day_difference,
     extract, float_function, Expressions.conditional],
    [5, 3, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 2, 3],
)  # fmt: skip
RULES["bool"][0].append(guarded_truth)
RULES["bool"][1].append(1)
RULES["date"] = ([date_plus, Expressions.conditional], [2, 1])
RULES["text"] = ([substring, blanks_gone, Expressions.conditional], [3, 1, 2])
