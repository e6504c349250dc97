"""Reads the pictures that test_plot.c drew as XML.

usage: check_svg.py FOLDER

Well-formed; the root is an image with a title and a description first; every number of
an attribute is one; nothing is fetched from elsewhere; ids do not clash because there
are none.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = {"x", "y", "x1", "y1", "x2", "y2", "width", "height"}
PATH = re.compile(r"([ML]-?[0-9.]+ -?[0-9.]+|h0|h4v4h-4|Z)*")


def check(path):
    root = xml.fromstring(path.read_text(encoding="utf-8"))
    assert root.tag == SVG + "svg", root.tag
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]
    for element in root.iter():
        assert element.tag.startswith(SVG), element.tag
        assert element.get("id") is None
        for name, value in element.attrib.items():
            assert "href" not in name and "url(" not in value, (name, value)
            if name in NUMBERS:
                float(value)
        if element.tag == SVG + "path":
            assert PATH.fullmatch(element.get("d")), element.get("d")
        if element.tag == SVG + "rect":
            assert float(element.get("width")) >= 0 <= float(element.get("height"))


def main():
    pictures = sorted(pathlib.Path(sys.argv[1]).glob("*.svg"))
    assert pictures, "no pictures"
    for path in pictures:
        try:
            check(path)
        except Exception as error:
            sys.exit(f"{path.name}: {type(error).__name__}: {error}")
    print(f"{len(pictures)} pictures")


main()
