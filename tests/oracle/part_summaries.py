"""Summaries, quantiles, densities, robust locations, winsorization, cleaning, and entropy."""

import math
from ctypes import Structure, byref, c_double, c_size_t

import numpy as np
import scipy.stats

import stats_library as lib
from comparison import magnitude

WIDE = np.longdouble  # 64 bits of mantissa, and exponents that no double exceeds
MEAN, TRIMMED, MEDIAN = range(3)  # enum stats_location


def wide_mean(values):
    return np.mean(values.astype(WIDE))


def wide_sd(values):
    values = values.astype(WIDE)
    off = values - values.mean()
    return np.sqrt(np.sum(off * off) / (len(values) - 1))


def sums(c):
    def total():
        values = c.sample()
        return c.stats.sum(values), math.fsum(values), math.fsum(np.abs(values))
    c.exact("stats_sum_add, _value", "Python math.fsum (exact)", total, 1e-15)

    def stream(part):
        def one():
            values = c.sample(2, kinds=6)
            cut = int(c.rng.integers(0, len(values) + 1))
            made = c.stats.moments(values[:cut])
            c.stats.library.stats_moments_merge(made, c.stats.moments(values[cut:]))
            return part(made, values)
        return one
    c.exact("stats_moments_add, _merge: mean", "numpy, 80-bit", stream(
        lambda m, v: ((m.mean, m.min, m.max), (wide_mean(v), v.min(), v.max()),
                      magnitude(v))), 1e-14)
    c.exact("stats_moments_sd_sample", "numpy, 80-bit", stream(
        lambda m, v: (c.stats.library.stats_moments_sd_sample(m), wide_sd(v),
                      wide_sd(v) + 1e-16 * magnitude(v))))


def refused(c, values):
    try:
        c.stats.of_values("stats_mean", values)
        return 0
    except lib.StatsError:
        return 1


def moments(c):
    def of(name, reference, least=1, positive=False, scale=None):
        def one():
            values = c.sample(least, large=True, positive=positive)
            expected = reference(values)
            return (c.stats.of_values(name, values), expected,
                    scale(values) if scale else abs(expected))
        return one
    c.exact("stats_mean", "numpy, 80-bit", of(
        "stats_mean", wide_mean, scale=lambda v: np.mean(np.abs(v.astype(WIDE)))), 1e-15)
    c.exact("stats_mean_geometric", "scipy gmean, 80-bit", of(
        "stats_mean_geometric", lambda v: scipy.stats.gmean(v.astype(WIDE)),
        positive=True), 1e-12)
    c.exact("stats_sd_sample", "numpy, 80-bit", of(
        "stats_sd_sample", wide_sd, 2), 1e-14)

    def finite():
        values = c.sample()
        if c.case % 2:
            values[c.rng.integers(len(values))] = c.rng.choice([np.nan, np.inf, -np.inf])
        return refused(c, values), int(not np.all(np.isfinite(values))), 1.0
    c.exact("stats_check_finite", "numpy isfinite", finite, 0.0)


