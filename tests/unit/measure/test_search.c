// labels: novalgrind
/* Looking for a regular expression in bounded time. novalgrind: a limit on CPU time. */
#include "measure/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct duet_error error;
static regmatch_t matches[2];
static bool found;

static enum duet_code look(const char *pattern, const char *text, size_t length,
                           int cancel_fd)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
    found = false;
    enum duet_code code =
        measure_search(&regex, text, length, 1, cancel_fd, matches, 2, &found, &error);
    regfree(&regex);
    return code;
}

static void finds_it_and_its_group(void **state)
{
    (void)state;
    assert_int_equal(look("^b (x+)$", "a\nb xx\nc", 8, -1), DUET_OK);
    assert_true(found);
    assert_int_equal(matches[0].rm_so, 2);
    assert_int_equal(matches[1].rm_so, 4);
    assert_int_equal(matches[1].rm_eo, 6);
    assert_int_equal(look("c", "a\nb xx\nc", 7, -1), DUET_OK); /* behind the end */
    assert_false(found);
}

static void takes_bounded_time(void **state)
{
    (void)state;
    static char line[2000001]; /* its end is a NUL */
    memset(line, 'a', sizeof line - 1);
    assert_int_equal(look("(a|b)*c", line, sizeof line - 1, -1), DUET_E_WORKLOAD);
    assert_non_null(strstr(error.message, "more than 1 s of CPU time"));
}

static void can_be_ended(void **state)
{
    (void)state;
    static char line[2000001]; /* its end is a NUL */
    int ends[2];
    memset(line, 'a', sizeof line - 1);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(look("(a|b)*c", line, sizeof line - 1, ends[0]),
                     DUET_E_INTERRUPTED);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_it_and_its_group),
        cmocka_unit_test(takes_bounded_time),
        cmocka_unit_test(can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
