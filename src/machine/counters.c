#include "machine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int kernel_event_open(void *context, struct perf_event_attr *attr, pid_t pid,
                             int cpu, int group_fd, unsigned long flags)
{
    (void)context;
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

static ssize_t kernel_read(void *context, int fd, void *buffer, size_t size)
{
    (void)context;
    return read(fd, buffer, size);
}

static int kernel_close(void *context, int fd)
{
    (void)context;
    return close(fd);
}

const struct counters_calls counters_kernel = {
    .event_open = kernel_event_open, .read = kernel_read, .close = kernel_close};

static const uint64_t configs[MODEL_COUNTERS] = {
    [MODEL_COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
    [MODEL_COUNTER_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
    [MODEL_COUNTER_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
    [MODEL_COUNTER_BRANCH_MISSES] = PERF_COUNT_HW_BRANCH_MISSES,
};

/* NULL: a real error. */
static const char *absence_reason(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
        return "this CPU, or its hypervisor, does not offer it";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    case EACCES:
    case EPERM:
        return "not permitted (see /proc/sys/kernel/perf_event_paranoid)";
    case EBUSY:
        return "another program, or the firmware, has reserved this CPU's counters";
    default:
        return NULL;
    }
}

static int open_event(const struct counters *counters,
                      const struct counters_target *target, enum model_counter event)
{
    /* No PERF_FORMAT_GROUP: the kernel refuses it together with inherit. */
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = configs[event],
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        /* Members follow their leader, which alone starts stopped. */
        .disabled = counters->leader < 0,
        .inherit = target->inherit,
        .enable_on_exec = target->start_on_exec && counters->leader < 0,
        .exclude_kernel = counters->user_only,
        .exclude_hv = counters->user_only,
    };
    return counters->calls->event_open(counters->calls->context, &attr, target->pid, -1,
                                       counters->leader, PERF_FLAG_FD_CLOEXEC);
}

/* An event that counts nothing and that no child inherits. Without it the kernel takes
 * the events of a process and of its child for interchangeable and, switching from one
 * to the other, exchanges them instead of moving them; `enable_on_exec` is then used up
 * by the parent's events and later children count nothing (seen on Linux 6.18: 3 of 40
 * programs counted, with it 40 of 40). */
static int open_anchor(const struct counters *counters,
                       const struct counters_target *target)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return counters->calls->event_open(counters->calls->context, &attr, target->pid, -1,
                                       -1, PERF_FLAG_FD_CLOEXEC);
}

/* Drops events that would not count every child. */
static void require_anchor(struct counters *counters,
                           const struct counters_target *target)
{
    if (!target->inherit || counters->leader < 0) {
        return;
    }
    counters->anchor = open_anchor(counters, target);
    if (counters->anchor < 0) {
        counters_release(counters);
        (void)snprintf(counters->reason, sizeof counters->reason,
                       "not available: this kernel does not count all children");
    }
}

enum duet_code counters_open(const struct counters_calls *calls,
                             const struct counters_target *target,
                             struct counters *ret_counters, struct duet_error *reterr)
{
    struct counters counters = {.calls = calls == NULL ? &counters_kernel : calls,
                                .fds = {-1, -1, -1, -1},
                                .anchor = -1,
                                .leader = -1};
    for (int event = 0; event < MODEL_COUNTERS; event++) {
        int fd = open_event(&counters, target, (enum model_counter)event);
        int errnum = errno;
        if (fd < 0 && (errnum == EACCES || errnum == EPERM) && counters.leader < 0 &&
            !counters.user_only) {
            counters.user_only = true;
            fd = open_event(&counters, target, (enum model_counter)event);
            errnum = errno;
        }
        if (fd >= 0) {
            counters.fds[event] = fd;
            counters.leader = counters.leader < 0 ? fd : counters.leader;
            continue;
        }
        const char *reason = absence_reason(errnum);
        if (reason == NULL) {
            counters_release(&counters);
            return error_set_errno(
                reterr, DUET_E_SYSTEM, errnum,
                "cannot open the hardware counter '%s' of process %d",
                model_counter_name((enum model_counter)event), (int)target->pid);
        }
        if (counters.reason[0] == '\0') {
            (void)snprintf(counters.reason, sizeof counters.reason,
                           "%s not available: %s",
                           model_counter_name((enum model_counter)event), reason);
        }
    }
    require_anchor(&counters, target);
    *ret_counters = counters;
    return DUET_OK;
}

bool counters_available(const struct counters *counters)
{
    return counters->calls != NULL && counters->leader >= 0;
}

enum duet_code counters_read(const struct counters *counters,
                             struct counters_reading ret_readings[MODEL_COUNTERS],
                             struct duet_error *reterr)
{
    struct counters_reading readings[MODEL_COUNTERS] = {0};
    for (int event = 0; event < MODEL_COUNTERS; event++) {
        if (!counters_available(counters) || counters->fds[event] < 0) {
            continue;
        }
        /* The layout that read_format asks for. */
        uint64_t words[3] = {0};
        ssize_t n = counters->calls->read(counters->calls->context,
                                          counters->fds[event], words, sizeof words);
        if (n < 0) {
            return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                   "cannot read the hardware counter '%s'",
                                   model_counter_name((enum model_counter)event));
        }
        if ((size_t)n == sizeof words) { /* 0: the kernel gave this event up */
            readings[event] = (struct counters_reading){
                .count = words[0], .enabled_ns = words[1], .running_ns = words[2]};
        }
    }
    memcpy(ret_readings, readings, sizeof readings);
    return DUET_OK;
}

void counters_between(const struct counters_reading *before,
                      const struct counters_reading *after,
                      double ret_values[MODEL_COUNTERS])
{
    static const struct counters_reading zeros[MODEL_COUNTERS];
    for (int event = 0; event < MODEL_COUNTERS; event++) {
        const struct counters_reading *first =
            before == NULL ? &zeros[event] : &before[event];
        const struct counters_reading *last = &after[event];
        if (last->running_ns <= first->running_ns || last->count < first->count) {
            ret_values[event] = (double)NAN;
            continue;
        }
        ret_values[event] = (double)(last->count - first->count) *
                            (double)(last->enabled_ns - first->enabled_ns) /
                            (double)(last->running_ns - first->running_ns);
    }
}

void counters_release(struct counters *counters)
{
    if (counters == NULL || counters->calls == NULL) {
        return;
    }
    for (int event = 0; event < MODEL_COUNTERS; event++) {
        if (counters->fds[event] >= 0) {
            (void)counters->calls->close(counters->calls->context,
                                         counters->fds[event]);
        }
        counters->fds[event] = -1;
    }
    if (counters->anchor >= 0) {
        (void)counters->calls->close(counters->calls->context, counters->anchor);
    }
    counters->anchor = -1;
    counters->leader = -1;
}
