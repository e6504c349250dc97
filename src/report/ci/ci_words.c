#include "report/ci/ci_words.h"

#include "base/alloc.h"
#include "report/ci/ci_names.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/gate_words.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>

bool ci_is_answered(const struct model_comparison *comparison)
{
    return comparison->verdict != MODEL_VERDICT_FAILED;
}

bool ci_is_gated(const struct model_comparison *comparison)
{
    return comparison->gate.state != MODEL_GATE_NONE;
}

enum ci_outcome ci_outcome_of(const struct model_comparison *comparison)
{
    enum model_gate_state state = comparison->gate.state;
    bool gated = ci_is_gated(comparison);
    if (!ci_is_answered(comparison)) {
        return CI_OUTCOME_BROKEN;
    }
    if (comparison->role != MODEL_ROLE_COMPARISON) {
        bool alarm = comparison->role == MODEL_ROLE_CONTROL &&
                     model_comparison_is_change(comparison);
        return alarm ? CI_OUTCOME_UNDECIDED : CI_OUTCOME_PASSED;
    }
    if (state == MODEL_GATE_FAILED || state == MODEL_GATE_UNSURE ||
        (!gated && comparison->verdict == MODEL_VERDICT_SLOWER)) {
        return CI_OUTCOME_FAILED;
    }
    /* Surely below the limit is an answer, whatever the verdict. */
    return comparison->verdict == MODEL_VERDICT_UNSURE &&
                   comparison->gate.to_limit != MODEL_GATE_BELOW
               ? CI_OUTCOME_UNDECIDED
               : CI_OUTCOME_PASSED;
}

struct ci_counts ci_count(const struct ci_report *report)
{
    struct ci_counts counts = {.gated = 0};
    for (size_t i = 0; i < report->count; i++) {
        const struct model_comparison *comparison = &report->comparisons[i];
        enum ci_outcome outcome = ci_outcome_of(comparison);
        bool gated = ci_is_gated(comparison);
        bool own = comparison->role == MODEL_ROLE_COMPARISON;
        counts.outcomes[outcome]++;
        counts.benchmarks += own;
        counts.verdicts[comparison->verdict] += own;
        counts.gated += gated;
        counts.fails +=
            outcome == CI_OUTCOME_BROKEN || (gated && outcome == CI_OUTCOME_FAILED);
    }
    return counts;
}

void ci_append_counts(struct text *text, const struct ci_counts *counts)
{
    static const enum model_verdict worst_first[] = {
        MODEL_VERDICT_FAILED, MODEL_VERDICT_SLOWER, MODEL_VERDICT_UNSURE,
        MODEL_VERDICT_FASTER, MODEL_VERDICT_SAME,   MODEL_VERDICT_IDENTICAL};
    const char *separator = "";
    for (size_t i = 0; i < sizeof worst_first / sizeof worst_first[0]; i++) {
        size_t count = counts->verdicts[worst_first[i]];
        if (count > 0) {
            text_append_format(text, "%s%zu %s", separator, count,
                               model_verdict_name(worst_first[i]));
            separator = ", ";
        }
    }
}

void ci_append_outcome(struct text *text, const struct ci_counts *counts)
{
    size_t count = counts->benchmarks;
    size_t slower = counts->verdicts[MODEL_VERDICT_SLOWER];
    const char *benchmarks = count == 1 ? "benchmark" : "benchmarks";
    if (counts->gated > 0 && counts->fails > 0) {
        text_append_format(text, "gate failed: %zu of %zu %s", counts->fails, count,
                           benchmarks);
    } else if (counts->gated > 0) {
        text_append_format(text, "gate passed: %zu %s", counts->gated,
                           counts->gated == 1 ? "benchmark" : "benchmarks");
        if (counts->gated < count) {
            text_append_format(text, ", %zu without a gate", count - counts->gated);
        }
    } else if (counts->fails > 0) {
        text_append_format(text, "%zu of %zu %s failed",
                           counts->outcomes[CI_OUTCOME_BROKEN], count, benchmarks);
    } else if (slower > 0) {
        text_append_format(text, "%zu of %zu %s slower", slower, count, benchmarks);
    } else {
        text_append(text, "nothing is surely slower");
    }
}

static void append_change(struct text *text, const struct model_comparison *comparison)
{
    text_append(text, model_comparison_is_change(comparison) ? " by " : ", change ");
    words_append_change(text, comparison, true, true);
    if (words_has_interval(comparison)) {
        text_append(text, ", ");
        digits_append_level(text, comparison->interval.confidence);
        text_append(text, " interval ");
        words_append_interval(text, comparison, true);
    }
    if (isfinite(comparison->analysis.gate.max_slowdown)) {
        text_append_format(text, ", limit +%.6g %%",
                           100 * comparison->analysis.gate.max_slowdown);
    }
}

void ci_append_sentence(struct text *text, const struct model_comparison *comparison)
{
    ci_name_shown(text, ci_name_of(comparison));
    if (!ci_is_answered(comparison)) {
        text_append(text, " failed: ");
        display_append_clean(text, comparison->failure, true);
        return;
    }
    words_append_predicate(text, comparison, false);
    if (comparison->verdict == MODEL_VERDICT_IDENTICAL) {
        text_append(text, ", not measured: ");
        display_append_clean(text, comparison->failure, true);
    }
    if (isfinite(comparison->ratio)) {
        append_change(text, comparison);
    }
    gate_words_append_notable(text, comparison);
}

struct ranked {
    int rank;
    double badness; /* higher goes first */
    size_t index;
};

static int rank_of(const struct model_comparison *comparison)
{
    static const int ranks[MODEL_VERDICTS] = {
        [MODEL_VERDICT_FAILED] = 0, [MODEL_VERDICT_SLOWER] = 2,
        [MODEL_VERDICT_UNSURE] = 3, [MODEL_VERDICT_FASTER] = 4,
        [MODEL_VERDICT_SAME] = 5,   [MODEL_VERDICT_IDENTICAL] = 6};
    bool failed =
        ci_is_gated(comparison) && ci_outcome_of(comparison) == CI_OUTCOME_FAILED;
    return failed ? 1 : ranks[comparison->verdict];
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->badness > b->badness || a->badness < b->badness) {
        return a->badness > b->badness ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

size_t *ci_order(const struct ci_report *report)
{
    struct ranked *ranked = alloc_array(report->count, sizeof *ranked);
    size_t *order = alloc_array(report->count, sizeof *order);
    if (ranked == NULL || order == NULL) {
        free(ranked);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < report->count; i++) {
        const struct model_comparison *comparison = &report->comparisons[i];
        bool faster = comparison->verdict == MODEL_VERDICT_FASTER;
        ranked[i].rank = rank_of(comparison);
        ranked[i].badness = !isfinite(comparison->ratio) ? 0
                            : faster                     ? -comparison->ratio
                                                         : comparison->ratio;
        ranked[i].index = i;
    }
    /* banned-ok: an order of rows */
    qsort(ranked, report->count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < report->count; i++) {
        order[i] = ranked[i].index;
    }
    free(ranked);
    return order;
}
