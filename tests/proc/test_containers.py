"""duet where containers and CI runners take something away: CPUs, counters, system calls, a folder
to write to. Whatever duet advises there is done, and must help."""

import errno
import json
import os
import re
import subprocess

import pytest

from support import confine
from support.repository import make_two_commits

# System calls as the program alone has them, users, mounts.
pytestmark = [pytest.mark.bare, pytest.mark.slow, pytest.mark.timeout(120)]
BOTH = ("true", "true")
# What chooses a schedule by itself.
DECIDE = ("--until", "decided,time=1s", "--export-json", "-")


@pytest.fixture(autouse=True)
def two_cpus():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")


@pytest.fixture(name="limited")
def limited_fixture(run_duet):
    """Runs duet with a quota of so many CPUs."""
    def run(cpus, *words, **options):
        try:
            with confine.cpu_quota(cpus) as join:
                return run_duet(*words, preexec_fn=join, timeout=60, **options)
        except confine.Unavailable as why:
            return pytest.skip(str(why))
    return run


@pytest.fixture(name="inside")
def inside_fixture(duet, tmp_path):
    """Runs `duet ARGUMENTS` behind the words that `make`, a function of support.confine, gives."""
    def run(make, *words, cwd=tmp_path, **options):
        try:
            prefix = make()
        except confine.Unavailable as why:
            pytest.skip(str(why))
        return subprocess.run([*prefix, *duet, *map(str, words)], cwd=cwd, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, **options)
    return run


def schedules_advised(text):
    """Those that `--schedule NAME` and `or NAME` name."""
    text = " ".join(text.split())
    found = set(re.findall(r"--schedule (\w+)", text)) - {"duet", "auto"}
    assert found, text
    return sorted(found)


def schedule_of(result):
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["experiments"][0]["schedule"]


def levels(result):
    """item -> level of what doctor printed."""
    return {item: level for level, item in re.findall(r"^  (\w+) +(\w+(?: \w+)?)  ", result.stdout,
                                                      re.MULTILINE)}


# ---- CPUs ----

def test_a_quota_below_two_cpus(limited):
    """As `docker run --cpus 1.5` sets it."""
    assert schedule_of(limited(1.5, *BOTH, *DECIDE)) == "timeslice"
    refused = limited(1.5, *BOTH, "-r", 4, "--schedule", "duet")
    assert refused.returncode == 5 and "quota allows 1.50 CPUs" in refused.stderr
    doctor = limited(1.5, "doctor", "--duration", "100ms")
    assert doctor.returncode == 5 and levels(doctor)["CPUs"] == "unfit"
    for advice in (refused.stderr, doctor.stdout):
        for schedule in schedules_advised(advice):
            done = limited(1.5, *BOTH, "-r", 4, "--schedule", schedule, "--export-json", "-")
            assert schedule_of(done) == schedule


def test_a_quota_that_is_just_enough(limited):
    doctor = limited(2.2, "doctor", "--duration", "100ms")
    assert doctor.returncode == 0, doctor.stderr
    assert levels(doctor)["CPU quota"] == "care" and "2.20 CPUs" in doctor.stdout
    result = limited(2.2, *BOTH, "-r", 4, "--schedule", "duet", "--export-json", "-")
    assert schedule_of(result) == "duet"
    doctor = limited(4, "doctor", "--duration", "100ms")
    assert levels(doctor)["CPU quota"] == "good"


def test_a_quota_that_throttles(limited, integer):
    """What is advised is not what was done."""
    work = integer(20000000)
    result = limited(0.4, work, work, "--until", "decided,time=2s")
    assert result.returncode == 0, result.stderr
    said = " ".join((result.stdout + result.stderr).split())
    assert re.search(r"CPU quota throttled the measurement \d+ times; raise the quota \(cpu.max\) to finish "
                     "sooner", said), said


def test_one_cpu(run_duet):
    alone = {"preexec_fn": confine.one_cpu()}
    assert schedule_of(run_duet(*BOTH, *DECIDE, **alone)) == "timeslice"
    refused = run_duet(*BOTH, "-r", 4, "--schedule", "duet", **alone)
    doctor = run_duet("doctor", "--duration", "100ms", **alone)
    assert refused.returncode == doctor.returncode == 5
    for advice in (refused.stderr, doctor.stdout):
        for schedule in schedules_advised(advice):
            done = run_duet(*BOTH, "-r", 4, "--schedule", schedule, "--export-json", "-", **alone)
            assert schedule_of(done) == schedule


