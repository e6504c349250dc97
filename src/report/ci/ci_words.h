/* What the reports for CI systems say in words, and in which order. */
#ifndef DUET_REPORT_CI_CI_WORDS_H
#define DUET_REPORT_CI_CI_WORDS_H

#include "report/ci/ci_report.h"

/* What a comparison's verdict and gate come to. */
enum ci_outcome ci_outcome_of(const struct model_comparison *comparison);

/* Whether something was asked of it, which it passed or not. */
bool ci_is_gated(const struct model_comparison *comparison);

struct ci_counts {
    size_t outcomes[CI_OUTCOMES];
    size_t verdicts[MODEL_VERDICTS];
    size_t benchmarks; /* without their controls and confirmations */
    size_t gated;      /* of these, with a gate */
    size_t fails;      /* whose gate, or whose command, does */
};
struct ci_counts ci_count(const struct ci_report *report);

/* "2 slower, 1 unsure, 37 same": what there is, the worst first. */
void ci_append_counts(struct text *text, const struct ci_counts *counts);

/* "gate failed: 2 of 40 benchmarks", "no benchmark is slower". */
void ci_append_outcome(struct text *text, const struct ci_counts *counts);

/* "zip is slower by +3.02 %, 99 % interval [+2.71 %, +3.34 %], limit +2 %"; of a failed
 * one why. Cleaned, on one line. */
void ci_append_sentence(struct text *text, const struct model_comparison *comparison);

/* The comparisons' indexes, the worst first: broken, failed, slower, undecided, faster,
 * same; of the same kind the larger change first. free() it. NULL: no memory. */
size_t *ci_order(const struct ci_report *report);

/* Whether it has numbers: a benchmark that failed has none. */
bool ci_is_answered(const struct model_comparison *comparison);

#endif
