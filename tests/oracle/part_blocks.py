"""Replicates of single values and of blocks beside scipy's and arch's resamples."""

import arch.bootstrap
import numpy as np
import scipy.stats

import stats_library as lib
from comparison import ar1, replicate_errors

OURS, THEIRS = 2000, 400


def trimmed(x, axis):
    return scipy.stats.trim_mean(x, 0.1, axis)


# Mean, geometric mean, ... of an array along an axis; exact in 80 bits when given them.
STATISTICS = [
    ("mean", lib.MEAN, 0.0, np.mean),
    ("geometric mean", lib.GEOMEAN, 0.0, lambda x, axis: np.exp(np.mean(np.log(x), axis))),
    ("median", lib.MEDIAN, 0.0, np.median),
    ("quantile", lib.QUANTILE, 0.9, lambda x, axis: np.quantile(x, 0.9, axis)),
    ("trimmed mean", lib.TRIMMED, 0.1, trimmed),
    ("CV", lib.CV, 0.0, lambda x, axis: np.std(x, axis, ddof=1) / np.mean(x, axis)),
]


def values_of(c, least=2, most=40):
    """Positive, so that every statistic has a value; with ties now and then."""
    count = int(c.rng.choice([least, least + 1, c.rng.integers(least, most)]))
    values = c.rng.lognormal(1, 0.6, count)
    if c.case % 5 == 4:
        values = np.ceil(values)
    return values * 10.0 ** c.rng.integers(-9, 10)


def cv_noise(kind, values):
    """A resample of equal values has a CV of 0, but for what sums over the whole sample's
    deviations leave of it (stats/statistic.h)."""
    return 1e-7 * values.std() / values.mean() + 1e-14 if kind == lib.CV else 0.0


def independent(c):
    for name, kind, fraction, function in STATISTICS:
        def one(kind=kind, fraction=fraction, function=function):
            values = values_of(c)
            ours = c.stats.resample(lib.question([values], kind, fraction), OURS,
                                    c.case)[1]
            theirs = scipy.stats.bootstrap(
                (values,), function, n_resamples=THEIRS, method="percentile",
                vectorized=True, rng=c.rng).bootstrap_distribution
            return replicate_errors(ours, theirs, cv_noise(kind, values))
        c.random(f"stats_resample, values, {name}", "scipy bootstrap", one)


def blocks(c):
    kinds = ((lib.CIRCULAR, arch.bootstrap.CircularBlockBootstrap, "circular"),
             (lib.MOVING, arch.bootstrap.MovingBlockBootstrap, "moving"),
             (lib.STATIONARY, arch.bootstrap.StationaryBootstrap, "stationary"))
    for scheme, peer, word in kinds:
        def one(scheme=scheme, peer=peer):
            _, kind, fraction, function = STATISTICS[c.case % len(STATISTICS)]
            count = int(c.rng.integers(5, 80))
            values = ar1(c.rng, count, c.rng.uniform(-0.5, 0.9)) + 20
            length = int(c.rng.integers(1, count // 2 + 1))
            ask = lib.question([values], kind, fraction, scheme, length)
            ours = c.stats.resample(ask, OURS, c.case)[1]
            sample = peer(length, values, seed=int(c.rng.integers(2**31)))
            drawn = np.array([x for ((x,), _) in sample.bootstrap(THEIRS)])
            return replicate_errors(ours, function(drawn, 1), cv_noise(kind, values))
        c.random(f"stats_resample, {word} blocks", f"arch {peer.__name__}", one)

    def pairs():
        """Pairs of a series stay together."""
        count = int(c.rng.integers(5, 60))
        noise = ar1(c.rng, count, 0.7)
        old, new = 20 + noise, 21 + noise + c.rng.normal(0, 0.5, count)
        ask = lib.question([old, new], scheme=lib.CIRCULAR, length=3,
                           contrast=lib.DIFFERENCE, paired=True)
        ours = c.stats.resample(ask, OURS, c.case)[1]
        sample = arch.bootstrap.CircularBlockBootstrap(
            3, old, new, seed=int(c.rng.integers(2**31)))
        theirs = np.array([y.mean() - x.mean()
                           for ((x, y), _) in sample.bootstrap(THEIRS)])
        return replicate_errors(ours, theirs)
    c.random("stats_resample, pairs in blocks", "arch CircularBlockBootstrap", pairs)


def run(c):
    with np.errstate(all="ignore"):
        independent(c)
        blocks(c)
