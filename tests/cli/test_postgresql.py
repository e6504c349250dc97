"""Stores in PostgreSQL: the same answers as from a file, several writers at once, servers
that go away, and what a server must not be asked."""

import json
import os
import pathlib
import re
import sqlite3
import stat
import subprocess
import threading

import pytest

from support import postgres, repository
from support.postgres_fixtures import database, done, server, url  # noqa: F401

TABLES = """metric instance suite_run family experiment side environment environment_load run
    run_side iteration observation comparison comparison_side comparison_warning dataset trial
    watch resumption revision baseline companion acceptance""".split()


SUITE = """name: small
benchmarks:
  - {name: one, old: 'true', new: 'true'}
  - {name: two, old: 'true', new: 'true'}
"""


def contents(path):
    """Every row of every table of a file."""
    with sqlite3.connect(path) as opened:
        return {table: sorted(opened.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
                for table in TABLES}


@pytest.fixture
def filled(run_duet, tmp_path, region_benchmark):
    """A file with something of everything."""
    store = tmp_path / "filled.db"

    def duet(*arguments):
        return done(run_duet(*arguments, "--store", store))

    duet("true", "true", "-r", 3, "-I", 2, "--save-baseline", "first")
    duet("sh -c 'exit 0'", "true", "-r", 2, "-n", "an 'odd' name, \"ä\" \\ \t|")
    duet(region_benchmark, region_benchmark, "-r", 2)
    duet("-L", "n", "1,2", "echo {n}", "true", "-r", 2, "--output", "null")
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE)
    duet("suite", suite, "-r", 2)
    times = tmp_path / "times.csv"
    times.write_text("instance,trial,iteration,value\n" + "".join(
        f"i{i},t{t},{n},{100 + i + t + n}\n"
        for i in range(3) for t in range(2) for n in range(4)))
    duet("import", "--dataset", times)
    return store


# ---- Without a server ----

@pytest.mark.parametrize("secret", [
    "postgresql://me:geheim@host/db", "postgres://me:geheim@/db",
    "postgresql://host/db?password=geheim", "postgresql://host/db?user=me&sslpassword=geheim",
    "postgresql://host/db?pass%77ord=geheim", "POSTGRESQL://me:geheim@host/db",
    "postgresql:/me:geheim@host/db"])
@pytest.mark.parametrize("command", [
    ("run", "true", "true", "--store"), ("list", "--store"), ("store", "check", "--store"),
    ("run", "true", "true", "--store", "none", "-r", 2, "--export-store")])
def test_a_password_in_the_url_is_refused(run_duet, tmp_path, secret, command):
    result = run_duet(*command, secret)
    assert result.returncode == 2
    assert "holds a password" in result.stderr and "PGPASSFILE" in result.stderr
    assert "geheim" not in result.stderr + result.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--export-json", "--export-csv", "--export-junit"])
def test_other_exports_do_not_go_to_a_server(run_duet, tmp_path, option):
    result = run_duet("true", "true", "-r", 2, option, "postgresql://me:geheim@host/db")
    assert result.returncode == 2 and "--export-store" in result.stderr, result
    assert "geheim" not in result.stderr and not list(tmp_path.iterdir())


def test_no_server(run_duet, tmp_path):
    for command in (("run", "true", "true"), ("show",), ("store", "merge", "x.db")):
        result = run_duet(*command, "--store", f"postgresql://me@/db?host={tmp_path}")
        assert result.returncode in (2, 5)
        assert "no connection to PostgreSQL" in result.stderr, result.stderr
    result = run_duet("list", "--store", "postgresql://host:port/db")
    assert result.returncode in (2, 5) and "port" in result.stderr
    assert not list(tmp_path.iterdir())


def test_another_database(run_duet):
    result = run_duet("list", "--store", "mysql://me:geheim@host/db")
    assert result.returncode == 5
    assert "postgresql://HOST/DATABASE" in result.stderr and "geheim" not in result.stderr


