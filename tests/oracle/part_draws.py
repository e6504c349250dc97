"""Random numbers: the generator itself, uniform draws, sums over rows and lanes."""

import ctypes
from ctypes import POINTER, byref, c_double, c_int, c_size_t, c_uint32, c_uint64

import numpy as np
import randomgen
import scipy.stats

PARTS = 64          # STATS_SOURCE_PARTS
LANES = 16          # STATS_LANES
SOURCE_BYTES = 65536  # more than a stats_source takes
BOUND_WORDS = 3     # of a stats_bound; the second: draws of a word
DIGITS_MAX = 4      # STATS_DIGITS_MAX
SMALL_MAX = 32      # STATS_SMALL_MAX


class Stream(ctypes.Structure):
    _fields_ = [("key", c_uint32 * 2), ("counter", c_uint32 * 4),
                ("block", c_uint32 * 4), ("used", ctypes.c_uint)]


class Bound(ctypes.Structure):
    _fields_ = [("words", c_uint32 * BOUND_WORDS)]


class Draws:
    """Of the library, what no other part needs."""

    def __init__(self, library):
        self.library = library
        for name, result, *arguments in (
                ("random_stream_at", Stream, c_uint64, c_uint64),
                ("random_u32", c_uint32, POINTER(Stream)),
                ("random_philox_block", None, POINTER(c_uint32), POINTER(c_uint32),
                 POINTER(c_uint32)),
                ("stats_bound_of", Bound, c_uint32),
                ("stats_bound_digits", ctypes.c_bool, POINTER(Bound), c_uint32,
                 POINTER(c_uint32)),
                ("stats_draw_small_sum", c_double, POINTER(c_double), POINTER(Bound),
                 c_uint64, c_uint64),
                ("stats_source_init", None, ctypes.c_void_p, c_uint64, c_uint64, c_uint32,
                 c_uint64, c_int),
                ("stats_draw_indices", None, ctypes.c_void_p, POINTER(Bound),
                 POINTER(c_uint32), c_size_t),
                ("stats_draw_sums", None, ctypes.c_void_p, POINTER(Bound),
                 POINTER(c_double), POINTER(c_size_t), c_size_t, c_size_t,
                 POINTER(c_double)),
                ("stats_lanes_sum", c_double, POINTER(c_double)),
                ("stats_draw_derangement", None, POINTER(Stream), POINTER(c_size_t),
                 c_size_t),
                ("stats_rows_width", c_size_t, c_size_t),
                ("stats_rows_add", None, POINTER(c_double), c_size_t, POINTER(c_uint32),
                 c_size_t, c_int, POINTER(c_double)),
                ("stats_rows_sum", None, POINTER(c_double), c_size_t, POINTER(c_double)),
                ("simd_usable", c_int, c_int)):
            getattr(library, name).restype = result
            getattr(library, name).argtypes = list(arguments)
        self.memory = ctypes.create_string_buffer(SOURCE_BYTES + 64)
        self.source = (ctypes.addressof(self.memory) + 63) // 64 * 64

    def begin(self, seed, stream, part=0, simd=0):
        self.library.stats_source_init(self.source, seed, stream, part, 0, simd)

    def indices(self, bound, count):
        made = np.empty(count, dtype=np.uint32)
        self.library.stats_draw_indices(self.source,
                                        byref(self.library.stats_bound_of(bound)),
                                        made.ctypes.data_as(POINTER(c_uint32)), count)
        return made

    def digits(self, bound, word):
        """The draws of a word; None where it is rejected."""
        made, by = (c_uint32 * DIGITS_MAX)(), self.library.stats_bound_of(bound)
        taken = self.library.stats_bound_digits(byref(by), word, made)
        return list(made[:by.words[1]]) if taken else None

    def small_sum(self, values, seed, stream):
        bound = self.library.stats_bound_of(len(values))
        return self.library.stats_draw_small_sum(doubles(values), byref(bound), seed, stream)

    def sums(self, values, offsets, bound, draws):
        lanes = np.zeros(LANES)
        self.library.stats_draw_sums(
            self.source, byref(self.library.stats_bound_of(bound)), doubles(values),
            offsets.ctypes.data_as(POINTER(c_size_t)), len(offsets), draws,
            doubles(lanes))
        return self.library.stats_lanes_sum(doubles(lanes)), lanes


