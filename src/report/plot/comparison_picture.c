#include "report/plot/comparison_picture.h"

#include "report/ci/ci_names.h"
#include "report/ci/ci_words.h"
#include "report/display.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Narrow enough to be read where a page shows it 400 pixels wide. */
static const double picture_width = 440;
static const double panel_height = 230;
enum { TITLE_COLUMNS = 48, NAME_COLUMNS = 18, POINTS_MOST = 1000 };

/* The text's bytes for as long as the sketch lives; releases the text. */
static const char *keep(struct sketch *sketch, struct text *take_text)
{
    const char *kept = sketch_name(sketch, "%s", text_string(take_text));
    sketch->failed = sketch->failed || text_failed(take_text);
    text_release(take_text);
    return kept;
}

static const char *sentence_of(struct sketch *sketch,
                               const struct model_comparison *comparison)
{
    struct text text = {0};
    ci_append_sentence(&text, comparison);
    return keep(sketch, &text);
}

static const char *title_of(struct sketch *sketch,
                            const struct model_comparison *comparison, size_t columns)
{
    struct text text = {0};
    display_append_name(&text, ci_name_of(comparison), columns, true);
    return keep(sketch, &text);
}

/* How much was measured and when, and what the picture leaves out. */
static const char *note_of(struct sketch *sketch, const struct course *course)
{
    const struct model_trace *trace = course->trace;
    struct text text = {0};
    uint64_t every =
        trace->every * course_step(trace->counts[MODEL_OLD], course->points_most);
    words_append_runs(&text, course->comparison);
    sketch_append_days(&text, course->started_utc_ms, course->started_utc_ms);
    if (every > 1) {
        text_append_format(&text, "; times: one of %" PRIu64, every);
    }
    return keep(sketch, &text);
}

void comparison_picture(struct text *text, const struct course *course)
{
    static const enum course_panel wanted[] = {COURSE_TIMES, COURSE_DISTRIBUTION,
                                               COURSE_BLOCKS};
    struct sketch sketch = {.blocks = NULL};
    struct course own = *course;
    own.points_most = POINTS_MOST;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        bool runs = wanted[i] == COURSE_BLOCKS && !course_panel_has(wanted[i], &own);
        enum course_panel panel = runs ? COURSE_RUNS : wanted[i];
        if (course_panel_has(panel, &own)) {
            course_panel_add(&sketch, panel, &own, true);
        }
    }
    const struct plot_figure figure = {
        .title = title_of(&sketch, own.comparison, TITLE_COLUMNS),
        .description = sentence_of(&sketch, own.comparison),
        .note = note_of(&sketch, &own),
        .columns = 1,
        .width = picture_width,
        .panel_height = panel_height};
    sketch_append(&sketch, text, &figure);
}

/* ---- Several ---- */

struct rows {
    const char **names;
    double *places;
    double *ratios;
    double *lows;
    double *highs;
    struct plot_box *boxes;
    size_t count;
    bool any_box;
};

static bool rows_take(struct sketch *sketch, size_t count, struct rows *rows)
{
    typedef const char *string;
    rows->names = sketch_take(sketch, count, sizeof(string));
    rows->places = sketch_take(sketch, count, sizeof(double));
    rows->ratios = sketch_take(sketch, count, sizeof(double));
    rows->lows = sketch_take(sketch, count, sizeof(double));
    rows->highs = sketch_take(sketch, count, sizeof(double));
    rows->boxes = sketch_take(sketch, count, sizeof(struct plot_box));
    rows->count = count;
    return !sketch->failed;
}

/* "name (slower)": that colour never stands alone. */
static const char *row_name(struct sketch *sketch,
                            const struct model_comparison *comparison)
{
    return sketch_name(sketch, "%s (%s)", title_of(sketch, comparison, NAME_COLUMNS),
                       model_verdict_name(comparison->verdict));
}

