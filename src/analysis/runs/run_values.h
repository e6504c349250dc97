/* The values of one run: whether they can be analysed, without outliers, and as many of
 * them as are kept. */
#ifndef DUET_ANALYSIS_RUN_VALUES_H
#define DUET_ANALYSIS_RUN_VALUES_H

#include "base/error.h"
#include "model/analysis.h"
#include "model/experiment.h"
#include "stats/winsor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* So many logarithms of a run at most are kept for the shuffled control, evenly
     * spread over it: a median of a thousand is as good there as one of a million. */
    ANALYSIS_SHUFFLED_MAX = 1024
};

struct analysis_values {
    double *values;
    size_t count;
};

/* Room for `count` values, to be freed with free(). Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_values_init(struct analysis_values *ret_values,
                                                  size_t count,
                                                  struct duet_error *reterr);

/* The smallest n such that every n-th of so many values are ANALYSIS_SHUFFLED_MAX at
 * most; and how many these are. */
size_t analysis_thin_stride(size_t count);
size_t analysis_thin_count(size_t count);

/* Copies every n-th of `values`. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_values_thin(const double *values, size_t count,
                                                  struct analysis_values *ret_values,
                                                  struct duet_error *reterr);

/* Errors: DUET_E_DOMAIN (a value that is not positive and finite, unequal counts of a
 * paired run), DUET_E_TOO_FEW (no observation). */
BASE_MUST_USE enum duet_code
analysis_values_check(const struct model_run_values *values, bool paired,
                      struct duet_error *reterr);

/* The rule of any but MODEL_WINSORIZE_OFF. */
enum stats_winsor_rule analysis_winsor_rule(enum model_winsorize how);

/* Replaces at most one value of each side, in place; returns how many. Source: Bulej
 * 2020 s.7.1. */
uint64_t analysis_winsorize_run(struct model_run_values *values,
                                enum model_winsorize how);

#endif
