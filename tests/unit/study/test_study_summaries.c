/* What the answers of studies say together. */
#include "answers_sample.h"

#include "study/planning_answer.h"
#include "study/study_accuracy.h"
#include "study/study_density.h"
#include "study/study_share.h"
#include "study/study_widths.h"
#include "unit/stats/nearly.h"

static void shares_are_rounded_once(void **state)
{
    (void)state;
    assert_nearly(study_share(49, 400), 0.1225, 0);
    assert_nearly(study_share_pct(49, 400), 12.25, 0);
    assert_true(isnan(study_share_pct(0, 0)));
    assert_nearly(study_share_error(0.5, 100), 0.05, 1e-15);
    assert_nearly(study_share_error(1, 100), 0, 0);
}

static void bars_reach_no_lower_than_0(void **state)
{
    (void)state;
    struct study_reach reach = study_reach_of(0.3, 0.1);
    assert_nearly(reach.low, 0.2, 1e-15);
    assert_nearly(reach.high, 0.4, 1e-15);
    assert_nearly(study_reach_of(0.1, 0.3).low, 0, 0);
    reach = study_reach_of(0.1, (double)NAN);
    assert_true(isnan(reach.low) && isnan(reach.high));
}

/* ---- Groups ---- */

static struct study_grid_cell cells[SAMPLE_CELLS];
static const struct study_grid grid = {&sample_plan, &sample_dataset, cells};
static const enum study_test test = STUDY_TEST_INTERVALS;

static void shares_are_of_those_that_answer(void **state)
{
    (void)state;
    double room[3];
    const struct study_grid_spread first = study_grid_spread_of(&grid, 0, test, room);
    assert_int_equal(first.count, 2); /* 0.1 and 0.5 */
    assert_nearly(room[0], 0.1, 1e-15);
    assert_int_equal(first.within_most, 0);
    assert_int_equal(first.within_10, 1);
    assert_int_equal(first.within_20, 1);
    assert_nearly(first.median, 0.3, 1e-15);
    assert_nearly(first.mean, 0.3, 1e-15);
    assert_nearly(first.most, 0.5, 0);
    const struct study_grid_spread second = study_grid_spread_of(&grid, 1, test, room);
    assert_int_equal(second.count, 3); /* 0, 0.05, 0.25 */
    assert_int_equal(second.within_most, 2);
    assert_nearly(second.median, 0.05, 1e-15);
    assert_nearly(second.mean, 0.1, 1e-15);
    assert_int_equal(study_grid_shares(&grid, 1, 1, test, room), 1); /* metal */
    assert_nearly(room[0], 0.25, 1e-15);
    assert_int_equal(study_grid_spread_of(&grid, 0, STUDY_TEST_RANKSUM, room).count, 0);
    assert_false(study_grid_any_answers(&grid, 0, STUDY_TEST_RANKSUM));
    assert_true(study_grid_any_answers(&grid, 0, test));
}

static void configurations_are_counted_by_their_answer(void **state)
{
    (void)state;
    size_t powerless = 7;
    const enum study_sampling trials = STUDY_SAMPLING_TRIALS;
    assert_int_equal(study_grid_count_fewest(&grid, trials, test, 0, &powerless), 0);
    assert_int_equal(study_grid_count_fewest(&grid, trials, test, 1, &powerless), 2);
    assert_int_equal(powerless, 0); /* intervals of the mean can always part */
    assert_int_equal(study_grid_count_fewest(&grid, trials, test, 2, &powerless), 1);
    assert_int_equal(
        study_grid_count_fewest(&grid, STUDY_SAMPLING_PAIRS, test, 2, &powerless), 0);
    assert_int_equal(study_grid_count_powerless(&grid, 1, test), 0);
    /* 1 % is found in 19 of 20 draws of the first, 50 % in all of the second. */
    assert_int_equal(study_grid_count_detectable(&grid, 1, test, 0.95, 1), 1);
    assert_int_equal(study_grid_count_detectable(&grid, 1, test, 0.95, 2), 1);
    assert_int_equal(study_grid_count_detectable(&grid, 1, test, 0.95, 3), 1);
    assert_int_equal(study_grid_count_detectable(&grid, 1, test, 0.96, 1), 0);
}

