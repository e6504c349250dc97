"""README.md and docs/: every link leads somewhere, and the commands of the tutorial and of the
how-tos do what the pages say.

A fenced block of a page is executed when an HTML comment stands right above it:

    <!-- test: status 1; prints REGEX; lacks REGEX -->   then a block ```sh
    <!-- test: file NAME -->                             the block becomes this file

The blocks of a page share a folder, which is empty at first. Each ends within BLOCK_S. What
they print is compared in kind, by these expressions, since times differ.
"""

import itertools
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from support.pictures import illegible

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"),
                *ROOT.glob("bindings/**/*.md"), *ROOT.glob("suites/**/*.md")])
EXECUTED = [ROOT / "docs/tutorial.md", *sorted(ROOT.glob("docs/how-to/*.md"))]
# Pages of many seconds, which `make soak` executes.
LONG = ["compare-two-builds.md", "compare-two-commits.md", "gate-a-pull-request.md",
        "waiting-and-threads.md"]
BLOCK_S = 20
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(?:<!-- test:(?P<rules>.*?)-->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
QUERY = re.compile(r'"(SELECT [^"]*)"')
VIEWS = re.compile(r"for view in \[(.*?)\]")


def name_of(path):
    return str(path.relative_to(ROOT))


def anchors_of(path):
    """As GitHub makes them of headings: lower case, blanks to hyphens, other signs gone."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links(path):
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"https?://|mailto:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{name_of(path)}: no {link}"
        assert target.is_relative_to(ROOT), f"{name_of(path)}: {link} is outside"
        assert not anchor or anchor in anchors_of(target), f"{name_of(path)}: no {link}"


def test_every_page_is_in_the_index():
    """docs/README.md leads to each page beside and below it."""
    index = ROOT / "docs/README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve()
              for link in LINK.findall(index.read_text(encoding="utf-8"))}
    pages = {*ROOT.glob("docs/*.md"), *ROOT.glob("docs/how-to/*.md")} - {index}
    assert not {name_of(page) for page in pages - linked}


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def rules_of(text):
    """'status 1; prints X' -> {'status': '1', 'prints': 'X'}"""
    rules = dict(re.match(r"\s*(\w+) (.*\S)", rule).groups()
                 for rule in text.split(";") if rule.strip())
    assert rules.keys() <= {"status", "prints", "lacks", "file"}, rules
    return rules


def problem_of(text, rules, folder, environment):
    """Executes a block; what contradicts its rules, or None."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, text=True,
                          env=environment, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BLOCK_S)
    if done.returncode == int(rules.get("status", "0")) and \
            re.search(rules.get("prints", ""), done.stdout) and \
            not ("lacks" in rules and re.search(rules["lacks"], done.stdout)):
        return None
    return f"{text}\nexit status {done.returncode}, expected {rules}\n{done.stdout}"


def run_block(text, rules, folder, environment):
    """One verdict in 100 may be wrong: a block that asks for one is tried twice."""
    tries = 2 if re.search(r"\bduet |gate\.sh|bisect run", text) else 1
    problems = []
    while len(problems) < tries:
        problem = problem_of(text, rules, folder, environment)
        if problem is None:
            return
        problems.append(problem)
    pytest.fail("\n".join(problems))


def query_all(text, folder):
    """The queries of a block in another language, which need not be installed here."""
    connection = sqlite3.connect(folder / ".duet/results.db")
    views = [name.strip(' "') for names in VIEWS.findall(text) for name in names.split(",")]
    for query in QUERY.findall(text):
        for view in views or [""]:
            each = query.replace("{view}", view)
            assert connection.execute(each).fetchall(), each
    connection.close()


@pytest.mark.quiet
@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("path", [
    pytest.param(path, marks=[pytest.mark.soak] if path.name in LONG else
                 [pytest.mark.rotating(6)] if path.parent.name == "how-to" else [])
    for path in EXECUTED], ids=name_of)
def test_commands(path, duet, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "duet").symlink_to(duet[-1])
    folder = tmp_path / "page"
    folder.mkdir()
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
                   "DUET_SOURCE": str(ROOT), "HOME": str(tmp_path), "NO_COLOR": "1"}
    executed = 0
    for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
        kind, text = block["kind"], block["text"]
        if block["rules"] is None:
            assert kind != "sh", f"{name_of(path)}: a block that no test executes:\n{text}"
            if kind in ("python", "r"):
                query_all(text, folder)
            continue
        rules = rules_of(block["rules"])
        executed += 1
        if "file" in rules:
            (folder / rules["file"]).write_text(text, encoding="utf-8")
        else:
            run_block(text, rules, folder, environment)
    assert executed


