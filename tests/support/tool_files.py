"""What duet reads in the files of benchmark tools."""

import json


def document(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def benchmarks(run_duet, *arguments):
    """Name, and the times of old in ns, of each benchmark."""
    answer = document(run_duet("compare", *arguments, "--export-json", "-"))
    names = [one["name"] for one in answer["comparisons"]]
    times = [[1e9 * time for time in one["times"]] for one in answer["results"][::2]]
    return dict(zip(names, times))
