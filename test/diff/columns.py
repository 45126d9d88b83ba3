"""Columns of random tables: how they are declared, and what lies in them.

A *kind* is a type as expressions see it: varchar(12), text and a domain over
text are all of the kind "text".  A column takes its values from a pool of
literals or, where there should be many, from a formula over a hash of the row's
number; so PostgreSQL fills the tables, and a seed always gives the same ones.

What is known about the values (how far from zero, how many digits) lets the
queries be such that most of them raise no error.
"""

import decimal
import math
import string
from typing import NamedTuple

INTS = ("int2", "int4", "int8")
FLOATS = ("float4", "float8")
NUMBERS = INTS + FLOATS + ("numeric",)
LIMITS = {"int2": 2.0**15, "int4": 2.0**31, "int8": 2.0**63, "float4": 1e38, "float8": 1e300}
LABELS = ("sad", "ok", "happy", "ecstatic", "Numb")
TYPES = {"char1": '"char"', "enum": "mood"}  # kinds that are not called as their types

# A type of this name is made in every schema.  Labels added in between have OIDs out of order.
TYPE_STATEMENTS = (
    "CREATE TYPE mood AS ENUM ('sad', 'happy')",
    "ALTER TYPE mood ADD VALUE 'ok' BEFORE 'happy'",
    "ALTER TYPE mood ADD VALUE 'ecstatic'",
    "ALTER TYPE mood ADD VALUE 'Numb' BEFORE 'sad'",
    "CREATE DOMAIN whole AS int4 CHECK (VALUE > -2000000000)",
    "CREATE DOMAIN price AS numeric(12,3)",
    "CREATE DOMAIN label AS text",
)


class Taste(NamedTuple):
    wild: bool  # numerics may be NaN, infinite or longer than 38 digits
    mixed: bool  # equal values may print differently


class Values(NamedTuple):
    type: str  # as declared
    pool: tuple = ()  # literals; empty where a formula makes the values
    formula: str = ""  # over {h}, a hash of 31 bits
    bound: float = math.inf  # numbers, dates in days from 2020: no value lies farther from zero
    scale: int = 0  # numerics: digits after the point.  floats: binary ones, None if that is not known
    wild: bool = False


class Column(NamedTuple):
    name: str
    kind: str
    values: Values
    salt: int
    nulls: int  # of 1024
    not_null: bool
    default: str = ""  # a literal, for columns that are added later
    generated: str = ""

    def declaration(self):
        generated = f" GENERATED ALWAYS AS ({self.generated}) STORED" if self.generated else ""
        default = f" DEFAULT {self.default}" if self.default else ""
        return f"{self.name} {self.values.type}{generated}{default}{' NOT NULL' if self.not_null else ''}"

    def value(self, row, salt=0):
        """SQL for the value in a row; another salt gives another one."""
        salt += self.salt
        hashed = f"(hashint8extended({row}, {salt}) & 2147483647)"
        if self.values.pool:
            pool = ", ".join(map(quote, self.values.pool))
            sql = f"(ARRAY[{pool}]::{self.values.type}[])[1 + {hashed} % {len(self.values.pool)}]"
        else:
            sql = self.values.formula.format(h=hashed)
        if not self.nulls:
            return sql
        return f"CASE WHEN (hashint8extended({row}, {salt + 1}) & 1023) < {self.nulls} THEN NULL ELSE {sql} END"


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def digits_text(rng, digits, scale):
    """A decimal of at most so many digits before its point."""
    value = decimal.Decimal(rng.randint(-(10 ** (digits + scale)) + 1, 10 ** (digits + scale) - 1))
    return f"{value.scaleb(-scale):.{max(scale, 0)}f}"


def pool_of(rng, make):
    return tuple(make() for _ in range(rng.choice((1, 2, 4, 12, 60, 300))))


def bools(rng, taste):
    return Values("bool", rng.choice((("true", "false"), ("true", "false"), ("true",), ("false",))))


