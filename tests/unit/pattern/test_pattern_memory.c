// labels: noasan novalgrind
/* Every allocation of PCRE2's fails once: an error, and nothing is found. */
#include "pattern/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/malloc_fail.h"

#include <cmocka.h>

/* So much that matching it needs more room than it has to begin with. */
static char line[20000];

static enum duet_code find_failing_at(unsigned long n, unsigned long *ret_seen)
{
    struct pattern *pattern = NULL;
    struct pattern_range range;
    struct duet_error error = {0};
    bool found = false;
    (void)malloc_fail_at(n);
    enum duet_code code = pattern_compile("(?<x>a|b)*(c|d)", &pattern, &error);
    if (code == DUET_OK) {
        code = pattern_find(pattern, line, sizeof line, &range, 1, &found, &error);
        pattern_free(pattern);
    }
    *ret_seen = malloc_fail_at(0);
    assert_int_equal(found, code == DUET_OK);
    if (code != DUET_OK) {
        assert_int_equal(code, DUET_E_NOMEM);
        assert_string_equal(error.message, "out of memory");
    }
    return code;
}

static void every_failure_is_an_error(void **state)
{
    (void)state;
    unsigned long all = 0;
    unsigned long seen = 0;
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = 'c';
    (void)malloc_fail_at(0);
    assert_int_equal(find_failing_at(0, &all), DUET_OK);
    assert_true(all >= 6);
    for (unsigned long n = 1; n <= all; n++) {
        assert_int_equal(find_failing_at(n, &seen), DUET_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
