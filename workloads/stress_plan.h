/* Private to workloads/. */
#ifndef DUET_WORKLOADS_STRESS_PLAN_H
#define DUET_WORKLOADS_STRESS_PLAN_H

#include "workloads/stress.h"

/* Whether all values are in the ranges that struct stress_plan gives. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code stress_plan_check(const struct stress_plan *plan,
                                               struct duet_error *reterr);

#endif
