/* Which commits of a history are one. */
#include "session/history/equal_commits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

enum { LINE = 6, COMMITS = 8 };

/* The last two are on no line. */
static const bool on_line[COMMITS] = {true, true, true, true, true, true, false, false};

static struct equal_commits equal;

static int make(void **state)
{
    struct duet_error error;
    (void)state;
    if (equal_commits_new(on_line, COMMITS, &equal, &error) != DUET_OK) {
        return -1;
    }
    equal_commits_begin(&equal);
    for (size_t i = 0; i < COMMITS; i++) {
        equal.measured[i] = i != 4;
    }
    return 0;
}

static int release(void **state)
{
    (void)state;
    equal_commits_release(&equal);
    return 0;
}

static void alone_each_is_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < COMMITS; i++) {
        assert_int_equal(equal_commits_first(&equal, i), i);
        assert_int_equal(equal.last[i], i);
    }
}

static void those_in_a_row_are_the_first(void **state)
{
    (void)state;
    equal_commits_join(&equal, 2, 1);
    equal_commits_join(&equal, 3, 2);
    equal_commits_join(&equal, 5, 3); /* 4 was not measured */
    for (size_t i = 1; i < LINE; i++) {
        assert_int_equal(equal_commits_first(&equal, i), i == 4 ? 4 : 1);
    }
    assert_int_equal(equal.last[1], 5);
    equal_commits_join(&equal, 1, 5);
    assert_int_equal(equal.last[1], 5);
}

static void what_lies_between_keeps_them_apart(void **state)
{
    (void)state;
    equal_commits_join(&equal, 0, 2);
    assert_int_equal(equal_commits_first(&equal, 2), 2);
    equal_commits_join(&equal, 0, 1);
    equal_commits_join(&equal, 0, 2); /* now nothing does */
    assert_int_equal(equal_commits_first(&equal, 2), 0);
}

static void those_of_no_line_stand_for_none(void **state)
{
    (void)state;
    equal_commits_join(&equal, 7, 6);
    equal_commits_join(&equal, 7, 3);
    assert_int_equal(equal_commits_first(&equal, 6), 3);
    assert_int_equal(equal_commits_first(&equal, 7), 3);
    assert_int_equal(equal.last[3], 3);
    equal_commits_join(&equal, 0, 6); /* 1 and 2 lie between */
    assert_int_equal(equal_commits_first(&equal, 6), 3);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 3; n++) {
        struct equal_commits none = {.count = 0};
        struct duet_error error;
        alloc_fail_at(n);
        enum duet_code code = equal_commits_new(on_line, COMMITS, &none, &error);
        alloc_fail_at(0);
        assert_int_equal(code, DUET_E_NOMEM);
        assert_null(none.first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(alone_each_is_itself, make, release),
        cmocka_unit_test_setup_teardown(those_in_a_row_are_the_first, make, release),
        cmocka_unit_test_setup_teardown(what_lies_between_keeps_them_apart, make,
                                        release),
        cmocka_unit_test_setup_teardown(those_of_no_line_stand_for_none, make, release),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
