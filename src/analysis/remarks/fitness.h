/* From a probe of the machine to numbers, and from those to findings. */
#ifndef DUET_ANALYSIS_FITNESS_H
#define DUET_ANALYSIS_FITNESS_H

#include "base/error.h"
#include "model/finding.h"
#include "model/host.h"
#include "model/plan.h"

#include <stdbool.h>

/* Everything but steal_ratio, which the probe does not see (NaN). Spreads are robust:
 * the quartiles' distance, scaled as the standard deviation of normal values. Errors:
 * DUET_E_TOO_FEW (fewer than 8 rounds, no meeting), DUET_E_DOMAIN (a time of 0),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fitness_of(const struct model_probe *probe,
                                        struct model_fitness *ret_fitness,
                                        struct duet_error *reterr);

/* What else is known of the machine. */
struct fitness_circumstances {
    const struct model_host *host;
    const struct model_host_load *load;    /* before the probe */
    const struct model_cpu_set *positions; /* two; counts 0: no two CPUs */
    const char *relation;                  /* of the two CPUs, in words */
    bool shares_core;
    bool clock_is_fast;
    const char *refusal;     /* why no two CPUs could be had; NULL: they could */
    const char *no_counters; /* why hardware counters are missing; NULL: none is */
    const char *no_store; /* the store's file, which cannot be written; NULL: it can */
};

/* Whether the load before a measurement means that it is not alone on the machine: the
 * one limit that doctor, studies and warnings have. */
bool fitness_is_busy(const struct model_host_load *load, int num_cpus);

/* Whether others took enough of the time (a fraction) to widen an interval; NaN: no. */
bool fitness_is_much_taken(double taken_ratio);

/* Whether the hypervisor gave enough of the CPU time to others (steal, a fraction) to
 * widen the intervals: the one limit of doctor and warnings. NaN: no. */
bool fitness_steal_matters(double steal_ratio);

/* What pairing is worth: 1 surely something, -1 surely less than nothing, 0 neither is
 * certain. By the batches, at 99 %: a spread of n batches is known to a factor of
 * exp(2.33 / sqrt(n - 1)) (normal values); and the rounds themselves must not gain less
 * than a tenth. */
int fitness_pairing_helps(const struct model_fitness *fitness);

/* Judges. `fitness` NULL: nothing could be measured. */
struct model_findings fitness_judge(const struct fitness_circumstances *circumstances,
                                    const struct model_fitness *fitness);

/* The worst level among the findings. */
enum model_finding_level fitness_level(const struct model_findings *findings);

#endif
