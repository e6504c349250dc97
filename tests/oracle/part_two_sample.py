"""Tests of two samples, effect sizes, adjusted p values, sign flips."""

import csv
import os
from ctypes import POINTER, Structure, byref, c_double, c_size_t
from pathlib import Path

import numpy as np
import scipy.stats
from statsmodels.stats.multitest import multipletests

import stats_library as lib

EXACT_PAIRS = 2500  # STATS_RANKSUM_EXACT_PAIRS
AUTO, EXACT, NORMAL, CONTINUITY = range(4)  # enum stats_ranksum_method
SHARED = Path(os.environ.get("DUET_SHARED",
                             Path(__file__).resolve().parents[3] / "shared"))


def pair(c):
    """Two samples, mostly of one kind, the second shifted now and then."""
    rng = c.rng
    if c.case % 100 == 99:
        n, m = rng.integers(500, 1500, 2)
    else:
        n, m = rng.integers(1, (4, 12, 60, 300)[c.case // 5 % 4] + 1, 2)
    kind = c.case % 5

    def sample(size):
        if kind == 0:
            return rng.normal(size=size)
        if kind == 1:  # few distinct values: ties everywhere
            return rng.integers(0, rng.integers(1, 12), size).astype(float)
        if kind == 2:  # a wide range of sizes, of both signs
            return rng.choice([-1.0, 1.0], size) * 10 ** rng.uniform(-300, 300, size)
        if kind == 3:  # differences in the last digits only
            return 1e6 + rng.integers(0, 1000, size) * 2.0**-30
        return rng.lognormal(rng.uniform(-1, 1), 0.5, size)
    return sample(n), sample(m)


def cliff(signs, level):
    """R's effsize, cliff.delta(), from the full matrix of signs (first - second)."""
    n, m = signs.shape
    delta = used = signs.mean()
    if abs(delta) == 1:
        used = delta * (n * m - 1) / (n * m)
    if min(n, m) < 2:
        return delta, np.nan, np.nan
    rows = ((signs.mean(axis=1) - used) ** 2).sum()
    columns = ((signs.mean(axis=0) - used) ** 2).sum()
    variance = ((m * m * rows + n * n * columns - ((signs - used) ** 2).sum())
                / (n * m * (n - 1) * (m - 1)))
    if variance <= 1e-12:  # not positive, or nothing but rounding: Cliff's least one
        variance = (1 - used**2) / (n * m - 1)
    t = scipy.stats.t.ppf((1 + level) / 2, n + m - 2)
    spread = t * np.sqrt(variance) * np.sqrt((1 - used**2) ** 2 + t * t * variance)
    scale = 1 - used**2 + t * t * variance
    low, high = (used - used**3 - spread) / scale, (used - used**3 + spread) / scale
    return delta, -1.0 if delta == -1 else low, 1.0 if delta == 1 else high


def dominance(c):
    def counts():
        x, y = pair(c)
        made = c.stats.dominance(x, y)
        signs = np.sign(x[:, None] - y[None, :])
        mean = signs.mean()
        _, groups = np.unique(np.concatenate([x, y]), return_counts=True)
        return ([made.greater, made.less, made.tied, made.ties, made.first_squares,
                 made.second_squares, made.pair_squares],
                [(signs > 0).sum(), (signs < 0).sum(), groups.max() > 1,
                 np.sum(groups.astype(float) ** 3 - groups),
                 ((signs.mean(1) - mean) ** 2).sum(), ((signs.mean(0) - mean) ** 2).sum(),
                 ((signs - mean) ** 2).sum()],
                signs.size)
    c.exact("stats_dominance_count", "numpy, all pairs", counts, 1e-13)

    def delta():
        x, y = pair(c)
        level = c.level()
        made = c.stats.cliff(c.stats.dominance(x, y), level)
        expected = cliff(np.sign(x[:, None] - y[None, :]), level)
        word = ["negligible", "small", "medium", "large"][
            int(np.searchsorted([0.147, 0.33, 0.474], abs(expected[0]), "right"))]
        named = c.stats.library.stats_magnitude_name(made.magnitude).decode()
        return ((made.delta, made.interval.low, made.interval.high, named == word),
                (*expected, True), 1.0)
    c.exact("stats_cliff_delta, _magnitude_name", "numpy, scipy t, as R effsize defines",
            delta)


def ranksum(c):
    def normal(method, corrected):
        def one():
            x, y = pair(c)
            made = c.stats.ranksum(c.stats.dominance(x, y), method)
            if len(np.unique(np.concatenate([x, y]))) == 1:
                return (made.u, made.p_value), (len(x) * len(y) / 2, 1.0)
            peer = scipy.stats.mannwhitneyu(x, y, use_continuity=corrected,
                                            method="asymptotic")
            return (made.u, made.p_value), (peer.statistic, peer.pvalue)
        return one
    c.exact("stats_ranksum_test, normal", "scipy mannwhitneyu", normal(NORMAL, False))
    c.exact("stats_ranksum_test, continuity", "scipy mannwhitneyu",
            normal(CONTINUITY, True))

    def exact():
        n, m = c.rng.integers(1, 50, 2)
        if c.case % 4 == 0:
            n, m = c.rng.integers(1, 4, 2)
        x, y = c.rng.normal(0, 1, n), c.rng.normal(c.rng.uniform(-1, 1), 1, m)
        made = c.stats.ranksum(c.stats.dominance(x, y), AUTO if c.case % 2 else EXACT)
        peer = scipy.stats.mannwhitneyu(x, y, method="exact")
        return ((made.u, made.p_value, made.exact), (peer.statistic, peer.pvalue, True))
    c.exact("stats_ranksum_test, exact", "scipy mannwhitneyu", exact)

    def large():
        n, m = ((100_000, 3), (2, 1_000_000), (300_000, 200_000))[c.case % 3]
        x = np.round(c.rng.normal(0, 1, n), 3 + c.case % 5 * 3)
        y = np.round(c.rng.normal(0.01, 1, m), 3 + c.case % 5 * 3)
        made = c.stats.ranksum(c.stats.dominance(x, y), AUTO)
        peer = scipy.stats.mannwhitneyu(x, y, method="asymptotic")
        return (made.u, made.p_value), (peer.statistic, peer.pvalue)
    c.exact("stats_ranksum_test, up to 10^6 values", "scipy mannwhitneyu", large,
            cases=9)


def multiplicity(c):
    for method, name in ((1, "bonferroni"), (2, "holm"), (3, "fdr_bh")):
        def one(method=method, name=name):
            size = c.size(1, 100)
            if c.case % 100 == 99:
                size = 20_000
            p_values = c.rng.choice([
                c.rng.random(size), 10 ** c.rng.uniform(-300, 0, size),
                np.round(c.rng.random(size), 1)])
            known = c.rng.random(size) > (0.1 if c.case % 3 == 0 else 0.0)
            expected = np.full(size, np.nan)
            if known.any():
                expected[known] = multipletests(p_values[known], method=name)[1]
            return (c.stats.adjusted(method, np.where(known, p_values, np.nan)), expected,
                    np.abs(expected))
        c.exact(f"stats_multiplicity_adjust, {name}", "statsmodels multipletests", one)


def signflip(c):
    def p_value(values, theta, share):
        """Of the exact sign-flip test, over all flips; whether it is above `share`.
        Not quite at theta: at the end itself one flip ties with the data."""
        return scipy.stats.permutation_test(
            (values - theta,), lambda x, axis: np.mean(x, axis=axis),
            permutation_type="samples", vectorized=True, n_resamples=np.inf).pvalue \
            > share * (1 + 1e-9)

    def ends():
        level = float(c.rng.choice([0.8, 0.9, 0.95]))
        count = int(c.rng.integers(c.stats.library.stats_signflip_fewest(level), 10))
        values = np.concatenate([c.rng.normal(3, 1, count - 1), [c.rng.normal(3, 4)]])
        if c.case % 4 == 0:
            values = np.round(values, 1)  # ties
        low, high = c.stats.signflip(values, level)
        step = 1e-7 * np.ptp(values)
        return ([p_value(values, low - step, 1 - level),
                 p_value(values, low + step, 1 - level),
                 p_value(values, high - step, 1 - level),
                 p_value(values, high + step, 1 - level)],
                [False, True, True, False], 1.0)
    c.exact("stats_signflip_interval, exact", "scipy permutation_test", ends, 0.0)

    def fewest():
        level = float(c.rng.uniform(0.01, 0.9999))
        count = 1
        while 2.0 / 2.0**count > (1 - level) * (1 + 1e-9):
            count += 1
        return c.stats.library.stats_signflip_fewest(level), count, 1.0
    c.exact("stats_signflip_fewest", "its definition", fewest, 0.0)

    def sampled():
        """Both p values from random flips of their own."""
        level, flips = 0.9, 99_999
        values = c.rng.normal(0, 1, int(c.rng.integers(21, 40)))
        ends_found = c.stats.signflip(values, level, seed=c.case)
        found = []
        for theta in ends_found:
            centred = values - theta
            signs = c.rng.integers(0, 2, (2000, len(values))) * 2.0 - 1.0
            share = np.mean(np.abs(signs @ centred) >= abs(centred.sum()))
            error = np.sqrt((1 - level) * level * (1 / 2000 + 1 / flips))
            found.append((share - (1 - level)) / error)
        return found
    c.random("stats_signflip_interval, sampled", "numpy, random flips", sampled)


def shared(c):
    """two_sample.csv. Of R's Cliff intervals, those columns are checked that an
    independent computation confirms; the others must differ by effsize's mistake."""
    path = SHARED / "oracle" / "two_sample.csv"
    if not path.exists():
        c.skip(f"shared data is not at {SHARED}: measured samples")
        return
    rows = list(csv.DictReader(path.open()))
    confirmed = []

    def one():
        row = rows[c.case]
        x, y = (np.loadtxt(SHARED / "oracle/two_sample" / f"{row['case']}.{side}.txt")
                for side in "ab")
        made = c.stats.dominance(x, y)
        plain, corrected = (c.stats.ranksum(made, m) for m in (NORMAL, CONTINUITY))
        delta = c.stats.cliff(made, 0.95)
        signs = np.sign(x[:, None] - y[None, :])
        low, high = cliff(signs, 0.95)[1:]
        got = [plain.u, plain.p_value, corrected.p_value, delta.delta,
               *(c.stats.of_values("stats_sd_sample", values) /
                 c.stats.of_values("stats_mean", values) for values in (x, y)),
               c.stats.of_values("stats_mean_geometric", x),
               c.stats.of_values("stats_mean_geometric", y),
               delta.interval.low, delta.interval.high]
        expected = [float(row[name]) for name in
                    ("U1", "R_p_nocc", "R_p_cc", "R_cliff", "cv1_ddof1", "cv2_ddof1",
                     "gm1", "gm2")] + [low, high]
        in_file = float(row["R_cliff_lo"]), float(row["R_cliff_hi"])
        agrees = np.allclose(in_file, (low, high), rtol=1e-9)
        # Its mistake needs a second value that exceeds all first ones.
        assert agrees != bool((signs == -1).all(axis=0).any()), row["case"]
        confirmed.append(agrees)
        return got, expected, np.abs(expected)
    c.exact("two samples, CV, geometric mean", "two_sample.csv (R, scipy)", one, 1e-11,
            cases=len(rows))
    print(f"     two_sample.csv: {sum(confirmed)} of {len(confirmed)} Cliff intervals "
          "are confirmed by the full matrix of signs; the others have a second value "
          "above all first ones, which effsize counts as -1/n instead of -1")


class WelchGroup(Structure):
    _fields_ = [("mean", c_double), ("variance", c_double), ("count", c_size_t)]


class WelchTest(Structure):
    _fields_ = [("error", c_double), ("degrees", c_double), ("p_value", c_double)]


class Welch(Structure):
    _fields_ = [*WelchTest._fields_, ("ratio", lib.Interval)]


def welch_groups(c):
    """Two samples of positive values, and what the functions take of them."""
    unit = 10.0 ** c.rng.integers(-9, 10)
    samples = [unit * c.rng.gamma(10.0 ** c.rng.uniform(-1, 3), size=c.size(2, 60)) +
               unit * 1e-3 for _ in range(2)]
    return samples, [WelchGroup(v.mean(), v.var(ddof=1), len(v)) for v in samples]


def welch_ends(start, end, t):
    """The q with (end - q start)^2 = t^2 (its variance), around the ratio of the means."""
    of_start, of_end = start.variance / start.count, end.variance / end.count
    square = start.mean ** 2 - t * t * of_start
    rest = end.mean ** 2 - t * t * of_end
    roots = np.sort(np.roots([square, -2 * start.mean * end.mean, rest]).real)
    return (roots[roots > 0][0] if rest > 0 else np.nan,
            roots[1] if square > 0 else np.nan)


def welch(c):
    library = c.stats.library
    group = POINTER(WelchGroup)
    library.stats_welch_test_of.restype = WelchTest
    library.stats_welch_test_of.argtypes = [group, group]
    library.stats_welch_needed.restype = c_size_t
    library.stats_welch_needed.argtypes = [group, group, c_double]

    def estimated():
        (first, second), (start, end) = welch_groups(c)
        got = library.stats_welch_test_of(start, end)
        test = scipy.stats.ttest_ind(first, second, equal_var=False)
        error = np.hypot(scipy.stats.sem(first), scipy.stats.sem(second))
        return [got.error, got.degrees, got.p_value], [error, test.df, test.pvalue]
    c.exact("stats_welch_test_of", "scipy ttest_ind", estimated)

    def ratio():
        _, (start, end) = welch_groups(c)
        level, made = c.level(), Welch()
        c.stats._call("stats_welch_ratio", byref(start), byref(end), c_double(level),
                      byref(made))
        degrees = min(start.count, end.count) - 1
        error = np.sqrt(start.variance / start.count + end.variance / end.count)
        p_value = 2 * scipy.stats.t.sf(abs(end.mean - start.mean) / error, degrees)
        ends = welch_ends(start, end, scipy.stats.t.ppf((1 + level) / 2, degrees))
        size = np.nanmax([*ends, end.mean / start.mean])
        return ([made.error, made.degrees, made.p_value, made.ratio.low, made.ratio.high],
                [error, degrees, p_value, *ends],
                np.array([error, 1, p_value, size, size]))
    c.exact("stats_welch_ratio", "scipy t, numpy roots", ratio)

    def needed():
        _, (start, end) = welch_groups(c)
        level, counts = c.level(), np.arange(2, 5000)
        end.mean = start.mean * (1 + 10 ** c.rng.uniform(-1.5, 1))
        far = abs(end.mean - start.mean)
        reach = scipy.stats.t.ppf((1 + level) / 2, counts - 1) * \
            np.sqrt((start.variance + end.variance) / counts)
        got = library.stats_welch_needed(start, end, level)
        if far <= reach[-1]:  # more than the counts that are tried
            return got == 0 or got > counts[-1], True, 1.0
        return got, counts[far > reach][0], 1.0
    c.exact("stats_welch_needed", "scipy t.ppf", needed, 0.0)


def run(c):
    with np.errstate(all="ignore"):
        for part in (dominance, ranksum, multiplicity, signflip, shared, welch):
            part(c)
