// labels: soakvalgrind
#include "base/threads.h"
#include "stats/bootstrap/resample.h"
#include "stats/moments.h"
#include "stats/rank/order.h"
#include "support/alloc_fail.h"
#include "support/use_threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nearly.h"

/* Values, all distinct, and a design of three levels for them. */
enum { COUNT = 36, REPLICATES = 400, KINDS = 6, SCHEMES = 4 };

static const size_t units[] = {3};
static const size_t inner[] = {2, 1, 3};
static const size_t leaves[] = {9, 4, 8, 5, 3, 7};
static const size_t *const sizes[] = {units, inner, leaves};
static const struct stats_levels design = {.depth = 3, .sizes = sizes};

static double values[2][COUNT];

static void fill_values(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        values[0][i] = 10.0 + 3.0 * sin(1.0 + 7.0 * (double)i);
        values[1][i] = 11.0 + 2.0 * cos(1.0 + 5.0 * (double)i);
    }
}

static struct stats_question ask(enum stats_statistic_kind kind,
                                 enum stats_scheme scheme)
{
    fill_values();
    return (struct stats_question){
        .statistic = {kind, kind == STATS_STATISTIC_TRIMMED ? 0.2 : 0.9},
        .scheme = scheme,
        .block_length = 5.0,
        .groups = {{values[0], COUNT, NULL}, {values[1], COUNT, NULL}},
    };
}

static double replicate(const struct stats_question *question, enum simd_level simd,
                        double *replicates)
{
    struct stats_resampling how = {
        .seed = 4, .stream = 3, .replicates = REPLICATES, .simd = simd};
    double estimate = 0;
    assert_int_equal(stats_resample(question, &how, &estimate, replicates, NULL),
                     DUET_OK);
    return estimate;
}

/* Every statistic under every way to draw: the same bits with any instructions and any
 * number of threads. */
static void test_only_seed_and_data_decide(void **state)
{
    (void)state;
    int threads_before = threads_usual();
    for (int kind = 0; kind < KINDS; kind++) {
        for (int scheme = 0; scheme < SCHEMES; scheme++) {
            struct stats_question question =
                ask((enum stats_statistic_kind)kind, (enum stats_scheme)scheme);
            question.contrast = STATS_CONTRAST_RATIO;
            question.groups[0].levels = scheme == 0 ? &design : NULL;
            double one[REPLICATES];
            double other[REPLICATES];
            (void)replicate(&question, SIMD_NONE, one);
            for (int simd = SIMD_BEST; simd <= SIMD_AVX2; simd++) {
                use_threads(1 + simd);
                (void)replicate(&question, (enum simd_level)simd, other);
                assert_memory_equal(one, other, sizeof one);
            }
        }
    }
    use_threads(threads_before);
}

/* In the caller's room, the values' own place included, it comes out the same. */
static void test_room_does_not_matter(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct stats_question question =
            ask((enum stats_statistic_kind)kind, STATS_SCHEME_UNITS);
        double one[REPLICATES];
        double other[REPLICATES];
        double room[2][COUNT];
        question.contrast = STATS_CONTRAST_RATIO;
        double estimate = replicate(&question, SIMD_BEST, one);
        memcpy(room[1], question.groups[1].values, sizeof room[1]);
        question.groups[1].values = room[1];
        question.rooms[0] = room[0];
        question.rooms[1] = room[1];
        double again = replicate(&question, SIMD_BEST, other);
        assert_memory_equal(&again, &estimate, sizeof again);
        assert_memory_equal(one, other, sizeof one);
    }
}

/* Enough draws that threads do start. */
static void test_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static double series[MANY];
    double one[REPLICATES];
    double other[REPLICATES];
    for (size_t i = 0; i < MANY; i++) {
        series[i] = 2.0 + sin((double)i);
    }
    int threads_before = threads_usual();
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        struct stats_question question =
            ask(STATS_STATISTIC_QUANTILE, (enum stats_scheme)scheme);
        question.groups[0] = (struct stats_group){series, MANY, NULL};
        use_threads(1);
        (void)replicate(&question, SIMD_BEST, one);
        use_threads(4);
        (void)replicate(&question, SIMD_BEST, other);
        assert_memory_equal(one, other, sizeof one);
    }
    use_threads(threads_before);
}

/* A tally of drawn values gives what sorting the drawn values gives: with one value a
 * unit the design draws the values themselves. */
