# SPDX-License-Identifier: MIT
"""A hook of pyperf: `--hook duet` meets the other side before each value.

    duet --no-fill -I 50 'old/bin/python bench.py WORDS' 'new/bin/python bench.py WORDS'

with the WORDS `-p 1 -w 0 -l 100 -n 50 --hook duet --inherit-environ DUET_ATTACH,DUET_LIBRARY`: one process, no
warm-up, 100 loops a value, and as many values as duet measures iterations or more. A filler would use
a value up, so there must not be any."""

import atexit
import os
import sys

import duet

_part = None
_more = True


def _finish():
    try:
        _part.close()
    except duet.DuetError as error:
        print(f"duet.DuetError: {error}", file=sys.stderr, flush=True)
        os._exit(1)


class DuetHook:
    """pyperf makes one for each phase and enters it around each value. The end of the process
    ends the measurement."""

    def __init__(self):
        global _part
        if _part is None and duet.attached_by_environment():
            _part = duet.Duet("pyperf")
            atexit.register(_finish)

    def __enter__(self):
        global _more
        if _part is not None and _more:
            _more = _part.next()
            if _more:
                _part.begin()

    def __exit__(self, *_):
        if _part is not None and _more:
            _part.end()

    def teardown(self, metadata):
        """Called by pyperf at the end of a phase."""
