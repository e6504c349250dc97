#!/usr/bin/env python3
"""Writes tests/unit/stats/gaussian_process_reference.h: posterior means, variances and
log likelihoods of Gaussian processes, from their textbook formulas with numpy's dense
inverse (no Cholesky factor, no LAPACKE).

Not run by the test suite: the numbers are checked in. Needs numpy (Debian:
python3-numpy):

    /usr/bin/python3 tests/oracle/gaussian_process_reference.py \
        > tests/unit/stats/gaussian_process_reference.h
"""

import numpy as np

POINTS = np.array([[0.0, 0.1], [0.2, 0.9], [0.5, 0.4], [0.8, 0.7], [1.0, 0.0]])
VALUES = np.array([1.2, 0.7, 2.1, 1.6, 3.0])
QUESTIONS = np.array([[0.5, 0.5], [0.2, 0.9], [3.0, -2.0]])
KERNELS = [([0.7, 1.3], 0.0), ([0.7, 1.3], 0.05), ([2.0, 0.4], 1e-3)]


def correlation(a, b, lengths):
    r = np.sqrt(5 * (((a[:, None] - b[None]) / lengths) ** 2).sum(-1))
    return (1 + r + r**2 / 3) * np.exp(-r)


def posterior(points, values, questions, lengths, noise):
    """(log likelihood, means, variances of the function) by the formulas of Rasmussen
    and Williams 2006, 2.23 to 2.27 and, with the mean estimated, 2.41 and 2.42."""
    n = len(values)
    inverse = np.linalg.inv(correlation(points, points, lengths) + noise * np.eye(n))
    one = np.ones(n)
    mean = one @ inverse @ values / (one @ inverse @ one)
    rest = values - mean
    variance = rest @ inverse @ rest / n
    covariance = variance * np.linalg.inv(inverse)
    likelihood = (-0.5 * rest @ np.linalg.inv(covariance) @ rest
                  - 0.5 * np.linalg.slogdet(covariance)[1] - n / 2 * np.log(2 * np.pi))
    near = correlation(questions, points, lengths)
    gap = 1 - near @ inverse @ one
    return (likelihood, mean + near @ inverse @ rest,
            variance * (1 - np.einsum("ij,jk,ik->i", near, inverse, near)
                        + gap**2 / (one @ inverse @ one)))


def array(name, values):
    print(f"static const double {name}[] = {{"
          + ", ".join(repr(float(value)) for value in np.ravel(values)) + "};")


def main():
    print("/* Written by tests/oracle/gaussian_process_reference.py; do not edit.\n"
          f" * numpy {np.__version__}. */\n"
          "#ifndef TESTS_UNIT_STATS_GAUSSIAN_PROCESS_REFERENCE_H\n"
          "#define TESTS_UNIT_STATS_GAUSSIAN_PROCESS_REFERENCE_H\n\n/* clang-format off */\n")
    array("reference_points", POINTS)
    array("reference_values", VALUES)
    array("reference_questions", QUESTIONS)
    print("\n/* {lengths, noise, log likelihood, means, variances}. */")
    print("static const double reference_processes[][10] = {")
    for lengths, noise in KERNELS:
        likelihood, means, variances = posterior(POINTS, VALUES, QUESTIONS,
                                                 np.array(lengths), noise)
        row = [*lengths, noise, likelihood, *means, *np.maximum(variances, 0)]
        print("    {" + ", ".join(repr(float(value)) for value in row) + "},")
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
