"""Random queries: scans, aggregates, and both over subqueries, CTEs, UNION ALL and joins.

The modules of topics (topics.py) make their queries from what is here, too.
"""

import re
from typing import NamedTuple

import arithmetic  # noqa: F401  adds its rules
from columns import FLOATS, INTS, NUMBERS
from expressions import RISK, Expr, Expressions, digits, field, fits, max_scale
from joins import Joins, canonical, steady, where_clause
from tables import MANY, SMALL

TIMES = ("date", "time", "timetz", "timestamp", "timestamptz", "interval")
COLLATIONS = ("C", "en-x-icu", "de-x-icu", "und-x-icu")
EXTREMES = NUMBERS + TIMES + ("oid", "enum", "text")
FRAMES = ("",) * 6 + (" ROWS UNBOUNDED PRECEDING", " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
FRAMES += (" ROWS 2 PRECEDING", " ROWS BETWEEN 30 PRECEDING AND 3 FOLLOWING", " ROWS BETWEEN 2 FOLLOWING AND 1000 FOLLOWING")
FRAMES += (" ROWS BETWEEN UNBOUNDED PRECEDING AND 5 PRECEDING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")
FRAMES += (" RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", " GROUPS CURRENT ROW", " GROUPS 1 PRECEDING")
ORDERED = INTS + ("bool", "date", "time", "timestamp", "timestamptz", "oid", "enum", "uuid", "text")  # equal values print alike
SPREADS = ("stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp")
MOST_ROWS = 4e4
JOIN_ROWS, JOIN_GROUPED_ROWS = 2e4, 1.2e5  # of a join, more or less
ALL_FIELDS = 2e6  # values in a result with all fields


class Query(NamedTuple):
    sql: str
    aggregates: bool
    inexact: bool  # has float totals that depend on the order of rows
    wild: bool  # reads numerics that are NaN, infinite or longer than 38 digits
    late: str  # the same with a filter that stands above all joins; "" if there is none
    ordered: bool = False  # the order of its rows is told
    sums: bool = False  # has totals that depend on the order of rows unless they are exact
    topic: str = ""
    prelude: str = ""  # statements that must run before
    steps: tuple = ()  # of a cursor: its statements; sql is all of them


class Source(NamedTuple):
    """Something to select from: its SQL, and the fields it has."""

    sql: str
    fields: list
    rows: int


def table_source(table):
    return Source(table.name, [field(c.name, c) for c in table.columns], table.rows)


class Queries:
    def __init__(self, rng, tables):
        self.rng = rng
        self.tables = tables
        self.ctes = []
        self.inexact = False
        self.sums = False  # the same of sums, which can be exact
        self.addends = MOST_ROWS
        self.keyless = False  # all rows are one group
        self.ordered = False  # the order of rows is told
        self.steady = None  # in a join: columns whose equal values print alike
        self.keyed = {}  # of tables with a primary key: their fields, by that one
        self.filter = self.late_filter = ""  # of a join: its last condition, and the same above all joins
        self.wild_names = {c.name for t in tables for c in t.columns if c.values.wild}

    def query(self, joins=False):
        aggregates = self.rng.random() < 0.65
        source, where = self.drawn(joins, aggregates)
        return self.finished(self.grouped(source, where) if aggregates else self.scan(source, where), aggregates)

    def finished(self, sql, aggregates):
        """The Query of an SQL text."""
        sql = self.with_tables(sql)
        late = self.filter and sql.replace(self.filter, self.late_filter, 1)
        return Query(sql, aggregates, self.inexact, self.reads_wild(sql), late, self.ordered, self.sums)

    def reads_wild(self, sql):
        return not self.wild_names.isdisjoint(re.findall(r"\w+", sql))

    # sources

    def drawn(self, joins, aggregates):
        return self.joined(aggregates) if joins else self.source()

    def source(self):
        """A source, and its WHERE clause."""
        rng = self.rng
        shape = rng.choices(("table", "subquery", "union", "correlated"), (70, 13, 8, 5))[0]
        table = rng.choice(self.tables)
        self.ctes = []
        if shape == "correlated":
            pairs = [(a, b) for a in self.tables for b in self.tables if a.rows <= SMALL and b.rows <= MANY and a is not b]
            if pairs:
                return self.correlated(*rng.choice(pairs))
        if shape == "subquery":
            return self.derived([table])
        if shape == "union":
            return self.derived(rng.choices(self.tables, k=rng.choice((2, 2, 3))))
        source = table_source(table)
        if table.keyed:
            self.keyed[f"{table.name}_id"] = source.fields
        if rng.random() < 0.05:
            source = source._replace(sql=f"ONLY {source.sql}")
        return source, self.where(source)

    def joined(self, aggregates):
        """A join, and its WHERE clause."""
        rng, self.ctes = self.rng, []
        self.be_steady()
        joins = Joins(self, JOIN_GROUPED_ROWS if aggregates else JOIN_ROWS)
        item = joins.item()
        source, conditions = Source(item.sql, list(item.fields), int(item.most)), list(item.where)
        seen = {f.sql for f in item.fields}
        self.keyed = {number: fields for number, fields in self.keyed.items() if number in seen}
        self.addends = max(item.most, 1)
        if rng.random() < 0.4:
            depth = rng.choice((0, 0, 1, 1, 2, 3))
            conditions.append(self.expressions(source).boolean(depth).sql if depth else joins.test(item))
            fields = {f.sql.partition(".")[0]: f.sql for f in item.fields if f.kind != "other"}
            # what refers to all tables can be tested of joined rows only
            late = conditions[:-1] + [f"CASE WHEN num_nulls({', '.join(fields.values())}) >= 0 THEN {conditions[-1]} END"]
            self.filter, self.late_filter = where_clause(conditions), where_clause(late)
        return source, where_clause(conditions)

    def be_steady(self):
        """From now on the order of rows is up to a plan, so equal values must print alike."""
        self.steady = {c.name for t in self.tables for c in t.columns if steady(c)}

    def where(self, source, share=0.8):
        rng = self.rng
        if rng.random() > share:
            return ""
        return f" WHERE {self.expressions(source).boolean(rng.choice((1, 1, 2, 2, 3, 4))).sql}"

    def expressions(self, source):
        return Expressions(self.rng, source.fields, self.scalar)

    def scalar(self, kind):
        """An uncorrelated subquery with one value."""
        if kind not in EXTREMES:
            return None
        source = table_source(self.rng.choice(self.tables))
        inner = Expressions(self.rng, [f for f in source.fields if not f.wild])
        function = self.rng.choice(("min", "max"))
        value = inner.leaf(kind)
        return value.over(f"(SELECT {function}({value.sql}) FROM {source.sql}{self.where(source, 0.4)})")

    def correlated(self, outer_table, inner_table):
        """Rows of one table by what another one has for them."""
        rng, outer, inner = self.rng, table_source(outer_table), table_source(inner_table)
        expressions = Expressions(rng, inner.fields)
        kinds = {f.kind for f in outer.fields} - {"other", "bpchar", *FLOATS}
        pairs = [(a, b) for a in outer.fields for b in inner.fields if a.kind == b.kind and a.kind in kinds]
        outer_field, inner_field = rng.choice(pairs)
        condition = f"{inner_field.sql} {rng.choice(('=', '=', '<', '>='))} {outer_field.sql}"
        if rng.random() < 0.3:
            condition += f" AND {expressions.boolean(1).sql}"
        if rng.random() < 0.2:
            test = f"{rng.choice(('', 'NOT '))}EXISTS (SELECT FROM {inner.sql} WHERE {condition})"
        else:
            value = self.aggregate(expressions, inner.rows, exact=True)
            limit = f"{rng.choice(('>', '<=', '<>'))} {expressions.constant(value.kind, value).sql}"
            test = f"(SELECT {value.sql} FROM {inner.sql} WHERE {condition}) {limit}"
        before = f"{self.expressions(outer).boolean(1).sql} AND " if rng.random() < 0.75 else ""
        return outer, f" WHERE {before}{test}"

    def derived(self, tables):
        """A subquery or CTE over one table, or over UNION ALL of several."""
        rng = self.rng
        kinds = [rng.choice(table_source(tables[0]).fields).kind for _ in range(rng.randint(1, 4))]
        kinds = [kind for kind in kinds if kind != "other"] or ["int4"]
        parts, made = [], []
        for table in tables:
            source = table_source(table)
            expressions = self.expressions(source)
            made.append([expressions.make(kind, rng.choice((0, 0, 1, 2))) for kind in kinds])
            outputs = ", ".join(f"{e.sql} AS x{n}" for n, e in enumerate(made[-1]))
            parts.append(f"SELECT {outputs} FROM {source.sql}{self.where(source, 0.5)}")
        fence = " OFFSET 0" if len(tables) == 1 and rng.random() < 0.3 else ""
        fields = [merge(f"x{n}", column) for n, column in enumerate(zip(*made))]
        inner = " UNION ALL ".join(parts) + fence
        if rng.random() < 0.4:
            self.ctes.append(f"s AS {rng.choice(('', 'MATERIALIZED ', 'NOT MATERIALIZED '))}({inner})")
            inner = "s"
        else:
            inner = f"({inner}) s"
        source = Source(inner, fields, sum(table.rows for table in tables))
        return source, self.where(source, 0.5)

    def with_tables(self, sql):
        return f"WITH {', '.join(self.ctes)} {sql}" if self.ctes else sql

    # rows

    def scan(self, source, where):
        rng, expressions = self.rng, self.expressions(source)
        if rng.random() < 0.25:
            outputs = [rng.choice(source.fields) if rng.random() < 0.65 else expressions.make(expressions.random_kind(), 1) for _ in range(rng.randint(1, 4))]
            outputs = [o for o in outputs if o.kind != "other"]
            if outputs:
                return self.sorted(source, where, outputs)
        outputs = []
        for _ in range(rng.choice((1, 1, 2, 3, 3, 5)) if rng.random() < 0.97 else 0):
            if rng.random() < 0.65:
                outputs.append(rng.choice(source.fields).sql)
            else:
                outputs.append(expressions.make(expressions.random_kind(), rng.choice((1, 1, 2))).sql)
        if source.sql.isidentifier() and len(source.fields) > 4:
            outputs += [name for name in ("ctid", "tableoid::regclass") if rng.random() < 0.04]
        if rng.random() < 0.05 and len(source.fields) * source.rows < ALL_FIELDS:
            outputs = [f.sql for f in source.fields]
        return f"SELECT {', '.join(outputs)} FROM {source.sql}{where}"

    def sorted(self, source, where, outputs):
        """Rows in the order of all that is shown of them, so that it does not matter which of equal ones comes first."""
        rng = self.rng
        self.ordered = all(o.kind in ORDERED for o in outputs)
        outputs = [self.collated(o) if o.kind == "text" and rng.random() < 0.3 else o for o in outputs]
        order = [f"{n}{rng.choice(('', ' DESC'))}{rng.choice(('', '', ' NULLS FIRST', ' NULLS LAST'))}" for n in range(1, len(outputs) + 1)]
        rng.shuffle(order)
        shown = ", ".join(o.sql for o in outputs)
        rows = f" FROM {source.sql}{where}"
        if self.ordered and rng.random() < 0.15:
            on = [re.match(r"\d+", key)[0] for key in order[: rng.choice((1, 1, 2))]]
            return f"SELECT DISTINCT ON ({', '.join(on)}) {shown}{rows} ORDER BY {', '.join(order)}{self.bounds(0.3)}"
        named = f"SELECT {', '.join(f'{o.sql} AS y{n}' for n, o in enumerate(outputs, 1))}{rows}"
        if self.ordered and rng.random() < 0.4:
            windows = self.windows(outputs, order)
            if rng.random() < 0.4:
                calls = ", ".join(f"{call} AS w{n}" for n, call in enumerate(windows, 1))
                return self.over_sorted(f"SELECT *, {calls} FROM ({named}) w", outputs, windows)
            return f"SELECT *, {', '.join(windows)} FROM ({named}) w"
        if self.ordered and rng.random() < 0.15:
            self.ordered = False
            return self.over_sorted(f"{named} ORDER BY {', '.join(order)}{self.bounds(0.7)}", outputs, [])
        return f"SELECT {shown}{rows} ORDER BY {', '.join(order)}{self.bounds(0.5 if self.ordered else 0)}"

    def printable(self, source, count=None):
        """Expressions whose equal values print alike, at least one; by all of them the order of rows is total."""
        rng, expressions = self.rng, self.expressions(source)
        kinds = [k for k in expressions.kinds if k in ORDERED]
        if not kinds:
            return [Expr("42::int4", "int4", "int4", 42)]
        made = []
        for _ in range(count or rng.choice((1, 2, 2, 3))):
            kind = rng.choice(kinds)
            made.append(rng.choice(expressions.of_kind(kind)) if rng.random() < 0.75 else expressions.make(kind, 1))
        return made

    def order(self, names):
        """Names or numbers of outputs as keys of an order."""
        rng = self.rng
        return [f"{name}{rng.choice(('', ' DESC'))}{rng.choice(('', '', ' NULLS FIRST', ' NULLS LAST'))}" for name in names]

    def collated(self, text):
        """A text in the order of a collation."""
        return text._replace(sql=f'({text.sql}) COLLATE "{self.rng.choice(COLLATIONS)}"')

    def windows(self, outputs, order):
        """Window functions of y1, y2 and so on, in an order of all of them; the order of rows is not told."""
        rng = self.rng
        self.ordered = False
        names = [re.sub(r"^(\d+)", r"y\1", key) for key in order]
        cut = rng.choice((0, 0, 1, min(2, len(names))))
        partition = f"PARTITION BY {', '.join(name.split()[0] for name in names[:cut])} " if cut else ""
        ordering = f"ORDER BY {', '.join(names[cut:])}" if names[cut:] else ""
        chosen = rng.randrange(len(outputs))
        value = f"y{chosen + 1}"
        calls = ("row_number()", "rank()", "dense_rank()", f"lag({value})", f"lead({value}, {rng.choice((0, 1, 2, 40))})", f"first_value({value})", f"count({value})", "count(*)")
        calls += (f"last_value({value})", f"ntile({rng.choice((1, 4, 1000))})")
        calls += (f"min({value})", f"max({value})") if outputs[chosen].kind in EXTREMES and "COLLATE" not in outputs[chosen].sql else ()
        calls += (f"sum({value})", f"avg({value})") if outputs[chosen].kind in INTS + FLOATS else ()
        frame = rng.choice(FRAMES) if ordering else ""
        wanted = rng.sample(calls, rng.choice((1, 1, 2, 3)))
        self.sums |= outputs[chosen].kind in FLOATS and any(call.startswith(("sum", "avg")) for call in wanted)
        return [f"{call} OVER ({partition}{ordering}{frame})" for call in wanted]

    def over_sorted(self, rows, outputs, windows):
        """Aggregates over rows that were sorted: y1, y2 and so on, and w1, w2 of window functions."""
        rng = self.rng
        numbers = [f"w{n}" for n, call in enumerate(windows, 1) if re.match(r"row_number|rank|dense_rank|ntile|count", call)]
        keys = [f"y{n}" for n, o in enumerate(outputs, 1) if o.kind not in FLOATS and o.scale is not None and rng.random() < 0.3]
        calls = ["count(*)"] + [f"count(y{n})" for n in range(1, len(outputs) + 1)] + [f"count(w{n})" for n in range(1, len(windows) + 1)]
        calls += [f"{function}({name})" for name in numbers for function in ("sum", "avg", "max")]
        calls += [f"sum(y{n})" for n, o in enumerate(outputs, 1) if o.kind in ("int2", "int4")]
        calls += [f"sum(y{n} * {name})" for n, o in enumerate(outputs, 1) if o.kind in ("int2", "int4") for name in numbers]
        calls += [f"min(y{n})" for n, o in enumerate(outputs, 1) if o.kind in EXTREMES and o.kind not in FLOATS]
        chosen = keys + rng.sample(calls, min(len(calls), rng.choice((1, 2, 3))))
        where = f" WHERE {rng.choice(numbers)} {rng.choice(('<=', '>'))} {rng.choice((1, 5, 1000))}" if numbers and rng.random() < 0.3 else ""
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f"SELECT {', '.join(chosen)} FROM ({rows}) q{where}{by}"

    def bounds(self, share):
        """OFFSET and LIMIT; perhaps nothing."""
        rng = self.rng
        if rng.random() >= share:
            return ""
        offset = f" OFFSET {rng.choice((0, 1, 10, 500, 20000))}" if rng.random() < 0.5 else ""
        return f"{offset} LIMIT {rng.choice((0, 1, 7, 100, 3000))}"

    # aggregates

    def grouped(self, source, where):
        rng, expressions = self.rng, self.expressions(source)
        keys = [self.key(expressions) for _ in range(rng.choices(range(5), (4, 5, 3, 1, 1))[0])]
        keys = [key for key in keys if key]
        if keys and rng.random() < 0.12:
            top = self.top(keys, keys) if rng.random() < 0.3 else ""
            return f"SELECT DISTINCT {', '.join(k.sql for k in keys)} FROM {source.sql}{where}{top}"
        self.keyless = not keys
        aggregates = [self.aggregate(expressions, source.rows) for _ in range(rng.choice((1, 1, 2, 2, 3, 5)))]
        if rng.random() < 0.1:
            over = [self.over_distinct(expressions, source.rows) for _ in range(rng.choice((1, 1, 2)))]
            beside = [self.aggregate(expressions, source.rows, exact=True)] if rng.random() < 0.4 else []
            aggregates = [a for a in over if a] + beside or aggregates
        elif keys and all(k.kind in ORDERED for k in keys) and rng.random() < 0.12:
            sets = [self.ordered_set(expressions) for _ in range(rng.choice((1, 1, 2, 3)))]
            beside = [self.aggregate(expressions, source.rows, exact=True) for _ in range(rng.choice((0, 1, 1, 2)))]
            aggregates = [s for s in sets if s] + beside or aggregates
        self.keyless = False
        shown = self.determined(keys)
        values = [a for a in aggregates if a.scale is not None] + keys + shown
        outputs = keys + aggregates + shown
        above = Expressions(rng, values)
        if values and rng.random() < 0.2:
            outputs.append(above.make(rng.choice(values).kind, 2))
        if keys and rng.random() < 0.1:
            outputs = outputs[1:]
        having = f" HAVING {above.boolean(rng.choice((1, 2))).sql}" if values and rng.random() < 0.15 else ""
        by = f" GROUP BY {', '.join(k.sql for k in keys)}" if keys else ""
        if keys and not shown and len({k.sql for k in keys}) == len(keys) and rng.random() < 0.1:
            return f"SELECT {', '.join(o.sql for o in outputs)} FROM {source.sql}{where} GROUP BY {self.sets(keys)}{having}"
        top = self.top(keys, outputs) if keys and outputs[0] is keys[0] and rng.random() < 0.3 else ""
        return f"SELECT {', '.join(o.sql for o in outputs)} FROM {source.sql}{where}{by}{having}{top}"

    def sets(self, keys):
        """Grouping sets of keys."""
        rng, names = self.rng, [k.sql for k in keys]
        shape = rng.choice(("ROLLUP", "ROLLUP", "CUBE", "SETS"))
        if shape != "SETS":
            return f"{shape} ({', '.join(names[:3])}){''.join(f', {n}' for n in names[3:])}"
        chosen = [rng.sample(names, rng.randint(0, len(names))) for _ in range(rng.choice((1, 2, 3)))] + [names]
        return f"GROUPING SETS ({', '.join('(' + ', '.join(c) + ')' for c in chosen)})"

    def over_distinct(self, expressions, rows):
        """The Expr of an aggregate over distinct values; perhaps None."""
        arg = self.key(expressions)
        if arg is None or arg.kind in FLOATS:
            return None
        functions = ["count"] * 2 + (["sum"] if arg.kind in INTS else []) + (["min", "max"] if arg.kind in EXTREMES else [])
        function = self.rng.choice(functions)
        if function in ("min", "max"):
            return arg.over(f"{function}({self.rng.choice(('DISTINCT ', ''))}{arg.sql})", scale=arg.scale or 0)
        kind = "numeric" if function == "sum" and arg.kind == "int8" else "int8"
        bound = arg.bound * max(rows, 1) if function == "sum" else rows
        return likely(self, Expr(f"{function}(DISTINCT {arg.sql})", kind, kind, bound))

    def ordered_set(self, expressions):
        """The Expr of an aggregate of a group's values in their order; perhaps None."""
        rng = self.rng
        arg = self.key(expressions)
        if arg is None or arg.kind not in ORDERED:
            return None
        order = rng.choice(("", "", " DESC", " NULLS FIRST"))
        fraction = rng.choice(("0", "1", "0.5", f"{rng.random():.4f}"))
        if arg.kind in INTS and rng.random() < 0.3:
            made = Expr(f"percentile_cont({fraction}) WITHIN GROUP (ORDER BY ({arg.sql})::float8{order})", "float8", "float8", arg.bound, None)
        else:
            function = rng.choice(("mode()", f"percentile_disc({fraction})"))
            made = arg.over(f"{function} WITHIN GROUP (ORDER BY {arg.sql}{order})", scale=arg.scale or 0)
        if rng.random() < 0.25:
            made = made.over(f"{made.sql} FILTER (WHERE {expressions.boolean(rng.choice((1, 1, 2))).sql})")
        return made

    def determined(self, keys):
        """Fields that need not be keys, after what determines them has been added to these."""
        rng, keyed = self.rng, self.keyed
        if not keyed or rng.random() < 0.6:
            return []
        number = rng.choice(list(keyed))
        if number not in [k.sql for k in keys]:
            keys.append(next(f for f in keyed[number] if f.sql == number))
        chosen = rng.sample(keyed[number], min(len(keyed[number]), rng.choice((1, 2, 4))))
        return [f for f in chosen if f.sql != number and f.kind != "other"]

    def top(self, keys, outputs):
        """ORDER BY and LIMIT, for the first groups by one of the outputs; the keys, all of them outputs, decide among its equals."""
        rng = self.rng
        ordered = [n for n, o in enumerate(outputs, 1) if o.scale is not None]
        if not ordered:
            return ""
        first = rng.choice(ordered)
        order = [f"{first}{rng.choice(('', ' DESC'))}{rng.choice(('', '', ' NULLS FIRST', ' NULLS LAST'))}"]
        order += [str(n) for n in range(1, len(keys) + 1) if n != first]
        offset = f" OFFSET {rng.choice((1, 7))}" if rng.random() < 0.2 else ""
        return f" ORDER BY {', '.join(order)} LIMIT {rng.choice((1, 2, 5, 10, 100))}{offset}"

    def key(self, expressions):
        """A field or an expression of fields; a constant would be the number of a column."""
        rng = self.rng
        kind = expressions.random_kind() if expressions.kinds else None
        if kind is None:
            return None
        depth = 0 if rng.random() < 0.7 else rng.choice((1, 2))
        made = rng.choice(expressions.of_kind(kind)) if depth == 0 else expressions.make(kind, depth)
        names = {f.sql for f in expressions.fields}
        if names.isdisjoint(re.findall(r"[\w.]+", made.sql)) or "SELECT" in made.sql:
            return None
        return canonical(self, made)

    def aggregate(self, expressions, rows, exact=False):
        """The Expr of an aggregate; one whose scale is None depends on the order of rows in its last digits."""
        rng = self.rng
        while True:
            made = rng.choices(*AGGREGATES)[0](self, expressions, max(rows, 1))
            if made is None or (exact and made.scale is None):
                continue
            if made.scale is None:
                if re.match(r"(sum|avg)\(", made.sql):
                    self.sums = True
                else:
                    self.inexact = True
            if rng.random() < 0.25:
                # an element of a result comes after the filter
                call, element = made.sql.rsplit(")[", 1) if made.sql.endswith("]") else (made.sql, "")
                condition = expressions.boolean(rng.choice((1, 1, 2))).sql
                made = made.over(f"{call} FILTER (WHERE {condition}){element and ')[' + element}")
            return made


def merge(name, column):
    """The field of a derived table that takes its values from several expressions."""
    bound, scale = max(e.bound for e in column), max_scale(*(e.scale for e in column))
    return column[0]._replace(sql=name, bound=bound, scale=scale, wild=any(e.wild for e in column))


def counting(queries, expressions, rows):
    rng, counted = queries.rng, "*"
    if rng.random() < 0.5:
        chosen = rng.choice(expressions.fields)
        plain = chosen.kind == "other" or rng.random() < 0.5
        counted = chosen.sql if plain else expressions.make(chosen.kind, 1).sql
    return Expr(f"count({counted})", "int8", "int8", rows)


def argument(queries, expressions, kinds):
    """An argument for an aggregate, of a kind that there are fields of, if any."""
    rng = queries.rng
    present = [k for k in expressions.kinds if k in kinds]
    return expressions.make(rng.choice(present or kinds), rng.choice((0, 0, 1, 1, 2)))


def total(queries, expressions, rows):
    arg = argument(queries, expressions, NUMBERS)
    function = queries.rng.choice(("sum", "sum", "avg"))
    if arg.kind in FLOATS:
        return float_total(queries, function, arg, rows)
    if function == "avg":
        return likely(queries, Expr(f"avg({arg.sql})", "numeric", "numeric", arg.bound, max(16, arg.scale)))
    kind = "numeric" if arg.kind in ("int8", "numeric") else "int8"
    return likely(queries, Expr(f"sum({arg.sql})", kind, kind, arg.bound * rows, arg.scale))


def likely(queries, made):
    """Mostly None for what would raise an error."""
    return made if fits(made) or queries.rng.random() < RISK else None


def float_total(queries, function, arg, rows):
    """Sums of floats are exact where all addends are multiples of a power of two; + 0 takes the sign from zeros."""
    bits = 2.0**23 if arg.kind == "float4" and function == "sum" else 2.0**52
    kind = arg.kind if function == "sum" else "float8"
    bound = arg.bound * (rows if function == "sum" else 1)
    if arg.scale is not None and arg.bound * 2.0**arg.scale * queries.addends < bits:
        return Expr(f"{function}({arg.sql} + 0::{arg.kind})", kind, kind, bound, arg.scale + 10)
    if arg.kind == "float4" or arg.bound > 1e6 or arg.scale is None and "power" in arg.sql:
        return None
    return Expr(f"{function}({arg.sql})", kind, kind, bound, None)


def extreme(queries, expressions, rows):
    arg = argument(queries, expressions, EXTREMES)
    if arg.kind in FLOATS and arg.scale is None and not arg.sql.replace(".", "_").isidentifier():
        return None
    arg = canonical(queries, arg)
    return arg and arg.over(f"{queries.rng.choice(('min', 'max'))}({arg.sql})", scale=arg.scale or 0)


def truth(queries, expressions, rows):
    function = queries.rng.choice(("bool_and", "bool_or", "every"))
    return Expr(f"{function}({expressions.boolean(1).sql})", "bool", "bool")


def bits(queries, expressions, rows):
    function = queries.rng.choice(("bit_and", "bit_or", "bit_xor"))
    strings = [f for f in expressions.fields if f.type.startswith("bit(")]
    if strings and queries.rng.random() < 0.5:
        chosen = queries.rng.choice(strings)
        return chosen.over(f"{function}({chosen.sql})")
    arg = argument(queries, expressions, INTS)
    return arg.over(f"{function}({arg.sql})", bound=arg.bound * 2)


def spread(queries, expressions, rows):
    """Standard deviations and variances: of numerics by their squares, of floats in the order of rows."""
    arg = argument(queries, expressions, NUMBERS)
    function = queries.rng.choice(SPREADS)
    if arg.kind in FLOATS:
        exact = arg.bound < 1e6 and arg.scale is not None
        return Expr(f"{function}({arg.sql})", "float8", "float8", 1e6, None) if exact else None
    if 2 * (digits(arg.bound) + (arg.scale or 0)) > 30 and queries.rng.random() > RISK:
        return None
    return Expr(f"{function}({arg.sql})", "numeric", "numeric", min(arg.bound, 1e6), 8)


def percentile(queries, expressions, rows):
    """A value by its rank, or what lies between two of them."""
    rng = queries.rng
    if not queries.keyless:
        return None
    fractions = [rng.choice(("0", "1", "0.5", "0.25", "0.999", f"{rng.random():.4f}")) for _ in range(rng.choice((1, 1, 1, 2, 5)))]
    several, place = len(fractions) > 1, rng.randint(1, len(fractions))
    fraction = f"ARRAY[{', '.join(fractions)}]" if several else fractions[0]
    before, after = ("(", f")[{place}]") if several else ("", "")
    order = rng.choice(("", "", " DESC", " NULLS FIRST"))
    arg = argument(queries, expressions, INTS + FLOATS + ("date", "timestamp", "time"))
    if arg.kind in FLOATS and arg.scale is None and not arg.sql.replace(".", "_").isidentifier():
        return None
    if arg.kind in INTS + FLOATS and rng.random() < 0.4:
        made = f"{before}percentile_cont({fraction}) WITHIN GROUP (ORDER BY ({arg.sql})::float8{order}){after}"
        return Expr(made, "float8", "float8", arg.bound, None)
    arg = canonical(queries, arg)
    return arg and arg.over(f"{before}percentile_disc({fraction}) WITHIN GROUP (ORDER BY {arg.sql}{order}){after}", scale=arg.scale or 0)


AGGREGATES = ((counting, total, extreme, truth, bits, spread, percentile), (4, 6, 5, 1, 1, 2, 2))