static void test_statistics_are_those_of_the_drawn_values(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        struct stats_question mean =
            ask(STATS_STATISTIC_MEAN, (enum stats_scheme)scheme);
        struct stats_question trimmed =
            ask(STATS_STATISTIC_TRIMMED, (enum stats_scheme)scheme);
        trimmed.statistic.fraction = 0.0;
        double means[REPLICATES];
        double untrimmed[REPLICATES];
        double estimate = replicate(&mean, SIMD_BEST, means);
        (void)replicate(&trimmed, SIMD_BEST, untrimmed);
        for (size_t b = 0; b < REPLICATES; b++) {
            assert_nearly(untrimmed[b], means[b], 1e-13);
        }
        double expected = 0;
        assert_int_equal(stats_mean(values[0], COUNT, &expected, NULL), DUET_OK);
        assert_nearly(estimate, expected, 1e-15);
    }
}

static void test_estimates_are_the_plain_statistics(void **state)
{
    (void)state;
    double found[REPLICATES];
    double copy[COUNT];
    double expected = 0;
    struct stats_question question = ask(STATS_STATISTIC_QUANTILE, STATS_SCHEME_UNITS);
    memcpy(copy, values[0], sizeof copy);
    assert_int_equal(stats_quantile_type7(copy, COUNT, 0.9, &expected, NULL), DUET_OK);
    assert_true(replicate(&question, SIMD_BEST, found) == expected);
    question = ask(STATS_STATISTIC_CV, STATS_SCHEME_UNITS);
    double mean = 0;
    assert_int_equal(stats_mean(values[0], COUNT, &mean, NULL), DUET_OK);
    assert_int_equal(stats_sd_sample(values[0], COUNT, &expected, NULL), DUET_OK);
    assert_nearly(replicate(&question, SIMD_BEST, found), expected / mean, 1e-14);
    question = ask(STATS_STATISTIC_GEOMEAN, STATS_SCHEME_UNITS);
    assert_int_equal(stats_mean_geometric(values[0], COUNT, &expected, NULL), DUET_OK);
    assert_nearly(replicate(&question, SIMD_BEST, found), expected, 1e-14);
}

/* Pairs that differ by a constant have replicates without spread; drawn apart they do
 * not. */
static void test_pairs_stay_together(void **state)
{
    (void)state;
    double shifted[COUNT];
    double replicates[REPLICATES];
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        struct stats_question question =
            ask(STATS_STATISTIC_MEDIAN, (enum stats_scheme)scheme);
        for (size_t i = 0; i < COUNT; i++) {
            shifted[i] = values[0][i] + 1.0;
        }
        question.groups[1].values = shifted;
        question.contrast = STATS_CONTRAST_DIFFERENCE;
        question.paired = true;
        (void)replicate(&question, SIMD_BEST, replicates);
        for (size_t b = 0; b < REPLICATES; b++) {
            assert_nearly(replicates[b], 1.0, 1e-13);
        }
        question.paired = false;
        (void)replicate(&question, SIMD_BEST, replicates);
        assert_true(fabs(replicates[0] - replicates[1]) > 1e-6);
    }
}

/* Strata are all kept: with one value in each, nothing varies. */
static void test_fixed_levels_are_not_drawn(void **state)
{
    (void)state;
    const size_t strata[] = {4};
    const size_t two_and_two[] = {1, 1, 1, 1};
    const size_t *const flat[] = {strata, two_and_two};
    const struct stats_levels fixed = {.depth = 2, .fixed = 1, .sizes = flat};
    struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
    question.groups[0] = (struct stats_group){values[0], 4, &fixed};
    double replicates[REPLICATES];
    double estimate = replicate(&question, SIMD_BEST, replicates);
    for (size_t b = 0; b < REPLICATES; b++) {
        assert_nearly(replicates[b], estimate, 1e-15);
    }
}

/* A block as long as the series: moving blocks draw the series itself, circular ones a
 * rotation of it. */
static void test_blocks_keep_neighbours_together(void **state)
{
    (void)state;
    double replicates[REPLICATES];
    for (int scheme = STATS_SCHEME_CIRCULAR; scheme <= STATS_SCHEME_MOVING; scheme++) {
        struct stats_question question =
            ask(STATS_STATISTIC_QUANTILE, (enum stats_scheme)scheme);
        question.block_length = COUNT;
        double estimate = replicate(&question, SIMD_BEST, replicates);
        for (size_t b = 0; b < REPLICATES; b++) {
            assert_true(replicates[b] == estimate);
        }
    }
}

