"""Every command that answers says the same: run, suite, show, compare, list and what they
export, whatever was asked for when it was measured."""

import csv
import io
import json
import math
import os
import pathlib
import random
import sqlite3

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def exported(run_duet, *arguments):
    """The JSON document, the CSV rows, the Markdown text and the exit status."""
    done = run_duet(*arguments, "--export-json", "a.json", "--export-csv", "a.csv",
                    "--export-markdown", "a.md", timeout=60)
    assert done.returncode in (0, 1, 3), done.stderr
    return done


@pytest.fixture(name="answers")
def answers_fixture(run_duet, validate, tmp_path):
    def ask(*arguments):
        done = exported(run_duet, *arguments)
        document = json.loads((tmp_path / "a.json").read_text())
        validate(document)
        with (tmp_path / "a.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        return document, rows, (tmp_path / "a.md").read_text(), done.returncode
    return ask


def options_of(source):
    """What may be asked for, of pairs or of sides that were measured apart."""
    schedule = source.choice(["duet", "duet", "timeslice", "interleaved", "sequential"])
    paired = schedule in ("duet", "timeslice")
    words = ["--schedule", schedule, "--confidence", source.choice(["0.8", "0.9", "0.99"]),
             "--replicates", source.choice(["100", "237"]),
             "--winsorize", source.choice(["factor", "range", "off"])]
    interval = source.choice(["t", "signflip", "anytime", "percentile", "basic", "bca", "block"]
                             if paired else ["difference", "percentile", "basic", None])
    statistic = source.choice([None, None, "p90", "median", "cv"])
    if statistic is not None:
        interval = source.choice(["percentile", "basic", None])
        words += ["--statistic", statistic]
    elif paired or interval == "difference":
        words += ["--estimator", source.choice(["geomean", "trimmed", "median"])]
    if interval is not None and source.random() < 0.8:
        words += ["--interval", interval]
        if interval == "block":
            words += ["--block-length", "2", "--block-scheme",
                      source.choice(["circular", "moving", "stationary"])]
        elif paired and statistic is None and interval in ("percentile", "basic", "bca"):
            words += ["--resample", source.choice(["runs", "blocks"])]
    for word, choices in (("--same-within", ["1%", "50%"]), ("--max-slowdown", ["2%", "300%"]),
                          ("--fail-on", ["slower", "faster,unsure"]), ("--sample-runs", ["4"]),
                          ("--drop-outliers", ["10x"]), ("--test", ["ranksum", "overlap"]),
                          ("--multiplicity", ["none", "bonferroni", "bh"]),
                          ("--losses", ["keep", "remove"])):
        if source.random() < 0.3:
            words += [word, source.choice(choices)]
    return words


def commands_of(source, integer):
    """One comparison or a family of two."""
    if source.random() < 0.4:
        return ["-L", "t", "0.001,0.002", "sleep {t}", "sleep 0.002"], 2
    if source.random() < 0.5:
        return ["-I", "4", "--drop-warmup", source.choice(["1", "half", "none"]),
                integer(3000), integer(4000)], 1
    return ["true", source.choice(["true", "sleep 0.001"])], 1


def listed(run_duet, ids):
    """(verdict, change) of each experiment that `duet list` shows."""
    lines = run_duet("list").stdout.splitlines()[1:]
    by_id = {line.split()[0]: line.split() for line in lines}
    return [(by_id[number][7], by_id[number][8]) for number in ids]


def in_a_list(change_pct):
    """Large ones without digits behind the point: 'true' takes very little on some machines.
    What is rounded to nothing has no sign."""
    shown = f"{change_pct:+.{0 if change_pct >= 1000 else 2}f}"
    return "0.00" if shown in ("+0.00", "-0.00") else shown


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(20))
def test_whatever_was_asked_for(answers, run_duet, integer, seed):
    source = random.Random(seed)
    commands, count = commands_of(source, integer)
    runs = source.choice(["6", "8"])
    measured = answers("run", "-r", runs, *options_of(source), *commands)
    ids = [str(i + 1) for i in range(count)]
    assert answers("show", *ids) == measured
    for number in ids:
        # Nothing that the others have to do with it is lost either.
        at = int(number) - 1
        alone = answers("show", number)
        assert alone[0]["comparisons"] == [measured[0]["comparisons"][at]]
        assert alone[1] == [measured[1][at]]
        assert answers("compare", number) == alone
    said = [(comparison["verdict"], in_a_list(100 * (comparison["ratio"] - 1)))
            for comparison in measured[0]["comparisons"]]
    assert listed(run_duet, ids) == said


