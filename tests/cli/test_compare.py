"""duet compare: files of other programs, and stored experiments."""

import csv
import io
import json
import random

import pytest


def numbers(path, values):
    path.write_text("".join(f"{value!r}\n" for value in values))
    return path


def noisy(seed, count, mean):
    source = random.Random(seed)
    return [mean * source.uniform(0.95, 1.05) for _ in range(count)]


@pytest.fixture(name="files")
def files_fixture(tmp_path):
    return (numbers(tmp_path / "old.txt", noisy(1, 60, 1.0)),
            numbers(tmp_path / "new.txt", noisy(2, 60, 1.2)))


@pytest.fixture(name="pairs")
def pairs_fixture(tmp_path):
    """20 runs of 5 pairs; new takes 3 % longer, under 30 % of common noise."""
    source = random.Random(3)
    lines = ["trial;iter;variant;time_ms"]
    for run in range(1, 21):
        for iteration in range(5):
            common = source.uniform(10, 13)
            for side, factor in (("base", 1.0), ("head", 1.03)):
                time = common * factor * source.uniform(1, 1.004)
                lines.append(f"{run};{iteration};{side};{time:.6f}")
    path = tmp_path / "pairs.csv"
    path.write_text("\r\n".join(lines) + "\r\n")
    return path


