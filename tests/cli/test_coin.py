"""What a coin is tossed for: a block of two runs, or also a single run."""

import json
import sqlite3

import pytest

STORE = ".duet/results.db"


def runs_of(tmp_path, experiment=1):
    """(block, position of old) of every run, in order."""
    with sqlite3.connect(tmp_path / STORE) as store:
        return store.execute(
            "SELECT block, position FROM run JOIN run_side ON run_id = run.id AND side = 0"
            " WHERE experiment_id = ? ORDER BY idx", (experiment,)).fetchall()


def sizes_of(runs):
    """Of the blocks, in order; those of two swap the positions."""
    blocks = {}
    for block, position in runs:
        blocks.setdefault(block, []).append(position)
    assert list(blocks) == list(range(len(blocks)))
    for positions in blocks.values():
        assert positions in ([0], [1], [0, 1], [1, 0])
    return [len(positions) for positions in blocks.values()]


def answer_of(run_duet, *arguments):
    done = run_duet(*arguments, "--export-json", "-", "-q")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)["comparisons"]
    return comparison


def undecided(*schedule):
    return ["--until", "decided,runs=20", "--same-within", "0.00001%", *schedule]


@pytest.mark.parametrize("schedule, sizes", [
    (["--schedule", "duet"], [2, 2] + 12 * [1] + [2, 2]),
    (["--schedule", "timeslice"], [2, 2] + 12 * [1] + [2, 2]),
    # Programs that wait do not take turns: known after one block of duet.
    ([], [2, 2] + 12 * [1] + [2, 2])])
@pytest.mark.slow
def test_single_runs_have_a_coin_while_a_verdict_may_come(run_duet, tmp_path, schedule, sizes):
    comparison = answer_of(run_duet, "run", "sleep 0.02", "sleep 0.02", *undecided(*schedule))
    measured = sizes_of(runs_of(tmp_path))
    # A verdict by chance ends it sooner.
    assert measured == sizes[:len(measured)] and len(measured) >= 8
    assert comparison["analysis"]["coin"] == "run"
    assert comparison["interval"]["unit"] == "runs+blocks"
    assert answer_of(run_duet, "show", "last") == comparison


@pytest.mark.slow
def test_a_clear_change_takes_ten_runs(run_duet, tmp_path):
    comparison = answer_of(run_duet, "run", "--schedule", "duet", "--until", "decided",
                           "sleep 0.02", "sleep 0.06")
    assert comparison["verdict"] == "slower"
    assert 10 <= comparison["runs"] < 16 and len(runs_of(tmp_path)) == comparison["runs"]


@pytest.mark.parametrize("arguments", [
    ["-r", "20"], ["-r", "20", "--interval", "anytime"], ["--until", "time=1s"]])
@pytest.mark.slow
def test_a_number_of_runs_has_blocks_alone(run_duet, tmp_path, arguments):
    comparison = answer_of(run_duet, "run", "--schedule", "duet", *arguments, "sleep 0.02",
                           "sleep 0.02")
    assert set(sizes_of(runs_of(tmp_path))) == {2}
    assert comparison["analysis"]["coin"] == "block"
    assert comparison["interval"]["unit"] == "blocks"


def test_batches_of_short_commands_are_whole_blocks(run_duet, tmp_path):
    answer_of(run_duet, "run", "true", "true", *undecided("--schedule", "duet"))
    runs = runs_of(tmp_path)
    assert len(runs) >= 10
    assert sum(sizes_of(runs)) == len(runs)


def without_coin(tmp_path):
    """As a version wrote it that knew of blocks only."""
    with sqlite3.connect(tmp_path / STORE) as store:
        (text,) = store.execute("SELECT analysis FROM experiment").fetchone()
        analysis = json.loads(text)
        del analysis["coin"]
        store.execute("UPDATE experiment SET analysis = ?", (json.dumps(analysis),))


@pytest.mark.slow
def test_an_older_experiment_is_analysed_as_it_was(run_duet, tmp_path):
    before = answer_of(run_duet, "run", "--schedule", "duet", "-r", "20", "--interval",
                       "anytime", "sleep 0.01", "sleep 0.02")
    without_coin(tmp_path)
    assert answer_of(run_duet, "show", "last") == before


@pytest.mark.slow
def test_other_intervals_take_single_runs_in_pairs(run_duet, tmp_path):
    """Two runs of the two assignments make a block; what is left over is left out."""
    answer_of(run_duet, "run", "--schedule", "duet", "--until", "decided", "sleep 0.02",
              "sleep 0.06")
    runs = runs_of(tmp_path)
    alone = [position for at, (block, position) in enumerate(runs)
             if [other for other, _ in runs].count(block) == 1 and at >= 4]
    left_out = abs(alone.count(0) - alone.count(1))
    comparison = answer_of(run_duet, "show", "last", "--interval", "t")
    assert comparison["interval"]["unit"] == "blocks"
    assert 2 < comparison["ratio"] < 4
    said = [warning for warning in comparison["warnings"] if "no partner" in warning["text"]]
    assert len(said) == (left_out > 0)
    if said:
        assert f"{left_out} of {len(runs)} runs" in said[0]["text"]
