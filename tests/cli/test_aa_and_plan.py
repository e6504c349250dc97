"""duet aa and duet plan: the pilot, and what follows from it."""

import json
import math
import pathlib
import re
import shlex
import signal
import sqlite3

import jsonschema
import pytest

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs/schema"


def valid(text, schema):
    document = json.loads(text)
    jsonschema.Draft202012Validator(
        json.loads((SCHEMAS / f"{schema}.schema.json").read_text())).validate(document)
    return document


@pytest.mark.slow
def test_a_command_against_itself_and_a_plan(run_duet):
    done = run_duet("aa", "true", "-r", 64, "--seed", 3)
    assert done.returncode == 0, done.stderr
    assert "of 4 experiments of 16 runs" in done.stdout
    for word in ["all together:", "visible:", "or decided", "0.5 %"]:
        assert word in done.stdout, word
    assert "limited by:" not in done.stdout and "try:" not in done.stdout
    planned = run_duet("plan")
    assert planned.returncode == 0, planned.stderr
    assert planned.stdout.startswith("pilot: experiment 1, true\n")
    assert "1 iteration a run" in planned.stdout
    assert [line.split()[0] for line in planned.stdout.splitlines()
            if line.startswith("  ") and line.split()[1:2] == ["%"]] == ["0.5", "1", "2", "5"]


def behind(output, words):
    """The command to paste below a line with these words."""
    lines = output.splitlines()
    (at,) = [number for number, line in enumerate(lines) if words in line]
    return lines[at + 1].strip()


@pytest.mark.rotating(2)
@pytest.mark.slow
def test_commands_to_paste(run_duet, integer, tmp_path):
    """They are taken as they stand, by a shell."""
    store = ["--store", tmp_path / "it's mine.db"]
    command = f"{integer(30000)} # a 'word'"
    done = run_duet("aa", command, "-S", "sh", "-p", "true", "-r", 48, "-I", 3, *store)
    assert done.returncode == 0, done.stderr
    seen = [behind(done.stdout, words)
            for words in ("put your new version in place of NEW", "another estimator", "cheaper runs")]
    run = shlex.split(seen[0])
    assert run[:4] == ["duet", "run", "--schedule", "duet"] and run[-2:] == [command, "NEW"]
    for option, value in (("-I", "3"), ("-p", "true"), ("-S", "sh"), ("--store", str(store[1]))):
        assert run[run.index(option) + 1] == value, run
    planned = run_duet(*shlex.split(seen[2])[1:])
    assert planned.returncode == 0, planned.stderr
    paste = shlex.split(behind(planned.stdout, "put your new version in place of NEW"))
    iterations = re.search(r"(\d+) iterations? a run", planned.stdout)[1]
    assert paste[paste.index("-I") + 1] == iterations
    paste[-1], paste[paste.index("-r") + 1] = command, "2"
    assert run_duet(*paste[1:]).returncode == 0
    told = run_duet("aa", "--of", 1, *store, "--export-json", "aa.json")
    row = json.loads((tmp_path / "aa.json").read_text())["to_see"][1]
    run = shlex.split(behind(told.stdout, "put your new version in place of NEW"))
    if row["fixed_s"] > (row["decided_p90_s"] or math.inf):  # what is sooner
        assert run[run.index("--until") + 1] == f"decided,time={math.ceil(row['decided_p90_s'])}s"
    else:
        assert run[run.index("-r") + 1] == f"{row['fixed_runs']:.0f}"
    again = run_duet(*shlex.split(seen[1])[1:])
    assert again.returncode == 0 and "aa --of 1 --estimator" in again.stdout


