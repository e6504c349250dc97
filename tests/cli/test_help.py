"""`duet help TOPIC`, and the examples of --help, manual pages and topics: each is executed, or
at least understood."""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPICS = ["verdicts", "schedules", "ci", "harness", "exit-status", "data"]
COMMANDS = ["run", "aa", "suite", "git", "go-test", "cargo-bench", "pytest",
            "bisect", "history", "log", "baseline",
            "gate", "compare", "doctor", "import", "list",
            "show", "report", "rm", "prune", "fleet", "fleet submit", "fleet status",
            "fleet collect", "fleet resume", "fleet cancel", "fleet task",
            "store", "store merge", "store copy", "store check", "store prune", "plan",
            "watch", "workload", "stress", "sync", "version", "help", "study",
            "study accuracy",
            "study coverage", "study detectable", "study false-positives", "study planning",
            "study prediction", "study ratio", "study samples", "study sequential",
            "study sharing", "study shuffle", "study stopping", "study variability"]
# Exit statuses other than 0, where the verdict or the machine decides.
STATUSES = {"run": {0, 1}, "suite": {0, 1}, "gate": {0, 1}, "doctor": {0, 5}}
# Examples that are only understood: they take minutes or days, or need data of the reader's.
LONG = re.compile(r"duet (git .*|go-test.*|cargo-bench.*|pytest .*|bisect .*|history.*|log .*|baseline.*|compare --baseline .*|watch \./old|stress .*|fleet .*|"
                  r"study (accuracy --workload|ratio|shar|shuf).*"
                  r"|study \w+ --export-svg pictures .*)$")


DONE = set()  # examples of studies, which stand on several pages and leave nothing behind


def plain(text):
    """What man(7) makes of escapes."""
    for escape, sign in (("\\-", "-"), ("\\(aq", "'"), ("\\[+-]", "±"), ("\\&", ""),
                         ("\\e", "\\")):
        text = text.replace(escape, sign)
    return text


def pasted(page):
    """The lines of a manual page that are printed as they are, continued ones in one."""
    lines = re.findall(r"^\.EX\n(.*)\n\.EE$", page, re.MULTILINE)
    return re.sub(r"\\\n +", "", "\n".join(map(plain, lines))).splitlines()


def test_topics_are_listed(run_duet):
    listed = run_duet("help", "topics")
    assert listed.returncode == 0
    assert re.findall(r"^  (\S+) +[a-z]", listed.stdout, re.MULTILINE) == TOPICS
    assert f"'duet help TOPIC' explains {', '.join(TOPICS)}." in run_duet("help").stdout


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(run_duet, topic):
    result = run_duet("help", topic)
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert 20 <= len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(" ") or "\t" in line for line in lines)


@pytest.mark.parametrize("topic", TOPICS)
def test_topic_and_its_manual_page_say_the_same(run_duet, topic):
    page = run_duet("help", "--man", topic).stdout
    assert page.startswith(f'.TH duet-{topic} 7 ')
    body = page.split(".SH DESCRIPTION\n")[1].split(".SH SEE ALSO")[0]
    body = re.sub(r"^\.(?:B (.*)|.*)$", r"\1", body, flags=re.MULTILINE)
    assert plain(body).split() == run_duet("help", topic).stdout.split()


@pytest.mark.parametrize("topic", TOPICS)
def test_commands_of_a_topic_are_understood(run_duet, topic):
    commands = [line.strip() for line in pasted(run_duet("help", "--man", topic).stdout)
                if line.startswith("  duet ")]
    assert commands or topic == "data"
    for command in commands:
        understood(run_duet, command)


def understood(run_duet, command):
    """Every option is there and takes its value: only one that is added is wrong."""
    words = shlex.split(command)[1:]
    words.insert(words.index("--") if "--" in words else len(words), "--no-such-option")
    result = run_duet(*words)
    assert result.returncode == 2, command
    assert "unknown option '--no-such-option'" in result.stderr, (command, result.stderr)


