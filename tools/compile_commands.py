"""What a build compiles, for tools that read it file by file."""

import json
import shlex


def each_once(path):
    """The commands of a compile_commands.json without those that compile a file again and
    differ in optimization, warnings or where headers are: the programs of the step
    `identical`, whose files would be analyzed three times."""
    found = {}
    for command in json.loads(path.read_text()):
        defined = tuple(word for word in shlex.split(command["command"])
                        if word.startswith(("-D", "-U", "-std=")))
        found.setdefault((command["file"], defined), command)
    return list(found.values())