@pytest.mark.rotating(4)
def test_what_is_pasted_measures_in_the_same_way(run_duet, tmp_path):
    """On the CPUs of the pilot, where they are not those that duet chooses, with its streams,
    and so on."""
    words = ["--fill=kill", "--layout", "independent", "--timeout", "90s", "--no-usage", "--output",
             "pipe", "--stderr", "errors"]
    given = []
    for cpus in ("0,1", "1,0"):
        done = run_duet("-q", "true", "true", "-r", 16, "--schedule", "duet", "--cpus", cpus, *words)
        assert done.returncode == 0, done.stderr
        planned = run_duet("plan", "--effect", "90%")
        paste = shlex.split(behind(planned.stdout, "put your new version in place of NEW"))
        if "--cpus" in paste:
            given.append((paste[paste.index("--cpus") + 1], cpus))
        paste[-1] = "true"
        again = run_duet(*paste[1:])
        assert again.returncode == 0, again.stderr
        database = sqlite3.connect(tmp_path / ".duet/results.db")
        pilot, pasted = (json.loads(plan) for plan, in database.execute(
            "SELECT plan FROM (SELECT id, plan FROM experiment ORDER BY id DESC LIMIT 2) ORDER BY id"))
        database.close()
        for key in ("fill", "layout", "timeout_ns", "usage", "input", "output", "error_output"):
            assert pasted[key] == pilot[key], key
    assert given and all(said == asked for said, asked in given), given


@pytest.mark.slow
def test_the_plan_of_two_commands_names_both(run_duet, integer):
    assert run_duet("-q", "-r", 16, "--schedule", "duet", integer(30000),
                    integer(30001)).returncode == 0
    planned = run_duet("plan", "--effect", "40%")
    assert "next, to see 40 %:" in planned.stdout, planned
    paste = shlex.split(planned.stdout.splitlines()[-1])
    assert paste[-2:] == [integer(30000), integer(30001)]


def test_the_gate_is_judged(run_duet, tmp_path):
    """When it is measured, and of stored runs."""
    words = ["aa", "sleep 0.02", "-r", 16, "-I", 5, "--fail-on", "slower,faster,unsure"]
    done = run_duet(*words)  # never the same: that is for --same-within to say
    assert done.returncode in (1, 3) and "gate: " in done.stderr, done.stderr
    assert "of 1 experiment of 16 runs" in done.stdout
    done = run_duet(*words, "--same-within", "90%")
    assert done.returncode == 0 and "gate: passed" in done.stderr, done.stderr
    database = sqlite3.connect(tmp_path / ".duet/results.db")
    with database:
        database.execute("UPDATE iteration SET end_ns = end_ns + 9 * (end_ns - start_ns) WHERE side = 1")
    database.close()
    for gate, status in (("slower", 1), ("faster", 0), ("none", 0)):
        done = run_duet("aa", "--of", 1, "--fail-on", gate)
        assert done.returncode == status, done.stderr
    assert run_duet("aa", "--of", 1, "--fail-on", "none", "--max-slowdown", "10%").returncode == 1
    assert run_duet("aa", "--of", 1).returncode == 1  # as it was asked when it was measured


@pytest.mark.rotating(2)
@pytest.mark.slow
def test_the_same_runs_by_another_estimator(run_duet, integer):
    assert run_duet("aa", integer(), "-r", 48, "-I", 5, "--seed", 3,
                    "--export-json", "first.json").returncode == 0
    of = ["aa", "--of", "last", "--export-json", "-"]
    by_median = valid(run_duet(*of, "--estimator", "median").stdout, "duet-aa-1")
    by_mean = valid(run_duet(*of, "--estimator", "geomean").stdout, "duet-aa-1")
    assert by_median["runs"] == by_mean["runs"] == 48
    assert by_median["windows"]["could_have_seen_pct"] \
        != by_mean["windows"]["could_have_seen_pct"]
    assert run_duet("aa", "--of", "last", "--estimator", "median", "--export-json", "-",
                    ).stdout == run_duet(*of, "--estimator", "median").stdout
    stored = run_duet("list").stdout
    assert len(stored.strip().splitlines()) == 2, "nothing was executed"


@pytest.mark.parametrize("arguments, wrong", [
    (["--of", "last", "true"], "unexpected argument 'true': --of executes nothing"),
    (["--of", "last", "-r", 20], "--of executes nothing: leave --runs out"),
    (["--of", "last", "--cpus", "0,1"], "leave --cpus out"),
    (["--confidence", "0.9", "--of", "last", "--seed", 1], "no store"),
    (["--of", "last"], "no store"),
    ([], "expected one COMMAND, got 0")])
