/* Tables of studies: what they say, and that none is silently short of memory. */
#include "unit/figures/figures_sample.h"

#include "figures/resampling_table.h"
#include "figures/sequential_table.h"
#include "figures/study_ratio_table.h"
#include "figures/study_shuffle_table.h"
#include "figures/study_table.h"
#include "figures/widths_table.h"

static struct study_width widths_rows[] = {
    {"cloud", "a", "spec", "one", {1, 9, 10, 2, 8, 4}, 1.25, 10, 5, 1.1, 1.4, 0, 0},
    {"cloud",
     "a",
     "spec",
     "two",
     {2, 50, 80, UNKNOWN, UNKNOWN, UNKNOWN},
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     0,
     0},
    {"cloud",
     "b",
     "spec",
     "one",
     {UNKNOWN, 0.05, 0.04, UNKNOWN, UNKNOWN, UNKNOWN},
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     UNKNOWN,
     0,
     0}};
static const struct widths widths = {.rows = widths_rows, .count = 3};

/* ---- Groups drawn from data sets ---- */

static void grid(struct text *text, enum grid_kind kind, bool details)
{
    struct study_grid_cell cells[SAMPLE_CELLS];
    struct grid_question question = sample_question(kind);
    question.details = details;
    sample_cells(cells);
    grid_table_append(text, &question, &sample_dataset, cells);
}

static void false_positives(struct text *text)
{
    grid(text, GRID_FALSE_POSITIVES, true);
}

static void samples(struct text *text)
{
    grid(text, GRID_SAMPLES, false);
}

static void detectable(struct text *text)
{
    grid(text, GRID_DETECTABLE, true);
}

static void variability(struct text *text)
{
    const struct study_variability_plan plan = {.confidence = 0.95};
    variability_table_append(text, &sample_dataset, sample_rows, &plan, true);
}

static void planning(struct text *text)
{
    const struct study_planning asked = {.effect = 0.1,
                                         .sampling = STUDY_SAMPLING_TRIALS,
                                         .test = STUDY_TEST_INTERVALS,
                                         .found_least = 0.95,
                                         .false_most = 0.05};
    struct planning_row rows[] = {
        {true, false, {true, 2, 3, 5, 30, 0.97, 0.9475, 0.0525}},
        {true, false, {.found = false}},
        {true, true, {.found = false}}};
    const struct planning_answer answer = {&sample_dataset, &asked, rows};
    planning_table_append(text, &answer);
}

/* ---- Stop rules, predictions ---- */

static void stopping(struct text *text)
{
    stop_table_append(text, &sample_answer);
}

static void resampling(struct text *text)
{
    const struct study_resampling_row rows[] = {
        {8,
         0.5,
         {{0.1, 0, 0.2, -0.02, 0.03, 100, 90, 40},
          {0.4, 0.3, 0.5, -0.1, 0.1, 100, 3, 3}}},
        {.points = 0}};
    resampling_table_append(text, &sample_answer, rows);
}

static void prediction(struct text *text)
{
    struct study_prediction_cell cells[2 * STUDY_TRAININGS] = {0};
    cells[STUDY_TRAINING_POINTS] =
        (struct study_prediction_cell){40, 0.2, 0.05, -0.1, 0.3, 3};
    cells[STUDY_TRAINING_TRUTH] =
        (struct study_prediction_cell){1, 0.05, UNKNOWN, -0.05, -0.05, UNKNOWN};
    cells[STUDY_TRAININGS + STUDY_TRAINING_POINTS] =
        (struct study_prediction_cell){40, 0.4, 0.1, -0.2, 0.5, 3};
    cells[STUDY_TRAININGS + STUDY_TRAINING_TRUTH] =
        (struct study_prediction_cell){1, 0.3, UNKNOWN, 0.3, 0.3, UNKNOWN};
    const struct prediction_table table = {&sample_prediction, sample_machines, 2,
                                           cells};
    prediction_table_append(text, &table);
}

/* ---- Simulations ---- */

static void coverage(struct text *text)
{
    const struct study_coverage_plan plan = {
        .confidence = 0.99, .samples = 400, .replicates = 50, .model = STUDY_MODELS};
    struct study_coverage_cell cells[3] = {{.method = (enum model_interval_method)0,
                                            .size = 5,
                                            .samples = 400,
                                            .covered = 49},
                                           {.method = (enum model_interval_method)1,
                                            .size = 5,
                                            .samples = 400,
                                            .covered = 300,
                                            .unbounded = 100},
                                           {.method = (enum model_interval_method)2,
                                            .size = 5,
                                            .samples = 400,
                                            .unbounded = 400}};
    study_table_append(text, cells, 3, &plan);
}

static void sequential(struct text *text)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS] = {{0}};
    const struct study_sequential_plan plan = {.confidence = 0.99,
                                               .effect = 0.05,
                                               .noise = 0.02,
                                               .iterations = 5,
                                               .blocks = 50,
                                               .samples = 400,
                                               .model = STUDY_MODEL_NORMAL};
    cells[STUDY_MODEL_NORMAL] = (struct study_sequential_cell){.samples = 400,
                                                               .wrong = 2,
                                                               .right = 300,
                                                               .missed = 3,
                                                               .wrong_low = 0.001,
                                                               .wrong_high = 0.02,
                                                               .missed_low = 0.002,
                                                               .missed_high = 0.03,
                                                               .runs_median = 12,
                                                               .runs_p90 = UNKNOWN};
    sequential_table_append(text, cells, &plan);
}

