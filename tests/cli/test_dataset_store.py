"""Data sets in the store, and studies of what was measured here."""

import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess

import pytest

SHARED = pathlib.Path(os.environ.get("DUET_SHARED", pathlib.Path(__file__).resolve()
                                     .parents[3] / "shared")) / "data"
QUICK = {"variability": ["--replicates", 50],
         "false-positives": ["--draws", 10, "--replicates", 30, "--instances", "1,5",
                             "--trials", "1,5"],
         "samples": ["--draws", 10, "--replicates", 30, "--instances", "1,5",
                     "--trials", "1,5"],
         "detectable": ["--draws", 10, "--replicates", 30, "--instances", "1,5"]}

PA = """project;commit;benchmark;params;instance;trial;fork;iteration;mode;unit;value_count;value
p;c;b;x=1;vm1;0;0;0;avgt;ns;1;10
p;c;b;x=1;vm1;0;1;0;avgt;ns;1;11
p;c;b;x=1;vm2;0;0;0;avgt;ns;2;12
p;c;b;x=1;vm2;1;0;0;avgt;ns;1;500
"""
JMH = json.dumps([{"benchmark": "a.B", "mode": "avgt", "primaryMetric": {
    "scoreUnit": "ns/op", "rawData": [[1.5, 2.5], [3.5, 4.5]]}}])
