#!/usr/bin/env python3
"""Writes NAME/topology.xml, in hwloc's format, for every machine of the tests.

hwloc's own synthetic topologies are symmetric and have no kinds of cores, no CPUs that
are offline or not allowed, and no choice of CPU numbers, so that these are spelled out
here: a machine is a list of packages, a package a list of last-level caches, a cache a
list of cores, and a core the list of its CPUs' numbers.
"""
import pathlib
from xml.sax.saxutils import quoteattr

L3, L2 = 16 << 20, 1 << 20


def smt(first, cores, threads_apart):
    """Cores with two threads each, numbered as Linux does on x86."""
    return [[cpu, cpu + threads_apart] for cpu in range(first, first + cores)]


def plain(*cpus):
    return [[cpu] for cpu in cpus]


MACHINES = {
    # A desktop: one package, four cores of two threads.
    "smt": {"packages": [[smt(0, 4, 4)]]},
    # The same as a small container sees it.
    "cgroup-v1": {"packages": [[smt(0, 4, 4)]]},
    "cgroup-v2": {"packages": [[smt(0, 4, 4)]]},
    "cgroup-mixed": {"packages": [[smt(0, 4, 4)]]},
    # Four CPUs are outside the cpuset, among them CPU 0; CPU 8 is offline.
    "cpuset": {
        "packages": [[smt(0, 4, 4)]],
        "allowed": [1, 3, 5, 7],
        "offline": [8],
    },
    # One thread of each of two cores.
    "cpuset-threads": {"packages": [[smt(0, 4, 4)]], "allowed": [0, 7]},
    # Two fast cores of two threads, four slow ones of one.
    "hybrid": {
        "packages": [[[[0, 1], [2, 3], [4], [5], [6], [7]]]],
        "kinds": [([4, 5, 6, 7], 0, "IntelAtom"), ([0, 1, 2, 3], 1, "IntelCore")],
    },
    # One fast core of which both threads may be used, and the slow ones.
    "hybrid-one-fast": {
        "packages": [[[[0, 1], [2, 3], [4], [5], [6], [7]]]],
        "kinds": [([4, 5, 6, 7], 0, "IntelAtom"), ([0, 1, 2, 3], 1, "IntelCore")],
        "allowed": [2, 3, 4, 5, 6],
    },
    # One CPU of either kind.
    "hybrid-unlike": {
        "packages": [[[[0, 1], [2, 3], [4], [5], [6], [7]]]],
        "kinds": [([4, 5, 6, 7], 0, "IntelAtom"), ([0, 1, 2, 3], 1, "IntelCore")],
        "allowed": [2, 6],
    },
    "two-sockets": {"packages": [[plain(0, 2, 4, 6)], [plain(1, 3, 5, 7)]]},
    # How QEMU presents CPUs when it is told nothing.
    "socket-per-cpu": {"packages": [[plain(0)], [plain(1)]]},
    "one-cpu": {"packages": [[plain(0)]]},
    # The usual two-CPU cloud instance: the threads of one core.
    "smt-pair": {"packages": [[smt(0, 1, 1)]]},
    # AMD: groups of two cores, each group with its cache.
    "ccx": {"packages": [[smt(0, 2, 6), smt(2, 2, 6), smt(4, 2, 6)]]},
    # One core left in each group.
    "ccx-split": {
        "packages": [[smt(0, 2, 6), smt(2, 2, 6), smt(4, 2, 6)]],
        "allowed": [0, 6, 2, 8],
    },
    # Every core has a last-level cache of its own, and one thread.
    "private-cache": {"packages": [[plain(0), plain(1), plain(2), plain(3)]]},
    # A virtual machine that describes no caches at all.
    "no-caches": {"packages": [[plain(0, 1, 2, 3)]], "caches": False},
}


def mask(cpus):
    bits = sum(1 << cpu for cpu in cpus)
    return f"0x{bits:08x}"


class Writer:
    def __init__(self):
        self.lines = []
        self.objects = 0
        self.depth = 1

    def open(self, kind, cpus, closed=False, **attributes):
        self.objects += 1
        fields = {"type": kind, **attributes}
        if "cpuset" not in fields:
            fields.update(cpuset=mask(cpus), complete_cpuset=mask(cpus))
        fields.update(nodeset="0x00000001", complete_nodeset="0x00000001",
                      gp_index=self.objects)
        text = " ".join(f"{name}={quoteattr(str(value))}"
                        for name, value in fields.items())
        self.lines.append("  " * self.depth + f"<object {text}{'/' if closed else ''}>")
        self.depth += 0 if closed else 1

    def close(self, count=1):
        for _ in range(count):
            self.depth -= 1
            self.lines.append("  " * self.depth + "</object>")


def flatten(nested):
    if isinstance(nested, int):
        return [nested]
    return [cpu for part in nested for cpu in flatten(part)]


def topology(machine):
    packages = machine["packages"]
    caches = machine.get("caches", True)
    online = flatten(packages)
    allowed = machine.get("allowed", online)
    writer = Writer()
    writer.open("Machine", online, os_index=0, cpuset=mask(online),
                complete_cpuset=mask(online + machine.get("offline", [])),
                allowed_cpuset=mask(allowed), allowed_nodeset="0x00000001")
    writer.open("NUMANode", online, closed=True, os_index=0, local_memory=1 << 30)
    core_number = 0
    for package_number, package in enumerate(packages):
        writer.open("Package", flatten(package), os_index=package_number)
        for group in package:
            if caches:
                writer.open("L3Cache", flatten(group), cache_size=L3, depth=3,
                            cache_linesize=64, cache_associativity=16, cache_type=0)
            for core in group:
                if caches:
                    writer.open("L2Cache", core, cache_size=L2, depth=2,
                                cache_linesize=64, cache_associativity=16, cache_type=0)
                writer.open("Core", core, os_index=core_number)
                core_number += 1
                for cpu in core:
                    writer.open("PU", [cpu], closed=True, os_index=cpu)
                writer.close(2 if caches else 1)
            writer.close(1 if caches else 0)
        writer.close()
    writer.close()
    for cpus, efficiency, name in machine.get("kinds", []):
        writer.lines.append(f'  <cpukind cpuset="{mask(cpus)}" '
                            f'forced_efficiency="{efficiency}">')
        writer.lines.append(f'    <info name="CoreType" value="{name}"/>')
        writer.lines.append("  </cpukind>")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>',
                      '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
                      '<topology version="2.0">', *writer.lines, "</topology>", ""])


def main():
    here = pathlib.Path(__file__).parent
    for name, machine in MACHINES.items():
        (here / name).mkdir(exist_ok=True)
        (here / name / "topology.xml").write_text(topology(machine), encoding="utf-8")


if __name__ == "__main__":
    main()
