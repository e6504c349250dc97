#include "base/text.h"

#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void zeroed_storage_is_an_empty_string(void **state)
{
    (void)state;
    struct text text = {0};
    assert_string_equal(text_string(&text), "");
    assert_false(text_failed(&text));
    char *taken = text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
    text_release(&text);
    text_release(NULL);
}

static void appends_add_up(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "one");
    text_append_char(&text, ' ');
    text_append_n(&text, "two three", 3);
    text_append_format(&text, " %d%s", 3, "!");
    text_append(&text, "");
    assert_string_equal(text_string(&text), "one two 3!");
    assert_int_equal(text.length, 10);
    text_release(&text);
    assert_string_equal(text_string(&text), "");
}

static void words_of_a_shell_are_quoted(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"", "''"},
                                           {"a", "'a'"},
                                           {"it's", "'it'\\''s'"},
                                           {"'", "''\\'''"},
                                           {"$a \\\n", "'$a \\\n'"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct text text = {0};
        text_append_quoted(&text, words[i][0]);
        assert_string_equal(text_string(&text), words[i][1]);
        text_release(&text);
    }
}

static void grows_to_any_length(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 10000; i++) {
        text_append_format(&text, "%04d", i);
    }
    text_append_format(&text, "%*d", 30000, 7); /* more than twice what is reserved */
    assert_int_equal(text.length, 70000);
    assert_int_equal(strlen(text_string(&text)), 70000);
    assert_memory_equal(text_string(&text) + 4L * 9999, "9999", 4);
    text_release(&text);
}

static void take_hands_over_and_empties(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "mine");
    char *taken = text_take(&text);
    assert_string_equal(taken, "mine");
    assert_int_equal(text.length, 0);
    text_append(&text, "next");
    assert_string_equal(text_string(&text), "next");
    assert_string_equal(taken, "mine");
    text_release(&text);
    free(taken);
}

static void write_much(struct text *text)
{
    for (int i = 0; i < 50; i++) {
        text_append_format(text, "line %d", i);
        text_append_char(text, '\n');
    }
}

static void failure_of_any_allocation_is_remembered(void **state)
{
    (void)state;
    struct text text = {0};
    alloc_fail_at(0);
    write_much(&text);
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations >= 3);
    text_release(&text);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        write_much(&text);
        assert_true(text_failed(&text));
        size_t length = text.length;
        text_append(&text, "more");
        assert_int_equal(text.length, length);
        assert_null(text_take(&text));
        assert_false(text_failed(&text));
    }
    alloc_fail_at(0);
    text_release(&text);
}

static void absurd_lengths_fail(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "x");
    text_append_n(&text, "y", SIZE_MAX - 1);
    assert_true(text_failed(&text));
    text_release(&text);
}

static void test_cut_characters(void **state)
{
    (void)state;
    static const struct {
        const char *whole;
        const char *copied; /* into 5 bytes */
    } cases[] = {{"abcd", "abcd"},
                 {"abcde", "abcd"},
                 {"abc\xC3\xA9", "abc"},
                 {"\xE2\x82\xAC\xE2\x82\xAC", "\xE2\x82\xAC"},
                 {"\xF0\x9F\x98\x80x", "\xF0\x9F\x98\x80"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char field[5];
        text_copy(field, sizeof field, cases[i].whole);
        assert_string_equal(field, cases[i].copied);
    }
    char cut[] = "a\xC3 \xE2\x82 \xF0\x9F\x98";
    text_mend(cut);
    assert_string_equal(cut, "a? ? ?");
    char whole[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    text_mend(whole);
    assert_string_equal(whole, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

static void endings(void **state)
{
    (void)state;
    assert_true(text_ends_with("a.csv", ".csv"));
    assert_true(text_ends_with(".csv", ".csv"));
    assert_true(text_ends_with("a", ""));
    assert_false(text_ends_with("csv", ".csv"));
    assert_false(text_ends_with("a.csv.gz", ".csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_storage_is_an_empty_string),
        cmocka_unit_test(appends_add_up),
        cmocka_unit_test(words_of_a_shell_are_quoted),
        cmocka_unit_test(grows_to_any_length),
        cmocka_unit_test(take_hands_over_and_empties),
        cmocka_unit_test(failure_of_any_allocation_is_remembered),
        cmocka_unit_test(absurd_lengths_fail),
        cmocka_unit_test(test_cut_characters),
        cmocka_unit_test(endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
