"""What a command finds when it starts: descriptors, environment, signals, streams. Both
sides must find the same."""

import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess

import pytest

PROBE = """#!/usr/bin/python3
import json, os, signal, sys
with open('{folder}/%s.%d' % (sys.argv[1], os.getpid()), 'w') as file:
    seen = {{
        'fds': sorted(int(fd) for fd in os.listdir('/proc/self/fd')
                      if int(fd) != file.fileno()),
        'environment': sorted(os.environ),
        'environment_bytes': len(open('/proc/self/environ', 'rb').read()),
        'argv_bytes': len(open('/proc/self/cmdline', 'rb').read()),
        'attach': os.environ['{variable}'],
        'blocked': sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        'ignored': [int(line.split()[1], 16) for line in open('/proc/self/status')
                    if line.startswith('SigIgn:')][0],
        'affinity': sorted(os.sched_getaffinity(0)),
        'leads_group': os.getpgid(0) == os.getpid(),
        'umask': os.umask(0),
        'cwd': os.getcwd(),
    }}
    # The descriptor of the listing itself is gone by now.
    seen['fds'] = [fd for fd in seen['fds'] if os.path.exists('/proc/self/fd/%d' % fd)]
    json.dump(seen, file)
"""


def attach_variable():
    """As src/sync names it."""
    header = pathlib.Path(__file__).resolve().parents[2] / "src/sync/page.h"
    (line,) = [line for line in header.read_text().splitlines()
               if line.startswith("#define SYNC_ATTACH_VARIABLE")]
    return line.split('"')[1]


@pytest.fixture
def probe(run_duet, program, tmp_path):
    """Runs a probe as both sides; what each execution saw, as (old, new)."""

    def run(*arguments, **options):
        folder = tmp_path / "seen"
        folder.mkdir()
        program("probe", PROBE.format(folder=folder, variable=attach_variable()))
        result = run_duet("./probe old", "./probe new", *arguments, **options)
        assert result.returncode == 0, result.stderr
        return [[json.loads(path.read_text()) for path in folder.glob(f"{side}.*")]
                for side in ("old", "new")]

    return run


def all_of(seen, key):
    """The values of `key`, each once."""
    return {json.dumps(one[key]) for side in seen for one in side}


@pytest.mark.bare
def test_descriptors(probe):
    """The three standard ones, the page and the bell; even when duet has inherited
    others itself."""
    seen = probe("-r", 4)
    assert [len(side) for side in seen] == [4, 4]
    assert all_of(seen, "fds") == {"[0, 1, 2, 62, 63]"}


def test_environment_has_one_length_on_both_sides(probe):
    """Where the stack begins depends on it, and with it the speed of some programs."""
    seen = probe("-r", 4, "--layout", "fixed")
    assert len(all_of(seen, "environment_bytes")) == 1
    assert len(all_of(seen, "argv_bytes")) == 1
    assert len(all_of(seen, "environment")) == 1


@pytest.mark.parametrize("layout", ["same", "independent"])
def test_each_run_has_an_offset_of_its_own(probe, layout):
    """Both sides have the same, or each side one that the other does not know of."""
    old, new = ([int(one["environment_bytes"]) for one in side]
                for side in probe("-r", 6, "--layout", layout, "--seed", 7))
    assert len(set(old)) > 3 and max(old) - min(old) < 4096
    assert all((bytes - old[0]) % 16 == 0 for bytes in old + new)
    assert (sorted(old) == sorted(new)) == (layout == "same")


@pytest.mark.parametrize("layout, seeds, shared", [("same", 6, True), ("fixed", 0, True),
                                                   ("independent", 6, False)])
def test_hash_seeds(run_duet, tmp_path, layout, seeds, shared):
    """A seed a run for what draws one otherwise, the same for both sides."""
    commands = [f"sh -c 'printenv PYTHONHASHSEED PERL_HASH_SEED >> {tmp_path}/{side}; true'"
                for side in ("old", "new")]
    done = run_duet("-r", 6, "--layout", layout, *commands)
    assert done.returncode == 0, done.stderr
    old, new = ((tmp_path / side).read_text().split() for side in ("old", "new"))
    assert len(set(old)) == len(set(new)) == 2 * seeds
    assert (sorted(old) == sorted(new)) == shared


def test_a_hash_seed_of_the_user_stays(run_duet, tmp_path):
    command = f"sh -c 'printenv PYTHONHASHSEED PERL_HASH_SEED >> {tmp_path}/seen'"
    environment = {**os.environ, "PYTHONHASHSEED": "random", "PERL_HASH_SEED": "3"}
    done = run_duet("-r", 2, command, command, env=environment)
    assert done.returncode == 0, done.stderr
    assert set((tmp_path / "seen").read_text().split()) == {"random", "3"}


