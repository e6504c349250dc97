// labels: novalgrind noasan
/* How often the intervals cover the truth. As a test: a small, seeded simulation inside
 * its binomial error. With an argument it prints the table of docs/method.md:
 *
 *     unit_stats_coverage measure 10000 [METHOD]
 */
#include "base/random.h"
#include "stats/bootstrap/blocklength.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/bootstrap/coverage.h"
#include "stats/bootstrap/resample.h"
#include "stats/bootstrap/twolevel.h"
#include "stats/rank/signflip.h"
#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/trials.h"

enum { COUNT_MAX = 300, DIFFERENCE_REPLICATES = 2000 };

enum noise {
    NOISE_NORMAL,
    NOISE_LOGNORMAL,
    NOISE_AR1, /* normal, lag-1 autocorrelation 0.4 */
    NOISES
};

static const double ar1_correlation = 0.4;
enum method {
    METHOD_PERCENTILE,
    METHOD_T,
    METHOD_SIGNFLIP,
    METHOD_BASIC,
    METHOD_BCA,
    METHOD_STUDENTIZED,
    METHOD_BLOCK,
    METHOD_DIFFERENCE, /* of two samples */
    METHODS
};

static const char *const noise_names[] = {"normal", "log-normal", "ar1"};
static const char *const method_names[] = {"percentile", "t",         "signflip",
                                           "basic",      "bca",       "studentized",
                                           "block",      "difference"};

/* Box and Muller 1958. */
static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* A sample whose true mean is 0. */
static void draw_sample(struct random_stream *stream, enum noise noise, double *values,
                        size_t count)
{
    double before = noise == NOISE_AR1 ? draw_normal(stream) : 0.0;
    for (size_t i = 0; i < count; i++) {
        double normal = draw_normal(stream);
        if (noise == NOISE_AR1) {
            values[i] = before = ar1_correlation * before +
                                 sqrt(1.0 - ar1_correlation * ar1_correlation) * normal;
            continue;
        }
        values[i] = noise == NOISE_NORMAL ? normal : exp(normal) - exp(0.5);
    }
}

static enum duet_code bootstrap(enum method method, const double *values, size_t count,
                                const struct stats_resampling *how,
                                struct stats_interval *ret_interval)
{
    struct stats_block_lengths lengths = {0};
    struct stats_question question = {.statistic = {STATS_STATISTIC_MEAN, 0.0},
                                      .groups = {{values, count, NULL}}};
    enum stats_method of = method == METHOD_BASIC         ? STATS_METHOD_BASIC
                           : method == METHOD_BCA         ? STATS_METHOD_BCA
                           : method == METHOD_STUDENTIZED ? STATS_METHOD_STUDENTIZED
                                                          : STATS_METHOD_PERCENTILE;
    double mean = 0.0;
    if (method == METHOD_BLOCK) {
        enum duet_code code =
            stats_block_lengths_estimate(values, count, &lengths, NULL);
        if (code != DUET_OK) {
            return code;
        }
        question.scheme = STATS_SCHEME_CIRCULAR;
        question.block_length = fmax(1.0, round(lengths.circular));
    }
    return stats_resample_interval(&question, how, of, 0.99, &mean, ret_interval, NULL);
}

/* Against a second sample, of the same length and noise. */
static enum duet_code difference(const double *values, size_t count,
                                 const struct stats_resampling *how,
                                 struct stats_interval *ret_interval)
{
    struct random_stream stream = random_stream_at(20200421, how->seed);
    double others[COUNT_MAX];
    double replicates[DIFFERENCE_REPLICATES];
    draw_sample(&stream, NOISE_NORMAL, others, count);
    struct stats_run runs[] = {{values, count}, {others, count}};
    struct stats_runs from = {&runs[0], 1};
    struct stats_runs to = {&runs[1], 1};
    struct stats_resampling bounded = *how;
    bounded.replicates = DIFFERENCE_REPLICATES;
    enum duet_code code = stats_twolevel_difference(&from, &to, STATS_LOCATION_MEAN,
                                                    &bounded, replicates, NULL);
    return code != DUET_OK
               ? code
               : stats_interval_percentile(replicates, DIFFERENCE_REPLICATES, 0.99,
                                           ret_interval, NULL);
}

