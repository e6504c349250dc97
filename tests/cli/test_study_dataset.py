"""duet study variability, false-positives, samples and detectable."""

import csv
import io
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

SHARED = pathlib.Path(os.environ.get("DUET_SHARED", pathlib.Path(__file__).resolve()
                                     .parents[3] / "shared")) / "data"
GRID = ["false-positives", "samples", "detectable"]


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def write_data(path, instances=12, trials=6, iterations=8, between=0.1):
    """Two benchmarks: instances differ in one, iterations alone in the other."""
    draw = random.Random(5)
    with open(path, "w", encoding="ascii") as file:
        file.write("benchmark;environment;host;run;value\n")
        for i in range(instances):
            shift = draw.gauss(0, between)
            for t in range(trials):
                for _ in range(iterations):
                    file.write(f"far;cloud;{i};{t};{100 * (1 + shift):.6f}\n")
                    file.write(f"near;cloud;{i};{t};{100 * (1 + draw.gauss(0, 0.05)):.6f}\n")
    return path


def test_variability(run_duet, tmp_path):
    write_data(tmp_path / "data.csv")
    done = run_duet("study", "variability", "data.csv", "--export-csv", "rows.csv",
                    "--export-json", "rows.json")
    assert done.returncode == 0, done.stderr
    assert "cloud" in done.stdout and "What varies most" in done.stdout
    far, near = csv.DictReader((tmp_path / "rows.csv").open())
    assert far["dominant"] == "instances" and near["dominant"] == "iterations"
    assert far["instances"] == "12" and far["trials"] == "72" and far["values"] == "576"
    assert float(far["cv_trial_pct"]) == 0 and 6 < float(far["cv_pct"]) < 14
    assert 4 < float(near["cv_trial_pct"]) < 6 and float(near["rciw_pct"]) < 30
    document = json.loads((tmp_path / "rows.json").read_text())
    assert document["schema_version"] == 1 and document["study"] == "variability"
    assert [row["benchmark"] for row in document["rows"]] == ["far", "near"]
    assert document["rows"][0]["cv_ratio_pct"] is None


def test_environments_and_cleaning(run_duet, tmp_path):
    (tmp_path / "a.csv").write_text("value\n1\n1\n1.5\n10\n")
    (tmp_path / "b.csv").write_text("value\n2\n2.5\n3\n")
    done = run_duet("study", "variability", "AWS=a.csv", "GCE=b.csv")
    assert done.returncode == 0, done.stderr
    words = [line.split() for line in done.stdout.splitlines()]
    # Benchmarks; at most: instances, trials, iterations; values; cleaned.
    assert ["AWS", "1", "1", "1", "4", "4", "4"] in words
    assert ["GCE", "1", "1", "1", "3", "3", "3"] in words
    done = run_duet("study", "variability", "AWS=a.csv", "--outliers", "5")
    assert ["AWS", "1", "1", "1", "3", "4", "3"] in [line.split() for line in
                                                     done.stdout.splitlines()]
    done = run_duet("study", "variability", "a.csv", "--first", "iterations=2",
                    "--export-csv", "-")
    assert rows_of(done)[0]["values"] == "2" and rows_of(done)[0]["cv_pct"] == "0"


def test_groups_too_small_to_look_changed(run_duet, tmp_path):
    """Bonferroni's 5 % / 40: no p value of two groups of 2 or 4 values is as small."""
    write_data(tmp_path / "data.csv", iterations=2)
    arguments = ["data.csv", "--draws", 40, "--replicates", 20, "--instances", "1,2,6",
                 "--trials", "1"]
    done = run_duet("study", "false-positives", *arguments)
    notes = [line.split()[:3] for line in done.stdout.splitlines()
             if line.endswith("(2: too few values to look changed)")]
    assert notes == [["ibs", "1", "1"], ["ibs", "2", "1"], ["tbs", "1", "1"],
                     ["tbs", "2", "1"]]
    done = run_duet("study", "samples", *arguments)
    assert done.stdout.count("(2: too few values to look changed)") == 2
    done = run_duet("study", "samples", *arguments, "--uncorrected", "--instances", "6")
    assert done.returncode == 0 and "too few values" not in done.stdout


