"""Autocorrelation, block lengths, changes and the steady state."""

import csv
import os
from pathlib import Path

import arch.bootstrap
import numpy as np
from statsmodels.tsa.stattools import acf

from comparison import ar1

SHARED = Path(os.environ.get("DUET_SHARED",
                             Path(__file__).resolve().parents[3] / "shared"))
STEADY = 3  # STATS_WARMUP_STEADY


def any_series(c, least, most):
    if c.case % 100 == 99:
        return ar1(c.rng, 20_000, 0.9)
    count = int(c.rng.choice([least, least + 1, least + 2, c.rng.integers(least, most)]))
    values = ar1(c.rng, count, c.rng.uniform(-0.9, 0.95))
    if c.case % 7 == 3:
        values = np.round(values)  # ties
        values[0] += 20.0          # not constant
    return values * 10.0 ** c.rng.integers(-9, 10) + c.rng.choice([0.0, 1.0])


def centred(values):
    """In 80 bits, as the oracles' own means would cost them digits of values that agree
    in the first nine."""
    wide = values.astype(np.longdouble)
    return (wide - wide.mean()).astype(float)


def correlation(c):
    def one():
        values = any_series(c, 2, 300)
        lags = min(15, len(values) - 1)
        expected = acf(centred(values), nlags=lags, fft=False)
        scale = 2.0 ** float(c.rng.choice([0, 0, -900, 900]))
        return c.stats.autocorrelation(values * scale, lags), expected, 1.0
    c.exact("stats_autocorrelation", "statsmodels acf", one)


def lengths(c):
    def one():
        values = any_series(c, 12, 600)
        expected = arch.bootstrap.optimal_block_length(centred(values)).to_numpy()[0]
        # The unit does not matter; arch itself would lose it at these.
        scale = 2.0 ** float(c.rng.choice([0, 0, -900, 900]))
        return c.stats.block_lengths(values * scale), expected
    c.exact("stats_block_lengths_estimate", "arch optimal_block_length", one)

    path = SHARED / "oracle" / "block_length.csv"
    if not path.exists():
        c.skip(f"shared data is not at {SHARED}: block lengths of measured series")
        return
    rows = list(csv.DictReader(path.open()))

    def measured():
        row = rows[c.case]
        values = np.loadtxt(SHARED / "data/metior" / row["file"])[:int(row["n_used"])]
        expected = [float(row["arch_sb"]), float(row["arch_cb"])]
        live = arch.bootstrap.optimal_block_length(values).to_numpy()[0]
        return [*c.stats.block_lengths(values)] * 2, [*expected, *live], \
            np.array([*expected, *live]) * [1e3, 1e3, 1, 1]  # the file has 10 decimals
    c.exact("stats_block_lengths_estimate", "block_length.csv and arch, measured",
            measured, cases=len(rows))


def segment_costs(values, floor, end):
    """Of the segments [begin, end), for every begin."""
    sizes = end - np.arange(end)
    sums = np.cumsum(values[:end][::-1])[::-1]
    squares = np.cumsum(values[:end][::-1] ** 2)[::-1]
    variance = np.maximum(squares / sizes - (sums / sizes) ** 2, 0)
    return np.where(variance > floor, sizes * np.log(np.maximum(variance, floor)),
                    sizes * (np.log(floor) + variance / floor - 1))


def partition(values, penalty):
    """The best of all segmentations with segments of two values or more, by dynamic
    programming without pruning: its cost and its beginnings."""
    step = np.diff(np.unique(values))
    values = values.astype(np.longdouble) - values.mean()
    floor = max(1e-6 * np.mean(values**2), step.min() ** 2 / 12)
    best = np.full(len(values) + 1, np.inf, dtype=np.longdouble)
    best[0] = -penalty
    begins = np.zeros(len(values) + 1, dtype=int)
    for end in range(2, len(values) + 1):
        costs = best[:end] + segment_costs(values, floor, end) + penalty
        costs[end - 1] = np.inf
        begins[end] = np.argmin(costs)
        best[end] = costs[begins[end]]
    starts, end = [], len(values)
    while end > 0:
        end = int(begins[end])
        starts.insert(0, end)
    return best[-1], starts


def stepped(c):
    values = np.concatenate([
        c.rng.normal(c.rng.choice([0, 0, 2, 10]), c.rng.choice([0.5, 1, 3]),
                     int(c.rng.integers(2, 30))) for _ in range(c.rng.integers(1, 5))])
    return values if len(values) >= 4 else c.rng.normal(0, 1, 4)


def changes(c):
    def steady():
        values, penalty = stepped(c), float(c.rng.choice([1, 3, 15]))
        share = float(c.rng.uniform(0.1, 0.6))
        if c.case % 2:  # the defaults, and what is made of them
            penalty, share = 15.0, 0.25
        starts = partition(values, penalty * np.log(len(values)))[1]
        start, last = starts[-1], values[starts[-1]:]
        for before, end in zip(starts[-2::-1], starts[:0:-1]):
            limit = last.std() + 1e-9 * values.std()
            if abs(values[before:end].mean() - last.mean()) > limit:
                break
            start = before
        good = len(values) - start >= share * len(values)
        if c.case % 2:
            try:
                return c.stats.warmup(values, STEADY), start if good else np.nan, 1.0
            except Exception:  # no steady state
                return np.nan, start if good else np.nan, 1.0
        return c.stats.steady(values, penalty, share), (start, good), 1.0
    c.exact("stats_steady_find, _warmup_length: steady", "its definition in numpy", steady,
            0.0)


def run(c):
    with np.errstate(all="ignore"):
        for part in (correlation, lengths, changes):
            part(c)
