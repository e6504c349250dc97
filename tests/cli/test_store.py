"""duet store: stores that are merged, copied and checked, and --export-store."""

import json
import os
import resource
import signal
import sqlite3

import pytest

PAIR = ("-q", "-r", 2, "--name")


def listed(run_duet, path):
    """Names, newest first."""
    done = run_duet("list", "--store", path, "--export-json", "-")
    assert done.returncode == 0, done
    return [experiment["name"] for experiment in json.loads(done.stdout)["experiments"]]


def answers(path):
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT uuid, benchmark, verdict, c.change_pct, machine FROM comparisons AS c "
                                 "JOIN experiments USING (experiment_id, name, benchmark, machine) "
                                 "ORDER BY uuid").fetchall()
    database.close()
    return found


def damage(path, statement):
    with sqlite3.connect(path) as database:
        database.execute(statement)
    database.close()


@pytest.fixture
def two(run_duet, tmp_path):
    """Two stores with an experiment and two."""
    for store, names in (("a.db", ["one"]), ("b.db", ["two", "three"])):
        for name in names:
            assert run_duet(*PAIR, name, "--store", store, "true", "true").returncode == 0
    return tmp_path


def test_merge(run_duet, two):
    done = run_duet("store", "merge", "a.db", "b.db", "--into", "all.db")
    assert done.returncode == 0 and done.stderr == "", done
    assert done.stdout == "a.db: 1 experiment added\nb.db: 2 experiments added\n"
    assert sorted(listed(run_duet, "all.db")) == ["one", "three", "two"]
    assert answers(two / "all.db") == sorted(answers(two / "a.db") + answers(two / "b.db"))
    done = run_duet("store", "merge", "b.db", "a.db", "--store", "all.db")
    assert done.stdout == ("b.db: 0 experiments added, 2 here already\n"
                           "a.db: 0 experiments added, 1 here already\n")
    assert run_duet("store", "check", "all.db").stdout == "all.db is whole: 3 experiments, 6 runs\n"
    # The same answer, to the last digit.
    for number, name in ((1, "one"), (2, "two"), (3, "three")):
        theirs = run_duet("show", name, "--store", "a.db" if name == "one" else "b.db",
                          "--export-csv", "-")
        mine = run_duet("show", number, "--store", "all.db", "--export-csv", "-")
        assert mine.returncode == 0 and mine.stdout == theirs.stdout


@pytest.mark.bare
@pytest.mark.parametrize("words", [
    ["store", "copy", "a.db", "x.db"], ["store", "merge", "a.db", "--into", "b.db"],
    ["import", "n.txt", "n.txt", "--store", "b.db"],
    ["show", "one", "--store", "a.db", "--export-json", "x.db"]])
