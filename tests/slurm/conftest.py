"""A cluster for each test that asks for one."""

import pytest

from slurm import cluster as slurm


@pytest.fixture
def cluster():
    """Four nodes; without Slurm the test is skipped, loudly."""
    missing = slurm.missing_programs()
    if missing:
        pytest.skip(f"Slurm is not installed: no {', '.join(missing)}")
    with slurm.Cluster(4) as running:
        yield running
