"""Student's t and the normal distribution beside mpmath's 60 digits and scipy."""

import mpmath as mp
import numpy as np
import scipy.stats

mp.mp.dps = 60  # 1 - x of 10^-32 keeps the digits that its root needs


def t_tail(t, degrees):
    t, degrees = mp.mpf(t), mp.mpf(degrees)
    return mp.betainc(degrees / 2, mp.mpf(1) / 2, 0, degrees / (degrees + t * t),
                      regularized=True) / 2


def degrees_of(c, most=6):
    kind = c.case % 3
    if kind == 0:
        return float(c.rng.integers(1, 40))
    return float(10.0 ** c.rng.uniform(-0.3, 3 if kind == 1 else most))


def student(c):
    def p_value():
        t, degrees = float(10 ** c.rng.uniform(-12, 2)), degrees_of(c)
        if c.case % 10 == 0:
            t, degrees = float(10 ** c.rng.uniform(2, 300)), float(c.rng.integers(1, 4))
        got, expected = c.stats.t_p_value(-t, 1.0, degrees), 2 * t_tail(t, degrees)
        if expected < mp.mpf("1e-290"):
            return (got, 0.0, 1e-200)
        return got, float(expected)
    c.exact("stats_t_p_value", "mpmath, 60 digits", p_value)

    def quantile():
        degrees = degrees_of(c)
        p = float(c.rng.choice([c.rng.uniform(0.0005, 0.9995),
                                10.0 ** c.rng.uniform(-12, -0.4),
                                0.5 + 10.0 ** c.rng.uniform(-14, -1)]))
        got = c.stats.t_quantile(p, degrees)
        # The root's distance from `got`, from the residual and the density.
        upper = mp.mpf(1) - mp.mpf(p) if p > 0.5 else mp.mpf(p)
        t = mp.mpf(abs(got))
        a = mp.mpf(degrees) / 2
        density = (1 + t * t / degrees) ** (-a - 0.5) / \
            (mp.sqrt(degrees) * mp.beta(a, mp.mpf(1) / 2))
        step = (t_tail(t, degrees) - upper) / density
        return got, float(mp.sign(mp.mpf(p) - 0.5) * (t + step))
    c.exact("stats_t_quantile", "mpmath, 60 digits", quantile)

    def quantile_scipy():
        degrees, p = degrees_of(c), c.rng.uniform(0.0005, 0.45)
        return c.stats.t_quantile(p, degrees), scipy.stats.t.ppf(p, degrees)
    c.exact("stats_t_quantile", "scipy t.ppf", quantile_scipy)

    def interval():
        values, level = c.sample(2, large=True), c.level()
        wide = values.astype(np.longdouble)
        mean = wide.mean()
        error = np.sqrt(np.sum((wide - mean) ** 2) / (len(values) - 1) / len(values))
        half = scipy.stats.t.ppf((1 + level) / 2, len(values) - 1) * error
        try:
            got = c.stats.t_interval(values, level)
        except Exception:  # its ends are beyond a double
            got = (-np.inf, np.inf)
        expected = np.array([mean - half, mean + half])
        if np.any(np.abs(expected) > np.finfo(float).max):
            expected = np.array([-np.inf, np.inf])
        return got, expected, abs(mean) + half
    c.exact("stats_t_interval", "scipy t, numpy 80-bit", interval, 1e-11)

    def detectable():
        error, degrees = float(10 ** c.rng.uniform(-9, 9)), degrees_of(c)
        level, power = c.level(), float(c.rng.uniform(0.5, 0.99))
        expected = error * (scipy.stats.t.ppf((1 + level) / 2, degrees) +
                            scipy.stats.t.ppf(power, degrees))
        return c.stats.detectable(error, degrees, level, power), expected
    c.exact("stats_t_detectable", "scipy t.ppf", detectable)

    def one_sample():
        values = c.sample(2, kinds=4)
        error = scipy.stats.sem(values)
        if error == 0:  # scipy answers NaN
            return c.stats.t_p_value(values.mean(), 0.0, len(values) - 1), 0.0, 1.0
        return (c.stats.t_p_value(values.mean(), error, len(values) - 1),
                scipy.stats.ttest_1samp(values, 0).pvalue)
    c.exact("stats_t_p_value", "scipy ttest_1samp", one_sample)


def normal(c):
    def below():
        z = c.rng.uniform(-37, 9)
        return c.stats.gaussian_below(z), float(mp.ncdf(z))
    c.exact("stats_gaussian_below", "mpmath, 60 digits", below, 1e-12)

    def quantile():
        p = float(c.rng.choice([10.0 ** c.rng.uniform(-300, -0.302), c.rng.random(),
                                0.5 + 10.0 ** c.rng.uniform(-15, -1)]))
        got = c.stats.gaussian_quantile(p)
        z = mp.mpf(got)
        residual = mp.ncdf(z) - mp.mpf(p) if p <= 0.5 else \
            (1 - mp.mpf(p)) - mp.ncdf(-z)
        return got, float(z - residual / mp.npdf(z))
    c.exact("stats_gaussian_quantile", "mpmath, 60 digits", quantile, 1e-12)

    def quantile_scipy():
        p = 10.0 ** c.rng.uniform(-200, -0.31)
        return c.stats.gaussian_quantile(p), scipy.special.ndtri(p)
    c.exact("stats_gaussian_quantile", "scipy ndtri", quantile_scipy, 1e-12)


def run(c):
    student(c)
    normal(c)
