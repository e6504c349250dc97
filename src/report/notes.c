#include "report/notes.h"

#include "report/advice_words.h"
#include "report/analysis_words.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/estimate_words.h"
#include "report/gate_words.h"
#include "report/pairing_gain.h"
#include "report/test_words.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

/* Of more benchmarks a note gives a range or a number, and -v each of them. */
enum { SAID_ONE_BY_ONE = 4 };

/* Takes over `body`: a paragraph when it has words, nothing otherwise. */
static void take_paragraph(struct text *text, const struct report_style *style,
                           enum display_paint paint, size_t indent, const char *lead,
                           struct text *body)
{
    if (body->length != 0) {
        display_append_paragraph(text, style, paint, indent, lead, text_string(body));
    }
    display_drop(text, body);
}

static void append_name_prefix(struct text *text,
                               const struct model_comparison *comparison, size_t count)
{
    if (count > 1) {
        text_append_format(text, "%s: ", comparison->name);
    }
}

bool notes_method_is_new(const struct model_comparison *comparisons, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (words_same_method(&comparisons[i], &comparisons[at])) {
            return false;
        }
    }
    return true;
}

/* Whose method it is: "xz and 2 more: "; nothing when all have the same. */
static void append_method_prefix(struct text *text,
                                 const struct model_comparison *comparisons,
                                 size_t count, size_t at)
{
    size_t sharing = 0;
    for (size_t i = 0; i < count; i++) {
        sharing += words_same_method(&comparisons[at], &comparisons[i]);
    }
    if (sharing == count) {
        return;
    }
    text_append(text, comparisons[at].name);
    if (sharing > 1) {
        text_append_format(text, " and %zu more", sharing - 1);
    }
    text_append(text, ": ");
}

void notes_append_method(struct text *text, const struct model_comparison *comparisons,
                         size_t count, size_t at, double coverage)
{
    append_method_prefix(text, comparisons, count, at);
    words_append_method(text, &comparisons[at], coverage);
}

static void append_methods(struct text *text,
                           const struct model_comparison *comparisons, size_t count,
                           enum notes_below below, const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_comparison *first = &comparisons[i];
        if (!notes_method_is_new(comparisons, i)) {
            continue;
        }
        double coverage = words_least_coverage(first, count - i, style->verbosity > 1);
        if (below == NOTES_BELOW_ONE && style->verbosity < 2 && !isfinite(coverage) &&
            model_schedule_is_paired(first->schedule)) {
            continue; /* nothing that limits the answer */
        }
        struct text body = {0};
        notes_append_method(&body, comparisons, count, i, coverage);
        take_paragraph(text, style, DISPLAY_DIM, 2, "method:", &body);
    }
}

/* Whether the smallest change that would have been seen is said: wherever the verdict
 * is not a change and does not say it itself. */
static bool wants_seen(const struct model_comparison *comparison,
                       enum notes_below below, const struct report_style *style)
{
    bool same = comparison->verdict == MODEL_VERDICT_SAME;
    bool open = comparison->verdict == MODEL_VERDICT_UNSURE;
    bool wanted = same ? below != NOTES_BELOW_ONE || style->verbosity > 1
                       : open && below != NOTES_BELOW_TABLE;
    return wanted && isfinite(comparison->could_have_seen);
}

/* "a change of 1.6 % to 44 % (28 benchmarks; -v lists them)" */
static void append_seen_range(struct text *body,
                              const struct model_comparison *comparisons, size_t count,
                              enum notes_below below, const struct report_style *style)
{
    size_t said = 0;
    double least = (double)INFINITY;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (wants_seen(&comparisons[i], below, style)) {
            least = fmin(least, comparisons[i].could_have_seen);
            most = fmax(most, comparisons[i].could_have_seen);
            said++;
        }
    }
    text_append(body, least >= 1 ? "" : "a change of ");
    digits_append_seen(body, least);
    if (most > least && least < 1) {
        text_append(body, most >= 1 ? ", or " : " to ");
        digits_append_seen(body, most);
    }
    text_append_format(body, " (%zu benchmarks; -v lists them)", said);
}

