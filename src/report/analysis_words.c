#include "report/analysis_words.h"

#include "report/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

static const char *method_words(enum model_interval_method method)
{
    static const char *const words[] = {
        [MODEL_INTERVAL_PERCENTILE] = "percentile bootstrap",
        [MODEL_INTERVAL_BASIC] = "basic bootstrap",
        [MODEL_INTERVAL_BCA] = "bias-corrected and accelerated bootstrap",
        [MODEL_INTERVAL_STUDENTIZED] = "studentized bootstrap",
        [MODEL_INTERVAL_BLOCK] = "percentile bootstrap",
        [MODEL_INTERVAL_T] = "Student's t",
        [MODEL_INTERVAL_SIGNFLIP] = "exact sign flips",
        [MODEL_INTERVAL_ANYTIME] =
            "a betting confidence sequence, valid however often you look,",
        [MODEL_INTERVAL_DIFFERENCE] =
            "bootstrap of the difference of means, each side by itself"};
    return (size_t)method < MODEL_INTERVAL_METHODS ? words[method] : "unknown method";
}

static const char *unit_words(enum model_unit unit)
{
    static const char *const words[] = {
        [MODEL_UNIT_RUNS] = "over runs",
        [MODEL_UNIT_BLOCKS] = "over blocks of two runs",
        [MODEL_UNIT_ASSIGNMENTS] = "over runs of the same assignment",
        [MODEL_UNIT_LEVELS] = "over runs and iterations within them",
        [MODEL_UNIT_ITERATIONS] = "over values, assumed to be independent",
        [MODEL_UNIT_CIRCULAR] = "of circular blocks",
        [MODEL_UNIT_MOVING] = "of moving blocks",
        [MODEL_UNIT_STATIONARY] = "of stationary blocks",
        [MODEL_UNIT_COINS] = "over single runs and blocks of two"};
    return (size_t)unit < MODEL_UNITS ? words[unit] : "over unknown units";
}

void analysis_words_append_interval(struct text *text,
                                    const struct model_comparison *comparison)
{
    const struct model_interval *interval = &comparison->interval;
    bool apart =
        interval->method == MODEL_INTERVAL_T && interval->unit != MODEL_UNIT_BLOCKS;
    text_append(text, apart ? "Welch's t" : method_words(interval->method));
    if (interval->method == MODEL_INTERVAL_DIFFERENCE) {
        return;
    }
    text_append_format(text, " %s", unit_words(interval->unit));
    if (interval->method == MODEL_INTERVAL_BLOCK && interval->block_length > 0) {
        text_append_format(text, ", %s%.3g long",
                           interval->unit == MODEL_UNIT_STATIONARY ? "on average " : "",
                           interval->block_length);
    }
    if (comparison->statistic.statistic.kind != MODEL_STATISTIC_NONE) {
        char name[MODEL_STATISTIC_NAME_MAX];
        model_statistic_name(&comparison->statistic.statistic, name);
        text_append_format(text, ", of the ratio of the sides' %s", name);
    }
}

static void append_value(struct text *text, const struct model_statistic_result *result,
                         double value, const struct report_style *style)
{
    if (result->statistic.kind == MODEL_STATISTIC_CV) {
        text_append_format(text, "%.3g %%", 100.0 * value);
    } else {
        report_time(text, value, style);
    }
}

void analysis_words_append_statistic(struct text *text,
                                     const struct model_statistic_result *result,
                                     const struct report_style *style)
{
    char name[MODEL_STATISTIC_NAME_MAX];
    if (result->statistic.kind == MODEL_STATISTIC_NONE) {
        return;
    }
    model_statistic_name(&result->statistic, name);
    text_append_format(text, "%s: ", name);
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        text_append_format(text, "%s%s ", side == MODEL_OLD ? "" : ", ",
                           model_side_name((enum model_side)side));
        append_value(text, result, result->values[side], style);
        if (isfinite(result->low[side]) && isfinite(result->high[side])) {
            text_append(text, " [");
            append_value(text, result, result->low[side], style);
            text_append(text, ", ");
            append_value(text, result, result->high[side], style);
            text_append_char(text, ']');
        }
    }
}

void analysis_words_append_dropped(struct text *text,
                                   const struct model_comparison *comparison)
{
    uint64_t warmup = comparison->dropped_warmup;
    uint64_t outliers = comparison->dropped_outliers;
    if (warmup > 0) {
        text_append_format(text, "%" PRIu64 " observation%s as warm-up", warmup,
                           warmup == 1 ? "" : "s");
    }
    if (outliers > 0) {
        text_append_format(
            text,
            "%s%" PRIu64
            " observation%s of ten times the median or more, or paired with one",
            warmup > 0 ? ", " : "", outliers, outliers == 1 ? "" : "s");
    }
}

static const char *rule_words(enum model_multiplicity multiplicity)
{
    static const char *const words[] = {
        [MODEL_MULTIPLICITY_NONE] = "without a correction",
        [MODEL_MULTIPLICITY_BONFERRONI] = "by Bonferroni's rule",
        [MODEL_MULTIPLICITY_HOLM] = "by Holm's rule",
        [MODEL_MULTIPLICITY_BH] = "by the rule of Benjamini and Hochberg"};
    return (size_t)multiplicity < MODEL_MULTIPLICITIES ? words[multiplicity] : "";
}

