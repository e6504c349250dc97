/* Which commands are known to choose their own number of iterations. */
// link: duet_session
#include "session/comparison/self_calibrating.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 6 };

static size_t warnings;
static char warned[256];

static void take(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    warnings++;
    (void)snprintf(warned, sizeof warned, "%s", line);
}

static size_t warnings_of(const char *const *old_words, const char *const *new_words)
{
    const struct listener listener = {.notice = take};
    struct model_plan plan = {
        .sides = {[MODEL_OLD] = {.argv = old_words, .command = old_words[0]},
                  [MODEL_NEW] = {.argv = new_words, .command = new_words[0]}}};
    warnings = 0;
    self_calibrating_warn(&plan, &listener);
    return warnings;
}

static void known_ones_are_told(void **state)
{
    (void)state;
    static const char *const known[][WORDS] = {
        {"go", "test", "-bench", ".", NULL},
        {"/usr/bin/go", "test", "-bench=Sort", "-benchtime", "2s", NULL},
        {"./pkg.test", "-test.bench", "Sort", NULL},
        {"pytest", "--benchmark-only", NULL},
        {"python3", "-m", "pytest", "--benchmark-enable", NULL},
        {"cargo", "bench", NULL},
        {"./bench", "--benchmark_filter=sort", NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (warnings_of(known[i], known[i]) != 1) {
            fail_msg("command %zu is not known", i);
        }
    }
}

static void others_are_left_alone(void **state)
{
    (void)state;
    static const char *const others[][WORDS] = {
        {"go", "test", "-bench", ".", "-benchtime=100x", NULL},
        {"go", "test", "-benchtime", "100x", "-bench=.", NULL},
        {"go", "build", NULL},
        {"./pkg.test", "-test.bench=.", "-test.benchtime", "9x", NULL},
        {"pytest", "tests", NULL},
        {"cargo", "build", NULL},
        {"./bench", "--benchmark_filter=a", "--benchmark_min_time=50x", NULL},
        {"true", NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (warnings_of(others[i], others[i]) != 0) {
            fail_msg("command %zu is taken for one", i);
        }
    }
}

static void the_side_is_named(void **state)
{
    (void)state;
    static const char *const plain[] = {"./bench", NULL};
    static const char *const known[] = {"cargo", "bench", NULL};
    assert_int_equal(warnings_of(plain, known), 1);
    assert_non_null(strstr(warned, "'cargo' chooses its number of iterations itself"));
    assert_non_null(strstr(warned, "duet compare"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ones_are_told),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(the_side_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
