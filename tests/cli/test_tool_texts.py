"""duet compare: files of benchmark tools that are written out in the tests: CSV, and what has a
format of its own."""

import json
import random

import pytest
from support.tool_files import benchmarks, document

# ---- CSV ----

def test_raw_csv_of_criterion_is_divided_by_its_iterations(run_duet, tmp_path):
    (tmp_path / "raw.csv").write_text(
        "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
        "iteration_count\nsum,xor,20,,,1000.0,ns,100\nsum,xor,20,,,2200.0,ns,200\n"
        "sum,xor,200,,,5.0,us,10\n")
    assert benchmarks(run_duet, "raw.csv", "raw.csv") == {
        "sum/xor/20": [10, 11], "sum/xor/200": [pytest.approx(500)]}


def test_titles_of_nanobench_are_kept_apart(run_duet, tmp_path):
    (tmp_path / "a.csv").write_text(
        '"title";"name";"unit";"batch";"elapsed";"error %";"instructions";"branches";'
        '"branch misses";"total"\n"t";"x";"op";1;2e-9;0.1;0;0;0;1\n'
        '"u";"x";"op";4;8e-9;0.1;0;0;0;1\n"t";"x";"op";1;7e-9;0.1;0;0;0;1\n')
    assert benchmarks(run_duet, "a.csv", "a.csv") == {
        "t: x": [pytest.approx(2)], "u: x": [pytest.approx(2)],
        "t: x #2": [pytest.approx(7)]}
    (tmp_path / "a.csv").write_text("title,name,batch,elapsed,error %\nt,x,y,1,1\n")
    done = run_duet("compare", "a.csv", "a.csv")
    assert done.returncode == 2
    assert "t: x: 'y' in column batch is not a number" in done.stderr.replace("\n", " ")


def test_values_of_n_of_nanobench_are_kept_apart(run_duet, tmp_path):
    """Of a result without its measurements the median is taken."""
    results = [{"title": "sort", "name": "std", "batch": 2, "complexityN": n,
                "median(elapsed)": n / 1e15, **more}
               for n, more in ((1048576, {}), (1048577, {"measurements": [{"elapsed": 4e-9},
                                                                          {"elapsed": 6e-9}]}))]
    (tmp_path / "a.json").write_text(json.dumps({"results": results}))
    assert benchmarks(run_duet, "a.json", "a.json") == {
        "sort: std (N = 1048576)": [pytest.approx(1.048576 / 2)],
        "sort: std (N = 1048577)": [pytest.approx(2), pytest.approx(3)]}


def test_a_failed_benchmark_of_renaissance_is_left_out(run_duet, tmp_path):
    """As its writer has it: what ran before the failure is there, too."""
    results = [{"duration_ns": 5, "uptime_ns": 9}, {"duration_ns": 7, "uptime_ns": 12}]
    (tmp_path / "a.json").write_text(json.dumps({"format_version": 5, "data": {
        "als": {"results": results, "termination": "normal"},
        "scrabble": {"results": results[:1], "termination": "normal"},
        "dotty": {"results": results, "termination": "failure"}}}))
    assert benchmarks(run_duet, "a.json", "a.json") == {
        "als": [pytest.approx(5), pytest.approx(7)], "scrabble": [pytest.approx(5)]}
    assert "dotty: it failed" in run_duet("compare", "a.json", "a.json").stderr.replace("\n", " ")


def test_samples_of_tango_are_pairs(run_duet, tmp_path):
    source = random.Random(1)
    rows = [(source.uniform(1, 2), 10 * (1 + i % 3)) for i in range(50)]
    (tmp_path / "a.csv").write_text("".join(
        f"{round(1e4 * noise * n)},{round(1.1e4 * noise * n)},{n}\n" for noise, n in rows))
    (one,) = document(run_duet("compare", "a.csv", "--export-json", "-"))["comparisons"]
    assert one["ratio"] == pytest.approx(1.1, rel=1e-3)
    assert one["sides"]["old"]["mean_ns"] == pytest.approx(
        sum(1e4 * noise for noise, _ in rows) / 50, rel=1e-3)
    done = run_duet("compare", "a.csv", "a.csv")
    assert done.returncode == 2 and "compare it alone" in done.stderr.replace("\n", " ")
    (tmp_path / "a.csv").write_text("1,2,3\n1,2\n")
    done = run_duet("compare", "a.csv")
    assert done.returncode == 2 and "a.csv:2:1: not three positive" in \
        done.stderr.replace("\n", " ")


