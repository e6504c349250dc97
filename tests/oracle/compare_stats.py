"""compare_stats.py LIBRARY [CASES]: src/stats beside numpy, scipy, statsmodels and arch
on random inputs. What is exact must agree to 10 digits or more; a bootstrap within four
Monte Carlo standard errors. `make oracle` runs it in an environment with the versions of
requirements.txt."""

import csv
import os
import sys
import warnings
from pathlib import Path

import arch.bootstrap
import numpy as np
import scipy.special
import scipy.stats
from statsmodels.tsa.stattools import acf

import stats_library as lib

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("DUET_SHARED", ROOT.parent / "shared"))
REPEATS = 40  # enough for a standard error that 4 of it mean what they say
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased",
           "normal_unbiased"]


class Comparison:
    def __init__(self, path, cases):
        self.stats = lib.Stats(path)
        self.cases = cases
        self.failures = 0
        self.rng = np.random.default_rng(20240917)

    def sample(self, least=1, most=200, positive=False):
        """Sizes from the least on, tiny and huge numbers, ties, heavy tails."""
        rng = self.rng
        count = int(rng.choice([least, least + 1, least + 2,
                                rng.integers(least, most)]))
        values = rng.choice([rng.normal(0, 1, count), rng.lognormal(0, 1, count),
                             rng.pareto(1.5, count) + 1, rng.integers(1, 6, count) * 1.0,
                             1e9 + rng.normal(0, 1e-3, count)])
        values = values * 10.0 ** rng.integers(-9, 10)
        return np.abs(values) + 1e-30 if positive else values

    def exact(self, name, one_case, tolerance=1e-10):
        """one_case() gives (got, expected, scale): |got - expected| <= tolerance *
        scale."""
        worst = 0.0
        for _ in range(self.cases):
            got, expected, scale = one_case()
            off = np.max(np.abs(np.asarray(got) - np.asarray(expected)) /
                         np.maximum(scale, 1e-300))
            worst = max(worst, off) if np.isfinite(off) else np.inf
        self.report(name, worst <= tolerance,
                    f"{self.cases} cases, worst relative error {worst:.1e}")

    def report(self, name, good, text):
        self.failures += not good
        print(f"{'ok  ' if good else 'FAIL'} {name:<34} {text}", flush=True)


def magnitude(values):
    return np.max(np.abs(values))


def summaries(c):
    def simple(name, reference, least=1, positive=False, relative=False):
        def one():
            values = c.sample(least, positive=positive)
            expected = reference(values)
            scale = abs(expected) if relative else magnitude(values)
            return c.stats.of_values(name, values), expected, scale
        return one

    wide = np.longdouble
    c.exact("mean", simple("stats_mean", lambda v: float(np.mean(v.astype(wide)))), 1e-15)
    c.exact("geometric mean", simple("stats_mean_geometric", scipy.stats.gmean,
                                     positive=True, relative=True), 1e-13)
    for ddof, name in ((1, "stats_sd_sample"), (0, "stats_sd_population")):
        c.exact(name, simple(
            name, lambda v, d=ddof: float(np.std(v.astype(wide), ddof=d)), 1 + ddof),
            1e-14)
    c.exact("stats_cv_sample", simple(
        "stats_cv_sample", lambda v: float(np.std(v.astype(wide), ddof=1) /
                                           np.mean(v.astype(wide))), 2, True, True), 1e-13)
    c.exact("stats_mad", simple("stats_mad", scipy.stats.median_abs_deviation), 1e-15)

    def quantile():
        values, p = c.sample(), c.rng.choice([0, 1, 0.5, 0.005, 0.9, c.rng.random()])
        kind = int(c.rng.integers(1, 10))
        expected = np.quantile(values, p, method=METHODS[kind - 1])
        return c.stats.quantile(values, p, kind), expected, magnitude(values)
    # Definitions with steps (1 to 3) are the same number or a neighbour's.
    c.exact("quantiles, types 1 to 9", quantile, 1e-13)

    def trimmed():
        values, share = c.sample(), c.rng.choice([0, 0.1, 0.2, 0.25, 0.45])
        return (c.stats.trimmed(values, share), scipy.stats.trim_mean(values, share),
                magnitude(values))
    c.exact("trimmed mean", trimmed, 1e-14)

    def location():
        values = c.sample(most=60)
        i, j = np.triu_indices(len(values))
        return (c.stats.of_values("stats_hodges_lehmann", values),
                np.median((values[i] + values[j]) / 2), magnitude(values))
    c.exact("Hodges-Lehmann location", location, 1e-15)

    def shift():
        old, new = c.sample(most=60), c.sample(most=60)
        expected = np.median(np.subtract.outer(new, old))
        return (c.stats.shift(old, new), expected,
                max(magnitude(old), magnitude(new)))
    c.exact("Hodges-Lehmann shift", shift, 1e-15)


