"""Where results go, and what happens when they cannot."""

import contextlib
import os
import pathlib
import resource
import select
import shutil
import sqlite3
import subprocess
import tempfile
import time

import pytest

NOBODY = 65534


def test_default_store(run_duet, tmp_path, stored):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    assert stored.states() == ["done"]
    assert (tmp_path / ".duet" / ".gitignore").read_text().strip() == "*"

@pytest.mark.parametrize("arguments", [
    ("run", "no-such-program", "true"), ("run", "true", "true", "--input", "no-such-file"),
    ("aa", "no-such-program"), ("aa", "true", "--cpus", "0,9999"),
    ("study", "accuracy", "no-such-program", "--quick"),
    ("study", "shuffle", "true", "no-such-program", "--quick"),
    ("watch", "no-such-program"), ("watch", "true", "--name", "12"),
])
def test_what_cannot_be_measured_leaves_no_store(run_duet, tmp_path, arguments):
    assert run_duet(*arguments).returncode in (2, 5)
    assert not list(tmp_path.iterdir())


def test_setup_may_make_the_program(run_duet, tmp_path, stored):
    made = tmp_path / "made"
    result = run_duet(made, made, "-r", 2, "--setup", f"cp {shutil.which('true')} {made}")
    assert result.returncode == 0, result.stderr
    assert stored.states() == ["done"]


@pytest.mark.parametrize("only_one, arguments", [
    ("companion(role IS NULL)", ("true", "true", "-r", 4, "--control")),
    ("experiment(suite_run_id IS NULL) WHERE suite_run_id IS NOT NULL",
     ("suite", "s.yaml", "-r", 4)),
    ("experiment(suite_run_id IS NULL) WHERE suite_run_id IS NOT NULL",
     ("suite", "s.yaml", "-r", 4, "--skip-identical")),
])
def test_what_belongs_to_an_experiment_cannot_be_stored(run_duet, tmp_path, stored, only_one,
                                                        arguments):
    """It has failed, and says why. An index refuses what is stored the second time."""
    (tmp_path / "s.yaml").write_text("benchmarks:\n- {name: a, old: 'true', new: 'true'}\n")
    assert run_duet(*arguments).returncode == 0
    before = stored.one("SELECT count(*) FROM experiment")
    with contextlib.closing(sqlite3.connect(stored.path)) as database, database:
        database.execute(f"CREATE UNIQUE INDEX 'not today' ON {only_one}")
    done = run_duet(*arguments)
    assert done.returncode not in (0, -11) and "not today" in done.stderr, done
    rows = stored.rows("SELECT state, message LIKE '%not today%' FROM experiment ORDER BY id")
    assert set(rows[before:]) == {("failed", 1)}


def test_store_of_a_parent_folder(run_duet, tmp_path, stored):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert run_duet("true", "true", "-r", 2, cwd=below).returncode == 0
    assert stored.states() == ["done"] * 2
    assert not list(below.iterdir())


def test_store_somewhere_else(run_duet, tmp_path):
    assert run_duet("true", "true", "-r", 2, "--store", "mine.db").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.db"]
    result = run_duet("list", "--store", "mine.db")
    assert result.returncode == 0 and "true" in result.stdout
    assert run_duet("show", "--store", "mine.db").returncode == 0


@pytest.mark.slow
def test_store_none_leaves_nothing(run_duet, integer, tmp_path):
    """Nor do runs that are longer than what is kept in memory."""
    result = run_duet(integer(10), integer(10), "-r", 2, "-I", 6000, "--store", "none",
                      "--export-json", "-")
    assert result.returncode == 0 and result.stdout.startswith("{")
    assert not list(tmp_path.iterdir())


def test_store_in_a_folder_that_is_not_there(run_duet, tmp_path):
    """It is not made: the path may be mistyped."""
    for path in ("folder/mine.db", "no/such/folder/mine.db"):
        result = run_duet("true", "true", "-r", 2, "--store", path)
        assert result.returncode == 2, result
        assert f"there is no folder '{path[:-8]}': make it with mkdir -p" in result.stderr
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["true", "true"], ["list"], ["show"]])
@pytest.mark.parametrize("content", [b"this is no database " * 100, b"\0" * 5000])
def test_store_that_is_no_database(run_duet, tmp_path, command, content):
    """It is left as it is."""
    (tmp_path / "notes.txt").write_bytes(content)
    result = run_duet(*command, "--store", "notes.txt")
    assert result.returncode == 2, result
    assert "notes.txt" in result.stderr and result.stdout == ""
    assert (tmp_path / "notes.txt").read_bytes() == content


