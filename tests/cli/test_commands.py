"""What is executed: words, shells, parameters, hooks."""

import json
import os

import pytest


def log_of(tmp_path, name="log"):
    return (tmp_path / name).read_text().splitlines()


@pytest.mark.parametrize("command, words", [
    ("{} a b", ["a", "b"]),
    ("{} 'a b'  c", ["a b", "c"]),
    ('{} "a \'b\'" c', ["a 'b'", "c"]),
    (r"{} a\ b \'", ["a b", "'"]),
    ("{} '' x", ["", "x"]),
    ("{} a'b'\"c\"", ["abc"]),
    ("{} '$HOME' '*' \"~\" ';' '|'", ["$HOME", "*", "~", ";", "|"]),
    ("{} 'new\nline'", ["new\nline"]),
    ("{} \u00e4\u00f6", ["\u00e4\u00f6"]),
])
def test_words_of_a_command(run_duet, program, tmp_path, command, words):
    """Quotes as in a shell; everything else is left alone, since no shell is in it."""
    path = program("words", "#!/usr/bin/python3\nimport json, sys\n"
                            f"json.dump(sys.argv[1:], open('{tmp_path}/log', 'w'))\n")
    result = run_duet(command.format(path), "true", "-r", 1)
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "log").read_text()) == words


@pytest.mark.parametrize("shell", ["default", "sh", "/bin/bash"])
def test_shell(run_duet, tmp_path, shell):
    command = f"for i in 1 2; do echo $i; done >>{tmp_path}/log && true"
    result = run_duet(command, "true", "-r", 1, "-S", shell)
    assert result.returncode == 0, result.stderr
    assert log_of(tmp_path) == ["1", "2"]


def test_no_shell_again(run_duet):
    result = run_duet("cd /", "true", "-S", "sh", "-N")
    assert result.returncode == 2 and "use -S" in result.stderr


@pytest.mark.parametrize("sign", ["$HOME", "|", ">file", "<file", ";", "&", "`x`", "(x)"])
def test_what_only_a_shell_understands(run_duet, tmp_path, sign):
    """Rather than to pass it on, which is hardly meant."""
    result = run_duet("true", f"true {sign}")
    assert result.returncode == 2
    assert "needs a shell" in result.stderr and "-S" in result.stderr
    assert not list(tmp_path.iterdir())


def test_all_combinations_are_looked_at_first(run_duet, tmp_path):
    result = run_duet("true {x}", "true", "-r", 1, "-L", "x", "1,2,$HOME")
    assert result.returncode == 2 and "needs a shell" in result.stderr
    assert not list(tmp_path.iterdir())


def test_shell_is_not_there(run_duet):
    result = run_duet("true", "true", "-S", "no-such-shell")
    assert result.returncode == 2 and "'no-such-shell'" in result.stderr


