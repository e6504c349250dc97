"""How runs are carried out: every schedule in both modes, fairness of the positions,
fillers, and that nothing of duet runs while the sides do."""

import collections
import os
import pathlib
import signal

import pytest

from support.processes import children_of

SCHEDULES = ["duet", "interleaved", "sequential", "timeslice"]
PAIRED = ["duet", "timeslice"]


def assignments(stored, experiment=1):
    """(run, block, position of old, cpu of old, cpu of new) of each run."""
    return stored.rows(
        "SELECT r.idx, r.block, o.position, o.cpu, n.cpu FROM run AS r "
        "JOIN run_side AS o ON o.run_id = r.id AND o.side = 0 "
        "JOIN run_side AS n ON n.run_id = r.id AND n.side = 1 "
        "WHERE r.experiment_id = ? ORDER BY r.idx", experiment)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("mode", ["command", "harness"])
def test_every_schedule_in_both_modes(run_duet, odd_benchmark, stored, schedule, mode):
    command = "true" if mode == "command" else odd_benchmark
    result = run_duet(command, f"{command} nothing" if mode == "harness" else command,
                      "-r", 4, "-I", 6, "--schedule", schedule)
    assert result.returncode == 0, result.stderr
    runs = 8 if schedule == "sequential" else 4  # there, a run has one side
    assert "  old  " in result.stdout and f"{runs} runs" in result.stdout
    stored.check()
    assert stored.states() == ["done"]
    assert stored.rows("SELECT DISTINCT schedule, mode FROM run") == [(schedule, mode)]
    counts = collections.Counter(stored.rows(
        "SELECT side, run_id, count(*) FROM iteration WHERE filler = 0 "
        "GROUP BY run_id, side"))
    assert sorted(side for side, _, _ in counts) == [0] * 4 + [1] * 4
    assert {count for _, _, count in counts} == {6}
    assert stored.runs() == runs
    assert stored.one("SELECT count(*) FROM iteration WHERE end_ns <= start_ns") == 0
    if schedule in PAIRED:
        assert stored.rows(
            "SELECT DISTINCT idx FROM iteration WHERE filler = 0 ORDER BY idx") == [
                (i,) for i in range(6)]


@pytest.mark.parametrize("schedule", PAIRED)
@pytest.mark.parametrize("mode", ["command", "harness"])
def test_pairs_execute_at_the_same_time(run_duet, odd_benchmark, stored, schedule, mode):
    """They overlap; long enough that no other load can keep one off its CPU for that
    time."""
    command = "sleep 0.4" if mode == "command" else f"{odd_benchmark} nothing 1 400"
    assert run_duet(command, command, "-r", 2, "-I", 1, "--schedule",
                    schedule).returncode == 0
    pairs = stored.rows(
        "SELECT o.start_ns, o.end_ns, n.start_ns, n.end_ns FROM iteration AS o "
        "JOIN iteration AS n ON n.run_id = o.run_id AND n.idx = o.idx AND n.side = 1 "
        "AND n.filler = 0 WHERE o.side = 0 AND o.filler = 0")
    assert len(pairs) == 2
    assert all(max(a, c) < min(b, d) for a, b, c, d in pairs)


@pytest.mark.parametrize("mode", ["command", "harness"])
@pytest.mark.parametrize("schedule", ["interleaved", "sequential"])
def test_one_side_at_a_time(run_duet, odd_benchmark, stored, schedule, mode):
    command = "true" if mode == "command" else odd_benchmark
    assert run_duet(command, command, "-r", 6, "-I", 2, "--schedule",
                    schedule).returncode == 0
    times = stored.rows("SELECT start_ns, end_ns, side FROM iteration WHERE filler = 0 "
                        "ORDER BY start_ns")
    assert len(times) == 24
    assert all(before[1] <= after[0] for before, after in zip(times, times[1:]))
    sides = [side for _, _, side in times]
    if schedule == "sequential":
        assert sides == [0] * 12 + [1] * 12


