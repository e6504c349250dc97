"""The Containerfile: it installs the libraries that the program needs, and no other.
tools/check-image builds the image, which takes minutes."""

import fnmatch
import json
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    return subprocess.run([*map(str, command)], check=True, text=True, timeout=50,
                          stdout=subprocess.PIPE).stdout


def needed(path):
    """Libraries that it is linked with, and the one that it loads for compressed files."""
    source = (ROOT / "src/formats/unpack.c").read_text(encoding="utf-8")
    return [*re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path)),
            re.search(r'"(libarchive\.so\..*)"', source).group(1)]


def test_the_libraries_of_the_program(duet):
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    if "VERSION_CODENAME=bookworm" not in release:
        pytest.skip("the Containerfile names Debian 12's packages")
    recipe = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert "FROM debian:bookworm-slim" in recipe
    listed = re.search(r"no-install-recommends \\\n(.*?) git \\\n", recipe).group(1).split()
    owners = set()
    for name in needed(shutil.which(duet[-1])):
        for line in run("dpkg", "-S", f"*/{name}").splitlines():
            if re.search(rf": (/usr)?/lib/{platform.machine()}-linux-gnu/", line):
                owners.add(line.split(":")[0])
    owners -= {"libc6", "libgcc-s1", "libasan8", "libubsan1", "libtsan2"}
    assert owners == set(listed)


def test_nothing_that_was_built_here_gets_in():
    """`make build` before `podman build`: CMake refuses a build folder that was moved."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    folders = {preset["binaryDir"].removeprefix("${sourceDir}/").partition("/")[0]
               for preset in presets["configurePresets"] if "binaryDir" in preset}
    assert {"build", "build-check"} <= folders
    for folder in folders:
        assert any(fnmatch.fnmatch(folder, pattern) for pattern in patterns), folder
    for file in ("Makefile", "src", "tools", "include", "bindings", "suites"):
        assert not any(fnmatch.fnmatch(file, pattern) for pattern in patterns), file


def test_what_it_builds_with_is_there():
    recipe = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert "RUN make install PREFIX=/usr DESTDIR=/installed" in recipe
    assert re.search(r"^install:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
