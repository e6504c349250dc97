"""--confirm, --control, --same-output, --skip-identical, accept, --time-budget."""
import contextlib
import json
import signal
import sqlite3
import subprocess

import pytest

FAST, SLOW = "sleep 0.002", "sleep 0.02"


@pytest.fixture(name="measured")
def measured_fixture(run_duet, validate):
    """The document of `duet ARGUMENTS`, and the completed process."""
    def run(*arguments, status=0, **more):
        result = run_duet(*arguments, "-q", "--export-json", "-", timeout=60, **more)
        assert result.returncode == status, result.stderr
        document = json.loads(result.stdout)
        validate(document)
        return document["comparisons"], result
    return run


def roles(comparisons):
    return [one["role"] for one in comparisons]


# ---- Confirmations ----

def test_a_failure_that_recurs_fails(measured, run_duet, stored):
    comparisons, result = measured(FAST, SLOW, "--fail-on", "slower", "--confirm", status=1)
    assert roles(comparisons) == ["comparison", "confirmation"]
    gate = comparisons[0]["gate"]
    assert gate["state"] == "failed" and gate["confirmed"] is True
    assert gate["false_failure_at_most"] == pytest.approx(1e-4)
    assert "confirmed by a second experiment" in result.stderr and "0.01 %" in result.stderr
    assert comparisons[1]["gate"] is None
    layouts = stored.rows("SELECT json_extract(plan, '$.layout') FROM experiment ORDER BY id")
    assert layouts == [("same",), ("independent",)]
    assert stored.one("SELECT count(DISTINCT seed) FROM experiment") == 2
    assert stored.rows("SELECT * FROM companion") == [(2, 1, "confirmation")]
    # Afterwards the two belong together, and the first one is the last.
    again = run_duet("gate")
    assert again.returncode == 1 and "confirmed by a second" in again.stderr
    shown = run_duet("show", "last", "--export-json", "-")
    assert shown.returncode == 1
    assert roles(json.loads(shown.stdout)["comparisons"]) == ["comparison", "confirmation"]


@pytest.mark.slow
def test_a_failure_that_does_not_recur_passes(measured, run_duet, tmp_path):
    """A program that is slow as long as its file is there: the first experiment takes it
    away when it ends."""
    script = tmp_path / "once"
    script.write_text(f"#!/bin/sh\ntest -e {tmp_path}/slow && exec sleep 0.2\nexec sleep 0.02\n")
    script.chmod(0o755)
    (tmp_path / "slow").write_text("")
    arguments = (SLOW, str(script), "--max-slowdown", "50%", "--confirm", "-M", "40",
                 "--losses", "keep", "--cleanup", f"rm -f {tmp_path}/slow")
    comparisons, _ = measured(*arguments)
    gate = comparisons[0]["gate"]
    assert gate["state"] == "passed" and gate["confirmed"] is False and gate["by_limit"]
    assert "not confirmed by a second experiment" in gate["reason"]
    again = run_duet("compare", "last")
    assert again.returncode == 0 and "not confirmed by a second" in again.stderr
    assert run_duet("report").returncode == 0
    assert "not confirmed by a second experiment" in (tmp_path / "duet-report.html").read_text()
    site = run_duet("report", "--site", "site")
    assert site.stdout == "wrote site/index.html and 1 page of 2 experiments\n"
    assert "</td><td>1 slower</td>" in (tmp_path / "site/index.html").read_text()
    (page,) = (tmp_path / "site").glob("report-*")
    assert "not confirmed by a second experiment" in page.read_text()
    (tmp_path / "slow").write_text("")
    comparisons, result = measured(*arguments, "--fail-on", "unsure", status=3)
    assert comparisons[0]["gate"]["state"] == "unsure"
    assert "not confirmed by a second experiment" in result.stderr


def test_what_passes_is_not_measured_again(measured, stored):
    comparisons, _ = measured(SLOW, FAST, "--fail-on", "slower", "--confirm")
    assert roles(comparisons) == ["comparison"]
    assert stored.one("SELECT count(*) FROM experiment") == 1


