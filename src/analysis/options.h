/* What an analysis is asked for (model/analysis.h): what suits what, and what follows.
 */
#ifndef DUET_ANALYSIS_OPTIONS_H
#define DUET_ANALYSIS_OPTIONS_H

#include "analysis/runs/cleaning.h"
#include "base/error.h"
#include "model/analysis.h"
#include "stats/bootstrap/sampler.h"

#include <stdbool.h>

/* The defaults of an experiment that the data ended: the interval that holds at every
 * look, and the median inside its short runs. What was asked for stays. */
void analysis_options_adapt(struct model_analysis *options);

/* The median inside a run unless asked otherwise (docs/decisions/0014); what knows no
 * pairs of a run has no estimator to choose. */
void analysis_options_settle_estimator(struct model_analysis *options, bool paired);

/* Whether the options suit each other and data of this kind. Errors: DUET_E_DOMAIN (a
 * number out of range), DUET_E_USAGE (a combination that has no answer; says what to
 * take instead). */
BASE_MUST_USE enum duet_code
analysis_options_check(const struct model_analysis *options, bool paired,
                       struct duet_error *reterr);

/* The scheme of MODEL_INTERVAL_BLOCK as the bootstrap knows it. */
enum stats_scheme analysis_options_scheme(const struct model_analysis *options);

/* Whether the interval rests on blocks of two runs instead of runs. */
bool analysis_options_over_blocks(const struct model_analysis *options);

/* How the answer is made: from pairs, by the standard method, or from a statistic of
 * each side's values. */
enum analysis_way { ANALYSIS_WAY_PAIRED, ANALYSIS_WAY_STANDARD, ANALYSIS_WAY_GROUPED };
enum analysis_way analysis_options_way(const struct model_analysis *options,
                                       bool paired);

#endif
