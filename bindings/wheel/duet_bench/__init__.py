"""duet from Python: comparisons that are measured, and stores that are read into pandas.

    import duet_bench

    change = duet_bench.compare("./old", "./new", "--until", "time=20s")[0]
    print(change.verdict, change.change_pct, change.low_pct, change.high_pct)

    frame = duet_bench.read("pairs")           # a view of .duet/results.db, as a DataFrame
"""

import dataclasses
import importlib.metadata
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sysconfig

__all__ = ["Comparison", "DuetError", "VIEWS", "compare", "compare_files", "program", "read",
           "rows", "store_path", "write_parquet"]

VIEWS = ("experiments", "comparisons", "benchmarks", "runs", "iterations", "pairs",
         "observations")
# Statuses with an answer: fine, a verdict of --fail-on, unsure.
_ANSWERED = (0, 1, 3)


class DuetError(RuntimeError):
    """duet ended without an answer: `status` is its exit status, the text what it said."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


@dataclasses.dataclass(frozen=True)
class Comparison:
    """An answer. Changes are in percent of old; above 0, new takes longer."""

    name: str
    verdict: str          # slower, faster, same, unsure, identical
    change_pct: float
    low_pct: float        # None: there is no interval
    high_pct: float
    confidence: float
    runs: int
    raw: dict             # all that the JSON document says of it


def _own_programs():
    """Where this package's program may be: pip writes down where it put it, with --user or
    --prefix elsewhere than the interpreter's scripts."""
    try:
        files = importlib.metadata.files("duet-bench") or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    yield from (pathlib.Path(file.locate()) for file in files if file.name == "duet")
    yield pathlib.Path(sysconfig.get_path("scripts")) / "duet"


def program():
    """The path of duet: the one that came with this package, else the one on PATH."""
    own = next((path for path in _own_programs() if path.is_file()), None)
    found = os.path.normpath(own) if own is not None else shutil.which("duet")
    if found is None:
        raise DuetError(None, "there is no program duet: pip install duet-bench")
    return found


def _percent(ratio):
    return None if ratio is None else 100 * (ratio - 1)


def _comparison(raw):
    interval = raw.get("interval") or {}
    return Comparison(raw["name"], raw["verdict"], _percent(raw["ratio"]),
                      _percent(interval.get("low")), _percent(interval.get("high")),
                      interval.get("confidence"), raw["runs"], raw)


def _answers(command, *words, cwd=None):
    done = subprocess.run([program(), command, "-q", "--export-json", "-", *map(str, words)],
                          cwd=cwd, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode not in _ANSWERED:
        raise DuetError(done.returncode, done.stderr.strip())
    return [_comparison(raw) for raw in json.loads(done.stdout)["comparisons"]]


def compare(old, new, *options, cwd=None):
    """Measures two commands, each a text as you would type it. `options` are those of `duet run`,
    as words. Returns a Comparison for each benchmark; raises DuetError."""
    return _answers("run", *options, "--", old, new, cwd=cwd)


def compare_files(old, new, *options, cwd=None):
    """Compares two files that other tools wrote, as `duet compare` does."""
    return _answers("compare", *options, "--", old, new, cwd=cwd)


def store_path(folder="."):
    """The store that duet uses in a folder: .duet/results.db in it or the nearest parent."""
    start = pathlib.Path(folder).resolve()
    for place in (start, *start.parents):
        path = place / ".duet" / "results.db"
        if path.is_file():
            return path
    raise FileNotFoundError(f"no .duet/results.db in {start} or above")


def _select(view, store, experiment):
    if view not in VIEWS:
        raise ValueError(f"there is no view '{view}': expected one of {', '.join(VIEWS)}")
    path = pathlib.Path(store) if store is not None else store_path()
    if not path.is_file():
        raise FileNotFoundError(f"there is no store '{path}'")
    where, values = "", ()
    if experiment is not None:
        where, values = " WHERE experiment_id = ?", (experiment,)
    return path, f"SELECT * FROM {view}{where}", values


def _open(path):
    # Read only; without its folder being writable, too, if no log lies beside it.
    alone = "" if os.access(path.parent, os.W_OK) or path.with_name(
        path.name + "-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True)


def rows(view, store=None, experiment=None):
    """A view of a store as a list of dictionaries. `store`: a path; None: store_path().
    `experiment`: its number; None: all. docs/store.md says what the views have."""
    path, query, values = _select(view, store, experiment)
    connection = _open(path)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query, values)]
    finally:
        connection.close()


def read(view, store=None, experiment=None):
    """The same as a pandas.DataFrame."""
    import pandas  # pylint: disable=import-outside-toplevel

    path, query, values = _select(view, store, experiment)
    connection = _open(path)
    try:
        return pandas.read_sql_query(query, connection, params=values)
    finally:
        connection.close()


def write_parquet(folder, store=None, experiment=None, views=VIEWS):
    """Writes views as FOLDER/VIEW.parquet, with pandas and pyarrow; returns the paths."""
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for view in views:
        # A benchmark is of several experiments.
        frame = read(view, store, None if view == "benchmarks" else experiment)
        path = target / f"{view}.parquet"
        frame.to_parquet(path, engine="pyarrow", index=False)
        written.append(path)
    return written