@pytest.mark.slow
def test_a_suite_and_its_parts(answers, run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text("""
name: small
defaults: {runs: 6, confidence: 0.9, interval: percentile, estimator: median}
benchmarks:
  - {name: a, old: "sleep 0.002", new: "sleep 0.003"}
  - {name: b, command: "true", same-within: 50%, fail-on: unsure}
""")
    measured = answers("suite", "s.yaml")
    names = [comparison["name"] for comparison in measured[0]["comparisons"]]
    assert names == ["a", "b"]
    assert answers("show", *names) == measured
    for at, name in enumerate(names):
        assert answers("show", name)[0]["comparisons"] == [measured[0]["comparisons"][at]]
    assert measured[0]["comparisons"][1]["analysis"]["same_within"] == 0.5
    assert measured[0]["comparisons"][0]["analysis"]["same_within"] == 0.01


@pytest.mark.slow
def test_a_stop_rule_is_part_of_it(answers, run_duet):
    measured = answers("run", "sleep 0.002", "sleep 0.008", "--until", "decided,time=5s")
    again = answers("show", "last")
    assert again == measured
    (comparison,) = again[0]["comparisons"]
    assert comparison["analysis"]["until"] == "decided"
    assert comparison["analysis"]["interval"] == "anytime"
    # What is not valid at every look can still be looked at, once.
    (other,) = answers("show", "last", "--statistic", "p90")[0]["comparisons"]
    assert other["interval"]["method"] == "percentile"
    assert other["stored_analysis"] == comparison["analysis"]


@pytest.mark.slow
def test_decided_verdicts_stay_when_shown_together(answers, run_duet):
    for name in ("first", "second"):
        done = run_duet("sleep 0.01", "sleep 0.02", "--until", "decided", "--name", name, "-q",
                        timeout=60)
        assert "slower" in done.stdout, done.stdout + done.stderr
    document, _, text, _ = answers("show", "1", "2")
    assert [c["verdict"] for c in document["comparisons"]] == ["slower", "slower"]
    assert [c["family"] for c in document["comparisons"]] == [None, None]
    assert "2 benchmarks judged one by one" in text
    together = answers("show", "1", "2", "--multiplicity", "holm")[0]["comparisons"]
    assert [c["family"]["size"] for c in together] == [2, 2]
    for comparison in together:
        decided = comparison["family"]["p_adjusted"] <= 0.01 * (1 + 1e-9)
        assert comparison["verdict"] == ("slower" if decided else "unsure")


@pytest.mark.slow
def test_options_say_what_they_change(answers, run_duet):
    done = run_duet("-r", "20", "--confidence", "0.8", "--interval", "percentile",
                    "--estimator", "median", "--same-within", "50%", "true", "true", "-q")
    assert done.returncode == 0, done.stderr
    text = " ".join(run_duet("show", "--confidence", "0.95").stdout.split())
    assert "analysed: with --confidence 0.95 instead of the stored 0.8" in text
    document, _, markdown, _ = answers("compare", "last", "--confidence", "0.95",
                                       "--same-within", "none")
    (comparison,) = document["comparisons"]
    assert comparison["analysis"]["confidence"] == 0.95
    assert comparison["stored_analysis"]["confidence"] == 0.8
    assert comparison["stored_analysis"]["same_within"] == 0.5
    assert comparison["interval"]["method"] == "percentile"
    assert comparison["verdict"] != "same"
    assert ("with --confidence 0.95 instead of the stored 0.8, --same-within none instead of "
            "the stored 50%") in markdown
    for words in (["--confidence", "0.8"], []):
        (same,) = answers("show", *words)[0]["comparisons"]
        assert same["stored_analysis"] is None
    # A list by other options does not change what is kept.
    other = run_duet("list", "--same-within", "none", "--confidence", "0.9").stdout
    assert "analysed with --same-within none, --confidence 0.9 instead of" in other
    assert other.splitlines()[1].split()[7] != "same"
    assert run_duet("list").stdout.splitlines()[1].split()[7] == same["verdict"]


@pytest.mark.slow
def test_context_and_conditions_are_those_of_the_measurement(answers, run_duet):
    assert run_duet("-r", "2", "true", "true", "-q").returncode == 0
    shown = answers("show", "1")[0]
    compared = answers("compare", "1")[0]
    assert compared["context"] == shown["context"]
    assert shown["context"]["host_name"] == os.uname().nodename
    assert compared["comparisons"][0]["warnings"] == shown["comparisons"][0]["warnings"]
    assert compared["comparisons"][0]["conditions"]["involuntary_per_s"] is not None
    assert run_duet("-r", "2", "--no-usage", "true", "true", "-q").returncode == 0
    for command in ("show", "compare"):
        (comparison,) = answers(command, "2")[0]["comparisons"]
        assert comparison["conditions"]["involuntary_per_s"] is None


def test_values_of_files_have_no_switches(answers, tmp_path):
    for name, shift in (("old.txt", 0), ("new.txt", 1)):
        (tmp_path / name).write_text("".join(f"{10 + i % 3 + shift}\n" for i in range(9)))
    (comparison,) = answers("compare", "old.txt", "new.txt")[0]["comparisons"]
    assert comparison["conditions"]["involuntary_per_s"] is None
    assert comparison["analysis"]["interval_asked"] is False


def test_list_notices_what_another_duet_answered(run_duet, stored, tmp_path):
    assert run_duet("-r", "2", "true", "true", "-q").returncode == 0
    with sqlite3.connect(tmp_path / ".duet" / "results.db") as database:
        database.execute("UPDATE comparison SET verdict = 'faster', duet_version = '0.0.1'")
    database.close()
    assert run_duet("list").stdout.splitlines()[1].split()[7] == "unsure"
    assert stored.one("SELECT verdict FROM comparison") == "unsure"
    assert stored.one("SELECT duet_version FROM comparison") != "0.0.1"


@pytest.mark.slow
def test_a_store_from_before_there_were_descriptions(answers, run_duet, old_store):
    before = old_store(6)
    expected = {
        1: {"confidence": 0.8, "interval": "percentile", "interval_asked": True,
            "estimator": "median", "estimator_asked": True, "same_within": 0.5},
        2: {"confidence": 0.99, "interval": "difference", "interval_asked": True,
            "estimator": "geomean", "estimator_asked": False, "same_within": None},
        3: {"confidence": 0.99, "interval": "anytime", "interval_asked": False,
            "estimator": "median", "estimator_asked": False, "until": "decided"},
        4: {"drop_warmup": "half", "same_within": 4.0, "estimator": "geomean"}}
    for number, fields in expected.items():
        document = answers("show", str(number))[0]
        (comparison,) = document["comparisons"]
        analysis = comparison["analysis"]
        assert {key: analysis[key] for key in fields} == fields
        assert analysis["seed"] == document["context"]["seed"]
        assert comparison["stored_analysis"] is None
        assert answers("compare", str(number))[0] == document
        # Of these, nothing was lost that later versions treat in another way.
        if number in (2, 4):
            verdict, ratio, low, high = before[number]
            assert comparison["verdict"] == verdict
            assert math.isclose(comparison["ratio"], ratio, rel_tol=1e-12)
            assert math.isclose(comparison["interval"]["low"], low, rel_tol=1e-12)
            assert math.isclose(comparison["interval"]["high"], high, rel_tol=1e-12)
    assert run_duet("list").stdout.splitlines()[1].split()[7] == "same"


def test_exports_of_one_that_failed(run_duet, tmp_path, validate):
    """Alone in `show` it is written as when it was measured."""
    names = ("o.json", "o.csv", "o.md", "o.xml", "o.html")
    kinds = ("json", "csv", "markdown", "junit", "html")
    files = [word for kind, name in zip(kinds, names) for word in (f"--export-{kind}", name)]
    measured = run_duet("true", "false", *files)
    written = [(tmp_path / name).read_bytes() for name in names]
    for name in names:
        (tmp_path / name).unlink()
    shown = run_duet("show", "last", *files)
    assert measured.returncode == shown.returncode == 4
    assert [(tmp_path / name).read_bytes() for name in names] == written
    validate(json.loads(written[0]))
    assert "failed: true: new ('false')" in shown.stdout
    assert "it ended early: " in shown.stdout
