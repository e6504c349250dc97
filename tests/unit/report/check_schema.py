"""Validates the documents that test_json_document.c wrote against the published schema.

usage: check_schema.py SCHEMA FOLDER

Three times: as published; with every object closed, so that a field which the schema
does not describe is found; and with faults put in, which the schema must refuse.
Exit status 77 (skipped) without python3-jsonschema.
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def closed(schema):
    """The schema with additionalProperties false wherever properties are listed."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if result.get("type") == "object" and "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


def reject(number):
    raise ValueError(f"{number} is not JSON")


def put(document, path, value):
    """Sets the field at `path`; the value REMOVED takes it out."""
    *parents, last = path
    for key in parents:
        document = document[key]
    if value is REMOVED:
        del document[last]
    else:
        document[last] = value


REMOVED = object()
run = ("experiments", 0, "runs", 0)
faults = [
    (("schema_version",), 2),
    (("context",), REMOVED),
    (("context", "seed"), "42"),
    (("context", "load_avg"), [1, 2]),
    (("comparisons", 0, "ratio"), REMOVED),
    (("comparisons", 0, "ratio"), "1.03"),
    (("comparisons", 0, "verdict"), "no difference"),
    (("comparisons", 0, "interval", "confidence"), 99),
    (("comparisons", 0, "interval", "method"), "anything"),
    (("comparisons", 0, "interval", "unit"), "iteration"),
    (("comparisons", 0, "change_p_value"), 1.5),
    (("comparisons", 0, "family", "multiplicity"), "bonferoni"),
    (("comparisons", 0, "family", "size"), 1),
    (("comparisons", 0, "statistic", "old", "value"), REMOVED),
    (("comparisons", 0, "dropped", "warmup"), -1),
    (("comparisons", 0, "runs"), 1.5),
    (("comparisons", 0, "warnings", 0, "kind"), "note"),
    (("results", 0, "times", 0), "1 s"),
    (("experiments", 0, "schedule"), "random"),
    (("experiments", 0, "sides", "old"), 1),
    ((*run, "cpu_old"), -1),
    ((*run, "position_new"), 2),
]
paired_faults = [
    (("experiments", 0, "schedule"), "interleaved"),
    (("experiments", 0, "sides", "new"), []),
    ((*run, "iterations"), REMOVED),
    ((*run, "iterations", 0, "start_skew_ns"), 0.5),
    ((*run, "iterations", 0, "old", "flags"), ["filler"]),
]
unpaired_faults = [
    (("experiments", 0, "schedule"), "duet"),
    (("experiments", 0, "sides", "old"), {"command": "./old"}),
    (("experiments", 0, "sides", "new", 0, "ns"), None),
    ((*run, "iterations"), []),
]


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    paths = sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    published = jsonschema.Draft202012Validator(schema)
    strict = jsonschema.Draft202012Validator(closed(schema))
    assert len(paths) == 4, f"expected 4 documents in {sys.argv[2]}, found {paths}"
    for path in paths:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text, parse_constant=reject)
        published.validate(document)
        strict.validate(document)
        paired = document["experiments"][0]["schedule"] in ("duet", "timeslice")
        own_faults = paired_faults if paired else unpaired_faults
        for where, value in faults + own_faults:
            broken = copy.deepcopy(document)
            put(broken, where, value)
            assert not published.is_valid(broken), f"{path.name}: {where} passes"
        print(f"{path.name}: valid; {len(faults + own_faults)} faults refused")


main()
