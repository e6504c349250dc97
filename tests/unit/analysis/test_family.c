// link: duet_stats
// labels: soakvalgrind
/* p values, and several comparisons judged together. With an argument it prints the
 * table of docs/decisions/0007-several-benchmarks.md:
 *
 *     unit_analysis_family measure 10000
 */
#include "analysis_data.h"

#include "analysis/family.h"
#include "stats/multiplicity.h"
#include "stats/rank/signflip.h"
#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct model_comparison compare(enum model_interval_method method, bool paired,
                                       double ratio, double confidence)
{
    struct model_analysis options = model_analysis_default();
    options.interval = method;
    options.interval_asked = paired;
    options.confidence = confidence;
    options.replicates = 1000;
    struct data data = {.runs = 20, .iterations = 4, .ratio = ratio};
    struct analysis *analysis = data_analysis(&options, paired, data);
    struct model_comparison comparison = {0};
    assert_int_equal(analysis_conclude(analysis, &comparison, NULL), DUET_OK);
    analysis_free(analysis);
    return comparison;
}

/* An interval excludes 1 exactly at the confidences below 1 - p. */
static void check_duality(enum model_interval_method method)
{
    const double ratio = 1.00045;
    struct model_comparison at = compare(method, true, ratio, 0.99);
    double p_value = at.p_value;
    assert_true(p_value > 1e-6 && p_value < 0.4);
    for (int below = 0; below < 2; below++) {
        double level = 1.0 - p_value * (below ? 1.02 : 0.98);
        struct model_comparison got = compare(method, true, ratio, level);
        bool excluded = got.interval.low > 1.0 || got.interval.high < 1.0;
        assert_int_equal(excluded, below);
    }
}

static void test_p_values_are_the_intervals(void **state)
{
    (void)state;
    check_duality(MODEL_INTERVAL_T);
    check_duality(MODEL_INTERVAL_SIGNFLIP);
    assert_int_equal(compare(MODEL_INTERVAL_BCA, true, 1.0, 0.99).p_value_method,
                     MODEL_P_VALUE_T);
    assert_int_equal(compare(MODEL_INTERVAL_BLOCK, true, 1.0, 0.99).p_value_method,
                     MODEL_P_VALUE_INTERVAL);
    struct model_comparison welch = compare(MODEL_INTERVAL_T, false, 1.0, 0.99);
    assert_int_equal(welch.p_value_method, MODEL_P_VALUE_WELCH);
    assert_true(welch.p_value > 0.9);
    assert_true(compare(MODEL_INTERVAL_T, false, 2.0, 0.99).p_value < 1e-6);
}

/* Every pattern of signs, one by one. */
static void test_sign_flips_one_by_one(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(3, 0);
    for (size_t count = 1; count <= 10; count++) {
        double values[10];
        double sum = 0.0;
        unsigned reached = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = random_uniform(&stream) - 0.3;
            sum += values[i];
        }
        for (unsigned pattern = 0; pattern < 1U << count; pattern++) {
            double flipped = 0.0;
            for (size_t i = 0; i < count; i++) {
                flipped += (pattern >> i & 1U) != 0 ? -values[i] : values[i];
            }
            reached += fabs(flipped) >= fabs(sum) - 1e-12;
        }
        double p_value = 0.0;
        assert_int_equal(stats_signflip_p_value(values, count, 1, 0, &p_value, NULL),
                         DUET_OK);
        assert_true(fabs(p_value - reached / ldexp(1.0, (int)count)) < 1e-15);
    }
    /* many values: a sample of the patterns, near the t test's answer */
    double many[60];
    for (size_t i = 0; i < 60; i++) {
        many[i] = random_uniform(&stream) - 0.42;
    }
    double p_value = 0.0;
    assert_int_equal(stats_signflip_p_value(many, 60, 1, 0, &p_value, NULL), DUET_OK);
    assert_true(p_value > 1e-5 && p_value < 0.3);
    double exact = 0.0;
    assert_int_equal(stats_signflip_p_value(many, 20, 1, 0, &exact, NULL), DUET_OK);
    many[0] = (double)NAN;
    assert_int_equal(stats_signflip_p_value(many, 20, 1, 0, &exact, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(stats_signflip_p_value(many, 0, 1, 0, &exact, NULL),
                     DUET_E_TOO_FEW);
}

static void make_family(struct model_comparison *comparisons,
                        struct model_comparison **refs, const double *p_values,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        comparisons[i] = (struct model_comparison){
            .p_value = p_values[i],
            .p_value_method = MODEL_P_VALUE_T,
            .runs = 16,
            .verdict =
                p_values[i] < 0.01 ? MODEL_VERDICT_SLOWER : MODEL_VERDICT_UNSURE};
        refs[i] = &comparisons[i];
    }
}

static double member_confidence(enum model_multiplicity multiplicity, size_t size)
{
    const struct model_analysis family = {
        .multiplicity = multiplicity, .confidence = 0.99, .family = size};
    return analysis_family_member(&family).confidence;
}

