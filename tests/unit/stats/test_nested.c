// labels: soakvalgrind
/* Three levels: resampling and components of variance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/bootstrap/nested.h"
#include "stats/gaussian.h"
#include "stats/moments.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { UNITS = 40, SUB_UNITS = 8, VALUES = 12, ALL = UNITS * SUB_UNITS * VALUES };

struct data {
    double values[ALL];
    size_t firsts[UNITS + 1];
    size_t offsets[UNITS * SUB_UNITS];
    size_t counts[UNITS * SUB_UNITS];
    struct stats_nested nested;
};

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile(random_uniform(stream));
}

/* Normal values with these standard deviations; `ragged`: of uneven sizes. */
static void fill(struct data *data, uint64_t seed, double units, double sub_units,
                 double values, bool ragged)
{
    struct random_stream stream = random_stream_at(seed, 1);
    size_t sub_unit = 0;
    size_t at = 0;
    for (size_t u = 0; u < UNITS; u++) {
        double unit = 100.0 + units * normal(&stream);
        data->firsts[u] = sub_unit;
        size_t wanted = ragged ? 1 + u % SUB_UNITS : SUB_UNITS;
        for (size_t s = 0; s < wanted; s++) {
            double center = unit + sub_units * normal(&stream);
            data->offsets[sub_unit] = at;
            data->counts[sub_unit] = ragged ? 1 + (u + s) % VALUES : VALUES;
            for (size_t i = 0; i < data->counts[sub_unit]; i++) {
                data->values[at++] = center + values * normal(&stream);
            }
            sub_unit++;
        }
    }
    data->firsts[UNITS] = sub_unit;
    data->nested = (struct stats_nested){.firsts = data->firsts,
                                         .units = UNITS,
                                         .offsets = data->offsets,
                                         .counts = data->counts};
}

/* Averages of the estimates over many sets come out as what was put in. */
static void test_components(void **state)
{
    (void)state;
    static struct data data;
    static const double sds[][3] = {
        {3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {1, 2, 3}, {3, 1, 2}};
    enum { SETS = 60 };
    for (size_t k = 0; k < 5; k++) {
        for (int ragged = 0; ragged < 2; ragged++) {
            double sums[3] = {0};
            for (uint64_t set = 0; set < SETS; set++) {
                struct stats_nested_components found;
                fill(&data, 10 * set + k, sds[k][0], sds[k][1], sds[k][2], ragged != 0);
                assert_int_equal(
                    stats_nested_components(&data.nested, data.values, &found, NULL),
                    DUET_OK);
                assert_true(fabs(found.mean - 100.0) < 4.0);
                sums[0] += found.units / SETS;
                sums[1] += found.sub_units / SETS;
                sums[2] += found.values / SETS;
            }
            for (size_t level = 0; level < 3; level++) {
                double truth = sds[k][level] * sds[k][level];
                /* Those below 0 are 0, which makes the mean of a true 0 positive. */
                double slack = truth > 0 ? 0.15 * truth : 0.5;
                assert_true(fabs(sums[level] - truth) < slack);
            }
        }
    }
}

/* Mean squares 200, 0 and 5, 2 values a sub-unit, 2 sub-units a unit: (0 - 5) / 2 is
 * told as 0, and is not 0 where the units' is solved for, (200 - 0) / 4. */
static void test_below_zero(void **state)
{
    (void)state;
    static const double values[] = {100, 104, 101, 103, 110, 114, 111, 113};
    static const size_t firsts[] = {0, 2, 4};
    static const size_t offsets[] = {0, 2, 4, 6};
    static const size_t counts[] = {2, 2, 2, 2};
    const struct stats_nested nested = {firsts, 2, offsets, counts};
    struct stats_nested_components found;
    assert_int_equal(stats_nested_components(&nested, values, &found, NULL), DUET_OK);
    assert_true(fabs(found.values - 5.0) < 1e-9);
    assert_true(found.sub_units == 0.0);
    assert_true(fabs(found.units - 50.0) < 1e-9);
}

/* What cannot be told apart is the level's above. */
static void test_missing_levels(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4};
    static const size_t firsts[] = {0, 4};
    static const size_t apart[] = {0, 1, 2, 3, 4};
    static const size_t offsets[] = {0, 1, 2, 3};
    static const size_t ones[] = {1, 1, 1, 1};
    static const size_t four[] = {4};
    struct stats_nested_components found;
    struct stats_nested nested = {firsts, 1, offsets, ones};
    assert_int_equal(stats_nested_components(&nested, values, &found, NULL), DUET_OK);
    assert_true(isnan(found.values) && isnan(found.units));
    assert_true(fabs(found.sub_units - 5.0 / 3.0) < 1e-12);
    nested = (struct stats_nested){apart, 4, offsets, ones};
    assert_int_equal(stats_nested_components(&nested, values, &found, NULL), DUET_OK);
    assert_true(isnan(found.values) && isnan(found.sub_units));
    assert_true(fabs(found.units - 5.0 / 3.0) < 1e-12);
    nested = (struct stats_nested){(const size_t[]){0, 1}, 1, offsets, four};
    assert_int_equal(stats_nested_components(&nested, values, &found, NULL), DUET_OK);
    assert_true(isnan(found.sub_units) && isnan(found.units));
    assert_true(fabs(found.values - 5.0 / 3.0) < 1e-12);
    nested = (struct stats_nested){(const size_t[]){0, 1}, 1, offsets, ones};
    assert_int_equal(stats_nested_components(&nested, values, &found, NULL),
                     DUET_E_TOO_FEW);
}

