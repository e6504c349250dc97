"""docs/walk.md: its rows name functions that are where they are said to be."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^\| `(src/\S+)` \| `(\w+)` \|",
                  (ROOT / "docs/walk.md").read_text(), re.MULTILINE)


def test_the_page_has_rows():
    assert len(ROWS) > 30


@pytest.mark.parametrize("path, function", ROWS)
def test_function_is_there(path, function):
    """Its definition: the name at a line's beginning, behind a type and before `(`."""
    text = (ROOT / path).read_text()
    assert re.search(rf"^[a-z_][^;={{}}()]*\b{function}\(", text, re.MULTILINE), \
        f"{path} does not define {function}()"
