"""Benchmark programs (those that attach) that break the rules or break: the message, the
exit status, what is kept, and (conftest.py) that no process is left."""

import pytest

from support.failing import failed

SCHEDULES = ["duet", "interleaved", "sequential", "timeslice"]
PAIRED = ["duet", "timeslice"]


@pytest.mark.parametrize("schedule", PAIRED)
@pytest.mark.parametrize("command", ["true", "sleep 0.3"])
@pytest.mark.parametrize("order", ["command-first", "benchmark-first"])
def test_only_one_side_attaches(run_duet, odd_benchmark, schedule, command, order):
    """Whichever ends first: the benchmark, alone at its barrier, never does."""
    sides = [command, odd_benchmark]
    if order == "benchmark-first":
        sides.reverse()
    result = run_duet(*sides, "-r", 2, "--schedule", schedule, timeout=10)
    failed(result, 4, f"('{command}') in run 1 ended without attaching",
           f"('{odd_benchmark}') is a duet benchmark", "compare a benchmark with a "
           "benchmark, or a command with a command")


@pytest.mark.parametrize("schedule", ["interleaved", "sequential"])
def test_only_one_side_attaches_one_at_a_time(run_duet, odd_benchmark, schedule):
    result = run_duet("true", odd_benchmark, "-r", 2, "-I", 3, "--schedule", schedule)
    failed(result, 4, "must call duet_open() in every run, or in none")


@pytest.mark.parametrize("schedule", PAIRED)
@pytest.mark.parametrize("what", ["leave", "close-early"])
def test_one_side_leaves_early(run_duet, odd_benchmark, schedule, what):
    leaving = f"{odd_benchmark} {what} 4"
    result = run_duet(odd_benchmark, leaving, "-r", 2, "-I", 20, "--schedule", schedule)
    failed(result, 4, f"new ('{leaving}') in run 1 left after 3 iterations",
           f"old ('{odd_benchmark}') goes on", "duet_next()")


@pytest.mark.parametrize("what", ["leave", "close-early"])
def test_both_sides_leave_early(run_duet, odd_benchmark, what):
    """The runner asked for 20: what is there may not be what was meant."""
    command = f"{odd_benchmark} {what} 4"
    result = run_duet(command, command, "-r", 2, "-I", 20)
    failed(result, 4, "left after 3 iterations")


@pytest.mark.parametrize("what", ["leave", "close-early"])
def test_one_leaves_early_alone(run_duet, odd_benchmark, what):
    result = run_duet(odd_benchmark, f"{odd_benchmark} {what} 4", "-r", 2, "-I", 20,
                      "--schedule", "interleaved")
    failed(result, 4, "ended after 3 iterations without duet_close(), or before "
                      "duet_next() returned false")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("count, words", [(1, "1 iteration, but"), (20, "20 iterations, but")])
def test_who_does_all_and_never_closes(run_duet, odd_benchmark, schedule, count, words):
    """It was told to do the same number as the other side, which it had done."""
    odd = f"{odd_benchmark} never-close"
    result = run_duet(odd_benchmark, odd, "-r", 2, "-I", count, "--schedule", schedule)
    failed(result, 4, f"new ('{odd}')", f"did its {words} ended without duet_close()")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("what, words", [
    ("kill", ["died by signal 9 (Killed)"]),
    ("crash", ["died by signal 6 (Aborted)", "about to crash"]),
    ("exit", ["exit status 3", "giving up"]),
    ("fail-between", ["exit status 7", "no luck between two iterations"]),
    ("stop", ["stopped by a signal", "SIGSTOP"]),
])
def test_benchmark_fails_in_iteration_3(run_duet, odd_benchmark, schedule, what, words):
    """Told at once, without a time limit; the other side is released and ends."""
    command = f"{odd_benchmark} {what} 3"
    result = run_duet(odd_benchmark, command, "-r", 4, "-I", 10, "--schedule", schedule,
                      timeout=5)
    run = 5 if schedule == "sequential" else 1
    failed(result, 4, f"new ('{command}') in run {run}", *words)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_time_limit(run_duet, odd_benchmark, schedule):
    command = f"{odd_benchmark} hang 3"
    result = run_duet(command, odd_benchmark, "-r", 2, "-I", 10, "--timeout", "1s",
                      "--schedule", schedule)
    failed(result, 4, f"old ('{command}')", "longer than the time limit of 1 s")


