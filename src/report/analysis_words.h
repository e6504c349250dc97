/* What an analysis was asked for beyond its interval, as words, for the terminal and
 * Markdown. Each appends nothing where there is nothing to say. */
#ifndef DUET_REPORT_ANALYSIS_WORDS_H
#define DUET_REPORT_ANALYSIS_WORDS_H

#include "base/text.h"
#include "model/comparison.h"
#include "report/report.h"

#include <stddef.h>

/* "percentile bootstrap over runs", "Student's t over blocks of two runs" ... */
void analysis_words_append_interval(struct text *text,
                                    const struct model_comparison *comparison);

/* "p90: old 1.02 s [1.01 s, 1.03 s], new 1.04 s [1.03 s, 1.05 s]". */
void analysis_words_append_statistic(struct text *text,
                                     const struct model_statistic_result *result,
                                     const struct report_style *style);

/* "120 observations as warm-up, 4 of ten times the median or more". */
void analysis_words_append_dropped(struct text *text,
                                   const struct model_comparison *comparison);

/* "3 benchmarks judged together by Holm's rule; adjusted p 0.03 (compress) ...": of
 * several the p values that made a verdict `unsure`; of more than a few their range,
 * unless `each`. */
void analysis_words_append_family(struct text *text,
                                  const struct model_comparison *comparisons,
                                  size_t count, bool each);

/* "0.0031", "< 1e-300". */
void analysis_words_append_p_value(struct text *text, double p_value);

/* "with --confidence 0.95 instead of the stored 0.8": what is not as the experiment was
 * stored; nothing otherwise. */
void analysis_words_append_overrides(struct text *text,
                                     const struct model_comparison *comparison);

/* "p = 0.023 by Holm's rule": why a verdict was withheld. */
void analysis_words_append_withheld(struct text *text,
                                    const struct model_family *family);

#endif
