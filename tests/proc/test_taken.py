"""What others had of a command's CPU while it was ready to use it."""

import os
import pathlib
import subprocess
import sys

import pytest

BURN = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done"
TOLD = pathlib.Path("/proc/self/schedstat").exists()


@pytest.fixture
def hog():
    """A program that wants all of one CPU."""
    cpu = min(os.sched_getaffinity(0))
    with subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c",
                           "while True: pass"]) as process:
        yield cpu
        process.kill()


def taken(stored):
    """(time, CPU time, taken) in ns of the executions after a run's first."""
    return stored.rows("SELECT end_ns - start_ns, cpu_ns, taken_ns FROM iteration"
                       " WHERE idx > 0")


@pytest.mark.skipif(not TOLD, reason="this kernel has no /proc/PID/schedstat")
def test_another_task_on_the_cpu_is_told(run_duet, program, stored, hog):
    command = program("burn", BURN)
    result = run_duet(command, command, "-r", 2, "-I", 4, "--schedule", "sequential",
                      "--cpus", hog)
    assert result.returncode == 0, result.stderr
    rows = taken(stored)
    # It has half of the CPU: what was taken is most of what was not executed.
    assert any(lost > (time - cpu) / 2 > 1e6 for time, cpu, lost in rows), rows


def test_sleeping_is_not_taken(run_duet, stored):
    """Nothing of the 100 ms asleep, whatever else the CPU did; what is on top of them may
    be. Steal is told in steps of 10 ms."""
    result = run_duet("sleep 0.1", "sleep 0.1", "-r", 2, "-I", 4)
    assert result.returncode == 0, result.stderr
    rows = taken(stored)
    assert rows and all(lost < time - 100e6 + 15e6 for time, _, lost in rows), rows


def test_short_executions_lost_what_they_did_not_execute_at_most(run_duet, stored):
    result = run_duet("true", "true", "-r", 2, "-I", 4)
    assert result.returncode == 0, result.stderr
    rows = taken(stored)
    # A process's CPU time is rounded to microseconds, and so is its start.
    assert rows and all(lost <= time - cpu + 50e3 for time, cpu, lost in rows), rows


@pytest.mark.skipif(not TOLD, reason="this kernel has no /proc/PID/schedstat")
def test_a_command_with_children_is_of_several_tasks(run_duet, program, stored):
    busy = program("busy", BURN)
    parent = program("parent", f"{busy}; true")
    result = run_duet(busy, parent, "-r", 4)
    assert result.returncode == 0, result.stderr
    rows = stored.rows("SELECT side, tasks FROM run_side")
    assert {tasks for side, tasks in rows if side == 0} == {"one"}
    assert {tasks for side, tasks in rows if side == 1} == {"several"}
    # Looked at from the second run of such a program on.
    windows = stored.rows("SELECT others_ns, window_ns FROM run_side"
                          " WHERE window_ns IS NOT NULL")
    assert windows and all(others < window for others, window in windows)


@pytest.mark.skipif(not TOLD, reason="this kernel has no /proc/PID/schedstat")
def test_programs_that_wait_tell_it_too(run_duet, odd_benchmark, stored):
    """odd_benchmark sleeps: that is its own waiting, and the lost CPU time is known beside it."""
    result = run_duet(odd_benchmark, odd_benchmark, "-r", 4, "-I", 20, "--schedule", "duet")
    assert result.returncode == 0, result.stderr
    told = stored.one("SELECT avg(flags & 64 <> 0) FROM iteration")
    assert told > 0.5
    assert all(waits > 0 for waits, in stored.rows("SELECT voluntary_switches FROM iteration"))