static void append_could_have_seen(struct text *text,
                                   const struct model_comparison *comparisons,
                                   size_t count, enum notes_below below,
                                   const struct report_style *style)
{
    struct text body = {0};
    bool any_coarse = false;
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        wanted += wants_seen(&comparisons[i], below, style);
        /* What other programs measured takes no options. */
        const struct model_advice *advice = &comparisons[i].advice;
        bool elsewhere = advice->limit != MODEL_LIMIT_NONE &&
                         advice->options[0] == '\0' && !isfinite(advice->seconds);
        any_coarse = any_coarse || (wants_seen(&comparisons[i], below, style) &&
                                    !elsewhere && comparisons[i].could_have_seen >= 1);
    }
    bool each = wanted <= SAID_ONE_BY_ONE || style->verbosity > 1;
    for (size_t i = 0; i < count && each; i++) {
        const struct model_comparison *comparison = &comparisons[i];
        if (wants_seen(comparison, below, style)) {
            bool coarse = comparison->could_have_seen >= 1;
            text_append(&body, body.length != 0 ? ", " : coarse ? "" : "a change of ");
            digits_append_seen(&body, comparison->could_have_seen);
            if (count > 1) {
                text_append_format(&body, " (%s)", comparison->name);
            }
        }
    }
    if (!each) {
        append_seen_range(&body, comparisons, count, below, style);
    }
    text_append(&body, any_coarse ? "; measure longer (--runs, --until)" : "");
    take_paragraph(text, style, DISPLAY_DIM, 2, "could have seen:", &body);
}

/* Takes over `part`: a paragraph of one comparison, which has its name where there are
 * several. */
static void take_named(struct text *text, const struct report_style *style,
                       enum display_paint paint, const char *lead,
                       const struct model_comparison *comparison, size_t count,
                       struct text *part)
{
    struct text body = {0};
    if (part->length != 0) {
        append_name_prefix(&body, comparison, count);
        text_append(&body, text_string(part));
    }
    take_paragraph(text, style, paint, 2, lead, &body);
    display_drop(text, part);
}

static void append_tests(struct text *text, const struct model_comparison *comparisons,
                         size_t count, const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        struct text part = {0};
        test_words_append(&part, &comparisons[i].test, style);
        take_named(text, style, DISPLAY_PLAIN, "test:", &comparisons[i], count, &part);
    }
}

/* What was compared instead of the ratios, what was left out, and what was judged
 * together. */
static void append_asked(struct text *text, const struct model_comparison *comparisons,
                         size_t count, const struct report_style *style)
{
    struct text body = {0};
    for (size_t i = 0; i < count; i++) {
        struct text part = {0};
        analysis_words_append_statistic(&part, &comparisons[i].statistic, style);
        take_named(text, style, DISPLAY_PLAIN, "statistic:", &comparisons[i], count,
                   &part);
    }
    for (size_t i = 0; i < count; i++) {
        struct text part = {0};
        gate_words_append_acceptance(&part, &comparisons[i]);
        take_named(text, style, DISPLAY_PLAIN, "limit:", &comparisons[i], count, &part);
    }
    for (size_t i = 0; i < count; i++) {
        struct text part = {0};
        analysis_words_append_dropped(&part, &comparisons[i]);
        take_named(text, style, DISPLAY_DIM, "left out:", &comparisons[i], count,
                   &part);
    }
    for (size_t i = 0; i < count; i++) {
        struct text part = {0};
        analysis_words_append_overrides(&part, &comparisons[i]);
        take_named(text, style, DISPLAY_PLAIN, "analysed:", &comparisons[i], count,
                   &part);
    }
    analysis_words_append_family(&body, comparisons, count, style->verbosity > 1);
    take_paragraph(text, style, DISPLAY_DIM, 2, "together:", &body);
}

