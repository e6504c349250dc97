"""duet bisect in projects as people have them: make with a submodule, CMake with merges, Python, Go,
Rust, a shell script. Each has a known slow commit, and commits that cannot be measured."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

# A slow commit does a fifth more, so that a loaded machine finds it, too. The threads of Go's run time
# do not take turns as one program does.
MUCH, MORE = 1.2, 1.5
pytestmark = [pytest.mark.slow, pytest.mark.quiet, pytest.mark.bare, pytest.mark.rotating(4),
              pytest.mark.timeout(400)]


class Project:
    """A repository that grows by commits, each with a tag: the number of first parents."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "You")
        self.git("config", "user.email", "you@example.org")

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.folder), "-c", "protocol.file.allow=always",
                               *words], check=True, text=True, capture_output=True).stdout.strip()

    def write(self, **files):
        """Names with `__` for `/` and `_` for `.`, as `src__main_c`."""
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if path.suffix == ".sh" else 0o644)

    def commit(self, subject, **files):
        self.write(notes_txt=f"{subject}\n", **files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)
        return self.number()

    def number(self):
        self.git("tag", f"c{self.count}")
        self.count += 1
        return self.count - 1

    def merge(self, subject, *commits):
        """A branch of (subject, files) ..., merged: one commit more of the main branch."""
        self.git("switch", "-q", "-c", f"branch-{self.count}")
        for line, files in commits:
            self.write(**files)
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", line)
        branch = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("switch", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", subject, branch)
        return self.number()

    def hash(self, number):
        return self.git("rev-parse", f"c{number}")


@pytest.fixture(name="project")
def project_fixture(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Project(tmp_path / "a project")


@pytest.fixture(name="found")
def found_fixture(run_duet, project):
    """Searches between the first and the last commit: the document, and what was printed."""
    def run(build, bench, *options):
        before = (project.git("status", "--porcelain"), project.git("worktree", "list"))
        result = run_duet("bisect", "c0", "main", *(["--build", build] if build else []), *options,
                          "--time-budget", "300s", "--export-json", "../b.json", "--", bench,
                          cwd=project.folder, timeout=350)
        assert result.returncode == 0, result.stdout + result.stderr
        assert (project.git("status", "--porcelain", "--untracked-files=no"),
                project.git("worktree", "list")) == before
        document = json.loads((project.folder.parent / "b.json").read_text())
        assert len(document["commits"]) == project.count
        assert document["builds"] <= project.count
        return document, result
    return run


def assert_found(project, document, number):
    assert document["outcome"] == "found", document
    assert document["first_slow_commit"] == project.hash(number)
    assert document["step"]["verdict"] == "slower"


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"no {program}: this project is not tested")


def left_out(document):
    return [i for i, commit in enumerate(document["commits"]) if not commit["measurable"]]


# ---- C ----

C_MAIN = """/* {note} */
#include <stdio.h>
#include "mix.h"
int main(void) {{
    unsigned long sum = 1;
    for (int i = 0; i < 200; i++)
        sum = mix(sum, i);
    return printf("%lu\\n", sum) < 0{broken}
}}
"""
C_MIX = """/* {note} */
#include "mix.h"
unsigned long mix(unsigned long sum, int i) {{
    for (int j = 0; j < {rounds}; j++)
        sum = sum * 6364136223846793005ul + (unsigned long)(i ^ j);
    return sum;
}}
"""
C_HEADER = "unsigned long mix(unsigned long sum, int i);\n"
ROUNDS = 30000
MAKEFILE = "bench: main.c lib/mix.c lib/mix.h\n\tcc -O2 -Ilib main.c lib/mix.c -o bench\n"


def c_main(note, broken=";"):
    return C_MAIN.format(note=note, broken=broken)


def c_mix(note, factor=1.0):
    return C_MIX.format(note=note, rounds=round(factor * ROUNDS))


def test_c_with_make_and_a_submodule(project, found, tmp_path):
    """The library lies in a submodule, and a newer version of it is slower."""
    library = Project(tmp_path / "library")
    library.commit("the library", mix_c=c_mix("first"), mix_h=C_HEADER)
    library.commit("a word", mix_c=c_mix("second"))
    library.commit("checks its input", mix_c=c_mix("third", MUCH))
    project.git("submodule", "add", "-q", str(library.folder), "lib")

    def use(version):
        project.git("-C", "lib", "checkout", "-q", f"c{version}")

    use(0)
    project.commit("a program", Makefile=MAKEFILE, main_c=c_main("first"), _gitignore="bench\n.duet/\n")
    project.commit("a word", main_c=c_main("second"))
    use(1)
    project.commit("a newer library", main_c=c_main("third"))
    broken = project.commit("broken", main_c=c_main("fourth", broken=""))
    project.commit("mended", main_c=c_main("fifth"))
    project.commit("another word", main_c=c_main("sixth"))
    use(2)
    slow = project.commit("the newest library")
    for word in ("seventh", "eighth", "ninth"):
        project.commit(word, main_c=c_main(word))
    document, result = found("make -s", "./bench")
    assert_found(project, document, slow)
    assert set(left_out(document)) <= {broken}
    assert "the newest library (You)" in result.stdout


def test_c_with_cmake_and_merges(project, found):
    """The slow commit is one of a branch: the merge is named."""
    need("cmake")
    cmake = ("cmake_minimum_required(VERSION 3.10)\nproject(p C)\n"
             "set(CMAKE_BUILD_TYPE Release)\nadd_executable(bench main.c mix.c)\n")
    project.commit("a program", CMakeLists_txt=cmake, main_c=c_main("first"), mix_c=c_mix("first"),
                   mix_h=C_HEADER, _gitignore="build/\n.duet/\n")
    for word in ("second", "third"):
        project.commit(word, main_c=c_main(word))
    project.merge("merge what changes words", ("one", {"mix_c": c_mix("one")}),
                  ("two", {"mix_c": c_mix("two")}))
    project.commit("fourth", main_c=c_main("fourth"))
    broken = project.commit("broken", CMakeLists_txt=cmake.replace("main.c", "nowhere.c"))
    project.commit("mended", CMakeLists_txt=cmake)
    slow = project.merge("merge what is slower", ("half", {"mix_c": c_mix("half")}),
                         ("slower", {"mix_c": c_mix("more", MUCH)}), ("a word", {"mix_c": c_mix("word", MUCH)}))
    for word in ("fifth", "sixth"):
        project.commit(word, main_c=c_main(word))
    document, _ = found("cmake -S . -B build >/dev/null && cmake --build build", "build/bench")
    assert_found(project, document, slow)
    assert set(left_out(document)) <= {broken}
    assert [commit["subject"] for commit in document["commits"]][slow] == "merge what is slower"


# ---- Scripts ----

PYTHON = """# {note}
import zlib
text = bytes(range(256)) * 64
def work(times):
    total = 0
    for i in range(times):
        total += zlib.crc32(text, i)
    return total
{more}
print(work({times}))
"""


def test_a_python_script(project, found):
    """Nothing to build. The first slow commit's benchmark fails, so that two are left."""
    script = lambda note, factor=1.0, more="": PYTHON.format(note=note, times=round(1500 * factor), more=more)
    project.commit("a script", job_py=script("first"), _gitignore=".duet/\n")
    for word in ("second", "third", "fourth", "fifth"):
        project.commit(word, job_py=script(word))
    fails = project.commit("slower, and fails", job_py=script("sixth", MUCH, "raise SystemExit(3)"))
    slow = project.commit("fails no more", job_py=script("seventh", MUCH))
    for word in ("eighth", "ninth"):
        project.commit(word, job_py=script(word, MUCH))
    document, result = found("", f"{sys.executable} -IS job.py")
    assert document["outcome"] == "group" and document["first_slow_commit"] is None
    likely = [i for i, commit in enumerate(document["commits"]) if commit["probability"] > 0]
    assert likely == [fails, slow] and left_out(document) == [fails]
    assert "exit status 3" in result.stderr


@pytest.mark.soak
def test_a_shell_script_with_two_slow_commits(project, found):
    """Who looks for a step of 30 % finds the larger one."""
    script = lambda note, times: (f"#!/bin/sh\n# {note}\nawk 'BEGIN {{ for (i = 0; i < {times}; i++) "
                                  "s += i % 7; print s }'\n")
    project.commit("a script", job_sh=script("first", 400000), _gitignore=".duet/\n")
    project.commit("second", job_sh=script("second", 400000))
    for word in ("a bit slower", "fourth", "fifth"):
        project.commit(word, job_sh=script(word, 420000))
    slow = project.commit("much slower", job_sh=script("sixth", 640000))
    for word in ("seventh", "eighth", "ninth", "tenth"):
        project.commit(word, job_sh=script(word, 640000))
    document, _ = found("", "./job.sh", "--effect", "30%")
    assert_found(project, document, slow)


# ---- Modules ----

GO = """// {note}
package main

import "fmt"

func mix(sum uint64, i uint64) uint64 {{
\tfor j := uint64(0); j < {rounds}; j++ {{
\t\tsum = sum*6364136223846793005 + (i ^ j)
\t}}
\treturn sum
}}

func main() {{
\tsum := uint64(1)
\tfor i := uint64(0); i < 200; i++ {{
\t\tsum = mix(sum, i)
\t}}
\tfmt.Println(sum)
}}
"""


@pytest.mark.soak
def test_a_go_module(project, found, monkeypatch):
    """Three commits in a row do not build, one of them the slow one."""
    need("go")
    monkeypatch.setenv("GOFLAGS", "-buildvcs=false")
    monkeypatch.setenv("GOTOOLCHAIN", "local")
    source = lambda note, factor=1.0: GO.format(note=note, rounds=round(factor * ROUNDS))
    project.commit("a module", go_mod="module example.org/job\n\ngo 1.18\n", main_go=source("first"),
                   _gitignore="job\n.duet/\n")
    for word in ("second", "third"):
        project.commit(word, main_go=source(word))
    broken = [project.commit("broken", main_go=source("fourth").replace("return sum", "return")),
              project.commit("slower, and broken", main_go=source("fifth", MORE).replace("return sum", "return")),
              project.commit("nearly mended", main_go=source("sixth", MORE) + "func main() {}\n")]
    mended = project.commit("mended", main_go=source("seventh", MORE))
    for word in ("eighth", "ninth", "tenth"):
        project.commit(word, main_go=source(word, MORE))
    document, result = found("go build -o job .", "./job")
    assert document["outcome"] == "group"
    likely = [i for i, commit in enumerate(document["commits"]) if commit["probability"] > 0]
    assert likely == [*broken, mended] and left_out(document) == broken
    assert "first slow commit: one of 4" in result.stdout


RUST = """// {note}
fn mix(mut sum: u64, i: u64) -> u64 {{
    for j in 0..{rounds}u64 {{
        sum = sum.wrapping_mul(6364136223846793005).wrapping_add(i ^ j);
    }}
    sum
}}

fn main() {{
    println!("{{}}", (0..200).fold(1, mix));
}}
"""


def test_a_rust_package(project, found):
    need("cargo")
    source = lambda note, factor=1.0: RUST.format(note=note, rounds=round(factor * ROUNDS))
    manifest = '[package]\nname = "job"\nversion = "{}"\nedition = "2021"\n'
    project.commit("a package", Cargo_toml=manifest.format("0.1.0"), src__main_rs=source("first"),
                   Cargo_lock='version = 3\n\n[[package]]\nname = "job"\nversion = "0.1.0"\n',
                   _gitignore="target/\n.duet/\n")
    project.commit("second", src__main_rs=source("second"))
    slow = project.commit("slower", src__main_rs=source("third", MUCH))
    for word in ("fourth", "fifth", "sixth"):
        project.commit(word, src__main_rs=source(word, MUCH))
    document, _ = found("cargo build --release --offline --quiet", "target/release/job",
                        "--dear-builds")
    assert_found(project, document, slow)
    assert not left_out(document)