@pytest.mark.bare  # Valgrind has variables of its own
def test_environment_is_otherwise_the_users(probe):
    mine = {"PATH": os.environ["PATH"], "MARK": "x", attach_variable(): "stale"}
    seen = probe("-r", 2, env=mine)
    # The last one Python adds by itself.
    names = [*mine, "DUET_ENVIRONMENT_OFFSET", "DUET_GUARD", "PYTHONHASHSEED",
             "PERL_HASH_SEED", "LC_CTYPE"]
    assert all(set(one["environment"]) <= set(names) for side in seen for one in side)
    assert "stale" not in "".join(all_of(seen, "attach"))


def test_no_signal_is_blocked_or_newly_ignored(probe):
    seen = probe("-r", 2)
    assert all_of(seen, "blocked") == {"[]"}
    # What a Python ignores that is started from here without duet: its own choice, and
    # what this test has inherited (a job in the background ignores SIGINT).
    alone = subprocess.run(["grep", "SigIgn:", "/proc/self/status"], text=True,
                           capture_output=True, check=True).stdout
    python_ignores = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    expected = int(alone.split()[1], 16) | python_ignores
    # 32 and 33 are glibc's: ignored by what its posix_spawn() starts (make does), not by
    # what a process with threads starts.
    glibc_own = 1 << 31 | 1 << 32
    assert {int(one) & ~glibc_own for one in all_of(seen, "ignored")} == \
        {expected & ~glibc_own}


def test_process_group_folder_and_mask(probe, tmp_path):
    seen = probe("-r", 2)
    assert all_of(seen, "leads_group") == {"true"}
    assert all_of(seen, "cwd") == {json.dumps(str(tmp_path))}
    before = os.umask(0)
    os.umask(before)
    assert all_of(seen, "umask") == {str(before)}


def test_each_side_has_a_cpu_and_they_swap_it(probe):
    seen = probe("-r", 2)
    for side in seen:
        assert sorted(len(one["affinity"]) for one in side) == [1, 1]
        assert len({one["affinity"][0] for one in side}) == 2


@pytest.mark.parametrize("schedule", ["interleaved", "sequential", "timeslice"])
def test_one_cpu_for_both(probe, schedule):
    seen = probe("-r", 2, "--schedule", schedule)
    assert len(all_of(seen, "affinity")) == 1


def test_standard_input(run_duet, program, tmp_path):
    (tmp_path / "in").write_text("read me\n")
    command = program("cat", "cat >>$1.read\n")
    arguments = [f"{command} old", f"{command} new", "-r", 2]
    assert run_duet(*arguments, "--input", "in").returncode == 0
    assert (tmp_path / "old.read").read_text() == "read me\n" * 2  # from the start
    (tmp_path / "old.read").unlink()
    assert run_duet(*arguments).returncode == 0
    assert (tmp_path / "old.read").read_text() == ""
    (tmp_path / "old.read").unlink()
    with (tmp_path / "in").open() as file:
        assert run_duet(*arguments, "--input", "inherit", stdin=file).returncode == 0
    both = (tmp_path / "old.read").read_text() + (tmp_path / "new.read").read_text()
    assert "read me\n" in both


def test_standard_input_is_missing(run_duet):
    result = run_duet("cat", "cat", "--input", "no-such-file", "-r", 2)
    assert result.returncode == 2
    assert "--input: cannot open 'no-such-file': No such file" in result.stderr


def test_standard_input_is_a_folder(run_duet, tmp_path):
    """The programs would fail to read it, or do less than they were meant to."""
    (tmp_path / "folder").mkdir()
    result = run_duet("true", "true", "--input", "folder", "-r", 2)
    assert result.returncode == 2
    assert "--input: 'folder' is a folder; name a file" in result.stderr


@pytest.mark.parametrize("shell", ["", "-S default"])
def test_a_descriptor_of_the_shell(duet, tmp_path, shell):
    """The numbers that bash takes first are duet's in a program: `cat` waited for ever."""
    for words, says in [(f"{shell} true 'cat '<(echo)", "is a pipe, as of a shell's <(...)"),
                        (f"{shell} 'cat /dev/fd/62' true 62</etc/passwd", "is duet's own")]:
        result = subprocess.run(["bash", "-c", f"{shlex.join(duet)} --store none -r 2 {words}"],
                                capture_output=True, text=True, cwd=tmp_path, timeout=20,
                                check=False)
        assert result.returncode == 2
        assert says in result.stderr


