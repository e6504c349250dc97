"""Report pages in Chromium (report_page.mjs). npm installs what its lock file names into
the build folder, the first time; later no network is needed. DUET_SCREENSHOTS=FOLDER keeps
what the pages look like."""

import filecmp
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import uuid

import pytest

from tests.conftest import BUILD, SLOWDOWN

HERE = pathlib.Path(__file__).parent
MODULES = BUILD / "browser"
CHROMIUM = os.environ.get("DUET_CHROMIUM", "/usr/bin/chromium")
HOSTILE = ['<script>window.harmed = 1</script>', '"><img src=x onerror="window.harmed=1">',
           "</title></style><script>window.harmed=1</script>", "--><b>bold</b>&amp;",
           "javascript:window.harmed=1//' onmouseover='window.harmed=1"]

pytestmark = pytest.mark.timeout(180)


def install_modules():
    """What package-lock.json names; done once, until it changes."""
    names = ("package.json", "package-lock.json")
    if (MODULES / "installed").exists() and \
            all(filecmp.cmp(HERE / name, MODULES / name, shallow=False) for name in names):
        return
    shutil.rmtree(MODULES, ignore_errors=True)
    MODULES.mkdir(parents=True)
    for name in names:
        shutil.copy(HERE / name, MODULES)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                          cwd=MODULES, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=150)
    if done.returncode != 0:
        pytest.skip("npm cannot install playwright-core and axe-core here: "
                    + " ".join(done.stderr.split())[:200])
    (MODULES / "installed").touch()


@pytest.fixture(scope="module", name="browse")
def browse_fixture():
    """Runs a scenario of report_page.mjs on a page; what it printed."""
    for name in ("node", "npm"):
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name}")
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip("there is no Chromium")
    install_modules()

    def browse(scenario, page, **environment):
        shots = os.environ.get("DUET_SCREENSHOTS")
        done = subprocess.run(
            ["node", HERE / "report_page.mjs", scenario, page, *([shots] if shots else [])],
            env={**os.environ, "DUET_NODE_MODULES": str(MODULES), "DUET_CHROMIUM": CHROMIUM,
                 **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=150 * SLOWDOWN)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    return browse


def write_pairs(path, change, runs=12, iterations=25, seed=1):
    """A CSV file of pairs that share their noise, with a few that were disturbed."""
    draw = random.Random(seed)
    rows = ["run,iteration,old,new"]
    for run in range(runs):
        for iteration in range(iterations):
            base = 1e-3 * draw.lognormvariate(0, 0.05) * (20 if draw.random() < 0.002 else 1)
            old, new = (base * factor * draw.lognormvariate(0, 0.01)
                        for factor in (1, 1 + change))
            rows.append(f"{run},{iteration},{old:.9f},{new:.9f}")
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture(name="store")
def store_fixture(run_duet, tmp_path):
    """Three imported comparisons, and one that was measured, of sides apart."""
    for name, change in (("zip", 0.03), ("parse", -0.02), ("name with spaces", 0.0)):
        write_pairs(tmp_path / "pairs.csv", change)
        assert run_duet("import", "--name", name, "pairs.csv").returncode == 0
    done = run_duet("run", "-q", "--runs", "8", "--schedule", "interleaved", "true", "true")
    assert done.returncode == 0, done.stderr
    return tmp_path


def report(run_duet, *words):
    done = run_duet("report", *words, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.rotating(19)
def test_looks(run_duet, store, browse):
    report(run_duet, "1", "2", "3", "4")
    browse("looks", store / "duet-report.html")


@pytest.mark.rotating(4)
def test_without_script(run_duet, store, browse):
    report(run_duet, "1", "2", "3")
    browse("noscript", store / "duet-report.html")


@pytest.mark.rotating(4)
def test_interaction(run_duet, store, browse):
    report(run_duet, "1", "2", "3")
    browse("interaction", store / "duet-report.html")


@pytest.mark.rotating(4)
def test_many_runs(run_duet, tmp_path, browse):
    write_pairs(tmp_path / "pairs.csv", 0.01, runs=1200, iterations=1)
    assert run_duet("import", "pairs.csv").returncode == 0
    report(run_duet, "1")
    browse("runs", tmp_path / "duet-report.html")


@pytest.mark.rotating(8)
def test_hostile_names_do_no_harm(run_duet, tmp_path, browse):
    write_pairs(tmp_path / "pairs.csv", 0.01, runs=8, iterations=4)
    for name in HOSTILE:
        assert run_duet("import", "--name", name, "pairs.csv").returncode == 0
    ids = [str(i + 1) for i in range(len(HOSTILE))]
    report(run_duet, "--title", HOSTILE[2], *ids)
    browse("hostile", tmp_path / "duet-report.html", DUET_NAMES=json.dumps(HOSTILE))
    report(run_duet, "--title", HOSTILE[2], "--site", "site")
    browse("hostile", tmp_path / f"site/{sorted(os.listdir(tmp_path / 'site'))[1]}",
           DUET_NAMES="[]")


@pytest.mark.rotating(6)
def test_site(run_duet, store, browse):
    report(run_duet, "--site", "site")
    browse("site", store / "site" / "index.html")


def copy_experiment(connection, number):
    """Experiment 1 once more."""
    first, = connection.execute("SELECT count(*) FROM run WHERE experiment_id = 1").fetchone()

    def copy(table, where, **changed):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(changed.get(column, column) for column in columns)
        connection.execute(f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {where}")

    connection.create_function("new_uuid", 0, lambda: str(uuid.uuid4()))
    copy("experiment", "id = 1", id=str(number), uuid="new_uuid()", name=f"'b{number}'")
    copy("side", "experiment_id = 1", experiment_id=str(number))
    copy("environment", "experiment_id = 1", id=str(number), experiment_id=str(number))
    runs, moved = f"BETWEEN 1 AND {first}", f"+ {first * (number - 1)}"
    copy("run", f"id {runs}", id=f"id {moved}", uuid="new_uuid()",
         experiment_id=str(number), environment_id=str(number))
    for table in ("run_side", "observation"):
        copy(table, f"run_id {runs}", run_id=f"run_id {moved}")


@pytest.mark.rotating(12)
def test_large_page(run_duet, tmp_path, browse):
    """100 benchmarks of 10,000 pairs: below 10 MB. How fast it opens is printed, and stands
    in docs/report-page.md."""
    write_pairs(tmp_path / "pairs.csv", 0.01, runs=100, iterations=100)
    assert run_duet("import", "--name", "b1", "pairs.csv").returncode == 0
    with sqlite3.connect(tmp_path / ".duet/results.db") as connection:
        for number in range(2, 101):
            copy_experiment(connection, number)
    connection.close()
    report(run_duet, *map(str, range(1, 101)))
    size = (tmp_path / "duet-report.html").stat().st_size
    assert size < 10e6
    print(f"{size} bytes;", browse("large", tmp_path / "duet-report.html"))