def test_a_confirmation_that_cannot_be_measured(run_duet, tmp_path):
    script = tmp_path / "once"
    script.write_text(f"#!/bin/sh\ntest -e {tmp_path}/here || exit 7\nexec sleep 0.02\n")
    script.chmod(0o755)
    (tmp_path / "here").write_text("")
    result = run_duet(FAST, str(script), "--fail-on", "slower", "--confirm",
                      "--cleanup", f"rm -f {tmp_path}/here")
    assert result.returncode == 1
    assert "could not be confirmed" in result.stderr and "exit status 7" in result.stderr


def test_confirm_and_resume(run_duet):
    for word in ("--confirm", "--control"):
        result = run_duet("run", "--resume", word, FAST, FAST)
        assert result.returncode == 2 and "does not go with --resume" in result.stderr


def test_failed_and_slower_are_both_told(measured, tmp_path):
    """The status says that a command failed, the lines say which one is slower."""
    (tmp_path / "s.yaml").write_text("benchmarks:\n"
                                     f"  - {{name: slow, old: {FAST}, new: {SLOW}}}\n"
                                     "  - {name: broken, old: 'true', new: 'false'}\n")
    _, result = measured("suite", "s.yaml", "--fail-on", "slower", status=4)
    assert "gate: failed: slow is slower" in result.stderr
    assert "broken" in result.stderr and "exit status 1" in result.stderr
    _, result = measured("suite", "s.yaml", "--fail-on", "slower", "--only", "slow", status=1)
    assert "gate: failed: slow is slower" in result.stderr and "broken" not in result.stderr


# ---- Controls ----

def test_a_control_is_a_row_of_its_own(measured, stored):
    comparisons, _ = measured(FAST, SLOW, "-r", "8", "--control")
    assert roles(comparisons) == ["comparison", "control"]
    assert comparisons[1]["name"].endswith("(control)")
    assert comparisons[1]["runs"] == 8
    assert stored.rows("SELECT role, of_experiment_id FROM companion") == [("control", 1)]
    commands = stored.rows("SELECT DISTINCT command FROM side WHERE experiment_id = 2")
    assert commands == [(FAST,)]


def test_a_control_takes_turns(measured, stored):
    comparisons, _ = measured(FAST, FAST, "--until", "precision=0.0001%,time=1s", "--control",
                              "--schedule", "duet")
    assert comparisons[1]["runs"] >= comparisons[0]["runs"]
    # Runs of both lie between those of the other.
    first = stored.one("SELECT min(started_ns) FROM run WHERE experiment_id = 2")
    last = stored.one("SELECT max(started_ns) FROM run WHERE experiment_id = 1")
    assert first < last


@pytest.mark.slow
def test_a_long_setup_has_long_turns(measured, tmp_path):
    """They take as long again, not eight times as long."""
    comparisons, _ = measured(FAST, FAST, "--until", "precision=0.0001%,time=2s", "--control",
                              "--setup", f"echo >> {tmp_path}/setups; sleep 0.2")
    assert roles(comparisons) == ["comparison", "control"]
    assert len((tmp_path / "setups").read_text()) <= 4 * 4


def test_a_control_that_alarms_is_told(measured, run_duet, tmp_path):
    """The old program is slow as the second side, which it knows by its standard output."""
    script = tmp_path / "old"
    script.write_text("#!/bin/sh\ncase $(readlink /proc/$$/fd/1) in *.new) exec sleep 0.2;; esac\n"
                      "exec sleep 0.02\n")
    script.chmod(0o755)
    comparisons, result = measured(str(script), "sleep 0.2", "-m", "24", "--losses", "keep", "--control",
                                   "--output", "out", "--fail-on", "slower", status=1)
    gate = comparisons[0]["gate"]
    assert gate["control_alarmed"] is True and gate["state"] == "failed"
    assert "the control alarmed: old differs from itself" in result.stderr
    assert comparisons[1]["verdict"] == "slower" and comparisons[1]["gate"] is None
    junit = run_duet("show", "last", "--export-junit", "-").stdout
    assert 'skipped="1"' in junit and "the control alarmed" in junit


def test_control_needs_turns(run_duet):
    result = run_duet(FAST, FAST, "--control", "--schedule", "sequential")
    assert result.returncode == 2 and "sequential" in result.stderr


# ---- Outputs ----

