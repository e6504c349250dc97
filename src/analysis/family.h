/* Several comparisons judged together (docs/method.md, "Several benchmarks"). */
#ifndef DUET_ANALYSIS_FAMILY_H
#define DUET_ANALYSIS_FAMILY_H

#include "base/error.h"
#include "model/comparison.h"

#include <stddef.h>

/* What one comparison of a family is analysed by: the description, with Bonferroni
 * at the confidence 1 - (1 - confidence) / size. */
struct model_analysis analysis_family_member(const struct model_analysis *analysis);

/* Sets the family of each comparison. With Holm and Benjamini-Hochberg a verdict of
 * slower or faster becomes `unsure` when the adjusted p value is above 1 - confidence;
 * `same` stays, and with Bonferroni the intervals (analysed at the confidence above)
 * have decided. Where sign flips of so few blocks cannot reach significance a warning
 * says so. A single comparison is left as it is. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_family_judge(enum model_multiplicity multiplicity, double confidence,
                      struct model_comparison *const *comparisons, size_t count,
                      struct duet_error *reterr);

#endif
