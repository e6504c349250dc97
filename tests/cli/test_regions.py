"""Regions and operations of a benchmark program, from its iterations to every output."""

import json
import os
import signal
import subprocess

import pytest

SCHEDULES = ["duet", "interleaved", "timeslice"]


def rows_of(path):
    return {row["name"].rpartition(": ")[2] if row["region"] else "whole": row
            for row in json.loads(path.read_text())["comparisons"]}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_region_is_compared(run_duet, region_benchmark, stored, tmp_path, schedule,
                                 validate):
    """Four times the work in one region: it is found there, and half of it in the whole."""
    out = tmp_path / "out.json"
    result = run_duet(f"{region_benchmark} 40 40", f"{region_benchmark} 160 40", "-r", 8,
                      "-I", 20, "--schedule", schedule, "--export-json", out, "--name", "b")
    assert result.returncode == 0, result.stderr
    assert "b: parse" in result.stdout and "b: run" in result.stdout
    rows = rows_of(out)
    validate(json.loads(out.read_text()))
    assert list(rows) == ["whole", "parse", "run"]
    if schedule != "interleaved":  # which the load of other programs may hit anywhere
        assert rows["parse"]["ratio"] > 2 and rows["parse"]["verdict"] == "slower"
        assert 0.5 < rows["run"]["ratio"] < 1.5
        assert rows["parse"]["ratio"] > rows["whole"]["ratio"] > rows["run"]["ratio"]
    assert rows["parse"]["ratio"] > rows["run"]["ratio"]
    assert rows["parse"]["family"]["size"] == 2 == rows["run"]["family"]["size"]
    assert rows["whole"]["family"] is None
    assert stored.rows("SELECT name, region_of, region FROM experiment ORDER BY id") == [
        ("b", None, None), ("b: parse", 1, "parse"), ("b: run", 1, "run")]
    assert stored.rows("SELECT experiment_id, count(*) FROM iteration AS i JOIN run AS r ON "
                       "r.id = i.run_id GROUP BY 1") == [(1, 320), (2, 320), (3, 320)]
    stored.check()


def test_what_is_shown_again_is_the_same(run_duet, region_benchmark, tmp_path):
    first, again, one = (tmp_path / f"{n}.json" for n in range(3))
    result = run_duet(f"{region_benchmark} 20 20", f"{region_benchmark} 30 20", "-r", 8,
                      "-I", 10, "--export-json", first)
    assert result.returncode == 0, result.stderr
    for words, path in ((["last"], again), (["1", "2"], one)):
        shown = run_duet("show", *words, "--export-json", path)
        assert shown.returncode == 0, shown.stderr
        assert json.loads(path.read_text())["comparisons"] == json.loads(
            first.read_text())["comparisons"]
    listed = run_duet("list").stdout
    assert listed.count(": parse") == 1 and listed.count(": run") == 1
    assert run_duet("rm", 1, 2).returncode == 0
    assert "parse" not in run_duet("list").stdout


def test_batches_may_differ(run_duet, region_benchmark, stored, tmp_path):
    """Per operation both do the same, in batches of 2 and 5."""
    out = tmp_path / "out.json"
    result = run_duet(f"{region_benchmark} 20 20 2", f"{region_benchmark} 20 20 5", "-r", 8,
                      "-I", 10, "--export-json", out, "--no-fill")
    assert result.returncode == 0, result.stderr
    rows = rows_of(out)
    assert "typical operation" in result.stdout
    for row in rows.values():
        assert 0.6 < row["ratio"] < 1.6
        assert row["sides"]["old"]["operations"] == 2
        assert row["sides"]["new"]["operations"] == 5
    assert stored.rows("SELECT DISTINCT side, operations FROM iteration ORDER BY 1") == [
        (0, 2), (1, 5)]
    raw = [iteration for experiment in json.loads(out.read_text())["experiments"]
           for run in experiment["runs"] for iteration in run["iterations"]]
    assert {(one["old"]["operations"], one["new"]["operations"]) for one in raw} == {(2, 5)}
    values = stored.rows("SELECT value FROM observations WHERE side = 'new' AND metric = 'time'")
    assert sorted(value for value, in values) == sorted(one["new_ns"] / 5 for one in raw)


