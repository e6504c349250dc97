"""src/stats as Python functions, through ctypes. Every function raises StatsError where
the C function reports an error."""

import ctypes
from ctypes import (POINTER, byref, c_bool, c_char, c_double, c_int, c_size_t, c_uint32,
                    c_uint64)

import numpy as np


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("message", c_char * 1024)]


class Interval(ctypes.Structure):
    _fields_ = [("low", c_double), ("high", c_double)]


class Resampling(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("stream", c_uint64), ("replicates", c_size_t),
                ("simd", c_int)]


class Statistic(ctypes.Structure):
    _fields_ = [("kind", c_int), ("fraction", c_double)]


class Levels(ctypes.Structure):
    _fields_ = [("depth", c_size_t), ("fixed", c_size_t),
                ("sizes", POINTER(POINTER(c_size_t)))]


class Group(ctypes.Structure):
    _fields_ = [("values", POINTER(c_double)), ("count", c_size_t),
                ("levels", POINTER(Levels))]


class Question(ctypes.Structure):
    _fields_ = [("statistic", Statistic), ("scheme", c_int), ("block_length", c_double),
                ("contrast", c_int), ("paired", c_bool), ("groups", Group * 2),
                ("rooms", POINTER(c_double) * 2)]


class BlockLengths(ctypes.Structure):
    _fields_ = [("stationary", c_double), ("circular", c_double), ("most", c_double)]


class Pair(ctypes.Structure):
    """stats_sum and other structs of two numbers."""
    _fields_ = [("first", c_double), ("second", c_double)]


class Moments(ctypes.Structure):
    _fields_ = [("count", c_uint64), ("mean", c_double),
                ("mean_rest", c_double), ("squares", c_double),
                ("min", c_double), ("max", c_double)]


class Dominance(ctypes.Structure):
    _fields_ = [("first_count", c_size_t), ("second_count", c_size_t),
                ("greater", c_uint64), ("less", c_uint64), ("tied", c_bool),
                ("ties", c_double), ("first_squares", c_double),
                ("second_squares", c_double), ("pair_squares", c_double)]


class Ranksum(ctypes.Structure):
    _fields_ = [("u", c_double), ("p_value", c_double), ("exact", c_bool)]


class Cliff(ctypes.Structure):
    _fields_ = [("delta", c_double), ("interval", Interval), ("magnitude", c_int)]


class Run(ctypes.Structure):
    _fields_ = [("values", POINTER(c_double)), ("count", c_size_t)]


class Runs(ctypes.Structure):
    _fields_ = [("runs", POINTER(Run)), ("count", c_size_t)]


class SteadyOptions(ctypes.Structure):
    _fields_ = [("penalty", c_double), ("tail_share", c_double)]


class Lapack(ctypes.Structure):
    _fields_ = [("functions", ctypes.c_void_p * 3)]


class ProcessData(ctypes.Structure):
    _fields_ = [("points", POINTER(c_double)), ("values", POINTER(c_double)),
                ("count", c_size_t), ("features", c_size_t)]


class Kernel(ctypes.Structure):
    _fields_ = [("lengths", c_double * 16), ("noise", c_double)]


class BisectOptions(ctypes.Structure):
    _fields_ = [("alpha", c_double), ("threshold", c_double), ("eta", c_double)]


class StatsError(Exception):
    pass


MEAN, GEOMEAN, MEDIAN, QUANTILE, TRIMMED, CV = range(6)
UNITS, CIRCULAR, MOVING, STATIONARY = range(4)
NONE, DIFFERENCE, RATIO = range(3)
PERCENTILE, BASIC, BCA, STUDENTIZED = range(4)


