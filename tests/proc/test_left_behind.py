"""Whoever is killed: no process and no folder stays."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from support.processes import children_of, is_gone, name_of, state_of
from support.repository import make_two_commits

# Nobody else sleeps that long: found by it, wherever it is in the tree of processes.
LENGTH = 1000000 + 2 * os.getpid()  # another one is theirs who test at the same time


def sleepers(length=LENGTH):
    """Processes `sleep LENGTH`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", str(length).encode()]:
            found.append(int(entry.name))
    return found


def is_starting(pid):
    """Whether it is there and not a program yet."""
    return state_of(pid) not in (None, "Z") and name_of(pid) == "duet"


def kill_all(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(autouse=True)
def nobody_sleeps():
    yield
    for pid in sleepers():
        os.kill(pid, signal.SIGKILL)


def assert_all_end(process, wait_until):
    process.wait()
    wait_until(lambda: not sleepers(), 5)


@pytest.mark.parametrize("victims", ["runner", "all"])
@pytest.mark.parametrize("schedule", ["duet", "timeslice", "interleaved"])
def test_grandchildren_end_with_all_who_knew_them(start_duet, wait_until, program, victims,
                                                  schedule):
    """Also those of a session of their own."""
    command = program("family", f"sleep {LENGTH} & setsid sleep {LENGTH} & wait\n")
    process = start_duet(command, command, "-r", 2, "--schedule", schedule)
    expected = 2 if schedule == "interleaved" else 4
    wait_until(lambda: len(sleepers()) == expected)
    others = children_of(process.pid) if victims == "all" else []
    kill_all(process.pid, *others)
    assert_all_end(process, wait_until)


def test_who_is_stopped_does_not_keep_the_others(start_duet, wait_until):
    """A supervisor that cannot hear of its runner's death."""
    process = start_duet(f"sleep {LENGTH}", f"sleep {LENGTH}", "-r", 2, "--schedule", "duet")
    wait_until(lambda: len(sleepers()) == 2)
    supervisors = children_of(process.pid)
    os.kill(supervisors[0], signal.SIGSTOP)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_until(lambda: not sleepers(), 15)
    wait_until(lambda: all(is_gone(pid) for pid in supervisors), 15)


def test_an_emptied_environment_hides_nobody(start_duet, wait_until, program):
    command = program("bare", f"env -i setsid sleep {LENGTH} & env -i sleep {LENGTH} & wait\n")
    process = start_duet(command, command, "-r", 2, "--schedule", "duet")
    wait_until(lambda: len(sleepers()) == 4)
    kill_all(process.pid, *children_of(process.pid))
    assert_all_end(process, wait_until)


def test_a_hook_with_an_emptied_environment(start_duet, wait_until):
    process = start_duet("true", "true", "-r", 2, "--prepare",
                         f"env -i setsid sleep {LENGTH} & env -i sleep {LENGTH}")
    wait_until(lambda: len(sleepers()) >= 2)
    kill_all(process.pid, *children_of(process.pid))
    assert_all_end(process, wait_until)


@pytest.mark.parametrize("option", ["--setup", "--prepare", "--conclude", "--cleanup"])
def test_what_a_hook_has_started_ends_too(start_duet, wait_until, option):
    process = start_duet("true", "true", "-r", 2, option,
                         f"sleep {LENGTH} & setsid sleep {LENGTH}")
    wait_until(lambda: len(sleepers()) >= 2)
    kill_all(process.pid, *children_of(process.pid))
    assert_all_end(process, wait_until)


@pytest.mark.parametrize("option", ["--setup", "--prepare", "--conclude", "--cleanup"])
def test_what_an_interrupted_hook_has_started_ends(start_duet, wait_until, option):
    """Also what has left its process group, and whose parent is gone."""
    process = start_duet("true", "true", "-r", 2, option,
                         f"(setsid sleep {LENGTH} &) ; exec sleep {LENGTH}")
    wait_until(lambda: len(sleepers()) >= 2)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    assert process.returncode == 130
    wait_until(lambda: not sleepers())


CHECKED = """benchmarks:
  - name: a
    command: {command}
    check: {{command: {check}}}
"""


@pytest.mark.parametrize("checked", ["same-output", "command", "check"])
def test_what_an_interrupted_check_has_started_ends(start_duet, wait_until, tmp_path, program,
                                                    checked):
    """Of the program whose output is looked at, and of the command that looks."""
    family = program("family", f"(setsid sleep {LENGTH} &) ; exec sleep {LENGTH}\n")
    command, check = (family, "true") if checked == "command" else ("true", family)
    (tmp_path / "suite.yaml").write_text(CHECKED.format(command=command, check=check))
    words = (["suite", "suite.yaml", "--only", "a"] if checked != "same-output" else
             [family, "true", "-r", 2, "--same-output"])
    process = start_duet(*words)
    wait_until(lambda: len(sleepers()) == 2)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert not sleepers()


def test_what_a_checked_program_leaves_ends(run_duet, program):
    leaves = program("leaves", f"setsid sleep {LENGTH} >/dev/null 2>&1 &\n")
    assert run_duet(leaves, leaves, "-r", 2, "--same-output").returncode == 0
    assert not sleepers()


@pytest.mark.parametrize("command", ["git", "bisect"])
def test_what_an_interrupted_build_has_started_ends(start_duet, wait_until, tmp_path,
                                                    monkeypatch, command):
    """Also what has left its session, and whose parent is gone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make_two_commits(tmp_path)
    process = start_duet(command, "HEAD~1", "HEAD", "--build",
                         f"(setsid sleep {LENGTH} &) ; sleep {LENGTH}", "--", "true")
    wait_until(lambda: len(sleepers()) == 4)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert not sleepers()


@pytest.mark.parametrize("command", ["git", "bisect"])
def test_what_a_build_has_started_ends_too(start_duet, wait_until, tmp_path, monkeypatch,
                                           command):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make_two_commits(tmp_path)
    process = start_duet(command, "HEAD~1", "HEAD", "--build",
                         f"sleep {LENGTH} & setsid sleep {LENGTH} & wait", "--", "true")
    wait_until(lambda: len(sleepers()) == 4)
    kill_all(process.pid, *children_of(process.pid))
    assert_all_end(process, wait_until)


def test_what_setup_left_running_ends_with_a_killed_runner_only(start_duet, run_duet,
                                                                 wait_until):
    """A server that the clean-up command would have ended."""
    server = f"sleep {LENGTH} >/dev/null 2>&1 &"
    result = run_duet("true", "true", "-r", 2, "--setup", server, "--cleanup", "true")
    assert result.returncode == 0 and len(sleepers()) == 2, result
    for pid in sleepers():
        os.kill(pid, signal.SIGKILL)
    process = start_duet(f"sleep {LENGTH + 1}", "true", "-r", 2, "--setup", server)
    wait_until(lambda: len(sleepers()) == 2 and sleepers(LENGTH + 1))
    kill_all(process.pid)
    assert_all_end(process, wait_until)
    assert not sleepers(LENGTH + 1)


def test_a_child_at_the_meeting_ends_when_nobody_comes(start_duet, wait_until, tmp_path):
    """Its supervisor waits for it to become a program, and sees no signal meanwhile. It
    looks every 10 s."""
    process = start_duet("true", "true", "-r", 2, "--schedule", "duet", "--prepare",
                         f"mkdir first 2>/dev/null || sleep {LENGTH}")
    wait_until(lambda: len(sleepers()) == 1)

    def sides():
        both = children_of(process.pid)
        return ([pid for pid in both if [name_of(child) for child in children_of(pid)] ==
                 ["duet"]], both)

    wait_until(lambda: len(sides()[0]) == 1)
    (waiting,), both = sides()
    (child,) = children_of(waiting)
    time.sleep(0.1)
    kill_all(process.pid, *[pid for pid in both if pid != waiting])
    process.wait()
    wait_until(lambda: not is_starting(child), 20)
    wait_until(lambda: not sleepers(), 5)


@pytest.mark.bare  # strace does not run under Valgrind
def test_a_child_whose_parent_died_before_it_asked_to_be_told(duet, tmp_path, wait_until):
    """strace holds up its first system call, while its supervisor is killed."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=setpgid", "-e",
         "inject=setpgid:delay_enter=2000000", *duet, f"sleep {LENGTH}", "true", "-r", "2",
         "--schedule", "interleaved"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    runner = supervisor = child = None

    def is_held_up():
        nonlocal runner, supervisor, child
        runner = next(iter(children_of(tracer.pid)), None)
        supervisor = runner and next(iter(children_of(runner)), None)
        child = supervisor and next(iter(children_of(supervisor)), None)
        return child and is_starting(child)

    wait_until(is_held_up)
    kill_all(runner, supervisor)
    wait_until(lambda: not is_starting(child) and not sleepers(), 10)
    tracer.wait()


SUITE = """setup: touch {suite}/set
cleanup: touch {suite}/cleaned
benchmarks:
  - {name: a, runs: 2, command: 'true'}
"""


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_pipe_does_not_keep_from_cleaning_up(start_duet, tmp_path, closed):
    (tmp_path / "suite.yaml").write_text(SUITE)
    (tmp_path / "tmp").mkdir()
    read_end, write_end = os.pipe()
    os.close(read_end)
    process = start_duet("suite", "suite.yaml", "--only", "a", **{closed: write_end},
                         env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
                         restore_signals=True)
    os.close(write_end)
    process.wait()
    assert (tmp_path / "set").exists()
    assert (tmp_path / "cleaned").exists()
    assert not list((tmp_path / "tmp").iterdir())
