/* Comparisons from a request to answers, measured in a store of their own: all
 * combinations, a command that fails, an interruption, a command against itself. */
// labels: novalgrind serial
#include "measure/schedule.h"
#include "session/comparison/controlled.h"
#include "session/run/combinations.h"
#include "session/run/self_answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUNS = 16 };

static struct duet_error error;
static size_t warnings;

static void take(void *context, bool warning, const char *line)
{
    (void)context;
    (void)line;
    warnings += warning;
}

static const struct listener listener = {.notice = take};
static struct session session = {.cancel_fd = -1, .listener = &listener};

static int open_session(void **state)
{
    (void)state;
    warnings = 0;
    session.cancel_fd = -1;
    if (machine_open(NULL, &session.machine, &error) != DUET_OK ||
        store_open_scratch(&session.store, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    store_close(session.store);
    machine_free(session.machine);
    session.store = NULL;
    session.machine = NULL;
    return 0;
}

/* In turns on one CPU, so that any machine will do. */
static struct run_request request_of(const char *old_command, const char *new_command)
{
    struct run_request request;
    run_request_init(&request);
    request.commands[MODEL_OLD] = old_command;
    request.commands[MODEL_NEW] = new_command;
    assert_int_equal(run_setting_take(&request, "schedule", "timeslice", &error),
                     DUET_OK);
    assert_int_equal(run_setting_take(&request, "runs", "16", &error), DUET_OK);
    return request;
}

static void settle(struct run_request *request)
{
    if (run_request_settle(request, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
}

static void each_combination_has_an_answer(void **state)
{
    (void)state;
    struct run_request request = request_of("true {x}", "true {x}");
    assert_int_equal(parameter_add_list(&request.parameters, "x", "1,2", &error),
                     DUET_OK);
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    assert_int_equal(combinations_check(&request, &session, &error), DUET_OK);
    if (combinations_answer(&all, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(combinations_conclude(&all, true, &error), DUET_OK);
    assert_int_equal(all.count, 2);
    for (size_t i = 0; i < all.count; i++) {
        assert_int_equal(all.answers[i].comparison.runs, RUNS);
        assert_int_equal(all.answers[i].comparison.analysis.family, 2);
    }
    assert_int_equal(all.cut_short, 0);
    combinations_release(&all);
    run_request_release(&request);
}

static uint64_t seed_of_combination(const struct run_request *request, size_t index)
{
    struct benchmark benchmark;
    if (benchmark_make(request, index, &benchmark, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    uint64_t seed = benchmark.plan.seed;
    benchmark_release(&benchmark);
    return seed;
}

/* Of 1024 blocks two benchmarks have the same coin in half, whose standard deviation is
 * 16, and the same memory layout in 4 runs of as many. */
static void combinations_toss_coins_of_their_own(void **state)
{
    enum { COUNT = 3, BLOCKS = 1024, HALF = BLOCKS / 2, FAR = 5 * 16, ALIKE_MOST = 20 };
    (void)state;
    struct run_request request = request_of("true {x}", "true {x}");
    assert_int_equal(run_setting_take(&request, "seed", "7", &error), DUET_OK);
    settle(&request);
    assert_int_equal(seed_of_combination(&request, 0), 7);
    assert_int_equal(parameter_add_list(&request.parameters, "x", "1,2,3", &error),
                     DUET_OK);
    struct model_plan plans[COUNT] = {{0}};
    for (size_t i = 0; i < COUNT; i++) {
        plans[i].seed = seed_of_combination(&request, i);
        assert_int_equal(seed_of_combination(&request, i), plans[i].seed);
        for (size_t j = 0; j < i; j++) {
            int coins = 0;
            int layouts = 0;
            for (uint64_t b = 0; b < BLOCKS; b++) {
                coins += schedule_old_position(plans[i].seed, b, false) ==
                         schedule_old_position(plans[j].seed, b, false);
                layouts += schedule_environment_offset(&plans[i], b, 0) ==
                           schedule_environment_offset(&plans[j], b, 0);
            }
            assert_in_range(coins, HALF - FAR, HALF + FAR);
            assert_true(layouts <= ALIKE_MOST);
        }
    }
    run_request_release(&request);
}

static void a_command_that_fails_is_one_of_several(void **state)
{
    (void)state;
    struct run_request request = request_of("true {x}", "{x}");
    assert_int_equal(parameter_add_list(&request.parameters, "x", "true,false", &error),
                     DUET_OK);
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    assert_int_equal(combinations_answer(&all, &error), DUET_E_WORKLOAD);
    assert_int_equal(combinations_conclude(&all, false, &error), DUET_OK);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.answers[1].comparison.verdict, MODEL_VERDICT_FAILED);
    assert_int_equal(all.cut_short, all.answers[1].experiment.id);
    combinations_release(&all);
    run_request_release(&request);
}

static void one_alone_is_told_where_that_is_wanted(void **state)
{
    (void)state;
    struct run_request request = request_of("true", "false");
    settle(&request);
    for (int wanted = 0; wanted < 2; wanted++) {
        struct combinations all = {
            .request = &request, .session = &session, .tells_failure = wanted == 1};
        assert_int_equal(combinations_answer(&all, &error), DUET_E_WORKLOAD);
        assert_int_equal(all.count, wanted);
        combinations_release(&all);
    }
    run_request_release(&request);
}

static void what_is_wrong_is_found_before(void **state)
{
    (void)state;
    struct run_request request = request_of("true", "no-such-program {y}");
    settle(&request);
    assert_int_equal(combinations_check(&request, &session, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "no-such-program"));
    run_request_release(&request);
    request = request_of("true", "true {x}");
    settle(&request);
    assert_int_equal(combinations_check(&request, &session, &error), DUET_OK);
    assert_true(warnings > 0); /* nothing is put in for {x} */
    run_request_release(&request);
}

static void nothing_is_measured_after_an_interruption(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    session.cancel_fd = ends[0];
    struct run_request request = request_of("true", "true");
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    assert_int_equal(combinations_answer(&all, &error), DUET_E_INTERRUPTED);
    assert_true(all.cut_short > 0);
    assert_int_equal(all.kept, 0);
    assert_int_equal(all.count, 0);
    combinations_release(&all);
    run_request_release(&request);
    close(ends[0]);
    close(ends[1]);
}

static void equal_programs_are_not_measured(void **state)
{
    (void)state;
    struct run_request request = request_of("true", "true");
    assert_int_equal(run_setting_take(&request, "skip-identical", "", &error), DUET_OK);
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    if (combinations_answer(&all, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(combinations_conclude(&all, true, &error), DUET_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.answers[0].comparison.verdict, MODEL_VERDICT_IDENTICAL);
    combinations_release(&all);
    run_request_release(&request);
}

static void other_output_is_an_error(void **state)
{
    (void)state;
    struct run_request request = request_of("echo one", "echo two");
    assert_int_equal(run_setting_take(&request, "same-output", "", &error), DUET_OK);
    settle(&request);
    struct combinations all = {
        .request = &request, .session = &session, .tells_failure = true};
    assert_int_equal(combinations_answer(&all, &error), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "output"));
    assert_int_equal(all.count, 1);
    assert_int_equal(all.answers[0].comparison.verdict, MODEL_VERDICT_FAILED);
    combinations_release(&all);
    run_request_release(&request);
}

static void what_is_done_does_not_go_on(void **state)
{
    (void)state;
    struct run_request request = request_of("true", "true");
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    assert_int_equal(combinations_answer(&all, &error), DUET_OK);
    combinations_release(&all);
    request.resume = true;
    request.resumed = "1";
    all = (struct combinations){.request = &request, .session = &session};
    assert_int_equal(combinations_answer(&all, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "experiment 1 is complete"));
    assert_int_equal(all.count, 0);
    combinations_release(&all);
    run_request_release(&request);
}

static void a_command_against_itself(void **state)
{
    (void)state;
    static char first[] = "1";
    struct run_request request = request_of("true", "true");
    struct benchmark benchmark;
    struct experiments made = {0};
    struct self_answer measured = {.answer = {.drop = 0}};
    struct self_answer again = {.answer = {.drop = 0}};
    request.self = true;
    settle(&request);
    assert_int_equal(self_answer_prepare(&request, session.machine, &benchmark, &error),
                     DUET_OK);
    if (controlled_carry_out(&benchmark, &session, false, &made, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(self_answer_make(session.store, made.experiment, &request.analysis,
                                      true, &measured, &error),
                     DUET_OK);
    assert_int_equal(measured.self.windows, 1);
    struct analysis_overrides overrides = {.count = 0};
    assert_int_equal(analysis_overrides_add(&overrides, "confidence", "0.9", &error),
                     DUET_OK);
    assert_int_equal(
        self_answer_recall(session.store, first, &overrides, &again, &error), DUET_OK);
    assert_true(again.self.confidence == 0.9);
    assert_int_equal(
        self_answer_recall(session.store, "77", &overrides, &again, &error),
        DUET_E_NOT_FOUND);
    answer_release(&measured.answer);
    answer_release(&again.answer);
    benchmark_release(&benchmark);
    run_request_release(&request);
}

static void two_commands_are_no_command_against_itself(void **state)
{
    (void)state;
    struct run_request request = request_of("true", "true x");
    settle(&request);
    struct combinations all = {.request = &request, .session = &session};
    struct self_answer none = {.answer = {.drop = 77}};
    assert_int_equal(combinations_answer(&all, &error), DUET_OK);
    assert_int_equal(self_answer_recall(session.store, "1", NULL, &none, &error),
                     DUET_E_USAGE);
    assert_non_null(strstr(error.message, "compares two commands"));
    assert_int_equal(none.answer.drop, 77);
    combinations_release(&all);
    run_request_release(&request);
}

#define MEASURED(test) \
    cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEASURED(each_combination_has_an_answer),
        cmocka_unit_test(combinations_toss_coins_of_their_own),
        MEASURED(a_command_that_fails_is_one_of_several),
        MEASURED(one_alone_is_told_where_that_is_wanted),
        MEASURED(what_is_wrong_is_found_before),
        MEASURED(nothing_is_measured_after_an_interruption),
        MEASURED(equal_programs_are_not_measured),
        MEASURED(other_output_is_an_error),
        MEASURED(what_is_done_does_not_go_on),
        MEASURED(a_command_against_itself),
        MEASURED(two_commands_are_no_command_against_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