static void rows_fill(struct sketch *sketch, const struct model_comparison *comparisons,
                      const double (*quantiles)[MODEL_TRACE_QUANTILES],
                      struct rows *rows)
{
    for (size_t i = 0; i < rows->count && !sketch->failed; i++) {
        const struct model_interval *interval = &comparisons[i].interval;
        const double *q = quantiles[i];
        rows->names[i] = row_name(sketch, &comparisons[i]);
        rows->places[i] = (double)i;
        rows->ratios[i] = comparisons[i].ratio;
        rows->lows[i] = interval->low;
        rows->highs[i] = interval->high;
        rows->boxes[i] =
            (struct plot_box){.place = isfinite(q[0]) ? (double)i : (double)NAN,
                              .low = q[0],
                              .quarter_low = q[1],
                              .median = q[2],
                              .quarter_high = q[3],
                              .high = q[4]};
        rows->any_box = rows->any_box || isfinite(q[0]);
    }
}

/* "runs of each: 13 to 36, measured 2026-11-25" */
static const char *several_note(struct sketch *sketch,
                                const struct model_comparison *comparisons,
                                size_t count, const int64_t started_utc_ms[2])
{
    struct text text = {0};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (model_comparison_is_measured(&comparisons[i])) {
            least = comparisons[i].runs < least ? comparisons[i].runs : least;
            most = comparisons[i].runs > most ? comparisons[i].runs : most;
        }
    }
    if (least <= most) {
        text_append_format(&text, "runs of each: %" PRIu64, least);
        if (least < most) {
            text_append_format(&text, " to %" PRIu64, most);
        }
        sketch_append_days(&text, started_utc_ms[0], started_utc_ms[1]);
    }
    return keep(sketch, &text);
}

void comparison_picture_several(struct text *text,
                                const struct model_comparison *comparisons,
                                const double (*quantiles)[MODEL_TRACE_QUANTILES],
                                size_t count, const int64_t started_utc_ms[2])
{
    struct sketch sketch = {.blocks = NULL};
    struct rows rows = {.count = 0};
    if (rows_take(&sketch, count, &rows)) {
        rows_fill(&sketch, comparisons, quantiles, &rows);
    }
    const struct plot_reference no_change = {.upright = true, .value = 1};
    const struct plot_axis names = {.categories = rows.names, .category_count = count};
    const struct plot_axis ratios = {.label = "ratio new / old", .scale = PLOT_LOG};
    const struct plot_series intervals = {.kind = PLOT_INTERVALS,
                                          .color = 2,
                                          .count = count,
                                          .x = rows.places,
                                          .y = rows.ratios,
                                          .low = rows.lows,
                                          .high = rows.highs};
    const struct plot_series boxes = {
        .kind = PLOT_BOXES, .color = 2, .count = count, .boxes = rows.boxes};
    struct plot_panel panel = {.title = "Change, with its interval",
                               .x = ratios,
                               .y = names,
                               .series = &intervals,
                               .series_count = 1,
                               .references = &no_change,
                               .reference_count = 1};
    sketch_panel(&sketch, &panel);
    if (rows.any_box) {
        panel.title = "Pairs: median, quartiles, 5 to 95 %";
        panel.series = &boxes;
        sketch_panel(&sketch, &panel);
    }
    const struct ci_report report = {.comparisons = comparisons, .count = count};
    const struct ci_counts counts = ci_count(&report);
    struct text title = {0};
    ci_append_counts(&title, &counts);
    const struct plot_figure figure = {
        .title = sketch_name(&sketch, "%zu benchmarks: %s", count, text_string(&title)),
        .description = "For each benchmark the ratio new / old with its interval, and "
                       "the quantiles of its pairs' ratios. Above 1 new is slower.",
        .note = several_note(&sketch, comparisons, count, started_utc_ms),
        .columns = 1,
        .width = picture_width,
        .panel_height = panel_height};
    display_drop(text, &title);
    sketch_append(&sketch, text, &figure);
}
