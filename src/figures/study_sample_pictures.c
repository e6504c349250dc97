/* Pictures of the observations themselves: figures 1, 3 and 7. */
#include "figures/study_pictures.h"

#include "base/alloc.h"

#include <stdlib.h>

/* ---- Times together against alone ---- */

static enum duet_code draw_together(const char *folder, const struct widths *widths,
                                    size_t first, struct duet_error *reterr)
{
    size_t count = widths->count - first;
    const char **names = alloc_array(count, sizeof *names);
    double *ratios = alloc_array(count, sizeof *ratios);
    enum duet_code code = DUET_OK;
    if (names == NULL || ratios == NULL) {
        code = error_no_memory(reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        names[i] = widths->rows[first + i].workload;
        ratios[i] = widths->rows[first + i].together_ratio;
    }
    const struct plot_series series = {
        .kind = PLOT_INTERVALS, .count = count, .y = ratios};
    static const struct plot_reference one = {true, 1, NULL};
    const struct plot_panel panel = {
        .x = {.label = "mean time together / mean time alone (1: as fast as alone)"},
        .y = {.categories = names, .category_count = count},
        .series = &series,
        .series_count = 1,
        .references = &one,
        .reference_count = 1};
    const struct plot_figure figure = {
        .title = "Times measured together against times measured alone",
        .description =
            "Ratio of mean iteration times between A/A pairs and one program at a time. "
            "Above 1 the two sides slow each other down.",
        .panels = &panel,
        .panel_count = 1,
        .panel_height = 120};
    if (code == DUET_OK) {
        code = study_picture_write(folder, "figure-7-together.svg", &figure, reterr);
    }
    free((void *)names);
    free(ratios);
    return code;
}

/* ---- Samples ---- */

/* All times of a side, in ms, one run behind the other; counts: all of the side. */
static double *times_of(const struct model_values *values, int side, size_t *ret_count)
{
    size_t count = 0;
    for (size_t r = 0; r < values->run_count; r++) {
        count += values->runs[r].counts[side];
    }
    double *times = alloc_array(count, sizeof *times);
    size_t at = 0;
    for (size_t r = 0; times != NULL && r < values->run_count; r++) {
        for (size_t i = 0; i < values->runs[r].counts[side]; i++) {
            times[at++] = values->runs[r].values[side][i] / 1e6;
        }
    }
    *ret_count = count;
    return times;
}

static enum duet_code draw_samples(const char *folder, const char *workload,
                                   const struct model_values values[2],
                                   struct duet_error *reterr)
{
    static const char *const names[2] = {"one side", "the other"};
    static const char *const titles[2] = {"together", "one at a time"};
    double *times[4];
    struct plot_series series[4];
    struct plot_panel panels[2];
    bool short_memory = false;
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        times[i] = times_of(&values[i / 2], (int)(i % 2), &count);
        short_memory = short_memory || times[i] == NULL;
        series[i] = (struct plot_series){.name = names[i % 2],
                                         .kind = PLOT_POINTS,
                                         .color = i % 2,
                                         .count = count,
                                         .y = times[i]};
    }
    for (size_t i = 0; i < 2; i++) {
        panels[i] = (struct plot_panel){.title = titles[i],
                                        .x = {.label = "iteration, all runs"},
                                        .y = {.label = "time", .unit = "ms"},
                                        .series = &series[2 * i],
                                        .series_count = 2};
    }
    struct text title = {0};
    text_append_format(&title, "Samples over time: %s", workload);
    const struct plot_figure figure = {
        .title = text_string(&title),
        .description =
            "Times of both sides in the order of measurement, measured together and one at a time. "
            "Where both sides move in tandem, their ratio stays.",
        .panels = panels,
        .panel_count = 2,
        .same_y = true};
    enum duet_code code =
        short_memory || text_failed(&title)
            ? error_no_memory(reterr)
            : study_picture_write(folder, "figure-3-samples.svg", &figure, reterr);
    for (size_t i = 0; i < 4; i++) {
        free(times[i]);
    }
    text_release(&title);
    return code;
}

/* ---- Distributions of times ---- */

enum { DENSITY_POINTS = 80, TIMES_PANELS_MAX = 24 };

/* Density curves of one workload, together and alone. */
struct curves {
    double at[2][DENSITY_POINTS];
    double density[2][DENSITY_POINTS];
    struct plot_series series[2];
    size_t count;
};

static enum duet_code curves_of(const struct model_values values[2],
                                struct curves *ret_curves, struct duet_error *reterr)
{
    static const char *const names[2] = {"together", "alone"};
    enum duet_code code = DUET_OK;
    for (size_t way = 0; way < 2 && code == DUET_OK; way++) {
        size_t count = 0;
        double *times = times_of(&values[way], MODEL_OLD, &count);
        if (times == NULL) {
            return error_no_memory(reterr);
        }
        if (count > 0) {
            code = study_density_of(times, count, DENSITY_POINTS, ret_curves->at[way],
                                    ret_curves->density[way], reterr);
            ret_curves->series[ret_curves->count++] =
                (struct plot_series){.name = names[way],
                                     .kind = PLOT_AREA,
                                     .color = way,
                                     .count = DENSITY_POINTS,
                                     .x = ret_curves->at[way],
                                     .y = ret_curves->density[way]};
        }
        free(times);
    }
    return code;
}

static enum duet_code draw_times(const char *folder,
                                 const struct study_samples *samples,
                                 struct duet_error *reterr)
{
    size_t count =
        samples->count < TIMES_PANELS_MAX ? samples->count : TIMES_PANELS_MAX;
    struct curves *curves = alloc_array(count, sizeof *curves);
    struct plot_panel panels[TIMES_PANELS_MAX];
    enum duet_code code = curves == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct model_values values[2] = {{0}, {0}};
        code = samples->load(samples->context, i, values, reterr);
        if (code == DUET_OK) {
            code = curves_of(values, &curves[i], reterr);
        }
        model_values_release(&values[0]);
        model_values_release(&values[1]);
        panels[i] =
            (struct plot_panel){.title = samples->name(samples->context, i),
                                .x = {.label = "time of an iteration", .unit = "ms"},
                                .y = {.label = "density", .unit = "1/ms"},
                                .series = curves[i].series,
                                .series_count = curves[i].count};
    }
    const struct plot_figure figure = {
        .title = "Distributions of times",
        .description =
            "Densities of the times of iterations of each workload, measured together with its copy and alone.",
        .panels = panels,
        .panel_count = count,
        .columns = count > 1 ? 2 : 1,
        .panel_height = 220};
    if (code == DUET_OK) {
        code = study_picture_write(folder, "figure-1-times.svg", &figure, reterr);
    }
    free(curves);
    return code;
}

enum duet_code study_pictures_samples(const char *folder,
                                      const struct study_samples *samples,
                                      const struct widths *widths, size_t first,
                                      struct duet_error *reterr)
{
    struct model_values values[2] = {{0}, {0}};
    enum duet_code code = draw_times(folder, samples, reterr);
    if (code == DUET_OK) {
        code = draw_together(folder, widths, first, reterr);
    }
    if (code == DUET_OK && samples->count > 0) {
        size_t workload = study_widths_most_gained(widths->rows, widths->count, first);
        code = samples->load(samples->context, workload, values, reterr);
        if (code == DUET_OK) {
            code = draw_samples(folder, samples->name(samples->context, workload),
                                values, reterr);
        }
    }
    model_values_release(&values[0]);
    model_values_release(&values[1]);
    return code;
}
