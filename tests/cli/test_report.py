"""duet report, --export-svg and --export-html: what is written, where, and what is said when
it cannot be. tests/browser has what a browser makes of it."""

import base64
import hashlib
import re
import sqlite3
import xml.etree.ElementTree as ElementTree

import pytest

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>x</script>\" onload=\"y"


def write_pairs(path, more_us, runs=8):
    rows = ["run,iteration,side,time_us"] + [
        f"{run},{i},{side},{1000 + run % 3 + i + (more_us + run % 5 if side == 'new' else 0)}"
        for run in range(runs) for i in range(3) for side in ("old", "new")]
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture(name="imported")
def imported_fixture(run_duet, tmp_path):
    """Experiments 1 (slower), 2 (a hostile name) and 3 (the first one's benchmark again)."""
    for name, more_us in (("zip", 40), (HOSTILE, 0), ("zip", 20)):
        write_pairs(tmp_path / "pairs.csv", more_us)
        assert run_duet("import", "pairs.csv", "--name", name).returncode == 0
    return tmp_path


def test_a_gate_is_on_the_page_alone(run_duet, imported):
    """Its exit status is that of the writing, and the help says no other."""
    done = run_duet("report", 1, "--fail-on", "slower")
    assert done.returncode == 0, done.stderr
    assert "failed: zip is slower" in (imported / "duet-report.html").read_text()
    assert "Exit with" not in run_duet("report", "--help").stdout


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_page(page):
    """Its policy names its own script and style, and it refers to nothing elsewhere."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script, = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    style, = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert f"script-src '{hash_of(script)}'" in policy
    assert f"style-src '{hash_of(style)}'" in policy
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert not re.search(r"""(src|href)=["']?(https?:|//)""", page)
    assert not re.search(r"<[^>]* (style|on\w+)=", page.replace(script, ""))


def test_page_of_the_last_one(run_duet, imported):
    done = run_duet("report")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"wrote duet-report.html: 1 benchmark, \d+ kB\n", done.stdout)
    page = (imported / "duet-report.html").read_text()
    check_page(page)
    assert "<title>zip</title>" in page and page.count('<details class="benchmark"') == 1


def test_worst_first_and_hostile_names(run_duet, imported):
    done = run_duet("report", "-o", "all.html", "--title", HOSTILE, "2", "3", "1")
    assert done.stdout.startswith("wrote all.html: 3 benchmarks, ")
    page = (imported / "all.html").read_text()
    check_page(page)
    assert page.count("<script>") == 1 and 'onload="y' not in page
    changes = [float(one) for one in re.findall(r'class="number" data-key="([^"]*)"', page)]
    assert changes == sorted(changes, reverse=True) and len(changes) == 3
    # Each is there once, in the overview's order, with pictures, tables and settings.
    order = re.findall(r'<tr><th scope="row"><a href="#b(\d)"', page)
    assert sorted(order) == ["1", "2", "3"]
    assert re.findall(r'<details class="benchmark" id="b(\d)"', page) == order
    assert page.count('<figure>') == 3 * 5  # nothing is known of losses
    assert page.count("Host and settings") == 2 * 3  # summary and label


def test_page_to_standard_output(run_duet, imported):
    del imported
    done = run_duet("report", "-o", "-", "1")
    assert done.stdout.startswith("<!DOCTYPE html>\n") and done.stdout.endswith("</html>\n")


@pytest.mark.parametrize("words", [
    ["show", "1"], ["show", "1", "2"], ["compare", "1", "3"], ["compare", "pairs.csv"],
    ["compare", "old.txt", "new.txt"]])
def test_exports(run_duet, imported, words):
    (imported / "old.txt").write_text("\n".join(f"{1 + i % 7 / 100}" for i in range(30)))
    (imported / "new.txt").write_text("\n".join(f"{1.1 + i % 5 / 100}" for i in range(30)))
    done = run_duet(*words, "--export-svg", "p.svg", "--export-html", "p.html")
    assert done.returncode == 0, done.stderr
    picture = ElementTree.parse(imported / "p.svg").getroot()
    assert picture.tag == SVG + "svg" and float(picture.get("width")) <= 440
    assert picture.find(SVG + "title").text and picture.find(SVG + "desc").text
    assert len(picture.findall(f".//{SVG}path")) > 1
    page = (imported / "p.html").read_text()
    check_page(page)
    assert '<div class="tandem"' in page
    stored = words[0] == "show"
    assert ("Experiment</th>" in page) == stored, "of a store that is gone there is no number"


def test_exports_of_a_measurement(run_duet, tmp_path):
    done = run_duet("run", "-q", "-r", "4", "--export-html", "p.html", "--export-svg", "-",
                    "-L", "n", "1,2", "true", "true")
    assert done.returncode == 0, done.stderr
    assert ElementTree.fromstring(done.stdout).tag == SVG + "svg"
    page = (tmp_path / "p.html").read_text()
    check_page(page)
    assert page.count("<th scope=\"row\">Kernel</th>") == 2


def test_exports_of_a_program_against_itself(run_duet, tmp_path):
    done = run_duet("aa", "-q", "-r", "16", "--export-html", "p.html", "--export-svg", "p.svg",
                    "true")
    assert done.returncode == 0, done.stderr
    check_page((tmp_path / "p.html").read_text())
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_a_failed_benchmark_is_on_the_page(run_duet, tmp_path):
    done = run_duet("run", "-q", "-r", "4", "-L", "n", "true,false", "{n}", "{n}",
                    "--export-html", "p.html")
    assert done.returncode == 4
    page = (tmp_path / "p.html").read_text()
    check_page(page)
    assert "✕</span> failed" in page and "n=true" in page


