#include "figures/grid_table.h"

#include "base/alloc.h"
#include "figures/dataset_names.h"
#include "report/columns.h"

#include <stdlib.h>

enum { COLUMNS = 8, SAMPLING_COLUMNS = 7, WIDE_COLUMNS = 11, WIDE_COLUMNS_MAX = 22 };
static const int columns[] = {-SAMPLING_COLUMNS, COLUMNS, COLUMNS, COLUMNS, COLUMNS,
                              COLUMNS,           COLUMNS, COLUMNS, COLUMNS, COLUMNS};

/* What a table is about. */
struct view {
    struct text *text;
    const struct grid_question *question;
    const struct study_grid_plan *plan;
    const struct model_dataset *dataset;
    struct study_grid grid;
    double *room; /* a number for every configuration */
};

static const char *const long_names[STUDY_TESTS] = {
    [STUDY_TEST_RANKSUM] = "Wilcoxon rank-sum with Cliff's delta (wrs)",
    [STUDY_TEST_INTERVALS] = "Overlap of bootstrap intervals of the mean (ci)",
    [STUDY_TEST_RATIO] = "Bootstrap interval of the pairs' ratio (ratio)",
};

/* Whether some cell of the sampling answers the test. */
static bool is_answered(const struct view *view, enum study_sampling sampling,
                        enum study_test test)
{
    for (size_t c = 0; c < view->dataset->configuration_count; c++) {
        if (study_grid_has_sampling(view->plan, study_grid_at(&view->grid, c, 0),
                                    sampling, test)) {
            return true;
        }
    }
    return false;
}

static bool is_tested(const struct view *view, enum study_test test)
{
    bool tested = false;
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        tested = tested || is_answered(view, (enum study_sampling)s, test);
    }
    return tested;
}

static void append_cell_name(const struct view *view, const struct study_cell *cell)
{
    columns_append(view->text, columns, "%s\t%zu\t%zu",
                   study_sampling_name(cell->sampling), cell->instances, cell->trials);
}

static void append_cell_header(const struct view *view)
{
    columns_append(view->text, columns, "\tinst.\ttrials");
}

static void append_powerless(const struct view *view, size_t count)
{
    if (count > 0) {
        text_append_format(view->text, "  (%zu: too few values to look changed)",
                           count);
    }
    text_append_char(view->text, '\n');
}

/* A row a cell: how the false positives of the configurations are spread (the paper's
 * figure 7 in numbers). */
static void append_spread(const struct view *view, enum study_test test)
{
    text_append_format(view->text, "%s\n", long_names[test]);
    append_cell_header(view);
    columns_append(view->text, columns + 3,
                   "of\t<=%.4g%%\t<=10%%\t<=20%%\tmedian\tmean\tmax\n",
                   100.0 * view->plan->false_most);
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        const struct study_grid_spread spread =
            study_grid_spread_of(&view->grid, i, test, view->room);
        if (spread.count > 0) {
            append_cell_name(view, &view->plan->cells[i]);
            columns_append(
                view->text, columns + 3, "%zu\t%zu\t%zu\t%zu\t%.1f\t%.1f\t%.1f",
                spread.count, spread.within_most, spread.within_10, spread.within_20,
                100.0 * spread.median, 100.0 * spread.mean, 100.0 * spread.most);
            append_powerless(view, study_grid_count_powerless(&view->grid, i, test));
        }
    }
    text_append_char(view->text, '\n');
}

/* ---- Tables with a column for each environment ---- */

/* Columns of an environment. */
static size_t wide_columns(const struct view *view)
{
    return 1 + dataset_environment_width(view->dataset, WIDE_COLUMNS - 1,
                                         WIDE_COLUMNS_MAX - 1);
}

/* slowdown: its index; behind all of them "inf". */
static void append_slowdown(const struct view *view, int width, size_t slowdown,
                            const char *unit)
{
    const struct study_detector *detector = &view->plan->detector;
    if (slowdown < detector->slowdown_count) {
        columns_append_cell(view->text, width, "%.4g%s",
                            100.0 * detector->slowdowns[slowdown], unit);
    } else {
        columns_append_cell(view->text, width, "inf");
    }
}

/* cell: NULL for an environment without the benchmark. */
static void append_entry(const struct view *view, const struct study_grid_cell *cell,
                         enum study_test test)
{
    const struct study_grid_plan *plan = view->plan;
    int width = (int)wide_columns(view);
    if (cell == NULL || !study_grid_answers(cell, test)) {
        columns_append_cell(view->text, width, "-");
    } else if (view->question->kind != GRID_DETECTABLE) {
        columns_append_cell(view->text, width, "%.4g",
                            100.0 * study_grid_false_share(plan, cell, test));
    } else {
        size_t found =
            study_grid_detectable(plan, cell, test, view->question->found_least);
        append_slowdown(view, width, found, "");
    }
}

static void append_row(const struct view *view, size_t benchmark, size_t cell,
                       enum study_test test)
{
    append_cell_name(view, &view->plan->cells[cell]);
    for (size_t e = 0; e < view->dataset->environment_count; e++) {
        size_t c = model_dataset_find(view->dataset, benchmark, e);
        append_entry(view,
                     c < view->dataset->configuration_count
                         ? study_grid_at(&view->grid, c, cell)
                         : NULL,
                     test);
    }
    text_append_char(view->text, '\n');
}

