"""The few calls of libpq that the benchmark needs, through ctypes.

A driver would do as well, but the figure to report is what a C client sees:
here the clock stops when libpq has the whole result, before Python touches it.
"""

import ctypes
import ctypes.util
import os
import re
import subprocess
import time
from collections import namedtuple

COMMAND_OK, TUPLES_OK = 1, 2
FLOAT4, FLOAT8 = 700, 701

Table = namedtuple("Table", "names types rows")


class ServerError(Exception):
    def __init__(self, message, sqlstate):
        super().__init__(message.strip())
        self.sqlstate = sqlstate


def _load():
    lib = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
    ptr, text, num = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, args in (
        ("PQconnectdb", ptr, [text]),
        ("PQfinish", None, [ptr]),
        ("PQstatus", num, [ptr]),
        ("PQerrorMessage", text, [ptr]),
        ("PQsendQuery", num, [ptr, text]),
        ("PQgetResult", ptr, [ptr]),
        ("PQresultStatus", num, [ptr]),
        ("PQresultErrorMessage", text, [ptr]),
        ("PQresultErrorField", text, [ptr, num]),
        ("PQcmdStatus", text, [ptr]),
        ("PQclear", None, [ptr]),
        ("PQntuples", num, [ptr]),
        ("PQnfields", num, [ptr]),
        ("PQfname", text, [ptr, num]),
        ("PQftype", ctypes.c_uint, [ptr, num]),
        ("PQgetisnull", num, [ptr, num, num]),
        ("PQgetvalue", text, [ptr, num, num]),
        ("PQsetNoticeProcessor", ptr, [ptr, ptr, ptr]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, args
    return lib


LIB = _load()
_NOTICES = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Connection:
    """One persistent connection; every method raises ServerError on an error.

    `notice` is the last notice or warning, `status` what the last statement says of itself, such as MOVE 3.
    """

    notice = status = ""

    def __init__(self, dsn, settings=()):
        self.conn = LIB.PQconnectdb(dsn.encode())
        if LIB.PQstatus(self.conn) != 0:
            raise ServerError(LIB.PQerrorMessage(self.conn).decode(), "08001")
        self.keep_notice = _NOTICES(lambda arg, message: setattr(self, "notice", message.decode()))
        LIB.PQsetNoticeProcessor(self.conn, ctypes.cast(self.keep_notice, ctypes.c_void_p), None)
        self.dsn, self.settings = dsn, {}
        for name, value in settings:
            self.set(name, value)

    def close(self):
        LIB.PQfinish(self.conn)
        self.conn = None

    def set(self, name, value):
        self.table(f"SET {name} = '{value}'")
        self.settings[name] = value

    def time(self, sql):
        """Seconds until libpq holds the whole result, and the number of rows."""
        start = time.perf_counter()
        result = self._run(sql)
        seconds = time.perf_counter() - start
        rows = LIB.PQntuples(result)
        LIB.PQclear(result)
        return seconds, rows

    def table(self, sql, limit=None):
        """The last result of sql that has rows, as text; None for NULL.

        With more than `limit` rows they are left out: rows is then None.
        """
        result = self._run(sql)
        try:
            columns = range(LIB.PQnfields(result))
            names = [LIB.PQfname(result, c).decode() for c in columns]
            types = [LIB.PQftype(result, c) for c in columns]
            if limit is not None and LIB.PQntuples(result) > limit:
                return Table(names, types, None)
            rows = [
                tuple(
                    value.decode() if (value := LIB.PQgetvalue(result, r, c)) or not LIB.PQgetisnull(result, r, c) else None
                    for c in columns
                )
                for r in range(LIB.PQntuples(result))
            ]
            return Table(names, types, rows)
        finally:
            LIB.PQclear(result)

    def value(self, sql):
        rows = self.table(sql).rows
        return rows[0][0] if rows else None

    def copy_lines(self, query, options=""):
        """Every row of one SELECT as a line of COPY text, in lists of some thousand lines.

        psql does the reading, in a session of its own with this one's settings:
        a call through ctypes for each of many million rows would take minutes.
        """
        options_text = " ".join(f"-c {name}={value}" for name, value in self.settings.items())
        process = subprocess.Popen(
            ["psql", "-qAtX", "-v", "VERBOSITY=verbose", "-d", self.dsn, "-c", f"COPY ({query}) TO STDOUT {options}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, PGOPTIONS=options_text),
        )
        rest = b""
        while chunk := process.stdout.read(1 << 20):
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            yield lines
        message = process.stderr.read().decode()
        if process.wait() != 0:
            found = re.search(r"ERROR:\s+(\w{5}): (.*)", message)
            raise ServerError(found[2] if found else message, found[1] if found else "08006")

    def _run(self, sql):
        if not LIB.PQsendQuery(self.conn, sql.encode()):
            raise ServerError(LIB.PQerrorMessage(self.conn).decode(), "08006")
        return self._last_result()

    def _last_result(self):
        """Read results to the end and keep the last one that has rows."""
        held, error = None, None
        result = LIB.PQgetResult(self.conn)
        while result:
            status = LIB.PQresultStatus(result)
            if status not in (COMMAND_OK, TUPLES_OK) and error is None:
                sqlstate = LIB.PQresultErrorField(result, ord("C"))
                error = ServerError(
                    LIB.PQresultErrorMessage(result).decode(), (sqlstate or b"08006").decode()
                )
            self.status = LIB.PQcmdStatus(result).decode()
            if held is None or status == TUPLES_OK:
                if held:
                    LIB.PQclear(held)
                held = result
            else:
                LIB.PQclear(result)
            result = LIB.PQgetResult(self.conn)
        if error:
            if held:
                LIB.PQclear(held)
            raise error
        return held
