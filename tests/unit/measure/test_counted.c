/* Hardware counters of the programs that are measured. The machine may have none, so
 * the kernel's software events stand in for them: the same calls, the same inheritance.
 */
// labels: serial
#include "machine/counters.h"
#include "measure/measure.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUNS_MAX = 8 };

/* What the measurement handed over. */
struct seen {
    struct model_run runs[RUNS_MAX];
    size_t count;
    uint64_t executions;
};

/* Cycles become nanoseconds of CPU time, instructions page faults. */
static int software_open(void *context, struct perf_event_attr *attr, pid_t pid,
                         int cpu, int group_fd, unsigned long flags)
{
    static const uint64_t stand_ins[][2] = {
        {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_SW_TASK_CLOCK},
        {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_SW_PAGE_FAULTS},
    };
    if (attr->type == PERF_TYPE_SOFTWARE) {
        return counters_kernel.event_open(context, attr, pid, cpu, group_fd, flags);
    }
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0]; i++) {
        if (attr->config == stand_ins[i][0]) {
            attr->type = PERF_TYPE_SOFTWARE;
            attr->config = stand_ins[i][1];
            return counters_kernel.event_open(context, attr, pid, cpu, group_fd, flags);
        }
    }
    errno = ENOENT;
    return -1;
}

static int no_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                   int group_fd, unsigned long flags)
{
    (void)context;
    (void)attr;
    (void)pid;
    (void)cpu;
    (void)group_fd;
    (void)flags;
    errno = ENOENT;
    return -1;
}

/* The kernel's calls, another one for opening. */
static struct counters_calls
calls_with(int (*event_open)(void *context, struct perf_event_attr *attr, pid_t pid,
                             int cpu, int group_fd, unsigned long flags))
{
    struct counters_calls calls = counters_kernel;
    calls.event_open = event_open;
    return calls;
}

static enum duet_code sink_run(void *context, const struct model_run *run,
                               struct duet_error *reterr)
{
    (void)context;
    (void)run;
    (void)reterr;
    return DUET_OK;
}

static enum duet_code sink_run_end(void *context, const struct model_run *run,
                                   struct duet_error *reterr)
{
    (void)reterr;
    struct seen *seen = context;
    assert_in_range(seen->count, 0, RUNS_MAX - 1);
    seen->runs[seen->count++] = *run;
    return DUET_OK;
}

static enum duet_code sink_iterations(void *context, enum model_side side,
                                      const struct model_iteration *iterations,
                                      size_t count, struct duet_error *reterr)
{
    (void)side;
    (void)iterations;
    (void)reterr;
    ((struct seen *)context)->executions += count;
    return DUET_OK;
}

static void sink_abort(void *context)
{
    (void)context;
}

/* Any CPU that this process may use. */
static unsigned usable_cpu(void)
{
    cpu_set_t mask;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) {
        cpu++;
    }
    return cpu;
}

/* Four runs of `old_script` against `new_script`, one at a time. */
static struct model_plan plan_of(const char *const old_argv[],
                                 const char *const new_argv[])
{
    struct model_plan plan = {
        .name = "counted",
        .schedule = MODEL_SCHEDULE_INTERLEAVED,
        .sides = {{.name = "old", .command = "old", .argv = old_argv},
                  {.name = "new", .command = "new", .argv = new_argv}},
        .seed = 1,
        .runs = 4,
        .usage = true,
        .error_output = {.kind = MODEL_STREAM_INHERIT},
    };
    for (int position = 0; position < 2; position++) {
        plan.cpus[position].cpus[0] = usable_cpu();
        plan.cpus[position].count = 1;
    }
    return plan;
}

