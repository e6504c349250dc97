"""duet fleet: what becomes of results that lack something: a name of their own, a state, a
verdict for the gate."""

import json
import shutil
import sqlite3

import pytest

SUITE = """
name: tiny
defaults: {schedule: timeslice, runs: 2}
benchmarks:
  - {name: sum, command: "expr 1 + 1"}
"""


@pytest.fixture
def submit(run_duet, tmp_path):
    """A fleet `f` of so many tasks."""

    def make(tasks, *more, suite=SUITE):
        (tmp_path / "s.yaml").write_text(suite)
        done = run_duet("fleet", "submit", "s.yaml", "--instances", tasks, "--runs", 2, "--to", "f",
                        *more, timeout=60)
        assert done.returncode == 0, done.stderr

    return make


def document_of(run_duet, *words):
    done = run_duet("fleet", *words, "--json", timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_one_of_two_files_of_the_same_name_cannot_be_merged(run_duet, tmp_path):
    """The other one is a result all the same."""
    for name, operand in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        done = run_duet(f"expr {operand} + 1", "expr 1 + 2", "--runs", 2, "--name", "sum",
                        "--store", f"{name}/results.db")
        assert done.returncode == 0, done.stderr
    shutil.copy(tmp_path / "a/results.db", tmp_path / "all.db")
    with sqlite3.connect(tmp_path / "a/results.db") as database:  # runs that are another's
        database.execute("UPDATE experiment SET uuid = 'x' || uuid")
    database.close()
    document = document_of(run_duet, "collect", "a", "b", "--store", "all.db")
    assert len(document["refused"]) == 1 and "a/results.db" in document["refused"][0]
    assert document["phases"]["done"] == 1
    assert document["benchmarks"][0]["instances"] == 1


def test_a_gate_without_a_result(run_duet, tmp_path):
    (tmp_path / "none").mkdir()
    words = ("fleet", "collect", "none", "--store", "all.db")
    assert run_duet(*words).returncode == 0
    for gate in (("--fail-on", "slower"), ("--max-slowdown", "5%")):
        done = run_duet(*words, *gate)
        assert done.returncode == 5 and "there is no result to judge" in done.stderr


def test_a_gate_of_nothing_but_failures(run_duet, submit):
    submit(1, "--engine", "local", suite=SUITE + '  - {name: broken, command: "false"}\n')
    assert run_duet("fleet", "collect", "f").returncode == 0
    done = run_duet("fleet", "collect", "f", "--fail-on", "slower")
    assert done.returncode == 4
    assert "1 of 2 benchmarks failed on every machine" in done.stderr


def test_results_without_states_do_not_say_how_long(run_duet, submit, tmp_path):
    """As of a machine from which only the results were copied."""
    submit(3, "--engine", "files")
    for task in (1, 2):
        assert run_duet("fleet", "task", "f", task).returncode == 0
    first, second = sorted((tmp_path / "f/states").iterdir())
    second.unlink()
    state = json.loads(first.read_text())
    took_s = (state["ended_utc_ms"] - state["began_utc_ms"]) / 1e3
    assert document_of(run_duet, "status", "f")["left_s"] == pytest.approx(took_s)
    first.unlink()
    assert document_of(run_duet, "status", "f")["left_s"] is None


def accepting(limit, until="2999-12-31"):
    """A suite of one benchmark that is far slower, which is accepted up to a limit."""
    return ("defaults: {schedule: duet, runs: 2}\n"
            "benchmarks:\n"
            '  - {name: nap, old: "sleep 0.001", new: "sleep 0.05",\n'
            f'     accept: {{limit: "{limit}%", reason: known, until: {until}}}}}\n')


@pytest.mark.parametrize("limit, until, code, said", [
    (1000000, "2999-12-31", 0, "accepted up to +1e+06 % until 2999-12-31: known"),
    (10, "2999-12-31", 1, "gate: failed: nap"),
    (1000000, "2020-02-02", 1, "only until 2020-02-02, which is over: known"),
])
def test_an_accepted_regression(run_duet, submit, limit, until, code, said):
    submit(3, "--engine", "local", suite=accepting(limit, until))
    done = run_duet("fleet", "collect", "f", "--fail-on", "slower", "--confidence", "0.5")
    assert done.returncode == code and said in done.stderr, done.stderr


def test_a_regression_is_accepted_where_all_instances_accept_it(run_duet, tmp_path):
    """Of different limits the lowest."""
    limits = {"a": 2000000, "b": 1000000, "c": 3000000}
    for name, limit in limits.items():
        (tmp_path / f"{name}.yaml").write_text(accepting(limit))
        (tmp_path / name).mkdir()
        done = run_duet("suite", f"{name}.yaml", "--store", f"{name}/results.db", timeout=60)
        assert done.returncode == 0, done.stderr
    gate = ("--fail-on", "slower", "--confidence", "0.5")
    done = run_duet("fleet", "collect", *limits, "--store", "all.db", *gate)
    assert done.returncode == 0 and "accepted up to +1e+06 %" in done.stderr, done.stderr
    with sqlite3.connect(tmp_path / "c/results.db") as database:
        database.execute("DELETE FROM acceptance")
    database.close()
    done = run_duet("fleet", "collect", *limits, "--store", "others.db", *gate)
    assert done.returncode == 1 and "accepted" not in done.stderr, done.stderr


def test_tasks_that_fail_here_are_a_failure(run_duet, tmp_path):
    """Of those that this machine executes it knows; what they measured is collected."""
    (tmp_path / "s.yaml").write_text(
        "benchmarks:\n- {name: once, command: mkdir once, schedule: timeslice, check: {exit: 0}}\n")
    options = "--engine", "local", "--instances", 2, "--runs", 2
    done = run_duet("fleet", "submit", "s.yaml", *options, "--to", "f")
    assert done.returncode == 4 and "2 of 2 tasks failed" in done.stderr, done
    assert "every benchmark failed" in done.stdout
    done = run_duet("fleet", "resume", "f")
    assert done.returncode == 4, done


def test_what_is_still_to_come_is_said(run_duet, submit):
    """A look before that is one more that may be a false alarm."""
    submit(3, "--engine", "files")
    for task, left in ((1, "2 tasks are"), (2, "1 task is"), (3, None)):
        assert run_duet("fleet", "task", "f", task).returncode == 0
        for words in ("status", "collect"):
            said = run_duet("fleet", words, "f").stdout
            assert (f"{left} still to come: judge when all are in" in said) == (left is not None), said
            assert ("to come" in said) == (left is not None), said
