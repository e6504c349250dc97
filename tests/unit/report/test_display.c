#include "unit/report/report_samples.h"

#include "report/display.h"

static void columns_of_characters(void **state)
{
    (void)state;
    assert_int_equal(display_columns(""), 0);
    assert_int_equal(display_columns("abc"), 3);
    assert_int_equal(display_columns("µ±×…"), 4);
    assert_int_equal(display_columns("e\u0301"), 1);
    assert_int_equal(display_columns("漢字"), 4);
    assert_int_equal(display_columns("\xFF\xC3"), 2);
    assert_int_equal(display_columns("\u0E01\u0E31"), 1); /* Thai vowel above */
    assert_int_equal(display_columns("\u231A"), 2);       /* an emoji below U+1F300 */
}

static void clean_text_cannot_steer_a_terminal(void **state)
{
    (void)state;
    struct text text = {0};
    display_append_clean(&text, "a\033[31mb\tc\r\nd\u202Ee\xC2\x85", true);
    assert_string_equal(text_string(&text), "a\uFFFD[31mb c  d\uFFFDe\uFFFD");
    text_release(&text);
    display_append_clean(&text, "é\033\xFFx", false);
    assert_string_equal(text_string(&text), "???x");
    text_release(&text);
}

static void long_names_keep_both_ends(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t columns;
        bool unicode;
        const char *expected;
    } cases[] = {{"xz -6 -k -c a.txt", 0, true, "xz -6 -k -c a.txt"},
                 {"xz -6 -k -c a.txt", 17, true, "xz -6 -k -c a.txt"},
                 {"xz -6 -k -c a.txt", 10, true, "xz -6….txt"},
                 {"xz -6 -k -c a.txt", 10, false, "xz -...txt"},
                 {"xz -6 -k -c a.txt", 1, true, "x"},
                 {"漢字漢字", 6, true, "漢…字"},
                 {"漢字漢字", 5, true, "漢…字"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        display_append_name(&text, cases[i].name, cases[i].columns, cases[i].unicode);
        assert_string_equal(text_string(&text), cases[i].expected);
        text_release(&text);
    }
    for (size_t columns = 1; columns < 40; columns++) {
        struct text text = {0};
        display_append_name(&text, "a漢b字c\u0301dé漢漢漢漢 and more of it", columns,
                            true);
        /* No room is wasted, but for half a wide sign on either side of the gap. */
        size_t most = columns < 32 ? columns : 32;
        assert_in_range(display_columns(text_string(&text)), most > 3 ? most - 2 : 1,
                        most);
        text_release(&text);
    }
}

static void paragraphs_hang_below_their_first_word(void **state)
{
    (void)state;
    struct report_style style = {.unicode = true, .width = 40};
    struct text text = {0};
    display_append_paragraph(&text, &style, DISPLAY_DIM, 2, "data:",
                             "one two three four five six seven eight nine ten");
    assert_string_equal(text_string(&text), "  data: one two three four five six\n"
                                            "        seven eight nine ten\n");
    text_release(&text);
    display_append_paragraph(&text, &style, DISPLAY_DIM, 2, "data:",
                             "/a/path/without/any/place/to/break/it/at and more");
    assert_string_equal(text_string(&text),
                        "  data: /a/path/without/any/place/to/break/it/at\n"
                        "        and more\n");
    text_release(&text);
    display_append_paragraph(&text, &style, DISPLAY_DIM, 0, "", "");
    assert_string_equal(text_string(&text), "\n");
    text_release(&text);
    style.width = 0;
    style.color = true;
    display_append_paragraph(&text, &style, DISPLAY_DIM, 1, "x", "y z");
    assert_string_equal(text_string(&text), " \033[1mx\033[0m \033[2my z\033[0m\n");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_characters),
        cmocka_unit_test(clean_text_cannot_steer_a_terminal),
        cmocka_unit_test(long_names_keep_both_ends),
        cmocka_unit_test(paragraphs_hang_below_their_first_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
