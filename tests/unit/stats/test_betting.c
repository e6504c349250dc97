// labels: novalgrind
/* Sequential verdicts. As a test: results by hand, properties, a seeded simulation
 * inside its binomial error. With an argument it prints the tables of
 * docs/decisions/0008-bets.md:
 *
 *     unit_stats_betting measure 4000
 */
#include "base/random.h"
#include "stats/sequential/betting.h"
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

#include "nearly.h"
#include "support/alloc_fail.h"
#include "support/trials.h"

enum noise { NOISE_NORMAL, NOISE_T3, NOISE_PARETO, NOISES };
static const char *const noise_names[NOISES] = {"normal", "t3", "pareto"};

static double draw_normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * M_PI * random_uniform(stream));
}

/* Symmetric: normal; Student's t with 3 degrees of freedom, divided by 1.2; half the
 * difference of two Pareto values with exponent 1.5 (no variance). */
static double draw(struct random_stream *stream, enum noise noise)
{
    if (noise == NOISE_PARETO) {
        double one = pow(random_uniform(stream), -1.0 / 1.5);
        return 0.5 * (one - pow(random_uniform(stream), -1.0 / 1.5));
    }
    double value = draw_normal(stream);
    if (noise == NOISE_T3) {
        double squares = 0.0;
        for (int i = 0; i < 3; i++) {
            double other = draw_normal(stream);
            squares += other * other;
        }
        value /= 1.2 * sqrt(squares / 3.0);
    }
    return value;
}

static struct stats_betting *betting_new(double alpha)
{
    struct stats_betting *betting = NULL;
    assert_int_equal(stats_betting_new(alpha, &betting, NULL), DUET_OK);
    assert_non_null(betting);
    return betting;
}

static void add_all(struct stats_betting *betting, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(stats_betting_add(betting, values[i], 1.0, NULL), DUET_OK);
    }
}

static struct stats_interval interval_of(const struct stats_betting *betting)
{
    struct stats_interval interval = {0};
    bool conflict = true;
    stats_betting_interval(betting, &interval, &conflict);
    assert_false(conflict);
    return interval;
}

static void test_nothing_is_known_at_first(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    struct stats_interval interval = interval_of(betting);
    assert_true(isinf(interval.low) && interval.low < 0);
    assert_true(isinf(interval.high) && interval.high > 0);
    assert_true(stats_betting_p_value(betting) == 1.0);
    assert_int_equal(stats_betting_sign(betting), 0);
    assert_int_equal(stats_betting_excludes(betting, 1e300), 0);
    stats_betting_free(betting);
    stats_betting_free(NULL);
}

enum { STEADY = 7 };
static const double steady_kappas[STEADY] = {1.0 / 64, 1.0 / 32, 1.0 / 16, 0.125,
                                             0.25,     0.5,      1.0};
static const double steady_shares[STEADY] = {0.004, 0.006, 0.01, 0.02,
                                             0.04,  0.05,  0.05};

/* The money of all after two positive blocks, at theta = 0, by the formulas of the
 * header. */
static void test_two_blocks_by_hand(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    const double blocks[] = {0.03, 0.02};
    add_all(betting, blocks, 2);
    double money = 0.82 * (1.0 + 0.9) * (1.0 + 0.97);
    for (int k = 0; k < STEADY; k++) {
        double factor = 1.0 + tanh(steady_kappas[k]);
        money += steady_shares[k] * factor * factor;
    }
    assert_nearly(stats_betting_p_value(betting), 2.0 / money, 1e-14);
    stats_betting_free(betting);
}

/* The third block: center 0.025, scale 1.4826 * 0.005 * 2, clip 1 + 1/7. */
static void test_three_blocks_by_hand(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    const double blocks[] = {0.03, 0.02, 0.01};
    add_all(betting, blocks, 3);
    double scale = 1.4826 * 0.005 * 2.0;
    double u = 0.01 / scale;
    double kappa = fmax(0.6, 0.025 / scale - 1.0 / sqrt(2.0));
    double money = 0.82 * 1.9 * 1.97 * (1.0 + tanh(kappa * u));
    for (int k = 0; k < STEADY; k++) {
        double factor = 1.0 + tanh(steady_kappas[k]);
        money +=
            steady_shares[k] * factor * factor * (1.0 + tanh(steady_kappas[k] * u));
    }
    assert_nearly(stats_betting_p_value(betting), 2.0 / money, 1e-13);
    stats_betting_free(betting);
}

