"""What bench/truth counts as a contradiction, and its exact intervals."""

import importlib.util
import math
import pathlib

import pytest

PATH = pathlib.Path(__file__).resolve().parents[2] / "bench/truth_judge.py"
SPEC = importlib.util.spec_from_file_location("truth_judge", PATH)
truth = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(truth)

ANY = (-math.inf, math.inf)
SLACK = (0.01, 0.01)


@pytest.mark.parametrize("verdict, interval, values, margin, outcome", [
    ("slower", (0.04, 0.06), [0.05], 0, "right"),
    ("slower", (0.001, math.inf), [0.05], 0, "right"),
    ("faster", (-0.06, -0.04), [0.05], 0, "contradicted"),
    ("slower", (0.20, 0.40), [0.05], 0, "contradicted"),  # the right sign, far away
    ("slower", (0.001, 0.02), [-0.05], 0, "contradicted"),
    ("slower", (0.005, 0.02), [0.0], 0, "inside"),  # below what is known of the truth
    ("slower", (0.02, 0.03), [0.0], 0, "contradicted"),
    ("faster", (-math.inf, -0.2), [0.0], 0, "contradicted"),
    ("unsure", (0.20, 0.40), [0.05], 0, "undecided"),
    ("unsure", ANY, [0.0], 0, "undecided"),
    ("same", (-0.005, 0.005), [0.0], 0.01, "right"),
    ("same", (-0.005, 0.005), [0.015], 0.01, "right"),  # may be below the margin
    ("same", (-0.005, 0.005), [0.05], 0.01, "contradicted"),
    ("same", (-0.005, 0.005), [-0.05], 0.01, "contradicted"),
    # A median and a mean: either supports a sign, both have to be the same.
    ("slower", (0.04, 0.05), [0.0, 0.045], 0, "inside"),
    ("faster", (-0.04, -0.02), [0.0, 0.045], 0, "contradicted"),
    ("same", (-0.005, 0.005), [0.0, 0.045], 0.01, "contradicted"),
])
def test_outcomes(verdict, interval, values, margin, outcome):
    assert truth.judge(verdict, interval, values, SLACK, margin) == outcome


def test_old_and_new_swapped_are_judged_alike():
    for low, high, value in [(0.01, 0.02, 0.0), (0.03, 0.2, 0.05), (0.001, 0.03, -0.02)]:
        assert truth.judge("slower", (low, high), [value], (0.01, 0.3), 0) == \
            truth.judge("faster", (-high, -low), [-value], (0.3, 0.01), 0)


# Clopper and Pearson's interval in closed form where nothing or everything hits.
@pytest.mark.parametrize("hits, trials, low, high", [
    (0, 10, 0.0, 1 - 0.005 ** (1 / 10)), (10, 10, 0.005 ** (1 / 10), 1.0),
    (0, 2000, 0.0, 1 - 0.005 ** (1 / 2000)), (1, 1, 0.005, 1.0), (0, 0, 0.0, 1.0)])
def test_exact_intervals(hits, trials, low, high):
    assert truth.clopper_pearson(hits, trials) == pytest.approx((low, high), abs=1e-9)


def test_an_interval_has_its_error_on_either_side():
    low, high = truth.clopper_pearson(20, 2000)
    assert truth.tail(20, 2000, low) == pytest.approx(0.005, rel=1e-6)
    assert 1 - truth.tail(21, 2000, high) == pytest.approx(0.005, rel=1e-6)


def test_counts_beyond_chance():
    assert truth.hits_too_many(24) == 3
    for trials in (1, 24, 2000):
        hits = truth.hits_too_many(trials)
        assert truth.tail(hits, trials, 0.01) < 0.005 <= truth.tail(hits - 1, trials, 0.01)
