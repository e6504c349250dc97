"""duet go-test, cargo-bench and pytest: what they find, build and refuse, with stand-ins for the tools.
tests/bindings/test_front_tools.py has the real ones."""

import json
import shutil
import subprocess
import sys

import pytest

# What `go list` prints, and a test binary with two benchmarks: it names them, or takes its time.
GO = r"""
case $1 in
list) [ "$4" != ./none ] || exit 0; echo "m $PWD"; mkdir -p sub; echo "m/sub $PWD/sub"; echo "words: $4" >&2 ;;
test)
    [ ! -e broken ] || { echo "does not compile" >&2; exit 3; }
    cat >"$4" <<'BINARY'
#!/bin/sh
[ -z "$DUET_LIST" ] || printf 'BenchmarkOne\t1\nBenchmark%s\t2\n' "$(cat $(git rev-parse --show-toplevel)/two)" >>"$DUET_LIST"
BINARY
    chmod +x "$4" ;;
esac
"""
CARGO = r"""
printf '%s\n' "$@" >&2
target=$6; mkdir -p "$target"
for name in sum other; do
    printf '#!/bin/sh\n%s\n' "$([ $name = other ] || echo '[ -z "$DUET_LIST" ] || echo "a b	1" >>"$DUET_LIST"')" >"$target/$name"
    chmod +x "$target/$name"
    printf '{"reason":"compiler-artifact","manifest_path":"%s/Cargo.toml","target":{"kind":["bench"],"name":"%s"},"executable":"%s","fresh":false}\n' "$PWD" $name "$target/$name"
done
printf '{"reason":"compiler-artifact","manifest_path":"x/Cargo.toml","target":{"kind":["lib"],"name":"l"},"executable":null}\n'
"""


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture(name="tools")
def fixture_tools(tmp_path, monkeypatch):
    """tools(name, script): on PATH, which has git and a shell, and neither Go nor Cargo."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)

    return make


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "You")
    git(folder, "config", "user.email", "you@example.org")
    for text in ("Two", "Three"):
        (folder / "two").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", text)
    return folder


def rows(run_duet, command, folder, *words):
    out = folder.parent / "out.json"
    done = run_duet(command, "--export-json", out, "--runs", 2, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [row["name"] for row in json.loads(out.read_text())["comparisons"]], done.stderr


def test_go_benchmarks_of_both_are_compared(run_duet, tools, project):
    tools("go", GO)
    names, told = rows(run_duet, "go-test", project, "HEAD~1", "HEAD")
    assert sorted(names) == ["BenchmarkOne", "sub.BenchmarkOne"]
    assert "not compared: BenchmarkTwo, sub.BenchmarkTwo" in told
    assert "not compared: BenchmarkThree, sub.BenchmarkThree" in told
    names, _ = rows(run_duet, "go-test", project, "HEAD~1", "HEAD", "--only", "sub.*")
    assert names == ["sub.BenchmarkOne"]


def test_go_words_and_the_working_tree(run_duet, tools, project):
    """Packages stand behind the revisions, or alone."""
    tools("go", GO)
    (project / "two").write_text("Two")
    names, _ = rows(run_duet, "go-test", project, "HEAD~1", "./x/...")
    assert sorted(names) == ["BenchmarkOne", "BenchmarkTwo", "sub.BenchmarkOne", "sub.BenchmarkTwo"]
    done = run_duet("go-test", "./none", cwd=project)
    assert done.returncode == 2 or done.returncode == 4
    assert "no benchmark that takes part: write duettest.Run(b, f)" in done.stderr


def test_cargo_benchmarks_of_both_are_compared(run_duet, tools, project):
    """A program without duet's crates is not started, and a library is none."""
    tools("cargo", CARGO)
    names, _ = rows(run_duet, "cargo-bench", project, "HEAD~1", "HEAD", "--", "--bench", "a b")
    assert names == ["sum/a b"]


