"""What duet makes of one failing call: commands to try it with, and what is then wrong.

A call is one of a class of system calls (syscall_faults) or of library calls
(library_faults.c, preloaded). Whatever fails, the command must end in time with the answer it
gives otherwise, or with an error and a documented exit status; and nothing may be lost or
left."""

import contextlib
import errno
import filecmp
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import time

from support import folder_copy
from support.processes import children_of
from support.repository import make_two_commits
from support.syscall_faults import Census, Fault, Guest

LIMIT_S = 60
# Of failing where nothing was compared: 1 and 3 are verdicts, 130 is the user's. And 2 is, whose
# command was wrong: it never is for want of memory.
STATUSES = {0, 2, 4, 5}
NOT_REACHED = 1 << 40
LOADER = re.compile("error while loading shared libraries|cannot allocate TLS data|"
                    "Fatal glibc error: cannot allocate memory for find-object data")

SYSTEM_CALLS = {  # class: (system calls, errors that they have)
    "open": (["open", "openat"], ["EMFILE", "ENFILE", "EIO", "EACCES", "ENOENT", "ENOMEM"]),
    "read": (["read", "pread64", "readv"], ["EIO", "EINTR", "ENOMEM"]),
    "write": (["write", "pwrite64", "writev"], ["ENOSPC", "EDQUOT", "EIO", "EINTR", "EFBIG"]),
    "fsync": (["fsync", "fdatasync"], ["EIO", "ENOSPC"]),
    "truncate": (["ftruncate", "fallocate"], ["ENOSPC", "EIO"]),
    "stat": (["newfstatat", "fstat", "stat", "lstat", "statx"], ["EIO", "EACCES", "ENOMEM"]),
    "access": (["access", "faccessat", "faccessat2"], ["EACCES", "EIO"]),
    "getdents": (["getdents64"], ["EIO", "ENOENT"]),
    "readlink": (["readlink", "readlinkat"], ["EACCES", "EIO"]),
    "rename": (["rename", "renameat", "renameat2"], ["EXDEV", "EACCES", "EIO", "ENOSPC"]),
    "mkdir": (["mkdir", "mkdirat"], ["EACCES", "ENOSPC", "EROFS"]),
    "unlink": (["unlink", "unlinkat", "rmdir"], ["EACCES", "EBUSY", "EIO"]),
    "chmod": (["chmod", "fchmod", "fchmodat"], ["EPERM", "EROFS"]),
    "lock": (["fcntl", "flock"], ["ENOLCK", "EINTR"]),
    "mmap": (["mmap", "mremap", "mprotect"], ["ENOMEM", "EAGAIN"]),
    "memfd": (["memfd_create"], ["EMFILE", "ENOMEM", "ENOSYS"]),
    "pipe": (["pipe", "pipe2"], ["EMFILE", "ENFILE"]),
    "socket": (["socketpair", "socket"], ["EMFILE", "ENOBUFS"]),
    "send": (["sendto", "sendmsg"], ["EPIPE", "ENOBUFS", "EINTR"]),
    "receive": (["recvfrom", "recvmsg"], ["EINTR", "ECONNRESET", "ENOMEM"]),
    "poll": (["poll", "ppoll", "pselect6"], ["EINTR"]),
    "dup": (["dup", "dup2", "dup3"], ["EMFILE", "EINTR"]),
    "fork": (["clone", "clone3", "fork", "vfork"], ["EAGAIN", "ENOMEM"]),
    "execve": (["execve", "execveat"], ["ENOMEM", "EACCES", "ETXTBSY", "ENOENT", "EIO"]),
    "wait": (["wait4"], ["EINTR", "ECHILD"]),
    "waitid": (["waitid"], ["ECHILD"]),
    "sigwait": (["rt_sigtimedwait"], ["EINTR", "EAGAIN"]),
    "kill": (["kill", "tgkill", "pidfd_send_signal"], ["ESRCH", "EPERM"]),
    "setpgid": (["setpgid", "setsid"], ["EPERM", "EACCES"]),
    "prctl": (["prctl"], ["EINVAL", "EPERM"]),
    "affinity": (["sched_setaffinity", "sched_getaffinity"], ["EINVAL", "EPERM"]),
    "scheduler": (["sched_setattr", "sched_setscheduler", "setpriority"], ["EPERM", "EBUSY"]),
    "perf": (["perf_event_open"], ["EACCES", "EMFILE", "ENOSYS", "ENODEV"]),
    "futex": (["futex"], ["EINTR", "EAGAIN"]),
    "pidfd": (["pidfd_open", "close_range"], ["EMFILE", "ENOSYS"]),
    "random": (["getrandom"], ["ENOSYS", "EINTR"]),
    "sleep": (["clock_nanosleep", "nanosleep"], ["EINTR"]),
    "limits": (["prlimit64", "getrusage", "sysinfo"], ["EPERM", "EINVAL"]),
}
# What a machine may suffer from then on.
LASTING = {"EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EDQUOT", "EIO", "EROFS", "EACCES", "EPERM",
           "ENOSYS", "ENOBUFS"}
