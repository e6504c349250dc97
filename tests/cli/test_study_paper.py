"""duet study accuracy, shuffle, sharing and ratio: the questions of Bulej 2020."""

import csv
import io
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time
import xml.etree.ElementTree as xml

import pytest

from support.processes import children_of, command_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "suites/published/duet-2020.csv"
SCALA, SPEC = "ScalaBench", "SPEC CPU 2017"

# What follows from the published triples, and what the paper's table 1 prints.
GAINS = {
    ("Amazon m5.large", SCALA): (2.31, "2.3"), ("Amazon m5.large", SPEC): (26.7, "26.6"),
    ("Amazon m5a.large", SCALA): (3.85, "3.86"),
    ("Amazon m5a.large", SPEC): (82.4, "82.4"),
    ("Amazon t3.medium", SCALA): (9.13, "9.13"),
    ("Amazon t3a.medium", SCALA): (3.98, "3.99"),
    ("GitLab CI", SCALA): (12.5, "12.5"), ("GitLab CI", SPEC): (23.9, "23.8"),
    ("Travis CI", SCALA): (3.97, "3.97"),
    ("public cloud, all", SCALA): (5.02, "5.03"),
    ("public cloud, all", SPEC): (37.5, "37.4"),
    ("Proxmox Busy", SCALA): (4.59, "-"), ("Proxmox Busy", SPEC): (49.4, "-"),
    ("Proxmox Idle", SCALA): (1.14, "-"), ("Proxmox Idle", SPEC): (1.12, "-"),
    ("Bare Metal", SCALA): (1.28, "-"), ("Bare Metal", SPEC): (1.00, "-"),
}
QUICK = ["--runs", 4, "--iterations", 3, "--replicates", 500, "--duration", "2ms"]


def gains(output):
    """(platform, suite) -> the numbers behind them in the table."""
    found = {}
    for line in output.splitlines():
        match = re.match(r"(\S.*?)\s{2,}(\S.*?)\s{2,}(\d+) +([-\d. ]+)$", line)
        if match:
            found[match[1], match[2]] = [match[3], *match[4].split()]
    return found


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


def pictures(folder):
    return {path.name: xml.parse(path).getroot() for path in folder.glob("*.svg")}


def test_published_widths_give_the_papers_table(run_duet, tmp_path):
    done = run_duet("study", "accuracy", "--published", "--export-svg", "pictures")
    assert done.returncode == 0, done.stderr
    table = gains(done.stdout)
    assert set(table) == set(GAINS)
    for key, (expected, printed) in GAINS.items():
        assert float(table[key][1]) == pytest.approx(expected, rel=0.01), key
        assert table[key][2] == printed, key
    assert table["public cloud, all", SCALA][0] == "120"
    assert table["public cloud, all", SPEC][0] == "69"
    shuffled = {suite: float(table["public cloud, all", suite][3])
                for suite in (SCALA, SPEC)}
    assert shuffled == {SCALA: pytest.approx(1.02, rel=0.01),
                        SPEC: pytest.approx(1.03, rel=0.01)}
    assert set(pictures(tmp_path / "pictures")) == {"figure-2-widths.svg",
                                                   "figure-4-shuffled.svg"}


def test_published_widths_are_those_of_the_file(run_duet, tmp_path):
    """Built in or read, and what is exported is read again."""
    built_in = run_duet("study", "accuracy", "--published", "--export-csv", "out.csv")
    given = run_duet("study", "accuracy", "--published", PUBLISHED)
    again = run_duet("study", "accuracy", "--published=out.csv", "--triples")
    assert given.returncode == again.returncode == 0, given.stderr + again.stderr
    first = gains(built_in.stdout)
    for other in (given, again):
        table = gains(other.stdout)
        assert {key: value[:2] for key, value in table.items()} == \
            {key: value[:2] for key, value in first.items()}
    assert "505.mcf_r" in again.stdout and "0.1 : 4.4 : 3.0" not in built_in.stdout
    assert len(rows_of(tmp_path / "out.csv")) == 318


