/* What settings that were not given come to. */
// link: duet_session
#include "session/comparison/run_request.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct duet_error error;

/* A request with these settings, names and values up to a NULL, settled. */
static enum duet_code settle(struct run_request *request, const char *const *settings)
{
    run_request_init(request);
    request->cpus_per_side = 1;
    for (; *settings != NULL; settings += 2) {
        if (run_setting_take(request, settings[0], settings[1], &error) != DUET_OK) {
            fail_msg("%s", error.message);
        }
    }
    return run_request_settle(request, &error);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void nothing_said_the_verdict_decides(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(settle(&request, (const char *const[]){NULL}), DUET_OK);
    assert_true(request.decides_by_default);
    assert_int_equal(request.plan.until, MODEL_UNTIL_DECIDED);
    assert_true(request.plan.budget_ns == UINT64_C(10000000000));
    assert_int_equal(request.analysis.interval, MODEL_INTERVAL_ANYTIME);
    run_request_release(&request);
    /* Asked for, it may take longer. */
    assert_int_equal(settle(&request, SETTINGS("until", "decided")), DUET_OK);
    assert_false(request.decides_by_default);
    assert_true(request.plan.budget_ns == UINT64_C(60000000000));
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("runs", "20")), DUET_OK);
    assert_int_equal(request.plan.until, MODEL_UNTIL_FIXED);
    assert_int_equal(request.plan.runs, 20);
    run_request_release(&request);
}

/* It is the answer's own number of runs, however slow they are. */
static void against_itself_there_are_enough_runs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *value;
        const char *refused; /* NULL: 16 runs at least */
    } cases[] = {{"until", "time=5s", NULL},
                 {"same-within", "2%", NULL},
                 {"runs", "15", "16 runs"},
                 {"max-runs", "15", "16 runs"},
                 {"min-runs", "15", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_request request;
        run_request_init(&request);
        request.cpus_per_side = 1;
        request.self = true;
        assert_int_equal(
            run_setting_take(&request, cases[i].name, cases[i].value, &error), DUET_OK);
        enum duet_code code = run_request_settle(&request, &error);
        if (cases[i].refused == NULL) {
            assert_int_equal(code, DUET_OK);
            assert_int_equal(request.plan.min_runs, 16);
        } else {
            assert_int_equal(code, DUET_E_USAGE);
            assert_non_null(strstr(error.message, cases[i].refused));
        }
        run_request_release(&request);
    }
}

