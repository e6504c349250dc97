"""What other users of the machine can do to a user of duet: nothing (docs/security.md)."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import stat
import struct
import subprocess
import tempfile

import pytest

from support.repository import make_two_commits

NOBODY = 65534
COMMANDS = [["true", "true", "-r", "2"], ["list"], ["show"], ["watch", "--status"],
            ["import", "times.csv"], ["rm", "1"], ["prune", "--older", "0d"], ["gate"],
            ["run", "--resume"], ["aa", "true", "-r", "16"], ["compare", "1", "1"],
            ["suite", "suite.yaml"]]
SUITE = "benchmarks:\n  - {name: a, runs: 2, command: 'true'}\n"


def write_inputs(folder):
    (folder / "times.csv").write_text("old,new\n1,2\n2,3\n3,4\n")
    (folder / "suite.yaml").write_text(SUITE)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def others_store(run_duet, tmp_path):
    """A store that another user left in the folder, with a watch in it whose --provision
    would make the file `caught`."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    result = run_duet("watch", "true", "--provision", "touch caught",
                      "--executions-per-hour", 3600, "--every", "2s",
                      "--max-intervals", 1)
    assert result.returncode in (0, 3), result
    (tmp_path / "caught").unlink(missing_ok=True)
    write_inputs(tmp_path)

    def give(*paths):
        for path in paths:
            os.chown(tmp_path / path, NOBODY, NOBODY, follow_symlinks=False)

    return give


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_another_users_store_is_refused(run_duet, tmp_path, stored, others_store, command):
    others_store(".duet", ".duet/results.db")
    below = tmp_path / "below"
    below.mkdir()
    write_inputs(below)
    runs = stored.runs()
    result = run_duet(*command, cwd=below)
    assert result.returncode == 5, result
    assert f"{tmp_path}/.duet" in result.stderr and "--store" in result.stderr
    assert "another user" in result.stderr and result.stdout == ""
    assert stored.runs() == runs


@pytest.mark.slow
def test_another_users_watch_is_not_executed(run_duet, tmp_path, others_store):
    others_store(".duet", ".duet/results.db")
    resume = ["watch", "--resume", "true", "--max-intervals", 5]
    assert run_duet(*resume).returncode == 5
    assert not (tmp_path / "caught").exists()
    # Who names the store says that he trusts it.
    assert run_duet(*resume, "--store", ".duet/results.db").returncode in (0, 3)
    assert (tmp_path / "caught").exists()


def test_another_users_comparison_is_not_gone_on_with(start_duet, run_duet, tmp_path, stored,
                                                      others_store, wait_until):
    process = start_duet("sh -c '>caught; sleep 0.05'", "true", "-r", 1000)
    before = stored.runs()
    wait_until(lambda: stored.has_runs(before + 2))
    process.terminate()
    assert process.wait() == 130
    (tmp_path / "caught").unlink()
    others_store(".duet", ".duet/results.db")
    assert run_duet("run", "--resume").returncode == 5
    assert not (tmp_path / "caught").exists()


@pytest.mark.parametrize("given", [[".duet"], [".duet/results.db"]])
def test_file_and_folder_count(run_duet, others_store, given):
    others_store(*given)
    assert run_duet("list").returncode == 5


def test_link_of_another_user_counts(run_duet, tmp_path, others_store):
    """It leads to a store of our own, which is still not the one that was meant."""
    (tmp_path / "mine").mkdir()
    shutil.move(tmp_path / ".duet", tmp_path / "mine")
    (tmp_path / ".duet").symlink_to("mine/.duet")
    assert run_duet("list").returncode == 0
    others_store(".duet")
    assert run_duet("list").returncode == 5


def test_folder_that_another_user_prepared(run_duet, tmp_path, others_store):
    """There is no store yet: ours would be made where he can exchange it."""
    shutil.rmtree(tmp_path / ".duet")
    (tmp_path / ".duet").mkdir()
    others_store(".duet")
    assert run_duet("true", "true", "-r", 2).returncode == 5
    assert not list((tmp_path / ".duet").iterdir())


def test_who_became_root_by_sudo_keeps_his_store(run_duet, others_store):
    others_store(".duet", ".duet/results.db")
    for user, status in ((NOBODY, 0), (NOBODY - 1, 5), ("", 5), ("-2", 5)):
        result = run_duet("list", env={**os.environ, "SUDO_UID": str(user)})
        assert result.returncode == status, result


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("path, open_mode", [(".duet", 0o770), (".duet", 0o1777),
                                             (".duet/results.db", 0o602)])
def test_store_that_others_can_write_is_refused(run_duet, tmp_path, command, path, open_mode):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    write_inputs(tmp_path)
    (tmp_path / path).chmod(open_mode)
    result = run_duet(*command)
    assert result.returncode == 5, result
    assert "other users can write" in result.stderr and "chmod go-w" in result.stderr
    (tmp_path / path).chmod(open_mode & ~0o022)
    assert run_duet("list").returncode == 0


