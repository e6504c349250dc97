"""duet go-test, cargo-bench and pytest with the real tools, in small projects of two commits."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
BINDINGS = ROOT / "bindings"

GO_BENCH = """package p

import (
	"testing"

	"duet.example/duet/duettest"
)

var sink int

func work(n int) {
	for i := 0; i < n; i++ {
		sink += i ^ sink<<1
	}
}

func BenchmarkWork(b *testing.B) {
	b.Run("a+b c", func(b *testing.B) { duettest.Run(b, func() { work(COUNT) }) })
	b.Run("same", func(b *testing.B) { duettest.Run(b, func() { work(1000) }) })
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		work(10)
	}
}
"""
CARGO = f"""[package]
name = "p"
version = "0.1.0"
edition = "2021"

[dev-dependencies]
criterion = {{ package = "duet-criterion", path = "{BINDINGS}/rust/duet-criterion" }}
divan = "0.1"
duet-divan = {{ path = "{BINDINGS}/rust/duet-divan" }}

[[bench]]
name = "sums"
harness = false

[[bench]]
name = "divans"
harness = false

[[bench]]
name = "plain"
harness = false
"""
CRITERION_BENCH = """use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;
fn sums(c: &mut Criterion) {
    c.bench_function("a sum", |b| b.iter(|| (0..COUNTu64).fold(0, |s, i| s ^ black_box(i))));
    let mut group = c.benchmark_group("group");
    group.bench_function("one", |b| b.iter(|| (0..1000u64).fold(0, |s, i| s ^ black_box(i))));
    group.finish();
}
criterion_group!(benches, sums);
criterion_main!(benches);
"""
DIVAN_BENCH = """fn main() { divan::main(); }
#[divan::bench]
fn sum(b: divan::Bencher) {
    duet_divan::bench("sum", b, || (0..COUNTu64).fold(0, |s, i| s ^ divan::black_box(i)));
}
#[divan::bench]
fn sum_twice(b: divan::Bencher) {
    duet_divan::bench("sum_twice", b, || (0..2000u64).fold(0, |s, i| s ^ divan::black_box(i)));
}
"""
PY_BENCH = """import pytest

@pytest.mark.parametrize("count", [COUNT])
def test_sum(benchmark, count):
    benchmark(sum, range(count))

@pytest.mark.parametrize("word", ["a b", "it's"])
def test_same(benchmark, word):
    benchmark(sum, range(1000))

def test_without():
    raise AssertionError("is not executed")
"""


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def project(folder, files):
    """Two commits: COUNT is 1000, then 4000."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "You")
    git(folder, "config", "user.email", "you@example.org")
    for count in ("1000", "4000"):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text.replace("COUNT", count))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", count)
    return folder


def rows(run_duet, folder, *words):
    out = folder / "out.json"
    done = run_duet(*words[:1], "--export-json", out, "-r", 2, "-I", 20, *words[1:], cwd=folder,
                    timeout=800)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())["comparisons"]
    assert {row["mode"] for row in found} == {"harness"}
    return {row["name"]: row["ratio"] for row in found}


@pytest.mark.rotating(24)
@pytest.mark.timeout(200)
def test_go(run_duet, tmp_path, monkeypatch):
    """Benchmarks of benchmarks, in a package below; one without duettest is left out."""
    if shutil.which("go") is None:
        pytest.skip("no go: this binding is not tested")
    # The user's, in which the standard library is compiled already.
    monkeypatch.setenv("GOCACHE", subprocess.run(["go", "env", "GOCACHE"], check=True, text=True,
                                                 capture_output=True).stdout.strip())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = project(tmp_path / "project", {
        "go.mod": "module p\n\ngo 1.24\n\nrequire duet.example/duet v0.0.0\n\n"
                  f"replace duet.example/duet => {BINDINGS / 'go'}\n",
        "p/p_test.go": GO_BENCH, "p.go": "package p\n"})
    found = rows(run_duet, folder, "go-test", "HEAD~1", "HEAD")
    assert sorted(found) == ["p.BenchmarkWork/a+b_c", "p.BenchmarkWork/same"]
    assert 2 < found["p.BenchmarkWork/a+b_c"] < 7 and 0.4 < found["p.BenchmarkWork/same"] < 2.5


@pytest.mark.soak  # Criterion and divan come from crates.io, and are compiled for minutes
@pytest.mark.timeout(900)
def test_cargo(run_duet, tmp_path, monkeypatch):
    if shutil.which("cargo") is None:
        pytest.skip("no cargo: this binding is not tested")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = project(tmp_path / "project", {
        "Cargo.toml": CARGO, "src/lib.rs": "", "benches/sums.rs": CRITERION_BENCH,
        "benches/divans.rs": DIVAN_BENCH, "benches/plain.rs": "fn main() { panic!(\"started\") }"})
    found = rows(run_duet, folder, "cargo-bench", "HEAD~1", "HEAD")
    assert sorted(found) == ["divans/sum", "divans/sum_twice", "sums/a sum", "sums/group/one"]
    assert 2 < found["sums/a sum"] < 7 and 2 < found["divans/sum"] < 7
    assert 0.4 < found["sums/group/one"] < 2.5


@pytest.mark.soak  # pytest-benchmark comes from PyPI
@pytest.mark.timeout(300)
def test_pytest(run_duet, tmp_path, monkeypatch):
    """The same tests in two environments; a test without the fixture is not executed."""
    monkeypatch.setenv("DUET_LIBRARY", str(BUILD / "src/harness/libduet.so"))
    binding = tmp_path / "binding"
    shutil.copytree(BINDINGS / "python", binding)
    for side in ("old", "new"):
        subprocess.run([sys.executable, "-m", "venv", tmp_path / side], check=True)
        done = subprocess.run([tmp_path / side / "bin/python", "-m", "pip", "install", "-q", "pytest==8.3.5",
                               "pytest-benchmark==5.1.0", binding], check=False, capture_output=True)
        if done.returncode != 0:
            pytest.skip("pip cannot install pytest-benchmark: this binding is not tested")
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "bench.py").write_text(PY_BENCH.replace("COUNT", "1000"))
    found = rows(run_duet, tmp_path, "pytest", "old", "new", "tests/bench.py", "--", "-p",
                 "no:cacheprovider")
    assert sorted(found) == ["tests/bench.py::test_same[a b]", "tests/bench.py::test_same[it's]",
                             "tests/bench.py::test_sum[1000]"]
    assert all(0.3 < ratio < 3 for ratio in found.values()), found
    found = rows(run_duet, tmp_path, "pytest", "old", "new", "tests/bench.py", "--", "-k", "sum")
    assert list(found) == ["tests/bench.py::test_sum[1000]"]
