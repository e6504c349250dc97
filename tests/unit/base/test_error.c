#include "base/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_fills_and_returns_the_code(void **state)
{
    (void)state;
    struct duet_error error = {.code = DUET_OK};
    assert_int_equal(error_set(&error, DUET_E_FORMAT, "%s:%d: bad", "file", 7),
                     DUET_E_FORMAT);
    assert_int_equal(error.code, DUET_E_FORMAT);
    assert_string_equal(error.message, "file:7: bad");
}

static void set_accepts_nobody_listening(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, DUET_E_IO, "x"), DUET_E_IO);
    assert_int_equal(error_set_errno(NULL, DUET_E_IO, ENOENT, "x"), DUET_E_IO);
}

static void set_can_quote_the_error_it_replaces(void **state)
{
    (void)state;
    struct duet_error error;
    (void)error_set(&error, DUET_E_IO, "inner");
    (void)error_set(&error, DUET_E_WORKLOAD, "outer: %s", error.message);
    assert_int_equal(error.code, DUET_E_WORKLOAD);
    assert_string_equal(error.message, "outer: inner");
    (void)error_set_errno(&error, DUET_E_IO, EACCES, "again: %s", error.message);
    assert_string_equal(error.message, "again: outer: inner: Permission denied");
}

static void set_errno_appends_the_reason(void **state)
{
    (void)state;
    struct duet_error error;
    errno = EINTR;
    assert_int_equal(error_set_errno(&error, DUET_E_SYSTEM, ENOENT, "open %s", "x"),
                     DUET_E_SYSTEM);
    assert_string_equal(error.message, "open x: No such file or directory");
    (void)error_set_errno(&error, DUET_E_SYSTEM, EMFILE, "open x");
    assert_string_equal(error.message,
                        "open x: Too many open files; allow more with ulimit -n 1024");
    assert_int_equal(error_set_start(&error, EAGAIN, "start %s", "x"), DUET_E_SYSTEM);
    assert_string_equal(error.message, "start x: Resource temporarily unavailable; end "
                                       "other processes, or allow more with ulimit -u");
    (void)error_set_start(&error, ENOMEM, "start x");
    assert_string_equal(error.message, "start x: Cannot allocate memory");
    (void)error_set_errno(&error, DUET_E_SYSTEM, EMFILE, "a pipe (ulimit -n 64)");
    assert_string_equal(error.message, "a pipe (ulimit -n 64): Too many open files");
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    struct duet_error error;
    (void)error_set(&error, DUET_E_USAGE, "%*d", 5000, 1);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    (void)error_set_errno(&error, DUET_E_USAGE, ENOENT, "%*d", 5000, 1);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    /* Room for a part of the reason only. */
    (void)error_set_errno(&error, DUET_E_USAGE, ENOENT, "%*d",
                          (int)sizeof error.message - 5, 1);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_string_equal(error.message + sizeof error.message - 6, "1: No");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_and_returns_the_code),
        cmocka_unit_test(set_accepts_nobody_listening),
        cmocka_unit_test(set_can_quote_the_error_it_replaces),
        cmocka_unit_test(set_errno_appends_the_reason),
        cmocka_unit_test(long_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
