"""Being interrupted, and being killed: what was finished is kept, nobody is left."""

import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from support.processes import command_of, descendants, is_gone, supervisors_of

SCHEDULES = ["duet", "interleaved", "sequential", "timeslice"]


@pytest.fixture
def measuring(start_duet, stored, wait_until):
    """Starts a long measurement; returns when some runs of it are in the store."""

    def start(old, new, *arguments, runs=2):
        process = start_duet(old, new, "-r", 100000, *arguments)
        wait_until(lambda: process.poll() is not None or stored.has_runs(runs))
        assert process.poll() is None, process.communicate()
        return process

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_between_executions(measuring, stored, number):
    process = measuring("true", "true")
    process.send_signal(number)
    out, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "interrupted in run" in errors and "duet show 1" in errors
    assert "  old  " in out and "true" in out  # analysed and shown all the same
    assert stored.states() == ["interrupted"]
    stored.check()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_interrupted_while_commands_execute(start_duet, stored, program, wait_until,
                                            schedule):
    """Commands that would take hours, with children of their own."""
    command = program("long", "sleep 10000 &\nsleep 10001\n")
    process = start_duet(command, command, "-r", 4, "--schedule", schedule)
    sides = 1 if schedule in ("interleaved", "sequential") else 2
    wait_until(lambda: len(descendants(process.pid)) == sides * 4)
    everybody = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert process.returncode == 130
    assert out == "" and "interrupted in run 1" in errors
    assert all(is_gone(pid) for pid in everybody)
    assert stored.states() == ["interrupted"] and stored.runs() == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_interrupted_benchmark(measuring, odd_benchmark, stored, schedule):
    """In the middle of an iteration of a run of many."""
    command = f"{odd_benchmark} nothing 1 20"
    process = measuring(command, command, "-I", 3, "--schedule", schedule)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert stored.states() == ["interrupted"]
    stored.check()


def test_interrupted_by_the_terminal(measuring):
    """Ctrl-C goes to the whole foreground group: the sides are not in it."""
    process = measuring("sleep 0.01", "sleep 0.01", "-I", 2)
    for pid in descendants(process.pid):
        try:
            assert os.getpgid(pid) != os.getpgid(process.pid)
        except ProcessLookupError:
            pass  # an execution that has ended meanwhile
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


@pytest.mark.parametrize("command", ["run", "aa"])
def test_interrupted_while_the_store_is_opened(start_duet, stored, tmp_path, wait_until, command):
    """Which another process keeps it from, so that there is time for it. It ends in order."""
    stored.path.parent.mkdir(mode=0o700)
    writer = sqlite3.connect(stored.path, isolation_level=None)
    stored.path.chmod(0o600)
    writer.execute("BEGIN EXCLUSIVE")
    process = start_duet(command, "true", *(["true"] if command == "run" else []), "-r", 100000)
    open_files = pathlib.Path(f"/proc/{process.pid}/fd")

    def has_opened(path):
        try:
            return any(os.readlink(fd) == str(path) for fd in open_files.iterdir())
        except FileNotFoundError:  # it has closed one meanwhile
            return False

    wait_until(lambda: has_opened(stored.path))
    process.send_signal(signal.SIGINT)
    writer.close()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert [path.name for path in stored.path.parent.iterdir()] == ["results.db"]
    stored.check()


def test_interrupted_twice(start_duet, wait_until, tmp_path):
    """An impatient user gets neither an untidy end nor a second message."""
    process = start_duet("sleep 1000", "sleep 1000", "--cleanup",
                         f"echo cleaned >>'{tmp_path}/cleaned'")
    wait_until(lambda: len(descendants(process.pid)) == 4)
    everybody = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors.count("interrupted") == 1
    assert all(is_gone(pid) for pid in everybody)
    assert (tmp_path / "cleaned").read_text() == "cleaned\n" * 2


def test_interrupted_twice_while_it_is_stuck(start_duet, stored, wait_until, tmp_path):
    """Its answer goes to a pipe that nobody reads. What was measured is in the store."""
    os.mkfifo(tmp_path / "out.json")
    process = start_duet("true", "true", "-r", 2, "--export-json", "out.json")
    wait_until(lambda: process.poll() is not None or stored.has_runs(2))
    while process.poll() is None:  # again and again, since some are the same request
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert errors.endswith("duet: interrupted twice, and ended at once; "
                           "finished runs are in the store\n")
    assert stored.runs() == 2
    stored.check()


@pytest.mark.parametrize("words", [("variability", "-"), ("variability", "pipe"),
                                   ("accuracy", "--published=pipe"),
                                   ("sharing", "--suite", "pipe")])
def test_interrupted_while_a_study_reads(start_duet, wait_until, tmp_path, words):
    """Nothing comes from a pipe, or nobody opens it. A second request was needed."""
    os.mkfifo(tmp_path / "pipe")
    process = start_duet("study", *words, stdin=subprocess.PIPE)
    status = pathlib.Path(f"/proc/{process.pid}/status")

    def waits():
        blocked = re.search(r"^SigBlk:\s*(\w+)$", status.read_text(), re.M)
        return int(blocked[1], 16) >> (signal.SIGINT - 1) & 1

    wait_until(waits)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    out, errors = process.communicate()
    assert out == "" and errors == "duet: interrupted while it read its input\n"


