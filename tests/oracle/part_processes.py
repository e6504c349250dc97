"""Gaussian processes: textbook formulas with dense inverses, and scipy's optimizer."""

import numpy as np
import scipy.optimize

from gaussian_process_reference import posterior


def any_data(c, most):
    """Noisy values of a smooth function at random points, and other points."""
    count, features = int(c.rng.integers(2, most)), int(c.rng.integers(1, 5))
    scales = 10.0 ** c.rng.integers(-3, 4, features)
    points = c.rng.uniform(-1, 1, (count, features))
    values = np.sin(2 * points).sum(1) + c.rng.normal(0, 0.1, count)
    questions = c.rng.uniform(-1.5, 1.5, (3, features))
    return points * scales, values * 10.0 ** c.rng.integers(-6, 7), questions * scales


def likelihood_of(points, values, logs):
    if np.any(np.abs(logs) > 20):
        return -np.inf
    lengths = np.ptp(points, axis=0) * np.exp(logs[:-1])
    return posterior(points, values, points[:1], lengths, np.exp(logs[-1]))[0]


def run(c):
    def given():
        points, values, questions = any_data(c, 64)
        lengths = np.ptp(points, axis=0) * c.rng.uniform(0.2, 3, points.shape[1])
        noise = 10.0 ** c.rng.uniform(-4, 0)
        got = c.stats.process(points, values, questions, (lengths, noise))
        likelihood, means, variances = posterior(points, values, questions, lengths, noise)
        spread = np.std(values)
        return (np.hstack([got[2] / len(values), got[3] / spread, got[4] / spread**2]),
                np.hstack([likelihood / len(values), means / spread, variances / spread**2]),
                1.0)
    c.exact("stats_gp_new, _predict, _log_likelihood", "numpy, dense inverse", given,
            tolerance=1e-8)

    def fitted():
        """How much likelier the data become when scipy goes on where the fit stopped:
        only the end of its steps, as far as it may go."""
        points, values, questions = any_data(c, 25)
        if len(values) < 5:
            return 0.0, 0.0, 1.0
        lengths, noise, likelihood, *_ = c.stats.process(points, values, questions,
                                                         one_length=False)
        logs = np.append(np.log(lengths / np.ptp(points, axis=0)), np.log(noise))
        bounds = [(np.log(0.05), np.log(20))] * points.shape[1] + [(np.log(1e-8),
                                                                    np.log(10))]
        better = scipy.optimize.minimize(
            lambda at: -likelihood_of(points, values, at), logs, method="Nelder-Mead",
            bounds=bounds, options={"xatol": 1e-3, "fatol": 1e-5, "maxfev": 400})
        return max(-better.fun, likelihood), likelihood, 1.0
    c.exact("stats_gp_fit: log likelihood", "scipy minimize, from there", fitted,
            tolerance=0.05, cases=c.cases // 10)
