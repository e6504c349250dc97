"""bindings/rust: Criterion's interface and divan, from their registry."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

RUST = pathlib.Path(__file__).resolve().parents[2] / "bindings/rust"


def cargo(target, *words, **environment):
    done = subprocess.run(["cargo", *map(str, words)], cwd=RUST, check=False, text=True,
                          timeout=900, capture_output=True,
                          env={**os.environ, "CARGO_TARGET_DIR": str(target), **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module", name="target")
def fixture_target(tmp_path_factory):
    if shutil.which("cargo") is None:
        pytest.skip("no cargo: this binding is not tested")
    return pathlib.Path(os.environ.get("DUET_CARGO_TARGET_DIR", tmp_path_factory.mktemp("rust")))


@pytest.fixture(scope="module", name="programs")
def fixture_programs(target):
    """The benchmark programs of the two helpers, by crate."""
    built = cargo(target, "build", "--release", "-p", "duet-criterion", "-p", "duet-divan",
                  "--benches", "--message-format", "json")
    found = {}
    for line in built.splitlines():
        if '"executable":"' in line:
            artifact = json.loads(line)
            if artifact["target"]["kind"] == ["bench"]:
                found[re.search(r"duet-\w+", artifact["package_id"].rpartition("/")[2])[0]] = (
                    artifact["executable"])
    return found


@pytest.mark.timeout(60)
def test_it_is_formatted(target):
    cargo(target, "fmt", "--all", "--check")


def listings(language):
    """Those of README.md, in its order."""
    return re.findall(f"^```{language}\n(.*?)^```", (RUST / "README.md").read_text(), re.M | re.S)


@pytest.mark.soak  # divan comes from crates.io
@pytest.mark.timeout(900)
def test_the_listings_compile(target, tmp_path):
    """Those of the pages of duet and duet-divan, and those of README.md."""
    shown = cargo(target, "test", "--doc", "-p", "duet", "-p", "duet-divan")
    assert shown.count("1 passed") == 2, shown
    _, dependencies = listings("toml")
    bench, program = listings("rust")
    files = {
        "Cargo.toml": "[package]\nname = 'my_crate'\nversion = '0.1.0'\nedition = '2021'\n"
                      "[[bench]]\nname = 'parse'\nharness = false\n"
                      + dependencies.replace("/path/to/bindings/rust", str(RUST))
                      + f"duet = {{ path = '{RUST}/duet' }}\n",
        "src/lib.rs": "pub fn parse(text: &str) -> usize { text.len() }\n",
        "benches/parse.rs": f"const INPUT: &str = 'a';\nfn main() {{ divan::main(); }}\n{bench}"
                            .replace("'a'", '"a"'),
        "examples/program.rs": "use my_crate::parse;\nfn prepare() -> String { String::new() }\n"
                               f"fn main() -> Result<(), duet::Error> {{\n{program}Ok(())\n}}\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    cargo(target, "build", "--benches", "--examples", "--manifest-path", tmp_path / "Cargo.toml")


@pytest.mark.soak  # what is compiled comes from crates.io, and takes minutes
@pytest.mark.timeout(900)
def test_criterion_is_itself(programs):
    done = subprocess.run([programs["duet-criterion"], "--test"], check=False, text=True, timeout=100,
                          capture_output=True)
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown
    assert "Testing sum" in shown and "Testing group/vector/1" in shown
    done = subprocess.run([programs["duet-divan"], "--test"], check=False, text=True, timeout=100,
                          capture_output=True)
    assert done.returncode == 0 and "sum" in done.stdout


@pytest.mark.soak
@pytest.mark.parametrize("crate, select", [
    ("duet-criterion", "sum --exact"), ("duet-criterion", "vector"),
    ("duet-divan", "--bench sum")])
def test_two_programs(programs, run_duet, tmp_path, crate, select):
    out = tmp_path / "out.json"
    words = f"{programs[crate]} {select}"
    done = run_duet("run", words, f"env SUM_COUNT=4000 {words}", "-r", 4, "-I", 30,
                    "--export-json", out, timeout=60)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness" and 1.5 < row["ratio"] < 6, row["ratio"]


@pytest.mark.soak
def test_a_name_that_selects_none(programs, run_duet):
    """The start of the two programs was compared."""
    words = f"{programs['duet-criterion']} smu --exact"
    done = run_duet("run", words, words, "-r", 2, "-I", 5, timeout=60)
    assert done.returncode == 4 and "no benchmark was measured" in done.stderr, done.stderr


@pytest.mark.soak
def test_one_benchmark_of_a_process(programs, run_duet):
    words = programs["duet-criterion"]
    done = run_duet("run", words, words, "-r", 2, "-I", 5, timeout=60)
    assert done.returncode == 4
    assert "one benchmark of a process, and that was sum" in done.stderr
