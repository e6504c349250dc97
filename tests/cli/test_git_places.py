"""duet git and bisect in repositories as people and CI systems have them: linked worktrees, odd names,
another owner, half a merge, submodules that are not there, SHA-256, no identity."""

import os
import signal
import subprocess

import pytest

pytestmark = pytest.mark.slow
BENCH = "#!/bin/sh\necho {text} >> seen\n"


def git(folder, *words, **options):
    return subprocess.run(["git", "-C", str(folder), "-c", "user.name=You", "-c", "user.email=you@example.org",
                           "-c", "protocol.file.allow=always", *words], check=True, text=True,
                          capture_output=True, **options).stdout.strip()


def commit(folder, text, message=None):
    (folder / "bench").write_text(BENCH.format(text=text))
    (folder / "bench").chmod(0o755)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message or text)


@pytest.fixture(name="cache")
def cache_fixture(tmp_path, monkeypatch):
    """Where builds are; nothing of this user's git settings counts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return tmp_path / "cache/duet/git"


@pytest.fixture(name="project")
def project_fixture(tmp_path, cache):
    del cache
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for text in ("1", "2"):
        commit(folder, text)
    return folder


def seen(cache):
    """What ran, in whichever worktree."""
    return {path.read_text().split()[0] for path in cache.glob("*/*/tree/**/seen")}


def compare(run_duet, folder, *words, build="true", bench="./bench", **options):
    return run_duet("git", *words, "--build", build, "-r", "2", "--", bench, cwd=folder, **options)


def test_names_with_blanks_and_more(run_duet, project, cache):
    odd = project / "a b" / "ü'\"$x"
    odd.mkdir(parents=True)
    (odd / "file with\ttab").write_text("x\n")
    commit(project, "3", "blanks")
    git(project, "branch", "topic/with-slash")
    git(project, "tag", "v1.0-rc")
    (odd / "uncommitted file").write_text("x\n")
    result = compare(run_duet, project, "topic/with-slash~1", bench="{dir}/bench")
    assert result.returncode == 0, result.stderr
    assert list(cache.glob("*/*/tree/a b/*/uncommitted file"))
    assert compare(run_duet, project, "v1.0-rc", "HEAD~1").returncode == 0
    assert seen(cache) == {"2", "3"}


def test_subjects_are_utf8(run_duet, project):
    """Whatever encoding git's output has for this user."""
    git(project, "config", "i18n.logOutputEncoding", "ISO-8859-1")
    git(project, "commit", "-q", "--allow-empty", "-m", "größer")
    words = ("HEAD~2", "HEAD", "--save-baseline", "v1")
    assert compare(run_duet, project, *words).returncode == 0
    assert "größer" in run_duet("log", "-1", cwd=project).stdout
    assert "größer" in run_duet("baseline", cwd=project).stdout


def test_a_name_of_two_lines(run_duet, project, cache):
    """Its builds are not taken for those of a repository that is gone."""
    folder = project.rename(project.parent / "two\nlines")
    result = compare(run_duet, folder, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"1", "2"}
    kept = sorted(cache.glob("*/*/tree"))
    other = project.parent / "other"
    subprocess.run(["cp", "-R", folder, other], check=True)
    assert compare(run_duet, other, "HEAD~1", "HEAD").returncode == 0
    assert set(kept) < set(cache.glob("*/*/tree"))


