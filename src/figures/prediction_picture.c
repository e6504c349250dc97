#include "figures/prediction_table.h"

#include "base/alloc.h"
#include "figures/study_pictures.h"
#include "study/study_density.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* All that the panel borrows. */
struct drawing {
    char **names; /* of the rows */
    size_t rows;
    double *places;
    double *numbers; /* by training: values, lows, highs of the rows */
    struct plot_series bars[STUDY_TRAININGS];
    size_t bar_count;
};

static void drawing_release(struct drawing *drawing)
{
    for (size_t i = 0; drawing->names != NULL && i < drawing->rows; i++) {
        free(drawing->names[i]);
    }
    free((void *)drawing->names);
    free(drawing->places);
    free(drawing->numbers);
}

/* Rows of the picture: targets that were predicted. */
static bool name_rows(const struct prediction_table *table, struct drawing *drawing)
{
    bool several = table->plan->target == NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct study_configuration *of = &table->configurations[i];
        if (prediction_table_cell(table, i, STUDY_TRAINING_POINTS)->predictions == 0) {
            continue;
        }
        char *name = several ? alloc_format("%s, %s", of->benchmark, of->name)
                             : alloc_string(of->benchmark);
        if (name == NULL) {
            return false;
        }
        drawing->places[drawing->rows] = (double)drawing->rows;
        drawing->names[drawing->rows++] = name;
    }
    return true;
}

static void add_bars(const struct prediction_table *table, size_t training,
                     struct drawing *drawing)
{
    double *values = drawing->numbers + 3 * training * table->count;
    double *lows = values + table->count;
    double *highs = lows + table->count;
    size_t row = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct study_prediction_cell *cell =
            prediction_table_cell(table, i, training);
        if (cell->predictions > 0) {
            const struct study_reach reach =
                study_reach_of(cell->error_mean, cell->error_sd);
            values[row] = 100.0 * cell->error_mean;
            lows[row] = 100.0 * reach.low;
            highs[row++] = 100.0 * reach.high;
        }
    }
    drawing->bars[drawing->bar_count++] =
        (struct plot_series){.name = study_training_name(training),
                             .kind = PLOT_BARS,
                             .color = training,
                             .count = drawing->rows,
                             .x = drawing->places,
                             .y = values,
                             .low = training == STUDY_TRAINING_TRUTH ? NULL : lows,
                             .high = training == STUDY_TRAINING_TRUTH ? NULL : highs};
}

enum duet_code prediction_picture_write(const char *folder,
                                        const struct prediction_table *table,
                                        struct duet_error *reterr)
{
    struct drawing drawing = {
        .names = alloc_array(table->count, sizeof *drawing.names),
        .places = alloc_array(table->count, sizeof(double)),
        .numbers =
            alloc_array((size_t)3 * STUDY_TRAININGS * table->count, sizeof(double))};
    if (drawing.names == NULL || drawing.places == NULL || drawing.numbers == NULL ||
        !name_rows(table, &drawing)) {
        drawing_release(&drawing);
        return error_no_memory(reterr);
    }
    for (size_t t = 0; t < STUDY_TRAININGS; t++) {
        if (study_training_has(&table->plan->training, t)) {
            add_bars(table, t, &drawing);
        }
    }
    const struct plot_panel panel = {
        .x = {.label = "mean absolute error of the predictions", .unit = "%"},
        .y = {.categories = (const char *const *)drawing.names,
              .category_count = drawing.rows},
        .series = drawing.bars,
        .series_count = drawing.bar_count};
    char note[96];
    (void)snprintf(note, sizeof note,
                   "configurations: %zu, predictions of each: %" PRIu64, table->count,
                   table->plan->predictions);
    const struct plot_figure figure = {
        .title = "Predictions from tests of other machines",
        .note = note,
        .description =
            "A row a prediction, a bar for each kind of training: "
            "a handful of points, tests that a stop rule ends, and true means, "
            "with the standard deviation of the errors.",
        .panels = &panel,
        .panel_count = 1};
    enum duet_code code =
        study_picture_write(folder, "prediction.svg", &figure, reterr);
    drawing_release(&drawing);
    return code;
}