static void append_widths(struct text *body, const struct model_comparison *comparison)
{
    const struct {
        const char *name;
        double width;
    } widths[] = {{"paired ", comparison->paired_width},
                  {"shuffled ", comparison->shuffled_width},
                  {"over blocks ", comparison->stratified_width}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (isfinite(widths[i].width)) {
            text_append(body, body->length == 0 ? "" : ", ");
            text_append(body, widths[i].name);
            digits_append_pct(body, widths[i].width);
        }
    }
}

static void append_medians(struct text *body, const struct model_comparison *comparison,
                           const struct report_style *style)
{
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        const struct model_summary *summary = &comparison->sides[side];
        const struct {
            const char *name;
            double ns;
        } times[] = {{"median", summary->median_ns},
                     {"user", summary->user_ns},
                     {"system", summary->system_ns}};
        bool any = false;
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            if (isfinite(times[i].ns)) {
                const char *before = any ? ", " : body->length == 0 ? "" : "; ";
                text_append_format(body, "%s%s%s%s ", before,
                                   any ? "" : model_side_name((enum model_side)side),
                                   any ? "" : " ", times[i].name);
                report_time(body, times[i].ns, style);
                any = true;
            }
        }
    }
}

static const char *estimator_words(enum model_estimator estimator)
{
    static const char *const words[] = {
        [MODEL_ESTIMATOR_GEOMEAN] = "geometric mean of a run's ratios",
        [MODEL_ESTIMATOR_TRIMMED] = "20 % trimmed mean of a run's log ratios",
        [MODEL_ESTIMATOR_MEDIAN] = "median of a run's log ratios"};
    return (size_t)estimator < MODEL_ESTIMATORS ? words[estimator] : "unknown";
}

static void append_tails(struct text *body, const struct model_comparison *comparison)
{
    static const char *const names[MODEL_TAILS] = {"90th", "99th"};
    for (size_t level = 0; level < MODEL_TAILS; level++) {
        const struct model_tail *tail = &comparison->tails[level];
        if (!isfinite(tail->ratio)) {
            continue;
        }
        text_append_format(body, "%s%.3f", body->length == 0 ? "" : ", ", tail->ratio);
        if (isfinite(tail->low) && isfinite(tail->high)) {
            text_append_format(body, " [%.3f, %.3f]", tail->low, tail->high);
        }
        text_append_format(body, " (%s percentile, new / old)", names[level]);
    }
}

/* "autocorrelation of old 0.46, of new 0.44, of ratios 0.02; drift of times +3.1 %" */
static void append_conditions(struct text *body,
                              const struct model_conditions *conditions)
{
    const struct {
        const char *before;
        double value;
        int decimals;
        const char *unit;
        bool change; /* with its sign */
    } parts[] = {
        {"autocorrelation (lag 1) of old ", conditions->lag1_times[MODEL_OLD], 2, "",
         false},
        {"of new ", conditions->lag1_times[MODEL_NEW], 2, "", false},
        {"of ratios ", conditions->lag1_ratios, 2, "", false},
        {"drift of the times ", 100.0 * conditions->drift, 1, " %", true},
        {"of the ratio ", 100.0 * conditions->ratio_drift, 2, " %", true},
        {"second CPU slower by ", 100.0 * conditions->cpu_bias, 2, " %", true},
        {"CPU taken by others for ", 100.0 * conditions->taken_ratio, 1,
         " % of the time", false},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *comma = body->length == 0 ? "" : ", ";
        if (isfinite(parts[i].value)) {
            text_append_format(body, parts[i].change ? "%s%s%+.*f%s" : "%s%s%.*f%s",
                               comma, parts[i].before, parts[i].decimals,
                               parts[i].value, parts[i].unit);
        }
    }
}

