"""Shared by the tests of the command line."""

import fcntl
import json
import os
import pathlib
import pty
import select
import sqlite3
import struct
import subprocess
import termios
import time

import jsonschema
import pytest

from support.pictures import illegible

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def validate():
    """Checks a document against the published schema."""
    schema = json.loads((ROOT / "docs/schema/duet-1.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    def check(document):
        errors = [f"{error.json_path}: {error.message}"
                  for error in validator.iter_errors(document)]
        assert not errors, errors[:5]

    return check


@pytest.fixture(autouse=True)
def pictures_are_legible(request):
    """Every picture that a test had drawn can be read at 400 pixels."""
    yield
    folder = request.node.funcargs.get("tmp_path")
    for path in folder.glob("**/*.svg") if folder else []:
        problem = illegible(path.read_text(encoding="utf-8"))
        assert problem is None, f"{path.name}: {problem}"


@pytest.fixture
def old_store(tmp_path):
    """Makes .duet/results.db a store of an earlier schema; what was answered then, by
    experiment."""

    def restore(version):
        (tmp_path / ".duet").mkdir()
        sql = pathlib.Path(__file__).parent / "stores" / f"version_{version}.sql"
        with sqlite3.connect(tmp_path / ".duet/results.db") as database:
            database.executescript(sql.read_text())
            database.execute("PRAGMA application_id = 1685415284")
            database.execute(f"PRAGMA user_version = {version}")
            rows = database.execute("SELECT experiment_id, verdict, ratio, low, high"
                                    " FROM comparison").fetchall()
        database.close()
        return {row[0]: row[1:] for row in rows}

    return restore


@pytest.fixture
def on_terminal(duet, tmp_path):
    """Runs duet with all its streams on a pseudo-terminal; (exit status, output)."""

    def run(*arguments, columns=100, environment=None, cwd=tmp_path):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        env = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8",
               **(environment or {})}
        if "NO_COLOR" not in (environment or {}):
            env.pop("NO_COLOR", None)
        process = subprocess.Popen([*duet, *map(str, arguments)], stdin=theirs,
                                   stdout=theirs, stderr=theirs, cwd=cwd, env=env)
        os.close(theirs)
        output = b""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            readable, _, _ = select.select([ours], [], [], 0.5)
            if readable:
                try:
                    output += os.read(ours, 65536)
                except OSError:
                    break  # the last writer is gone
        os.close(ours)
        return process.wait(10), output.decode()

    return run


@pytest.fixture
def write_suite(tmp_path):
    """Writes s.yaml; its name."""

    def write(text, name="s.yaml"):
        (tmp_path / name).write_text(text)
        return name

    return write