def exported(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def comparison_of(run_duet, *arguments):
    (comparison,) = exported(run_duet("compare", *arguments,
                                      "--export-json", "-"))["comparisons"]
    return comparison


def test_two_files_of_numbers(run_duet, files):
    done = run_duet("compare", *files, "--test", "ranksum")
    assert done.returncode == 0, done.stderr
    assert "slower" in done.stdout
    assert "60 iterations a side" in done.stdout
    assert "Cliff's delta +1.00" in done.stdout
    assert "a change" in done.stdout


def test_independent_values_have_the_interval_of_their_mean(run_duet, files):
    comparison = comparison_of(run_duet, *files)
    interval = comparison["interval"]
    assert interval["method"] == "t"
    assert interval["unit"] == "iterations"
    assert comparison["schedule"] == "sequential"
    # sd 2.9 % of each, 60 values: two standard errors of 0.37 and 0.45 %.
    assert 0.02 < interval["high"] - interval["low"] < 0.04
    assert interval["low"] < 1.2 < interval["high"]
    assert comparison["could_have_seen_pct"] < 3


def test_the_same_within_1_percent_without_asking(run_duet, tmp_path):
    old = numbers(tmp_path / "old", [1.0 + 0.001 * (i % 7) for i in range(70)])
    new = numbers(tmp_path / "new", [1.0 + 0.001 * (i % 5) for i in range(70)])
    done = run_duet("compare", old, new, "--same-within", "none")
    assert "slower" in done.stdout or "faster" in done.stdout  # a shown change stays one
    assert comparison_of(run_duet, old, new)["verdict"] == "faster"
    comparison = comparison_of(run_duet, old, old)
    assert (comparison["verdict"], comparison["same_within_pct"]) == ("same", 1)
    assert comparison_of(run_duet, old, old, "--same-within", "none")["verdict"] == "unsure"
    # Imported values have the same answer.
    assert run_duet("import", old, old).returncode == 0
    shown = run_duet("show").stdout
    assert "no difference above 1 %" in shown, shown


def test_an_order_that_is_not_known_is_not_claimed(run_duet, tmp_path, files, pairs):
    """Neither of a file whose sides alternate; of duet's own measurement it is known."""
    alternating = tmp_path / "alternating.csv"
    alternating.write_text("side,time_ms\n" + "".join(
        f"{side},{10 + i % 5}\n" for i in range(30) for side in ("old", "new")))
    assumed = "the sides are taken as measured one after the other: a drift of the machine"
    for words in (files, [alternating]):
        shown = " ".join(run_duet("compare", *words, "-v", "--export-markdown", "-").stdout.split())
        assert assumed in shown and "ran before" not in shown, shown
    assert run_duet("import", *files).returncode == 0
    shown = " ".join(run_duet("show", "-v").stdout.split())
    assert assumed in shown and "old before new" not in shown
    shown = " ".join(run_duet("compare", pairs, "-v").stdout.split())
    assert "pairs are taken as measured at the same time" in shown and "released" not in shown
    assert run_duet("run", "-q", "-r", 4, "--schedule", "sequential", "true",
                    "true").returncode == 0
    shown = " ".join(run_duet("show", "last", "-v").stdout.split())
    assert "all of old ran before all of new" in shown and "old before new" in shown
    shown = " ".join(run_duet("compare", "last", "-v").stdout.split())
    assert "all of old ran before all of new" in shown
    shown = " ".join(run_duet("compare", "last", "last", "-v").stdout.split())
    assert assumed in shown


def test_few_values_decide_nothing(run_duet, tmp_path):
    old = numbers(tmp_path / "old", [1.0, 1.1])
    new = numbers(tmp_path / "new", [1.2, 1.3])
    done = run_duet("compare", old, new, "--fail-on", "slower")
    assert done.returncode == 0, done.stderr
    assert "unsure" in done.stdout
    assert "limited by: too few runs; measure more with the program" in done.stdout
    assert "--until" not in done.stdout  # an option of the measurement
    assert "2 values a side are few" in done.stdout
    assert "takes about 6 a side" in done.stdout
    # By name the paper's interval decides, and says how often it is right.
    done = run_duet("compare", old, new, "--fail-on", "slower", "--interval", "difference")
    assert done.returncode == 1
    assert "measured to cover 6" in done.stdout


def test_one_process_a_side_decides_nothing(run_duet, tmp_path):
    path = tmp_path / "fork.csv"
    path.write_text("side,fork,time\n" + "".join(
        f"{side},1,{value + i / 100}\n" for side, value in (("old", 1), ("new", 2))
        for i in range(20)))
    for options in ([], ["--statistic", "p90"], ["--interval", "percentile"]):
        done = run_duet("compare", path, "--unit", "s", "--fail-on", "slower",
                        "--schedule", "sequential", *options)
        assert done.returncode == 0, done.stderr
        assert "each side come from one process" in done.stdout.replace("\n", " ")
    path.write_text(path.read_text().replace("old,1,1.0", "old,2,1.0")
                    .replace("new,1,2.0", "new,2,2.0"))
    comparison = comparison_of(run_duet, path, "--schedule", "sequential")
    assert comparison["interval"]["unit"] == "runs"


def test_equal_files_paired(run_duet, files):
    comparison = comparison_of(run_duet, *files, "--paired")
    assert comparison["schedule"] == "duet"
    assert comparison["runs"] == 60
    assert comparison["interval"]["method"] == "t"


def test_unequal_files_cannot_be_paired(run_duet, tmp_path, files):
    short = numbers(tmp_path / "short.txt", [1.0, 2.0])
    done = run_duet("compare", files[0], short, "--paired")
    assert done.returncode == 2
    assert "got 60 and 2" in done.stderr


def test_csv_says_its_pairs(run_duet, pairs):
    comparison = comparison_of(run_duet, pairs)
    assert comparison["schedule"] == "duet"
    assert comparison["runs"] == 20
    assert comparison["iterations"] == 100
    assert comparison["interval"]["low"] < 1.03 < comparison["interval"]["high"]
    assert comparison["interval"]["high"] - comparison["interval"]["low"] < 0.005
    assert comparison["shuffled_width"] > 5 * comparison["paired_width"]
    assert comparison["sides"]["old"]["mean_ns"] == pytest.approx(11.5e6, rel=0.05)


def test_csv_against_its_pairs(run_duet, pairs):
    comparison = comparison_of(run_duet, pairs, "--schedule", "interleaved")
    assert comparison["schedule"] == "interleaved"
    assert comparison["interval"]["method"] == "t"
    assert comparison["interval"]["unit"] == "runs"
    assert comparison["interval"]["low"] < 1


def test_columns_by_name_and_sides_by_choice(run_duet, tmp_path):
    path = tmp_path / "odd.csv"
    rows = ["who,what,round"] + [f"{who},{value + i / 100},{i}"
                                 for i in range(20)
                                 for who, value in (("x", 1), ("y", 2), ("z", 9))]
    path.write_text("\n".join(rows))
    done = run_duet("compare", path, "--column", "what", "--map", "side=who,run=round",
                    "--sides", "y,x", "--unit", "us", "-q")
    assert done.returncode == 0, done.stderr
    assert "-4" in done.stdout and "faster" in done.stdout
    assert "20 rows belong to neither side" in done.stderr


def test_throughput_is_inverted(run_duet, tmp_path):
    old = numbers(tmp_path / "old", noisy(1, 30, 1000.0))
    new = numbers(tmp_path / "new", noisy(2, 30, 500.0))
    comparison = comparison_of(run_duet, old, new, "--throughput")
    assert comparison["ratio"] == pytest.approx(2, rel=0.05)
    assert comparison["verdict"] == "slower"
    assert comparison["sides"]["old"]["mean_ns"] == pytest.approx(1e6, rel=0.02)


def test_hyperfine_json(run_duet, tmp_path):
    path = tmp_path / "hf.json"
    path.write_text(json.dumps({"results": [
        {"command": "sleep 1", "mean": 1.0, "times": noisy(1, 12, 1.0)},
        {"command": "sleep 2", "mean": 2.0, "times": noisy(2, 12, 2.0)}]}))
    comparison = comparison_of(run_duet, path)
    assert comparison["sides"]["new"]["command"] == "sleep 2"
    assert comparison["ratio"] == pytest.approx(2, rel=0.05)
    swapped = comparison_of(run_duet, path, "--sides", "sleep 2,sleep 1")
    assert swapped["ratio"] == pytest.approx(1 / comparison["ratio"], rel=1e-9)


def test_tests_are_in_every_export(run_duet, files):
    document = exported(run_duet("compare", *files, "--test", "ranksum",
                                 "--export-json", "-"))
    test = document["comparisons"][0]["test"]
    assert test["name"] == "ranksum" and test["change"] is True
    assert test["delta"] == 1 and test["magnitude"] == "large"
    assert test["p_value"] < 1e-10
    assert len(document["results"][0]["times"]) == 60
    done = run_duet("compare", *files, "--test", "overlap", "--export-csv", "-")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["test"] == "overlap" and row["test_change"] == "true"
    assert float(row["old_mean_high_ns"]) < float(row["new_mean_low_ns"])
    assert row["p_value"] == ""
    done = run_duet("compare", *files, "--test", "ranksum", "--export-markdown", "-")
    assert "- Test: Wilcoxon" in done.stdout
    done = run_duet("compare", *files, "--export-csv", "-")
    columns = done.stdout.splitlines()[0].split(",")
    assert not {"test", "p_value", "delta", "magnitude"} & set(columns)


def test_a_test_of_iterations_does_not_judge_processes(run_duet, tmp_path):
    """Iterations of one process resemble each other: their rank-sum test is certain of the same program."""
    rows = ["benchmark,side,run,iteration,time_ms"]
    for name in "ab":
        for side, level in (("old", 10.0), ("new", 10.2)):
            for run, offset in enumerate((-0.4, -0.2, 0.0, 0.2, 0.4)):
                rows += [f"{name},{side},{run},{i},{time}"
                         for i, time in enumerate(noisy(run, 40, level + offset))]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(rows) + "\n")
    asked = ("compare", path, "--schedule", "sequential", "--test", "ranksum", "--export-json", "-")
    done = run_duet(*asked)
    for comparison in json.loads(done.stdout)["comparisons"]:
        assert comparison["test"]["p_value"] < 1e-4
        assert comparison["change_p_value_method"] == "welch"
        assert comparison["change_p_value"] > 0.1 and comparison["family"]["p_adjusted"] > 0.1
    cells = [row.split(",") for row in rows]
    path.write_text("\n".join(f"{name},{side},{time}" for name, side, _, _, time in cells) + "\n")
    done = run_duet(*asked)
    assert {c["change_p_value_method"] for c in json.loads(done.stdout)["comparisons"]} == {"ranksum"}


