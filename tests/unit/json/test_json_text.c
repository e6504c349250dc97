/* A document as bytes, whichever allocation fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/alloc_fail.h"
#include "json/json_text.h"

#include <string.h>

static const char expected[] = "{\n"
                               "  \"schema_version\": 1,\n"
                               "  \"share\": 0.10000000000000001,\n"
                               "  \"words\": [\n"
                               "    \"a long one, so that the text has to grow\"\n"
                               "  ]\n"
                               "}";

static void nothing_is_left_out(void **state)
{
    (void)state;
    json_t *document = json_pack("{s:i, s:f, s:[s]}", "schema_version", 1, "share", 0.1,
                                 "words", "a long one, so that the text has to grow");
    unsigned long count = 1;
    for (unsigned long nth = 0; nth <= count; nth++) {
        struct text text = {0};
        alloc_fail_at(nth);
        bool whole = json_text_append(&text, document);
        count = nth == 0 ? alloc_fail_seen() : count;
        alloc_fail_at(0);
        assert_int_equal(whole, nth == 0);
        if (whole) {
            assert_string_equal(text_string(&text), expected);
        }
        text_release(&text);
    }
    assert_true(count >= 2);
    json_decref(document);
}

static void of_no_document(void **state)
{
    (void)state;
    struct text text = {0};
    assert_false(json_text_append(&text, NULL));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_out),
        cmocka_unit_test(of_no_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
