/* Answers as one picture. */
#ifndef DUET_REPORT_PLOT_COMPARISON_PICTURE_H
#define DUET_REPORT_PLOT_COMPARISON_PICTURE_H

#include "base/text.h"
#include "report/plot/course_panels.h"

/* One comparison: pairs over time, distribution, change by block (by run, where there
 * are no blocks). O(kept pairs). */
void comparison_picture(struct text *text, const struct course *course);

/* Several: the change of each with its interval, and how the ratios of its pairs are
 * distributed. quantiles: MODEL_TRACE_QUANTILES of each, NaN: not of pairs. The order
 * is kept. started_utc_ms: of the first and the last of them; 0: unknown. */
void comparison_picture_several(struct text *text,
                                const struct model_comparison *comparisons,
                                const double (*quantiles)[MODEL_TRACE_QUANTILES],
                                size_t count, const int64_t started_utc_ms[2]);

#endif
