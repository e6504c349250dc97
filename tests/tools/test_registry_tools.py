"""Harnesses are fetched from their registries, at fixed versions, and what they print is read
(make check-tools). Values are those that Python finds in the same file. Where there is no toolchain
or no registry, a test is skipped."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(900)
SUM = "for (long i = 0; i < n; i++) { asm volatile(\"\" ::\"r\"(i)); }"


def call(*words, cwd, status=0, **variables):
    done = subprocess.run([str(word) for word in words], cwd=cwd, check=False, text=True,
                          capture_output=True, env={**os.environ, **variables})
    assert done.returncode == status, f"{words}:\n{done.stdout}{done.stderr}"
    return done.stdout


def fetched(what, *words, cwd, **variables):
    """Calls a package client; without a registry, skips the test."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, check=False, text=True,
                          capture_output=True, env={**os.environ, **variables})
    if done.returncode != 0:
        pytest.skip(f"{what} cannot be fetched: {(done.stdout + done.stderr)[-300:]}")
    return done.stdout


def read(run_duet, *arguments):
    """The name of each benchmark, and its sorted times in ns."""
    done = run_duet("compare", *arguments, "--export-json", "-", timeout=60)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    names = [one["name"] for one in document["comparisons"]]
    times = [sorted(1e9 * time for time in one["times"]) for one in document["results"][::2]]
    return dict(zip(names, times)), document["comparisons"]


def same(found, expected):
    assert set(found) == set(expected)
    for name, times in expected.items():
        assert found[name] == pytest.approx(sorted(times), rel=1e-6), name


def test_google_benchmark(run_duet, tmp_path):
    if not pathlib.Path("/usr/include/benchmark/benchmark.h").exists():
        pytest.skip("libbenchmark-dev is not installed")
    (tmp_path / "a.cc").write_text("#include <benchmark/benchmark.h>\n"
                                   "static void sum(benchmark::State &s) {\n    const long n = s.range(0);\n"
                                   f"    for (auto _ : s) {{ {SUM} }}\n}}\n"
                                   "static void broken(benchmark::State &s) { s.SkipWithError(\"no\"); for (auto _ : s) {} }\n"
                                   "BENCHMARK(sum)->Arg(10)->Arg(5000)->Unit(benchmark::kMicrosecond);\n"
                                   "BENCHMARK(broken);\nBENCHMARK_MAIN();\n")
    call("c++", "-O2", "a.cc", "-lbenchmark", "-lpthread", "-o", "a", cwd=tmp_path)
    call(tmp_path / "a", "--benchmark_repetitions=4", "--benchmark_min_time=0.01", "--benchmark_out=a.json",
         cwd=tmp_path)
    (tmp_path / "a.csv").write_text(call(
        tmp_path / "a", "--benchmark_repetitions=4", "--benchmark_min_time=0.01", "--benchmark_format=csv",
        cwd=tmp_path))
    expected = {}
    for one in json.loads((tmp_path / "a.json").read_text())["benchmarks"]:
        if one["run_type"] == "iteration" and not one.get("error_occurred"):
            expected.setdefault(one["run_name"], []).append(1e3 * one["real_time"])
    same(read(run_duet, "a.json", "a.json")[0], expected)
    assert set(expected) == {"sum/10", "sum/5000"}
    rows = csv.DictReader(line for line in (tmp_path / "a.csv").read_text().splitlines())
    expected = {}
    for row in rows:
        if row["name"] in ("sum/10", "sum/5000"):
            expected.setdefault(row["name"], []).append(1e3 * float(row["real_time"]))
    same(read(run_duet, "a.csv", "a.csv")[0], expected)


