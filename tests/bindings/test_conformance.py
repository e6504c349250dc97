"""Every binding means the same: the program `conformance` of each (bindings/LANG/conformance)
is measured by duet, alone, and in everything that goes wrong. Its arguments: WHAT WORK
[ITERATION]; work is thousands of additions."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import zipfile

import pytest
from support import java22, node_build
from support.processes import attached, fillers_of, is_gone, kill_with_guard

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
BINDINGS = ROOT / "bindings"
# Thousands of additions that take some milliseconds, and how the language calls its errors.
LANGUAGES = {"c": (2000, "duet: "), "cpp": (2000, "duet: "), "go": (2000, "*fmt.wrapError: duet: "),
             "rust": (2000, "duet::Error: "), "python": (100, "duet.DuetError: "),
             "node": (2000, "DuetError: "), "java": (2000, "duet.DuetException: "),
             "java-foreign": (2000, "duet.DuetException: "), "dotnet": (2000, "DuetBench.DuetException: ")}


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"no {program}: this binding is not tested")


def make(folder, *command, **environment):
    done = subprocess.run([*map(str, command)], cwd=folder, check=False, text=True, timeout=600,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"


def build_c(_):
    return [str(BUILD / "tests/conformance")]


def build_cpp(target):
    """The same source."""
    make(target, "c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}",
         "-x", "c++", ROOT / "tests/bindings/conformance.c", "-x", "none",
         BUILD / "src/harness/libduet.a", "-lpthread", "-o", target / "conformance")
    return [str(target / "conformance")]


def build_go(target):
    need("go")
    make(BINDINGS / "go", "go", "build", "-o", target / "conformance", "./conformance")
    return [str(target / "conformance")]


def build_rust(target):
    need("cargo")
    make(BINDINGS / "rust", "cargo", "build", "--release", "-p", "duet", "--example",
         "conformance", CARGO_TARGET_DIR=str(target))
    return [str(target / "release/examples/conformance")]


def build_python(_):
    library = BUILD / "src/harness/libduet.so"
    return ["env", f"PYTHONPATH={BINDINGS / 'python'}", f"DUET_LIBRARY={library}", "/usr/bin/python3",
            str(BINDINGS / "python/conformance/conformance.py")]


def build_node(target):
    variables = node_build.build_node(target)
    return ["env", *(f"{key}={value}" for key, value in variables.items()), "node",
            str(BINDINGS / "node/conformance/conformance.js")]


def build_java(target):
    jar = BUILD / "bindings/java/duet.jar"
    if not jar.exists() or shutil.which("javac") is None:
        pytest.skip("no JDK: bindings/java was not built")
    make(target, "javac", "-d", target, "-cp", jar, "-Xlint:all", "-Werror",
         BINDINGS / "java/conformance/Conformance.java")
    return ["java", "-Dduet.client=native", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
            f"{target}:{jar}", "Conformance"]


def build_java_foreign(target):
    """The same program, by the client that needs no native code."""
    words = build_java(target)
    java = java22.find()
    with zipfile.ZipFile(BUILD / "bindings/java/duet.jar") as packed:
        if java is None or "duet/ForeignHarness.class" not in packed.namelist():
            pytest.skip("no JDK 22 or later: the client without native code is not tested")
    return [java, "-Dduet.client=foreign", "--enable-native-access=ALL-UNNAMED", *words[2:]]


def build_dotnet(target):
    need("mcs")
    need("mono")
    program = target / "conformance.exe"
    make(target, "mcs", "-warnaserror", "-warn:4", "-optimize+", f"-out:{program}",
         BINDINGS / "dotnet/Duet.cs", BINDINGS / "dotnet/conformance/Conformance.cs")
    return ["env", f"DUET_LIBRARY={BUILD / 'src/harness/libduet.so'}", "mono", str(program)]


BUILDERS = {"c": build_c, "cpp": build_cpp, "go": build_go, "rust": build_rust, "python": build_python,
            "node": build_node, "java": build_java, "java-foreign": build_java_foreign,
            "dotnet": build_dotnet}


@pytest.fixture(scope="session", name="built")
def fixture_built(tmp_path_factory):
    """The words that start a language's program; each is built once."""
    ready = {}

    def build(language):
        if language not in ready:
            ready[language] = BUILDERS[language](tmp_path_factory.mktemp(language))
        return ready[language]

    return build


