"""Random tables, and how they come to be.

A table is filled in three parts.  After the first, columns are dropped and
others added; between the second and the third it is vacuumed, updated and rows
are deleted.  `setup` does that, before the snapshot that the queries use.
`churn` is what a second connection does after the snapshot was taken, and
which no query may see.
"""

from typing import NamedTuple

from columns import MAKERS, Column, Taste, Values, quote, random_column

SIZES = (0, 1, 2, 31, 33, 150, 511, 513, 2000, 6000, 20000)
WEIGHTS = (1, 1, 1, 2, 2, 8, 2, 2, 8, 4, 1)
SMALL, MANY = 150, 2000  # rows, for the two sides of a correlated subquery
PLAIN = Taste(wild=False, mixed=False)
TWICE = ("int4", "int8", "numeric", "float8", "date", "text", "bpchar")


class Table(NamedTuple):
    name: str
    rows: int
    columns: tuple
    temporary: bool
    view: bool  # a materialised one, which nothing but a refresh changes
    keyed: bool  # its number is its primary key
    setup: tuple  # SQL statements
    churn: tuple  # lists of SQL statements; each list is one transaction


def random_table(rng, name, taste, rows, shape):
    columns = choose_columns(rng, name, taste)
    early = [c for c in columns if not c.default]
    late = [c for c in columns if c.default]
    builder = Builder(rng, name, early, late, rows, shape)
    temporary = shape == "temporary"
    view = shape == "materialised"
    return Table(name, rows, tuple(columns), temporary, view, builder.keyed, tuple(builder.setup()), tuple(builder.churn()))


def choose_columns(rng, table, taste):
    kinds = [kind for kind in MAKERS if rng.random() < 0.75]
    kinds += [kind for kind in TWICE if rng.random() < 0.5]
    kinds += ["numeric", "numeric"] if taste.wild else []
    rng.shuffle(kinds)
    columns = [Column(f"{table}_id", "int4", Values("int4", bound=1e5), 0, 0, True)]
    for number, kind in enumerate(kinds):
        column = random_column(rng, f"{table}_{kind}_{number}", kind, taste)
        if rng.random() < 0.12:
            column = late_column(rng, column)
        columns.append(column)
    columns += generated_columns(rng, table, columns)
    first, rest = columns[0], columns[1:]
    rng.shuffle(rest)
    rest.insert(rng.randint(0, len(rest)) if rng.random() < 0.5 else 0, first)
    return rest


def late_column(rng, column):
    """One that is added when there are rows already: their value is the default, or NULL."""
    if column.values.pool and rng.random() < 0.7:
        return column._replace(default=f"{quote(rng.choice(column.values.pool))}")
    return column._replace(default="NULL", not_null=False)


def generated_columns(rng, table, columns):
    base = [c for c in columns if not c.default and not c.values.wild and rng.random() < 0.3]
    for number, column in enumerate(base[:3]):
        values = column.values
        if column.kind == "text":
            expression, kind, values = f"left({column.name}, 3)", "text", Values("text")
        elif column.kind == "numeric" and values.bound < 1e9:
            expression, kind = f"{column.name} * 2", "numeric"
            values = Values("numeric", bound=2 * values.bound, scale=values.scale)
        elif column.kind == "int4" and values.bound < 1e6:
            expression, kind, values = f"{column.name} + 1", "int8", Values("int8", bound=values.bound + 1)
        elif column.kind == "bool":
            expression, kind, values = f"NOT {column.name}", "bool", Values("bool")
        else:
            continue
        yield Column(f"{table}_made_{number}", kind, values, 0, column.nulls, False, generated=expression)


