"""duet history and duet log, over comparisons with known ratios."""

import collections
import csv
import json
import math
import pathlib
import re
import sqlite3
import subprocess
import xml.etree.ElementTree

import jsonschema
import pytest

from support.pictures import illegible

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] /
                     "docs/schema/duet-history-1.schema.json").read_text())
COMMITS = 14


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository of 14 commits and one on a side branch; its folder and the hashes."""
    folder = tmp_path_factory.mktemp("repository") / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "You")
    git(folder, "config", "user.email", "you@example.org")
    (folder / ".gitignore").write_text(".duet/\n")
    for i in range(COMMITS):
        (folder / "file").write_text(f"{i}\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"commit {i}")
    git(folder, "checkout", "-q", "-b", "side", "HEAD~3")
    git(folder, "commit", "-q", "--allow-empty", "-m", "beside")
    side = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "main")
    hashes = git(folder, "log", "--reverse", "--format=%H").split()
    return folder, [*hashes, side]


class Store:
    """Comparisons with known answers, put into a store that duet has made."""

    def __init__(self, run_duet, folder):
        assert run_duet("-r", "2", "-q", "true", "true", cwd=folder).returncode == 0
        self.path = folder / ".duet/results.db"

    def add(self, old, new, ratio, half=0.002, benchmark="./bench", verdict=None, changed=0,
            model=None, time=1_700_000_000_000):
        """half: of the interval, on the log scale; None: it is open."""
        low, high = ((ratio * math.exp(-half), ratio * math.exp(half)) if half else (None, None))
        if verdict is None:
            verdict = ("unsure" if half is None else "slower" if low > 1.005 else
                       "faster" if high < 0.995 else "same")
        with sqlite3.connect(self.path) as db:
            number = db.execute(
                "INSERT INTO experiment(uuid, name, benchmark, schedule, state, started_utc_ms, seed,"
                " warmup, plan, analysis, duet_version) SELECT hex(randomblob(16)), ?, ?, schedule,"
                " 'done', started_utc_ms, seed, warmup, plan, analysis, duet_version FROM experiment"
                " WHERE id = 1", (f"{benchmark} {old[:7]}..{new[:7]}", benchmark)).lastrowid
            db.execute("INSERT INTO environment(experiment_id, instance_id, cpu_model) SELECT ?,"
                       " instance_id, ifnull(?, cpu_model) FROM environment WHERE experiment_id = 1",
                       (number, model))
            for side, commit in enumerate((old, new)):
                db.execute("INSERT INTO side(experiment_id, side, name, command) VALUES(?, ?, ?, ?)",
                           (number, side, commit[:7], "./bench"))
                db.execute("INSERT INTO revision VALUES(?, ?, '/project', ?, 'tree', ?, ?, ?)",
                           (number, side, commit, time + int(commit[:4], 16),
                            f"subject of {commit[:4]}", changed * side))
            db.execute(
                "INSERT INTO comparison(experiment_id, created_utc_ms, metric, schedule, mode, ratio,"
                " low, high, confidence, interval_method, verdict, runs, iterations, winsorized,"
                " estimator) VALUES(?, 1, 'time', 'duet', 'command', ?, ?, ?, 0.99, 't', ?, 16, 16, 0,"
                " 'median')", (number, ratio, low, high, verdict))
        db.close()


@pytest.fixture
def project(repository, run_duet):
    """The repository with an empty store: folder, hashes, store."""
    folder, hashes = repository
    store = folder / ".duet"
    for path in store.glob("*") if store.exists() else []:
        path.unlink()
    return folder, hashes, Store(run_duet, folder)


@pytest.fixture
def chain(project):
    """Each commit against the one before it; commit 8 is 3 % slower."""
    folder, hashes, store = project
    for i in range(1, COMMITS):
        store.add(hashes[i - 1], hashes[i], 1.03 if i == 8 else 1 + 0.0005 * (i % 3 - 1))
    return folder, hashes, store


def document(run_duet, folder, *words):
    result = run_duet("history", "--export-json", "-", *words, cwd=folder)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(answer, SCHEMA)
    return answer


def test_a_chain_and_its_change(run_duet, chain):
    folder, hashes, _ = chain
    answer = document(run_duet, folder)
    (benchmark,) = answer["benchmarks"]
    assert answer["order"] == "first_parent" and benchmark["name"] == "./bench"
    assert [row["commit"] for row in benchmark["commits"]] == hashes[:COMMITS]
    assert benchmark["references"] == [hashes[0]]
    (change,) = benchmark["changes"]
    assert change["commit"] == hashes[8] and change["before"] == hashes[7]
    assert change["low"] < 1.03 < change["high"] and change["measured_beside"] is True
    last = benchmark["commits"][-1]
    assert math.isclose(last["ratio"], 1.03, rel_tol=0.003)
    # Errors add up: the root of 13.
    assert math.isclose(math.log(last["high"] / last["ratio"]), 0.002 * 13 ** 0.5, rel_tol=1e-9)


def test_the_table(run_duet, chain):
    folder, hashes, _ = chain
    result = run_duet("history", cwd=folder)
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("./bench: 14 commits, 13 comparisons, relative to ")
    assert "reference" in lines[1] and "subject of" in lines[1]
    assert "slower +3" in lines[9] and hashes[8][:7] in lines[9]
    assert "1 change:" in lines
    assert f"  {hashes[8][:7]} slower +3" in result.stdout


def test_another_reference(run_duet, chain):
    folder, hashes, _ = chain
    (benchmark,) = document(run_duet, folder, "--reference", "HEAD")["benchmarks"]
    assert benchmark["references"] == [hashes[COMMITS - 1]]
    assert math.isclose(benchmark["commits"][0]["ratio"], 1 / 1.03, rel_tol=0.003)
    assert benchmark["changes"][0]["commit"] == hashes[8]
    result = run_duet("history", "--reference", "side", cwd=folder)
    assert result.returncode == 2 and "no stored comparison has this commit" in result.stderr
    result = run_duet("history", "--reference", "nowhere", cwd=folder)
    assert result.returncode == 2 and "git knows no commit 'nowhere'" in result.stderr


def test_commits_that_were_not_measured(run_duet, project):
    """The change may be any of them: says how to find it."""
    folder, hashes, store = project
    for i in [1, 2, 3, 4, 8, 9, 10, 11]:
        store.add(hashes[0], hashes[i], 1.05 if i >= 8 else 1.0001 * (1 + 0.0001 * i))
    text = run_duet("history", cwd=folder).stdout
    assert (f"or one of the 3 commits before it, which were not measured: "
            f"duet bisect {hashes[4][:7]} {hashes[8][:7]} -- ./bench") in text


def test_a_faster_commit_is_not_searched(run_duet, project):
    """duet bisect finds slower ones."""
    folder, hashes, store = project
    for i in [1, 2, 3, 4, 8, 9, 10, 11]:
        store.add(hashes[0], hashes[i], 0.95 if i >= 8 else 1.0001 * (1 + 0.0001 * i))
    text = run_duet("history", cwd=folder).stdout
    assert "or one of the 3 commits before it, which were not measured\n" in text
    assert "duet bisect" not in text


def test_a_spike_before_a_change_is_on_neither_side(run_duet, project):
    """Beside it the change would have the other sign."""
    folder, hashes, store = project
    for i in range(1, COMMITS):
        store.add(hashes[i - 1], hashes[i], {6: 1.1, 7: 1.03 / 1.1}.get(i, 1 + 0.0005 * (i % 3 - 1)))
    text = run_duet("history", cwd=folder).stdout
    assert f"  {hashes[7][:7]} slower +3" in text
    assert ("    or a spike before it, when it began with that\n    to check it by itself: "
            f"duet git {hashes[5][:7]} {hashes[7][:7]} -- ./bench\n") in text
    (change,) = document(run_duet, folder)["benchmarks"][0]["changes"]
    assert change["before"] == hashes[5] and not change["measured_beside"]


def test_a_name_is_no_command(run_duet, project, tmp_path):
    """What is advised can be pasted, or says what to put in."""
    folder, hashes, store = project
    for i in [1, 2, 3, 4, 8, 9, 10, 11]:
        store.add(hashes[0], hashes[i], 1.05 if i >= 8 else 1.0001 * (1 + 0.0001 * i))
    for i in range(8):
        store.add(hashes[i], hashes[i + 1], 1.001, half=0.3 if i == 4 else 0.002, benchmark="two [1]")
    suite = tmp_path / "the suite.yaml"
    suite.write_text("")
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE experiment SET name = 'a job', benchmark = NULL WHERE benchmark = './bench'")
        db.execute("UPDATE experiment SET name = benchmark, benchmark = NULL WHERE benchmark = 'two [1]'")
        db.execute("INSERT INTO suite_run(id, uuid, name, path, state, started_utc_ms, seed, benchmarks,"
                   " duet_version) VALUES(1, 'u', 's', ?, 'done', 1, '1', 1, '1')", (str(suite),))
        db.execute("UPDATE experiment SET suite_run_id = 1 WHERE name = 'two [1]'")
    db.close()
    text = run_duet("history", cwd=folder).stdout
    assert f"duet bisect {hashes[4][:7]} {hashes[8][:7]} --name 'a job' -- BENCH\n" in text
    again = f"duet git {hashes[4][:7]} {hashes[5][:7]} "
    assert f"{again}--suite '{suite}' --only 'two \\[1]'\n" in text
    suite.unlink()
    assert f"{again}--name 'two [1]' -- BENCH\n" in run_duet("history", cwd=folder).stdout


def test_other_branches_only_connect(run_duet, project):
    folder, hashes, store = project
    side = hashes[-1]
    store.add(hashes[3], side, 1.1)
    store.add(side, hashes[5], 1.1)
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert [row["commit"] for row in benchmark["commits"]] == [hashes[3], hashes[5]]
    assert math.isclose(benchmark["commits"][1]["ratio"], 1.21)
    assert "1 measured commit is not on this branch" in run_duet("history", cwd=folder).stdout
    (benchmark,) = document(run_duet, folder, "--branch", "side")["benchmarks"]
    assert [row["commit"] for row in benchmark["commits"]] == [hashes[3], hashes[5], side]
    result = run_duet("history", "--branch", hashes[1], cwd=folder)
    assert result.returncode == 2 and "none of its commits was measured" in result.stderr


def test_pieces(run_duet, project):
    folder, hashes, store = project
    store.add(hashes[0], hashes[1], 1.01)
    store.add(hashes[4], hashes[5], 1.02)
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert benchmark["references"] == [hashes[0], hashes[4]]
    assert [row["piece"] for row in benchmark["commits"]] == [0, 0, 1, 1]
    text = run_duet("history", cwd=folder).stdout
    assert "2 pieces that no comparison connects" in text and "piece 2, relative to" in text
    assert "2 connected commits are too few to look for changes: it takes 6" in text


def test_a_vague_comparison_does_not_widen_what_is_behind_it(run_duet, project):
    folder, hashes, store = project
    for i in range(COMMITS - 2):
        store.add(hashes[i], hashes[i + 1], 1.001, half=0.3 if i == 5 else 0.002)
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert benchmark["comparisons"] == COMMITS - 3
    (vague,) = benchmark["vague"]
    assert (vague["old"], vague["new"]) == (hashes[5], hashes[6])
    assert benchmark["references"] == [hashes[0], hashes[6]]
    assert all(row["high"] - row["low"] < 0.02 for row in benchmark["commits"])
    text = run_duet("history", cwd=folder).stdout
    assert re.search(rf"left out, too vague to connect them: {hashes[5][:7]}\w*\.\."
                     rf"{hashes[6][:7]}\w* \[-26, \+35\]; measure it again: duet git "
                     rf"{hashes[5][:7]}\w* {hashes[6][:7]}\w* -- \./bench\n", text), text
    store.add(hashes[5], hashes[6], 1.001)  # measured again: one chain
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert benchmark["references"] == [hashes[0]] and benchmark["vague"] == []
    assert benchmark["comparisons"] == COMMITS - 1


def test_equal_programs_are_one_commit(run_duet, project):
    """They do not part the history, and count once."""
    folder, hashes, store = project
    for i in range(1, COMMITS):
        if i in (4, 7):
            store.add(hashes[i - 1], hashes[i], None, half=None, verdict="identical")
        else:
            store.add(hashes[i - 1], hashes[i], 1.03 if i == 8 else 1 + 0.0005 * (i % 3 - 1))
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert benchmark["references"] == [hashes[0]] and benchmark["comparisons"] == COMMITS - 3
    assert [row["commit"] for row in benchmark["commits"]] == [
        commit for i, commit in enumerate(hashes[:COMMITS]) if i not in (4, 7)]
    (change,) = benchmark["changes"]
    assert (change["before"], change["commit"]) == (hashes[6], hashes[8])
    text = run_duet("history", cwd=folder).stdout
    assert "2 commits have the same program as an earlier one, which stands for them" in text
    assert "duet bisect" not in text
    (benchmark,) = document(run_duet, folder, "--reference", hashes[7])["benchmarks"]
    assert benchmark["references"] == [hashes[6]]
    assert "identical" in run_duet("log", "--benchmark", "./bench", cwd=folder).stdout


def test_a_program_that_is_back(run_duet, project):
    """Between two equal ones is another: both have their places."""
    folder, hashes, store = project
    store.add(hashes[0], hashes[1], 1.2)
    store.add(hashes[1], hashes[2], 0.83)
    store.add(hashes[0], hashes[2], None, half=None, verdict="identical")
    (benchmark,) = document(run_duet, folder)["benchmarks"]
    assert [row["commit"] for row in benchmark["commits"]] == hashes[:3]
    assert math.isclose(benchmark["commits"][1]["ratio"], 1.2, rel_tol=0.01)
    assert math.isclose(benchmark["commits"][2]["ratio"], 1.0, rel_tol=1e-5)


def test_what_is_left_out_is_said(run_duet, project):
    folder, hashes, store = project
    store.add(hashes[0], hashes[1], 1.01)
    store.add(hashes[1], hashes[2], 1.5, half=None)
    store.add(hashes[1], hashes[2], 1.5, changed=1)
    store.add(hashes[1], hashes[3], 1.0, model="Another CPU")
    with sqlite3.connect(store.path) as db:
        db.execute("DELETE FROM comparison WHERE experiment_id = 1")
        db.execute("INSERT INTO revision VALUES(1, 0, NULL, 'aaaaaaa', 't', NULL, NULL, 0)")
    db.close()
    text = run_duet("history", cwd=folder).stdout
    for words in ("1 comparison is left out: too few runs for an interval",
                  "1 comparison of uncommitted changes left out",
                  "1 comparison without an answer left out", "measured on 2 CPU models"):
        assert words in text, text


def test_several_benchmarks_and_patterns(run_duet, chain):
    folder, hashes, store = chain
    store.add(hashes[0], hashes[1], 1.0, benchmark="zip fast")
    text = run_duet("history", cwd=folder).stdout
    assert "./bench: 14 commits" in text and "zip fast: 2 commits" in text
    assert "reference" not in text  # a line each, no tables
    for pattern in ("zip fast", "zip*", "fast"):
        (benchmark,) = document(run_duet, folder, pattern)["benchmarks"]
        assert benchmark["name"] == "zip fast"
    result = run_duet("history", "nothing", cwd=folder)
    assert result.returncode == 2 and "matches 'nothing'" in result.stderr
    result = run_duet("history", "--export-csv", "-", cwd=folder)
    assert result.returncode == 2 and "one benchmark" in result.stderr


def test_outside_the_repository(run_duet, chain, tmp_path):
    """By the commits' times, which here are by the first digits of the hashes."""
    _, hashes, store = chain
    answer = document(run_duet, tmp_path, "--store", store.path)
    assert answer["order"] == "time"
    order = [row["commit"] for row in answer["benchmarks"][0]["commits"]]
    assert order == sorted(hashes[:COMMITS])
    text = run_duet("history", "--store", store.path, "--reference", hashes[2][:9]).stdout
    assert "in the order of the commits' times" in text and f"relative to {hashes[2][:7]}" in text
    result = run_duet("history", "--store", store.path, "--branch", "main")
    assert result.returncode == 2
    assert "--branch main: this folder is in no git repository" in result.stderr