def test_a_region_of_one_side_is_told(run_duet, region_benchmark):
    for sides, who in ((("", " 1 extra"), "new"), ((" 1 extra", ""), "old")):
        commands = [f"{region_benchmark} 5 5{more}" for more in sides]
        result = run_duet(*commands, "-r", 4, "-I", 5, "-v")
        assert result.returncode == 0, result.stderr
        assert f"only {who} marks the region 'extra'" in result.stdout + result.stderr
        assert ": extra" not in result.stdout


@pytest.mark.parametrize("schedule", ["duet", "timeslice"])
def test_one_ring_is_full_sooner(run_duet, region_benchmark, stored, schedule):
    """Who has fewer regions waits at the meeting, with room left."""
    result = run_duet(f"{region_benchmark} 1 1", f"{region_benchmark} 1 1 1 extra", "-r", 2,
                      "-I", 3000, "--schedule", schedule)
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT side, sum(iterations) FROM run_side JOIN run ON run.id = run_id "
                       "WHERE experiment_id = 1 GROUP BY side") == [(0, 6000), (1, 6000)]


@pytest.mark.parametrize("schedule", ["duet", "interleaved"])
@pytest.mark.parametrize("options", [["-w", 1, "-I", 5000], ["-w", 3000]])
def test_the_ring_of_a_warm_up_is_emptied(run_duet, region_benchmark, schedule, options):
    result = run_duet(f"{region_benchmark} 1 1", f"{region_benchmark} 1 1", "-r", 2, *options,
                      "--schedule", schedule)
    assert result.returncode == 0, result.stderr


def test_too_many_names_together(run_duet, odd_benchmark, region_benchmark):
    result = run_duet(region_benchmark, f"{odd_benchmark} many-regions", "-r", 2, "-I", 3)
    assert result.returncode == 4, result.stderr
    assert "more than 16 regions together" in result.stderr


LATE = """defaults: {{until: decided}}
benchmarks:
  - {{name: long, command: sleep 1}}
  - {{name: late, command: sleep 1}}
  - {{name: marked, command: {benchmark} 5 5}}
"""


def test_what_failed_before_it_began_takes_no_regions_away(run_duet, region_benchmark,
                                                           tmp_path):
    (tmp_path / "suite.yaml").write_text(LATE.format(benchmark=region_benchmark))
    result = run_duet("suite", "suite.yaml", "--time-budget", "1s", "--seed", 1)
    assert "was over before its first run" in result.stderr, result
    assert result.returncode == 4 and "marked: parse" in result.stdout, result


def test_alone_each_has_its_line(region_benchmark):
    environment = {**os.environ, "DUET_ITERATIONS": "3"}
    done = subprocess.run([*region_benchmark.split(), "5", "5", "4"], env=environment,
                          capture_output=True, text=True, check=True, timeout=30)
    lines = done.stdout.splitlines()
    assert [line.rpartition(": ")[0] for line in lines] == [
        "regions", "regions: parse", "regions: run"]


def test_the_measurement_goes_on_with_its_regions(run_duet, region_benchmark, stored, program,
                                                  tmp_path):
    """The third run fails; what is resumed goes on in the regions' experiments."""
    program("benchmark", f"echo >>'{tmp_path}/count'\n"
                         f"[ $(wc -l <'{tmp_path}/count') -eq 3 ] && exit 3\n"
                         f"exec {region_benchmark} 5 5\n")
    result = run_duet("./benchmark", region_benchmark, "-r", 6, "-I", 5)
    assert result.returncode == 4, result.stderr
    assert stored.rows("SELECT state FROM experiment") == [("failed",)] * 3
    refused = run_duet("run", "--resume=2")
    assert refused.returncode == 2 and "--resume=1" in refused.stderr
    result = run_duet("run", "--resume")
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT experiment_id, count(*) FROM run GROUP BY 1") == [
        (1, 6), (2, 6), (3, 6)]
    assert stored.rows("SELECT state FROM experiment") == [("done",)] * 3


