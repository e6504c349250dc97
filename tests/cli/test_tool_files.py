"""duet compare: files that benchmark tools wrote (tests/data/tools), and odd ones."""

import gzip
import json
import lzma
import os
import pathlib
import random
import subprocess

import pytest
from support.tool_files import benchmarks, document

DATA = pathlib.Path(__file__).parent.parent / "data" / "tools"


def loaded(name):
    return json.loads((DATA / name).read_text())


def google_times():
    found = {}
    for one in loaded("gbench.json")["benchmarks"]:
        if one["run_type"] == "iteration" and not one.get("error_occurred"):
            found.setdefault(one["run_name"], []).append(one["real_time"])
    return found


def jmh_times():
    found = {}
    for one in loaded("jmh.json"):
        name = f"{one['benchmark']}(n={one['params']['n']})"
        metric = one["primaryMetric"]
        raw = [value for fork in metric.get("rawData", []) for value in fork]
        if one["mode"] == "avgt":
            found[name] = [1e3 * value for value in raw]
        elif one["mode"] == "thrpt":
            found[name + " [thrpt]"] = [1e3 / value for value in raw]
        else:
            found[name + " [sample]"] = [
                1e3 * value for fork in metric["rawDataHistogram"] for part in fork
                for value, count in part for _ in range(count)]
    return found


