/* What is done about the CPU time that was taken from the sides of an experiment. */
#ifndef DUET_MODEL_LOSSES_H
#define DUET_MODEL_LOSSES_H

#include "analysis/digest.h"

/* One treatment for all runs, told by what does not know of the labels:
 * - what was taken is known of both sides in all but one run of twenty: REMOVED;
 * - otherwise, when others had next to nothing of the CPUs: KEPT;
 * - otherwise, or when nobody looked: BOUNDED, if what was executed is known at all.
 * Digests that were made without looking at losses: KEPT. */
enum model_losses analysis_losses_choose(const struct analysis_digest *digests,
                                         size_t count);

/* The facts of a run under a treatment: those of its own, or, where this run has none,
 * the next best. For BOUNDED they are the other bound beside those of KEPT. */
const struct stats_run_facts *
analysis_losses_facts(const struct analysis_digest *digest, enum model_losses losses);

/* The means of a run's sides under a treatment, by the same rule; ns. */
const double *analysis_losses_mean(const struct analysis_digest *digest,
                                   enum model_losses losses);

#endif
