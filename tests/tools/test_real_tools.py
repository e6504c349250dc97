"""What real tools write is read, and what is exported is read by real tools
(make check-tools). Values are those that Python finds in the same file."""

import json
import os
import pathlib
import subprocess

import pytest
from support import nanobench

pytestmark = pytest.mark.timeout(300)


def call(*words, cwd, **options):
    return subprocess.run([str(word) for word in words], cwd=cwd, check=True, text=True,
                          capture_output=True, **options)


def compared(run_duet, *arguments):
    done = run_duet("compare", *arguments, "--export-json", "-", timeout=60)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    times = [sorted(1e9 * time for time in one["times"]) for one in document["results"][::2]]
    return document["comparisons"], times


# ---- Read ----

def test_pytest_benchmark(run_duet, python_with, tmp_path):
    python = python_with("pytest_benchmark")
    (tmp_path / "test_b.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', [50, 500])\n"
        "def test_sum(benchmark, n): benchmark.pedantic(sum, args=(range(n),), rounds=8)\n")
    # Beside other tests, pytest-benchmark measures nothing.
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("PYTEST_")}
    call(python, "-m", "pytest", "-q", "test_b.py", "--benchmark-json=a.json", cwd=tmp_path,
         env=environment)
    benchmarks = json.loads((tmp_path / "a.json").read_text())["benchmarks"]
    rows, times = compared(run_duet, "a.json", "a.json")
    assert [row["name"] for row in rows] == [one["fullname"] for one in benchmarks]
    for one, read in zip(benchmarks, times):
        assert read == pytest.approx(sorted(1e9 * value for value in one["stats"]["data"]))


def test_pyperf(run_duet, python_with, tmp_path):
    python = python_with("pyperf")
    call(python, "-m", "pyperf", "timeit", "-p", 4, "-n", 3, "-w", 1, "-l", 50, "-o", "a.json",
         "sum(range(50))", cwd=tmp_path)
    ((row,), _) = compared(run_duet, "a.json", "a.json")
    assert row["runs"] == 4 and row["interval"]["unit"] == "runs"
    shown = call(python, "-m", "pyperf", "show", "a.json", cwd=tmp_path).stdout
    assert "Mean" in shown


def test_hyperfine_and_its_shape(run_duet, tool, tmp_path):
    call(tool("hyperfine"), "-N", "-r", 6, "--export-json", "a.json", "true", "sleep 0.001",
         cwd=tmp_path)
    wanted = json.loads((tmp_path / "a.json").read_text())["results"]
    rows, times = compared(run_duet, "a.json", "a.json")
    assert [row["name"] for row in rows] == ["true", "sleep 0.001"]
    for one, read in zip(wanted, times):
        assert read == pytest.approx(sorted(1e9 * value for value in one["times"]))
    # The other way: --export-json has what hyperfine's readers take.
    done = run_duet("--until", "runs=4", "-q", "true", "true", "--export-json", "b.json")
    assert done.returncode == 0, done.stderr
    for one in json.loads((tmp_path / "b.json").read_text())["results"]:
        assert not set(wanted[0]) - set(one)
        for key, value in wanted[0].items():
            assert isinstance(one[key], type(value)), key


def test_go_and_benchstat(run_duet, tool, tmp_path):
    go = tool("go")
    (tmp_path / "go.mod").write_text("module example.org/sums\ngo 1.18\n")
    (tmp_path / "s_test.go").write_text(
        "package sums\nimport \"testing\"\nvar sink int\nfunc BenchmarkXor(b *testing.B) {\n"
        "for i := 0; i < b.N; i++ { sink ^= i } }\n")
    environment = {**os.environ, "GOCACHE": str(tmp_path / "cache"), "GOFLAGS": "-mod=mod",
                   "HOME": str(tmp_path)}
    text = "".join(call(go, "test", "-bench", ".", "-benchtime", "1000x", "-count", "2",
                        cwd=tmp_path, env=environment).stdout for _ in range(3))
    (tmp_path / "a.txt").write_text(text)
    ((row,), (read,)) = compared(run_duet, "a.txt", "a.txt")
    assert row["runs"] == 3
    lines = [line.split() for line in text.splitlines() if line.startswith("Benchmark")]
    assert read == pytest.approx(sorted(float(line[2]) for line in lines))


def test_files_of_golang_perf(run_duet, tool, tmp_path):
    """Its own test files: a file without a time is refused, any other is read."""
    done = subprocess.run(
        [tool("go"), "mod", "download", "-json", "golang.org/x/perf@latest"], cwd=tmp_path,
        check=False, text=True, capture_output=True, env={**os.environ, "GOFLAGS": "-mod=mod"})
    if done.returncode != 0:
        pytest.skip("golang.org/x/perf cannot be downloaded")
    root = pathlib.Path(json.loads(done.stdout)["Dir"])
    files = [path for path in root.glob("**/testdata/**/*")
             if path.is_file() and b"\nBenchmark" in b"\n" + path.read_bytes()]
    assert len(files) > 50
    for path in files:
        done = run_duet("compare", "-q", path, path)
        times = any(line.startswith("Benchmark") and ("ns/op" in line or "sec/op" in line)
                    and not line.split()[2:3] == ["0"]
                    for line in path.read_text(errors="replace").splitlines())
        assert done.returncode == (0 if times else 2), (path, done.stderr[-300:])


