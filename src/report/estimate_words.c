#include "report/estimate_words.h"

#include "report/words.h"

#include <string.h>

/* Where a run is a single pair, the centre of the blocks takes the median's place. */
static bool is_typical(const struct model_comparison *comparison)
{
    bool bets = comparison->interval.method == MODEL_INTERVAL_ANYTIME;
    bool single = comparison->runs == comparison->iterations;
    return comparison->estimator == MODEL_ESTIMATOR_MEDIAN || (bets && single);
}

static bool of_pairs(const struct model_comparison *comparison)
{
    return model_schedule_is_paired(comparison->schedule) &&
           comparison->interval.method != MODEL_INTERVAL_DIFFERENCE;
}

static const char *estimator_name(const struct model_comparison *comparison)
{
    if (is_typical(comparison)) {
        return "median";
    }
    if (comparison->estimator == MODEL_ESTIMATOR_TRIMMED) {
        return "trimmed mean";
    }
    return of_pairs(comparison) ? "geometric mean" : "mean";
}

void estimate_words_append_name(struct text *text,
                                const struct model_comparison *comparison)
{
    char name[MODEL_STATISTIC_NAME_MAX];
    const struct model_statistic *statistic = &comparison->statistic.statistic;
    model_statistic_name(statistic, name);
    text_append_format(
        text, "%s of iterations",
        statistic->kind != MODEL_STATISTIC_NONE ? name : estimator_name(comparison));
}

static const char *metric_words(const struct model_comparison *comparison)
{
    return strcmp(comparison->metric, "cpu_time") == 0 ? "CPU time"
           : comparison->metric[0] == '\0'             ? "time"
                                                       : comparison->metric;
}

/* What one value is the time of. */
static const char *noun_of(const struct model_comparison *comparison)
{
    bool counted = comparison->sides[MODEL_OLD].operations > 1.0 ||
                   comparison->sides[MODEL_NEW].operations > 1.0;
    return comparison->mode == MODEL_MODE_COMMAND ? "execution"
           : counted                              ? "operation"
                                                  : "iteration";
}

void estimate_words_append(struct text *text, const struct model_comparison *comparison)
{
    char name[MODEL_STATISTIC_NAME_MAX];
    const char *noun = noun_of(comparison);
    const char *metric = metric_words(comparison);
    const struct model_statistic *statistic = &comparison->statistic.statistic;
    if (statistic->kind != MODEL_STATISTIC_NONE) {
        model_statistic_name(statistic, name);
        text_append_format(text, "the %s of all %ss' %s", name, noun, metric);
        return;
    }
    if (strcmp(metric, "time") != 0) {
        text_append_format(text, "the %s of ", metric);
    }
    text_append_format(text, "%s %s (%s)",
                       is_typical(comparison) ? "a typical" : "the average", noun,
                       estimator_name(comparison));
}

void estimate_words_append_all(struct text *text,
                               const struct model_comparison *comparisons, size_t count)
{
    struct text first = {0};
    bool alike = true;
    estimate_words_append(&first, &comparisons[0]);
    for (size_t i = 1; i < count; i++) {
        struct text other = {0};
        estimate_words_append(&other, &comparisons[i]);
        alike = alike && strcmp(text_string(&first), text_string(&other)) == 0;
        display_drop(text, &other);
    }
    if (alike) {
        text_append(text, text_string(&first));
    }
    for (size_t i = 0; i < count && !alike; i++) {
        text_append(text, i == 0 ? "" : ", ");
        estimate_words_append(text, &comparisons[i]);
        text_append_format(text, " [%s]", comparisons[i].name);
    }
    display_drop(text, &first);
}

void estimate_words_append_mean(struct text *text,
                                const struct model_comparison *comparison,
                                const struct report_style *style)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    if (!mean->disagrees && comparison->doubt != MODEL_DOUBT_MEAN) {
        return;
    }
    struct model_comparison shown = *comparison;
    shown.ratio = mean->ratio;
    shown.interval.low = mean->low;
    shown.interval.high = mean->high;
    words_append_change(text, &shown, style->unicode, true);
    text_append(text, "  ");
    words_append_interval(text, &shown, true);
    text_append_format(text, ": some %ss %schanged differently from a typical one",
                       comparison->mode == MODEL_MODE_COMMAND ? "execution"
                                                              : "iteration",
                       mean->disagrees ? "" : "may have ");
}
