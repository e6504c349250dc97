"""What the analysis can be asked for: intervals, statistics, what is left out, families
of comparisons, and the exit status."""

import csv
import io
import json
import random
import re

import pytest

CHANGE = 1.05


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture(name="pairs")
def pairs_fixture(tmp_path):
    """24 runs of 6 pairs; new takes 5 % longer."""
    source = random.Random(1)
    lines = ["run,iteration,side,time_ms"]
    for run in range(24):
        of_run = source.uniform(10, 13)
        for iteration in range(6):
            for side, factor in (("old", 1), ("new", CHANGE)):
                time = of_run * factor * source.lognormvariate(0, 0.01)
                lines.append(f"{run},{iteration},{side},{time:.9f}")
    return write(tmp_path / "pairs.csv", lines)


@pytest.fixture(name="apart")
def apart_fixture(tmp_path):
    """80 independent values a side."""
    source = random.Random(2)
    return [write(tmp_path / name, [factor * source.lognormvariate(0, 0.05)
                                    for _ in range(80)])
            for name, factor in (("old.txt", 1), ("new.txt", CHANGE))]


@pytest.fixture(name="drifting")
def drifting_fixture(tmp_path):
    """Values whose neighbours hang together."""
    source = random.Random(3)
    paths = []
    level = 0
    for name in ("drift-old.txt", "drift-new.txt"):
        values = []
        for _ in range(100):
            level = 0.7 * level + source.gauss(0, 0.01)
            values.append(1 + level)
        paths.append(write(tmp_path / name, values))
    return paths


@pytest.fixture(name="compare")
def compare_fixture(run_duet, validate):
    """The comparison that `duet compare ARGUMENTS` writes as JSON."""
    def run(*arguments):
        done = run_duet("compare", *arguments, "--export-json", "-")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        validate(document)
        (comparison,) = document["comparisons"]
        return comparison
    return run


@pytest.mark.parametrize("method, unit", [
    ("percentile", "runs"), ("basic", "runs"), ("bca", "runs"), ("studentized", "runs"),
    ("block", "circular"), ("t", "blocks"), ("signflip", "blocks"),
    ("difference", "runs+iterations")])
def test_intervals_of_pairs(compare, pairs, method, unit):
    comparison = compare(pairs, "--interval", method)
    interval = comparison["interval"]
    assert interval["method"] == method and interval["unit"] == unit
    assert interval["low"] < CHANGE < interval["high"]
    assert (interval["block_length"] is not None) == (method == "block")
    if method != "difference":
        assert comparison["verdict"] == "slower"
        assert interval["high"] - interval["low"] < 0.02
    measured = comparison["measured_coverage"]
    assert (measured is None) == (method in ("t", "signflip", "difference"))


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized", "block",
                                    "difference"])
def test_intervals_of_sides_apart(compare, apart, method):
    comparison = compare(*apart, "--interval", method)
    interval = comparison["interval"]
    assert interval["method"] == method
    assert interval["unit"] == ("circular" if method == "block" else "iterations")
    assert interval["low"] < CHANGE < interval["high"]
    assert comparison["verdict"] == "slower"


@pytest.mark.slow
def test_units_and_blocks(compare, pairs):
    for unit in ("runs", "blocks"):
        comparison = compare(pairs, "--interval", "bca", "--resample", unit)
        assert comparison["interval"]["unit"] == unit
    for scheme in ("circular", "moving", "stationary"):
        comparison = compare(pairs, "--interval", "block", "--block-scheme", scheme,
                             "--block-length", "4")
        assert comparison["interval"]["unit"] == scheme
        assert comparison["interval"]["block_length"] == 4