@pytest.fixture(params=list(BUILDERS), name="language")
def fixture_language(request):
    return request.param


@pytest.fixture(name="program")
def fixture_program(built, language):
    """A command line: program("plain", 1.02) does that many times the language's work."""

    def command(what, times=1.0, *more):
        thousands = round(LANGUAGES[language][0] * times)
        return " ".join([*built(language), what, str(thousands), *map(str, more)])

    return command


def run(command, stdout=subprocess.PIPE, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("DUET_")}
    return subprocess.run(command.split(), check=False, text=True, timeout=60, stdout=stdout,
                          stderr=subprocess.PIPE, env={**clean, **environment})


def compare(run_duet, tmp_path, old, new, *arguments):
    out = tmp_path / "out.json"
    done = run_duet("run", old, new, "--export-json", out, *arguments, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())["comparisons"]


def test_without_a_runner_it_works_alone(program):
    done = run(program("report", 0.01), DUET_ITERATIONS="3", DUET_TIMES="1")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"(\d+\n){3}conformance: .* median .*\(3 iterations\)\n", done.stdout)
    assert re.search(r"^alone [45]$", done.stderr, re.M)
    done = run(program("count", 0.01, 4), DUET_ITERATIONS="2")
    assert "(2 iterations)" in done.stdout
    done = run(program("region", 0.01), DUET_ITERATIONS="2")
    assert [line.partition(": ")[2].partition(":")[0] for line in done.stdout.splitlines()][
        1:] == ["parse", "run"]
    done = run(program("plain", 0.01), DUET_ITERATIONS="none")
    assert done.returncode == 1 and "DUET_ITERATIONS" in done.stderr


def test_its_times_are_not_printed(program, language):
    """--same-output compares what it prints besides, and nobody misses a time that is lost."""
    done = run(program("report", 0.01), DUET_ITERATIONS="2", DUET_REPORT="none")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and re.search(r"^alone [34]$", done.stderr, re.M)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(program("plain", 0.01), full, DUET_ITERATIONS="2")
    assert done.returncode == 1 and LANGUAGES[language][1] in done.stderr, done.stderr


@pytest.mark.rotating
@pytest.mark.parametrize("time", ["0.02", "0.0003min", "0.0000002d"])
def test_how_long_it_works_alone(program, time):
    done = run(program("plain", 0.001), DUET_TIME=time)
    assert done.returncode == 0, done.stderr
    assert "conformance: " in done.stdout


@pytest.mark.rotating
def test_time_ends_no_run_within_its_warmup(program, run_duet, tmp_path):
    command = program("plain", 0.1)
    result, = compare(run_duet, tmp_path, command, command, "-r", 2, "--warmup", 7, "--run-time",
                      "1ns")
    assert result["iterations"] == 2


# One of the two ways of Java is enough for what takes long.
LANGUAGES_OF_LONG_TESTS = [pytest.param(language, marks=pytest.mark.soak)
                           if language == "java-foreign" else language for language in BUILDERS]


@pytest.mark.timeout(150)
@pytest.mark.rotating(3)
@pytest.mark.parametrize("language", LANGUAGES_OF_LONG_TESTS)
def test_the_same_straddles_1(run_duet, program, tmp_path):
    """By CPU time and in turns, so that other programs change little."""
    same = program("plain")
    (row,) = compare(run_duet, tmp_path, same, same, "-r", 16, "-I", 12, "-w", 3, "--schedule",
                     "timeslice", "--confidence", "0.999")
    assert row["mode"] == "harness"
    assert row["interval"]["low"] <= 1 <= row["interval"]["high"], row["interval"]


