"""The statistics beside their live oracles, where `make oracle` has installed them."""

import os
import pathlib
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
PYTHON = ROOT / os.environ.get("DUET_ORACLE_PYTHON", "build/oracle/bin/python")


@pytest.mark.timeout(600)
def test_statistics_agree_with_their_oracles():
    if not PYTHON.exists():
        pytest.skip("no oracle environment; `make oracle` installs it")
    done = subprocess.run(
        [PYTHON, FOLDER / "compare_stats.py", BUILD / "tests" / "libstats_oracle.so"],
        capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
