"""What is shown where: terminals, pipes, colours, progress."""

import os
import re
import subprocess

import pytest

ESCAPE = "\x1b"
CLEARLY = ["-r", "6", "--confidence", "0.9"]  # enough to see that one takes ten times as long


def screen(output):
    """What is left to see: each line as the last carriage return and erasure left it."""
    lines = []
    for line in output.replace("\r\n", "\n").split("\n"):
        last = re.split(r"\r|\x1b\[2?K", line)[-1]
        lines.append(re.sub(r"\x1b\[[0-9;]*[mK]", "", last))
    return "\n".join(lines)


def test_nothing_but_the_answer_on_a_pipe(run_duet):
    result = run_duet("sleep 0.02", "sleep 0.02", "-r", 4)
    assert result.returncode == 0
    assert result.stderr == ""
    assert ESCAPE not in result.stdout and "\r" not in result.stdout


def test_progress_on_a_terminal(on_terminal):
    """It is drawn while measuring, and erased before the answer."""
    status, output = on_terminal("sleep 0.02", "sleep 0.02", "-r", 6)
    assert status == 0
    assert re.search(r"[1-6]/6 runs", output)
    assert not re.search(r"[1-6]/6 runs", screen(output))
    assert "  old  " in screen(output)


@pytest.mark.slow
def test_progress_of_a_watch(on_terminal):
    """Between executions: what there is, the value and its error, when the next one comes."""
    status, output = on_terminal(
        "watch", "true", "--name", "night", "--executions-per-hour", 18000, "--every", "1s",
        "--max-intervals", 3, "--replicates", 100, "--error", "0.0001%")
    line = r"night  [1-9]\d* executions, \d\.\d intervals  [\d.]+ .s ± [\d.]+ %  next in "
    assert status == 0, output
    assert re.search(line, output), output
    assert "next in" not in screen(output)


def test_progress_of_a_suite(on_terminal, tmp_path):
    """Which benchmark it is of how many, and what is left of all of them."""
    (tmp_path / "s.yaml").write_text(
        "defaults: {runs: 4}\nbenchmarks:\n"
        "- {name: first, command: sleep 0.02}\n- {name: last, command: sleep 0.02}\n")
    status, output = on_terminal("suite", "s.yaml")
    assert status == 0
    drawn = re.findall(r"\r([12])/2 (first|last)  ([━─]+)  ([1-4])/4 runs", output)
    assert {place for place, _, _, _ in drawn} == {"1", "2"}
    full = {place + runs: bar.count("━") for place, _, bar, runs in drawn}
    assert full["12"] < full["14"] < full["24"] == 20
    assert "finishing" in output  # of half a second
    assert not re.search(r"\b0 s left", output)
    found = r"(?:1 (?:unsure|same|slower|faster))"
    assert not re.search(r"\r1/2[^\r]*  " + found, output)
    assert re.search(r"\r2/2[^\r]*  " + found + "  ", output), output
    assert not re.search(r"[12]/2 (first|last)", screen(output))


@pytest.mark.slow
def test_progress_of_a_study(on_terminal):
    """How much of it is done; what is left to see is the answer."""
    status, output = on_terminal("study", "coverage", "--data", "normal", "--samples", 20)
    assert status == 0, output
    shares = [int(share) for share in re.findall(r"\rcoverage  [━─]{20}  (\d+) %  ", output)]
    assert shares == sorted(shares) and shares[0] < 50 and len(shares) > 1, output
    assert not re.search(r"coverage  [━─]", screen(output))
    assert screen(output).startswith("How often"), output
    status, output = on_terminal("study", "coverage", "--data", "normal", "--samples", 2, "-q")
    assert status == 0 and "━" not in output


@pytest.mark.timing
def test_progress_within_a_long_execution(on_terminal):
    """At most one wake-up a second."""
    status, output = on_terminal("sleep 1.4", "sleep 1.4", "-r", 1)
    assert status == 0
    assert "0/1 runs" in output
    assert len(re.findall(r"0/1 runs", output)) <= 3


@pytest.mark.parametrize("arguments, environment", [
    (["-q"], {}), (["--style", "none"], {})])
def test_no_progress_when_quiet(on_terminal, arguments, environment):
    status, output = on_terminal("true", "true", "-r", 4, *arguments,
                                 environment=environment)
    assert status == 0
    assert len(output.strip().splitlines()) == 1 and "\r" not in output.rstrip()
    assert "4 runs" in output and "/4 runs" not in output