@pytest.mark.parametrize("words", [":/1", "HEAD^{/1}", "v1", "HEAD~1^0"])
def test_a_commit_in_any_words(run_duet, project, cache, words):
    git(project, "tag", "-a", "-m", "a tag", "v1", "HEAD~1")
    result = compare(run_duet, project, words, "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"1", "2"}


def test_a_cache_whose_name_has_a_blank(run_duet, project, tmp_path, monkeypatch):
    """Commands get its path, so that it must be plain; what is to be set is said."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    result = compare(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 2 and "set XDG_CACHE_HOME to another folder" in result.stderr


def test_from_a_folder_of_the_repository(run_duet, project, cache):
    (project / "sub").mkdir()
    (project / "sub/file").write_text("x\n")
    commit(project, "3")
    result = compare(run_duet, project / "sub", "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"2", "3"}
    built = set(cache.glob("*/*"))
    assert compare(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    assert set(cache.glob("*/*")) == built  # the same builds, wherever it is called


def test_in_a_linked_worktree(run_duet, project, cache, tmp_path):
    git(project, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "HEAD~1")
    (tmp_path / "linked/bench").write_text(BENCH.format(text="linked"))
    before = git(project, "worktree", "list")
    result = compare(run_duet, tmp_path / "linked", "main")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"2", "linked"}
    assert git(project, "worktree", "list") == before


def test_hashes_of_sha_256(run_duet, cache, tmp_path):
    folder = tmp_path / "long"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    for text in ("1", "2"):
        commit(folder, text)
    (folder / "bench").write_text(BENCH.format(text="3"))
    for words in (["HEAD~1", "HEAD"], ["HEAD"]):
        result = compare(run_duet, folder, *words)
        assert result.returncode == 0, result.stderr
    assert seen(cache) == {"1", "2", "3"}


def test_a_change_in_the_moment_of_the_commit(run_duet, project, cache):
    """Same size, same time: git tells by the index's own time that it must read the file again."""
    git(project, "config", "core.trustctime", "false")
    then = (project / "bench").stat().st_mtime - 100
    os.utime(project / "bench", (then, then))
    git(project, "update-index", "--refresh")
    (project / "bench").write_text(BENCH.format(text="3"))
    for path in (project / "bench", project / ".git/index"):
        os.utime(path, (then, then))
    result = compare(run_duet, project, "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"2", "3"}


def test_nobody_has_told_git_a_name(run_duet, project, cache):
    """As in a container: the commit of the working tree needs no identity."""
    (project / "bench").write_text(BENCH.format(text="3"))
    result = compare(run_duet, project, "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"2", "3"}


@pytest.mark.bare
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_users_checkout(run_duet, project):
    """As in a container whose volume belongs to the runner's user: what git says is passed on."""
    for path in [project, *project.rglob("*")]:
        os.chown(path, 65534, 65534)
    result = compare(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode == 2, result.stderr
    assert "safe.directory" in result.stderr


def test_half_a_merge(run_duet, project):
    """With conflicts there is no tree to measure; commits can be compared all the same."""
    git(project, "switch", "-q", "-c", "other", "HEAD~1")
    commit(project, "3")
    with pytest.raises(subprocess.CalledProcessError):
        git(project, "merge", "main")
    assert git(project, "ls-files", "-u")
    result = compare(run_duet, project, "main")
    assert result.returncode == 2, result.stderr
    assert "conflict" in result.stderr or "unmerged" in result.stderr
    assert compare(run_duet, project, "main", "other").returncode == 0
    assert git(project, "ls-files", "-u")  # it is as it was


def test_no_commit_at_all(run_duet, cache, tmp_path):
    del cache
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    result = compare(run_duet, folder)
    assert result.returncode == 2 and "commit" in result.stderr, result.stderr
    commit(folder, "1")
    result = compare(run_duet, folder)
    assert result.returncode == 2 and "commit" in result.stderr, result.stderr


@pytest.mark.parametrize("command", ["git", "bisect"])
def test_two_at_a_time_the_other_way_round(start_duet, project, command):
    """Each has checked out one revision when it comes to that of the other: none waits for ever."""
    git(project, "config", "filter.slow.smudge", "sleep 1; cat")
    (project / ".gitattributes").write_text("slow filter=slow\n")
    (project / "slow").write_text("x\n")
    commit(project, "3")
    commit(project, "4")
    end = ["--build", "true", "-r", "2"]
    processes = [start_duet(*words, "--store", f"{words[0]}{words[1]}.db", "--", "./bench", cwd=project)
                 for words in (["git", "HEAD", "HEAD~1", *end],
                               ["git", "HEAD~1", "HEAD", *end] if command == "git" else
                               ["bisect", "HEAD~1", "HEAD", "--build", "true", "--time-budget", "5s"])]
    for process in processes:
        _, told = process.communicate(timeout=40)
        assert process.returncode in (0, 3), told


def test_hooks_of_the_repository_are_not_run(run_duet, project, tmp_path):
    """They are meant for the user's own working tree."""
    hook = project / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    assert compare(run_duet, project, "HEAD~1", "HEAD").returncode == 0
    assert not (tmp_path / "hooked").exists()


def test_links_modes_and_line_ends(run_duet, project, cache):
    (project / "link").symlink_to("bench")
    (project / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (project / "lines.txt").write_text("a\nb\n")
    commit(project, "3")
    result = compare(run_duet, project, "HEAD~1", "HEAD", build="test -x bench")
    assert result.returncode == 0, result.stderr
    (path,) = cache.glob("*/*/tree/lines.txt")
    assert path.read_bytes() == b"a\r\nb\r\n" and (path.parent / "link").is_symlink()


@pytest.fixture(name="with_submodules")
def with_submodules_fixture(project, tmp_path):
    """A submodule that has one itself."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for folder in (inner, outer):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        (folder / "file").write_text("x\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "1")
    git(outer, "submodule", "add", "-q", str(inner), "inner")
    git(outer, "commit", "-q", "-m", "2")
    git(project, "submodule", "add", "-q", str(outer), "sub")
    git(project, "submodule", "update", "-q", "--init", "--recursive")
    commit(project, "3", "with submodules")
    return project


def test_submodules_of_submodules(run_duet, with_submodules, cache):
    result = compare(run_duet, with_submodules, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert list(cache.glob("*/*/tree/sub/inner/file"))


def test_submodules_of_a_linked_worktree(run_duet, with_submodules, cache, tmp_path):
    """Git keeps them beside those of the main worktree, which may lack commits."""
    other = tmp_path / "linked"
    git(with_submodules, "worktree", "add", "-q", "-b", "branch", str(other))
    git(other, "submodule", "update", "-q", "--init", "--recursive")
    commit(tmp_path / "outer", "outer")
    git(other / "sub", "fetch", "-q")
    git(other / "sub", "checkout", "-q", "origin/main")
    commit(other, "4", "a newer submodule")
    git(with_submodules, "submodule", "deinit", "-q", "--all")
    result = compare(run_duet, other, "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert len(list(cache.glob("*/*/tree/sub/bench"))) == 1
    assert len(list(cache.glob("*/*/tree/sub/inner/file"))) == 2
    result = compare(run_duet, with_submodules, "branch~1", "branch", "--no-cache")
    assert result.returncode == 2 and "cannot check out the submodule 'sub'" in result.stderr


def test_a_submodule_that_was_not_fetched(run_duet, with_submodules, tmp_path):
    """As `actions/checkout` leaves one out by default."""
    git(tmp_path, "clone", "-q", str(with_submodules), "clone")
    result = compare(run_duet, tmp_path / "clone", "HEAD~1", "HEAD")
    assert result.returncode == 2, result.stderr
    assert "submodule 'sub'" in result.stderr
    assert "git submodule update --init --recursive" in result.stderr
    git(tmp_path / "clone", "submodule", "update", "-q", "--init", "--recursive")
    assert compare(run_duet, tmp_path / "clone", "HEAD~1", "HEAD").returncode == 0


def test_changes_in_a_submodule(run_duet, with_submodules):
    """Its commit is measured, and that its uncommitted changes are not is said."""
    (with_submodules / "sub/file").write_text("changed\n")
    result = compare(run_duet, with_submodules, "HEAD~1")
    assert result.returncode in (0, 2), result.stderr
    assert "sub" in result.stderr and "submodule" in result.stderr, result.stderr


def test_an_untracked_repository(run_duet, project):
    """Git would add its commit, and not its files."""
    (project / "new").mkdir()
    (project / "new/file").write_text("x\n")
    vendor = project / "new/vendor"
    vendor.mkdir()
    git(vendor, "init", "-q")
    commit(vendor, "v")
    result = compare(run_duet, project, "HEAD~1")
    assert result.returncode == 0, result.stderr
    assert "'new/vendor/' is a repository of its own, and no submodule" in result.stderr
    git(project, "submodule", "add", "-q", "./new/vendor", "new/vendor")
    assert "of its own" not in compare(run_duet, project, "HEAD~1").stderr


def test_a_shallow_clone_with_enough(run_duet, project, cache, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{project}", "shallow")
    result = compare(run_duet, tmp_path / "shallow", "HEAD~1", "HEAD")
    assert result.returncode == 0, result.stderr
    assert seen(cache) == {"1", "2"}


def test_a_filter_that_is_missing(run_duet, project):
    """`git lfs install` was run, but this machine has no git-lfs: which file and why is said."""
    git(project, "config", "filter.lfs.smudge", "git-lfs-that-is-not-here smudge %f")
    git(project, "config", "filter.lfs.required", "true")
    (project / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "attributes")
    (project / "big.bin").write_text("x\n")
    git(project, "-c", "filter.lfs.clean=cat", "add", "-A")
    git(project, "-c", "filter.lfs.clean=cat", "commit", "-q", "-m", "a large file")
    result = compare(run_duet, project, "HEAD~1", "HEAD")
    assert result.returncode != 0
    assert "big.bin" in result.stderr and "lfs" in result.stderr, result.stderr


@pytest.mark.timeout(120)
@pytest.mark.parametrize("moment", ["build", "measure"])
@pytest.mark.parametrize("command", ["git", "bisect"])
def test_nothing_is_left_of_a_killed_one(run_duet, start_duet, wait_until, project, cache, tmp_path, command,
                                         moment):
    """SIGKILL: the next call removes what it left, in git and in the folders."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    build = f"touch {tmp_path}/begun; sleep 60" if moment == "build" else "true"
    (project / "bench").write_text(f"#!/bin/sh\ntouch {tmp_path}/begun\n")
    git(project, "commit", "-q", "-a", "-m", "a benchmark that tells")
    git(project, "commit", "-q", "--allow-empty", "-m", "another")
    listed, before = git(project, "worktree", "list"), git(project, "count-objects")
    words = ["git", "HEAD~1", "HEAD"] if command == "git" else ["bisect", "HEAD~1", "HEAD"]
    process = start_duet(*words, "--build", build, "--", "./bench", cwd=project, env=environment)
    wait_until((tmp_path / "begun").exists)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert git(project, "worktree", "list") == listed
    assert git(project, "status", "--porcelain", "--untracked-files=no") == ""
    result = run_duet("git", "HEAD~1", "HEAD", "--build", "true", "-r", "2", "--no-cache", "--", "./bench",
                      cwd=project, env=environment)
    assert result.returncode == 0, result.stderr
    assert not list(temporary.iterdir())
    assert git(project, "worktree", "list") == listed
    assert git(project, "count-objects") == before
    left = [path for path in cache.glob("*/*/tree") if not (path.parent / "built").exists()]
    assert not left
