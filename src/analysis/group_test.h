/* Tests that take the sides for two groups of values, whatever pairs they may make. */
#ifndef DUET_ANALYSIS_GROUP_TEST_H
#define DUET_ANALYSIS_GROUP_TEST_H

#include "analysis/conclude.h"

/* values: both sides' times, as measured (not winsorized), borrowed; cleaned as
 * options->cleaning says.
 * MODEL_TEST_RANKSUM pools each side's values; exact up to 2500 pairs without ties,
 * else the normal approximation with continuity correction; O(n). MODEL_TEST_OVERLAP
 * resamples each side by itself, runs and then iterations within them (a single run's
 * iterations are taken for independent), 1000 replicates; uses
 * options->seed. O(n * replicates), runs of more than 1024 iterations in groups of
 * consecutive ones. MODEL_TEST_NONE: the zeroed result. The levels are the source's:
 * 0.05, 95 % intervals. Errors: DUET_E_TOO_FEW (a side has no value), DUET_E_DOMAIN (a
 * value is not positive and finite), DUET_E_NOMEM. Source: Laaber 2019 s.5.1. */
BASE_MUST_USE enum duet_code analysis_group_test(enum model_test test,
                                                 const struct model_values *values,
                                                 const struct model_analysis *options,
                                                 struct model_test_result *ret_result,
                                                 struct duet_error *reterr);

#endif
