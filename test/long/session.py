"""A connection whose server process can be watched: what the tests of this folder share."""

import os
import subprocess
import sys
import threading

sys.dont_write_bytecode = True  # nothing but sources in the repository
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))

from libpq import Connection, ServerError  # noqa: E402, F401

MB = 1 << 20


class Session(Connection):
    """Reads /proc of its backend, so the server must be on this machine and belong to us, or we be root."""

    def __init__(self, settings=(), database="", server=""):
        super().__init__(f"{server} dbname={database}" if database else server, settings)
        self.pid = int(self.value("SELECT pg_backend_pid()"))

    def each(self, statements):
        """Statements one by one, each its own transaction as in psql; the last one's rows."""
        for statement in filter(str.strip, statements.split(";")):
            rows = self.table(statement).rows
        return rows

    def private_bytes(self):
        return private_bytes(self.pid)

    def supervisor(self):
        """The process that keeps the GPU process, its only child."""
        with open(f"/proc/{self.pid}/stat") as stat:
            return child_of(stat.read().split()[3], "gpudb supervisor")

    def handles(self):
        """Open files, and threads."""
        return len(os.listdir(f"/proc/{self.pid}/fd")), len(os.listdir(f"/proc/{self.pid}/task"))


def private_bytes(pid):
    """A process's resident memory but for shared buffers, files and code."""
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not tell RssAnon")


def children_of(pid, name=""):
    """The children of a process, with this in their titles."""
    found = subprocess.run(["pgrep", "-P", str(pid), "-f", name], capture_output=True, text=True)
    return [int(child) for child in found.stdout.split()]


def child_of(pid, name=""):
    """The first of them; None if there is none."""
    found = children_of(pid, name)
    return found[0] if found else None


class Peak:
    """The most private memory that a session had while the `with` block ran, looked at every few milliseconds."""

    def __init__(self, session):
        self.session, self.bytes = session, 0

    def _watch(self):
        while not self.done.wait(0.005):
            self.bytes = max(self.bytes, self.session.private_bytes())

    def __enter__(self):
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
