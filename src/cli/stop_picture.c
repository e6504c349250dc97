#include "cli/stop_picture.h"

#include "base/alloc.h"
#include "cli/file.h"
#include "report/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

/* What the bars of a picture show. */
struct subject {
    const char *file;
    const char *title;
    const char *label;
    const char *unit;
    double (*value_of)(const struct study_stopping_cell *cell,
                       const struct study_stopping_cell *metior);
};

static double accuracy_of(const struct study_stopping_cell *cell,
                          const struct study_stopping_cell *metior)
{
    (void)metior;
    return cell->stopped == 0 ? (double)NAN
                              : 100.0 * (double)cell->accurate / (double)cell->stopped;
}

static double points_of(const struct study_stopping_cell *cell,
                        const struct study_stopping_cell *metior)
{
    double points = cell->points_sum / (double)cell->tests;
    return metior->tests == 0 ? points
                              : points / (metior->points_sum / (double)metior->tests);
}

static const struct subject subjects[] = {
    {"accuracy.svg", "Accurate tests of those that stopped", "accurate tests", "%",
     accuracy_of},
    {"points.svg", "Points of a test, relative to Metior's", "points", NULL, points_of},
};

/* All that the panels borrow. */
struct drawing {
    struct plot_panel panels[STUDY_STATISTICS_MAX];
    struct plot_series bars[STUDY_STATISTICS_MAX][ANALYSIS_STOP_RULES];
    char titles[STUDY_STATISTICS_MAX][STOP_NAME_BYTES];
    const char **names;
    double *values; /* by statistic, rule, series */
    double *places; /* 0, 1, 2 ... */
};

static void fill_panel(const struct stop_table *table, const struct subject *subject,
                       size_t statistic, struct drawing *drawing)
{
    const struct study_stopping_plan *plan = table->plan;
    struct plot_panel *panel = &drawing->panels[statistic];
    size_t used = 0;
    stop_statistic_name(&plan->statistics[statistic], drawing->titles[statistic]);
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        double *values = drawing->values +
                         (statistic * ANALYSIS_STOP_RULES + r) * table->series_count;
        if (!plan->rules[r]) {
            continue;
        }
        for (size_t s = 0; s < table->series_count; s++) {
            const struct study_stopping_cell *first =
                &table->cells[(s * plan->statistic_count + statistic) *
                              ANALYSIS_STOP_RULES * plan->error_count];
            const struct study_stopping_cell *cell = first + r * plan->error_count;
            values[s] =
                cell->tests == 0
                    ? (double)NAN
                    : subject->value_of(cell, first + (size_t)ANALYSIS_STOP_METIOR *
                                                          plan->error_count);
        }
        drawing->bars[statistic][used++] = (struct plot_series){
            .name = analysis_stop_rule_name((enum analysis_stop_rule)r),
            .kind = PLOT_BARS,
            .color = r,
            .count = table->series_count,
            .x = drawing->places,
            .y = values};
    }
    *panel = (struct plot_panel){
        .title = drawing->titles[statistic],
        .x = {.label = subject->label, .unit = subject->unit},
        .y = {.categories = drawing->names, .category_count = table->series_count},
        .series = drawing->bars[statistic],
        .series_count = used};
}

static enum duet_code write_picture(const char *folder, const struct subject *subject,
                                    const struct stop_table *table,
                                    struct drawing *drawing, struct duet_error *reterr)
{
    struct text svg = {0};
    struct plot_figure figure = {.title = subject->title,
                                 .description =
                                     "A panel for each result, a row a series of "
                                     "measurements, a bar for each stop rule.",
                                 .panels = drawing->panels,
                                 .panel_count = table->plan->statistic_count,
                                 .width = 1100.0};
    for (size_t s = 0; s < table->plan->statistic_count; s++) {
        fill_panel(table, subject, s, drawing);
    }
    plot_svg(&svg, &figure);
    char *path = alloc_format("%s/%s", folder, subject->file);
    if (path == NULL) {
        text_release(&svg);
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code = file_write_text(path, &svg, reterr);
    free(path);
    return code;
}

enum duet_code stop_pictures_write(const char *folder, const struct stop_table *table,
                                   struct duet_error *reterr)
{
    size_t rows = table->series_count;
    struct drawing drawing = {0};
    enum duet_code code = DUET_OK;
    drawing.names = alloc_array(rows, sizeof *drawing.names);
    drawing.places = alloc_array(rows, sizeof(double));
    drawing.values =
        alloc_array(rows * STUDY_STATISTICS_MAX * ANALYSIS_STOP_RULES, sizeof(double));
    if (drawing.names == NULL || drawing.places == NULL || drawing.values == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "out of memory");
        goto cleanup;
    }
    for (size_t s = 0; s < rows; s++) {
        drawing.names[s] = table->series[s].name;
        drawing.places[s] = (double)s;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot make '%s'", folder);
    }
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && code == DUET_OK; i++) {
        code = write_picture(folder, &subjects[i], table, &drawing, reterr);
    }
cleanup:
    free((void *)drawing.names);
    free(drawing.places);
    free(drawing.values);
    return code;
}
