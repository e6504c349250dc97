"""Shared by the tests that start programs: where the programs are, a time limit for each
test, and a look, after each test, for processes that it left behind.

DUET_BUILD_DIR      the build folder whose programs are tested (default: build)
DUET_TEST_WRAPPER   words put before each command, as "valgrind --quiet"
DUET_TEST_SLOWDOWN  how much longer the programs may take than usual
DUET_TEST_PART      I/N: only the I-th of N parts of the tests, 1 to N
DUET_TEST_ROTATION  the same of those that are marked `rotating`
"""

import ctypes
import os
import pathlib
import resource
import shlex
import signal
import sqlite3
import subprocess
import time
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
WRAPPER = shlex.split(os.environ.get("DUET_TEST_WRAPPER", ""))
TIME_LIMIT_S = 60
# Time limits grow by this much; Valgrind makes programs slower by 30, generously.
SLOWDOWN = int(os.environ.get("DUET_TEST_SLOWDOWN", 30 if WRAPPER else 1))

# Which part, and of how many.
PART = os.environ.get("DUET_TEST_PART", "1/1")
ROTATION = os.environ.get("DUET_TEST_ROTATION", "1/1")

PR_SET_CHILD_SUBREAPER = 36


def pytest_configure(config):
    del config
    # Orphans of the programs under test become our children, where they can be seen.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # A shell starts what runs in the background with these ignored, for its children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(trylast=True)  # of those that -m leaves
