"""What tests/soak/alarms.py counts."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.timing  # a program of its own, and its threads


def replay(built_program, store, samples=20000, **environment):
    done = subprocess.run([built_program("replay_alarms"), store, str(samples), "1", "1"],
                          capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("schedule", ["duet", "timeslice"])
def test_replays_follow_from_the_seed(run_duet, built_program, tmp_path, schedule):
    result = run_duet("true", "true", "--schedule", schedule, "--until",
                      "precision=0.00001%,runs=24", "--store", "a.db", "--name", "null")
    assert result.returncode == 0, result.stderr
    lines = replay(built_program, tmp_path / "a.db")
    assert lines[2].startswith(f"| null | {schedule} | 24 | 20000 | ")
    assert float(lines[3].split(" | ")[5].split()[0]) <= 1.0, lines
    assert replay(built_program, tmp_path / "a.db", OMP_NUM_THREADS="1") == lines


def test_alarms_are_seen(run_duet, built_program, tmp_path):
    """At a confidence that promises little there are many."""
    assert run_duet("true", "true", "--schedule", "timeslice", "--until",
                    "precision=0.00001%,runs=24", "--store", "a.db", "--confidence",
                    "60%").returncode == 0
    share = float(replay(built_program, tmp_path / "a.db")[3].split(" | ")[5].split()[0])
    assert 1 < share <= 40