/* What leaves nothing is not measured. */
static void warm_up_leaves_something(void **state)
{
    (void)state;
    static const struct {
        const char *iterations;
        const char *warmup;
        const char *refused; /* NULL: fine */
    } cases[] = {{"1", "1", "--drop-warmup 1 leaves none of 1 iteration a run"},
                 {"3", "5", "--drop-warmup 5 leaves none of 3 iterations a run"},
                 {"3", "steady", "--drop-warmup steady needs 4 iterations a run"},
                 {"2", "1", NULL},
                 {"4", "steady", NULL},
                 {"1", "half", NULL},
                 {"1", "none", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_request request;
        enum duet_code code =
            settle(&request, SETTINGS("iterations", cases[i].iterations, "runs", "20",
                                      "drop-warmup", cases[i].warmup));
        if (cases[i].refused == NULL) {
            assert_int_equal(code, DUET_OK);
        } else {
            assert_int_equal(code, DUET_E_USAGE);
            assert_non_null(strstr(error.message, cases[i].refused));
            assert_non_null(strstr(error.message, "(-I"));
        }
        run_request_release(&request);
    }
}

static void the_papers_design(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(settle(&request, SETTINGS("design", "paper", "schedule", "duet")),
                     DUET_OK);
    assert_int_equal(request.plan.runs, 10);
    assert_int_equal(request.plan.iterations, 100);
    assert_int_equal(request.plan.until, MODEL_UNTIL_FIXED);
    assert_true(request.plan.run_time_ns == UINT64_C(600000000000));
    assert_int_equal(request.analysis.interval, MODEL_INTERVAL_PERCENTILE);
    assert_int_equal(request.analysis.estimator, MODEL_ESTIMATOR_GEOMEAN);
    assert_int_equal(request.analysis.losses, MODEL_LOST_KEEP);
    assert_true(isnan(request.analysis.same_within));
    assert_false(request.plan.choose_schedule);
    run_request_release(&request);
}

/* What was asked for is not the paper's. */
static void the_papers_design_but_for(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(
        settle(&request, SETTINGS("design", "paper", "schedule", "duet", "runs", "4",
                                  "iterations", "7", "run-time", "5s", "interval",
                                  "bca", "same-within", "2%", "estimator", "median")),
        DUET_OK);
    assert_int_equal(request.plan.runs, 4);
    assert_int_equal(request.plan.iterations, 7);
    assert_true(request.plan.run_time_ns == UINT64_C(5000000000));
    assert_int_equal(request.analysis.interval, MODEL_INTERVAL_BCA);
    assert_int_equal(request.analysis.estimator, MODEL_ESTIMATOR_MEDIAN);
    assert_true(request.analysis.same_within == 0.02);
    run_request_release(&request);
}

/* One side after the other takes as long as two at once. */
static void one_side_after_the_other(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(
        settle(&request, SETTINGS("schedule", "sequential", "until", "time=64s")),
        DUET_OK);
    assert_int_equal(request.plan.runs, 0);
    assert_int_equal(request.plan.min_runs, 2);
    assert_true(request.plan.budget_ns == UINT64_C(64000000000));
    assert_true(request.plan.run_time_ns == UINT64_C(2000000000));
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("schedule", "sequential")), DUET_OK);
    assert_int_equal(request.plan.runs, 0);
    assert_int_equal(request.plan.min_runs, 16);
    assert_true(request.plan.budget_ns == UINT64_C(3000000000));
    run_request_release(&request);
}

static void against_itself(void **state)
{
    (void)state;
    struct run_request request;
    run_request_init(&request);
    request.self = true;
    assert_int_equal(run_setting_take(&request, "schedule", "timeslice", &error),
                     DUET_OK);
    assert_int_equal(run_request_settle(&request, &error), DUET_OK);
    assert_true(request.plan.budget_ns == UINT64_C(20000000000));
    assert_true(isnan(request.analysis.same_within));
    run_request_release(&request);
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    static const struct {
        const char *settings[8];
        bool resume;
        bool control;
        bool confirm;
        bool self;
        const char *said;
    } cases[] = {
        {{"until", "decided", "schedule", "interleaved"},
         .said = "--until decided needs pairs"},
        {{"until", "decided", "interval", "bca"}, .said = "only --interval anytime"},
        {{"until", "decided", "statistic", "mean"}, .said = "only --interval anytime"},
        {{"schedule", "sequential", "runs", "4"},
         .control = true,
         .said = "--control takes turns with the comparison"},
        {{"interval", "bca", "block-length", "3"},
         .said = "--block-length goes with --interval block"},
        {{"block-scheme", "moving"}, .said = "--block-scheme goes with --interval"},
        {{"runs", "4"}, .confirm = true, .said = "--confirm measures again"},
        {{"runs", "4"}, .resume = true, .control = true, .said = "--control does not"},
        {{"runs", "4"}, .resume = true, .confirm = true, .said = "--confirm does not"},
        {{"skip-identical", NULL}, .resume = true, .said = "--skip-identical does not"},
        {{"identical-if", "lib"}, .resume = true, .said = "--identical-if does not"},
        {{"until", "decided"}, .self = true, .said = "stops at the first alarm"},
        {{"schedule", "interleaved"}, .self = true, .said = "has no pairs"},
        {{"min-runs", "9", "max-runs", "8", "until", "time=1s"},
         .said = "--min-runs is larger than --max-runs"},
        {{"min-runs", "9", "runs", "8"},
         .said = "--min-runs is larger than the number"},
        {{"max-runs", "7", "until", "runs=8,decided"},
         .said = "--max-runs is smaller than the number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_request request;
        run_request_init(&request);
        request.cpus_per_side = 1;
        for (size_t at = 0; at < 8 && cases[i].settings[at] != NULL; at += 2) {
            assert_int_equal(run_setting_take(&request, cases[i].settings[at],
                                              cases[i].settings[at + 1], &error),
                             DUET_OK);
        }
        request.resume = cases[i].resume;
        request.control = cases[i].control;
        request.confirm = cases[i].confirm;
        request.self = cases[i].self;
        assert_int_equal(run_request_settle(&request, &error), DUET_E_USAGE);
        if (strstr(error.message, cases[i].said) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, cases[i].said);
        }
        run_request_release(&request);
    }
}