@pytest.mark.parametrize("arguments, says", [
    (["--interval", "nonsense"], "one of percentile, basic, bca"),
    (["--interval", "anytime"], "measured apart; use t, percentile"),
    (["--interval", "signflip"], "measured apart; use t, percentile"),
    (["--interval", "bca", "--resample", "blocks"], "of pairs"),
    (["--interval", "bca", "--estimator", "median"], "leave one of them out"),
    (["--statistic", "p50.5.5"], "such as p90"),
    (["--statistic", "p100"], "such as p90"),
    (["--statistic", "max"], "mean, geomean, median"),
    (["--statistic", "cv", "--interval", "studentized"], "percentile, basic, bca"),
    (["--statistic", "cv", "--interval", "difference"], "percentile, basic, bca"),
    (["--statistic", "cv", "--interval", "t"], "percentile, basic, bca"),
    (["--block-length", "0"], "--block-length"),
    (["--block-length", "3"], "--block-length goes with --interval block"),
    (["--block-scheme", "moving", "--interval", "bca"], "--block-scheme goes with --interval"),
    (["--block-scheme", "square"], "circular, moving, stationary"),
    (["--resample", "iterations"], "runs, blocks, assignments"),
    (["--drop-warmup", "some"], "a number of iterations, none, half or steady"),
    (["--drop-warmup", "-1"], "a number of iterations, none, half or steady"),
    (["--drop-warmup", "80"], "warm-up"),
    (["--drop-warmup", "steady", "--statistic", "cv", "--interval", "signflip"],
     "percentile"),
    (["--drop-outliers", "5x"], "10x"),
    (["--fail-on", "slow"], "slower, faster, unsure"),
])
def test_what_is_refused(run_duet, apart, arguments, says):
    done = run_duet("compare", *apart, *arguments)
    assert done.returncode == 2
    assert says in done.stderr and done.stdout == ""


def test_assignments_of_other_programs_are_not_known(run_duet, pairs):
    done = run_duet("compare", pairs, "--interval", "bca", "--resample", "assignments")
    assert done.returncode == 2
    assert "use --resample blocks" in done.stderr


