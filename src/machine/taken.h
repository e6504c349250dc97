/* CPU time that a program was ready to use and that others had. */
#ifndef DUET_MACHINE_TAKEN_H
#define DUET_MACHINE_TAKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct taken_host {
    uint64_t stolen_ns; /* given to others by the hypervisor */
    uint64_t busy_ns;   /* executing programs, the kernel, interrupts */
};

/* A CPU's time since the machine was started, in steps of 10 ms. `root`: as of
 * rootfs_read(). false: not told. Source: proc(5), /proc/stat. */
bool taken_by_host(const char *root, uint32_t cpu, struct taken_host *ret_host);

/* What of the steal between two such looks fell on a program that executed for cpu_ns
 * in between, in ns: as much as it had of what the CPU executed. What is stolen while
 * it is only ready to run is in taken_by_tasks(), and while it waits for something
 * nothing is taken from it. */
uint64_t taken_share(const struct taken_host *before, const struct taken_host *after,
                     uint64_t cpu_ns);

/* How long the first thread of a process (0: the calling one; others also when they
 * have ended and were not waited for yet) was ready while other tasks had its CPU. Does
 * nothing but system calls. false: not told. Source: Linux,
 * Documentation/scheduler/sched-stats.rst, /proc/PID/schedstat. */
bool taken_by_tasks(pid_t pid, uint64_t *ret_ns);

#endif
