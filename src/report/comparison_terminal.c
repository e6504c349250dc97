/* The answer on a terminal: one benchmark as verdict, change and sides, or a table;
 * notes below. */
#include "report/digits.h"
#include "report/display.h"
#include "report/estimate_words.h"
#include "report/failed_rows.h"
#include "report/geomean_words.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_COLUMNS = 7, GAP = 3, NAME_COLUMNS_MIN = 12 };

/* The cells of one side's line. */
struct side_line {
    struct text name;
    struct text mean;
    struct text range;
};

static void side_line_drop(struct text *text, struct side_line *line)
{
    display_drop(text, &line->name);
    display_drop(text, &line->mean);
    display_drop(text, &line->range);
}

static void fill_side(struct side_line *line, const struct model_comparison *comparison,
                      size_t side, const struct report_style *style)
{
    const struct model_summary *summary = &comparison->sides[side];
    double unit_ns = words_unit_ns(comparison, 1, style->unit_ns);
    display_append_clean(&line->name, comparison->side_names[side], style->unicode);
    words_append_mean(&line->mean, summary, unit_ns, style->unicode, WORDS_MEAN_LONG);
    if (summary->count > 1 && isfinite(summary->min_ns) && isfinite(summary->max_ns)) {
        int decimals = digits_time_decimals(summary->mean_ns, summary->sd_ns, unit_ns);
        const char *unit = digits_unit_name(unit_ns, style->unicode);
        double least = summary->min_ns / unit_ns;
        text_append_format(&line->range, "%.*f %s %s %.*f %s",
                           digits_above_zero(least, decimals), least, unit,
                           style->unicode ? "…" : "..", decimals,
                           summary->max_ns / unit_ns, unit);
    }
}

static uint64_t most_of(const struct model_strip *strip)
{
    uint64_t most = 1;
    for (size_t i = 0; i < MODEL_STRIP_BINS; i++) {
        most = strip->counts[i] > most ? strip->counts[i] : most;
    }
    return most;
}

/* "  blocks  -1.2 % ▁▂▄█▆▂ ▁ +4.7 %": how many blocks (height) showed which change,
 * from the smallest to the largest. Nothing without unicode, or where the strip is
 * unknown.
 */
static void append_strip(struct text *text, const struct model_strip *strip,
                         const struct report_style *style)
{
    static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { LEVELS = sizeof levels / sizeof levels[0] };
    if (!style->unicode || !(strip->high > strip->low)) {
        return;
    }
    int decimals = digits_decimals((strip->high - strip->low) * 50, 1);
    uint64_t most = most_of(strip);
    struct text line = {0};
    text_append(&line, "  blocks  ");
    digits_append_change(&line, strip->low, decimals);
    text_append(&line, " % ");
    for (size_t i = 0; i < MODEL_STRIP_BINS; i++) {
        uint64_t count = strip->counts[i];
        text_append(&line, count == 0 ? " " : levels[(count * LEVELS - 1) / most]);
    }
    text_append_char(&line, ' ');
    digits_append_change(&line, strip->high, decimals);
    text_append(&line, " %");
    display_append_painted(text, style, DISPLAY_DIM, text_string(&line));
    text_append_char(text, '\n');
    display_drop(text, &line);
}

static size_t wider(const struct text *a, const struct text *b)
{
    size_t first = display_columns(text_string(a));
    size_t second = display_columns(text_string(b));
    return first > second ? first : second;
}

struct layout {
    size_t name;
    size_t mean;
    size_t range; /* 0: left out */
};

/* Long names give way first, then the range. */
static struct layout lay_out(const struct side_line lines[MODEL_SIDES], size_t width)
{
    struct layout layout = {
        .name = wider(&lines[MODEL_OLD].name, &lines[MODEL_NEW].name),
        .mean = wider(&lines[MODEL_OLD].mean, &lines[MODEL_NEW].mean),
        .range = wider(&lines[MODEL_OLD].range, &lines[MODEL_NEW].range)};
    if (width == 0) {
        return layout;
    }
    size_t least = layout.name < NAME_COLUMNS_MIN ? layout.name : NAME_COLUMNS_MIN;
    size_t fixed = LABEL_COLUMNS + GAP + layout.mean;
    if (fixed + least + GAP + layout.range > width) {
        layout.range = 0;
    }
    fixed += layout.range == 0 ? 0 : GAP + layout.range;
    if (fixed + layout.name > width) {
        layout.name = width > fixed + least ? width - fixed : least;
    }
    return layout;
}

