"""--until: when a measurement ends."""

import json
import time

import pytest

SHORT, LONG = "sleep 0.002", "sleep 0.02"


@pytest.fixture(name="measured")
def measured_fixture(run_duet, validate):
    """The comparisons of `duet ARGUMENTS`, and the completed process."""
    def run(*arguments):
        result = run_duet(*arguments, "-q", "--export-json", "-", timeout=60)
        assert result.returncode == 0, result.stderr
        document = json.loads(result.stdout)
        validate(document)
        return document["comparisons"]
    return run


def test_a_clear_difference_is_decided_early(measured, run_duet, stored):
    answer = measured(SHORT, LONG, "--until", "decided")[0]
    assert answer["verdict"] == "slower"
    assert answer["interval"]["method"] == "anytime"
    # Open ends are closed before it stops, and the estimate is not one of them.
    assert 1 < answer["interval"]["low"] < answer["ratio"] < answer["interval"]["high"]
    assert 10 <= answer["runs"] < 200
    assert answer["estimator"] == "median"
    assert stored.one("SELECT json_extract(plan, '$.until') FROM experiment") == "decided"
    shown = json.loads(run_duet("show", "--export-json", "-").stdout)["comparisons"][0]
    assert shown["interval"] == answer["interval"]
    assert shown["ratio"] == answer["ratio"]


def test_the_other_side_too(measured):
    answer = measured(LONG, SHORT, "--until", "decided")[0]
    assert answer["verdict"] == "faster"
    assert 0 < answer["interval"]["low"] < answer["ratio"] < answer["interval"]["high"] < 1


def test_a_limit_is_what_is_decided(measured):
    answer = measured(SHORT, SHORT, "--until", "decided", "--max-slowdown", "400%")[0]
    assert answer["interval"]["high"] < 5
    assert answer["runs"] < 500


def test_the_same_is_decided_within_a_band(measured):
    answer = measured(SHORT, SHORT, "--until", "decided", "--same-within", "400%")[0]
    assert answer["verdict"] == "same"
    assert 1 / 5 <= answer["interval"]["low"] and answer["interval"]["high"] <= 5
    assert answer["runs"] < 500


def test_precision(measured):
    answer = measured(SHORT, SHORT, "--until", "precision=200%")[0]
    interval = answer["interval"]
    assert interval["method"] == "anytime"
    assert (interval["high"] - interval["low"]) / 2 <= 2
    assert answer["runs"] < 500


@pytest.mark.slow
def test_the_budget_ends_what_cannot_be_decided(measured):
    begin = time.monotonic()
    answer = measured(SHORT, SHORT, "--until", "precision=0.0001%,time=1s")[0]
    assert time.monotonic() - begin > 0.5 and answer["runs"] >= 2
    capped = measured(SHORT, SHORT, "--until", "precision=0.0001%,runs=20")[0]
    assert capped["runs"] == 20


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("-r", 1000000, "--until", "time=1s"),
                                       ("--until", "runs=1000000,time=1s")])
def test_a_time_ends_a_number_of_runs(measured, arguments):
    answer, = measured(SHORT, SHORT, *arguments)
    assert 2 <= answer["runs"] < 100000


@pytest.mark.parametrize("arguments, runs", [
    (("--until", "runs=3,time=60s"), 3),
    (("--until", "time=60s", "-M", 3), 3),
    (("--schedule", "interleaved", "--until", "time=60s", "-M", 5), 5),
    (("-M", 1), 1),
])
def test_an_odd_number_of_runs_at_most(run_duet, stored, arguments, runs):
    assert run_duet("true", "true", *arguments).returncode == 0
    assert stored.runs() == runs


@pytest.mark.timing
def test_one_side_after_the_other_shares_the_time(measured, stored):
    measured(LONG, "sleep 0.04", "--schedule", "sequential", "--until", "time=2s")
    (old_runs, old_began, old_ended), (new_runs, new_began, new_ended) = stored.rows(
        "SELECT count(*), min(started_ns) / 1e9, max(ended_ns) / 1e9 FROM run JOIN iteration "
        "ON run_id = id GROUP BY side ORDER BY side")
    assert old_ended <= new_began
    assert 0.9 < old_ended - old_began < 1.3 and 0.7 < new_ended - new_began < 1.2
    assert 20 < old_runs <= 52 and 10 < new_runs <= 26


@pytest.mark.parametrize("arguments, runs", [
    (("--until", "time=100ms", "-m", 5), 5),
    (("--until", "time=60s", "-M", 4), 4),
    (("--until", "time=10ms"), 2),
    (("--until", "time=60s,runs=3"), 3),
])
def test_one_side_after_the_other_is_bounded(measured, stored, arguments, runs):
    measured("sleep 0.06", "sleep 0.05", "--schedule", "sequential", *arguments)
    assert stored.rows("SELECT run.idx, side FROM run JOIN iteration ON run_id = run.id ORDER BY 1") == [
        (run, int(run >= runs)) for run in range(2 * runs)]


@pytest.mark.slow
def test_several_benchmarks_share_the_error(measured):
    answers = measured("sleep {t}", LONG, "-L", "t", "0.002,0.004", "--until", "decided")
    assert [answer["interval"]["confidence"] for answer in answers] == [0.995, 0.995]
    assert {answer["verdict"] for answer in answers} == {"slower"}


@pytest.mark.parametrize("arguments, says", [
    (["--until", "decided", "--interval", "t"], "anytime"),
    (["--until", "precision=1%", "--schedule", "interleaved"], "pairs"),
    (["--until", "decided", "--statistic", "p90"], "anytime"),
    (["--until", "precision=0"], "above 0"),
    (["--until", "precision=x"], "precision"),
    (["--until", "whenever"], "decided, precision=P"),
    (["--until", "decided,"], "the rules are"),
    (["--until", "decided,precision=1%"], "one of decided and precision"),
])
def test_wrong_rules(run_duet, arguments, says):
    result = run_duet("true", "true", *arguments)
    assert result.returncode == 2 and says in result.stderr, result.stderr


@pytest.mark.rotating(2)
@pytest.mark.quiet
def test_runs_of_a_program_that_starts_slowly_become_longer(run_duet, integer, program, stored):
    """As long as its start takes, until the spread is known."""
    slow = program("slow", f"sleep 0.15\nexec {integer()}\n")
    result = run_duet(slow, slow, "--until", "decided,runs=8", "-q", timeout=60)
    assert result.returncode == 0, result.stderr
    assert stored.one("SELECT json_extract(plan, '$.adapt_run_time') FROM experiment") == 1
    long = stored.one("SELECT min(n) FROM (SELECT count(*) AS n FROM iteration"
                      " JOIN run ON run.id = run_id WHERE run.idx >= 2 GROUP BY run_id)")
    first = stored.one("SELECT max(n) FROM (SELECT count(*) AS n FROM iteration"
                       " JOIN run ON run.id = run_id WHERE run.idx < 2 GROUP BY run_id)")
    assert long > 2 * first