def test_times_keep_their_digits(run_duet, tmp_path):
    old = numbers(tmp_path / "old", [1.2345678901234567e-09, 1.5e-09, 1.25e-09])
    new = numbers(tmp_path / "new", [1.3e-09, 1.4e-09, 1.35e-09])
    document = exported(run_duet("compare", old, new, "--export-json", "-"))
    assert document["results"][0]["times"] == pytest.approx(
        [1.2345678901234567e-09, 1.5e-09, 1.25e-09], rel=1e-15)


def test_sides_of_different_lengths(run_duet, tmp_path):
    for name, count in (("old.txt", 30), ("new.txt", 20)):
        (tmp_path / name).write_text("\n".join(str(1 + i % 7 / 100) for i in range(count)))
    done = run_duet("compare", "old.txt", "new.txt")
    assert done.returncode == 0, done.stderr
    assert "30 iterations of old and 20 of new" in done.stdout


def test_one_is_no_plural(run_duet, tmp_path):
    (tmp_path / "old.txt").write_text("1\n")
    (tmp_path / "new.txt").write_text("1.1\n1.2\n1.3\n")
    done = run_duet("compare", "old.txt", "new.txt")
    assert done.returncode == 0, done.stderr
    assert "1 iteration of old and 3 of new" in " ".join(done.stdout.split())
    done = run_duet("import", "old.txt", "new.txt")
    assert "1 run, 1 value of old, 3 of new" in done.stdout
    (tmp_path / "sides.csv").write_text(
        "who,what\n" + "".join(f"{who},{value}\n" for who, value in [
            ("x", 1), ("x", 2), ("x", "NA"), ("y", 1), ("y", 2), ("z", 1)]))
    done = run_duet("compare", "sides.csv", "--map", "side=who,value=what",
                    "--sides", "x,y")
    assert done.returncode == 0, done.stderr
    assert "1 row belongs to neither side and was left out" in done.stderr
    assert "1 value is missing (empty, NA) and does not count" in done.stderr


