"""Signals at random moments: what is in the store afterwards, and who or what is left.

usage: python3 tests/soak/kills.py DUET [--times N] [--seed N] [--odd-benchmark FILE]

Starts a measurement or, every other time, a suite, a comparison of two commits or a search for
the slow one, waits for a random moment, and sends SIGKILL (or what else the row says) to one
process or several of it. No process, descriptor, shared memory or temporary file may be left. A
suite is then resumed, and its table must have the structure of an undisturbed one's; the commits
are compared again; the search goes on and finds the commit. Prints a table: who, signal, times,
outcome; its exit status is 1 when something was lost, left or did not end. `make soak` runs
1,000."""

import argparse
import collections
import contextlib
import ctypes
import json
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
from support.repository import make_commits, make_two_commits

PR_SET_CHILD_SUBREAPER = 36
LIMIT_S = 300  # a search takes 100 s beside a load of 10
SEEN_LEAST = 5
VICTIMS = ["runner", "supervisor", "child", "children", "supervisors", "everybody"]


def write_nested(folder):
    """A command with a child of its own."""
    nested = folder / "nested"
    nested.write_text("#!/bin/sh\nsleep 0.01 &\nwait\n")
    nested.chmod(0o755)
    return nested


def commands(duet, folder, odd_benchmark):
    """Short commands, commands with children, benchmarks."""
    kinds = [("true", []), (str(folder / "nested"), ["-I", "2"]), ("sleep 0.005", ["-I", "3"])]
    if odd_benchmark:
        kinds.append((f"{pathlib.Path(odd_benchmark).resolve()} nothing 1 2", ["-I", "4"]))
    return [Command(duet, *kind) for kind in kinds]


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
    """Who stopped somebody has nobody else to ask for the end: a stopped hook is waited for,
    but an interruption ends that."""
    for limit_s in [20, 20] if number == signal.SIGSTOP else [LIMIT_S]:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(limit_s)
        process.send_signal(signal.SIGINT)
    return None


SUITE = """setup: touch {scratch}/here
defaults: {{runs: 12}}
benchmarks:
- {{name: short, command: "true"}}
- {{name: nested, command: {nested}, iterations: 2}}
- {{name: slow, old: sleep 0.002, new: sleep 0.003, prepare: "true"}}
- {{name: checked, command: echo checked, check: {{matches: checked}}}}
"""


