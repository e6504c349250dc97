"""A failed test gets a second go (tools/check_run.py), and is never lost."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "cli.test_names/test_one"


@pytest.fixture
def check(monkeypatch, tmp_path):
    """pytest in it says of `NAME` what stands next in its `say`: `pass`, `fail` or nothing."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    import check_run

    class Check(check_run.Check):
        say_next = ()
        environments = ()

        def run(self, *command, limit_s=0, **environment):
            (word, *self.say_next), path = self.say_next, tmp_path / "s.xml"
            self.environments = (*self.environments, environment)
            module, _, test = NAME.partition("/")
            failure = "<failure/>" if word == "fail" else ""
            path.write_text("<testsuite>" + (f'<testcase classname="{module}" name="{test}">'
                                             f"{failure}</testcase>" if word else "")
                            + "</testsuite>")
            return {"pass": 0, "fail": 1}.get(word, 5)

    monkeypatch.setattr(check_run, "BUILD", tmp_path)
    monkeypatch.setattr(check_run, "BYTECODE", tmp_path)
    return Check()


def test_it_runs_again_whatever_part_it_is_of(check):
    check.say_next = ["fail", "pass"]
    check.pytest("s", "cli", DUET_TEST_ROTATION="2/5")
    assert [one["DUET_TEST_ROTATION"] for one in check.environments] == ["2/5", "1/1"]
    assert [(one.name, one.outcome) for one in check.results] == [(NAME, "unstable")]


@pytest.mark.parametrize("second", ["fail", ""])
def test_without_a_pass_it_has_failed(check, second):
    check.say_next = ["fail", second]
    with pytest.raises(sys.modules["check_run"].StepFailed):
        check.pytest("s", "cli")
    assert [(one.name, one.outcome) for one in check.results] == [(NAME, "failed")]
