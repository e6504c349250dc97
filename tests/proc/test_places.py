"""Where programs run: on the CPUs that they were given, or duet says so."""

import os
import pathlib

import pytest

CPUSET = pathlib.Path("/sys/fs/cgroup/cpuset")


@pytest.fixture(autouse=True)
def two_cpus():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")


@pytest.mark.parametrize("mode", ["command", "harness"])
def test_programs_that_choose_their_cpus(run_duet, integer, stored, mode):
    """Both on the same one, while duet had two."""
    cpu = min(os.sched_getaffinity(0))
    program = "true" if mode == "command" else integer(1000)
    command = f"taskset -c {cpu} {program}"
    result = run_duet(command, command, "-r", 4, "-I", 2)
    assert result.returncode == 0, result.stderr
    # Of each pair, the side whose place is another CPU.
    assert "8 of 16 iterations were not on the CPUs" in result.stdout + result.stderr
    assert stored.rows("SELECT DISTINCT cpu FROM iteration") == [(cpu,)]
    assert "8 of 16" in run_duet("show").stdout


def test_programs_that_stay(run_duet, integer):
    for program in ("true", integer(1000)):
        result = run_duet(program, program, "-r", 4, "-I", 2)
        assert "were not on the CPUs" not in result.stdout + result.stderr


@pytest.mark.parametrize("schedule", ["duet", "timeslice", "interleaved"])
def test_a_program_that_binds_its_supervisor(run_duet, program, stored, schedule):
    every = ",".join(map(str, os.sched_getaffinity(0)))
    command = program("binding", f"taskset -p -c {every} $PPID >/dev/null\n")
    result = run_duet("true", command, "-r", 2, "--schedule", schedule)
    assert result.returncode == 5
    assert "its CPUs changed while it was measured" in result.stderr
    assert stored.runs() == 0 and stored.states() == ["failed"]


@pytest.fixture
def cpuset(wait_until):
    """A group for a process, whose CPUs can be taken away. To be asked for before what
    starts processes, so that it is removed after them."""
    group = CPUSET / f"duet-test-{os.getpid()}"
    try:
        group.mkdir()
        for name in ("cpuset.mems", "cpuset.cpus"):
            (group / name).write_text((CPUSET / name).read_text())
    except OSError:
        pytest.skip("no cpuset can be made here")
    yield group
    wait_until(lambda: not (group / "tasks").read_text())
    group.rmdir()


@pytest.mark.parametrize("mode", ["command", "harness"])
def test_a_cpuset_that_shrinks(cpuset, start_duet, stored, integer, wait_until, mode):
    program = "sleep 0.01" if mode == "command" else integer(100000)
    process = start_duet(program, program, "-r", 100000, preexec_fn=lambda: (
        cpuset / "tasks").write_text(str(os.getpid())))
    wait_until(lambda: stored.has_runs(2) or process.poll() is not None)
    (cpuset / "cpuset.cpus").write_text(str(min(os.sched_getaffinity(0))))
    _, errors = process.communicate()
    assert process.returncode == 5
    assert "the cpuset changed" in errors
    assert stored.states() == ["failed"] and stored.runs() >= 2
    stored.check()


def test_a_cpuset_that_shrank_before(cpuset, run_duet):
    """Two CPUs that are named, of which one is not allowed."""
    (cpuset / "cpuset.cpus").write_text(str(min(os.sched_getaffinity(0))))
    result = run_duet("true", "true", "-r", 2, "--cpus", "0,1", preexec_fn=lambda: (
        cpuset / "tasks").write_text(str(os.getpid())))
    assert result.returncode == 5 and "CPU 1" in result.stderr

