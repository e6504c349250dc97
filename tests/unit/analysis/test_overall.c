// link: duet_stats
// labels: soakvalgrind
/* The row that sums several benchmarks up: its own interval and verdict, and how often
 * the interval covers the truth. */
#include "analysis/overall.h"
#include "base/random.h"
#include "stats/sequential/betting.h"
#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/trials.h"

enum { BENCHMARKS_MAX = 10, BLOCKS_MAX = 60 };

static struct model_comparison one(double ratio, double low, double high,
                                   enum model_interval_method method)
{
    return (struct model_comparison){
        .ratio = ratio,
        .interval = {.low = low, .high = high, .confidence = 0.99, .method = method},
        .verdict = low > 1    ? MODEL_VERDICT_SLOWER
                   : high < 1 ? MODEL_VERDICT_FASTER
                              : MODEL_VERDICT_UNSURE,
        .same_within = (double)NAN};
}

static void make_bonferroni(struct model_comparison *comparisons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        comparisons[i].interval.confidence = 1 - 0.01 / (double)count;
        comparisons[i].family = (struct model_family){
            .size = count, .multiplicity = MODEL_MULTIPLICITY_BONFERRONI};
    }
}

/* One slower and two four times faster: the mean is faster, whatever the first is. */
static void the_verdict_is_its_own(void **state)
{
    (void)state;
    struct model_comparison rows[] = {one(1.4, 1.35, 1.45, MODEL_INTERVAL_T),
                                      one(0.25, 0.24, 0.26, MODEL_INTERVAL_T),
                                      one(0.25, 0.24, 0.26, MODEL_INTERVAL_T)};
    struct model_geomean row;
    assert_true(analysis_geomean(rows, 3, &row));
    assert_true(row.count == 3);
    assert_true(fabs(row.ratio - cbrt(1.4 * 0.25 * 0.25)) < 1e-12);
    assert_int_equal(row.verdict, MODEL_VERDICT_FASTER);
    assert_int_equal(row.rule, MODEL_GEOMEAN_INDEPENDENT);
    assert_true(fabs(row.confidence - 0.99) < 1e-12);
    double of_slow = log(1.4 / 1.35);
    double of_fast = log(0.25 / 0.24);
    double below = sqrt(of_slow * of_slow + 2 * of_fast * of_fast) / 3;
    assert_true(fabs(log(row.ratio / row.low) - below) < 1e-12);
    /* swapped sides: the same row, upside down */
    struct model_comparison swapped[3];
    struct model_geomean other;
    for (size_t i = 0; i < 3; i++) {
        swapped[i] = one(1 / rows[i].ratio, 1 / rows[i].interval.high,
                         1 / rows[i].interval.low, MODEL_INTERVAL_T);
    }
    assert_true(analysis_geomean(swapped, 3, &other));
    assert_true(fabs(other.low * row.high - 1) < 1e-12);
    assert_true(fabs(other.high * row.low - 1) < 1e-12);
    assert_int_equal(other.verdict, MODEL_VERDICT_SLOWER);
}

static void intervals_of_looks_need_bonferroni(void **state)
{
    (void)state;
    struct model_comparison rows[] = {one(1.10, 1.05, 1.15, MODEL_INTERVAL_ANYTIME),
                                      one(1.04, 1.01, 1.07, MODEL_INTERVAL_T)};
    struct model_geomean row;
    assert_true(analysis_geomean(rows, 2, &row));
    assert_int_equal(row.rule, MODEL_GEOMEAN_NO_INTERVAL);
    assert_int_equal(row.verdict, MODEL_VERDICTS);
    assert_true(isnan(row.low) && isnan(row.high) && isnan(row.confidence));
    assert_true(fabs(row.ratio - sqrt(1.10 * 1.04)) < 1e-12);
    make_bonferroni(rows, 2);
    assert_true(analysis_geomean(rows, 2, &row));
    assert_int_equal(row.rule, MODEL_GEOMEAN_ENDS);
    assert_true(fabs(row.low - sqrt(1.05 * 1.01)) < 1e-12);
    assert_true(fabs(row.high - sqrt(1.15 * 1.07)) < 1e-12);
    assert_true(fabs(row.confidence - 0.99) < 1e-9);
    assert_int_equal(row.verdict, MODEL_VERDICT_SLOWER);
}

