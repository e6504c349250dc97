"""What holds for every picture that duet draws."""

import re

SHOWN_PX = 400  # as wide as a page may show it
TEXT_PX = 7  # the smallest text that can be read then


def illegible(svg):
    """Why a picture's text cannot be read where it is shown 400 pixels wide; None: it can."""
    width = float(re.search(r'<svg [^>]*?width="([\d.]+)"', svg).group(1))
    smallest = min(map(float, re.findall(r"font-size:([\d.]+)px", svg)))
    shown = smallest * min(1.0, SHOWN_PX / width)
    return None if shown >= TEXT_PX else \
        f"text of {smallest:g} px in a picture {width:g} px wide is {shown:.1f} px high"
