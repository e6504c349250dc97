"""duet suite --resume: what is finished stays, what is not is measured."""

import os
import pathlib
import re
import signal
import sqlite3

import pytest

QUICK = "defaults: {runs: 2}\nbenchmarks:\n"


def has_experiments(stored, count):
    try:
        return stored.one("SELECT count(*) FROM experiment WHERE state = 'done'") >= count
    except sqlite3.Error:  # the tables are not there yet
        return False


LONG = "cleanup: echo cleaned >> log\ndefaults: {runs: 2}\nbenchmarks:\n" + "".join(
    f"- {{name: {name}, command: sleep 0.02, setup: echo {name} >> log}}\n"
    for name in "abcdefghijklmnopqrstuvwxyz")


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_resume(start_duet, run_duet, write_suite, stored, wait_until, tmp_path, number):
    """What was finished is not measured again, nothing is lost, the order is kept."""
    path = write_suite(LONG)
    # A killed one leaves its scratch folder behind.
    process = start_duet("suite", path, env={**os.environ, "TMPDIR": str(tmp_path)})
    wait_until(lambda: pathlib.Path(stored.path).exists() and has_experiments(stored, 2))
    process.send_signal(number)
    out, errors = process.communicate()
    done = stored.one("SELECT count(*) FROM experiment WHERE state = 'done'")
    assert 2 <= done < 26
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert re.search(r"\d+ of 26 benchmarks are left; the same command with --resume",
                         errors)
        assert "benchmark" in out  # what is there is shown
        assert (tmp_path / "log").read_text().endswith("cleaned\n")
        assert stored.one("SELECT state FROM suite_run") == "interrupted"
    result = run_duet("suite", path, "--resume")
    assert result.returncode == 0, result.stderr
    rows = re.findall(r"^([a-z])  ", result.stdout, re.M)
    assert rows == list("abcdefghijklmnopqrstuvwxyz")
    assert stored.one("SELECT count(*) FROM experiment WHERE state = 'done'") == 26
    assert stored.one("SELECT count(DISTINCT suite_run_id) FROM experiment") == 1
    assert stored.one("SELECT state FROM suite_run") == "done"
    measured = [name for name in (tmp_path / "log").read_text().split() if name != "cleaned"]
    whole = "".join(dict.fromkeys(measured))
    log = tmp_path / "log"
    log.unlink()
    seed = stored.one("SELECT seed FROM suite_run")
    assert run_duet("suite", path, "--seed", seed, "--store", "none").returncode == 0
    again = [name for name in log.read_text().split() if name != "cleaned"]
    assert "".join(dict.fromkeys(again)) == whole
    stored.check()


def test_interrupted_during_the_setup(start_duet, write_suite, wait_until, tmp_path,
                                      stored):
    path = write_suite("setup: echo {scratch} > scratch; sleep 60\n"
                       "cleanup: touch cleaned\n" + QUICK +
                       "- {name: a, command: 'true'}\n")
    process = start_duet("suite", path)
    scratch = tmp_path / "scratch"
    wait_until(lambda: scratch.exists() and scratch.read_text().endswith("\n"))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "interrupted during the suite's setup command" in errors
    assert "1 of 1 benchmarks are left" in errors
    assert (tmp_path / "cleaned").exists() and stored.states() == []
    assert not pathlib.Path(scratch.read_text().strip()).exists()


@pytest.mark.slow
def test_resume_when_all_is_done(run_duet, write_suite, stored):
    path = write_suite("setup: echo x >> log\n" + QUICK + "- {name: a, command: 'true'}\n"
                       "- {name: b, command: 'true'}\n")
    first = run_duet("suite", path, "--resume")
    assert first.returncode == 0
    assert "no run of this suite to resume: a new one begins" in first.stderr
    second = run_duet("suite", path, "--resume")
    assert second.returncode == 0 and second.stderr == ""
    assert second.stdout == first.stdout
    assert len(stored.states()) == 2
    write_suite("setup: echo x >> log\n" + QUICK + "- {name: a, command: 'true'}\n"
                "- {name: b, command: 'true', iterations: 2}\n")
    third = run_duet("suite", path, "--resume")
    assert third.returncode == 0
    # What the file says otherwise now is another benchmark.
    assert sorted(stored.rows("SELECT name, count(*) FROM experiment GROUP BY name")) == \
        [("a", 1), ("b", 2)]
    assert run_duet("suite", path).returncode == 0  # without it, all anew
    assert stored.one("SELECT count(*) FROM suite_run") == 2


def test_resume_in_another_folder(run_duet, write_suite, tmp_path, stored):
    """Commands are started in the current folder: there they may be others."""
    path = tmp_path / write_suite(QUICK + "- {name: a, command: ./a}\n- {name: b, command: ./b}\n")
    for folder, names in ("one", "a"), ("two", "ab"):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).symlink_to("/bin/true")
    (tmp_path / ".duet").mkdir(0o700)
    options = "suite", path, "--resume", "--store", stored.path
    assert run_duet(*options, cwd=tmp_path / "one").returncode == 4
    assert run_duet(*options, cwd=tmp_path / "two").returncode == 0
    assert stored.rows("SELECT name, state FROM experiment ORDER BY name, state") == [
        ("a", "done"), ("a", "done"), ("b", "done"), ("b", "failed")]
