"""The bootstrap of means: columns, two levels, the shuffled control, coverage."""

import numpy as np
import scipy.stats

from comparison import replicate_errors
from part_blocks import OURS, THEIRS, values_of
from part_summaries import MEAN, MEDIAN, TRIMMED

PERCENTILE = 1  # STATS_COVERAGE_PERCENTILE
LOCATIONS = {MEAN: np.mean, MEDIAN: np.median,
             TRIMMED: lambda x, axis: scipy.stats.trim_mean(x, 0.2, axis)}


def means(c):
    def columns():
        values = values_of(c)
        width = int(c.rng.integers(1, 33))
        table = values[:, None] * c.rng.lognormal(0, 0.5, (len(values), width))
        which = int(c.rng.integers(width))
        ours = c.stats.bootstrap_means(table, OURS, c.case)[which]
        theirs = scipy.stats.bootstrap(
            (table[:, which],), np.mean, n_resamples=THEIRS, method="percentile",
            vectorized=True, rng=c.rng).bootstrap_distribution
        return replicate_errors(ours, theirs)
    c.random("stats_bootstrap_means", "scipy bootstrap", columns)

    def large():
        """The mean and the spread of the replicates are known."""
        count = (100_000, 1_000_000)[c.case % 2]
        values = c.rng.lognormal(0, 1, count)
        made = c.stats.bootstrap_means(values[:, None], 300, c.case)[0]
        error = values.std() / np.sqrt(count)
        return [(made.mean() - values.mean()) / (error / np.sqrt(300)),
                (made.var() * 300 / 299 / error**2 - 1) * np.sqrt(299 / 2)]
    c.random("stats_bootstrap_means, 10^5 and 10^6", "closed form", large, cases=10)


def two_levels(c):
    def resampled(runs, location):
        """Each run's resamples, as many as there are places for a drawn run."""
        count = len(runs)
        made = np.stack([
            LOCATIONS[location](run[c.rng.integers(0, len(run),
                                                   (THEIRS * count, len(run)))], axis=1)
            for run in runs]).reshape(count, THEIRS, count)
        drawn = c.rng.integers(0, count, (THEIRS, count))
        return np.take_along_axis(made, drawn[None], 0)[0].mean(1)

    def one():
        location = int(c.rng.choice([MEAN, TRIMMED, MEDIAN]))
        sides = [[np.sort(c.rng.lognormal(1, 0.5, int(c.rng.integers(1, 15))))
                  for _ in range(c.rng.integers(1, 8))] for _ in range(2)]
        ours = c.stats.twolevel(*sides, location, OURS, c.case)
        return replicate_errors(ours, resampled(sides[1], location) -
                                resampled(sides[0], location))
    c.random("stats_twolevel_difference", "its definition in numpy", one)


def derangement(rng, count):
    while True:
        order = rng.permutation(count)
        if not np.any(order == np.arange(count)):
            return order


def shuffled(c):
    repeats, shuffles, replicates, level = 5, 15, 100, 0.9

    def width(start, end, location):
        widths, draws = [], c.rng.integers(0, len(start), (replicates, len(start)))
        for _ in range(shuffles):
            partner = derangement(c.rng, len(start))
            values = []
            for old, new in zip(start, (end[p] for p in partner)):
                size = min(len(old), len(new))
                values.append(LOCATIONS[location](
                    c.rng.permutation(new)[:size] - c.rng.permutation(old)[:size], axis=0))
            made = np.array(values)[draws].mean(1)
            low, high = np.quantile(made, ((1 - level) / 2, (1 + level) / 2))
            widths.append(np.exp(high) - np.exp(low))
        return np.median(widths)

    def one():
        location, count = int(c.rng.choice([MEAN, TRIMMED, MEDIAN])), int(c.rng.integers(4, 9))
        start, end = ([c.rng.normal(0, 0.3, int(c.rng.integers(1, 6)))
                       for _ in range(count)] for _ in range(2))
        ours = np.array([c.stats.shuffled_width(start, end, location, shuffles, level,
                                                replicates, repeats * c.case + seed)
                         for seed in range(repeats)])
        theirs = np.array([width(start, end, location) for _ in range(repeats)])
        # A t of few repeats, as the normal quantile of the same tail.
        t = scipy.stats.ttest_ind(ours, theirs).statistic
        return scipy.stats.norm.isf(scipy.stats.t.sf(t, 2 * repeats - 2))
    c.random("stats_shuffled_width", "its definition in numpy", one)


def coverage(c):
    def simulated(count, samples=1500, replicates=2000):
        """Share of normal samples whose percentile interval holds 0."""
        held = 0
        for _ in range(samples):
            values = c.rng.normal(0, 1, count)
            made = values[c.rng.integers(0, count, (replicates, count))].mean(1)
            low, high = np.quantile(made, (0.005, 0.995))
            held += low <= 0 <= high
        return held / samples

    def one():
        count = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 30)[c.case]
        share = c.stats.library.stats_coverage_measured(PERCENTILE, count, 0.99)
        return (simulated(count) - share) / \
            np.sqrt(share * (1 - share) * (1 / 1500 + 1 / 10_000))
    c.random("stats_coverage_measured, percentile", "numpy simulation", one, cases=13)


def run(c):
    with np.errstate(all="ignore"):
        for part in (means, two_levels, shuffled, coverage):
            part(c)
