"""duet watch: executions over a long time, of which here a second is a day."""

import json
import math
import os
import pathlib
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import time

import jsonschema
import pytest

from support import confine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get(
    "DUET_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))
# 20 executions a second, 8 of them an interval; nobody gives up.
FAST = ["--executions-per-hour", 72000, "--every", "400ms", "--max-intervals", 0,
        "--replicates", 100]
# A rule that is never content with times of true.
ENDLESS = [*FAST, "--error", "0.0001%"]


def valid(text):
    document = json.loads(text)
    schema = json.loads((ROOT / "docs/schema/duet-watch-1.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def places(stored):
    return [place for (place,) in stored.rows("SELECT idx FROM run ORDER BY id")]


@pytest.fixture
def watching(start_duet, stored, wait_until):
    """Starts a watch; returns when some of its executions are in the store."""

    def start(*arguments, runs=2, **options):
        process = start_duet("watch", *arguments, **options)
        wait_until(lambda: process.poll() is not None or stored.has_runs(runs))
        assert process.poll() is None, process.communicate()
        return process

    return start


def end(process, number=signal.SIGINT):
    process.send_signal(number)
    out, errors = process.communicate()
    assert process.returncode == 130, errors
    return out, errors


def test_until_the_result_is_known(run_duet, stored):
    done = run_duet("watch", "true", *FAST, "--error", "99%", "--name", "nothing", "-v")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("nothing: stable (experiment 1)\n")
    for words in ["command    true\n", "measured   mean of time\n",
                  "off by less than 99 % with 95 % confidence, by the rule metior",
                  "72000 executions an hour, 8 in an interval of 0.4 s"]:
        assert words in done.stdout, done.stdout
    assert stored.states() == ["done"]
    assert len(places(stored)) % 8 == 0
    assert done.stderr.count("duet: execution ") == len(places(stored))
    assert stored.one("SELECT count(DISTINCT side) FROM observations") == 1
    stored.check()


@pytest.mark.slow
def test_the_answer_as_json_and_where_else_it_is_seen(run_duet, stored):
    done = run_duet("watch", "true", *FAST, "--error", "99%", "--json", "--statistic", "p90")
    assert done.returncode == 0, done.stderr
    (watch,) = valid(done.stdout)["watches"]
    assert watch["name"] == "true" and watch["state"] == "stable" and watch["finished"]
    assert watch["result"]["of_points"] + 8 == watch["result"]["stopped_after"]
    assert watch["points"] == stored.runs() and watch["next_due"] is None
    values = sorted(value for (value,) in stored.rows(
        "SELECT value FROM observations WHERE metric = 'time' ORDER BY run LIMIT ?",
        watch["result"]["of_points"]))
    place = 0.9 * (len(values) - 1)
    low = int(place)
    quantile = values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])
    assert watch["result"]["value"] == pytest.approx(quantile)
    # The commands that know experiments know it.
    assert run_duet("show", "1").stdout.startswith("true: stable")
    assert run_duet("show", "true").stdout == run_duet("watch", "--status", "1").stdout
    assert run_duet("list").stdout.splitlines()[1].split()[-1] == "true"
    wrong = run_duet("show", "1", "--export-json", "-")
    assert wrong.returncode == 2 and "--status 1 --json" in wrong.stderr
    # A name may be taken again when its watch is over.
    assert run_duet("watch", "true", *FAST, "--error", "99%").returncode == 0
    compared = run_duet("compare", "1", "2")
    assert compared.returncode == 0 and "1: true" in compared.stdout, compared.stderr
    assert [watch["experiment"] for watch in
            valid(run_duet("watch", "--status", "--json").stdout)["watches"]] == [1, 2]


@pytest.mark.parametrize("options, values", [
    (["--metric", "throughput", "--pattern", "^did ([0-9.]+) ops"], ("throughput", "higher")),
    (["--metric", "did ([0-9. ]+)"], ("printed", "lower")),
    (["--metric", "time", "--pattern", "[0-9]+[.]5"], ("printed_time", "lower")),
])
def test_a_number_that_the_command_prints(run_duet, stored, program, options, values):
    command = program("bench", "echo did nothing yet 3x\necho did 12.5 ops\necho did 99 ops\n")
    done = run_duet("watch", command, *FAST, *options)
    assert done.returncode == 0, done.stderr
    assert "result     12.5, off by less than 3 %" in done.stdout
    assert set(stored.rows("SELECT metric, value FROM observations WHERE metric NOT LIKE "
                           "'%time' OR metric LIKE 'printed%'")) == {(values[0], 12.5)}
    assert stored.rows("SELECT name, direction FROM metric WHERE id > 2") == [values]


@pytest.mark.parametrize("printed, pattern, words", [
    ("score: 5", "points: ([0-9]+)", ["points: ([0-9]+)", "matches nothing", "score: 5", "grep -P"]),
    ("", "x", ["it printed nothing"]),
    ("score: many", "score: (.*)", ["'many'", "not a number", "parentheses"]),
    ("score: -5", "score: (.*)", ["-5", "above 0"]),
])
def test_a_command_that_does_not_print_it(run_duet, stored, printed, pattern, words):
    done = run_duet("watch", f"echo '{printed}'" if printed else "true", *FAST,
                    "--metric", pattern, "--name", "w")
    assert done.returncode == 4
    for word in [*words, "duet watch --resume 1"]:
        assert word in done.stderr, done.stderr
    assert done.stdout.startswith("w: failed (experiment 1)")
    assert stored.runs() == 0 and stored.states() == ["failed"]


def test_a_command_that_fails(run_duet, stored, program, tmp_path):
    command = program("odd", f"echo x >>'{tmp_path}/ran'\n[ $(wc -l <'{tmp_path}/ran') != 3 ]\n")
    done = run_duet("watch", command, *ENDLESS)
    assert done.returncode == 4
    assert "status 1" in done.stderr
    assert stored.runs() == 2 and "(2 executions)" in done.stderr
    (tmp_path / "ran").write_text("x\n")
    once = run_duet("watch", command, *ENDLESS, "--store", "other.db")
    assert once.returncode == 4 and "(1 execution)" in once.stderr
    again = run_duet("watch", command, *FAST, "--error", "99%")
    assert again.returncode == 2 and "unfinished watch" in again.stderr
    missing = run_duet("watch", "./no-such-program", *FAST)
    assert missing.returncode == 2 and "no-such-program" in missing.stderr
    assert len(stored.states()) == 1


def test_batches_are_bracketed(run_duet, stored, tmp_path):
    done = run_duet("watch", f"sh -c 'echo run >>{tmp_path}/log'", *FAST, "--error", "99%",
                    "--batch", 4, "--provision", "echo rent >>log",
                    "--release", "echo return >>log", "--prepare", "echo before >>log",
                    "--conclude", "echo after >>log")
    assert done.returncode == 0, done.stderr
    words = (tmp_path / "log").read_text().split()
    batch = ["rent", *["before", "run", "after"] * 4, "return"]
    assert words == batch * (len(words) // len(batch))
    assert [place % 4 for place in places(stored)] == [0, 1, 2, 3] * (stored.runs() // 4)
    assert ", 4 at a time" in done.stdout


def test_renting_that_fails(run_duet, stored, tmp_path):
    done = run_duet("watch", "true", *FAST, "--provision", "echo rent >>log; exit 7",
                    "--release", "echo return >>log", "--retry-after", "10ms", "--attempts", 2)
    assert done.returncode == 4
    assert done.stderr.count("--provision command ended with status 7") == 2
    assert "in each of 2 attempts" in done.stderr
    # What was half rented is given back.
    assert (tmp_path / "log").read_text().split() == ["rent", "rent", "return"]
    assert stored.runs() == 0 and "not released" not in done.stdout


@pytest.mark.slow
def test_renting_that_works_the_second_time(run_duet, tmp_path):
    done = run_duet("watch", "true", *FAST, "--error", "99%", "--retry-after", "10ms",
                    "--provision", "echo rent >>log; [ $(wc -l <log) -gt 1 ]",
                    "--release", "true")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("attempt 1 of 3") == 1
    assert (tmp_path / "log").read_text().count("rent") > 16


def test_a_machine_that_is_not_released(run_duet, start_duet, tmp_path, wait_until):
    done = run_duet("watch", "true", *ENDLESS, "--provision", "true", "--attempts", 1,
                    "--release", "echo return >>log; [ -e allowed ]")
    assert done.returncode == 4
    assert "may still be there and cost money" in done.stderr
    assert "open       what --provision has made was not released" in done.stdout
    assert valid(run_duet("watch", "--status", "--json").stdout)["watches"][0]["release_due"]
    # The next one tries again before anything else.
    (tmp_path / "allowed").touch()
    process = start_duet("watch", "--resume")
    wait_until(lambda: (tmp_path / "log").read_text().count("return") > 3)
    _, errors = end(process)
    assert "was not released: the --release command runs now" in errors


def test_a_command_that_fails_is_released(run_duet, tmp_path):
    done = run_duet("watch", "false", *FAST, "--provision", "true", "--release", "echo x >>log")
    assert done.returncode == 4
    assert (tmp_path / "log").read_text() == "x\n"


def test_advice_can_be_pasted(run_duet):
    """Names with quotes and blanks are words of a shell in it."""
    words = ("watch", "sh -c 'exit 3'", "--store", "a b.db")
    failed = run_duet(*words, *FAST)
    assert failed.returncode == 4
    advice = re.search(r"go on with: duet (.*)", failed.stderr)
    again = run_duet(*shlex.split(advice[1]))
    assert again.returncode == 4 and "exit status 3" in again.stderr
    refused = run_duet(*words)
    assert refused.returncode == 2
    advice = re.search(r"go on with it \(duet (.*)\), or", refused.stderr)
    again = run_duet(*shlex.split(advice[1]), "--store", "a b.db")
    assert again.returncode == 4 and "exit status 3" in again.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_and_resumed(watching, run_duet, stored, number, tmp_path):
    process = watching("true", *ENDLESS, "--name", "w")
    out, errors = end(process, number)
    assert "interrupted" in errors and "go on with: duet watch --resume 1" in errors
    assert out.startswith("w: interrupted (experiment 1)") and "next " in out
    assert stored.states() == ["interrupted"]
    before = places(stored)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    process = watching("--resume", "w", "--store", stored.path, runs=len(before) + 3,
                       cwd=elsewhere)
    end(process)
    after = places(stored)
    assert after[:len(before)] == before
    assert len(set(after)) == len(after) and sorted(after) == after
    assert len(stored.states()) == 1
    done = run_duet("watch", "--status", "--json")
    (watch,) = valid(done.stdout)["watches"]
    assert watch["state"] == "interrupted" and watch["points"] == len(after)
    assert watch["missed"] >= after[-1] + 1 - len(after)
    assert pathlib.Path(watch["settings"]["folder"]) == tmp_path.resolve()


@pytest.mark.bare  # an environment of its own
@pytest.mark.parametrize("shift_s", [-86400, 86400])
def test_the_clock_is_set(start_duet, built_program, stored, wait_until, tmp_path, shift_s):
    """By a day, while it waits and while it is away: no execution is put off or missed."""
    clock = tmp_path / "clock"
    clock.write_text("0")
    environment = {**os.environ, "LD_PRELOAD": built_program("libclock_shift.so"),
                   "DUET_TEST_CLOCK": str(clock)}
    process = start_duet("watch", "true", *ENDLESS, "--name", "w", env=environment)
    wait_until(lambda: stored.has_runs(3))
    clock.write_text(str(shift_s))
    before = stored.runs()
    wait_until(lambda: stored.has_runs(before + 5))
    _, errors = end(process)
    assert "whole interval" not in errors, errors
    assert max(places(stored)) < 1000
    if shift_s > 0:
        return
    before = stored.runs()
    process = start_duet("watch", "--resume", "w", env=environment)
    wait_until(lambda: stored.has_runs(before + 3))
    _, errors = end(process)
    assert "s behind the watch's last execution" in errors and "missed" not in errors, errors


def test_interrupted_in_a_batch_that_is_rented(start_duet, stored, program, wait_until, tmp_path):
    command = program("long", f"echo run >>'{tmp_path}/log'\nsleep 1000\n")
    process = start_duet("watch", command, *FAST, "--provision", "echo rent >>log",
                         "--release", "echo return >>log")
    log = tmp_path / "log"
    wait_until(lambda: log.exists() and "run" in log.read_text())
    end(process)
    assert log.read_text().split() == ["rent", "run", "return"]
    assert stored.runs() == 0


def test_interrupted_while_renting(start_duet, wait_until, tmp_path):
    process = start_duet("watch", "true", *FAST, "--provision", "echo rent >>log; sleep 1000",
                         "--release", "echo return >>log")
    log = tmp_path / "log"
    wait_until(lambda: log.exists() and "rent" in log.read_text())
    _, errors = end(process)
    assert "interrupted during the --provision command" in errors
    assert log.read_text().split() == ["rent", "return"]


@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.slow
def test_killed_and_resumed(watching, run_duet, stored, attempt):
    """At a random moment, and away for more than an interval."""
    process = watching("sleep 0.01", *ENDLESS, "--name", "w", runs=4)
    time.sleep(random.Random(attempt).random() * 0.2)
    process.kill()
    process.communicate()
    stored.check()
    before = places(stored)
    (watch,) = valid(run_duet("watch", "--status", "--json").stdout)["watches"]
    assert watch["state"] == "unfinished" and watch["pid"] is None
    assert watch["points"] == len(before) and watch["next_due"]
    time.sleep(1)
    process = watching("--resume", "w", runs=len(before) + 2)
    _, errors = end(process)
    assert "executions were missed, among them" in errors and "whole interval" in errors
    after = places(stored)
    assert after[:len(before)] == before
    assert after[len(before)] > before[-1] + 8  # skipped, not made up for
    assert len(set(after)) == len(after)


def test_killed_while_it_rents(start_duet, stored, program, wait_until, tmp_path):
    command = program("long", f"echo run >>'{tmp_path}/log'\nexec sleep 1000\n")
    log = tmp_path / "log"
    process = start_duet("watch", command, *FAST, "--provision", "echo rent >>log",
                         "--release", "echo return >>log")
    wait_until(lambda: log.exists() and "run" in log.read_text())
    process.kill()
    process.communicate()
    batch = stored.one("SELECT open_batch FROM watch")
    process = start_duet("watch", "--resume")
    wait_until(lambda: log.read_text().count("run") == 2)
    _, errors = end(process)
    assert f"batch {batch + 1} was not released" in errors
    assert log.read_text().split() == ["rent", "run", "return"] * 2
    assert stored.one("SELECT open_batch FROM watch") is None


def test_one_process_a_watch(watching, start_duet, run_duet, wait_until):
    """With the timetable of the paper: an execution now, the next in a quarter of an hour."""
    process = watching("true", runs=1)
    (watch,) = valid(run_duet("watch", "--status", "--json").stdout)["watches"]
    assert watch["state"] == "running" and watch["pid"] == process.pid
    assert watch["points"] == 1 and watch["missed"] == 0
    assert watch["points_per_interval"] == 96
    line = run_duet("watch", "--status").stdout.splitlines()[1].split()
    assert line[1] == "true" and line[4] == "running" and line[5:7] == ["1", "0"]
    for arguments in [["true"], ["--resume"], ["--resume", "true"], ["--resume", "1"]]:
        refused = run_duet("watch", *arguments)
        assert refused.returncode == 2, refused
        assert ("unfinished watch 'true'" if arguments == ["true"] else
                f"watch 'true' is already running (process {process.pid})") in refused.stderr
    process.kill()
    process.communicate()
    # The lock of a dead process is none.
    process = start_duet("watch", "--resume")
    wait_until(lambda: valid(run_duet("watch", "--status", "--json").stdout)
               ["watches"][0]["pid"] == process.pid)
    _, errors = end(process)
    assert "interrupted while waiting" in errors


def test_ones_own_goes_on_whatever_was_merged(start_duet, run_duet, stored, wait_until):
    """Of the same name from another machine, and with a higher number."""
    for store in ([], ["--store", "other.db"]):
        process = start_duet("watch", "true", *ENDLESS, "--name", "w", *store)
        wait_until(lambda: stored.path.exists() and run_duet(
            "watch", "--status", "w", *store).stdout.count("running") > 0)
        end(process)
    merged = run_duet("store", "merge", "other.db", "--into", stored.path)
    assert merged.returncode == 0, merged.stderr
    before = stored.one("SELECT count(*) FROM run WHERE experiment_id = 1")
    process = start_duet("watch", "--resume", "w")
    wait_until(lambda: process.poll() is not None or stored.one(
        "SELECT count(*) FROM run WHERE experiment_id = 1") > before)
    end(process)


def test_one_process_a_watch_whatever_the_store_is_called(start_duet, run_duet, stored,
                                                           wait_until, tmp_path):
    """Which a link names as well as its own name."""
    assert run_duet("-q", "-r", 1, "true", "true").returncode == 0
    (tmp_path / "link.db").symlink_to(stored.path)
    link = ["--store", "link.db"]
    process = start_duet("watch", "true", *ENDLESS, "--name", "w", *link)
    wait_until(lambda: stored.has_runs(4))
    for store in (link, []):
        refused = run_duet("watch", "--resume", "w", *store)
        assert refused.returncode == 2, refused
        assert f"watch 'w' is already running (process {process.pid})" in refused.stderr
        (watch,) = valid(run_duet("watch", "--status", "--json", *store).stdout)["watches"]
        assert watch["pid"] == process.pid
    end(process)


def test_one_process_a_watch_in_all_containers(watching, duet, tmp_path):
    """They share the store, and the processes of one have no numbers in another."""
    process = watching("true", runs=1)
    try:
        inside = confine.namespace("--user", "--map-root-user", "--mount", "--pid", "--fork",
                                   "--mount-proc")
    except confine.Unavailable as why:
        pytest.skip(str(why))

    def elsewhere(*words):
        return subprocess.run([*inside, *duet, *words], cwd=tmp_path, stdin=subprocess.DEVNULL,
                              text=True, capture_output=True, timeout=60, check=False)

    refused = elsewhere("watch", "--resume", "1")
    assert refused.returncode == 2, refused
    assert "watch 'true' is already running (a process of another container)" in refused.stderr
    refused = elsewhere("rm", "1")
    assert refused.returncode == 2, refused
    assert "watch 1 is running (a process of another container)" in refused.stderr
    (watch,) = valid(elsewhere("watch", "--status", "--json").stdout)["watches"]
    assert watch["state"] == "running" and watch["pid"] is None
    end(process)
    assert elsewhere("rm", "1").returncode == 0


def test_two_processes_begin_at_once(start_duet, stored, wait_until):
    processes = [start_duet("watch", "true", "--name", "w") for _ in range(4)]
    wait_until(lambda: sum(process.poll() is None for process in processes) == 1)
    for process in processes:
        if process.poll() is None:
            wait_until(lambda: stored.has_runs(1))
            end(process)
        else:
            assert process.returncode == 2
            assert "unfinished watch" in process.communicate()[1]
    assert stored.one("SELECT count(*) FROM watch") == 1


@pytest.mark.slow
def test_giving_up(run_duet, stored):
    once = run_duet("watch", "true", *ENDLESS, "--max-intervals", 1, "--store", "one.db")
    assert "metior has not stopped within 1 interval\n" in once.stdout
    limited = [*ENDLESS, "--max-intervals", 2, "--fail-on", "unsure"]
    done = run_duet("watch", "true", *limited)
    assert done.returncode == 3, done.stderr
    assert "true: unstable" in done.stdout
    assert "metior has not stopped within 2 intervals" in done.stdout
    assert max(places(stored)) < 16
    (watch,) = valid(run_duet("watch", "--status", "--json").stdout)["watches"]
    assert watch["finished"] and watch["result"] is None
    assert watch["points"] + watch["missed"] == 16
    over = run_duet("watch", "--resume", "true")
    assert over.returncode == 2 and "--max-intervals" in over.stderr
    more = run_duet("watch", "--resume", "true", "--max-intervals", 12)
    assert more.returncode == 0, more.stderr
    assert "unstable" in more.stdout and max(places(stored)) >= 16


def test_a_store_that_has_lost_the_command(run_duet, tmp_path):
    assert run_duet("watch", "false", "--name", "w").returncode == 4
    with sqlite3.connect(tmp_path / ".duet/results.db") as db:
        db.execute("UPDATE side SET command = NULL")
    resumed = run_duet("watch", "--resume", "w")
    assert resumed.returncode == 2 and "has no command of the watch 'w'" in resumed.stderr
    assert run_duet("watch", "--status", "w").returncode == 0


@pytest.mark.parametrize("rule", ["metior-artifact", "basicbt", "cov", "pt4cloud", "steady"])
def test_other_rules(run_duet, program, rule):
    command = program("bench", "echo 5\n")
    done = run_duet("watch", command, *FAST, "--metric", "[0-9]+", "--rule", rule,
                    "--executions-per-hour", 180000)
    assert done.returncode == 0, done.stderr
    assert f"result     5, off by less than 3 % with 95 % confidence, by the rule {rule}" \
        in done.stdout


@pytest.mark.slow
def test_a_benchmark_program(run_duet, stored, integer):
    """Of one that measures itself, the mean of an execution's iterations."""
    done = run_duet("watch", integer(2000), *FAST, "--error", "99%", "--json")
    assert done.returncode == 0, done.stderr
    (watch,) = valid(done.stdout)["watches"]
    means = [value for (value,) in stored.rows(
        "SELECT avg(value) FROM observations WHERE metric = 'time' GROUP BY run")]
    assert stored.one("SELECT min(iterations) FROM run_side WHERE side = 1") == 100
    assert watch["estimate"]["value"] == pytest.approx(sum(means) / len(means))


def test_status_of_nothing(run_duet, tmp_path):
    none = run_duet("watch", "--status")
    assert none.returncode == 2 and not list(tmp_path.iterdir())
    assert run_duet("true", "true", "-r", 2, "-q").returncode == 0
    none = run_duet("watch", "--status")
    assert none.returncode == 0 and "holds no watch yet" in none.stderr
    assert valid(run_duet("watch", "--status", "--json").stdout)["watches"] == []
    missing = run_duet("watch", "--resume", "w")
    assert missing.returncode == 2 and "no such watch 'w'" in missing.stderr


def write_series(path, memory, count=3000):
    generator = random.Random(str(path.name))
    value, lines = 0.0, []
    for _ in range(count):
        value = memory * value + (1 - memory ** 2) ** 0.5 * generator.gauss(0, 1)
        lines.append(f"{100 + value:.6f}")
    path.write_text("\n".join(lines) + "\n")


def test_deriving_the_timetable(run_duet, tmp_path):
    folder = tmp_path / "series"
    folder.mkdir()
    write_series(folder / "slow.txt", 0.97)
    write_series(folder / "fast.txt", 0.0)
    done = run_duet("watch", "--derive", folder, "--executions-per-hour", 20, "--json")
    assert done.returncode == 0, done.stderr
    derivation = valid(done.stdout)["derivation"]
    fast, slow = derivation["series"]
    # 0.97^k falls by 0.1 from k = 4 to 5: every fourth execution is enough.
    assert slow["limited"] and slow["thinning"] in (3, 4, 5)
    assert slow["autocorrelation"] == pytest.approx(0.97, abs=0.02)
    assert slow["enough_per_hour"] == pytest.approx(20 / slow["thinning"])
    assert fast["block_hours"] < slow["block_hours"] == pytest.approx(slow["block_length"] / 20)
    assert derivation["every_s"] == 3600 * -(-slow["block_hours"] // 1)
    text = run_duet("watch", "--derive", folder, "--executions-per-hour", 20).stdout
    assert f"{slow['block_hours']:.3g} h of slow" in text
    assert text.splitlines()[-1].startswith("duet watch --every ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["series"]
    assert not slow["block_cut"]
    # 900 points of a wave: ceil(3 sqrt(900)) is as long as a block is tried.
    (folder / "wave.txt").write_text("".join(
        f"{100 + math.sin(2 * math.pi * i / 40):.6f}\n" for i in range(900)))
    done = run_duet("watch", "--derive", folder, "--executions-per-hour", 20, "--json")
    wave = valid(done.stdout)["derivation"]["series"][-1]
    assert wave["name"] == "wave" and wave["block_cut"] and wave["block_length"] == 90
    (folder / "slow.txt").unlink()
    (folder / "fast.txt").unlink()
    text = run_duet("watch", "--derive", folder, "--executions-per-hour", 20).stdout
    assert "90.0+" in text and "or longer: measure more points" in text


@pytest.mark.skipif(not (SHARED / "data/metior").is_dir(), reason="no shared data")
def test_the_papers_interval(run_duet):
    """Its largest block is 24 hours of executions (He 2021 s.III-C)."""
    done = run_duet("watch", "--derive", SHARED / "data/metior", "--json")
    derivation = valid(done.stdout)["derivation"]
    blocks = {series["name"]: series["block_hours"] for series in derivation["series"]}
    assert len(blocks) == 21
    assert 23 < max(blocks.values()) < 25
    assert derivation["executions_per_hour"] <= 4
    correlations = {series["name"]: series["autocorrelation"] for series in derivation["series"]}
    for name, paper in [("AWS-FT-2XL", 0.16), ("AWS-IMA-2XL", 0.36), ("Chameleon-IMA-L", 0.44),
                        ("Chameleon-FT-L", 0.24)]:
        assert correlations[name] == pytest.approx(paper, abs=0.08)


@pytest.mark.parametrize("arguments, words", [
    ([], ["expected one COMMAND, got 0"]),
    (["a", "b"], ["got 2", "quote it"]),
    (["true", "--every", "soon"], ["--every", "soon"]),
    (["true", "--every", "10min"], ["4 executions an hour", "2 to 10^9"]),
    (["true", "--executions-per-hour", "0"], ["--executions-per-hour 0", "above 0"]),
    (["true", "--batch", "0"], ["--batch"]),
    (["true", "--rule", "best"], ["--rule best", "metior, metior-artifact"]),
    (["true", "--statistic", "p100"], ["--statistic p100", "percentile such as p90"]),
    (["true", "--error", "0"], ["--error 0"]),
    (["true", "--confidence", "1"], ["--confidence 1"]),
    (["true", "--replicates", "9"], ["--replicates"]),
    (["true", "--metric", "throughput"], ["--pattern"]),
    (["true", "--metric", "x", "--pattern", "y"], ["--pattern out"]),
    (["true", "--release", "x"], ["--release needs --provision"]),
    (["true", "--store", "none"], ["--store none"]),
    (["true", "--fail-on", "slower"], ["--fail-on slower"]),
    (["true", "--name", "12"], ["a number means an experiment"]),
    ([""], ["not empty"]),
    (["--resume", "--status"], ["give only one of them"]),
    (["--status", "--error", "3%"], ["--error", "its original settings"]),
    (["--resume", "w", "--every", "1d"], ["--every", "its original settings"]),
    (["--resume", "a", "b"], ["got 2 names"]),
    (["--derive", "x", "true"], ["executes no command"]),
    (["--derive", "nowhere"], ["nowhere"]),
])
def test_wrong_usage(run_duet, tmp_path, arguments, words):
    done = run_duet("watch", *arguments)
    assert done.returncode == 2, done
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments, words", [
    (["true", "--metric", "("], ["'('", "regular expression"]),
])
def test_what_is_wrong_before_anything_is_executed(run_duet, stored, arguments, words):
    done = run_duet("watch", *arguments)
    assert done.returncode == 2, done
    for word in words:
        assert word in done.stderr, done.stderr
    assert not pathlib.Path(stored.path).exists() or stored.states() == []
