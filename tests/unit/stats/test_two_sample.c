/* Rank-sum test and Cliff's delta: reference answers, edges, properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "nearly.h"
#include "stats/moments.h"
#include "stats/rank/cliff.h"
#include "stats/rank/ranksum.h"
#include "support/alloc_fail.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct stats_dominance count(const double *a, size_t n, const double *b,
                                    size_t m)
{
    struct stats_dominance dominance;
    struct duet_error error = {0};
    if (stats_dominance_count(a, n, b, m, &dominance, &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return dominance;
}

static struct stats_ranksum test_of(const struct stats_dominance *dominance,
                                    enum stats_ranksum_method method)
{
    struct stats_ranksum result;
    assert_int_equal(stats_ranksum_test(dominance, method, &result, NULL), DUET_OK);
    return result;
}

static struct stats_cliff cliff_of(const struct stats_dominance *dominance)
{
    struct stats_cliff result;
    assert_int_equal(stats_cliff_delta(dominance, 0.95, &result, NULL), DUET_OK);
    return result;
}

/* ---- What scipy and R answered (two_sample.csv) ---- */

enum { COLUMNS = 19, VALUES_MAX = 2000 };

static size_t read_values(const char *folder, const char *name, const char *side,
                          double *values)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/two_sample/%s.%s.txt", folder, name, side);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[128];
    size_t read = 0;
    while (fgets(line, sizeof line, file) != NULL && read < VALUES_MAX) {
        values[read++] = strtod(line, NULL);
    }
    (void)fclose(file);
    return read;
}

static void check_summaries(const double *values, size_t count, double cv, double mean)
{
    double got = 0.0;
    assert_int_equal(stats_cv_sample(values, count, &got, NULL), DUET_OK);
    assert_nearly(got, cv, 1e-12);
    assert_int_equal(stats_mean_geometric(values, count, &got, NULL), DUET_OK);
    assert_nearly(got, mean, 1e-12);
}

/* 0 for an empty field. */
static double number(const char *field)
{
    return strtod(field, NULL);
}

/* Of the file's Cliff intervals 4 of 12 can be trusted. The release of R's effsize that
 * made it takes the mean dominance of a second value above all n first ones for -1/n,
 * where by definition (and by its own algorithm with return.dm = TRUE) it is -1. In the
 * 4 cases without such a value the interval must agree as it is; in the other 8 it must
 * not (tests/oracle confirms that from the full matrix of signs), and does agree, to
 * all digits, once that mistake is put in, so that it is the only difference. Every
 * other column is compared as it is. */
static bool as_r_does(struct stats_dominance *dominance, const double *a, size_t n,
                      const double *b, size_t m)
{
    bool mistaken = false;
    double largest = a[0];
    for (size_t i = 1; i < n; i++) {
        largest = fmax(largest, a[i]);
    }
    double delta = ((double)dominance->greater - (double)dominance->less) /
                   ((double)n * (double)m);
    double taken = -1.0 / (double)n - delta;
    for (size_t j = 0; j < m; j++) {
        if (b[j] > largest) {
            dominance->second_squares +=
                taken * taken - (-1.0 - delta) * (-1.0 - delta);
            mistaken = true;
        }
    }
    return mistaken;
}

/* R printed ten significant digits of the interval. */
static bool is_interval(const struct stats_cliff *cliff, char *fields[COLUMNS])
{
    double low = number(fields[12]);
    double high = number(fields[13]);
    return fabs(cliff->interval.low - low) <= 1e-9 * fabs(low) &&
           fabs(cliff->interval.high - high) <= 1e-9 * fabs(high);
}

/* Whether the file's interval is right. */
static bool check_case(const char *folder, char *fields[COLUMNS])
{
    static double a[VALUES_MAX];
    static double b[VALUES_MAX];
    size_t n = read_values(folder, fields[0], "a", a);
    size_t m = read_values(folder, fields[0], "b", b);
    assert_int_equal(n, (size_t)number(fields[1]));
    assert_int_equal(m, (size_t)number(fields[2]));
    struct stats_dominance dominance = count(a, n, b, m);
    struct stats_ranksum normal = test_of(&dominance, STATS_RANKSUM_NORMAL);
    assert_true(fabs(normal.u - number(fields[3])) < 1e-9);
    assert_nearly(normal.p_value, number(fields[5]), 1e-11);
    assert_nearly(normal.p_value, number(fields[10]), 1e-11);
    struct stats_ranksum corrected =
        test_of(&dominance, STATS_RANKSUM_NORMAL_CONTINUITY);
    assert_nearly(corrected.p_value, number(fields[4]), 1e-11);
    assert_nearly(corrected.p_value, number(fields[9]), 1e-11);
    if (fields[6][0] != '\0') {
        struct stats_ranksum exact = test_of(&dominance, STATS_RANKSUM_EXACT);
        assert_nearly(exact.p_value, number(fields[6]), 1e-12);
    }
    assert_nearly(test_of(&dominance, STATS_RANKSUM_AUTO).p_value, number(fields[8]),
                  1e-11);
    struct stats_cliff cliff = cliff_of(&dominance);
    assert_true(fabs(cliff.delta - number(fields[11])) < 1e-14);
    assert_string_equal(stats_magnitude_name(cliff.magnitude), fields[14]);
    bool right = is_interval(&cliff, fields);
    bool mistaken = as_r_does(&dominance, a, n, b, m);
    cliff = cliff_of(&dominance);
    assert_true(is_interval(&cliff, fields));
    assert_int_equal(right, !mistaken);
    check_summaries(a, n, number(fields[15]), number(fields[17]));
    check_summaries(b, m, number(fields[16]), number(fields[18]));
    return right;
}

