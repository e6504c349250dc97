"""How often a program that is compared with itself looks changed: live, and replayed.

usage: python3 tests/soak/alarms.py BUILD_FOLDER [--live N] [--time T] [--minutes T]
           [--recordings N] [--replays N] [--runs N] [--folder FOLDER]

Live: N comparisons with default options, each of one of the kinds below, for T at most
(default: 1,000, 10s). Those of before count when they had the same T; --minutes ends this
call earlier. Replayed: each kind is recorded N times (default: 4) by each schedule,
for so many runs (120), and their coins are tossed anew N times (1,000,000;
replay_alarms.c). Prints both with their 99 % Clopper-Pearson intervals; its exit status is 1
when an interval lies above the promised 1 %. What was measured stays in FOLDER
(BUILD_FOLDER/soak-alarms), and an interrupted soak goes on from there."""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from truth_judge import ALPHA, clopper_pearson

SCHEDULES = ["duet", "timeslice"]


def kinds(duet):
    """Programs of known kinds: benchmarks with the harness, and commands."""
    found = {kind: f"{duet} workload {kind} --duration 5ms"
             for kind in ("integer", "float", "cache", "memory")}
    found["true"] = "true"
    found["sort"] = f"sort {ROOT / 'docs/method.md'}"
    return found


def share(hits, trials):
    low, high = clopper_pearson(hits, trials)
    return f"{hits} of {trials}, {100 * hits / trials:.2f} % [{100 * low:.2f}, {100 * high:.2f}]"


def live(duet, folder, count, limit, deadline):
    """The verdicts of `count` comparisons, by kind, or of those that there are at the
    deadline; those of before count."""
    path = folder / "live.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    done = [line for line in map(json.loads, lines) if line["time"] == limit]
    names = list(kinds(duet).items())
    with path.open("a") as out:
        for i in range(len(done), count):
            if time.monotonic() > deadline:
                break
            kind, command = names[i % len(names)]
            answer = subprocess.run(
                [duet, "--store", "none", "-q", "--export-json", "-", "--until",
                 f"decided,time={limit}", command, command], check=True, text=True,
                capture_output=True, stdin=subprocess.DEVNULL)
            comparison = json.loads(answer.stdout)["comparisons"][0]
            done.append({"kind": kind, "time": limit, "verdict": comparison["verdict"],
                         "runs": comparison["runs"], "load": os.getloadavg()[0]})
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    verdicts = collections.defaultdict(collections.Counter)
    for one in done[:count]:
        verdicts[one["kind"]][one["verdict"]] += 1
    return verdicts


def show_live(verdicts):
    """Whether the promise holds."""
    print("| live | comparisons | same | unsure | false alarms |\n|---|---:|---:|---:|---|")
    total = sum(verdicts.values(), collections.Counter())
    for kind, counts in [*verdicts.items(), ("all", total)]:
        wrong = counts["slower"] + counts["faster"]
        print(f"| {kind} | {counts.total()} | {counts['same']} | {counts['unsure']} | "
              f"{share(wrong, counts.total())} |")
    wrong = total["slower"] + total["faster"]
    return clopper_pearson(wrong, total.total())[0] <= ALPHA


def recorded(store):
    """Name -> the experiments of that name that are whole."""
    found = collections.defaultdict(list)
    if store.exists():
        with contextlib.closing(sqlite3.connect(store)) as reader:
            for name, number in reader.execute(
                    "SELECT name, id FROM experiment WHERE state = 'done' ORDER BY id"):
                found[name].append(number)
    return found


def record(duet, folder, times, runs):
    """The store and the experiments in it."""
    store = folder / "recordings.db"
    ids = []
    for kind, command in kinds(duet).items():
        for schedule in SCHEDULES:
            name = f"{kind}, {schedule}"
            for _ in range(len(recorded(store)[name]), times):
                # A precision that is never reached: coins are tossed as where the data decide.
                subprocess.run([duet, "--store", store, "-q", "--name", name, "--schedule",
                                schedule, "--until", f"precision=0.00001%,runs={runs},time=10m",
                                command, command], check=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
            ids += recorded(store)[name][:times]
    return store, ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--live", type=int, default=1000)
    parser.add_argument("--time", default="10s")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--recordings", type=int, default=4)
    parser.add_argument("--replays", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    duet = str(build / "src/cli/duet")
    folder = arguments.folder or build / "soak-alarms"
    folder.mkdir(exist_ok=True)
    holds = True
    print(f"load average before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} CPUs")
    if arguments.live > 0:
        deadline = time.monotonic() + 60 * arguments.minutes
        holds = show_live(live(duet, folder, arguments.live, arguments.time, deadline))
    if arguments.replays > 0:
        store, ids = record(duet, folder, arguments.recordings, arguments.runs)
        done = subprocess.run([build / "tests/replay_alarms", store, str(arguments.replays),
                               str(arguments.seed), *map(str, ids)], check=False)
        holds = holds and done.returncode == 0
    print(f"load average after: {os.getloadavg()[0]:.1f}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
