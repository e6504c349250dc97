"""bindings/cpp: Google Benchmark without a change of its source, nanobench and Catch2."""

import json
import os
import pathlib
import re
import subprocess

import pytest
from support import nanobench

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
CPP = ROOT / "bindings/cpp"
LIBRARY = BUILD / "src/harness/libduet.a"
# Where the headers and libraries lie that are not installed.
EXTRA = os.environ.get("DUET_TEST_PREFIX", "/usr")
CXX = ["c++", "-O2", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{EXTRA}/include",
       f"-I{ROOT / 'include'}", f"-I{CPP}"]


def need(header):
    if not pathlib.Path(EXTRA, "include", header).exists():
        pytest.skip(f"no {header}: this binding is not tested")


def build(*words):
    done = subprocess.run([*CXX, *map(str, words)], check=False, capture_output=True, text=True,
                          timeout=500)
    assert done.returncode == 0, done.stderr


def compare(run_duet, tmp_path, old, new, *arguments):
    out = tmp_path / "out.json"
    done = run_duet("run", old, new, "--export-json", out, *arguments, timeout=50)
    assert done.returncode == 0, done.stderr
    assert "chooses its number of iterations itself" not in done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness"
    return row


@pytest.fixture(scope="module", name="google")
def fixture_google(tmp_path_factory):
    """The words that start a benchmark with the library before it, and the program alone."""
    need("benchmark/benchmark.h")
    folder = tmp_path_factory.mktemp("google")
    libraries = pathlib.Path(EXTRA, "lib/x86_64-linux-gnu")
    build("-shared", "-fPIC", CPP / "duet_gbench.cc", LIBRARY, "-ldl", "-o",
          folder / "libduet_gbench.so")
    build(CPP / "example/sum_gbench.cc", f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lbenchmark",
          "-lpthread", "-o", folder / "sum")
    return (f"env LD_PRELOAD={folder / 'libduet_gbench.so'} {folder / 'sum'} "
            "--benchmark_repetitions=10000 --benchmark_min_time=0.0005", folder / "sum")


def test_google_benchmark_is_left_alone(google):
    words, _ = google
    words = words.replace("repetitions=10000", "repetitions=2")
    done = subprocess.run(words.split(), check=True, capture_output=True, text=True, timeout=50)
    assert "sum_median" in done.stdout and "threads/threads:2_median" in done.stdout


@pytest.mark.parametrize("name", ["sum", "threads/threads:2"])
def test_google_benchmark_takes_part(google, run_duet, tmp_path, stored, name):
    words = f"{google[0]} --benchmark_filter=^{name}"
    row = compare(run_duet, tmp_path, words, f"env SUM_COUNT=4000 {words}", "-r", 4, "-I", 30, "-w",
                  8)
    assert 1.5 < row["ratio"] < 8, row["ratio"]
    assert stored.one("SELECT max(operations) FROM iteration") > 100


def test_google_benchmark_with_an_exported_variable(google, run_duet):
    """As README.md has it: duet itself loads the library, too."""
    words, program = google
    library = words.split()[1].partition("=")[2]
    words = f'{program} --benchmark_filter="^sum$" --benchmark_repetitions=10000 --benchmark_min_time=0.001'
    done = run_duet("run", "-w", 8, words, words, "-M", 2, "-m", 2,
                    env={**os.environ, "LD_PRELOAD": library})
    assert done.returncode == 0, done.stderr


