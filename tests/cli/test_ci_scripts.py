"""ci/ and action.yml: what they call, with the variables that GitHub and GitLab set, in a
repository of two commits; `gh` is one that writes down what it is asked."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
import yaml

from tests.conftest import BUILD

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "ci"
SCRIPTS = sorted(path for path in ROOT.glob("**/*")
                 if path.is_file() and not {"build", "build-check", ".git"} & set(path.parts)
                 and path.open("rb").readline().rstrip() in (b"#!/bin/bash", b"#!/bin/sh"))
GH = r'''#!/bin/bash
printf '%s\n' "$*" >>"$GH_LOG"
case "$*" in
*/pulls/*) printf '%s\n' "$GH_HEAD" ;;
*--paginate*) [[ -z $GH_REFUSES_READING ]] || exit 1; printf '%s' "$GH_KNOWN" ;;
*"-X "*) [[ -z $GH_REFUSES ]] || exit 1; cat "${@: -1:1}" 2>/dev/null || true ;;
esac
'''


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture
def project(tmp_path):
    """A job, and on top of it one of four times the work."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "You")
    git(folder, "config", "user.email", "you@example.org")
    for number, message in ((200000, "a job"), (800000, "a slower job")):
        (folder / "job.sh").write_text(
            f"#!/bin/sh\nexec duet workload integer --operations {number}\n")
        (folder / "job.sh").chmod(0o755)
        git(folder, "add", "job.sh")
        git(folder, "commit", "-q", "-m", message)
    return folder


@pytest.fixture
def script(project, duet, tmp_path):
    """Runs a script of ci/ in the project, with nothing in the environment but what is
    given and what every job has."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "duet").symlink_to(duet[-1])
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)

    def run(name, *arguments, **variables):
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path),
                       "LC_ALL": "C.UTF-8", "GH_LOG": str(tmp_path / "asked"), **variables}
        return subprocess.run([CI / name, *arguments], cwd=project, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=120)

    return run


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_job_of_github(script, project, tmp_path):
    """Compare, comment, and only then fail."""
    done = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_TIME="30s",
                  COMPARE_NUMBER="7", GITHUB_ACTIONS="true",
                  GITHUB_OUTPUT=str(tmp_path / "output"),
                  GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert done.returncode == 0, done.stderr
    assert "::error title=duet::gate failed: 1 of 1 benchmark" in done.stderr
    assert "verdict=slower" in (tmp_path / "output").read_text()
    assert "report=duet-report/comment.md" in (tmp_path / "output").read_text()
    reports = project / "duet-report"
    assert (tmp_path / "summary").read_text() == (reports / "comment.md").read_text()
    assert (reports / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert ElementTree.parse(reports / "junit.xml").getroot().get("failures") == "1"
    assert json.loads((reports / "result.json").read_text())["comparisons"][0]["gate"]["state"] == "failed"
    assert (reports / "metrics.txt").read_text().endswith("# EOF\n")
    done = script("comment", GITHUB_REPOSITORY="you/project", GH_TOKEN="t")
    assert done.returncode == 0, done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0].startswith("api --paginate repos/you/project/issues/7/comments --jq ")
    assert '"<!-- duet:duet -->"' in asked[0] and '"Bot"' in asked[0]
    assert asked[1] == ("api -X POST repos/you/project/issues/7/comments "
                        "-F body=@duet-report/comment.md")
    assert script("gate").returncode == 1


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("merged", [False, True])
def test_a_job_of_gitlab(script, project, merged):
    """A pipeline of merged results has the target's newest commit in HEAD, too."""
    base = git(project, "rev-parse", "HEAD")
    bases = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": git(project, "rev-parse", "HEAD~1") if merged else base,
             "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": base if merged else ""}
    done = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_BUILD="true",
                  COMPARE_OPTIONS="--max-runs 8", COMPARE_FOLDER="r e",
                  COMPARE_MAX_SLOWDOWN="900%", **bases)
    assert done.returncode == 0, done.stderr  # a commit against itself
    (comparison,) = json.loads((project / "r e/result.json").read_text())["comparisons"]
    assert comparison["name"].endswith(f" {base[:7]}..{base[:7]}")
    assert "::" not in done.stderr
    assert script("gate", "r e").returncode == 0
    assert ElementTree.parse(project / "r e/junit.xml").getroot().get("tests") == "1"


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("merged", [False, True])
def test_a_commit_of_the_pull_request_itself(script, project, merged):
    """What a job checks out by `ref:` is not GitHub's merge, whose parent is the target."""
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    git(project, "commit", "-q", "--allow-empty", "-m", "another commit of it")
    head = git(project, "rev-parse", "HEAD")
    done = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_OPTIONS="--max-runs 8",
                  GITHUB_BASE_REF="main", GITHUB_SHA=head if merged else "0" * 40)
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads((project / "duet-report/result.json").read_text())["comparisons"]
    base = git(project, "rev-parse", "HEAD~1" if merged else "HEAD~2")
    assert comparison["name"].endswith(f" {base[:7]}..{head[:7]}")
    lost = script("compare", COMPARE_COMMAND="./job.sh", GITHUB_BASE_REF="nowhere", GITHUB_SHA="0")
    assert lost.returncode == 2 and "set COMPARE_BASE" in lost.stderr


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_job_with_a_suite(script, project):
    (project / "s.yaml").write_text("defaults: {runs: 4}\nbenchmarks:\n"
                                    "  - {name: one, command: ./job.sh}\n"
                                    "  - {name: two, command: '{build}/job.sh'}\n")
    done = script("compare", COMPARE_SUITE="s.yaml", COMPARE_TIME="5s")
    assert done.returncode == 0, done.stderr
    root = ElementTree.parse(project / "duet-report/junit.xml").getroot()
    assert [case.get("name") for case in root.iter("testcase")] == ["one", "two"]


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("fail_on, status", [("", 0), ("slower", 1)])
def test_a_limit_allows_what_is_below_it(script, project, fail_on, status):
    """As a workflow of docs/how-to/gate-a-pull-request.md has it: `max-slowdown` by itself. The
    options are of two lines."""
    done = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_MAX_SLOWDOWN="900%",
                  COMPARE_FAIL_ON=fail_on, COMPARE_OPTIONS="--max-runs 40\n--name job\n")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads((project / "duet-report/result.json").read_text())["comparisons"]
    assert comparison["name"] == "job" and comparison["verdict"] == "slower"
    assert script("gate").returncode == status


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("own, setting, value, status", [
    (", fail-on: none, max-slowdown: 900%", "FAIL_ON", "file", 0),
    (", fail-on: none, max-slowdown: 900%", "FAIL_ON", "", 1),
    ("", "MAX_SLOWDOWN", "900%", 0),  # a limit is the gate, whatever the suite says
    ("", "MAX_SLOWDOWN", "none", 1)])
