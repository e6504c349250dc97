/* Hardware counters, against a stand-in for the kernel. */
#include "machine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST_FD = 100, EVENTS = MODEL_COUNTERS, ANCHOR_FD = FIRST_FD + EVENTS };

struct fake_kernel {
    int open_errno[EVENTS]; /* by enum model_counter; 0: it opens */
    int anchor_errno;
    bool refuse_kernel_side; /* EACCES unless exclude_kernel */
    int read_errno;
    ssize_t read_bytes; /* instead of a whole reading; 0: whole */
    uint64_t words[3];

    struct perf_event_attr attrs[EVENTS]; /* as last opened */
    int groups[EVENTS];
    pid_t pid;
    int opened;
    int closed;
};

static enum model_counter event_of(uint64_t config)
{
    switch (config) {
    case PERF_COUNT_HW_CPU_CYCLES:
        return MODEL_COUNTER_CYCLES;
    case PERF_COUNT_HW_INSTRUCTIONS:
        return MODEL_COUNTER_INSTRUCTIONS;
    case PERF_COUNT_HW_CACHE_MISSES:
        return MODEL_COUNTER_CACHE_MISSES;
    case PERF_COUNT_HW_BRANCH_MISSES:
        return MODEL_COUNTER_BRANCH_MISSES;
    default:
        fail_msg("unexpected event %llu", (unsigned long long)config);
        return MODEL_COUNTERS;
    }
}

static int fake_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group_fd, unsigned long flags)
{
    struct fake_kernel *kernel = context;
    if (attr->type == PERF_TYPE_SOFTWARE) {
        assert_int_equal(attr->config, PERF_COUNT_SW_DUMMY);
        assert_false(attr->inherit);
        errno = kernel->anchor_errno;
        kernel->opened += errno == 0;
        return errno == 0 ? ANCHOR_FD : -1;
    }
    enum model_counter event = event_of(attr->config);
    assert_int_equal(attr->type, PERF_TYPE_HARDWARE);
    assert_int_equal(cpu, -1);
    assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
    kernel->attrs[event] = *attr;
    kernel->groups[event] = group_fd;
    kernel->pid = pid;
    errno = kernel->open_errno[event];
    if (errno == 0 && kernel->refuse_kernel_side && !attr->exclude_kernel) {
        errno = EACCES;
    }
    if (errno != 0) {
        return -1;
    }
    kernel->opened++;
    return FIRST_FD + (int)event;
}

static ssize_t fake_read(void *context, int fd, void *buffer, size_t size)
{
    struct fake_kernel *kernel = context;
    if (kernel->read_errno != 0) {
        errno = kernel->read_errno;
        return -1;
    }
    assert_int_equal(size, sizeof kernel->words);
    memcpy(buffer, kernel->words, sizeof kernel->words);
    uint64_t value = kernel->words[0] + (uint64_t)(fd - FIRST_FD);
    memcpy(buffer, &value, sizeof value);
    return kernel->read_bytes != 0 ? kernel->read_bytes : (ssize_t)size;
}

static int fake_close(void *context, int fd)
{
    struct fake_kernel *kernel = context;
    assert_in_range(fd, FIRST_FD, ANCHOR_FD);
    kernel->closed++;
    return 0;
}

static struct counters_calls calls_of(struct fake_kernel *kernel)
{
    return (struct counters_calls){.event_open = fake_open,
                                   .read = fake_read,
                                   .close = fake_close,
                                   .context = kernel};
}

static const struct counters_target child = {
    .pid = 4711, .inherit = true, .start_on_exec = true};

static void all_events_form_one_stopped_group(void **state)
{
    (void)state;
    struct fake_kernel kernel = {0};
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters;
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    assert_true(counters_available(&counters));
    assert_false(counters.user_only);
    assert_string_equal(counters.reason, "");
    assert_int_equal(kernel.pid, 4711);
    for (int event = 0; event < EVENTS; event++) {
        bool leader = event == MODEL_COUNTER_CYCLES;
        assert_int_equal(kernel.groups[event], leader ? -1 : FIRST_FD);
        assert_int_equal(kernel.attrs[event].disabled, leader);
        assert_int_equal(kernel.attrs[event].enable_on_exec, leader);
        assert_int_equal(kernel.attrs[event].inherit, 1);
        assert_int_equal(kernel.attrs[event].read_format & PERF_FORMAT_GROUP, 0);
    }
    counters_release(&counters);
    counters_release(&counters);
    assert_int_equal(kernel.closed, kernel.opened);
    assert_int_equal(kernel.closed, EVENTS + 1); /* and the anchor */
}