static void a_share_that_is_reached_is_enough(void **state)
{
    (void)state;
    static struct study_grid_plan plan;
    struct study_grid_cell cell = sample_cell(0, 55, 100);
    plan = sample_plan;
    plan.draws = 100;
    assert_true(0.55 * 100 > 55); /* as doubles are */
    assert_int_equal(study_grid_detectable(&plan, &cell, test, 0.55), 1);
    assert_int_equal(study_grid_detectable(&plan, &cell, test, 0.551), 2);
}

static void groups_that_looked_changed_can(void **state)
{
    (void)state;
    struct study_grid_cell ranked[SAMPLE_CELLS] = {{.done = false}};
    const struct study_grid small = {&sample_plan, &sample_dataset, ranked};
    ranked[0] = ranked[2] =
        (struct study_grid_cell){.done = true, .tests = 1U << STUDY_TEST_RANKSUM};
    /* Of four values each, the least p value of two repetitions is 0.057. */
    assert_int_equal(study_grid_count_powerless(&small, 0, STUDY_TEST_RANKSUM), 2);
    ranked[2].changed[STUDY_TEST_RANKSUM][0] = 1; /* with equal ones, 0.046 */
    assert_int_equal(study_grid_count_powerless(&small, 0, STUDY_TEST_RANKSUM), 1);
}

static void rows_are_found_and_counted(void **state)
{
    (void)state;
    assert_int_equal(model_dataset_find(&sample_dataset, 1, 1), 2);
    assert_int_equal(model_dataset_find(&sample_dataset, 0, 1), 3); /* none */
    assert_ptr_equal(study_variability_row_of(&sample_dataset, sample_rows, 1, 1),
                     &sample_rows[2]);
    assert_null(study_variability_row_of(&sample_dataset, sample_rows, 1, 0));
    assert_null(study_variability_row_of(&sample_dataset, sample_rows, 0, 1));
    const struct study_variability_tally tally =
        study_variability_tally_of(sample_rows, 3);
    assert_int_equal(tally.done, 2);
    assert_int_equal(tally.dominant[STUDY_SOURCE_TRIALS], 1);
    assert_int_equal(tally.dominant[STUDY_SOURCE_INSTANCES], 1);
    assert_int_equal(tally.dominant[STUDY_SOURCE_ITERATIONS], 0);
    assert_true(tally.any_unknown);
    assert_false(study_variability_tally_of(&sample_rows[1], 2).any_unknown);
}

static void plans_are_counted_by_what_they_find(void **state)
{
    (void)state;
    const struct study_planning asked = {.found_least = 0.95, .false_most = 0.05};
    struct planning_row rows[] = {{true, false, {true, 2, 3, 5, 30, 1, 0.95, 0.1}},
                                  {true, true, {.found = false}},
                                  {true, false, {true, 1, 1, 1, 1, 1, UNKNOWN, 0}}};
    const struct planning_answer answer = {&sample_dataset, &asked, rows};
    struct planning_summary summary = planning_answer_summary(&answer);
    assert_int_equal(summary.done, 3);
    assert_int_equal(summary.too_few, 1);
    assert_int_equal(summary.planned, 2);
    assert_int_equal(summary.checked, 1);
    assert_int_equal(summary.found, 1);
    assert_int_equal(summary.quiet, 0);
    rows[0].done = false;
    summary = planning_answer_summary(&answer);
    assert_int_equal(summary.done, 2);
    assert_int_equal(summary.checked, 0);
}

/* ---- Stop rules, predictions, widths ---- */

