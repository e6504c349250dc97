"""Warnings of an experiment: there where something took CPU time, and not where nothing
did. What is tested is whether they are said, not how much was taken."""

import json
import os
import pathlib
import subprocess
import time

import pytest

TOLD = pathlib.Path("/proc/self/schedstat").exists()
TAKEN = "other programs took the CPU"


def busy_share(seconds=0.5):
    """How much of the CPUs' time is used or stolen."""
    def look():
        line = pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
        ticks = [int(word) for word in line.split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]
    before = look()
    time.sleep(seconds)
    after = look()
    return 1 - (after[1] - before[1]) / max(1, after[0] - before[0])


@pytest.fixture
def hogs():
    """Two programs on each CPU that is used, so that both sides lose half or more."""
    started = []
    try:
        for _ in range(2 * len(os.sched_getaffinity(0))):
            # pylint: disable-next=consider-using-with
            started.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def burn(milliseconds):
    """A shell's loop of about so long."""
    return f"i=0; while [ $i -lt {milliseconds * 1300} ]; do i=$((i+1)); done"


def warnings_of(run_duet, *words):
    result = run_duet(*words, "--store", "none", "-q", "--export-json", "-", timeout=100)
    assert result.returncode == 0, result.stderr
    comparison = json.loads(result.stdout)["comparisons"][0]
    return [warning["text"] for warning in comparison["warnings"]], comparison


def commands(program):
    """Of about 1, 10 and 100 ms, and one that waits."""
    return {"1 ms": "true", "10 ms": program("ten", burn(10)),
            "100 ms": program("hundred", burn(100)), "waits": "sleep 0.01"}


@pytest.mark.quiet
@pytest.mark.rotating(5)
@pytest.mark.timeout(200)
@pytest.mark.skipif(not TOLD, reason="this kernel has no /proc/PID/schedstat")
@pytest.mark.parametrize("name", ["100 ms", "waits"])
def test_taken_time_of_commands_is_warned_of(run_duet, program, hogs, name):
    command = commands(program)[name]
    said, comparison = warnings_of(run_duet, command, command, "-r", 8)
    assert any(TAKEN in text for text in said), (said, comparison["conditions"])


@pytest.mark.quiet
@pytest.mark.rotating(8)
@pytest.mark.timeout(200)
@pytest.mark.parametrize("operations", [4000000, 40000000])
def test_taken_time_of_benchmark_programs_is_warned_of(run_duet, integer, hogs,
                                                       operations):
    """Iterations of about 10 and 100 ms. Those of 1 ms lose next to nothing: the sides
    wait for each other between them, and who has slept is not taken the CPU from."""
    command = integer(operations)
    said, comparison = warnings_of(run_duet, command, command, "-r", 8, "-I", 400,
                                   "--run-time", "400ms")
    assert any(TAKEN in text for text in said), (said, comparison["conditions"])


@pytest.mark.quiet
@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", ["1 ms", "10 ms", "100 ms", "waits"])
def test_own_switches_are_not_warned_of(run_duet, program, name):
    """A command's own: it is loaded, waits, and wakes who waits for it."""
    command = commands(program)[name]
    # An old load average says nothing of now; what it took of short ones is not known.
    share = busy_share()
    if share > 0.15:
        pytest.skip("other programs use the CPUs")
    said, comparison = warnings_of(run_duet, command, command, "-r", 8)
    if (comparison["conditions"]["taken_pct"] or 0) > 5:
        pytest.skip("other programs use the CPUs")
    assert not any(TAKEN in text for text in said), said