def ints(kind):
    def make(rng, taste):
        limit = int(LIMITS[kind])
        style = rng.choices(("small", "middle", "large", "extreme"), (4, 4, 1, 1))[0]
        type_ = "whole" if kind == "int4" and rng.random() < 0.15 and style != "extreme" else kind
        if style == "extreme":
            return Values(type_, tuple(map(str, (-limit, 1 - limit, -1, 0, 1, limit - 1))), bound=limit)
        reach = {"small": 12, "middle": 1000, "large": limit // 100}[style]
        if style != "large" and rng.random() < 0.4:
            return Values(type_, formula=f"({{h}} % {2 * reach} - {reach})::{kind}", bound=reach)
        return Values(type_, pool_of(rng, lambda: str(rng.randint(-reach, reach))), bound=reach)

    return make


def floats(kind):
    def make(rng, taste):
        reach = 30 if kind == "float4" else 1000
        style = rng.choices(("eighths", "rough", "special", "extreme"), (5, 2, 1, 1))[0]
        if style == "extreme":
            least = "1e-44" if kind == "float4" else "5e-324"
            pool = ("NaN", "Infinity", "-Infinity", "0", "1", "-3e38", "3e38", least, "1e-30")
            return Values(kind, pool + ("-0",) * taste.mixed, scale=None)
        if style == "rough":
            pool = pool_of(rng, lambda: f"{rng.gauss(0, 1) * 10 ** rng.randint(-3, 2):.9g}")
            return Values(kind, pool, bound=1000, scale=None)
        if style == "eighths" and rng.random() < 0.4:
            return Values(kind, formula=f"(({{h}} % {16 * reach} - {8 * reach}) / 8.0)::{kind}", bound=reach, scale=3)
        pool = pool_of(rng, lambda: f"{rng.randint(-8 * reach, 8 * reach) / 8:g}")
        return Values(kind, pool + ("NaN", "Infinity") * (style == "special"), bound=reach, scale=3)

    return make


def numerics(rng, taste):
    if rng.random() < (0.3 if taste.wild else 0.55):
        precision, scale = rng.choice(((10, 2), (10, 2), (12, 4), (5, 0), (18, 6), (30, 10), (38, 3), (4, -2), (3, 5)))
        type_ = f"numeric({precision},{scale})"
        digits = min(precision - scale, 6 if rng.random() < 0.9 else 20)
        if (precision, scale) == (12, 4) and rng.random() < 0.5:
            type_, scale = "price", 3
        if digits == 6 and scale > 0 and rng.random() < 0.3:
            return Values(type_, formula=f"round({{h}} % 100000000 / 1000.0 - 40000, {scale})", bound=1e5, scale=scale)
    else:
        type_, scale, digits = "numeric", rng.choice((0, 1, 2, 2, 3, 6)), rng.choice((1, 3, 3, 6, 9))
    pool = pool_of(rng, lambda: digits_text(rng, digits, scale))
    if type_ == "numeric" and taste.mixed and rng.random() < 0.3:
        share = rng.choice((0.02, 0.5))
        pool = tuple(digits_text(rng, digits, rng.randint(0, 4)) if rng.random() < share else text for text in pool)
        scale = max(scale, 4)
    if taste.wild and rng.random() < 0.8:
        strange = ("NaN", "Infinity", "-Infinity", "1e40", "-1e-45", "12345678901234567890123456789012345678901.5")
        pool += tuple(rng.sample(strange, rng.randint(1, 4))) if type_ == "numeric" else ("NaN",)
        return Values(type_, pool, bound=10.0**digits, scale=scale, wild=True)
    return Values(type_, pool, bound=10.0**digits, scale=max(scale, 0))


def dates(rng, taste):
    if rng.random() < 0.1:
        pool = ("infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "2000-01-01", "1999-12-31")
        return Values("date", pool)
    if rng.random() < 0.4:
        return Values("date", formula="date '2020-01-01' + ({h} % 2500)::int4", bound=2500)
    return Values("date", pool_of(rng, lambda: day(rng)), bound=2500)


def day(rng):
    return f"{rng.randint(2017, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def clock(rng):
    fraction = rng.choice(("", "", ".5", f".{rng.randint(0, 999999):06}"))
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}{fraction}"


def timestamps(kind):
    def make(rng, taste):
        if rng.random() < 0.1:
            pool = ("infinity", "-infinity", "4713-11-24 00:00+00 BC", "294276-12-31 23:59:59.999999+00", "2000-01-01")
            return Values(kind, pool)
        if rng.random() < 0.4:
            return Values(kind, formula=f"{kind} '2020-01-01' + {{h}} % 200000000 * interval '1 second'", bound=2500)
        return Values(kind, pool_of(rng, lambda: f"{day(rng)} {clock(rng)}"), bound=2500)

    return make


def times(rng, taste):
    return Values("time", pool_of(rng, lambda: clock(rng)) + rng.choice(((), ("00:00", "24:00", "23:59:59.999999"))))


def timetzs(rng, taste):
    return Values("timetz", pool_of(rng, lambda: f"{clock(rng)}{rng.choice(('+00', '+01', '-08', '+05:30'))}"))


def intervals(rng, taste):
    def make():
        months = f"{rng.randint(1, 30)} mons {rng.randint(0, 9)} days"
        return rng.choice((f"{rng.randint(-40, 40)} days", clock(rng), months, f"-{clock(rng)}"))

    pool = pool_of(rng, make)
    if not taste.mixed:
        pool = tuple(f"{rng.randint(-100, 100)} days" for _ in pool)
    elif rng.random() < 0.3:
        pool += ("1 day", "24:00", "30 days", "1 mon", "178000000 years")
    return Values("interval", pool)


def uuids(rng, taste):
    if rng.random() < 0.3:
        return Values("uuid", formula="md5(({h} % 1000)::text)::uuid")
    return Values("uuid", pool_of(rng, lambda: f"{rng.getrandbits(128):032x}"))


def chars1(rng, taste):
    return Values('"char"', pool_of(rng, lambda: rng.choice(string.ascii_letters + " ~!")))


def oids(rng, taste):
    return Values("oid", pool_of(rng, lambda: str(rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, rng.randint(2, 99999))))))


