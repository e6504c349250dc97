// link: -Wl,--wrap=fork,--wrap=memfd_create,--wrap=chdir
/* One execution to look at: its output, its end, what stops it. */
#include "measure/trial.h"

#include "support/alloc_fail.h"
#include "sync/page.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int output_fd;
static struct duet_error error;
static struct trial_result result;

static enum call { NO_CALL, FORK, MEMFD_CREATE, CHDIR } failing_call;

pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_chdir(const char *path);
int __wrap_chdir(const char *path);
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);

static bool fails(enum call which, int errnum)
{
    errno = failing_call == which ? errnum : errno;
    return failing_call == which;
}

pid_t __wrap_fork(void)
{
    return fails(FORK, EAGAIN) ? -1 : __real_fork();
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fails(MEMFD_CREATE, EMFILE) ? -1 : __real_memfd_create(name, flags);
}

int __wrap_chdir(const char *path)
{
    return fails(CHDIR, ENOENT) ? -1 : __real_chdir(path);
}

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

static struct model_plan plan_of(const char *const *argv,
                                 enum model_stream_kind error_kind)
{
    return (struct model_plan){.sides = {{.command = "words", .argv = argv}},
                               .error_output = {.kind = error_kind}};
}

/* A benchmark program is told what to do, whatever it was told before. */
static void test_quiet(void **state)
{
    (void)state;
    static const char *const telling[] = {"sh", "-c",
                                          "echo $" SYNC_ITERATIONS_VARIABLE
                                          " $" SYNC_REPORT_VARIABLE " $TRIAL_HOME",
                                          NULL};
    const struct model_plan plan = plan_of(telling, MODEL_STREAM_PIPE);
    assert_int_equal(setenv(SYNC_ITERATIONS_VARIABLE, "77", 1), 0);
    assert_int_equal(setenv("TRIAL_HOME", "here", 1), 0);
    assert_int_equal(
        measure_trial_quiet(&plan, MODEL_OLD, -1, output_fd, &result, &error), DUET_OK);
    assert_int_equal(result.status, 0);
    expect_output("1 " SYNC_REPORT_NONE " here\n");
    bool some_failed = false;
    bool more = true;
    for (unsigned long n = 1; more; n++) {
        alloc_fail_at(n);
        enum duet_code code =
            measure_trial_quiet(&plan, MODEL_OLD, -1, output_fd, &result, &error);
        more = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        some_failed = some_failed || code == DUET_E_NOMEM;
    }
    assert_true(some_failed);
    assert_int_equal(unsetenv(SYNC_ITERATIONS_VARIABLE), 0);
}

static void test_folder(void **state)
{
    (void)state;
    static const char *const where[] = {"pwd", NULL};
    struct model_plan plan = plan_of(where, MODEL_STREAM_PIPE);
    plan.sides[MODEL_OLD].folder = "/";
    assert_int_equal(measure_trial(&plan, MODEL_OLD, -1, output_fd, &result, &error),
                     DUET_OK);
    expect_output("/\n");
    failing_call = CHDIR; /* it goes before it is used */
    assert_int_equal(measure_trial(&plan, MODEL_OLD, -1, output_fd, &result, &error),
                     DUET_OK);
    failing_call = NO_CALL;
    assert_int_equal(result.status, 127);
    plan.sides[MODEL_OLD].folder = "/no such folder";
    assert_int_equal(measure_trial(&plan, MODEL_OLD, -1, output_fd, &result, &error),
                     DUET_E_USAGE);
}

static void assert_fails(const struct model_plan *plan, enum duet_code code,
                         const char *says)
{
    error = (struct duet_error){.code = DUET_OK};
    assert_int_equal(measure_trial(plan, MODEL_OLD, -1, output_fd, &result, &error),
                     code);
    assert_non_null(strstr(error.message, says));
}

static void test_what_the_system_refuses(void **state)
{
    (void)state;
    static const char *const brief[] = {"true", NULL};
    struct model_plan plan = plan_of(brief, MODEL_STREAM_PIPE);
    struct stream_tail tail;
    int status = 0;
    failing_call = MEMFD_CREATE;
    assert_fails(&plan, DUET_E_SYSTEM, "a file for standard error");
    assert_int_equal(measure_trial_output(&plan, MODEL_OLD, -1, &tail, &status, &error),
                     DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "a file for an output"));
    failing_call = FORK;
    assert_fails(&plan, DUET_E_SYSTEM, "cannot start '/");
    failing_call = NO_CALL;
    plan.input = (struct model_stream){.kind = MODEL_STREAM_FILE, .path = "/no/file"};
    assert_fails(&plan, DUET_E_USAGE, "cannot open what 'words' reads or writes");
}

/* Where its output goes has to be a file. */
static void test_a_pipe_is_no_file(void **state)
{
    (void)state;
    static const char *const brief[] = {"true", NULL};
    const struct model_plan plan = plan_of(brief, MODEL_STREAM_NULL);
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(measure_trial(&plan, MODEL_OLD, -1, ends[1], &result, &error),
                     DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot empty"));
    assert_int_equal(measure_trial_judge("true", ends[0], 0, -1, &status, &error),
                     DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot read"));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_output_and_status, make_output,
                                        close_output),
        cmocka_unit_test_setup_teardown(test_what_stops_it, make_output, close_output),
        cmocka_unit_test_setup_teardown(test_judge, make_output, close_output),
        cmocka_unit_test(test_output_alone),
        cmocka_unit_test_setup_teardown(test_quiet, make_output, close_output),
        cmocka_unit_test_setup_teardown(test_folder, make_output, close_output),
        cmocka_unit_test_setup_teardown(test_what_the_system_refuses, make_output,
                                        close_output),
        cmocka_unit_test(test_a_pipe_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
