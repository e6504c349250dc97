"""The quick rows of tests/soak/machine.py, once each."""

import pathlib
import random

import pytest

from soak import machine


@pytest.mark.bare  # users, environment, memory
@pytest.mark.parametrize("name", [name for name, row in machine.FAULTS.items() if row.quick])
def test_fault(duet, name):
    build = pathlib.Path(duet[-1]).parents[2]
    try:
        assert machine.once(build, name, random.Random(1)) == "fine"
    except machine.Skip as why:
        pytest.skip(str(why))
