#include "figures/study_pictures.h"

#include "base/alloc.h"
#include "base/file.h"
#include "figures/widths_table.h"
#include "report/digits.h"
#include "report/plot/sketch.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CELLS_MAX = 64, RATIO_SERIES = STUDY_RATIO_CONDITIONS * STUDY_RATIO_FILLS };

enum duet_code study_picture_write(const char *folder, const char *name,
                                   const struct plot_figure *figure,
                                   struct duet_error *reterr)
{
    struct text text = {0};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot make the folder '%s'",
                               folder);
    }
    char *path = alloc_format("%s/%s", folder, name);
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    plot_svg(&text, figure);
    enum duet_code code = file_write_text(path, &text, reterr);
    free(path);
    return code;
}

static void append_range(struct text *text, const char *name, double low, double high)
{
    if (low <= high) {
        text_append_format(text, ", %s: %.0f", name, low);
        if (high > low) {
            text_append_format(text, " to %.0f", high);
        }
    }
}

/* ", measured 2026-11-22 to 2026-11-23", of the rows from `first` on, or whose figures
 * they are; nothing where neither is known. */
static void append_days(struct text *text, const struct widths *widths, size_t first)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (size_t i = first; i < widths->count; i++) {
        const struct study_width *row = &widths->rows[i];
        if (row->first_utc_ms > 0) {
            least = row->first_utc_ms < least ? row->first_utc_ms : least;
            most = row->last_utc_ms > most ? row->last_utc_ms : most;
        }
    }
    sketch_append_days(text, least == INT64_MAX ? 0 : least, most);
    if (widths->source != NULL) {
        text_append_format(text, ", published by %s", widths->source);
    }
}

/* The workloads of the rows from `first` on, each once on however many platforms. */
static size_t count_workloads(const struct widths *widths, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < widths->count; i++) {
        const struct study_width *row = &widths->rows[i];
        size_t before = first;
        while (before < i &&
               (strcmp(widths->rows[before].workload, row->workload) != 0 ||
                strcmp(widths->rows[before].suite, row->suite) != 0)) {
            before++;
        }
        count += before == i;
    }
    return count;
}

void study_pictures_note(struct text *text, const struct widths *widths, size_t first)
{
    double low[2] = {(double)INFINITY, (double)INFINITY};
    double high[2] = {0, 0};
    for (size_t i = first; i < widths->count; i++) {
        const double counts[2] = {widths->rows[i].runs, widths->rows[i].iterations};
        for (int k = 0; k < 2 && isfinite(counts[k]); k++) {
            low[k] = fmin(low[k], counts[k]);
            high[k] = fmax(high[k], counts[k]);
        }
    }
    text_append_format(text, "workloads: %zu", count_workloads(widths, first));
    append_range(text, "runs", low[0], high[0]);
    append_range(text, "iterations of a run", low[1], high[1]);
    append_days(text, widths, first);
}

void study_pictures_series_note(char note[STUDY_NOTE_BYTES],
                                const struct study_series *series, size_t count)
{
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        least = series[i].count < least ? series[i].count : least;
        most = series[i].count > most ? series[i].count : most;
    }
    int used = snprintf(note, STUDY_NOTE_BYTES,
                        "series: %zu, measurements of a series: %zu", count, least);
    if (most > least && used > 0) {
        (void)snprintf(note + used, STUDY_NOTE_BYTES - (size_t)used, " to %zu", most);
    }
}

/* ---- Widths by platform and suite ---- */

/* A box for each cell (platform and suite) that has widths of the kind. */
struct cells {
    const struct study_width *rows[CELLS_MAX];
    char *names[CELLS_MAX];
    const char *shown[CELLS_MAX];
    size_t count;
};

