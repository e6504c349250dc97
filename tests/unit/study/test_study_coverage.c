// labels: novalgrind
/* The study of coverage: small, but as the program runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_coverage.h"
#include "study/study_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct study_coverage_plan plan_of(uint64_t samples, int threads)
{
    return (struct study_coverage_plan){.confidence = 0.9,
                                        .samples = samples,
                                        .replicates = 100,
                                        .seed = 5,
                                        .model = STUDY_MODEL_NORMAL,
                                        .threads = threads};
}

/* All models have mean 0, and variance 1 a run. */
static void test_models(void **state)
{
    (void)state;
    enum { RUNS = 20000 };
    double *values = calloc((size_t)RUNS * STUDY_ITERATIONS_MAX, sizeof *values);
    assert_non_null(values);
    for (int m = 0; m < STUDY_MODELS; m++) {
        enum study_model model = (enum study_model)m;
        struct random_stream stream = random_stream_at(3, (uint64_t)m);
        size_t iterations = study_model_iterations(model);
        double sum = 0;
        double squares = 0;
        study_model_draw(model, &stream, values, RUNS);
        for (size_t r = 0; r < RUNS; r++) {
            double mean = 0;
            for (size_t i = 0; i < iterations; i++) {
                mean += values[r * iterations + i] / (double)iterations;
            }
            sum += mean;
            squares += mean * mean;
        }
        /* Standard error 0.007, of the autocorrelated one 0.011. */
        assert_true(fabs(sum / RUNS) < 0.05);
        assert_true(squares / RUNS > 0.6 && squares / RUNS < 1.8);
        assert_true(strcmp(study_model_name(model), "unknown") != 0);
    }
    free(values);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    size_t count = study_coverage_cells();
    struct study_coverage_cell *one = calloc(count, sizeof *one);
    struct study_coverage_cell *two = calloc(count, sizeof *two);
    assert_true(one != NULL && two != NULL);
    struct study_coverage_plan plan = plan_of(3, 1);
    assert_int_equal(study_coverage_run(&plan, NULL, NULL, one, NULL), DUET_OK);
    plan.threads = 2;
    assert_int_equal(study_coverage_run(&plan, NULL, NULL, two, NULL), DUET_OK);
    size_t bounded = 0;
    for (size_t c = 0; c < count; c++) {
        assert_int_equal(one[c].samples, one[c].model == STUDY_MODEL_NORMAL ? 3 : 0);
        assert_int_equal(one[c].covered, two[c].covered);
        assert_int_equal(one[c].unbounded, two[c].unbounded);
        assert_true(one[c].covered <= one[c].samples);
        if (isfinite(one[c].width_pct)) {
            assert_true(fabs(one[c].width_pct - two[c].width_pct) < 1e-12);
            assert_true(one[c].width_pct > 0);
            bounded++;
        }
    }
    assert_true(bounded > 30);
    free(one);
    free(two);
}

static bool stop_after(void *context, uint64_t done, uint64_t planned)
{
    assert_true(done < planned);
    return done < *(uint64_t *)context;
}

/* Student's t covers what it says for normal data: 90 % of 300, give or take 4.5
 * standard errors. */
static void test_t_covers(void **state)
{
    (void)state;
    size_t count = study_coverage_cells();
    struct study_coverage_cell *cells = calloc(count, sizeof *cells);
    assert_non_null(cells);
    struct study_coverage_plan plan = plan_of(300, 0);
    /* Stopped before the sizes whose sign flips take long. */
    uint64_t limit = 3 * (uint64_t)MODEL_INTERVAL_METHODS * plan.samples;
    assert_int_equal(study_coverage_run(&plan, stop_after, &limit, cells, NULL),
                     DUET_E_INTERRUPTED);
    size_t judged = 0;
    for (size_t c = 0; c < count; c++) {
        if (cells[c].samples > 0 && cells[c].method == MODEL_INTERVAL_T) {
            double share = (double)cells[c].covered / (double)cells[c].samples;
            assert_true(share > 0.82 && share < 0.98);
            judged++;
        }
    }
    assert_int_equal(judged, 3); /* sizes */
    free(cells);
}

static void test_interrupted(void **state)
{
    (void)state;
    size_t count = study_coverage_cells();
    struct study_coverage_cell *cells = calloc(count, sizeof *cells);
    assert_non_null(cells);
    uint64_t limit = 100;
    struct study_coverage_plan plan = plan_of(1000, 0);
    struct duet_error error = {0};
    assert_int_equal(study_coverage_run(&plan, stop_after, &limit, cells, &error),
                     DUET_E_INTERRUPTED);
    uint64_t samples = 0;
    for (size_t c = 0; c < count; c++) {
        samples += cells[c].samples;
    }
    assert_true(samples >= limit && samples < limit + 100);
    free(cells);
}

static void test_errors(void **state)
{
    (void)state;
    struct study_coverage_cell *cells = calloc(study_coverage_cells(), sizeof *cells);
    assert_non_null(cells);
    struct study_coverage_plan plan = plan_of(0, 0);
    assert_int_equal(study_coverage_run(&plan, NULL, NULL, cells, NULL), DUET_E_DOMAIN);
    plan = plan_of(1, 0);
    plan.confidence = 1.5;
    assert_int_equal(study_coverage_run(&plan, NULL, NULL, cells, NULL), DUET_E_DOMAIN);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),   cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_t_covers), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
