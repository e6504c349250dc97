"""Limits on processes and on the stack: what computes does with one thread, and nothing
is taken for a verdict."""

import os
import resource

import pytest

from support.other_users import copy_for_all, open_to_all


# A user who has no processes: those of nobody's (a test's database) count, too.
ALONE = 64_999


def few_processes():
    """Root is not limited."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    os.setgroups([])
    os.setgid(ALONE)
    os.setuid(ALONE)


@pytest.fixture(name="duet", scope="module")
def duet_for_all(duet, tmp_path_factory):
    return copy_for_all(duet, tmp_path_factory.mktemp("duet"))


def write_values(folder):
    for name, factor in (("old", 1000), ("new", 1001)):
        lines = [f"{run},{factor + (run * 7919 + i * 104729) % 97}"
                 for run in range(40) for i in range(50)]
        (folder / f"{name}.csv").write_text("run,time\n" + "\n".join(lines) + "\n")
    return str(folder / "old.csv"), str(folder / "new.csv")


@pytest.fixture
def values(tmp_path):
    """Enough of them for more than one thread; readable for everybody."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    open_to_all(tmp_path)
    return write_values(tmp_path)


@pytest.mark.bare
@pytest.mark.slow
def test_computing_without_threads(run_duet, values):
    arguments = ["compare", *values, "--interval", "percentile", "--export-csv", "-"]
    several = run_duet(*arguments)
    alone = run_duet(*arguments, preexec_fn=few_processes)
    assert alone.returncode == several.returncode == 0, alone.stderr
    assert alone.stdout == several.stdout


@pytest.mark.bare
def test_measuring_without_processes(run_duet, values):
    del values
    result = run_duet("true", "true", "-r", 2, preexec_fn=few_processes)
    assert result.returncode == 5
    assert "Resource temporarily unavailable" in result.stderr


@pytest.mark.rotating(3)
@pytest.mark.bare
def test_more_threads_than_there_may_be(run_duet, values):
    del values
    arguments = ["study", "coverage", "--samples", 20, "--data", "normal", "--quiet"]
    several = run_duet(*arguments, "--threads", 64)
    alone = run_duet(*arguments, "--threads", 64, preexec_fn=few_processes)
    assert alone.returncode == several.returncode == 0, alone.stderr
    assert alone.stdout == several.stdout


def stack_of(kib):
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (kib * 1024, kib * 1024))


@pytest.mark.rotating
@pytest.mark.bare  # Valgrind wants a stack of its own
@pytest.mark.parametrize("words", [
    ["true", "true", "-r", 2], ["compare", "old.csv", "new.csv", "--interval", "percentile"],
    ["list"], ["doctor"], ["--version"],
    ["study", "coverage", "--samples", 20, "--data", "normal", "--quiet"]])
def test_the_least_stack_is_enough(run_duet, tmp_path, words):
    write_values(tmp_path)
    as_usual = run_duet(*words)
    result = run_duet(*words, preexec_fn=stack_of(256))
    assert result.returncode == as_usual.returncode < 3, result


@pytest.mark.bare
@pytest.mark.parametrize("kib", [96, 128, 255])
def test_too_small_a_stack_is_said(run_duet, kib):
    result = run_duet("true", "true", "-r", 2, preexec_fn=stack_of(kib))
    assert result.returncode == 5
    assert "ulimit -s 8192" in result.stderr and "256 KiB" in result.stderr
