"""Baselines: saved, listed, compared with, refused."""

import json
import math
import re
import signal
import sqlite3
import subprocess

import pytest


@pytest.fixture
def measured(run_duet):
    """Runs `duet run` with a few runs of programs that do nothing."""

    def run(*words):
        result = run_duet("-r", "8", "--name", "nothing", *words, "true", "true")
        assert result.returncode == 0, result.stderr
        return result

    return run


def alter(tmp_path, sql):
    with sqlite3.connect(tmp_path / ".duet/results.db") as database:
        database.execute(sql)
    database.close()


def one(tmp_path, sql):
    database = sqlite3.connect(tmp_path / ".duet/results.db")
    row = database.execute(sql).fetchone()
    database.close()
    return row[0]


def test_a_word_that_is_no_command(run_duet, measured):
    measured()
    result = run_duet("baseline", "list")
    assert result.returncode == 2
    assert "'duet baseline' alone lists baselines" in result.stderr


def test_saved_and_compared_with(run_duet, measured):
    first = measured("--save-baseline", "main")
    assert "saved as baseline 'main': 1 benchmark" in first.stderr
    second = measured("--baseline", "main")
    assert "nothing against baseline main" in second.stdout
    text = " ".join(second.stdout.split())
    assert "not paired: baseline 'main' (experiment 1) was measured apart, on 20" in text
    assert ", saved 20" in text and "what changed on the machine since" in text
    assert "Welch" in text or "each side" in text  # the method for sides measured apart
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 0 and "nothing against baseline main" in result.stdout
    assert run_duet("compare", "--baseline", "main", "last").stdout == result.stdout


def test_exports(run_duet, measured, tmp_path, validate):
    measured("--save-baseline", "main")
    measured()
    result = run_duet("compare", "--baseline", "main", "--export-json", "a.json",
                      "--confidence", "0.9")
    assert result.returncode == 0, result.stderr
    document = json.loads((tmp_path / "a.json").read_text())
    validate(document)
    (comparison,) = document["comparisons"]
    assert comparison["name"] == "nothing against baseline main"
    assert comparison["interval"]["method"] == "t"
    assert comparison["interval"]["confidence"] == 0.9
    assert comparison["schedule"] == "sequential"


def test_the_gate_is_judged(run_duet, measured, tmp_path):
    words = ["-r", "8", "--schedule", "duet", "--name", "nap", "sleep 0.02", "sleep 0.02"]
    assert run_duet("--save-baseline", "main", *words).returncode == 0
    # The baseline's new side took a thousandth of the time.
    alter(tmp_path, "UPDATE iteration SET end_ns = start_ns + (end_ns - start_ns) / 1000 WHERE side = 1")
    result = run_duet("--baseline", "main", "--max-slowdown", "900%", *words)
    assert result.returncode == 1 and "against baseline main" in result.stderr, result.stdout
    result = run_duet("compare", "--baseline", "main", "--fail-on", "slower")
    assert result.returncode == 1 and "slower" in result.stdout


def test_the_gate_is_judged_beside_an_export_to_standard_output(run_duet, tmp_path, validate):
    words = ["-r", "8", "--schedule", "duet", "--name", "nap", "sleep 0.02", "sleep 0.02"]
    assert run_duet("--save-baseline", "main", *words).returncode == 0
    alter(tmp_path, "UPDATE iteration SET end_ns = start_ns + (end_ns - start_ns) / 1000 WHERE side = 1")
    result = run_duet("--baseline", "main", "--max-slowdown", "900%", "--export-json", "-", *words)
    assert result.returncode == 1 and "against baseline main" in result.stderr, result.stderr
    document = json.loads(result.stdout)
    validate(document)
    assert [row["name"] for row in document["comparisons"]] == ["nap"]


def test_another_machine_is_refused(run_duet, measured, tmp_path):
    measured("--save-baseline", "main")
    measured()
    alter(tmp_path, "UPDATE environment SET cpu_model = 'Old CPU' WHERE experiment_id = 1")
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 5
    assert "CPU model 'Old CPU' instead of '" in result.stderr
    assert "--baseline-from any" in result.stderr
    assert run_duet("compare", "--baseline", "main", "--baseline-from", "alike").returncode == 5
    result = run_duet("compare", "--baseline", "main", "--baseline-from", "any")
    assert result.returncode == 0 and "there is no verdict" in " ".join(result.stdout.split())
    assert "unsure" in result.stdout


