// labels: novalgrind soakasan
/* The study of sequential verdicts: small, but as the program runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/study_sequential.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <string.h>

/* The models whose sides differ in nothing but their speed: what holds for them is
 * asserted. Of the others the study says how far from it they are. */
enum { ALIKE_MODELS = STUDY_SEQUENTIAL_MODELS };

static struct study_sequential_plan plan_of(uint64_t samples, double effect)
{
    return (struct study_sequential_plan){.confidence = 0.95,
                                          .effect = effect,
                                          .noise = 0.01,
                                          .new_noise = 0.1,
                                          .location = STATS_LOCATION_MEDIAN,
                                          .iterations = 5,
                                          .blocks = 30,
                                          .samples = samples,
                                          .seed = 7,
                                          .model = STUDY_SEQUENTIAL_MODELS};
}

static void run(const struct study_sequential_plan *plan,
                struct study_sequential_cell *cells)
{
    assert_int_equal(study_sequential_run(plan, NULL, NULL, cells, NULL), DUET_OK);
}

/* At most 5 % of 1000 and 4.5 standard errors, whatever the noise is. */
static void false_alarms(bool coin_per_run)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(1000, 0.0);
    plan.coin_per_run = coin_per_run;
    run(&plan, cells);
    for (int m = 0; m < ALIKE_MODELS; m++) {
        const struct study_sequential_cell *cell = &cells[m];
        assert_int_equal(cell->model, m);
        assert_int_equal(cell->samples, 1000);
        assert_true(cell->wrong > 0 && cell->wrong < 81);
        assert_int_equal(cell->wrong, cell->missed);
        assert_int_equal(cell->right, 0);
        double share = (double)cell->wrong / 1000.0;
        assert_true(cell->wrong_low < share && share < cell->wrong_high);
        assert_true(isnan(cell->runs_median));
    }
}

static void test_false_alarms(void **state)
{
    (void)state;
    false_alarms(false);
    false_alarms(true);
}

static void clear_effect(bool coin_per_run)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    for (int sign = -1; sign <= 1; sign += 2) {
        struct study_sequential_plan plan = plan_of(200, sign * 0.5);
        plan.confidence = 0.99;
        plan.coin_per_run = coin_per_run;
        run(&plan, cells);
        for (int m = 0; m < ALIKE_MODELS; m++) {
            assert_int_equal(cells[m].wrong, 0);
            assert_int_equal(cells[m].right, 200);
            assert_true(cells[m].missed < 10);
            /* eight coins: 8 blocks, or 2 blocks and 6 runs */
            assert_true(cells[m].runs_median == (coin_per_run ? 10.0 : 16.0));
            assert_true(cells[m].runs_p90 <= (coin_per_run ? 12.0 : 18.0));
        }
    }
}

static void test_clear_effect(void **state)
{
    (void)state;
    clear_effect(false);
    clear_effect(true);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct study_sequential_cell cells[2][STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(100, 0.01);
    for (int threads = 1; threads <= 2; threads++) {
        plan.threads = threads;
        run(&plan, cells[threads - 1]);
    }
    for (int m = 0; m < STUDY_SEQUENTIAL_MODELS; m++) {
        assert_int_equal(cells[0][m].wrong, cells[1][m].wrong);
        assert_int_equal(cells[0][m].right, cells[1][m].right);
        assert_int_equal(cells[0][m].missed, cells[1][m].missed);
        assert_int_equal(isnan(cells[0][m].runs_median),
                         isnan(cells[1][m].runs_median));
        assert_true(isnan(cells[0][m].runs_median) ||
                    cells[0][m].runs_median == cells[1][m].runs_median);
    }
}

/* A new side as noisy as the old one is the normal model, and the noise follows the
 * side: with 100 times as much a clear effect is out of sight. */
static void test_the_new_sides_noise(void **state)
{
    (void)state;
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(200, 0.02);
    plan.model = STUDY_SEQUENTIAL_NOISIER;
    plan.new_noise = plan.noise;
    assert_string_equal(study_sequential_model_name(plan.model), "noisier");
    run(&plan, cells);
    assert_int_equal(cells[plan.model].right, 200);
    plan.new_noise = 1.0;
    run(&plan, cells);
    assert_true(cells[plan.model].right < 50);
}

/* Losses that nobody knows of on the old side are not the new one's gain: with the mean
 * in the run, which takes none off, the same experiments raise no more alarms. */
static void test_losses_of_one_side(void **state)
{
    (void)state;
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(400, 0.0);
    plan.model = STUDY_SEQUENTIAL_ONESIDED;
    assert_string_equal(study_sequential_model_name(plan.model), "onesided");
    plan.location = STATS_LOCATION_MEAN;
    run(&plan, cells);
    assert_true(cells[plan.model].wrong < 40);
}

static void test_one_model_and_estimators(void **state)
{
    (void)state;
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(50, 0.05);
    plan.model = STUDY_SEQUENTIAL_DRIFT;
    assert_string_equal(study_sequential_model_name(plan.model), "drift");
    assert_string_equal(study_sequential_model_name(STUDY_MODEL_AR1), "ar1");
    for (int location = 0; location <= (int)STATS_LOCATION_MEDIAN; location++) {
        plan.location = (enum stats_location)location;
        run(&plan, cells);
        for (int m = 0; m < STUDY_SEQUENTIAL_MODELS; m++) {
            assert_int_equal(cells[m].samples, m == plan.model ? 50 : 0);
        }
        assert_int_equal(cells[plan.model].right, 50);
    }
}

static bool stop_after(void *context, uint64_t done, uint64_t planned)
{
    assert_true(done <= planned);
    return done < *(uint64_t *)context;
}

static void test_interrupted(void **state)
{
    (void)state;
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plan = plan_of(2000, 0.0);
    uint64_t limit = 2500;
    struct duet_error error = {0};
    plan.blocks = 8;
    assert_int_equal(study_sequential_run(&plan, stop_after, &limit, cells, &error),
                     DUET_E_INTERRUPTED);
    assert_int_equal(cells[0].samples, 2000);
    assert_int_equal(cells[1].samples, 512); /* two units */
    assert_true(cells[1].wrong_high > 0.0);
    assert_int_equal(cells[2].samples, 0);
}

static void test_errors(void **state)
{
    (void)state;
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS];
    struct study_sequential_plan plans[7];
    for (int i = 0; i < 7; i++) {
        plans[i] = plan_of(1, 0.0);
    }
    plans[0].samples = 0;
    plans[1].blocks = 0;
    plans[2].iterations = STUDY_SEQUENTIAL_ITERATIONS_MAX + 1;
    plans[3].effect = -1.0;
    plans[4].noise = 0.0;
    plans[5].confidence = 1.0;
    plans[6].effect = (double)NAN;
    for (int i = 0; i < 7; i++) {
        assert_int_equal(study_sequential_run(&plans[i], NULL, NULL, cells, NULL),
                         DUET_E_DOMAIN);
    }
    struct study_sequential_plan plan = plan_of(1, 0.0);
    plan.model = 0;
    plan.threads = 1;
    alloc_fail_at(0);
    run(&plan, cells);
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations > 4);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        assert_int_equal(study_sequential_run(&plan, NULL, NULL, cells, NULL),
                         DUET_E_NOMEM);
    }
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_clear_effect),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_the_new_sides_noise),
        cmocka_unit_test(test_losses_of_one_side),
        cmocka_unit_test(test_one_model_and_estimators),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
