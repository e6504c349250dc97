/* A fleet's tasks one after the other. Its program is a shell script, and a result a
 * file's name. */
// link: duet_session
// labels: soakvalgrind
#include "session/fleet/fleet_local.h"

#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { TASKS = 3, TOLD_MAX = 8 };

/* What each task does, called as "PROGRAM fleet task FOLDER NUMBER". */
#define GIVES_RESULT ": > \"$3/results/0123abcd-00000$4-1-0123456789abcdef.part\"\n"
static const char works[] = "echo \"task $4\"; echo \"$1 $2\" >&2\n" GIVES_RESULT;

static char folder[256];
static struct fleet fleet;
static struct duet_error error;

/* What the listener was told: of each task done and index, -1 for the end. */
static double told_ratios[TOLD_MAX];
static size_t told_indexes[TOLD_MAX];
static size_t told_count;
static char warnings[1024];

static void take_notice(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    (void)snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings),
                   "%s\n", line);
}

static void take_progress(void *context, const struct session_progress *progress)
{
    (void)context;
    assert_true(told_count < TOLD_MAX);
    if (progress == NULL) {
        told_ratios[told_count++] = -1;
        return;
    }
    assert_string_equal(progress->name, "task");
    assert_int_equal(progress->count, TASKS);
    assert_true(isnan(progress->ratio) && isnan(progress->low) &&
                isnan(progress->high));
    told_indexes[told_count] = progress->index;
    told_ratios[told_count++] = progress->done_ratio;
}

static const struct listener listener = {.notice = take_notice,
                                         .progress = take_progress};

/* ---- The folder ---- */

static const char *in_folder(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_program(const char *script)
{
    char text[1024];
    int length = snprintf(text, sizeof text, "#!/bin/sh\n%s", script);
    int fd =
        open(in_folder(FLEET_PROGRAM), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, (size_t)length), length);
    assert_int_equal(close(fd), 0);
}

static int setup(void **state)
{
    static const char *const folders[] = {FLEET_RESULTS, FLEET_STATES, FLEET_LOGS};
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/fleet-XXXXXX", TEST_BINARY_DIR);
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (mkdir(in_folder(folders[i]), 0700) != 0) {
            return -1;
        }
    }
    fleet = (struct fleet){.path = folder,
                           .plan = {.id = "0123abcd", .study = true, .tasks = TASKS}};
    told_count = 0;
    warnings[0] = '\0';
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return remove_tree(folder);
}

static void assert_log(unsigned task, const char *expected)
{
    char name[64];
    char text[1024] = "";
    (void)snprintf(name, sizeof name, "%s/%06u.log", FLEET_LOGS, task);
    FILE *file = fopen(in_folder(name), "re");
    if (expected == NULL) {
        assert_null(file);
        return;
    }
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
}

/* Each task by its index among those that are done, and the end. */
static void assert_told(size_t count, const size_t *indexes)
{
    assert_int_equal(told_count, count + 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(told_indexes[i], indexes[i]);
        double done = (double)(indexes[i] - 1) / TASKS;
        assert_true(fabs(told_ratios[i] - done) < 1e-9);
    }
    assert_true(told_ratios[count] < 0);
    told_count = 0;
}

static void assert_works(void)
{
    enum duet_code code = fleet_local(&fleet, -1, &listener, &error);
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
}

/* ---- Tests ---- */

static void all_tasks_have_their_turn(void **state)
{
    (void)state;
    write_program(works);
    assert_works();
    assert_told(3, (const size_t[]){1, 2, 3});
    assert_log(1, "task 1\nfleet task\n");
    assert_log(2, "task 2\nfleet task\n");
    assert_log(3, "task 3\nfleet task\n");
    assert_string_equal(warnings, "");
    assert_works(); /* what has a result stays */
    assert_told(0, NULL);
    assert_log(3, "task 3\nfleet task\n");
}

