"""What time and the machine do to a measurement, one fault a row.

usage: python3 tests/soak/machine.py BUILD_FOLDER [--times N] [--seed N] [FAULT...]

Prints a table: fault, times, outcome. A fault that cannot be made here is said to be
skipped, with its reason. Its exit status is 1 when something went wrong. `make soak` runs it;
tests/proc/test_machine.py runs the quick ones once."""

import argparse
import collections
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.processes import children_of, is_gone, supervisors_of

PR_SET_CHILD_SUBREAPER = 36
CGROUP = pathlib.Path("/sys/fs/cgroup")
FAULTS = {}


class Skip(Exception):
    """The fault cannot be made here, and why."""


def fault(name, quick=False):
    """A row of the table; a quick one takes seconds."""
    def add(function):
        function.quick = quick
        FAULTS[name] = function
        return function
    return add


class Place:
    """One measurement's folder, programs and store."""

    def __init__(self, build, folder, chance):
        self.duet = str(build / "src/cli/duet")
        self.build = build
        self.folder = folder
        self.chance = chance
        self.store = folder / ".duet/results.db"

    def start(self, *words, prefix=(), **options):
        options = {"cwd": self.folder, "stdin": subprocess.DEVNULL, "text": True,
                   "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([*prefix, self.duet, *map(str, words)], **options)

    def end(self, process, *statuses, says="", limit_s=60):
        """Waits; the exit status and a word of the messages must be as said."""
        try:
            out, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError(f"no end within {limit_s} s") from None
        status = process.returncode
        assert status in statuses, f"exit status {status}: {errors.strip()}"
        assert says in errors, f"'{says}' is not in: {errors.strip()}"
        return status, out, errors

    def run(self, *words, statuses=(0,), says="", limit_s=60, **options):
        return self.end(self.start(*words, **options), *statuses, says=says, limit_s=limit_s)

    def rows(self, query, store=None):
        with contextlib.closing(sqlite3.connect(f"file:{store or self.store}?mode=ro",
                                                uri=True)) as connection:
            return connection.execute(query).fetchall()

    def runs(self):
        try:
            return self.rows("SELECT count(*) FROM run")[0][0]
        except sqlite3.Error:
            return 0

    def wait_for_runs(self, process, count):
        deadline = time.monotonic() + 30
        while self.runs() < count and process.poll() is None:
            assert time.monotonic() < deadline, "no runs"
            time.sleep(0.01)

    def check_store(self, runs=None, store=None):
        """It is whole, and has so many runs without a gap, each with both sides."""
        assert self.rows("PRAGMA integrity_check", store) == [("ok",)], "store broken"
        if not self.rows("SELECT 1 FROM sqlite_master WHERE name = 'run_side'", store):
            return
        torn = self.rows("SELECT run.id FROM run JOIN run_side AS s ON s.run_id = run.id "
                         "GROUP BY run.id HAVING count(*) <> 2", store)
        assert not torn, "a run with one side"
        found = [run for (run,) in self.rows("SELECT idx FROM run ORDER BY idx", store)]
        assert found == list(range(len(found))), "a gap between the runs"
        assert runs is None or len(found) == runs, f"{len(found)} runs, not {runs}"


def must(*words, why):
    """Prepares a fault, or it is skipped."""
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
    if done.returncode != 0:
        raise Skip(why)


# ---- Processes that are stopped ----

@fault("runner or supervisor suspended and woken", quick=True)
def suspended(place):
    program = f"{place.duet} workload integer --operations 2000000"
    kind = place.chance.choice(["command", "harness"])
    sides = [program if kind == "harness" else "sleep 0.02"] * 2
    process = place.start(*sides, "-r", 40, *(["-I", 4] if kind == "harness" else []))
    place.wait_for_runs(process, 2)
    for _ in range(3):
        victim = place.chance.choice([process.pid, *supervisors_of(process.pid)])
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGSTOP)
            time.sleep(place.chance.random() * 0.5)
            os.kill(victim, signal.SIGCONT)
        time.sleep(0.1)
    place.end(process, 0)
    place.check_store(40)