def test_store_that_is_another_programs_database(run_duet, tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE recipe(name TEXT)")
    before = (tmp_path / "other.db").read_bytes()
    result = run_duet("true", "true", "--store", "other.db")
    assert result.returncode == 2, result
    assert "other.db" in result.stderr
    assert (tmp_path / "other.db").read_bytes() == before


@pytest.mark.parametrize("command", [["true", "true"], ["list"], ["show"]])
def test_store_of_a_newer_version(run_duet, stored, command):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    with sqlite3.connect(stored.path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    result = run_duet(*command)
    assert result.returncode == 2, result
    assert "results.db" in result.stderr and "999" in result.stderr
    assert "newer" in result.stderr and stored.runs() == 2


def test_store_is_a_folder(run_duet, tmp_path):
    result = run_duet("true", "true", "--store", tmp_path)
    assert result.returncode in (2, 5), result
    assert str(tmp_path) in result.stderr


@pytest.fixture
def as_nobody(duet):
    """Runs `duet ARGUMENTS...` as a user who may read everything and write nothing, also
    where the tests are run by root."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    shutil.copy(duet[-1], folder / "duet")  # the build folder may be closed to others
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

    def run(*arguments):
        return subprocess.run([*prefix, *duet[:-1], folder / "duet", *arguments],
                              cwd=folder, text=True, capture_output=True, check=False,
                              timeout=60)

    run.folder = folder
    yield run
    shutil.rmtree(folder)


def test_read_only_folder(as_nobody):
    result = as_nobody("true", "true", "-r", "2")
    assert result.returncode == 5, result
    assert ".duet" in result.stderr and "--store" in result.stderr
    assert result.stdout == ""


def test_read_only_store(as_nobody, run_duet):
    """May be read, and not be added to."""
    assert run_duet("true", "true", "-r", 2, cwd=as_nobody.folder).returncode == 0
    folder = as_nobody.folder / ".duet"
    result = as_nobody("list")
    assert result.returncode == 5 and "--store" in result.stderr, result
    folder.chmod(0o755)
    (folder / "results.db").chmod(0o644)
    for command in ("show", "list"):
        result = as_nobody(command)
        assert result.returncode == 0, result.stderr
        assert "true" in result.stdout
    result = as_nobody("true", "true", "-r", "2")
    assert result.returncode == 5, result
    assert "results.db" in result.stderr and "--store" in result.stderr


@pytest.mark.slow
def test_disk_full(duet, tmp_path, stored):
    """A file system of 1200 KiB in a mount namespace of its own. What was finished before it
    filled up is there."""
    script = """
mount -t tmpfs -o size=1200k tmpfs "$1" && cd "$1" || exit 99
mkdir .duet
shift
"$@"
echo "status $?"
cp -r .duet "$OUT"
"""
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / ".duet").mkdir()
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", disk],
                           capture_output=True, check=False, timeout=30)
    if probe.returncode != 0:
        pytest.skip("no file system can be mounted here (needs root)")
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", disk, *duet, "true", "true", "-r",
         "100000", "-I", "100"], text=True, capture_output=True, check=False, timeout=120,
        env={**os.environ, "OUT": str(tmp_path)})
    assert "status 5" in result.stdout, result
    assert "results.db" in result.stderr and "full" in result.stderr, result.stderr
    stored.check()
    runs = stored.runs()
    assert runs > 2
    assert stored.one("SELECT count(*) FROM iteration") == 200 * runs


@pytest.mark.bare
def test_file_size_limit(start_duet, stored):
    """The same through the limit on the size of files: SIGXFSZ must not kill duet."""
    process = start_duet("true", "true", "-r", 100000, "-I", 100, preexec_fn=lambda:
                         resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 5, (out, errors)
    assert "results.db" in errors
    stored.check()
    assert stored.one("SELECT count(*) FROM iteration") == 200 * stored.runs() > 0


@pytest.mark.parametrize("how", ["deleted", "moved", "watch"])
def test_store_is_gone_while_measuring(start_duet, run_duet, tmp_path, stored, wait_until, how):
    """All that was measured is in another one, which duet names, and nowhere else is it said
    to be kept."""
    words = ["sleep 0.1", "sleep 0.1", "-r", 100]
    if how == "watch":
        words = ["watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                 "--max-intervals", 0, "--error", "0.0001%"]
    process = start_duet(*words)
    wait_until(lambda: stored.has_runs(2))
    if how == "moved":
        stored.path.rename(tmp_path / "elsewhere.db")
    else:
        shutil.rmtree(tmp_path / ".duet")
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 5 and "was deleted, moved" in errors, errors
    assert "kept" not in errors
    (rescued,) = tmp_path.rglob("duet-rescued-*.db")
    assert rescued.name in errors and rescued.stat().st_mode & 0o777 == 0o600
    stored.path = rescued
    stored.check()
    assert stored.runs() > 2 and stored.states() == ["failed"]
    shown = run_duet("show", "1", "--store", rescued)
    assert shown.returncode == 0 and words[1] in shown.stdout


def test_store_is_emptied_while_measuring(run_duet, tmp_path):
    """In place, as by a shell's redirection: the next run does not pretend to be kept."""
    result = run_duet("true", "true", "-r", 20, "--prepare", ": >.duet/results.db")
    assert result.returncode == 5 and "emptied" in result.stderr, result
    assert "kept" not in result.stderr


def test_store_is_closed_while_measuring(as_nobody):
    """Who may not look at it any more has it open: it is not gone."""
    os.chown(as_nobody.folder, NOBODY, NOBODY)
    result = as_nobody("true", "true", "-r", "4", "--prepare", "chmod 0 .duet")
    assert result.returncode == 0, result
    (as_nobody.folder / ".duet").chmod(0o700)
    result = as_nobody("store", "check")
    assert result.returncode == 0 and "4 runs" in result.stdout, result


def test_an_export_into_a_closed_folder(as_nobody):
    """A file that may be written there is replaced, which cannot be: said before it is measured."""
    rows = as_nobody.folder / "rows.csv"
    rows.write_text("before\n")
    rows.chmod(0o666)
    result = as_nobody("true", "true", "-r", "2", "--store", "none", "--export-csv", "rows.csv")
    assert result.returncode == 5 and "a new file replaces it" in result.stderr, result
    assert result.stdout == "" and rows.read_text() == "before\n"


@pytest.mark.parametrize("export", ["csv", "markdown", "svg", "json"])
def test_where_results_are_when_an_export_fails(run_duet, export):
    """Said where it is so."""
    for store, kept in (("none", False), ("x.db", True)):
        result = run_duet("true", "true", "-r", 12, "--store", store, f"--export-{export}",
                          "/dev/full")
        assert result.returncode == 5 and "/dev/full" in result.stderr, result
        assert ("in the store" in result.stderr) == kept, result.stderr


@pytest.mark.parametrize("command", [("run", "true", "true", "-r", 2), ("aa", "true", "-r", 16),
                                     ("show",), ("aa", "--of", "last")])
def test_store_is_not_replaced_by_an_export(run_duet, tmp_path, command):
    assert run_duet("true", "true", "-r", 16).returncode == 0
    (tmp_path / "link").symlink_to(".duet/results.db")
    for words in (["--export-csv", ".duet/results.db"], ["--export-json", "link"]):
        result = run_duet(*command, *words)
        assert result.returncode == 2 and "it is the store" in result.stderr, result
    result = run_duet(*command, "--store", ".duet/results.db", "--export-html", "link")
    assert result.returncode == 2 and "it is the store" in result.stderr, result
    assert len(run_duet("list").stdout.splitlines()) == 2
    assert run_duet("true", "true", "-r", 2, "--store", "new.db", "--export-csv", "new.db"
                    ).returncode == 2
    assert not (tmp_path / "new.db").exists()
    if "-r" in command:
        os.remove(tmp_path / ".duet/results.db")
        result = run_duet(*command, "--export-csv", ".duet/results.db")
        assert result.returncode == 2 and "it is the store" in result.stderr, result
        assert not (tmp_path / ".duet/results.db").exists()


@pytest.mark.parametrize("command", [
    ("list", "--export-json"), ("history", "--export-json"), ("history", "--export-csv"),
    ("history", "--export-svg"), ("plan", "--export-json"), ("report", "--output"),
    ("doctor", "--export-json"), ("study", "coverage", "--export-csv"),
    ("study", "variability", "1", "--export-svg"),
    ("study", "shuffle", "true", "--quick", "--export-csv")])
def test_store_is_not_replaced_by_any_answer(run_duet, tmp_path, command):
    assert run_duet("true", "true", "-r", 16).returncode == 0
    (tmp_path / "link").symlink_to(".duet/results.db")
    for name in (".duet/results.db", "link"):
        result = run_duet(*command, name)
        assert result.returncode == 2 and "it is the store" in result.stderr, result
    if command[0] not in ("doctor", "study"):
        os.rename(tmp_path / ".duet/results.db", tmp_path / "other.db")
        result = run_duet(*command, "other.db", "--store", "other.db")
        assert result.returncode == 2 and "it is the store" in result.stderr, result
        os.rename(tmp_path / "other.db", tmp_path / ".duet/results.db")
    assert len(run_duet("list").stdout.splitlines()) == 2


@pytest.mark.timeout(120)
def test_store_is_locked_for_long(start_duet, stored, wait_until):
    """A watch of weeks goes on, and can be interrupted meanwhile."""
    process = start_duet("watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                         "--max-intervals", 0, "--error", "0.0001%")
    wait_until(lambda: stored.has_runs(3))
    said = ""
    with contextlib.closing(sqlite3.connect(stored.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        while "locked" not in said and select.select([process.stderr], [], [], 60)[0]:
            said += os.read(process.stderr.fileno(), 65536).decode()
        time.sleep(4)
        runs = stored.runs()
        assert process.poll() is None
        other.execute("ROLLBACK")
        wait_until(lambda: stored.runs() > runs + 2)
    process.terminate()
    _, errors = process.communicate(timeout=30)
    errors = said + errors
    assert process.returncode == 130, errors
    assert errors.count("locked by another process for 10 s: the watch goes on") == 1, errors