def test_no_progress_where_nothing_can_be_drawn_again(on_terminal):
    status, output = on_terminal("sleep 0.1", "sleep 0.1", "-r", 6, environment={"TERM": "dumb"})
    assert status == 0 and ESCAPE not in output and "/6 runs" not in output, output


@pytest.mark.parametrize("arguments, environment, colored", [
    ([], {}, True),
    ([], {"NO_COLOR": "1"}, False),
    ([], {"TERM": "dumb"}, False),
    (["--no-color"], {}, False),
    (["--style", "nocolor"], {}, False),
    (["--style", "basic"], {}, False),
    (["--style", "color"], {"NO_COLOR": "1"}, True),
])
def test_colours(on_terminal, arguments, environment, colored):
    """Of the verdict, whatever it is: ten times longer is worse."""
    status, output = on_terminal("sleep 0.01", "sleep 0.1", *CLEARLY, *arguments,
                                 environment=environment)
    assert status == 0 and "slower" in output
    assert bool(re.search(r"\x1b\[[0-9;]*31[0-9;]*m", output)) == colored


def test_colours_on_a_pipe_when_asked_for(run_duet):
    result = run_duet("sleep 0.01", "sleep 0.1", *CLEARLY, "--style", "color")
    assert ESCAPE in result.stdout and "\x1b[31m" in result.stdout.replace("1;31", "31")


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_lines_fit_the_terminal(on_terminal, columns):
    """Progress too: a line that wraps could not be erased."""
    command = "sleep 0.01 " + "0 " * 40
    status, output = on_terminal(command, command, "-r", 4, columns=columns)
    assert status == 0
    drawn = re.split(r"[\r\n]|\x1b\[2?K", re.sub(r"\x1b\[[0-9;]*m", "", output))
    progress = [line for line in drawn if "/4 runs" in line]
    assert progress and max(map(len, progress)) <= columns


def test_quiet(run_duet):
    result = run_duet("true", "true", "-r", 2, "-q")
    assert len(result.stdout.splitlines()) == 1 and result.stderr == ""


def test_verbose(run_duet):
    result = run_duet("true", "true", "-r", 8, "-v")
    for word in ("estimator:", "widths:", "times:", "winsorized:", "method:"):
        assert word in result.stdout


@pytest.mark.parametrize("unit, shown", [("ns", "ns"), ("us", "µs"), ("millisecond", "ms"),
                                         ("second", "s")])
def test_time_unit(run_duet, unit, shown):
    result = run_duet("true", "true", "-r", 2, "-u", unit,
                      env={**os.environ, "LC_ALL": "C.UTF-8"})
    (old,) = [line for line in result.stdout.splitlines() if line.startswith("  old")]
    assert re.search(rf"[0-9] {shown} ±", old), old


def test_plain_ascii_without_a_utf8_locale(run_duet):
    result = run_duet("true", "true", "-r", 4, "-v",
                      env={**os.environ, "LC_ALL": "C", "LANG": "C"})
    assert result.returncode == 0 and result.stdout.isascii()


def test_a_locale_with_a_decimal_comma_changes_nothing(run_duet):
    """Numbers in and out are in C's notation, whatever the user's language."""
    result = run_duet("true", "true", "-r", 2, "--confidence", "0.95",
                      env={**os.environ, "LC_ALL": "de_DE.UTF-8"})
    assert result.returncode == 0, result.stderr
    assert not re.search(r"\d,\d", result.stdout)


def test_closed_pipe(duet, tmp_path):
    """duet | head: no noise, no endless measurement afterwards."""
    result = subprocess.run(["sh", "-c", '"$@" | true', "sh", *duet, "true", "true", "-r",
                             "2"], cwd=tmp_path, capture_output=True, text=True,
                            check=False, timeout=30)
    assert result.returncode == 0


@pytest.mark.parametrize("columns", [60, 90])
def test_topics_fit_the_terminal(on_terminal, columns):
    """But for the lines that are to be pasted."""
    status, output = on_terminal("help", "schedules", columns=columns)
    lines = [line for line in output.replace("\r\n", "\n").split("\n")
             if not line.startswith("  duet --")]
    assert status == 0
    assert columns - 20 < max(map(len, lines)) <= columns
