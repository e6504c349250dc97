"""bindings/java: a benchmark in Java measures itself, is measured by duet in one JVM, and
says what is wrong."""

import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest
from support import java22

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()

# Arguments: iterations after which it does something wrong; what.
PROGRAM = """
import duet.Duet;

public class Bench {
    public static void main(String[] words) {
        int wrongAt = words.length > 0 ? Integer.parseInt(words[0]) : -1;
        String wrong = words.length > 1 ? words[1] : "";
        Duet closed;
        try (Duet d = Duet.open()) {
            closed = d;
            long done = 0;
            while (d.next()) {
                if (done == wrongAt && wrong.equals("no begin")) {
                    d.end();
                }
                if (done == wrongAt && wrong.equals("throw")) {
                    throw new IllegalStateException("broken");
                }
                d.begin();
                double sum = 0;
                for (int i = 1; i < 20000; i++) {
                    sum += 1.0 / i;
                }
                Duet.keep(sum);
                Duet.keep(d);
                Duet.keep(done++);
                d.end();
            }
            System.err.println((d.attached() ? "attached " : "alone ") + d.index() + " "
                    + Duet.version());
        }
        closed.close();
        if (wrong.equals("closed")) {
            closed.next();
        }
    }
}
"""


def run(*command, status=0, **environment):
    done = subprocess.run([*map(str, command)], check=False, text=True, timeout=50,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == status, f"{command}:\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module", name="jar")
def fixture_jar():
    path = BUILD / "bindings/java/duet.jar"
    if not path.exists() or shutil.which("javac") is None:
        pytest.skip("no JDK: bindings/java was not built")
    return path


@pytest.fixture(scope="module", name="java")
def fixture_java(jar, tmp_path_factory):
    """The words that start the benchmark."""
    folder = tmp_path_factory.mktemp("java")
    (folder / "Bench.java").write_text(PROGRAM)
    run("javac", "-d", folder, "-cp", jar, "-Xlint:all", "-Werror", folder / "Bench.java")
    return ["java", "-XX:+UseSerialGC", "-cp", f"{folder}:{jar}", "Bench"]


def test_alone_it_measures_itself(java):
    done = run(*java, DUET_ITERATIONS="3", DUET_TIMES="1")
    assert re.fullmatch(r"(\d+\n){3}Bench: .* median .*\(3 iterations\)\n", done.stdout)
    header = (ROOT / "include/duet/duet.h").read_text()
    version = re.search(r"#define DUET_VERSION (\d+)", header)[1]
    assert f"alone 2 {version}\n" in done.stderr


def test_two_are_measured_together(java, run_duet, stored):
    """Each run is one JVM a side, and its iterations are the program's own."""
    command = " ".join(java)
    done = run_duet("run", command, command, "--runs", 2, "--iterations", 7, timeout=50)
    assert done.returncode == 0, done.stderr
    assert stored.one("SELECT count(*) FROM run WHERE mode = 'harness'") == 2
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 7
    stored.check()


def test_a_side_that_throws_fails_the_run(java, run_duet):
    command = " ".join(java)
    done = run_duet("run", command, f"{command} 2 throw", "--runs", 2, "--iterations", 7,
                    timeout=50)
    assert done.returncode == 4
    assert "broken" in done.stderr


def test_wrong_calls_throw(java):
    done = run(*java, "1", "no begin", status=1)
    assert "duet_end() was called without duet_begin()" in done.stderr
    assert "DuetException: duet_end() was called without duet_begin()" in done.stderr
    closed = run(*java, "1", "closed", status=1, DUET_ITERATIONS="1")
    assert "DuetException: this harness is closed" in closed.stderr


def test_the_native_library_is_found_or_missed_clearly(jar, java, tmp_path):
    """Beside the jar, where a property says, in java.library.path; else an exception."""
    alone = tmp_path / "duet.jar"
    shutil.copy(jar, alone)
    elsewhere = [word.replace(str(jar), str(alone)) for word in java]
    missing = run(*elsewhere, status=1).stderr
    assert "DuetException: cannot load duet's native library" in missing
    assert "-Dduet.library=FILE" in missing
    for option in (f"-Dduet.library={jar.parent}/libduet_java.so",
                   f"-Djava.library.path={jar.parent}"):
        run(elsewhere[0], option, *elsewhere[1:], DUET_ITERATIONS="1")
    wrong = run(elsewhere[0], f"-Dduet.library={tmp_path}/none.so", *elsewhere[1:], status=1)
    assert "none.so" in wrong.stderr


def test_no_native_code_is_needed(jar, java, tmp_path):
    """From Java 22 on, the jar alone will do."""
    newest = java22.find()
    with zipfile.ZipFile(jar) as packed:
        if newest is None or "duet/ForeignHarness.class" not in packed.namelist():
            pytest.skip("no JDK 22 or later: the client without native code is not tested")
    alone = tmp_path / "duet.jar"
    shutil.copy(jar, alone)
    words = [newest, *(word.replace(str(jar), str(alone)) for word in java[1:])]
    done = run(*words, DUET_ITERATIONS="3", DUET_TIMES="1")
    assert re.fullmatch(r"(\d+\n){3}Bench: .* median .*\(3 iterations\)\n", done.stdout)
    header = (ROOT / "include/duet/duet.h").read_text()
    version = re.search(r"#define DUET_VERSION (\d+)", header)[1]
    assert f"alone 2 {version}\n" in done.stderr
    for option in ("-Dduet.client=native", f"-Dduet.library={tmp_path}/none.so"):
        missing = run(words[0], option, *words[1:], status=1).stderr
        assert "DuetException: cannot load duet's native library" in missing


def test_the_client_is_chosen_or_refused_clearly(java):
    done = run(java[0], "-Dduet.client=fast", *java[1:], status=1)
    assert "-Dduet.client=fast is not a client; the clients are 'foreign' and 'native'" in done.stderr
    if "version \"17" in run(java[0], "-version").stderr:
        done = run(java[0], "-Dduet.client=foreign", *java[1:], status=1)
        assert "-Dduet.client=foreign needs Java 22 or later" in done.stderr
    run(java[0], "-Dduet.client=native", *java[1:], DUET_ITERATIONS="1")


def test_it_is_installed_in_one_folder(jar, java, tmp_path):
    run("cmake", "--install", BUILD / "bindings/java", "--prefix", tmp_path / "usr")
    (installed,) = (tmp_path / "usr").rglob("duet.jar")
    assert (installed.parent / "libduet_java.so").exists()
    run(*[word.replace(str(jar), str(installed)) for word in java], DUET_ITERATIONS="1")
