// labels: novalgrind
/* The study of stop rules: small, on series whose truth is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_resampling.h"
#include "study/study_stopping.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

enum { DAY = 24, TEST = 21 * DAY, COUNT = 2 * TEST, SERIES = 2 };

static double quiet[COUNT];
static double loud[COUNT];
static struct study_series series[SERIES];

static void fill_series(void)
{
    double last = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        last = 0.8 * last + sin(37.0 * (double)i * (double)i);
        quiet[i] = 100.0 + 0.1 * last;
        loud[i] = 100.0 + 30.0 * sin(29.0 * (double)i * (double)i);
    }
    series[0] = (struct study_series){"quiet", "A", quiet, COUNT, TEST, DAY};
    series[1] = (struct study_series){"loud", "B", loud, COUNT, TEST, DAY + 0.5};
}

static struct study_stopping_plan plan_of(size_t every)
{
    struct study_stopping_plan plan = {
        .statistics = {{STATS_STATISTIC_MEAN, 0.0}, {STATS_STATISTIC_QUANTILE, 0.9}},
        .statistic_count = 2,
        .errors = {0.03, 0.10},
        .error_count = 2,
        .confidence = 0.95,
        .replicates = 200,
        .every = every,
        .seed = 3};
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        plan.rules[r] = true;
    }
    return plan;
}

enum { CELLS = SERIES * 2 * ANALYSIS_STOP_RULES * 2 };

static void run(const struct study_stopping_plan *plan,
                struct study_stopping_cell *cells)
{
    fill_series();
    assert_int_equal(study_stopping_cells(plan, SERIES), CELLS);
    assert_int_equal(study_stopping_run(plan, series, SERIES, NULL, NULL, cells, NULL),
                     DUET_OK);
}

static void test_counts(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_stopping_plan plan = plan_of(25);
    plan.rules[ANALYSIS_STOP_COV] = false;
    run(&plan, cells);
    for (size_t i = 0; i < CELLS; i++) {
        const struct study_stopping_cell *cell = &cells[i];
        bool is_quiet = i < CELLS / 2;
        if (i / 2 % ANALYSIS_STOP_RULES == ANALYSIS_STOP_COV) {
            assert_int_equal(cell->tests, 0);
            continue;
        }
        assert_int_equal(cell->tests, (TEST + 24) / 25);
        assert_true(cell->accurate <= cell->stopped && cell->stopped <= cell->tests);
        assert_true(cell->points_sum >= cell->points_stopped_sum);
        assert_true(cell->error_sum <= cell->error_max * (double)cell->stopped + 1e-12);
        if (is_quiet) {
            assert_int_equal(cell->accurate, cell->tests);
            assert_true(cell->error_max < 0.01);
        } else if (cell->stopped == 0) {
            assert_true(cell->points_sum == (double)(cell->tests * TEST));
        }
    }
    /* More may be wrong with a larger error allowed, and fewer points are needed. */
    for (size_t i = 0; i < CELLS; i += 2) {
        assert_true(cells[i].points_sum >= cells[i + 1].points_sum);
    }
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct study_stopping_cell one[CELLS];
    struct study_stopping_cell two[CELLS];
    struct study_stopping_plan plan = plan_of(40);
    plan.threads = 1;
    run(&plan, one);
    plan.threads = 2;
    run(&plan, two);
    assert_memory_equal(one, two, sizeof one);
}

static void test_starts(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_stopping_plan plan = plan_of(1);
    memset(plan.rules, 0, sizeof plan.rules);
    plan.rules[ANALYSIS_STOP_COV] = true;
    run(&plan, cells);
    assert_int_equal(cells[2 * ANALYSIS_STOP_COV].tests, TEST);
    plan.starts = STUDY_STARTS_THIRD;
    run(&plan, cells);
    assert_int_equal(cells[2 * ANALYSIS_STOP_COV].tests, TEST / 3 + 1);
}

static bool stop_after_one_series(void *context, uint64_t done, uint64_t planned)
{
    (void)context;
    assert_true(done <= planned);
    return done < planned / 2;
}

static void test_interrupted(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_stopping_plan plan = plan_of(40);
    fill_series();
    assert_int_equal(study_stopping_run(&plan, series, SERIES, stop_after_one_series,
                                        NULL, cells, NULL),
                     DUET_E_INTERRUPTED);
    assert_true(cells[0].tests > 0);
    assert_int_equal(cells[CELLS / 2].tests, 0);
}

