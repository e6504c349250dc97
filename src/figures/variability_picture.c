#include "figures/variability_picture.h"

#include "report/plot/sketch.h"
#include "study/study_density.h"

#include <math.h>

/* Rows of a panel: more of them can neither be read nor opened. */
enum { LEVELS = 3, BENCHMARKS_MAX = 60 };

struct picture {
    struct sketch sketch;
    const struct model_dataset *dataset;
    const struct study_variability_row *rows;
    size_t *shown; /* benchmarks, in order; of the sketch */
    size_t shown_count;
};

/* ---- All CVs ---- */

static void add_map(struct picture *picture)
{
    const struct model_dataset *dataset = picture->dataset;
    size_t environments = dataset->environment_count;
    size_t count = picture->shown_count * environments;
    double *values = sketch_take(&picture->sketch, count, sizeof *values);
    bool *marked = sketch_take(&picture->sketch, count, sizeof *marked);
    const char **names = sketch_take(&picture->sketch, count, sizeof *names);
    struct plot_grid *grid = sketch_take(&picture->sketch, 1, sizeof *grid);
    if (values == NULL || marked == NULL || names == NULL || grid == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t benchmark = picture->shown[i / environments];
        const struct study_variability_row *row = study_variability_row_of(
            dataset, picture->rows, benchmark, i % environments);
        values[i] = row == NULL ? (double)NAN : 100.0 * row->cv_total;
        marked[i] = row != NULL && row->width == STUDY_WIDTH_WIDE;
        names[i / environments] = dataset->benchmarks[benchmark];
    }
    *grid = (struct plot_grid){.values = values, .marked = marked, .decimals = 2};
    const double wide_pct = 100.0 * STUDY_WIDTH_WIDE_ABOVE;
    const struct plot_panel panel = {
        .title =
            picture->shown_count < dataset->benchmark_count
                ? sketch_name(&picture->sketch,
                              "CV in %% of the %zu that vary most, of %zu (frame: "
                              "interval wider than %.0f %% of it)",
                              picture->shown_count, dataset->benchmark_count, wide_pct)
                : sketch_name(&picture->sketch,
                              "CV in %% (frame: interval wider than %.0f %% of it)",
                              wide_pct),
        .x = {.categories = (const char *const *)dataset->environments,
              .category_count = dataset->environment_count},
        .y = {.categories = names, .category_count = picture->shown_count},
        .grid = grid};
    sketch_panel(&picture->sketch, &panel);
}

/* How many configurations each source dominates. */
static void add_dominant(struct picture *picture)
{
    const char **names = sketch_take(&picture->sketch, STUDY_SOURCES, sizeof *names);
    double *counts = sketch_take(&picture->sketch, STUDY_SOURCES, sizeof *counts);
    struct plot_series *series = sketch_take(&picture->sketch, 1, sizeof *series);
    if (names == NULL || counts == NULL || series == NULL) {
        return;
    }
    const struct study_variability_tally tally = study_variability_tally_of(
        picture->rows, picture->dataset->configuration_count);
    for (int s = 0; s < STUDY_SOURCES; s++) {
        names[s] = study_source_name((enum study_source)s);
        counts[s] = (double)tally.dominant[s];
    }
    *series =
        (struct plot_series){.kind = PLOT_BARS, .count = STUDY_SOURCES, .y = counts};
    const struct plot_panel panel = {
        .title = "What varies most",
        .x = {.categories = names, .category_count = STUDY_SOURCES},
        .y = {.label = "benchmarks and environments"},
        .series = series,
        .series_count = 1};
    sketch_panel(&picture->sketch, &panel);
}

/* ---- One environment ---- */

/* A bar a benchmark: a value in percent, and how far it is spread. */
struct bars {
    const char *name;
    double *values;
    double *lows; /* NULL: no spread */
    double *highs;
};

static bool make_bars(struct picture *picture, const char *name, size_t count,
                      bool spread, struct bars *ret_bars)
{
    struct sketch *sketch = &picture->sketch;
    *ret_bars = (struct bars){
        .name = name,
        .values = sketch_take(sketch, count, sizeof(double)),
        .lows = spread ? sketch_take(sketch, count, sizeof(double)) : NULL,
        .highs = spread ? sketch_take(sketch, count, sizeof(double)) : NULL};
    return !sketch->failed;
}

