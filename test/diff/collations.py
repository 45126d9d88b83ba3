"""Random texts whose columns differ in collation, alone, in conflict, and with a collation told.

Two tables of their own have columns of several collations, one of which takes
letters for equal that differ in case; what is shown of such is the same letter.
A conflict is no error until something compares.
"""

from columns import Column, Values, word
from queries import Query

NAMES = ("C", "POSIX", "en-x-icu", "de-x-icu", "default", "ci")
TYPES = (("text", "text"), ("varchar(20)", "text"), ("char(5)", "bpchar"), ("name", "name"))
STATEMENT = "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
ROWS, WEIGHTS = (0, 1, 2, 40, 700, 3000), (1, 1, 1, 4, 8, 4)
TESTS = (
    "{0} < {2}", "{0} = {2}", "{0} <> {2}", "{0} >= {1}", "{0} = {1}", "{0} IN ({2}, {3})", "{0} NOT IN ({2}, {3})", "{0} BETWEEN {2} AND {3}",
    "{0} LIKE 'a%'", "{0} ILIKE '%b'", "{0} ~ '^[a-c]'", "{0} IS DISTINCT FROM {1}", "NULLIF({0}, {1}) IS NULL", "({0}, 1) < ({1}, 2)",
    "{0} > ANY (ARRAY[{2}, {3}])", "length({0}) > 2", "{0} IS NOT NULL", "CASE {0} WHEN {1} THEN true ELSE false END",
)  # fmt: skip


class Text:
    """A text that can be shown, compared, or both; `ci`: letters of either case are equal; `blanks`: it is padded with them, and equal without."""

    def __init__(self, sql, ci, blanks=False):
        self.sql, self.ci, self.blanks = sql, ci, blanks

    def shown(self):
        return f'lower(({self.sql}) COLLATE "C")' if self.ci else self.sql


class Words:
    """A table of texts."""

    def __init__(self, rng, name, pool):
        self.name, self.rows = name, rng.choices(ROWS, WEIGHTS)[0]
        self.columns = [(Column(f"{name}_id", "int4", Values("int4"), 0, 0, True), "")]
        for collation in NAMES + tuple(rng.sample(NAMES, 2)):
            type_, kind = TYPES[0] if collation == "ci" or rng.random() < 0.5 else rng.choice(TYPES)
            nulls = rng.choice((0, 0, 30, 300))
            column = Column(f"{name}_{len(self.columns)}", kind, Values(type_, pool), rng.randrange(10**6) * 1000, nulls, False)
            self.columns.append((column, collation))

    def setup(self):
        listed = ", ".join(c.declaration() + (f' COLLATE "{collation}"' if collation else "") for c, collation in self.columns)
        yield f"CREATE TABLE {self.name} ({listed})"
        values = ", ".join(c.value("i") if collation else "i" for c, collation in self.columns)
        yield f"INSERT INTO {self.name} SELECT {values} FROM generate_series(1, {max(self.rows, 1)}) i"
        if self.rows == 0:
            # a table without pages costs nothing, so PostgreSQL hashes it first, and looks at no row of the other
            yield f"DELETE FROM {self.name}"
        yield f"ANALYZE {self.name}"


def tables(rng):
    """The two tables of a block; they have the same texts."""
    pool = tuple({word(rng, 5).strip() for _ in range(rng.choice((3, 20, 60)))} | {"a", "A", "b"})
    pool = tuple(sorted(text for text in pool if text.isascii() and "\\" not in text and "'" not in text))
    return [Words(rng, name, pool) for name in ("f", "g")]


def query(rng, words):
    return Collations(rng, words).query()


