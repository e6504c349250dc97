"""Designs of several levels, and strata, beside plain numpy."""

import numpy as np

import stats_library as lib
from comparison import replicate_errors
from part_blocks import OURS, STATISTICS, cv_noise
from part_columns import random_design

THEIRS = 200


def drawn(c, values, sizes, fixed):
    """THEIRS resamples: level by level, the units of all replicates at a time."""
    units, owner = np.zeros(THEIRS, dtype=int), np.arange(THEIRS)
    for level, row in enumerate(sizes):
        size = np.array(row)
        start = np.concatenate([[0], np.cumsum(size)[:-1]])
        own = np.repeat(units, size[units])
        if level < fixed:
            counts = size[units]
            place = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        else:
            place = c.rng.integers(0, size[own])
        owner = np.repeat(owner, size[units])
        units = start[own] + place
    return np.split(values[units], np.flatnonzero(np.diff(owner)) + 1)


def run(c):
    def design(depth, fixed):
        def one():
            _, kind, fraction, function = STATISTICS[c.case % len(STATISTICS)]
            sizes = random_design(c, depth)
            count = sum(sizes[-1])
            if kind == lib.CV and (count < 2 or len(set(sizes[-1])) == 1 == sizes[-1][0]):
                kind, function = lib.MEAN, np.mean
            values = c.rng.lognormal(1, 0.6, count)
            ask = lib.question([values], kind, fraction, sizes=sizes, fixed=fixed)
            try:
                ours = c.stats.resample(ask, OURS, c.case)[1]
            except lib.StatsError:  # a resample of one value has no CV
                kind, function = lib.MEAN, np.mean
                ask = lib.question([values], kind, fraction, sizes=sizes, fixed=fixed)
                ours = c.stats.resample(ask, OURS, c.case)[1]
            theirs = [function(x, 0) for x in drawn(c, values, sizes, fixed)]
            return replicate_errors(ours, theirs, cv_noise(kind, values))
        return one
    with np.errstate(all="ignore"):
        for depth, fixed in ((2, 1), (3, 0), (3, 1), (4, 1)):
            c.random(f"stats_resample, {depth} levels, {fixed} fixed", "numpy",
                     design(depth, fixed))