@pytest.mark.parametrize("study", ["accuracy", "shuffle", "sharing", "ratio"])
def test_what_cannot_be_kept_is_not_measured_first(run_duet, tmp_path, study):
    """A study measured for an hour, and then found no folder for its pictures, or no file to
    show beside them; `accuracy` printed nothing then."""
    (tmp_path / "file").write_text("")
    words = ("study", study, "sleep 0.001", "--budget", "60s", "--store", "none")
    for more, status, message in (
            (("--export-svg", "nowhere/pictures"), 5, "cannot make the folder 'nowhere/pictures'"),
            (("--export-svg", "nowhere/pictures/"), 5, "cannot make the folder"),
            (("--export-svg", "file"), 5, "cannot draw into 'file': it is not a folder"),
            (("--export-svg", ""), 2, "pictures have '' for their folder"),
            *[(("--with", "none.csv"), 2, "cannot open 'none.csv'")] * (study == "accuracy")):
        done = run_duet(*words, *more, timeout=15)
        assert done.returncode == status and message in done.stderr, (more, done.stderr)
        assert done.stdout == ""


def test_an_answer_is_shown_that_cannot_be_drawn(run_duet, tmp_path):
    taken = tmp_path / "pictures/figure-1-times.svg"
    taken.mkdir(parents=True)
    done = run_duet("study", "accuracy", "sleep 0.001", "false", *QUICK, "--export-svg",
                    "pictures")
    taken.rmdir()
    assert done.returncode == 5 and "figure-1-times.svg" in done.stderr
    assert "sleep 0.001" in done.stdout and "Failed:\nfalse: " in done.stdout


@pytest.mark.parametrize("text, message", [
    ("", "is empty"), ("a,b\n", "no column 'group'"),
    ("group,platform,suite,workload,duet,shuffled,standard\n", "no row"),
    ("group,platform,suite,workload,duet,shuffled,standard\ng,p,s,w,1,2\n", "6 fields"),
    ("group,platform,suite,workload,duet,shuffled,standard\ng,p,s,w,1,2,x\n",
     "'x' is not a number"),
    ("group,platform,suite,workload,duet,shuffled,standard\ng,p,s,w,1,2,-3\n",
     "'-3' is not a number"),
    ("group,platform,suite,workload,duet,shuffled,standard,first_day\ng,p,s,w,1,2,3,soon\n",
     "'soon' is not a day")])
def test_wrong_files(run_duet, tmp_path, text, message):
    (tmp_path / "widths.csv").write_text(text)
    done = run_duet("study", "accuracy", "--published", "widths.csv")
    assert done.returncode == 2
    assert "widths.csv" in done.stderr and message in done.stderr


@pytest.mark.slow
def test_accuracy_measures_stores_and_answers_again(run_duet, tmp_path):
    done = run_duet("study", "accuracy", "--workload", "integer,float", *QUICK,
                    "--timeslice", "--platform", "here", "--export-csv", "widths.csv",
                    "--export-svg", "pictures")
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "widths.csv")
    assert [row["workload"] for row in rows] == ["integer", "float"]
    for row in rows:
        assert row["platform"] == "here" and row["suite"] == "artificial"
        assert float(row["runs"]) == 4 and float(row["iterations"]) == 3
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["first_day"])
        for width in ("duet", "shuffled", "standard", "duet_trimmed", "timeslice",
                      "standard_trimmed", "together_ratio"):
            assert float(row[width]) > 0
    assert ("here", "artificial") in gains(done.stdout)
    assert set(pictures(tmp_path / "pictures")) == {
        f"figure-{name}.svg" for name in ("1-times", "2-widths", "3-samples",
                                          "4-shuffled", "7-together")}
    stored = run_duet("study", "accuracy", "--replicates", 500, "--platform", "here",
                      "--export-csv", "again.csv", "--suite-name", "artificial")
    assert stored.returncode == 0, stored.stderr
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "widths.csv").read_text()
    less = run_duet("study", "accuracy", "--replicates", 500, "--confidence", "0.8",
                    "--export-csv", "less.csv", "--export-svg", "less")
    assert less.returncode == 0, less.stderr
    for row, of_less in zip(rows, rows_of(tmp_path / "less.csv"), strict=True):
        assert of_less["together_ratio"] == row["together_ratio"]
        # Empty: an interval of few runs has no such bound.
        assert not row["together_low"] or float(of_less["together_low"]) > float(row["together_low"])
        assert not row["together_high"] or float(of_less["together_high"]) < float(row["together_high"])
    for folder, level in (("pictures", 99), ("less", 80)):
        picture = (tmp_path / folder / "figure-7-together.svg").read_text()
        assert f"with its {level} % interval" in picture
    beside = run_duet("study", "accuracy", "--replicates", 500, "--with", PUBLISHED,
                      "--with", "widths.csv")
    assert ("Bare Metal", SPEC) in gains(beside.stdout)
    assert ("here", "artificial") in gains(beside.stdout)
    shuffled = run_duet("study", "shuffle", "--replicates", 500, "--platform", "here",
                        "--export-csv", "-")
    again = list(csv.DictReader(io.StringIO(shuffled.stdout)))
    assert [row["shuffled"] for row in again] == [row["shuffled"] for row in rows]