@pytest.mark.parametrize("old, new, says", [
    (r"printf 'one\ntwo\n'", r"printf 'one\nTWO\n'", "line 2 of old is 'two', of new 'TWO'"),
    (r"printf 'one\n'", r"printf 'one\ntwo\n'", "line 2 of old is nothing more, of new 'two'"),
    (r"printf 'one\n'", r"printf one", "line 1 of old is 'one', of new 'one' without a line's end"),
])
def test_different_outputs_fail(run_duet, old, new, says):
    result = run_duet("--same-output", old, new, "-r", "2")
    assert result.returncode == 4
    assert "do not print the same (--same-output)" in result.stderr and says in result.stderr


def test_equal_outputs_are_measured(run_duet):
    assert run_duet("--same-output", "seq 3", "printf '%s\n' 1 2 3", "-r", "2").returncode == 0


def test_outputs_of_benchmark_programs(run_duet, built_program):
    """Their own times are not compared."""
    program = built_program("example_sum")
    result = run_duet("--same-output", program, program, "-r", "2", "--run-time", "5ms")
    assert result.returncode == 0, result.stderr


# ---- Identical programs ----

@pytest.fixture
def programs(tmp_path):
    """Two equal ones that differ in debug information alone, and another one."""
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    other = tmp_path / "other.c"
    other.write_text("int main(void) { volatile int x = 1; return x - 1; }\n")
    for name, words in (("old", ["-g", source]), ("new", ["-g3", source]), ("other", [other]),
                        ("beside", ["-Wl,-rpath,$ORIGIN", source]),
                        ("beside2", ["-Wl,-rpath,$ORIGIN", source])):
        (tmp_path / name).mkdir()
        subprocess.run(["cc", *map(str, words), "-o", str(tmp_path / name / "bench")], check=True)
    return tmp_path


def folders(old, new):
    return ("--cwd-old", old, "--cwd-new", new, "./bench", "./bench")


def test_identical_programs_are_not_measured(measured, run_duet, programs, stored):
    words = folders("old", "new")
    comparisons, _ = measured("--skip-identical", "--fail-on", "slower,unsure", *words)
    (one,) = comparisons
    assert one["verdict"] == "identical" and one["runs"] == 0
    assert one["gate"]["state"] == "passed" and "same" in one["reason"]
    assert stored.one("SELECT count(*) FROM run") == 0
    assert run_duet("gate").returncode == 0
    head, row = run_duet("list").stdout.splitlines()
    assert row[head.index("verdict"):].startswith("identical ")
    assert row.index("./bench") == head.index("name, sides")
    assert run_duet("show", "--export-csv", "-").stdout.count("identical") == 1
    assert run_duet("list", "--verdict", "identical").stdout.count("./bench") >= 1


def test_identical_in_every_report(run_duet, programs, tmp_path):
    paths = {name: tmp_path / name for name in ("markdown", "junit", "openmetrics", "pr-comment")}
    exports = [word for name, path in paths.items() for word in (f"--export-{name}", str(path))]
    result = run_duet("--skip-identical", *folders("old", "new"), "--name", "zip", *exports)
    assert result.returncode == 0 and "identical" in result.stdout
    assert "identical" in paths["markdown"].read_text()
    assert "zip is identical, not measured" in paths["junit"].read_text()
    assert "duet_verdict_zip 5" in paths["openmetrics"].read_text()
    assert "identical" in paths["pr-comment"].read_text()


def test_other_programs_are_measured(measured, programs):
    comparisons, _ = measured("--skip-identical", *folders("old", "other"), "-r", "2")
    assert comparisons[0]["verdict"] != "identical"


def test_programs_that_a_setup_may_make_are_measured(measured, programs):
    words = ("--skip-identical", *folders("old", "new"), "-r", "2", "--setup", "true")
    comparisons, result = measured(*words)
    assert comparisons[0]["verdict"] != "identical"
    assert "its setup may make the program anew; --identical-if PATHS" in result.stderr
    assert measured(*words, "--identical-if", "bench")[0][0]["verdict"] == "identical"


