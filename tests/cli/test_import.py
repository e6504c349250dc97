"""duet import: other programs' data in the store."""

import json
import pathlib

import pytest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data/tools"


def test_numbers_become_an_experiment(run_duet, tmp_path, stored):
    (tmp_path / "old.txt").write_text("1.5\n1.25\n1.75\n")
    (tmp_path / "new.txt").write_text("2.5\n2.25\n")
    done = run_duet("import", "old.txt", "new.txt", "--unit", "us", "--name", "mine")
    assert done.returncode == 0, done.stderr
    assert "experiment 1 (mine): unpaired, 1 run, 3 values of old, 2 of new" \
        in done.stdout
    stored.check()
    assert stored.states() == ["done"]
    assert stored.rows("SELECT side, value FROM observations ORDER BY side, iteration") \
        == [("new", 2500.0), ("new", 2250.0),
            ("old", 1500.0), ("old", 1250.0), ("old", 1750.0)]
    assert stored.one("SELECT count(*) FROM iteration") == 0


@pytest.mark.slow
def test_list_and_show_know_it(run_duet, tmp_path):
    rows = ["run,iteration,side,time_ns"] + [
        f"{run},{i},{side},{1000 + 7 * run + i + (20 if side == 'new' else 0)}"
        for run in range(16) for i in range(3) for side in ("old", "new")]
    (tmp_path / "pairs.csv").write_text("\n".join(rows))
    assert run_duet("import", "pairs.csv", "--seed", "9").returncode == 0
    listed = run_duet("list")
    assert "pairs.csv" in listed.stdout and "duet" in listed.stdout
    shown = run_duet("show")
    assert "\n\nexperiment 1, duet schedule, imported\nold:" in shown.stdout
    assert "\nseed: 9\n" in run_duet("show", "-v").stdout
    assert "slower" in shown.stdout and "16 runs, 48 iterations a side" in shown.stdout
    document = json.loads(run_duet("show", "--export-json", "-").stdout)
    assert document["context"]["host_name"] is None
    (experiment,) = document["experiments"]
    first = experiment["runs"][0]
    assert first["block"] == 0 and experiment["runs"][3]["block"] == 1
    assert first["iterations"][0]["old_ns"] == 1000
    assert first["iterations"][0]["new_ns"] == 1020
    assert first["iterations"][0]["old"]["user_ns"] is None
    compared = json.loads(run_duet("compare", "pairs.csv", "--seed", 9,
                                   "--export-json", "-").stdout)
    assert compared["comparisons"][0]["interval"] == \
        document["comparisons"][0]["interval"]


def test_show_of_data_without_runs(run_duet, tmp_path):
    (tmp_path / "a").write_text("".join(f"{1 + i / 100}\n" for i in range(20)))
    (tmp_path / "b").write_text("".join(f"{2 + i / 100}\n" for i in range(20)))
    assert run_duet("import", "a", "b", "-q").stdout == "1\n"
    comparison = json.loads(
        run_duet("show", "1", "--export-json", "-").stdout)["comparisons"][0]
    assert comparison["interval"]["low"] is not None
    assert comparison["verdict"] == "slower"


def test_another_store(run_duet, tmp_path):
    (tmp_path / "a").write_text("1\n2\n")
    (tmp_path / "b").write_text("3\n4\n")
    assert run_duet("import", "a", "b", "--store", "other.db").returncode == 0
    assert (tmp_path / "other.db").exists()
    assert not (tmp_path / ".duet").exists()


def test_nothing_is_stored_of_a_bad_file(run_duet, tmp_path):
    (tmp_path / "a").write_text("1\nx\n")
    done = run_duet("import", "a", "a")
    assert done.returncode == 2
    assert "a:2:1: 'x' is not a number" in done.stderr
    assert not (tmp_path / ".duet").exists()


def test_wrong_usage(run_duet, tmp_path):
    (tmp_path / "a").write_text("1\n")
    assert "nothing to import" in run_duet("import").stderr
    assert "unexpected file 'a'" in run_duet("import", "a", "a", "a").stderr
    assert "name the other side's file" in run_duet("import", "a").stderr
    assert run_duet("import", "missing", "a").returncode == 2


