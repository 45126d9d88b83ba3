"""Random correlated subqueries: of one value, EXISTS, IN, ANY and ALL, one in another, wherever SQL lets them stand.

Most of them run once a row, so the number of runs and the product of the tables' rows are bounded.
"""

from expressions import COMPARISONS, Expr, Expressions, field
from queries import Source

PAIRS = 1.5e5  # of rows, at most
RUNS = 1500  # of one subquery; each may take a GPU some tenths of a millisecond
FAMILIES = ("int4", "int8", "int2", "numeric", "text", "date", "timestamp", "bool", "uuid", "enum", "oid", "time")


def query(queries, joins):
    rng = queries.rng
    queries.be_steady()
    made = Correlated(queries)
    shape = rng.choices((made.rows, made.groups, made.having, made.joined, made.lateral), (5, 4, 2, 3, 2))[0]
    return shape()


def aliased(table, alias):
    return Source(f"{table.name} {alias}", [field(f"{alias}.{c.name}", c) for c in table.columns], table.rows)


class Correlated:
    def __init__(self, queries):
        self.queries, self.rng = queries, queries.rng
        self.count = 0
        smallest = min(t.rows for t in queries.tables)
        self.outer = aliased(self.rng.choice([t for t in queries.tables if t.rows <= max(RUNS, smallest)]), "o")

    def inner(self, pairs):
        """A table to be looked through for each of so many rows; the smallest one where all are too large."""
        tables = [t for t in self.queries.tables if t.rows * pairs <= PAIRS]
        table = self.rng.choice(tables) if tables else min(self.queries.tables, key=lambda t: t.rows)
        self.count += 1
        return aliased(table, f"i{self.count}")

    def link(self, inner, outer):
        """A condition on a row of each; on one alone where no columns are of one kind, as those of few group keys may be."""
        rng = self.rng
        pairs = [(a, b) for a in inner.fields for b in outer.fields if a.kind == b.kind and a.kind in FAMILIES]
        if not pairs:
            return f"{rng.choice(inner.fields).sql} IS NOT NULL"
        a, b = rng.choice(pairs)
        operator = rng.choice(("=", "=", "=", "=", "<", ">=", "<>", "IS NOT DISTINCT FROM"))
        return f"{a.sql} {operator} {b.sql}" if rng.random() < 0.8 else f"{b.sql} {operator if operator[0] not in '<>' else '='} {a.sql}"

    def where(self, inner, outer, pairs, depth):
        """The WHERE clause of a subquery, perhaps with another one inside that looks at one of the two rows or both."""
        rng, pairs = self.rng, pairs * max(inner.rows, 1)
        conditions = [self.link(inner, outer)]
        if rng.random() < 0.35:
            conditions.append(Expressions(rng, inner.fields).boolean(1).sql)
        if rng.random() < 0.1:
            conditions.append(Expressions(rng, inner.fields + outer.fields).boolean(1).sql)
        if depth > 0 and pairs <= RUNS and rng.random() < 0.7:
            both = inner._replace(fields=inner.fields + outer.fields)
            conditions.append(self.test(rng.choice((inner, both)), pairs, depth - 1))
        rng.shuffle(conditions)
        return f" WHERE {' AND '.join(conditions)}"

    def value(self, outer, pairs, depth=1):
        """The Expr of a subquery's value."""
        rng, inner = self.rng, self.inner(pairs)
        where = self.where(inner, outer, pairs, depth)
        if rng.random() < 0.2:
            chosen = self.queries.printable(inner, 1)[0]
            return chosen.over(f"(SELECT {chosen.sql} FROM {inner.sql}{where} ORDER BY {self.queries.order([1])[0]} LIMIT 1)")
        found = self.queries.aggregate(Expressions(rng, inner.fields), inner.rows, exact=True)
        return found.over(f"(SELECT {found.sql} FROM {inner.sql}{where})", bound=found.bound + 1)

    def test(self, outer, pairs, depth=1):
        """A condition on a row by a subquery, or by two."""
        rng = self.rng
        if rng.random() < 0.15:
            return f"({self.test(outer, pairs, depth)} {rng.choice(('OR', 'OR', 'AND'))} {self.test(outer, pairs, depth)})"
        form = rng.choices(("exists", "in", "any", "value"), (5, 3, 2, 3))[0]
        if form == "value":
            value = self.value(outer, pairs, depth)
            like = [f for f in outer.fields if f.kind == value.kind and f.kind != "bpchar"]
            other = rng.choice(like) if like and rng.random() < 0.4 else Expressions(rng, outer.fields).constant(value.kind, value)
            return f"({value.sql} {rng.choice(COMPARISONS)} {other.sql})"
        inner = self.inner(pairs)
        where = self.where(inner, outer, pairs, depth)
        pairs = [(a, b) for a in inner.fields for b in outer.fields if a.kind == b.kind and a.kind in FAMILIES]
        if form == "exists" or not pairs:
            return f"{rng.choice(('', '', 'NOT '))}EXISTS (SELECT {rng.choice(('', '1', '*'))} FROM {inner.sql}{where})"
        chosen = rng.sample(pairs, min(len(pairs), rng.choice((1, 1, 1, 2)) if form == "in" else 1))
        left, right = ", ".join(b.sql for _, b in chosen), ", ".join(a.sql for a, _ in chosen)
        left = f"({left})" if len(chosen) > 1 else left
        operator = f"{rng.choice(('', 'NOT '))}IN" if form == "in" else f"{rng.choice(COMPARISONS)} {rng.choice(('ANY', 'ALL'))}"
        return f"({left} {operator} (SELECT {right} FROM {inner.sql}{where}))"

    def output(self, outer, pairs):
        """An Expr that holds a subquery."""
        rng, expressions = self.rng, Expressions(self.rng, outer.fields)
        form = rng.choice(("value", "value", "test", "case", "coalesce"))
        if form == "test":
            return Expr(self.test(outer, pairs), "bool", "bool")
        if form == "case":
            parts = expressions.several(rng.choice(("int4", "text", "date")), 1, 2)
            return parts[0].over(f"CASE WHEN {self.test(outer, pairs)} THEN {parts[0].sql} ELSE {parts[1].sql} END")
        value = self.value(outer, pairs)
        if form == "coalesce" and value.kind != "bpchar":
            return value.over(f"COALESCE({value.sql}, {expressions.constant(value.kind, value).sql})")
        return value

    def conditions(self, outer, pairs, share):
        """A WHERE clause, mostly with a subquery."""
        rng, found = self.rng, []
        if rng.random() < share:
            found.append(self.test(outer, pairs))
        if rng.random() < 0.4:
            found.append(Expressions(rng, outer.fields).boolean(1).sql)
        rng.shuffle(found)
        return f" WHERE {' AND '.join(found)}" if found else ""

    # queries

    def rows(self):
        """Rows with what subqueries say of them."""
        rng, outer, queries = self.rng, self.outer, self.queries
        outputs = queries.printable(outer)
        shown = [o.sql for o in outputs]
        if rng.random() < 0.6:
            shown.append(self.output(outer, outer.rows).sql)
        where = self.conditions(outer, outer.rows, 0.4 if len(shown) > len(outputs) else 1)
        sql = f"SELECT {', '.join(shown)} FROM {outer.sql}{where}"
        if rng.random() < 0.3:
            queries.ordered = len(shown) == len(outputs)
            sql += f" ORDER BY {', '.join(queries.order(range(1, len(shown) + 1)))}"
        return queries.finished(sql, False)

    def groups(self):
        """Groups by a subquery's value, totals of such values, or both; or groups of rows that one lets pass."""
        rng, outer, queries = self.rng, self.outer, self.queries
        keys = queries.printable(outer, rng.choice((1, 2))) if rng.random() < 0.6 else []
        totals = ["count(*)"]
        where = self.conditions(outer, outer.rows, 0.7)
        if rng.random() < 0.4:
            keys.append(Expr(f"({self.output(outer, outer.rows).sql})::text", "text", "text"))
        if rng.random() < 0.5:
            totals.append(f"max(({self.output(outer, outer.rows).sql})::text)")
        if rng.random() < 0.3:
            totals.append(f"count(*) FILTER (WHERE {self.test(outer, outer.rows)})")
        totals += [queries.aggregate(Expressions(rng, outer.fields), outer.rows, exact=True).sql for _ in range(rng.choice((0, 1)))]
        by = f" GROUP BY {', '.join(str(n) for n in range(1, len(keys) + 1))}" if keys else ""
        return queries.finished(f"SELECT {', '.join([k.sql for k in keys] + totals)} FROM {outer.sql}{where}{by}", True)

    def having(self):
        """Groups by what a subquery says of them: of a key, or of a total."""
        rng, outer, queries = self.rng, self.outer, self.queries
        fields = [f for f in outer.fields if f.kind in FAMILIES]
        keys = rng.sample(fields, min(len(fields), rng.choice((1, 1, 2))))
        # an aggregate of the outer rows names one of them, or it would be the subquery's
        total = f"count({rng.choice(outer.fields).sql}){rng.choice(('', ' * 2'))}"
        group = outer._replace(fields=keys + [Expr(total, "int8", "int8", outer.rows * 2)])
        where = self.conditions(outer, outer.rows, 0.2)
        shown = [k.sql for k in keys] + [total]
        if rng.random() < 0.4:
            shown.append(self.output(group, outer.rows).sql)
        having = f" HAVING {self.test(group, outer.rows)}" if rng.random() < 0.8 else ""
        by = ", ".join(k.sql for k in keys)
        return queries.finished(f"SELECT {', '.join(shown)} FROM {outer.sql}{where} GROUP BY {by}{having}", True)

    def joined(self):
        """A join with a subquery in its condition, which looks at one side or both."""
        rng, outer, queries = self.rng, self.outer, self.queries
        other = self.inner(outer.rows)
        kind = rng.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
        both = Source("", outer.fields + other.fields, outer.rows * max(other.rows, 1))
        beside = rng.choice([side for side in (outer, other, other, both) if side.rows <= RUNS] or [outer])
        on = [self.link(other, outer), self.test(beside, beside.rows)]
        rng.shuffle(on)
        sql = f"{outer.sql} {kind} {other.sql} ON {' AND '.join(on)}"
        if rng.random() < 0.5:
            counted = ", ".join(f"count({rng.choice(side.fields).sql})" for side in (outer, other))
            return queries.finished(f"SELECT count(*), {counted} FROM {sql}", True)
        outputs = queries.printable(outer, 1) + queries.printable(other, 1)
        return queries.finished(f"SELECT {', '.join(o.sql for o in outputs)} FROM {sql}", False)

    def lateral(self):
        """What LATERAL finds for each row: a total, or the first rows in an order, as many as the row says."""
        rng, outer, queries = self.rng, self.outer, self.queries
        inner = self.inner(outer.rows)
        where = self.where(inner, outer, outer.rows, 1)
        if rng.random() < 0.5:
            found = queries.aggregate(Expressions(rng, inner.fields), inner.rows, exact=True)
            sub = f"SELECT {found.sql} AS v FROM {inner.sql}{where}"
        else:
            found = queries.printable(inner, 1)[0]
            number = rng.choice([f.sql for f in outer.fields if f.kind in ("int2", "int4")])
            few = f"abs({number}::int8 % 4)"
            limit = rng.choice(("LIMIT 1", "LIMIT 2", f"LIMIT {few}", "FETCH FIRST 2 ROWS WITH TIES", f"OFFSET {few} LIMIT 2"))
            sub = f"SELECT {found.sql} AS v FROM {inner.sql}{where} ORDER BY {queries.order([1])[0]} {limit}"
        joined = rng.choice((f"{outer.sql}, LATERAL ({sub}) s", f"{outer.sql} LEFT JOIN LATERAL ({sub}) s ON true"))
        outputs = ", ".join(o.sql for o in queries.printable(outer))
        if rng.random() < 0.4:
            return queries.finished(f"SELECT count(*), count(s.v), max((s.v)::text) FROM {joined}", True)
        return queries.finished(f"SELECT {outputs}, s.v FROM {joined}", False)
