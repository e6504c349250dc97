// labels: soakvalgrind
/* Stop rules on series whose answer is known, and the published program's answers. */
#include "analysis/stop/stop_rule.h"
#include "base/random.h"
#include "stats/gaussian.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DAY = 96, DAYS = 21, COUNT = DAY * DAYS, SERIES_MAX = 70000, PATH_SIZE = 512 };

static const size_t day = DAY;

static struct analysis_stop_question ask(enum analysis_stop_rule rule, bool quantile)
{
    return (struct analysis_stop_question){
        .rule = rule,
        .statistic = {quantile ? STATS_STATISTIC_QUANTILE : STATS_STATISTIC_MEAN, 0.9},
        .errors = {0.03, 0.10},
        .error_count = 2,
        .confidence = 0.95,
        .interval = DAY,
        .replicates = 400};
}

static void find(const struct analysis_stop_question *question, const double *values,
                 size_t count, struct analysis_stop *ret_stops)
{
    struct analysis_stopper *stopper = NULL;
    assert_int_equal(analysis_stopper_new(question, count, &stopper, NULL), DUET_OK);
    assert_int_equal(analysis_stopper_find(stopper, values, count, 5, ret_stops, NULL),
                     DUET_OK);
    analysis_stopper_free(stopper);
}

/* Normal values of this mean 100 and spread; each keeps `memory` of the one before. */
static void fill(double *values, size_t count, double spread, double memory)
{
    struct random_stream stream = random_stream_at(11, 0);
    double last = 0.0;
    for (size_t i = 0; i < count; i++) {
        double fresh = stats_gaussian_quantile(random_uniform(&stream));
        last = i == 0 ? fresh : memory * last + sqrt(1.0 - memory * memory) * fresh;
        values[i] = 100.0 + spread * last;
    }
}

static void test_constant_series_stop_at_the_first_look(void **state)
{
    (void)state;
    static double values[COUNT];
    const size_t first[ANALYSIS_STOP_RULES] = {
        2 * day, 2 * day, 10, 11, 2 * day, day,
    };
    struct analysis_stop stops[2];
    fill(values, COUNT, 0.0, 0.0);
    for (int rule = 0; rule < ANALYSIS_STOP_RULES; rule++) {
        for (int quantile = 0; quantile < 2; quantile++) {
            struct analysis_stop_question question =
                ask((enum analysis_stop_rule)rule, quantile == 1);
            find(&question, values, COUNT, stops);
            for (int e = 0; e < 2; e++) {
                assert_true(stops[e].stopped);
                assert_int_equal(stops[e].points, first[rule]);
                assert_true(fabs(stops[e].result - 100.0) < 1e-9);
            }
        }
    }
}

/* Independent values with a CV of 20 %: where the standard error allows it. */
static void test_independent_values(void **state)
{
    (void)state;
    static double values[COUNT];
    struct analysis_stop stops[2];
    fill(values, COUNT, 20.0, 0.0);
    struct analysis_stop_question question = ask(ANALYSIS_STOP_BASICBT, false);
    find(&question, values, COUNT, stops);
    /* 1.96 * 0.2 / sqrt(n) = 0.03 at n = 171, = 0.10 at 15. */
    assert_true(stops[0].stopped && stops[0].points > 120 && stops[0].points < 230);
    assert_true(stops[1].stopped && stops[1].points >= 10 && stops[1].points < 40);
    assert_true(stops[0].low > -0.03 && stops[0].high < 0.03);
    question = ask(ANALYSIS_STOP_METIOR, false);
    find(&question, values, COUNT, stops);
    /* 1.96 * 0.2 * sqrt(1 / (d - 1) + 1 / d) / sqrt(96) = 0.03 at d = 4.1. */
    assert_true(stops[0].stopped && stops[0].points >= 3 * day);
    assert_true(stops[0].points <= 8 * day && stops[0].points % day == 0);
    assert_int_equal(stops[0].of_points, stops[0].points - day);
    assert_int_equal(stops[1].points, 2 * day);
    question = ask(ANALYSIS_STOP_STEADY, false);
    find(&question, values, COUNT, stops);
    assert_true(stops[0].stopped && stops[0].points <= 6 * day);
    assert_int_equal(stops[0].of_points, stops[0].points);
    assert_true(fabs(stops[0].result - 100.0) < 3.0);
}

