"""What duet suite says while it measures, and when it is interrupted."""

import array
import fcntl
import os
import re
import signal
import sqlite3
import subprocess
import termios

import pytest

TWO = """\
defaults: {runs: 4}
benchmarks:
- {name: first, command: sleep 0.01}
- {name: broken, command: sh -c 'exit 3'}
- {name: last, command: sleep 0.01}
"""


def test_a_line_for_each_benchmark(run_duet, write_suite):
    """Without a terminal, as each ends: verdict, change, how many of how many."""
    write_suite(TWO)
    result = run_duet("suite", "s.yaml")
    assert result.returncode == 4
    lines = re.findall(r"^duet: (.*) \(([123]) of 3(?:, .*)?\)$", result.stderr, re.M)
    assert [int(place) for _, place in lines] == [1, 2, 3]
    said = dict(line.split(": ", 1) for line, _ in lines)
    assert set(said) == {"first", "broken", "last"} and said["broken"] == "failed"
    assert re.match(r"(unsure|same|(slower|faster)( by itself)?), [+-]?[\d.]+ %( \[| at |$)",
                    said["first"])
    assert not re.search(r"\b0 s left", result.stderr)


def test_time_left_of_all(run_duet, write_suite):
    write_suite("defaults: {until: time=1s}\nbenchmarks:\n"
                "- {name: a, command: sleep 0.01}\n- {name: b, command: sleep 0.01}\n")
    result = run_duet("suite", "s.yaml")
    assert result.returncode == 0, result.stderr
    assert re.search(r"^duet: [ab]: .* \(1 of 2, [1-9] s left\)\nduet: [ab]: .* \(2 of 2\)$",
                     result.stderr, re.M)


@pytest.mark.parametrize("quiet", ["-q", "--style=none"])
def test_quiet(run_duet, write_suite, quiet):
    write_suite("defaults: {runs: 2}\nbenchmarks:\n- {name: a, command: 'true'}\n"
                "- {name: b, command: 'true'}\n")
    result = run_duet("suite", "s.yaml", quiet)
    assert result.returncode == 0 and result.stderr == ""


def test_interrupted_in_the_first_benchmark(start_duet, run_duet, write_suite, stored,
                                            wait_until):
    """Its finished runs have their answer, and a line says how to go on."""
    write_suite("defaults: {runs: 200, fail-on: unsure}\nbenchmarks:\n"
                "- {name: a, command: sleep 0.02}\n- {name: b, command: sleep 0.02}\n")
    process = start_duet("suite", "s.yaml")
    wait_until(lambda: stored.has_runs(12))
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert process.returncode == 130
    assert re.search(r"^(unsure|no difference|new is)[^:\n]*: [+-]?[\d.]+ % ", out, re.M), out
    runs = stored.runs()
    assert re.search(rf"\b{runs} runs, ", out, re.M), out
    assert f"its {runs} finished runs are kept: duet show 1" in errors
    assert "2 of 2 benchmarks are left; the same command with --resume goes on" in errors
    assert "gate:" not in errors
    assert stored.states() == ["interrupted"]
    assert stored.one("SELECT state FROM suite_run") == "interrupted"
    result = run_duet("suite", "s.yaml", "--resume", "-r", 2)
    assert result.returncode in (0, 3), result.stderr
    assert sorted(stored.states()) == ["done", "done", "interrupted"]
    stored.check()


def test_one_process_a_run(start_duet, run_duet, write_suite, stored, wait_until):
    """--resume does not take a run that goes on elsewhere."""
    write_suite("defaults: {runs: 4}\nbenchmarks:\n" +
                "".join(f"- {{name: {name}, command: sleep 0.1}}\n" for name in "abcdef"))

    def is_measuring():
        try:
            return stored.one("SELECT count(*) FROM experiment WHERE suite_run_id = 1 AND state = 'running'")
        except sqlite3.Error:  # the tables are not there yet
            return False

    process = start_duet("suite", "s.yaml")
    wait_until(is_measuring)
    second = run_duet("suite", "s.yaml", "--resume")
    assert second.returncode == 2
    assert re.search(r"another process is measuring this suite( \(experiment \d\))?: wait", second.stderr)
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "f" in out and len(stored.states()) == 6
    assert stored.one("SELECT group_concat(state) FROM suite_run") == "done"
    assert run_duet("suite", "s.yaml", "--resume").returncode == 0
    assert len(stored.states()) == 6


