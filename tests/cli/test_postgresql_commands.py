"""Commands that read stores in PostgreSQL, or search with them: the same answers as from a
file, and not a question for each experiment."""

import os
import sqlite3

import pytest

from support import postgres, repository
from support.postgres_fixtures import database, done, server, url  # noqa: F401


@pytest.mark.slow
@pytest.mark.timeout(150)
def test_every_command_that_reads(run_duet, url, tmp_path):
    """Histories, gates, plans, pages and pairs of files, as from a copy of the store."""
    folder = tmp_path / "repository"
    folder.mkdir()
    repository.make_two_commits(folder)
    for number in (1, 2):
        (tmp_path / f"{number}.txt").write_text("".join(
            f"BenchmarkA-2 1000 {100 * number + i} ns/op\nPASS\n" for i in range(10)))
    (tmp_path / "many.csv").write_text("instance,trial,iteration,value\n" + "".join(
        f"i{i},t{t},{n},{100 + i % 3 + t % 2 + n / 10}\n"
        for i in range(8) for t in range(4) for n in range(4)))
    done(run_duet("git", "HEAD~1", "HEAD", "-r", 4, "--store", url, "--", "cat text",
                  cwd=folder))
    done(run_duet("aa", "true", "--until", "runs=16", "--store", url))
    pair = done(run_duet("import", tmp_path / "1.txt", tmp_path / "2.txt", "--store", url))
    assert "experiment 3 (" in pair.stdout
    done(run_duet("import", "--dataset", tmp_path / "many.csv", "--store", url))
    copy = tmp_path / "copy.db"
    done(run_duet("store", "copy", url, copy))
    for command in (["list"], ["history"], ["log"], ["compare", "1", "2"], ["show", "3"],
                    ["gate", "3", "--fail-on", "slower"], ["gate", "1", "--max-slowdown", "900%"],
                    ["plan", "1"], ["plan", "--like", "4", "--effect", "20%"], ["baseline"],
                    ["study", "variability", "4"],
                    ["report", "1", "3", "-o", "page.html"], ["report", "--site", "site"]):
        there = run_duet(*command, "--store", url, cwd=folder)
        here = run_duet(*command, "--store", copy, cwd=folder)
        # What to type next names the store, a URL between quotes.
        assert (there.returncode, there.stdout.replace(f"'{url}'", "").replace(url, "")) == \
            (here.returncode, here.stdout.replace(str(copy), "")), (command, there.stderr)
        assert there.returncode == (1 if "slower" in command else 0), (command, there.stderr)
    assert "is whole" in done(run_duet("store", "check", url)).stdout


@pytest.mark.rotating(2)
@pytest.mark.slow
def test_a_suite_and_what_is_judged_of_it(run_duet, url, tmp_path):
    """All of it by the gate, and by a baseline what was measured since."""
    (tmp_path / "s.yaml").write_text("defaults: {runs: 8}\nbenchmarks:\n" + "".join(
        f"  - {{name: {name}, old: sleep 0.002, new: sleep {new}}}\n"
        for name, new in (("worse", 0.05), ("fine", 0.002))))
    words = ("suite", "s.yaml", "--seed", 1, "--store", url)
    done(run_duet(*words, "--save-baseline", "main"))
    done(run_duet(*words, "--only", "worse"))
    done(run_duet("--skip-identical", "--name", "worse", "true", "true", "--store", url))
    done(run_duet(*words))
    copy = tmp_path / "copy.db"
    done(run_duet("store", "copy", url, copy))
    for command, words in ((["gate"], "worse is slower"), (["gate", "--self-test"], "self-test"),
                           (["compare", "--baseline", "main"], "")):
        there, here = (run_duet(*command, "--store", store) for store in (url, copy))
        assert (there.returncode, there.stdout, there.stderr) == (
            here.returncode, here.stdout, here.stderr), command
        assert words in there.stderr
        assert (command[0] == "compare") == ("worse against baseline main" in there.stdout)


def test_names_that_are_no_utf8(run_duet, url):
    odd, other = "\udcffodd", "\udcfeodd"
    done(run_duet("true", "true", "-r", 2, "-n", odd, "--save-baseline", odd, "--store", url))
    assert "true" in done(run_duet("show", odd, "--store", url)).stdout
    for words, told in ((("show", other), "has no experiment"),
                        (("baseline", "-d", other), "no baseline")):
        result = run_duet(*words, "--store", url)
        assert result.returncode == 2 and told in result.stderr, result
    done(run_duet("baseline", "-d", odd, "--store", url))