def test_median_of_two(run_duet, tmp_path):
    """'near' has false positives of 0 or few, 'far' many: the median lies between."""
    write_data(tmp_path / "data.csv")
    done = run_duet("study", "false-positives", "data.csv", "--draws", 40, "--replicates",
                    100, "--instances", "1", "--trials", "1", "--tests", "ci",
                    "--sampling", "ibs")
    (line,) = [line.split() for line in done.stdout.splitlines()
               if line.startswith("ibs")]
    assert line[7] == line[8] != line[9]


@pytest.mark.parametrize("study", GRID)
@pytest.mark.slow
def test_groups(run_duet, tmp_path, study):
    write_data(tmp_path / "data.csv")
    arguments = ["study", study, "data.csv", "--draws", 40, "--replicates", 60,
                 "--instances", "1,3", "--trials", "1,3"]
    done = run_duet(*arguments, "--export-csv", "rows.csv", "--export-json", "rows.json",
                    "--export-svg", "answer.svg")
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / "answer.svg").read_text()
    assert picture.startswith("<svg") and "wrs, ibs" in picture and "no data" not in picture
    assert "Wilcoxon rank-sum" in done.stdout and "Overlap of bootstrap" in done.stdout
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert {row["test"] for row in rows} == {"wrs", "ci"}
    assert {row["sampling"] for row in rows} == {"ibs", "tbs"}
    assert len(json.loads((tmp_path / "rows.json").read_text())["rows"]) == len(rows)
    for threads in (1, 2):
        again = run_duet(*arguments, "--threads", threads, "--export-csv", "-")
        assert again.stdout == (tmp_path / "rows.csv").read_bytes().decode().replace("\r", "")


@pytest.mark.slow
def test_false_positives_by_sampling(run_duet, tmp_path):
    """Instances that differ and nothing else: different ones look changed, the same never."""
    write_data(tmp_path / "data.csv")
    rows = rows_of(run_duet("study", "false-positives", "data.csv", "--instances", "1",
                            "--trials", "1", "--export-csv", "-"))
    false = {(row["benchmark"], row["sampling"], row["test"]): float(row["false_pct"])
             for row in rows}
    assert false["far", "ibs", "wrs"] == false["far", "ibs", "ci"] == 100
    assert false["far", "tbs", "wrs"] == false["far", "tbs", "ci"] == 0
    assert false["near", "ibs", "wrs"] <= 5


def test_details_show_each_benchmark(run_duet, tmp_path):
    write_data(tmp_path / "data.csv")
    done = run_duet("study", "detectable", "data.csv", "--details", "--draws", 20,
                    "--replicates", 50, "--instances", "2", "--slowdowns", "1%,20%,100%")
    assert done.returncode == 0, done.stderr
    assert "far, wrs in %" in done.stdout and "near, ci in %" in done.stdout


@pytest.mark.slow
def test_pairs(run_duet, tmp_path):
    draw = random.Random(3)
    with open(tmp_path / "pairs.csv", "w", encoding="ascii") as file:
        file.write("call,f1,f2\n")
        for call in range(60):
            noise = draw.gauss(0, 0.3)
            for _ in range(3):
                times = [100 * 2.7 ** (noise + draw.gauss(0, 0.002)) for _ in range(2)]
                file.write(f"{call},{times[0]:.6f},{times[1]:.6f}\n")
    rows = rows_of(run_duet("study", "detectable", "pairs.csv", "--map",
                            "old=f1,new=f2,trial=call", "--instances", "1", "--trials",
                            "20", "--export-csv", "-"))
    found = {(row["sampling"], row["test"]): row["detectable_pct"] for row in rows}
    assert float(found["pairs", "ratio"]) <= 0.5
    assert found["pairs", "wrs"] == "" or float(found["pairs", "wrs"]) >= 10
    assert ("tbs", "ratio") not in found