def test_stored_experiments(run_duet, files, pairs):
    assert run_duet("import", *files, "--name", "first").returncode == 0
    assert run_duet("import", pairs, "--name", "second").returncode == 0
    both = comparison_of(run_duet, "first", "2")
    assert both["schedule"] == "sequential"
    assert both["ratio"] == pytest.approx(0.0118 / 1.2, rel=0.05)
    old_sides = comparison_of(run_duet, "first", "2", "--side", "old")
    assert old_sides["ratio"] == pytest.approx(0.0115 / 1.0, rel=0.05)
    alone = run_duet("compare", "second", "--test", "overlap")
    assert alone.returncode == 0, alone.stderr
    assert "slower" in alone.stdout and "overlap: no change" in alone.stdout


def test_the_seed_decides(run_duet, files):
    bootstrap = [*files, "--interval", "difference"]
    first = comparison_of(run_duet, *bootstrap, "--seed", 1)
    again = comparison_of(run_duet, *bootstrap, "--seed", 1)
    other = comparison_of(run_duet, *bootstrap, "--seed", 2)
    assert first == again
    assert first["interval"] != other["interval"]


@pytest.mark.parametrize("arguments, message", [
    ([], "nothing to compare"),
    (["old.txt", "new.txt", "new.txt"], "unexpected argument"),
    (["old.txt"], "name the other side's file too"),
    (["old.txt", "./missing"], "cannot open './missing'"),
    (["old.txt", "missing"], "'missing' is not"),
    (["old.txt", "./old.txt/x"], "cannot open './old.txt/x': Not a directory"),
    (["old.txt", "./" + 300 * "x"], "File name too long"),
    (["missing"], "results.db"),
    (["old.txt", "new.txt", "--test", "guess"], "one of none, ranksum, overlap"),
    (["old.txt", "new.txt", "--side", "left"], "expected old or new"),
    (["old.txt", "new.txt", "--unit", "parsec"], "the units are"),
    (["old.txt", "new.txt", "--map", "x=y"], "the keys are"),
    (["old.txt", "new.txt", "--schedule", "timeslice"], "the schedules"),
    (["old.txt", "new.txt", "--format", "xml"], "the formats are"),
    (["old.txt", "new.txt", "--separator", "x"], "the separators are"),
    (["old.txt", "new.txt", "--sides", "one"], "OLD,NEW"),
])
def test_wrong_usage(run_duet, files, arguments, message):
    del files
    done = run_duet("compare", *arguments)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert done.stdout == ""


