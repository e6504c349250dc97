"""compare_stats.py LIBRARY [--cases N] [--markdown FILE] [PART...]: src/stats beside
numpy, scipy, statsmodels, arch, mpmath, randomgen and R on random inputs. What is exact
must agree to 10 digits or more; a bootstrap within four Monte Carlo standard errors.
`make oracle` runs it in an environment with the versions of requirements.txt. Prints a
line a comparison; the parts run side by side."""

import argparse
import concurrent.futures
import importlib
import io
import contextlib
import os
import sys
import time
import traceback
import warnings

PARTS = ["bootstrap", "designs", "blocks", "intervals", "series", "summaries",
         "two_sample", "draws", "columns", "r", "distributions", "inference",
         "processes", "history", "large"]


def run_part(name, library, cases):
    """What the part printed, its rows and skips."""
    import stats_library
    from comparison import Comparison
    warnings.simplefilter("ignore")
    begin = time.monotonic()
    comparison = Comparison(stats_library.Stats(library), cases,
                            [20240917, *name.encode()])
    output = io.StringIO()
    failed = None
    with contextlib.redirect_stdout(output):
        try:
            importlib.import_module(f"part_{name}").run(comparison)
        except Exception:  # reported below, beside what the part found until then
            failed = traceback.format_exc()
    return (name, output.getvalue(), comparison.rows, failed,
            time.monotonic() - begin)


def markdown(rows):
    lines = ["| functions | oracle | cases | largest deviation (allowed) |",
             "|---|---|---:|---|"]
    lines += [f"| `{row.functions}` | {row.oracle} | {row.cases:,} | {row.measured()} |"
              for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("parts", nargs="*", default=PARTS)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--markdown")
    wanted = parser.parse_args()
    rows, bad = [], 0
    with concurrent.futures.ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        tasks = [pool.submit(run_part, name, wanted.library, wanted.cases)
                 for name in wanted.parts or PARTS]
        for task in tasks:
            name, output, found, failed, seconds = task.result()
            print(f"-- {name} ({seconds:.0f} s)\n{output}", end="", flush=True)
            if failed:
                print(f"FAIL {name} stopped: {failed}")
            rows += found
            bad += sum(not row.good() for row in found) + bool(failed)
    if wanted.markdown:
        with open(wanted.markdown, "w", encoding="utf-8") as file:
            file.write(markdown(rows))
    print(f"{len(rows)} comparisons, {sum(row.cases for row in rows)} cases, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for numpy; two parts run at once
    main()
