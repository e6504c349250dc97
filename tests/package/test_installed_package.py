"""What `cmake --install` puts on a machine: a project outside the tree builds against it
with pkg-config and with find_package, and sees nothing of the inside."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("DUET_BUILD_DIR", ROOT / "build")).resolve()

# A benchmark with names of its own that the library uses inside.
PROGRAM = r"""
#include <duet/duet.h>
int alloc_array(void);
int sync_meet(void);
int alloc_array(void) { return 1; }
int sync_meet(void) { return 2; }
int main(void)
{
    struct duet *d = duet_open("outside");
    int sum = 0;
    while (duet_next(d)) {
        duet_begin(d);
        sum += alloc_array() + sync_meet();
        duet_keep(&sum);
        duet_end(d);
    }
    return duet_close(d);
}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C CXX)
find_package(Duet 0.1 REQUIRED)
add_executable(static_c main.c)
target_link_libraries(static_c PRIVATE Duet::duet)
add_executable(shared_cxx main.cpp)
target_link_libraries(shared_cxx PRIVATE Duet::shared)
"""


def run(*command, **options):
    result = subprocess.run([*map(str, command)], check=False, text=True, timeout=50,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert result.returncode == 0, f"{command}:\n{result.stdout}"
    return result.stdout


def measures(program, **environment):
    output = run(program, env={**os.environ, "DUET_ITERATIONS": "3", **environment})
    assert re.fullmatch(r"outside: .* median .*\(3 iterations\)\n", output), output


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installed tree that was moved afterwards: nothing in it may know its place."""
    if re.search(r"^DUET_SANITIZE:\w+=.+", (BUILD / "CMakeCache.txt").read_text(), re.M):
        pytest.skip("a sanitized build is not for installing")
    first = tmp_path_factory.mktemp("first") / "usr"
    run("cmake", "--install", BUILD / "src" / "harness", "--prefix", first)
    moved = tmp_path_factory.mktemp("moved") / "usr"
    shutil.move(first, moved)
    return moved


@pytest.fixture(scope="module")
def library_folder(prefix):
    return next(prefix.rglob("libduet.a")).parent


@pytest.fixture
def source(tmp_path):
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    return tmp_path


def defined(*arguments):
    """Global symbols that a library defines."""
    lines = run("nm", "--defined-only", "--extern-only", *arguments).splitlines()
    return {line.split()[2] for line in lines if len(line.split()) == 3}


def test_only_the_interface_is_visible(library_folder):
    header = (ROOT / "include" / "duet" / "duet.h").read_text()
    declared = set(re.findall(r"^DUET_API .*?\b(duet_\w+)\(", header, re.M))
    assert len(declared) >= 8
    assert defined(library_folder / "libduet.a") == declared
    assert defined("--dynamic", library_folder / "libduet.so") == declared


def test_what_old_systems_have_in_another_library(prefix, library_folder):
    """libduet.a of a release is linked on Debian 11, whose pthread_sigmask() is in libpthread."""
    wanted = run("nm", "--undefined-only", library_folder / "libduet.a")
    assert "pthread_sigmask" in wanted
    assert " -pthread" in (library_folder / "pkgconfig/duet.pc").read_text()
    targets = next(prefix.rglob("DuetTargets.cmake")).read_text()
    assert re.search(r'Duet::duet PROPERTIES[^)]*INTERFACE_LINK_LIBRARIES "-pthread"', targets)


def test_the_shared_library_has_a_version(library_folder):
    dynamic = run("readelf", "-d", library_folder / "libduet.so")
    assert "[libduet.so.0]" in dynamic
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    assert all(name.startswith(("libc.so", "ld-linux")) for name in needed), needed


def test_abi(library_folder):
    """Programs that are linked with an older libduet.so.0 find what they use, unchanged."""
    lines = (ROOT / "src/harness/libduet.abi").read_text().splitlines()
    promised = {line for line in lines if not line.startswith("#")}
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "include/duet/duet.h").read_text(), flags=re.S)
    declared = {re.sub(r"\s+", " ", found)
                for found in re.findall(r"^DUET_API (.*?);", header, re.M | re.S)}
    assert declared - promised == set(), "add new functions to src/harness/libduet.abi"
    assert promised - declared == set(), "a function is gone or changed: that needs a new SOVERSION"
    names = {re.search(r"(\w+)\(", line).group(1) for line in promised}
    assert defined("--dynamic", library_folder / "libduet.so") == names


