/* How far an experiment says that it is, and after how many runs it ends. Both sides
 * share one CPU, so that any machine will do. */
// labels: serial
#include "measure/launch.h"
#include "measure/measure.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/counting_sink.h"

#include <cmocka.h>

enum { LOOKS_MAX = 16 };

static const char *const short_argv[] = {"/bin/true", NULL};
/* Somewhat longer than the second after which a run shows progress. */
static const char *const long_argv[] = {"/bin/sleep", "1.2", NULL};

static struct measure_progress looks[LOOKS_MAX]; /* within runs */
static size_t look_count;
static uint64_t least;
/* Programs take much longer as soon as there is such a file. */
static char slow_path[] = TEST_BINARY_DIR "/slow-XXXXXX";
static uint64_t slow_from; /* runs; 0: never */
static uint64_t slow_done; /* the last look that was later */
static uint64_t largest;   /* number of runs between looks from then on */

/* The first batch of slow ones is as large as those of quick ones were. */
static void note_slow(uint64_t done)
{
    static unsigned batches;
    if (slow_done == 0) {
        FILE *file = fopen(slow_path, "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
        batches = 0;
    } else if (++batches > 1 && done - slow_done > largest) {
        largest = done - slow_done;
    }
    slow_done = done;
}

static bool note(void *context, const struct measure_progress *progress)
{
    (void)context;
    if (progress->in_run) {
        assert_in_range(look_count, 0, LOOKS_MAX - 1);
        looks[look_count++] = *progress;
    } else if (slow_from > 0 && progress->runs_done >= slow_from) {
        note_slow(progress->runs_done);
    }
    return true;
}

static uint64_t least_runs(void *context)
{
    (void)context;
    return least;
}

static struct model_plan plan_of(const char *const argv[], enum model_schedule schedule)
{
    struct model_plan plan = {
        .name = "experiment",
        .schedule = schedule,
        .sides = {{.name = "old", .command = "old", .argv = argv},
                  {.name = "new", .command = "new", .argv = argv}},
        .seed = 1,
        .error_output = {.kind = MODEL_STREAM_INHERIT},
    };
    cpu_set_t mask;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) {
        cpu++;
    }
    for (int position = 0; position < 2; position++) {
        plan.cpus[position] = (struct model_cpu_set){.cpus = {cpu}, .count = 1};
    }
    return plan;
}

/* How many runs it did. */
static uint64_t measured(const struct model_plan *plan, const struct measure_done *done)
{
    struct counting_sink kept = {.answer = DUET_OK};
    const struct measure_hooks hooks = {.sink = COUNTING_SINK(&kept),
                                        .progress = note,
                                        .least_runs = least > 0 ? least_runs : NULL,
                                        .done = done,
                                        .cancel_fd = -1};
    struct measure_result result;
    struct duet_error error = {0};
    look_count = 0;
    if (measure_experiment(plan, &hooks, &result, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kept.runs, result.runs);
    return result.runs;
}

/* Two of six runs are left, all of them new's. */
static void a_run_knows_of_those_before_it(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(long_argv, MODEL_SCHEDULE_SEQUENTIAL);
    const struct measure_done done = {.runs = 4,
                                      .old_runs = 3,
                                      .block = 2,
                                      .elapsed_ns = UINT64_C(100000000000),
                                      .mode = MODEL_MODE_COMMAND};
    plan.runs = 3;
    assert_int_equal(measured(&plan, &done), 2);
    assert_true(look_count >= 2);
    for (size_t i = 0; i < look_count; i++) {
        assert_int_equal(looks[i].runs_planned, 6);
        assert_in_range(looks[i].runs_done, 4, 5);
        assert_true(looks[i].elapsed_ns >= done.elapsed_ns);
    }
}

static void a_warm_up_has_just_begun(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(long_argv, MODEL_SCHEDULE_TIMESLICE);
    plan.runs = 1;
    plan.warmup = 1;
    assert_int_equal(measured(&plan, NULL), 1);
    assert_true(look_count >= 1);
    for (size_t i = 0; i < look_count; i++) {
        assert_int_equal(looks[i].runs_done, 0);
        assert_true(looks[i].elapsed_ns < UINT64_C(60000000000));
    }
}

/* What must be done goes before what may: a trial of schedules comes on top of the runs
 * that the user wants. Short ones go in batches of many. */
static void the_least_number_of_runs_is_the_end_beyond_the_most(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(short_argv, MODEL_SCHEDULE_TIMESLICE);
    plan.min_runs = plan.max_runs = 10;
    plan.budget_ns = UINT64_C(60000000000);
    least = 14;
    assert_int_equal(measured(&plan, NULL), 14);
    least = 40;
    assert_int_equal(measured(&plan, NULL), 40);
    least = 0;
    assert_int_equal(measured(&plan, NULL), 10);
}

/* Batches are those of runs that are short now, not of those that were in the
 * beginning.
 */
static void batches_follow_the_pace(void **state)
{
    (void)state;
    static char script[sizeof slow_path + 64];
    static const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    int file = mkstemp(slow_path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(slow_path), 0);
    (void)snprintf(script, sizeof script, "test ! -e '%s' || sleep 0.03", slow_path);
    struct model_plan plan = plan_of(argv, MODEL_SCHEDULE_TIMESLICE);
    plan.runs = 80;
    slow_from = 4;
    assert_int_equal(measured(&plan, NULL), plan.runs);
    slow_from = 0;
    assert_int_equal(unlink(slow_path), 0);
    assert_in_range(largest, 0, 1);
}

/* Opens descriptors until the next one is `next`; returns how many. */
static size_t open_until(int next, int fds[LAUNCH_BELL_FD + 1])
{
    size_t count = 0;
    int fd = -1;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd < next) {
        fds[count++] = fd;
    }
    assert_int_equal(fd, next);
    assert_int_equal(close(fd), 0);
    return count;
}