static void without_an_anchor_children_would_be_missed(void **state)
{
    (void)state;
    struct fake_kernel kernel = {.anchor_errno = ENOENT};
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters;
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    assert_false(counters_available(&counters));
    assert_non_null(strstr(counters.reason, "all children"));
    assert_int_equal(kernel.closed, EVENTS);
    counters_release(&counters);
    kernel = (struct fake_kernel){.anchor_errno = ENOENT};
    struct counters_target self = {.pid = 0};
    assert_int_equal(counters_open(&calls, &self, &counters, NULL), DUET_OK);
    assert_true(counters_available(&counters));
    counters_release(&counters);
    assert_int_equal(kernel.closed, EVENTS);
}

static void absence_is_a_state_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        int errnum;
        const char *reason;
    } cases[] = {{ENOENT, "hypervisor"}, {EOPNOTSUPP, "hypervisor"},
                 {ENODEV, "hypervisor"}, {ENOSYS, "perf_event_open"},
                 {EACCES, "permitted"},  {EPERM, "permitted"},
                 {EBUSY, "reserved"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_kernel kernel = {0};
        for (int event = 0; event < EVENTS; event++) {
            kernel.open_errno[event] = cases[i].errnum;
        }
        struct counters_calls calls = calls_of(&kernel);
        struct counters counters;
        assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
        assert_false(counters_available(&counters));
        assert_non_null(strstr(counters.reason, "cycles not available"));
        assert_non_null(strstr(counters.reason, cases[i].reason));
        struct counters_reading readings[EVENTS];
        double values[EVENTS];
        assert_int_equal(counters_read(&counters, readings, NULL), DUET_OK);
        counters_between(NULL, readings, values);
        for (int event = 0; event < EVENTS; event++) {
            assert_true(isnan(values[event]));
        }
        counters_release(&counters);
        assert_int_equal(kernel.closed, 0);
    }
}

static void the_rest_counts_when_one_is_missing(void **state)
{
    (void)state;
    struct fake_kernel kernel = {.words = {1000, 50, 50}};
    kernel.open_errno[MODEL_COUNTER_CYCLES] = ENOENT;
    kernel.open_errno[MODEL_COUNTER_CACHE_MISSES] = ENOENT;
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters;
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    assert_true(counters_available(&counters));
    assert_int_equal(counters.leader, FIRST_FD + MODEL_COUNTER_INSTRUCTIONS);
    assert_int_equal(kernel.attrs[MODEL_COUNTER_INSTRUCTIONS].disabled, 1);
    assert_int_equal(kernel.groups[MODEL_COUNTER_BRANCH_MISSES], counters.leader);
    assert_non_null(strstr(counters.reason, "cycles not available"));
    struct counters_reading readings[EVENTS];
    double values[EVENTS];
    assert_int_equal(counters_read(&counters, readings, NULL), DUET_OK);
    counters_between(NULL, readings, values);
    assert_true(isnan(values[MODEL_COUNTER_CYCLES]));
    assert_true(isnan(values[MODEL_COUNTER_CACHE_MISSES]));
    assert_true(values[MODEL_COUNTER_INSTRUCTIONS] == 1001);
    assert_true(values[MODEL_COUNTER_BRANCH_MISSES] == 1003);
    counters_release(&counters);
    assert_int_equal(kernel.closed, 2 + 1);
}

static void user_space_alone_is_counted_without_permission(void **state)
{
    (void)state;
    struct fake_kernel kernel = {.refuse_kernel_side = true};
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters;
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    assert_true(counters_available(&counters));
    assert_true(counters.user_only);
    assert_int_equal(kernel.opened, EVENTS + 1);
    assert_string_equal(counters.reason, "");
    counters_release(&counters);
}