@pytest.mark.rotating(3)
@pytest.mark.slow
def test_interrupted_and_resumed(start_duet, run_duet, tmp_path):
    write_data(tmp_path / "data.csv", 40, 10, 20)
    arguments = ["study", "false-positives", tmp_path / "data.csv", "--draws", "200",
                 "--replicates", "2000", "--tests", "ci", "--seed", "4"]
    process = start_duet(*arguments, "--resume", tmp_path / "state", "--export-csv",
                         tmp_path / "part.csv", "--threads", "1")
    deadline = time.monotonic() + 20
    while not (tmp_path / "state").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in errors
    part = (tmp_path / "part.csv").read_text().splitlines()
    arguments += ["--instances", "1,2", "--trials", "1,2"]
    other = run_duet(*arguments, "--resume", tmp_path / "state")
    assert other.returncode == 2 and "belongs to another study" in other.stderr
    whole = run_duet(*arguments, "--resume", tmp_path / "state2", "--export-csv", "-")
    again = run_duet(*arguments, "--resume", tmp_path / "state2", "--export-csv", "-")
    assert whole.returncode == 0 and again.stdout == whole.stdout
    # What was done before the interruption is part of the whole answer.
    common = [line for line in part if line.split(",")[4] in "12" and
              line.split(",")[5] in "12"]
    assert part[0].startswith("benchmark,")
    assert set(common) <= set(whole.stdout.splitlines())
    (tmp_path / "state2").write_text("x")
    done = run_duet(*arguments, "--resume", tmp_path / "state2")
    assert done.returncode == 2 and "no units of a study" in done.stderr


def test_plans_are_taken_up_again(run_duet, tmp_path):
    write_data(tmp_path / "data.csv", 12)
    arguments = ["study", "planning", "data.csv", "--effect", "20%", "--draws", 20,
                 "--export-csv", "-", "--resume", "state"]
    whole = run_duet(*arguments)
    assert whole.returncode == 0, whole.stderr
    lines = (tmp_path / "state").read_text().splitlines()
    assert len(lines) == 4 and lines[0].startswith("duet-study-2 ") and lines[3] == "end"
    # What the file says is not computed anew: another number there is another answer.
    fields = lines[1].split()
    fields[7] = "4711"
    (tmp_path / "state").write_text(f"{lines[0][:-1]}1\n{' '.join(fields)}\nend\n")
    part = run_duet(*arguments)
    first, second = whole.stdout.splitlines()[1:], part.stdout.splitlines()[1:]
    assert first[1] == second[1] and second[0].split(",")[8] == "4711"
    for wrong, message in (("x", "no units of a study"),
                           (f"{lines[0]}\n1 0", "was cut or changed"),
                           ("\n".join(lines[:3]), "was cut or changed"),
                           (f"{lines[0]}\n{lines[1]} 7\n{lines[2]}\nend\n", "was cut or changed"),
                           (f"{lines[0][:-1]}1\n0 2 1 1\nend\n", "cannot be its own")):
        (tmp_path / "state").write_text(wrong)
        done = run_duet(*arguments)
        assert done.returncode == 2 and message in done.stderr, done.stderr
    (tmp_path / "state").write_text("\n".join(lines))
    done = run_duet(*arguments, "--effect", "10%")
    assert done.returncode == 2 and "belongs to another study" in done.stderr
    (tmp_path / "state").unlink()
    run_duet("study", "samples", "data.csv", "--draws", 5, "--replicates", 20,
             "--resume", "state")
    done = run_duet(*arguments)
    assert done.returncode == 2 and "belongs to another study" in done.stderr