def distributions(c):
    def tail():
        t, degrees = c.rng.exponential(3), 10.0 ** c.rng.uniform(-0.3, 6)
        expected = scipy.stats.t.sf(t, degrees)
        return c.stats.t_tail(t, degrees), expected, expected
    c.exact("Student's t, tail", tail, 1e-9)

    def quantile():
        p, degrees = c.rng.uniform(0.0005, 0.9995), 10.0 ** c.rng.uniform(-0.3, 6)
        expected = scipy.stats.t.ppf(p, degrees)
        return c.stats.t_quantile(p, degrees), expected, max(abs(expected), 1e-3)
    c.exact("Student's t, quantile", quantile, 1e-9)

    def interval():
        values, level = c.sample(2), c.rng.uniform(0.5, 0.999)
        sem = np.std(values.astype(np.longdouble), ddof=1) / np.sqrt(len(values))
        mean = float(np.mean(values.astype(np.longdouble)))
        half = float(scipy.stats.t.ppf((1 + level) / 2, len(values) - 1) * sem)
        return (c.stats.t_interval(values, level), (mean - half, mean + half),
                abs(mean) + half)
    c.exact("t interval", interval, 1e-11)

    def normal():
        p = 10.0 ** c.rng.uniform(-200, -0.302)
        return (c.stats.gaussian_quantile(p), scipy.special.ndtri(p),
                max(abs(scipy.special.ndtri(p)), 1e-3))
    c.exact("normal quantile", normal, 1e-12)

    def below():
        z = c.rng.uniform(-30, 8)
        expected = scipy.special.ndtr(z)
        return c.stats.gaussian_below(z), expected, expected
    c.exact("normal distribution", below, 1e-11)


def ar1(rng, count, phi):
    noise = rng.normal(0, 1, count)
    values = np.empty(count)
    values[0] = noise[0]
    for i in range(1, count):
        values[i] = phi * values[i - 1] + noise[i]
    return values


