"""10^8 values beside answers in closed form, with the time that each took."""

import time
from ctypes import POINTER, byref, c_double, c_size_t

import numpy as np

import stats_library as lib

STEPS = 1 << 14  # different values, equally frequent
COUNT = STEPS * 6104  # 100,007,936
MEMORY_GB = 4


def available_gb():
    with open("/proc/meminfo", encoding="ascii") as file:
        fields = dict(line.split(":") for line in file)
    return int(fields["MemAvailable"].split()[0]) / 2**20


def asked(c, name, values, *arguments):
    """In place: 800 MB are not copied without need."""
    result = c_double()
    begin = time.monotonic()
    c.stats._call(name, values.ctypes.data_as(POINTER(c_double)), c_size_t(len(values)),
                  *arguments, byref(result))
    print(f"     {name}: {time.monotonic() - begin:.2f} s for {len(values):,} values")
    return result.value


def filled(values, base, step):
    """base + step * (0 .. STEPS - 1), each equally often, in an order that is neither
    sorted nor periodic in short."""
    block = 1 << 20
    for first in range(0, COUNT, block):
        i = np.arange(first, min(first + block, COUNT), dtype=np.uint64)
        # i * odd mod 2^14 takes each value once in every 2^14 steps.
        values[first:first + len(i)] = base + step * \
            ((i * np.uint64(6151) + i // np.uint64(STEPS) * np.uint64(977)) %
             np.uint64(STEPS)).astype(float)


def run(c):
    if available_gb() < MEMORY_GB:
        c.skip(f"less than {MEMORY_GB} GB of memory: 10^8 values")
        return
    values = np.empty(COUNT)
    sample = np.sqrt((STEPS**2 - 1) / 12 * COUNT / (COUNT - 1))
    middle = (STEPS - 1) / 2
    position = (COUNT - 1) * 0.99  # of the 99th percentile, within equal values
    for word, base, step in (("differ in the 12th digit", 1.0, 2.0**-52),
                             ("wide", 0.5, 1.0)):
        filled(values, base, step)
        mean = base + step * middle
        checks = [("stats_mean", mean, ()),
                  ("stats_sd_sample", step * sample, ()),
                  ("stats_quantile_type7", base + step * (position // (COUNT // STEPS)),
                   (c_double(0.99),))]
        for name, expected, arguments in checks:
            c.exact(f"{name}, {word}", "closed form, 10^8 values",
                    lambda n=name, e=expected, a=arguments: (asked(c, n, values, *a), e),
                    cases=1)
    exponents = 1001
    whole = COUNT // exponents * exponents
    for first in range(0, whole, exponents * 1000):
        here = values[first:min(first + exponents * 1000, whole)]
        np.exp2(np.arange(first, first + len(here)) % exponents - 500.0, out=here)
    c.exact("stats_mean_geometric, 2^-500 to 2^500", "closed form, 10^8 values",
            lambda: (asked(c, "stats_mean_geometric", values[:whole]), 1.0), cases=1)
    dominance(c, values)


def dominance(c, values):
    filled(values, 1.0, 2.0**-52)
    made = lib.Dominance()
    half = COUNT // 2
    begin = time.monotonic()
    pointer = values.ctypes.data_as(POINTER(c_double))
    second = values[half:].ctypes.data_as(POINTER(c_double))
    c.stats._call("stats_dominance_count", pointer, c_size_t(half), second,
                  c_size_t(COUNT - half), byref(made))
    print(f"     stats_dominance_count: {time.monotonic() - begin:.2f} s")
    each = half // STEPS  # of each value in either half
    pairs = each * each * STEPS * (STEPS - 1) // 2
    c.exact("stats_dominance_count, 10^8 values", "closed form",
            lambda: ([made.greater, made.less], [pairs, pairs]), 0.0, cases=1)
