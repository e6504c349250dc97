"""What users type that cannot be meant: it is refused or said, and nothing else is."""

import json
import os
import shutil
import subprocess

import pytest


def ran(result):
    """It was measured, whatever was said."""
    return result.returncode == 0 and "  old  " in result.stdout


@pytest.mark.parametrize("command, env", [
    ("FOO=1 true", "env FOO=1 true"),
    ("  A_b2= true", "env A_b2= true"),
    ("LANG=C sort --version", "env LANG=C sort --version"),
])
def test_assignment_needs_env(run_duet, tmp_path, command, env):
    for arguments in (["true", command], ["aa", command], ["watch", command]):
        result = run_duet(*arguments)
        assert result.returncode == 2, result
        assert f"needs a shell: type '{env}'" in result.stderr
        assert "-S default" in result.stderr
        if arguments[0] == "true":
            assert not (tmp_path / ".duet").exists()


@pytest.mark.parametrize("command", ["env FOO=1 true", "expr a=b", "echo FOO=1"])
def test_no_assignment(run_duet, command):
    assert ran(run_duet(command, command, "-r", "2"))


def test_assignment_in_a_shell(run_duet):
    assert ran(run_duet("FOO=1 true", "FOO=2 true", "-S", "default", "-r", "2"))


@pytest.mark.parametrize("old, new, wrong", [
    ("echo {level}", "echo {levle}", "levle"),
    ("echo {nope}", "echo {nope}", "nope"),
    ("echo {level}", "echo -{nope}x", "nope"),
])
def test_no_such_parameter(run_duet, tmp_path, old, new, wrong):
    result = run_duet(old, new, "-L", "level", "1,2")
    assert result.returncode == 2
    assert f"no parameter '{wrong}'; did you mean {{level}}?" in result.stderr
    assert not (tmp_path / ".duet").exists()


