#!/usr/bin/env python3
"""Group-bys of millions of groups and hundreds of millions of rows: time and memory, against PostgreSQL.

    test/long/groups.py --rows 200000000

Prints a table; exit status 1: an answer differed, or gpudb took more memory
than hash memory and a tenth.
"""

import argparse

from session import MB, Peak, Session

HASH_MEMORY = 1024 * MB
QUERIES = [
    ("5 million groups", "SELECT k, count(*), sum(v) FROM groups_many GROUP BY k"),
    ("5 million groups, wide", "SELECT k, count(*), sum(v), min(v), max(v) FROM groups_many GROUP BY k"),
    ("10 groups", "SELECT few, count(*), sum(v) FROM groups_long GROUP BY few"),
    ("1 million groups", "SELECT k, count(*), sum(v) FROM groups_long GROUP BY k"),
]
# what PostgreSQL is given: it is judged by the quickest
WAYS = {
    "gpudb": (("gpudb.force", "on"), ("gpudb.debug_require", "require"), ("max_parallel_workers_per_gather", "0")),
    "serial": (("gpudb.enabled", "off"), ("max_parallel_workers_per_gather", "0")),
    "parallel": (("gpudb.enabled", "off"), ("max_parallel_workers_per_gather", "2")),
}


def load(rows):
    session = Session()
    session.table(
        f"""DROP TABLE IF EXISTS groups_many, groups_long;
        CREATE TABLE groups_many AS
        SELECT (i * 7919) % 5000000 AS k, i % 1000 AS v FROM generate_series(1::bigint, 10000000) i;
        CREATE TABLE groups_long AS
        SELECT ((i * 7919) % 1000003)::int AS k, (i % 1000)::int AS v, (i % 10)::int AS few FROM generate_series(1::bigint, {rows}) i"""
    )
    session.table("VACUUM (FREEZE, ANALYZE) groups_many, groups_long")
    session.close()


def measure(way, query, runs):
    """Of each run the seconds; the peak of private memory; the whole answer, boiled down."""
    session = Session([("work_mem", "512MB"), ("hash_mem_multiplier", "2"), ("jit", "off"), *WAYS[way]])
    digest = f"SELECT count(*), sum(hashtextextended(s::text, 0)::numeric) FROM ({query} OFFSET 0) s"
    with Peak(session) as peak:
        seconds = sorted(session.time(f"SELECT count(*) FROM ({query} OFFSET 0) s")[0] for _ in range(runs))
    answer = session.table(digest).rows
    session.close()
    return seconds[len(seconds) // 2], peak.bytes, answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000_000, help="of the long table (200 million, 9 GB)")
    parser.add_argument("--runs", type=int, default=3, help="of each query; the median counts (3)")
    options = parser.parse_args()
    load(options.rows)
    failed = False
    print(f"long table: {options.rows} rows; hash memory {HASH_MEMORY // MB} MB; seconds (peak private memory of the session, MB)")
    for name, query in QUERIES:
        found = {way: measure(way, query, options.runs) for way in WAYS}
        right = all(answer == found["serial"][2] for _, _, answer in found.values())
        bounded = found["gpudb"][1] <= HASH_MEMORY * 1.1
        failed |= not (right and bounded)
        figures = ", ".join(f"{way} {seconds:.2f} ({peak / MB:.0f})" for way, (seconds, peak, _) in found.items())
        print(f"{name}: {figures}; {'equal' if right else 'DIFFERENT'}{'' if bounded else '; TOO MUCH MEMORY'}")
    session = Session()
    session.table("DROP TABLE groups_many, groups_long")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