class Stats:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name, result, *arguments in (
                ("stats_t_p_value", c_double, c_double, c_double, c_double),
                ("stats_gaussian_quantile", c_double, c_double),
                ("stats_gaussian_below", c_double, c_double),
                ("stats_coverage_measured", c_double, c_int, c_size_t, c_double),
                ("stats_signflip_fewest", c_size_t, c_double),
                ("stats_trimmed_cut", c_size_t, c_size_t),
                ("stats_sum_add", None, POINTER(Pair), c_double),
                ("stats_sum_value", c_double, POINTER(Pair)),
                ("stats_moments_add", None, POINTER(Moments), c_double),
                ("stats_moments_merge", None, POINTER(Moments), POINTER(Moments)),
                ("stats_moments_sd_sample", c_double, POINTER(Moments)),
                ("stats_winsorize_one", c_bool, POINTER(c_double), c_size_t, c_int),
                ("stats_select", None, POINTER(c_double), c_size_t, c_size_t),
                ("stats_sort", None, POINTER(c_double), c_size_t),
                ("stats_magnitude_name", ctypes.c_char_p, c_int),
                ("stats_intervals_overlap", c_bool, POINTER(Interval),
                 POINTER(Interval)),
                ("stats_gp_free", None, ctypes.c_void_p),
                ("stats_gp_predict", None, ctypes.c_void_p, POINTER(c_double),
                 POINTER(c_double), POINTER(c_double)),
                ("stats_gp_kernel_of", POINTER(Kernel), ctypes.c_void_p),
                ("stats_gp_log_likelihood", c_double, ctypes.c_void_p),
                ("stats_bisect_free", None, ctypes.c_void_p),
                ("stats_bisect_weight", c_double, ctypes.c_void_p, c_size_t),
                ("stats_bisect_entropy_bits", c_double, ctypes.c_void_p),
                ("stats_steady_options_default", SteadyOptions)):
            getattr(self.library, name).restype = result
            getattr(self.library, name).argtypes = list(arguments)

    def _call(self, name, *arguments):
        error = Error()
        if getattr(self.library, name)(*arguments, byref(error)) != 0:
            raise StatsError(error.message.decode())

    def of_values(self, name, values, *arguments):
        """One number of an array, which the function may reorder."""
        copy = np.array(values, dtype=float)
        result = c_double()
        self._call(name, _pointer(copy), c_size_t(len(copy)), *arguments, byref(result))
        return result.value

    def t_p_value(self, estimate, error, degrees):
        return self.library.stats_t_p_value(estimate, error, degrees)

    def t_quantile(self, probability, degrees):
        result = c_double()
        self._call("stats_t_quantile", c_double(probability), c_double(degrees),
                   byref(result))
        return result.value

    def t_interval(self, values, level):
        values = np.array(values, dtype=float)
        return self.ends("stats_t_interval", _pointer(values), c_size_t(len(values)),
                         c_double(level))

    def gaussian_quantile(self, probability):
        return self.library.stats_gaussian_quantile(probability)

    def gaussian_below(self, z):
        return self.library.stats_gaussian_below(z)

    def autocorrelation(self, values, lags):
        values = np.array(values, dtype=float)
        result = np.zeros(lags + 1)
        self._call("stats_autocorrelation", _pointer(values), c_size_t(len(values)),
                   c_size_t(lags), _pointer(result))
        return result

    def block_lengths(self, values):
        values = np.array(values, dtype=float)
        result = BlockLengths()
        self._call("stats_block_lengths_estimate", _pointer(values),
                   c_size_t(len(values)), byref(result))
        return result.stationary, result.circular

    def process(self, points, values, questions, kernel=None, one_length=True):
        """(lengths, noise, log likelihood, means, variances) of a Gaussian process with
        this (lengths, noise), or with the likeliest kernel."""
        points = np.array(points, dtype=float)
        values = np.array(values, dtype=float)
        lapack, process = Lapack(), ctypes.c_void_p()
        data = ProcessData(_pointer(points), _pointer(values), *points.shape)
        self._call("stats_lapack_load", byref(lapack))
        if kernel is None:
            self._call("stats_gp_fit", byref(lapack), byref(data), c_bool(one_length),
                       byref(process))
        else:
            given = Kernel((c_double * 16)(*kernel[0]), kernel[1])
            self._call("stats_gp_new", byref(lapack), byref(data), byref(given),
                       byref(process))
        answers = []
        for question in np.array(questions, dtype=float):
            mean, variance = c_double(), c_double()
            self.library.stats_gp_predict(process, _pointer(question), byref(mean),
                                          byref(variance))
            answers.append((mean.value, variance.value))
        used = self.library.stats_gp_kernel_of(process).contents
        likelihood = self.library.stats_gp_log_likelihood(process)
        found = (np.array(used.lengths[:points.shape[1]]), used.noise, likelihood,
                 *np.transpose(answers))
        self.library.stats_gp_free(process)
        return found

    def bisection(self, last, options, blocks):
        """(weights of the candidates, their entropy in bits) after blocks, each of them
        (commit, log ratio)."""
        bisect = ctypes.c_void_p()
        self._call("stats_bisect_new", c_size_t(last), byref(options), byref(bisect))
        for at, log_ratio in blocks:
            self._call("stats_bisect_add", bisect, c_size_t(at), c_double(log_ratio))
        weights = [self.library.stats_bisect_weight(bisect, b) for b in range(1, last + 1)]
        bits = self.library.stats_bisect_entropy_bits(bisect)
        self.library.stats_bisect_free(bisect)
        return weights, bits

    def resample(self, question, replicates, seed=1):
        result = np.zeros(replicates)
        estimate = c_double()
        how = Resampling(seed, 0, replicates, 0)
        self._call("stats_resample", byref(question), byref(how), byref(estimate),
                   _pointer(result))
        return estimate.value, result

    def interval(self, question, method, level, replicates, seed=1):
        interval = Interval()
        estimate = c_double()
        how = Resampling(seed, 0, replicates, 0)
        self._call("stats_resample_interval", byref(question), byref(how), c_int(method),
                   c_double(level), byref(estimate), byref(interval))
        return interval.low, interval.high

    def ends(self, name, *arguments):
        """The interval that a function gives."""
        result = Interval()
        self._call(name, *arguments, byref(result))
        return result.low, result.high

    def sum(self, values):
        total = Pair()
        for value in values:
            self.library.stats_sum_add(byref(total), value)
        return self.library.stats_sum_value(byref(total))

    def moments(self, values):
        made = Moments()
        for value in values:
            self.library.stats_moments_add(byref(made), value)
        return made

    def sorted_by(self, name, values):
        """stats_sort or stats_radix_sort."""
        copy = np.array(values, dtype=float)
        if name == "stats_sort":
            self.library.stats_sort(_pointer(copy), len(copy))
            return copy
        self._call(name, _pointer(copy), c_size_t(len(copy)))
        return copy

    def select(self, values, rank):
        copy = np.array(values, dtype=float)
        self.library.stats_select(_pointer(copy), len(copy), rank)
        return copy

    def quantiles(self, values, probabilities):
        copy, at = np.array(values, dtype=float), np.array(probabilities, dtype=float)
        result = np.empty_like(at)
        self._call("stats_quantiles_type7", _pointer(copy), c_size_t(len(copy)),
                   _pointer(at), c_size_t(len(at)), _pointer(result))
        return result

    def location(self, kind, values):
        copy = np.array(values, dtype=float)
        result = c_double()
        self._call("stats_location_estimate", c_int(kind), _pointer(copy),
                   c_size_t(len(copy)), byref(result))
        return result.value

    def winsorized(self, values, rule):
        copy = np.array(values, dtype=float)
        done = self.library.stats_winsorize_one(_pointer(copy), len(copy), rule)
        return copy, done

    def warmup(self, values, kind, named=0):
        values = np.array(values, dtype=float)
        dropped = c_size_t()
        self._call("stats_warmup_length", _pointer(values), c_size_t(len(values)),
                   c_int(kind), c_size_t(named), byref(dropped))
        return dropped.value

    def steady(self, values, penalty=None, share=None):
        values = np.array(values, dtype=float)
        options = self.library.stats_steady_options_default()
        if penalty is not None:
            options = SteadyOptions(penalty, share)
        start, steady = c_size_t(), c_bool()
        self._call("stats_steady_find", _pointer(values), c_size_t(len(values)),
                   byref(options), byref(start), byref(steady))
        return start.value, steady.value

    def dominance(self, first, second):
        first, second = np.array(first, dtype=float), np.array(second, dtype=float)
        made = Dominance()
        self._call("stats_dominance_count", _pointer(first), c_size_t(len(first)),
                   _pointer(second), c_size_t(len(second)), byref(made))
        return made

    def ranksum(self, dominance, method):
        made = Ranksum()
        self._call("stats_ranksum_test", byref(dominance), c_int(method), byref(made))
        return made

    def cliff(self, dominance, level):
        made = Cliff()
        self._call("stats_cliff_delta", byref(dominance), c_double(level), byref(made))
        return made

    def adjusted(self, method, p_values):
        p_values = np.array(p_values, dtype=float)
        result = np.empty_like(p_values)
        self._call("stats_multiplicity_adjust", c_int(method), _pointer(p_values),
                   c_size_t(len(p_values)), _pointer(result))
        return result

    def signflip(self, values, level, seed=1, stream=0):
        values = np.array(values, dtype=float)
        return self.ends("stats_signflip_interval", _pointer(values),
                         c_size_t(len(values)), c_double(level), c_uint64(seed),
                         c_uint64(stream))

    def detectable(self, error, degrees, level, power):
        result = c_double()
        self._call("stats_t_detectable", c_double(error), c_double(degrees),
                   c_double(level), c_double(power), byref(result))
        return result.value

    def percentile(self, replicates, level):
        copy = np.array(replicates, dtype=float)
        return self.ends("stats_interval_percentile", _pointer(copy),
                         c_size_t(len(copy)), c_double(level))

    def bootstrap_percentile(self, values, level, replicates, seed=1):
        values = np.array(values, dtype=float)
        how = Resampling(seed, 0, replicates, 0)
        return self.ends("stats_bootstrap_percentile", _pointer(values),
                         c_size_t(len(values)), c_double(level), byref(how))

    def bootstrap_means(self, table, replicates, seed=1):
        """table: rows of columns; the means, a row a column."""
        table = np.array(table, dtype=float)
        rows, columns = table.shape
        result = np.empty((columns, replicates))
        how = Resampling(seed, 0, replicates, 0)
        self._call("stats_bootstrap_means", _pointer(table), c_size_t(rows),
                   c_size_t(columns), byref(how), _pointer(result))
        return result

    def twolevel(self, start, end, location, replicates, seed=1):
        start, end, how = _runs(start), _runs(end), Resampling(seed, 0, replicates, 0)
        result = np.empty(replicates)
        self._call("stats_twolevel_difference", byref(start), byref(end),
                   c_int(location), byref(how), _pointer(result))
        return result

    def shuffled_width(self, start, end, location, shuffles, level, replicates, seed=1):
        start, end, how = _runs(start), _runs(end), Resampling(seed, 0, replicates, 0)
        result = c_double()
        self._call("stats_shuffled_width", byref(start), byref(end), c_int(location),
                   c_size_t(shuffles), c_double(level), byref(how), byref(result))
        return result.value