def order(c):
    def sort(name):
        def one():
            values = c.sample(large=True)
            return c.stats.sorted_by(name, values), np.sort(values), 1.0
        return one
    c.exact("stats_sort", "numpy sort", sort("stats_sort"), 0.0)
    c.exact("stats_radix_sort", "numpy sort", sort("stats_radix_sort"), 0.0)

    def select():
        values = c.sample(large=True)
        rank = int(c.rng.integers(len(values)))
        got = c.stats.select(values, rank)
        kept = got[rank] >= got[:rank].max(initial=-np.inf) and \
            got[rank] <= got[rank:].min() and np.array_equal(np.sort(got), np.sort(values))
        return (got[rank] if kept else np.nan), np.partition(values, rank)[rank], 1.0
    c.exact("stats_select", "numpy partition", select, 0.0)

    def probability():
        return float(c.rng.choice([0, 1, 0.5, 0.005, 0.9, c.rng.random()]))

    def several():
        values = c.sample(large=True)
        at = np.sort([probability() for _ in range(c.rng.integers(1, 6))])
        got = c.stats.quantiles(values, at)
        one = c.stats.of_values("stats_quantile_type7", values, lib.c_double(at[0]))
        return [*got, one], [*np.quantile(values, at), np.quantile(values, at[0])], \
            magnitude(values)
    c.exact("stats_quantile_type7, _quantiles_type7", "numpy quantile", several, 1e-15)

    def location():
        values, kind = c.sample(large=True), int(c.rng.integers(3))
        expected = (wide_mean, lambda v: scipy.stats.trim_mean(v.astype(WIDE), 0.2),
                    np.median)[kind](values)
        return c.stats.location(kind, values), expected, magnitude(values)
    c.exact("stats_location_estimate", "numpy, scipy", location, 1e-15)

    def cut():
        count = int(c.rng.integers(0, 10**6)) if c.case > 100 else c.case
        dropped = (count - np.sum(scipy.stats.trimboth(np.ones(count), 0.2))) / 2
        return c.stats.library.stats_trimmed_cut(count), dropped, 1.0
    c.exact("stats_trimmed_cut", "scipy trimboth", cut, 0.0)


def winsorized(values, rule):
    """Bulej 2020 s.7.1, word by word: each value against the range of the others."""
    values = values.copy()
    if len(values) < 3:
        return values
    worst, at, nearest = -1.0, None, None
    for i in (int(np.argmax(values)), int(np.argmin(values))):
        rest = np.delete(values, i)
        low, high = rest.min(), rest.max()
        away = 0.2 * (high - low) if rule else None
        over = values[i] > (high + away if rule else 1.2 * high)
        under = values[i] < (low - away if rule else low / 1.2)
        near = high if over else low
        if over or under:
            distance = abs(np.log(WIDE(values[i])) - np.log(WIDE(near)))
            if distance > worst * (1 + 1e-15):
                worst, at, nearest = distance, i, near
    if at is not None:
        values[at] = nearest
    return values


