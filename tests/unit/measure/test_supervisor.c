/* The start of a supervisor that takes long, is stopped, or is not wanted any more.
 * What opens its counters stands for a CPU that has no time for it. */
// labels: novalgrind
#include "measure/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* What the start of the counters does first. */
struct delay {
    int sleep_ms;
    bool stops;
};

static int late_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group_fd, unsigned long flags)
{
    (void)attr;
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    struct delay *delay = context;
    struct timespec rest = {.tv_sec = delay->sleep_ms / 1000,
                            .tv_nsec = delay->sleep_ms % 1000 * 1000000L};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
    delay->sleep_ms = 0;
    if (delay->stops) {
        (void)raise(SIGSTOP);
    }
    errno = ENOENT;
    return -1;
}

/* Any CPU that this process may use. */
static struct model_cpu_set usable_cpu(void)
{
    cpu_set_t mask;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    struct model_cpu_set set = {.count = 1};
    while (!CPU_ISSET(set.cpus[0], &mask)) {
        set.cpus[0]++;
    }
    return set;
}

static enum duet_code start(struct delay delay, int cancel_fd, struct duet_error *error)
{
    struct counters_calls calls = counters_kernel;
    calls.event_open = late_open;
    calls.context = &delay;
    struct model_plan plan = {.name = "late", .usage = true};
    struct model_cpu_set cpus = usable_cpu();
    struct board *board = board_new();
    int bell_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_non_null(board);
    assert_true(bell_fd >= 0);
    struct supervisor_setup setup = {.plan = &plan,
                                     .position = 1,
                                     .cpus = &cpus,
                                     .board = board,
                                     .stdin_fd = -1,
                                     .stdout_fd = -1,
                                     .stderr_fds = {-1, -1},
                                     .bell_fd = bell_fd,
                                     .cancel_fd = cancel_fd,
                                     .counters_calls = &calls};
    struct supervisor supervisor = {0};
    enum duet_code code = supervisor_start(&setup, &supervisor, error);
    supervisor_stop(&supervisor);
    (void)close(bell_fd);
    board_free(board);
    return code;
}

static void who_starts_late_is_waited_for(void **state)
{
    (void)state;
    struct duet_error error = {0};
    assert_int_equal(start((struct delay){.sleep_ms = 2500}, -1, &error), DUET_OK);
}

static void who_is_stopped_is_not(void **state)
{
    (void)state;
    struct duet_error error = {0};
    assert_int_equal(start((struct delay){.stops = true}, -1, &error), DUET_E_SYSTEM);
    assert_string_equal(
        error.message,
        "the supervisor of position 1 was stopped by a signal at its start");
}

static void a_request_to_stop_is_heard(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    struct duet_error error = {0};
    assert_int_equal(start((struct delay){.sleep_ms = 60000}, ends[0], &error),
                     DUET_E_INTERRUPTED);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_starts_late_is_waited_for),
        cmocka_unit_test(who_is_stopped_is_not),
        cmocka_unit_test(a_request_to_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
