/* How the answers of the configurations are spread: densities and histograms. */
#include "figures/grid_picture.h"

#include <math.h>

enum { DENSITY_POINTS = 201, PERCENT = 100 };

/* ---- Densities of false positives ---- */

/* How an environment's false positives are spread; false: nothing is known of it. */
static bool make_box(const struct grid_drawing *drawing, size_t environment,
                     size_t cell, enum study_test test, struct plot_box *ret_box)
{
    const struct study_grid *grid = &drawing->grid;
    double *shares = sketch_take(drawing->sketch, grid->dataset->configuration_count,
                                 sizeof *shares);
    double *at = sketch_take(drawing->sketch, DENSITY_POINTS, sizeof *at);
    double *density = sketch_take(drawing->sketch, DENSITY_POINTS, sizeof *density);
    struct stats_spread spread;
    if (shares == NULL || at == NULL || density == NULL ||
        !study_grid_density(grid, environment, cell, test, shares, DENSITY_POINTS,
                            &spread, at, density)) {
        return false;
    }
    *ret_box = (struct plot_box){.place = (double)environment,
                                 .low = spread.low,
                                 .quarter_low = spread.quarter_low,
                                 .median = spread.median,
                                 .quarter_high = spread.quarter_high,
                                 .high = spread.high,
                                 .at = at,
                                 .density = density,
                                 .count = DENSITY_POINTS};
    return true;
}

/* A violin's tails end where nothing of them is to be seen. */
static void trim_tails(struct plot_box *box)
{
    static const double seen = 0.003;
    double peak = 0;
    for (size_t i = 0; i < box->count; i++) {
        peak = fmax(peak, box->density[i]);
    }
    while (box->count > 1 && box->density[box->count - 1] < seen * peak) {
        box->count--;
    }
    while (box->count > 1 && box->density[0] < seen * peak) {
        box->at++;
        box->density++;
        box->count--;
    }
}

/* Few benchmarks: a row of points an environment. Returns how many environments have
 * points; 0 also where one has PLOT_DENSITY_LEAST of them or more. */
static size_t make_points(const struct grid_drawing *drawing, size_t cell,
                          enum study_test test, struct plot_panel *panel)
{
    const struct model_dataset *dataset = drawing->grid.dataset;
    size_t environments = dataset->environment_count;
    struct plot_series *series =
        sketch_take(drawing->sketch, environments, sizeof *series);
    size_t made = 0;
    for (size_t e = 0; e < environments && series != NULL; e++) {
        double *shares =
            sketch_take(drawing->sketch, dataset->configuration_count, sizeof *shares);
        double *rows =
            sketch_take(drawing->sketch, dataset->configuration_count, sizeof *rows);
        if (shares == NULL || rows == NULL) {
            return 0;
        }
        size_t count = study_grid_shares(&drawing->grid, e, cell, test, shares);
        if (count >= PLOT_DENSITY_LEAST) {
            return 0;
        }
        for (size_t i = 0; i < count; i++) {
            shares[i] *= PERCENT;
            rows[i] = (double)e;
        }
        series[made] = (struct plot_series){
            .kind = PLOT_POINTS, .color = e, .count = count, .x = shares, .y = rows};
        made += count > 0;
    }
    panel->series = series;
    panel->series_count = made;
    panel->y =
        (struct plot_axis){.categories = (const char *const *)dataset->environments,
                           .category_count = environments};
    return made;
}

/* A curve an environment, as long as each has a colour of its own; else a violin each.
 */
