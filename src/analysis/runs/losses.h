/* What is done about the CPU time that was taken from the sides of an experiment. */
#ifndef DUET_MODEL_LOSSES_H
#define DUET_MODEL_LOSSES_H

#include "analysis/runs/run_summary.h"

/* One treatment for all runs, told by what does not know of the labels:
 * - what was taken is known of both sides in all but one run of twenty: REMOVED;
 * - otherwise, when others had next to nothing of the CPUs: KEPT;
 * - otherwise, or when nobody looked: BOUNDED, if what was executed is known at all.
 * Digests that were made without looking at losses: KEPT. */
enum model_losses analysis_losses_choose(const struct analysis_run_summary *summaries,
                                         size_t count);

/* How a treatment reads the times; of BOUNDED the reading that is not AS_MEASURED. */
enum analysis_reading analysis_losses_reading(enum model_losses losses);

/* The readings that an answer must hold for under BOUNDED, beside AS_MEASURED. Of sides
 * of one kind, which wait about as often and are both of one task or both of several,
 * EXECUTED: the CPU time they lost is alike, or their own waiting is. Of sides of
 * different kinds nothing of the sort can be said: then each side's time may be
 * anything between the least that it can have taken and all of it. Returns how many. */
size_t analysis_losses_bounds(const struct analysis_run_summary *summaries,
                              size_t count,
                              enum analysis_reading ret_readings[ANALYSIS_READINGS]);

/* The facts of a run by a reading: those of its own, or, where this run has none, the
 * next best. */
const struct stats_run_facts *
analysis_losses_facts(const struct analysis_run_summary *summary,
                      enum analysis_reading reading);

/* The means of a run's sides by a reading, by the same rule; ns. */
const double *analysis_losses_mean(const struct analysis_run_summary *summary,
                                   enum analysis_reading reading);

#endif