/* A clear change takes exactly as many blocks as the bound says, at 1 %. */
static void test_clear_change_takes_the_fewest_blocks(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct stats_betting *betting = betting_new(0.01);
        struct random_stream stream = random_stream_at(5, 0);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(stats_betting_sign(betting), 0);
            assert_true(stats_betting_p_value(betting) > 0.01);
            double value = sign * (0.02 + 1e-5 * draw_normal(&stream));
            add_all(betting, &value, 1);
        }
        struct stats_interval interval = interval_of(betting);
        assert_int_equal(stats_betting_sign(betting), sign);
        assert_true(stats_betting_p_value(betting) <= 0.01);
        assert_true(sign > 0 ? interval.low > 0 : interval.high < 0);
        stats_betting_free(betting);
    }
}

/* At other levels at most one block more. */
static void test_other_levels(void **state)
{
    (void)state;
    const double alphas[] = {0.5, 0.2, 0.1, 0.05, 0.01, 0.005, 1e-3, 1e-4, 1e-6, 1e-12};
    for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
        struct stats_betting *betting = betting_new(alphas[a]);
        double fewest = ceil(log2(2.0 / alphas[a]) * (1.0 - 1e-12));
        double value = 0.01;
        double blocks = 0;
        for (; stats_betting_sign(betting) == 0; blocks++) {
            add_all(betting, &value, 1);
        }
        assert_true(blocks >= fewest && blocks <= fewest + 1);
        stats_betting_free(betting);
    }
}

static void test_ties_zeros_and_equal_values(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    for (int i = 0; i < 100; i++) {
        double zero = i % 2 == 0 ? 0.0 : -0.0;
        add_all(betting, &zero, 1);
    }
    struct stats_interval interval = interval_of(betting);
    assert_true(interval.low == 0.0 && interval.high == 0.0);
    assert_true(stats_betting_p_value(betting) == 1.0);
    assert_int_equal(stats_betting_sign(betting), 0);

    stats_betting_reset(betting);
    assert_true(stats_betting_p_value(betting) == 1.0);
    for (int i = 0; i < 100; i++) {
        double value = 0.0125;
        add_all(betting, &value, 1);
    }
    interval = interval_of(betting);
    assert_true(interval.low == 0.0125 && interval.high == 0.0125);

    stats_betting_reset(betting);
    for (int i = 0; i < 200; i++) {
        double value = (double)(i % 3) - 1.0; /* -1, 0, 1 */
        add_all(betting, &value, 1);
    }
    interval = interval_of(betting);
    assert_true(interval.low < 0.0 && interval.high > 0.0);
    assert_true(interval.low > -1.0 && interval.high < 1.0);
    stats_betting_free(betting);
}

/* Far values neither overflow nor ruin what the others say. */
static void test_huge_and_tiny_values(void **state)
{
    (void)state;
    const double factors[] = {1e-300, 1e-100, 1e-9, 1.0, 1e9, 1e98};
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
        struct stats_betting *betting = betting_new(0.01);
        struct random_stream stream = random_stream_at(6, 1);
        for (int i = 0; i < 60; i++) {
            double value = factors[f] * (1.0 + 0.1 * draw_normal(&stream));
            add_all(betting, &value, 1);
        }
        struct stats_interval interval = interval_of(betting);
        assert_true(interval.low > 0.8 * factors[f]);
        assert_true(interval.high < 1.2 * factors[f]);
        stats_betting_free(betting);
    }
    struct stats_betting *betting = betting_new(0.01);
    struct random_stream stream = random_stream_at(6, 2);
    for (int i = 0; i < 60; i++) {
        double value = 1.0 + 0.1 * draw_normal(&stream);
        value = i % 20 == 10 ? -STATS_BETTING_LARGEST : value;
        add_all(betting, &value, 1);
    }
    struct stats_interval interval = interval_of(betting);
    assert_true(interval.low > 0.5 && interval.high < 1.2);
    stats_betting_free(betting);
}

enum { PROPERTY_BLOCKS = 40, PROPERTY_CASES = 60 };

static void draw_case(uint64_t number, double *values)
{
    struct random_stream stream = random_stream_at(8, number);
    enum noise noise = (enum noise)(number % NOISES);
    double shift = (double)(number % 7) * 0.4;
    for (size_t i = 0; i < PROPERTY_BLOCKS; i++) {
        values[i] = shift + draw(&stream, noise);
        /* Some ties. */
        values[i] = number % 5 == 0 ? round(values[i] * 4.0) / 4.0 : values[i];
    }
}