def test_a_workload_that_fails_is_reported(run_duet, tmp_path):
    done = run_duet("study", "accuracy", "sleep 0.001", "false", *QUICK, "--export-csv",
                    "widths.csv")
    assert done.returncode == 4
    assert "not all workloads" in done.stderr
    assert re.search(r"^Failed:\nfalse: .*exit status 1", done.stdout, re.MULTILINE)
    good, bad = rows_of(tmp_path / "widths.csv")
    assert good["workload"] == "sleep 0.001" and float(good["duet"]) > 0
    assert bad["workload"] == "false" and bad["duet"] == bad["standard"] == ""


def test_what_a_workload_left_running(run_duet, program):
    leaving = program("leaving", "sleep 100 > /dev/null 2>&1 &\n")
    done = run_duet("study", "shuffle", leaving, *QUICK)
    assert done.stderr.count("that the commands left running were killed") == 1, done.stderr


@pytest.mark.slow
def test_what_has_failed_is_no_answer_of_the_store(run_duet, tmp_path):
    """But is reported, until it was measured again; the runs before it failed are no
    result."""
    script = tmp_path / "fails"
    script.write_text("#!/bin/sh\necho x >> log; test $(wc -l < log) -lt 9\n")
    script.chmod(0o755)
    for schedule in ("duet", "interleaved"):
        failed = run_duet("--schedule", schedule, "--runs", 8, "--name", "some", script,
                          script)
        assert failed.returncode == 4
        sound = run_duet("--schedule", schedule, "--runs", 3, "--name", "other", "true",
                         "true")
        assert sound.returncode == 0, sound.stderr
    stored = ["study", "accuracy", "--replicates", 500, "--export-csv", "widths.csv"]
    done = run_duet(*stored)
    assert done.returncode == 4
    assert re.search(r"^Failed:\nsome: .*exit status 1.*\n\Z", done.stdout, re.MULTILINE)
    some, other = rows_of(tmp_path / "widths.csv")
    assert some["workload"] == "some" and some["duet"] == some["standard"] == ""
    assert float(other["duet"]) > 0 and float(other["standard"]) > 0
    for schedule in ("duet", "interleaved"):
        run_duet("--schedule", schedule, "--runs", 3, "--name", "some", "true", "true")
    assert run_duet(*stored).returncode == 0


SUITE = """
name: small
setup: echo hello > {scratch}/in && echo set up
cleanup: echo cleaned up
benchmarks:
  - name: copy
    command: sh -c 'cat {scratch}/in > {scratch}/{side}.out && cat {scratch}/{side}.out'
    check:
      matches: ^hello$
  - name: broken
    command: echo x
    check:
      matches: ^y$
  - name: nap
    command: sleep {t}
    parameters:
      t: [0.001, 0.002]
"""


