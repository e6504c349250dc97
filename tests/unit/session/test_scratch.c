/* A folder for what is needed only meanwhile. */
// link: duet_session
#include "session/scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

static char warned[256];

static void keep_warning(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    (void)snprintf(warned, sizeof warned, "%s", line);
}

static const struct listener listener = {.notice = keep_warning};

static void it_goes_with_all_that_is_in_it(void **state)
{
    (void)state;
    char *outer = NULL;
    char *inner = NULL;
    char path[128];
    struct stat status;
    struct duet_error error;
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(scratch_make(&outer, &error), DUET_OK);
    assert_int_equal(strncmp(outer, "/tmp/duet-", 10), 0);
    assert_int_equal(stat(outer, &status), 0);
    assert_int_equal(status.st_mode & 0777U, 0700);
    assert_int_equal(setenv("TMPDIR", outer, 1), 0);
    assert_int_equal(scratch_make(&inner, &error), DUET_OK);
    assert_int_equal(strncmp(inner, outer, strlen(outer)), 0);
    (void)snprintf(path, sizeof path, "%s/out", inner);
    assert_int_equal(symlink("/etc", path), 0); /* which is not followed */
    scratch_remove(outer, &listener);
    assert_int_not_equal(stat(outer, &status), 0);
    assert_int_equal(stat("/etc/passwd", &status), 0);
    assert_string_equal(warned, "");
    scratch_remove(outer, &listener);
    assert_non_null(strstr(warned, "cannot remove"));
    assert_non_null(strstr(warned, outer));
    free(inner);
    free(outer);
}

static void where_nothing_can_be_made(void **state)
{
    (void)state;
    char *path = NULL;
    struct duet_error error = {0};
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(scratch_make(&path, &error), DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all/duet-"));
    alloc_fail_at(1);
    assert_int_equal(scratch_make(&path, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_null(path);
    assert_int_equal(setenv("TMPDIR", "relative", 1), 0); /* as if it were not set */
    assert_int_equal(scratch_make(&path, &error), DUET_OK);
    assert_int_equal(strncmp(path, "/tmp/duet-", 10), 0);
    scratch_remove(path, &listener);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_with_all_that_is_in_it),
        cmocka_unit_test(where_nothing_can_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