static void set_bar(const struct bars *bars, size_t at, double mean, double sd)
{
    bars->values[at] = 100.0 * mean;
    if (bars->lows != NULL) {
        const struct study_reach reach = study_reach_of(mean, sd);
        bars->lows[at] = 100.0 * reach.low;
        bars->highs[at] = 100.0 * reach.high;
    }
}

static void add_bars(struct picture *picture, const char *environment,
                     const char *group, const char *label, const char *const *names,
                     size_t count, const struct bars *bars, size_t first_color)
{
    struct plot_series *series = sketch_take(&picture->sketch, LEVELS, sizeof *series);
    for (size_t i = 0; i < LEVELS && series != NULL; i++) {
        series[i] = (struct plot_series){.name = bars[i].name,
                                         .group = group,
                                         .kind = PLOT_BARS,
                                         .color = first_color + i,
                                         .count = count,
                                         .y = bars[i].values,
                                         .low = bars[i].lows,
                                         .high = bars[i].highs};
    }
    const struct plot_panel panel = {
        .title = sketch_name(&picture->sketch, "%s: %s", environment, group),
        .x = {.label = label, .unit = "%"},
        .y = {.categories = names, .category_count = count},
        .series = series,
        .series_count = LEVELS};
    sketch_panel(&picture->sketch, &panel);
}

static void add_environment(struct picture *picture, size_t environment)
{
    static const char *const levels[LEVELS] = {"in a trial", "on an instance", "all"};
    const struct model_dataset *dataset = picture->dataset;
    size_t most = picture->shown_count;
    const char **names = sketch_take(&picture->sketch, most, sizeof *names);
    struct bars cvs[LEVELS];
    struct bars sources[LEVELS];
    bool made = names != NULL;
    for (int i = 0; i < LEVELS && made; i++) {
        made = make_bars(picture, levels[i], most, i < 2, &cvs[i]) &&
               make_bars(picture, study_source_name((enum study_source)i), most, false,
                         &sources[i]);
    }
    size_t count = 0;
    for (size_t i = 0; i < most && made; i++) {
        size_t b = picture->shown[i];
        const struct study_variability_row *row =
            study_variability_row_of(dataset, picture->rows, b, environment);
        if (row != NULL) {
            set_bar(&cvs[0], count, row->cv_trials.mean, row->cv_trials.sd);
            set_bar(&cvs[1], count, row->cv_instances.mean, row->cv_instances.sd);
            set_bar(&cvs[2], count, row->cv_total, (double)NAN);
            for (int s = 0; s < STUDY_SOURCES; s++) {
                set_bar(&sources[s], count, row->component[s], (double)NAN);
            }
            names[count++] = dataset->benchmarks[b];
        }
    }
    if (made && count > 0) {
        const char *name = dataset->environments[environment];
        add_bars(picture, name, "CV by level", "CV", names, count, cvs, 0);
        add_bars(picture, name, "what each source adds", "standard deviation / mean",
                 names, count, sources, LEVELS);
    }
}

enum duet_code variability_picture_write(const char *path,
                                         const struct model_dataset *dataset,
                                         const struct study_variability_row *rows,
                                         struct duet_error *reterr)
{
    struct picture picture = {.dataset = dataset, .rows = rows};
    const struct plot_figure figure = {
        .title = "How much measurements vary, and between what",
        .description =
            "A heat map of the coefficients of variation, a row a benchmark; "
            "then for each environment bars of the variation in a trial, on an instance and in all, "
            "and of what iterations, trials and instances add.",
        .note = sketch_dataset_note(&picture.sketch, dataset),
        .columns = 1,
    };
    double *room = sketch_take(&picture.sketch, dataset->benchmark_count, sizeof *room);
    picture.shown = sketch_take(&picture.sketch, BENCHMARKS_MAX, sizeof *picture.shown);
    if (picture.shown != NULL && room != NULL) {
        picture.shown_count =
            study_variability_most(dataset, rows, BENCHMARKS_MAX, room, picture.shown);
    }
    add_map(&picture);
    add_dominant(&picture);
    for (size_t e = 0; e < dataset->environment_count; e++) {
        add_environment(&picture, e);
    }
    return sketch_write(&picture.sketch, path, &figure, reterr);
}
