"""Names, files and programs' output may hold anything: none of it reaches a terminal, a
shell or a spreadsheet as something to execute."""

import csv
import io
import json
import os
import re
import signal
import time

import pytest

# Clears the screen, sets the window's title (as C0 and as C1), turns the text around.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp.exe\u2066\x7f\rback"
# But for line breaks and tabs.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}


def assert_harmless(result, **expected):
    """Something of it is shown, and nothing that a terminal would interpret."""
    for name, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        assert not UNSAFE.search(text), (name, text)
        assert expected.get(name, "") in text, (name, text)
    return result


def show_all(run_duet, *which, environment=None):
    environment = environment or UTF8
    for command in (["list"], ["show", *which], ["show", *which, "-v"],
                    ["show", *which, "--export-markdown", "-"]):
        assert_harmless(run_duet(*command, env=environment), stdout=".exe")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.slow
def test_names_and_commands(run_duet, locale):
    environment = {**os.environ, "LC_ALL": locale}
    result = run_duet(f"echo '{HOSTILE}'", f"printf '{HOSTILE}'", "-r", 4, "-n", HOSTILE, "-n", HOSTILE,
                      "--name", f"{HOSTILE} name", env=environment)
    assert result.returncode == 0, result
    assert_harmless(result)
    show_all(run_duet, environment=environment)
    assert_harmless(run_duet("echo", f"'{HOSTILE}", env=environment), stderr=".exe")
    assert_harmless(run_duet(HOSTILE, "true", env=environment), stderr=".exe")
    assert_harmless(run_duet("show", HOSTILE, env=environment), stderr=".exe")
    assert_harmless(run_duet("show", "--store", HOSTILE, env=environment), stderr=".exe")
    assert_harmless(run_duet("list", f"--{HOSTILE}", env=environment), stderr=".exe")
    assert_harmless(run_duet("true", "true", "--runs", HOSTILE, env=environment),
                    stderr=".exe")


def test_a_failing_programs_last_words(run_duet, program):
    failing = program("failing", f"printf 'first line\\n{HOSTILE}\\n' >&2; exit 3")
    result = assert_harmless(run_duet(failing, "true", env=UTF8), stderr=".exe")
    assert result.returncode == 4 and "first line\n" in result.stderr
    for option in ("--setup", "--cleanup"):
        assert_harmless(run_duet("true", "true", "-r", 2, option, f"exit 3 '{HOSTILE}'",
                                 env=UTF8), stderr=".exe")


def test_imported_files(run_duet, tmp_path):
    """Names from them, and messages that quote them."""
    rows = "".join(f"{i % 2},{1 + i % 3},{i // 2}\n" for i in range(12))
    files = {
        f"{HOSTILE}.csv": f"old,new\n{rows.replace(',0', '')}",
        "header.csv": f"old,{HOSTILE}\n1,2\n",
        "cell.csv": f"old,new\n1,{HOSTILE}\n",
        "plain.txt": f"1\n{HOSTILE}\n",
        "hyperfine.json": json.dumps({"results": [
            {"command": HOSTILE, "times": [1, 2, 3]},
            {"command": f"{HOSTILE} new", "times": [1, 2, 3]}]}),
        "broken.json": f'{{"results": [{{"command": {HOSTILE}',
        "dataset.csv": "benchmark,environment,instance,iteration,value\n" + "".join(
            f"{HOSTILE},{HOSTILE},{i % 2},{i // 2},{1 + i % 3}\n" for i in range(20)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for name in files:
        kind = ["--dataset"] if name == "dataset.csv" else []
        for command in ("import", "compare"):
            if not (kind and command == "compare"):
                assert_harmless(run_duet(command, *kind, name, env=UTF8))
    assert_harmless(run_duet("list", env=UTF8), stdout=".exe")
    assert_harmless(run_duet("study", "variability", "dataset.csv", env=UTF8),
                    stdout=".exe")


@pytest.mark.slow
def test_suite_file(run_duet, tmp_path):
    quoted = json.dumps(HOSTILE)
    suite = tmp_path / f"{HOSTILE}.yaml"
    suite.write_text(f"""name: {quoted}
benchmarks:
  - name: {quoted}
    description: {quoted}
    command: {json.dumps("echo '" + HOSTILE + "'")}
    runs: 2
  - name: {json.dumps(HOSTILE + " fails")}
    command: {json.dumps("sh -c 'exit 3' '" + HOSTILE + "'")}
    runs: 2
""")
    assert_harmless(run_duet("suite", suite.name, "--list", env=UTF8), stdout=".exe")
    result = assert_harmless(run_duet("suite", suite.name, env=UTF8), stdout=".exe",
                             stderr=".exe")
    assert result.returncode == 4, result
    assert_harmless(run_duet("suite", suite.name, "--resume", env=UTF8))
    suite.write_text(f"benchmarks:\n  - {quoted}: 1\n")
    assert_harmless(run_duet("suite", suite.name, env=UTF8), stderr=".exe")


def test_watch(run_duet):
    fast = ["--executions-per-hour", 72000, "--every", "400ms", "--max-intervals", 1]
    assert_harmless(run_duet("watch", f"echo '{HOSTILE}'", *fast, "--metric", "time",
                             env=UTF8), stdout=".exe")
    assert_harmless(run_duet("watch", "echo 1", *fast, "--name", HOSTILE,
                             "--metric", "x([0-9])" + HOSTILE, env=UTF8))
    for command in (["watch", "--status"], ["watch", "--status", HOSTILE], ["list"]):
        assert_harmless(run_duet(*command, env=UTF8), stdout=".exe")


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "a;=1", 'a,"=1'])
def test_spreadsheets_execute_nothing(run_duet, cell):
    """Whatever their separator is."""
    assert run_duet("true", "true", "-r", 2, "--name", cell).returncode == 0
    out = run_duet("show", "--export-csv", "-").stdout
    rows = list(csv.reader(io.StringIO(out)))
    assert len(rows) == 2 and len(rows[0]) == len(rows[1])
    assert rows[1][0] == ("'" + cell if cell[0] in "=+-@\t" else cell)
    for row in csv.reader(io.StringIO(out), delimiter=";"):
        assert not any(field.startswith(("=", "+", "@")) for field in row), row


