"""duet suite: files with many benchmarks."""

import csv
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names_of(result):
    """The benchmarks of a table, in its order."""
    lines = result.stdout.splitlines()
    assert lines and lines[0].startswith("benchmark"), result
    rows = lines[1:lines.index("")]
    return [row.split("  ")[0].strip() for row in rows if not row.startswith("geometric mean")]


QUICK = "defaults: {runs: 2}\nbenchmarks:\n"


@pytest.mark.slow
def test_benchmarks_and_parameters(run_duet, write_suite, stored):
    """One table in the file's order, all combinations, each at its own options."""
    path = write_suite("""
name: many
defaults:
  runs: 4
  parameters: {size: [1, 20]}
benchmarks:
  - name: double
    command: expr {size} + {size}
  - name: scan
    command: expr {level} '*' {word}
    runs: 2
    parameters:
      level: {from: 1, to: 3, step: 2}
      word: [5]
      size: [x]
  - name: slower
    old: sleep 0.002
    new: sleep 0.1
    runs: 20
    iterations: 1
    parameters: {size: [only]}
""")
    result = run_duet("suite", path, "--export-json", "o.json", "--fail-on", "slower")
    assert result.returncode == 1, result.stderr
    assert names_of(result) == ["double size=1", "double size=20",
                                "scan level=1, word=5, size=x",
                                "scan level=3, word=5, size=x", "slower size=only"]
    assert "5 benchmarks judged together by Holm's rule" in result.stdout
    runs = dict(stored.rows("SELECT e.name, count(*) FROM experiment AS e JOIN run AS r"
                            " ON r.experiment_id = e.id GROUP BY e.id"))
    assert runs["double size=20"] == 4 and runs["slower size=only"] == 20
    assert {name: count for name, count in runs.items() if name.startswith("scan")} == \
        {"scan level=1, word=5, size=x": 2, "scan level=3, word=5, size=x": 2}
    assert stored.one("SELECT command FROM side JOIN experiment AS e ON e.id ="
                      " experiment_id WHERE side = 0 AND e.name ="
                      " 'scan level=3, word=5, size=x'") == "expr 3 '*' 5"


def test_exports(run_duet, write_suite, tmp_path, validate):
    path = write_suite(QUICK + "- {name: a, command: 'true'}\n- {name: b, command: echo}\n")
    result = run_duet("suite", path, "--export-json", "o.json", "--export-csv", "o.csv",
                      "--export-markdown", "o.md", "-q")
    assert result.returncode == 0, result.stderr
    document = json.loads((tmp_path / "o.json").read_text())
    validate(document)
    assert [c["name"] for c in document["comparisons"]] == ["a", "b"]
    assert (tmp_path / "o.csv").read_bytes().count(b"\r\n") == 3
    assert "Holm" in (tmp_path / "o.md").read_text()