def test_catch2(run_duet, tmp_path):
    if not pathlib.Path("/usr/include/catch2/catch.hpp").exists():
        pytest.skip("catch2 is not installed")
    (tmp_path / "a.cc").write_text("#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_ENABLE_BENCHMARKING\n"
                                   "#include <catch2/catch.hpp>\nTEST_CASE(\"sums & such\") {\n"
                                   "    for (long n : {10L, 5000L}) {\n"
                                   f"        BENCHMARK(std::to_string(n) + \" <numbers>\") {{ {SUM} return n; }};\n"
                                   "    }\n}\n")
    call("c++", "-O1", "-std=c++17", "a.cc", "-o", "a", cwd=tmp_path)
    (tmp_path / "a.xml").write_text(call(tmp_path / "a", "-r", "xml", "--benchmark-samples", "10", cwd=tmp_path))
    means = re.findall(r'<mean value="([^"]+)"', (tmp_path / "a.xml").read_text())
    same(read(run_duet, "a.xml", "a.xml")[0],
         {f"sums & such > {n} <numbers>": [float(mean)] for n, mean in zip((10, 5000), means)})


JMH = """package example;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
public class Sums {
    @Param({"10", "5000"}) public int n;
    @Benchmark public int sum() { int s = 0; for (int i = 0; i < n; i++) { s += i ^ s; } return s; }
}
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>sums</artifactId><version>1</version>
  <properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version></dependency>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId>
      <version>1.37</version><scope>provided</scope></dependency>
  </dependencies>
</project>
"""


def test_jmh(run_duet, tool, tmp_path):
    maven = tool("mvn")
    (tmp_path / "pom.xml").write_text(POM)
    source = tmp_path / "src/main/java/example/Sums.java"
    source.parent.mkdir(parents=True)
    source.write_text(JMH)
    fetched("JMH", maven, "-q", "-B", "compile", "dependency:copy-dependencies", "-DoutputDirectory=lib", cwd=tmp_path)
    call("java", f"-Djava.io.tmpdir={tmp_path}", "-cp", f"target/classes:{tmp_path}/lib/*", "org.openjdk.jmh.Main",
         "-f", "3", "-wi", "1", "-i", "4", "-w", "20ms", "-r", "20ms", "-tu", "us", "-bm", "avgt,thrpt", "-rf", "json",
         "-rff", "a.json", cwd=tmp_path)
    expected = {}
    for one in json.loads((tmp_path / "a.json").read_text()):
        raw = [value for fork in one["primaryMetric"]["rawData"] for value in fork]
        name = f"{one['benchmark']}(n={one['params']['n']})"
        if one["mode"] == "thrpt":
            expected[name + " [thrpt]"] = [1e3 / value for value in raw]
        else:
            expected[name] = [1e3 * value for value in raw]
    found, rows = read(run_duet, "a.json", "a.json")
    same(found, expected)
    assert len(expected) == 4 and all(row["runs"] == 3 for row in rows)


CARGO = """[package]
name = "sums"
version = "0.1.0"
edition = "2021"

[dev-dependencies]
criterion = {{ version = "=0.5.1", default-features = false, features = ["csv_output"] }}
divan = "=0.1.21"
tango-bench = "=0.6.0"
{}"""
BENCHES = {
    "crit": """use criterion::*;
fn all(c: &mut Criterion) {
    let mut g = c.benchmark_group("sum");
    for n in [20u64, 2000] {
        g.bench_with_input(BenchmarkId::new("xor", n), &n, |b, &n| b.iter(|| (0..n).fold(0, |s, i| s ^ black_box(i))));
    }
    g.finish();
}
criterion_group! { name = benches; config = Criterion::default().sample_size(10)
    .warm_up_time(std::time::Duration::from_millis(50)).measurement_time(std::time::Duration::from_millis(100));
    targets = all }
criterion_main!(benches);
""",
    "div": """fn main() { divan::main(); }
#[divan::bench(args = [20u64, 2000])]
fn xor(n: u64) -> u64 { (0..n).fold(0, |s, i| s ^ divan::black_box(i)) }
mod nested { #[divan::bench] fn add() -> u64 { (0..500).fold(0, |s, i| s + divan::black_box(i)) } }
""",
    "tan": """use tango_bench::*;
fn all() -> impl IntoBenchmarks {
    [benchmark_fn("xor", |b| b.iter(|| (0..500u64).fold(0, |s, i| s ^ std::hint::black_box(i))))]
}
tango_benchmarks!(all());
tango_main!();
""",
}