def test_a_limit_on_the_size_of_files_is_told(start_duet, run_duet, two, words):
    """It does not end the command without a word, in the middle of what it does."""
    (two / "n.txt").write_text("1\n2\n" * 50000)
    process = start_duet(*words, preexec_fn=lambda:
                         resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 5, errors
    assert "File too large" in errors or "a limit on file sizes" in errors
    assert not list(two.glob("x.db*")) or words[0] == "show"
    assert sorted(listed(run_duet, "b.db")) == ["three", "two"]


@pytest.mark.bare
@pytest.mark.parametrize("resource_of, most, advice", [
    (resource.RLIMIT_FSIZE, 0, "ulimit -f"), (resource.RLIMIT_NOFILE, 4, "ulimit -n")],
                         ids=["sizes", "files"])
def test_a_limit_is_named(start_duet, two, resource_of, most, advice):
    """More room on the disk would not help."""
    del two
    process = start_duet("list", "--store", "a.db", preexec_fn=lambda:
                         resource.setrlimit(resource_of, (most, most)))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "store 'a.db'" in errors and advice in errors and "disk full" not in errors, errors


def test_merge_into_the_default_store(run_duet, two, stored):
    assert run_duet("store", "merge", "a.db").returncode == 0
    stored.check()
    assert stored.one("SELECT count(*) FROM experiment") == 1


def test_one_that_cannot_be_merged_does_not_keep_the_others(run_duet, two):
    (two / "text.db").write_text("this is a text, and long enough for a database's head" * 3)
    damage(two / "b.db", "DELETE FROM environment")
    done = run_duet("store", "merge", "text.db", "b.db", "none.db", "a.db", "--into", "all.db")
    assert done.returncode == 2
    assert done.stdout == "a.db: 1 experiment added\n"
    assert "'text.db' is not a database" in done.stderr
    assert "store 'b.db' is damaged" in done.stderr and "nothing of it was taken" in done.stderr
    assert "no store at 'none.db'" in done.stderr
    assert listed(run_duet, "all.db") == ["one"]


def test_wrong_usage(run_duet, two):
    for words, wrong in ((["store"], "expected the name of a store command: merge, copy, check, prune"),
                         (["store", "mix"], "unknown store command 'mix'"),
                         (["store", "merge"], "expected at least one store to merge"),
                         (["store", "merge", "a.db", "--into", "a.db"], "into itself"),
                         (["store", "copy"], "expected the file to copy to"),
                         (["store", "copy", "a.db", "b.db"], "'b.db' is there already"),
                         (["store", "copy", "a.db", "x", "y"], "unexpected argument 'y'"),
                         (["store", "copy", "a.db", "none/x"], "there is no folder 'none'"),
                         (["store", "check", "none.db"], "no store at 'none.db'"),
                         (["store", "check", "a.db", "--store", "b.db"], "name the stores once"),
                         (["show", "--store", "a.db", "--export-store", "a.db"], "into itself"),
                         (["show", "--store", "a.db", "--export-store", "-"], "a store is a file"),
                         (["show", "--store", "a.db", "--export-store", "none/x"], "none/x")):
        done = run_duet(*words)
        assert done.returncode in (2, 5) and wrong in done.stderr, done
    assert not (two / ".duet").exists()


def test_what_is_being_measured_comes_later(run_duet, start_duet, stored, wait_until, tmp_path):
    process = start_duet("--until", "time=50s", "sleep 0.002", "sleep 0.002")
    wait_until(lambda: stored.has_runs(4))
    done = run_duet("store", "merge", stored.path, "--into", "all.db")
    assert done.returncode == 0
    assert "0 experiments added; 1 left out, since a process measures it" in done.stdout
    copied = run_duet("store", "copy", "copy.db")  # one moment of it
    assert copied.returncode == 0, copied
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert "1 experiment added" in run_duet("store", "merge", stored.path, "--into", "all.db").stdout
    assert run_duet("store", "check", "all.db", "copy.db").returncode == 0


def test_a_comparison_that_went_on(run_duet, start_duet, stored, wait_until, tmp_path):
    process = start_duet("-r", 60, "sleep 0.02", "sleep 0.02")
    wait_until(lambda: stored.has_runs(4))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert run_duet("store", "merge", stored.path, "--into", "all.db").returncode == 0
    # It is not resumed from there: its commands are another store's.
    refused = run_duet("run", "--resume", "--store", "all.db")
    assert refused.returncode == 2 and "nothing to resume" in refused.stderr
    refused = run_duet("run", "--resume=1", "--store", "all.db")
    assert refused.returncode == 2 and "resume it there" in refused.stderr
    assert run_duet("run", "-q", "--resume").returncode == 0
    done = run_duet("store", "merge", stored.path, "--into", "all.db")
    assert "1 brought up to date" in done.stdout
    assert run_duet("show", 1, "--store", "all.db", "--export-csv", "-").stdout == \
        run_duet("show", 1, "--export-csv", "-").stdout


def test_a_comparison_that_went_on_twice(run_duet, start_duet, stored, wait_until, tmp_path):
    """The runs of one of both cannot be taken, and nobody should remove that store."""
    process = start_duet("-r", 8, "sleep 0.1", "sleep 0.1")
    wait_until(lambda: stored.has_runs(2))
    process.send_signal(signal.SIGINT)
    process.wait(20)
    process.communicate()
    with sqlite3.connect(stored.path) as database:
        database.execute("VACUUM INTO ?", [str(tmp_path / "other.db")])
    database.close()
    for words in ([], ["--store", "other.db"]):
        assert run_duet("run", "--resume", *words).returncode == 0
    before = stored.rows("SELECT uuid FROM run ORDER BY id")
    done = run_duet("store", "merge", "other.db")
    assert done.returncode == 0 and "here already" not in done.stdout, done
    assert "1 left as it is here, since both stores went on with it" in done.stdout, done
    assert stored.rows("SELECT uuid FROM run ORDER BY id") == before


def test_a_watch_is_not_resumed_elsewhere(run_duet, start_duet, stored, wait_until, tmp_path):
    process = start_duet("watch", "touch seen", "--executions-per-hour", 72000, "--every", "400ms",
                         "--max-intervals", 0, "--error", "0.0001%", "--name", "w")
    wait_until(lambda: stored.has_runs(2))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert run_duet("store", "merge", stored.path, "--into", "all.db").returncode == 0
    (tmp_path / "seen").unlink()
    for words in (["watch", "--resume"], ["watch", "--resume", "w"], ["watch", "--resume", "1"]):
        refused = run_duet(*words, "--store", "all.db")
        assert refused.returncode == 2, refused
    assert not (tmp_path / "seen").exists()


def test_a_merge_changes_no_command_of_a_watch(run_duet, start_duet, stored, wait_until, tmp_path):
    """Of a store that somebody was given, and has given back."""
    process = start_duet("watch", "true", "--provision", "touch mine", "--executions-per-hour",
                         72000, "--every", "400ms", "--max-intervals", 0, "--error", "0.0001%",
                         "--name", "w")
    wait_until(lambda: stored.has_runs(2))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert run_duet("store", "copy", "theirs.db").returncode == 0
    (tmp_path / "theirs").mkdir()
    damage(tmp_path / "theirs.db", f"UPDATE watch SET provision = 'touch {tmp_path}/caught', "
           f"folder = '{tmp_path}/theirs'")
    damage(tmp_path / "theirs.db", "UPDATE experiment SET ended_utc_ms = ended_utc_ms + 1000")
    done = run_duet("store", "merge", "theirs.db", "--into", stored.path)
    assert "1 brought up to date" in done.stdout, done
    (tmp_path / "mine").unlink()
    process = start_duet("watch", "--resume", "w")
    wait_until(lambda: (tmp_path / "mine").exists() or (tmp_path / "caught").exists())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert (tmp_path / "mine").exists() and not (tmp_path / "caught").exists()


def test_copy(run_duet, two):
    assert run_duet("store", "copy", "b.db", "c.db").returncode == 0
    assert answers(two / "c.db") == answers(two / "b.db")
    assert os.stat(two / "c.db").st_mode & 0o777 == 0o600
    assert run_duet(*PAIR, "four", "--store", "c.db", "true", "true").returncode == 0
    assert run_duet("store", "check", "c.db").stdout == "c.db is whole: 3 experiments, 6 runs\n"


def test_check_says_what_is_wrong(run_duet, two):
    damage(two / "b.db", "DELETE FROM iteration WHERE run_id = 1 AND side = 1")
    done = run_duet("store", "check", "a.db", "b.db")
    assert done.returncode == 2
    assert done.stdout == "a.db is whole: 1 experiment, 2 runs\n"
    assert ("'b.db': experiment 1: 1 runs do not have as many iterations as they say, "
            "the first is run 1") in done.stderr
    assert "'b.db' is damaged" in done.stderr


def test_check_of_a_broken_file(run_duet, two):
    whole = (two / "b.db").read_bytes()
    size = 8192
    (two / "b.db").write_bytes(whole[:5 * size] + bytes(size) + whole[6 * size:])
    done = run_duet("store", "check", "b.db")
    assert done.returncode == 2 and "damaged" in done.stderr


def test_prune_is_the_same_command(run_duet, two):
    assert run_duet("store", "prune", "--older", "0d", "--store", "b.db").returncode == 0
    assert run_duet("store", "check", "b.db").stdout == "b.db is whole: 0 experiments, 0 runs\n"


def test_export_store(run_duet, tmp_path, stored):
    done = run_duet(*PAIR, "kept", "--export-store", "artifact.db", "true", "true")
    assert done.returncode == 0, done
    assert run_duet(*PAIR, "other", "true", "true").returncode == 0
    # One file, which can be read where nothing can be written.
    assert sorted(tmp_path.glob("artifact*")) == [tmp_path / "artifact.db"]
    assert listed(run_duet, "artifact.db") == ["kept"]
    done = run_duet("show", "other", "--export-store", "artifact.db")
    assert done.returncode == 0, done
    assert listed(run_duet, "artifact.db") == ["other", "kept"]
    assert answers(tmp_path / "artifact.db") == answers(stored.path)
    # Where nothing else is kept.
    done = run_duet(*PAIR, "none", "--store", "none", "--export-store", "only.db", "true", "true")
    assert done.returncode == 0, done
    assert listed(run_duet, "only.db") == ["none"]
    assert not list(tmp_path.glob("duet-rescued*"))


@pytest.mark.slow
def test_export_of_what_was_judged_together(run_duet, tmp_path, stored):
    (tmp_path / "s.yaml").write_text("name: s\nbenchmarks:\n" + "".join(
        f'  - {{name: {name}, old: "true", new: "true", runs: 8}}\n' for name in "abc"))
    assert run_duet("suite", "s.yaml", "-q", "--export-store", "all.db").returncode == 0
    assert run_duet("show", 2, "--export-store", "one.db").returncode == 0
    for path in ("all.db", "one.db"):
        assert sorted(listed(run_duet, path)) == ["a", "b", "c"]
        assert run_duet("show", "b", "--store", path, "--export-csv", "-").stdout == \
            run_duet("show", "b", "--export-csv", "-").stdout


def test_compared_files_in_a_store(run_duet, tmp_path):
    for name, middle in (("old", 10), ("new", 11)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{middle + i % 3}\n" for i in range(20)))
    done = run_duet("compare", "-q", "old.txt", "new.txt", "--export-store", "files.db")
    assert done.returncode == 0, done
    assert len(listed(run_duet, "files.db")) == 1
    assert run_duet("store", "check", "files.db").returncode == 0


def test_views_have_what_the_document_says(run_duet, stored):
    """Names and columns that other people's programs rely on: none may go."""
    columns = {
        "experiments": "experiment_id uuid name benchmark suite state schedule started_utc ended_utc runs "
                       "warmup seed old_command new_command old_commit new_commit machine host_name cpu_model "
                       "num_cpus kernel duet_version region_of merged",
        "comparisons": "experiment_id name benchmark suite metric schedule verdict change_pct low_pct high_pct "
                       "ratio low high confidence interval_method estimator runs iterations old_mean_ns "
                       "old_sd_ns old_median_ns new_mean_ns new_sd_ns new_median_ns started_utc old_command "
                       "new_command old_commit new_commit machine host_name cpu_model",
        "benchmarks": "benchmark experiments first_utc last_utc last_experiment_id last_verdict "
                      "last_change_pct",
        "runs": "experiment_id run_id run block side position cpu schedule mode started_utc took_s iterations "
                "exit_status peak_memory_bytes cycles instructions cache_misses branch_misses machine "
                "host_name cpu_model",
        "iterations": "experiment_id run_id run block side iteration warmup time_ns operations start_ns cpu_ns "
                      "user_ns system_ns taken_ns voluntary_switches involuntary_switches minor_faults "
                      "major_faults cpu exit_status",
        "pairs": "experiment_id run_id run block iteration warmup old_ns new_ns ratio",
        "observations": "experiment_id environment_id run_id run block side iteration metric unit value",
    }
    assert run_duet("-q", "-r", 4, "-I", 3, "-w", 1, "--schedule", "duet", "--name", "b", "true",
                    "true").returncode == 0
    for view, names in columns.items():
        found = [name for (name,) in stored.rows("SELECT name FROM pragma_table_info(?)", view)]
        assert found[:len(names.split())] == names.split(), view
    assert stored.rows("SELECT benchmark, experiments, last_experiment_id FROM benchmarks") == [("b", 1, 1)]
    assert stored.one("SELECT runs FROM experiments") == 4
    assert stored.one("SELECT count(*) FROM runs") == 8
    assert stored.one("SELECT count(*) FROM pairs WHERE ratio > 0") == 12
    ((ratio, change),) = stored.rows("SELECT ratio, change_pct FROM comparisons")
    assert change == pytest.approx(100 * (ratio - 1))
    assert stored.one("SELECT count(*) FROM iterations AS i JOIN observations AS o USING (run_id, side, iteration) "
                      "WHERE o.metric = 'time' AND o.value = i.time_ns") == 24