/* Swapping the sides mirrors everything, bit by bit. */
static void test_sign_symmetry(void **state)
{
    (void)state;
    double values[PROPERTY_BLOCKS];
    struct stats_betting *one = betting_new(0.01);
    struct stats_betting *other = betting_new(0.01);
    for (uint64_t c = 0; c < PROPERTY_CASES; c++) {
        draw_case(c, values);
        stats_betting_reset(one);
        stats_betting_reset(other);
        for (size_t i = 0; i < PROPERTY_BLOCKS; i++) {
            double negative = -values[i];
            add_all(one, &values[i], 1);
            add_all(other, &negative, 1);
            assert_true(stats_betting_p_value(one) == stats_betting_p_value(other));
            assert_int_equal(stats_betting_sign(one), -stats_betting_sign(other));
        }
        struct stats_interval a = {0};
        struct stats_interval b = {0};
        bool conflict_a = false;
        bool conflict_b = false;
        stats_betting_interval(one, &a, &conflict_a);
        stats_betting_interval(other, &b, &conflict_b);
        assert_true(a.low == -b.high && a.high == -b.low && conflict_a == conflict_b);
    }
    stats_betting_free(one);
    stats_betting_free(other);
}

/* Another unit changes nothing; powers of two change no bit. */
static void test_scale_invariance(void **state)
{
    (void)state;
    double values[PROPERTY_BLOCKS];
    struct stats_betting *one = betting_new(0.01);
    struct stats_betting *other = betting_new(0.01);
    for (uint64_t c = 0; c < PROPERTY_CASES; c++) {
        draw_case(c, values);
        stats_betting_reset(one);
        stats_betting_reset(other);
        add_all(one, values, PROPERTY_BLOCKS);
        for (size_t i = 0; i < PROPERTY_BLOCKS; i++) {
            values[i] *= 0.0625;
        }
        add_all(other, values, PROPERTY_BLOCKS);
        struct stats_interval a = interval_of(one);
        struct stats_interval b = interval_of(other);
        assert_true(a.low * 0.0625 == b.low && a.high * 0.0625 == b.high);
        assert_true(stats_betting_p_value(one) == stats_betting_p_value(other));
    }
    stats_betting_free(one);
    stats_betting_free(other);
}

/* What is excluded is two half lines, whose ends are the interval's; 0 and the p value
 * agree with it. */
static void test_interval_is_what_is_not_excluded(void **state)
{
    (void)state;
    double values[PROPERTY_BLOCKS];
    struct stats_betting *betting = betting_new(0.05);
    for (uint64_t c = 0; c < PROPERTY_CASES; c++) {
        draw_case(c, values);
        stats_betting_reset(betting);
        for (size_t i = 0; i < PROPERTY_BLOCKS; i++) {
            add_all(betting, &values[i], 1);
            bool small = stats_betting_p_value(betting) <= 0.05;
            assert_true(small == (stats_betting_sign(betting) != 0));
        }
        struct stats_interval interval = interval_of(betting);
        assert_true(interval.low <= interval.high);
        assert_int_equal(stats_betting_sign(betting),
                         (interval.low > 0.0) - (interval.high < 0.0));
        for (int step = -133; step < 233; step++) {
            double theta = 0.03 * step;
            int expected = (theta < interval.low) - (theta > interval.high);
            assert_int_equal(stats_betting_excludes(betting, theta), expected);
        }
    }
    stats_betting_free(betting);
}

/* It never widens, and asking in between changes nothing. */
static void test_interval_never_widens(void **state)
{
    (void)state;
    double values[PROPERTY_BLOCKS];
    struct stats_betting *asked = betting_new(0.01);
    struct stats_betting *silent = betting_new(0.01);
    for (uint64_t c = 0; c < PROPERTY_CASES; c++) {
        draw_case(c, values);
        stats_betting_reset(asked);
        stats_betting_reset(silent);
        struct stats_interval before = interval_of(asked);
        for (size_t i = 0; i < PROPERTY_BLOCKS; i++) {
            add_all(asked, &values[i], 1);
            add_all(silent, &values[i], 1);
            struct stats_interval now = interval_of(asked);
            (void)stats_betting_center(asked);
            /* The ends are found to 10^-12 of the scale. */
            assert_true(now.low >= before.low - 1e-10);
            assert_true(now.high <= before.high + 1e-10);
            before = now;
        }
        struct stats_interval last = interval_of(silent);
        assert_true(last.low == before.low && last.high == before.high);
    }
    stats_betting_free(asked);
    stats_betting_free(silent);
}