@pytest.mark.parametrize("text, message", [
    ("benchmarks:\n- name: a\n  command: b\n  runs: many\n",
     "s.yaml:4:9: benchmarks[0].runs: 'many' is not a whole number"),
    ("benchmarks:\n- name: a\n  command: b\n  timeout: 5 parsecs\n",
     "s.yaml:4:12: benchmarks[0].timeout: '5 parsecs' has an unknown unit"),
    ("benchmarks:\n- name: a\n  command: b\n  max-slowdown: 2\n",
     "s.yaml:4:17: benchmarks[0].max-slowdown: '2' has no unit: type 2%"),
    ("defaults: {until: later}\nbenchmarks: [{name: a, command: b}]\n",
     "s.yaml:1:19: defaults.until: --until later: the rules are"),
    ("benchmarks:\n- name: a\n  command: b\n  rnus: 3\n",
     "s.yaml:4:3: benchmarks[0].rnus: unknown key; did you mean 'runs'?"),
    ("benchmarks:\n- name: a\n  command: b 'c\n",
     "s.yaml:2:3: benchmarks[0]: command 'b 'c': the quote ' is never closed"),
    ("benchmarks:\n- name: a\n  command: b\n  schedule: sequential\n  until: decided\n",
     "s.yaml:2:3: benchmarks[0]: --until decided needs pairs"),
    ("benchmarks:\n- name: a\n  command: b\n  parameters: {x: {from: 9, to: 1}}\n",
     "s.yaml:4:19: benchmarks[0].parameters.x: 'from' must not exceed 'to'"),
    ("benchmarks:\n- name: a\n  command: '{build}/b'\n",
     "s.yaml:2:3: benchmarks[0]: {build} has no value: give --old and --new"),
    ("variables: {x: 1}\nbenchmarks:\n- {name: a, command: b, parameters: {x: [1]}}\n",
     "s.yaml:3:3: benchmarks[0]: 'x' is a variable and a parameter"),
    ("variables: {side: 1}\nbenchmarks: [{name: a, command: b}]\n",
     "s.yaml: the variable 'side' is duet's own"),
    ("variables: {old: {x: 1}}\nbenchmarks: [{name: a, command: b}]\n",
     "s.yaml: the variable 'x' has no value for side new"),
    ("benchmarks:\n- name: a\n  command: b\n  input: '{side}'\n",
     "s.yaml:2:3: benchmarks[0]: --input: the sides cannot have different files"),
    ("benchmarks: [\n", "s.yaml:2:1: "),
])
def test_mistakes_have_a_place(run_duet, write_suite, tmp_path, text, message):
    result = run_duet("suite", write_suite(text))
    assert result.returncode == 2
    assert result.stderr.startswith("duet: " + message), result.stderr
    assert not (tmp_path / ".duet").exists()


def test_wrong_usage(run_duet, write_suite):
    path = write_suite(QUICK + "- {name: a, command: 'true'}\n")
    for arguments, words in [([], "expected a suite file"),
                             ([path, path], "expected one suite file, got 2"),
                             (["none.yaml"], "No such file"),
                             ([path, "--only", "a", "--only", "z*"], "that --only 'z*' asks for"),
                             ([path, "--resume", "--store", "none"], "--resume needs a store"),
                             ([path, "--runs", "0"], "--runs"),
                             ([path, "--old", "x"], "'build' has no value for side new")]:
        result = run_duet("suite", *arguments)
        assert result.returncode == 2 and words in result.stderr, (arguments, result)


def test_streams_of_each_benchmark(run_duet, write_suite, tmp_path):
    """Files of their own; a benchmark's win over the defaults', the command line's over both."""
    (tmp_path / "digits").write_text("321")
    (tmp_path / "letters").write_text("zyx")
    path = write_suite("""
defaults: {runs: 2, schedule: interleaved, input: "{suite}/letters", stderr: "{suite}/errors"}
benchmarks:
  - {name: a, command: rev, output: "{suite}/{n}", parameters: {n: [one, two]}}
  - {name: b, command: sh -c 'rev; echo b >&2', input: "{suite}/digits", output: "{suite}/b"}
  - {name: c, command: sh -c 'cat; echo c', input: "null", output: "{suite}/c", stderr: "null"}
""")
    result = run_duet("suite", path)
    assert result.returncode == 0, result.stderr

    def text(name):
        texts = {(tmp_path / f"{name}.{side}").read_text().strip() for side in ("old", "new")}
        assert len(texts) == 1
        return texts.pop()

    assert [text(name) for name in ("one", "two", "b", "c")] == ["xyz", "xyz", "123", "c"]
    result = run_duet("suite", path, "--only", "b", "--input", "letters", "--output", "other",
                      "--stderr", "inherit")
    assert result.returncode == 0, result.stderr
    assert text("other") == "xyz" and text("b") == "123"
    assert result.stderr.count("b\n") >= 4


def test_a_stream_that_cannot_be_is_told(run_duet, write_suite):
    path = write_suite("defaults: {runs: 2}\nbenchmarks:\n- {name: a, command: cat, input: nowhere}\n"
                       "- {name: b, command: cat, output: no/where}\n- {name: c, command: cat}\n")
    result = run_duet("suite", path)
    assert result.returncode == 4
    assert "--input" in result.stderr and "nowhere" in result.stderr, result.stderr
    assert "--output" in result.stderr and "no/where" in result.stderr
    assert "2 of 3 benchmarks failed: a; b" in result.stderr


