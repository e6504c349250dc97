"""Commands that fail in every way a command can: the message, the exit status, what is
kept, and (conftest.py) that no process is left."""

import os
import pathlib
import signal
import stat
import subprocess

import pytest

from support.failing import failed

SCHEDULES = ["duet", "interleaved", "sequential", "timeslice"]


@pytest.fixture
def counting(program, tmp_path):
    """A script that runs `text` in its n-th execution only, and is quick otherwise."""

    def write(n, text):
        path = tmp_path / "executions"
        return program("counting", f"""
count=$(cat '{path}' 2>/dev/null || echo 0)
count=$((count + 1))
echo $count >'{path}'
[ $count -eq {n} ] || exit 0
{text}
""")

    return write


@pytest.mark.parametrize("side", ["old", "new"])
def test_command_not_found(run_duet, side):
    commands = ["no-such-command-here", "true"]
    result = run_duet(*(commands if side == "old" else reversed(commands)))
    failed(result, 2, "command not found: 'no-such-command-here'", "PATH", "-S")


def test_command_is_not_executable(run_duet, program):
    path = program("plain", "true\n", mode=0o644)
    failed(run_duet(path, "true"), 2, f"'{path}'", "cannot be executed", "chmod +x")


def test_command_is_a_folder(run_duet, tmp_path):
    failed(run_duet("true", tmp_path), 2, f"'{tmp_path}'", "Is a directory")


def test_command_is_no_program(run_duet, tmp_path):
    path = tmp_path / "rubbish"
    path.write_bytes(b"\x00\x01\x02 rubbish")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    failed(run_duet("true", path, "-r", 2), 4, "new", "could not be started",
           "Exec format error")


@pytest.mark.bare  # Valgrind cannot bear a failing execve()
def test_interpreter_is_missing(run_duet, program):
    path = program("script", "#!/no/such/interpreter\n")
    failed(run_duet(path, "true", "-r", 2), 4, "old", "could not be started",
           "No such file or directory")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("side", ["old", "new"])
def test_command_dies_by_a_signal(run_duet, program, schedule, side):
    victim = program("victim", "echo last words >&2\nkill -SEGV $$\n")
    commands = [victim, "true"] if side == "old" else ["true", victim]
    result = run_duet(*commands, "-r", 2, "--schedule", schedule)
    run = 3 if schedule == "sequential" and side == "new" else 1
    failed(result, 4, f"{side} ('{victim}') in run {run}, iteration 1",
           "died by signal 11 (Segmentation fault)", "last words")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_command_fails_in_iteration_7(run_duet, counting, stored, schedule):
    """In the second run of four pairs each: the first run is kept."""
    command = counting(7, "echo 'out of luck' >&2\nexit 3")
    result = run_duet("true", command, "-r", 4, "-I", 4, "--schedule", schedule)
    run = 2 if schedule != "sequential" else 6
    failed(result, 4, f"new ('{command}') in run {run}, iteration 3",
           "exit status 3", "-i", "its last lines on standard error:\nout of luck",
           "1 finished run is kept: duet show 1" if run == 2
           else f"{run - 1} finished runs are kept: duet show 1")
    assert stored.states() == ["failed"]
    assert "exit status 3" in stored.one("SELECT message FROM experiment")
    assert stored.runs() == run - 1
    stored.check()


@pytest.mark.parametrize("schedule", ["duet", "timeslice"])
def test_each_side_has_its_own_last_lines(run_duet, program, counting, schedule):
    """Also where a batch of short runs has both sides in the same place."""
    talks = program("talks", "echo of the old one >&2\n")
    result = run_duet(talks, counting(50, "exit 3"), "-r", 100, "--schedule", schedule)
    failed(result, 4, "exit status 3")
    assert "last lines" not in result.stderr and "of the old one" not in result.stderr


def test_only_the_last_lines_are_shown(run_duet, program):
    command = program("chatty", "seq 1 1000 >&2\nexit 1\n")
    result = run_duet(command, "true", "-r", 2)
    failed(result, 4, "\n996\n997\n998\n999\n1000\n")
    assert "\n995\n" not in result.stderr


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_standard_output_in_place_of_errors(run_duet, program, schedule):
    """Test programs print there what failed."""
    command = program("tests", "echo 1 passed\necho 1 failed\nexit 1\n")
    result = run_duet("true", command, "-r", 2, "--schedule", schedule)
    failed(result, 4, "its last lines on standard output, executed once more:\n"
           "1 passed\n1 failed\n")
    result = run_duet("true", command, "-r", 2, "--schedule", schedule, "--output", "f")
    assert "executed once more" not in result.stderr


def test_standard_output_of_another_end_is_no_reason(run_duet, program):
    command = program("once", "echo all is well\n[ -e seen ] && exit 0\n>seen\nexit 3\n")
    result = run_duet("true", command, "-r", 2)
    failed(result, 4, "exit status 3")
    assert "executed once more" not in result.stderr


def test_long_command_leaves_room_for_what_went_wrong(run_duet):
    command = f"sh -c '{'true; ' * 1000} exit 3'"
    result = run_duet(command, "true", "-r", 2)
    failed(result, 4, "...') in run 1, iteration 1", "exit status 3")


def test_control_characters_do_not_reach_the_terminal(run_duet, program):
    command = program("rude", "printf '\\033[31mred\\007' >&2\nexit 1\n")
    result = run_duet(command, "true", "-r", 2)
    failed(result, 4, "?[31mred?")
    assert "\033" not in result.stderr