def test_one_process_a_run_where_nothing_is_measured(start_duet, run_duet, write_suite, stored,
                                                     wait_until, tmp_path):
    """Not only while a benchmark of it is under way."""
    write_suite("setup: touch began; while ! test -e ready; do sleep 0.05; done\n"
                "defaults: {runs: 2}\nbenchmarks:\n- {name: a, command: 'true'}\n")
    process = start_duet("suite", "s.yaml")
    wait_until((tmp_path / "began").exists)
    second = run_duet("suite", "s.yaml", "--resume")
    assert second.returncode == 2
    assert "another process is measuring this suite: wait until it ends" in second.stderr
    (tmp_path / "ready").touch()
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "a" in out and stored.states() == ["done"]
    assert stored.one("SELECT group_concat(state) FROM suite_run") == "done"


CONFIRMED = """\
setup: echo 0.5 > data; echo set up >> log
cleanup: rm data; echo cleaned >> log
defaults: {runs: 8, shell: true, losses: keep}
benchmarks:
- {name: nap, old: sleep 0.1, new: sleep $(cat data)}
"""


def test_confirmations_have_what_the_setup_makes(run_duet, write_suite, tmp_path):
    """The clean-up comes behind them, and --resume sets up what it confirms."""
    write_suite(CONFIRMED)
    words = ("suite", "s.yaml", "--fail-on", "slower", "--confirm", "--confidence", "0.9")
    for more in ((), ("--resume",)):
        result = run_duet(*words, *more)
        assert result.returncode == 1, result.stderr
        assert "could not be confirmed" not in result.stderr
        assert "nap (confirmation)" in result.stdout
        assert (tmp_path / "log").read_text() == "set up\ncleaned\n"
        (tmp_path / "log").unlink()
    write_suite(CONFIRMED.replace("echo set up", "false && echo set up"))
    result = run_duet(*words, "--resume")
    assert result.returncode == 1 and "during" not in result.stderr
    assert "suite's setup" in result.stderr and "(confirmation)" not in result.stdout
    assert (tmp_path / "log").read_text() == "cleaned\n"


def test_a_clean_up_that_fails_behind_confirmations(run_duet, write_suite):
    """As without --confirm: it is the suite's failure, and nothing is saved as a baseline."""
    write_suite(CONFIRMED.replace("echo cleaned >> log", "false"))
    for more in ((), ("--confirm",)):
        result = run_duet("suite", "s.yaml", "--fail-on", "slower", "--confidence", "0.9",
                          "--save-baseline", "b", *more)
        assert result.returncode == 4 and "suite's cleanup" in result.stderr, result
        assert "saved as baseline" not in result.stderr


@pytest.mark.parametrize("other", ["", "- {name: broken, old: 'true', new: 'false'}\n"])
def test_interrupted_while_it_confirms(start_duet, write_suite, wait_until, tmp_path, other):
    """What was measured is shown all the same."""
    write_suite("cleanup: echo cleaned >> log\ndefaults: {runs: 8, losses: keep}\nbenchmarks:\n"
                "- {name: nap, old: sleep 0.1, new: sleep 0.5, setup: echo set up >> log}\n" + other)
    log = tmp_path / "log"
    process = start_duet("suite", "s.yaml", "--fail-on", "slower", "--confirm", "--confidence", "0.9")
    wait_until(lambda: log.exists() and log.read_text().count("set up") > 2)  # of both sides
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "nap" in out and "slower" in out
    assert "gate: failed: nap is slower" in errors
    assert log.read_text().endswith("cleaned\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_it_waits_for_its_file(start_duet, wait_until, tmp_path, number):
    """A first Ctrl-C was kept for later: the rest of standard input was waited for."""
    (tmp_path / "tmp").mkdir()
    process = start_duet("suite", "-", stdin=subprocess.PIPE,
                         env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    process.stdin.write("benchmarks:\n")
    process.stdin.flush()
    waiting = array.array("i", [1])

    def is_read():
        fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, waiting)
        return waiting[0] == 0

    wait_until(is_read)
    process.send_signal(number)
    assert process.wait(20) == -number
    assert os.listdir(tmp_path / "tmp") == []
