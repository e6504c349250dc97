/* How the changes of the blocks are spread, for a strip of characters. */
#ifndef DUET_ANALYSIS_STRIP_H
#define DUET_ANALYSIS_STRIP_H

#include "analysis/runs/used_runs.h"
#include "model/comparison.h"

/* Counts the blocks' ratios in MODEL_STRIP_BINS bins of the same width (of the log
 * ratio) from the smallest to the largest. Without low and high (NaN) where
 * there are fewer than ANALYSIS_STRIP_MIN blocks, or all are the same. */
enum { ANALYSIS_STRIP_MIN = 5 };
void analysis_strip(const struct analysis_used_runs *used,
                    struct model_strip *ret_strip);

#endif
