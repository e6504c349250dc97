"""Studies split over the tasks of a Slurm cluster: the same answer, whatever happens to the
tasks on the way."""

import json
import re
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.bare, pytest.mark.timeout(240)]

WORDS = ("study", "sequential", "--data", "normal", "--samples", 60000, "--blocks", 20,
         "--threads", 1)


@pytest.fixture
def study(cluster, run_duet, tmp_path):
    class Study:
        folder = tmp_path / "f"

        def call(self, *words, code=0):
            done = run_duet(*words, env=cluster.environment, timeout=100)
            assert done.returncode == code, (words, done.stdout, done.stderr)
            return done

        def submit(self, tasks, *words):
            done = self.call(*(words or WORDS), "--engine", "slurm", "--tasks", tasks, "--to",
                             "f", "--sbatch", "--time=5")
            return re.search(r"are job (\d+)", done.stdout).group(1)

        def results(self):
            return sorted((self.folder / "results").glob("*.part"))

        def states(self, task):
            return list((self.folder / "states").glob(f"{task:06}-*"))

        def wait_until(self, done, seconds=60):
            deadline = time.monotonic() + seconds
            while not done():
                assert time.monotonic() < deadline, (cluster.jobs(), self.logs())
                time.sleep(0.1)

        def logs(self):
            return {path.name: path.read_text(errors="replace")
                    for path in (self.folder / "logs").iterdir()}

    return Study()


@pytest.mark.rotating(13)
def test_one_task_or_many_or_none(study, cluster, run_duet, tmp_path):
    """Table, CSV and JSON; the job that collects gives the answer, too."""
    words = ("study", "coverage", "--data", "normal", "--samples", 70, "--replicates", 100,
             "--export-csv", tmp_path / "a.csv", "--export-json", tmp_path / "a.json")
    whole = run_duet(*words, timeout=100)
    assert whole.returncode == 0, whole.stderr
    files = [(tmp_path / name).read_bytes() for name in ("a.csv", "a.json")]
    for tasks in (2, 9):
        for name in ("a.csv", "a.json"):
            (tmp_path / name).unlink()
        study.submit(tasks, *words)
        cluster.wait_for_jobs(120)
        assert len(study.results()) == tasks, study.logs()
        assert [(tmp_path / name).read_bytes() for name in ("a.csv", "a.json")] == files
        log, = [text for name, text in study.logs().items() if name.startswith("collect-")]
        assert whole.stdout in log
        assert study.call("fleet", "collect", "f").stdout == whole.stdout
        study.folder.rename(tmp_path / f"f{tasks}")


@pytest.mark.rotating(9)
def test_a_node_dies_and_a_task_is_cut(study, cluster, run_duet):
    """The task is started again elsewhere; a result that was cut is computed again."""
    whole = run_duet(*WORDS, timeout=200).stdout
    job = study.submit(6)
    study.wait_until(lambda: cluster.jobs().get((job, "2"), ("",))[0] == "RUNNING")
    victim = cluster.jobs()[job, "2"][1]
    study.wait_until(lambda: study.states(2))
    cluster.kill_node(victim)
    cluster.wait_for_jobs(180)
    assert len(study.states(2)) == 2, study.logs()
    (study.folder / "taken").unlink()
    cut = study.results()[3]
    with open(cut, "r+b") as file:
        file.truncate(cut.stat().st_size // 2)
    refused = study.call("fleet", "collect", "f", code=5)
    assert refused.stdout == "" and cut.name in refused.stderr and "(4)" in refused.stderr
    cut.unlink()
    assert "tasks 4 are job" in study.call("fleet", "resume", "f").stdout
    cluster.wait_for_jobs(120)
    done = study.call("fleet", "collect", "f")
    assert done.stdout == whole, (done.stderr, study.logs())


@pytest.mark.rotating(7)
def test_cancel_status_and_resume(study, cluster, run_duet):
    """What is finished stays, only what is missing is computed, and nothing counts twice."""
    whole = run_duet(*WORDS, timeout=200).stdout
    study.submit(12)
    study.wait_until(study.results)
    study.call("fleet", "cancel", "f")
    cluster.wait_for_jobs()
    before = study.results()
    shown = json.loads(study.call("fleet", "status", "f", "--json").stdout)
    missing = [task["task"] for task in shown["tasks"] if task["phase"] != "done"]
    assert 1 <= len(before) < 12 and len(missing) == 12 - len(before)
    assert shown["fleet"]["suite"] == "study sequential" and shown["ended"] == "cancelled"
    early = study.call("fleet", "collect", "f", code=5)
    assert f"{len(missing)} of 12 tasks have no result yet" in early.stderr
    study.call("fleet", "resume", "f")
    cluster.wait_for_jobs(120)
    assert set(before) <= set(study.results()) and len(study.results()) == 12
    assert study.call("fleet", "collect", "f").stdout == whole
