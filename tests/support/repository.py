"""A repository for what looks at commits."""

import subprocess


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=You", "-c", "user.email=you@example.org", *words],
                   cwd=folder, check=True, capture_output=True)


def make_two_commits(folder, *others):
    """Each has another `text`, and both have the files `others`."""
    make_commits(folder, ("1", "2"), *others)


def make_commits(folder, texts, *others):
    """A commit for each text, another than the one before, with the files `others`."""
    git(folder, "init", "-q", "-b", "main")
    for text in texts:
        (folder / "text").write_text(text)
        git(folder, "add", "text", *others)
        git(folder, "commit", "-q", "-m", text)
