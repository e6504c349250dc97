/* CPU time that a program was ready to use and that others had. */
#ifndef DUET_MACHINE_TAKEN_H
#define DUET_MACHINE_TAKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct taken_host {
    uint64_t stolen_ns; /* given to others by the hypervisor */
    uint64_t busy_ns;   /* executing programs, the kernel, interrupts */
    uint64_t idle_ns;   /* with nothing to execute */
};

/* A CPU's time since the machine was started, in steps of 10 ms. `root`: as of
 * rootfs_read(). false: not told. Source: proc(5), /proc/stat. */
bool taken_by_host(const char *root, uint32_t cpu, struct taken_host *ret_host);

/* What of the steal between two such looks fell on a program that executed for cpu_ns
 * in between, in ns: as much as it had of what the CPU executed. What is stolen while
 * it is only ready to run is in taken_by_tasks(), and while it waits for something
 * nothing is taken from it. At most most_ns: a step of 10 ms is longer than a short
 * execution. */
uint64_t taken_share(const struct taken_host *before, const struct taken_host *after,
                     uint64_t cpu_ns, uint64_t most_ns);

/* Of the first thread of a process. */
struct taken_tasks {
    uint64_t executed_ns;
    uint64_t delay_ns;   /* ready, while other tasks had its CPU */
    uint64_t dispatches; /* times that it was given a CPU */
};

/* Of a process that has executed and may have ended, if nobody has waited for it yet.
 * false: not told.
 * Source: Linux, Documentation/scheduler/sched-stats.rst, /proc/PID/schedstat. */
bool taken_by_tasks(pid_t pid, struct taken_tasks *ret_tasks);

/* The same of the calling process, by a descriptor (close-on-exec; -1: not told) that
 * one system call reads again and again. Both do nothing but system calls. */
int taken_tasks_open(void);
/* Of the calling thread alone, wherever it is read. */
int taken_thread_open(void);
bool taken_tasks_read(int fd, struct taken_tasks *ret_tasks);

#endif