/* 1.96 * 0.08 / sqrt(96) = 0.016, which Steady takes for 0.08 with Student's t after
 * one interval, for 0.04 after one and a half, and as it is after two. */
static void test_early_looks_are_strict(void **state)
{
    (void)state;
    static double values[COUNT];
    struct analysis_stop stops[2];
    fill(values, COUNT, 8.0, 0.0);
    struct analysis_stop_question question = ask(ANALYSIS_STOP_STEADY, false);
    find(&question, values, COUNT, stops);
    assert_true(stops[0].stopped && stops[1].stopped);
    assert_int_equal(stops[0].points, 2 * day);
    assert_int_equal(stops[1].points, day);
    assert_true(stops[1].low < -0.03 && stops[1].high > 0.03);
    assert_true(fabs(stops[1].result - 100.0) < 3.0);
}

/* Neighbours alike: rules that know of it go on where BasicBT stops. */
static void test_dependent_values(void **state)
{
    (void)state;
    static double values[COUNT];
    struct analysis_stop stops[2];
    fill(values, COUNT, 10.0, 0.97);
    struct analysis_stop_question question = ask(ANALYSIS_STOP_BASICBT, false);
    find(&question, values, COUNT, stops);
    assert_true(stops[0].stopped && stops[0].points < day);
    size_t unaware = stops[0].points;
    static const enum analysis_stop_rule aware[] = {
        ANALYSIS_STOP_METIOR, ANALYSIS_STOP_METIOR_ARTIFACT, ANALYSIS_STOP_STEADY};
    for (size_t r = 0; r < 3; r++) {
        for (int quantile = 0; quantile < 2; quantile++) {
            question = ask(aware[r], quantile == 1);
            find(&question, values, COUNT, stops);
            assert_true(stops[0].points > day && stops[0].points > 2 * unaware);
        }
    }
}

/* A result that keeps moving: 6 % of the beginning a day. */
static void test_drift(void **state)
{
    (void)state;
    static double values[COUNT];
    struct analysis_stop stops[2];
    fill(values, COUNT, 1.0, 0.0);
    for (size_t i = 0; i < COUNT; i++) {
        values[i] *= 1.0 + 0.06 * (double)i / DAY;
    }
    struct analysis_stop_question question = ask(ANALYSIS_STOP_STEADY, false);
    find(&question, values, COUNT, stops);
    assert_false(stops[0].stopped);
    assert_int_equal(stops[0].points, COUNT);
    assert_true(isnan(stops[0].low));
    question = ask(ANALYSIS_STOP_METIOR, false);
    find(&question, values, COUNT, stops);
    assert_false(stops[0].stopped);
    question = ask(ANALYSIS_STOP_PT4CLOUD, false);
    find(&question, values, COUNT, stops);
    assert_false(stops[0].stopped);
}

/* Steady's looks are at whole points, as soon as these are there; one value is none. */
static void test_steady_looks(void **state)
{
    (void)state;
    static const double values[] = {92, 94, 99, 99, 101};
    static const double few[] = {100, 300, 5, 70};
    struct analysis_stop stops[2];
    struct analysis_stop_question question = ask(ANALYSIS_STOP_STEADY, false);
    question.errors[0] = question.errors[1] = 0.3;
    question.interval = 3.0; /* looks at 3, 4, 6 */
    assert_true(analysis_stop_looks(&question, 3, 4));
    assert_false(analysis_stop_looks(&question, 4, 5));
    assert_true(analysis_stop_looks(&question, 5, 6));
    find(&question, values, 3, stops);
    assert_false(stops[0].stopped);
    find(&question, values, 4, stops);
    assert_true(stops[0].stopped);
    assert_int_equal(stops[0].points, 4);
    question.interval = 14.0 / 3.0; /* ... 32.67, 35 */
    assert_true(analysis_stop_looks(&question, 34, 35));
    for (size_t tenth = 10; tenth < 20; tenth++) {
        question.interval = 0.1 * (double)tenth;
        find(&question, few, 1, stops);
        assert_false(stops[0].stopped);
    }
}

/* A result that has moved, and replicates that are all alike: nothing says to which
 * side. */
static void test_steady_without_a_spread(void **state)
{
    (void)state;
    double values[DAY];
    struct analysis_stop stops[2];
    for (size_t i = 0; i < DAY; i++) {
        values[i] = i < DAY / 2 ? 100.0 : 101.0;
    }
    struct analysis_stop_question question = ask(ANALYSIS_STOP_STEADY, true);
    find(&question, values, DAY, stops);
    assert_true(stops[0].stopped);
    assert_true(stops[0].low < -0.02 && stops[0].high > 0.02);
}