def test_positions_are_fair(run_duet, stored):
    """Each side has each position in exactly half of the runs, and they swap within a
    block; the CPU belongs to the position."""
    assert run_duet("true", "true", "-r", 40, "--seed", 1).returncode == 0
    runs = assignments(stored)
    assert [run for run, *_ in runs] == list(range(40))
    assert [block for _, block, *_ in runs] == [run // 2 for run in range(40)]
    old = [position for _, _, position, _, _ in runs]
    assert sum(old) == 20
    assert all(old[i] != old[i + 1] for i in range(0, 40, 2))
    assert len(set(old[::2])) == 2, "the coin fell both ways"
    cpus = {(position, cpu_old, cpu_new) for _, _, position, cpu_old, cpu_new in runs}
    (_, cpu_0, cpu_1), (_, swapped_1, swapped_0) = sorted(cpus)
    assert (cpu_0, cpu_1) == (swapped_0, swapped_1) and cpu_0 != cpu_1


def test_the_cpu_of_an_iteration_is_its_positions(run_duet, stored, integer):
    assert run_duet(integer(10000), integer(10000), "-r", 4, "-I", 4).returncode == 0
    assert not stored.rows(
        "SELECT * FROM iteration JOIN run_side USING (run_id, side) "
        "WHERE iteration.cpu <> run_side.cpu")


def test_interleaved_order_is_the_positions(run_duet, stored):
    """Position 0 executes first, and the coin decides who has it."""
    assert run_duet("true", "true", "-r", 40, "--seed", 1, "--schedule",
                    "interleaved").returncode == 0
    first = stored.rows(
        "SELECT o.start_ns < n.start_ns FROM run AS r "
        "JOIN iteration AS o ON o.run_id = r.id AND o.side = 0 "
        "JOIN iteration AS n ON n.run_id = r.id AND n.side = 1 ORDER BY r.idx")
    old_position = [position for _, _, position, _, _ in assignments(stored)]
    assert [1 - old_first for (old_first,) in first] == old_position
    assert sum(old_position) == 20 and len(set(old_position[::2])) == 2


def test_the_seed_decides_the_assignment(run_duet, stored):
    for seed in (5, 5, 6):
        assert run_duet("true", "true", "-r", 32, "--seed", seed).returncode == 0
    one, again, other = (assignments(stored, experiment) for experiment in (1, 2, 3))
    assert one == again
    assert [row[2] for row in one] != [row[2] for row in other]
    assert stored.rows("SELECT seed FROM experiment ORDER BY id") == [
        ("5",), ("5",), ("6",)]


def test_warm_up_executions_of_commands_are_not_recorded(run_duet, program, stored,
                                                         tmp_path):
    command = program("count", f"echo >>{tmp_path}/executions.$1\n")
    assert run_duet(f"{command} old", f"{command} new", "-r", 4, "-w", 3).returncode == 0
    for side in ("old", "new"):
        assert len((tmp_path / f"executions.{side}").read_text()) == 3 + 4
    assert stored.one("SELECT count(*) FROM iteration") == 2 * 4
    assert stored.runs() == 4


def test_warm_up_iterations_of_benchmarks_are_left_out(run_duet, odd_benchmark, stored):
    """They are stored, and the analysis drops them."""
    result = run_duet(odd_benchmark, odd_benchmark, "-r", 4, "-I", 5, "-w", 2)
    assert result.returncode == 0
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 2 * 4 * 5
    assert "12 iterations a side" in result.stdout


@pytest.mark.parametrize("amount, least", [(["-r", 2], 30 + 100), (["-M", 2, "-m", 2], 30 + 1)])
def test_a_run_does_not_end_within_its_warm_up(run_duet, odd_benchmark, stored, amount, least):
    """How long it takes is not known before."""
    command = f"{odd_benchmark} none 0 1"
    result = run_duet(command, command, "-w", 30, *amount)
    assert result.returncode == 0, result.stderr
    counts = stored.rows("SELECT count(*) FROM iteration WHERE filler = 0 "
                         "GROUP BY run_id, side")
    assert len(counts) == 4 and min(counts)[0] >= least, counts


@pytest.mark.timing
@pytest.mark.parametrize("schedule", PAIRED)
def test_fillers_of_commands(run_duet, stored, schedule):
    """One takes three times as long; the other executes on, which is counted and no
    more."""
    assert run_duet("sleep 0.05", "sleep 0.15", "-r", 2, "--fill", "--schedule",
                    schedule).returncode == 0
    fillers = stored.rows("SELECT side, sum(fillers), sum(iterations) FROM run_side "
                          "GROUP BY side ORDER BY side")
    assert fillers[0][1] >= 2 and fillers[1][1] == 0
    assert [row[2] for row in fillers] == [2, 2]
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 4


def test_commands_have_no_fillers_by_default(run_duet, stored):
    assert run_duet("true", "sleep 0.05", "-r", 2).returncode == 0
    assert stored.one("SELECT sum(fillers) FROM run_side") == 0


@pytest.mark.timing
def test_killed_fillers(run_duet, program, stored):
    """The filler would take forever; the other side's end ends it."""
    command = program("slow-filler",
                      "mkdir once 2>/dev/null && exec sleep 0.02\nsleep 1000\n")
    result = run_duet(command, "sleep 0.2", "-r", 1, "--fill=kill", timeout=10)
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT side, fillers FROM run_side ORDER BY side") == [
        (0, 1), (1, 0)]