def test_names_of_others_are_no_commands_to_a_terminal(run_duet, tmp_path):
    """Of programs that fail, as in the store of somebody else, and of their widths' file."""
    widths = tmp_path / "widths.csv"
    widths.write_text("group,platform,suite,workload,duet,shuffled,standard\n"
                      "g,\x1b[31mvm\u202e,s\x07,w\x1b]0;x,1,2,3\n")
    done = run_duet("study", "shuffle", *QUICK, "false \x1b[31mevil", "true")
    again = run_duet("study", "accuracy", "--with", "widths.csv")
    assert done.returncode == again.returncode + 4 == 4, again.stderr
    assert "Failed:\nfalse \ufffd[31mevil: " in done.stdout
    assert "\n\ufffd[31mvm\ufffd, s\ufffd\n" in again.stdout
    for text in (done.stdout, again.stdout):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)


def test_the_same_words_of_two_folders_are_no_answer(run_duet, tmp_path):
    """As two commits of `duet git`: they were taken for a command with itself."""
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
    words = ("run", "-q", "-r", 2)
    assert run_duet(*words, "--cwd-old", "old", "--cwd-new", "new", "true", "true").returncode == 0
    done = run_duet("study", "shuffle")
    assert done.returncode != 0 and "no comparison of a command with itself" in done.stderr
    assert run_duet(*words, "--name", "itself", "true", "true").returncode == 0
    done = run_duet("study", "shuffle", "--export-csv", "-")
    assert [row["workload"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["itself"]


@pytest.mark.slow
def test_a_suite_against_itself(run_duet, tmp_path):
    """With its set-up, checks and parameters; sides that differ in {side} alone are the
    same program."""
    (tmp_path / "suite.yaml").write_text(SUITE)
    done = run_duet("study", "accuracy", "--suite", "suite.yaml", *QUICK, "--export-csv",
                    "widths.csv")
    assert done.returncode == 4
    assert "set up" in done.stderr and "cleaned up" in done.stderr
    assert re.findall(r"^broken: .*", done.stdout, re.MULTILINE)[0].count("'^y$'") == 1
    rows = rows_of(tmp_path / "widths.csv")
    assert [(row["suite"], row["workload"], bool(row["duet"])) for row in rows] == [
        ("small", "copy", True), ("small", "broken", False),
        ("small", "nap t=0.001", True), ("small", "nap t=0.002", True)]
    stored = run_duet("study", "accuracy", "--replicates", 500, "--suite-name", "small",
                      "--export-csv", "-")
    assert stored.returncode == 4  # what has failed is stored, too
    assert list(csv.DictReader(io.StringIO(stored.stdout))) == rows
    some = run_duet("study", "shuffle", "--suite", "suite.yaml", "--only", "nap*", *QUICK,
                    "--store", "some.db", "--export-csv", "-")
    assert some.returncode == 0, some.stderr
    assert len(some.stdout.splitlines()) == 3
    (tmp_path / "two.yaml").write_text(
        "benchmarks:\n  - name: a\n    old: sleep 0\n    new: sleep 1\n")
    two = run_duet("study", "accuracy", "--suite", "two.yaml")
    assert two.returncode == 2 and "compares two programs" in two.stderr


def test_a_suite_is_measured_as_the_study_says(run_duet, tmp_path):
    """Whatever the benchmarks would choose by themselves: one CPU is too few for pairs."""
    (tmp_path / "suite.yaml").write_text("benchmarks:\n  - name: a\n    command: 'true'\n")
    one = {min(os.sched_getaffinity(0))}
    study = ["study", "accuracy", *QUICK]
    for what in (["--suite", "suite.yaml"], ["true"]):
        done = run_duet(*study, *what, preexec_fn=lambda: os.sched_setaffinity(0, one))
        assert done.returncode != 0 and "CPU" in done.stderr, done.stderr


@pytest.mark.quiet
def test_a_suite_says_what_is_warm_up(run_duet, tmp_path, integer):
    """Of programs that measure their own iterations; the command line has the last word,
    and something is left however small the budget is."""
    (tmp_path / "warm.yaml").write_text(
        "name: warm\ndefaults: {drop-warmup: half}\nbenchmarks:\n"
        f"  - name: integer\n    command: {integer(20000)}\n"
        f"  - name: other\n    command: {integer(30000)}\n    drop-warmup: 4\n")
    study = ["study", "accuracy", "--suite", "warm.yaml", "--replicates", 500, "--runs", 3,
             "--export-csv", "-"]

    def iterations(*arguments):
        done = run_duet(*study, *arguments)
        assert done.returncode == 0, done.stderr
        return [float(row["iterations"]) for row in csv.DictReader(io.StringIO(done.stdout))]

    assert iterations("--iterations", 6) == [3, 2]
    assert iterations("--iterations", 6, "--drop-warmup", "none") == [6, 6]
    assert iterations("--budget", "1ms") == [1, 1]


@pytest.mark.timing
def test_runs_are_as_long_as_the_budget_allows(run_duet, tmp_path, integer):
    (tmp_path / "warm.yaml").write_text(
        "defaults: {drop-warmup: half}\nbenchmarks:\n"
        f"  - name: integer\n    command: {integer(20000)}\n"
        f"  - name: other\n    command: {integer(30000)}\n    drop-warmup: 4\n")
    done = run_duet("study", "accuracy", "--suite", "warm.yaml", "--replicates", 500, "--runs",
                    3, "--budget", "60s", "--export-csv", "-")
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout))
    assert [float(row["iterations"]) for row in rows] == [50, 96]  # of 100, the paper's