@pytest.mark.rotating(2)
def test_regions_of_an_interrupted_confirmation(start_duet, region_benchmark, tmp_path):
    """Those of what was confirmed are there, judged together."""
    out = tmp_path / "out.json"
    process = start_duet(f"{region_benchmark} 40 40", f"{region_benchmark} 160 160", "-r", 60,
                         "-I", 20, "--confirm", "--fail-on", "slower", "--export-json", out)
    while "once more to confirm it" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    rows = rows_of(out)
    assert process.returncode == 130 and list(rows) == ["whole", "parse", "run"]
    assert rows["parse"]["family"]["size"] == 2 == rows["run"]["family"]["size"]


def test_the_gate_of_what_is_stored_has_its_regions(run_duet, region_benchmark):
    """The whole takes as long on both sides."""
    result = run_duet(f"{region_benchmark} 40 160", f"{region_benchmark} 80 120", "-r", 16,
                      "-I", 20, "--fail-on", "slower", "--name", "b")
    assert result.returncode == 1 and "b: parse is slower" in result.stderr
    gate = run_duet("gate")
    assert gate.returncode == 1 and "b: parse is slower" in gate.stderr


# The whole takes as long on both sides, with twice the work in one region.
MOVED = ("160 640", "320 480")  # thousands of additions: a busy machine takes some milliseconds at once


def test_a_region_that_fails_is_confirmed(run_duet, region_benchmark, tmp_path):
    out = tmp_path / "out.json"
    old, new = (f"{region_benchmark} {work}" for work in MOVED)
    result = run_duet(old, new, "-r", 16, "-I", 20, "--fail-on", "slower", "--confirm", "--control",
                      "--name", "b", "--export-json", out)
    assert result.returncode == 1, result.stderr
    assert "b: parse fails its gate: measured once more to confirm it" in result.stderr
    rows = json.loads(out.read_text())["comparisons"]
    names = [f"b{of}{region}" for of in ("", " (control)", " (confirmation)")
             for region in ("", ": parse", ": run")]
    assert [row["name"] for row in rows] == names
    assert [row["role"] for row in rows] == [
        role for role in ("comparison", "control", "confirmation") for _ in range(3)]
    assert rows[1]["gate"]["state"] == "failed" and rows[1]["gate"]["confirmed"] is True
    assert [row["gate"] for row in rows[3:]] == [None] * 6
    assert rows[1]["family"]["size"] == rows[2]["family"]["size"] == 2
    gate = run_duet("gate")
    assert gate.returncode == 1 and "b: parse is slower" in gate.stderr
    assert "confirmed by a second experiment" in gate.stderr


@pytest.mark.rotating(2)
def test_a_region_that_does_not_fail_again_passes(run_duet, region_benchmark, program, tmp_path):
    """The first experiment takes away what makes it slow when it ends."""
    program("benchmark", f"test -e '{tmp_path}/slow' && exec {region_benchmark} {MOVED[1]}\n"
                         f"exec {region_benchmark} {MOVED[0]}\n")
    (tmp_path / "slow").write_text("")
    result = run_duet(f"{region_benchmark} {MOVED[0]}", "./benchmark", "-r", 16, "-I", 20,
                      "--max-slowdown", "40%", "--confirm", "--cleanup", f"rm -f {tmp_path}/slow",
                      "--name", "b")
    assert result.returncode == 0, result.stderr
    assert "gate: passed: b: parse" in result.stderr
    assert "not confirmed by a second experiment" in result.stderr
    assert run_duet("gate").returncode == 0


def test_what_is_accepted_holds_for_regions(run_duet, region_benchmark, tmp_path):
    (tmp_path / "suite.yaml").write_text(f"""benchmarks:
  - name: b
    old: {region_benchmark} 40 40
    new: {region_benchmark} 160 40
    runs: 16
    iterations: 20
    fail-on: slower
    accept: {{limit: 1000%, reason: parses more, until: 2999-12-31}}
""")
    result = run_duet("suite", "suite.yaml")
    assert result.returncode == 0 and "b: parse" in result.stdout, result.stderr
    assert result.stderr.count("parses more") == 3
    assert run_duet("gate").returncode == 0