def test_the_reference_is_of_another_repository(run_duet, chain, tmp_path):
    """git does not know it here; it is what a hash begins with, of one commit."""
    _, hashes, store = chain
    git(tmp_path, "init", "-q")
    text = run_duet("history", "--store", store.path, "--reference", hashes[2][:9]).stdout
    assert f"relative to {hashes[2][:7]}" in text
    digit, times = collections.Counter(name[0] for name in hashes[:COMMITS]).most_common(1)[0]
    if times > 1:
        result = run_duet("history", "--store", store.path, "--reference", digit)
        assert result.returncode == 2 and f"{times} commits begin so" in result.stderr


def test_in_a_shallow_clone(run_duet, chain, tmp_path):
    """Which may lack the commits that were measured."""
    folder, _, store = chain
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{folder}", "clone")
    text = run_duet("history", "--store", store.path, cwd=tmp_path / "clone").stdout
    assert "12 measured commits are not on this branch, as far as this shallow clone knows" in text
    assert "git fetch --unshallow" in text
    assert "shallow" not in run_duet("history", cwd=folder).stdout


def test_in_a_repository_without_commits(run_duet, chain, tmp_path):
    """As outside of any."""
    _, _, store = chain
    git(tmp_path, "init", "-q")
    result = run_duet("history", "--store", store.path)
    assert result.returncode == 0, result.stderr
    assert "in the order of the commits' times" in result.stdout
    assert run_duet("history", "--store", store.path, "--branch", "HEAD").returncode == 2


