"""Which CPUs the sides get, and what is said when there are not enough."""

import os
import pathlib

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
    if schedule == "timeslice":
        assert '"metric"' not in result.stdout
        assert "CPU time is compared" in result.stdout


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


@pytest.mark.parametrize("cpus, status, words", [
    ("0", (2, 5), ["--cpus"]),
    ("0,0", (2, 5), ["CPU 0"]),
    ("0,99999", (2, 5), ["99999"]),
    ("0,1023", (2, 5), ["1023"]),
    ("a,b", (2,), ["--cpus", "a"]),
    ("", (2, 5), ["--cpus"]),
    (",", (2, 5), ["--cpus"]),
    ("0,1,2", (2, 5), ["--cpus"]),
    ("0-,1", (2,), ["--cpus", "0-"]),
    ("-1,1", (2,), ["--cpus", "-1"]),
    ("1-0,2", (2,), ["--cpus", "1-0"]),
])
def test_wrong_cpus(run_duet, tmp_path, cpus, status, words):
    result = run_duet("true", "true", "-r", 2, f"--cpus={cpus}")
    assert result.returncode in status, result
    for word in words:
        assert word in result.stderr, result.stderr
    assert not list(tmp_path.iterdir())


def test_cpu_that_may_not_be_used(run_duet):
    if len(ALLOWED) < 2:
        pytest.skip("needs two CPUs")
    result = run_duet("true", "true", "-r", 2, "--cpus", f"{ALLOWED[0]},{ALLOWED[1]}",
                      preexec_fn=only(ALLOWED[0]))
    assert result.returncode == 5, result
    assert f"CPU {ALLOWED[1]}" in result.stderr


def test_more_cpus_a_side_than_there_are(run_duet):
    result = run_duet("true", "true", "-r", 2, "--cpus-per-side", 512)
    assert result.returncode == 5, result
    assert "512" in result.stderr


def test_an_offline_cpu(run_duet):
    online = pathlib.Path("/sys/devices/system/cpu/online").read_text().strip()
    possible = int(pathlib.Path("/sys/devices/system/cpu/possible").read_text()
                   .strip().split("-")[-1])
    present = {int(path.name[3:]) for path in pathlib.Path(
        "/sys/devices/system/cpu").glob("cpu[0-9]*")}
    offline = [cpu for cpu in range(possible + 1) if cpu not in os.sched_getaffinity(0)
               and cpu not in present] or [possible + 1]
    result = run_duet("true", "true", "-r", 2, "--cpus", f"{ALLOWED[0]},{offline[0]}")
    assert result.returncode in (2, 5), (online, result)
    assert str(offline[0]) in result.stderr
