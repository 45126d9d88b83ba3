"""Is gpudb's answer PostgreSQL's answer?

Every column must agree digit for digit, as a multiset of rows, with one
exception: a sum or average of floats, which PostgreSQL itself computes in an
order that it does not fix.  Such a column is named by the companion query
NAME.exact.sql, which returns for a column c the exact value c_exact and the sum
of sizes c_abs (for an average, divided by the count), both numeric.  Then

    |ours - exact| <= 2^-40 * c_abs  (+ half a unit in the last place for float4)

Large results are never held: they pass by as COPY text, and what is stored is a
count, a sum of the lines' hashes (order does not matter) and a running hash of
all bytes (it does).  The first are Python's own 64-bit keyed hashes: fast, and
good for comparing within one process, which is all that they are for.
"""

import hashlib
import math
import struct
from fractions import Fraction

from libpq import FLOAT4, ServerError

KEEP_ROWS = 10000
TOLERANCE = Fraction(1, 2**40)


class Answer:
    def __init__(self, names, types):
        self.names, self.types = names, types
        self.rows = None
        self.count = 0
        self.multiset = 0
        self.sequence = hashlib.blake2b(digest_size=16)

    def add(self, lines):
        self.count += len(lines)
        self.multiset = (self.multiset + sum(map(hash, lines))) % 2**64
        self.sequence.update(b"\n".join(lines) + b"\n")


def answer(conn, query):
    table = conn.table(query.sql, KEEP_ROWS)
    result = Answer(table.names, table.types)
    if table.rows is None:
        try:
            for lines in conn.copy_lines(query.sql.strip().rstrip(";")):
                result.add(lines)
            return result
        except ServerError as error:
            if error.sqlstate != "42601":  # more than one statement: not for COPY
                raise
            table = conn.table(query.sql)
    result.add([repr(row).encode() for row in table.rows])
    result.rows = table.rows
    return result


def exact_sums(conn, query):
    """{column: (exact value, tolerance)} from the companion query, or {}."""
    if query.exact is None:
        return {}
    table = conn.table(query.exact)
    (row,) = table.rows
    found = dict(zip(table.names, row))
    return {
        name[: -len("_exact")]: (
            None if value is None else Fraction(value),
            None if value is None else Fraction(found[name[: -len("_exact")] + "_abs"]) * TOLERANCE,
        )
        for name, value in found.items()
        if name.endswith("_exact")
    }


def compare(ours, theirs, exact):
    """'' when the answers agree, else what differs."""
    if ours.names != theirs.names or ours.types != theirs.types:
        return f"columns {ours.names} {ours.types} instead of {theirs.names} {theirs.types}"
    if ours.count != theirs.count:
        return f"{ours.count} rows instead of {theirs.count}"
    if exact:
        return _compare_with_exact(ours, theirs, exact)
    if ours.multiset == theirs.multiset:
        return ""
    if ours.rows is None or theirs.rows is None:
        return "the rows differ"
    extra, missing = set(ours.rows) - set(theirs.rows), set(theirs.rows) - set(ours.rows)
    return f"row {_some(extra)} instead of {_some(missing)}"


def same_order(ours, theirs):
    return ours.sequence.digest() == theirs.sequence.digest()


def _some(rows):
    return min(rows, key=repr) if rows else "(a different number of equal rows)"


def _compare_with_exact(ours, theirs, exact):
    for our_row, their_row in zip(ours.rows, theirs.rows):
        for name, oid, our, their in zip(ours.names, ours.types, our_row, their_row):
            if name not in exact or our is None or their is None or exact[name][0] is None:
                if our != their:
                    return f"{name} = {our} instead of {their}"
                continue
            value, tolerance = exact[name]
            error = _float_error(our, oid, value)
            if error is None:
                return f"{name} = {our}, exactly {float(value)!r}"
            if error > tolerance:
                return f"{name} = {our} is {float(error):.3g} from {float(value)!r}, allowed {float(tolerance):.3g}"
    return ""


def _float_error(text, oid, value):
    """How far the float is from value, less the last rounding of a float4."""
    number = float(text)
    if not math.isfinite(number):
        return None
    if oid != FLOAT4:
        return abs(Fraction(number) - value)
    number = struct.unpack("f", struct.pack("f", number))[0]
    exponent = max(math.frexp(max(abs(number), abs(float(value))))[1], -125)
    return abs(Fraction(number) - value) - Fraction(2) ** (exponent - 25)
