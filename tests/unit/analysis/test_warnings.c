/* Each warning where it must appear and where it must not. */
#include "analysis/remarks/warnings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One program's iterations as the kernel accounts for them. */
struct program {
    const char *name;
    enum model_mode mode;
    double wall_ms;
    double cpu_ms;
    double taken_ms;
    uint32_t voluntary;
    uint32_t involuntary; /* an iteration; a command has one or two of its own */
};

static const struct program quiet[] = {
    {"true", MODEL_MODE_COMMAND, 1.0, 0.65, 0, 1, 2},
    {"sleep 0.01", MODEL_MODE_COMMAND, 11.3, 0.9, 0, 3, 1},
    {"10 ms", MODEL_MODE_COMMAND, 10.2, 10.0, 0, 1, 1},
    {"100 ms", MODEL_MODE_COMMAND, 101.0, 100.2, 0.4, 1, 2},
    {"waits 100 ms", MODEL_MODE_COMMAND, 101.0, 1.0, 0.1, 3, 1},
    {"harness, 1 ms", MODEL_MODE_HARNESS, 1.0, 0.999, 0, 0, 0},
    {"harness, 10 ms", MODEL_MODE_HARNESS, 10.0, 9.99, 0, 0, 1},
    {"harness, sleeps", MODEL_MODE_HARNESS, 10.0, 0.1, 0, 1, 0},
};

/* The same beside two programs that want both CPUs. */
static const struct program beside_hogs[] = {
    {"sleep 0.01", MODEL_MODE_COMMAND, 25.3, 0.9, 13.7, 3, 1},
    {"10 ms", MODEL_MODE_COMMAND, 21.0, 10.0, 9.0, 1, 3},
    {"100 ms", MODEL_MODE_COMMAND, 220.0, 100.2, 115.0, 1, 30},
    {"harness, 1 ms", MODEL_MODE_HARNESS, 2.0, 0.999, 0, 0, 1},
    {"harness, 10 ms", MODEL_MODE_HARNESS, 20.0, 9.99, 0, 0, 4},
};

static const struct model_host_load idle = {.load_avg = {0.2, 0.2, 0.2}};

static struct analysis_side_usage usage_of(const struct program *program)
{
    struct analysis_side_usage usage = {0};
    for (uint64_t i = 0; i < 32; i++) {
        struct model_iteration iteration = {
            .index = i,
            .end_ns = (uint64_t)(program->wall_ms * 1e6),
            .cpu_ns = (uint64_t)(program->cpu_ms * 1e6),
            .taken_ns = (uint64_t)(program->taken_ms * 1e6),
            .voluntary_switches = program->voluntary,
            .involuntary_switches = program->involuntary,
            .flags =
                program->mode == MODEL_MODE_COMMAND ? MODEL_ITERATION_TAKEN_KNOWN : 0U};
        analysis_usage_add(&usage, &iteration);
    }
    return usage;
}

static struct analysis_facts facts_of(const struct program *old_side,
                                      const struct program *new_side)
{
    return (struct analysis_facts){.sides = {usage_of(old_side), usage_of(new_side)},
                                   .before = idle,
                                   .after = idle,
                                   .num_cpus = 2};
}

static struct model_comparison warnings_of(const struct analysis_facts *facts,
                                           enum model_schedule schedule)
{
    struct model_comparison comparison = {.schedule = schedule};
    analysis_warnings_add(facts, &comparison);
    return comparison;
}

static bool warned(const struct model_comparison *comparison, const char *words)
{
    for (size_t i = 0; i < comparison->warning_count; i++) {
        if (strstr(comparison->warnings[i].text, words) != NULL) {
            return true;
        }
    }
    return false;
}

static void test_quiet_programs_are_not_warned_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        struct analysis_facts facts = facts_of(&quiet[i], &quiet[i]);
        struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
        if (got.warning_count != 0) {
            fail_msg("%s: %s", quiet[i].name, got.warnings[0].text);
        }
        /* A load of which it is known that it took nothing is no reason either. */
        facts.before.load_avg[0] = 3.9;
        got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
        bool known = !isnan(got.conditions.taken_ratio);
        assert_int_equal(warned(&got, "(load 3.9 on 2 CPUs)"), !known);
    }
}

static void test_taken_time_is_warned_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof beside_hogs / sizeof beside_hogs[0]; i++) {
        struct analysis_facts facts = facts_of(&beside_hogs[i], &beside_hogs[i]);
        struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
        if (!warned(&got, "other programs took the CPU for ")) {
            fail_msg("%s: no warning", beside_hogs[i].name);
        }
        /* No others to choose; CPU time says nothing about what waits. */
        bool computes = beside_hogs[i].cpu_ms > 1.0 || beside_hogs[i].wall_ms < 10.0;
        assert_int_equal(warned(&got, "(--schedule timeslice)"), computes);
        facts.sides[MODEL_NEW].crowded = true;
        got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
        assert_false(warned(&got, "(--schedule timeslice)"));
        facts.sides[MODEL_NEW].crowded = false;
        facts.num_cpus = 8;
        got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
        assert_true(warned(&got, "choose other CPUs (--cpus)"));
        assert_true(got.conditions.taken_ratio > 0.3);
        /* In turns each side has the CPU while the other waits for it. */
        got = warnings_of(&facts, MODEL_SCHEDULE_TIMESLICE);
        assert_int_equal(got.warning_count, 0);
    }
}