static void append_details(const struct view *view, enum study_test test)
{
    for (size_t b = 0; b < view->dataset->benchmark_count; b++) {
        dataset_name_append_whole(view->text, view->dataset->benchmarks[b], 0);
        text_append_format(view->text, ", %s in %%\n", study_test_name(test));
        append_cell_header(view);
        for (size_t e = 0; e < view->dataset->environment_count; e++) {
            text_append_char(view->text, ' ');
            dataset_name_append_right(view->text, view->dataset->environments[e],
                                      wide_columns(view) - 1);
        }
        text_append_char(view->text, '\n');
        for (size_t i = 0; i < view->plan->cell_count; i++) {
            if (is_answered(view, view->plan->cells[i].sampling, test)) {
                append_row(view, b, i, test);
            }
        }
        text_append_char(view->text, '\n');
    }
}

/* ---- Samples ---- */

static void append_fewest(const struct view *view, enum study_sampling sampling,
                          enum study_test test)
{
    static const int wide[] = {-(SAMPLING_COLUMNS + 2 * COLUMNS), WIDE_COLUMNS};
    size_t powerless = 0;
    text_append_format(view->text, "%s, %s\n", long_names[test],
                       study_sampling_name(sampling));
    append_cell_header(view);
    columns_append(view->text, wide + 1, "benchmarks\n");
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        size_t count =
            view->plan->cells[i].sampling == sampling
                ? study_grid_count_fewest(&view->grid, sampling, test, i, &powerless)
                : 0;
        if (count > 0) {
            append_cell_name(view, &view->plan->cells[i]);
            columns_append_cell(view->text, WIDE_COLUMNS, "%zu", count);
            append_powerless(view, powerless);
        }
    }
    columns_append(view->text, wide, "not within these sizes\t%zu\n",
                   study_grid_count_fewest(&view->grid, sampling, test,
                                           view->plan->cell_count, &powerless));
    text_append_char(view->text, '\n');
}

/* ---- Detectable slowdowns ---- */

static size_t count_detectable(const struct view *view, size_t cell,
                               enum study_test test, size_t slowdown)
{
    return study_grid_count_detectable(&view->grid, cell, test,
                                       view->question->found_least, slowdown);
}

/* A row a cell: of how many configurations a slowdown is the smallest to be found (the
 * paper's figures 9 and 10). */
static void append_histogram(const struct view *view, enum study_test test)
{
    const struct study_detector *detector = &view->plan->detector;
    text_append_format(view->text, "%s\n", long_names[test]);
    append_cell_header(view);
    for (size_t s = 1; s <= detector->slowdown_count; s++) {
        append_slowdown(view, COLUMNS - 1, s, "%");
    }
    text_append_char(view->text, '\n');
    for (size_t i = 0; i < view->plan->cell_count; i++) {
        size_t of = 0;
        for (size_t s = 1; s <= detector->slowdown_count; s++) {
            of += count_detectable(view, i, test, s);
        }
        if (of == 0) {
            continue;
        }
        append_cell_name(view, &view->plan->cells[i]);
        for (size_t s = 1; s <= detector->slowdown_count; s++) {
            columns_append_cell(view->text, COLUMNS - 1, "%zu",
                                count_detectable(view, i, test, s));
        }
        text_append_char(view->text, '\n');
    }
    text_append_char(view->text, '\n');
}

static void append_heading(const struct view *view)
{
    static const char *const headings[] = {
        [GRID_FALSE_POSITIVES] =
            "False positives in % of the draws, and the number of benchmarks and "
            "environments with few\n",
        [GRID_SAMPLES] =
            "Fewest instances and trials with few false positives, and the number "
            "of benchmarks and environments for which they suffice\n",
        [GRID_DETECTABLE] =
            "Smallest slowdown that is found reliably, and the number of benchmarks "
            "and environments for which it is\n"};
    text_append(view->text, headings[view->question->kind]);
    text_append_format(
        view->text,
        "(%zu draws a cell, %zu replicates, confidence %.6g %%, |delta| >= %.4g, p values times %zu; "
        "at most %.4g %% false positives",
        view->plan->draws, view->plan->detector.replicates,
        100.0 * view->plan->detector.confidence, view->plan->detector.delta_least,
        view->plan->detector.corrected, 100.0 * view->plan->false_most);
    if (view->question->kind == GRID_DETECTABLE) {
        text_append_format(view->text, ", found in %.4g %% of the draws",
                           100.0 * view->question->found_least);
    }
    text_append(view->text, ")\n\n");
}

static void append_test(const struct view *view, enum study_test test)
{
    switch (view->question->kind) {
    case GRID_FALSE_POSITIVES:
        append_spread(view, test);
        break;
    case GRID_SAMPLES:
        for (int s = 0; s < STUDY_SAMPLINGS; s++) {
            if (is_answered(view, (enum study_sampling)s, test)) {
                append_fewest(view, (enum study_sampling)s, test);
            }
        }
        break;
    case GRID_DETECTABLE:
        append_histogram(view, test);
        break;
    }
    if (view->question->details) {
        append_details(view, test);
    }
}

void grid_table_append(struct text *text, const struct grid_question *question,
                       const struct model_dataset *dataset,
                       const struct study_grid_cell *cells)
{
    const struct view view = {
        .text = text,
        .question = question,
        .plan = &question->plan,
        .dataset = dataset,
        .grid = {&question->plan, dataset, cells},
        .room = alloc_array(dataset->configuration_count, sizeof *view.room)};
    bool any = false;
    append_heading(&view);
    for (int test = 0; test < STUDY_TESTS && view.room != NULL; test++) {
        if (is_tested(&view, (enum study_test)test)) {
            append_test(&view, (enum study_test)test);
            any = true;
        }
    }
    if (view.room == NULL) {
        text->failed = true;
    } else if (!any) {
        text_append(
            text,
            "The data has no instances and trials for any of these groups: ibs needs two instances, tbs\n"
            "two trials on an instance, pairs --map old=NAME,new=NAME.\n");
    }
    free(view.room);
}
