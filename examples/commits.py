#!/usr/bin/python3
"""examples/commits.py [FOLDER] [--picture FILE] [--busy N]: from commits to verdicts, on a history
of known speed.

Makes a repository of 64 commits in FOLDER (default: a new one in the temporary folder). One
commit makes the program 3 % slower, ten others change its source and not its speed, the rest
change a text. Then, with the `duet` of PATH or $DUET_BINARY:

1. a gate for each of the last 20 commits, against the commit before it;
2. a bisection between the first and the last;
3. the history of what the gates have measured, with its change point and its picture;
4. the comment for a pull request of the slow commit.

Prints a table and keeps everything in FOLDER/answers. Takes two to six minutes. --picture writes the
comment as GitHub shows it to a PNG file; it needs cmark-gfm and Chromium. --busy measures beside N
programs that compute all the time.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

DUET = os.environ.get("DUET_BINARY", "duet")
COMMITS, GATED, SLOW = 64, 20, 53
SAME_SPEED = {5, 11, 19, 26, 33, 41, 47, 50, 58, 61}
ROUNDS = 400
SOURCE = """/* {note} */
#include <stdio.h>
int main(void) {{
    unsigned long sum = 1;
    for (int i = 0; i < {rounds}; i++)
        for (int j = 0; j < 40000; j++)
            sum = sum * 6364136223846793005ul + (unsigned long)j;
    return printf("%lu\\n", sum) < 0;
}}
"""
BUILD = "cc -O2 -o work work.c"
CHROMIUM = os.environ.get("DUET_CHROMIUM", "chromium")
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ font: 16px/1.5 "DejaVu Sans", sans-serif; margin: 24px; color: #1f2328; width: 912px }}
table {{ border-collapse: collapse }} td, th {{ border: 1px solid #d1d9e0; padding: 6px 13px }}
code, pre {{ font: 85% "DejaVu Sans Mono", monospace; background: #eff1f3 }} pre {{ padding: 16px }}
h3 {{ margin-top: 0 }}</style><body>{body}"""


def git(folder, *words, day=0):
    """day: of a commit, one after the other."""
    date = f"{1780000000 + 86400 * day} +0000"
    return subprocess.run(["git", "-C", str(folder), *words], check=True, text=True,
                          capture_output=True, env={**os.environ, "GIT_AUTHOR_DATE": date,
                                                    "GIT_COMMITTER_DATE": date}).stdout.strip()


def make_history(folder):
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Nobody")
    git(folder, "config", "user.email", "nobody@example.org")
    note, rounds = "the first", ROUNDS
    for number in range(COMMITS):
        if number == SLOW:
            note, rounds = "does more", round(1.03 * ROUNDS)
        elif number in SAME_SPEED:
            note = f"rewritten in commit {number}"
        (folder / "work.c").write_text(SOURCE.format(note=note, rounds=rounds))
        (folder / "notes").write_text(f"{number}\n")
        git(folder, "add", "work.c", "notes")
        git(folder, "commit", "-q", "-m", "3 % slower" if number == SLOW else f"commit {number}",
            day=number)
        git(folder, "tag", f"n{number}")


