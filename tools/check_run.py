"""What the steps of tools/check share: environment, processes, collected results."""

import collections
import contextlib
import dataclasses
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading

import source_tree
import test_results

ROOT = source_tree.ROOT
BUILD = ROOT / "build-check"
PYTHON = "/usr/bin/python3"  # Debian's, with its pytest: nothing comes from elsewhere
BYTECODE = BUILD / "bytecode"
JOBS = str(os.cpu_count() or 1)
# Unit tests: some sleep, one of them for 10 s.
AT_ONCE = str(int(JOBS) + 1)
PYTEST = [PYTHON, "-m", "pytest", "-c", "tests/pytest.ini"]
STEP_LIMIT_S = 900
# As many failed tests of a run get a second go, alone (docs/decisions/0030).
MOST_UNSTABLE = 2
# Of pytest. Many tests wait most of the time. tests/conftest.py says what a worker takes.
BESIDE_EACH_OTHER = ["-p", "xdist", "-n", str(3 * int(JOBS) + 1), "--dist", "loadscope",
                     "-m", "not timing and not quiet"]
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite,indirect",
            "--errors-for-leak-kinds=definite,indirect", "--fair-sched=yes",
            f"--suppressions={ROOT / 'tools/valgrind-suppressions.txt'}"]

# Presets and options, of all the steps: a second cmake would write what a build reads. Nor do
# two builds go on in a folder.
CONFIGURED = set()
CONFIGURING = threading.Lock()
BUILDING = collections.defaultdict(threading.Lock)  # preset -> lock
LEAST = 19  # nice

INTERRUPTED = "interrupted"


class StepFailed(Exception):
    """Its text says what failed; the details were printed already."""


