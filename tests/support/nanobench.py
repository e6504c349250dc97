"""nanobench.h, which is in no registry by itself: PyPI has a package whose sources contain it."""

import subprocess
import sys
import tarfile

PACKAGE = "py-bitcoinkernel==0.1.0a5"
HASH = "sha256:71b91eecac7a8b07248be04471c3bf98016b38bf823aefd28f7b31179940520d"
HEADER = "py_bitcoinkernel-0.1.0a5/depend/bitcoin/src/bench/nanobench.h"


def fetch(folder):
    """Puts the header into the folder; False where it cannot be downloaded."""
    (folder / "wanted.txt").write_text(f"{PACKAGE} --hash={HASH}\n")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
         "py-bitcoinkernel", "--require-hashes",
         "-r", "wanted.txt"], cwd=folder, check=False, capture_output=True, timeout=300)
    if done.returncode != 0:
        return False
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        (folder / "nanobench.h").write_bytes(packed.extractfile(HEADER).read())
    return True