/* When theta itself changes no value may be left; the interval then spans both. */
static void test_conflict(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    for (int i = 0; i < 600; i++) {
        double value = i < 60 ? 0.05 : -0.05;
        value += i % 2 == 0 ? 0.001 : -0.001;
        add_all(betting, &value, 1);
    }
    struct stats_interval interval = {0};
    bool conflict = false;
    stats_betting_interval(betting, &interval, &conflict);
    assert_true(conflict);
    assert_true(interval.low < -0.04 && interval.high > 0.04);
    assert_int_equal(stats_betting_sign(betting), 0);
    stats_betting_free(betting);
}

/* Long histories stay in range; more blocks are narrower. */
static void test_long_history(void **state)
{
    (void)state;
    struct stats_betting *betting = betting_new(0.01);
    struct random_stream stream = random_stream_at(9, 0);
    double before = (double)INFINITY;
    for (int i = 1; i <= 20000; i++) {
        double value = 0.1 + draw_normal(&stream);
        add_all(betting, &value, 1);
        if (i == 200 || i == 2000 || i == 20000) {
            struct stats_interval interval = interval_of(betting);
            assert_true(interval.low < 0.1 && interval.high > 0.1);
            assert_true(interval.high - interval.low < 0.5 * before);
            before = interval.high - interval.low;
        }
    }
    assert_true(before < 0.1);
    assert_int_equal(stats_betting_sign(betting), 1);
    stats_betting_free(betting);
}

/* Shares that must hold, with looks after each of 40 blocks: an excluded truth,
 * wherever it lies, at most alpha and 4.5 standard errors. */
