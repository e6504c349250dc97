"""duet fleet without Slurm: tasks on this machine and anywhere, and their results brought
together. With Slurm: tests/slurm."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import time

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/duet-fleet-1.schema.json").read_text())

SUITE = """
name: tiny
defaults: {schedule: timeslice}
benchmarks:
  - {name: sum, command: "expr {build} + 1"}
  - {name: product, command: "expr {build} '*' 2"}
"""
SIDES = ("--old", "1", "--new", "2", "--runs", "2")


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "s.yaml").write_text(SUITE)
    return "s.yaml"


@pytest.fixture
def submit(run_duet, suite):
    """A fleet `f` of so many tasks; its folder."""

    def make(tasks, *more, engine="files", code=0, to="f"):
        done = run_duet("fleet", "submit", suite, "--engine", engine, "--instances", tasks,
                        "--to", to, *SIDES, *more, timeout=60)
        assert done.returncode == code, done.stderr
        return done

    return make


@pytest.fixture
def status(run_duet):
    def read(folder="f"):
        done = run_duet("fleet", "status", folder, "--json")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        jsonschema.validate(document, SCHEMA)
        return document

    return read


def collected(run_duet, *words, code=0):
    done = run_duet("fleet", "collect", *words, "--json", timeout=60)
    assert done.returncode == code, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    return document


def results(folder):
    return sorted((folder / "results").glob("*.db"))


def count(path, query="SELECT count(*) FROM experiment"):
    with sqlite3.connect(path) as database:
        return database.execute(query).fetchone()[0]


def union(folder):
    """How many observations the results have, all together."""
    query = "SELECT count(*) FROM iteration"
    return sum(count(path, query) for path in results(folder))


def test_local_fleet(run_duet, submit, status, tmp_path):
    """Every task is executed here and collected; the store has all that they measured."""
    done = submit(3, engine="local")
    assert "3 results from 1 instance: 6 experiments added to " in done.stdout
    assert "3 results come from 1 machine: the answers hold for it, not for others" in done.stdout
    assert "3 of 3 done" in done.stdout
    folder = tmp_path / "f"
    assert len(results(folder)) == 3
    store = folder / "results.db"
    assert count(store) == 6
    assert count(store, "SELECT count(*) FROM iteration") == union(folder)
    assert count(store, "SELECT count(DISTINCT seed) FROM experiment") == 6
    document = status()
    assert document["phases"] == {"waiting": 0, "running": 0, "done": 3, "failed": 0, "lost": 0}
    assert [row["name"] for row in document["benchmarks"]] == ["product", "sum"]
    assert all(row["instances"] == 3 for row in document["benchmarks"])
    assert {row["machine"] for row in document["strata"]} == \
        {document["tasks"][0]["cpu_model"] or "unknown"}


@pytest.mark.parametrize("language", ["C.UTF-8", None])
def test_tasks_have_the_environment_of_submit(run_duet, suite, tmp_path, language):
    """Programs do something else in another language, or take another time for it."""
    (tmp_path / "say").write_text('echo "${LC_ALL-none}" >>said\n')
    (tmp_path / suite).write_text('benchmarks: [{name: say, command: "sh say"}]\n')
    environment = {name: value for name, value in os.environ.items() if name != "LC_ALL"}
    if language is not None:
        environment["LC_ALL"] = language
    done = run_duet("fleet", "submit", suite, "--engine", "local", "--instances", 1, "--runs",
                    2, "--to", "f", env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    assert set((tmp_path / "said").read_text().split()) == {language or "none"}


def test_collecting_again_adds_nothing(run_duet, submit, tmp_path):
    submit(2, engine="local")
    folder = tmp_path / "f"
    before = count(folder / "results.db", "SELECT count(*) FROM iteration")
    again = run_duet("fleet", "collect", "f")
    assert again.returncode == 0, again.stderr
    assert "0 experiments added to" in again.stdout and "4 were there" in again.stdout
    assert count(folder / "results.db", "SELECT count(*) FROM iteration") == before


def test_files_of_a_matrix(run_duet, submit, status, tmp_path):
    """Copies of the folder execute a task each; their results come back in any layout, some
    twice, one cut in half, one of another fleet."""
    submit(4)
    submit(1, to="other")
    for task in (1, 2, 3):
        runner = tmp_path / f"runner{task}"
        shutil.copytree(tmp_path / "f", runner)
        done = run_duet("fleet", "task", runner, task, "--attempt", "1")
        assert done.returncode == 0, done.stderr
    done = run_duet("fleet", "task", "other", 1)
    assert done.returncode == 0, done.stderr
    artifacts = tmp_path / "artifacts"
    for task in (1, 2, 3):
        shutil.copytree(tmp_path / f"runner{task}/results", artifacts / f"job {task}")
    shutil.copytree(tmp_path / "runner1/results", artifacts / "job 1 again")
    shutil.copy(results(tmp_path / "other")[0], artifacts)
    cut = next((artifacts / "job 3").iterdir())
    with open(cut, "r+b") as file:
        file.truncate(cut.stat().st_size // 2)
    document = collected(run_duet, "f", "artifacts")
    assert document["phases"]["done"] == 2 and document["phases"]["waiting"] == 2
    assert len(document["refused"]) == 1 and cut.name in document["refused"][0]
    assert "cut or changed" in document["refused"][0]
    assert len(document["foreign"]) == 1 and document["doubled"] == []
    assert count(tmp_path / "f/results.db") == 4
    shutil.copy(results(tmp_path / "runner3")[0], artifacts)
    document = collected(run_duet, "f", "artifacts")
    assert document["phases"]["done"] == 3 and count(tmp_path / "f/results.db") == 6


def test_a_fleet_without_its_empty_folders(run_duet, submit, tmp_path):
    """An artifact of GitHub has files only, and so has a repository of git."""
    submit(2)
    for folder in ("jobs", "logs", "results", "states"):
        (tmp_path / "f" / folder).rmdir()
    shutil.copytree(tmp_path / "f", tmp_path / "runner")
    shutil.copytree(tmp_path / "f", tmp_path / "all/fleet")
    done = run_duet("fleet", "task", "runner", 1, "--attempt", "1")
    assert done.returncode == 0, done.stderr
    shutil.copytree(tmp_path / "runner/results", tmp_path / "all/result-1")
    document = collected(run_duet, "all/fleet", "all")
    assert document["phases"]["done"] == 1 and document["phases"]["waiting"] == 1


def test_a_doubled_task_counts_once(run_duet, submit, tmp_path):
    """The first result that was complete, also when an earlier one comes later."""
    submit(2)
    for runner, pause in (("a", 0), ("b", 0)):
        shutil.copytree(tmp_path / "f", tmp_path / runner)
        done = run_duet("fleet", "task", runner, 1, "--attempt", runner)
        assert done.returncode == 0, done.stderr
    first, second = results(tmp_path / "a")[0], results(tmp_path / "b")[0]
    os.utime(first, (1e9, 1e9))
    shutil.copy2(second, tmp_path / "f/results")
    document = collected(run_duet, "f")
    assert document["tasks"][0]["result"] == second.name
    shutil.copy2(first, tmp_path / "f/results")
    document = collected(run_duet, "f")
    assert document["tasks"][0]["result"] == second.name
    assert len(document["doubled"]) == 1 and first.name in document["doubled"][0]
    assert count(tmp_path / "f/results.db") == 2
    shown = run_duet("fleet", "collect", "f")
    assert "not counted, its task has another result: " in shown.stdout
    # From nothing, the choice stays.
    (tmp_path / "f/results.db").unlink()
    assert collected(run_duet, "f")["tasks"][0]["result"] == second.name


def test_the_choice_stays_where_its_file_is_not_named(run_duet, submit, tmp_path):
    """Results that were collected from elsewhere need not be there each time."""
    submit(2)
    for runner in ("a", "b"):
        shutil.copytree(tmp_path / "f", tmp_path / runner)
        done = run_duet("fleet", "task", runner, 1, "--attempt", runner)
        assert done.returncode == 0, done.stderr
    first, second = results(tmp_path / "a")[0], results(tmp_path / "b")[0]
    assert collected(run_duet, "f", "a/results")["tasks"][0]["result"] == first.name
    assert collected(run_duet, "f")["phases"]["done"] == 0
    for _ in range(2):
        document = collected(run_duet, "f", "b/results")
        assert document["phases"]["done"] == 0 and second.name in document["doubled"][0]
        [refused] = document["refused"]
        assert first.name in refused and "its file is not here" in refused
    document = collected(run_duet, "f", "a/results", "b/results")
    assert document["tasks"][0]["result"] == first.name and document["refused"] == []
    assert count(tmp_path / "f/results.db") == 2
    for name in ("taken", "results.db"):
        (tmp_path / "f" / name).unlink()
    assert collected(run_duet, "f", "b/results")["tasks"][0]["result"] == second.name


def test_a_result_that_changes_after_it_was_taken(run_duet, submit, tmp_path):
    """It is refused as before; once it is removed, its task is measured again."""
    submit(2, engine="local")
    victim = results(tmp_path / "f")[0]
    with sqlite3.connect(victim) as database:
        database.execute("UPDATE iteration SET end_ns = end_ns + 1000000000 WHERE side = 1")
    database.close()
    document = collected(run_duet, "f")
    assert document["phases"]["done"] == 1 and document["phases"]["lost"] == 1
    [refused] = document["refused"]
    assert victim.name in refused and "cut or changed" in refused
    victim.unlink()
    done = run_duet("fleet", "resume", "f", timeout=60)
    assert done.returncode == 0 and "2 of 2 done" in done.stdout, done


def test_a_result_that_cannot_be_merged(run_duet, submit, tmp_path):
    """Its digest is right and its content is not: it is refused, and the others are taken."""
    submit(2, engine="local")
    folder = tmp_path / "f"
    (folder / "results.db").unlink()
    (folder / "taken").unlink()
    first, second = results(folder)
    shutil.copy(first, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as database:  # runs that are another's
        for table in ("experiment", "suite_run"):
            database.execute(f"UPDATE {table} SET uuid = 'x' || uuid")
    database.close()
    digest = hashlib.sha256((tmp_path / "copy.db").read_bytes()).hexdigest()[:16]
    second.unlink()
    odd = f"{second.name[:-19]}{digest}.db"
    shutil.move(tmp_path / "copy.db", folder / "results" / odd)
    document = collected(run_duet, "f")
    assert document["phases"]["done"] == 1 and document["phases"]["lost"] == 1
    assert len(document["refused"]) == 1 and odd in document["refused"][0]
    assert odd not in (folder / "taken").read_text()
    assert count(folder / "results.db") == 2


def test_a_result_is_not_measured_again(run_duet, submit, tmp_path):
    submit(1)
    assert run_duet("fleet", "task", "f", 1).returncode == 0
    again = run_duet("fleet", "task", "f", 1)
    assert again.returncode == 0
    assert "nothing to do: task 1 has a result already" in again.stderr
    assert len(results(tmp_path / "f")) == 1


def test_results_of_any_origin(run_duet, tmp_path):
    """Stores that `duet run` has left, without any fleet."""
    for number in (1, 2, 3):
        done = run_duet("expr 1 + 1", "expr 1 + 2", "--runs", 2, "--name", "sum", "--store",
                        f"r{number}.db")
        assert done.returncode == 0, done.stderr
    shutil.copy(tmp_path / "r1.db", tmp_path / "copy.db")
    (tmp_path / "half.db").write_bytes((tmp_path / "r3.db").read_bytes()[:20000])
    document = collected(run_duet, "r1.db", "r2.db", "r3.db", "copy.db", "half.db",
                         "--store", "all.db")
    assert document["fleet"] is None and len(document["tasks"]) == 3
    assert len(document["refused"]) == 1 and "half.db" in document["refused"][0]
    assert count(tmp_path / "all.db") == 3
    [row] = document["benchmarks"]
    assert row["instances"] == 3 and row["interval"]["method"] == "t"


def test_a_task_that_fails(run_duet, submit, status, suite, tmp_path):
    """Of a benchmark that fails the others are there; a task without any has no result."""
    (tmp_path / suite).write_text(SUITE + '  - {name: broken, command: "false"}\n')
    submit(1)
    done = run_duet("fleet", "task", "f", 1)
    assert done.returncode == 0, done.stderr
    document = status()
    assert document["tasks"][0]["message"] == "1 of 3 benchmarks failed"
    rows = {row["name"]: row for row in document["benchmarks"]}
    assert rows["broken"]["failed"] == 1 and rows["broken"]["verdict"] == "failed"
    assert rows["sum"]["instances"] == 1
    submit(1, "--only", "broken", to="g")
    done = run_duet("fleet", "task", "g", 1)
    assert done.returncode == 4 and "every benchmark failed" in done.stderr
    document = status("g")
    assert document["phases"]["failed"] == 1 and results(tmp_path / "g") == []
    assert "failed: 1" in run_duet("fleet", "status", "g").stdout


def test_identical_sides_are_no_failure(run_duet, submit, status, suite, tmp_path):
    """They are answered, alone and beside others, and pass the gate."""
    (tmp_path / suite).write_text(
        SUITE.replace("{schedule", "{skip-identical: true, identical-if: s.yaml, schedule")
        + '  - {name: twin, command: "expr 1 + 1"}\n')
    submit(2, engine="local")
    document = status()
    assert [task["message"] for task in document["tasks"]] == [None, None]
    rows = {row["name"]: row for row in document["benchmarks"]}
    assert rows["twin"]["verdict"] == "identical" and rows["twin"]["failed"] == 0
    assert rows["twin"]["ratio"] == 1 and rows["twin"]["instances"] == 2
    assert rows["sum"]["verdict"] not in ("identical", "failed")
    submit(1, "--only", "twin", to="g")
    done = run_duet("fleet", "task", "g", 1)
    assert done.returncode == 0, done.stderr
    done = run_duet("fleet", "collect", "g", "--fail-on", "slower,unsure")
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout
    assert "no task is missing" in run_duet("fleet", "resume", "g").stderr


def test_a_fleet_of_identical_sides_ends_early(run_duet, suite, status, tmp_path):
    (tmp_path / suite).write_text("defaults: {skip-identical: true, identical-if: s.yaml}\n"
                                  'benchmarks: [{name: twin, command: "expr 1 + 1"}]\n')
    done = run_duet("fleet", "submit", suite, "--engine", "local", "--instances", 30, "--runs", 2,
                    "--until", "decided", "--to", "f", timeout=60)
    assert done.returncode == 0, done.stderr
    document = status()
    assert document["ended"] == "decided" and document["benchmarks"][0]["verdict"] == "identical"
    assert 8 <= document["phases"]["done"] < 30


def test_resume_and_cancel(run_duet, submit, status, tmp_path):
    submit(3)
    assert run_duet("fleet", "task", "f", 2).returncode == 0
    assert run_duet("fleet", "cancel", "f").returncode == 0
    idle = run_duet("fleet", "task", "f", 1)
    assert idle.returncode == 0 and "the fleet has ended: cancelled" in idle.stderr
    assert status()["ended"] == "cancelled"
    resumed = run_duet("fleet", "resume", "f")
    assert resumed.returncode == 0 and "execute tasks 1,3," in resumed.stdout
    assert status()["ended"] is None
    for task in (1, 3):
        assert run_duet("fleet", "task", "f", task).returncode == 0
    assert "no task is missing" in run_duet("fleet", "resume", "f").stderr


def test_interrupted_local_fleet_goes_on(run_duet, start_duet, suite, tmp_path):
    (tmp_path / suite).write_text('benchmarks: [{name: nap, command: "sleep 0.2"}]\n')
    process = start_duet("fleet", "submit", suite, "--engine", "local", "--instances", 3,
                         "--runs", 2, "--to", "a fleet")
    deadline = time.monotonic() + 30
    while not results(tmp_path / "a fleet") and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    advice = re.search(r"go on with: duet (fleet resume .*)", told)
    done = run_duet(*shlex.split(advice[1]), timeout=60)
    assert done.returncode == 0, done.stderr
    assert "3 of 3 done" in done.stdout and count(tmp_path / "a fleet/results.db") == 3


def test_shipped_files(run_duet, tmp_path):
    """The suite runs where its copy is, so that the folder can be carried elsewhere."""
    home = tmp_path / "here"
    home.mkdir()
    (home / "in put").write_text("3\n")
    (home / "s.yaml").write_text(
        'benchmarks: [{name: read, command: "cat \'in put\'"}]\n')
    done = run_duet("fleet", "submit", "here/s.yaml", "--engine", "files", "--instances", 1,
                    "--runs", 2, "--ship", "here/in put", "--to", "f")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(home)
    shutil.move(tmp_path / "f", tmp_path / "moved")
    done = run_duet("fleet", "task", "moved", 1)
    assert done.returncode == 0, done.stderr
    refused = run_duet("fleet", "submit", "moved/files/s.yaml", "--engine", "files", "--ship",
                       "/etc/passwd", "--to", "g")
    assert refused.returncode == 2 and "not in the suite's folder" in refused.stderr


def test_instances_have_names(run_duet, submit, tmp_path):
    """Where machines share an id, tasks are told apart: studies see instances."""
    submit(2, "--instance", "task", engine="local")
    query = "SELECT count(DISTINCT machine) FROM experiments"
    assert count(tmp_path / "f/results.db", query) == 2
    done = run_duet("study", "variability", "suites:tiny", "--store", "f/results.db")
    assert done.returncode == 0, done.stderr


def test_until_decided(run_duet, suite, status, tmp_path):
    """The fleet ends by itself once the verdict is certain, and its tasks with it."""
    (tmp_path / suite).write_text(
        'benchmarks: [{name: nap, old: "sleep 0.001", new: "sleep 0.03"}]\n')
    done = run_duet("fleet", "submit", suite, "--engine", "local", "--instances", 20, "--runs",
                    2, "--schedule", "duet", "--until", "decided", "--to", "f", timeout=60)
    assert done.returncode == 0, done.stderr
    document = status()
    assert document["ended"] == "decided" and document["decided"]
    [row] = document["benchmarks"]
    assert row["verdict"] == "slower" and row["interval"]["method"] == "anytime"
    assert row["decided_after"] == row["instances"] == document["phases"]["done"] < 20


def test_tasks_count_in_order(run_duet, submit, status):
    """With --until decided a result waits for the tasks before it."""
    submit(3, "--until", "decided")
    for task in (1, 3):
        assert run_duet("fleet", "task", "f", task).returncode == 0
    document = status()
    assert document["used"] == 1 and document["waiting"] == 1
    assert run_duet("fleet", "task", "f", 2).returncode == 0
    assert status()["used"] == 3


def test_gate(run_duet, suite, tmp_path):
    (tmp_path / suite).write_text(
        'benchmarks: [{name: nap, old: "sleep 0.001", new: "sleep 0.05"}]\n')
    done = run_duet("fleet", "submit", suite, "--engine", "local", "--instances", 3, "--runs",
                    2, "--schedule", "duet", "--to", "f", timeout=60)
    assert done.returncode == 0, done.stderr
    failed = run_duet("fleet", "collect", "f", "--fail-on", "slower", "--confidence", "0.5")
    assert failed.returncode == 1 and "gate: failed: nap is slower" in failed.stderr
    limited = run_duet("fleet", "collect", "f", "--max-slowdown", "1000000%")
    assert limited.returncode == 0


def test_a_suite_that_changed(run_duet, submit, suite, tmp_path):
    submit(1)
    (tmp_path / suite).write_text(SUITE.replace("+ 1", "+ 2"))
    done = run_duet("fleet", "task", "f", 1)
    assert done.returncode == 2 and "has changed since the fleet was submitted" in done.stderr


@pytest.mark.parametrize("words, told", [
    (("submit",), "expected a suite file"),
    (("submit", "-", "--engine", "files"), "not on standard input"),
    (("submit", "none.yaml"), "none.yaml"),
    (("submit", "s.yaml", "--instances", "0"), "--instances"),
    (("submit", "s.yaml", "--until", "time=3s"), "--until decided"),
    (("submit", "s.yaml", "--sbatch", "avx2"), "expected an option of sbatch"),
    (("submit", "s.yaml", "--to", "full", "--engine", "files"), "not empty"),
    (("status", "full"), "is no fleet"),
    (("status",), "expected a fleet's folder"),
    (("task", "full"), "number of a task"),
    (("task", "full", "x"), "the task"),
    (("collect",), "expected a fleet's folder"),
    (("collect", "nowhere"), "cannot collect from 'nowhere'"),
])
def test_mistakes(run_duet, suite, tmp_path, words, told):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("")
    (tmp_path / suite).write_text(SUITE.replace("{build}", "3"))
    done = run_duet("fleet", *words)
    assert done.returncode == 2 and told in done.stderr, done.stderr


def test_task_out_of_range_and_odd_plans(run_duet, submit, tmp_path):
    submit(2)
    done = run_duet("fleet", "task", "f", 3)
    assert done.returncode == 2 and "name one from 1 to 2" in done.stderr
    done = run_duet("fleet", "task", "f", 1, "--attempt", "../x")
    assert done.returncode == 2 and "cannot name an attempt" in done.stderr
    plan = json.loads((tmp_path / "f/plan.json").read_text())
    for key, value, told in (("schema_version", 2, "newer duet"), ("tasks", 0, '"tasks"'),
                             ("engine", "magic", '"engine"'), ("id", "../../x", '"id"'),
                             ("options", [1], '"options"')):
        (tmp_path / "f/plan.json").write_text(json.dumps({**plan, key: value}))
        done = run_duet("fleet", "status", "f")
        assert done.returncode == 2 and told in done.stderr, (key, done.stderr)


@pytest.mark.parametrize("spoil", [os.unlink, lambda path: path.chmod(0o600)])
def test_a_fleet_whose_program_is_gone(run_duet, submit, tmp_path, spoil):
    submit(2, engine="local")
    program = tmp_path / "f" / "duet"
    shutil.copy(program, tmp_path / "copy")
    for result in results(tmp_path / "f"):
        result.unlink()
    spoil(program)
    done = run_duet("fleet", "resume", "f", timeout=60)
    assert done.returncode == 5, done
    assert f"the fleet's program '{program}' is gone, or cannot be executed" in done.stderr
    program.unlink(missing_ok=True)
    shutil.copy(tmp_path / "copy", program)
    assert run_duet("fleet", "resume", "f", timeout=60).returncode == 0
    assert len(results(tmp_path / "f")) == 2


def test_without_slurm(run_duet, suite, tmp_path):
    environment = {**os.environ, "PATH": "/nonexistent"}
    done = run_duet("fleet", "submit", suite, *SIDES, "--to", "f", env=environment)
    assert done.returncode == 5 and "there is no sbatch in PATH" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_full_disk(run_duet, submit, tmp_path, duet):
    """A task whose result does not fit fails, and says so; nothing half is left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = os.path.getsize(duet[-1]) + 4000000  # the fleet's copy of it, and some results
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk],
                      check=False, capture_output=True).returncode != 0:
        pytest.skip("cannot mount a tmpfs here")
    try:
        submit(2, to="disk/f")
        assert run_duet("fleet", "task", "disk/f", 1).returncode == 0
        with open(disk / "ballast", "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass
        done = run_duet("fleet", "task", "disk/f", 2)
        assert done.returncode == 5 and "No space left on device" in done.stderr
        assert len(results(disk / "f")) == 1
        (disk / "ballast").unlink()
        document = collected(run_duet, "disk/f", "--store", "all.db")
        assert document["phases"]["done"] == 1 and document["refused"] == []
        assert run_duet("fleet", "task", "disk/f", 2).returncode == 0
    finally:
        subprocess.run(["umount", disk], check=True)


def limited_submit(duet, folder, limit_bytes, *more):
    """`fleet submit` where no file may become larger."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))

    return subprocess.run([*duet, "fleet", "submit", "s.yaml", "--engine", "files", *SIDES,
                           "--to", "f", *more], cwd=folder, preexec_fn=limit, text=True,
                          capture_output=True, check=False, stdin=subprocess.DEVNULL)


def test_half_a_fleet_is_removed(duet, suite, submit, tmp_path):
    """The copy of the program, or what is shipped, does not fit on the disk."""
    done = limited_submit(duet, tmp_path, 4096)
    assert done.returncode == 5 and "cannot write" in done.stderr
    assert not (tmp_path / "f").exists()
    program = pathlib.Path(duet[-1]).stat().st_size
    with (tmp_path / "big").open("wb") as big:
        big.truncate(program + (1 << 20))
    done = limited_submit(duet, tmp_path, program + 4096, "--ship", "big")
    assert done.returncode in (4, 5), done.stderr
    assert not (tmp_path / "f").exists()
    submit(1)  # the same name again


@pytest.mark.parametrize("name, command", [("ended", "status"), ("ended", "collect"),
                                           ("ended", "task"), ("taken", "collect")])
def test_files_that_cannot_be_read(run_duet, submit, tmp_path, name, command):
    """As on a file server that is gone: nothing is taken for what it is not."""
    submit(1)
    assert run_duet("fleet", "task", "f", 1).returncode == 0
    (tmp_path / "f" / name).mkdir()
    done = run_duet("fleet", command, "f", *([1] if command == "task" else []))
    assert done.returncode == 5 and f"f/{name}'" in done.stderr, done.stderr


@pytest.mark.parametrize("name, statuses", [
    ("plan.json", (5, 5)), ("ended", (5, 5)), ("taken", (0, 5)), ("states", (0, 0)),
    ("results", (0, 0))])
def test_nobody_waits_for_a_named_pipe(run_duet, submit, tmp_path, name, statuses):
    """Which another user put where a file is looked for."""
    submit(2)
    for task in (1, 2):
        assert run_duet("fleet", "task", "f", task).returncode == 0
    path = tmp_path / "f" / name
    if path.is_dir():
        path = sorted(path.iterdir())[0]
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    for command, status in zip(("status", "collect"), statuses):
        done = run_duet("fleet", command, "f", timeout=20)
        assert done.returncode == status, done
        assert status == 0 or "regular file" in done.stderr


def test_a_result_that_cannot_be_looked_at(run_duet, submit, tmp_path):
    submit(1)
    assert run_duet("fleet", "task", "f", 1).returncode == 0
    (tmp_path / "f/results/odd.db").symlink_to("odd.db")
    done = run_duet("fleet", "collect", "f")
    assert done.returncode == 5 and "cannot look at" in done.stderr
