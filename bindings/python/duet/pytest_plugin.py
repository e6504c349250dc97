# SPDX-License-Identifier: MIT
"""Lets tests of pytest-benchmark take part, unchanged: under duet the fixture `benchmark` calls the
function in lock-step with the other side. Started without duet, pytest-benchmark is left alone.

    duet 'old/bin/pytest -k test_parse bench.py' 'new/bin/pytest -k test_parse bench.py'"""

import pytest

import duet


class _Fixture:
    """What tests use of pytest_benchmark.fixture.BenchmarkFixture."""

    def __init__(self, name):
        self.name = self.fullname = name
        self.group = self.param = self.params = self.stats = None
        self.extra_info = {}
        self.disabled = self.enabled = True

    def __call__(self, function, *args, **kwargs):
        result = None

        def call():
            nonlocal result
            result = function(*args, **kwargs)

        duet.measure(call, self.name)
        return result

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, rounds=1,
                 warmup_rounds=0, iterations=1):
        """`setup` and `teardown` are not timed; duet decides how many rounds there are."""
        del rounds
        kwargs = kwargs or {}
        result = None
        with duet.Duet(self.name) as d:
            left = warmup_rounds
            while left > 0 or d.next():
                if setup is not None:
                    made = setup()
                    args, kwargs = made if made is not None else (args, kwargs)
                if left > 0:
                    left -= 1
                    target(*args, **kwargs)
                else:
                    repeat = range(iterations)
                    d.count(iterations)
                    d.begin()
                    for _ in repeat:
                        result = target(*args, **kwargs)
                    d.end()
                if teardown is not None:
                    teardown(*args, **kwargs)
        return result

    def weave(self, target, **kwargs):
        raise duet.DuetError("benchmark.weave() has no place that duet could measure; call "
                             "benchmark(function) instead")

    patch = weave


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config, items):
    """Of the tests that were selected one has the fixture, or none of them is measured."""
    if not duet.attached_by_environment():
        return
    wanted = [item for item in items if "benchmark" in getattr(item, "fixturenames", ())]
    if len(wanted) != 1:
        names = ", ".join(item.name for item in wanted[:5]) or "none"
        raise pytest.UsageError(f"duet measures one benchmark of a process, and {len(wanted)} tests "
                                f"with the fixture benchmark are selected ({names}): select one with -k")


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    """Instead of pytest-benchmark's fixture; its own options have no effect then."""
    if fixturedef.argname != "benchmark" or not duet.attached_by_environment():
        return None
    fixture = _Fixture(request.node.name)
    fixturedef.cached_result = (fixture, fixturedef.cache_key(request), None)
    return fixture