@pytest.mark.parametrize("column, value, words", [
    ("kernel", "2.6.32-5-amd64", "kernel '2.6.32-5-amd64' instead of"),
    ("clock_source", "hpet", "clock 'hpet' instead of"),
    ("governor", "powersave", "governor 'powersave' instead of")])
def test_kernel_clock_and_governor(run_duet, measured, tmp_path, column, value, words):
    measured("--save-baseline", "main")
    measured()
    alter(tmp_path, f"UPDATE environment SET {column} = '{value}' WHERE experiment_id = 1")
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 5 and words in result.stderr


def test_schedules_that_measure_something_else(run_duet, measured):
    measured("--save-baseline", "main")
    measured("--schedule", "timeslice")
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 2 and "measure again with --schedule duet" in result.stderr
    measured("--schedule", "sequential")
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 0
    assert "by --schedule duet, this by sequential" in " ".join(result.stdout.split())


def test_a_machine_of_the_same_kind(run_duet, measured, tmp_path):
    measured("--save-baseline", "main")
    alter(tmp_path, "INSERT INTO instance(uuid) VALUES('00000000-0000-4000-8000-000000000000')")
    alter(tmp_path, "UPDATE environment SET instance_id = (SELECT max(id) FROM instance)")
    measured()
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 5 and "--baseline-from alike" in result.stderr
    result = run_duet("compare", "--baseline", "main", "--baseline-from", "alike")
    assert result.returncode == 0 and "another machine of the same kind" in result.stdout


def test_one_for_each_cpu_model(run_duet, measured, tmp_path):
    """The nearest machine's is taken."""
    measured("--save-baseline", "main")
    alter(tmp_path, "UPDATE environment SET cpu_model = 'Old CPU'")
    measured("--save-baseline", "main")
    measured("--save-baseline", "main")  # in place of experiment 2
    listed = run_duet("baseline").stdout
    assert re.findall(r"^main +(\d+)", listed, re.MULTILINE) == ["3", "1"]
    assert "Old CPU" in listed
    measured()
    assert "(experiment 3)" in " ".join(run_duet("compare", "--baseline", "main").stdout.split())


def test_what_was_merged_is_as_old_as_it_is(run_duet, measured, tmp_path):
    """Whatever number it has here."""
    measured("--store", "other.db")
    measured("--save-baseline", "main")
    database = sqlite3.connect(tmp_path / "other.db")
    with database:
        database.execute("UPDATE experiment SET started_utc_ms = started_utc_ms - 86400000, "
                         "ended_utc_ms = ended_utc_ms - 86400000")
    database.close()
    merged = run_duet("store", "merge", "other.db", "--into", ".duet/results.db")
    assert merged.returncode == 0, merged.stderr
    assert one(tmp_path, "SELECT max(id) FROM experiment WHERE merged_utc_ms IS NOT NULL") == 2
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 2 and "nothing was measured since" in result.stderr, result
    measured()
    alter(tmp_path, "UPDATE experiment SET started_utc_ms = started_utc_ms + 1000 WHERE id = 2")
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 0, result.stderr
    assert result.stdout == run_duet("compare", "--baseline", "main", "3").stdout


def test_listed_saved_and_deleted(run_duet, measured):
    measured()
    assert "no baseline yet" in run_duet("baseline").stderr
    assert run_duet("baseline", "old", "last").returncode == 0
    assert re.search(r"^old +1 +20\d\d-\d\d-\d\d .*nothing: true$", run_duet("baseline").stdout,
                     re.MULTILINE)
    assert run_duet("baseline", "--delete", "old").returncode == 0
    result = run_duet("baseline", "--delete", "old")
    assert result.returncode == 2 and "has no baseline 'old'" in result.stderr
    assert run_duet("baseline", "old").returncode == 2
    assert run_duet("baseline", "--delete").returncode == 2
    assert run_duet("baseline", "old", "7").returncode == 2
    assert run_duet("show", "1").returncode == 0  # the experiment is still there


