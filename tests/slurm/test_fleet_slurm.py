"""duet fleet on a cluster of four nodes, and what goes wrong on clusters: nodes that die,
tasks that run twice, a controller that restarts, results that are cut. Times on nodes of one
machine mean nothing; what is counted does."""

import getpass
import json
import re
import shutil
import sqlite3
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.bare, pytest.mark.timeout(240)]

SUITE = """
name: cluster
defaults: {schedule: interleaved}
benchmarks:
  - {name: sum, command: "expr 1 + 1"}
  - {name: nap, command: "sleep %s"}
"""


@pytest.fixture
def fleet(cluster, run_duet, tmp_path):
    """Submits the suite; what follows is asked of the fleet by its methods."""

    class Fleet:
        folder = tmp_path / "f"

        def call(self, *words, code=0):
            done = run_duet("fleet", *words, env=cluster.environment, timeout=60)
            assert done.returncode == code, (words, done.stdout, done.stderr)
            return done

        def submit(self, tasks, *more, nap="0.01", runs=2, code=0):
            """The array's job; of another exit status than 0 what was printed."""
            (tmp_path / "s.yaml").write_text(SUITE % nap)
            done = self.call("submit", "s.yaml", "--instances", tasks, "--runs", runs,
                             "--to", "f", "--instance", "task", "--time", "5", *more, code=code)
            return done if code else re.search(r"are job (\d+)", done.stdout).group(1)

        def status(self):
            return json.loads(self.call("status", "f", "--json").stdout)

        def collect(self):
            return json.loads(self.call("collect", "f", "--json").stdout)

        def results(self):
            return sorted((self.folder / "results").glob("*.db"))

        def logs(self):
            return {path.name: path.read_text(errors="replace")
                    for path in (self.folder / "logs").iterdir()}

        def wait(self, seconds=120):
            cluster.wait_for_jobs(seconds)

        def wait_until(self, done, seconds=60):
            deadline = time.monotonic() + seconds
            while not done():
                assert time.monotonic() < deadline, (cluster.jobs(), self.logs())
                time.sleep(0.1)

        def check(self, tasks, benchmarks=2):
            """The store has exactly one result of each task: the union of what counts."""
            document = self.collect()
            odd = [task for task in document["tasks"] if task["phase"] != "done"]
            assert document["phases"]["done"] == tasks, (odd, document["refused"], self.logs())
            taken = [self.folder / "results" / task["result"] for task in document["tasks"]]
            assert len(set(taken)) == tasks
            store = self.folder / "results.db"
            for query in ("SELECT count(*) FROM experiment", "SELECT count(*) FROM run",
                          "SELECT count(*) FROM iteration"):
                assert one(store, query) == sum(one(path, query) for path in taken), query
            uuids = "SELECT group_concat(uuid, ' ') FROM (SELECT uuid FROM experiment ORDER BY uuid)"
            parts = [uuid for path in taken for uuid in one(path, uuids).split()]
            assert one(store, uuids).split() == sorted(parts)
            assert one(store, "SELECT count(*) FROM experiment") == benchmarks * tasks
            return document

    return Fleet()


def one(path, query):
    with sqlite3.connect(path) as database:
        return database.execute(query).fetchone()[0]


@pytest.mark.rotating(13)
def test_fifty_tasks(fleet, run_duet):
    """All of them, a few at a time; the job that depends on them collects by itself, and
    studies find instances in the store."""
    fleet.submit(50, "--limit", "3")
    fleet.wait(200)
    assert (fleet.folder / "results.db").exists(), fleet.logs()
    fleet.wait_until(lambda: any("50 results from 50 instances" in log
                                 for log in fleet.logs().values()))
    document = fleet.check(50)
    assert document["refused"] == []
    assert {task["node"] for task in document["tasks"]} <= {"n1", "n2", "n3", "n4"}
    for study in ("variability", "false-positives"):
        done = run_duet("study", study, "suites:cluster", "--store", "f/results.db",
                        timeout=100)
        assert done.returncode == 0, done.stderr


