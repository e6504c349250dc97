"""Raw data as CSV, for Google Benchmark's and Go's tools (tests/tools asks the tools)."""

import csv
import json
import random
import subprocess

import pytest


@pytest.fixture(name="stored")
def stored_fixture(run_duet, tmp_path):
    source = random.Random(4)
    rows = ["benchmark,run,iteration,side,time_ms"]
    for name in ("a b", "=c,d"):
        for run in range(6):
            for iteration in range(3):
                noise = source.uniform(1, 1.5)
                for side, factor in (("old", 1), ("new", 1.2)):
                    rows.append(f'"{name}",{run},{iteration},{side},{noise * factor!r}')
    (tmp_path / "in.csv").write_text("\n".join(rows) + "\n")
    done = run_duet("import", "in.csv", "-q")
    assert done.stdout.split() == ["1", "2"], done.stderr
    return tmp_path


def test_raw_csv_and_back(run_duet, stored):
    assert run_duet("show", "1", "-q", "--export-raw", "raw.csv").returncode == 0
    with (stored / "raw.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36 and rows[0]["benchmark"] == "a b"
    assert {row["schedule"] for row in rows} == {"duet"}
    assert [rows[0][key] for key in ("run", "block", "side", "iteration")] == [
        "0", "0", "old", "0"]
    assert rows[0]["cpu"] == rows[0]["exit_status"] == ""
    one, other = (json.loads(run_duet(*words, "--export-json", "-").stdout)["comparisons"][0]
                  for words in (("show", "1"), ("compare", "raw.csv")))
    assert one["ratio"] == other["ratio"] and one["interval"] == other["interval"]


def test_some_rows_are_imported_as_sides(run_duet, stored):
    """--where made one data set of both sides, with the values of both in each trial."""
    assert run_duet("show", "1", "-q", "--export-raw", "raw.csv").returncode == 0
    some = "--where", "warmup=0", "--where", "filler=0"
    done = run_duet("import", "raw.csv", *some)
    assert "experiment 3 (raw.csv): pairs, 6 runs, 18 values of old, 18 of new" in done.stdout, done
    one, other = (json.loads(run_duet("show", which, "--export-json", "-").stdout)["comparisons"][0]
                  for which in ("1", "3"))
    assert one["ratio"] == other["ratio"] and one["interval"] == other["interval"]
    for words in (("--where", "side=old"), ("--dataset", *some)):
        assert "a data set of" in run_duet("import", "raw.csv", *words).stdout, words


def test_a_pipe_is_imported(duet, run_duet, stored, tmp_path):
    """It can be read once only: looking at what it holds took what was to be imported."""
    assert run_duet("show", "1", "-q", "--export-raw", "raw.csv").returncode == 0
    done = subprocess.run(["bash", "-c", 'exec "$@" <(cat raw.csv)', "-", *duet, "import", "--name", "piped"],
                          cwd=tmp_path, check=False, timeout=60, text=True, capture_output=True)
    assert "(piped): pairs, 6 runs, 18 values of old, 18 of new" in done.stdout, done


def test_of_several_benchmarks_each_has_its_name(run_duet, stored):
    done = run_duet("show", "1", "2", "-q", "--export-raw", "raw.csv", "--export-go", "a.txt",
                    "--export-gbench", "a.json")
    assert done.returncode == 0, done.stderr
    text = (stored / "a.txt").read_text().splitlines()
    assert text[1].startswith("Benchmarka_b/side=old 1 ")
    assert sum(line == "PASS" for line in text) == 12
    names = {one["name"] for one in json.loads((stored / "a.json").read_text())["benchmarks"]}
    assert names == {"a b/old", "a b/new", "=c,d/old", "=c,d/new"}
    with (stored / "raw.csv").open(newline="") as file:
        assert {row["benchmark"] for row in csv.DictReader(file)} == {"a b", "'=c,d"}
    # Both are read again, by name: old and new are benchmarks of one file there.
    for path in ("a.txt", "a.json"):
        done = run_duet("compare", path, path, "--export-json", "-")
        assert len(json.loads(done.stdout)["comparisons"]) == 4


def test_names_that_go_writes_alike(run_duet, tmp_path):
    """Two benchmarks never become one, and no name is two words."""
    for name in "a b", "a_b", "a\N{NO-BREAK SPACE}b", "a\N{IDEOGRAPHIC SPACE}b":
        assert run_duet("-q", "-r", 2, "--name", name, "true", "true").returncode == 0
    assert run_duet("show", 1, 2, 3, 4, "--export-go", "a.txt").returncode == 0
    lines = (tmp_path / "a.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.startswith("Benchmark")]
    assert all(len(line) == 4 for line in words)
    names = [name.removesuffix("/side=new") for name, *_ in words if name.endswith("=new")]
    assert sorted(names) == sorted(2 * [
        "Benchmarka_b", "Benchmarka_b_(2)", "Benchmarka_b_(3)", "Benchmarka_b_(4)"])


def test_measured_data_and_standard_output(run_duet, tmp_path):
    done = run_duet("--until", "runs=3", "-w", 1, "true", "true", "--export-raw", "-")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert {row["side"] for row in rows} == {"old", "new"}
    assert all(float(row["time_ns"]) > 0 and row["exit_status"] == "0" for row in rows)
    shown = run_duet("show", "last", "--export-raw", "-")
    assert shown.stdout == done.stdout
    again = run_duet("aa", "--until", "runs=20", "-q", "true", "--export-go", "aa.txt")
    assert again.returncode == 0, again.stderr
    assert "/side=new 1 " in (tmp_path / "aa.txt").read_text()


@pytest.mark.parametrize("option", ["--export-raw", "--export-gbench", "--export-go"])
def test_where_nothing_can_be_written(run_duet, stored, option):
    done = run_duet("show", "1", "-q", option, "nowhere/a")
    assert done.returncode != 0 and "nowhere/a" in done.stderr
    done = run_duet("show", "1", "-q", option, "-", "--export-json", "-")
    assert done.returncode == 2 and "would mix" in done.stderr.replace("\n", " ")
    assert stored.is_dir()


def test_where_it_was_measured_when_the_first_failed(run_duet, tmp_path):
    """Before it had an experiment."""
    (tmp_path / "s.yaml").write_text(
        "benchmarks:\n- {name: a, old: 'true', new: /bin/true, identical-if: nope}\n"
        "- {name: b, command: 'true', runs: 4}\n")
    result = run_duet("suite", "s.yaml", "--export-gbench", "g.json", "--export-junit", "j.xml",
                      "--export-html", "h.html", "--export-json", "x.json")
    assert result.returncode == 4, result.stderr
    context = json.loads((tmp_path / "g.json").read_text())["context"]
    assert context == json.loads((tmp_path / "x.json").read_text())["context"]
    assert context["host_name"] and context["date"] > "2026"
    assert f'timestamp="{context["date"][:-1]}"' in (tmp_path / "j.xml").read_text()