class Suite:
    """A suite to be killed and resumed, and what it answers undisturbed."""

    name, resumable = "suite", True

    def __init__(self, duet, folder):
        self.duet = duet
        self.structure, self.descriptors = None, None
        self.prepare(folder)
        process = subprocess.Popen([*self.words(), "--export-json", "out.json"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.descriptors = usual_descriptors(process, LIMIT_S)
        if process.wait() != 0:
            raise RuntimeError("the suite fails by itself")
        self.structure = structure_of(folder / "out.json")

    def prepare(self, folder):
        (folder / "s.yaml").write_text(SUITE.format(nested=folder / "nested",
                                                    scratch="{scratch}"))

    def words(self):
        return [self.duet, "suite", "s.yaml", "--store", "results.db"]

    def resume(self, folder, environment):
        """What is wrong with what it comes to."""
        (folder / "out.json").unlink(missing_ok=True)
        done = subprocess.run([*self.words(), "--resume", "--export-json", "out.json"],
                              cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              env=environment, check=False)
        if done.returncode != 0:
            return [f"resumed, exit {done.returncode}: {done.stderr[-200:]}"]
        return [] if structure_of(folder / "out.json") == self.structure else \
            ["another table"]


class Command:
    """One comparison without an end."""

    resumable, descriptors = False, None

    def __init__(self, duet, command, options):
        self.duet, self.name, self.options = duet, command, options

    def prepare(self, folder):
        pass

    def words(self):
        return [self.duet, self.name, self.name, "-r", "100000", *self.options, "--store",
                "results.db"]


class Git:
    """Two commits that are built, and measured. Whatever was killed, the next call finds
    them as they are."""

    name, resumable, descriptors = "git", True, None

    def __init__(self, duet):
        self.duet = duet

    def prepare(self, folder):
        make_two_commits(folder)

    def words(self, build="sleep 0.2; touch built"):
        return [self.duet, "git", "HEAD~1", "HEAD", "--build", build, "-r", "12", "--store",
                "results.db", "--", "test -e built"]

    def resume(self, folder, environment):
        """What is wrong with the next call."""
        done = subprocess.run(self.words("touch built"), cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, env=environment, check=False)
        return [] if done.returncode == 0 else \
            [f"again, exit {done.returncode}: {done.stderr[-200:]}"]


class Bisect:
    """A search for the commit that does three times the work, and that goes on."""

    name, resumable, descriptors = "bisect", True, None
    operations = ("1000000", "1000001", "1000002", "3000000", "3000001", "3000002")
    slow = 3

    def __init__(self, duet):
        self.duet = duet

    def prepare(self, folder):
        make_commits(folder, self.operations)

    def words(self, *more):
        return [self.duet, "bisect", f"HEAD~{len(self.operations) - 1}", "HEAD", "--build",
                "sleep 0.1", "--confidence", "0.999", "--store", "results.db", *more, "--",
                f"sh -c 'exec {self.duet} workload integer --operations $(cat text)'"]

    def resume(self, folder, environment):
        """What is wrong with how it goes on."""
        done = subprocess.run(self.words("--resume"), cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=environment, check=False)
        commit = subprocess.run(["git", "rev-parse", "--short",
                                 f"HEAD~{len(self.operations) - 1 - self.slow}"], cwd=folder,
                                capture_output=True, text=True, check=True).stdout.strip()
        if done.returncode != 0 or not done.stdout.startswith(f"first slow commit: {commit},"):
            return [f"on, exit {done.returncode}: {done.stdout[-200:]}{done.stderr[-200:]}"]
        return []


def structure_of(path):
    """Benchmarks in their order, and what is known of each."""
    return [(comparison["name"], sorted(comparison))
            for comparison in json.loads(path.read_text())["comparisons"]]


def usual_descriptors(process, limit_s):
    """The most that it has for a tenth of the time until it ends, and at SEEN_LEAST looks:
    those of a moment, as while it reads a file, are not left. Who was killed and is gone after
    one look has left nothing."""
    times = collections.Counter()
    deadline = time.monotonic() + limit_s
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            times[len(os.listdir(f"/proc/{process.pid}/fd"))] += 1
        time.sleep(0.002)
    least = max(SEEN_LEAST, times.total() / 10)
    return max((count for count, seen in times.items() if seen >= least), default=0)


def shared_memory():
    """What outlives processes: POSIX' and System V's segments that nobody uses. Other programs
    of this machine have theirs."""
    rows = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    unattached = {row.split()[1] for row in rows if row.split()[6] == "0"}
    return unattached | {name for name in os.listdir("/dev/shm") if not is_used(name)}


def stays(look):
    """Whether it is there twice: another program's segment may be one that it makes or leaves."""
    if not look():
        return False
    time.sleep(1)
    return bool(look())


def is_used(segment):
    """Whether a process has it mapped or open."""
    path = f"/dev/shm/{segment}"
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{path}\n" in (process / "maps").read_text() or \
                    any(os.readlink(fd) == path for fd in (process / "fd").iterdir()):
                return True
    return False


def send(process, who, number):
    """To whom it was sent, and everybody who was there."""
    everybody = descendants(process.pid)
    chosen = victims_of(process, who)
    for pid in chosen:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return chosen, everybody + descendants(process.pid)


def left_in(folder, temporary):
    """Names. SQLite's files are the store's: who opens it next looks at them."""
    known = {"results.db", "results.db-journal", "results.db-wal", "results.db-shm", "tmp",
             "nested", "s.yaml", "out.json", ".git", "text", "cache"}
    return sorted([*os.listdir(temporary), *set(os.listdir(folder)) - known])


def end(process, number, kind, calm):
    """What is wrong with how it ends. `calm`: nobody may have noticed the signal."""
    wrong = []
    if calm:
        time.sleep(0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    elif kind.descriptors and usual_descriptors(process, LIMIT_S) > kind.descriptors:
        wrong.append("descriptor left")
    if wait_for_end(process, number) is None:
        wrong.append("hang")
        process.kill()
        process.wait()
    return wrong


def one(duet, who, number, kind, folder, moment_s):
    """What is wrong after one signal; empty: nothing."""
    store = folder / "results.db"
    temporary = folder / "tmp"
    temporary.mkdir()
    kind.prepare(folder)
    segments = shared_memory()
    environment = {**os.environ, "TMPDIR": str(temporary),
                   "XDG_CACHE_HOME": str(folder / "cache")}
    process = subprocess.Popen(kind.words(), cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment)
    time.sleep(moment_s)
    before = runs_in(store)
    chosen, everybody = send(process, who, number)
    wrong = end(process, number, kind,
                not kind.resumable and (who in ("child", "children") or not chosen))
    if not all_gone(everybody) or not all_gone(adopted()):
        wrong.append("process left")
        for pid in adopted():
            os.kill(pid, signal.SIGKILL)
    adopted()
    if not store_is_whole(store):
        wrong.append("store broken")
    if runs_in(store) < before:
        wrong.append("run lost")
    if kind.resumable:
        wrong += kind.resume(folder, environment)
    elif before > 0 and subprocess.run([duet, "show", "--store", str(store)],
                                       capture_output=True, check=False).returncode != 0:
        wrong.append("show fails")
    left = left_in(folder, temporary)
    if left:
        wrong.append("file left: " + " ".join(left))
    if stays(lambda: shared_memory() - segments):
        wrong.append("shared memory left")
    if runs_in(store) < before or not store_is_whole(store):
        wrong.append("store worse")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("duet")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--odd-benchmark")
    arguments = parser.parse_args()
    # Which jobs of a shell in the background ignore, and what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chance = random.Random(arguments.seed)
    rows = [(who, signal.SIGKILL) for who in VICTIMS] + \
           [("supervisor", signal.SIGSTOP), ("child", signal.SIGSTOP),
            ("supervisor", signal.SIGTERM), ("runner", signal.SIGTERM)]
    outcomes = collections.defaultdict(collections.Counter)
    duet = str(pathlib.Path(arguments.duet).resolve())
    with tempfile.TemporaryDirectory(prefix="duet-kills-") as folder:
        write_nested(pathlib.Path(folder))
        suite = Suite(duet, pathlib.Path(folder))
    with contextlib.suppress(KeyboardInterrupt):  # what has been tried is shown
        for i in range(arguments.times):
            who, number = rows[i // 2 % len(rows)]
            folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-kills-"))
            write_nested(folder)
            kind = chance.choice([suite, suite, Git(duet), Bisect(duet)]) if i % 2 else \
                chance.choice(commands(duet, folder, arguments.odd_benchmark))
            wrong = one(duet, who, number, kind, folder, 0.03 + chance.random() * 0.5)
            outcomes[who, number].update(wrong or ["fine"])
            if wrong:
                print(f"# {who}, {number.name}, {kind.name}: {', '.join(wrong)}", flush=True)
            shutil.rmtree(folder)
    print("| who | signal | times | outcome |\n|---|---|---|---|")
    for (who, number), counts in outcomes.items():
        outcome = ", ".join(f"{what} {count}" for what, count in counts.items())
        print(f"| {who} | {number.name} | {sum(counts.values())} | {outcome} |")
    return any(set(counts) != {"fine"} for counts in outcomes.values())


if __name__ == "__main__":
    sys.exit(main())
