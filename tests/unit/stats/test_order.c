// labels: soakvalgrind
#include "base/random.h"
#include "stats/rank/order.h"

#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

enum { COUNT = sizeof reference_values / sizeof reference_values[0], LONG = 5000 };

static double *copy_reference(void)
{
    static double values[COUNT];
    memcpy(values, reference_values, sizeof values);
    return values;
}

static void test_quantiles_agree_with_numpy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference_quantiles / sizeof reference_quantiles[0];
         i++) {
        double quantile = 0;
        assert_int_equal(stats_quantile_type7(copy_reference(), COUNT,
                                              reference_quantiles[i][0], &quantile,
                                              NULL),
                         DUET_OK);
        assert_nearly(quantile, reference_quantiles[i][1], 1e-14);
    }
}

static void test_locations_agree_with_scipy(void **state)
{
    (void)state;
    const double expected[] = {reference_mean, reference_trimmed, reference_median};
    for (int location = 0; location < 3; location++) {
        double got = 0;
        assert_int_equal(stats_location_estimate((enum stats_location)location,
                                                 copy_reference(), COUNT, &got, NULL),
                         DUET_OK);
        assert_nearly(got, expected[location], 1e-14);
    }
}

/* Shapes that a selection can stumble over. */
static double shaped(int shape, size_t i, struct random_stream *stream)
{
    switch (shape) {
    case 0:
        return random_uniform(stream);
    case 1:
        return (double)i;
    case 2:
        return -(double)i;
    case 3:
        return 7.0;
    case 4:
        return (double)random_below(stream, 3);
    default:
        return (double)(i < LONG / 2 ? i : LONG - i); /* organ pipe */
    }
}

static void test_selection_puts_every_rank_where_sorting_does(void **state)
{
    (void)state;
    static double values[LONG];
    static double sorted[LONG];
    struct random_stream stream = random_stream_at(1, 1);
    const size_t counts[] = {1, 2, 3, 10, 599, 600, 601, 602, LONG};
    for (int shape = 0; shape < 6; shape++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            size_t count = counts[c];
            for (size_t step = 0; step < 20; step++) {
                size_t rank = step < 3 ? step * (count / 200)
                                       : random_below(&stream, (uint32_t)count);
                for (size_t i = 0; i < count; i++) {
                    sorted[i] = values[i] = shaped(shape, i, &stream);
                }
                stats_sort(sorted, count);
                stats_select(values, count, rank);
                assert_true(values[rank] == sorted[rank]);
                for (size_t i = 0; i < count; i++) {
                    assert_true(i < rank ? values[i] <= values[rank]
                                         : values[i] >= values[rank]);
                }
                stats_sort(values, count); /* and nothing got lost */
                assert_memory_equal(values, sorted, count * sizeof *values);
            }
        }
    }
}

static void test_locations_change_sign_with_their_values(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(2, 1);
    for (size_t count = 1; count < 40; count++) {
        double values[40];
        double negated[40];
        for (size_t i = 0; i < count; i++) {
            values[i] = random_uniform(&stream) - 0.3;
            negated[i] = -values[i];
        }
        for (int location = 0; location < 3; location++) {
            double one = 0;
            double other = 0;
            assert_int_equal(stats_location_estimate((enum stats_location)location,
                                                     values, count, &one, NULL),
                             DUET_OK);
            assert_int_equal(stats_location_estimate((enum stats_location)location,
                                                     negated, count, &other, NULL),
                             DUET_OK);
            assert_true(fabs(one + other) < 1e-15);
        }
    }
}

static void test_trimming_drops_whole_values(void **state)
{
    (void)state;
    double four[] = {1, 2, 3, 1000};
    double five[] = {-1000, 2, 3, 4, 1000};
    double mean = 0;
    assert_int_equal(stats_trimmed_cut(4), 0);
    assert_int_equal(stats_trimmed_cut(5), 1);
    assert_int_equal(stats_trimmed_cut(100), 20);
    assert_int_equal(
        stats_location_estimate(STATS_LOCATION_TRIMMED, four, 4, &mean, NULL), DUET_OK);
    assert_true(mean == 251.5);
    assert_int_equal(
        stats_location_estimate(STATS_LOCATION_TRIMMED, five, 5, &mean, NULL), DUET_OK);
    assert_true(mean == 3.0);
}

static void test_bad_data_is_refused(void **state)
{
    (void)state;
    double nan[] = {1.0, (double)NAN, 2.0};
    double good[] = {1.0};
    double result = 42;
    assert_int_equal(stats_quantile_type7(good, 0, 0.5, &result, NULL), DUET_E_TOO_FEW);
    assert_int_equal(stats_quantile_type7(nan, 3, 0.5, &result, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_quantile_type7(good, 1, 1.5, &result, NULL), DUET_E_DOMAIN);
    assert_int_equal(stats_quantile_type7(good, 1, (double)NAN, &result, NULL),
                     DUET_E_DOMAIN);
    for (int location = 0; location < 3; location++) {
        enum stats_location which = (enum stats_location)location;
        assert_int_equal(stats_location_estimate(which, good, 0, &result, NULL),
                         DUET_E_TOO_FEW);
        assert_int_equal(stats_location_estimate(which, nan, 3, &result, NULL),
                         DUET_E_DOMAIN);
    }
    assert_true(result == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles_agree_with_numpy),
        cmocka_unit_test(test_locations_agree_with_scipy),
        cmocka_unit_test(test_selection_puts_every_rank_where_sorting_does),
        cmocka_unit_test(test_locations_change_sign_with_their_values),
        cmocka_unit_test(test_trimming_drops_whole_values),
        cmocka_unit_test(test_bad_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