def test_picture_is_drawn_from_its_data(tmp_path):
    """docs/pictures/afternoon.svg is what bench/afternoon draws."""
    (tmp_path / "bench").mkdir()
    shutil.copy(ROOT / "bench/afternoon", tmp_path / "bench")
    (tmp_path / "docs/pictures").mkdir(parents=True)
    shutil.copy(ROOT / "docs/pictures/afternoon.csv", tmp_path / "docs/pictures")
    subprocess.run([sys.executable, "bench/afternoon", "draw"], cwd=tmp_path, check=True)
    for one, other in itertools.zip_longest(
            (tmp_path / "docs/pictures/afternoon.svg").read_text().splitlines(),
            (ROOT / "docs/pictures/afternoon.svg").read_text().splitlines()):
        assert one == other


def test_pictures_of_widths_are_drawn_from_their_data(run_duet, tmp_path):
    """docs/reproduction.md says how."""
    pictures = ROOT / "docs/pictures"
    done = run_duet("study", "accuracy", "--published", str(pictures / "widths.csv"),
                    "--export-svg", str(tmp_path / "drawn"))
    assert done.returncode == 0, done
    for name in ("figure-2-widths.svg", "figure-4-shuffled.svg"):
        drawn = (tmp_path / "drawn" / name).read_text(encoding="utf-8")
        assert drawn == (pictures / name).read_text(encoding="utf-8"), name


def test_every_word_of_the_glossary_has_a_source():
    """A paper stands in method.md or below the table, with its year; or a link; or 'here'."""
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    papers = (ROOT / "docs/method.md").read_text(encoding="utf-8") + glossary.split("## ")[1]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in glossary.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 60 and rows == sorted(rows, key=lambda row: row[0].lower())
    for word, _, source in rows:
        assert source, word
        for authors, year in re.findall(r"([A-Z][\w, ]+?) (\d{4})", source):
            first = re.split(r",| and ", authors)[0].strip()
            assert re.search(rf"\b{first}\b[^|\n]*{year}", papers), (word, authors, year)


INDENTED = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
INLINE = re.compile(r"`(duet [^`]+)`")


def commands_of(text):
    """Every `duet ...` of a page: in fenced and indented blocks and within sentences."""
    blocks = [block["text"] for block in BLOCK.finditer(text) if block["kind"] in ("", "sh")]
    text = FENCE.sub("", text)
    blocks += [block.group() for block in INDENTED.finditer(text)]
    lines = [line.strip() for block in blocks
             for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    found = [line for line in lines if line.startswith("duet ")] + INLINE.findall(text)
    return [command for line in found
            for command in re.split(r"; (?=duet )", re.sub(r"\s+# .*", "", " ".join(line.split())))]


@pytest.fixture(name="options_of", scope="module")
def fixture_options_of(duet):
    """The options of a command, by its manual page; None where there is no such command."""
    known = {}

    def options_of(command):
        if command not in known:
            page = subprocess.run([*duet, "help", "--man", *command.split()], text=True,
                                  capture_output=True, check=False)
            known[command] = None if page.returncode != 0 else {
                name.replace("\\", "") for name in
                re.findall(r"^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-([\w\\-]+)\\fR", page.stdout,
                           re.MULTILINE)}
        return known[command]

    return options_of


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_of_pages_exist(path, options_of):
    """The command and its long options, also in blocks that no test executes."""
    if path.name == "CHANGELOG.md":  # has the words of older versions, too
        return
    for line in commands_of(path.read_text(encoding="utf-8")):
        words = line.split()[1:]
        # "study accuracy", "list", or OLD and NEW of duet run.
        names = [" ".join(words[:count]) for count in (2, 1)]
        command = next((name for name in names if re.fullmatch(r"[a-z-]+( [a-z-]+)?", name) and
                        options_of(name) is not None), "run")
        options = options_of("run" if command in ("help", "log") else command)
        own = line.partition(" -- ")[0]
        for name in re.findall(r"(?<=\s)--([a-z][a-z-]*)", re.sub(r"'[^']*'", "", own)):
            assert name in options | {"help", "version", "man", "markdown"}, (line, name)


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/pictures/*.svg")), ids=name_of)
def test_pictures_of_pages_are_legible(path):
    assert illegible(path.read_text(encoding="utf-8")) is None