def test_what_is_made_is_closed_to_others(start_duet, run_duet, tmp_path, wait_until):
    folder = tmp_path / ".duet"
    process = start_duet("watch", "true", "--executions-per-hour", 72000, "--every", "400ms",
                         "--max-intervals", 0, "--error", "0.0001%",
                         preexec_fn=lambda: os.umask(0))
    wait_until((folder / "results.db-watches").exists)
    assert mode(folder) == 0o700
    assert {path.name: mode(path) for path in folder.iterdir()} == dict.fromkeys(
        [".gitignore", "results.db", "results.db-wal", "results.db-shm",
         "results.db-watches"], 0o600)
    process.terminate()
    process.wait()
    assert run_duet("true", "true", "-r", 2, "--store", "mine.db",
                    preexec_fn=lambda: os.umask(0)).returncode == 0
    assert mode(tmp_path / "mine.db") == 0o600


def test_store_is_not_made_through_a_link(run_duet, tmp_path):
    (tmp_path / "mine.db").symlink_to("elsewhere.db")
    result = run_duet("true", "true", "-r", 2, "--store", "mine.db")
    assert result.returncode == 5 and "a dangling link" in result.stderr, result
    assert not (tmp_path / "elsewhere.db").exists()


def name_in_journal(store, victim):
    """Puts a journal beside a store: of a transaction over several files, it seems, which
    whoever opens the store rolls back and then removes the file that they had shared."""
    name = os.fsencode(victim)
    total = sum(byte - 256 if byte > 127 else byte for byte in name)
    store.with_name(store.name + "-journal").write_bytes(
        b"x" * 512 + struct.pack(">I", 0) + name +
        struct.pack(">II", len(name), total & 0xffffffff) + bytes.fromhex("d9d505f920a163d7"))


@pytest.mark.parametrize("command", [
    ("list", "--store", "given.db"), ("rm", "1", "--store", "given.db"),
    ("true", "true", "-r", "2", "--store", "given.db"), ("store", "check", "--store", "given.db"),
    ("store", "merge", "given.db", "--into", "mine.db"),
    ("fleet", "collect", "given.db", "--store", "mine.db")], ids=" ".join)
def test_a_store_removes_no_file(run_duet, tmp_path, command):
    """Of a folder that somebody else packed, such as the results of a job."""
    assert run_duet("true", "true", "-r", 2, "--store", "given.db").returncode == 0
    victim = tmp_path / "victim"
    victim.write_text("precious")
    name_in_journal(tmp_path / "given.db", victim)
    result = run_duet(*command)
    assert victim.read_text() == "precious", result
    # A collection goes on without what it refuses.
    assert result.returncode == (0 if command[0] == "fleet" else 5), result
    assert "given.db-journal" in result.stdout + result.stderr
    (tmp_path / "given.db-journal").unlink()
    assert run_duet("list", "--store", "given.db").returncode == 0


@pytest.mark.parametrize("command", [
    ("list", "--store", "given.db"), ("show", "--store", "given.db"),
    ("store", "merge", "given.db", "--into", "mine.db"),
    ("fleet", "collect", "given.db", "--store", "mine.db")], ids=" ".join)
def test_a_view_in_place_of_a_table_is_not_read(run_duet, tmp_path, command):
    """It would never end. A view with a name of its own is the user's."""
    given = tmp_path / "given.db"
    assert run_duet("true", "true", "-r", 2, "--store", given).returncode == 0
    with contextlib.closing(sqlite3.connect(given)) as database:
        database.execute("CREATE VIEW mine AS SELECT id FROM run")
    assert run_duet(*command).returncode == 0
    with contextlib.closing(sqlite3.connect(given)) as database:
        database.execute("PRAGMA legacy_alter_table = ON")
        database.execute("ALTER TABLE run RENAME TO away")
        database.execute("CREATE VIEW run AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
                         "FROM c) SELECT away.* FROM away, c WHERE n < 0")
    result = run_duet(*command)
    # A collection goes on without what it refuses.
    assert result.returncode == (0 if command[0] == "fleet" else 2), result
    assert "given.db" in result.stdout + result.stderr


def test_export_follows_no_link(duet, run_duet, tmp_path):
    """At the name that a process of a known number used to write to first."""
    assert run_duet("true", "true", "-r", 2).returncode == 0
    victim = tmp_path / "victim"
    victim.write_text("precious")
    script = 'ln -s victim "out.json.$$.tmp"; exec "$@"'
    subprocess.run(["sh", "-c", script, "sh", *duet, "show", "--export-json", "out.json"],
                   cwd=tmp_path, check=True, timeout=60, stdout=subprocess.DEVNULL)
    assert victim.read_text() == "precious"
    out = tmp_path / "out.json"
    assert out.read_text().startswith("{") and not out.is_symlink()
    out.unlink()
    out.symlink_to("victim")  # its name itself is one
    assert run_duet("show", "--export-json", "out.json").returncode == 0
    assert victim.read_text() == "precious"
    assert not out.is_symlink()


