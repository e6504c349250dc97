/* What an answer says about the CPU time that others took. */
#ifndef DUET_ANALYSIS_LOSSES_SAID_H
#define DUET_ANALYSIS_LOSSES_SAID_H

#include "analysis/runs/used_runs.h"

/* The ratio of the times as they are, by the mean of the runs' log ratios; NaN: not of
 * pairs. */
double analysis_ratio_as_measured(const struct analysis_used_runs *used);

/* Warns where the treatment of losses decides what the answer is: where the ratio
 * without them is surely another one than that of the times as measured
 * (comparison->ratio_as_measured), and where the interval holds for several readings
 * (of_one_kind: for two). */
void analysis_losses_warn(const struct analysis_used_runs *used, bool of_one_kind,
                          struct model_comparison *comparison);

#endif