def pytest_collection_modifyitems(config, items):
    """Files with tests that take long come first, so that nothing waits for them in the
    end. Under a wrapper a test of timing, or of a bare program, would fail for no reason:
    it is left out. So are the tests of other parts."""
    long = {item.path for item in items if item.get_closest_marker("timeout")}
    items.sort(key=lambda item: item.path not in long)
    elsewhere = rotating_of_other_parts(items, ROTATION)
    left_out = [item for item in items
                if is_of_another_part(item, PART) or item.nodeid in elsewhere
                or WRAPPER and (item.get_closest_marker("timing")
                                or item.get_closest_marker("bare"))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def is_of_another_part(item, part):
    """By its name: a new test moves no other."""
    number, count = map(int, part.split("/"))
    return zlib.crc32(item.nodeid.encode()) % count != number - 1


def rotating_of_other_parts(items, part):
    """Names of the tests marked `rotating` that this part has not. All parts take about as long:
    one test after the other, the longest first, goes to the part that has least."""
    number, count = map(int, part.split("/"))
    marks = {item.nodeid: item.get_closest_marker("rotating") for item in items}
    seconds = {name: mark.args[0] if mark.args else 1 for name, mark in marks.items() if mark}
    parts = [set() for _ in range(count)]
    for name in sorted(seconds, key=lambda name: (-seconds[name], name)):
        min(parts, key=lambda names: sum(seconds[one] for one in names)).add(name)
    return set(seconds) - parts[number - 1]


# Files of which several workers take a part each, and the part of a test: those of one part
# share what takes long to make.
SHARED_FILES = {
    "bindings/test_conformance.py": lambda test: test.partition("[")[2],  # its language
    "slurm/test_fleet_slurm.py": lambda test: test,  # each starts a cluster
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A worker takes a file, or a part of one, whole."""
    from xdist.scheduler import LoadScopeScheduling  # only where tests run beside each other

    class PartScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file, _, test = nodeid.partition("::")
            return file, SHARED_FILES[file](test) if file in SHARED_FILES else ""

    return PartScheduling(config, log)


@pytest.fixture(autouse=True)
def time_limit(request):
    """Ends a test that hangs, as pytest has no limit of its own."""
    marker = request.node.get_closest_marker("timeout")
    seconds = (marker.args[0] if marker else TIME_LIMIT_S) * SLOWDOWN

    def expire(signum, frame):
        del signum, frame
        pytest.fail(f"the test took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def cpu_time(request):
    """Of the test and of what it started, for tools/check."""
    def cpu_s():
        return sum(usage.ru_utime + usage.ru_stime for usage in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

    before_s = cpu_s()
    yield
    request.node.user_properties.append(("cpu_s", round(cpu_s() - before_s, 2)))


def children():
    """pid -> (state, command name) of every child, adopted ones too."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return {}  # none, as nearly always: /proc has as many files as there are processes
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, rest = (entry / "stat").read_text().partition("(")[2] \
                    .rpartition(")")
            except OSError:
                continue  # gone in the meantime
            state, parent = rest.split()[:2]
            if int(parent) == os.getpid():
                found[int(entry.name)] = (state, name)
    return found


@pytest.fixture(autouse=True)
def no_process_left(request):
    """Fails a test after which a process that it started is still there. One that was
    killed may take a moment to go."""
    before = children()
    yield
    del request
    deadline = time.monotonic() + 2 * SLOWDOWN
    while True:
        left = {pid: child for pid, child in children().items() if pid not in before}
        for pid in [pid for pid, (state, _) in left.items() if state == "Z"]:
            os.waitpid(pid, 0)
            del left[pid]
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert not left, f"processes left behind: {left}"


def find_program(name):
    """The path of a program that the build made, whichever folder it is in."""
    for path in sorted(BUILD.rglob(name)):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"{name} is not in {BUILD}; build it, or set DUET_BUILD_DIR")


@pytest.fixture(scope="session")
def built_program():
    """The path of a program that the build made, by its name."""
    return lambda name: str(find_program(name))


@pytest.fixture(scope="session")
def duet():
    """The words that start `duet`."""
    return [*WRAPPER, str(find_program("duet"))]


@pytest.fixture
def run_duet(duet, tmp_path):
    """Runs `duet ARGUMENTS...` in an empty folder; a CompletedProcess with text."""

    def run(*arguments, timeout=30, cwd=tmp_path, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([*duet, *map(str, arguments)], cwd=cwd,
                              timeout=timeout * SLOWDOWN, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    return run


@pytest.fixture(scope="session")
def odd_benchmark():
    """A benchmark that misbehaves on demand (tests/proc/odd_benchmark.c)."""
    return str(find_program("odd_benchmark"))


@pytest.fixture(scope="session")
def region_benchmark():
    """A benchmark with regions and operations (tests/proc/region_benchmark.c)."""
    return str(find_program("region_benchmark"))


@pytest.fixture
def integer(duet):
    """The command line of a benchmark program of so many operations (about 2.5 ns
    each); counted, so that nothing has to be calibrated."""

    def command(operations=400000):
        return f"{duet[-1]} workload integer --operations {operations}"

    return command


@pytest.fixture
def program(tmp_path):
    """Writes an executable script; its path."""

    def write(name, text, mode=0o755):
        path = tmp_path / name
        path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
        path.chmod(mode)
        return str(path)

    return write


@pytest.fixture
def start_duet(duet, tmp_path):
    """Starts `duet ARGUMENTS...` in an empty folder and goes on; a Popen with text.
    Whatever still runs at the end of the test is killed."""
    started = []

    def start(*arguments, **options):
        options = {"cwd": tmp_path, "stdin": subprocess.DEVNULL, "text": True,
                   "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen([*duet, *map(str, arguments)], **options)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Stored:
    """What is in a store, read as anybody would."""

    def __init__(self, path):
        self.path = path

    def rows(self, query, *values):
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def one(self, query, *values):
        """The only column of the only row."""
        (row,) = self.rows(query, *values)
        (value,) = row
        return value

    def states(self):
        return [state for (state,) in self.rows("SELECT state FROM experiment "
                                                "ORDER BY id")]

    def runs(self):
        return self.one("SELECT count(*) FROM run")

    def has_runs(self, count):
        """Whether so many are there; not as long as there is no store."""
        try:
            return self.runs() >= count
        except sqlite3.Error:
            return False

    def check(self):
        assert self.one("PRAGMA integrity_check") == "ok"
        assert not self.rows("PRAGMA foreign_key_check")


@pytest.fixture
def stored(tmp_path):
    """The store that run_duet and start_duet write to by default."""
    return Stored(tmp_path / ".duet" / "results.db")


def wait_until(condition, seconds=20):
    """Waits for something that should be there soon; the generous limit only keeps a
    broken program from hanging the test."""
    deadline = time.monotonic() + seconds * SLOWDOWN
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"it did not happen within {seconds} s")
        time.sleep(0.005)


@pytest.fixture(name="wait_until")
def wait_until_fixture():
    return wait_until
