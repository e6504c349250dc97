"""Help, and words on the command line that make no sense."""

import json
import os
import re
import subprocess

import pytest

COMMANDS = ["run", "aa", "suite", "git", "go-test", "cargo-bench", "pytest",
            "bisect", "history", "log", "baseline",
            "gate", "compare", "doctor", "import", "list",
            "show", "report", "rm", "prune", "fleet", "store", "plan", "study", "watch", "workload", "stress", "sync", "version", "help"]
PARTS = ["fleet submit", "fleet status", "fleet collect", "fleet resume", "fleet cancel",
         "fleet task", "store merge", "store copy", "store check", "store prune", "study accuracy", "study coverage", "study detectable", "study false-positives",
         "study planning", "study prediction", "study ratio", "study samples", "study sequential",
         "study sharing", "study shuffle", "study stopping", "study variability"]
# `duet help --help` shows the overview.


def options_of(run_duet, command):
    """Names and letters of a command's options, from what the program offers to fish."""
    shell = run_duet("help", "--completion", "fish").stdout
    words = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.split())
    found = re.findall(rf"^complete -c duet -n '{words}' -l (\S+)(?: -s (\S))?", shell,
                       re.MULTILINE)
    assert ("help", "h") in found
    return found


@pytest.mark.parametrize("words", [["show", "last"], ["plan", "--effect", "1%"], ["list"]])
def test_command_behind_its_options(run_duet, tmp_path, words):
    """Read as a comparison of two programs; the message says where the command goes."""
    result = run_duet("--store", tmp_path / "none.db", *words)
    assert result.returncode == 2
    assert f"before the options, duet {words[0]} ..." in result.stderr


def test_no_hint_at_commands_where_none_is_meant(run_duet):
    assert "before the options" not in run_duet("-r", "2", "no-such-command", "true").stderr
    assert "before the options" not in run_duet("run", "-r", "2", "show", "true").stderr


@pytest.mark.parametrize("command", COMMANDS + PARTS)
def test_help_of_every_command(run_duet, tmp_path, command):
    """It names every option that there is and no other, and nothing is measured or stored."""
    result = run_duet(*command.split(), "--help")
    assert result.returncode == 0 and result.stderr == ""
    if command != "help":
        shown = re.findall(r"^  (?:-(.), |    )--([a-z-]+)", result.stdout, re.MULTILINE)
        assert [(name, letter) for letter, name in shown] == options_of(run_duet, command)
        assert run_duet("help", *command.split()).stdout == result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", COMMANDS + PARTS)
@pytest.mark.slow
def test_options_of_the_help_are_taken(run_duet, command):
    """With an empty value, or the first of two options that keep the command from running."""
    for name, letter in options_of(run_duet, command):
        for typed in [f"--{name}=", *([f"-{letter}"] if letter else [])]:
            if typed != "-h":
                result = run_duet(*command.split(), typed, *2 * ["--no-such-option"])
                assert result.returncode == 2, (typed, result.stderr)
                assert f"unknown option '{typed.rstrip('=')}'" not in result.stderr, typed


def test_overview(run_duet):
    result = run_duet("--help")
    assert result.returncode == 0
    listed = re.findall(r"^  ([a-z-]+) ", result.stdout, re.MULTILINE)
    assert listed == COMMANDS
    assert run_duet("help").stdout == result.stdout
    assert run_duet("-h").stdout == result.stdout
    bare = run_duet()
    assert bare.returncode == 2


def test_every_long_option_of_the_interface_is_there(run_duet):
    """What other tools' users type."""
    text = run_duet("run", "--help").stdout
    for words in ["-w, --warmup", "-r, --runs", "-I, --iterations", "-n, --command-name",
                  "-i, --ignore-failure", "-m, --min-runs", "-M, --max-runs",
                  "-s, --setup", "-p, --prepare", "-C, --conclude", "-c, --cleanup",
                  "-S, --shell", "-N, --no-shell", "-L, --parameter-list",
                  "-P, --parameter-scan", "-D, --parameter-step-size", "--output",
                  "--input", "--style", "-u, --time-unit", "--export-json",
                  "--export-csv", "--export-markdown", "--export-svg", "--export-html",
                  "--seed", "--timeout",
                  "--schedule", "--cpus", "--fill", "--no-fill", "--confidence",
                  "--replicates", "--estimator", "--interval", "--until",
                  "--same-within", "--max-slowdown", "--fail-on", "--store",
                  "-q, --quiet", "-v, --verbose", "--no-color"]:
        assert words in text, words


