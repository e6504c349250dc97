"""What is said of several benchmarks together."""

import json
import math
import re

import pytest


@pytest.fixture
def three(run_duet, duet, tmp_path):
    """One benchmark slower by 40 %, two of a quarter of the time; the result."""

    def run(*options):
        program = f"{duet[-1]} workload integer --operations"
        return run_duet(f"{program} 400000", f"{program} {{n}}", "-L", "n",
                        "560000,100000,100001", "-I", "3", *options, cwd=tmp_path)

    return run


@pytest.mark.slow
def test_the_mean_has_a_verdict_of_its_own(three, tmp_path, validate):
    result = three("-r", "8", "--interval", "percentile", "--multiplicity", "none", "--export-json", "o.json",
                   "--export-markdown", "o.md")
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [row for row in rows if row[:1] == ["n=560000"]][0][-2] == "slower"
    mean = [row for row in rows if row[:1] == ["geometric"]][0]
    assert mean[-1] == "faster"
    assert "from those of the 3 benchmarks, which err independently" in \
        " ".join(result.stdout.split())
    document = json.loads((tmp_path / "o.json").read_text())
    validate(document)
    row = document["geometric_mean"]
    ratios = [c["ratio"] for c in document["comparisons"]]
    assert math.isclose(row["ratio"], math.prod(ratios) ** (1 / 3))
    assert row["verdict"] == "faster" and row["rule"] == "independent"
    assert row["low"] < row["ratio"] < row["high"] < 1
    assert "- Geometric mean of 3 benchmarks: -" in (tmp_path / "o.md").read_text()


@pytest.mark.slow
def test_without_an_interval_there_is_no_verdict(three, tmp_path, validate):
    result = three("-r", "8", "--interval", "anytime", "--multiplicity", "none",
                   "--export-json", "o.json")
    assert result.returncode == 0, result.stderr
    mean = [line.split() for line in result.stdout.splitlines()
            if line.startswith("geometric mean")][0]
    assert mean[-1] == "-" and mean[2].startswith("-")
    document = json.loads((tmp_path / "o.json").read_text())
    validate(document)
    assert document["geometric_mean"]["verdict"] is None
    assert document["geometric_mean"]["low"] is None


def test_one_benchmark_has_no_mean(run_duet, tmp_path):
    assert run_duet("true", "true", "-r", "2", "--export-json", "o.json").returncode == 0
    assert json.loads((tmp_path / "o.json").read_text())["geometric_mean"] is None


def test_a_failing_combination_is_a_row(run_duet, tmp_path):
    result = run_duet("true", "sh -c 'exit {n}'", "-L", "n", "0,3", "-r", "2",
                      "--export-csv", "o.csv")
    assert result.returncode == 4
    assert "failed: n=3: " in result.stdout
    assert "failed" in (tmp_path / "o.csv").read_text().splitlines()[2]


@pytest.mark.parametrize("options, status, words", [
    (["--fail-on", "slower"], 1, "failed: gated is slower by +"),
    (["--max-slowdown", "2%"], 1, r"failed: gated: its lower end \+[0-9]+ % is above "
     "--max-slowdown 2%"),
    (["--fail-on", "faster"], 0, "passed: gated is slower by +"),
    (["--max-slowdown", "100000%"], 0, r"passed: gated: its upper end \+[0-9]+ % is below "
     "--max-slowdown 100000%"),
    (["--max-slowdown", "100000%", "-q"], 0, None),
    (["--fail-on", "slower", "-q"], 1, "failed: gated is slower by +"),
])
@pytest.mark.slow
def test_a_gate_says_why(run_duet, options, status, words):
    # No ratio is near 1, and a percentile interval lies within the ratios.
    run = run_duet("sleep 0.001", "sleep 0.1", "-r", "8", "--interval", "percentile",
                   "--name", "gated", *options)
    show = run_duet("show", "last", "--interval", "percentile", *options)
    for result in (run, show):
        assert result.returncode == status, result
        said = [line for line in result.stderr.splitlines() if "gate:" in line]
        assert len(said) == (words is not None)
        if words is not None:
            assert re.match("duet: gate: " + words.replace("by +", r"by \+"), said[0]), said


def test_an_open_gate_says_so(run_duet):
    arguments = ["true", "true", "-r", "2", "--interval", "t", "--max-slowdown", "2%"]
    result = run_duet(*arguments)
    assert result.returncode == 0
    assert "gate: passed: new: --max-slowdown 2% lies in no interval: there are too few " \
        "runs; --fail-on unsure would fail" in result.stderr
    result = run_duet(*arguments, "--fail-on", "unsure")
    assert result.returncode == 3
    assert "gate: unsure: new: --max-slowdown 2% lies in no interval" in result.stderr


def test_a_gate_of_several(run_duet):
    result = run_duet("true", "true", "-L", "n", "1,2", "-r", "2", "--fail-on", "slower")
    assert result.returncode == 0
    assert "gate: passed: all 2 benchmarks with a gate" in result.stderr
