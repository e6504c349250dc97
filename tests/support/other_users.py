"""For tests that become another user: what everybody may reach, wherever the build is."""

import shutil


def open_to_all(folder):
    """Everybody may enter the folder and write into it."""
    for parent in folder.parents:
        if parent.stat().st_mode & 0o001 == 0:
            parent.chmod(parent.stat().st_mode | 0o111)
    folder.chmod(0o777)


def copy_for_all(duet, folder):
    """The words that start a copy of the program, in a folder of its own."""
    open_to_all(folder)
    return [*duet[:-1], shutil.copy(duet[-1], folder)]
