"""Pairs of programs whose speeds are known by construction, and the scales they are put
on. A pair is an odd program, whose structure is fixed, and its partner, mostly a plain
loop, which gets the number of operations that makes both equally long on the quiet
machine; times 1.05 or 0.95 for a known change.

Both are executed in turns on each of two CPUs. An execution takes its CPU time, of which
the median of the lesser half counts, and what it waits for, of which the least tenth does;
it has a high priority, when that is allowed: so others on the machine hardly matter. Three
standard errors of the weighing are the truth's uncertainty; the pair's own comes on top:
0.5 % where nothing else is said, for what other states of caches and allocators make of it.
"""

import contextlib
import dataclasses
import math
import os
import random
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path

from truth_judge import log_of

COMMAND_MS = 15
HARNESS_MS = 4
WEIGHINGS = 6  # at most; more than two where the machine is disturbed
ERROR_MOST = 0.003
ITERATIONS = 6  # of a program that is weighed in harness mode; the first is left out
# gcc's driver and the compiler that it starts compile this.
SOURCE = "\n".join(
    f"int f{i}(int x) {{ for (int i = 0; i < x; i++) x ^= x * {i} + i; return x; }}"
    for i in range(8)) + "\n"


@dataclasses.dataclass(frozen=True)
class Pair:
    """odd, partner: kinds of duet_truth with their number, or command lines with {work},
    {half}, {third} and {truth}. uncertainty, in %. busy: (down, up), how much shorter and
    longer than its quiet truth odd may be on a busy machine for a reason of its own, in % as
    a factor: 100 is half or twice. values: changes of odd against partner in %, where they
    are exact and nothing is weighed. contends: it competes with itself, so that all
    executions count. served: a child does work that the kernel counts only when it has
    ended; its CPU time is what it takes by the clock."""

    name: str
    odd: str = ""
    partner: str = "plain"
    modes: tuple = ("command", "harness")
    uncertainty: float = 0.5
    busy: tuple = (0.5, 0.5)
    values: tuple = ()
    weighed: bool = True
    served: bool = False
    contends: bool = False


COMMAND = ("command",)
PAIRS = [
    Pair("plain", "plain", values=(0,), uncertainty=0.1),
    # Elapsed time is made of waiting, of which CPU time does not tell.
    Pair("sleeps", "sleeps"),
    Pair("naps-once", "naps-once"),
    # Timers are late by some microseconds, each time.
    Pair("naps", "naps", uncertainty=1.5, busy=(0.5, 100)),
    # Both give the CPU to a neighbour that wants it: longer beside one, by their own doing.
    Pair("yields", "yields", busy=(0.5, 400)),
    Pair("server", "server", served=True, uncertainty=2, busy=(5, 400), contends=True),
    Pair("reads", "reads", uncertainty=1),
    Pair("allocates", "allocates", uncertainty=1),
    Pair("maps", "maps", uncertainty=1.5),
    Pair("calls", "calls"),
    Pair("opens", "opens", uncertainty=1),
    # The longer it takes by the clock, the more alarms there are.
    Pair("alarms", "alarms", uncertainty=1, busy=(0.5, 6)),
    # Both sides' data share the last cache, and a neighbour clears it.
    Pair("memory", "memory", uncertainty=5, busy=(5, 15)),
    Pair("floats", "floats"),
    # Two tasks that want the CPU have more of it than one beside a neighbour: up to twice.
    Pair("parallel", "parallel", uncertainty=1, busy=(100, 0.5)),
    Pair("locks", "locks", uncertainty=1, busy=(100, 0.5)),
    Pair("worker", "worker"),
    Pair("threads", "threads", uncertainty=1),
    Pair("forks", "forks", uncertainty=1),
    Pair("forks-often", "forks-often", uncertainty=1.5),
    Pair("spawns", "spawns", uncertainty=2),
    Pair("pipes", "pipes", served=True, uncertainty=1),
    Pair("forks-pipes", "forks", "pipes", served=True, uncertainty=1.5),
    Pair("threads-sleeps", "threads", "sleeps", uncertainty=1.5),
    # 20 % of the CPU go to its own child: by how much that makes it longer is weighed, and
    # the contention differs from one iteration to the next.
    Pair("background", "background {background}", weighed=False, uncertainty=8,
         busy=(8, 40), contends=True),
    # Exact: median, mean. What starting a command takes makes them 6 % smaller.
    Pair("noisy", "noisy 0.10", "noisy 0.01", values=(0, 0.5), uncertainty=0.3),
    Pair("noisier", "noisy 0.20", "noisy 0.01", values=(0, 2.0), uncertainty=0.3),
    Pair("rare", "rare", values=(0, 4.5), uncertainty=0.3),
    Pair("balanced", "balanced", values=(-3.0, 0), uncertainty=0.3),
    Pair("shell", "sh -c '{truth} plain {half}; {truth} plain {half}'", modes=COMMAND,
         uncertainty=1),
    Pair("shell-pipe", "sh -c '{truth} plain {work} | cat'", modes=COMMAND, uncertainty=1.5),
    Pair("env", "env A=1 nice -n 0 {truth} plain {work}", modes=COMMAND, uncertainty=1),
    Pair("chain", "{truth} exec {third} {truth} exec {third} {truth} plain {third}",
         modes=COMMAND, uncertainty=1),
    Pair("python", "python3 -S -E -c 'for i in range(350000): pass'", modes=COMMAND,
         uncertainty=2),
    Pair("awk", "awk 'BEGIN {{ for (i = 0; i < 800000; i++) s += i }}'", modes=COMMAND,
         uncertainty=2),
    Pair("driver", "{truth} exec {third} gcc -O1 -S -o /dev/null {source}",
         "{truth} exec {work} {cc1} -quiet -O1 -o /dev/null {source}", modes=COMMAND,
         uncertainty=2),
]


