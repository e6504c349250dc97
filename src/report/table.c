#include "report/table.h"

#include "base/alloc.h"
#include "report/analysis_words.h"
#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/geomean_words.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>

enum column {
    COLUMN_NAME,
    COLUMN_OLD,
    COLUMN_NEW,
    COLUMN_CHANGE,
    COLUMN_INTERVAL,
    COLUMN_VERDICT,
    COLUMN_RUNS,
    COLUMN_P,
    COLUMNS
};

/* How much a table says, from all to least; the first that fits is taken. */
enum level {
    LEVEL_FULL,
    LEVEL_BRIEF, /* verdicts without details, changes without factors */
    LEVEL_TIGHT, /* and no spaces around the deviations' signs */
    LEVEL_MEANS, /* and no deviations */
    LEVEL_SHORT, /* and neither runs nor p values, and a short header */
    LEVEL_LEAST, /* and no times */
    LEVELS
};

enum { GAP = 2 };

static const char geomean_name[] = "geometric mean";
static const char geomean_short_name[] = "geomean";

/* Fewest columns for the names; with all said, the last row's name fits. */
static const size_t name_columns_min[LEVELS] = {[LEVEL_FULL] = sizeof geomean_name - 1,
                                                [LEVEL_BRIEF] = 16,
                                                [LEVEL_TIGHT] = 16,
                                                [LEVEL_MEANS] = 12,
                                                [LEVEL_SHORT] = 10,
                                                [LEVEL_LEAST] = 9};

static const bool right_aligned[COLUMNS] = {[COLUMN_OLD] = true,
                                            [COLUMN_NEW] = true,
                                            [COLUMN_CHANGE] = true,
                                            [COLUMN_RUNS] = true,
                                            [COLUMN_P] = true};

struct row {
    struct text cells[COLUMNS];
    enum display_paint paint; /* of the change and the verdict */
};

struct table {
    struct row *rows; /* [0] is the header */
    size_t count;
    size_t columns[COLUMNS]; /* widths */
    bool failed;             /* an allocation did, in rows that were released since */
};

static void cell_release(struct table *table, struct text *cell)
{
    table->failed = table->failed || text_failed(cell);
    text_release(cell);
}

static void rows_release(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            cell_release(table, &table->rows[i].cells[c]);
        }
    }
}

/* Whether its adjusted p value is shown. */
static bool has_p(const struct model_comparison *comparison,
                  const struct report_style *style)
{
    return style->verbosity > 1 && comparison->family.size > 1 &&
           isfinite(comparison->family.p_adjusted);
}

static void fill_header(struct row *row, const struct model_comparison *comparisons,
                        size_t count, enum level level,
                        const struct report_style *style)
{
    const char *spread = style->unicode ? " (mean ± sd)" : " (mean +- sd)";
    double confidence = (double)NAN;
    bool shared = true;
    for (size_t i = 0; i < count; i++) {
        double of_row = comparisons[i].interval.confidence;
        if (model_comparison_is_measured(&comparisons[i])) {
            shared = shared && !(of_row < confidence) && !(of_row > confidence);
            confidence = of_row;
        }
    }
    text_append(&row->cells[COLUMN_NAME], "benchmark");
    text_append_format(&row->cells[COLUMN_OLD], "old%s",
                       level == LEVEL_FULL ? spread : "");
    text_append_format(&row->cells[COLUMN_NEW], "new%s",
                       level == LEVEL_FULL ? spread : "");
    text_append(&row->cells[COLUMN_CHANGE], "change");
    if (shared && isfinite(confidence) && level < LEVEL_SHORT) {
        digits_append_level(&row->cells[COLUMN_INTERVAL], confidence);
        text_append_char(&row->cells[COLUMN_INTERVAL], ' ');
    }
    text_append(&row->cells[COLUMN_INTERVAL], "interval");
    text_append(&row->cells[COLUMN_VERDICT], "verdict");
    text_append(&row->cells[COLUMN_RUNS], "runs");
    for (size_t i = 0; i < count; i++) {
        if (row->cells[COLUMN_P].length == 0 && has_p(&comparisons[i], style)) {
            text_append(&row->cells[COLUMN_P], "adjusted p");
        }
    }
    row->paint = DISPLAY_DIM;
}

static void fill_row(struct row *row, const struct model_comparison *comparison,
                     const char *name, enum level level,
                     const struct report_style *style)
{
    double unit_ns = words_unit_ns(comparison, 1, style->unit_ns);
    display_append_clean(&row->cells[COLUMN_NAME], name, style->unicode);
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        struct model_summary summary = comparison->sides[side];
        if (level == LEVEL_MEANS) {
            summary.sd_ns = (double)NAN;
        }
        words_append_mean(&row->cells[COLUMN_OLD + side], &summary, unit_ns,
                          style->unicode,
                          level >= LEVEL_TIGHT ? WORDS_MEAN_TIGHT : WORDS_MEAN_ONCE);
    }
    words_append_change(&row->cells[COLUMN_CHANGE], comparison, style->unicode,
                        level == LEVEL_FULL);
    words_append_interval(&row->cells[COLUMN_INTERVAL], comparison, false);
    words_append_verdict(&row->cells[COLUMN_VERDICT], comparison, level != LEVEL_FULL);
    if (model_comparison_is_measured(comparison)) {
        text_append_format(&row->cells[COLUMN_RUNS], "%llu",
                           (unsigned long long)comparison->runs);
    }
    if (has_p(comparison, style)) {
        analysis_words_append_p_value(&row->cells[COLUMN_P],
                                      comparison->family.p_adjusted);
    }
    row->paint = words_verdict_paint(comparison->verdict);
}