static void real_errors_are_errors(void **state)
{
    (void)state;
    struct fake_kernel kernel = {0};
    kernel.open_errno[MODEL_COUNTER_CACHE_MISSES] = ESRCH;
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters = {.leader = 42};
    struct duet_error error = {0};
    assert_int_equal(counters_open(&calls, &child, &counters, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cache_misses"));
    assert_non_null(strstr(error.message, "4711"));
    assert_int_equal(counters.leader, 42); /* untouched */
    assert_int_equal(kernel.closed, 2);    /* none leaks */

    kernel = (struct fake_kernel){0};
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    kernel.read_errno = EIO;
    struct counters_reading readings[EVENTS] = {{.count = 7}};
    assert_int_equal(counters_read(&counters, readings, &error), DUET_E_SYSTEM);
    assert_int_equal(readings[0].count, 7);
    counters_release(&counters);
}

static void a_short_reading_counts_as_missing(void **state)
{
    (void)state;
    struct fake_kernel kernel = {.words = {9, 9, 9}, .read_bytes = 8};
    struct counters_calls calls = calls_of(&kernel);
    struct counters counters;
    assert_int_equal(counters_open(&calls, &child, &counters, NULL), DUET_OK);
    struct counters_reading readings[EVENTS];
    assert_int_equal(counters_read(&counters, readings, NULL), DUET_OK);
    assert_int_equal(readings[0].running_ns, 0);
    counters_release(&counters);
}

static void shared_counters_are_scaled_up(void **state)
{
    (void)state;
    struct counters_reading before[EVENTS] = {
        {100, 1000, 1000}, {100, 1000, 1000}, {100, 1000, 400}, {100, 1000, 1000}};
    struct counters_reading after[EVENTS] = {
        {300, 3000, 3000}, {300, 3000, 1500}, {300, 3000, 400}, {50, 3000, 3000}};
    double values[EVENTS];
    counters_between(before, after, values);
    assert_true(values[0] == 200); /* it ran all the time */
    assert_true(values[1] == 800); /* a quarter of the time */
    assert_true(isnan(values[2])); /* never in between */
    assert_true(isnan(values[3])); /* backwards: not two readings of one counter */
    counters_between(NULL, after, values);
    assert_true(values[1] == 600);
}

static void this_kernel_answers(void **state)
{
    (void)state;
    struct counters_target self = {.pid = 0};
    struct counters counters;
    struct duet_error error = {0};
    if (counters_open(NULL, &self, &counters, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(counters_available(&counters) || counters.reason[0] != '\0');
    struct counters_reading readings[EVENTS];
    assert_int_equal(counters_read(&counters, readings, NULL), DUET_OK);
    counters_release(&counters);
}

static void empty_ones_can_be_released(void **state)
{
    (void)state;
    struct counters zeroed = {0};
    assert_false(counters_available(&zeroed));
    counters_release(&zeroed);
    counters_release(NULL);
}

static void events_have_names(void **state)
{
    (void)state;
    assert_string_equal(model_counter_name(MODEL_COUNTER_CYCLES), "cycles");
    assert_string_equal(model_counter_name(MODEL_COUNTER_BRANCH_MISSES),
                        "branch_misses");
    assert_string_equal(model_counter_name(MODEL_COUNTERS), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_events_form_one_stopped_group),
        cmocka_unit_test(without_an_anchor_children_would_be_missed),
        cmocka_unit_test(absence_is_a_state_with_a_reason),
        cmocka_unit_test(the_rest_counts_when_one_is_missing),
        cmocka_unit_test(user_space_alone_is_counted_without_permission),
        cmocka_unit_test(real_errors_are_errors),
        cmocka_unit_test(a_short_reading_counts_as_missing),
        cmocka_unit_test(shared_counters_are_scaled_up),
        cmocka_unit_test(this_kernel_answers),
        cmocka_unit_test(empty_ones_can_be_released),
        cmocka_unit_test(events_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