def test_assignments_of_measured_runs(run_duet, validate):
    done = run_duet("run", "true", "sleep 0.02", "-r", "6", "--interval", "percentile",
                    "--resample", "assignments", "--confidence", "0.9",
                    "--export-json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validate(document)
    assert document["comparisons"][0]["interval"]["unit"] == "assignments"
    assert document["comparisons"][0]["verdict"] == "slower"


def test_wrong_combinations_are_refused_before_anything_runs(run_duet, tmp_path):
    for arguments in (["--schedule", "sequential", "--interval", "signflip"],
                      ["--statistic", "p90", "--interval", "signflip"]):
        done = run_duet("run", f"touch {tmp_path}/ran", "true", *arguments)
        assert done.returncode == 2
        assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("statistic, plain", [
    ("mean", lambda v: sum(v) / len(v)),
    ("median", lambda v: (sorted(v)[39] + sorted(v)[40]) / 2),
    ("p90", lambda v: sorted(v)[71] + 0.1 * (sorted(v)[72] - sorted(v)[71])),
    ("trimmed", lambda v: sum(sorted(v)[16:64]) / 48),
])
def test_statistics(compare, apart, statistic, plain):
    comparison = compare(*apart, "--statistic", statistic, "--winsorize", "off")
    values = [[float(line) for line in path.read_text().split()] for path in apart]
    result = comparison["statistic"]
    assert result["name"] == statistic and result["unit"] == "ns"
    for side, of_side in zip(("old", "new"), values):
        assert result[side]["value"] == pytest.approx(1e9 * plain(of_side), rel=1e-9)
        assert result[side]["low"] < result[side]["value"] < result[side]["high"]
    assert comparison["ratio"] == pytest.approx(
        result["new"]["value"] / result["old"]["value"], rel=1e-12)
    assert comparison["interval"]["low"] < comparison["ratio"]
    assert comparison["interval"]["method"] == "percentile"


@pytest.mark.slow
def test_statistics_of_pairs_and_in_every_output(run_duet, compare, pairs):
    comparison = compare(pairs, "--statistic", "geomean", "--interval", "bca")
    assert comparison["verdict"] == "slower"
    assert comparison["interval"]["unit"] == "runs+iterations"
    cv = compare(pairs, "--statistic", "cv")
    assert cv["statistic"]["unit"] == "ratio"
    assert 0.01 < cv["statistic"]["old"]["value"] < 0.2
    done = run_duet("compare", pairs, "--statistic", "p99.9")
    assert "statistic: p99.9: old 1" in done.stdout
    assert "of the p99.9 of all" in done.stdout
    done = run_duet("compare", pairs, "--statistic", "p99.9", "--export-csv", "-")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["statistic"] == "p99.9"
    assert float(row["old_statistic_low"]) < float(row["old_statistic"])
    done = run_duet("compare", pairs, "--statistic", "cv", "--export-markdown", "-")
    assert "- Statistic: cv: old" in done.stdout


def test_more_variable_is_not_called_slower(run_duet, tmp_path):
    source = random.Random(5)
    quiet = write(tmp_path / "quiet", [source.gauss(1, 0.01) for _ in range(60)])
    noisy = write(tmp_path / "noisy", [source.gauss(1, 0.1) for _ in range(60)])
    done = run_duet("compare", quiet, noisy, "--statistic", "cv", "--winsorize", "off",
                    "--fail-on", "slower")
    assert done.returncode == 1
    assert "varies more" in done.stdout and "slower" not in done.stdout


@pytest.mark.slow
def test_no_ratio_to_a_side_that_does_not_vary(run_duet, tmp_path):
    alike = write(tmp_path / "alike.txt", ["1.0"] * 40)
    noisy = write(tmp_path / "noisy.txt", [str(1 + i % 7 / 100) for i in range(40)])
    done = run_duet("compare", alike, noisy, "--statistic", "cv")
    assert done.stdout.splitlines()[0] == "unsure (no ratio to 0)"
    gated = run_duet("compare", alike, noisy, "--statistic", "cv", "--max-slowdown", "2%")
    assert "lies in no interval: there is no ratio to 0; --fail-on" in gated.stderr
    assert "no interval: the estimate does not exist: it divides by 0" in done.stdout


def test_warm_up_and_outliers(run_duet, compare, tmp_path):
    lines = ["run,iteration,side,time_ms"]
    for run in range(8):
        for iteration in range(20):
            for side in ("old", "new"):
                time = 10 + 0.01 * ((run * 7 + iteration * 3) % 5)
                time += 30 if iteration < 5 else 0
                time += 500 if (run, iteration, side) == (3, 12, "new") else 0
                lines.append(f"{run},{iteration},{side},{time}")
    path = write(tmp_path / "warming.csv", lines)
    asked = {
        ("5",): (8 * 2 * 5, 0), ("half",): (8 * 2 * 10, 0), ("none",): (0, 0),
        ("5", "--drop-outliers", "10x"): (8 * 2 * 5, 2)}
    for rule, (warmup, outliers) in asked.items():
        comparison = compare(path, "--drop-warmup", *rule)
        assert comparison["dropped"] == {"warmup": warmup, "outliers": outliers}
        assert comparison["sides"]["old"]["count"] == 160 - (warmup + outliers) / 2
    steady = compare(path, "--drop-warmup", "steady", "--drop-outliers", "10x")
    assert steady["dropped"]["warmup"] >= 8 * 2 * 5
    assert steady["sides"]["old"]["max_ns"] < 11e6
    assert steady["sides"]["old"]["median_ns"] < 11e6
    arguments = ["compare", path, "--drop-warmup", "5", "--drop-outliers", "10x"]
    expected = "80 observations as warm-up, 2 observations of ten times"
    done = run_duet(*arguments)
    assert expected in " ".join(done.stdout.split())
    done = run_duet(*arguments, "--export-markdown", "-")
    assert f"- Left out: {expected}" in done.stdout
    done = run_duet(*arguments, "--export-csv", "-")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["dropped_warmup"] == "80" and row["dropped_outliers"] == "2"


def test_no_steady_state_says_where(run_duet, tmp_path):
    source = random.Random(8)
    old = write(tmp_path / "old", [1 + 0.5 * (i // 4) + source.uniform(0, 0.001)
                                   for i in range(40)])
    done = run_duet("compare", old, old, "--drop-warmup", "steady")
    assert done.returncode == 2
    assert "side old" in done.stderr and "steady" in done.stderr


def test_too_few_for_a_steady_state(run_duet, tmp_path):
    """As a command's run of one execution is."""
    (tmp_path / "a.csv").write_text("run,side,ns\n0,old,1\n0,new,1\n1,old,1\n1,new,1\n")
    done = run_duet("compare", "a.csv", "--map", "value=ns", "--drop-warmup", "steady")
    assert done.returncode == 2
    assert "side old" in done.stderr and "do more iterations in each run" in done.stderr


def test_dependence_is_said(run_duet, drifting, apart):
    done = run_duet("compare", *drifting)
    text = " ".join(done.stdout.split())
    assert "consecutive values depend on each other" in text
    assert "use --interval block" in text
    done = run_duet("compare", *drifting, "--interval", "block")
    assert "depend on each other" not in done.stdout
    assert "of circular blocks, " in " ".join(done.stdout.split())
    assert "depend on each other" not in run_duet("compare", *apart).stdout


@pytest.mark.parametrize("arguments, status", [
    ([], 0),
    (["--fail-on", "slower"], 1),
    (["--fail-on", "faster,unsure"], 0),
    (["--max-slowdown", "2%"], 1),
    (["--max-slowdown", "20%"], 0),
    (["--fail-on", "unsure", "--max-slowdown", "5%"], 3),
])
def test_compare_can_fail(run_duet, pairs, arguments, status):
    assert run_duet("compare", pairs, *arguments).returncode == status


def test_a_limit_does_not_fail_what_the_mean_takes_back(run_duet, tmp_path):
    """A typical iteration is 5 % slower, and old's rare slow ones make up for it."""
    source = random.Random(3)
    lines = ["run,iteration,side,time_ms"]
    sums = {"old": 0, "new": 0}
    for run in range(16):
        for iteration in range(20):
            for side, time in (("old", 15 if iteration in (3, 11) else 10), ("new", 10.5)):
                time *= source.gauss(1, 0.003)
                sums[side] += time
                lines.append(f"{run},{iteration},{side},{time}")
    assert abs(sums["new"] / sums["old"] - 1) < 0.001
    path = write(tmp_path / "rare.csv", lines)
    words = ["compare", path, "--estimator", "median", "--max-slowdown", "2%"]
    done = run_duet(*words)
    assert done.returncode == 0, done.stderr
    assert "unsure (the mean says otherwise)" in done.stdout
    assert re.search(r"gate: passed: \S+ its lower end \+4\.\d+ % is above --max-slowdown 2%, but "
                     r"the mean says otherwise; --fail-on unsure would fail", done.stderr)
    assert run_duet(*words, "--fail-on", "unsure").returncode == 3


def test_compare_unsure(run_duet, apart):
    same = apart[0], apart[0]
    assert run_duet("compare", *same, "--fail-on", "unsure").returncode == 3
    assert run_duet("compare", *same, "--fail-on", "slower").returncode == 0


@pytest.fixture(name="several")
def several_fixture(run_duet, tmp_path):
    """Three stored experiments: one with a clear change, one with a change that is
    just significant by itself, one without."""
    source = random.Random(10)
    for name, change in (("clear", 1.1), ("close", 1.0115), ("none", 1.0)):
        lines = ["run,iteration,side,time_ms"]
        for run in range(16):
            for side, factor in (("old", 1), ("new", change)):
                time = 10 * factor * source.lognormvariate(0, 0.008)
                lines.append(f"{run},0,{side},{time}")
        write(tmp_path / f"{name}.csv", lines)
        done = run_duet("import", tmp_path / f"{name}.csv", "--name", name)
        assert done.returncode == 0, done.stderr
    return ["clear", "close", "none"]


def shown(run_duet, validate, *arguments):
    done = run_duet("show", *arguments, "--export-json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validate(document)
    return {comparison["name"]: comparison for comparison in document["comparisons"]}


@pytest.mark.slow
def test_several_are_judged_together(run_duet, validate, several):
    holm = shown(run_duet, validate, *several, "--multiplicity", "holm")
    p_values = [holm[name]["change_p_value"] for name in several]
    assert p_values[0] < 1e-6 < p_values[1] < 0.01 < p_values[2]
    assert p_values[1] * 2 > 0.01  # Holm's second step
    for comparison in holm.values():
        assert comparison["family"]["size"] == 3
        assert comparison["family"]["multiplicity"] == "holm"
        assert comparison["interval"]["confidence"] == 0.99
    assert holm["clear"]["verdict"] == "slower"
    assert holm["close"]["verdict"] == "unsure"
    assert holm["close"]["interval"]["low"] > 1
    assert holm["close"]["family"]["withheld"] is True
    assert holm["close"]["family"]["p_adjusted"] == pytest.approx(2 * p_values[1])
    none = shown(run_duet, validate, *several, "--multiplicity", "none")
    assert none["close"]["verdict"] == "slower"
    bonferroni = shown(run_duet, validate, *several, "--multiplicity", "bonferroni")
    assert bonferroni["close"]["verdict"] == "unsure"
    assert bonferroni["close"]["interval"]["confidence"] == pytest.approx(1 - 0.01 / 3)
    assert bonferroni["close"]["interval"]["low"] < holm["close"]["interval"]["low"]
    # The share of false alarms among two is bounded by less: p * 3 / 2.
    by_share = shown(run_duet, validate, *several, "--multiplicity", "bh")
    assert by_share["close"]["family"]["p_adjusted"] == pytest.approx(1.5 * p_values[1])


@pytest.mark.slow
def test_a_limit_is_for_several_together(run_duet, validate, several):
    """A change that is withheld from the verdict does not fail a limit either."""
    close = several[1:]
    low = shown(run_duet, validate, *close)["close"]["interval"]["low"]
    limit = f"{50 * (low - 1):.6f}%"
    words = ["show", *close, "--multiplicity", "holm", "--max-slowdown", limit]
    assert run_duet("show", "close", "--max-slowdown", limit).returncode == 1
    done = run_duet(*words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"gate: passed: close: its lower end \S+ % is above --max-slowdown "
                     r"\S+, but p = 0\.01\d* by Holm's rule; --fail-on unsure would fail",
                     done.stderr)
    done = run_duet(*words, "--fail-on", "unsure", "--export-json", "-")
    assert done.returncode == 3
    document = json.loads(done.stdout)
    validate(document)
    gate = document["comparisons"][0]["gate"]
    assert gate["state"] == "unsure" and not gate["by_limit"]
    assert gate["interval_to_limit"] == "above"


def test_one_alone_is_judged_alone(run_duet, validate, several):
    alone = shown(run_duet, validate, several[1])["close"]
    assert alone["verdict"] == "slower" and alone["family"] is None


@pytest.mark.slow
def test_shown_together_each_keeps_its_verdict(run_duet, validate, several):
    together = shown(run_duet, validate, *several)
    for name in several:
        assert shown(run_duet, validate, name)[name] == together[name]
        assert together[name]["family"] is None
    assert together["close"]["verdict"] == "slower"
    for output in ([], ["--export-markdown", "-"]):
        text = " ".join(run_duet("show", *several, *output).stdout.split())
        assert ("3 benchmarks judged one by one, as when measured; --multiplicity holm "
                "judges all 3 together.") in text


@pytest.mark.slow
def test_families_in_every_output(run_duet, several):
    several = [*several, "--multiplicity", "holm"]
    done = run_duet("show", *several)
    text = " ".join(done.stdout.split())
    assert "3 benchmarks judged together by Holm's rule; adjusted p" in text
    done = run_duet("show", *several, "-q")
    assert "by Holm's rule" in done.stdout
    done = run_duet("show", *several, "--export-markdown", "-")
    assert "- Together: 3 benchmarks" in done.stdout
    done = run_duet("show", *several, "--export-csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["multiplicity"] for row in rows] == ["holm"] * 3
    assert [row["family_size"] for row in rows] == ["3"] * 3
    assert all(float(row["p_adjusted"]) >= float(row["change_p_value"]) for row in rows)
    done = run_duet("show", *several[:3], "--multiplicity", "holmes")
    assert done.returncode == 2 and "none, bonferroni, holm, bh" in done.stderr
    assert run_duet("show", *several, "--fail-on", "slower").returncode == 1
    assert run_duet("show", *several, "--fail-on", "unsure").returncode == 3


def test_few_blocks_of_sign_flips_say_so(run_duet, several):
    done = run_duet("show", *several, "--interval", "signflip", "--multiplicity", "holm")
    text = " ".join(done.stdout.split())
    assert "the sign-flip p value of 8 blocks is at least 0.0078" in text
    assert "use --interval t" in text


@pytest.mark.slow
def test_parameters_are_a_family(run_duet, validate):
    done = run_duet("run", "-L", "t", "0.01,0.02", "sleep {t}", "sleep 0.08", "-r", "12",
                    "--confidence", "0.9", "--export-json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validate(document)
    for comparison in document["comparisons"]:
        assert comparison["family"]["size"] == 2
        assert comparison["verdict"] == "slower"


@pytest.mark.slow
def test_tests_of_several_unpaired(run_duet, validate, apart):
    for name in ("first", "second"):
        done = run_duet("import", *apart, "--name", name)
        assert done.returncode == 0, done.stderr
    several = shown(run_duet, validate, "first", "second", "--test", "ranksum",
                    "--multiplicity", "holm")
    for comparison in several.values():
        assert comparison["change_p_value_method"] == "ranksum"
        assert comparison["change_p_value"] == comparison["test"]["p_value"]
        assert comparison["family"]["p_adjusted"] == pytest.approx(
            2 * comparison["test"]["p_value"])
    overlap = shown(run_duet, validate, "first", "--test", "overlap")["first"]
    assert overlap["test"]["change"] is True
    assert overlap["change_p_value_method"] == "welch"
    done = run_duet("run", "true", "sleep 0.02", "-r", "6", "--test", "ranksum")
    assert "Wilcoxon rank-sum p" in done.stdout


def test_a_warm_up_that_leaves_nothing_is_not_measured(run_duet, stored, integer):
    """Before the first run where the number of iterations is known, else after a block."""
    known = run_duet("--drop-warmup", 1, "-I", 1, "-r", 20, "true", "true")
    assert known.returncode == 2
    assert "--drop-warmup 1 leaves none of 1 iteration a run" in known.stderr
    for rule, reason in (("1", "leaves none of 1 iteration a run"),
                         ("steady", "needs 4 iterations a run, and there is 1")):
        done = run_duet("--drop-warmup", rule, "-r", 20, "true", "true")
        assert done.returncode == 2, done.stderr
        assert f"--drop-warmup {rule} {reason}" in done.stderr and "(-I N)" in done.stderr
        assert "are kept: duet show" in done.stderr and "--resume" not in done.stderr
        assert done.stderr.endswith(" --drop-warmup none\n")
    assert stored.states() == ["failed", "failed"]
    assert 4 <= stored.runs() < 20, "a block of each at least, which is kept"
    assert run_duet("show", "1", "--drop-warmup", "none").returncode == 0
    done = run_duet("--drop-warmup", 1, "-r", 20, "--store", "a b.db", "true", "true")
    assert done.stderr.endswith("duet show 1 --store 'a b.db' --drop-warmup none\n")
    fine = run_duet("--drop-warmup", 1, "-I", 2, "-r", 4, "true", "true")
    assert fine.returncode == 0, fine.stderr
    harness = run_duet("--drop-warmup", 1, "-r", 2, "-I", 3, integer(), integer())
    assert harness.returncode == 0, harness.stderr
