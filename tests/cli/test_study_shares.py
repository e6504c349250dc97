"""Studies computed in shares: by parts in files, and by the tasks of fleets without Slurm
(with Slurm: tests/slurm). The answer is that of one process, to the last byte."""

import hashlib
import json
import os
import pathlib
import random
import resource
import shutil

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/duet-fleet-1.schema.json").read_text())

GROUPS = ("data.csv", "--draws", 10, "--replicates", 30, "--instances", "1,2,5", "--trials",
          "1,3", "--seed", 4)
STUDIES = {
    "sequential": ("--data", "normal", "--samples", 700, "--blocks", 8, "--effect", "1%"),
    "coverage": ("--data", "pareto", "--samples", 65, "--replicates", 100),
    "variability": ("data.csv", "--replicates", 100, "--export-svg", "picture.svg"),
    "false-positives": (*GROUPS, "--export-svg", "picture.svg"),
    "samples": GROUPS,
    "detectable": (*GROUPS, "--slowdowns", "1%,20%"),
    "planning": ("data.csv", "--effect", "20%", "--draws", 20),
    "stopping": ("series", "--every", 20, "--replicates", 100, "--errors", "5%",
                 "--rules", "metior,steady", "--export-svg", "pictures"),
    "stopping --bootstraps": ("series", "--bootstraps", "--replicates", 100, "--export-svg",
                              "pictures"),
    "prediction": ("--tests", 10, "--predictions", 20, "--replicates", 100, "--benchmarks", 3),
}
SMALL = STUDIES["sequential"]


def fill(folder):
    draw = random.Random(5)
    with open(folder / "data.csv", "w", encoding="ascii") as file:
        file.write("benchmark;environment;host;run;value\n")
        for i in range(12):
            shift = draw.gauss(0, 0.1)
            for t in range(6):
                for _ in range(8):
                    for name, time in (("far", 100 * (1 + shift)),
                                       ("near", 100 * (1 + draw.gauss(0, 0.05))),
                                       ("odd", 100 * (1 + abs(draw.gauss(0, 0.4))))):
                        file.write(f"{name};cloud;{i};{t};{time:.6f}\n")
    (folder / "series").mkdir()
    for name in ("quiet", "loud", "other"):
        draw = random.Random(name)
        lines = [f"{100 + 2 * draw.gauss(0, 1):.6f}" for _ in range(900)]
        (folder / "series" / f"A-{name}.txt").write_text("\n".join(lines) + "\n")
    (folder / "series/slices.csv").write_text(
        "file,test_points\n" + "".join(f"A-{name}.txt,420\n"
                                       for name in ("quiet", "loud", "other")))


