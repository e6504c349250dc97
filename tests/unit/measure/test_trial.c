/* One execution to look at: its output, its end, what stops it. */
#include "measure/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int output_fd;
static struct duet_error error;
static struct trial_result result;

static int make_output(void **state)
{
    (void)state;
    output_fd = memfd_create("output", MFD_CLOEXEC);
    return output_fd < 0;
}

static int close_output(void **state)
{
    (void)state;
    return close(output_fd);
}

static const char *const *words; /* of the program to try */

static enum duet_code attempt(const char *prepare, uint64_t timeout_ns, int cancel_fd)
{
    struct model_plan plan = {
        .sides = {{.command = "words"}, {.command = "words", .prepare = prepare}},
        .timeout_ns = timeout_ns,
        .error_output = {.kind = MODEL_STREAM_PIPE}};
    plan.sides[MODEL_NEW].argv = words;
    error = (struct duet_error){0};
    return measure_trial(&plan, MODEL_NEW, cancel_fd, output_fd, &result, &error);
}

static void expect_output(const char *expected)
{
    char text[64];
    ssize_t length = read(output_fd, text, sizeof text - 1);
    assert_true(length >= 0);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void test_output_and_status(void **state)
{
    (void)state;
    static const char *const longer[] = {"sh", "-c",
                                         "echo longer; echo why >&2; exit 7", NULL};
    static const char *const brief[] = {"echo", "a", NULL};
    static const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    words = longer;
    assert_int_equal(attempt(NULL, 0, -1), DUET_OK);
    assert_int_equal(result.status, 7);
    assert_string_equal(stream_tail_lines(&result.tail, 5), "why");
    expect_output("longer\n");
    words = brief; /* nothing is left of the one before */
    assert_int_equal(attempt("true", UINT64_C(60000000000), -1), DUET_OK);
    assert_int_equal(result.status, 0);
    assert_string_equal(stream_tail_lines(&result.tail, 5), "");
    expect_output("a\n");
    words = killed;
    assert_int_equal(attempt(NULL, 0, -1), DUET_OK);
    assert_int_equal(result.status, 128 + 9);
}

static void test_what_stops_it(void **state)
{
    (void)state;
    static const char *const sleeping[] = {"sleep", "60", NULL};
    static const char *const missing[] = {"./no-such-program", NULL};
    int ends[2];
    words = sleeping;
    assert_int_equal(attempt(NULL, 20000000, -1), DUET_E_TIMEOUT);
    assert_non_null(strstr(error.message, "0.02 s"));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(attempt(NULL, 0, ends[0]), DUET_E_INTERRUPTED);
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(attempt("exit 3", 0, -1), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "--prepare"));
    words = missing;
    assert_int_equal(attempt(NULL, 0, -1), DUET_E_USAGE);
}

static void test_judge(void **state)
{
    (void)state;
    int status = -1;
    assert_int_equal(write(output_fd, "hello\n", 6), 6);
    for (int i = 0; i < 2; i++) { /* from the beginning each time */
        assert_int_equal(
            measure_trial_judge("grep -q ^hello$", output_fd, 0, -1, &status, &error),
            DUET_OK);
        assert_int_equal(status, 0);
    }
    assert_int_equal(
        measure_trial_judge("grep -q other", output_fd, 0, -1, &status, &error),
        DUET_OK);
    assert_int_equal(status, 1);
    assert_int_equal(
        measure_trial_judge("sleep 60", output_fd, 20000000, -1, &status, &error),
        DUET_E_TIMEOUT);
}

static void test_output_alone(void **state)
{
    (void)state;
    static const char *const failing[] = {"sh", "-c", "echo on; seq 900; exit 3", NULL};
    static const char *const endless[] = {"yes", NULL};
    struct model_plan plan = {.error_output = {.kind = MODEL_STREAM_PIPE}};
    struct stream_tail tail;
    int status = 0;
    plan.sides[MODEL_OLD] =
        (struct model_workload){.command = "words", .argv = failing};
    assert_int_equal(measure_trial_output(&plan, MODEL_OLD, -1, &tail, &status, &error),
                     DUET_OK);
    assert_int_equal(status, 3);
    assert_string_equal(stream_tail_lines(&tail, 2), "899\n900");
    plan.sides[MODEL_OLD].argv = endless; /* it ends at 16 MiB */
    assert_int_equal(measure_trial_output(&plan, MODEL_OLD, -1, &tail, &status, &error),
                     DUET_OK);
    assert_int_equal(status, 128 + SIGXFSZ);
    assert_string_equal(stream_tail_lines(&tail, 1), "y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_output_and_status, make_output,
                                        close_output),
        cmocka_unit_test_setup_teardown(test_what_stops_it, make_output, close_output),
        cmocka_unit_test_setup_teardown(test_judge, make_output, close_output),
        cmocka_unit_test(test_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