def question(groups, kind=MEAN, fraction=0.0, scheme=UNITS, length=0.0, contrast=NONE,
             paired=False, sizes=None, fixed=0):
    """A Question; it keeps what it points to alive. sizes: one list of counts a level,
    the same design for every group."""
    made = Question(Statistic(kind, fraction), scheme, length, contrast, paired)
    made.kept = []
    for i, values in enumerate(groups):
        values = np.array(values, dtype=float)
        made.kept.append(values)
        made.groups[i].values = _pointer(values)
        made.groups[i].count = len(values)
        if sizes is not None:
            rows = [(c_size_t * len(row))(*row) for row in sizes]
            table = (POINTER(c_size_t) * len(rows))(
                *[ctypes.cast(row, POINTER(c_size_t)) for row in rows])
            levels = Levels(len(rows), fixed, table)
            made.kept += [rows, table, levels]
            made.groups[i].levels = ctypes.pointer(levels)
    return made


def _pointer(array):
    return array.ctypes.data_as(POINTER(c_double))


def _runs(values):
    """Runs, from a list of arrays; keeps them alive."""
    kept = [np.array(run, dtype=float) for run in values]
    made = Runs((Run * len(kept))(*[Run(_pointer(run), len(run)) for run in kept]),
                len(kept))
    made.kept = kept
    return made