static void test_reference(void **state)
{
    (void)state;
    const char *shared = getenv("DUET_SHARED");
    char folder[4096];
    char path[4200];
    if (shared != NULL) {
        (void)snprintf(folder, sizeof folder, "%s/oracle", shared);
    } else {
        (void)snprintf(folder, sizeof folder, "%s/../../shared/oracle",
                       TEST_SOURCE_DIR);
    }
    (void)snprintf(path, sizeof path, "%s/two_sample.csv", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        printf("SKIP: no shared data (two_sample.csv); set DUET_SHARED\n");
        skip();
        return;
    }
    char line[2048];
    size_t cases = 0;
    size_t right_intervals = 0;
    assert_non_null(fgets(line, sizeof line, file)); /* header */
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[COLUMNS] = {NULL};
        char *rest = line;
        for (size_t i = 0; i < COLUMNS && rest != NULL; i++) {
            fields[i] = strsep(&rest, ",\n");
        }
        assert_non_null(fields[COLUMNS - 1]);
        right_intervals += check_case(folder, fields) ? 1 : 0;
        cases++;
    }
    (void)fclose(file);
    assert_int_equal(cases, 12);
    assert_int_equal(right_intervals, 4);
}

/* ---- By definition: every pair looked at ---- */

static void check_by_definition(const double *a, size_t n, const double *b, size_t m)
{
    struct stats_dominance dominance = count(a, n, b, m);
    uint64_t greater = 0;
    uint64_t less = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            greater += a[i] > b[j];
            less += a[i] < b[j];
        }
    }
    assert_int_equal(dominance.greater, greater);
    assert_int_equal(dominance.less, less);
    double pairs = (double)n * (double)m;
    double mean = ((double)greater - (double)less) / pairs;
    double rows = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < m; j++) {
            double sign = (double)(a[i] > b[j]) - (double)(a[i] < b[j]);
            row += sign;
            squares += (sign - mean) * (sign - mean);
        }
        rows += (row / (double)m - mean) * (row / (double)m - mean);
    }
    assert_true(fabs(dominance.first_squares - rows) <= 1e-12 * (1 + rows));
    assert_true(fabs(dominance.pair_squares - squares) <= 1e-12 * (1 + squares));
}

static void fill(double *values, size_t size, uint64_t stream, uint32_t distinct)
{
    struct random_stream random = random_stream_at(99, stream);
    for (size_t i = 0; i < size; i++) {
        values[i] = distinct == 0 ? random_uniform(&random) - 0.5
                                  : (double)random_below(&random, distinct) - 1.0;
    }
}

static void test_definition(void **state)
{
    (void)state;
    double a[60];
    double b[60];
    for (uint64_t c = 0; c < 300; c++) {
        size_t n = 1 + c % 40;
        size_t m = 1 + (c / 7) % 60;
        fill(a, n, 2 * c, (uint32_t)(c % 3) * 4);
        fill(b, m, 2 * c + 1, (uint32_t)(c % 3) * 4);
        check_by_definition(a, n, b, m);
    }
}

