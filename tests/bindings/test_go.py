"""bindings/go beside package testing: alone under `go test`, and beside another test binary."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

GO = pathlib.Path(__file__).resolve().parents[2] / "bindings/go"


def go(*words, **environment):
    done = subprocess.run(["go", *map(str, words)], cwd=GO, check=False, text=True, timeout=300,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", name="binary")
def fixture_binary(tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("no go: this binding is not tested")
    path = tmp_path_factory.mktemp("go") / "sum.test"
    go("test", "-c", "-o", path, "./example")
    return path


def command(binary, pattern="Sum", count=1000):
    return (f"env SUM_COUNT={count} {binary} -test.run=NONE -test.bench={pattern} "
            "-test.benchtime=1x")


def test_it_is_formatted_and_vetted(binary):
    assert binary.exists()
    assert subprocess.run(["gofmt", "-l", GO], capture_output=True, text=True,
                          check=True).stdout == ""
    go("vet", "./...")


def test_alone_it_is_b_loop(binary):
    shown = go("test", "-run=NONE", "-bench=.", "-benchtime=20x", "./example")
    assert re.search(r"BenchmarkSum\S*\s+20\s+[\d.]+ ns/op", shown), shown


def test_two_test_binaries(binary, run_duet, stored, tmp_path):
    """Batches of calls, compared by time per call; three times the work is found."""
    out = tmp_path / "out.json"
    done = run_duet(command(binary), command(binary, count=3000), "-r", 4, "-I", 30,
                    "--export-json", out)
    assert done.returncode == 0, done.stderr
    assert "typical operation" in done.stdout
    (row,) = json.loads(out.read_text())["comparisons"]
    assert 2 < row["ratio"] < 4, row["ratio"]
    rows = stored.rows("SELECT side, min(operations), max(operations) FROM iteration GROUP BY 1")
    assert all(low > 1 for _, low, _ in rows), rows
    # The framework asks again with a larger b.N, unless -benchtime=1x says that it must not.
    again = [side.replace("1x", "20ms") for side in (command(binary), command(binary))]
    done = run_duet(*again, "-r", 2, "-I", 5)
    assert done.returncode == 0, done.stderr


def test_what_is_done_while_the_timer_is_stopped(binary, run_duet, tmp_path, stored):
    """It takes ten times as long: with it the sides would differ by a fifth."""
    out = tmp_path / "out.json"
    sides = [command(binary, "Prepared", count) for count in (100000, 300000)]
    done = run_duet(*sides, "-I", 20, "--until", "decided,time=3s", "--export-json", out)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    # Other programs may lengthen one side's few milliseconds, which the interval knows.
    assert 2 < row["ratio"] and (row["interval"]["low"] or 0) < 4, row  # None: no lower bound
    assert len(stored.rows("SELECT DISTINCT schedule FROM run")) == 1
    shown = go("test", "-run=NONE", "-bench=Prepared", "-benchtime=5x", "./example", SUM_COUNT="1000")
    assert float(re.search(r"([\d.]+) ns/op", shown)[1]) < 100000, shown


def test_a_benchmark_that_is_not_there(binary, run_duet):
    """The start of the two programs is compared, which says nothing about the code."""
    done = run_duet(command(binary, "Smu"), command(binary, "Smu"), "-r", 2, "-I", 2)
    assert done.returncode == 0 and "takes part, so its start is compared" in done.stderr, done.stderr


def test_one_benchmark_of_a_process(binary, run_duet):
    done = run_duet(command(binary, "."), command(binary), "-r", 2, "-I", 5)
    assert done.returncode == 4
    assert "one benchmark of a process" in done.stderr
    assert "-test.bench='^BenchmarkTwice$'" in done.stderr
