"""A store in PostgreSQL while libpq fails: the n-th call of each function, and a connection
that is cut before the n-th call. Each command succeeds, or says what was wrong; what was in
the store stays there whole, and what was measured is there or in a file."""

import os
import pathlib
import random
import re
import shutil
import sqlite3
import struct
import subprocess

import pytest

from support import postgres

pytestmark = pytest.mark.bare  # what is preloaded would be beside Valgrind, too

LIMIT_S = 90
CALLS = ["connection", "PQconnectdbParams", "PQexec", "PQexecParams", "PQgetResult",
         "PQputCopyData", "PQputCopyEnd", "PQgetCopyData"]
STATUSES = {0, 2, 4, 5}
SCENARIOS = {
    "run": ["run", "true", "true", "-r", "2"],
    "show": ["show", "1"],
    "list": ["list"],
    "import": ["import", "times.csv"],
    "prune": ["prune", "--older", "0d"],
    "gate": ["gate", "1", "--fail-on", "slower"],
    "check": ["store", "check"],
}
TIMES = "run,iteration,side,time_ns\n" + "".join(
    f"{run},{i},{side},{1000 + run + i}\n"
    for run in range(8) for i in range(2) for side in ("old", "new"))


class Faults:
    """A server with a store as a template, and commands that fail beside it."""

    def __init__(self, duet, library, server, folder):
        self.duet, self.library, self.server, self.folder = duet, library, server, folder
        self.template = server.database()
        self.numbers = iter(range(1, 1 << 30))
        self.call(["run", "true", "true", "-r", "2", "--save-baseline", "first"],
                  server.url(self.template), folder)

    def call(self, words, url, folder, **environment):
        return subprocess.run([*self.duet, *words, "--store", url], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=LIMIT_S, env={**os.environ, **environment})

    def fail(self, name, call, nth, on=False):
        """How often the function was called, and what is wrong (an empty list: nothing)."""
        folder = self.folder / str(next(self.numbers))
        folder.mkdir()
        (folder / "times.csv").write_text(TIMES)
        counts = self.folder / "counts"
        counts.write_bytes(bytes(16))
        database = f"{self.template}_{folder.name}"
        self.server.psql("postgres", f"CREATE DATABASE {database} TEMPLATE {self.template}")
        url = self.server.url(database)
        done = self.call(SCENARIOS[name], url, folder, LD_PRELOAD=str(self.library),
                         FAULT_PROGRAM="duet", FAULT_CLASS=call, FAULT_CODE="0",
                         FAULT_NTH=str(nth), FAULT_COUNTS=str(counts),
                         **({"FAULT_ON": "1"} if on else {}))
        seen, _ = struct.unpack("QQ", counts.read_bytes())
        wrong = [*self.judge(name, done, folder), *self.look(name, done, url, folder)]
        self.server.psql("postgres", f"DROP DATABASE {database} WITH (FORCE)")
        shutil.rmtree(folder)
        return seen, [f"{name}, {call} {nth}{'+' if on else ''}: {one}: {done.returncode}: "
                      f"{done.stderr[-600:]!r}" for one in wrong]

    @staticmethod
    def judge(name, done, folder):
        if done.returncode not in STATUSES:
            yield "exit status"
        if done.returncode != 0 and not re.search(r": .*\w", done.stderr):
            yield "no word"
        if "internal error" in done.stderr:
            yield "report"
        left = {path.name for path in folder.iterdir()} - {"times.csv"}
        if any(not path.startswith("duet-rescued-") for path in left):
            yield "file left"
        if left and not all(path in done.stderr for path in left):
            yield "rescued without a word"

    def look(self, name, done, url, folder):
        """What became of the store."""
        checked = self.call(["store", "check"], url, folder)
        if checked.returncode != 0:
            yield f"store broken: {checked.stderr}"
        rows = self.server.sql(url.split("/")[3].split("?")[0],
                               "SELECT id, state, (SELECT count(*) FROM duet.run r "
                               "WHERE r.experiment_id = e.id) FROM duet.experiment e ORDER BY id")
        if name != "prune" and rows[:1] != [["1", "done", "2"]]:
            yield f"the first experiment is {rows[:1]}"
        if name == "prune" and rows and rows[0] != ["1", "done", "2"]:
            yield f"half removed: {rows}"
        more = sum(int(runs) for _, _, runs in rows[1:])
        for path in folder.glob("duet-rescued-*.db"):
            with sqlite3.connect(path) as opened:
                more += opened.execute("SELECT count(*) FROM run").fetchone()[0]
        wanted = {"run": 2, "import": 8}.get(name, 0)
        if done.returncode == 0 and more != wanted:
            yield f"{more} runs in place of {wanted}"
        if name == "run" and done.stdout.strip() and more != wanted:
            yield f"measured and lost: {done.stdout}"


@pytest.fixture(scope="module")
def faults(duet, built_program, tmp_path_factory):
    if postgres.programs() is None:
        pytest.skip("PostgreSQL's server is not installed")
    with postgres.Server() as server:
        yield Faults(duet, pathlib.Path(built_program("liblibpq_faults.so")), server,
                     tmp_path_factory.mktemp("pq"))


def calls_of(faults, name, call):
    seen, wrong = faults.fail(name, call, 1 << 40)
    assert not wrong, wrong
    return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_some_calls_fail(faults, name):
    """Which ones changes with the seed; what is wrong says how to have it again."""
    seed = int(os.environ.get("DUET_TEST_SEED", random.randrange(1000)))
    chance = random.Random(seed)
    for call in chance.sample(CALLS, 2):
        count = calls_of(faults, name, call)
        if count > 0:
            _, wrong = faults.fail(name, call, chance.randint(1, count))
            assert not wrong, (seed, wrong)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_call_fails(faults, name):
    tried = 0
    found = []
    for call in CALLS:
        for nth in range(1, calls_of(faults, name, call) + 1):
            found += faults.fail(name, call, nth)[1]
            tried += 1
    print(f"{name}: {tried} faults, {len(found)} wrong")
    assert tried > 0 and not found, found


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("call", CALLS)
def test_all_behind_it_fail(faults, call):
    """The server does not come back."""
    count = calls_of(faults, "run", call)
    found = []
    for nth in {1, 2, count // 2, count - 1, count} & set(range(1, count + 1)):
        found += faults.fail("run", call, nth, on=True)[1]
    assert not found, found
