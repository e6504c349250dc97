/* Pictures of the observations themselves: figures 1, 3 and 7. */
#include "figures/study_pictures.h"

#include "base/alloc.h"
#include "report/digits.h"
#include "study/study_density.h"

#include <math.h>
#include <stdlib.h>

/* ---- Times together against alone ---- */

typedef const struct study_width *row_ref;

/* What a row of the picture shows. */
struct together {
    const char **names;
    double *ratios;
    double *lows;
    double *highs;
};

static bool together_fill(const struct widths *widths, size_t first,
                          struct together *ret_together)
{
    size_t count = widths->count - first;
    row_ref *rows = alloc_array(count, sizeof(row_ref));
    *ret_together = (struct together){.names = alloc_array(count, sizeof(const char *)),
                                      .ratios = alloc_array(3 * count, sizeof(double))};
    bool filled =
        rows != NULL && ret_together->names != NULL && ret_together->ratios != NULL;
    if (filled) {
        study_widths_by_together(widths->rows + first, count, rows);
        ret_together->lows = ret_together->ratios + count;
        ret_together->highs = ret_together->lows + count;
    }
    for (size_t i = 0; i < count && filled; i++) {
        ret_together->names[i] = rows[i]->workload;
        ret_together->ratios[i] = rows[i]->together_ratio;
        ret_together->lows[i] = rows[i]->together_low;
        ret_together->highs[i] = rows[i]->together_high;
    }
    free((void *)rows);
    return filled;
}

static enum duet_code draw_together(const char *folder, const struct widths *widths,
                                    size_t first, const char *note,
                                    struct duet_error *reterr)
{
    size_t count = widths->count - first;
    struct together together;
    enum duet_code code =
        together_fill(widths, first, &together) ? DUET_OK : error_no_memory(reterr);
    const struct plot_series series = {.kind = PLOT_INTERVALS,
                                       .count = count,
                                       .y = together.ratios,
                                       .low = together.lows,
                                       .high = together.highs};
    static const struct plot_reference one = {true, 1, NULL};
    struct text label = {0};
    text_append(&label, "mean time together / mean time alone, with its ");
    if (widths->confidence > 0.0) {
        digits_append_level(&label, widths->confidence);
        text_append_char(&label, ' ');
    }
    text_append(&label, "interval");
    const struct plot_panel panel = {
        .x = {.label = text_string(&label)},
        .y = {.categories = together.names, .category_count = count},
        .series = &series,
        .series_count = 1,
        .references = &one,
        .reference_count = 1};
    const struct plot_figure figure = {
        .title = "Times measured together against times measured alone",
        .description =
            "Ratio of mean iteration times between A/A pairs and one program at a time, the largest first. "
            "Above 1 the two sides slow each other down.",
        .note = note,
        .panels = &panel,
        .panel_count = 1,
        .panel_height = 120};
    if (code == DUET_OK) {
        code =
            text_failed(&label)
                ? error_no_memory(reterr)
                : study_picture_write(folder, "figure-7-together.svg", &figure, reterr);
    }
    text_release(&label);
    free((void *)together.names);
    free(together.ratios);
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

enum { PAIRS_JOINED_MAX = 600, PAIR_NUMBERS = 3 };

/* The lines between the sides of each pair: two points and a gap a pair. Nothing where
 * there are no pairs, or so many that lines would hide the points. */
struct joins {
    double *numbers; /* x, then y */
    struct plot_series series;
};

static bool joins_init(struct joins *joins, const struct plot_series sides[2])
{
    size_t pairs = sides[0].count == sides[1].count ? sides[0].count : 0;
    pairs = pairs <= PAIRS_JOINED_MAX ? pairs : 0;
    size_t count = PAIR_NUMBERS * pairs;
    joins->numbers = alloc_array(2 * count, sizeof *joins->numbers);
    if (joins->numbers == NULL) {
        return false;
    }
    double *y = joins->numbers + count;
    for (size_t i = 0; i < pairs; i++) {
        for (size_t k = 0; k < PAIR_NUMBERS; k++) {
            bool gap = k == 2;
            joins->numbers[PAIR_NUMBERS * i + k] = (double)i;
            y[PAIR_NUMBERS * i + k] = gap ? (double)NAN : sides[k].y[i];
        }
    }
    joins->series = (struct plot_series){.kind = PLOT_LINE,
                                         .color = PLOT_COLORS - 1,
                                         .count = count,
                                         .x = joins->numbers,
                                         .y = y};
    return true;
}

static enum duet_code draw_samples(const char *folder, const char *workload,
                                   const struct model_values values[2],
                                   const char *note, struct duet_error *reterr)
{
    static const char *const names[2] = {"one side", "the other"};
    static const char *const titles[2] = {"together", "one at a time"};
    double *times[4];
    struct plot_series series[5]; /* the lines of the pairs, two sides, two sides */
    struct plot_panel panels[2];
    struct joins joins = {.numbers = NULL};
    bool short_memory = false;
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        times[i] = times_of(&values[i / 2], (int)(i % 2), &count);
        short_memory = short_memory || times[i] == NULL;
        series[1 + i] = (struct plot_series){.name = names[i % 2],
                                             .kind = PLOT_POINTS,
                                             .color = i % 2,
                                             .count = count,
                                             .y = times[i]};
    }
    short_memory = short_memory || !joins_init(&joins, &series[1]);
    series[0] = joins.series;
    for (size_t i = 0; i < 2; i++) {
        panels[i] = (struct plot_panel){.title = titles[i],
                                        .x = {.label = "iteration, all runs"},
                                        .y = {.label = "time", .unit = "ms"},
                                        .series = &series[i == 0 ? 0 : 3],
                                        .series_count = i == 0 ? 3 : 2};
    }
    struct text title = {0};
    text_append_format(&title, "Samples over time: %s", workload);
    const struct plot_figure figure = {
        .title = text_string(&title),
        .description =
            "Times of both sides in the order of measurement, measured together (a line joins a pair) and one at a time. "
            "Where both sides move in tandem, their ratio stays.",
        .note = note,
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
    free(joins.numbers);
    text_release(&title);
    return code;
}

/* ---- Distributions of times ---- */

enum { DENSITY_POINTS = 80, TIMES_PANELS_MAX = 24, WAYS = 2 };

static const char *const way_names[WAYS] = {"together", "alone"};

/* How the times of one workload are spread, together and alone. */
struct curves {
    double *times[WAYS]; /* of few values; else NULL */
    double *rows;
    double at[WAYS][DENSITY_POINTS];
    double density[WAYS][DENSITY_POINTS];
    struct plot_series series[WAYS];
    size_t count;
};

static void curves_release(struct curves *curves)
{
    for (int way = 0; way < WAYS; way++) {
        free(curves->times[way]);
    }
    free(curves->rows);
}

/* The values of both ways as points, a row each. */
static enum duet_code curves_of_points(const size_t counts[WAYS], struct curves *curves,
                                       struct duet_error *reterr)
{
    curves->rows = alloc_array(counts[0] + counts[1], sizeof *curves->rows);
    if (curves->rows == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t way = 0; way < WAYS; way++) {
        double *rows = curves->rows + (way == 0 ? 0 : counts[0]);
        for (size_t i = 0; i < counts[way]; i++) {
            rows[i] = (double)way;
        }
        curves->series[curves->count++] = (struct plot_series){.name = way_names[way],
                                                               .kind = PLOT_POINTS,
                                                               .color = way,
                                                               .count = counts[way],
                                                               .x = curves->times[way],
                                                               .y = rows};
    }
    return DUET_OK;
}

static enum duet_code curves_of_densities(const size_t counts[WAYS],
                                          struct curves *curves,
                                          struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t way = 0; way < WAYS && code == DUET_OK; way++) {
        if (counts[way] == 0) {
            continue;
        }
        code = study_density_of(curves->times[way], counts[way], DENSITY_POINTS,
                                curves->at[way], curves->density[way], reterr);
        curves->series[curves->count++] =
            (struct plot_series){.name = way_names[way],
                                 .kind = PLOT_AREA,
                                 .color = way,
                                 .count = DENSITY_POINTS,
                                 .x = curves->at[way],
                                 .y = curves->density[way]};
    }
    return code;
}

