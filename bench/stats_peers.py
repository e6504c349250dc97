"""stats_peers.py REPEATS: what scipy.stats.bootstrap and arch take for the work of
stats_bench. Prints one JSON object: times in milliseconds, one a repetition, of what can
be imported."""

import json
import sys
import time

import numpy as np

VALUES, REPLICATES, SERIES, SERIES_REPLICATES, BLOCK_LENGTH = 5000, 10000, 3000, 1000, 12


SAMPLES = [np.exp(0.1 * np.random.default_rng(side).random(1_000_000) + 0.001 * side)
           for side in (0, 1)]
TIED = [np.floor(1000 * sample) for sample in SAMPLES]


def timed(repeats, work):
    times = []
    for _ in range(repeats):
        begin = time.monotonic()
        work()
        times.append(1e3 * (time.monotonic() - begin))
    return times


def main():
    repeats = int(sys.argv[1])
    rng = np.random.default_rng(1)
    values, series = rng.random(VALUES) + 1, rng.random(SERIES) + 1
    found = {}
    try:
        import scipy.stats
        found["scipy_plain"] = timed(repeats, lambda: scipy.stats.bootstrap(
            (values,), np.mean, n_resamples=REPLICATES, method="percentile",
            vectorized=True, batch=500, rng=rng))
        for name, samples in (("ranksum", SAMPLES), ("ranksum_tied", TIED)):
            found[f"scipy_{name}"] = timed(repeats, lambda: scipy.stats.mannwhitneyu(
                *samples, method="asymptotic"))
    except ImportError:
        pass
    try:
        from arch.bootstrap import CircularBlockBootstrap
        blocks = CircularBlockBootstrap(BLOCK_LENGTH, series, seed=1)
        found["arch_mean"] = timed(repeats, lambda: blocks.apply(
            np.mean, SERIES_REPLICATES))
        found["arch_p90"] = timed(repeats, lambda: blocks.apply(
            lambda x: np.quantile(x, 0.9), SERIES_REPLICATES))
    except ImportError:
        pass
    print(json.dumps(found))


main()