static void append_details(struct text *text, const struct model_comparison *comparison,
                           bool named, const struct report_style *style)
{
    struct text body = {0};
    size_t indent = named ? 4 : 2;
    if (named) {
        text_append(&body, comparison->name);
        take_paragraph(text, style, DISPLAY_STRONG, 2, "", &body);
    }
    if (comparison->statistic.statistic.kind == MODEL_STATISTIC_NONE) {
        text_append(&body, estimator_words(comparison->estimator));
        take_paragraph(text, style, DISPLAY_DIM, indent, "estimator:", &body);
    }
    append_widths(&body, comparison);
    take_paragraph(text, style, DISPLAY_DIM, indent, "widths:", &body);
    append_medians(&body, comparison, style);
    take_paragraph(text, style, DISPLAY_DIM, indent, "times:", &body);
    text_append_format(&body, "%llu observation%s",
                       (unsigned long long)comparison->winsorized,
                       comparison->winsorized == 1 ? "" : "s");
    take_paragraph(text, style, DISPLAY_DIM, indent, "winsorized:", &body);
    append_tails(&body, comparison);
    take_paragraph(text, style, DISPLAY_DIM, indent, "tail ratio:", &body);
    append_conditions(&body, &comparison->conditions);
    take_paragraph(text, style, DISPLAY_DIM, indent, "meanwhile:", &body);
}

static const char *after_number(const char *text)
{
    return text + strspn(text, "0123456789.");
}

/* Whether two texts differ in nothing but numbers. */
static bool same_but_numbers(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        bool digits = after_number(a) != a && after_number(b) != b;
        if (!digits && *a != *b) {
            return false;
        }
        a = digits ? after_number(a) : a + 1;
        b = digits ? after_number(b) : b + 1;
    }
    return *a == *b;
}

/* The comparison's warning of that kind which says the same; NULL: none. */
static const struct model_warning *find_alike(const struct model_comparison *comparison,
                                              const struct model_warning *warning)
{
    for (size_t i = 0; i < comparison->warning_count; i++) {
        const struct model_warning *other = &comparison->warnings[i];
        if (other->kind == warning->kind &&
            same_but_numbers(other->text, warning->text)) {
            return other;
        }
    }
    return NULL;
}

void notes_append_others(struct text *text, const struct model_comparison *comparisons,
                         size_t count, size_t at, size_t index)
{
    enum { NAMES_MAX = 3 };
    const struct model_warning *warning = &comparisons[at].warnings[index];
    bool named = warning->kind != MODEL_WARNING_MACHINE;
    size_t others = 0;
    for (size_t i = at + 1; i < count; i++) {
        const struct model_warning *other = find_alike(&comparisons[i], warning);
        if (other == NULL || (!named && strcmp(other->text, warning->text) == 0)) {
            continue;
        }
        if (named && others < NAMES_MAX) {
            text_append(text, others == 0 ? " (likewise: " : ", ");
            text_append(text, comparisons[i].name);
        }
        others++;
    }
    if (others == 0) {
        return;
    }
    if (!named) {
        text_append_format(text, " (%zu other benchmark%s: likewise)", others,
                           others == 1 ? "" : "s");
    } else if (others > NAMES_MAX) {
        text_append_format(text, " and %zu more)", others - NAMES_MAX);
    } else {
        text_append_char(text, ')');
    }
}

bool notes_warning_is_new(const struct model_comparison *comparisons, size_t at,
                          size_t index)
{
    for (size_t i = 0; i < at; i++) {
        if (find_alike(&comparisons[i], &comparisons[at].warnings[index]) != NULL) {
            return false;
        }
    }
    return true;
}

bool notes_warning_is_named(const struct model_comparison *comparisons, size_t count,
                            size_t at, size_t index)
{
    const struct model_warning *warning = &comparisons[at].warnings[index];
    bool named = count > 1;
    for (size_t i = at + 1; i < count && warning->kind == MODEL_WARNING_MACHINE; i++) {
        named = named && find_alike(&comparisons[i], warning) == NULL;
    }
    return named;
}

