"""tools/reproduce: the duet paper's studies, one workload after the other, and their answers
as Markdown and pictures."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHORT = ["--only", "sqlite", "--budget", "1s", "--ratio-budget", "1s",
         "--runs", "2", "--platform", "here"]


@pytest.fixture(name="reproduce")
def fixture_reproduce(duet, tmp_path):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, ROOT / "tools/reproduce", "--folder", tmp_path / "out",
             *arguments], check=False, capture_output=True, text=True, timeout=170,
            env={**os.environ, "DUET_BINARY": duet[0]})
    return run


@pytest.mark.soak
@pytest.mark.timeout(180)
def test_it_goes_on_and_tells(reproduce, tmp_path):
    """What was measured is not measured again, what failed is; the tables hold what duet
    exports."""
    folder = tmp_path / "out"
    done = reproduce("native", *SHORT)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^native (\w+):", done.stderr, re.MULTILINE) == ["sqlite"]
    again = reproduce("native", *SHORT)
    assert again.returncode == 0 and again.stderr == ""
    state = json.loads((folder / "state.json").read_text())
    state["native sqlite"]["failed"] = "sqlite: disk full"
    (folder / "state.json").write_text(json.dumps(state))
    assert re.findall(r"^native (\w+):", reproduce("native", *SHORT).stderr,
                      re.MULTILINE) == ["sqlite"]
    tables = (folder / "tables.md").read_text()
    for load, study, platform in (("quiet", "accuracy", "here"),
                                  ("under load", "sharing", "here busy")):
        table = csv.DictReader((folder / f"native-{study}.csv").read_text().splitlines())
        (row,) = [row for row in table if row["platform"] == platform]
        gain = re.search(rf"^\| native, {load} \| 1 \| ([\d.]+) \|", tables, re.MULTILINE)[1]
        assert float(gain) == pytest.approx(float(row["standard"]) / float(row["duet"]),
                                            rel=0.02, abs=0.006)
        printed = (folder / f"native-{study}.txt").read_text()
        assert gain == re.search(rf"^{platform} +native +1 +([\d.]+)", printed,
                                 re.MULTILINE)[1]
    assert "disk full" not in tables
    assert len(re.findall(r"^- native: 1 workloads in [\d.]+ minutes, [\d.]+ % of the CPU time "
                          r"stolen; load: `duet stress .*`\.$", tables, re.MULTILINE)) == 1
    assert len(re.findall(r"^\| sqlite \| [\d.]+ : ", tables, re.MULTILINE)) == 1
    drawn = {path.name for path in (folder / "native").glob("*.svg")}
    assert drawn == {f"figure-{name}.svg" for name in (
        "1-times", "2-widths", "3-samples", "4-shuffled", "5-sharing", "7-together")}
    assert all(f"pictures/native-{name}" in tables for name in drawn)


@pytest.mark.soak
@pytest.mark.timeout(120)
def test_known_ratios(reproduce, tmp_path):
    """Beside what there is of another part."""
    folder = tmp_path / "out"
    folder.mkdir()
    head = ("group,platform,suite,workload,duet,shuffled,standard,duet_trimmed,"
            "standard_trimmed,timeslice,together_ratio,runs,iterations,"
            "together_low,together_high\n")
    quiet = "native,xz,2,5,6,2,6,0.5,1.1,10,3\n"
    (folder / "native-accuracy.csv").write_text(f"{head}measured,here,{quiet}")
    (folder / "native-sharing.csv").write_text(
        f"{head}measured,here quiet,{quiet}measured,here busy,native,xz,4,5,6,2,6,3,1,10,3\n")
    (folder / "state.json").write_text(json.dumps({"native xz": {
        "wall_s": 60, "failed": None, "load": "duet stress"}}))
    done = reproduce("ratio", *SHORT)
    assert done.returncode == 0, done.stderr
    tables = (folder / "tables.md").read_text()
    assert "\n| native, quiet | 1 | 3.00 | 1.20 | 3.00 | 12.0 |" in tables
    assert "\n| native, under load | 1 | 1.50 | 1.20 | 3.00 | 2.00 |" in tables
    assert ("\n| xz | 2 : 5 : 6 | 3.00 | 3.00 | 12.0 | 1.10 | 10 x 3 | 4 : 5 : 6 | 1.50 | 2.00 |"
            in tables)
    assert "- native: 1 workloads in 1.0 minutes; load: `duet stress`.\n" in tables
    assert len(re.findall(r"^\| \w+ \| (?:quiet|busy) \| (?:no|yes) \| [\d.]+ \|", tables,
                          re.MULTILINE)) == 16
    assert "pictures/figure-6-ratio.svg" in tables


def test_wrong_usage(reproduce):
    assert "no part 'spec'" in reproduce("spec").stderr
    assert "is no time" in reproduce("--budget", "soon").stderr


def test_the_page_can_be_filled_in():
    page = (ROOT / "docs/reproduction.md").read_text()
    begin, end = (f"<!-- tools/reproduce: {word} -->" for word in ("begin", "end"))
    assert page.count(begin) == page.count(end) == 1
    assert page.index(begin) < page.index(end)
