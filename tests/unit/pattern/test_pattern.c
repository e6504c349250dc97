/* Regular expressions: what compiles, what they find, and what is told. */
#include "pattern/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RANGES = 3 };

static struct duet_error error;
static struct pattern_range ranges[RANGES];
static bool found;

static enum duet_code find(const char *expression, const char *text, size_t length)
{
    struct pattern *pattern = NULL;
    if (pattern_compile(expression, &pattern, &error) != DUET_OK) {
        fail_msg("%s: %s", expression, error.message);
    }
    enum duet_code code =
        pattern_find(pattern, text, length, ranges, RANGES, &found, &error);
    pattern_free(pattern);
    return code;
}

static void usual_ones_match(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"^[0-9]+$", "one\n20000\n"},
        {"(^| )time: ([0-9.]{1,10}) s( |$)", "real time: 0.25 s"},
        {"[]^(]{2}\\(x\\)", "^](x)"},
        {"[[:digit:](]{3}", "1(2"},
        {"((b|(a+)*)*x){2}", "aaxbx"},
        {"(^| |,)*[0-9]+(\\b|x)*", "in, 12"},
        {"^ *[0-9]* *[a-z]*( *x?y*)*(a|b|c)? *\\.? *[0-9]*( *s)?$",
         " 12 ab xy a . 3 s"},
        {"(?i)time: \\d+", "TIME: 5"},
        {"^[0-9]+ .s$", "12 \302\265s"}, /* one character */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(find(rows[i][0], rows[i][1], strlen(rows[i][1])), DUET_OK);
        if (!found) {
            fail_msg("%s: does not match", rows[i][0]);
        }
    }
}

static void says_where_the_match_and_its_groups_are(void **state)
{
    (void)state;
    static const char text[] = "a\nb xx\nc";
    assert_int_equal(find("^b (x+)$", text, 8), DUET_OK);
    assert_true(found);
    assert_int_equal(ranges[0].begin, 2);
    assert_int_equal(ranges[0].end, 6);
    assert_int_equal(ranges[1].begin, 4);
    assert_int_equal(ranges[1].end, 6);
    assert_true(ranges[2].begin == SIZE_MAX); /* there is none */
    assert_int_equal(find("(a)|(c)", text + 2, 6), DUET_OK);
    assert_true(found && ranges[1].begin == SIZE_MAX); /* took no part */
    assert_int_equal(ranges[2].begin, 5);
    assert_int_equal(find("c", text, 7), DUET_OK); /* behind the end */
    assert_false(found);
}

static void no_match_goes_beyond_a_line(void **state)
{
    (void)state;
    static const char text[] = "a\nb\n\nc\377d\n";
    static const char *const none[] = {"a\\sb", "a[^x]b", "a(.|\n)b", "\\Aa$\n", "c.d"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(find(none[i], text, sizeof text - 1), DUET_OK);
        assert_false(found);
    }
    assert_int_equal(find("^$", text, sizeof text - 1), DUET_OK);
    assert_true(found);
    assert_int_equal(find("^$", "", 0), DUET_OK); /* it has no line */
    assert_false(found);
    assert_int_equal(find("d$", text, sizeof text - 1), DUET_OK);
    assert_true(found);
}

static void assert_refused(const char *expression, const char *why)
{
    struct pattern *pattern = NULL;
    enum duet_code code = pattern_compile(expression, &pattern, &error);
    if (code != DUET_E_FORMAT || strstr(error.message, why) == NULL) {
        fail_msg("%.80s: code %d: %s", expression, (int)code, error.message);
    }
    assert_null(pattern);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    assert_refused("(", "missing closing parenthesis, at byte 1");
    assert_refused("ab[a", "missing terminating ] for character class, at byte 4");
    assert_refused("a{2,1}", "numbers out of order");
    assert_refused("\\", "\\ at end of pattern");
    assert_refused("a**", "quantifier does not follow a repeatable item");
    assert_refused("\377", "UTF-8 error");
}

static void exhausting_ones_are_refused(void **state)
{
    (void)state;
    static char deep[4001];
    static char large[PATTERN_BYTES_MAX + 2];
    memset(deep, '(', 2000);
    memset(deep + 2000, ')', 2000);
    assert_refused(deep, "parentheses are too deeply nested");
    memset(large, 'a', PATTERN_BYTES_MAX + 1);
    assert_refused(large, "longer than 4096 bytes");
    large[PATTERN_BYTES_MAX] = '\0';
    assert_int_equal(find(large, "b", 1), DUET_OK);
    assert_refused("((((((a{1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99}",
                   "too large");
    assert_refused("(a?){0,65535}", "too large");
    assert_refused("a{0,99999999999999999999}", "number too big");
}

static void exhausting_searches_end(void **state)
{
    (void)state;
    static char line[1 << 20];
    memset(line, 'a', sizeof line);
    assert_int_equal(find("(a|a)*(b|c)", line, 40), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 10000000 steps"));
    assert_int_equal(find("(a|b)*(c|d)", line, sizeof line), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 64 MiB"));
    assert_int_equal(find("(?R)", line, 9), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "looking for it failed: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_ones_match),
        cmocka_unit_test(says_where_the_match_and_its_groups_are),
        cmocka_unit_test(no_match_goes_beyond_a_line),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(exhausting_ones_are_refused),
        cmocka_unit_test(exhausting_searches_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