static void append_warnings(struct text *text,
                            const struct model_comparison *comparisons, size_t count,
                            const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < comparisons[i].warning_count; j++) {
            const struct model_warning *warning = &comparisons[i].warnings[j];
            if (!notes_warning_is_new(comparisons, i, j)) {
                continue;
            }
            struct text lead = {0};
            struct text body = {0};
            text_append_format(&lead, "%s:", words_warning_name(warning->kind));
            append_name_prefix(&body, &comparisons[i],
                               notes_warning_is_named(comparisons, count, i, j) ? count
                                                                                : 1);
            text_append(&body, warning->text);
            notes_append_others(&body, comparisons, count, i, j);
            take_paragraph(text, style, DISPLAY_PLAIN, 2, text_string(&lead), &body);
            display_drop(text, &lead);
        }
    }
}

/* Of a table; a single answer has it below its change. */
static void append_compares(struct text *text,
                            const struct model_comparison *comparisons, size_t count,
                            const struct report_style *style)
{
    struct text body = {0};
    if (count < 2) {
        return;
    }
    estimate_words_append_all(&body, comparisons, count);
    take_paragraph(text, style, DISPLAY_DIM, 2, "compared:", &body);
    for (size_t i = 0; i < count; i++) {
        struct text mean = {0};
        estimate_words_append_mean(&mean, &comparisons[i], style);
        if (mean.length != 0) {
            text_append_format(&body, "%s: %s", comparisons[i].name,
                               text_string(&mean));
        }
        take_paragraph(text, style, DISPLAY_PLAIN, 2, "mean:", &body);
        display_drop(text, &mean);
    }
}

/* Of a table a line for each limit, however many benchmarks have it. */
static void append_advice(struct text *text, const struct model_comparison *comparisons,
                          size_t count, const struct report_style *style)
{
    struct text body = {0};
    for (int limit = MODEL_LIMIT_NONE + 1; count > 1 && limit < MODEL_LIMITS; limit++) {
        advice_words_append_limits(&body, comparisons, count, (enum model_limit)limit);
        take_paragraph(text, style, DISPLAY_PLAIN, 2, "limited by:", &body);
    }
    if (count != 1 || comparisons->advice.limit == MODEL_LIMIT_NONE) {
        return;
    }
    advice_words_append_limit(&body, comparisons);
    take_paragraph(text, style, DISPLAY_PLAIN, 2, "limited by:", &body);
    /* Not wrapped: it is there to be copied. */
    advice_words_append_try(&body, comparisons);
    if (body.length != 0) {
        text_append(text, "  ");
        display_append_painted(text, style, DISPLAY_STRONG, "try:");
        text_append_char(text, ' ');
        display_append_clean(text, text_string(&body), style->unicode);
        text_append_char(text, '\n');
    }
    display_drop(text, &body);
}

void notes_append(struct text *text, const struct model_comparison *comparisons,
                  size_t count, enum notes_below below,
                  const struct report_style *style)
{
    struct text body = {0};
    append_compares(text, comparisons, count, style);
    append_methods(text, comparisons, count, below, style);
    if (below != NOTES_BELOW_ONE || style->verbosity > 1) {
        pairing_gain_append(&body, comparisons, count);
    }
    take_paragraph(text, style, DISPLAY_DIM, 2, "pairing", &body);
    append_could_have_seen(text, comparisons, count, below, style);
    if (below != NOTES_BELOW_SELF) {
        append_advice(text, comparisons, count, style);
    }
    append_tests(text, comparisons, count, style);
    append_asked(text, comparisons, count, style);
    for (size_t i = 0; style->verbosity > 1 && i < count; i++) {
        append_details(text, &comparisons[i], count > 1, style);
    }
    append_warnings(text, comparisons, count, style);
}
