"""duet list: a table that fits, the newest first and few of them, filters, JSON."""

import json
import pathlib
import re
import sqlite3
import time
import uuid

import jsonschema
import pytest

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/schema/duet-list-1.schema.json"
COPIES = ["""INSERT INTO experiment(id, uuid, name, schedule, state, started_utc_ms, ended_utc_ms, seed,
 warmup, plan, duet_version, analysis) SELECT :id, :uuid, :name, schedule, :state, :started, :started,
 seed, warmup, plan, duet_version, analysis FROM experiment WHERE id = 1""",
          """INSERT INTO side SELECT :id, side, :name, command, argv, setup, prepare, conclude, cleanup
 FROM side WHERE experiment_id = 1""",
          """INSERT INTO environment(id, experiment_id, instance_id) SELECT 1000 + :id, :id, instance_id
 FROM environment WHERE experiment_id = 1""",
          """INSERT INTO run SELECT 1000 + :id, 'run ' || :uuid, :id, 1000 + :id, idx, block, schedule,
 mode, started_utc_ms, started_ns, ended_ns, runner_wakeups, slice_ns FROM run
 WHERE experiment_id = 1 AND idx = 0""",
          """INSERT INTO comparison(experiment_id, created_utc_ms, metric, schedule, mode, ratio,
 interval_method, verdict, runs, iterations, winsorized, estimator, duet_version)
 SELECT :id, created_utc_ms, metric, schedule, mode, :ratio, interval_method, :verdict, runs,
 iterations, winsorized, estimator, duet_version FROM comparison WHERE experiment_id = 1"""]


@pytest.fixture
def listed(run_duet, stored):
    """A store with the given experiments behind the first, which was measured: each a dict
    of what it shall have."""

    def make(*experiments):
        assert run_duet("-q", "-r", 2, "true", "true").returncode == 0
        now = int(time.time() * 1000)
        with sqlite3.connect(stored.path) as database:
            for number, given in enumerate(experiments, 2):
                row = {"id": number, "uuid": str(uuid.uuid4()), "name": f"n{number}",
                       "state": "done", "started": now, "verdict": "unsure", "ratio": 1.01,
                       **given}
                for copy in COPIES:
                    database.execute(copy, row)
        database.close()

    return make


def ids(output):
    return [int(line.split()[0]) for line in output.splitlines()
            if re.match(r" *\d+  ", line)]


@pytest.mark.parametrize("columns, head", [
    (60, ["id", "started", "verdict", "change", "name,", "sides"]),
    (80, ["id", "started", "runs", "verdict", "change", "name,", "sides"]),
    (120, ["id", "started", "state", "runs", "verdict", "change", "name,", "sides"]),
    (160, ["id", "uuid", "started", "schedule", "state", "runs", "verdict", "change", "name,",
           "sides"])])
def test_fits_the_terminal(on_terminal, listed, columns, head):
    """However long the names, wide the characters and great the changes."""
    listed({"name": "compress --level 9 " * 6, "ratio": 3e7, "verdict": "slower"},
           {"name": "漢字" * 60, "ratio": 9.99994, "verdict": "slower"},
           {"name": "left", "state": "failed"}, {"name": "broken off", "state": "running"})
    status, output = on_terminal("list", columns=columns)
    lines = output.replace("\r\n", "\n").splitlines()
    assert status == 0 and lines[0].split() == head
    assert ids(output) == [5, 4, 3, 2, 1]
    width = {"漢": 2, "字": 2}
    for line in lines:
        assert sum(width.get(letter, 1) for letter in line) <= columns, line
    assert "…" in lines[3] and "…" in lines[4] and ">+99999 %" in lines[4]
    assert "unfinished" in lines[1]
    # -v: all of it.
    status, whole = on_terminal("list", "-v", columns=columns)
    assert status == 0 and "uuid" in whole and "compress --level 9 " * 6 in whole


def test_names_before_sides(run_duet, on_terminal):
    """What tells the lines apart is whole as long as it fits."""
    sides = ["true with many words", "true with other words"]
    for name in ("benchmark level 1", "short"):
        assert run_duet("-q", "-r", 2, "--name", name, *sides).returncode == 0
    lines = on_terminal("list", columns=60)[1].splitlines()
    assert [line.split("%  ")[-1] for line in lines[1:]] == ["short: true …r words",
                                                             "benchmark level 1"]
    lines = on_terminal("list", columns=82)[1].splitlines()
    assert lines[2].endswith("  benchmark level 1: tru…words")
    # With room enough each side is shortened by itself.
    lines = on_terminal("list", columns=120)[1].splitlines()
    assert re.search(r"  benchmark level 1: true.*…[ a-z]*words  vs  true.*…[ a-z]*words$", lines[2]), lines


def test_everything_into_a_pipe(run_duet, listed):
    listed(*[{"name": "x" * 300}] * 25)
    output = run_duet("list").stdout
    assert len(ids(output)) == 26 and "x" * 300 in output and "older" not in output


def test_a_change_that_is_rounded_to_0_has_no_sign(run_duet, listed):
    listed({"ratio": 0.99999}, {"ratio": 1}, {"ratio": 1.00001}, {"ratio": 0.9999})
    lines = run_duet("list").stdout.splitlines()[1:5]
    assert [line.split(" %")[0].split()[-1] for line in lines] == ["-0.01", "0.00", "0.00", "0.00"]


