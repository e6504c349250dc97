"""Every n-th call of a class fails: what duet makes of it, on its main paths.

usage: python3 tests/soak/faults.py DUET ODD_BENCHMARK LIBRARY_FAULTS [--each N] [--seed N]
           [--only SCENARIO,...] [--classes CLASS,...] [--piece K/N]

For each scenario and class, and every n up to the number of calls (--each N: N of them, by
chance), the n-th call fails, or all from the n-th on. Prints a table: class, times injected,
outcome; its exit status is 1 when something was wrong (support/fault_cases.py)."""

import argparse
import collections
import contextlib
import ctypes
import itertools
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fault_cases as faults

PR_SET_CHILD_SUBREAPER = 36


def plan(laboratory, names, classes, chance, each):
    """(scenario, class, n, whether all behind it fail, too), for system calls and then for
    library calls."""
    for name in names:
        counts = laboratory.census(name)
        for call in faults.LIBRARY_CALLS:
            counts[call] = laboratory.library_fault(name, call, 0, faults.NOT_REACHED).seen
        for group, count in counts.items():
            if classes and group not in classes:
                continue
            places = faults.places(group, count)
            for nth in places if not each or len(places) <= each else \
                    sorted(chance.sample(places, each)):
                yield name, group, nth, chance.random() < 0.3


def one(laboratory, name, group, nth, on, chance):
    """The outcome, and with which error."""
    if group in faults.SYSTEM_CALLS:
        error = chance.choice(faults.SYSTEM_CALLS[group][1])
        return laboratory.system_fault(name, group, error, nth,
                                       on and faults.lasts(group, error)), error
    code = chance.choice(faults.SQLITE_CODES)
    return laboratory.library_fault(name, group, code, nth, on), code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for word in ("duet", "odd_benchmark", "library"):
        parser.add_argument(word)
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--classes", default="")
    parser.add_argument("--piece", default="0/1", help="K/N: every N-th fault, from the K-th")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chance = random.Random(arguments.seed)
    classes = set(filter(None, arguments.classes.split(",")))
    outcomes = collections.defaultdict(collections.Counter)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="duet-faults-") as folder:
        laboratory = faults.Laboratory(arguments.duet, arguments.odd_benchmark,
                                       arguments.library, folder)
        names = list(filter(None, arguments.only.split(","))) or laboratory.scenarios
        faults_wanted = plan(laboratory, names, classes, chance, arguments.each)
        first, step = map(int, arguments.piece.split("/"))
        with contextlib.suppress(KeyboardInterrupt):  # what has been tried is shown
            for name, group, nth, on in itertools.islice(faults_wanted, first, None, step):
                outcome, error = one(laboratory, name, group, nth, on, chance)
                outcomes[group][outcome.kind() if outcome.injected else "not reached"] += 1
                bad += bool(outcome.wrong)
                if outcome.wrong or arguments.verbose:
                    print(f"# {name}: {group} {nth}{'+' if on else ''} {error}: "
                          f"{outcome.kind()}: {outcome.errors.strip()[-300:]!r}", flush=True)
    print("| class | injected | outcome |\n|---|---|---|")
    for group, counts in outcomes.items():
        text = ", ".join(f"{kind} {count}" for kind, count in counts.most_common())
        print(f"| {group} | {sum(counts.values()) - counts['not reached']} | {text} |")
    print(f"{sum(map(sum, map(collections.Counter.values, outcomes.values())))} faults, "
          f"{bad} with something wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