static size_t make_spreads(const struct grid_drawing *drawing, size_t cell,
                           enum study_test test, struct plot_panel *panel)
{
    const struct model_dataset *dataset = drawing->grid.dataset;
    size_t environments = dataset->environment_count;
    struct plot_box *boxes = sketch_take(drawing->sketch, environments, sizeof *boxes);
    struct plot_series *series =
        sketch_take(drawing->sketch, environments, sizeof *series);
    size_t count = 0;
    for (size_t e = 0; e < environments && boxes != NULL && series != NULL; e++) {
        if (make_box(drawing, e, cell, test, &boxes[count])) {
            series[count] = (struct plot_series){.name = dataset->environments[e],
                                                 .kind = PLOT_LINE,
                                                 .color = e,
                                                 .count = DENSITY_POINTS,
                                                 .x = boxes[count].at,
                                                 .y = boxes[count].density};
            count++;
        }
    }
    panel->series = series;
    panel->series_count = count;
    if (environments > PLOT_COLORS && count > 0) {
        for (size_t i = 0; i < count; i++) {
            trim_tails(&boxes[i]);
        }
        series[0] =
            (struct plot_series){.kind = PLOT_VIOLINS, .count = count, .boxes = boxes};
        panel->series_count = 1;
        panel->y =
            (struct plot_axis){.categories = (const char *const *)dataset->environments,
                               .category_count = environments};
    }
    return count;
}

static void add_density(const struct grid_drawing *drawing, size_t cell,
                        enum study_test test)
{
    const struct study_cell *of = &drawing->grid.plan->cells[cell];
    struct plot_reference *most = sketch_take(drawing->sketch, 1, sizeof *most);
    struct plot_panel panel = {.title = NULL};
    bool made = make_points(drawing, cell, test, &panel) > 0;
    if (!made) {
        panel.y = (struct plot_axis){.label = "density of the benchmarks"};
        made = make_spreads(drawing, cell, test, &panel) > 0;
    }
    if (made && most != NULL) {
        *most = (struct plot_reference){
            .upright = true, .value = PERCENT * drawing->grid.plan->false_most};
        panel.title =
            sketch_name(drawing->sketch, "%s, %s, %zu x %zu (instances x trials)",
                        study_test_name(test), study_sampling_name(of->sampling),
                        of->instances, of->trials);
        panel.x = (struct plot_axis){
            .label = "false positives", .unit = "%", .low = 0, .high = PERCENT};
        panel.references = most;
        panel.reference_count = 1;
        sketch_panel(drawing->sketch, &panel);
    }
}

static bool is_shown_by_paper(const struct study_cell *cell)
{
    static const struct study_cell shown[] = {{STUDY_SAMPLING_INSTANCES, 1, 1},
                                              {STUDY_SAMPLING_INSTANCES, 10, 1},
                                              {STUDY_SAMPLING_TRIALS, 2, 5},
                                              {STUDY_SAMPLING_TRIALS, 5, 2},
                                              {STUDY_SAMPLING_TRIALS, 5, 5}};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        if (shown[i].sampling == cell->sampling &&
            shown[i].instances == cell->instances && shown[i].trials == cell->trials) {
            return true;
        }
    }
    return false;
}

static bool is_answered(const struct grid_drawing *drawing, size_t cell)
{
    bool answered = false;
    for (int test = 0; test < STUDY_TESTS; test++) {
        answered = answered ||
                   study_grid_any_answers(&drawing->grid, cell, (enum study_test)test);
    }
    return answered;
}

/* One of the paper's, or the first or last of a sampling without one. */
static bool is_shown(const struct grid_drawing *drawing, size_t cell)
{
    const struct study_grid_plan *plan = drawing->grid.plan;
    bool first = true;
    bool last = true;
    bool paper = false;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].sampling == plan->cells[cell].sampling &&
            is_answered(drawing, i)) {
            first = first && i >= cell;
            last = last && i <= cell;
            paper = paper || is_shown_by_paper(&plan->cells[i]);
        }
    }
    return paper ? is_shown_by_paper(&plan->cells[cell]) : first || last;
}

void grid_picture_add_densities(const struct grid_drawing *drawing)
{
    for (size_t i = 0; i < drawing->grid.plan->cell_count; i++) {
        for (int test = 0; test < STUDY_TESTS; test++) {
            if (is_shown(drawing, i)) {
                add_density(drawing, i, (enum study_test)test);
            }
        }
    }
}

/* ---- Histograms of detectable slowdowns ---- */