NANOBENCH = """
#define ANKERL_NANOBENCH_IMPLEMENT
#include "nanobench.h"
#include <fstream>

int main() {
    ankerl::nanobench::Bench bench;
    unsigned long sum = 0;
    bench.title("sums; of longs").epochs(7).minEpochIterations(1000).output(nullptr);
    bench.run("xor", [&] { ankerl::nanobench::doNotOptimizeAway(sum ^= sum << 1 | 1); });
    bench.batch(50).run("of fifty", [&] {
        for (int i = 0; i < 50; i++) { ankerl::nanobench::doNotOptimizeAway(sum += sum >> 1); }
    });
    bench.batch(1).complexityN(8).run("xor", [&] {
        ankerl::nanobench::doNotOptimizeAway(sum ^= sum << 2 | 1);
    });
    std::ofstream json("a.json"), csv("a.csv"), pyperf("pyperf.json");
    ankerl::nanobench::render(ankerl::nanobench::templates::json(), bench, json);
    ankerl::nanobench::render(ankerl::nanobench::templates::csv(), bench, csv);
    ankerl::nanobench::Bench one;
    one.epochs(7).output(nullptr).run("one", [&] { ankerl::nanobench::doNotOptimizeAway(sum += 3); });
    ankerl::nanobench::render(ankerl::nanobench::templates::pyperf(), one, pyperf);
}
"""


def test_nanobench(run_duet, tmp_path):
    if not nanobench.fetch(tmp_path):
        pytest.skip("pip cannot install nanobench")
    (tmp_path / "a.cc").write_text(NANOBENCH)
    call("c++", "-O2", "-std=c++17", "a.cc", "-o", "a", cwd=tmp_path)
    call(tmp_path / "a", cwd=tmp_path)
    results = json.loads((tmp_path / "a.json").read_text())["results"]
    rows, times = compared(run_duet, "a.json", "a.json")
    assert [row["name"] for row in rows] == ["sums; of longs: xor", "sums; of longs: of fifty", "sums; of longs: xor (N = 8)"]
    for one, read in zip(results, times):
        assert read == pytest.approx(sorted(
            1e9 * part["elapsed"] / one["batch"] for part in one["measurements"]))
    rows, times = compared(run_duet, "a.csv", "a.csv")
    assert [row["name"] for row in rows] == ["sums; of longs: xor", "sums; of longs: of fifty", "sums; of longs: xor #2"]
    for one, (read,) in zip(results, times):
        assert read == pytest.approx(1e9 * one["median(elapsed)"] / one["batch"], rel=1e-2)
    ((row,), (times,)) = compared(run_duet, "pyperf.json", "pyperf.json")
    assert row["name"] == "pyperf.json" and len(times) == 7


# ---- Written ----

@pytest.fixture(name="measured")
def measured_fixture(run_duet, tmp_path):
    for side, factor in (("old", 1.0), ("new", 1.25)):
        (tmp_path / f"{side}.txt").write_text("".join(
            f"{factor * (1 + i % 7 / 100)}\n" for i in range(12)))
    done = run_duet("compare", "old.txt", "new.txt", "--export-go", "a.go.txt",
                    "--export-gbench", "a.gbench.json", "-q")
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_benchstat_reads_the_export(measured, tool):
    shown = call(tool("benchstat"), "-col", "/side", "a.go.txt", cwd=measured).stdout
    assert "+25.00%" in shown and "n=12" in shown


def test_compare_py_reads_the_export(measured, python_with):
    python = python_with("scipy")
    places = [pathlib.Path(os.environ.get("DUET_TOOLS", "nowhere")) / "root/usr",
              pathlib.Path("/usr")]
    scripts = [place / "share/benchmark/compare.py" for place in places]
    script = next((one for one in scripts if one.exists()), None)
    if script is None:
        pytest.skip("compare.py of libbenchmark-tools is not installed")
    shown = call(python, script, "--no-color", "filters", "a.gbench.json", "/old", "/new",
                 cwd=measured).stdout
    assert "+0.2500" in shown and "Repetitions: 12 vs 12" in shown


def test_pandas_reads_raw_data_and_the_store(run_duet, python_with, tmp_path):
    python = python_with("pandas")
    done = run_duet("--until", "runs=4", "-q", "true", "true", "--export-raw", "raw.csv")
    assert done.returncode == 0, done.stderr
    call(python, "-c", """
import sqlite3, pandas
raw = pandas.read_csv("raw.csv")
assert len(raw) == 8 and set(raw.side) == {"old", "new"}
store = sqlite3.connect(".duet/results.db")
times = pandas.read_sql("SELECT run, iteration, side, value FROM observations "
                        "WHERE experiment_id = 1 AND metric = 'time'", store)
pairs = times.pivot(index=["run", "iteration"], columns="side", values="value")
assert len(pairs) == 4
merged = raw.merge(times, on=["run", "iteration", "side"])
assert (merged.time_ns == merged.value).all() and len(merged) == 8
""", cwd=tmp_path)