@pytest.fixture(scope="module", name="crate")
def fixture_crate(tmp_path_factory):
    """A crate with a benchmark of Criterion, of divan and of tango, and its programs by name."""
    folder = tmp_path_factory.mktemp("crate")
    (folder / "Cargo.toml").write_text(CARGO.format("".join(
        f'\n[[bench]]\nname = "{name}"\nharness = false\n' for name in BENCHES)))
    (folder / "src").mkdir()
    (folder / "src/lib.rs").write_text("")
    (folder / "build.rs").write_text('fn main() { println!("cargo:rustc-link-arg-benches=-rdynamic"); }\n')
    (folder / "benches").mkdir()
    for name, source in BENCHES.items():
        (folder / f"benches/{name}.rs").write_text(source)
    if subprocess.run(["sh", "-c", "command -v cargo"], check=False, capture_output=True).returncode != 0:
        pytest.skip("cargo is not installed")
    fetched("Criterion", "cargo", "fetch", cwd=folder)
    shown = call("cargo", "bench", "--no-run", "--message-format", "json-render-diagnostics", cwd=folder,
                 CARGO_TARGET_DIR=str(folder / "target"))
    found = re.findall(r'"kind":\["bench"\].*?"name":"(\w+)".*"executable":"([^"]+)"', shown)
    return folder, dict(found)


def test_criterion_and_critcmp(run_duet, crate, tmp_path):
    folder, programs = crate
    home = str(tmp_path / "criterion")
    call(programs["crit"], "--bench", "--save-baseline", "base", cwd=folder, CRITERION_HOME=home)
    for n in (20, 2000):
        place = tmp_path / f"criterion/sum/xor/{n}/base"
        sample = json.loads((place / "sample.json").read_text())
        (found,) = read(run_duet, place / "sample.json", place / "sample.json")[0].values()
        assert found == pytest.approx(sorted(
            time / count for count, time in zip(sample["iters"], sample["times"])))
        (found,) = read(run_duet, place / "raw.csv", place / "raw.csv")[0].values()
        rows = list(csv.DictReader((place / "raw.csv").read_text().splitlines()))
        assert found == pytest.approx(sorted(
            float(row["sample_measured_value"]) / float(row["iteration_count"]) for row in rows))
    fetched("critcmp", "cargo", "install", "-q", "critcmp", "--version", "0.1.8", "--locked", "--root", tmp_path,
            cwd=tmp_path)
    (tmp_path / "target").mkdir()
    (tmp_path / "criterion").rename(tmp_path / "target/criterion")
    (tmp_path / "a.json").write_text(call(tmp_path / "bin/critcmp", "--export", "base", cwd=tmp_path))
    benchmarks = json.loads((tmp_path / "a.json").read_text())["benchmarks"]
    same(read(run_duet, "a.json", "a.json")[0], {
        name: [one["criterion_estimates_v1"]["mean"]["point_estimate"]] for name, one in benchmarks.items()})


def test_divan(run_duet, crate, tmp_path):
    folder, programs = crate
    shown = call(programs["div"], "--bench", "--sample-count", "20", cwd=folder)
    (tmp_path / "a.txt").write_text(shown)
    units = {"ns": 1, "µs": 1e3, "ms": 1e6}
    means = []
    for line in shown.splitlines():
        cells = re.findall(r"([\d.]+) (ns|µs|ms)", line)
        if len(cells) == 4:
            means.append(float(cells[3][0]) * units[cells[3][1]])
    found, _ = read(run_duet, "a.txt", "a.txt")
    assert {name.partition("::")[2] for name in found} == {"xor::20", "xor::2000", "nested::add"}
    assert sorted(time for (time,) in found.values()) == pytest.approx(sorted(means))