def places(group, count):
    """Of its calls, those that may fail: the loader of programs crashes when the first mmap()
    does."""
    return range(2 if group == "mmap" else 1, count + 1)


def lasts(group, error):
    """SQLite waits ten seconds for each lock, a watch ten minutes (unit_store_store_locks)."""
    return error in LASTING and group != "lock"


SQLITE_CODES = [7, 10, 13, 5, 11]  # NOMEM, IOERR, FULL, BUSY, CORRUPT
LIBRARY_CALLS = [
    "memory", "sqlite3_open_v2", "sqlite3_prepare_v3", "sqlite3_step", "sqlite3_exec",
    "sqlite3_bind_int64", "sqlite3_bind_double", "sqlite3_bind_text", "sqlite3_bind_blob64",
    "sqlite3_column_text", "sqlite3_column_blob", "hwloc_topology_init",
    "hwloc_topology_load", "hwloc_topology_set_flags", "hwloc_topology_set_xml",
    "hwloc_topology_get_allowed_cpuset", "hwloc_get_obj_by_depth",
    "hwloc_cpukinds_get_by_cpuset", "pthread_create"]
# These failing, what they would have removed or ended stays.
LEAVING = {"unlink", "kill"}
# These say the same to the last byte each time.
REPEATED = {"list", "show", "gate", "compare-stored"}
# These execute others that are tried by themselves (fleet-task), and fail alone.
ALONE = {"fleet-local"}
# These remove experiments: all of one, or nothing of it.
REMOVING = {"rm", "prune"}

SUITE = """cleanup: "true"
defaults: {runs: 1}
benchmarks:
- {name: a, command: echo a, setup: "true", check: {matches: "a+"}}
- {name: b, old: "true", new: sh b.sh}
"""
# Of a fleet, whose tasks are stores that are merged: as little as shows it.
SMALL_SUITE = """benchmarks:
- {name: b, old: "true", new: sh b.sh}
"""
WATCH = ["--executions-per-hour", "180000", "--every", "100ms", "--error", "99%",
         "--replicates", "100", "--max-intervals", "3"]
STORE = ["--store", "s.db"]
QUICK = ["--replicates", "1000"]
COUNT_RUNS = "SELECT experiment_id, count(*) FROM run GROUP BY 1"
FLEET = ["--engine", "files", "--runs", "1", "--schedule", "timeslice", "--old", "1", "--new",
         "2", "--to", "f"]
CI = ["--export-junit", "ci.xml", "--export-pr-comment", "ci.md", "--export-openmetrics",
      "ci.txt", "--export-bencher", "bencher.json", "--export-github-benchmark",
      "github.json"]