def test_list_measures_nothing(run_duet, write_suite, tmp_path):
    path = write_suite("""
name: listed
variables: {old: {opt: -1}, new: {opt: -2}}
benchmarks:
  - {name: a, description: the first, command: 'echo {opt} {suite} {scratch}', runs: 7}
  - {name: b, command: 'echo', until: decided, parameters: {x: [1, 2]}}
  - {name: c, command: 'echo', until: precision=1%, check: {exit: 0}}
""")
    before = list(tmp_path.iterdir())
    result = run_duet("suite", path, "--list")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout == f"""\
listed: 4 benchmarks
a      duet, 7 runs
    the first
    old: echo -1 {tmp_path} {{scratch}}
    new: echo -2 {tmp_path} {{scratch}}
b x=1  duet, decided, at most 60 s
    echo (against itself)
b x=2  duet, decided, at most 60 s
    echo (against itself)
c      duet, precision 1 %, at most 60 s, checked
    echo (against itself)
"""
    assert list(tmp_path.iterdir()) == before
    only = run_duet("suite", path, "--list", "--only", "b x=2", "--only", "c", "-r", 1)
    assert "listed: 2 benchmarks\nb x=2  duet, 1 run\n" in only.stdout
    assert "c      duet, 1 run, checked" in only.stdout


def test_two_builds(run_duet, write_suite, tmp_path, stored):
    """--old and --new choose what is compared, and stand above the file."""
    for build, opt in [("one", 1), ("two", 2)]:
        (tmp_path / build).mkdir()
        script = tmp_path / build / "run"
        script.write_text(f"#!/bin/sh\necho {build} $1 >> {tmp_path}/log\n")
        script.chmod(0o755)
    path = write_suite("variables: {word: w}\ndefaults: {runs: 2}\nbenchmarks:\n"
                       "- {name: a, command: '{build}/run {word}'}\n")
    result = run_duet("suite", path, "--old", "one", "--new", "./two", "--new", "word=v",
                      "--old", "word=w")
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT command FROM side ORDER BY side") == \
        [("one/run w",), ("./two/run v",)]
    assert sorted((tmp_path / "log").read_text().split("\n")[:-1]) == \
        ["one w"] * 2 + ["two v"] * 2


@pytest.mark.slow
def test_order_comes_from_the_seed(run_duet, write_suite, tmp_path):
    """Random, the same for the same seed, and not changed by what is left out."""
    names = "abcdefgh"
    path = write_suite(QUICK + "".join(
        f"- {{name: {name}, command: 'true', setup: 'echo {name} >> log'}}\n"
        for name in names))

    def order(*arguments):
        (tmp_path / "log").unlink(missing_ok=True)
        result = run_duet("suite", path, "--store", "none", *arguments)
        assert result.returncode == 0, result.stderr
        assert names_of(result) == sorted(names_of(result))
        words = (tmp_path / "log").read_text().split()
        assert words[::2] == words[1::2]  # once a side
        return "".join(words[::2])

    first = order("--seed", 7)
    assert sorted(first) == list(names) and first != names
    assert order("--seed", 7) == first
    assert order("--seed", 8) != first
    part = order("--seed", 7, "--only", "[a-d]")
    assert part == "".join(name for name in first if name in "abcd")


def test_hooks_and_folders(run_duet, write_suite, tmp_path):
    """Of the suite, of a benchmark, of an execution; what is in the scratch folder is
    gone afterwards."""
    path = write_suite("""
setup: mkdir {scratch}/in; echo {scratch} > scratch; echo S >> log
cleanup: ls {scratch}/in >> log; echo C >> log
defaults: {runs: 2}
benchmarks:
  - name: a
    command: sh -c 'echo {side} > {scratch}/in/{side}'
    setup: echo s {side} >> log
    prepare: echo p >> log
    conclude: echo c >> log
    cleanup: echo k {side} >> log
""")
    assert run_duet("suite", path).returncode == 0
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[:3] == ["S", "s old", "s new"]
    assert lines[-5:] == ["k old", "k new", "new", "old", "C"]
    assert lines.count("p") == 4 and lines.count("c") == 4
    assert not pathlib.Path((tmp_path / "scratch").read_text().strip()).exists()


