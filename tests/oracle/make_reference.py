#!/usr/bin/env python3
"""Writes the reference answers in tests/unit/stats/reference.h.

Not run by the test suite: the numbers are checked in. Needs numpy, scipy and mpmath:

    python3 tests/oracle/make_reference.py > tests/unit/stats/reference.h

Exact things come from mpmath with 50 digits (Student's t: tail and quantile), the rest
from numpy and scipy; the sources are named beside each table.
"""

import itertools

import mpmath as mp
import numpy as np
import scipy
import scipy.stats

mp.mp.dps = 50


def tail(t, df):
    """P(T > t) of Student's t, t >= 0."""
    df, t = mp.mpf(df), mp.mpf(t)
    return mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2


def quantile(p, df):
    """The t with P(T <= t) = p, by 50-digit root finding from scipy's answer."""
    if p == 0.5:
        return mp.mpf(0)
    start = scipy.stats.t.ppf(p, df)
    upper = 1 - mp.mpf(p) if p > 0.5 else mp.mpf(p)
    root = mp.findroot(lambda u: mp.log(tail(mp.e**u, df) / upper), mp.log(abs(start)))
    return mp.sign(p - 0.5) * mp.e**root


def number(x):
    return mp.nstr(mp.mpf(x), 17, min_fixed=-5, max_fixed=17)


def array(name, values):
    print(f"static const double {name}[] = {{")
    for value in values:
        print(f"    {number(value)},")
    print("};\n")


def student():
    print("/* mpmath, 50 digits: {degrees, t, P(T > t)}. */")
    print("static const double reference_t_tail[][3] = {")
    for df in (0.5, 1, 2, 3, 7, 9.25, 15, 39, 41, 100, 1e3, 1e6):
        for t in (1e-6, 0.1, 1, 2.5, 10, 40):
            value = tail(t, df)
            if value > mp.mpf("1e-290"):
                print(f"    {{{number(df)}, {number(t)}, {number(value)}}},")
    print("};\n")
    print("/* mpmath, 50 digits: {probability, degrees, quantile}. */")
    print("static const double reference_t_quantile[][3] = {")
    for df in (0.5, 1, 2, 3, 4, 5, 7, 9, 12.75, 19, 29, 100, 1e3, 1e6):
        for p in (0.001, 0.25, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.999999):
            print(f"    {{{number(p)}, {number(df)}, {number(quantile(p, df))}}},")
    print("};\n")


def samples():
    rng = np.random.default_rng(20200420)
    values = np.exp(rng.normal(3, 0.5, 23))
    array("reference_values", values)
    print("/* numpy and scipy of reference_values. */")
    print(f"static const double reference_mean = {number(values.mean())};")
    print(f"static const double reference_gmean = {number(scipy.stats.gmean(values))};")
    print(f"static const double reference_sd = {number(values.std(ddof=1))};")
    trimmed = scipy.stats.trim_mean(values, 0.2)
    print(f"static const double reference_trimmed = {number(trimmed)};")
    print(f"static const double reference_median = {number(np.median(values))};\n")
    print("/* numpy.quantile(method='linear'): {probability, quantile}. */")
    print("static const double reference_quantiles[][2] = {")
    for p in (0, 0.005, 0.1, 0.25, 0.5, 0.77, 0.9, 0.995, 1):
        print(f"    {{{number(p)}, {number(np.quantile(values, p))}}},")
    print("};\n")
    low, high = scipy.stats.t.interval(
        0.99, len(values) - 1, values.mean(), scipy.stats.sem(values))
    print("/* scipy.stats.t.interval at 0.99. */")
    print(f"static const double reference_t_interval[] = {{{number(low)}, {number(high)}}};\n")
    return values


def signflip(values):
    """The ends by bisection on the p value of the enumerated test itself."""
    values = np.array(values)
    signs = np.array(list(itertools.product((1, -1), repeat=len(values))))

    def accepted(theta, alpha):
        flipped = np.abs(signs @ (values - theta))
        return np.mean(flipped >= flipped[0] * (1 - 1e-12)) > alpha

    def end(outside, inside, alpha):
        for _ in range(200):
            middle = (outside + inside) / 2
            if accepted(middle, alpha):
                inside = middle
            else:
                outside = middle
        return inside

    print("/* Bisection on the enumerated sign-flip test of the first `count` values:\n"
          " * {count, level, low, high}. */")
    print("static const double reference_signflip[][4] = {")
    for count, level in ((8, 0.99), (9, 0.9), (10, 0.99), (12, 0.95)):
        part, full = values[:count], values
        values = part
        signs = np.array(list(itertools.product((1, -1), repeat=count)))
        low = end(part.min() - 1, part.mean(), 1 - level)
        high = end(part.max() + 1, part.mean(), 1 - level)
        print(f"    {{{count}, {level}, {number(low)}, {number(high)}}},")
        values = full
    print("};\n")


def bootstrap(values):
    """scipy's percentile interval of the mean, and of a difference of means, with the
    spread of its ends over repetitions (their Monte Carlo standard error)."""

    def ends(data, statistic):
        found = [scipy.stats.bootstrap(
            data, statistic, n_resamples=10000, confidence_level=0.99, vectorized=True,
            method="percentile", rng=seed).confidence_interval for seed in range(40)]
        low, high = (np.array([f.low for f in found]), np.array([f.high for f in found]))
        return [low.mean(), high.mean(), low.std(ddof=1), high.std(ddof=1)]

    print("/* scipy.stats.bootstrap, percentile, 0.99, 10000 resamples: mean of 40\n"
          " * repetitions of low, high, and the standard error of one repetition. */")
    array("reference_bootstrap_mean", ends((values[:10],), lambda x, axis: x.mean(axis)))

    rng = np.random.default_rng(7)

    def two_level(side):
        runs = rng.integers(0, side.shape[0], (10000, side.shape[0]))
        picked = rng.integers(0, side.shape[1], (10000, side.shape[0], side.shape[1]))
        return side[runs[:, :, None], picked].mean(axis=(1, 2))

    old, new = values[:12].reshape(4, 3), values[11:23].reshape(4, 3)
    found = []
    for _ in range(40):
        found.append(np.quantile(two_level(new) - two_level(old), (0.005, 0.995)))
    found = np.array(found)
    print("/* numpy: two-level bootstrap of mean(values[11..22]) - mean(values[0..11]), each"
          "\n * as 4 runs of 3; the same columns. */")
    array("reference_two_level",
          [*found.mean(axis=0), *found.std(axis=0, ddof=1)])


def main():
    print("/* Written by tests/oracle/make_reference.py; do not edit.\n"
          f" * numpy {np.__version__}, scipy {scipy.__version__}, mpmath {mp.__version__}. */")
    print("#ifndef TESTS_UNIT_STATS_REFERENCE_H\n#define TESTS_UNIT_STATS_REFERENCE_H\n")
    print("/* clang-format off */\n")
    student()
    values = samples()
    signflip(list(values))
    bootstrap(values)
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