def scenarios(odd_benchmark, templates):
    """name -> (arguments, the template of its folder). A suite is known by its path."""
    bench = f"{odd_benchmark} nothing 1 1"
    return {
        "run": (["run", "true", "sh -c true", "-r", "2", "-p", "true", "-s", "true", "-c",
                 "true", *QUICK, *STORE, "--export-json", "out.json"], "stored"),
        "benchmark": (["run", bench, bench, "-r", "2", "-I", "3", *QUICK, *STORE,
                       "--export-csv", "out.csv", "--export-json", "out.json"], "stored"),
        "turns": (["run", "true", "sh -c true", "-r", "2", "--schedule", "timeslice",
                   *QUICK, *STORE], "empty"),
        "compare": (["compare", "pairs.csv", *QUICK, "--export-json", "out.json"], "empty"),
        "compare-stored": (["compare", "1", "2", *QUICK, *STORE, "--export-markdown",
                            "out.md"], "stored"),
        "show": (["show", "last", "-v", *QUICK, *STORE, "--export-json", "out.json"],
                 "stored"),
        "list": (["list", *STORE], "stored"),
        "import": (["import", "pairs.csv", *STORE], "stored"),
        "suite": (["suite", "s.yaml", *QUICK, *STORE, "--export-json", "out.json"],
                  "stored"),
        "suite-resume": (["suite", str(templates / "suite" / "s.yaml"), "--resume", *STORE],
                         "suite"),
        "watch": (["watch", "true", *WATCH, *STORE], "stored"),
        "watch-resume": (["watch", "--resume", "1", *STORE], "watch"),
        "gate": (["gate", "--fail-on", "slower", *STORE], "stored"),
        "ci": (["show", "last", *QUICK, *STORE, *CI], "stored"),
        "rm": (["rm", "1", *STORE], "stored"),
        "prune": (["prune", "--older", "0d", *STORE], "stored"),
        "git": (["git", "HEAD~1", "HEAD", "--build", "cp text built", "-r", "2", *QUICK,
                 *STORE, "--", "cat built"], "git"),
        "doctor": (["doctor", "--duration", "50ms", "--export-json", "out.json"], "empty"),
        "fleet-submit": (["fleet", "submit", "small.yaml", *FLEET, "--instances", "2"], "empty"),
        "fleet-ship": (["fleet", "submit", "small.yaml", *FLEET, "--ship", "b.sh"], "empty"),
        "fleet-local": (["fleet", "submit", "small.yaml", *FLEET, "--engine", "local",
                         "--instances", "1"], "empty"),
        "fleet-task": (["fleet", "task", "f", "3", "--attempt", "1"], "fleet"),
        "fleet-status": (["fleet", "status", "f", "--json"], "fleet"),
        "fleet-collect": (["fleet", "collect", "f", "--json"], "another"),
        "fleet-collect-one": (["fleet", "collect", "f", "--json"], "one"),
        "fleet-collect-again": (["fleet", "collect", "f", "--json"], "collected"),
        "fleet-resume": (["fleet", "resume", "f"], "fleet"),
        "fleet-cancel": (["fleet", "cancel", "f"], "fleet"),
    }


