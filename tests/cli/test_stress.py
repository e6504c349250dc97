"""duet stress: what it took, told at the end and once a second."""

import csv
import io
import os
import re
import signal

import pytest

CPU = str(min(os.sched_getaffinity(0)))


@pytest.mark.parametrize("load", ["cpu", "cache", "memory", "mix"])
@pytest.mark.slow
def test_it_tells_what_it_took(run_duet, load):
    done = run_duet("stress", "--load", load, "--wave", "constant", "--peak", "50%",
                    "--duration", "1200ms", "--cpus", CPU, "--profile")
    assert done.returncode == 0, done.stderr
    took = re.fullmatch(r"duet: took ([\d.]+) % of 1 CPUs for 1\.\d s \(asked: 50\.0 %\)\n",
                        done.stderr)
    assert took and 0 < float(took[1]) < 90, done.stderr
    (second,) = csv.DictReader(io.StringIO(done.stdout))
    assert 1 <= float(second["elapsed_s"]) < 1.3 and second["level_ratio"] == "0.5000"
    assert 0 < float(second["achieved_ratio"]) < 0.9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(start_duet, number):
    process = start_duet("stress", "--cpus", CPU, "--period", "2s", "--wave", "sine",
                         "--profile")
    assert process.stdout.readline() == "elapsed_s,level_ratio,achieved_ratio\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0 and "% of 1 CPUs for" in errors
