"""What the comparisons share: random samples, the counting of cases, and the verdicts.
Every comparison is a row: the functions of src/stats, the oracle, how many cases, the
largest deviation and the largest that is allowed."""

import numpy as np
import scipy.stats

HUGE = {600: 1_000_000}  # case number: size, for what takes O(n)
LARGE = 100_000          # of every hundredth case

# What 4 standard errors are to one comparison, to the largest of many: the share of
# sound programs that it refuses stays that of a single one at 4.
REFUSED = 2 * scipy.stats.norm.sf(4)


def most_errors(comparisons):
    return float(scipy.stats.norm.isf(REFUSED / comparisons / 2))


class Row:
    def __init__(self, functions, oracle, cases, deviation, allowed, unit):
        self.functions, self.oracle, self.cases = functions, oracle, cases
        self.deviation, self.allowed, self.unit = deviation, allowed, unit

    def good(self):
        return self.cases > 0 and self.deviation <= self.allowed

    def measured(self):
        if self.unit == "relative":
            return f"{self.deviation:.1e} (<= {self.allowed:.0e})"
        return f"{self.deviation:.2f} standard errors (<= {self.allowed:.2f})"

    def text(self):
        return (f"{'ok  ' if self.good() else 'FAIL'} {self.functions:<44} "
                f"{self.oracle:<40} {self.cases:>6} cases  {self.measured()}")


class Comparison:
    def __init__(self, stats, cases, seed):
        self.stats = stats
        self.cases = cases
        self.rng = np.random.default_rng(seed)
        self.rows = []
        self.skips = []
        self.case = 0  # the number of the current one

    def exact(self, functions, oracle, one_case, tolerance=1e-10, cases=None):
        """one_case() gives (got, expected) or (got, expected, scale): |got - expected|
        must be at most tolerance * scale (without one: |expected|); NaN equals NaN,
        infinity infinity."""
        cases = cases or self.cases
        worst = 0.0
        for self.case in range(cases):
            answer = one_case()
            scale = np.abs(answer[1]) if len(answer) == 2 else answer[2]
            off = deviation(answer[0], answer[1], scale)
            if not off <= tolerance:
                print(f"     {functions}: case {self.case}: got {answer[0]!r:.200}, "
                      f"expected {answer[1]!r:.200}")
            worst = max(worst, off) if off == off else np.inf
        self.row(functions, oracle, cases, worst, tolerance, "relative")

    def random(self, functions, oracle, one_case, cases=None):
        """one_case() gives differences in standard errors. The largest of all, and the
        mean of each kind in its own standard errors, must be what chance allows."""
        cases = cases or self.cases
        found = []
        for self.case in range(cases):
            found.append(np.atleast_1d(one_case()))
        found = np.array(found)
        if not np.all(np.isfinite(found)):
            worst = np.inf
        else:
            largest = np.max(np.abs(found))
            drift = found.mean(0) * np.sqrt(len(found))
            # A drift beyond its 4 standard errors fails as the largest would.
            worst = max(largest, np.max(np.abs(drift)) * most_errors(found.size) /
                        most_errors(found.shape[1]))
            if worst > most_errors(found.size):
                print(f"     {functions}: largest of each kind "
                      f"{np.abs(found).max(0).round(2)} in cases "
                      f"{np.abs(found).argmax(0)}, drifts {drift.round(2)}")
        self.row(functions, oracle, cases, worst, most_errors(found.size),
                 "standard errors")

    def row(self, functions, oracle, cases, worst, allowed, unit):
        self.rows.append(Row(functions, oracle, cases, float(worst), allowed, unit))
        print(self.rows[-1].text(), flush=True)

    def skip(self, reason):
        self.skips.append(reason)
        print(f"SKIP: {reason}", flush=True)

    # ---- Random samples ----

    def size(self, least=1, most=200, large=False):
        """1, 2, 3 and everything up to `most`; 10^5 and 10^6 where asked for."""
        if large and self.case % 100 == 99:
            return HUGE.get(self.case + 1, LARGE)
        return int(self.rng.choice([least, least + 1, least + 2,
                                    self.rng.integers(least, most + 1)]))

    def sample(self, least=1, most=200, large=False, positive=False, kinds=9):
        """Values of every kind that a timer, or a tester, comes up with; of the first
        `kinds` kinds: 6 without extreme magnitudes, 8 without a mixture of them."""
        count = self.size(least, most, large)
        values = self.shapes(count)[self.rng.integers(kinds)]()
        return np.abs(values) + np.finfo(float).tiny if positive else values

    def shapes(self, count):
        rng = self.rng
        unit = 10.0 ** rng.integers(-9, 10)
        return [
            lambda: rng.normal(0, 1, count) * unit,
            lambda: rng.lognormal(0, 1, count) * unit,
            lambda: (rng.pareto(1.5, count) + 1) * unit,
            lambda: rng.integers(1, 6, count) * unit,           # ties
            # Equal in the first eleven digits.
            lambda: (1 + 1e-12 * rng.integers(0, 10, count)) * unit,
            lambda: rng.choice(rng.normal(5, 1, 2), count) * unit,  # two values
            lambda: rng.lognormal(0, 1, count) * 1e-300,
            lambda: rng.normal(0, 1, count) * 1e300,
            lambda: rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-300, 300, count),
        ]

    def level(self):
        return float(self.rng.choice([0.9, 0.95, 0.99, self.rng.uniform(0.5, 0.999)]))


