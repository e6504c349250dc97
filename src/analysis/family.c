#include "analysis/family.h"

#include "base/alloc.h"
#include "stats/multiplicity.h"

#include <math.h>
#include <stdlib.h>

static double member_confidence(enum model_multiplicity multiplicity, double confidence,
                                size_t size)
{
    return multiplicity == MODEL_MULTIPLICITY_BONFERRONI && size > 1
               ? 1.0 - (1.0 - confidence) / (double)size
               : confidence;
}

struct model_analysis analysis_family_member(const struct model_analysis *analysis)
{
    struct model_analysis member = *analysis;
    member.confidence = member_confidence(analysis->multiplicity, analysis->confidence,
                                          (size_t)analysis->family);
    return member;
}

static enum stats_multiplicity rule_of(enum model_multiplicity multiplicity)
{
    switch (multiplicity) {
    case MODEL_MULTIPLICITY_BONFERRONI:
        return STATS_MULTIPLICITY_BONFERRONI;
    case MODEL_MULTIPLICITY_HOLM:
        return STATS_MULTIPLICITY_HOLM;
    case MODEL_MULTIPLICITY_BH:
        return STATS_MULTIPLICITY_BH;
    case MODEL_MULTIPLICITY_NONE:
    case MODEL_MULTIPLICITIES:
        break;
    }
    return STATS_MULTIPLICITY_NONE;
}

/* The smallest p value of sign flips, that of all blocks on one side of 0; 0 where it
 * is none. */
static double smallest_p_value(const struct model_comparison *comparison)
{
    return comparison->p_value_method == MODEL_P_VALUE_SIGNFLIP
               ? ldexp(1.0, 1 - (int)(comparison->runs / 2))
               : 0.0;
}

static void judge_one(struct model_comparison *comparison, double alpha)
{
    struct model_family *family = &comparison->family;
    /* 1 - 0.99 is a little more than 0.01 in binary, and p may be 0.01 exactly. */
    family->unshown =
        family->p_adjusted > alpha * (1.0 + 1e-9) ||
        (isnan(family->p_adjusted) && model_comparison_is_change(comparison));
    if (model_comparison_is_change(comparison) && family->unshown) {
        comparison->verdict = MODEL_VERDICT_UNSURE;
        family->withheld = true;
    }
}

static void warn_of_flips(enum model_multiplicity multiplicity, double alpha,
                          size_t family, struct model_comparison *comparison)
{
    double smallest = smallest_p_value(comparison);
    bool by_steps = multiplicity == MODEL_MULTIPLICITY_HOLM ||
                    multiplicity == MODEL_MULTIPLICITY_BONFERRONI;
    if (!by_steps || smallest * (double)family <= alpha * (1.0 + 1e-9)) {
        return;
    }
    size_t blocks = (size_t)ceil(1.0 + log2((double)family / alpha));
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "the sign-flip p value of %llu blocks is at least %.2g, "
        "too much to show a change among %zu benchmarks; do %zu runs of each, or use --interval t",
        (unsigned long long)(comparison->runs / 2), smallest, family, 2 * blocks);
}

enum duet_code analysis_family_judge(enum model_multiplicity multiplicity,
                                     double confidence,
                                     struct model_comparison *const *comparisons,
                                     size_t count, struct duet_error *reterr)
{
    if (count < 2) {
        return DUET_OK;
    }
    double alpha = 1.0 - confidence;
    double *p_values = alloc_array(count, sizeof *p_values);
    if (p_values == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu p values", count);
    }
    for (size_t i = 0; i < count; i++) {
        p_values[i] = comparisons[i]->p_value;
    }
    enum duet_code code = stats_multiplicity_adjust(rule_of(multiplicity), p_values,
                                                    count, p_values, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        comparisons[i]->family = (struct model_family){
            .size = count, .multiplicity = multiplicity, .p_adjusted = p_values[i]};
        if (multiplicity == MODEL_MULTIPLICITY_HOLM ||
            multiplicity == MODEL_MULTIPLICITY_BH) {
            judge_one(comparisons[i], alpha);
        }
        warn_of_flips(multiplicity, alpha, count, comparisons[i]);
    }
    free(p_values);
    return code;
}