def answer_of(run_duet, folder, *words, code=0):
    """What the study prints, and all files that it writes."""
    for path in folder.glob("picture*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    exports = ["--export-csv", "answer.csv"]
    if words[1] != "sequential":
        exports += ["--export-json", "answer.json"]
    done = run_duet(*words, *exports, timeout=100)
    assert done.returncode == code, (words, done.stdout, done.stderr)
    files = {path.name: path.read_bytes() for pattern in ("answer.*", "picture*", "picture*/*")
             for path in folder.glob(pattern) if path.is_file()}
    return done.stdout, files


@pytest.mark.slow
@pytest.mark.timeout(150)
@pytest.mark.rotating
@pytest.mark.parametrize("study", STUDIES)
def test_parts_give_the_same_answer(run_duet, tmp_path, study):
    """Text, CSV, JSON and pictures; the parts in another order, and with other threads."""
    fill(tmp_path)
    words = ("study", study.split()[0], *STUDIES[study])
    whole = answer_of(run_duet, tmp_path, *words)
    assert len(whole[0]) > 200 and "answer.csv" in whole[1]
    for part in (3, 1, 2):
        for path in tmp_path.glob("answer.*"):
            path.unlink()
        said = run_duet(*words, "--part", f"{part}/3", "--resume", f"parts/{part}/units",
                        "--threads", part, timeout=100)
        assert said.returncode == 5 and "parts" in said.stderr  # there is no such folder
        (tmp_path / f"parts/{part}").mkdir(parents=True)
        said = run_duet(*words, "--part", f"{part}/3", "--resume", f"parts/{part}/units",
                        "--threads", part, "--export-csv", "answer.csv", timeout=100)
        assert said.returncode == 0 and said.stdout == "", said.stderr
        assert f"part {part} of 3: " in said.stderr
        assert not list(tmp_path.glob("answer.*"))  # a part has no answer
    assert answer_of(run_duet, tmp_path, *words, "--parts", "parts") == whole
    # Without one of them its units are computed here; a state is such a file, too.
    (tmp_path / "parts/2/units").unlink()
    again = answer_of(run_duet, tmp_path, *words, "--parts", "parts/1", "--parts",
                      "parts/3/units", "--resume", "state")
    assert again == whole
    assert answer_of(run_duet, tmp_path, *words, "--resume", "state") == whole


def test_parts_that_do_not_fit(run_duet, tmp_path):
    words = ("study", "sequential", *SMALL)
    for part in (1, 2):
        assert run_duet(*words, "--part", f"{part}/2", "--resume", f"p{part}").returncode == 0
    for more, status, message in (
            (("--parts", "none"), 2, "cannot read 'none'"),
            (("--parts", "p1", "--seed", 3), 2, "belongs to another study"),
            (("--part", "1/2"), 2, "--part 1/2 needs --resume FILE"),
            (("--part", "3/2", "--resume", "x"), 2, "expected I/N with I from 1 to N"),
            (("--part", "2", "--resume", "x"), 2, "such as 3/20"),
            (("--tasks", 3), 2, "need --engine"),
            (("--sbatch", "--nice"), 2, "--sbatch needs --engine slurm"),
            (("--engine", "slurm", "--sbatch", "nice"), 2, "expected an option of sbatch"),
            (("--engine", "local", "--resume", "x"), 2, "makes the parts itself"),
            (("--engine", "cloud"), 2, "local, files, slurm")):
        done = run_duet(*words, *more)
        assert done.returncode == status and message in done.stderr, (more, done.stderr)
    text = (tmp_path / "p1").read_text()
    (tmp_path / "p1").write_text(text[:-2])
    done = run_duet(*words, "--parts", "p1")
    assert done.returncode == 2 and "'p1' was cut or changed" in done.stderr
    # Two machines that do not compute alike.
    lines = text.splitlines()
    fields = lines[1].split()
    fields[3] = "7"
    (tmp_path / "p1").write_text(text)
    (tmp_path / "other").write_text("\n".join([lines[0], " ".join(fields), *lines[2:]]))
    done = run_duet(*words, "--parts", "p1", "--parts", "other")
    assert done.returncode == 2 and "do not compute alike" in done.stderr


def test_progress_has_a_file_of_its_own(run_duet, tmp_path):
    """A named pipe was waited for, and Ctrl-C did not end that; an export replaced what was
    known, and standard output was taken for a file."""
    words = ("study", "sequential", *SMALL)
    os.mkfifo(tmp_path / "pipe")
    for more, status, message in (
            (("--resume", "pipe"), 2, "cannot read 'pipe': it is not a regular file"),
            (("--parts", "pipe"), 2, "cannot read 'pipe': it is not a regular file"),
            (("--resume", "-"), 2, "--resume -: progress is kept in a file"),
            (("--part", "1/2", "--resume", "/dev/stdout"), 2, "progress is kept in a file"),
            (("--resume", "p", "--export-csv", "p"), 2, "--resume and an export go to 'p'")):
        done = run_duet(*words, *more, timeout=20)
        assert done.returncode == status and message in done.stderr, (more, done.stderr)
        assert done.stdout == ""
    done = run_duet(*words, "--part", "1/2", "--resume", "p", "--export-csv", "p")
    assert done.returncode == 0, done.stderr  # a part has no answer


@pytest.mark.parametrize("study", ["sequential", "samples", "planning", "prediction"])
def test_what_cannot_be_kept_is_shown(run_duet, tmp_path, study):
    """A study whose file had no space in the end printed nothing of all that it had
    computed."""
    fill(tmp_path)
    words = ("study", study, *STUDIES[study])
    whole = run_duet(*words)
    done = run_duet(*words, "--resume", "state", preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (64, 64)))
    assert done.returncode == 5 and "cannot write 'state'" in done.stderr
    assert done.stdout == whole.stdout and len(whole.stdout) > 200


