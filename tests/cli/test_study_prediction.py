"""duet study prediction."""

import csv
import io
import math
import os
import random
import signal
import subprocess
import xml.etree.ElementTree

import pytest

QUICK = ["--predictions", 40, "--tests", 20, "--replicates", 100]
NAMES = ["1-large", "1-xlarge", "1-2xlarge", "2-large", "2-xlarge", "4-large"]


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def measured(name, mean, count=700):
    """A drifting series of 3 % around a mean, 20 points a day."""
    generator = random.Random(name)
    values, level = [], 0.0
    for _ in range(count):
        level = 0.9 * level + generator.gauss(0, 0.013)
        values.append(mean * math.exp(level + generator.gauss(0, 0.01)))
    return values


@pytest.fixture
def table(tmp_path):
    """Four machines of 1 to 8 cores, a series each."""
    rows = ["configuration,benchmark,cores,series,test_points"]
    for cores in (1, 2, 4, 8):
        (tmp_path / f"of-{cores}.txt").write_text(
            "\n".join(f"{value:.6f}" for value in measured(f"{cores}", 10 / cores ** 0.8)))
        rows.append(f"\"{cores} cores, one VM\",ft,{cores},of-{cores}.txt,420")
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    return tmp_path / "table.csv"


def test_made_up_machines(run_duet):
    done = run_duet("study", "prediction", *QUICK, "--benchmarks", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "40 predictions each, seed 1" in lines[0]
    header = next(line for line in lines if line.startswith("benchmark "))
    assert header.split() == ["benchmark", "configuration", "points", "metior", "steady",
                              "truth"]
    names = [line.split()[0] for line in lines if line.startswith("benchmark-")]
    assert names == ["benchmark-1", "benchmark-2"] * 4
    assert sum(line.startswith("all ") for line in lines) == 3


def test_csv(run_duet):
    rows = rows_of(run_duet("study", "prediction", *QUICK, "--benchmarks", 1, "--predict", "all",
                            "--rules", "cov,steady", "--export-csv", "-"))
    assert [row["configuration"] for row in rows[::4]] == NAMES
    assert [row["training"] for row in rows[:4]] == ["points", "cov", "steady", "truth"]
    for row in rows:
        assert float(row["error_low"]) <= float(row["error_high"])
        if row["training"] == "points":
            assert float(row["error_relative"]) == 1 and float(row["points_mean"]) == 6
        if row["training"] == "truth":
            assert row["predictions"] == "1" and row["error_sd"] == row["points_mean"] == ""
        else:
            assert row["predictions"] == "40"


@pytest.mark.rotating(2)
@pytest.mark.slow
def test_tests_that_a_rule_ends_predict_better(run_duet):
    """He 2021, s.V in kind: on average over benchmarks the error is smaller."""
    rows = rows_of(run_duet("study", "prediction", "--predictions", 300, "--tests", 60,
                            "--replicates", 200, "--rules", "metior,steady", "--benchmarks", 12,
                            "--export-csv", "-"))
    for rule in ("metior", "steady"):
        ratios = [float(row["error_relative"]) for row in rows if row["training"] == rule]
        assert len(ratios) == 12
        assert sum(ratios) / 12 < 0.95


def test_a_table(run_duet, table):
    rows = rows_of(run_duet("study", "prediction", table, *QUICK, "--export-csv", "-"))
    assert len(rows) == 4 * 4
    for row in rows:
        assert row["benchmark"] == "ft"
        cores = int(row["configuration"].split()[0])
        truth = float(row["truth"])
        later = measured(str(cores), 10 / cores ** 0.8)[420:]
        assert truth == pytest.approx(sum(later) / len(later), rel=1e-6)
        if row["training"] == "metior":
            assert 40 <= float(row["points_mean"]) <= 420
    only = rows_of(run_duet("study", "prediction", table, *QUICK, "--export-csv", "-",
                            "--predict", "2 cores, one VM"))
    assert [row for row in rows if row["configuration"] == "2 cores, one VM"] == only


def test_values_and_truth_in_the_table(run_duet, tmp_path):
    lines = ["configuration,vms,cores,truth,values"]
    for vms, cores in ((1, 2), (1, 4), (2, 2), (2, 4), (4, 2)):
        time = 8 / (vms * cores)
        values = " ".join(f"{value:.5f}" for value in measured(f"{vms},{cores}", time, 60))
        lines.append(f"{vms}x{cores},{vms},{cores},{time},{values}")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    rows = rows_of(run_duet("study", "prediction", "table.csv", *QUICK, "--export-csv", "-",
                            "--points-per-interval", 10, "--each-length"))
    assert [float(row["truth"]) for row in rows[::4]] == [4, 2, 2, 1, 1]


@pytest.mark.parametrize("arguments", [[], ["--each-length", "--predict", "all"]])
@pytest.mark.slow
def test_threads_do_not_matter(run_duet, arguments):
    one, two = (run_duet("study", "prediction", *QUICK, *arguments, "--benchmarks", 1,
                         "--threads", threads, "--export-csv", "-") for threads in (1, 3))
    assert one.returncode == 0 and one.stdout == two.stdout


def test_picture(run_duet, table, tmp_path):
    for arguments, words in ([["--benchmarks", 2], ["benchmark-1", "benchmark-2"]],
                             [[table], ["ft, 8 cores, one VM"]]):
        done = run_duet("study", "prediction", *arguments, *QUICK, "--export-svg", "pictures")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "pictures/prediction.svg").read_text()
        assert xml.etree.ElementTree.fromstring(text).tag.endswith("svg")
        assert all(word in text for word in ["points", "metior", "steady", "truth", *words])


@pytest.mark.parametrize("arguments,message", [
    (["nowhere.csv"], "nowhere.csv"),
    (["table.csv", "table.csv"], "expected one TABLE.csv"),
    (["table.csv", "--predict", "some"], "'some'"),
    (["--error", "0%"], "--error"),
    (["--points", "0"], "--points"),
    (["--cores", "3"], "--cores"),
    (["--rules", "best"], "best"),
    (["--predictions", "1"], "--predictions"),
    (["table.csv", "--points-per-interval", "500"], "at least an interval"),
    (["three.csv", "--points-per-interval", "2"], "has 3 configurations"),
    (["wrong.csv"], "wrong.csv:3:3: a feature must be a number"),
])
def test_wrong_usage(run_duet, table, tmp_path, arguments, message):
    del table
    (tmp_path / "three.csv").write_text(
        "configuration,cores,truth,values\n" +
        "".join(f"c{i},{i},1,1 1.1 1.2 1 1 1 1 1\n" for i in range(3)))
    (tmp_path / "wrong.csv").write_text("configuration,cores,values\na,1,1\nb,two,1\n")
    done = run_duet("study", "prediction", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_without_lapacke_it_says_what_to_install(run_duet, tmp_path):
    (tmp_path / "liblapacke.so.3").touch()
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = run_duet("study", "prediction", env=environment)
    assert done.returncode == 5
    assert "needs LAPACKE" in done.stderr and "apt-get install liblapacke" in done.stderr
    assert run_duet("--version", env=environment).returncode == 0


@pytest.mark.slow
def test_interrupted_it_prints_what_is_done(start_duet, tmp_path):
    process = start_duet("study", "prediction", "--tests", 100000,
                         "--export-csv", tmp_path / "rows.csv")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors and "mean absolute error" in output
    assert (tmp_path / "rows.csv").read_text().startswith("benchmark,")