class Builder:
    """The statements that make one table.

    `shape`: plain, unlogged, temporary, ranges, hashed, inherited or materialised.
    """

    def __init__(self, rng, name, early, late, rows, shape):
        self.rng, self.name, self.early, self.late, self.shape = rng, name, early, late, shape
        self.target = f"{name}_base" if shape == "materialised" else name
        self.cuts = sorted(rng.randint(0, rows) for _ in range(2)) + [rows]
        self.gone = [random_column(rng, f"gone_{n}", rng.choice(list(MAKERS)), PLAIN) for n in range(rng.randint(0, 3))]
        self.id = f"{name}_id"
        self.keyed = shape not in ("inherited", "materialised") and rng.random() < 0.5

    def setup(self):
        rng, target = self.rng, self.target
        yield from self.create()
        if self.keyed:
            yield f"ALTER TABLE {target} ADD PRIMARY KEY ({self.id})"
        yield self.insert(self.target, self.early + self.gone, 1, self.cuts[0])
        for column in self.gone:
            yield f"ALTER TABLE {target} DROP COLUMN {column.name}"
        second = yield from self.second_part()
        for column in self.late:
            yield f"ALTER TABLE {target} ADD COLUMN {column.declaration()}"
        yield self.insert(second, self.early + self.late, self.cuts[0] + 1, self.cuts[1])
        if rng.random() < 0.6:
            yield f"VACUUM ({rng.choice(('FREEZE', 'TRUNCATE false'))}) {target}"
        if rng.random() < 0.7:
            yield self.update(rng.choice((5, 50, 300, 1024)))
        if rng.random() < 0.4:
            yield self.delete(rng.choice((5, 100, 700)))
        if rng.random() < 0.3:
            yield f"BEGIN; {self.insert(target, self.early + self.late, 900001, 900100)}; ROLLBACK"
        yield self.insert(self.third_part(), self.early + self.late, self.cuts[1] + 1, self.cuts[2])
        if rng.random() < 0.4:
            yield f"CREATE INDEX ON {target} ({self.id})"
        if self.shape == "materialised":
            yield f"CREATE MATERIALIZED VIEW {self.name} AS SELECT * FROM {target}"
        yield f"ANALYZE {self.name}"

    def create(self):
        columns = self.early + self.gone
        self.rng.shuffle(columns)
        listed = ", ".join(column.declaration() for column in columns)
        kind = {"unlogged": "UNLOGGED ", "temporary": "TEMPORARY "}.get(self.shape, "")
        clause = {"ranges": " PARTITION BY RANGE", "hashed": " PARTITION BY HASH"}.get(self.shape)
        clause = f"{clause} ({self.id})" if clause else ""
        yield f"CREATE {kind}TABLE {self.target} ({listed}){clause}"
        if self.shape == "hashed":
            for part in range(3):
                yield self.partition(part, f"FOR VALUES WITH (MODULUS 3, REMAINDER {part})")
        if self.shape == "ranges":
            yield self.partition("first", f"FOR VALUES FROM (MINVALUE) TO ({self.cuts[0] + 1})")
        if self.shape == "inherited":
            yield f"CREATE TABLE {self.name}_child (extra text) INHERITS ({self.name})"
        yield from self.storage()

    def partition(self, suffix, bounds):
        return f"CREATE TABLE {self.name}_{suffix} PARTITION OF {self.name} {bounds}"

    def storage(self):
        for column in self.early:
            if column.kind == "text" and self.rng.random() < 0.3:
                how = self.rng.choice(("EXTERNAL", "MAIN", "EXTENDED"))
                yield f"ALTER TABLE {self.target} ALTER COLUMN {column.name} SET STORAGE {how}"

    def second_part(self):
        """Partitions and children whose columns stand in another order; says where the second part of the rows goes."""
        if self.shape not in ("ranges", "inherited"):
            return self.target
        columns, odd = list(self.early), f"{self.name}_odd"
        self.rng.shuffle(columns)
        columns.insert(self.rng.randint(0, len(columns)), random_column(self.rng, "gone_too", "text", PLAIN))
        yield f"CREATE TABLE {odd} ({', '.join(column.declaration() for column in columns)})"
        yield f"ALTER TABLE {odd} DROP COLUMN gone_too"
        if self.shape == "inherited":
            yield f"ALTER TABLE {odd} INHERIT {self.name}"
            return odd
        if self.cuts[0] < self.cuts[1]:
            bounds = f"FROM ({self.cuts[0] + 1}) TO ({self.cuts[1] + 1})"
            yield f"ALTER TABLE {self.name} ATTACH PARTITION {odd} FOR VALUES {bounds}"
        yield self.partition("rest", "DEFAULT")
        return self.target

    def third_part(self):
        return f"{self.name}_child" if self.shape == "inherited" else self.target

    def insert(self, target, columns, first, last):
        columns = [c for c in columns if not c.generated]
        names = ", ".join(c.name for c in columns)
        values = ", ".join("i" if c.name == self.id else c.value("i") for c in columns)
        return f"INSERT INTO {target} ({names}) SELECT {values} FROM generate_series({first}, {last}) i"

    def some(self, share):
        return f"(hashint8extended({self.id}, {self.rng.randrange(10**6)}) & 1023) < {share}"

    def update(self, share):
        columns = [c for c in self.early + self.late if not c.generated and c.name != self.id]
        chosen = self.rng.sample(columns, min(len(columns), self.rng.randint(1, 4)))
        # an empty assignment does not exist, so a table of one column assigns its key to itself
        changes = ", ".join(f"{c.name} = {c.value(self.id, self.rng.randint(2, 99))}" for c in chosen)
        return f"UPDATE {self.target} SET {changes or f'{self.id} = {self.id}'} WHERE {self.some(share)}"

    def delete(self, share):
        return f"DELETE FROM {self.target} WHERE {self.some(share)}"

    def churn(self):
        rng = self.rng
        if self.shape == "temporary":
            return
        for n in range(1, 1 + rng.randint(1, 4)):
            yield rng.choice((
                lambda: [self.update(rng.choice((10, 200, 1024)))],
                lambda: [self.delete(rng.choice((10, 300)))],
                lambda: [self.insert(self.target, self.early + self.late, 100000 * n + 1, 100000 * n + rng.randint(1, 200))],
                lambda: [self.update(100), self.delete(100), self.update(500)],
                lambda: [f"SELECT FROM {self.target} WHERE {self.some(100)} FOR UPDATE", self.update(50)],
                lambda: [f"VACUUM (TRUNCATE false) {self.target}"],
            ))()  # fmt: skip