static void test_rules(void **state)
{
    (void)state;
    const double p_values[] = {0.0001, 0.004, 0.006, 0.5, (double)NAN};
    const struct {
        enum model_multiplicity rule;
        int changes; /* of the three whose own p value is below 0.01 */
        double adjusted[3];
    } expected[] = {
        {MODEL_MULTIPLICITY_NONE, 3, {0.0001, 0.004, 0.006}},
        {MODEL_MULTIPLICITY_HOLM, 1, {0.0004, 0.012, 0.012}},
        {MODEL_MULTIPLICITY_BH, 3, {0.0004, 0.008, 0.008}},
        {MODEL_MULTIPLICITY_BONFERRONI, 3, {0.0004, 0.016, 0.024}},
    };
    for (size_t e = 0; e < sizeof expected / sizeof expected[0]; e++) {
        struct model_comparison comparisons[5];
        struct model_comparison *refs[5];
        int changes = 0;
        make_family(comparisons, refs, p_values, 5);
        assert_int_equal(analysis_family_judge(expected[e].rule, 0.99, refs, 5, NULL),
                         DUET_OK);
        for (size_t i = 0; i < 5; i++) {
            const struct model_family *family = &comparisons[i].family;
            changes += comparisons[i].verdict == MODEL_VERDICT_SLOWER;
            assert_int_equal(family->size, 5);
            assert_int_equal(family->multiplicity, expected[e].rule);
            assert_int_equal(family->unshown,
                             (expected[e].rule == MODEL_MULTIPLICITY_HOLM ||
                              expected[e].rule == MODEL_MULTIPLICITY_BH) &&
                                 family->p_adjusted > 0.011);
            assert_int_equal(family->withheld,
                             i < 3 && comparisons[i].verdict == MODEL_VERDICT_UNSURE);
            if (i < 3) {
                assert_true(fabs(family->p_adjusted - expected[e].adjusted[i]) < 1e-12);
            }
        }
        assert_true(isnan(comparisons[4].family.p_adjusted));
        assert_int_equal(changes, expected[e].changes);
    }
    assert_true(member_confidence(MODEL_MULTIPLICITY_HOLM, 5) == 0.99);
    assert_true(fabs(member_confidence(MODEL_MULTIPLICITY_BONFERRONI, 5) - 0.998) <
                1e-15);
    assert_true(member_confidence(MODEL_MULTIPLICITY_BONFERRONI, 1) == 0.99);
}

/* A change of which nobody knows how sure it is stays out of a judgement of several. */
static void test_a_change_without_a_p_value(void **state)
{
    (void)state;
    const double p_values[] = {(double)NAN, 0.5};
    for (int bh = 0; bh < 2; bh++) {
        struct model_comparison comparisons[2];
        struct model_comparison *refs[2];
        make_family(comparisons, refs, p_values, 2);
        comparisons[0].verdict = MODEL_VERDICT_SLOWER;
        assert_int_equal(
            analysis_family_judge(bh ? MODEL_MULTIPLICITY_BH : MODEL_MULTIPLICITY_HOLM,
                                  0.99, refs, 2, NULL),
            DUET_OK);
        assert_int_equal(comparisons[0].verdict, MODEL_VERDICT_UNSURE);
        assert_true(comparisons[0].family.withheld && comparisons[0].family.unshown);
    }
}

static void test_one_alone_is_left_as_it_is(void **state)
{
    (void)state;
    const double p_value = 0.005;
    struct model_comparison comparison;
    struct model_comparison *ref = NULL;
    make_family(&comparison, &ref, &p_value, 1);
    assert_int_equal(
        analysis_family_judge(MODEL_MULTIPLICITY_HOLM, 0.99, &ref, 1, NULL), DUET_OK);
    assert_int_equal(comparison.verdict, MODEL_VERDICT_SLOWER);
    assert_int_equal(comparison.family.size, 0);
}

/* 8 blocks: p is 2/256 at least, which times 2 is above 0.01. */
static void test_what_sign_flips_cannot_reach_is_said(void **state)
{
    (void)state;
    const double p_values[] = {2.0 / 256.0, 0.3};
    for (int enough = 0; enough < 2; enough++) {
        struct model_comparison comparisons[2];
        struct model_comparison *refs[2];
        make_family(comparisons, refs, p_values, 2);
        comparisons[0].p_value_method = MODEL_P_VALUE_SIGNFLIP;
        comparisons[0].runs = enough ? 18 : 16;
        comparisons[0].p_value = enough ? 2.0 / 512.0 : 2.0 / 256.0;
        assert_int_equal(
            analysis_family_judge(MODEL_MULTIPLICITY_HOLM, 0.99, refs, 2, NULL),
            DUET_OK);
        assert_int_equal(comparisons[0].verdict,
                         enough ? MODEL_VERDICT_SLOWER : MODEL_VERDICT_UNSURE);
        assert_int_equal(comparisons[0].warning_count, enough ? 0 : 1);
        if (!enough) {
            assert_non_null(strstr(comparisons[0].warnings[0].text, "do 18 runs"));
        }
    }
}

