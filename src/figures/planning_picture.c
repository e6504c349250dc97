#include "figures/planning_table.h"
#include "report/plot/sketch.h"

#include <math.h>
#include <string.h>

enum { CURVES = 3, PERCENT = 100 };

/* A row of the picture for each configuration that is done and has instances enough.
 */
struct rows {
    const char **names;
    double *places;
    double *costs;
    double *shares[CURVES]; /* found, held out, false */
    size_t count;
};

static bool make_rows(struct sketch *sketch, const struct planning_answer *answer,
                      struct rows *ret_rows)
{
    const struct model_dataset *dataset = answer->dataset;
    size_t most = dataset->configuration_count;
    struct rows rows = {.names = sketch_take(sketch, most, sizeof *rows.names),
                        .places = sketch_take(sketch, most, sizeof *rows.places),
                        .costs = sketch_take(sketch, most, sizeof *rows.costs)};
    for (int i = 0; i < CURVES; i++) {
        rows.shares[i] = sketch_take(sketch, most, sizeof *rows.shares[i]);
    }
    for (size_t c = 0; c < most && !sketch->failed; c++) {
        const struct study_planned *planned = &answer->rows[c].planned;
        const double shares[CURVES] = {planned->found_share, planned->held_out_found,
                                       planned->held_out_false};
        const char *environment = model_dataset_environment(dataset, c);
        bool known = planned->found;
        if (!answer->rows[c].done || answer->rows[c].too_few) {
            continue;
        }
        rows.names[rows.count] =
            strcmp(environment, "-") == 0
                ? model_dataset_benchmark(dataset, c)
                : sketch_name(sketch, "%s, %s", model_dataset_benchmark(dataset, c),
                              environment);
        rows.places[rows.count] = (double)rows.count;
        rows.costs[rows.count] = known ? planned->cost : (double)NAN;
        for (int i = 0; i < CURVES; i++) {
            rows.shares[i][rows.count] = known ? PERCENT * shares[i] : (double)NAN;
        }
        rows.count++;
    }
    *ret_rows = rows;
    return !sketch->failed;
}

static void add_panels(struct sketch *sketch, const struct planning_answer *answer,
                       const struct rows *rows)
{
    static const char *const names[CURVES] = {"found, planned on", "found, held out",
                                              "false, held out"};
    struct plot_series *series = sketch_take(sketch, CURVES + 1, sizeof *series);
    struct plot_reference *limits = sketch_take(sketch, 2, sizeof *limits);
    if (series == NULL || limits == NULL) {
        return;
    }
    series[0] =
        (struct plot_series){.kind = PLOT_BARS, .count = rows->count, .y = rows->costs};
    for (size_t i = 0; i < CURVES; i++) {
        series[i + 1] = (struct plot_series){.name = names[i],
                                             .kind = PLOT_POINTS,
                                             .color = i,
                                             .count = rows->count,
                                             .x = rows->shares[i],
                                             .y = rows->places};
    }
    limits[0] = (struct plot_reference){
        .upright = true, .value = PERCENT * answer->planning->found_least};
    limits[1] = (struct plot_reference){
        .upright = true, .value = PERCENT * answer->planning->false_most};
    const struct plot_axis y = {.categories = rows->names,
                                .category_count = rows->count};
    const struct plot_panel cost = {.title = "Cheapest group",
                                    .x = {.label = "cost", .unit = "iterations"},
                                    .y = y,
                                    .series = series,
                                    .series_count = 1};
    const struct plot_panel shares = {
        .title = "What it finds",
        .x = {.label = "draws", .unit = "%", .low = 0, .high = PERCENT},
        .y = y,
        .series = series + 1,
        .series_count = CURVES,
        .references = limits,
        .reference_count = 2};
    sketch_panel(sketch, &cost);
    sketch_panel(sketch, &shares);
}

enum duet_code planning_picture_write(const char *path,
                                      const struct planning_answer *answer,
                                      struct duet_error *reterr)
{
    struct sketch sketch = {.blocks = NULL};
    struct rows rows = {.count = 0};
    if (make_rows(&sketch, answer, &rows)) {
        add_panels(&sketch, answer, &rows);
    }
    const struct plot_figure figure = {
        .title = sketch_name(&sketch, "Cheapest measurement that finds %.4g %%",
                             PERCENT * answer->planning->effect),
        .description =
            "For each benchmark what the cheapest group costs, and in how many draws it finds the slowdown: "
            "in the half of the instances that it was planned on and in the half held out, "
            "with the false positives of that half.",
        .note = sketch_dataset_note(&sketch, answer->dataset),
        .columns = 1};
    return sketch_write(&sketch, path, &figure, reterr);
}