@fault("all of it suspended for seconds (a laptop's lid)")
def frozen(place):
    with cgroup("freezer") as group:
        process = place.start("sleep 0.05", "sleep 0.05", "-r", 60, preexec_fn=join(group))
        place.wait_for_runs(process, 2)
        for state in ("FROZEN", "THAWED"):
            (group / "freezer.state").write_text(state)
            time.sleep(6)
        place.end(process, 0)
    place.check_store(60)


@fault("side stopped", quick=True)
def stopped(place):
    stop = place.folder / "stop"
    stop.write_text("#!/bin/sh\nkill -STOP $$\n")
    stop.chmod(0o755)
    sides = ["sleep 0.01", str(stop)]
    place.chance.shuffle(sides)
    place.run(*sides, "-r", 4, statuses=(4,), says="was stopped by a signal")
    place.check_store(0)


# ---- Clocks ----

def other_clock(place, seconds):
    clock = place.folder / "clock"
    clock.write_text(str(seconds))
    return {**os.environ, "LD_PRELOAD": str(place.build / "tests/libclock_shift.so"),
            "DUET_TEST_CLOCK": str(clock)}


@fault("wall clock set by up to ten years, again and again", quick=True)
def wall_clock(place):
    process = place.start("sleep 0.02", "sleep 0.02", "--until", "time=2s",
                          env=other_clock(place, 0))
    began = time.monotonic()
    while process.poll() is None:
        (place.folder / "clock").write_text(str(place.chance.randint(-10**8, 3 * 10**8)))
        time.sleep(0.05)
    place.end(process, 0)
    assert 1.5 < time.monotonic() - began < 5, "it took another time"
    place.check_store()


@fault("wall clock set while a watch waits", quick=True)
def wall_clock_of_a_watch(place):
    process = place.start("watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                          "--max-intervals", 0, "--error", "0.0001%", env=other_clock(place, 0))
    for _ in range(3):
        (place.folder / "clock").write_text(str(place.chance.choice([-1, 1]) * 86400))
        place.wait_for_runs(process, place.runs() + 3)
    process.send_signal(signal.SIGINT)
    _, _, errors = place.end(process, 130)
    assert "whole interval" not in errors, errors


@fault("restart in between: monotonic clock begins anew", quick=True)
def restart(place):
    must("unshare", "-T", "true", why="no time namespace can be made here")
    later = ["unshare", "-T", "--monotonic", "1000000", "--boottime", "1000000", "--fork",
             "--kill-child"]
    process = place.start("sleep 0.02", "sleep 0.02", "-r", 40, prefix=later)
    place.wait_for_runs(process, 5)
    os.kill(children_of(process.pid)[0], signal.SIGINT)
    place.end(process, 130)
    place.run("run", "--resume")
    place.check_store(40)


# ---- CPUs ----

@contextlib.contextmanager
def cgroup(controller):
    """A group of that controller, of cgroup 1."""
    group = CGROUP / controller / f"duet-soak-{os.getpid()}"
    try:
        group.mkdir()
        if controller == "cpuset":
            for name in ("cpuset.mems", "cpuset.cpus"):
                (group / name).write_text((CGROUP / controller / name).read_text())
    except OSError:
        raise Skip(f"no cgroup of {controller} can be made here") from None
    try:
        yield group
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


def join(group):
    return lambda: (group / "tasks").write_text(str(os.getpid()))


@fault("CPU taken out of the cpuset", quick=True)
def cpu_taken(place):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("two CPUs are needed")
    with cgroup("cpuset") as group:
        process = place.start("sleep 0.02", "sleep 0.02", "-r", 1000, preexec_fn=join(group))
        place.wait_for_runs(process, 3)
        (group / "cpuset.cpus").write_text(str(place.chance.choice(cpus)))
        place.end(process, 5, says="CPU")
    place.check_store()


@fault("all CPUs busy with four programs each")
def busy(place):
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
            for _ in range(4 * (os.cpu_count() or 1))]
    try:
        place.run("true", "true", "-r", 100)
        program = f"{place.duet} workload integer --operations 400000"
        place.run(program, program, "--until", "time=2s", limit_s=30)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert place.rows("SELECT state FROM experiment") == [("done",)] * 2