def test_a_smallest_time_is_not_taken_for_minutes(run_duet, tmp_path):
    for side in ("old", "new"):
        (tmp_path / f"{side}.csv").write_text("mean,min\n1.5,1.25\n1.6,1.5\n")
    words = ("compare", "old.csv", "new.csv", "--column", "min")
    done = run_duet(*words)
    assert done.returncode == 2
    assert "name its unit, as in --unit min or --unit s" in done.stderr.replace("\n", " ")
    for unit, factor in (("s", 1), ("min", 60)):
        answer = json.loads(run_duet(*words, "--unit", unit, "--export-json", "-").stdout)
        assert answer["results"][0]["times"] == [1.25 * factor, 1.5 * factor]


@pytest.mark.parametrize("stored", [False, True])
def test_a_file_that_is_not_there_is_named(run_duet, tmp_path, files, stored):
    if stored:
        assert run_duet("import", *files, cwd=tmp_path).returncode == 0
    result = run_duet("compare", "old.json", "new.json", cwd=tmp_path)
    assert result.returncode == 2
    assert "there is no file 'old.json' here, and " in result.stderr
    assert ("has no experiment" if stored else "no store at") in result.stderr


def test_a_wrong_line_is_named(run_duet, tmp_path, files):
    bad = tmp_path / "bad.txt"
    bad.write_text("1.0\n2.0\n# fine\n3,0\n")
    done = run_duet("compare", files[0], bad, "--format", "numbers")
    assert done.returncode == 2
    assert f"{bad}:4:1: '3,0' is not a number" in done.stderr


def jmh(path, forks, names=("a.B.c",), unit="us/op"):
    path.write_text(json.dumps([
        {"benchmark": name, "mode": "avgt",
         "primaryMetric": {"scoreUnit": unit, "rawData": forks}} for name in names]))
    return path


def test_forks_of_a_jvm_are_runs(run_duet, tmp_path):
    """One fork of a program against another of the same was called a change in 41 %."""
    fork = noisy(1, 20, 1.0)
    old = jmh(tmp_path / "old.json", [fork])
    new = jmh(tmp_path / "new.json", [[1.2 * value for value in fork]])
    done = run_duet("compare", old, new, "--fail-on", "slower")
    assert done.returncode == 0, done.stderr
    assert "unsure" in done.stdout
    assert "each side come from one process" in done.stdout.replace("\n", " ")
    old = jmh(tmp_path / "old.json", [noisy(seed, 5, 1.0) for seed in range(8)])
    new = jmh(tmp_path / "new.json", [noisy(seed, 5, 1.2) for seed in range(10, 18)])
    comparison = comparison_of(run_duet, old, new)
    assert comparison["verdict"] == "slower"
    assert comparison["interval"]["unit"] == "runs" and comparison["runs"] == 8
    assert comparison["sides"]["old"]["mean_ns"] == pytest.approx(1000, rel=0.1)
    # Throughput, in another unit: 1000 operations a millisecond are 1 us each.
    new = jmh(tmp_path / "new.json", [[1000 / v for v in noisy(seed, 5, 1.2)]
                                      for seed in range(10, 18)], unit="ops/ms")
    swapped = comparison_of(run_duet, old, new)
    assert swapped["ratio"] == pytest.approx(comparison["ratio"], rel=1e-6)


def test_repetitions_of_go_are_one_process(run_duet, tmp_path):
    def output(calls, ns, name="Sort-2"):
        return "".join("pkg: example\n" + "".join(
            f"Benchmark{name} 100 {ns + i} ns/op\n" for i in range(5)) + "ok example 1s\n"
            for _ in range(calls))
    (tmp_path / "old.txt").write_text(output(1, 1000))
    (tmp_path / "new.txt").write_text(output(1, 1200))
    done = run_duet("compare", "old.txt", "new.txt", "--fail-on", "slower")
    assert done.returncode == 0, done.stderr
    assert "each side come from one process" in done.stdout.replace("\n", " ")
    assert "two different benchmarks" not in done.stdout
    (tmp_path / "new.txt").write_text(output(1, 1200, "Scan-2"))
    done = run_duet("compare", "old.txt", "new.txt")
    assert "old is 'example:BenchmarkSort-2'" in done.stdout.replace("\n", " ")