@pytest.mark.slow
def test_failing_benchmark(run_duet, write_suite, stored, tmp_path):
    """It is reported, the others are measured and kept, the clean-up is done."""
    path = write_suite("cleanup: touch cleaned\n" + QUICK + """\
- {name: a, command: 'true'}
- {name: broken, command: sh -c 'echo why >&2; exit 7'}
- {name: gone, command: ./no-such-program}
- {name: b, command: 'true', max-slowdown: 50000%}
""")
    result = run_duet("suite", path)
    assert result.returncode == 4
    assert "duet: broken: " in result.stderr and "exit status 7" in result.stderr
    assert "why" in result.stderr
    assert "duet: gone: " in result.stderr and "no-such-program" in result.stderr
    assert "2 of 4 benchmarks failed: broken; gone" in result.stderr
    assert names_of(result) == ["a", "broken", "gone", "b"]
    assert "failed: broken: " in result.stdout
    assert sorted(stored.rows("SELECT name, state FROM experiment")) == \
        [("a", "done"), ("b", "done"), ("broken", "failed"), ("gone", "failed")]
    assert stored.one("SELECT state FROM suite_run") == "failed"
    assert (tmp_path / "cleaned").exists()
    # What failed is tried again, the rest is not.
    write_suite("cleanup: touch cleaned\n" + QUICK + """\
- {name: a, command: 'true'}
- {name: broken, command: sh -c 'exit 0'}
- {name: gone, command: 'true'}
- {name: b, command: 'true', max-slowdown: 50000%}
""")
    result = run_duet("suite", path, "--resume")
    assert result.returncode == 0, result.stderr
    assert names_of(result) == ["a", "broken", "gone", "b"]
    assert stored.one("SELECT count(*) FROM experiment WHERE name IN ('a', 'b')") == 2
    assert stored.one("SELECT state FROM suite_run") == "done"


FAILING = """\
- {name: fine, command: 'true'}
- {name: broken, command: sh -c 'echo begin >&2; echo =why >&2; exit 7'}
- {name: slow, old: sleep 0.001, new: sleep 0.1, fail-on: slower}
"""


