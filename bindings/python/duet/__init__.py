# SPDX-License-Identifier: MIT
"""The harness of duet for Python: the functions of duet.h under their names.

    import duet

    with duet.Duet("parse") as d:      # attaches to a running duet, or works alone
        while d.next():                # False: enough
            text = prepare()           # not timed
            d.begin()                  # both sides are released together
            parse(text)
            d.end()

    @duet.benchmark                    # the same, when the module is executed
    def parse():
        ...

It calls libduet.so by ctypes. The library is looked for where DUET_LIBRARY says, else beside this
package, else where the dynamic linker looks. Started without duet, the program measures itself and
prints its times."""

import ctypes
import functools
import gc
import os
import pathlib
import sys
import time

__all__ = ["Duet", "DuetError", "attached_by_environment", "benchmark", "measure"]

_BATCH_S = 200e-6
_WARMUP_S = 5e-3
_SLOW_S = 0.1


class DuetError(RuntimeError):
    """The library cannot be had, attaching failed, an error ended the run, or calls came in a
    wrong order. libduet has told the reason on standard error, too."""


@functools.lru_cache(maxsize=None)
def _library():
    beside = pathlib.Path(__file__).parent / "libduet.so"
    given = os.environ.get("DUET_LIBRARY")
    names = [given] if given else [str(beside)] if beside.exists() else ["libduet.so.0", "libduet.so"]
    reasons = []
    for name in names:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError as error:
            reasons.append(str(error))
    else:
        raise DuetError(f"cannot load libduet.so ({'; '.join(reasons)}); install duet, or name the "
                        "file in DUET_LIBRARY")
    handle = ctypes.c_void_p
    for name, result, arguments in (
            ("duet_open", handle, [ctypes.c_char_p]), ("duet_next", ctypes.c_int, [handle]),
            ("duet_begin", None, [handle]), ("duet_end", None, [handle]),
            ("duet_close", ctypes.c_int, [handle]), ("duet_attached", ctypes.c_int, [handle]),
            ("duet_index", ctypes.c_uint64, [handle]),
            ("duet_count", None, [handle, ctypes.c_uint64]),
            ("duet_region", None, [handle, ctypes.c_char_p]), ("duet_hand_on", None, [handle]),
            ("duet_reason", ctypes.c_char_p, [handle])):
        try:
            function = getattr(library, name)
        except AttributeError:
            raise DuetError(f"{names} is of another version of duet: it has no {name}()") from None
        function.restype, function.argtypes = result, arguments
    return library


def attached_by_environment():
    """Whether a runner started this process and waits for somebody to attach."""
    return bool(os.environ.get("DUET_ATTACH"))


def _closed(_):
    raise DuetError("this harness is closed")


class Duet:
    """This process's part in a measurement. One thread at a time drives it. `collect`: a full
    garbage collection before each iteration and none during it, outside of the timed window."""

    def __init__(self, name=None, collect=False):
        self._library = _library()
        self._collect = collect
        if name is None:
            name = os.path.basename(sys.argv[0]) or "python"
        # Bound once: looking them up takes longer than calling them.
        self._handle = ctypes.c_void_p(self._library.duet_open(os.fsencode(name)))
        self._begin = self._library.duet_begin
        self._end = self._library.duet_end
        self._enabled = gc.isenabled()

    def next(self):
        """Whether another iteration is wanted. It may be a filler, which is not recorded."""
        return bool(self._library.duet_next(self._open()))

    def begin(self):
        """Waits for the other side and starts the clock."""
        if self._collect:
            self._open()
            gc.collect()
            gc.disable()
        self._begin(self._handle)

    def end(self):
        """Stops the clock; then waits until the other side has ended its iteration too."""
        self._end(self._handle)
        if self._collect and self._enabled:
            gc.enable()

    def count(self, operations):
        """Says that the iteration executes so many operations, 1 to 2**53."""
        if not 0 <= operations < 2**64:
            operations = 0
        self._library.duet_count(self._open(), operations)

    def region(self, name):
        """Ends the region that is open and begins `name` (None: none)."""
        self._library.duet_region(self._open(), None if name is None else name.encode())

    def hand_on(self):
        """Leaves the measurement to another process, before the first begin()."""
        self._library.duet_hand_on(self._open())

    @property
    def attached(self):
        """Whether a runner is attached; False: the program works alone."""
        return bool(self._library.duet_attached(self._open()))

    @property
    def index(self):
        """The current iteration, from 0."""
        return self._library.duet_index(self._open())

    def close(self):
        """Ends the measurement; alone, it prints the times. A second call does nothing."""
        if self._handle is None:
            return
        handle = self._take()
        sys.stdout.flush()
        sys.stderr.flush()
        reason = self._library.duet_reason(handle)
        reason = reason.decode(errors="replace") if reason else None
        if self._library.duet_close(handle) != 0:
            raise DuetError(reason or "the measurement was ended by an error")

    def _open(self):
        return self._handle if self._handle is not None else _closed(None)

    def _take(self):
        """The handle, for the last call. An exception may have come between begin() and end()."""
        handle, self._handle = self._handle, None
        self._begin = self._end = _closed
        if self._collect and self._enabled:
            gc.enable()
        return handle

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        elif self._handle is not None:
            self._library.duet_close(self._take())

    def __iter__(self):
        """for timed in duet.Duet("x"): with timed: work()"""
        while self.next():
            yield _Timed(self)
        self.close()


class _Timed:
    def __init__(self, duet):
        self._duet = duet

    def __enter__(self):
        self._duet.begin()

    def __exit__(self, *_):
        self._duet.end()


_measured = None


def measure(function, name=None, batch=None, collect=False):
    """Measures calls of `function`, in batches of about 200 µs that are compared by time per call.
    One function of a process."""
    global _measured
    name = name or getattr(function, "__qualname__", "function")
    if _measured is not None and attached_by_environment():
        raise DuetError(f"duet measures one benchmark of a process, and that was {_measured}; "
                        f"select one, such as {name}")
    _measured = name
    with Duet(name, collect) as d:
        batch = batch or _calibrate(function)
        while d.next():
            d.count(batch)
            repeat = range(batch)
            d.begin()
            for _ in repeat:
                function()
            d.end()


def _calibrate(function):
    """The longest call does not count: another program may have taken the CPU meanwhile."""
    start, calls, spent, longest = time.perf_counter(), 0, 0.0, 0.0
    while calls < 2 or spent - longest < _WARMUP_S:
        before = spent
        function()
        calls += 1
        spent = time.perf_counter() - start
        longest = max(longest, spent - before)
        if calls == 1 and spent > _SLOW_S:
            return 1
    each = (spent - longest) / (calls - 1)
    return max(1, int(_BATCH_S / each))


def benchmark(function=None, **options):
    """Decorator: measures the function when its module is executed as a program."""
    if function is None:
        return functools.partial(benchmark, **options)
    if function.__module__ == "__main__":
        measure(function, **options)
    return function
