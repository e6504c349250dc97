#include "figures/resampling_table.h"

#include "base/alloc.h"
#include "figures/study_pictures.h"
#include "study/study_density.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TRACES = 1 + STUDY_BOOTSTRAPS, /* a series, and a resample by each bootstrap */
    POINTS_SHOWN = 200,            /* of a trace, as in the paper, and of resamples */
    DENSITY_POINTS = 120,
    TITLE_BYTES = 96
};

static const char *const bootstrap_titles[STUDY_BOOTSTRAPS] = {"basic bootstrap",
                                                               "blocks of 24"};

/* What a figure's panels borrow: as many of each as it has panels. */
struct panels {
    struct plot_panel *panels;
    struct plot_series *series; /* 2 * STUDY_BOOTSTRAPS a panel */
    struct plot_reference *references;
    double *numbers;
    char (*titles)[TITLE_BYTES];
};

static void panels_release(struct panels *made)
{
    free(made->panels);
    free(made->series);
    free(made->references);
    free(made->numbers);
    free(made->titles);
}

static enum duet_code panels_init(struct panels *made, size_t count, size_t numbers,
                                  struct duet_error *reterr)
{
    *made =
        (struct panels){.panels = alloc_array(count, sizeof *made->panels),
                        .series = alloc_array((size_t)2 * STUDY_BOOTSTRAPS * count,
                                              sizeof *made->series),
                        .references = alloc_array(count, sizeof *made->references),
                        .numbers = alloc_array(numbers * count, sizeof *made->numbers),
                        .titles = alloc_array(count, sizeof *made->titles)};
    bool whole = made->panels != NULL && made->series != NULL &&
                 made->references != NULL && made->numbers != NULL &&
                 made->titles != NULL;
    return whole ? DUET_OK : error_no_memory(reterr);
}

/* A panel a series. */
static enum duet_code write_panels(const char *folder, const char *file,
                                   const char *title, const char *description,
                                   const struct stopping_answer *answer,
                                   const struct plot_panel *panels,
                                   struct duet_error *reterr)
{
    size_t count = answer->series_count;
    char note[STUDY_NOTE_BYTES];
    study_pictures_series_note(note, answer->series, count);
    const struct plot_figure figure = {.title = title,
                                       .description = description,
                                       .note = note,
                                       .panels = panels,
                                       .panel_count = count,
                                       .columns = 1,
                                       .panel_height = 220.0};
    return study_picture_write(folder, file, &figure, reterr);
}

static struct plot_series *series_of(const struct panels *made, size_t panel)
{
    return &made->series[(size_t)2 * STUDY_BOOTSTRAPS * panel];
}

/* ---- Figure 2: traces ---- */

/* Every so-many-th of the values and its place. */
static struct plot_series thin_out(const double *values, size_t count, double *room)
{
    size_t step = (count + POINTS_SHOWN - 1) / POINTS_SHOWN;
    size_t kept = 0;
    for (size_t i = 0; i < count; i += step) {
        room[kept] = (double)i;
        room[POINTS_SHOWN + kept++] = values[i];
    }
    return (struct plot_series){
        .kind = PLOT_LINE, .count = kept, .x = room, .y = room + POINTS_SHOWN};
}

/* One for a series and its resamples, whose values are among its own. */
static struct plot_axis range_of(const double *values, size_t count)
{
    struct plot_axis axis = {.low = (double)INFINITY, .high = -(double)INFINITY};
    for (size_t i = 0; i < count; i++) {
        axis.low = fmin(axis.low, values[i]);
        axis.high = fmax(axis.high, values[i]);
    }
    return axis;
}

static enum duet_code draw_traces(const char *folder,
                                  const struct stopping_answer *answer,
                                  const struct study_resampling_row *rows,
                                  const struct study_resampling_trace *traces,
                                  struct duet_error *reterr)
{
    struct panels made;
    size_t count = (size_t)TRACES * answer->series_count;
    const size_t numbers = (size_t)2 * POINTS_SHOWN;
    enum duet_code code = panels_init(&made, count, numbers, reterr);
    for (size_t p = 0; p < count && code == DUET_OK; p++) {
        size_t s = p / TRACES;
        size_t which = p % TRACES;
        const double *values =
            which == 0 ? answer->series[s].values : traces[s].sample[which - 1];
        struct plot_series *line = series_of(&made, p);
        *line = thin_out(values, rows[s].points, made.numbers + p * numbers);
        (void)snprintf(made.titles[p], TITLE_BYTES, "%s",
                       which == 0 ? answer->series[s].name
                                  : bootstrap_titles[which - 1]);
        made.panels[p] =
            (struct plot_panel){.title = made.titles[p],
                                .y = range_of(answer->series[s].values, rows[s].points),
                                .series = line,
                                .series_count = 1};
    }
    char note[STUDY_NOTE_BYTES];
    study_pictures_series_note(note, answer->series, answer->series_count);
    const struct plot_figure figure = {
        .title = "Traces and resamples",
        .note = note,
        .description =
            "The first intervals of each series in the order of measurement "
            "(thinned), beside a resample by the basic bootstrap and one of blocks "
            "of 24.",
        .panels = made.panels,
        .panel_count = count,
        .columns = TRACES,
        .panel_height = 150.0};
    if (code == DUET_OK) {
        code = study_picture_write(folder, "traces.svg", &figure, reterr);
    }
    panels_release(&made);
    return code;
}

