"""duet bisect in small repositories with a known slow commit."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/duet-bisect-1.schema.json").read_text())


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture
def history(tmp_path, duet, monkeypatch):
    """Makes a repository: a commit for each number of operations, tagged c0, c1, ...
    0 stands for one that does not build, -1 for one whose benchmark fails, -2 for one
    without a benchmark, and -3 for one whose benchmark hangs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "duet").symlink_to(duet[-1])
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(*operations):
        folder = tmp_path / "project"
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        git(folder, "config", "user.name", "You")
        git(folder, "config", "user.email", "you@example.org")
        for number, count in enumerate(operations):
            run = {-1: "exit 7", -3: "exec sleep 60"}.get(
                count, f"exec duet workload integer --operations {count}")
            (folder / "bench").write_text(f"#!/bin/sh\n# {number}\n{run}\n")
            (folder / "bench").chmod(0o755)
            if count == -2:
                (folder / "bench").unlink()
            (folder / "build").write_text(f"#!/bin/sh\nexit {1 if count == 0 else 0}\n")
            (folder / "build").chmod(0o755)
            git(folder, "add", ".")
            git(folder, "commit", "-q", "-m", f"number {number}")
            git(folder, "tag", f"c{number}")
        return folder

    return make


def add(folder, name, bench):
    """A commit with that benchmark and tag."""
    (folder / "bench").write_text(f"#!/bin/sh\n# {name}\n{bench}\n")
    git(folder, "commit", "-q", "-a", "-m", name)
    git(folder, "tag", name)


def bisect(run_duet, folder, *words, **options):
    return run_duet("bisect", *words, "--build", "./build", "--export-json", "b.json",
                    "--time-budget", "90s", "--", "./bench", cwd=folder, timeout=150, **options)


def document_of(folder):
    document = json.loads((folder / "b.json").read_text())
    jsonschema.validate(document, SCHEMA)
    return document


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_it_finds_the_slow_commit(run_duet, history, tmp_path):
    folder = history(*[40000] * 6, *[80000] * 5)
    before = (git(folder, "status", "--porcelain"), git(folder, "worktree", "list"))
    # With 1 % of errors allowed, this test alone would fail now and then.
    result = bisect(run_duet, folder, "c0", "--confidence", "0.999")
    assert result.returncode == 0, (result.stdout, result.stderr)
    head, commit, whole, how = result.stdout.splitlines()
    label = git(folder, "rev-parse", "--short", "c6")
    assert head.startswith(f"first slow commit: {label}, +")
    assert re.fullmatch(rf"  {label}  \d{{4}}-\d\d-\d\d  number 6 \(You\)", commit)
    assert "..".join(git(folder, "rev-parse", "--short", name) for name in ("c0", "c10")) in whole
    assert re.search(r"^  99\.9 % confidence; [3-8] builds, \d+ blocks, ", how)
    assert re.search(r"; looked for a step of \+[0-9.]+ % or more$", how, re.M)
    assert "measuring" in result.stderr and "to go" in result.stderr
    document = document_of(folder)
    assert document["outcome"] == "found" and document["candidates"] == 1
    assert document["first_slow_commit"] == git(folder, "rev-parse", "c6")
    assert [c["subject"] for c in document["commits"]] == [f"number {i}" for i in range(11)]
    assert document["step"]["verdict"] == "slower"
    os.remove(folder / "b.json")
    after = (git(folder, "status", "--porcelain", "--untracked-files=no"),
             git(folder, "worktree", "list"))
    assert after == before
    # What was measured is not kept beyond the answer, the comparisons are.
    assert not list(tmp_path.glob("cache/**/.bisect-*"))
    kept = json.loads(run_duet("list", "--export-json", "-", cwd=folder).stdout)["experiments"]
    # By one schedule: beside load elapsed time and CPU time are not slower by the same.
    assert len(kept) == 2 and len({experiment["schedule"] for experiment in kept}) == 1


