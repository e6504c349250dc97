"""What tests/bindings/test_conformance.py asks of every binding: conformance WHAT WORK [ITERATION]."""

import os
import signal
import subprocess
import sys
import threading
import time

import duet


def work(thousands):
    total = 0
    for i in range(thousands * 1000):
        total ^= i


def plain():
    return subprocess.run([sys.executable, sys.argv[0], "plain", sys.argv[2]], check=False).returncode


def child_takes_no_part(d):
    """In the child nothing is wanted, nor printed."""
    pid = os.fork()
    if pid == 0:
        wanted = d.next()
        d.begin()
        d.end()
        d.close()
        os._exit(9 if wanted else 0)
    if os.waitpid(pid, 0)[1] != 0:
        os._exit(9)


def iterate(d, what, thousands, number, done):
    if what == "skip":
        time.sleep(0.1)
        return
    if what == "misuse":
        d.end()
    if what == "count":
        d.count(number)
    if what == "second" and done == 0 and plain() == 0:
        os._exit(9)
    if what == "fork" and done == 1:
        child_takes_no_part(d)
    d.begin()
    if what == "kill" and done == number:
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "region":
        d.region("parse")
        work(thousands)
        d.region("run")
    work(thousands * number if what == "count" else thousands)
    d.end()


def measure(what, thousands, number):
    with duet.Duet("conformance") as d:
        if what == "hand-on":
            d.hand_on()
            if plain() != 0:
                os._exit(1)
        done = 0
        while d.next():
            iterate(d, what, thousands, number, done)
            done += 1
        if what == "report":
            print("attached" if d.attached else "alone", done, file=sys.stderr)


def main():
    status = 0

    def run():
        nonlocal status
        try:
            measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
        except duet.DuetError as error:
            print(f"duet.DuetError: {error}", file=sys.stderr)
            status = 1

    thread = threading.Thread(target=run)  # any thread may drive it
    thread.start()
    thread.join()
    sys.exit(status)


if __name__ == "__main__":
    main()
