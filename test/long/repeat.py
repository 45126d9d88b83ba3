#!/usr/bin/env python3
"""Ten thousand queries in one session: its memory, open files and threads must not grow.

    test/long/repeat.py --count 10000

Answers, errors, fallbacks, cursors left half read, savepoints rolled back.
Exit status 1: something grew, or an answer changed.
"""

import argparse

from session import MB, ServerError, Session

TABLES = """
DROP TABLE IF EXISTS repeat_rows;
CREATE TABLE repeat_rows (id int NOT NULL, k int, n numeric, t text COLLATE "C", z int);
INSERT INTO repeat_rows SELECT i, i % 10, i % 100 / 4.0, 'text ' || i % 50, 0 FROM generate_series(1, 3000) i;
VACUUM ANALYZE repeat_rows;
CREATE OR REPLACE FUNCTION repeat_fails(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1 / ($1 - 1)';
PREPARE repeat_prepared(int) AS SELECT count(*), min(t) FROM repeat_rows WHERE k = $1;
"""

# (statements, whether the last one fails)
ROUNDS = [
    ("SELECT count(*), sum(n), stddev(id), max(t) FROM repeat_rows WHERE k < 5", False),
    ("SELECT t, count(*), avg(n), max(t) FROM repeat_rows GROUP BY t ORDER BY t", False),
    ("SELECT id, count(*) FROM repeat_rows GROUP BY id ORDER BY id LIMIT 3", False),
    ("SELECT id, t FROM repeat_rows WHERE t LIKE '%7' AND n > 3 ORDER BY id LIMIT 5", False),
    ("SELECT count(*) FROM repeat_rows WHERE n > (SELECT avg(n) FROM repeat_rows) AND z < (SELECT max(k) FROM repeat_rows)", False),
    ("SELECT sum(id / z) FROM repeat_rows", True),
    ("SELECT id FROM repeat_rows WHERE n / z > 1", True),
    ("SELECT count(*) FROM repeat_rows WHERE k > repeat_fails(1)", True),
    # long enough for the statement that takes the time-out back, on a busy machine, too
    ("SET statement_timeout = 20; SELECT count(*) FROM repeat_rows a, repeat_rows b WHERE a.n > b.id", True),
    ("SELECT sum(n) FROM repeat_rows WHERE k::text::numeric(1,0) < 3", False),
    ("BEGIN; DECLARE c CURSOR FOR SELECT id FROM repeat_rows WHERE k = 5; FETCH 3 FROM c; COMMIT", False),
    ("BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT t, count(*) FROM repeat_rows GROUP BY t; FETCH 3 FROM c; ROLLBACK TO s; COMMIT", False),
    ("EXECUTE repeat_prepared(3)", False),
    ("EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT k, sum(n) FROM repeat_rows GROUP BY k", False),
    ("SELECT count(*) FROM gpudb.why_not('SELECT count(*) FROM repeat_rows WHERE t ~ ''x''')", False),
]
CONTEXTS = "SELECT sum(total_bytes) FROM pg_backend_memory_contexts"


def ask(session, statements, fails):
    try:
        answer = session.each(statements)
        failed = False
    except ServerError as error:
        answer, failed = error.sqlstate, True
        session.each("ROLLBACK; SET statement_timeout = 0")
    if failed != fails:
        raise SystemExit(f"{'an error' if failed else 'no error'}: {statements}: {answer}")
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10000, help="statements (10000)")
    options = parser.parse_args()
    session = Session([("gpudb.force", "on"), ("work_mem", "64MB"), ("client_min_messages", "error")])
    session.each(TABLES)
    first, start, warm = {}, None, options.count // 10
    for i in range(options.count):
        statements, fails = ROUNDS[i % len(ROUNDS)]
        answer = ask(session, statements, fails)
        if first.setdefault(statements, answer) != answer:
            raise SystemExit(f"another answer the {i}th time: {statements}")
        if i == warm:
            start = session.private_bytes(), int(session.value(CONTEXTS)), *session.handles()
    end = session.private_bytes(), int(session.value(CONTEXTS)), *session.handles()
    for name, scale, before, after in zip(
        ("MB of memory", "MB in memory contexts", "open files", "threads"), (MB, MB, 1, 1), start, end
    ):
        print(f"{name:22} {before / scale:8.2f} after {warm} statements, {after / scale:8.2f} after {options.count}")
    session.each("DROP TABLE repeat_rows; DROP FUNCTION repeat_fails")
    return int(end[0] - start[0] > MB or end[1] - start[1] > MB // 4 or end[2:] != start[2:])


if __name__ == "__main__":
    raise SystemExit(main())