/* The published program stops where its percentile is at most the allowed error. */
static void test_the_program_stops_at_the_limit(void **state)
{
    (void)state;
    double values[48];
    struct analysis_stop stops[2];
    for (size_t i = 0; i < 48; i++) {
        values[i] = i < 24 ? 1.25 : 1.0;
    }
    struct analysis_stop_question question = ask(ANALYSIS_STOP_METIOR_ARTIFACT, true);
    question.statistic.fraction = 0.5;
    question.interval = 24.0;
    question.errors[0] = nextafter(0.25, 0.0);
    question.errors[1] = 0.25;
    find(&question, values, 48, stops);
    assert_false(stops[0].stopped);
    assert_true(stops[1].stopped && stops[1].high == 0.25);
}

/* Asking for several errors, or showing more of the series, changes no answer. */
static void test_answers_stand_by_themselves(void **state)
{
    (void)state;
    static double values[COUNT];
    fill(values, COUNT, 12.0, 0.5);
    for (int rule = 0; rule < ANALYSIS_STOP_RULES; rule++) {
        for (int quantile = 0; quantile < 2; quantile++) {
            struct analysis_stop both[2];
            struct analysis_stop one;
            struct analysis_stop_question question =
                ask((enum analysis_stop_rule)rule, quantile == 1);
            find(&question, values, COUNT, both);
            question.error_count = 1;
            for (int e = 0; e < 2; e++) {
                question.errors[0] = e == 0 ? 0.03 : 0.10;
                find(&question, values, both[e].points, &one);
                assert_int_equal(one.stopped, both[e].stopped);
                assert_int_equal(one.points, both[e].points);
                assert_true(one.result == both[e].result);
            }
        }
    }
}