def test_the_gate_of_a_suite(script, project, own, setting, value, status):
    (project / "s.yaml").write_text("defaults: {runs: 16, fail-on: slower}\nbenchmarks:\n"
                                    f"  - {{name: job, command: ./job.sh{own}}}\n")
    done = script("compare", COMPARE_SUITE="s.yaml", **{f"COMPARE_{setting}": value})
    assert done.returncode == 0, done.stderr
    assert script("gate").returncode == status


def test_what_cannot_be_compared_fails_at_once(script, project):
    nothing = script("compare")
    assert nothing.returncode == 2 and "set COMPARE_COMMAND or COMPARE_SUITE" in nothing.stderr
    both = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_SUITE="s.yaml")
    assert both.returncode == 2 and "leave one out" in both.stderr
    fileless = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_FAIL_ON="file")
    assert fileless.returncode == 2 and "needs COMPARE_SUITE" in fileless.stderr
    nowhere = script("compare", COMPARE_COMMAND="./job.sh", COMPARE_BASE="nowhere")
    assert nowhere.returncode == 2 and "nothing was compared" in nowhere.stderr
    broken = script("compare", COMPARE_COMMAND="false")
    assert broken.returncode == 0 and "a command failed" in broken.stderr
    assert script("gate").returncode == 4


def test_a_gate_without_a_comparison(script):
    done = script("gate", "nowhere")
    assert done.returncode == 2 and "ci/compare did not get that far" in done.stderr


@pytest.fixture
def report(project):
    folder = project / "duet-report"
    folder.mkdir()
    (folder / "comment.md").write_text("<!-- duet:duet -->\n### duet: nothing is surely slower\n")
    (folder / "number").write_text("7\n")
    return folder


@pytest.mark.parametrize("variables, number, words", [
    ({"GH_KNOWN": "41\n42\n"}, 2, "-X PATCH repos/you/project/issues/comments/41 "),
    ({"WORKFLOW_SHA": "abc", "GH_HEAD": "abc"}, 3, "-X POST repos/you/project/issues/7/comments "),
])
def test_one_comment_that_stays(script, report, tmp_path, variables, number, words):
    done = script("comment", GITHUB_REPOSITORY="you/project", **variables)
    assert done.returncode == 0 and "::" not in done.stdout
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == number and words in asked[-1]


