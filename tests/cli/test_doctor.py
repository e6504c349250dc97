"""duet doctor: what it says of this machine, whatever that is."""

import json
import os
import pathlib
import re

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs/schema/duet-doctor-1.schema.json"


@pytest.mark.slow
def test_every_item_is_judged(run_duet, tmp_path):
    result = run_duet("doctor", "--duration", "200ms")
    assert result.returncode == 0, result.stderr
    level_of = {name: level for level, name in re.findall(r"^  (\w+) +(\w+(?: \w+)?)  ",
                                                          result.stdout, re.MULTILINE)}
    assert set(level_of) >= {"CPUs", "governor", "clock", "start skew", "preemption",
                             "noise", "pairing", "CPU bias"}
    assert set(level_of.values()) <= {"good", "care"}
    assert result.stdout.splitlines()[-1].startswith("This machine")
    assert not list(tmp_path.iterdir())  # nothing is stored


@pytest.mark.slow
def test_json_follows_its_schema(run_duet, tmp_path):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    result = run_duet("doctor", "--duration", "100ms", "--export-json", "found.json")
    assert result.returncode == 0
    document = json.loads((tmp_path / "found.json").read_text())
    validator.validate(document)
    assert document["fitness"]["skew_median_ns"] > 0
    taken = document["fitness"]["taken_ratio"]
    assert (taken is not None) == os.path.exists("/proc/thread-self/schedstat")
    assert taken is None or 0 <= taken <= 1
    alone = run_duet("doctor", "--duration", "100ms", "--export-json", "-")
    validator.validate(json.loads(alone.stdout))


def test_the_users_cpus(run_duet):
    first, second = sorted(os.sched_getaffinity(0))[:2]
    result = run_duet("doctor", "--duration", "100ms", "--cpus", f"{second},{first}")
    assert f"{second} and {first} of" in result.stdout
    same = run_duet("doctor", "--cpus", f"{first},{first}")
    assert same.returncode == 2 and same.stdout == ""


def test_one_cpu_is_unfit(run_duet):
    one = {min(os.sched_getaffinity(0))}
    result = run_duet("doctor", preexec_fn=lambda: os.sched_setaffinity(0, one))
    assert result.returncode == 5
    assert "unfit" in result.stdout and "timeslice" in result.stdout


def test_a_file_that_cannot_be_written(run_duet):
    result = run_duet("doctor", "--duration", "100ms", "--export-json", "no/such/x.json")
    assert result.returncode == 5 and "no/such/x.json" in result.stderr
