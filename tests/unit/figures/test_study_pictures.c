// labels: soakvalgrind
/* Pictures of studies: each is written whole, or the caller hears that it is not. */
#include "unit/figures/figures_sample.h"

#include "figures/grid_picture.h"
#include "figures/resampling_table.h"
#include "figures/stop_picture.h"
#include "figures/study_pictures.h"
#include "figures/variability_picture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER TEST_BINARY_DIR "/figures_svg"

static struct study_width widths_rows[] = {{"cloud",
                                            "a",
                                            "spec",
                                            "one",
                                            {1, 9, 10, 2, 8, 4},
                                            1.25,
                                            10,
                                            5,
                                            1.1,
                                            1.4,
                                            1795400000000,
                                            1795500000000},
                                           {"cloud",
                                            "a",
                                            "spec",
                                            "two",
                                            {2, 50, 80, 3, 9, 5},
                                            1.5,
                                            10,
                                            5,
                                            1.1,
                                            1.4,
                                            1795400000000,
                                            1795500000000},
                                           {"cloud",
                                            "b",
                                            "spec",
                                            "one",
                                            {3, 5, 4, 1, 2, 3},
                                            UNKNOWN,
                                            10,
                                            5,
                                            UNKNOWN,
                                            UNKNOWN,
                                            1795400000000,
                                            1795500000000}};
static const struct widths widths = {
    .rows = widths_rows, .count = 3, .confidence = 0.95};

static enum duet_code grid(enum grid_kind kind, const char *path,
                           struct duet_error *reterr)
{
    struct study_grid_cell cells[SAMPLE_CELLS];
    const struct grid_question question = sample_question(kind);
    sample_cells(cells);
    return grid_picture_write(path, &question, &sample_dataset, cells, reterr);
}

static enum duet_code false_positives(struct duet_error *reterr)
{
    return grid(GRID_FALSE_POSITIVES, FOLDER "/false_positives.svg", reterr);
}

static enum duet_code samples(struct duet_error *reterr)
{
    return grid(GRID_SAMPLES, FOLDER "/samples.svg", reterr);
}

static enum duet_code detectable(struct duet_error *reterr)
{
    return grid(GRID_DETECTABLE, FOLDER "/detectable.svg", reterr);
}

static enum duet_code variability(struct duet_error *reterr)
{
    return variability_picture_write(FOLDER "/variability.svg", &sample_dataset,
                                     sample_rows, reterr);
}

static enum duet_code planning(struct duet_error *reterr)
{
    const struct study_planning asked = {.effect = 0.1, .found_least = 0.95};
    struct planning_row rows[] = {{true, false, {true, 2, 3, 5, 30, 0.97, 0.96, 0.1}},
                                  {true, false, {.found = false}},
                                  {true, true, {.found = false}}};
    const struct planning_answer answer = {&sample_dataset, &asked, rows};
    return planning_picture_write(FOLDER "/planning.svg", &answer, reterr);
}

static enum duet_code stopping(struct duet_error *reterr)
{
    return stop_pictures_write(FOLDER, &sample_answer, reterr);
}

static enum duet_code stopping_without_metior(struct duet_error *reterr)
{
    struct study_stopping_plan plan = sample_stopping;
    struct stopping_answer answer = sample_answer;
    struct study_stopping_cell cells[2 * ANALYSIS_STOP_RULES];
    memcpy(cells, sample_stops, sizeof cells);
    cells[ANALYSIS_STOP_METIOR] = cells[ANALYSIS_STOP_RULES + ANALYSIS_STOP_METIOR] =
        (struct study_stopping_cell){0};
    plan.rules[ANALYSIS_STOP_METIOR] = false;
    answer.plan = &plan;
    answer.cells = cells;
    return stop_pictures_write(FOLDER "/without", &answer, reterr);
}

static const char *no_name(void *context, size_t workload)
{
    (void)context;
    (void)workload;
    return "w";
}

static enum duet_code no_times(void *context, size_t workload,
                               struct model_values ret_values[2],
                               struct duet_error *reterr)
{
    (void)context;
    (void)workload;
    (void)ret_values;
    (void)reterr;
    return DUET_OK;
}

static enum duet_code many_samples(struct duet_error *reterr)
{
    enum { MANY = 30 };
    static struct study_width rows[MANY];
    const struct widths many = {.rows = rows, .count = MANY};
    const struct study_samples samples = {MANY, no_name, no_times, NULL};
    for (size_t i = 0; i < MANY; i++) {
        rows[i] = widths_rows[0];
        (void)snprintf(rows[i].workload, sizeof rows[i].workload, "%zu", i);
    }
    return study_pictures_samples(FOLDER, &samples, &many, 0, reterr);
}

static enum duet_code trials_in_any_order(struct duet_error *reterr)
{
    struct study_grid_cell cells[SAMPLE_CELLS];
    static struct grid_question question;
    question = sample_question(GRID_DETECTABLE);
    question.plan.cells[0].trials = 3; /* the other has 2 */
    sample_cells(cells);
    cells[0] = sample_cell(0, 20, 20);
    cells[2] = sample_cell(0, 20, 20);
    cells[4] = sample_cell(0, 20, 20);
    return grid_picture_write(FOLDER "/trials.svg", &question, &sample_dataset, cells,
                              reterr);
}