@pytest.mark.parametrize("old, new", [("beside", "beside2"), ("script", "script2")])
def test_what_says_too_little_is_measured(run_duet, programs, old, new):
    for name in ("script", "script2"):
        (programs / name).mkdir()
        (programs / name / "bench").write_text("#!/bin/sh\n. ./lib\n")
        (programs / name / "bench").chmod(0o755)
    for name in (old, new):
        (programs / name / "lib").write_text("x=1\n")
    words = ("--skip-identical", *folders(old, new), "-r", "2", "-q")
    result = run_duet(*words)
    assert result.returncode == 0
    assert "is measured" in result.stderr and "--identical-if PATHS" in result.stderr
    assert "identical" in run_duet(*words, "--identical-if", "lib").stdout
    (programs / new / "lib").write_text("x=2\n")
    assert "identical" not in run_duet(*words, "--identical-if", "lib").stdout
    result = run_duet(*words, "--identical-if", "nothing")
    assert result.returncode == 2 and "is in neither side's folder" in result.stderr


def test_files_that_words_name(run_duet, programs):
    for name in ("old", "new"):
        (programs / name / "data").write_text("1\n")
    words = ("--skip-identical", "--cwd-old", "old", "--cwd-new", "new", "./bench --in=data",
             "./bench --in=data", "-r", "2", "-q")
    assert "identical" in run_duet(*words).stdout
    (programs / "new" / "data").write_text("2\n")
    assert "identical" not in run_duet(*words).stdout


# ---- Accepted regressions ----

SUITE = """
name: s
benchmarks:
  - name: b
    old: sleep 0.002
    new: sleep 0.02
    max-slowdown: 2%
    accept: {{limit: {limit}, reason: "the | new <format>", until: {until}}}
"""


@pytest.mark.parametrize("limit, until, status", [("100000%", "2999-12-31", 0),
                                                  ("100000%", "2020-01-31", 1),
                                                  ("3%", "2999-12-31", 1)])
def test_an_accepted_regression(measured, run_duet, tmp_path, limit, until, status):
    (tmp_path / "s.yaml").write_text(SUITE.format(limit=limit, until=until))
    paths = {name: tmp_path / name for name in ("markdown", "junit", "csv", "pr-comment")}
    exports = [word for name, path in paths.items() for word in (f"--export-{name}", str(path))]
    comparisons, result = measured("suite", "s.yaml", *exports, status=status)
    gate = comparisons[0]["gate"]
    expired = until.startswith("2020")
    assert gate["accept"] == {"limit_pct": float(limit[:-1]), "until": until, "expired": expired,
                              "reason": "the | new <format>"}
    assert gate["state"] == ("failed" if status else "passed")
    for path in paths.values():
        text = path.read_text()
        assert until in text, path
        assert ("which is over" in text) == expired
    again = run_duet("gate")
    assert again.returncode == status and until in again.stderr
    assert until in run_duet("show", "last").stdout


@pytest.mark.parametrize("accept, says", [
    ("{limit: 5%, reason: x}", "it needs 'limit', 'reason' and 'until'"),
    ("{limit: 5%, reason: x, until: 2026-02-30}", "is not a date such as 2026-12-31"),
    ("{limit: 5%, reason: x, until: tomorrow}", "is not a date such as 2026-12-31"),
    ("{limit: 5, reason: x, until: 2026-02-03}", "is not a slowdown above 0 %"),
    ("{limit: 0%, reason: x, until: 2026-02-03}", "is not a slowdown above 0 %"),
    ("{limit: 5%, reason: " + "x" * 300 + ", until: 2026-02-03}", "at most 255 bytes"),
    ("{limit: 5%, reson: x, until: 2026-02-03}", "did you mean 'reason'"),
])
def test_mistakes_of_accept(run_duet, tmp_path, accept, says):
    (tmp_path / "s.yaml").write_text(
        f"benchmarks:\n  - name: b\n    command: 'true'\n    accept: {accept}\n")
    result = run_duet("suite", "s.yaml")
    assert result.returncode == 2 and "s.yaml:4:" in result.stderr
    assert says in result.stderr


# ---- One time budget ----

def suite_of(tmp_path, pairs):
    lines = [f"  - {{name: b{i}, old: {old}, new: {new}}}" for i, (old, new) in enumerate(pairs)]
    (tmp_path / "s.yaml").write_text("benchmarks:\n" + "\n".join(lines) + "\n")


