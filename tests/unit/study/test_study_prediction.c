// labels: novalgrind soakasan
/* The study of predictions: small, on made-up machines whose performance is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_prediction.h"
#include "study/study_surface.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

enum { CONFIGURATIONS = 12 };

static struct study_surface surface;

static int make(void **state)
{
    const struct study_surface_plan plan = {.benchmarks = 2, .cores = 8, .seed = 5};
    (void)state;
    return study_surface_make(&plan, &surface, NULL) == DUET_OK ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    study_surface_release(&surface);
    return 0;
}

static struct study_prediction_plan small_plan(void)
{
    struct study_prediction_plan plan = {.training = {.points = 6,
                                                      .error = 0.03,
                                                      .confidence = 0.95,
                                                      .replicates = 100,
                                                      .tests = 70,
                                                      .seed = 3},
                                         .features = STUDY_SURFACE_FEATURES,
                                         .target = "2-xlarge",
                                         .predictions = 40,
                                         .one_length = true};
    plan.training.rules[ANALYSIS_STOP_STEADY] = true;
    return plan;
}

static void run(const struct study_prediction_plan *plan,
                struct study_prediction_cell *cells)
{
    assert_int_equal(surface.count, CONFIGURATIONS);
    assert_int_equal(study_prediction_run(plan, surface.configurations, surface.count,
                                          NULL, NULL, cells, NULL),
                     DUET_OK);
}

/* Means, variation and dependence of the series are what the header promises. */
static void test_surface(void **state)
{
    (void)state;
    for (size_t i = 0; i < surface.count; i++) {
        const struct study_configuration *one = &surface.configurations[i];
        double sum = 0.0;
        double squares = 0.0;
        double products = 0.0;
        assert_int_equal(one->count, STUDY_SURFACE_DAY * STUDY_SURFACE_DAYS);
        for (size_t v = 0; v < one->count; v++) {
            sum += one->values[v] / one->truth / (double)one->count;
        }
        for (size_t v = 0; v < one->count; v++) {
            double from = one->values[v] / one->truth - sum;
            squares += from * from;
            products += v == 0 ? 0.0 : from * (one->values[v - 1] / one->truth - sum);
        }
        double cv = sqrt(squares / (double)one->count);
        assert_true(fabs(sum - 1.0) < 0.6 * cv); /* days hang together: 21 are few */
        assert_true(cv > 0.007 && cv < 0.13);
        assert_true(products / squares > 0.0 && products / squares < 0.75);
    }
    /* Names and features of the paper's six; more cores are faster, by less than as
     * much as there are more. */
    static const char *const names[] = {"1-large", "1-xlarge", "1-2xlarge",
                                        "2-large", "2-xlarge", "4-large"};
    for (size_t i = 0; i < surface.count; i++) {
        assert_string_equal(surface.configurations[i].name, names[i % 6]);
    }
    assert_true(surface.configurations[4].features[0] == 1.0);
    assert_true(surface.configurations[4].features[1] == 2.0);
    double speedup = surface.configurations[0].truth / surface.configurations[2].truth;
    assert_true(speedup > 1.0 && speedup < 4.0);
}

static void test_surface_errors(void **state)
{
    (void)state;
    struct study_surface none;
    struct study_surface_plan plan = {.benchmarks = 0, .cores = 8};
    assert_int_equal(study_surface_make(&plan, &none, NULL), DUET_E_DOMAIN);
    plan = (struct study_surface_plan){.benchmarks = 1, .cores = 65};
    assert_int_equal(study_surface_make(&plan, &none, NULL), DUET_E_DOMAIN);
    plan.cores = 64;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = study_surface_make(&plan, &none, NULL);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    assert_int_equal(none.count, 12);
    study_surface_release(&none);
}

static void test_cells(void **state)
{
    (void)state;
    struct study_prediction_cell cells[CONFIGURATIONS * STUDY_TRAININGS];
    struct study_prediction_plan plan = small_plan();
    run(&plan, cells);
    for (size_t i = 0; i < surface.count; i++) {
        const struct study_prediction_cell *own = &cells[i * STUDY_TRAININGS];
        const struct study_prediction_cell *rule =
            &own[STUDY_TRAINING_RULES + ANALYSIS_STOP_STEADY];
        const struct study_prediction_cell *truth = &own[STUDY_TRAINING_TRUTH];
        if (i % 6 != 4) {
            assert_int_equal(own[STUDY_TRAINING_POINTS].predictions, 0);
            continue;
        }
        assert_int_equal(own[STUDY_TRAINING_POINTS].predictions, 40);
        assert_true(own[STUDY_TRAINING_POINTS].points_mean == 6.0);
        assert_true(own[STUDY_TRAINING_POINTS].error_low <
                    own[STUDY_TRAINING_POINTS].error_high);
        assert_int_equal(rule->predictions, 40);
        assert_true(rule->points_mean >= 1.5 * STUDY_SURFACE_DAY);
        assert_true(rule->error_mean > 0.0 && rule->error_mean < 0.5);
        assert_true(rule->error_sd > 0.0);
        assert_int_equal(own[STUDY_TRAINING_RULES + ANALYSIS_STOP_COV].predictions, 0);
        assert_int_equal(truth->predictions, 1);
        assert_true(isnan(truth->error_sd) && isnan(truth->points_mean));
        assert_true(truth->error_mean == fabs(truth->error_low));
    }
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct study_prediction_cell one[CONFIGURATIONS * STUDY_TRAININGS];
    struct study_prediction_cell three[CONFIGURATIONS * STUDY_TRAININGS];
    struct study_prediction_plan plan = small_plan();
    plan.training.threads = 1;
    plan.one_length = false;
    run(&plan, one);
    plan.training.threads = 3;
    run(&plan, three);
    assert_memory_equal(one, three, sizeof one);
}