@pytest.mark.rotating(3)
def test_a_node_dies(fleet, cluster):
    """Its task is started again elsewhere, and counts once."""
    job = fleet.submit(6, nap="0.8")
    fleet.wait_until(lambda: cluster.jobs().get((job, "2"), ("",))[0] == "RUNNING")
    victim = cluster.jobs()[job, "2"][1]
    fleet.wait_until(lambda: list((fleet.folder / "states").glob("000002-*")))
    cluster.kill_node(victim)
    fleet.wait(180)
    document = fleet.check(6)
    again = document["tasks"][1]
    assert again["attempt"] != f"{job}.0" and again["node"] != victim


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_two_nodes_die_among_fifty(fleet, cluster, run_duet, tmp_path, duet):
    """50 instances of 10 runs of the four workloads; two nodes are killed on the way and come
    back, and a third one's daemon; the table is the union of what counts."""
    workloads = "".join(
        f"  - {{name: {name}, command: \"{duet[-1]} workload {name} --operations 200\"}}\n"
        for name in ("integer", "float", "cache", "memory"))
    (tmp_path / "w.yaml").write_text(
        f"name: cluster\ndefaults: {{schedule: timeslice}}\nbenchmarks:\n{workloads}")
    fleet.call("submit", "w.yaml", "--instances", 50, "--runs", 10, "--iterations", 3, "--to",
               "f", "--instance", "task")
    fleet.wait_until(lambda: len(fleet.results()) >= 4, 200)
    cluster.kill_node("n1")
    fleet.wait_until(lambda: len(fleet.results()) >= 10, 300)
    cluster.kill_node("n2")
    cluster.start_node("n1")
    fleet.wait_until(lambda: len(fleet.results()) >= 16, 300)
    cluster.kill_daemon("n3")
    cluster.restart_controller()
    cluster.start_node("n2")
    cluster.start_node("n3")
    fleet.wait(600)
    document = fleet.check(50, benchmarks=4)
    assert any(not task["attempt"].endswith(".0") for task in document["tasks"])
    for study in ("variability", "false-positives"):
        done = run_duet("study", study, "suites:cluster", "--store", "f/results.db",
                        timeout=300)
        assert done.returncode == 0, done.stderr


def test_only_the_daemon_dies(fleet, cluster):
    """The task goes on and is started again, so that it runs twice; one result counts."""
    job = fleet.submit(1, nap="20", runs=1)
    fleet.wait_until(lambda: list((fleet.folder / "states").glob("000001-*")))
    cluster.kill_daemon(cluster.jobs()[job, "1"][1])
    fleet.wait_until(lambda: len(list((fleet.folder / "states").glob("000001-*"))) >= 2, 90)
    fleet.wait_until(lambda: len(fleet.results()) >= 2, 90)
    fleet.wait(60)
    document = fleet.check(1)
    assert len(document["doubled"]) >= 1


@pytest.mark.rotating
def test_the_controller_restarts(fleet, cluster):
    """Tasks go on meanwhile; status says that Slurm does not answer, and shows the rest."""
    fleet.submit(6, nap="0.5")
    fleet.wait_until(fleet.results)
    cluster.stop_controller()
    document = fleet.status()
    assert "squeue" in document["trouble"] and document["phases"]["done"] >= 1
    assert "Slurm does not answer" in fleet.call("status", "f").stdout
    cluster.restart_controller()
    fleet.wait()
    fleet.check(6)


@pytest.mark.rotating
def test_held_tasks(fleet, cluster):
    """Slurm never starts them by itself; status says so, and the command that does."""
    fleet.submit(3, "--sbatch=--hold")
    cluster.wait(lambda: len(cluster.active()) >= 3, 20, "no tasks")
    said = fleet.call("status", "f").stdout
    assert "  waiting: 1-3 (JobHeldUser)\n" in said
    assert {task["message"] for task in fleet.status()["tasks"]} == {"JobHeldUser"}
    command = re.search(r"held tasks go on after: (scontrol release \S+)", said).group(1)
    # --hold was for the job that collects, too.
    for words in (command, command.replace("=duet-", "=duet-collect-")):
        assert cluster.call(*words.split()).returncode == 0
    fleet.wait()
    fleet.check(3)


@pytest.mark.rotating(2)
def test_cancel_and_resume(fleet, cluster):
    """What is finished stays; only what is missing is submitted again."""
    job = fleet.submit(8, nap="0.5")
    fleet.wait_until(fleet.results)
    fleet.call("cancel", "f")
    fleet.wait()
    before = fleet.results()
    document = fleet.status()
    missing = [task["task"] for task in document["tasks"] if task["phase"] != "done"]
    assert 1 <= len(before) < 8 and len(missing) == 8 - len(before)
    assert all(task["phase"] in ("lost", "failed") for task in document["tasks"]
               if task["task"] in missing)
    told = fleet.call("resume", "f").stdout
    assert f"are job {job}\n" not in told
    fleet.wait()
    assert set(before) <= set(fleet.results())
    fleet.check(8)


