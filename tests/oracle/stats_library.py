"""src/stats as Python functions, through ctypes. Every function raises StatsError where
the C function reports an error."""

import ctypes
from ctypes import POINTER, byref, c_bool, c_char, c_double, c_int, c_size_t, c_uint64

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
                ("contrast", c_int), ("paired", c_bool), ("groups", Group * 2)]


class BlockLengths(ctypes.Structure):
    _fields_ = [("stationary", c_double), ("circular", c_double)]


class StatsError(Exception):
    pass


MEAN, GEOMEAN, MEDIAN, QUANTILE, TRIMMED, CV = range(6)
UNITS, CIRCULAR, MOVING, STATIONARY = range(4)
NONE, DIFFERENCE, RATIO = range(3)
PERCENTILE, BASIC, BCA, STUDENTIZED = range(4)


class Stats:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.stats_t_tail.restype = c_double
        self.library.stats_t_tail.argtypes = [c_double, c_double]
        for name in ("stats_gaussian_quantile", "stats_gaussian_below"):
            getattr(self.library, name).restype = c_double
            getattr(self.library, name).argtypes = [c_double]

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

    def quantile(self, values, probability, kind=7):
        return self.of_values("stats_quantile_of_type", values, c_double(probability),
                              c_int(kind))

    def trimmed(self, values, fraction):
        return self.of_values("stats_mean_trimmed", values, c_double(fraction))

    def shift(self, start, end):
        start, end = np.array(start, dtype=float), np.array(end, dtype=float)
        result = c_double()
        self._call("stats_hodges_lehmann_shift", _pointer(start), c_size_t(len(start)),
                   _pointer(end), c_size_t(len(end)), byref(result))
        return result.value

    def t_tail(self, t, degrees):
        return self.library.stats_t_tail(t, degrees)

    def t_quantile(self, probability, degrees):
        result = c_double()
        self._call("stats_t_quantile", c_double(probability), c_double(degrees),
                   byref(result))
        return result.value

    def t_interval(self, values, level):
        values = np.array(values, dtype=float)
        result = Interval()
        self._call("stats_t_interval", _pointer(values), c_size_t(len(values)),
                   c_double(level), byref(result))
        return result.low, result.high

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

    def changes(self, values, penalty):
        values = np.array(values, dtype=float)
        starts = (c_size_t * (len(values) // 2 + 1))()
        segments = c_size_t()
        self._call("stats_changes_find", _pointer(values), c_size_t(len(values)),
                   c_double(penalty), starts, byref(segments))
        return list(starts[:segments.value])

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