def test_wrong_names(run_duet, measured):
    measured("--save-baseline", "main")
    result = run_duet("compare", "--baseline", "mian")
    assert result.returncode == 2 and "there are: main" in result.stderr
    result = run_duet("-r", "2", "--baseline", "mian", "true", "true")
    assert result.returncode == 2 and "has no baseline 'mian'" in result.stderr
    assert len(run_duet("list").stdout.splitlines()) == 2  # nothing was measured
    result = run_duet("compare", "--baseline", "main", "last")
    assert result.returncode == 2 and "is the baseline 'main' itself" in result.stderr
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 2 and "nothing was measured since" in result.stderr
    run_duet("-r", "8", "--name", "other", "true", "true")
    result = run_duet("compare", "--baseline", "main", "last")
    assert result.returncode == 2 and "has no benchmark 'other', only 'nothing'" in result.stderr
    result = run_duet("-r", "2", "--store", "none", "--save-baseline", "a", "true", "true")
    assert result.returncode == 2 and "--store none" in result.stderr
    assert run_duet("-r", "2", "--save-baseline", "", "true", "true").returncode == 2
    assert run_duet("compare", "--baseline", "main", "1", "2").returncode == 2
    assert run_duet("compare", "--baseline-from", "mars", "1").returncode == 2


def test_prune_keeps_baselines(run_duet, measured, tmp_path):
    measured("--save-baseline", "main")
    measured()
    alter(tmp_path, "UPDATE experiment SET started_utc_ms = 1, ended_utc_ms = 1")
    alter(tmp_path, "UPDATE run SET started_utc_ms = 1")
    assert run_duet("prune", "--older", "1d").returncode == 0
    assert one(tmp_path, "SELECT group_concat(id) FROM experiment") == "1"
    assert run_duet("rm", "1").returncode == 0
    assert "no baseline yet" in run_duet("baseline").stderr


def test_prune_keeps_baselines_of_regions(run_duet, region_benchmark, tmp_path):
    """A region goes with the experiment that it is a part of, so that stays, too."""
    command = f"{region_benchmark} 5 5"
    assert run_duet("-q", "-r", 2, "-I", 2, command, command).returncode == 0
    assert run_duet("baseline", "main", 2).returncode == 0
    alter(tmp_path, "UPDATE experiment SET started_utc_ms = 1, ended_utc_ms = 1")
    alter(tmp_path, "UPDATE run SET started_utc_ms = 1")
    assert "nothing to remove" in run_duet("prune", "--older", "1d").stderr
    assert one(tmp_path, "SELECT group_concat(id) FROM experiment") == "1,2,3"


