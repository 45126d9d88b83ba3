"""Random set-returning functions: in target lists of rows and of groups, below aggregates, in FROM with LATERAL.

Their arguments are made of what is shown, where equal values print alike. So an
order of all that is shown leaves no choice which rows a LIMIT lets pass.
"""

from columns import INTS
from expressions import Expr
from queries import Source

MOST_TIMES = 8  # rows that a function makes of one, more or less
MOST_SHOWN = 3000  # rows of a source, where all that functions make of them are shown


def query(queries, joins):
    rng = queries.rng
    queries.be_steady()
    shape = rng.choices((rows, groups, above, lateral), (5, 4, 3, 4))[0]
    if shape is lateral:
        return lateral(queries, joins)
    source, where = queries.drawn(joins, shape is groups)
    return queries.finished(shape(queries, source, where), shape is not rows)


def small(e):
    """A number from -3 to 3, or NULL, made of an expression."""
    if e.kind in INTS:
        return f"({e.sql} % 4)::int4"
    if e.kind == "bool":
        return f"(({e.sql})::int4 * 2)"
    return f"(length(({e.sql})::text) % 4)"


def numbers(rng, outputs):
    """A call that makes int4s."""
    n, m = (small(rng.choice(outputs)) for _ in range(2))
    return rng.choice((
        f"generate_series(1, {n})", f"generate_series(1, {n})", f"generate_series({n}, 3)", f"generate_series({n}, {m}, -1)",
        f"generate_series({n}, {m}, {rng.choice((1, 2, -2))})", "generate_series(1, 2)", "generate_series(1, 0)",
        f"unnest(ARRAY[{n}, {m}, NULL])", f"unnest(array_remove(ARRAY[{n}, nullif({m}, 1)], NULL))",
        f"unnest(CASE WHEN {n} > 0 THEN ARRAY[{n}, {m}] END)", f"generate_subscripts(ARRAY[{n}, {m}], 1)",
    ))  # fmt: skip


def others(rng, outputs):
    """A call that makes something else."""
    e = rng.choice(outputs)
    return rng.choice((
        f"unnest(ARRAY[{e.sql}, {e.sql}])", f"unnest(array_remove(ARRAY[{e.sql}], NULL))",
        f"regexp_split_to_table(left(({e.sql})::text, 20), '[a1 ]')", f"string_to_table(left(({e.sql})::text, 9), '2')",
        f"jsonb_array_elements(jsonb_build_array({small(e)}, 'x'))", f"generate_series(1, {small(e)})::text",
        f"generate_series(date '2020-01-01', date '2020-01-01' + {small(e)}, interval '1 day')",
    ))  # fmt: skip


def calls(rng, outputs):
    """One or two calls for a target list, which stand in it as they are, in an expression or in each other."""
    made = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        call = numbers(rng, outputs) if rng.random() < 0.7 else others(rng, outputs)
        if rng.random() < 0.15:
            call = f"{numbers(rng, outputs)} + {rng.choice((1, small(rng.choice(outputs))))}"
        elif rng.random() < 0.1:
            call = f"generate_series(1, {numbers(rng, outputs)})"
        made.append(call)
    return made


def rows(queries, source, where):
    """Functions of rows, in an order of these, or of these and of what the functions make."""
    rng = queries.rng
    outputs = queries.printable(source)
    items = [(o.sql, True) for o in outputs] + [(call, False) for call in calls(rng, outputs)]
    distinct = rng.choices(("", "DISTINCT ", "DISTINCT ON "), (70, 15, 15))[0]
    # where functions' values are keys as well, rows are sorted after they were made
    every = distinct or rng.random() < 0.3
    keys = [n for n, (_, plain) in enumerate(items, 1) if plain or every]
    moved = list(range(len(items)))
    rng.shuffle(moved)
    keys = queries.order([moved.index(n - 1) + 1 for n in keys])
    rng.shuffle(keys)
    if "ON" in distinct:
        distinct += f"({keys[0].split()[0]}) "
    sql = f"SELECT {distinct}{', '.join(items[n][0] for n in moved)} FROM {source.sql}{where}"
    if source.rows <= MOST_SHOWN and rng.random() < 0.3 and "ON" not in distinct:
        return sql
    queries.ordered = True
    return f"{sql} ORDER BY {', '.join(keys)}{bounds(rng, source.rows)}"


def bounds(rng, size):
    offset = f" OFFSET {rng.choice((0, 1, 3, 50))}" if rng.random() < 0.3 else ""
    limited = size > MOST_SHOWN or rng.random() < 0.6
    return f"{offset} LIMIT {rng.choice((1, 2, 2, 5, 100))}" if limited else offset