def test_parameter_of_a_folder(run_duet, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    words = ("--cwd-old", "{place}", "--cwd-new", "{place}", "-L", "place", "a,b", "-r", 2)
    result = run_duet("echo {x}", "echo {x}", *words)
    assert result.returncode == 0, result.stderr


def test_no_such_parameter_in_a_suite(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("benchmarks:\n- name: a\n  command: echo {levle}\n"
                                     "  parameters: {level: [1, 2]}\n")
    result = run_duet("suite", "s.yaml")
    assert result.returncode == 2
    assert "s.yaml:2:3: benchmarks[0]: command 'echo {levle}': no parameter " \
        "'levle'; did you mean {level}?" in result.stderr


@pytest.mark.parametrize("command, options", [
    ("awk '{print}' {n}", ["-L", "n", "/dev/null"]),
    ("echo {n} '{\"key\": 1}' {} '${HOME}' {name}", ["-L", "n", "1"]),
    ("echo old", ["-L", "n", "1"]),
    ("awk '{print}' /dev/null", []),
    ("echo {} {a,b} '{\"a\":1}' %{http_code} -{level}", []),
])
def test_braces_of_other_programs(run_duet, command, options):
    result = run_duet(command, command, *options, "-r", "2")
    assert ran(result), result
    assert "parameter" not in result.stderr


@pytest.mark.parametrize("command", ["echo {nope}", "echo '{nope}' x", "echo {nope} {other}"])
def test_braces_without_parameters_are_said(run_duet, command):
    result = run_duet(command, "true", "-r", "2")
    assert ran(result)
    assert result.stderr.count("{nope} is passed on as it is, since there is no parameter "
                               "'nope'; -L nope VALUE,... gives it values") == 1


NOTE = "old and new are the same command: any difference is a false alarm; 'duet aa' is " \
    "made for this"


@pytest.mark.slow
def test_the_same_command(run_duet, tmp_path):
    result = run_duet("true", "true", "-r", "2", "--export-json", "o.json")
    assert NOTE in " ".join(result.stdout.split())
    warnings = json.loads((tmp_path / "o.json").read_text())["comparisons"][0]["warnings"]
    assert NOTE in [warning["text"] for warning in warnings]
    assert NOTE in " ".join(run_duet("show").stdout.split())
    for arguments in (["true", "true 1", "-r", "2"], ["show"]):
        assert NOTE not in " ".join(run_duet(*arguments).stdout.split())


@pytest.mark.slow
def test_aa_does_not_advise_itself(run_duet):
    result = run_duet("aa", "true", "--until", "runs=64")
    assert result.returncode == 0, result.stderr
    assert "is made for this" not in result.stdout + result.stderr


def test_a_suite_may_compare_a_command_with_itself(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("benchmarks: [{name: b, command: 'true', runs: 2}]\n")
    assert run_duet("suite", "s.yaml").returncode == 0
    assert NOTE not in " ".join(run_duet("show", "b").stdout.split())


def test_two_virtual_environments(run_duet, tmp_path):
    """Their Pythons are links to the same one, and have other packages."""
    for side in ("old", "new"):
        (tmp_path / side / "bin").mkdir(parents=True)
        (tmp_path / side / "bin/python").symlink_to("/bin/true")
        (tmp_path / side / "pyvenv.cfg").write_text("")
    result = run_duet("old/bin/python", "new/bin/python", "-r", "2")
    assert ran(result) and "the same file" not in result.stderr


@pytest.mark.parametrize("kind, words", [("symlink", "are the same file"),
                                         ("hard link", "are the same file"),
                                         ("copy", "are the same program"),
                                         ("other", None)])
def test_the_same_file(run_duet, tmp_path, kind, words):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("#!/bin/sh\nexit 0\n")
    one.chmod(0o755)
    if kind == "symlink":
        two.symlink_to(one)
    elif kind == "hard link":
        os.link(one, two)
    else:
        shutil.copy(one, two)
    if kind == "other":
        two.write_text("#!/bin/sh\ntrue #\n")
    result = run_duet("./one", "./two", "-r", "2")
    assert ran(result), result
    assert ("'./one' and './two' " in result.stderr) == (words is not None)
    assert words is None or words in result.stderr
    # Other arguments, or none that can be compared: nothing is said.
    assert "./two" not in run_duet("./one 1", "./two 2", "-r", "2").stderr


@pytest.mark.parametrize("text, message", [
    ("defaults: {runs: many}\nbenchmarks: [{name: a, command: 'true'}]\n",
     "s.yaml:1:18: defaults.runs: 'many' is not a whole number"),
    ("defaults: {until: later}\nbenchmarks: [{name: a, command: 'true', runs: 2}]\n",
     "s.yaml:1:19: defaults.until: --until later: the rules are"),
    ("benchmarks: [{name: a, command: 'true', max-runs: -1}]\n",
     "s.yaml:1:51: benchmarks[0].max-runs: '-1' is not a whole number"),
])
@pytest.mark.parametrize("options", [(), ("-r", 2)])
def test_wrong_amounts_of_a_suite_that_others_override(run_duet, tmp_path, text, message,
                                                       options):
    (tmp_path / "s.yaml").write_text(text)
    result = run_duet("suite", "s.yaml", *options)
    assert result.returncode == 2
    assert result.stderr.startswith("duet: " + message), result.stderr


@pytest.mark.parametrize("command, says", [
    (("run", "true", "true", "-r", 2), "where the store would be, was removed"),
    (("aa", "true"), "where the store would be, was removed"),
    (("list",), "where the store would be, was removed"),
    (("show",), "where the store would be, was removed"),
    (("suite", "{suite}"), "where the store would be, was removed"),
    (("watch", "true"), "where the command is to be executed"),
    (("fleet", "submit", "{suite}", "--engine", "files", "--instances", 2, "--to", "{to}"),
     "where the tasks are to be executed"),
])
def test_the_current_folder_was_removed(duet, tmp_path, command, says):
    """'No such file' would lead to a search for a file."""
    (tmp_path / "s.yaml").write_text("benchmarks: [{name: b, command: 'true', runs: 2}]\n")
    (tmp_path / "gone").mkdir()
    words = [str(word).format(suite=tmp_path / "s.yaml", to=tmp_path / "f") for word in command]
    result = subprocess.run(
        ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', tmp_path / "gone", *duet, *words],
        text=True, capture_output=True, timeout=60, check=False)
    assert result.returncode == 2, result
    assert says in result.stderr and "change to another one" in result.stderr
    assert not (tmp_path / "f").exists()


@pytest.mark.parametrize("name, says", [("s.yaml/x", "Not a directory"),
                                        ("loop", "Too many levels of symbolic links"),
                                        (300 * "x", "File name too long")])
def test_files_that_cannot_be_opened(run_duet, tmp_path, name, says):
    """Another name would do: no fault of the machine."""
    (tmp_path / "s.yaml").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for words in (["suite", name], ["import", name, name], ["study", "accuracy", "--suite", name],
                  ["fleet", "submit", name, "--engine", "files", "--to", "f"]):
        result = run_duet(*words)
        assert result.returncode == 2 and says in result.stderr, result
