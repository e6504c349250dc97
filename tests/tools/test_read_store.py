"""What docs/how-to/read-the-store.md shows for pandas, R and Parquet, executed; and the module of
the Python package with pandas and pyarrow."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/read-the-store.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture
def measured(run_duet, tmp_path):
    done = run_duet("-q", "-r", 6, "-I", 3, "--schedule", "duet", "true", "true")
    assert done.returncode == 0, done
    return tmp_path


def run(*command, cwd, **environment):
    done = subprocess.run([*map(str, command)], cwd=cwd, check=False, text=True, timeout=100,
                          capture_output=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pandas(measured, python_with):
    python = python_with("pandas")
    (code,) = [block for block in blocks("python") if "describe" in block]
    assert re.search(r"count +18[.]0", run(python, "-c", code, cwd=measured))


def test_parquet(measured, python_with):
    python = python_with("pyarrow")
    (code,) = [block for block in blocks("python") if "to_parquet" in block]
    run(python, "-c", code, cwd=measured)
    assert len(list((measured / "parquet").glob("*.parquet"))) == 5
    module = str(ROOT / "bindings/wheel")
    written = run(python, "-m", "duet_bench", "parquet", "all", cwd=measured, PYTHONPATH=module)
    assert len(written.split()) == 7
    read = ("import pandas, duet_bench\n"
            "pairs = pandas.read_parquet('all/pairs.parquet')\n"
            "assert pairs.equals(duet_bench.read('pairs')) and len(pairs) == 18\n"
            "assert len(pandas.read_parquet('all/benchmarks.parquet')) == 1\n")
    run(python, "-c", read, cwd=measured, PYTHONPATH=module)


@pytest.fixture(scope="module", name="duckdb")
def fixture_duckdb(tmp_path_factory):
    """A Python with DuckDB, and the SQL that loads its extension for SQLite. DuckDB's INSTALL gets
    that from a server of its own; the same file, signed by DuckDB, is in a package of PyPI."""
    folder = tmp_path_factory.mktemp("duckdb")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", folder,
                           "duckdb==1.5.5", "duckdb-extension-sqlite==1.5.5"],
                          check=False, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip("pip cannot install duckdb: its lines are not tested")
    (packed,) = folder.glob("duckdb_extension_sqlite/extensions/*/sqlite.duckdb_extension")
    extension = folder / "sqlite_scanner.duckdb_extension"  # the name that the file must have
    shutil.copy(packed, extension)
    return folder, f"LOAD '{extension}';"


@pytest.mark.timeout(400)
def test_duckdb(measured, duckdb):
    folder, load = duckdb
    (code,) = [block for block in blocks("sql") if "duet.pairs" in block]
    assert code.startswith("INSTALL sqlite; LOAD sqlite;\n")
    code = load + code.split("\n", 1)[1]
    read = "SELECT count(*), min(old_ns) > 0 FROM 'pairs.parquet'"
    done = run(sys.executable, "-c",
               f"import duckdb; duckdb.sql({code!r}); print(duckdb.sql({read!r}).fetchall())",
               cwd=measured, PYTHONPATH=str(folder))
    assert done == "[(18, True)]\n", done


def test_r(measured):
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    has = subprocess.run([program, "-e", "library(RSQLite)"], check=False, capture_output=True)
    if has.returncode != 0:
        pytest.skip("R has no RSQLite")
    (code,) = blocks("r")
    assert "Median" in run(program, "-e", code, cwd=measured)
