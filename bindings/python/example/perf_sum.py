"""A benchmark of pyperf: alone `python3 perf_sum.py`, beside another one as README.md shows."""

import os

import pyperf

COUNT = int(os.environ.get("SUM_COUNT", "1000"))

runner = pyperf.Runner()
runner.bench_func("sum", sum, range(COUNT))
