"""Asks scipy and duet the same questions; run by the Python that DUET_ORACLE_PYTHON
names, which has scipy:

    python two_sample_cases.py PATH_OF_oracle_two_sample [time]
"""

import subprocess
import sys
import time

import numpy as np
from scipy import stats

CASES = 1500
EXACT_PAIRS = 2500  # STATS_RANKSUM_EXACT_PAIRS


def cliff(x, y, level=0.95):
    """R's effsize, cliff.delta(), from the full matrix of signs."""
    signs = np.sign(x[:, None] - y[None, :])
    n, m = len(x), len(y)
    delta = used = signs.mean()
    if abs(delta) == 1:
        used = delta * (n * m - 1) / (n * m)
    if min(n, m) < 2:
        return delta, np.nan, np.nan
    rows = ((signs.mean(axis=1) - used) ** 2).sum()
    columns = ((signs.mean(axis=0) - used) ** 2).sum()
    variance = ((m * m * rows + n * n * columns - ((signs - used) ** 2).sum())
                / (n * m * (n - 1) * (m - 1)))
    if variance <= 1e-12:  # R has no answer, or one of rounding errors only
        variance = np.nan
    t = stats.t.ppf(1 - (1 - level) / 2, n + m - 2)
    spread = t * np.sqrt(variance) * np.sqrt((1 - used**2) ** 2 + t * t * variance)
    scale = 1 - used**2 + t * t * variance
    low, high = (used - used**3 - spread) / scale, (used - used**3 + spread) / scale
    return delta, -1.0 if delta == -1 else low, 1.0 if delta == 1 else high


def sample(rng, size, kind):
    if kind == 0:
        return rng.normal(size=size)
    if kind == 1:  # few distinct values: ties everywhere
        return rng.integers(0, rng.integers(1, 12), size).astype(float)
    if kind == 2:  # a wide range of sizes, of both signs
        return rng.choice([-1.0, 1.0], size) * 10 ** rng.uniform(-300, 300, size)
    if kind == 3:  # differences in the last digits only
        return 1e6 + rng.integers(0, 1000, size) * 2.0**-30
    return rng.lognormal(rng.uniform(-1, 1), 0.5, size)  # a shift between the two


def cases():
    rng = np.random.default_rng(20200420)
    for i in range(CASES):
        kind = i % 5
        largest = (4, 12, 60, 300)[i // 5 % 4]
        n, m = rng.integers(1, largest + 1, 2)
        yield sample(rng, n, kind), sample(rng, m, kind)
    yield rng.normal(size=1), rng.normal(size=5000)
    yield rng.normal(size=20000), rng.normal(size=2)
    yield np.round(rng.normal(size=4000), 2), np.round(rng.normal(0.1, 1, 3000), 2)
    yield np.arange(2000.0), 5000 + np.arange(1000.0)  # p below the smallest double


def close(got, expected, relative):
    return abs(got - expected) <= relative * abs(expected) + 1e-305


def check(x, y, line):
    u, p, p_corrected, p_exact, delta, low, high = map(float, line.split())
    both = np.concatenate([x, y])
    if len(np.unique(both)) > 1:
        plain = stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic")
        corrected = stats.mannwhitneyu(x, y, method="asymptotic")
        assert u == plain.statistic, (u, plain)
        assert close(p, plain.pvalue, 1e-10), (p, plain)
        assert close(p_corrected, corrected.pvalue, 1e-10), (p_corrected, corrected)
    else:
        assert p == p_corrected == 1
    possible = len(np.unique(both)) == len(both) and len(x) * len(y) <= EXACT_PAIRS
    assert possible != np.isnan(p_exact)
    if possible:
        exact = stats.mannwhitneyu(x, y, method="exact")
        assert close(p_exact, exact.pvalue, 1e-10), (p_exact, exact)
    if len(x) * len(y) <= 10**6:
        wanted = cliff(x, y)
        assert abs(delta - wanted[0]) <= 1e-12, (delta, wanted)
        for got, end in ((low, wanted[1]), (high, wanted[2])):
            if not np.isnan(end):
                assert abs(got - end) <= 1e-10, (got, end)
    return possible


def ask(program, samples, *arguments):
    lines = [" ".join([str(len(side)), *map(repr, map(float, side))])
             for pair in samples for side in pair]
    done = subprocess.run([program, *arguments], input="\n".join(lines), text=True,
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.splitlines()


def compare(program):
    samples = list(cases())
    answers = ask(program, samples)
    assert len(answers) == len(samples)
    exact = 0
    for i, ((x, y), line) in enumerate(zip(samples, answers)):
        try:
            exact += check(x, y, line)
        except AssertionError as error:
            sys.exit(f"case {i} ({len(x)} x {len(y)} values): {error}")
    print(f"{len(samples)} cases agree with scipy, {exact} of them exact ones too")


def race(program, count=1_000_000):
    rng = np.random.default_rng(1)
    x, y = rng.lognormal(0, 0.1, count), rng.lognormal(0.001, 0.1, count)
    ours = [float(line.split()[2]) for line in ask(program, [(x, y)] * 3, "time")]
    theirs = []
    for _ in range(3):
        begin = time.perf_counter()
        stats.mannwhitneyu(x, y, method="asymptotic")
        theirs.append(time.perf_counter() - begin)
    print(f"2 x {count} values: duet {min(ours):.3f} s, scipy {min(theirs):.3f} s, "
          f"{min(theirs) / min(ours):.1f} times faster")


if __name__ == "__main__":
    (race if sys.argv[2:] == ["time"] else compare)(sys.argv[1])
