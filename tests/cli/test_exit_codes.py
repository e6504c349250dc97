"""--exit-codes git-bisect, and a real `git bisect run`."""

import os
import subprocess

import pytest

GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_CONFIG_GLOBAL": os.devnull}
ARGUMENTS = ["-q", "--store", "none", "--exit-codes", "git-bisect"]


@pytest.mark.parametrize("arguments", [
    ["true"],
    ["true", "true", "true"],
    ["--until", "never", "true", "true"],
    ["true", "./no-such-program"],
    ["--cpus", "x,y", "true", "true"],
])
def test_a_mistake_ends_the_bisection(run_duet, arguments):
    assert run_duet("run", "-r", 2, *arguments).returncode == 2
    for option in (["--exit-codes", "git-bisect"], ["--exit-codes=git-bisect"]):
        done = run_duet("run", "-r", 2, *arguments, *option)
        assert done.returncode == 128, done.stderr
        assert done.stderr
        assert run_duet("run", *option, "-r", 2, *arguments).returncode == 128


def test_a_command_that_fails_is_skipped(run_duet):
    done = run_duet(*ARGUMENTS, "-r", 2, "true", "false")
    assert done.returncode == 125 and "exit status 1" in done.stderr


def test_unsure_is_skipped(run_duet, integer):
    """Two runs decide nothing, whatever --fail-on names."""
    for more in ([], ["--fail-on", "slower"], ["--max-slowdown", "5%"]):
        done = run_duet(*ARGUMENTS, "-r", 2, "-I", 2, *more, integer(), integer(800000))
        assert done.returncode == 125, (more, done.stderr)


@pytest.mark.parametrize("old, new, more, status", [
    (400000, 1600000, [], 1),
    (1600000, 400000, [], 0),
    (400000, 1600000, ["--max-slowdown", "900%"], 0),
    (400000, 1600000, ["--max-slowdown", "50%"], 1),
    (400000, 1600000, ["--fail-on", "faster"], 1),
    (1600000, 400000, ["--fail-on", "faster"], 0),
])
@pytest.mark.slow
def test_fast_and_slow(run_duet, integer, old, new, more, status):
    done = run_duet(*ARGUMENTS, "-r", 20, "-I", 3, *more, integer(old), integer(new))
    assert done.returncode == status, done.stdout + done.stderr


def test_duets_own(run_duet):
    assert run_duet("-r", 2, "--exit-codes", "duet", "true", "false").returncode == 4
    done = run_duet("-r", 2, "--exit-codes", "hg", "true", "true")
    assert done.returncode == 2 and "expected duet or git-bisect" in done.stderr
    assert run_duet("run", "--exit-codes", "git-bisect", "--help").returncode == 0


def test_words_after_the_options_ask_for_nothing(run_duet):
    """They are operands: one too many."""
    done = run_duet("run", "-r", 2, "--", "true", "true", "--exit-codes=git-bisect")
    assert done.returncode == 2


@pytest.mark.rotating(5)
@pytest.mark.slow
@pytest.mark.quiet
@pytest.mark.timeout(300)
def test_git_bisect_run(duet, integer, tmp_path):
    """16 commits, the eleventh does four times the work, the eighth and ninth fail."""
    environment = {**os.environ, **GIT}
    repository = tmp_path / "repository"
    repository.mkdir()

    def git(*words):
        return subprocess.run(["git", *words], cwd=repository, env=environment, check=True,
                              capture_output=True, text=True, timeout=200).stdout

    def script(i):
        work = f"exec {integer(400000 if i < 11 else 1600000)}"
        return f"#!/bin/sh\n# {i}\n" + ("exit 7\n" if i in (8, 9) else work + "\n")

    git("init", "-q", "-b", "main")
    bench = repository / "bench.sh"
    for i in range(17):
        bench.write_text(script(i))
        bench.chmod(0o755)
        git("add", "bench.sh")
        git("commit", "-q", "-m", f"commit {i}")
    good = tmp_path / "good.sh"
    good.write_text(script(0))
    good.chmod(0o755)
    git("bisect", "start", "main", "main~16")
    told = git("bisect", "run", *duet, *ARGUMENTS, str(good), "./bench.sh")
    assert "is the first bad commit" in told
    assert "commit 11\n" in told.split("is the first bad commit")[1]
