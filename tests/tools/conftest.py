"""Real benchmark tools: from PATH, from DUET_TOOLS (a folder with bin/), or Python modules of
DUET_TOOLS_PYTHON. A tool that is missing skips its tests."""

import os
import shutil
import subprocess

import pytest

FOLDER = os.environ.get("DUET_TOOLS", "")
PYTHON = os.environ.get("DUET_TOOLS_PYTHON", "/usr/bin/python3")


@pytest.fixture
def tool():
    """The path of a program, or the test is skipped."""
    def find(name):
        folders = [os.path.join(FOLDER, "bin")] if FOLDER else []
        path = shutil.which(name, path=os.pathsep.join([*folders, os.environ["PATH"],
                                                        "/usr/local/go/bin"]))
        if path is None:
            pytest.skip(f"{name} is not installed")
        return path

    return find


@pytest.fixture
def python_with():
    """A Python that has a module, or the test is skipped."""
    def find(module):
        done = subprocess.run([PYTHON, "-c", f"import {module}"], check=False,
                              capture_output=True)
        if done.returncode != 0:
            pytest.skip(f"Python has no {module}")
        return PYTHON

    return find
