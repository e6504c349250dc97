"""The statistics as the bootstrap computes them: from sums, from tallies, without one
value; and who is drawn by each scheme."""

import ctypes
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_size_t, c_uint32, c_uint64

import numpy as np
import scipy.stats

import stats_library as lib
from part_blocks import STATISTICS

UNITS, CIRCULAR, MOVING, STATIONARY = range(4)


class Sums(ctypes.Structure):
    _fields_ = [("count", c_size_t), ("values", c_double), ("squares", c_double)]


class Column(ctypes.Structure):
    _fields_ = [("statistic", lib.Statistic), ("count", c_size_t), ("scale", c_double),
                ("center", c_double), ("values", POINTER(c_double)), ("borrowed", c_bool),
                ("squares", POINTER(c_double)), ("all", Sums),
                ("sorted", POINTER(c_double)), ("ranks", POINTER(c_uint32))]


class Summand(ctypes.Structure):
    _fields_ = [(name, POINTER(c_double)) for name in
                ("values", "blocks", "last", "prefix_high", "prefix_low")]


class Site(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("stream", c_uint64), ("part", c_uint32),
                ("simd", c_int)]


def prepare(library):
    for name, result, *arguments in (
            ("stats_column_of_sums", c_double, POINTER(Column), POINTER(Sums)),
            ("stats_column_of_tally", c_double, POINTER(Column), POINTER(c_uint32),
             c_size_t),
            ("stats_column_of_all", c_double, POINTER(Column)),
            ("stats_column_without", c_double, POINTER(Column), c_size_t),
            ("stats_column_error", c_double, POINTER(Column), POINTER(Sums)),
            ("stats_column_release", None, POINTER(Column)),
            ("stats_tally_mean", c_double, POINTER(c_double), POINTER(c_uint32), c_size_t,
             c_size_t),
            ("stats_sampler_units", c_size_t, ctypes.c_void_p),
            ("stats_sampler_unit", c_size_t, ctypes.c_void_p, c_size_t,
             POINTER(c_size_t)),
            ("stats_sampler_free", None, ctypes.c_void_p),
            ("stats_sampler_sum", c_double, ctypes.c_void_p, POINTER(Site),
             POINTER(Summand), POINTER(c_size_t)),
            ("stats_sampler_tally", c_size_t, ctypes.c_void_p, POINTER(Site),
             POINTER(c_uint32), POINTER(c_uint32)),
            ("stats_summand_release", None, POINTER(Summand))):
        getattr(library, name).restype = result
        getattr(library, name).argtypes = list(arguments)


def doubles(array):
    return array.ctypes.data_as(POINTER(c_double))


def whole(array):
    return array.ctypes.data_as(POINTER(c_uint32))


def columns(c):
    library = c.stats.library

    def statistic(name, kind, fraction, function, positive):
        def one():
            values = c.sample(3, most=100, positive=positive,
                              kinds=8 if kind == lib.CV else 9)
            column = Column()
            c.stats._call("stats_column_init", doubles(values), c_size_t(len(values)),
                          byref(lib.Statistic(kind, fraction)), c_bool(False), None,
                          byref(column))
            times = c.rng.multinomial(len(values), np.ones(len(values)) / len(values))
            drawn = np.repeat(np.arange(len(values)), times)
            if column.ranks:  # of an ordered statistic
                ranks = np.ctypeslib.as_array(column.ranks, (len(values),))
                tally = np.zeros(len(values), dtype=np.uint32)
                np.add.at(tally, ranks[drawn], 1)
                resampled = library.stats_column_of_tally(byref(column), whole(tally),
                                                          len(values))
            else:
                held = np.ctypeslib.as_array(column.values, (len(values),))
                sums = Sums(len(values), float(held[drawn].sum()))
                if kind == lib.CV:
                    squares = np.ctypeslib.as_array(column.squares, (len(values),))
                    sums.squares = float(squares[drawn].sum())
                resampled = library.stats_column_of_sums(byref(column), byref(sums))
            which = int(c.rng.integers(len(values)))
            got = [library.stats_column_of_all(byref(column)), resampled,
                   library.stats_column_without(byref(column), which)]
            library.stats_column_release(byref(column))
            wide = values.astype(np.longdouble)
            expected = [function(wide, 0), function(wide[drawn], 0),
                        function(np.delete(wide, which), 0)]
            scale = np.max(np.abs(values)) if kind not in (lib.GEOMEAN, lib.CV) else \
                np.abs(np.array(expected, dtype=np.longdouble))
            if kind == lib.CV:  # the sums' digits are those of the whole sample's spread
                got, expected = np.square(got), np.square(expected)
                scale = expected + expected[0] + 1e-24
            return got, expected, scale
        c.exact(f"stats_column_*, {name}", "numpy, 80-bit", one)
    for name, kind, fraction, function in STATISTICS:
        statistic(name, kind, fraction, function, kind in (lib.GEOMEAN, lib.CV))

    def error(kind):
        def one():
            values = c.sample(2, most=100, positive=True)
            column = Column()
            c.stats._call("stats_column_init", doubles(values), c_size_t(len(values)),
                          byref(lib.Statistic(kind, 0.0)), c_bool(True), None,
                          byref(column))
            got = library.stats_column_error(byref(column), byref(column.all))
            library.stats_column_release(byref(column))
            wide = values.astype(np.longdouble)
            if kind == lib.MEAN:
                expected = scipy.stats.sem(wide)
                return got, expected, expected + 1e-13 * np.max(wide)
            expected = scipy.stats.gmean(wide) * scipy.stats.sem(np.log(wide))
            return got, expected, expected + 1e-5 * scipy.stats.gmean(wide)
        return one
    c.exact("stats_column_error, mean", "scipy sem, 80-bit", error(lib.MEAN))
    c.exact("stats_column_error, geometric mean", "scipy sem of logs", error(lib.GEOMEAN))

    def tally():
        values = np.sort(c.sample(most=60))
        times = c.rng.integers(0, 4, len(values)).astype(np.uint32)
        times[c.rng.integers(len(values))] += 1
        first = int(c.rng.integers(times.sum()))
        last = int(c.rng.integers(first, times.sum()))
        expected = np.repeat(values.astype(np.longdouble), times)[first:last + 1].mean()
        return (library.stats_tally_mean(doubles(values), whole(times), first, last),
                expected, np.max(np.abs(values)))
    c.exact("stats_tally_mean", "numpy, 80-bit", tally, 1e-13)