def test_choices_of_a_user_hide_no_task(fleet, cluster):
    """What squeue and scancel show and end by themselves is not what the fleet asks."""
    job = fleet.submit(4, nap="20", runs=1)
    fleet.wait_until(lambda: list((fleet.folder / "states").glob("*")))
    for setting in ("SQUEUE_FORMAT2=jobid", "SQUEUE_ACCOUNT=other", "SQUEUE_PARTITION=other",
                    "SCANCEL_STATE=SUSPENDED"):
        name, _, value = setting.partition("=")
        cluster.environment[name] = value
    try:
        document = fleet.status()
        assert "trouble" not in document or not document["trouble"], document
        assert document["phases"].get("lost", 0) == 0, document
        fleet.call("cancel", "f")
    finally:
        for name in ("SQUEUE_FORMAT2", "SQUEUE_ACCOUNT", "SQUEUE_PARTITION", "SCANCEL_STATE"):
            del cluster.environment[name]
    fleet.wait()
    assert {state for (array, _), (state, _) in cluster.jobs().items() if array == job} == {
        "CANCELLED"}


def test_the_job_that_collects_is_refused(fleet, cluster, tmp_path, monkeypatch):
    """Nothing of the fleet goes on, which is said; resume submits both jobs again."""
    real = shutil.which("sbatch", path=cluster.environment["PATH"])
    fake = tmp_path / "bin/sbatch"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\ncase "$*" in *duet-collect-*) echo refused >&2; exit 1;; esac\n'
                    f'exec {real} "$@"\n')
    fake.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setitem(cluster.environment, "PATH", f"{fake.parent}:{cluster.environment['PATH']}")
        done = fleet.submit(3, nap="1", code=4)
    job = re.search(r"refused; job (\d+), the tasks, was cancelled", done.stderr).group(1)
    assert {number for number, _ in cluster.jobs()} == {job}
    fleet.wait(30)
    assert fleet.results() == []
    fleet.call("resume", "f")
    fleet.wait()
    fleet.check(3)


def test_a_result_is_cut(fleet):
    """It is refused by name; its task is measured again."""
    fleet.submit(3)
    fleet.wait()
    (fleet.folder / "results.db").unlink()
    (fleet.folder / "taken").unlink()
    victim = fleet.results()[1]
    with open(victim, "r+b") as file:
        file.truncate(victim.stat().st_size // 2)
    document = fleet.collect()
    assert document["phases"]["done"] == 2 and document["phases"]["lost"] == 1
    assert victim.name in document["refused"][0]


def test_early_decision(fleet, cluster):
    """The fleet cancels what is left as soon as the verdict is certain."""
    (fleet.folder.parent / "d.yaml").write_text(
        'benchmarks: [{name: nap, old: "sleep 0.01", new: "sleep 0.2"}]\n')
    fleet.call("submit", "d.yaml", "--instances", 40, "--runs", 2, "--schedule",
               "interleaved", "--until", "decided", "--to", "f")
    fleet.wait()
    document = fleet.collect()
    assert document["ended"] == "decided" and document["decided"]
    assert document["benchmarks"][0]["verdict"] == "slower"
    assert 8 <= document["phases"]["done"] < 20
    assert one(fleet.folder / "results.db", "SELECT count(*) FROM experiment") == \
        document["phases"]["done"]


def test_words_reach_slurm_and_nothing_else(cluster, run_duet, tmp_path):
    """Names that a shell or a script would execute are names."""
    odd = tmp_path / "a b;touch owned $(touch owned)\n#SBATCH --hold\n%A"
    odd.mkdir()  # a name of four kinds of harm
    (odd / "s.yaml").write_text(SUITE % "0")
    done = run_duet("fleet", "submit", odd / "s.yaml", "--instances", 1, "--runs", 2, "--to",
                    odd / "f", "--partition", "test", "--sbatch",
                    "--comment='x; touch owned' --nice=3", cwd=odd, env=cluster.environment)
    assert done.returncode == 0, done.stderr
    job = re.search(r"are job (\d+)", done.stdout).group(1)
    shown = cluster.call("scontrol", "show", "job", "-o", job).stdout
    assert "Comment=x; touch owned" in shown and "Partition=test" in shown
    cluster.wait_for_jobs()
    logs = [path.read_text() for path in (odd / "f/logs").iterdir()]
    assert len(list((odd / "f/results").glob("*.db"))) == 1, logs
    assert not list(tmp_path.rglob("owned"))
    refused = run_duet("fleet", "submit", odd / "s.yaml", "--instances", 1, "--to", tmp_path / "g",
                       "--partition", "none", env=cluster.environment)
    assert refused.returncode == 4 and "sbatch" in refused.stderr and "partition" in refused.stderr


def test_nothing_is_left(cluster):
    """Of the cluster itself."""
    cluster.call("sbatch", "--wrap", "sleep 60")
    folder = cluster.folder
    cluster.__exit__()
    assert not folder.exists() and not cluster.steps()
    assert getpass.getuser() is not None