@pytest.mark.rotating(5)
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_does_not_build_is_left_out(run_duet, history):
    folder = history(40000, 40000, 0, -1, 80000, 80000)
    result = bisect(run_duet, folder, "c0", "c5")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("first slow commit: one of 3, ")
    assert result.stderr.count("is left out: ") == 2 and "exit status 7" in result.stderr
    document = document_of(folder)
    assert document["outcome"] == "group" and document["first_slow_commit"] is None
    assert [c["measurable"] for c in document["commits"]] == [True, True, False, False, True, True]
    assert [c["probability"] > 0 for c in document["commits"]] == [False, False, True, True, True,
                                                                   False]


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_good_is_not_measured_twice_at_once(run_duet, history):
    """It is looked at when a commit fails. In its folder one benchmark works at a time."""
    folder = history(40000)
    alone = "exec 9>busy; flock -n 9 || exit 9; duet workload integer --operations {}"
    add(folder, "good", alone.format(40000))
    add(folder, "fails", "exit 7")
    add(folder, "bad", alone.format(80000))
    result = bisect(run_duet, folder, "good", "bad")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("first slow commit: one of 2, ")
    assert result.stderr.count("is left out: ") == 1 and "exit status 7" in result.stderr


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_hangs_or_is_not_there_is_left_out(run_duet, history):
    folder = history(40000, 40000, -2, -3, 80000, 80000)
    result = bisect(run_duet, folder, "c0", "c5", "--timeout", "5s", "--resume")
    assert "nothing is kept of a search with these commits and options" in result.stderr
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("first slow commit: one of 3, ")
    assert result.stderr.count("is left out: ") == 2
    assert "command not found: '" in result.stderr and "/bench'" in result.stderr
    assert "the time limit of 5 s (--timeout)" in result.stderr
    assert [c["measurable"] for c in document_of(folder)["commits"]] == [
        True, True, False, False, True, True]


@pytest.mark.rotating(7)
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_without_a_slowdown_there_is_nothing_to_find(run_duet, history, tmp_path):
    folder = history(80000, 80000, 40000)
    result = bisect(run_duet, folder, "c0")
    assert result.returncode == 3, result.stderr
    assert result.stdout.startswith("not slower: there is no commit to look for\n")
    assert document_of(folder)["outcome"] == "not_slower"
    stale = next(iter((tmp_path / "cache/duet/git").glob("*"))) / ".bisect-0"
    stale.write_text("of a search that nobody went on with\n")
    os.utime(stale, (0, 0))
    assert bisect(run_duet, folder, "c0", "c1").returncode == 3
    least = bisect(run_duet, folder, "c2~2", "c2", "--effect", "300%")
    assert least.returncode == 3
    assert least.stdout.startswith("not slower: there is no commit to look for\n")


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_slowdown_below_the_effect_is_not_denied(run_duet, history):
    folder = history(400000, 800000)
    result = bisect(run_duet, folder, "c0", "--effect", "900%")
    assert result.returncode == 3, result.stderr
    assert result.stdout.startswith("slower, but not surely by half of --effect: ")
    assert document_of(folder)["outcome"] == "not_slower"


