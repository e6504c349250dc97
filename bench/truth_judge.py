"""What a verdict is worth when the truth is known. Ratios are new/old, here as logs."""

import math

ALPHA = 0.01  # of the verdicts, by their confidence of 99 %


def log_of(percent):
    return math.log1p(percent / 100)


def percent_of(log):
    return 100 * math.expm1(log)


def judge(verdict, interval, values, slack, margin):
    """right, undecided, inside or contradicted.

    interval: (low, high), either end may be infinite. values: what may be called the truth
    (median and mean, where they differ); slack: (down, up), how far it may be beside them.
    margin: of `same`. A verdict with a sign is contradicted when it has the wrong one or
    when its interval excludes every truth; `same` when one of the values is surely beyond
    the margin. `inside`: the sign of a change that is smaller than the truth is known.
    """
    low, high = min(values) - slack[0], max(values) + slack[1]
    if verdict in ("slower", "faster"):
        wrong_sign = high < 0 if verdict == "slower" else low > 0
        if wrong_sign or interval[1] < low or interval[0] > high:
            return "contradicted"
        return "inside" if low <= 0 <= high else "right"
    if verdict == "same":
        surely = max(max(values) - slack[0], -min(values) - slack[1])
        return "contradicted" if surely > margin else "right"
    return "undecided"


def tail(hits, trials, share):
    """P(at least so many hits)."""
    if hits <= 0 or share >= 1:
        return 1.0
    if share <= 0:
        return 0.0
    return math.fsum(
        math.exp(math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
                 + k * math.log(share) + (trials - k) * math.log1p(-share))
        for k in range(hits, trials + 1))


def solve(function, wanted):
    """Where an increasing function on [0, 1] is `wanted`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < wanted:
            low = middle
        else:
            high = middle
    return low


def clopper_pearson(hits, trials, error=0.01):
    """The exact interval of a share, wrong with at most this probability."""
    if trials == 0:
        return 0.0, 1.0
    low = solve(lambda share: tail(hits, trials, share), error / 2) if hits else 0.0
    high = solve(lambda share: tail(hits + 1, trials, share), 1 - error / 2) \
        if hits < trials else 1.0
    return low, high


def hits_too_many(trials, share=ALPHA, error=0.005):
    """The least count that chance reaches with less than this probability."""
    return next(hits for hits in range(1, trials + 2)
                if tail(hits, trials, share) < error)
