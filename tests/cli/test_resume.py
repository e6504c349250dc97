"""duet run --resume: an experiment that was interrupted goes on as if it had not been."""

import json
import os
import signal
import sqlite3
import time

import pytest

SIDES = ["sleep 0.02", "sleep 0.021"]


def positions(stored):
    """Where old was, of each run in order."""
    return stored.rows("SELECT r.idx, r.block, s.position FROM run AS r JOIN run_side AS s "
                       "ON s.run_id = r.id AND s.side = 0 ORDER BY r.idx")


def check_structure(stored, runs):
    """Runs without a gap, blocks whose runs swap the positions."""
    found = positions(stored)
    assert [run for run, _, _ in found] == list(range(runs))
    blocks = {}
    for _, block, position in found:
        blocks.setdefault(block, []).append(position)
    assert list(blocks) == list(range(len(blocks)))
    assert all(sorted(block) == [0, 1] for block in list(blocks.values())[:runs // 2])
    assert stored.states() == ["done"]
    stored.check()


@pytest.fixture
def interrupted(start_duet, stored, wait_until):
    """Runs a comparison until so many runs are there, and ends it."""

    def run(*arguments, runs=3, number=signal.SIGINT, **options):
        process = start_duet(*arguments, **options)
        wait_until(lambda: process.poll() is not None or stored.has_runs(runs))
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == (130 if number == signal.SIGINT else -number), errors
        return errors

    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("words", [[], [*SIDES, "-r", 30, "--seed", 7], [*SIDES, "-r", 30]])
def test_it_goes_on(interrupted, run_duet, stored, tmp_path, number, words):
    errors = interrupted(*SIDES, "-r", 30, "--seed", 7, number=number)
    assert number == signal.SIGKILL or "go on with: duet run --resume=1" in errors
    before = stored.rows("SELECT id, idx, started_ns FROM run ORDER BY id")
    done = run_duet("run", *words, "--resume")
    assert done.returncode == 0, done.stderr
    check_structure(stored, 30)
    after = stored.rows("SELECT id, idx, started_ns FROM run ORDER BY id")
    assert after[:len(before)] == before and len(before) < 30
    assert stored.rows("SELECT experiment_id, idx FROM resumption") == [(1, len(before))]
    # The coins are those of a comparison that was not interrupted.
    coins = positions(stored)
    stored.path = tmp_path / "other.db"
    assert run_duet(*SIDES, "-r", 30, "--seed", 7, "--store", stored.path).returncode == 0
    assert positions(stored) == coins


def test_the_answer_has_all_runs(interrupted, run_duet):
    interrupted(*SIDES, "-r", 20, runs=5)
    done = run_duet("run", "--resume", "--export-json", "-")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)["comparisons"]
    assert comparison["runs"] == 20
    shown = run_duet("show", "--export-json", "-")
    assert json.loads(shown.stdout)["comparisons"][0]["ratio"] == comparison["ratio"]


def test_again_and_again(interrupted, run_duet, stored):
    interrupted(*SIDES, "-r", 24)
    for runs in (8, 13, 18):
        interrupted("run", "--resume", runs=runs)
    assert run_duet("run", "--resume").returncode == 0
    check_structure(stored, 24)
    assert stored.one("SELECT count(*) FROM resumption") == 4


def test_the_rule_counts_what_was_measured(interrupted, run_duet, stored):
    """50 % are decided after some 12 runs: it does not begin anew."""
    interrupted("sleep 0.1", "sleep 0.15", "--until", "decided,time=60s", runs=9)
    done = run_duet("run", "--resume")
    assert done.returncode == 0 and "slower" in done.stdout, done
    assert stored.runs() < 20


@pytest.mark.timing
def test_the_time_counts_what_was_measured(interrupted, run_duet, stored):
    """And not what was waited in between."""
    interrupted("sleep 0.1", "sleep 0.1", "--until", "time=3s", runs=10)
    time.sleep(2)
    done = run_duet("run", "--resume")
    assert done.returncode == 0, done.stderr
    took = stored.one("SELECT sum(took) / 1e9 FROM (SELECT max(ended_ns) - min(started_ns) AS took "
                      "FROM run GROUP BY idx < (SELECT idx FROM resumption))")
    assert 2.5 < took < 3.6
    check_structure(stored, stored.runs())


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("runs", [1, 3, 6, 9, 12, 17])
def test_a_chosen_schedule(interrupted, run_duet, stored, odd_benchmark, runs):
    """Wherever it was interrupted: the trial of both schedules goes on where it was."""
    # Too noisy for duet to be chosen without a trial of the other, as it is where two blocks
    # agree within 0.05 %. Of equal speed, so that the number of runs ends it.
    sides = [f"{odd_benchmark} wobble 0 {side}" for side in "12"]
    interrupted(*sides, "-I", 2, "--until", "decided,runs=40", "--same-within", "0.001%",
                runs=runs)
    done = run_duet("run", "--resume", timeout=150)
    assert done.returncode == 0, done.stderr
    rows = stored.rows("SELECT block, schedule, count(*) FROM run GROUP BY 1, 2 ORDER BY 1")
    assert len({block for block, _, _ in rows}) == len(rows), rows
    assert all(count == 2 for _, _, count in rows[:2]), rows
    assert {schedule for _, schedule, _ in rows[:4]} == {"duet", "timeslice"}, rows
    assert [run for run, _, _ in positions(stored)] == list(range(stored.runs()))
    chosen = stored.one("SELECT schedule FROM experiment")
    assert {schedule for _, schedule, _ in rows[8:]} <= {chosen}


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_a_benchmark_program(interrupted, run_duet, stored, integer):
    interrupted(integer(), integer(), "-r", 30, "-I", 40, runs=2)
    done = run_duet("run", "--resume")
    assert done.returncode == 0, done.stderr
    check_structure(stored, 30)
    assert stored.rows("SELECT DISTINCT mode FROM run") == [("harness",)]


def test_one_that_is_being_measured_is_not_interrupted(interrupted, start_duet, run_duet,
                                                     stored, wait_until):
    """Another one, which is older, goes on."""
    interrupted(*SIDES, "-r", 12)
    process = start_duet("--until", "time=50s", *SIDES)
    wait_until(lambda: stored.one("SELECT count(*) FROM run WHERE experiment_id = 2") > 2)
    done = run_duet("run", "--resume")
    assert done.returncode == 0, done.stderr
    assert stored.states()[0] == "done"
    refused = run_duet("run", "--resume")
    assert refused.returncode == 2
    assert "another process is measuring experiment 2" in refused.stderr
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


@pytest.mark.parametrize("words, message", [
    ([*SIDES, "-r", 31], "runs was 30 and is 31"),
    (["sleep 0.02", "sleep 0.03", "-r", 30], "'sleep 0.021' and is 'sleep 0.03'"),
    ([*SIDES, "-r", 30, "--confidence", "0.9"], "confidence was 0.99 and is 0.9"),
    ([*SIDES, "-r", 30, "--seed", 8], "seed was '7' and is '8'"),
])
def test_another_plan_is_refused(interrupted, run_duet, stored, words, message):
    interrupted(*SIDES, "-r", 30, "--seed", 7)
    runs = stored.runs()
    done = run_duet("run", "--resume", *words)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert "duet run --resume=1" in done.stderr
    assert stored.runs() == runs and stored.states() == ["interrupted"]


@pytest.mark.parametrize("words, message", [
    (["--resume"], "nothing to resume"),
    (["--resume", "1"], "experiment 1 is complete"),
    (["--resume=7"], "no experiment '7'"),
    (["--resume=1", "1"], "one experiment at a time"),
    (["--resume", "--runs", 5], "leave --runs out"),
    (["--resume", "a {x}", "b {x}", "-L", "x", "1,2"], "describe 2"),
])
def test_nothing_to_resume(run_duet, stored, words, message):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    done = run_duet("run", *words)
    assert done.returncode == 2 and message in done.stderr, done
    assert stored.runs() == 2


@pytest.mark.parametrize("runs", [4, 13])
def test_one_side_after_the_other(interrupted, run_duet, stored, runs):
    """Interrupted among the runs of old or of new, each side gets its own."""
    interrupted(*SIDES, "--schedule", "sequential", "--until", "time=60s", "-M", 10, runs=runs)
    assert stored.runs() < 20
    done = run_duet("run", "--resume")
    assert done.returncode == 0, done.stderr
    rows = stored.rows("SELECT r.idx, i.side FROM run AS r JOIN iteration AS i "
                       "ON i.run_id = r.id ORDER BY 1")
    assert rows == [(run, int(run >= 10)) for run in range(20)]
    assert stored.states() == ["done"]


def test_a_failure_is_exported(run_duet, tmp_path):
    """Its name is the stored one."""
    (tmp_path / "wrong").write_text("")
    words = ["test ! -e wrong", "true", "-r", 4, "--name", "guarded"]
    assert run_duet(*words).returncode == 4
    for commands in ([], words):
        done = run_duet("run", "--resume=1", *commands, "--export-junit", "r.xml",
                        "--export-pr-comment", "-")
        assert done.returncode == 4 and "exit status 1" in done.stderr, done
        assert "guarded" in done.stdout
        assert 'name="guarded"' in (tmp_path / "r.xml").read_text()


def test_outputs_that_differ_do_not_go_on(interrupted, run_duet, stored, program):
    old, new = (program(name, f"#!/bin/sh\necho {name}\nexec sleep 0.02\n")
                for name in ("one", "two"))
    interrupted(old, new, "-r", 30)
    runs = stored.runs()
    done = run_duet("run", "--resume", "--same-output", old, new, "-r", 30)
    assert done.returncode == 4 and "line 1 of old is 'one', of new 'two'" in done.stderr, done
    assert stored.runs() == runs
    done = run_duet("run", "--resume", "--same-output", old, old, "-r", 30)
    assert done.returncode == 2 and "cannot go on with these commands" in done.stderr, done


@pytest.mark.parametrize("option", [["--skip-identical"], ["--identical-if", "."]])
def test_skipping_comes_too_late(run_duet, option):
    done = run_duet("run", "--resume", *option, *SIDES)
    assert done.returncode == 2, done
    assert f"{option[0]} does not go with --resume" in done.stderr, done.stderr


def test_a_control_does_not_go_on_alone(start_duet, run_duet, stored, wait_until):
    """Its length is the comparison's."""
    process = start_duet(*SIDES, "-r", 100, "--control")
    wait_until(lambda: stored.has_runs(1) and stored.one(
        "SELECT count(*) FROM run WHERE experiment_id = 2") > 0)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert stored.states() == ["interrupted"] * 2
    runs = stored.runs()
    done = run_duet("run", "--resume=2")
    assert done.returncode == 2 and "duet run --resume=1" in done.stderr, done
    assert stored.runs() == runs and stored.states() == ["interrupted"] * 2
    done = run_duet("run", "--resume")
    assert done.returncode == 0
    assert "experiment 1 goes on without its control (experiment 2)" in done.stderr, done.stderr
    assert stored.states() == ["done", "interrupted"]
    done = run_duet("run", "--resume=2")
    assert done.returncode == 2 and "measure both anew" in done.stderr, done


def test_experiments_of_a_suite(run_duet, stored, tmp_path):
    (tmp_path / "suite.yaml").write_text(
        "name: s\nbenchmarks:\n- name: a\n  old: 'true'\n  new: 'false'\n")
    run_duet("suite", "suite.yaml", "-r", 4)
    assert stored.states() == ["failed"]
    done = run_duet("run", "--resume=1")
    assert done.returncode == 2 and "duet suite --resume" in done.stderr, done.stderr
    assert "nothing to resume" in run_duet("run", "--resume").stderr


def test_one_that_is_being_measured(start_duet, run_duet, stored, wait_until):
    process = start_duet("sleep 0.1", "sleep 0.1", "-r", 100)
    wait_until(lambda: stored.has_runs(1))
    done = run_duet("run", "--resume")
    assert done.returncode == 2 and "another process is measuring" in done.stderr, done.stderr
    assert stored.states() == ["running"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_cpu_that_is_gone(interrupted, run_duet, stored):
    """It is not measured on another one."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("two CPUs are needed")
    interrupted(*SIDES, "-r", 30, "--cpus", f"{cpus[0]},{cpus[1]}")
    runs = stored.runs()
    done = run_duet("run", "--resume", preexec_fn=lambda: os.sched_setaffinity(0, {cpus[0]}))
    assert done.returncode == 5 and f"CPU {cpus[1]}" in done.stderr, done
    assert stored.runs() == runs


def test_an_import_is_never_resumed(run_duet, tmp_path, stored):
    """Its sides have names of files, which are no commands."""
    for name in "true", "false":
        (tmp_path / name).write_text("1\n2\n3\n")
    assert run_duet("import", "true", "false").returncode == 0
    connection = sqlite3.connect(stored.path)
    connection.execute("UPDATE experiment SET state = 'running', ended_utc_ms = NULL")
    connection.commit()
    connection.close()
    done = run_duet("run", "--resume")
    assert done.returncode == 2 and "nothing to resume" in done.stderr, done
    done = run_duet("run", "--resume=1")
    assert done.returncode == 2 and "import them anew" in done.stderr, done
    assert stored.runs() == 1


def test_it_goes_on_in_the_folder_where_it_began(interrupted, run_duet, stored, tmp_path):
    """Another one may have other programs and files of the same names."""
    other = tmp_path / "other"
    other.mkdir()
    for folder in tmp_path, other:
        (folder / "in").write_text(f"{folder}\n")
        for name in "old", "new":
            (folder / name).write_text(f"#!/bin/sh\npwd; cat; sleep 0.01 # {name}\n")
            (folder / name).chmod(0o755)
    words = "./old", "./new", "-r", "30"
    interrupted(*words, "--input", "in", "--output", "out")
    done = run_duet("run", "--resume", *words, "--input", "in", "--output", "out", cwd=other)
    assert done.returncode == 2 and "folder" in done.stderr, done
    done = run_duet("run", "--resume", cwd=other)
    assert done.returncode == 0, done
    for name in "out.old", "out.new":
        assert set((tmp_path / name).read_text().split()) == {str(tmp_path)}
        assert not (other / name).exists()
    check_structure(stored, 30)


def test_a_folder_that_is_gone(interrupted, run_duet, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (tmp_path / ".duet").mkdir(0o700)
    interrupted(*SIDES, "-r", 30, "--store", "../.duet/results.db", cwd=old)
    old.rmdir()
    done = run_duet("run", "--resume")
    assert done.returncode == 5 and "began in folder" in done.stderr, done
