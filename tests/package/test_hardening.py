"""What is built is hardened: nothing that the loader has filled in stays writable, the
program has no fixed address, and overflows of the stack are noticed."""

import subprocess

import pytest


@pytest.fixture(params=["duet", "libduet.so"])
def binary(request, built_program):
    return built_program(request.param)


def readelf(what, path):
    return subprocess.run(["readelf", "--wide", what, path], capture_output=True,
                          text=True, check=True).stdout


def test_full_relro(binary):
    assert "GNU_RELRO" in readelf("--segments", binary)
    assert "NOW" in readelf("--dynamic", binary)


def test_position_independent(binary):
    assert "DYN" in readelf("--file-header", binary)
    if not binary.endswith(".so"):
        assert "PIE" in readelf("--dynamic", binary)


def test_stack_is_not_executable(binary):
    stack = next(line for line in readelf("--segments", binary).splitlines()
                 if "GNU_STACK" in line)
    assert "RWE" not in stack


def test_stack_is_protected(binary):
    assert "__stack_chk_fail" in readelf("--dyn-syms", binary)


def test_calls_are_fortified(built_program):
    assert "__snprintf_chk" in readelf("--dyn-syms", built_program("duet"))


def test_every_file_was_compiled_so(built_program):
    """gcc notes its options in the debug information."""
    text = subprocess.run(["readelf", "--wide", "--debug-dump=info", "--dwarf-depth=1",
                           built_program("duet")], capture_output=True, text=True,
                          check=True).stdout
    producers = [line for line in text.splitlines() if "DW_AT_producer" in line]
    assert len(producers) > 100
    if "GNU C" not in producers[0]:
        pytest.skip("not built by gcc")
    for option in ("-fPI", "-fstack-protector-strong", "-fstack-clash-protection"):
        without = [line for line in producers if option not in line]
        assert not without, (option, without[:3])
