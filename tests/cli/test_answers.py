"""The answer: verdicts and exit statuses, stored experiments, exports."""

import csv
import io
import json
import sqlite3
import subprocess

import pytest

SCHEDULES = ["duet", "interleaved", "sequential", "timeslice"]
# Clearly different however busy the machine is; three blocks of runs and 90 % confidence
# are enough to say so.
SHORT, LONG = "sleep 0.01", "sleep 0.1"
CLEARLY = ["-r", "6", "--confidence", "0.9"]


def strict(text):
    """JSON without the NaN and Infinity that Python would take."""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="session")
def slowdown(duet, tmp_path_factory):
    """A folder whose store has one experiment: new takes three times as long."""
    folder = tmp_path_factory.mktemp("slowdown")
    subprocess.run([*duet, SHORT, LONG, *CLEARLY, "--name", "naps", "-n", "short", "-n",
                    "long", "--seed", "42"], cwd=folder, check=True, capture_output=True,
                   timeout=60)
    return folder


@pytest.mark.slow
def test_slower(run_duet, slowdown):
    result = run_duet("show", "--confidence", "0.9", cwd=slowdown)
    assert result.returncode == 0, result.stderr
    assert "slower" in result.stdout and "naps" in result.stdout
    assert "6 runs" in result.stdout and "duet schedule, command mode" in result.stdout


@pytest.mark.parametrize("arguments, status", [
    ([], 0),
    (["--fail-on", "slower"], 1),
    (["--fail-on", "faster"], 0),
    (["--fail-on", "unsure"], 0),
    (["--fail-on", "faster,slower,unsure"], 1),
    (["--max-slowdown", "2%"], 1),
    (["--max-slowdown", "10000%"], 0),
    (["--max-slowdown", "10000%", "--fail-on", "slower"], 1),
    (["--max-slowdown", "2%", "--fail-on", "unsure"], 1),
])
@pytest.mark.slow
def test_exit_status_when_slower(run_duet, arguments, status):
    result = run_duet(SHORT, LONG, *CLEARLY, "--store", "none", *arguments)
    assert result.returncode == status, result
    assert "slower" in result.stdout


@pytest.mark.parametrize("arguments, status", [
    (["--fail-on", "slower"], 0), (["--fail-on", "faster"], 1),
    (["--max-slowdown", "0"], 0)])
def test_exit_status_when_faster(run_duet, arguments, status):
    result = run_duet(LONG, SHORT, *CLEARLY, "--store", "none", *arguments)
    assert result.returncode == status, result
    assert "faster" in result.stdout


@pytest.mark.parametrize("arguments, status", [
    (["--fail-on", "slower"], 0), (["--fail-on", "unsure"], 3),
    (["--max-slowdown", "1%"], 0), (["--max-slowdown", "1%", "--fail-on", "unsure"], 3)])
def test_exit_status_when_unsure(run_duet, arguments, status):
    """Two runs are one block: no interval."""
    result = run_duet("true", "true", "-r", 2, "--store", "none", *arguments)
    assert result.returncode == status, result
    assert "unsure" in result.stdout
    assert "unsure (too few runs)" in result.stdout


@pytest.mark.slow
def test_failure_goes_before_unsure(run_duet, program, tmp_path):
    """Of several comparisons. Programs that only compute, so that a busy machine changes
    little; the first pair's ratio turns round from block to block."""
    loop = "i=0; while [ $i -lt $n ]; do i=$((i + 1)); done\n"
    old = program("old", f"n=20000; {loop}")
    new = program("new", f"""n=200000
        if [ $1 = 1 ]; then
            echo >>{tmp_path}/launches
            n=4000; [ $((($(wc -l <{tmp_path}/launches) - 1) / 2 % 2)) = 0 ] || n=100000
        fi
        {loop}""")
    result = run_duet(old, f"{new} {{x}}", *CLEARLY, "-L", "x", "1,2", "--store",
                      "none", "--fail-on", "slower,unsure")
    assert "x=1 is unsure" in result.stderr and "x=2 is slower" in result.stderr, result
    assert result.returncode == 1, result