@pytest.mark.timeout(150)
@pytest.mark.rotating(4)
@pytest.mark.parametrize("language", LANGUAGES_OF_LONG_TESTS)
def test_two_percent_are_two_percent(run_duet, program, tmp_path):
    (row,) = compare(run_duet, tmp_path, program("plain"), program("plain", 1.02), "-r", 20,
                     "-I", 12, "-w", 3, "--schedule", "timeslice", "--estimator", "median")
    assert 1.005 < row["ratio"] < 1.035, row["ratio"]


@pytest.mark.rotating(3)
def test_at_the_same_time(run_duet, program, tmp_path, stored):
    """Both are released together, on two CPUs, with and without fillers."""
    for index, fill in enumerate(("--fill", "--no-fill")):
        (row,) = compare(run_duet, tmp_path, program("plain", 0.02), program("plain", 0.04),
                         "-r", 4, "-I", 300, "--schedule", "duet", fill)
        assert 1.3 < row["ratio"] < 3, row["ratio"]
        assert stored.one("SELECT count(*) FROM iteration AS i JOIN run AS r ON r.id = i.run_id "
                          "WHERE r.experiment_id = ?", index + 1) == 2 * 4 * 300
    skew = stored.rows("SELECT abs(n.start_ns - o.start_ns) FROM iteration AS o JOIN iteration "
                       "AS n ON n.run_id = o.run_id AND n.idx = o.idx AND n.side = 1 WHERE "
                       "o.side = 0 ORDER BY 1")
    assert skew[len(skew) // 2][0] < 1_000_000
    stored.check()


@pytest.mark.rotating(2)
def test_a_ring_that_is_full(run_duet, program, tmp_path, stored):
    compare(run_duet, tmp_path, program("plain", 0.0005), program("plain", 0.0005), "-r", 2,
            "-I", 9000, "--schedule", "duet")
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 9000


@pytest.mark.rotating(2)
def test_a_stranger_is_not_rung(run_duet, program, tmp_path, stored):
    """Nor waited for: the bell that was inherited is the runner's."""
    fifo = tmp_path / "stranger"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    behind = f"/usr/bin/python3 {ROOT / 'tests/bindings/behind_a_stranger.py'} {fifo}"
    command = f"{behind} {program('plain', 0.0005)}"
    compare(run_duet, tmp_path, command, command, "-r", 2, "-I", 9000, "--schedule",
            "timeslice", "--timeout", "30s")
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 9000
    assert os.read(reader, 1) == b"", "the stranger's pipe was written to"
    os.close(reader)


@pytest.mark.rotating(2)
def test_operations_and_regions(run_duet, program, tmp_path):
    (row,) = compare(run_duet, tmp_path, program("count", 0.05, 2), program("count", 0.05, 5),
                     "-r", 4, "-I", 20, "--schedule", "timeslice", "--estimator", "median")
    assert row["sides"]["old"]["operations"] == 2 and row["sides"]["new"]["operations"] == 5
    assert 0.7 < row["ratio"] < 1.4, row["ratio"]
    rows = compare(run_duet, tmp_path, program("region", 0.05), program("region", 0.05),
                   "-r", 4, "-I", 20, "--schedule", "timeslice")
    assert [row["region"] for row in rows] == [None, "parse", "run"]


def test_a_killed_peer_is_the_languages_own_error(run_duet, program, language):
    done = run_duet("run", program("plain", 0.1), program("kill", 0.1, 3), "-r", 2, "-I", 10,
                    "--stderr", "inherit", "--schedule", "duet")
    assert done.returncode == 4 and "Killed" in done.stderr
    kind = LANGUAGES[language][1]
    words = re.escape(kind) + r"stopped after \d+ iterations?: the other side died"
    assert re.search(words, done.stderr), done.stderr


def test_other_versions_are_refused_with_both_numbers(program, language):
    rest = ":page=0062:bell=0063:pid=0999999999:slot=1:nonce=0123456789abcdef"
    for version in ("v1", "v3"):
        done = run(program("plain", 0.01), DUET_ATTACH=version + rest)
        assert done.returncode == 1
        assert LANGUAGES[language][1] in done.stderr
        assert f"protocol version {version[1:]}" in done.stderr and " knows 2;" in done.stderr
    done = run(program("plain", 0.01), DUET_ATTACH="v2:nonsense")
    assert done.returncode == 1 and "DUET_ATTACH is malformed" in done.stderr
    done = run(program("plain", 0.01), DUET_ATTACH="v2" + rest)
    assert done.returncode == 1 and "/proc/999999999/fd/62" in done.stderr


def test_misuse_is_told(program):
    done = run(program("misuse", 0.01), DUET_ITERATIONS="1")
    assert done.returncode == 1
    assert re.search(r"(?i)end\(?\)? was called without (duet_|d\.)?begin", done.stderr)


SKIPPED = r"(?i)next\(?\)? was called for 10 s without (duet_|d\.)?begin"


@pytest.mark.rotating
@pytest.mark.parametrize("language", ["c", "go", "rust", "java-foreign"])  # of their own
def test_a_loop_that_begins_nothing_ends(program):
    """It never ended where there was no --timeout; an iteration may be left out."""
    done = run(program("skip", 0.01), DUET_ITERATIONS="1")
    assert done.returncode == 1 and re.search(SKIPPED, done.stderr), done.stderr


@pytest.mark.soak
def test_a_side_that_begins_nothing_ends(run_duet, program):
    done = run_duet("run", program("skip", 0.01), program("plain", 0.01), "-r", 2, timeout=60)
    assert done.returncode == 4 and re.search(SKIPPED, done.stderr), done.stderr


@pytest.mark.rotating
def test_a_worker_takes_the_slot(run_duet, program, tmp_path):
    (row,) = compare(run_duet, tmp_path, program("hand-on", 0.1), program("plain", 0.1), "-r",
                     2, "-I", 5)
    assert row["mode"] == "harness"


@pytest.mark.rotating
def test_a_second_process_is_told_of_the_first(run_duet, program, tmp_path):
    done = run_duet("run", program("second", 0.1), program("plain", 0.1), "-r", 2, "-I", 5,
                    "--stderr", "inherit")
    assert done.returncode == 0, done.stderr
    assert re.search(r"process \d+ \(\S+\) already takes part in the measurement", done.stderr)


# The others have no fork().
@pytest.mark.parametrize("language", ["c", "cpp", "rust", "python"])
def test_a_child_of_fork_takes_no_part(run_duet, program, tmp_path):
    done = run(program("fork", 0.01), DUET_ITERATIONS="5")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"conformance: .*\(5 iterations\)\n", done.stdout)
    (row,) = compare(run_duet, tmp_path, program("fork", 0.1), program("plain", 0.1), "-r", 2, "-I", 5)
    assert row["mode"] == "harness"