class Check:
    """What the steps share: environment, collected results."""

    prefix = []  # of commands

    def __init__(self):
        self.results = []
        self.waited_cpu_s = 0.0  # that run() has waited for
        self.second_go = True
        self.beside = None
        self.environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(BYTECODE),
                                PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
                                OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8",
                                UBSAN_OPTIONS="print_stacktrace=1",
                                LSAN_OPTIONS="print_suppressions=0:suppressions="
                                             f"{ROOT / 'tools/lsan-suppressions.txt'}",
                                LOCPATH=str(self._locale_folder()))
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        # Sanitizers map memory at fixed places, which some kernels' randomization of
        # addresses hits now and then.
        fixed = subprocess.run(["setarch", "-R", "true"], capture_output=True,
                               check=False)
        self.fixed_addresses = ["setarch", "-R"] if fixed.returncode == 0 else []

    @staticmethod
    def _locale_folder():
        folder = BUILD / "locale"
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "de_DE.UTF-8").is_dir():
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                            str(folder / "de_DE.UTF-8")], capture_output=True,
                           check=False)
        return folder

    def start(self, command, environment):
        """A process of a group of its own, whose output goes where ours goes."""
        sys.stdout.flush()
        return subprocess.Popen([str(word) for word in command], cwd=ROOT,
                                stdin=subprocess.DEVNULL, start_new_session=True,
                                env={**self.environment, **environment})

    def run(self, *command, limit_s=STEP_LIMIT_S, **environment):
        """Runs a command; its exit status."""
        with self.start(command, environment) as process:
            try:
                # Its end, without taking its exit status: wait4() is to tell its CPU time.
                ended = select.poll()
                descriptor = os.pidfd_open(process.pid)
                ended.register(descriptor, select.POLLIN)
                in_time = ended.poll(1000 * limit_s)
                os.close(descriptor)
                if not in_time:
                    raise StepFailed(f"{command[0]} took more than {limit_s} s")
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            _, status, usage = os.wait4(process.pid, 0)
            self.waited_cpu_s += usage.ru_utime + usage.ru_stime
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode

    def cpu_s(self):
        """CPU time of all processes that have ended, but for those of the steps beside."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        beside_s = self.beside.cpu_s() if self.beside is not None else 0
        return usage.ru_utime + usage.ru_stime - beside_s

    def say(self, text):
        print(text, flush=True)

    def wait_for(self, *names):
        """Until these of the steps beside have ended, or all of them; at once where nothing runs
        beside."""
        if self.beside is not None:
            self.beside.wait_for(*(names or self.beside.names))

    def must(self, *command, **environment):
        status = self.run(*command, **environment)
        if status != 0:
            raise StepFailed(f"{pathlib.Path(str(command[0])).name}: exit status "
                             f"{status}")

    def configure(self, preset, *options):
        """Once, also where steps beside each other want it. CMake's list of what it found is
        shown only when it fails."""
        with CONFIGURING:
            if (preset, *options) in CONFIGURED:
                return
            done = subprocess.run(["cmake", "--preset", preset, *options], cwd=ROOT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=self.environment,
                                  check=False)
            if done.returncode != 0:
                self.say(done.stdout.decode(errors="replace"))
                raise StepFailed(f"cmake --preset {preset}: exit status {done.returncode}")
            CONFIGURED.add((preset, *options))

    def build(self, preset, *targets, options=()):
        self.configure(preset, *options)
        with BUILDING[preset]:
            self.must("cmake", "--build", BUILD / preset,
                      *(["--target", *targets] if targets else []), "--", "--quiet", "-k", "0")

    @staticmethod
    def results_file(suite):
        """Where a run of tests says what became of each; what an earlier run said is removed."""
        path = BUILD / f"{suite}.xml"
        path.unlink(missing_ok=True)
        path.with_suffix(".first.xml").unlink(missing_ok=True)
        return path

    def ctest(self, suite, preset, *selection, prefix=(), jobs=AT_ONCE,
              limit_s=STEP_LIMIT_S):
        """Runs tests of a build folder; what each said goes to self.results."""
        path = self.results_file(suite)
        status = self.run(*prefix, "ctest", "--test-dir", BUILD / preset, "-j", jobs,
                          "--output-on-failure", "--no-tests=error", "--output-junit",
                          path, "--test-output-size-passed", "4000000",
                          "--test-output-size-failed", "4000000", *selection,
                          limit_s=limit_s)
        results = test_results.from_ctest(suite, path) if path.exists() else []
        self.settle("ctest", status, results, path, test_results.from_ctest, lambda: self.run(
            *prefix, "ctest", "--test-dir", BUILD / preset, "--rerun-failed",
            "--output-on-failure", "--no-tests=error", "--output-junit", path,
            "--test-output-size-passed", "4000000", limit_s=limit_s))

    def pytest(self, suite, *folders, prefix=(), options=(), build=BUILD / "gcc",
               limit_s=STEP_LIMIT_S, **environment):
        path = self.results_file(suite)
        folders = [f"tests/{name}" for name in folders if (ROOT / "tests" / name).is_dir()]
        if not folders:
            raise StepFailed("there are no such tests")

        def run(*words, **more):
            # A folder of its own: pytest closes the one that all of a user share, to others,
            # whenever it starts.
            with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as root:
                return self.run(*prefix, *PYTEST, f"--junitxml={path}", *words,
                                limit_s=limit_s, DUET_BUILD_DIR=str(build),
                                PYTEST_DEBUG_TEMPROOT=root, **{**environment, **more})

        if not BYTECODE.exists():  # or each worker would compile all tests
            subprocess.run([*PYTEST, "--collect-only", "-qq", "tests"], cwd=ROOT,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           env=self.environment, check=False)
        status = run(*options, *folders)
        results = test_results.from_pytest(suite, path) if path.exists() else []
        if results:
            self.say(test_results.dearest(path))
        failed = [test_results.pytest_node(one) for one in results
                  if one.outcome == test_results.FAILED]
        # By their names, so whatever part of all tests they are of.
        self.settle("pytest", status, results, path, test_results.from_pytest,
                    lambda: run(*failed, DUET_TEST_PART="1/1", DUET_TEST_ROTATION="1/1"))

    def settle(self, runner, status, results, path, read, run_again):
        """Takes the results of a run of tests. Few that failed run once more, alone:
        run_again() runs them, read(suite, path) gives their results. Those that pass then
        are unstable: reported, and no failure. Those that do not run again have failed."""
        failed = [one for one in results if one.outcome == test_results.FAILED]
        few = 1 <= len({one.program for one in failed}) <= MOST_UNSTABLE
        if status != 0 and few and self.second_go:
            if path.exists():
                path.replace(path.with_suffix(".first.xml"))
            print(f"{len(failed)} failed; once more, alone:")
            status = run_again()
            second = read(failed[0].suite, path) if path.exists() else []
            again = {one.program for one in second}
            results = [one for one in results if one not in failed or one.program not in again]
            for one in second:
                if one.outcome == test_results.PASSED and one in map(test_results.passed,
                                                                     failed):
                    one = dataclasses.replace(one, outcome=test_results.UNSTABLE)
                if one not in results:
                    results.append(one)
        self.results += results
        if status != 0:
            raise StepFailed(f"{runner}: some tests failed, or there is none")


class Beside(Check):
    """Carries out steps that need time of a CPU and nothing else, in what the other steps
    leave of it; their output is kept until the end."""

    @property
    def prefix(self):
        return [] if self.awaited else ["nice", "-n", str(LEAST)]

    def __init__(self, names, carry_out):
        """carry_out(check, name): a row of the summary."""
        super().__init__()
        self.names = names
        self.carry_out = carry_out
        self.steps = []
        self.process = None
        self.ended = False
        self.awaited = False
        self.output = tempfile.TemporaryFile("w+", errors="replace")
        self.done = {name: threading.Event() for name in names}
        threading.Thread(target=self.carry_out_all, daemon=True).start()

    def start(self, command, environment):
        self.process = subprocess.Popen([*self.prefix, *map(str, command)], cwd=ROOT,
                                        stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=subprocess.STDOUT, start_new_session=True,
                                        env={**self.environment, **environment})
        self.session_nice(self.process.pid, 0 if self.awaited else LEAST)
        return self.process

    @staticmethod
    def session_nice(pid, nice):
        """Where Linux shares CPUs by session, a session has a nice value, too."""
        with contextlib.suppress(OSError):
            pathlib.Path(f"/proc/{pid}/autogroup").write_text(str(nice))

    def run(self, *command, limit_s=4 * STEP_LIMIT_S, **environment):
        return super().run(*command, limit_s=limit_s, **environment)

    def cpu_s(self):
        return self.waited_cpu_s

    def say(self, text):
        self.output.write(text + "\n")
        self.output.flush()

    def carry_out_all(self):
        for name in self.names:
            if not self.ended:
                self.say(f"\n== {name} ==")
                self.steps.append(self.carry_out(self, name))
            self.done[name].set()

    def wait_for(self, *names):
        """What another step waits for is as urgent as that: with so little of the CPUs as
        is left, it would wait for all other programs of the machine."""
        self.awaited = not all(self.done[name].is_set() for name in names)
        if self.awaited:
            self.hurry()
        for name in names:
            self.done[name].wait()
        self.awaited = False

    def hurry(self):
        process = self.process
        if process is not None and process.returncode is None:
            self.session_nice(process.pid, 0)
            with contextlib.suppress(OSError):  # a plain user may not
                os.setpriority(os.PRIO_PGRP, process.pid, 0)

    def end(self):
        """At once: the check was interrupted."""
        self.ended = True
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def finish(self):
        """Prints what the steps said; a row for each."""
        self.wait_for(*self.names)
        self.output.seek(0)
        print(self.output.read(), end="", flush=True)
        return self.steps