static enum duet_code resampling(struct duet_error *reterr)
{
    enum { REPLICATES = 100 };
    static double numbers[REPLICATES];
    double shares[2][REPLICATES];
    struct study_resampling_trace traces[2];
    const struct study_resampling_row rows[] = {
        {8,
         0.5,
         {{0.1, 0, 0.2, -0.2, 0.3, 100, 90, 40},
          {0.4, 0.3, 0.5, -0.1, 0.1, 100, 3, 3}}},
        {8,
         0.2,
         {{0.1, 0, 0.2, -0.2, 0.3, 100, 90, 40},
          {0.4, 0.3, 0.5, -0.1, 0.1, 100, 3, 3}}}};
    for (size_t i = 0; i < REPLICATES; i++) {
        numbers[i] = shares[0][i] = shares[1][i] = 0.01 * (double)i - 0.5;
    }
    for (size_t s = 0; s < 2; s++) {
        for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
            traces[s].sample[b] = numbers;
            traces[s].acfs[b] = numbers;
            traces[s].shares[b] = shares[b];
        }
    }
    return resampling_pictures_write(FOLDER, &sample_answer, rows, traces, reterr);
}

static enum duet_code prediction(struct duet_error *reterr)
{
    struct study_prediction_cell cells[2 * STUDY_TRAININGS] = {0};
    for (size_t i = 0; i < 2; i++) {
        cells[i * STUDY_TRAININGS + STUDY_TRAINING_POINTS] =
            (struct study_prediction_cell){40, 0.2, 0.05, -0.1, 0.3, 3};
    }
    const struct prediction_table table = {&sample_prediction, sample_machines, 2,
                                           cells};
    return prediction_picture_write(FOLDER, &table, reterr);
}

static enum duet_code accuracy(struct duet_error *reterr)
{
    return study_pictures_widths(FOLDER, &widths, reterr);
}

static enum duet_code sharing(struct duet_error *reterr)
{
    struct widths mixed = widths;
    mixed.confidence = 0.0;
    return study_pictures_sharing(FOLDER, &mixed, reterr);
}

static enum duet_code ratio(struct duet_error *reterr)
{
    const char *names[] = {"integer", "float"};
    struct study_ratio_cell cells[2 * STUDY_RATIO_CONDITIONS * STUDY_RATIO_FILLS] = {
        {.spread = {1, 1.5, 2, 2.1, 2.2, 5}}};
    const struct study_ratio measured = {names, 2, cells, 0.99};
    struct study_width row = {.first_utc_ms = 1764000000000,
                              .last_utc_ms = 1764000000000};
    const struct widths days = {.rows = &row, .count = 1};
    return study_pictures_ratio(FOLDER, &measured, &days, reterr);
}

static const struct {
    const char *name;
    enum duet_code (*write)(struct duet_error *reterr);
    const char *file;  /* one of those that it writes */
    const char *words; /* and what is in it */
} pictures[] = {
    {"false positives", false_positives, "false_positives.svg", "ci, tbs"},
    {"samples", samples, "samples.svg", "need so few samples"},
    {"detectable", detectable, "detectable.svg", "smallest slowdown found, %"},
    {"variability", variability, "variability.svg", "metal: what each source adds"},
    {"planning", planning, "planning.svg", "finds 10 %"},
    {"stopping", stopping, "prices.svg", "B, 5 %"},
    {"without Metior", stopping_without_metior, "without/points.svg",
     ">Points of a test, by series<"},
    {"without Metior", stopping_without_metior, "without/executions.svg",
     ">Executions of a test<"},
    {"many samples", many_samples, "figure-1-times.svg",
     "Distributions of times of the first 24 of 30 workloads"},
    {"trials in any order", trials_in_any_order, "trials.svg", "y=\"62\">3<"},
    {"resampling", resampling, "distributions.svg", "basic bootstrap"},
    {"prediction", prediction, "prediction.svg", "ft, small"},
    {"accuracy", accuracy, "figure-4-shuffled.svg", "b, spec"},
    {"accuracy", accuracy, "figure-4-shuffled.svg", "width of the 95 % interval, rel"},
    {"accuracy", accuracy, "figure-2-widths.svg",
     "workloads: 2, runs: 10, iterations of a run: 5, measured 2026-11-23 to 2026-11-24"},
    {"variability", variability, "variability.svg", "environments: "},
    {"sharing", sharing, "figure-5-sharing.svg", "a, spec"},
    {"sharing", sharing, "figure-5-sharing.svg", "width of the interval, rel"},
    {"ratio", ratio, "figure-6-ratio.svg",
     "workloads: 2, runs of each: 5, measured 2025-11-24"},
    {"ratio", ratio, "figure-6-ratio.svg", "ratio of iteration times (true: 2)"}};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

static void pictures_show_what_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < PICTURES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", FOLDER, pictures[i].file);
        (void)unlink(path);
        assert_int_equal(pictures[i].write(NULL), DUET_OK);
        char *svg = read_whole(path);
        assert_non_null(svg);
        if (strstr(svg, pictures[i].words) == NULL || strstr(svg, "</svg>") == NULL) {
            fail_msg("%s has no '%s'", path, pictures[i].words);
        }
        /* Text of 11 pixels is 7 pixels high where 600 are shown as 400. */
        const char *width = strstr(svg, " width=\"");
        assert_non_null(width);
        assert_true(strtod(width + strlen(" width=\""), NULL) <= 600);
        free(svg);
    }
}

static void any_failed_allocation_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < PICTURES; i++) {
        struct duet_error error = {0};
        alloc_fail_at(0);
        assert_int_equal(pictures[i].write(&error), DUET_OK);
        unsigned long allocations = alloc_fail_seen();
        assert_true(allocations > 0);
        for (unsigned long n = 1; n <= allocations; n++) {
            alloc_fail_at(n);
            enum duet_code code = pictures[i].write(&error);
            alloc_fail_at(0);
            if (code != DUET_E_NOMEM) {
                fail_msg("%s: allocation %lu of %lu failed unnoticed", pictures[i].name,
                         n, allocations);
            }
        }
    }
}

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(FOLDER, 0777);
    return access(FOLDER, W_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_show_what_is_known),
        cmocka_unit_test(any_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