def test_the_newest_on_a_terminal(on_terminal, listed):
    listed(*[{}] * 29)
    newest = list(range(30, 10, -1))
    status, output = on_terminal("list")
    assert status == 0 and ids(output) == newest
    assert output.endswith("\r\n\r\n10 older; --all shows them\r\n")
    for words, shown in ((["--all"], list(range(30, 0, -1))), (["--limit", 25], list(range(30, 5, -1))),
                         (["--name", "n1*"], list(range(19, 9, -1)))):
        status, output = on_terminal("list", *words)
        assert status == 0 and ids(output) == shown and "older" not in output


@pytest.mark.parametrize("words, shown", [
    (["--name", "zip"], [3, 2]), (["--name", "z*"], [2]), (["--name", "*zip"], [3]),
    (["--name", "nothing"], []), (["--verdict", "slower"], [2]),
    (["--verdict", "slower,same"], [4, 2]), (["--state", "failed,unfinished"], [5, 4]),
    (["--state", "done", "--verdict", "faster"], [3]), (["--since", "36h"], [5, 4, 3, 1]),
    (["--since", "2001-09-09"], [5, 4, 3, 2, 1]), (["--since", "2099-01-01 12:30"], []),
    (["--since", "20min", "--limit", 1], [5])])
def test_filters(run_duet, listed, words, shown):
    day_ms = 86400 * 1000
    now = int(time.time() * 1000)
    listed({"name": "zip old", "verdict": "slower", "started": now - 2 * day_ms},
           {"name": "gzip", "verdict": "faster", "started": now - day_ms},
           {"name": "b", "verdict": "same", "state": "failed"},
           {"name": "c", "state": "running"})
    result = run_duet("list", *words)
    assert result.returncode == 0 and ids(result.stdout) == shown, result
    assert shown or "none of the experiments in" in result.stderr


@pytest.mark.parametrize("words, wrong", [
    (["--verdict", "slow"], ["--verdict", "slower", "unsure"]),
    (["--verdict", "slower,"], ["--verdict"]), (["--state", "running"], ["--state", "unfinished"]),
    (["--since", "yesterday"], ["--since: 'yesterday' is neither a date nor an age", "7d"]),
    (["--since", "30"], ["neither"]), (["--since", "2026-02-30"], ["no day 30"]),
    (["--limit", "0"], ["--limit"])])
def test_wrong_filters(run_duet, words, wrong):
    result = run_duet("list", *words)
    assert result.returncode == 2 and result.stdout == ""
    for word in wrong:
        assert word in result.stderr


def test_json(run_duet, on_terminal, listed, tmp_path):
    listed(*[{}] * 24, {"name": "failing", "state": "failed", "verdict": "slower", "ratio": 1.5})
    document = json.loads(run_duet("list", "--export-json", "-").stdout)
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert [each["id"] for each in document["experiments"]] == list(range(26, 0, -1))
    newest = document["experiments"][0]
    assert (newest["name"], newest["state"], newest["verdict"]) == ("failing", "failed", "slower")
    assert newest["change_pct"] == pytest.approx(50) and newest["runs"] == 1
    assert newest["old"] == {"name": "failing", "command": "true"}
    assert document["experiments"][1]["data_set"] is None
    # Into a file it is as long, and the table is still there.
    status, output = on_terminal("list", "--export-json", "list.json")
    assert status == 0 and len(ids(output)) == 20
    assert json.loads((tmp_path / "list.json").read_text()) == document
    few = json.loads(run_duet("list", "--name", "failing", "--same-within", "none",
                              "--export-json", "-").stdout)
    jsonschema.Draft202012Validator(schema).validate(few)
    assert len(few["experiments"]) == 1
    assert few["analysis_options"] == {"same-within": "none"}


def test_json_of_a_data_set(run_duet, tmp_path):
    (tmp_path / "jmh.json").write_text(json.dumps(
        [{"benchmark": "a.B", "mode": "avgt", "primaryMetric": {
            "scoreUnit": "ns/op", "rawData": [[1.5, 2.5], [3.5, 4.5]]}}]))
    assert run_duet("import", "-q", "jmh.json").returncode == 0
    document = json.loads(run_duet("list", "--export-json", "-").stdout)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    (each,) = document["experiments"]
    assert each["data_set"] == {"benchmarks": 1, "environments": 1, "trials": 2,
                                "iterations": 4, "paired": False}
    assert each["verdict"] is None and each["schedule"] is None


def test_what_is_damaged_is_named(run_duet, tmp_path):
    """It had no verdict, without a word."""
    (tmp_path / "pairs.csv").write_text("run,iteration,side,time_ns\n" + "".join(
        f"{run},0,{side},{1000 + run}\n" for run in range(4) for side in ("old", "new")))
    assert run_duet("import", "pairs.csv", "--store", "s.db").returncode == 0
    with sqlite3.connect(tmp_path / "s.db") as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'observation'")
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with (tmp_path / "s.db").open("r+b") as file:
        file.seek((root[0] - 1) * size)
        file.write(bytes(size))
    listed = run_duet("list", "--store", "s.db", "--export-json", "-")
    assert listed.returncode == 0, listed.stderr
    (row,) = json.loads(listed.stdout)["experiments"]
    assert row["runs"] == 4 and row["verdict"] is None
    assert "experiment 1 has no verdict: store 's.db' is damaged" in listed.stderr
