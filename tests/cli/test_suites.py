"""The suites that come with duet: inputs that are the same everywhere, and three of their
programs which the checks need anyway. What the suite of the JVM executes is downloaded:
`make soak-jvm` measures it."""

import hashlib
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NATIVE = ROOT / "suites/native.yaml"
JVM = ROOT / "suites/jvm.yaml"


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


@pytest.mark.soak
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


def test_jvm_lists_counterparts(run_duet):
    """At least 10 programs in one JVM a run, each with its counterpart, its class and a row
    in the documentation; a fixed heap; warm-up left out."""
    result = run_duet("suite", JVM, "--list")
    assert result.returncode == 0, result.stderr
    count = int(re.match(r"jvm: (\d+) benchmarks\n", result.stdout)[1])
    rows = re.findall(r"^(\w+) +duet, 10 runs of 20 iterations, checked\n"
                      r"    .*(?:DaCapo|ScalaBench).*\n"
                      r"    java (.*) duet\.suite\.Main (\w+) \(against itself\)$",
                      result.stdout, re.MULTILINE)
    assert count == len(rows) >= 10
    documented = (ROOT / "docs/suites.md").read_text()
    main = (ROOT / "suites/jvm/src/main/java/duet/suite/Main.java").read_text()
    assert {row[2] for row in rows} == set(re.findall(r'Map\.entry\("(\w+)"', main))
    for name, options, workload in rows:
        assert name == workload and f"| `{name}` |" in documented
        heap = re.findall(r"-Xm[sx](\w+)", options)
        assert len(heap) == 2 and heap[0] == heap[1]
    assert re.search(r"^  drop-warmup: half$", JVM.read_text(), re.MULTILINE)


def test_jvm_says_how_it_is_built(run_duet, tmp_path):
    result = run_duet("suite", JVM, env={**os.environ, "DUET_JVM_SUITE": str(tmp_path)})
    assert result.returncode != 0
    assert f"nothing built in {tmp_path}: make suite-jvm" in result.stderr


def test_versions_of_jvm_are_pinned():
    """And nothing says where they are to be had."""
    pom = (ROOT / "suites/jvm/pom.xml").read_text()
    for block in re.findall(r"<(?:dependency|plugin)>.*?</(?:dependency|plugin)>", pom, re.DOTALL):
        version = re.search(r"<version>(.*?)</version>", block)[1]
        if name := re.fullmatch(r"\$\{(.*)\}", version):
            version = re.search(f"<{re.escape(name[1])}>(.*?)<", pom)[1]
        assert re.fullmatch(r"\d+(\.\d+)+", version), block
    assert "<repositor" not in pom and "<url>" not in pom
