"""bindings/python beside pytest-benchmark and pyperf, from their registry."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
PYTHON = ROOT / "bindings/python"
pytestmark = pytest.mark.soak  # its packages come from PyPI


@pytest.fixture(scope="module", name="python")
def fixture_python(tmp_path_factory):
    """The words that start Python with the packages of the registry and this one."""
    target = tmp_path_factory.mktemp("python")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", target,
                           "pytest==8.3.5", "pytest-benchmark==5.1.0", "pyperf==2.9.0"],
                          check=False, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip("pip cannot install pytest-benchmark: this binding is not tested")
    # What pip makes of pyproject.toml's entry points, without building a wheel.
    info = target / "duet_harness-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: duet-harness\nVersion: 0.1.0\n")
    text = (PYTHON / "pyproject.toml").read_text()
    points = re.findall(r'\[project\.entry-points\."([\w.]+)"\]\n(\w+) = "([\w.:]+)"', text)
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n{name} = {place}\n" for group, name, place in points))
    return ["env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=", f"PYTHONPATH={target}:{PYTHON}",
            f"DUET_LIBRARY={BUILD / 'src/harness/libduet.so'}"]


def run(words, status=0, **environment):
    done = subprocess.run([*map(str, words)], check=False, text=True, timeout=100,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == status, done.stdout + done.stderr
    return done


def pytest_words(python, *more):
    return [*python, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
            str(PYTHON / "example/bench_sum.py"), *more]


@pytest.mark.timeout(400)
def test_pytest_benchmark_is_left_alone(python):
    done = run(pytest_words(python, "--benchmark-min-rounds=5", "--benchmark-max-time=0.01"))
    assert "2 passed" in done.stdout and "Median" in done.stdout


def test_unchanged_tests_take_part(python, run_duet, tmp_path, stored):
    out = tmp_path / "out.json"
    words = " ".join(pytest_words(python, "-k", "test_sum"))
    done = run_duet("run", words, words.replace("env ", "env SUM_COUNT=3000 ", 1), "-r", 2, "-I",
                    20, "--export-json", out, timeout=60)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness" and 2 < row["ratio"] < 4, row["ratio"]
    assert stored.one("SELECT max(operations) FROM iteration") > 1


def test_nothing_around_the_function_is_measured(python, run_duet, tmp_path):
    bench = tmp_path / "bench_frames.py"
    bench.write_text("import sys\n"
                     "callers = set()\n"
                     "def work(n):\n    callers.add(sys._getframe(1).f_code.co_name)\n    return n\n"
                     "def test_frames(benchmark):\n    assert benchmark(work, 3) == 3\n"
                     "    assert callers == {'measure', '_calibrate', '__call__'}\n")
    words = " ".join([*python, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(bench)])
    done = run_duet("run", words, words, "-r", 2, "-I", 10, timeout=60)
    assert done.returncode == 0, done.stderr


def test_rounds_with_a_setup(python, run_duet):
    words = " ".join(pytest_words(python, "-k", "test_sorted"))
    done = run_duet("run", words, words, "-r", 2, "-I", 10, timeout=60)
    assert done.returncode == 0, done.stderr


def test_one_test_of_a_process(python, run_duet):
    words = " ".join(pytest_words(python))
    done = run_duet("run", words, words, "-r", 2, "-I", 10, timeout=60)
    assert done.returncode == 4
    assert "select one with -k" in done.stderr


@pytest.mark.parametrize("body", ["pytest.skip('not here')", "pass"])
def test_a_test_that_measures_nothing(python, run_duet, tmp_path, body):
    """The start of pytest was compared."""
    bench = tmp_path / "bench_nothing.py"
    bench.write_text(f"import pytest\ndef test_nothing(benchmark):\n    {body}\n")
    words = " ".join([*python, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(bench)])
    done = run_duet("run", words, words, "-r", 2, "-I", 3, timeout=60)
    assert done.returncode == 4 and "did not call the fixture benchmark" in done.stderr, done.stderr


def test_a_test_that_is_marked_is_left_out(python, tmp_path):
    """`duet pytest` compares the others."""
    bench = tmp_path / "bench_marked.py"
    bench.write_text("import pytest\n@pytest.mark.skip\ndef test_a(benchmark):\n    pass\n"
                     "@pytest.mark.skipif('True', reason='')\ndef test_b(benchmark):\n    pass\n"
                     "@pytest.mark.skipif(False, reason='')\ndef test_c(benchmark):\n    pass\n")
    run([*python, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", bench], 5,
        DUET_LIST=str(tmp_path / "list"))
    names = [line.split("\t")[0] for line in (tmp_path / "list").read_text().splitlines()]
    assert [name.split("::")[1] for name in names] == ["test_c"]


def test_why_a_test_fails(python):
    """pytest captures standard error, which is what duet shows."""
    done = run(pytest_words(python, "-k", "test_sum"), 1, DUET_ATTACH="v2:nonsense")
    assert "DUET_ATTACH is malformed" in done.stderr


def test_values_of_pyperf(python, run_duet, stored):
    words = " ".join([*python, sys.executable, str(PYTHON / "example/perf_sum.py"), "-p", "1", "-w",
                      "0", "-l", "50", "-n", "8", "--hook", "duet", "--inherit-environ",
                      "DUET_ATTACH,PYTHONPATH,DUET_LIBRARY,SUM_COUNT"])
    done = run_duet("run", words, words, "-r", 2, "-I", 8, "--no-fill", timeout=60)
    assert done.returncode == 0, done.stderr
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 2 * 8


def test_decorator_and_loop(python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import duet\n"
                       "@duet.benchmark(name='decorated')\n"
                       "def f():\n    return sum(range(100))\n"
                       "for timed in duet.Duet('loop', collect=True):\n"
                       "    with timed:\n        f()\n")
    done = run([*python, sys.executable, program], DUET_ITERATIONS="3")
    assert re.match(r"decorated: .*\(3 iterations\)\nloop: .*\(3 iterations\)\n$", done.stdout)


def test_a_missing_library_is_an_error(python):
    words = [word for word in python if not word.startswith("DUET_LIBRARY")]
    done = run([*words, sys.executable, "-c", "import duet; duet.Duet()"], 1,
               DUET_LIBRARY="/none.so")
    assert "duet.DuetError: cannot load libduet.so" in done.stderr
    assert "DUET_LIBRARY" in done.stderr