def test_same(run_duet):
    result = run_duet(SHORT, SHORT, *CLEARLY, "--store", "none", "--same-within", "900%",
                      "--fail-on", "slower,faster,unsure")
    assert result.returncode == 0
    assert "no difference above 900 %" in result.stdout


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("mode", ["command", "harness"])
def test_json_of_every_schedule_and_mode(run_duet, odd_benchmark, validate, tmp_path,
                                         stored, schedule, mode):
    command = "true" if mode == "command" else odd_benchmark
    result = run_duet(command, command, "-r", 4, "-I", 3, "--schedule", schedule, "-w", 1,
                      "--export-json", "out.json", "--seed", 9)
    assert result.returncode == 0, result.stderr
    document = strict((tmp_path / "out.json").read_text())
    validate(document)
    (experiment,) = document["experiments"]
    (comparison,) = document["comparisons"]
    old, new = document["results"]
    assert experiment["schedule"] == comparison["schedule"] == schedule
    assert comparison["mode"] == mode
    assert comparison["metric"] == ("cpu_time" if schedule == "timeslice" else "time")
    assert document["context"]["seed"] == 9
    analysed = 12 if mode == "command" else 8
    assert len(old["times"]) == len(new["times"]) == analysed
    assert stored.rows("SELECT side, count(*) FROM iterations WHERE warmup = 0 GROUP BY side") == \
        [("new", analysed), ("old", analysed)]
    assert stored.one("SELECT count(*) FROM pairs WHERE warmup = 0") == \
        (analysed if schedule in ("duet", "timeslice") else 0)
    if schedule in ("duet", "timeslice"):
        assert len(experiment["runs"]) == 4
        assert [len(run["iterations"]) for run in experiment["runs"]] == [3] * 4
    else:
        assert len(experiment["sides"]["old"]) == len(experiment["sides"]["new"]) == 12


def test_json_of_several_comparisons(run_duet, validate):
    result = run_duet("true {x}", "true", "-r", 4, "-L", "x", "1,2", "--export-json", "-")
    assert result.returncode == 0, result.stderr
    document = strict(result.stdout)
    validate(document)
    assert len(document["comparisons"]) == len(document["experiments"]) == 2
    assert [one["parameters"] for one in document["results"]][0] in ({}, {"x": "1"})


@pytest.mark.parametrize("times,advised", [
    ("45000000, end_ns = start_ns + 50000000 + 1000000 * ((run_id * 7 + side * 3) % 11)", True),
    ("15000000, end_ns = start_ns + 50000000 + 1000000 * ((run_id * 7 + side * 3) % 11)", False),
    ("45000000, end_ns = start_ns + 50000000 + 10000 * ((run_id * 7 + side * 3) % 11)", False),
    ("45000000, end_ns = start_ns + 50000000 + 10000000 * side", False),
])
@pytest.mark.slow
def test_one_cpu_is_advised(run_duet, stored, times, advised):
    """Where the sides compute, and the answer is unsure because times scatter."""
    assert run_duet("true", "true", "-r", 16).returncode == 0
    with sqlite3.connect(stored.path) as connection:
        connection.execute(f"UPDATE iteration SET taken_ns = 0, cpu_ns = {times}")
    connection.close()
    shown = " ".join(run_duet("show", "last").stdout.split())
    assert ("--schedule timeslice" in shown) == advised, shown


def test_json_of_too_few_runs(run_duet, validate):
    result = run_duet("true", "true", "-r", 1, "--export-json", "-")
    document = strict(result.stdout)
    validate(document)
    assert document["comparisons"][0]["interval"]["low"] is None
    assert document["comparisons"][0]["verdict"] == "unsure"


def test_json_of_text_that_is_not_utf8(duet, validate, tmp_path):
    result = subprocess.run([*duet, b"true '\xff\"\\\n'", "true", "-r", "2",
                             "--export-json", "-"], cwd=tmp_path, check=False,
                            capture_output=True, timeout=30)
    assert result.returncode == 0, result.stderr
    validate(strict(result.stdout.decode()))


def test_csv(run_duet, slowdown):
    result = run_duet("show", "--export-csv", "-", "--confidence", "0.9", cwd=slowdown)
    assert result.returncode == 0, result.stderr
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row["name"] == "naps" and row["verdict"] == "slower" and row["runs"] == "6"
    assert 1 < float(row["low"]) < float(row["ratio"]) < float(row["high"])


def test_markdown(run_duet, slowdown):
    result = run_duet("show", "--export-markdown", "-", "--confidence", "0.9",
                      cwd=slowdown)
    assert result.returncode == 0, result.stderr
    table = [line for line in result.stdout.splitlines() if line.startswith("|")]
    assert len(table) == 4 and len({line.count("|") for line in table}) == 1
    assert "short" in table[2] and "long" in table[3] and "slower" in table[3]


def test_several_exports_at_once(run_duet, slowdown, tmp_path):
    result = run_duet("show", "--export-csv", tmp_path / "a", "--export-markdown",
                      tmp_path / "b", "--export-json", tmp_path / "c", "--confidence",
                      "0.9", cwd=slowdown)
    assert result.returncode == 0 and "slower" in result.stdout
    assert "experiment 1" in result.stdout
    assert all((tmp_path / name).stat().st_size > 0 for name in "abc")


