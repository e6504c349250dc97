"""Lets the n-th system call of a class fail, in a program and its forks.

The kernel hands each call of the class to this process before it happens (a seccomp
filter with SECCOMP_RET_USER_NOTIF), which lets it go on or answers it with an error. It
counts across processes, and only calls of `program` itself, not of what that executes."""

import collections
import ctypes
import fcntl
import functools
import os
import platform
import re
import select
import signal
import struct
import subprocess
import time

LIBC = ctypes.CDLL(None, use_errno=True)
RECEIVE, SEND = 0xC0502100, 0xC0182101  # _IOWR("!", 0 and 1, ...)
CONTINUE = 1
PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, NEW_LISTENER = 1, 8
NOTIFY, ALLOW = 0x7FC00000, 0x7FFF0000
FUTEX_OPERATION, FUTEX_WAITS = 127, (0, 9)
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06


@functools.cache
def numbers():
    """name -> number of every system call here; a name that this kernel's headers do not
    have is missing."""
    done = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c",
                           os.devnull], capture_output=True, text=True, check=True)
    return {name: int(number) for name, number
            in re.findall(r"#define __NR_(\w+) (\d+)$", done.stdout, re.MULTILINE)}


def is_supported():
    return platform.machine() in ("x86_64", "aarch64") and hasattr(os, "pidfd_open")


class Fault:
    """The `nth` (from 1) call of these names fails with `errnum`; with `on` all behind it,
    too. role: "runner", "others" (forks of it), or None, any."""

    def __init__(self, names, errnum, nth, *, on=False, role=None):
        self.numbers = [numbers()[name] for name in names if name in numbers()]
        self.errnum, self.nth, self.on, self.role = errnum, nth, on, role
        self.seen = self.injected = 0

    def answer(self, _number):
        """The error for one more call, or 0."""
        self.seen += 1
        if self.seen == self.nth or (self.on and self.seen > self.nth):
            self.injected += 1
            return self.errnum
        return 0


class Census:
    """No fault: how often each system call of these names happens."""

    def __init__(self, names):
        self.role = None
        self.names = {numbers()[name]: name for name in names if name in numbers()}
        self.numbers = list(self.names)
        self.counts = collections.Counter()

    def answer(self, number):
        self.counts[self.names[number]] += 1
        return 0


def _install(wanted):
    """Filters this process's system calls; it keeps the listener, closed by execve."""
    step = lambda code, yes, no, value: struct.pack("HBBI", code, yes, no, value)
    program = step(LOAD, 0, 0, 0)
    for i, number in enumerate(wanted):
        program += step(EQUAL, len(wanted) - i, 0, number)
    program += step(RETURN, 0, 0, ALLOW) + step(RETURN, 0, 0, NOTIFY)
    code = ctypes.create_string_buffer(program)
    description = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return LIBC.syscall(numbers()["seccomp"], SET_MODE_FILTER, NEW_LISTENER, description)


def _listener_of(pid, pidfd):
    """A copy of the listener that `pid` is about to have; None: it ended before."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                if os.readlink(entry.path) == "anon_inode:seccomp notify":
                    return LIBC.syscall(numbers()["pidfd_getfd"], pidfd, int(entry.name), 0)
        except OSError:
            pass
        time.sleep(0.0005)
    return None


class Guest:
    """A program under faults: started, served, and ended."""

    def __init__(self, words, fault, *, cwd, environment, output, errors):
        self.program = os.path.realpath(words[0])
        self.fault = fault
        self.listener = None
        if not fault.numbers:  # no system call fails: there is nothing to answer
            # Which copies no page tables, as os.fork() does.
            process = subprocess.Popen([self.program, *words[1:]], cwd=cwd, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
            self.pid, process.returncode = process.pid, 0  # serve() waits for it
            self.pidfd = os.pidfd_open(self.pid)
            return
        numbers()  # before the fork: it takes a process
        ready, go = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._child(words, ready, go, cwd, environment, output, errors)
        os.close(ready)
        self.pidfd = os.pidfd_open(self.pid)
        self.listener = _listener_of(self.pid, self.pidfd)
        os.write(go, b"x")
        os.close(go)

    def _child(self, words, ready, go, cwd, environment, output, errors):
        try:
            os.chdir(cwd)
            os.close(go)
            null = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((null, 0), (output, 1), (errors, 2)):
                os.dup2(source, target)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            if _install(self.fault.numbers) >= 0:
                os.read(ready, 1)
                os.execve(self.program, words, environment)
        finally:
            os._exit(126)

    def _role(self, tid):
        try:
            if os.readlink(f"/proc/{tid}/exe") != self.program:
                return None
        except OSError:
            return None
        return "runner" if os.path.exists(f"/proc/{self.pid}/task/{tid}") else "others"

    def _is_meant(self, tid, call, first, second):
        """Errors are shown on descriptor 2, and that is no full disk; to wake somebody does
        not fail."""
        if call == numbers()["write"] and first == 2 or \
                call == numbers()["futex"] and second & FUTEX_OPERATION not in FUTEX_WAITS:
            return False
        role = self._role(tid)
        return role is not None and self.fault.role in (None, role)

    def _serve_one(self):
        request = bytearray(80)
        try:
            fcntl.ioctl(self.listener, RECEIVE, request)
        except OSError:
            return  # it was killed meanwhile
        token, tid, _, call, _, _, first, second = struct.unpack_from("QIIiIQQQ", request)
        errnum = self.fault.answer(call) if self._is_meant(tid, call, first, second) else 0
        reply = struct.pack("QqiI", token, 0, -errnum, 0 if errnum else CONTINUE)
        try:
            fcntl.ioctl(self.listener, SEND, bytearray(reply))
        except OSError:
            pass

    def serve(self, limit_s, grace_s=5):
        """Until it and all that share its filter have ended: its wait status; None: it did
        not end in time. Whoever is left when it has ended is answered for `grace_s`."""
        deadline = time.monotonic() + limit_s
        status, anybody = None, True
        poll = select.poll()
        if self.listener is None:
            anybody = False
        else:
            poll.register(self.listener, select.POLLIN)
        poll.register(self.pidfd, select.POLLIN)
        while (anybody or status is None) and time.monotonic() < deadline:
            events = dict(poll.poll(1000 * max(0, deadline - time.monotonic())))
            if self.pidfd in events:
                status = os.waitpid(self.pid, 0)[1]
                poll.unregister(self.pidfd)
                deadline = time.monotonic() + grace_s
            if events.get(self.listener, 0) & select.POLLIN:
                self._serve_one()
            elif self.listener in events:
                poll.unregister(self.listener)
                anybody = False
        return status

    def release(self):
        """Whoever still waits for an answer gets ENOSYS from the kernel."""
        for fd in (self.listener, self.pidfd):
            if fd is not None:
                os.close(fd)
