"""bindings/java beside JMH, from Maven Central, and beside stand-ins of DaCapo and Renaissance, which
are in no registry."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
JAVA = ROOT / "bindings/java"
QUIET = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]  # few threads beside the benchmark's

# What JMH does around an iteration takes longer than the iteration.
SLOW_SETUP = """
package example;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
public class SlowSetup {
    @Setup(Level.Iteration) public void prepare() throws InterruptedException { Thread.sleep(40); }
    @Benchmark public int slow() { return hashCode(); }
    @Benchmark public int broken() { throw new IllegalStateException("broken"); }
}
"""

WORK = """
    static volatile int sink;
    static void work(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) { sum += i ^ (sum << 1); }
        sink = sum;
    }
"""
# DaCapo's loop: nobody asks before the first iteration, and runAgain() ends after the timed one.
DACAPO = """
import org.dacapo.harness.*;

public class Harness {
WORK
    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 10_000; i++) { work(1000); } // until it is compiled
        Callback callback = (Callback) Class.forName("duet.dacapo.DuetCallback")
                .getConstructor(CommandLineArgs.class).newInstance(new CommandLineArgs());
        int count = 0;
        do {
            callback.start("sum");
            long began = System.nanoTime();
            work(1000 * Integer.parseInt(words[0]));
            callback.stop(System.nanoTime() - began);
            count++;
        } while (callback.runAgain());
        System.err.println("iterations: " + count);
    }
}
"""
DACAPO_CALLBACK = """
package org.dacapo.harness;

public class Callback {
    private int iterations = 1;
    public Callback(CommandLineArgs arguments) {}
    public void start(String benchmark) { System.err.println("===== " + benchmark); }
    public void stop(long duration) {}
    public boolean isWarmup() { return iterations < 4; }
    public boolean runAgain() {
        if (!isWarmup()) { return false; }
        iterations++;
        return true;
    }
}
"""

RENAISSANCE = """
import org.renaissance.Plugin;

