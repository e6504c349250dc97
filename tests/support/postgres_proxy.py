"""Between libpq and a server: counts COMMITs, and cuts the connection at some of them."""

import contextlib
import pathlib
import select
import shutil
import socket
import struct
import tempfile
import threading

NAME = ".s.PGSQL.5432"
COMMIT = b"COMMIT\0"
READY = b"Z\0\0\0\5I"  # what a server says behind its answer, outside a transaction
PATIENCE_S = 30


class Proxy:
    """Listens on a socket in `folder`, as a server would. COMMITs with numbers (from 1) among
    `cuts` are the last thing that their connections see: the server gets them (`late`), and
    the answer goes to nobody; or does not get them."""

    def __init__(self, target, cuts, late):
        self.target, self.cuts, self.late = str(target / NAME), cuts, late
        self.commits = 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="duet-cut-", dir="/tmp"))
        self.listener = socket.socket(socket.AF_UNIX)
        self.threads = []

    def __enter__(self):
        self.listener.bind(str(self.folder / NAME))
        self.listener.listen()
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(PATIENCE_S)
        self.listener.close()
        shutil.rmtree(self.folder)

    def accept(self):
        with contextlib.suppress(OSError):  # __exit__() ends it
            while True:
                client, _ = self.listener.accept()
                self.threads.append(threading.Thread(target=self.pass_on, args=[client]))
                self.threads[-1].start()

    def pass_on(self, client):
        """One connection."""
        begun = False  # its first message has no type
        waiting = b""
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(self.target)
            while True:
                readable, _, _ = select.select([client, server], [], [])
                if server in readable:
                    data = server.recv(1 << 16)
                    if not data:
                        return
                    client.sendall(data)
                if client not in readable:
                    continue
                data = client.recv(1 << 16)
                if not data:
                    return
                waiting += data
                while (size := message_size(waiting, begun)) <= len(waiting):
                    message, waiting = waiting[:size], waiting[size:]
                    if begun and message[:1] == b"Q" and message[5:] == COMMIT:
                        self.commits += 1
                        if self.commits in self.cuts:
                            if self.late:
                                server.sendall(message)
                                wait_for(server, READY)
                            return
                    server.sendall(message)
                    begun = True


def message_size(data, begun):
    """Of the first message of a client; more than there is when that is not all of it."""
    head = 5 if begun else 4
    return head - 4 + struct.unpack("!I", data[head - 4:head])[0] if len(data) >= head \
        else len(data) + 1


def wait_for(server, end):
    seen = b""
    server.settimeout(PATIENCE_S)
    while not seen.endswith(end):
        data = server.recv(1 << 16)
        assert data, seen
        seen += data
