"""Shared by the tests of the command line."""

import json
import pathlib

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def validate():
    """Checks a document against the published schema."""
    schema = json.loads((ROOT / "docs/schema/duet-1.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    def check(document):
        errors = [f"{error.json_path}: {error.message}"
                  for error in validator.iter_errors(document)]
        assert not errors, errors[:5]

    return check