static void an_open_end_stays_open(void **state)
{
    (void)state;
    const double open = (double)NAN;
    struct model_comparison rows[] = {one(1.10, 1.05, open, MODEL_INTERVAL_ANYTIME),
                                      one(1.04, 1.01, 1.07, MODEL_INTERVAL_ANYTIME)};
    struct model_geomean row;
    make_bonferroni(rows, 2);
    assert_true(analysis_geomean(rows, 2, &row));
    assert_true(isnan(row.high) && fabs(row.low - sqrt(1.05 * 1.01)) < 1e-12);
    assert_int_equal(row.verdict, MODEL_VERDICT_SLOWER);
    rows[1].interval.low = open;
    assert_true(analysis_geomean(rows, 2, &row));
    assert_int_equal(row.rule, MODEL_GEOMEAN_NO_INTERVAL);
    assert_int_equal(row.verdict, MODEL_VERDICTS);
    /* and so with the squares */
    rows[0].interval.method = rows[1].interval.method = MODEL_INTERVAL_T;
    assert_true(analysis_geomean(rows, 2, &row));
    assert_true(isnan(row.low) && isnan(row.high));
    assert_int_equal(row.verdict, MODEL_VERDICTS);
}

static void what_is_asked_must_be_asked_of_all(void **state)
{
    (void)state;
    struct model_comparison rows[] = {one(1.001, 0.999, 1.003, MODEL_INTERVAL_T),
                                      one(1.001, 0.999, 1.003, MODEL_INTERVAL_T)};
    struct model_geomean row;
    rows[0].same_within = rows[1].same_within = 0.01;
    rows[0].statistic.statistic.kind = MODEL_STATISTIC_CV;
    rows[1].statistic.statistic.kind = MODEL_STATISTIC_CV;
    assert_true(analysis_geomean(rows, 2, &row));
    assert_int_equal(row.verdict, MODEL_VERDICT_SAME);
    assert_int_equal(row.statistic, MODEL_STATISTIC_CV);
    rows[1].same_within = 0.02;
    rows[1].statistic.statistic.kind = MODEL_STATISTIC_NONE;
    assert_true(analysis_geomean(rows, 2, &row));
    assert_true(isnan(row.same_within));
    assert_int_equal(row.verdict, MODEL_VERDICT_UNSURE);
    assert_int_equal(row.statistic, MODEL_STATISTIC_NONE);
}

static void failed_ones_are_left_out(void **state)
{
    (void)state;
    struct model_comparison rows[] = {
        {.verdict = MODEL_VERDICT_FAILED, .ratio = (double)NAN},
        one(1.10, 1.05, 1.15, MODEL_INTERVAL_T),
        one(1.04, 1.01, 1.07, MODEL_INTERVAL_T)};
    struct model_geomean row = {.count = 77};
    assert_false(analysis_geomean(rows, 2, &row));
    assert_true(row.count == 77);
    assert_true(analysis_geomean(rows, 3, &row));
    assert_true(row.count == 2 && fabs(row.ratio - sqrt(1.10 * 1.04)) < 1e-12);
    rows[1].ratio = (double)NAN; /* too few runs */
    assert_false(analysis_geomean(rows, 3, &row));
    assert_false(analysis_geomean(rows, 0, &row));
}

/* ---- Coverage ---- */

static double normal(struct random_stream *stream)
{
    double radius = sqrt(-2 * log(1 - random_uniform(stream)));
    return radius * cos(2 * acos(-1.0) * random_uniform(stream));
}

/* Student's t over so many blocks, each benchmark as noisy as it likes. */
static struct model_comparison fixed(struct random_stream *stream, double truth,
                                     double sd, size_t blocks, double confidence)
{
    double values[BLOCKS_MAX];
    double sum = 0;
    struct stats_interval ends = {0};
    for (size_t i = 0; i < blocks; i++) {
        values[i] = truth + sd * normal(stream);
        sum += values[i];
    }
    assert_int_equal(stats_t_interval(values, blocks, confidence, &ends, NULL),
                     DUET_OK);
    struct model_comparison made =
        one(exp(sum / (double)blocks), exp(ends.low), exp(ends.high), MODEL_INTERVAL_T);
    made.interval.confidence = confidence;
    return made;
}

/* Within four standard errors of a share of `trials`. */
static void assert_covers(size_t covered, size_t trials, double confidence)
{
    double share = (double)covered / (double)trials;
    double error = sqrt(confidence * (1 - confidence) / (double)trials);
    if (share < confidence - 4 * error) {
        fail_msg("covers %.4f of %zu, not %.4f", share, trials, confidence);
    }
}

static void squares_cover_for_any_variances(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, BENCHMARKS_MAX};
    static const size_t blocks[] = {2, 5, 8};
    const size_t trials = TRIALS_OF(4000);
    for (size_t c = 0; c < 9; c++) {
        size_t count = counts[c / 3];
        struct random_stream stream = random_stream_at(23, c);
        size_t covered = 0;
        for (size_t t = 0; t < trials; t++) {
            struct model_comparison rows[BENCHMARKS_MAX];
            struct model_geomean row;
            double truth = 0;
            for (size_t i = 0; i < count; i++) {
                double of_row = 0.01 * (double)i;
                truth += of_row / (double)count;
                rows[i] = fixed(&stream, of_row, pow(3, (double)(i % 4)) * 1e-3,
                                blocks[c % 3] + i % 2, 0.95);
            }
            assert_true(analysis_geomean(rows, count, &row));
            covered += log(row.low) <= truth && truth <= log(row.high);
        }
        assert_covers(covered, trials, 0.95);
    }
}