def test_a_suite(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("name: s\nbenchmarks:\n"
                                     "  - {name: one, old: 'true', new: 'true'}\n"
                                     "  - {name: two, old: 'true', new: 'true'}\n")
    result = run_duet("suite", "s.yaml", "-r", "8", "--save-baseline", "main")
    assert result.returncode == 0, result.stderr
    assert "saved as baseline 'main': 2 benchmarks" in result.stderr
    result = run_duet("suite", "s.yaml", "-r", "8", "--baseline", "main")
    assert result.returncode == 0, result.stderr
    assert "one against baseline main" in result.stdout
    assert "two against baseline main" in result.stdout
    result = run_duet("compare", "--baseline", "main")
    assert "one against" in result.stdout and "two against" in result.stdout


def t_p_value(statistic, degrees):
    """Two-sided, of Student's t: its density, summed up."""
    scale = math.gamma((degrees + 1) / 2) / math.gamma(degrees / 2) / math.sqrt(degrees * math.pi)
    steps = 100_000
    inside = sum((1 + (statistic * (i + 0.5) / steps) ** 2 / degrees) ** (-(degrees + 1) / 2)
                 for i in range(steps)) * statistic / steps
    return 1 - 2 * scale * inside


def test_several_benchmarks_are_judged_together(run_duet, tmp_path, validate):
    """One of three differs by so much that it would be shown alone, and not beside two others."""
    words = ["-r", 8, "--schedule", "duet", "--name", "b", "-L", "n", "1,2,3", "true {n}", "true {n}"]
    assert run_duet("--save-baseline", "main", *words).returncode == 0
    assert run_duet(*words).returncode == 0
    away = [-7, -5, -3, -1, 1, 3, 5, 7]  # with a variance of 24
    shift = 9.3
    for experiment in range(1, 7):
        for run, steps in enumerate(away):
            took = 10_000_000 + round(10_000 * (steps + (shift if experiment == 6 else 0)))
            alter(tmp_path, f"UPDATE iteration SET end_ns = start_ns + {took} WHERE side = 1 AND "
                            f"run_id = (SELECT id FROM run WHERE idx = {run} AND "
                            f"experiment_id = {experiment})")
    p_value = t_p_value(shift / math.sqrt(2 * 24 / 8), 7)
    assert 0.01 / 3 < p_value < 0.01
    alone = run_duet("compare", "--baseline", "main", "last", "--fail-on", "slower")
    assert alone.returncode == 1 and "new is slower" in alone.stdout
    result = run_duet("compare", "--baseline", "main", "--fail-on", "slower", "--export-json", "-")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    validate(document)
    (changed,) = [row for row in document["comparisons"] if row["name"].startswith("b n=3 ")]
    assert changed["interval"]["low"] > 1 and changed["verdict"] == "unsure"
    assert changed["change_p_value"] == pytest.approx(p_value, rel=1e-6)
    assert changed["family"]["size"] == 3 and changed["family"]["multiplicity"] == "holm"
    assert changed["family"]["p_adjusted"] == pytest.approx(3 * p_value, rel=1e-6)
    text = " ".join(run_duet("compare", "--baseline", "main").stdout.split())
    assert "3 benchmarks judged together by Holm's rule" in text


def test_what_was_not_measured_is_no_successor(run_duet, measured):
    """Equal programs have no times."""
    measured("--save-baseline", "main")
    measured()
    same = run_duet("--skip-identical", "--name", "nothing", "true", "true")
    assert same.returncode == 0 and "identical" in same.stdout
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 0 and "nothing against baseline main" in result.stdout, result.stderr


def test_several_are_judged_together(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("benchmarks:\n"
                                     "  - {name: one, old: 'true', new: 'true'}\n"
                                     "  - {name: two, old: 'true', new: 'true'}\n"
                                     "  - {name: three, old: 'true', new: 'true'}\n")
    assert run_duet("suite", "s.yaml", "-r", "8", "--save-baseline", "main").returncode == 0
    result = run_duet("suite", "s.yaml", "-r", "8", "--baseline", "main")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("together: 3") == 2, result.stdout  # the usual ones, too
    result = run_duet("compare", "--baseline", "main", "--export-json", "-")
    assert result.returncode == 0 and "nothing was measured" not in result.stderr, result.stderr
    rows = json.loads(result.stdout)["comparisons"]
    assert [row["family"]["size"] for row in rows] == [3, 3, 3]


def test_what_was_not_measured_since_is_told(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("benchmarks:\n  - {name: one, old: 'true', new: 'true'}\n"
                                     "  - {name: two, old: 'true', new: 'true'}\n")
    assert run_duet("suite", "s.yaml", "-r", "8", "--save-baseline", "main").returncode == 0
    assert run_duet("suite", "s.yaml", "-r", "8", "--only", "one").returncode == 0
    result = run_duet("compare", "--baseline", "main")
    assert result.returncode == 0 and "one against baseline main" in result.stdout
    assert "since baseline 'main' nothing was measured of 'two'" in result.stderr


@pytest.mark.parametrize("until, status", [("2999-12-31", 0), ("2020-01-31", 1)])
def test_an_accepted_regression_is_accepted(run_duet, tmp_path, until, status):
    """Both sides of the suite are slower than they were when the baseline was saved."""
    (tmp_path / "s.yaml").write_text(f"""benchmarks:
  - name: b
    command: sh ./bench
    runs: 8
    max-slowdown: 2%
    accept: {{limit: 100000%, reason: "checks more", until: {until}}}
""")
    (tmp_path / "bench").write_text("sleep 0.002\n")
    assert run_duet("suite", "s.yaml", "--save-baseline", "main").returncode == 0
    (tmp_path / "bench").write_text("sleep 0.1\n")
    result = run_duet("suite", "s.yaml", "--baseline", "main")
    assert result.returncode == status, result.stderr
    assert result.stderr.count("checks more") == 2
    stored = run_duet("compare", "--baseline", "main")
    assert stored.returncode == status and "checks more" in stored.stderr


def test_an_interrupted_suite_is_no_baseline(run_duet, start_duet, wait_until, tmp_path):
    """Nor does what it has finished take the place of one."""
    names = "".join(f"  - {{name: {name}, command: sleep 0.02}}\n" for name in "abcdefgh")
    (tmp_path / "s.yaml").write_text("defaults: {runs: 8}\nbenchmarks:\n" + names)
    words = ("suite", "s.yaml", "--save-baseline", "main")
    assert run_duet(*words, "--runs", "2").returncode == 0
    before = one(tmp_path, "SELECT group_concat(experiment_id) FROM baseline")
    process = start_duet(*words)
    wait_until(lambda: one(tmp_path, "SELECT count(*) FROM experiment WHERE state = 'done'") > 9)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "saved as baseline" not in errors
    assert one(tmp_path, "SELECT group_concat(experiment_id) FROM baseline") == before


# ---- git ----


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "You")
    git(tmp_path, "config", "user.email", "you@example.org")
    (tmp_path / ".gitignore").write_text(".duet/\ncache/\n")
    for i in range(3):
        (tmp_path / "bench").write_text(f"#!/bin/sh\n# {i}\n")
        (tmp_path / "bench").chmod(0o755)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", f"commit {i}")
    return tmp_path


def test_the_commits_are_kept(run_duet, project):
    result = run_duet("git", "HEAD~1", "HEAD", "-r", "4", "--", "./bench")
    assert result.returncode == 0, result.stderr
    database = sqlite3.connect(project / ".duet/results.db")
    rows = database.execute("SELECT side, repository, commit_hash, tree_hash, committed_utc_ms, subject,"
                            " changed FROM revision ORDER BY side").fetchall()
    (name,) = database.execute("SELECT benchmark FROM experiment").fetchone()
    database.close()
    assert name == "./bench"
    for row, rev in zip(rows, ("HEAD~1", "HEAD")):
        assert row[1:] == (str(project), git(project, "rev-parse", rev),
                           git(project, "rev-parse", f"{rev}^{{tree}}"),
                           1000 * int(git(project, "log", "-1", "--format=%ct", rev)),
                           git(project, "log", "-1", "--format=%s", rev), 0)
    assert "1 comparison" in run_duet("history").stdout
    assert run_duet("log", "-1").stdout.split()[0] in ("unsure", "same", "slower", "faster")


def test_uncommitted_changes_are_marked(run_duet, project):
    (project / "bench").write_text("#!/bin/sh\n# other\n")
    result = run_duet("git", "-r", "4", "--name", "b", "--", "./bench")
    assert result.returncode == 0, result.stderr
    assert one(project, "SELECT commit_hash FROM revision WHERE side = 1") == git(
        project, "rev-parse", "HEAD")
    assert one(project, "SELECT changed FROM revision WHERE side = 1") == 1
    assert "uncommitted changes are left out" in run_duet("history").stderr
    run_duet("baseline", "mine", "last")
    result = run_duet("git", "--baseline", "mine", "-r", "4", "--", "./bench")
    assert result.returncode == 2 and "uncommitted changes" in result.stderr


def test_parameters_are_part_of_the_benchmark(run_duet, project):
    result = run_duet("git", "HEAD~1", "HEAD", "-r", "4", "-L", "n", "1,2", "--", "./bench {n}")
    assert result.returncode == 0, result.stderr
    assert one(project, "SELECT group_concat(benchmark, ';') FROM experiment") == (
        "./bench {n} n=1;./bench {n} n=2")


def test_git_measures_the_baselines_commit_again(run_duet, project):
    base = git(project, "rev-parse", "HEAD~2")
    result = run_duet("git", "HEAD~2", "HEAD~2", "-r", "4", "--save-baseline", "v1", "--", "./bench")
    assert result.returncode == 0, result.stderr
    result = run_duet("git", "--baseline", "v1", "HEAD~1", "-r", "4", "--", "./bench")
    assert result.returncode == 0, result.stderr
    assert "against baseline" not in result.stdout  # it is paired
    newest = "(SELECT max(id) FROM experiment)"
    assert one(project, f"SELECT commit_hash FROM revision WHERE side = 0 AND experiment_id = {newest}") == base
    result = run_duet("git", "--baseline", "v1", "HEAD~1", "HEAD", "-r", "4", "--", "./bench")
    assert result.returncode == 2 and "--baseline is BASE" in result.stderr
    run_duet("-r", "4", "--save-baseline", "plain", "true", "true")
    result = run_duet("git", "--baseline", "plain", "-r", "4", "--", "./bench")
    assert result.returncode == 2 and "is no commit" in result.stderr
    result = run_duet("git", "--baseline", "v2", "-r", "4", "--", "./bench")
    assert result.returncode == 2 and "there are: plain, v1" in result.stderr