/* Who started this process may have left so many descriptors open that the two numbers
 * at which programs inherit some are those of anything else. */
static void the_numbers_of_descriptors_do_not_matter(void **state)
{
    (void)state;
    static const char *const argv[] = {
        "/bin/sh", "-c", "readlink /proc/$$/fd/62 /proc/$$/fd/63 >&2; exit 3", NULL};
    struct model_plan plan = plan_of(argv, MODEL_SCHEDULE_TIMESLICE);
    plan.runs = 1;
    plan.usage = true;
    plan.error_output.kind = MODEL_STREAM_PIPE;
    for (int next = LAUNCH_PAGE_FD - 24; next <= LAUNCH_BELL_FD + 1; next++) {
        int fds[LAUNCH_BELL_FD + 1];
        size_t count = open_until(next, fds);
        struct counting_sink kept = {.answer = DUET_OK};
        const struct measure_hooks hooks = {.sink = COUNTING_SINK(&kept),
                                            .cancel_fd = -1};
        struct measure_result result;
        struct duet_error error = {.message = ""};
        enum duet_code code = measure_experiment(&plan, &hooks, &result, &error);
        for (size_t i = 0; i < count; i++) {
            (void)close(fds[i]);
        }
        if (code != DUET_E_WORKLOAD || strstr(error.message, "exit status 3") == NULL ||
            strstr(error.message, "/memfd:duet (deleted)\npipe:") == NULL) {
            fail_msg("from descriptor %d on: %s", next, error.message);
        }
    }
}

/* Who has ended tells only a side that fills: waking up the supervisor of a program
 * that is still measured takes time of that program's CPU. */
static void nobody_is_disturbed_by_who_ended_before(void **state)
{
    (void)state;
    static char path[] = TEST_BINARY_DIR "/disturbed-XXXXXX";
    static char script[sizeof path + 512];
    static const char *const longer[] = {"/bin/sh", "-c", script, NULL};
    static const char *const shorter[] = {"/bin/sleep", "0.5", NULL};
    int file = mkstemp(path);
    assert_true(file >= 0);
    /* How often the supervisor slept: before and after the other side's end. */
    (void)snprintf(script, sizeof script,
                   "until grep -q '^State:.S' /proc/$PPID/status; do :; done; "
                   "grep ^volun /proc/$PPID/status > '%s'; sleep 1; "
                   "grep ^volun /proc/$PPID/status | diff - '%s' >&2 && : > '%s'",
                   path, path, path);
    struct model_plan plan = plan_of(longer, MODEL_SCHEDULE_TIMESLICE);
    plan.sides[MODEL_OLD].argv = shorter;
    plan.runs = 1;
    plan.fill[0] = MODEL_FILL_KILL;
    plan.ignore_failure = true;
    assert_int_equal(measured(&plan, NULL), 1);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
}

static uint64_t fewest_switches; /* of a run's two sides together */

static enum duet_code note_switches(void *context, enum model_side side,
                                    const struct model_iteration *iterations,
                                    size_t count, struct duet_error *reterr)
{
    (void)reterr;
    static uint64_t of_old;
    (void)context;
    assert_int_equal(count, 1);
    if (side == MODEL_OLD) {
        of_old = iterations[0].voluntary_switches;
    } else if (of_old + iterations[0].voluntary_switches < fewest_switches) {
        fewest_switches = of_old + iterations[0].voluntary_switches;
    }
    return DUET_OK;
}

/* One of two that share a CPU always sleeps there; the end of a process is a switch. */
static void a_sleep_at_the_meeting_is_not_the_programs(void **state)
{
    (void)state;
    struct model_plan plan = plan_of(short_argv, MODEL_SCHEDULE_TIMESLICE);
    plan.runs = 60;
    plan.usage = true;
    struct counting_sink kept = {.answer = DUET_OK};
    struct measure_hooks hooks = {.sink = COUNTING_SINK(&kept), .cancel_fd = -1};
    struct measure_result result;
    struct duet_error error = {0};
    hooks.sink.iterations = note_switches;
    fewest_switches = UINT64_MAX;
    if (measure_experiment(&plan, &hooks, &result, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_in_range(fewest_switches, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_at_the_meeting_is_not_the_programs),
        cmocka_unit_test(the_numbers_of_descriptors_do_not_matter),
        cmocka_unit_test(nobody_is_disturbed_by_who_ended_before),
        cmocka_unit_test(a_run_knows_of_those_before_it),
        cmocka_unit_test(a_warm_up_has_just_begun),
        cmocka_unit_test(batches_follow_the_pace),
        cmocka_unit_test(the_least_number_of_runs_is_the_end_beyond_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
