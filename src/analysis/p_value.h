/* The p value of "no difference", for judging several comparisons together. */
#ifndef DUET_ANALYSIS_P_VALUE_H
#define DUET_ANALYSIS_P_VALUE_H

#include "analysis/runs/used_runs.h"

/* Of pairs: exact by sign flips where that is the interval, the level at which the
 * interval ends at 1 where runs depend (interval `block`), else by Student's t over
 * blocks (over runs when there are fewer than two whole blocks). NaN with too few.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_p_value_paired(
    const struct model_analysis *options, const struct analysis_used_runs *used,
    const struct model_interval *interval, double ratio, double *ret_p_value,
    enum model_p_value_method *ret_method, struct duet_error *reterr);

/* The significance level at which the interval would end at 1. It is taken for one of
 * normal quantiles and a standard error from `values` values, or from stretches of them
 * (interval `block`), as a bootstrap's is, and Student's t is asked instead: with few
 * values a bootstrap is too narrow, far out more than at its own level. Of an interval
 * without any width that of sign flips of values that are all alike. NaN without an
 * interval, and below two values. */
double analysis_p_value_of_interval(double ratio, const struct model_interval *interval,
                                    double values);

#endif