static enum duet_code cells_of(const struct widths *widths, struct cells *ret_cells,
                               struct duet_error *reterr)
{
    struct cells *cells = ret_cells;
    size_t at = 0;
    const struct study_width *row;
    while (cells->count < CELLS_MAX && (row = widths_next_cell(widths, &at)) != NULL) {
        char *name = alloc_format("%s, %s", row->platform, row->suite);
        if (name == NULL) {
            return error_no_memory(reterr);
        }
        cells->rows[cells->count] = row;
        cells->names[cells->count] = name;
        cells->shown[cells->count++] = name;
    }
    return DUET_OK;
}

static void cells_release(struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        free(cells->names[i]);
    }
}

static struct plot_box box_of(double place, const struct stats_spread *spread)
{
    return (struct plot_box){.place = place,
                             .low = spread->low,
                             .quarter_low = spread->quarter_low,
                             .median = spread->median,
                             .quarter_high = spread->quarter_high,
                             .high = spread->high};
}

/* A platform without such widths has no box. */
static enum duet_code boxes_of(const struct widths *widths, const struct cells *cells,
                               enum study_width_kind kind, struct plot_box *ret_boxes,
                               size_t *ret_count, struct duet_error *reterr)
{
    size_t count = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct study_widths_filter filter = {NULL, cells->rows[i]->platform,
                                                   cells->rows[i]->suite};
        struct stats_spread spread;
        struct duet_error error;
        enum duet_code code = study_widths_spread(widths->rows, widths->count, &filter,
                                                  kind, &spread, &error);
        if (code == DUET_OK) {
            ret_boxes[count++] = box_of((double)i, &spread);
        } else if (code != DUET_E_TOO_FEW) {
            return error_set(reterr, code, "%s", error.message);
        }
    }
    *ret_count = count;
    return DUET_OK;
}

struct widths_picture {
    const char *file;
    const char *title;
    const char *description;
    enum study_width_kind kinds[2];
    const char *names[2];
};

static enum duet_code draw_widths(const char *folder, const struct widths *widths,
                                  const struct widths_picture *picture,
                                  struct duet_error *reterr)
{
    struct cells cells = {.count = 0};
    struct plot_box boxes[2][CELLS_MAX];
    struct plot_series series[2];
    enum duet_code code = cells_of(widths, &cells, reterr);
    for (size_t s = 0; s < 2 && code == DUET_OK; s++) {
        series[s] = (struct plot_series){.name = picture->names[s],
                                         .kind = PLOT_BOXES,
                                         .color = s,
                                         .boxes = boxes[s]};
        code = boxes_of(widths, &cells, picture->kinds[s], boxes[s], &series[s].count,
                        reterr);
    }
    struct text note = {0};
    struct text label = {0};
    study_pictures_note(&note, widths, 0);
    text_append(&label, "width of the ");
    if (widths->confidence > 0.0) {
        digits_append_level(&label, widths->confidence);
        text_append_char(&label, ' ');
    }
    text_append(&label, "interval, relative to the mean");
    const struct plot_panel panel = {
        .x = {.label = text_string(&label), .unit = "%", .scale = PLOT_LOG},
        .y = {.categories = cells.shown, .category_count = cells.count},
        .series = series,
        .series_count = 2};
    const struct plot_figure figure = {.title = picture->title,
                                       .description = picture->description,
                                       .note = text_string(&note),
                                       .panels = &panel,
                                       .panel_count = 1,
                                       .panel_height =
                                           fmax(120.0, 40.0 * (double)cells.count)};
    if (code == DUET_OK) {
        code = text_failed(&note) || text_failed(&label)
                   ? error_no_memory(reterr)
                   : study_picture_write(folder, picture->file, &figure, reterr);
    }
    text_release(&label);
    text_release(&note);
    cells_release(&cells);
    return code;
}