# ---- Memory ----

@fault("address space limited (ulimit -v)")
def address_space(place):
    limit = place.chance.randint(8, 160) << 20
    status, _, errors = place.run(
        "true", "true", "-r", 200, statuses=(0, 2, 4, 5, 127), limit_s=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert status == 0 or errors, "it ended without a word"
    if place.store.exists():
        place.check_store(200 if status == 0 else None)


@fault("memory of the cgroup used up by a side", quick=True)
def cgroup_memory(place):
    with cgroup("memory") as group:
        (group / "memory.limit_in_bytes").write_text(str(96 << 20))
        eater = place.folder / "eater"
        eater.write_text("#!/usr/bin/python3 -IS\nx = []\nwhile True: x.append(bytes(1 << 22))\n")
        eater.chmod(0o755)
        sides = ["sleep 0.05", str(eater)]
        place.chance.shuffle(sides)
        # The kernel may choose any process of the group: it takes the largest.
        place.run(*sides, "-r", 10, statuses=(4,), says="eater", preexec_fn=join(group))
    place.check_store()


# ---- Disks ----

@contextlib.contextmanager
def disk(place, options):
    """A file system of its own at place.folder / "disk", where the store is."""
    folder = place.folder / "disk"
    folder.mkdir()
    must("mount", "-t", "tmpfs", "-o", options, "duet-soak", folder,
         why=f"no file system with {options} can be mounted here")
    place.store = folder / ".duet/results.db"
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@fault("ENOSPC: file system full", quick=True)
def disk_full(place):
    with disk(place, f"size={place.chance.randint(200, 900)}k") as folder:
        place.run("true", "true", "-r", 100000, "-I", 50, statuses=(5,), says="full", cwd=folder)
        place.check_store()


def failing(calls, error, when="1+"):
    """The words that make system calls of duet and its children fail."""
    must("strace", "-V", why="there is no strace")
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
            "-e", f"inject={calls}:error={error}:when={when}"]


@fault("EDQUOT: quota used up", quick=True)
def quota(place):
    """From some write on; kernels without quota formats have no other way."""
    words = failing("pwrite64", "EDQUOT", f"{place.chance.randint(1, 80)}+")
    place.run("true", "true", "-r", 400, prefix=words, statuses=(5,), says="results.db")
    if place.runs():
        place.check_store()
    place.run("true", "true", "-r", 2)


@fault("file system becomes read-only", quick=True)
def read_only(place):
    with disk(place, "size=20m") as folder:
        process = place.start("sleep 0.02", "sleep 0.02", "-r", 1000, cwd=folder)
        place.wait_for_runs(process, 3)
        # With files open for writing the kernel refuses; then nothing is to be seen.
        done = subprocess.run(["mount", "-o", "remount,ro", folder], capture_output=True,
                              check=False)
        if done.returncode != 0:
            process.send_signal(signal.SIGINT)
            place.end(process, 130)
            place.run("show", cwd=folder)
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
            place.run("true", "true", "-r", 2, cwd=folder, statuses=(5,), says="read-only")
        else:
            place.end(process, 5, says="read-only")
        place.run("show", cwd=folder)


@fault("exports to a device that is full", quick=True)
def full_device(place):
    for option in ("--export-json", "--export-csv", "--export-markdown"):
        place.run("true", "true", "-r", 2, option, "/dev/full", statuses=(5,),
                  says="No space left")
    with open("/dev/full", "w", encoding="ascii") as full:
        place.run("true", "true", "-r", 2, stdout=full, statuses=(5,), says="No space left")


