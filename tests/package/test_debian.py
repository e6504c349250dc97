"""debian/: what the packages hold lies where Debian's programs look. `make deb` builds them."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_zsh_finds_the_completion():
    """In /usr/share, Debian's zsh looks into its vendor folders and not into site-functions."""
    if not pathlib.Path("/etc/debian_version").exists():
        pytest.skip("debian/ is for Debian's zsh")
    lines = (ROOT / "debian/duet.install").read_text(encoding="utf-8").splitlines()
    ((file, folder),) = [line.split() for line in lines if "zsh" in line]
    looked = subprocess.run(["zsh", "-fc", "print -l $fpath"], check=True, text=True,
                            capture_output=True).stdout.splitlines()
    assert file == "usr/share/zsh/site-functions/_duet"  # where CMake puts it, below /usr
    assert f"/{folder}" in looked
