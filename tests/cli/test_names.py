"""Names and commands in every output, whatever they hold."""

import csv
import json

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