# ---- Shells ----

SUITE = """setup: "echo set > {scratch}/at && cp {suite}/suite.yaml {scratch}/copy"
cleanup: "cp {scratch}/at {suite}/cleaned"
benchmarks:
  - {name: a, runs: 2, command: "sh -c 'cat {suite}/suite.yaml \\"{scratch}/at\\"'",
     prepare: 'test -s "{suite}/suite.yaml"', check: {matches: ^set}}
"""


@pytest.mark.parametrize("folder", ["x; touch P ;", "$(touch P)", "a b", "a'b", 'a"b', "`touch P`",
                                    "a\\b", "a}b", "ä", "-r", "new\nline"])
@pytest.mark.slow
def test_folders_of_any_name(run_duet, tmp_path, folder):
    """{suite} is a path, also within the quotes of a shell within a shell."""
    place = tmp_path / folder
    place.mkdir()
    (place / "suite.yaml").write_text(SUITE)
    for cwd, path in ((place, "suite.yaml"), (tmp_path, f"./{folder}/suite.yaml")):
        result = run_duet("suite", path, cwd=cwd)
        assert result.returncode == 0, result
        assert (place / "cleaned").read_text() == "set\n"
        (place / "cleaned").unlink()
    assert not list(tmp_path.rglob("P")), result


def test_scratch_folder_of_any_name(run_duet, tmp_path):
    (tmp_path / "suite.yaml").write_text(SUITE)
    parent = tmp_path / "x; touch P ;"
    parent.mkdir()
    result = run_duet("suite", "suite.yaml", env={**os.environ, "TMPDIR": str(parent)})
    assert result.returncode == 2 and "TMPDIR" in result.stderr, result
    assert not (tmp_path / "P").exists() and not list(parent.iterdir())


# ---- What is left ----

@pytest.mark.slow
def test_scratch_folder_of_a_killed_suite_is_swept(start_duet, run_duet, tmp_path, wait_until):
    """And not that of one that runs, nor what somebody else called alike."""
    place = tmp_path / "tmp"
    place.mkdir()
    kept = ["duet-scratch-backup", "duet-scratch-0123456789abcdef0", "duet-scratch-"]
    for name in kept:
        (place / name).mkdir()
    (place / "duet-scratch-0123456789abcdef").symlink_to(tmp_path)
    environment = {**os.environ, "TMPDIR": str(place)}
    (tmp_path / "long.yaml").write_text(
        "setup: mkdir -p {scratch}/a/b && touch {scratch}/a/b/c\n"
        "benchmarks:\n  - {name: a, runs: 2, command: sleep 30}\n")
    (tmp_path / "short.yaml").write_text(
        "benchmarks:\n  - {name: a, runs: 2, command: 'true'}\n")

    def scratches():
        return {path for path in place.iterdir()
                if path.name not in kept and not path.is_symlink()}

    def start():
        before = scratches()
        process = start_duet("suite", "long.yaml", env=environment)
        wait_until(lambda: [path for path in scratches() - before
                            if (path / "a/b/c").exists()])
        return process, (scratches() - before).pop()

    killed, left = start()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    # Its supervisors, which die with it, hold the lock for a moment longer.
    time.sleep(0.3)
    running, used = start()
    assert not left.exists() and (used / "a/b/c").exists()
    assert run_duet("suite", "short.yaml", env=environment).returncode == 0
    assert scratches() == {used}
    running.send_signal(signal.SIGINT)
    running.communicate()
    assert not scratches()
    assert sorted(path.name for path in place.iterdir()) == sorted(
        [*kept, "duet-scratch-0123456789abcdef"])