@pytest.mark.rotating(6)
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_it_goes_on_where_it_was_interrupted(run_duet, duet, history, tmp_path):
    folder = history(*[100000] * 6, *[200000] * 6)
    command = [*duet, "bisect", "c0", "--build", "./build", "--", "./bench"]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    kept = lambda: list(tmp_path.glob("cache/duet/git/*/.bisect-*"))
    deadline = time.monotonic() + 100
    while process.poll() is None and time.monotonic() < deadline and not (
            kept() and len(kept()[0].read_text().splitlines()) > 3):
        time.sleep(0.05)
    if process.poll() is not None:
        pytest.fail(f"it had ended before: {process.communicate()}")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"\d+ blocks are kept: the same command with --resume goes on", errors)
    lines = kept()[0].read_text().splitlines()
    kept()[0].write_text("\n".join(lines) + "\n2 0.0")  # cut off by a kill
    result = bisect(run_duet, folder, "c0", "--resume")
    assert result.returncode == 0, result.stderr
    assert f"({len(lines) - 1} of an earlier call)" in result.stdout
    assert document_of(folder)["blocks_resumed"] == len(lines) - 1


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_without_a_cache_nothing_is_kept(duet, history):
    folder = history(*[100000] * 6, *[110000] * 6)
    process = subprocess.Popen([*duet, "bisect", "c0", "--no-cache", "--build", "./build", "--",
                                "./bench"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    steps = (line for line in process.stderr if "measuring" in line)
    assert next(steps) and next(steps)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "--no-cache keeps no blocks: without it, --resume could go on" in errors


def test_nothing_of_a_cache_that_is_left_out_is_resumed(run_duet, history):
    result = run_duet("bisect", "c0", "--no-cache", "--resume", "--", "./bench",
                      cwd=history(40000, 80000))
    assert result.returncode == 2 and "leave --no-cache out" in result.stderr


def test_what_a_benchmark_left_running(run_duet, history):
    """Said once, of the first pair."""
    folder = history(40000)
    for name in ("good", "bad"):
        add(folder, name, "sleep 100 >/dev/null 2>&1 &\nexec duet workload integer --operations 40000")
    result = run_duet("bisect", "good", "bad", "--time-budget", "8s", "--", "./bench", cwd=folder)
    assert result.returncode == 3, result.stderr
    assert result.stderr.count("that the commands left running were killed") == 1, result.stderr


def test_mistakes_are_told_before_anything_is_built(run_duet, history):
    folder = history(40000, 40000, 80000)

    def refused(*words):
        result = run_duet("bisect", *words, cwd=folder)
        assert result.returncode == 2, result
        return result.stderr

    assert "behind '--'" in refused("c0")
    assert "expected GOOD" in refused("--", "./bench")
    assert "give the older one first" in refused("c2", "c0", "--", "./bench")
    assert "the same commit" in refused("c1", "c1", "--", "./bench")
    assert "git knows no commit 'nowhere'" in refused("nowhere", "--", "./bench")
    assert "needs pairs" in refused("c0", "--schedule", "sequential", "--", "./bench")
    assert "leave -L, -P and --cwd out" in refused("c0", "-L", "n", "1,2", "--", "./bench")
    assert "--effect must be above 0 %" in refused("c0", "--effect", "0%", "--", "./bench")


def test_ends_that_cannot_be_measured_are_errors(run_duet, history):
    folder = history(40000, 40000, 0, -1)
    result = bisect(run_duet, folder, "c0", "c2")
    assert result.returncode == 4 and "the build of " in result.stderr
    result = bisect(run_duet, folder, "c0", "c3")
    assert result.returncode == 4 and "exit status 7" in result.stderr


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_example_finds_its_slow_commit(duet, tmp_path):
    environment = {**os.environ, "DUET_BINARY": duet[-1], "XDG_CACHE_HOME": str(tmp_path / "cache")}
    drawn = all(map(shutil.which, ("cmark-gfm", "chromium")))
    done = subprocess.run([ROOT / "examples/commits.py", tmp_path / "history",
                           *(["--picture", tmp_path / "comment.png"] if drawn else [])], text=True,
                          capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"right; \d+ builds", done.stdout), done.stdout
    assert re.search(r"53  slower .* <- 3 % slower", done.stdout), done.stdout
    assert not drawn or (tmp_path / "comment.png").read_bytes().startswith(b"\x89PNG")


LONG_GIT = """#!/bin/sh
case "$*" in
*--reverse*) yes "$(printf 'a\\tb\\tc\\t2026-01-01\\td\\te')" | head -n 1000001 ;;
*) exec {git} "$@" ;;
esac
"""


def test_a_history_that_is_too_long_is_refused_at_once(run_duet, history, tmp_path):
    """Nothing is built or measured before."""
    folder = history(1, 2)
    long_git = tmp_path / "programs" / "git"
    long_git.write_text(LONG_GIT.format(git=shutil.which("git")))
    long_git.chmod(0o755)
    result = bisect(run_duet, folder, "c0")
    assert result.returncode == 2
    assert "has 1000001 commits since 'c0'" in result.stderr, result.stderr
    assert "1000000 at most: name a later good commit" in result.stderr
    assert not list((tmp_path / "cache").rglob("bench"))