static void test_errors(void **state)
{
    (void)state;
    struct analysis_stopper *stopper = NULL;
    struct analysis_stop stops[2];
    double values[] = {1.0, 2.0, -1.0};
    struct analysis_stop_question question = ask(ANALYSIS_STOP_METIOR, false);
    question.confidence = 1.0;
    assert_int_equal(analysis_stopper_new(&question, 10, &stopper, NULL),
                     DUET_E_DOMAIN);
    question = ask(ANALYSIS_STOP_METIOR, true);
    question.statistic.fraction = 1.0;
    assert_int_equal(analysis_stopper_new(&question, 10, &stopper, NULL),
                     DUET_E_DOMAIN);
    question = ask(ANALYSIS_STOP_METIOR, false);
    question.errors[1] = 0.0;
    assert_int_equal(analysis_stopper_new(&question, 10, &stopper, NULL),
                     DUET_E_DOMAIN);
    question = ask(ANALYSIS_STOP_METIOR, false);
    question.interval = 0.5;
    assert_int_equal(analysis_stopper_new(&question, 10, &stopper, NULL),
                     DUET_E_DOMAIN);
    question = ask(ANALYSIS_STOP_METIOR, false);
    assert_int_equal(analysis_stopper_new(&question, 0, &stopper, NULL), DUET_E_DOMAIN);
    assert_int_equal(analysis_stopper_new(&question, 3, &stopper, NULL), DUET_OK);
    assert_int_equal(analysis_stopper_find(stopper, values, 0, 1, stops, NULL),
                     DUET_E_TOO_FEW);
    assert_int_equal(analysis_stopper_find(stopper, values, 3, 1, stops, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(analysis_stopper_find(stopper, values, 4, 1, stops, NULL),
                     DUET_E_DOMAIN);
    analysis_stopper_free(stopper);
    analysis_stopper_free(NULL);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static double values[3 * DAY];
    fill(values, 3 * day, 5.0, 0.0);
    for (int rule = 0; rule < ANALYSIS_STOP_RULES; rule++) {
        struct analysis_stop_question question =
            ask((enum analysis_stop_rule)rule, true);
        enum duet_code code = DUET_E_NOMEM;
        for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
            struct analysis_stopper *stopper = NULL;
            struct analysis_stop stops[2];
            alloc_fail_at(n);
            code = analysis_stopper_new(&question, 3 * day, &stopper, NULL);
            if (code == DUET_OK) {
                code = analysis_stopper_find(stopper, values, 3 * day, 1, stops, NULL);
            }
            alloc_fail_at(0);
            analysis_stopper_free(stopper);
        }
        assert_int_equal(code, DUET_OK);
    }
}

static const char *shared_folder(void)
{
    const char *named = getenv("DUET_SHARED");
    return named != NULL ? named : TEST_SOURCE_DIR "/../../shared";
}

static FILE *open_shared(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s%s", shared_folder(), folder, name);
    return fopen(path, "r");
}

/* A row of what the published program answered. */
struct row {
    char *file;
    bool quantile;
    size_t test_points;
    unsigned long stop_days; /* 0: never */
    unsigned long day_points;
    double estimate;
};

static struct row row_of(char *text)
{
    char *words[11] = {NULL};
    char *rest = text;
    for (size_t i = 0; i < 11; i++) {
        words[i] = strsep(&rest, ",");
        assert_non_null(words[i]);
    }
    return (struct row){.file = words[0],
                        .quantile = strcmp(words[1], "p90") == 0,
                        .test_points = strtoul(words[2], NULL, 10),
                        .day_points = strtoul(words[3], NULL, 10),
                        .stop_days = strtoul(words[4], NULL, 10),
                        .estimate = strtod(words[8], NULL)};
}

static void read_series(const struct row *row, double *values)
{
    char line[PATH_SIZE];
    FILE *file = open_shared("data/metior/", row->file);
    assert_non_null(file);
    for (size_t i = 0; i < row->test_points; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        values[i] = strtod(line, NULL);
    }
    (void)fclose(file);
}

/* The program sees two weeks of the three; with how many seeds the day is its own. */
static int same_days(const struct row *row, int seeds)
{
    static double values[SERIES_MAX];
    struct analysis_stop_question question =
        ask(ANALYSIS_STOP_METIOR_ARTIFACT, row->quantile);
    struct analysis_stopper *stopper = NULL;
    struct analysis_stop stop;
    size_t count = row->test_points * 2 / 3;
    int same = 0;
    question.error_count = 1;
    question.interval = (double)row->test_points / DAYS;
    question.replicates = 1000;
    read_series(row, values);
    assert_int_equal((size_t)question.interval, row->day_points);
    assert_int_equal(analysis_stopper_new(&question, count, &stopper, NULL), DUET_OK);
    for (int seed = 1; seed <= seeds; seed++) {
        assert_int_equal(
            analysis_stopper_find(stopper, values, count, (uint64_t)seed, &stop, NULL),
            DUET_OK);
        unsigned long days = stop.stopped ? stop.points / row->day_points : 0;
        if (days == row->stop_days) {
            same++;
            assert_true(fabs(stop.result - row->estimate) < 0.51e-5);
        }
    }
    analysis_stopper_free(stopper);
    return same;
}

/* At least 38 of the 42 stop on the same day with the first seed; each of the others
 * with one of 20, since it hung on the draws. */
static void test_as_the_published_program(void **state)
{
    (void)state;
    char text[PATH_SIZE];
    FILE *table = open_shared("oracle/", "metior_artifact_seed1.csv");
    if (table == NULL) {
        printf("SKIP: shared data is not at %s\n", shared_folder());
        skip();
        return;
    }
    int rows = 0;
    int same = 0;
    assert_non_null(fgets(text, sizeof text, table)); /* the names of the columns */
    while (fgets(text, sizeof text, table) != NULL) {
        struct row row = row_of(text);
        bool first = same_days(&row, 1) == 1;
        rows++;
        same += first ? 1 : 0;
        if (!first) {
            int others = same_days(&row, 20);
            printf("%s %s: the program's day with %d of 20 seeds\n", row.file,
                   row.quantile ? "p90" : "mean", others);
            assert_true(others > 0);
        }
    }
    (void)fclose(table);
    printf("%d of %d on the same day\n", same, rows);
    assert_int_equal(rows, 42);
    assert_true(same >= 38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_series_stop_at_the_first_look),
        cmocka_unit_test(test_independent_values),
        cmocka_unit_test(test_early_looks_are_strict),
        cmocka_unit_test(test_dependent_values),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_steady_looks),
        cmocka_unit_test(test_steady_without_a_spread),
        cmocka_unit_test(test_the_program_stops_at_the_limit),
        cmocka_unit_test(test_answers_stand_by_themselves),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_as_the_published_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