# ---- System calls ----

@pytest.mark.rotating
@pytest.mark.parametrize("error, says", [
    (errno.EPERM, "not permitted"), (errno.EACCES, "not permitted"),
    (errno.ENOSYS, "this kernel has no perf_event_open"), (errno.ENOENT, "does not offer it")])
def test_no_perf_events(run_duet, integer, error, says):
    confined = {"preexec_fn": confine.refuse((["perf_event_open"], error))}
    for program in ("true", integer(100000)):
        result = run_duet(program, program, "-r", 4, "-v", **confined)
        assert result.returncode == 0, result.stderr
        assert "hardware counters: cycles not available" in result.stdout and says in result.stdout
    stored = json.loads(run_duet("show", "--export-json", "-", **confined).stdout)
    sides = stored["experiments"][0]["runs"][0]["iterations"][0]
    assert [value for key, value in sides.items() if "cycles" in key] in ([], [None, None])
    doctor = run_duet("doctor", "--duration", "100ms", **confined)
    assert doctor.returncode == 0 and levels(doctor)["counters"] == "good"
    assert says in " ".join(doctor.stdout.split())


def test_nothing_is_traced(run_duet, program):
    """Whoever makes one of these calls dies, as where ptrace is forbidden for good."""
    confined = {"preexec_fn": confine.refuse(kill=[
        "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "personality", "kcmp"])}
    leaves = program("leaves", "sleep 100 & exec true\n")
    assert run_duet("true", leaves, "-r", 4, **confined).returncode == 0
    assert run_duet("doctor", "--duration", "100ms", **confined).returncode == 0
    failing = run_duet("true", "false", "-r", 4, **confined)
    assert failing.returncode == 4 and "exit status 1" in failing.stderr


@pytest.mark.rotating(2)
@pytest.mark.parametrize("names, error", [
    (confine.DOCKER, errno.EPERM), (confine.YOUNG, errno.ENOSYS),
    ([*confine.DOCKER, *confine.YOUNG], errno.ENOSYS)], ids=["docker", "old kernel", "both"])
def test_profiles_of_containers(run_duet, integer, tmp_path, names, error):
    """Everything goes on as without."""
    confined = {"preexec_fn": confine.refuse((names, error), (["clone3"], errno.ENOSYS))}
    project = tmp_path / "project"
    project.mkdir()
    make_two_commits(project)
    (tmp_path / "s.yaml").write_text("benchmarks:\n  - {name: a, command: seq 3, check: {matches: ^3$}}\n")
    for words in ([*BOTH, "-r", 4], [integer(100000)] * 2 + ["-r", 4], ["aa", "true", "-r", 16],
                  ["true", "true", "-r", 2, "--prepare", "true", "--same-output"],
                  ["suite", "s.yaml", "-r", 2], ["doctor", "--duration", "100ms"],
                  ["git", "HEAD~1", "HEAD", "--build", "true", "-r", 2, "--", "cat text"]):
        result = run_duet(*words, cwd=project if words[0] == "git" else tmp_path, **confined,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert result.returncode == 0, (words, result.stderr)


@pytest.mark.parametrize("name", ["sched_setaffinity", "memfd_create"])
def test_calls_that_it_cannot_do_without(run_duet, tmp_path, name):
    """They are named, and who can allow them."""
    confined = {"preexec_fn": confine.refuse(([name], errno.EPERM))}
    result = run_duet(*BOTH, "-r", 2, **confined)
    assert result.returncode == 5, result.stderr
    assert name in result.stderr and "seccomp" in result.stderr


# ---- Folders ----

def test_a_root_that_is_read_only(inside, tmp_path):
    """As `docker run --read-only`; what is advised is done."""
    kept = tmp_path / "kept"
    kept.mkdir()
    make = lambda: confine.read_only([kept])
    refused = inside(make, *BOTH, "-r", 2)
    assert refused.returncode == 5
    assert "read-only" in refused.stderr.lower() and "--store" in refused.stderr
    doctor = inside(make, "doctor", "--duration", "100ms")
    assert doctor.returncode == 0 and levels(doctor)["store"] == "care"
    assert "--store none" in " ".join(doctor.stdout.split())
    for store in ("none", kept / "results.db"):
        done = inside(make, *BOTH, "-r", 2, "--store", store, "--export-json", "-")
        assert done.returncode == 0, done.stderr
    for where in (kept, tmp_path):
        (tmp_path / "s.yaml").write_text("benchmarks:\n  - {name: a, command: seq 3, check: {matches: ^3$}}\n")
        done = inside(make, "suite", "s.yaml", "-r", 2, "--store", "none",
                      env={**os.environ, "TMPDIR": str(where)})
        assert done.returncode == (0 if where == kept else 5), done.stderr
        assert where == kept or "TMPDIR" in done.stderr, done.stderr


def test_builds_need_a_folder(inside, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    make_two_commits(project)
    kept = tmp_path / "kept"
    kept.mkdir()
    words = ("git", "HEAD~1", "HEAD", "--build", "true", "-r", 2, "--store", "none", "--", "cat text")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for name in ("TMPDIR", "XDG_CACHE_HOME"):
        refused = inside(lambda: confine.read_only([kept]), *words, cwd=project, env=environment)
        assert refused.returncode == 5 and f"set {name} to " in refused.stderr, refused.stderr
        environment[name] = str(kept)
    done = inside(lambda: confine.read_only([kept]), *words, cwd=project, env=environment)
    assert done.returncode == 0, done.stderr


def test_doctor_says_where_it_stores(run_duet):
    assert levels(run_duet("doctor", "--duration", "100ms"))["store"] == "good"


# ---- Namespaces and environments ----

@pytest.mark.rotating
@pytest.mark.parametrize("before", [
    "", "mount -t tmpfs none /sys", "mount -t tmpfs none /dev/shm", "mount -t tmpfs none /sys/fs/cgroup"],
    ids=["all", "no /sys", "an empty /dev/shm", "no cgroups"])
def test_namespaces_of_a_container(inside, integer, before):
    """Process ids, mounts, users, network, host name and groups of its own."""
    make = lambda: confine.namespace("--user", "--map-root-user", "--mount", "--pid", "--fork",
                                     "--mount-proc", "--ipc", "--uts", "--net", "--cgroup",
                                     before=before)
    for words in ([*BOTH, "-r", 4], [integer(100000)] * 2 + ["-r", 4],
                  ["doctor", "--duration", "100ms"]):
        done = inside(make, *words)
        assert done.returncode == 0, done.stderr
    assert "started by process" not in done.stderr


def test_a_time_namespace(inside, run_duet, integer):
    """One around a benchmark alone is told; one around duet, which is the advice, is fine."""
    make = lambda: confine.namespace("--time", "--monotonic", "1000", "--fork", "--kill-child")
    words = [integer(100000)] * 2 + ["-r", 2]
    done = inside(make, *words)
    assert done.returncode == 0, done.stderr
    apart = f"unshare --time --monotonic 1000 {integer(100000)}"
    told = run_duet(apart, apart, "-r", 2)
    assert told.returncode != 0 and "time namespace: start duet in it" in told.stderr, told.stderr


def test_without_proc(inside):
    """It runs, or says that /proc is missing."""
    done = inside(lambda: confine.namespace("--mount", before="mount -t tmpfs none /proc"),
                  *BOTH, "-r", 4)
    assert done.returncode == 0 or (done.returncode == 5 and "/proc" in done.stderr), done.stderr


def test_an_empty_environment(run_duet, duet, tmp_path):
    """No HOME, no locale, no terminal, descriptors closed, as some runners start a job."""
    project = tmp_path / "project"
    project.mkdir()
    make_two_commits(project)
    path = {"PATH": os.environ["PATH"]}
    assert run_duet(*BOTH, "-r", 2, env=path).returncode == 0
    words = ("git", "HEAD~1", "HEAD", "--build", "true", "-r", 2, "--", "cat text")
    homeless = run_duet(*words, cwd=project, env=path)
    assert homeless.returncode == 2 and "set XDG_CACHE_HOME" in homeless.stderr
    done = run_duet(*words, cwd=project, env={**path, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stderr
    closed = subprocess.run(["sh", "-c", 'exec "$@" <&- ', "sh", *duet, *BOTH, "-r", "2"],
                            cwd=tmp_path, env=path, capture_output=True, text=True, check=False)
    assert closed.returncode == 0, closed.stderr
