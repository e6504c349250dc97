"""Tests of pytest-benchmark: alone `pytest bench_sum.py`, beside others as README.md shows."""

import os

COUNT = int(os.environ.get("SUM_COUNT", "1000"))


def test_sum(benchmark):
    assert benchmark(sum, range(COUNT)) == COUNT * (COUNT - 1) // 2


def test_sorted(benchmark):
    benchmark.pedantic(sorted, setup=lambda: ((list(range(COUNT)),), {}), rounds=10)
