"""bindings/node beside tinybench, from its registry."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from support import node_build

pytestmark = pytest.mark.soak  # its packages come from npm


@pytest.fixture(scope="module", name="bench")
def fixture_bench(tmp_path_factory):
    """The words that start bindings/node/example/sum.mjs."""
    target = tmp_path_factory.mktemp("node")
    variables = node_build.build_node(target, "tinybench@6.2.4")
    for name in ("index.js", "tinybench.js", "package.json"):
        shutil.copy(node_build.NODE / name, target)
    (target / "example").mkdir()
    shutil.copy(node_build.NODE / "example/sum.mjs", target / "example")
    return ["env", *(f"{key}={value}" for key, value in variables.items()), "node",
            str(target / "example/sum.mjs")]


@pytest.mark.timeout(300)
def test_tinybench_is_left_alone(bench):
    done = subprocess.run(bench, check=False, capture_output=True, text=True, timeout=60,
                          env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "sum" in done.stdout and "Latency" in done.stdout


def test_tinybench_takes_part(bench, run_duet, tmp_path):
    out = tmp_path / "out.json"
    words = " ".join(bench)
    done = run_duet("run", words, words.replace("env ", "env SUM_COUNT=300000 ", 1), "-r", 4, "-I", 60,
                    "-w", 20, "--export-json", out, timeout=60)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness" and 1.5 < row["ratio"] < 6, row["ratio"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("options, task, told", [
    ("concurrency: 'task'", "{}", "cannot measure a bench with concurrency"),
    ("subtractTimerOverhead: true", "{}", "cannot measure a bench with subtractTimerOverhead"),
    ("name: 'odd'", "{ throw new Error('no') }", "a task of odd threw an exception")])
def test_tinybench_that_cannot_be_measured(bench, run_duet, options, task, told):
    """The time between two of tinybench's own readings was compared, or the start of Node.js."""
    script = pathlib.Path(bench[-1]).with_name("odd.mjs")
    source = pathlib.Path(bench[-1]).read_text()
    imports = re.findall(r"^import .*$", source, re.MULTILINE)
    script.write_text("\n".join([*imports, f"const bench = new Bench(withDuet({{ {options} }}));",
                                 f"bench.add('odd', () => {task});", "await bench.run();"]))
    words = " ".join([*bench[:-1], str(script)])
    done = run_duet("run", words, words, "-r", 2, "-I", 5, timeout=60)
    assert done.returncode == 4 and told in done.stderr, done.stderr


@pytest.mark.timeout(400)
def test_the_bench_of_vitest_that_is_selected_takes_part(run_duet, tmp_path):
    """It has another version of tinybench, and makes the options of all benches of a file."""
    target = tmp_path / "sums"
    target.mkdir()
    variables = node_build.build_node(target, "vitest@3.2.7")
    package = target / "node_modules/duet-harness"
    package.mkdir()
    for name in ("index.js", "tinybench.js", "package.json"):
        shutil.copy(node_build.NODE / name, package)
    (target / "sums.bench.mjs").write_text("""import { bench } from 'vitest';
import { withDuet } from 'duet-harness/tinybench';
let kept = 0;
for (const [name, count] of [['other', 1], ['once', 100000], ['thrice', 300000]]) {
  bench(name, () => { for (let i = 0; i < count; i++) kept = (kept ^ i) | 0; }, withDuet({ name }));
}
""")
    settings = " ".join(f"{key}={value}" for key, value in variables.items())
    words = f"env {settings} node {target}/node_modules/vitest/vitest.mjs bench --run --root {target} -t"
    out = tmp_path / "out.json"
    done = run_duet("run", f"{words} once", f"{words} thrice", "-r", 2, "-I", 60, "-w", 20, "--export-json", out,
                    timeout=200)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness" and 1.5 < row["ratio"] < 6, row["ratio"]
    alone = subprocess.run(f"{words} once".split(), check=False, capture_output=True, text=True, timeout=100,
                           env=os.environ)
    assert alone.returncode == 0 and "once" in alone.stdout, alone.stderr


def test_a_missing_library_is_an_error(bench):
    words = [word for word in bench if not word.startswith("DUET_NODE_LIBRARY")]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "DUET_NODE_LIBRARY": "/none.node", "DUET_ATTACH": "v2:x"})
    assert done.returncode != 0 and "DuetError: cannot load /none.node" in done.stderr


@pytest.mark.timeout(120)
def test_it_is_installed_as_its_page_says(tmp_path):
    """npm links a folder by default, and then the addon's headers are not beside it."""
    if shutil.which("npm") is None:
        pytest.skip("no npm: this binding is not tested")
    (line,) = re.findall("^ {4}(npm install .*)$", (node_build.NODE / "README.md").read_text(), re.M)
    words = line.replace("/path/to/bindings/node", str(node_build.NODE)).split()
    (tmp_path / "package.json").write_text('{"name": "mine", "version": "1.0.0"}')
    done = subprocess.run(words, cwd=tmp_path, check=False, text=True, capture_output=True, env={
        **os.environ, "CFLAGS": f"-I{node_build.ROOT / 'include'}",
        "LIBS": str(node_build.BUILD / "src/harness/libduet.a")})
    assert done.returncode == 0, done.stderr
    (tmp_path / "bench.cjs").write_text(
        "const { measure } = require('duet-harness');\nmeasure('sum', () => 1 + 1);\n")
    done = subprocess.run(["node", "bench.cjs"], cwd=tmp_path, check=True, text=True,
                          capture_output=True, env={**os.environ, "DUET_ITERATIONS": "3"})
    assert done.stdout.startswith("sum: ")