static void append_label(struct text *text, const char *label)
{
    text_append_format(text, "  %s", label);
    display_pad(text, label, LABEL_COLUMNS - 2);
}

static void append_columns(struct text *text, const struct layout *layout,
                           const char *name, const char *mean, const char *range,
                           const struct report_style *style, enum display_paint paint)
{
    struct text cut = {0};
    bool ranged = layout->range != 0 && *range != '\0';
    display_append_name(&cut, name, layout->name, style->unicode);
    text_append(text, text_string(&cut));
    display_pad(text, text_string(&cut), layout->name);
    display_pad(text, "", layout->name == 0 ? 0 : GAP);
    display_append_painted(text, style, paint, mean);
    if (ranged) {
        display_pad(text, mean, layout->mean + GAP);
        display_append_painted(text, style, DISPLAY_DIM, range);
    }
    text_append_char(text, '\n');
    display_drop(text, &cut);
}

static void append_sides(struct text *text, const struct model_comparison *comparison,
                         const struct report_style *style)
{
    struct side_line lines[MODEL_SIDES] = {0};
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        fill_side(&lines[side], comparison, side, style);
    }
    struct layout layout = lay_out(lines, style->width);
    if (layout.mean != 0) {
        append_label(text, "");
        append_columns(text, &layout, "", style->unicode ? "mean ± sd" : "mean +- sd",
                       layout.range == 0 ? ""
                       : style->unicode  ? "min … max"
                                         : "min .. max",
                       style, DISPLAY_DIM);
    }
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        append_label(text, model_side_name((enum model_side)side));
        append_columns(text, &layout, text_string(&lines[side].name),
                       text_string(&lines[side].mean), text_string(&lines[side].range),
                       style, DISPLAY_PLAIN);
        side_line_drop(text, &lines[side]);
    }
}

/* "new is slower: +3.02 %  [+2.71 %, +3.34 %]", in two lines when it is longer than the
 * terminal is wide. */
static void append_headline(struct text *text,
                            const struct model_comparison *comparison,
                            const struct report_style *style)
{
    struct text verdict = {0};
    struct text change = {0};
    struct text interval = {0};
    words_append_headline(&verdict, comparison);
    words_append_change(&change, comparison, style->unicode, true);
    words_append_interval(&interval, comparison, true);
    if (change.length != 0) {
        text_append_char(&verdict, ':');
    }
    size_t columns = display_columns(text_string(&verdict)) + 1 +
                     display_columns(text_string(&change)) + 2 +
                     display_columns(text_string(&interval));
    display_append_painted(text, style, words_verdict_paint(comparison->verdict),
                           text_string(&verdict));
    text_append_format(text, "%s%s", change.length == 0 ? "" : " ",
                       text_string(&change));
    if (interval.length != 0) {
        bool fits = style->width == 0 || columns <= style->width;
        text_append_format(text, "%s  %s", fits ? "" : "\n", text_string(&interval));
    }
    text_append_char(text, '\n');
    display_drop(text, &verdict);
    display_drop(text, &change);
    display_drop(text, &interval);
}

/* What has changed by that and how it was found, and the mean where it changed
 * otherwise. */
static void append_compares(struct text *text,
                            const struct model_comparison *comparison,
                            const struct report_style *style)
{
    struct text line = {0};
    text_append(&line, "of ");
    estimate_words_append(&line, comparison);
    text_append(&line, "; ");
    words_append_runs(&line, comparison);
    text_append_format(&line, ", %s, ", words_schedule(comparison));
    digits_append_level(&line, comparison->interval.confidence);
    text_append(&line, " confidence");
    display_append_paragraph(text, style, DISPLAY_DIM, 2, "", text_string(&line));
    display_drop(text, &line);
    estimate_words_append_mean(&line, comparison, style);
    if (line.length != 0) {
        display_append_paragraph(text, style, DISPLAY_PLAIN, 2,
                                 "mean:", text_string(&line));
    }
    display_drop(text, &line);
}

