/* The spread of the blocks' changes. */
#include "analysis/remarks/strip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BLOCKS_MAX = 8 };

static struct model_strip strip_of(double *logs, size_t count)
{
    struct analysis_used_runs used = {.block_logs = logs, .block_count = count};
    struct model_strip strip;
    analysis_strip(&used, &strip);
    return strip;
}

static void every_block_is_in_one_bin(void **state)
{
    (void)state;
    double logs[BLOCKS_MAX] = {0.0, 0.24, 0.011, 0.009, 0.12, 0.239, 0.0, 0.231};
    struct model_strip strip = strip_of(logs, BLOCKS_MAX);
    uint64_t sum = 0;
    for (size_t i = 0; i < MODEL_STRIP_BINS; i++) {
        sum += strip.counts[i];
    }
    assert_true(sum == BLOCKS_MAX);
    assert_true(fabs(log(strip.low)) < 1e-12 && fabs(log(strip.high) - 0.24) < 1e-12);
    /* Bins of 0.01: the largest value belongs to the last. */
    assert_true(strip.counts[0] == 3 && strip.counts[1] == 1);
    assert_true(strip.counts[12] + strip.counts[11] == 1);
    assert_true(strip.counts[MODEL_STRIP_BINS - 1] == 3);
}

static void few_or_equal_blocks_have_none(void **state)
{
    (void)state;
    double few[] = {0.0, 0.1, 0.2, 0.3};
    double equal[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    struct model_strip strip = strip_of(few, 4);
    assert_true(isnan(strip.low) && isnan(strip.high) && strip.counts[0] == 0);
    strip = strip_of(equal, 6);
    assert_true(isnan(strip.high));
    strip = strip_of(NULL, 0);
    assert_true(isnan(strip.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_in_one_bin),
        cmocka_unit_test(few_or_equal_blocks_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
