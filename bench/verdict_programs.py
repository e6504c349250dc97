"""Commands with a little more to do, for bench/verdict's rows with default options: what
somebody gets who types `duet OLD NEW` and nothing else."""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scipy import stats

ALPHA = 0.01
HYPERFINE_RUNS = 10  # of each side, its least


def make_inputs(folder):
    """Files for OLD and, with 2 % more, for NEW. The same on every machine."""
    generator = random.Random(1)
    rows = [f"{generator.random():.12f} {i}\n" for i in range(122_400)]
    text = generator.randbytes(2_040_000).hex().encode()
    files = {"bytes": generator.randbytes(20_000_000), "more": generator.randbytes(400_000),
             "text.old": text[:4_000_000], "text.new": text,
             "rows.old": "".join(rows[:120_000]).encode(),
             "rows.new": "".join(rows).encode()}
    if not folder.exists():
        folder.mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


def programs(folder, workload):
    """Name -> (OLD, NEW, seconds of wall time within which a verdict counts, quiet)."""
    def files(command, name):
        return tuple(f"{command} {folder}/{name}.{side}" for side in ("old", "new"))

    loop = "/usr/bin/python3 -S -s -c 'for i in range({}): i * i'"
    return {
        "integer": (workload("integer"), workload("integer", 1.01), 5),
        "float": (workload("float"), workload("float", 1.01), 5),
        "gzip": (*files("gzip -1 -c", "text"), 5),
        "sort": (*files("sort", "rows"), 5),
        # The same file and some more: how fast another one is read depends on where it
        # lies in memory, by more than 2 %.
        "sha256sum": (f"sha256sum {folder}/bytes", f"sha256sum {folder}/bytes "
                      f"{folder}/more", 5),
        "python": (loop.format(2_000_000), loop.format(2_040_000), 10),
    }


def duet(binary, old, new):
    """One comparison with default options."""
    begin = time.monotonic()
    done = subprocess.run([binary, "--store", "none", "-q", "--export-json", "-", old, new],
                          check=True, text=True, capture_output=True)
    wall_s = time.monotonic() - begin
    comparison = json.loads(done.stdout)["comparisons"][0]
    return {"sign": {"slower": 1, "faster": -1}.get(comparison["verdict"], 0),
            "verdict": comparison["verdict"], "change_pct": comparison["change_pct"],
            "schedule": comparison["schedule"], "losses": comparison["losses"],
            "runs": comparison["runs"], "wall_s": wall_s, "measured_s": wall_s}


def hyperfine(old, new):
    """Its least number of runs, and Welch's t test on their times."""
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(["hyperfine", "-N", "--style", "none", "-r", str(HYPERFINE_RUNS),
                        "--export-json", out.name, old, new], check=True,
                       capture_output=True,
                       env={**os.environ, "DUET_ITERATIONS": "5"})
        times = [result["times"] for result in json.load(open(out.name))["results"]]
    test = stats.ttest_ind(times[1], times[0], equal_var=False)
    sign = 0 if test.pvalue >= ALPHA else 1 if test.statistic > 0 else -1
    wall_s = time.monotonic() - begin
    return {"sign": sign, "runs": HYPERFINE_RUNS, "wall_s": wall_s, "measured_s": wall_s}


@contextlib.contextmanager
def hogs():
    """Two programs that want both CPUs, for as long as this process lives."""
    burn = ("import ctypes, signal\n"
            "ctypes.CDLL(None).prctl(1, signal.SIGKILL)\n"  # PR_SET_PDEATHSIG
            "while True: pass\n")
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            process = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", burn]))
            stack.callback(process.kill)
        yield


def parts(folder, binary, workload):
    """For bench/verdict: name of a part -> its rows; and the limits of the rows."""
    folder = Path(folder)
    make_inputs(folder)
    rows = {}
    within_s = {}
    for condition, limit_s in (("default", None), ("default-busy", 10)):
        changed, null = rows.setdefault(condition, {}), rows.setdefault(
            f"{condition}-null", {})
        peer = rows.setdefault(f"{condition}-peer", {})
        for name, (old, new, quiet_s) in programs(folder, workload).items():
            share = "1.01" if name in ("integer", "float") else "1.02"
            row = f"{condition} {name} {share}"
            changed[row] = lambda old=old, new=new: duet(binary, old, new)
            within_s[row] = quiet_s if limit_s is None else limit_s
            null[f"{condition} {name} A/A"] = lambda old=old: duet(binary, old, old)
            peer[f"{condition} hyperfine {name} {share}"] = (
                lambda old=old, new=new: hyperfine(old, new))
            peer[f"{condition} hyperfine {name} A/A"] = lambda old=old: hyperfine(old, old)
    return rows, within_s