def series(c):
    def correlation():
        values = ar1(c.rng, int(c.rng.integers(20, 300)), c.rng.uniform(-0.9, 0.95))
        expected = acf(values, nlags=15, fft=False)
        return c.stats.autocorrelation(values, 15), expected, 1.0
    c.exact("autocorrelation", correlation, 1e-13)

    def lengths():
        values = ar1(c.rng, int(c.rng.integers(12, 600)), c.rng.uniform(-0.9, 0.95))
        values = values * 10.0 ** c.rng.integers(-9, 10)
        expected = arch.bootstrap.optimal_block_length(values).to_numpy()[0]
        return c.stats.block_lengths(values), expected, expected
    c.exact("block lengths (arch)", lengths, 1e-9)

    def segmentation():
        values = np.concatenate([
            c.rng.normal(c.rng.choice([0, 0, 2, 10]), c.rng.choice([0.5, 1, 3]),
                         int(c.rng.integers(2, 40))) for _ in range(c.rng.integers(1, 5))])
        if len(values) < 4:
            values = c.rng.normal(0, 1, 4)
        penalty = c.rng.choice([1, 3, 15])
        starts = c.stats.changes(values, penalty)
        got = segmentation_cost(values, starts, penalty * np.log(len(values)))
        expected = optimal_cost(values, penalty * np.log(len(values)))
        return got, expected, max(1.0, abs(expected))
    cases, c.cases = c.cases, max(1, c.cases // 5)
    c.exact("PELT (optimal partition)", segmentation, 1e-9)
    c.cases = cases


def segment_cost(values, floor):
    variance = values.var()
    if variance > floor:
        return len(values) * np.log(variance)
    return len(values) * (np.log(floor) + variance / floor - 1)


def segmentation_cost(values, starts, penalty):
    ends = list(starts[1:]) + [len(values)]
    floor = 1e-6 * values.var()
    return sum(segment_cost(values[a:b], floor) for a, b in zip(starts, ends)) + \
        penalty * (len(starts) - 1)


def optimal_cost(values, penalty):
    """Every segmentation, by dynamic programming without pruning."""
    floor = 1e-6 * values.var()
    best = [-penalty] + [np.inf] * len(values)
    for end in range(2, len(values) + 1):
        best[end] = min(best[begin] + segment_cost(values[begin:end], floor) + penalty
                        for begin in range(end - 1) if begin != 1)
    return best[-1]


def shared_lengths(c):
    path = SHARED / "oracle" / "block_length.csv"
    if not path.exists():
        print(f"SKIP: shared data is not at {SHARED}: block lengths of measured series")
        return
    worst, rows = 0.0, 0
    for row in csv.DictReader(open(path)):
        values = np.loadtxt(SHARED / "data" / "metior" / row["file"])[:int(row["n_used"])]
        for got, name in zip(c.stats.block_lengths(values), ("arch_sb", "arch_cb")):
            worst = max(worst, abs(got / float(row[name]) - 1))
        rows += 1
    c.report("block lengths, measured series", rows > 0 and worst < 1e-6,
             f"{rows} series, worst relative error {worst:.1e}")


STATISTICS = [
    ("mean", lib.MEAN, 0.0, np.mean),
    ("geometric mean", lib.GEOMEAN, 0.0, lambda x, axis: np.exp(np.mean(np.log(x), axis))),
    ("median", lib.MEDIAN, 0.0, np.median),
    ("90th percentile", lib.QUANTILE, 0.9, lambda x, axis: np.quantile(x, 0.9, axis)),
    ("trimmed mean", lib.TRIMMED, 0.1, lambda x, axis: scipy.stats.trim_mean(x, 0.1, axis)),
    ("CV", lib.CV, 0.0, lambda x, axis: np.std(x, axis, ddof=1) / np.mean(x, axis)),
]


def within(c, name, ours, theirs):
    """Both: one row a repetition. Means within four standard errors."""
    ours, theirs = np.array(ours), np.array(theirs)
    error = np.sqrt(ours.var(0, ddof=1) / len(ours) + theirs.var(0, ddof=1) / len(theirs))
    off = np.abs(ours.mean(0) - theirs.mean(0))
    worst = np.max(off / np.maximum(error, 1e-12 * np.abs(theirs.mean(0))))
    c.report(name, worst < 4.0, f"{len(ours)} repetitions, {worst:.1f} standard errors")


def independent(c):
    """Intervals of one and two groups beside scipy.stats.bootstrap."""
    repeats, replicates = REPEATS, 1000
    methods = (("percentile", lib.PERCENTILE), ("basic", lib.BASIC), ("BCa", lib.BCA))
    for name, kind, fraction, function in STATISTICS:
        values = c.rng.lognormal(1, 0.6, 40)
        other = c.rng.lognormal(1.1, 0.6, 25)
        for word, method in methods:
            ask = lib.question([values], kind, fraction)
            ours = [c.stats.interval(ask, method, 0.9, replicates, seed)
                    for seed in range(repeats)]
            theirs = [tuple(scipy.stats.bootstrap(
                (values,), function, n_resamples=replicates, confidence_level=0.9,
                method=word, vectorized=True, rng=seed).confidence_interval)
                for seed in range(repeats)]
            within(c, f"{word} of the {name}", ours, theirs)
        ask = lib.question([values, other], kind, fraction, contrast=lib.RATIO)
        ours = [c.stats.interval(ask, lib.BCA, 0.9, replicates, seed)
                for seed in range(repeats)]
        theirs = [tuple(scipy.stats.bootstrap(
            (values, other), lambda x, y, axis, f=function: f(y, axis) / f(x, axis),
            n_resamples=replicates, confidence_level=0.9, method="BCa", vectorized=True,
            rng=seed).confidence_interval) for seed in range(repeats)]
        within(c, f"BCa of a ratio, {name}", ours, theirs)
        ask = lib.question([values[:25], other], kind, fraction,
                           contrast=lib.DIFFERENCE, paired=True)
        ours = [c.stats.interval(ask, lib.PERCENTILE, 0.9, replicates, seed)
                for seed in range(repeats)]
        theirs = [tuple(scipy.stats.bootstrap(
            (values[:25], other), lambda x, y, axis, f=function: f(y, axis) - f(x, axis),
            n_resamples=replicates, confidence_level=0.9, method="percentile",
            paired=True, vectorized=True, rng=seed).confidence_interval)
            for seed in range(repeats)]
        within(c, f"paired difference, {name}", ours, theirs)


def studentized(c):
    """Beside the definition, on arch's resamples."""
    values = c.rng.lognormal(1, 0.6, 30)
    ask = lib.question([values])
    ours, theirs = [], []
    for seed in range(REPEATS):
        ours.append(c.stats.interval(ask, lib.STUDENTIZED, 0.9, 1000, seed))
        sample = arch.bootstrap.IIDBootstrap(values, seed=seed)
        theirs.append(studentized_by_hand(sample, values, 1000))
    within(c, "studentized interval of the mean", ours, theirs)


def studentized_by_hand(bootstrap, values, replicates):
    error = values.std(ddof=1) / np.sqrt(len(values))
    pivots = np.array([(x.mean() - values.mean()) / (x.std(ddof=1) / np.sqrt(len(x)))
                       for ((x,), _) in bootstrap.bootstrap(replicates)])
    low, high = np.quantile(pivots, (0.05, 0.95))
    return values.mean() - high * error, values.mean() - low * error


def blocks(c):
    """Mean, spread and tails of the replicates beside arch's."""
    values = ar1(c.rng, 200, 0.7) + 20
    kinds = ((lib.CIRCULAR, arch.bootstrap.CircularBlockBootstrap, "circular"),
             (lib.MOVING, arch.bootstrap.MovingBlockBootstrap, "moving"),
             (lib.STATIONARY, arch.bootstrap.StationaryBootstrap, "stationary"))
    for scheme, peer, word in kinds:
        for name, kind, fraction, function in STATISTICS:
            ask = lib.question([values], kind, fraction, scheme, 7.0)
            ours, theirs = [], []
            for seed in range(REPEATS):
                ours.append(shape(c.stats.resample(ask, 300, seed)[1]))
                sample = peer(7, values, seed=seed)
                theirs.append(shape(sample.apply(lambda x, f=function: f(x, 0), 300)))
            within(c, f"{word} blocks, {name}", ours, theirs)


def shape(replicates):
    return [replicates.mean(), replicates.std(), *np.quantile(replicates, (0.05, 0.95))]


def designs(c):
    """Three levels of unequal sizes, and strata, beside plain numpy."""
    sizes = [[4], [2, 3, 1, 2], [5, 3, 8, 2, 2, 6, 1, 4]]
    values = c.rng.lognormal(1, 0.6, sum(sizes[-1]))
    starts = [np.concatenate([[0], np.cumsum(row)[:-1]]) for row in sizes]

    def drawn(level, unit, fixed):
        size, first = sizes[level][unit], starts[level][unit]
        picked = np.arange(size) if level < fixed else c.rng.integers(0, size, size)
        if level + 1 == len(sizes):
            return list(values[first + picked])
        return [v for p in picked for v in drawn(level + 1, first + p, fixed)]
    for fixed in (0, 1, 2):
        for name, kind, fraction, function in STATISTICS:
            ask = lib.question([values], kind, fraction, sizes=sizes, fixed=fixed)
            ours = [shape(c.stats.resample(ask, 200, seed)[1]) for seed in range(REPEATS)]
            theirs = [shape(np.array([function(np.array(drawn(0, 0, fixed)), 0)
                                      for _ in range(200)])) for _ in range(REPEATS)]
            within(c, f"3 levels, {fixed} fixed, {name}", ours, theirs)


def main():
    warnings.simplefilter("ignore")
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    comparison = Comparison(sys.argv[1], cases)
    for part in (summaries, distributions, series, shared_lengths, independent,
                 studentized, blocks, designs):
        part(comparison)
    print(f"{comparison.failures} comparisons failed")
    sys.exit(comparison.failures > 0)


main()
