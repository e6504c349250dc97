"""The accuracy study of three real programs, as anybody would try it."""

import csv
import pathlib

import pytest

SUITE = pathlib.Path(__file__).resolve().parents[2] / "suites/native.yaml"
PROGRAMS = ["lattice", "python", "sqlite"]


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_accuracy_of_three_real_programs(run_duet, tmp_path):
    chosen = [word for name in PROGRAMS for word in ("--only", name)]
    done = run_duet("study", "accuracy", "--suite", SUITE, *chosen, "--quick", "-q",
                    "--export-csv", "widths.csv", timeout=300)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "widths.csv").open()))
    assert sorted(row["workload"] for row in rows) == PROGRAMS
    for row in rows:
        assert row["suite"] == "native" and row["runs"] == "10"
        for width in ["duet", "shuffled", "standard"]:
            assert float(row[width]) > 0, row