def test_missing_values_and_rows_by_where(run_duet, tmp_path):
    (tmp_path / "a.csv").write_text("benchmark,host,old,new\n" + "".join(
        f"x,{host},{i + 1},{value}\n" for host in ("p", "q")
        for i, value in enumerate([2, "NA", 6, "", 10, "nan", 14])))
    done = run_duet("compare", "a.csv", "--where", "host=p", "--export-json", "-")
    answer = document(done)
    assert answer["comparisons"][0]["sides"]["old"]["count"] == 4
    assert answer["comparisons"][0]["ratio"] == pytest.approx(2)
    assert "6 values are missing" in done.stderr
    assert run_duet("import", "a.csv", "--where", "host=p", "--map", "old=old,new=new"
                    ).returncode == 0
    done = run_duet("compare", "a.csv", "--where", "host=r")
    assert done.returncode == 2 and "no row that --where asks for" in done.stderr
    done = run_duet("compare", "a.csv", "--where", "vm=r")
    assert done.returncode == 2 and "no column 'vm'; its columns: benchmark, host" in \
        done.stderr.replace("\n", " ")
    assert run_duet("compare", "a.csv", "--where", "host").returncode == 2


def test_commits_of_otava_are_sides_by_choice(run_duet, tmp_path):
    """Its CSV has the columns that its configuration names."""
    (tmp_path / "a.csv").write_text("time,commit,throughput,latency\n" + "".join(
        f"2026.01.{1 + i % 28:02},{commit},{100 + i},{factor * (5 + i / 100)}\n"
        for commit, factor in (("aaa", 1), ("bbb", 2), ("ccc", 1.5)) for i in range(8)))
    done = run_duet("compare", "a.csv", "--map", "side=commit", "--sides", "aaa,ccc",
                    "--column", "latency", "--unit", "ms", "--export-json", "-")
    (one,) = document(done)["comparisons"]
    assert one["ratio"] == pytest.approx(1.5)
    assert one["verdict"] == "slower"


# ---- divan, Catch2, hyperfine ----

DIVAN = """Timer precision: 20 ns
div           fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ nested                   │               │               │               │         │
│  ╰─ add     28 ns         │ 30.5 ns       │ 28.1 ns       │ 28.4 ns       │ 20      │ 1280
│             3 Gitem/s     │ 3 Gitem/s     │ 3 Gitem/s     │ 3 Gitem/s     │         │
├─ skipped    (ignored)     │               │               │               │         │
╰─ xor                      │               │               │               │         │
   ├─ 20      5.1 µs        │ 6 µs          │ 5.2 µs        │ 5.25 µs       │ 20      │ 5120
   ╰─ 200     1 ms          │ 2 ms          │ 1 ms          │ 1.5 ms        │ 20      │ 640
"""


def test_the_table_of_divan(run_duet, tmp_path):
    (tmp_path / "a.txt").write_text(DIVAN)
    assert benchmarks(run_duet, "a.txt", "a.txt") == {
        "div::nested::add": [pytest.approx(28.4)], "div::xor::20": [pytest.approx(5250)],
        "div::xor::200": [pytest.approx(1.5e6)]}


@pytest.mark.parametrize("text, message", [
    ("<Catch name='x'><TestCase", "not XML"),
    ("<!DOCTYPE x [<!ENTITY a 'b'>]>\n<Catch name='x'></Catch>", "document type"),
    ("<Catch name='x'><BenchmarkResults name='n'><failed/></BenchmarkResults></Catch>",
     "n: it failed"),
    ("<Catch name='x'><BenchmarkResults name='n'><mean value='y'/></BenchmarkResults>"
     "</Catch>", "the mean 'y' is not a number"),
    ("<Catch name='x'>" + 70 * "<a>", "more than 64 elements"),
])
def test_odd_xml(run_duet, tmp_path, text, message):
    (tmp_path / "a.xml").write_text(text)
    done = run_duet("compare", "a.xml", "a.xml")
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")


def test_commands_of_hyperfine_are_matched(run_duet, tmp_path):
    def write(path, results):
        path.write_text(json.dumps({"results": [
            {"command": command, "times": times, "parameters": parameters}
            for command, times, parameters in results]}))
    write(tmp_path / "a.json", [("x", [1, 2], {"n": "1"}), ("x", [3, 4], {"n": "2"}),
                                ("y", [5, 6], {})])
    write(tmp_path / "b.json", [("y", [5, 6], {}), ("x", [1, 2], {"n": "2"})])
    found = benchmarks(run_duet, "a.json", "b.json")
    assert found == {"x (n=2)": [3e9, 4e9], "y": [5e9, 6e9]}
