/* A table for a pull request's comment: GitHub's dialect of Markdown. */
#include "report/advice_words.h"
#include "report/analysis_words.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/estimate_words.h"
#include "report/failed_rows.h"
#include "report/gate_words.h"
#include "report/markdown_text.h"
#include "report/notes.h"
#include "report/pairing_gain.h"
#include "report/report.h"
#include "report/test_words.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the comparison is called something that the commands do not say. */
static bool has_own_name(const struct model_comparison *comparison)
{
    return comparison->name[0] != '\0' &&
           strcmp(comparison->name, comparison->side_names[MODEL_OLD]) != 0 &&
           strcmp(comparison->name, comparison->side_names[MODEL_NEW]) != 0;
}

static void append_header(struct text *text, const struct model_comparison *comparisons,
                          size_t count, double unit_ns, bool unicode)
{
    const char *unit = digits_unit_name(unit_ns, unicode);
    const struct model_comparison *first = NULL;
    bool shared = true;
    for (size_t i = 0; i < count; i++) {
        if (model_comparison_is_measured(&comparisons[i])) {
            first = first == NULL ? &comparisons[i] : first;
            shared = shared && words_same_method(first, &comparisons[i]);
        }
    }
    bool named = count > 1 || has_own_name(comparisons);
    text_append(text, named ? "| Benchmark | Command |" : "| Command |");
    text_append_format(text, " Mean [%s] | Min [%s] | Max [%s] | Relative | Change |",
                       unit, unit, unit);
    if (shared && first != NULL) {
        text_append_char(text, ' ');
        digits_append_level(text, first->interval.confidence);
        text_append(text, " interval |");
    } else {
        text_append(text, " Interval |");
    }
    text_append(text, " Verdict | Runs |\n");
    text_append(text, named ? "|:---|:---|" : "|:---|");
    text_append(text, "---:|---:|---:|---:|---:|:---|:---|---:|\n");
}

static void append_times(struct text *text, const struct model_summary *summary,
                         double unit_ns, bool unicode)
{
    int decimals = digits_time_decimals(summary->mean_ns, summary->sd_ns, unit_ns);
    const double values[] = {summary->mean_ns, summary->min_ns, summary->max_ns};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        text_append_char(text, ' ');
        if (isfinite(values[i])) {
            double value = values[i] / unit_ns;
            text_append_format(text, "%.*f", digits_above_zero(value, decimals), value);
        }
        if (i == 0 && isfinite(summary->mean_ns) && isfinite(summary->sd_ns)) {
            text_append_format(text, " %s %.*f", unicode ? "±" : "+-", decimals,
                               summary->sd_ns / unit_ns);
        }
        text_append(text, " |");
    }
}

static void append_side(struct text *text, const struct model_comparison *comparison,
                        size_t side, bool named, double unit_ns, bool unicode)
{
    text_append(text, "| ");
    if (named) {
        markdown_append_prose(text, comparison->name, unicode);
        text_append(text, " | ");
    }
    markdown_append_code_cell(text,
                              comparison->side_names[side][0] != '\0'
                                  ? comparison->side_names[side]
                                  : model_side_name((enum model_side)side),
                              unicode);
    text_append(text, " |");
    append_times(text, &comparison->sides[side], unit_ns, unicode);
    bool failed = !model_comparison_is_measured(comparison);
    if (side == MODEL_OLD) {
        text_append(text, failed ? " | | | |" : " 1.00 | | | |");
    } else {
        text_append_char(text, ' ');
        words_append_relative(text, comparison);
        text_append(text, " | ");
        words_append_change(text, comparison, unicode, true);
        text_append(text, " | ");
        words_append_interval(text, comparison, true);
        text_append(text, " | ");
        words_append_verdict(text, comparison, false);
        text_append(text, " |");
    }
    if (failed) {
        text_append(text, " |\n");
    } else {
        text_append_format(text, " %llu |\n", (unsigned long long)comparison->runs);
    }
}

/* One line of the list: takes over `body`, which may be empty. */
static void take_item(struct text *text, const char *lead, const char *name,
                      const struct report_style *style, struct text *body)
{
    if (body->length != 0) {
        text_append_format(text, "- %s", lead);
        if (name != NULL) {
            markdown_append_prose(text, name, style->unicode);
            text_append(text, ": ");
        }
        markdown_append_prose(text, text_string(body), style->unicode);
        text_append_char(text, '\n');
    }
    display_drop(text, body);
}

/* What was asked for beyond the interval. */
static void append_asked(struct text *text, const struct model_comparison *comparisons,
                         size_t count, const struct report_style *style)
{
    struct text line = {0};
    for (size_t i = 0; i < count; i++) {
        const char *name = count > 1 ? comparisons[i].name : NULL;
        test_words_append(&line, &comparisons[i].test, style);
        take_item(text, "Test: ", name, style, &line);
        analysis_words_append_statistic(&line, &comparisons[i].statistic, style);
        take_item(text, "Statistic: ", name, style, &line);
        analysis_words_append_dropped(&line, &comparisons[i]);
        take_item(text, "Left out: ", name, style, &line);
        analysis_words_append_overrides(&line, &comparisons[i]);
        take_item(text, "Analysed: ", name, style, &line);
    }
    analysis_words_append_family(&line, comparisons, count, style->verbosity > 1);
    take_item(text, "Together: ", NULL, style, &line);
}

