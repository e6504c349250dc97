"""bindings/node beside tinybench, from its registry."""

import json
import os
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
