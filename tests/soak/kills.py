"""Signals at random moments: what is in the store afterwards, and who is left.

usage: python3 tests/soak/kills.py DUET [--times N] [--seed N] [--odd-benchmark FILE]

Starts a measurement, waits for a random moment, and sends SIGKILL (or what else the row
says) to one process or several of it. Prints a table: who, signal, times, outcome; its exit
status is 1 when something was lost, left or did not end. `make soak` runs 1,000."""

import argparse
import collections
import ctypes
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.processes import children_of, descendants, is_gone, supervisors_of

PR_SET_CHILD_SUBREAPER = 36
LIMIT_S = 60
VICTIMS = ["runner", "supervisor", "child", "children", "supervisors", "everybody"]


def programs(folder, odd_benchmark):
    """Command lines of both sides, and options: short commands, commands with children of
    their own, benchmarks."""
    nested = folder / "nested"
    nested.write_text("#!/bin/sh\nsleep 0.01 &\nwait\n")
    nested.chmod(0o755)
    kinds = [("true", []), (str(nested), ["-I", "2"]), ("sleep 0.005", ["-I", "3"])]
    if odd_benchmark:
        kinds.append((f"{odd_benchmark} nothing 1 2", ["-I", "4"]))
    return kinds


def victims_of(process, who):
    supervisors = [pid for pid in supervisors_of(process.pid)]
    programs_now = [pid for supervisor in supervisors for pid in children_of(supervisor)]
    return {"runner": [process.pid], "supervisor": supervisors[:1],
            "supervisors": supervisors, "child": programs_now[:1],
            "children": programs_now,
            "everybody": [process.pid, *supervisors, *programs_now]}[who]


def runs_in(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.Error:
        return 0


def store_is_whole(store):
    if not store.exists():
        return True  # killed before it was made
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok" or \
                connection.execute("PRAGMA foreign_key_check").fetchall():
            return False
        try:
            return not connection.execute(
                "SELECT 1 FROM run JOIN run_side ON run_side.run_id = run.id GROUP BY run.id "
                "HAVING count(*) <> 2 OR min(iterations) <> max(iterations)").fetchall()
        except sqlite3.OperationalError:
            return True  # not a table yet


def all_gone(pids):
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if all(is_gone(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def adopted():
    """Of our children, those that did not end; ended ones are collected."""
    left = []
    for pid in children_of(os.getpid()):
        try:
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                left.append(pid)
        except ChildProcessError:
            pass
    return left


def wait_for_end(process, number):
    """Who stopped somebody has nobody else to ask for the end."""
    try:
        return process.wait(LIMIT_S if number != signal.SIGSTOP else 20)
    except subprocess.TimeoutExpired:
        return None


def one(duet, who, number, kind, folder, moment_s):
    """What is wrong after one signal; empty: nothing."""
    command, options = kind
    store = folder / "results.db"
    temporary = folder / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [duet, command, command, "-r", "100000", *options, "--store", str(store)],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
    time.sleep(moment_s)
    before = runs_in(store)
    everybody = descendants(process.pid)
    chosen = victims_of(process, who)
    for pid in chosen:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass
    everybody += descendants(process.pid)
    if who in ("child", "children") or not chosen:
        time.sleep(0.05)  # it may have ended by itself, or be one that nobody misses
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    wrong = []
    if wait_for_end(process, number) is None:
        wrong.append("hang")
        process.kill()
        process.wait()
    if not all_gone(everybody) or not all_gone(adopted()):
        wrong.append("process left")
        for pid in adopted():
            os.kill(pid, signal.SIGKILL)
    adopted()
    if not store_is_whole(store):
        wrong.append("store broken")
    if runs_in(store) < before:
        wrong.append("run lost")
    if any(temporary.iterdir()):
        wrong.append("file left")
    if before > 0 and subprocess.run([duet, "show", "--store", str(store)],
                                     capture_output=True, check=False).returncode != 0:
        wrong.append("show fails")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("duet")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--odd-benchmark")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chance = random.Random(arguments.seed)
    rows = [(who, signal.SIGKILL) for who in VICTIMS] + \
           [("supervisor", signal.SIGSTOP), ("child", signal.SIGSTOP),
            ("supervisor", signal.SIGTERM), ("runner", signal.SIGTERM)]
    outcomes = collections.defaultdict(collections.Counter)
    for i in range(arguments.times):
        who, number = rows[i % len(rows)]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-kills-"))
        kind = chance.choice(programs(folder, arguments.odd_benchmark))
        wrong = one(arguments.duet, who, number, kind, folder, 0.03 + chance.random() * 0.5)
        for what in wrong or ["fine"]:
            outcomes[who, number][what] += 1
        if wrong:
            print(f"# {who}, {number.name}, {kind[0]}: {', '.join(wrong)}", flush=True)
        shutil.rmtree(folder)
    print("| who | signal | times | outcome |\n|---|---|---|---|")
    for (who, number), counts in outcomes.items():
        outcome = ", ".join(f"{what} {count}" for what, count in counts.items())
        print(f"| {who} | {number.name} | {sum(counts.values())} | {outcome} |")
    return any(set(counts) != {"fine"} for counts in outcomes.values())


if __name__ == "__main__":
    sys.exit(main())