@pytest.mark.slow
def test_the_store_knows_what_is_warm_up(run_duet, tmp_path, integer):
    """What a suite or --drop-warmup leaves out is left out again when the answer comes from
    the store, of each experiment its own, unless something else is asked for."""
    (tmp_path / "warm.yaml").write_text(
        "name: warm\ndefaults: {drop-warmup: half}\nbenchmarks:\n"
        f"  - name: integer\n    command: {integer(20000)}\n"
        f"  - name: other\n    command: {integer(30000)}\n    drop-warmup: 4\n")
    common = ["--replicates", 500, "--export-csv", "-"]
    measured = run_duet("study", "accuracy", "--suite", "warm.yaml", "--runs", 3,
                        "--iterations", 6, *common)
    assert measured.returncode == 0, measured.stderr
    again = ["study", "accuracy", "--suite-name", "warm", *common]
    assert run_duet(*again).stdout == measured.stdout
    everything = run_duet(*again, "--drop-warmup", "none").stdout
    assert [float(row["iterations"]) for row in csv.DictReader(io.StringIO(everything))] == \
        [6, 6]
    asked = run_duet("study", "shuffle", "--suite", "warm.yaml", "--drop-warmup", "2",
                     "--runs", 3, "--iterations", 6, "--store", "asked.db", *common)
    stored = run_duet("study", "shuffle", "--suite-name", "warm", "--store", "asked.db",
                      *common)
    assert stored.stdout == asked.stdout
    assert {float(row["iterations"]) for row in csv.DictReader(io.StringIO(stored.stdout))} \
        == {4}


@pytest.mark.slow
def test_show_and_compare_know_what_is_warm_up(run_duet, integer):
    measured = run_duet("--runs", 4, "--iterations", 6, "--drop-warmup", "half", "--name",
                        "one", integer(20000), integer(30000))
    assert measured.returncode == 0, measured.stderr
    assert "left out: 24" in measured.stdout
    assert run_duet("show", "last").stdout.startswith(measured.stdout)
    assert "left out: 24" in run_duet("compare", "last").stdout
    assert "left out" not in run_duet("show", "last", "--drop-warmup", "none").stdout
    assert "left out: 16" in run_duet("show", "last", "--drop-warmup", "2").stdout
    run_duet("--runs", 4, "--iterations", 6, "--name", "two", integer(20000), integer(30000))
    two = run_duet("compare", "one", "two")
    assert two.returncode == 2 and "give --drop-warmup" in two.stderr
    assert run_duet("compare", "one", "two", "--drop-warmup", "1").returncode == 0


def test_shuffle_measures_pairs_only(run_duet):
    done = run_duet("study", "shuffle", "sleep 0.001", *QUICK, "--store", "pairs.db")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^sleep 0.001 +[\d.]+ +[\d.]+ +[\d.]+$", done.stdout, re.MULTILINE)
    assert "geometric mean" in done.stdout
    listed = run_duet("list", "--store", "pairs.db").stdout
    assert listed.count("sleep 0.001  vs  sleep 0.001") == 1 and "duet" in listed