@pytest.mark.rotating(7)
@pytest.mark.slow
@pytest.mark.timeout(150)
def test_bisect(run_duet, url, tmp_path):
    """Every comparison of the search is on the server, and the next search knows them."""
    folder = tmp_path / "r"
    folder.mkdir()
    repository.git(folder, "init", "-q", "-b", "main")
    for number, loops in enumerate((1000, 1000, 40000, 40000)):
        (folder / "b").write_text(
            f"i=0; while [ $i -lt {loops} ]; do i=$((i+1)); done\n# {number}\n")
        repository.git(folder, "add", "b")
        repository.git(folder, "commit", "-q", "-m", f"step {number}")
    words = ("bisect", "HEAD~3", "HEAD", "--effect", "100%", "--store", url, "--", "sh ./b")
    found = done(run_duet(*words, cwd=folder, timeout=100))
    assert "first slow commit" in found.stdout and "step 2" in found.stdout
    listed = done(run_duet("list", "--store", url)).stdout
    assert listed.count("slower") >= 2
    again = done(run_duet(*words, cwd=folder, timeout=100))
    assert "step 2" in again.stdout


@pytest.mark.slow
def test_a_list_without_stored_answers(run_duet, server, database, url):
    """Rows of many experiments come at once, and so do the answers that are kept: the server
    hears of some statements, not of some for each experiment."""
    done(run_duet("true", "true", "-r", 2, "--store", url))
    columns = {table: [name for name, in server.sql(
        database, "SELECT column_name FROM information_schema.columns WHERE table_schema = "
        f"'duet' AND table_name = '{table}' ORDER BY ordinal_position")]
        for table in ("experiment", "side", "environment", "run", "run_side", "iteration")}
    changes = {
        "experiment": {"id": "n + 1", "uuid": "md5('e' || n)"},
        "side": {"experiment_id": "n + 1"},
        "environment": {"id": "n + 1000", "experiment_id": "n + 1"},
        "run": {"id": "t.id + n * 1000", "uuid": "md5(n || 'r' || t.id)",
                "experiment_id": "n + 1", "environment_id": "n + 1000"},
        "run_side": {"run_id": "t.run_id + n * 1000"},
        "iteration": {"run_id": "t.run_id + n * 1000"}}
    for table, change in changes.items():
        values = ", ".join(change.get(name, f"t.{name}") for name in columns[table])
        server.psql(database, f"INSERT INTO duet.{table} SELECT {values} FROM duet.{table} AS t, "
                              "generate_series(1, 39) AS n")
    stored = server.sql(database, "SELECT verdict FROM duet.comparison")
    server.psql(database, "DELETE FROM duet.comparison")
    server.psql(database, "CREATE ROLE only_reads LOGIN; GRANT USAGE ON SCHEMA duet TO "
                          "only_reads; GRANT SELECT ON ALL TABLES IN SCHEMA duet TO only_reads")
    as_reader = done(run_duet("list", "--store", server.url(database, "only_reads")))
    assert server.sql(database, "SELECT count(*) FROM duet.comparison") == [["0"]]
    before = server.log.stat().st_size
    listed = done(run_duet("list", "--store", url, env={
        **os.environ, "PGOPTIONS": "-c log_statement=all"}))
    with server.log.open() as log:
        log.seek(before)
        statements = [line for line in log if "statement:" in line or "execute" in line]
    assert len(statements) < 60, len(statements)
    assert listed.stdout == as_reader.stdout and len(listed.stdout.splitlines()) == 41
    assert server.sql(database, "SELECT verdict, count(*) FROM duet.comparison GROUP BY "
                      "verdict") == [[stored[0][0], "40"]]
    assert done(run_duet("list", "--store", url)).stdout == listed.stdout


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("tasks, runs, commands", [
    pytest.param(12, 2, ["true", "sh -c true"], marks=pytest.mark.timeout(180)),
    pytest.param(50, 10, [f"{{duet}} workload {name} --operations 200" for name in
                          ("integer", "float", "cache", "memory")],
                 marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
def test_a_fleet_is_collected_while_the_server_restarts(tasks, runs, commands, duet,
                                                        run_duet, start_duet, wait_until,
                                                        tmp_path):
    """The table is the union of what ran: nothing is lost, and nothing counts twice."""
    (tmp_path / "s.yaml").write_text(
        "name: small\nbenchmarks:\n" + "".join(
            f"- {{name: b{i}, command: '{command.format(duet=duet[-1])}'}}\n"
            for i, command in enumerate(commands)))
    done(run_duet("fleet", "submit", "s.yaml", "--engine", "files", "--instances", tasks, "--runs",
                  runs, "--schedule", "interleaved", "--instance", "task", "--to", "f"))
    for number in range(1, tasks + 1):
        done(run_duet("fleet", "task", "f", number))
    uuids = set()
    for path in (tmp_path / "f/results").glob("*.db"):
        with sqlite3.connect(path) as opened:
            uuids |= {uuid for uuid, in opened.execute("SELECT uuid FROM experiment")}
        opened.close()
    with postgres.Server(fsync="on") as server:
        database = server.database()
        url = server.url(database)
        words = ("fleet", "collect", "f", "--store", url)
        process = start_duet(*words)
        wait_until(lambda: server.psql(database, "SELECT 1 FROM duet.experiment",
                                       check=False).stdout)
        server.restart()
        process.communicate(timeout=90)
        # It waits for the server; where that takes too long, it says so and is called again.
        if process.returncode != 0:
            done(run_duet(*words, timeout=90))
        stored = [uuid for uuid, in server.sql(database, "SELECT uuid FROM duet.experiment")]
        experiments = tasks * len(commands)
        assert len(stored) == len(uuids) == experiments and set(stored) == uuids
        assert server.sql(database, "SELECT count(*), count(DISTINCT experiment_id) FROM "
                          "duet.run") == [[str(runs * experiments), str(experiments)]]
        assert server.sql(database, "SELECT count(*) FROM duet.instance") == [[str(tasks)]]
        assert f"{experiments} were there" in done(run_duet(*words)).stdout
        for study in (["variability"], ["false-positives", "--paper"]):
            done(run_duet("study", *study, "suites:small", "--store", url, timeout=300))
        assert "is whole" in done(run_duet("store", "check", url)).stdout


# ---- Who measures ----

@pytest.mark.parametrize("change", ["UPDATE duet.experiment SET state = 'failed'",
                                    "DELETE FROM duet.run WHERE idx = 1"])
def test_measured_between_the_look_and_the_lock(run_duet, server, database, url, change):
    """Another process had it until then: what was looked at is not how it stands."""
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql(database, "UPDATE duet.experiment SET state = 'interrupted'")
    server.psql(database, "CREATE FUNCTION duet.pg_try_advisory_lock(bigint) RETURNS boolean "
                f"LANGUAGE plpgsql AS $$ BEGIN {change}; "
                "RETURN pg_catalog.pg_try_advisory_lock($1); END $$")
    result = run_duet("--resume", "--store", url)
    assert result.returncode == 2 and "has just measured experiment 1" in result.stderr, result
    assert server.sql(database, "SELECT count(*) FROM duet.resumption") == [["0"]]


def test_a_look_keeps_nobody_from_measuring(run_duet, start_duet, server, database, url,
                                            wait_until):
    """Not while it looks, and neither another one that looks: here giving back takes long."""
    done(run_duet("true", "true", "-r", 2, "--store", url))
    server.psql(database, "UPDATE duet.experiment SET state = 'interrupted'")
    server.psql(database, "CREATE FUNCTION duet.pg_advisory_unlock(bigint) RETURNS boolean "
                "LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); "
                "RETURN pg_catalog.pg_advisory_unlock($1); END $$")
    look = ("prune", "--older", "0d", "--dry-run", "--store", url)
    process = start_duet(*look)
    wait_until(lambda: process.poll() is not None or server.sql(
        database, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        == [["1"]])
    assert "would remove 1 experiment" in done(run_duet(*look)).stdout
    done(run_duet("--resume", "--store", url))
    output, _ = process.communicate(timeout=20)
    assert "would remove 1 experiment" in output