def test_nothing_measured(run_duet, project):
    folder, _, _ = project
    result = run_duet("history", cwd=folder)
    assert result.returncode == 2 and "duet git BASE HEAD" in result.stderr
    assert run_duet("history", "a", "b", cwd=folder).returncode == 2
    result = run_duet("history", "--error", "0.001%", cwd=folder)
    assert result.returncode == 2 and "--replicates 999999" in result.stderr
    assert run_duet("history", "--store", "none.db").returncode == 2


def test_csv_as_otava_reads_it(run_duet, chain):
    folder, hashes, _ = chain
    result = run_duet("history", "--export-csv", "-", cwd=folder)
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["commit"] for row in rows] == hashes[:COMMITS]
    assert math.isclose(float(rows[-1]["ratio"]), 1.03, rel_tol=0.003)
    assert rows[0]["time"].startswith("2023-11-14T") and rows[0]["time"].endswith("Z")
    assert rows[0]["subject"] == f"subject of {hashes[0][:4]}"


def test_csv_of_a_commit_that_is_a_formula(run_duet, project):
    """A store may have been merged from anybody's."""
    _, hashes, store = project
    store.add(hashes[0], hashes[1], 1.0)
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE revision SET subject = '=2,3', commit_hash = '=1+1,' || commit_hash")
    db.close()
    rows = list(csv.reader(run_duet("history", "--store", store.path, "--export-csv",
                                    "-").stdout.splitlines()))
    assert len(rows) == 3 and {row[1][:6] for row in rows[1:]} == {"'=1+1,"}
    for row in rows:
        assert len(row) == 6 and not any(cell.startswith("=") for cell in row), row