@pytest.mark.slow
def test_failed_rows_in_every_output(run_duet, write_suite, tmp_path, validate):
    path = write_suite("defaults: {runs: 8, interval: percentile, multiplicity: none}\n"
                       "benchmarks:\n" + FAILING)
    result = run_duet("suite", path, "--export-json", "o.json", "--export-csv", "o.csv",
                      "--export-markdown", "o.md")
    assert result.returncode == 4
    # The status does not hide what the gate says.
    assert "duet: gate: failed: slow is slower by +" in result.stderr
    assert "(--fail-on slower)" in result.stderr
    assert names_of(result) == ["fine", "broken", "slow"]
    assert re.search(r"^broken +failed$", result.stdout, re.M)
    reason = "exit status 7 (use -i to measure it nevertheless); its last lines on " \
        "standard error: begin =why"
    assert reason in " ".join(result.stdout.split())
    document = json.loads((tmp_path / "o.json").read_text())
    validate(document)
    failed = document["comparisons"][1]
    assert [c["verdict"] for c in document["comparisons"]][1:] == ["failed", "slower"]
    assert failed["ratio"] is None and failed["failure"].endswith("begin\n=why")
    assert len(document["results"]) == 4 and document["geometric_mean"]["benchmarks"] == 2
    with open(tmp_path / "o.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert [row["verdict"] for row in rows][1:] == ["failed", "slower"]
    assert rows[1]["ratio"] == "" and rows[1]["failure"].endswith("=why")
    assert rows[0]["failure"] == ""
    assert None not in rows[1] and None not in rows[1].values()
    markdown = (tmp_path / "o.md").read_text()
    assert markdown.count("| broken |") == 2 and "- **failed**: broken: " in markdown
    assert {line.count("|") for line in markdown.splitlines() if line[:1] == "|"} == {11}


def test_failed_rows_of_the_store(run_duet, write_suite):
    path = write_suite("defaults: {runs: 2}\nbenchmarks:\n" + FAILING)
    assert run_duet("suite", path, "-q").returncode == 4
    result = run_duet("show", "fine", "broken", "-q")
    assert result.returncode == 4
    assert re.search(r"^broken: failed: .*exit status 7", result.stdout, re.M)
    result = run_duet("show", "broken")
    assert result.returncode == 4 and "it ended early: " in result.stdout
    assert "(broken) failed before its first run had ended: " in result.stderr
    assert "exit status 7" in result.stderr


def test_all_failed(run_duet, write_suite, tmp_path, validate):
    path = write_suite("defaults: {runs: 2}\nbenchmarks:\n- {name: b, command: 'false'}\n")
    result = run_duet("suite", path, "--export-json", "o.json", "--export-csv", "o.csv",
                      "--export-markdown", "o.md")
    assert result.returncode == 4 and "failed: b: " in result.stdout
    validate(json.loads((tmp_path / "o.json").read_text()))
    assert "failed" in (tmp_path / "o.csv").read_text()
    assert "- **failed**: b: " in (tmp_path / "o.md").read_text()


def test_failing_setup(run_duet, write_suite, tmp_path, stored):
    path = write_suite("setup: exit 3\ncleanup: touch cleaned\n" + QUICK +
                       "- {name: a, command: 'true'}\n")
    result = run_duet("suite", path)
    assert result.returncode == 4
    assert "the suite's setup command ended with status 3" in result.stderr
    assert (tmp_path / "cleaned").exists() and stored.states() == []
    write_suite("cleanup: exit 5\n" + QUICK + "- {name: a, command: 'true'}\n")
    result = run_duet("suite", path)
    assert result.returncode == 4 and stored.states() == ["done"]
    assert "the suite's cleanup command ended with status 5" in result.stderr


HELLO = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"


@pytest.mark.parametrize("command, check, message", [
    ("echo hello", f"sha256: {HELLO}", None),
    ("echo hello!", f"sha256: {HELLO}", "SHA-256 of the output is "),
    ("printf 'a\\nbb\\n'", "matches: ^b+$", None),
    ("printf 'a\\nbc\\n'", "matches: ^b+$", "no line of the output matches '^b+$'"),
    ("true", "matches: x", "no line of the output matches 'x'"),
    ("echo hello", "command: grep -q hello", None),
    ("echo hello", "command: \"grep -q '{side}'\"", "its check 'grep -q 'old'' ended with status 1"),
    ("sh -c 'exit 3'", "exit: 3", None),
    ("true", "exit: 3", "it ended with status 0, not 3"),
    ("sh -c 'exit 3'", "matches: x", "it ended with status 3, not 0"),
    ("sh -c 'seq 5000 >&2; echo why >&2; exit 3'", "exit: 0", "it ended with status 3, "
     "not 0; its last lines on standard error: 4997\n4998\n4999\n5000\nwhy"),
    ("cp s.yaml {scratch}/{side}", "{file: '{scratch}/{side}', matches: benchmarks}", None),
    ("true", "{file: '{scratch}/{side}', matches: x}", "cannot read '"),
    ("mkfifo {scratch}/{side}", "{file: '{scratch}/{side}', matches: x}", "cannot read '"),
])
def test_checks(run_duet, write_suite, stored, command, check, message):
    check = check if check.startswith("{") else "{" + check + "}"
    path = write_suite(QUICK + f"- name: a\n  command: {command}\n  check: {check}\n")
    result = run_duet("suite", path)
    if message is None:
        assert result.returncode == 0, result.stderr
        assert stored.states() == ["done"]
        return
    assert result.returncode == 4
    assert f"duet: a: the check before the measurement failed, side old: {message}" in \
        result.stderr
    assert stored.states() == ["failed"] and stored.runs() == 0


def test_check_after_the_measurement(run_duet, write_suite, stored):
    """A program that breaks while it is measured is not taken for a fast one."""
    path = write_suite(QUICK + """\
- name: a
  command: sh -c 'echo x >> n; test $(wc -l < n) -lt 4 && echo fine; true'
  check: {matches: fine}
""")
    result = run_duet("suite", path)
    assert result.returncode == 4
    assert "the check after the measurement failed, side old: no line" in result.stderr
    assert "its 2 finished runs are kept: duet show 1" in result.stderr
    assert stored.states() == ["failed"] and stored.runs() == 2


def test_status_of_every_execution(run_duet, write_suite):
    """Where a status is wanted, no execution may end with another."""
    path = write_suite(QUICK + """\
- name: a
  command: sh -c 'echo x >> n; test $(wc -l < n) = 4 || exit 3'
  check: {exit: 3}
""")
    result = run_duet("suite", path)
    assert result.returncode == 4
    assert "an execution ended with status 0, not 3" in result.stderr


def test_timeout(run_duet, write_suite):
    path = write_suite(QUICK + "- {name: a, command: sleep 20, timeout: 100ms, "
                       "check: {exit: 0}}\n- {name: b, command: sleep 20, "
                       "timeout: 100ms}\n- {name: c, command: 'true', timeout: 20s}\n")
    result = run_duet("suite", path)
    assert result.returncode == 4 and names_of(result) == ["a", "b", "c"]
    assert "a: it took longer than 0.1 s when its output was checked" in result.stderr
    assert re.search("duet: b: .*0.1 s", result.stderr)


def test_suite_from_standard_input(duet, tmp_path):
    result = subprocess.run([*duet, "suite", "-", "--list"], cwd=tmp_path, text=True,
                            input="benchmarks: [{name: a, command: b}]",
                            capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("standard input: 1 benchmark\n")


def test_amount_of_the_command_line(run_duet, write_suite, stored):
    """--runs and --until stand above what the file says of either."""
    path = write_suite("defaults: {until: decided}\nbenchmarks:\n"
                       "- {name: a, command: 'true', runs: 40, min-runs: 30}\n")
    assert run_duet("suite", path, "-r", 2).returncode == 0
    assert stored.runs() == 2
    assert stored.one("SELECT json_extract(plan, '$.until') FROM experiment") == "fixed"


def test_adaptive_benchmark_needs_bonferroni(run_duet, write_suite):
    path = write_suite("benchmarks:\n- {name: a, command: sleep 0.001, runs: 4}\n"
                       "- {name: b, old: sleep 0.001, new: sleep 0.05, until: 'decided,"
                       "time=20s'}\n")
    result = run_duet("suite", path)
    assert result.returncode == 0, result.stderr
    assert "2 benchmarks" in result.stdout and "onferroni" in result.stdout


@pytest.mark.slow
@pytest.mark.quiet
def test_example(run_duet):
    """The one that the documentation shows."""
    result = run_duet("suite", ROOT / "examples/suite.yaml")
    assert result.returncode == 0, result.stderr
    assert names_of(result) == ["sort order=-n", "sort order=-r", "sum", "count"]
    assert result.stdout.count("  same within 5 %  ") >= 3, result.stdout


def test_every_option_of_run_is_a_key():
    """But for those that a suite has keys of its own for, or that concern the command."""
    known = "".join((ROOT / "src/cli/options" / name).read_text()
                    for name in ["command_option_rows.h", "run_option_rows.h", "analysis_option.h",
                                 "shared_option.h"])
    options = set(re.findall(r'\{[\s\\]*"([a-z-]+)",\s*(?:0|\'.\'),', known))
    keys = set(re.findall(r'^    \{"([a-z0-9-]+)", SUITE_SETTING',
                          (ROOT / "src/formats/suite_settings.c").read_text(), re.MULTILINE))
    assert keys - options == {"usage"}  # --no-usage
    assert options - keys == {"command-name", "cwd-new", "cwd-old", "exit-codes", "name",
                              "no-fill", "no-shell", "no-usage", "parameter-list",
                              "parameter-scan", "parameter-step-size", "resume", "store", "test",
                              "sample-runs"}


def test_documentation_names_every_key():
    text = (ROOT / "docs/suite.md").read_text()
    keys = re.findall(r'^    \{"([a-z0-9-]+)", ',
                      (ROOT / "src/formats/suite_settings.c").read_text() +
                      (ROOT / "src/formats/suite_file.c").read_text() +
                      (ROOT / "src/formats/suite_fields.c").read_text(), re.MULTILINE)
    assert len(keys) > 45
    for key in keys:
        assert f"`{key}`" in text, key