def cleaning(c):
    for rule, word in ((0, "factor"), (1, "range")):
        def one(rule=rule):
            values = c.sample(positive=True, most=40)
            if c.case % 2 and len(values) > 1:
                values[c.rng.integers(len(values))] *= 10 ** c.rng.uniform(-1, 1)
            got, changed = c.stats.winsorized(values, rule)
            expected = winsorized(values, rule)
            good = changed == (not np.array_equal(got, values))
            return np.sort(got) if good else np.nan, np.sort(expected), 1.0
        c.exact(f"stats_winsorize_one, {word}", "its definition in numpy", one, 0.0)

    def warmup():
        values, named = c.sample(kinds=6), int(c.rng.integers(0, 40))
        kind = int(c.rng.integers(3))
        expected = (0, len(values) // 2, named)[kind]
        try:
            got = c.stats.warmup(values, kind, named)
        except lib.StatsError:
            got = np.nan
        return got, (expected if expected < len(values) else np.nan), 1.0
    c.exact("stats_warmup_length: none, half, N", "numpy", warmup, 0.0)


class Spread(Structure):
    _fields_ = [(name, c_double) for name in ("low", "quarter_low", "median",
                                              "quarter_high", "high")] + \
        [("count", c_size_t)]


def bandwidth(values):
    """Silverman 1986, s.3.4.2."""
    low, quarter_low, quarter_high, high = np.quantile(values, (0, 0.25, 0.75, 1))
    sd = float(wide_sd(values)) if high > low else 0.0
    quarters = (quarter_high - quarter_low) / 1.34
    found = 0.9 * (min(sd, quarters) if quarters > 0 else sd) * len(values) ** -0.2
    return found if found > 0 else max(abs(low), abs(high)) / 1000


def kernels(values, width, at):
    if len(values) > 1 and np.ptp(values) > 0:
        kde = scipy.stats.gaussian_kde(values, width / float(wide_sd(values)))
        return kde(at)
    return scipy.stats.norm.pdf(at[:, None], values[None, :], width).mean(axis=1)


def density(c, name, values, *arguments):
    copy, at, height = np.array(values), np.empty(50), np.empty(50)
    c.stats._call(name, lib._pointer(copy), c_size_t(len(copy)), *arguments,
                  c_size_t(len(at)), lib._pointer(at), lib._pointer(height))
    return at, height


def spread(c):
    def quartiles():
        values, found = c.sample(large=True), Spread()
        copy = np.array(values)
        c.stats._call("stats_spread_of", lib._pointer(copy), c_size_t(len(copy)),
                      byref(found))
        return ([getattr(found, name) for name, _ in Spread._fields_],
                [*np.quantile(values, (0, 0.25, 0.5, 0.75, 1)), len(values)],
                np.array([magnitude(values)] * 5 + [1.0]))
    c.exact("stats_spread_of", "numpy quantile", quartiles, 1e-15)

    def whole():
        values = c.sample(kinds=4)
        at, height = density(c, "stats_density_of", values)
        width = bandwidth(values)
        low, high = values.min() - 3 * width, values.max() + 3 * width
        mirrored = values.min() >= 0 and low < 0
        places = np.linspace(0 if mirrored else low, high, len(at))
        expected = kernels(values, width, at) + mirrored * kernels(values, width, -at)
        return ([*at, *height], [*places, *expected],
                np.repeat([magnitude(places), expected.max()], len(at)))
    c.exact("stats_density_of", "scipy gaussian_kde", whole, 1e-10)

    def between():
        values = c.sample(kinds=4)
        low = values.min() - c.rng.exponential() * bandwidth(values)
        high = values.max() + c.rng.exponential() * bandwidth(values)
        least = bandwidth(values) * c.rng.choice([0, 0.5, 2])
        at, height = density(c, "stats_density_between", values, c_double(low),
                             c_double(high), c_double(least))
        width = max(bandwidth(values), least)
        expected = sum(kernels(values, width, places)
                       for places in (at, 2 * low - at, 2 * high - at))
        return ([*at, *height], [*np.linspace(low, high, len(at)), *expected],
                np.repeat([max(abs(low), abs(high)), expected.max()], len(at)))
    c.exact("stats_density_between", "scipy gaussian_kde", between, 1e-10)


def overlap(c):
    def one():
        a, b = (lib.Interval(*np.sort(c.rng.integers(0, 9, 2) * 1.0)) for _ in range(2))
        if c.case % 20 == 0:
            a.low = np.nan
        common = set(np.arange(a.low, a.high + 0.5)) & \
            set(np.arange(b.low, b.high + 0.5)) if a.low == a.low else {np.nan}
        return c.stats.library.stats_intervals_overlap(a, b), bool(common), 1.0
    c.exact("stats_intervals_overlap", "Python sets", one, 0.0)


def bisection(c):
    def one():
        """A history with one step, of which some commits were measured."""
        last = int(c.rng.integers(2, 300))
        step = c.rng.integers(1, last + 1)
        blocks = [(at, float((at >= step) + c.rng.normal(0, c.rng.choice([0.1, 2]))))
                  for at in c.rng.integers(1, last, c.rng.integers(0, 30))]
        options = lib.BisectOptions(0.01, 0.5, 0.2)
        weights, bits = c.stats.bisection(last, options, blocks)
        return bits, scipy.stats.entropy(weights, base=2) if any(weights) else 0.0, 1.0
    c.exact("stats_bisect_entropy_bits", "scipy entropy", one, 1e-12)


def run(c):
    with np.errstate(all="ignore"):
        for part in (sums, moments, order, cleaning, overlap, spread, bisection):
            part(c)