def test_picture(run_duet, chain):
    folder, hashes, _ = chain
    result = run_duet("history", "--export-svg", "-", cwd=folder)
    root = xml.etree.ElementTree.fromstring(result.stdout)
    assert root.tag.endswith("svg")
    assert illegible(result.stdout) is None
    text = " ".join(root.itertext())
    assert "./bench" in text and hashes[8][:7] in text and "time of the commit since 2023-11-14" in text


def test_a_store_from_before_there_were_commits(run_duet, old_store, tmp_path):
    """What it has stays; duet history says that it knows no commits."""
    old_store(9)
    listed = run_duet("list").stdout.splitlines()
    assert len(listed) == 3 and "./bench" in listed[2]
    result = run_duet("history")
    assert result.returncode == 2 and "no comparison of two commits" in result.stderr
    assert run_duet("baseline", "main", "1").returncode == 0
    assert "main" in run_duet("baseline").stdout
    with sqlite3.connect(tmp_path / ".duet" / "results.db") as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] >= 10
    db.close()


# ---- duet log ----


def test_log_shows_verdicts(run_duet, chain):
    folder, hashes, _ = chain
    result = run_duet("log", "-7", cwd=folder)
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert len(lines) == 7
    assert lines[5].split() == ["slower", "+3.00", "%", hashes[8][:7], "commit", "8"]
    assert lines[0].split()[0] == "same"
    first = run_duet("log", "--reverse", cwd=folder).stdout.splitlines()[0]
    assert first.split() == [hashes[0][:7], "commit", "0"]  # it has no comparison


