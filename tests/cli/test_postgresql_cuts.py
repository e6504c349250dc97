"""A connection to PostgreSQL that is cut at a COMMIT: whether the server got it or not, the
command goes on, and what it stores is there once."""

import itertools

import pytest

from support.postgres_fixtures import done, server  # noqa: F401
from support.postgres_proxy import Proxy

TIMES = "run,iteration,side,time_ns\n" + "".join(
    f"{run},{i},{side},{1000 + run + i}\n"
    for run in range(4) for i in range(2) for side in ("old", "new"))
DATASET = "instance,trial,iteration,value\n" + "".join(
    f"i{i},t{t},{n},{100 + i + t + n}\n" for i in range(2) for t in range(2) for n in range(3))
URL = object()
COMMANDS = {
    "run": ["run", "true", "true", "-r", 3, "--store", URL],
    "import": ["import", "times.csv", "--store", URL],
    "import --dataset": ["import", "--dataset", "dataset.csv", "--store", URL],
    "baseline": ["baseline", "first", 1, "--store", URL],
    "rm": ["rm", 1, "--store", URL],
    "merge": ["store", "merge", "file.db", "--into", URL],
    "copy": ["store", "copy", "file.db", URL],
}


@pytest.fixture
def template(run_duet, server, tmp_path, name):
    """A database with an experiment; none of them for `copy`, which wants it empty."""
    (tmp_path / "times.csv").write_text(TIMES)
    (tmp_path / "dataset.csv").write_text(DATASET)
    done(run_duet("import", "times.csv", "--store", "file.db"))
    database = server.database()
    done(run_duet("true", "true", "-r", 2, "--store", server.url(database)))
    if name == "copy":
        done(run_duet("rm", 1, "--store", server.url(database)))
    return database


def contents(server, database):
    """How many rows each table has, and how each experiment ended. How many warnings there are
    depends on the times."""
    tables = [name for name, in server.sql(
        database, "SELECT tablename FROM pg_tables WHERE schemaname = 'duet' AND tablename "
        "<> 'comparison_warning' ORDER BY tablename")]
    return (server.sql(database, " UNION ALL ".join(
        f"SELECT '{table}', count(*) FROM duet.{table}" for table in tables)),
        server.sql(database, "SELECT id, state FROM duet.experiment ORDER BY id"))


def execute(run_duet, server, template, words, cuts, late):
    """What the store holds then, and how many of the connections were cut."""
    database = f"cut_{server.database()}"
    server.psql("postgres", f"CREATE DATABASE {database} TEMPLATE {template}")
    with Proxy(server.socket, cuts, late) as proxy:
        url = f"postgresql://duet@/{database}?host={proxy.folder}"
        done(run_duet(*(url if word is URL else word for word in words)))
    assert "is whole" in done(run_duet("store", "check", server.url(database))).stdout
    return contents(server, database), sum(cut <= proxy.commits for cut in cuts)


@pytest.mark.slow
@pytest.mark.rotating
@pytest.mark.timeout(120)
@pytest.mark.parametrize("late", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_cut_at_a_commit(run_duet, server, template, name, late, tmp_path):
    """At each in turn, and at the one that comes in its place, too. A copy is tried twice."""
    words = COMMANDS[name]
    length = 1 if name == "copy" else 2
    expected, _ = execute(run_duet, server, template, words, (), late)
    for number in itertools.count(1):
        cuts = range(number, number + length)
        found, count = execute(run_duet, server, template, words, cuts, late)
        assert found == expected, number
        if count < length:
            break
    assert number > 1
    assert not list(tmp_path.glob("duet-rescued-*"))
