"""What a user keeps in the environment stays there (docs/security.md, Secrets)."""

import os

import pytest

from support.repository import make_two_commits

SECRET = "hunter2-7f3a91"
EXPORTS = {"json": "a.json", "csv": "a.csv", "markdown": "a.md", "junit": "a.xml",
           "pr-comment": "comment.md", "openmetrics": "a.txt", "bencher": "b.json",
           "github-benchmark": "g.json"}
# Uses it, as a benchmark of a service does.
PROGRAM = "test \"$TOKEN\" = " + SECRET[:7] + "\"${TOKEN#" + SECRET[:7] + "}\" || exit 9\n"
SUITE = """setup: test -n "$TOKEN"
benchmarks:
  - {name: a, runs: 2, command: ./tool}
  - {name: b, runs: 2, command: sh -c 'exit 3'}
"""


@pytest.fixture
def with_secret(run_duet, program, tmp_path, monkeypatch):
    """Runs duet with the secret in its environment, and all that it keeps in the folder."""
    program("tool", PROGRAM)
    for name in ("tmp", "cache"):
        (tmp_path / name).mkdir()
    environment = {**os.environ, "TOKEN": SECRET, "TMPDIR": str(tmp_path / "tmp"),
                   "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*words, status=0):
        result = run_duet(*words, env=environment)
        assert result.returncode == status, result
        assert SECRET not in result.stdout + result.stderr
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files and not [path for path in files if SECRET.encode() in path.read_bytes()]
        return result

    return run


def test_of_comparisons(with_secret):
    exports = [word for name, path in EXPORTS.items() for word in (f"--export-{name}", path)]
    hooks = [word for name in ("setup", "prepare", "conclude", "cleanup")
             for word in (f"--{name}", 'test -n "$TOKEN"')]
    with_secret("./tool", "./tool", "-r", 4, *hooks, *exports)
    with_secret("show", *exports)
    with_secret("./tool", "sh -c 'exit 3'", "-r", 2, *exports, status=4)


@pytest.mark.slow
def test_of_suites_and_watches(with_secret, tmp_path):
    (tmp_path / "suite.yaml").write_text(SUITE)
    with_secret("suite", "suite.yaml", status=4)
    with_secret("watch", "./tool", "--executions-per-hour", 72000, "--every", "400ms",
                "--max-intervals", 1, "--error", "99%")
    with_secret("list", "--export-json", "list.json")


@pytest.mark.slow
def test_of_builds(with_secret, tmp_path):
    make_two_commits(tmp_path, "tool")
    words = ["git", "HEAD~1", "HEAD", "-r", "2", "--build"]
    with_secret(*words, 'test -n "$TOKEN"', "--", "./tool")
    failed = with_secret(*words, "echo broken; false", "--", "./tool", status=4)
    assert "broken" in failed.stderr
    logs = [path for path in (tmp_path / "cache").rglob("*.log") if path.read_text()]
    assert logs and {path.stat().st_mode & 0o777 for path in logs} == {0o600}