def enums(rng, taste):
    return Values("mood", tuple(rng.sample(LABELS, rng.randint(1, len(LABELS)))))


def word(rng, length):
    """Text of up to so many characters."""
    style = rng.choices(("letters", "item", "marks", "unicode", "same"), (4, 3, 1, 1, 1))[0]
    if style == "item":
        return f"item {rng.randint(0, 40)}"[:length]
    letters = {"letters": "abcABC xyz", "marks": "a%_\\' \"b", "unicode": "aéß日本😀z", "same": "a"}[style]
    return "".join(rng.choice(letters) for _ in range(rng.randint(0, length)))


def texts(rng, taste):
    style = rng.choices(("short", "middle", "declared", "domain", "toasted"), (3, 4, 3, 1, 2))[0]
    if style == "declared":
        length = rng.choice((1, 1, 2, 5, 12, 40))
        return Values(f"varchar({length})", pool_of(rng, lambda: word(rng, length)))
    length = {"short": 7, "middle": 30, "domain": 10, "toasted": 130}[style]
    pool = pool_of(rng, lambda: word(rng, length))
    if style == "toasted":
        # one that compresses well, one that does not and goes out of line, one just above a short header
        chaos = "".join(rng.choice(string.printable[:62]) for _ in range(rng.choice((2100, 6000))))
        pool = (pool * 30)[:60] + (word(rng, 3) + "long" * rng.choice((600, 3000)), chaos, "x" * 127)
    return Values("label" if style == "domain" else "text", pool)


def bpchars(rng, taste):
    length = rng.choice((1, 1, 3, 6, 10, 30))
    return Values(f"char({length})", pool_of(rng, lambda: word(rng, length)))


def names(rng, taste):
    return Values("name", pool_of(rng, lambda: word(rng, rng.choice((3, 15)))))


def bit_strings(rng):
    """PostgreSQL's own from 64 bits on."""
    length = rng.choice((1, 5, 8, 17, 63, 64))
    return Values(f"bit({length})", formula=f"({{h}}::int8 * 4294967295)::bit({length})")


def others(rng, taste):
    """Types that gpudb only hands on, and bits, which are aggregated as well."""
    if rng.random() < 0.4:
        return bit_strings(rng)
    return rng.choice((
        Values("jsonb", ('{"a": 1}', "[1, 2, 3]", "null", '{"b": {"c": "long text in a document"}}')),
        Values("int4[]", formula="ARRAY[{h} % 5, NULL, 7]::int4[]"),
        Values("point", ("(0,0)", "(1.5,-2)")),
        Values("bytea", ("\\x", "\\x00ff", "\\x" + "ab" * 200)),
        Values("inet", ("10.0.0.1", "::1/64", "192.168.0.0/16")),
    ))  # fmt: skip


MAKERS = {
    "bool": bools, "int2": ints("int2"), "int4": ints("int4"), "int8": ints("int8"),
    "float4": floats("float4"), "float8": floats("float8"), "numeric": numerics,
    "date": dates, "time": times, "timetz": timetzs, "timestamp": timestamps("timestamp"),
    "timestamptz": timestamps("timestamptz"), "interval": intervals, "uuid": uuids, "char1": chars1,
    "oid": oids, "name": names, "enum": enums, "text": texts, "bpchar": bpchars, "other": others,
}  # fmt: skip


def random_column(rng, name, kind, taste):
    values = MAKERS[kind](rng, taste)
    nulls = rng.choice((0, 0, 0, 30, 30, 300, 1000, 1024))
    return Column(name, kind, values, rng.randrange(10**6) * 1000, nulls, nulls == 0 and rng.random() < 0.5)