@pytest.mark.parametrize("schedule", PAIRED)
def test_fillers_of_benchmarks(run_duet, odd_benchmark, stored, schedule):
    """On by default; --no-fill turns them off."""
    sides = [f"{odd_benchmark} nothing 1 2", f"{odd_benchmark} nothing 1 20"]
    arguments = ["-r", 2, "-I", 5, "--schedule", schedule]
    assert run_duet(*sides, *arguments).returncode == 0
    assert run_duet(*sides, *arguments, "--no-fill").returncode == 0
    fillers = dict(stored.rows(
        "SELECT r.experiment_id * 10 + s.side, sum(s.fillers) FROM run_side AS s "
        "JOIN run AS r ON r.id = s.run_id GROUP BY r.experiment_id, s.side"))
    assert fillers[10] >= 10, "at least one for each of the iterations"
    assert fillers[20] == 0 and fillers[21] == 0
    assert stored.one("SELECT count(*) FROM iteration WHERE filler = 0") == 2 * 2 * 2 * 5


def switches(pid):
    """How often a process was scheduled so far."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if "ctxt_switches" in
               line)


def cpu_ticks(pid):
    """User and system time that a process has used, in clock ticks."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.timing
@pytest.mark.parametrize("mode", ["command", "harness"])
def test_nothing_of_duet_runs_while_the_sides_do(start_duet, integer, wait_until, mode):
    """Neither the runner nor the supervisors are scheduled a single time while both
    sides are on their CPUs for a while. Before that they are (a benchmark that attaches
    rings a bell), and after (ends are reported); in between only a full ring would wake
    the runner, after 16384 iterations, with both sides waiting."""
    command = "sh -c 'while :; do :; done'" if mode == "command" else integer(8000000)
    process = start_duet(command, command, "-r", 2, "-I", 10000)
    wait_until(lambda: len(children_of(process.pid)) == 2 and
               all(children_of(pid) for pid in children_of(process.pid)))
    supervisors = children_of(process.pid)
    (side_0,), (side_1,) = (children_of(pid) for pid in supervisors)
    ours = [process.pid, *supervisors]
    tick = os.sysconf("SC_CLK_TCK")
    # A side that has used so much CPU time has long attached.
    wait_until(lambda: min(cpu_ticks(side_0), cpu_ticks(side_1)) >= tick // 10)
    before = [switches(pid) for pid in ours]
    wait_until(lambda: min(cpu_ticks(side_0), cpu_ticks(side_1)) >= tick // 2)
    assert [switches(pid) for pid in ours] == before
    process.send_signal(signal.SIGINT)
    process.communicate()


def test_a_cpu_clock_that_stands_still_for_an_iteration(run_duet, odd_benchmark, stored):
    """What interrupts and a hypervisor had is subtracted in lumps: it is no reason to have no
    answer."""
    result = run_duet(f"{odd_benchmark} nothing 3 1", f"{odd_benchmark} still 3 1", "-r", 2,
                      "-I", 6, "--schedule", "timeslice")
    assert result.returncode == 0, result.stderr
    assert stored.rows("SELECT side, idx, cpu_ns FROM iteration WHERE cpu_ns < 100") == [
        (1, 2, 1)] * 2


@pytest.mark.timing
@pytest.mark.parametrize("iterations", [2, 40])
def test_wake_ups_do_not_depend_on_the_iterations(run_duet, integer, stored, iterations):
    """At most: two that attach, two that close, and the first of two reports. Each is
    outside the timed sections, or the side's own."""
    assert run_duet(integer(2000000), integer(2000000), "-r", 4, "-I",
                    iterations).returncode == 0
    assert max(count for (count,) in stored.rows("SELECT runner_wakeups FROM run")) <= 5


def test_wake_ups_with_commands(run_duet, stored):
    """Only the first of two reports, however many pairs a run has."""
    assert run_duet("true", "true", "-r", 4, "-I", 20).returncode == 0
    assert max(count for (count,) in stored.rows("SELECT runner_wakeups FROM run")) <= 1


def test_many_iterations_go_through_the_ring(run_duet, integer, stored):
    """More than it has room for: it is emptied while both sides wait."""
    assert run_duet(integer(10), integer(10), "-r", 1, "-I", 40000,
                    "--no-fill").returncode == 0
    assert stored.rows("SELECT side, count(*), max(idx) FROM iteration "
                       "WHERE filler = 0 GROUP BY side") == [(0, 40000, 39999),
                                                             (1, 40000, 39999)]


@pytest.mark.rotating(3)
def test_many_pairs_of_commands_in_one_run(run_duet, stored):
    """More than one order to a supervisor can hold (1024)."""
    assert run_duet("true", "true", "-r", 1, "-I", 1100).returncode == 0
    assert stored.rows("SELECT side, count(*), max(idx) FROM iteration GROUP BY side") \
        == [(0, 1100, 1099), (1, 1100, 1099)]


@pytest.mark.timing
def test_run_time_ends_a_benchmarks_run(run_duet, odd_benchmark, stored):
    command = f"{odd_benchmark} nothing 1 20"
    assert run_duet(command, command, "-r", 2, "-I", 10000, "--run-time",
                    "200ms").returncode == 0
    counts = [count for (count,) in stored.rows("SELECT iterations FROM run_side")]
    assert all(2 <= count <= 10 for count in counts)
    for run in (0, 1):
        assert counts[2 * run] == counts[2 * run + 1]


def test_until_a_time(run_duet, stored):
    """At least the minimum of runs, whatever the time; whole blocks."""
    assert run_duet("true", "true", "--until", "time=1ms", "-m", 6).returncode == 0
    assert run_duet("true", "true", "--until", "time=1h", "-m", 2, "-M",
                    8).returncode == 0
    assert run_duet("true", "true", "--until", "runs=5").returncode == 0
    assert stored.rows("SELECT count(*) FROM run GROUP BY experiment_id") == [
        (6,), (8,), (5,)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_comes_behind_may_run_on_all_cpus(run_duet, tmp_path, schedule):
    """duet itself moves to a CPU that no side has while it measures, and back: hooks and
    competing loads are its children."""
    own = len(os.sched_getaffinity(0))
    assert run_duet("true {n}", "true", "-L", "n", "1,2", "-r", 2, "--schedule", schedule,
                    "--setup", "nproc >> cpus", "--cleanup", "nproc >> cpus").returncode == 0
    assert (tmp_path / "cpus").read_text().split() == [str(own)] * 8
