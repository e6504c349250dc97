"""A PostgreSQL server on this machine, for tests: up in seconds, on a socket of its own, as
root or as a plain user, in a folder of its own, and gone without a trace.

By hand: python3 tests/support/postgres.py prints a URL and waits for Ctrl-C.
"""

import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROLE = "duet"
START_S = 30
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "50",
    "shared_buffers": "32MB",
    "logging_collector": "off",
    "log_destination": "stderr",
}


def programs():
    """The folder of the newest server that is installed; None: there is none."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                   key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    path = shutil.which("initdb")
    return pathlib.Path(path).parent if path else None


class Server:
    """What runs. Its processes belong to this one: the server stays in the foreground. As
    root it is another user's, since it refuses to be root's."""

    def __init__(self, **settings):
        self.bin = programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-pg-", dir="/tmp"))
        self.user = {"user": "nobody", "group": "nogroup", "extra_groups": []} \
            if os.geteuid() == 0 else {}
        self.settings = {**SETTINGS, **settings}
        self.socket = self.folder / "socket"
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.process = None
        self.numbers = itertools.count(1)

    def __enter__(self):
        try:
            self.make()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self):
        self.folder.chmod(0o755)
        for folder in (self.socket, self.data):
            folder.mkdir(mode=0o755)
            if self.user:
                shutil.chown(folder, "nobody", "nogroup")
        subprocess.run([self.bin / "initdb", "-D", self.data, "-U", ROLE, "-A", "trust", "-E",
                        "UTF8", "--locale=C.UTF-8", "-N", "--no-instructions"],
                       check=True, stdout=subprocess.DEVNULL, cwd="/", env=self.environment(),
                       timeout=120, **self.user)

    @staticmethod
    def environment():
        return {name: value for name, value in os.environ.items()
                if not name.startswith(("PG", "LD_"))}

    def start(self):
        words = [self.bin / "postgres", "-D", self.data, "-k", self.socket]
        for name, value in self.settings.items():
            words += ["-c", f"{name}={value}"]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, cwd="/", env=self.environment(),
                                            **self.user)
        deadline = time.monotonic() + START_S
        while self.psql("postgres", "SELECT 1", check=False).returncode != 0:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def stop(self, how=signal.SIGINT):
        """SIGINT: connections are cut. SIGQUIT: as after a crash."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(START_S)
            self.process = None

    def restart(self, how=signal.SIGINT):
        self.stop(how)
        self.start()

    def remove(self):
        try:
            self.stop()
        finally:
            if self.process is not None:
                self.process.kill()
                self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, database, sql, check=True, role=ROLE):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-U",
             role, "-d", database, "-c", sql],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=check,
            timeout=120, env=self.environment())

    def sql(self, database, sql):
        """The rows that a statement answers, as lists of texts."""
        return [line.split("|") for line in
                self.psql(database, sql).stdout.splitlines() if line]

    @contextlib.contextmanager
    def locked(self, database, table):
        """Meanwhile nobody can read the table."""
        session = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-h", self.socket, "-U", ROLE, "-d", database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment())
        try:
            session.stdin.write(f"BEGIN; LOCK TABLE {table}; SELECT 'locked';\n")
            session.stdin.flush()
            assert session.stdout.readline() == "locked\n"
            yield
        finally:
            session.communicate(timeout=START_S)

    def database(self):
        """A new one; its name."""
        name = f"d{next(self.numbers)}"
        self.psql("postgres", f"CREATE DATABASE {name}")
        return name

    def url(self, database, role=ROLE):
        return f"postgresql://{role}@/{database}?host={self.socket}"


def main():
    with Server() as server:
        print(server.url(server.database()), flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
