#include "json/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Unicode 15, table 3-7: every way of being ill-formed costs one U+FFFD a byte. */
static void ill_formed_bytes_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        const char *expected;
    } cases[] = {{"caf\xC3\xA9 \xF0\x9F\x98\x80", "café 😀"},
                 {"a\xFFz", "a\uFFFDz"},
                 {"cut\xE2\x82", "cut\uFFFD\uFFFD"},
                 {"\xC0\x80", "\uFFFD\uFFFD"},           /* overlong NUL */
                 {"\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD"}, /* overlong slash */
                 {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"}, /* surrogate */
                 {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
                 {"\x80", "\uFFFD"},
                 {"tab\tkept\n", "tab\tkept\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        utf8_append(&text, cases[i].bytes);
        assert_string_equal(text_string(&text), cases[i].expected);
        assert_int_equal(utf8_is_valid(cases[i].bytes),
                         strcmp(cases[i].bytes, cases[i].expected) == 0);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ill_formed_bytes_are_replaced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
