"""What histories rest on, beside numpy and scipy: steps by generalised least squares,
levels of a graph of ratios, and the clearest split of a series."""

from ctypes import (POINTER, Structure, byref, c_double, c_size_t, c_uint64, c_void_p)

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.csgraph
import scipy.stats

from comparison import ar1, magnitude

LEAST, ENOUGH = 3, 100  # STATS_SPLIT_LEAST, STATS_SPLIT_ENOUGH


class StepFit(Structure):
    _fields_ = [("step", c_double), ("sd", c_double)]


class Ratio(Structure):
    _fields_ = [("start", c_size_t), ("to", c_size_t), ("log_ratio", c_double),
                ("variance", c_double)]


class SplitOptions(Structure):
    _fields_ = [("replicates", c_size_t), ("seed", c_uint64), ("stream", c_uint64)]


class Split(Structure):
    _fields_ = [("at", c_size_t), ("statistic", c_double), ("p_value", c_double),
                ("block", c_size_t)]


def doubles(array):
    return array.ctypes.data_as(POINTER(c_double))


def steps(c):
    def one():
        count = c.size(2, 40)
        values = c.rng.normal(0, 1, count) * 10.0 ** c.rng.integers(-6, 1)
        root = c.rng.normal(0, 1, (count, count + 3)) * 10.0 ** c.rng.integers(-4, 1)
        covariances = root @ root.T / count
        if c.case % 3 == 0:  # as those of a chain's levels, of which the first is known
            covariances = np.add.accumulate(c.rng.gamma(2, 1e-4, count))[
                np.minimum.outer(np.arange(count), np.arange(count))]
            covariances[0, :] = covariances[:, 0] = 0
        used = covariances + np.eye(count) * max(1e-14, 1e-9 * covariances.max())
        fits = (StepFit * count)()
        given = np.ascontiguousarray(covariances)
        c.stats._call("stats_step_fit_all", doubles(values), doubles(given),
                      c_size_t(count), fits)
        root = np.linalg.cholesky(used)
        got, expected, scale = [], [], []
        for k in range(1, count):
            design = np.column_stack([np.ones(count), np.arange(count) >= k])
            q, r = np.linalg.qr(scipy.linalg.solve_triangular(root, design, lower=True))
            whitened = scipy.linalg.solve_triangular(root, values, lower=True)
            got += [fits[k].step, fits[k].sd]
            sd = abs(1 / r[1, 1])
            expected += [(q.T @ whitened)[1] / r[1, 1], sd]
            scale += [sd * np.linalg.norm(whitened), sd]
        return got, expected, np.array(scale)
    c.exact("stats_step_fit_all", "numpy, whitened least squares", one, 1e-11)


def random_graph(c):
    """(nodes, ratios): chains with shortcuts, some of them broken, loops and repeats."""
    nodes = c.size(2, 60)
    edges = [(i, i + 1) for i in range(nodes - 1) if c.rng.random() > 0.03]
    edges += [tuple(c.rng.integers(0, nodes, 2)) for _ in range(c.rng.integers(0, 20))]
    if c.case % 4 == 0:
        order = c.rng.permutation(nodes)
        edges = [(order[a], order[b]) for a, b in edges]
    ratios = [Ratio(int(a), int(b), c.rng.normal(0, 0.1), 10.0 ** c.rng.uniform(-7, -2))
              for a, b in edges]
    return nodes, ratios


def components_of(nodes, ratios):
    links = scipy.sparse.coo_matrix(
        (np.ones(len(ratios)), ([r.start for r in ratios], [r.to for r in ratios])),
        (nodes, nodes))
    return scipy.sparse.csgraph.connected_components(links, directed=False)[1]


