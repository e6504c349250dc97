/* What is left out as warm-up, in the words of --drop-warmup and of stored plans. */
#ifndef DUET_CLI_WARMUP_RULE_H
#define DUET_CLI_WARMUP_RULE_H

#include "analysis/cleaning.h"
#include "model/plan.h"
#include "store/store.h"

/* "none", "half", "steady" or a number of iterations, asked for by the user. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code warmup_rule_take(const char *word,
                                              struct analysis_cleaning *cleaning,
                                              struct duet_error *reterr);

/* The same as a word of a plan; "" when nothing is left out. */
void warmup_rule_write(const struct analysis_cleaning *cleaning,
                       char ret_word[MODEL_WARMUP_RULE_BYTES]);

/* Unless the user has asked for something, *cleaning takes what the experiment was
 * planned with. Errors: DUET_E_FORMAT (the store has no such word). */
BASE_MUST_USE enum duet_code
warmup_rule_recall(const struct store_experiment *experiment,
                   struct analysis_cleaning *cleaning, struct duet_error *reterr);

#endif