static void append_compares(struct text *text,
                            const struct model_comparison *comparisons, size_t count,
                            const struct report_style *style)
{
    struct text line = {0};
    estimate_words_append_all(&line, comparisons, count);
    take_item(text, "Compared: ", NULL, style, &line);
    for (size_t i = 0; i < count; i++) {
        estimate_words_append_mean(&line, &comparisons[i], style);
        take_item(text, "Mean: ", count > 1 ? comparisons[i].name : NULL, style, &line);
    }
}

static void append_advice(struct text *text, const struct model_comparison *comparisons,
                          size_t count, const struct report_style *style)
{
    struct text line = {0};
    for (int limit = MODEL_LIMIT_NONE + 1; count > 1 && limit < MODEL_LIMITS; limit++) {
        advice_words_append_limits(&line, comparisons, count, (enum model_limit)limit);
        take_item(text, "Limited by: ", NULL, style, &line);
    }
    if (count != 1 || comparisons->advice.limit == MODEL_LIMIT_NONE) {
        return;
    }
    advice_words_append_limit(&line, comparisons);
    take_item(text, "Limited by: ", NULL, style, &line);
    advice_words_append_try(&line, comparisons);
    if (line.length != 0) {
        text_append(text, "- Try: ");
        markdown_append_code(text, text_string(&line), style->unicode);
        text_append_char(text, '\n');
    }
    display_drop(text, &line);
}

static void append_gates(struct text *text, const struct model_comparison *comparisons,
                         size_t count, const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        gate_words_append(&line, &comparisons[i], count > 1);
        take_item(text, "Gate: ", NULL, style, &line);
    }
}

static void append_failed(struct text *text, const struct model_comparison *comparisons,
                          size_t count, const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        if (!model_comparison_is_measured(&comparisons[i])) {
            text_append_format(
                text, "- **%s**: ", model_verdict_name(comparisons[i].verdict));
            markdown_append_prose(text, comparisons[i].name, style->unicode);
            text_append(text, ": ");
            markdown_append_prose(text, comparisons[i].failure, style->unicode);
            text_append_char(text, '\n');
        }
    }
}

static void append_methods(struct text *text,
                           const struct model_comparison *comparisons, size_t count,
                           const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        if (notes_method_is_new(comparisons, i)) {
            notes_append_method(
                &line, comparisons, count, i,
                words_least_coverage(&comparisons[i], count - i, false));
        }
        take_item(text, "", NULL, style, &line);
    }
}

static void append_list(struct text *text, const struct model_comparison *comparisons,
                        size_t count, const struct report_style *style)
{
    bool unicode = style->unicode;
    struct text line = {0};
    append_gates(text, comparisons, count, style);
    append_compares(text, comparisons, count, style);
    append_methods(text, comparisons, count, style);
    pairing_gain_append(&line, comparisons, count);
    if (line.length != 0) {
        text_append_format(text, "- Pairing %s\n", text_string(&line));
    }
    display_drop(text, &line);
    append_advice(text, comparisons, count, style);
    append_asked(text, comparisons, count, style);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < comparisons[i].warning_count; j++) {
            const struct model_warning *warning = &comparisons[i].warnings[j];
            if (!notes_warning_is_new(comparisons, i, j)) {
                continue;
            }
            text_append_format(text, "- **%s**: ", words_warning_name(warning->kind));
            if (notes_warning_is_named(comparisons, count, i, j)) {
                markdown_append_prose(text, comparisons[i].name, unicode);
                text_append(text, ": ");
            }
            text_append(&line, warning->text);
            notes_append_others(&line, comparisons, count, i, j);
            markdown_append_prose(text, text_string(&line), unicode);
            text_append_char(text, '\n');
            display_drop(text, &line);
        }
    }
}

void report_markdown(struct text *text, const struct model_comparison *comparisons,
                     size_t count, const struct report_style *style)
{
    if (count == 0) {
        return;
    }
    double unit_ns = words_unit_ns(comparisons, count, style->unit_ns);
    bool named = count > 1 || has_own_name(comparisons);
    append_header(text, comparisons, count, unit_ns, style->unicode);
    for (size_t i = 0; i < count; i++) {
        for (size_t side = 0; side < MODEL_SIDES; side++) {
            append_side(text, &comparisons[i], side, named, unit_ns, style->unicode);
        }
    }
    text_append_char(text, '\n');
    append_failed(text, comparisons, count, style);
    size_t answered = 0;
    struct model_comparison *others =
        failed_rows_others(text, comparisons, count, &answered);
    if (answered > 0) {
        append_list(text, others, answered, style);
    }
    free(others);
}
