/* Which commands are known to choose their own number of iterations. */
// link: duet_session
#include "session/comparison/self_calibrating.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORDS = 6 };

static void count(void *context, bool warning, const char *line)
{
    assert_true(warning);
    assert_non_null(line);
    ++*(int *)context;
}

/* As the old side, and as the new one. */
static bool is_told_in(enum model_mode mode, const char *const *words)
{
    static const char *const other[] = {"true", NULL};
    int told[MODEL_SIDES] = {0, 0};
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct listener listener = {.notice = count, .context = &told[side]};
        struct model_plan plan = {.sides = {{.command = "it", .argv = other},
                                            {.command = "it", .argv = other}}};
        plan.sides[side].argv = words;
        self_calibrating_warn(&plan, mode, &listener);
    }
    assert_int_equal(told[MODEL_OLD], told[MODEL_NEW]);
    return told[MODEL_OLD] == 1;
}

static bool is_told(const char *const *words)
{
    return is_told_in(MODEL_MODE_COMMAND, words);
}

static void known_ones_are_told(void **state)
{
    (void)state;
    static const char *const known[][WORDS] = {
        {"go", "test", "-bench", ".", NULL},
        {"/usr/bin/go", "test", "-bench=Sort", "-benchtime", "2s", NULL},
        {"./pkg.test", "-test.bench", "Sort", NULL},
        {"./pkg.test", "-test.bench=Sort", "-test.benchtime=1x", NULL},
        {"./pkg.test", "-test.bench=Sort", "-test.benchtime", "1x", NULL},
        {"pytest", "--benchmark-only", NULL},
        {"python3", "-m", "pytest", "--benchmark-enable", NULL},
        {"cargo", "bench", NULL},
        {"./bench", "--benchmark_filter=sort", NULL},
        {"cargo", "criterion", NULL},
        {"target/release/deps/sort-0123", "--bench", NULL},
        {"python3", "-m", "timeit", "x = 1", NULL},
        {"/bin/sh", "-c", "go test -bench=.", NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!is_told(known[i])) {
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
        {"./pkg.test", "-test.bench=.", "-test.benchtime=11x", NULL},
        {"pytest", "tests", NULL},
        {"cargo", "build", NULL},
        {"./bench", "--benchmark_filter=a", "--benchmark_min_time=50x", NULL},
        {"true", NULL},
        {"./disk", "--bench", NULL},
        {"python3", "-m", "timeit", "-n", "100", NULL},
        {"sh", "-c", "go test -bench . -benchtime 9x", NULL},
        {"sh", "-c", "go test | tee", NULL},
        {"sh", NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (is_told(others[i])) {
            fail_msg("command %zu is taken for one", i);
        }
    }
}

/* Google Benchmark with bindings/cpp preloaded has the words that it has alone. */
static void benchmarks_that_take_part_are_left_alone(void **state)
{
    (void)state;
    static const char *const words[] = {"./bench", "--benchmark_filter=sort", NULL};
    assert_true(is_told_in(MODEL_MODE_COMMAND, words));
    assert_false(is_told_in(MODEL_MODE_HARNESS, words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ones_are_told),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(benchmarks_that_take_part_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
