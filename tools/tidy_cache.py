"""Which files clang-tidy found nothing in, so that it need not read them again: by the
contents of all that it would read."""

import functools
import hashlib
import os
import pathlib
import shlex
import subprocess
import time

import source_tree

# What the answer depends on beside the sources.
RULES = (".clang-tidy", "tools/analyzer_hints.h", "src/base/error.h", "src/base/text.h",
         "tools/check-tidy")
OLD_S = 30 * 24 * 3600


@functools.lru_cache(None)
def hash_of(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def portable(text):
    """Without this checkout's place."""
    return text.replace(str(source_tree.ROOT), "{root}")


class TidyCache:
    """Markers in `folder` of what was fine. Ninja knows what each object was made of; what
    it has not built, or built from older files, is not looked up."""

    def __init__(self, folder, build, tool, options):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run([tool, "--version"], capture_output=True, text=True,
                                 check=True).stdout
        rules = [hash_of(source_tree.ROOT / name) for name in RULES]
        self.rules = [version, portable(repr(options)), *rules]
        self.build = build
        self.read = self.read_of_objects()
        for marker in self.folder.iterdir():
            if marker.stat().st_mtime < time.time() - OLD_S:
                marker.unlink(missing_ok=True)

    def read_of_objects(self):
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "deps"], text=True,
                                capture_output=True, check=False).stdout
        read = {}
        paths = None
        for line in listed.splitlines():
            if line.startswith("    ") and paths is not None:
                paths.append(os.path.normpath(self.build / line.strip()))
            elif line.endswith("(VALID)"):
                paths = read.setdefault(line.partition(":")[0], [])
            else:
                paths = None
        return read

    def marker_of(self, command):
        """None: what the file reads is not known."""
        words = shlex.split(command["command"])
        paths = self.read.get(words[words.index("-o") + 1]) if "-o" in words else None
        if not paths:
            return None
        try:
            # Headers of which the object is older than the file may have come to it since.
            made = (self.build / words[words.index("-o") + 1]).stat().st_mtime
            if any(os.stat(path).st_mtime > made for path in paths):
                return None
            parts = [*self.rules, portable(command["command"]),
                     *(portable(path) + hash_of(path) for path in sorted(paths))]
        except OSError:
            return None
        return self.folder / hashlib.sha256("\n".join(parts).encode()).hexdigest()


def one_of(markers):
    """The marker of a file that is compiled in several ways; None: one is not known."""
    if not markers or None in markers:
        return None
    if len(markers) == 1:
        return markers[0]
    names = "\n".join(sorted(marker.name for marker in markers))
    return markers[0].with_name(hashlib.sha256(names.encode()).hexdigest())
