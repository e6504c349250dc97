/* What was estimated: the change of which time. */
#ifndef DUET_REPORT_ESTIMATE_WORDS_H
#define DUET_REPORT_ESTIMATE_WORDS_H

#include "base/text.h"
#include "model/comparison.h"
#include "report/report.h"

/* "median of iterations", "geometric mean of iterations", "p99 of iterations": as JSON
 * and CSV name it. Which time it is says the metric. */
void estimate_words_append_name(struct text *text,
                                const struct model_comparison *comparison);

/* "a typical iteration (median)", "the CPU time of a typical execution (median)", "the
 * average iteration (mean)", "the p99 of all iterations' time". An execution is an
 * iteration of a command. */
void estimate_words_append(struct text *text,
                           const struct model_comparison *comparison);

/* "a typical execution (median)", or with several that differ "a typical execution
 * (median) [xz, zstd]; the average execution (geometric mean) [gzip]". Of a group the
 * first three are named. */
void estimate_words_append_all(struct text *text,
                               const struct model_comparison *comparisons,
                               size_t count);

/* Where the mean disagrees, or the verdict is taken back for it: "+4.3 %  [+2.1 %, +6.5
 * %]   some executions changed differently from a typical one"; nothing otherwise. */
void estimate_words_append_mean(struct text *text,
                                const struct model_comparison *comparison,
                                const struct report_style *style);

#endif
