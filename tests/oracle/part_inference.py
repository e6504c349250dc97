"""Counted shares, the beta function, p values of one series, components of variance."""

from ctypes import POINTER, Structure, byref, c_bool, c_double, c_size_t, c_uint64

import numpy as np
import scipy.special
import scipy.stats
from statsmodels.tsa.stattools import acf

from comparison import ar1


class Components(Structure):
    _fields_ = [("within", c_double), ("between", c_double), ("clamped", c_bool),
                ("estimate", c_double), ("runs", c_size_t)]


def doubles(array):
    return array.ctypes.data_as(POINTER(c_double))


def shares(c):
    library = c.stats.library
    for name in ("stats_beta_below", "stats_beta_fraction"):
        getattr(library, name).restype = c_double
        getattr(library, name).argtypes = [c_double] * 3

    def beta():
        a, b = (float(10 ** c.rng.uniform(-1, 4)) for _ in range(2))
        x = float(c.rng.beta(a, b))
        got = [library.stats_beta_below(x, a, b)]
        expected = [scipy.special.betainc(a, b, x)]
        if 0 < x < (a + 1) / (a + b + 2):
            front = np.exp(a * np.log(x) + b * np.log1p(-x) - scipy.special.betaln(a, b))
            got.append(front * library.stats_beta_fraction(x, a, b) / a)
            expected.append(expected[0])
        return got, expected
    c.exact("stats_beta_below, _fraction", "scipy betainc", beta)

    def binomial():
        trials = int(c.rng.choice([1, 2, 3, c.rng.integers(1, 1000),
                                   c.rng.integers(1000, 100_000)]))
        hits = int(c.rng.choice([0, trials, c.rng.integers(0, trials + 1)]))
        level = c.level()
        tail = (1 - level) / 2  # scipy's own interval (binomtest) ends 10^-12 around
        low = scipy.stats.beta.ppf(tail, hits, trials - hits + 1) if hits else 0.0
        high = scipy.stats.beta.isf(tail, hits + 1, trials - hits) if hits < trials else 1
        return c.stats.ends("stats_binomial_interval", c_uint64(hits), c_uint64(trials),
                            c_double(level)), [low, high]
    c.exact("stats_binomial_interval", "scipy beta.ppf", binomial)


def series(c):
    def signflip():
        values = c.rng.normal(c.rng.uniform(0, 1), 1, int(c.rng.integers(1, 11)))
        if c.case % 4 == 0:
            values = np.round(values, 1) + 0.25  # ties
        got = c.stats.of_values("stats_signflip_p_value", values, c_uint64(1), c_uint64(2))
        if len(values) == 1:
            return got, 1.0  # scipy takes two values or more
        return got, scipy.stats.permutation_test(
            (values,), lambda x, axis: np.mean(x, axis=axis), permutation_type="samples",
            vectorized=True, n_resamples=np.inf).pvalue
    c.exact("stats_signflip_p_value", "scipy permutation_test", signflip)

    def lag1():
        values = ar1(c.rng, int(c.rng.integers(10, 200)), c.rng.uniform(-0.5, 0.8))
        correlation, p_value = c_double(), c_double()
        c.stats._call("stats_lag1_test", doubles(values), c_size_t(len(values)),
                      byref(correlation), byref(p_value))
        n = len(values)
        r = acf(values, nlags=1, fft=False)[1]
        # Dufour and Roy 1985: of independent normal values.
        variance = (n**4 - 4 * n**3 + 3 * n**2 + 4 * n - 4) / ((n + 1) * n**2 * (n - 1)**2)
        mean = -(n - 1) / (n * (n - 1))
        return ([correlation.value, p_value.value],
                [r, scipy.stats.norm.sf((r - mean) / np.sqrt(variance))])
    c.exact("stats_lag1_test", "statsmodels acf, Dufour-Roy", lag1)


def components(c):
    def one():
        runs = [c.rng.normal(c.rng.normal(5, 1), 1, int(c.rng.integers(1, 12)))
                for _ in range(c.rng.integers(2, 9))]
        runs[0] = c.rng.normal(5, 1, 3)
        if c.case % 2:
            runs = [run[:3] for run in runs if len(run) >= 3]
            runs += [c.rng.normal(5, 1, 3)] * (len(runs) < 2)
        values, counts = np.concatenate(runs), [len(run) for run in runs]
        made = Components()
        c.stats._call("stats_components_estimate", doubles(values),
                      (c_size_t * len(runs))(*counts), c_size_t(len(runs)), byref(made))
        total, means = sum(counts), np.array([run.mean() for run in runs])
        within = sum(((run - run.mean()) ** 2).sum() for run in runs) / \
            (total - len(runs))
        square = np.sum(counts * (means - values.mean()) ** 2) / (len(runs) - 1)
        size = (total - np.sum(np.square(counts)) / total) / (len(runs) - 1)
        between = (square - within) / size
        return ([made.within, made.between, made.clamped, made.estimate],
                [within, max(between, 0.0), between < 0, means.mean()], 1.0)
    c.exact("stats_components_estimate", "analysis of variance in numpy", one)


def run(c):
    for part in (shares, series, components):
        part(c)
