// link: duet_study_simulate
// labels: novalgrind
/* Cleaning, and what variability comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_cleaning.h"
#include "study/study_variability.h"
#include "support/alloc_fail.h"

#include "dataset_sample.h"

#include <math.h>
#include <string.h>

static struct study_variability_row row_of(const struct model_dataset *dataset,
                                           size_t replicates)
{
    struct study_variability_row row;
    const struct study_variability_plan plan = {
        .confidence = 0.95, .replicates = replicates, .seed = 1, .threads = 2};
    assert_int_equal(study_variability_run(dataset, &plan, NULL, NULL, &row, NULL),
                     DUET_OK);
    assert_true(row.done);
    return row;
}

/* Each source alone: only it has a component, and figure 5's bars rise there. */
static void test_pure_sources(void **state)
{
    (void)state;
    static const double shares[STUDY_SOURCES][2] = {{0, 0}, {0, 1}, {1, 0}};
    for (int source = 0; source < STUDY_SOURCES; source++) {
        struct model_dataset dataset =
            sample_of(0.1, shares[source][0], shares[source][1], 40, 8, 20, 3);
        struct study_variability_row row = row_of(&dataset, 200);
        assert_int_equal(row.dominant, source);
        assert_true(fabs(row.cv_total - 0.1) < 0.025);
        assert_true(row.cv_low < row.cv_total && row.cv_total < row.cv_high);
        assert_true(fabs(row.mean - 100.0) < 5.0);
        for (int s = 0; s < STUDY_SOURCES; s++) {
            double component = row.component[s];
            assert_true(s == source ? fabs(component - 0.1) < 0.025 : component < 0.01);
        }
        double trial = source == STUDY_SOURCE_ITERATIONS ? 0.1 : 0.0;
        double instance = source == STUDY_SOURCE_INSTANCES ? 0.0 : 0.1;
        assert_true(fabs(row.cv_trials.mean - trial) < 0.01);
        assert_true(fabs(row.cv_instances.mean - instance) < 0.015);
        assert_true(isnan(row.cv_ratio));
        model_dataset_release(&dataset);
    }
}

/* The interval of the CV is as wide as theory says for independent normal values:
 * standard error CV / sqrt(2 n). */
static void test_width(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.01, 0, 0, 10, 10, 20, 5);
    struct study_variability_row row;
    struct study_variability_plan plan = {
        .confidence = 0.95, .replicates = 2000, .independent = true, .seed = 1};
    assert_int_equal(study_variability_run(&dataset, &plan, NULL, NULL, &row, NULL),
                     DUET_OK);
    double expected = 2.0 * 1.96 / sqrt(2.0 * 2000.0);
    assert_true(fabs(row.rciw / expected - 1.0) < 0.15);
    assert_int_equal(row.width, STUDY_WIDTH_NARROW);
    double low = row.cv_low;
    plan.threads = 1;
    assert_int_equal(study_variability_run(&dataset, &plan, NULL, NULL, &row, NULL),
                     DUET_OK);
    assert_memory_equal(&low, &row.cv_low, sizeof low);
    model_dataset_release(&dataset);
}

static void test_cleaning(void **state)
{
    (void)state;
    struct study_cleaned counts;
    struct model_dataset dataset = sample_of(0.1, 0, 0, 3, 2, 2, 1);
    for (size_t i = 0; i < dataset.value_count; i++) {
        dataset.values[i] = i == 0 || i == 4 || i == 5 ? 30.0 : 3.0;
    }
    dataset.values[1] = 29.9;
    assert_int_equal(study_clean(&dataset, 1.0, &counts, NULL), DUET_E_DOMAIN);
    assert_int_equal(study_clean(&dataset, 10.0, &counts, NULL), DUET_OK);
    assert_int_equal(counts.before, 12);
    assert_int_equal(counts.after, 9); /* 30 is ten times the median, and goes */
    assert_int_equal(dataset.trial_count, 5);
    assert_int_equal(dataset.instance_count, 3);
    assert_int_equal(dataset.instances[1].count, 1);
    assert_int_equal(dataset.trials[0].count, 1);
    assert_true(fabs(dataset.values[0] - 29.9) < 1e-12);
    assert_int_equal(model_dataset_extent(&dataset, 0).values, 9);
    const struct study_limits limits = {.instances = 2, .trials = 1, .iterations = 1};
    assert_int_equal(study_keep_first(&dataset, &limits, NULL), DUET_OK);
    assert_int_equal(dataset.value_count, 2);
    assert_int_equal(dataset.trial_count, 2);
    model_dataset_release(&dataset);
}