static struct stats_interval interval_of(const struct stats_question *question,
                                         enum stats_method method)
{
    struct stats_resampling how = {.seed = 4, .replicates = 2000};
    double estimate = 0;
    struct stats_interval interval = {0};
    assert_int_equal(stats_resample_interval(question, &how, method, 0.95, &estimate,
                                             &interval, NULL),
                     DUET_OK);
    assert_true(interval.low <= estimate && estimate <= interval.high);
    return interval;
}

static void test_intervals_move_and_stretch_with_the_data(void **state)
{
    (void)state;
    for (int method = STATS_METHOD_PERCENTILE; method <= STATS_METHOD_STUDENTIZED;
         method++) {
        struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
        struct stats_interval plain = interval_of(&question, (enum stats_method)method);
        for (size_t i = 0; i < COUNT; i++) {
            values[0][i] = 8.0 * values[0][i] + 5.0;
        }
        struct stats_interval moved = interval_of(&question, (enum stats_method)method);
        assert_nearly(moved.low, 8.0 * plain.low + 5.0, 1e-13);
        assert_nearly(moved.high, 8.0 * plain.high + 5.0, 1e-13);
    }
}

static void test_basic_mirrors_percentile(void **state)
{
    (void)state;
    struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
    double replicates[REPLICATES];
    double estimate = replicate(&question, SIMD_BEST, replicates);
    struct stats_interval plain = interval_of(&question, STATS_METHOD_PERCENTILE);
    struct stats_interval basic = interval_of(&question, STATS_METHOD_BASIC);
    assert_nearly(basic.low, 2.0 * estimate - plain.high, 1e-14);
    assert_nearly(basic.high, 2.0 * estimate - plain.low, 1e-14);
}

/* One resample in 26 consists of the sample's own values; its mean is the estimate but
 * for the last digit, as it is added up in another way. Mirrored data must mirror the
 * interval. */
static void test_ties_with_the_estimate_count_half(void **state)
{
    (void)state;
    enum { TIED = 5 };
    const double tied[TIED] = {0.1, 0.7, 1.3, 2.9, 3.3};
    double mirrored[TIED];
    struct stats_question question = ask(STATS_STATISTIC_TRIMMED, STATS_SCHEME_UNITS);
    question.statistic.fraction = 0.0;
    for (size_t i = 0; i < TIED; i++) {
        mirrored[i] = -tied[i];
    }
    question.groups[0] = (struct stats_group){tied, TIED, NULL};
    struct stats_interval plain = interval_of(&question, STATS_METHOD_BCA);
    question.groups[0].values = mirrored;
    struct stats_interval other = interval_of(&question, STATS_METHOD_BCA);
    assert_nearly(other.low, -plain.high, 1e-13);
    assert_nearly(other.high, -plain.low, 1e-13);
}

/* No value's absence changes this median, so that nothing is accelerated, and another
 * unit changes nothing. The mean of six times 0.1, though, is above 0.1, and that of
 * six times 0.7 below 0.7. */
static void test_jackknife_of_equal_values_is_none(void **state)
{
    (void)state;
    const double tied[] = {0.01, 0.05, 0.1, 0.1, 0.3, 0.6};
    const double scaled[] = {0.07, 0.35, 0.7, 0.7, 2.1, 4.2};
    struct stats_question question = ask(STATS_STATISTIC_MEDIAN, STATS_SCHEME_UNITS);
    question.groups[0] = (struct stats_group){tied, 6, NULL};
    struct stats_interval plain = interval_of(&question, STATS_METHOD_BCA);
    question.groups[0].values = scaled;
    struct stats_interval other = interval_of(&question, STATS_METHOD_BCA);
    assert_nearly(other.low, 7.0 * plain.low, 1e-13);
    assert_nearly(other.high, 7.0 * plain.high, 1e-13);
}

static void test_constant_data_has_no_width(void **state)
{
    (void)state;
    const double same[] = {3.0, 3.0, 3.0, 3.0};
    for (int method = STATS_METHOD_PERCENTILE; method <= STATS_METHOD_BCA; method++) {
        struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
        question.groups[0] = (struct stats_group){same, 4, NULL};
        struct stats_interval interval =
            interval_of(&question, (enum stats_method)method);
        assert_true(interval.low == 3.0 && interval.high == 3.0);
    }
}

static enum duet_code try_interval(const struct stats_question *question,
                                   enum stats_method method)
{
    struct stats_resampling how = {.seed = 1, .replicates = 200};
    double estimate = 42;
    struct stats_interval interval = {42, 42};
    enum duet_code code = stats_resample_interval(question, &how, method, 0.95,
                                                  &estimate, &interval, NULL);
    assert_true(code == DUET_OK || (estimate == 42 && interval.low == 42));
    return code;
}