@fault("rename and link fail, as on a file server", quick=True)
def rename_fails(place):
    error = place.chance.choice(["ESTALE", "EIO", "EXDEV", "EBUSY"])
    inject = failing("rename,renameat,renameat2", error)
    place.run("true", "true", "-r", 4, "--export-json", "out.json", prefix=inject,
              statuses=(5,), says="out.json")
    left = [path.name for path in place.folder.iterdir() if path.name != ".duet"]
    assert not left, f"left: {left}"
    place.check_store(4)


# ---- Process ids, sizes ----

@fault("process ids wrap around", quick=True)
def pids(place):
    major, minor = map(int, platform.release().split(".")[:2])
    if (major, minor) < (6, 14):
        raise Skip("this kernel has one limit on process ids for all namespaces")
    must("unshare", "-pf", "--mount-proc", "true", why="no namespace of ids can be made here")
    few = ["unshare", "-pf", "--kill-child", "--mount-proc", "sh", "-c",
           'echo 320 >/proc/sys/kernel/pid_max && "$@"', "sh"]
    place.run("true", "true", "-r", 600, prefix=few)
    place.check_store(600)
    (biggest,) = place.rows("SELECT max(pid) FROM run_side")[0]
    assert biggest < 320, f"a process has number {biggest}"


@fault("1,000,000 iterations of 1 us")
def many_iterations(place):
    program = f"{place.duet} workload integer --operations 400"
    place.run(program, program, "-r", 2, "-I", 250000, limit_s=120)
    (count,) = place.rows("SELECT count(*) FROM iteration WHERE flags & 4 = 0")[0]
    assert count == 1000000, f"{count} iterations"


@fault("iterations of an hour (the clock runs 7,200 times as fast)", quick=True)
def long_iterations(place):
    clock = {**other_clock(place, 0), "DUET_TEST_CLOCK_RATE": "7200",
             "DUET_TEST_CLOCK_BASE": str(time.monotonic_ns())}
    _, out, _ = place.run("sleep 0.5", "sleep 0.6", "-r", 4, env=clock)
    place.check_store(4)
    (shortest,) = place.rows("SELECT min(end_ns - start_ns) FROM iteration WHERE flags & 4 = 0")[0]
    assert shortest >= 3600 * 10**9, f"{shortest} ns"
    assert re.search(r"old .* [34]\d{3}(\.\d+)? s ±", out), out


@fault("suite of 10,000 benchmarks")
def many_benchmarks(place, count=10000):
    (place.folder / "many.yaml").write_text(
        "name: many\nbenchmarks:\n- name: many\n  old: 'true {i}'\n  new: 'true {i}'\n"
        f"  parameters:\n    i: {{from: 1, to: {count}}}\n")
    _, out, _ = place.run("suite", "many.yaml", "-r", 2, "--export-json", "-", limit_s=900)
    assert len(json.loads(out)["comparisons"]) == count


def once(build, name, chance):
    """"fine", or what went wrong."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-machine-"))
    folder.chmod(0o755)
    place = Place(build, folder, chance)
    try:
        FAULTS[name](place)
        left = [pid for pid in children_of(os.getpid()) if not is_gone(pid)]
        return f"processes left: {left}" if left else "fine"
    except AssertionError as error:
        return str(error) or "wrong"
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--times", type=int, default=20, help="of the quick ones")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_intermixed_args()
    # Which jobs of a shell in the background ignore, and what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chance = random.Random(arguments.seed)
    failed = False
    print("| fault | times | outcome |\n|---|---|---|")
    for name in arguments.faults or FAULTS:
        outcomes = collections.Counter()
        for _ in range(arguments.times if FAULTS[name].quick else 1):
            try:
                outcomes[once(arguments.build.resolve(), name, chance)] += 1
            except Skip as why:
                outcomes[f"skipped: {why}"] += 1
                break
        failed |= any(not what.startswith(("fine", "skipped")) for what in outcomes)
        outcome = ", ".join(f"{what} {count}" for what, count in outcomes.items())
        print(f"| {name} | {sum(outcomes.values())} | {outcome} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