@pytest.fixture(scope="module")
def prepared(duet, tmp_path_factory):
    """A folder with all that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    draw = random.Random(1)
    for name, rounds in (("old", 2000), ("new", 4000)):
        (folder / name).write_text(f"#!/bin/sh\ni=0\nwhile [ $i -lt {rounds} ]; "
                                   "do i=$((i + 1)); done\n")
        (folder / name).chmod(0o755)
        (folder / f"{name}.txt").write_text(
            "".join(f"{draw.gauss(rounds, 20):.3f}\n" for _ in range(40)))
        for process in (1, 2):  # as Google Benchmark writes it
            (folder / f"{name}-{process}.json").write_text(json.dumps({"benchmarks": [
                {"name": "b", "real_time": draw.gauss(rounds, 20)} for _ in range(5)]}))
    (folder / "results.csv").write_text("side,run,time_ms\n" + "".join(
        f"{side},{run},{draw.gauss(10, 0.1):.4f}\n"
        for run in range(10) for side in ("old", "new") for _ in range(20)))
    for cloud in ("aws", "gce"):
        (folder / f"{cloud}.csv").write_text("benchmark,instance,trial,value\n" + "".join(
            f"b{b},i{i},{t},{draw.gauss(10 + i / 10, 0.1 + b / 10):.4f}\n"
            for b in range(5) for i in range(8) for t in range(3) for _ in range(3)))
    (folder / "times.txt").write_text(
        "".join(f"{draw.gauss(10, 0.3):.4f}\n" for _ in range(96 * 23)))
    (folder / "bench.yaml").write_text(
        "name: examples\ndefaults: {runs: 4}\nbenchmarks:\n"
        "  - {name: print, command: 'printf {build}'}\n")
    for _ in range(2):
        done = subprocess.run([*duet, "-q", "-r", "6", "-I", "4", "./old", "./new"],
                              cwd=folder, check=False, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
    for name in ("a", "b", "artifact", "other", "job-1", "job-2"):
        shutil.copy(folder / ".duet/results.db", folder / f"{name}.db")
    return folder


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("command", [
    pytest.param(command, marks=pytest.mark.rotating(3))
    if command.startswith("study") or command == "workload" else command
    for command in COMMANDS])
def test_examples(run_duet, duet, prepared, tmp_path, command):
    """Two or three, the same in --help; pasted one after the other into a shell."""
    page = run_duet("help", "--man", *command.split()).stdout
    examples = pasted(page.split(".SH EXAMPLES\n")[1])
    assert 2 <= len(examples) <= 3 and max(map(len, examples)) <= 76
    if command != "help":
        told = run_duet(*command.split(), "--help").stdout.split("\nExamples:\n")[1]
        assert [line.strip() for line in told.splitlines() if line.startswith("    ")] == examples
        assert len(re.findall(r"^  [A-Z].*:$", told, re.MULTILINE)) == len(examples)
    folder = shutil.copytree(prepared, tmp_path / "folder")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "duet").symlink_to(duet[-1])
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    for example in examples:
        if example in DONE:
            continue
        if LONG.match(example):
            if command != "log":  # git's options are its own, too
                understood(run_duet, example)
            continue
        done = subprocess.run(["bash", "-c", example], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=90)
        assert done.returncode in STATUSES.get(command, {0}), (example, done)
        DONE.update({example} if example.startswith("duet study ") else ())


# What the text of an option may begin with: a verb, or where the option applies.
WHERE = re.compile(r"(?:CSV|With(?:out)? (?:--[\w-]+|a table)[^:]*): ")
VERBS = """Accept Add Allow Analyse Annotate Answer Ask Assign Assume Attach Begin Call Check Choose Clean
Colour Compare Complete Compute Continue Correct Count CSV Do Draw Drop Dump End Execute Exit Expect Fail
Find Fold Follow Give Go Group Hide Ignore Import Join Judge Keep Kill Leave Let List Load Look
Make Mark Measure Merge Move Multiply Name Never Open Pair Pass Pick Plan Plot Post Predict Prefer Print
Probe Publish Put Raise Read Record Reduce Remove Repeat Replace Replay Report Require Resample
Run Sample Save Say See Seed Select Send Set Shift Show Shuffle Sign Simulate Skip Sort Split Start Stop
Store Summarise Take Test Toss Treat Try Use Vary Wait Warn Watch Write""".split()


@pytest.mark.parametrize("command", COMMANDS)
def test_options_begin_with_a_verb(run_duet, command):
    page = run_duet("help", "--man", *command.split()).stdout
    options = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH", page, re.MULTILINE | re.DOTALL).group(1)
    texts = [plain(text) for text in re.findall(r"^\.TP\n.*\n(.*)$", options, re.MULTILINE)]
    assert texts
    for text in texts:
        first = re.match(r"(?:Also |Only )?(\w+)", WHERE.sub("", text).capitalize()).group(1)
        assert first.capitalize() in VERBS, text
        assert text.endswith("."), text


@pytest.mark.parametrize("command", COMMANDS)
def test_sentences_of_a_description_are_short(run_duet, command):
    """At most 30 words, as in the pages; lists of exit statuses are no sentences."""
    page = run_duet("help", "--man", *command.split()).stdout
    text = re.search(r"^\.SH DESCRIPTION\n(.*?)^\.SH", page, re.MULTILINE | re.DOTALL).group(1)
    for line in text.splitlines():
        if line.startswith((".", " ", "Exit status")):
            continue
        for sentence in re.split(r"(?<=[.:?]) +(?=[A-Z])", plain(line)):
            assert len(re.findall(r"[A-Za-z][\w'-]*|\d[\d.,]*", sentence)) <= 30, sentence


def test_page_of_options_is_current(run_duet):
    """docs/options.md is what `duet help --markdown` prints."""
    page = run_duet("help", "--markdown")
    assert page.returncode == 0
    written = (ROOT / "docs/options.md").read_text(encoding="utf-8")
    assert page.stdout == written, "duet help --markdown > docs/options.md"


def test_help_of_help(run_duet):
    assert run_duet("help", "--help").stdout == run_duet("help", "help").stdout


def test_page_of_options_takes_no_command(run_duet):
    refused = run_duet("help", "--markdown", "run")
    assert refused.returncode == 2
    assert "unexpected argument 'run': --markdown prints all commands" in refused.stderr