def groups(queries, source, where):
    """Functions of groups' keys and aggregates."""
    rng = queries.rng
    keys = queries.printable(source, rng.choice((1, 1, 2))) if rng.random() < 0.9 else []
    outputs = keys + [aggregate(queries, source) for _ in range(rng.choice((1, 1, 2)))]
    sets = calls(rng, outputs)
    if rng.random() < 0.1:
        sets.append(f"unnest(array_agg(DISTINCT {queries.printable(source, 1)[0].sql}))")
    by = f" GROUP BY {', '.join(str(n) for n in range(1, len(keys) + 1))}" if keys else ""
    having = f" HAVING count(*) > {rng.choice((0, 1, 5))}" if rng.random() < 0.15 else ""
    sql = f"SELECT {', '.join([o.sql for o in outputs] + sets)} FROM {source.sql}{where}{by}{having}"
    if source.rows <= MOST_SHOWN and rng.random() < 0.25:
        return sql
    order = queries.order(range(1, len(outputs) + 1))
    rng.shuffle(order)
    queries.ordered = True
    return f"{sql} ORDER BY {', '.join(order)}{bounds(rng, source.rows)}"


def aggregate(queries, source):
    """An aggregate whose equal values print alike."""
    rng = queries.rng
    e = queries.printable(source, 1)[0]
    if e.kind in ("int2", "int4") and rng.random() < 0.4:
        return Expr(f"sum({e.sql})", "int8", "int8", e.bound * max(source.rows, 1))
    if e.kind in INTS + ("date", "timestamp", "text", "oid") and rng.random() < 0.6:
        return e.over(f"{rng.choice(('min', 'max'))}({e.sql})")
    return Expr("count(*)", "int8", "int8", source.rows)


def above(queries, source, where):
    """Totals and groups of what functions make, perhaps of the first rows only."""
    rng = queries.rng
    outputs = queries.printable(source)
    plain = ", ".join(f"{o.sql} AS y{n}" for n, o in enumerate(outputs, 1))
    keys = queries.order(f"y{n}" for n in range(1, len(outputs) + 1))
    limited = f" ORDER BY {', '.join(keys)}{bounds(rng, source.rows)}" if rng.random() < 0.5 else ""
    inner = f"SELECT {plain}, {numbers(rng, outputs)} AS s FROM {source.sql}{where}{limited}"
    shape = rng.random()
    if shape < 0.2 and not limited:
        return f"SELECT {numbers(rng, outputs)} AS s, count(*) FROM {source.sql}{where} GROUP BY 1"
    if shape < 0.4:
        return f"SELECT y1, count(*), count(s), max(s) FROM ({inner}) q GROUP BY y1"
    if shape < 0.5:
        return f"SELECT DISTINCT s FROM ({inner}) q"
    if shape < 0.6:
        return f"SELECT s, row_number() OVER (PARTITION BY s) FROM ({inner}) q"
    return f"SELECT count(*), count(s), sum(s), max(y1::text) FROM ({inner}) q{rng.choice(('', ' WHERE s > 1', ' WHERE s IS NULL'))}"


def lateral(queries, joins):
    """A function of a source's columns beside these in FROM; above both is what is above any source."""
    rng = queries.rng
    aggregates = rng.random() < 0.6
    source, where = queries.drawn(joins, aggregates)
    outputs = queries.printable(source, 2)
    call = numbers(rng, outputs)
    value, position = Expr("u.v", "int4", "int4", 4), Expr("u.o", "int8", "int8", 8)
    form, more = rng.choice((
        (f"{source.sql}, {call} AS u(v)", []),
        (f"{source.sql} CROSS JOIN LATERAL {call} AS u(v)", []),
        (f"{source.sql} CROSS JOIN LATERAL {call} WITH ORDINALITY AS u(v, o)", [position]),
        (f"{source.sql} LEFT JOIN LATERAL {call} AS u(v) ON u.v > {rng.choice((0, 1, 2))}", []),
        (f"{source.sql} LEFT JOIN LATERAL {call} WITH ORDINALITY AS u(v, o) ON true", [position]),
        (f"{source.sql} CROSS JOIN LATERAL ROWS FROM ({call}, {numbers(rng, outputs)}) AS u(v, o)", [value._replace(sql="u.o")]),
        (f"{source.sql} CROSS JOIN LATERAL (SELECT {call} AS v) u", []),
    ))  # fmt: skip
    made = Source(form, source.fields + [value] + more, source.rows * MOST_TIMES)
    queries.addends *= MOST_TIMES
    if not aggregates and source.rows > MOST_SHOWN:
        return queries.finished(first(queries, outputs, f"{form}{where}"), False)
    if rng.random() < 0.5:
        where += f"{' AND' if where else ' WHERE'} ({queries.expressions(made).boolean(rng.choice((1, 2))).sql})"
    return queries.finished(queries.grouped(made, where) if aggregates else queries.scan(made, where), aggregates)


def first(queries, outputs, body):
    """The first rows only."""
    names = [o.sql for o in outputs] + ["u.v"]
    order = ", ".join(queries.order(range(1, len(names) + 1)))
    queries.ordered = True
    return f"SELECT {', '.join(names)} FROM {body} ORDER BY {order} LIMIT {queries.rng.choice((1, 10, 1000))}"
