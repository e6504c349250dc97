/* Whether both sides print the same: a program that computes something else is no
 * faster version of the other (--same-output). */
#ifndef DUET_SESSION_SAMENESS_SAME_OUTPUT_H
#define DUET_SESSION_SAMENESS_SAME_OUTPUT_H

#include "base/error.h"
#include "model/plan.h"

/* Executes each side once, untimed, and compares standard output byte by byte. Errors:
 * DUET_E_WORKLOAD (the first line that differs, of both sides), and those of
 * measure_trial(). */
BASE_MUST_USE enum duet_code same_output_check(const struct model_plan *plan,
                                               int cancel_fd,
                                               struct duet_error *reterr);

#endif