def test_what_aa_cannot_answer(run_duet, arguments, wrong):
    done = run_duet("aa", *arguments)
    assert done.returncode == 2 and wrong in done.stderr, done.stderr


def test_what_a_command_left_running(run_duet, program):
    leaving = program("leaving", "sleep 100 > /dev/null 2>&1 &\n")
    done = run_duet("aa", leaving, "-r", 16)
    assert "32 processes that the commands left running were killed" in done.stderr, done.stderr


def test_aa_of_two_commands(run_duet):
    assert run_duet("true", "true -x", "-r", 16).returncode == 0
    done = run_duet("aa", "--of", "1")
    assert done.returncode == 2
    assert "experiment 1 compares two commands" in done.stderr


@pytest.mark.slow
def test_iterations_of_a_run(run_duet, integer):
    done = run_duet("aa", integer(), "-r", 32, "-I", 4,
                    "--export-json", "aa.json", "-q")
    assert done.returncode == 0, done.stderr
    planned = run_duet("plan", "1", "--effect", "3%", "--effect", "400%", "--power", "0.8",
                       "--confidence", "0.95", "--export-json", "-")
    document = valid(planned.stdout, "duet-plan-1")
    assert document["runs"] == 32 and document["iterations_measured"] == 4
    assert (document["power"], document["confidence"]) == (0.8, 0.95)
    assert document["within_pct"] > 0 and document["run_cost_s"] > 0
    first, second = document["to_see"]
    assert first["change_pct"] == pytest.approx(3)
    assert second["runs"] <= first["runs"]
    assert second["runs"] >= 16


@pytest.mark.slow
def test_json(run_duet):
    done = run_duet("aa", "true", "-r", 40, "--export-json", "-", "--seed", 5)
    document = valid(done.stdout, "duet-aa-1")
    assert document["runs"] == 40
    assert document["windows"]["count"] == 2 and document["windows"]["runs"] == 16
    assert document["comparison"]["runs"] == 40
    assert [row["change_pct"] for row in document["to_see"]] == [0.5, 1, 2]


@pytest.mark.slow
def test_interrupted_it_answers_from_what_is_there(start_duet, stored, wait_until):
    process = start_duet("aa", "sleep 0.002", "--until", "time=60s")
    wait_until(lambda: process.poll() is not None or
               stored.has_runs(64))
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "experiments of 16 runs" in output


@pytest.mark.parametrize("arguments, words", [
    (["aa"], ["expected one COMMAND", "got 0"]),
    (["aa", "true", "false"], ["expected one COMMAND", "got 2"]),
    (["aa", "true", "--until", "decided"], ["--until decided", "time=T"]),
    (["aa", "true", "--schedule", "interleaved"], ["interleaved", "timeslice"]),
    (["aa", "sleep {n}", "-L", "n", "1,2"], ["one command at a time"]),
    (["plan", "1", "2"], ["unexpected argument '2'"]),
    (["plan", "--effect", "-1%"], ["--effect"]),
    (["plan", "--power", "1"], ["--power 1", "between 0 and 1"]),
])
def test_wrong_usage(run_duet, arguments, words):
    done = run_duet(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.mark.slow
def test_what_is_no_pilot(run_duet, tmp_path):
    assert run_duet("aa", "true", "-r", 8).returncode == 2
    assert "at least 16 runs" in run_duet("aa", "true", "-r", 8).stderr
    (tmp_path / "old.txt").write_text("1\n2\n3\n")
    (tmp_path / "new.txt").write_text("1\n2\n3\n")
    assert run_duet("import", "old.txt", "new.txt").returncode == 0
    refused = run_duet("plan")
    assert refused.returncode == 2 and "not measured in pairs here" in refused.stderr
    assert run_duet("plan", "99").returncode == 2


def test_a_command_that_fails(run_duet):
    done = run_duet("aa", "false")
    assert done.returncode == 4 and "false" in done.stderr