def deviation(got, expected, scale):
    """The largest of |got - expected| / scale; infinite where one is NaN or infinite
    and the other is not the same. Values below the smallest normal number count as
    equal to 0."""
    got, expected, scale = np.broadcast_arrays(
        np.asarray(got, dtype=np.longdouble), np.asarray(expected, dtype=np.longdouble),
        np.asarray(scale, dtype=np.longdouble))
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(all="ignore"):
        off = np.abs(got - expected) / np.maximum(scale, np.finfo(float).tiny)
    off = np.where(same, 0.0, np.where(np.isfinite(off), off, np.inf))
    return float(np.max(off)) if off.size else 0.0


def magnitude(values):
    return np.max(np.abs(values))


def ar1(rng, count, phi):
    noise = rng.normal(0, 1, count)
    values = np.empty(count)
    values[0] = noise[0]
    for i in range(1, count):
        values[i] = phi * values[i - 1] + noise[i]
    return values


def share_errors(shares, expected, ours, theirs):
    """How far a quantile of `ours` replicates lies from where it should among `theirs`,
    in standard errors. shares: of theirs below it and at or below it; between the two
    any probability is right."""
    share = float(np.clip(expected, *shares))
    size = 1 / (1 / ours + 1 / theirs)  # of one sample with the noise of both
    # The exact tail of that many trials, half of the observed outcome counted.
    if share >= expected:
        return scipy.stats.norm.isf(binomial_tail(share * size, size, expected))
    return -scipy.stats.norm.isf(binomial_tail(size - share * size, size, 1 - expected))


def binomial_tail(successes, trials, share):
    """P(X > successes) + P(X = successes) / 2, for any real number of them."""
    at_least = scipy.stats.beta.cdf(share, successes, trials - successes + 1)
    more = scipy.stats.beta.cdf(share, successes + 1, trials - successes) \
        if successes < trials else 0.0
    return (at_least + more) / 2


def replicate_errors(ours, theirs, noise=0.0):
    """Mean, spread and three quantiles of the replicates beside the oracle's. noise: by
    how much the same resample may differ between them, beside the last digits."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    scale = max(np.max(np.abs(theirs)), np.max(np.abs(ours)))
    noise += 1e-12 * scale  # the same numbers, added in another order
    both = np.concatenate([ours, theirs])
    spread = both.std() * np.sqrt(1 / len(ours) + 1 / len(theirs))
    found = [(ours.mean() - theirs.mean()) / max(spread, noise)
             if abs(ours.mean() - theirs.mean()) > noise else 0.0,
             spread_error(ours, theirs, both, noise)]
    for probability in (0.05, 0.5, 0.95):
        end = np.quantile(ours, probability)
        shares = (np.mean(theirs < end - noise), np.mean(theirs <= end + noise))
        found.append(share_errors(shares, probability, len(ours), len(theirs)))
    return found


def spread_error(ours, theirs, both, noise):
    """Of the mean squares about the common mean, from the fourth moment."""
    a, b = (np.mean((x - both.mean()) ** 2) for x in (ours, theirs))
    if abs(np.sqrt(a) - np.sqrt(b)) <= noise:
        return 0.0
    error = np.std((both - both.mean()) ** 2)
    return float((a - b) / (error * np.sqrt(1 / len(ours) + 1 / len(theirs))))
