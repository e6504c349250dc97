# SPDX-License-Identifier: MIT
"""Lets tests of pytest-benchmark take part, unchanged: under duet the fixture `benchmark` calls the
function in lock-step with the other side. Started without duet, pytest-benchmark is left alone.

    duet 'old/bin/pytest -k test_parse bench.py' 'new/bin/pytest -k test_parse bench.py'"""

import functools
import os
import shlex

import pytest

import duet


# Standard error, before pytest captures it.
_ERRORS = os.dup(2) if duet.attached_by_environment() else None


_took_part = False


class _Measured:
    """Put before pytest_benchmark.fixture.BenchmarkFixture, whose instance the tests get."""

    def _measures(self, mode):
        global _took_part
        _took_part = True
        self._mode = mode  # or pytest-benchmark says that it was not used

    def __call__(self, function, *args, **kwargs):
        self._measures("benchmark(...)")
        # A function around it would be measured, too.
        bound = functools.partial(function, *args, **kwargs) if args or kwargs else function
        duet.measure(bound, self.name)
        return function(*args, **kwargs)  # as pytest-benchmark does

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, rounds=1,
                 warmup_rounds=0, iterations=1):
        """`setup` and `teardown` are not timed; duet decides how many rounds there are."""
        del rounds
        self._measures("benchmark.pedantic(...)")
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


def _is_skipped(item):
    """By its marks, before it is executed."""
    try:
        from _pytest.skipping import evaluate_skip_marks
    except ImportError:  # before pytest 6.2
        return item.get_closest_marker("skip") is not None
    return evaluate_skip_marks(item) is not None


def _list(config, items):
    """For `duet pytest`: adds each test's name to the file, and the words of the command line that
    select it."""
    options = [word for word in config.invocation_params.args if str(word) not in config.args]
    with open(os.environ["DUET_LIST"], "a", encoding="utf-8") as out:
        for item in items:
            place = os.path.relpath(item.fspath, config.invocation_params.dir)
            name = "::".join([place, *item.nodeid.split("::")[1:]])
            words = " ".join(shlex.quote(str(word)) for word in [*options, name])
            out.write(f"{name}\t{words}\n")


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config, items):
    """Of the tests that were selected one has the fixture, or none of them is measured."""
    wanted = [item for item in items if "benchmark" in getattr(item, "fixturenames", ())]
    if os.environ.get("DUET_LIST"):
        _list(config, [item for item in wanted if not _is_skipped(item)])
        items[:] = []
        return
    if not duet.attached_by_environment():
        return
    if len(wanted) != 1:
        names = ", ".join(item.name for item in wanted[:5]) or "none"
        raise pytest.UsageError(f"duet measures one benchmark of a process, and {len(wanted)} tests "
                                f"with the fixture benchmark are selected ({names}): select one with -k")


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """pytest-benchmark's fixture, but for the calls that measure."""
    del request
    outcome = yield
    if fixturedef.argname == "benchmark" and duet.attached_by_environment():
        fixture = outcome.get_result()
        fixture.__class__ = type("DuetFixture", (_Measured, type(fixture)), {})


def pytest_sessionfinish(session, exitstatus):
    """A test that was skipped or has not called the fixture: the start of pytest would be compared."""
    if exitstatus == 0 and _ERRORS is not None and not _took_part:
        os.write(_ERRORS, b"duet: the test was skipped, or did not call the fixture benchmark: nothing is measured\n")
        session.exitstatus = 1


def pytest_runtest_logreport(report):
    """duet shows what stands on standard error, and pytest writes to standard output."""
    if report.failed and _ERRORS is not None:
        os.write(_ERRORS, (report.longreprtext + "\n").encode(errors="replace"))
