/* Hardware counters of one process or thread: cycles, instructions, cache and branch
 * misses, through perf_event_open(2). Virtual machines often have none, and
 * unprivileged users may be refused them: that is a state with a reason, never an
 * error. */
#ifndef DUET_MACHINE_COUNTERS_H
#define DUET_MACHINE_COUNTERS_H

#include "base/error.h"
#include "model/observation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/* The system calls, so that a test can stand in for the kernel. Each behaves as its
 * namesake: -1 and errno on failure. */
struct counters_calls {
    int (*event_open)(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                      int group_fd, unsigned long flags);
    ssize_t (*read)(void *context, int fd, void *buffer, size_t size);
    int (*close)(void *context, int fd);
    void *context;
};

/* The kernel's own. */
extern const struct counters_calls counters_kernel;

struct counters_target {
    pid_t pid;          /* 0: the calling thread */
    bool inherit;       /* count its future children and threads too */
    bool start_on_exec; /* counting begins by itself at the next execve */
};

struct counters {
    const struct counters_calls *calls;
    int fds[MODEL_COUNTERS]; /* -1: this event is not available */
    int anchor;       /* with inherit: keeps the kernel from exchanging the events of a
                         process and its child; -1: none */
    int leader;       /* the fd that stands for the group; -1: none is available */
    bool user_only;   /* the kernel's share is not counted (no permission) */
    char reason[128]; /* why what is missing is missing; "": nothing is */
};

/* Opens the events as one group, which the kernel puts on the CPU together, stopped.
 * What the kernel does not offer (ENOENT, ENODEV, EOPNOTSUPP, ENOSYS, EINVAL) or permit
 * (EACCES, EPERM), or has promised to somebody else (EBUSY), is left out: see `fds` and
 * `reason`. If the kernel's share may not be counted, user space alone is. calls NULL:
 * the kernel's own; otherwise borrowed until counters_release(). Errors: DUET_E_SYSTEM
 * (no such process, no descriptors left). */
BASE_MUST_USE enum duet_code counters_open(const struct counters_calls *calls,
                                           const struct counters_target *target,
                                           struct counters *ret_counters,
                                           struct duet_error *reterr);

/* Whether at least one event is counted. */
bool counters_available(const struct counters *counters);

/* One event's count since it was opened, while it was started, and for how long it was
 * started and really counting; zeros: not available. */
struct counters_reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

/* Reads all, by enum model_counter. One system call an event: do it outside what is
 * timed. Errors: DUET_E_SYSTEM. */
BASE_MUST_USE enum duet_code
counters_read(const struct counters *counters,
              struct counters_reading ret_readings[MODEL_COUNTERS],
              struct duet_error *reterr);

/* What was counted between two readings (before NULL: since they were opened). A
 * difference and not a reset, which the kernel does not offer for the times nor for
 * children that have ended. With too few counters on the CPU the kernel counts for a
 * part of the time; counts are scaled up by enabled / running time
 * (perf_event_open(2)). NaN: not available, or never running in between. */
void counters_between(const struct counters_reading *before,
                      const struct counters_reading *after,
                      double ret_values[MODEL_COUNTERS]);

/* Takes NULL and zeroed storage that counters_open() never filled. */
void counters_release(struct counters *counters);

#endif
