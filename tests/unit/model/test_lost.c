/* What an iteration did not execute, and what of a pair is known to have been taken. */
#include "model/observation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool nearly(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static struct model_idle idle_of(uint64_t took_us, uint64_t cpu_us, uint64_t taken_us,
                                 uint32_t switches, uint32_t flags)
{
    const struct model_iteration iteration = {.start_ns = 7000,
                                              .end_ns = 7000 + 1000 * took_us,
                                              .cpu_ns = 1000 * cpu_us,
                                              .taken_ns = 1000 * taken_us,
                                              .voluntary_switches = switches,
                                              .flags = flags};
    return model_iteration_idle(&iteration);
}

static void test_all(void **state)
{
    (void)state;
    assert_true(nearly(idle_of(10000, 5000, 0, 0, 0).all, log(2.0)));
    assert_true(idle_of(10000, 9950, 0, 0, 0).all == 0.0);
    assert_true(nearly(idle_of(10000, 9949, 0, 0, 0).all, log(10000.0 / 9949.0)));
    assert_true(idle_of(10000, 20000, 0, 0, 0).all == 0.0); /* two threads */
    assert_true(idle_of(10000000, 0, 0, 0, 0).all == MODEL_IDLE_MOST);
    assert_true(idle_of(0, 0, 0, 0, 0).all == 0.0);
    assert_true(isnan(idle_of(10000, 0, 0, 0, MODEL_ITERATION_NO_USAGE).all));
    assert_int_equal(idle_of(10000, 100, 0, 1, 0).waits, 1);
    assert_int_equal(idle_of(10000, 100, 0, 0, 0).waits, 0);
}

/* No more than what it did not execute. */
static void test_taken(void **state)
{
    (void)state;
    const uint32_t known = MODEL_ITERATION_TAKEN_KNOWN;
    assert_true(isnan(idle_of(40000, 20000, 10000, 3, 0).taken));
    assert_true(nearly(idle_of(40000, 20000, 10000, 3, known).taken, log(40.0 / 30.0)));
    assert_true(nearly(idle_of(40000, 20000, 30000, 3, known).taken, log(40.0 / 20.0)));
    assert_true(nearly(idle_of(40000, 20000, 20, 3, known).taken, log(40.0 / 39.98)));
    assert_true(idle_of(40000, 50000, 10000, 3, known).taken == 0.0);
    assert_true(isnan(idle_of(40000, 1, 1, 3, known | MODEL_ITERATION_NO_USAGE).taken));
}

/* One measure for both sides: what is known of one side only is not taken off it. */
static void test_pairs(void **state)
{
    (void)state;
    const uint32_t known = MODEL_ITERATION_TAKEN_KNOWN;
    struct model_idle computes = idle_of(40000, 20000, 10000, 0, known);
    struct model_idle waits = idle_of(40000, 10000, 20000, 2, known);
    struct model_idle waits_unknown = idle_of(40000, 10000, 0, 2, 0);
    struct model_idle computes_unknown = idle_of(40000, 20000, 0, 0, 0);
    struct model_idle no_usage = idle_of(40000, 1, 0, 0, MODEL_ITERATION_NO_USAGE);
    double lost[MODEL_SIDES] = {-1.0, -1.0};
    assert_false(model_pair_lost(&computes, &waits_unknown, lost));
    assert_false(model_pair_lost(&computes_unknown, &waits, lost));
    assert_false(model_pair_lost(&computes, &no_usage, lost));
    assert_true(lost[0] == -1.0 && lost[1] == -1.0);
    assert_true(model_pair_lost(&computes, &computes_unknown, lost));
    assert_true(nearly(lost[0], log(2.0)) && nearly(lost[1], log(2.0)));
    assert_true(model_pair_lost(&computes, &waits, lost));
    assert_true(nearly(lost[0], log(40.0 / 30.0)) && nearly(lost[1], log(2.0)));
    assert_true(model_pair_lost(&waits, &computes, lost));
    assert_true(nearly(lost[1], log(40.0 / 30.0)) && nearly(lost[0], log(2.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