static void append_single(struct text *text, const struct model_comparison *comparison,
                          const struct report_style *style)
{
    bool named = comparison->name[0] != '\0' &&
                 strcmp(comparison->name, comparison->side_names[MODEL_OLD]) != 0 &&
                 strcmp(comparison->name, comparison->side_names[MODEL_NEW]) != 0;
    if (named) {
        struct text name = {0};
        display_append_name(&name, comparison->name, style->width, style->unicode);
        display_append_painted(text, style, DISPLAY_STRONG, text_string(&name));
        text_append_char(text, '\n');
        display_drop(text, &name);
    }
    if (!model_comparison_is_measured(comparison)) {
        return; /* the reason follows */
    }
    append_headline(text, comparison, style);
    append_compares(text, comparison, style);
    text_append_char(text, '\n');
    append_sides(text, comparison, style);
    append_strip(text, &comparison->strip, style);
}

/* "xz: +3.02 % [+2.71 %, +3.34 %], slower, 16 runs". */
static void append_quiet(struct text *text, const struct model_comparison *comparison,
                         const char *name, const struct report_style *style)
{
    struct text verdict = {0};
    if (*name != '\0') {
        display_append_clean(text, name, style->unicode);
        text_append(text, ": ");
    }
    size_t before = text->length;
    words_append_change(text, comparison, style->unicode, true);
    if (words_has_interval(comparison)) {
        text_append_char(text, ' ');
        words_append_interval(text, comparison, true);
    }
    text_append(text, text->length == before ? "" : ", ");
    if (comparison->verdict == MODEL_VERDICTS) {
        text_append(&verdict, "no interval"); /* a mean of benchmarks */
    } else {
        words_append_verdict(&verdict, comparison, false);
    }
    display_append_painted(text, style, words_verdict_paint(comparison->verdict),
                           text_string(&verdict));
    if (!model_comparison_is_measured(comparison)) {
        text_append(text, ": ");
        display_append_clean(text, comparison->failure, style->unicode);
    } else if (comparison->runs != 0) {
        text_append(text, ", ");
        words_append_runs(text, comparison);
    }
    text_append_char(text, '\n');
    display_drop(text, &verdict);
}

void report_terminal(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct model_geomean *geomean,
                     const struct report_style *style)
{
    if (count == 0) {
        return;
    }
    if (style->verbosity <= 0) {
        for (size_t i = 0; i < count; i++) {
            append_quiet(text, &comparisons[i], comparisons[i].name, style);
        }
        if (geomean != NULL) {
            struct model_comparison row;
            geomean_words_row(geomean, &row);
            append_quiet(text, &row, "geometric mean", style);
        }
        return;
    }
    enum notes_below below = NOTES_BELOW_ONE;
    if (count == 1) {
        append_single(text, comparisons, style);
    } else {
        bool brief = table_append(text, comparisons, count, geomean, style);
        below = brief ? NOTES_BELOW_BRIEF_TABLE : NOTES_BELOW_TABLE;
    }
    struct text notes = {0};
    failed_rows_append(&notes, comparisons, count, style);
    size_t answered = 0;
    struct model_comparison *others =
        failed_rows_others(&notes, comparisons, count, &answered);
    if (answered > 0) {
        notes_append(&notes, others, answered, below, style);
    }
    free(others);
    text_append(text, notes.length == 0 ? "" : "\n");
    text_append(text, text_string(&notes));
    display_drop(text, &notes);
    if (geomean != NULL && geomean->rule != MODEL_GEOMEAN_NO_INTERVAL) {
        struct text body = {0};
        geomean_words_append(&body, geomean);
        display_append_paragraph(text, style, DISPLAY_DIM, 2,
                                 "geometric mean:", text_string(&body));
        display_drop(text, &body);
    }
}
