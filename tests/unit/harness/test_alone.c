// link: duet_harness_parts
/* A benchmark without a runner: how long it measures and what it prints. */
#include "harness/harness_alone.h"
#include "support/alloc_fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static int clean_environment(void **state)
{
    (void)state;
    (void)unsetenv(HARNESS_ITERATIONS_VARIABLE);
    (void)unsetenv(HARNESS_TIME_VARIABLE);
    (void)unsetenv(HARNESS_TIMES_VARIABLE);
    return 0;
}

static void start(struct harness_alone *alone)
{
    struct duet_error error;
    assert_int_equal(harness_alone_init(alone, "name", &error), DUET_OK);
}

static void record(struct harness_alone *alone, uint64_t time_ns)
{
    harness_alone_begin(alone);
    harness_alone_end(alone, alone->start_ns + time_ns);
}

/* Iterations that are said to have taken times_ns[i]; the first call is the warm-up. */
static void feed(struct harness_alone *alone, const uint64_t *times_ns, size_t count)
{
    assert_true(harness_alone_next(alone));
    record(alone, 123456789);
    assert_int_equal(alone->whole.count, 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(harness_alone_next(alone));
        record(alone, times_ns[i]);
    }
}

static void set_iterations(size_t count)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", count);
    (void)setenv(HARNESS_ITERATIONS_VARIABLE, text, 1);
}

static void assert_report(const uint64_t *times_ns, size_t count, const char *expected)
{
    struct harness_alone alone;
    struct duet_error error;
    char *text = NULL;
    set_iterations(count);
    start(&alone);
    feed(&alone, times_ns, count);
    assert_false(harness_alone_next(&alone));
    assert_int_equal(harness_alone_report(&alone, &text, &error), DUET_OK);
    assert_string_equal(text, expected);
    free(text);
    harness_alone_release(&alone);
}

static void the_report_is_right(void **state)
{
    (void)state;
    const uint64_t few[] = {2000000, 4000000, 4000000, 4000000,
                            5000000, 5000000, 7000000, 9000000};
    /* mean 5 ms; squared differences 9 1 1 1 0 0 4 16, sum 32, / 7, root 2.138 */
    assert_report(
        few, 8,
        "name: 5.000 \xc2\xb1 2.138 ms, median 4.500, min 2.000, max 9.000 (8 iterations)\n");
    const uint64_t one[] = {1500};
    assert_report(
        one, 1,
        "name: 1.500 \xc2\xb5s, median 1.500, min 1.500, max 1.500 (1 iteration)\n");
    const uint64_t even[] = {7, 7, 7};
    assert_report(
        even, 3,
        "name: 7.000 \xc2\xb1 0.000 ns, median 7.000, min 7.000, max 7.000 (3 iterations)\n");
    const uint64_t none[] = {0, 0};
    assert_report(
        none, 2,
        "name: 0.000 \xc2\xb1 0.000 ns, median 0.000, min 0.000, max 0.000 (2 iterations)\n");
    const uint64_t seconds[] = {3000000000U, 1000000000U};
    assert_report(
        seconds, 2,
        "name: 2.000 \xc2\xb1 1.414 s, median 2.000, min 1.000, max 3.000 (2 iterations)\n");
}

static void times_are_listed_in_order(void **state)
{
    (void)state;
    const uint64_t times_ns[] = {300, 100, 200};
    (void)setenv(HARNESS_TIMES_VARIABLE, "1", 1);
    assert_report(
        times_ns, 3,
        "300\n"
        "100\n"
        "200\n"
        "name: 200.0 \xc2\xb1 100.0 ns, median 200.0, min 100.0, max 300.0 (3 iterations)\n");
    (void)setenv(HARNESS_TIMES_VARIABLE, "0", 1);
    assert_report(times_ns, 1,
                  "name: 300.0 ns, median 300.0, min 300.0, max 300.0 (1 iteration)\n");
}

static void bad_variables_are_named(void **state)
{
    (void)state;
    const char *const variables[] = {HARNESS_ITERATIONS_VARIABLE,
                                     HARNESS_TIME_VARIABLE};
    const char *const values[] = {"x", "-1", "1x", "99999999999999999999999"};
    for (size_t v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            struct harness_alone alone;
            struct duet_error error;
            clean_environment(NULL);
            (void)setenv(variables[v], values[i], 1);
            assert_int_equal(harness_alone_init(&alone, "name", &error), DUET_E_USAGE);
            assert_non_null(strstr(error.message, variables[v]));
        }
    }
    struct harness_alone alone;
    (void)setenv(HARNESS_TIME_VARIABLE, "", 1); /* the same as not set */
    start(&alone);
    harness_alone_release(&alone);
}

