"""What CI systems and trackers are given: read by what they read it with."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import junitparser
import jsonschema
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

# Bencher's adapter takes objects of these, and no other field (its JSON schema, reduced).
BENCHER = {"type": "object", "additionalProperties": {
    "type": "object", "additionalProperties": {
        "type": "object", "additionalProperties": False, "required": ["value"],
        "properties": {name: {"type": "number"}
                       for name in ("value", "lower_value", "upper_value")}}}}
# What github-action-benchmark demands of each entry of customSmallerIsBetter.
SMALLER_IS_BETTER = {"type": "array", "items": {
    "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
    "properties": {"value": {"type": "number"},
                   **{name: {"type": "string"} for name in ("name", "unit", "range", "extra")}}}}

EXPORTS = ["--export-junit", "junit.xml", "--export-pr-comment", "comment.md",
           "--export-openmetrics", "metrics.txt", "--export-bencher", "bencher.json",
           "--export-github-benchmark", "github.json"]


@pytest.fixture
def compared(run_duet, tmp_path):
    """Two stored experiments of numbers that never change, one slower by 40 %, one equal;
    shown with the options."""
    for name, more in (("n=560000", 400), ("n=400000", 0)):
        rows = ["run,iteration,side,time_us"] + [
            f"{run},{i},{side},{1000 + run % 3 + i + (more + run % 5 - 2 if side == 'new' else 0)}"
            for run in range(16) for i in range(3) for side in ("old", "new")]
        (tmp_path / "pairs.csv").write_text("\n".join(rows) + "\n")
        done = run_duet("import", "pairs.csv", "--name", name, "--seed", "9", cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    def show(*options, **how):
        return run_duet("show", "1", "2", "--same-within", "1%", *options, cwd=tmp_path, **how)

    return show


def test_every_export_is_accepted(compared, tmp_path):
    result = compared("--fail-on", "slower", "--report-name", "speed", *EXPORTS)
    assert result.returncode == 1, result.stderr
    report = junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert (report.tests, report.failures, report.errors, report.skipped) == (2, 1, 0, 0)
    cases = [case for suite in report for case in suite]
    assert [case.name for case in cases] == ["n=560000", "n=400000"]
    assert {case.classname for case in cases} == {"speed"}
    assert cases[0].result[0].type == "slower" and cases[1].is_passed
    assert "n=560000 is slower by +" in cases[0].result[0].message

    families = {family.name: family.samples[0].value for family in
                text_string_to_metric_families((tmp_path / "metrics.txt").read_text())}
    assert families["duet_verdict_n_560000"] == 2
    assert families["duet_verdict_n_400000"] == 0
    assert 1.39 < families["duet_ratio_n_560000"] < 1.41

    bencher = json.loads((tmp_path / "bencher.json").read_text())
    jsonschema.validate(bencher, BENCHER)
    ratio = bencher["n=560000"]["ratio"]
    assert ratio["lower_value"] < ratio["value"] < ratio["upper_value"]
    assert bencher["n=560000"]["latency"]["value"] > 1e6

    entries = json.loads((tmp_path / "github.json").read_text())
    jsonschema.validate(entries, SMALLER_IS_BETTER)
    assert [entry["name"] for entry in entries] == [
        "n=560000", "n=560000: new / old", "n=400000", "n=400000: new / old"]

    comment = (tmp_path / "comment.md").read_text()
    assert comment.startswith("<!-- duet:speed -->\n### speed: gate failed: 1 of 2 benchmarks\n")
    overview = comment[:comment.index("<details>")]
    assert "n=560000" in overview and "n=400000" not in overview
    assert "- Gate: failed: n=560000 is slower by +" in comment


def test_a_comment_as_github_shows_it(compared, tmp_path):
    """By the parser that GitHub has: tables are tables, and the folded part is no raw text."""
    compared("--fail-on", "slower", "--report-name", "speed", "--export-pr-comment", "comment.md")
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "tagfilter", "-e", "autolink",
                           "comment.md"], cwd=tmp_path, capture_output=True, text=True, check=True)
    overview, _, folded = done.stdout.partition("<details>")
    assert "<h3>speed: gate failed: 1 of 2 benchmarks</h3>" in overview
    assert "<code>n=560000</code></td>" in overview and ">slower</td>" in overview
    assert ">n=400000</td>" in folded and "<table>" in folded and "</details>" in folded
    # Nothing of Markdown is left but in code.
    assert not re.search(r"\|\s*:?---|^#|\*\*", re.sub(r"<code>.*?</code>", "", done.stdout, flags=re.DOTALL),
                         re.MULTILINE)


def test_the_gate_is_in_json(compared, tmp_path, validate):
    compared("--fail-on", "slower", "--max-slowdown", "500%", "--export-json", "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    validate(document)
    slower, same = (comparison["gate"] for comparison in document["comparisons"])
    assert slower["state"] == "failed" and slower["by_verdict"] and not slower["by_limit"]
    assert slower["interval_to_limit"] == "below"
    assert re.search(r"\(--fail-on slower\); its upper end \+\d.* is below --max-slowdown "
                     r"500%, which alone would pass$", slower["reason"])
    assert same["state"] == "passed"


def test_github_reads_annotations_summary_and_outputs(compared, tmp_path):
    (tmp_path / "summary").write_text("before\n")
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
                   "GITHUB_OUTPUT": str(tmp_path / "output")}
    result = compared("--github", "--export-pr-comment", "comment.md", "--fail-on", "slower",
                      env=environment)
    assert result.returncode == 1
    annotations = [line for line in result.stderr.splitlines() if line.startswith("::")]
    assert annotations[0] == ("::error title=duet::gate failed: 1 of 2 benchmarks "
                              "(1 slower, 1 same)")
    assert annotations[1].startswith("::error title=duet%3A n=560000%3A slower::n=560000 is ")
    assert len(annotations) == 2 and "::" not in result.stdout
    assert (tmp_path / "summary").read_text() == "before\n" + (tmp_path / "comment.md").read_text()
    assert (tmp_path / "output").read_text().splitlines() == [
        "verdict=slower", "slower=1", "unsure=0", "report=comment.md"]


def test_a_full_summary_is_left_as_it_is(compared, tmp_path):
    (tmp_path / "summary").write_text("x" * (1024 * 1024 - 4000))
    result = compared("-q", "--github", env={"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")})
    assert "the step summary is full, and this report is not in it" in result.stderr
    assert (tmp_path / "summary").stat().st_size == 1024 * 1024 - 4000


def test_outside_of_github_only_annotations(run_duet, tmp_path):
    result = run_duet("true", "true", "-r", "2", "--github", cwd=tmp_path,
                      env={"GITHUB_STEP_SUMMARY": "", "GITHUB_OUTPUT": ""})
    assert result.returncode == 0 and result.stderr.startswith("::warning title=duet::")


def test_a_file_that_cannot_be_written_is_named(run_duet, tmp_path):
    result = run_duet("true", "true", "-r", "2", "--github", cwd=tmp_path,
                      env={"GITHUB_STEP_SUMMARY": "/nonexistent/summary"})
    assert result.returncode == 5
    assert "'/nonexistent/summary' ($GITHUB_STEP_SUMMARY)" in result.stderr
    early = run_duet("true", "true", "-r", "2", "--export-junit", "/nonexistent/j.xml",
                     cwd=tmp_path)
    assert early.returncode == 5
    assert ("cannot export to '/nonexistent/j.xml': there is no folder '/nonexistent/'; make it "
            "first, or name another file") in early.stderr
    folder = run_duet("true", "true", "--export-json", tmp_path, "--name", "early", cwd=tmp_path)
    assert folder.returncode == 5 and f"'{tmp_path}': it is a folder; name a file" in folder.stderr
    assert "early" not in run_duet("list", cwd=tmp_path).stdout  # nothing was measured
    mixed = run_duet("true", "true", "--export-junit", "-", "--export-json", "-")
    assert mixed.returncode == 2 and "2 exports go to standard output" in mixed.stderr


def test_a_failing_command_is_an_error(run_duet, tmp_path):
    result = run_duet("-r", "4", "-L", "s", "0,3", "true", "sh -c 'exit {s}'",
                      "--export-junit", "-", cwd=tmp_path)
    assert result.returncode == 4
    root = ElementTree.fromstring(result.stdout)
    assert root.get("errors") == "1" and root.get("tests") == "2"
    assert "status 3" in root.find(".//error").text


def test_run_and_compare_export_too(run_duet, tmp_path):
    done = run_duet("true", "true", "-r", "2", "--export-junit", "run.xml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert junitparser.JUnitXml.fromfile(str(tmp_path / "run.xml")).skipped == 1
    (tmp_path / "a.txt").write_text("".join(f"{10 + i % 3}\n" for i in range(40)))
    assert run_duet("compare", "a.txt", "a.txt", "-q", "--export-bencher", "b.json",
                    cwd=tmp_path).returncode == 0
    jsonschema.validate(json.loads((tmp_path / "b.json").read_text()), BENCHER)


@pytest.mark.quiet  # an iteration that others disturb is left out
def test_time_in_junit_is_of_all_operations(run_duet, region_benchmark, stored, tmp_path):
    command = f"{region_benchmark} 10 10 50"
    done = run_duet(command, command, "-r", "2", "-I", "3", "--losses", "keep", "--export-junit", "run.xml",
                    cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert stored.one("SELECT min(operations) FROM iteration") > 1
    took_s = stored.one("SELECT sum(end_ns - start_ns) / 1e9 FROM iteration AS i JOIN run AS r "
                        "ON r.id = i.run_id WHERE experiment_id = 1")  # the regions' are others
    whole = next(case for suite in junitparser.JUnitXml.fromfile(str(tmp_path / "run.xml"))
                 for case in suite)
    assert abs(whole.time - took_s) < took_s / 4  # the times as they are analysed


def test_gate_judges_what_is_stored(compared, run_duet, tmp_path):
    failed = run_duet("gate", "1", cwd=tmp_path)
    assert failed.returncode == 1 and failed.stdout == ""
    assert re.fullmatch(r"duet: gate: failed: n=560000 is slower by \+.* "
                        r"\(--fail-on slower\)\n", failed.stderr)
    passed = run_duet("gate", "2", cwd=tmp_path)
    assert passed.returncode == 0 and "gate: passed: n=400000 is same within 1 %" in passed.stderr
    assert run_duet("gate", "-q", "2", cwd=tmp_path).stderr == ""
    limit = run_duet("gate", "1", "--max-slowdown", "900%", cwd=tmp_path)
    assert limit.returncode == 0 and "is below --max-slowdown 900%" in limit.stderr
    both = run_duet("gate", "1", "2", cwd=tmp_path)
    assert both.returncode == 1 and both.stderr.count("gate:") == 1
    nothing = run_duet("gate", "77", cwd=tmp_path)
    assert nothing.returncode == 2 and "77" in nothing.stderr


@pytest.mark.slow
def test_gate_keeps_what_was_asked_when_measured(run_duet, tmp_path):
    # No ratio is near 1, and a percentile interval lies within the ratios.
    run_duet("sleep 0.001", "sleep 0.1", "-r", "8", "--interval", "percentile",
             "--max-slowdown", "100000%", cwd=tmp_path)
    assert run_duet("gate", "1", cwd=tmp_path).returncode == 0
    assert run_duet("gate", "1", "--fail-on", "slower", cwd=tmp_path).returncode == 1


def test_the_gate_proves_that_it_can_fail(compared, run_duet, tmp_path):
    seen = run_duet("gate", "2", "--self-test", "--by", "300%", cwd=tmp_path)
    assert seen.returncode == 0, seen.stderr
    assert re.search(r"self-test passed; with new slower by 300 % the gate says "
                     r"'failed: n=400000 is slower by \+\d+", seen.stderr)
    anyway = run_duet("gate", "1", "--self-test", cwd=tmp_path)
    assert anyway.returncode == 0 and "it fails without that, too" in anyway.stderr
    unseen = run_duet("gate", "2", "--self-test", "--by", "0.001%", cwd=tmp_path)
    assert unseen.returncode == 1 and "self-test failed; with" in unseen.stderr
    assert "'passed: " in unseen.stderr
    assert "measure for longer" in unseen.stderr
    limit = run_duet("gate", "2", "--self-test", "--max-slowdown", "200%", "-q", cwd=tmp_path)
    assert limit.returncode == 0 and limit.stderr == ""
    assert run_duet("gate", "2", cwd=tmp_path).returncode == 0  # nothing was stored
    assert run_duet("gate", "2", "--by", "0%", cwd=tmp_path).returncode == 2
