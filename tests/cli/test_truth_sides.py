"""The programs that bench/truth compares: each kind works in each mode."""

import os
import re
import subprocess

import pytest

CPU = min(os.sched_getaffinity(0))


@pytest.fixture
def truth(built_program):
    """Runs `duet_truth WORDS...`; a CompletedProcess with text."""
    def run(*words):
        return subprocess.run([built_program("duet_truth"), *map(str, words)], text=True,
                              capture_output=True, check=False, timeout=30,
                              stdin=subprocess.DEVNULL)
    return run


def kinds_of(truth):
    done = truth()
    assert done.returncode == 2
    return re.search(r"^kinds: (.*)$", done.stderr, re.MULTILINE).group(1).split()


@pytest.mark.slow
def test_every_kind_works_and_leaves_no_process(truth):
    kinds = kinds_of(truth)
    assert len(kinds) >= 25
    for kind in kinds:
        assert truth(kind, 20000, 0.1).returncode == 0, kind
        done = truth(kind, 20000, 0.1, "--measure", 3)
        times = [list(map(int, line.split())) for line in done.stdout.splitlines()]
        assert done.returncode == 0 and len(times) == 3, kind
        assert all(time_ns > 0 and cpu_ns > 0 for time_ns, cpu_ns in times), kind


@pytest.mark.slow
def test_every_kind_attaches(truth, built_program, run_duet):
    binary = built_program("duet_truth")
    for kind in ("plain", "pipes", "threads", "alarms", "forks"):
        side = f"{binary} {kind} 20000 --harness"
        done = run_duet(side, side, "-r", 2, "-I", 3, "-q", "--store", "none",
                        "--export-json", "-")
        assert done.returncode == 0, (kind, done.stderr)
        assert '"mode": "harness"' in done.stdout, kind
    assert truth("no-such-kind", 1).returncode == 2


def test_two_commands_in_turns(truth, built_program):
    binary = built_program("duet_truth")
    done = truth("pair", CPU, 3, binary, "plain", 1000, "::", binary, "exec", 1000, "true")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [side for side, _, _ in lines] == ["a", "b", "b", "a", "a", "b"]
    assert all(int(time_ns) > 0 for _, time_ns, _ in lines)


def test_two_commands_that_cannot_be_compared(truth, built_program):
    binary = built_program("duet_truth")
    assert truth("pair", CPU, 1, "true", "true", "true", "true").returncode == 2
    failed = truth("pair", CPU, 1, "true", "::", binary, "no-such-kind", "1")
    assert failed.returncode == 1 and "failed" in failed.stderr


def test_more_work_takes_longer(truth):
    def cpu_ns(work):
        lines = truth("plain", work, "--measure", 5).stdout.splitlines()
        return min(int(line.split()[1]) for line in lines)
    assert cpu_ns(2000000) > 1.5 * cpu_ns(1000000)
