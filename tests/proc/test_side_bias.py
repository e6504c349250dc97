"""A bias that stays with a side would be a false alarm that no statistics removes: the
same program under two names, over a thousand blocks. A longer name is a little more work
(docs/explanation.md, "What can go wrong"): what that makes of a program of half a
millisecond has a bound."""

import json
import shutil

import pytest

RUNS = 2000


@pytest.mark.timeout(300)
@pytest.mark.bare  # thousands of executions
@pytest.mark.rotating(4)
@pytest.mark.parametrize("names", [("aaaa", "bbbb"),  # launch order, slot, supervisor
                                   ("a", "a" * 200)])  # the length of its arguments
@pytest.mark.parametrize("schedule", ["duet", "timeslice"])
def test_one_program_under_two_names(run_duet, tmp_path, names, schedule):
    for name in names:
        shutil.copy("/bin/true", tmp_path / name)
    result = run_duet(f"./{names[0]}", f"./{names[1]}", "-r", RUNS, "--interval", "anytime",
                      "-q", "--schedule", schedule, "--store", "none", "--export-json", "-",
                      timeout=300)
    assert result.returncode == 0, result.stderr
    comparison = json.loads(result.stdout)["comparisons"][0]
    assert comparison["runs"] == RUNS
    if schedule == "duet" and len(names[0]) != len(names[1]):
        assert abs(comparison["change_pct"]) < 1, comparison
    else:
        # Exact whatever the noise, and without a lower limit: once in 100,000 by chance.
        assert comparison["change_p_value"] > 1e-5, comparison
