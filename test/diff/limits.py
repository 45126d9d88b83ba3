"""Random limits: WITH TIES, OFFSET, bounds that are parameters, subselects or NULL, DISTINCT ON.

WITH TIES lets all equals of the last row pass, so an order by some of the outputs
leaves no choice either, unless OFFSET cuts through equal rows.  Outputs are named
y1, y2 and so on.
"""

from expressions import Expr

COUNTS = (0, 1, 1, 2, 3, 10, 100, 3000)
STRANGE = ("NULL::int", "9223372036854775807", "(-1)")
MOST_SHOWN = 4000  # rows of a source that are shown without a bound


def query(queries, joins):
    rng = queries.rng
    queries.be_steady()
    shape = rng.choices((rows, groups), (3, 2))[0]
    source, where = queries.drawn(joins, shape is groups)
    bounds = Bounds(queries, source.rows)
    sql, aggregates = shape(queries, source, where, bounds), shape is groups
    if rng.random() < 0.25:
        queries.ordered, aggregates = False, True
        sql = rng.choice((
            f"SELECT count(*), count(y1), count(DISTINCT y1) FROM ({sql}) q",
            f"SELECT min(y1::text), max(y1::text), count(*) FROM ({sql}) q",
            f"SELECT y1, count(*) FROM ({sql}) q GROUP BY y1",
            f"SELECT y1, row_number() OVER (PARTITION BY y1) FROM ({sql}) q",
        ))  # fmt: skip
    made = queries.finished(sql, aggregates)
    return bounds.prepared(made) if bounds.values else made


class Bounds:
    """The bounds of one query; some are parameters, whose values are recorded."""

    def __init__(self, queries, rows):
        self.queries, self.rng, self.rows = queries, queries.rng, rows
        self.parameters, self.values = self.rng.random() < 0.2, []

    def value(self, counts=COUNTS):
        """How many rows, as an operand of FETCH FIRST."""
        rng = self.rng
        value = str(rng.choice(counts)) if rng.random() < 0.94 else rng.choice(STRANGE)
        if self.parameters and rng.random() < 0.8:
            self.values.append(value)
            return f"${len(self.values)}"
        if rng.random() < 0.15:
            table = rng.choice(self.queries.tables)
            return f"(SELECT count(*) % {rng.choice((3, 20, 500))} FROM {table.name})"
        return rng.choice((value, value, f"({value} + 0)")) if value.isdigit() and len(value) < 9 else f"({value})"

    def ties(self):
        count = f"{self.value()} " if self.rng.random() < 0.8 else ""
        return f" FETCH {self.rng.choice(('FIRST', 'NEXT'))} {count}ROWS WITH TIES"

    def limit(self):
        """Any other bound, which may be none."""
        rng = self.rng
        if self.rows > MOST_SHOWN:
            return f" LIMIT {self.value((1, 2, 100, 3000))}"
        forms = (" LIMIT {}", " LIMIT {}", " FETCH FIRST {} ROWS ONLY", " FETCH FIRST ROW ONLY", " LIMIT NULL", " LIMIT ALL", "")
        form = rng.choice(forms)
        return form.format(self.value()) if "{}" in form else form

    def offset(self):
        return f" OFFSET {self.value((0, 1, 1, 7, 500))}"

    def prepared(self, made):
        """The query as a prepared statement, of a plan that knows the parameters or one that does not."""
        mode = self.rng.choice(("auto", "force_generic_plan", "force_custom_plan"))
        prelude = f"SET LOCAL plan_cache_mode = {mode}; PREPARE p AS {made.sql}"
        return made._replace(sql=f"EXECUTE p({', '.join(self.values)})", prelude=prelude, late="")

    def after(self, order, cut):
        """ORDER BY and bounds; with `cut` the order is total, and may be cut anywhere."""
        rng, by = self.rng, f" ORDER BY {', '.join(order)}"
        ties = rng.random() < 0.6
        if not cut:
            return f" ORDER BY {', '.join(order[: rng.randint(1, len(order))])}{self.ties()}"
        offset = self.offset() if rng.random() < 0.4 else ""
        bound = self.ties() if ties else self.limit()
        return f"{by}{offset}{bound}" if rng.random() < 0.6 or ties else f"{by}{bound}{offset}"


def rows(queries, source, where, bounds):
    rng = queries.rng
    outputs = queries.printable(source)
    outputs = [queries.collated(o) if o.kind == "text" and rng.random() < 0.1 else o for o in outputs]
    order = queries.order(range(1, len(outputs) + 1))
    rng.shuffle(order)
    cut, form = rng.random() < 0.6, rng.random()
    queries.ordered = cut
    distinct = "DISTINCT " if form < 0.1 else ""
    if form > 0.85:
        cut = queries.ordered = True
        distinct = f"DISTINCT ON ({order[0].split()[0]}) "
    named = ", ".join(f"{o.sql} AS y{n}" for n, o in enumerate(outputs, 1))
    made = f"SELECT {distinct}{named} FROM {source.sql}{where}"
    if 0.75 < form < 0.85:
        made = f"{made} {rng.choice(('UNION ALL', 'UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT ALL'))} {made}"
    return f"{made}{bounds.after(order, cut)}"


def groups(queries, source, where, bounds):
    """The first groups by some of what is shown of them."""
    rng, expressions = queries.rng, queries.expressions(source)
    keys = queries.printable(source, rng.choice((1, 1, 2)))
    found = (queries.aggregate(expressions, source.rows, exact=True) for _ in range(rng.choice((1, 1, 2))))
    outputs = keys + [o.over(f"({o.sql})::text") for o in found] + [Expr("count(*)", "int8", "int8", source.rows)]
    order = queries.order(range(1, len(outputs) + 1))
    rng.shuffle(order)
    cut = rng.random() < 0.6
    queries.ordered = cut
    by = ", ".join(str(n) for n in range(1, len(keys) + 1))
    having = f" HAVING count(*) > {rng.choice((0, 1, 5))}" if rng.random() < 0.15 else ""
    named = ", ".join(f"{o.sql} AS y{n}" for n, o in enumerate(outputs, 1))
    return f"SELECT {named} FROM {source.sql}{where} GROUP BY {by}{having}{bounds.after(order, cut)}"