static struct stats_interval interval_of(enum method method, const double *values,
                                         size_t count, uint64_t trial,
                                         size_t replicates)
{
    struct stats_resampling how = {.seed = trial, .replicates = replicates};
    struct stats_interval interval = {0};
    enum duet_code code = DUET_OK;
    switch (method) {
    case METHOD_PERCENTILE:
        code = stats_bootstrap_percentile(values, count, 0.99, &how, &interval, NULL);
        break;
    case METHOD_T:
        code = stats_t_interval(values, count, 0.99, &interval, NULL);
        break;
    case METHOD_SIGNFLIP:
        code = stats_signflip_interval(values, count, 0.99, trial, 0, &interval, NULL);
        break;
    case METHOD_BASIC:
    case METHOD_BCA:
    case METHOD_STUDENTIZED:
    case METHOD_BLOCK:
        code = bootstrap(method, values, count, &how, &interval);
        break;
    case METHOD_DIFFERENCE:
        code = difference(values, count, &how, &interval);
        break;
    case METHODS:
        abort();
    }
    if (code == DUET_E_TOO_FEW || code == DUET_E_DOMAIN) { /* unbounded: no cover */
        interval = (struct stats_interval){(double)NAN, (double)NAN};
        code = DUET_OK;
    }
    if (code != DUET_OK) {
        abort();
    }
    return interval;
}

static double measure(enum method method, enum noise noise, size_t count,
                      unsigned trials, size_t replicates)
{
    unsigned covered = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        struct random_stream stream = random_stream_at(20200420, trial);
        double values[COUNT_MAX];
        draw_sample(&stream, noise, values, count);
        struct stats_interval interval =
            interval_of(method, values, count, trial + 1, replicates);
        covered += interval.low <= 0.0 && 0.0 <= interval.high;
    }
    return (double)covered / trials;
}

/* Within four standard errors of the share that is expected. */
static void assert_measured(enum method method, size_t count, double expected,
                            unsigned trials, size_t replicates)
{
    double share = measure(method, NOISE_NORMAL, count, trials, replicates);
    double error = sqrt(expected * (1.0 - expected) / trials);
    assert_true(fabs(share - expected) <= 4.0 * error);
}

static void test_t_covers_what_it_says(void **state)
{
    (void)state;
    const size_t counts[] = {2, 3, 5, 8, 30};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_measured(METHOD_T, counts[i], 0.99, TRIALS_OF(20000), 1);
    }
}

/* k / 2^(count - 1) of all orders of the data lie outside: with 8 values 1 / 128, with
 * 10 values 5 / 512. */
static void test_signflip_covers_what_it_says(void **state)
{
    (void)state;
    assert_measured(METHOD_SIGNFLIP, 8, 1.0 - 1.0 / 128.0, TRIALS_OF(20000), 1);
    assert_measured(METHOD_SIGNFLIP, 10, 1.0 - 5.0 / 512.0, TRIALS_OF(10000), 1);
}

static void test_signflip_sampled_covers_what_it_says(void **state)
{
    (void)state;
    assert_measured(METHOD_SIGNFLIP, 21, 0.99, TRIALS_OF(200), 1);
}

static void test_percentile_covers_as_its_table_says(void **state)
{
    (void)state;
    const size_t counts[] = {3, 5, 10};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_measured(
            METHOD_PERCENTILE, counts[i],
            stats_coverage_measured(STATS_COVERAGE_PERCENTILE, counts[i], 0.99),
            TRIALS_OF(2000), 2000);
    }
}