EXPECTED = {
    "gbench.json": google_times,
    "jmh.json": jmh_times,
    "pytest.json": lambda: {one["fullname"]: [1e9 * value for value in one["stats"]["data"]]
                            for one in loaded("pytest.json")["benchmarks"]},
    "pyperf.json": lambda: {"pyperf.json": [
        1e9 * value for run in loaded("pyperf.json")["benchmarks"][0]["runs"]
        for value in run.get("values", [])]},
    "hyperfine.json": lambda: {one["command"]: [1e9 * value for value in one["times"]]
                               for one in loaded("hyperfine.json")["results"]},
    "tinybench.json": lambda: {one["name"]: [
        1e6 * value for value in one["result"]["latency"]["samples"]]
        for one in loaded("tinybench.json")},
    "vitest.json": lambda: {"vitest.json": [
        1e6 * loaded("vitest.json")["files"][0]["groups"][0]["benchmarks"][0]["mean"]]},
    "go.txt": lambda: {
        "example.org/sums:BenchmarkXor/n=8-2": [2.624, 2.720, 2.524],
        "example.org/sums:BenchmarkXor/n=64-2": [28.78, 15.45, 15.92]},
    "criterion-sample.json": lambda: {"criterion-sample.json": [
        time / count for count, time in zip(loaded("criterion-sample.json")["iters"],
                                            loaded("criterion-sample.json")["times"])]},
    "criterion-raw.csv": lambda: {"criterion-raw.csv": [
        float(row.split(",")[5]) / float(row.split(",")[7])
        for row in (DATA / "criterion-raw.csv").read_text().splitlines()[1:]]},
    "critcmp.json": lambda: {
        name: [one["criterion_estimates_v1"]["mean"]["point_estimate"]]
        for name, one in loaded("critcmp.json")["benchmarks"].items()},
    "divan.txt": lambda: {"div::xor::20": [4.952], "div::xor::200": [73.97],
                          "div::nested::add": [24.01]},
    "catch2.xml": lambda: {"sums & such > small": [4.60002],
                           "sums & such > large <numbers> > 200": [81.5748]},
    "catch2-3.xml": lambda: {"sums > few": [23.6397], "sums > many": [265.025]},
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_the_tool_wrote(run_duet, name):
    found = benchmarks(run_duet, DATA / name, DATA / name)
    expected = EXPECTED[name]()
    if len(expected) == 1:  # a single one is called after the file
        found, expected = ([sorted(v) for v in each.values()] for each in (found, expected))
        assert found[0] == pytest.approx(expected[0])
        return
    assert set(found) == set(expected)
    for one, times in expected.items():
        assert sorted(found[one]) == pytest.approx(sorted(times)), one


def test_json_of_catch2_has_no_benchmarks(run_duet):
    """Of version 3.7.1; its reporter leaves them out."""
    for words in (["compare", DATA / "catch2.json", DATA / "catch2.json"],
                  ["import", DATA / "catch2.json"]):
        done = run_duet(*words)
        assert done.returncode == 2
        assert "Catch2's JSON has no results of benchmarks: write them with -r xml" in done.stderr


def test_csv_and_json_of_google_benchmark_agree(run_duet):
    found = benchmarks(run_duet, DATA / "gbench.csv", DATA / "gbench.csv")
    rows = [line.split(",") for line in (DATA / "gbench.csv").read_text().splitlines()]
    for name, times in found.items():
        assert sorted(times) == pytest.approx(sorted(
            float(row[2]) for row in rows if row[0] == f'"{name}"'))
    done = run_duet("compare", DATA / "gbench.csv", DATA / "gbench.csv")
    assert done.stderr.count("BM_skipped: not here: it is left out") == 1


def google_file(path, *benchmarks):
    """As Google Benchmark writes it; the rows are of so many milliseconds, unless they say
    otherwise."""
    path.write_text(json.dumps({
        "context": {"library_build_type": "release"},
        "benchmarks": [{"name": "x", "time_unit": "ms", **row} for row in benchmarks]}))
    return path


def test_rows_of_google_benchmark_without_a_time(run_duet, tmp_path):
    """A benchmark that was skipped, and what the growth of a function is fitted by; a name
    tells an aggregate where an old version does not."""
    path = google_file(tmp_path / "f.json",
                       {"name": "gone", "error_occurred": True, "error_message": "no disk"},
                       {"name": "away", "skipped": True, "skip_message": "no GPU",
                        "real_time": 0.0},
                       {"name": "x_BigO", "run_type": "aggregate", "big_o": "N"},
                       {"name": "x_mean", "real_time": 7}, {"real_time": 3})
    assert benchmarks(run_duet, path, path) == {str(path): [3e6]}
    told = run_duet("compare", path, path).stderr
    assert "gone: no disk: it is left out" in told and "away: no GPU: it is left out" in told
    assert "values of 0" not in told


GOOGLE_COLUMNS = ("name,iterations,real_time,cpu_time,time_unit,bytes_per_second,"
                  "items_per_second,label,error_occurred,error_message")


@pytest.mark.parametrize("counters, values", [("", ""), (',"hits"', ",3")])
def test_rows_of_google_benchmark_csv_without_a_time(run_duet, tmp_path, counters, values):
    """As its reporter writes what was skipped: no numbers, and no counters behind it."""
    path = tmp_path / "f.csv"
    path.write_text(f'{GOOGLE_COLUMNS}{counters}\n"x",9,3.5,3.5,us,,,,,{values}\n'
                    '"gone",,,,,,,,true,"no disk"\n"away",,,,,,,,false,"no GPU"\n'
                    f'"x",9,4.5,4.5,us,,,,,{values}\n')
    assert benchmarks(run_duet, path, path) == {str(path): [3500, 4500]}
    told = run_duet("compare", path, path).stderr
    assert "gone: no disk: it is left out" in told and "away: no GPU: it is left out" in told


def test_a_benchmark_of_google_benchmark_that_is_called_like_an_aggregate(run_duet, tmp_path):
    """CSV does not say which it is: aggregates stand behind their benchmark."""
    (tmp_path / "f.csv").write_text(GOOGLE_COLUMNS + "\n" + "".join(
        f'"{name}",9,3.5,3.5,us,,,,,\n' for name in ("x", "x", "x_mean", "x_median", "BM_find_median")))
    assert benchmarks(run_duet, "f.csv", "f.csv") == {"f.csv": [3500, 3500]}
    told = run_duet("compare", "f.csv", "f.csv").stderr.replace("\n", " ")
    assert "BM_find_median: it is called like an aggregate" in told and "x_mean" not in told


def test_a_row_of_google_benchmark_that_is_cut_off(run_duet, tmp_path):
    (tmp_path / "f.csv").write_text(f'{GOOGLE_COLUMNS},"hits"\n"x",9,3.5,3.5,us,,,,,\n')
    done = run_duet("compare", "f.csv", "f.csv")
    assert done.returncode == 2 and "10 fields where the first row names 11" in done.stderr


def test_long_times_of_divan(run_duet, tmp_path):
    """It writes m for minutes and d for days; what cannot be read is named."""
    text = (DATA / "divan.txt").read_text()
    for was, is_now in (("4.952 ns", "1.5 m   "), ("73.97 ns", "2 d     "),
                        ("24.01 ns", "24.01 zs")):
        assert text.count(was) == 1
        text = text.replace(was, is_now)
    (tmp_path / "d.txt").write_text(text)
    assert benchmarks(run_duet, "d.txt", "d.txt") == {
        "div::xor::20": [pytest.approx(90e9)], "div::xor::200": [pytest.approx(172800e9)]}
    assert ("div::nested::add: its mean is not a time such as 11.5 ns: it is left out"
            in run_duet("compare", "d.txt", "d.txt").stderr)


def test_a_counter_of_google_benchmark_that_is_not_a_number(run_duet, tmp_path):
    """Of a counter that is 0, the deviation in percent; of one by no time, the rate."""
    path = google_file(tmp_path / "f.json",
                       {"name": "a \\\" NaN, -Infinity", "real_time": 3, "rate": float("inf")},
                       {"name": "y", "real_time": 4, "rate": float("-inf")},
                       {"name": "y_cv", "run_type": "aggregate", "real_time": 0.1,
                        "hits": float("nan")})
    assert path.read_text().count("NaN") == 2
    assert benchmarks(run_duet, path, path) == {"a \\\" NaN, -Infinity": [3e6], "y": [4e6]}
    done = run_duet("compare", google_file(path, {"real_time": float("nan")}), path)
    assert done.returncode == 2 and "x: real_time is not a number" in done.stderr


@pytest.mark.parametrize("rows, told", [
    ([{"name": "x_mean", "run_type": "aggregate", "real_time": 3},
      {"name": "x_median", "real_time": 3}],
     "has no usable value: 'f.json': all benchmarks: aggregates only; measure without "
     "--benchmark_report_aggregates_only"),
    ([{"real_time": 3, "time_unit": "fortnights"}],
     "'f.json': x: 'fortnights' is not a unit of time"),
    ([{"real_time": "3"}], "x: real_time is not a number"),
])
def test_files_of_google_benchmark_that_are_refused(run_duet, tmp_path, rows, told):
    google_file(tmp_path / "f.json", *rows)
    done = run_duet("compare", "f.json", "f.json")
    assert done.returncode == 2 and told in done.stderr, done.stderr


# ---- Several files, packed files, standard input ----

def google(path, seed, factor):
    source = random.Random(seed)
    path.write_text(json.dumps({"context": {}, "benchmarks": [
        {"name": name, "run_name": name, "run_type": "iteration", "time_unit": "us",
         "real_time": factor * source.uniform(1, 1.02)} for name in ("x", "y")
        for _ in range(4)]}))
    return path


def test_files_of_a_side_are_processes(run_duet, tmp_path):
    old = [google(tmp_path / f"old{i}.json", i, 1) for i in range(6)]
    new = [google(tmp_path / f"new{i}.json", 10 + i, 1.2) for i in range(6)]
    answer = document(run_duet("compare", "--old", *old, "--new", *new, "--export-json", "-"))
    assert [one["name"] for one in answer["comparisons"]] == ["x", "y"]
    for one in answer["comparisons"]:
        assert one["verdict"] == "slower" and one["interval"]["unit"] == "runs"
        assert one["runs"] == 6 and one["sides"]["old"]["count"] == 24
        assert one["sides"]["old"]["name"] == f"{old[0]} and 5 more"
    one = document(run_duet("compare", old[0], new[0], "--export-json", "-"))
    assert all(row["verdict"] == "unsure" for row in one["comparisons"])
    done = run_duet("import", "--old", *old, "--new", *new, "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2"]
    assert "slower" in run_duet("show", "1").stdout


def test_files_of_numbers_are_processes_too(run_duet, tmp_path):
    paths = {}
    for side, factor in (("old", 1.0), ("new", 1.3)):
        for i in range(5):
            path = tmp_path / f"{side}{i}.txt"
            path.write_text("".join(f"{factor * (1 + i / 100 + k / 1000)}\n"
                                    for k in range(4)))
            paths.setdefault(side, []).append(path)
    answer = document(run_duet("compare", "--old", *paths["old"], "--new", *paths["new"],
                               "--export-json", "-"))
    (one,) = answer["comparisons"]
    assert one["interval"]["unit"] == "runs" and one["runs"] == 5


@pytest.mark.parametrize("arguments, message", [
    (["--old", "a", "--new"], "needs a value"),
    (["--old", "a"], "--new is missing"),
    (["--new", "a"], "--old is missing"),
    (["a", "--old", "b", "--new", "c"], "'a' is neither of --old nor of --new"),
    (["--old", "a", "a", "--new", "c"], "'a' is there twice on one side"),
    (["a", "b", "c"], "--old FILE... --new FILE..."),
])
def test_wrong_usage_of_sides(run_duet, tmp_path, arguments, message):
    for name in "abc":
        (tmp_path / name).write_text("1\n2\n")
    done = run_duet("compare", *arguments)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")


def packed(kind, content):
    if kind == "gz":
        return gzip.compress(content)
    if kind == "xz":
        return lzma.compress(content)
    return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True,
                          check=True).stdout


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_packed_files(run_duet, tmp_path, kind):
    plain = benchmarks(run_duet, DATA / "jmh.json", DATA / "jmh.json")
    path = tmp_path / f"a.json.{kind}"
    path.write_bytes(packed(kind, (DATA / "jmh.json").read_bytes()))
    assert benchmarks(run_duet, path, path) == plain
    path.write_bytes(packed(kind, b"1\n2\n3\n" * 200000)[:-20])
    done = run_duet("compare", path, path)
    assert done.returncode == 2
    assert "its compressed bytes are broken" in done.stderr.replace("\n", " ")