class Collations:
    def __init__(self, rng, words):
        self.rng, self.words = rng, words

    def query(self):
        rng = self.rng
        source, texts = rng.choices((self.alone, self.joined, self.united), (4, 4, 3))[0]()
        where = f" WHERE {self.test(texts)}" if rng.random() < 0.4 else ""
        shape = rng.choice((self.ordered, self.grouped, self.distinct, self.totals, self.windows, self.listed, self.semi))
        sql, ordered = shape(*self.derived(source, where, texts))
        return Query(sql, shape in (self.grouped, self.totals), False, False, "", ordered)

    # sources: SQL, and their texts

    def fields(self, words, prefix=""):
        return [Text(prefix + c.name, collation == "ci", c.kind == "bpchar") for c, collation in words.columns if collation]

    def alone(self):
        words = self.rng.choice(self.words)
        return words.name, self.fields(words)

    def joined(self):
        rng, words = self.rng, self.words
        f, g = rng.sample(words, 2) if rng.random() < 0.8 else (words[0], words[0])
        texts = self.fields(f, "f."), self.fields(g, "g.")
        kind = rng.choice(("JOIN", "JOIN", "LEFT JOIN", "FULL JOIN"))
        on = f"f.{f.name}_id = g.{g.name}_id"
        if rng.random() < 0.35:
            a, b = (rng.choice(side) for side in texts)
            on = f"{on} AND {a.sql} = {b.sql}" if rng.random() < 0.6 else f"{a.sql} = {b.sql} AND abs(f.{f.name}_id - g.{g.name}_id) < 20"
        return f"{f.name} f {kind} {g.name} g ON {on}", texts[0] + texts[1]

    def united(self):
        """UNION ALL of columns that may differ in collation."""
        rng, parts, ci = self.rng, [], [False, False]
        for _ in range(rng.choice((2, 2, 3))):
            words = rng.choice(self.words)
            chosen = rng.sample([t for t in self.fields(words)], 2)
            ci = [old or text.ci for old, text in zip(ci, chosen)]
            parts.append(f"SELECT ({chosen[0].sql})::text AS x, {chosen[1].sql} AS y FROM {words.name}")
        return f"({' UNION ALL '.join(parts)}) u", [Text("x", ci[0]), Text("y", ci[1])]

    # texts

    def text(self, texts, told=0.25):
        """A text of one or two columns, with their collation, none, or one that is told; two of those are no query at all."""
        rng = self.rng
        a, b = rng.choice(texts), rng.choice(texts)
        form = rng.choice((
            "{0}", "{0}", "{0}", "({0} || {1})", "({0} || 'a')", "CASE WHEN length({1}) > 2 THEN {0} ELSE {1} END", "COALESCE({0}, {1})",
            "GREATEST({0}, {1})", "NULLIF({0}, {1})", "substr({0} || {1}, 2, 3)", "lower({0} || {1})", "upper({0})", "(ARRAY[{0}::text, {1}])[1]",
            "CASE {0} WHEN 'a' THEN {1} WHEN 'b' THEN {0} END",
        ))  # fmt: skip
        both = "{1}" in form
        sql, ci = form.format(a.sql, b.sql), a.ci or (both and b.ci)
        # of values that are equal with blanks and without any may be shown
        if both and a.blanks != b.blanks:
            sql = form.format(f"({a.sql})::text", f"({b.sql})::text")
        if rng.random() < told:
            collation = rng.choice(NAMES)
            return Text(f'({sql}) COLLATE "{collation}"', ci or collation == "ci")
        return Text(sql, ci)

    def constant(self):
        return f"'{self.rng.choice(('a', 'B', 'b', 'abc', ''))}'"

    def test(self, texts):
        return self.rng.choice(TESTS).format(self.text(texts).sql, self.text(texts, told=0).sql, self.constant(), self.constant())

    # queries: SQL, and whether their order is told; a conflict of what is a key in its own query's text is no query at all

    def derived(self, source, where, texts):
        """A subquery with texts x and y, and an integer."""
        a, b = self.text(texts), self.text(texts)
        inner = f"SELECT {a.sql} AS x, {b.sql} AS y, length({b.sql}) AS n FROM {source}{where}{self.rng.choice(('', '', ' OFFSET 0'))}"
        return f"({inner}) q", Text("x", a.ci), Text("y", b.ci)

    def ordered(self, source, x, y):
        desc, limit = self.rng.choice(("", " DESC")), self.rng.choice(("", "", " LIMIT 10", " FETCH FIRST 3 ROWS WITH TIES"))
        return f"SELECT {x.shown()}, {y.shown()} FROM {source} ORDER BY x{desc}, {x.shown()} COLLATE \"C\", {y.shown()} COLLATE \"C\"{limit}", True

    def grouped(self, source, x, y):
        more = self.rng.choice(("", f", {self.extreme(y)}", f", count(*) FILTER (WHERE {self.test([x, y])})", ", sum(n)"))
        having = self.rng.choice(("", "", f" HAVING {self.extreme(y)} > 'b'", " HAVING count(*) > 1"))
        return f"SELECT {x.shown()}, count(*){more} FROM {source} GROUP BY x{having}", False

    def distinct(self, source, x, y):
        form = self.rng.choice(("DISTINCT {0}", "DISTINCT {0}, {1}", "DISTINCT ON (x) {0}"))
        if "ON" in form:
            return f"SELECT {form.format(x.shown())} FROM {source} ORDER BY x", not x.ci
        inner = f"SELECT {form.format('x', 'y')} FROM {source}"
        return f"SELECT {x.shown()}{', ' + y.shown() if 'y' in form.format('x', 'y') else ''} FROM ({inner}) d", False

    def extreme(self, text):
        return Text(f"{self.rng.choice(('min', 'max'))}({text.sql})", text.ci).shown()

    def totals(self, source, x, y):
        calls = [
            self.extreme(x), self.extreme(y), "count(DISTINCT x)", "count(x)", "count(*)", "max(length(x))", "sum(n)",
            Text("percentile_disc(0.5) WITHIN GROUP (ORDER BY x)", x.ci).shown(), Text("mode() WITHIN GROUP (ORDER BY x)", x.ci).shown(),
            f"string_agg({x.shown()}, ',' ORDER BY x, {x.shown()} COLLATE \"C\")",
        ]  # fmt: skip
        return f"SELECT {', '.join(self.rng.sample(calls, self.rng.choice((1, 2, 3))))} FROM {source}", False

    def windows(self, source, x, y):
        by = self.rng.choice(("ORDER BY x", "PARTITION BY x", "PARTITION BY x ORDER BY y", "ORDER BY n, x"))
        call = self.rng.choice(("rank()", "dense_rank()", "count(*)"))
        return f"SELECT {x.shown()}, {call} OVER ({by}) FROM {source}", False

    def listed(self, source, x, y):
        return f"SELECT {x.shown()}, {self.test([x, y])} FROM {source}{self.rng.choice(('', f' WHERE {self.test([x, y])}'))}", False

    def semi(self, source, x, y):
        other = self.rng.choice(self.words)
        b = self.text(self.fields(other, "h."), told=0)
        form = self.rng.choice(("x IN (SELECT {0} FROM {1} h)", "x NOT IN (SELECT {0} FROM {1} h)", "EXISTS (SELECT FROM {1} h WHERE {0} = q.x)"))
        return f"SELECT count(*), count(y) FROM {source} WHERE {form.format(b.sql, other.name)}", False