def test_ignored_failures_are_measured(run_duet, stored):
    result = run_duet("false", "sh -c 'kill -KILL $$'", "-r", 2, "-i")
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT DISTINCT side, exit_status FROM iteration "
                       "ORDER BY side") == [(0, 1), (1, 128 + signal.SIGKILL)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_hanging_command_is_killed_with_all_its_descendants(run_duet, program, stored,
                                                            schedule):
    """The group has a grandchild in the background, which must go too."""
    command = program("hanging", "sleep 1000 &\nsleep 1001\n")
    result = run_duet("true", command, "-r", 2, "--timeout", "300ms", "--schedule",
                      schedule)
    failed(result, 4, f"new ('{command}')", "longer than the time limit of 0.3 s",
           "--timeout", "killed")
    assert stored.states() == ["failed"]


def test_a_time_limit_that_is_met_changes_nothing(run_duet):
    assert run_duet("true", "true", "-r", 4, "--timeout", "30s").returncode == 0


@pytest.mark.bare
@pytest.mark.parametrize("stream, option", [(1, "--output"), (2, "--stderr")])
@pytest.mark.parametrize("kind", ["pipe", "null"])
def test_endless_output_costs_no_memory(duet, program, tmp_path, stream, option, kind):
    """300 MB from each side; what is read of it is dropped. A small process in between
    reads the peak, since the kernel counts who starts a program in that program's."""
    command = program("flood", f"exec head -c 300000000 /dev/zero >&{stream}\n")
    starter = ("import resource, subprocess, sys\n"
               "status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
               "usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
               "print(status, usage.ru_maxrss)\n")
    result = subprocess.run(["/usr/bin/python3", "-c", starter, *duet, command, command,
                             "-r", "1", option, kind], cwd=tmp_path, text=True,
                            capture_output=True, check=True, timeout=60)
    status, peak_kib = map(int, result.stdout.split())
    assert status == 0, result.stderr
    assert peak_kib < 64 * 1024, "of duet or the largest of its children"


def test_endless_output_of_a_failing_command(run_duet, program):
    command = program("flood", "head -c 100000000 /dev/zero | tr '\\0' 'x' >&2\n"
                               "echo >&2\necho the end >&2\nexit 5\n")
    result = run_duet("true", command, "-r", 2)
    failed(result, 4, "exit status 5", "the end")
    assert len(result.stderr) < 10000


def test_command_that_closes_all_its_descriptors(run_duet, program):
    command = program("closing", "#!/usr/bin/python3\nimport os\n"
                                 "os.closerange(0, 1024)\nos._exit(0)\n")
    assert run_duet(command, command, "-r", 2).returncode == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_stopped_command_is_killed(run_duet, counting, stored, schedule):
    """Nothing would ever continue it: reported at once, not after a time limit."""
    command = counting(3, "kill -STOP $$")
    result = run_duet(command, "true", "-r", 4, "--schedule", schedule, timeout=5)
    failed(result, 4, f"old ('{command}') in run 3", "stopped by a signal", "SIGSTOP")
    assert stored.runs() == 2


def test_background_processes_are_killed_and_reported(run_duet, program):
    command = program("leaving", "sleep 1000 &\nsetsid sleep 1001 &\n")
    result = run_duet("true", command, "-r", 2)
    assert result.returncode == 0, result.stderr
    assert "4 processes that the commands left running were killed" in result.stderr


def test_a_daemon_does_not_get_away(run_duet, program):
    """It leaves its session and its process group and is nobody's child."""
    command = program("daemon", "#!/usr/bin/python3\n"
                                "import os, time\n"
                                "if os.fork() == 0:\n"
                                "    os.setsid()\n"
                                "    if os.fork() == 0:\n"
                                "        time.sleep(1000)\n"
                                "    os._exit(0)\n"
                                "os.wait()\n")
    result = run_duet(command, "true", "-r", 1)
    assert result.returncode == 0, result.stderr
    assert "1 process that the commands left running was killed" in result.stderr


def test_many_processes_left_behind(run_duet, program):
    command = program("bomb", "for i in $(seq 50); do sleep 1000 & done\n"
                              "setsid sleep 1001 &\n")
    result = run_duet("true", command, "-r", 2)
    assert result.returncode == 0, result.stderr
    assert "102 processes" in result.stderr


def test_an_adopted_child_that_has_ended_is_no_leftover(run_duet, program):
    """A process whose parent did not wait for it, but which has ended by itself."""
    command = program("hasty", "(true &)\nsleep 0.05\n")
    result = run_duet("true", command, "-r", 2)
    assert result.returncode == 0
    assert "left running" not in result.stderr


def test_failures_leave_no_file(run_duet, program, tmp_path):
    command = program("failing", "exit 1\n")
    before = set(tmp_path.iterdir())
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    assert run_duet(command, "true", env=environment).returncode == 4
    assert set(tmp_path.iterdir()) - before == {tmp_path / ".duet", temporary}
    assert not list(temporary.iterdir())
    assert {path.name for path in (tmp_path / ".duet").iterdir()} == {".gitignore",
                                                                      "results.db"}


def test_leftovers_do_not_keep_the_store_open(run_duet, program, stored):
    """A child inherits neither the store nor its lock."""
    command = program("looking", "ls -l /proc/self/fd >'%s'\n"
                      % (pathlib.Path(stored.path).parent.parent / "seen"))
    assert run_duet(command, command, "-r", 2).returncode == 0
    seen = (pathlib.Path(stored.path).parent.parent / "seen").read_text()
    assert "results.db" not in seen
