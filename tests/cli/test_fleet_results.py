"""Results of a fleet that an older duet has measured: they are read, and stay as they are."""

import hashlib
import json
import pathlib
import shutil
import sqlite3

import pytest

SUITE = """
name: tiny
defaults: {schedule: timeslice}
benchmarks:
  - {name: sum, command: "expr 1 + 1"}
  - {name: product, command: "expr 1 '*' 2"}
"""


def make_older(path):
    """The result as a duet with the schema before the newest wrote it, by the name that it
    has then."""
    with sqlite3.connect(path) as database:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        database.execute(f"PRAGMA user_version = {version - 1}")
    database.close()
    digits = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return path.rename(path.with_name(f"{path.stem.rpartition('-')[0]}-{digits}.db"))


@pytest.fixture
def older(run_duet, tmp_path):
    """The paths of a fleet's two results; nothing but they says that tasks have ended."""
    (tmp_path / "s.yaml").write_text(SUITE)
    done = run_duet("fleet", "submit", "s.yaml", "--engine", "files", "--instances", 2, "--to",
                    "f", "--runs", 2)
    assert done.returncode == 0, done.stderr
    for task in (1, 2):
        done = run_duet("fleet", "task", "f", task, "--attempt", "1")
        assert done.returncode == 0, done.stderr
    for state in (tmp_path / "f/states").iterdir():
        state.unlink()
    return [make_older(path) for path in (tmp_path / "f/results").glob("*.db")]


def phases(run_duet, *words):
    done = run_duet("fleet", *words, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert not document.get("refused"), document
    return document["phases"]


def test_they_are_read_and_stay(run_duet, older, tmp_path):
    """One that was brought up to date in its place would be one that was changed."""
    before = [path.read_bytes() for path in older]
    for words in (["status", "f"], ["collect", "f"], ["collect", "f"]):
        assert phases(run_duet, *words)["done"] == 2
    assert [path.read_bytes() for path in older] == before
    with sqlite3.connect(tmp_path / "f/results.db") as database:
        assert database.execute("SELECT count(*) FROM experiment").fetchone()[0] == 4
    database.close()


def test_they_stay_where_no_fleet_is_named(run_duet, older, tmp_path):
    (tmp_path / "given").mkdir()
    given = [pathlib.Path(shutil.copy(path, tmp_path / "given")) for path in older]
    done = run_duet("fleet", "collect", "given", "--store", "all.db")
    assert done.returncode == 0 and "4 experiments added" in done.stdout, done
    assert [path.read_bytes() for path in given] == [path.read_bytes() for path in older]
    assert len(list((tmp_path / "given").iterdir())) == 2