def test_commands_that_differ_at_their_ends_are_two(run_duet, tmp_path):
    commands = [f"true {'x' * 170} {i}" for i in range(2)]
    done = run_duet("study", "shuffle", *QUICK, "--export-csv", "out.csv", *commands)
    assert done.returncode == 0, done.stderr
    assert len(rows_of(tmp_path / "out.csv")) == 2
    done = run_duet("study", "accuracy", *QUICK[4:6], "--export-csv", "again.csv")  # of the store
    assert done.returncode == 0, done.stderr
    assert len(rows_of(tmp_path / "again.csv")) == 2


@pytest.mark.slow
def test_sharing_compares_quiet_and_busy(run_duet, tmp_path):
    done = run_duet("study", "sharing", "sleep 0.001", *QUICK, "--budget", "8s",
                    "--timeslice", "--platform", "here", "--export-csv", "widths.csv", "--export-svg",
                    "pictures")
    assert done.returncode == 0, done.stderr
    profile = re.match(r"Load: (duet stress --load mix --wave triangle --peak 100% "
                       r"--period [\d.]+s)\n", done.stdout)
    assert profile
    rows = rows_of(tmp_path / "widths.csv")
    assert [row["platform"] for row in rows] == ["here quiet", "here busy"]
    assert all(float(row[width]) > 0 for row in rows
               for width in ("duet", "standard", "timeslice"))
    assert profile[1] in run_duet("list").stdout
    assert set(pictures(tmp_path / "pictures")) == {"figure-5-sharing.svg"}
    stored = run_duet("study", "sharing", "--stored", "--replicates", 500, "--platform",
                      "here", "--export-csv", "-")
    assert stored.stdout == (tmp_path / "widths.csv").read_text()
    # What was measured under load is no answer to the other studies.
    other = run_duet("study", "accuracy", "--replicates", 500, "--export-csv", "-")
    assert len(other.stdout.splitlines()) == 2


@pytest.mark.slow
def test_ratio_of_a_known_ratio(run_duet, tmp_path):
    done = run_duet("study", "ratio", "--workload", "integer", *QUICK, "--budget", "8s",
                    "--export-csv", "ratios.csv", "--export-svg", "pictures")
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "ratios.csv")
    ratios = [row for row in rows if row["quantity"] == "ratio"]
    assert [(row["load"], row["fill"]) for row in ratios] == [
        ("quiet", "no"), ("quiet", "yes"), ("busy", "no"), ("busy", "yes")]
    for row in ratios:
        assert float(row["low"]) <= float(row["ratio"]) <= float(row["high"])
    (together,) = [row for row in rows if row["quantity"] == "together"]
    assert float(together["ratio"]) > 0
    drawn = pictures(tmp_path / "pictures")["figure-6-ratio.svg"]
    assert re.fullmatch(r"workloads: 1, runs of each: \d+( to \d+)?, measured 20\d\d-\d\d-\d\d",
                        list(drawn.iter("{http://www.w3.org/2000/svg}text"))[-1].text)


def test_ratio_of_commands_is_together_against_alone(run_duet):
    done = run_duet("study", "ratio", "sleep 0.001", *QUICK, "--budget", "4s",
                    "--export-csv", "-")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["quantity"] for row in rows] == ["together"]


@pytest.mark.slow
def test_interrupted_it_tells_what_is_done(start_duet, run_duet, tmp_path):
    """And leaves no competing load behind."""
    process = start_duet("study", "sharing", "sleep 0.001", "--runs", 4, "-I", 2,
                         "--budget", "300s", "sleep 1")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(8)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=50)
    assert process.returncode == 130
    assert "interrupted" in errors and "sleep 0.001" in output
    assert run_duet("list").stdout.count("sleep 0.001") > 0


def load_of(process):
    """The process that is the competing load of a study."""
    for _ in range(500):
        for child in children_of(process.pid):
            if command_of(child).split("\0")[1:2] == ["stress"]:
                return child
        time.sleep(0.05)
    raise AssertionError("no load was started")