/* Above the size from which values are sorted by digits: against the C library's. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    double *a = calloc(MANY, sizeof *a);
    double *b = calloc(MANY, sizeof *b);
    assert_true(a != NULL && b != NULL);
    /* Spread out; few different values; stretches of all lengths that agree in all but
     * the last bits. */
    const uint32_t kinds[] = {0, 29, 70000};
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        fill(a, MANY, 1, kinds[kind]);
        fill(b, MANY, 2, kinds[kind]);
        for (size_t i = 0; i < MANY && kinds[kind] > 100; i++) {
            double stretch = 1.0 + (double)(i % 300) * (double)(i % 7) / 100.0;
            a[i] = stretch * (1.0 + a[i] * 0x1p-51);
            b[i] = stretch * (1.0 + b[i] * 0x1p-51);
        }
        a[7] = -0.0;
        b[9] = 0.0;
        a[11] = DBL_MAX;
        b[13] = -DBL_MAX;
        a[15] = DBL_TRUE_MIN;
        struct stats_dominance dominance = count(a, MANY, b, MANY);
        uint64_t greater = 0;
        uint64_t less = 0;
        for (size_t i = 0; i < MANY; i++) {
            for (size_t j = 0; j < MANY; j += 1000) {
                greater += a[i] > b[j];
                less += a[i] < b[j];
            }
        }
        /* All against a fortieth of the others, counted by the same function. */
        double some[MANY / 1000];
        for (size_t j = 0; j < MANY / 1000; j++) {
            some[j] = b[1000 * j];
        }
        struct stats_dominance part = count(a, MANY, some, MANY / 1000);
        assert_int_equal(part.greater, greater);
        assert_int_equal(part.less, less);
        struct stats_dominance swapped = count(b, MANY, a, MANY);
        assert_int_equal(dominance.greater, swapped.less);
        assert_int_equal(dominance.less, swapped.greater);
    }
    free(a);
    free(b);
}

/* ---- Properties ---- */

static void test_swap_scale_permute(void **state)
{
    (void)state;
    double a[31];
    double b[43];
    double scaled_a[31];
    double scaled_b[43];
    for (uint64_t c = 0; c < 50; c++) {
        fill(a, 31, 3 * c, c % 2 == 0 ? 0 : 7);
        fill(b, 43, 3 * c + 1, c % 2 == 0 ? 0 : 7);
        struct stats_dominance plain = count(a, 31, b, 43);
        struct stats_dominance swapped = count(b, 43, a, 31);
        struct stats_ranksum test = test_of(&plain, STATS_RANKSUM_AUTO);
        struct stats_ranksum back = test_of(&swapped, STATS_RANKSUM_AUTO);
        assert_nearly(back.p_value, test.p_value, 1e-13);
        assert_true(fabs(test.u + back.u - 31.0 * 43.0) < 1e-9);
        struct stats_cliff delta = cliff_of(&plain);
        struct stats_cliff mirrored = cliff_of(&swapped);
        assert_true(fabs(delta.delta + mirrored.delta) < 1e-15);
        assert_true(fabs(delta.interval.low + mirrored.interval.high) < 1e-13);
        assert_true(delta.interval.low <= delta.delta);
        assert_true(delta.interval.high >= delta.delta);
        assert_true(delta.interval.low >= -1 && delta.interval.high <= 1);
        for (size_t i = 0; i < 31; i++) {
            scaled_a[30 - i] = 8 * a[i] + 3;
        }
        for (size_t j = 0; j < 43; j++) {
            scaled_b[(j * 5) % 43] = 8 * b[j] + 3;
        }
        struct stats_dominance scaled = count(scaled_a, 31, scaled_b, 43);
        assert_int_equal(scaled.greater, plain.greater);
        assert_int_equal(scaled.less, plain.less);
        assert_int_equal(scaled.tied, plain.tied);
        assert_memory_equal(&scaled.ties, &plain.ties, sizeof plain.ties);
        assert_nearly(scaled.first_squares, plain.first_squares, 1e-15);
        assert_nearly(scaled.second_squares, plain.second_squares, 1e-15);
        assert_nearly(scaled.pair_squares, plain.pair_squares, 1e-15);
    }
}

/* ---- Edges ---- */

static void test_exact_small(void **state)
{
    (void)state;
    const double one[] = {1};
    const double two[] = {2};
    struct stats_dominance dominance = count(one, 1, two, 1);
    struct stats_ranksum result = test_of(&dominance, STATS_RANKSUM_AUTO);
    assert_true(result.exact);
    assert_nearly(result.p_value, 1.0, 1e-15);
    assert_true(isnan(cliff_of(&dominance).interval.low));
    /* 3 against 3, apart: 2 of the 20 arrangements. */
    const double low[] = {1, 2, 3};
    const double high[] = {4, 5, 6};
    dominance = count(low, 3, high, 3);
    assert_nearly(test_of(&dominance, STATS_RANKSUM_AUTO).p_value, 0.1, 1e-15);
    struct stats_cliff apart = cliff_of(&dominance);
    assert_nearly(apart.delta, -1.0, 1e-15);
    assert_nearly(apart.interval.low, -1.0, 1e-15);
    assert_true(apart.interval.high > -1.0 && apart.interval.high < 1.0);
    assert_int_equal(apart.magnitude, STATS_MAGNITUDE_LARGE);
    /* At the bound, and beyond it. */
    double many[51];
    double more[50];
    for (int i = 0; i < 51; i++) {
        many[i] = i;
    }
    for (int i = 0; i < 50; i++) {
        more[i] = 0.5 + i;
    }
    dominance = count(many, 50, more, 50);
    assert_true(test_of(&dominance, STATS_RANKSUM_AUTO).exact);
    dominance = count(many, 51, more, 50);
    assert_false(test_of(&dominance, STATS_RANKSUM_AUTO).exact);
    struct duet_error error;
    assert_int_equal(
        stats_ranksum_test(&dominance, STATS_RANKSUM_EXACT, &result, &error),
        DUET_E_DOMAIN);
}