static struct seen measured(const struct model_plan *plan, bool has_counters)
{
    const struct counters_calls calls =
        calls_with(has_counters ? software_open : no_open);
    struct seen seen = {0};
    struct measure_hooks hooks = {
        .sink = {.context = &seen,
                 .run_begin = sink_run,
                 .iterations = sink_iterations,
                 .run_end = sink_run_end,
                 .run_abort = sink_abort},
        .cancel_fd = -1,
        .counters_calls = &calls,
    };
    struct measure_result result;
    struct duet_error error = {0};
    if (measure_experiment(plan, &hooks, &result, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(seen.count, plan->runs);
    return seen;
}

/* Sum over the runs. */
static double total(const struct seen *seen, enum model_side side,
                    enum model_counter counter)
{
    double sum = 0;
    for (size_t i = 0; i < seen->count; i++) {
        sum += seen->runs[i].sides[side].counters[counter];
    }
    return sum;
}

static void skip_without_software_events(void)
{
    const struct counters_calls software = calls_with(software_open);
    struct counters_target self = {.pid = 0};
    struct counters counters;
    struct duet_error error;
    assert_int_equal(counters_open(&software, &self, &counters, &error), DUET_OK);
    bool available = counters_available(&counters);
    counters_release(&counters);
    if (!available) {
        print_message("SKIP: this kernel counts no software events either: %s\n",
                      counters.reason);
        skip();
    }
}

#define BUSY "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
static const char *const idle_argv[] = {"/bin/true", NULL};
static const char *const busy_argv[] = {"/bin/sh", "-c", BUSY, NULL};
static const char *const busy_child_argv[] = {"/bin/sh", "-c", "(" BUSY "); :", NULL};

static void each_sides_work_is_counted(void **state)
{
    (void)state;
    skip_without_software_events();
    struct model_plan plan = plan_of(idle_argv, busy_argv);
    struct seen seen = measured(&plan, true);
    double idle_ns = total(&seen, MODEL_OLD, MODEL_COUNTER_CYCLES);
    double busy_ns = total(&seen, MODEL_NEW, MODEL_COUNTER_CYCLES);
    assert_true(idle_ns > 0);
    assert_true(busy_ns > 3 * idle_ns);
    assert_true(total(&seen, MODEL_OLD, MODEL_COUNTER_INSTRUCTIONS) >= 4 * 10);
    assert_true(isnan(total(&seen, MODEL_OLD, MODEL_COUNTER_CACHE_MISSES)));
}

static void children_of_the_program_are_counted(void **state)
{
    (void)state;
    skip_without_software_events();
    struct model_plan plan = plan_of(idle_argv, busy_child_argv);
    struct seen seen = measured(&plan, true);
    assert_true(total(&seen, MODEL_NEW, MODEL_COUNTER_CYCLES) >
                3 * total(&seen, MODEL_OLD, MODEL_COUNTER_CYCLES));
}

static void hooks_are_not_counted(void **state)
{
    (void)state;
    skip_without_software_events();
    struct model_plan plan = plan_of(idle_argv, busy_argv);
    plan.sides[MODEL_OLD].prepare = BUSY;
    plan.sides[MODEL_OLD].conclude = BUSY;
    struct seen seen = measured(&plan, true);
    assert_true(total(&seen, MODEL_NEW, MODEL_COUNTER_CYCLES) >
                3 * total(&seen, MODEL_OLD, MODEL_COUNTER_CYCLES));
}

static void a_run_of_many_executions_has_their_sum(void **state)
{
    (void)state;
    skip_without_software_events();
    struct model_plan plan = plan_of(idle_argv, idle_argv);
    struct seen once = measured(&plan, true);
    plan.iterations = 10;
    struct seen ten = measured(&plan, true);
    assert_int_equal(ten.executions, 10 * once.executions);
    double one = total(&once, MODEL_OLD, MODEL_COUNTER_INSTRUCTIONS);
    double sum = total(&ten, MODEL_OLD, MODEL_COUNTER_INSTRUCTIONS);
    assert_true(sum > 9 * one && sum < 11 * one); /* page faults hardly vary */
}

static void absence_is_no_error(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(idle_argv, idle_argv);
    struct seen seen = measured(&plan, false);
    for (int i = 0; i < MODEL_COUNTERS; i++) {
        assert_true(isnan(total(&seen, MODEL_OLD, (enum model_counter)i)));
        assert_true(isnan(total(&seen, MODEL_NEW, (enum model_counter)i)));
    }
}

static void nothing_is_counted_without_usage(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(idle_argv, idle_argv);
    plan.usage = false;
    struct seen seen = measured(&plan, true);
    assert_true(isnan(total(&seen, MODEL_NEW, MODEL_COUNTER_CYCLES)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sides_work_is_counted),
        cmocka_unit_test(children_of_the_program_are_counted),
        cmocka_unit_test(hooks_are_not_counted),
        cmocka_unit_test(a_run_of_many_executions_has_their_sum),
        cmocka_unit_test(absence_is_no_error),
        cmocka_unit_test(nothing_is_counted_without_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
