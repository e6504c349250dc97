/* When a comparison has said enough: rules that look at the data after every block. The
 * interval must be one that holds at every look (`anytime`). */
#ifndef DUET_SESSION_COMPARISON_STOPPING_H
#define DUET_SESSION_COMPARISON_STOPPING_H

#include "base/error.h"
#include "model/comparison.h"
#include "model/plan.h"

#include <stdbool.h>

struct stopping {
    enum model_until until;
    double precision;    /* MODEL_UNTIL_PRECISION: half of the interval's width */
    double same_within;  /* fraction; NaN: not asked */
    double max_slowdown; /* fraction; NaN: not asked */
    unsigned fail_on;    /* of MODEL_FAIL_ON_... */
    bool size_known; /* a slowdown counts when its size is known to a factor of three */
};

/* MODEL_UNTIL_DECIDED: the interval is on one side of 1, or lies within ±same_within.
 * With max_slowdown it has to be on one side of that limit, and below it on one side of
 * 1 as well where fail_on names slower or faster. What fails in any case ends it. With
 * size_known, an interval above 1 has to end at three times its beginning at most, on
 * the log scale. MODEL_UNTIL_PRECISION: it is narrow enough. MODEL_UNTIL_FIXED: never.
 */
bool stopping_satisfied(const struct stopping *stopping,
                        const struct model_interval *interval);

/* Takes "decided", "precision=P", "runs=N", "time=T", or several with commas, into the
 * plan. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code stopping_parse(const char *value, struct model_plan *plan,
                                            struct duet_error *reterr);

#endif