@pytest.mark.parametrize("study", ["ratio", "accuracy", "sharing", "shuffle"])
def test_what_is_measured_cannot_be_split(run_duet, study):
    done = run_duet("study", study, "--engine", "slurm")
    assert done.returncode == 2
    assert "cannot be split" in done.stderr and "duet fleet submit" in done.stderr


def test_local_tasks(run_duet, tmp_path):
    """They print the answer, and nothing else on standard output."""
    whole = run_duet("study", "sequential", *SMALL)
    done = run_duet("study", "sequential", *SMALL, "--engine", "local", "--tasks", 7, "--to",
                    "f", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout == whole.stdout
    assert "3 units of work: 3 tasks" in done.stderr
    assert len(list((tmp_path / "f/results").glob("*.part"))) == 3
    again = run_duet("fleet", "resume", "f")
    assert again.stdout == whole.stdout and "no task is missing" in again.stderr


def test_one_unit_is_not_split(run_duet, tmp_path):
    done = run_duet("study", "sequential", "--data", "normal", "--samples", 100, "--engine",
                    "files", "--to", "f")
    assert done.returncode == 2 and "cannot be split" in done.stderr
    assert not (tmp_path / "f").exists()


@pytest.fixture
def fleet(run_duet, tmp_path):
    """Three tasks of a study of a data set, for whoever executes them."""
    fill(tmp_path)
    words = ("study", "variability", "data.csv", "--replicates", 50)
    done = run_duet(*words, "--engine", "files", "--tasks", 3, "--to", "f", "--ship",
                    "data.csv")
    assert done.returncode == 0, done.stderr
    assert "fleet task" in done.stdout and "fleet collect" in done.stdout

    class Fleet:
        whole = run_duet(*words).stdout
        folder = tmp_path / "f"

        def task(self, number, *more):
            return run_duet("fleet", "task", "f", number, *more)

        def collect(self, *more):
            return run_duet("fleet", "collect", "f", *more)

        def results(self):
            return sorted((self.folder / "results").glob("*.part"))

    return Fleet()


def test_tasks_by_files(run_duet, fleet, tmp_path):
    """The folder is all that a machine needs; what it leaves is carried back."""
    (tmp_path / "data.csv").rename(tmp_path / "elsewhere.csv")
    early = fleet.collect()
    assert early.returncode == 5 and early.stdout == ""
    assert "3 of 3 tasks have no result yet (1-3)" in early.stderr
    assert "duet fleet resume" in early.stderr
    shown = run_duet("fleet", "status", "f")
    assert "study variability, 3 tasks, files" in shown.stdout and "3 waiting" in shown.stdout
    (tmp_path / "down").mkdir()
    for number in (2, 1, 3):
        done = fleet.task(number)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "" and f"task {number}: result" in done.stderr
    assert "has a result already" in fleet.task(2).stderr
    fleet.results()[0].rename(tmp_path / "down" / fleet.results()[0].name)
    document = json.loads(run_duet("fleet", "status", "f", "--json").stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["fleet"]["study"] is True and document["benchmarks"] == []
    missing = fleet.collect()
    assert missing.returncode == 5 and "1 of 3 tasks have no result yet (1)" in missing.stderr
    done = fleet.collect("down")
    assert done.returncode == 0 and done.stdout == fleet.whole, done.stderr


def test_a_task_that_ran_twice_counts_once(fleet):
    for number in (1, 2, 3):
        assert fleet.task(number).returncode == 0
    first = fleet.results()[1]
    text = first.read_bytes()
    fields = first.name.split("-")
    doubled = first.with_name("-".join([*fields[:2], "again.1", fields[3]]))
    doubled.write_bytes(text)
    os.utime(doubled, ns=(first.stat().st_mtime_ns + 10**9,) * 2)
    done = fleet.collect()
    assert done.returncode == 0 and done.stdout == fleet.whole
    assert "not counted, its task has another result" in done.stderr
    assert doubled.name in done.stderr


def test_a_part_that_was_cut_is_refused(run_duet, fleet):
    for number in (1, 2, 3):
        assert fleet.task(number).returncode == 0
    victim = fleet.results()[2]
    victim.write_bytes(victim.read_bytes()[:-9])
    done = fleet.collect()
    assert done.returncode == 5 and done.stdout == ""
    assert f"refused: {victim}" in done.stderr and "(3)" in done.stderr
    victim.unlink()
    assert "execute tasks 3" in run_duet("fleet", "resume", "f").stdout
    assert fleet.task(3).returncode == 0
    done = fleet.collect()
    assert done.returncode == 0 and done.stdout == fleet.whole, done.stderr


def test_a_part_of_other_data_is_refused(fleet):
    """Its name and digest are right, and its units are of another data set."""
    data = fleet.folder / "files/data.csv"
    text = data.read_text()
    for number in (1, 2):
        assert fleet.task(number).returncode == 0
    data.write_text(text.replace("99.", "98."))
    assert fleet.task(3).returncode == 0
    data.write_text(text)
    done = fleet.collect()
    assert done.returncode == 2 and "belongs to another study, other data" in done.stderr
    assert fleet.results()[2].name in done.stderr


def test_the_same_content_under_another_fleet(run_duet, fleet):
    for number in (1, 2, 3):
        assert fleet.task(number).returncode == 0
    path = fleet.results()[0]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    stranger = path.with_name(f"00000000-000001-1.0-{digest}.part")
    stranger.write_bytes(path.read_bytes())
    done = fleet.collect()
    assert done.returncode == 0 and done.stdout == fleet.whole
    assert f"not of this fleet: {stranger}" in done.stderr


def test_a_study_has_no_options_of_a_collection(fleet):
    done = fleet.collect("--json")
    assert done.returncode == 2 and "--json: the fleet computes a study" in done.stderr


def test_a_task_that_fails_says_so(run_duet, fleet):
    (fleet.folder / "files/data.csv").unlink()
    done = fleet.task(1)
    assert done.returncode != 0 and "data.csv" in done.stderr
    document = json.loads(run_duet("fleet", "status", "f", "--json").stdout)
    assert document["phases"]["failed"] == 1
    assert "duet study variability" in document["tasks"][0]["message"]


def test_a_study_that_this_duet_does_not_have(fleet):
    """As a newer one may have submitted it."""
    for number in (1, 2):
        assert fleet.task(number).returncode == 0
    path = fleet.folder / "plan.json"
    plan = json.loads(path.read_text())
    path.write_text(json.dumps({**plan, "options": ["divination", *plan["options"][1:]]}))
    told = "the fleet's plan names 'duet study divination', which this duet does not have"
    done = fleet.task(3)
    assert done.returncode == 2 and told in done.stderr, done.stderr
    path.write_text(json.dumps(plan))
    assert fleet.task(3).returncode == 0
    path.write_text(json.dumps({**plan, "options": ["divination"]}))
    done = fleet.collect()
    assert done.returncode == 2 and told in done.stderr, done.stderr
    path.write_text(json.dumps({**plan, "options": []}))
    for done in (fleet.task(1), fleet.collect()):
        assert done.returncode == 2 and '"options"' in done.stderr, done
    path.write_text(json.dumps(plan))
    assert fleet.collect().stdout == fleet.whole


def test_the_folder_of_a_study_is_gone(run_duet, tmp_path):
    """Files are found from there, so that the answer would be another one elsewhere."""
    (tmp_path / "here").mkdir()
    words = ("study", "sequential", *SMALL, "--engine", "local", "--tasks", 2, "--to", "../f")
    whole = run_duet(*words, cwd=tmp_path / "here")
    assert whole.returncode == 0, whole.stderr
    (tmp_path / "here").rmdir()
    done = run_duet("fleet", "collect", "f")
    assert done.returncode == 5 and done.stdout == ""
    assert f"cannot go to '{tmp_path / 'here'}', where the study was submitted" in done.stderr
    (tmp_path / "here").mkdir()
    done = run_duet("fleet", "collect", "f")
    assert done.returncode == 0 and done.stdout == whole.stdout


def test_what_is_wrong_is_found_before_any_task(run_duet, tmp_path):
    done = run_duet("study", "variability", "none.csv", "--engine", "files", "--to", "f")
    assert done.returncode == 2 and "none.csv" in done.stderr
    assert not (tmp_path / "f").exists()
    fill(tmp_path)
    done = run_duet("study", "variability", "data.csv", "--engine", "files", "--to", "f",
                    "--ship", "/etc/passwd")
    assert done.returncode == 2 and "move it there" in done.stderr
    assert not (tmp_path / "f").exists()
