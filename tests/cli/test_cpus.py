"""Which CPUs the sides get, and what is said when there are not enough."""

import os
import pathlib
import subprocess

import pytest

ALLOWED = sorted(os.sched_getaffinity(0))


def only(cpu):
    return lambda: os.sched_setaffinity(0, {cpu})


def test_one_cpu_is_not_enough_for_a_duet(run_duet, tmp_path):
    """Says so, and offers what would work."""
    result = run_duet("true", "true", "-r", 2, preexec_fn=only(ALLOWED[0]))
    assert result.returncode == 5, result
    assert "timeslice" in result.stderr and "interleaved" in result.stderr
    assert result.stdout == "" and not list(tmp_path.iterdir())


@pytest.mark.parametrize("schedule", ["timeslice", "interleaved", "sequential"])
@pytest.mark.parametrize("mode", ["command", "harness"])
def test_one_cpu_is_enough_for_the_others(run_duet, integer, stored, schedule, mode):
    command = "true" if mode == "command" else integer(100000)
    result = run_duet(command, command, "-r", 4, "-I", 3, "--schedule", schedule,
                      preexec_fn=only(ALLOWED[-1]))
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT DISTINCT cpu FROM run_side") == [(ALLOWED[-1],)]
    assert ("of the CPU time of" in result.stdout) == (schedule == "timeslice")


def test_chosen_cpus(run_duet, stored):
    if len(ALLOWED) < 2:
        pytest.skip("needs two CPUs")
    cpus = f"{ALLOWED[1]},{ALLOWED[0]}"
    assert run_duet("true", "true", "-r", 2, "--cpus", cpus).returncode == 0
    assert stored.rows("SELECT DISTINCT position, cpu FROM run_side ORDER BY position") \
        == [(0, ALLOWED[1]), (1, ALLOWED[0])]


def test_one_chosen_cpu(run_duet, stored):
    assert run_duet("true", "true", "-r", 2, "--cpus", ALLOWED[-1], "--schedule",
                    "interleaved").returncode == 0
    assert stored.rows("SELECT DISTINCT cpu FROM run_side") == [(ALLOWED[-1],)]


@pytest.mark.skipif(len(ALLOWED) < 2, reason="needs two CPUs")
def test_a_cpu_that_programs_are_bound_to_comes_last(run_duet, stored):
    """Two at the same time do not share a CPU while another is free."""
    for cpu in ALLOWED[:2]:
        bound = [subprocess.Popen(["sleep", "60"], preexec_fn=only(cpu)) for _ in range(64)]
        try:
            result = run_duet("true", "true", "-r", 2, "--schedule", "interleaved")
        finally:
            for program in bound:
                program.kill()
                program.wait()
        assert result.returncode == 0, result.stderr
        assert stored.rows("SELECT DISTINCT cpu FROM run_side JOIN run ON run.id = run_id WHERE "
                           "experiment_id = (SELECT max(id) FROM experiment)") != [(cpu,)]


@pytest.mark.parametrize("cpus, words", [
    ("{cpu}", "no CPU for the second side"),
    ("{cpu},{cpu}", "both sides have CPU {cpu};"),
    ("{cpu},99999", "has no CPU 99999;"),
    ("{cpu},1023", "has no CPU 1023;"),
    ("{cpu},1023+0", "has no CPU 1023;"),
    ("{cpu},0,1", "'{cpu},0,1' has more than two sides, A,B"),
    ("a,b", "'a' is not a list of CPUs"),
    ("", "'' is not a list of CPUs"),
    (",", "'' is not a list of CPUs"),
    ("0-,1", "'0-' is not a list of CPUs"),
    ("-1,1", "'-1' is not a list of CPUs"),
    ("1-0,2", "'1-0' is not a list of CPUs"),
])
def test_wrong_cpus(run_duet, tmp_path, cpus, words):
    result = run_duet("true", "true", "-r", 2, "--cpus=" + cpus.format(cpu=ALLOWED[0]))
    assert result.returncode == 2, result
    assert "--cpus: " in result.stderr
    assert words.format(cpu=ALLOWED[0]) in result.stderr, result.stderr
    assert not list(tmp_path.iterdir())


def test_cpu_that_may_not_be_used(run_duet):
    if len(ALLOWED) < 2:
        pytest.skip("needs two CPUs")
    result = run_duet("true", "true", "-r", 2, "--cpus", f"{ALLOWED[0]},{ALLOWED[1]}",
                      preexec_fn=only(ALLOWED[0]))
    assert result.returncode == 5, result
    assert f"CPU {ALLOWED[1]}" in result.stderr


@pytest.mark.skipif(len(ALLOWED) < 2, reason="needs two CPUs")
def test_a_wider_mask_is_what_helps(run_duet, duet, tmp_path):
    """As on a machine with isolcpus, whose programs begin on the other CPUs."""
    words = ("true", "true", "-r", 2, "--cpus", f"{ALLOWED[0]},{ALLOWED[1]}")
    refused = run_duet(*words, preexec_fn=only(ALLOWED[0]))
    assert "taskset -c LIST duet ..." in refused.stderr
    wider = subprocess.run(
        ["taskset", "-c", ",".join(map(str, ALLOWED)), *duet, "run", *map(str, words)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30,
        preexec_fn=only(ALLOWED[0]))
    assert wider.returncode == 0, wider.stderr


def test_more_cpus_a_side_than_there_are(run_duet):
    result = run_duet("true", "true", "-r", 2, "--cpus-per-side", 512)
    assert result.returncode == 5, result
    assert "512" in result.stderr


def test_the_first_cpu_that_is_not_there(run_duet):
    """Offline ones are there; tests/unit/machine/test_cpu_check.c has a machine with some."""
    missing = 1 + max(int(path.name[3:]) for path in pathlib.Path(
        "/sys/devices/system/cpu").glob("cpu[0-9]*"))
    result = run_duet("true", "true", "-r", 2, "--cpus", f"{ALLOWED[0]},{missing}")
    assert result.returncode == 2, result
    assert f"has no CPU {missing}; its last one is CPU {missing - 1}" in result.stderr