static void test_constant(void **state)
{
    (void)state;
    const double same[] = {5, 5, 5, 5};
    struct stats_dominance dominance = count(same, 4, same, 3);
    assert_true(dominance.tied);
    assert_nearly(test_of(&dominance, STATS_RANKSUM_AUTO).p_value, 1.0, 1e-15);
    assert_nearly(test_of(&dominance, STATS_RANKSUM_NORMAL).p_value, 1.0, 1e-15);
    struct stats_cliff cliff = cliff_of(&dominance);
    assert_true(fabs(cliff.delta) < 1e-15);
    assert_int_equal(cliff.magnitude, STATS_MAGNITUDE_NEGLIGIBLE);
    assert_true(cliff.interval.low <= 0 && cliff.interval.high >= 0);
    struct stats_ranksum result;
    assert_int_equal(stats_ranksum_test(&dominance, STATS_RANKSUM_EXACT, &result, NULL),
                     DUET_E_DOMAIN);
}

static void test_thresholds(void **state)
{
    (void)state;
    /* delta = (greater - less) / 1000 */
    const struct {
        uint64_t less;
        enum stats_magnitude magnitude;
    } cases[] = {{146, STATS_MAGNITUDE_NEGLIGIBLE}, {147, STATS_MAGNITUDE_SMALL},
                 {329, STATS_MAGNITUDE_SMALL},      {330, STATS_MAGNITUDE_MEDIUM},
                 {473, STATS_MAGNITUDE_MEDIUM},     {474, STATS_MAGNITUDE_LARGE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stats_dominance made = {
            .first_count = 1, .second_count = 1000, .less = cases[i].less};
        assert_int_equal(cliff_of(&made).magnitude, cases[i].magnitude);
    }
}

static void test_errors(void **state)
{
    (void)state;
    const double fine[] = {1, 2};
    const double odd[] = {1, (double)NAN};
    const double infinite[] = {(double)INFINITY, 1};
    struct stats_dominance untouched = {.greater = 77};
    struct duet_error error;
    assert_int_equal(stats_dominance_count(fine, 0, fine, 2, &untouched, &error),
                     DUET_E_TOO_FEW);
    assert_int_equal(stats_dominance_count(fine, 2, odd, 2, &untouched, &error),
                     DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "second"));
    assert_int_equal(stats_dominance_count(infinite, 2, fine, 2, &untouched, &error),
                     DUET_E_DOMAIN);
    assert_int_equal(
        stats_dominance_count(fine, (size_t)1 << 31U, fine, 2, &untouched, &error),
        DUET_E_DOMAIN);
    assert_int_equal(untouched.greater, 77);
    struct stats_dominance dominance = count(fine, 2, fine, 2);
    struct stats_cliff cliff;
    assert_int_equal(stats_cliff_delta(&dominance, 1.0, &cliff, &error), DUET_E_DOMAIN);
    assert_int_equal(stats_cliff_delta(&dominance, (double)NAN, &cliff, &error),
                     DUET_E_DOMAIN);
}

static void test_no_memory(void **state)
{
    (void)state;
    enum { SIZE = 2000 };
    double a[SIZE];
    double b[3] = {1, 2, 3};
    const double c[3] = {1.5, 2.5, 3.5};
    fill(a, SIZE, 5, 0);
    struct stats_dominance dominance;
    size_t failures = 0;
    enum duet_code code = DUET_E_NOMEM;
    for (size_t nth = 1; code != DUET_OK; nth++) {
        alloc_fail_at(nth);
        code = stats_dominance_count(a, SIZE, b, 3, &dominance, NULL);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || code == DUET_E_NOMEM);
        failures += code == DUET_E_NOMEM;
    }
    assert_int_equal(failures, 5);
    dominance = count(b, 3, c, 3);
    struct stats_ranksum result;
    alloc_fail_at(1);
    code = stats_ranksum_test(&dominance, STATS_RANKSUM_EXACT, &result, NULL);
    alloc_fail_at(0);
    assert_int_equal(code, DUET_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),   cmocka_unit_test(test_definition),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_swap_scale_permute),
        cmocka_unit_test(test_exact_small), cmocka_unit_test(test_constant),
        cmocka_unit_test(test_thresholds),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