static void test_steal_and_quota(void **state)
{
    (void)state;
    struct analysis_facts facts = facts_of(&quiet[3], &quiet[3]);
    facts.after.total_ticks = 10.0;
    facts.after.steal_ticks = 0.1;
    struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_int_equal(got.warning_count, 0);
    facts.after.steal_ticks = 0.3;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "the hypervisor took 3.0 %"));
    /* Two steps of the kernel's clock in half a second are not 4 %. */
    facts.after.total_ticks = 0.5;
    facts.after.steal_ticks = 0.02;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_int_equal(got.warning_count, 0);
    facts.after.throttled_count = 1;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "throttled the measurement 1 time; "));
    facts.after.throttled_count = 3;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "throttled the measurement 3 times"));
    assert_true(warned(&got, "or use --schedule timeslice"));
    got = warnings_of(&facts, MODEL_SCHEDULE_TIMESLICE);
    assert_true(warned(&got, "raise the quota (cpu.max) to finish sooner"));
}

static void test_resources(void **state)
{
    (void)state;
    struct analysis_facts unlike = facts_of(&quiet[3], &quiet[4]);
    struct model_comparison got = warnings_of(&unlike, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "old computes for 100 % of its time, new for 1 %"));
    got = warnings_of(&unlike, MODEL_SCHEDULE_SEQUENTIAL);
    assert_int_equal(got.warning_count, 0);
    /* Lost CPU time is not a side's own waiting. */
    struct analysis_facts one_hog = facts_of(&beside_hogs[2], &quiet[3]);
    got = warnings_of(&one_hog, MODEL_SCHEDULE_DUET);
    assert_false(warned(&got, "different resources"));
}

static void test_several_tasks_on_one_cpu(void **state)
{
    (void)state;
    struct analysis_facts facts = facts_of(&quiet[3], &quiet[3]);
    struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_false(warned(&got, "--cpus-per-side"));
    facts.sides[MODEL_NEW].crowded = true;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "new uses several threads or processes on one CPU"));
    facts.sides[MODEL_OLD].crowded = true;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(warned(&got, "both sides use several"));
    assert_true(warned(&got, "--cpus-per-side N"));
}

/* Iterations elsewhere than on the position's CPUs, of either side. */
static void test_strayed(void **state)
{
    (void)state;
    struct analysis_facts facts = facts_of(&quiet[3], &quiet[3]);
    facts.sides[MODEL_OLD].iterations = facts.sides[MODEL_NEW].iterations = 8;
    struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_false(warned(&got, "not on the CPUs"));
    facts.sides[MODEL_NEW].strayed = 3;
    got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_true(
        warned(&got, "3 of 16 iterations were not on the CPUs that duet chose"));
    struct analysis_side_usage usage = {0};
    const struct model_iteration stayed = {.end_ns = 1000};
    const struct model_iteration strayed = {.end_ns = 1000,
                                            .flags = MODEL_ITERATION_STRAYED};
    analysis_usage_add(&usage, &stayed);
    assert_int_equal(usage.strayed, 0);
    analysis_usage_add(&usage, &strayed);
    assert_int_equal(usage.strayed, 1);
}

/* Imported data, or --no-usage. */
static void test_nothing_known(void **state)
{
    (void)state;
    const struct analysis_facts facts = {.num_cpus = -1};
    struct model_comparison got = warnings_of(&facts, MODEL_SCHEDULE_DUET);
    assert_int_equal(got.warning_count, 0);
    assert_true(isnan(got.conditions.taken_ratio));
    assert_true(isnan(got.conditions.involuntary_per_s));
    struct analysis_side_usage usage = {0};
    const struct model_iteration without = {.end_ns = 1000000,
                                            .flags = MODEL_ITERATION_NO_USAGE};
    analysis_usage_add(&usage, &without);
    assert_true(usage.wall_ns <= 0.0 && usage.known_ns <= 0.0);
}

/* Not a script's processes one after the other, nor what a hog does. */
static void test_crowded(void **state)
{
    (void)state;
    const struct analysis_side_usage preempted = {.wall_ns = 1e9,
                                                  .involuntary_switches = 300};
    const struct analysis_side_usage calm = {.wall_ns = 1e9, .involuntary_switches = 5};
    struct model_run_side side = {
        .tasks = MODEL_TASKS_SEVERAL, .others_ns = 1e6, .window_ns = 1e9};
    assert_true(analysis_usage_crowded(&preempted, &side));
    assert_false(analysis_usage_crowded(&calm, &side));
    side.others_ns = 4e8;
    assert_false(analysis_usage_crowded(&preempted, &side));
    side.others_ns = side.window_ns = (double)NAN;
    assert_false(analysis_usage_crowded(&preempted, &side));
    side = (struct model_run_side){
        .tasks = MODEL_TASKS_ONE, .others_ns = 1e6, .window_ns = 1e9};
    assert_false(analysis_usage_crowded(&preempted, &side));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_programs_are_not_warned_of),
        cmocka_unit_test(test_taken_time_is_warned_of),
        cmocka_unit_test(test_steal_and_quota),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_several_tasks_on_one_cpu),
        cmocka_unit_test(test_strayed),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_crowded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