@pytest.mark.parametrize("content", ["", "\n \n", "# of no run\n"])
def test_a_file_without_values(run_duet, tmp_path, content):
    """It lacks more than the other side."""
    (tmp_path / "a").write_text(content)
    for words in (["a"], ["a", "a"]):
        result = run_duet("import", *words)
        assert result.returncode == 2 and "'a' holds no number" in result.stderr, result


def test_two_commands_of_hyperfine_are_the_sides_of_a_comparison(run_duet, tmp_path):
    (tmp_path / "h.json").write_text(json.dumps({"results": [
        {"command": "./old", "times": [1.0, 2.0, 3.0]},
        {"command": "./new", "times": [1.1, 2.0, 3.0]}]}))
    done = run_duet("import", "h.json")
    assert done.returncode == 0 and "3 values of old, 3 of new" in done.stdout, done
    done = run_duet("import", "--dataset", "h.json")
    assert done.returncode == 0 and "a data set of 2 benchmarks" in done.stdout, done


@pytest.mark.parametrize("name", ["go.txt", "jmh.json", "gbench.json", "pyperf.json"])
def test_two_files_of_a_tool_are_two_sides(run_duet, stored, name):
    """As `duet compare` takes them, and never one data set of two versions."""
    done = run_duet("import", "-q", DATA / name, DATA / name)
    assert done.returncode == 0, done
    compared = run_duet("compare", DATA / name, DATA / name, "--export-json", "-")
    comparisons = json.loads(compared.stdout)["comparisons"]
    assert len(done.stdout.split()) == len(comparisons) > 0
    assert stored.one("SELECT count(*) FROM dataset") == 0
    shown = json.loads(run_duet("show", *done.stdout.split(), "--export-json", "-").stdout)
    keys = "name", "ratio", "interval", "verdict", "family", "sides"
    assert [[row[key] for key in keys] for row in shown["comparisons"]] == \
        [[row[key] for key in keys] for row in comparisons]
    alone = run_duet("import", DATA / name)
    assert alone.returncode == 0 and "a data set of" in alone.stdout


def write_gbench(path, times):
    path.write_text(json.dumps({"context": {}, "benchmarks": [
        {"name": name, "run_name": name, "run_type": "iteration", "iterations": 1,
         "real_time": time * (1 + i / 1000), "cpu_time": 1, "time_unit": "ns"}
        for name, time in times.items() for i in range(20)]}))


def test_values_of_one_process_stay_such(run_duet, tmp_path):
    """One file a side is one process a side: nothing is known of others."""
    write_gbench(tmp_path / "old.json", {"a": 100})
    write_gbench(tmp_path / "new.json", {"a": 150})
    assert run_duet("import", "-q", "old.json", "new.json").stdout == "1\n"
    for words in (("compare", "old.json", "new.json"), ("show", 1), ("compare", 1)):
        (row,) = json.loads(run_duet(*words, "--export-json", "-").stdout)["comparisons"]
        assert row["verdict"] == "unsure" and row["interval"]["unit"] == "runs", words


def test_benchmarks_of_a_file_are_judged_together(run_duet, tmp_path):
    """duet gate asks about all of them, not the last one alone."""
    for i in range(6):
        write_gbench(tmp_path / f"old{i}.json", {"a": 100 + i / 10, "b": 100 + i / 10})
        write_gbench(tmp_path / f"new{i}.json", {"a": 150 + i / 10, "b": 100 + i / 10})
    files = [word for side in ("old", "new")
             for word in (f"--{side}", *(f"{side}{i}.json" for i in range(6)))]
    compared = run_duet("compare", "--fail-on", "slower", *files)
    assert compared.returncode == 1, compared
    assert run_duet("import", "-q", *files).stdout == "1\n2\n"
    done = run_duet("gate")
    assert done.returncode == 1 and "a is slower" in done.stderr, done
    assert "judged together" in run_duet("show", 1, 2).stdout
