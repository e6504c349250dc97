#include "figures/prediction_table.h"

#include "figures/study_records.h"
#include "report/columns.h"

#include <inttypes.h>
#include <math.h>

enum { NAME_COLUMNS = 16, CELL_COLUMNS = 17 };

const struct study_prediction_cell *
prediction_table_cell(const struct prediction_table *table, size_t target,
                      size_t training)
{
    return &table->cells[target * STUDY_TRAININGS + training];
}

/* What a table shows of a cell, and of the means over all cells of a column. */
struct view {
    const char *title;
    void (*show)(struct text *text, const struct study_prediction_cell *cell,
                 const struct study_prediction_cell *handful);
    double (*overall)(const struct study_prediction_means *means);
    int decimals;
};

static void show_error(struct text *text, const struct study_prediction_cell *cell,
                       const struct study_prediction_cell *handful)
{
    (void)handful;
    if (isfinite(cell->error_sd)) {
        columns_append_cell(text, CELL_COLUMNS, "%.2f (%.2f)", 100.0 * cell->error_mean,
                            100.0 * cell->error_sd);
    } else {
        columns_append_number(text, CELL_COLUMNS, 2, 100.0 * cell->error_mean);
    }
}

static double overall_error(const struct study_prediction_means *means)
{
    return 100.0 * means->error;
}

static void show_range(struct text *text, const struct study_prediction_cell *cell,
                       const struct study_prediction_cell *handful)
{
    (void)handful;
    columns_append_cell(text, CELL_COLUMNS, "%+.1f ... %+.1f", 100.0 * cell->error_low,
                        100.0 * cell->error_high);
}

static void show_reduction(struct text *text, const struct study_prediction_cell *cell,
                           const struct study_prediction_cell *handful)
{
    columns_append_number(text, CELL_COLUMNS, 1,
                          100.0 * (1.0 - study_prediction_relative(cell, handful)));
}

static double overall_reduction(const struct study_prediction_means *means)
{
    return 100.0 * (1.0 - means->relative);
}

static void show_points(struct text *text, const struct study_prediction_cell *cell,
                        const struct study_prediction_cell *handful)
{
    (void)handful;
    columns_append_number(text, CELL_COLUMNS, 1, cell->points_mean);
}

static double overall_points(const struct study_prediction_means *means)
{
    return means->points;
}

static const struct view views[] = {
    {"mean absolute error of the predictions (its standard deviation), in %",
     show_error, overall_error, 2},
    {"5 % and 95 % quantile of the error, in %", show_range, NULL, 0},
    {"error smaller than with a handful of points, in %", show_reduction,
     overall_reduction, 1},
    {"points of a training value", show_points, overall_points, 1},
};

static void append_header(struct text *text, const struct prediction_table *table,
                          const struct view *view)
{
    text_append_format(text, "\n%s\n", view->title);
    columns_append_name(text, NAME_COLUMNS, "benchmark");
    columns_append_name(text, NAME_COLUMNS, "configuration");
    for (size_t t = 0; t < STUDY_TRAININGS; t++) {
        if (study_training_has(&table->plan->training, t)) {
            columns_append_cell(text, CELL_COLUMNS, "%s", study_training_name(t));
        }
    }
    text_append_char(text, '\n');
}

/* The mean over all rows. */
static void append_all(struct text *text, const struct prediction_table *table,
                       const struct view *view)
{
    columns_append_name(text, NAME_COLUMNS, "all");
    columns_append_name(text, NAME_COLUMNS, "");
    for (size_t t = 0; t < STUDY_TRAININGS; t++) {
        const struct study_prediction_means means =
            study_prediction_means_of(table->cells, table->count, t);
        if (means.configurations > 0) {
            columns_append_number(text, CELL_COLUMNS, view->decimals,
                                  view->overall(&means));
        }
    }
    text_append_char(text, '\n');
}

static void append_view(struct text *text, const struct prediction_table *table,
                        const struct view *view)
{
    size_t rows = 0;
    append_header(text, table, view);
    for (size_t i = 0; i < table->count; i++) {
        const struct study_prediction_cell *handful =
            prediction_table_cell(table, i, STUDY_TRAINING_POINTS);
        if (handful->predictions == 0) {
            continue;
        }
        columns_append_name(text, NAME_COLUMNS, table->configurations[i].benchmark);
        columns_append_name(text, NAME_COLUMNS, table->configurations[i].name);
        for (size_t t = 0; t < STUDY_TRAININGS; t++) {
            const struct study_prediction_cell *cell =
                prediction_table_cell(table, i, t);
            if (cell->predictions > 0) {
                view->show(text, cell, handful);
            }
        }
        text_append_char(text, '\n');
        rows++;
    }
    if (rows > 1 && view->overall != NULL) {
        append_all(text, table, view);
    }
}

void prediction_table_append(struct text *text, const struct prediction_table *table)
{
    const struct study_prediction_plan *plan = table->plan;
    text_append_format(
        text,
        "A Gaussian process predicts a configuration's mean from those of the others; %" PRIu64
        " predictions each, seed %" PRIu64 "\n"
        "points: trained with means of %zu measurements each; rules: with the results of tests that\n"
        "they stop within %.6g %% at %.6g %% confidence (%zu tests of a configuration); truth: with true\n"
        "means, which shows what the model itself is off by\n",
        plan->predictions, plan->training.seed, plan->training.points,
        100.0 * plan->training.error, 100.0 * plan->training.confidence,
        plan->training.tests);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        append_view(text, table, &views[v]);
    }
}

void prediction_table_append_records(struct text *csv, struct text *json,
                                     const struct prediction_table *table)
{
    struct study_records records;
    study_records_begin(
        &records, "prediction", table->plan->training.seed,
        "benchmark,configuration,truth,training,predictions,error_mean,error_sd,error_low,error_high,error_relative,points_mean",
        csv, json);
    for (size_t i = 0; i < table->count * STUDY_TRAININGS; i++) {
        size_t target = i / STUDY_TRAININGS;
        const struct study_configuration *of = &table->configurations[target];
        const struct study_prediction_cell *cell = &table->cells[i];
        const struct study_prediction_cell *handful =
            prediction_table_cell(table, target, STUDY_TRAINING_POINTS);
        if (cell->predictions == 0) {
            continue;
        }
        study_records_text(&records, of->benchmark);
        study_records_text(&records, of->name);
        study_records_number(&records, of->truth);
        study_records_text(&records, study_training_name(i % STUDY_TRAININGS));
        study_records_whole(&records, cell->predictions);
        study_records_number(&records, cell->error_mean);
        study_records_number(&records, cell->error_sd);
        study_records_number(&records, cell->error_low);
        study_records_number(&records, cell->error_high);
        study_records_number(&records, study_prediction_relative(cell, handful));
        study_records_number(&records, cell->points_mean);
    }
    study_records_end(&records);
}