def test_finished_runs_are_kept(run_duet, odd_benchmark, program, tmp_path, stored):
    """The benchmark breaks in the third run."""
    program("benchmark", f"echo >>'{tmp_path}/count'\n"
                         f"[ $(wc -l <'{tmp_path}/count') -eq 3 ] && "
                         f"exec {odd_benchmark} crash 5\nexec {odd_benchmark}\n")
    result = run_duet("./benchmark", odd_benchmark, "-r", 6, "-I", 10)
    failed(result, 4, "old ('./benchmark') in run 3", "about to crash",
           "2 finished runs are kept")
    assert stored.states() == ["failed"]
    assert stored.rows("SELECT mode, count(*) FROM run GROUP BY mode") == [
        ("harness", 2)]
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 2 * 2 * 10
    stored.check()


def test_attaching_twice(run_duet, odd_benchmark):
    result = run_duet(f"{odd_benchmark} attach-twice", odd_benchmark, "-r", 2)
    failed(result, 4, "exit status 9", "attached twice", "duet_open() once")


def test_a_forked_child_takes_no_part(run_duet, odd_benchmark, stored):
    result = run_duet(f"{odd_benchmark} fork", odd_benchmark, "-r", 2, "-I", 5)
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 2 * 2 * 5


def test_a_slot_that_is_handed_on(run_duet, odd_benchmark, stored):
    """The child of fork is the side."""
    result = run_duet(f"{odd_benchmark} hand-on", odd_benchmark, "-r", 2, "-I", 5)
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 2 * 2 * 5


def test_benchmark_without_its_descriptors(run_duet, odd_benchmark, stored):
    """They are found through /proc instead."""
    result = run_duet(f"{odd_benchmark} close-descriptors", odd_benchmark, "-r", 2, "-I",
                      5)
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT DISTINCT mode FROM run") == [("harness",)]


def test_benchmark_that_closes_them_later(run_duet, odd_benchmark, stored, tmp_path):
    """And opens files of its own at their numbers. Its ring is full once."""
    command = f"{odd_benchmark} reopen-descriptors 1 0"
    result = run_duet(command, command, "-r", 2, "-I", 5000, "--no-fill")
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 5000
    assert (tmp_path / "own.txt").read_bytes() == b""


@pytest.mark.parametrize("launcher", [
    "/usr/bin/python3 -c 'import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], "
    "close_fds=True))' {}",
    "sh -c 'true; {}; exit $?'",
    "env {}",
])
def test_benchmark_behind_a_launcher(run_duet, odd_benchmark, stored, launcher):
    command = launcher.format(odd_benchmark)
    result = run_duet(command, command, "-r", 2, "-I", 5)
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT mode, count(*) FROM run") == [("harness", 2)]


def test_benchmark_behind_a_shell(run_duet, odd_benchmark, stored):
    command = f"true && {odd_benchmark}"
    result = run_duet(command, command, "-r", 2, "-I", 5, "-S", "sh")
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT mode, count(*) FROM run") == [("harness", 2)]


def test_second_benchmark_of_one_command_is_refused(run_duet, odd_benchmark):
    """One command, two benchmark programs one after the other: the first has the
    side."""
    command = f"sh -c '{odd_benchmark}; {odd_benchmark}'"
    result = run_duet(command, command, "-r", 2, "-I", 5)
    failed(result, 4, "(which has ended) already takes part in the measurement",
           "duet_hand_on()", "without DUET_ATTACH")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_changing_between_the_modes(run_duet, odd_benchmark, program, tmp_path, schedule):
    program("moody", f"echo >>'{tmp_path}/count'\n"
                     f"[ $(wc -l <'{tmp_path}/count') -gt 4 ] && exit 0\n"
                     f"exec {odd_benchmark}\n")
    result = run_duet("./moody", "./moody", "-r", 6, "-I", 3, "--schedule", schedule)
    failed(result, 4, "must call duet_open() in every run, or in none")


@pytest.mark.parametrize("option", ["--warmup", "--drop-warmup"])
def test_a_run_that_ends_by_time_has_more_than_its_warmup(run_duet, odd_benchmark, stored, option):
    """A slow run alone took the answer from all."""
    result = run_duet(odd_benchmark, odd_benchmark, option, 7, "--run-time", "2ms", "--until",
                      "time=500ms")
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT min(n) FROM (SELECT count(*) AS n FROM iteration "
                      "GROUP BY run_id, side)") == 8
