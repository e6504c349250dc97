"""The Python package duet-bench: what is in it, and what its module does with a duet and its
stores. `tools/wheel --try` installs it in a virtual environment."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Around a program that stands for the one of `make dist`, which takes minutes to link."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "duet.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", "duet.c", "-o", "duet"], cwd=folder, check=True, timeout=50)
    copy = folder / "source"
    for name in ("CMakeLists.txt", "LICENSE", "tools/wheel", "bindings/wheel"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
    done = subprocess.run([copy / "tools/wheel", folder / "duet"], check=False, text=True,
                          capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def test_files_of_the_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        program = next(entry for entry in archive.infolist()
                       if entry.filename.endswith(".data/scripts/duet"))
        assert program.external_attr >> 16 == 0o100755
        assert {"duet_bench/__init__.py", "duet_bench/__main__.py"} <= set(names)
        record = next(name for name in names if name.endswith("RECORD"))
        listed = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert [row[0] for row in listed] == names
        for name, digest, size in listed[:-1]:
            content = archive.read(name)
            made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={made}", len(content))
    assert wheel.name.startswith("duet_bench-") and "manylinux" in wheel.name


def test_a_dynamic_program_is_refused(tmp_path):
    done = subprocess.run([ROOT / "tools/wheel", shutil.which("true")], check=False, text=True,
                          capture_output=True)
    assert done.returncode == 1 and "linked dynamically" in done.stderr


def test_the_program_of_an_installation_elsewhere(wheel, tmp_path):
    """As `pip install --user` and `--prefix` make one, whose programs need not be on PATH."""
    site = tmp_path / "lib/python3/site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (packed,) = site.glob("*.data/scripts/duet")
    (record,) = site.glob("*.dist-info/RECORD")
    (tmp_path / "bin").mkdir()
    record.write_text(record.read_text().replace(str(packed.relative_to(site)), "../../../bin/duet"))
    packed.rename(tmp_path / "bin/duet")
    done = subprocess.run([sys.executable, "-c", "import duet_bench; print(duet_bench.program())"],
                          env={"PYTHONPATH": str(site), "PATH": ""}, check=False, text=True,
                          capture_output=True)
    assert done.stdout == f"{tmp_path}/bin/duet\n", done.stderr


@pytest.fixture
def module(duet, tmp_path, monkeypatch):
    """The module, with the duet of the build."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "duet").symlink_to(duet[-1])
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "bindings/wheel"))
    sys.modules.pop("duet_bench", None)
    import duet_bench  # pylint: disable=import-outside-toplevel,import-error
    monkeypatch.setattr(duet_bench, "program", lambda: str(programs / "duet"))
    return duet_bench


def test_compare(module):
    (change,) = module.compare("true", "true", "-r", 8, "--name", "b", "--fail-on", "faster,slower")
    assert change.name == "b" and change.runs == 8 and change.raw["schedule"]
    assert change.low_pct < change.high_pct and 0.9 < change.confidence < 1
    assert change.change_pct == pytest.approx(100 * (change.raw["ratio"] - 1))
    (row,) = module.rows("comparisons")
    assert row["verdict"] == change.verdict
    assert row["change_pct"] == pytest.approx(change.change_pct)
    assert len(module.rows("runs", experiment=1)) == 16
    assert module.rows("runs", experiment=2) == []


def test_what_is_wrong(module, tmp_path):
    with pytest.raises(module.DuetError, match="no-such-program") as caught:
        module.compare("no-such-program", "true")
    assert caught.value.status in (2, 4)
    with pytest.raises(ValueError, match="there is no view 'run'"):
        module.rows("run")
    with pytest.raises(FileNotFoundError, match="none.db"):
        module.rows("runs", "none.db")


def test_compare_files(module, tmp_path):
    for name, middle in (("old", 100), ("new", 120)):
        (tmp_path / name).write_text("".join(f"{middle + i % 3}\n" for i in range(30)))
    (change,) = module.compare_files("./old", "./new")
    assert change.verdict == "slower" and change.change_pct == pytest.approx(20, abs=1)


def test_a_store_in_a_folder_that_cannot_be_written(module, tmp_path):
    module.compare("true", "true", "-r", 4, "--export-store", "artifact.db")
    folder = tmp_path / "artifact"
    folder.mkdir()
    shutil.move("artifact.db", folder)
    folder.chmod(0o500)
    try:
        assert len(module.rows("comparisons", folder / "artifact.db")) == 1
    finally:
        folder.chmod(0o700)


def test_frames(module):
    pytest.importorskip("pandas", reason="pandas is not installed")
    module.compare("true", "true", "-r", 4, "--schedule", "duet")
    frame = module.read("pairs", experiment=1)
    assert len(frame) == 4 and (frame.ratio > 0).all()