/* The resamples' variance is that of the theory: of the mean of m draws with
 * replacement from a level with (population) variance v, v / m. */
static void test_resamples(void **state)
{
    (void)state;
    static struct data data;
    enum { REPLICATES = 20000 };
    static double means[REPLICATES];
    static size_t scratch[2 * UNITS * SUB_UNITS];
    static const double sds[][3] = {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
    for (size_t k = 0; k < 3; k++) {
        struct stats_moments all = {0};
        struct stats_moments found = {0};
        fill(&data, k, sds[k][0], sds[k][1], sds[k][2], false);
        const struct stats_resampling how = {.seed = k, .replicates = REPLICATES};
        assert_int_equal(stats_nested_drawn_max(&data.nested), UNITS * SUB_UNITS);
        stats_nested_means(&data.nested, data.values, &how, scratch, means);
        for (size_t i = 0; i < ALL; i++) {
            stats_moments_add(&all, data.values[i]);
        }
        for (size_t b = 0; b < REPLICATES; b++) {
            stats_moments_add(&found, means[b]);
        }
        double size = k == 0 ? UNITS : k == 1 ? UNITS * SUB_UNITS : ALL;
        double expected = sds[k][k] / sqrt(size);
        double got = stats_moments_sd_sample(&found);
        /* Drawing units with replacement adds what their means differ by chance. */
        assert_true(got > 0.8 * expected && got < 2.2 * expected);
        assert_true(fabs(found.mean - all.mean) < 0.05 * expected + 1e-9);
        assert_true(k != 0 || fabs(got / expected - 1.0) < 0.25);
    }
}

/* Vector instructions, columns and unequal sizes change nothing. */
static void test_same_draws(void **state)
{
    (void)state;
    static struct data data;
    static double squares[ALL];
    static size_t scratch[2 * UNITS * SUB_UNITS];
    for (int ragged = 0; ragged < 2; ragged++) {
        fill(&data, 3, 1, 1, 1, ragged != 0);
        for (size_t i = 0; i < ALL; i++) {
            squares[i] = 2.0 * data.values[i];
        }
        const double *columns[2] = {data.values, squares};
        for (size_t b = 0; b < 20; b++) {
            double best[2];
            double none[2];
            double alone = 0;
            size_t count[3] = {0};
            struct stats_resampling how = {.seed = 1, .replicates = 20};
            stats_nested_resample(&data.nested, columns, 2, &how, b, scratch, best,
                                  &count[0]);
            how.simd = SIMD_NONE;
            stats_nested_resample(&data.nested, columns, 2, &how, b, scratch, none,
                                  &count[1]);
            stats_nested_resample(&data.nested, columns, 1, &how, b, scratch, &alone,
                                  &count[2]);
            assert_memory_equal(best, none, sizeof best);
            assert_memory_equal(&alone, best, sizeof alone);
            assert_true(count[0] == count[1] && count[0] == count[2]);
            assert_true(fabs(best[1] - 2.0 * best[0]) < 1e-9 * best[1]);
            assert_true(ragged != 0 || count[0] == ALL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components), cmocka_unit_test(test_below_zero),
        cmocka_unit_test(test_missing_levels), cmocka_unit_test(test_resamples),
        cmocka_unit_test(test_same_draws)};
    return cmocka_run_group_tests_name("nested", tests, NULL, NULL);
}