@pytest.mark.bare
def test_packed_without_libarchive(run_duet, tmp_path):
    (tmp_path / "libarchive.so.13").write_text("this is no library")
    path = tmp_path / "a.gz"
    path.write_bytes(packed("gz", b"1\n2\n3\n"))
    done = run_duet("compare", path, path,
                    env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 5
    said = " ".join(done.stderr.split())
    assert "a compressed file needs libarchive, which cannot be loaded" in said
    assert "apt-get install libarchive13" in said


@pytest.mark.slow
def test_a_file_that_unpacks_to_gigabytes(run_duet, tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"1.5\n" * 40_000_000, 9))
    done = run_duet("compare", path, path)
    assert done.returncode == 2
    assert "it unpacks to more than 200 times its size" in done.stderr.replace("\n", " ")


def test_standard_input(run_duet):
    with (DATA / "go.txt").open(encoding="utf-8") as file:
        done = run_duet("compare", "-", DATA / "go.txt", stdin=file)
    assert done.returncode == 0, done.stderr
    assert "BenchmarkXor/n=8-2" in done.stdout and "BenchmarkXor/n=64-2" in done.stdout


# ---- Go's format, as benchstat reads it ----

def test_a_go_file_with_odd_lines(run_duet, tmp_path):
    (tmp_path / "a.txt").write_text(
        "tmp dwarf quality wc =  11 tmp-bench\nUnit ns/op assume=exact\n"
        "BenchmarkA-8\nBenchmarkA-8 100 12 ns/op 3 B/op\nBenchmarkA-8 100 x ns/op\n"
        "BenchmarkSize 1 33871255 total-bytes\nBenchmarkZero 1 0 ns/op\n"
        "BenchmarkBuild 1 3000 build-real-ns/op 4e-6 build-user-sec/op\n"
        "some log: 7\n--- BENCH: x\nok  \tx\t1s\n")
    found = benchmarks(run_duet, "a.txt", "a.txt")
    assert found == {"BenchmarkA-8": [12], "BenchmarkBuild [build-real-ns/op]": [3000],
                     "BenchmarkBuild [build-user-sec/op]": [pytest.approx(4000)]}
    done = run_duet("compare", "a.txt", "a.txt")
    warned = done.stderr.replace("\n", " ")
    assert "BenchmarkA-8: line 5 is no result" in warned
    assert "BenchmarkSize: it has no time (ns/op)" in warned
    assert "values of 0" in warned


