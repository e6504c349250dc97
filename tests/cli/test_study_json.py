"""The studies' --export-json: docs/schema/duet-study-1.schema.json, with the fields of the CSV."""

import csv
import io
import json
import pathlib
import random

import jsonschema
import pytest

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/schema/duet-study-1.schema.json"


def valid(text):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


@pytest.fixture
def series(tmp_path):
    """One that stops at once, and one that no rule stops."""
    made = tmp_path / "series"
    made.mkdir()
    for name, spread in ("A-quiet", 1), ('B "wild", really', 40):
        generator = random.Random(name)
        (made / f"{name}.txt").write_text(
            "".join(f"{max(1, 100 + spread * generator.gauss(0, 1)):.6f}\n" for _ in range(600)))
    return made


def in_csv(value):
    return "" if value is None else f"{value:.17g}" if isinstance(value, float) else str(value)


STOPPING = ["stopping", "series", "--points-per-interval", 20, "--every", 40,
            "--replicates", 100]


@pytest.mark.parametrize("study,arguments,rows", [
    ("coverage", ["coverage", "--samples", 3, "--replicates", 100, "--data", "normal"], 0),
    ("stopping", [*STOPPING, "--errors", "0.5%,5%"], 2 * 2 * 2 * 6),
    ("stopping", [*STOPPING, "--rules", "cov", "--price-per-hour", 2], 2 * 2 * 3),
    ("bootstraps", [*STOPPING, "--bootstraps"], 2 * 2),
    ("prediction", ["prediction", "--benchmarks", 2, "--tests", 3, "--replicates", 100,
                    "--predictions", 2, "--rules", "cov,steady"], 2 * 4),
    ("prediction", ["prediction", "--benchmarks", 2, "--tests", 3, "--predictions", 9,
                    "--rules", "cov"], 2 * 3)])
@pytest.mark.slow
def test_json_says_what_the_csv_says(run_duet, series, tmp_path, study, arguments, rows):
    done = run_duet("study", *arguments, "--seed", 7, "--export-csv", "rows.csv",
                    "--export-json", "-")
    assert done.returncode == 0, done.stderr
    document = valid(done.stdout)
    assert document["study"] == study and document["seed"] == 7
    table = list(csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text())))
    assert len(document["rows"]) == len(table) >= max(rows, 1)
    assert rows in (0, len(table))
    for own, same in zip(document["rows"], table):
        assert list(own) == list(same)
        for name, value in own.items():
            known = in_csv(value)
            assert known == same[name] or float(known) == float(same[name])


def test_what_is_not_known_is_null(run_duet, series):
    done = run_duet("study", *STOPPING, "--rules", "steady", "--errors", "0.1%",
                    "--export-json", "-")
    rows = valid(done.stdout)["rows"]
    assert {row["series"] for row in rows} == {"A-quiet", 'B "wild", really'}
    for row in rows:
        assert row["points_relative"] is None and row["price_mean"] is None
        if row["stopped"] == 0:
            assert row["accurate_share"] is row["error_max"] is row["points_stopped_mean"] is None
    assert any(row["stopped"] == 0 for row in rows)


def test_the_other_studies(run_duet, tmp_path):
    lines = [f"b,e,i{i},t{t},{100 + i + t + v}" for i in range(3) for t in range(3)
             for v in range(5)]
    (tmp_path / "d.csv").write_text("\n".join(["benchmark,environment,instance,trial,value",
                                               *lines]) + "\n")
    done = run_duet("study", "variability", "d.csv", "--replicates", 100, "--export-json", "-")
    assert done.returncode == 0, done.stderr
    (row,) = valid(done.stdout)["rows"]
    assert row["benchmark"] == "b" and row["instances"] == 3
