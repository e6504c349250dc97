"""The statistics beside their live oracles, where `make oracle` has installed them."""

import os
import pathlib
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
PYTHON = ROOT / os.environ.get("DUET_ORACLE_PYTHON", "build/oracle/bin/python")


# About six minutes of two idle CPUs; a busy machine takes many times as long.
@pytest.mark.timeout(5400)
def test_statistics_agree_with_their_oracles():
    if not PYTHON.exists() or "DUET_ORACLE_PYTHON" not in os.environ:
        pytest.skip("no oracle environment; `make oracle` installs it")
    done = subprocess.run(
        [PYTHON, FOLDER / "compare_stats.py", "--markdown", BUILD / "validation.md",
         BUILD / "tests" / "libstats_oracle.so"],
        stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0