def test_pictures_of_variability_and_plans(run_duet, tmp_path):
    write_data(tmp_path / "data.csv", 12)
    run_duet("study", "variability", "data.csv", "--export-svg", "v.svg")
    picture = (tmp_path / "v.svg").read_text()
    for text in ("<svg", "CV in %", "cloud: CV by level", "on an instance", "instances",
                 "What varies most", "near"):
        assert text in picture
    assert "no data" not in picture
    run_duet("study", "planning", "data.csv", "--effect", "20%", "--draws", 20,
             "--export-svg", "p.svg")
    picture = (tmp_path / "p.svg").read_text()
    assert "Cheapest group" in picture and "found, held out" in picture
    assert "far, cloud" in picture and "no data" not in picture


@pytest.mark.parametrize("study, words", [("variability", "What varies most"),
                                          ("planning", "Plans for"),
                                          ("false-positives", "False positives")])
def test_an_answer_that_cannot_be_drawn_is_told(run_duet, tmp_path, study, words):
    write_data(tmp_path / "data.csv", instances=4, trials=2, iterations=3)
    done = run_duet("study", study, "data.csv", "--replicates", 20, "--export-svg",
                    "/dev/full", "--export-csv", "rows.csv")
    assert done.returncode == 5 and "/dev/full" in done.stderr
    assert words in done.stdout and len((tmp_path / "rows.csv").read_text().split()) > 1


@pytest.mark.parametrize("study, wrong, status, message", [
    (("coverage",), ("--export-csv", "nowhere/rows"), 5, "there is no folder 'nowhere/'"),
    (("coverage",), ("--export-json", "rows", "--export-csv", "rows"), 2, "one would be lost"),
    (("shuffle", "true"), ("--export-csv", "nowhere/rows"), 5, "there is no folder 'nowhere/'"),
    (("shuffle", "true"), ("--export-csv", ""), 2, "name one"),
    (("planning", "data.csv"), ("--export-json", ""), 2, "name one"),
    (("planning", "data.csv"), ("--export-svg", "nowhere/p.svg"), 5, "there is no folder"),
    (("variability", "data.csv"), ("--export-svg", "nowhere/v.svg"), 5, "there is no folder"),
    (("samples", "data.csv"), ("--export-svg", "rows", "--export-csv", "rows"), 2, "be lost")])
def test_exports_that_cannot_be_kept(run_duet, tmp_path, study, wrong, status, message):
    """Said before hours are spent."""
    write_data(tmp_path / "data.csv", instances=4, trials=2, iterations=3)
    done = run_duet("study", *study, *wrong)
    assert done.returncode == status and done.stdout == "", done
    assert message in done.stderr.replace("\n", " ")


@pytest.mark.parametrize("study, text", [
    ("false-positives", "3 x 3 (instances x trials)"),
    ("detectable", "smallest slowdown found, %")])
def test_curves_and_bars(run_duet, tmp_path, study, text):
    write_data(tmp_path / "data.csv")
    done = run_duet("study", study, "data.csv", "--draws", 20, "--replicates", 50,
                    "--instances", "1,3", "--trials", "1,3", "--export-svg", "s.svg")
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / "s.svg").read_text()
    assert text in picture and "no data" not in picture


def test_many_environments_have_a_row_each(run_duet, tmp_path):
    write_data(tmp_path / "data.csv")
    rows = (tmp_path / "data.csv").read_text().splitlines()
    names = [f"a cloud with a name of length {i}" for i in range(9)]
    (tmp_path / "nine.csv").write_text("\n".join([rows[0]] + [
        row.replace("cloud", name) for name in names for row in rows[1:]]))
    done = run_duet("study", "false-positives", "nine.csv", "--draws", 20,
                    "--replicates", 20, "--instances", "3", "--trials", "3",
                    "--export-svg", "s.svg", "--details")
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / "s.svg").read_text()
    # An axis with a name for each, in each of the four panels of distributions.
    assert all(picture.count(f">{name}<") == 4 for name in names)
    assert all(name[-10:] in done.stdout for name in names)


