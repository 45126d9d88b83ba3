"""DuckDB in memory with all threads, on the same rows, as one more configuration.

The rows travel as CSV from PostgreSQL, unless there are files of them.  The clock stops when the result is in
numpy arrays (with numpy missing: in Python objects, which costs far more per
row).  Its answers are not compared: its decimals and divisions have other rules.
"""

import glob
import os
import re
import tempfile
import time

import duckdb

from libpq import ServerError

try:
    import numpy  # noqa: F401  (fetchnumpy needs it)

    FETCH = "fetchnumpy"
except ImportError:
    FETCH = "fetchall"


class _Connection:
    def __init__(self, source, tables, files):
        self.duck = duckdb.connect(":memory:")
        self.duck.execute("SET integer_division = true")
        for table in tables:
            if files and os.path.exists(f"{files}/{table}.parquet"):
                self.duck.execute(f"CREATE TABLE {table} AS SELECT * FROM read_parquet('{files}/{table}.parquet')")
            elif files and glob.glob(f"{files}/{table}.*.csv"):
                selected = self._create(source, table)
                self.duck.execute(f"INSERT INTO {table} SELECT {selected} FROM read_csv('{files}/{table}.*.csv', header = false,"
                                  f" columns = {self._columns(table)})")
            else:
                self._copy(source, table)

    def _columns(self, table):
        """A table's columns as read_csv() wants them."""
        described = self.duck.execute(f"DESCRIBE {table}").fetchall()
        return "{" + ", ".join(f"'{name}': '{kind}'" for name, kind, *_ in described) + "}"

    def _create(self, source, table):
        """Make a table without rows; what is to be selected for its columns."""
        columns = source.table(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
            f" WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        ).rows
        # PostgreSQL ignores the padding of char(n) in comparisons, DuckDB's varchar would not
        padded = [name for name, kind in columns if re.match(r"character\(", kind)]
        selected = ", ".join(f"rtrim({name})" if name in padded else name for name, _ in columns)
        listed = ", ".join(f"{name} {re.sub('character( varying)?', 'varchar', kind)}" for name, kind in columns)
        self.duck.execute(f"CREATE TABLE {table}({listed})")
        return selected

    def _copy(self, source, table):
        selected = self._create(source, table)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            with open(path, "wb") as file:
                for lines in source.copy_lines(f"SELECT {selected} FROM {table}", "(FORMAT csv)"):
                    file.writelines(line + b"\n" for line in lines)
            self.duck.execute(f"COPY {table} FROM '{path}' (FORMAT csv, HEADER false)")

    def time(self, sql):
        start = time.perf_counter()
        try:
            result = getattr(self.duck.execute(sql), FETCH)()
        except duckdb.Error as error:
            raise ServerError(str(error), "duckdb") from error
        seconds = time.perf_counter() - start
        rows = len(next(iter(result.values()))) if FETCH == "fetchnumpy" else len(result)
        return seconds, rows


class Configuration:
    def __init__(self, source, tables, files):
        self.name, self.kind = "duckdb", "duckdb"
        self.conn = _Connection(source, tables, files)
