"""Rank-sum test and Cliff's delta against scipy, on random samples."""

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(name="oracle_python")
def oracle_python_fixture():
    """A Python that has scipy (Debian's need not)."""
    python = os.environ.get("DUET_ORACLE_PYTHON", "")
    if not python:
        pytest.skip("DUET_ORACLE_PYTHON names no Python with scipy")
    done = subprocess.run([python, "-c", "import scipy.stats"], check=False,
                          capture_output=True)
    if done.returncode != 0:
        pytest.skip("DUET_ORACLE_PYTHON cannot import scipy")
    return python


@pytest.mark.timeout(120)
def test_two_samples_agree_with_scipy(oracle_python, built_program):
    done = subprocess.run(
        [oracle_python, HERE / "two_sample_cases.py", built_program("oracle_two_sample")],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    assert "1504 cases agree" in done.stdout
