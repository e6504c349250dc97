"""How much memory a measurement and an import need: bounds of docs/store.md."""

import json
import os
import random
import subprocess

import pytest

pytestmark = [pytest.mark.bare, pytest.mark.slow]  # memory of its own
MIB = 1 << 20


@pytest.fixture
def peak_bytes(duet, tmp_path):
    """Runs duet; the most memory that it had resident."""

    def run(*arguments):
        process = subprocess.Popen([*duet, *map(str, arguments)], cwd=tmp_path,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss * 1024

    return run


@pytest.mark.rotating(4)
def test_runs_need_no_memory_of_their_own(peak_bytes):
    few = peak_bytes("true", "true", "-r", 50, "--store", "a.db")
    many = peak_bytes("true", "true", "-r", 1000, "--store", "b.db")
    assert many < few + 4 * MIB


@pytest.mark.rotating(12)
@pytest.mark.parametrize("schedule", ["duet", "timeslice"])
def test_iterations_need_no_memory_of_their_own(peak_bytes, integer, schedule):
    def peak(runs, iterations, store):
        return peak_bytes(integer(400), integer(400), "-r", runs, "-I", iterations,
                          "--schedule", schedule, "--store", store)

    few = peak(2, 100, "a.db")
    many = peak(2, 30000, "b.db")
    assert many < few + 9 * MIB  # SQLite's cache, and what is kept before files are used
    assert peak(2, 90000, "c.db") < many + MIB
    assert peak(6, 30000, "d.db") < many + MIB


@pytest.mark.rotating(18)
def test_long_runs_have_the_answer_of_arrays(run_duet, integer, tmp_path):
    """`compare` has all runs in memory; `show` reads long ones from files."""
    done = run_duet(integer(400), integer(404), "-r", 8, "-I", 20000, "--store", "a.db",
                    timeout=50)
    assert done.returncode == 0, done.stderr
    answers = []
    for command in ("show", "compare"):
        done = run_duet(command, 1, "--store", "a.db", "--export-json", "out.json")
        assert done.returncode == 0, done.stderr
        answer = json.loads((tmp_path / "out.json").read_text())["comparisons"][0]
        answers.append({key: answer[key] for key in
                        ("ratio", "interval", "verdict", "runs", "iterations", "estimator",
                         "paired_width", "shuffled_width", "tail_ratio", "winsorized")})
    assert answers[0]["iterations"] == 8 * 20000
    assert answers[0] == answers[1]


@pytest.mark.rotating(5)
def test_export_is_written_piece_by_piece(peak_bytes, integer, tmp_path):
    """The document is larger than what it takes by far."""
    peak_bytes(integer(400), integer(400), "-r", 2, "-I", 50000, "--store", "a.db")
    plain = peak_bytes("show", "--store", "a.db")
    for name in ("json", "csv"):
        exported = peak_bytes("show", "--store", "a.db", f"--export-{name}", "out")
        assert exported < plain + 2 * MIB, name
        if name == "json":
            assert (tmp_path / "out").stat().st_size > 80 * MIB


def test_import_of_a_run_a_row(peak_bytes, tmp_path):
    chance = random.Random(1)
    rows = [f"r{i},{side},{chance.random() + 1:.6f}\n" for i in range(60000)
            for side in ("old", "new")]
    (tmp_path / "few.csv").write_text("run,side,value\n" + "".join(rows[:20]))
    (tmp_path / "many.csv").write_text("run,side,value\n" + "".join(rows))
    few = peak_bytes("import", "few.csv", "--store", "a.db")
    many = peak_bytes("import", "many.csv", "--store", "b.db")
    assert many < few + 10 * (tmp_path / "many.csv").stat().st_size


def write_jmh(path, numbers, histogram):
    """As JMH indents it."""
    draw = random.Random(1)
    scores = [f"{draw.gauss(1000, 50)!r}" for _ in range(numbers)]
    if histogram:
        scores = [f"[\n{28 * ' '}{score},\n{28 * ' '}3\n{24 * ' '}]" for score in scores]
    values = (",\n" + 20 * " ").join(scores)
    key = "rawDataHistogram" if histogram else "rawData"
    values = f"[{values}]" if histogram else values
    path.write_text('[{"benchmark": "a.B.c", "mode": "sample", "threads": 1, "primaryMetric": '
                    f'{{"scoreUnit": "ns/op", "{key}": [[{values}]]}}}}]')


@pytest.mark.parametrize("histogram", [False, True])
def test_jmh_takes_at_most_four_times_its_size(peak_bytes, tmp_path, histogram):
    """bench/run jmh measures it with 100 MB."""
    write_jmh(tmp_path / "few.json", 10, histogram)
    write_jmh(tmp_path / "many.json", 200000, histogram)
    few = peak_bytes("import", "few.json", "--store", "a.db")
    many = peak_bytes("import", "many.json", "--store", "b.db")
    size = (tmp_path / "many.json").stat().st_size
    assert size > 7e6
    assert many - few < 4 * size
