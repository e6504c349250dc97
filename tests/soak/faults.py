"""Every n-th call of a class fails: what duet makes of it, on its main paths.

usage: python3 tests/soak/faults.py DUET ODD_BENCHMARK LIBRARY_FAULTS [--each N] [--seed N]
           [--only SCENARIO,...] [--classes CLASS,...] [--jobs N] [--minutes T] [--state FILE]

For each scenario and class, and every n up to the number of calls (--each N: N of them, by
chance), the n-th call fails, or all from the n-th on. Nine tenths of the calls allocate memory,
and most of these come the same way: the class "memory by stack" has one of each call stack,
which no scenario before had, and "memory" all. Cases are tried in a random order, one of each
class after the other, so that small classes are done first, and "memory" after all others; N at
a time, for T minutes; with --state another call goes on from there, as long as it is the same
program. Prints a table: class, times injected, outcome, how many there are; its exit status is 1
when something was wrong (support/fault_cases.py)."""

import argparse
import collections
import contextlib
import ctypes
import hashlib
import itertools
import json
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fault_cases as faults

PR_SET_CHILD_SUBREAPER = 36


BY_STACK = "memory by stack"
STACK_SLACK = 0.2, 500  # by which part and by how many the first call of a stack comes earlier


class Case:
    """One call that fails: which one, with which error, and whether all behind it do, too.
    place: its number, or the stack that it has."""

    def __init__(self, name, group, place, seed, begin=0):
        chance = random.Random(f"{seed} {name} {group} {place}")
        self.key = [name, group, place]
        self.begin = begin
        self.on = chance.random() < 0.3
        if group in faults.SYSTEM_CALLS:
            self.error = chance.choice(faults.SYSTEM_CALLS[group][1])
            self.on = self.on and faults.lasts(group, self.error)
        else:
            self.error = chance.choice(faults.SQLITE_CODES)

    def _fault(self, laboratory):
        name, group, place = self.key
        if group in faults.SYSTEM_CALLS:
            return laboratory.system_fault(name, group, self.error, place, self.on)
        if group == BY_STACK:
            return laboratory.library_fault(name, "memory", self.error, self.begin, self.on,
                                            stack=place)
        return laboratory.library_fault(name, group, self.error, place, self.on)

    def try_out(self, laboratory):
        """What came of it."""
        outcome = self._fault(laboratory)
        return {"key": self.key, "kind": outcome.kind() if outcome.injected else "not reached",
                "wrong": bool(outcome.wrong), "say": f"{self.error}{'+' if self.on else ''}: "
                f"{outcome.errors.strip()[-300:]!r}" if outcome.wrong else ""}


def stack_cases(laboratory, name, known, seed):
    """One of each stack that is not known."""
    part, number = STACK_SLACK
    cases = [Case(name, BY_STACK, stack, seed, max(1, int(first * (1 - part)) - number))
             for stack, first in laboratory.call_stacks(name, "memory").items()
             if stack not in known]
    known.update(case.key[2] for case in cases)
    return cases


def cases_of(laboratory, name, classes, seed):
    """class -> cases of a scenario, all of them."""
    counts = laboratory.census(name)
    for call in faults.LIBRARY_CALLS:
        if not classes or call in classes:
            counts[call] = laboratory.library_calls(name, call)
    return {group: [Case(name, group, nth, seed) for nth in faults.places(group, count)]
            for group, count in counts.items() if not classes or group in classes}


def plan(laboratory, names, classes, seed, each):
    """All cases, system calls and library calls, a random one of each class in turn; those of
    "memory" are the last."""
    cases = collections.defaultdict(list)
    stacks = set()
    for name in names:
        of_classes = cases_of(laboratory, name, classes, seed)
        if not classes or BY_STACK in classes:
            of_classes[BY_STACK] = stack_cases(laboratory, name, stacks, seed)
        for group, all_of_it in of_classes.items():
            if each and len(all_of_it) > each:
                all_of_it = random.Random(f"{seed} {name} {group}").sample(all_of_it, each)
            cases[group] += all_of_it
    for of_class in cases.values():
        random.Random(seed).shuffle(of_class)
    last = cases.pop("memory", [])
    turns = itertools.zip_longest(*cases.values())
    return [case for turn in turns for case in turn if case is not None] + last


def read_state(path, program):
    """What is known of this program."""
    if not path.exists():
        return []
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return [line for line in lines if line["program"] == program]


def work(laboratory, cases, deadline, state, program):
    """A job: each outcome is a line of the state, written at once."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    laboratory.folder /= str(os.getpid())
    laboratory.folder.mkdir()
    with contextlib.suppress(KeyboardInterrupt):
        for case in cases:
            if time.monotonic() > deadline:
                break
            line = {**case.try_out(laboratory), "program": program}
            fd = os.open(state, os.O_WRONLY | os.O_APPEND)
            os.write(fd, (json.dumps(line) + "\n").encode())
            os.close(fd)
            if line["wrong"]:
                print("#", *case.key, line["kind"], line["say"], flush=True)


def work_all(laboratory, cases, jobs, deadline, state, program):
    """All jobs, each in a process of its own."""
    started = []
    for job in range(jobs):
        pid = os.fork()
        if pid == 0:
            work(laboratory, cases[job::jobs], deadline, state, program)
            os._exit(0)
        started.append(pid)
    ends = []
    with contextlib.suppress(KeyboardInterrupt):
        ends = [os.waitpid(pid, 0)[1] for pid in started]
    if any(ends):
        raise RuntimeError("a job has failed")


def show(lines, cases):
    """The table; whether something was wrong."""
    outcomes = collections.defaultdict(collections.Counter)
    planned = collections.Counter(case.key[1] for case in cases)
    for line in lines:
        outcomes[line["key"][1]][line["kind"]] += 1
    print("| class | calls | injected | outcome |\n|---|---|---|---|")
    for group, counts in sorted(outcomes.items()):
        text = ", ".join(f"{kind} {count}" for kind, count in counts.most_common())
        print(f"| {group} | {planned[group]} | {counts.total() - counts['not reached']} | {text} |")
    bad = sum(line["wrong"] for line in lines)
    injected = sum(line["kind"] != "not reached" for line in lines)
    print(f"{len(lines)} of {len(cases)} faults, {injected} injected, {bad} with something wrong")
    return bad > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for word in ("duet", "odd_benchmark", "library"):
        parser.add_argument(word)
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--classes", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--state", type=pathlib.Path)
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    deadline = time.monotonic() + 60 * arguments.minutes
    classes = set(filter(None, arguments.classes.split(",")))
    program = hashlib.sha256(pathlib.Path(arguments.duet).read_bytes()).hexdigest()
    with tempfile.TemporaryDirectory(prefix="duet-faults-") as folder:
        state = arguments.state or pathlib.Path(folder) / "state"
        state.touch()
        laboratory = faults.Laboratory(arguments.duet, arguments.odd_benchmark,
                                       arguments.library, folder)
        names = list(filter(None, arguments.only.split(","))) or list(laboratory.scenarios)
        cases = plan(laboratory, names, classes, arguments.seed, arguments.each)
        known = {tuple(line["key"]) for line in read_state(state, program)}
        left = [case for case in cases if tuple(case.key) not in known]
        work_all(laboratory, left, arguments.jobs, deadline, state, program)
        return show(read_state(state, program), cases)


if __name__ == "__main__":
    sys.exit(main())
