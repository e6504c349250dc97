#include "report/estimate_words.h"

#include "base/alloc.h"
#include "report/words.h"

#include <stdlib.h>
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

enum { NAMES_MAX = 3 };

/* The comparisons that estimate the same. */
struct group {
    struct text words;
    size_t count;
    size_t named[NAMES_MAX]; /* the first of them */
};

/* The group of these words, which are taken over; NULL when memory is short. */
static struct group *group_of(struct group **groups, size_t *count, struct text *words)
{
    size_t at = 0;
    while (at < *count &&
           strcmp(text_string(&(*groups)[at].words), text_string(words)) != 0) {
        at++;
    }
    if (at == *count) {
        struct group *longer = alloc_resize(*groups, *count + 1, sizeof *longer);
        if (longer == NULL) {
            return NULL;
        }
        *groups = longer;
        longer[(*count)++] = (struct group){.words = *words};
        *words = (struct text){0};
    }
    return &(*groups)[at];
}

static void append_group(struct text *text, const struct group *group,
                         const struct model_comparison *comparisons)
{
    text_append(text, text_string(&group->words));
    for (size_t i = 0; i < group->count && i < NAMES_MAX; i++) {
        text_append_format(text, "%s%s", i == 0 ? " [" : ", ",
                           comparisons[group->named[i]].name);
    }
    if (group->count > NAMES_MAX) {
        text_append_format(text, " and %zu more", group->count - NAMES_MAX);
    }
    text_append_char(text, ']');
}

void estimate_words_append_all(struct text *text,
                               const struct model_comparison *comparisons, size_t count)
{
    struct group *groups = NULL;
    size_t group_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct text words = {0};
        estimate_words_append(&words, &comparisons[i]);
        struct group *group = group_of(&groups, &group_count, &words);
        text->failed = text->failed || group == NULL;
        if (group != NULL && group->count++ < NAMES_MAX) {
            group->named[group->count - 1] = i;
        }
        display_drop(text, &words);
    }
    for (size_t i = 0; i < group_count; i++) {
        text_append(text, i == 0 ? "" : "; ");
        if (group_count == 1) {
            text_append(text, text_string(&groups[i].words));
        } else {
            append_group(text, &groups[i], comparisons);
        }
        display_drop(text, &groups[i].words);
    }
    free(groups);
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