static enum duet_code curves_of(const struct model_values values[WAYS],
                                struct curves *ret_curves, struct duet_error *reterr)
{
    size_t counts[WAYS];
    for (size_t way = 0; way < WAYS; way++) {
        ret_curves->times[way] = times_of(&values[way], MODEL_OLD, &counts[way]);
        if (ret_curves->times[way] == NULL) {
            return error_no_memory(reterr);
        }
    }
    bool few = false;
    for (size_t way = 0; way < WAYS; way++) {
        few = few || (counts[way] > 0 && counts[way] < PLOT_DENSITY_LEAST);
    }
    return few ? curves_of_points(counts, ret_curves, reterr)
               : curves_of_densities(counts, ret_curves, reterr);
}

/* Points stand in a row for each way; densities have heights. */
static struct plot_axis axis_of(const struct curves *curves)
{
    if (curves->rows != NULL) {
        return (struct plot_axis){.categories = way_names, .category_count = WAYS};
    }
    return (struct plot_axis){.label = "density", .unit = "1/ms"};
}

static enum duet_code draw_times(const char *folder,
                                 const struct study_samples *samples, const char *note,
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
                                .y = axis_of(&curves[i]),
                                .series = curves[i].series,
                                .series_count = curves[i].count};
    }
    struct text title = {0};
    text_append(&title, "Distributions of times");
    if (count < samples->count) {
        text_append_format(&title, " of the first %zu of %zu workloads", count,
                           samples->count);
    }
    const struct plot_figure figure = {
        .title = text_string(&title),
        .description =
            "Densities of the times of iterations of each workload (of fewer than " PLOT_DENSITY_LEAST_WORD
            " the times themselves), measured together with its copy and alone.",
        .note = note,
        .panels = panels,
        .panel_count = count,
        .columns = count > 1 ? 2 : 1,
        .panel_height = 220};
    if (code == DUET_OK) {
        code = text_failed(&title)
                   ? error_no_memory(reterr)
                   : study_picture_write(folder, "figure-1-times.svg", &figure, reterr);
    }
    text_release(&title);
    for (size_t i = 0; i < count && curves != NULL; i++) {
        curves_release(&curves[i]);
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
    struct text note = {0};
    study_pictures_note(&note, widths, first);
    enum duet_code code = text_failed(&note)
                              ? error_no_memory(reterr)
                              : draw_times(folder, samples, text_string(&note), reterr);
    if (code == DUET_OK) {
        code = draw_together(folder, widths, first, text_string(&note), reterr);
    }
    if (code == DUET_OK && samples->count > 0) {
        size_t workload = study_widths_most_gained(widths->rows, widths->count, first);
        code = samples->load(samples->context, workload, values, reterr);
        if (code == DUET_OK) {
            code = draw_samples(folder, samples->name(samples->context, workload),
                                values, text_string(&note), reterr);
        }
    }
    text_release(&note);
    model_values_release(&values[0]);
    model_values_release(&values[1]);
    return code;
}