@pytest.mark.parametrize("compiler, language", [("cc", "c"), ("c++", "cpp")])
@pytest.mark.parametrize("static", [True, False])
def test_pkg_config(library_folder, source, compiler, language, static):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library_folder / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "duet", env=environment).split()
    program = source / "program"
    link = ["-Wl,-Bstatic", *flags, "-Wl,-Bdynamic"] if static else flags
    run(compiler, source / f"main.{language}", "-o", program, *link)
    measures(program, LD_LIBRARY_PATH="" if static else str(library_folder))


# The harness's folder as a project of its own: configuring all takes many seconds.
HARNESS_ALONE = """
cmake_minimum_required(VERSION 3.22)
project(duet VERSION 1.2.3 LANGUAGES C CXX)
include(GNUInstallDirs)
add_library(duet_options INTERFACE)
target_compile_definitions(duet_options INTERFACE _GNU_SOURCE)
add_subdirectory(src/harness)
"""


@pytest.fixture
def harness_alone(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(HARNESS_ALONE)
    for name in ("src", "include"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize("library, include", [("lib", "include"), ("usr/lib/some-linux-gnu", "inc"),
                                              ("{root}/sys/lib64", "include"),
                                              ("lib", "{root}/headers")])
def test_the_folders_of_pkg_config(harness_alone, tmp_path, library, include):
    """Relative to the prefix or absolute, as some distributions have them."""
    library, include = (text.format(root=tmp_path) for text in (library, include))
    run("cmake", "-S", harness_alone, "-B", tmp_path / "b", f"-DCMAKE_INSTALL_PREFIX={tmp_path}/p",
        f"-DCMAKE_INSTALL_LIBDIR={library}", f"-DCMAKE_INSTALL_INCLUDEDIR={include}")
    folder = tmp_path / "p" / library
    (folder / "pkgconfig").mkdir(parents=True)
    shutil.copy(tmp_path / "b/src/harness/duet.pc", folder / "pkgconfig")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder / "pkgconfig")}
    for name, expected in (("libdir", folder), ("includedir", tmp_path / "p" / include)):
        said = run("pkg-config", f"--variable={name}", "duet", env=environment).strip()
        assert os.path.normpath(said) == str(expected)


@pytest.mark.rotating(2)
@pytest.mark.parametrize("option", ["-DCMAKE_C_FLAGS=-O2 -flto=auto -ffat-lto-objects",
                                    "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"])
def test_only_the_interface_is_visible_with_lto(harness_alone, library_folder, tmp_path, option):
    """Distributions build with it, and it knows nothing of symbols that were made local since."""
    run("cmake", "-S", harness_alone, "-B", tmp_path / "b", option)
    run("cmake", "--build", tmp_path / "b", "--target", "duet_harness")
    assert defined(tmp_path / "b/src/harness/libduet.a") == defined(library_folder / "libduet.a")


def test_find_package(prefix, source):
    build = source / "build"
    run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    measures(build / "static_c")
    measures(build / "shared_cxx")