static void test_truth_is_kept(void **state)
{
    (void)state;
    enum { TRIALS = TRIALS_OF(6000), BLOCKS = 40 };
    const double alpha = 0.05;
    const double shifts[] = {0.0, 0.7, 20.0};
    struct stats_betting *betting = betting_new(alpha);
    for (int noise = 0; noise < NOISES; noise++) {
        for (size_t s = 0; s < 3; s++) {
            unsigned lost = 0;
            for (uint64_t trial = 0; trial < TRIALS; trial++) {
                struct random_stream stream =
                    random_stream_at(40 + (uint64_t)noise, trial);
                stats_betting_reset(betting);
                for (size_t i = 0; i < BLOCKS; i++) {
                    double value = shifts[s] + draw(&stream, (enum noise)noise);
                    add_all(betting, &value, 1);
                }
                lost += stats_betting_excludes(betting, shifts[s]) != 0;
            }
            double error = sqrt(alpha * (1.0 - alpha) / TRIALS);
            assert_true((double)lost / TRIALS < alpha + 4.5 * error);
        }
    }
    stats_betting_free(betting);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    struct stats_betting *betting = NULL;
    const double alphas[] = {0.0, 1.0, -1.0, (double)NAN};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stats_betting_new(alphas[i], &betting, NULL), DUET_E_DOMAIN);
        assert_null(betting);
    }
    betting = betting_new(0.01);
    const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 2e100};
    struct duet_error error = {0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stats_betting_add(betting, values[i], 1.0, &error),
                         DUET_E_DOMAIN);
        assert_non_null(strstr(error.message, "block 1"));
    }
    assert_true(stats_betting_p_value(betting) == 1.0);
    stats_betting_free(betting);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct stats_betting *betting = NULL;
    alloc_fail_at(1);
    assert_int_equal(stats_betting_new(0.01, &betting, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    betting = betting_new(0.01);
    /* 64 blocks, then 128: both arrays, each time. */
    for (int i = 0; i < 65; i++) {
        double value = 0.01 * (i % 5);
        if (i == 0 || i == 64) {
            struct stats_interval before = interval_of(betting);
            for (unsigned long n = 1; n <= 2; n++) {
                alloc_fail_at(n);
                assert_int_equal(stats_betting_add(betting, value, 1.0, NULL),
                                 DUET_E_NOMEM);
                alloc_fail_at(0);
            }
            struct stats_interval after = interval_of(betting);
            assert_memory_equal(&after, &before, sizeof after);
        }
        add_all(betting, &value, 1);
    }
    stats_betting_free(betting);
}

enum { MEASURE_BLOCKS = 300, SHIFTS = 7, SIZES = 4 };
static const double measure_shifts[SHIFTS] = {0.25, 0.5, 1, 2, 4, 10, 100};
static const size_t measure_sizes[SIZES] = {16, 32, 60, 200};

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Blocks until 0 is excluded: median and 90th percentile ("-": not within 300). */
static void measure_blocks(enum noise noise, double shift, size_t trials, double *taken)
{
    struct stats_betting *betting = betting_new(0.01);
    for (size_t trial = 0; trial < trials; trial++) {
        struct random_stream stream = random_stream_at(100 + (uint64_t)noise, trial);
        stats_betting_reset(betting);
        taken[trial] = (double)INFINITY;
        for (size_t i = 0; i < MEASURE_BLOCKS; i++) {
            double value = shift + draw(&stream, noise);
            add_all(betting, &value, 1);
            if (stats_betting_sign(betting) != 0) {
                taken[trial] = (double)(i + 1);
                break;
            }
        }
    }
    stats_betting_free(betting);
    qsort(taken, trials, sizeof *taken, ascending);
    const double shown[] = {taken[trials / 2], taken[trials * 9 / 10]};
    for (int i = 0; i < 2; i++) {
        (void)(isinf(shown[i]) ? printf("%s-", i == 0 ? " | " : "/")
                               : printf("%s%.0f", i == 0 ? " | " : "/", shown[i]));
    }
}

/* Median width, in widths of Student's t interval of the same blocks. */
static void measure_width(enum noise noise, double shift, size_t size, size_t trials,
                          double *widths)
{
    double values[200];
    struct stats_betting *betting = betting_new(0.01);
    for (size_t trial = 0; trial < trials; trial++) {
        struct random_stream stream = random_stream_at(100 + (uint64_t)noise, trial);
        stats_betting_reset(betting);
        for (size_t i = 0; i < size; i++) {
            values[i] = shift + draw(&stream, noise);
        }
        add_all(betting, values, size);
        struct stats_interval t = {0};
        struct stats_interval interval = {0};
        bool conflict = false;
        assert_int_equal(stats_t_interval(values, size, 0.99, &t, NULL), DUET_OK);
        stats_betting_interval(betting, &interval, &conflict);
        widths[trial] = (interval.high - interval.low) / (t.high - t.low);
    }
    stats_betting_free(betting);
    qsort(widths, trials, sizeof *widths, ascending);
    (void)printf(" | %.2f", widths[trials / 2]);
}

static int measure(size_t trials)
{
    double *values = calloc(trials, sizeof *values);
    if (values == NULL) {
        return EXIT_FAILURE;
    }
    (void)printf("noise | 0.25 | 0.5 | 1 | 2 | 4 | 10 | 100\n");
    for (int noise = 0; noise < NOISES; noise++) {
        (void)printf("%s", noise_names[noise]);
        for (size_t s = 0; s < SHIFTS; s++) {
            measure_blocks((enum noise)noise, measure_shifts[s], trials, values);
        }
        (void)printf("\n");
    }
    (void)printf("noise | 16 | 32 | 60 | 200 | far: 16 | 32 | 60 | 200\n");
    for (int noise = 0; noise < NOISES; noise++) {
        (void)printf("%s", noise_names[noise]);
        for (size_t s = 0; s < 2 * (size_t)SIZES; s++) {
            measure_width((enum noise)noise, s < SIZES ? 0.0 : 100.0,
                          measure_sizes[s % SIZES], trials, values);
        }
        (void)printf("\n");
    }
    free(values);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "measure") == 0) {
        return measure((size_t)strtoul(argv[2], NULL, 10));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_known_at_first),
        cmocka_unit_test(test_two_blocks_by_hand),
        cmocka_unit_test(test_three_blocks_by_hand),
        cmocka_unit_test(test_clear_change_takes_the_fewest_blocks),
        cmocka_unit_test(test_other_levels),
        cmocka_unit_test(test_ties_zeros_and_equal_values),
        cmocka_unit_test(test_huge_and_tiny_values),
        cmocka_unit_test(test_sign_symmetry),
        cmocka_unit_test(test_scale_invariance),
        cmocka_unit_test(test_interval_is_what_is_not_excluded),
        cmocka_unit_test(test_interval_never_widens),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_long_history),
        cmocka_unit_test(test_truth_is_kept),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