/* ---- Figure 3: autocorrelations of resamples ---- */

static enum duet_code draw_acfs(const char *folder,
                                const struct stopping_answer *answer,
                                const struct study_resampling_row *rows,
                                const struct study_resampling_trace *traces,
                                struct duet_error *reterr)
{
    struct panels made;
    size_t replicates = answer->plan->replicates;
    enum duet_code code = panels_init(&made, answer->series_count, 0, reterr);
    for (size_t s = 0; s < answer->series_count && code == DUET_OK; s++) {
        struct plot_series *points = series_of(&made, s);
        for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
            points[b] = (struct plot_series){
                .name = bootstrap_titles[b],
                .kind = PLOT_POINTS,
                .color = b + 1,
                .count = replicates < POINTS_SHOWN ? replicates : POINTS_SHOWN,
                .y = traces[s].acfs[b]};
        }
        made.references[s] = (struct plot_reference){false, rows[s].acf, "measured"};
        made.panels[s] = (struct plot_panel){.title = answer->series[s].name,
                                             .x = {.label = "resample"},
                                             .y = {.label = "autocorrelation"},
                                             .series = points,
                                             .series_count = STUDY_BOOTSTRAPS,
                                             .references = &made.references[s],
                                             .reference_count = 1};
    }
    if (code == DUET_OK) {
        code = write_panels(
            folder, "autocorrelations.svg", "Autocorrelations of resamples",
            "Lag-1 autocorrelations of the first resamples of each series by both bootstraps; "
            "the dashed line is the series' own.",
            answer, made.panels, reterr);
    }
    panels_release(&made);
    return code;
}

/* ---- Figure 4: distributions of the statistic ---- */

/* A curve: its places and heights, then those of its part within the interval. */
enum { CURVE_NUMBERS = 4 * DENSITY_POINTS };

/* The density of `shares`, which are reordered, in percent. */
static enum duet_code density_of(double *shares, size_t count,
                                 const struct study_resampled *of, double *numbers,
                                 size_t *ret_inside, struct duet_error *reterr)
{
    double *at = numbers;
    double *heights = at + DENSITY_POINTS;
    double *at_inside = heights + DENSITY_POINTS;
    double *heights_inside = at_inside + DENSITY_POINTS;
    size_t inside = 0;
    enum duet_code code =
        study_density_of(shares, count, DENSITY_POINTS, at, heights, reterr);
    for (size_t i = 0; i < DENSITY_POINTS && code == DUET_OK; i++) {
        if (at[i] >= of->low && at[i] <= of->high) {
            at_inside[inside] = 100.0 * at[i];
            heights_inside[inside++] = heights[i] / 100.0;
        }
        at[i] *= 100.0;
        heights[i] /= 100.0;
    }
    *ret_inside = inside;
    return code;
}

static enum duet_code fill_distribution(const struct stopping_answer *answer,
                                        const struct study_resampling_row *row,
                                        const struct study_resampling_trace *trace,
                                        double *numbers, struct plot_series *series,
                                        struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t b = 0; b < STUDY_BOOTSTRAPS && code == DUET_OK; b++) {
        double *own = numbers + b * CURVE_NUMBERS;
        size_t inside = 0;
        code = density_of(trace->shares[b], answer->plan->replicates, &row->of[b], own,
                          &inside, reterr);
        series[2 * b] = (struct plot_series){.kind = PLOT_AREA,
                                             .color = b + 1,
                                             .count = inside,
                                             .x = own + (size_t)2 * DENSITY_POINTS,
                                             .y = own + (size_t)3 * DENSITY_POINTS};
        series[2 * b + 1] = (struct plot_series){.name = bootstrap_titles[b],
                                                 .kind = PLOT_LINE,
                                                 .color = b + 1,
                                                 .count = DENSITY_POINTS,
                                                 .x = own,
                                                 .y = own + DENSITY_POINTS};
    }
    return code;
}

