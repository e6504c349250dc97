"""Verdicts on programs of different kinds whose speeds are known: `make bench-truth`, short."""

import json
import os
import pathlib
import subprocess

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench/truth"
# Beside a program that wants a CPU: each pair as it is and 5 % apart, as commands and as
# benchmark programs. Beside other tests, too, the other pairs are undecided after 3 s.
PAIRS = ["plain", "naps-once", "noisy"]
MORE = ["forks", "pipes", "threads"]


@pytest.mark.timeout(300)
@pytest.mark.bare  # a hog is beside it in any case
@pytest.mark.parametrize("pairs", [pytest.param(PAIRS, marks=pytest.mark.rotating(33)),
                                   pytest.param(PAIRS + MORE, marks=pytest.mark.soak)],
                         ids=["some", "all"])
def test_changes_are_found_and_contradictions_are_chance(built_program, tmp_path, pairs):
    build = pathlib.Path(built_program("duet_truth")).parents[1]
    done = subprocess.run(
        [BENCH, *pairs, "--trials", "1", "--changes", "0,5", "--conditions", "hog",
         "--executions", "10", "--options=--until decided,time=3s",
         "--raw", tmp_path / "truth.json"], env={**os.environ, "DUET_BUILD_DIR": str(build)},
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    cells = json.loads((tmp_path / "truth.json").read_text())
    apart = [row["outcome"] for key, (row,) in cells.items() if " +5 " in key]
    assert len(apart) == 2 * len(pairs)
    assert "right" in apart, done.stdout + done.stderr


def test_what_stops_the_machine_between_two_clocks_is_no_speed(monkeypatch):
    """Its time is in the CPU time and not in the elapsed time of one of ten executions."""
    monkeypatch.syspath_prepend(str(BENCH.parent))
    truth_pairs = __import__("truth_pairs")
    times = [(4_100_000, 4_090_000)] * 9 + [(4_100_000, 34_000_000)]
    assert truth_pairs.level(times, contends=False) == 4_100_000
    assert truth_pairs.standard_error(times, times, contends=False) < 0.01