def duet(folder, *words):
    """Exit status, what it printed, and seconds."""
    begin = time.monotonic()
    done = subprocess.run([DUET, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"duet {' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return done, time.monotonic() - begin


def gate_all(folder, answers):
    alarms, missed, seconds = [], [], []
    print(f"gate, commits {COMMITS - GATED} to {COMMITS - 1}, each against the one before it:")
    for number in range(COMMITS - GATED, COMMITS):
        out = answers / f"gate-{number}.json"
        done, took = duet(folder, "git", f"n{number - 1}", f"n{number}", "--build", BUILD, "-q",
                          "--fail-on", "slower", "--export-json", str(out),
                          "--export-pr-comment", str(answers / f"comment-{number}.md"),
                          "--", "./work")
        answer = json.loads(out.read_text())["comparisons"][0]
        seconds.append(took)
        slow = number == SLOW
        (missed if slow else alarms).extend([number] if slow != (done.returncode == 1) else [])
        mark = "  <- 3 % slower" if slow else "  (source changed)" if number in SAME_SPEED else ""
        print(f"  {number}  {answer['verdict']:7} {answer['change_pct']:+6.2f} %  "
              f"{took:5.1f} s{mark}", flush=True)
    print(f"  false alarms {len(alarms)} of {GATED - 1}, missed {len(missed)} of 1; "
          f"{sum(seconds) / 60:.1f} min in all\n")


def bisect(folder, answers):
    out = answers / "bisect.json"
    done, took = duet(folder, "bisect", "n0", f"n{COMMITS - 1}", "--build", BUILD,
                      "--export-json", str(out), "--", "./work")
    answer = json.loads(out.read_text())
    left = [commit for commit in answer["commits"] if commit["probability"] > 0]
    right = answer["first_slow_commit"] == git(folder, "rev-parse", f"n{SLOW}")
    print(f"bisection over {COMMITS - 1} commits:\n{done.stdout}"
          f"  {'right' if right else 'WRONG' if answer['first_slow_commit'] else 'not found'}; "
          f"{answer['builds']} builds, {answer['blocks']} blocks, {took / 60:.1f} min, "
          f"{100 * answer['confidence']:.6g} % confidence, {len(left)} left\n")


def history(folder, answers):
    out = answers / "history.json"
    duet(folder, "history", "./work", "--export-json", str(out),
         "--export-svg", str(answers / "history.svg"), "--export-csv", str(answers / "history.csv"))
    (answer,) = json.loads(out.read_text())["benchmarks"]
    slow = git(folder, "rev-parse", f"n{SLOW}")
    print(f"history of {len(answer['commits'])} commits by {answer['comparisons']} comparisons:")
    for change in answer["changes"]:
        right = change["commit"] == slow
        print(f"  change at {git(folder, 'describe', '--tags', change['commit'])}: "
              f"{change['change_pct']:+.2f} %, p = {change['p_value']:.2g}  "
              f"{'right' if right else 'WRONG'}")
    if not answer["changes"]:
        print("  no change found")
    print(f"  picture: {answers / 'history.svg'}\n")
    log, _ = duet(folder, "log", "-12")
    print(f"duet log -12:\n{log.stdout}")


def draw(comment, picture):
    """The comment as GitHub shows it: through its parser of Markdown, and a browser."""
    body = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "tagfilter", str(comment)],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    page = comment.with_suffix(".html")
    page.write_text(PAGE.format(body=body), encoding="utf-8")
    subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--window-size=960,420", f"--screenshot={picture.resolve()}", page.resolve().as_uri()],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not picture.exists():
        sys.exit(f"{CHROMIUM} made no {picture}")


@contextlib.contextmanager
def hogs(count):
    """So many programs that want a CPU all the time."""
    running = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in running:
            hog.kill()
            hog.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path, help="a PNG file")
    parser.add_argument("--busy", type=int, default=0, help="programs beside it")
    wanted = parser.parse_args()
    for program in ("cmark-gfm", CHROMIUM) if wanted.picture else ():
        if shutil.which(program) is None:
            sys.exit(f"--picture needs {program}: install it, or leave --picture out")
    folder = wanted.folder or pathlib.Path(tempfile.mkdtemp(prefix="commits-"))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    answers = folder / "answers"
    make_history(folder)
    answers.mkdir()
    with hogs(wanted.busy):
        gate_all(folder, answers)
        history(folder, answers)
        bisect(folder, answers)
    comment = answers / f"comment-{SLOW}.md"
    print(f"the slow commit's comment is {comment}")
    if wanted.picture:
        draw(comment, wanted.picture)
        print(f"its picture is {wanted.picture}")


if __name__ == "__main__":
    main()
