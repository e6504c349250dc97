"""duet study sequential."""

import csv
import io
import signal
import subprocess

import pytest

MODELS = ["normal", "lognormal", "pareto", "bimodal", "ar1", "twolevel", "drift",
          "steal", "noisier", "onesided"]


def test_table_and_csv(run_duet, tmp_path):
    done = run_duet("study", "sequential", "--samples", 200, "--effect", "5%",
                    "--export-csv", "rows.csv")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "effect 5 %" in lines[0]
    assert lines[3].split() == ["data", "wrong", "missed", "right", "undecided", "median",
                                "p90"]
    assert [line.split()[0] for line in lines[4:]] == MODELS
    rows = list(csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text())))
    assert [row["data"] for row in rows] == MODELS
    for row in rows[:-2]:
        assert row["samples"] == row["right"] == "200" and row["wrong"] == "0"
        assert float(row["wrong_low"]) == 0 < float(row["wrong_high"]) < 0.03
        assert 10 <= float(row["runs_median"]) <= float(row["runs_p90"]) <= 20
        assert row["coin"] == "run" and float(row["runs_median"]) < 16


def test_a_coin_for_each_block(run_duet):
    """Eight coins at 99 %: 8 blocks, or two blocks and six runs."""
    runs = {}
    for coin in ("block", "run"):
        done = run_duet("study", "sequential", "--samples", 100, "--effect", "100%",
                        "--data", "normal", "--coin", coin, "--export-csv", "-")
        (row,) = list(csv.DictReader(io.StringIO(done.stdout)))
        assert row["coin"] == coin and row["right"] == "100"
        runs[coin] = float(row["runs_median"])
    assert runs == {"block": 16, "run": 10}


def test_without_an_effect(run_duet):
    done = run_duet("study", "sequential", "--samples", 300, "--data", "drift",
                    "--blocks", 20, "--confidence", "0.9", "--export-csv", "-")
    assert done.returncode == 0, done.stderr
    (row,) = list(csv.DictReader(io.StringIO(done.stdout)))
    assert row["data"] == "drift" and row["blocks"] == "20"
    assert int(row["wrong"]) == int(row["missed"]) < 55
    assert row["right"] == "0" and row["runs_median"] == ""


@pytest.mark.parametrize("estimator", ["geomean", "trimmed", "median"])
@pytest.mark.slow
def test_threads_do_not_matter(run_duet, estimator):
    one, two = (run_duet("study", "sequential", "--samples", 100, "--estimator", estimator,
                         "--iterations", 7, "--noise", "2%", "--effect", "1%",
                         "--threads", threads, "--export-csv", "-")
                for threads in (1, 2))
    assert one.returncode == 0
    assert one.stdout == two.stdout


@pytest.mark.rotating(3)
@pytest.mark.slow
def test_interrupted_it_prints_what_is_done(start_duet, tmp_path):
    process = start_duet("study", "sequential", "--samples", 100000000, "--export-csv",
                         tmp_path / "rows.csv")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "normal" in output
    (row,) = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert int(row["samples"]) > 0 and row["data"] == "normal"


def test_wrong_usage(run_duet):
    for arguments, message in ((["--data", "x"], "drift, steal, noisier, onesided"),
                               (["--new-noise", "0"], "noises"),
                               (["--blocks", "0"], "--blocks"),
                               (["--coin", "side"], "--coin"),
                               (["--iterations", "21"], "--iterations"),
                               (["--noise", "0"], "noise"),
                               (["--estimator", "mean"], "geomean, trimmed, median"),
                               (["--effect", "x"], "--effect")):
        done = run_duet("study", "sequential", *arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
    done = run_duet("study", "coverage", "--data", "drift")
    assert done.returncode == 2 and "expected normal" in done.stderr