@pytest.mark.slow
def test_the_budget_goes_where_the_verdict_is_open(measured, tmp_path, stored):
    suite_of(tmp_path, [(SLOW, "sleep 0.2"), ("sleep 0.2", SLOW), (FAST, FAST)])
    comparisons, _ = measured("suite", "s.yaml", "--time-budget", "25s", "--same-within",
                              "0.0001%", "--schedule", "duet", "--losses", "keep",
                              "--until", "decided,runs=80")
    assert [one["verdict"] for one in comparisons[:2]] == ["slower", "faster"]
    assert comparisons[2]["verdict"] in ("unsure", "slower", "faster")
    # The open one has had its runs in several slices, the others' between them.
    assert stored.one("SELECT count(*) FROM resumption") > 2
    assert [one["interval"]["confidence"] for one in comparisons] == [pytest.approx(1 - 0.01 / 3)] * 3


@pytest.mark.slow
def test_a_budget_with_checks_controls_and_failures(measured, tmp_path):
    (tmp_path / "s.yaml").write_text("""
benchmarks:
  - {name: a, old: sleep 0.02, new: sleep 0.2, losses: keep, control: true}
  - {name: b, old: sleep 0.002, new: "false"}
  - {name: c, command: seq 3, check: {matches: ^3$}, runs: 40}
""")
    comparisons, result = measured("suite", "s.yaml", "--time-budget", "25s", status=4)
    assert [one["verdict"] for one in comparisons][:1] == ["slower"]
    assert roles(comparisons) == ["comparison", "control", "comparison", "comparison"]
    assert comparisons[2]["verdict"] == "failed"
    assert comparisons[3]["runs"] == 40


@pytest.mark.slow
def test_a_budget_with_one_side_after_the_other(measured, tmp_path, stored):
    """New has a time of its own, however much there is for the suite."""
    suite_of(tmp_path, [(SLOW, SLOW), (FAST, FAST)])
    measured("suite", "s.yaml", "--time-budget", "50s", "--schedule", "sequential")
    counts = stored.rows("SELECT experiment_id, side, count(*) FROM run JOIN iteration "
                         "ON run_id = run.id GROUP BY 1, 2 ORDER BY 1, 2")
    assert [(one, side) for one, side, _ in counts] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert all(count >= 16 for _, _, count in counts), counts
    assert stored.states() == ["done"] * 2


def test_a_budget_too_small_is_told(run_duet, tmp_path):
    suite_of(tmp_path, [("sleep 0.3", "sleep 0.3")] * 4)
    result = run_duet("suite", "s.yaml", "--time-budget", "100ms")
    assert result.returncode == 4
    assert "was over before its first run; give more (--time-budget)" in result.stderr


@pytest.mark.parametrize("words, says", [
    (("suite", "s.yaml", "--time-budget", "0"), "must be above 0"),
    (("suite", "s.yaml", "--time-budget", "soon"), "--time-budget"),
    (("git", "--time-budget", "5s", "--", "./bench"), "goes with --suite"),
    (("git", "--resume", "--", "./bench"), "goes with --suite"),
    (("git", "--resume", "--store", "none", "--suite", "s.yaml"), "needs a store"),
])
def test_mistakes_of_a_budget(run_duet, words, says):
    result = run_duet(*words)
    assert result.returncode == 2 and says in result.stderr


# ---- What is stored ----

FOUR = f"""defaults: {{runs: 16}}
benchmarks:
  - {{name: one, command: {FAST}}}
  - {{name: worse, old: {FAST}, new: {SLOW}}}
  - {{name: two, command: {FAST}}}
  - {{name: three, command: {FAST}}}
"""


def test_without_id_the_gate_is_of_the_whole_suite(run_duet, stored, tmp_path):
    (tmp_path / "s.yaml").write_text(FOUR)
    measured = run_duet("suite", "s.yaml", "--fail-on", "slower", "--seed", 1)
    assert measured.returncode == 1, measured.stderr
    assert stored.one("SELECT name FROM experiment ORDER BY id DESC LIMIT 1") != "worse"
    assert run_duet("gate", "last").returncode == 0
    gate = run_duet("gate")
    assert gate.returncode == 1 and "gate: failed: worse is slower" in gate.stderr
    tested = run_duet("gate", "--self-test", "--by", "900%")
    assert tested.returncode == 0 and tested.stderr.count("self-test passed") == 4, tested.stderr


