"""One version in all files that state it (HACKING.md, "Release")."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = {
    "CITATION.cff": r"^version: (\S+)$",
    "bindings/java/duet/Duet.java": r"VERSION = \d+; // (\S+)$",
    "bindings/node/package.json": r'^  "version": "([^"]+)"',
    "bindings/python/pyproject.toml": r'^version = "([^"]+)"',
    "bindings/rust/duet/Cargo.toml": r'^version = "([^"]+)"',
    "bindings/rust/duet-criterion/Cargo.toml": r'^version = "([^"]+)"',
    "bindings/rust/duet-divan/Cargo.toml": r'^version = "([^"]+)"',
    "suites/jvm/pom.xml": r"^  <version>([^<]+)</version>",
}
VERSION = re.search(r"^project\(duet VERSION (\d+\.\d+\.\d+) ",
                    (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)


@pytest.mark.parametrize("path", PLACES)
def test_it_has_the_version(path):
    found = re.search(PLACES[path], (ROOT / path).read_text(), re.MULTILINE)
    assert found and found.group(1) == VERSION


def test_the_program_says_it(run_duet):
    assert run_duet("version").stdout.split()[1] == VERSION


def test_the_changes_have_a_place():
    assert re.search(r"^## Unreleased$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