/* ---- How often a family of equal programs raises a false alarm ---- */

enum { FAMILY_MAX = 20, BLOCKS_MAX = 16 };
enum noise { NOISE_NORMAL, NOISE_HEAVY, NOISES };
enum way { WAY_T, WAY_SIGNFLIP, WAYS };

static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* Symmetric, as a block's mean log ratio is by design; heavy: the difference of two
 * log-normal disturbances. */
static double draw_block(enum noise noise, struct random_stream *stream)
{
    return noise == NOISE_NORMAL ? draw_normal(stream)
                                 : exp(draw_normal(stream)) - exp(draw_normal(stream));
}

static double p_value_of(enum way way, const double *values, size_t count)
{
    double p_value = 1.0;
    if (way == WAY_SIGNFLIP) {
        (void)!stats_signflip_p_value(values, count, 1, 0, &p_value, NULL);
        return p_value;
    }
    double sum = 0.0;
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    double error = sqrt(squares / (double)(count - 1) / (double)count);
    return stats_t_p_value(mean, error, (double)(count - 1));
}

/* Share of families of `size` benchmarks in which Holm's rule at 1 % shows any change;
 * with `shift` (in standard deviations of a block), the share of benchmarks shown. */
static double share_of_alarms(enum way way, enum noise noise, size_t size,
                              size_t blocks, double shift, unsigned families)
{
    unsigned alarms = 0;
    unsigned shown = 0;
    for (unsigned f = 0; f < families; f++) {
        struct random_stream stream = random_stream_at(77, f);
        double p_values[FAMILY_MAX];
        bool any = false;
        for (size_t i = 0; i < size; i++) {
            double values[BLOCKS_MAX];
            for (size_t b = 0; b < blocks; b++) {
                values[b] = draw_block(noise, &stream) + shift;
            }
            p_values[i] = p_value_of(way, values, blocks);
        }
        (void)!stats_multiplicity_adjust(STATS_MULTIPLICITY_HOLM, p_values, size,
                                         p_values, NULL);
        for (size_t i = 0; i < size; i++) {
            any = any || p_values[i] <= 0.01;
            shown += p_values[i] <= 0.01;
        }
        alarms += any;
    }
    return shift > 0.0 ? (double)shown / (double)(families * size)
                       : (double)alarms / (double)families;
}

static void test_false_alarms_of_a_family(void **state)
{
    (void)state;
    enum { FAMILIES = 2000 };
    double bound = 0.01 + 4.0 * sqrt(0.01 * 0.99 / FAMILIES);
    for (int noise = 0; noise < NOISES; noise++) {
        for (int way = 0; way < WAYS; way++) {
            assert_true(share_of_alarms((enum way)way, (enum noise)noise, 5, 8, 0.0,
                                        FAMILIES) < bound);
        }
    }
    assert_true(share_of_alarms(WAY_T, NOISE_NORMAL, 5, 8, 3.0, 200) > 0.8);
    assert_true(share_of_alarms(WAY_SIGNFLIP, NOISE_NORMAL, 5, 8, 3.0, 200) <= 0.0);
}

static int measure(unsigned families)
{
    static const char *const noises[] = {"normal", "heavy tails"};
    static const size_t sizes[] = {2, 5, 20};
    static const size_t blocks[] = {8, 12};
    (void)printf(
        "| noise | benchmarks | blocks | t | signflip | t sees | signflip sees |\n"
        "|:---|---:|---:|---:|---:|---:|---:|\n");
    for (int noise = 0; noise < NOISES; noise++) {
        for (size_t s = 0; s < 3; s++) {
            for (size_t b = 0; b < 2; b++) {
                (void)printf("| %s | %zu | %zu |", noises[noise], sizes[s], blocks[b]);
                for (int shifted = 0; shifted < 2; shifted++) {
                    for (int way = 0; way < WAYS; way++) {
                        double shift = !shifted               ? 0.0
                                       : noise == NOISE_HEAVY ? 6.0
                                                              : 2.0;
                        (void)printf(" %.2f |",
                                     100.0 * share_of_alarms(
                                                 (enum way)way, (enum noise)noise,
                                                 sizes[s], blocks[b], shift, families));
                    }
                }
                (void)printf("\n");
                (void)fflush(stdout);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "measure") == 0) {
        return measure((unsigned)strtoul(argv[2], NULL, 10));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_p_values_are_the_intervals),
        cmocka_unit_test(test_sign_flips_one_by_one),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_a_change_without_a_p_value),
        cmocka_unit_test(test_one_alone_is_left_as_it_is),
        cmocka_unit_test(test_what_sign_flips_cannot_reach_is_said),
        cmocka_unit_test(test_false_alarms_of_a_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
