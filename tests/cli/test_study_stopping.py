"""duet study stopping."""

import csv
import io
import os
import pathlib
import random
import signal
import subprocess
import xml.etree.ElementTree

import pytest

RULES = ["metior", "metior-artifact", "basicbt", "cov", "pt4cloud", "steady"]
SHARED = pathlib.Path(os.environ.get(
    "DUET_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))


def write_series(path, spread, count=900, header=None):
    generator = random.Random(str(path.name))
    lines = [f"{100 + spread * generator.gauss(0, 1):.6f}" for _ in range(count)]
    path.write_text("\n".join(([header] if header else []) + lines) + "\n")


@pytest.fixture
def folder(tmp_path):
    """Two clouds, 20 points a day, three weeks of tests and as much truth."""
    made = tmp_path / "series"
    made.mkdir()
    write_series(made / "A-quiet.txt", 1)
    write_series(made / "A-loud.csv", 12, header="value")
    write_series(made / "B-quiet.txt", 2)
    (made / "slices.csv").write_text(
        "file,test_points\nA-quiet.txt,420\nA-loud.csv,420\nB-quiet.txt,420\n")
    return made


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_tables(run_duet, folder):
    done = run_duet("study", "stopping", folder, "--every", 30, "--replicates", 200,
                    "--price-per-hour", "0.5", "--errors", "5%")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "95 % confidence, 200 replicates" in lines[0]
    titles = [line for line in lines if "allowed error" in line]
    assert len(titles) == 2 * 4 and titles[0].startswith("mean, allowed error 5 %")
    header = lines.index(titles[0]) + 1
    assert lines[header].split() == ["series", *RULES]
    assert [line.split()[0] for line in lines[header + 1:header + 4]] == \
        ["A-loud", "A-quiet", "B-quiet"]
    assert [line[:5] for line in lines[header + 4:header + 7]] == ["all A", "all B", "all  "]
    assert lines[header + 2].split()[1:] == ["100.0"] * len(RULES)


def test_csv(run_duet, folder):
    rows = rows_of(run_duet("study", "stopping", folder, "--every", 30, "--replicates", 200,
                            "--export-csv", "-", "--price-per-hour", 2))
    assert len(rows) == 3 * 2 * 3 * len(RULES)
    assert {row["rule"] for row in rows} == set(RULES)
    for row in rows:
        assert row["tests"] == "14" and float(row["interval"]) == 20
        points = float(row["points_mean"])
        assert float(row["price_mean"]) == pytest.approx(points / 20 * 24 * 2)
        if row["rule"] == "metior":
            assert float(row["points_relative"]) == 1
        if row["series"] == "A-quiet":
            assert row["stopped"] == row["accurate"] == "14"
            if row["rule"] == "steady":  # looks after one interval, then each half
                assert 20 <= points <= (20 if float(row["error"]) > 0.09 else 40)
            else:
                assert points == {"basicbt": 10, "cov": points}.get(row["rule"], 40)


def test_one_file_and_the_first_third(run_duet, folder):
    rows = rows_of(run_duet("study", "stopping", folder / "A-loud.csv", "--starts", "third",
                            "--points-per-interval", 20, "--test-intervals", 15,
                            "--rules", "metior,steady", "--statistics", "p50,p99",
                            "--errors", "4%,0.5", "--replicates", 100, "--export-csv", "-"))
    assert len(rows) == 2 * 2 * 2
    assert {row["statistic"] for row in rows} == {"p50", "p99"}
    assert all(row["tests"] == "101" for row in rows)


def picture(path):
    text = path.read_text()
    assert xml.etree.ElementTree.fromstring(text).tag.endswith("svg")
    return text


def test_pictures(run_duet, folder, tmp_path):
    for price, names in ([], ["accuracy", "points"]), (["--price-per-hour", 2], ["prices"]):
        done = run_duet("study", "stopping", folder, "--every", 60, "--replicates", 100,
                        "--export-svg", "pictures", *price)
        assert done.returncode == 0, done.stderr
        for name in [*names, "summary", "executions"]:
            text = picture(tmp_path / f"pictures/{name}.svg")
            rows = ["A-loud", "mean, 3 %", "p90, 5 %", "p90, 10 %"]
            if name not in ("accuracy", "points"):
                rows = ["B, 3 %", "all, 10 %"]
            assert all(word in text for word in [*RULES, "p90", *rows])
        assert (tmp_path / "pictures/prices.svg").exists() == bool(price)
    done = run_duet("study", "stopping", folder, "--every", 200, "--rules", "cov",
                    "--export-svg", folder / "A-quiet.txt/x")
    assert done.returncode == 5 and "A-quiet.txt" in done.stderr


def test_threads_do_not_matter(run_duet, folder):
    one, two = (run_duet("study", "stopping", folder, "--every", 60, "--replicates", 100,
                         "--threads", threads, "--export-csv", "-") for threads in (1, 2))
    assert one.returncode == 0 and one.stdout == two.stdout


def test_bootstraps(run_duet, folder):
    rows = rows_of(run_duet("study", "stopping", folder, "--bootstraps", "--replicates", 200,
                            "--export-csv", "-", "--threads", 2))
    assert [row["bootstrap"] for row in rows] == ["basic", "block"] * 3
    assert all(row["points"] == "140" and row["tests"] == "100" for row in rows)
    done = run_duet("study", "stopping", folder, "--bootstraps", "--replicates", 100)
    assert done.returncode == 0 and "acf block" in done.stdout


def test_pictures_of_bootstraps(run_duet, folder, tmp_path):
    """He 2021, figures 2 to 5: a panel a series, and for traces one a resample, too."""
    done = run_duet("study", "stopping", folder, "--bootstraps", "--replicates", 100,
                    "--export-svg", "pictures")
    assert done.returncode == 0, done.stderr
    for name in ["traces", "autocorrelations", "distributions", "accurate"]:
        text = picture(tmp_path / f"pictures/{name}.svg")
        assert all(word in text for word in ["A-loud", "A-quiet", "B-quiet", "blocks of 24"])
        assert text.count(">blocks of 24<") == (3 if name == "traces" else 1)


def test_blocks_keep_the_autocorrelation(run_duet):
    """He 2021, table I in kind: 0.16 to 0.44, 0 by the basic bootstrap, within 0.03 by
    blocks."""
    if not (SHARED / "data/metior").is_dir():
        pytest.skip(f"shared data is not at {SHARED}")
    for name in ["AWS-FT-2XL", "AWS-IMA-2XL", "Chameleon-FT-L", "Chameleon-IMA-L"]:
        data = SHARED / f"data/metior/{name}.txt"
        basic, block = rows_of(run_duet("study", "stopping", data, "--bootstraps",
                                        "--points-per-interval", 96, "--replicates", 100,
                                        "--export-csv", "-"))
        acf = float(basic["acf"])
        assert acf > 0.15
        assert abs(float(basic["acf_mean"])) < 0.02
        assert 0 < acf - float(block["acf_mean"]) < 0.06


@pytest.mark.parametrize("arguments,message", [
    ([], "expected one folder"),
    (["nowhere"], "nowhere"),
    (["series", "--rules", "metior,best"], "best"),
    (["series", "--statistics", "p100"], "p100"),
    (["series", "--errors", "0%"], "error"),
    (["series", "--starts", "some"], "all, third"),
    (["series/A-quiet.txt"], "--points-per-interval"),
    (["series", "--test-intervals", "1"], "--test-intervals"),
    (["series", "--price-per-hour", "-1"], "--price-per-hour"),
    (["series/A-quiet.txt", "--points-per-interval", "100"], "ground truth"),
])
def test_wrong_usage(run_duet, folder, arguments, message):
    del folder
    done = run_duet("study", "stopping", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("name,text,message", [
    ("bad.txt", "1\n2\nthree\n", "bad.txt:3:1"),
    ("empty.txt", "", "holds no number"),
    ("negative.txt", "1\n-2\n" + "3\n" * 100, "positive"),
])
def test_files_that_do_not_do(run_duet, tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    done = run_duet("study", "stopping", name, "--points-per-interval", 2)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("more", [[], ["--bootstraps"]])
@pytest.mark.parametrize("tests,truth", [("100", "-100"), ("100", "0"), ("-100", "-100"), ("0", "0")])
def test_the_truth_is_positive(run_duet, tmp_path, tests, truth, more):
    """Tests of 100 whose truth is -100 were all accurate."""
    (tmp_path / "odd.txt").write_text(f"{tests}\n" * 63 + f"{truth}\n" * 9)
    done = run_duet("study", "stopping", "odd.txt", "--points-per-interval", 3, *more)
    assert done.returncode == 2 and "take positive ones" in done.stderr, done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_interrupted_it_prints_what_is_done(start_duet, folder, tmp_path):
    process = start_duet("study", "stopping", folder, "--replicates", 30000,
                         "--export-csv", tmp_path / "rows.csv")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "allowed error" in output