GO = """goos: linux
pkg: some/where
BenchmarkA-8   100   12.5 ns/op
BenchmarkA-8   100   13.5 ns/op
PASS
ok  some/where 1.0s
"""
NAMED = "vm,fork,env,value,kind\na,0,aws,1,x\na,1,aws,2,x\nb,0,gce,3,x\nb,0,gce,30,y\n"


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def tables(done):
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def database(tmp_path, sql):
    done = subprocess.run(["sqlite3", tmp_path / ".duet/results.db", sql], text=True,
                          capture_output=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("name, content, arguments, names", [
    ("pa.csv", PA, [], ["p:b:x=1|-|vm1|0:0|1", "p:b:x=1|-|vm1|0:1|1",
                        "p:b:x=1|-|vm2|0:0|2", "p:b:x=1|-|vm2|1:0|1"]),
    ("jmh.json", JMH, [], ["a.B|-|jmh.json|1|2", "a.B|-|jmh.json|2|2"]),
    ("go.txt", GO, [], ["some/where:BenchmarkA-8|-|go.txt|1|2"]),
    ("named.csv", NAMED, ["--map", "environment=env,trial=fork", "--where", "kind=x"],
     ["-|aws|a|0|1", "-|aws|a|1|1", "-|gce|b|0|1"])])
def test_every_format_keeps_its_names(run_duet, tmp_path, name, content, arguments,
                                      names):
    """And gives the answer of the file, from the store and with what was dropped."""
    (tmp_path / name).write_text(content)
    imported = run_duet("import", name, *arguments, "--name", "set")
    assert imported.returncode == 0, imported.stderr
    assert "experiment 1 (set): a data set of 1 benchmark" in imported.stdout
    kept = database(tmp_path, "SELECT benchmark, environment, instance, trial, iterations"
                              " FROM trial ORDER BY id")
    assert len(kept) == len(names)
    for ours, wanted in zip(kept, names):
        ours, wanted = ours.split("|"), wanted.split("|")
        assert ours[:3] == wanted[:3] and ours[4] == wanted[4]
    study = ["study", "variability", "--replicates", 20]
    file = run_duet(*study, name, *arguments)
    stored = run_duet(*study, "set")
    assert file.returncode == stored.returncode == 0, file.stderr + stored.stderr
    assert file.stdout == stored.stdout
    if name == "pa.csv":
        assert ["-", "1", "2", "2", "2", "5", "4"] in tables(stored)
        (row,) = rows_of(run_duet(*study, "1", "--export-csv", "-"))
        assert row["dropped"] == "1" and row["values"] == "4"
    if name == "named.csv":
        assert "1 of 4 rows left out by --where" in stored.stdout


def test_pairs_and_environments(run_duet, tmp_path):
    (tmp_path / "a.csv").write_text("host,f1,f2\n" + "".join(
        f"h{i % 4},{100 + i % 7},{101 + i % 5}\n" for i in range(48)))
    arguments = ["--map", "old=f1,new=f2"]
    done = run_duet("import", "--dataset", "AWS=a.csv", "GCE=a.csv", *arguments)
    assert "2 environments, 8 trials, 96 pairs" in done.stdout
    for study, options in QUICK.items():
        options = [*options, "--export-csv", "-"]
        file = run_duet("study", study, "AWS=a.csv", "GCE=a.csv", *arguments, *options)
        stored = run_duet("study", study, "last", *options)
        assert rows_of(stored) == rows_of(file)
    (tmp_path / "b.csv").write_text("value\n1\n2\n")
    mixed = run_duet("study", "variability", "last", "b.csv")
    assert mixed.returncode == 2 and "has pairs, and some has not" in mixed.stderr
    run_duet("import", "--dataset", "b.csv", "--name", "plain")
    given = rows_of(run_duet("study", "variability", "X=plain", "Y=b.csv",
                             "--export-csv", "-"))
    assert [row["environment"] for row in given] == ["X", "Y"]


def test_listed_and_shown(run_duet, tmp_path):
    (tmp_path / "jmh.json").write_text(JMH)
    assert run_duet("import", "-q", "jmh.json").stdout == "1\n"
    listed = run_duet("list").stdout
    assert re.search(r"^ +1 .* data set +done +2  - +jmh.json: 1 benchmark, 1 environment, "
                     r"4 values$", listed, re.MULTILINE)
    shown = run_duet("show", "jmh.json")
    assert ["-", "1", "1", "2", "4"] in tables(shown)
    assert "duet study variability 1" in shown.stdout
    for arguments in (["show", "1", "--export-json", "x.json"], ["compare", "1"]):
        done = run_duet(*arguments)
        assert done.returncode == 2 and "is a data set, not a comparison" in done.stderr
    assert run_duet("plan", "1").returncode == 2
    run_duet("-r", 2, "-n", "pause", "sleep 0.001", "sleep 0.001")
    both = run_duet("show", "1", "2")
    assert both.returncode == 0 and "a data set, imported" in both.stdout
    assert "sleep 0.001" in both.stdout


def test_a_name_with_a_nul(run_duet, tmp_path):
    """As a damaged store may have it; it ends there."""
    (tmp_path / "jmh.json").write_text(JMH)
    assert run_duet("import", "-q", "jmh.json").stdout == "1\n"
    with sqlite3.connect(tmp_path / ".duet/results.db") as database:
        database.execute("UPDATE trial SET benchmark = CAST(CAST(benchmark AS BLOB) || x'00' || "
                         "zeroblob(5000000) AS TEXT) WHERE id = (SELECT max(id) FROM trial)")
    database.close()
    study = run_duet("study", "variability", "1", "-q", "--export-csv", "-")
    assert study.returncode == 0, study.stderr
    assert "\0" not in study.stdout and len(study.stdout) < 10_000


@pytest.mark.quiet
def test_what_is_measured_here(run_duet, tmp_path):
    """Runs are trials, the machine is the instance; pairs where the schedule has them."""
    run_duet("-r", 4, "-I", 3, "sleep 0.002", "sleep 0.002")
    run_duet("-r", 3, "-I", 2, "--schedule", "interleaved", "true", "true")
    (paired,) = rows_of(run_duet("study", "variability", "1", "--outliers", "none",
                                 "--export-csv", "-"))
    assert paired["benchmark"] == "sleep 0.002" and paired["environment"] == "-"
    assert (paired["instances"], paired["trials"], paired["values"]) == ("1", "4", "12")
    assert float(paired["cv_ratio_pct"]) > 0
    run_duet("study", "variability", "1", "--outliers", "none", "--export-svg", "v.svg")
    assert re.search(r", measured \d{4}-\d\d-\d\d<", (tmp_path / "v.svg").read_text())
    sides = rows_of(run_duet("study", "variability", "here=true", "--export-csv", "-"))
    assert {row["benchmark"] for row in sides} == {"true:old", "true:new"}
    assert {row["environment"] for row in sides} == {"here"}
    assert {row["values"] for row in sides} == {"6"} and sides[0]["cv_ratio_pct"] == ""
    both = rows_of(run_duet("study", "variability", "1", "2", "--export-csv", "-"))
    assert len(both) == 4 and both[0]["cv_ratio_pct"] == ""
    tests = {row["test"] for row in rows_of(run_duet(
        "study", "false-positives", "1", "--instances", "1", "--trials", "2", "--draws",
        10, "--replicates", 50, "--export-csv", "-"))}
    assert tests == {"wrs", "ci", "ratio"}


@pytest.mark.slow
def test_stores_of_several_machines(run_duet, tmp_path):
    """Each store has an experiment 1 with run 0: they stay apart."""
    for number in (1, 2):
        (tmp_path / "rows.csv").write_text("instance,trial,value\n" + "".join(
            f"vm{number},{t},{100 + number + t}\n" for t in range(3)))
        run_duet("import", "--dataset", "--store", f"{number}.db", "--name", "set", "rows.csv")
        run_duet("--store", f"{number}.db", "-q", "-r", 2, "--schedule", "interleaved",
                 "--name", "here", "true", "true")
    (row,) = rows_of(run_duet("study", "variability", "1.db:set", "2.db:1",
                              "--replicates", 0, "--export-csv", "-"))
    assert (row["instances"], row["trials"]) == ("2", "6")
    old, new = rows_of(run_duet("study", "variability", "--store", "2.db", "1.db:here",
                                "here", "--replicates", 0, "--outliers", "none",
                                "--export-csv", "-"))
    assert {old["benchmark"], new["benchmark"]} == {"here:old", "here:new"}
    assert (old["instances"], old["trials"]) == (new["instances"], new["trials"]) == ("1", "4")
    # A pipe is read from its beginning.
    with subprocess.Popen(["printf", "value\n1\n2\n3\n"], stdout=subprocess.PIPE) as pipe:
        (piped,) = rows_of(run_duet("study", "variability", "/dev/stdin", "--replicates", 0,
                                    "--export-csv", "-", stdin=pipe.stdout))
    assert piped["values"] == "3"
    for word, message in (("1.db", "'1.db' is a store: write 1.db:WHAT"),
                          ("1.db:x", "store '1.db' has no experiment 'x'"),
                          ("1.db:suite:x", "no experiments of a suite 'x'")):
        done = run_duet("study", "variability", word)
        assert done.returncode == 2 and message in done.stderr


@pytest.mark.slow
def test_a_suites_run(run_duet, tmp_path):
    (tmp_path / "suite.yaml").write_text(
        "name: small\nbenchmarks:\n  - name: one\n    command: sleep 0.001\n"
        "  - name: two\n    command: sleep 0.002\n")
    done = run_duet("suite", "suite.yaml", "-r", 2, "-I", 2)
    assert done.returncode == 0, done.stderr
    rows = rows_of(run_duet("study", "variability", "suite:small", "--export-csv", "-"))
    assert sorted(row["benchmark"] for row in rows) == ["one", "two"]
    assert {row["trials"] for row in rows} == {"2"}
    assert run_duet("suite", "suite.yaml", "-r", 2, "-I", 2).returncode == 0
    for which, trials in (("suite:small", "2"), ("suites:small", "4")):
        rows = rows_of(run_duet("study", "variability", which, "--export-csv", "-"))
        assert {row["trials"] for row in rows} == {trials}, which
    none = run_duet("study", "variability", "suite:large")
    assert none.returncode == 2 and "no experiments of a suite 'large'" in none.stderr


def test_wrong_usage(run_duet, tmp_path):
    (tmp_path / "data.csv").write_text("value\n1\n2\n")
    for arguments, message in (
            (["import", "--dataset", "none.csv"], "none.csv"),
            (["import", "--dataset", "data.csv", "--map", "side=x"], "KEY=NAME"),
            (["import", "--dataset", "data.csv", "--unit", "ms"], "for comparisons"),
            (["import", "data.csv"], "--dataset"),
            (["import", "data.csv", "data.csv", "data.csv"], "--dataset"),
            (["import", "--dataset"], "nothing to import"),
            (["study", "variability", "data.cvs"], "no file 'data.cvs'"),
            (["study", "variability", "--store", "no.db", "1"], "no.db")):
        done = run_duet(*arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
    assert not (tmp_path / ".duet").exists()


AZURE = "azure-vm-noise/OSBench--Create_Threads--{}--westus2--D8s_v5--us_Per_Event.csv"
SHARED_SETS = {
    "azure": [f"{kind}={SHARED / AZURE.format(kind)}" for kind in ("short", "long")],
    "cwb": ["--map", "value=fio/4k-seq-write-duration+sysbench/cpu-single-thread-duration,"
            "instance=provider_vm_id,trial=iteration,environment=source",
            SHARED / "cwb-aws/cwb-data-interim.csv"],
    "faaster": ["--where", "mode=A", "--where", "regression=0", "--where", "cold=0",
                "--map", "old=f1_ms,new=f2_ms,instance=call_idx,trial=iteration",
                SHARED / "faasterbench/faaster_aws.csv"]}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow if name == "cwb" else []) for name in SHARED_SETS])
def test_shared_data_runs_through_every_study(run_duet, name):
    if not (SHARED / "README.md").is_file():
        pytest.skip("no shared data; set DUET_SHARED")
    imported = run_duet("import", "--dataset", "--name", name, *SHARED_SETS[name])
    assert imported.returncode == 0, imported.stderr
    for study, options in QUICK.items():
        trials = ["--trials", "1,2"] if study == "detectable" else []
        rows = rows_of(run_duet("study", study, name, *options, *trials, "--export-csv",
                                "-"))
        assert rows
        assert study == "variability" or {row["test"] for row in rows} >= {"wrs", "ci"}
        assert study == "variability" or name != "faaster" or \
            "ratio" in {row["test"] for row in rows}
    # A plan made on half of the instances holds on those held out.
    options = ["--effect", "50%", "--draws", 60, "--export-csv", "-"]
    if name != "faaster":
        options += ["--sampling", "ibs", "--test", "ci"]
    rows = rows_of(run_duet("study", "planning", name, *options))
    planned = [row for row in rows if row["cost"] and row["held_out_found_pct"]]
    assert planned
    assert all(float(row["held_out_found_pct"]) >= 80 for row in planned)
