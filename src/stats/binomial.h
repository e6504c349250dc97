/* The interval of a share that was counted. */
#ifndef DUET_STATS_BINOMIAL_H
#define DUET_STATS_BINOMIAL_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stdint.h>

/* Clopper and Pearson's exact interval of a probability after `hits` of `trials`.
 * Errors: DUET_E_TOO_FEW (no trial), DUET_E_DOMAIN (more hits than trials, level
 * outside (0, 1)). Source: Clopper and Pearson 1934, "The Use of Confidence or Fiducial
 * Limits", Biometrika 26; by the incomplete beta function. */
BASE_MUST_USE enum duet_code
stats_binomial_interval(uint64_t hits, uint64_t trials, double level,
                        struct stats_interval *ret_interval, struct duet_error *reterr);

#endif