# Those with a client of their own; the others have libduet's.
@pytest.mark.timeout(120)
@pytest.mark.rotating
@pytest.mark.parametrize("language", ["c", "go", "rust", "java-foreign"])
def test_who_waits_for_a_duet_that_is_gone_ends(start_duet, wait_until, program):
    """Nobody is left to end it, nor to collect who has ended: it looks by itself, every ten
    seconds."""
    process = start_duet(f"sh -c '{program('plain', 0.1)}; true'", "sleep 1000", "-r", 2,
                         "--schedule", "duet")
    wait_until(lambda: attached(process.pid), 60)
    (waiting,) = attached(process.pid)
    kill_with_guard(process.pid)
    wait_until(lambda: is_gone(waiting), 40)


@pytest.mark.timeout(120)
@pytest.mark.rotating(3)
@pytest.mark.parametrize("language", ["c", "go", "rust", "java-foreign"])
def test_who_fills_beside_nobody_ends(start_duet, wait_until, program):
    """It never sleeps: the other side was in its first iteration when all were killed."""
    process = start_duet(f"sh -c '{program('plain', 1)}; true'",
                         f"{BUILD / 'tests/conformance'} plain 1000000000", "-r", 2,
                         "--schedule", "duet")
    wait_until(lambda: sum(fillers_of(process.pid).values()) > 0, 60)
    fillers = fillers_of(process.pid)
    kill_with_guard(process.pid)
    for pid, count in fillers.items():
        if count == 0:
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: all(is_gone(pid) for pid in fillers), 40)


