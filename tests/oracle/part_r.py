"""Base R and its package boot: all questions in one call of Rscript (oracle.R)."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import stats_library as lib
from comparison import ar1, magnitude, replicate_errors, share_errors
from part_blocks import OURS, values_of
from part_two_sample import AUTO, CONTINUITY, NORMAL, pair

THEIRS = 200
CHECK = ["Rscript", "-e", "library(boot)"]


class Questions:
    """Questions for R, and for each what to do with the answer."""

    def __init__(self, c):
        self.c, self.lines, self.kinds = c, [], []

    def ask(self, functions, oracle, prepare, exact=True, tolerance=1e-10):
        """prepare() gives R's function, its arguments, and what compares its answer."""
        takers = []
        for self.c.case in range(self.c.cases):
            function, arguments, taker = prepare()
            self.lines.append("|".join([function, *(
                " ".join(repr(float(x)) for x in np.atleast_1d(a)) for a in arguments)]))
            takers.append(taker)
        self.kinds.append((functions, oracle, takers, exact, tolerance))

    def compare(self):
        with tempfile.TemporaryDirectory() as folder:
            asked, answered = Path(folder, "asked"), Path(folder, "answered")
            asked.write_text("\n".join(self.lines) + "\n", encoding="ascii")
            subprocess.run(["Rscript", Path(__file__).parent / "oracle.R", asked,
                            answered], check=True)
            answers = iter(answered.read_text(encoding="ascii").splitlines())
        for functions, oracle, takers, exact, tolerance in self.kinds:
            waiting = iter(takers)

            def one():
                return next(waiting)(np.array(next(answers).split(), dtype=float))
            if exact:
                self.c.exact(functions, oracle, one, tolerance)
            else:
                self.c.random(functions, oracle, one)


def summaries(c, questions):
    def quantile():
        values = c.sample(most=60, kinds=8)
        p = float(c.rng.choice([0, 1, 0.5, 0.1, 0.9, c.rng.random()]))
        return "quantile", (values, (p, 7)), lambda r: (
            c.stats.of_values("stats_quantile_type7", values, lib.c_double(p)), r[0],
            magnitude(values))
    questions.ask("stats_quantile_type7", "R quantile", quantile)

    def sd():
        values = values_of(c)  # R's loses digits of values that agree in most of them
        return "sd", (values,), lambda r: (c.stats.of_values("stats_sd_sample", values),
                                           r[0])
    questions.ask("stats_sd_sample", "R sd", sd)

    def interval():
        values, level = values_of(c, 3), c.level()
        values = values * c.rng.uniform(1, 1.01, len(values))  # R refuses constant data
        return "t", (values, level), lambda r: (c.stats.t_interval(values, level), r,
                                                magnitude(values))
    questions.ask("stats_t_interval", "R t.test", interval)

    def correlation():
        values = ar1(c.rng, int(c.rng.integers(3, 100)), 0.7)
        lags = min(10, len(values) - 1)
        return "acf", (values, lags), lambda r: (c.stats.autocorrelation(values, lags), r,
                                                 1.0)
    questions.ask("stats_autocorrelation", "R acf", correlation)


def tests(c, questions):
    def wilcoxon():
        while True:
            x, y = (side[:40] for side in pair(c))
            if len(np.unique(np.concatenate([x, y]))) > 1:
                break  # of constant data R has no p value

        def taker(r):
            made = c.stats.dominance(x, y)
            p = [c.stats.ranksum(made, m).p_value for m in (CONTINUITY, NORMAL)]
            exact = c.stats.ranksum(made, AUTO)
            return [exact.u, *p, exact.p_value if exact.exact else np.nan], r
        return "wilcoxon", (x, y), taker
    questions.ask("stats_ranksum_test", "R wilcox.test", wilcoxon)

    def adjust():
        p_values = c.rng.random(c.size(1, 40)) ** 3
        return "adjust", (p_values,), lambda r: (
            np.concatenate([c.stats.adjusted(m, p_values) for m in (1, 2, 3)]), r)
    questions.ask("stats_multiplicity_adjust", "R p.adjust", adjust)


def bootstraps(c, questions):
    def studentized():
        values = values_of(c, 10)
        values = values * c.rng.uniform(1, 1 + 1e-3, len(values))
        level, seed = 0.9, c.case
        low, high = c.stats.interval(lib.question([values]), lib.STUDENTIZED, level, OURS,
                                     seed)
        mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))

        def taker(r):
            # boot.ci's own ends beside the pivots that it has them from, and ours among these.
            pivots = np.sort(r[2:])
            for end, share in ((r[1], 0.05), (r[0], 0.95)):
                at = int(share * (len(pivots) + 1))
                near = pivots[[max(at - 2, 0), min(at + 1, len(pivots) - 1)]]
                assert near[0] - 1e-9 <= (mean - end) / error <= near[1] + 1e-9
            return [share_errors((np.mean(pivots < at), np.mean(pivots <= at)), share,
                                 OURS, THEIRS)
                    for at, share in (((mean - high) / error, 0.05),
                                      ((mean - low) / error, 0.95))]
        return "studentized", (values, (level, seed, THEIRS)), taker
    questions.ask("stats_resample_interval, studentized", "R boot.ci(stud)", studentized,
                  exact=False)

    def strata():
        sizes = [int(n) for n in c.rng.integers(1, 8, c.rng.integers(1, 5))]
        values = c.rng.lognormal(1, 0.6, sum(sizes))
        owner = np.repeat(np.arange(len(sizes)), sizes)
        ask = lib.question([values], sizes=[[len(sizes)], sizes], fixed=1)
        ours = c.stats.resample(ask, OURS, c.case)[1]
        return "strata", (values, owner, (c.case, THEIRS)), \
            lambda r: replicate_errors(ours, r)
    questions.ask("stats_resample, strata", "R boot(strata=)", strata, exact=False)

    for scheme, word, code in ((lib.CIRCULAR, "circular", 0),
                               (lib.STATIONARY, "stationary", 1)):
        def series(scheme=scheme, code=code):
            values = ar1(c.rng, int(c.rng.integers(8, 60)), 0.6) + 20
            length = int(c.rng.integers(1, len(values) // 3 + 1))
            ask = lib.question([values], lib.MEDIAN, 0.0, scheme, length)
            ours = c.stats.resample(ask, OURS, c.case)[1]
            return "series", (values, (c.case, THEIRS, length, code)), \
                lambda r: replicate_errors(ours, r)
        questions.ask(f"stats_resample, {word} blocks", "R tsboot", series, exact=False)


def run(c):
    if shutil.which("Rscript") is None or \
            subprocess.run(CHECK, capture_output=True, check=False).returncode != 0:
        c.skip("R with its package boot is not installed (r-base-core, r-cran-boot)")
        return
    questions = Questions(c)
    with np.errstate(all="ignore"):
        for part in (summaries, tests, bootstraps):
            part(c, questions)
        questions.compare()