def doubles(array):
    return array.ctypes.data_as(POINTER(c_double))


def words(*values):
    return (c_uint32 * len(values))(*map(int, values))


def generator(c, draws):
    def block():
        key = c.rng.integers(0, 2**32, 2)
        counter = c.rng.integers(1, 2**32, 4)  # at 0 randomgen's would begin with a carry
        got = (c_uint32 * 4)()
        draws.library.random_philox_block(words(*key), words(*counter), got)
        before = sum(int(w) << 32 * i for i, w in enumerate(counter)) - 1
        peer = randomgen.Philox(number=4, width=32, counter=before,
                                key=int(key[0]) | int(key[1]) << 32)
        return list(got), peer.random_raw(4).astype(float), 1.0
    c.exact("random_philox_block", "randomgen Philox4x32-10", block, 0.0)


def words_to_draws(c, draws):
    def digits():
        """Lemire's rule in Python's integers."""
        bound = int(c.rng.choice([c.rng.integers(1, 300), c.rng.integers(300, 70_000),
                                  c.rng.integers(70_000, 2**32)]))
        word = int(c.rng.integers(2**32))
        got = draws.digits(bound, word)
        number = len(got) if got is not None else 1
        values = bound**number
        high, low = divmod(word * values, 2**32)
        if got is None:  # rejected, as one draw or as more of them
            rejected = any((word * bound**n) % 2**32 < 2**32 % bound**n
                           for n in (1, 2, 4))
            return int(rejected), 1
        expected = [high // bound**i % bound for i in reversed(range(number))]
        return [*got, int(low >= 2**32 % values)], [*expected, 1], 1.0
    c.exact("stats_bound_of, _digits", "Lemire's rule in Python", digits, 0.0)

    def small():
        values = c.rng.lognormal(0, 1, int(c.rng.integers(1, SMALL_MAX + 1)))
        seed, stream = int(c.rng.integers(2**40)), int(c.rng.integers(2**40))
        draws.begin(seed, stream)
        expected = draws.sums(values, np.zeros(1, dtype=np.uintp), len(values), len(values))
        return draws.small_sum(values, seed, stream), expected[0]
    c.exact("stats_draw_small_sum", "stats_draw_sums", small, 0.0)


def uniform(c, draws):
    def chi_squared():
        """As a normal quantile. Cells are draws modulo their number, so that low bits
        count too."""
        bound = int(c.rng.choice([c.rng.integers(2, 40), c.rng.integers(40, 70_000),
                                  c.rng.integers(70_000, 2**32)]))
        draws.begin(int(c.rng.integers(2**63)), c.case, int(c.rng.integers(PARTS)))
        count = 4000
        drawn = np.concatenate([draws.indices(bound, int(n)) for n in
                                np.diff([0, 1, 7, 40, 1000, count])])
        if drawn.max() >= bound:
            return np.inf
        cells = min(bound, int(c.rng.integers(2, 40)))
        if c.case % 2:
            cell = drawn.astype(np.uint64) * np.uint64(cells) // np.uint64(bound)
            size = np.diff([-(-i * bound // cells) for i in range(cells + 1)]) / bound
        else:
            cell = drawn % cells
            size = np.array([(bound - i + cells - 1) // cells for i in range(cells)]) \
                / bound
        seen = np.bincount(cell.astype(int), minlength=cells)
        statistic = np.sum((seen - count * size) ** 2 / (count * size))
        return scipy.stats.norm.isf(scipy.stats.chi2.sf(statistic, cells - 1))
    c.random("stats_bound_of, _source_init, _draw_indices", "scipy chi2", chi_squared)

    def correlation():
        """Of neighbouring draws, and of the same draws of two streams or parts."""
        bound, count = int(c.rng.integers(2, 100_000)), 3000
        found = []
        draws.begin(c.case, 1)
        one = draws.indices(bound, count).astype(float)
        draws.begin(c.case, 2)
        other = draws.indices(bound, count).astype(float)
        draws.begin(c.case, 1, 1)
        third = draws.indices(bound, count).astype(float)
        for a, b in ((one[1:], one[:-1]), (one, other), (one, third)):
            found.append(np.corrcoef(a, b)[0, 1] * np.sqrt(len(a)))
        return found
    c.random("stats_draw_indices: independence", "numpy corrcoef", correlation)

    def sums():
        """Mean and spread of sums of drawn values, over groups."""
        size, groups, number = int(c.rng.integers(2, 300)), int(c.rng.integers(1, 4)), 40
        values = c.rng.lognormal(0, 1, size * groups)
        offsets = np.arange(groups, dtype=np.uintp) * size
        draws.begin(c.case, 3)
        made = np.array([draws.sums(values, offsets, size, size)[0]
                         for _ in range(number)])
        tables = values.reshape(groups, size)
        error = np.sqrt(np.sum(size * tables.var(1)) / number)
        return (made.mean() - values.sum()) / error
    c.random("stats_draw_sums", "numpy", sums)

    def lanes():
        values = c.rng.lognormal(0, 1, int(c.rng.integers(1, 100)))
        made, parts = draws.sums(np.ones(len(values)), np.zeros(1, dtype=np.uintp),
                                 len(values), len(values))
        given = np.ascontiguousarray(c.rng.normal(0, 1, LANES))
        return ([made, parts.sum(), draws.library.stats_lanes_sum(doubles(given))],
                [len(values), len(values), given.sum()], 10.0)
    c.exact("stats_draw_sums, _lanes_sum: counts", "numpy sum", lanes, 1e-14)

    def derangements():
        """Where the first item goes, and how often two items swap."""
        size, number = int(c.rng.integers(3, 12)), 600
        stream = draws.library.random_stream_at(5, c.case)
        items = (c_size_t * size)()
        first, swapped = np.zeros(size), 0
        for _ in range(number):
            draws.library.stats_draw_derangement(byref(stream), items, size)
            if any(items[i] == i for i in range(size)) or len(set(items)) < size:
                return [np.inf, 0]
            first[items[0]] += 1
            swapped += items[items[0]] == 0
        expected = number / (size - 1)
        statistic = np.sum((first[1:] - expected) ** 2 / expected)
        subfactorial = [1, 0]
        while len(subfactorial) <= size:
            n = len(subfactorial)
            subfactorial.append((n - 1) * (subfactorial[-1] + subfactorial[-2]))
        share = (size - 1) * subfactorial[size - 2] / subfactorial[size]
        z = scipy.stats.norm.isf(min(scipy.stats.chi2.sf(statistic, size - 2), 0.99))
        spread = np.sqrt(number * share * (1 - share))
        return [z, (swapped - number * share) / spread if spread > 0 else 0.0]
    c.random("stats_draw_derangement", "scipy chi2, subfactorials", derangements)


def rows(c, draws):
    def added():
        count, columns = int(c.rng.integers(1, 60)), int(c.rng.integers(1, 33))
        width = draws.library.stats_rows_width(columns)
        table = np.zeros((count, width))
        table[:, :columns] = c.rng.normal(0, 1, (count, columns))
        drawn = c.rng.integers(0, count, int(c.rng.integers(1, 300))).astype(np.uint32)
        lanes, made = np.zeros(LANES * width), np.zeros(width)
        simd = draws.library.simd_usable(int(c.rng.integers(3)))
        whole = len(drawn) // LANES * LANES // 2 // LANES * LANES
        for part in (drawn[:whole], drawn[whole:]):
            part = np.ascontiguousarray(part)
            draws.library.stats_rows_add(
                doubles(table), width, part.ctypes.data_as(POINTER(c_uint32)), len(part),
                simd, doubles(lanes))
        draws.library.stats_rows_sum(doubles(lanes), width, doubles(made))
        return made, table[drawn].sum(0), np.abs(table[drawn]).sum(0) + 1e-9
    c.exact("stats_rows_width, _add, _sum", "numpy sum", added, 1e-13)


def run(c):
    draws = Draws(c.stats.library)
    for part in (generator, words_to_draws, uniform, rows):
        part(c, draws)
