// link: -Wl,--wrap=fork,--wrap=regcomp
/* Regular expressions: what compiles, and what is refused before glibc sees it. */
#include "base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool no_process; /* for what is tried out */
static bool aborts;     /* regcomp() in it, as glibc's may without memory */

pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_regcomp(regex_t *regex, const char *pattern, int flags);
int __wrap_regcomp(regex_t *regex, const char *pattern, int flags);

pid_t __wrap_fork(void)
{
    errno = EAGAIN;
    return no_process ? -1 : __real_fork();
}

int __wrap_regcomp(regex_t *regex, const char *pattern, int flags)
{
    if (aborts) {
        abort();
    }
    return __real_regcomp(regex, pattern, flags);
}

static void usual_ones_match(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"^[0-9]+$", "one\n20000\n"},
        {"(^| )time: ([0-9.]{1,10}) s( |$)", "real time: 0.25 s"},
        {"[]^(]{2}\\(x\\)", "^](x)"},
        {"[[:digit:](]{3}", "1(2"},
        {"a{2,}|b{0}|c{,3}", "aa"},
        {"((b|(a+)*)*x){2}", "aaxbx"},
        {"\\b\\**+*", "a**"},
        {"(^| |,)*[0-9]+(\\b|x)*", "in, 12"},
        {"^ *[0-9]* *[a-z]*( *x?y*)*(a|b|c)? *\\.? *[0-9]*( *s)?$",
         " 12 ab xy a . 3 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        regex_t regex;
        struct duet_error error = {0};
        if (pattern_compile(rows[i][0], &regex, &error) != DUET_OK) {
            fail_msg("%s: %s", rows[i][0], error.message);
        }
        assert_int_equal(regexec(&regex, rows[i][1], 0, NULL, 0), 0);
        regfree(&regex);
    }
}

static void assert_refused(const char *pattern, const char *why)
{
    regex_t regex;
    struct duet_error error = {0};
    enum duet_code code = pattern_compile(pattern, &regex, &error);
    if (code != DUET_E_FORMAT || strstr(error.message, why) == NULL) {
        fail_msg("%.80s: code %d: %s", pattern, (int)code, error.message);
    }
}

static void mistakes_are_told(void **state)
{
    (void)state;
    assert_refused("(", "Unmatched");
    assert_refused("[a", "nmatched");
    assert_refused("a{2,1}", "Invalid");
    assert_refused("\\", "Trailing");
}

/* Each takes gigabytes, minutes, or the stack in regcomp(). */
static void exhausting_ones_are_refused(void **state)
{
    (void)state;
    static char deep[40001];
    memset(deep, '(', 20000);
    memset(deep + 20000, ')', 20000);
    assert_refused(deep, "nested more than 50");
    static const char *const large[] = {
        "((((((a{1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99}",
        "(((a{9}){9}){9}){9}",
        "a++++++++++++++++++++++++++++++",
        "((((((((((a+)+)+)+)+)+)+)+)+)+)+",
        "a{32767}",
        "()*{19}{19}",
        "a{600,}",
        "a{,600}",
        "([]()]{30}){30}",
        "([[:alpha:])]{30}){30}",
        "(^x|$){20}",
        "(\\b|\\B){20}",
        "(a?){0,999999999999999999999999}",
        "(){260\\0}",
        "a{60\\0}",
        "a{0\\,600}",
        "(\\b\\b\\b\\b\\b\\b\\b)+\\b",
        "((\\b\\b\\b)+\\b\\b\\b\\b)+",
    };
    static const char *const ways[] = {"(^b|$)*&**{20}", "(a*|b*){20}$", "^a???{20}",
                                       "x(()|()){20}y", "()?{19}+"};
    static const char *const nested[] = {
        "\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b\\*********************",
        "$\\|**************************************",
        "^(((((((((a)*)*)*)*)*)*)*)*)*",
        "(x|((((a*)*)*)*)*)****",
    };
    /* 19 s, and more than one. */
    static const char *const slow[] = {"(\\b\\b\\b\\b\\b)+*", "((\\b\\b)+(\\b\\b)+)*",
                                       "(\\b\\B|^)*^\\b",
                                       "(^&)))(\\b\\b\\b\\b)+**[[[[^]|$F)*&*040"};
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        assert_refused(slow[i], "more than 250 ms to compile");
    }
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++) {
        assert_refused(nested[i], "repetitions are nested more than 8");
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        assert_refused(ways[i], "match nothing in more than 32 ways");
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        assert_refused(large[i], "longer than 400");
    }
}

/* What is repeated with no character between is tried out by another process. */
static void a_trial_that_cannot_be_is_an_error(void **state)
{
    (void)state;
    static const char pattern[] = "(^| )*x";
    regex_t regex;
    struct duet_error error = {0};
    no_process = true;
    assert_int_equal(pattern_compile(pattern, &regex, &error), DUET_E_SYSTEM);
    assert_non_null(strstr(error.message, "cannot start a process that tries it out"));
    assert_int_equal(pattern_compile("(^ )*x", &regex, &error), DUET_OK);
    regfree(&regex);
    no_process = false;
    aborts = true;
    assert_int_equal(pattern_compile(pattern, &regex, &error), DUET_E_NOMEM);
    assert_string_equal(error.message, "no memory to compile it");
    aborts = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_ones_match),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(exhausting_ones_are_refused),
        cmocka_unit_test(a_trial_that_cannot_be_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