def test_benchmarks_by_rank(run_duet, tmp_path):
    """Nine benchmarks whose CVs are known, in another order."""
    with open(tmp_path / "data.csv", "w", encoding="ascii") as file:
        file.write("benchmark,value\n")
        for name, spread in zip("abcdefghi", (5, 1, 9, 2, 8, 3, 7, 4, 6)):
            file.write(f"{name},{100 + spread}\n{name},{100 - spread}\n")
    everything = run_duet("study", "variability", "data.csv", "--rank", "all",
                          "--export-csv", "rows.csv")
    assert everything.returncode == 0, everything.stderr
    lines = everything.stdout.splitlines()
    at = lines.index("Selected by variability (CV), of 9 benchmarks:")
    assert [line.split() for line in lines[at + 1:at + 6]] == [
        ["stable", "1.41", "%", "b"], ["q1", "4.24", "%", "f"],
        ["median", "7.07", "%", "a"], ["q3", "9.90", "%", "g"],
        ["least", "12.73", "%", "c"]]
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert [row["benchmark"] for row in rows] == list("abcfg")
    assert ["-", "5", "1", "1", "2", "10", "10"] in [line.split() for line in lines]
    some = rows_of(run_duet("study", "variability", "data.csv", "--rank", "least,stable",
                            "--export-csv", "-"))
    assert [row["benchmark"] for row in some] == ["b", "c"]
    whole = rows_of(run_duet("study", "variability", "data.csv", "--export-csv", "-"))
    assert [row for row in whole if row["benchmark"] in "abcfg"][1]["cv_pct"] == \
        rows[1]["cv_pct"]
    done = run_duet("study", "variability", "data.csv", "--rank", "best")
    assert done.returncode == 2 and "stable, q1, median, q3, least" in done.stderr


def test_planning(run_duet, tmp_path):
    write_data(tmp_path / "data.csv", 16)
    (far, near) = rows_of(run_duet("study", "planning", "data.csv", "--effect", "20%",
                                   "--draws", 40, "--export-csv", "-"))
    assert near["sampling"] == "tbs" and near["test"] == "wrs"
    assert float(near["found_pct"]) >= 95 and float(near["held_out_found_pct"]) > 80
    # Two versions on the same instances: what differs between them does not matter.
    assert float(far["cost"]) <= float(near["cost"])
    done = run_duet("plan", "--like", "data.csv", "--effect", "20%", "--effect", "50%")
    assert done.returncode == 0 and done.stdout.count("Cheapest group") == 2
    done = run_duet("study", "planning", "data.csv", "--first", "instances=3")
    assert done.returncode == 2 and "needs 4 instances" in done.stderr
    assert "more than 3" in done.stderr and "--map instance=NAME" in done.stderr
    # Where some have enough, the others are said to have not.
    (tmp_path / "few.csv").write_text("value\n1\n2\n")
    (_, _, few) = rows_of(run_duet("study", "planning", "data.csv", "few=few.csv",
                                   "--effect", "20%", "--draws", 20, "--export-csv", "-"))
    assert few["environment"] == "few" and few["cost"] == ""
    assert few["outcome"] == "too few instances" and far["outcome"] == "planned"
    done = run_duet("study", "planning", "data.csv", "few=few.csv", "--effect", "20%",
                    "--draws", 20)
    assert "Plans for 2 of 2 (1 more have fewer than 4 instances)." in done.stdout
    assert "of 2 plans that they suffice for" in done.stdout


def test_plan_like_is_the_study(run_duet, tmp_path):
    """With its defaults, and with what is given; what it cannot do is refused."""
    write_data(tmp_path / "data.csv", 16)
    words = ("data.csv", "--effect", "20%", "--export-json", "-")
    for plan, study in ((), ()), (("--power", "0.8"), ("--found", "0.8")), \
            (("--confidence", "0.99"), ("--confidence", "0.99")):
        planned = run_duet("plan", "--like", *words, *plan)
        studied = run_duet("study", "planning", *words, *study)
        assert planned.returncode == studied.returncode == 0, planned.stderr + studied.stderr
        assert json.loads(planned.stdout) == json.loads(studied.stdout)
    planned = run_duet("plan", "--like", "data.csv", "--effect", "20%", "last")
    assert planned.returncode == 2 and "unexpected argument 'last'" in planned.stderr
    planned = run_duet("plan", "--like", "data.csv", "--export-json", "-")
    assert planned.returncode == 2 and "give one --effect" in planned.stderr