def test_a_foreign_folder_names_only_its_own_pull_request(script, report, tmp_path):
    """Everything in it may come from a fork."""
    other = script("comment", GITHUB_REPOSITORY="you/project", WORKFLOW_SHA="abc", GH_HEAD="def")
    assert other.returncode == 0 and "is not of commit abc" in other.stderr
    assert "-X" not in (tmp_path / "asked").read_text()
    (report / "number").write_text("7/../../8\n")
    bad = script("comment", GITHUB_REPOSITORY="you/project")
    assert bad.returncode == 0 and "names no pull request" in bad.stderr
    (report / "number").write_text("7\n")
    (report / "comment.md").write_text('<!-- duet:") | .id, env -->\n')
    assert script("comment", GITHUB_REPOSITORY="you/project").returncode == 2
    assert "-X" not in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("refusal", ["GH_REFUSES", "GH_REFUSES_READING"])
def test_without_permission_it_says_so_and_passes(script, report, refusal):
    done = script("comment", GITHUB_REPOSITORY="you/project", **{refusal: "1"})
    assert done.returncode == 0
    assert done.stdout.startswith("::warning title=duet::")


@pytest.fixture(name="archive")
def archive_fixture(duet, tmp_path):
    """As `make dist` makes one."""
    top = tmp_path / "duet-1-linux/bin"
    top.mkdir(parents=True)
    (top / "duet").symlink_to(duet[-1])
    folder = top.parent / "lib/pkgconfig"
    folder.mkdir(parents=True)
    (folder / "duet.pc").write_text("Name: duet\nDescription: harness\nVersion: 1\nLibs: -lduet\n")
    path = tmp_path / "a duet.tar.xz"
    subprocess.run(["tar", "-cJf", path, "-C", tmp_path, "duet-1-linux"], check=True)
    return path


@pytest.mark.parametrize("address", [False, True])
def test_a_release_archive_is_installed(script, archive, tmp_path, address):
    """Also from an address, with its digest, into the job's PATH. What the job builds finds libduet."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    done = script("install", tmp_path / "prefix", DUET_ARCHIVE_SHA256=digest,
                  DUET_ARCHIVE=archive.as_uri() if address else str(archive),
                  GITHUB_PATH=str(tmp_path / "path"), GITHUB_ENV=str(tmp_path / "environment"),
                  LD_LIBRARY_PATH="/mine")
    assert done.returncode == 0 and done.stdout.startswith("duet "), done.stderr
    assert (tmp_path / "path").read_text() == f"{tmp_path}/prefix/bin\n"
    given = dict(line.split("=", 1) for line in (tmp_path / "environment").read_text().splitlines())
    assert given == {"PKG_CONFIG_PATH": f"{tmp_path}/prefix/lib/pkgconfig",
                     "CMAKE_PREFIX_PATH": f"{tmp_path}/prefix",
                     "LD_LIBRARY_PATH": f"{tmp_path}/prefix/lib:/mine"}
    said = subprocess.run(["pkg-config", "--libs", "duet"], env={**os.environ, **given}, check=True,
                          text=True, capture_output=True).stdout
    assert said.strip() == "-lduet"


def test_an_archive_that_is_another_one(script, archive, tmp_path):
    done = script("install", tmp_path / "prefix", DUET_ARCHIVE=str(archive), DUET_ARCHIVE_SHA256="0" * 64)
    assert done.returncode == 1 and "has another SHA-256" in done.stderr
    assert not (tmp_path / "prefix").exists()
    missing = script("install", tmp_path / "prefix", DUET_ARCHIVE=str(tmp_path / "nowhere"))
    assert missing.returncode != 0 and "nowhere" in missing.stderr


def test_scripts_are_clean():
    assert CI / "compare" in SCRIPTS
    done = subprocess.run(["shellcheck", *SCRIPTS], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_action_is_well_formed():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])
    for step in action["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "run" in step:
            # An input in a script would be executed.
            assert step["shell"] == "bash" and "${{" not in step["run"]
            for name in re.findall(r"\$GITHUB_ACTION_PATH/([\w/]+)", step["run"]):
                assert os.access(ROOT / name, os.X_OK)
    assert action["runs"]["steps"][-1]["name"] == "Gate"
    told = set(re.findall(r"COMPARE_\w+", text))
    read = set(re.findall(r"\$\{(COMPARE_\w+)", (CI / "compare").read_text()))
    assert told == read
    outputs = set(re.findall(r"outputs\.(\w+)", text))
    assert outputs == set(action["outputs"]) == {"verdict", "slower", "unsure", "report"}


@pytest.fixture(name="actionlint", scope="module")
def actionlint_fixture():
    """Runs actionlint over workflows, in a repository that has this action at its top. Go builds
    it into the build folder, the first time."""
    if shutil.which("go") is None:
        pytest.skip("no go: actionlint cannot be built")
    program = BUILD / "actionlint" / ACTIONLINT.rpartition("@")[2] / "actionlint"
    if not program.exists():
        done = subprocess.run(["go", "install", ACTIONLINT], capture_output=True, text=True,
                              check=False, timeout=280,
                              env={**os.environ, "GOBIN": str(program.parent), "GOFLAGS": ""})
        if not program.exists():
            pytest.skip("the Go proxy does not give actionlint: " + " ".join(done.stderr.split())[:200])

    def run(folder, *workflows):
        (folder / ".github/workflows").mkdir(parents=True)
        git(folder, "init", "-q")
        shutil.copy(ROOT / "action.yml", folder)
        shutil.copytree(CI, folder / "ci")
        for number, workflow in enumerate(workflows):
            (folder / f".github/workflows/{number}.yml").write_text(workflow)
        return subprocess.run([program, "-no-color"], cwd=folder, capture_output=True, text=True,
                              check=False)

    return run


def action_as_workflow():
    """A composite action has no linter of its own: as a workflow, expressions, steps and scripts
    of its steps are looked at."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: {"type": "string", "default": about.get("default", "")}
              for name, about in action["inputs"].items() if name != "token"}
    steps = json.loads(json.dumps(action["runs"]["steps"]).replace("inputs.token", "github.token"))
    job = {"runs-on": "ubuntu-24.04", "steps": steps,
           "outputs": {name: about["value"] for name, about in action["outputs"].items()}}
    return yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"speed": job}})