static void tests_are_summed_up_by_group(void **state)
{
    (void)state;
    const struct stopping_column metior = {0, 0, ANALYSIS_STOP_METIOR};
    const struct stopping_column steady = {0, 0, ANALYSIS_STOP_STEADY};
    assert_int_equal(stopping_answer_groups(&sample_answer), 2);
    /* 120 points, two an interval, and 160, four an interval: 100 intervals. */
    assert_nearly(stopping_answer_interval(&sample_answer, &steady, NULL), 2.8, 1e-15);
    assert_nearly(stopping_answer_interval(&sample_answer, &steady, "B"), 4, 0);
    const struct study_stopping_cell all =
        stopping_answer_sum(&sample_answer, &metior, NULL);
    const struct study_stopping_cell ours =
        stopping_answer_sum(&sample_answer, &steady, NULL);
    assert_int_equal(all.tests, 16);
    assert_int_equal(all.stopped, 10);
    assert_nearly(all.error_max, 0.06, 0);
    const struct stopping_means means =
        stopping_answer_means(&sample_answer, &ours, &all, 2.8);
    assert_nearly(means.stopped_pct, 25, 0);
    assert_nearly(means.accurate_pct, 25, 0);
    assert_nearly(means.error, 0.1, 1e-15);
    assert_nearly(means.points, 17.5, 1e-15);
    assert_nearly(means.points_stopped, 10, 1e-15);
    assert_nearly(means.points_relative, 280.0 / 240.0, 1e-15);
    assert_nearly(means.price, (90.0 + 60.0) / 2, 1e-12); /* the mean of the series' */
    const struct study_stopping_cell never =
        stopping_answer_sum(&sample_answer, &steady, "B");
    assert_true(
        isnan(stopping_answer_means(&sample_answer, &never, &all, 4).accurate_pct));
    assert_true(
        isnan(stopping_answer_means(&sample_answer, &never, &all, 4).error_most));
}

static void predictions_count_where_they_are(void **state)
{
    (void)state;
    enum { TRUTH = STUDY_TRAINING_TRUTH };
    struct study_prediction_cell made[3 * STUDY_TRAININGS] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct study_prediction_cell *row = made + i * STUDY_TRAININGS;
        row[STUDY_TRAINING_POINTS] = (struct study_prediction_cell){
            .predictions = 40, .error_mean = 0.2, .points_mean = 3};
        row[TRUTH] = (struct study_prediction_cell){.predictions = 1,
                                                    .error_mean = i == 0 ? 0.1 : 0.05,
                                                    .points_mean = UNKNOWN};
    }
    const struct study_prediction_means means =
        study_prediction_means_of(made, 3, TRUTH);
    assert_int_equal(means.configurations, 2);
    assert_nearly(means.error, 0.075, 1e-15);
    assert_nearly(means.relative, 0.375, 1e-15);
    assert_true(isnan(means.points));
    assert_int_equal(
        study_prediction_means_of(made, 3, STUDY_TRAINING_RULES).configurations, 0);
}

static void gains_of_a_row(void **state)
{
    (void)state;
    const struct study_width rows[] = {
        {.widths = {1, 9, 10, UNKNOWN, UNKNOWN, 0}},
        {.widths = {2, UNKNOWN, 80, UNKNOWN, UNKNOWN, UNKNOWN}},
        {.widths = {UNKNOWN, UNKNOWN, UNKNOWN, 1, 1, 1}}};
    assert_nearly(study_width_gain(&rows[0], STUDY_WIDTH_STANDARD, STUDY_WIDTH_DUET),
                  10, 1e-15);
    assert_true(
        isnan(study_width_gain(&rows[0], STUDY_WIDTH_STANDARD, STUDY_WIDTH_TIMESLICE)));
    assert_nearly(study_width_narrowest(&rows[1]), 2, 0);
    assert_true(isinf(study_width_narrowest(&rows[2])));
    assert_int_equal(study_widths_most_gained(rows, 3, 0), 1);
    assert_int_equal(study_widths_most_gained(rows, 3, 1), 0);
    assert_nearly(study_twice_off(1.9), -0.05, 1e-15);
    assert_nearly(study_twice_unfilled(1.25), 1.8, 1e-15);
}

static int fill_cells(void **state)
{
    (void)state;
    sample_cells(cells);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_rounded_once),
        cmocka_unit_test(bars_reach_no_lower_than_0),
        cmocka_unit_test(shares_are_of_those_that_answer),
        cmocka_unit_test(configurations_are_counted_by_their_answer),
        cmocka_unit_test(a_share_that_is_reached_is_enough),
        cmocka_unit_test(groups_that_looked_changed_can),
        cmocka_unit_test(rows_are_found_and_counted),
        cmocka_unit_test(plans_are_counted_by_what_they_find),
        cmocka_unit_test(tests_are_summed_up_by_group),
        cmocka_unit_test(predictions_count_where_they_are),
        cmocka_unit_test(gains_of_a_row),
    };
    return cmocka_run_group_tests(tests, fill_cells, NULL);
}