def test_tango(run_duet, crate, tmp_path):
    folder, programs = crate
    call(programs["tan"], "compare", programs["tan"], "-t", "0.2", "-d", tmp_path / "dumps", cwd=folder)
    (file,) = (tmp_path / "dumps").glob("*.csv")
    rows = [[float(cell) for cell in line.split(",")] for line in file.read_text().splitlines()]
    done = run_duet("compare", file, "--export-json", "-")
    assert done.returncode == 0, done.stderr
    for column, side in enumerate(json.loads(done.stdout)["results"]):
        assert [1e9 * time for time in side["times"]] == pytest.approx([row[column] / row[2] for row in rows])


def test_tinybench_and_vitest(run_duet, tool, tmp_path):
    (tmp_path / "package.json").write_text('{"name": "sums", "private": true, "type": "module"}')
    fetched("vitest", tool("npm"), "install", "--silent", "--no-audit", "--no-fund", "tinybench@6", "vitest@3",
            cwd=tmp_path)
    (tmp_path / "a.mjs").write_text("""import { Bench } from 'tinybench';
import { writeFileSync } from 'node:fs';
let sink = 0;
const bench = new Bench({ time: 0, iterations: 12, retainSamples: true });
for (const n of [100, 50000]) {
  bench.add(`xor ${n}`, () => { for (let i = 0; i < n; i++) { sink ^= i; } });
}
await bench.run();
writeFileSync('a.json', JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, result }))));
""")
    call("node", "a.mjs", cwd=tmp_path)
    tasks = json.loads((tmp_path / "a.json").read_text())
    same(read(run_duet, "a.json", "a.json")[0],
         {one["name"]: [1e6 * value for value in one["result"]["latency"]["samples"]] for one in tasks})
    (tmp_path / "sums.bench.mjs").write_text("""import { bench, describe } from 'vitest';
let sink = 0;
describe('sums', () => {
  for (const n of [100, 50000]) {
    bench(`xor ${n}`, () => { for (let i = 0; i < n; i++) { sink ^= i; } }, { time: 50, warmupTime: 10 });
  }
});
""")
    call("npx", "vitest", "bench", "--run", "--outputJson", "v.json", cwd=tmp_path)
    groups = [group for file in json.loads((tmp_path / "v.json").read_text())["files"] for group in file["groups"]]
    found, _ = read(run_duet, "v.json", "v.json")
    assert sorted(time for (time,) in found.values()) == pytest.approx(
        sorted(1e6 * one["mean"] for group in groups for one in group["benchmarks"]))


def test_pyperf_and_pytest_benchmark(run_duet, tmp_path):
    """In an environment of their own, at the versions that docs/formats.md names."""
    fetched("pyperf", sys.executable, "-m", "venv", "env", cwd=tmp_path)
    fetched("pyperf", "env/bin/pip", "install", "-q", "pyperf==2.10.0", "pytest-benchmark==5.3.1", cwd=tmp_path)
    call("env/bin/python", "-m", "pyperf", "timeit", "-p", 3, "-n", 4, "-w", 1, "-l", 50, "-o", "a.json",
         "sum(range(50))", cwd=tmp_path)
    runs = json.loads((tmp_path / "a.json").read_text())["benchmarks"][0]["runs"]
    (found,) = read(run_duet, "a.json", "a.json")[0].values()
    assert found == pytest.approx(sorted(1e9 * value for one in runs for value in one.get("values", [])))
    (tmp_path / "test_b.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', [50, 500])\n"
        "def test_sum(benchmark, n): benchmark.pedantic(sum, args=(range(n),), rounds=8)\n")
    plain = {key: "" for key in os.environ if key.startswith("PYTEST_")}
    call("env/bin/python", "-m", "pytest", "-q", "test_b.py", "--benchmark-json=b.json", cwd=tmp_path, **plain)
    same(read(run_duet, "b.json", "b.json")[0],
         {one["fullname"]: [1e9 * value for value in one["stats"]["data"]]
          for one in json.loads((tmp_path / "b.json").read_text())["benchmarks"]})
