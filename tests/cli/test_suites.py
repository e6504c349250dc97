"""The suites that come with duet: inputs that are the same everywhere, and three of their
programs which the checks need anyway."""

import hashlib
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NATIVE = ROOT / "suites/native.yaml"


def test_inputs_are_the_same_bytes(tmp_path):
    done = subprocess.run(["/usr/bin/python3", ROOT / "suites/make_inputs.py", tmp_path / "in"],
                          check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole = hashlib.sha256()
    for path in sorted((tmp_path / "in").iterdir()):
        whole.update(path.name.encode() + b" " +
                     hashlib.sha256(path.read_bytes()).hexdigest().encode() + b"\n")
    assert whole.hexdigest() == "80e3d9d685cdb6c30df227cf7d88bc826335f4ae8b838aa60948e829820588f1"


def test_native_lists_counterparts(run_duet):
    """At least 16 real programs, each with its counterpart and a check of its output."""
    result = run_duet("suite", NATIVE, "--list")
    assert result.returncode == 0, result.stderr
    count = int(re.match(r"native: (\d+) benchmarks\n", result.stdout)[1])
    rows = re.findall(r"^(\w+) +duet, 5 s, checked\n    (\S.*)\n    .*\(against itself\)$",
                      result.stdout, re.MULTILINE)
    assert count == len(rows) >= 16
    assert sum(bool(re.match(r"5\d\d\.\w+_r", text)) for _, text in rows) >= 16
    listed = (ROOT / "docs/suites.md").read_text()
    assert all(f"`{name}`" in listed for name, _ in rows)


@pytest.mark.timeout(180)
def test_three_native_programs(run_duet):
    """Their inputs are made, they are measured, and their checks hold."""
    result = run_duet("suite", NATIVE, "--only", "xz", "--only", "sqlite", "--only", "lattice",
                      "--runs", 2, timeout=150)
    assert result.returncode == 0, result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines()[1:4]] == \
        ["xz", "lattice", "sqlite"]
    assert "3 benchmarks judged together" in result.stdout


def test_packages_of_native():
    """What the suite executes, tools/install-packages knows."""
    text = (ROOT / "tools/install-packages").read_text()
    packages = re.search(r"^native=\((.*?)\)", text, re.MULTILINE | re.DOTALL)[1]
    packages = re.sub(r"#.*", "", packages).split()
    for package in ["glpk-utils", "iverilog", "xalan", "x264", "gnuchess", "gnugo", "cadical",
                    "povray", "imagemagick", "openbabel", "calculix-ccx", "hmmer"]:
        assert package in packages