def test_what_a_go_file_says_of_lines_keeps_them_apart(run_duet, tmp_path):
    (tmp_path / "a.txt").write_text(
        "toolchain: Base\nnote: before\nBenchmarkA 1 10 ns/op\n"
        "note: after\nBenchmarkA 1 20 ns/op\n")
    assert benchmarks(run_duet, "a.txt", "a.txt") == {
        "BenchmarkA [note: before]": [10], "BenchmarkA [note: after]": [20]}
    (tmp_path / "many.txt").write_text("".join(f"k{i}: 1\n" for i in range(70)))
    done = run_duet("compare", "many.txt", "many.txt", "--format", "go")
    assert done.returncode == 2 and "more than 64" in done.stderr


def test_calls_of_go_test_are_processes(run_duet, tmp_path):
    """Without lines of ok, as bent writes it: PASS, or goos again."""
    text = "".join(f"goos: linux\nBenchmarkA 1 {10 + i} ns/op\nPASS\n" for i in range(6))
    (tmp_path / "a.txt").write_text(text)
    (one,) = document(run_duet("compare", "a.txt", "a.txt", "--export-json",
                               "-"))["comparisons"]
    assert one["runs"] == 6 and one["interval"]["unit"] == "runs"


# ---- JMH ----

def jmh(path, results):
    path.write_text(json.dumps([{
        "benchmark": "a.b", "mode": mode, "threads": threads, "params": params,
        "primaryMetric": {"scoreUnit": unit, key: data}}
        for mode, threads, params, unit, key, data in results]))
    return path


