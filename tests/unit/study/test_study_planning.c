// labels: soakvalgrind
/* Plans: what they draw, and that they hold on instances they were not made from. */
// link: duet_study_simulate
#include "study/study_planning.h"

#include "unit/study/dataset_sample.h"

#include <math.h>

#include "support/alloc_fail.h"

static void assert_chosen(enum study_sampling sampling, enum study_test test,
                          bool paired, enum study_sampling want_sampling,
                          enum study_test want_test)
{
    struct study_planning planning = {.sampling = sampling, .test = test};
    study_planning_choose(&planning, paired);
    assert_int_equal(planning.sampling, want_sampling);
    assert_int_equal(planning.test, want_test);
}

static void test_what_a_plan_draws_follows_from_the_data(void **state)
{
    (void)state;
    assert_chosen(STUDY_SAMPLINGS, STUDY_TESTS, true, STUDY_SAMPLING_PAIRS,
                  STUDY_TEST_RATIO);
    assert_chosen(STUDY_SAMPLINGS, STUDY_TESTS, false, STUDY_SAMPLING_TRIALS,
                  STUDY_TEST_RANKSUM);
    /* What was asked for stays, and decides the test. */
    assert_chosen(STUDY_SAMPLING_INSTANCES, STUDY_TESTS, true, STUDY_SAMPLING_INSTANCES,
                  STUDY_TEST_RANKSUM);
    assert_chosen(STUDY_SAMPLINGS, STUDY_TEST_INTERVALS, true, STUDY_SAMPLING_PAIRS,
                  STUDY_TEST_INTERVALS);
    assert_chosen(STUDY_SAMPLING_PAIRS, STUDY_TESTS, false, STUDY_SAMPLING_PAIRS,
                  STUDY_TEST_RATIO);
}

/* The plan holds on instances that it was not made from, and a larger effect is
 * cheaper.
 */
static void test_planning(void **state)
{
    (void)state;
    struct model_dataset dataset = sample_of(0.05, 0.3, 0.3, 60, 10, 20, 17);
    struct study_planning planning = {.sampling = STUDY_SAMPLING_TRIALS,
                                      .test = STUDY_TEST_RANKSUM,
                                      .confidence = 0.95,
                                      .delta_least = 0.33,
                                      .found_least = 0.95,
                                      .false_most = 0.05,
                                      .instance_cost = 100,
                                      .trial_cost = 10,
                                      .draws = 50,
                                      .replicates = 50,
                                      .seed = 1};
    static const double effects[] = {0.5, 0.1};
    double costs[2] = {0};
    struct study_planned planned = {.found = false};
    for (size_t i = 0; i < 2; i++) {
        planning.effect = effects[i];
        assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                         DUET_OK);
        assert_true(planned.found && planned.found_share >= 0.95);
        assert_true(planned.held_out_found > 0.85 && planned.held_out_false < 0.15);
        costs[i] =
            (double)planned.instances *
            (100.0 + (double)planned.trials * (10.0 + (double)planned.iterations));
        assert_true(fabs(planned.cost - costs[i]) < 1e-9);
    }
    assert_true(costs[0] < costs[1]);
    planning.effect = 0.0001;
    planning.draws = 10;
    assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                     DUET_OK);
    assert_false(planned.found);
    planning.effect = 0;
    assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                     DUET_E_DOMAIN);
    planning.effect = 1;
    alloc_fail_at(0);
    assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                     DUET_OK);
    for (unsigned long n = 1; n <= 8; n++) {
        alloc_fail_at(n);
        assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                         DUET_E_NOMEM);
    }
    alloc_fail_at(0);
    dataset.configurations[0].count = 3;
    assert_int_equal(study_planning_run(&dataset, 0, &planning, &planned, NULL),
                     DUET_E_TOO_FEW);
    model_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_plan_draws_follows_from_the_data),
        cmocka_unit_test(test_planning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
