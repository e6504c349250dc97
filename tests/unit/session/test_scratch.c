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
    struct scratch outer;
    struct scratch inner;
    char path[128];
    struct stat status;
    struct duet_error error;
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(scratch_make(&outer, &error), DUET_OK);
    assert_int_equal(strncmp(outer.path, "/tmp/duet-", 10), 0);
    assert_int_equal(stat(outer.path, &status), 0);
    assert_int_equal(status.st_mode & 0777U, 0700);
    assert_int_equal(setenv("TMPDIR", outer.path, 1), 0);
    assert_int_equal(scratch_make(&inner, &error), DUET_OK);
    assert_int_equal(strncmp(inner.path, outer.path, strlen(outer.path)), 0);
    (void)snprintf(path, sizeof path, "%s/out", inner.path);
    assert_int_equal(symlink("/etc", path), 0); /* which is not followed */
    (void)snprintf(path, sizeof path, "%s", outer.path);
    scratch_remove(&outer, &listener);
    assert_int_not_equal(stat(path, &status), 0);
    assert_int_equal(stat("/etc/passwd", &status), 0);
    assert_string_equal(warned, "");
    scratch_remove(&outer, &listener); /* there is none any more */
    assert_string_equal(warned, "");
    scratch_remove(&inner, &listener);
    assert_non_null(strstr(warned, "cannot remove"));
    assert_non_null(strstr(warned, path));
}

static void what_a_killed_program_left_is_removed(void **state)
{
    (void)state;
    struct scratch outer;
    struct scratch used;
    struct scratch next;
    char left[128];
    struct stat status;
    struct duet_error error;
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(scratch_make(&outer, &error), DUET_OK);
    assert_int_equal(setenv("TMPDIR", outer.path, 1), 0);
    (void)snprintf(left, sizeof left, "%s/duet-scratch-0123456789abcdef", outer.path);
    assert_int_equal(mkdir(left, 0700), 0);
    assert_int_equal(scratch_make(&used, &error), DUET_OK);
    assert_int_not_equal(stat(left, &status), 0);
    assert_int_equal(scratch_make(&next, &error), DUET_OK);
    assert_int_equal(stat(used.path, &status), 0); /* its lock is held */
    scratch_remove(&next, &listener);
    scratch_remove(&used, &listener);
    scratch_remove(&outer, &listener);
}

static void a_path_that_shells_interpret_gets_a_link(void **state)
{
    (void)state;
    struct scratch scratch;
    struct duet_error error;
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(scratch_make(&scratch, &error), DUET_OK);
    char *plain = strdup("/some/folder");
    char *odd = strdup("/some folder");
    assert_int_equal(scratch_plain(&scratch, &plain, &error), DUET_OK);
    assert_string_equal(plain, "/some/folder");
    alloc_fail_at(1);
    assert_int_equal(scratch_plain(&scratch, &odd, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(scratch_plain(&scratch, &odd, &error), DUET_OK);
    char to[32] = "";
    assert_int_equal(readlink(odd, to, sizeof to - 1), (ssize_t)strlen("/some folder"));
    assert_string_equal(to, "/some folder");
    scratch_remove(&scratch, &listener);
    free(plain);
    free(odd);
}

static void where_nothing_can_be_made(void **state)
{
    (void)state;
    struct scratch scratch = {.path = NULL, .fd = -2};
    struct duet_error error = {0};
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(scratch_make(&scratch, &error), DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all/duet-"));
    assert_int_equal(setenv("TMPDIR", "/a;b", 1), 0);
    assert_int_equal(scratch_make(&scratch, &error), DUET_E_USAGE);
    assert_int_equal(scratch.fd, -2);
    assert_int_equal(setenv("TMPDIR", "relative", 1), 0); /* as if it were not set */
    assert_int_equal(scratch_make(&scratch, &error), DUET_OK);
    assert_int_equal(strncmp(scratch.path, "/tmp/duet-", 10), 0);
    /* Within it nobody else has folders, which would be looked at first. */
    struct scratch inner = {.path = NULL, .fd = -2};
    assert_int_equal(setenv("TMPDIR", scratch.path, 1), 0);
    alloc_fail_at(1);
    assert_int_equal(scratch_make(&inner, &error), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_int_equal(inner.fd, -2);
    scratch_remove(&scratch, &listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_with_all_that_is_in_it),
        cmocka_unit_test(what_a_killed_program_left_is_removed),
        cmocka_unit_test(a_path_that_shells_interpret_gets_a_link),
        cmocka_unit_test(where_nothing_can_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