def test_a_count_of_two_billions_takes_no_memory(run_duet, tmp_path):
    jmh(tmp_path / "a.json", [("sample", 1, {}, "ns/op", "rawDataHistogram",
                               [[[[5, 2_000_000_000]]]])])
    for arguments in (["compare", "a.json", "a.json"], ["import", "--dataset", "a.json"]):
        done = run_duet(*arguments)
        assert done.returncode == 2
        assert "its counts stand for more than" in done.stderr.replace("\n", " ")


def test_a_zero_does_not_reject_a_data_set(run_duet, tmp_path):
    jmh(tmp_path / "a.json", [("sample", 1, {}, "ns/op", "rawDataHistogram",
                               [[[[0, 2], [5, 3]]]])])
    done = run_duet("import", "--dataset", "a.json")
    assert done.returncode == 0, done.stderr
    assert "3 values" in done.stdout


def test_parameters_modes_threads_and_units(run_duet, tmp_path):
    jmh(tmp_path / "a.json", [
        ("avgt", 1, {"n": "1"}, "us/op", "rawData", [[1]]),
        ("avgt", 1, {"n": "2"}, "ms/op", "rawData", [[1]]),
        ("avgt", 4, {"n": "1"}, "us/op", "rawData", [[3]]),
        ("thrpt", 1, {"n": "1"}, "ops/s", "rawData", [[1000]])])
    assert benchmarks(run_duet, "a.json", "a.json") == {
        "a.b(n=1)": [pytest.approx(1e3)], "a.b(n=2)": [pytest.approx(1e6)],
        "a.b(n=1) [4 threads]": [pytest.approx(3e3)],
        "a.b(n=1) [thrpt]": [pytest.approx(1e6)]}