@pytest.mark.parametrize("command, script, told", [
    ("go-test", f"touch broken\n{GO}", "does not compile"),
    ("cargo-bench", "echo bad manifest >&2; exit 101", "bad manifest")])
def test_a_build_that_fails(run_duet, tools, project, command, script, told):
    tools(command.partition("-")[0], script)
    done = run_duet(command, "HEAD~1", "HEAD", cwd=project)
    assert done.returncode == 4
    assert told in done.stderr and "the build of HEAD" in done.stderr, done.stderr


@pytest.mark.parametrize("command", ["go-test", "cargo-bench"])
def test_without_the_tool(run_duet, tools, project, tmp_path, monkeypatch, command):
    """PATH has what git and the script need."""
    folder = tmp_path / "little"
    folder.mkdir()
    for name in ("git", "sh", "mkdir", "sed"):
        (folder / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(folder))
    done = run_duet(command, "HEAD~1", "HEAD", cwd=project)
    assert done.returncode == 4
    assert f"no {command.partition('-')[0]} on PATH" in done.stderr, done.stderr


def test_words_that_make_no_sense(run_duet, tools, project):
    done = run_duet("go-test", "a", "b", "c", cwd=project)
    assert done.returncode == 2
    assert "expected BASE and HEAD, got 3 words before '--'; packages" in done.stderr
    done = run_duet("pytest", "venv")
    assert done.returncode == 2 and "expected two virtual environments" in done.stderr
    done = run_duet("pytest", "old", "new", "--only")
    assert done.returncode == 2


def environment(folder, body):
    """A virtual environment whose Python does what the body says."""
    python = folder / "bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n[ \"$1\" != -c ] || exit ${{NONE:-0}}\n{body}\n")
    python.chmod(0o755)
    return folder


LISTS = ("[ -z \"$DUET_LIST\" ] || { printf 'b.py::test_it[a b]\\t%s\\n' \"'b.py::test_it[a b]'\" >>\"$DUET_LIST\"; "
         "exit 5; }")


def test_tests_of_both_are_compared(run_duet, tmp_path):
    old = environment(tmp_path / "an old one", LISTS)
    new = environment(tmp_path / "new", f"{LISTS}\n[ \"$*\" = '-m pytest b.py::test_it[a b]' ]")
    out = tmp_path / "out.json"
    done = run_duet("pytest", "--export-json", out, "--runs", 2, old, new, "b.py", "--", "-k", "it")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["name"] == "b.py::test_it[a b]"


@pytest.mark.parametrize("body, status, told", [
    ("echo cannot collect >&2; exit 2", 4, "cannot collect"),
    ("exit 5", 2, "no test that was selected uses the fixture 'benchmark'")])
def test_environments_without_tests(run_duet, tmp_path, body, status, told):
    old = environment(tmp_path / "old", body)
    done = run_duet("pytest", old, old)
    assert done.returncode == status, done.stderr
    assert told in done.stderr


def test_environments_without_the_plugin(run_duet, tmp_path, monkeypatch):
    monkeypatch.setenv("NONE", "1")
    old = environment(tmp_path / "old", LISTS)
    done = run_duet("pytest", old, old)
    assert done.returncode == 4
    assert "-m pip install pytest-benchmark" in done.stderr
    assert sys.executable not in done.stderr
    assert f"the tests in '{old}' cannot be listed: the reason stands above" in done.stderr
    assert "set -eu" not in done.stderr  # duet's own script


@pytest.mark.parametrize("sides", [("old", "none"), ("none", "old"), ("file", "old")])
def test_no_environment(run_duet, tmp_path, sides):
    environment(tmp_path / "old", LISTS)
    (tmp_path / "file").write_text("")
    done = run_duet("pytest", *sides, "b.py")
    assert done.returncode == 2
    assert f"{({*sides} - {'old'}).pop()}' is no virtual environment" in done.stderr
    assert "not found" not in done.stderr
