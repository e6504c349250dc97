"""What containers take away from a program: system calls, CPUs, folders it may write to.

Each function makes words that come before a command, or a function for `preexec_fn`."""

import contextlib
import ctypes
import os
import pathlib
import signal
import struct
import subprocess
import time

from support.syscall_faults import EQUAL, LOAD, PR_SET_NO_NEW_PRIVS, RETURN, numbers

CGROUP = pathlib.Path("/sys/fs/cgroup")
PERIOD_US = 100000
PR_SET_SECCOMP, MODE_FILTER = 22, 2
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
LIBC = ctypes.CDLL(None, use_errno=True)

# What Docker's default profile answers with EPERM to a process without capabilities, and
# clone3 with ENOSYS (moby/profiles, seccomp/default.json; docs.docker.com/engine/security/seccomp).
DOCKER = ("acct add_key bpf clock_adjtime clock_settime delete_module finit_module fsmount fsopen "
          "get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp "
          "kexec_file_load kexec_load keyctl lookup_dcookie mbind mount move_mount move_pages "
          "name_to_handle_at open_by_handle_at open_tree perf_event_open personality pivot_root "
          "process_vm_readv process_vm_writev ptrace quotactl reboot request_key set_mempolicy setns "
          "settimeofday swapoff swapon umount2 unshare userfaultfd vhangup").split()
# What older kernels, and sandboxes that imitate one, do not have.
YOUNG = ("clone3 close_range copy_file_range faccessat2 openat2 pidfd_getfd pidfd_open "
         "pidfd_send_signal rseq statx").split()


class Unavailable(Exception):
    """It cannot be made here, and why."""


def refuse(*rules, kill=()):
    """For preexec_fn: (names, errno) ... are refused so, and who calls one of `kill` dies."""
    answers = [(numbers()[name], ERROR | errnum) for names, errnum in rules for name in names
               if name in numbers()]
    answers += [(numbers()[name], KILL) for name in kill if name in numbers()]
    step = lambda code, yes, no, value: struct.pack("HBBI", code, yes, no, value)
    program = step(LOAD, 0, 0, 0)
    for number, answer in answers:
        program += step(EQUAL, 0, 1, number) + step(RETURN, 0, 0, answer)
    program += step(RETURN, 0, 0, ALLOW)
    code = ctypes.create_string_buffer(program, len(program))
    description = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))

    def install():
        LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, description, 0, 0) != 0 or code is None:
            os.kill(os.getpid(), signal.SIGSYS)

    return install


def one_cpu():
    """For preexec_fn: the first CPU only."""
    return lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@contextlib.contextmanager
def cpu_quota(cpus):
    """A group that may use so many CPUs' worth; for preexec_fn: join it."""
    version_2 = (CGROUP / "cgroup.controllers").exists()
    group = (CGROUP if version_2 else CGROUP / "cpu") / f"duet-test-{os.getpid()}"
    quota_us = round(cpus * PERIOD_US)
    try:
        group.mkdir()
        if version_2:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        raise Unavailable(f"no cgroup of cpu can be made here: {error}") from None
    procs = group / "cgroup.procs"
    try:
        yield lambda: procs.write_text(str(os.getpid()))
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


def namespace(*options, before=""):
    """Words: the command runs in namespaces of its own, after the shell commands `before`."""
    words = ["unshare", *options, "--"]
    done = subprocess.run([*words, "sh", "-ec", f"{before}\ntrue"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"no namespace can be made here: {' '.join(done.stderr.split())}")
    return [*words, "sh", "-ec", f'{before}\nexec "$@"', "sh"]


def read_only(writable=()):
    """Words: nothing can be written but below the folders `writable`, which are empty."""
    keep = "\n".join(f"mount -t tmpfs duet-test {folder}" for folder in writable)
    return namespace("--mount", before=f"mount -o remount,bind,ro /\n{keep}")