static void test_other_bootstraps_cover_as_their_tables_say(void **state)
{
    (void)state;
    static const struct {
        enum method method;
        enum stats_coverage_of of;
        size_t count;
    } cells[] = {{METHOD_BASIC, STATS_COVERAGE_BASIC, 5},
                 {METHOD_BASIC, STATS_COVERAGE_BASIC, 12},
                 {METHOD_BCA, STATS_COVERAGE_BCA, 5},
                 {METHOD_BCA, STATS_COVERAGE_BCA, 12},
                 {METHOD_STUDENTIZED, STATS_COVERAGE_STUDENTIZED, 5},
                 {METHOD_STUDENTIZED, STATS_COVERAGE_STUDENTIZED, 6},
                 {METHOD_STUDENTIZED, STATS_COVERAGE_STUDENTIZED, 12},
                 {METHOD_BLOCK, STATS_COVERAGE_BLOCK, 12},
                 {METHOD_BLOCK, STATS_COVERAGE_BLOCK, 30},
                 {METHOD_DIFFERENCE, STATS_COVERAGE_DIFFERENCE, 3},
                 {METHOD_DIFFERENCE, STATS_COVERAGE_DIFFERENCE, 8}};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        assert_measured(cells[i].method, cells[i].count,
                        stats_coverage_measured(cells[i].of, cells[i].count, 0.99),
                        TRIALS_OF(1500), 2000);
    }
}

static void test_skewed_data_is_covered_less(void **state)
{
    (void)state;
    double percentile =
        measure(METHOD_PERCENTILE, NOISE_LOGNORMAL, 10, TRIALS_OF(1000), 1000);
    double t = measure(METHOD_T, NOISE_LOGNORMAL, 10, TRIALS_OF(1000), 1);
    assert_true(percentile < t);
    assert_true(t < 0.99);
}

static void test_table_has_an_answer_only_where_measured(void **state)
{
    (void)state;
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_PERCENTILE, 1, 0.99)));
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_PERCENTILE, 101, 0.99)));
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_PERCENTILE, 10, 0.95)));
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_NONE, 10, 0.99)));
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_STUDENTIZED, 4, 0.99)));
    assert_true(isnan(stats_coverage_measured(STATS_COVERAGE_BLOCK, 11, 0.99)));
    assert_true(stats_coverage_measured(STATS_COVERAGE_BLOCK, 14, 0.99) > 0.9);
    double before = 0.0;
    for (size_t count = 2; count <= 100; count++) {
        double coverage =
            stats_coverage_measured(STATS_COVERAGE_PERCENTILE, count, 0.99);
        assert_true(coverage >= before);
        assert_true(coverage <= 0.99);
        before = coverage;
    }
}

/* only: one method's name, NULL: all. */
static int print_table(unsigned trials, const char *only)
{
    const size_t counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 30, 50, 100, 300};
    printf("%-12s %-10s %5s %8s\n", "interval", "noise", "n", "covered");
    for (size_t m = 0; m < METHODS; m++) {
        if (only != NULL && strcmp(only, method_names[m]) != 0) {
            continue;
        }
        for (size_t n = 0; n < NOISES; n++) {
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                if (m == METHOD_SIGNFLIP && counts[i] > STATS_SIGNFLIP_EXACT_MAX - 4) {
                    continue; /* the level is exact by construction, only slow */
                }
                if ((m == METHOD_STUDENTIZED && counts[i] < 5) ||
                    (m == METHOD_BLOCK && counts[i] < 12)) {
                    continue; /* unbounded */
                }
                if ((n == NOISE_AR1 && counts[i] < 20) ||
                    (n != NOISE_AR1 && counts[i] > 100)) {
                    continue;
                }
                if ((m >= METHOD_BASIC && n == NOISE_LOGNORMAL) ||
                    (m == METHOD_DIFFERENCE && n != NOISE_NORMAL)) {
                    continue; /* duet study coverage has it */
                }
                printf("%-12s %-10s %5zu %8.4f\n", method_names[m], noise_names[n],
                       counts[i],
                       measure((enum method)m, (enum noise)n, counts[i], trials,
                               m < METHOD_BASIC ? 10000 : 2000));
                (void)fflush(stdout);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "measure") == 0) {
        return print_table((unsigned)strtoul(argv[2], NULL, 10),
                           argc > 3 ? argv[3] : NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_covers_what_it_says),
        cmocka_unit_test(test_signflip_covers_what_it_says),
        cmocka_unit_test(test_signflip_sampled_covers_what_it_says),
        cmocka_unit_test(test_percentile_covers_as_its_table_says),
        cmocka_unit_test(test_other_bootstraps_cover_as_their_tables_say),
        cmocka_unit_test(test_skewed_data_is_covered_less),
        cmocka_unit_test(test_table_has_an_answer_only_where_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