enum duet_code study_pictures_widths(const char *folder, const struct widths *widths,
                                     struct duet_error *reterr)
{
    static const struct widths_picture accuracy = {
        "figure-2-widths.svg",
        "Accuracy: duet and the standard method",
        "Distribution over workloads of the width of the interval of a comparison of a workload with itself: "
        "minimum, quartiles, median, maximum. Further left is more accurate.",
        {STUDY_WIDTH_DUET, STUDY_WIDTH_STANDARD},
        {"duet", "standard method"}};
    static const struct widths_picture shuffled = {
        "figure-4-shuffled.svg",
        "Synchronized interference: pairs and shuffled pairs",
        "The same distribution for pairs that were measured at the same time and for pairs of unrelated "
        "measurements.",
        {STUDY_WIDTH_DUET, STUDY_WIDTH_SHUFFLED},
        {"measured together", "shuffled"}};
    enum duet_code code = draw_widths(folder, widths, &accuracy, reterr);
    return code == DUET_OK ? draw_widths(folder, widths, &shuffled, reterr) : code;
}

enum duet_code study_pictures_sharing(const char *folder, const struct widths *widths,
                                      struct duet_error *reterr)
{
    static const struct widths_picture sharing = {
        "figure-5-sharing.svg",
        "Resource sharing: quiet and busy",
        "Distribution over workloads of the width of the interval, "
        "for pairs measured together and for shuffled pairs, without and with a competing load.",
        {STUDY_WIDTH_DUET, STUDY_WIDTH_SHUFFLED},
        {"measured together", "shuffled"}};
    return draw_widths(folder, widths, &sharing, reterr);
}

/* ---- Ratios ---- */

/* Of a series: quiet without fill, with it, and the same under load. */
static const struct stats_spread *spread_of(const struct study_ratio *ratio,
                                            size_t series, size_t workload)
{
    return &study_ratio_cell(ratio, workload, series / STUDY_RATIO_FILLS,
                             series % STUDY_RATIO_FILLS)
                ->spread;
}

static void append_runs(struct text *text, const struct study_ratio *ratio)
{
    double low = (double)INFINITY;
    double high = 0;
    for (size_t i = 0; i < RATIO_SERIES * ratio->workload_count; i++) {
        double runs = (double)ratio->cells[i].spread.count;
        low = runs > 0 ? fmin(low, runs) : low;
        high = fmax(high, runs);
    }
    text_append_format(text, "workloads: %zu", ratio->workload_count);
    append_range(text, "runs of each", low, high);
}

enum duet_code study_pictures_ratio(const char *folder, const struct study_ratio *ratio,
                                    const struct widths *widths,
                                    struct duet_error *reterr)
{
    static const char *const names[RATIO_SERIES] = {"quiet", "quiet, fill", "busy",
                                                    "busy, fill"};
    struct plot_series drawn[RATIO_SERIES];
    size_t workloads = ratio->workload_count;
    struct plot_box *boxes = alloc_array(RATIO_SERIES * workloads, sizeof *boxes);
    if (boxes == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t s = 0; s < RATIO_SERIES; s++) {
        struct plot_box *own = &boxes[s * workloads];
        size_t count = 0;
        for (size_t i = 0; i < workloads; i++) {
            if (spread_of(ratio, s, i)->count > 0) {
                own[count++] = box_of((double)i, spread_of(ratio, s, i));
            }
        }
        drawn[s] = (struct plot_series){.name = names[s],
                                        .kind = PLOT_BOXES,
                                        .color = s,
                                        .count = count,
                                        .boxes = own};
    }
    static const struct plot_reference two = {false, 2, NULL};
    struct text note = {0};
    append_runs(&note, ratio);
    append_days(&note, widths, 0);
    const struct plot_panel panel = {
        .x = {.categories = ratio->names, .category_count = workloads},
        .y = {.label = "ratio of iteration times (true: 2)"},
        .series = drawn,
        .series_count = RATIO_SERIES,
        .references = &two,
        .reference_count = 1};
    const struct plot_figure figure = {
        .title = "A side with twice the work",
        .description =
            "Distribution over runs of the ratio that was measured where one side does exactly twice the other's "
            "work.",
        .note = text_string(&note),
        .panels = &panel,
        .panel_count = 1};
    enum duet_code code =
        text_failed(&note)
            ? error_no_memory(reterr)
            : study_picture_write(folder, "figure-6-ratio.svg", &figure, reterr);
    text_release(&note);
    free(boxes);
    return code;
}
