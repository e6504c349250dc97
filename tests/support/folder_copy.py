"""A folder that is copied thousands of times: what it holds is read once."""

import os


class Original:
    """The folder at `path`, as it is now. A copy of it has links to its programs, which nobody
    changes, and files with the bytes and modes of the others."""

    def __init__(self, path):
        self.path = str(path)
        self.folders, self.files, self.links = [], [], []
        for folder, _, names in os.walk(path):
            below = os.path.relpath(folder, path)
            self.folders.append((below, os.stat(folder).st_mode & 0o7777))
            for name in names:
                self._add(os.path.join(below, name))

    def _add(self, name):
        source = os.path.join(self.path, name)
        mode = os.stat(source).st_mode & 0o7777
        if os.path.islink(source) or mode & 0o111:
            self.links.append(name)
        else:
            with open(source, "rb") as file:
                self.files.append((name, mode, file.read()))

    def copy(self, to):
        """Makes the folder `to`."""
        for name, mode in self.folders:
            os.mkdir(os.path.normpath(os.path.join(to, name)), mode | 0o700)
        for name in self.links:
            os.link(os.path.join(self.path, name), os.path.join(to, name),
                    follow_symlinks=False)
        for name, mode, content in self.files:
            fd = os.open(os.path.join(to, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            os.write(fd, content)
            os.close(fd)
