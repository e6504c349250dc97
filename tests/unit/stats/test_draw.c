#include "stats/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 200000, CELLS = 12 };

/* Chi-squared over CELLS equal cells; 40 is beyond the 99.99 % point of 11 degrees. */
static double chi_squared(uint32_t bound, size_t at_once)
{
    static uint32_t drawn[DRAWS];
    uint32_t cells[CELLS] = {0};
    struct random_stream stream = random_stream_at(99, bound);
    for (size_t done = 0; done + at_once <= DRAWS; done += at_once) {
        stats_draw_indices(&stream, bound, drawn + done, at_once);
    }
    size_t total = DRAWS / at_once * at_once;
    for (size_t i = 0; i < total; i++) {
        assert_true(drawn[i] < bound);
        cells[(uint64_t)drawn[i] * CELLS / bound]++;
    }
    double sum = 0;
    for (size_t c = 0; c < CELLS; c++) {
        double off = cells[c] - (double)total / CELLS;
        sum += off * off;
    }
    return sum / ((double)total / CELLS);
}

static void test_draws_are_uniform(void **state)
{
    (void)state;
    const uint32_t bounds[] = {12, 36, 4092, 4104, 3000000000U};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        assert_true(chi_squared(bounds[i], 10) < 40.0);
        assert_true(chi_squared(bounds[i], 1) < 40.0);
        assert_true(chi_squared(bounds[i], 64) < 40.0);
    }
}

static void test_draws_are_reproducible(void **state)
{
    (void)state;
    /* Fixed numbers: a change would change everybody's intervals under --seed. */
    const uint32_t narrow[] = {0, 9, 7, 5, 0, 2, 9, 0, 7, 7};
    uint32_t drawn[10];
    struct random_stream stream = random_stream_at(1, 2);
    stats_draw_indices(&stream, 10, drawn, 10);
    assert_memory_equal(drawn, narrow, sizeof narrow);
    stats_draw_indices(&stream, 1, drawn, 10);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(drawn[i], 0);
    }
}

static void test_nothing_is_written_behind_the_end(void **state)
{
    (void)state;
    for (size_t count = 0; count < 30; count++) {
        uint32_t drawn[31];
        memset(drawn, 0xFF, sizeof drawn);
        struct random_stream stream = random_stream_at(5, count);
        stats_draw_indices(&stream, count % 2 == 0 ? 4095 : 4097, drawn, count);
        for (size_t i = count; i < 31; i++) {
            assert_true(drawn[i] == UINT32_MAX);
        }
    }
}

static void test_derangements_are_all_equally_likely(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(3, 3);
    size_t items[4];
    stats_draw_derangement(&stream, items, 2);
    assert_true(items[0] == 1 && items[1] == 0);
    unsigned seen[256] = {0};
    for (int i = 0; i < 9000; i++) {
        stats_draw_derangement(&stream, items, 4);
        for (size_t j = 0; j < 4; j++) {
            assert_true(items[j] != j);
        }
        seen[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]]++;
    }
    unsigned kinds = 0;
    for (int i = 0; i < 256; i++) {
        kinds += seen[i] > 0;
        assert_true(seen[i] == 0 || (seen[i] > 850 && seen[i] < 1150)); /* 5 sd */
    }
    assert_int_equal(kinds, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_are_uniform),
        cmocka_unit_test(test_draws_are_reproducible),
        cmocka_unit_test(test_nothing_is_written_behind_the_end),
        cmocka_unit_test(test_derangements_are_all_equally_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
