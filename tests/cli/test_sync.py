"""duet sync: scripts take part on two descriptors."""

import json
import os
import re
import subprocess

import pytest

SCRIPT = """#!/bin/bash
coproc SYNC {{ {duet} sync script; }}
pid=$SYNC_PID
ask() {{ echo "$*" >&"${{SYNC[1]}}"; read -r answer <&"${{SYNC[0]}}"; }}
done=0
while ask next; [ "$answer" = 1 ]; do
    {before}
    ask begin
    {work}
    ask end
    done=$((done + 1))
done
exec {{SYNC[1]}}>&-
wait "$pid"
"""
LOOP = "for ((i = 0; i < {}; i++)); do :; done"


@pytest.fixture(name="script")
def fixture_script(program, duet):
    def write(name, work, before=":"):
        return program(name, SCRIPT.format(duet=" ".join(duet), work=work, before=before))

    return write


def converse(duet, text, **environment):
    return subprocess.run([*duet, "sync"], input=text, check=False, text=True, capture_output=True,
                          timeout=30, env={**os.environ, **environment})


@pytest.mark.rotating(2)
def test_scripts_take_part(run_duet, script, tmp_path, stored):
    out = tmp_path / "out.json"
    done = run_duet("run", script("old", LOOP.format(2000)), script("new", LOOP.format(6000)), "-r",
                    4, "-I", 20, "--schedule", "duet", "--export-json", out)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["comparisons"]
    assert row["mode"] == "harness" and 1.5 < row["ratio"] < 10, row["ratio"]
    assert stored.one("SELECT count(*) FROM iteration WHERE cpu_ns IS NOT NULL") == 0


def test_the_schedule_is_chosen_without_cpu_time(run_duet, script):
    """No turns on one CPU are tried, which compare CPU time."""
    command = script("same", LOOP.format(500))
    done = run_duet("run", command, command, "-I", 5, "--until", "runs=12")
    assert done.returncode == 0, done.stderr


def test_turns_are_refused(run_duet, script):
    command = script("same", LOOP.format(500))
    done = run_duet("run", command, command, "-r", 2, "-I", 5, "--schedule", "timeslice",
                    "--stderr", "inherit")
    assert done.returncode == 4 and "--schedule duet" in done.stderr


def test_regions_and_operations(run_duet, script, stored):
    work = "ask region parse; {0}; ask region run; {0}; ask region".format(LOOP.format(500))
    command = script("parts", work, before="ask count 3")
    done = run_duet("run", command, command, "-r", 2, "-I", 5, "--schedule", "duet")
    assert done.returncode == 0, done.stderr
    assert stored.rows("SELECT region FROM experiment ORDER BY id") == [(None,), ("parse",), ("run",)]
    assert stored.one("SELECT DISTINCT operations FROM iteration") == 3


def test_alone_the_answers_are_only_answers(duet):
    words = "next\nbegin\nend\n" * 4 + "next\nclose\n"
    done = converse(duet, words, DUET_ITERATIONS="3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\ngo\nok\n" * 4 + "0\n"
    assert re.match(r"sync: .*\(3 iterations\)\n$", done.stderr)


@pytest.mark.parametrize("words, said", [
    ("jump\n", "unknown word 'jump'"), ("end\n", "without duet_begin()"),
    *[(f"next\ncount {number}\nbegin\nend\n", "duet_count()")
      for number in ("0", "x", "1e6", "1.5", "12x", "-18446744073709551611", "")],
    ("region early\n", "duet_region()")])
def test_wrong_words(duet, words, said):
    done = converse(duet, words)
    assert done.returncode == 1 and said in done.stderr


def test_wrong_usage(run_duet):
    done = run_duet("sync", "a", "b")
    assert done.returncode == 2 and "unexpected argument 'b'" in done.stderr
