"""duet rm and duet prune: what goes, what stays, and a store that is whole afterwards."""

import signal
import sqlite3

import pytest

SUITE = """name: s
benchmarks:
  - {name: a, old: "true", new: "true", runs: 4}
  - {name: b, old: "true", new: "true", runs: 4}
"""
JMH = ('[{"benchmark": "a.B", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op",'
       ' "rawData": [[1.5, 2.5], [3.5, 4.5]]}}]')


def experiments(stored):
    return [number for (number,) in stored.rows("SELECT id FROM experiment ORDER BY id")]


def is_empty(stored):
    """Of rows; what every store has from the beginning is left."""
    tables = [name for (name,) in stored.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    rows = {name: stored.one(f"SELECT count(*) FROM {name}") for name in tables}
    return {name for name, count in rows.items() if count > 0} == {"metric"}


def make_old(stored, *numbers, days=40):
    with sqlite3.connect(stored.path) as database:
        for number in numbers:
            database.execute("UPDATE experiment SET ended_utc_ms = ended_utc_ms - ? WHERE id = ?",
                             (days * 86400000, number))
    database.close()


def measure(run_duet, *names):
    for name in names:
        assert run_duet("-q", "-r", 2, "--name", name, "true", "true").returncode == 0


def test_by_every_name(run_duet, stored):
    measure(run_duet, "a", "b", "c", "d", "e")
    uuid = stored.one("SELECT uuid FROM experiment WHERE id = 2")
    done = run_duet("rm", "1", uuid[:8], "c", "last", "1")
    assert done.returncode == 0 and done.stderr == "", done
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["id", "1", "2", "3", "5",
                                                                      "removed"]
    assert done.stdout.endswith("removed 4 experiments\n")
    assert experiments(stored) == [4]
    stored.check()
    # An id is never used again.
    measure(run_duet, "f")
    assert run_duet("rm", "4", "6").returncode == 0
    assert is_empty(stored)
    measure(run_duet, "g")
    assert experiments(stored) == [7]


@pytest.mark.parametrize("words", [["1", "99"], ["99", "1"], ["1", ""], ["1", "nobody"]])
def test_all_or_nothing(run_duet, stored, words):
    measure(run_duet, "a")
    done = run_duet("rm", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert "no experiment '" in done.stderr and "nothing was removed" in done.stderr
    assert experiments(stored) == [1]


def test_wrong_usage(run_duet, stored):
    for words, wrong in ((["rm"], "expected at least one ID"), (["prune"], "expected --older AGE"),
                         (["prune", "--older", "30"], "'30' is not an age"),
                         (["prune", "--older", "2026-11-23"], "is not an age"),
                         (["prune", "--older", "1d", "x"], "unexpected argument 'x'"),
                         (["rm", "1"], "no store at"),
                         (["prune", "--older", "1d"], "no store at")):
        done = run_duet(*words)
        assert done.returncode == 2 and wrong in done.stderr, done
    assert not stored.path.exists()


def test_what_is_measured_stays(run_duet, start_duet, stored, wait_until):
    measure(run_duet, "a")
    process = start_duet("--until", "time=50s", "sleep 0.002", "sleep 0.002")
    wait_until(lambda: stored.has_runs(4))
    done = run_duet("rm", "1", "2")
    assert done.returncode == 2 and "experiment 2 is being measured" in done.stderr
    assert experiments(stored) == [1, 2]
    done = run_duet("prune", "--older", "0d")
    assert done.returncode == 0 and "removed 1 experiment\n" in done.stdout
    assert "the file keeps its size, since another process is measuring" in done.stdout
    assert experiments(stored) == [2]
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)
    # One that was killed is measured by nobody.
    wait_until(lambda: run_duet("rm", "2").returncode == 0)
    stored.check()
    assert is_empty(stored)


def test_a_watch(run_duet, start_duet, stored, wait_until):
    process = start_duet("watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                         "--max-intervals", 0, "--error", "0.0001%")
    wait_until(lambda: stored.has_runs(4))
    done = run_duet("rm", "1")
    assert done.returncode == 2
    assert f"watch 1 is running (process {process.pid})" in done.stderr
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert run_duet("rm", "1").returncode == 0
    stored.check()
    assert is_empty(stored)


@pytest.mark.slow
def test_suites_and_data_sets(run_duet, stored, tmp_path):
    (tmp_path / "s.yaml").write_text(SUITE)
    (tmp_path / "jmh.json").write_text(JMH)
    assert run_duet("suite", "s.yaml", "-q").returncode == 0
    assert run_duet("import", "-q", "jmh.json").returncode == 0
    assert run_duet("rm", "1", "3").returncode == 0
    stored.check()
    assert not stored.rows("SELECT * FROM trial")
    assert stored.one("SELECT count(*) FROM suite_run") == 1
    # What is left is judged alone, by the list as by the answer.
    verdict = run_duet("list").stdout.splitlines()[1].split()[7]
    assert verdict in run_duet("show", "2").stdout
    assert run_duet("compare", "2").returncode == 0
    assert run_duet("rm", "2").returncode == 0
    stored.check()
    assert is_empty(stored)


def test_prune(run_duet, stored):
    measure(run_duet, "a", "b", "c", "d")
    make_old(stored, 1, 2, 3)
    dry = run_duet("prune", "--older", "30d", "--dry-run")
    assert dry.returncode == 0 and dry.stdout.endswith("would remove 3 experiments\n")
    assert experiments(stored) == [1, 2, 3, 4]
    kept = run_duet("prune", "--older", "30d", "--keep", 2)
    assert "removed 2 experiments\n" in kept.stdout and experiments(stored) == [3, 4]
    none = run_duet("prune", "--older", "50d")
    assert none.returncode == 0 and "nothing to remove" in none.stderr and none.stdout == ""
    assert run_duet("prune", "--older", "30d").returncode == 0
    assert experiments(stored) == [4]
    stored.check()


def test_prune_takes_what_was_judged_together_together(run_duet, stored):
    assert run_duet("-q", "-r", 2, "-L", "x", "1,2,3", "true {x}", "true {x}").returncode == 0
    assert stored.one("SELECT count(DISTINCT family_id) FROM experiment") == 1
    make_old(stored, 1, 2)
    assert "nothing to remove" in run_duet("prune", "--older", "30d").stderr
    make_old(stored, 3)
    assert run_duet("prune", "--older", "30d").returncode == 0
    assert is_empty(stored)


@pytest.fixture(name="controlled")
def fixture_controlled(run_duet, stored):
    """1, and 2 as its control, both old; 3."""
    assert run_duet("-q", "-r", 2, "--control", "true", "true").returncode == 0
    assert stored.rows("SELECT * FROM companion") == [(2, 1, "control")]
    make_old(stored, 1, 2)
    measure(run_duet, "b")


def test_a_control_goes_with_its_experiment(run_duet, stored, controlled):
    """By itself it would be a comparison like any other."""
    del controlled
    done = run_duet("rm", "1")
    assert done.returncode == 0, done
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["id", "1", "2", "removed"]
    assert done.stdout.endswith("removed 2 experiments\n")
    assert experiments(stored) == [3]
    stored.check()


def test_a_control_can_go_alone(run_duet, stored, controlled):
    del controlled
    assert "removed 1 experiment\n" in run_duet("rm", "2").stdout
    assert experiments(stored) == [1, 3]
    assert not stored.rows("SELECT * FROM companion")


def test_prune_takes_a_control_with_its_experiment(run_duet, stored, controlled):
    del controlled
    make_old(stored, 1, days=-30)
    assert "nothing to remove" in run_duet("prune", "--older", "30d").stderr
    make_old(stored, 1, days=30)
    make_old(stored, 2, days=-30)
    assert "nothing to remove" in run_duet("prune", "--older", "30d").stderr
    make_old(stored, 2, days=30)
    assert "nothing to remove" in run_duet("prune", "--older", "30d", "--keep", 2).stderr
    assert run_duet("baseline", "main", "1").returncode == 0
    assert "nothing to remove" in run_duet("prune", "--older", "30d").stderr
    assert run_duet("baseline", "-d", "main").returncode == 0
    assert "removed 2 experiments\n" in run_duet("prune", "--older", "30d").stdout
    assert experiments(stored) == [3]
    stored.check()


def test_prune_makes_the_file_smaller(run_duet, stored, integer):
    assert run_duet("-q", "-r", 4, "-I", 3000, integer(10), integer(10)).returncode == 0
    measure(run_duet, "small")
    make_old(stored, 1)
    before = stored.path.stat().st_size
    done = run_duet("prune", "--older", "30d")
    assert done.returncode == 0 and "the file has " in done.stdout, done
    assert stored.path.stat().st_size < before / 2
    stored.check()
    assert run_duet("show", "2").returncode == 0