@pytest.mark.parametrize("words", [["xyzzy"], ["help", "xyzzy"], ["list", "--xyzzy", "1"]])
def test_no_suggestion_where_nothing_is_similar(run_duet, words):
    result = run_duet(*words)
    assert result.returncode == 2 and "did you mean" not in result.stderr.lower()


def test_version(run_duet):
    result = run_duet("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"duet \d+\.\d+\.\d+\n", result.stdout)
    assert run_duet("-V").stdout == result.stdout


@pytest.mark.parametrize("arguments, words", [
    (["only-one"], ["expected OLD and NEW, got only 'only-one'"]),
    (["run"], ["expected OLD and NEW", "got 0"]),
    (["one", "two", "three"], ["only two commands", "got 3", "quote"]),
    (["--no-such", "true", "true"], ["unknown option '--no-such'"]),
    (["-Z", "true", "true"], ["unknown option '-Z'"]),
    (["gate", "--self-test", "-Zq"], ["unknown option '-Z'"]),
    (["gate", "--self-test", "-qZ"], ["unknown option '-Z'"]),
    (["--no-such=1", "true", "true"], ["unknown option '--no-such'"]),
    (["--export=x", "true", "true"], ["'--export' can mean", "--export-json, --export-csv"]),
    (["--run=3", "true", "true"], ["'--run' can mean", "--runs, --run-time"]),
    (["true", "true", "--run", "2"], ["'--run' can mean", "--runs, --run-time"]),
    (["--no-fill=1", "true", "true"], ["'--no-fill' takes no value"]),
    (["true", "true", "--runs"], ["'--runs' needs a value"]),
    (["true", "true", "-r"], ["'-r' needs a value"]),
    (["true", "true", "--quiet=5"], ["--quiet"]),
    (["true", "true", "-r", "0"], ["--runs", "0"]),
    (["true", "true", "-r", "many"], ["--runs", "many"]),
    (["true", "true", "-r", "-3"], ["--runs", "-3"]),
    (["true", "true", "-r", "99999999999999999999"], ["--runs"]),
    (["true", "true", "-I", "1.5"], ["--iterations", "1.5"]),
    (["true", "true", "-m", "9", "-M", "3"], ["--min-runs", "--max-runs"]),
    (["true", "true", "-m", "9", "-r", "3"], ["--min-runs is larger", "--runs"]),
    (["true", "true", "-M", "3", "-r", "9"], ["--max-runs is smaller", "--runs"]),
    (["true", "true", "-D", "2"], ["-D", "-P", "missing"]),
    (["true", "true", "-P", "x", "1", "2", "-P", "y", "1", "2"],
     ["-P is given twice ('x' and 'y')", "-L"]),
    (["run", "--resume", "-D", "2"], ["leave --parameter-step-size out"]),
    (["true", "true", "--statistic", "p0x10"], ["--statistic p0x10"]),
    (["true", "true", "--export-json", ""], ["'' for its file", "'-'"]),
    (["true", "true", "--export-junit", ""], ["'' for its file", "'-'"]),
    (["true", "true", "--export-json", "a", "--export-csv", "a"],
     ["two exports go to 'a'", "a file of its own"]),
    (["true", "true", "--export-store", "a", "--export-junit", "a"], ["two exports go to 'a'"]),
    (["gate", "--by", "5%"], ["--by", "--self-test"]),
    (["import", "--dataset", "--old", "a", "--new", "b"], ["leave --old and --new out"]),
    (["compare", "last", "--old", "a", "--new", "b"],
     ["'last' is neither of --old nor of --new"]),
    (["compare", "last", "--unit", "ms"], ["--unit is for files", "no file 'last' here"]),
    (["compare", "1", "2", "--paired"], ["--paired is for files", "no file '1' here"]),
    (["compare", "--baseline", "x", "--format", "csv"], ["--format", "--baseline takes none"]),
    (["compare", "/dev/null", "/dev/null", "--side", "old"], ["--side", "two stored experiments"]),
    (["compare", "last", "--side", "old"], ["--side", "two stored experiments"]),
    (["compare", "--baseline", "x", "--old", "a", "--new", "b"],
     ["--baseline", "leave --old and --new out"]),
    (["true", "true", "--until", "tomorrow"], ["--until tomorrow", "runs=N", "time=T"]),
    (["true", "true", "--until", "time=soon"], ["--until time=", "soon"]),
    (["true", "true", "--timeout", "5 parsecs"], ["--timeout", "5 parsecs"]),
    (["true", "true", "--schedule", "trio"], ["--schedule trio", "duet, interleaved"]),
    (["true", "true", "--fill=often"], ["--fill=often", "kill"]),
    (["true", "true", "--confidence", "1.5"], ["--confidence", "1.5"]),
    (["true", "true", "--confidence", "0"], ["--confidence"]),
    (["true", "true", "--replicates", "0"], ["--replicates"]),
    (["true", "true", "--estimator", "guess"], ["--estimator guess", "geomean"]),
    (["true", "true", "--interval", "wide"], ["--interval wide", "percentile"]),
    (["true", "true", "--same-within", "tiny"], ["--same-within", "tiny"]),
    (["true", "true", "--max-slowdown", "x"], ["--max-slowdown", "x"]),
    (["true", "true", "--max-slowdown", "2"], ["'2' has no unit", "type 2%"]),
    (["true", "true", "--max-slowdown", "0.02"], ["'0.02' has no unit", "2% or 0.02%"]),
    (["true", "true", "--same-within", "1"], ["'1' has no unit", "type 1%"]),
    (["true", "true", "--until", "precision=1"], ["'1' has no unit", "type 1%"]),
    (["plan", "--effect", "0.01"], ["--effect: '0.01' has no unit", "1% or 0.01%"]),
    (["study", "sequential", "--noise", "5"], ["--noise: '5' has no unit", "type 5%"]),
    (["study", "detectable", "--slowdowns", "1%,2"], ["'2' has no unit", "type 2%"]),
    (["true", "true", "--fail-on", "slow"], ["--fail-on slow", "slower, faster, unsure"]),
    (["true", "true", "--winsorize", "all"], ["--winsorize all", "factor, range, off"]),
    (["true", "true", "--schedule", "timeslice", "--no-usage"], ["--no-usage"]),
    (["true", "true", "--style", "loud"], ["--style loud", "nocolor"]),
    (["true", "true", "-u", "hour"], ["--time-unit hour", "second"]),
    (["true", "true", "--export-json", "-", "--export-csv", "-"],
     ["2 exports go to standard output ('-') and would mix", "give all but one a file"]),
    (["history", "--export-json", "-", "--export-csv", "-"], ["would mix", "give all but one a file"]),
    (["history", "--export-svg", "-", "--export-csv", "/dev/stdout"], ["would mix"]),
    (["study", "coverage", "--export-json", "-", "--export-csv", "-"], ["would mix"]),
    (["study", "coverage", "--export-json", "-", "--export-csv", "-", "--engine", "files"], ["would mix"]),
    (["study", "variability", "x.csv", "--export-json", "-", "--export-csv", "-"], ["would mix"]),
    (["show", "--export-markdown", "-", "--export-json", "-"], ["2 exports"]),
    (["compare", "a.csv", "--export-csv", "-", "--export-json", "-"], ["2 exports"]),
    (["true", "true", "--seed", "dice"], ["--seed", "dice"]),
    (["true", "true", "-n", "a", "-n", "b", "-n", "c"], ["-n", "more than twice"]),
    (["true", "true", "-L", "x"], ["'x' needs more values"]),
    (["true", "true", "-P", "x", "1"], ["needs more values"]),
    (["true", "true", "-P", "x", "9", "1"], ["--parameter-scan", "MIN"]),
    (["true", "true", "-P", "x", "1", "9", "-D", "0"], ["--parameter-scan", "step"]),
    (["true", "true", "-P", "x", "one", "9"], ["--parameter-scan MIN", "one"]),
    (["true", "true", "-P", "x", "0", "1e9"], ["at most"]),
    (["true", "true", "-P", "x", "1", "9999", "-L", "y", "1,2,3,4,5,6,7,8,9,10,11"],
     ["more than 100000 combinations"]),
    (["true", "true", *sum((["-L", f"x{i}", "0,1"] for i in range(64)), [])],
     ["more than 100000 combinations"]),
    (["true", "true", "-L", "x", "1", "-L", "x", "2"], ["'x' is given twice"]),
    (["true", "true", "--cpus-per-side", "0"], ["--cpus-per-side"]),
    *[(["true", "true", option, "0"], [f"{option} 0: it must be above 0; leave it out"])
      for option in ("--timeout", "--run-time")],
    (["true", "true", "--until", "time=0s"], ["--until time=0s: it must be above 0"]),
    (["bisect", "--time-budget", "0", "HEAD~1", "--", "true"], ["--time-budget must be above 0"]),
    (["stress", "--duration", "0"], ["--duration 0: it must be above 0"]),
    *[(["true", "true", *words], ["--runs 4 and --until runs=6 contradict each other"])
      for words in (["-r", "4", "--until", "runs=6"], ["--until", "decided,runs=6", "--runs=4"])],
    (["true", "true", "--baseline-from", "any"], ["--baseline-from goes with --baseline: give it, too"]),
    (["true", "true", "--report-name", "x", "--export-csv", "x.csv"],
     ["--report-name goes with --github, --export-html, ", " or --export-github-benchmark: give"]),
    (["true", "true", "--block-length", "3"], ["--block-length goes with --interval block"]),
    (["true", "true", "--block-scheme", "moving", "--interval", "t"],
     ["--block-scheme goes with --interval block"]),
    (["true", "true", "--confirm"], ["--confirm measures again", "--fail-on or --max-slowdown"]),
    (["gate", "--by", "5%"], ["--by goes with --self-test"]),
    (["watch", "true", "--attempts", "2"], ["--attempts goes with --provision"]),
    (["watch", "true", "--retry-after", "2s"], ["--retry-after goes with --provision"]),
    (["watch", "true", "--loss", "0.2"], ["--loss goes with --derive"]),
    (["watch", "--derive", "x", "--prepare", "y"], ["--prepare: --derive executes no command"]),
    (["stress", "--wave", "constant", "--period", "2s"], ["--wave constant has no period"]),
    (["study", "accuracy", "--triples"], ["--triples goes with --published"]),
    (["study", "stopping", "x", "--interval-hours", "2"],
     ["--interval-hours goes with --price-per-hour"]),
    (["study", "sequential", "--data", "normal", "--new-noise", "2%"],
     ["--new-noise goes with --data noisier"]),
    (["study", "prediction", "x.csv", "--cores", "8"], ["--benchmarks and --cores make machines up"]),
    (["study", "prediction", "--test-intervals", "9"], ["for the series of TABLE.csv"]),
    (["fleet", "submit", "s.yaml", "--engine", "local", "--limit", "2"], ["are for Slurm"]),
    (["fleet", "submit", "s.yaml", "--engine", "files", "--time", "5"], ["are for Slurm"]),
    (["sh -c 'unfinished", "true"], ["quote"]),
    (["", "true"], ["empty"]),
    (["cmpare", "1", "2"], ["Did you mean 'duet compare'?"]),
    (["lsit"], ["got only 'lsit'", "Did you mean 'duet list'?"]),
    (["shwo", "last"], ["command not found: 'shwo'", "Did you mean 'duet show'?"]),
    (["--versoin"], ["Did you mean 'duet --version'?"]),
    (["list", "--stroe", "x"], ["unknown option '--stroe'; did you mean '--store'?"]),
    (["list", "--stoore", "x"], ["unknown option '--stoore'; did you mean '--store'?"]),
    (["list", "--stare", "x"], ["unknown option '--stare'; did you mean '--state'?"]),
    (["comparre", "1", "2"], ["Did you mean 'duet compare'?"]),
    (["shiw", "last"], ["Did you mean 'duet show'?"]),
    (["rum"], ["Did you mean 'duet run'?"]),
    (["--versionn"], ["Did you mean 'duet --version'?"]),
    (["--versiin"], ["Did you mean 'duet --version'?"]),
    (["verdicts"], ["Did you mean 'duet help verdicts'?"]),
    (["help", "cmpare"], ["unknown command or topic 'cmpare'; did you mean 'compare'?"]),
    (["help", "verdict"], ["unknown command or topic 'verdict'; did you mean 'verdicts'?"]),
    (["help", "schhedules"], ["did you mean 'schedules'?"]),
    (["help", "harmess"], ["did you mean 'harness'?"]),
    (["help", "verdicts", "ci"], ["unexpected argument 'ci'"]),
    (["help", "topics", "ci"], ["unexpected argument 'ci'"]),
    (["list", "more"], ["unexpected argument 'more'"]),
    (["list", "--limit", "x"], ["--limit", "x"]),
    (["show", "1", "--multiplicity", "all"], ["--multiplicity all", "holm"]),
    (["workload"], ["--list"]),
    (["workload", "sleeping"], ["sleeping", "integer"]),
    (["workload", "integer", "--scale", "-1"], ["scale"]),
    (["stress", "--load", "x"], ["x"]),
    (["stress", "now"], ["unexpected argument 'now'"]),
    (["help", "me"], ["unknown command or topic 'me'"]),
    (["help", "study", "me"], ["unknown command 'study me'"]),
    (["study"], ["expected the name of a study", "accuracy, coverage, detectable, false-positives"]),
    (["study", "me"], ["unknown study 'me'", "accuracy, coverage, detectable, false-positives"]),
    (["study", "--runs", "2"], ["unknown option '--runs'", "duet study --help"]),
    (["fleet"], ["expected the name of a fleet command", "submit, status, collect, resume, cancel, task"]),
    (["fleet", "me"], ["unknown fleet command 'me'"]),
    (["study", "coverage", "me"], ["unexpected argument 'me'"]),
])
def test_wrong_usage(run_duet, tmp_path, arguments, words):
    """Says what is wrong; nothing is measured or stored."""
    result = run_duet(*arguments)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith("duet"), result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert not list(tmp_path.iterdir())


def test_options_may_follow_commands_and_end(run_duet):
    assert run_duet("-r", 2, "true", "-q", "true").returncode == 0
    assert run_duet("-r", 2, "--", "true", "true").returncode == 0
    assert run_duet("run", "true", "true", "-r", 2).returncode == 0
    abbreviated = run_duet("true", "true", "-r", 2, "--iter", 3, "-q")
    assert "6 iterations a side" in abbreviated.stdout, abbreviated.stderr


@pytest.mark.parametrize("closed", [(0, 1, 2), (0, 1), (1, 2), (1,)])
def test_standard_output_is_closed(run_duet, closed):
    """What is opened meanwhile does not take its place, and get what is printed."""
    result = run_duet("true", "true", "-r", 2, preexec_fn=lambda: [os.close(fd) for fd in closed])
    assert result.returncode == 5, result
    assert 2 in closed or "cannot write to standard output" in result.stderr
    assert run_duet("store", "check").returncode == 0


@pytest.mark.parametrize("words, status", [
    (["--help"], 5), (["list"], 5), (["true", "true", "-r", "2"], 5),
    (["workload", "integer", "--operations", "9"], 5),
    (["true", "true", "-r", "2", "--exit-codes", "git-bisect"], 128)])
def test_full_output_device(duet, run_duet, tmp_path, words, status):
    assert run_duet("true", "true", "-r", 2).returncode == 0
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([*duet, *words], stdout=full, stderr=subprocess.PIPE,
                                text=True, check=False, timeout=30, cwd=tmp_path)
    assert result.returncode == status
    assert len(re.findall("cannot write (the result )?to standard output", result.stderr)) == 1


def test_the_programs_manual_page_says_what_scripts_need(run_duet):
    page = run_duet("help", "--man").stdout
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "TOPICS", "EXIT STATUS",
                    "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]:
        assert f".SH {section}\n" in page
    for status in [0, 1, 2, 3, 4, 5, 130]:
        assert f".TP\n.B {status}\n" in page


def test_version_as_json(run_duet):
    done = run_duet("version", "--json")
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    assert run_duet("version").stdout == f"duet {document['duet_version']}\n"
    assert run_duet("--version").stdout == run_duet("version").stdout
