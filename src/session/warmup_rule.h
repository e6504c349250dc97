/* What is left out as warm-up, in the words of --drop-warmup. */
#ifndef DUET_SESSION_WARMUP_RULE_H
#define DUET_SESSION_WARMUP_RULE_H

#include "base/error.h"
#include "model/analysis.h"

/* "none", "half", "steady" or a number of iterations, asked for by the user. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code warmup_rule_take(const char *word,
                                              struct model_cleaning *cleaning,
                                              struct duet_error *reterr);

/* Whether it leaves something of a run of so many iterations; says what to do instead.
 * Errors: DUET_E_TOO_FEW. */
BASE_MUST_USE enum duet_code warmup_rule_check(const struct model_cleaning *cleaning,
                                               uint64_t iterations,
                                               struct duet_error *reterr);

#endif