def prefer():
    """High priority, also of the session, which some kernels schedule as one task."""
    os.setsid()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        Path("/proc/self/autogroup").write_text("-19")


def output_of(*words):
    """Of a program with a high priority."""
    return subprocess.run(words, check=True, text=True, capture_output=True,
                          preexec_fn=prefer).stdout


class Scales:
    """Weighs pairs on this machine. Use as a context: it keeps a source file."""

    def __init__(self, truth, executions):
        self.truth = truth
        self.executions = executions
        self.per_ms = float(output_of(truth, "calibrate"))
        self.folder = tempfile.TemporaryDirectory()
        source = Path(self.folder.name) / "a.c"
        source.write_text(SOURCE)
        self.words = {"truth": truth, "source": str(source),
                      "background": round(self.per_ms), "cc1": ""}
        try:
            self.words["cc1"] = output_of("gcc", "-print-prog-name=cc1").strip()
        except (OSError, subprocess.CalledProcessError):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.folder.cleanup()

    def possible(self, pair):
        """Whether what the pair executes is on this machine."""
        return pair.name != "driver" or self.words["cc1"].startswith("/")

    def command(self, template, mode, work, tail=""):
        """The command line of a side with so many operations."""
        work = max(0, round(work))
        words = {**self.words, "work": work, "half": work // 2, "third": work // 3}
        if not any(f"{{{name}}}" in template for name in ("truth", "work")) \
                and " -" not in template and "'" not in template:
            kind, _, number = template.partition(" ")
            template = f"{{truth}} {kind} {{work}} {number}"
            tail = {"command": "", "harness": " --harness"}[mode] if not tail else tail
        return (template.format(**words) + tail).strip()

    def weigh(self, pair, mode, work, partner_work):
        """[(elapsed ns, CPU ns)...] of the odd program and of its partner."""
        times = ([], [])
        for cpu in sorted(os.sched_getaffinity(0))[:2]:
            if mode == "command":
                lines = output_of(self.truth, "pair", str(cpu), str(self.executions),
                                  *shlex.split(self.command(pair.odd, mode, work)), "::",
                                  *shlex.split(self.command(pair.partner, mode,
                                                            partner_work)))
                for line in lines.splitlines():
                    side, *numbers = line.split()
                    times[side == "b"].append(tuple(map(int, numbers)))
                continue
            for _ in range(max(2, self.executions // (ITERATIONS - 1))):
                for side, (kind, its_work) in enumerate(((pair.odd, work),
                                                         (pair.partner, partner_work))):
                    lines = output_of("taskset", "-c", str(cpu), *shlex.split(
                        self.command(kind, mode, its_work, f" --measure {ITERATIONS}")))
                    times[side].extend(tuple(map(int, line.split()))
                                       for line in lines.splitlines()[1:])
        return times

    def calibrate(self, pair, mode):
        """What a comparison of the pair needs: works, the logs of the true ratios odd to
        partner, by elapsed and by CPU time, their uncertainty, the partner's time."""
        work = self.per_ms * (COMMAND_MS if mode == "command" else HARNESS_MS)
        partner_work = work
        adjusted = pair.weighed and not pair.values
        weighed = dataclasses.replace(pair, odd="plain", partner="plain") if pair.values \
            else pair
        best = None
        for attempt in range(1, WEIGHINGS + 1):
            odd, partner = self.weigh(weighed, mode, work, partner_work)
            odd_ns, partner_ns = (level(times, pair.contends) for times in (odd, partner))
            correction_ns = odd_ns - partner_ns if adjusted else 0.0
            partner_work = max(work / 4, partner_work + correction_ns * self.per_ms / 1e6)
            error = standard_error(odd, partner, pair.contends)
            if attempt == 1 and adjusted:
                continue
            if best is None or error < best["error"]:
                best = {"work": work, "partner_work": partner_work, "error": error,
                        "partner_ns": partner_ns + correction_ns,
                        "residual": math.log(odd_ns / partner_ns),
                        "cpu": math.log(cpu_level(odd)
                                        / max(1.0, cpu_level(partner) + correction_ns))}
            # The last correction is a small one, which the weighing behind it knows well.
            if not adjusted or error < ERROR_MOST:
                break
        best["values"] = [log_of(value) for value in pair.values] \
            or [0.0 if adjusted else best["residual"]]
        counted = adjusted and not (pair.served and mode == "harness")
        best["cpu_values"] = [best["cpu"]] if counted else best["values"]
        best["uncertainty"] = log_of(pair.uncertainty) \
            + (0.05 if pair.values else 1) * 3 * best["error"]
        return best

    def moved(self, pair, mode, scale):
        """By how much, as a log ratio, odd is slower beside its partner than it was when
        this scale was made."""
        if pair.values:
            return 0.0
        odd, partner = self.weigh(pair, mode, scale["work"], scale["partner_work"])
        now = math.log(level(odd, pair.contends) / level(partner, pair.contends))
        return now - scale["values"][0]

    def sides(self, pair, mode, scale, change):
        """The command lines of the odd program and of a partner that takes `change` (0.05)
        longer than equally long."""
        work = scale["partner_work"] + change * scale["partner_ns"] * self.per_ms / 1e6
        return (self.command(pair.odd, mode, scale["work"]),
                self.command(pair.partner, mode, work))


def low_median(values):
    """The mean of the middle fifth of the lesser half."""
    ordered = sorted(values)[:(len(values) + 1) // 2]
    aside = len(ordered) * 2 // 5
    return statistics.mean(ordered[aside:len(ordered) - aside])


def cpu_level(times):
    return low_median([cpu_ns for _, cpu_ns in times])


def level(times, contends):
    """What an execution takes when nobody else is there."""
    if contends:
        return statistics.median(time_ns for time_ns, _ in times)
    # CPU time is read around elapsed time: what stops the machine between the two is in one.
    waits = sorted(max(0, time_ns - cpu_ns) for time_ns, cpu_ns in times)
    return cpu_level(times) + waits[len(waits) // 10]


def standard_error(odd, partner, contends, replicates=100):
    """Of the log ratio of their levels, by a bootstrap."""
    draw = random.Random(1)
    return statistics.stdev(math.log(level(draw.choices(odd, k=len(odd)), contends)
                                     / level(draw.choices(partner, k=len(partner)), contends))
                            for _ in range(replicates))