@pytest.mark.rotating(2)
def test_google_benchmark_linked_statically(google, run_duet, tmp_path):
    """The options of README.md; Debian has only the shared library, which they suit, too."""
    del google
    libraries = pathlib.Path(EXTRA, "lib/x86_64-linux-gnu")
    build("-DDUET_WRAP", "-c", CPP / "duet_gbench.cc", "-o", tmp_path / "duet_gbench.o")
    wraps = re.findall(r"-Wl,--wrap=\w+", (CPP / "README.md").read_text())
    assert len(wraps) == 5
    build(CPP / "example/sum_gbench.cc", tmp_path / "duet_gbench.o", LIBRARY, *wraps,
          f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lbenchmark", "-lpthread", "-o", tmp_path / "sum")
    words = f"{tmp_path / 'sum'} --benchmark_repetitions=10000 --benchmark_min_time=0.0005 --benchmark_filter=^sum"
    row = compare(run_duet, tmp_path, words, f"env SUM_COUNT=4000 {words}", "-r", 4, "-I", 30, "-w", 8)
    assert 1.5 < row["ratio"] < 8, row["ratio"]


# What is prepared takes longer than the work, up to 30 times.
PARTS = r"""
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
static void work(long n)
{
    unsigned long total = 0;
    for (long i = 0; i < n; i++) { benchmark::DoNotOptimize(total ^= static_cast<unsigned long>(i)); }
}
static const long prepared = 600000;
static long count() { return std::atol(std::getenv("WORK")); }
static void pauses(benchmark::State &state)
{
    for (auto _ : state) {
        state.PauseTiming();
        work(prepared);
        state.ResumeTiming();
        work(count());
    }
}
BENCHMARK(pauses);
static void manual(benchmark::State &state)
{
    using clock = std::chrono::steady_clock;
    for (auto _ : state) {
        const auto start = clock::now();
        work(count());
        const std::chrono::duration<double> took = clock::now() - start;
        work(prepared);
        state.SetIterationTime(took.count());
    }
}
BENCHMARK(manual)->UseManualTime();
static void batches(benchmark::State &state)
{
    while (state.KeepRunningBatch(1000)) { work(count()); }
}
BENCHMARK(batches);
static void skips(benchmark::State &state)
{
    state.SkipWithError("no such file");
    for (auto _ : state) { work(count()); }
}
BENCHMARK(skips);
static void leaves(benchmark::State &state)
{
    for (auto _ : state) {
        state.SkipWithError("no such file");
        break;
    }
}
BENCHMARK(leaves);
static void simulates(benchmark::State &state)
{
    for (auto _ : state) { state.SetIterationTime(1.0); }
}
BENCHMARK(simulates)->UseManualTime();
BENCHMARK_MAIN();
"""


@pytest.fixture(scope="module", name="parts")
def fixture_parts(google, tmp_path_factory):
    """The words that start a benchmark of PARTS: parts(name, work)."""
    folder = tmp_path_factory.mktemp("parts")
    libraries = pathlib.Path(EXTRA, "lib/x86_64-linux-gnu")
    (folder / "parts.cc").write_text(PARTS)
    build(folder / "parts.cc", f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lbenchmark", "-lpthread", "-o",
          folder / "parts")
    preload = google[0].split()[1]
    return lambda name, work: (f"env WORK={work} {preload} {folder / 'parts'} --benchmark_filter=^{name} "
                               "--benchmark_repetitions=10000 --benchmark_min_time=0.0002")


@pytest.mark.parametrize("name", ["pauses", "manual"])
def test_google_benchmark_says_what_counts(parts, run_duet, tmp_path, stored, name):
    """With what is prepared, the sides would differ by a tenth, as they do by their CPU time. So no turns on
    one CPU are tried."""
    row = compare(run_duet, tmp_path, parts(name, 20000), parts(name, 80000), "-I", 20, "-w", 8,
                  "--until", "decided,time=3s")
    assert 2 < row["ratio"] < 10, row["ratio"]  # 4, but for what others take
    assert len(stored.rows("SELECT DISTINCT schedule FROM run")) == 1


def test_google_benchmark_in_batches(parts, run_duet, tmp_path, stored):
    compare(run_duet, tmp_path, parts("batches", 1000), parts("batches", 1000), "-r", 2, "-I", 20)
    assert stored.one("SELECT count(*) FROM iteration WHERE operations % 1000") == 0


@pytest.mark.parametrize("name, why", [
    ("skips", "called SkipWithError()"), ("leaves", "left its loop before the end"),
    ("simulates", "SetIterationTime() was given more time than has passed")])
def test_google_benchmark_that_cannot_be_compared(parts, run_duet, name, why):
    done = run_duet("run", parts(name, 1000), parts(name, 1000), "-r", 2, "-I", 5)
    assert done.returncode == 4 and why in done.stderr, done.stderr


@pytest.mark.parametrize("pattern, several", [("s", True), ("^sum", False)])
def test_google_benchmark_of_a_filter_that_selects_several(google, run_duet, pattern, several):
    """The first one's repetitions end, and the next one begins with a single pass."""
    words = google[0].replace("repetitions=10000", "repetitions=3") + f" --benchmark_filter={pattern}"
    done = run_duet("run", words, words, "-r", 2, "-I", 100, "-N")
    assert done.returncode == 4 and ("selects several benchmarks" in done.stderr) == several, done.stderr


def test_google_benchmark_wants_a_filter(google, run_duet):
    done = run_duet("run", google[0], google[0], "-r", 2, "-I", 5)
    assert done.returncode == 4 and "--benchmark_filter='^NAME$'" in done.stderr


def test_the_helper_without_a_harness(run_duet, tmp_path):
    """measure.hpp, which the helpers for nanobench and Catch2 call."""
    source = tmp_path / "helper.cc"
    source.write_text('#include "duet/measure.hpp"\n#include <cstdio>\n'
                      "int main(int argc, char **argv)\n{\n"
                      "    const long n = argc > 1 ? std::atol(argv[1]) : 1000;\n"
                      "    auto work = [n] { for (long i = 0; i < n; i++) { duet_keep(&i); } };\n"
                      "    try {\n        duet_cpp::measure(\"one\", work);\n"
                      "        duet_cpp::measure(\"one\", work); // nothing\n"
                      "        if (argc > 2) { duet_cpp::measure(\"two\", [work] { work(); }); }\n"
                      "    } catch (const std::runtime_error &error) {\n"
                      "        (void)std::fprintf(stderr, \"%s\\n\", error.what());\n"
                      "        return 1;\n    }\n}\n")
    build(source, LIBRARY, "-o", tmp_path / "helper")
    row = compare(run_duet, tmp_path, tmp_path / "helper", f"{tmp_path / 'helper'} 3000", "-r", 4,
                  "-I", 30)
    assert 1.5 < row["ratio"] < 6, row["ratio"]
    done = run_duet("run", f"{tmp_path / 'helper'} 1000 two", tmp_path / "helper", "-r", 2, "-I", 5)
    assert done.returncode == 4 and "and that was one; select one, such as two" in done.stderr


@pytest.mark.soak  # nanobench comes from PyPI
@pytest.mark.timeout(600)
def test_nanobench(run_duet, tmp_path):
    if not nanobench.fetch(tmp_path):
        pytest.skip("pip cannot install nanobench: this binding is not tested")
    build("-Wno-error", f"-I{tmp_path}", CPP / "example/sum_nanobench.cc", LIBRARY, "-o", tmp_path / "bench")
    alone = subprocess.run([tmp_path / "bench"], check=True, capture_output=True, text=True, timeout=50)
    assert "`sum`" in alone.stdout
    row = compare(run_duet, tmp_path, tmp_path / "bench", f"env SUM_COUNT=3000 {tmp_path / 'bench'}",
                  "-r", 4, "-I", 20)
    assert 1.5 < row["ratio"] < 6, row["ratio"]


@pytest.mark.soak  # its header takes long to compile
@pytest.mark.timeout(600)
def test_catch2(run_duet, tmp_path):
    need("catch2/catch.hpp")
    source = tmp_path / "bench.cc"
    source.write_text("#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_ENABLE_BENCHMARKING\n"
                      "#include <catch2/catch.hpp>\n"
                      '#include "duet/catch2.hpp"\n'
                      'TEST_CASE("sum")\n{\n    const char *text = std::getenv("SUM_COUNT");\n'
                      "    const long n = text ? std::atol(text) : 1000;\n"
                      '    BENCHMARK_ADVANCED("sum")(Catch::Benchmark::Chronometer meter) {\n'
                      '        duet_cpp::run(meter, "sum", [n] {\n'
                      "            long sum = 0; // not kept: the compiler may remove it\n"
                      "            for (long i = 0; i < n; i++) { sum = sum * 3 + (sum >> 1) + i; }\n"
                      "            return sum;\n        });\n    };\n}\n"
                      'TEST_CASE("throws")\n{\n'
                      '    BENCHMARK_ADVANCED("throws")(Catch::Benchmark::Chronometer meter) {\n'
                      '        duet_cpp::run(meter, "throws", [] { throw 1; });\n    };\n}\n')
    build("-Wno-error", source, LIBRARY, "-o", tmp_path / "bench")
    alone = subprocess.run([tmp_path / "bench", "sum", "--benchmark-samples", "3"], check=True,
                           capture_output=True, text=True, timeout=50)
    assert "sum" in alone.stdout
    row = compare(run_duet, tmp_path, f"{tmp_path / 'bench'} sum",
                  f"env SUM_COUNT=3000 {tmp_path / 'bench'} sum", "-r", 4, "-I", 20)
    assert 1.5 < row["ratio"] < 6, row["ratio"]
    done = run_duet("run", f"{tmp_path / 'bench'} throws", f"{tmp_path / 'bench'} sum", "-r", 2, "-I", 5)
    assert done.returncode == 4 and "the benchmark throws threw an exception" in done.stderr, done.stderr
