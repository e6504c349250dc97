/* Answers of studies, made up: small enough to be read in a table. */
#ifndef TESTS_UNIT_STUDY_ANSWERS_SAMPLE_H
#define TESTS_UNIT_STUDY_ANSWERS_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/grid/study_grid_summary.h"
#include "study/stopping_answer.h"
#include "study/study_prediction.h"
#include "study/study_variability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN ((double)NAN)

/* Two benchmarks in one environment, the second in another, too. */
static char sample_names[][20] = {"far", "com.example.near", "cloud", "metal"};
static char *sample_benchmarks[] = {sample_names[0], sample_names[1]};
static char *sample_environments[] = {sample_names[2], sample_names[3]};
static struct model_trial sample_trials[] = {{.first = 0, .count = 4},
                                             {.first = 0, .count = 4}};
static struct model_instance sample_instances[] = {{.first = 0, .count = 2}};
static struct model_configuration sample_configurations[] = {
    {.benchmark = 0, .environment = 0, .first = 0, .count = 1},
    {.benchmark = 1, .environment = 0, .first = 0, .count = 1},
    {.benchmark = 1, .environment = 1, .first = 0, .count = 1}};
static const struct model_dataset sample_dataset = {.benchmarks = sample_benchmarks,
                                                    .benchmark_count = 2,
                                                    .environments = sample_environments,
                                                    .environment_count = 2,
                                                    .configurations =
                                                        sample_configurations,
                                                    .configuration_count = 3,
                                                    .instances = sample_instances,
                                                    .instance_count = 1,
                                                    .trials = sample_trials,
                                                    .trial_count = 2};

/* Two sizes of groups. Of 20 draws look changed without a slowdown 10 and 1 of the
 * first configuration, 2 and 0 of the second, 5 of the third, which has too little data
 * for the first size. */
static const struct study_grid_plan sample_plan = {
    .detector = {.confidence = 0.95,
                 .delta_least = 0.147,
                 .corrected = 2,
                 .replicates = 100,
                 .slowdowns = {0, 0.01, 0.5},
                 .slowdown_count = 3},
    .cells = {{STUDY_SAMPLING_TRIALS, 1, 1}, {STUDY_SAMPLING_TRIALS, 1, 2}},
    .cell_count = 2,
    .tests = 1U << STUDY_TEST_INTERVALS,
    .draws = 20,
    .false_most = 0.05};

static inline struct study_grid_cell sample_cell(uint32_t false_ones, uint32_t some,
                                                 uint32_t most)
{
    struct study_grid_cell cell = {.done = true, .tests = 1U << STUDY_TEST_INTERVALS};
    cell.changed[STUDY_TEST_INTERVALS][0] = false_ones;
    cell.changed[STUDY_TEST_INTERVALS][1] = some;
    cell.changed[STUDY_TEST_INTERVALS][2] = most;
    return cell;
}

enum { SAMPLE_CELLS = 6 };
static inline void sample_cells(struct study_grid_cell ret_cells[SAMPLE_CELLS])
{
    ret_cells[0] = sample_cell(10, 12, 20);
    ret_cells[1] = sample_cell(1, 19, 20);
    ret_cells[2] = sample_cell(2, 5, 20);
    ret_cells[3] = sample_cell(0, 3, 20);
    ret_cells[4] = (struct study_grid_cell){.done = true}; /* too little data */
    ret_cells[5] = sample_cell(5, 20, 20);
}

static const struct study_variability_row sample_rows[] = {
    {.done = true,
     .values = 8,
     .trials = 2,
     .instances = 1,
     .mean = 100,
     .cv_total = 0.05,
     .cv_trials = {0.04, 0.01},
     .cv_instances = {0.05, UNKNOWN},
     .cv_low = 0.04,
     .cv_high = 0.06,
     .rciw = 0.4,
     .width = STUDY_WIDTH_MEDIUM,
     .component = {0.03, 0.04, UNKNOWN},
     .dominant = STUDY_SOURCE_TRIALS,
     .cv_ratio = UNKNOWN},
    {.done = false},
    {.done = true,
     .cv_total = 0.2,
     .cv_trials = {UNKNOWN, UNKNOWN},
     .cv_instances = {0.2, 0.02},
     .width = STUDY_WIDTH_WIDE,
     .component = {0.1, 0.01, 0.15},
     .dominant = STUDY_SOURCE_INSTANCES,
     .cv_ratio = UNKNOWN}};

/* A series of two groups, one statistic and error, two rules. */
static const double sample_values[] = {1, 2, 1, 3, 1, 2, 2, 1};
static const struct study_series sample_series[] = {
    {"quiet", "A", sample_values, 8, 4, 2.0}, {"loud", "B", sample_values, 8, 4, 4.0}};
static const struct study_stopping_plan sample_stopping = {
    .rules = {[ANALYSIS_STOP_METIOR] = true, [ANALYSIS_STOP_STEADY] = true},
    .statistics = {{STATS_STATISTIC_MEAN, 0.0}},
    .statistic_count = 1,
    .errors = {0.05},
    .error_count = 1,
    .confidence = 0.95,
    .replicates = 100,
    .every = 1,
    .seed = 7};
static const struct study_stopping_cell sample_stops[2 * ANALYSIS_STOP_RULES] = {
    [ANALYSIS_STOP_METIOR] = {8, 8, 7, 0.2, 0.06, 80, 80},
    [ANALYSIS_STOP_STEADY] = {8, 4, 1, 0.4, 0.2, 120, 40},
    [ANALYSIS_STOP_RULES + ANALYSIS_STOP_METIOR] = {8, 2, 2, 0.02, 0.01, 160, 40},
    [ANALYSIS_STOP_RULES + ANALYSIS_STOP_STEADY] = {8, 0, 0, 0, 0, 160, 0}};
static const struct stopping_answer sample_answer = {.plan = &sample_stopping,
                                                     .series = sample_series,
                                                     .series_count = 2,
                                                     .cells = sample_stops,
                                                     .price_per_hour = 0.5,
                                                     .interval_hours = 24};

static const struct study_prediction_plan sample_prediction = {
    .training =
        {.error = 0.05, .confidence = 0.95, .tests = 10, .points = 3, .seed = 1},
    .predictions = 40};
static const struct study_configuration sample_machines[] = {
    {.benchmark = "ft", .name = "small", .truth = 10},
    {.benchmark = "ft", .name = "large", .truth = 5}};

#endif
