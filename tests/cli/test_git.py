"""duet git: two revisions of a real repository, built and compared."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest

BENCH = 'all:\n\tprintf "#!/bin/sh\\necho %s >> seen\\n" > bench; chmod +x bench; pwd > where\n'


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository of two commits, in a folder with a blank in its name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "a project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "You")
    git(folder, "config", "user.email", "you@example.org")
    for text in ("1", "2"):
        (folder / "Makefile").write_text(BENCH % text)
        (folder / ".gitignore").write_text("bench\n.duet/\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", text)
    return folder


def entries(tmp_path):
    return sorted(path for path in (tmp_path / "cache/duet/git").glob("*/*")
                  if path.is_dir())


def test_builds_are_shown_on_a_terminal(on_terminal, project):
    """Which are under way, and how many have ended; the output of a build stays in its log."""
    status, output = on_terminal("git", "HEAD~1", "HEAD", "--build", "sleep 0.5; echo noise; make",
                                 "-r", 2, "--", "./bench", cwd=project)
    assert status == 0, output
    assert re.search(r"building \w{7} \w{7}  [━─]{20}  0/2 builds  ", output), output
    assert "noise" not in output


def duet_git(run_duet, folder, *words):
    return run_duet("git", *words, "--build", "make", "-r", "2", "--", "./bench",
                    cwd=folder)


def test_two_commits_each_in_its_worktree(run_duet, project, tmp_path):
    before = git(project, "status", "--porcelain")
    result = duet_git(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    seen = {(path / "tree/seen").read_text().split()[0] for path in entries(tmp_path)}
    assert seen == {"1", "2"}  # each ran in its own folder
    assert git(project, "status", "--porcelain") == before
    assert len(git(project, "worktree", "list").splitlines()) == 1
    hashes = [git(project, "rev-parse", "--short", name) for name in ("HEAD~1", "HEAD")]
    assert "..".join(hashes) in run_duet("list", cwd=project).stdout


def test_a_build_is_used_again(run_duet, project, tmp_path):
    for _ in range(2):
        assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    assert len(entries(tmp_path)) == 2
    lines = [len((path / "tree/where").read_text().splitlines())
             for path in entries(tmp_path)]
    assert lines == [1, 1]
    before = [(path / "tree/where").stat().st_mtime_ns for path in entries(tmp_path)]
    assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    assert before == [(path / "tree/where").stat().st_mtime_ns
                      for path in entries(tmp_path)]


def test_what_another_compiler_built_is_not_used_again(run_duet, project, tmp_path,
                                                       monkeypatch):
    """An upgrade in place, also behind a wrapper and as CC names it."""
    for folder in ("wrapper", "real"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "clang").write_text(f"#!/bin/sh\n# {folder}\n")
    (tmp_path / "real/mycc").write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path}/wrapper:{tmp_path}/real:{os.environ['PATH']}")
    monkeypatch.setenv("CC", "mycc -O1")
    count = 2
    for name in (None, "real/clang", "real/mycc"):
        if name is not None:
            (tmp_path / name).write_text("another one\n")
            count += 2
        for _ in range(2):
            assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0
        assert len(entries(tmp_path)) == count


def test_the_working_tree_is_the_default(run_duet, project, tmp_path):
    (project / "untracked").write_text("new\n")
    index = (project / ".git/index").read_bytes()
    result = duet_git(run_duet, project)
    assert result.returncode == 0, result.stderr
    assert "the working tree with its uncommitted changes" in result.stderr
    assert "+changes" in result.stdout
    assert any((path / "tree/untracked").exists() for path in entries(tmp_path))
    assert (project / ".git/index").read_bytes() == index


def test_without_changes_head_meets_the_commit_before(run_duet, project):
    result = duet_git(run_duet, project)
    assert result.returncode == 0, result.stderr
    assert "the commit before HEAD" in result.stderr


def test_a_failing_build_is_named(run_duet, project, tmp_path):
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "echo the reason; exit 3", "--",
                      "./bench", cwd=project)
    assert result.returncode == 4
    assert "the build of HEAD~1" in result.stderr and "status 3" in result.stderr
    assert "the reason" in result.stderr
    assert entries(tmp_path) == []
    assert list((tmp_path / "cache/duet/git").glob("*/*.log"))


def test_nothing_is_kept_without_cache(run_duet, project, tmp_path):
    assert duet_git(run_duet, project, "HEAD~1", "HEAD", "--no-cache").returncode == 0
    assert entries(tmp_path) == []


def test_so_many_builds_are_kept(run_duet, project, tmp_path):
    assert duet_git(run_duet, project, "HEAD~1", "HEAD",
                    "--keep-builds", "1").returncode == 0
    assert len(entries(tmp_path)) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_of_an_interrupted_build(run_duet, duet, project, tmp_path, number):
    process = subprocess.Popen(
        [*duet, "git", "HEAD~1", "HEAD", "--build", "touch begun; sleep 50", "--",
         "./bench"], cwd=project, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not list((tmp_path / "cache").glob("duet/git/*/*/tree/begun")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, number)
    process.communicate(timeout=20)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert entries(tmp_path) == []
    assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    assert len(entries(tmp_path)) == 2  # those that are built now


def test_submodules_come_from_the_repository(run_duet, project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "file").write_text("x\n")
    git(other, "add", "-A")
    git(other, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "1")
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other),
        "sub")
    git(project, "commit", "-q", "-m", "with a submodule")
    other.rename(tmp_path / "gone")
    config = (project / ".git/config").read_text()
    result = duet_git(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert any((path / "tree/sub/file").exists() for path in entries(tmp_path))
    assert (project / ".git/config").read_text() == config


def test_a_shallow_clone_says_so(run_duet, project, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", "shallow")
    result = duet_git(run_duet, tmp_path / "shallow", "HEAD~1", "HEAD")
    assert result.returncode == 2
    assert "git fetch --unshallow" in result.stderr


def test_a_bare_repository_needs_both(run_duet, project, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(project), "bare")
    assert "name both commits" in duet_git(run_duet, tmp_path / "bare", "HEAD~1").stderr
    assert duet_git(run_duet, tmp_path / "bare", "HEAD~1", "HEAD").returncode == 0


def test_what_is_wrong_is_said(run_duet, project, tmp_path):
    assert "no commit 'nope'" in duet_git(run_duet, project, "nope").stderr
    assert "no git repository" in duet_git(run_duet, tmp_path).stderr
    result = run_duet("git", "main", cwd=project)
    assert result.returncode == 2 and "behind '--'" in result.stderr


def test_where_a_branch_began_is_its_base(run_duet, project, tmp_path):
    git(project, "checkout", "-q", "-b", "topic")
    for text in ("3", "4"):
        (project / "Makefile").write_text(BENCH % text)
        git(project, "commit", "-qam", text)
    result = duet_git(run_duet, project)
    assert result.returncode == 0, result.stderr
    assert "merge base with main" in result.stderr
    seen = {(path / "tree/seen").read_text().split()[0] for path in entries(tmp_path)}
    assert seen == {"2", "4"}


def test_a_base_that_cannot_be_found(run_duet, project):
    def refused(words):
        result = duet_git(run_duet, project)
        assert result.returncode == 2 and words in result.stderr, result.stderr

    git(project, "checkout", "-q", "--orphan", "alone")
    git(project, "commit", "-q", "-m", "alone")
    refused("HEAD and main have no common commit here: name a BASE: duet git BASE")
    git(project, "branch", "-q", "-m", "main", "old")
    refused("there is no main branch (origin/HEAD, main or master): name a BASE")
    git(project, "branch", "-q", "-m", "alone", "main")
    refused("has no commit before it here: name a BASE: duet git BASE")


def test_a_branch_that_only_the_remote_has(run_duet, project, tmp_path):
    git(project, "branch", "topic")
    git(tmp_path, "clone", "-q", str(project), "clone")
    result = duet_git(run_duet, tmp_path / "clone", "topic")
    assert result.returncode == 2 and "did you mean 'origin/topic'?" in result.stderr


def test_a_working_tree_that_git_cannot_take(run_duet, project):
    """A repository inside, which has no commit yet."""
    git(project, "init", "-q", "inside")
    result = duet_git(run_duet, project)
    assert result.returncode == 2, result.stderr
    assert "git cannot take the working tree: " in result.stderr
    assert "duet git BASE HEAD" in result.stderr
    assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0


def test_a_working_tree_without_an_index(run_duet, project, tmp_path):
    """As another program that writes commits leaves it: all files are taken."""
    (project / ".git/index").unlink()
    (project / "untracked").write_text("new\n")
    result = duet_git(run_duet, project)
    assert result.returncode == 0, result.stderr
    assert any((path / "tree/untracked").exists() for path in entries(tmp_path))
    assert not (project / ".git/index").exists()


def test_folders_of_the_sides(run_duet, tmp_path):
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        program = tmp_path / side / "bench"
        program.write_text("#!/bin/sh\necho x >> seen\n")
        program.chmod(0o755)
    result = run_duet("-r", "2", "--cwd-old", "old", "--cwd-new", "new", "./bench",
                      "./bench", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "old/seen").exists() and (tmp_path / "new/seen").exists()
    assert "the same command" not in result.stdout
    wrong = run_duet("--cwd-old", "nowhere", "./bench", "./bench", cwd=tmp_path)
    assert wrong.returncode == 2 and "--cwd-old 'nowhere'" in wrong.stderr


def test_git_bisect_skips_what_does_not_build(run_duet, project):
    words = ["--exit-codes", "git-bisect", "-r", "2", "--", "./bench"]
    done = run_duet("git", "HEAD~1", "HEAD", "--build", "exit 3", *words, cwd=project)
    assert done.returncode == 125 and "ended with status 3" in done.stderr
    done = run_duet("git", "nowhere", "HEAD", *words, cwd=project)
    assert done.returncode == 128 and "nowhere" in done.stderr
    assert run_duet("git", "--exit-codes", "git-bisect", "--help").returncode == 0


SUITE = """
benchmarks:
  - name: in the folder
    command: ./bench
  - name: by its path
    command: "{build}/bench more"
  - name: left out
    command: "true"
