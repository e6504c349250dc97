"""duet study coverage."""

import csv
import io
import signal
import subprocess

import pytest

METHODS = {"percentile", "t", "signflip", "anytime", "difference"}


def test_table_and_csv(run_duet, tmp_path):
    done = run_duet("study", "coverage", "--samples", 4, "--replicates", 100, "--data",
                    "normal", "--export-csv", "cells.csv")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert METHODS <= set(lines[4].split())
    assert [line.split()[:2] for line in lines[5:]] == [
        ["normal", size] for size in ("3", "5", "10", "20", "30")]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "cells.csv").read_text())))
    assert {row["method"] for row in rows} >= METHODS
    assert {row["samples"] for row in rows} == {"4"}
    assert {row["coverage"] for row in rows} <= {"0", "0.25", "0.5", "0.75", "1"}
    # 99 % intervals of normal values: t misses two of four in one of 1,700.
    of_t = [float(row["coverage"]) for row in rows if row["method"] == "t"]
    assert len(of_t) == 5 and min(of_t) >= 0.75
    unbounded = [row for row in rows if row["method"] == "signflip"
                 and row["size"] == "3"]
    assert unbounded[0]["unbounded"] == "4"
    assert unbounded[0]["coverage"] == "0"


@pytest.mark.slow
def test_unbounded_intervals_cover_nothing(run_duet):
    """Five skewed values: a few resamples have no spread, and once left four studentized
    intervals of five without an end, which counted as cover."""
    done = run_duet("study", "coverage", "--samples", 20, "--replicates", 1000, "--data",
                    "lognormal", "--export-csv", "-")
    assert done.returncode == 0, done.stderr
    rows = {(row["method"], row["size"]): row
            for row in csv.DictReader(io.StringIO(done.stdout))}
    assert rows["studentized", "3"]["unbounded"] == "20"
    assert rows["studentized", "5"]["unbounded"] == "0"
    for row in rows.values():
        bounded = 1 - int(row["unbounded"]) / int(row["samples"])
        assert float(row["coverage"]) <= bounded + 1e-9


@pytest.mark.slow
def test_threads_do_not_matter(run_duet):
    one, two = (run_duet("study", "coverage", "--samples", 3, "--replicates", 100,
                         "--data", "ar1", "--threads", threads, "--export-csv", "-")
                for threads in (1, 2))
    assert one.returncode == 0
    assert one.stdout == two.stdout
    assert one.stdout.startswith("data,size,method,")


def test_interrupted_it_prints_what_is_done(start_duet, tmp_path):
    process = start_duet("study", "coverage", "--samples", 100000000, "--export-csv",
                         tmp_path / "cells.csv")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "normal" in output
    (row,) = list(csv.DictReader((tmp_path / "cells.csv").open()))
    assert int(row["samples"]) > 0 and row["method"] == "percentile"


def test_wrong_usage(run_duet):
    for arguments, message in (([], "expected the name of a study"), (["depth"], "unknown study 'depth'"),
                               (["coverage", "x"], "unexpected argument"),
                               (["coverage", "--data", "x"], "expected normal"),
                               (["coverage", "--samples", "0"], "--samples"),
                               (["coverage", "--confidence", "1"], "between 0 and 1")):
        done = run_duet("study", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
