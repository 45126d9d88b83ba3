#!/usr/bin/env python3
"""Random queries, answered with gpudb (forced) and without: every difference is printed with its query.

    test/diff/random_queries.py [COUNT] [SEED]        2000 queries, a seed from the clock

Needs only psql; PGHOST and its like name a server with gpudb preloaded.  The tables live in a schema of their own.
All queries see one REPEATABLE READ snapshot.  Sums and averages of floats are taken of multiples of 1/8 only, which
are exact in any order, and + 0 takes the sign from zeros.  Exit status 1 means that there was a difference.
"""
import json
import random
import subprocess
import sys
import time

SETUP = """
DROP SCHEMA IF EXISTS random_queries CASCADE;
CREATE SCHEMA random_queries;
SET search_path = random_queries;
CREATE TABLE tame (id int NOT NULL, b bool, s int2, i int4, l int8, e float4, f float8, m numeric(10,2), k numeric(12,4),
	u numeric, d date, ts timestamp, tz timestamptz, t text, v varchar(12), c char(6), c1 char(1) NOT NULL);
SELECT setseed(0.5);
INSERT INTO tame SELECT i, nullif(i % 3, 2) = 0, nullif(i % 23, 7) - 11, nullif(i % 101, 50) - 40, nullif(i * 7919 % 100003, 9) - 50000,
	nullif(i % 37, 5) / 8.0 - 2, nullif(i % 1009, 5) / 8.0 - 60, nullif(i % 7777, 3) / 100.0 - 30, nullif(i % 99991, 4) / 10000.0 - 5,
	round((i % 500 - 250) / 7.0, i % 4), date '2024-01-01' + nullif(i % 400, 17), timestamp '2024-01-01' + interval '1 hour' * nullif(i % 3000, 1),
	timestamptz '2024-01-01 UTC' + interval '7 minutes' * nullif(i % 5000, 2), nullif('text ' || i % 50, 'text 9'),
	nullif(left(md5((i % 200)::text), i % 13), ''), nullif('c' || i % 30, 'c3'), chr(65 + i % 5)
FROM generate_series(1, 6000) i;
CREATE TABLE wild (LIKE tame);
INSERT INTO wild SELECT * FROM tame WHERE id <= 1500;
UPDATE wild SET s = 32767, i = 2147483647, l = 9223372036854775807 WHERE id = 400;
UPDATE wild SET s = -32768, i = -2147483648, l = -9223372036854775808, m = -99999999.99, k = 99999999.9999 WHERE id = 401;
UPDATE wild SET e = 'NaN', f = 'NaN', u = 'NaN' WHERE id = 900;
UPDATE wild SET e = 'inf', f = '-inf', u = 1e40 WHERE id = 1100;
UPDATE wild SET e = '-0', f = '-0', u = 0.000000000000000000000000001, d = 'infinity', ts = '-infinity', tz = 'infinity' WHERE id = 1200;
UPDATE wild SET t = repeat('long', 3000), v = '', c = '' WHERE id % 500 = 1;
ALTER TABLE tame ADD COLUMN late int DEFAULT 5, ADD COLUMN late_text text DEFAULT 'late', ADD COLUMN late_null numeric(8,2);
ALTER TABLE wild ADD COLUMN late int DEFAULT 5, ADD COLUMN late_text text DEFAULT 'late', ADD COLUMN late_null numeric(8,2);
UPDATE tame SET late = 6, late_text = 'later', late_null = 1.5 WHERE id % 4 = 0;
ANALYZE tame, wild;
CREATE FUNCTION answer(query text, gpudb bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	PERFORM set_config('gpudb.enabled', gpudb::text, true);
	EXECUTE 'SELECT string_agg(r, chr(10) ORDER BY r COLLATE "C") FROM (SELECT coalesce(q::text, ''null'') AS r FROM (' || query || ') q OFFSET 0) s' INTO found;
	RETURN coalesce(found, 'no rows');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE FUNCTION on_gpudb(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('gpudb.enabled', 'on', true);
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line ~ '\\(Gpu' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $$;
"""