static void a_task_that_fails_is_told_and_tried_again(void **state)
{
    (void)state;
    char expected[512];
    write_program("test $4 = 2 && { echo no; exit 3; }\n" GIVES_RESULT);
    assert_works();
    (void)snprintf(expected, sizeof expected,
                   "task 2 failed: its log is %s/logs/000002.log\n", folder);
    assert_string_equal(warnings, expected);
    assert_told(3, (const size_t[]){1, 2, 2});
    write_program(works);
    assert_works();
    assert_told(1, (const size_t[]){3});
    assert_log(1, "");
    assert_log(2, "no\ntask 2\nfleet task\n"); /* behind what it has said before */
    assert_string_equal(warnings, expected);
}

static void nobody_needs_to_listen(void **state)
{
    static const struct listener notices_only = {.notice = take_notice};
    (void)state;
    write_program("test $4 != 1\n");
    assert_int_equal(fleet_local(&fleet, -1, NULL, &error), DUET_OK);
    assert_int_equal(fleet_local(&fleet, -1, &notices_only, &error), DUET_OK);
    assert_int_equal(strncmp(warnings, "task 1 failed", 13), 0);
    assert_log(3, "");
}

static void it_ends_with_the_fleet(void **state)
{
    (void)state;
    write_program("echo decided > \"$3/ended\"\n" GIVES_RESULT);
    assert_works();
    assert_told(1, (const size_t[]){1});
    assert_log(1, "");
    assert_log(2, NULL);
}

static void it_is_interrupted(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    write_program("sleep 100\n");
    assert_int_equal(fleet_local(&fleet, ends[0], &listener, &error),
                     DUET_E_INTERRUPTED);
    assert_string_equal(error.message, "interrupted");
    assert_told(1, (const size_t[]){1});
    assert_string_equal(warnings, "");
    assert_log(1, "");
    assert_log(2, NULL);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void assert_ends_with(enum duet_code code, const char *said)
{
    assert_int_equal(fleet_local(&fleet, -1, &listener, &error), code);
    if (strstr(error.message, said) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, said);
    }
    assert_true(told_count > 0 && told_ratios[told_count - 1] < 0);
    assert_string_equal(warnings, "");
    told_count = 0;
}

static void files_that_are_missing_or_none(void **state)
{
    (void)state;
    assert_ends_with(DUET_E_UNSUITABLE, in_folder(FLEET_PROGRAM));
    assert_log(2, NULL);
    write_program(works);
    assert_int_equal(unlink(in_folder(FLEET_LOGS "/000001.log")), 0);
    assert_int_equal(rmdir(in_folder(FLEET_LOGS)), 0);
    assert_ends_with(DUET_E_IO, "cannot write '");
    assert_int_equal(mkdir(in_folder(FLEET_LOGS), 0700), 0);
    assert_int_equal(mkdir(in_folder(FLEET_ENDED), 0700), 0);
    assert_ends_with(DUET_E_IO, "cannot read '");
    assert_log(1, NULL); /* nothing was executed meanwhile */
}

/* Whichever allocation fails: it is an error, or all tasks were executed. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    size_t errors = 0;
    unsigned long made = 0;
    for (unsigned long n = 1; n == 1 || n - 1 <= made; n++) {
        assert_int_equal(teardown(NULL), 0);
        assert_int_equal(setup(NULL), 0);
        write_program(works);
        alloc_fail_at(n);
        enum duet_code code = fleet_local(&fleet, -1, &listener, &error);
        made = alloc_fail_seen();
        alloc_fail_at(0);
        if (code != DUET_OK) {
            assert_int_equal(code, DUET_E_NOMEM);
            assert_true(told_count > 0 && told_ratios[told_count - 1] < 0);
            errors++;
        } else {
            assert_told(3, (const size_t[]){1, 2, 3});
            assert_log(3, "task 3\nfleet task\n");
        }
        assert_string_equal(warnings, "");
    }
    assert_true(errors > 10 * TASKS);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_tasks_have_their_turn),
        CASE(a_task_that_fails_is_told_and_tried_again),
        CASE(nobody_needs_to_listen),
        CASE(it_ends_with_the_fleet),
        CASE(it_is_interrupted),
        CASE(files_that_are_missing_or_none),
        CASE(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
