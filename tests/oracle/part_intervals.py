"""Intervals. scipy makes its own from the replicates that src/stats drew, so that they
must agree to all digits; studentized ones beside scipy's resamples."""

from types import SimpleNamespace

import numpy as np
import scipy.stats

import stats_library as lib
from comparison import share_errors
from part_blocks import OURS, STATISTICS, values_of

REPLICATES = 400
METHODS = (("percentile", lib.PERCENTILE), ("basic", lib.BASIC), ("BCa", lib.BCA))


def contrasted(function, contrast):
    if contrast == lib.NONE:
        return function
    if contrast == lib.DIFFERENCE:
        return lambda x, y, axis: function(y, axis) - function(x, axis)
    return lambda x, y, axis: function(y, axis) / function(x, axis)


def random_question(c):
    """What src/stats is asked, and the same for scipy. Every resample has an answer: a
    ratio of CVs might not."""
    while True:
        asked = any_question(c)
        try:
            c.stats.resample(asked[0], REPLICATES, c.case)
            return asked
        except lib.StatsError:
            pass


def any_question(c):
    _, kind, fraction, function = STATISTICS[c.case % len(STATISTICS)]
    contrast = int(c.rng.integers(3))
    old, new = values_of(c, 4), values_of(c, 4)
    new *= old.mean() / new.mean() * c.rng.uniform(0.5, 2)
    paired = contrast != lib.NONE and bool(c.rng.integers(2))
    if paired:
        new = old * c.rng.lognormal(0, 0.3, len(old))
    groups = [old] if contrast == lib.NONE else [old, new]
    scheme = int(c.rng.choice([lib.UNITS, lib.UNITS, lib.CIRCULAR, lib.STATIONARY]))
    ask = lib.question(groups, kind, fraction, scheme, 2.0, contrast, paired)
    return ask, groups, contrasted(function, contrast), paired


def with_ties(replicates, estimate, groups, ask):
    """A replicate that differs from scipy's estimate by rounding alone is a tie, which
    scipy could not see."""
    function = STATISTICS[ask.statistic.kind][3]
    scale = abs(estimate)
    if ask.contrast == lib.DIFFERENCE:
        scale = sum(abs(function(values, 0)) for values in groups)
    near = np.abs(replicates - estimate) <= 64 * np.finfo(float).eps * scale
    return np.where(near, estimate, replicates)


def jackknife_is_flat(function, groups, paired):
    """Whether no value's absence changes the estimate, but for rounding."""
    for which, values in enumerate(groups):
        without = [function(*[np.delete(x, i) if g == which or paired else x
                              for g, x in enumerate(groups)], axis=-1)
                   for i in range(len(values))]
        if np.ptp(without) > 1e-14 * max(np.max(np.abs(x)) for x in groups):
            return False
    return True


def without_acceleration(replicates, estimate, level):
    """Where no value's absence changes the estimate scipy divides 0 by 0; the limit is
    the bias-corrected interval. All replicates on one side: none."""
    bias = scipy.stats.norm.ppf(np.mean(replicates < estimate) +
                                np.mean(replicates == estimate) / 2)
    if not np.isfinite(bias):
        return [np.nan, np.nan]
    z = scipy.stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    return list(np.quantile(replicates, scipy.stats.norm.cdf(2 * bias + z)))


def exact(c):
    for word, method in METHODS:
        def one(word=word, method=method):
            (ask, groups, function, paired), level = random_question(c), c.level()
            estimate, replicates = c.stats.resample(ask, REPLICATES, c.case)
            replicates = with_ties(replicates, function(*groups, axis=-1), groups, ask)
            expected = scipy.stats.bootstrap(
                groups, function, n_resamples=0, confidence_level=level, method=word,
                paired=paired, vectorized=True,
                bootstrap_result=SimpleNamespace(
                    bootstrap_distribution=replicates)).confidence_interval
            if method == lib.BCA and (np.isnan(expected[0]) or
                                      jackknife_is_flat(function, groups, paired)):
                expected = without_acceleration(
                    replicates, function(*groups, axis=-1), level)
            try:
                got = c.stats.interval(ask, method, level, REPLICATES, c.case)
            except lib.StatsError:
                got = (np.nan, np.nan)  # as scipy says it
            spread = np.max(np.abs(replicates)) + abs(estimate)
            return got, list(expected), spread
        c.exact(f"stats_resample_interval, {word}", "scipy bootstrap, same replicates",
                one)

    def plain():
        replicates, level = c.sample(large=True), c.level()
        tail = (1 - level) / 2
        return (c.stats.percentile(replicates, level),
                np.quantile(replicates, (tail, 1 - tail)), np.max(np.abs(replicates)))
    c.exact("stats_interval_percentile", "numpy quantile", plain, 1e-13)

    def of_mean():
        values, level = values_of(c), c.level()
        means = c.stats.bootstrap_means(values[:, None], REPLICATES, c.case)[0]
        tail = (1 - level) / 2
        return (c.stats.bootstrap_percentile(values, level, REPLICATES, c.case),
                np.quantile(means, (tail, 1 - tail)), np.max(values))
    c.exact("stats_bootstrap_percentile", "numpy quantile, same replicates", of_mean,
            1e-13)


def random_ends(c):
    for word, method in METHODS[:2]:
        def one(word=word, method=method):
            """Where our ends lie among scipy's replicates."""
            values, level = values_of(c, 8), 0.9
            theirs = scipy.stats.bootstrap(
                (values,), np.mean, n_resamples=1000, method="percentile",
                vectorized=True, rng=c.rng).bootstrap_distribution
            low, high = c.stats.interval(lib.question([values]), method, level, OURS,
                                         c.case)
            if method == lib.BASIC:
                low, high = 2 * values.mean() - high, 2 * values.mean() - low
            noise = 1e-12 * values.max()
            return [share_errors((np.mean(theirs < end - noise),
                                        np.mean(theirs <= end + noise)), at, OURS, 1000)
                    for end, at in ((low, 0.05), (high, 0.95))]
        c.random(f"stats_resample_interval, {word}", "scipy bootstrap", one)

    def studentized(kind):
        def one():
            """Where our pivots lie among those of numpy's resamples."""
            values = values_of(c, 10)
            values = values * c.rng.uniform(1, 1 + 1e-3, len(values))  # no resample is
            logs = np.log(values) if kind == lib.GEOMEAN else values   # without spread
            size, error = len(values), logs.std(ddof=1) / np.sqrt(len(values))
            low, high = c.stats.interval(lib.question([values], kind), lib.STUDENTIZED,
                                         0.9, OURS, c.case)
            picked = c.rng.integers(0, size, (1000, size))
            drawn = logs[picked]
            if kind == lib.GEOMEAN:
                estimate = np.exp(logs.mean())
                made = np.exp(drawn.mean(1))
                pivots = (made - estimate) / (made * drawn.std(1, ddof=1) / np.sqrt(size))
                error *= estimate
            else:
                estimate = logs.mean()
                pivots = (drawn.mean(1) - estimate) / \
                    (drawn.std(1, ddof=1) / np.sqrt(size))
            return [share_errors((np.mean(pivots < at), np.mean(pivots <= at)),
                                       share, OURS, 1000)
                    for at, share in (((estimate - high) / error, 0.05),
                                      ((estimate - low) / error, 0.95))]
        return one
    c.random("stats_resample_interval, studentized mean", "its definition in numpy",
             studentized(lib.MEAN))
    c.random("stats_resample_interval, studentized geomean", "its definition in numpy",
             studentized(lib.GEOMEAN))


def run(c):
    with np.errstate(all="ignore"):
        exact(c)
        random_ends(c)
