"""Random queries of tables with a column or two, all of which are shown.

The columns stand in the tables' order, so no expression is left to compute for a row.
What rows are filtered by, joined on or limited to are values that are known when the
query runs: of stable functions, of subqueries, of parameters.
"""

from columns import Column, Values
from expressions import COMPARISONS, Expr, field
from queries import Query

ROWS = (1, 40, 700, 3000)
SHAPES = (("int4",), ("int4",), ("int4", "date"), ("date", "int4"), ("int4", "int4"), ("text", "int4"))
VALUES = {
    "int4": Values("int4", formula="({h} % 200 - 20)::int4", bound=200),
    "date": Values("date", formula="date '2020-01-01' + ({h} % 2500)::int4", bound=2500),
    "text": Values("text", tuple(f"item {n}" for n in range(20))),
}
STABLE = {
    "int4": (
        "extract(year FROM now())::int - 2000", "length(current_date::text)", "{n} + length(current_user::text)",
        "abs(extract(day FROM now())::int - {n})", "NULLIF(length(now()::text), {n})", "{n} / (extract(year FROM now())::int - 2000)", "{n}",
    ),
    "date": ("current_date", "current_date - {n}", "(now() - interval '{n} days')::date", "make_date(2022, 1 + {n} % 12, 1)"),
    "text": ("'item ' || length(current_date::text)", "left('item {n}', 6)", "current_user::text"),
}  # fmt: skip


class Narrow:
    """A table."""

    def __init__(self, rng, name):
        self.name, self.rows = name, rng.choice(ROWS)
        kinds = rng.choice(SHAPES)
        self.columns = []
        for n, kind in enumerate(kinds):
            self.columns.append(Column(f"{name}_{n}", kind, VALUES[kind], rng.randrange(10**6) * 1000, rng.choice((0, 0, 30)), False))

    def setup(self):
        yield f"CREATE TABLE {self.name} ({', '.join(c.declaration() for c in self.columns)})"
        yield f"INSERT INTO {self.name} SELECT {', '.join(c.value('i') for c in self.columns)} FROM generate_series(1, {self.rows}) i"
        yield f"ANALYZE {self.name}"

    def fields(self, alias):
        return [field(f"{alias}.{c.name}", c) for c in self.columns]


def tables(rng):
    return [Narrow(rng, name) for name in ("h", "k")]


def query(rng, found):
    return Maker(rng, found).query()


class Maker:
    def __init__(self, rng, found):
        self.rng, self.found, self.parameters = rng, found, []
        self.prepared = rng.random() < 0.25

    def query(self):
        rng = self.rng
        sql, ordered = rng.choices((self.scan, self.join, self.groups), (5, 5, 2))[0]()
        aggregates = rng.random() < 0.2
        if aggregates:
            sql, ordered = f"SELECT count(*) FROM ({sql}{rng.choice(('', ' OFFSET 0'))}) q", False
        if not self.parameters:
            return Query(sql, aggregates, False, False, "", ordered)
        mode = rng.choice(("auto", "force_generic_plan", "force_custom_plan"))
        prelude = f"SET LOCAL plan_cache_mode = {mode}; PREPARE p AS {sql}"
        return Query(f"EXECUTE p({', '.join(self.parameters)})", aggregates, False, False, "", ordered, prelude=prelude)

    def value(self, kind):
        """A value that is known when the query runs."""
        rng = self.rng
        if rng.random() < 0.2:
            table = rng.choice(self.found)
            like = [f for f in table.fields("v") if f.kind == kind]
            if like:
                return f"(SELECT {rng.choice(('min', 'max'))}({rng.choice(like).sql}) FROM {table.name} v)"
        sql = rng.choice(STABLE[kind]).format(n=rng.choice((1, 7, 30, 150, 1000)))
        if self.prepared and rng.random() < 0.5:
            self.parameters.append(sql)
            return f"(${len(self.parameters)}::{kind})"
        return f"({sql})"

    def test(self, fields):
        rng = self.rng
        if rng.random() < 0.15:
            made = f"{self.value('date')} {rng.choice('<>')} '2022-06-01'"
        else:
            tested = rng.choice(fields)
            made = f"{self.operand(tested)} {rng.choice(COMPARISONS)} {self.value(tested.kind)}"
        if rng.random() < 0.2:
            made = f"({made} {rng.choice(('AND', 'OR'))} {self.test(fields)})"
        return made

    def operand(self, tested):
        """A column, perhaps moved by a value."""
        if tested.kind in ("int4", "date") and self.rng.random() < 0.3:
            return f"({tested.sql} {self.rng.choice('+-')} {self.value('int4')})"
        return tested.sql

    def scan(self):
        rng, table = self.rng, self.rng.choice(self.found)
        fields = table.fields("x")
        where = f" WHERE {self.test(fields)}" if rng.random() < 0.9 else ""
        sql = f"SELECT {rng.choice(('*', ', '.join(f.sql for f in fields)))} FROM {table.name} x{where}"
        if rng.random() < 0.6:
            return sql, False
        order = ", ".join(f"{n}{rng.choice(('', ' DESC'))}" for n in range(1, len(fields) + 1))
        limit = f" LIMIT abs({self.value('int4')})" if rng.random() < 0.5 else ""
        return f"{sql} ORDER BY {order}{limit}", True

    def join(self):
        """All columns of two tables, or of the first one; the keys are of one kind, and moved by a value on one side."""
        rng = self.rng
        x, y = (rng.choice(self.found) for _ in range(2))
        left, right = x.fields("x"), y.fields("y")
        pairs = [(a, b) for a in left for b in right if a.kind == b.kind]
        if not pairs or x.rows * y.rows > 3e6:
            return self.scan()
        a, b = rng.choice(pairs)
        on = [f"{a.sql} = {self.operand(b)}"]
        if rng.random() < 0.4:
            on.append(self.test(rng.choice((left, right, left + right))))
        if rng.random() < 0.2:
            return f"SELECT * FROM {x.name} x WHERE {rng.choice(('', 'NOT '))}EXISTS (SELECT FROM {y.name} y WHERE {' AND '.join(on)})", False
        kind = rng.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"))
        where = f" WHERE {self.test(left)}" if rng.random() < 0.3 else ""
        return f"SELECT {rng.choice(('*', 'x.*', 'y.*, x.*'))} FROM {x.name} x {kind} {y.name} y ON {' AND '.join(on)}{where}", False

    def groups(self):
        rng, table = self.rng, self.rng.choice(self.found)
        fields = table.fields("x")
        keys = ", ".join(f.sql for f in fields)
        where = f" WHERE {self.test(fields)}" if rng.random() < 0.7 else ""
        having = f" HAVING {self.test(fields + [Expr('count(*)', 'int4', 'int4')])}" if rng.random() < 0.5 else ""
        return f"SELECT {rng.choice((keys, f'{keys}, count(*)'))} FROM {table.name} x{where} GROUP BY {keys}{having}", False