@pytest.mark.parametrize("option", ["--export-json", "--export-csv", "--export-markdown"])
def test_export_cannot_be_written(run_duet, stored, option):
    """The measurement is not lost with it."""
    result = run_duet("true", "true", "-r", 2, option, "/dev/full")
    assert result.returncode == 5, result
    assert "/dev/full" in result.stderr
    assert stored.runs() == 2


@pytest.mark.parametrize("option", ["--export-json", "--export-csv", "--export-markdown"])
@pytest.mark.parametrize("path", [".", "no-such-folder/file"])
def test_export_into_no_file(run_duet, tmp_path, option, path):
    """Seen before anything is measured."""
    result = run_duet("true", "true", "-r", 2, option, path)
    assert result.returncode == 5, result
    assert f"'{path}'" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_seed_decides_the_analysis(run_duet, slowdown):
    """Shown again it is the same to the last digit."""
    def comparisons(*arguments):
        result = run_duet("show", "--export-json", "-", "--interval", "percentile",
                          *arguments, cwd=slowdown)
        return strict(result.stdout)["comparisons"]
    assert comparisons() == comparisons()
    assert comparisons() != comparisons("--confidence", "0.8")


@pytest.mark.slow
def test_list_and_show(run_duet, stored):
    for name in ("first", "second", "first"):
        assert run_duet("true", "true", "-r", 2, "--name", name).returncode == 0
    lines = run_duet("list").stdout.splitlines()
    assert lines[0].split() == ["id", "uuid", "started", "schedule", "state", "runs",
                                "verdict", "change", "name,", "sides"]
    assert [line.split()[0] for line in lines[1:]] == ["3", "2", "1"]
    assert {line.split()[7] for line in lines[1:]} == {"unsure"}
    assert [line.split()[10] for line in lines[1:]] == ["first:", "second:", "first:"]
    assert len(run_duet("list", "--limit", 1).stdout.splitlines()) == 2
    uuid = stored.one("SELECT uuid FROM experiment WHERE id = 2")
    for which, shown in [("2", 2), (uuid, 2), (uuid[:8], 2), ("second", 2), ("first", 3),
                         ("last", 3), (None, 3)]:
        result = run_duet("show", *([] if which is None else [which]))
        assert result.returncode == 0, result.stderr
        assert f"\n\nexperiment {shown}, " in result.stdout


@pytest.mark.parametrize("which", ["7", "0", "-1", "nothing", "abcdef01", ""])
def test_show_of_what_is_not_there(run_duet, slowdown, which):
    result = run_duet("show", "--", which, cwd=slowdown)
    assert result.returncode == 2 and "duet list" in result.stderr, result.stderr
    assert result.stdout == ""


def test_show_after_nothing_was_measured(run_duet):
    for command in ("list", "show"):
        result = run_duet(command)
        assert result.returncode == 2, result
        assert ".duet/results.db" in result.stderr


@pytest.mark.parametrize("interval", ["t", "percentile", "signflip"])
@pytest.mark.parametrize("estimator", ["geomean", "trimmed", "median"])
def test_show_with_other_methods(run_duet, slowdown, interval, estimator):
    """Exact sign flips need more blocks: then there is no interval."""
    result = run_duet("show", "--interval", interval, "--estimator", estimator,
                      "--confidence", "0.9", "--export-json", "-", cwd=slowdown)
    assert result.returncode == 0, result.stderr
    (comparison,) = strict(result.stdout)["comparisons"]
    found = comparison["interval"]
    assert (comparison["estimator"], found["method"]) == (estimator, interval)
    assert found["confidence"] == 0.9
    if interval == "signflip":
        assert found["low"] is None and found["high"] is None
    else:
        assert 1 < found["low"] < comparison["ratio"] < found["high"]


def test_show_of_a_failed_experiment(run_duet):
    assert run_duet("true", "false", "-r", 2).returncode == 4
    result = run_duet("show", "1")
    assert "it ended early: new ('false') in run 1" in result.stdout
    assert "failed" in run_duet("list").stdout


def test_show_json_is_that_of_the_run(run_duet, validate, tmp_path):
    assert run_duet("true", "true", "-r", 6, "--export-json", "a.json").returncode == 0
    assert run_duet("show", "--export-json", "b.json").returncode == 0
    first, second = (strict((tmp_path / name).read_text()) for name in ("a.json",
                                                                        "b.json"))
    validate(second)
    assert first == second
