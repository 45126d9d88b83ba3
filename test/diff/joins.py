"""Random joins of 2 to 6 tables: inner, outer, of derived tables, semi and anti joins.

A join is a tree of Items.  Which keys it has depends on how many rows it
would have with them; where none will do there is the number that each table
has.  All fields are called by an alias and their name.
"""

import re
from typing import NamedTuple

from columns import FLOATS, NUMBERS
from expressions import COMPARISONS, Expr, Expressions, field
from keys import Key, changed, equal, fullest, key, present, random_pair
from tables import Table

TABLES = ((2, 3, 4, 5, 6), (46, 29, 14, 7, 4))
KINDS = (("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"), (35, 10, 30, 9, 10))
OUTER = ("LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
SEMI = (("EXISTS", "NOT EXISTS", "IN", "NOT IN"), (28, 22, 24, 26))
LOOP = 3e5  # pairs of rows that PostgreSQL may have to look at one by one
FEW = 50  # rows, where a join should rather leave all of them
CROSS = 3000  # rows of a join without a condition
MOST_JOINED = 1e8  # with more rows than this a query takes PostgreSQL longer than it may


class Item(NamedTuple):
    """Something in a FROM clause."""

    sql: str
    fields: tuple
    keys: tuple
    rows: float  # more or less
    most: float  # rows; never more
    where: tuple = ()  # conditions that belong in the WHERE clause
    table: Table = None  # of one that is a table, nothing else
    join: bool = False

    def operand(self, parentheses):
        return f"({self.sql})" if self.join and parentheses else self.sql


class Joins:
    """Makes the join of one query; `most_rows` is how many rows it should have at most, more or less."""

    def __init__(self, queries, most_rows):
        self.queries, self.rng, self.most_rows = queries, queries.rng, most_rows
        self.count = 0
        self.tables = [t for t in queries.tables if t.rows > 2]

    def item(self):
        rng, count = self.rng, self.rng.choices(*TABLES)[0]
        semi = min(rng.choices((0, 1, 2), (72, 25, 3))[0], count - 1)
        made = self.listed(count - semi) if count - semi > 1 and rng.random() < 0.2 else self.tree(count - semi)
        for _ in range(semi):
            made = self.semi(made)
        if rng.random() < 0.05:
            alias = rng.choice(made.fields).sql.partition(".")[0]
            made = made._replace(fields=made.fields + (Expr(alias, "other", "record"),))
        return made

    def expressions(self, *items):
        return Expressions(self.rng, [f for item in items for f in item.fields], self.queries.scalar)

    def test(self, item):
        """A condition on one item that mostly leaves a good part of its rows."""
        rng, expressions = self.rng, self.expressions(item)
        if rng.random() < 0.2:
            return expressions.boolean(rng.choice((1, 1, 2))).sql
        chosen = max(rng.choices(item.keys, k=3), key=Key.variety)
        tested = like = chosen.expr
        if tested.kind in NUMBERS and chosen.shares and not tested.pool:
            like = tested._replace(pool=(str(rng.choice(list(chosen.shares))),))
        form = rng.choice(("{} < {}", "{} >= {}", "{} <> {}", "{} <> {}", "{} IS NOT NULL"))
        return form.format(tested.sql, expressions.constant(tested.kind, like).sql)

    # tables

    def leaf(self):
        rng, queries = self.rng, self.queries
        table = rng.choice(self.tables if self.tables and rng.random() < 0.95 else queries.tables)
        alias = f"t{self.count}"
        self.count += 1
        if rng.random() < 0.12:
            return self.derived(table, alias)
        sql = f"{'ONLY ' if rng.random() < 0.01 else ''}{table.name} {rng.choice(('', 'AS '))}{alias}"
        item = table_item(sql, table, table.columns, f"{alias}.")._replace(table=table)
        if table.keyed:
            queries.keyed[f"{alias}.{table.name}_id"] = item.fields
        return item

    def derived(self, table, alias):
        """A subquery or CTE over a table: some of its columns, and an expression."""
        rng, inner = self.rng, table_item(table.name, table, table.columns)
        expressions = self.expressions(inner)
        chosen = [c for c in table.columns if c.name.endswith("_id") or rng.random() < 0.35]
        made = expressions.make(expressions.random_kind(), rng.choice((1, 1, 2)))
        tests = [self.test(inner)] if rng.random() < 0.7 else []
        outputs = ", ".join([c.name for c in chosen] + [f"{made.sql} AS x"])
        sql = f"(SELECT {outputs} FROM {table.name}{where_clause(tests)}{' OFFSET 0' if rng.random() < 0.1 else ''})"
        if rng.random() < 0.2:
            self.queries.ctes.append(f"s{alias} AS {rng.choice(('', 'MATERIALIZED ', 'NOT MATERIALIZED '))}{sql}")
            sql = f"s{alias}"
        made = made._replace(sql=f"{alias}.x")
        item = table_item(f"{sql} {alias}", table, chosen, f"{alias}.")
        return item._replace(fields=item.fields + (made,), rows=table.rows * (0.6 if tests else 1))

    # joins

    def tree(self, count):
        """A join of so many tables by JOIN, mostly of a join with one more table."""
        rng = self.rng
        if count == 1:
            return self.leaf()
        right = 1 if rng.random() < 0.75 else rng.randint(1, count - 1)
        return self.join(self.tree(count - right), self.tree(right))

    def listed(self, count):
        """A join of so many tables with a comma, and its conditions in the WHERE clause."""
        right = 1 if self.rng.random() < 0.75 else self.rng.randint(1, count - 1)
        left = count - right
        left = self.listed(left) if left > 1 and self.rng.random() < 0.7 else self.tree(left)
        right = self.tree(right)
        conditions, rows, most = self.conditions(left, right, "JOIN")
        made = both(left, right, f"{left.sql}, {right.sql}", rows, most)
        return made._replace(where=made.where + tuple(conditions))

    def join(self, left, right):
        rng, kind = self.rng, self.rng.choices(*KINDS)[0]
        if left.rows < FEW and rng.random() < 0.5:
            kind = "LEFT JOIN"
        if left.rows * right.rows < CROSS and rng.random() < 0.2:
            sql = f"{left.sql} CROSS JOIN {right.operand(True)}"
            return both(left, right, sql, left.rows * right.rows, left.most * right.most)
        if left.table and right.table and rng.random() < 0.08:
            made = self.using(left, right, kind)
            if made:
                return made
        conditions, rows, most = self.conditions(left, right, kind)
        left_rows = left.rows if kind in ("LEFT JOIN", "FULL JOIN") else 0
        right_rows = right.rows if kind in ("RIGHT JOIN", "FULL JOIN") else 0
        # without parentheses the ON clauses of a join to the right stand one after the other
        sql = f"{left.operand(rng.random() < 0.3)} {kind} {right.operand(rng.random() < 0.7)} ON {' AND '.join(conditions)}"
        made = both(left, right, sql, max(rows, left_rows, right_rows), outer_most(left, right, kind, most))
        if kind in ("LEFT JOIN", "FULL JOIN") and rng.random() < (0.1 if kind == "LEFT JOIN" else 0.3):
            tested = fullest(rng, right.keys).expr.sql
            made = made._replace(where=made.where + (f"{tested} IS {rng.choice(('', 'NOT '))}NULL",))
        if kind == "FULL JOIN" and rng.random() < 0.3:
            # what does not make it a left join
            tested = fullest(rng, rng.choice((left, right)).keys).expr.sql
            made = made._replace(where=made.where + (f"({tested} IS NULL OR {self.test(made)})",))
        return made

    def using(self, left, right, kind):
        """Of two tables, on columns of one name: that of a table with itself, or a name given to them."""
        (a, b), share = self.pair(left, right)
        if not (a.plain and b.plain) or left.rows * right.rows * share > self.most_rows:
            return None
        name, fields = a.column.name, ()
        if a.column is not b.column:
            alias = right.fields[0].sql.partition(".")[0]
            name = f"k{alias}"
            # these are no longer the tables themselves
            for key in [k for k in self.queries.keyed if k.startswith((f"{alias}.", f"{left.fields[0].sql.partition('.')[0]}."))]:
                del self.queries.keyed[key]
            left, right = renamed(left, a, name), renamed(right, b, name)
            fields = (a.expr._replace(sql=name),) if a.expr.type == b.expr.type else ()
        most = outer_most(left, right, kind, left.most * right.most)
        rows = max(left.rows * right.rows * share, left.rows, right.rows)
        made = both(left, right, f"{left.sql} {kind} {right.sql} USING ({name})", rows, most)
        return made._replace(fields=made.fields + fields)

    # conditions

    def conditions(self, left, right, kind):
        """What a join is on, how many rows have it more or less, and how many at most."""
        rng, pairs = self.rng, left.rows * right.rows
        if pairs < LOOP and pairs < 2 * self.most_rows and kind != "FULL JOIN" and rng.random() < 0.2:
            return [self.keyless(left, right)], pairs / 3, left.most * right.most
        conditions, rows, most = self.equalities(left, right)
        keys = len(conditions)
        if kind == "FULL JOIN" and rng.random() < 0.7:
            return conditions, rows, most
        if rng.random() < 0.1:
            conditions.append(self.residual(left, right))
        if rng.random() < (0.3 if kind in OUTER else 0.07):
            conditions.append(self.test(rng.choice((left, right))))
        rows /= 2 ** (len(conditions) - keys)
        rng.shuffle(conditions)
        return conditions, rows, most

    def equalities(self, left, right):
        """Equalities of keys, as many as the number of rows needs, or one more."""
        rng, found = self.rng, []
        rows, most, more = left.rows * right.rows, left.most * right.most, rng.choices((1, 2, 3), (72, 22, 6))[0]
        careful = rng.random() < 0.95
        for attempt in range(6):
            if len(found) >= more and rows <= self.most_rows:
                break
            (a, b), share = self.pair(left, right) if attempt < 4 else self.numbers(left, right)
            few = rows <= self.most_rows and rows * share < 5
            if (a, b) in found or found and few and careful:
                continue
            rows *= share
            most = min(most, left.most if b.unique else most, right.most if a.unique else most)
            found.append((a, b))
        turned = [(a, b) if rng.random() < 0.8 else (b, a) for a, b in found]
        return [f"{a.expr.sql} = {b.expr.sql}" for a, b in turned], rows, most

    def pair(self, left, right):
        """Two keys, and the share of pairs of rows that they let pass."""
        rng, pairs, best = self.rng, left.rows * right.rows, None
        low = max(3, min(pairs / 50, rng.choice((5, 50, 500, 5000)))) if rng.random() < 0.96 else 0
        for _ in range(12):
            a, b = random_pair(rng, left.keys, right.keys)
            share = equal(a, b)
            if pairs * share < low:
                continue
            if pairs * share <= self.most_rows:
                return (a, b), share
            best = ((a, b), share) if best is None or share < best[1] else best
        return best or self.numbers(left, right)

    def numbers(self, left, right):
        """The keys of two tables that say which row it is."""
        found = ([k for k in item.keys if k.column.name.endswith("_id")] for item in (left, right))
        a, b = (max(keys, key=lambda k: k.rows) for keys in found)
        return (a, b), equal(a, b)

    def unequal(self, left, right):
        """A condition that has no key to it."""
        rng, (a, b) = self.rng, random_pair(self.rng, left.keys, right.keys)
        c, d = random_pair(rng, left.keys, right.keys)
        other = self.expressions(left).constant(b.expr.kind, b.expr) if b.expr.kind == a.expr.kind else b.expr
        return rng.choice((
            f"{a.expr.sql} {rng.choice(('<', '<=', '>', '>=', '<>'))} {b.expr.sql}",
            f"{a.expr.sql} {rng.choice(('<', '<=', '>', '>='))} {b.expr.sql}",
            f"({a.expr.sql} <= {b.expr.sql} OR {c.expr.sql} {rng.choice(COMPARISONS)} {d.expr.sql})",
            f"{a.expr.sql} IS {rng.choice(('', 'NOT '))}DISTINCT FROM {b.expr.sql}",
            f"{a.expr.sql} {rng.choice(('', 'NOT '))}BETWEEN {rng.choice(('', 'SYMMETRIC '))}{b.expr.sql} AND {other.sql}",
        ))  # fmt: skip

    def band(self, left, right):
        """A key of one side between two of the other one, and perhaps one more bound."""
        rng, (a, b) = self.rng, random_pair(self.rng, left.keys, right.keys)
        if rng.random() < 0.5:
            left, right, a, b = right, left, b, a
        like = [k for k in right.keys if k.expr.kind == b.expr.kind] or [b]
        low, high = rng.sample((b, rng.choice((changed(rng, b), rng.choice(like)))), 2)
        form = rng.choice(("{0} BETWEEN {1} AND {2}", "{0} > {1} AND {2} > {0}", "{1} <= {0} AND {0} < {2}", "{0} > {1} AND {0} <= {2}"))
        made = form.format(a.expr.sql, low.expr.sql, high.expr.sql)
        return f"{made} AND {self.unequal(left, right)}" if rng.random() < 0.3 else made

    def keyless(self, left, right):
        return self.band(left, right) if self.rng.random() < 0.5 else self.unequal(left, right)

    def residual(self, left, right):
        """A condition on both sides beside the keys."""
        if self.rng.random() < 0.3:
            return self.expressions(left, right).boolean(self.rng.choice((1, 2))).sql
        return self.keyless(left, right)

    # semi and anti joins

    def semi(self, outer):
        """The item with one more condition in its WHERE clause: that another one has a partner, or none."""
        rng, inner = self.rng, self.leaf()
        (a, b), share = self.parting(outer, inner)
        kind = rng.choices(*SEMI)[0]
        few = max(share, 1 - share) > 0.9 or outer.rows * min(share, 1 - share) < 3
        if few and rng.random() < 0.85:
            kind = ("" if share > 0.5 else "NOT ") + kind.removeprefix("NOT ")
        own = list(inner.where)
        if kind == "NOT IN" and b.column.nulls and rng.random() < 0.7:
            own.append(f"{b.expr.sql} IS NOT NULL")
        if kind == "NOT IN" and rng.random() < 0.04:
            own.append(f"{b.expr.sql} IS NULL AND {b.expr.sql} IS NOT NULL" if rng.random() < 0.5 else f"{b.expr.sql} IS NULL")
        if rng.random() < 0.25:
            own.append(self.test(inner))
        loop = outer.rows * inner.rows < LOOP
        if kind.endswith("IN"):
            test = self.inside(kind, outer, (a, b), inner, own, loop)
        else:
            test = self.exists(kind, outer, (a, b), inner, own, loop)
        if loop and rng.random() < 0.08:
            test = f"({self.expressions(outer).boolean(1).sql} OR {test})"
        share = min(max(1 - share if "NOT" in kind else share, 0.01), 1)
        return outer._replace(where=outer.where + (test,), rows=outer.rows * share)

    def parting(self, outer, inner):
        """Two keys, and the share of the outer rows that have a partner: neither none nor all, mostly."""
        pairs = [random_pair(self.rng, outer.keys, inner.keys) for _ in range(self.rng.choice((1, 12, 12, 12)))]
        found = [((a, b), present(a, b, inner.rows)) for a, b in pairs]
        return min(found, key=lambda each: abs(each[1] - 0.5))

    def inside(self, kind, outer, pair, inner, own, loop):
        """IN, of one key or two; a correlated one is run for each row."""
        rng, (a, b) = self.rng, pair
        # what cannot be hashed is compared with every row
        if kind == "NOT IN" and a.expr.kind != b.expr.kind and not loop:
            a, b = self.numbers(outer, inner)[0]
        if loop and rng.random() < 0.15:
            own.append(self.keyless(outer, inner))
        left, right = a.expr.sql, b.expr.sql
        if rng.random() < 0.1:
            (c, d), _ = self.pair(outer, inner)
            if c.expr.kind == d.expr.kind or loop:
                left, right = f"({left}, {c.expr.sql})", f"{right}, {d.expr.sql}"
        return f"{left} {kind} (SELECT {right} FROM {inner.sql}{where_clause(own)})"

    def exists(self, kind, outer, pair, inner, own, loop):
        """EXISTS, mostly with a key; one that has none is run for each row, or once."""
        rng, (a, b) = self.rng, pair
        form = rng.random()
        if loop and form > 0.85:
            own.append(self.keyless(outer, inner))
        elif form > 0.05:
            own.append(f"{b.expr.sql} = {a.expr.sql}")
            if rng.random() < 0.2:
                own.append(self.residual(outer, inner))
        rng.shuffle(own)
        return f"{kind} (SELECT {rng.choice(('', '1', '*'))} FROM {inner.sql}{where_clause(own)})"


def where_clause(conditions):
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def table_item(sql, table, columns, prefix=""):
    """Columns of a table; all but those of which too little is known are keys."""
    fields = [(field(prefix + c.name, c), c) for c in columns]
    keys = tuple(key(f, c, table.rows) for f, c in fields if c.kind != "other" and not c.generated)
    return Item(sql, tuple(f for f, _ in fields), keys, table.rows, table.rows)


def both(left, right, sql, rows, most):
    """A join as an item; what was unique in one side is so no more."""
    keys = tuple(k._replace(unique=False) for k in left.keys + right.keys)
    rows, most = max(rows, 1), min(most, MOST_JOINED)
    return Item(sql, left.fields + right.fields, keys, rows, most, left.where + right.where, join=True)


def outer_most(left, right, kind, most):
    """How many rows a join has at most, with those of one side that have no partner."""
    more = (left.most if kind in ("LEFT JOIN", "FULL JOIN") else 0) + (right.most if kind in ("RIGHT JOIN", "FULL JOIN") else 0)
    return most + more


def renamed(item, old, name):
    """A table with a copy of a key's column."""
    alias, column = old.expr.sql.split(".")
    return item._replace(sql=f"(SELECT *, {column} AS {name} FROM {item.table.name}) {alias}", table=None)


def canonical(queries, e):
    """The expression such that equal values print alike, as the order of a join's rows is up to its plan; or None."""
    if queries.steady is None or e.sql.rpartition(".")[2] in queries.steady:
        return e
    if e.kind in FLOATS:
        return e.over(f"({e.sql} + 0::{e.kind})")
    if e.kind == "numeric":
        return e.over(f"round({e.sql}, {min(e.scale or 0, 6)})", scale=min(e.scale or 0, 6))
    return None if e.kind == "interval" else e


def steady(column):
    """Whether no two values in a column are equal and print differently."""
    pool = column.values.pool
    if column.kind == "interval":
        return all(re.fullmatch("-?[0-9]+ days", text) for text in pool)
    if column.kind == "numeric":
        places = {len(text.partition(".")[2]) for text in pool if re.fullmatch("[-.0-9]+", text)}
        return not column.generated and (len(places) <= 1 or column.values.type != "numeric")
    return "-0" not in pool