# ---- Names ----

@pytest.mark.slow
@pytest.mark.rotating(6)
def test_one_name_again_and_again(run_duet, tmp_path):
    result = {"command": "x", "times": [1.0], "mean": 1.0}
    (tmp_path / "a.json").write_text(json.dumps({"results": [result] * 3000}))
    named = benchmarks(run_duet, "a.json", "a.json")
    assert set(named) == {"x", *(f"x #{again}" for again in range(2, 3001))}


def test_a_long_part_of_all_names(run_duet, tmp_path):
    """It is there once, and would be in memory for each benchmark."""
    lines = ["goos: linux", "BenchmarkA 1 1 ns/op", f"pkg: {'a' * 1_000_000}",
             *(f"BenchmarkB{i} 1 1 ns/op" for i in range(100))]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    done = run_duet("compare", "a.txt", "a.txt")
    assert done.returncode == 2 and "more than 64 MiB" in done.stderr
    assert len(done.stderr) < 1000


# ---- Data sets ----

@pytest.mark.slow
def test_a_data_set_of_ragged_rows_is_the_same_in_the_store(run_duet, tmp_path):
    """Instances that miss in the first benchmark changed places."""
    source = random.Random(5)
    rows = [(f"b{b}", f"i{i}", trial, 10 * (1 + source.random()) * (1 + i / 10))
            for b in range(3) for i in range(12) if source.random() < 0.7
            for trial in range(source.randint(1, 4)) for _ in range(source.randint(1, 6))]
    source.shuffle(rows)
    (tmp_path / "d.csv").write_text("benchmark,instance,trial,value\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in rows))
    assert run_duet("import", "--dataset", "d.csv").returncode == 0
    for study in (["variability"], ["detectable", "--seed", 3], ["samples", "--draws", 20]):
        of_file = run_duet("study", *study, "d.csv", "--export-json", "-")
        of_store = run_duet("study", *study, "1", "--export-json", "-")
        assert of_file.returncode == 0, of_file.stderr
        assert json.loads(of_file.stdout).keys() == json.loads(of_store.stdout).keys()
        cut = of_file.stdout.replace("d.csv", "1")
        assert cut == of_store.stdout.replace("d.csv", "1"), study


def test_a_picture_of_many_configurations_can_be_looked_at(run_duet, tmp_path):
    source = random.Random(6)
    (tmp_path / "d.csv").write_text("benchmark,instance,trial,value\n" + "".join(
        f"b{b},i{i},{trial},{10 + source.random()}\n" for b in range(400)
        for i in range(2) for trial in range(2)))
    done = run_duet("study", "variability", "d.csv", "--export-svg", "a.svg",
                    "--replicates", 20)
    assert done.returncode == 0, done.stderr
    svg = (tmp_path / "a.svg").read_text()
    assert "of the 60 that vary most, of 400" in svg
    assert float(svg.split('height="')[1].split('"')[0]) < 20000


def test_json_with_dataset_is_json(run_duet):
    done = run_duet("import", "--dataset", DATA / "jmh.json")
    assert done.returncode == 0, done.stderr
    assert "6 benchmarks" in done.stdout


# ---- Names ----

def test_long_names_are_cut_between_characters(run_duet, tmp_path):
    name = 350 * "é"
    jmh(tmp_path / "a.json", [("avgt", 1, {}, "us/op", "rawData", [["x"]])])
    (tmp_path / "a.json").write_text(
        (tmp_path / "a.json").read_text().replace("a.b", "a" + name))
    done = run_duet("compare", "a.json", "a.json")
    assert done.returncode == 2
    done.stderr.encode().decode("utf-8", errors="strict")
    assert "\ufffd" not in done.stderr and "é" in done.stderr
    done = run_duet("compare", "a.json", "a.json", "--benchmark", name)
    assert done.returncode == 2
    assert "\ufffd" not in done.stderr