@pytest.mark.slow
@pytest.mark.parametrize("study", ["sharing", "ratio"])
def test_a_load_that_ended_early_is_an_error(start_duet, study):
    """Since what was measured then is not what it is called."""
    process = start_duet("study", study, "--workload", "integer", *QUICK, "--budget", "8s")
    os.kill(load_of(process), signal.SIGKILL)
    _, errors = process.communicate(timeout=50)
    assert process.returncode == 5
    assert "competing load ended before" in errors and "measure again" in errors


def test_wrong_usage(run_duet):
    for arguments, message in (
            (["accuracy", "--published", "a", "b"], "unexpected argument"),
            (["accuracy", "--workload", "nothing"], "nothing"),
            (["accuracy", "--runs", "1"], "--runs"),
            (["accuracy", "--with", "nowhere.csv", "--published"], "nowhere.csv"),
            (["accuracy", "--store", "none"], "no comparison of a command with itself"),
            (["sharing", "--stored", "--workload", "all"], "measures nothing"),
            (["sharing", "--stored", "--store", "none"], "no comparison"),
            (["ratio", "--drop-warmup", "much"], "--drop-warmup")):
        done = run_duet("study", *arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["accuracy", "--published", "--workload", "all"], "--published measures nothing"),
    (["accuracy", "--published", "--suite", "s.yaml"], "--published measures nothing"),
    (["accuracy", "--published", "--timeslice"], "--published measures nothing"),
    (["accuracy", "--only", "a*", "true"], "--only goes with --suite"),
    (["sharing", "--only", "a*", "true"], "--only goes with --suite"),
    (["shuffle", "--only", "a*", "true"], "--only goes with --suite")])
def test_what_would_be_ignored_is_refused(run_duet, arguments, words):
    done = run_duet("study", *arguments)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


def test_warm_up_is_in_no_interval(run_duet, tmp_path, integer):
    """The time together over the time alone, and its interval, are of the same iterations."""
    study = ["study", "accuracy", "--replicates", 500, "--export-csv", "-", "--store", "w.db"]
    measured = run_duet(*study, "--runs", 4, "--iterations", 6, integer(20000))
    assert measured.returncode == 0, measured.stderr
    with sqlite3.connect(tmp_path / "w.db") as store:
        store.execute("UPDATE iteration SET end_ns = start_ns + 1000000 + 1000 * (run_id % 3)")
        store.execute("UPDATE iteration SET end_ns = end_ns + 1000000000 * (1 + run_id % 2)"
                      " WHERE idx < 3 AND run_id IN (SELECT r.id FROM run r JOIN experiment e"
                      " ON e.id = r.experiment_id WHERE e.schedule = 'duet')")
    done = run_duet(*study, "--drop-warmup", "half")
    row, = csv.DictReader(io.StringIO(done.stdout))
    assert float(row["iterations"]) == 3
    assert 0.9 < float(row["together_low"]) <= float(row["together_ratio"])
    assert float(row["together_ratio"]) <= float(row["together_high"]) < 1.1


def test_times_together_are_of_all_runs(run_duet, tmp_path, integer):
    """As their interval is, and winsorized, whatever sample the widths are of."""
    study = ["study", "accuracy", "--replicates", 500, "--export-csv", "-", "--store", "a.db"]
    measured = run_duet(*study, "--runs", 24, "--iterations", 3, integer(2000))
    assert measured.returncode == 0, measured.stderr
    with sqlite3.connect(tmp_path / "a.db") as store:
        store.execute("UPDATE iteration SET end_ns = start_ns + 1000000")
        store.execute("UPDATE iteration SET end_ns = end_ns + 2000000 WHERE run_id IN (SELECT"
                      " r.id FROM run r JOIN experiment e ON e.id = r.experiment_id WHERE"
                      " e.schedule = 'duet' AND r.idx % 2 = 1)")
        store.execute("UPDATE iteration SET end_ns = end_ns + 900000000 WHERE idx = 1 AND"
                      " side = 0 AND run_id = (SELECT min(id) FROM run)")
    for seed in range(1, 4):
        row, = csv.DictReader(io.StringIO(run_duet(*study, "--seed", seed).stdout))
        assert row["runs"] == "10"
        assert float(row["together_ratio"]) == pytest.approx(2)
        assert float(row["together_low"]) < 2 < float(row["together_high"])