def test_benchmarks_are_not_mixed(run_duet, tmp_path):
    two = jmh(tmp_path / "two.json", [[1, 2], [1, 3]], ("a.b", "a.c"))
    one = jmh(tmp_path / "one.json", [[1, 2], [1, 3]], ("a.c",))
    done = run_duet("compare", two, one)
    assert done.returncode == 0 and "only old has 'a.b'" in done.stderr
    assert "a.c" in done.stdout
    assert run_duet("compare", two, one, "--benchmark", "a.c").returncode == 0
    done = run_duet("compare", two, one, "--benchmark", "a.d")
    assert done.returncode == 2
    assert "old has no benchmark 'a.d'; it holds 'a.b', 'a.c'" in done.stderr
    table = tmp_path / "table.csv"
    table.write_text("benchmark,side,time\n" + "".join(
        f"{name},{side},{1 + i / 10}\n" for name in ("x", "y") for side in ("old", "new")
        for i in range(3)))
    both = exported(run_duet("compare", table, "--export-json", "-"))["comparisons"]
    assert [one["name"] for one in both] == ["x", "y"]
    assert all(one["sides"]["old"]["count"] == 3 for one in both)
    comparison = comparison_of(run_duet, table, "--benchmark", "y")
    assert comparison["sides"]["old"]["count"] == 3
    table.write_text(table.read_text().replace("x,new", "z,new").replace("y,", "# y,")
                     .replace("# y,old", "x,old").replace("# y,new", "z,new"))
    done = run_duet("compare", table)
    assert "two different benchmarks are compared: old is 'x', new is 'z'" in \
        done.stdout.replace("\n", " ").replace("  ", " ")


def python_json(factor):
    return {"benchmarks": [{"metadata": {"name": name}, "runs": [
        {"metadata": {}}, *({"values": [factor * value, factor * value * 1.001]}
                            for value in noisy(seed, 12, 1.0))]}
        for seed, name in ((1, "load"), (2, "save"))], "metadata": {"unit": "second"}}


def test_benchmarks_are_matched_by_name_and_judged_together(run_duet, tmp_path):
    """pyperf's shape: a run is a process; the first one calibrates and has no values."""
    (tmp_path / "old.json").write_text(json.dumps(python_json(1.0)))
    (tmp_path / "new.json").write_text(json.dumps(python_json(1.5)))
    document = exported(run_duet("compare", "old.json", "new.json", "--export-json", "-"))
    assert document["geometric_mean"]["rule"] == "dependent"
    first, second = document["comparisons"]
    assert [first["name"], second["name"]] == ["load", "save"]
    for one in (first, second):
        assert one["verdict"] == "slower" and one["interval"]["unit"] == "runs"
        assert one["sides"]["old"]["count"] == 24
        assert one["sides"]["old"]["mean_ns"] == pytest.approx(1e9, rel=0.05)
    done = run_duet("compare", "old.json", "new.json", "--fail-on", "slower")
    assert done.returncode == 1


BENCHMARK_DATA = [1.0, 2.0, 4.0]