public class Renaissance {
WORK
    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 10_000; i++) { work(1000); } // until it is compiled
        Object plugin = Class.forName("duet.renaissance.DuetPlugin").getConstructor().newInstance();
        Plugin.ExecutionPolicy policy = (Plugin.ExecutionPolicy) plugin;
        int done = 0;
        for (; policy.canExecute("sum", done); done++) {
            ((Plugin.AfterOperationSetUpListener) plugin).afterOperationSetUp("sum", done,
                    policy.isLast("sum", done));
            long began = System.nanoTime();
            work(1000 * Integer.parseInt(words[0]));
            ((Plugin.BeforeOperationTearDownListener) plugin).beforeOperationTearDown("sum", done,
                    System.nanoTime() - began);
        }
        System.err.println("operations: " + done);
    }
}
"""


def run(*words, status=0, limit_s=100, **environment):
    done = subprocess.run([*map(str, words)], check=False, text=True, timeout=limit_s,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == status, f"{words}:\n{done.stdout}{done.stderr}"
    return done


def compare(run_duet, tmp_path, old, new, *arguments):
    out = tmp_path / "out.json"
    done = run_duet("run", old, new, "--export-json", out, *arguments, timeout=100)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness"


def assert_four_times(stored):
    """By the least time of an operation, which load does not change."""
    (_, old), (_, new) = stored.rows(
        "SELECT side, min(1.0 * (end_ns - start_ns) / operations) FROM iteration GROUP BY side ORDER BY side")
    assert 2 < new / old < 8, (old, new)


@pytest.fixture(scope="module", name="jar")
def fixture_jar():
    path = BUILD / "bindings/java/duet.jar"
    if not path.exists() or shutil.which("javac") is None:
        pytest.skip("no JDK: bindings/java was not built")
    return path


def maven(pom, *words):
    done = subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *map(str, words)], check=False, text=True,
                          timeout=600, capture_output=True)
    if done.returncode != 0 and "Could not transfer artifact" in done.stdout:
        pytest.skip("mvn cannot download JMH: this binding is not tested")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", name="jmh")
def fixture_jmh(jar, tmp_path_factory):
    """The words that start JMH with the example and SLOW_SETUP: jmh(side, words)."""
    if shutil.which("mvn") is None:
        pytest.skip("no mvn: JMH is not tested")
    folder = tmp_path_factory.mktemp("jmh")
    maven(JAVA / "pom.xml", f"-Dduet.build={folder / 'duet'}", f"-Dduet.native={jar.parent}", "package")
    packed = folder / "duet/duet-0.1.0.jar"
    project = folder / "example"
    shutil.copytree(JAVA / "example", project)
    pom = project / "pom.xml"
    # Not installed, as the user's repository is none of a test's business.
    pom.write_text(pom.read_text().replace(
        "<version>0.1.0</version>",
        f"<version>0.1.0</version><scope>system</scope><systemPath>{packed}</systemPath>"))
    (project / "src/main/java/example/SlowSetup.java").write_text(SLOW_SETUP)
    maven(pom, "package")
    classes = f"{project / 'target/classes'}:{packed}:{project / 'target/lib'}/*"
    for side in ("old", "new"):
        (folder / side).mkdir()

    def command(side, words, **environment):
        variables = "".join(f"{key}={value} " for key, value in environment.items())
        return (f"env {variables}java {' '.join(QUIET)} -Djava.io.tmpdir={folder / side} -cp {classes} "
                f"org.openjdk.jmh.Main -foe true {words}" + (" -f 1" if "--forks" not in words else "")
                ).replace("--forks-", "-f ")

    return command


SHORT = "-wi 3 -w 20ms -r 20ms -i 100000 -prof duet.jmh.DuetProfiler"


@pytest.mark.soak  # JMH comes from Maven Central
@pytest.mark.timeout(900)
def test_jmh_is_left_alone(jmh):
    words = jmh("old", SHORT.replace("100000", "2") + " -e Slow").split()
    shown = run(*words).stdout
    assert re.search(r"SumBenchmark.sum +avgt +2 ", shown), shown
    assert re.search(r"SumBenchmark.pairs +avgt +2 ", shown), shown


@pytest.mark.soak
@pytest.mark.timeout(150)
@pytest.mark.parametrize("words", ["", "-bm thrpt -t 2", "-bm sample", "-bm ss -bs 1000"])
def test_jmh_takes_part(jmh, run_duet, tmp_path, stored, words):
    """The JVM that JMH forks does, without its warm-up: four times the work is found in any mode."""
    compare(run_duet, tmp_path, jmh("old", f"{SHORT} {words} sum"),
            jmh("new", f"{SHORT} {words} sum", SUM_COUNT=4000), "-r", 2, "-I", 10, "--schedule", "duet")
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 10
    assert_four_times(stored)
    if "ss" not in words:
        assert stored.one("SELECT min(operations) FROM iteration") > 10


@pytest.mark.soak
@pytest.mark.timeout(150)
def test_the_time_is_jmhs_own(jmh, run_duet, tmp_path, stored):
    """What JMH does between its hook and the work is not in it."""
    words = SHORT.replace("-r 20ms", "-r 10ms")
    compare(run_duet, tmp_path, jmh("old", f"{words} slow"), jmh("new", f"{words} slow"), "-r", 2, "-I",
            9, "--schedule", "duet")
    times = stored.rows("SELECT end_ns - start_ns FROM iteration ORDER BY 1")
    assert times[len(times) // 2][0] < 30_000_000


@pytest.mark.soak
@pytest.mark.timeout(150)
@pytest.mark.parametrize("words, told", [
    (f"{SHORT} --forks-2 sum", "give JMH -f 1: a process takes part once, not in 2 forks"),
    (f"{SHORT} slow sum", "measures one benchmark of a process"),
    (f"{SHORT} broken", "exit status 1"),
    (f"{SHORT} pairs", "take one of DuetProfiler and DuetInvocation"),
    ("-wi 1 -w 20ms -r 20ms -i 9 -t 2 pairs", "DuetInvocation is for one thread, not 2")])
def test_what_jmh_cannot_do_is_told(jmh, run_duet, words, told):
    done = run_duet("run", jmh("old", words), jmh("new", words), "-r", 2, "-I", 5, "--stderr", "inherit",
                    timeout=100)
    assert done.returncode == 4
    assert told in done.stderr, done.stderr


@pytest.mark.soak
@pytest.mark.timeout(150)
def test_two_of_one_folder_cannot_run(jmh, run_duet):
    """JMH's lock lies in java.io.tmpdir."""
    same = jmh("old", f"{SHORT} sum")
    done = run_duet("run", same, same, "-r", 2, "-I", 5, "--schedule", "duet", timeout=100)
    assert done.returncode == 4
    assert "Unable to acquire the JMH lock" in done.stderr, done.stderr