@pytest.mark.parametrize("standard", ["-std=c11", "-std=c17"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_header_is_strict_c(source, standard, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    run(compiler, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
        "-I", ROOT / "include", source / "main.c")


@pytest.mark.parametrize("name", ["sum", "sort", "zlib"])
def test_examples_measure_themselves(name):
    program = BUILD / "examples" / f"example_{name}"
    if not program.exists():
        pytest.skip(f"{program.name} was not built: its library is not installed")
    output = run(program, env={**os.environ, "DUET_ITERATIONS": "3"})
    assert re.search(r"median .*\(3 iterations\)\n$", output), output
    listed = run(program, env={**os.environ, "DUET_ITERATIONS": "3", "DUET_TIMES": "1"})
    assert re.match(r"(\d+\n){3}\D", listed), listed


def library_page(prefix):
    return (prefix / "share/man/man3/duet_open.3").read_text()


def prototypes(text):
    return {re.sub(r"\s+", " ", found) for found in re.findall(
        r"^[a-z][\w ]*?[ *]duet_\w+\([^()]*\)", text, re.MULTILINE)}


def test_the_library_has_a_manual_page(prefix):
    """With each function as the header declares it, and a page of each name."""
    header = (ROOT / "include/duet/duet.h").read_text()
    declared = prototypes(re.sub(r"^(?:DUET_API|static inline) ", "", header, flags=re.MULTILINE))
    names = {re.search(r"duet_\w+(?=\()", one)[0] for one in declared}
    assert len(names) >= 9
    page = library_page(prefix)
    shown = "\n".join("".join(shlex.split(line)[1:])
                      for line in re.findall(r"^\.BI .*duet_\w+\(.*", page, re.MULTILINE))
    assert prototypes(shown) == declared
    head = page.split(".SH NAME\n")[1].split(" \\- ")[0]
    assert set(head.split(", ")) == names
    for name in names:
        assert f".TP\n.BR {name} ()\n" in page
    folder = prefix / "share/man/man3"
    assert {path.stem for path in folder.iterdir()} == names
    for name in names - {"duet_open"}:
        assert (folder / f"{name}.3").read_text() == ".so man3/duet_open.3\n"


def test_the_example_of_the_manual_page(prefix, library_folder, tmp_path):
    example = library_page(prefix).split(".EX\n")[1].split(".EE\n")[0]
    (tmp_path / "bench.c").write_text(example)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library_folder / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "duet", env=environment).split()
    run("cc", "-Wall", "-Wextra", "-Werror", tmp_path / "bench.c", "-o", tmp_path / "bench",
        *flags)
    output = run(tmp_path / "bench", env={**os.environ, "DUET_ITERATIONS": "3",
                                          "LD_LIBRARY_PATH": str(library_folder)})
    assert re.fullmatch(r"bench: .* \(3 iterations\)\n", output), output


def test_every_command_has_a_manual_page(run_duet, tmp_path):
    run("cmake", "--install", BUILD / "src" / "cli", "--prefix", tmp_path / "usr")
    offered = re.findall(r"^## duet (.+)$", run_duet("help", "--markdown").stdout, re.M)
    assert len(offered) >= 28
    titles = {"duet", *("duet-" + name.replace(" ", "-") for name in offered)}
    pages = {page.stem: page.read_text() for page in (tmp_path / "usr/share/man/man1").iterdir()}
    assert set(pages) == titles
    for title, text in pages.items():
        assert re.search(rf"^\.TH {title} 1", text, re.M | re.I), text[:200]


def test_every_topic_has_a_manual_page(run_duet, tmp_path):
    run("cmake", "--install", BUILD / "src" / "cli", "--prefix", tmp_path / "usr")
    listed = re.findall(r"^  (\S+) ", run_duet("help", "topics").stdout, re.M)
    pages = {page.name: page.read_text() for page in (tmp_path / "usr/share/man/man7").iterdir()}
    assert set(pages) == {f"duet-{topic}.7" for topic in listed} != set()
    for topic in listed:
        assert pages[f"duet-{topic}.7"].startswith(f".TH duet-{topic} 7 ")
        assert pages[f"duet-{topic}.7"] == run_duet("help", "--man", topic).stdout


def test_uninstall_removes_what_was_installed(tmp_path):
    """And nothing else; a copy of the tool, since build/ need not be the build under test."""
    tool = tmp_path / "tree/tools/uninstall"
    tool.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tools/uninstall", tool)
    missing = subprocess.run([tool], check=False, text=True, capture_output=True)
    assert missing.returncode == 2 and "nothing was installed from this folder" in missing.stderr
    root = tmp_path / "root"
    files = ["/usr/bin/duet", "/usr/lib/duet/duet.jar", "/usr/include/duet/duet.h", "/usr/lib/libduet.so"]
    for file in [*files, "/usr/include/duet/mine.h"]:
        path = pathlib.Path(f"{root}{file}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "tree/build").mkdir()
    (tmp_path / "tree/build/install_manifest.txt").write_text("\n".join(files))
    assert run(tool, root) == "uninstall: removed 4 files\n"
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == [
        "usr", "usr/bin", "usr/include", "usr/include/duet", "usr/include/duet/mine.h", "usr/lib"]
    assert run(tool, root) == "uninstall: removed 0 files\n"