defaults: {runs: 4}
"""


def test_a_suite_runs_in_the_worktrees(run_duet, project, tmp_path):
    (tmp_path / "s.yaml").write_text(SUITE)
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "make", "--suite", tmp_path / "s.yaml",
                      "--only", "* the *", "--only", "by its path", "--export-json", "s.json",
                      "--fail-on", "none", cwd=project, timeout=60)
    assert result.returncode == 0, result.stderr
    document = json.loads((project / "s.json").read_text())
    assert [c["name"] for c in document["comparisons"]] == ["in the folder", "by its path"]
    assert "the same command" not in result.stdout
    seen = {(path / "tree/seen").read_text().split()[0] for path in entries(tmp_path)}
    assert seen == {"1", "2"}


@pytest.mark.parametrize("words, message", [
    (["--suite", "s.yaml", "--", "./bench"], "either --suite or a benchmark"),
    (["--only", "x", "--", "./bench"], "--only goes with --suite"),
    (["--suite", "s.yaml", "-L", "n", "1,2"], "--parameter-list does not go with --suite"),
    (["--suite", "s.yaml", "--resume", "--no-cache"], "leave --no-cache out"),
    (["--suite", "nowhere.yaml"], "nowhere.yaml"),
    (["--su", "nowhere.yaml"], "nowhere.yaml"),
    (["--su=nowhere.yaml"], "nowhere.yaml"),
    (["--s", "nowhere.yaml"], "'--s' can mean --suite"),
])
def test_a_suite_that_cannot_be_is_told(run_duet, project, words, message):
    result = run_duet("git", "HEAD~1", "HEAD", *words, cwd=project)
    assert result.returncode in (2, 5) and message in result.stderr, result.stderr


def test_advice_names_the_worktrees(run_duet, project):
    """Two runs are too few for a verdict: what is to be tried works as it stands."""
    result = duet_git(run_duet, project, "HEAD~1", "HEAD")
    line = [line for line in result.stdout.splitlines() if "try: " in line][0]
    assert re.search(r"--cwd-old '/[^']*/tree' --cwd-new '/[^']*/tree' './bench' './bench'$", line)


def test_a_plan_names_the_worktrees(run_duet, project, tmp_path):
    """Elsewhere the command is another program, or none."""
    assert run_duet("git", "HEAD~1", "HEAD", "--build", "make", "-r", "16", "--", "./bench",
                    cwd=project).returncode == 0
    planned = run_duet("plan", "--effect", "300%", cwd=project)
    paste = shlex.split(planned.stdout.splitlines()[-1])
    assert paste[:2] == ["duet", "run"] and paste[-2:] == ["./bench", "./bench"], planned
    folders = [paste[paste.index(f"--cwd-{side}") + 1] for side in ("old", "new")]
    assert sorted(folders) == sorted(str(path / "tree") for path in entries(tmp_path))
    paste[paste.index("-r") + 1] = "2"
    again = run_duet(*paste[1:], cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    shutil.rmtree(tmp_path / "cache")
    planned = run_duet("plan", "1", "--effect", "300%", cwd=project)
    assert planned.returncode == 0 and "duet run" not in planned.stdout
    assert f"no command to paste: the folder '{folders[0]}', in which old ran, is gone; measure " \
        "again as before" in " ".join(planned.stdout.split()), planned.stdout


def test_a_benchmark_that_calibrates_itself_is_told(run_duet, project):
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "make", "-r", "2", "--", "./bench",
                      "--benchmark_filter=x", cwd=project)
    assert "chooses its number of iterations itself" in result.stderr
    (project / "s.yaml").write_text("benchmarks:\n  - {name: a, command: ./bench --benchmark_filter=x, runs: 2}\n")
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "make", "--suite", "s.yaml", cwd=project)
    assert "chooses its number of iterations itself" in result.stderr


def test_a_benchmark_that_takes_part_does_not_calibrate_itself(run_duet, odd_benchmark):
    """As Google Benchmark with bindings/cpp preloaded."""
    words = f"{odd_benchmark} wobble --benchmark_filter=x"
    result = run_duet("run", words, words, "-r", 2, "-I", 3)
    assert result.returncode == 0 and "chooses its number" not in result.stderr, result.stderr


def test_hooks_run_in_the_worktrees(run_duet, project, tmp_path):
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "make", "-r", "2", "--setup",
                      "pwd > setup", "--prepare", "pwd > prepare", "--cleanup", "pwd > cleanup",
                      "--", "./bench", cwd=project)
    assert result.returncode == 0, result.stderr
    trees = [path / "tree" for path in entries(tmp_path)]
    assert len(trees) == 2
    for tree in trees:
        for name in ("setup", "prepare", "cleanup"):
            assert (tree / name).read_text() == f"{tree}\n"
    assert not (project / "setup").exists()


def test_a_failing_build_is_in_the_exports(run_duet, project, validate):
    paths = {name: project / f"out.{name}" for name in ("junit", "json", "markdown", "pr-comment")}
    exports = [word for name, path in paths.items() for word in (f"--export-{name}", str(path))]
    for bench in (["--", "./bench"], ["--suite", "s.yaml"]):
        (project / "s.yaml").write_text(SUITE)
        result = run_duet("git", "HEAD~1", "HEAD", "--build", "echo the reason; exit 3", *exports,
                          *bench, cwd=project)
        assert result.returncode == 4
        assert '<error message="' in paths["junit"].read_text()
        document = json.loads(paths["json"].read_text())
        validate(document)
        assert document["comparisons"][0]["verdict"] == "failed"
        for path in paths.values():
            assert "the reason" in path.read_text(), path
            path.unlink()


@pytest.mark.parametrize("path, status, message", [
    (".duet/results.db", 2, "it is the store"), ("nowhere/a.json", 5, "there is no folder")])
def test_an_export_that_cannot_be_kept(run_duet, project, tmp_path, path, status, message):
    """Said before anything is built, and whatever the build comes to."""
    assert run_duet("true", "true", "-r", 2, cwd=project).returncode == 0
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "false", "--export-json", path, "--",
                      "./bench", cwd=project)
    assert result.returncode == status and message in result.stderr, result
    assert not entries(tmp_path)
    assert len(run_duet("list", cwd=project).stdout.splitlines()) == 2


@pytest.mark.parametrize("bench", [["--", "./bench"], ["--suite", "s.yaml"]])
def test_a_failing_build_adds_nothing_to_a_store(run_duet, project, bench):
    (project / "s.yaml").write_text(SUITE)
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "false", "--export-store", "x.db",
                      "--export-junit", "out.xml", *bench, cwd=project)
    assert result.returncode == 4, result.stderr
    assert '<error message="' in (project / "out.xml").read_text()
    assert not (project / "x.db").exists()


def test_a_detached_head(run_duet, project, tmp_path):
    git(project, "checkout", "-q", "--detach", "HEAD")
    result = duet_git(run_duet, project)
    assert result.returncode == 0, result.stderr
    git(project, "checkout", "-q", "HEAD~1")
    result = duet_git(run_duet, project, "main")
    assert result.returncode == 0, result.stderr
    seen = {(path / "tree/seen").read_text().split()[0] for path in entries(tmp_path)}
    assert seen == {"1", "2"}


def test_lfs_pointers_are_told(run_duet, project):
    """As a clone without git-lfs has them: the filter's pointer, not the content."""
    (project / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    (project / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\n"
                                     "oid sha256:" + "0" * 64 + "\nsize 12345\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "a pointer")
    result = duet_git(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert "big.bin" in result.stderr and "git lfs pull" in result.stderr
    again = duet_git(run_duet, project, "HEAD~1", "HEAD")
    assert "big.bin" in again.stderr  # of the build that is used again, too


def test_content_that_came_later_is_measured(run_duet, project, tmp_path):
    """What was built with pointers is built anew once git-lfs has their content."""
    (project / "Makefile").write_text("all:\n\tcp big.bin bench; chmod +x bench; echo >> built\n")
    (project / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    (project / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\n"
                                     "oid sha256:" + "0" * 64 + "\nsize 12345\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "a pointer")

    def built():
        return {(path / "tree/big.bin").read_text()[:9]: (path / "tree/built").read_text()
                for path in entries(tmp_path)}

    def compare():
        result = run_duet("git", "HEAD", "HEAD", "--build", "make", "-r", "2", "--", "true",
                          cwd=project)
        assert result.returncode == 0, result.stderr
        return result.stderr

    assert "git lfs pull" in compare() and "git lfs pull" in compare()
    assert built() == {"version h": "\n"}
    git(project, "config", "filter.lfs.smudge", "printf '#!/bin/sh\\n'")
    assert "git lfs pull" not in compare()
    assert built() == {"#!/bin/sh": "\n"}
    compare()
    assert built() == {"#!/bin/sh": "\n"}  # it was not built again


def test_a_place_that_cannot_be_a_folder(run_duet, project, tmp_path):
    assert duet_git(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    for path in entries(tmp_path):
        shutil.rmtree(path)
        path.write_text("")
    result = duet_git(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 5
    assert "as a folder: Not a directory" in result.stderr

def test_interrupted_while_measuring(duet, run_duet, project, tmp_path):
    process = subprocess.Popen(
        [*duet, "git", "HEAD~1", "HEAD", "--build", "make", "--until", "time=60s", "--", "./bench"],
        cwd=project, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not list((tmp_path / "cache").glob("duet/git/*/*/tree/seen")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130, said
    assert len(entries(tmp_path)) == 2  # both are built, and are used again
    assert run_duet("list", cwd=project).stdout.count("interrupted") == 1
    assert git(project, "status", "--porcelain") == ""


def test_a_suite_is_resumed(run_duet, project, tmp_path):
    (tmp_path / "s.yaml").write_text("benchmarks:\n  - {name: a, command: ./bench, runs: 2}\n"
                                     "  - {name: b, command: ./bench, runs: 2, setup: test -e go}\n")
    words = ("git", "HEAD~1", "HEAD", "--build", "make", "--suite", tmp_path / "s.yaml")
    result = run_duet(*words, cwd=project)
    assert result.returncode == 4  # b needs a file that nobody has made yet
    for path in entries(tmp_path):
        (path / "tree/go").touch()
    result = run_duet(*words, "--resume", "--export-json", "s.json", cwd=project)
    assert result.returncode == 0, result.stderr
    comparisons = json.loads((project / "s.json").read_text())["comparisons"]
    assert [one["name"] for one in comparisons] == ["a", "b"]
    assert run_duet("list", cwd=project).stdout.count(" a") >= 1
    rows = json.loads(run_duet("list", "--export-json", "-", cwd=project).stdout)
    assert sum(row["name"] == "a" for row in rows["experiments"]) == 1  # not measured again


@pytest.mark.rotating(5)
@pytest.mark.slow
def test_equal_programs_of_two_commits(run_duet, project, tmp_path):
    """The second commit changes what is not compiled."""
    (project / "main.c").write_text("int main(void) { return 0; }\n")
    (project / "Makefile").write_text("all:\n\tcc -g main.c -o bench\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "a program")
    (project / "main.c").write_text("/* more words */\n\nint main(void) { return 0; }\n")
    git(project, "commit", "-qam", "a comment")
    words = ("git", "HEAD~1", "HEAD", "--build", "make", "--skip-identical", "-q", "--", "{dir}/bench")
    result = run_duet(*words, cwd=project)
    assert result.returncode == 0 and "identical" in result.stdout, result.stderr
    assert run_duet("log", "-1", cwd=project).stdout.split()[1:] == [
        git(project, "rev-parse", "--short", "HEAD"), "a", "comment"]
    assert "1 commit has the same program as an earlier one" in run_duet("history", cwd=project).stdout
    (project / "main.c").write_text("int main(void) { volatile int x = 0; return x; }\n")
    git(project, "commit", "-qam", "a change")
    result = run_duet(*words, "-r", "2", cwd=project)
    assert result.returncode == 0 and "identical" not in result.stdout