/* ---- Widths ---- */

static void gains(struct text *text)
{
    widths_table_gains(text, &widths, true);
}

static void triples(struct text *text)
{
    widths_table_triples(text, &widths);
}

static void shuffled(struct text *text)
{
    study_shuffle_table(text, &widths);
}

static const char *ratio_names[] = {"integer"};
static struct study_ratio_cell ratio_cells[STUDY_RATIO_CONDITIONS * STUDY_RATIO_FILLS] =
    {{.accuracy = {
          .ratio = 1.9, .low = 1.8, .high = 2, .runs = 10, .iterations = 2.5}}};
static const struct study_ratio ratio = {ratio_names, 1, ratio_cells, 0.95};

static void ratios(struct text *text)
{
    study_ratio_table(text, &ratio);
    study_ratio_together(text, &widths);
}

/* ---- All of them ---- */

static const struct {
    const char *name; /* of the file in golden/ */
    void (*append)(struct text *text);
} tables[] = {{"false_positives.txt", false_positives},
              {"samples.txt", samples},
              {"detectable.txt", detectable},
              {"variability.txt", variability},
              {"planning.txt", planning},
              {"stopping.txt", stopping},
              {"resampling.txt", resampling},
              {"prediction.txt", prediction},
              {"coverage.txt", coverage},
              {"sequential.txt", sequential},
              {"gains.txt", gains},
              {"triples.txt", triples},
              {"shuffled.txt", shuffled},
              {"ratios.txt", ratios}};
enum { TABLES = sizeof tables / sizeof tables[0] };

static void tables_say_what_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLES; i++) {
        struct text text = {0};
        tables[i].append(&text);
        assert_golden_in(&text, TEST_SOURCE_DIR "/unit/figures/golden", tables[i].name);
    }
}

static void any_failed_allocation_is_the_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLES; i++) {
        struct text text = {0};
        alloc_fail_at(0);
        tables[i].append(&text);
        unsigned long allocations = alloc_fail_seen();
        text_release(&text);
        for (unsigned long n = 1; n <= allocations; n++) {
            alloc_fail_at(n);
            tables[i].append(&text);
            alloc_fail_at(0);
            if (!text_failed(&text)) {
                fail_msg("%s: allocation %lu of %lu failed unnoticed", tables[i].name,
                         n, allocations);
            }
            text_release(&text);
        }
    }
}

/* ---- What is exported ---- */

static void widths_csv(struct text *text)
{
    struct study_width rows[] = {widths_rows[0], widths_rows[2]};
    const struct widths of_days = {.rows = rows, .count = 2};
    (void)snprintf(rows[0].workload, sizeof rows[0].workload, "one, \"two\"");
    rows[0].first_utc_ms = INT64_C(1764201600000);
    rows[0].last_utc_ms = INT64_C(1764288000000);
    widths_append_csv(text, &of_days);
}

static void ratios_csv(struct text *text)
{
    study_ratio_csv(text, &ratio, &widths);
}

/* Also when an allocation fails; or the text has failed. */
static void assert_exports(void (*append)(struct text *text), const char *expected)
{
    struct text text = {0};
    alloc_fail_at(0);
    append(&text);
    unsigned long allocations = alloc_fail_seen();
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        append(&text);
        alloc_fail_at(0);
        if (!text_failed(&text)) {
            assert_string_equal(text_string(&text), expected);
        }
        text_release(&text);
    }
}

static void what_is_unknown_is_exported_as_nothing(void **state)
{
    (void)state;
    assert_exports(widths_csv,
                   "group,platform,suite,workload,duet,shuffled,standard,duet_trimmed,"
                   "standard_trimmed,timeslice,together_ratio,runs,iterations,"
                   "together_low,together_high,first_day,last_day\r\n"
                   "cloud,a,spec,\"one, \"\"two\"\"\",1,9,10,2,8,4,1.25,10,5,"
                   "1.1000000000000001,1.3999999999999999,2025-11-27,2025-11-28\r\n"
                   "cloud,b,spec,one,,0.050000000000000003,0.040000000000000001,"
                   ",,,,,,,,,\r\n");
    assert_exports(
        ratios_csv,
        "quantity,workload,load,fill,ratio,low,high,runs,iterations\r\n"
        "ratio,integer,quiet,no,1.8999999999999999,1.8,2,10,2.5\r\n"
        "together,one,quiet,,1.25,1.1000000000000001,1.3999999999999999,10,5\r\n"
        "together,two,quiet,,,,,,\r\n"
        "together,one,quiet,,,,,,\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_say_what_is_known),
        cmocka_unit_test(any_failed_allocation_is_the_tables),
        cmocka_unit_test(what_is_unknown_is_exported_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
