#include "report/progress.h"

#include "report/digits.h"
#include "report/display.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>

enum { BAR_COLUMNS = 20, GAP = 2, LABEL_COLUMNS_MIN = 8, LABEL_COLUMNS_MAX = 32 };

/* The parts after the label, in the order in which they are shown. */
enum part { PART_BAR, PART_RUNS, PART_ESTIMATE, PART_FOUND, PART_TIME, PARTS };

static void append_bar(struct text *text, double done_ratio, bool unicode)
{
    if (!isfinite(done_ratio)) {
        return;
    }
    double clamped = fmin(fmax(done_ratio, 0), 1);
    int full = (int)floor(clamped * BAR_COLUMNS);
    text_append(text, unicode ? "" : "[");
    for (int i = 0; i < BAR_COLUMNS; i++) {
        if (unicode) {
            text_append(text, i < full ? "━" : "─");
        } else {
            text_append_char(text, i < full ? '=' : '-');
        }
    }
    text_append(text, unicode ? "" : "]");
}

static void append_runs(struct text *text, const struct report_progress *progress)
{
    if (progress->in_percent) {
        text_append_format(text, "%.0f %%", 100.0 * progress->done_ratio);
        return;
    }
    text_append_format(text, "%" PRIu64, progress->runs);
    if (progress->runs_goal != 0) {
        text_append_format(text, "/%" PRIu64, progress->runs_goal);
    }
    text_append_format(text, " %s",
                       progress->units != NULL ? progress->units
                       : progress->runs == 1 && progress->runs_goal == 0 ? "run"
                                                                         : "runs");
}

static void append_estimate(struct text *text, const struct report_progress *progress,
                            bool interval)
{
    if (!isfinite(progress->ratio)) {
        return;
    }
    bool known = isfinite(progress->low) && isfinite(progress->high);
    double spread_pct = known ? (progress->high - progress->low) * 50 : (double)NAN;
    int decimals = digits_decimals(spread_pct, 1);
    digits_append_estimate(text, progress->ratio, decimals);
    text_append(text, " %");
    if (known && interval) {
        text_append(text, " [");
        digits_append_change(text, progress->low, decimals);
        text_append(text, ", ");
        digits_append_change(text, progress->high, decimals);
        text_append_char(text, ']');
    }
}

/* "1 slower, 11 same" */
static void append_found(struct text *text, const size_t *found)
{
    for (int i = 0; found != NULL && i < MODEL_VERDICTS; i++) {
        if (found[i] > 0) {
            text_append_format(text, "%s%zu %s", text->length == 0 ? "" : ", ",
                               found[i], model_verdict_name((enum model_verdict)i));
        }
    }
}

/* Nothing when it is not known. What is left in the end is not measuring, and no
 * estimate of the time has it. */
static void append_left(struct text *text, double left_ns)
{
    const double least_ns = 0.5e9;
    /* Beyond a year (3.15e16 ns) an estimate of the time left means nothing. */
    if (!isfinite(left_ns) || left_ns >= 3.15e16) {
        return;
    }
    if (left_ns < least_ns) {
        text_append(text, "finishing");
    } else {
        digits_append_duration(text, (uint64_t)left_ns);
        text_append(text, " left");
    }
}

static void append_time(struct text *text, const struct report_progress *progress)
{
    append_left(text, progress->left_ns);
    if (text->length == 0) {
        digits_append_duration(text, progress->elapsed_ns);
        text_append(text, " so far");
    }
}

/* Columns of a part with its gap, or 0 when it is empty. */
static size_t part_columns(const struct text *part)
{
    return part->length == 0 ? 0 : GAP + display_columns(text_string(part));
}

static size_t all_columns(const struct text parts[PARTS])
{
    size_t total = 0;
    for (size_t i = 0; i < PARTS; i++) {
        total += part_columns(&parts[i]);
    }
    return total;
}

/* Drops parts until they leave room for a label; returns the label's columns. */
static size_t fit_parts(struct text parts[PARTS],
                        const struct report_progress *progress, size_t room)
{
    static const enum part orders[2][4] = {
        {PART_ESTIMATE, PART_BAR, PART_FOUND, PART_RUNS},
        {PART_BAR, PART_ESTIMATE, PART_FOUND, PART_RUNS}};
    const enum part *order = orders[parts[PART_FOUND].length > 0];
    if (all_columns(parts) + LABEL_COLUMNS_MIN > room) {
        bool failed = text_failed(&parts[PART_ESTIMATE]);
        text_release(&parts[PART_ESTIMATE]);
        append_estimate(&parts[PART_ESTIMATE], progress, false);
        parts[PART_ESTIMATE].failed = parts[PART_ESTIMATE].failed || failed;
    }
    for (size_t i = 0; i < 4; i++) {
        if (all_columns(parts) + LABEL_COLUMNS_MIN > room) {
            parts[order[i]].length = 0;
        }
    }
    size_t used = all_columns(parts);
    return used < room ? room - used : 0;
}

void report_progress_line(struct text *text, const struct report_progress *progress,
                          size_t width, bool unicode)
{
    struct text parts[PARTS] = {0};
    append_bar(&parts[PART_BAR], progress->done_ratio, unicode);
    append_runs(&parts[PART_RUNS], progress);
    append_estimate(&parts[PART_ESTIMATE], progress, true);
    append_found(&parts[PART_FOUND], progress->found);
    append_time(&parts[PART_TIME], progress);
    size_t label = LABEL_COLUMNS_MAX;
    if (width > 1) {
        size_t room = fit_parts(parts, progress, width - 1);
        label = room < LABEL_COLUMNS_MAX ? room : LABEL_COLUMNS_MAX;
    }
    text_append_char(text, '\r');
    bool begun = label != 0 && progress->label[0] != '\0';
    if (begun) {
        display_append_name(text, progress->label, label, unicode);
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].length != 0) {
            display_pad(text, "", begun ? GAP : 0);
            text_append(text, text_string(&parts[i]));
            begun = true;
        }
        display_drop(text, &parts[i]);
    }
    text_append(text, "\033[K");
}

/* Whether the benchmarks' p values are adjusted to each other in the end, which may
 * make this verdict `unsure`. Bonferroni's rule is in the interval already. */
static bool is_preliminary(const struct model_comparison *comparison)
{
    enum model_multiplicity rule = comparison->analysis.multiplicity;
    bool adjusted = rule == MODEL_MULTIPLICITY_HOLM || rule == MODEL_MULTIPLICITY_BH;
    return adjusted && model_comparison_is_change(comparison);
}

void report_progress_ended(struct text *text, const struct report_ended *ended,
                           bool unicode)
{
    struct text left = {0};
    const struct model_comparison *comparison = ended->comparison;
    display_append_clean(text, ended->name, unicode);
    text_append(text, ": ");
    if (comparison == NULL) {
        text_append(text, model_verdict_name(MODEL_VERDICT_FAILED));
    } else {
        words_append_verdict(text, comparison, true);
        text_append(text, is_preliminary(comparison) ? " by itself" : "");
        text_append(text, isfinite(comparison->ratio) ? ", " : "");
        words_append_change(text, comparison, unicode, false);
        text_append(text, words_has_interval(comparison) ? " " : "");
        words_append_interval(text, comparison, true);
    }
    append_left(&left, ended->index < ended->count ? ended->left_ns : (double)NAN);
    text_append_format(text, " (%zu of %zu%s%s)", ended->index, ended->count,
                       left.length == 0 ? "" : ", ", text_string(&left));
    display_drop(text, &left);
}

void report_progress_erase(struct text *text)
{
    text_append(text, "\r\033[K");
}
