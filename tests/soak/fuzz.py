"""Each fuzzer until it has executed so many inputs: how many, how fast, what was found.

usage: python3 tests/soak/fuzz.py BUILD_FOLDER [--wanted N] [--minutes T] [--slice S]
           [--jobs N] [--only FUZZER,...] [--bytes N] [--state FILE]

Those that have the fewest of N inputs (100,000,000, or what a line "// wanted: N" of the fuzzer
says, if that is less) have slices of S seconds (300) in turn, some
at a time, until all have N or T minutes (180) are over. Counts stay in FILE
(BUILD_FOLDER/soak-fuzz.jsonl), and another call goes on from there. Prints a table: fuzzer,
executions, executions a second of the last slice, slices that found something; its exit status
is 1 when any did. What was found is in BUILD_FOLDER/fuzz, called FUZZER-crash-..., and the
fuzzer is left out from then on in this call."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "fuzz"


def read_state(path):
    """fuzzer -> its slices."""
    slices = collections.defaultdict(list)
    if path.exists():
        for line in path.read_text().splitlines():
            one = json.loads(line)
            slices[one["fuzzer"]].append(one)
    return slices


def wanted_of(fuzzer, most):
    """How many inputs it is to have: a slow one has a line that says so."""
    said = re.search(r"^// wanted: (\d+)$", (SOURCES / f"{fuzzer}.c").read_text(), re.M)
    return min(most, int(said[1])) if said else most


def executed(slices):
    return sum(one["executed"] for one in slices)


def run_slice(build, fuzzer, seconds, most_bytes, wanted):
    """One go, of so many inputs at most: what came of it. fuzz/limits.c knows how long an input
    takes; -timeout is for one that waits, and counts what other programs had of the CPUs.
    Choosing seeds by their rare features takes up to half of the time, and finds no more: in 15 s
    the inputs of fuzz_dataset were twice as many without, and the features the same."""
    found = build / "fuzz/found" / fuzzer
    found.mkdir(parents=True, exist_ok=True)
    seeds = SOURCES / "corpus" / fuzzer.removeprefix("fuzz_")
    done = subprocess.run(
        ["setarch", "--addr-no-randomize", build / "fuzz" / fuzzer,
         f"-max_total_time={seconds}", f"-runs={wanted}", "-timeout=600", "-rss_limit_mb=2048",
         f"-max_len={most_bytes}", "-print_final_stats=1", "-reload=0", "-entropic=0",
         f"-artifact_prefix={build}/fuzz/{fuzzer}-", found, *([seeds] if seeds.is_dir() else [])],
        check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    said = done.stderr.decode(errors="replace")
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", said))
    return {"fuzzer": fuzzer, "executed": int(stats.get("number_of_executed_units", 0)),
            "rate": int(stats.get("average_exec_per_sec", 0)), "bytes": most_bytes,
            "found": done.returncode != 0, "say": said[-3000:] if done.returncode else ""}


def work(arguments, build, fuzzers, slices):
    """Slices until all have enough or the time is over."""
    deadline = time.monotonic() + 60 * arguments.minutes
    state = arguments.state or build / "soak-fuzz.jsonl"
    under_way = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while True:
            open_ones = [name for name in fuzzers if name not in under_way.values() and
                         executed(slices[name]) < wanted_of(name, arguments.wanted)]
            open_ones.sort(key=lambda name: executed(slices[name]))
            seconds = min(arguments.slice, int(deadline - time.monotonic()))
            while seconds > 0 and open_ones and len(under_way) < arguments.jobs:
                name = open_ones.pop(0)
                left = wanted_of(name, arguments.wanted) - executed(slices[name])
                under_way[pool.submit(run_slice, build, name, seconds, arguments.bytes,
                                      left)] = name
            if not under_way:
                return
            for ended in concurrent.futures.wait(
                    under_way, return_when=concurrent.futures.FIRST_COMPLETED).done:
                name = under_way.pop(ended)
                one = ended.result()
                slices[name].append(one)
                with state.open("a") as out:
                    out.write(json.dumps(one) + "\n")
                if one["found"]:
                    print(f"# {name}: {one['say']}", flush=True)
                    fuzzers.remove(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--wanted", type=int, default=100000000)
    parser.add_argument("--minutes", type=float, default=180)
    parser.add_argument("--slice", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--bytes", type=int, default=4096)
    parser.add_argument("--state", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    fuzzers = list(filter(None, arguments.only.split(","))) or \
        sorted(path.stem for path in SOURCES.glob("fuzz_*.c"))
    slices = read_state(arguments.state or build / "soak-fuzz.jsonl")
    names = list(fuzzers)
    work(arguments, build, fuzzers, slices)
    print("| fuzzer | executions | a second | slices that found something |\n|---|---:|---:|---:|")
    for name in names:
        found = sum(one["found"] for one in slices[name])
        rate = slices[name][-1]["rate"] if slices[name] else 0
        print(f"| `{name}` | {executed(slices[name]):,} | {rate:,} | {found} |")
    print(f"{sum(executed(slices[name]) for name in names):,} executions in all")
    return 1 if len(fuzzers) < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
