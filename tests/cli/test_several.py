"""What is said of several benchmarks together."""

import json
import math

import pytest


@pytest.fixture
def three(run_duet, duet, tmp_path):
    """One benchmark slower by 40 %, two of a quarter of the time; the result."""

    def run(*options):
        program = f"{duet[-1]} workload integer --operations"
        return run_duet(f"{program} 400000", f"{program} {{n}}", "-L", "n",
                        "560000,100000,100001", "-I", "3", *options, cwd=tmp_path)

    return run


def test_the_mean_has_a_verdict_of_its_own(three, tmp_path, validate):
    result = three("-r", "8", "--interval", "t", "--export-json", "o.json",
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