@pytest.mark.soak
@pytest.mark.timeout(150)
@pytest.mark.parametrize("words", ["-bm ss -wi 5 -i 100000", "-wi 2 -w 50ms -i 9 -r 10"])
def test_pairs_of_calls(jmh, run_duet, tmp_path, stored, words):
    """Many pairs in one iteration of JMH, or a pair in each."""
    compare(run_duet, tmp_path, jmh("old", f"{words} pairs"),
            jmh("new", f"{words} pairs", SUM_COUNT=4000), "-r", 2, "-I", 30)
    assert_four_times(stored)
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 30


@pytest.mark.soak
def test_the_packed_library_is_found(jmh, tmp_path):
    """Maven's jar has it inside, and leaves no file behind."""
    words = jmh("old", "").split()
    classes = words[words.index("-cp") + 1]
    (tmp_path / "Version.java").write_text(
        "class Version { public static void main(String[] words) {"
        " System.out.println(duet.Duet.version()); } }")
    done = run("java", f"-Djava.io.tmpdir={tmp_path}", "-cp", classes, tmp_path / "Version.java")
    assert done.stdout.strip().isdigit()
    assert [path.name for path in tmp_path.iterdir()] == ["Version.java"]


def compiled(jar, folder, name, source, stubs):
    """A program beside stand-ins of the harness's classes, as a command line."""
    sources = [folder / f"{name}.java"]
    sources[0].write_text(source.replace("WORK", WORK))
    for stub in (JAVA / "stubs").rglob("*.java"):
        target = folder / stub.relative_to(JAVA / "stubs")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(stubs.get(stub.name, stub.read_text()))
        sources.append(target)
    run("javac", "-d", folder, "-cp", jar, *sources)
    return ["java", *QUIET, "-Dduet.warmup=4", "-cp", f"{folder}:{jar}", name]


@pytest.mark.rotating(2)
@pytest.mark.timeout(150)
def test_dacapo_takes_part(jar, run_duet, tmp_path, stored):
    words = compiled(jar, tmp_path, "Harness", DACAPO, {"Callback.java": DACAPO_CALLBACK})
    assert "iterations: 4\n" in run(*words, 10).stderr
    old, new = (" ".join([*words, count]) for count in ("100", "400"))
    compare(run_duet, tmp_path, old, new, "-r", 2, "-I", 12)
    assert_four_times(stored)
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 12


@pytest.mark.rotating(2)
@pytest.mark.timeout(150)
def test_renaissance_takes_part(jar, run_duet, tmp_path, stored):
    words = compiled(jar, tmp_path, "Renaissance", RENAISSANCE, {})
    assert "operations: 5\n" in run(*words, 10).stderr
    old, new = (" ".join([*words, count]) for count in ("100", "400"))
    compare(run_duet, tmp_path, old, new, "-r", 2, "-I", 12)
    assert_four_times(stored)
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 12
    with zipfile.ZipFile(jar) as packed:
        manifest = packed.read("META-INF/MANIFEST.MF").decode()
    assert "Renaissance-Plugin: duet.renaissance.DuetPlugin" in manifest
