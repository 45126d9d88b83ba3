#!/usr/bin/env python3
"""Sessions take and give back job slots while the GPU process is stopped and let go on: nobody may get another's answer.

    test/long/slots.py --seconds 30

Each session asks another question of the same form, so that a program of the slot's last owner would answer wrongly
without anybody noticing but this script.  Exit status 1: a wrong answer, or too few questions.
"""

import argparse
import os
import random
import signal
import threading
import time

from session import Session, child_of

TABLE = "DROP TABLE IF EXISTS slots; CREATE TABLE slots AS SELECT generate_series(1, 1000) AS id; VACUUM ANALYZE slots"
BOUNDS = (100, 300, 600, 900)


class Asker(threading.Thread):
    def __init__(self, bound, end):
        super().__init__()
        self.bound, self.end, self.asked, self.wrong = bound, end, 0, 0
        self.session = Session([("gpudb.device", "gpu"), ("gpudb.force", "on")])

    def run(self):
        while time.monotonic() < self.end:
            self.wrong += self.session.value(f"SELECT count(*) FROM slots WHERE id > {self.bound}") != str(1000 - self.bound)
            self.asked += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    session = Session()
    session.each(TABLE)
    supervisor = session.supervisor()
    end = time.monotonic() + options.seconds
    askers = [Asker(bound, end) for bound in BOUNDS]
    for asker in askers:
        asker.start()
    while time.monotonic() < end:
        helper = child_of(supervisor)
        if helper is not None:
            os.kill(helper, signal.SIGSTOP)
            time.sleep(random.random() * 0.01)
            os.kill(helper, signal.SIGCONT)
        time.sleep(random.random() * 0.01)
    for asker in askers:
        asker.join()
    asked, wrong = sum(a.asked for a in askers), sum(a.wrong for a in askers)
    print(f"{asked} questions, {wrong} wrong answers")
    session.each("DROP TABLE slots")
    return int(wrong > 0 or asked < 100 * options.seconds)


if __name__ == "__main__":
    raise SystemExit(main())