def test_what_failed_in_a_suite_fails_the_gate(run_duet, tmp_path):
    (tmp_path / "s.yaml").write_text(FOUR.replace(f"one, command: {FAST}", "one, command: 'false'"))
    assert run_duet("suite", "s.yaml", "--fail-on", "slower", "--seed", 1).returncode == 4
    gate = run_duet("gate")
    assert gate.returncode == 4 and "worse is slower" in gate.stderr
    assert "one was not measured" in gate.stderr
    (tmp_path / "s.yaml").write_text(FOUR)  # which goes on with the failed one alone
    assert run_duet("suite", "s.yaml", "--fail-on", "slower", "--resume").returncode == 1
    assert run_duet("gate").returncode == 1


def test_a_suite_that_was_interrupted_does_not_pass(run_duet, start_duet, tmp_path):
    (tmp_path / "s.yaml").write_text(FOUR.replace("runs: 16", "runs: 40").replace(SLOW, FAST))
    process = start_duet("suite", "s.yaml", "--fail-on", "slower")
    while "(1 of 4" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    gate = run_duet("gate")
    assert gate.returncode == 4, gate.stderr
    assert "gate: 3 benchmarks were not measured to the end" in gate.stderr
    assert run_duet("suite", "s.yaml", "--fail-on", "slower", "--resume").returncode == 0
    assert run_duet("gate").returncode == 0


def test_without_id_the_gate_is_of_every_value(run_duet):
    result = run_duet("-r", 16, "-L", "t", "0.1,0.002", "sleep 0.002", "sleep {t}",
                      "--fail-on", "slower")
    assert result.returncode == 1, result.stderr
    gate = run_duet("gate")
    assert gate.returncode == 1 and "t=0.1 is slower" in gate.stderr
    assert run_duet("gate", "last").returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_values_that_were_interrupted_do_not_pass(run_duet, start_duet, stored, wait_until,
                                                  number):
    """Those before are not all that was asked for."""
    process = start_duet("-r", 60, "-L", "t", "0.001,0.01,0.02", "sleep {t}", "sleep {t}")

    def second_runs():
        with contextlib.suppress(sqlite3.Error):  # there are no tables yet
            return stored.states() == ["done", "running"] and stored.has_runs(64)
        return False

    wait_until(second_runs)
    process.send_signal(number)
    process.communicate(timeout=30)
    gate = run_duet("gate", "--max-slowdown", "1000%")
    assert gate.returncode == 4, gate.stderr
    left = 2 if number == signal.SIGINT else 3
    assert f"gate: {left} benchmarks were not measured to the end" in gate.stderr


# ---- At least so many runs ----

def test_a_gate_on_nothing_passes(run_duet):
    """`slower` is for those who ask for nothing."""
    assert run_duet("sleep 0.001", "sleep 0.05", "-r", 16, "-q").returncode == 0
    assert run_duet("gate").returncode == 1
    assert run_duet("gate", "--max-slowdown", "none").returncode == 1
    passed = run_duet("gate", "--fail-on", "none")
    assert (passed.returncode, passed.stderr) == (0, "")
    tested = run_duet("gate", "--fail-on", "none", "--self-test", "--by", "100%")
    assert tested.returncode == 1
    assert "self-test failed; 'sleep 0.001' has no gate" in tested.stderr
    assert run_duet("gate", "--fail-on", "none", "--max-slowdown", "10%").returncode == 1


def test_a_self_test_of_nothing_measured_fails(run_duet):
    assert run_duet("--skip-identical", "true", "true").returncode == 0
    result = run_duet("gate", "--self-test")
    assert result.returncode == 1 and "nothing was measured" in result.stderr


def test_min_runs_hold_a_verdict_back(measured):
    comparisons, _ = measured(FAST, SLOW, "-m", "81")
    assert 81 <= comparisons[0]["runs"] < 160
    comparisons, _ = measured(FAST, SLOW, "-m", "24", "--until", "decided,time=1ms")
    assert comparisons[0]["runs"] >= 24
    comparisons, _ = measured(FAST, SLOW)
    assert comparisons[0]["runs"] < 81