/* A number of runs and a time: whichever is over first. */
static void runs_and_another_rule(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(settle(&request, SETTINGS("until", "runs=40,time=1s")), DUET_OK);
    assert_int_equal(request.plan.runs, 0);
    assert_int_equal(request.plan.min_runs, 2);
    assert_int_equal(request.plan.max_runs, 40);
    assert_true(request.plan.budget_ns == UINT64_C(1000000000));
    assert_true(request.plan.run_time_ns == 0); /* no limit with a number of runs */
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("until", "runs=1,time=1s")), DUET_OK);
    assert_int_equal(request.plan.min_runs, 1);
    assert_int_equal(request.plan.max_runs, 1);
    run_request_release(&request);
    /* Nothing but the runs limits it. */
    assert_int_equal(settle(&request, SETTINGS("until", "decided,runs=40")), DUET_OK);
    assert_int_equal(request.plan.max_runs, 40);
    assert_true(request.plan.budget_ns == MODEL_BUDGET_NONE);
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("until", "decided,runs=40,time=2s")),
                     DUET_OK);
    assert_true(request.plan.budget_ns == UINT64_C(2000000000));
    run_request_release(&request);
}

static void two_numbers_of_runs_contradict(void **state)
{
    (void)state;
    static const char *const orders[][4] = {{"runs", "4", "until", "decided,runs=6"},
                                            {"until", "runs=6", "runs", "4"}};
    for (size_t i = 0; i < 2; i++) {
        struct run_request request;
        run_request_init(&request);
        const char *const *words = orders[i];
        assert_int_equal(run_setting_take(&request, words[0], words[1], &error),
                         DUET_OK);
        assert_int_equal(run_setting_take(&request, "until", "time=2s", &error),
                         DUET_OK); /* no number of runs */
        assert_int_equal(run_setting_take(&request, words[2], words[3], &error),
                         DUET_E_USAGE);
        assert_string_equal(error.message,
                            "--runs 4 and --until runs=6 contradict each other: leave "
                            "one of them out");
        run_request_release(&request);
    }
    struct run_request request; /* the last of an option that is repeated counts */
    assert_int_equal(settle(&request, SETTINGS("runs", "4", "runs", "6")), DUET_OK);
    assert_int_equal(request.plan.runs, 6);
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("runs", "6", "until", "runs=6")),
                     DUET_OK);
    run_request_release(&request);
}

static void the_papers_design_within_limits(void **state)
{
    (void)state;
    struct run_request request;
    assert_int_equal(settle(&request, SETTINGS("design", "paper", "min-runs", "12")),
                     DUET_OK);
    assert_int_equal(request.plan.runs, 12);
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("design", "paper", "max-runs", "4")),
                     DUET_OK);
    assert_int_equal(request.plan.runs, 4);
    run_request_release(&request);
    assert_int_equal(settle(&request, SETTINGS("design", "paper", "until", "time=5s")),
                     DUET_OK);
    assert_int_equal(request.plan.max_runs, 10);
    assert_true(request.plan.budget_ns == UINT64_C(5000000000));
    run_request_release(&request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_the_verdict_decides),
        cmocka_unit_test(against_itself_there_are_enough_runs),
        cmocka_unit_test(warm_up_leaves_something),
        cmocka_unit_test(the_papers_design),
        cmocka_unit_test(the_papers_design_but_for),
        cmocka_unit_test(one_side_after_the_other),
        cmocka_unit_test(against_itself),
        cmocka_unit_test(what_does_not_go_together),
        cmocka_unit_test(runs_and_another_rule),
        cmocka_unit_test(two_numbers_of_runs_contradict),
        cmocka_unit_test(the_papers_design_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
