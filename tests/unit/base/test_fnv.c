#include "base/fnv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Vectors of the authors (test_fnv.c of their reference code, FNV-1a with 64 bits). */
static void it_gives_the_known_answers(void **state)
{
    (void)state;
    assert_true(fnv_of("") == UINT64_C(0xcbf29ce484222325));
    assert_true(fnv_of("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(fnv_of("b") == UINT64_C(0xaf63df4c8601f1a5));
    assert_true(fnv_of("foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(fnv_add(FNV_BASIS, "", 1) == UINT64_C(0xaf63bd4c8601b7df));
}

static void it_goes_on_where_it_was(void **state)
{
    (void)state;
    assert_true(fnv_add(fnv_of("foo"), "bar and more", 3) == fnv_of("foobar"));
    assert_true(fnv_add(FNV_BASIS, "\xff", 1) != fnv_of("\x7f")); /* unsigned bytes */
    assert_true(fnv_add(FNV_BASIS, "\xff", 1) ==
                (FNV_BASIS ^ 0xffU) * UINT64_C(0x100000001b3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_the_known_answers),
        cmocka_unit_test(it_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