/* Bets that stop as soon as the sign is known. */
/* Of one process: a part of each error is that of all, from none of it to the whole. */
static void benchmarks_of_files_may_err_together(void **state)
{
    (void)state;
    enum { COUNT = 10, RUNS = 6 };
    const double confidence = 0.95;
    const size_t trials = TRIALS_OF(2000);
    for (int tenths = 0; tenths <= 10; tenths += 5) {
        struct random_stream stream = random_stream_at(31, (uint64_t)tenths);
        double own = sqrt(1 - tenths / 10.0);
        double common = sqrt(tenths / 10.0);
        size_t covered = 0;
        for (size_t t = 0; t < trials; t++) {
            struct model_comparison rows[COUNT];
            struct model_geomean row;
            double of_all[RUNS];
            for (size_t r = 0; r < RUNS; r++) {
                of_all[r] = common * normal(&stream);
            }
            for (size_t i = 0; i < COUNT; i++) {
                double values[RUNS];
                double sum = 0;
                struct stats_interval ends = {0};
                for (size_t r = 0; r < RUNS; r++) {
                    values[r] = of_all[r] + own * normal(&stream);
                    sum += values[r];
                }
                assert_int_equal(
                    stats_t_interval(values, RUNS, confidence, &ends, NULL), DUET_OK);
                rows[i] = one(exp(sum / RUNS), exp(ends.low), exp(ends.high),
                              MODEL_INTERVAL_T);
                rows[i].imported = true;
            }
            assert_true(analysis_geomean(rows, COUNT, &row));
            assert_int_equal(row.rule, MODEL_GEOMEAN_DEPENDENT);
            covered += row.low < 1 && row.high > 1;
        }
        assert_covers(covered, trials, confidence);
    }
}

static struct model_comparison stopped(struct random_stream *stream, double truth,
                                       double sd, double miss)
{
    struct stats_betting *betting = NULL;
    struct stats_interval ends = {0};
    double sum = 0;
    size_t blocks = 0;
    bool conflict = false;
    assert_int_equal(stats_betting_new(miss, &betting, NULL), DUET_OK);
    while (blocks < BLOCKS_MAX && stats_betting_sign(betting) == 0) {
        double value = truth + sd * normal(stream);
        assert_int_equal(stats_betting_add(betting, value, 1.0, NULL), DUET_OK);
        sum += value;
        blocks++;
    }
    stats_betting_interval(betting, &ends, &conflict);
    stats_betting_free(betting);
    double low = isfinite(ends.low) ? exp(ends.low) : (double)NAN;
    double high = isfinite(ends.high) ? exp(ends.high) : (double)NAN;
    struct model_comparison made =
        one(exp(sum / (double)blocks), low, high, MODEL_INTERVAL_ANYTIME);
    made.interval.confidence = 1 - miss;
    return made;
}

static void ends_cover_however_they_stopped(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    static const double effects[][COUNT] = {
        {0, 0, 0}, {0.01, 0.01, 0.01}, {0.03, -0.01, -0.02}};
    const size_t trials = TRIALS_OF(1000);
    for (size_t e = 0; e < 3; e++) {
        struct random_stream stream = random_stream_at(29, e);
        double truth = (effects[e][0] + effects[e][1] + effects[e][2]) / COUNT;
        size_t covered = 0;
        for (size_t t = 0; t < trials; t++) {
            struct model_comparison rows[COUNT];
            struct model_geomean row;
            for (size_t i = 0; i < COUNT; i++) {
                rows[i] = stopped(&stream, effects[e][i], 0.01, 0.05 / COUNT);
                rows[i].family = (struct model_family){
                    .size = COUNT, .multiplicity = MODEL_MULTIPLICITY_BONFERRONI};
            }
            assert_true(analysis_geomean(rows, COUNT, &row));
            covered += !(log(row.low) > truth) && !(log(row.high) < truth);
        }
        assert_covers(covered, trials, 0.95);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_is_its_own),
        cmocka_unit_test(intervals_of_looks_need_bonferroni),
        cmocka_unit_test(an_open_end_stays_open),
        cmocka_unit_test(what_is_asked_must_be_asked_of_all),
        cmocka_unit_test(failed_ones_are_left_out),
        cmocka_unit_test(squares_cover_for_any_variances),
        cmocka_unit_test(benchmarks_of_files_may_err_together),
        cmocka_unit_test(ends_cover_however_they_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
