/* One side of a plan by itself: its runs, their numbers, its output. */
#include "measure/measure.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUNS_MAX = 8 };

/* What arrived. */
struct seen {
    uint64_t indexes[RUNS_MAX];
    size_t count;
    uint64_t iterations[MODEL_SIDES];
    size_t aborted;
};

static enum duet_code sink_begin(void *context, const struct model_run *run,
                                 struct duet_error *reterr)
{
    (void)context;
    (void)run;
    (void)reterr;
    return DUET_OK;
}

static enum duet_code sink_iterations(void *context, enum model_side side,
                                      const struct model_iteration *iterations,
                                      size_t count, struct duet_error *reterr)
{
    (void)reterr;
    assert_true(iterations[0].end_ns > iterations[0].start_ns);
    ((struct seen *)context)->iterations[side] += count;
    return DUET_OK;
}

static enum duet_code sink_end(void *context, const struct model_run *run,
                               struct duet_error *reterr)
{
    struct seen *seen = context;
    (void)reterr;
    assert_true(seen->count < RUNS_MAX);
    assert_int_equal(run->sides[MODEL_OLD].iterations, 0);
    seen->indexes[seen->count++] = run->index;
    return DUET_OK;
}

static void sink_abort(void *context)
{
    ((struct seen *)context)->aborted++;
}

static struct model_plan plan_of(const char *const *argv)
{
    cpu_set_t mask;
    struct model_plan plan = {
        .name = "alone",
        .schedule = MODEL_SCHEDULE_SEQUENTIAL,
        .sides[MODEL_NEW] = {.name = "new", .command = "new", .argv = argv},
        .usage = true,
        .output = {.kind = MODEL_STREAM_PIPE},
        .error_output = {.kind = MODEL_STREAM_PIPE}};
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &mask)) {
            plan.cpus[0].cpus[plan.cpus[0].count++] = cpu;
        }
    }
    return plan;
}

static enum duet_code measure(const char *const *argv, const struct measure_part *part,
                              struct seen *seen, struct duet_error *error)
{
    struct model_plan plan = plan_of(argv);
    struct measure_hooks hooks = {.sink = {.context = seen,
                                           .run_begin = sink_begin,
                                           .iterations = sink_iterations,
                                           .run_end = sink_end,
                                           .run_abort = sink_abort},
                                  .cancel_fd = -1};
    struct measure_result result;
    enum duet_code code = measure_alone(&plan, part, &hooks, &result, error);
    assert_int_equal(result.runs, seen->count);
    return code;
}

static void test_only_that_side_is_executed(void **state)
{
    (void)state;
    static const char *const argv[] = {"sh", "-c", "echo once", NULL};
    int fd = memfd_create("output", MFD_CLOEXEC);
    assert_true(fd >= 0);
    struct measure_part part = {
        .side = MODEL_NEW, .first = 40, .runs = 3, .output_fd = fd};
    struct seen seen = {.count = 0};
    struct duet_error error = {.message = ""};
    enum duet_code code = measure(argv, &part, &seen, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, DUET_OK);
    assert_int_equal(seen.count, 3);
    for (size_t i = 0; i < seen.count; i++) {
        assert_int_equal(seen.indexes[i], 40 + i);
    }
    assert_int_equal(seen.iterations[MODEL_OLD], 0);
    assert_int_equal(seen.iterations[MODEL_NEW], 3);
    char printed[64] = "";
    assert_int_equal(pread(fd, printed, sizeof printed, 0), 15);
    assert_string_equal(printed, "once\nonce\nonce\n");
    (void)close(fd);
}

static void test_output_that_nobody_wants(void **state)
{
    (void)state;
    static const char *const argv[] = {"echo", "ignored", NULL};
    struct measure_part part = {
        .side = MODEL_NEW, .first = 0, .runs = 2, .output_fd = -1};
    struct seen seen = {.count = 0};
    struct duet_error error;
    assert_int_equal(measure(argv, &part, &seen, &error), DUET_OK);
    assert_int_equal(seen.count, 2);
}

static void test_a_failure_ends_it(void **state)
{
    (void)state;
    static const char *const argv[] = {"sh", "-c", "exit 3", NULL};
    struct measure_part part = {
        .side = MODEL_NEW, .first = 0, .runs = 2, .output_fd = -1};
    struct seen seen = {.count = 0};
    struct duet_error error;
    assert_int_equal(measure(argv, &part, &seen, &error), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "status 3"));
    assert_int_equal(seen.count, 0);
    assert_int_equal(seen.aborted, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_that_side_is_executed),
        cmocka_unit_test(test_output_that_nobody_wants),
        cmocka_unit_test(test_a_failure_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