static void the_time_limit_counts_the_warm_up(void **state)
{
    (void)state;
    struct harness_alone alone;
    struct timespec pause = {.tv_nsec = 2000000};
    (void)setenv(HARNESS_TIME_VARIABLE, "20ms", 1);
    start(&alone);
    unsigned calls = 0;
    while (harness_alone_next(&alone)) {
        (void)nanosleep(&pause, NULL);
        record(&alone, 2000000);
        calls++;
    }
    assert_true(alone.whole.count >= 1);
    assert_true(alone.whole.count < calls); /* some were warm-up */
    assert_true(calls <= 11);
    harness_alone_release(&alone);
}

static void a_slow_first_iteration_is_followed_by_a_measured_one(void **state)
{
    (void)state;
    struct harness_alone alone;
    struct timespec pause = {.tv_nsec = 5000000};
    (void)setenv(HARNESS_TIME_VARIABLE, "1ms", 1);
    start(&alone);
    assert_true(harness_alone_next(&alone));
    (void)nanosleep(&pause, NULL);
    record(&alone, 5000000);
    assert_true(harness_alone_next(&alone));
    record(&alone, 5000000);
    assert_false(harness_alone_next(&alone));
    assert_int_equal(alone.whole.count, 1);
    harness_alone_release(&alone);
}

static void nothing_measured_is_an_error(void **state)
{
    (void)state;
    struct harness_alone alone;
    struct duet_error error;
    char *text = NULL;
    start(&alone);
    assert_int_equal(harness_alone_report(&alone, &text, &error), DUET_E_TOO_FEW);
    assert_null(text);
    harness_alone_release(&alone);
    harness_alone_release(&alone);
    harness_alone_release(NULL);
}

/* Every allocation of a whole life fails once. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    set_iterations(COUNT);
    (void)setenv(HARNESS_TIMES_VARIABLE, "1", 1);
    unsigned long failures = 0;
    for (unsigned long n = 1; n < 100; n++) {
        struct harness_alone alone;
        struct duet_error error = {0};
        char *text = NULL;
        alloc_fail_at(n);
        enum duet_code code = harness_alone_init(&alone, "name", &error);
        if (code == DUET_OK) {
            while (harness_alone_next(&alone)) {
                record(&alone, 1);
            }
            code = harness_alone_report(&alone, &text, &error);
            harness_alone_release(&alone);
        }
        bool reached = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        free(text);
        if (!reached) {
            assert_int_equal(code, DUET_OK);
            assert_true(failures >= 4);
            return;
        }
        failures++;
        assert_int_equal(code, DUET_E_NOMEM);
        assert_null(text);
    }
    fail();
}

/* For one operation each, and the regions in lines of their own. */
static void regions_and_operations(void **state)
{
    (void)state;
    struct harness_alone alone;
    struct duet_error error;
    char *text = NULL;
    assert_int_equal(setenv("DUET_ITERATIONS", "2", 1), 0);
    start(&alone);
    for (int i = 0; i < 3; i++) {
        assert_true(harness_alone_next(&alone));
        alone.operations = 4;
        harness_alone_begin(&alone);
        assert_null(harness_alone_region(&alone, "parse"));
        alone.regions.opened_ns = alone.start_ns;
        harness_alone_end(&alone, alone.start_ns + 2000);
    }
    assert_false(harness_alone_next(&alone));
    assert_int_equal(harness_alone_report(&alone, &text, &error), DUET_OK);
    assert_string_equal(
        text,
        "name: 500.0 \xc2\xb1 0.0 ns, median 500.0, min 500.0, max 500.0 (2 iterations)\n"
        "name: parse: 500.0 \xc2\xb1 0.0 ns, median 500.0, min 500.0, max 500.0 (2 iterations)\n");
    free(text);
    harness_alone_release(&alone);
    (void)unsetenv("DUET_ITERATIONS");
}

/* A time of the program's own counts, unless it is longer than the iteration. */
static void what_it_took(void **state)
{
    (void)state;
    struct harness_alone alone;
    const uint64_t said_ns[] = {100, 100, 5000};
    assert_int_equal(setenv("DUET_ITERATIONS", "2", 1), 0);
    start(&alone);
    for (size_t i = 0; i < 3; i++) {
        assert_true(harness_alone_next(&alone));
        harness_alone_begin(&alone);
        alone.took_ns = said_ns[i];
        harness_alone_end(&alone, alone.start_ns + 2000);
    }
    assert_true(alone.whole.times_ns[0] == 100 && alone.whole.times_ns[1] == 2000);
    harness_alone_release(&alone);
    (void)unsetenv("DUET_ITERATIONS");
}

int main(void)
{
#define CLEAN(test) cmocka_unit_test_setup(test, clean_environment)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_and_operations),
        cmocka_unit_test(what_it_took),
        CLEAN(the_report_is_right),
        CLEAN(times_are_listed_in_order),
        CLEAN(bad_variables_are_named),
        CLEAN(the_time_limit_counts_the_warm_up),
        CLEAN(a_slow_first_iteration_is_followed_by_a_measured_one),
        CLEAN(nothing_measured_is_an_error),
        CLEAN(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
