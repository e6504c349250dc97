"""The files of the project and their C text without comments and strings: what the
check-* programs share."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

_COMMENT_OR_STRING = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)


def files(*suffixes):
    """Paths, relative to the root, of the files that git knows or would add; in an
    unpacked archive, of all files. Only those with one of the suffixes, if given."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        capture_output=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if not re.match(r"(\.git|build|build-[^/]*)/",
                                 str(path.relative_to(ROOT)))]
    paths = sorted({pathlib.PurePosixPath(name) for name in names})
    return [path for path in paths
            if (not suffixes or path.suffix in suffixes) and (ROOT / path).is_file()]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def _blank(match):
    """Keeps line breaks and quotes, so that lines stay where they are."""
    text = match.group()
    if text[0] in "\"'":
        return text[0] + " " * (len(text) - 2) + text[0]
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_strings(text):
    return _COMMENT_OR_STRING.sub(_blank, text)


def finish(name, problems):
    """Prints the problems, each "file:line: text", and ends the program."""
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{name}: {len(problems)} problem(s)", file=sys.stderr)
    sys.exit(1 if problems else 0)