@pytest.mark.bare
def test_without_libpq(run_duet, tmp_path):
    (tmp_path / "libpq.so.5").write_text("this is no library")
    result = run_duet("list", "--store", "postgresql:///db",
                      env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert result.returncode == 5
    assert "needs libpq (libpq.so.5)" in result.stderr
    assert "apt-get install libpq5" in result.stderr


def test_a_watch_wants_a_file(run_duet, tmp_path):
    result = run_duet("watch", "true", "--store", "postgresql:///db")
    assert result.returncode == 2 and "duet store merge FILE --into URL" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_study_takes_the_url_apart(run_duet):
    result = run_duet("study", "variability", "postgresql:///db:suite:x")
    assert result.returncode == 2 and "--store URL WHAT" in result.stderr


# ---- Opening ----

def test_an_empty_database(run_duet, url):
    result = run_duet("list", "--store", url)
    assert result.returncode == 2 and "has no tables of duet" in result.stderr


def test_a_newer_schema(run_duet, server, database, url):
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql(database, "INSERT INTO duet.schema_version VALUES(99, 0, 'later')")
    result = run_duet("list", "--store", url)
    assert "version 99" in result.stderr and "newer duet" in result.stderr
    assert result.returncode != 0


@pytest.mark.slow
def test_a_new_version_keeps_rights_and_views(run_duet, server, database, url):
    """Those of the views that it changes, and the views of others that rest on them."""
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql(database, "CREATE ROLE looks_on LOGIN; GRANT USAGE ON SCHEMA duet TO looks_on; "
                          "GRANT SELECT ON ALL TABLES IN SCHEMA duet TO looks_on; "
                          "CREATE VIEW public.ratios AS SELECT ratio FROM duet.pairs; "
                          "DELETE FROM duet.schema_version WHERE version > 13")
    done(run_duet("true", "true", "-r", 2, "--store", url))
    assert server.sql(database, "SELECT max(version) FROM duet.schema_version") != [["13"]]
    for view in ("iterations", "pairs"):
        server.psql(database, f"SELECT count(*) FROM duet.{view}", role="looks_on")
    assert server.sql(database, "SELECT count(*) FROM public.ratios") == \
        server.sql(database, "SELECT count(*) FROM duet.pairs")


def test_libpq_finds_its_own_settings(run_duet, server, database, tmp_path):
    """The service file and PG variables, as for psql."""
    (tmp_path / "services").write_text(
        f"[mine]\nhost={server.socket}\ndbname={database}\nuser={postgres.ROLE}\n")
    environment = {**os.environ, "PGSERVICEFILE": str(tmp_path / "services")}
    done(run_duet("true", "true", "-r", 2, "--store", "postgresql://?service=mine",
                  env=environment))
    environment = {**os.environ, "PGHOST": str(server.socket), "PGUSER": postgres.ROLE,
                   "PGDATABASE": database}
    shown = done(run_duet("show", "--store", "postgres://", env=environment))
    assert "true" in shown.stdout


# ---- Copies ----

@pytest.mark.slow
def test_everything_there_and_back(run_duet, url, filled, tmp_path):
    done(run_duet("store", "copy", filled, url))
    done(run_duet("store", "copy", url, tmp_path / "back.db"))
    before = contents(filled)
    assert contents(tmp_path / "back.db") == before
    for table in ("iteration", "trial", "baseline", "suite_run", "family", "comparison_side"):
        assert before[table], table
    assert "is whole" in done(run_duet("store", "check", url)).stdout
    again = run_duet("store", "copy", filled, url)
    assert again.returncode == 2 and "duet store merge --into" in again.stderr


@pytest.mark.slow
def test_between_servers(run_duet, server, url, filled, tmp_path):
    other = server.url(server.database())
    done(run_duet("store", "copy", filled, url))
    done(run_duet("store", "copy", url, other))
    done(run_duet("store", "copy", other, tmp_path / "back.db"))
    assert contents(tmp_path / "back.db") == contents(filled)


@pytest.mark.slow
def test_between_servers_without_room(run_duet, server, url, filled, tmp_path):
    """What is on its way is a file in the folder for what does not last."""
    done(run_duet("store", "copy", filled, url))
    other = server.url(server.database())
    gone = {**os.environ, "TMPDIR": str(tmp_path / "gone")}
    result = run_duet("store", "copy", url, other, env=gone)
    assert result.returncode == 5, result.stderr
    assert str(tmp_path / "gone") in result.stderr
    done(run_duet("store", "copy", url, other))


def test_what_is_fetched_is_closed_to_others(run_duet, start_duet, server, database, url,
                                             tmp_path, wait_until):
    """SQLite would take a log that somebody put beside the file."""
    done(run_duet("true", "true", "-r", 2, "--store", url))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with server.locked(database, "duet.iteration"):
        process = start_duet("store", "merge", url, "--into", "back.db",
                             env={**os.environ, "TMPDIR": str(scratch)})
        wait_until(lambda: list(scratch.glob("duet-copy-*")))
        for made in scratch.iterdir():
            assert made.is_dir() and stat.S_IMODE(made.stat().st_mode) == 0o700, made
    _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert not list(scratch.iterdir())


@pytest.mark.slow
def test_merge_both_ways(run_duet, url, filled, tmp_path):
    count = len(contents(filled)["experiment"])
    done(run_duet("true", "true", "-r", 2, "--store", url))
    merged = done(run_duet("store", "merge", filled, "--into", url))
    assert "added" in merged.stdout
    again = done(run_duet("store", "merge", filled, "--into", url))
    assert ": 0 experiments added" in again.stdout
    done(run_duet("store", "merge", url, "--into", tmp_path / "back.db"))
    back = contents(tmp_path / "back.db")
    assert len(back["experiment"]) == count + 1
    before = contents(filled)
    for table in ("run", "iteration", "trial", "comparison", "environment_load"):
        assert len(back[table]) >= len(before[table]), table
    assert len(back["iteration"]) == len(before["iteration"]) + 4
    assert [row[-2:] for row in back["trial"]] == [row[-2:] for row in before["trial"]]
    assert "is whole" in done(run_duet("store", "check", tmp_path / "back.db")).stdout
    assert "is whole" in done(run_duet("store", "check", url)).stdout


def test_merge_into_itself(run_duet, url):
    done(run_duet("true", "true", "-r", 2, "--store", url))
    result = run_duet("store", "merge", url, "--into", url)
    assert result.returncode != 0 and "into itself" in result.stderr


def test_bytes_that_are_no_utf8(run_duet, server, database, url, tmp_path):
    """PostgreSQL takes none; they come back as they were."""
    odd = b"echo \xff\xc3\xa4 \xf4\x8f\xbe\x80".decode("utf-8", "surrogateescape")
    done(run_duet(odd, odd, "-r", 2, "--store", url))
    done(run_duet("store", "copy", url, tmp_path / "back.db"))
    with sqlite3.connect(tmp_path / "back.db") as opened:
        opened.text_factory = bytes
        (command,), = opened.execute("SELECT command FROM side WHERE side = 0")
    assert command == b"echo \xff\xc3\xa4 \xf4\x8f\xbe\x80"
    assert server.sql(database, "SELECT count(*) FROM duet.side") == [["2"]]


# ---- The same answers ----

def measured_json(run_duet, store, *words):
    document = json.loads(done(run_duet("show", *words, "--store", store, "--export-json",
                                        "-")).stdout)
    return document["comparisons"], document["experiments"], document["results"]


@pytest.mark.rotating(3)
@pytest.mark.slow
def test_the_same_answers_as_from_a_file(run_duet, url, filled, tmp_path):
    done(run_duet("store", "copy", filled, url))
    ids = [str(row[0]) for row in contents(filled)["experiment"]]
    for command in (["list"], ["list", "--limit", "2", "-v"], ["show", "last"],
                    ["show", "1", "-v"], ["show", ids[0], ids[1]], ["compare", "1", "2"],
                    ["baseline"], ["show", "1", "--export-csv", "-"], ["gate", "1"],
                    ["study", "variability", "suite:small"], ["show", "no such name"]):
        there = run_duet(*command, "--store", url)
        here = run_duet(*command, "--store", filled)
        assert here.returncode == (2 if "no such name" in command else 0), here.stderr
        assert there.returncode == here.returncode, (command, there.stderr)
        assert there.stdout.replace(url, "STORE") == here.stdout.replace(str(filled), "STORE")
    for number in ids:
        here = run_duet("show", number, "--store", filled, "--export-json", "-")
        if here.returncode == 0:
            assert measured_json(run_duet, url, number) == \
                measured_json(run_duet, filled, number)
    report = tmp_path / "report.html"
    done(run_duet("report", "1", "--store", url, "-o", report))
    assert report.stat().st_size > 10000
    done(run_duet("show", "1", "--store", url, "--export-store", tmp_path / "one.db"))
    assert len(contents(tmp_path / "one.db")["experiment"]) >= 1
    assert "is whole" in done(run_duet("store", "check", tmp_path / "one.db")).stdout
    done(run_duet("true", "true", "-r", 2, "--store", tmp_path / "new.db", "--export-store", url))
    assert contents(tmp_path / "new.db")["experiment"][0][1][:8] in \
        done(run_duet("list", "--store", url)).stdout


def test_run_and_show(run_duet, server, database, url):
    ran = done(run_duet("true", "true", "-r", 3, "-I", 2, "--store", url))
    shown = done(run_duet("show", "--store", url))
    assert ran.stdout.splitlines()[0] in shown.stdout.splitlines()
    assert "imported" not in shown.stdout
    assert server.sql(database, "SELECT state, runs FROM duet.experiments") == [["done", "3"]]
    assert server.sql(database, "SELECT count(*) FROM duet.iterations") == [["12"]]
    assert server.sql(database, "SELECT count(*) FROM duet.comparisons") == [["1"]]


@pytest.mark.slow
def test_commits(run_duet, url, tmp_path):
    """What was compared of a repository: its history and its log."""
    folder = tmp_path / "repository"
    folder.mkdir()
    repository.make_two_commits(folder)
    done(run_duet("git", "HEAD~1", "HEAD", "-r", 2, "--store", url, "--", "cat text",
                  cwd=folder))
    for command in (["history"], ["log"]):
        shown = done(run_duet(*command, "--store", url, cwd=folder))
        copy = tmp_path / f"{command[0]}.db"
        done(run_duet("store", "copy", url, copy))
        here = done(run_duet(*command, "--store", copy, cwd=folder))
        assert shown.stdout == here.stdout and shown.stdout


@pytest.mark.slow
def test_a_fleet_collects_into_it(run_duet, server, database, url, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE)
    for number in (1, 2):
        done(run_duet("suite", suite, "-r", 2, "--store", tmp_path / f"{number}.db"))
    collected = run_duet("fleet", "collect", tmp_path / "1.db", tmp_path / "2.db", "--store",
                         url)
    assert collected.returncode in (0, 3), collected.stderr
    assert server.sql(database, "SELECT count(*), count(DISTINCT suite_run_id) FROM "
                      "duet.experiment") == [["4", "2"]]
    assert server.sql(database, "SELECT count(*) FROM duet.instance") == [["1"]]
    assert "is whole: 4 experiments" in done(run_duet("store", "check", url)).stdout


@pytest.mark.slow
def test_views_are_those_of_a_file(run_duet, server, database, url, filled):
    done(run_duet("store", "copy", filled, url))
    with sqlite3.connect(filled) as opened:
        for view in ("experiments", "comparisons", "benchmarks", "runs", "iterations", "pairs",
                     "observations"):
            here = opened.execute(f"SELECT * FROM {view} LIMIT 0").description
            there = server.sql(database, f"SELECT column_name FROM information_schema.columns "
                               f"WHERE table_schema = 'duet' AND table_name = '{view}' "
                               f"ORDER BY ordinal_position")
            assert [column[0] for column in here] == [name for name, in there], view
            (count,), = opened.execute(f"SELECT count(*) FROM {view}")
            assert server.sql(database, f"SELECT count(*) FROM duet.{view}") == [[str(count)]]
        (total,), = opened.execute("SELECT sum(value) FROM observations")
        (started,), = opened.execute("SELECT min(started_utc) FROM experiments")
    assert float(server.sql(database, "SELECT sum(value) FROM duet.observations")[0][0]) == \
        pytest.approx(total)
    assert server.sql(database, "SELECT min(started_utc) FROM duet.experiments") == [[started]]


# ---- What changes a store ----

@pytest.mark.slow
def test_suite_baseline_rm_prune(run_duet, server, database, url, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE)
    done(run_duet("suite", suite, "-r", 2, "--store", url))
    done(run_duet("suite", suite, "-r", 2, "--store", url, "--resume"))
    assert server.sql(database, "SELECT state FROM duet.suite_run") == [["done"]]
    assert server.sql(database, "SELECT count(*) FROM duet.experiment") == [["2"]]
    done(run_duet("true", "true", "-r", 2, "--store", url, "--save-baseline", "b"))
    assert "b" in done(run_duet("baseline", "--store", url)).stdout
    done(run_duet("true", "true", "-r", 2, "--store", url, "--baseline", "b"))
    done(run_duet("rm", "1", "--store", url))
    assert server.sql(database, "SELECT id FROM duet.experiment ORDER BY id") == \
        [["2"], ["3"], ["4"]]
    done(run_duet("prune", "--older", "1ms", "--store", url))
    assert server.sql(database, "SELECT id FROM duet.experiment") == [["3"]]
    left = server.sql(database, "SELECT count(*) FROM duet.iteration WHERE run_id NOT IN "
                      "(SELECT id FROM duet.run)")
    assert left == [["0"]]
    assert "is whole" in done(run_duet("store", "check", url)).stdout
    done(run_duet("true", "true", "-r", 2, "--store", url))
    assert server.sql(database, "SELECT max(id) FROM duet.experiment") == [["5"]]


@pytest.mark.slow
def test_resume(run_duet, start_duet, server, database, url, wait_until, tmp_path):
    slow = "sh -c '[ -e go ] || sleep 0.2'"
    process = start_duet(slow, slow, "-r", 60, "-I", 1, "--store", url)
    wait_until(lambda: server.psql(database, "SELECT 1 FROM duet.run", check=False).stdout)
    busy = run_duet("rm", "1", "--store", url)
    assert busy.returncode == 2 and "being measured" in busy.stderr
    process.send_signal(2)
    process.wait(20)
    assert server.sql(database, "SELECT state FROM duet.experiment") == [["interrupted"]]
    (tmp_path / "go").touch()
    done(run_duet("--resume", "--store", url))
    assert server.sql(database, "SELECT state, runs FROM duet.experiments") == [["done", "60"]]


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_eight_at_once(run_duet, server, database, url):
    """Into a database that has no tables yet."""
    results = []
    threads = [threading.Thread(target=lambda: results.append(run_duet(
        "true", "true", "-r", 5, "-I", 3, "--store", url, timeout=120))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        done(result)
    rows = server.sql(database, "SELECT id FROM duet.experiment WHERE state = 'done' "
                      "ORDER BY id")
    assert rows == [[str(number)] for number in range(1, 9)]
    assert server.sql(database, "SELECT count(*) FROM duet.run") == [["40"]]
    assert server.sql(database, "SELECT count(*) FROM duet.iteration") == [["240"]]
    assert server.sql(database, "SELECT count(*) FROM duet.instance") == [["1"]]
    assert "is whole: 8 experiments" in done(run_duet("store", "check", url)).stdout


# ---- A server that goes away ----

@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("how", [2, 3])
def test_a_restart_in_the_middle(run_duet, start_duet, wait_until, how, tmp_path):
    with postgres.Server(fsync="on") as server:
        database = server.database()
        url = server.url(database)
        process = start_duet("sleep 0.1", "sleep 0.1", "-r", 20, "-I", 1, "--store", url)
        wait_until(lambda: server.psql(database, "SELECT 1 FROM duet.run",
                                       check=False).stdout)
        server.restart(how)
        assert process.wait(60) == 0
        assert server.sql(database, "SELECT state, runs FROM duet.experiments") == \
            [["done", "20"]]
        assert "is whole" in done(run_duet("store", "check", url)).stdout
    assert not list(tmp_path.glob("*.db"))


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_server_that_stays_away(run_duet, start_duet, wait_until, tmp_path):
    """What was measured is in a file, which is merged when the server is back."""
    with postgres.Server(fsync="on") as server:
        database = server.database()
        url = server.url(database)
        process = start_duet("sleep 0.1", "sleep 0.1", "-r", 60, "-I", 1, "--store", url)
        wait_until(lambda: server.psql(database, "SELECT 1 FROM duet.run",
                                       check=False).stdout)
        server.stop()
        assert process.wait(90) != 0
        rescued, = tmp_path.glob("duet-rescued-*.db")
        server.start()
        done(run_duet("store", "merge", rescued, "--into", url))
        assert server.sql(database, "SELECT count(*), count(DISTINCT uuid) FROM duet.run") == \
            [["60", "60"]]
        assert server.sql(database, "SELECT state FROM duet.experiment") != [["running"]]
        assert "is whole" in done(run_duet("store", "check", url)).stdout


# ---- Rights ----

WRITER = """CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA duet TO writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA duet TO writer;"""
READER = """CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA duet TO reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA duet TO reader;"""


@pytest.mark.slow
def test_roles_with_few_rights(run_duet, server, database, url, filled, tmp_path):
    """Those that the document gives."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/postgresql.md").read_text()
    flat = re.sub(r"\s+", " ", page)
    for statements in (WRITER, READER):
        for statement in statements.split(";")[1:-1]:
            assert re.sub(r"\s+", " ", statement).strip() in flat, statement
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql(database, WRITER + READER)
    writer, reader = server.url(database, "writer"), server.url(database, "reader")
    done(run_duet("true", "true", "-r", 2, "--store", writer))
    done(run_duet("store", "merge", filled, "--into", writer))
    done(run_duet("rm", "1", "--store", writer))
    for command in (["list"], ["show", "2"], ["store", "check"], ["baseline"]):
        done(run_duet(*command, "--store", reader))
    done(run_duet("store", "copy", reader, tmp_path / "copy.db"))
    # Answers of another version are computed anew, which cannot be kept.
    server.psql(database, "UPDATE duet.comparison SET duet_version = '0.0.1', verdict = 'slower'")
    listed = done(run_duet("list", "--store", reader)).stdout
    assert "slower" not in listed
    assert listed == done(run_duet("list", "--store", url)).stdout
    for command in (["true", "true", "-r", "2"], ["rm", "2"],
                    ["baseline", "x", "2"]):
        refused = run_duet(*command, "--store", reader)
        assert refused.returncode != 0
        assert "the role 'reader' may not do that" in refused.stderr, refused.stderr
    assert not list(tmp_path.glob("duet-rescued*"))
    server.psql("postgres", "CREATE ROLE nobody_here LOGIN")
    empty = server.database()
    refused = run_duet("true", "true", "--store", server.url(empty, "nobody_here"))
    assert refused.returncode != 0 and "may not do that" in refused.stderr


@pytest.mark.slow
def test_what_a_server_refuses(run_duet, server, database, url, tmp_path):
    """Each is said, and leaves no file behind."""
    server.psql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    refused = run_duet("true", "true", "--store", server.url("latin"))
    assert refused.returncode == 5 and "createdb -E UTF8" in refused.stderr
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql("postgres", f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    for command in (["true", "true", "-r", "2"], ["rm", "1"]):
        refused = run_duet(*command, "--store", url)
        assert refused.returncode != 0 and "is read-only" in refused.stderr, refused.stderr
    done(run_duet("show", "1", "--store", url))
    server.psql("postgres", f"ALTER DATABASE {database} RESET default_transaction_read_only")
    server.psql(database, "DELETE FROM duet.counter WHERE name = 'experiment'")
    refused = run_duet("true", "true", "-r", 2, "--store", url)
    assert refused.returncode != 0 and "duet.counter has no row 'experiment'" in refused.stderr
    assert not list(tmp_path.glob("*.db"))


@pytest.mark.slow
def test_deleted_while_it_is_measured(run_duet, start_duet, server, database, url, wait_until,
                                      tmp_path):
    process = start_duet("sleep 0.1", "sleep 0.1", "-r", 60, "-I", 1, "--store", url)
    wait_until(lambda: server.psql(database, "SELECT 1 FROM duet.run", check=False).stdout)
    server.psql(database, "DELETE FROM duet.experiment")
    assert process.wait(60) != 0
    rescued, = tmp_path.glob("duet-rescued-*.db")
    assert "is whole: 1 experiment" in done(run_duet("store", "check", rescued)).stdout


# ---- Only its own rows ----

@pytest.mark.slow
@pytest.mark.timeout(180)
def test_one_among_ten_thousand(run_duet, server, database, url):
    """By indexes: the server says how it found them."""
    done(run_duet("true", "true", "-r", 5, "-I", 4, "--store", url))
    server.psql(database, """
        SET search_path = duet;
        INSERT INTO experiment SELECT n + 1, md5('e' || n), 'x' || n, NULL, schedule, state,
            message, started_utc_ms, ended_utc_ms, seed, warmup, plan, duet_version, NULL, NULL,
            analysis, NULL, NULL, NULL, NULL, NULL
            FROM experiment, generate_series(1, 10000) AS n WHERE id = 1;
        INSERT INTO side SELECT n + 1, side, name, command, argv FROM side,
            generate_series(1, 10000) AS n WHERE experiment_id = 1;
        INSERT INTO environment(id, experiment_id, instance_id) SELECT 1000000 + n, n + 1,
            instance_id FROM environment, generate_series(1, 10000) AS n
            WHERE experiment_id = 1;
        INSERT INTO run SELECT 1000000 + n, md5('r' || n), n + 1, 1000000 + n, 0, 0, schedule,
            mode, 0, 0, 1, 0, 0 FROM run, generate_series(1, 10000) AS n
            WHERE experiment_id = 1 AND idx = 0;
        INSERT INTO run_side SELECT 1000000 + n, side, position, cpu, pid, exit_status,
            peak_memory_bytes, 4, 0 FROM run_side, generate_series(1, 10000) AS n
            WHERE run_id = (SELECT id FROM run WHERE experiment_id = 1 AND idx = 0);
        INSERT INTO iteration SELECT 1000000 + n, side, idx, filler, start_ns, end_ns, cpu_ns,
            user_ns, system_ns, voluntary_switches, involuntary_switches, minor_faults,
            major_faults, cpu, flags, exit_status, taken_ns, operations
            FROM iteration, generate_series(1, 10000) AS n
            WHERE run_id = (SELECT id FROM run WHERE experiment_id = 1 AND idx = 0);
        ANALYZE""")
    before = server.log.stat().st_size
    explained = ("-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0"
                 " -c auto_explain.log_analyze=on -c auto_explain.log_timing=off")
    for which in ("5000", "x4999"):
        done(run_duet("show", which, "--store", url,
                      env={**os.environ, "PGOPTIONS": explained}))
    with server.log.open() as log:
        log.seek(before)
        plans = log.read()
    for table in ("experiment", "run", "iteration", "side", "environment", "run_side"):
        assert re.search(rf"using \w+ on {table}\b", plans), table
        assert not re.search(rf"Seq Scan on {table}\b", plans), table
    read = [int(rows) for rows in
            re.findall(r"(?:Index|Bitmap Heap) .*?(?:on|using) .*?rows=\d+ width=\d+\) "
                       r"\(actual rows=(\d+)", plans)]
    assert read and max(read) <= 40


@pytest.mark.slow
def test_a_large_copy(run_duet, server, database, url, tmp_path):
    """COPY, and back, of some ten thousand iterations."""
    store = tmp_path / "large.db"
    done(run_duet("true", "true", "-r", 2, "-I", 1, "--store", store))
    with sqlite3.connect(store) as opened:
        opened.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
            "INSERT INTO iteration SELECT run_id, side, i, filler, start_ns + i, end_ns + 2 * i, "
            "cpu_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, minor_faults, "
            "major_faults, cpu, flags, exit_status, taken_ns, operations FROM iteration, n "
            "WHERE filler = 0")
    opened.close()
    done(run_duet("store", "copy", store, url))
    done(run_duet("store", "copy", url, tmp_path / "back.db"))
    assert contents(tmp_path / "back.db") == contents(store)
    assert int(server.sql(database, "SELECT count(*) FROM duet.iteration")[0][0]) > 80000
