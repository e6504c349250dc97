/* Words of a shell. */
#include "unit/report/report_samples.h"

#include "report/quote.h"

static void words_of_a_shell(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *expected;
    } cases[] = {{"./old", "./old"},
                 {"a=1,b:2%", "a=1,b:2%"},
                 {"", "''"},
                 {"xz -9 file", "'xz -9 file'"},
                 {"it's", "'it'\\''s'"},
                 {"'", "''\\'''"},
                 {"$HOME `x` \"y\" \\", "'$HOME `x` \"y\" \\'"},
                 {"~", "'~'"},
                 {"#", "'#'"},
                 {"r\xc3\xa9sultat", "'r\xc3\xa9sultat'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        quote_append_shell(&text, cases[i].word);
        assert_string_equal(text_string(&text), cases[i].expected);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