def documented_workflows():
    """Those of docs/how-to, which use the action where it lies."""
    blocks = [block for page in sorted((ROOT / "docs/how-to").glob("*.md"))
              for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)]
    found = [block.replace("OWNER/duet@REF", "./") for block in blocks if block.startswith("on:")]
    assert len(found) >= 2
    return found


def test_workflows_that_follow_another_name_it():
    """GitHub starts a workflow after another by that one's `name`."""
    workflows = [yaml.safe_load(text) for text in documented_workflows()]
    names = {workflow.get("name") for workflow in workflows}
    events = [workflow[True] for workflow in workflows]  # YAML 1.1 reads `on` so
    followed = {name for event in events if "workflow_run" in event
                for name in event["workflow_run"]["workflows"]}
    assert followed and followed <= names


@pytest.mark.timeout(300)
def test_workflows_are_clean(actionlint, tmp_path):
    """The action's steps, and the workflows that people copy, with the inputs that they give."""
    done = actionlint(tmp_path, action_as_workflow(), *documented_workflows())
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(300)
def test_what_is_wrong_in_a_workflow_is_found(actionlint, tmp_path):
    """That the linter looks at what it is given."""
    (workflow, *_) = documented_workflows()
    done = actionlint(tmp_path, workflow.replace("max-slowdown:", "max-slowdwon:"),
                      action_as_workflow().replace("steps.compare.outputs.verdict", "steps.compar.outputs.verdict"))
    assert done.returncode == 1
    assert "max-slowdwon" in done.stdout and "compar" in done.stdout


def test_the_template_is_well_formed():
    job = yaml.safe_load((CI / "gitlab.yml").read_text())[".duet"]
    assert job["script"][-1].endswith('/ci/gate "$COMPARE_FOLDER"')
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"] == {"junit": "duet-report/junit.xml",
                                           "metrics": "duet-report/metrics.txt"}
    told = set(re.findall(r"DUET_ARCHIVE\w*", (CI / "gitlab.yml").read_text()))
    assert told == {"DUET_ARCHIVE", "DUET_ARCHIVE_SHA256"}  # those that ci/install reads
    for line in [*job["before_script"], *job["script"]]:
        for name in re.findall(r"duet-source/(ci/\w+)", line):
            assert os.access(ROOT / name, os.X_OK)
