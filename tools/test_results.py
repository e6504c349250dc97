"""What the test programs said: one Result for each test, from CTest's and pytest's JUnit
files and from cmocka's output inside them, and which skips are expected."""

import dataclasses
import fnmatch
import re
import xml.etree.ElementTree

import source_tree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
UNSTABLE = "unstable"  # failed, and passed when it ran again
EXPECTED_SKIPS = "tests/expected-skips.txt"

# cmocka: "[ RUN      ] name", what the test prints, then how it ended. Test names are C
# identifiers; the closing lists ("[  SKIPPED ] 1 test(s), listed below:") repeat them.
_CMOCKA = re.compile(r"^\[ RUN {6}\] (?P<name>\w+)\n(?P<said>.*?)"
                     r"^\[ *(?P<word>OK|SKIPPED|FAILED|ERROR) +\] (?P=name)$",
                     re.MULTILINE | re.DOTALL)
_PYTEST_FOLDERS = ("cli.", "proc.", "package.", "oracle.", "slurm.", "bindings.", "browser.")
_CMOCKA_WORDS = {"OK": PASSED, "SKIPPED": SKIPPED}


@dataclasses.dataclass
class Result:
    suite: str  # the step that ran it: "gcc", "cli"
    name: str  # "unit_base_parse/whole_keeps_to_its_range"
    outcome: str
    reason: str = ""  # of a skip, "" when none was given

    @property
    def program(self):
        """What runs again when this failed: the program of a unit test, a pytest test."""
        return self.name if self.name.startswith(_PYTEST_FOLDERS) else self.name.split("/")[0]


def passed(result):
    """The same test, passed."""
    return dataclasses.replace(result, outcome=PASSED)


def pytest_node(result):
    """How pytest calls a test: "proc.test_taken/test_x[1]" is
    "tests/proc/test_taken.py::test_x[1]"."""
    module, _, name = result.name.partition("/")
    return f"tests/{module.replace('.', '/')}.py::{name}"


def _skip_reason(said):
    """What a test printed before it skipped: its line "SKIP: reason", else all of it."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith("SKIP")]
    return re.sub(r"(?i)^skip(ped)?: *", "", " ".join(marked or lines))


def from_program(suite, name, output, outcome):
    """The results of one test program: those inside it when it is a cmocka one. outcome:
    what its exit status said."""
    results = [Result(suite, f"{name}/{match['name']}",
                      _CMOCKA_WORDS.get(match["word"], FAILED),
                      _skip_reason(match["said"]) if match["word"] == "SKIPPED" else "")
               for match in _CMOCKA.finditer(output)]
    if not results:
        reason = _skip_reason(output) if outcome == SKIPPED else ""
        return [Result(suite, name, outcome, reason)]
    if outcome == FAILED and all(result.outcome != FAILED for result in results):
        results.append(Result(suite, name, FAILED))  # crashed, hung or leaked
    return results


def from_ctest(suite, path):
    results = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        if case.get("status") == "run":
            outcome = PASSED
        elif case.find("skipped") is not None and case.get("status") == "notrun" \
                and "SKIP_RETURN_CODE" in case.find("skipped").get("message", ""):
            outcome = SKIPPED
        else:
            outcome = FAILED
        results += from_program(suite, case.get("name"), output, outcome)
    return results


def from_pytest(suite, path):
    results = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}/{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            results.append(Result(suite, name, FAILED))
        elif skipped is not None:
            results.append(Result(suite, name, SKIPPED, skipped.get("message", "")))
        else:
            results.append(Result(suite, name, PASSED))
    return results


def dearest(path, count=10):
    """What a run of pytest says of its tests' CPU time: that of all, and of those with most."""
    times = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        for one in case.iter("property"):
            if one.get("name") == "cpu_s":
                times[f"{case.get('classname')}/{case.get('name')}"] = float(one.get("value"))
    most = sorted(times, key=times.get, reverse=True)[:count]
    return f"{sum(times.values()):.0f} s of CPUs; most: " + ", ".join(
        f"{name} {times[name]:.1f} s" for name in most)


def read_expected_skips():
    """(test pattern, reason pattern, why that is acceptable) of each line."""
    expected = []
    lines = source_tree.read(EXPECTED_SKIPS).splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3 or not all(fields):
            raise ValueError(f"{EXPECTED_SKIPS}:{number}: expected three fields: "
                             "test pattern | reason pattern | why")
        expected.append(tuple(fields))
    return expected


def why_expected(result, expected):
    """Why this skip is acceptable; None when nobody said so."""
    for test, reason, why in expected:
        if fnmatch.fnmatchcase(result.name, test) and result.reason \
                and fnmatch.fnmatchcase(result.reason, reason):
            return why
    return None
