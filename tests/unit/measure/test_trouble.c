/* What is said when a side fails: which side, where, what, and what to do. */
#include "measure/trouble.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct model_plan plan = {
    .sides = {{.name = "old", .command = "./before"},
              {.name = "new", .command = "./after"}},
    .timeout_ns = 1500000000U,
};
static const struct runner_task task = {.run = 2};

static struct stream_tail tail_with(const char *text)
{
    struct stream_tail tail = {.length = strlen(text)};
    memcpy(tail.bytes, text, tail.length);
    return tail;
}

static enum duet_code told(const struct supervisor_report *report, const char *said,
                           struct duet_error *error)
{
    struct stream_tail tail = tail_with(said);
    enum duet_code code = trouble_error(&plan, &task, MODEL_NEW, report, &tail, error);
    assert_int_equal(error->code, code);
    return code;
}

static void test_each_trouble(void **state)
{
    (void)state;
    static const struct {
        enum supervisor_trouble trouble;
        int32_t status;
        enum duet_code code;
        const char *text;
    } cases[] = {
        {SUPERVISOR_EXITED, 3, DUET_E_WORKLOAD, "exit status 3"},
        {SUPERVISOR_SIGNALLED, SIGSEGV, DUET_E_WORKLOAD,
         "died by signal 11 (Segmentation fault)"},
        {SUPERVISOR_SIGNALLED, 99, DUET_E_WORKLOAD,
         "died by signal 99 (unknown signal)"},
        {SUPERVISOR_STOPPED, 0, DUET_E_WORKLOAD, "stopped by a signal"},
        {SUPERVISOR_TIMED_OUT, 0, DUET_E_TIMEOUT, "limit of 1.5 s (--timeout)"},
        {SUPERVISOR_PREPARE, 9, DUET_E_WORKLOAD,
         "--prepare command ended with status 9"},
        {SUPERVISOR_CONCLUDE, 7, DUET_E_WORKLOAD,
         "--conclude command ended with status 7"},
        {SUPERVISOR_NOT_STARTED, 2, DUET_E_WORKLOAD,
         "could not be started: No such file or directory"},
        {SUPERVISOR_UNMATCHED, 0, DUET_E_PEER, "ended without attaching"},
        {SUPERVISOR_CANCELLED, 0, DUET_E_PEER, "cancelled"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct supervisor_report report = {
            .trouble = cases[i].trouble, .status = cases[i].status, .execution = 6};
        struct duet_error error;
        assert_int_equal(told(&report, "oops\n", &error), cases[i].code);
        assert_non_null(strstr(error.message, "new ('./after') in run 3"));
        assert_non_null(strstr(error.message, cases[i].text));
        assert_non_null(strstr(error.message, "standard error:\noops"));
    }
}

static void test_iteration_only_of_commands(void **state)
{
    (void)state;
    struct supervisor_report report = {.trouble = SUPERVISOR_EXITED, .execution = 6};
    struct duet_error error;
    (void)told(&report, "", &error);
    assert_non_null(strstr(error.message, "in run 3, iteration 7: "));
    assert_null(strstr(error.message, "standard error"));
    report.attached = 1;
    (void)told(&report, "", &error);
    assert_null(strstr(error.message, "iteration"));
}

static void test_warm_up_has_no_run(void **state)
{
    (void)state;
    struct supervisor_report report = {.trouble = SUPERVISOR_EXITED};
    const struct runner_task warmup = {.warmup = true};
    struct stream_tail tail = tail_with("");
    struct duet_error error;
    (void)trouble_error(&plan, &warmup, MODEL_OLD, &report, &tail, &error);
    assert_non_null(strstr(error.message, "old ('./before') in warm-up"));
}

static void test_output_in_place_of_errors(void **state)
{
    (void)state;
    struct duet_error error = {.code = DUET_E_WORKLOAD, .message = "it failed"};
    struct stream_tail nothing = tail_with("\n");
    struct stream_tail output = tail_with("a\nb\nc\nd\ne\n1 failed\n");
    trouble_add_output(&nothing, &error);
    assert_string_equal(error.message, "it failed");
    trouble_add_output(&output, &error);
    assert_int_equal(error.code, DUET_E_WORKLOAD);
    assert_string_equal(
        error.message,
        "it failed; its last lines on standard output, executed once more:\nb\nc\nd\ne\n1 failed");
}

static void test_unpaired(void **state)
{
    (void)state;
    struct stream_tail tail = tail_with("done\n");
    struct duet_error error;
    assert_int_equal(trouble_unpaired(&plan, &task, MODEL_OLD, true, 12, &tail, &error),
                     DUET_E_PEER);
    assert_non_null(strstr(error.message, "old ('./before') in run 3 left after 12"));
    assert_non_null(strstr(error.message, "new ('./after') goes on"));
    assert_int_equal(trouble_unpaired(&plan, &task, MODEL_NEW, false, 0, &tail, &error),
                     DUET_E_PEER);
    assert_non_null(strstr(error.message, "new ('./after') in run 3 ended without"));
    assert_non_null(strstr(error.message, "old ('./before') is a duet benchmark"));
    assert_int_equal(trouble_unclosed(&plan, &task, MODEL_NEW, 1, &tail, &error),
                     DUET_E_PEER);
    assert_non_null(strstr(error.message,
                           "new ('./after') in run 3 did its 1 iteration, "
                           "but ended without duet_close()"));
}

/* Every side that had the page is named, and no other. */
static void test_overwritten(void **state)
{
    (void)state;
    static const struct {
        struct runner_task task;
        const char *text;
    } cases[] = {
        {{.run = 2},
         "in run 3, old ('./before') or new ('./after') wrote over the page"},
        {{.solo = true, .wants = {true, true}},
         "in run 1, old ('./before') or new ('./after') wrote over the page"},
        {{.solo = true, .wants = {false, true}},
         "in run 1, new ('./after') wrote over the page"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct duet_error error;
        assert_int_equal(trouble_overwritten(&plan, &cases[i].task, "a part", &error),
                         DUET_E_PROTOCOL);
        assert_non_null(strstr(error.message, cases[i].text));
        assert_non_null(strstr(error.message, "duet (a part): "));
    }
}

/* A message has a limit; the middle must not be what gets lost. */
static void test_long_texts_are_cut_at_the_right_end(void **state)
{
    (void)state;
    char command[3000];
    memset(command, 'c', sizeof command - 1);
    command[sizeof command - 1] = '\0';
    struct model_plan wordy = plan;
    wordy.sides[MODEL_OLD].command = wordy.sides[MODEL_NEW].command = command;
    struct supervisor_report report = {.trouble = SUPERVISOR_EXITED, .status = 3};
    struct stream_tail tail = {.length = STREAMS_TAIL_BYTES - 1};
    memset(tail.bytes, 'x', tail.length);
    memcpy(tail.bytes + tail.length - 7, "the end", 7);
    struct duet_error error;
    (void)trouble_error(&wordy, &task, MODEL_NEW, &report, &tail, &error);
    assert_non_null(strstr(error.message, "ccc...') in run 3"));
    assert_non_null(strstr(error.message, "exit status 3"));
    size_t length = strlen(error.message);
    assert_true(length < sizeof error.message - 1);
    assert_string_equal(error.message + length - 7, "the end");
    (void)trouble_unpaired(&wordy, &task, MODEL_NEW, false, 0, &tail, &error);
    length = strlen(error.message);
    assert_string_equal(error.message + length - 7, "the end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_trouble),
        cmocka_unit_test(test_iteration_only_of_commands),
        cmocka_unit_test(test_warm_up_has_no_run),
        cmocka_unit_test(test_output_in_place_of_errors),
        cmocka_unit_test(test_unpaired),
        cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_long_texts_are_cut_at_the_right_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