@pytest.mark.parametrize("words", [["report", "-o", "p.html"], ["report", "--site", "site"]])
def test_a_page_of_nothing_but_a_failure(run_duet, tmp_path, words):
    """It says so, and so does the exit status of a page; a site is of what the store has."""
    assert run_duet("run", "-q", "-r", "4", "true", "false").returncode == 4
    done = run_duet(*words)
    alone = words[-1] == "p.html"
    assert done.returncode == (4 if alone else 0), done.stderr
    assert ("experiment 1 (true) failed before its first run had ended: new ('false')"
            in done.stderr) == alone
    path = tmp_path / "p.html" if alone else next(tmp_path.glob("site/report-*"))
    page = path.read_text()
    check_page(page)
    assert "✕</span> failed" in page and "exit status 1" in page
    # Beside others it is one of them.
    assert run_duet("run", "-q", "-r", "4", "true", "true").returncode == 0
    assert run_duet(*words, "1", "2").returncode == 0


def test_site(run_duet, imported):
    done = run_duet("report", "--site", "site")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "wrote site/index.html and 3 pages of 3 experiments\n"
    index = (imported / "site/index.html").read_text()
    check_page(index)
    pages = re.findall(r'href="(report-[0-9a-f-]{36}\.html)">', index)
    assert len(set(pages)) == 3
    assert set(pages) == {path.name for path in (imported / "site").glob("report-*")}
    for page in set(pages):
        text = (imported / "site" / page).read_text()
        check_page(text)
        (history,) = set(re.findall(r'href="index.html#h(\d)"', text))
        assert f'id="h{history}"' in index
    # Two benchmarks, one of them measured twice.
    assert re.findall(r'<details class="benchmark" id="h(\d)">', index) == ["1", "2"]
    assert "2 measurements" in index and "1 measurement<" in index
    # Again: the same files. Of some of them: those of others stay.
    assert run_duet("report", "--site", "site").returncode == 0
    assert len(list((imported / "site").iterdir())) == 4
    done = run_duet("report", "--site", "site", "1")
    assert done.stdout == "wrote site/index.html and 1 page of 1 experiment\n"
    assert run_duet("report", "--site", "one", "1").returncode == 0
    assert ">1 report, 1 benchmark<" in (imported / "one/index.html").read_text()
    assert len(list((imported / "site").iterdir())) == 4


def test_site_of_an_experiment_with_an_odd_uuid(run_duet, imported):
    """As somebody else's store may have had it: it says nothing about where files are."""
    for number, uuid in ((1, "../../x"), (2, ""), (3, "a/b")):
        with sqlite3.connect(imported / ".duet/results.db") as database:
            database.execute("UPDATE experiment SET uuid = ? WHERE id = ?", (uuid, number))
        database.close()
    done = run_duet("report", "--site", "site")
    assert done.returncode == 0, done.stderr
    names = {f"report-of-{number}.html" for number in (1, 2, 3)}
    assert {path.name for path in (imported / "site").iterdir()} == {"index.html", *names}
    index = (imported / "site/index.html").read_text()
    assert set(re.findall(r'href="(report-[^"#]*)', index)) == names


def test_what_was_judged_together_shares_a_page(run_duet, tmp_path):
    assert run_duet("-q", "-r", "4", "-L", "n", "1,2", "true", "true").returncode == 0
    assert run_duet("-q", "-r", "4", "true", "true").returncode == 0
    done = run_duet("report", "--site", "site")
    assert done.stdout == "wrote site/index.html and 2 pages of 3 experiments\n"
    index = (tmp_path / "site/index.html").read_text()
    newest, older = re.findall(r"</time></a></th><td>(\d)</td>", index)
    assert (newest, older) == ("1", "2")


def test_data_sets_are_left_out_of_a_site(run_duet, imported):
    (imported / "data.csv").write_text("benchmark,instance,trial,iteration,value\n" + "".join(
        f"b,i,{trial},{k},{1 + k / 10}\n" for trial in range(2) for k in range(3)))
    assert run_duet("import", "--dataset", "data.csv").returncode == 0
    done = run_duet("report", "--site", "site")
    assert done.returncode == 0
    assert "1 experiment is left out: not a comparison, or without a run yet; 'duet list --all'" in done.stderr
    done = run_duet("report", "last")
    assert done.returncode == 2 and "is a data set, not a comparison" in done.stderr


@pytest.mark.parametrize("words, said", [
    (["report", "--site", "s", "-o", "f"], "--site writes a folder and --output a file: give one"),
    (["report", "7"], "7"),
    (["report", "-o", "none/p.html"], "none/p.html"),
    (["report", "--site", "none/s"], "cannot make the folder 'none/s'"),
    (["report", "--site", "pairs.csv"], "pairs.csv/report-"),
    (["report", "--interval", "nonsense"], "nonsense"),
    (["show", "--export-html", "none/p.html"], "none/p.html"),
    (["show", "--export-svg", "none/p.svg"], "none/p.svg"),
    (["show", "--export-svg", "-", "--export-html", "-"], "2 exports go to standard output"),
    (["run", "--export-html", "none/p.html", "true", "true"], "cannot export to 'none/p.html'")])
def test_errors(run_duet, imported, words, said):
    del imported
    done = run_duet(*words)
    assert done.returncode in (2, 5), done.stdout
    assert said in done.stderr


def test_nothing_to_make_a_site_of(run_duet, tmp_path):
    done = run_duet("report", "--site", "site")
    assert done.returncode == 2
    assert not (tmp_path / "site").exists()
