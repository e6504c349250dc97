"""Looking at processes that a program under test has started."""

import os
import pathlib
import signal
import struct


def children_of(pid):
    """The pids of a process's children, but for duet's guard, which ends by itself."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split() if name_of(word) not in ("", "duet-guard")]


def name_of(pid):
    """"": it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def descendants(pid):
    """All that a process has started, also indirectly."""
    found = []
    for child in children_of(pid):
        found += [child, *descendants(child)]
    return found


def state_of(pid):
    """R, S, T, Z ...; None: it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()[0]


def is_gone(pid):
    """Whether a process has ended; a zombie has."""
    return state_of(pid) in (None, "Z")


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def leads_a_group(pid):
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


def supervisors_of(duet_pid):
    """Children of duet's that lead a group of their own, but for its guard, which has its name
    by then."""
    return [pid for pid in children_of(duet_pid)
            if leads_a_group(pid) and name_of(pid) != "duet-guard"]


def attached(duet_pid):
    """The pids of the benchmarks that have attached to a page of duet's: its slots' claims
    (docs/protocol.md)."""
    return list(fillers_of(duet_pid))


def fillers_of(duet_pid):
    """Of each benchmark that has attached, by its pid: how many fillers it has executed."""
    for pid in supervisors_of(duet_pid):
        page = pathlib.Path(f"/proc/{pid}/fd/62")
        try:
            if not str(page.readlink()).startswith("/memfd:"):
                continue  # the number is held for it
            page = page.read_bytes()
        except OSError:
            continue
        slots = [struct.unpack_from("<Q16xQ", page, offset) for offset in (768, 1536)]
        return {claim: fillers for claim, fillers in slots if claim != 0}
    return {}


def kill_with_guard(duet_pid):
    """Kills duet and everybody who could end what it has started."""
    children = pathlib.Path(f"/proc/{duet_pid}/task/{duet_pid}/children").read_text()
    victims = [duet_pid, *map(int, children.split())]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in victims:
            os.kill(pid, number)
