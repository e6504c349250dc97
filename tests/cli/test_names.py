"""Names and commands in every output, whatever they hold."""

import csv
import json
import random
import sqlite3

import pytest


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_names_do_not_lose_the_commands(run_duet, tmp_path, validate):
    result = run_duet("echo 1", "echo 2", "-n", "one", "-n", "two", "--name", "both",
                      "-r", "2", "--export-json", "o.json", "--export-csv", "o.csv",
                      "--export-markdown", "o.md")
    assert result.returncode == 0, result.stderr
    document = json.loads((tmp_path / "o.json").read_text())
    validate(document)
    assert [(r["command"], r["name"]) for r in document["results"]] == \
        [("echo 1", "one"), ("echo 2", "two")]
    sides = document["comparisons"][0]["sides"]
    assert [(sides[s]["command"], sides[s]["name"]) for s in ("old", "new")] == \
        [("echo 1", "one"), ("echo 2", "two")]
    row, = rows_of(tmp_path / "o.csv")
    assert (row["name"], row["old_command"], row["old_name"]) == ("both", "echo 1", "one")
    assert (row["new_command"], row["new_name"]) == ("echo 2", "two")
    markdown = (tmp_path / "o.md").read_text()
    assert markdown.startswith("| Benchmark | Command |")
    assert "| both | `two` |" in markdown


def test_markdown_without_a_name(run_duet, tmp_path):
    assert run_duet("echo 1", "echo 2", "-r", "2", "--export-markdown",
                    "o.md").returncode == 0
    assert (tmp_path / "o.md").read_text().startswith("| Command |")


@pytest.mark.parametrize("name", ["=1+2", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1"])
def test_names_are_no_formulas(run_duet, tmp_path, name):
    """But negative numbers are numbers."""
    result = run_duet("sleep 0.1", "true", "--name", name, "-n", name, "-n", "fine=1",
                      "-r", "2", "--export-csv", "o.csv", "-q")
    assert result.returncode == 0, result.stderr
    row, = rows_of(tmp_path / "o.csv")
    assert row["name"] == row["old_name"] == "'" + name
    assert row["new_name"] == "fine=1"
    assert -100 < float(row["change_pct"]) < 0


@pytest.mark.slow
def test_control_characters_stay_off_the_terminal(run_duet, tmp_path):
    """Escape sequences, bells, line breaks: in every table and list."""
    name = "red \x1b[31m bell \a line\nbreak"
    assert run_duet("true", "true # \x1b[2J", "-S", "sh", "--name", name, "-n", name,
                    "-r", "2").returncode == 0
    for arguments in (["list"], ["show"], ["show", "-q"], ["show", "-v"],
                      ["show", "1", "1"], ["show", "--export-markdown", "-"]):
        result = run_duet(*arguments)
        assert result.returncode == 0, result.stderr
        assert "red " in result.stdout
        assert not set(result.stdout) & {"\x1b", "\a"}, arguments
        assert "line\nbreak" not in result.stdout
    (tmp_path / "s.yaml").write_text('benchmarks: [{name: "red \\e[31m", command: "a \\e b"}]\n')
    result = run_duet("suite", "s.yaml", "--list")
    assert "red " in result.stdout and "\x1b" not in result.stdout, result


def test_names_of_what_is_planned_and_imported(run_duet, tmp_path):
    """Of a pilot, a data set, a machine, and the files of series, which tables show in a cell."""
    name = "red \x1b[31m bell \a tab\tand\tline\nbreak"
    (tmp_path / "s.csv").write_text("benchmark,instance,trial,value\n" + "".join(
        f"b,{i},{t},{1000 + i + v}\n" for i in range(4) for t in range(2) for v in range(3)))
    (tmp_path / "series").mkdir()
    generator = random.Random(1)
    (tmp_path / "series" / f"{name}.txt").write_text(
        "".join(f"{100 + generator.gauss(0, 1):.6f}\n" for _ in range(900)))
    assert run_duet("true", "true", "--name", name, "-r", "8").returncode == 0
    assert run_duet("import", "s.csv", "--dataset", "--name", name).returncode == 0
    assert run_duet("watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                    "--max-intervals", 2, "--replicates", 100, "--name", name).returncode == 0
    database = sqlite3.connect(tmp_path / ".duet/results.db")
    with database:
        database.execute("UPDATE environment SET host_name = ? WHERE experiment_id = 1", [name])
        database.execute("UPDATE experiment SET uuid = ? || id", [name[:30]])
        database.execute("INSERT INTO metric(name, unit, direction) SELECT ?, unit, direction FROM metric"
                         " LIMIT 1", [name])
        database.execute("UPDATE watch SET metric_id = (SELECT max(id) FROM metric)")
    database.close()
    for arguments in (["plan", "1"], ["show", "1", "-v"], ["show", "2"], ["list"],
                      ["watch", "--status", "3"],
                      ["watch", "--derive", "series", "--executions-per-hour", "20"]):
        result = run_duet(*arguments)
        assert result.returncode == 0, result.stderr
        assert "red " in result.stdout
        assert not set(result.stdout) & {"\x1b", "\a", "\t"}, arguments
        assert "line\nbreak" not in result.stdout
