"""A Java of version 22 or later: bindings/java has a client for it that needs no native code."""

import os
import pathlib
import re
import shutil
import subprocess


def find():
    """The path of `java`, or None: JAVA_HOME's, PATH's, or of a JDK in /usr/lib/jvm."""
    homes = [os.environ.get("JAVA_HOME", ""), *sorted(map(str, pathlib.Path("/usr/lib/jvm").glob("*")))]
    candidates = [shutil.which("java"), *(f"{home}/bin/java" for home in homes if home)]
    for java in candidates:
        if java and os.access(java, os.X_OK):
            said = subprocess.run([java, "-version"], check=False, text=True, capture_output=True).stderr
            version = re.search(r'version "(\d+)', said)
            if version and int(version[1]) >= 22:
                return java
    return None