@pytest.mark.parametrize("document, benchmark, times_ns", [
    ({"context": {}, "benchmarks": [
        {"name": "B/8", "run_name": "B/8", "run_type": "iteration", "real_time": time,
         "time_unit": "us"} for time in BENCHMARK_DATA] + [
        {"name": "B/8_mean", "run_name": "B/8", "run_type": "aggregate",
         "real_time": 9, "time_unit": "us"}]}, "B/8", [1e3, 2e3, 4e3]),
    ({"benchmarks": [{"fullname": "t.py::x", "stats": {"data": BENCHMARK_DATA}}]},
     "t.py::x", [1e9, 2e9, 4e9]),
    ({"iters": [1, 2, 4], "times": [10, 20, 80]}, "-", [10, 10, 20]),
    ({"name": "base", "benchmarks": {"g/f": {"criterion_estimates_v1": {
        "mean": {"point_estimate": 7.5}}}}}, "g/f", [7.5]),
    ({"format_version": 5, "data": {"scrabble": {"results": [
        {"duration_ns": 5}, {"duration_ns": 6}]}}}, "scrabble", [5, 6]),
    ({"wallclock_times": {"b:vm:v": [[1.0, 2.0], [3.0]]}}, "b:vm:v", [1e9, 2e9, 3e9]),
    ({"results": [{"title": "t", "name": "n", "batch": 2, "median(elapsed)": 1,
                   "measurements": [{"iterations": 3, "elapsed": 4e-9}]}]},
     "t: n", [2]),
    ({"Benchmarks": [{"DisplayInfo": "T.M: Job-A(x=1) [N=8]", "FullName": "S.T.M(N: 8)",
                      "Measurements": [
                          {"IterationStage": "Result", "LaunchIndex": 1,
                           "Operations": 4, "Nanoseconds": 8},
                          {"IterationStage": "Warmup", "LaunchIndex": 1,
                           "Operations": 4, "Nanoseconds": 800}]}]},
     "S.T.M(N: 8) Job-A(x=1)", [2]),
    ({"files": [{"groups": [{"fullName": "f > g", "benchmarks": [
        {"name": "n", "samples": [], "mean": 0.5}]}]}]}, "f > g > n", [5e5]),
    ([{"name": "task", "result": {"latency": {"samples": [1, 2]}}}], "task", [1e6, 2e6]),
    ([{"benchmark": "a.b", "mode": "thrpt", "threads": 4, "params": {"n": "1"},
       "primaryMetric": {"scoreUnit": "ops/ms", "rawData": [[2.0]]}}],
     "a.b(n=1) [thrpt, 4 threads]", [5e5]),
])
def test_what_tools_write(run_duet, tmp_path, document, benchmark, times_ns):
    (tmp_path / "a.json").write_text(json.dumps(document))
    done = run_duet("compare", "a.json", "a.json", "--benchmark", benchmark,
                    "--export-json", "-")
    answer = exported(done)
    seen = [time * 1e9 for time in answer["results"][0]["times"]]
    assert seen == pytest.approx(times_ns)


def test_threads_modes_and_units_are_kept_apart(run_duet, tmp_path):
    """They were pooled: 1 and 4 threads were one benchmark, us/op and ms/op one unit."""
    def result(threads, unit, value):
        return {"benchmark": "a.b", "mode": "avgt", "threads": threads,
                "primaryMetric": {"scoreUnit": unit, "rawData": [[value, value]]}}
    (tmp_path / "a.json").write_text(json.dumps(
        [result(1, "us/op", 1000), result(4, "ms/op", 2), result(1, "B/op", 7)]))
    done = run_duet("compare", "a.json", "a.json", "--export-json", "-")
    means = {one["name"]: one["sides"]["old"]["mean_ns"]
             for one in exported(done)["comparisons"]}
    assert means == {"a.b": pytest.approx(1e6), "a.b [4 threads]": pytest.approx(2e6)}
    assert "a.b #2: its scoreUnit is not a time" in done.stderr.replace("\n", " ")


def test_a_zero_does_not_reject_a_file(run_duet, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{
        "benchmark": "a.b", "mode": "sample", "primaryMetric": {
            "scoreUnit": "ns/op", "rawDataHistogram": [[[[0, 2], [5, 3]]]]}}]))
    done = run_duet("compare", "a.json", "a.json")
    assert done.returncode == 0, done.stderr
    assert "2 values of 0" in done.stderr


@pytest.mark.parametrize("head", ["PASS\n", "note: x\n", "Unit ns/op assume=exact\n",
                                  "toolchain: go\n", "goos: linux\n"])
def test_go_is_known_by_its_lines(run_duet, tmp_path, head):
    (tmp_path / "a.txt").write_text(head + "BenchmarkA-2 100 12.5 ns/op\nPASS\n")
    done = run_duet("compare", "a.txt", "a.txt", "--export-json", "-")
    assert exported(done)["results"][0]["times"] == pytest.approx([12.5e-9])


def test_what_is_not_known_is_refused(run_duet, tmp_path):
    (tmp_path / "a.json").write_text('{"some": "thing"}')
    done = run_duet("compare", "a.json", "a.json")
    assert done.returncode == 2 and "of no known tool" in done.stderr.replace("\n", " ")
    done = run_duet("import", "--dataset", "a.json")
    assert "of no known tool" in done.stderr.replace("\n", " ")