@pytest.mark.parametrize("hook", ["--setup", "--prepare", "--conclude"])
def test_interrupted_during_a_hook(start_duet, wait_until, hook):
    process = start_duet("true", "true", hook, "sleep 1000; true")
    wait_until(lambda: any(command_of(pid).startswith("sleep")
                           for pid in descendants(process.pid)))
    everybody = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130 and "interrupted" in errors
    assert all(is_gone(pid) for pid in everybody)


def test_ends_of_children_are_no_interruption(run_duet, tmp_path):
    """system() blocks SIGCHLD in its thread; the thread that waits for signals must not
    take it for one."""
    path = tmp_path / "suite.yaml"
    path.write_text("setup: 'for i in " + "x " * 30 + "; do /bin/true & done; wait'\n"
                    "benchmarks: [{name: a, command: 'true'}]\n")
    for _ in range(20):
        result = run_duet("suite", str(path), "--store", "none", "--runs", "2")
        assert result.returncode == 0, result.stderr


def test_an_ignored_hangup_stays_ignored(start_duet, stored, wait_until):
    """As nohup sets it; duet watches for signals when runs are there."""
    process = start_duet("sleep 0.01", "sleep 0.01", "-r", 60, preexec_fn=lambda: signal.signal(
        signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: process.poll() is not None or stored.has_runs(2))
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert stored.runs() == 60


@pytest.mark.parametrize("mode", ["command", "harness"])
@pytest.mark.parametrize("attempt", range(3))
def test_duet_is_killed(measuring, odd_benchmark, program, stored, run_duet, wait_until,
                        mode, attempt):
    """At a random moment: nobody is left soon after, the store opens, finished runs are
    there, whole."""
    command = (f"{odd_benchmark} nothing 1 5" if mode == "harness" else
               program("nested", "sleep 0.02 &\nwait\n"))
    process = measuring(command, command, "-I", 2)
    time.sleep(random.Random(attempt).random() * 0.1)
    everybody = descendants(process.pid)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    wait_until(lambda: all(is_gone(pid) for pid in everybody), 5)
    stored.check()
    assert stored.states() == ["running"]
    assert not stored.rows(
        "SELECT run_id, side FROM iteration GROUP BY run_id, side "
        "HAVING sum(filler = 0) <> 2")
    runs = stored.runs()
    result = run_duet("show", "1")
    assert result.returncode == 0, result.stderr
    assert f"{runs} runs" in result.stdout
    assert "unfinished" in run_duet("list").stdout


@pytest.mark.parametrize("grandchild", [False, True])
def test_a_supervisor_is_killed(start_duet, stored, program, wait_until, grandchild):
    command = "sleep 1000"
    if grandchild:
        command = program("nested", "sleep 1000 &\nwait\n")
    process = start_duet(command, command, "-r", 2)
    wait_until(lambda: len(descendants(process.pid)) == (6 if grandchild else 4))
    everybody = descendants(process.pid)
    supervisor = supervisors_of(process.pid)[0]
    os.kill(supervisor, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 5
    assert f"supervisor process {supervisor} is gone (killed from outside?)" in errors
    assert all(is_gone(pid) for pid in everybody)
    assert stored.states() == ["failed"]


def test_a_command_is_killed_from_outside(start_duet, wait_until):
    process = start_duet("sleep 1000", "sleep 1000", "-r", 2)
    wait_until(lambda: len(descendants(process.pid)) == 4)
    everybody = descendants(process.pid)
    wait_until(lambda: any(command_of(pid).startswith("sleep") for pid in everybody))
    victim = next(pid for pid in everybody if command_of(pid).startswith("sleep"))
    os.kill(victim, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 4
    assert "died by signal 9 (Killed)" in errors
    assert all(is_gone(pid) for pid in everybody)


@pytest.mark.parametrize("mode", ["command", "harness"])
def test_a_side_is_stopped_from_outside(start_duet, odd_benchmark, wait_until, mode):
    name, argument = ("sleep", "1000") if mode == "command" else (odd_benchmark, "hang")

    def sides():
        return [pid for pid in descendants(process.pid)
                if command_of(pid).split("\0")[0] == name]

    process = start_duet(f"{name} {argument}", f"{name} {argument}", "-r", 2)
    wait_until(lambda: len(sides()) == 2)
    everybody = descendants(process.pid)
    victim = sides()[0]
    os.kill(victim, signal.SIGSTOP)
    _, errors = process.communicate()
    assert process.returncode == 4
    assert "stopped by a signal" in errors
    assert all(is_gone(pid) for pid in everybody)


def test_several_at_once_share_a_store(start_duet, stored):
    """As jobs of one build do."""
    processes = [start_duet("true", "true", "-r", 10, "--name", f"job {i}")
                 for i in range(4)]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    stored.check()
    assert stored.states() == ["done"] * 4
    assert stored.runs() == 40