def test_log_prefers_the_commit_before(run_duet, project):
    folder, hashes, store = project
    store.add(hashes[1], hashes[2], 1.0)
    store.add(hashes[0], hashes[2], 1.2)
    store.add(hashes[0], hashes[3], 0.8)
    store.add(hashes[2], hashes[3], 1.1, benchmark="other")
    lines = run_duet("log", "--reverse", "-12", cwd=folder).stdout.splitlines()
    assert lines[0].startswith("same") and "since" not in lines[0]
    assert lines[1].startswith("slower") and "(and 1 other benchmark)" in lines[1]
    lines = run_duet("log", "--benchmark", "./b*", "--reverse", "-12",
                     cwd=folder).stdout.splitlines()
    assert lines[1].startswith("faster") and f"(since {hashes[0][:7]})" in lines[1]


def test_log_takes_the_benchmark_of_that_name(run_duet, project):
    """And not those that have it in theirs; one may look like a pattern."""
    folder, hashes, store = project
    store.add(hashes[0], hashes[1], 1.0, benchmark="zip[1]")
    store.add(hashes[0], hashes[1], 1.2, benchmark="zip[1] fast")
    store.add(hashes[0], hashes[1], 1.0, benchmark="sort")
    store.add(hashes[0], hashes[1], 1.2, benchmark="sort -r")
    for name in ("zip[1]", "sort"):
        second = run_duet("log", "--reverse", "--benchmark", name, cwd=folder).stdout.splitlines()[1]
        assert second.startswith("same ") and "other benchmark" not in second
    second = run_duet("log", "--reverse", "--benchmark", "sor", cwd=folder).stdout.splitlines()[1]
    assert second.startswith("slower ") and "(and 1 other benchmark)" in second


