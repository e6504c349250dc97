#include "machine/taken.h"

#include "machine/rootfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS_BYTES = 96 };

/* USER_HZ, as in load.c. */
static const uint64_t tick_ns = 10000000;

struct wanted {
    char key[16]; /* "cpu3 " */
    struct taken_host host;
    bool found;
};

/* "cpuN user nice system idle iowait irq softirq steal guest guest_nice" */
static bool visit_stat(void *context, char *line)
{
    enum { IDLE = 3, IOWAIT, STEAL = 7 };
    struct wanted *wanted = context;
    size_t length = strlen(wanted->key);
    if (strncmp(line, wanted->key, length) != 0) {
        return true;
    }
    const char *at = line + length;
    for (int state = 0; state <= STEAL; state++) {
        char *end = NULL;
        uint64_t ns = strtoull(at, &end, 10) * tick_ns;
        if (end == at) {
            return false;
        }
        at = end;
        if (state == STEAL) {
            wanted->host.stolen_ns = ns;
        } else if (state == IDLE || state == IOWAIT) {
            wanted->host.idle_ns += ns;
        } else {
            wanted->host.busy_ns += ns;
        }
    }
    wanted->found = true;
    return false;
}

bool taken_by_host(const char *root, uint32_t cpu, struct taken_host *ret_host)
{
    struct wanted wanted = {0};
    (void)snprintf(wanted.key, sizeof wanted.key, "cpu%u ", cpu);
    (void)rootfs_each_line(root, "/proc/stat", visit_stat, &wanted);
    *ret_host = wanted.host;
    return wanted.found;
}

uint64_t taken_share(const struct taken_host *before, const struct taken_host *after,
                     uint64_t cpu_ns, uint64_t most_ns)
{
    uint64_t stolen_ns = after->stolen_ns - before->stolen_ns;
    uint64_t busy_ns = after->busy_ns - before->busy_ns;
    if (after->stolen_ns < before->stolen_ns || after->busy_ns < before->busy_ns) {
        return 0; /* the CPU was offline meanwhile */
    }
    busy_ns = busy_ns > tick_ns ? busy_ns : tick_ns; /* 0 may have been nearly a tick */
    uint64_t share_ns =
        cpu_ns >= busy_ns
            ? stolen_ns
            : (uint64_t)((double)stolen_ns * (double)cpu_ns / (double)busy_ns);
    return share_ns < most_ns ? share_ns : most_ns;
}

/* "executed waited timeslices", the first two in ns. Kernels before 5.14 that do not
 * count write zeroes, though who has executed was given a CPU at least once. */
static bool parse_tasks(const char *text, struct taken_tasks *ret_tasks)
{
    uint64_t numbers[3];
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        numbers[i] = strtoull(text, &end, 10);
        if (end == text) {
            return false;
        }
        text = end;
    }
    if (numbers[2] == 0) {
        return false;
    }
    *ret_tasks = (struct taken_tasks){numbers[0], numbers[1], numbers[2]};
    return true;
}

bool taken_by_tasks(pid_t pid, struct taken_tasks *ret_tasks)
{
    char path[48];
    char text[TASKS_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    return rootfs_read("", path, text, sizeof text) && parse_tasks(text, ret_tasks);
}

int taken_tasks_open(void)
{
    return open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
}

int taken_thread_open(void)
{
    return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

bool taken_tasks_read(int fd, struct taken_tasks *ret_tasks)
{
    char text[TASKS_BYTES];
    ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    return parse_tasks(text, ret_tasks);
}