def graphs(c):
    library = c.stats.library
    library.stats_ratio_graph_level.restype = c_double
    library.stats_ratio_graph_level.argtypes = [c_void_p, c_size_t]
    library.stats_ratio_graph_free.restype = None
    library.stats_ratio_graph_free.argtypes = [c_void_p]

    def pieces():
        nodes, ratios = random_graph(c)
        found = (c_size_t * nodes)()
        c.stats._call("stats_ratio_pieces", (Ratio * len(ratios))(*ratios),
                      c_size_t(len(ratios)), c_size_t(nodes), found)
        labels = components_of(nodes, ratios)
        return list(found), [np.argmax(labels == label) for label in labels], 1.0
    c.exact("stats_ratio_pieces", "scipy connected_components", pieces, 0.0)

    def levels():
        nodes, ratios = random_graph(c)
        reference = int(c.rng.integers(nodes))
        labels = components_of(nodes, ratios)
        inside = labels == labels[reference]
        unknown = np.flatnonzero(inside & (np.arange(nodes) != reference))
        rows, sides = [], []
        for ratio in ratios:
            if inside[ratio.start]:
                row = np.zeros(nodes)
                row[ratio.to] += 1
                row[ratio.start] -= 1
                rows.append(row[unknown] / np.sqrt(ratio.variance))
                sides.append(ratio.log_ratio / np.sqrt(ratio.variance))
        expected = np.where(inside, 0.0, np.nan)
        spread = np.zeros((len(unknown), len(unknown)))
        if len(unknown):
            inverse = np.linalg.pinv(np.array(rows), 1e-12)
            expected[unknown] = inverse @ sides
            spread = inverse @ inverse.T
        graph = c_void_p()
        c.stats._call("stats_ratio_graph_new", (Ratio * len(ratios))(*ratios),
                      c_size_t(len(ratios)), c_size_t(nodes), c_size_t(reference),
                      byref(graph))
        got = [library.stats_ratio_graph_level(graph, i) for i in range(nodes)]
        asked = (c_size_t * len(unknown))(*unknown)
        covariances = np.empty((len(unknown), len(unknown)))
        c.stats._call("stats_ratio_graph_covariance", graph, asked,
                      c_size_t(len(unknown)), doubles(covariances))
        library.stats_ratio_graph_free(graph)
        return ([*got, *covariances.ravel()], [*expected, *spread.ravel()],
                np.array([1.0] * nodes + [magnitude(spread) if spread.size else 1.0] *
                         spread.size))
    c.exact("stats_ratio_graph_new, _level, _covariance", "numpy pinv", levels, 1e-9)


def scores_of(values):
    ranks = scipy.stats.rankdata(values)
    scores = scipy.stats.norm.ppf(ranks / (len(values) + 1))
    return scores - scores.mean()


def statistics_of(scores):
    """T of each split, a column a split from LEAST on; a row for each row of scores."""
    count = scores.shape[-1]
    k = np.arange(LEAST, count - LEAST + 1)
    sums = np.cumsum(scores, axis=-1)[..., k - 1]
    return np.abs(sums) / np.sqrt(k * (count - k) / count)


def block_of(scores, at):
    count = len(scores)
    rest = scores - np.where(np.arange(count) < at, scores[:at].mean(), scores[at:].mean())
    square = rest @ rest
    r = (rest[1:] @ rest[:-1] / square if square > 0 else 0.0) + 2 / count
    if r <= 2 / count + 0.5 / np.sqrt(count):
        return 1
    length = np.ceil(np.log(0.01) / np.log(r)) if r < 1 else count
    return int(max(1, min(length, count // 8)))


def shuffled(rng, scores, block, times):
    """So many random orders of blocks, which begin at a random place of the first."""
    made = np.empty((times, len(scores)))
    for row in made:
        first = rng.integers(1, block + 1)
        parts = np.split(scores, np.arange(first, len(scores), block))
        row[:] = np.concatenate([parts[i] for i in rng.permutation(len(parts))])
    return made


def split_of(c, values, replicates):
    values = np.array(values, dtype=float)
    options = SplitOptions(replicates, c.case + 1, 0)
    found = Split()
    c.stats._call("stats_split_find", doubles(values), c_size_t(len(values)),
                  byref(options), byref(found))
    return found


def splits(c):
    def clearest():
        values = c.sample(2 * LEAST)
        if c.case % 2:
            values = ar1(c.rng, len(values), c.rng.uniform(-0.3, 0.95))
            values[c.rng.integers(len(values)):] += c.rng.choice([0, 1, 5])
        found = split_of(c, values, 1)
        scores = scores_of(values)
        every = statistics_of(scores)
        # Of equally clear ones, any.
        at = every[found.at - LEAST] if found.at >= LEAST else np.nan
        return ([found.statistic, at, found.block],
                [every.max(), every.max(), block_of(scores, found.at)], 1.0)
    c.exact("stats_split_find: T, block", "scipy rankdata, norm.ppf", clearest, 1e-12)

    def p_value():
        theirs, share = 4000, 0.0
        while share < 0.02:  # below, the function draws more than it is worth here
            count = int(c.rng.integers(2 * LEAST, 60))
            values = ar1(c.rng, count, c.rng.choice([0.0, 0.7]))
            values[count // 2:] += c.rng.choice([0, 0.3])
            found = split_of(c, values, 100_000)
            scores = scores_of(values)
            most = statistics_of(shuffled(c.rng, scores, found.block, theirs)).max(axis=1)
            share = np.mean(most >= found.statistic * (1 - 1e-9))
        # So many orders until ENOUGH were as clear: -1/2 makes its logarithm unbiased.
        drawn = round(ENOUGH / found.p_value)
        error = np.sqrt((1 - share) * (1 / ENOUGH + 1 / (share * theirs)))
        return (np.log((ENOUGH - (1 - share) / 2) / drawn) - np.log(share)) / \
            max(error, 1e-3)
    c.random("stats_split_find: p value", "numpy, random orders", p_value,
             cases=max(10, c.cases // 4))


def run(c):
    for part in (steps, graphs, splits):
        part(c)