def random_design(c, depth=None):
    depth = depth or int(c.rng.integers(1, 5))
    sizes = [[int(c.rng.integers(1, 5))]]
    while len(sizes) < depth:
        sizes.append([int(n) for n in c.rng.integers(1, 5, sum(sizes[-1]))])
    return sizes


class Sampler:
    def __init__(self, c, scheme, length, sizes, count, fixed=0):
        self.library, self.pointer = c.stats.library, ctypes.c_void_p()
        levels = None
        if sizes is not None:
            self.kept = lib.question([np.zeros(count)], sizes=sizes, fixed=fixed)
            levels = self.kept.groups[0].levels
        c.stats._call("stats_sampler_new", c_int(scheme), c_double(length), levels,
                      c_size_t(count), byref(self.pointer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.stats_sampler_free(self.pointer)


def samplers(c):
    library = c.stats.library

    def sums(scheme):
        def one():
            """The sum of a replicate is that of the values its tally says."""
            sizes = random_design(c) if scheme == UNITS else None
            count = sum(sizes[-1]) if sizes else int(c.rng.integers(1, 80))
            values = c.rng.normal(0, 1, count)
            length = float(c.rng.uniform(1, count))
            with Sampler(c, scheme, length, sizes, count) as sampler:
                site = Site(c.case, int(c.rng.integers(1000)), 0, 0)
                summand, total = Summand(), c_size_t()
                c.stats._call("stats_summand_init", sampler.pointer, doubles(values),
                              byref(summand))
                got = library.stats_sampler_sum(sampler.pointer, byref(site),
                                                byref(summand), byref(total))
                library.stats_summand_release(byref(summand))
                times = np.zeros(count, dtype=np.uint32)
                drawn = library.stats_sampler_tally(
                    sampler.pointer, byref(site),
                    whole(np.arange(count, dtype=np.uint32)), whole(times))
            return ([got, total.value, drawn], [times @ values, times.sum(), times.sum()],
                    [max(1.0, times @ np.abs(values)), 1, 1])
        return one
    for scheme, word in ((UNITS, "design"), (CIRCULAR, "circular"), (MOVING, "moving"),
                         (STATIONARY, "stationary")):
        c.exact(f"stats_sampler_sum, _tally, {word}", "each other", sums(scheme), 1e-12)

    def units():
        sizes = random_design(c)
        fixed = int(c.rng.integers(len(sizes)))
        count = sum(sizes[-1])
        owner = np.arange(count)  # of each value: its unit of the first drawn level
        for level in range(len(sizes) - 1, fixed, -1):
            owner = np.repeat(np.arange(len(sizes[level])), sizes[level])[owner]
        expected = [(int(np.argmax(owner == u)), int(np.sum(owner == u)))
                    for u in range(owner.max() + 1)]
        with Sampler(c, UNITS, 0.0, sizes, count, fixed) as sampler:
            got = []
            for unit in range(library.stats_sampler_units(sampler.pointer)):
                size = c_size_t()
                first = library.stats_sampler_unit(sampler.pointer, unit, byref(size))
                got.append((first, size.value))
        return (got if len(got) == len(expected) else np.nan), expected, 1.0
    c.exact("stats_sampler_new, _units, _unit", "numpy repeat", units, 0.0)


def run(c):
    prepare(c.stats.library)
    with np.errstate(all="ignore"):
        columns(c)
        samplers(c)
