"""What must not hang: whatever is stopped, signalled or not ours, a limit, a signal or a
second one ends it."""

import contextlib
import fcntl
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import termios
import time

import pytest

from support import confine
from support.other_users import copy_for_all, open_to_all
from support.processes import children_of, command_of, descendants, is_gone, supervisors_of


def sleepers(pid):
    return [child for child in descendants(pid) if command_of(child).startswith("sleep")]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("schedule", ["duet", "interleaved"])
def test_a_program_stops_its_supervisor(run_duet, program, stored, side, schedule):
    bad = program("stopping", "kill -STOP $PPID\nsleep 1000\n")
    commands = ["sleep 0.01", "sleep 0.01"]
    commands[side] = bad
    result = run_duet(*commands, "-r", 2, "--schedule", schedule)
    assert result.returncode == 5
    assert "was stopped by a signal" in result.stderr and bad in result.stderr
    assert stored.states() == ["failed"]
    stored.check()


def test_a_stopped_supervisor_and_an_interruption(start_duet, wait_until):
    process = start_duet("sleep 1000", "sleep 1000", "-r", 2)
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    everybody = descendants(process.pid)
    os.kill(supervisors_of(process.pid)[0], signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert time.monotonic() - began < 10
    assert all(is_gone(pid) for pid in everybody)


def test_who_suspends_all_and_goes_on_is_not_blamed(start_duet, wait_until):
    """As a batch system does with a job; here only the supervisors, for a moment."""
    process = start_duet("sleep 2", "sleep 2", "-r", 2)
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    for number, pause_s in ((signal.SIGSTOP, 0.3), (signal.SIGCONT, 0)):
        for pid in supervisors_of(process.pid):
            os.kill(pid, number)
        time.sleep(pause_s)
    _, errors = process.communicate()
    assert process.returncode == 0, errors


@pytest.mark.parametrize("mode", ["command", "harness"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_supervisor_is_told_to_end(start_duet, stored, odd_benchmark, wait_until, mode,
                                     side):
    command = "sleep 1000" if mode == "command" else f"{odd_benchmark} hang"
    process = start_duet(command, command, "-r", 2)
    wait_until(lambda: len(descendants(process.pid)) == 4)
    everybody = descendants(process.pid)
    wait_until(lambda: all(command_of(pid) != command_of(process.pid)
                           for pid in set(everybody) - set(supervisors_of(process.pid))))
    os.kill(supervisors_of(process.pid)[side], signal.SIGTERM)
    _, errors = process.communicate()
    assert process.returncode == 4
    assert "SIGTERM from outside" in errors
    assert all(is_gone(pid) for pid in everybody)
    assert stored.states() == ["failed"]


def test_a_parent_that_ignores_its_children(run_duet, stored):
    result = run_duet("true", "true", "-r", 10, preexec_fn=lambda: signal.signal(
        signal.SIGCHLD, signal.SIG_IGN))
    assert result.returncode == 0, result.stderr
    assert stored.runs() == 10


def test_a_clean_up_that_does_not_end(start_duet, program, wait_until):
    """The measurement is over: one signal ends the first, and the other side's begins."""
    command = program("both", "mkdir begun && exec sleep 1000\necho cleaned >&2\n")
    process = start_duet("true", "true", "-r", 2, "--cleanup", command)
    wait_until(lambda: sleepers(process.pid))
    everybody = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "interrupted during the --cleanup command" in errors and "cleaned" in errors
    assert all(is_gone(pid) for pid in everybody)


def test_a_second_signal_ends_the_clean_up_too(start_duet, stored, wait_until):
    process = start_duet("sleep 1001", "sleep 1001", "--cleanup", "sleep 1000")
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    process.send_signal(signal.SIGINT)
    wait_until(lambda: any("1000" in command_of(pid) for pid in sleepers(process.pid)))
    everybody = descendants(process.pid)
    time.sleep(1.5)  # what comes within a second is the same wish
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.communicate()
    assert process.returncode == 130 and time.monotonic() - began < 5
    assert all(is_gone(pid) for pid in everybody)
    stored.check()
    assert stored.states() == ["interrupted"]


def test_a_second_signal_ends_whatever_is_done(start_duet, program, wait_until):
    """Clean-up commands that ignore what they can, one after the other, and a runner that
    is stuck in them."""
    process = start_duet("sleep 1001", "sleep 1001", "--cleanup", "trap '' INT TERM HUP; "
                         "sleep 1000")
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    assert process.returncode == 130


# ---- A terminal ----

@pytest.fixture(name="on_terminal")
def on_terminal_fixture(start_duet):
    """Starts duet as a shell does: it has a terminal and its keyboard."""
    ours, theirs = pty.openpty()
    os.write(ours, b"typed\n")

    def start(*arguments):
        return start_duet(*arguments, stdin=theirs, start_new_session=True,
                          preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    yield start
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("option", ["--setup", "--cleanup"])
def test_a_hook_that_asks_at_the_terminal(on_terminal, option):
    """As sudo does for a password: it fails at once, and says why."""
    process = on_terminal("true", "true", "-r", 2, option, "read answer </dev/tty")
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 4
    assert f"the {option} command ended with status" in errors and "/dev/tty" in errors


def test_a_hook_that_reads_what_is_typed(on_terminal):
    process = on_terminal("true", "true", "-r", 2, "--cwd-new", "/", "--setup",
                          'test "$PWD" = / || { read answer && echo "read $answer" >&2; }')
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert "read typed" in errors


def test_a_check_that_asks_at_the_terminal(on_terminal, tmp_path):
    (tmp_path / "suite.yaml").write_text(
        "benchmarks:\n"
        "  - name: a\n"
        "    command: 'true'\n"
        "    check: {command: read answer </dev/tty}\n")
    process = on_terminal("suite", "suite.yaml", "--only", "a")
    _, errors = process.communicate(timeout=20)
    assert process.returncode != 0
    assert "/dev/tty" in errors


# ---- Programs of another user ----

@pytest.fixture(name="duet", scope="module")
def duet_for_all(duet, tmp_path_factory):
    return copy_for_all(duet, tmp_path_factory.mktemp("duet"))


@pytest.fixture
def privileged(tmp_path):
    """Becomes root for good when nobody starts it; as sudo does."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    open_to_all(tmp_path)
    path = tmp_path / "become"
    shutil.copy(shutil.which("setpriv"), path)
    path.chmod(0o4755)
    return f"{path} --reuid 0 --clear-groups sleep"


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def end(pids):
    """What duet may not: they would be left behind."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


@pytest.mark.parametrize("how", ["timeout", "interrupt"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_program_of_another_user(start_duet, privileged, program, wait_until, how,
                                   nested):
    command = f"{privileged} 1000"
    if nested:
        command = program("nested", f"{command} & wait\n")
    arguments = ["--timeout", "3s"] if how == "timeout" else []
    process = start_duet(command, "sleep 1000", "-r", 2, *arguments,
                         preexec_fn=as_nobody)
    wait_until(lambda: len(sleepers(process.pid)) == 2 or process.poll() is not None)
    theirs = [pid for pid in sleepers(process.pid)
              if pathlib.Path(f"/proc/{pid}").stat().st_uid == 0]
    began = time.monotonic()
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=20)
    finally:
        end(theirs)
    assert len(theirs) == 1, errors
    assert process.returncode == (4 if how == "timeout" else 130), errors
    assert time.monotonic() - began < 12
    assert f"{theirs[0]}" in errors and "another user" in errors


def test_a_hook_of_another_user(start_duet, privileged, wait_until):
    process = start_duet("true", "true", "--setup", f"exec {privileged} 1000",
                         preexec_fn=as_nobody)
    wait_until(lambda: sleepers(process.pid) or process.poll() is not None)
    theirs = sleepers(process.pid)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(20) == 130  # it still has the pipe of standard error
    finally:
        end(theirs)
    _, errors = process.communicate()
    assert "interrupted during the --setup" in errors


# ---- A process that does not end when it is killed ----

@pytest.fixture(name="guest")
def guest_fixture(wait_until):
    """Puts a process into another one's pid namespace, and never collects it: the namespace's first
    process cannot end before, as one that waits for a device."""
    started = []

    def enter(host, *options):
        guest = subprocess.Popen(["nsenter", "--target", str(host), *options, "--pid", "sleep", "2000"])
        started.append((host, guest))
        wait_until(lambda: sleepers(guest.pid))
        os.kill(guest.pid, signal.SIGSTOP)
        # Before it has stopped it may still take its child's end.
        stat = pathlib.Path(f"/proc/{guest.pid}/stat")
        wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
        return guest

    yield enter
    for host, guest in started:
        left = [*children_of(guest.pid), host]
        guest.kill()
        guest.wait()
        for pid in left:  # ours by now
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


@pytest.mark.bare
@pytest.mark.slow
@pytest.mark.parametrize("how", ["timeout", "interrupt"])
def test_a_process_that_cannot_be_killed(start_duet, wait_until, guest, how):
    """The runner says so and goes on: it cleans up."""
    options = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
    try:
        confine.namespace(*options, "--pid", "--fork")
    except confine.Unavailable as why:
        pytest.skip(str(why))
    command = " ".join(["unshare", *options, "--pid", "--fork", "sleep 1001"])
    limit = ["--timeout", "3s"] if how == "timeout" else []
    process = start_duet(command, "sleep 1000", "-r", 2, *limit, "--cleanup", "echo cleaned >&2")
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    host = next(pid for pid in sleepers(process.pid) if "1001" in command_of(pid))
    guest(host, *["--user", "--preserve-credentials"] if options else [])
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate(timeout=40)
    assert process.returncode == (4 if how == "timeout" else 130), errors
    assert time.monotonic() - began < 20
    assert not is_gone(host)
    assert "1 process was killed but has not ended" in errors and f"-p {host}" in errors
    assert errors.count("cleaned") == 2


# ---- A side that is held ----

def test_the_time_limit_holds_without_supervisors(start_duet, wait_until):
    """Both are stopped for so long that neither can see to the limit: what the runner
    itself looks at ends the run."""
    process = start_duet("sleep 1000", "sleep 1000", "-r", 2, "--timeout", "1s")
    wait_until(lambda: len(sleepers(process.pid)) == 2)
    everybody = descendants(process.pid)
    for pid in supervisors_of(process.pid):
        os.kill(pid, signal.SIGSTOP)
    _, errors = process.communicate()
    assert process.returncode in (4, 5), errors
    assert all(is_gone(pid) for pid in everybody)


def test_a_benchmark_that_rings_for_ever(run_duet, program):
    """The bell is a pipe that it inherits."""
    ring = program("ring", "#!/usr/bin/python3\n"
                           "import os, time\n"
                           "end = time.monotonic() + 1\n"
                           "while time.monotonic() < end:\n"
                           "    try:\n"
                           "        os.write(63, b'.' * 65536)\n"
                           "    except OSError:\n"
                           "        pass\n")
    result = run_duet(ring, "sleep 1", "-r", 2, timeout=20)
    assert result.returncode == 0, result.stderr


# ---- A page that is written over ----

# What is found for certain, by the value (0, 2^64 - 1, 8 less) and the word of odd_benchmark's
# lists. The others may be written anew before they are read, or be what they were.
HEADER, LIMITS, SIDE = "its header", "the limits of the run", "the state of a side"
FOUND = {0: {0: HEADER, 6: HEADER, 8: LIMITS, 10: SIDE},
         3: {0: HEADER, 8: LIMITS, 9: LIMITS, 20: SIDE, 28: SIDE, 30: SIDE},
         5: {0: HEADER, 6: HEADER, 8: LIMITS, 9: LIMITS, 10: LIMITS}}


@pytest.mark.parametrize("value", [0, pytest.param(3, marks=pytest.mark.soak),
                                   pytest.param(5, marks=pytest.mark.soak)])
@pytest.mark.parametrize("schedule", ["--fill", "--no-fill", "alone"])
@pytest.mark.parametrize("word", [0, 6, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 28, 30, 32])
def test_a_page_that_is_written_over(run_duet, odd_benchmark, word, schedule, value):
    """Either nothing comes of it, or both sides are named, as any may have done it; it ends."""
    words = 34  # of odd_benchmark's list
    arguments = {"alone": ["--schedule", "interleaved"], "--fill": [],
                 "--no-fill": ["--no-fill"]}[schedule]
    result = run_duet(f"{odd_benchmark} nothing 1 1", f"{odd_benchmark} scribble 3 1",
                      "-r", 2, "-I", 6, *arguments,
                      env={**os.environ, "SCRIBBLE": str(word + words * value)})
    if result.returncode != 0:
        assert result.returncode == 4
        assert (f"old ('{odd_benchmark} nothing 1 1') or new ('{odd_benchmark} scribble 3 1')"
                " wrote over the page") in result.stderr, (value, result.stderr)
    part = FOUND[value].get(word)
    if value == 3 and word in (11, 12, 13) and schedule != "alone":
        part = "the meeting of the sides"
    if part is not None:
        assert result.returncode == 4 and f"({part})" in result.stderr, result.stderr


@pytest.mark.timeout(100)
@pytest.mark.parametrize("schedule", ["duet", "timeslice", "interleaved"])
def test_a_worker_is_killed_and_its_program_waits(run_duet, program, odd_benchmark, stored,
                                                  schedule):
    """As a benchmark tool whose worker had too much memory, and that does not notice."""
    bad = program("tool", f"{odd_benchmark} hang 3 &\nsleep 2\nkill -9 $!\nsleep 1000\n")
    began = time.monotonic()
    result = run_duet(odd_benchmark, bad, "-r", 2, "-I", 20, "--schedule", schedule, timeout=100)
    assert result.returncode == 4, result.stderr
    words = " ".join(result.stderr.split())
    assert f"new ('{bad}') in run 1: process " in words, words
    assert "ended after 2 of them without duet_close(), and the program goes on" in words, words
    assert time.monotonic() - began < 60
    assert stored.states() == ["failed"]
    stored.check()


@pytest.mark.soak
def test_a_worker_that_has_closed_may_go(run_duet, program, odd_benchmark):
    slow = program("tool", f"{odd_benchmark}\nsleep 7\n")
    result = run_duet(odd_benchmark, slow, "-r", 2, "-I", 20, timeout=100)
    assert result.returncode == 0, result.stderr