static enum duet_code draw_distributions(const char *folder,
                                         const struct stopping_answer *answer,
                                         const struct study_resampling_row *rows,
                                         const struct study_resampling_trace *traces,
                                         struct duet_error *reterr)
{
    struct panels made;
    char statistic[STOP_NAME_BYTES];
    char label[2 * STOP_NAME_BYTES];
    const size_t numbers = (size_t)STUDY_BOOTSTRAPS * CURVE_NUMBERS;
    enum duet_code code = panels_init(&made, answer->series_count, numbers, reterr);
    stop_statistic_name(&answer->plan->statistics[answer->plan->statistic_count - 1],
                        statistic);
    (void)snprintf(label, sizeof label, "%s, from the series' own", statistic);
    for (size_t s = 0; s < answer->series_count && code == DUET_OK; s++) {
        struct plot_series *series = series_of(&made, s);
        code = fill_distribution(answer, &rows[s], &traces[s],
                                 made.numbers + s * numbers, series, reterr);
        made.panels[s] =
            (struct plot_panel){.title = answer->series[s].name,
                                .x = {.label = label, .unit = "%"},
                                .y = {.label = "density", .unit = "1/%"},
                                .series = series,
                                .series_count = (size_t)2 * STUDY_BOOTSTRAPS};
    }
    if (code == DUET_OK) {
        code = write_panels(
            folder, "distributions.svg", "Distributions of a resampled result",
            "Densities of the result over resamples by both bootstraps, filled within the confidence interval.",
            answer, made.panels, reterr);
    }
    panels_release(&made);
    return code;
}

/* ---- Figure 5: accurate tests ---- */

static enum duet_code draw_accurate(const char *folder,
                                    const struct stopping_answer *answer,
                                    const struct study_resampling_row *rows,
                                    struct duet_error *reterr)
{
    size_t count = answer->series_count;
    struct plot_series bars[STUDY_BOOTSTRAPS] = {{0}};
    const char **names = alloc_array(count, sizeof *names);
    double *accurate = alloc_array(STUDY_BOOTSTRAPS * count, sizeof *accurate);
    enum duet_code code =
        names == NULL || accurate == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t s = 0; s < count && code == DUET_OK; s++) {
        names[s] = answer->series[s].name;
        for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
            accurate[b * count + s] = (double)rows[s].of[b].accurate;
        }
    }
    for (size_t b = 0; b < STUDY_BOOTSTRAPS && code == DUET_OK; b++) {
        bars[b] = (struct plot_series){.name = bootstrap_titles[b],
                                       .kind = PLOT_BARS,
                                       .color = b + 1,
                                       .count = count,
                                       .y = accurate + b * count};
    }
    char label[TITLE_BYTES];
    (void)snprintf(label, sizeof label, "accurate tests of %d, within %.6g %%",
                   STUDY_RESAMPLING_TESTS, 100.0 * answer->plan->errors[0]);
    const struct plot_panel panel = {
        .x = {.label = label, .high = STUDY_RESAMPLING_TESTS},
        .y = {.categories = names, .category_count = count},
        .series = bars,
        .series_count = STUDY_BOOTSTRAPS};
    char note[STUDY_NOTE_BYTES];
    study_pictures_series_note(note, answer->series, count);
    const struct plot_figure figure = {
        .title = "Accurate tests by bootstrap",
        .note = note,
        .description =
            "Tests of each series that stop when the interval of their result is narrow enough, and are right.",
        .panels = &panel,
        .panel_count = 1};
    if (code == DUET_OK) {
        code = study_picture_write(folder, "accurate.svg", &figure, reterr);
    }
    free((void *)names);
    free(accurate);
    return code;
}

enum duet_code resampling_pictures_write(const char *folder,
                                         const struct stopping_answer *answer,
                                         const struct study_resampling_row *rows,
                                         const struct study_resampling_trace *traces,
                                         struct duet_error *reterr)
{
    enum duet_code code = draw_traces(folder, answer, rows, traces, reterr);
    if (code == DUET_OK) {
        code = draw_acfs(folder, answer, rows, traces, reterr);
    }
    if (code == DUET_OK) {
        code = draw_distributions(folder, answer, rows, traces, reterr);
    }
    return code == DUET_OK ? draw_accurate(folder, answer, rows, reterr) : code;
}
