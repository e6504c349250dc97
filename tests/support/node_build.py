"""Builds bindings/node beside nothing: into a folder, with the headers of the npm package."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()
NODE = ROOT / "bindings/node"


def build_node(target, *packages):
    """The variables with which bindings/node works; `packages` are in target/node_modules."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}: this binding is not tested")
    done = subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", target,
                           "node-api-headers@1.5.0", *packages], check=False, capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip("npm cannot install node-api-headers: this binding is not tested")
    library = target / "duet.node"
    done = subprocess.run([NODE / "build.sh"], check=False, capture_output=True, text=True,
                          timeout=100, env={
                              **os.environ, "OUTPUT": str(library),
                              "HEADERS": str(target / "node_modules/node-api-headers/include"),
                              "CFLAGS": f"-I{ROOT / 'include'}",
                              "LIBS": str(BUILD / "src/harness/libduet.a")})
    assert done.returncode == 0, done.stderr
    return {"DUET_NODE_LIBRARY": str(library)}