void analysis_words_append_p_value(struct text *text, double p_value)
{
    if (p_value < 1e-300) {
        text_append(text, "< 1e-300");
    } else {
        text_append_format(text, "%.2g", p_value);
    }
}

/* The adjusted p value is said of one benchmark, and where it took a verdict back. */
static bool says_p(const struct model_comparison *comparison,
                   const struct model_family *family, size_t count)
{
    const struct model_family *own = &comparison->family;
    return own->size > 1 && own->id == family->id && isfinite(own->p_adjusted) &&
           (count == 1 || own->withheld);
}

/* "; adjusted p 0.025 to 0.16 leaves 12 of them unsure (-v shows each)" */
static void append_p_range(struct text *text,
                           const struct model_comparison *comparisons, size_t count,
                           const struct model_family *family)
{
    size_t withheld = 0;
    double least = 1;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (says_p(&comparisons[i], family, count)) {
            least = fmin(least, comparisons[i].family.p_adjusted);
            most = fmax(most, comparisons[i].family.p_adjusted);
            withheld++;
        }
    }
    text_append(text, "; adjusted p ");
    analysis_words_append_p_value(text, least);
    text_append(text, " to ");
    analysis_words_append_p_value(text, most);
    text_append_format(text, " leaves %zu of them unsure (-v shows each)", withheld);
}

/* The family of comparisons[at], which is the first of it. Of several in a table the p
 * values have a column where they are wanted; here are those that took a verdict back.
 */
static void append_one_family(struct text *text,
                              const struct model_comparison *comparisons, size_t count,
                              size_t at, bool each)
{
    const struct model_family *family = &comparisons[at].family;
    text_append_format(text, "%" PRIu64 " benchmarks judged together %s", family->size,
                       rule_words(family->multiplicity));
    if (family->multiplicity == MODEL_MULTIPLICITY_NONE) {
        text_append(text, ": each interval has its confidence, all together have "
                          "less.");
        return;
    }
    enum { NAMES_MAX = 4 };
    size_t said = 0;
    for (size_t i = at; i < count; i++) {
        said += says_p(&comparisons[i], family, count);
    }
    bool range = said > NAMES_MAX && !each;
    if (range) {
        append_p_range(text, comparisons, count, family);
    }
    for (size_t i = at, shown = 0; !range && i < count; i++) {
        if (says_p(&comparisons[i], family, count)) {
            text_append(text, shown == 0 ? "; adjusted p " : ", ");
            analysis_words_append_p_value(text, comparisons[i].family.p_adjusted);
            text_append_format(text, " (%s)", comparisons[i].name);
            shown++;
        }
    }
    text_append(text, family->multiplicity == MODEL_MULTIPLICITY_BONFERRONI
                          ? "; all intervals together have the confidence asked for."
                          : "; the intervals are those of each benchmark alone.");
}

static bool family_is_new(const struct model_comparison *comparisons, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (comparisons[i].family.size > 1 &&
            comparisons[i].family.id == comparisons[at].family.id) {
            return false;
        }
    }
    return comparisons[at].family.size > 1;
}

void analysis_words_append_family(struct text *text,
                                  const struct model_comparison *comparisons,
                                  size_t count, bool each)
{
    size_t alone = 0;
    size_t all = 0; /* controls and confirmations are not judged */
    for (size_t i = 0; i < count; i++) {
        if (family_is_new(comparisons, i)) {
            text_append(text, text->length == 0 ? "" : " ");
            append_one_family(text, comparisons, count, i, each);
        }
        bool own = comparisons[i].role == MODEL_ROLE_COMPARISON;
        alone += own && comparisons[i].family.size < 2;
        all += own;
    }
    if (all < 2 || alone == 0) {
        return;
    }
    text_append(text, text->length == 0 ? "" : " ");
    if (alone == 1) {
        text_append(text, "1 benchmark judged alone");
    } else {
        text_append_format(text, "%zu benchmarks judged one by one", alone);
    }
    text_append_format(
        text, ", as when measured; --multiplicity holm judges all %zu together.", all);
}

void analysis_words_append_overrides(struct text *text,
                                     const struct model_comparison *comparison)
{
    size_t said = 0;
    for (size_t i = 0; comparison->overridden && i < model_analysis_fields(); i++) {
        char now[MODEL_VALUE_WORD_MAX];
        char stored[MODEL_VALUE_WORD_MAX];
        const char *option = model_analysis_option(i);
        if (option == NULL ||
            !model_analysis_differs(&comparison->analysis, &comparison->stored, i)) {
            continue;
        }
        model_analysis_say(&comparison->analysis, i, now);
        model_analysis_say(&comparison->stored, i, stored);
        text_append_format(text, "%s--%s %s instead of the stored %s",
                           said == 0 ? "with " : ", ", option, now, stored);
        said++;
    }
}

void analysis_words_append_withheld(struct text *text,
                                    const struct model_family *family)
{
    text_append(text, "p = ");
    analysis_words_append_p_value(text, family->p_adjusted);
    text_append_format(text, " %s", rule_words(family->multiplicity));
}