@pytest.mark.parametrize("option", ["--input", "--output", "--stderr"])
def test_streams_without_a_name(run_duet, tmp_path, option):
    result = run_duet("true", "true", "-r", 2, option, "")
    assert result.returncode == 2
    assert f"{option} has '' for its file: name one, or 'null'" in result.stderr
    assert not list(tmp_path.iterdir())


def test_two_streams_into_one_file(run_duet, tmp_path):
    result = run_duet("true", "true", "-r", 2, "--output", "out", "--stderr", "out")
    assert result.returncode == 2
    assert "--output and --stderr have the same file 'out'" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--input", "--output", "--stderr"])
def test_streams_of_the_null_device(run_duet, option):
    result = run_duet("true", "true", "-r", 2, option, "/dev/null")
    assert result.returncode == 0, result.stderr
    assert not os.path.exists("/dev/null.old")


@pytest.mark.parametrize("stream, option", [(1, "--output"), (2, "--stderr")])
def test_output_to_files(run_duet, tmp_path, stream, option):
    """A file for each side, which write at the same time."""
    result = run_duet(f"sh -c 'echo A >&{stream}'", f"sh -c 'echo B >&{stream}'", "-r",
                      3, option, "out")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out.old").read_text() == "A\n"
    assert (tmp_path / "out.new").read_text() == "B\n"


@pytest.mark.parametrize("stream, option", [(1, "--output"), (2, "--stderr")])
def test_output_inherited(run_duet, stream, option):
    result = run_duet(f"sh -c 'echo A >&{stream}'", f"sh -c 'echo B >&{stream}'", "-r",
                      2, "-q", option, "inherit")
    text = result.stdout if stream == 1 else result.stderr
    assert result.returncode == 0
    assert text.count("A\n") == 2 and text.count("B\n") == 2


def test_output_is_dropped_by_default(run_duet):
    result = run_duet("sh -c 'echo A; echo B >&2'", "true", "-r", 2, "-q")
    assert "A\n" not in result.stdout and result.stderr == ""


def test_output_cannot_be_written(run_duet):
    result = run_duet("true", "true", "-r", 2, "--output", "no-such-folder/out")
    assert result.returncode == 2
    assert "--output: cannot open 'no-such-folder/out.old': No such file" in result.stderr


@pytest.mark.parametrize("closed", [
    (0,), (1,), (0, 1, 2),
    pytest.param((2,), marks=pytest.mark.bare)])  # Valgrind itself needs it
def test_duet_started_without_standard_streams(duet, tmp_path, closed):
    """Its own descriptors take their places, which must not confuse anything."""
    script = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
    result = subprocess.run(["sh", "-c", f'exec "$@" {script}', "sh", *duet, "true",
                             "true", "-r", "2"], cwd=tmp_path, check=False,
                            capture_output=True, text=True)
    assert result.returncode in (0, 5), result.stderr


@pytest.mark.bare
def test_peak_memory_is_the_programs(run_duet, program, stored):
    """A small program is not charged with what duet itself has mapped."""
    big = program("big", "#!/usr/bin/python3\nx = bytearray(80 << 20)\n")
    assert run_duet("true", big, "-r", 2).returncode == 0
    sizes = stored.rows("SELECT side, max(peak_memory_bytes) FROM run_side GROUP BY side "
                        "ORDER BY side")
    assert sizes[0][1] < 16 << 20
    assert sizes[1][1] > 80 << 20


@pytest.mark.bare
@pytest.mark.parametrize("limit", [5, 8, 16, 24, 63])
@pytest.mark.parametrize("words", [("true", "true", "-r", 2), ("suite", "s.yaml")],
                         ids=["run", "suite"])
def test_too_few_descriptors(start_duet, tmp_path, words, limit):
    """That, and not something else, is said. It is no failure of the commands."""
    (tmp_path / "s.yaml").write_text(
        "benchmarks: [{name: a, command: 'true', check: {exit: 0}, runs: 2}]\n")
    process = start_duet(*words, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (limit, limit)))
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 5, errors
    assert "Too many open files" in errors and "ulimit -n" in errors


@pytest.mark.bare  # strace does not run under Valgrind
@pytest.mark.parametrize("call, says", [
    ("dup3:error=EMFILE:when=3", "could not be started: Too many open files"),
    ("sendto:error=ENOBUFS:when=1", "died at its start")])
def test_a_supervisor_that_cannot_begin(duet, tmp_path, call, says):
    """Nor is anybody waited for who cannot say that he is ready."""
    result = subprocess.run(
        ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=dup3,sendto", "-e",
         f"inject={call}", *duet, "true", "true", "-r", "2"], cwd=tmp_path, text=True,
        capture_output=True, timeout=30, check=False)
    assert result.returncode in (4, 5) and says in result.stderr, result