/* Not even of many values, whose sum is rounded: no resample has a standard error to
 * divide by. */
static void test_constant_data_has_no_studentized_interval(void **state)
{
    (void)state;
    double same[2][COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        same[0][i] = 0.1;
        same[1][i] = 0.7;
    }
    struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
    question.groups[0] = (struct stats_group){same[0], COUNT, NULL};
    question.groups[1] = (struct stats_group){same[1], COUNT, NULL};
    for (int contrast = STATS_CONTRAST_NONE; contrast <= STATS_CONTRAST_RATIO;
         contrast++) {
        question.contrast = (enum stats_contrast)contrast;
        assert_int_equal(try_interval(&question, STATS_METHOD_STUDENTIZED),
                         DUET_E_TOO_FEW);
    }
    for (size_t i = 0; i < COUNT; i += 2) {
        same[1][i] = 0.8; /* a spread of one of the two is enough */
    }
    assert_int_equal(try_interval(&question, STATS_METHOD_STUDENTIZED), DUET_OK);
}

static void test_bad_questions_are_refused(void **state)
{
    (void)state;
    const double odd[] = {1.0, (double)NAN, 2.0};
    const double zero[] = {0.0, 1.0, -1.0};
    const struct stats_levels too_few = {.depth = 1, .sizes = sizes};
    struct stats_question question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
    question.groups[0].count = 1;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_TOO_FEW);
    question.groups[0].count = 0;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_TOO_FEW);
    question.groups[0] = (struct stats_group){odd, 3, NULL};
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question.groups[0] = (struct stats_group){values[0], COUNT, &too_few};
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question = ask(STATS_STATISTIC_GEOMEAN, STATS_SCHEME_UNITS);
    question.groups[0] = (struct stats_group){zero, 3, NULL};
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question = ask(STATS_STATISTIC_MEAN, STATS_SCHEME_UNITS);
    question.groups[0] = (struct stats_group){zero, 3, NULL};
    question.contrast = STATS_CONTRAST_RATIO;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question = ask(STATS_STATISTIC_MEDIAN, STATS_SCHEME_UNITS);
    assert_int_equal(try_interval(&question, STATS_METHOD_STUDENTIZED), DUET_E_DOMAIN);
    question.paired = true;
    question.contrast = STATS_CONTRAST_DIFFERENCE;
    question.groups[1].count = 7;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question = ask(STATS_STATISTIC_QUANTILE, STATS_SCHEME_MOVING);
    question.block_length = COUNT + 1;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question.block_length = 0.0;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
    question.block_length = 3.0;
    question.statistic.fraction = 1.5;
    assert_int_equal(try_interval(&question, STATS_METHOD_PERCENTILE), DUET_E_DOMAIN);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int scheme = 0; scheme < SCHEMES; scheme++) {
            struct stats_question question =
                ask((enum stats_statistic_kind)kind, (enum stats_scheme)scheme);
            question.contrast = STATS_CONTRAST_DIFFERENCE;
            unsigned long nth = 0;
            enum duet_code code = DUET_E_NOMEM;
            while (code != DUET_OK) {
                alloc_fail_at(++nth);
                code = try_interval(&question, STATS_METHOD_BCA);
                alloc_fail_at(0);
                assert_true(code == DUET_E_NOMEM || code == DUET_OK);
            }
            assert_true(nth > 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_seed_and_data_decide),
        cmocka_unit_test(test_room_does_not_matter),
        cmocka_unit_test(test_number_of_threads_does_not_matter),
        cmocka_unit_test(test_statistics_are_those_of_the_drawn_values),
        cmocka_unit_test(test_estimates_are_the_plain_statistics),
        cmocka_unit_test(test_pairs_stay_together),
        cmocka_unit_test(test_fixed_levels_are_not_drawn),
        cmocka_unit_test(test_blocks_keep_neighbours_together),
        cmocka_unit_test(test_intervals_move_and_stretch_with_the_data),
        cmocka_unit_test(test_basic_mirrors_percentile),
        cmocka_unit_test(test_ties_with_the_estimate_count_half),
        cmocka_unit_test(test_jackknife_of_equal_values_is_none),
        cmocka_unit_test(test_constant_data_has_no_width),
        cmocka_unit_test(test_constant_data_has_no_studentized_interval),
        cmocka_unit_test(test_bad_questions_are_refused),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