@pytest.mark.parametrize("study", ["variability", *GRID])
def test_wrong_usage(run_duet, tmp_path, study):
    (tmp_path / "data.csv").write_text("value\n1\n2\n")
    for arguments, message in (([], "expected at least one DATA file"), (["none.csv"], "none.csv"),
                               (["data.csv", "--map", "x=y"], "KEY=NAME"),
                               (["data.csv", "--map", "old=value"], "both old= and new="),
                               (["data.csv", "--where", "x"], "COLUMN=VALUE"),
                               (["data.csv", "--where", "value=3"],
                                "--where left out all 2 rows"),
                               (["data.csv", "--outliers", "1"], "--outliers"),
                               (["data.csv", "--first", "2"], "instances=N"),
                               (["data.csv", "--format", "x"], "csv, json, go")):
        done = run_duet("study", study, *arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
    for option, value in (("--draws", "0"), ("--tests", "x"), ("--sampling", "x"),
                          ("--instances", "0"), ("--trials", "1,x"), ("--delta", "2")):
        if study != "variability":
            done = run_duet("study", study, "data.csv", option, value)
            assert done.returncode == 2 and option in done.stderr


def test_data_without_groups_says_so(run_duet, tmp_path):
    (tmp_path / "data.csv").write_text("value\n1\n2\n")
    done = run_duet("study", "samples", "data.csv")
    assert done.returncode == 0 and "ibs needs two instances" in done.stdout


def test_published_numbers(run_duet):
    """Mean and CV of the first N values, of Laaber's tool pa."""
    folder = SHARED / "instability-pa"
    if not folder.is_dir():
        pytest.skip("no shared data (instability-pa); set DUET_SHARED")
    files = sorted(folder.glob("[0-9]*.csv"))
    for count in (5, 10, 20, 30):
        rows = {row["benchmark"]: row for row in rows_of(
            run_duet("study", "variability", "--outliers", "none", "--replicates", 0,
                     "--first", f"trials={count}", "--export-csv", "-", *files))}
        with open(folder / f"published_{count}_iterations.csv", encoding="utf-8") as file:
            published = list(csv.reader(file))
        assert len(published) == len(rows) == 57
        for project, benchmark, _, mean, cv, *_ in published:
            (own,) = [row for name, row in rows.items()
                      if name.startswith(project + ":") and name.endswith(benchmark)]
            assert float(own["mean"]) == pytest.approx(float(mean), rel=5e-7)
            spread = float(own["cv_pct"])
            if count == 30:  # published is variance / mean * 100
                spread = spread ** 2 * float(own["mean"]) / 100
            assert spread == pytest.approx(float(cv), rel=1e-12)


def test_names_of_any_bytes_leave_json_and_csv_readable(run_duet, tmp_path):
    """Latin-1 is not UTF-8; quotes and separators are quoted."""
    rows = b"".join(b'%s;%d;%d\n' % (name, trial, 100 + trial * 7 % 5)
                    for name in (b"caf\xe9", b'"a, ""b"""') for trial in range(9))
    (tmp_path / "names.csv").write_bytes(b"benchmark;trial;value\n" + rows)
    done = run_duet("study", "variability", "names.csv", "--export-csv", "rows.csv",
                    "--export-json", "rows.json")
    assert done.returncode == 0, done.stderr
    assert "caf\ufffd " in done.stdout
    document = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for found in (document["rows"], table):
        assert sorted(row["benchmark"] for row in found) == ['a, "b"', "caf\ufffd"]
