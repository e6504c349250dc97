"""A few of the faults that tests/soak/faults.py lets happen one after the other."""

import os
import random

import pytest

from support import fault_cases as faults
from support.syscall_faults import is_supported

pytestmark = [
    pytest.mark.bare,  # not beside Valgrind or sanitizers, which make calls of their own
    pytest.mark.skipif(not is_supported(), reason="no seccomp listener here")]


@pytest.fixture(scope="module")
def laboratory(built_program, tmp_path_factory):
    return faults.Laboratory(built_program("duet"), built_program("odd_benchmark"),
                             built_program("liblibrary_faults.so"),
                             tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("name", ["run", "benchmark", "suite", "show", "import",
                                  "gate", "ci", "rm", "prune", "git", "fleet-submit",
                                  "fleet-task", "fleet-collect"])
def test_some_calls_fail(laboratory, name):
    """Which ones changes with the seed; what is wrong says how to have it again."""
    seed = int(os.environ.get("DUET_TEST_SEED", random.randrange(1000)))
    chance = random.Random(seed)
    counts = laboratory.census(name)
    del counts["lock"]  # which SQLite asks for again, for ten seconds
    for group in chance.sample([group for group, count in counts.items() if count], 5):
        error = chance.choice(faults.SYSTEM_CALLS[group][1])
        nth = chance.choice(faults.places(group, counts[group]))
        outcome = laboratory.system_fault(name, group, error, nth)
        assert not outcome.wrong, f"seed {seed}: {group} {nth} {error}: {outcome.errors}"
    call = chance.choice(faults.LIBRARY_CALLS)
    nth = chance.randint(1, max(1, laboratory.library_calls(name, call)))
    outcome = laboratory.library_fault(name, call, faults.SQLITE_CODES[0], nth)
    assert not outcome.wrong, f"seed {seed}: {call} {nth}: {outcome.errors}"


def test_the_guard_is_not_told(laboratory):
    """It takes that for the death of the runner, which it must not kill."""
    counts = laboratory.census("turns")
    for nth in range(counts["send"] - 1, counts["send"] + 1):
        outcome = laboratory.system_fault("turns", "send", "ENOBUFS", nth, on=True)
        assert not outcome.wrong, outcome.errors


def test_the_folder_of_a_lock_cannot_be_looked_at(laboratory):
    """That was taken for another process that has it, and waited for."""
    calls = laboratory.census("git")["stat"]
    outcomes = [laboratory.system_fault("git", "stat", "EACCES", calls * part // 20, on=True)
                for part in range(5, 11)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]
    assert any("as a folder" in outcome.errors for outcome in outcomes)


def test_a_store_that_cannot_be_looked_at(laboratory):
    """That is not gone: a copy of it was made."""
    calls = laboratory.census("turns")["stat"]
    outcomes = [laboratory.system_fault("turns", "stat", "EIO", nth)
                for nth in range(calls - 10, calls + 1)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]


def test_what_cannot_be_read_of_a_fleet(laboratory):
    """A task that was done was said to be waiting."""
    calls = laboratory.census("fleet-status")["read"]
    outcomes = [laboratory.system_fault("fleet-status", "read", "EIO", nth, on=True)
                for nth in range(calls - 8, calls + 1)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]


def test_half_a_fleet_is_told(laboratory):
    """Neither written nor removed: it stayed without a word."""
    calls = laboratory.census("fleet-ship")["open"]
    outcomes = [laboratory.system_fault("fleet-ship", "open", "EIO", nth, on=True)
                for nth in range(calls * 2 // 3, calls + 1)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]
    assert any("remove it by hand" in outcome.errors for outcome in outcomes)


def test_no_memory_is_said(laboratory):
    """The message itself would take some, too."""
    laboratory.census("show")
    outcome = laboratory.library_fault("show", "memory", 0, 1500, on=True)
    assert outcome.injected > 0 and not outcome.wrong, outcome.errors
    assert "memory" in outcome.errors
    laboratory.census("suite")
    outcome = laboratory.library_fault("suite", "memory", 0, 330, on=True)
    assert not outcome.wrong, outcome.errors
    assert "cannot remove" in outcome.errors


@pytest.mark.parametrize("name, calls", [("run", (3, 10)), ("suite", (203, 217)), ("git", (3, 10)),
                                         ("fleet-ship", (30, 70)), ("fleet-status", (8, 20))])
def test_nobody_is_blamed_for_want_of_memory(laboratory, name, calls):
    """Status 2: an option was wrong, the file no YAML, a path no UTF-8, the folder no fleet."""
    laboratory.census(name)
    outcomes = [laboratory.library_fault(name, "memory", 0, nth) for nth in range(*calls)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]


@pytest.mark.parametrize("name", ["show", "list"])
def test_a_text_without_memory(laboratory, name):
    """It was taken for an empty one: a verdict, a seed or an origin was missing."""
    laboratory.census(name)
    call = "sqlite3_column_text"
    count = laboratory.library_calls(name, call)
    outcomes = [laboratory.library_fault(name, call, 7, nth)
                for nth in range(count - 1, 1, -count // 12)]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]
    assert any(outcome.status == 5 and "memory" in outcome.errors for outcome in outcomes)


def test_hwloc_without_memory(laboratory):
    """It crashes, in a process of its own."""
    laboratory.census("doctor")
    outcomes = [laboratory.library_fault("doctor", "memory", 0, nth, on=on)
                for nth, on in [(20, True), (40, True), (80, True), (160, True), (40, False)]]
    assert not [outcome.errors for outcome in outcomes if outcome.wrong]
    assert any("hwloc has failed" in outcome.errors and outcome.status == 5
               for outcome in outcomes)


def test_a_call_that_came_a_certain_way(laboratory):
    """One stack is another's first call, whichever number it has this time."""
    laboratory.census("list")
    stacks = laboratory.call_stacks("list", "memory")
    assert stacks.keys() == laboratory.call_stacks("list", "memory").keys()
    assert 1000 < len(stacks) < max(stacks.values())
    for stack in random.Random(1).sample(sorted(stacks), 3):
        outcome = laboratory.library_fault("list", "memory", 0, 1, stack=stack)
        assert outcome.injected == 1 and not outcome.wrong, f"{stack}: {outcome.errors}"