class Query:
    """Expressions of a type are made of columns, constants and operators of about `depth` levels."""

    columns = {
        "int": ["id", "s", "i", "l", "late"], "num": ["m", "k", "u", "late_null"], "float": ["e", "f"], "bool": ["b"],
        "text": ["t", "v", "late_text"], "char": ["c", "c1"], "date": ["d"], "ts": ["ts"], "tz": ["tz"]}
    constants = {
        "int": ["0", "1", "-1", "3", "7", "100", "-40", "2147483647", "5000000000", "NULL::int"],
        "num": ["0.0", "1.5", "-30", "0.25", "2.50", "3.1415926", "NULL::numeric", "1000000.00"],
        "float": ["0::float8", "1.5::float8", "-2.25::float4", "1e10::float8", "NULL::float8"], "bool": ["true", "false", "NULL::bool"],
        "text": ["'text 7'", "'late'", "''", "'a'", "NULL::text"], "char": ["'c4'::char(6)", "'B'::char(1)", "NULL::char(6)"],
        "date": ["date '2024-06-01'", "date '2023-12-31'", "NULL::date"], "ts": ["timestamp '2024-02-01 12:00'", "NULL::timestamp"],
        "tz": ["timestamptz '2024-01-10 UTC'", "NULL::timestamptz"]}

    def __init__(self, rng):
        self.rng = rng

    def leaf(self, kind):
        return self.rng.choice(self.columns[kind] if self.rng.random() < 0.75 else self.constants[kind])

    def case(self, kind, depth):
        arms = " ".join(f"WHEN {self.expr('bool', depth - 1)} THEN {self.expr(kind, depth - 1)}" for _ in range(self.rng.randint(1, 2)))
        return f"CASE {arms} ELSE {self.expr(kind, depth - 1)} END"

    def boolean(self, depth):
        pick, expr = self.rng.choice, self.expr
        kind = pick(list(self.columns))
        return pick([
            lambda: f"({expr(kind, depth - 1)} {pick(['<', '<=', '=', '>=', '>', '<>'])} {expr(kind, depth - 1)})",
            lambda: f"({expr(kind, depth - 1)} IS {pick(['', 'NOT '])}NULL)",
            lambda: f"({expr('bool', depth - 1)} {pick(['AND', 'OR'])} {expr('bool', depth - 1)})",
            lambda: f"(NOT {expr('bool', depth - 1)})",
            lambda: f"({expr('bool', depth - 1)} IS {pick(['', 'NOT '])}{pick(['TRUE', 'FALSE', 'UNKNOWN'])})",
            lambda: f"({expr(kind, depth - 1)} {pick(['', 'NOT '])}IN ({', '.join(pick(self.constants[kind]) for _ in range(3))}))",
            lambda: f"({expr(kind, depth - 1)} BETWEEN {self.leaf(kind)} AND {self.leaf(kind)})",
            lambda: f"({expr(kind, depth - 1)} IS {pick(['', 'NOT '])}DISTINCT FROM {expr(kind, depth - 1)})",
            lambda: f"({pick(['t', 'v', 'late_text'])} {pick(['LIKE', 'NOT LIKE'])} {pick(['$$text%$$', '$$%1%$$', '$$_e%$$', '$$%$$', '$$late$$'])})"])()

    def expr(self, kind, depth):
        pick = self.rng.choice
        if depth <= 0 or self.rng.random() < 0.25:
            return self.leaf(kind)
        if kind == "bool":
            return self.boolean(depth)
        if self.rng.random() < 0.15:
            return self.case(kind, depth)
        left, right = self.expr(kind, depth - 1), self.leaf(kind)
        if kind == "int":
            return pick([f"({left} {pick(['+', '-', '*', '/', '%'])} {right})", f"(-{left})", f"abs({left})", f"coalesce({left}, {right})",
                         f"({left})::int8", f"({left})::int4", f"length({self.leaf('text')})", f"nullif({left}, {right})",
                         f"({self.leaf('date')} - {self.leaf('date')})"])
        if kind == "num":
            return pick([f"({left} {pick(['+', '-', '*'])} {right})", f"(-{left})", f"coalesce({left}, {right})", f"({self.leaf('int')})::numeric",
                         f"abs({left})", f"({left} * {self.leaf('int')})", f"round({left}, 1)", f"({left} / {right})"])
        if kind == "float":
            return pick([f"({left} {pick(['+', '-', '*', '/'])} {right})", f"(-{left})", f"({self.leaf('int')})::float8", f"abs({left})", f"sqrt({left})"])
        if kind == "date":
            return pick([f"({left} + {self.leaf('int')})", f"coalesce({left}, {right})", f"({self.leaf('ts')})::date"])
        if kind == "text":
            return pick([f"coalesce({left}, {right})", f"substring({left}, 2, 3)", f"upper({left})", f"({left} || {right})"])
        return f"coalesce({left}, {right})"

    def aggregate(self):
        pick = self.rng.choice
        kind = pick(["int", "int", "num", "num", "date", "ts", "tz", "bool"])
        agg = pick([
            lambda: "count(*)",
            lambda: f"count({self.expr(kind, 2)})",
            lambda: f"{pick(['sum', 'avg', 'min', 'max'])}({self.expr(pick(['int', 'num']), 2)})",
            lambda: f"{pick(['min', 'max'])}({self.expr(pick(['date', 'ts', 'tz', 'float']), 1)})",
            lambda: f"{pick(['sum', 'avg'])}({pick(['e', 'f'])} + 0)",
            lambda: f"{pick(['bool_and', 'bool_or', 'every'])}({self.expr('bool', 1)})"])()
        return agg + (f" FILTER (WHERE {self.expr('bool', 2)})" if self.rng.random() < 0.25 else "")

    def text(self):
        rng = self.rng
        table = "tame" if rng.random() < 0.75 else "wild"
        where = f" WHERE {self.expr('bool', rng.randint(1, 3))}" if rng.random() < 0.8 else ""
        if rng.random() < 0.4:
            outputs = [self.expr(rng.choice(list(self.columns)), rng.randint(0, 1)) for _ in range(rng.randint(0, 3))]
            return f"SELECT {', '.join(['id'] + outputs)} FROM {table}{where}"
        keys = [self.expr(rng.choice([k for k in self.columns if k != "float"]), rng.choice([0, 0, 1, 2])) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        keys = [key for key in keys if not key.lstrip("-").isdigit()]
        having = f" HAVING {self.aggregate()} IS NOT NULL" if rng.random() < 0.15 else ""
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f"SELECT {', '.join(keys + [self.aggregate() for _ in range(rng.randint(1, 4))])} FROM {table}{where}{group}{having}"


def psql(script):
    run = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=script, text=True, capture_output=True)
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"{count} queries, seed {seed}")
    maker = Query(random.Random(seed))
    queries = [maker.text() for _ in range(count)]
    script = [SETUP, "SET timezone = 'UTC'; SET gpudb.force = on; BEGIN ISOLATION LEVEL REPEATABLE READ;"]
    for number, query in enumerate(queries):
        quoted = "$q$" + query + "$q$"
        script.append(f"SET LOCAL gpudb.cpu_threads = {number % 3}; SET LOCAL gpudb.debug_yield = {(-1, -1, 5)[number % 3]}; "
                      f"SELECT json_build_array({number}, on_gpudb({quoted}), g = p, CASE WHEN g <> p THEN g END, CASE WHEN g <> p THEN p END, p ~ '^[0-9A-Z]{{5}}: ') FROM "
                      f"(SELECT answer({quoted}, true) AS g, answer({quoted}, false) AS p) s;")
    script.append("COMMIT; DROP SCHEMA random_queries CASCADE;")
    covered = errors = different = 0
    for record in psql("SET client_min_messages = warning;" + "\n".join(script)).splitlines():
        if not record.startswith("["):
            continue
        number, on_gpudb, same, ours, theirs, error = json.loads(record)
        covered += on_gpudb is True
        errors += error
        if not same:
            different += 1
            ours, theirs = set(ours.split("\n")), set(theirs.split("\n"))
            print(f"\n{queries[number]}\n  only gpudb:      {sorted(ours - theirs)[:3]}\n  only PostgreSQL: {sorted(theirs - ours)[:3]}")
    print(f"{covered} had gpudb nodes, {errors} ended in an error, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