static bool count_looks(void *context, uint64_t done, uint64_t planned)
{
    assert_true(done < planned);
    ++*(uint64_t *)context;
    return true;
}

static void test_asked_before_every_test(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_stopping_plan plan = plan_of(40);
    uint64_t looks = 0;
    plan.threads = 1;
    fill_series();
    assert_int_equal(
        study_stopping_run(&plan, series, SERIES, count_looks, &looks, cells, NULL),
        DUET_OK);
    assert_int_equal(looks, cells[0].tests + cells[CELLS / 2].tests);
}

static void test_errors(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_resampling_row rows[SERIES];
    struct study_stopping_plan plan = plan_of(0);
    fill_series();
    assert_int_equal(study_stopping_run(&plan, series, SERIES, NULL, NULL, cells, NULL),
                     DUET_E_DOMAIN);
    plan = plan_of(100);
    series[1].test_points = COUNT;
    assert_int_equal(study_stopping_run(&plan, series, SERIES, NULL, NULL, cells, NULL),
                     DUET_E_DOMAIN);
    assert_int_equal(
        study_resampling_run(&plan, series, SERIES, NULL, NULL, rows, NULL, NULL),
        DUET_E_DOMAIN);
    fill_series();
    quiet[0] = -1.0;
    struct duet_error error = {0};
    assert_int_equal(
        study_stopping_run(&plan, series, SERIES, NULL, NULL, cells, &error),
        DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "quiet"));
}

static void test_resampling(void **state)
{
    (void)state;
    struct study_resampling_row rows[SERIES];
    struct study_stopping_plan plan = plan_of(1);
    fill_series();
    assert_int_equal(
        study_resampling_run(&plan, series, SERIES, NULL, NULL, rows, NULL, NULL),
        DUET_OK);
    const struct study_resampled *basic = &rows[0].of[STUDY_BOOTSTRAP_BASIC];
    const struct study_resampled *block = &rows[0].of[STUDY_BOOTSTRAP_BLOCK];
    assert_int_equal(rows[0].points, 7 * DAY);
    assert_true(rows[0].acf > 0.5);
    assert_true(fabs(basic->acf_mean) < 0.05);
    assert_true(fabs(block->acf_mean - rows[0].acf) < 0.1);
    assert_true(basic->acf_low < basic->acf_mean && basic->acf_mean < basic->acf_high);
    assert_true(block->low < 0.0 && block->high > 0.0);
    assert_int_equal(block->tests, STUDY_RESAMPLING_TESTS);
    assert_int_equal(block->accurate, STUDY_RESAMPLING_TESTS);
}

/* A third of the basic resamples of such a series have the same value everywhere. */
static void test_resamples_of_equal_values(void **state)
{
    (void)state;
    struct study_resampling_row row;
    struct study_stopping_plan plan = plan_of(1);
    fill_series();
    for (size_t i = 0; i < COUNT; i++) {
        quiet[i] = i == DAY ? 101.0 : 100.0;
    }
    assert_int_equal(
        study_resampling_run(&plan, series, 1, NULL, NULL, &row, NULL, NULL), DUET_OK);
    const struct study_resampled *basic = &row.of[STUDY_BOOTSTRAP_BASIC];
    assert_true(basic->acf_low <= basic->acf_high && fabs(basic->acf_mean) < 0.1);
    assert_int_equal(basic->accurate, STUDY_RESAMPLING_TESTS);
    quiet[DAY] = 100.0; /* and so has the series */
    assert_int_equal(
        study_resampling_run(&plan, series, 1, NULL, NULL, &row, NULL, NULL), DUET_OK);
    assert_true(isnan(row.acf) && isnan(basic->acf_mean) && isnan(basic->acf_low));
    assert_int_equal(basic->accurate, STUDY_RESAMPLING_TESTS);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct study_stopping_cell cells[CELLS];
    struct study_stopping_plan plan = plan_of(TEST);
    enum duet_code code = DUET_E_NOMEM;
    plan.threads = 1;
    plan.replicates = 100;
    fill_series();
    for (unsigned long n = 1; code == DUET_E_NOMEM; n += 1 + n / 8) {
        alloc_fail_at(n);
        code = study_stopping_run(&plan, series, SERIES, NULL, NULL, cells, NULL);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_asked_before_every_test),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_resamples_of_equal_values),
        cmocka_unit_test(test_resampling),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