/* "0.1 %" ... "none", by index of the slowdown less 1. */
static const char **slowdown_names(const struct grid_drawing *drawing)
{
    const struct study_detector *detector = &drawing->grid.plan->detector;
    const char **names =
        sketch_take(drawing->sketch, detector->slowdown_count, sizeof *names);
    for (size_t s = 1; s <= detector->slowdown_count && names != NULL; s++) {
        names[s - 1] =
            s < detector->slowdown_count
                ? sketch_name(drawing->sketch, "%.4g", PERCENT * detector->slowdowns[s])
                : "none";
    }
    return names;
}

/* Whether all groups of a sampling have as many trials. */
static bool has_one_size(const struct study_grid_plan *plan,
                         enum study_sampling sampling, size_t *ret_trials)
{
    *ret_trials = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].sampling == sampling) {
            if (*ret_trials != 0 && *ret_trials != plan->cells[i].trials) {
                return false;
            }
            *ret_trials = plan->cells[i].trials;
        }
    }
    return true;
}

/* What a cell is called in the legend; where all have as many trials the title says so.
 */
static const char *name_of(const struct grid_drawing *drawing, size_t cell)
{
    const struct study_cell *of = &drawing->grid.plan->cells[cell];
    size_t trials = 0;
    return has_one_size(drawing->grid.plan, of->sampling, &trials)
               ? sketch_name(drawing->sketch, "%zu inst.", of->instances)
               : sketch_name(drawing->sketch, "%zu x %zu", of->instances, of->trials);
}

/* Bars of one cell; false: it has no answer. */
static bool make_bars(const struct grid_drawing *drawing, size_t cell,
                      enum study_test test, struct plot_series *ret_series)
{
    const struct study_grid_plan *plan = drawing->grid.plan;
    size_t slowdowns = plan->detector.slowdown_count;
    double *counts = sketch_take(drawing->sketch, slowdowns, sizeof *counts);
    for (size_t s = 1; s <= slowdowns && counts != NULL; s++) {
        counts[s - 1] = (double)study_grid_count_detectable(
            &drawing->grid, cell, test, drawing->question->found_least, s);
    }
    *ret_series = (struct plot_series){.name = name_of(drawing, cell),
                                       .kind = PLOT_BARS,
                                       .count = slowdowns,
                                       .y = counts};
    return counts != NULL && study_grid_any_answers(&drawing->grid, cell, test);
}

static void add_histogram(const struct grid_drawing *drawing,
                          enum study_sampling sampling, enum study_test test)
{
    const struct study_grid_plan *plan = drawing->grid.plan;
    const char **names = slowdown_names(drawing);
    struct plot_series *series =
        sketch_take(drawing->sketch, plan->cell_count, sizeof *series);
    size_t count = 0;
    size_t trials = 0;
    bool one_size = has_one_size(plan, sampling, &trials);
    for (size_t i = 0; i < plan->cell_count && series != NULL; i++) {
        if (plan->cells[i].sampling == sampling &&
            make_bars(drawing, i, test, &series[count])) {
            series[count].color = count;
            count++;
        }
    }
    if (count > 0 && names != NULL) {
        const char *title =
            one_size
                ? sketch_name(drawing->sketch, "%s, %s, trials: %zu",
                              study_test_name(test), study_sampling_name(sampling),
                              trials)
                : sketch_name(drawing->sketch, "%s, %s (instances x trials)",
                              study_test_name(test), study_sampling_name(sampling));
        const struct plot_panel panel = {
            .title = title,
            .x = {.label = "smallest slowdown found, %",
                  .categories = names,
                  .category_count = plan->detector.slowdown_count},
            .y = {.label = "benchmarks and environments"},
            .series = series,
            .series_count = count};
        sketch_panel(drawing->sketch, &panel);
    }
}

void grid_picture_add_histograms(const struct grid_drawing *drawing)
{
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        for (int test = 0; test < STUDY_TESTS; test++) {
            add_histogram(drawing, (enum study_sampling)s, (enum study_test)test);
        }
    }
}
