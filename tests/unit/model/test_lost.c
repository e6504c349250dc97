/* What an iteration lost of its CPU's time. */
#include "model/observation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double lost_of(uint64_t took_us, uint64_t cpu_us, uint32_t switches,
                      uint32_t flags)
{
    const struct model_iteration iteration = {.start_ns = 7000,
                                              .end_ns = 7000 + 1000 * took_us,
                                              .cpu_ns = 1000 * cpu_us,
                                              .voluntary_switches = switches,
                                              .flags = flags};
    return model_iteration_lost(&iteration);
}

static void test_losses(void **state)
{
    (void)state;
    assert_true(fabs(lost_of(10000, 5000, 0, 0) - log(2.0)) < 1e-12);
    assert_true(lost_of(10000, 9950, 0, 0) == 0.0);
    assert_true(fabs(lost_of(10000, 9949, 0, 0) - log(10000.0 / 9949.0)) < 1e-12);
    assert_true(lost_of(10000, 20000, 0, 0) == 0.0); /* two threads */
    assert_true(lost_of(10000000, 0, 0, 0) == MODEL_LOST_MOST);
    assert_true(lost_of(0, 0, 0, 0) == 0.0);
}

/* Whoever waits of its own accord may have lost nothing. */
static void test_unknown(void **state)
{
    (void)state;
    assert_true(lost_of(10000, 100, 1, 0) == 0.0);
    assert_true(lost_of(10000, 0, 0, MODEL_ITERATION_NO_USAGE) == 0.0);
    assert_true(lost_of(10000, 100, 0, MODEL_ITERATION_SLEPT) > 0.0);
}

/* ... unless it is known what others had: no more than that, nor than what it did not
 * execute. */
static void test_taken(void **state)
{
    (void)state;
    struct model_iteration iteration = {.end_ns = 40000000,
                                        .cpu_ns = 20000000,
                                        .voluntary_switches = 3,
                                        .taken_ns = 10000000};
    assert_true(fabs(model_iteration_lost(&iteration) - log(40.0 / 30.0)) < 1e-12);
    iteration.taken_ns = 30000000;
    assert_true(fabs(model_iteration_lost(&iteration) - log(40.0 / 20.0)) < 1e-12);
    iteration.taken_ns = 50000;
    assert_true(model_iteration_lost(&iteration) == 0.0);
    iteration.voluntary_switches = 0; /* then all of it was taken */
    assert_true(fabs(model_iteration_lost(&iteration) - log(2.0)) < 1e-12);
    iteration.flags = MODEL_ITERATION_NO_USAGE;
    assert_true(model_iteration_lost(&iteration) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