def test_log_has_columns_for_every_verdict(run_duet, project):
    folder, hashes, store = project
    store.add(hashes[0], hashes[1], 1.0, verdict="identical")
    store.add(hashes[1], hashes[2], 1.1)
    lines = run_duet("log", "--reverse", cwd=folder).stdout.splitlines()
    same, slower = (next(line for line in lines if f"{commit[:7]} " in line)
                    for commit in (hashes[1], hashes[2]))
    assert same.startswith("identical ") and slower.startswith("slower ")
    assert same.index(hashes[1][:7]) == slower.index(hashes[2][:7])


def test_log_passes_words_to_git(run_duet, chain):
    folder, _, _ = chain
    assert len(run_duet("log", "HEAD~3..", "--", "file", cwd=folder).stdout.splitlines()) == 3
    assert run_duet("log", "-2", "--", "nothing", cwd=folder).stdout == ""
    lines = run_duet("log", "-n", "3", "file", ".gitignore", cwd=folder).stdout.splitlines()
    assert len(lines) == 3 and lines[0].startswith("same")
    assert run_duet("log", "--graph", "-1", cwd=folder).stdout.startswith("* ")
    assert "file | 2 +-" in run_duet("log", "--stat", "-1", cwd=folder).stdout
    result = run_duet("log", "--no-such-option", cwd=folder)
    assert result.returncode == 2 and "no-such-option" in result.stderr
    result = run_duet("log", *["-1"] * 60, cwd=folder)
    assert result.returncode == 2 and "more than 50 words" in result.stderr