@pytest.mark.quiet
@pytest.mark.skipif(not pathlib.Path("/proc/self/schedstat").exists(),
                    reason="this kernel has no /proc/PID/schedstat")
@pytest.mark.parametrize("language", ["c", "go", "rust", "java-foreign"])
def test_what_others_had_around_an_iteration_is_not_told(run_duet, program, stored):
    """More than an iteration took cannot have been taken from it. Asking for the usage makes the
    kernel look whose turn it is, and who waits for the other side may lose its CPU, too."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    with subprocess.Popen(["taskset", "-c", str(second), "sh", "-c", "while :; do date; done"],
                          stdout=subprocess.DEVNULL) as busy:
        try:
            done = run_duet(program("plain", 0.05), program("plain", 0.05), "-r", 2, "-I", 800,
                            "--schedule", "duet", "--cpus", f"{first},{second}", timeout=100)
        finally:
            busy.kill()
    assert done.returncode == 0, done.stderr
    ((told, much),) = stored.rows("SELECT count(*), sum(taken_ns > end_ns - start_ns + 200000) "
                                  "FROM iteration WHERE flags & 64")
    assert told > 2000 and much < told / 100, (told, much)


def python(built, code, **environment):
    """What the statements print, with `duet` of the binding and a harness `d`."""
    words = built("python")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("DUET_")}
    done = subprocess.run([*words[:-1], "-c", "import duet, gc\n" + code], check=False, timeout=60,
                          capture_output=True, env={**clean, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_python_knows_what_is_closed(built):
    code = """
d = duet.Duet("x")
d.close()
for call in (d.next, d.begin, d.end):
    try:
        call()
    except duet.DuetError as error:
        print(error)
"""
    assert python(built, code, DUET_REPORT="none") == 3 * "this harness is closed\n"


def test_python_shows_a_reason_that_is_no_text(built):
    code = """
try:
    duet.Duet("x").close()
except duet.DuetError as error:
    print(ascii(str(error)))
"""
    assert "is malformed: '\\ufffd'" in python(built, code, DUET_ATTACH=b"\xff")


def test_python_collects_garbage_after_an_exception(built):
    code = """
try:
    with duet.Duet("x", collect=True) as d:
        d.next()
        d.begin()
        raise ValueError
except ValueError:
    print(gc.isenabled())
"""
    assert python(built, code, DUET_REPORT="none") == "True\n"


@pytest.mark.parametrize("work, told", [
    ("measure('f', async () => {})", "f is asynchronous"),
    ("measure('f', () => {}, { batch: 2.5 })", "a number that is not 1 to 2^53")])
def test_node_refuses_what_it_would_count_wrongly(built, tmp_path, work, told):
    """2.5 calls were 3 that counted as 2."""
    script = tmp_path / "wrong.js"
    script.write_text(f"const {{ measure }} = require(process.argv[2]);\n{work};\n")
    done = run(" ".join([*built("node")[:-1], str(script), str(BINDINGS / "node/index.js")]), DUET_ITERATIONS="2")
    assert done.returncode == 1 and told in done.stderr, done.stderr


@pytest.mark.parametrize("batch, most", [("", 5), (", batch: 1", 3)])
def test_node_measures_without_a_warm_up(built, tmp_path, batch, most):
    """A batch is as many calls as take about 200 µs, whether or not some were made before. Where its
    size is given none is made before the iterations, of which alone the first is left out."""
    script = tmp_path / "cold.js"
    script.write_text("""
const { measure } = require(process.argv[2]);
let calls = 0;
function work() { calls++; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); }
measure('cold', work, { warmupMs: 0BATCH });
process.stdout.write(`${calls} calls\\n`);
""".replace("BATCH", batch))
    words = built("node")
    done = run(" ".join([*words[:-1], str(script), str(BINDINGS / "node/index.js")]), DUET_ITERATIONS="2",
               DUET_REPORT="none")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-2]) <= most, done.stdout
