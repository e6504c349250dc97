/* A test of two groups as a sentence. */
#ifndef DUET_REPORT_TEST_WORDS_H
#define DUET_REPORT_TEST_WORDS_H

#include "base/text.h"
#include "model/comparison.h"
#include "report/report.h"

/* "Wilcoxon rank-sum p = 0.0021 (exact); Cliff's delta +0.42 [+0.11, +0.66] (medium): a
 * change (p <= 0.05 and |delta| >= 0.33)." Nothing when no test was asked for. */
void test_words_append(struct text *text, const struct model_test_result *result,
                       const struct report_style *style);

#endif