static bool never(void *context, uint64_t done, uint64_t planned)
{
    (void)context;
    (void)done;
    (void)planned;
    return false;
}

static void test_errors(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.1, 0.3, 0.3, 4, 3, 5, 1);
    struct study_variability_row row;
    struct study_cleaned counts;
    struct study_variability_plan plan = {
        .confidence = 0.95, .replicates = 10, .threads = 1};
    assert_int_equal(study_variability_run(&dataset, &plan, never, NULL, &row, NULL),
                     DUET_E_INTERRUPTED);
    assert_false(row.done);
    alloc_fail_at(0);
    assert_int_equal(study_variability_run(&dataset, &plan, NULL, NULL, &row, NULL),
                     DUET_OK);
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations >= 4);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        assert_int_equal(study_variability_run(&dataset, &plan, NULL, NULL, &row, NULL),
                         DUET_E_NOMEM);
    }
    for (unsigned long n = 1; n <= 2; n++) {
        alloc_fail_at(n);
        assert_int_equal(study_clean(&dataset, 10.0, &counts, NULL), DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    plan.confidence = 1.0;
    assert_int_equal(study_variability_run(&dataset, &plan, NULL, NULL, &row, NULL),
                     DUET_E_DOMAIN);
    model_dataset_release(&dataset);
}

static bool note_done(void *context, uint64_t done, uint64_t planned)
{
    uint64_t *last = context;
    assert_true(done < planned);
    *last = done;
    return true;
}

/* The last configuration comes when all others are done, whoever does them. */
static void test_progress_of_a_part(void **state)
{
    (void)state;
    enum { ALL = 4, VALUES = 2 * 2 * 3 };
    static const char *const names[] = {"a", "b", "c", "d"};
    const struct study_simulated like[ALL] = {{.mean = 1, .cv = 0.1},
                                              {.mean = 1, .cv = 0.1},
                                              {.mean = 1, .cv = 0.1},
                                              {.mean = 1, .cv = 0.1}};
    const struct study_simulation simulation = {.benchmarks = names,
                                                .benchmark_count = ALL,
                                                .environments = names,
                                                .environment_count = 1,
                                                .configurations = like,
                                                .configuration_count = ALL,
                                                .instances = 2,
                                                .trials = 2,
                                                .iterations = 3};
    struct study_variability_row rows[ALL];
    struct model_dataset dataset = {0};
    struct study_book book = {.pages = NULL};
    uint64_t last = 0;
    assert_int_equal(study_simulate(&simulation, &dataset, NULL), DUET_OK);
    assert_int_equal(study_book_init(ALL, &book, NULL), DUET_OK);
    assert_int_equal(study_book_share(&book, 1, 2, NULL), DUET_OK);
    const struct study_variability_plan plan = {
        .confidence = 0.95, .replicates = 20, .seed = 1, .book = &book};
    assert_int_equal(
        study_variability_run(&dataset, &plan, note_done, &last, rows, NULL), DUET_OK);
    assert_int_equal(last, (ALL - 1) * VALUES);
    study_book_release(&book);
    model_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pure_sources), cmocka_unit_test(test_width),
        cmocka_unit_test(test_cleaning), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_progress_of_a_part)};
    return cmocka_run_group_tests_name("study_variability", tests, NULL, NULL);
}
