"""The harness as one header (tools/amalgamate): programs in C and C++ that copy it work like
those that link libduet."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# With names of its own that the harness uses inside.
PROGRAM = """#include "duet.h"
%s
int alloc_array(void) { return 1; }
int text_append(void) { return 2; }
int main(void)
{
    struct duet *d = duet_open("copied");
    volatile int sum = 0;
    while (duet_next(d)) {
        duet_begin(d);
        for (int i = 0; i < 20000; i++) {
            sum = sum + alloc_array() + text_append();
        }
        duet_end(d);
    }
    return duet_close(d);
}
"""
C_NAMES = "int alloc_array(void); int text_append(void);"
CXX_NAMES = "int alloc_array(); int text_append();"


def run(*command, **options):
    done = subprocess.run([*map(str, command)], check=False, text=True, timeout=50,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"{command}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("copied")
    run(ROOT / "tools/amalgamate", where / "duet.h")
    (where / "implementation.c").write_text('#define DUET_IMPLEMENTATION\n#include "duet.h"\n')
    (where / "main.c").write_text(PROGRAM % C_NAMES)
    (where / "main.cpp").write_text(PROGRAM % CXX_NAMES)
    return where


@pytest.mark.rotating
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("standard", ["c11", "gnu17"])
def test_compiles_without_warnings(folder, tmp_path, compiler, standard):
    run(compiler, f"-std={standard}", "-O2", "-Wall", "-Wextra", "-Werror", "-c",
        folder / "implementation.c", "-o", tmp_path / "i.o")
    visible = run("nm", "--defined-only", "--extern-only", tmp_path / "i.o")
    names = {line.split()[2] for line in visible.splitlines()}
    assert all(name.startswith("duet_") for name in names), names


@pytest.mark.rotating
@pytest.mark.parametrize("compiler, source, standard", [("gcc", "main.c", "c11"),
                                                        ("g++", "main.cpp", "c++11"),
                                                        ("clang++", "main.cpp", "c++20")])
def test_consumers(folder, tmp_path, run_duet, compiler, source, standard):
    run("gcc", "-O2", "-c", folder / "implementation.c", "-o", tmp_path / "i.o")
    run(compiler, f"-std={standard}", "-O2", "-Wall", "-Wextra", "-Werror", "-c", folder / source,
        "-o", tmp_path / "m.o")
    program = tmp_path / "bench"
    run(compiler, tmp_path / "m.o", tmp_path / "i.o", "-pthread", "-lm", "-o", program)
    alone = run(program, env={**os.environ, "DUET_ITERATIONS": "3"})
    assert re.fullmatch(r"copied: .* median .*\(3 iterations\)\n", alone), alone
    done = run_duet("-q", "-r", 2, "-I", 5, "--schedule", "duet", "./bench", "./bench",
                    cwd=tmp_path)
    assert done.returncode == 0, done
    shown = run_duet("show", "last")
    assert "harness mode" in shown.stdout


def test_the_rest_in_one_c_file(folder, tmp_path):
    """Declarations and implementation in the program's only file."""
    (tmp_path / "one.c").write_text("#define DUET_IMPLEMENTATION\n" + (PROGRAM % C_NAMES))
    run("gcc", "-I", folder, "-O2", "-Wall", "-Wextra", "-Werror", tmp_path / "one.c", "-pthread",
        "-lm", "-o", tmp_path / "one")
    assert "(3 iterations)" in run(tmp_path / "one", env={**os.environ, "DUET_ITERATIONS": "3"})


@pytest.mark.parametrize("name, first, says", [
    ("late.c", "#include <stdio.h>\n", "before any other header"),
    ("late.cpp", "", "the implementation is C")])
def test_a_wrong_place_is_an_error(folder, tmp_path, name, first, says):
    (tmp_path / name).write_text(f'{first}#define DUET_IMPLEMENTATION\n#include "duet.h"\n')
    compiler = ["g++"] if name.endswith("cpp") else ["gcc", "-std=c11"]
    done = subprocess.run([*compiler, "-I", folder, "-c", name], cwd=tmp_path, check=False,
                          text=True, capture_output=True)
    assert done.returncode != 0 and says in done.stderr