def test_export_to_a_path_of_standard_output(run_duet, start_duet, tmp_path):
    """What it leads to is a regular file here, and not to be replaced: to the superuser,
    /dev/stdout itself would have been."""
    assert run_duet("true", "true", "-r", 2).returncode == 0
    with (tmp_path / "out").open("w") as out:
        process = start_duet("show", "--export-json", "/proc/self/fd/1", stdout=out)
        assert process.wait() == 0, process.stderr.read()
    assert json.loads((tmp_path / "out").read_text())["comparisons"]


def test_export_keeps_the_mode_of_the_file(run_duet, tmp_path):
    """Else the user's mask decides: an export is there to be handed on."""
    assert run_duet("true", "true", "-r", 2).returncode == 0
    for mask in (0o022, 0o077):
        run_duet("show", "--export-csv", f"{mask}.csv", preexec_fn=lambda: os.umask(mask))
        assert mode(tmp_path / f"{mask}.csv") == 0o666 & ~mask
    (tmp_path / "18.csv").chmod(0o640)
    assert run_duet("show", "--export-csv", "18.csv").returncode == 0
    assert mode(tmp_path / "18.csv") == 0o640
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.bare
def test_program_with_more_rights_ignores_the_callers_variables(built_program):
    """libduet within a set-user-ID program: the page's descriptor numbers, above all, would
    be its caller's choice."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        folder.chmod(0o755)
        program = shutil.copy(built_program("odd_benchmark"), folder)
        for variable in ("DUET_ATTACH", "DUET_ITERATIONS"):
            os.chown(program, 0, 0)
            environment = {**os.environ, "DUET_TIME": "1ms", variable: "nonsense"}
            refused = subprocess.run([program], env=environment, capture_output=True,
                                     text=True, timeout=30, check=False)
            assert refused.returncode != 0 and variable in refused.stderr, refused
            os.chown(program, NOBODY, NOBODY)
            os.chmod(program, 0o4755)
            environment["DUET_TIME"] = "nonsense"
            ignored = subprocess.run([program], env=environment, capture_output=True,
                                     text=True, timeout=30, check=False)
            assert ignored.returncode == 0, ignored
    finally:
        shutil.rmtree(folder)


# ---- Privileges that duet itself was given ----

@pytest.mark.parametrize("name", ["duet", "duet/git"])
@pytest.mark.parametrize("how", ["owner", "mode"])
def test_builds_in_another_users_folder(run_duet, tmp_path, monkeypatch, name, how):
    """Who can write there could exchange the programs that were built."""
    if how == "owner" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    make_two_commits(tmp_path)
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    measure = ["git", "HEAD~1", "HEAD", "-r", 2, "--build", "touch built", "--", "true"]
    (cache / name).mkdir(parents=True)
    if how == "owner":
        os.chown(cache / name, NOBODY, NOBODY)
    else:
        (cache / name).chmod(0o1777)
    result = run_duet(*measure)
    assert result.returncode == 5 and "XDG_CACHE_HOME" in result.stderr, result
    assert "other" in result.stderr and not list(cache.rglob("built"))
    shutil.rmtree(cache)
    assert run_duet(*measure).returncode == 0


@pytest.fixture
def open_folder():
    """A folder that everybody may look into."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody(*words, **options):
    return subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                           "--clear-groups", *words], text=True, capture_output=True,
                          check=False, timeout=30, **options)


@pytest.mark.timing  # neither Valgrind nor a sanitizer runs with more rights
@pytest.mark.parametrize("bits", [0o4755, 0o2755])
def test_nobody_gets_rights_from_a_bit_of_the_file(duet, open_folder, bits):
    """Its caller names the programs that it starts."""
    program = shutil.copy(duet[-1], open_folder)
    os.chmod(program, bits)
    for words in (["true", "true", "-r", "1", "--store", "none"], ["list"]):
        result = as_nobody(program, *words, cwd=open_folder)
        assert result.returncode == 5 and "chmod ug-s" in result.stderr, result
        assert result.stdout == ""


@pytest.mark.timing
@pytest.mark.parametrize("where", ["side", "--setup", "--prepare", "--cleanup"])
def test_capabilities_of_the_file_are_not_passed_on(duet, open_folder, where):
    """As somebody may give it for counters and scheduling."""
    if shutil.which("setcap") is None:
        pytest.skip("setcap is not installed")
    program = shutil.copy(duet[-1], open_folder)
    subprocess.run(["setcap", "cap_sys_nice,cap_perfmon,cap_sys_ptrace=ep", program],
                   check=True)
    seen = open_folder / "seen"
    seen.mkdir()
    seen.chmod(0o777)
    look = f"sh -c 'cat /proc/self/status >{seen}/$$'"
    words = [look, look] if where == "side" else ["true", "true", where, look]
    result = as_nobody(program, *words, "-r", "2", "--store", "none", cwd=open_folder)
    assert result.returncode == 0, result
    texts = [path.read_text() for path in seen.iterdir()]
    assert texts
    for text in texts:
        rights = dict(line.split(":\t") for line in text.splitlines() if ":\t" in line)
        assert all(int(rights[name], 16) == 0
                   for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")), rights