def _begin_and_kill(duet, folder, arguments, runs):
    """Leaves a store whose writer was killed when so many runs were there."""
    process = subprocess.Popen([duet, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(sqlite3.Error):
            if sum(runs_of(folder / "s.db").values()) >= runs:
                break
        time.sleep(0.002)
    process.kill()
    process.wait()


def make_templates(duet, folder):
    """Folders in which the scenarios begin."""
    def fresh(name):
        path = folder / name
        path.mkdir(parents=True)
        (path / "s.yaml").write_text(SUITE)
        (path / "small.yaml").write_text(SMALL_SUITE)
        (path / "b.sh").write_text("")
        (path / "pairs.csv").write_text("run,iteration,side,time_ns\n" + "".join(
            f"{run},{i},{side},{1000 + run + i}\n" for run in range(8) for i in range(2)
            for side in ("old", "new")))
        return path

    def must(path, *arguments, store=STORE):
        subprocess.run([duet, *arguments, *store], cwd=path, check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def begin_fleet(path, tasks=("1", "2")):
        must(path, "fleet", "submit", "small.yaml", *FLEET, "--instances", "3", store=[])
        for task in tasks:
            must(path, "fleet", "task", "f", task, "--attempt", "1", store=[])
        return path

    fresh("empty")
    stored = fresh("stored")
    must(stored, "import", "pairs.csv")
    must(stored, "run", "true", "true", "-r", "4", *QUICK)
    make_two_commits(fresh("git"))
    must(folder / "git", "import", "pairs.csv")
    suite = fresh("suite")
    (suite / "b.sh").write_text("sleep 1000\n")
    _begin_and_kill(duet, suite, ["suite", "s.yaml", "--seed", "2", *STORE], 1)
    (suite / "b.sh").write_text("")
    _begin_and_kill(duet, fresh("watch"), ["watch", "true", *WATCH, *STORE], 2)
    begin_fleet(fresh("fleet"))
    begin_fleet(fresh("one"), ("1",))
    must(begin_fleet(fresh("collected"), ("1",)), "fleet", "collect", "f", store=[])
    another = begin_fleet(fresh("another"), ("1",))
    must(another, "fleet", "collect", "f", store=[])
    must(another, "fleet", "task", "f", "2", "--attempt", "1", store=[])
    return folder


def runs_of(store):
    """experiment -> number of its runs."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        return dict(reader.execute(COUNT_RUNS))


def _is_as_before(store, original):
    """Nobody wrote anything into it."""
    log = store.with_name(store.name + "-wal")
    return original.exists() and not (log.exists() and log.stat().st_size) and \
        filecmp.cmp(store, original, shallow=False)


def _store_troubles(folder, original, before, removes=False):
    store = folder / "s.db"
    if not store.exists():
        return ["store gone"] if before else []
    if _is_as_before(store, original):
        return []
    with contextlib.closing(sqlite3.connect(store)) as writer:
        if writer.execute("PRAGMA integrity_check").fetchone()[0] != "ok" or \
                writer.execute("PRAGMA foreign_key_check").fetchall():
            return ["store broken"]
        try:
            after = dict(writer.execute(COUNT_RUNS))
        except sqlite3.OperationalError:
            return ["store emptied"] if before else []
    return [] if all(after.get(key, 0) >= count or (removes and key not in after)
                     for key, count in before.items()) else ["run lost"]


def _is_whole(store, original):
    if _is_as_before(store, original):
        return True
    with contextlib.closing(sqlite3.connect(store)) as reader:  # may have to recover it
        return reader.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def _all_said(folder, outcome):
    """What the tasks of a fleet have said is in their logs."""
    logs = (folder / "f/logs").glob("*") if (folder / "f").exists() else []
    return "\n".join([outcome.errors, *(path.read_text() for path in logs)])


def _fleet_troubles(folder, template, before, outcome, told):
    """Of the folder `f`: results are whole and stay, and nothing lies about in it. before:
    the results that were there, in the template. told: somebody may have been kept from
    removing files."""
    fleet = folder / "f"
    if not fleet.exists():
        return ["fleet gone"] if before else []
    if not (fleet / "plan.json").exists():
        return [] if told else ["half a fleet"]
    troubles = []
    results = {path.name: path for path in (fleet / "results").glob("[!.]*")}
    if set(before) - set(results):
        troubles.append("result lost")
    for name, path in results.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if not name.endswith(f"-{digest[:16]}.db") or \
                not _is_whole(path, template / "f/results" / name):
            troubles.append("result not whole")
    if not told and any(path.name.startswith(".new") for path in fleet.rglob("*")):
        troubles.append("file left in the fleet")
    store = fleet / "results.db"
    if store.exists() and not _is_whole(store, template / "f" / store.name):
        troubles.append("store broken")
    if outcome.status == 0 and "task" in outcome.arguments and len(results) <= len(before):
        troubles.append("no result")
    return troubles


def _structure(value):
    """Paths of a JSON document, without positions."""
    if isinstance(value, dict):
        return {key + path for key, item in value.items()
                for path in {"", *("." + inner for inner in _structure(item))}}
    if isinstance(value, list):
        return {"[]" + path for item in value for path in {"", *_structure(item)}}
    return set()


class Outcome:
    """What a command did: its exit status (negative: a signal; None: it did not end), what
    it said, and what is wrong with that."""

    def __init__(self, status, output, errors, seen, injected):
        self.status, self.output, self.errors = status, output, errors
        self.seen, self.injected = seen, injected
        self.arguments = []
        self.wrong = []

    def is_the_loaders(self):
        """Nothing of duet's was executed yet."""
        return self.status == 127 and LOADER.search(self.errors)

    def kind(self):
        if self.wrong:
            return ", ".join(self.wrong)
        return "the same answer" if self.status == 0 else \
            "not loaded" if self.is_the_loaders() else f"error, exit {self.status}"


class Laboratory:
    """Executes scenarios, with and without faults, each in a fresh folder."""

    def __init__(self, duet, odd_benchmark, library, folder):
        self.duet = str(pathlib.Path(duet).resolve())
        self.library = pathlib.Path(library).resolve()
        self.folder = pathlib.Path(folder)
        self.templates = make_templates(self.duet, self.folder / "templates")
        self.scenarios = scenarios(pathlib.Path(odd_benchmark).resolve(), self.templates)
        self.expected = {}  # scenario -> (structure, names of files, output)
        self.originals = {}  # template -> what it holds
        self.runs = {}
        self.number = 0

    def _fresh(self, name):
        self.number += 1
        folder = self.folder / f"{name}-{self.number}"
        self._original(name).copy(folder)
        (folder / "tmp").mkdir()
        return folder

    def _original(self, name):
        template = self.scenarios[name][1]
        if template not in self.originals:
            self.originals[template] = folder_copy.Original(self.templates / template)
        return self.originals[template]

    def _runs_before(self, name):
        """experiment -> number of its runs, in the store with which it begins."""
        store = self.templates / self.scenarios[name][1] / "s.db"
        if name not in self.runs:
            self.runs[name] = runs_of(store) if store.exists() else {}
        return self.runs[name]

    def _execute(self, name, folder, fault, preload):
        """Its Outcome, with nothing judged yet."""
        environment = {**os.environ, "TMPDIR": str(folder / "tmp"),
                       "XDG_CACHE_HOME": str(folder / "cache"), **preload}
        arguments = self.scenarios[name][0]
        words = [os.open(folder / "tmp" / part, os.O_RDWR | os.O_CREAT)
                 for part in ("output", "errors")]
        for part in ("output", "errors"):
            (folder / "tmp" / part).unlink()
        guest = Guest([self.duet, *arguments], fault, cwd=folder, environment=environment,
                      output=words[0], errors=words[1])
        status = guest.serve(LIMIT_S)
        guest.release()
        texts = []
        for fd in words:
            texts.append(os.pread(fd, 1 << 20, 0).decode(errors="replace"))
            os.close(fd)
        code = None if status is None else os.waitstatus_to_exitcode(status)
        done = Outcome(code, *texts, getattr(fault, "seen", 0), getattr(fault, "injected", 0))
        done.arguments = arguments
        return done

    def census(self, name):
        """How often the scenario calls each class of system calls; what it answers when
        nothing fails is remembered."""
        folder = self._fresh(name)
        census = Census([call for calls, _ in SYSTEM_CALLS.values() for call in calls])
        done = self._execute(name, folder, census, {})
        if done.status != 0:
            raise RuntimeError(f"{name} fails by itself: {done.errors}")
        self.expected[name] = (self._answer(folder, done), set(os.listdir(folder)),
                               done.output.replace(str(folder), ""))
        shutil.rmtree(folder)
        return {group: sum(census.counts[call] for call in calls)
                for group, (calls, _) in SYSTEM_CALLS.items()}

    @staticmethod
    def _answer(folder, outcome):
        """Of what was exported, or of what a fleet's command printed; with the number of
        results of the latter. None: it refused a result, which it named."""
        try:
            if "--json" in outcome.arguments:
                document = json.loads(outcome.output)
                if document["refused"]:
                    return None
                done = sum(task["phase"] == "done" for task in document["tasks"])
                return {f"done: {done}", *_structure(document)}
            return {path for path in _structure(json.loads((folder / "out.json").read_text()))
                    if not re.search("warnings|flags", path)}  # of what was busy meanwhile
        except OSError:
            return set()
        except ValueError:
            return {"no JSON"}

    def system_fault(self, name, group, error, nth, on=False):
        calls, _ = SYSTEM_CALLS[group]
        return self._one(name, group, Fault(calls, getattr(errno, error), nth, on=on), {})

    def library_fault(self, name, call, code, nth, on=False, stack=None):
        """stack: the first call from the nth on that came this way (call_stacks)."""
        more = {**({"FAULT_ON": "1"} if on else {}), **({"FAULT_STACK": stack} if stack else {})}
        return self._one(name, call, Fault([], 0, NOT_REACHED),
                         self._preload(name, call, code, nth, more))

    def library_calls(self, name, call):
        """How many of them the scenario makes when none fails."""
        outcome = self.library_fault(name, call, 0, NOT_REACHED)
        if outcome.status != 0:
            raise RuntimeError(f"{name} fails by itself: {outcome.errors}")
        return outcome.seen

    def _preload(self, name, call, code, nth, more):
        counts = self.folder / "counts"
        counts.write_bytes(bytes(16))
        if name in ALONE:
            more["FAULT_ALONE"] = "1"
        return {"LD_PRELOAD": str(self.library), "FAULT_PROGRAM": "duet", "FAULT_CLASS": call,
                "FAULT_CODE": str(code), "FAULT_NTH": str(nth), "FAULT_COUNTS": str(counts),
                **more}

    def call_stacks(self, name, call):
        """Ways by which the scenario comes to calls of a library: way -> number of the first
        call that came it. The number is another one each time, by some."""
        stacks = self.folder / "stacks"
        stacks.write_bytes(b"")
        folder = self._fresh(name)
        done = self._execute(name, folder, Fault([], 0, NOT_REACHED),
                             self._preload(name, call, 0, 0, {"FAULT_STACKS": str(stacks)}))
        if done.status != 0:
            raise RuntimeError(f"{name} fails by itself: {done.errors}")
        shutil.rmtree(folder)
        first = {}
        for number, (stack,) in enumerate(struct.iter_unpack("Q", stacks.read_bytes()), 1):
            first.setdefault(f"{stack:016x}", number)
        return first

    def _one(self, name, group, fault, preload):
        folder = self._fresh(name)
        before = self._runs_before(name)
        results = os.listdir(folder / "f/results") if (folder / "f").exists() else []
        outcome = self._execute(name, folder, fault, preload)
        if preload:
            outcome.seen, outcome.injected = struct.unpack(
                "QQ", pathlib.Path(preload["FAULT_COUNTS"]).read_bytes())
        self._judge(name, group, folder, before, outcome)
        told = group in LEAVING or "cannot remove" in _all_said(folder, outcome)
        template = self.templates / self.scenarios[name][1]
        outcome.wrong.extend(_fleet_troubles(folder, template, results, outcome, told))
        shutil.rmtree(folder)
        return outcome

    def _judge(self, name, group, folder, before, outcome):
        structure, names, output = self.expected[name]
        wrong = outcome.wrong
        if outcome.status is None:
            wrong.append("hang")
        elif outcome.status < 0:
            wrong.append(signal.Signals(-outcome.status).name)
        elif outcome.is_the_loaders():
            pass
        elif outcome.status not in STATUSES or (group == "memory" and outcome.status == 2):
            wrong.append(f"exit {outcome.status}")
        elif outcome.status != 0 and not re.search(r": .*\w", outcome.errors) and \
                not (name == "doctor" and "unfit" in outcome.output):
            wrong.append("no word")
        elif outcome.status == 0 and self._answer(folder, outcome) not in (structure, None):
            outcome.errors += f" differs: {sorted(self._answer(folder, outcome) ^ structure)}"
            wrong.append("other answer")
        elif outcome.status == 0 and name in REPEATED and \
                "has no verdict" not in outcome.errors and \
                outcome.output.replace(str(folder), "") != output:
            outcome.errors += f" says: {outcome.output[-200:]}"
            wrong.append("other output")
        if re.search(r"Sanitizer|runtime error|internal error", outcome.errors):
            wrong.append("report")
        if end_adopted() and group not in LEAVING:
            wrong.append("process left")
        extra = {name for name in os.listdir(folder)
                 if not re.search(r"-(wal|shm|journal)$", name)} - names - {"s.db"}
        told = group in LEAVING or "cannot remove" in _all_said(folder, outcome)
        if (extra or any((folder / "tmp").iterdir())) and not told:
            wrong.append("file left")
        original = self.templates / self.scenarios[name][1] / "s.db"
        wrong.extend(_store_troubles(folder, original, before, name in REMOVING))


def end_adopted(grace_s=5):
    """Ends the children that this process was given; how many had not ended."""
    deadline = time.monotonic() + grace_s
    while True:
        left = []
        for pid in children_of(os.getpid()):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    left.append(pid)
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return len(left)