/* Where nothing varies all kinds of training are the truth. */
static void test_without_noise_all_training_is_the_same(void **state)
{
    (void)state;
    enum { COUNT = 5, POINTS = 60 };
    static double values[COUNT][POINTS];
    double features[COUNT];
    struct study_configuration configurations[COUNT];
    struct study_prediction_cell cells[COUNT * STUDY_TRAININGS];
    struct study_prediction_plan plan = small_plan();
    plan.features = 1;
    plan.target = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        features[i] = (double)i;
        for (size_t v = 0; v < POINTS; v++) {
            values[i][v] = 3.0 * exp(-0.3 * (double)i);
        }
        configurations[i] = (struct study_configuration){
            "one", "machine", &features[i], values[i], POINTS, 20.0, values[i][0]};
    }
    assert_int_equal(
        study_prediction_run(&plan, configurations, COUNT, NULL, NULL, cells, NULL),
        DUET_OK);
    for (size_t i = 0; i < COUNT; i++) {
        const struct study_prediction_cell *own = &cells[i * STUDY_TRAININGS];
        double truth = own[STUDY_TRAINING_TRUTH].error_mean;
        assert_true(fabs(own[STUDY_TRAINING_POINTS].error_mean - truth) < 1e-4);
        assert_true(own[STUDY_TRAINING_POINTS].error_sd < 1e-9);
        /* Between others the exponential is known, beyond them less so. */
        assert_true(truth < (i == 0 || i == COUNT - 1 ? 0.25 : 0.05));
    }
}

static bool stop_after_one_target(void *context, uint64_t done, uint64_t planned)
{
    const uint64_t *limit = context;
    assert_true(done <= planned);
    assert_int_equal(planned, 2 * (5 * 70 + 2 * 40));
    return done < *limit;
}

static void test_interrupted(void **state)
{
    (void)state;
    struct study_prediction_cell cells[CONFIGURATIONS * STUDY_TRAININGS];
    struct study_prediction_plan plan = small_plan();
    uint64_t limit = 5 * 70 + 2 * 40 + 1;
    assert_int_equal(study_prediction_run(&plan, surface.configurations, surface.count,
                                          stop_after_one_target, &limit, cells, NULL),
                     DUET_E_INTERRUPTED);
    assert_int_equal(cells[4 * STUDY_TRAININGS].predictions, 40);
    assert_int_equal(cells[10 * STUDY_TRAININGS].predictions, 0);
}

static bool expect_half(void *context, uint64_t done, uint64_t planned)
{
    bool *called = context;
    *called = true;
    assert_true(done <= planned);
    assert_int_equal(planned, 5 * 70 + 2 * 40);
    return true;
}

/* What others compute is not planned here. */
static void test_progress_of_a_part(void **state)
{
    (void)state;
    struct study_prediction_cell cells[CONFIGURATIONS * STUDY_TRAININGS];
    struct study_prediction_plan plan = small_plan();
    struct study_book book = {.pages = NULL};
    bool called = false;
    assert_int_equal(study_book_init(2, &book, NULL), DUET_OK);
    assert_int_equal(study_book_share(&book, 0, 2, NULL), DUET_OK);
    plan.book = &book;
    assert_int_equal(study_prediction_run(&plan, surface.configurations, surface.count,
                                          expect_half, &called, cells, NULL),
                     DUET_OK);
    assert_true(called);
    study_book_release(&book);
}

static enum duet_code run_with(const struct study_prediction_plan *plan, size_t count,
                               struct duet_error *error)
{
    struct study_prediction_cell cells[CONFIGURATIONS * STUDY_TRAININGS];
    return study_prediction_run(plan, surface.configurations, count, NULL, NULL, cells,
                                error);
}

static void test_errors(void **state)
{
    (void)state;
    struct study_prediction_plan plan = small_plan();
    struct duet_error error = {0};
    assert_int_equal(run_with(&plan, 3, &error), DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "benchmark-1 has 3 configurations"));
    plan.target = "nowhere";
    assert_int_equal(run_with(&plan, 6, &error), DUET_E_TOO_FEW);
    assert_non_null(strstr(error.message, "'nowhere'"));
    plan = small_plan();
    plan.predictions = 1;
    assert_int_equal(run_with(&plan, 6, NULL), DUET_E_DOMAIN);
    plan = small_plan();
    plan.training.points = STUDY_SURFACE_DAY * STUDY_SURFACE_DAYS + 1;
    assert_int_equal(run_with(&plan, 6, &error), DUET_E_DOMAIN);
    assert_non_null(strstr(error.message, "benchmark-1 on 1-large"));
    plan = small_plan();
    plan.training.error = 2.0;
    assert_int_equal(run_with(&plan, 6, NULL), DUET_E_DOMAIN);
    plan = small_plan();
    plan.training.threads = 1;
    plan.training.tests = 3;
    plan.predictions = 2;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n += 1 + n / 8) {
        alloc_fail_at(n);
        code = run_with(&plan, 6, NULL);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface),
        cmocka_unit_test(test_surface_errors),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_without_noise_all_training_is_the_same),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_progress_of_a_part),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