/* A summary row: it has no times and no runs of its own. */
static void fill_geomean(struct table *table, const struct model_geomean *geomean,
                         enum level level, const struct report_style *style)
{
    struct row *row = &table->rows[table->count - 1];
    struct model_comparison summary;
    geomean_words_row(geomean, &summary);
    fill_row(row, &summary, level == LEVEL_FULL ? geomean_name : geomean_short_name,
             level, style);
    cell_release(table, &row->cells[COLUMN_OLD]);
    cell_release(table, &row->cells[COLUMN_NEW]);
    cell_release(table, &row->cells[COLUMN_RUNS]);
}

/* Whether a narrow table goes without that column. */
static bool is_dropped(size_t column, enum level level)
{
    return ((column == COLUMN_RUNS || column == COLUMN_P) && level >= LEVEL_SHORT) ||
           ((column == COLUMN_OLD || column == COLUMN_NEW) && level >= LEVEL_LEAST);
}

/* Measures every column; returns the line's length. */
static size_t measure_columns(struct table *table, enum level level)
{
    size_t total = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
        table->columns[c] = 0;
        for (size_t i = 0; i < table->count; i++) {
            if (is_dropped(c, level)) {
                cell_release(table, &table->rows[i].cells[c]);
            }
            size_t wide = display_columns(text_string(&table->rows[i].cells[c]));
            table->columns[c] = wide > table->columns[c] ? wide : table->columns[c];
        }
        total += table->columns[c] + (table->columns[c] == 0 ? 0 : GAP);
    }
    return total > GAP ? total - GAP : 0;
}

/* Narrows the name column as far as needed and possible; whether the line fits then. */
static bool shorten_names(struct table *table, size_t total, size_t least, size_t width)
{
    if (width == 0 || total <= width) {
        return true;
    }
    size_t *name = &table->columns[COLUMN_NAME];
    size_t excess = total - width;
    bool fits = *name >= excess + least;
    if (*name > least) {
        *name = fits ? *name - excess : least;
    }
    return fits;
}

static enum level fit_table(struct table *table,
                            const struct model_comparison *comparisons, size_t count,
                            const struct model_geomean *geomean,
                            const struct report_style *style)
{
    for (enum level level = LEVEL_FULL;; level++) {
        fill_header(&table->rows[0], comparisons, count, level, style);
        for (size_t i = 0; i < count; i++) {
            fill_row(&table->rows[1 + i], &comparisons[i], comparisons[i].name, level,
                     style);
        }
        if (geomean != NULL) {
            fill_geomean(table, geomean, level, style);
        }
        if (shorten_names(table, measure_columns(table, level), name_columns_min[level],
                          style->width) ||
            level + 1 == LEVELS) {
            return level;
        }
        rows_release(table);
    }
}

static enum display_paint cell_paint(const struct row *row, size_t column, bool header)
{
    if (header) {
        return DISPLAY_DIM;
    }
    if (column == COLUMN_VERDICT) {
        return row->paint;
    }
    /* The number is coloured with its verdict, but only the verdict is bold. */
    return column == COLUMN_CHANGE && row->paint != DISPLAY_STRONG ? row->paint
                                                                   : DISPLAY_PLAIN;
}

static void append_row(struct text *text, const struct table *table, size_t index,
                       const struct report_style *style)
{
    const struct row *row = &table->rows[index];
    size_t last = COLUMNS - 1;
    while (last > 0 && row->cells[last].length == 0) {
        last--;
    }
    for (size_t c = 0; c <= last; c++) {
        struct text cell = {0};
        display_append_name(&cell, text_string(&row->cells[c]), table->columns[c],
                            style->unicode);
        int width = right_aligned[c] ? (int)table->columns[c]
                    : c != last      ? -(int)table->columns[c]
                                     : 0;
        display_pad(text, "", c == 0 || table->columns[c] == 0 ? 0 : GAP);
        columns_append_painted(text, width, style, cell_paint(row, c, index == 0),
                               text_string(&cell));
        display_drop(text, &cell);
    }
    text_append_char(text, '\n');
}

bool table_append(struct text *text, const struct model_comparison *comparisons,
                  size_t count, const struct model_geomean *geomean,
                  const struct report_style *style)
{
    struct table table = {.count = 1 + count + (geomean != NULL)};
    table.rows = alloc_array(table.count, sizeof *table.rows);
    if (table.rows == NULL) {
        text->failed = true;
        return false;
    }
    enum level level = fit_table(&table, comparisons, count, geomean, style);
    for (size_t i = 0; i < table.count; i++) {
        append_row(text, &table, i, style);
    }
    rows_release(&table);
    text->failed = text->failed || table.failed;
    free(table.rows);
    return level != LEVEL_FULL;
}