@pytest.mark.parametrize("words", [["--grep", "file"], ["--author", "file"], ["--oneline"],
                                   ["--format=%T"], ["--pretty"], ["-z"]])
def test_log_has_verdicts_whatever_git_is_asked_for(run_duet, chain, words):
    """file: also the name of one, which is here no path."""
    folder = chain[0]
    git(folder, "-c", "user.name=file", "commit", "-q", "--allow-empty", "-m", "of the file")
    try:
        result = run_duet("log", *words, "--", cwd=folder)
    finally:
        git(folder, "reset", "-q", "--hard", "HEAD~1")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert re.fullmatch(r" {21}[0-9a-f]{7,} of the file", lines[0])
    alone = words[0] in ("--grep", "--author")
    assert len(lines) == (1 if alone else COMMITS + 1)
    assert alone or re.match(r"(same|slower) ", lines[1])


def test_log_takes_the_parents_that_a_commit_has(run_duet, project):
    """With --graph, git tells that of the shown history."""
    folder, hashes, store = project
    git(folder, "commit", "-q", "--allow-empty", "-m", "of no file")
    (folder / "file").write_text("last\n")
    git(folder, "commit", "-q", "-a", "-m", "last")
    try:
        last = git(folder, "rev-parse", "HEAD")
        store.add(git(folder, "rev-parse", "HEAD~"), last, 1.0)
        store.add(hashes[3], last, 1.2)
        for words in (["--graph"], ["--parents"], ["--simplify-merges"], []):
            result = run_duet("log", "-1", *words, "--", "file", cwd=folder)
            assert re.fullmatch(r"(\* )?same +\S+ % +[0-9a-f]+ last\n", result.stdout), words
    finally:
        git(folder, "reset", "-q", "--hard", "HEAD~2")


def test_log_of_a_patch_with_the_marks_of_commits(run_duet, chain, tmp_path):
    """A line of a file is not taken for a commit, whatever is in it."""
    folder, hashes, store = chain
    own = tmp_path / "own"
    git(folder, "worktree", "add", "-q", "--detach", str(own))
    try:
        (own / "odd").write_text(f"\1\2x\n\1 \2y\n\1{'a' * 39}\2z\n")
        git(own, "add", "odd")
        git(own, "commit", "-q", "-m", "odd")
        result = run_duet("log", "-p", "-2", "--store", store.path, cwd=own)
    finally:
        git(folder, "worktree", "remove", "--force", str(own))
    assert result.returncode == 0 and result.stderr == "", result
    added = [line for line in result.stdout.splitlines() if line.startswith("+")]
    assert [line[-1] for line in added if "++" not in line][:3] == ["x", "y", "z"]
    assert hashes[COMMITS - 1][:7] in result.stdout


def test_log_takes_no_colours_from_git(run_duet, chain, monkeypatch):
    folder, _, _ = chain
    plain = run_duet("log", "--stat", "-2", cwd=folder)
    for name, value in (("COUNT", "1"), ("KEY_0", "color.ui"), ("VALUE_0", "always")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert run_duet("log", "--stat", "-2", cwd=folder).stdout == plain.stdout
    assert "file | 2 +-" in plain.stdout


def test_log_outside_a_repository(run_duet, chain, tmp_path):
    _, _, store = chain
    result = run_duet("log", "--store", store.path, cwd=tmp_path)
    assert result.returncode == 2 and "repository" in result.stderr


