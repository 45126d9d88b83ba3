"""Random cursors: how they are declared, moves in all directions, changes of the current row, and held ones.

Each is a list of statements in a transaction of its own, on a third connection
with the block's snapshot, which no temporary table is seen from.  The rows have
an order that leaves no choice: a total one, or that of one table's rows.
"""

import re

from columns import quote
from queries import table_source

MOST_SHOWN = 4000  # rows of a source that may be fetched at once more than once
NOW = re.compile(r"now\(\)|current_timestamp|localtimestamp")  # another one in each transaction
OPTIONS = (("", "SCROLL", "NO SCROLL"), (4, 4, 2))
FORWARD = (
    ("", "NEXT", "{n}", "FORWARD {n}", "FORWARD", "ALL", "FORWARD ALL", "ABSOLUTE {k}", "RELATIVE {n}", "RELATIVE 0", "FORWARD 0"),
    (2, 3, 5, 5, 1, 1, 1, 1, 1, 1, 1),
)
BACKWARD = (
    ("PRIOR", "BACKWARD {n}", "BACKWARD", "BACKWARD ALL", "FIRST", "LAST", "ABSOLUTE {k}", "ABSOLUTE -{n}", "RELATIVE -{n}", "BACKWARD 0", "{m}"),
    (4, 5, 1, 2, 2, 2, 3, 2, 3, 1, 2),
)


def query(queries, joins):
    rng = queries.rng
    queries.be_steady()
    while True:
        made = Cursor(queries, joins)
        if not NOW.search(made.select):
            break
    steps = made.steps()
    return made.found._replace(sql="; ".join(steps), steps=tuple(steps), late="", ordered=True)


class Cursor:
    def __init__(self, queries, joins):
        self.queries, self.rng = queries, queries.rng
        queries.ctes, queries.keyed, queries.filter = [], {}, ""
        self.table = None  # what may be changed through it
        self.rows = 0
        self.select = self.chosen(joins)
        self.found = queries.finished(self.select, False)
        self.select = self.found.sql

    def chosen(self, joins):
        """The SELECT of a cursor."""
        rng, queries = self.rng, self.queries
        shape = rng.choices(("scan", "sorted", "groups"), (5, 4, 3))[0]
        if joins:
            shape = "groups" if shape == "groups" else "sorted"
        if shape == "scan":
            return self.scan()
        source, where = queries.drawn(joins, shape == "groups")
        self.rows = source.rows
        keys = queries.printable(source)
        order = queries.order(range(1, len(keys) + 1))
        limit = f" LIMIT {rng.choice((1, 5, 100))}" if rng.random() < 0.15 else ""
        if shape == "groups":
            expressions = queries.expressions(source)
            totals = [queries.aggregate(expressions, source.rows, exact=True).sql for _ in range(rng.choice((1, 2)))]
            by = ", ".join(str(n) for n in range(1, len(keys) + 1))
            return f"SELECT {', '.join([k.sql for k in keys] + totals)} FROM {source.sql}{where} GROUP BY {by} ORDER BY {', '.join(order)}{limit}"
        return f"SELECT {', '.join(k.sql for k in keys)} FROM {source.sql}{where} ORDER BY {', '.join(order)}{limit}"

    def scan(self):
        """Rows of one table as they lie there, which may be changed; perhaps in the order of their numbers."""
        rng, queries = self.rng, self.queries
        self.table = rng.choice(queries.tables)
        source = table_source(self.table)
        self.rows = source.rows
        outputs = [rng.choice(source.fields) for _ in range(rng.choice((1, 2, 3)))]
        number = f"{self.table.name}_id"
        sql = f"SELECT {', '.join([number] + [o.sql for o in outputs])} FROM {source.sql}{queries.where(source)}"
        end = rng.choices(("", f" ORDER BY {number}", f" LIMIT {rng.choice((3, 100))}", " FOR UPDATE", " FOR SHARE"), (14, 2, 1, 2, 1))[0]
        return sql + end

    # statements

    def steps(self):
        rng = self.rng
        changes = self.table is not None and not self.table.view and rng.random() < 0.5
        hold = not changes and rng.random() < 0.25
        words = [rng.choice(("", "", "ASENSITIVE", "INSENSITIVE"))] if rng.random() < 0.3 else [""]
        words.append(rng.choices(*OPTIONS)[0])
        rng.shuffle(words)
        words.append("CURSOR WITH HOLD" if hold else rng.choice(("CURSOR", "CURSOR", "CURSOR WITHOUT HOLD")))
        steps = [f"DECLARE c {' '.join(word for word in words if word)} FOR {self.select}"]
        backward = rng.random() < (0.7 if "NO SCROLL" not in words else 0.1)
        moves = [self.move(backward) for _ in range(rng.choice((2, 3, 5, 8)))]
        if hold:
            moves.insert(rng.randrange(len(moves)), "COMMIT")
        if changes:
            moves = [step for move in moves for step in self.changed(move)]
        elif not hold and rng.random() < 0.3:
            moves = self.nested(moves)
        return steps + moves + ["CLOSE c"]

    def move(self, backward):
        """FETCH or MOVE."""
        rng = self.rng
        forms = BACKWARD if backward and rng.random() < 0.5 else FORWARD
        n = rng.choice((1, 1, 2, 3, 10, 50, 1000))
        form = rng.choices(*forms)[0].format(n=n, k=rng.choice((0, 1, n)), m=-n)
        verb = "MOVE" if rng.random() < 0.25 or (self.rows > MOST_SHOWN and "ALL" in form) else "FETCH"
        return " ".join(word for word in (verb, form, rng.choice(("FROM", "IN")), "c") if word)

    def changed(self, move):
        """A move, and perhaps a change of the row where the cursor is then, or of its row again."""
        rng, number = self.rng, f"{self.table.name}_id"
        columns = [c for c in self.table.columns if not c.generated and c.name != number]
        yield move
        beyond = re.search(r"\b(ALL|0|50|1000)\b", move) and rng.random() < 0.9
        while rng.random() < (0 if beyond else 0.4):
            if rng.random() < 0.35 or not columns:
                yield f"DELETE FROM {self.table.name} WHERE CURRENT OF c RETURNING {number}"
            else:
                column = rng.choice(columns)
                short = [quote(text) for text in column.values.pool if len(text) < 100]
                value = rng.choice(short or [column.name]) if column.not_null or rng.random() < 0.8 else "NULL"
                yield f"UPDATE {self.table.name} SET {column.name} = {value} WHERE CURRENT OF c RETURNING {number}, {column.name}"

    def nested(self, moves):
        """Some of the moves in a subtransaction, which moves nothing back when it ends."""
        rng = self.rng
        first = rng.randint(0, len(moves))
        last = rng.randint(first, len(moves))
        end = rng.choice(("ROLLBACK TO s", "RELEASE s"))
        return moves[:first] + ["SAVEPOINT s"] + moves[first:last] + [end] + moves[last:]
