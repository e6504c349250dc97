#include "base/alloc.h"

#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void array_is_zeroed(void **state)
{
    (void)state;
    unsigned char *bytes = alloc_array(1000, 3);
    assert_non_null(bytes);
    for (size_t i = 0; i < 3000; i++) {
        assert_int_equal(bytes[i], 0);
    }
    free(bytes);
}

static void array_of_nothing_is_a_block(void **state)
{
    (void)state;
    char *none = alloc_array(0, 8);
    char *empty = alloc_array(8, 0);
    assert_non_null(none);
    assert_non_null(empty);
    assert_int_equal(*none, 0);
    free(none);
    free(empty);
}

static void array_size_overflow_is_refused(void **state)
{
    (void)state;
    assert_null(alloc_array(SIZE_MAX / 2 + 1, 2));
    assert_null(alloc_array(SIZE_MAX / 4, 8));
}

static void resize_keeps_the_contents(void **state)
{
    (void)state;
    int *numbers = NULL;
    for (size_t count = 1; count <= 1000; count++) {
        int *longer = alloc_resize(numbers, count, sizeof *numbers);
        assert_non_null(longer);
        numbers = longer;
        numbers[count - 1] = (int)count;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i + 1);
    }
    free(numbers);
}

static void resize_failing_leaves_the_block(void **state)
{
    (void)state;
    char *block = alloc_string("kept");
    assert_non_null(block);
    assert_null(alloc_resize(block, SIZE_MAX / 2 + 1, 2));
    assert_string_equal(block, "kept");
    free(block);
}

static void resize_to_nothing_is_a_block(void **state)
{
    (void)state;
    void *block = alloc_resize(NULL, 0, 8);
    assert_non_null(block);
    block = alloc_resize(block, 5, 0);
    assert_non_null(block);
    free(block);
}

static void string_copies(void **state)
{
    (void)state;
    char source[] = "text";
    char *whole = alloc_string(source);
    char *part = alloc_string_n(source, 2);
    char *empty = alloc_string_n(source, 0);
    source[0] = 'n';
    assert_string_equal(whole, "text");
    assert_string_equal(part, "te");
    assert_string_equal(empty, "");
    assert_null(alloc_string_n(source, SIZE_MAX));
    free(whole);
    free(part);
    free(empty);
}

static void format_is_as_long_as_needed(void **state)
{
    (void)state;
    char *small = alloc_format("%s-%d", "a", 7);
    assert_string_equal(small, "a-7");
    free(small);
    char *large = alloc_format("%*d", 5000, 42);
    assert_int_equal(strlen(large), 5000);
    assert_string_equal(large + 4998, "42");
    free(large);
}

static void any_call_can_be_made_to_fail(void **state)
{
    (void)state;
    alloc_fail_at(1);
    assert_null(alloc_array(1, 1));
    alloc_fail_at(1);
    assert_null(alloc_resize(NULL, 1, 1));
    alloc_fail_at(1);
    assert_null(alloc_string("x"));
    alloc_fail_at(1);
    assert_null(alloc_string_n("x", 1));
    alloc_fail_at(1);
    assert_null(alloc_format("%d", 1));
    alloc_fail_at(2);
    void *first = alloc_array(1, 1);
    assert_non_null(first);
    assert_null(alloc_array(1, 1));
    void *third = alloc_array(1, 1);
    assert_non_null(third);
    assert_int_equal(alloc_fail_seen(), 3);
    alloc_fail_at(0);
    free(first);
    free(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_is_zeroed),
        cmocka_unit_test(array_of_nothing_is_a_block),
        cmocka_unit_test(array_size_overflow_is_refused),
        cmocka_unit_test(resize_keeps_the_contents),
        cmocka_unit_test(resize_failing_leaves_the_block),
        cmocka_unit_test(resize_to_nothing_is_a_block),
        cmocka_unit_test(string_copies),
        cmocka_unit_test(format_is_as_long_as_needed),
        cmocka_unit_test(any_call_can_be_made_to_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