def test_command_is_found_in_path(run_duet, program, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    program("bin/mine", f"echo here >>{tmp_path}/log\n")
    environment = {"PATH": f"/no/such/folder:{folder}:/usr/bin:/bin"}
    assert run_duet("mine", "mine", "-r", 1, env=environment).returncode == 0
    assert log_of(tmp_path) == ["here"] * 2


def test_names(run_duet, stored):
    result = run_duet("true", "true", "-r", 2, "-n", "before", "-n", "after", "--name",
                      "nothing at all")
    assert "nothing at all" in result.stdout
    assert "before" in result.stdout and "after" in result.stdout
    assert stored.rows("SELECT name, command FROM side ORDER BY side") == [
        ("before", "true"), ("after", "true")]
    assert stored.one("SELECT name FROM experiment") == "nothing at all"


def test_only_the_old_side_is_named(run_duet, stored):
    assert run_duet("true", "true a", "-r", 2, "-n", "before").returncode == 0
    assert stored.rows("SELECT name FROM side ORDER BY side") == [("before",),
                                                                  ("true a",)]


@pytest.mark.slow
def test_parameter_list(run_duet, program, tmp_path, stored):
    command = program("note", f"echo $1 $2 >>{tmp_path}/log\n")
    result = run_duet(f"{command} {{x}}", f"{command} {{x}} {{y}}", "-r", 2, "-L", "x",
                      "1,two", "--parameter-list", "y", "a,b")
    assert result.returncode == 0, result.stderr
    assert sorted(set(log_of(tmp_path))) == ["1", "1 a", "1 b", "two", "two a", "two b"]
    names = stored.rows("SELECT name FROM experiment ORDER BY id")
    assert sorted(names) == [("x=1, y=a",), ("x=1, y=b",), ("x=two, y=a",),
                             ("x=two, y=b",)]
    assert all(name in result.stdout for (name,) in names)
    assert "geometric mean" in result.stdout.lower()


@pytest.mark.parametrize("low, high, step, values", [
    ("1", "3", None, ["1", "2", "3"]),
    ("0", "1", "0.25", ["0", "0.25", "0.5", "0.75", "1"]),
    ("0.1", "0.3", "0.1", ["0.1", "0.2", "0.3"]),
    ("7", "7", None, ["7"]),
])
def test_parameter_scan(run_duet, program, tmp_path, low, high, step, values):
    command = program("note", f"echo $1 >>{tmp_path}/log\n")
    arguments = [] if step is None else ["-D", step]
    result = run_duet(f"{command} {{n}}", "true", "-r", 1, "-P", "n", low, high,
                      *arguments)
    assert result.returncode == 0, result.stderr
    assert log_of(tmp_path) == values


def test_parameters_in_hooks_and_names(run_duet, tmp_path, stored):
    result = run_duet("true", "true", "-r", 1, "-L", "x", "1,2", "-n", "with {x}",
                      "--setup", f"echo {{x}} >>{tmp_path}/log")
    assert result.returncode == 0, result.stderr
    assert log_of(tmp_path) == ["1", "1", "2", "2"]
    assert stored.rows("SELECT name FROM side WHERE side = 0 ORDER BY experiment_id") == [
        ("with 1",), ("with 2",)]


def test_unknown_parameters_are_left_alone(run_duet, program, tmp_path):
    """Where the known ones are in use, braces are the command's own matter."""
    command = program("note", f"echo \"$1\" >>{tmp_path}/log\n")
    assert run_duet(f"{command} {{}}{{z}}{{x}}", "true", "-r", 1, "-L", "x",
                    "1").returncode == 0
    assert log_of(tmp_path) == ["{}{z}1"]


def test_a_failing_combination_ends_the_session(run_duet, program, stored):
    """What was answered before is shown."""
    command = program("picky", "[ $1 != 2 ]\n")
    result = run_duet(f"{command} {{x}}", "true", "-r", 2, "-L", "x", "1,2,3")
    assert result.returncode == 4
    assert "benchmark" in result.stdout and "picky 2')" in result.stderr
    assert stored.states() == ["done", "failed"]


def hook_arguments(tmp_path):
    return [word for hook in ("setup", "prepare", "conclude", "cleanup")
            for word in (f"--{hook}", f"echo {hook} >>{tmp_path}/log")]


def test_order_of_hooks(run_duet, program, tmp_path):
    command = program("note", f"echo execute >>{tmp_path}/log\n")
    result = run_duet(command, command, "-r", 2, "-I", 2, *hook_arguments(tmp_path),
                      "--schedule", "interleaved")
    assert result.returncode == 0, result.stderr
    once = ["prepare", "execute", "conclude"]
    assert log_of(tmp_path) == ["setup"] * 2 + once * 8 + ["cleanup"] * 2


def test_hooks_of_both_sides_at_once(run_duet, program, tmp_path):
    """No hook runs inside the other side's timed section."""
    command = program("note", f"echo execute >>{tmp_path}/log\nsleep 0.02\n"
                             f"echo executed >>{tmp_path}/log\n")
    result = run_duet(command, command, "-r", 2, "-I", 2, *hook_arguments(tmp_path))
    assert result.returncode == 0, result.stderr
    log = log_of(tmp_path)
    assert log[:2] == ["setup"] * 2 and log[-2:] == ["cleanup"] * 2
    hooks = [word for word in log[2:-2] if not word.startswith("execute")]
    assert sorted(hooks) == ["conclude"] * 8 + ["prepare"] * 8
    begins = [i for i, word in enumerate(log) if word == "execute"]
    ends = [i for i, word in enumerate(log) if word == "executed"]
    assert len(begins) == len(ends) == 8
    for i in range(0, 8, 2):
        # From the first begin of a pair to its last end. (After it one side may prepare
        # its next execution before the other has concluded: neither is timed.)
        timed = log[begins[i]:ends[i + 1] + 1]
        assert sorted(timed) == ["execute"] * 2 + ["executed"] * 2


def test_hooks_of_benchmarks(run_duet, odd_benchmark, tmp_path):
    """An execution is a whole run there."""
    result = run_duet(odd_benchmark, odd_benchmark, "-r", 2, "-I", 3,
                      *hook_arguments(tmp_path))
    assert result.returncode == 0, result.stderr
    log = log_of(tmp_path)
    assert {hook: log.count(hook) for hook in set(log)} == {
        "setup": 2, "prepare": 4, "conclude": 4, "cleanup": 2}


@pytest.mark.parametrize("schedule", ["duet", "interleaved"])
@pytest.mark.parametrize("hook", ["--prepare", "--conclude"])
def test_a_benchmark_as_a_hook(run_duet, odd_benchmark, stored, hook, schedule):
    """It takes no part in the run: it works alone."""
    result = run_duet(odd_benchmark, odd_benchmark, "-r", 2, "-I", 3, "--schedule", schedule,
                      hook, f"DUET_ITERATIONS=1 {odd_benchmark}")
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 3


@pytest.mark.parametrize("hook", ["--prepare", "--conclude"])
@pytest.mark.parametrize("command, told", [("sleep 1000", "took longer"),
                                           ("kill -STOP $$", "was stopped")])
def test_a_hook_that_does_not_end(run_duet, hook, command, told):
    """It is to blame, and not the program."""
    result = run_duet("true", "true", "-r", 2, hook, command, "--timeout", "1s", timeout=20)
    assert result.returncode == 4 and f"its {hook} command {told}" in result.stderr, result


@pytest.mark.parametrize("hook, kept", [("setup", 0), ("prepare", 0), ("conclude", 0),
                                        ("cleanup", 2)])
def test_a_hook_fails(run_duet, tmp_path, stored, hook, kept):
    """Status 4; cleanup runs whatever happened."""
    result = run_duet("true", "true", "-r", 2, f"--{hook}", "echo oops >&2; exit 9",
                      *(["--cleanup", f"echo cleanup >>{tmp_path}/log"]
                        if hook != "cleanup" else []))
    assert result.returncode == 4, result
    assert f"--{hook}" in result.stderr and "status 9" in result.stderr
    if hook != "cleanup":
        assert log_of(tmp_path) == ["cleanup"] * 2
    assert stored.states() == ["failed"] and stored.runs() == kept


@pytest.mark.parametrize("hook", ["prepare", "conclude"])
def test_what_a_failing_hook_said_is_shown(run_duet, hook):
    result = run_duet("true", "true", "-r", 2, f"--{hook}", "echo oops >&2; exit 9")
    assert "oops" in result.stderr


def test_cleanup_after_a_failing_command(run_duet, tmp_path):
    result = run_duet("true", "false", "-r", 2, "--cleanup",
                      f"echo cleanup >>{tmp_path}/log")
    assert result.returncode == 4
    assert log_of(tmp_path) == ["cleanup"] * 2


def test_hooks_do_not_disturb_the_output(run_duet):
    result = run_duet("true", "true", "-r", 2, "--setup", "echo noise", "--export-json",
                      "-")
    assert json.loads(result.stdout)
    assert "noise" in result.stderr


def test_a_duet_that_is_measured_keeps_its_part_to_itself(run_duet):
    """What it starts outside of its own runs would take part in the other one's."""
    say = 'echo "outer: <$DUET_ATTACH>" >&2'
    result = run_duet("true", "true", "-r", 2, "--setup", say, "--cleanup", say,
                      env={**os.environ, "DUET_ATTACH": "v2:another"})
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("outer: <>") == 4, result.stderr


def test_no_usage(run_duet, stored):
    assert run_duet("true", "true", "-r", 2, "--no-usage").returncode == 0
    assert run_duet("true", "true", "-r", 2).returncode == 0
    measured = dict(stored.rows(
        "SELECT r.experiment_id, count(i.cpu_ns) FROM run AS r JOIN iteration AS i "
        "ON i.run_id = r.id GROUP BY r.experiment_id"))
    assert measured == {1: 0, 2: 4}
